/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transactions: the warp's side of Fung 2015, section 4.2.1, and the services of core.h for a transactional system.
 *
 * Nested transactions are flattened: a counter per lane. Registers: an aborted lane restarts with the register values it had at tx_begin.
 * The thesis (4.2.3) leaves that to compiled checkpoint code, whose cost it neglects; here the core saves the warp's registers at
 * tx_begin, at no cost in cycles, so that kernels need no such code. For the same reason tx_begin waits for the warp's outstanding loads.
 * Local and shared memory are not restored. Atomics inside a transaction are performed at once and are not undone.
 */
#include <assert.h>
#include <string.h>

#include "core/core_state.h"

static void copy_registers(struct cw_core *c, uint32_t w, bool save, uint32_t lanes)
{
    const struct cw_kernel *k = c->launch->kernel;
    const uint32_t warps = c->config->core_warps;
    for (uint32_t i = 0; i < k->r32_cnt; i++) {
        size_t at = ((size_t)i * warps + w) * CW_LANES;
        uint32_t *to = (save ? c->r32_save : c->r32) + at;
        const uint32_t *from = (save ? c->r32 : c->r32_save) + at;
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            to[lane] = (lanes >> lane & 1u) != 0 ? from[lane] : to[lane];
    }
    for (uint32_t i = 0; i < k->r64_cnt; i++) {
        size_t at = ((size_t)i * warps + w) * CW_LANES;
        uint64_t *to = (save ? c->r64_save : c->r64) + at;
        const uint64_t *from = (save ? c->r64 : c->r64_save) + at;
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            to[lane] = (lanes >> lane & 1u) != 0 ? from[lane] : to[lane];
    }
    for (uint32_t i = 0; i < k->pred_cnt; i++) {
        size_t at = (size_t)i * warps + w;
        uint32_t *to = (save ? c->pred_save : c->pred) + at;
        uint32_t from = (save ? c->pred : c->pred_save)[at];
        *to = (*to & ~lanes) | (from & lanes);
    }
}

/* The system's tick of this cycle may be over: what it has just been told must bring it another one. */
static void tell_system(struct cw_core *c)
{
    cw_time next = c->now + c->period;
    c->tm_next = next < c->tm_next ? next : c->tm_next;
}

bool cw_core__tx_begin(struct cw_core *c, uint32_t w, uint32_t active, uint32_t mask)
{
    struct cw_warp *warp = &c->warp[w];
    uint32_t pc = cw_simt_pc(&warp->simt);
    const struct cw_uop *u = &c->uop[pc];
    if (mask == 0) {
        cw_simt_advance(&warp->simt, pc + 1);
        return true;
    }
    if (c->tm == 0 || (mask != active && !cw_simt_in_tx(&warp->simt))) {
        cw_core__fault(c, w, cw_core__lowest(mask), u, CW_EFAULT, "%s",
                       c->tm == 0 ? "tx_begin needs a transactional system" : "tx_begin under a predicate: use a branch");
        return false;
    }
    if (cw_simt_in_tx(&warp->simt)) {
        for (; mask != 0; mask &= mask - 1)
            warp->nest[cw_core__lowest(mask)]++;
        cw_simt_advance(&warp->simt, pc + 1);
        return true;
    }
    if (warp->insts != 0) {
        warp->wait = CW_WAIT_TX_LOADS;
        return false;
    }
    tell_system(c);
    if (!c->tm->region_begin(c->tm_self, w, mask, c->now)) {
        warp->wait = CW_WAIT_TX_BEGIN;
        return false;
    }
    memset(warp->nest, 1, sizeof warp->nest);
    copy_registers(c, w, true, mask);
    cw_simt_tx_begin(&warp->simt, pc + 1);
    return true;
}

/* No lane is left to run: when the warp's memory instructions are back, the system resolves the attempt. */
static void attempt_over(struct cw_core *c, uint32_t w)
{
    struct cw_warp *warp = &c->warp[w];
    warp->wait = CW_WAIT_TX_DRAIN;
    cw_core__requeue(c, w);
    if (warp->insts == 0)
        cw_core__tx_drained(c, w);
}

void cw_core__tx_drained(struct cw_core *c, uint32_t w)
{
    struct cw_warp *warp = &c->warp[w];
    warp->wait = CW_WAIT_TX_COMMIT;
    cw_core__requeue(c, w);
    tell_system(c);
    c->tm->region_end(c->tm_self, w, warp->simt.reached, c->now);
}

void cw_core__tx_commit(struct cw_core *c, uint32_t w, uint32_t mask)
{
    struct cw_warp *warp = &c->warp[w];
    uint32_t pc = cw_simt_pc(&warp->simt), outer = 0;
    if (mask == 0) {
        cw_simt_advance(&warp->simt, pc + 1);
        return;
    }
    if (!cw_simt_in_tx(&warp->simt)) {
        cw_core__fault(c, w, cw_core__lowest(mask), &c->uop[pc], CW_EFAULT, "tx_commit outside a transaction");
        return;
    }
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = cw_core__lowest(left);
        warp->resume[lane] = pc + 1;
        if (--warp->nest[lane] == 0)
            outer |= 1u << lane;
    }
    if (outer == 0)
        cw_simt_advance(&warp->simt, pc + 1);
    else if (cw_simt_tx_reach(&warp->simt, outer, pc + 1))
        attempt_over(c, w);
}

/* ---- services ---- */

void cw_core_wake_warp(struct cw_core *c, uint32_t w, cw_time now)
{
    (void)now;
    if (c->warp[w].wait == CW_WAIT_TX_BEGIN)
        c->warp[w].wait = CW_WAIT_NONE;
    cw_core__requeue(c, w);
}

void cw_core_tx_abort(struct cw_core *c, uint32_t w, uint32_t lanes)
{
    struct cw_warp *warp = &c->warp[w];
    assert(cw_simt_in_tx(&warp->simt));
    bool over = cw_simt_tx_abort(&warp->simt, lanes);
    if (warp->wait == CW_WAIT_TX_DRAIN || warp->wait == CW_WAIT_TX_COMMIT)
        return; /* the attempt was over already */
    if (over)
        attempt_over(c, w);
    else
        cw_core__requeue(c, w);
}

void cw_core_tx_end(struct cw_core *c, uint32_t w, cw_time now, cw_time restart)
{
    struct cw_warp *warp = &c->warp[w];
    uint32_t again = cw_simt_aborted(&warp->simt);
    (void)now;
    assert(warp->wait == CW_WAIT_TX_COMMIT && warp->insts == 0);
    warp->wait = CW_WAIT_NONE;
    warp->attempt++;
    warp->not_before = c->cycle + 1;
    if (cw_simt_tx_end(&warp->simt, warp->resume)) {
        uint64_t at = (restart + c->period - 1) / c->period;
        copy_registers(c, w, false, again);
        memset(warp->nest, 1, sizeof warp->nest);
        warp->not_before = at > warp->not_before ? at : warp->not_before;
    }
    cw_core__requeue(c, w);
}

uint32_t cw_core_tx_aborted(const struct cw_core *c, uint32_t w)
{
    return cw_simt_aborted(&c->warp[w].simt);
}

uint32_t cw_core_attempt(const struct cw_core *c, uint32_t w)
{
    return c->warp[w].attempt;
}

void cw_core_mem_done(struct cw_core *c, struct cw_mem_inst *inst, cw_time now)
{
    struct cw_warp *warp = &c->warp[inst->warp];
    (void)now;
    assert(cw_simt_in_tx(&warp->simt) && inst->attempt == warp->attempt);
    if (inst->uop->op == CW_OP_LD)
        cw_core__write_back(c, inst, inst->lanes & warp->simt.entry[warp->simt.t].mask);
    cw_core__inst_done(c, (struct cw_core_inst *)inst, c->cycle + 1);
}
