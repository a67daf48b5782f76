/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/l2_mshr.h"

#include <assert.h>
#include <stdlib.h>

#include "adapt/open.h"
#include "cowarp/unit/l2_mshr.h"

#define ENTRIES_MAX 256u
#define LATENCY     3u
#define REST_CYCLES 16u /* One that keeps the contract needs three to be at rest. */

enum kind { REQUEST, COMES, PERFORMED };

struct cw_adapt_l2_mshr {
    struct cw_unit_instance unit;
    struct cw_l2_mshr_in in;
    struct cw_l2_mshr_out out; /* Of a cycle in which nothing is under way, but while somebody asks. */
    struct cw_adapt_l2_mshr_view view;
    bool asked; /* An answer waits for what it does. */
};

static void look(struct cw_adapt_l2_mshr *t)
{
    t->unit.ops->eval(t->unit.self, &t->in, &t->out);
}

static void clock(struct cw_adapt_l2_mshr *t)
{
    look(t);
    t->unit.ops->tick(t->unit.self, &t->in);
    t->in = (struct cw_l2_mshr_in){0};
}

/* Until the unit is at rest: the head is known then. */
static int rest(struct cw_adapt_l2_mshr *t)
{
    look(t);
    for (uint32_t cycle = 0; !t->out.idle && cycle < REST_CYCLES; cycle++) {
        clock(t);
        look(t);
    }
    return t->out.idle ? CW_OK : CW_ELIMIT;
}

int cw_adapt_l2_mshr_create(struct cw_adapt_l2_mshr **out, const struct cw_unit_provider *units,
                            const struct cw_adapt_l2_mshr_config *config, struct cw_error *err)
{
    struct cw_adapt_l2_mshr *t = *out = calloc(1, sizeof *t);
    struct cw_l2_mshr_params p;
    if (t == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for the MSHRs of an L2 slice");
    if (config->entries > ENTRIES_MAX)
        return cw_fail(err, CW_EUNSUP, "l2.mshr_unit: unit l2_mshr has at most %u entries, and l2.mshrs is %u", ENTRIES_MAX,
                       config->entries);
    cw_unit_params_default(&cw_l2_mshr_unit, &p);
    p.entries = config->entries;
    p.merge = config->merge;
    p.sectors = config->sectors;
    p.req_w = cw_adapt_bits(config->entries * config->merge - 1);
    const int status = cw_adapt_open(&t->unit, units, &cw_l2_mshr_unit, "partition", config->partition, &p, err);
    if (status != CW_OK)
        return status;
    if (rest(t) != CW_OK)
        return cw_fail(err, CW_ELIMIT, "unit l2_mshr: idle_o is still 0 %u cycles after its reset", REST_CYCLES);
    return CW_OK;
}

void cw_adapt_l2_mshr_destroy(struct cw_adapt_l2_mshr *t)
{
    if (t == NULL)
        return;
    cw_adapt_close(&t->unit);
    free(t);
}

static const struct cw_adapt_l2_mshr_view *answer(struct cw_adapt_l2_mshr *t, const struct cw_l2_mshr_in *op)
{
    assert(!t->asked);
    t->in = *op;
    for (uint32_t cycle = 0; cycle < LATENCY; cycle++)
        clock(t);
    look(t);
    t->view = (struct cw_adapt_l2_mshr_view){.hit = t->out.ans_hit,
                                             .room = t->out.ans_room,
                                             .behind = t->out.ans_behind,
                                             .ends = t->out.ans_ends,
                                             .entry = (uint32_t)t->out.ans_entry,
                                             .line = (uint32_t)t->out.ans_line,
                                             .fetching = (uint8_t)t->out.ans_fetching};
    t->asked = true;
    return &t->view;
}

static void does(struct cw_adapt_l2_mshr *t, const struct cw_l2_mshr_in *in)
{
    assert(t->asked);
    t->asked = false;
    t->in = *in;
    clock(t);
    (void)rest(t); /* One that does not rest is told by who waits for it. */
}

const struct cw_adapt_l2_mshr_view *cw_adapt_l2_mshr_ask(struct cw_adapt_l2_mshr *t, uint32_t line, uint8_t sectors)
{
    const struct cw_l2_mshr_in op = {.op_valid = 1, .op_kind = REQUEST, .op_line = line, .op_sectors = sectors};
    return answer(t, &op);
}

void cw_adapt_l2_mshr_does(struct cw_adapt_l2_mshr *t, const struct cw_adapt_l2_mshr_request *request)
{
    struct cw_l2_mshr_in in = {0};
    if (request != NULL)
        in = (struct cw_l2_mshr_in){.act_valid = 1,
                                    .act_pass = request->passes,
                                    .act_req = request->number,
                                    .act_needs = request->needs,
                                    .act_fetch = request->fetch};
    does(t, &in);
}

const struct cw_adapt_l2_mshr_view *cw_adapt_l2_mshr_come(struct cw_adapt_l2_mshr *t, uint32_t entry, uint8_t sectors)
{
    const struct cw_l2_mshr_in op = {.op_valid = 1, .op_kind = COMES, .op_entry = entry, .op_sectors = sectors};
    return answer(t, &op);
}

const struct cw_adapt_l2_mshr_view *cw_adapt_l2_mshr_perform(struct cw_adapt_l2_mshr *t)
{
    const struct cw_l2_mshr_in op = {.op_valid = 1, .op_kind = PERFORMED};
    return answer(t, &op);
}

void cw_adapt_l2_mshr_here(struct cw_adapt_l2_mshr *t, uint8_t sectors)
{
    const struct cw_l2_mshr_in in = {.act_valid = 1, .act_here = sectors};
    does(t, &in);
}

bool cw_adapt_l2_mshr_head(const struct cw_adapt_l2_mshr *t, uint32_t *number)
{
    *number = (uint32_t)t->out.head_req;
    return t->out.head_valid;
}

bool cw_adapt_l2_mshr_empty(const struct cw_adapt_l2_mshr *t)
{
    return t->out.empty;
}

/* Between two operations nothing is under way, and the outputs are those of a unit at rest. */
void cw_adapt_l2_mshr_state(struct cw_state *s, struct cw_adapt_l2_mshr *t)
{
    assert(!t->asked);
    cw_adapt_state(s, &t->unit);
    CW_STATE_PORTS(s, t->out);
}
