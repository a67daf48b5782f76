/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */

#include "mem/devmem.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "ptx/uop.h"

#define ALLOC_ALIGN UINT64_C(256) /* of cudaMalloc; also keeps every line that an allocation touches inside memory */

_Static_assert(CW_GLOBAL_BASE == UINT64_C(0x100000000), "cw_devmem_at() has the base written out");

/* The host takes pages only when they are touched, and they start as zeros: a gigabyte of device memory costs nothing
 * until used. */
int cw_devmem_create(struct cw_devmem *m, uint64_t bytes, struct cw_error *err)
{
    memset(m, 0, sizeof *m);
    if (bytes == 0)
        return cw_fail(err, CW_EINVAL, "device memory: size is 0 bytes; set mem.mbytes to at least 1");
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return cw_fail(err, CW_ENOMEM, "device memory: the host cannot reserve %" PRIu64 " bytes (%s); set mem.mbytes lower", bytes,
                       strerror(errno));
    m->base = base;
    m->bytes = bytes;
    return CW_OK;
}

void cw_devmem_destroy(struct cw_devmem *m)
{
    if (m->base != NULL)
        munmap(m->base, m->bytes);
    memset(m, 0, sizeof *m);
}

int cw_devmem_alloc(struct cw_devmem *m, uint64_t *addr, uint64_t bytes, struct cw_error *err)
{
    if (bytes == 0)
        return cw_fail(err, CW_EINVAL, "device memory: allocation of 0 bytes; ask for at least 1");
    uint64_t left = m->bytes - m->used;
    if (bytes > left || (bytes + ALLOC_ALIGN - 1) / ALLOC_ALIGN * ALLOC_ALIGN > left)
        return cw_fail(err, CW_ENOMEM, "device memory: %" PRIu64 " bytes asked, %" PRIu64 " of %" PRIu64 " left; set mem.mbytes higher",
                       bytes, left, m->bytes);
    *addr = CW_GLOBAL_BASE + m->used;
    m->used += (bytes + ALLOC_ALIGN - 1) / ALLOC_ALIGN * ALLOC_ALIGN;
    return CW_OK;
}

bool cw_devmem_valid(const struct cw_devmem *m, uint64_t addr, uint64_t bytes)
{
    return addr >= CW_GLOBAL_BASE && addr - CW_GLOBAL_BASE <= m->used && bytes <= m->used - (addr - CW_GLOBAL_BASE);
}
