/* SPDX-License-Identifier: Apache-2.0 */
/* Entries and locations of DWARF 2 to 4 ("DWARF Debugging Information Format", versions of 1993 and 2010). */
#include "debugger/dwarf.h"

#include <stdlib.h>
#include <string.h>

#include "debugger/section.h"

#define CODES_MOST 65536u /* of abbreviations */

enum form {
    FORM_ADDR = 0x01,
    FORM_BLOCK2 = 0x03,
    FORM_BLOCK4 = 0x04,
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_STRING = 0x08,
    FORM_BLOCK = 0x09,
    FORM_BLOCK1 = 0x0a,
    FORM_DATA1 = 0x0b,
    FORM_FLAG = 0x0c,
    FORM_SDATA = 0x0d,
    FORM_STRP = 0x0e,
    FORM_UDATA = 0x0f,
    FORM_REF_ADDR = 0x10,
    FORM_REF1 = 0x11,
    FORM_REF2 = 0x12,
    FORM_REF4 = 0x13,
    FORM_REF8 = 0x14,
    FORM_REF_UDATA = 0x15,
    FORM_SEC_OFFSET = 0x17,
    FORM_EXPRLOC = 0x18,
    FORM_PRESENT = 0x19
};

enum attribute {
    AT_LOCATION = 0x02,
    AT_NAME = 0x03,
    AT_BYTES = 0x0b,
    AT_BIT = 0x0c,
    AT_BITS = 0x0d,
    AT_LOW = 0x11,
    AT_HIGH = 0x12,
    AT_VALUE = 0x1c,
    AT_UPPER = 0x2f,
    AT_ORIGIN = 0x31,
    AT_SPACE = 0x33,
    AT_COUNT = 0x37,
    AT_MEMBER = 0x38,
    AT_DECLARATION = 0x3c,
    AT_ENCODING = 0x3e,
    AT_SPECIFICATION = 0x47,
    AT_TYPE = 0x49,
    AT_CALL_FILE = 0x58,
    AT_CALL_LINE = 0x59,
    AT_LOW_BIT = 0x6b
};

enum operation {
    OP_ADDR = 0x03,
    OP_CONST1U = 0x08,
    OP_CONST1S = 0x09,
    OP_CONST2U = 0x0a,
    OP_CONST2S = 0x0b,
    OP_CONST4U = 0x0c,
    OP_CONST4S = 0x0d,
    OP_CONST8U = 0x0e,
    OP_CONST8S = 0x0f,
    OP_CONSTU = 0x10,
    OP_CONSTS = 0x11,
    OP_PLUS_UCONST = 0x23,
    OP_LIT0 = 0x30,
    OP_LIT31 = 0x4f,
    OP_REGX = 0x90,
    OP_BREGX = 0x92,
    OP_STACK_VALUE = 0x9f
};

/* Bytes that are read one behind the other. Behind their end there are zeros, and is_over says so. */
struct cursor {
    const uint8_t *at, *end;
    bool is_over;
};

struct reader {
    struct cw_dwarf *w;
    struct cw_section_bytes section[CW_SECTIONS];
    uint32_t version, wide; /* of the unit: bytes of an address */
    uint32_t unit;          /* its offset */
    uint32_t *abbrev;       /* [code] where its abbreviation stands, behind the code; 0: nowhere */
    uint32_t code_cnt;
    uint32_t room;
    const char *wrong;
};

/* ---- numbers ---- */

static uint64_t number(struct cursor *c, uint32_t bytes)
{
    uint64_t value = 0;
    if ((size_t)(c->end - c->at) < bytes) {
        c->is_over = true;
        c->at = c->end;
        return 0;
    }
    for (uint32_t i = 0; i < bytes; i++)
        value |= (uint64_t)c->at[i] << 8 * i;
    c->at += bytes;
    return value;
}

static uint64_t leb(struct cursor *c, bool is_signed)
{
    uint64_t value = 0;
    uint32_t shift = 0;
    for (;;) {
        const uint64_t byte = number(c, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
        if ((byte & 0x80) != 0)
            continue;
        if (is_signed && shift < 64 && (byte & 0x40) != 0)
            value |= ~UINT64_C(0) << shift;
        return value;
    }
}

static const char *string(struct cursor *c)
{
    const char *text = (const char *)c->at;
    const uint8_t *end = memchr(c->at, 0, (size_t)(c->end - c->at));
    c->is_over |= end == NULL;
    c->at = end != NULL ? end + 1 : c->end;
    return end != NULL ? text : NULL;
}

static struct cursor cursor_at(const struct cw_section_bytes *s, uint64_t offset)
{
    struct cursor c = {.at = s->at + (offset < s->bytes ? offset : s->bytes), .end = s->at + s->bytes};
    c.is_over = offset >= s->bytes;
    return c;
}

/* ---- attributes ---- */

struct attribute_value {
    uint64_t number;
    const char *text;
    const uint8_t *block;
    uint32_t block_bytes;
    bool is_block, is_address, is_offset; /* it may be a place in another section */
};

static void take_block(struct cursor *c, uint64_t bytes, struct attribute_value *v)
{
    if (bytes > (uint64_t)(c->end - c->at)) {
        c->is_over = true;
        c->at = c->end;
        return;
    }
    v->is_block = true;
    v->block = c->at;
    v->block_bytes = (uint32_t)bytes;
    c->at += bytes;
}

/* A string of .debug_str. */
static const char *far_string(const struct reader *r, uint64_t offset)
{
    struct cursor c = cursor_at(&r->section[CW_SECTION_STR], offset);
    return string(&c);
}

/* false: a form that is not known, behind which nothing can be read. */
static bool take_value(const struct reader *r, struct cursor *c, uint64_t form, struct attribute_value *v)
{
    static const uint8_t fixed[] = {
        [FORM_DATA1] = 1, [FORM_FLAG] = 1, [FORM_REF1] = 1,  [FORM_DATA2] = 2, [FORM_REF2] = 2,      [FORM_DATA4] = 4,
        [FORM_REF4] = 4,  [FORM_STRP] = 4, [FORM_DATA8] = 8, [FORM_REF8] = 8,  [FORM_SEC_OFFSET] = 4};
    *v = (struct attribute_value){0};
    v->is_offset = form == FORM_DATA4 || form == FORM_DATA8 || form == FORM_SEC_OFFSET;
    v->is_address = form == FORM_ADDR;
    if (form < sizeof fixed && fixed[form] != 0) {
        v->number = number(c, fixed[form]);
        if (form == FORM_STRP)
            v->text = far_string(r, v->number);
        return true;
    }
    switch (form) {
    case FORM_ADDR:
        v->number = number(c, r->wide);
        return true;
    case FORM_REF_ADDR:
        v->number = number(c, r->version < 3 ? r->wide : 4) - r->unit;
        return true;
    case FORM_BLOCK1:
        take_block(c, number(c, 1), v);
        return true;
    case FORM_BLOCK2:
        take_block(c, number(c, 2), v);
        return true;
    case FORM_BLOCK4:
        take_block(c, number(c, 4), v);
        return true;
    case FORM_BLOCK:
    case FORM_EXPRLOC:
        take_block(c, leb(c, false), v);
        return true;
    case FORM_STRING:
        v->text = string(c);
        return true;
    case FORM_SDATA:
        v->number = leb(c, true);
        return true;
    case FORM_UDATA:
    case FORM_REF_UDATA:
        v->number = leb(c, false);
        return true;
    case FORM_PRESENT:
        v->number = 1;
        return true;
    default:
        return false;
    }
}

/* The offset of a member, which DWARF 2 writes as an expression that adds it. */
static uint64_t member_offset(const struct attribute_value *v)
{
    struct cursor c = {.at = v->block, .end = v->is_block ? v->block + v->block_bytes : NULL};
    if (!v->is_block)
        return v->number;
    const uint64_t op = number(&c, 1);
    return op == OP_PLUS_UCONST || op == OP_CONSTU ? leb(&c, false) : 0;
}

static void keep_location(const struct reader *r, struct cw_dwarf_entry *e, const struct attribute_value *v)
{
    if (v->is_block) {
        e->has_location = true;
        e->location = v->block;
        e->location_bytes = v->block_bytes;
    } else if (v->is_offset) {
        const struct cursor c = cursor_at(&r->section[CW_SECTION_LOC], v->number);
        e->has_list = !c.is_over;
        e->location = c.at;
        e->location_bytes = (uint32_t)(c.end - c.at);
    }
}

/* Attributes that are numbers and nothing else: which member of an entry they become. */
static const struct {
    uint16_t attribute;
    uint8_t at, is_wide;
} numbers[] = {{AT_BYTES, offsetof(struct cw_dwarf_entry, bytes), 1},         {AT_BIT, offsetof(struct cw_dwarf_entry, bit), 0},
               {AT_BITS, offsetof(struct cw_dwarf_entry, bits), 0},           {AT_LOW, offsetof(struct cw_dwarf_entry, low), 1},
               {AT_SPACE, offsetof(struct cw_dwarf_entry, space), 0},         {AT_CALL_FILE, offsetof(struct cw_dwarf_entry, call_file), 0},
               {AT_CALL_LINE, offsetof(struct cw_dwarf_entry, call_line), 0}, {AT_ENCODING, offsetof(struct cw_dwarf_entry, encoding), 0}};

static bool keep_number(struct cw_dwarf_entry *e, uint64_t attribute, uint64_t value)
{
    const uint32_t low = (uint32_t)value;
    for (uint32_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].attribute == attribute) {
            memcpy((uint8_t *)e + numbers[i].at, numbers[i].is_wide ? (const void *)&value : &low, numbers[i].is_wide ? 8 : 4);
            return true;
        }
    return false;
}

static void keep(struct reader *r, struct cw_dwarf_entry *e, uint64_t attribute, const struct attribute_value *v)
{
    /* Of a reference the offset in .debug_info; settle() makes the entry's number of it. */
    const uint32_t referred = (uint32_t)(v->number + r->unit < UINT32_MAX ? v->number + r->unit : 0);
    if (keep_number(e, attribute, v->number))
        return;
    switch (attribute) {
    case AT_NAME:
        e->name = v->text;
        break;
    case AT_LOCATION:
        keep_location(r, e, v);
        break;
    case AT_LOW_BIT:
        e->low_bit = (uint32_t)v->number;
        e->has_low_bit = true;
        break;
    case AT_HIGH:
        e->high = v->is_address ? v->number : e->low + v->number;
        break;
    case AT_VALUE:
        e->value = (int64_t)v->number;
        e->has_value = !v->is_block;
        break;
    case AT_UPPER:
    case AT_COUNT:
        e->count = v->is_block ? 0 : v->number + (attribute == AT_UPPER);
        break;
    case AT_MEMBER:
        e->member = member_offset(v);
        break;
    case AT_DECLARATION:
        e->is_declaration = v->number != 0;
        break;
    case AT_TYPE:
        e->type = referred;
        break;
    case AT_ORIGIN:
    case AT_SPECIFICATION:
        e->origin = referred;
        break;
    default:
        break;
    }
}

/* ---- entries ---- */

/* Where the abbreviations of a unit stand. */
static void find_abbreviations(struct reader *r, uint64_t offset)
{
    struct cursor c = cursor_at(&r->section[CW_SECTION_ABBREV], offset);
    memset(r->abbrev, 0, CODES_MOST * sizeof *r->abbrev);
    while (!c.is_over) {
        const uint64_t code = leb(&c, false);
        if (code == 0 && !c.is_over)
            return;
        if (code < CODES_MOST)
            r->abbrev[code] = (uint32_t)(c.at - r->section[CW_SECTION_ABBREV].at);
        leb(&c, false); /* tag */
        number(&c, 1);  /* whether it has children */
        for (;;) {
            const uint64_t attribute = leb(&c, false), form = leb(&c, false);
            if ((attribute == 0 && form == 0) || c.is_over)
                break;
        }
    }
    r->wrong = "the abbreviations of its debug information are cut off";
}

static struct cw_dwarf_entry *new_entry(struct reader *r)
{
    struct cw_dwarf *w = r->w;
    if (w->entry_cnt == r->room) {
        const uint32_t room = r->room == 0 ? 1024 : 2 * r->room;
        struct cw_dwarf_entry *more = room > r->room ? realloc(w->entry, room * sizeof *more) : NULL;
        if (more == NULL) {
            r->wrong = "there is no memory for its debug information";
            return NULL;
        }
        w->entry = more;
        r->room = room;
    }
    w->entry[w->entry_cnt] = (struct cw_dwarf_entry){0};
    return &w->entry[w->entry_cnt++];
}

/* One entry, without its children. Whether it has some. */
static bool take_entry(struct reader *r, struct cursor *c, uint64_t code, uint32_t offset, uint32_t parent)
{
    struct cursor a = cursor_at(&r->section[CW_SECTION_ABBREV], code < CODES_MOST ? r->abbrev[code] : 0);
    struct attribute_value v;
    if (code >= CODES_MOST || r->abbrev[code] == 0) {
        r->wrong = "its debug information has an entry without an abbreviation";
        return false;
    }
    struct cw_dwarf_entry *e = new_entry(r);
    if (e == NULL)
        return false;
    e->tag = (uint16_t)leb(&a, false);
    e->offset = offset;
    e->parent = parent;
    const bool has_children = number(&a, 1) != 0;
    for (;;) {
        const uint64_t attribute = leb(&a, false), form = leb(&a, false);
        if (attribute == 0 && form == 0)
            return has_children;
        if (!take_value(r, c, form, &v) || c->is_over || a.is_over) {
            r->wrong =
                c->is_over || a.is_over ? "its debug information is cut off" : "its debug information is of a form that is not known here";
            return false;
        }
        keep(r, e, attribute, &v);
    }
}

/* The entries of a unit, up to its end. */
static void take_entries(struct reader *r, struct cursor *c, const uint8_t *begin)
{
    struct cw_dwarf *w = r->w;
    uint32_t open[CW_DWARF_DEPTH], depth = 0;
    while (c->at < c->end && r->wrong == NULL) {
        const uint32_t offset = (uint32_t)(c->at - begin);
        const uint64_t code = leb(c, false);
        if (code == 0) {
            if (depth > 0)
                w->entry[open[--depth]].end = w->entry_cnt;
            continue;
        }
        const bool has_children = take_entry(r, c, code, offset, depth > 0 ? open[depth - 1] : 0);
        if (r->wrong != NULL)
            return;
        w->entry[w->entry_cnt - 1].end = w->entry_cnt;
        if (has_children && depth == CW_DWARF_DEPTH)
            r->wrong = "its debug information is too deep";
        else if (has_children)
            open[depth++] = w->entry_cnt - 1;
    }
    while (depth > 0)
        w->entry[open[--depth]].end = w->entry_cnt;
}

static void take_units(struct reader *r)
{
    const struct cw_section_bytes *info = &r->section[CW_SECTION_INFO];
    struct cursor all = cursor_at(info, 0);
    new_entry(r); /* [0] */
    while (all.at < all.end && r->wrong == NULL) {
        r->unit = (uint32_t)(all.at - info->at);
        const uint64_t bytes = number(&all, 4);
        struct cursor c = all;
        if (bytes > (uint64_t)(all.end - all.at)) {
            r->wrong = "its debug information is cut off";
            return;
        }
        c.end = all.at + bytes;
        all.at = c.end;
        r->version = (uint32_t)number(&c, 2);
        const uint64_t abbreviations = number(&c, 4);
        r->wide = (uint32_t)number(&c, 1);
        if (r->version < 2 || r->version > 4 || (r->wide != 4 && r->wide != 8)) {
            r->wrong = "its debug information is of a version of DWARF other than 2 to 4";
            return;
        }
        find_abbreviations(r, abbreviations);
        take_entries(r, &c, info->at);
    }
}

/* The number of the entry at an offset; 0: there is none. */
static uint32_t entry_at(const struct cw_dwarf *w, uint32_t offset)
{
    uint32_t low = 1, high = w->entry_cnt;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (w->entry[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->entry_cnt && w->entry[low].offset == offset ? low : 0;
}

static bool is_of_code(uint16_t tag)
{
    return tag == CW_TAG_FUNCTION || tag == CW_TAG_INLINED || tag == CW_TAG_BLOCK;
}

/* References become entries; what is often sought gets lists. */
static void settle(struct reader *r)
{
    struct cw_dwarf *w = r->w;
    w->function = calloc(w->entry_cnt, sizeof *w->function);
    w->variable = calloc(w->entry_cnt, sizeof *w->variable);
    if (w->function == NULL || w->variable == NULL) {
        r->wrong = "there is no memory for its debug information";
        return;
    }
    for (uint32_t i = 1; i < w->entry_cnt; i++) {
        struct cw_dwarf_entry *e = &w->entry[i];
        e->type = e->type != 0 ? entry_at(w, e->type) : 0;
        e->origin = e->origin != 0 ? entry_at(w, e->origin) : 0;
        if (e->tag == CW_TAG_FUNCTION && e->high != 0)
            w->function[w->function_cnt++] = i;
        if (e->tag == CW_TAG_VARIABLE && e->has_location && !is_of_code(w->entry[e->parent].tag))
            w->variable[w->variable_cnt++] = i;
    }
}

struct cw_dwarf *cw_dwarf_read(const char *text, const char **why)
{
    struct reader r = {0};
    *why = "its text has no types; nvcc -G writes them";
    if (text == NULL || strstr(text, ".debug_info") == NULL)
        return NULL;
    r.wrong = cw_sections_read(text, r.section);
    if (r.wrong == NULL) {
        r.w = calloc(1, sizeof *r.w);
        r.abbrev = calloc(CODES_MOST, sizeof *r.abbrev);
        if (r.w == NULL || r.abbrev == NULL)
            r.wrong = "there is no memory for its debug information";
        else
            take_units(&r);
        if (r.wrong == NULL)
            settle(&r);
    }
    for (uint32_t i = 0; i < CW_SECTIONS; i++) {
        if (r.w != NULL)
            r.w->section[i] = r.section[i].at;
        else
            free(r.section[i].at);
    }
    free(r.abbrev);
    if (r.wrong != NULL) {
        *why = r.wrong;
        cw_dwarf_free(r.w);
        return NULL;
    }
    r.w->text = text;
    return r.w;
}

void cw_dwarf_free(struct cw_dwarf *w)
{
    if (w == NULL)
        return;
    for (uint32_t i = 0; i < CW_SECTIONS; i++)
        free(w->section[i]);
    free(w->function);
    free(w->variable);
    free(w->entry);
    free(w);
}

/* ---- who is where ---- */

static bool holds(const struct cw_dwarf_entry *e, uint32_t line)
{
    if (e->tag == CW_TAG_BLOCK && e->high == 0) /* as much as what it is in */
        return true;
    return is_of_code(e->tag) && e->low <= line && line < e->high;
}

uint32_t cw_dwarf_around(const struct cw_dwarf *w, uint32_t line, uint32_t chain[CW_DWARF_DEPTH])
{
    uint32_t found = 0, cnt = 0;
    for (uint32_t i = 0; i < w->function_cnt && found == 0; i++)
        if (holds(&w->entry[w->function[i]], line))
            found = w->function[i];
    const uint32_t end = w->entry[found].end;
    for (uint32_t i = found + 1; found != 0 && i < end;) {
        if (holds(&w->entry[i], line)) {
            found = i++;
            continue;
        }
        i = w->entry[i].end > i ? w->entry[i].end : i + 1; /* none of its children is there */
    }
    for (; found != 0 && cnt < CW_DWARF_DEPTH; found = w->entry[found].parent) {
        if (!is_of_code(w->entry[found].tag))
            break;
        chain[cnt++] = found;
    }
    return cnt;
}

const char *cw_dwarf_name(const struct cw_dwarf *w, uint32_t entry)
{
    for (uint32_t i = 0; entry != 0 && i < CW_DWARF_DEPTH; i++, entry = w->entry[entry].origin)
        if (w->entry[entry].name != NULL)
            return w->entry[entry].name;
    return NULL;
}

uint32_t cw_dwarf_type(const struct cw_dwarf *w, uint32_t entry)
{
    for (uint32_t i = 0; entry != 0 && i < CW_DWARF_DEPTH; i++, entry = w->entry[entry].origin)
        if (w->entry[entry].type != 0)
            return w->entry[entry].type;
    return 0;
}

/* ---- locations ---- */

static void set_register(struct cw_dwarf_location *l, uint64_t name)
{
    uint32_t length = 0;
    for (int shift = 56; shift >= 0; shift -= 8)
        if ((name >> shift & 0xff) != 0)
            l->reg[length++] = (char)(name >> shift & 0xff);
    l->reg[length] = '\0';
}

static void set_name(const struct cw_dwarf *w, struct cw_dwarf_location *l, uint64_t address)
{
    if ((address & CW_DWARF_SYMBOL) == 0)
        return;
    l->where = CW_DWARF_AT_NAME;
    l->name = w->text + (address & ~CW_DWARF_SYMBOL);
    l->name_length = (uint32_t)cw_section_word(l->name);
}

/* Constants: whether the operation is one, and its value. */
static bool constant(struct cursor *c, uint64_t op, uint64_t *value)
{
    if (op >= OP_LIT0 && op <= OP_LIT31) {
        *value = op - OP_LIT0;
    } else if (op >= OP_CONST1U && op <= OP_CONST8S) {
        const uint32_t bytes = 1u << (op - OP_CONST1U) / 2, shift = 64 - 8 * bytes;
        const uint64_t bits = number(c, bytes);
        *value = (op & 1) != 0 ? (uint64_t)((int64_t)(bits << shift) >> shift) : bits;
    } else if (op == OP_CONSTU || op == OP_CONSTS) {
        *value = leb(c, op == OP_CONSTS);
    } else {
        return false;
    }
    return true;
}

/* An expression of the shapes that compilers of PTX write; another one is unread. */
static void evaluate(const struct cw_dwarf *w, const uint8_t *at, uint32_t bytes, struct cw_dwarf_location *l)
{
    struct cursor c = {.at = at, .end = at + bytes};
    while (c.at < c.end && !c.is_over) {
        const uint64_t op = number(&c, 1);
        uint64_t value = 0;
        const bool is_first = l->where == CW_DWARF_NOWHERE;
        if (is_first && op == OP_ADDR) {
            set_name(w, l, number(&c, (uint32_t)(c.end - c.at < 8 ? 4 : 8)));
        } else if (is_first && (op == OP_REGX || op == OP_BREGX)) {
            l->where = op == OP_REGX ? CW_DWARF_IN_REGISTER : CW_DWARF_BY_REGISTER;
            set_register(l, leb(&c, false));
            l->offset = op == OP_BREGX ? leb(&c, true) : 0;
        } else if (is_first && constant(&c, op, &value)) {
            l->where = CW_DWARF_CONSTANT;
            l->value = value;
        } else if (!is_first && op == OP_PLUS_UCONST && l->where != CW_DWARF_IN_REGISTER) {
            value = leb(&c, false);
            l->offset += value;
            l->value += value;
        } else if (op != OP_STACK_VALUE || l->where != CW_DWARF_CONSTANT) {
            l->where = CW_DWARF_UNREAD;
            return;
        }
    }
    if (c.is_over)
        l->where = CW_DWARF_UNREAD;
}

/* The one of a list that holds for the line. */
static void choose(const struct cw_dwarf *w, const struct cw_dwarf_entry *e, uint32_t line, struct cw_dwarf_location *l)
{
    struct cursor c = {.at = e->location, .end = e->location + e->location_bytes};
    while (!c.is_over) {
        const uint64_t low = number(&c, 8), high = number(&c, 8);
        if (c.is_over || (low == 0 && high == 0))
            return;
        const uint64_t bytes = number(&c, 2);
        if (c.is_over || bytes > (uint64_t)(c.end - c.at))
            return;
        if (low <= line && line < high) {
            evaluate(w, c.at, (uint32_t)bytes, l);
            return;
        }
        c.at += bytes;
    }
}

void cw_dwarf_locate(const struct cw_dwarf *w, uint32_t entry, uint32_t line, struct cw_dwarf_location *location)
{
    const struct cw_dwarf_entry *e = &w->entry[entry];
    *location = (struct cw_dwarf_location){0};
    if (e->has_location) {
        evaluate(w, e->location, e->location_bytes, location);
    } else if (e->has_list) {
        choose(w, e, line, location);
    } else if (e->has_value) {
        location->where = CW_DWARF_CONSTANT;
        location->value = (uint64_t)e->value;
    } else if (e->origin != 0 && w->entry[e->origin].has_value) {
        location->where = CW_DWARF_CONSTANT;
        location->value = (uint64_t)w->entry[e->origin].value;
    }
}
