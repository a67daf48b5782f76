/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts of `cowarp exec --script`: the language is in docs/command.md. */
#ifndef CW_HARNESS_CLI_SCRIPT_H
#define CW_HARNESS_CLI_SCRIPT_H

#include "argument.h"

enum script_verb {
    SCRIPT_LOAD,
    SCRIPT_ALLOC,
    SCRIPT_READ,  /* copy NAME from FILE */
    SCRIPT_WRITE, /* copy NAME to FILE */
    SCRIPT_SET,
    SCRIPT_SYMBOL, /* symbol NAME from FILE */
    SCRIPT_LAUNCH,
    SCRIPT_UNTIL,
    SCRIPT_END,
    SCRIPT_COMPARE
};

struct script_buffer {
    char *name; /* owned */
    uint64_t bytes, address;
};

#define SCRIPT_NO_BUFFER UINT32_MAX

/* An argument that is the address of a buffer, or, with SCRIPT_NO_BUFFER, one of the kinds of --arg. */
struct script_argument {
    struct cli_argument a;
    uint32_t buffer;
    uint64_t offset;
};

/* A value of set or symbol: a 32-bit word, or the address of a buffer, 8 bytes. */
struct script_value {
    uint32_t buffer; /* SCRIPT_NO_BUFFER: the word `number` */
    uint64_t offset; /* in the buffer */
    uint32_t number;
};

struct script_statement {
    enum script_verb verb;
    uint32_t line;              /* from 1 on */
    uint32_t buffer;            /* that it is about */
    uint64_t offset;            /* in it, bytes */
    char *file;                 /* load, copy, compare, alloc from; owned */
    bool versions;              /* alloc version */
    bool has_number;            /* alloc fill */
    uint32_t number;            /* alloc fill: the word; until: most rounds */
    struct script_value *value; /* set, symbol address: one after the other; owned */
    uint32_t value_cnt;
    bool is_float; /* compare */
    double tolerance;
    uint32_t partner; /* until: index of its end; end: index of its until */
    uint32_t rounds;  /* until: that have begun */
    char *name;       /* launch: the kernel; symbol: the variable; owned */
    uint32_t grid[3], block[3], shared_bytes, registers;
    struct script_argument *argument; /* owned */
    uint32_t argument_cnt;
};

struct script {
    const char *path;
    char *text, **word; /* word: of the line that is read */
    struct script_statement *statement;
    uint32_t statement_cnt;
    struct script_buffer *buffer;
    uint32_t buffer_cnt;
    uint32_t open; /* the innermost until without an end while the text is read; UINT32_MAX: none */
};

/* Reads the file. CLI_OK or an exit status, the error printed as FILE:LINE. In any case the caller frees it. */
int cli_script_read(struct script *s, const char *path);
void cli_script_free(struct script *s);

/* cowarp exec --script FILE. */
int cli_script_run(const struct cli_parsed *p);

#endif
