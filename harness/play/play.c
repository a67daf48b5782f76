/* SPDX-License-Identifier: Apache-2.0 */
#include "play/play.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wave/fst_file.h"
#include "wave/signals.h"
#include "wave/tap.h"

#define PATIENCE    10000u /* cycles that send, expect and wait wait */
#define LAST_CYCLES 4u     /* after the last line, so that the last answer is seen to end */
#define OWN_SIGNALS 4u
#define ASK_CYCLES  1024u /* between two questions whether to stop */

/* A transfer out of the unit that no line has expected yet. */
struct transfer {
    const struct cw_port *valid; /* its channel */
    uint64_t cycle;
    void *out;
    struct transfer *next;
};

struct play {
    const struct cw_script *script;
    const struct cw_rtl_build_options *build;
    struct cw_unit_provider units, tapped;
    struct cw_taps *taps;
    struct cw_unit_instance unit;
    void *held, *in, *out; /* inputs between lines; ports of the running cycle */
    struct transfer *first, **last;
    struct cw_wave_signals signals;
    struct cw_wave_signal *signal; /* signals' own, and OWN_SIGNALS more */
    struct cw_wave_enum *enums;
    const char **story; /* its words: "-", then the script's texts */
    struct cw_fst_file file;
    bool open, tracing, dumped;
    uint64_t cycle, clock, text; /* clock: the cycle shown */
    struct cw_played *played;
    struct cw_error *err;
};

static int no_memory(struct play *p)
{
    return cw_fail(p->err, CW_ENOMEM, "out of memory");
}

static uint64_t port_get(const struct cw_port *port, const void *base, uint32_t word)
{
    uint64_t value = 0;
    memcpy(&value, (const char *)base + port->offset + 4u * word, port->words == 1 || port->width > 64 ? 4 : 8);
    return value;
}

static void port_set(const struct cw_port *port, void *base, uint32_t word, uint64_t value)
{
    memcpy((char *)base + port->offset + 4u * word, &value, port->words == 1 || port->width > 64 ? 4 : 8);
}

static void apply(const struct cw_script_line *line, void *in)
{
    for (uint32_t i = 0; i < line->assign_cnt; i++)
        port_set(line->assign[i].port, in, line->assign[i].word, line->assign[i].value);
    if (line->verb == CW_SCRIPT_SEND)
        port_set(line->channel.valid, in, 0, 1);
}

/* The channel's ready for its valid; NULL: it has none. */
static const struct cw_port *find_ready(const struct cw_script *s, const struct cw_port *valid)
{
    const size_t channel = strlen(valid->name) - strlen("valid"); /* with the "_" */
    for (uint32_t i = 0; i < s->unit->port_cnt; i++)
        if (strncmp(s->port[i].name, valid->name, channel) == 0 && strcmp(s->port[i].name + channel, "ready") == 0)
            return &s->port[i];
    return NULL;
}

/* Whether this is the valid of a channel out of the unit, and a transfer happens on it in this cycle. */
static bool transfers(const struct play *p, const struct cw_port *valid)
{
    const size_t length = strlen(valid->name);
    if (valid->dir != CW_PORT_OUT || length < 7 || strcmp(valid->name + length - 6, "_valid") != 0 || port_get(valid, p->out, 0) == 0)
        return false;
    const struct cw_port *ready = find_ready(p->script, valid);
    return ready == NULL || ready->dir != CW_PORT_IN || port_get(ready, p->in, 0) != 0;
}

static int record(struct play *p)
{
    for (uint32_t i = 0; i < p->script->unit->port_cnt; i++) {
        const struct cw_port *valid = &p->script->port[i];
        if (!transfers(p, valid))
            continue;
        struct transfer *t = calloc(1, sizeof *t);
        if (t == NULL || (t->out = malloc(p->script->unit->out_size)) == NULL) {
            free(t);
            return no_memory(p);
        }
        t->valid = valid;
        t->cycle = p->cycle;
        memcpy(t->out, p->out, p->script->unit->out_size);
        *p->last = t;
        p->last = &t->next;
    }
    return CW_OK;
}

static void dump(struct play *p)
{
    p->clock = p->cycle;
    p->dumped = true;
    cw_wave_sample_units(&p->signals);
    cw_fst_file_dump(&p->file, p->cycle * 1000000u / p->script->clock_mhz);
}

/* Whether somebody wants it to end. */
static int ask(struct play *p)
{
    if (p->build->stop == NULL || p->cycle % ASK_CYCLES != 0 || p->build->stop(p->build->stop_context) == 0)
        return CW_OK;
    return cw_fail(p->err, CW_ELIMIT, "%s: interrupted in cycle %" PRIu64 "; no wave was written", p->script->path, p->cycle);
}

/* One clock cycle, with line's inputs over those that are held; line may be NULL. p->out holds its outputs afterwards. */
static int step(struct play *p, const struct cw_script_line *line)
{
    memcpy(p->in, p->held, p->script->unit->in_size);
    if (line != NULL)
        apply(line, p->in);
    p->unit.ops->eval(p->unit.self, p->in, p->out);
    int status = record(p);
    if (p->tracing)
        dump(p);
    p->unit.ops->tick(p->unit.self, p->in);
    p->cycle++;
    if (status == CW_OK && p->units.poll != NULL)
        status = p->units.poll(p->units.context, p->err);
    return status == CW_OK ? ask(p) : status;
}

static int give_up(struct play *p, const struct cw_script_line *line, const char *what)
{
    return cw_fail(p->err, CW_ECHECK, "%s:%u: %s in %u cycles, up to cycle %" PRIu64, p->script->path, line->number, what, PATIENCE,
                   p->cycle - 1);
}

static int send(struct play *p, const struct cw_script_line *line)
{
    for (uint32_t i = 0; i < PATIENCE; i++) {
        int status = step(p, line);
        if (status != CW_OK || line->channel.ready == NULL || port_get(line->channel.ready, p->out, 0) != 0)
            return status;
    }
    return give_up(p, line, "the unit was not ready");
}

static bool matches(const struct cw_script_line *line, const void *out)
{
    for (uint32_t i = 0; i < line->assign_cnt; i++)
        if (port_get(line->assign[i].port, out, line->assign[i].word) != line->assign[i].value)
            return false;
    return true;
}

static int wait_for(struct play *p, const struct cw_script_line *line)
{
    for (uint32_t i = 0; i < PATIENCE; i++) {
        int status = step(p, NULL);
        const bool came = status == CW_OK && matches(line, p->out);
        p->played->waits += came;
        if (status != CW_OK || came)
            return status;
    }
    return give_up(p, line, "the outputs did not get there");
}

/* Takes the oldest transfer of the channel off the list; NULL when there is none. */
static struct transfer *take(struct play *p, const struct cw_port *valid)
{
    for (struct transfer **t = &p->first; *t != NULL; t = &(*t)->next)
        if ((*t)->valid == valid) {
            struct transfer *found = *t;
            *t = found->next;
            if (found->next == NULL)
                p->last = t;
            return found;
        }
    return NULL;
}

static void transfer_free(struct transfer *t)
{
    if (t != NULL)
        free(t->out);
    free(t);
}

static int compare(struct play *p, const struct cw_script_line *line, const struct transfer *t)
{
    for (uint32_t i = 0; i < line->assign_cnt; i++) {
        const struct cw_script_assign *a = &line->assign[i];
        const uint64_t value = port_get(a->port, t->out, a->word);
        if (value != a->value)
            return cw_fail(p->err, CW_ECHECK, "%s:%u: cycle %" PRIu64 ": %s is %" PRIu64 ", expected %" PRIu64, p->script->path,
                           line->number, t->cycle, a->port->name, value, a->value);
    }
    p->played->expectations++;
    return CW_OK;
}

static int expect(struct play *p, const struct cw_script_line *line)
{
    for (uint32_t i = 0; i < PATIENCE; i++) {
        struct transfer *t = take(p, line->channel.valid);
        const int status = t != NULL ? compare(p, line, t) : step(p, NULL);
        transfer_free(t);
        if (t != NULL || status != CW_OK)
            return status;
    }
    return give_up(p, line, "no answer came");
}

static int run_line(struct play *p, const struct cw_script_line *line)
{
    const uint64_t begin = line->absolute ? line->at : p->cycle + line->at;
    int status = CW_OK;
    while (status == CW_OK && p->cycle < begin)
        status = step(p, NULL);
    if (line->text != CW_SCRIPT_NO_TEXT)
        p->text = line->text + 1u;
    if (status != CW_OK)
        return status;
    switch (line->verb) {
    case CW_SCRIPT_NONE:
        return CW_OK;
    case CW_SCRIPT_HOLD:
        apply(line, p->held);
        return CW_OK;
    case CW_SCRIPT_PULSE:
        return step(p, line);
    case CW_SCRIPT_SEND:
        return send(p, line);
    case CW_SCRIPT_EXPECT:
        return expect(p, line);
    case CW_SCRIPT_WAIT:
        return wait_for(p, line);
    case CW_SCRIPT_TRACE:
        p->tracing = true;
        return CW_OK;
    }
    return CW_OK;
}

/* On a channel of which something is expected, all is. */
static int check_rest(struct play *p)
{
    for (uint32_t i = 0; i < p->script->line_cnt; i++) {
        const struct cw_script_line *line = &p->script->line[i];
        if (line->verb != CW_SCRIPT_EXPECT)
            continue;
        struct transfer *t = take(p, line->channel.valid);
        if (t == NULL)
            continue;
        const uint64_t cycle = t->cycle;
        transfer_free(t);
        return cw_fail(p->err, CW_ECHECK, "%s: cycle %" PRIu64 ": a transfer with %s that no line expects", p->script->path, cycle,
                       line->channel.valid->name);
    }
    return CW_OK;
}

static int run(struct play *p)
{
    int status = CW_OK;
    for (uint32_t i = 0; status == CW_OK && i < p->script->line_cnt; i++)
        status = run_line(p, &p->script->line[i]);
    for (uint32_t i = 0; status == CW_OK && i < LAST_CYCLES; i++)
        status = step(p, NULL);
    return status == CW_OK ? check_rest(p) : status;
}

/* The unit's signals, the clock's number under the names that a GPU's trace gives it, and the story. */
static int collect_signals(struct play *p)
{
    const struct cw_wave_signals *s = &p->signals;
    const struct cw_script *script = p->script;
    uint32_t n = s->signal_cnt;
    p->signal = calloc(n + OWN_SIGNALS, sizeof *p->signal);
    p->enums = calloc(s->enum_cnt + 1u, sizeof *p->enums);
    p->story = calloc(script->text_cnt + 1u, sizeof *p->story);
    if (p->signal == NULL || p->enums == NULL || p->story == NULL)
        return no_memory(p);
    memcpy(p->signal, s->signal, n * sizeof *p->signal);
    memcpy(p->enums, s->enums, s->enum_cnt * sizeof *p->enums);
    p->story[0] = "-";
    for (uint32_t i = 0; i < script->text_cnt; i++)
        p->story[i + 1] = script->text[i];
    p->enums[s->enum_cnt] = (struct cw_wave_enum){"story", script->text_cnt + 1, p->story};
    p->signal[n++] = (struct cw_wave_signal){"cowarp", "core_cycle", 64, &p->clock, -1};
    p->signal[n++] = (struct cw_wave_signal){"cowarp", "l2_cycle", 64, &p->clock, -1};
    p->signal[n++] = (struct cw_wave_signal){"cowarp", "cu_cycle", 64, &p->clock, -1};
    p->signal[n++] = (struct cw_wave_signal){"cowarp", "story", script->text_cnt <= UINT16_MAX ? 16 : 32, &p->text, (int32_t)s->enum_cnt};
    return CW_OK;
}

static int open_file(struct play *p, const struct cw_play_options *options)
{
    const struct cw_rtl_instance *instance;
    struct cw_wave_rtl rtl = {0};
    const uint32_t rtl_cnt = cw_rtl_provider_instances(&p->units, &instance);
    int status = cw_wave_signals_create(&p->signals, NULL, p->taps, false, p->err);
    if (status == CW_OK)
        status = collect_signals(p);
    if (status != CW_OK)
        return status;
    if (rtl_cnt > 0)
        rtl = (struct cw_wave_rtl){
            .model = instance->library->model(instance->self), .trace = instance->library->trace, .self = instance->self};
    const struct cw_fst_content content = {p->signal, p->signals.signal_cnt + OWN_SIGNALS, p->enums, p->signals.enum_cnt + 1, &rtl,
                                           rtl_cnt};
    status = cw_fst_file_open(&p->file, options->path, &content, p->err);
    p->open = status == CW_OK;
    return status;
}

static int open_unit(struct play *p, const struct cw_play_options *options)
{
    const struct cw_unit *unit = p->script->unit;
    const struct cw_rtl_options rtl = {.build = options->build, .default_backend = options->backend};
    p->held = calloc(1, unit->in_size);
    p->in = calloc(1, unit->in_size);
    p->out = calloc(1, unit->out_size);
    if (p->held == NULL || p->in == NULL || p->out == NULL)
        return no_memory(p);
    int status = cw_rtl_provider_create(&p->units, &rtl, p->err);
    if (status == CW_OK)
        status = cw_taps_create(&p->taps, &p->tapped, &p->units, p->err);
    if (status == CW_OK)
        status = p->tapped.open(p->tapped.context, unit, p->script->instance, p->script->params, &p->unit, p->err);
    return status;
}

static void play_free(struct play *p)
{
    while (p->first != NULL) {
        struct transfer *next = p->first->next;
        transfer_free(p->first);
        p->first = next;
    }
    if (p->unit.self != NULL)
        p->unit.ops->destroy(p->unit.self);
    cw_taps_destroy(p->taps);
    if (p->units.context != NULL)
        cw_rtl_provider_destroy(&p->units);
    cw_wave_signals_destroy(&p->signals);
    free(p->signal);
    free(p->enums);
    free((void *)p->story);
    free(p->held);
    free(p->in);
    free(p->out);
}

int cw_play(struct cw_played *played, const struct cw_script *script, const struct cw_play_options *options, struct cw_error *err)
{
    struct play p = {.script = script, .build = &options->build, .played = played, .err = err};
    struct cw_error close_err;
    *played = (struct cw_played){0};
    p.last = &p.first;
    p.tracing = !script->late_trace;
    int status = open_unit(&p, options);
    if (status == CW_OK)
        status = open_file(&p, options);
    if (status == CW_OK)
        status = run(&p);
    if (p.open && status == CW_ELIMIT) {
        cw_fst_file_discard(&p.file);
        p.open = false;
    }
    if (p.open && !p.dumped) /* it failed before the trace began */
        dump(&p);
    if (p.open && cw_fst_file_close(&p.file, &close_err) != CW_OK && status == CW_OK)
        status = cw_fail(err, CW_EIO, "%s", close_err.text);
    played->cycles = p.cycle;
    play_free(&p);
    return status;
}
