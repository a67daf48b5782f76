/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/crossbar_port.h"

#include <assert.h>
#include <stdlib.h>

#include "adapt/open.h"

struct cw_adapt_crossbar_port {
    struct cw_unit_instance unit;
    struct cw_crossbar_port_in in;   /* Of the cycle in progress */
    struct cw_crossbar_port_out out; /* Of the same; no output depends on an input */
};

int cw_adapt_crossbar_port_create(struct cw_adapt_crossbar_port **out, const struct cw_unit_provider *units, uint32_t partition,
                                  const struct cw_crossbar_port_params *params, struct cw_error *err)
{
    struct cw_adapt_crossbar_port *a = *out = calloc(1, sizeof *a);
    if (a == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a port of the crossbar");
    int status = cw_unit_params_check(&cw_crossbar_port_unit, params, err);
    if (status == CW_OK)
        status = cw_adapt_open(&a->unit, units, &cw_crossbar_port_unit, "partition", partition, params, err);
    if (status == CW_OK)
        a->unit.ops->eval(a->unit.self, &a->in, &a->out);
    return status;
}

void cw_adapt_crossbar_port_destroy(struct cw_adapt_crossbar_port *a)
{
    if (a == NULL)
        return;
    cw_adapt_close(&a->unit);
    free(a);
}

void cw_adapt_crossbar_port_request(struct cw_adapt_crossbar_port *a, uint32_t input, uint32_t flits)
{
    const uint32_t word = 5 * input / 32, by = 5 * input % 32;
    const uint64_t length = (uint64_t)(flits - 1) << by;
    assert(flits >= 1 && flits <= CW_PORT_FLITS);
    a->in.request[input / 32] |= 1u << (input % 32);
    a->in.request_flits[word] |= (uint32_t)length;
    if (by > 27)
        a->in.request_flits[word + 1] |= (uint32_t)(length >> 32);
}

void cw_adapt_crossbar_port_free(struct cw_adapt_crossbar_port *a, uint32_t flits)
{
    a->in.freed += flits;
}

bool cw_adapt_crossbar_port_idle(const struct cw_adapt_crossbar_port *a)
{
    return a->out.idle;
}

struct cw_adapt_crossbar_port_answer cw_adapt_crossbar_port_clock(struct cw_adapt_crossbar_port *a)
{
    a->unit.ops->eval(a->unit.self, &a->in, &a->out);
    a->unit.ops->tick(a->unit.self, &a->in);
    a->in = (struct cw_crossbar_port_in){0};
    a->unit.ops->eval(a->unit.self, &a->in, &a->out);
    return (struct cw_adapt_crossbar_port_answer){
        .granted = a->out.grant_valid, .input = (uint32_t)a->out.grant_input, .arrives = a->out.arrive};
}

void cw_adapt_crossbar_port_state(struct cw_state *s, struct cw_adapt_crossbar_port *a)
{
    cw_adapt_state(s, &a->unit);
    CW_STATE_PORTS(s, a->in);
    CW_STATE_PORTS(s, a->out);
}
