/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory: the bytes behind the memory partitions, and which addresses are allocated for what.
 *
 * An L2 slice has the bytes of its lines, and memory those that no slice has written since. Both are what the functions below read and
 * write: the host, oracles and mechanisms find the newest bytes wherever they are. Between launches memory has all of them.
 *
 * Persistent memory is a window of its own behind all other device memory. Each of its bytes has two copies. The first is what loads and
 * the L2 see, as everywhere. The second is the durable image: what the persistence domain has accepted, and nothing else. It is what a
 * power failure leaves.
 *
 * Only the files of csim/mem touch the bytes themselves (device_memory_private.h). Everybody else calls the functions below, so that
 * the durable image or versions of words need no change elsewhere.
 */
#ifndef CW_MEM_DEVICE_MEMORY_H
#define CW_MEM_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "ir/uop.h"

struct cw_memory;

/* Where persistent memory begins: 16 GiB above all other device memory, of which there is never more. */
#define CW_PM_BASE (CW_GLOBAL_BASE + (UINT64_C(1) << 34))

static inline bool cw_memory_is_pm(uint64_t addr)
{
    return addr - CW_PM_BASE < UINT64_C(1) << 34;
}

/* What an allocation is for. */
enum cw_region_kind {
    CW_REGION_GLOBAL,        /* buffers of the program */
    CW_REGION_LOCAL,         /* local memory of all threads, with mechanisms' logs */
    CW_REGION_MODULE,        /* .global variables of a module */
    CW_REGION_PERSISTENT,    /* persistent memory: the only kind from CW_PM_BASE on */
    CW_REGION_SPARE,         /* places of what versions of memory displace (version.h) */
    CW_REGION_HEAP,          /* of malloc in kernels (ir/heap.h) */
    CW_REGION_CHILDREN,      /* Kernels that a kernel launches (ir/children.h) */
    CW_REGION_MECHANISM = 16 /* first number for kinds that a mechanism defines */
};

/* One allocation. */
struct cw_region {
    uint64_t base;  /* device address, a multiple of 256 */
    uint64_t bytes; /* as asked for */
    uint32_t kind;  /* enum cw_region_kind, or a mechanism's own number */
};

/* Reserves that many bytes of device memory from CW_GLOBAL_BASE on, and pm_bytes (0: none) of persistent memory from CW_PM_BASE on; at most
 * 16 GiB of each. Nothing is allocated yet, and the host gives pages only to what is touched. Where the host limits addresses (ulimit -v) there
 * may be less, and cw_memory_bytes says so. CW_EINVAL for 0 bytes; CW_ENOMEM. */
int cw_memory_create(struct cw_memory **out, uint64_t bytes, uint64_t pm_bytes, struct cw_error *err);
/* What there is of device memory, or of persistent memory. */
uint64_t cw_memory_bytes(const struct cw_memory *m, bool persistent);
void cw_memory_destroy(struct cw_memory *m);
/* Whether the bytes lie in the host at their device addresses, as those of the first memory of a process do where the host has room there. */
bool cw_memory_is_unified(const struct cw_memory *m);
/* Before the first allocation: keeps so many bytes, rounded up to a multiple of 256 and at most CW_REDZONE_MAX, between any two allocations
 * and at both ends of each window. So an access a little beside an allocation is in none. 0, as after creation: none. */
void cw_memory_set_redzone(struct cw_memory *m, uint64_t bytes);
#define CW_REDZONE_MAX (UINT64_C(1) << 30)

/* Allocates bytes of zeros, aligned to 256, at the lowest address where they fit: as long as nothing is freed, one allocation follows
 * the other, the red zone between them. Kind CW_REGION_PERSISTENT comes from persistent memory, all others from the rest. CW_EINVAL for 0
 * bytes; CW_ENOMEM when full, which changes nothing. */
int cw_memory_alloc(struct cw_memory *m, uint64_t *addr, uint64_t bytes, uint32_t kind, struct cw_error *err);
/* The same at the highest address where they fit, so that what is allocated there does not move what comes at the bottom. */
int cw_memory_alloc_top(struct cw_memory *m, uint64_t *addr, uint64_t bytes, uint32_t kind, struct cw_error *err);
/* The same two at a multiple of `alignment` bytes from CW_GLOBAL_BASE on, which is a multiple of 256. */
int cw_memory_alloc_aligned(struct cw_memory *m, uint64_t *addr, uint64_t bytes, uint64_t alignment, uint32_t kind, struct cw_error *err);
int cw_memory_alloc_top_aligned(struct cw_memory *m, uint64_t *addr, uint64_t bytes, uint64_t alignment, uint32_t kind,
                                struct cw_error *err);
/* The same at a given address. CW_EINVAL, which changes nothing, when it is no multiple of 256, or when the bytes are not free or not of
 * the kind's memory. */
int cw_memory_alloc_at(struct cw_memory *m, uint64_t addr, uint64_t bytes, uint32_t kind, struct cw_error *err);
/* Gives back the allocation that begins at addr. No access to it may be under way. CW_EINVAL, which changes nothing, when none
 * begins there. */
int cw_memory_free(struct cw_memory *m, uint64_t addr, struct cw_error *err);

/* With red zones, before the first free: from now on memory that has been freed is given out again only when there is no other, so that an
 * access to it is found for what it is. */
void cw_memory_keep_freed(struct cw_memory *m);
/* Then: whether addr lies in an allocation that was freed and whose place is not taken; *freed: it. */
bool cw_memory_was_freed(const struct cw_memory *m, uint64_t addr, struct cw_region *freed);

/* Whether [addr, addr + bytes) lies in allocated memory. The padding behind an allocation, up to the next multiple of 256, counts as
 * allocated. */
bool cw_memory_valid(const struct cw_memory *m, uint64_t addr, uint64_t bytes);
/* Whether a program may access [addr, addr + bytes). With red zones it lies in one allocation, whose padding does not count. Without, as
 * cw_memory_valid. */
bool cw_memory_holds(const struct cw_memory *m, uint64_t addr, uint64_t bytes);
/* The allocation whose bytes are nearest to addr; NULL when there is none. The pointer is valid until the next alloc or free. */
const struct cw_region *cw_memory_nearest(const struct cw_memory *m, uint64_t addr);
/* The allocation that addr is in, its padding included; NULL when none. The pointer is valid until the next alloc or free. */
const struct cw_region *cw_memory_region(const struct cw_memory *m, uint64_t addr);

/* The bytes that memory holds at this moment, of versioned ranges those of the newest version. Ranges must be valid; to and from must not
 * overlap them. A write is the host's: of persistent memory it changes the durable image too. */
void cw_memory_read(const struct cw_memory *m, uint64_t addr, void *to, uint64_t bytes);
void cw_memory_write(struct cw_memory *m, uint64_t addr, const void *from, uint64_t bytes);
/* At a place (version.h): writes from[i] to addr + i for each i < bytes whose bit is set: bit b of mask[w] stands for i = 32 w + b. The
 * durable image stays. */
void cw_memory_write_masked(struct cw_memory *m, uint64_t addr, const uint8_t *from, const uint32_t *mask, uint32_t bytes);

/* A launch begins: caches have what the host has written since. It is over: memory has what caches have written, and caches may keep lines, but
 * no bytes. A launch without time runs in between. */
void cw_memory_reload(struct cw_memory *m);
void cw_memory_settle(struct cw_memory *m);

/* Persistent memory alone. The persistence domain has accepted these bytes (named as above): the durable image has them now. What loads see
 * stays. Tells the listener first. */
void cw_memory_persist(struct cw_memory *m, uint64_t addr, const uint8_t *from, const uint32_t *mask, uint32_t bytes);
/* What a power failure at this moment would leave. */
void cw_memory_durable_read(const struct cw_memory *m, uint64_t addr, void *to, uint64_t bytes);
/* Hears of each cw_memory_persist, not of what the host writes; `from` and `mask` are valid during the call only. NULL: nobody. */
typedef void cw_memory_persisted(void *self, uint64_t addr, const uint8_t *from, const uint32_t *mask, uint32_t bytes);
void cw_memory_listen(struct cw_memory *m, cw_memory_persisted *persisted, void *self);

/* The bytes of all allocations, of their versions and durable copies, as state; allocations themselves are the host's, and CW_EINVAL on load
 * when they are others. */
void cw_memory_state(struct cw_state *s, struct cw_memory *m);

#endif
