/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are read as a whole. */
#ifndef CW_HARNESS_FILE_IN_FILE_H
#define CW_HARNESS_FILE_IN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_IN_FILE_MAX_BYTES ((size_t)1 << 30)

/* *data is *length bytes, which the caller frees. A pipe is read up to its end. CW_EIO, CW_ENOMEM; CW_EINVAL for a file of more than
 * CW_IN_FILE_MAX_BYTES, and for a device that does not end soon; CW_ELIMIT when a signal with a handler comes while a pipe's writer is waited
 * for. */
int cw_in_file_read(char **data, size_t *length, const char *path, struct cw_error *err);
/* The same with another bound. */
int cw_in_file_read_most(char **data, size_t *length, const char *path, uint64_t most, struct cw_error *err);
/* The first so many bytes of a file, a pipe or a device. CW_EINVAL when there are fewer. */
int cw_in_file_read_bytes(char **data, const char *path, size_t bytes, struct cw_error *err);
/* Whether there is such a file, and it is none of which a byte can be read once only, as of a pipe or a device. */
bool cw_in_file_is_regular(const char *path);

#ifdef __cplusplus
}
#endif
#endif
