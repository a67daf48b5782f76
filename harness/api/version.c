/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: which version this is. */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "rtl/rtl_place.h"

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
    char prefix[CW_PATH_MAX], path[CW_PATH_MAX + 64];
    if (cw_place_installed(prefix)) {
        snprintf(path, sizeof path, "%s/share/cowarp/commit.txt", prefix);
        if (read_line(text, path))
            return text;
    }
    return read_line(text, CW_COMMIT_FILE) ? text : "unknown";
}
