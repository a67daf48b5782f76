/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes of a warp that execute one operation across lanes by different instructions (control.h, guests). */
#include "core/blocks/blocks.h"

cw_lanes cw_core__guests(const struct cw_core_warps *warps, uint32_t w)
{
    const struct cw_control_ops *ops = warps->control->ops;
    return ops->guests != NULL ? ops->guests(warps->control, w) : 0;
}

uint32_t cw_core__sides(const struct cw_core_warps *warps, uint32_t w, cw_lanes lanes, struct cw_exec_side side[CW_LANES])
{
    const struct cw_control *control = warps->control;
    const cw_lanes guests = cw_core__guests(warps, w);
    uint32_t cnt = 0;
    if ((lanes & ~guests) != 0)
        side[cnt++] = (struct cw_exec_side){&warps->uop[cw_core__pc(warps, w)], (uint32_t)(lanes & ~guests)};
    for (cw_lanes left = lanes & guests; left != 0; left = cw_lanes_rest(left)) {
        const struct cw_uop *u = &warps->uop[control->ops->where(control, w, cw_lanes_first(left))];
        uint32_t i = 0;
        while (i < cnt && side[i].uop != u)
            i++;
        if (i == cnt)
            side[cnt++] = (struct cw_exec_side){u, 0};
        side[i].lanes |= (uint32_t)cw_lanes_one(cw_lanes_first(left));
    }
    return cnt;
}

uint32_t cw_core__guarded_sides(const struct cw_core_warps *warps, uint32_t w, struct cw_exec_side side[CW_LANES])
{
    const uint32_t cnt = cw_core__sides(warps, w, warps->front[w].active, side);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cnt; i++) {
        side[kept] = side[i];
        side[kept].lanes = cw_exec_guard(side[i].uop, &warps->warp[w].x[0], side[i].lanes);
        kept += side[kept].lanes != 0;
    }
    return kept;
}
