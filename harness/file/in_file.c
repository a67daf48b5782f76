/* SPDX-License-Identifier: Apache-2.0 */
#include "file/in_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cw_in_file_read(char **data, size_t *length, const char *path, struct cw_error *err)
{
    size_t capacity = 1u << 16, used = 0;
    int status = CW_OK;
    FILE *f = fopen(path, "rb");
    *data = NULL;
    if (f == NULL)
        return cw_fail(err, CW_EIO, "%s: cannot be opened: %s", path, strerror(errno));
    char *buffer = malloc(capacity);
    while (buffer != NULL) {
        used += fread(buffer + used, 1, capacity - used, f);
        if (used < capacity)
            break;
        capacity *= 2;
        char *larger = capacity <= CW_IN_FILE_MAX_BYTES ? realloc(buffer, capacity) : NULL;
        if (larger == NULL)
            free(buffer);
        buffer = larger;
    }
    if (capacity > CW_IN_FILE_MAX_BYTES)
        status = cw_fail(err, CW_EINVAL, "%s: larger than %zu MiB", path, CW_IN_FILE_MAX_BYTES >> 20);
    else if (buffer == NULL)
        status = cw_fail(err, CW_ENOMEM, "%s: out of memory", path);
    else if (ferror(f))
        status = cw_fail(err, CW_EIO, "%s: cannot be read: %s", path, strerror(errno));
    fclose(f);
    if (status != CW_OK) {
        free(buffer);
        return status;
    }
    *data = buffer;
    *length = used;
    return CW_OK;
}
