/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which order transactions have to stand whatever they read and write: that of their thread, and between threads that of what these have
 * seen of each other outside of transactions. A system that orders transactions by conflicts alone may put a thread's second one before its
 * first.
 *
 * Each thread has a last place: its last committed transaction, or a meeting since. A meeting stands behind the places of all who came to it,
 * and is the last place of all who went on from it:
 *
 *   a barrier of a block, or of a warp
 *   an atomic or a load past the caches behind an atomic on the same word that had its result before this one issued: of a word that nothing
 *     else writes
 *   a load past the caches with a value that one thread alone has stored in the word, and that was not there before
 *
 * What is less certain, as a load that may have found the value of two threads, orders nothing: an order that no thread has seen would be a
 * false alarm. So are values that threads of a warp exchange by shuffles and votes, of which nobody tells.
 */
#include "check/serial_private.h"

#include "ir/uop.h"

#define NONE       CW_SERIAL_NONE
#define STORES_MAX 64u /* of a word; one with more orders nothing by its values */

static uint64_t thread_key(uint32_t core, uint32_t warp, uint32_t lane)
{
    return (uint64_t)core << 32 | (uint64_t)warp << 8 | lane;
}

/* NONE: out of memory. */
static uint32_t find_thread(struct cw_serial *s, uint32_t core, uint32_t warp, uint32_t lane)
{
    const uint64_t key = thread_key(core, warp, lane);
    uint32_t i = cw_key_map_find(&s->threads, key);
    if (i != NONE)
        return i;
    i = cw_serial__new_thread(s);
    if (i == NONE)
        return NONE;
    s->thread.at[i] = (struct cw_serial_thread){.core = core, .warp = warp, .block = NONE, .last = NONE};
    if (!cw_key_map_add(&s->threads, key, i))
        s->out_of_memory = true;
    return i;
}

/* The meeting, made now if it is NONE, stands behind the place. */
static void meet(struct cw_serial *s, uint32_t *meeting, uint32_t place)
{
    if (place == NONE || place == *meeting)
        return;
    if (*meeting == NONE)
        *meeting = CW_SERIAL_MEETING | s->meetings++;
    const uint32_t i = cw_serial__new_order(s);
    if (i != NONE)
        s->order.at[i] = (struct cw_serial_order){.from = place, .to = *meeting};
}

/* The place is behind both; what is behind one already needs no meeting. */
static void join(struct cw_serial *s, uint32_t *place, uint32_t other)
{
    uint32_t meeting = NONE;
    if (other == NONE || other == *place)
        return;
    if (*place == NONE) {
        *place = other;
        return;
    }
    meet(s, &meeting, *place);
    meet(s, &meeting, other);
    *place = meeting;
}

/* Transactions */

void cw_serial__thread_begins(struct cw_serial *s, uint32_t attempt)
{
    struct cw_serial_attempt *a = s->attempt.at + attempt;
    const uint32_t t = find_thread(s, a->core, a->warp, a->lane);
    a->after = t != NONE ? s->thread.at[t].last : NONE;
}

void cw_serial__thread_commits(struct cw_serial *s, uint32_t attempt)
{
    const struct cw_serial_attempt *a = s->attempt.at + attempt;
    const uint32_t t = find_thread(s, a->core, a->warp, a->lane);
    if (t != NONE)
        s->thread.at[t].last = attempt;
}

/* The warps of a block that has ended are other threads from now on. */
void cw_serial__block_ends(struct cw_serial *s, const struct cw_event *e)
{
    for (uint32_t i = 0; i < s->thread.cnt; i++)
        if (s->thread.at[i].core == e->core && s->thread.at[i].block == e->u.block.slot)
            s->thread.at[i].last = s->thread.at[i].block = NONE;
}

/* Barriers */

/* NONE: out of memory. */
static uint32_t find_barrier(struct cw_serial *s, const struct cw_event *e)
{
    const uint64_t key = (uint64_t)e->core << 32 | (uint64_t)e->u.sync.block << 16 | e->u.sync.id;
    uint32_t i = cw_key_map_find(&s->barriers, key);
    if (i != NONE)
        return i;
    i = cw_serial__new_barrier(s);
    if (i == NONE)
        return NONE;
    s->barrier.at[i] = (struct cw_serial_barrier){.meeting = NONE, .first = NONE};
    if (!cw_key_map_add(&s->barriers, key, i))
        s->out_of_memory = true;
    return i;
}

static void arrive(struct cw_serial *s, const struct cw_event *e)
{
    const uint32_t b = find_barrier(s, e);
    for (cw_lanes rest = b != NONE ? e->u.sync.lanes : 0; rest != 0; rest = cw_lanes_rest(rest)) {
        const uint32_t t = find_thread(s, e->core, e->warp, cw_lanes_first(rest));
        if (t == NONE)
            return;
        struct cw_serial_thread *thread = s->thread.at + t;
        thread->block = e->u.sync.block;
        meet(s, &s->barrier.at[b].meeting, thread->last);
        if (e->u.sync.kind != CW_SYNC_ARRIVE)
            continue;
        thread->next = s->barrier.at[b].first;
        s->barrier.at[b].first = t;
    }
}

static void pass(struct cw_serial *s, const struct cw_event *e)
{
    const uint32_t b = find_barrier(s, e);
    if (b == NONE)
        return;
    struct cw_serial_barrier *barrier = s->barrier.at + b;
    for (uint32_t t = barrier->first; t != NONE; t = s->thread.at[t].next)
        if (barrier->meeting != NONE)
            s->thread.at[t].last = barrier->meeting;
    barrier->meeting = barrier->first = NONE;
}

/* Lanes of a warp have waited for each other. */
static void meet_lanes(struct cw_serial *s, const struct cw_event *e)
{
    uint32_t place = NONE;
    for (uint32_t again = 0; again < 2; again++)
        for (cw_lanes rest = e->u.sync.lanes; rest != 0; rest = cw_lanes_rest(rest)) {
            const uint32_t t = find_thread(s, e->core, e->warp, cw_lanes_first(rest));
            if (t != NONE && again == 0)
                join(s, &place, s->thread.at[t].last);
            else if (t != NONE)
                s->thread.at[t].last = place;
        }
}

void cw_serial__sync(struct cw_serial *s, const struct cw_event *e)
{
    if (e->u.sync.kind == CW_SYNC_PASS)
        pass(s, e);
    else if (e->u.sync.kind == CW_SYNC_WARP)
        meet_lanes(s, e);
    else if (e->u.sync.kind != CW_SYNC_FENCE)
        arrive(s, e);
}

/* Memory */

/* NONE: out of memory. */
static uint32_t find_flag(struct cw_serial *s, uint64_t addr)
{
    uint32_t i = cw_key_map_find(&s->flags, addr);
    if (i != NONE)
        return i;
    i = cw_serial__new_flag(s);
    if (i == NONE)
        return NONE;
    s->flag.at[i] = (struct cw_serial_flag){.initial = s->word_now(s->context, addr), .first = NONE, .behind = NONE, .by_value = true};
    if (!cw_key_map_add(&s->flags, addr, i))
        s->out_of_memory = true;
    return i;
}

static void note_store(struct cw_serial *s, struct cw_serial_flag *f, uint32_t value, uint32_t place)
{
    f->stored = true;
    if (!f->by_value || value == f->initial)
        return;
    for (uint32_t i = f->first; i != NONE; i = s->store.at[i].next)
        if (s->store.at[i].value == value) {
            if (s->store.at[i].place != place)
                s->store.at[i].place = NONE; /* whose it is cannot be said */
            return;
        }
    const uint32_t i = f->stores < STORES_MAX ? cw_serial__new_store(s) : NONE;
    f->by_value = i != NONE;
    if (i == NONE)
        return;
    s->store.at[i] = (struct cw_serial_store){.value = value, .place = place, .next = f->first};
    f->first = i;
    f->stores++;
}

/* A load or an atomic that has to see all that was done to the word by atomics before. */
static bool is_current(const struct cw_uop *u)
{
    return u->op == CW_OP_ATOM || (u->op == CW_OP_LD && (u->flags & CW_UF_VOLATILE) != 0 && u->scope != CW_SCOPE_CTA);
}

static void access(struct cw_serial *s, const struct cw_event *e, uint32_t lane, uint32_t element)
{
    const struct cw_uop *u = e->u.lanes.uop;
    const uint64_t addr = e->u.lanes.addr[lane] + (uint64_t)element * e->u.lanes.elem_bytes;
    const uint32_t words = e->u.lanes.elem_bytes == 8 ? 2 : 1;
    const uint32_t t = find_thread(s, e->core, e->warp, lane + 32 * e->u.lanes.half);
    for (uint32_t k = 0; t != NONE && k < words; k++) {
        const uint32_t i = find_flag(s, (addr & ~UINT64_C(3)) + 4 * k);
        if (i == NONE)
            return;
        struct cw_serial_flag *f = s->flag.at + i;
        s->thread.at[t].block = e->u.lanes.block;
        if (u->op == CW_OP_ST) {
            f->by_value &= e->u.lanes.elem_bytes >= 4;
            note_store(s, f, (uint32_t)(e->u.lanes.value[element][lane] >> 32 * k), s->thread.at[t].last);
        } else {
            f->by_value &= u->op == CW_OP_LD;
            if (is_current(u) && !f->stored)
                join(s, &s->thread.at[t].last, f->behind);
        }
    }
}

void cw_serial__access(struct cw_serial *s, const struct cw_event *e)
{
    const uint16_t op = e->u.lanes.uop->op;
    const bool orders = op == CW_OP_ST || op == CW_OP_ATOM || (op == CW_OP_LD && (e->u.lanes.uop->flags & CW_UF_VOLATILE) != 0);
    if (e->u.lanes.in_region || !orders || e->u.lanes.space != CW_SPACE_GLOBAL)
        return;
    for (uint32_t rest = e->u.lanes.lanes; rest != 0; rest &= rest - 1)
        for (uint32_t i = 0; i < e->u.lanes.vec; i++)
            access(s, e, (uint32_t)__builtin_ctz(rest), i);
}

/* The thread whose last place is behind all stores of the word's value. */
static uint32_t place_of_value(const struct cw_serial *s, const struct cw_serial_flag *f, uint32_t value)
{
    for (uint32_t i = f->by_value ? f->first : NONE; i != NONE; i = s->store.at[i].next)
        if (s->store.at[i].value == value)
            return s->store.at[i].place;
    return NONE;
}

void cw_serial__completed(struct cw_serial *s, const struct cw_event *e)
{
    const struct cw_uop *u = e->u.word.uop;
    const uint32_t t = find_thread(s, e->core, e->warp, e->lane);
    const uint32_t i = cw_key_map_find(&s->flags, e->u.word.addr);
    if (t == NONE || i == NONE || cw_key_map_find(&s->words, e->u.word.addr) != NONE) /* a word of transactions: their graph has it */
        return;
    struct cw_serial_flag *f = s->flag.at + i;
    if (u->op == CW_OP_LD && e->u.word.bytes == 15)
        join(s, &s->thread.at[t].last, place_of_value(s, f, e->u.word.value));
    else if (u->op == CW_OP_ATOM && f->behind != s->thread.at[t].last)
        join(s, &f->behind, s->thread.at[t].last);
}
