/* SPDX-License-Identifier: Apache-2.0 */
/* A stream that writes gzip into another one. */
#ifndef CW_HARNESS_FILE_GZIP_H
#define CW_HARNESS_FILE_GZIP_H

#include <stdio.h>

/* What is written into it comes into `out`, compressed, at fclose at the latest; `out` stays open and the caller's. fclose says EOF when anything
 * has failed. NULL: out of memory. */
FILE *cw_gzip_open(FILE *out);

#endif
