/* SPDX-License-Identifier: Apache-2.0 */
/* One argument of a kernel, as a command line or a script says it: u32:5, in:data.bin, out:result.bin:4096, local:256. */
#ifndef CW_HARNESS_CLI_ARGUMENT_H
#define CW_HARNESS_CLI_ARGUMENT_H

#include "cli.h"

#define CLI_FILE_MAX_BYTES (UINT64_C(1) << 34)

enum cli_argument_kind { CLI_VALUE, CLI_BUFFER, CLI_BYTES, CLI_PERSISTENT };

struct cli_argument {
    char *place; /* begins each error about it: "--arg 'u32:x'"; owned */
    const char *text;
    enum cli_argument_kind kind;
    struct cowarp_arg value;      /* what the kernel gets; of all but CLI_VALUE after cli_argument_bind */
    struct cowarp_bytes by_value; /* CLI_BYTES */
    char *name;                   /* CLI_PERSISTENT, and of --symbol; owned */
    char *path;                   /* in, out, inout, bytes: the file; owned; NULL: zero, version */
    bool reads, writes;           /* the file */
    bool written;                 /* it has been */
    bool versioned;               /* CLI_BUFFER: has versions, and is not given back */
    uint64_t bytes, address;      /* on the device */
    void *data;                   /* of the file; owned */
};

/* All of these that return an int but for bind and fetch: CLI_OK or an exit status, the error printed. */
/* The text's meaning, the bytes of files that are read, and whether those that are written can be: what is wrong before a simulation. */
int cli_argument_prepare(struct cli_argument *a);
/* The bytes of the file a->path. */
int cli_argument_read(struct cli_argument *a);
/* Device memory, and a->value. A status of libcowarp. */
int cli_argument_bind(struct cli_argument *a, struct cowarp_gpu *gpu);
/* After the kernel: what is to be written, from the device. A status of libcowarp. */
int cli_argument_fetch(struct cli_argument *a, struct cowarp_gpu *gpu);
/* The file that is to be written, if there is one. */
int cli_argument_write(struct cli_argument *a);
/* Gives the device memory back that bind has taken; regions of persistent memory stay. */
void cli_argument_release(struct cli_argument *a, struct cowarp_gpu *gpu);
void cli_argument_free(struct cli_argument *a);

/* printf into memory that the caller frees; NULL: out of memory. */
char *cli_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* X, X,Y or X,Y,Z, numbers from 1 on. place begins the error. */
int cli_shape(const char *place, const char *text, uint32_t shape[3]);
/* A 64-bit real number, whole text. */
bool cli_real(const char *text, double *value);

#endif
