/* SPDX-License-Identifier: Apache-2.0 */
#include "adversary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    uint8_t *at;
    uint64_t cnt;
};

/* A GPU of the session's machine, with two settings more; seed 0: the machine as it is. */
static int open_gpu(struct cowarp_gpu **gpu, const struct cli_session *s, uint32_t seed)
{
    struct cowarp_options o = s->options;
    char text[64];
    uint32_t cnt = 0;
    while (o.settings != NULL && o.settings[cnt] != NULL)
        cnt++;
    const char **settings = calloc(cnt + 3u, sizeof *settings);
    if (settings == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    if (cnt > 0)
        memcpy(settings, o.settings, cnt * sizeof *settings);
    snprintf(text, sizeof text, "core.memory_seed=%" PRIu32, seed);
    settings[cnt] = seed != 0 ? "core.memory=adversary" : NULL;
    settings[cnt + 1] = seed != 0 ? text : NULL;
    o.settings = settings;
    const int status = cowarp_create(gpu, &o);
    free(settings);
    return status == COWARP_OK ? CLI_OK : cli_error(cli_exit_of(status), "%s", cowarp_error(*gpu));
}

/* All buffers, one behind the other. */
static int take_bytes(struct bytes *to, struct cowarp_gpu *gpu, const struct cli_buffer *list, uint32_t cnt)
{
    *to = (struct bytes){0};
    for (uint32_t i = 0; i < cnt; i++)
        to->cnt += list[i].bytes;
    to->at = malloc(to->cnt + 1);
    uint64_t at = 0;
    int status = to->at != NULL ? COWARP_OK : COWARP_ENOMEM;
    for (uint32_t i = 0; status == COWARP_OK && i < cnt; at += list[i++].bytes)
        status = cowarp_read(gpu, to->at + at, list[i].address, list[i].bytes);
    return status;
}

static void print_again(uint32_t seed)
{
    fprintf(stderr,
            "cowarp: to see it again, in the place of --adversary: --set core.memory=adversary --set core.memory_seed=%" PRIu32 "\n", seed);
}

/* The first 32-bit word that differs. */
static int tell_difference(const struct bytes *first, const struct bytes *now, const struct cli_buffer *list, uint32_t cnt, uint32_t seed)
{
    uint64_t at = 0, base = 0;
    uint32_t i = 0, word[2] = {0};
    while (at + 1 < now->cnt && first->at[at] == now->at[at])
        at++;
    while (i + 1 < cnt && at >= base + list[i].bytes)
        base += list[i++].bytes;
    const uint64_t in = (at - base) / 4 * 4, bytes = list[i].bytes - in < 4 ? list[i].bytes - in : 4;
    memcpy(&word[0], first->at + base + in, bytes);
    memcpy(&word[1], now->at + base + in, bytes);
    cli_error(CLI_FAILED, "results differ: byte %" PRIu64 " of %s: 0x%" PRIx32 " on the machine as it is, 0x%" PRIx32 " with seed %" PRIu32,
              in, list[i].name, word[0], word[1], seed);
    print_again(seed);
    return CLI_FAILED;
}

static int run_one(const struct cli_adversary_run *r, const struct cli_session *s, uint32_t seed, struct bytes *bytes)
{
    struct cowarp_gpu *gpu = NULL;
    const struct cli_buffer *list;
    int status = open_gpu(&gpu, s, seed);
    const int outcome = status == CLI_OK ? r->run(r->self, gpu) : COWARP_OK;
    if (status == CLI_OK && outcome == COWARP_OK)
        status =
            take_bytes(bytes, gpu, list, r->buffers(r->self, &list)) == COWARP_OK ? CLI_OK : cli_error(CLI_FAILED, "%s", cowarp_error(gpu));
    else if (status == CLI_OK)
        status = cli_error(cli_exit_of(outcome), "%s%s: %s", s->title, seed != 0 ? " under an adversary" : "", cowarp_error(gpu));
    if (outcome != COWARP_OK && seed != 0 && !cli_interrupted())
        print_again(seed);
    if (gpu != NULL)
        cowarp_destroy(gpu);
    return status;
}

/* Run 0 is the machine as it is. */
static int compare(const struct cli_adversary_run *r, const struct cli_session *s, uint32_t runs)
{
    struct bytes first = {0}, now = {0};
    const struct cli_buffer *list;
    int status = run_one(r, s, 0, &first);
    for (uint32_t seed = 1; status == CLI_OK && seed <= runs; seed++) {
        status = run_one(r, s, seed, &now);
        const uint32_t cnt = status == CLI_OK ? r->buffers(r->self, &list) : 0;
        if (status == CLI_OK && (now.cnt != first.cnt || memcmp(now.at, first.at, now.cnt) != 0))
            status = tell_difference(&first, &now, list, cnt, seed);
        free(now.at);
        now.at = NULL;
    }
    free(first.at);
    if (status == CLI_OK && !s->quiet)
        printf("  adversary     %" PRIu32 " runs, all with the results of the machine as it is: %" PRIu64 " bytes\n", runs, first.cnt);
    return status;
}

int cli_adversary(const struct cli_parsed *p, const struct cli_adversary_run *r)
{
    struct cli_session s;
    const char *text = cli_value(p, "adversary", "");
    uint32_t runs = 0;
    if (!cli_u32(text, &runs) || runs == 0)
        return cli_error(CLI_WRONG, "--adversary '%s': expected a number of runs from 1 on", text);
    if (cli_has(p, "functional"))
        return cli_error(CLI_WRONG, "--adversary: a functional run has no order of accesses to change; leave out --functional");
    if (cli_has(p, "pm"))
        return cli_error(CLI_WRONG, "--adversary: each run begins with the same memory; leave out --pm");
    int status = cli_session_read(&s, p, r->title, r->system);
    cli_catch_signals();
    if (status == CLI_OK)
        status = compare(r, &s, runs);
    cli_session_close(&s);
    return status;
}
