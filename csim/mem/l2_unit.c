/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An L2 slice in hardware: unit l2_slice (l2.slice_unit). The unit decides, and its bytes are those that requests and memory get. Here are the
 * messages, which it knows by numbers, and memory. Struct cw_l2 follows what the unit says of lines. The bytes that it has of
 * a line are those that go in and out in turns; they are the unit's only while the line is `known`.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/l2_slice.h"
#include "mem/l2_private.h"
#include "mem/waiting.h"

struct cw_l2__unit {
    struct cw_adapt_l2_slice *slice;
    struct cw_waiting waiting;
    uint32_t *line_of; /* [entry]: the line for which memory was asked last */
    uint32_t entries;
};

/* Bytes */

static uint64_t place_of(const struct cw_l2 *l2, uint32_t number)
{
    return cw_address_global(l2->config, l2->index, (uint64_t)number << l2->line_log2);
}

/* A sector that goes to memory, as far as the slice has it. */
static void give_back(struct cw_l2 *l2, uint32_t number, const struct cw_adapt_l2_slice_turn *turn)
{
    const uint64_t place = place_of(l2, number);
    if (cw_memory__has(l2->memory, place))
        cw_memory__copy_masked(cw_memory__at(l2->memory, place) + turn->sector * CW_SECTOR_BYTES, turn->data, &turn->mask, CW_SECTOR_BYTES);
}

static cw_lanes lanes_in(const struct cw_message *p, uint32_t sector)
{
    cw_lanes in = 0;
    for (cw_lanes left = p->lanes; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        if (cw_atomic_body_of(p)->lane_offset[lane] / CW_SECTOR_BYTES == sector)
            in |= (cw_lanes)1 << lane;
    }
    return in;
}

/* Who takes part in the turns behind an answer. */
struct moving {
    uint32_t back_line;
    struct cw_l2__line *line; /* Of which sectors come out, or are wanted; NULL: none */
    struct cw_message *p;     /* That reads, writes or changes them; NULL: memory or the host does, or looks at them */
    uint32_t most;            /* Lanes of an atomic on one address */
};

/* A sector of the line: what p reads, what it changes, or, without p, what is looked at. */
static void take_out(struct cw_l2 *l2, struct moving *m, const struct cw_adapt_l2_slice_turn *turn)
{
    const uint32_t at = turn->sector * CW_SECTOR_BYTES;
    if (m->line == NULL || turn->sector >= l2->sectors)
        return;
    if (m->p != NULL && m->p->kind == CW_MSG_READ) {
        if (!m->p->timing_only)
            memcpy(cw_line_body(m->p)->data + at, turn->data, CW_SECTOR_BYTES);
        return;
    }
    memcpy(cw_l2__data_of(l2, m->line) + at, turn->data, CW_SECTOR_BYTES);
    m->line->written[turn->sector] = turn->mask;
    if (m->p == NULL)
        return;
    const uint32_t most = cw_l2__perform_atomic(l2, m->line, m->p, lanes_in(m->p, turn->sector));
    m->most = most > m->most ? most : m->most;
}

/* Mshr says what the unit says: who looks for it need not know who that is. */
static void show(struct cw_l2 *l2)
{
    const struct cw_l2__unit *u = l2->unit;
    uint32_t number;
    const bool head = cw_adapt_l2_slice_head(u->slice, &number) && number < u->waiting.cnt;
    l2->next.head = head ? u->waiting.message[number] : NULL;
    l2->mshr.ready_head = l2->next.head != NULL ? &l2->next : NULL;
    l2->mshr.in_use = !cw_adapt_l2_slice_empty(u->slice);
}

/* All turns of the operation that was answered. */
static void move(struct cw_l2 *l2, struct moving *m)
{
    static const uint8_t nothing[CW_SECTOR_BYTES];
    struct cw_adapt_l2_slice_turn turn;
    while (cw_adapt_l2_slice_turn(l2->unit->slice, &turn)) {
        if (turn.out && turn.back)
            give_back(l2, m->back_line, &turn);
        else if (turn.out)
            take_out(l2, m, &turn);
        if (turn.wants && m->line != NULL && turn.wanted < l2->sectors)
            cw_adapt_l2_slice_give(l2->unit->slice, cw_l2__data_of(l2, m->line) + turn.wanted * CW_SECTOR_BYTES);
        else if (turn.wants)
            cw_adapt_l2_slice_give(l2->unit->slice, nothing);
    }
    show(l2);
}

/* Operations */

static struct cw_adapt_l2_slice_op request(const struct cw_l2 *l2, const struct cw_message *p, cw_time now)
{
    static const enum cw_adapt_l2_slice_kind kind[] = {
        [CW_MSG_READ] = CW_SLICE_READ, [CW_MSG_WRITE] = CW_SLICE_WRITE, [CW_MSG_ATOMIC] = CW_SLICE_ATOMIC};
    return (struct cw_adapt_l2_slice_op){.kind = kind[p->kind],
                                         .passes = cw_l2__may_pass(l2, p),
                                         .pm = cw_memory_is_pm(p->addr),
                                         .line = cw_l2__local_line(l2, cw_message_place(p)),
                                         .sectors = cw_l2__sectors_of(l2, p),
                                         .mask = p->kind == CW_MSG_WRITE ? cw_line_body_of(p)->byte_mask : NULL,
                                         .space = cw_dram_space(l2->dram, now),
                                         .told = cw_dram_can_tell(l2->dram),
                                         .pm_ready = l2->nvm != NULL && cw_nvm_can_read(l2->nvm)};
}

static struct cw_adapt_l2_slice_op maintenance(const struct cw_l2 *l2, enum cw_adapt_l2_slice_kind kind, uint32_t number)
{
    return (struct cw_adapt_l2_slice_op){.kind = kind, .line = number, .sectors = (uint8_t)((1u << l2->sectors) - 1)};
}

void cw_l2__unit_peek(struct cw_l2 *l2, uint32_t index)
{
    const struct cw_adapt_l2_slice_op op = maintenance(l2, CW_SLICE_LOOK, (uint32_t)l2->array.tag[index]);
    struct moving m = {.line = &l2->line[index]};
    if (m.line->known)
        return;
    memset(cw_l2__data_of(l2, m.line), 0, l2->line_bytes);
    (void)cw_adapt_l2_slice_ask(l2->unit->slice, &op);
    move(l2, &m);
    m.line->known = true;
}

void cw_l2__unit_refresh(struct cw_l2 *l2, uint32_t index)
{
    struct cw_adapt_l2_slice_op op = maintenance(l2, CW_SLICE_LOAD, (uint32_t)l2->array.tag[index]);
    struct moving m = {.line = &l2->line[index]};
    op.head = true;
    (void)cw_adapt_l2_slice_ask(l2->unit->slice, &op);
    move(l2, &m);
    m.line->known = true;
}

/* Before p asks for the line: a write without bytes of its own keeps those that are there. */
static void prepare(struct cw_l2 *l2, uint32_t number, const struct cw_message *p)
{
    const uint32_t index = cw_cache_array_find(&l2->array, number % l2->array.sets, number);
    if (index != CW_CACHE_NONE && p->kind == CW_MSG_WRITE && p->timing_only)
        cw_l2__unit_peek(l2, index);
}

uint32_t cw_l2__unit_load(struct cw_l2 *l2, uint32_t number)
{
    const struct cw_adapt_l2_slice_op op = maintenance(l2, CW_SLICE_LOAD, number);
    struct moving nobody = {0};
    const uint32_t first = number % l2->array.sets * l2->array.ways;
    for (uint32_t i = first; i < first + l2->array.ways; i++)
        if (l2->array.tag[i] != CW_CACHE_EMPTY)
            cw_l2__unit_peek(l2, i);
    const uint32_t index = cw_adapt_l2_slice_ask(l2->unit->slice, &op)->index;
    move(l2, &nobody);
    return index;
}

/* Memory is asked for what the answer says, in the order in which it is to take it. */
static void ask_memory(struct cw_l2 *l2, const struct cw_adapt_l2_slice_answer *a, struct cw_message *p, uint32_t number, cw_time now)
{
    const uint64_t local = (uint64_t)number << l2->line_log2;
    if (a->back != 0) {
        cw_dram_push(l2->dram, (uint64_t)a->back_line << l2->line_log2, a->back, true, 0, now);
        l2->stats->l2_writebacks++;
    }
    if (a->result == CW_SLICE_PASSED)
        cw_dram_push_told(l2->dram, local, cw_l2__sectors_of(l2, p), p, now);
    if (a->fetch == 0)
        return;
    l2->unit->line_of[a->entry % l2->unit->entries] = number;
    l2->stats->l2_fetched_sectors += cw_sectors_count(a->fetch);
    if (cw_memory_is_pm(p->addr))
        cw_nvm_read(l2->nvm, a->fetch, a->entry, now);
    else
        cw_dram_push(l2->dram, local, a->fetch, false, a->entry, now);
}

/* A read that the unit does not answer gets zeros. */
static uint32_t read(struct cw_l2 *l2, struct moving *m)
{
    struct cw_message *const p = m->p;
    for (uint32_t s = 0; s < l2->sectors && !p->timing_only; s++)
        if (p->sectors & 1u << s)
            memset(cw_line_body(p)->data + s * CW_SECTOR_BYTES, 0, CW_SECTOR_BYTES);
    cw_l2__use(l2, m->line);
    move(l2, m);
    return cw_l2__port_cycles(l2, p->sectors);
}

static uint32_t change(struct cw_l2 *l2, struct moving *m)
{
    const uint8_t sectors = cw_l2__sectors_of(l2, m->p);
    m->line->known = false;
    cw_l2__use(l2, m->line);
    if (!cw_memory_is_pm(m->p->addr))
        m->line->dirty = (uint8_t)(m->line->dirty | sectors);
    move(l2, m);
    return cw_l2__atomic_cycles(l2, sectors, m->most);
}

/* P is performed, on the unit's bytes: cycles of the port. */
static uint32_t perform(struct cw_l2 *l2, struct moving *m)
{
    if (m->p->kind == CW_MSG_READ)
        return read(l2, m);
    if (m->p->kind == CW_MSG_ATOMIC)
        return change(l2, m);
    m->line->known = false;
    const uint32_t cycles = cw_l2__perform(l2, m->line, m->p);
    move(l2, m);
    return cycles;
}

/* What the statistics call a miss. */
static bool misses(const struct cw_l2 *l2, const struct cw_adapt_l2_slice_op *op, uint32_t index)
{
    const bool stays = op->kind == CW_SLICE_WRITE && !op->passes;
    return l2->array.tag[index] != op->line || (!stays && (op->sectors & ~l2->line[index].valid) != 0);
}

static enum cw_l2_result result_of(enum cw_adapt_l2_slice_result result)
{
    static const enum cw_l2_result of[] = {CW_L2_DONE, CW_L2_PASSED, CW_L2_MISS, CW_L2_STALL, CW_L2_STALL_DRAM};
    return result < CW_SLICE_BUSY ? of[result] : CW_L2_STALL;
}

enum cw_l2_result cw_l2__unit_access(struct cw_l2 *l2, struct cw_message *p, uint32_t *cycles, cw_time now)
{
    struct cw_l2__unit *u = l2->unit;
    struct cw_adapt_l2_slice_op op = request(l2, p, now);
    struct moving m = {.p = p};
    op.number = cw_waiting_free(&u->waiting);
    prepare(l2, op.line, p);
    const struct cw_adapt_l2_slice_answer a = *cw_adapt_l2_slice_ask(u->slice, &op);
    const enum cw_l2_result result = result_of(a.result);
    if (result == CW_L2_STALL || result == CW_L2_STALL_DRAM) {
        move(l2, &m);
        return result;
    }
    m.back_line = a.back_line;
    cw_l2__count(l2, p, misses(l2, &op, a.index));
    ask_memory(l2, &a, p, op.line, now);
    if (l2->array.tag[a.index] != op.line)
        cw_l2__rename_line(l2, a.index, op.line);
    if (result != CW_L2_MISS) {
        m.line = &l2->line[a.index];
        *cycles = perform(l2, &m);
        return result;
    }
    p->next = NULL;
    if (op.number < u->waiting.cnt) /* All are taken when wrong hardware has given more places than it has. */
        u->waiting.message[op.number] = p;
    move(l2, &m);
    return result;
}

enum cw_l2_result cw_l2__unit_maintain(struct cw_l2 *l2, const struct cw_message *p, cw_time now)
{
    const bool drops = p->kind == CW_MSG_DROP;
    const uint32_t number = cw_l2__local_line(l2, cw_message_place(p));
    struct cw_adapt_l2_slice_op op = maintenance(l2, drops ? CW_SLICE_DROP : CW_SLICE_CLEAN, number);
    op.space = cw_dram_space(l2->dram, now);
    const struct cw_adapt_l2_slice_answer a = *cw_adapt_l2_slice_ask(l2->unit->slice, &op);
    const enum cw_l2_result result = result_of(a.result);
    struct moving m = {.back_line = a.back_line};
    if (result == CW_L2_DONE && l2->array.tag[a.index] == number) {
        ask_memory(l2, &a, NULL, number, now);
        l2->line[a.index].dirty = 0;
        if (drops) {
            l2->line[a.index] = (struct cw_l2__line){0};
            cw_cache_array_name(&l2->array, a.index, CW_CACHE_EMPTY);
        }
    }
    move(l2, &m);
    return result;
}

/* Misses that come back */

void cw_l2__unit_fill(struct cw_l2 *l2, uint32_t entry, uint8_t sectors)
{
    struct cw_adapt_l2_slice_op op = maintenance(l2, CW_SLICE_COME, l2->unit->line_of[entry]);
    struct moving m = {0};
    op.entry = entry;
    op.sectors = sectors;
    const struct cw_adapt_l2_slice_answer a = *cw_adapt_l2_slice_ask(l2->unit->slice, &op);
    if (a.result == CW_SLICE_DONE && l2->array.tag[a.index] == op.line) {
        cw_l2__sectors_come(l2, a.index, sectors);
        m.line = &l2->line[a.index];
        m.line->known = false;
    }
    move(l2, &m);
}

struct cw_message *cw_l2__unit_replay(struct cw_l2 *l2, uint32_t *cycles)
{
    struct cw_message *const p = l2->next.head;
    struct cw_adapt_l2_slice_op op = request(l2, p, 0);
    struct moving m = {.p = p};
    op.head = true;
    prepare(l2, op.line, p);
    (void)cw_adapt_l2_slice_head(l2->unit->slice, &op.number);
    l2->unit->waiting.message[op.number] = NULL;
    m.line = &l2->line[cw_adapt_l2_slice_ask(l2->unit->slice, &op)->index];
    *cycles = perform(l2, &m);
    return p;
}

/* Coming and going */

void cw_l2__unit_reset(struct cw_l2 *l2)
{
    cw_adapt_l2_slice_reset(l2->unit->slice);
}

void cw_l2__unit_state(struct cw_state *s, struct cw_l2 *l2)
{
    struct cw_l2__unit *u = l2->unit;
    cw_adapt_l2_slice_state(s, u->slice);
    cw_waiting_state(s, &u->waiting);
    cw_state_array(s, "line of entry", u->line_of, u->entries * sizeof u->line_of[0], 1);
    for (uint32_t i = 0; i < l2->array.sets * l2->array.ways; i++)
        CW_STATE(s, l2->line[i].known);
    show(l2);
}

/* The unit replaces the line whose last use is the longest ago. */
static int check(const struct cw_config *c, struct cw_error *err)
{
    if (c->l2_tags_unit == CW_ON || c->l2_mshr_unit == CW_ON)
        return cw_fail(err, CW_EINVAL,
                       "l2.slice_unit = on: unit l2_slice has the tags and the MSHRs; set l2.tags_unit and l2.mshr_unit to off");
    if (c->l2_replacement != CW_REPLACE_LRU)
        return cw_fail(err, CW_EUNSUP, "l2.slice_unit = on needs l2.replacement = lru, which unit l2_slice has");
    if (c->l2_dirty_ways != 0)
        return cw_fail(err, CW_EUNSUP, "l2.slice_unit = on needs l2.dirty_ways = 0: unit l2_slice does not limit them");
    return CW_OK;
}

int cw_l2__unit_create(struct cw_l2 *l2, const struct cw_unit_provider *units, struct cw_error *err)
{
    const struct cw_config *c = l2->config;
    struct cw_l2__unit *u = l2->unit = calloc(1, sizeof *u);
    if (u == NULL)
        return cw_fail(err, CW_ENOMEM, "L2 slice: out of host memory");
    u->entries = c->l2_mshrs;
    u->line_of = calloc(u->entries, sizeof *u->line_of);
    if (cw_waiting_create(&u->waiting, c->l2_mshrs * c->l2_mshr_merge) != CW_OK || u->line_of == NULL)
        return cw_fail(err, CW_ENOMEM, "L2 slice: out of host memory");
    const struct cw_adapt_l2_slice_config slice = {.partition = l2->index,
                                                   .sets = l2->array.sets,
                                                   .ways = l2->array.ways,
                                                   .sectors = l2->sectors,
                                                   .entries = c->l2_mshrs,
                                                   .merge = c->l2_mshr_merge,
                                                   .burst = cw_sectors_count(cw_dram_round(l2->dram, 1)),
                                                   .whole = c->l2_sectored == CW_OFF,
                                                   .lines = cw_l2__local_line(l2, CW_PM_BASE + (UINT64_C(1) << 34) - 1) + 1};
    const int status = check(c, err);
    return status == CW_OK ? cw_adapt_l2_slice_create(&u->slice, units, &slice, err) : status;
}

void cw_l2__unit_destroy(struct cw_l2 *l2)
{
    struct cw_l2__unit *u = l2->unit;
    if (u == NULL)
        return;
    cw_adapt_l2_slice_destroy(u->slice);
    cw_waiting_destroy(&u->waiting);
    free(u->line_of);
    free(u);
}
