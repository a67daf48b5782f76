/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All PTX of a file that nvcc has made: a fatbinary, an object file, a library or a program. A file has one container for each source file
 * of its program, and each of those has one PTX that counts here, that of its newest architecture. Files compiled with -rdc=true are linked.
 */
#ifndef CW_HARNESS_FATBIN_TEXTS_H
#define CW_HARNESS_FATBIN_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "fatbin/fatbin.h"

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
/* What was compiled with -rdc=true, linked to one text (link.h), which the caller frees with the name, after an error too. A container counts with
 * its newest PTX for no newer architecture than all have; one without, such as the toolkit's library of the device, is left out. `name` is the
 * text's. CW_EUNSUP: none has PTX; CW_EINVAL: damaged, or they cannot be linked; CW_ENOMEM. */
int cw_fatbin_texts_link(struct cw_fatbin_one *one, const struct cw_fatbin *f, uint32_t cnt, const char *name, struct cw_error *err);
void cw_fatbin_texts_free(struct cw_fatbin_texts *texts);
/* Whether a kernel of that name begins in the text. */
bool cw_fatbin_has_kernel(const char *text, const char *kernel);

#ifdef __cplusplus
}
#endif
#endif
