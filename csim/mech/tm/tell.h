/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a transactional mechanism tells the stream of events (csim/event/event.h). Where nobody listens, each of these is a test of one bit;
 * whoever has to work out words or sets for them asks cw_tell_wanted first.
 *
 * A core half knows its attempts from cw_core_attempt. It writes the number into its messages (struct cw_message, attempt), so that a
 * memory partition needs nothing but the message to tell what it does.
 */
#ifndef CW_MECH_TM_TELL_H
#define CW_MECH_TM_TELL_H

#include "mech/mech.h"
#include "mech/tm/redo_log.h"
#include "mech/tm/write_set.h"

/* An attempt of a warp: with a lane, the name of a region. */
struct cw_attempt_name {
    uint32_t core, warp, attempt;
};

static inline struct cw_attempt_name cw_attempt_name_of(const struct cw_message *p)
{
    return (struct cw_attempt_name){.core = p->core, .warp = p->warp, .attempt = p->attempt};
}

static inline bool cw_tell_wanted(const struct cw_mech_host *host, enum cw_event_type type)
{
    return host->events != NULL && cw_events_want(host->events, type);
}

static inline struct cw_event cw_tell__event(enum cw_event_type type, struct cw_attempt_name a, uint32_t lane, cw_time now)
{
    return (struct cw_event){.type = (uint8_t)type, .core = a.core, .warp = a.warp, .lane = lane, .attempt = a.attempt, .now = now};
}

/* REGION_ABORT of these lanes; cause is static. */
static inline void cw_tell_aborts(const struct cw_mech_host *host, struct cw_attempt_name a, cw_lanes lanes, const char *cause, cw_time now)
{
    for (cw_lanes rest = cw_tell_wanted(host, CW_EVENT_REGION_ABORT) ? lanes : 0; rest != 0; rest = cw_lanes_rest(rest)) {
        struct cw_event e = cw_tell__event(CW_EVENT_REGION_ABORT, a, cw_lanes_first(rest), now);
        e.u.cause = cause;
        cw_events_tell(host->events, &e);
    }
}

/* CONFLICT: the lane's attempt fails by the word at addr. */
static inline void cw_tell_conflict(const struct cw_mech_host *host, struct cw_attempt_name a, uint32_t lane, uint64_t addr, cw_time now)
{
    if (!cw_tell_wanted(host, CW_EVENT_CONFLICT))
        return;
    struct cw_event e = cw_tell__event(CW_EVENT_CONFLICT, a, lane, now);
    e.u.conflict.kind = CW_CONTENTION_ABORT;
    e.u.conflict.addr = addr;
    cw_events_tell(host->events, &e);
}

/* REGION_BEGIN of these lanes. */
static inline void cw_tell_lanes(const struct cw_mech_host *host, enum cw_event_type type, struct cw_attempt_name a, cw_lanes lanes,
                                 cw_time now)
{
    for (cw_lanes rest = cw_tell_wanted(host, type) ? lanes : 0; rest != 0; rest = cw_lanes_rest(rest)) {
        struct cw_event e = cw_tell__event(type, a, cw_lanes_first(rest), now);
        cw_events_tell(host->events, &e);
    }
}

/* REGION_READ, REGION_VALIDATE or REGION_WRITE of the 32-bit word at addr; bytes: byte enables 3:0, of a write. */
static inline void cw_tell_word(const struct cw_mech_host *host, enum cw_event_type type, struct cw_attempt_name a, uint32_t lane,
                                uint64_t addr, uint32_t value, uint32_t bytes, cw_time now)
{
    if (!cw_tell_wanted(host, type))
        return;
    struct cw_event e = cw_tell__event(type, a, lane, now);
    e.u.word.addr = addr;
    e.u.word.value = value;
    e.u.word.bytes = bytes;
    cw_events_tell(host->events, &e);
}

/* REGION_COMMIT of a lane, with the words that will reach memory, or have. */
static inline void cw_tell_commit(const struct cw_mech_host *host, struct cw_attempt_name a, uint32_t lane, uint32_t cnt,
                                  const uint64_t *addr, const uint32_t *value, cw_time now)
{
    if (!cw_tell_wanted(host, CW_EVENT_REGION_COMMIT))
        return;
    struct cw_event e = cw_tell__event(CW_EVENT_REGION_COMMIT, a, lane, now);
    e.u.set.cnt = cnt;
    e.u.set.addr = addr;
    e.u.set.value = value;
    cw_events_tell(host->events, &e);
}

/* DECISION; d: struct cw_event's member of this name. */
static inline void cw_tell_decision(const struct cw_mech_host *host, struct cw_attempt_name a, const struct cw_event_decision *d,
                                    cw_time now)
{
    if (!cw_tell_wanted(host, CW_EVENT_DECISION))
        return;
    struct cw_event e = cw_tell__event(CW_EVENT_DECISION, a, 0, now);
    e.u.decision = *d;
    cw_events_tell(host->events, &e);
}
/* REGION_COMMIT of each of these lanes, with its words of the set. */
void cw_tell_commits(const struct cw_mech_host *host, struct cw_attempt_name a, cw_lanes lanes, const struct cw_write_set *set,
                     cw_time now);

/* CONFLICT of lanes that lose against others of their warp: of each the first word of its log that another of `lanes` writes, of reads a lower
 * one. A filter may have found more than there is: then nothing is told. */
void cw_tell_losers(const struct cw_mech_host *host, struct cw_attempt_name a, const struct cw_redo_log *log, cw_lanes lanes,
                    cw_lanes losers, cw_time now);

#endif
