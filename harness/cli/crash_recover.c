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
    static const char *const ours[] = {"points",  "image",     "stats",  "wave", "wave-window",     "wave-on", "explore",
                                       "twice",   "wave-keep", "record", "bins", "record-branches", "quiet",   "omit-host-seconds",
                                       "without", "operations"};
    fprintf(stderr, "cowarp: to see it again: cowarp %s ", c->is_script ? "exec" : "run");
    if (!c->is_script)
        fprintf(stderr, "%s --recover ", c->name);
    else if (c->script.ptx != NULL) {
        print_quoted(c->script.ptx);
        fputc(' ', stderr);
    }
    fputs("--pm ", stderr);
    print_quoted(c->image);
    for (uint32_t i = 0; i < c->p->given_cnt; i++) {
        const struct cli_given *g = &c->p->given[i];
        bool skip = false;
        for (uint32_t k = 0; k < sizeof ours / sizeof ours[0]; k++)
            skip = skip || strcmp(ours[k], g->option->name) == 0;
        if (skip)
            continue;
        fprintf(stderr, " --%s", g->option->name);
        if (g->value[0] != '\0') {
            fputc(g->option->value != NULL ? ' ' : '=', stderr);
            print_quoted(g->value);
        }
    }
    fputc('\n', stderr);
}

void crash_why(const struct crash *c, const struct crash_gpu *g, int outcome, char *text, size_t bytes)
{
    char place[4200];
    if (c->is_script) {
        cli_script_place(&g->script, place, sizeof place);
        snprintf(text, bytes, "%s: %s", place, cli_script_why(&g->script));
        return;
    }
    snprintf(text, bytes, "%s", outcome == COWARP_ECHECK && g->x.message[0] != '\0' ? g->x.message : cowarp_error(g->gpu));
}

int crash_gpu_open(struct crash *c, struct crash_gpu *g, int log)
{
    struct cowarp_options o = c->session.options;
    o.pm_log = log;
    o.wave_file = o.wave_on = o.record = o.bins_file = NULL;
    o.record_branches = 0;
    const int status = cowarp_create(&g->gpu, &o);
    if (status != COWARP_OK)
        return cli_error(cli_exit_of(status), "%s", cowarp_error(g->gpu));
    if (cli_manifest(g->gpu, c->p) != CLI_OK)
        return CLI_FAILED;
    if (c->is_script)
        return cli_script_begin(&g->script, &c->script, g->gpu);
    g->x = cli_request_context(&c->request, g->gpu, o.seed);
    return cli_request_note(&c->request, g->gpu) == COWARP_OK ? CLI_OK : cli_error(CLI_FAILED, "%s", cowarp_error(g->gpu));
}

void crash_gpu_close(struct crash_gpu *g)
{
    cli_script_end(&g->script);
    if (g->gpu != NULL)
        cowarp_destroy(g->gpu);
}

int crash_recover(struct crash *c, struct crash_gpu *g)
{
    uint64_t cycles;
    g->x.message[0] = '\0';
    const int status = c->is_script ? cli_script_recover(&g->script, &c->parts, &cycles) : cli_request_recover(&c->request, &g->x, &cycles);
    if (status == COWARP_OK)
        c->last = cycles;
    return status;
}

int crash_save(struct crash *c, struct crash_gpu *g)
{
    if (cowarp_pm_save(g->gpu, c->image) != COWARP_OK)
        return cli_error(CLI_FAILED, "%s", cowarp_error(g->gpu));
    crash_print_replay(c);
    return CLI_OK;
}

/* ---- jobs ---- */

static int count_point(void *context, uint64_t i, const void *result)
{
    struct crash *c = context;
    const struct crash_result *r = result;
    (void)i;
    c->done++;
    c->cycles += r->cycles;
    c->failures += r->second;
    return CLI_OK;
}

int crash_points(struct crash *c, int (*run)(void *context, uint64_t i, void *result), void *context, const char *what, uint64_t total)
{
    c->jobs.session = &c->session;
    c->jobs.what = what;
    c->jobs.total = total;
    c->jobs.bytes = sizeof(struct crash_result);
    c->jobs.run = run;
    c->jobs.run_context = context;
    c->jobs.done = count_point;
    c->jobs.done_context = c;
    return cli_jobs_run(&c->jobs, c->p);
}
