/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/dram_scheduler.h"

#include <assert.h>
#include <stdlib.h>

#include "adapt/open.h"

struct cw_adapt_dram_scheduler {
    struct cw_unit_instance unit;
    struct cw_dram_scheduler_out out; /* Of the cycle in progress; no output depends on an input */
    uint64_t cycle;                   /* The next command cycle */
    bool fresh;                       /* The last clock took a request, which is not looked at in this cycle */
};

static void look(struct cw_adapt_dram_scheduler *d, const struct cw_dram_scheduler_in *in)
{
    d->unit.ops->eval(d->unit.self, in, &d->out);
}

static void clock(struct cw_adapt_dram_scheduler *d, const struct cw_dram_scheduler_in *in)
{
    static const struct cw_dram_scheduler_in none;
    look(d, in);
    d->unit.ops->tick(d->unit.self, in);
    d->cycle += in->step;
    d->fresh = in->push_valid;
    look(d, &none);
}

int cw_adapt_dram_scheduler_create(struct cw_adapt_dram_scheduler **out, const struct cw_unit_provider *units, uint32_t partition,
                                   const struct cw_dram_scheduler_params *params, struct cw_error *err)
{
    struct cw_adapt_dram_scheduler *d = *out = calloc(1, sizeof *d);
    struct cw_dram_scheduler_params p = *params;
    if (d == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for the scheduler of a DRAM channel");
    p.tag_w = cw_adapt_bits(p.queue - 1);
    int status = cw_unit_params_check(&cw_dram_scheduler_unit, &p, err);
    if (status == CW_OK)
        status = cw_adapt_open(&d->unit, units, &cw_dram_scheduler_unit, "partition", partition, &p, err);
    if (status == CW_OK)
        look(d, &(struct cw_dram_scheduler_in){0});
    return status;
}

void cw_adapt_dram_scheduler_destroy(struct cw_adapt_dram_scheduler *d)
{
    if (d == NULL)
        return;
    cw_adapt_close(&d->unit);
    free(d);
}

/* The command cycles before that one, in which there were no requests. */
static void go_to(struct cw_adapt_dram_scheduler *d, uint64_t cycle)
{
    const struct cw_dram_scheduler_in in = {.step = 1};
    assert(d->cycle <= cycle);
    while (d->cycle < cycle && !d->out.idle)
        clock(d, &in);
    d->cycle = cycle;
}

bool cw_adapt_dram_scheduler_room(struct cw_adapt_dram_scheduler *d, uint64_t cycle)
{
    go_to(d, cycle);
    return d->out.push_ready;
}

void cw_adapt_dram_scheduler_push(struct cw_adapt_dram_scheduler *d, const struct cw_adapt_dram_scheduler_request *request)
{
    const struct cw_dram_scheduler_in in = {.push_valid = 1,
                                            .push_write = request->write,
                                            .push_bank = request->bank,
                                            .push_row = request->row,
                                            .push_bursts = request->bursts - 1,
                                            .push_tag = request->tag};
    assert(d->out.push_ready);
    clock(d, &in);
}

bool cw_adapt_dram_scheduler_command(struct cw_adapt_dram_scheduler *d, uint64_t cycle, struct cw_adapt_dram_scheduler_command *command)
{
    struct cw_dram_scheduler_in in = {0};
    go_to(d, cycle);
    if (d->fresh)
        clock(d, &in);
    in.step = 1;
    clock(d, &in);
    *command = (struct cw_adapt_dram_scheduler_command){(uint32_t)d->out.cmd_kind, (uint32_t)d->out.cmd_tag, d->out.cmd_last};
    return d->out.cmd_valid;
}

void cw_adapt_dram_scheduler_state(struct cw_state *s, struct cw_adapt_dram_scheduler *d)
{
    cw_adapt_state(s, &d->unit);
    CW_STATE_PORTS(s, d->out);
    CW_STATE(s, d->cycle);
    CW_STATE(s, d->fresh);
}
