/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of the scheduler of a DRAM channel (contract: include/cowarp/unit/dram_scheduler.h).
 *
 * It keeps when each command was given last, and looks at the whole queue in each cycle. The queue is an array, the oldest request first.
 */
#include "cowarp/unit/dram_scheduler.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/state.h"

typedef struct cw_dram_scheduler_params params_t;
typedef struct cw_dram_scheduler_in in_t;
typedef struct cw_dram_scheduler_out out_t;

enum kind { READ, WRITE, ACTIVATE, PRECHARGE, KINDS };

#define BANKS  64u
#define GROUPS 16u
#define LONG   UINT64_C(1024) /* More command cycles than any time has: the number of the first one, so that all before it is over. */

struct request {
    bool write;
    uint8_t bank, bursts, tag; /* Bursts that are left, less one */
    uint32_t row;
    uint64_t taken; /* The command cycle in which it was in the queue first, or the next one */
};

struct bank {
    bool open;
    uint32_t row;
    uint64_t last[KINDS]; /* The command cycle of the last command of each kind; 0: there was none. */
};

struct scheduler {
    params_t p;
    struct request *queue; /* [p.queue] */
    uint32_t cnt, fresh;   /* The last ones of them, which are not looked at yet: 0 or 1 */
    out_t given;           /* The command of the last cycle */
    uint64_t cycle;        /* Number of the command cycle that is, or comes next */
    struct bank bank[BANKS];
    uint64_t group[GROUPS]; /* Of the last READ or WRITE of each group */
    uint64_t last[KINDS];   /* Of any bank */
    uint64_t any;           /* Of the last command */
};

static uint32_t mask_of(uint32_t width)
{
    return width >= 32 ? UINT32_MAX : (1u << width) - 1;
}

static void scheduler_reset(void *self)
{
    struct scheduler *d = self;
    d->cnt = d->fresh = 0;
    d->given = (out_t){0};
    d->cycle = LONG;
    d->any = 0;
    for (uint32_t i = 0; i < d->p.queue; i++)
        d->queue[i] = (struct request){0};
    for (uint32_t b = 0; b < BANKS; b++)
        d->bank[b] = (struct bank){0};
    for (uint32_t g = 0; g < GROUPS; g++)
        d->group[g] = 0;
    for (uint32_t k = 0; k < KINDS; k++)
        d->last[k] = 0;
}

static void scheduler_destroy(void *self)
{
    struct scheduler *d = self;
    if (d == NULL)
        return;
    free(d->queue);
    free(d);
}

static int scheduler_create(void **self, const void *params)
{
    const params_t *p = params;
    if (cw_unit_params_check(&cw_dram_scheduler_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct scheduler *d = calloc(1, sizeof *d);
    if (d == NULL)
        return CW_ENOMEM;
    d->p = *p;
    d->queue = calloc(p->queue, sizeof *d->queue);
    if (d->queue == NULL) {
        scheduler_destroy(d);
        return CW_ENOMEM;
    }
    scheduler_reset(d);
    *self = d;
    return CW_OK;
}

static uint32_t group_of(const struct scheduler *d, uint32_t bank)
{
    return bank & mask_of(d->p.group_w);
}

static bool hits(const struct scheduler *d, const struct request *r)
{
    return d->bank[r->bank].open && d->bank[r->bank].row == r->row;
}

static enum kind needs(const struct scheduler *d, const struct request *r)
{
    if (hits(d, r))
        return r->write ? WRITE : READ;
    return d->bank[r->bank].open ? PRECHARGE : ACTIVATE;
}

static bool is_column(enum kind kind)
{
    return kind == READ || kind == WRITE;
}

static bool after(const struct scheduler *d, uint64_t command, uint32_t cycles)
{
    return d->cycle - command >= cycles;
}

static bool allowed(const struct scheduler *d, const struct request *r)
{
    const params_t *p = &d->p;
    const struct bank *b = &d->bank[r->bank];
    const enum kind kind = needs(d, r);
    if (kind == ACTIVATE)
        return after(d, b->last[ACTIVATE], p->rc) && after(d, b->last[PRECHARGE], p->rp) && after(d, d->last[ACTIVATE], p->rrd);
    if (kind == PRECHARGE)
        return after(d, b->last[ACTIVATE], p->ras) && after(d, b->last[READ], p->rtp) && after(d, b->last[WRITE], p->wtp);
    if (!after(d, b->last[ACTIVATE], p->rcd) || !after(d, d->group[group_of(d, r->bank)], p->ccdl) || !after(d, d->last[READ], p->ccd) ||
        !after(d, d->last[WRITE], p->ccd))
        return false;
    return kind == READ ? after(d, d->last[WRITE], p->wtr) : after(d, d->last[READ], p->rtw);
}

static bool is_late(const struct scheduler *d)
{
    return d->cnt > 0 && d->cycle - d->queue[0].taken >= d->p.age_cap;
}

static uint32_t seen_cnt(const struct scheduler *d)
{
    return d->cnt - d->fresh;
}

/* The candidate of the bank of request i, which is the oldest of its bank. */
static uint32_t candidate(const struct scheduler *d, uint32_t i)
{
    for (uint32_t j = i; j < seen_cnt(d); j++)
        if (d->queue[j].bank == d->queue[i].bank && hits(d, &d->queue[j]))
            return j;
    return i;
}

/* The request that has the command, or cnt: there is none. */
static uint32_t choice(const struct scheduler *d)
{
    uint32_t column = d->cnt, other = d->cnt;
    uint64_t seen = 0; /* Banks */
    if (is_late(d))
        return allowed(d, &d->queue[0]) ? 0 : d->cnt;
    for (uint32_t i = 0; i < seen_cnt(d); i++) {
        if (seen >> d->queue[i].bank & 1)
            continue;
        seen |= UINT64_C(1) << d->queue[i].bank;
        const uint32_t c = candidate(d, i);
        uint32_t *oldest = is_column(needs(d, &d->queue[c])) ? &column : &other;
        if (allowed(d, &d->queue[c]) && c < *oldest)
            *oldest = c;
    }
    return column < d->cnt ? column : other;
}

/* The longest of the times. */
static uint32_t span(const params_t *p)
{
    const uint32_t times[] = {p->rcd, p->ras, p->rp, p->rc, p->rrd, p->ccd, p->ccdl, p->rtw, p->wtr, p->rtp, p->wtp};
    uint32_t most = 0;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        most = times[i] > most ? times[i] : most;
    return most;
}

static void scheduler_eval(void *self, const void *inputs, void *outputs)
{
    struct scheduler *d = self;
    out_t *out = outputs;
    (void)inputs;
    *out = d->given;
    out->push_ready = d->cnt < d->p.queue;
    out->late = is_late(d);
    out->empty = d->cnt == 0;
    out->idle = d->cnt == 0 && after(d, d->any, span(&d->p));
}

static void leave(struct scheduler *d, uint32_t i)
{
    d->cnt--;
    for (; i < d->cnt; i++)
        d->queue[i] = d->queue[i + 1];
}

static void give(struct scheduler *d, uint32_t i)
{
    struct request *r = &d->queue[i];
    struct bank *b = &d->bank[r->bank];
    const enum kind kind = needs(d, r);
    d->given = (out_t){.cmd_valid = 1,
                       .cmd_kind = kind,
                       .cmd_bank = r->bank,
                       .cmd_row = kind == ACTIVATE ? r->row : 0,
                       .cmd_tag = r->tag,
                       .cmd_last = is_column(kind) && r->bursts == 0};
    d->any = d->last[kind] = b->last[kind] = d->cycle;
    if (is_column(kind)) {
        d->group[group_of(d, r->bank)] = d->cycle;
        if (r->bursts-- == 0)
            leave(d, i);
        return;
    }
    b->open = kind == ACTIVATE;
    b->row = b->open ? r->row : 0;
}

static void scheduler_tick(void *self, const void *inputs)
{
    struct scheduler *d = self;
    const in_t *in = inputs;
    const bool takes = (in->push_valid & 1) && d->cnt < d->p.queue;
    d->given = (out_t){0};
    if (in->step & 1) {
        const uint32_t c = choice(d);
        if (c < d->cnt)
            give(d, c);
        d->cycle++;
    }
    d->fresh = takes;
    if (takes)
        d->queue[d->cnt++] = (struct request){.write = in->push_write & 1,
                                              .bank = (uint8_t)(in->push_bank & mask_of(d->p.bank_w)),
                                              .bursts = in->push_bursts & 7,
                                              .tag = (uint8_t)(in->push_tag & mask_of(d->p.tag_w)),
                                              .row = (uint32_t)in->push_row & mask_of(d->p.row_w),
                                              .taken = d->cycle};
}

static void request_state(struct cw_state *s, struct request *r)
{
    CW_STATE(s, r->write);
    CW_STATE(s, r->bank);
    CW_STATE(s, r->bursts);
    CW_STATE(s, r->tag);
    CW_STATE(s, r->row);
    CW_STATE(s, r->taken);
}

static void scheduler_state(void *self, struct cw_state *s)
{
    struct scheduler *d = self;
    cw_state_count(s, "cnt", &d->cnt, d->p.queue);
    cw_state_count(s, "fresh", &d->fresh, d->cnt < 1 ? d->cnt : 1);
    CW_STATE_PORTS(s, d->given);
    for (uint32_t i = 0; i < d->cnt; i++) {
        request_state(s, &d->queue[i]);
        if (d->queue[i].bank >= BANKS)
            cw_state_fail(s, CW_EINVAL, "dram_scheduler: bank %u", d->queue[i].bank);
    }
    for (uint32_t b = 0; b < 1u << d->p.bank_w; b++) {
        CW_STATE(s, d->bank[b].open);
        CW_STATE(s, d->bank[b].row);
        CW_STATE(s, d->bank[b].last);
    }
    CW_STATE(s, d->cycle);
    CW_STATE(s, d->group);
    CW_STATE(s, d->last);
    CW_STATE(s, d->any);
}

#define CW_UNIT__PARAMS_T struct cw_dram_scheduler_params
#define CW_UNIT__IN_T     struct cw_dram_scheduler_in
#define CW_UNIT__OUT_T    struct cw_dram_scheduler_out
CW_UNIT_DEFINE_WORDS(dram_scheduler, CW_DRAM_SCHEDULER_PARAMS, CW_DRAM_SCHEDULER_PORTS, CW_DRAM_SCHEDULER_WORDS, scheduler_create,
                     scheduler_destroy, scheduler_reset, scheduler_eval, scheduler_tick, scheduler_state);
