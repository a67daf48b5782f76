/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a compiler says of a program's variables and types: DWARF 2 to 4, as nvcc -G and clang -g write it into the text of the PTX. There it is
 * unlinked: sections are lists of numbers, and an address is the name of a label or of a variable. So no library for object files can read it.
 *
 * Here a label of the code is the line of the PTX that it stands in, a variable a place of its name in the text, and a register its own name,
 * as CUDA's ABI of debuggers has it: the characters of %r1, the first one the highest byte, are the number of the register.
 *
 * All that is read of the text is checked: a text that is cut off, or goes round in circles, is refused or gives less.
 */
#ifndef CW_DEBUGGER_DWARF_H
#define CW_DEBUGGER_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CW_DWARF_SYMBOL (UINT64_C(1) << 62) /* in an address: the rest is where the name of a variable stands in the text */
#define CW_DWARF_DEPTH  64u                 /* most types, blocks or functions inside each other that are followed */

enum cw_dwarf_tag {
    CW_TAG_ARRAY = 0x01,
    CW_TAG_CLASS = 0x02,
    CW_TAG_ENUM = 0x04,
    CW_TAG_FORMAL = 0x05,
    CW_TAG_BLOCK = 0x0b,
    CW_TAG_MEMBER = 0x0d,
    CW_TAG_POINTER = 0x0f,
    CW_TAG_REFERENCE = 0x10,
    CW_TAG_UNIT = 0x11,
    CW_TAG_STRUCT = 0x13,
    CW_TAG_TYPEDEF = 0x16,
    CW_TAG_UNION = 0x17,
    CW_TAG_BASE_CLASS = 0x1c,
    CW_TAG_INLINED = 0x1d,
    CW_TAG_SUBRANGE = 0x21,
    CW_TAG_BASE = 0x24,
    CW_TAG_CONST = 0x26,
    CW_TAG_ENUMERATOR = 0x28,
    CW_TAG_FUNCTION = 0x2e,
    CW_TAG_VARIABLE = 0x34,
    CW_TAG_VOLATILE = 0x35,
    CW_TAG_RESTRICT = 0x37,
    CW_TAG_RVALUE_REFERENCE = 0x42
};

/* One entry; entries stand in the order of the text, an entry's children behind it. */
struct cw_dwarf_entry {
    uint16_t tag;
    bool has_list;                 /* its location is a list of them */
    bool has_location;             /* or there is one location, */
    bool has_value;                /* or a constant, */
    bool is_declaration;           /* or the place is elsewhere */
    uint32_t offset;               /* in .debug_info */
    uint32_t parent, end;          /* the children are some of those before end */
    uint32_t type;                 /* another entry; 0: void, or none is said */
    uint32_t origin;               /* the entry that says what this one does not; 0: none */
    const char *name;              /* NULL: it has none */
    uint64_t low, high;            /* lines of the PTX: low .. high - 1; high 0: none are said */
    uint64_t bytes, count, member; /* size; elements, 0: not said; offset of a member */
    uint32_t bits, bit;            /* of a bit field, and how many are above it in bytes of storage, as DWARF 2 counts */
    uint32_t low_bit;              /* as DWARF 4 counts: from the structure's begin */
    bool has_low_bit;
    uint32_t call_file, call_line; /* of an inlined function: where it is called, as .file and .loc number it */
    uint32_t encoding, space;      /* as DWARF and CUDA number them; 0: not said */
    int64_t value;
    const uint8_t *location; /* an expression; of a list: the list, which ends before .debug_loc does */
    uint32_t location_bytes;
};

struct cw_dwarf {
    const char *text;
    struct cw_dwarf_entry *entry; /* [0] is none */
    uint32_t entry_cnt;
    uint32_t *function; /* owned: entries of functions that have code */
    uint32_t function_cnt;
    uint32_t *variable; /* owned: entries of variables of the module that have a place */
    uint32_t variable_cnt;
    uint8_t *section[5]; /* owned */
};

/* NULL, and *why says why in a line: the text has none, or it cannot be read. text outlives the result. */
struct cw_dwarf *cw_dwarf_read(const char *text, const char **why);
void cw_dwarf_free(struct cw_dwarf *w);

/* The function, the blocks and the inlined calls that a line of the PTX is in, the innermost first. How many, at most CW_DWARF_DEPTH. */
uint32_t cw_dwarf_around(const struct cw_dwarf *w, uint32_t line, uint32_t chain[CW_DWARF_DEPTH]);
/* The name of an entry, or of the one that it comes from; NULL: it has none. */
const char *cw_dwarf_name(const struct cw_dwarf *w, uint32_t entry);
/* Its type, or that of the one that it comes from; 0: none is said. */
uint32_t cw_dwarf_type(const struct cw_dwarf *w, uint32_t entry);

enum cw_dwarf_where { CW_DWARF_NOWHERE, CW_DWARF_UNREAD, CW_DWARF_AT_NAME, CW_DWARF_IN_REGISTER, CW_DWARF_BY_REGISTER, CW_DWARF_CONSTANT };

/* Where a variable is while an instruction of that line is the next one. */
struct cw_dwarf_location {
    enum cw_dwarf_where where;
    const char *name; /* AT_NAME: of a variable, in the text: name_length characters */
    uint32_t name_length;
    char reg[9];     /* IN_REGISTER: it is the register; BY_REGISTER: the register is its address */
    uint64_t offset; /* from there on */
    uint64_t value;  /* CONSTANT */
};
void cw_dwarf_locate(const struct cw_dwarf *w, uint32_t entry, uint32_t line, struct cw_dwarf_location *location);

#endif
