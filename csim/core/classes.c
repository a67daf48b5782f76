/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of a core's cycles while it has a warp (Fung 2015, 3.6.1): an instruction of so many threads has the issue slot, or nothing
 * issues for a reason. An instruction's class gets all cycles of its slot when it issues, so no work is left for them. Those without an
 * instruction are counted when the reason changes or when one issues, so a core that sleeps costs nothing.
 */
#include "core/core_state.h"

/* Eight classes by threads; a class of a warp of 64 lanes has twice the threads. */
void cw_core__create_classes(struct cw_core *c)
{
    struct cw_stats *s = c->cfg.stats;
    uint64_t *const counter[] = {&s->simd_w1_4,   &s->simd_w5_8,   &s->simd_w9_12,  &s->simd_w13_16,
                                 &s->simd_w17_20, &s->simd_w21_24, &s->simd_w25_28, &s->simd_w29_32};
    for (uint32_t threads = 1; threads <= c->width; threads++)
        c->classes.threads[threads] = counter[(threads - 1) / (c->width / 8)];
    c->classes.slot = &s->core_w0_idle; /* no instruction has been there */
}

__attribute__((noinline)) void cw_core__declass(struct cw_core *c, uint64_t classed)
{
    classed = classed > c->cycle ? classed : c->cycle;
    if (classed == c->classes.counted)
        return;
    *c->classes.slot -= c->classes.counted - classed;
    c->classes.counted = classed;
}

void cw_core__begin_classes(struct cw_core *c)
{
    c->classes.counted = c->classes.active;
    c->classes.gap = CW_GAP_IDLE;
}

/* The last instruction may have its slot for longer than the core is active. */
void cw_core__end_classes(struct cw_core *c)
{
    if (c->classes.counted < c->classes.active)
        cw_classes_count_gap(&c->classes, c->cfg.stats, c->classes.active);
    *c->classes.slot -= c->classes.counted - c->classes.active;
    c->classes.counted = c->classes.active;
}
