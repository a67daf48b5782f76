/* SPDX-License-Identifier: Apache-2.0 */
#include "check/pool.h"

#include <stdbool.h>
#include <stdlib.h>

#define FIRST     256u
#define HOST_LINE 64u /* bytes */

void cw_pool_free(struct cw_pool *p)
{
    free(p->memory);
    *p = (struct cw_pool){.size = p->size};
}

/* realloc does not copy what is large, and aligned_alloc would; so the records are moved to where a line begins. */
static bool grow(struct cw_pool *p)
{
    const uint32_t cap = p->cap == 0 ? FIRST : 2 * p->cap;
    char *larger = cap > p->cap ? realloc(p->memory, (uint64_t)cap * p->size + HOST_LINE) : NULL;
    if (larger == NULL)
        return false;
    const uint32_t offset = HOST_LINE - (uint32_t)((uintptr_t)larger % HOST_LINE);
    if (offset != p->offset)
        memmove(larger + offset, larger + p->offset, (uint64_t)p->cnt * p->size);
    p->memory = larger;
    p->offset = offset;
    p->at = larger + offset;
    p->cap = cap;
    return true;
}

uint32_t cw_pool_append(struct cw_pool *p)
{
    return p->cnt < p->cap || grow(p) ? p->cnt++ : CW_POOL_NONE;
}
