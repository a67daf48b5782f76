/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts what schedulers have done with their cycles, and tells it: which instruction had the slot, or was waited for, and where what it
 * waits for is.
 *
 * A wait for memory is divided by the places of a request: of those of the load that are on their way the one that left first. When it has
 * its reply, the next one counts. What has not left is in the load/store unit. Where several warps wait for loads, the load counts whose
 * request left first.
 */
#include <string.h>

#include "core/issue/issue.h"
#include "msg/trip.h"

static uint64_t *counter_of(struct cw_stats *s, uint8_t why)
{
    static const size_t offset[CW_STALLS] = {
        [CW_STALL_ISSUED] = offsetof(struct cw_stats, issue_issued),
        [CW_STALL_STRUCTURAL] = offsetof(struct cw_stats, issue_structural),
        [CW_STALL_MEMORY] = offsetof(struct cw_stats, issue_memory),
        [CW_STALL_FETCH] = offsetof(struct cw_stats, issue_fetch),
        [CW_STALL_SCOREBOARD_ALU] = offsetof(struct cw_stats, issue_scoreboard_alu),
        [CW_STALL_SCOREBOARD_SFU] = offsetof(struct cw_stats, issue_scoreboard_sfu),
        [CW_STALL_SCOREBOARD_MEMORY] = offsetof(struct cw_stats, issue_scoreboard_memory),
        [CW_STALL_SLEEP] = offsetof(struct cw_stats, issue_sleep),
        [CW_STALL_MECHANISM] = offsetof(struct cw_stats, issue_mechanism),
        [CW_STALL_BARRIER] = offsetof(struct cw_stats, issue_barrier),
        [CW_STALL_NO_WARP] = offsetof(struct cw_stats, issue_no_warp),
        [CW_STALL_LAUNCH] = offsetof(struct cw_stats, issue_launch),
        [CW_STALL_DRAIN] = offsetof(struct cw_stats, issue_drain),
    };
    return (uint64_t *)(void *)((char *)s + offset[why]);
}

/* ---- which request ---- */

#define NOBODY CW_SLOTS_MAX

/* The warp of the set that waits for this instruction, if its own does. */
static uint32_t waits_for(const struct cw_core_warps *warps, const struct cw_slots *set, const struct cw_core_inst *inst)
{
    const uint32_t w = inst->m.warp;
    return cw_slots_has(set, w) && inst->m.uop == &warps->uop[warps->stalls->by[w]] ? w : NOBODY;
}

/* Of the set's warps one that waits for the reply of a miss. */
static uint32_t waits_in(const struct cw_core_warps *warps, const struct cw_slots *set, const struct cw_l1 *l1, uint32_t mshr)
{
    const struct cw_l1_mshr *m = &l1->mshr[mshr];
    uint32_t w = NOBODY;
    for (uint32_t i = 0; i < m->waiter_cnt && w == NOBODY; i++)
        w = m->waiter[i].inst != NULL ? waits_for(warps, set, m->waiter[i].inst) : NOBODY;
    return w;
}

/* Of the set's warps one for whose load the request is. */
static uint32_t for_load(const struct cw_core_memory *memory, const struct cw_trip *t, const struct cw_slots *set)
{
    const struct cw_core_cache *const cache = &memory->blocks.cache;
    const struct cw_core_warps *const warps = &cache->warps;
    if (t->mech != 0)
        return cw_slots_has(set, t->warp) && warps->warp[t->warp].in_region ? t->warp : NOBODY;
    if (t->kind == CW_MSG_WRITE || (t->tag & (CW_TAG_MSHR | CW_TAG_CODE)) == CW_TAG_CODE)
        return NOBODY;
    if ((t->tag & CW_TAG_MSHR) != 0)
        return waits_in(warps, set, &cache->l1, t->tag & ~CW_TAG_MSHR);
    if ((t->tag & CW_TAG_CONST) != 0)
        return waits_in(warps, set, &memory->constants.cache, t->tag & ~CW_TAG_CONST);
    if ((t->tag & CW_TAG_TEXTURE) != 0)
        return waits_in(warps, set, &cache->texture, t->tag & ~CW_TAG_TEXTURE);
    return waits_for(warps, set, cw_core__inst_of(memory, t->tag));
}

/* Whether it is a fetch of the warp. */
static bool fetches(const struct cw_core_memory *memory, const struct cw_trip *t, uint32_t w)
{
    const struct cw_l1 *code = &memory->blocks.fetch.cache;
    if (t->mech != 0 || t->kind == CW_MSG_WRITE || (t->tag & (CW_TAG_MSHR | CW_TAG_CODE)) != CW_TAG_CODE)
        return false;
    const struct cw_l1_mshr *m = &code->mshr[t->tag & ~CW_TAG_CODE];
    for (uint32_t i = 0; i < m->waiter_cnt; i++)
        if (m->waiter[i].warp == w)
            return true;
    return memory->blocks.cache.warps.warp[w].fetch == CW_FETCH_BUSY;
}

/* Of the set's warps one that waits for the request as `to` says, or any for what the whole core waits for. */
static uint32_t who_waits(const struct cw_core_memory *memory, const struct cw_stalled *to, const struct cw_trip *t,
                          const struct cw_slots *set)
{
    switch (to->of) {
    case CW_STALL_SCOREBOARD_MEMORY:
        return for_load(memory, t, set);
    case CW_STALL_FETCH:
        return fetches(memory, t, to->warp) ? to->warp : NOBODY;
    case CW_STALL_MEMORY: /* A full queue waits for the whole core's */
        if (to->ready || (t->kind != CW_MSG_READ && t->warp == to->warp))
            return to->warp;
        return t->kind == CW_MSG_READ ? for_load(memory, t, set) : NOBODY;
    default:
        return to->of == CW_STALL_DRAIN ? to->warp : NOBODY;
    }
}

/* Who of a scheduler waits: of those that wait for loads all, for the first whose load comes ends the wait; else the one that has been
 * chosen. */
static struct cw_slots waiters(const struct cw_core_warps *warps, uint32_t s, const struct cw_stalled *to)
{
    const struct cw_stalls *st = warps->stalls;
    const bool loads = to->why == CW_STALL_SCOREBOARD_MEMORY;
    struct cw_slots set;
    memset(set.word, 0, warps->rows * sizeof *set.word);
    for (uint32_t row = 0; loads && row < warps->rows; row++)
        set.word[row] = st->waits[to->why][row] & st->mine[s][row] & ~warps->row[row].ready;
    set.word[to->warp / 64] |= cw_core__bit(to->warp);
    return set;
}

/* The first of them that waits for what makes no request; NOBODY. */
static uint32_t without_request(const struct cw_core_warps *warps, const struct cw_slots *set)
{
    for (uint32_t row = 0; row < warps->rows; row++)
        for (uint64_t left = set->word[row]; left != 0; left &= left - 1) {
            const uint32_t w = 64 * row + (uint32_t)__builtin_ctzll(left);
            if (warps->uop[warps->stalls->by[w]].space == CW_SPACE_SHARED)
                return w;
        }
    return NOBODY;
}

/* Whether a warp of the set, which is named then, waits for request i at that time. */
static bool is_for(const struct cw_core_memory *memory, const struct cw_stalled *to, uint32_t i, cw_time from, const struct cw_slots *set,
                   uint32_t *warp)
{
    const struct cw_trip *t = &memory->blocks.cache.warps.cfg.trips->trip[i];
    *warp = t->ended > from ? who_waits(memory, to, t, set) : NOBODY;
    return *warp != NOBODY;
}

/* The request that is waited for at that time; NULL: none. Names the warp that it is for, when it is one of several that wait for loads. */
static const struct cw_trip *find(const struct cw_core_memory *memory, uint32_t s, struct cw_stalled *to, cw_time from)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const struct cw_trips *trips = warps->cfg.trips;
    const struct cw_slots set = waiters(warps, s, to);
    struct cw_stalls *st = warps->stalls;
    const uint32_t last = st->found[s].trip;
    const bool loads = to->why == CW_STALL_SCOREBOARD_MEMORY;
    uint32_t i = trips->oldest[warps->cfg.index], w = loads ? without_request(warps, &set) : NOBODY;
    if (w != NOBODY)
        i = 0;
    else if (last != 0 && trips->trip[last].number == st->found[s].number && is_for(memory, to, last, from, &set, &w))
        i = last;
    while (i != 0 && !is_for(memory, to, i, from, &set, &w))
        i = trips->trip[i].younger;
    if (loads && w != NOBODY) {
        to->warp = w;
        to->by = st->by[w];
    }
    st->found[s].trip = i;
    st->found[s].number = i != 0 ? trips->trip[i].number : 0;
    return i != 0 ? &trips->trip[i] : NULL;
}

/* ---- where it is ---- */

/* Of a request that has not left, or of what makes none. */
static enum cw_stall_at at_home(const struct cw_core_memory *memory, const struct cw_stalled *to)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const uint32_t space = warps->uop[to->by].space;
    if (to->of == CW_STALL_FETCH || to->of == CW_STALL_DRAIN)
        return CW_AT_NONE;
    if (space == CW_SPACE_SHARED)
        return CW_AT_SHARED;
    if (space == CW_SPACE_CONST || space == CW_SPACE_PARAM)
        return CW_AT_CONSTANT;
    if (memory->blocks.cache.warps.stalls->refused)
        return CW_AT_NOC_UP;
    return warps->warp[to->warp].in_region && memory->pipe.cnt == 0 ? CW_AT_MECHANISM : CW_AT_L1;
}

#define AT_PORT CW_ATS /* Due, and not served by the L2 yet */

/* Divides the cycles by where the request was in each. */
static void divide(const struct cw_trip *t, cw_time period, uint64_t from, uint64_t to, uint64_t cycles[CW_ATS + 1])
{
    static const uint8_t after[CW_TRIP_STEPS] = {
        [CW_TRIP_LEFT] = CW_AT_NOC_UP,      [CW_TRIP_CAME] = CW_AT_L2,   [CW_TRIP_DUE] = AT_PORT,
        [CW_TRIP_MISSED] = CW_AT_DRAM,      [CW_TRIP_SERVED] = CW_AT_L2, [CW_TRIP_HANDED] = CW_AT_MECHANISM,
        [CW_TRIP_RETURNED] = CW_AT_NOC_DOWN};
    uint8_t at = CW_AT_L1;
    for (uint32_t step = 0; step < CW_TRIP_STEPS && from < to; step++) {
        if (t->at[step] == CW_TIME_NEVER)
            continue;
        const uint64_t reached = (t->at[step] + period - 1) / period, until = reached < to ? reached : to;
        if (until > from) {
            cycles[at] += until - from;
            from = until;
        }
        at = after[step];
    }
    cycles[at] += to - from;
}

/* What a request waits for that is due: for what the port has waited for since the core has looked last, as far as it was not at work. */
static void divide_port(const struct cw_core_warps *warps, uint32_t partition, uint64_t cycle, uint64_t cycles[CW_ATS + 1])
{
    static const uint8_t at[CW_BLOCKS] = {[CW_BLOCKED_DOWN] = CW_AT_NOC_DOWN, [CW_BLOCKED_DRAM] = CW_AT_DRAM};
    const struct cw_trips *trips = warps->cfg.trips;
    const cw_time span = (cycle - warps->stalls->charged) * warps->period;
    const cw_time *seen = &trips->seen[((size_t)warps->cfg.index * trips->ports + partition) * CW_BLOCKS];
    const uint64_t all = cycles[AT_PORT];
    for (uint32_t why = 0; why < CW_BLOCKS; why++) {
        const cw_time blocked = cw_trips_blocked(trips, partition, (enum cw_trip_block)why, cycle * warps->period) - seen[why];
        const uint64_t part = all * (blocked < span ? blocked : span) / span, left = part < cycles[AT_PORT] ? part : cycles[AT_PORT];
        cycles[at[why]] += left;
        cycles[AT_PORT] -= left;
    }
    cycles[CW_AT_L2] += cycles[AT_PORT];
}

/* The core looks at all ports, as long as it has requests, or may send one. */
static void look_at_ports(const struct cw_core_memory *memory, uint64_t cycle)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const struct cw_trips *trips = warps->cfg.trips;
    if ((trips->oldest[warps->cfg.index] | warps->mem_queue.cnt | memory->pipe.cnt | memory->blocks.cache.misses.cnt) == 0)
        return;
    cw_time *seen = &trips->seen[(size_t)warps->cfg.index * trips->ports * CW_BLOCKS];
    for (uint32_t i = 0; i < trips->ports * CW_BLOCKS; i++)
        seen[i] = cw_trips_blocked(trips, i / CW_BLOCKS, (enum cw_trip_block)(i % CW_BLOCKS), cycle * warps->period);
}

/* A full queue waits for its head. */
static void blame_head(const struct cw_core_memory *memory, struct cw_stalled *to)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    if (to->of != CW_STALL_MEMORY || !to->ready || warps->mem_queue.cnt == 0)
        return;
    const struct cw_core_inst *head = memory->lsu.queue[memory->lsu.head];
    to->by = (uint32_t)(head->m.uop - warps->uop);
}

static bool is_of_memory(const struct cw_core_memory *memory, const struct cw_stalled *to)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    switch (to->of) {
    case CW_STALL_SCOREBOARD_MEMORY:
    case CW_STALL_DRAIN:
        return true;
    case CW_STALL_MEMORY: /* What stands at the end of the pipeline waits for a reply, or for the crossbar; the rest takes its time */
        return !to->ready || (memory->pipe.stalled_at != CW_CYCLE_NEVER && !warps->stalls->refused);
    default:
        return to->of == CW_STALL_FETCH && warps->warp[to->warp].fetch >= CW_FETCH_MISS;
    }
}

/* ---- counting ---- */

/* A barrier's row has the line of its last warp, and must say for what that one waits also where no request is on its way. */
static uint8_t at_barrier(const struct cw_stalled *x)
{
    static const uint8_t of_last[CW_STALLS] = {
        [CW_STALL_STRUCTURAL] = CW_AT_ISSUE,   [CW_STALL_FETCH] = CW_AT_FETCH,      [CW_STALL_SCOREBOARD_ALU] = CW_AT_ALU,
        [CW_STALL_SCOREBOARD_SFU] = CW_AT_SFU, [CW_STALL_MECHANISM] = CW_AT_POLICY, [CW_STALL_SLEEP] = CW_AT_SLEEP};
    return of_last[x->of];
}

static void tell(const struct cw_core_warps *warps, uint32_t s, const struct cw_stalled *x, uint64_t cycle, uint64_t cycles)
{
    const bool warp = x->why < CW_STALL_NO_WARP;
    const struct cw_event e = {
        .type = CW_EVENT_STALL,
        .core = warps->cfg.index,
        .now = cycle * warps->period,
        .u.stall = {.kernel = warps->launch != NULL ? warps->launch->kernel : NULL,
                    .uop = warp ? &warps->uop[x->pc] : NULL,
                    .by = warp ? &warps->uop[x->by] : NULL,
                    .why = x->why,
                    .at = x->why == CW_STALL_BARRIER && x->at == CW_AT_NONE ? at_barrier(x) : x->at,
                    .scheduler = s,
                    .cycles = cycles},
    };
    if (cycles != 0)
        cw_events_tell(warps->cfg.stream, &e);
}

/* Tells cycles of a wait for a request, by its places. */
static void tell_places(const struct cw_core_warps *warps, uint32_t s, const struct cw_stalled *to, const struct cw_trip *t, uint64_t from,
                        uint64_t until, uint64_t cycle)
{
    uint64_t cycles[CW_ATS + 1] = {0};
    struct cw_stalled part = *to;
    divide(t, warps->period, from, until, cycles);
    if (cycles[AT_PORT] != 0)
        divide_port(warps, t->partition, cycle, cycles);
    for (uint32_t at = 0; at < CW_ATS; at++)
        if (cycles[at] != 0) {
            part.at = (uint8_t)at;
            tell(warps, s, &part, cycle, cycles[at]);
        }
}

/* Tells the cycles from then on for which what is waited for stays the same, and returns the first behind them. */
static uint64_t tell_part(const struct cw_core_memory *memory, uint32_t s, struct cw_stalled *to, uint64_t from, uint64_t cycle)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const bool of_memory = is_of_memory(memory, to);
    const struct cw_trip *t = of_memory && warps->cfg.trips != NULL ? find(memory, s, to, from * warps->period) : NULL;
    if (t == NULL) {
        struct cw_stalled whole = *to;
        whole.at = (uint8_t)(of_memory || to->of == CW_STALL_MEMORY ? at_home(memory, to) : to->at);
        tell(warps, s, &whole, cycle, cycle - from);
        return cycle;
    }
    const uint64_t ended = t->ended != CW_TIME_NEVER ? (t->ended + warps->period - 1) / warps->period : cycle;
    const uint64_t until = ended < cycle ? ended : cycle;
    tell_places(warps, s, to, t, from, until, cycle);
    return until;
}

static void tell_wait(const struct cw_core_memory *memory, uint32_t s, struct cw_stalled *to, uint64_t from, uint64_t cycle)
{
    if (to->why >= CW_STALL_NO_WARP) {
        *to = (struct cw_stalled){.why = to->why, .of = to->why};
        memory->blocks.cache.warps.stalls->found[s].trip = 0;
    }
    blame_head(memory, to);
    while (from < cycle)
        from = tell_part(memory, s, to, from, cycle);
}

static void tell_issued(const struct cw_core_warps *warps, uint32_t s, uint64_t until)
{
    const uint32_t pc = warps->stalls->issued[warps->scheduler[s].last];
    const struct cw_stalled issued = {.why = CW_STALL_ISSUED, .pc = pc, .by = pc};
    tell(warps, s, &issued, until, until - warps->stalls->charged);
}

static void charge_wait(struct cw_core_memory *memory, uint32_t s, uint64_t from, uint64_t cycle, bool told)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    struct cw_stalled to = cw_core__stalls_judge(warps, s);
    *counter_of(warps->cfg.stats, to.why) += cycle - from;
    if (told)
        tell_wait(memory, s, &to, from, cycle);
}

void cw_core__stalls_charge(struct cw_core_issue *issue, uint64_t cycle)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    struct cw_stalls *st = warps->stalls;
    if (cycle <= st->charged)
        return;
    const bool told = cw_events_want(warps->cfg.stream, CW_EVENT_STALL);
    for (uint32_t s = 0; s < warps->scheduler_cnt; s++) {
        const uint64_t taken = warps->scheduler[s].free_at, from = taken < st->charged ? st->charged : taken < cycle ? taken : cycle;
        warps->cfg.stats->issue_issued += from - st->charged;
        if (told && from > st->charged)
            tell_issued(warps, s, from);
        if (from < cycle)
            charge_wait(&issue->memory, s, from, cycle, told);
    }
    if (warps->cfg.trips != NULL) {
        look_at_ports(&issue->memory, cycle);
        cw_trips_sweep(warps->cfg.trips, warps->cfg.index, cycle * warps->period);
    }
    st->charged = cycle;
}

/* Whether the crossbar has no room for what is at the end of the load/store pipeline. */
static bool is_refused(const struct cw_core_memory *memory)
{
    const struct cw_core_cache *const cache = &memory->blocks.cache;
    if (memory->pipe.stalled_at == CW_CYCLE_NEVER)
        return false;
    return memory->pipe.packet != NULL ? !cw_core__crossbar_takes(cache, memory->pipe.packet->flits) : !cw_core__miss_has_room(cache);
}

void cw_core__stalls_tick(struct cw_core_issue *issue, bool stopped)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    warps->stalls->stopped = stopped;
    warps->stalls->refused = is_refused(&issue->memory);
}
