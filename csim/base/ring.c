/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ring.h"

#include <stdlib.h>
#include <string.h>

void *cw_ring_grow(struct cw_ring *r, void *entries, uint32_t *places, size_t bytes)
{
    const uint32_t larger = *places == 0 ? 64 : 2 * *places;
    char *moved = malloc(larger * bytes);
    if (moved == NULL)
        return NULL;
    for (uint32_t i = 0; i < r->cnt; i++)
        memcpy(moved + i * bytes, (const char *)entries + cw_ring_at(r, i, *places) * bytes, bytes);
    free(entries);
    r->head = 0;
    *places = larger;
    return moved;
}
