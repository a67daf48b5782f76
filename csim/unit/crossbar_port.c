/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of an output port of a crossbar (contract: include/cowarp/unit/crossbar_port.h).
 *
 * It keeps the time at which the port is free again, and a list of the packets that are on their way with the time at which each arrives.
 */
#include "cowarp/unit/crossbar_port.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/state.h"

typedef struct cw_crossbar_port_params params_t;
typedef struct cw_crossbar_port_in in_t;
typedef struct cw_crossbar_port_out out_t;

#define NOBODY      UINT32_MAX
#define PLACES      512u /* Packets are granted a cycle apart at least, and arrive after at most 32 + 255 cycles */
#define FREED_WIDTH 13u

struct port {
    params_t p;
    uint64_t cycle;           /* Of now */
    uint64_t free_at;         /* Cycle from which on a packet may be granted */
    uint32_t last;            /* Input granted last, or the last of all */
    uint32_t used;            /* Flits */
    uint32_t granted;         /* In the last cycle, or NOBODY */
    uint64_t arrival[PLACES]; /* Cycles of `arrive`, the next one first; a ring */
    uint32_t head, cnt;
};

static void port_reset(void *self)
{
    struct port *x = self;
    const params_t p = x->p;
    *x = (struct port){.p = p, .last = p.inputs - 1, .granted = NOBODY};
}

static int port_create(void **self, const void *params)
{
    const params_t *p = params;
    if (cw_unit_params_check(&cw_crossbar_port_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct port *x = malloc(sizeof *x);
    if (x == NULL)
        return CW_ENOMEM;
    x->p = *p;
    port_reset(x);
    *self = x;
    return CW_OK;
}

static bool requests(const in_t *in, uint32_t i)
{
    return (in->request[i / 32] >> (i % 32) & 1) != 0;
}

static uint32_t flits(const in_t *in, uint32_t i)
{
    const uint32_t word = 5 * i / 32, by = 5 * i % 32;
    const uint64_t both = in->request_flits[word] | (by > 27 ? (uint64_t)in->request_flits[word + 1] << 32 : 0);
    return (uint32_t)(both >> by & 31) + 1;
}

static uint32_t freed(const struct port *x, const in_t *in)
{
    const uint32_t cnt = (uint32_t)in->freed & ((1u << FREED_WIDTH) - 1);
    return cnt < x->used ? cnt : x->used;
}

static uint32_t whose_turn(const struct port *x, const in_t *in)
{
    for (uint32_t k = 1; k <= x->p.inputs; k++) {
        const uint32_t i = (x->last + k) % x->p.inputs;
        if (requests(in, i))
            return i;
    }
    return NOBODY;
}

static void port_eval(void *self, const void *inputs, void *outputs)
{
    struct port *x = self;
    (void)inputs;
    *(out_t *)outputs = (out_t){.grant_valid = x->granted != NOBODY,
                                .grant_input = x->granted != NOBODY ? x->granted : 0,
                                .arrive = x->cnt > 0 && x->arrival[x->head] == x->cycle,
                                .used = x->used,
                                .idle = x->cnt == 0};
}

static void grant(struct port *x, uint32_t i, uint32_t n)
{
    assert(x->cnt < PLACES);
    x->granted = x->last = i;
    x->used += n;
    x->free_at = x->cycle + n;
    x->arrival[(x->head + x->cnt++) % PLACES] = x->cycle + n + x->p.latency - 1;
}

static void port_tick(void *self, const void *inputs)
{
    struct port *x = self;
    const in_t *in = inputs;
    const uint32_t turn = whose_turn(x, in);
    if (x->cnt > 0 && x->arrival[x->head] == x->cycle) {
        x->head = (x->head + 1) % PLACES;
        x->cnt--;
    }
    x->used -= freed(x, in);
    x->granted = NOBODY;
    if (turn != NOBODY && x->free_at <= x->cycle && x->used + flits(in, turn) <= x->p.out_flits)
        grant(x, turn, flits(in, turn));
    x->cycle++;
}

static void port_state(void *self, struct cw_state *s)
{
    struct port *x = self;
    CW_STATE(s, x->cycle);
    CW_STATE(s, x->free_at);
    CW_STATE(s, x->last);
    CW_STATE(s, x->used);
    CW_STATE(s, x->granted);
    cw_state_count(s, "on their way", &x->cnt, PLACES);
    if (cw_state_loads(s))
        x->head = 0;
    for (uint32_t i = 0; i < x->cnt; i++)
        CW_STATE(s, x->arrival[(x->head + i) % PLACES]);
}

static void port_destroy(void *self)
{
    free(self);
}

#define CW_UNIT__PARAMS_T struct cw_crossbar_port_params
#define CW_UNIT__IN_T     struct cw_crossbar_port_in
#define CW_UNIT__OUT_T    struct cw_crossbar_port_out
CW_UNIT_DEFINE(crossbar_port, CW_CROSSBAR_PORT_PARAMS, CW_CROSSBAR_PORT_PORTS, port_create, port_destroy, port_reset, port_eval, port_tick,
               port_state);
