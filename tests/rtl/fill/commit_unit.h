/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the commit unit: every entry of the ring waits for the end of its write-back, then all retire; then skips, until commit IDs roll over. */
#ifndef CW_TESTS_RTL_FILL_COMMIT_UNIT_H
#define CW_TESTS_RTL_FILL_COMMIT_UNIT_H

#include "fill/fill.h"

struct fill {
    const params_t *p;
    uint64_t goal; /* entries up to here are to be filled */
    uint64_t done, asked, reported, told, coming,
        out;                           /* commit IDs since the reset, that have had DONE, val, report, OUTCOME, com and wb */
    uint64_t haz_cid, retired, oldest; /* retired: since the reset; oldest: of the cycle before, as its port has it */
    uint32_t rounds;
    bool hazard;
};

static uint64_t fill_bits(uint64_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static uint64_t fill_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What the registers have shown in the cycle before; all of them are always taken. */
static void fill_look(struct fill *f, const out_t *out)
{
    f->retired += (out->oldest_cid - f->oldest) & fill_mask(f->p->cid_w);
    f->oldest = out->oldest_cid;
    f->hazard = out->haz_valid != 0;
    f->haz_cid = out->haz_cid;
    f->reported += out->rep_valid;
    f->coming += out->com_valid;
}

/* The message port: logs that are complete first, else outcomes. After three rounds all is skipped. */
static void fill_message(struct fill *f, in_t *in)
{
    const bool skips = f->rounds >= 3;
    const uint64_t limit = skips ? f->retired + f->p->entries : f->goal;
    if (f->done < limit) {
        const uint64_t n = fill_least(f->p->lanes, limit - f->done);
        in->msg_valid = 1;
        in->msg_kind = skips ? CW_COMMIT_SKIP : CW_COMMIT_DONE;
        in->msg_cid = f->done;
        in->msg_lanes = fill_bits(n);
        in->msg_reads = in->msg_writes = UINT64_MAX;
        f->done += n;
    } else if (f->told < f->reported && (f->reported - f->told >= f->p->lanes || f->reported == f->goal)) {
        const uint64_t n = fill_least(f->p->lanes, f->reported - f->told);
        in->msg_valid = 1;
        in->msg_kind = CW_COMMIT_OUTCOME;
        in->msg_cid = f->told;
        in->msg_lanes = fill_bits(n);
        in->msg_pass = UINT64_MAX;
        f->told += n;
    }
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    (void)rng;
    fill_look(f, out);
    if (f->retired == f->goal && f->rounds < 3) {
        f->rounds += f->goal > 0;
        f->goal += f->rounds < 3 ? f->p->entries : 0;
        if (f->rounds == 3)
            f->done = f->goal;
    }
    *in = (in_t){.haz_ready = 1, .rev_ready = 1, .rep_ready = 1, .com_ready = 1, .ret_ready = 1};
    fill_message(f, in);
    in->hza_valid = f->hazard;
    in->hza_cid = f->haz_cid;
    if (f->asked < f->done && f->rounds < 3 && out->val_ready && !out->rep_valid) {
        in->val_valid = in->val_pass = 1;
        in->val_cid = f->asked++;
    }
    if (f->coming == f->goal && f->out < f->goal && f->rounds < 3) {
        in->wb_valid = 1;
        in->wb_cid = f->out++;
    }
}

static const params_t fill_largest = {2016, 32, 16, 1}, fill_smallest = {1, 1, 1, 1}, fill_odd = {5, 2, 4, 0}, fill_warp = {96, 32, 7, 0};
static const struct cw_lockstep_set fill_ends[] = {
    {"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}, {"warp", &fill_warp, 0}};
FILL_TEST(commit_unit, fill_ends, 2300000, 400000)

#endif
