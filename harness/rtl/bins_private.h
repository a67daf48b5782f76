/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of bins as a program: rules, in the order in which a cycle carries them out. Each rule has an expression for a stack machine.
 *
 * Private to: bins.c, bin_text.c.
 */
#ifndef CW_HARNESS_BINS_PRIVATE_H
#define CW_HARNESS_BINS_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bins.h"

#define BIN_STACK 32u /* values of an expression at a time */

enum bin_op {
    BIN_CONST, /* operand: the value */
    BIN_PORT,  /* operand: index of the port */
    BIN_WORD,  /* operand: index of the port; takes the number of the word */
    BIN_PARAM, /* operand: index of the parameter */
    BIN_VALUE, /* operand: slot */
    BIN_NOT,
    BIN_INVERT,
    BIN_NEGATE,
    BIN_ONES, /* bits that are 1 */
    BIN_MUL,
    BIN_DIV, /* by 0: 0 */
    BIN_MOD, /* by 0: 0 */
    BIN_ADD,
    BIN_SUB,
    BIN_SHL, /* by 64 and more: 0, as the next */
    BIN_SHR,
    BIN_LT,
    BIN_LE,
    BIN_GT,
    BIN_GE,
    BIN_EQ,
    BIN_NE,
    BIN_AND,
    BIN_XOR,
    BIN_OR,
    BIN_BOTH,
    BIN_EITHER,
    BIN_CHOOSE /* takes condition, first, second */
};

struct bin_insn {
    enum bin_op op;
    uint64_t operand;
};

struct bin_code {
    struct bin_insn *insn;
    uint32_t cnt;
};

enum bin_kind {
    BIN_LET,      /* slot: has the expression's value in this cycle */
    BIN_REGISTER, /* slot: has it from the next cycle on, 0 after a reset */
    BIN_COUNT     /* slot: the bin's number; counts when the value is not 0 */
};

struct bin_rule {
    enum bin_kind kind;
    uint32_t slot;
    struct bin_code code;
};

struct bin {
    char *name;
    char *hole; /* NULL: none */
    uint64_t hits;
    bool missed; /* in some cycle it was not met */
};

struct cw_bins {
    const struct cw_unit *unit;
    struct bin_rule *rule;
    uint32_t rule_cnt;
    struct bin *bin;
    uint32_t bin_cnt;
    uint32_t open_cnt; /* bins that have not got enough yet */
    uint32_t slot_cnt; /* of values */
};

/* Fills the bins, of which only the unit is set, with a file's text, which it changes. As cw_bins_open. */
int cw_bins__read(struct cw_bins *bins, char *text, const char *path, struct cw_error *err);

#endif
