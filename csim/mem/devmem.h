/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory: the bytes that the memory partitions hold (L2 and DRAM hold the same bytes: an L2 slice owns its addresses
 * alone, so its data is the memory's data). Read and written by L2 slices at the time at which they serve a request, and by the host
 * between kernels.
 */
#ifndef CW_MEM_DEVMEM_H
#define CW_MEM_DEVMEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct cw_devmem {
    uint8_t *base;  /* host address of device address CW_GLOBAL_BASE */
    uint64_t bytes; /* reserved */
    uint64_t used;  /* bump allocator */
};

int cw_devmem_create(struct cw_devmem *m, uint64_t bytes, struct cw_error *err);
void cw_devmem_destroy(struct cw_devmem *m);
/* Address of bytes fresh zero bytes, aligned to 256; CW_ENOMEM when full. */
int cw_devmem_alloc(struct cw_devmem *m, uint64_t *addr, uint64_t bytes, struct cw_error *err);
/* Whether [addr, addr + bytes) lies in allocated memory. */
bool cw_devmem_valid(const struct cw_devmem *m, uint64_t addr, uint64_t bytes);
/* Host pointer of a valid address. */
static inline uint8_t *cw_devmem_at(const struct cw_devmem *m, uint64_t addr)
{
    return m->base + (addr - UINT64_C(0x100000000));
}

#endif
