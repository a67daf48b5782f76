/* SPDX-License-Identifier: Apache-2.0 */
/* The sockets of a core, and what it has for its wavefronts and groups. */
#include <stdlib.h>
#include <string.h>

#include "mech/local/core_private.h"

/* ---- blocks ---- */

static void block_start(void *self, uint32_t block, uint64_t warps, cw_time now)
{
    struct cw_local_core *c = self;
    struct cw_local_group *g = c->group + block;
    const uint32_t words = c->local->words;
    uint32_t number = 0;
    if (g->word_cap < words) {
        free(g->word);
        g->word = calloc(words, sizeof *g->word);
        g->word_cap = g->word != NULL ? words : 0;
        if (g->word == NULL) {
            cw_local__memory_full(c);
            return;
        }
    }
    if (words > 0)
        memset(g->word, 0, words * sizeof *g->word);
    g->warps = warps;
    g->started = now;
    g->running = g->queue_cnt = 0;
    g->holder = CW_LOCAL_NO_ONE;
    for (uint64_t left = warps; left != 0; left &= left - 1) {
        struct cw_local_wave *w = c->wave + __builtin_ctzll(left);
        *w = (struct cw_local_wave){.phase = CW_LOCAL_OUT, .group = block, .number = number++, .since = now};
    }
}

static void block_end(void *self, uint32_t block, cw_time now)
{
    struct cw_local_core *c = self;
    struct cw_local_group *g = c->group + block;
    const cw_time period = c->local->period;
    for (uint64_t left = g->warps; left != 0; left &= left - 1) {
        cw_local__phase(c, (uint32_t)__builtin_ctzll(left), CW_LOCAL_OUT, now);
        c->local->counters->ltm_wavefront_cycles += now / period - g->started / period;
    }
    cw_local__leave(c, block, 0, c->local->words, now);
    g->warps = 0;
}

/* ---- regions and accesses ---- */

static bool begin(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    return cw_local__begin(self, warp, lanes, now);
}

static void end(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    cw_local__end(self, warp, lanes, now);
}

static enum cw_access_verdict access(void *self, struct cw_mem_inst *inst, cw_time now, cw_time *again)
{
    const enum cw_access_verdict v = cw_local__access(self, inst, now);
    if (v == CW_ACCESS_WAIT)
        *again = now + ((const struct cw_local_core *)self)->local->period;
    return v;
}

static cw_time tick(void *self, cw_time now)
{
    struct cw_local_core *c = self;
    const cw_time undo = cw_local__undo_cycle(c, now), turns = cw_local__turns_cycle(c, now), access = cw_local__access_cycle(c, now);
    cw_time next = undo < turns ? undo : turns;
    if (c->ends != 0 || c->undo_ring.cnt > 0)
        next = now + c->local->period;
    return next < access ? next : access;
}

static bool idle(const void *self)
{
    const struct cw_local_core *c = self;
    return c->inst_ring.cnt == 0 && c->undo_ring.cnt == 0 && c->ends == 0 && c->chooses == 0 && c->chosen == CW_LOCAL_NO_ONE;
}

static void report(const void *self, FILE *out)
{
    static const char *const phase[] = {[CW_LOCAL_BEGINS] = "waits at tx_begin for the end of another wavefront's work-group serialisation",
                                        [CW_LOCAL_RUNS] = "runs",
                                        [CW_LOCAL_ENDS] = "restores words",
                                        [CW_LOCAL_CHOOSES] = "is about to retry",
                                        [CW_LOCAL_ASKS] = "waits for the token of its block",
                                        [CW_LOCAL_STOPS] = "has stopped for another wavefront of its block"};
    const struct cw_local_core *c = self;
    for (uint32_t i = 0; i < c->local->host.config->core_warps; i++) {
        const struct cw_local_wave *w = c->wave + i;
        if (w->phase != CW_LOCAL_OUT)
            fprintf(out, "core %u warp %u: transaction %s; held back %016llx, in conflict %016llx\n", c->index, i, phase[w->phase],
                    (unsigned long long)w->start, (unsigned long long)w->dead);
    }
}

const struct cw_core_sockets cw_local__sockets = {.region_begin = begin,
                                                  .region_end = end,
                                                  .access = access,
                                                  .block_start = block_start,
                                                  .block_end = block_end,
                                                  .tick = tick,
                                                  .idle = idle,
                                                  .report = report};

/* ---- creation ---- */

void cw_local__core_destroy(struct cw_local_core *c)
{
    if (c == NULL)
        return;
    cw_local__units_destroy(c);
    for (uint32_t i = 0; c->group != NULL && i < c->local->host.config->core_blocks; i++) {
        free(c->group[i].word);
        for (uint32_t k = 0; k < CW_LOCAL_ITEMS; k++)
            free(c->group[i].item[k].entry);
    }
    free(c->group);
    free(c->wave);
    free(c->inst);
    free(c->undo);
    free(c->clear);
    free(c);
}

int cw_local__core_create(struct cw_local_core **out, const struct cw_local *local, uint32_t index, struct cw_error *err)
{
    const struct cw_config *config = local->host.config;
    struct cw_local_core *c = *out = calloc(1, sizeof *c);
    if (c == NULL)
        return CW_ENOMEM;
    c->local = local;
    c->core = local->host.core[index];
    c->index = index;
    c->chosen = CW_LOCAL_NO_ONE;
    c->undo_cap = config->core_warps * (local->width + 2);
    c->wave = calloc(config->core_warps, sizeof *c->wave);
    c->group = calloc(config->core_blocks, sizeof *c->group);
    c->inst = calloc(CW_LOCAL_INSTS, sizeof *c->inst);
    c->undo = calloc(c->undo_cap, sizeof *c->undo);
    c->clear = calloc(c->undo_cap, sizeof *c->clear);
    if (c->wave == NULL || c->group == NULL || c->inst == NULL || c->undo == NULL || c->clear == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < config->core_blocks; i++)
        c->group[i].holder = CW_LOCAL_NO_ONE;
    return cw_local__units_create(c, err);
}
