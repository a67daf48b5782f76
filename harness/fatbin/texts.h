/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All PTX of a file that nvcc has made: a fatbinary, an object file, a library or a program. A file has one container for each source file
 * of its program, and each of those has one PTX that counts here, that of its newest architecture.
 */
#ifndef CW_HARNESS_FATBIN_TEXTS_H
#define CW_HARNESS_FATBIN_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cw_fatbin_one {
    char *text; /* ends in a NUL */
    size_t length;
    char *name; /* "program#2.ptx": the second container of `program` */
    uint32_t architecture;
};

struct cw_fatbin_texts {
    struct cw_fatbin_one *one;
    uint32_t cnt;
};

/* Whether such a file begins like this. */
bool cw_fatbin_texts_are(const void *data, size_t length);
/* The caller frees *texts, after an error too. CW_EINVAL: damaged, or without a container; CW_EUNSUP: with machine code only; CW_ENOMEM. */
int cw_fatbin_texts_read(struct cw_fatbin_texts *texts, const void *data, size_t length, const char *name, struct cw_error *err);
void cw_fatbin_texts_free(struct cw_fatbin_texts *texts);
/* Whether a kernel of that name begins in the text. */
bool cw_fatbin_has_kernel(const char *text, const char *kernel);

#ifdef __cplusplus
}
#endif
#endif
