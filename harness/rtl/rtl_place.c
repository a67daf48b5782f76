/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* realpath */
#include "rtl_place.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file that the code at this address was loaded from. The kernel's own list has absolute paths, whatever name the file was loaded by.
 */
static bool object_file(char path[CW_PATH_MAX], uintptr_t code)
{
    char line[CW_PATH_MAX + 256];
    FILE *maps = fopen("/proc/self/maps", "r");
    bool found = false;
    while (maps != NULL && !found && fgets(line, sizeof line, maps) != NULL) {
        uintptr_t begin, end;
        const char *name = strchr(line, '/');
        if (name == NULL || sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2 || code < begin || code >= end)
            continue;
        line[strcspn(line, "\n")] = '\0';
        found = cw_os_path(path, CW_PATH_MAX, NULL, "%s", name) == 0;
    }
    if (maps != NULL)
        fclose(maps);
    return found;
}

static bool cut_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash != NULL)
        *slash = '\0';
    return slash != NULL;
}

/* folder/name, without symbolic links: those of a build lead to the source tree, and messages are to name its files. */
static bool is_in(char path[CW_PATH_MAX], const char *folder, const char *name)
{
    char joined[CW_PATH_MAX];
    char *const full = cw_os_path(joined, sizeof joined, NULL, "%s/%s", folder, name) == 0 ? realpath(joined, NULL) : NULL;
    const bool found = full != NULL && cw_os_path(path, CW_PATH_MAX, NULL, "%s", full) == 0;
    free(full);
    return found;
}

bool cw_place(char path[CW_PATH_MAX], const char *name)
{
    const char *home = getenv("COWARP_HOME");
    char folder[CW_PATH_MAX] = "";
    if (home != NULL && *home != '\0') {
        if (is_in(path, home, name))
            return true;
        (void)cw_os_path(path, CW_PATH_MAX, NULL, "%s/%s", home, name);
        return false;
    }
    bool found = false;
    if (object_file(folder, (uintptr_t)cw_place))
        while (!found && cut_last(folder))
            found = is_in(path, folder, name);
    if (!found)
        cw_os_path(path, CW_PATH_MAX, NULL, "%s", name);
    return found;
}
