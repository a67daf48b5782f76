/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fifo.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/state.h"

int cw_fifo_create(struct cw_fifo *f, uint32_t capacity, cw_time *wake)
{
    assert(capacity > 0);
    *f = (struct cw_fifo){.capacity = capacity, .wake = wake};
    f->ring = calloc(capacity, sizeof *f->ring);
    if (f->ring == NULL)
        return CW_ENOMEM;
    cw_fifo_reset(f);
    return CW_OK;
}

void cw_fifo_destroy(struct cw_fifo *f)
{
    free(f->ring);
    *f = (struct cw_fifo){0};
}

void cw_fifo_reset(struct cw_fifo *f)
{
    f->head = f->count = 0;
    f->popped_now = 0;
    f->last_pop = CW_TIME_NEVER;
    f->pushes = f->pops = 0;
}

/* The ring begins at slot 0 after a load: where it begins is seen by nobody. */
void cw_fifo_state(struct cw_state *s, struct cw_fifo *f, void (*entry)(struct cw_state *s, void **slot, void *context), void *context)
{
    CW_STATE(s, f->last_pop);
    CW_STATE(s, f->popped_now);
    CW_STATE(s, f->pushes);
    CW_STATE(s, f->pops);
    cw_state_count(s, "entries", &f->count, f->capacity);
    if (cw_state_loads(s))
        f->head = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const uint32_t at = (f->head + i) % f->capacity;
        CW_STATE(s, f->ring[at].ready);
        entry(s, &f->ring[at].content, context);
    }
    f->next = f->ring[f->head].ready;
}
