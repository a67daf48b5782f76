/* SPDX-License-Identifier: Apache-2.0 */
/* What the statistics file says of the command line: the words, and those that make the run again without its other files. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* --arg of `cowarp exec` without the file that it writes: the kernel gets the same buffer. NULL: out of memory. */
static char *repeat_argument(const char *text)
{
    const char *last = strrchr(text, ':');
    const bool in_out = strncmp(text, "inout:", 6) == 0, out = strncmp(text, "out:", 4) == 0 && last > text + 3;
    const char *value = in_out ? text + 6 : out ? last + 1 : text, *kind = in_out ? "in:" : out ? "zero:" : "";
    const size_t bytes = sizeof "--arg=zero:" + strlen(value);
    char *word = malloc(bytes);
    if (word != NULL)
        snprintf(word, bytes, "--arg=%s%s", kind, value);
    return word;
}

static char *repeat_option(const struct cli_given *g)
{
    if (strcmp(g->option->name, "arg") == 0)
        return repeat_argument(g->value);
    const size_t bytes = sizeof "--=" + strlen(g->option->name) + strlen(g->value);
    char *word = malloc(bytes);
    if (word != NULL)
        snprintf(word, bytes, "--%s%s%s", g->option->name, g->value[0] != '\0' ? "=" : "", g->value);
    return word;
}

/* A script is carried out without its files, too. */
static bool lacks_no_files(const struct cli_parsed *p)
{
    return cli_has(p, "script") && !cli_has(p, "no-files");
}

/* NULL-terminated; the caller frees the words and the list. NULL: out of memory. */
static char **repeat_words(const struct cli_parsed *p)
{
    char **list = calloc((size_t)p->word_cnt + p->given_cnt + 3, sizeof *list);
    uint32_t cnt = 0;
    bool ok = list != NULL && (list[cnt++] = strdup(p->command->name)) != NULL;
    for (uint32_t i = 0; ok && i < p->word_cnt; i++)
        ok = (list[cnt++] = strdup(p->word[i])) != NULL;
    for (uint32_t i = 0; ok && i < p->given_cnt; i++)
        if (!(p->given[i].option->traits & CLI_WATCHES))
            ok = (list[cnt++] = repeat_option(&p->given[i])) != NULL;
    if (ok && lacks_no_files(p))
        ok = (list[cnt++] = strdup("--no-files")) != NULL;
    if (ok && cli_has(p, "profile") && !cli_has(p, "stalls")) /* which it counts */
        ok = (list[cnt++] = strdup("--stalls")) != NULL;
    if (ok)
        return list;
    for (uint32_t i = 0; list != NULL && list[i] != NULL; i++)
        free(list[i]);
    free(list);
    return NULL;
}

int cli_manifest(struct cowarp_gpu *gpu, const struct cli_parsed *p)
{
    const char **words = calloc((size_t)p->argc + 2, sizeof *words);
    char **repeat = repeat_words(p);
    int status = words != NULL && repeat != NULL ? COWARP_OK : COWARP_ENOMEM;
    if (status == COWARP_OK) {
        words[0] = p->command->name;
        for (int i = 0; i < p->argc; i++)
            words[i + 1] = p->argv[i];
        status = cowarp_manifest_command(gpu, words, (const char *const *)repeat);
    }
    free(words);
    for (uint32_t i = 0; repeat != NULL && repeat[i] != NULL; i++)
        free(repeat[i]);
    free(repeat);
    return status == COWARP_OK ? CLI_OK : cli_error(CLI_FAILED, "out of memory");
}
