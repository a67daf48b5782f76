/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of device memory. An L2 slice works on them in place, because it holds its addresses alone.
 *
 * Private to: device_memory.c, direct.c, l2.c, saved.c, version.c, version_place.c.
 */
#ifndef CW_MEM_DEVICE_MEMORY_PRIVATE_H
#define CW_MEM_DEVICE_MEMORY_PRIVATE_H

#include "mem/device_memory.h"

/* Allocations that follow each other without a gap. */
struct cw_memory_span {
    uint64_t base, bytes;
};

/* A range of addresses from which allocations come. */
struct cw_memory_window {
    const char *name, *key; /* for messages: "device memory", and what makes it larger */
    uint64_t base, bytes;
    uint64_t used; /* by allocations, with their padding */
};

struct cw_version_range;
struct cw_config;

struct cw_memory {
    uint8_t *host;     /* host address of device address CW_GLOBAL_BASE; that of CW_PM_BASE follows, with what lies between out of reach */
    uint64_t reserved; /* bytes there */
    uint8_t *durable;  /* host address of the durable copy of CW_PM_BASE; NULL: no persistent memory */
    struct cw_memory_window general, persistent;
    uint64_t redzone;               /* bytes, a multiple of 256, beside each allocation */
    cw_memory_persisted *persisted; /* NULL: nobody listens */
    void *listener;
    struct cw_region *region;    /* sorted by address */
    struct cw_memory_span *span; /* sorted by address; span[0] is there even when span_cnt is 0, and is then empty */
    uint32_t region_cnt, span_cnt;
    uint32_t capacity; /* of both lists: there are never more spans than regions and freed ones together */
    bool keeps_freed;
    struct cw_region *freed; /* whose places no span has given back, in the order in which they were freed; owned */
    uint32_t freed_cnt;
    /* version.c */
    struct cw_version_range *range;
    uint32_t range_cnt, newest;
    uint32_t hidden_cnt;                  /* of the ranges, while all of them are hidden: range_cnt is 0 then */
    const struct cw_config *range_config; /* of the machine that has the ranges; NULL while there are none */
};

/* Host address of a valid address. */
static inline uint8_t *cw_memory__at(const struct cw_memory *m, uint64_t addr)
{
    return m->host + (addr - CW_GLOBAL_BASE);
}

#endif
