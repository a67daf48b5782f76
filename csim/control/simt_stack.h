/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIMT stack of one warp: immediate-post-dominator reconvergence, with the transaction entries of Fung 2015, section 4.2.1 and Figure 4.3.
 *
 * Entry types. N: ordinary. R: restart entry of a transaction; its PC is the instruction after tx_begin, its mask collects the lanes
 * that aborted. T: the running attempt; its mask holds the lanes of the attempt that have not aborted, those that already
 * wait at tx_commit (reached) included. R and T lie directly above the N entry that executed tx_begin; entries above T are ordinary.
 *
 * Likely convergence (3.4, Figure 3.8). A divergence whose likely-convergence PC is not its reconvergence PC pushes a likely-convergence
 * entry with that PC and no lanes, and the sides above it. A side that arrives at its LPC is popped, and its lanes join the entry at its
 * LPos. When all sides are gone that entry runs up to the reconvergence PC, or goes if no lane has joined it. A side that diverges again
 * with the same two PCs needs no second entry: its sides join the one that is there.
 *
 * Invariant: an N entry with a reconvergence PC lies above an entry whose PC is that one and whose mask includes its lanes. So an
 * entry that arrives at its reconvergence PC is simply popped, and a branch whose reconvergence PC is the entry's own needs no new
 * reconvergence entry: it replaces the entry. This bounds the depth (every other push divides the lanes or leaves some of them behind).
 */
#ifndef CW_CONTROL_SIMT_STACK_H
#define CW_CONTROL_SIMT_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/lanes.h"
#include "base/state.h"
#include "ir/uop.h"

enum cw_simt_type { CW_SIMT_N, CW_SIMT_R, CW_SIMT_T };

/* Entries of a warp of that many lanes: a divergence leaves some lanes behind, and at most three entries (the one to reconverge in, the one
 * for likely convergence, a side that waits), so 3 per lane; the base entry, R and T, and room for a branch of every lane to a target of
 * its own that is being pushed. */
#define CW_SIMT_DEPTH(width) (4u * (width) + 8u)

struct cw_simt_entry {
    uint32_t pc, rpc;
    cw_lanes mask;
    uint32_t lpc;  /* likely-convergence PC, or CW_PC_NONE */
    uint32_t lpos; /* index of the entry that the lanes join there */
};

struct cw_simt {
    uint32_t depth;              /* 0: all lanes have exited */
    uint32_t t;                  /* index of the T entry, 0 outside a transaction */
    uint32_t width;              /* lanes of the warp: 32 or 64 */
    uint32_t joins;              /* times that lanes have joined a likely-convergence entry; the owner's to reset */
    cw_lanes reached;            /* lanes of the T entry that wait at tx_commit */
    struct cw_simt_entry *entry; /* CW_SIMT_DEPTH(width) entries, the owner's */
};

/* T is at index t, R below it; every other entry is ordinary. */
static inline enum cw_simt_type cw_simt_type_at(const struct cw_simt *s, uint32_t index)
{
    if (s->t == 0 || index + 1 < s->t || index > s->t)
        return CW_SIMT_N;
    return index == s->t ? CW_SIMT_T : CW_SIMT_R;
}

/* The owner has set width and entry. */
void cw_simt_reset(struct cw_simt *s, uint32_t pc, cw_lanes mask);

/* Lanes that execute next, at cw_simt_pc(). 0 when the stack is empty, or when all lanes of the attempt have reached tx_commit or aborted.
 */
static inline cw_lanes cw_simt_active(const struct cw_simt *s)
{
    if (s->depth == 0)
        return 0;
    const struct cw_simt_entry *e = &s->entry[s->depth - 1];
    return s->t != 0 && s->depth - 1 == s->t ? e->mask & ~s->reached : e->mask;
}

static inline uint32_t cw_simt_pc(const struct cw_simt *s)
{
    return s->depth != 0 ? s->entry[s->depth - 1].pc : CW_PC_NONE;
}

static inline bool cw_simt_in_tx(const struct cw_simt *s)
{
    return s->t != 0;
}

/* Pops entries that are empty or have arrived at their reconvergence PC or their likely-convergence PC. */
void cw_simt_settle(struct cw_simt *s);

/* All active lanes go on at pc. */
static inline void cw_simt_advance(struct cw_simt *s, uint32_t pc)
{
    struct cw_simt_entry *e = &s->entry[s->depth - 1];
    e->pc = pc;
    if (pc == e->rpc || pc == e->lpc)
        cw_simt_settle(s);
}

/* A branch: lanes taken (a subset of the active ones) go to target, the others to next. The taken side runs first. rpc may be CW_PC_NONE,
 * and so may lpc. Returns whether the warp diverged. */
bool cw_simt_branch_likely(struct cw_simt *s, cw_lanes taken, uint32_t target, uint32_t next, uint32_t rpc, uint32_t lpc);

/* A branch with a target of its own per active lane, target[lane]; the side of the lowest lane runs first. Returns whether the warp
 * diverged. */
bool cw_simt_indexed_likely(struct cw_simt *s, const uint32_t *target, uint32_t rpc, uint32_t lpc);

/* The same without a likely-convergence point. */
static inline bool cw_simt_branch(struct cw_simt *s, cw_lanes taken, uint32_t target, uint32_t next, uint32_t rpc)
{
    return cw_simt_branch_likely(s, taken, target, next, rpc, CW_PC_NONE);
}

static inline bool cw_simt_branch_indexed(struct cw_simt *s, const uint32_t *target, uint32_t rpc)
{
    return cw_simt_indexed_likely(s, target, rpc, CW_PC_NONE);
}

/* Lanes exit: they leave all entries. Outside a transaction only. Lanes left in the top entry stay at its PC. */
void cw_simt_exit(struct cw_simt *s, cw_lanes lanes);

/* tx_begin by the active lanes (Figure 4.3, step 1): pushes R and T; the attempt starts at pc. Outside a transaction only. */
void cw_simt_tx_begin(struct cw_simt *s, uint32_t pc);

/* Lanes (a subset of the active ones) have reached tx_commit and wait; the other active lanes go on at next. Returns whether none is left
 * to run: T is then the top entry. */
bool cw_simt_tx_reach(struct cw_simt *s, cw_lanes lanes, uint32_t next);

/* Lanes of the attempt abort: they leave T and what lies above and enter R. Returns whether no lane is left to run. */
bool cw_simt_tx_abort(struct cw_simt *s, cw_lanes lanes);

/* End of the attempt (steps 2, 3 and 5). Aborted lanes restart: true, a new T entry is pushed. No lane in R: false, T and R are popped, and the
 * transaction is over. */
bool cw_simt_tx_next(struct cw_simt *s);

/* The same; when the transaction is over, the active lanes of the N entry below stand at their resume PCs, from which they meet at `meet`, or at
 * CW_PC_NONE. */
bool cw_simt_tx_end(struct cw_simt *s, const uint32_t *resume, uint32_t meet);

/* Lanes in the R entry; 0 outside a transaction. */
static inline cw_lanes cw_simt_aborted(const struct cw_simt *s)
{
    return s->t != 0 ? s->entry[s->t - 1].mask : 0;
}

/* Lanes that are in the stack but not active: waiting for the top entry's lanes. */
cw_lanes cw_simt_waiting(const struct cw_simt *s);

/* The PC at which a lane goes on, or CW_PC_NONE: it is not in the stack. top: of the top entry, which the owner may keep elsewhere. */
uint32_t cw_simt_where(const struct cw_simt *s, uint32_t top, uint32_t lane);

/* Its state (base/state.h), without width. */
void cw_simt_state(struct cw_state *s, struct cw_simt *stack);

#endif
