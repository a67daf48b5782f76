/* SPDX-License-Identifier: Apache-2.0 */
#include "check/pool.h"

#include <stdlib.h>
#include <string.h>

#define FIRST 256u

void cw_pool_free(struct cw_pool *p)
{
    free(p->at);
    *p = (struct cw_pool){.size = p->size};
}

static uint32_t append(struct cw_pool *p)
{
    if (p->cnt == p->cap) {
        const uint32_t cap = p->cap == 0 ? FIRST : 2 * p->cap;
        void *larger = cap > p->cap ? realloc(p->at, (uint64_t)cap * p->size) : NULL;
        if (larger == NULL)
            return CW_POOL_NONE;
        p->at = larger;
        p->cap = cap;
    }
    return p->cnt++;
}

uint32_t cw_pool_take(struct cw_pool *p)
{
    uint32_t i = p->given - 1;
    if (p->given == 0)
        i = append(p);
    else
        memcpy(&p->given, cw_pool_at(p, i), sizeof p->given);
    if (i != CW_POOL_NONE)
        memset(cw_pool_at(p, i), 0, p->size);
    return i;
}

void cw_pool_give(struct cw_pool *p, uint32_t i)
{
    memset(cw_pool_at(p, i), 0, p->size);
    memcpy(cw_pool_at(p, i), &p->given, sizeof p->given);
    p->given = i + 1;
}
