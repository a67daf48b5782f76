/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/bank_detector.h"

#include <stdio.h>
#include <stdlib.h>

#include "adapt/open.h"

#define LATENCY 3u

struct cw_adapt_bank_detector {
    struct cw_unit_instance unit;
    struct cw_bank_detector_in in;
    struct cw_bank_detector_out out;
    uint32_t to_come; /* bit n: an answer in n cycles */
};

int cw_adapt_bank_detector_create(struct cw_adapt_bank_detector **out, const struct cw_unit_provider *units, uint32_t core, uint32_t bank,
                                  const struct cw_adapt_bank_detector_size *size, struct cw_error *err)
{
    struct cw_adapt_bank_detector *d = *out = calloc(1, sizeof *d);
    struct cw_bank_detector_params p;
    char name[64];
    if (d == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a bank detector");
    cw_unit_params_default(&cw_bank_detector_unit, &p);
    p.work_items = size->work_items;
    p.lane_w = size->lane_bits;
    p.groups = size->groups;
    for (p.word_w = 1; size->words > 1u << p.word_w;)
        p.word_w++;
    p.sig_w = size->sig_bits;
    p.wsig_w = size->wsig_bits;
    p.hashes = size->hashes;
    snprintf(name, sizeof name, "core%u.bank_detector%u", core, bank);
    return units->open(units->context, &cw_bank_detector_unit, name, &p, &d->unit, err);
}

void cw_adapt_bank_detector_destroy(struct cw_adapt_bank_detector *d)
{
    if (d == NULL)
        return;
    cw_adapt_close(&d->unit);
    free(d);
}

void cw_adapt_bank_detector_reset(struct cw_adapt_bank_detector *d)
{
    d->unit.ops->reset(d->unit.self);
    d->to_come = 0;
}

bool cw_adapt_bank_detector_busy(const struct cw_adapt_bank_detector *d)
{
    return d->to_come != 0;
}

static void drive(struct cw_adapt_bank_detector *d, const struct cw_adapt_bank_detector_in *in)
{
    d->in = (struct cw_bank_detector_in){.mode = in->mode,
                                         .req_valid = in->request,
                                         .req_group = in->group,
                                         .req_item = in->item,
                                         .req_word = in->word,
                                         .req_write = in->write,
                                         .req_owned = in->owned,
                                         .req_owner = in->owner,
                                         .req_shared = in->shared,
                                         .req_modified = in->modified,
                                         .clr_valid = in->clear,
                                         .clr_group = in->clear_group,
                                         .clr_wave = in->clear_wave,
                                         .clr_lanes = in->clear_lanes,
                                         .wclr_valid = in->begin,
                                         .wclr_group = in->begin_group,
                                         .wclr_wave = in->begin_wave};
}

void cw_adapt_bank_detector_clock(struct cw_adapt_bank_detector *d, const struct cw_adapt_bank_detector_in *in,
                                  struct cw_adapt_bank_detector_view *view)
{
    drive(d, in);
    d->unit.ops->eval(d->unit.self, &d->in, &d->out);
    d->unit.ops->tick(d->unit.self, &d->in);
    d->to_come = (d->to_come | (uint32_t)(in->request || in->clear) << LATENCY) >> 1;
    *view = (struct cw_adapt_bank_detector_view){.quiet = d->out.quiet_valid,
                                                 .quiet_group = (uint32_t)d->out.quiet_group,
                                                 .answer = d->out.ans_valid,
                                                 .group = (uint32_t)d->out.ans_group,
                                                 .item = (uint32_t)d->out.ans_item,
                                                 .word = (uint32_t)d->out.ans_word,
                                                 .conflict = d->out.ans_conflict,
                                                 .met = d->out.ans_met,
                                                 .owner = (uint32_t)d->out.ans_owner,
                                                 .backup = d->out.ans_backup,
                                                 .own = d->out.ans_own,
                                                 .share = d->out.ans_share,
                                                 .modify = d->out.ans_modify};
}

void cw_adapt_bank_detector_state(struct cw_state *s, struct cw_adapt_bank_detector *d)
{
    cw_adapt_state(s, &d->unit);
    CW_STATE_PORTS(s, d->in);
    CW_STATE_PORTS(s, d->out);
    CW_STATE(s, d->to_come);
}
