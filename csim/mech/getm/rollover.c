/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/getm/rollover.h"

#include "mech/getm/messages.h"
#include "mech/getm/statistics.h"

void cw_getm__rollover_init(struct cw_getm_rollover *r, const struct cw_getm *g, uint32_t index, cw_time *wake)
{
    cw_time latency = g->keys->getm_ring_latency * cw_getm_period(g, CW_DOMAIN_L2);
    *r = (struct cw_getm_rollover){.getm = g, .stop = g->wires.stop + index, .index = index};
    cw_wire_init(g->wires.stop + index, latency, wake);
    for (uint32_t i = 0; index == 0 && i < g->config->partition_count; i++) {
        cw_wire_init(g->wires.wanted + i, latency, wake);
        cw_wire_init(g->wires.flushed + i, latency, wake);
    }
}

/* Partition 0 */

/* Whether a partition (any), or each of them, has driven the number of the rollover that comes next, or is under way. */
static bool heard(const struct cw_getm_rollover *r, const struct cw_wire *wire, bool any, cw_time now)
{
    for (uint32_t i = 0; i < r->getm->config->partition_count; i++)
        if ((cw_wire_read(wire + i, now) == r->finished + 1) == any)
            return any;
    return !any;
}

static void tell_cores(struct cw_getm_rollover *r, uint32_t what)
{
    r->message = what;
    r->messages_left = r->getm->config->core_count;
}

static void stop(struct cw_getm_rollover *r, cw_time now)
{
    r->stopping = true;
    tell_cores(r, CW_GETM_STOP);
    for (uint32_t i = 0; i < r->getm->config->partition_count; i++)
        cw_wire_drive(r->getm->wires.stop + i, now, r->finished + 1);
}

static void resume(struct cw_getm_rollover *r)
{
    r->stopping = false;
    r->finished++;
    tell_cores(r, CW_GETM_RESUME);
    cw_getm__note_rollover(r->getm);
}

/* When the leader will next see something on the wires that it does not see now. */
static cw_time next_arrival(const struct cw_getm_rollover *r, cw_time now)
{
    const struct cw_getm_wires *wires = &r->getm->wires;
    cw_time next = CW_TIME_NEVER;
    for (uint32_t i = 0; i < r->getm->config->partition_count; i++)
        next = cw_time_min(next, cw_time_min(cw_wire_next(wires->wanted + i, now), cw_wire_next(wires->flushed + i, now)));
    return next;
}

void cw_getm__rollover_lead(struct cw_getm_rollover *r, cw_time now)
{
    const struct cw_getm_wires *wires = &r->getm->wires;
    if (now < r->listen || r->messages_left > 0)
        return;
    if (!r->stopping && heard(r, wires->wanted, true, now))
        stop(r, now);
    else if (r->stopping && heard(r, wires->flushed, false, now))
        resume(r);
    else /* what is driven from now on takes a latency */
        r->listen = cw_time_min(now + r->stop->latency, next_arrival(r, now));
}

struct cw_message *cw_getm__rollover_message(struct cw_getm_rollover *r, cw_time now)
{
    const struct cw_mech_host *host = &r->getm->host;
    uint64_t addr = cw_tm_partition_addr(r->getm->config, r->index);
    struct cw_message *p = cw_mech_message(host, CW_MSG_OWN_REPLY, r->message, addr, NULL, now);
    p->core = (uint16_t)--r->messages_left;
    return p;
}

/* Every partition */

static void ask(struct cw_getm_rollover *r, cw_time now)
{
    if (r->wanted > r->flushed)
        return;
    r->wanted = r->flushed + 1;
    cw_wire_drive(r->getm->wires.wanted + r->index, now, r->wanted);
}

/* Nothing is in the unit, nothing comes any more: clears its tables, which takes a while. */
static void flush(struct cw_getm_rollover *r, cw_time now)
{
    if (r->flush_cycles == 0) {
        r->flush_unit = true;
        r->flush_cycles = 1;
        return;
    }
    if (r->flush_cycles < 3) /* that the unit is busy is known one cycle later */
        return;
    r->flush_cycles = 0;
    r->draining = false;
    r->acks -= r->getm->config->core_count;
    cw_wire_drive(r->getm->wires.flushed + r->index, now, ++r->flushed);
}

void cw_getm__rollover_follow(struct cw_getm_rollover *r, struct cw_getm_rollover_view view, cw_time now)
{
    if (view.asked)
        ask(r, now);
    if (cw_wire_read(r->stop, now) > r->flushed)
        r->draining = true;
    bool quiet = view.empty && r->acks == r->getm->config->core_count;
    r->drain_unit = r->draining && !quiet; /* the unit is busy as long as it is to drain */
    r->flush_unit = false;
    if (r->flush_cycles > 0)
        r->flush_cycles++;
    if (r->draining && quiet && !view.busy)
        flush(r, now);
}

cw_time cw_getm__rollover_next(const struct cw_getm_rollover *r, cw_time now)
{
    if (r->draining || r->messages_left > 0)
        return now;
    cw_time next = cw_wire_next(r->stop, now);
    if (r->index != 0)
        return next;
    if (!r->stopping && heard(r, r->getm->wires.wanted, true, now)) /* arrived while messages were left to send */
        return now;
    return cw_time_min(next, next_arrival(r, now));
}

bool cw_getm__rollover_idle(const struct cw_getm_rollover *r)
{
    return !r->draining && !r->stopping && r->messages_left == 0;
}
