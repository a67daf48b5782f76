/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of the cuckoo table, exact to the bit and the cycle: include/cowarp/unit/cuckoo_table.h is the specification and
 * docs/units/cuckoo_table.md its pipeline. GETM section V.B.1, Figure 8.
 *
 * Every output but read_granule is a function of the state, so a tick leaves the next cycle's outputs in `out` and eval
 * copies them. A clock that finds the table idle returns at once.
 */
#include "cowarp/unit/cuckoo_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "unit/h3.h"

#define WAYS      4u
#define STASH_MAX 16u
#define QUEUE     2u

enum state {
    ST_CLEAR,       /* rows are emptied one after another */
    ST_RUN,         /* look-ups flow */
    ST_SEARCH_READ, /* ask for an overflow entry */
    ST_SEARCH_WAIT, /* await and compare it */
    ST_SEARCH_DONE, /* offer the outcome of the search */
    ST_WRITE_BACK,  /* store the new value of an overflow entry */
    ST_MOVE_READ,   /* fetch the last overflow entry ... */
    ST_MOVE_WAIT,
    ST_MOVE_WRITE,  /* ... and put it into the place of a removed one */
    ST_CHAIN_READ,  /* read the four rows of the entry in hand */
    ST_CHAIN_WRITE, /* write it into one of them */
    ST_STASH,       /* put it into the stash */
    ST_SPILL,       /* put it into the overflow area */
    ST_EVICT        /* the evict channel was occupied: wait until it is free */
};

enum where { IN_NOTHING, IN_WAY, IN_STASH, IN_OVERFLOW };

struct entry {
    uint64_t key; /* granule * 2 + 1; 0: empty */
    uint64_t wts, rts;
    uint32_t writes, owner;
};

struct table {
    struct cw_cuckoo_table_params p;
    struct cw_cuckoo_table_out out; /* of the present cycle; eval adds read_valid and read_granule */
    uint64_t granule_mask, ts_mask;
    uint32_t writes_mask, owner_mask;
    uint32_t rows, evict_from, overflow_size;

    enum state state;
    uint64_t queue[QUEUE]; /* look-ups that wait for their rows to be read, oldest first */
    uint32_t queued;
    bool s1_valid, hold; /* a look-up's rows have been read; its result is not due in this cycle */
    uint64_t s1_granule;
    uint64_t s1_rows; /* packed row numbers, as cw_h3x4 makes them */
    enum where where; /* of s1's entry */
    uint32_t index;   /* way, stash entry or overflow entry that holds it */
    bool easy;        /* res_easy of the offered result */

    struct entry hand; /* the entry on its way */
    uint32_t hand_way, swaps, rotor;
    bool move_due;   /* the evicted entry left a hole in the overflow area at index */
    bool evict_free; /* the evict channel can take an entry at the end of this cycle */
    uint32_t clear_row;
    uint32_t overflow_used, used, stash_used;
    uint32_t cycles;

    struct entry stash[STASH_MAX];
    struct entry *way[WAYS];
    struct cw_h3x4 hash;
};

static struct entry *at(const struct table *t, uint64_t rows, uint32_t way)
{
    return &t->way[way][(uint16_t)(rows >> (way * 16))];
}

static uint64_t granule_of(const struct entry *e)
{
    return e->key >> 1;
}

/* Fields of an overflow entry, lowest bit first; a field of up to 48 bits touches up to three words. */
static void put_bits(uint32_t *words, uint32_t *pos, uint64_t value, uint32_t width)
{
    for (uint32_t done = 0; done < width;) {
        uint32_t bit = *pos % 32, part = 32 - bit < width - done ? 32 - bit : width - done;
        words[*pos / 32] |= (uint32_t)(value >> done) << bit; /* bits beyond the field are 0 in value */
        done += part;
        *pos += part;
    }
}

static uint64_t get_bits(const uint32_t *words, uint32_t *pos, uint32_t width)
{
    uint64_t value = 0;
    for (uint32_t done = 0; done < width;) {
        uint32_t bit = *pos % 32, part = 32 - bit < width - done ? 32 - bit : width - done;
        value |= (uint64_t)(words[*pos / 32] >> bit) << done;
        done += part;
        *pos += part;
    }
    return value & (((uint64_t)1 << width) - 1);
}

static void pack(const struct table *t, const struct entry *e, uint32_t *words)
{
    uint32_t pos = 0;
    put_bits(words, &pos, granule_of(e), t->p.granule_w);
    put_bits(words, &pos, e->wts, t->p.ts_w);
    put_bits(words, &pos, e->rts, t->p.ts_w);
    put_bits(words, &pos, e->writes, t->p.count_w);
    put_bits(words, &pos, e->owner, t->p.owner_w);
}

static struct entry unpack(const struct table *t, const uint32_t *words)
{
    uint32_t pos = 0;
    struct entry e;
    e.key = get_bits(words, &pos, t->p.granule_w) << 1 | 1;
    e.wts = get_bits(words, &pos, t->p.ts_w);
    e.rts = get_bits(words, &pos, t->p.ts_w);
    e.writes = (uint32_t)get_bits(words, &pos, t->p.count_w);
    e.owner = (uint32_t)get_bits(words, &pos, t->p.owner_w);
    return e;
}

static bool has_room(const struct table *t)
{
    if (t->overflow_used < t->overflow_size)
        return true;
    for (uint32_t w = 0; w < WAYS; w++)
        if (at(t, t->s1_rows, w)->key == 0)
            return true;
    return false;
}

/* Rows of the look-up in s1 that are free or may be given up, or a fill at which a chain finds a row. */
static bool has_easy_place(const struct table *t)
{
    if (t->used < t->evict_from)
        return true;
    for (uint32_t w = 0; w < WAYS; w++) {
        const struct entry *e = at(t, t->s1_rows, w);
        if (e->key == 0 || e->writes == 0)
            return true;
    }
    return false;
}

/* The result channel for the next cycle; e is NULL when the granule has no entry. */
static void offer(struct table *t, const struct entry *e)
{
    struct cw_cuckoo_table_out *o = &t->out;
    t->easy = e != NULL || has_easy_place(t);
    o->res_valid = 1;
    o->res_granule = t->s1_granule;
    o->res_found = e != NULL;
    o->res_room = e != NULL || has_room(t);
    o->res_easy = t->easy;
    if (e == NULL)
        return;
    o->res_wts = e->wts;
    o->res_rts = e->rts;
    o->res_writes = e->writes;
    o->res_owner = e->owner;
}

/* Ways and stash, searched in parallel, for the look-up in s1. */
static const struct entry *find_local(struct table *t)
{
    uint64_t key = t->s1_granule << 1 | 1;
    for (uint32_t w = 0; w < WAYS; w++) {
        const struct entry *e = at(t, t->s1_rows, w);
        if (e->key == key) {
            t->where = IN_WAY;
            t->index = w;
            return e;
        }
    }
    if (t->stash_used > 0)
        for (uint32_t i = 0; i < t->p.stash_entries; i++)
            if (t->stash[i].key == key) {
                t->where = IN_STASH;
                t->index = i;
                return &t->stash[i];
            }
    t->where = IN_NOTHING;
    return NULL;
}

/* Outputs of the coming cycle, from the state that the clock edge left. */
static void present(struct table *t)
{
    struct cw_cuckoo_table_out *o = &t->out;
    t->hold = t->state == ST_SEARCH_READ || t->state == ST_SEARCH_WAIT;
    if (t->state == ST_RUN && t->s1_valid) {
        const struct entry *e = find_local(t);
        t->hold = e == NULL && t->overflow_used > 0;
        if (!t->hold)
            offer(t, e);
    } else if (t->state == ST_SEARCH_DONE)
        offer(t, t->where == IN_OVERFLOW ? &t->hand : NULL);
    else if (t->state == ST_SEARCH_READ || t->state == ST_MOVE_READ) {
        o->mem_valid = 1;
        o->mem_addr = t->state == ST_SEARCH_READ ? t->index : t->overflow_used;
    } else if (t->state == ST_WRITE_BACK || t->state == ST_MOVE_WRITE || t->state == ST_SPILL) {
        o->mem_valid = o->mem_write = 1;
        o->mem_addr = t->state == ST_SPILL ? t->overflow_used : t->index;
        pack(t, &t->hand, o->mem_wdata);
    }
    o->look_ready = t->state != ST_CLEAR && t->queued < QUEUE;
    o->busy = t->state != ST_RUN || t->queued > 0 || t->s1_valid || o->evict_valid || o->evt_done;
    o->used = t->used;
    o->stash_used = t->stash_used;
    o->overflow_used = t->overflow_used;
}

/* Which of the rows' entries to displace: the first unreserved one from `first` on if eviction is allowed, else `first`. */
static uint32_t choose_victim(const struct table *t, uint64_t rows, uint32_t first)
{
    if (t->used >= t->evict_from)
        for (uint32_t i = 0; i < WAYS; i++)
            if (at(t, rows, (first + i) % WAYS)->writes == 0)
                return (first + i) % WAYS;
    return first;
}

/* Sends e to the evict channel; when that is occupied, e waits in hand. Returns the next state. */
static enum state evict(struct table *t, struct entry e, enum state next)
{
    if (!t->evict_free) {
        t->hand = e;
        return ST_EVICT;
    }
    t->out.evict_valid = 1;
    t->out.evict_granule = granule_of(&e);
    t->out.evict_wts = e.wts;
    t->out.evict_rts = e.rts;
    t->out.evt_evict = 1;
    return next;
}

/* Writes e over the entry of a way, which is evicted or taken in hand. */
static enum state displace(struct table *t, uint64_t rows, uint32_t way, struct entry e)
{
    struct entry *place = at(t, rows, way);
    struct entry displaced = *place;
    *place = e;
    if (t->used >= t->evict_from && displaced.writes == 0)
        return evict(t, displaced, ST_RUN);
    t->hand = displaced;
    t->hand_way = way;
    return ST_CHAIN_READ;
}

static bool place_in_free_way(struct table *t, uint64_t rows, const struct entry *e)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        struct entry *place = at(t, rows, w);
        if (place->key == 0) {
            *place = *e;
            t->used++;
            return true;
        }
    }
    return false;
}

static enum state insert(struct table *t, const struct entry *e)
{
    if (place_in_free_way(t, t->s1_rows, e))
        return ST_RUN;
    if (e->writes == 0 && (!t->easy || t->overflow_used == t->overflow_size))
        return evict(t, *e, ST_RUN);
    if (t->overflow_used == t->overflow_size)
        return ST_RUN;
    uint32_t way = choose_victim(t, t->s1_rows, t->rotor);
    t->rotor = (t->rotor + 1) % WAYS;
    t->swaps = 1;
    return displace(t, t->s1_rows, way, *e);
}

static enum state update_overflow(struct table *t, const struct entry *e)
{
    t->hand = *e;
    if (e->writes != 0)
        return ST_WRITE_BACK;
    t->overflow_used--;
    t->move_due = t->index != t->overflow_used;
    return evict(t, *e, t->move_due ? ST_MOVE_READ : ST_RUN);
}

/* The user's answer to the offered result. */
static enum state take(struct table *t, const struct cw_cuckoo_table_in *in)
{
    struct entry e = {.key = t->s1_granule << 1 | 1,
                      .wts = in->upd_wts & t->ts_mask,
                      .rts = in->upd_rts & t->ts_mask,
                      .writes = (uint32_t)in->upd_writes & t->writes_mask,
                      .owner = (uint32_t)in->upd_owner & t->owner_mask};
    t->s1_valid = false;
    if (!(in->upd_valid & 1))
        return ST_RUN;
    switch (t->where) {
    case IN_WAY:
        *at(t, t->s1_rows, t->index) = e;
        return ST_RUN;
    case IN_STASH:
        t->stash[t->index] = e;
        return ST_RUN;
    case IN_OVERFLOW:
        return update_overflow(t, &e);
    default:
        return insert(t, &e);
    }
}

static enum state search_compare(struct table *t, const struct cw_cuckoo_table_in *in)
{
    if (!(in->mem_rsp_valid & 1))
        return ST_SEARCH_WAIT;
    t->hand = unpack(t, in->mem_rdata);
    if (granule_of(&t->hand) == t->s1_granule) {
        t->where = IN_OVERFLOW;
        return ST_SEARCH_DONE;
    }
    return ++t->index == t->overflow_used ? ST_SEARCH_DONE : ST_SEARCH_READ;
}

static enum state chain_write(struct table *t)
{
    uint64_t rows = cw_h3x4(&t->hash, granule_of(&t->hand));
    if (place_in_free_way(t, rows, &t->hand))
        return ST_RUN;
    if (t->swaps == t->p.max_swaps)
        return t->hand.writes == 0 ? evict(t, t->hand, ST_RUN) : ST_STASH;
    t->swaps++;
    uint32_t way = choose_victim(t, rows, (t->hand_way + 1) % WAYS);
    return displace(t, rows, way, t->hand);
}

static enum state stash_put(struct table *t)
{
    for (uint32_t i = 0; i < t->p.stash_entries; i++)
        if (t->stash[i].key == 0) {
            t->stash[i] = t->hand;
            t->stash_used++;
            t->out.evt_stash = 1;
            return ST_RUN;
        }
    for (uint32_t i = 0; i < t->p.stash_entries; i++)
        if (t->stash[i].writes == 0) {
            struct entry evicted = t->stash[i];
            t->stash[i] = t->hand;
            t->out.evt_stash = 1;
            return evict(t, evicted, ST_RUN);
        }
    return ST_SPILL;
}

/* States that wait for memory or for the evict channel; returns the next state. */
static enum state step_channel(struct table *t, const struct cw_cuckoo_table_in *in)
{
    bool mem_ready = in->mem_ready & 1;
    switch (t->state) {
    case ST_SEARCH_READ:
        return mem_ready ? ST_SEARCH_WAIT : ST_SEARCH_READ;
    case ST_SEARCH_WAIT:
        return search_compare(t, in);
    case ST_MOVE_READ:
        t->move_due = false;
        return mem_ready ? ST_MOVE_WAIT : ST_MOVE_READ;
    case ST_MOVE_WAIT:
        if (!(in->mem_rsp_valid & 1))
            return ST_MOVE_WAIT;
        t->hand = unpack(t, in->mem_rdata);
        return ST_MOVE_WRITE;
    case ST_SPILL:
        if (!mem_ready)
            return ST_SPILL;
        t->overflow_used++;
        t->out.evt_overflow = 1;
        return ST_RUN;
    case ST_EVICT:
        return evict(t, t->hand, t->move_due ? ST_MOVE_READ : ST_RUN);
    default: /* ST_WRITE_BACK, ST_MOVE_WRITE */
        return mem_ready ? ST_RUN : t->state;
    }
}

static void empty(struct table *t)
{
    for (uint32_t w = 0; w < WAYS; w++)
        memset(t->way[w], 0, t->rows * sizeof *t->way[w]);
    memset(t->stash, 0, sizeof t->stash);
    t->clear_row = t->used = t->stash_used = t->overflow_used = 0;
    t->rotor = 0;
}

static enum state run(struct table *t, const struct cw_cuckoo_table_in *in, bool was_busy)
{
    if (t->s1_valid) {
        if (!t->hold)
            return take(t, in);
        t->index = 0;
        return ST_SEARCH_READ;
    }
    if (was_busy || !(in->flush & 1))
        return ST_RUN;
    empty(t);
    return ST_CLEAR;
}

static enum state step(struct table *t, const struct cw_cuckoo_table_in *in, bool was_busy)
{
    switch (t->state) {
    case ST_CLEAR:
        return ++t->clear_row == t->rows ? ST_RUN : ST_CLEAR;
    case ST_RUN:
        return run(t, in, was_busy);
    case ST_SEARCH_DONE:
        return take(t, in);
    case ST_CHAIN_READ:
        return ST_CHAIN_WRITE;
    case ST_CHAIN_WRITE:
        return chain_write(t);
    case ST_STASH:
        return stash_put(t);
    default:
        return step_channel(t, in);
    }
}

/* Moves look-ups on. The rows of the oldest waiting one are read only when the table runs on undisturbed. */
static void advance(struct table *t, const struct cw_cuckoo_table_in *in, bool ran, bool accepted)
{
    if (ran && t->state == ST_RUN && t->queued > 0) {
        t->s1_valid = true;
        t->s1_granule = t->queue[0];
        t->s1_rows = cw_h3x4(&t->hash, t->s1_granule);
        t->queue[0] = t->queue[1];
        t->queued--;
    }
    if (accepted)
        t->queue[t->queued++] = in->look_granule & t->granule_mask;
}

/* Outputs that last one cycle, and the evict channel unless it waits. */
static void next_outputs(struct table *t, const struct cw_cuckoo_table_in *in)
{
    struct cw_cuckoo_table_out *o = &t->out;
    t->evict_free = !o->evict_valid || (in->evict_ready & 1);
    if (t->evict_free)
        o->evict_valid = o->evict_granule = o->evict_wts = o->evict_rts = 0;
    o->res_valid = o->res_granule = o->res_found = o->res_room = o->res_easy = 0;
    o->res_wts = o->res_rts = o->res_writes = o->res_owner = 0;
    o->evt_done = o->evt_cycles = o->evt_evict = o->evt_stash = o->evt_overflow = 0;
    if (o->mem_valid) {
        o->mem_valid = o->mem_write = o->mem_addr = 0;
        memset(o->mem_wdata, 0, sizeof o->mem_wdata);
    }
}

static void cuckoo_tick(void *self, const void *inputs)
{
    struct table *t = self;
    const struct cw_cuckoo_table_in *in = inputs;
    bool was_busy = t->out.busy;
    if (!was_busy && !(in->look_valid & 1) && !(in->flush & 1))
        return;
    bool accepted = t->out.look_ready && (in->look_valid & 1);
    bool ran = t->state == ST_RUN;
    bool access = ran ? t->s1_valid : t->state != ST_CLEAR;
    if (access && t->cycles < 255)
        t->cycles++;
    next_outputs(t, in);
    t->state = step(t, in, was_busy);
    if (access && t->state == ST_RUN) {
        t->out.evt_done = 1;
        t->out.evt_cycles = t->cycles;
        t->cycles = 0;
    }
    advance(t, in, ran, accepted);
    present(t);
}

static void cuckoo_eval(void *self, const void *inputs, void *outputs)
{
    const struct table *t = self;
    const struct cw_cuckoo_table_in *in = inputs;
    struct cw_cuckoo_table_out *o = outputs;
    *o = t->out;
    bool search = t->state == ST_SEARCH_READ || t->state == ST_SEARCH_WAIT;
    uint32_t next = t->state == ST_RUN ? 1 : 0; /* in ST_RUN, the oldest one's rows are being read already */
    bool offered = o->look_ready && (in->look_valid & 1);
    o->read_valid = search || t->queued > next || offered;
    if (search)
        o->read_granule = t->s1_granule;
    else if (t->queued > next)
        o->read_granule = t->queue[next];
    else
        o->read_granule = offered ? in->look_granule & t->granule_mask : 0;
}

static void cuckoo_reset(void *self)
{
    struct table *t = self;
    memset(&t->out, 0, sizeof t->out);
    t->queued = t->cycles = t->hand_way = t->swaps = t->index = 0;
    t->s1_valid = t->hold = t->move_due = false;
    empty(t);
    t->state = ST_CLEAR;
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
    return ((uint64_t)1 << width) - 1;
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

#define CW_UNIT__PARAMS_T struct cw_cuckoo_table_params
#define CW_UNIT__IN_T     struct cw_cuckoo_table_in
#define CW_UNIT__OUT_T    struct cw_cuckoo_table_out
CW_UNIT_DEFINE(cuckoo_table, CW_CUCKOO_TABLE_PARAMS, CW_CUCKOO_TABLE_PORTS, cuckoo_create, cuckoo_destroy, cuckoo_reset, cuckoo_eval,
               cuckoo_tick);
