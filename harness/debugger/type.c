/* SPDX-License-Identifier: Apache-2.0 */
/* Types of the source, as its DWARF has them, and those of declarations of the PTX. */
#include <string.h>

#include "debugger/debug_private.h"

/* As DWARF numbers how a value is encoded, and CUDA the spaces that a pointer points to. */
enum { ENCODED_BOOL = 2, ENCODED_FLOAT = 4, ENCODED_SIGNED = 5, ENCODED_SIGNED_CHAR = 6, ENCODED_UNSIGNED_CHAR = 8 };
enum { SPACE_CONST = 4, SPACE_GLOBAL = 5, SPACE_LOCAL = 6, SPACE_PARAM = 7, SPACE_SHARED = 8 };

struct cw_debug_type cw_debug__type(const struct cw_dwarf *w, uint32_t entry)
{
    return (struct cw_debug_type){.dwarf = w, .entry = cw_debug__bare(w, entry) != 0 ? entry : 0, .element = CW_TYPE_NONE};
}

uint32_t cw_debug__bare(const struct cw_dwarf *w, uint32_t entry)
{
    for (uint32_t i = 0; entry != 0 && i < CW_DWARF_DEPTH; i++) {
        const uint16_t tag = w->entry[entry].tag;
        if (tag != CW_TAG_TYPEDEF && tag != CW_TAG_CONST && tag != CW_TAG_VOLATILE && tag != CW_TAG_RESTRICT)
            return entry;
        entry = w->entry[entry].type;
    }
    return 0; /* void, or names that go round in a circle */
}

static const struct cw_dwarf_entry *bare(const struct cw_debug_type *t)
{
    const uint32_t entry = t->entry != 0 ? cw_debug__bare(t->dwarf, t->entry) : 0;
    return entry != 0 ? &t->dwarf->entry[entry] : NULL;
}

/* How many elements each of the dimensions behind t->skip has; how many dimensions. */
static uint32_t dimensions(const struct cw_debug_type *t, uint64_t count[CW_DWARF_DEPTH])
{
    const struct cw_dwarf_entry *e = bare(t);
    const uint32_t first = (uint32_t)(e - t->dwarf->entry);
    uint32_t cnt = 0, passed = 0;
    for (uint32_t i = first + 1; i < e->end && cnt<CW_DWARF_DEPTH; i = t->dwarf->entry[i].end> i ? t->dwarf->entry[i].end : i + 1)
        if (t->dwarf->entry[i].tag == CW_TAG_SUBRANGE && passed++ >= t->skip)
            count[cnt++] = t->dwarf->entry[i].count;
    if (cnt == 0) /* an array of no size that is said */
        count[cnt++] = 0;
    return cnt;
}

static enum cw_debug_class class_of_ptx(const struct cw_debug_type *t)
{
    if (t->count > 0)
        return CW_DEBUG_ARRAY;
    switch (t->element) {
    case CW_PRED:
        return CW_DEBUG_BOOL;
    case CW_F32:
    case CW_F64:
        return CW_DEBUG_FLOAT;
    case CW_S8:
    case CW_S16:
    case CW_S32:
    case CW_S64:
        return CW_DEBUG_SIGNED;
    default:
        return CW_DEBUG_UNSIGNED;
    }
}

static enum cw_debug_class class_of_base(const struct cw_dwarf_entry *e)
{
    switch (e->encoding) {
    case ENCODED_BOOL:
        return CW_DEBUG_BOOL;
    case ENCODED_FLOAT:
        return e->bytes == 4 || e->bytes == 8 ? CW_DEBUG_FLOAT : CW_DEBUG_UNSIGNED;
    case ENCODED_SIGNED:
        return CW_DEBUG_SIGNED;
    case ENCODED_SIGNED_CHAR:
    case ENCODED_UNSIGNED_CHAR:
        return CW_DEBUG_CHARACTER;
    default:
        return CW_DEBUG_UNSIGNED;
    }
}

enum cw_debug_class cw_debug__class(const struct cw_debug_type *t)
{
    if (t->element != CW_TYPE_NONE)
        return class_of_ptx(t);
    const struct cw_dwarf_entry *e = bare(t);
    switch (e != NULL ? e->tag : 0) {
    case CW_TAG_BASE:
        return class_of_base(e);
    case CW_TAG_ENUM:
        return CW_DEBUG_ENUM;
    case CW_TAG_POINTER:
    case CW_TAG_REFERENCE:
    case CW_TAG_RVALUE_REFERENCE:
        return CW_DEBUG_POINTER;
    case CW_TAG_ARRAY:
        return CW_DEBUG_ARRAY;
    case CW_TAG_STRUCT:
    case CW_TAG_CLASS:
    case CW_TAG_UNION:
        return CW_DEBUG_STRUCT;
    default:
        return CW_DEBUG_VOID;
    }
}

/* Types that contain themselves are of no size. */
static uint64_t size_within(const struct cw_debug_type *t, uint32_t depth)
{
    uint64_t count[CW_DWARF_DEPTH];
    if (t->element != CW_TYPE_NONE)
        return cw_type_bytes(t->element) * (t->count > 0 ? t->count : 1);
    const struct cw_dwarf_entry *e = bare(t);
    if (e == NULL || depth == 0)
        return 0;
    if (e->tag == CW_TAG_POINTER || e->tag == CW_TAG_REFERENCE || e->tag == CW_TAG_RVALUE_REFERENCE)
        return e->bytes != 0 ? e->bytes : 8;
    if (e->tag != CW_TAG_ARRAY)
        return e->bytes;
    const uint32_t cnt = dimensions(t, count);
    const struct cw_debug_type inner = cw_debug__type(t->dwarf, e->type);
    uint64_t size = size_within(&inner, depth - 1);
    for (uint32_t i = 0; i < cnt; i++)
        size = count[i] != 0 && size > UINT32_MAX / count[i] ? 0 : size * count[i];
    return size;
}

uint64_t cw_debug__size(const struct cw_debug_type *t)
{
    return size_within(t, 16);
}

struct cw_debug_type cw_debug__target(const struct cw_debug_type *t)
{
    uint64_t count[CW_DWARF_DEPTH];
    struct cw_debug_type target = *t;
    if (t->element != CW_TYPE_NONE || t->count > 0) {
        target.count = 0;
        return target;
    }
    const struct cw_dwarf_entry *e = bare(t);
    if (e != NULL && e->tag == CW_TAG_ARRAY && dimensions(t, count) > 1) {
        target.skip++;
        return target;
    }
    return cw_debug__type(t->dwarf, e != NULL ? e->type : 0);
}

uint64_t cw_debug__count(const struct cw_debug_type *t)
{
    uint64_t count[CW_DWARF_DEPTH];
    if (t->element != CW_TYPE_NONE)
        return t->count;
    const struct cw_dwarf_entry *e = bare(t);
    if (e == NULL || e->tag != CW_TAG_ARRAY)
        return 0;
    dimensions(t, count);
    return count[0];
}

bool cw_debug__is_reference(const struct cw_debug_type *t)
{
    const struct cw_dwarf_entry *e = t->element == CW_TYPE_NONE ? bare(t) : NULL;
    return e != NULL && (e->tag == CW_TAG_REFERENCE || e->tag == CW_TAG_RVALUE_REFERENCE);
}

uint32_t cw_debug__pointed_space(const struct cw_debug_type *t)
{
    const struct cw_dwarf_entry *e = bare(t);
    switch (e != NULL ? e->space : 0) {
    case SPACE_CONST:
        return CW_SPACE_CONST;
    case SPACE_GLOBAL:
        return CW_SPACE_GLOBAL;
    case SPACE_LOCAL:
        return CW_SPACE_LOCAL;
    case SPACE_PARAM:
        return CW_SPACE_PARAM;
    case SPACE_SHARED:
        return CW_SPACE_SHARED;
    default:
        return CW_SPACE_GENERIC;
    }
}

bool cw_debug__is_signed(const struct cw_debug_type *t)
{
    const enum cw_debug_class class = cw_debug__class(t);
    const struct cw_dwarf_entry *e = t->element == CW_TYPE_NONE ? bare(t) : NULL;
    return class == CW_DEBUG_SIGNED || class == CW_DEBUG_ENUM || class == CW_DEBUG_BOOL ||
           (class == CW_DEBUG_CHARACTER && e->encoding == ENCODED_SIGNED_CHAR);
}

/* ---- names ---- */

static void add(char *text, size_t bytes, const char *piece)
{
    const size_t used = strlen(text);
    if (used + 1 < bytes)
        snprintf(text + used, bytes - used, "%s", piece);
}

static void name_of_ptx(const struct cw_debug_type *t, char *text, size_t bytes)
{
    if (t->count > 0)
        snprintf(text, bytes, "%s [%llu]", cw_type_name(t->element), (unsigned long long)t->count);
    else
        snprintf(text, bytes, "%s", cw_type_name(t->element));
}

/* What stands behind the name of the innermost type: "*[4]", "(*)[4]". */
static void declare(const struct cw_debug_type *t, const struct cw_dwarf_entry *e, char behind[100])
{
    uint64_t count[CW_DWARF_DEPTH];
    char piece[100], number[24];
    if (e->tag != CW_TAG_ARRAY) {
        snprintf(piece, sizeof piece, "%c%.90s", e->tag == CW_TAG_POINTER ? '*' : '&', behind);
        memcpy(behind, piece, sizeof piece);
        return;
    }
    if (behind[0] == '*' || behind[0] == '&') {
        snprintf(piece, sizeof piece, "(%.90s)", behind);
        memcpy(behind, piece, sizeof piece);
    }
    const uint32_t cnt = dimensions(t, count);
    for (uint32_t i = 0; i < cnt; i++) {
        snprintf(number, sizeof number, count[i] != 0 ? "[%llu]" : "[]", (unsigned long long)count[i]);
        add(behind, 100, number);
    }
}

void cw_debug__type_name(const struct cw_debug_type *t, char *text, size_t bytes)
{
    char behind[100] = "";
    const char *name = "void";
    struct cw_debug_type at = *t;
    text[0] = '\0';
    if (t->element != CW_TYPE_NONE) {
        name_of_ptx(t, text, bytes);
        return;
    }
    for (uint32_t i = 0; i < CW_DWARF_DEPTH && at.entry != 0; i++) {
        const struct cw_dwarf_entry *e = &at.dwarf->entry[at.entry];
        if (e->tag == CW_TAG_CONST || e->tag == CW_TAG_VOLATILE) {
            add(text, bytes, e->tag == CW_TAG_CONST ? "const " : "volatile ");
        } else if (e->tag == CW_TAG_ARRAY || e->tag == CW_TAG_POINTER || e->tag == CW_TAG_REFERENCE || e->tag == CW_TAG_RVALUE_REFERENCE) {
            declare(&at, e, behind);
        } else if (e->tag != CW_TAG_RESTRICT) {
            name = e->name != NULL ? e->name : e->tag == CW_TAG_UNION ? "union" : e->tag == CW_TAG_ENUM ? "enum" : "struct";
            break;
        }
        at = cw_debug__type(at.dwarf, e->type);
    }
    add(text, bytes, name);
    if (behind[0] != '\0') {
        add(text, bytes, " ");
        add(text, bytes, behind);
    }
}

const char *cw_debug__enumerator(const struct cw_debug_type *t, int64_t value)
{
    const struct cw_dwarf_entry *e = bare(t);
    if (e == NULL)
        return NULL;
    for (uint32_t i = (uint32_t)(e - t->dwarf->entry) + 1; i < e->end; i++)
        if (t->dwarf->entry[i].tag == CW_TAG_ENUMERATOR && t->dwarf->entry[i].value == value)
            return t->dwarf->entry[i].name;
    return NULL;
}
