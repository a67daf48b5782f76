/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "lockstep.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/state.h"

#define RING_DEFAULT 256u
#define STATE_CYCLES 2048u /* between two states of the RTL that are kept: saving one takes some microseconds */

/* One cycle as kept in the log: the inputs, and whether it was a reset cycle. */
struct frame {
    uint64_t cycle;
    bool reset;
    unsigned char *in;
};

/* The RTL before this cycle. */
struct state {
    uint64_t cycle;
    unsigned char *bytes;
};

struct pair {
    const struct cw_unit *unit;
    struct cw_unit_instance inst[2];
    struct cw_port *port;
    char *name, *file;
    cw_lockstep_wave_fn *wave;
    struct cw_lockstep_report *report;
    uint64_t cycle, checks;
    void *params;
    uint32_t ring_size, log_size;         /* cycles whose outputs, and whose inputs are kept */
    struct frame *ring;                   /* frame of cycle n is ring[n % log_size] */
    unsigned char *bytes;                 /* of all frames */
    unsigned char *outs;                  /* both outputs of cycle n are at 2 * out_size * (n % ring_size) */
    const struct cw_rtl_library *library; /* of inst[1]; NULL: its inner signals are not shown */
    struct state state[2];                /* number n is state[n % 2] */
    uint64_t state_cnt;
    size_t state_size;
};

static unsigned char *out_of(const struct pair *s, uint64_t cycle, int which)
{
    return s->outs + (2 * (cycle % s->ring_size) + (unsigned)which) * s->unit->out_size;
}

/* At the end of a cycle, or before the first. */
static void keep_state(struct pair *s)
{
    if (s->library == NULL || s->cycle % STATE_CYCLES != 0)
        return;
    struct state *state = &s->state[s->state_cnt++ % 2];
    state->cycle = s->cycle;
    s->library->save(s->inst[1].self, state->bytes, s->state_size);
}

static void pair_destroy(void *self)
{
    struct pair *s = self;
    if (s == NULL)
        return;
    for (int i = 0; i < 2; i++)
        s->inst[i].ops->destroy(s->inst[i].self);
    free(s->port);
    free(s->name);
    free(s->file);
    free(s->params);
    free(s->ring);
    free(s->bytes);
    free(s->outs);
    free(s->state[0].bytes);
    free(s->state[1].bytes);
    free(s);
}

static bool allocate_states(struct pair *s)
{
    if (s->library != NULL)
        s->state_size = s->library->save(s->inst[1].self, NULL, 0);
    if (s->state_size == 0) {
        s->library = NULL;
        return true;
    }
    for (int i = 0; i < 2; i++)
        if ((s->state[i].bytes = malloc(s->state_size)) == NULL)
            return false;
    keep_state(s);
    return true;
}

static bool pair_allocate(struct pair *s, const void *params, const struct cw_lockstep_options *opt)
{
    const size_t in_size = s->unit->in_size;
    s->ring_size = opt->ring_cycles != 0 ? opt->ring_cycles : RING_DEFAULT;
    s->log_size = s->ring_size;
    if (s->library != NULL && s->log_size < 2 * STATE_CYCLES)
        s->log_size = 2 * STATE_CYCLES;
    s->port = calloc(s->unit->port_cnt, sizeof *s->port);
    s->params = malloc(s->unit->params_size);
    s->ring = calloc(s->log_size, sizeof *s->ring);
    s->bytes = calloc(s->log_size, in_size);
    s->outs = calloc(s->ring_size, 2 * s->unit->out_size);
    s->name = strdup(opt->name);
    s->wave = opt->wave;
    s->file = opt->wave != NULL && opt->file != NULL ? strdup(opt->file) : NULL;
    if (s->port == NULL || s->params == NULL || s->ring == NULL || s->bytes == NULL || s->outs == NULL || s->name == NULL ||
        (opt->wave != NULL && opt->file != NULL && s->file == NULL))
        return false;
    memcpy(s->params, params, s->unit->params_size);
    s->unit->ports(params, s->port);
    for (uint32_t i = 0; i < s->log_size; i++)
        s->ring[i] = (struct frame){UINT64_MAX, false, s->bytes + i * in_size};
    return allocate_states(s);
}

int cw_lockstep_create(void **self, const void *params, const struct cw_unit_instance *first, const struct cw_unit_instance *second,
                       const struct cw_lockstep_options *opt)
{
    struct pair *s = calloc(1, sizeof *s);
    if (s == NULL) {
        first->ops->destroy(first->self);
        second->ops->destroy(second->self);
        return CW_ENOMEM;
    }
    s->unit = first->unit;
    s->inst[0] = *first;
    s->inst[1] = *second;
    s->report = opt->report;
    s->library = opt->wave != NULL && opt->file != NULL ? opt->library : NULL;
    if (!pair_allocate(s, params, opt)) {
        pair_destroy(s);
        return CW_ENOMEM;
    }
    *self = s;
    return CW_OK;
}

/* The port's value as hexadecimal digits. */
static void port_hex(char out[132], const struct cw_port *port, const unsigned char *base)
{
    uint64_t value;
    uint32_t word;
    if (port->words == 0) {
        memcpy(&value, base + port->offset, sizeof value);
        snprintf(out, 132, "0x%" PRIx64, value);
        return;
    }
    int used = snprintf(out, 132, "0x");
    for (uint32_t w = port->words; w-- > 0 && used < 120;) {
        memcpy(&word, base + port->offset + 4 * w, sizeof word);
        used += snprintf(out + used, 132 - (size_t)used, "%08" PRIx32, word);
    }
}

static size_t port_bytes(const struct cw_port *port)
{
    return port->words == 0 ? sizeof(uint64_t) : port->words * sizeof(uint32_t);
}

/* Waveform of the last cycles ---------------------------------------------------------------------------------------- */

static bool film_frame(const void *context, uint64_t cycle, struct cw_lockstep_frame *shown)
{
    const struct pair *s = context;
    const struct frame *frame = &s->ring[cycle % s->log_size];
    if (frame->cycle != cycle)
        return false;
    *shown = (struct cw_lockstep_frame){frame->reset, frame->in, {out_of(s, cycle, 0), out_of(s, cycle, 1)}};
    return true;
}

static bool write_wave(const struct pair *s)
{
    struct cw_error err;
    struct cw_lockstep_film film = {
        .unit = s->unit, .params = s->params, .name = s->name, .last = s->cycle, .frame = film_frame, .context = s};
    film.first = s->cycle >= s->ring_size ? s->cycle - s->ring_size + 1 : 0;
    if (s->library != NULL) {
        const struct state *state = &s->state[s->state_cnt > 1 ? s->state_cnt % 2 : 0]; /* the older one */
        film.library = s->library;
        film.self = s->inst[1].self;
        film.state = state->bytes;
        film.state_size = s->state_size;
        film.from = state->cycle;
    }
    return s->wave(&film, s->file, &err) == CW_OK;
}

/* Running ------------------------------------------------------------------------------------------------------------- */

static void report_difference(struct pair *s, const struct cw_port *port)
{
    char value[2][132];
    if (s->report == NULL || atomic_flag_test_and_set(&s->report->taken))
        return;
    for (int i = 0; i < 2; i++)
        port_hex(value[i], port, out_of(s, s->cycle, i));
    const char *note = s->file == NULL ? "" : write_wave(s) ? "; last cycles in " : "; cannot write ";
    cw_fail(&s->report->error, CW_EMISMATCH,
            "lockstep: %s (%s): cycle %" PRIu64 ": %s_o is %s in the C model and %s in the "
            "RTL%s%s",
            s->name, s->unit->name, s->cycle, port->name, value[0], value[1], note, s->file ? s->file : "");
    snprintf(s->report->name, sizeof s->report->name, "%s", s->name);
    atomic_store(&s->report->status, CW_EMISMATCH);
}

static void compare(struct pair *s)
{
    const unsigned char *out[2] = {out_of(s, s->cycle, 0), out_of(s, s->cycle, 1)};
    s->checks += s->unit->port_cnt;
    if (memcmp(out[0], out[1], s->unit->out_size) == 0)
        return;
    for (uint32_t i = 0; i < s->unit->port_cnt; i++) {
        const struct cw_port *port = &s->port[i];
        if (port->dir == CW_PORT_OUT && memcmp(out[0] + port->offset, out[1] + port->offset, port_bytes(port)) != 0) {
            report_difference(s, port);
            return;
        }
    }
}

static struct frame *start_frame(struct pair *s, bool reset)
{
    struct frame *frame = &s->ring[s->cycle % s->log_size];
    frame->cycle = s->cycle;
    frame->reset = reset;
    return frame;
}

static void pair_eval(void *self, const void *in, void *out)
{
    struct pair *s = self;
    struct frame *frame = start_frame(s, false);
    memcpy(frame->in, in, s->unit->in_size);
    for (int i = 0; i < 2; i++)
        s->inst[i].ops->eval(s->inst[i].self, in, out_of(s, s->cycle, i));
    compare(s);
    memcpy(out, out_of(s, s->cycle, 0), s->unit->out_size);
}

static void pair_tick(void *self, const void *in)
{
    struct pair *s = self;
    if (s->ring[s->cycle % s->log_size].cycle != s->cycle) { /* a tick without eval before it */
        memcpy(start_frame(s, false)->in, in, s->unit->in_size);
        memset(out_of(s, s->cycle, 0), 0, 2 * s->unit->out_size);
    }
    for (int i = 0; i < 2; i++)
        s->inst[i].ops->tick(s->inst[i].self, in);
    s->cycle++;
    keep_state(s);
}

static void pair_reset(void *self)
{
    struct pair *s = self;
    struct frame *frame = start_frame(s, true);
    memset(frame->in, 0, s->unit->in_size);
    memset(out_of(s, s->cycle, 0), 0, 2 * s->unit->out_size);
    for (int i = 0; i < 2; i++)
        s->inst[i].ops->reset(s->inst[i].self);
    s->cycle++;
    keep_state(s);
}

uint64_t cw_lockstep_cycles(const void *self)
{
    return ((const struct pair *)self)->cycle;
}

uint64_t cw_lockstep_checks(const void *self)
{
    return ((const struct pair *)self)->checks;
}

/* Of both. What the last cycles were is for a report, and begins anew. */
static void pair_state(void *self, struct cw_state *s)
{
    struct pair *p = self;
    cw_unit_state(s, &p->inst[0]);
    cw_unit_state(s, &p->inst[1]);
    CW_STATE(s, p->cycle);
    CW_STATE(s, p->checks);
}

const struct cw_unit_ops cw_lockstep_ops = {
    .destroy = pair_destroy, .reset = pair_reset, .eval = pair_eval, .tick = pair_tick, .state = pair_state};
