/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of a functional launch on several host threads. Each thread has a core without time, and takes the next block when it has finished
 * one. Memory and counters are in the end those of one thread, unless blocks race.
 */
#ifndef CW_GPU_CREW_H
#define CW_GPU_CREW_H

#include "core/functional.h"

/* What instructions without time have done since there was progress. */
struct cw_standing {
    uint64_t progress, since; /* Warp instructions at the last progress */
    uint32_t rounds;          /* Of turns since then */
};

/* After a round of turns. Whether more than `most` warp instructions have passed without progress. */
bool cw_stands(struct cw_standing *s, uint64_t progress, uint64_t instructions, uint64_t most);

struct cw_crew {
    const struct cw_launch *launch;
    struct cw_functional *on;            /* [threads]: whose cores are prepared for the launch, and have no block */
    uint32_t threads;                    /* The caller's is the first one's */
    uint64_t begin, end;                 /* Blocks begin to end - 1, which have to be apart (cw_functional_apart) */
    uint64_t livelock_most;              /* Warp instructions of a core without progress */
    const struct cw_core_events *events; /* Those of the cores; meanwhile they hear of the first fault alone */
    /* Called by the caller's thread now and then, with how many blocks have finished. Not CW_OK: all are to stop. */
    int (*ask)(void *context, uint64_t finished, struct cw_error *err);
    void *context;
    uint64_t finished; /* Written: blocks */
    /* Written with CW_EDEADLOCK: the block, who has it, and whether its warps execute and do not get on; else none of them can. */
    uint64_t block;
    const struct cw_functional *stuck;
    bool stands;
};

/* CW_OK: all blocks have finished; what ask has answered; CW_ENOMEM; or why a block fails: then those before it have run to their end, and
 * none fails before it. A host that has no more threads gives fewer. */
int cw_crew_run(struct cw_crew *crew, struct cw_error *err);

#endif
