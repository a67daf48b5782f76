/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/snapshot/wires.h"

#include <stdlib.h>
#include <string.h>

int cw_si_line_create(struct cw_si_line *l, uint32_t size, uint32_t capacity, cw_time *wake)
{
    l->size = size;
    l->slots = capacity + 1; /* the one that was popped last stays */
    l->slot = calloc(l->slots, size);
    return l->slot != NULL && cw_fifo_create(&l->fifo, capacity, wake) == CW_OK ? CW_OK : CW_ENOMEM;
}

void cw_si_line_destroy(struct cw_si_line *l)
{
    cw_fifo_destroy(&l->fifo);
    free(l->slot);
    l->slot = NULL;
}

void cw_si_line_push(struct cw_si_line *l, const void *note, cw_time now, cw_time latency)
{
    unsigned char *to = l->slot + (size_t)l->next * l->size;
    l->next = (l->next + 1) % l->slots;
    memcpy(to, note, l->size);
    cw_fifo_push(&l->fifo, now, latency, to);
}

const void *cw_si_line_pop(struct cw_si_line *l, cw_time now)
{
    return cw_fifo_pop(&l->fifo, now);
}
