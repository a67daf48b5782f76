/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/persist/orders.h"

#include "event/event.h"

/* The lanes of a warp order their persists together: as one of device scope if any of them asks for that. */
static bool any_device(const struct cw_core_call *call, uint32_t arg)
{
    for (cw_lanes left = call->lanes; left != 0; left = cw_lanes_rest(left))
        if (call->arg[arg][cw_lanes_first(left)] != CW_PERSIST_BLOCK)
            return true;
    return false;
}

bool cw_persist_order_of(const struct cw_core_call *call, struct cw_persist_order *order)
{
    *order = (struct cw_persist_order){0};
    switch ((enum cw_persist_call)call->uop->intrinsic->code) {
    case CW_PERSIST_CALL_OFENCE:
        order->kind = CW_ORDER_OFENCE;
        return true;
    case CW_PERSIST_CALL_DFENCE:
        order->kind = CW_ORDER_DFENCE;
        order->device = true;
        return true;
    case CW_PERSIST_CALL_RELEASE:
    case CW_PERSIST_CALL_ACQUIRE_END:
        order->kind = call->uop->intrinsic->code == CW_PERSIST_CALL_RELEASE ? CW_ORDER_RELEASE : CW_ORDER_ACQUIRE;
        order->device = any_device(call, 2);
        return true;
    case CW_PERSIST_CALL_ACQUIRE_BEGIN:
        order->kind = CW_ORDER_ACQUIRE;
        order->device = any_device(call, 0);
        return false;
    }
    return false;
}
