/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a command line asks for: no two of them are one. */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "file/out_file.h"

struct output {
    const char *option, *text; /* as given: --option text */
    char *path;
};

/* FILE of INSTANCE=FILE, of out:FILE:BYTES and inout:FILE, and of the options that take nothing else; the caller frees it. NULL: there is
 * none. */
static char *path_of(const char *option, const char *text)
{
    static const char *const plain[] = {"stats", "wave", "record-branches", "profile", "samples", "timeline", "pm"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strcmp(option, plain[i]) == 0)
            return strcmp(text, "-") != 0 ? strdup(text) : NULL;
    if (strcmp(option, "record") == 0)
        return strchr(text, '=') != NULL ? strdup(strchr(text, '=') + 1) : NULL;
    if (strcmp(option, "arg") == 0 && strncmp(text, "inout:", 6) == 0)
        return strdup(text + 6);
    if (strcmp(option, "arg") == 0 && strncmp(text, "out:", 4) == 0 && strrchr(text, ':') > text + 3)
        return strndup(text + 4, (size_t)(strrchr(text, ':') - text - 4));
    return NULL;
}

static int compare(const struct output *list, uint32_t cnt)
{
    for (uint32_t i = 0; i < cnt; i++)
        for (uint32_t k = 0; k < i; k++)
            if (cw_out_file_same(list[k].path, list[i].path))
                return cli_error(CLI_WRONG, "--%s %s and --%s %s: the same file; give each its own", list[k].option, list[k].text,
                                 list[i].option, list[i].text);
    return CLI_OK;
}

int cli_check_outputs(const struct cli_parsed *p)
{
    uint32_t cnt = 0;
    struct output *list = calloc(p->given_cnt + 1u, sizeof *list);
    if (list == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    for (uint32_t i = 0; i < p->given_cnt; i++) {
        const struct cli_given *g = &p->given[i];
        list[cnt] = (struct output){g->option->name, g->value, path_of(g->option->name, g->value)};
        cnt += list[cnt].path != NULL;
    }
    const int status = compare(list, cnt);
    for (uint32_t i = 0; i < cnt; i++)
        free(list[i].path);
    free(list);
    return status;
}
