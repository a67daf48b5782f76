/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory: the bytes behind the memory partitions, and which addresses are allocated for what.
 *
 * L2 and DRAM hold the same bytes: an L2 slice owns its addresses alone, so its data is the memory's data. L2 slices read and write
 * these bytes at the time at which they serve a request; the host does so between kernels.
 *
 * Only the files of csim/mem touch the bytes themselves (device_memory_private.h). Everybody else calls the functions below, so that
 * a second, durable copy of some regions or versions of their words need no change elsewhere.
 */
#ifndef CW_MEM_DEVICE_MEMORY_H
#define CW_MEM_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct cw_memory;

/* What an allocation is for. */
enum cw_region_kind {
    CW_REGION_GLOBAL,        /* buffers of the program */
    CW_REGION_LOCAL,         /* local memory of all threads, with mechanisms' logs */
    CW_REGION_MODULE,        /* .global variables of a module */
    CW_REGION_MECHANISM = 16 /* first number for kinds that a mechanism defines */
};

/* One allocation. */
struct cw_region {
    uint64_t base;  /* device address, a multiple of 256 */
    uint64_t bytes; /* as asked for */
    uint32_t kind;  /* enum cw_region_kind, or a mechanism's own number */
};

/* Reserves that many bytes of device memory, from CW_GLOBAL_BASE on. Nothing is allocated yet. CW_EINVAL for 0 bytes, CW_ENOMEM. */
int cw_memory_create(struct cw_memory **out, uint64_t bytes, struct cw_error *err);
void cw_memory_destroy(struct cw_memory *m);

/* Allocates bytes of zeros, aligned to 256, at the lowest address where they fit: as long as nothing is freed, one allocation follows
 * the other. CW_EINVAL for 0 bytes; CW_ENOMEM when full, which changes nothing. */
int cw_memory_alloc(struct cw_memory *m, uint64_t *addr, uint64_t bytes, uint32_t kind, struct cw_error *err);
/* The same at the highest address where they fit, so that what is allocated there does not move what comes at the bottom. */
int cw_memory_alloc_top(struct cw_memory *m, uint64_t *addr, uint64_t bytes, uint32_t kind, struct cw_error *err);
/* Gives back the allocation that begins at addr. No access to it may be under way. CW_EINVAL, which changes nothing, when none
 * begins there. */
int cw_memory_free(struct cw_memory *m, uint64_t addr, struct cw_error *err);

/* Whether [addr, addr + bytes) lies in allocated memory. The padding behind an allocation, up to the next multiple of 256, counts as
 * allocated. */
bool cw_memory_valid(const struct cw_memory *m, uint64_t addr, uint64_t bytes);
/* The allocation that addr is in, its padding included; NULL when none. The pointer is valid until the next alloc or free. */
const struct cw_region *cw_memory_region(const struct cw_memory *m, uint64_t addr);

/* The bytes that memory holds at this moment. Ranges must be valid; to and from must not overlap them. */
void cw_memory_read(const struct cw_memory *m, uint64_t addr, void *to, uint64_t bytes);
void cw_memory_write(struct cw_memory *m, uint64_t addr, const void *from, uint64_t bytes);
/* Writes from[i] to addr + i for each i < bytes whose bit is set: bit b of mask[w] stands for i = 32 w + b. */
void cw_memory_write_masked(struct cw_memory *m, uint64_t addr, const uint8_t *from, const uint32_t *mask, uint32_t bytes);

#endif
