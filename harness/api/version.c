/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: which version this is. */
#define _GNU_SOURCE /* readlink */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api.h"

#define PATH_BYTES 4096u

const char *cowarp_version(void)
{
    return COWARP_VERSION;
}

/* The first line of the file into text; false: there is none. */
static bool read_line(char text[64], const char *path)
{
    FILE *f = fopen(path, "r");
    const bool read = f != NULL && fgets(text, 64, f) != NULL;
    if (f != NULL)
        fclose(f);
    if (read)
        text[strcspn(text, "\n")] = '\0';
    return read && text[0] != '\0';
}

/* A file, since a commit that changes no code must leave the program, of which kept runs know the digest, as it is. */
const char *cowarp_commit(void)
{
    static _Thread_local char text[64];
    char exe[PATH_BYTES], path[PATH_BYTES + 64];
    const ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    char *slash = length > 0 ? (exe[length] = '\0', strrchr(exe, '/')) : NULL;
    if (slash != NULL) {
        *slash = '\0';
        snprintf(path, sizeof path, "%s/../share/cowarp/commit.txt", exe);
        if (read_line(text, path))
            return text;
    }
    return read_line(text, CW_COMMIT_FILE) ? text : "unknown";
}
