/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are read as a whole. */
#ifndef CW_HARNESS_FILE_IN_FILE_H
#define CW_HARNESS_FILE_IN_FILE_H

#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_IN_FILE_MAX_BYTES ((size_t)1 << 30)

/* *data is *length bytes, which the caller frees. CW_EIO, CW_ENOMEM, or CW_EINVAL for a file of more than
 * CW_IN_FILE_MAX_BYTES. */
int cw_in_file_read(char **data, size_t *length, const char *path, struct cw_error *err);

#ifdef __cplusplus
}
#endif
#endif
