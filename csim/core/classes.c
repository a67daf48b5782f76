/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of a core's cycles while it has a warp (Fung 2015, 3.6.1): an instruction of so many threads has the issue slot, or nothing
 * issues for a reason. An instruction's class gets all cycles of its slot when it issues, so no work is left for them. Those without an
 * instruction are counted when the reason changes or when one issues, so a core that sleeps costs nothing.
 */
#include "core/core_state.h"

__attribute__((noinline)) void cw_core__declass(struct cw_core *c, uint64_t classed)
{
    classed = classed > c->cycle ? classed : c->cycle;
    if (classed == c->classed)
        return;
    *c->slot_class -= c->classed - classed;
    c->classed = classed;
}

void cw_core__begin_classes(struct cw_core *c)
{
    c->classed = c->accounted;
    c->gap = CW_GAP_IDLE;
}

/* The last instruction may have its slot for longer than the core is active. */
void cw_core__end_classes(struct cw_core *c)
{
    if (c->classed < c->accounted)
        cw_core__count_gap(c, c->accounted);
    *c->slot_class -= c->classed - c->accounted;
    c->classed = c->accounted;
}
