/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses to shared memory in transactions. An access of 32 lanes becomes passes: in each a bank is asked for one word of one lane. The
 * answers come three cycles later. Then a lane loads or stores its word, or aborts.
 */
#include <string.h>

#include "mech/local/core_private.h"

static uint64_t cycle_of(const struct cw_local_core *c, cw_time now)
{
    return now / c->local->period;
}

/* Lanes of the instruction's half that have not aborted. */
static uint32_t alive(const struct cw_local_core *c, const struct cw_mem_inst *m)
{
    const struct cw_local_wave *w = c->wave + m->warp;
    return (uint32_t)m->lanes & ~cw_lanes_half(w->dead | w->start, m->half);
}

/* ---- what may be accessed ---- */

static const char *refusal(const struct cw_local_core *c, const struct cw_mem_inst *m)
{
    if (m->space == CW_SPACE_SHARED)
        return m->uop->op == CW_OP_ATOM ? "an atomic of shared memory in a transaction: it would not be undone; load, and store" : NULL;
    const bool writes = m->uop->op != CW_OP_LD && m->space == CW_SPACE_GLOBAL;
    return writes && c->local->keys.ltm_global == CW_LOCAL_GLOBAL_FAULT
               ? "a store to global memory in a transaction of shared memory: it would not be undone (ltm.global=allow lets it)"
               : NULL;
}

/* Others than transactions write these words: what the oracle knows of them ends. */
static void leave_words(struct cw_local_core *c, const struct cw_mem_inst *m, cw_time now)
{
    const uint32_t group = c->wave[m->warp].group;
    if (m->uop->op == CW_OP_LD || c->local->words == 0)
        return;
    for (uint32_t left = (uint32_t)m->lanes; left != 0; left &= left - 1)
        cw_local__leave(c, group, (uint32_t)m->addr[__builtin_ctz(left)] / 4, cw_inst_words(m), now);
}

static enum cw_access_verdict take(struct cw_local_core *c, struct cw_mem_inst *m, cw_time now)
{
    struct cw_local_inst *i = &c->inst[cw_ring_at(&c->inst_ring, c->inst_ring.cnt, CW_LOCAL_INSTS)];
    if (c->asking < c->inst_ring.cnt || c->inst_ring.cnt == CW_LOCAL_INSTS || c->wave[m->warp].clears > 0 ||
        !cw_core_take_shared(c->core, now))
        return CW_ACCESS_WAIT;
    const bool store = m->uop->op == CW_OP_ST;
    *i = (struct cw_local_inst){.m = m, .taken = cycle_of(c, now), .left = alive(c, m)};
    for (uint32_t left = store ? i->left : 0; left != 0; left &= left - 1)
        cw_inst_get_bytes(m, (uint32_t)__builtin_ctz(left), i->bytes[__builtin_ctz(left)]);
    *(store ? &c->local->tm->tx_stores : &c->local->tm->tx_loads) += cw_lanes_count(i->left);
    i->due = i->taken + c->local->host.config->shared_latency;
    c->inst_ring.cnt++;
    return CW_ACCESS_TAKEN;
}

enum cw_access_verdict cw_local__access(struct cw_local_core *c, struct cw_mem_inst *m, cw_time now)
{
    if (c->wave[m->warp].phase != CW_LOCAL_RUNS) {
        if (m->space == CW_SPACE_SHARED)
            leave_words(c, m, now);
        return CW_ACCESS_GO;
    }
    const char *why = alive(c, m) != 0 ? refusal(c, m) : NULL;
    if (why != NULL)
        cw_core_refuse(c->core, m, why);
    return m->space == CW_SPACE_SHARED ? take(c, m, now) : CW_ACCESS_GO;
}

/* ---- passes ---- */

/* Words for which no other lane of the pass asks the same bank; lanes in order. */
static void fill_pass(struct cw_local_core *c, struct cw_local_inst *i, struct cw_local_pass *pass)
{
    const struct cw_mem_inst *m = i->m;
    i->left &= alive(c, m);
    for (uint32_t left = i->left; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left), word = (uint32_t)m->addr[lane] / 4 + i->at, bank = word % CW_LOCAL_BANKS;
        if ((pass->banks >> bank & 1u) != 0)
            continue;
        pass->banks |= 1u << bank;
        pass->ask[bank] = (struct cw_local_ask){
            .warp = m->warp, .lane = m->half * CW_LANES + lane, .word = word, .write = m->uop->op == CW_OP_ST, .inst = i, .at = i->at};
        i->left &= ~(1u << lane);
        i->asks++;
    }
}

/* What a pass costs beyond its own cycle of the banks. */
static void count_pass(struct cw_local_core *c, struct cw_local_inst *i, const struct cw_local_pass *pass)
{
    const struct cw_local *l = c->local;
    const uint32_t detect = l->keys.ltm_detect, latency = l->host.config->shared_latency;
    struct cw_local_wave *w = c->wave + i->m->warp;
    uint64_t end = pass->cycle + l->keys.ltm_latency + (latency > 2 ? latency - 2 : 0);
    if (detect == CW_LOCAL_DCD || detect == CW_LOCAL_SMDCD) {
        cw_core_hold_shared(c->core, 1);
        l->counters->ltm_directory_reads += cw_lanes_count(pass->banks);
        end++;
    }
    i->due = end;
    i->passes++;
    w->banks |= pass->banks;
    w->write_banks |= detect == CW_LOCAL_SWO_SIG && i->m->uop->op == CW_OP_ST ? pass->banks : 0;
}

/* The next pass of the access that is being asked for; false: none in this cycle. The first one has the banks since the access was taken.
 */
static bool make_pass(struct cw_local_core *c, struct cw_local_pass *pass, cw_time now)
{
    while (c->asking < c->inst_ring.cnt) {
        struct cw_local_inst *i = &c->inst[cw_ring_at(&c->inst_ring, c->asking, CW_LOCAL_INSTS)];
        if ((i->left & alive(c, i->m)) == 0 && ++i->at < cw_inst_words(i->m))
            i->left = alive(c, i->m);
        if (i->at == cw_inst_words(i->m)) {
            c->asking++;
        } else if ((i->left & alive(c, i->m)) != 0) {
            if (!cw_core_take_shared(c->core, now))
                return false;
            pass->cycle = cycle_of(c, now);
            pass->banks = 0;
            fill_pass(c, i, pass);
            count_pass(c, i, pass);
            return true;
        }
    }
    return false;
}

/* ---- answers ---- */

/* Where in the lane's bytes the word lies, how many bytes of it are the lane's, and their byte enables. */
static uint32_t part_of(const struct cw_mem_inst *m, const struct cw_local_ask *ask, uint32_t *in_word, uint32_t *bytes, uint8_t *enables)
{
    const uint32_t all = cw_inst_bytes(m);
    *in_word = (uint32_t)m->addr[ask->lane % CW_LANES] % 4;
    *bytes = all < 4 ? all : 4;
    *enables = (uint8_t)(((1u << *bytes) - 1) << *in_word);
    return 4 * ask->at;
}

static void transfer(struct cw_local_core *c, const struct cw_local_ask *ask, cw_time now)
{
    const uint32_t group = c->wave[ask->warp].group, item = cw_local__item(c, ask->warp, ask->lane);
    struct cw_local_entry *e = cw_local__find(&c->group[group], item, ask->word);
    uint8_t *memory = cw_core_shared_of(c->core, group) + 4 * ask->word, enables;
    uint32_t in_word, bytes;
    if (e == NULL)
        return;
    const uint32_t at = part_of(ask->inst->m, ask, &in_word, &bytes, &enables);
    uint8_t *own = ask->inst->bytes[ask->lane % CW_LANES] + at;
    if (ask->write) {
        memcpy(memory + in_word, own, bytes);
        e->written |= enables;
        return;
    }
    memcpy(own, memory + in_word, bytes);
    if (e->written == 0)
        cw_tell_word(&c->local->host, CW_EVENT_REGION_READ, cw_local__name(c, ask->warp), ask->lane, cw_local__address(c, group, ask->word),
                     cw_local__value(c, group, ask->word), enables, now);
}

/* By the sets: is there a work-item with which the rule of the mode finds a conflict? */
static bool true_conflict(const struct cw_local_core *c, const struct cw_local_ask *ask)
{
    const struct cw_local_group *g = c->group + c->wave[ask->warp].group;
    const uint32_t item = cw_local__item(c, ask->warp, ask->lane), detect = c->local->keys.ltm_detect;
    const struct cw_local_entry *own = cw_local__find(g, item, ask->word);
    if (g->word[ask->word].sharers <= (own != NULL))
        return false;
    if (detect == CW_LOCAL_PRW_SIG || detect == CW_LOCAL_DCD || ask->write)
        return true;
    for (uint32_t other = 0; other < CW_LOCAL_ITEMS; other++) {
        const struct cw_local_entry *e = other != item ? cw_local__find(g, other, ask->word) : NULL;
        if (e != NULL && e->written != 0)
            return true;
    }
    return false;
}

/* Each of the two has what the other one asks for. */
static bool mutual(const struct cw_local_core *c, const struct cw_local_ask *a, const struct cw_local_ask *b)
{
    const struct cw_local_group *g = c->group + c->wave[a->warp].group;
    return cw_local__find(g, cw_local__item(c, a->warp, a->lane), b->word) != NULL &&
           cw_local__find(g, cw_local__item(c, b->warp, b->lane), a->word) != NULL;
}

static void count_conflicts(struct cw_local_core *c, const struct cw_local_pass *pass, uint32_t banks)
{
    struct cw_local_counters *counters = c->local->counters;
    for (uint32_t left = banks; left != 0; left &= left - 1) {
        const struct cw_local_ask *ask = &pass->ask[__builtin_ctz(left)];
        counters->ltm_conflicts++;
        counters->ltm_false_conflicts += !true_conflict(c, ask);
        for (uint32_t others = left & (left - 1); others != 0; others &= others - 1)
            counters->ltm_mutual_aborts += mutual(c, ask, &pass->ask[__builtin_ctz(others)]);
    }
}

/* MCM: the lane is no candidate when the owner that it met is of its wavefront and comes before it. */
static void note_met(struct cw_local_core *c, const struct cw_local_ask *ask, const struct cw_local_answer *a)
{
    struct cw_local_wave *w = c->wave + ask->warp;
    if (!a->met || a->owner / c->local->width != w->number)
        return;
    const uint32_t owner = a->owner % c->local->width;
    if ((c->local->keys.ltm_serial & CW_LOCAL_DESCENDING) != 0 ? owner > ask->lane : owner < ask->lane)
        w->mcm &= ~cw_lanes_one(ask->lane);
}

/* The deliberate fault has shown the detector a read. */
static void forget_signature(struct cw_local_core *c, const struct cw_local_ask *ask, struct cw_local_answer *a)
{
    const uint32_t group = c->wave[ask->warp].group;
    if (c->local->sabotage == CW_LOCAL_FORGET_WRITE_SIGNATURE && ask->write && !a->conflict)
        a->backup = a->own =
            !c->group[group].word[ask->word].owned || cw_local__owner(c, group, ask->word) != cw_local__item(c, ask->warp, ask->lane);
}

static void take_answers(struct cw_local_core *c, const struct cw_local_pass *pass, struct cw_local_answer answer[CW_LOCAL_BANKS],
                         cw_time now)
{
    uint32_t conflicts = 0, warp = 0, writes = 0;
    cw_lanes aborting = 0;
    for (uint32_t left = pass->banks; left != 0; left &= left - 1) {
        const uint32_t bank = (uint32_t)__builtin_ctz(left);
        const struct cw_local_ask *ask = &pass->ask[bank];
        ask->inst->asks--;
        warp = ask->warp;
        if ((alive(c, ask->inst->m) >> ask->lane % CW_LANES & 1u) == 0)
            continue;
        forget_signature(c, ask, &answer[bank]);
        if (answer[bank].conflict) {
            note_met(c, ask, &answer[bank]);
            cw_tell_conflict(&c->local->host, cw_local__name(c, ask->warp), ask->lane,
                             cw_local__address(c, c->wave[ask->warp].group, ask->word), now);
            conflicts |= 1u << bank;
            aborting |= cw_lanes_one(ask->lane);
            continue;
        }
        cw_local__settle(c, ask, &answer[bank], now);
        transfer(c, ask, now);
        const uint32_t further = (uint32_t)answer[bank].backup + answer[bank].own;
        writes = further > writes ? further : writes;
    }
    if (writes > 0)
        cw_core_hold_shared(c->core, writes);
    if (conflicts == 0)
        return;
    count_conflicts(c, pass, conflicts);
    cw_local__abort(c, warp, aborting, now);
}

/* ---- the end of an access ---- */

static void count_overhead(struct cw_local_core *c, const struct cw_local_inst *i)
{
    struct cw_local_wave *w = c->wave + i->m->warp;
    const uint64_t plain = c->local->host.config->shared_latency + (i->passes > 0 ? i->passes - 1 : 0);
    const cw_time end = (i->due + 1) * c->local->period;
    cw_time from = (i->taken + plain) * c->local->period;
    from = from > w->overhead_until ? from : w->overhead_until;
    if (end <= from)
        return;
    w->overhead += end - from;
    w->overhead_until = end;
}

static void finish(struct cw_local_core *c, struct cw_local_inst *i, cw_time now)
{
    if (i->m->uop->op == CW_OP_LD)
        for (uint32_t left = (uint32_t)i->m->lanes; left != 0; left &= left - 1)
            cw_inst_set_bytes(i->m, (uint32_t)__builtin_ctz(left), i->bytes[__builtin_ctz(left)]);
    count_overhead(c, i);
    cw_core_mem_done(c->core, i->m, now);
}

cw_time cw_local__access_cycle(struct cw_local_core *c, cw_time now)
{
    struct cw_local_pass *pass = &c->pass[cw_ring_at(&c->pass_ring, c->pass_ring.cnt, CW_LOCAL_PHASES + 1)];
    struct cw_local_answer answer[CW_LOCAL_BANKS];
    const bool asks = make_pass(c, pass, now);
    if (asks)
        c->pass_ring.cnt++;
    const struct cw_local_pass *answered = cw_local__detect(c, asks ? pass : NULL, answer, now);
    if (answered != NULL) {
        cw_ring_take(&c->pass_ring, CW_LOCAL_PHASES + 1);
        take_answers(c, answered, answer, now);
    }
    while (c->asking > 0 && c->inst[c->inst_ring.head].asks == 0 && c->inst[c->inst_ring.head].due <= cycle_of(c, now)) {
        struct cw_local_inst *i = &c->inst[c->inst_ring.head];
        cw_ring_take(&c->inst_ring, CW_LOCAL_INSTS);
        c->asking--;
        finish(c, i, now);
    }
    return c->inst_ring.cnt > 0 || c->awake != 0 || c->clear_ring.cnt > 0 ? now + c->local->period : CW_TIME_NEVER;
}
