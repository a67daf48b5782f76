/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring of a commit unit with its stage pointers (include/cowarp/unit/commit_unit.h; Fung 2015, 4.2.5 and Figure 4.5), from the
 * provider: C model, RTL, or both in lockstep. What happens to a transaction next is decided there and nowhere else; this keeps only what
 * has to wait for the unit's ports, which take one answer of each kind per cycle.
 *
 * Commit IDs are those of the system, which count from 0 and never roll over; the hardware's are their last kilo.id_bits bits.
 *
 * A cycle: cw_kilo_ring_look, then at most one of each take_*, any number of answers, at most one message, then cw_kilo_ring_clock. The
 * unit is clocked only while it has something to do.
 */
#ifndef CW_ADAPT_COMMIT_UNIT_H
#define CW_ADAPT_COMMIT_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "cowarp/unit/commit_unit.h"
#include "mech/tm/tm.h"

struct cw_kilo_ring;

/* What the unit offers in this cycle. */
struct cw_kilo_ring_view {
    uint64_t oldest, commit; /* retire pointer, commit pointer: the IDs below have passed */
    bool hazard;             /* an entry is due for hazard detection */
    uint64_t hazard_id, hazard_rcid;
    bool revalidate; /* an entry is to be compared again */
    uint64_t revalidate_id;
    bool write; /* an entry may begin to write */
    uint64_t write_id;
    bool report; /* an entry's result; taken by looking */
    uint64_t report_id;
    bool report_pass;
    bool waiting; /* the pass pointer waits for a conflict to retire */
};

/* A message to some of the entries first .. first + 31; masks of them. */
struct cw_kilo_ring_message {
    enum cw_commit_message kind;
    uint64_t first;
    uint32_t entries, reads, writes, pass;
};

/* A ring of that many entries, a multiple of 32. Status of the provider, or CW_ENOMEM. cfg is used after the
 * call. */
int cw_kilo_ring_create(struct cw_kilo_ring **out, const struct cw_mech_host *cfg, uint32_t partition, uint32_t entries, uint32_t id_bits,
                        struct cw_error *err);
void cw_kilo_ring_destroy(struct cw_kilo_ring *r);
const struct cw_kilo_ring_view *cw_kilo_ring_look(struct cw_kilo_ring *r);
/* What the view offers is accepted. */
void cw_kilo_ring_take_hazard(struct cw_kilo_ring *r);
void cw_kilo_ring_take_revalidate(struct cw_kilo_ring *r);
void cw_kilo_ring_take_write(struct cw_kilo_ring *r);
/* Answers, about an entry that was taken; in the order of the calls. later: the unit can only take it after this cycle, since it expects
 * it because of something that happens in this cycle. CW_ENOMEM. */
int cw_kilo_ring_detected(struct cw_kilo_ring *r, uint64_t id, bool found, uint64_t ycid, bool later);
int cw_kilo_ring_validated(struct cw_kilo_ring *r, uint64_t id, bool pass, bool later);
int cw_kilo_ring_written(struct cw_kilo_ring *r, uint64_t id, bool later);
/* False: some entry lies outside the window; try again in a later cycle. */
bool cw_kilo_ring_message(struct cw_kilo_ring *r, const struct cw_kilo_ring_message *m);
/* Whether the next cycle is needed too. */
bool cw_kilo_ring_clock(struct cw_kilo_ring *r);

#endif
