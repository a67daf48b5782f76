/* SPDX-License-Identifier: Apache-2.0 */
/* Where the command finds the files that come with it, by the rule of cowarp_place, and the tools that it calls. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

int cli_place(char path[CLI_PATH_BYTES], const char *name)
{
    const int status = cowarp_place(path, CLI_PATH_BYTES, name);
    if (status == COWARP_OK)
        return CLI_OK;
    return cli_error(CLI_WRONG, "%s: %s; 'cowarp doctor' says what is installed, and COWARP_HOME names another folder", name,
                     status == COWARP_EIO ? "is not there" : "its path is too long");
}

bool cli_find_tool(char path[CLI_PATH_BYTES], const char *tool)
{
    for (const char *at = getenv("PATH"); at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ":");
        if (snprintf(path, CLI_PATH_BYTES, "%.*s/%s", (int)length, at, tool) < (int)CLI_PATH_BYTES && access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

const char *cli_input(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0 ? "/dev/stdin" : path;
}
