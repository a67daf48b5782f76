/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cowarp crash: the recovery of a workload, or of a script of anyone's, from many moments of its run. One run logs what becomes durable, and what is ordered before what. A
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
    c->twice = cli_has(c->p, "twice");
    if (c->twice && (!c->model || cli_has(c->p, "without") || cli_has(c->p, "operations")))
        return cli_error(CLI_WRONG,
                         "--twice fails in states of the model, of the program as it is: with --points N, without --explore log, "
                         "--without and --operations");
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

static int read_workload(struct crash *c)
{
    static const char *const of_script[] = {"recover", "verify"};
    for (uint32_t i = 0; i < 2; i++)
        if (cli_has(c->p, of_script[i]))
            return cli_error(CLI_WRONG, "--%s goes with --script; a workload brings its own", of_script[i]);
    if (c->p->word_cnt == 1 && strlen(c->p->word[0]) > 4 && strcmp(c->p->word[0] + strlen(c->p->word[0]) - 4, ".ptx") == 0)
        return cli_error(CLI_WRONG, "crash of a PTX file needs --script FILE, which launches its kernels, and --recover KERNEL");
    const int status = cli_request_read(&c->request, c->p, "crash");
    if (status != CLI_OK)
        return status;
    const struct cowarp_workload *w = c->request.workload;
    if (w->recover == NULL)
        return cli_error(CLI_WRONG, "workload %s cannot recover; 'cowarp list' says which can", w->name);
    c->name = w->name;
    c->variant = cli_variant_name(c->request.variant);
    c->system = c->request.system;
    return CLI_OK;
}

/* A script's name is that of its file. */
static int read_script(struct crash *c)
{
    static const char *const of_workload[] = {"variant", "param"};
    const char *path = cli_value(c->p, "script", NULL), *slash = strrchr(path, '/');
    for (uint32_t i = 0; i < 2; i++)
        if (cli_has(c->p, of_workload[i]))
            return cli_error(CLI_WRONG, "--%s is of a workload; leave it out with --script", of_workload[i]);
    if (c->p->word_cnt > 1)
        return cli_error(CLI_WRONG, "crash takes one PTX file with --script, not '%s' too; load others in the script", c->p->word[1]);
    if (!cli_has(c->p, "recover"))
        return cli_error(CLI_WRONG, "crash of a script needs --recover KERNEL, whose launch begins its recovery");
    c->is_script = true;
    c->name = slash != NULL ? slash + 1 : path;
    c->system = cli_value(c->p, "system", "none");
    const int status = cli_script_open(&c->script, c->p);
    return status == CLI_OK ? cli_script_find_parts(&c->parts, &c->script, c->p) : status;
}

static int check(struct crash *c)
{
    struct cw_error err;
    if (cli_has(c->p, "pm"))
        return cli_error(CLI_WRONG, "crash and --pm: it makes an image of its own at each point; leave out --pm");
    const int status = cli_jobs_read(&c->jobs, c->p);
    if (status != CLI_OK)
        return status;
    if ((c->jobs.at_once > 1 || c->jobs.journal != NULL) && (cli_has(c->p, "stats") || cli_has(c->p, "operations")))
        return cli_error(CLI_WRONG,
                         "--jobs and --journal: --stats and --operations need all recoveries in one process; leave some of them out");
    const char *image = cli_value(c->p, "image", NULL);
    snprintf(c->image, sizeof c->image, "%s%s", image != NULL ? image : c->name, image != NULL ? "" : ".crash.pm");
    if (cw_out_file_check(c->image, &err) != CW_OK)
        return cli_error(CLI_WRONG, "--image: %s", err.text);
    return CLI_OK;
}

static int run_workload(struct crash *c)
{
    struct cowarp_workload_context x = cli_request_context(&c->request, c->session.gpu, c->session.options.seed);
    const int outcome = c->request.workload->run(&x);
    const struct cli_result r = {.workload = c->name,
                                 .variant = c->variant,
                                 .status = outcome,
                                 .check = outcome == COWARP_OK ? "passed" : "failed",
                                 .message = x.message[0] != '\0' ? x.message : NULL};
    return cli_session_end(&c->session, &r);
}

static int run_script(struct crash *c)
{
    struct script_run x = {0};
    char place[4200];
    int status = cli_script_begin(&x, &c->script, c->session.gpu);
    if (status == CLI_OK) {
        struct cli_result r = {.workload = c->name, .status = cli_script_carry_out(&x, 0, c->parts.recover)};
        if (r.status != COWARP_OK) {
            cli_script_place(&x, place, sizeof place);
            r.place = place;
            r.message = x.message[0] != '\0' ? x.message : NULL;
        }
        status = cli_session_end(&c->session, &r);
    }
    cli_script_end(&x);
    return status;
}

/* The run whose moments are the crash points; it has to be right. */
static int run_whole(struct crash *c)
{
    const int status = c->is_script ? run_script(c) : run_workload(c);
    if (status != CLI_OK)
        return status;
    c->persists = cowarp_persist_count(c->session.gpu);
    if (c->at_cycle && c->cycle > cowarp_cycles(c->session.gpu))
        return cli_error(CLI_WRONG, "--points cycle:%" PRIu64 ": the run has %" PRIu64 " cycles", c->cycle, cowarp_cycles(c->session.gpu));
    return CLI_OK;
}

/* A script may be wrong, and then no state tells anything: it has to recover from a run that has come to its end. */
static int rehearse(struct crash *c)
{
    char why[700];
    int status = cowarp_pm_crash(c->first.gpu, c->session.gpu, c->persists);
    if (status == COWARP_OK)
        status = crash_recover(c, &c->first);
    if (status == COWARP_OK)
        return CLI_OK;
    crash_why(c, &c->first, status, why, sizeof why);
    return cli_error(cli_exit_of(status), "%s: recovery is wrong without a failure, when the program has ended and all is durable: %s",
                     c->name, why);
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
    int status = cowarp_pm_crash(c->first.gpu, c->session.gpu, n);
    if (status == COWARP_OK)
        status = cowarp_pm_save(c->first.gpu, c->image);
    return status == COWARP_OK ? CLI_OK : cli_error(CLI_FAILED, "%s", cowarp_error(c->first.gpu));
}

static int report(struct crash *c, uint64_t n, int outcome)
{
    char why[700];
    crash_why(c, &c->first, outcome, why, sizeof why);
    if (cli_interrupted())
        return cli_error(cli_exit_of(COWARP_ELIMIT), "interrupted after %" PRIu64 " crash points, all right", c->done);
    cli_error(CLI_FAILED, "%s: crash after %" PRIu64 " of %" PRIu64 " persists, before cycle %" PRIu64 ": %s", c->name, n, c->persists,
              n < c->persists ? cycle_of(c, n) : cowarp_cycles(c->session.gpu), why);
    if (save_image(c, n) == CLI_OK)
        crash_print_replay(c);
    return CLI_FAILED;
}

static int crash_at(struct crash *c, uint64_t n)
{
    int status = cowarp_reset(c->first.gpu);
    if (status == COWARP_OK)
        status = cowarp_pm_crash(c->first.gpu, c->session.gpu, n);
    if (status != COWARP_OK)
        return cli_error(CLI_FAILED, "%s", cowarp_error(c->first.gpu));
    status = crash_recover(c, &c->first);
    if (status == COWARP_OK)
        return CLI_OK;
    return c->jobs.worker ? CLI_FAILED : report(c, n, status);
}

static int crash_at_point(void *context, uint64_t i, void *result)
{
    struct crash *c = context;
    struct crash_result *r = result;
    const int status = crash_at(c, c->point[i]);
    r->cycles = c->last;
    return status;
}

/* Points in their order; what the last one says is told of all. */
static int crash_at_each(struct crash *c, uint64_t cnt)
{
    int status = crash_points(c, crash_at_point, c, "points", cnt);
    if (status == CLI_OK && cnt > 0 && !c->session.quiet && !c->is_script && c->first.x.message[0] == '\0')
        status = crash_at(c, c->point[cnt - 1]); /* another process has made it, or an earlier command */
    return status;
}

/* That many different points, in ascending order: each is as likely as any other. */
static int crash_at_all(struct crash *c)
{
    uint64_t state = c->session.options.seed, left = c->wanted < c->persists + 1 ? c->wanted : c->persists + 1, cnt = 0;
    c->point = calloc(left + 1, sizeof *c->point);
    if (c->point == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    for (uint64_t n = 0; left > 0 && n <= c->persists; n++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double random = (double)(state >> 11) / (double)(UINT64_C(1) << 53);
        if (random * (double)(c->persists + 1 - n) >= (double)left)
            continue;
        left--;
        c->point[cnt++] = n;
    }
    return crash_at_each(c, cnt);
}

static int crash_at_cycle(struct crash *c)
{
    uint64_t n = 0;
    while (n < c->persists && cycle_of(c, n) <= c->cycle)
        n++;
    if (cli_has(c->p, "image") && save_image(c, n) != CLI_OK)
        return CLI_FAILED;
    c->point = malloc(sizeof *c->point);
    if (c->point == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    c->point[0] = n;
    return crash_at_each(c, 1);
}

/* Statistics are those of the recoveries. */
static int conclude(struct crash *c)
{
    const char *said = c->is_script ? "" : c->first.x.message;
    if (c->session.stats != NULL && cowarp_write_stats(c->first.gpu, c->session.stats, c->name, c->variant, "passed") != COWARP_OK)
        return cli_error(CLI_FAILED, "%s", cowarp_error(c->first.gpu));
    if (c->session.quiet || c->model)
        return CLI_OK;
    printf("  crash points  %" PRIu64 " of %" PRIu64 ", all recovered and right%s%s\n", c->done, c->persists + 1,
           said[0] != '\0' ? ": " : "", said);
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
    int status = cli_session_open_logged(&c->session, c->p, c->name, c->system, c->model ? 2 : 1);
    const char *stats = c->session.stats;
    c->session.stats = NULL; /* not of the run */
    if (status == CLI_OK)
        status = run_whole(c);
    if (status == CLI_OK)
        status = crash_gpu_open(c, &c->first, c->twice ? 2 : 0);
    if (status == CLI_OK && c->twice)
        status = crash_gpu_open(c, &c->second, 0);
    if (status == CLI_OK && c->is_script)
        status = rehearse(c);
    if (status == CLI_OK)
        status = carry_out(c);
    c->session.stats = stats;
    if (status == CLI_OK)
        status = conclude(c);
    free(c->point);
    crash_gpu_close(&c->first);
    crash_gpu_close(&c->second);
    cli_session_close(&c->session);
    return status;
}

static int crash(const struct cli_parsed *p)
{
    struct crash c = {.p = p};
    int status = cli_has(p, "script") ? read_script(&c) : read_workload(&c);
    if (status == CLI_OK)
        status = read_points(&c);
    if (status == CLI_OK)
        status = check(&c);
    if (status == CLI_OK)
        status = simulate(&c);
    cli_request_free(&c.request);
    cli_script_free(&c.script);
    return status;
}

static const struct cli_option options[] = {
    {"points", "N", 0, "N states or moments, all-persists for each moment, or cycle:N for one; see below"},
    {"explore", "WHAT", 0,
     "with N: model (default), states that the persistency model allows; or log, moments of the run at random (--seed)"},
    {"without", "LINE", 0, "of the model: as if the ordering operation in this line of the PTX were not there"},
    {"operations", NULL, 0, "of the model: leaves out each ordering operation in turn, and says which of them the recovery needs"},
    {"twice", NULL, 0, "of the model: each recovery fails as well, in up to 8 states of its own, and recovers again"},
    {"image", "FILE", CLI_WATCHES,
     "where the image of a point that is wrong goes (default WORKLOAD.crash.pm); with cycle:N, that of the point"},
    {"script", "FILE", 0, "instead of a workload: a script as of cowarp exec. A PTX file before the options is loaded first"},
    {"recover", "KERNEL", 0, "of a script: the first launch of this kernel begins the recovery; what stands above it is the program"},
    {"verify", "KERNEL|COMMAND", 0,
     "of a script: the launch of this kernel begins the verification; or a command that verifies, with status 0 when all is right"},
    CLI_JOBS_OPTIONS,
    CLI_WORKLOAD_OPTIONS,
};

const struct cli_command cli_crash = {
    .name = "crash",
    .usage = "WORKLOAD --points N|all-persists|cycle:N [OPTIONS] | [FILE.ptx] --script FILE --recover KERNEL --points N [OPTIONS]",
    .what = "Runs a workload or a script, then recovers it from moments at which the power fails",
    .option = options,
    .option_cnt = sizeof options / sizeof options[0],
    .takes_machine = true,
    .notes =
        "A crash point is a moment of the run, with what was durable then; or a state that could have been left, since nothing that the "
        "program\n"
        "orders forbids it (docs/persistency.md). A new GPU gets what is durable, recovers, and the workload verifies its data. It stops "
        "at the\n"
        "first point that is wrong, and says how to see that one again.\n"
        "After a failure a script loads its files and fills its memory that is not persistent, as above; its persistent memory is what the "
        "failure\n"
        "has left. Then comes what stands from the launch of --recover on.\n"
        "--stats writes the statistics of the recoveries.\n"
        "For example: cowarp crash gpkvs --points 1000\n"
        "             cowarp crash log.ptx --script log.txt --recover recover --verify verify --points 500\n",
    .run = crash,
};
