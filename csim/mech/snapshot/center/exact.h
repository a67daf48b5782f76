/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dependency graph of sitm-oracle (SI-TM section 6): all that transactions have read and written, and the order that this asks for.
 * Neither table nor time bounds it. No hardware has it.
 *
 * An edge leads from A to B where A has to stand before B in each serial order:
 *
 *     A has read a word, and B writes the next version of it or a later one
 *     A has committed a version of a word before B began, and B reads or writes the word
 *     A has committed, and B is a later transaction of its thread, or of one that may have seen that A's thread had gone on
 *
 * So the edges between transactions that commit are those of snapshot isolation's serialization graph. Who would close a circle is refused.
 * A loop, as Figures 18 and 19 count them, is an edge that would have closed a circle when it was found, between two attempts that had none
 * before. One access may find several.
 *
 * A committed transaction stays until it can no longer be part of a circle: until nobody runs who began before its commit, and no edge leads to it.
 */
#ifndef CW_MECH_SNAPSHOT_CENTER_EXACT_H
#define CW_MECH_SNAPSHOT_CENTER_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/state.h"

struct cw_si_exact;

/* Empty; NULL: out of host memory. */
struct cw_si_exact *cw_si_exact_create(void);
void cw_si_exact_destroy(struct cw_si_exact *x);
/* No host memory was left for something: what it says is wrong from then on. */
bool cw_si_exact_failed(const struct cw_si_exact *x);

/* An attempt whose snapshot is of that time. Returns its number, which is its own until cw_si_exact_abort, or for ever once it commits. */
uint32_t cw_si_exact_begin(struct cw_si_exact *x, cw_time begin);

/* The running attempt is one of that thread, which may have seen what others did by the commits of writers up to one time, and of readers up to
 * another: these stand before it, and whoever of the thread has committed. */
void cw_si_exact_order(struct cw_si_exact *x, uint32_t attempt, uint64_t thread, cw_time writers, cw_time readers);

enum cw_si_exact_answer { CW_SI_EXACT_FINE, CW_SI_EXACT_LOOP, CW_SI_EXACT_WRITE_WRITE };
/* The running attempt reads or writes a word (an address of four bytes). Other answers than FINE: it has to abort, and counts no more; what
 * it still asks is FINE. *edges, *loops: found by this access, are added. */
enum cw_si_exact_answer cw_si_exact_access(struct cw_si_exact *x, uint32_t attempt, uint64_t word, bool writes, uint64_t *edges,
                                           uint64_t *loops);
/* It wants to commit, and cannot fail any more. false: another one that wrote a word of its writes has been here before, since it began; it
 * has to abort, as above. */
bool cw_si_exact_seal(struct cw_si_exact *x, uint32_t attempt);
/* Who has been sealed, or has not written, has committed at that time. */
void cw_si_exact_commit(struct cw_si_exact *x, uint32_t attempt, cw_time time);
/* It is over, and its number may stand for another one. */
void cw_si_exact_abort(struct cw_si_exact *x, uint32_t attempt);
/* Lets go what can be part of no circle. oldest: when the oldest running attempt began; CW_TIME_NEVER: none runs. */
void cw_si_exact_prune(struct cw_si_exact *x, cw_time oldest, cw_time now);
/* Pairs of attempts of which one was running, or on its way to commit, when the other one began: all; those of which one has read a word that the
 * other one has written; those that have written the same word; those of both kinds. Whoever was refused counts until then. */
struct cw_si_exact_pairs {
    uint64_t all, read_write, write_write, both;
};
const struct cw_si_exact_pairs *cw_si_exact_pairs(const struct cw_si_exact *x);
/* Attempts that it knows. */
uint32_t cw_si_exact_known(const struct cw_si_exact *x);
void cw_si_exact_state(struct cw_state *s, struct cw_si_exact *x);

#endif
