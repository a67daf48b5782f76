/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* O_CLOEXEC */
#include "file/in_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_BYTES ((size_t)1 << 16)

/* What is read. */
struct source {
    const char *path;
    int file;
    bool is_device;
};

/* A pipe is opened without waiting for its writer: open() would go on waiting after a signal, poll() does not. */
static int open_source(struct source *s, const char *path, uint64_t most, struct cw_error *err)
{
    struct stat st;
    *s = (struct source){.path = path, .file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    if (s->file < 0)
        return cw_fail(err, CW_EIO, "%s: cannot be opened: %s", path, strerror(errno));
    const bool known = fstat(s->file, &st) == 0;
    s->is_device = known && S_ISCHR(st.st_mode) && !isatty(s->file);
    if (!known || !S_ISREG(st.st_mode) || (uint64_t)st.st_size <= most)
        return CW_OK;
    close(s->file);
    return cw_fail(err, CW_EINVAL, "%s: larger than %llu MiB", path, (unsigned long long)(most >> 20));
}

/* Reads up to so many bytes, fewer at the end only; a signal that has a handler ends it. */
static int read_piece(const struct source *s, char *to, size_t bytes, size_t *got, struct cw_error *err)
{
    *got = 0;
    while (*got < bytes) {
        struct pollfd wait = {.fd = s->file, .events = POLLIN};
        if (poll(&wait, 1, -1) < 0 && errno == EINTR)
            return cw_fail(err, CW_ELIMIT, "%s: interrupted while it was read", s->path);
        const ssize_t n = read(s->file, to + *got, bytes - *got);
        if (n < 0 && errno == EINTR)
            return cw_fail(err, CW_ELIMIT, "%s: interrupted while it was read", s->path);
        if (n < 0 && errno != EAGAIN)
            return cw_fail(err, CW_EIO, "%s: cannot be read: %s", s->path, strerror(errno));
        if (n == 0)
            return CW_OK;
        *got += n > 0 ? (size_t)n : 0;
    }
    return CW_OK;
}

/* Up to its end. */
static int read_whole(const struct source *s, char **data, size_t *length, uint64_t most, struct cw_error *err)
{
    size_t capacity = FIRST_BYTES, got;
    char *buffer = malloc(capacity);
    int status = buffer != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "%s: out of memory", s->path);
    *length = 0;
    while (status == CW_OK) {
        status = read_piece(s, buffer + *length, capacity - *length, &got, err);
        *length += got;
        if (status != CW_OK || *length < capacity)
            break;
        capacity *= 2;
        char *larger = s->is_device || *length > most ? NULL : realloc(buffer, capacity);
        if (s->is_device)
            status = cw_fail(err, CW_EINVAL, "%s: a device without an end; say how many bytes of it are to be read", s->path);
        else if (*length > most)
            status = cw_fail(err, CW_EINVAL, "%s: larger than %llu MiB", s->path, (unsigned long long)(most >> 20));
        else if (larger == NULL)
            status = cw_fail(err, CW_ENOMEM, "%s: out of memory", s->path);
        buffer = larger != NULL ? larger : buffer;
    }
    if (status == CW_OK && *length > most)
        status = cw_fail(err, CW_EINVAL, "%s: larger than %llu MiB", s->path, (unsigned long long)(most >> 20));
    if (status != CW_OK)
        free(buffer);
    *data = status == CW_OK ? buffer : NULL;
    return status;
}

int cw_in_file_read_most(char **data, size_t *length, const char *path, uint64_t most, struct cw_error *err)
{
    struct source s;
    *data = NULL;
    int status = open_source(&s, path, most, err);
    if (status != CW_OK)
        return status;
    status = read_whole(&s, data, length, most, err);
    close(s.file);
    return status;
}

int cw_in_file_read(char **data, size_t *length, const char *path, struct cw_error *err)
{
    return cw_in_file_read_most(data, length, path, CW_IN_FILE_MAX_BYTES, err);
}

int cw_in_file_read_bytes(char **data, const char *path, size_t bytes, struct cw_error *err)
{
    struct source s;
    size_t got = 0;
    *data = NULL;
    int status = open_source(&s, path, UINT64_MAX, err);
    if (status != CW_OK)
        return status;
    char *buffer = malloc(bytes + 1);
    status = buffer != NULL ? read_piece(&s, buffer, bytes, &got, err) : cw_fail(err, CW_ENOMEM, "%s: out of memory", path);
    if (status == CW_OK && got < bytes)
        status = cw_fail(err, CW_EINVAL, "%s: has %zu bytes, and %zu are asked for", path, got, bytes);
    close(s.file);
    if (status != CW_OK)
        free(buffer);
    *data = status == CW_OK ? buffer : NULL;
    return status;
}

bool cw_in_file_is_regular(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}
