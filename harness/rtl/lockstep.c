/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "lockstep.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING_DEFAULT 256u

/* One cycle as kept in the ring: the inputs, the first's and the second's outputs, and whether it was a reset cycle. */
struct frame {
    uint64_t cycle;
    bool reset;
    unsigned char *in, *out[2];
};

struct pair {
    const struct cw_unit *unit;
    struct cw_unit_instance inst[2];
    struct cw_port *port;
    char *name, *file;
    struct cw_lockstep_report *report;
    uint64_t cycle, checks;
    uint32_t ring_size;
    struct frame *ring;   /* frame of cycle n is ring[n % ring_size] */
    unsigned char *bytes; /* of all frames */
};

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
    free(s->ring);
    free(s->bytes);
    free(s);
}

static bool pair_allocate(struct pair *s, const void *params, const struct cw_lockstep_options *opt)
{
    size_t frame_size = s->unit->in_size + 2 * s->unit->out_size;
    s->ring_size = opt->ring_cycles != 0 ? opt->ring_cycles : RING_DEFAULT;
    s->port = calloc(s->unit->port_cnt, sizeof *s->port);
    s->ring = calloc(s->ring_size, sizeof *s->ring);
    s->bytes = calloc(s->ring_size, frame_size);
    s->name = strdup(opt->name);
    s->file = opt->file != NULL ? strdup(opt->file) : NULL;
    if (s->port == NULL || s->ring == NULL || s->bytes == NULL || s->name == NULL || (opt->file != NULL && s->file == NULL))
        return false;
    s->unit->ports(params, s->port);
    for (uint32_t i = 0; i < s->ring_size; i++) {
        unsigned char *at = s->bytes + i * frame_size;
        s->ring[i] = (struct frame){UINT64_MAX, false, at, {at + s->unit->in_size, at + s->unit->in_size + s->unit->out_size}};
    }
    return true;
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

/* VCD identifier codes: printable characters, number n of the three groups inputs, first's outputs, second's outputs. */
static void vcd_code(char out[8], uint32_t n)
{
    uint32_t i = 0;
    do {
        out[i++] = (char)('!' + n % 90);
        n /= 90;
    } while (n != 0);
    out[i] = '\0';
}

static void vcd_value(FILE *f, const struct cw_port *port, const unsigned char *base, const char *code)
{
    fputc('b', f);
    for (uint32_t bit = port->width; bit-- > 0;) {
        const unsigned char *at = base + port->offset;
        uint64_t value;
        uint32_t word;
        if (port->words == 0) {
            memcpy(&value, at, sizeof value);
            fputc((int)('0' + (value >> bit & 1)), f);
        } else {
            memcpy(&word, at + bit / 32 * 4, sizeof word);
            fputc((int)('0' + (word >> bit % 32 & 1)), f);
        }
    }
    fprintf(f, " %s\n", code);
}

#define VCD_CLK   "~c"
#define VCD_RST   "~r"
#define VCD_CYCLE "~n"

static void vcd_scope(FILE *f, const struct pair *s, const char *scope, enum cw_port_dir dir, uint32_t group)
{
    char code[8];
    fprintf(f, "$scope module %s $end\n", scope);
    for (uint32_t i = 0; i < s->unit->port_cnt; i++) {
        if (s->port[i].dir != dir)
            continue;
        vcd_code(code, group * s->unit->port_cnt + i);
        fprintf(f, "$var wire %" PRIu32 " %s %s%s $end\n", s->port[i].width, code, s->port[i].name, dir == CW_PORT_IN ? "_i" : "_o");
    }
    fprintf(f, "$upscope $end\n");
}

static void vcd_frame(FILE *f, const struct pair *s, const struct frame *frame)
{
    char code[8];
    fprintf(f, "#%" PRIu64 "\n0%s\n%d%s\n", 2 * frame->cycle, VCD_CLK, frame->reset, VCD_RST);
    fputc('b', f);
    for (int bit = 64; bit-- > 0;)
        fputc((int)('0' + (frame->cycle >> bit & 1)), f);
    fprintf(f, " %s\n", VCD_CYCLE);
    for (uint32_t i = 0; i < s->unit->port_cnt; i++)
        for (uint32_t group = 0; group < 3; group++) {
            bool input = s->port[i].dir == CW_PORT_IN;
            if (input != (group == 0))
                continue;
            vcd_code(code, group * s->unit->port_cnt + i);
            vcd_value(f, &s->port[i], input ? frame->in : frame->out[group - 1], code);
        }
    fprintf(f, "#%" PRIu64 "\n1%s\n", 2 * frame->cycle + 1, VCD_CLK);
}

static bool vcd_write(const struct pair *s)
{
    FILE *f = fopen(s->file, "w");
    if (f == NULL)
        return false;
    fprintf(f,
            "$comment lockstep difference in %s, unit %s; c: model, rtl: Verilog $end\n$timescale 1ns $end\n"
            "$scope module lockstep $end\n$var wire 1 %s clk $end\n$var wire 1 %s rst $end\n"
            "$var wire 64 %s cycle $end\n",
            s->name, s->unit->name, VCD_CLK, VCD_RST, VCD_CYCLE);
    vcd_scope(f, s, "in", CW_PORT_IN, 0);
    vcd_scope(f, s, "c", CW_PORT_OUT, 1);
    vcd_scope(f, s, "rtl", CW_PORT_OUT, 2);
    fprintf(f, "$upscope $end\n$enddefinitions $end\n");
    uint64_t first = s->cycle >= s->ring_size ? s->cycle - s->ring_size + 1 : 0;
    for (uint64_t n = first; n <= s->cycle; n++)
        if (s->ring[n % s->ring_size].cycle == n)
            vcd_frame(f, s, &s->ring[n % s->ring_size]);
    return fclose(f) == 0;
}

/* Running ------------------------------------------------------------------------------------------------------------- */

static void report_difference(struct pair *s, const struct cw_port *port, const struct frame *frame)
{
    char value[2][132];
    if (s->report == NULL || atomic_flag_test_and_set(&s->report->taken))
        return;
    for (int i = 0; i < 2; i++)
        port_hex(value[i], port, frame->out[i]);
    const char *note = s->file == NULL ? "" : vcd_write(s) ? "; last cycles in " : "; cannot write ";
    cw_fail(&s->report->error, CW_EMISMATCH,
            "lockstep: %s (%s): cycle %" PRIu64 ": %s_o is %s in the C model and %s in the "
            "RTL%s%s",
            s->name, s->unit->name, s->cycle, port->name, value[0], value[1], note, s->file ? s->file : "");
    atomic_store(&s->report->status, CW_EMISMATCH);
}

static void compare(struct pair *s, const struct frame *frame)
{
    s->checks += s->unit->port_cnt;
    if (memcmp(frame->out[0], frame->out[1], s->unit->out_size) == 0)
        return;
    for (uint32_t i = 0; i < s->unit->port_cnt; i++) {
        const struct cw_port *port = &s->port[i];
        if (port->dir == CW_PORT_OUT && memcmp(frame->out[0] + port->offset, frame->out[1] + port->offset, port_bytes(port)) != 0) {
            report_difference(s, port, frame);
            return;
        }
    }
}

static struct frame *start_frame(struct pair *s, bool reset)
{
    struct frame *frame = &s->ring[s->cycle % s->ring_size];
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
        s->inst[i].ops->eval(s->inst[i].self, in, frame->out[i]);
    compare(s, frame);
    memcpy(out, frame->out[0], s->unit->out_size);
}

static void pair_tick(void *self, const void *in)
{
    struct pair *s = self;
    for (int i = 0; i < 2; i++)
        s->inst[i].ops->tick(s->inst[i].self, in);
    s->cycle++;
}

static void pair_reset(void *self)
{
    struct pair *s = self;
    struct frame *frame = start_frame(s, true);
    memset(frame->in, 0, s->unit->in_size + 2 * s->unit->out_size);
    for (int i = 0; i < 2; i++)
        s->inst[i].ops->reset(s->inst[i].self);
    s->cycle++;
}

uint64_t cw_lockstep_cycles(const void *self)
{
    return ((const struct pair *)self)->cycle;
}

uint64_t cw_lockstep_checks(const void *self)
{
    return ((const struct pair *)self)->checks;
}

const struct cw_unit_ops cw_lockstep_ops = {NULL, pair_destroy, pair_reset, pair_eval, pair_tick};
