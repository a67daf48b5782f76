/* SPDX-License-Identifier: Apache-2.0 */
#include "event/event.h"

_Static_assert(CW_EVENT_TYPES <= 64, "a listener has a bit for each type");

#include <stddef.h>

void cw_events_listen(struct cw_events *s, struct cw_event_listener *listener)
{
    listener->next = s->first;
    s->first = listener;
    s->wanted |= listener->types;
}

void cw_events_tell(const struct cw_events *s, const struct cw_event *e)
{
    for (const struct cw_event_listener *l = s->first; l != NULL; l = l->next)
        if ((l->types >> e->type & 1u) != 0)
            l->hear(l->self, e);
}

const char *cw_stall_name(enum cw_stall why)
{
    static const char *const names[CW_STALLS] = {
        [CW_STALL_ISSUED] = "issued",
        [CW_STALL_STRUCTURAL] = "structural",
        [CW_STALL_MEMORY] = "memory",
        [CW_STALL_FETCH] = "fetch",
        [CW_STALL_SCOREBOARD_ALU] = "scoreboard_alu",
        [CW_STALL_SCOREBOARD_SFU] = "scoreboard_sfu",
        [CW_STALL_SCOREBOARD_MEMORY] = "scoreboard_memory",
        [CW_STALL_SLEEP] = "sleep",
        [CW_STALL_MECHANISM] = "mechanism",
        [CW_STALL_BARRIER] = "barrier",
        [CW_STALL_NO_WARP] = "no_warp",
        [CW_STALL_LAUNCH] = "launch",
        [CW_STALL_DRAIN] = "drain",
    };
    return names[why];
}

const char *cw_stall_at_name(enum cw_stall_at at)
{
    static const char *const names[CW_ATS] = {
        [CW_AT_NONE] = "none",
        [CW_AT_L1] = "l1",
        [CW_AT_SHARED] = "shared",
        [CW_AT_CONSTANT] = "constant",
        [CW_AT_NOC_UP] = "noc_up",
        [CW_AT_L2] = "l2",
        [CW_AT_DRAM] = "dram",
        [CW_AT_NOC_DOWN] = "noc_down",
        [CW_AT_MECHANISM] = "mechanism",
        [CW_AT_BEGIN] = "begin",
        [CW_AT_BACK_OFF] = "back_off",
        [CW_AT_DRAINING] = "draining",
        [CW_AT_COMMIT] = "commit",
        [CW_AT_ISSUE] = "issue",
        [CW_AT_FETCH] = "fetch",
        [CW_AT_ALU] = "alu",
        [CW_AT_SFU] = "sfu",
        [CW_AT_SLEEP] = "sleep",
        [CW_AT_POLICY] = "policy",
    };
    return names[at];
}
