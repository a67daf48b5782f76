/* SPDX-License-Identifier: Apache-2.0 */
/* Files and child processes, for the RTL builder. */
#ifndef CW_HARNESS_RTL_OS_H
#define CW_HARNESS_RTL_OS_H

#include <stddef.h>

struct cw_error;

#define CW_PATH_MAX 4096 /* bytes of a path, with the final 0 */

/* The file's bytes and a final '\0' (the caller frees), or NULL. size may be NULL. */
char *cw_os_read_file(const char *path, size_t *size);

/* Creates the directory and its parents; one that exists is fine. 0, or CW_EIO. */
int cw_os_make_dirs(const char *path, struct cw_error *err);

/* Removes a directory and the files and directories in it. Errors are ignored: it is a temporary one. */
void cw_os_remove_tree(const char *path);

/* snprintf into a path; 0, or CW_EINVAL when it does not fit. */
int cw_os_path(char *out, size_t size, struct cw_error *err, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Who may end a child process: asked some hundred times a second, non-zero ends it. NULL: nobody is asked. */
struct cw_os_stop {
    int (*wanted)(void *context);
    void *context;
};

/*
 * Runs argv[0] (searched in PATH) with both outputs into the file log, and waits. 0; CW_EIO when it cannot be started or
 * does not exit with status 0, with the first line of log that has an error in err; CW_ELIMIT when it was ended. What can be ended has a
 * process group of its own, as it may have children: a terminal's Ctrl-C does not reach it.
 */
int cw_os_run(char *const argv[], const char *log, const struct cw_os_stop *stop, struct cw_error *err);

/* Makes the directory dir/build-XXXXXX, which is locked as long as *lock is open: without a lock it belongs to a process that was killed,
 * and goes with the next one that is made. 0 or CW_EIO. */
int cw_os_make_work_dir(char path[CW_PATH_MAX], int *lock, const char *dir, struct cw_error *err);

#endif
