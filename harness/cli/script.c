/* SPDX-License-Identifier: Apache-2.0 */
/* Sub-commands that are Python scripts of the source tree: they get the command line as it is, and answer --help themselves. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

int cli_script(const struct cli_command *c, int argc, char **argv)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", CW_SOURCE_DIR, c->script) >= (int)sizeof path)
        return cli_error(CLI_FAILED, "%s: the path of the source tree is too long", c->name);
    if (access(path, R_OK) != 0)
        return cli_error(CLI_FAILED, "%s: %s: %s; this command needs the source tree", c->name, path, strerror(errno));
    char **words = calloc((size_t)argc + 3, sizeof *words);
    if (words == NULL)
        return cli_error(CLI_FAILED, "%s: out of memory", c->name);
    words[0] = "python3";
    words[1] = path;
    memcpy(words + 2, argv, (size_t)argc * sizeof *words);
    fflush(stdout);
    execvp(words[0], words);
    int status = cli_error(CLI_FAILED, "%s: python3: %s; run ./setup", c->name, strerror(errno));
    free(words);
    return status;
}

const struct cli_command cli_reproduce = {
    .name = "reproduce",
    .usage = "NAME ... [OPTIONS]",
    .what = "Reproduces tables and figures of the papers; --list names them",
    .script = "experiments/reproduce.py",
};
