/* SPDX-License-Identifier: Apache-2.0 */
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

bool cw_place_installed(char prefix[CW_PATH_MAX])
{
    const char *home = getenv("COWARP_HOME");
    char source[CW_PATH_MAX];
    if (home != NULL && *home != '\0')
        return cw_os_path(prefix, CW_PATH_MAX, NULL, "%s", home) == 0;
    return object_file(prefix, (uintptr_t)cw_place_installed) && cut_last(prefix) && cut_last(prefix) &&
           cw_os_path(source, sizeof source, NULL, "%s/share/cowarp/source", prefix) == 0 && access(source, R_OK) == 0;
}
