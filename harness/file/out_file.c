/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "out_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Behind the name of a file that is being written. mkstemp puts letters and digits in the place of the Xs. */
#define TEMPORARY  ".cowarp-XXXXXX"
#define RANDOM_CNT 6u
#define LINKS_MAX  40u

#define PIPE_POLL_NS 20000000L

static void folder_of(const char *path, char folder[CW_OUT_PATH_MAX])
{
    strcpy(folder, path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        strcpy(folder, ".");
    else
        slash[slash == folder ? 1 : 0] = '\0';
}

/* A link to what is not there yet: path becomes the name that it holds, again and again. */
static int follow_links(char path[CW_OUT_PATH_MAX], struct cw_error *err)
{
    char target[CW_OUT_PATH_MAX], folder[CW_OUT_PATH_MAX];
    for (uint32_t i = 0; i < LINKS_MAX; i++) {
        const ssize_t length = readlink(path, target, sizeof target - 1);
        if (length < 0)
            return CW_OK;
        target[length] = '\0';
        folder_of(path, folder);
        if (target[0] == '/')
            strcpy(path, target);
        else if (snprintf(path, CW_OUT_PATH_MAX, "%s/%s", folder, target) >= (int)CW_OUT_PATH_MAX)
            break;
    }
    return cw_fail(err, CW_EIO, "%s: too many symbolic links", path);
}

bool cw_out_file_is_stdout(const char *path)
{
    struct stat named, standard;
    return stat(path, &named) == 0 && fstat(STDOUT_FILENO, &standard) == 0 && named.st_dev == standard.st_dev &&
           named.st_ino == standard.st_ino;
}

/* Fills out->path; *special: exists and is written directly. */
static int resolve(struct cw_out_file *out, const char *path, bool *special, struct cw_error *err)
{
    struct stat st;
    *special = false;
    if (path[0] == '\0' || strlen(path) >= sizeof out->path)
        return cw_fail(err, CW_EIO, "'%s': not a file name", path);
    strcpy(out->path, path);
    if (stat(path, &st) != 0)
        return errno == ENOENT ? follow_links(out->path, err) : cw_fail(err, CW_EIO, "%s: cannot be written: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return cw_fail(err, CW_EIO, "%s: is a folder, not a file", path);
    *special = !S_ISREG(st.st_mode) || cw_out_file_is_stdout(path);
    char *target = realpath(path, NULL);
    if (!*special && target != NULL && strlen(target) < sizeof out->path)
        strcpy(out->path, target);
    free(target);
    return CW_OK;
}

/* The folder's own name, and the file's name in it: the same for all ways to name one file. */
static bool canonical(char name[2 * CW_OUT_PATH_MAX], const char *path, bool *special)
{
    struct cw_out_file out;
    struct cw_error err;
    char folder[CW_OUT_PATH_MAX];
    if (resolve(&out, path, special, &err) != CW_OK)
        return false;
    folder_of(out.path, folder);
    char *real = realpath(folder, NULL);
    const char *slash = strrchr(out.path, '/');
    if (real != NULL)
        snprintf(name, 2 * CW_OUT_PATH_MAX, "%s/%s", real, slash != NULL ? slash + 1 : out.path);
    free(real);
    return real != NULL;
}

bool cw_out_file_same(const char *a, const char *b)
{
    char name[2][2 * CW_OUT_PATH_MAX];
    bool special[2];
    return canonical(name[0], a, &special[0]) && canonical(name[1], b, &special[1]) && !special[0] && strcmp(name[0], name[1]) == 0;
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
    if (cw_out_file_is_stdout(path))
        return CW_OK;
    if (access(special ? out.path : folder, special ? W_OK : W_OK | X_OK) != 0)
        return cw_fail(err, CW_EIO, "%s: cannot be written: %s", path, strerror(errno));
    return CW_OK;
}

static bool is_temporary(const char *name, const char *base)
{
    const size_t length = strlen(base), marked = length + strlen(TEMPORARY) - RANDOM_CNT;
    if (strncmp(name, base, length) != 0 || strncmp(name + length, TEMPORARY, marked - length) != 0 || strlen(name) != marked + RANDOM_CNT)
        return false;
    for (const char *c = name + marked; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c))
            return false;
    return true;
}

/* A temporary file is locked by the process that writes it, so one that can be locked belongs to a process that has been killed. */
static void remove_dead(const char *path)
{
    char folder[CW_OUT_PATH_MAX], name[2 * CW_OUT_PATH_MAX];
    const char *slash = strrchr(path, '/');
    folder_of(path, folder);
    DIR *d = opendir(folder);
    for (struct dirent *e = d != NULL ? readdir(d) : NULL; e != NULL; e = readdir(d)) {
        if (!is_temporary(e->d_name, slash != NULL ? slash + 1 : path))
            continue;
        snprintf(name, sizeof name, "%s/%s", folder, e->d_name);
        const int fd = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
            unlink(name);
        if (fd >= 0)
            close(fd);
    }
    if (d != NULL)
        closedir(d);
}

/* A new file beside the one to be written, locked; -1 and errno. */
static int make_temporary(struct cw_out_file *out)
{
    struct stat st;
    for (;;) {
        strcpy(strrchr(out->temporary, '.'), TEMPORARY);
        const int fd = mkostemp(out->temporary, O_CLOEXEC);
        /* where there are no locks it is not removed either; between its making and its lock another process may take it for a dead one */
        if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &st) != 0 || st.st_nlink > 0)
            return fd;
        close(fd);
    }
}

/* A named pipe waits for its reader, as it does in a shell. A signal ends the wait, though the process catches it: errno is EINTR then. */
static int open_pipe(const char *path)
{
    const struct timespec pause = {.tv_nsec = PIPE_POLL_NS};
    int fd;
    while ((fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0 && errno == ENXIO)
        if (nanosleep(&pause, NULL) != 0)
            return -1;
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

/* Standard output may be in the middle of a file. */
static FILE *open_special(const char *path)
{
    struct stat st;
    int fd = -1;
    if (cw_out_file_is_stdout(path))
        fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    else if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode) && (fd = open_pipe(path)) < 0)
        return NULL;
    return fd >= 0 ? fdopen(fd, "wb") : fopen(path, "wb");
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
        out->file = open_special(path);
        return out->file != NULL ? CW_OK
                                 : cw_fail(err, CW_EIO, "%s: cannot be written: %s", path,
                                           errno == EINTR ? "interrupted before anybody has read this pipe" : strerror(errno));
    }
    if (snprintf(out->temporary, sizeof out->temporary, "%s" TEMPORARY, out->path) >= (int)sizeof out->temporary)
        return cw_fail(err, CW_EIO, "%.80s...: file name too long", path);
    remove_dead(out->path);
    const int fd = make_temporary(out);
    if (fd < 0)
        return cw_fail(err, CW_EIO, "%s: cannot be written: %s", path, strerror(errno));
    /* that has the mode 0600; a result file is as readable as any other */
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
    errno = 0;
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
    return cw_fail(err, CW_EIO, "%s: cannot be written: %s", out->path, why != 0 ? strerror(why) : "a write failed");
}

void cw_out_file_discard(struct cw_out_file *out)
{
    if (out->file != NULL)
        fclose(out->file);
    out->file = NULL;
    if (out->temporary[0] != '\0')
        unlink(out->temporary);
}
