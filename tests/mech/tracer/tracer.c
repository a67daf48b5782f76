/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tracer: a mechanism that delays every n-th store to global memory of a core, before the L1, and counts what it does. A kernel may
 * leave marks in the trace: trace_mark(value) returns how many marks the core has seen, this one included.
 */
#include <stdlib.h>

#include "mech/mech.h"

/* ---- keys and counters: a struct and a table from each list ---- */

struct tracer_keys {
#define X CW_KEY_FIELD
#include "keys.def"
#undef X
};

static const struct cw_key key[] = {
#define X CW_KEY_NUMBER
#include "keys.def"
#undef X
};
static const struct cw_key_set keys = {.owner = "tracer", .key = key, .key_cnt = sizeof key / sizeof key[0]};
static const struct cw_key_set *const key_sets[] = {&keys, NULL};

struct tracer_counters {
#define X CW_COUNTER_FIELD
#define W CW_COUNTER_FIELD
#include "counters.def"
#undef X
#undef W
};

static const struct cw_counter counter[] = {
#define X CW_COUNTER_SUM
#define W CW_COUNTER_SHOWN
#include "counters.def"
#undef X
#undef W
};
static const struct cw_counter_set counters = {.owner = "tracer", .counter = counter, .counter_cnt = sizeof counter / sizeof counter[0]};
static const struct cw_counter_set *const counter_sets[] = {&counters, NULL};

/* ---- state ---- */

struct tracer;

/* One per core. Nobody else reads it, so cores may tick in any order. */
struct tracer_core {
    struct tracer *tracer;
    uint32_t index;
    uint32_t marks;
    uint32_t until_next; /* stores to go until one is delayed */
    bool holds;          /* the store at the head of the load/store unit's queue */
    cw_time release;     /* when it may go on */
};

struct tracer {
    struct cw_mech_host host;
    const struct tracer_keys *keys;
    struct tracer_counters *counters;
    cw_time delay;
    struct tracer_core *core; /* [core_count] */
};

/* ---- sockets of a core ---- */

static enum cw_access_verdict access(void *self, struct cw_mem_inst *inst, cw_time now, cw_time *again)
{
    struct tracer_core *c = self;
    const struct tracer *t = c->tracer;
    if (inst->uop->op != CW_OP_ST || inst->space != CW_SPACE_GLOBAL)
        return CW_ACCESS_GO;
    if (!c->holds) {
        t->counters->tracer_stores++;
        if (--c->until_next > 0)
            return CW_ACCESS_GO;
        c->until_next = t->keys->every;
        c->holds = true;
        c->release = now + t->delay;
        t->counters->tracer_delayed++;
        t->counters->tracer_delay_cycles += t->keys->delay_cycles;
    }
    *again = c->release;
    c->holds = now < c->release;
    return c->holds ? CW_ACCESS_WAIT : CW_ACCESS_GO;
}

/* A mark in the stream of events, for whoever listens. */
static void tell(const struct tracer_core *c, const struct cw_core_call *call, uint32_t lane, cw_time now)
{
    const struct cw_event e = {.type = CW_EVENT_DECISION,
                               .core = c->index,
                               .warp = call->warp,
                               .lane = lane,
                               .now = now,
                               .u.decision = {.unit = "tracer", .index = c->index, .subject = call->arg[0][lane]}};
    cw_events_tell(c->tracer->host.events, &e);
}

static bool intrinsic(void *self, struct cw_core_call *call, cw_time now)
{
    struct tracer_core *c = self;
    for (cw_lanes rest = call->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        const uint32_t lane = cw_lanes_first(rest);
        call->result[lane] = ++c->marks;
        c->tracer->counters->tracer_marks++;
        if (cw_events_want(c->tracer->host.events, CW_EVENT_DECISION))
            tell(c, call, lane, now);
    }
    return true;
}

static const struct cw_core_sockets sockets = {.access = access, .intrinsic = intrinsic};

static const struct cw_intrinsic intrinsics[] = {
    {.name = "trace_mark",
     .role = CW_INTRINSIC_CALL,
     .result = CW_U32,
     .arg_cnt = 1,
     .arg = {CW_U32},
     .what = "leaves a mark in the trace; returns how many the core has seen"},
    {.name = NULL},
};

/* ---- the descriptor ---- */

static void destroy(void *self)
{
    struct tracer *t = self;
    free(t->core);
    free(t);
}

static int create(void **self, const struct cw_mech_host *host, struct cw_error *err)
{
    struct tracer *t = calloc(1, sizeof *t);
    struct tracer_core *core = calloc(host->config->core_count, sizeof *core);
    if (t == NULL || core == NULL) {
        free(t);
        free(core);
        return cw_fail(err, CW_ENOMEM, "no memory for the tracer");
    }
    t->host = *host;
    t->keys = cw_config_own(host->config, &keys);
    t->counters = cw_stats_own(host->stats, &counters);
    t->delay = t->keys->delay_cycles * host->clocks->period[CW_DOMAIN_CORE];
    t->core = core;
    for (uint32_t i = 0; i < host->config->core_count; i++)
        core[i] = (struct tracer_core){.tracer = t, .index = i, .until_next = t->keys->every};
    *self = t;
    return CW_OK;
}

static void *core_self(void *self, uint32_t core)
{
    struct tracer *t = self;
    return t->core + core;
}

const struct cw_mech cw_mech_tracer = {
    .name = "tracer",
    .what = "delays every n-th store to global memory (tracer.every, tracer.delay_cycles), and takes marks of the kernel",
    .any_width = true,
    .any_line = true,
    .keys = key_sets,
    .counters = counter_sets,
    .intrinsic = intrinsics,
    .create = create,
    .destroy = destroy,
    .core = &sockets,
    .core_self = core_self,
};
