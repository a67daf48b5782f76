/* SPDX-License-Identifier: Apache-2.0 */
/* Where the command finds the files that come with it; cowarp_place says the rule. */
#include "cli.h"

int cli_place(char path[CLI_PATH_BYTES], const char *name)
{
    const int status = cowarp_place(path, CLI_PATH_BYTES, name);
    if (status == COWARP_OK)
        return CLI_OK;
    return cli_error(CLI_FAILED, "%s: %s; 'cowarp doctor' says what is installed, and COWARP_HOME names another folder", name,
                     status == COWARP_EIO ? "is not there" : "its path is too long");
}
