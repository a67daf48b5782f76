/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of a core's cycles while it has a warp (Fung 2015, 3.6.1): an instruction of so many threads has the issue slot, or nothing
 * issues for a reason. An instruction's class gets all cycles of its slot when it issues, so no work is left for them. Those without an
 * instruction are counted when the reason changes or when one issues, so a core that sleeps costs nothing.
 */
#include "core/warps/warps.h"

/* Eight classes by threads; a class of a warp of 64 lanes has twice the threads. */
void cw_core__create_classes(struct cw_core_warps *warps)
{
    struct cw_stats *s = warps->cfg.stats;
    uint64_t *const counter[] = {&s->simd_w1_4,   &s->simd_w5_8,   &s->simd_w9_12,  &s->simd_w13_16,
                                 &s->simd_w17_20, &s->simd_w21_24, &s->simd_w25_28, &s->simd_w29_32};
    for (uint32_t threads = 1; threads <= warps->width; threads++)
        warps->classes.threads[threads] = counter[(threads - 1) / (warps->width / 8)];
    warps->classes.slot = &s->core_w0_idle; /* no instruction has been there */
}

__attribute__((noinline)) void cw_core__declass(struct cw_core_warps *warps, uint64_t classed)
{
    classed = classed > warps->cycle ? classed : warps->cycle;
    if (classed == warps->classes.counted)
        return;
    *warps->classes.slot -= warps->classes.counted - classed;
    warps->classes.counted = classed;
}

void cw_core__begin_classes(struct cw_core_warps *warps)
{
    warps->classes.counted = warps->classes.active;
    warps->classes.gap = CW_GAP_IDLE;
}

/* The last instruction may have its slot for longer than the core is active. */
void cw_core__end_classes(struct cw_core_warps *warps)
{
    if (warps->classes.counted < warps->classes.active)
        cw_classes_count_gap(&warps->classes, warps->cfg.stats, warps->classes.active);
    *warps->classes.slot -= warps->classes.counted - warps->classes.active;
    warps->classes.counted = warps->classes.active;
}
