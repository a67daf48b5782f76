/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cowarp crash: a workload's recovery from many moments of its run. One run logs what becomes durable, and what is ordered before what. A
 * crash point is a number of persists, or a state that the model allows (explore.c): a second GPU gets the image, recovers and verifies.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash.h"
#include "file/out_file.h"

static int read_points(struct crash *c)
{
    const char *text = cli_value(c->p, "points", NULL);
    if (text == NULL)
        return cli_error(CLI_WRONG, "crash needs --points N, --points all-persists or --points cycle:N");
    const char *explore = cli_value(c->p, "explore", NULL);
    const bool number = strncmp(text, "cycle:", 6) != 0 && strcmp(text, "all-persists") != 0;
    if (explore != NULL && strcmp(explore, "log") != 0 && (strcmp(explore, "model") != 0 || !number))
        return cli_error(CLI_WRONG, "--explore %s: expected log, or model with --points N", explore);
    c->model = number && (explore == NULL || strcmp(explore, "model") == 0);
    if (!c->model && (cli_has(c->p, "without") || cli_has(c->p, "operations")))
        return cli_error(CLI_WRONG, "--without and --operations are of states of the model: --explore model, with --points N");
    c->wanted = UINT64_MAX;
    if (strcmp(text, "all-persists") == 0)
        return CLI_OK;
    c->at_cycle = strncmp(text, "cycle:", 6) == 0;
    if (c->at_cycle ? cli_u64(text + 6, &c->cycle) : cli_u64(text, &c->wanted) && c->wanted > 0)
        return CLI_OK;
    return cli_error(CLI_WRONG, "--points '%s': expected a number from 1 on, all-persists or cycle:N", text);
}

static int check(struct crash *c)
{
    const struct cowarp_workload *w = c->request.workload;
    struct cw_error err;
    if (w->recover == NULL)
        return cli_error(CLI_WRONG, "workload %s cannot recover; 'cowarp list' says which can", w->name);
    if (cli_has(c->p, "pm"))
        return cli_error(CLI_WRONG, "crash and --pm: it makes an image of its own at each point; leave out --pm");
    const char *image = cli_value(c->p, "image", NULL);
    snprintf(c->image, sizeof c->image, "%s%s", image != NULL ? image : w->name, image != NULL ? "" : ".crash.pm");
    if (cw_out_file_check(c->image, &err) != CW_OK)
        return cli_error(CLI_WRONG, "--image: %s", err.text);
    return CLI_OK;
}

/* The run whose moments are the crash points; it has to be right. */
static int run_whole(struct crash *c)
{
    struct cowarp_workload_context x = cli_request_context(&c->request, c->session.gpu, c->session.options.seed);
    const int outcome = c->request.workload->run(&x);
    const struct cli_result r = {.workload = c->request.workload->name,
                                 .variant = cli_variant_name(c->request.variant),
                                 .status = outcome,
                                 .check = outcome == COWARP_OK ? "passed" : "failed",
                                 .message = x.message[0] != '\0' ? x.message : NULL};
    const int status = cli_session_end(&c->session, &r);
    if (status != CLI_OK)
        return status;
    c->persists = cowarp_persist_count(c->session.gpu);
    if (c->at_cycle && c->cycle > cowarp_cycles(c->session.gpu))
        return cli_error(CLI_WRONG, "--points cycle:%" PRIu64 ": the run has %" PRIu64 " cycles", c->cycle, cowarp_cycles(c->session.gpu));
    return CLI_OK;
}

static int create_second(struct crash *c)
{
    struct cowarp_options o = c->session.options;
    o.pm_log = 0;
    o.wave_file = o.wave_on = o.record = NULL;
    o.record_branches = 0;
    const int status = cowarp_create(&c->gpu, &o);
    if (status != COWARP_OK)
        return cli_error(cli_exit_of(status), "%s", cowarp_error(c->gpu));
    if (cli_manifest(c->gpu, c->p) != CLI_OK || cli_request_note(&c->request, c->gpu) != COWARP_OK)
        return CLI_FAILED;
    c->x = cli_request_context(&c->request, c->gpu, o.seed);
    return CLI_OK;
}

static uint64_t cycle_of(const struct crash *c, uint64_t persist)
{
    struct cowarp_persist p = {0};
    cowarp_persist_at(c->session.gpu, persist, &p);
    return p.cycle;
}

/* The image as it was before the recovery changed it. */
static int save_image(struct crash *c, uint64_t n)
{
    int status = cowarp_pm_crash(c->gpu, c->session.gpu, n);
    if (status == COWARP_OK)
        status = cowarp_pm_save(c->gpu, c->image);
    return status == COWARP_OK ? CLI_OK : cli_error(CLI_FAILED, "%s", cowarp_error(c->gpu));
}

static int report(struct crash *c, uint64_t n, int outcome)
{
    char why[700];
    snprintf(why, sizeof why, "%s", crash_why(c, outcome));
    if (cli_interrupted())
        return cli_error(cli_exit_of(COWARP_ELIMIT), "interrupted after %" PRIu64 " crash points, all right", c->done);
    cli_error(CLI_FAILED, "%s: crash after %" PRIu64 " of %" PRIu64 " persists, before cycle %" PRIu64 ": %s", c->request.workload->name, n,
              c->persists, n < c->persists ? cycle_of(c, n) : cowarp_cycles(c->session.gpu), why);
    if (save_image(c, n) == CLI_OK)
        crash_print_replay(c);
    return CLI_FAILED;
}

static int crash_at(struct crash *c, uint64_t n)
{
    int status = cowarp_reset(c->gpu);
    if (status == COWARP_OK)
        status = cowarp_pm_crash(c->gpu, c->session.gpu, n);
    if (status != COWARP_OK)
        return cli_error(CLI_FAILED, "%s", cowarp_error(c->gpu));
    status = crash_recover(c);
    if (status != COWARP_OK)
        return report(c, n, status);
    c->done++;
    return CLI_OK;
}

/* That many different points, in ascending order: each is as likely as any other. */
static int crash_at_all(struct crash *c)
{
    uint64_t state = c->session.options.seed, left = c->wanted;
    int status = CLI_OK;
    for (uint64_t n = 0; status == CLI_OK && left > 0 && n <= c->persists; n++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double random = (double)(state >> 11) / (double)(UINT64_C(1) << 53);
        if (random * (double)(c->persists + 1 - n) >= (double)left)
            continue;
        left--;
        status = crash_at(c, n);
    }
    return status;
}

static int crash_at_cycle(struct crash *c)
{
    uint64_t n = 0;
    while (n < c->persists && cycle_of(c, n) <= c->cycle)
        n++;
    if (cli_has(c->p, "image") && save_image(c, n) != CLI_OK)
        return CLI_FAILED;
    return crash_at(c, n);
}

/* Statistics are those of the recoveries. */
static int conclude(struct crash *c)
{
    if (c->session.stats != NULL && cowarp_write_stats(c->gpu, c->session.stats, c->request.workload->name,
                                                       cli_variant_name(c->request.variant), "passed") != COWARP_OK)
        return cli_error(CLI_FAILED, "%s", cowarp_error(c->gpu));
    if (c->session.quiet || c->model)
        return CLI_OK;
    printf("  crash points  %" PRIu64 " of %" PRIu64 ", all recovered and right%s%s\n", c->done, c->persists + 1,
           c->x.message[0] != '\0' ? ": " : "", c->x.message);
    if (c->done > 0)
        printf("  recovery      %" PRIu64 " cycles on average\n", c->cycles / c->done);
    return CLI_OK;
}

static int carry_out(struct crash *c)
{
    if (c->model)
        return cli_has(c->p, "operations") ? crash_operations(c) : crash_explore(c);
    return c->at_cycle ? crash_at_cycle(c) : crash_at_all(c);
}

static int simulate(struct crash *c)
{
    int status = cli_session_open_logged(&c->session, c->p, c->request.workload->name, c->request.system, c->model ? 2 : 1);
    const char *stats = c->session.stats;
    c->session.stats = NULL; /* not of the run */
    if (status == CLI_OK)
        status = run_whole(c);
    if (status == CLI_OK)
        status = create_second(c);
    if (status == CLI_OK)
        status = carry_out(c);
    c->session.stats = stats;
    if (status == CLI_OK)
        status = conclude(c);
    if (c->gpu != NULL)
        cowarp_destroy(c->gpu);
    cli_session_close(&c->session);
    return status;
}

static int crash(const struct cli_parsed *p)
{
    struct crash c = {.p = p};
    int status = cli_request_read(&c.request, p, "crash");
    if (status == CLI_OK)
        status = read_points(&c);
    if (status == CLI_OK)
        status = check(&c);
    if (status == CLI_OK)
        status = simulate(&c);
    cli_request_free(&c.request);
    return status;
}

static const struct cli_option options[] = {
    {"points", "N", 0, "N states or moments, all-persists for each moment, or cycle:N for one; see below"},
    {"explore", "WHAT", 0,
     "with N: model (default), states that the persistency model allows; or log, moments of the run at random (--seed)"},
    {"without", "LINE", 0, "of the model: as if the ordering operation in this line of the PTX were not there"},
    {"operations", NULL, 0, "of the model: leaves out each ordering operation in turn, and says which of them the recovery needs"},
    {"image", "FILE", CLI_WATCHES,
     "where the image of a point that is wrong goes (default WORKLOAD.crash.pm); with cycle:N, that of the point"},
    CLI_WORKLOAD_OPTIONS,
};

const struct cli_command cli_crash = {
    .name = "crash",
    .usage = "WORKLOAD --points N|all-persists|cycle:N [OPTIONS]",
    .what = "Runs a workload, then recovers it from moments at which the power fails",
    .option = options,
    .option_cnt = sizeof options / sizeof options[0],
    .takes_machine = true,
    .notes =
        "A crash point is a moment of the run, with what was durable then; or a state that could have been left, since nothing that the "
        "program\n"
        "orders forbids it (docs/persistency.md). A new GPU gets what is durable, recovers, and the workload verifies its data. It stops "
        "at the\n"
        "first point that is wrong, and says how to see that one again.\n"
        "--stats writes the statistics of the recoveries.\n"
        "For example: cowarp crash gpkvs --points 1000\n",
    .run = crash,
};
