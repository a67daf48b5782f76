/* SPDX-License-Identifier: Apache-2.0 */
/* cowarp crash: the recovery from an image, and what is left of one that is wrong. */
#include <stdio.h>
#include <string.h>

#include "crash.h"

/* An argument as a shell takes it. */
static void print_quoted(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:+,-";
    if (text[0] != '\0' && strspn(text, plain) == strlen(text)) {
        fputs(text, stderr);
        return;
    }
    fputc('\'', stderr);
    for (; *text != '\0'; text++)
        fputs(*text == '\'' ? "'\\''" : (char[2]){*text, '\0'}, stderr);
    fputc('\'', stderr);
}

/* The same machine and parameters, on the image. */
void crash_print_replay(const struct crash *c)
{
    static const char *const ours[] = {"points",    "image",  "stats",           "wave",  "wave-window",       "wave-on", "explore",
                                       "wave-keep", "record", "record-branches", "quiet", "omit-host-seconds", "without", "operations"};
    fprintf(stderr, "cowarp: to see it again: cowarp run %s --recover --pm ", c->request.workload->name);
    print_quoted(c->image);
    for (uint32_t i = 0; i < c->p->given_cnt; i++) {
        const struct cli_given *g = &c->p->given[i];
        bool skip = false;
        for (uint32_t k = 0; k < sizeof ours / sizeof ours[0]; k++)
            skip = skip || strcmp(ours[k], g->option->name) == 0;
        if (skip)
            continue;
        fprintf(stderr, " --%s", g->option->name);
        if (g->option->value != NULL) {
            fputc(' ', stderr);
            print_quoted(g->value);
        }
    }
    fputc('\n', stderr);
}

const char *crash_why(const struct crash *c, int outcome)
{
    return outcome == COWARP_ECHECK && c->x.message[0] != '\0' ? c->x.message : cowarp_error(c->gpu);
}

int crash_recover(struct crash *c)
{
    uint64_t cycles;
    c->x.message[0] = '\0';
    const int status = cli_request_recover(&c->request, &c->x, &cycles);
    if (status == COWARP_OK)
        c->cycles += cycles;
    return status;
}

int crash_save(struct crash *c)
{
    if (cowarp_pm_save(c->gpu, c->image) != COWARP_OK)
        return cli_error(CLI_FAILED, "%s", cowarp_error(c->gpu));
    crash_print_replay(c);
    return CLI_OK;
}
