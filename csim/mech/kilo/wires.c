/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/kilo/wires.h"

#include <stdlib.h>

#include "base/error.h"

#define RETIRED 4096u

int cw_kilo_writes_push(struct cw_kilo_writes *q, const struct cw_kilo_write *w)
{
    if (q->ring.cnt == q->cap) {
        struct cw_kilo_write *larger = cw_ring_grow(&q->ring, q->at, &q->cap, sizeof *q->at);
        if (larger == NULL)
            return CW_ENOMEM;
        q->at = larger;
    }
    q->at[cw_ring_add(&q->ring, q->cap)] = *w;
    if (q->wake != NULL && w->ready < *q->wake)
        *q->wake = w->ready;
    return CW_OK;
}

static int create_fifos(struct cw_kilo_wires *w, const struct cw_config *config)
{
    int status = CW_OK;
    for (uint32_t i = 0; i < w->cores && status == CW_OK; i++) {
        status = cw_fifo_create(w->ask + i, config->core_warps + 1, NULL);
        if (status == CW_OK)
            status = cw_fifo_create(w->grant + i, config->core_warps + 1, NULL);
    }
    for (uint32_t i = 0; i < w->partitions && status == CW_OK; i++) {
        status = cw_fifo_create(w->retired + i, RETIRED, NULL);
        if (status == CW_OK)
            status = cw_fifo_create(&w->notes[i].fifo, CW_KILO_NOTES, NULL);
    }
    return status;
}

int cw_kilo_wires_create(struct cw_kilo_wires *w, const struct cw_config *config, bool arbitrated)
{
    const uint32_t cores = config->core_count, partitions = config->partition_count;
    *w = (struct cw_kilo_wires){.cores = cores, .partitions = partitions};
    w->ask = calloc(cores, sizeof *w->ask);
    w->grant = calloc(cores, sizeof *w->grant);
    w->notes = calloc(partitions, sizeof *w->notes);
    w->retired = calloc(partitions, sizeof *w->retired);
    w->write = calloc(partitions, sizeof *w->write);
    if (arbitrated)
        w->overwritten.at = calloc(2 * CW_KILO_OVERWRITTEN, sizeof *w->overwritten.at);
    if (w->ask == NULL || w->grant == NULL || w->notes == NULL || w->retired == NULL || w->write == NULL ||
        (arbitrated && w->overwritten.at == NULL))
        return CW_ENOMEM;
    return create_fifos(w, config);
}

void cw_kilo_wires_destroy(struct cw_kilo_wires *w)
{
    for (uint32_t i = 0; i < w->cores; i++) {
        if (w->ask != NULL)
            cw_fifo_destroy(w->ask + i);
        if (w->grant != NULL)
            cw_fifo_destroy(w->grant + i);
    }
    for (uint32_t i = 0; i < w->partitions; i++) {
        if (w->notes != NULL)
            cw_fifo_destroy(&w->notes[i].fifo);
        if (w->retired != NULL)
            cw_fifo_destroy(w->retired + i);
        if (w->write != NULL)
            free(w->write[i].at);
    }
    free(w->ask);
    free(w->grant);
    free(w->notes);
    free(w->retired);
    free(w->write);
    free(w->overwritten.at);
}
