/* SPDX-License-Identifier: Apache-2.0 */
#include "mem/mshr_unit.h"

#include <assert.h>
#include <stdlib.h>

#include "mem/waiting.h"

struct cw_mshr_unit {
    struct cw_adapt_l2_mshr *unit;
    struct cw_waiting waiting;
    uint32_t entries;
    struct cw_adapt_l2_mshr_view view;
    bool asked;
};

int cw_mshr_unit_create(struct cw_mshr_unit **out, const struct cw_unit_provider *units, const struct cw_adapt_l2_mshr_config *config,
                        struct cw_error *err)
{
    *out = NULL;
    struct cw_mshr_unit *u = calloc(1, sizeof *u);
    if (u == NULL)
        return cw_fail(err, CW_ENOMEM, "L2 slice: out of host memory");
    u->entries = config->entries;
    const int status = cw_waiting_create(&u->waiting, config->entries * config->merge) == CW_OK
                           ? cw_adapt_l2_mshr_create(&u->unit, units, config, err)
                           : cw_fail(err, CW_ENOMEM, "L2 slice: out of host memory");
    if (status == CW_OK)
        *out = u;
    else
        cw_mshr_unit_destroy(u);
    return status;
}

void cw_mshr_unit_destroy(struct cw_mshr_unit *u)
{
    if (u == NULL)
        return;
    cw_adapt_l2_mshr_destroy(u->unit);
    cw_waiting_destroy(&u->waiting);
    free(u);
}

/* Wrong hardware may name what there is not. Then nobody has room. */
const struct cw_adapt_l2_mshr_view *cw_mshr_unit_ask(struct cw_mshr_unit *u, uint32_t line, uint8_t sectors)
{
    assert(!u->asked);
    u->view = *cw_adapt_l2_mshr_ask(u->unit, line, sectors);
    u->view.room = u->view.room && u->view.entry < u->entries && cw_waiting_free(&u->waiting) < u->waiting.cnt;
    u->asked = true;
    return &u->view;
}

static void does(struct cw_mshr_unit *u, const struct cw_adapt_l2_mshr_request *request)
{
    cw_adapt_l2_mshr_does(u->unit, request);
    u->asked = false;
}

void cw_mshr_unit_waits(struct cw_mshr_unit *u, struct cw_message *p, uint8_t needs, uint8_t fetch)
{
    const struct cw_adapt_l2_mshr_request request = {.number = cw_waiting_free(&u->waiting), .needs = needs, .fetch = fetch};
    assert(u->asked && u->view.room);
    p->next = NULL;
    u->waiting.message[request.number] = p;
    does(u, &request);
}

void cw_mshr_unit_passes(struct cw_mshr_unit *u, uint8_t fetch)
{
    const struct cw_adapt_l2_mshr_request request = {.passes = true, .fetch = fetch};
    assert(u->asked && u->view.room);
    does(u, &request);
}

void cw_mshr_unit_done(struct cw_mshr_unit *u)
{
    if (u->asked)
        does(u, NULL);
}

const struct cw_adapt_l2_mshr_view *cw_mshr_unit_come(struct cw_mshr_unit *u, uint32_t entry, uint8_t sectors)
{
    return cw_adapt_l2_mshr_come(u->unit, entry, sectors);
}

struct cw_message *cw_mshr_unit_head(const struct cw_mshr_unit *u)
{
    uint32_t number;
    return cw_adapt_l2_mshr_head(u->unit, &number) && number < u->waiting.cnt ? u->waiting.message[number] : NULL;
}

const struct cw_adapt_l2_mshr_view *cw_mshr_unit_perform(struct cw_mshr_unit *u, struct cw_message **p)
{
    uint32_t number;
    *p = cw_mshr_unit_head(u);
    assert(*p != NULL);
    (void)cw_adapt_l2_mshr_head(u->unit, &number);
    u->waiting.message[number] = NULL;
    return cw_adapt_l2_mshr_perform(u->unit);
}

void cw_mshr_unit_here(struct cw_mshr_unit *u, uint8_t sectors)
{
    cw_adapt_l2_mshr_here(u->unit, sectors);
}

bool cw_mshr_unit_empty(const struct cw_mshr_unit *u)
{
    return cw_adapt_l2_mshr_empty(u->unit);
}

void cw_mshr_unit_state(struct cw_state *s, struct cw_mshr_unit *u)
{
    assert(!u->asked);
    cw_adapt_l2_mshr_state(s, u->unit);
    cw_waiting_state(s, &u->waiting);
}
