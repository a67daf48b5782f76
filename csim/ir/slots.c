/* SPDX-License-Identifier: Apache-2.0 */
/* Slots for virtual registers: linear scan over the hulls that live.c computes (its header says why that is safe under divergence). */
#include <stdlib.h>
#include <string.h>

#include "ir/passes.h"

enum file { R32, R64, PRED, FILES };

struct file_state {
    CW_VEC(uint32_t) free_slot; /* a stack: the slot freed last is warm */
    uint32_t cnt;
};

static enum file file_of(const struct cw_vreg *r)
{
    return r->bytes == 0 ? PRED : r->bytes == 8 ? R64 : R32;
}

static uint32_t take(struct file_state *f)
{
    return f->free_slot.n > 0 ? f->free_slot.a[--f->free_slot.n] : f->cnt++;
}

struct chains { /* registers by the half step at which their hull starts or ends */
    uint32_t *head, *next;
};

static void chain(struct chains *c, uint32_t at, uint32_t reg)
{
    c->next[reg] = c->head[at];
    c->head[at] = reg;
}

static void scan(struct cw_ir *ir, const struct cw_code *k, struct chains *starts, struct chains *ends, struct cw_register_slots *slots,
                 uint32_t steps)
{
    struct file_state f[FILES] = {0};
    for (uint32_t at = 0; at < steps && ir->status == CW_OK; at++) {
        for (uint32_t r = starts->head[at]; r != CW_IR_NONE; r = starts->next[r])
            slots->slot[r] = take(&f[file_of(&k->vreg.a[r])]);
        for (uint32_t r = ends->head[at]; r != CW_IR_NONE; r = ends->next[r])
            CW_PUSH(ir, &f[file_of(&k->vreg.a[r])].free_slot, slots->slot[r]);
    }
    slots->r32_cnt = f[R32].cnt;
    slots->r64_cnt = f[R64].cnt;
    slots->pred_cnt = f[PRED].cnt;
    for (uint32_t i = 0; i < FILES; i++)
        free(f[i].free_slot.a);
}

void cw_slots_assign(struct cw_ir *ir, const struct cw_code *k, const struct cw_live *live, struct cw_register_slots *slots)
{
    uint32_t steps = 2 * k->code.n, regs = k->vreg.n;
    *slots = (struct cw_register_slots){.slot = cw_ir_alloc(ir, regs, 4)};
    struct chains starts = {cw_ir_alloc(ir, steps, 4), cw_ir_alloc(ir, regs, 4)},
                  ends = {cw_ir_alloc(ir, steps, 4), cw_ir_alloc(ir, regs, 4)};
    if (ir->status == CW_OK) {
        memset(starts.head, 0xff, (size_t)steps * 4);
        memset(ends.head, 0xff, (size_t)steps * 4);
        for (uint32_t r = regs; r-- > 0;) { /* downwards, so that chains run upwards */
            if (live->first[r] > live->last[r])
                continue;
            chain(&starts, live->first[r], r);
            chain(&ends, live->last[r], r);
        }
        scan(ir, k, &starts, &ends, slots, steps);
    }
    if (ir->status == CW_OK && (slots->r32_cnt > UINT16_MAX || slots->r64_cnt > UINT16_MAX || slots->pred_cnt > INT16_MAX))
        cw_ir_fail(ir, CW_EUNSUP, "kernel needs more registers than a micro-op can name");
    free(starts.head);
    free(starts.next);
    free(ends.head);
    free(ends.next);
}
