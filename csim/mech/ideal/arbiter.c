/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commits are numbered. A load brings along the number of the last commit that its partition has carried out (its stamp). A transaction may
 * commit when no word that it read has been written by a later commit. Its writes then enter all partitions at the same clock edge, so that
 * no load sees half of them. Lanes of a warp are decided in ascending order, each after the writes of those before it.
 *
 * Running transactions that have read what a commit wrote abort as soon as their core looks: each core follows the broadcast of overwritten
 * words, a cycle behind.
 */
#include "mech/ideal/arbiter.h"

#include <stdlib.h>

#include "mech/tm/tell.h"
#include "mech/tm/write_set.h"
#include "mem/address.h"

struct slot {
    uint64_t word, commit; /* commit 0: free */
};

struct cw_ideal_arbiter {
    struct cw_component component;
    struct cw_kilo *tm;
    uint64_t commits, next_id;
    struct slot *slot; /* last commit per word: open addressing */
    uint32_t slot_cap, slot_cnt;
    struct cw_write_set set; /* of the lane that is being decided */
};

static struct slot *find(struct cw_ideal_arbiter *a, uint64_t word)
{
    uint32_t at = (uint32_t)((word * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & (a->slot_cap - 1);
    while (a->slot[at].commit != 0 && a->slot[at].word != word)
        at = (at + 1) & (a->slot_cap - 1);
    return a->slot + at;
}

static bool grow(struct cw_ideal_arbiter *a)
{
    struct slot *old = a->slot;
    uint32_t cap = a->slot_cap;
    if (2 * a->slot_cnt < cap)
        return true;
    a->slot = calloc(2 * (size_t)cap, sizeof *a->slot);
    if (a->slot == NULL) {
        a->slot = old;
        cw_mech_fault(&a->tm->host, CW_ENOMEM, "out of host memory for the idealised conflict detection");
        return false;
    }
    a->slot_cap = 2 * cap;
    for (uint32_t i = 0; i < cap; i++)
        if (old[i].commit != 0)
            *find(a, old[i].word) = old[i];
    free(old);
    return true;
}

static bool fresh(struct cw_ideal_arbiter *a, const struct cw_kilo_request *r, uint32_t lane, cw_time now)
{
    const struct cw_redo_log *log = r->log;
    for (uint32_t i = 0; i < log->read_cnt; i++)
        if (cw_lanes_has(log->read[i].lanes, lane) && find(a, log->read[i].addr[lane])->commit > r->stamp[i][lane]) {
            const struct cw_attempt_name name = {.core = r->core, .warp = r->warp, .attempt = r->attempt};
            cw_tell_conflict(&a->tm->host, name, lane, log->read[i].addr[lane], now);
            return false;
        }
    return true;
}

/* The lane commits: its words go to the partitions, and on the broadcast. */
static void publish(struct cw_ideal_arbiter *a, const struct cw_kilo_request *r, uint32_t lane, cw_time now)
{
    struct cw_kilo_wires *wires = &a->tm->wires;
    int status = CW_OK;
    a->commits++;
    cw_write_set_clear(&a->set);
    if (cw_write_set_merge(&a->set, r->log, cw_lanes_one(lane), CW_GLOBAL_BASE, 5) != CW_OK)
        cw_mech_fault(&a->tm->host, CW_ENOMEM, "out of host memory for a write set");
    for (uint32_t i = 0; i < a->set.word_cnt && grow(a); i++) {
        const struct cw_write_word *word = a->set.word + i;
        struct slot *s = find(a, word->addr);
        a->slot_cnt += s->commit == 0;
        *s = (struct slot){.word = word->addr, .commit = a->commits};
        cw_kilo_overwritten_push(&wires->overwritten, (struct cw_kilo_overwrite){.word = word->addr, .commit = a->commits}, now);
        const struct cw_kilo_write w = {.addr = word->addr,
                                        .commit = a->commits,
                                        .ready = now + 1,
                                        .core = r->core,
                                        .warp = r->warp,
                                        .lane = lane,
                                        .attempt = r->attempt,
                                        .value = word->value,
                                        .bytes = word->bytes};
        status |= cw_kilo_writes_push(wires->write + cw_address_partition(a->tm->config, w.addr), &w);
    }
    if (status != CW_OK)
        cw_mech_fault(&a->tm->host, CW_ENOMEM, "out of host memory for idealised commits");
}

static void decide(struct cw_ideal_arbiter *a, struct cw_kilo_request *r, cw_time now)
{
    r->pass = r->writers = 0;
    for (cw_lanes rest = r->members; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
        if (!fresh(a, r, lane, now))
            continue;
        r->pass |= cw_lanes_one(lane);
        publish(a, r, lane, now);
    }
    for (uint32_t i = 0; i < r->log->write_cnt; i++)
        r->writers |= r->log->write[i].lanes & r->pass;
    r->first = a->next_id;
    r->epoch = 0;
    a->next_id += cw_lanes_count(r->writers);
    cw_fifo_push(a->tm->wires.grant + r->core, now, cw_kilo_period(a->tm, CW_DOMAIN_CORE), r);
}

static void tick(void *self, cw_time now)
{
    struct cw_ideal_arbiter *a = self;
    const struct cw_kilo_wires *wires = &a->tm->wires;
    cw_time next = CW_TIME_NEVER;
    for (uint32_t i = 0; i < wires->cores; i++) {
        struct cw_kilo_request *r;
        while ((r = cw_fifo_pop(wires->ask + i, now)) != NULL)
            decide(a, r, now);
        next = cw_fifo_next(wires->ask + i) < next ? cw_fifo_next(wires->ask + i) : next;
    }
    a->component.wake = next;
}

/* `set` is worked with inside one decision alone. */
static void state(void *self, struct cw_state *s)
{
    struct cw_ideal_arbiter *a = self;
    uint32_t cap = a->slot_cap;
    CW_STATE(s, a->commits);
    CW_STATE(s, a->next_id);
    cw_state_count(s, "slots", &cap, UINT32_C(1) << 28);
    if (cw_state_loads(s) && cap != a->slot_cap) {
        struct slot *all = cap != 0 && s->status == CW_OK ? calloc(cap, sizeof *all) : NULL;
        if (all == NULL) {
            cw_state_fail(s, CW_ENOMEM, "no room for %u words", cap);
            return;
        }
        free(a->slot);
        a->slot = all;
        a->slot_cap = cap;
    }
    cw_state_array(s, "slot", a->slot, (size_t)a->slot_cap * 2, sizeof(uint64_t));
    CW_STATE(s, a->slot_cnt);
}

static const struct cw_component_ops component_ops = {.kind = "ideal_arbiter", .domain = CW_DOMAIN_CORE, .tick = tick, .state = state};

int cw_ideal_arbiter_create(struct cw_ideal_arbiter **out, struct cw_kilo *tm)
{
    struct cw_ideal_arbiter *a = *out = calloc(1, sizeof *a);
    if (a == NULL)
        return CW_ENOMEM;
    a->tm = tm;
    a->component = cw_component_of(&component_ops, a, 0);
    a->slot_cap = 4096;
    a->slot = calloc(a->slot_cap, sizeof *a->slot);
    for (uint32_t i = 0; i < tm->wires.cores; i++)
        tm->wires.ask[i].wake = &a->component.wake;
    return a->slot != NULL ? CW_OK : CW_ENOMEM;
}

void cw_ideal_arbiter_destroy(struct cw_ideal_arbiter *a)
{
    if (a == NULL)
        return;
    cw_write_set_free(&a->set);
    free(a->slot);
    free(a);
}

struct cw_component *cw_ideal_arbiter_component(struct cw_ideal_arbiter *a)
{
    return &a->component;
}
