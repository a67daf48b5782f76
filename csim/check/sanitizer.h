/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sanitizer: what a program does wrong, whatever its result is. Four kinds (enum cw_check), each of which may be left out.
 *
 * Of memory and sync the core tells; the sanitizer keeps what it has been told. For race and init it listens to the events of timed and of
 * functional launches.
 *
 * A race is a data race of the PTX memory model (PTX ISA, "Memory consistency model") on a byte of shared or device memory: two threads
 * access it, one of them writes, not both accesses are strong (atomic, volatile, relaxed, acquire, release), and neither happens before the
 * other. What orders threads: barriers, bar.warp.sync, and a strong store or atomic behind a fence (or with .release) whose address a strong
 * load or atomic of another thread has read. Below sm_70 the threads of a warp go in step, so only one instruction of theirs can race with
 * itself. Two plain stores of one value are let pass, as programs that set a flag have them. Order is kept for warps, and inside a warp for
 * its threads; where that takes more for ordered than is (one thread of a warp holds a lock, and another one stores), a race is missed.
 * Between blocks all of that needs GPU scope, and volatile accesses of device memory count as plain ones, unless they are a flag.
 *
 * Whether bytes are written is known for shared memory, of each block, and for device memory that cw_sanitizer_fresh was told of. A store
 * of an attempt at a transaction counts, whatever becomes of the attempt.
 */
#ifndef CW_CHECK_SANITIZER_H
#define CW_CHECK_SANITIZER_H

#include "base/config.h"
#include "base/error.h"
#include "event/event.h"
#include "event/finding.h"
#include "ir/module.h"

struct cw_sanitizer;

struct cw_sanitizer_config {
    uint32_t checks;                /* set of enum cw_check, not empty */
    const struct cw_config *config; /* of the GPU; stays where it is */
    /* The first finding at a place, in one line. NULL: nobody wants it. */
    void (*tell)(void *context, const char *text);
    void *context;
    uint32_t tells; /* for how many places it is called, at the most */
};

/* Findings of one kind at one line of a kernel (of a race: at a pair of lines). Strings live as long as the module. */
struct cw_sanitizer_place {
    struct cw_finding first; /* the first one */
    const char *kernel, *file;
    const char *source; /* file of the source, or NULL; then: */
    uint32_t source_line;
    uint64_t cnt;
};

/* CW_ENOMEM. */
int cw_sanitizer_create(struct cw_sanitizer **out, const struct cw_sanitizer_config *config, struct cw_error *err);
void cw_sanitizer_destroy(struct cw_sanitizer *s);
/* To be entered in the streams of events of timed launches (0) and of functional ones (1); they live as long as the sanitizer. */
struct cw_event_listener *cw_sanitizer_listener(struct cw_sanitizer *s, uint32_t which);

/* A launch of blocks with so many bytes of shared memory begins. */
struct cw_sanitizer_launch {
    const struct cw_module *module; /* these two live as long as the sanitizer */
    const struct cw_kernel *kernel;
    uint32_t shared_bytes;
    uint32_t stream;        /* below CW_SANITIZER_STREAMS */
    const uint32_t *before; /* [CW_SANITIZER_STREAMS] of each stream, how many launches happen before this one; NULL: all */
};
#define CW_SANITIZER_STREAMS 64u
void cw_sanitizer_launch(struct cw_sanitizer *s, const struct cw_sanitizer_launch *launch);
/* A finding of the running launch. */
void cw_sanitizer_add(struct cw_sanitizer *s, const struct cw_finding *f);

/* From now on nobody has written these bytes of device memory; the host has written these. */
void cw_sanitizer_fresh(struct cw_sanitizer *s, uint64_t addr, uint64_t bytes);
void cw_sanitizer_written(struct cw_sanitizer *s, uint64_t addr, uint64_t bytes);

/* In the order in which they were found: i = 0, 1, ... until it returns NULL. Of 1,000 places at the most; what is found at others is
 * counted. */
const struct cw_sanitizer_place *cw_sanitizer_at(const struct cw_sanitizer *s, uint32_t i);
/* Of that kind, at all places. */
uint64_t cw_sanitizer_count(const struct cw_sanitizer *s, enum cw_check check);
/* Whether memory ran out, so that races and unwritten bytes may have been missed. */
bool cw_sanitizer_incomplete(const struct cw_sanitizer *s);

#endif
