/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring of a commit unit with its stage pointers (include/cowarp/unit/commit_unit.h; Fung 2015, 4.2.5 and Figure 4.5), from the
 * provider: C model, RTL, or both in lockstep. The unit alone decides what happens to a transaction next. The unit's ports take one answer
 * of each kind per cycle; this adapter keeps the answers that have to wait for them.
 *
 * Commit IDs are those of the system. They count from 0 and never roll over. The hardware's are their last id_bits bits.
 *
 * A cycle is: cw_adapt_commit_unit_look, then at most one of each take_*, any number of answers, at most one message, then
 * cw_adapt_commit_unit_clock. The unit is clocked only while it has something to do.
 */
#ifndef CW_ADAPT_COMMIT_UNIT_H
#define CW_ADAPT_COMMIT_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit.h"
#include "cowarp/unit/commit_unit.h"

struct cw_adapt_commit_unit;

/* What the unit offers in this cycle. */
struct cw_adapt_commit_unit_view {
    uint64_t oldest, commit; /* the IDs below have retired; have been offered for writing, or need not write */
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
struct cw_adapt_commit_unit_message {
    enum cw_commit_message kind;
    uint64_t first;
    uint32_t entries, reads, writes, pass;
};

struct cw_adapt_commit_unit_config {
    const struct cw_unit_provider *units;
    uint32_t partition; /* for the instance's name */
    uint32_t entries;   /* at most 2^id_bits - 32; in RTL at most CW_COMMIT_UNIT_HARDWARE */
    uint32_t id_bits;   /* of the hardware's commit IDs */
    /* The unit says that it has lost count of its entries. May be NULL. */
    void (*fault)(void *context, int status, const char *text);
    void *fault_context;
};

/* Status of the provider, with err, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_commit_unit_create(struct cw_adapt_commit_unit **out, const struct cw_adapt_commit_unit_config *config, struct cw_error *err);
void cw_adapt_commit_unit_destroy(struct cw_adapt_commit_unit *r);
void cw_adapt_commit_unit_state(struct cw_state *s, struct cw_adapt_commit_unit *r);
const struct cw_adapt_commit_unit_view *cw_adapt_commit_unit_look(struct cw_adapt_commit_unit *r);
/* What the view offers is accepted. */
void cw_adapt_commit_unit_take_hazard(struct cw_adapt_commit_unit *r);
void cw_adapt_commit_unit_take_revalidate(struct cw_adapt_commit_unit *r);
void cw_adapt_commit_unit_take_write(struct cw_adapt_commit_unit *r);
/* Answers, about an entry that was taken, in the order of the calls; again: of a revalidation. CW_ENOMEM. */
int cw_adapt_commit_unit_detected(struct cw_adapt_commit_unit *r, uint64_t id, bool found, uint64_t ycid);
int cw_adapt_commit_unit_validated(struct cw_adapt_commit_unit *r, uint64_t id, bool again, bool pass);
int cw_adapt_commit_unit_written(struct cw_adapt_commit_unit *r, uint64_t id);
/* False: some entry lies outside the window; try again in a later cycle. */
bool cw_adapt_commit_unit_send(struct cw_adapt_commit_unit *r, const struct cw_adapt_commit_unit_message *m);
/* Whether the next cycle is needed too. */
bool cw_adapt_commit_unit_clock(struct cw_adapt_commit_unit *r);

#endif
