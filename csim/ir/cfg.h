/* SPDX-License-Identifier: Apache-2.0 */
/* The control-flow graph of a kernel's micro-ops (cfg.c), between the passes of cw_ir_finish(). */
#ifndef CW_IR_CFG_H
#define CW_IR_CFG_H

#include "ir/build.h"

struct cw_basic_block {
    uint32_t first, end;     /* micro-ops first .. end - 1 */
    uint32_t succ, succ_cnt; /* in cfg->succ; the block count is the virtual exit */
    uint32_t pred, pred_cnt;
    uint32_t
        ipdom; /* block, or the block count for the virtual exit; from cw_meet_find on, of a block with a branch, where its sides meet */
};

struct cw_cfg {
    struct cw_basic_block *block;
    uint32_t block_cnt;
    uint32_t *block_of; /* [micro-op] */
    uint32_t *succ, *pred;
    uint32_t edge_cnt;
};

void cw_cfg_build(struct cw_ir *ir, struct cw_code *k, struct cw_cfg *cfg);
/* Predecessors and immediate post-dominators of a graph of which block_cnt, edge_cnt, succ and the blocks' succ, succ_cnt are set; an edge
 * to the exit is the first of its block. Whether every block has a way to the exit. */
bool cw_cfg_post_dominate(struct cw_ir *ir, struct cw_cfg *cfg);
void cw_cfg_free(struct cw_cfg *cfg);

#endif
