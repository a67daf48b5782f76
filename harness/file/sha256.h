/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 digests in hexadecimal (FIPS 180-4), by libmd. */
#ifndef CW_HARNESS_FILE_SHA256_H
#define CW_HARNESS_FILE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CW_SHA256_TEXT 65u /* 64 digits and the final 0 */

void cw_sha256_bytes(char text[CW_SHA256_TEXT], const void *data, size_t length);

/* Of a file of any size; *bytes is its size. 0, or CW_EIO when it cannot be read: *bytes is 0 and text is empty then. */
int cw_sha256_file(char text[CW_SHA256_TEXT], uint64_t *bytes, const char *path, struct cw_error *err);

#endif
