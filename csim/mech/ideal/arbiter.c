/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Idealised conflict detection for the systems `ideal` and `warptm-el`: one place that knows all commits, and decides in two core cycles.
 *
 * Commits are numbered. A load brings along the number of the last commit that its partition has seen (its stamp), and a transaction may
 * commit when no word that it read has been written by a later one. Its writes then enter all partitions at the same clock edge, so that no
 * load sees half of them. Lanes of a warp are decided in ascending order, each after the writes of those before it.
 *
 * Running transactions that have read what a commit wrote abort as soon as their core looks: each core follows the list of written words, a
 * cycle behind, and finds the readers with a filter of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "mech/kilo/kilo_state.h"
#include "mech/tm/write_set.h"

#define LISTED 65536u /* written words that cores can still follow; power of two */

struct slot {
    uint64_t word, commit; /* commit 0: free */
};

struct listed {
    uint64_t word, commit;
    cw_time when;
};

struct cw_kilo_arbiter {
    struct cw_component component;
    struct cw_kilo *tm;
    uint64_t commits, next_id;
    struct slot *slot; /* last commit per word: open addressing */
    uint32_t slot_cap, slot_cnt;
    struct listed listed[LISTED];
    uint64_t listed_cnt;
    uint64_t *followed; /* per core: of these, looked at */
    struct cw_kilo_grant *grant;
    uint32_t *granted;
    struct cw_write_set set; /* of the lane that is being decided */
};

static struct slot *find(struct cw_kilo_arbiter *a, uint64_t word)
{
    uint32_t at = (uint32_t)((word * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & (a->slot_cap - 1);
    while (a->slot[at].commit != 0 && a->slot[at].word != word)
        at = (at + 1) & (a->slot_cap - 1);
    return a->slot + at;
}

static bool grow(struct cw_kilo_arbiter *a)
{
    struct slot *old = a->slot;
    uint32_t cap = a->slot_cap;
    if (2 * a->slot_cnt < cap)
        return true;
    a->slot = calloc(2 * (size_t)cap, sizeof *a->slot);
    if (a->slot == NULL) {
        a->slot = old;
        cw_kilo__fault(a->tm, CW_ENOMEM, "out of host memory for the idealised conflict detection");
        return false;
    }
    a->slot_cap = 2 * cap;
    for (uint32_t i = 0; i < cap; i++)
        if (old[i].commit != 0)
            *find(a, old[i].word) = old[i];
    free(old);
    return true;
}

static bool fresh(struct cw_kilo_arbiter *a, const struct cw_kilo_warp *w, uint32_t lane)
{
    for (uint32_t i = 0; i < w->log.read_cnt; i++)
        if ((w->log.read[i].lanes >> lane & 1) != 0 && find(a, w->log.read[i].addr[lane])->commit > w->stamp[i][lane])
            return false;
    return true;
}

static void publish(struct cw_kilo_arbiter *a, const struct cw_kilo_warp *w, uint32_t lane, cw_time now)
{
    a->commits++;
    cw_write_set_clear(&a->set);
    if (cw_write_set_merge(&a->set, &w->log, 1u << lane, CW_GLOBAL_BASE, 5) != CW_OK)
        cw_kilo__fault(a->tm, CW_ENOMEM, "out of host memory for a write set");
    for (uint32_t i = 0; i < a->set.word_cnt && grow(a); i++) {
        const struct cw_write_word *word = a->set.word + i;
        struct slot *s = find(a, word->addr);
        a->slot_cnt += s->commit == 0;
        *s = (struct slot){.word = word->addr, .commit = a->commits};
        a->listed[a->listed_cnt++ % LISTED] = (struct listed){.word = word->addr, .commit = a->commits, .when = now};
        struct cw_kilo_apply e = {.addr = word->addr,
                                  .value = word->value,
                                  .bytes = word->bytes,
                                  .commit = a->commits,
                                  .attempt = w->attempt[lane],
                                  .ready = now + 1};
        cw_kilo__port_apply(a->tm->port[cw_address_partition(a->tm->config, e.addr)], &e);
    }
}

static void decide(struct cw_kilo_arbiter *a, uint32_t core, uint32_t warp, cw_time now)
{
    const struct cw_config *config = a->tm->config;
    const struct cw_kilo_warp *w = a->tm->core[core].warp + warp;
    uint32_t places = config->core_warps + 1, pass = 0, writers = 0;
    for (uint32_t rest = w->members; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (!fresh(a, w, lane))
            continue;
        pass |= 1u << lane;
        publish(a, w, lane, now);
    }
    for (uint32_t i = 0; i < w->log.write_cnt; i++)
        writers |= w->log.write[i].lanes & pass;
    struct cw_kilo_grant *g = a->grant + core * places + a->granted[core]++ % places;
    *g = (struct cw_kilo_grant){.first = a->next_id, .warp = warp, .pass = pass, .writers = writers};
    a->next_id += cw_kilo_lane_cnt(writers);
    cw_fifo_push(&a->tm->core[core].grant, now, cw_kilo_period(a->tm, CW_DOMAIN_CORE), g);
}

static void tick(void *self, cw_time now)
{
    struct cw_kilo_arbiter *a = self;
    cw_time next = CW_TIME_NEVER;
    for (uint32_t i = 0; i < a->tm->config->core_count; i++) {
        struct cw_fifo *from = &a->tm->core[i].request;
        void *entry;
        while ((entry = cw_fifo_pop(from, now)) != NULL)
            decide(a, i, (uint32_t)((uintptr_t)entry & 0xff), now);
        next = cw_fifo_next(from) < next ? cw_fifo_next(from) : next;
    }
    a->component.wake = next;
}

/* Lanes of a running warp that read the word before that commit. */
static uint32_t readers(const struct cw_kilo_warp *w, const struct listed *l)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < w->log.read_cnt; i++)
        for (uint32_t rest = w->log.read[i].lanes & w->lanes & ~w->aborted; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            if (w->log.read[i].addr[lane] == l->word && w->stamp[i][lane] < l->commit)
                found |= 1u << lane;
        }
    return found;
}

void cw_kilo__arbiter_follow(struct cw_kilo_core *c, cw_time now)
{
    struct cw_kilo_arbiter *a = c->tm->arbiter;
    uint64_t *at = a->followed + c->index;
    if (a->listed_cnt - *at > LISTED) /* what it has missed, the decision at commit catches */
        *at = a->listed_cnt - LISTED;
    for (; *at < a->listed_cnt && a->listed[*at % LISTED].when < now; ++*at) {
        const struct listed *l = a->listed + *at % LISTED;
        if (c->readers[cw_kilo__reader_hash(l->word)] == 0)
            continue;
        for (uint32_t i = 0; i < c->tm->config->core_warps; i++)
            if (c->warp[i].phase == CW_KILO_RUN && c->warp[i].log.read_cnt > 0)
                cw_kilo__abort_lanes(c, i, readers(c->warp + i, l), CW_KILO_EARLY, now);
    }
}

int cw_kilo__arbiter_create(struct cw_kilo_arbiter **out, struct cw_kilo *tm)
{
    const struct cw_config *config = tm->config;
    struct cw_kilo_arbiter *a = *out = calloc(1, sizeof *a);
    if (a == NULL)
        return CW_ENOMEM;
    a->tm = tm;
    a->component = (struct cw_component){.tick = tick, .self = a, .wake = CW_TIME_NEVER, .domain = CW_DOMAIN_CORE};
    a->slot_cap = 4096;
    a->slot = calloc(a->slot_cap, sizeof *a->slot);
    a->grant = calloc((size_t)config->core_count * (config->core_warps + 1), sizeof *a->grant);
    a->granted = calloc(config->core_count, sizeof *a->granted);
    a->followed = calloc(config->core_count, sizeof *a->followed);
    for (uint32_t i = 0; i < config->core_count; i++)
        tm->core[i].request.wake = &a->component.wake;
    return a->slot != NULL && a->grant != NULL && a->granted != NULL && a->followed != NULL ? CW_OK : CW_ENOMEM;
}

void cw_kilo__arbiter_destroy(struct cw_kilo_arbiter *a)
{
    if (a == NULL)
        return;
    cw_write_set_free(&a->set);
    free(a->slot);
    free(a->grant);
    free(a->granted);
    free(a->followed);
    free(a);
}

struct cw_component *cw_kilo__arbiter_component(struct cw_kilo_arbiter *a)
{
    return &a->component;
}
