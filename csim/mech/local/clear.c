/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures that are to be emptied wait in a queue of the core: the detectors take the clear of one wavefront in a cycle (detect.c). */
#include "mech/local/core_private.h"

/* A detector that has not heard of the attempt has nothing to forget. The directory without S remembers nobody. */
void cw_local__clear(struct cw_local_core *c, uint32_t warp, cw_lanes lanes, bool write_signature)
{
    struct cw_local_wave *w = c->wave + warp;
    struct cw_local_clear clear = {.warp = warp,
                                   .group = w->group,
                                   .number = w->number,
                                   .lanes = lanes,
                                   .banks = lanes != 0 && c->local->keys.ltm_detect != CW_LOCAL_DCD ? w->banks : 0,
                                   .write_banks = write_signature ? w->write_banks : 0};
    if (write_signature)
        w->write_banks = 0;
    if (clear.banks == 0 && clear.write_banks == 0)
        return;
    c->clear[cw_ring_add(&c->clear_ring, c->undo_cap)] = clear;
    w->clears++;
}
