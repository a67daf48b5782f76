/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Miss status holding registers of an L2 slice. An entry belongs to one line that misses, and queues the requests that
 * wait for it, in arrival order: all requests that touch a sector which an earlier waiting request touches wait behind
 * it, hit or miss, so that the slice never reorders two accesses to the same sector.
 *
 * Private to: mshr.c, l2_private.h.
 */
#ifndef CW_MEM_MSHR_H
#define CW_MEM_MSHR_H

#include <stdbool.h>
#include <stdint.h>

#include "msg/message.h"

struct cw_mshr {
    struct cw_message *head, *tail; /* waiting requests, linked by next; owned */
    uint32_t count;
    uint32_t passed;      /* writes that went on to DRAM; each keeps a place until the line is here */
    uint32_t line;        /* index of the cache line that waits */
    uint8_t sectors;      /* touched by the requests that waited since the queue was last empty */
    uint8_t fetching;     /* sectors on their way from DRAM */
    bool ready;           /* in the list of entries whose head can be served */
    struct cw_mshr *next; /* free list or ready list */
};

struct cw_mshr_file {
    struct cw_mshr *entry;
    uint32_t entries, merge; /* merge: requests per entry */
    uint32_t in_use;
    struct cw_mshr *free;
    struct cw_mshr *ready_head, *ready_tail; /* in the order in which their data came */
};

/* 0 or CW_ENOMEM. */
int cw_mshr_create(struct cw_mshr_file *f, uint32_t entries, uint32_t merge);
void cw_mshr_destroy(struct cw_mshr_file *f);
/* A free entry for that line, or NULL when all are in use. */
struct cw_mshr *cw_mshr_take(struct cw_mshr_file *f, uint32_t line);
void cw_mshr_release(struct cw_mshr_file *f, struct cw_mshr *m);
static inline bool cw_mshr_can_merge(const struct cw_mshr_file *f, const struct cw_mshr *m)
{
    return m->count + m->passed < f->merge;
}
/* Queues p, which touches those sectors. */
void cw_mshr_append(struct cw_mshr *m, struct cw_message *p, uint8_t sectors);
struct cw_message *cw_mshr_pop(struct cw_mshr *m);
/* Ready list: no effect when m is in it already; its head is removed by cw_mshr_unready(). */
void cw_mshr_make_ready(struct cw_mshr_file *f, struct cw_mshr *m);
void cw_mshr_unready(struct cw_mshr_file *f);
/* Its state (base/state.h), the waiting requests with it. */
void cw_mshr_state(struct cw_state *s, struct cw_mshr_file *f);

#endif
