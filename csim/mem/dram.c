/* SPDX-License-Identifier: Apache-2.0 */
#include "mem/dram.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bits.h"
#include "mem/dram_unit.h"
#include "msg/message.h"

#define ROW_NONE        UINT64_MAX
#define RANK_NOT_COLUMN (UINT64_C(1) << 63)

struct request {
    uint64_t row;
    uint64_t order;            /* of entering the queue: age */
    uint64_t local;            /* partition-local address of the line */
    struct cw_dram_port *port; /* NULL: the request is free */
    cw_time entered;
    uint32_t bank, tag;
    uint8_t bursts; /* left to transfer */
    uint8_t sectors;
    bool write;
    bool copy; /* of the row to to_row, which have no column commands */
    bool over_bus;
    uint64_t to_row;
    void *told;                      /* what comes back when a copy or a write is done; NULL: nothing */
    bool opened;                     /* an activate was issued for it */
    bool started;                    /* first column command issued */
    struct request *next;            /* of the bank, in age order; or free list */
    struct request *older, *younger; /* of the whole queue */
};

#define COPIES_BANK 8u   /* most subarrays of a bank that copy at once */
#define COPIES      64u  /* most copies outstanding at a port */
#define TOLD        256u /* most writes outstanding at a port whose end is told */

enum command { READ, WRITE, ACTIVATE, PRECHARGE, COPY, COMMANDS };

/* A command for a request. */
struct choice {
    struct request *request;
    enum command command;
    uint32_t group; /* whose earliest time binds it; for activate and precharge one that never does */
    cw_time when;   /* earliest */
    uint64_t rank;  /* FR-FCFS: lower goes first: column commands, then by age */
};

/* A bank: the open row, the earliest time of each command, and the requests for it. */
struct bank {
    uint64_t row; /* open, or ROW_NONE */
    cw_time activate, column, precharge;
    cw_time copied; /* its subarrays are copying until then: no row can be opened */
    struct {
        uint64_t number;
        cw_time until;
    } copying[COPIES_BANK]; /* the subarrays that do */
    struct request *head, *tail;
    struct request *hit; /* oldest that asks for the open row */
};

/* Parameters in units of time; bl is the data bus time of one burst. */
struct timing {
    cw_time tck, ccd, ccdl, rrd, rcd, ras, rp, rc, cl, wl, rtpl, bl;
    cw_time copy, bus_copy, bus_held; /* of a copy over the bus: the bank; the bus */
    cw_time rtw, wtr, wtp;            /* read to write, write to read, write to precharge: from command to command */
    cw_time age_cap;
    uint32_t bl_cycles;
    uint32_t row_bursts;
};

struct cw_dram_port {
    struct cw_dram *channel;
    uint32_t index, count; /* requests pushed and not finished */
    struct cw_fifo incoming, done, copied, written;
    uint32_t copies, told; /* outstanding */
    /* listener; NULL: nobody */
    void (*accepted)(void *self, uint64_t local, uint8_t sectors, bool write, cw_time now);
    void (*command)(void *self, uint64_t local, bool write, cw_time now);
    void *listener;
};

struct cw_dram {
    struct cw_component component;
    struct timing t;
    struct cw_stats *stats;
    struct cw_dram_unit *unit; /* NULL: the channel chooses itself */
    cw_time latency;           /* of the scheduling stage */
    struct bank *bank;
    struct choice *candidate;   /* [bank]: its next command; when is the bank's own condition; kept up to date by plan() */
    cw_time *group;             /* earliest column command of each bank group */
    cw_time earliest[COMMANDS]; /* of each command on the channel */
    uint64_t pending;           /* banks with requests */
    uint32_t queued, queue_max;
    uint64_t order;
    struct request *oldest, *youngest;
    struct cw_dram_port *port; /* [ports] */
    uint32_t ports, turn;      /* port from which the queue takes first */
    struct request *pool, *free;
    uint32_t requests;                            /* in the pool */
    uint32_t groups_log2, lines_log2, banks_log2; /* log2 of bank groups, lines per row, banks */
    uint32_t burst_bytes, line_bytes, line_log2, interleave;
    uint32_t row_chunks; /* of partition.interleave bytes in a row */
    uint32_t subarray_rows;
    uint32_t map;      /* dram.map */
    bool sector_reads; /* a burst is larger than a sector, and a read of several sectors takes one for each */
};

static void raise_to(cw_time *earliest, cw_time when)
{
    *earliest = cw_time_max(*earliest, when);
}

/* Queue */

/* The channel's address of a slice's. */
static uint64_t channel_address(const struct cw_dram_port *port, uint64_t local)
{
    const struct cw_dram *d = port->channel;
    if (d->ports == 1)
        return local;
    uint64_t chunk = local / d->interleave;
    return (chunk * d->ports + port->index) * d->interleave + local % d->interleave;
}

/* dram.map = groups: the bank's low bits are the group, below the columns, and it is hashed with the row. */
static void map_groups_low(const struct cw_dram *d, uint64_t address, uint32_t *bank, uint64_t *row)
{
    const uint32_t groups = 1u << d->groups_log2, banks = 1u << d->banks_log2;
    const uint64_t line = address >> d->line_log2, above = line >> (d->groups_log2 + d->lines_log2);
    const uint32_t before = ((uint32_t)above << d->groups_log2 | ((uint32_t)line & (groups - 1))) & (banks - 1);
    *row = above >> (d->banks_log2 - d->groups_log2);
    *bank = before ^ ((uint32_t)*row & (banks - 1));
}

/* dram.map = banks: chunks of partition.interleave bytes lie in two banks by turns. */
static void map_banks_low(const struct cw_dram *d, uint64_t address, uint32_t *bank, uint64_t *row)
{
    const uint32_t high_bits = d->banks_log2 - 1, high = (1u << high_bits) - 1;
    uint64_t chunk = address / d->interleave;
    const uint32_t low = (uint32_t)chunk & 1;
    chunk = chunk / 2 / d->row_chunks;
    *bank = ((uint32_t)chunk & high) << 1 | low;
    *row = chunk >> high_bits;
}

/* dram.map = columns: the bytes of a row follow each other, and behind them those of the next bank. */
static void map_columns_low(const struct cw_dram *d, uint64_t address, uint32_t *bank, uint64_t *row)
{
    const uint64_t number = address >> (d->line_log2 + d->lines_log2);
    *bank = (uint32_t)number & ((1u << d->banks_log2) - 1);
    *row = number >> d->banks_log2;
}

static uint32_t group_of(const struct cw_dram *d, uint32_t bank)
{
    return d->map == CW_DRAM_COLUMNS_LOW ? bank >> (d->banks_log2 - d->groups_log2) : bank & ((1u << d->groups_log2) - 1);
}

void cw_dram_map(const struct cw_dram_port *port, uint64_t local, uint32_t *group, uint32_t *bank, uint64_t *row)
{
    static void (*const maps[])(const struct cw_dram *d, uint64_t address, uint32_t *bank, uint64_t *row) = {
        [CW_DRAM_GROUPS_LOW] = map_groups_low, [CW_DRAM_BANKS_LOW] = map_banks_low, [CW_DRAM_COLUMNS_LOW] = map_columns_low};
    const struct cw_dram *d = port->channel;
    maps[d->map](d, channel_address(port, local), bank, row);
    *group = group_of(d, *bank);
}

uint32_t cw_dram_space(const struct cw_dram_port *port, cw_time now)
{
    return cw_fifo_space(&port->incoming, now);
}

/* One bit per burst of the line. A burst longer than a line moves the line. */
static uint8_t bursts_of(const struct cw_dram *d, uint8_t sectors)
{
    uint32_t bursts = 0;
    if (d->burst_bytes >= d->line_bytes)
        return 1;
    for (uint32_t at = 0; at < d->line_bytes; at += d->burst_bytes) {
        uint32_t first = at / CW_SECTOR_BYTES, last = (at + d->burst_bytes - 1) / CW_SECTOR_BYTES;
        uint32_t mask = (2u << last) - (1u << first);
        if (sectors & mask)
            bursts |= 1u << at / d->burst_bytes;
    }
    return (uint8_t)bursts;
}

uint8_t cw_dram_round(const struct cw_dram_port *port, uint8_t sectors)
{
    const struct cw_dram *d = port->channel;
    uint32_t per_burst = d->burst_bytes / CW_SECTOR_BYTES;
    if (per_burst <= 1 || d->sector_reads)
        return sectors;
    if (d->burst_bytes >= d->line_bytes)
        return (uint8_t)((1u << d->line_bytes / CW_SECTOR_BYTES) - 1);
    uint32_t low = (sectors | sectors >> 1) & 5u; /* two sectors per burst */
    return (uint8_t)(low | low << 1);
}

static void push(struct cw_dram_port *port, uint64_t local, uint8_t sectors, bool write, uint32_t tag, void *told, cw_time now)
{
    struct cw_dram *d = port->channel;
    struct request *r = d->free;
    assert(r != NULL && sectors != 0);
    d->free = r->next;
    uint32_t group;
    *r = (struct request){.tag = tag, .sectors = cw_dram_round(port, sectors), .write = write, .told = told, .local = local, .port = port};
    r->bursts = d->sector_reads && !write ? sectors : bursts_of(d, sectors);
    cw_dram_map(port, local, &group, &r->bank, &r->row);
    cw_fifo_push(&port->incoming, now, d->latency, r);
    port->count++;
    if (port->accepted != NULL)
        port->accepted(port->listener, local, r->sectors, write, now);
}

void cw_dram_push(struct cw_dram_port *port, uint64_t local, uint8_t sectors, bool write, uint32_t tag, cw_time now)
{
    push(port, local, sectors, write, tag, NULL, now);
}

bool cw_dram_can_tell(const struct cw_dram_port *port)
{
    return port->told < TOLD;
}

void cw_dram_push_told(struct cw_dram_port *port, uint64_t local, uint8_t sectors, void *tag, cw_time now)
{
    assert(tag != NULL && cw_dram_can_tell(port));
    port->told++;
    push(port, local, sectors, true, 0, tag, now);
}

static void give_back(struct cw_dram *d, struct request *r)
{
    r->port = NULL;
    r->next = d->free;
    d->free = r;
}

static void release(struct cw_dram *d, struct request *r)
{
    r->port->count--;
    give_back(d, r);
}

bool cw_dram_can_copy(const struct cw_dram_port *port, cw_time now)
{
    return port->copies < COPIES && cw_dram_space(port, now) > 0;
}

void cw_dram_push_copy(struct cw_dram_port *port, uint64_t from, uint64_t to, bool over_bus, void *tag, cw_time now)
{
    struct cw_dram *d = port->channel;
    struct request *r = d->free;
    uint32_t group, bank;
    assert(r != NULL && port->copies < COPIES);
    d->free = r->next;
    *r = (struct request){.copy = true, .over_bus = over_bus, .told = tag, .local = from, .port = port};
    cw_dram_map(port, to, &group, &bank, &r->to_row);
    cw_dram_map(port, from, &group, &r->bank, &r->row);
    assert(bank == r->bank && r->row / d->subarray_rows == r->to_row / d->subarray_rows);
    cw_fifo_push(&port->incoming, now, d->latency, r);
    port->count++;
    port->copies++;
}

void *cw_dram_copied(const struct cw_dram_port *port, cw_time now)
{
    const struct request *r = cw_fifo_peek(&port->copied, now);
    return r != NULL ? r->told : NULL;
}

void cw_dram_pop_copied(struct cw_dram_port *port, cw_time now)
{
    port->copies--;
    release(port->channel, cw_fifo_pop(&port->copied, now));
}

cw_time cw_dram_next_copied(const struct cw_dram_port *port)
{
    return cw_fifo_next(&port->copied);
}

void *cw_dram_written(const struct cw_dram_port *port, cw_time now)
{
    const struct request *r = cw_fifo_peek(&port->written, now);
    return r != NULL ? r->told : NULL;
}

void cw_dram_pop_written(struct cw_dram_port *port, cw_time now)
{
    port->told--;
    release(port->channel, cw_fifo_pop(&port->written, now));
}

cw_time cw_dram_next_written(const struct cw_dram_port *port)
{
    return cw_fifo_next(&port->written);
}

void cw_dram_listen(struct cw_dram_port *port, void (*accepted)(void *self, uint64_t local, uint8_t sectors, bool write, cw_time now),
                    void (*command)(void *self, uint64_t local, bool write, cw_time now), void *self)
{
    port->accepted = accepted;
    port->command = command;
    port->listener = self;
}

bool cw_dram_pop(struct cw_dram_port *port, struct cw_dram_done *done, cw_time now)
{
    struct request *r = cw_fifo_pop(&port->done, now);
    if (r == NULL)
        return false;
    *done = (struct cw_dram_done){.tag = r->tag, .sectors = r->sectors};
    release(port->channel, r);
    return true;
}

cw_time cw_dram_next(const struct cw_dram_port *port)
{
    return cw_fifo_next(&port->done);
}

/* From when on the bank may begin this copy, as far as other copies go: its subarray is idle, and not too many others copy. */
static cw_time copy_from(const struct cw_dram *d, const struct bank *b, const struct request *r)
{
    cw_time first = CW_TIME_NEVER;
    for (uint32_t i = 0; i < COPIES_BANK; i++) {
        if (b->copying[i].number == r->row / d->subarray_rows)
            return b->copying[i].until;
        first = cw_time_min(first, b->copying[i].until);
    }
    return first;
}

/* Next command that request r needs of bank b, with the bank's own condition for it. */
static struct choice next_command(const struct cw_dram *d, const struct bank *b, struct request *r)
{
    uint32_t none = 1u << d->groups_log2;
    if (b->row == ROW_NONE && r->copy)
        return (struct choice){r, COPY, none, cw_time_max(b->activate, copy_from(d, b, r)), r->order | RANK_NOT_COLUMN};
    if (b->row == ROW_NONE)
        return (struct choice){r, ACTIVATE, none, cw_time_max(b->activate, b->copied), r->order | RANK_NOT_COLUMN};
    if (b->row != r->row || r->copy)
        return (struct choice){r, PRECHARGE, none, b->precharge, r->order | RANK_NOT_COLUMN};
    return (struct choice){r, r->write ? WRITE : READ, group_of(d, r->bank), b->column, r->order};
}

/* After any change of the bank or of its requests. */
static void plan(const struct cw_dram *d, struct bank *b)
{
    if (b->head != NULL)
        d->candidate[b - d->bank] = next_command(d, b, b->hit != NULL ? b->hit : b->head);
}

/* The next request at the ports, which take turns; NULL: none has come. */
static struct request *arrived(struct cw_dram *d, cw_time now)
{
    for (uint32_t k = 0; k < d->ports; k++) {
        const uint32_t i = (d->turn + k) % d->ports;
        struct request *r = cw_fifo_pop(&d->port[i].incoming, now);
        if (r != NULL) {
            d->turn = (i + 1) % d->ports;
            return r;
        }
    }
    return NULL;
}

/* Whether an older request of the bank is a copy. */
static bool copies_first(const struct bank *b, const struct request *r)
{
    for (const struct request *q = b->head; q != r; q = q->next)
        if (q->copy)
            return true;
    return false;
}

static void enqueue(struct cw_dram *d, struct request *r, cw_time now)
{
    struct bank *b = &d->bank[r->bank];
    r->order = d->order++;
    r->entered = now;
    r->next = r->younger = NULL;
    r->older = d->youngest;
    *(d->youngest != NULL ? &d->youngest->younger : &d->oldest) = r;
    d->youngest = r;
    *(b->head != NULL ? &b->tail->next : &b->head) = r;
    b->tail = r;
    if (b->hit == NULL && b->row == r->row && !r->copy && !copies_first(b, r))
        b->hit = r;
    plan(d, b);
    d->pending |= UINT64_C(1) << r->bank;
    d->queued++;
}

static void accept(struct cw_dram *d, cw_time now)
{
    struct request *r;
    while (d->queued < d->queue_max && (r = arrived(d, now)) != NULL)
        enqueue(d, r, now);
}

/* Bits of the bank below those of its number in the group: the unit has one bit at least. */
static uint32_t unit_group_bits(const struct cw_dram *d)
{
    return d->groups_log2 > 0 ? d->groups_log2 : 1;
}

/* The unit's number of a bank: its group is below. */
static uint32_t unit_bank(const struct cw_dram *d, uint32_t bank)
{
    const uint32_t in_group_bits = d->banks_log2 - d->groups_log2, low = bank & ((1u << in_group_bits) - 1);
    return (d->map == CW_DRAM_COLUMNS_LOW ? low : bank >> d->groups_log2) << unit_group_bits(d) | group_of(d, bank);
}

static __attribute__((noinline)) void accept_by_unit(struct cw_dram *d, cw_time now)
{
    struct request *r;
    while (cw_dram_unit_room(d->unit, now / d->t.tck) && (r = arrived(d, now)) != NULL) {
        struct cw_adapt_dram_scheduler_request what = {
            .write = r->write, .bank = unit_bank(d, r->bank), .bursts = (uint32_t)__builtin_popcount(r->bursts), .row = r->row};
        assert(!r->copy);
        enqueue(d, r, now);
        cw_dram_unit_push(d->unit, &what, r);
    }
}

/* Nothing overtakes a copy of the bank, so that the copy has the writes before it, and the reads behind it have the copy. */
static void find_hit(struct bank *b)
{
    b->hit = b->head;
    while (b->hit != NULL && !b->hit->copy && b->hit->row != b->row)
        b->hit = b->hit->next;
    if (b->hit != NULL && b->hit->copy)
        b->hit = NULL;
}

static void remove_request(struct cw_dram *d, struct bank *b, struct request *r)
{
    struct request *prev = NULL;
    for (struct request *q = b->head; q != r; q = q->next)
        prev = q;
    *(prev != NULL ? &prev->next : &b->head) = r->next;
    if (b->tail == r)
        b->tail = prev;
    *(r->older != NULL ? &r->older->younger : &d->oldest) = r->younger;
    *(r->younger != NULL ? &r->younger->older : &d->youngest) = r->older;
    if (b->head == NULL)
        d->pending &= ~(UINT64_C(1) << r->bank);
    d->queued--;
    find_hit(b);
}

/* Commands: what each does to the earliest times of the others */

static void activate(struct cw_dram *d, struct bank *b, struct request *r, cw_time now)
{
    b->row = r->row;
    b->activate = now + d->t.rc;
    raise_to(&b->column, now + d->t.rcd);
    raise_to(&b->precharge, now + d->t.ras);
    raise_to(&d->earliest[ACTIVATE], now + d->t.rrd);
    raise_to(&d->earliest[COPY], now + d->t.rrd);
    r->opened = true;
    find_hit(b);
    d->stats->dram_activates++;
}

static void precharge(struct cw_dram *d, struct bank *b, cw_time now)
{
    b->row = ROW_NONE;
    b->hit = NULL;
    raise_to(&b->activate, now + d->t.rp);
}

static void column(struct cw_dram *d, struct bank *b, struct request *r, cw_time now)
{
    const struct timing *t = &d->t;
    raise_to(&d->group[group_of(d, r->bank)], now + t->ccdl);
    raise_to(&d->earliest[READ], now + cw_time_max(t->ccd, t->bl));
    raise_to(&d->earliest[WRITE], now + cw_time_max(t->ccd, t->bl));
    if (r->write) {
        raise_to(&d->earliest[READ], now + t->wtr);
        raise_to(&b->precharge, now + t->wtp);
        d->stats->dram_writes++;
    } else {
        raise_to(&d->earliest[WRITE], now + t->rtw);
        raise_to(&b->precharge, now + t->rtpl);
        d->stats->dram_reads++;
    }
    d->stats->dram_busy_cycles += t->bl_cycles;
    if (r->port->command != NULL)
        r->port->command(r->port->listener, r->local, r->write, now);
    d->stats->dram_row_hits += !r->started && !r->opened;
    r->started = true;
    r->bursts = (uint8_t)(r->bursts & (r->bursts - 1));
    if (r->bursts != 0)
        return;
    remove_request(d, b, r);
    if (r->write && r->told == NULL)
        release(d, r);
    else if (r->write)
        cw_fifo_push(&r->port->written, now, t->wl + t->bl, r);
    else
        cw_fifo_push(&r->port->done, now, t->cl + t->bl, r);
}

/* What a copy over the bus takes beside the bank's time. */
static void hold_bus(struct cw_dram *d, struct bank *b, cw_time now)
{
    raise_to(&b->activate, now + d->t.bus_copy);
    raise_to(&d->earliest[READ], now + d->t.bus_held);
    raise_to(&d->earliest[WRITE], now + d->t.bus_held);
    raise_to(&d->earliest[COPY], now + d->t.bus_held);
    d->stats->dram_reads += d->t.row_bursts;
    d->stats->dram_writes += d->t.row_bursts;
    d->stats->dram_busy_cycles += 2 * d->t.row_bursts * d->t.bl_cycles;
    d->stats->dram_activates += 2;
}

/* Row to row through the sense amplifiers: two activates, and no open row after it (RowClone). */
static void copy(struct cw_dram *d, struct bank *b, struct request *r, cw_time now)
{
    const cw_time takes = r->over_bus ? d->t.bus_copy : d->t.copy;
    uint32_t slot = 0;
    for (uint32_t i = 1; i < COPIES_BANK; i++)
        if (b->copying[i].until < b->copying[slot].until)
            slot = i;
    b->copying[slot].number = r->row / d->subarray_rows;
    b->copying[slot].until = b->copied = now + takes;
    raise_to(&d->earliest[ACTIVATE], now + 2 * d->t.rrd);
    raise_to(&d->earliest[COPY], now + 2 * d->t.rrd);
    if (r->over_bus)
        hold_bus(d, b, now);
    else
        d->stats->dram_row_copies++;
    remove_request(d, b, r);
    cw_fifo_push(&r->port->copied, now, takes, r);
}

static void issue(struct cw_dram *d, const struct choice *c, cw_time now)
{
    struct bank *b = &d->bank[c->request->bank];
    if (c->command == ACTIVATE)
        activate(d, b, c->request, now);
    else if (c->command == PRECHARGE)
        precharge(d, b, now);
    else if (c->command == COPY)
        copy(d, b, c->request, now);
    else
        column(d, b, c->request, now);
    plan(d, b);
}

/* Scheduler */

/* Earliest time for a command under all conditions: bank, bank group and channel. */
static cw_time allowed(const struct cw_dram *d, const struct choice *c)
{
    return cw_time_max(cw_time_max(c->when, d->earliest[c->command]), d->group[c->group]);
}

/* Strict FCFS, past the age cap: the next command of the oldest request. */
static struct choice choose_oldest(const struct cw_dram *d, cw_time now)
{
    struct choice c = next_command(d, &d->bank[d->oldest->bank], d->oldest);
    c.when = allowed(d, &c);
    if (c.when > now)
        c.request = NULL;
    return c;
}

/*
 * FR-FCFS: the command to issue now (request NULL when none is allowed), with when = the earliest time at which another
 * may be allowed. Which banks are ready is as good as random, so the loop is written to compile without branches.
 */
static struct choice choose(const struct cw_dram *d, cw_time now)
{
    struct choice best = {.request = NULL, .when = CW_TIME_NEVER};
    uint64_t rank = UINT64_MAX;
    if (d->oldest == NULL)
        return best;
    cw_time next = d->oldest->entered + d->t.age_cap;
    if (now >= next)
        return choose_oldest(d, now);
    uint32_t chosen = 0;
    for (uint64_t banks = d->pending; banks != 0; banks &= banks - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(banks);
        const struct choice *c = &d->candidate[i];
        cw_time when = allowed(d, c);
        uint64_t r = when <= now ? c->rank : UINT64_MAX;
        next = cw_time_min(next, when <= now ? CW_TIME_NEVER : when);
        chosen = r < rank ? i : chosen;
        rank = r < rank ? r : rank;
    }
    if (rank != UINT64_MAX)
        best = d->candidate[chosen];
    best.when = next;
    return best;
}

/* The unit has all times: it is asked in each cycle in which there are requests. */
static __attribute__((noinline)) struct choice choose_by_unit(const struct cw_dram *d, cw_time now)
{
    struct choice c = {.when = d->oldest != NULL ? now + d->t.tck : CW_TIME_NEVER};
    uint32_t kind = 0;
    c.request = d->oldest != NULL ? cw_dram_unit_command(d->unit, now / d->t.tck, &kind) : NULL;
    c.command = (enum command)kind;
    return c;
}

static void tick(void *self, cw_time now)
{
    struct cw_dram *d = self;
    struct choice c;
    if (__builtin_expect(d->unit != NULL, 0)) {
        accept_by_unit(d, now);
        c = choose_by_unit(d, now);
    } else {
        accept(d, now);
        c = choose(d, now);
    }
    if (c.request != NULL) {
        issue(d, &c, now);
        d->component.wake = now + d->t.tck;
        return;
    }
    d->component.wake = c.when;
    for (uint32_t i = 0; i < d->ports && d->queued < d->queue_max; i++)
        d->component.wake = cw_time_min(d->component.wake, cw_fifo_next(&d->port[i].incoming));
}

bool cw_dram_idle(const struct cw_dram_port *port)
{
    return port->count == 0;
}

uint32_t cw_dram_queued(const struct cw_dram_port *port)
{
    return port->count;
}

/* Creation */

uint32_t cw_dram_age_cap(const struct cw_config *c)
{
    uint32_t bl = (c->dram_burst_bytes + c->dram_bytes_per_cycle - 1) / c->dram_bytes_per_cycle;
    return c->dram_queue * (c->dram_rc + c->dram_cl + bl + CW_DRAM_TURNAROUND + c->dram_wl + bl + c->dram_cdlr);
}

static struct timing timing_of(const struct cw_config *c, const struct cw_clocks *clocks)
{
    const cw_time tck = clocks->period[CW_DOMAIN_DRAM];
    cw_time bl = (c->dram_burst_bytes + c->dram_bytes_per_cycle - 1) / c->dram_bytes_per_cycle;
    const cw_time bursts = c->dram_row_bytes / c->dram_burst_bytes, step = cw_time_max(c->dram_ccd, bl);
    const cw_time bank_step = cw_time_max(c->dram_ccdl, step); /* a row is of one bank group */
    cw_time read_busy = c->dram_cl + bl + CW_DRAM_TURNAROUND;  /* the write's data may start after this */
    return (struct timing){
        .tck = tck,
        .ccd = c->dram_ccd * tck,
        .ccdl = c->dram_ccdl * tck,
        .rrd = c->dram_rrd * tck,
        .rcd = c->dram_rcd * tck,
        .ras = c->dram_ras * tck,
        .rp = c->dram_rp * tck,
        .rc = c->dram_rc * tck,
        .cl = c->dram_cl * tck,
        .wl = c->dram_wl * tck,
        .rtpl = c->dram_rtpl * tck,
        .bl = bl * tck,
        .copy = (c->dram_copy_ns * clocks->units_per_us + 999) / 1000,
        .bus_copy = (2 * (c->dram_rcd + (bursts - 1) * bank_step + c->dram_rp) + c->dram_rtpl + c->dram_wl + bl + c->dram_wr) * tck,
        .bus_held = 2 * bursts * step * tck,
        .rtw = (read_busy > c->dram_wl ? read_busy - c->dram_wl : 0) * tck,
        .wtr = (c->dram_wl + bl + c->dram_cdlr) * tck,
        .wtp = (c->dram_wl + bl + c->dram_wr) * tck,
        .age_cap = cw_dram_age_cap(c) * tck,
        .bl_cycles = (uint32_t)bl,
        .row_bursts = (uint32_t)bursts,
    };
}

static int check(const struct cw_config *c, struct cw_error *err)
{
    if (!cw_is_power_of_two(c->dram_banks) || !cw_is_power_of_two(c->dram_bank_groups) || c->dram_bank_groups > c->dram_banks ||
        c->dram_banks > 64)
        return cw_fail(err, CW_EINVAL, "dram.banks = %u, dram.bank_groups = %u: powers of two, groups <= banks <= 64", c->dram_banks,
                       c->dram_bank_groups);
    if (!cw_is_power_of_two(c->dram_row_bytes) || c->dram_row_bytes < c->mem_line_bytes || !cw_is_power_of_two(c->dram_burst_bytes) ||
        c->dram_burst_bytes < 16)
        return cw_fail(err, CW_EINVAL, "dram.row_bytes = %u, dram.burst_bytes = %u: powers of two, at least a line and 16",
                       c->dram_row_bytes, c->dram_burst_bytes);
    return CW_OK;
}

static int create_ports(struct cw_dram *d, uint32_t incoming, uint32_t reads_max)
{
    d->port = calloc(d->ports, sizeof *d->port);
    for (uint32_t i = 0; d->port != NULL && i < d->ports; i++) {
        struct cw_dram_port *port = &d->port[i];
        port->channel = d;
        port->index = i;
        if (cw_fifo_create(&port->incoming, incoming, &d->component.wake) != CW_OK ||
            cw_fifo_create(&port->done, reads_max, NULL) != CW_OK || cw_fifo_create(&port->copied, COPIES, NULL) != CW_OK ||
            cw_fifo_create(&port->written, TOLD, NULL) != CW_OK)
            return CW_ENOMEM;
    }
    return d->port != NULL ? CW_OK : CW_ENOMEM;
}

static int create_queues(struct cw_dram *d, uint32_t reads_max)
{
    /* The scheduling stage delays but must not limit: it holds what the data bus can transfer in that time. */
    uint32_t incoming = (uint32_t)(d->latency / d->t.bl) + d->queue_max,
             requests = d->ports * (incoming + reads_max + COPIES + TOLD) + d->queue_max;
    d->bank = calloc((size_t)1 << d->banks_log2, sizeof *d->bank);
    d->candidate = calloc((size_t)1 << d->banks_log2, sizeof *d->candidate);
    d->group = calloc(((size_t)1 << d->groups_log2) + 1, sizeof *d->group); /* the last one stays 0 */
    d->requests = requests;
    d->pool = calloc(requests, sizeof *d->pool);
    if (d->bank == NULL || d->candidate == NULL || d->group == NULL || d->pool == NULL)
        return CW_ENOMEM;
    for (uint32_t b = 0; b < 1u << d->banks_log2; b++)
        d->bank[b].row = ROW_NONE;
    for (uint32_t i = requests; i-- > 0;)
        give_back(d, &d->pool[i]);
    return create_ports(d, incoming, reads_max);
}

/* State */

static void request_state(struct cw_state *s, struct cw_dram *d, struct request *r)
{
    CW_STATE_REF(s, r->port, d->port, d->ports);
    CW_STATE_REF(s, r->next, d->pool, d->requests);
    if (r->port == NULL)
        return;
    CW_STATE(s, r->row);
    CW_STATE(s, r->order);
    CW_STATE(s, r->local);
    CW_STATE(s, r->entered);
    CW_STATE(s, r->bank);
    CW_STATE(s, r->tag);
    CW_STATE(s, r->bursts);
    CW_STATE(s, r->sectors);
    CW_STATE(s, r->write);
    CW_STATE(s, r->copy);
    CW_STATE(s, r->over_bus);
    CW_STATE(s, r->to_row);
    CW_STATE(s, r->opened);
    CW_STATE(s, r->started);
    CW_STATE_REF(s, r->older, d->pool, d->requests);
    CW_STATE_REF(s, r->younger, d->pool, d->requests);
    cw_message_slot_state(s, &r->told, NULL); /* what the partition has told of */
}

static void bank_state(struct cw_state *s, struct cw_dram *d, struct bank *b)
{
    CW_STATE(s, b->row);
    CW_STATE(s, b->activate);
    CW_STATE(s, b->column);
    CW_STATE(s, b->precharge);
    CW_STATE(s, b->copied);
    for (uint32_t i = 0; i < COPIES_BANK; i++) {
        CW_STATE(s, b->copying[i].number);
        CW_STATE(s, b->copying[i].until);
    }
    CW_STATE_REF(s, b->head, d->pool, d->requests);
    CW_STATE_REF(s, b->tail, d->pool, d->requests);
    CW_STATE_REF(s, b->hit, d->pool, d->requests);
    if (cw_state_loads(s))
        plan(d, b);
}

static void slot_state(struct cw_state *s, void **slot, void *context)
{
    struct cw_dram *d = context;
    cw_state_ref(s, "request", slot, d->pool, sizeof *d->pool, d->requests);
}

static void port_state(struct cw_state *s, struct cw_dram *d, struct cw_dram_port *p)
{
    struct cw_fifo *fifo[] = {&p->incoming, &p->done, &p->copied, &p->written};
    for (size_t i = 0; i < sizeof fifo / sizeof *fifo; i++)
        cw_fifo_state(s, fifo[i], slot_state, d);
    CW_STATE(s, p->count);
    CW_STATE(s, p->copies);
    CW_STATE(s, p->told);
}

static void state(void *self, struct cw_state *s)
{
    struct cw_dram *d = self;
    for (uint32_t i = 0; i < d->requests; i++)
        request_state(s, d, &d->pool[i]);
    for (uint32_t i = 0; i < 1u << d->banks_log2; i++)
        bank_state(s, d, &d->bank[i]);
    for (uint32_t i = 0; i < d->ports; i++)
        port_state(s, d, &d->port[i]);
    cw_state_array(s, "group", d->group, (size_t)1 << d->groups_log2, sizeof *d->group);
    CW_STATE(s, d->earliest);
    CW_STATE(s, d->pending);
    CW_STATE(s, d->queued);
    CW_STATE(s, d->order);
    CW_STATE_REF(s, d->oldest, d->pool, d->requests);
    CW_STATE_REF(s, d->youngest, d->pool, d->requests);
    CW_STATE(s, d->turn);
    CW_STATE_REF(s, d->free, d->pool, d->requests);
    if (d->unit != NULL)
        cw_dram_unit_state(s, d->unit, d->pool, sizeof *d->pool, d->requests);
}

static bool idle(const void *self)
{
    const struct cw_dram *d = self;
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->ports; i++)
        count += d->port[i].count;
    return count == 0;
}

static const struct cw_component_ops component_ops = {.kind = "dram", .domain = CW_DOMAIN_DRAM, .tick = tick, .idle = idle, .state = state};

int cw_dram_create(struct cw_dram **out, const struct cw_config *config, const struct cw_clocks *clocks, struct cw_stats *stats,
                   uint32_t reads_max, struct cw_error *err)
{
    *out = NULL;
    int status = check(config, err);
    if (status != CW_OK)
        return status;
    struct cw_dram *d = calloc(1, sizeof *d);
    if (d == NULL)
        return cw_fail(err, CW_ENOMEM, "DRAM channel: out of host memory");
    d->component = cw_component_of(&component_ops, d, 0);
    d->t = timing_of(config, clocks);
    d->stats = stats;
    d->latency = cw_time_max(1, config->dram_latency * clocks->period[CW_DOMAIN_CORE]);
    d->queue_max = config->dram_queue;
    d->ports = config->dram_sharing;
    d->interleave = config->partition_interleave;
    d->row_chunks = config->dram_row_bytes / config->partition_interleave;
    d->sector_reads = config->dram_sector_reads == CW_ON && config->dram_burst_bytes > CW_SECTOR_BYTES;
    d->subarray_rows = config->dram_subarray_rows;
    d->map = config->dram_map;
    d->burst_bytes = config->dram_burst_bytes;
    d->line_bytes = config->mem_line_bytes;
    d->line_log2 = (uint32_t)__builtin_ctz(d->line_bytes);
    d->groups_log2 = (uint32_t)__builtin_ctz(config->dram_bank_groups);
    d->banks_log2 = (uint32_t)__builtin_ctz(config->dram_banks);
    d->lines_log2 = (uint32_t)__builtin_ctz(config->dram_row_bytes / config->mem_line_bytes);
    if (create_queues(d, reads_max) != CW_OK) {
        cw_dram_destroy(d);
        return cw_fail(err, CW_ENOMEM, "DRAM channel: out of host memory");
    }
    *out = d;
    return CW_OK;
}

static uint32_t cycles(const struct cw_dram *d, cw_time time)
{
    return (uint32_t)cw_time_max(1, time / d->t.tck);
}

int cw_dram_use_unit(struct cw_dram *d, const struct cw_unit_provider *units, uint32_t partition, struct cw_error *err)
{
    const struct timing *t = &d->t;
    /* A slice numbers its lines in 32 bits. */
    const uint32_t line_bits = 32 + (d->ports > 1 ? 32 - (uint32_t)__builtin_clz(d->ports - 1) : 0);
    const struct cw_dram_scheduler_params p = {.queue = d->queue_max,
                                               .bank_w = d->banks_log2 - d->groups_log2 + unit_group_bits(d),
                                               .group_w = unit_group_bits(d),
                                               .row_w = line_bits - d->lines_log2 - d->banks_log2,
                                               .rcd = cycles(d, t->rcd),
                                               .ras = cycles(d, t->ras),
                                               .rp = cycles(d, t->rp),
                                               .rc = cycles(d, t->rc),
                                               .rrd = cycles(d, t->rrd),
                                               .ccd = cycles(d, cw_time_max(t->ccd, t->bl)),
                                               .ccdl = cycles(d, t->ccdl),
                                               .rtw = cycles(d, t->rtw),
                                               .wtr = cycles(d, t->wtr),
                                               .rtp = cycles(d, t->rtpl),
                                               .wtp = cycles(d, t->wtp),
                                               .age_cap = cycles(d, t->age_cap)};
    return cw_dram_unit_create(&d->unit, units, partition, &p, err);
}

void cw_dram_destroy(struct cw_dram *d)
{
    if (d == NULL)
        return;
    cw_dram_unit_destroy(d->unit);
    for (uint32_t i = 0; d->port != NULL && i < d->ports; i++) {
        cw_fifo_destroy(&d->port[i].incoming);
        cw_fifo_destroy(&d->port[i].done);
        cw_fifo_destroy(&d->port[i].copied);
        cw_fifo_destroy(&d->port[i].written);
    }
    free(d->port);
    free(d->bank);
    free(d->candidate);
    free(d->group);
    free(d->pool);
    free(d);
}

struct cw_component *cw_dram_component(struct cw_dram *d)
{
    return &d->component;
}

struct cw_dram_port *cw_dram_connect(struct cw_dram *d, uint32_t index, cw_time *done_wake)
{
    assert(index < d->ports);
    d->port[index].done.wake = d->port[index].copied.wake = d->port[index].written.wake = done_wake;
    return &d->port[index];
}
