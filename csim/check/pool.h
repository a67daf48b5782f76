/* SPDX-License-Identifier: Apache-2.0 */
/* Records of one size, named by index, which are taken and given back. A pointer to one is valid until the next is taken. */
#ifndef CW_CHECK_POOL_H
#define CW_CHECK_POOL_H

#include <stdint.h>

#define CW_POOL_NONE UINT32_MAX

/* All zero but size: an empty pool. */
struct cw_pool {
    uint32_t size; /* bytes of a record, at least 4: those of one that is not taken name the next such record */
    void *at;
    uint32_t cnt, cap;
    uint32_t given; /* index + 1 of the first that was given back, 0: none */
};

void cw_pool_free(struct cw_pool *p);
/* A record of zeros, or CW_POOL_NONE when out of memory. */
uint32_t cw_pool_take(struct cw_pool *p);
/* The record is zero but for its first four bytes until it is taken again. */
void cw_pool_give(struct cw_pool *p, uint32_t i);

static inline void *cw_pool_at(const struct cw_pool *p, uint32_t i)
{
    return (char *)p->at + (uint64_t)p->size * i;
}

#endif
