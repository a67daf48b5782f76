/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fifo.h"

#include <stdlib.h>

#include "base/error.h"

int cw_fifo_create(struct cw_fifo *f, uint32_t capacity, cw_time *wake)
{
    assert(capacity > 0);
    *f = (struct cw_fifo){.capacity = capacity, .wake = wake};
    f->slot = malloc(capacity * sizeof *f->slot);
    f->ready = malloc(capacity * sizeof *f->ready);
    if (f->slot == NULL || f->ready == NULL) {
        cw_fifo_destroy(f);
        return CW_ENOMEM;
    }
    cw_fifo_reset(f);
    return CW_OK;
}

void cw_fifo_destroy(struct cw_fifo *f)
{
    free(f->slot);
    free(f->ready);
    *f = (struct cw_fifo){0};
}

void cw_fifo_reset(struct cw_fifo *f)
{
    f->head = f->count = 0;
    f->popped_now = 0;
    f->last_pop = CW_TIME_NEVER;
    f->pushes = f->pops = 0;
}
