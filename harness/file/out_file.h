/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Result files appear whole or not at all: written under a temporary name in the same folder, then renamed. What is not a regular
 * file (a pipe, a device), and where standard output goes, is written directly. A process that is killed leaves the temporary file, and the
 * next one that writes the same file removes it.
 */
#ifndef CW_HARNESS_FILE_OUT_FILE_H
#define CW_HARNESS_FILE_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_OUT_PATH_MAX 4096u

struct cw_out_file {
    FILE *file;                      /* to write to between open and close */
    char path[CW_OUT_PATH_MAX];      /* the final name, symbolic links followed */
    char temporary[CW_OUT_PATH_MAX]; /* "" when written directly */
};

/* Whether path could be written: its folder exists and is writable, and it is no folder itself. Changes nothing. 0 or CW_EIO. */
int cw_out_file_check(const char *path, struct cw_error *err);

/* Whether two names are those of one file, which may not be there yet. A pipe or a device is never the same: it takes what comes. */
bool cw_out_file_same(const char *a, const char *b);

/* Whether the name is that of where standard output goes: /dev/stdout, or the file that it was redirected to. */
bool cw_out_file_is_stdout(const char *path);

/* 0 or CW_EIO; out->file is set on success. */
int cw_out_file_open(struct cw_out_file *out, const char *path, struct cw_error *err);

/* Flushes and renames; CW_EIO when anything since open failed, and then path is as it was. */
int cw_out_file_close(struct cw_out_file *out, struct cw_error *err);

/* Instead of close: leaves path as it was. */
void cw_out_file_discard(struct cw_out_file *out);

#ifdef __cplusplus
}
#endif
#endif
