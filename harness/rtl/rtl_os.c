/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "rtl_os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

#define POLL_NS          5000000
#define UNLOCKED_SECONDS 3600
#define ROOM_BYTES       UINT64_C(8000000) /* less may have been what a compiler lacked: its libraries have a megabyte or more */

char *cw_os_read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return NULL;
    size_t used = 0, room = 1 << 16;
    char *text = malloc(room);
    while (text != NULL) {
        used += fread(text + used, 1, room - used - 1, f);
        if (used < room - 1)
            break;
        char *more = realloc(text, room *= 2);
        if (more == NULL)
            free(text);
        text = more;
    }
    if (text != NULL && ferror(f)) {
        free(text);
        text = NULL;
    }
    fclose(f);
    if (text != NULL)
        text[used] = '\0';
    if (size != NULL)
        *size = used;
    return text;
}

int cw_os_path(char *out, size_t size, struct cw_error *err, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(out, size, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= size)
        return cw_fail(err, CW_EINVAL, "path is too long: %.200s", out);
    return CW_OK;
}

int cw_os_make_dirs(const char *path, struct cw_error *err)
{
    char part[CW_PATH_MAX];
    int status = cw_os_path(part, sizeof part, err, "%s", path);
    if (status != CW_OK)
        return status;
    for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash != NULL)
            *slash = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return cw_fail(err, CW_EIO, "cannot create directory %s: %s", part, strerror(errno));
        if (slash == NULL)
            return CW_OK;
        *slash = '/';
    }
}

void cw_os_remove_tree(const char *path)
{
    DIR *dir = opendir(path);
    if (dir == NULL)
        return;
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        char child[CW_PATH_MAX];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            cw_os_path(child, sizeof child, NULL, "%s/%s", path, e->d_name) != CW_OK)
            continue;
        if (unlink(child) != 0)
            cw_os_remove_tree(child);
    }
    closedir(dir);
    rmdir(path);
}

/* The line of the log that says what went wrong: the first with "error" in it, else the last one. */
static void find_complaint(const char *log, char *out, size_t size)
{
    char *text = cw_os_read_file(log, NULL);
    snprintf(out, size, "no output");
    for (char *line = text != NULL ? strtok(text, "\n") : NULL; line != NULL; line = strtok(NULL, "\n")) {
        snprintf(out, size, "%.300s", line);
        if (strcasestr(line, "error") != NULL)
            break;
    }
    free(text);
}

/* Words about a disk that is nearly full, which compilers say in many ways or not at all; "": it has room. */
static const char *what_room(const char *log, char *out, size_t size)
{
    struct statvfs disk;
    out[0] = '\0';
    if (statvfs(log, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < ROOM_BYTES)
        snprintf(out, size, "; the disk of %.*s is full but for %" PRIu64 " KB: make room, or set COWARP_CACHE to a folder elsewhere",
                 (int)(strrchr(log, '/') != NULL ? strrchr(log, '/') - log : 1), log, (uint64_t)disk.f_bavail * disk.f_frsize / 1024);
    return out;
}

/* What the caller ignores, another program should not. */
static int spawn(pid_t *pid, const posix_spawn_file_actions_t *actions, char *const argv[], bool alone)
{
    posix_spawnattr_t attributes;
    sigset_t defaults;
    int failed = posix_spawnattr_init(&attributes);
    if (failed != 0)
        return failed;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, (short)(POSIX_SPAWN_SETSIGDEF | (alone ? POSIX_SPAWN_SETPGROUP : 0)));
    failed = posix_spawnp(pid, argv[0], actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

static int start(pid_t *pid, char *const argv[], const char *log, bool alone, struct cw_error *err)
{
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    const int failed = spawn(pid, &actions, argv, alone);
    posix_spawn_file_actions_destroy(&actions);
    return failed == 0 ? CW_OK : cw_fail(err, CW_EIO, "cannot run %s: %s", argv[0], strerror(failed));
}

/* As waitpid; ends the child's group when that is wanted. */
static pid_t wait_or_stop(pid_t pid, int *wait_status, const struct cw_os_stop *stop, bool *ended)
{
    const struct timespec pause = {.tv_nsec = POLL_NS};
    pid_t done;
    *ended = false;
    do {
        done = waitpid(pid, wait_status, *ended || stop->wanted == NULL ? 0 : WNOHANG);
        if (done == 0 && stop->wanted(stop->context) != 0) {
            kill(-pid, SIGTERM); /* a compiler removes its temporary files */
            *ended = true;
        } else if (done == 0) {
            nanosleep(&pause, NULL);
        }
    } while (done == 0 || (done < 0 && errno == EINTR));
    return done;
}

int cw_os_run(char *const argv[], const char *log, const struct cw_os_stop *stop, struct cw_error *err)
{
    pid_t pid;
    int wait_status;
    bool ended;
    char complaint[320], room[320];
    if (stop->wanted != NULL && stop->wanted(stop->context) != 0)
        return cw_fail(err, CW_ELIMIT, "interrupted before %s ran", argv[0]);
    const int status = start(&pid, argv, log, stop->wanted != NULL, err);
    if (status != CW_OK)
        return status;
    if (wait_or_stop(pid, &wait_status, stop, &ended) < 0)
        return cw_fail(err, CW_EIO, "cannot wait for %s: %s", argv[0], strerror(errno));
    if (ended)
        return cw_fail(err, CW_ELIMIT, "interrupted while %s ran", argv[0]);
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0)
        return CW_OK;
    find_complaint(log, complaint, sizeof complaint);
    return cw_fail(err, CW_EIO, "%s failed: %s%s", argv[0], complaint, what_room(log, room, sizeof room));
}

/* The lock of a work directory; -1: there is none, or another process holds it. */
static int take_lock(const char *folder, int flags)
{
    char path[CW_PATH_MAX];
    if (cw_os_path(path, sizeof path, NULL, "%s/lock", folder) != CW_OK)
        return -1;
    const int fd = open(path, O_RDWR | O_CLOEXEC | flags, 0666);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    close(fd);
    return -1;
}

static void remove_dead(const char *dir)
{
    DIR *d = opendir(dir);
    for (struct dirent *e = d != NULL ? readdir(d) : NULL; e != NULL; e = readdir(d)) {
        char path[CW_PATH_MAX];
        struct stat st;
        if (strncmp(e->d_name, "build-", 6) != 0 || strlen(e->d_name) != strlen("build-XXXXXX") ||
            cw_os_path(path, sizeof path, NULL, "%s/%s", dir, e->d_name) != CW_OK || stat(path, &st) != 0)
            continue;
        const int lock = take_lock(path, 0);
        /* one without a lock may have been made just now */
        if (lock >= 0 || (errno == ENOENT && time(NULL) - st.st_mtime > UNLOCKED_SECONDS))
            cw_os_remove_tree(path);
        if (lock >= 0)
            close(lock);
    }
    if (d != NULL)
        closedir(d);
}

int cw_os_make_work_dir(char path[CW_PATH_MAX], int *lock, const char *dir, struct cw_error *err)
{
    *lock = -1;
    int status = cw_os_make_dirs(dir, err);
    if (status == CW_OK)
        status = cw_os_path(path, CW_PATH_MAX, err, "%s/build-XXXXXX", dir);
    if (status != CW_OK)
        return status;
    remove_dead(dir);
    if (mkdtemp(path) == NULL)
        return cw_fail(err, CW_EIO, "cannot create a directory in %s: %s", dir, strerror(errno));
    *lock = take_lock(path, O_CREAT);
    return CW_OK;
}
