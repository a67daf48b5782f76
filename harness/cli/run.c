/* SPDX-License-Identifier: Apache-2.0 */
/* cowarp run: one workload under one system, or its recovery. */
#include <stdio.h>

#include "cli.h"
#include "workloads.h"

static int check_recovery(const struct cli_request *q, const struct cli_parsed *p)
{
    if (!cli_has(p, "recover"))
        return CLI_OK;
    if (q->workload->recover == NULL)
        return cli_error(CLI_WRONG, "workload %s cannot recover; 'cowarp list' says which can", q->workload->name);
    if (!cli_has(p, "pm"))
        return cli_error(CLI_WRONG, "--recover without --pm; give --pm FILE too");
    return CLI_OK;
}

static int simulate(const struct cli_request *q, const struct cli_parsed *p)
{
    struct cli_session s;
    int status = cli_session_open(&s, p, q->workload->name, q->system);
    if (status == CLI_OK) {
        struct cowarp_workload_context x = cli_request_context(q, s.gpu, s.options.seed);
        uint64_t cycles;
        int outcome = cli_request_note(q, s.gpu);
        if (outcome == COWARP_OK)
            outcome = cli_has(p, "recover") ? cli_request_recover(q, &x, &cycles) : q->workload->run(&x);
        const struct cli_result r = {
            .workload = q->workload->name,
            .variant = cli_variant_name(q->variant),
            .status = outcome,
            .check = outcome == COWARP_OK ? "passed" : "failed",
            .message = x.message[0] != '\0' ? x.message : NULL,
        };
        if (outcome != COWARP_OK && cli_has(p, "recover"))
            cowarp_pm_discard(s.gpu); /* the file may be needed for another try */
        status = cli_session_end(&s, &r);
    }
    cli_session_close(&s);
    return status;
}

static int run(const struct cli_parsed *p)
{
    struct cli_request q;
    int status = cli_request_read(&q, p, "run");
    if (status == CLI_OK)
        status = check_recovery(&q, p);
    if (status == CLI_OK)
        status = simulate(&q, p);
    cli_request_free(&q);
    return status;
}

static const struct cli_option options[] = {
    CLI_WORKLOAD_OPTIONS,
    {"recover", NULL, 0, "instead of the run: its recovery from the persistent memory of --pm; the file changes only when all is right"},
};

const struct cli_command cli_run = {
    .name = "run",
    .usage = "WORKLOAD [OPTIONS]",
    .what = "Runs a workload, checks its result and prints a summary",
    .option = options,
    .option_cnt = sizeof options / sizeof options[0],
    .takes_machine = true,
    .notes = "For example: cowarp run ht-h --system getm --unit validation_unit=rtl --stats ht-h.json\n",
    .run = run,
};
