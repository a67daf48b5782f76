/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Persistency oracle: does every write to persistent memory become durable after all writes that the program orders before it?
 *
 * It hears the program: the core tells of each store, load and ordering operation when it issues, by the instruction alone, with its
 * number in the order of issue (csim/event/event.h). A persistency model tells nothing, so what it believes is no evidence for it. Against
 * the program stand the values that loads return and the bytes that become durable. Which of the issued stores a durable byte comes from
 * follows from the core's words about the L1 (PM_STORE, PM_LEAVE); they have to agree with the program and with the byte's value.
 *
 * The rules are those of Pandey et al. (ASPLOS 2023, Boxes 1 and 2). The oracle knows nothing of buffers, caches or masks. A write W1 is
 * ordered before a write W2 when
 *   - one thread makes both, with an ofence or dfence between them;
 *   - one thread makes W1 and then releases a variable; another thread acquires it, with the value of that release, and then makes W2; and
 *     the scopes of both sides include both threads;
 *   - W2 is the write of a release itself, and the thread makes W1 before it;
 *   - other orderings, one after the other, lead from W1 to W2. An acquire and a release, or two fences, with no write between them lead
 * on. A dfence is complete only when all earlier writes of its thread are durable. Writes of one core to the same byte become durable in
 * the order in which the core has made them.
 *
 * A write that is overwritten before it leaves its core becomes durable with the one that stands for it. What becomes durable at one
 * instant does so together. An acquire reads from the latest release of the variable that has the value and sufficient scope; where two
 * threads release the same value, the one it has really read from may be another.
 *
 * An acquire may read from a release of another block though one of the two is of block scope. Then there is no order, and nobody has
 * broken any: it is the program that is wrong (section 5.3, scoped persistency bugs). The oracle tells of it when the releasing thread had
 * something to hand over that was not durable, and the acquiring thread writes afterwards. It tells of each pair of program lines once, and
 * that is no violation.
 *
 * These are violations of their own: a store that is performed and was not issued, or the other way round at the kernel's end, or before an
 * earlier one of its thread to the same byte; bytes that leave and that no thread has written; durable bytes that have not left or have
 * another value; a load that does not find what was written before it in volatile memory order (persist_read.c).
 *
 * The record holds writes that are not durable, and orderings that lead from one. It forgets the rest.
 */
#ifndef CW_CHECK_PERSIST_H
#define CW_CHECK_PERSIST_H

#include "base/error.h"
#include "event/event.h"

struct cw_persist_check;

struct cw_persist_report {
    uint64_t stores;    /* words written */
    uint64_t persists;  /* of them, words that have become durable */
    uint64_t orderings; /* fences, releases, acquires */
    uint64_t scopes;    /* pairs of an acquire and a release whose scopes are too narrow, since the oracle was created */
    char text[1200];    /* the first violation in words, empty when none */
};

/* period: of the cycles in which the violation is told; contract: of the model that is judged. CW_OK or CW_ENOMEM. */
int cw_persist_check_create(struct cw_persist_check **out, cw_time period, enum cw_event_contract contract, struct cw_error *err);
void cw_persist_check_destroy(struct cw_persist_check *s);
/* To be entered in the stream of events; lives as long as the oracle. */
struct cw_event_listener *cw_persist_check_listener(struct cw_persist_check *s);
/* A kernel of this PTX file is about to run; violations name lines of it. CW_OK or CW_ENOMEM. */
int cw_persist_check_file(struct cw_persist_check *s, const char *file, struct cw_error *err);
/* The violation that it has heard of by now, in words; NULL: none. */
const char *cw_persist_check_violation(const struct cw_persist_check *s);
/* A launch has ended. Its blocks are gone, and with them all shared memory and block scopes. What is not durable remains so. Reports on
 * what was heard since the last call. CW_OK, or CW_ECHECK with err = report->text; the oracle hears nothing more after a violation. */
int cw_persist_check_launched(struct cw_persist_check *s, struct cw_persist_report *report, struct cw_error *err);
/* Tells of the next pair whose scopes are too narrow, in words; NULL: all have been told. To be called when a launch has ended; valid until
 * the oracle hears something. */
const char *cw_persist_check_scope(struct cw_persist_check *s);

#endif
