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

/* Who executes the blocks of one core. */
struct cw_worker {
    struct cw_functional *on;
    const struct cw_core_events *others; /* Hear what the core tells while it has no thread of its own. */
    uint64_t progress;                   /* See struct cw_core_config */
    /* While it has one */
    bool apart;
    bool done; /* The block has finished */
    uint64_t block;
    int status;  /* Why the block has not, and err says it */
    bool stands; /* With CW_EDEADLOCK: its warps execute, and do not get on; else none of them can */
    struct cw_error err;
};

/* What the worker's core is to tell, for struct cw_core_config. */
struct cw_core_events cw_worker_events(struct cw_worker *w);

struct cw_crew {
    const struct cw_launch *launch;
    struct cw_worker *const *worker; /* [worker_cnt], whose cores are prepared; the caller's thread is the first one's */
    uint32_t worker_cnt;
    uint64_t begin, end;    /* Blocks begin to end - 1, which have to be apart (cw_functional_apart) */
    uint64_t livelock_most; /* Warp instructions of a core without progress */
    /* Called by the caller's thread now and then, with how many blocks have finished. Not CW_OK: all are to stop. */
    int (*ask)(void *context, uint64_t finished, struct cw_error *err);
    void *context;
    /* Written: blocks that have finished; whose status is the launch's, NULL: all have finished. When blocks fail, those before the first of
     * them have run to their end, and it is that one's worker. */
    uint64_t finished;
    struct cw_worker *failed;
};

/* CW_ENOMEM, or CW_OK: the crew says how it ended. A host that has no more threads gives fewer. */
int cw_crew_run(struct cw_crew *crew, struct cw_error *err);

#endif
