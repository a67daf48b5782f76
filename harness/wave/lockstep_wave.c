/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "wave/lockstep_wave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wave/fst_file.h"
#include "wave/signals.h"
#include "wave/tap.h"

#define CYCLE_PS 1000u

struct player {
    const struct cw_lockstep_film *film;
    struct cw_taps *taps;
    struct cw_tap *tap;
    struct cw_wave_signals signals;
    struct cw_wave_signal *list; /* those, then the cycle counter, then the RTL's outputs unless the RTL shows them itself */
    uint32_t cnt;
    uint64_t *value; /* of the added ones */
    char **name;     /* of the added ones; own */
    uint32_t own;    /* how many may be added */
    char *scope;
    struct cw_fst_file file;
};

static uint32_t words_of(const struct cw_port *port)
{
    return port->words <= 2 ? 1 : (port->words + 1) / 2;
}

/* Takes over name; false: it is NULL, memory ran out for it. */
static bool add(struct player *p, const char *scope, char *name, uint32_t bits)
{
    const uint32_t own = p->cnt - p->signals.signal_cnt;
    p->name[own] = name;
    p->list[p->cnt++] = (struct cw_wave_signal){scope, name, bits, &p->value[own], -1};
    return name != NULL;
}

static char *output_name(const struct cw_port *port, uint32_t word)
{
    char *name = NULL;
    const int length = words_of(port) > 1 ? asprintf(&name, "%s_o_%u", port->name, 64 * word) : asprintf(&name, "%s_o", port->name);
    return length >= 0 ? name : NULL;
}

/* The RTL's outputs under its own scope. */
static bool add_outputs(struct player *p)
{
    bool complete = true;
    p->scope = strdup(p->film->name);
    if (p->scope == NULL)
        return false;
    for (char *c = p->scope; *c != '\0'; c++)
        *c = *c == '.' ? ' ' : *c;
    for (uint32_t i = 0; i < p->tap->unit->port_cnt; i++) {
        const struct cw_port *port = &p->tap->port[i];
        for (uint32_t w = 0; port->dir == CW_PORT_OUT && w < words_of(port); w++)
            complete = add(p, p->scope, output_name(port, w), port->width - 64 * w > 64 ? 64 : port->width - 64 * w) && complete;
    }
    return complete;
}

static int list_signals(struct player *p, struct cw_error *err)
{
    p->own = 1;
    for (uint32_t i = 0; i < p->tap->unit->port_cnt; i++)
        p->own += words_of(&p->tap->port[i]);
    p->cnt = p->signals.signal_cnt;
    p->list = calloc(p->cnt + p->own, sizeof *p->list);
    p->value = calloc(p->own, sizeof *p->value);
    p->name = calloc(p->own, sizeof *p->name);
    if (p->list == NULL || p->value == NULL || p->name == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    memcpy(p->list, p->signals.signal, p->cnt * sizeof *p->list);
    if (!add(p, "cowarp", strdup("cycle"), 64) || (p->film->library == NULL && !add_outputs(p)))
        return cw_fail(err, CW_ENOMEM, "out of memory");
    return CW_OK;
}

/* The RTL's outputs where it does not show them itself. */
static void sample_second(struct player *p, const unsigned char *out)
{
    uint64_t *value = p->value + 1;
    for (uint32_t i = 0; p->film->library == NULL && i < p->tap->unit->port_cnt; i++) {
        const struct cw_port *port = &p->tap->port[i];
        for (uint32_t w = 0; port->dir == CW_PORT_OUT && w < words_of(port); w++) {
            const uint32_t left = port->words != 0 ? 4 * (port->words - 2 * w) : 8;
            *value = 0;
            memcpy(value++, out + port->offset + 8 * w, left > 8 ? 8 : left);
        }
    }
}

static void show(struct player *p, uint64_t cycle, const struct cw_lockstep_frame *frame)
{
    memcpy(p->tap->in, frame->in, p->tap->unit->in_size);
    memcpy(p->tap->out, frame->out[0], p->tap->unit->out_size);
    cw_wave_sample_units(&p->signals);
    sample_second(p, frame->out[1]);
    p->value[0] = cycle;
    if (cycle == p->film->last)
        cw_wave_sample_trigger(&p->signals);
    cw_fst_file_dump(&p->file, CYCLE_PS * cycle);
}

/* Every cycle again, for the RTL; those from first on, for the file. */
static void play(struct player *p, void *out)
{
    const struct cw_lockstep_film *f = p->film;
    const struct cw_unit_ops *rtl = f->library != NULL ? &f->library->ops : NULL;
    struct cw_lockstep_frame frame;
    for (uint64_t n = rtl != NULL ? f->from : f->first; n <= f->last; n++) {
        if (!f->frame(f->context, n, &frame))
            continue;
        if (rtl != NULL && frame.reset)
            rtl->reset(f->self);
        else if (rtl != NULL)
            rtl->eval(f->self, frame.in, out);
        if (n >= f->first)
            show(p, n, &frame);
        if (rtl != NULL && !frame.reset && n < f->last)
            rtl->tick(f->self, frame.in);
    }
}

static int write_file(struct player *p, const char *path, void *out, struct cw_error *err)
{
    const struct cw_lockstep_film *f = p->film;
    struct cw_wave_rtl rtl = {0};
    if (f->library != NULL) {
        f->library->restore(f->self, f->state, f->state_size);
        rtl = (struct cw_wave_rtl){.model = f->library->model(f->self), .trace = f->library->trace, .self = f->self};
    }
    const struct cw_fst_content content = {p->list, p->cnt, p->signals.enums, p->signals.enum_cnt, &rtl, f->library != NULL};
    int status = cw_fst_file_open(&p->file, path, &content, err);
    if (status == CW_OK) {
        play(p, out);
        status = cw_fst_file_close(&p->file, err);
    }
    if (f->library != NULL)
        f->library->trace(f->self, NULL, 0);
    return status;
}

int cw_lockstep_wave(const struct cw_lockstep_film *film, const char *path, struct cw_error *err)
{
    struct player p = {.film = film};
    void *out = malloc(film->unit->out_size);
    void *present = film->library != NULL ? malloc(film->state_size) : NULL;
    int status = cw_taps_create(&p.taps, NULL, NULL, err);
    if (status == CW_OK)
        p.tap = cw_taps_add(p.taps, film->unit, film->name, film->params);
    if (status == CW_OK && (p.tap == NULL || out == NULL || (film->library != NULL && present == NULL)))
        status = cw_fail(err, CW_ENOMEM, "out of memory");
    if (status == CW_OK)
        status = cw_wave_signals_create(&p.signals, NULL, p.taps, true, err);
    if (status == CW_OK)
        status = list_signals(&p, err);
    if (status == CW_OK) {
        if (film->library != NULL)
            film->library->save(film->self, present, film->state_size);
        status = write_file(&p, path, out, err);
        if (film->library != NULL)
            film->library->restore(film->self, present, film->state_size);
    }
    cw_wave_signals_destroy(&p.signals);
    cw_taps_destroy(p.taps);
    for (uint32_t i = 0; p.name != NULL && i < p.own; i++)
        free(p.name[i]);
    free(p.list);
    free(p.value);
    free((void *)p.name);
    free(p.scope);
    free(present);
    free(out);
    return status;
}
