/* SPDX-License-Identifier: Apache-2.0 */
/* Records of one size, named by index, which are taken and given back. A pointer to one is valid until the next is taken. */
#ifndef CW_CHECK_POOL_H
#define CW_CHECK_POOL_H

#include <stdint.h>
#include <string.h>

#define CW_POOL_NONE UINT32_MAX

/* All zero but size: an empty pool. */
struct cw_pool {
    uint32_t size;   /* bytes of a record, at least 4: those of one that is not taken name the next such record */
    void *at;        /* the first record; a record of 32 or 64 bytes is in one cache line of the host */
    void *memory;    /* in which they are, */
    uint32_t offset; /* from there on */
    uint32_t cnt, cap;
    uint32_t given; /* index + 1 of the first that was given back, 0: none */
};

void cw_pool_free(struct cw_pool *p);
/* A record that was never given back; CW_POOL_NONE when out of memory. */
uint32_t cw_pool_append(struct cw_pool *p);

static inline void *cw_pool_at(const struct cw_pool *p, uint32_t i)
{
    return (char *)p->at + (uint64_t)p->size * i;
}

/* A record with anything in it, or CW_POOL_NONE when out of memory. */
static inline uint32_t cw_pool_take(struct cw_pool *p)
{
    const uint32_t i = p->given - 1;
    if (p->given == 0)
        return cw_pool_append(p);
    memcpy(&p->given, cw_pool_at(p, i), sizeof p->given);
    return i;
}

/* The record keeps what it has, but for its first four bytes, until it is taken again. */
static inline void cw_pool_give(struct cw_pool *p, uint32_t i)
{
    memcpy(cw_pool_at(p, i), &p->given, sizeof p->given);
    p->given = i + 1;
}

#endif
