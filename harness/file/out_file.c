/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "out_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Fills out->path; *special: exists and is not a regular file. */
static int resolve(struct cw_out_file *out, const char *path, bool *special, struct cw_error *err)
{
    struct stat st;
    *special = false;
    if (path[0] == '\0' || strlen(path) >= sizeof out->path)
        return cw_fail(err, CW_EIO, "'%.80s': not a file name", path);
    strcpy(out->path, path);
    if (stat(path, &st) != 0)
        return errno == ENOENT ? CW_OK : cw_fail(err, CW_EIO, "%s: cannot be written: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return cw_fail(err, CW_EIO, "%s: is a folder, not a file", path);
    *special = !S_ISREG(st.st_mode);
    char *target = realpath(path, NULL);
    if (!*special && target != NULL && strlen(target) < sizeof out->path)
        strcpy(out->path, target);
    free(target);
    return CW_OK;
}

static void folder_of(const char *path, char folder[CW_OUT_PATH_MAX])
{
    strcpy(folder, path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        strcpy(folder, ".");
    else
        slash[slash == folder ? 1 : 0] = '\0';
}

int cw_out_file_check(const char *path, struct cw_error *err)
{
    struct cw_out_file out;
    char folder[CW_OUT_PATH_MAX];
    bool special;
    int status = resolve(&out, path, &special, err);
    if (status != CW_OK)
        return status;
    folder_of(out.path, folder);
    if (access(special ? out.path : folder, special ? W_OK : W_OK | X_OK) != 0)
        return cw_fail(err, CW_EIO, "%s: cannot be written: %s", path, strerror(errno));
    return CW_OK;
}

int cw_out_file_open(struct cw_out_file *out, const char *path, struct cw_error *err)
{
    bool special;
    out->file = NULL;
    out->temporary[0] = '\0';
    int status = resolve(out, path, &special, err);
    if (status != CW_OK)
        return status;
    if (special) {
        out->file = fopen(out->path, "wb");
        return out->file != NULL ? CW_OK : cw_fail(err, CW_EIO, "%s: cannot be written: %s", path, strerror(errno));
    }
    if (snprintf(out->temporary, sizeof out->temporary, "%s.XXXXXX", out->path) >= (int)sizeof out->temporary)
        return cw_fail(err, CW_EIO, "%.80s...: file name too long", path);
    const int fd = mkstemp(out->temporary);
    if (fd < 0)
        return cw_fail(err, CW_EIO, "%s: cannot be written: %s", path, strerror(errno));
    /* mkstemp gives 0600; a result file is as readable as any other */
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    out->file = fdopen(fd, "wb");
    if (out->file == NULL) {
        close(fd);
        unlink(out->temporary);
        return cw_fail(err, CW_EIO, "%s: cannot be written: %s", path, strerror(errno));
    }
    return CW_OK;
}

int cw_out_file_close(struct cw_out_file *out, struct cw_error *err)
{
    bool ok = fflush(out->file) == 0 && !ferror(out->file);
    if (out->temporary[0] != '\0')
        ok = ok && fsync(fileno(out->file)) == 0;
    ok = fclose(out->file) == 0 && ok;
    out->file = NULL;
    if (out->temporary[0] != '\0')
        ok = ok && rename(out->temporary, out->path) == 0;
    if (ok)
        return CW_OK;
    const int why = errno;
    if (out->temporary[0] != '\0')
        unlink(out->temporary);
    return cw_fail(err, CW_EIO, "%s: cannot be written: %s", out->path, strerror(why));
}

void cw_out_file_discard(struct cw_out_file *out)
{
    if (out->file != NULL)
        fclose(out->file);
    out->file = NULL;
    if (out->temporary[0] != '\0')
        unlink(out->temporary);
}
