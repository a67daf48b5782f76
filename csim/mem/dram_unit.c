/* SPDX-License-Identifier: Apache-2.0 */
#include "mem/dram_unit.h"

#include <assert.h>
#include <stdlib.h>

struct cw_dram_unit {
    struct cw_adapt_dram_scheduler *unit;
    void **request; /* [tag]; NULL: it is free */
    uint32_t cnt;
};

int cw_dram_unit_create(struct cw_dram_unit **out, const struct cw_unit_provider *units, uint32_t partition,
                        const struct cw_dram_scheduler_params *params, struct cw_error *err)
{
    *out = NULL;
    struct cw_dram_unit *u = calloc(1, sizeof *u);
    if (u == NULL)
        return cw_fail(err, CW_ENOMEM, "DRAM channel: out of host memory");
    u->cnt = params->queue;
    u->request = calloc(u->cnt, sizeof *u->request);
    struct cw_error why;
    int status = u->request != NULL ? cw_adapt_dram_scheduler_create(&u->unit, units, partition, params, &why)
                                    : cw_fail(&why, CW_ENOMEM, "DRAM channel: out of host memory");
    if (status == CW_EINVAL)
        status = cw_fail(err, CW_EUNSUP, "dram.unit: %s; set dram.unit=off", why.text);
    else if (status != CW_OK)
        cw_fail(err, status, "%s", why.text);
    if (status == CW_OK)
        *out = u;
    else
        cw_dram_unit_destroy(u);
    return status;
}

void cw_dram_unit_destroy(struct cw_dram_unit *u)
{
    if (u == NULL)
        return;
    cw_adapt_dram_scheduler_destroy(u->unit);
    free(u->request);
    free(u);
}

static uint32_t free_tag(const struct cw_dram_unit *u)
{
    uint32_t tag = 0;
    while (tag < u->cnt && u->request[tag] != NULL)
        tag++;
    return tag;
}

/* Wrong hardware may have room for more requests than it has places. */
bool cw_dram_unit_room(struct cw_dram_unit *u, uint64_t cycle)
{
    return cw_adapt_dram_scheduler_room(u->unit, cycle) && free_tag(u) < u->cnt;
}

void cw_dram_unit_push(struct cw_dram_unit *u, struct cw_adapt_dram_scheduler_request *what, void *request)
{
    what->tag = free_tag(u);
    assert(what->tag < u->cnt);
    u->request[what->tag] = request;
    cw_adapt_dram_scheduler_push(u->unit, what);
}

/* Wrong hardware may name a request that there is not. Then nobody has a command. */
void *cw_dram_unit_command(struct cw_dram_unit *u, uint64_t cycle, uint32_t *kind)
{
    struct cw_adapt_dram_scheduler_command command;
    const bool valid = cw_adapt_dram_scheduler_command(u->unit, cycle, &command);
    if (!valid || command.tag >= u->cnt)
        return NULL;
    void *request = u->request[command.tag];
    if (command.last)
        u->request[command.tag] = NULL;
    *kind = command.kind;
    return request;
}

void cw_dram_unit_state(struct cw_state *s, struct cw_dram_unit *u, void *pool, size_t bytes, size_t cnt)
{
    cw_adapt_dram_scheduler_state(s, u->unit);
    for (uint32_t i = 0; i < u->cnt; i++)
        cw_state_ref(s, "request", &u->request[i], pool, bytes, cnt);
}
