/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of the cuckoo table, exact to the bit and the cycle: include/cowarp/unit/cuckoo_table.h is the specification. GETM section
 * V.B.1, Figure 8.
 *
 * The model is a map and a calendar. The map says where each granule's entry is, and changes in the cycle in which a result is
 * taken; a whole chain of displacements is carried out there and then. The calendar says when a look-up's result is due, until when an
 * entry counts as on its way, and when the outside sees what happened.
 */
#include "cowarp/unit/cuckoo_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"
#include "unit/h3.h"

#define WAYS    4u
#define INSIDE  6u  /* look-ups at most */
#define LATENCY 5u  /* cycles from a look-up to its result */
#define AGAIN   6u  /* cycles until a repeated result is due again, or a displaced entry has seen its rows */
#define ASKED   4u  /* cycles from the question to the result */
#define CHOSEN  2u  /* cycles from the choice of an entry to evict to the result */
#define LONG    16u /* the first cycle's number: no rule looks back further */

struct entry {
    uint64_t granule, wts, rts;
    uint32_t writes, owner;
    bool used;
};

struct lookup {
    uint64_t granule, ts, tag;
    uint32_t owner;
    uint64_t miss_wts, miss_rts; /* the second structure's answer */
    uint64_t rows;               /* its row in each way, 16 bits for each */
    uint64_t due;                /* cycle of its result */
    bool spoilt;                 /* its question was refused, or came with an eviction of its granule */
};

enum where { NOWHERE, IN_WAY, IN_STASH, IN_MEMORY };

struct place {
    enum where where;
    uint32_t index; /* way, stash entry, or overflow entry */
};

/* Work with the overflow area. */
enum work { IDLE, CLEARING, SEARCH_ASK, SEARCH_HEAR, SEARCHED, WRITE_BACK, MOVE_ASK, MOVE_HEAR, MOVE_WRITE, SPILL };

/* What the outside sees of a result that was taken, all in one later cycle. */
struct outcome {
    uint64_t cycle;
    bool fills; /* one more row is in use */
    bool evicts, stashes, stash_fills, removes;
    enum work work; /* begins in the cycle after */
    struct entry evicted;
};

struct table {
    struct cw_cuckoo_table_params p;
    struct cw_cuckoo_table_out out;
    struct entry *way[WAYS];
    struct entry stash[16];
    struct cw_h3x4 hash;
    uint64_t granule_mask, ts_mask, tag_mask;
    uint32_t writes_mask, owner_mask;
    uint32_t rows, evict_from, overflow_size;

    uint64_t now;
    struct lookup inside[INSIDE]; /* oldest first */
    uint32_t count;
    uint64_t closed_until; /* no look-up is taken up to this cycle, because the oldest one is repeated */
    uint64_t repeated;     /* cycle of the last repetition */
    uint64_t held_until;   /* an entry is on its way up to this cycle */
    uint64_t turned;       /* cycle of the last result that moved the way counter on */
    struct outcome next;   /* of the last result */

    /* the last updates of rows: cycle, way and row */
    struct {
        uint64_t cycle;
        uint32_t way, row;
    } update[ASKED];
    uint32_t updates;

    uint32_t used, stash_used, overflow_used;
    uint32_t turn[CHOSEN + 1];  /* way counter in this cycle and those before */
    bool may_evict[CHOSEN + 1]; /* likewise, that enough rows are in use */

    enum work work;
    uint32_t clear_row;
    uint32_t index;          /* overflow entry of the work */
    uint64_t sought;         /* granule of the search */
    bool sought_found;       /* the search has met it, */
    uint64_t searched_since; /* and was over in this cycle */
    struct entry hand;       /* what it met; or the entry that the work carries */
    uint32_t held_cycles;    /* of the access in progress */

    struct place shown; /* where the entry of this cycle's result is */
};

static struct entry *row_of(const struct table *t, uint64_t rows, uint32_t way)
{
    return &t->way[way][(uint16_t)(rows >> 16 * way)];
}

static bool holds(const struct entry *e, uint64_t granule)
{
    return e->used && e->granule == granule;
}

static bool unreserved(const struct entry *e)
{
    return e->used && e->writes == 0;
}

/* The map --------------------------------------------------------------------------------------------------------------- */

static struct place find(const struct table *t, uint64_t granule, uint64_t rows)
{
    for (uint32_t w = 0; w < WAYS; w++)
        if (holds(row_of(t, rows, w), granule))
            return (struct place){IN_WAY, w};
    for (uint32_t i = 0; t->stash_used > 0 && i < t->p.stash_entries; i++)
        if (holds(&t->stash[i], granule))
            return (struct place){IN_STASH, i};
    return (struct place){NOWHERE, 0};
}

static const struct entry *entry_at(const struct table *t, struct place at, uint64_t rows)
{
    switch (at.where) {
    case IN_WAY:
        return row_of(t, rows, at.index);
    case IN_STASH:
        return &t->stash[at.index];
    case IN_MEMORY:
        return &t->hand;
    default:
        return NULL;
    }
}

/* Whether one of the four rows has the property. */
static bool any_row(const struct table *t, uint64_t rows, bool (*property)(const struct entry *))
{
    for (uint32_t w = 0; w < WAYS; w++)
        if (property(row_of(t, rows, w)))
            return true;
    return false;
}

static bool is_free(const struct entry *e)
{
    return !e->used;
}

static void write_row(struct table *t, uint32_t way, const struct entry *e)
{
    uint32_t row = (uint16_t)(cw_h3x4(&t->hash, e->granule) >> 16 * way);
    t->way[way][row] = *e;
    t->update[t->updates].cycle = t->now;
    t->update[t->updates].way = way;
    t->update[t->updates].row = row;
    t->updates = (t->updates + 1) % ASKED;
}

/* Whether one of the last updates went to one of the rows. */
static bool row_has_changed(const struct table *t, uint64_t rows)
{
    for (uint32_t i = 0; i < ASKED; i++)
        if (t->update[i].cycle + ASKED >= t->now && (uint16_t)(rows >> 16 * t->update[i].way) == t->update[i].row)
            return true;
    return false;
}

/* Insertion ------------------------------------------------------------------------------------------------------------- */

static void evict(struct table *t, const struct entry *e)
{
    t->next.evicts = true;
    t->next.evicted = *e;
}

/* The lowest free row, or with may_evict the row of the first unreserved entry from `first` on. Whether there was one. */
static bool settle(struct table *t, const struct entry *e, uint32_t first, bool may_evict)
{
    uint64_t rows = cw_h3x4(&t->hash, e->granule);
    for (uint32_t w = 0; w < WAYS; w++)
        if (is_free(row_of(t, rows, w))) {
            write_row(t, w, e);
            t->next.fills = true;
            return true;
        }
    for (uint32_t i = 0; may_evict && i < WAYS; i++) {
        uint32_t w = (first + i) % WAYS;
        if (unreserved(row_of(t, rows, w))) {
            evict(t, row_of(t, rows, w));
            write_row(t, w, e);
            return true;
        }
    }
    return false;
}

static void put_in_stash(struct table *t, uint32_t i, const struct entry *e)
{
    t->stash[i] = *e;
    t->next.stashes = true;
}

/* The end of a chain that has displaced all that it may. */
static void give_up(struct table *t, const struct entry *e)
{
    if (e->writes == 0) {
        evict(t, e);
        return;
    }
    for (uint32_t i = 0; i < t->p.stash_entries; i++)
        if (!t->stash[i].used) {
            t->next.stash_fills = true;
            put_in_stash(t, i, e);
            return;
        }
    for (uint32_t i = 0; i < t->p.stash_entries; i++)
        if (unreserved(&t->stash[i])) {
            evict(t, &t->stash[i]);
            put_in_stash(t, i, e);
            return;
        }
    t->hand = *e;
    t->next.work = SPILL;
}

/* The new entry takes the row of `way`; who was there looks for another one, and so on. Takes AGAIN cycles per displacement. */
static void chain(struct table *t, struct entry e, uint32_t way)
{
    for (uint32_t displaced = 1;; displaced++) {
        struct entry old = *row_of(t, cw_h3x4(&t->hash, e.granule), way);
        write_row(t, way, &e);
        e = old;
        t->next.cycle += AGAIN;
        way = (way + 1) % WAYS;
        if (settle(t, &e, way, t->used >= t->evict_from))
            break;
        if (displaced == t->p.max_swaps) {
            give_up(t, &e);
            break;
        }
    }
    t->held_until = t->next.cycle;
}

static void insert(struct table *t, const struct entry *e, bool easy)
{
    bool full = t->overflow_used == t->overflow_size;
    uint32_t first = t->turn[CHOSEN];
    if (settle(t, e, first, t->may_evict[CHOSEN])) {
        if (t->next.evicts)
            t->turned = t->now;
        return;
    }
    t->held_until = t->next.cycle;
    if (e->writes == 0 && (!easy || full))
        evict(t, e);
    else if (!full) {
        t->turned = t->now;
        chain(t, *e, first);
    }
}

static void update_memory(struct table *t, const struct entry *e)
{
    t->held_until = t->next.cycle;
    t->hand = *e;
    t->next.work = WRITE_BACK;
    if (e->writes > 0)
        return;
    evict(t, e);
    t->next.removes = true;
    t->next.work = t->index + 1 == t->overflow_used ? IDLE : MOVE_ASK;
}

/* The result of this cycle is taken, with the user's new values. */
static void take(struct table *t, const struct cw_cuckoo_table_in *in)
{
    const struct lookup *l = &t->inside[0];
    const struct entry *old = entry_at(t, t->shown, l->rows);
    struct entry e = {.granule = l->granule, .wts = l->miss_wts, .rts = l->miss_rts, .used = true};
    t->next = (struct outcome){.cycle = t->now + 1};
    if (t->work == SEARCHED)
        t->work = IDLE;
    if (!(in->upd_valid & 1))
        return;
    if (old != NULL)
        e = *old;
    if (in->upd_wts_set & 1)
        e.wts = (l->ts + 1) & t->ts_mask;
    if (in->upd_rts_set & 1)
        e.rts = l->ts;
    if (in->upd_writes_set & 1)
        e.writes = (uint32_t)in->upd_writes & t->writes_mask;
    if (in->upd_owner_set & 1)
        e.owner = l->owner;
    switch (t->shown.where) {
    case IN_WAY:
        write_row(t, t->shown.index, &e);
        break;
    case IN_STASH:
        t->stash[t->shown.index] = e;
        break;
    case IN_MEMORY:
        update_memory(t, &e);
        break;
    default:
        insert(t, &e, t->out.res_easy);
    }
}

/* The calendar ---------------------------------------------------------------------------------------------------------- */

/* Whether the oldest look-up, due now, can be decided. at: where its entry is, in ways and stash. */
static bool trusted(const struct table *t, struct place at)
{
    const struct lookup *l = &t->inside[0];
    bool searched = t->work == SEARCHED && t->searched_since + CHOSEN <= t->now;
    if (t->held_until + ASKED >= l->due || l->spoilt || (t->work != IDLE && !searched))
        return false;
    return at.where != NOWHERE || !row_has_changed(t, l->rows);
}

/* The result channel of this cycle, or the beginning of a search. */
static void offer(struct table *t)
{
    struct cw_cuckoo_table_out *o = &t->out;
    const struct lookup *l = &t->inside[0];
    t->shown = find(t, l->granule, l->rows);
    if (!trusted(t, t->shown))
        return;
    if (t->work == SEARCHED && t->sought_found)
        t->shown = (struct place){IN_MEMORY, t->index};
    const struct entry *e = entry_at(t, t->shown, l->rows);
    if (e == NULL && t->work == IDLE && t->overflow_used > 0)
        return;
    o->res_valid = 1;
    o->res_granule = l->granule;
    o->res_ts = l->ts;
    o->res_look_owner = l->owner;
    o->res_tag = l->tag;
    o->res_found = e != NULL;
    o->res_room = e != NULL || any_row(t, l->rows, is_free) || t->overflow_used < t->overflow_size;
    o->res_easy = e != NULL || any_row(t, l->rows, is_free) || any_row(t, l->rows, unreserved) || !t->may_evict[CHOSEN];
    o->res_wts = e != NULL ? e->wts : l->miss_wts;
    o->res_rts = e != NULL ? e->rts : l->miss_rts;
    o->res_wts_later = o->res_wts > l->ts;
    o->res_rts_later = o->res_rts > l->ts;
    if (e == NULL)
        return;
    o->res_writes = e->writes;
    o->res_owner = e->owner;
    o->res_reserved = e->writes > 0;
    o->res_own = e->writes > 0 && e->owner == l->owner;
}

static void pack(const struct table *t, uint32_t *words)
{
    const struct entry *e = &t->hand;
    const uint64_t field[] = {e->granule, e->wts, e->rts, e->writes, e->owner};
    const uint32_t width[] = {t->p.granule_w, t->p.ts_w, t->p.ts_w, t->p.count_w, t->p.owner_w};
    uint32_t pos = 0;
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t b = 0; b < width[i]; b++, pos++)
            words[pos / 32] |= (uint32_t)(field[i] >> b & 1) << pos % 32;
}

static struct entry unpack(const struct table *t, const uint32_t *words)
{
    uint64_t field[5] = {0};
    const uint32_t width[] = {t->p.granule_w, t->p.ts_w, t->p.ts_w, t->p.count_w, t->p.owner_w};
    uint32_t pos = 0;
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t b = 0; b < width[i]; b++, pos++)
            field[i] |= (uint64_t)(words[pos / 32] >> pos % 32 & 1) << b;
    return (struct entry){field[0], field[1], field[2], (uint32_t)field[3], (uint32_t)field[4], true};
}

static void present_memory(struct table *t)
{
    struct cw_cuckoo_table_out *o = &t->out;
    bool ask = t->work == SEARCH_ASK || t->work == MOVE_ASK;
    bool write = t->work == WRITE_BACK || t->work == MOVE_WRITE || t->work == SPILL;
    if (o->mem_write)
        memset(o->mem_wdata, 0, sizeof o->mem_wdata);
    o->mem_valid = ask || write;
    o->mem_write = write;
    o->mem_addr = !o->mem_valid ? 0 : t->work == MOVE_ASK || t->work == SPILL ? t->overflow_used & (t->overflow_size - 1) : t->index;
    if (write)
        pack(t, o->mem_wdata);
}

static const struct lookup *asking(const struct table *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->inside[i].due == t->now + ASKED)
            return &t->inside[i];
    return NULL;
}

/* Outputs of the cycle `now`. */
static void present(struct table *t)
{
    struct cw_cuckoo_table_out *o = &t->out;
    bool open = t->now > t->held_until && t->now > t->closed_until && t->now != t->repeated + 1;
    bool outcome = t->next.cycle == t->now;
    const struct lookup *question = asking(t);
    o->res_valid = o->res_granule = o->res_ts = o->res_tag = o->res_found = o->res_room = o->res_easy = 0;
    o->res_wts = o->res_rts = o->res_writes = o->res_owner = o->res_wts_later = o->res_rts_later = 0;
    o->res_look_owner = o->res_reserved = o->res_own = 0;
    if (t->count > 0 && t->inside[0].due == t->now)
        offer(t);
    o->look_ready = t->work != CLEARING && open;
    o->read_valid = question != NULL;
    o->read_granule = question != NULL ? question->granule : 0;
    o->evict_valid = outcome && t->next.evicts;
    o->evict_granule = o->evict_valid ? t->next.evicted.granule : 0;
    o->evict_wts = o->evict_valid ? t->next.evicted.wts : 0;
    o->evict_rts = o->evict_valid ? t->next.evicted.rts : 0;
    present_memory(t);
    o->used = t->used;
    o->stash_used = t->stash_used;
    o->overflow_used = t->overflow_used;
    o->busy = t->work != IDLE || t->count > 0 || t->next.cycle + 1 >= t->now || o->evt_done;
}

/* The look-ups of this cycle: one whose question is out, one whose question is answered, one whose result is due, and a new one. */
static void serve(struct table *t, const struct cw_cuckoo_table_in *in)
{
    const struct cw_cuckoo_table_out *o = &t->out;
    for (uint32_t i = 0; i < t->count; i++) {
        struct lookup *l = &t->inside[i];
        if (l->due == t->now + ASKED && (!(in->read_ready & 1) || (o->evict_valid && o->evict_granule == l->granule)))
            l->spoilt = true;
        if (l->due == t->now + 1) {
            l->miss_wts = in->miss_wts & t->ts_mask;
            l->miss_rts = in->miss_rts & t->ts_mask;
        }
        if (l->due != t->now || (i == 0 && o->res_valid && !(in->res_again & 1)))
            continue;
        l->due += AGAIN;
        l->spoilt = false;
        t->repeated = t->now;
        if (i == 0)
            t->closed_until = t->now + AGAIN - 1;
    }
    if (o->res_valid && !(in->res_again & 1)) {
        take(t, in);
        t->count--;
        memmove(&t->inside[0], &t->inside[1], t->count * sizeof t->inside[0]);
    }
    if (o->look_ready && (in->look_valid & 1)) {
        uint64_t granule = in->look_granule & t->granule_mask;
        t->inside[t->count++] = (struct lookup){.granule = granule,
                                                .ts = in->look_ts & t->ts_mask,
                                                .tag = in->look_tag & t->tag_mask,
                                                .owner = (uint32_t)in->look_owner & t->owner_mask,
                                                .rows = cw_h3x4(&t->hash, granule),
                                                .due = t->now + LATENCY};
    }
}

/* Whether a result due now wants the overflow area searched. */
static bool wants_search(const struct table *t)
{
    if (t->count == 0 || t->inside[0].due != t->now || t->out.res_valid || t->work != IDLE)
        return false;
    return t->overflow_used > 0 && t->shown.where == NOWHERE && trusted(t, t->shown);
}

static enum work hear(struct table *t, const struct cw_cuckoo_table_in *in)
{
    if (!(in->mem_rsp_valid & 1))
        return t->work;
    t->hand = unpack(t, in->mem_rdata);
    if (t->work == MOVE_HEAR)
        return MOVE_WRITE;
    t->sought_found = t->hand.granule == t->sought;
    if (!t->sought_found && t->index + 1 < t->overflow_used) {
        t->index++;
        return SEARCH_ASK;
    }
    t->searched_since = t->now + 1;
    return SEARCHED;
}

/* The work with the overflow area in the next cycle. */
static enum work work_on(struct table *t, const struct cw_cuckoo_table_in *in)
{
    bool ready = in->mem_ready & 1;
    switch (t->work) {
    case CLEARING:
        return ++t->clear_row == t->rows ? IDLE : CLEARING;
    case SEARCH_ASK:
        return ready ? SEARCH_HEAR : SEARCH_ASK;
    case MOVE_ASK:
        return ready ? MOVE_HEAR : MOVE_ASK;
    case SEARCH_HEAR:
    case MOVE_HEAR:
        return hear(t, in);
    case SPILL:
        t->overflow_used += ready;
        t->out.evt_overflow = ready;
        return ready ? IDLE : SPILL;
    case WRITE_BACK:
    case MOVE_WRITE:
        return ready ? IDLE : t->work;
    default:
        return t->work;
    }
}

static void note_outcome(struct table *t)
{
    const struct outcome *n = &t->next;
    t->used += n->fills;
    t->out.evt_stash = n->stashes;
    t->stash_used += n->stash_fills;
    t->overflow_used -= n->removes;
    if (n->work != IDLE)
        t->work = n->work;
}

static void empty(struct table *t)
{
    for (uint32_t w = 0; w < WAYS; w++)
        memset(t->way[w], 0, t->rows * sizeof *t->way[w]);
    memset(t->stash, 0, sizeof t->stash);
    t->clear_row = t->used = t->stash_used = t->overflow_used = 0;
    memset(t->turn, 0, sizeof t->turn);
    for (uint32_t i = 0; i <= CHOSEN; i++)
        t->may_evict[i] = t->evict_from == 0;
    t->work = CLEARING;
}

/* An access ends with its outcome, or with the work that it led to. */
static void count_access(struct table *t, bool held, bool ends)
{
    if (held && t->held_cycles < 255)
        t->held_cycles++;
    t->out.evt_done = ends;
    t->out.evt_cycles = !ends ? 0 : t->held_cycles == 255 ? 255 : t->held_cycles + 1;
    if (ends)
        t->held_cycles = 0;
}

/* Way counter and fill as later results see them. turn, enough: what earlier results have made of them. */
static void advance_counters(struct table *t, uint32_t turn, bool enough)
{
    for (uint32_t i = CHOSEN; i > 0; i--) {
        t->turn[i] = t->turn[i - 1];
        t->may_evict[i] = t->may_evict[i - 1];
    }
    t->turn[0] = turn;
    t->may_evict[0] = enough;
}

static void cuckoo_tick(void *self, const void *inputs)
{
    struct table *t = self;
    const struct cw_cuckoo_table_in *in = inputs;
    bool flush = !t->out.busy && (in->flush & 1);
    if (!t->out.busy && !(in->look_valid & 1) && !flush)
        return;
    enum work before = t->work;
    uint32_t turn = (t->turn[0] + (t->turned + 1 == t->now)) % WAYS;
    bool enough = t->may_evict[0] || t->used >= t->evict_from;
    bool works = before != IDLE && before != CLEARING;
    bool held = works || t->now <= t->held_until;
    bool outcome = t->next.cycle == t->now;
    bool search = wants_search(t);
    t->out.evt_stash = t->out.evt_overflow = 0;
    t->work = work_on(t, in);
    if (outcome)
        note_outcome(t);
    count_access(t, held, (outcome && t->work == IDLE) || (works && before != SEARCHED && t->work == IDLE));
    if (search) {
        t->work = SEARCH_ASK;
        t->sought = t->inside[0].granule;
        t->index = 0;
    }
    serve(t, in);
    advance_counters(t, turn, enough);
    if (flush)
        empty(t);
    t->now++;
    present(t);
}

static void cuckoo_eval(void *self, const void *inputs, void *outputs)
{
    const struct table *t = self;
    (void)inputs;
    *(struct cw_cuckoo_table_out *)outputs = t->out;
}

static void cuckoo_reset(void *self)
{
    struct table *t = self;
    memset(&t->out, 0, sizeof t->out);
    memset(t->update, 0, sizeof t->update);
    memset(&t->next, 0, sizeof t->next);
    t->now = LONG;
    t->closed_until = t->repeated = t->held_until = t->turned = t->searched_since = 0;
    t->count = t->updates = t->index = t->held_cycles = 0;
    t->sought_found = false;
    empty(t);
    present(t);
}

static void cuckoo_destroy(void *self)
{
    struct table *t = self;
    if (t == NULL)
        return;
    for (uint32_t w = 0; w < WAYS; w++)
        free(t->way[w]);
    free(t);
}

static uint64_t mask_of(uint32_t width)
{
    return width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static int cuckoo_create(void **self, const void *params)
{
    const struct cw_cuckoo_table_params *p = params;
    if (cw_unit_params_check(&cw_cuckoo_table_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    if (p->granule_w + 2 * p->ts_w + p->count_w + p->owner_w > 32 * CW_CUCKOO_TABLE_OVERFLOW_WORDS)
        return CW_EINVAL;
    struct table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return CW_ENOMEM;
    t->p = *p;
    t->granule_mask = mask_of(p->granule_w);
    t->ts_mask = mask_of(p->ts_w);
    t->tag_mask = mask_of(p->tag_w);
    t->writes_mask = (uint32_t)mask_of(p->count_w);
    t->owner_mask = (uint32_t)mask_of(p->owner_w);
    t->rows = 1u << p->row_w;
    t->evict_from = p->evict_fill * WAYS * t->rows / 16;
    t->overflow_size = 1u << p->overflow_w;
    cw_h3x4_init(&t->hash, p->granule_w, p->row_w);
    for (uint32_t w = 0; w < WAYS; w++)
        if ((t->way[w] = calloc(t->rows, sizeof *t->way[w])) == NULL) {
            cuckoo_destroy(t);
            return CW_ENOMEM;
        }
    cuckoo_reset(t);
    *self = t;
    return CW_OK;
}

/* State ----------------------------------------------------------------------------------------------------------------- */

/* Nobody reads more of an empty entry. */
static void entry_state(struct cw_state *s, struct entry *e)
{
    CW_STATE(s, e->used);
    if (!e->used)
        return;
    CW_STATE(s, e->granule);
    CW_STATE(s, e->wts);
    CW_STATE(s, e->rts);
    CW_STATE(s, e->writes);
    CW_STATE(s, e->owner);
}

static void lookup_state(struct cw_state *s, struct lookup *l)
{
    CW_STATE(s, l->granule);
    CW_STATE(s, l->ts);
    CW_STATE(s, l->tag);
    CW_STATE(s, l->owner);
    CW_STATE(s, l->miss_wts);
    CW_STATE(s, l->miss_rts);
    CW_STATE(s, l->rows);
    CW_STATE(s, l->due);
    CW_STATE(s, l->spoilt);
}

static void outcome_state(struct cw_state *s, struct outcome *o)
{
    CW_STATE(s, o->cycle);
    CW_STATE(s, o->fills);
    CW_STATE(s, o->evicts);
    CW_STATE(s, o->stashes);
    CW_STATE(s, o->stash_fills);
    CW_STATE(s, o->removes);
    CW_STATE(s, o->work);
    entry_state(s, &o->evicted);
}

static void entries_state(struct cw_state *s, struct table *t)
{
    for (uint32_t w = 0; w < WAYS; w++)
        for (uint32_t i = 0; i < t->rows; i++)
            entry_state(s, &t->way[w][i]);
    for (uint32_t i = 0; i < t->p.stash_entries; i++)
        entry_state(s, &t->stash[i]);
    CW_STATE(s, t->used);
    CW_STATE(s, t->stash_used);
    CW_STATE(s, t->overflow_used);
}

static void calendar_state(struct cw_state *s, struct table *t)
{
    CW_STATE(s, t->now);
    cw_state_count(s, "look-ups", &t->count, INSIDE);
    for (uint32_t i = 0; i < t->count; i++)
        lookup_state(s, &t->inside[i]);
    CW_STATE(s, t->closed_until);
    CW_STATE(s, t->repeated);
    CW_STATE(s, t->held_until);
    CW_STATE(s, t->turned);
    outcome_state(s, &t->next);
    for (uint32_t i = 0; i < ASKED; i++) {
        CW_STATE(s, t->update[i].cycle);
        CW_STATE(s, t->update[i].way);
        CW_STATE(s, t->update[i].row);
    }
    cw_state_count(s, "update", &t->updates, ASKED - 1);
    CW_STATE(s, t->turn);
    CW_STATE(s, t->may_evict);
}

static void cuckoo_state(void *self, struct cw_state *s)
{
    struct table *t = self;
    CW_STATE_PORTS(s, t->out);
    entries_state(s, t);
    calendar_state(s, t);
    CW_STATE(s, t->work);
    CW_STATE(s, t->clear_row);
    CW_STATE(s, t->index);
    CW_STATE(s, t->sought);
    CW_STATE(s, t->sought_found);
    CW_STATE(s, t->searched_since);
    entry_state(s, &t->hand);
    CW_STATE(s, t->held_cycles);
    CW_STATE(s, t->shown.where);
    CW_STATE(s, t->shown.index);
}

#define CW_UNIT__PARAMS_T struct cw_cuckoo_table_params
#define CW_UNIT__IN_T     struct cw_cuckoo_table_in
#define CW_UNIT__OUT_T    struct cw_cuckoo_table_out
CW_UNIT_DEFINE(cuckoo_table, CW_CUCKOO_TABLE_PARAMS, CW_CUCKOO_TABLE_PORTS, cuckoo_create, cuckoo_destroy, cuckoo_reset, cuckoo_eval,
               cuckoo_tick, cuckoo_state);
