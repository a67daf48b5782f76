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
    SCRIPT_COMPARE,
    SCRIPT_EXPECT /* expect NAME == N */
};

struct script_buffer {
    char *name; /* owned */
    uint64_t bytes;
    bool persistent; /* alloc pm: a region of persistent memory of this name */
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
    uint32_t number;            /* alloc fill: the word; until: most rounds; expect: the word */
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
    const char *ptx;    /* loaded before the first statement; NULL: none */
    char *text, **word; /* word: of the line that is read */
    struct script_statement *statement;
    uint32_t statement_cnt;
    struct script_buffer *buffer;
    uint32_t buffer_cnt;
    uint32_t open; /* the innermost until without an end while the text is read; UINT32_MAX: none */
};

/* A script that is carried out on one GPU. */
struct script_run {
    struct script *script;
    const struct script_statement *st; /* that is carried out; NULL: the command of --verify */
    struct cowarp_gpu *gpu;
    uint64_t *address;             /* of each buffer, 0: it is not there yet */
    struct cowarp_module **module; /* that are loaded */
    uint32_t module_cnt, comparisons;
    bool no_files;      /* none is written */
    bool set_up;        /* all of the script's files are loaded, and its buffers there */
    char message[8192]; /* what the script says of the status; "": the library's error counts */
};

/* What follows a power failure. The script's launch of `recover` and what stands below it is the recovery, from the launch of `verify` on the
 * verification. What stands above is the program. Statement numbers. */
struct script_parts {
    uint32_t recover, verify; /* verify: that of the end, when a command verifies or nothing does */
    const char *command;      /* that verifies, for a shell; NULL: none */
};

/* script_read.c. Reads the file. CLI_OK or an exit status, the error printed as FILE:LINE. In any case the caller frees it. ptx: what the
 * command line loads before it, or NULL. */
int cli_script_read(struct script *s, const char *path, const char *ptx);
void cli_script_free(struct script *s);

/* script.c. CLI_OK or CLI_FAILED, the error printed; end it in any case. */
int cli_script_begin(struct script_run *x, struct script *script, struct cowarp_gpu *gpu);
void cli_script_end(struct script_run *x);
/* Statements from .. to - 1; a status of libcowarp. With an error, x->st is the statement, and cli_script_why says what is wrong. */
int cli_script_carry_out(struct script_run *x, uint32_t from, uint32_t to);
/* Those of statements 0 .. to - 1 that a program begins with after a failure, too: files loaded, and what the host has put into memory that
 * is not persistent. May be called again for the next failure. */
int cli_script_set_up(struct script_run *x, uint32_t to);
const char *cli_script_why(const struct script_run *x);

/* script_parts.c */
/* cowarp exec --script FILE. */
int cli_script_run(const struct cli_parsed *p);
/* The script of --script, read, and whether all that it writes can be written. */
int cli_script_open(struct script *s, const struct cli_parsed *p);
/* Of --recover and --verify; CLI_OK or CLI_WRONG, the error printed. */
int cli_script_find_parts(struct script_parts *parts, const struct script *s, const struct cli_parsed *p);
/* The GPU has nothing but an image: recovers as the phase "recovery", and verifies. A status of libcowarp; *cycles: what the recovery took.
 */
int cli_script_recover(struct script_run *x, const struct script_parts *parts, uint64_t *cycles);
/* Where it is, for a message: "FILE:LINE". */
void cli_script_place(const struct script_run *x, char *place, size_t bytes);

#endif
