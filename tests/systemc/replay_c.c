/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C driver that the SystemC platform is compared with: the same recorded requests into the C model, in plain C, cycle by cycle. Prints
 * "cycle id outcome ts" for every answer.
 * Usage: replay_c FILE.stim [EVERY CYCLES]   every EVERY-th answer is followed by CYCLES cycles with rsp_ready = 0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cowarp/unit/validation_unit.h"
#include "play/script.h"

#define MEMORY_CYCLES 8u     /* from an access of the overflow area to its answer and the next one */
#define DRAIN_CYCLES  20000u /* after the last request */

struct driver {
    const struct cw_script *script;
    void *unit;
    uint32_t line;
    uint64_t cycle, hold_until, answers, requests, accesses, every, hold;
    uint32_t (*memory)[CW_VU_OVERFLOW_WORDS];
    uint64_t memory_free;
    const uint32_t *memory_answer; /* comes in cycle memory_free; NULL: none */
};

static const struct cw_script_line *next_request(struct driver *d)
{
    for (; d->line < d->script->line_cnt; d->line++) {
        const struct cw_script_line *l = &d->script->line[d->line];
        if (l->verb == CW_SCRIPT_SEND && strcmp(l->channel.valid->name, "req_valid") == 0)
            return l;
    }
    return NULL;
}

static void drive(struct driver *d, const struct cw_script_line *l, struct cw_validation_unit_in *in)
{
    memset(in, 0, sizeof *in);
    in->rsp_ready = d->cycle >= d->hold_until;
    in->mem_ready = d->cycle >= d->memory_free;
    if (d->memory_answer != NULL && d->cycle == d->memory_free) {
        in->mem_rsp_valid = 1;
        memcpy(in->mem_rdata, d->memory_answer, sizeof in->mem_rdata);
    }
    if (l == NULL || (l->absolute && l->at > d->cycle))
        return;
    in->req_valid = 1;
    for (uint32_t i = 0; i < l->assign_cnt; i++)
        memcpy((char *)in + l->assign[i].port->offset, &l->assign[i].value, sizeof l->assign[i].value);
}

static void react(struct driver *d, const struct cw_validation_unit_in *in, const struct cw_validation_unit_out *out)
{
    if (in->req_valid && out->req_ready) {
        d->line++;
        d->requests++;
    }
    if (in->rsp_ready && out->rsp_valid) {
        printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", d->cycle, out->rsp_id, out->rsp_outcome, out->rsp_ts);
        if (++d->answers % d->every == 0)
            d->hold_until = d->cycle + 1 + d->hold;
    }
    if (in->mem_rsp_valid)
        d->memory_answer = NULL;
    if (in->mem_ready && out->mem_valid) {
        d->memory_free = d->cycle + MEMORY_CYCLES;
        d->accesses++;
        if (out->mem_write)
            memcpy(d->memory[out->mem_addr], out->mem_wdata, sizeof out->mem_wdata);
        else
            d->memory_answer = d->memory[out->mem_addr];
    }
}

static void run(struct driver *d)
{
    const struct cw_unit_ops *model = &cw_validation_unit_unit.c_model;
    uint64_t last = 0;
    const struct cw_script_line *l;
    while ((l = next_request(d)) != NULL || d->cycle <= last + DRAIN_CYCLES) {
        struct cw_validation_unit_in in;
        struct cw_validation_unit_out out;
        if (l != NULL)
            last = d->cycle;
        drive(d, l, &in);
        model->eval(d->unit, &in, &out);
        react(d, &in, &out);
        model->tick(d->unit, &in);
        d->cycle++;
    }
}

int main(int argc, char **argv)
{
    static const struct cw_unit *const units[] = {&cw_validation_unit_unit, NULL};
    struct cw_script script;
    struct cw_error err;
    int status = 2;
    memset(&script, 0, sizeof script);
    if (argc != 2 && argc != 4) {
        fprintf(stderr, "usage: replay_c FILE.stim [EVERY CYCLES]\n");
    } else if (cw_script_read(&script, argv[1], units, &err) != CW_OK) {
        fprintf(stderr, "replay_c: %s\n", err.text);
    } else {
        const struct cw_validation_unit_params *p = script.params;
        struct driver d = {.script = &script,
                           .every = argc == 4 ? strtoull(argv[2], NULL, 0) : UINT64_MAX,
                           .hold = argc == 4 ? strtoull(argv[3], NULL, 0) : 0,
                           .memory = calloc((size_t)1 << p->overflow_w, sizeof *d.memory)};
        if (d.memory != NULL && cw_validation_unit_unit.c_model.create(&d.unit, p) == CW_OK) {
            run(&d);
            cw_validation_unit_unit.c_model.destroy(d.unit);
            fprintf(stderr, "%" PRIu64 " requests, %" PRIu64 " answers, %" PRIu64 " accesses of the overflow area\n", d.requests, d.answers,
                    d.accesses);
            status = 0;
        }
        free(d.memory);
    }
    cw_script_destroy(&script);
    return status;
}
