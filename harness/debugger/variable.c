/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables: where one of a name is, by the DWARF of the PTX where there is one, else by the declarations of the PTX; the parts of a variable;
 * and its value as C writes it.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "debugger/debug_private.h"

#define ELEMENTS_MOST 200u /* that are written of one variable */
#define DEPTH_MOST    8u   /* of structures in structures */
#define OWN_MOST      4u   /* of those without a name, whose members are the outer one's */

static const char lost[] = "it has no value here: it is not computed yet, or no longer needed";

/* ---- declarations of the PTX ---- */

static bool is_named(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

static struct cw_debug_type ptx_type(uint32_t element, uint64_t bytes)
{
    const uint32_t size = cw_type_bytes((enum cw_type)element);
    return (struct cw_debug_type){.element = (enum cw_type)element, .count = size > 0 && bytes != size ? bytes / size : 0};
}

static struct cw_debug_object in_memory(struct cw_debug_type type, uint32_t space, uint64_t address)
{
    return (struct cw_debug_object){.type = type, .place = CW_DEBUG_IN_MEMORY, .space = space, .address = address};
}

/* Bytes of a variable: of one without a size, what the launch has given. */
static uint64_t bytes_of(const struct cw_debug *d, const struct cw_debug_focus *focus, const struct cw_named_variable *v)
{
    struct cw_look_warp w;
    if (v->bytes != 0 || !cw_debug__warp(d, focus, &w) || w.launch->shared_bytes < v->offset)
        return v->bytes;
    return w.launch->shared_bytes - v->offset;
}

/* The variable, the parameter or the variable of the module that the PTX calls so, for a function of that scope. */
static bool find_ptx(const struct cw_debug *d, const struct cw_debug_focus *focus, uint32_t scope, const char *name, size_t length,
                     struct cw_debug_object *o)
{
    const struct cw_debug_code *c = d->code;
    const struct cw_kernel *k = c->launch.kernel;
    const struct cw_module *m = c->launch.module;
    for (uint32_t i = 0; i < k->variable_cnt; i++) {
        const struct cw_named_variable *v = &k->variable[i];
        if ((v->scope == scope || v->space == CW_SPACE_SHARED) && is_named(v->name, name, length)) {
            *o = in_memory(ptx_type(v->type, bytes_of(d, focus, v)), v->space, v->offset);
            return true;
        }
    }
    for (uint32_t i = 0; scope == 0 && i < k->param_cnt; i++)
        if (is_named(k->param[i].name, name, length)) {
            *o = in_memory(ptx_type(k->param[i].type, k->param[i].bytes), CW_SPACE_PARAM, k->param[i].offset);
            return true;
        }
    for (uint32_t i = 0; i < m->symbol_cnt; i++)
        if (is_named(m->symbol[i].name, name, length)) {
            const bool is_const = m->symbol[i].space == CW_SPACE_CONST;
            *o = in_memory(ptx_type(m->symbol[i].type, m->symbol[i].bytes), is_const ? CW_SPACE_CONST : CW_SPACE_GLOBAL,
                           m->symbol[i].offset + (is_const ? 0 : c->launch.global_base));
            return true;
        }
    return false;
}

/* Whether C++ has made `mangled` of the name: "_ZZ1kPiE4part" is part, a variable of k. */
static bool is_mangled(const char *mangled, const char *name)
{
    char piece[140];
    if (strncmp(mangled, "_Z", 2) != 0)
        return false;
    snprintf(piece, sizeof piece, "%zu%.120s", strlen(name), name);
    for (const char *at = strstr(mangled, piece); at != NULL; at = strstr(at + 1, piece)) {
        const char *behind = at + strlen(piece);
        behind += *behind == 'E';
        if (*behind == '_')
            behind += 1 + strspn(behind + 1, "0123456789");
        if (*behind == '\0' && !isdigit((unsigned char)at[-1]))
            return true;
    }
    return false;
}

/* The name that the PTX has for one of the source; NULL: none. */
static const char *mangled_name(const struct cw_debug_code *c, const char *name)
{
    for (uint32_t i = 0; i < c->launch.kernel->variable_cnt; i++)
        if (is_mangled(c->launch.kernel->variable[i].name, name))
            return c->launch.kernel->variable[i].name;
    for (uint32_t i = 0; i < c->launch.module->symbol_cnt; i++)
        if (is_mangled(c->launch.module->symbol[i].name, name))
            return c->launch.module->symbol[i].name;
    return NULL;
}

/* ---- the DWARF's places ---- */

static const char *find_register(const struct cw_debug *d, const struct cw_debug_focus *focus, uint32_t scope, const char *name,
                                 const struct cw_named **found)
{
    const struct cw_kernel *k = d->code->launch.kernel;
    struct cw_look_warp w;
    if (!cw_debug__warp(d, focus, &w))
        return "there is no warp here whose registers could be read";
    for (uint32_t i = 0; i < k->named_cnt; i++) {
        const struct cw_named *n = &k->named[i];
        if (n->scope == scope && w.pc >= n->first && w.pc < n->end && strcmp(n->name, name) == 0) {
            *found = n;
            return NULL;
        }
    }
    return lost;
}

static uint64_t register_value(const struct cw_debug *d, const struct cw_debug_focus *focus, const struct cw_named *n)
{
    uint64_t all[CW_WARP_LANES_MAX];
    cw_look_register(cw_debug__warps(d, focus->core), focus->warp, n->o, all);
    return all[focus->lane];
}

/* A reference is what it refers to. */
static const char *refer(const struct cw_debug *d, const struct cw_debug_focus *focus, struct cw_debug_object *o)
{
    uint64_t address = 0;
    const struct cw_debug_type type = o->type;
    if (!cw_debug__is_reference(&type))
        return NULL;
    const char *wrong = cw_debug__load(d, focus, o, &address);
    return wrong != NULL ? wrong : cw_debug__pointed(&type, address, 0, o);
}

/* Where a variable of the DWARF is, for an instruction of that line in that scope. */
static const char *locate(const struct cw_debug *d, const struct cw_debug_focus *focus, uint32_t scope, uint32_t line, uint32_t entry,
                          struct cw_debug_object *o)
{
    const struct cw_dwarf *w = d->code->dwarf;
    const struct cw_debug_type type = cw_debug__type(w, cw_dwarf_type(w, entry));
    struct cw_dwarf_location l;
    const char *wrong = NULL;
    cw_dwarf_locate(w, entry, line, &l);
    *o = (struct cw_debug_object){.type = type};
    switch (l.where) {
    case CW_DWARF_NOWHERE:
        return lost;
    case CW_DWARF_UNREAD:
        return "its place is written in a way that is not read here";
    case CW_DWARF_AT_NAME:
        if (!find_ptx(d, focus, scope, l.name, l.name_length, o))
            return "this kernel does not use it, so it has no place";
        o->type = type;
        o->address += l.offset;
        break;
    case CW_DWARF_CONSTANT:
        o->place = CW_DEBUG_CONSTANT;
        o->address = l.value;
        break;
    default:
        wrong = find_register(d, focus, scope, l.reg, &o->reg);
        if (wrong != NULL)
            return wrong;
        o->place = CW_DEBUG_IN_REGISTER;
        if (l.where == CW_DWARF_BY_REGISTER)
            *o = in_memory(type, CW_SPACE_GENERIC, register_value(d, focus, o->reg) + l.offset);
    }
    return refer(d, focus, o);
}

static uint32_t next_of(const struct cw_dwarf *w, uint32_t i)
{
    return w->entry[i].end > i ? w->entry[i].end : i + 1;
}

static bool is_variable(const struct cw_dwarf_entry *e)
{
    return e->tag == CW_TAG_VARIABLE || e->tag == CW_TAG_FORMAL;
}

/* Calls back for the variables of a function, of a block, or of the module: one whose name is wanted, or all. false: it has been the one. */
struct visit {
    const struct cw_debug *d;
    const struct cw_debug_focus *focus;
    const char *wanted; /* NULL: all */
    cw_debug_tell *tell;
    void *context;
};

static bool visit_entry(const struct visit *v, const struct cw_debug_frame *f, uint32_t entry, const char *kind)
{
    const struct cw_dwarf *w = v->d->code->dwarf;
    const char *name = cw_dwarf_name(w, entry);
    struct cw_debug_object o;
    if (name == NULL || (v->wanted != NULL && strcmp(name, v->wanted) != 0))
        return true;
    const char *wrong = locate(v->d, v->focus, f->scope, f->line, entry, &o);
    v->tell(v->context, name, kind, &o, wrong);
    return v->wanted == NULL;
}

static bool visit_block(const struct visit *v, const struct cw_debug_frame *f, uint32_t block)
{
    const struct cw_dwarf *w = v->d->code->dwarf;
    const uint32_t origin = w->entry[block].origin;
    for (uint32_t i = block + 1; i < w->entry[block].end; i = next_of(w, i))
        if (is_variable(&w->entry[i]) && !visit_entry(v, f, i, w->entry[i].tag == CW_TAG_FORMAL ? "parameter" : "local"))
            return false;
    for (uint32_t i = origin + 1; origin != 0 && i < w->entry[origin].end; i = next_of(w, i)) /* static ones of an inlined function */
        if (is_variable(&w->entry[i]) && w->entry[i].has_location && !visit_entry(v, f, i, "local"))
            return false;
    return true;
}

static bool visit_frame(const struct visit *v)
{
    struct cw_debug_frame frame[CW_DEBUG_FRAMES];
    const uint32_t cnt = v->d->code->dwarf != NULL ? cw_debug__frames(v->d, v->focus, frame, CW_DEBUG_FRAMES) : 0;
    const struct cw_debug_frame *f = &frame[v->focus->frame];
    for (uint32_t i = 0; v->focus->frame < cnt && i < f->chain_cnt; i++)
        if (!visit_block(v, f, f->chain[i]))
            return false;
    return true;
}

static bool visit_module(const struct visit *v)
{
    const struct cw_dwarf *w = v->d->code->dwarf;
    const struct cw_debug_frame none = {0};
    for (uint32_t i = 0; w != NULL && i < w->variable_cnt; i++)
        if (!visit_entry(v, &none, w->variable[i], "module"))
            return false;
    return true;
}

/* ---- which there are ---- */

struct found {
    struct cw_debug_object *object;
    const char *wrong;
    bool is;
};

static void take(void *context, const char *name, const char *kind, const struct cw_debug_object *object, const char *wrong)
{
    struct found *f = context;
    (void)name;
    (void)kind;
    *f->object = *object;
    f->wrong = wrong;
    f->is = true;
}

const char *cw_debug__variable(const struct cw_debug *d, const struct cw_debug_focus *focus, const char *name, bool *is_known,
                               struct cw_debug_object *object)
{
    const char *colons = strrchr(name, ':');
    struct found f = {.object = object};
    const struct visit v = {.d = d, .focus = focus, .wanted = colons != NULL ? colons + 1 : name, .tell = take, .context = &f};
    struct cw_debug_frame frame[CW_DEBUG_FRAMES];
    *is_known = false;
    if (d->code->launch.kernel == NULL)
        return NULL;
    const uint32_t scope = focus->frame < cw_debug__frames(d, focus, frame, CW_DEBUG_FRAMES) ? frame[focus->frame].scope : 0;
    if (!visit_frame(&v) || !visit_module(&v)) {
        *is_known = f.is;
        return f.wrong;
    }
    const char *mangled = mangled_name(d->code, v.wanted);
    *is_known = find_ptx(d, focus, scope, name, strlen(name), object) ||
                (mangled != NULL && find_ptx(d, focus, scope, mangled, strlen(mangled), object));
    return NULL;
}

/* Those of the PTX, where nothing else is known. */
static void tell_ptx(const struct visit *v, bool of_module)
{
    const struct cw_debug_code *c = v->d->code;
    const struct cw_kernel *k = c->launch.kernel;
    struct cw_debug_object o;
    for (uint32_t i = 0; !of_module && i < k->param_cnt; i++)
        if (find_ptx(v->d, v->focus, 0, k->param[i].name, strlen(k->param[i].name), &o))
            v->tell(v->context, k->param[i].name, "parameter", &o, NULL);
    for (uint32_t i = 0; !of_module && i < k->variable_cnt; i++)
        if (find_ptx(v->d, v->focus, k->variable[i].scope, k->variable[i].name, strlen(k->variable[i].name), &o))
            v->tell(v->context, k->variable[i].name, "local", &o, NULL);
    for (uint32_t i = 0; of_module && i < c->launch.module->symbol_cnt; i++)
        if (find_ptx(v->d, v->focus, 0, c->launch.module->symbol[i].name, strlen(c->launch.module->symbol[i].name), &o))
            v->tell(v->context, c->launch.module->symbol[i].name, "module", &o, NULL);
}

void cw_debug__variables(const struct cw_debug *d, const struct cw_debug_focus *focus, bool of_module, cw_debug_tell *tell, void *context)
{
    const struct visit v = {.d = d, .focus = focus, .tell = tell, .context = context};
    if (d->code->launch.kernel == NULL)
        return;
    if (d->code->dwarf == NULL)
        tell_ptx(&v, of_module);
    else if (of_module)
        visit_module(&v);
    else
        visit_frame(&v);
}

/* ---- parts ---- */

static struct cw_debug_object part_of(const struct cw_debug_object *whole, const struct cw_dwarf_entry *e)
{
    struct cw_debug_object o = *whole;
    o.type = cw_debug__type(whole->type.dwarf, e->type);
    o.address += e->member;
    if (e->bits != 0) {
        const uint64_t storage = 8 * (e->bytes != 0 ? e->bytes : cw_debug__size(&o.type));
        o.bits = e->bits;
        o.bit = e->has_low_bit ? e->low_bit : (uint32_t)(storage - e->bit - e->bits);
        o.address += o.bit / 8;
        o.bit %= 8;
    }
    return o;
}

/* nvcc writes a base class as a member whose name it makes up. */
static bool is_base_of_nvcc(const struct cw_dwarf_entry *e)
{
    return e->name != NULL && strncmp(e->name, "__b_", 4) == 0;
}

bool cw_debug__nth_member(const struct cw_debug_object *o, uint32_t i, const char **name, struct cw_debug_object *member)
{
    const struct cw_dwarf *w = o->type.dwarf;
    const uint32_t entry = cw_debug__class(&o->type) == CW_DEBUG_STRUCT ? cw_debug__bare(w, o->type.entry) : 0;
    for (uint32_t k = entry + 1; entry != 0 && k < w->entry[entry].end; k = next_of(w, k)) {
        const bool is_base = w->entry[k].tag == CW_TAG_BASE_CLASS;
        if ((w->entry[k].tag != CW_TAG_MEMBER && !is_base) || w->entry[k].is_declaration || i-- > 0)
            continue;
        *name = is_base || is_base_of_nvcc(&w->entry[k]) ? cw_dwarf_name(w, cw_debug__bare(w, w->entry[k].type)) : w->entry[k].name;
        *name = *name != NULL ? *name : "";
        *member = part_of(o, &w->entry[k]);
        return true;
    }
    return false;
}

/* Members of those without a name, and of base classes, are the structure's own. */
static bool find_member(const struct cw_debug_object *o, const char *name, uint32_t depth, struct cw_debug_object *member)
{
    const char *here;
    for (uint32_t i = 0; cw_debug__nth_member(o, i, &here, member); i++)
        if (strcmp(here, name) == 0)
            return true;
    for (uint32_t i = 0; depth > 0 && cw_debug__nth_member(o, i, &here, member); i++) {
        const struct cw_debug_object inner = *member;
        const char *type =
            inner.type.entry != 0 ? cw_dwarf_name(inner.type.dwarf, cw_debug__bare(inner.type.dwarf, inner.type.entry)) : NULL;
        const bool is_own = here[0] == '\0' || (type != NULL && strcmp(type, here) == 0);
        if (is_own && find_member(&inner, name, depth - 1, member))
            return true;
    }
    return false;
}

const char *cw_debug__member(const struct cw_debug_object *o, const char *name, struct cw_debug_object *member)
{
    if (cw_debug__class(&o->type) != CW_DEBUG_STRUCT)
        return "what stands in front of the . is no structure";
    return find_member(o, name, OWN_MOST, member) ? NULL : "the structure has no member of that name";
}

const char *cw_debug__element(const struct cw_debug_object *array, uint64_t i, struct cw_debug_object *element)
{
    const uint64_t count = cw_debug__count(&array->type);
    *element = *array;
    element->type = cw_debug__target(&array->type);
    const uint64_t size = cw_debug__size(&element->type);
    if (size == 0)
        return "the size of its elements is not known";
    element->address += i * size;
    return count == 0 || i < count ? NULL : "the array has no such element";
}

const char *cw_debug__pointed(const struct cw_debug_type *pointer, uint64_t value, uint64_t i, struct cw_debug_object *object)
{
    const struct cw_debug_type type = cw_debug__target(pointer);
    const uint64_t size = cw_debug__size(&type);
    *object = in_memory(type, cw_debug__pointed_space(pointer), value + i * size);
    return size != 0 ? NULL : "the type of what it points to is not described";
}

/* ---- values ---- */

static const char *read_bytes(const struct cw_debug *d, const struct cw_debug_focus *focus, const struct cw_debug_object *o, void *to,
                              uint32_t bytes)
{
    const uint64_t held = o->place == CW_DEBUG_IN_REGISTER ? register_value(d, focus, o->reg) : o->address;
    const uint64_t from = o->place == CW_DEBUG_IN_REGISTER ? o->address : 0;
    if (o->place == CW_DEBUG_IN_MEMORY)
        return cw_debug__read(d, focus, o->space, o->address, to, bytes) ? NULL : "nothing is at its address";
    if (from + bytes > sizeof held)
        return "a register holds a part of it only";
    memcpy(to, (const uint8_t *)&held + from, bytes);
    return NULL;
}

const char *cw_debug__load(const struct cw_debug *d, const struct cw_debug_focus *focus, const struct cw_debug_object *o, uint64_t *bits)
{
    const uint64_t size = o->bits != 0 ? (o->bit + o->bits + 7) / 8 : cw_debug__size(&o->type);
    *bits = 0;
    if (size == 0 || size > sizeof *bits)
        return size == 0 ? "its type is not described" : "it is too large for a number";
    const char *wrong = read_bytes(d, focus, o, bits, (uint32_t)size);
    if (wrong != NULL)
        return wrong;
    const uint32_t width = o->bits != 0 ? o->bits : 8 * (uint32_t)size, unused = 64 - width;
    *bits = o->bits != 0 ? *bits >> o->bit : *bits;
    if (width < 64)
        *bits = cw_debug__is_signed(&o->type) && cw_debug__class(&o->type) != CW_DEBUG_BOOL
                    ? (uint64_t)((int64_t)(*bits << unused) >> unused)
                    : *bits << unused >> unused;
    return NULL;
}

/* What remains to be written. */
struct writer {
    const struct cw_debug *d;
    const struct cw_debug_focus *focus;
    FILE *out;
    uint32_t left, depth;
};

static void write_float(struct writer *w, uint64_t bits, uint64_t size)
{
    float f;
    double x;
    const uint32_t low = (uint32_t)bits;
    memcpy(&f, &low, sizeof f);
    memcpy(&x, &bits, sizeof x);
    fprintf(w->out, size == 4 ? "%.9g" : "%.17g", size == 4 ? (double)f : x);
}

static void write_scalar(struct writer *w, const struct cw_debug_object *o)
{
    uint64_t bits;
    const char *name, *wrong = cw_debug__load(w->d, w->focus, o, &bits);
    if (wrong != NULL) {
        fprintf(w->out, "<%s>", wrong);
        return;
    }
    switch (cw_debug__class(&o->type)) {
    case CW_DEBUG_BOOL:
        fputs(bits != 0 ? "true" : "false", w->out);
        return;
    case CW_DEBUG_FLOAT:
        write_float(w, bits, cw_debug__size(&o->type));
        return;
    case CW_DEBUG_POINTER:
        fprintf(w->out, "0x%" PRIx64, bits);
        return;
    case CW_DEBUG_ENUM:
        name = cw_debug__enumerator(&o->type, (int64_t)bits);
        if (name != NULL) {
            fputs(name, w->out);
            return;
        }
        break;
    default:
        break;
    }
    fprintf(w->out, cw_debug__is_signed(&o->type) ? "%" PRId64 : "%" PRIu64, bits);
    if (cw_debug__class(&o->type) == CW_DEBUG_CHARACTER && bits >= 0x20 && bits < 0x7f)
        fprintf(w->out, " '%c'", (char)bits);
}

static void write_object(struct writer *w, const struct cw_debug_object *o);

static void write_members(struct writer *w, const struct cw_debug_object *o)
{
    const char *name;
    struct cw_debug_object member;
    for (uint32_t i = 0; cw_debug__nth_member(o, i, &name, &member); i++) {
        fprintf(w->out, "%s%s%s", i > 0 ? ", " : "", w->left > 0 ? name : "...", w->left > 0 && name[0] != '\0' ? " = " : "");
        if (w->left == 0)
            return;
        write_object(w, &member);
    }
}

/* Characters up to the first 0 are a text. false: they are none. */
static bool write_text(struct writer *w, const struct cw_debug_object *o)
{
    struct cw_debug_object element;
    char text[ELEMENTS_MOST];
    uint64_t bits = 1;
    uint32_t length = 0;
    for (uint64_t i = 0; i < cw_debug__count(&o->type) && length + 1 < sizeof text && bits != 0; i++) {
        if (cw_debug__element(o, i, &element) != NULL || cw_debug__class(&element.type) != CW_DEBUG_CHARACTER ||
            cw_debug__load(w->d, w->focus, &element, &bits) != NULL || (bits != 0 && (bits < 0x20 || bits > 0x7e)))
            return false;
        text[length++] = (char)bits;
    }
    if (bits != 0)
        return false;
    fprintf(w->out, "\"%s\"", text);
    return true;
}

static void write_elements(struct writer *w, const struct cw_debug_object *o)
{
    struct cw_debug_object element;
    const uint64_t count = cw_debug__count(&o->type);
    for (uint64_t i = 0; i < count; i++) {
        const char *wrong = cw_debug__element(o, i, &element);
        fputs(i > 0 ? ", " : "", w->out);
        if (wrong != NULL || w->left == 0) {
            fputs(wrong != NULL ? wrong : "...", w->out);
            return;
        }
        write_object(w, &element);
    }
}

static void write_object(struct writer *w, const struct cw_debug_object *o)
{
    const enum cw_debug_class class = cw_debug__class(&o->type);
    w->left -= w->left > 0;
    if (class != CW_DEBUG_ARRAY && class != CW_DEBUG_STRUCT) {
        write_scalar(w, o);
        return;
    }
    const bool is_unsized = class == CW_DEBUG_ARRAY && cw_debug__count(&o->type) == 0;
    if (class == CW_DEBUG_ARRAY && write_text(w, o))
        return;
    if (w->depth == 0 || is_unsized) {
        fputs("{...}", w->out);
        return;
    }
    w->depth--;
    fputc('{', w->out);
    if (class == CW_DEBUG_STRUCT)
        write_members(w, o);
    else
        write_elements(w, o);
    fputc('}', w->out);
    w->depth++;
}

void cw_debug__write(const struct cw_debug *d, const struct cw_debug_focus *focus, const struct cw_debug_object *o, FILE *out)
{
    struct writer w = {.d = d, .focus = focus, .out = out, .left = ELEMENTS_MOST, .depth = DEPTH_MOST};
    write_object(&w, o);
}
