/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PTX of several files that were compiled to be linked (nvcc -rdc=true), as one text. Names are joined by nvlink's rules: .visible is defined
 * once and seen by all, of .weak and .common one definition remains, .extern is what another file defines, and all else is the file's own.
 */
#ifndef CW_HARNESS_FATBIN_LINK_H
#define CW_HARNESS_FATBIN_LINK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cw_link_unit {
    const char *text; /* ends in a NUL */
    const char *name; /* for errors */
};

/* *text: the units one behind the other under one header, `*length` bytes and a NUL, which the caller frees. A file's own name that another has
 * too becomes another one there, and its numbers of source files follow those of the units before it. What nobody defines stays a declaration.
 * CW_EINVAL: a name is defined twice, or with another size; CW_ENOMEM. */
int cw_fatbin_link(char **text, size_t *length, const struct cw_link_unit *unit, uint32_t cnt, struct cw_error *err);

#endif
