/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/persist/orders.h"

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
    *order = (struct cw_persist_order){.call = call, .uop = call->uop};
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

void cw_persist_block_starts(struct cw_persist_blocks *b, const struct cw_events *events, uint64_t warps, cw_time now)
{
    const uint32_t number = b->core << 20 | (++b->started & 0xfffffu);
    for (; warps != 0; warps &= warps - 1) {
        const uint32_t w = (uint32_t)__builtin_ctzll(warps);
        struct cw_event e = {.type = CW_EVENT_PM_ORDER, .core = b->core, .warp = w, .now = now};
        b->number[w] = number;
        if (!cw_events_want(events, CW_EVENT_PM_ORDER))
            continue;
        e.u.order.kind = CW_ORDER_BEGIN;
        e.u.order.block = number;
        cw_events_tell(events, &e);
    }
}

void cw_persist_tell(const struct cw_persist_blocks *b, const struct cw_events *events, const struct cw_persist_order *order, uint32_t warp,
                     cw_time now)
{
    if (!cw_events_want(events, CW_EVENT_PM_ORDER))
        return;
    const bool variable = order->kind == CW_ORDER_RELEASE || order->kind == CW_ORDER_ACQUIRE;
    struct cw_event e = {.type = CW_EVENT_PM_ORDER, .core = b->core, .warp = warp, .now = now};
    e.u.order.kind = order->kind;
    e.u.order.device = order->device;
    e.u.order.block = b->number[warp];
    e.u.order.uop = order->uop;
    for (cw_lanes left = order->call != NULL ? order->call->lanes : UINT32_MAX; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        e.lane = lane;
        e.u.order.addr = variable ? order->call->arg[0][lane] : 0;
        e.u.order.value = variable ? (uint32_t)order->call->arg[1][lane] : 0;
        cw_events_tell(events, &e);
    }
}
