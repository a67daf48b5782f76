/* SPDX-License-Identifier: Apache-2.0 */
/* The names of a GPU's persistent regions. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "pm.h"

struct cowarp_pm_region *cowarp__pm_region(const struct cowarp_pm_space *space, const char *name)
{
    for (uint32_t i = 0; i < space->cnt; i++)
        if (strcmp(space->region[i].name, name) == 0)
            return &space->region[i];
    return NULL;
}

int cowarp__pm_add(struct cowarp_pm_space *space, struct cw_memory *memory, const char *name, uint64_t bytes, uint64_t at,
                   struct cw_error *err)
{
    struct cowarp_pm_region r = {.address = at, .bytes = bytes};
    strncpy(r.name, name, sizeof r.name - 1);
    if (space->cnt == space->capacity) {
        const uint32_t capacity = space->capacity > 0 ? 2 * space->capacity : 8;
        struct cowarp_pm_region *larger = realloc(space->region, capacity * sizeof *larger);
        if (larger == NULL)
            return cw_fail(err, CW_ENOMEM, "out of memory");
        space->region = larger;
        space->capacity = capacity;
    }
    const int status = at == 0 ? cw_memory_alloc(memory, &r.address, bytes, CW_REGION_PERSISTENT, err)
                               : cw_memory_alloc_at(memory, at, bytes, CW_REGION_PERSISTENT, err);
    if (status == CW_OK)
        space->region[space->cnt++] = r;
    return status;
}

void cowarp__pm_remove(struct cowarp_pm_space *space, struct cw_memory *memory, struct cowarp_pm_region *r)
{
    cw_memory_free(memory, r->address, NULL);
    memmove(r, r + 1, (size_t)(space->region + space->cnt - r - 1) * sizeof *r);
    space->cnt--;
}

void cowarp__pm_clear(struct cowarp_pm_space *space, struct cw_memory *memory)
{
    while (space->cnt > 0)
        cowarp__pm_remove(space, memory, &space->region[space->cnt - 1]);
}
