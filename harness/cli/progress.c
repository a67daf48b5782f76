/* SPDX-License-Identifier: Apache-2.0 */
/* What `cowarp serve` shows of a run: a file of JSON, renewed each second. It is no part of a result, so what goes wrong with it is not told. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "file/out_file.h"

#define INTERVAL_SECONDS 1.0

void cli_progress_open(struct cli_session *s)
{
    s->progress = getenv("COWARP_PROGRESS"); /* the runner has set it (scripts/results/runner.py) */
}

void cli_progress_note(struct cli_session *s, double now, const char *what, uint64_t done, uint64_t total)
{
    struct cw_out_file out;
    struct cw_error err;
    const char *name, *unit, *definition;
    uint64_t value;
    if (s->progress == NULL || s->started <= 0 || now - s->noted_at < INTERVAL_SECONDS) /* while RTL is built, other threads ask */
        return;
    s->noted_at = now;
    if (cw_out_file_open(&out, s->progress, &err) != 0)
        return;
    fprintf(out.file,
            "{\"what\": \"%s\", \"done\": %" PRIu64 ", \"total\": %" PRIu64 ", \"cycles\": %" PRIu64 ", \"seconds\": %.3f, \"counters\": {",
            what, done, total, cowarp_cycles(s->gpu), now - s->started);
    for (uint32_t i = 0; cowarp_counter_at(s->gpu, i, &name, &value, &unit, &definition); i++)
        fprintf(out.file, "%s\"%s\": %" PRIu64, i > 0 ? ", " : "", name, value);
    fputs("}}\n", out.file);
    cw_out_file_close(&out, &err);
}
