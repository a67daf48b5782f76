/* SPDX-License-Identifier: Apache-2.0 */
/* Types that an expression names, and values of them: C's own, those of the PTX (u32), and those of the source. */
#include <ctype.h>
#include <string.h>

#include "debugger/debug_private.h"

#define NAME 128u /* most characters of a type's name, with the 0 behind it */

static bool word(const char **text, char name[NAME])
{
    const char *at = *text + strspn(*text, " \t");
    uint32_t length = 0;
    while (length + 1 < NAME && (isalnum((unsigned char)*at) || *at == '_' || (length > 0 && *at == ':')))
        name[length++] = *at++;
    name[length] = '\0';
    if (length == 0 || isdigit((unsigned char)name[0]))
        return false;
    *text = at;
    return true;
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names != NULL && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

/* "u32", "uint32_t", "float"; CW_TYPE_NONE: no such type. */
static enum cw_type plain(const char *name)
{
    static const struct {
        const char *name;
        enum cw_type type;
    } types[] = {{"float", CW_F32},   {"double", CW_F64},   {"bool", CW_PRED},    {"_Bool", CW_PRED},  {"int8_t", CW_S8},
                 {"uint8_t", CW_U8},  {"int16_t", CW_S16},  {"uint16_t", CW_U16}, {"int32_t", CW_S32}, {"uint32_t", CW_U32},
                 {"int64_t", CW_S64}, {"uint64_t", CW_U64}, {"intptr_t", CW_S64}, {"size_t", CW_U64},  {"uintptr_t", CW_U64}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].type;
    for (uint32_t t = CW_U8; t <= CW_F64; t++)
        if (strcmp(cw_type_name((enum cw_type)t), name) == 0)
            return (enum cw_type)t;
    return CW_TYPE_NONE;
}

/* "unsigned long", "char": words in any order. CW_TYPE_NONE: other words. */
static enum cw_type of_words(const char **text)
{
    static const char *const words[] = {"signed", "unsigned", "char", "short", "int", "long", NULL};
    uint32_t seen[6] = {0}, cnt = 0;
    char name[NAME];
    for (const char *at = *text; word(&at, name) && is_one_of(name, words); *text = at, cnt++)
        for (uint32_t i = 0; i < 6; i++)
            seen[i] += strcmp(name, words[i]) == 0;
    if (cnt == 0)
        return CW_TYPE_NONE;
    const bool is_unsigned = seen[1] != 0;
    if (seen[2] != 0)
        return is_unsigned ? CW_U8 : CW_S8;
    if (seen[3] != 0)
        return is_unsigned ? CW_U16 : CW_S16;
    if (seen[5] != 0)
        return is_unsigned ? CW_U64 : CW_S64;
    return is_unsigned ? CW_U32 : CW_S32;
}

/* A type of the source by its name; 0: none. */
static uint32_t of_source(const struct cw_dwarf *w, const char *name)
{
    for (uint32_t i = 1; w != NULL && i < w->entry_cnt; i++) {
        const uint16_t tag = w->entry[i].tag;
        if (tag != CW_TAG_STRUCT && tag != CW_TAG_CLASS && tag != CW_TAG_UNION && tag != CW_TAG_ENUM && tag != CW_TAG_TYPEDEF &&
            tag != CW_TAG_BASE)
            continue;
        const char *full = cw_dwarf_name(w, i);
        if (!w->entry[i].is_declaration &&
            ((full != NULL && strcmp(full, name) == 0) || (w->entry[i].name != NULL && strcmp(w->entry[i].name, name) == 0)))
            return i;
    }
    return 0;
}

static const struct cw_debug_type none = {.element = CW_TYPE_NONE};

/* What stands in front of stars. */
static bool read_base(const struct cw_dwarf *w, const char **text, struct cw_debug_type *type)
{
    static const char *const qualifiers[] = {"const", "volatile", NULL}, *const kinds[] = {"struct", "class", "union", "enum", NULL};
    char name[NAME];
    const char *at = *text;
    while (word(&at, name) && is_one_of(name, qualifiers))
        *text = at;
    *type = none;
    type->element = of_words(text);
    if (type->element != CW_TYPE_NONE)
        return true;
    at = *text;
    if (word(&at, name) && is_one_of(name, kinds))
        *text = at;
    else if ((type->element = plain(name)) != CW_TYPE_NONE) {
        *text = at;
        return true;
    }
    if (!word(text, name))
        return false;
    *type = (struct cw_debug_type){.dwarf = w, .entry = of_source(w, name), .element = CW_TYPE_NONE};
    return type->entry != 0;
}

bool cw_debug__read_type(const struct cw_dwarf *w, const char **text, struct cw_debug_cast *to)
{
    char name[NAME];
    const char *at = *text;
    uint32_t stars = 0;
    if (!read_base(w, &at, &to->type))
        return false;
    for (const char *next = at; (next += strspn(next, " \t")), *next == '*' || word(&next, name); at = next)
        if (*next == '*') {
            stars++;
            next++;
        } else if (strcmp(name, "const") != 0 && strcmp(name, "volatile") != 0) {
            return false;
        }
    at += strspn(at, " \t");
    if (*at != ')')
        return false;
    *text = at + 1;
    to->is_pointer = stars > 0;
    to->wrong = stars > 1 ? "a pointer to a pointer is no type here; cast to a number, and read u64[ADDRESS]" : NULL;
    if (stars == 1)
        to->type.count = UINT64_MAX;
    return true;
}

bool cw_debug__is_pointer(const struct cw_debug_value *v)
{
    return v->pointer.dwarf != NULL || v->pointer.count > 0;
}

static bool has_place(double x)
{
    return x > -9.2e18 && x < 1.8e19;
}

static uint64_t as_bits(const struct cw_debug_value *v)
{
    return !v->is_float ? v->bits : v->number < 0 ? (uint64_t)(int64_t)v->number : (uint64_t)v->number;
}

static double as_number(const struct cw_debug_value *v)
{
    return v->is_float ? v->number : v->is_signed ? (double)(int64_t)v->bits : (double)v->bits;
}

/* Keeps the low bits, as C does. */
static void narrow(struct cw_debug_value *v, uint64_t bytes, bool is_signed)
{
    const uint32_t unused = bytes >= 8 ? 0 : 64 - 8 * (uint32_t)bytes;
    const uint64_t high = as_bits(v) << unused;
    *v = (struct cw_debug_value){.is_signed = is_signed, .bits = is_signed ? (uint64_t)((int64_t)high >> unused) : high >> unused};
}

const char *cw_debug__cast(const struct cw_debug_cast *to, struct cw_debug_value *v)
{
    const enum cw_debug_class class = cw_debug__class(&to->type);
    const uint64_t bytes = cw_debug__size(&to->type);
    if (to->wrong != NULL)
        return to->wrong;
    if (to->is_pointer) {
        if (v->is_float)
            return "a number with a fraction is no address";
        *v = (struct cw_debug_value){.pointer = to->type, .bits = v->bits};
        return NULL;
    }
    if (class == CW_DEBUG_FLOAT) {
        const double x = as_number(v);
        *v = (struct cw_debug_value){.is_float = true, .number = bytes == 4 ? (double)(float)x : x};
        return NULL;
    }
    if (class == CW_DEBUG_BOOL) {
        *v = (struct cw_debug_value){.is_signed = true, .bits = v->is_float ? v->number != 0 : v->bits != 0};
        return NULL;
    }
    if (class == CW_DEBUG_STRUCT || class == CW_DEBUG_ARRAY || class == CW_DEBUG_VOID || bytes == 0)
        return "it cannot be cast to that type";
    if (v->is_float && !has_place(v->number))
        return "the number has no place in that type";
    narrow(v, bytes, cw_debug__is_signed(&to->type));
    if (class == CW_DEBUG_ENUM)
        *v = (struct cw_debug_value){.is_object = true, .object = {.type = to->type, .place = CW_DEBUG_CONSTANT, .address = v->bits}};
    return NULL;
}
