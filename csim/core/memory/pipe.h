/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line accesses of the load/store unit, one per cycle into the L1 or the crossbar, in the order in which the instructions came; and the
 * hits of log accesses, which have a latency of their own. A mechanism may park an access, so that its warp alone
 * waits. lsu.c puts accesses in; pipe.c takes them out, and the replies.
 *
 * Fields: pipe.c, core.c, lsu.c, saved.c, watch.c, charge.c.
 */
#ifndef CW_CORE_MEMORY_PIPE_H
#define CW_CORE_MEMORY_PIPE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/warps/inst.h"

struct cw_access_pipe {
    /* What a tick reads of an empty one. */
    uint32_t cnt;
    uint32_t parked_cnt, log_cnt;
    uint32_t cap, head;
    uint64_t next;               /* cycle in which it needs a tick */
    struct cw_pipe_entry *entry; /* ring */
    uint64_t free_at;            /* cycle from which its head may go on: one that has left for memory is followed after l1.miss_cycles */
    uint64_t port_cycle;         /* last one in which an access asked for the L1's port and got it */
    uint64_t port_free_at;       /* cycle from which a log access may have it: one that gets on keeps it for l1.pass_cycles */
    uint64_t log_until; /* cycle from which the pipe, whose accesses are as far apart as they have been put in, may have it after a log's */
    uint64_t stalled_at;          /* last one in which its head did not get on */
    struct cw_message *packet;    /* of its head, built but not yet accepted */
    struct cw_pipe_entry *parked; /* Accesses of warps that wait, in their order: those behind them go on. */
    uint32_t parked_cap;
    uint64_t waiting;                                                /* The warps of accesses that are parked and may not be tried. */
    enum { CW_PIPE_AT_NONE, CW_PIPE_AT_HEAD, CW_PIPE_AT_PARKED } at; /* What has been tried, and did not get on. */
    uint32_t at_parked;                                              /* Of these, which one. */
    bool log_refused;                                                /* last cycle: the log access goes first now */
    struct cw_log_done {
        uint64_t ready;
        uint32_t warp, cookie;
    } * log_done; /* ring of L1 hits of log accesses */
    uint32_t log_cap, log_head;
};

#endif
