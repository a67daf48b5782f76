/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "play/record.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "file/out_file.h"

struct cw_recorder {
    const struct cw_unit_provider *inner;
    char *instance;
    char *other; /* an instance that is not the one, for the message; NULL: none has been opened */
    struct cw_out_file file;
    bool open;
    struct cw_unit_instance unit; /* behind the one recorded; ops NULL: none so far */
    void *params, *in, *out;
    struct cw_port *port;
    bool taken; /* in and out are those of a clock edge that is not written yet */
};

static void recorder_destroy_unit(void *self)
{
    struct cw_recorder *r = self;
    r->unit.ops->destroy(r->unit.self);
}

static void recorder_reset(void *self)
{
    struct cw_recorder *r = self;
    r->unit.ops->reset(r->unit.self);
}

static void recorder_eval(void *self, const void *in, void *out)
{
    struct cw_recorder *r = self;
    r->unit.ops->eval(r->unit.self, in, out);
    memcpy(r->out, out, r->unit.unit->out_size);
}

static void recorder_tick(void *self, const void *in)
{
    struct cw_recorder *r = self;
    memcpy(r->in, in, r->unit.unit->in_size);
    r->taken = true;
    r->unit.ops->tick(r->unit.self, in);
}

/* A step has written its edge before anybody saves. */
static void recorder_state(void *self, struct cw_state *s)
{
    struct cw_recorder *r = self;
    cw_unit_state_behind(s, &r->unit);
}

static const struct cw_unit_ops recorder_ops = {
    .destroy = recorder_destroy_unit, .reset = recorder_reset, .eval = recorder_eval, .tick = recorder_tick, .state = recorder_state};

static int recorder_open(void *context, const struct cw_unit *unit, const char *name, const void *params, struct cw_unit_instance *instance,
                         struct cw_error *err)
{
    struct cw_recorder *r = context;
    if (r->unit.ops != NULL || strcmp(name, r->instance) != 0) {
        if (r->other == NULL && (r->other = strdup(name)) == NULL)
            return cw_fail(err, CW_ENOMEM, "out of memory");
        return r->inner->open(r->inner->context, unit, name, params, instance, err);
    }
    r->params = malloc(unit->params_size);
    r->in = calloc(1, unit->in_size);
    r->out = calloc(1, unit->out_size);
    r->port = calloc(unit->port_cnt, sizeof *r->port);
    if (r->params == NULL || r->in == NULL || r->out == NULL || r->port == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    int status = r->inner->open(r->inner->context, unit, name, params, &r->unit, err);
    if (status != CW_OK) {
        r->unit.ops = NULL;
        return status;
    }
    memcpy(r->params, params, unit->params_size);
    unit->ports(params, r->port);
    *instance = (struct cw_unit_instance){.unit = unit, .ops = &recorder_ops, .self = r};
    return CW_OK;
}

static int recorder_poll(void *context, struct cw_error *err)
{
    const struct cw_recorder *r = context;
    return r->inner->poll != NULL ? r->inner->poll(r->inner->context, err) : CW_OK;
}

int cw_recorder_create(struct cw_recorder **recorder, struct cw_unit_provider *outer, const struct cw_unit_provider *inner,
                       const struct cw_recorder_options *options, struct cw_error *err)
{
    struct cw_recorder *r = *recorder = calloc(1, sizeof *r);
    if (r == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    r->inner = inner;
    r->instance = strdup(options->instance);
    if (r->instance == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    *outer = (struct cw_unit_provider){r, recorder_open, recorder_poll};
    int status = cw_out_file_open(&r->file, options->path, err);
    r->open = status == CW_OK;
    return status;
}

static bool ends_with(const char *name, const char *suffix)
{
    const size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

int cw_recorder_begin(struct cw_recorder *r, uint32_t mhz, struct cw_error *err)
{
    const struct cw_unit *unit = r->unit.unit;
    if (r->unit.ops == NULL && r->other == NULL)
        return cw_fail(err, CW_EINVAL, "record '%.60s': this GPU has no hardware units; choose a transactional system", r->instance);
    if (r->unit.ops == NULL)
        return cw_fail(err, CW_EINVAL, "record '%.60s': there is no such unit instance; there is, for instance, %s", r->instance, r->other);
    FILE *f = r->file.file;
    fprintf(f, "# SPDX-License-Identifier: Apache-2.0\nunit %s\ninstance %s\nclock %u\n", unit->name, r->instance, mhz);
    for (uint32_t i = 0; i < unit->param_cnt; i++) {
        uint32_t value;
        memcpy(&value, (const char *)r->params + unit->params[i].offset, sizeof value);
        fprintf(f, "param %s=%u\n", unit->params[i].name, value);
    }
    fprintf(f, "hold");
    for (uint32_t i = 0; i < unit->port_cnt; i++)
        if (r->port[i].dir == CW_PORT_IN && ends_with(r->port[i].name, "_ready"))
            fprintf(f, " %s=1", r->port[i].name);
    fprintf(f, "\n");
    return CW_OK;
}

static uint64_t scalar(const void *ports, const struct cw_port *port)
{
    uint64_t value;
    memcpy(&value, (const char *)ports + port->offset, sizeof value);
    return value;
}

/* Whether the channel ("req", of length n) has moved something: valid goes in, ready comes out. */
static bool transferred(const struct cw_recorder *r, const struct cw_port *valid, size_t n)
{
    for (uint32_t i = 0; scalar(r->in, valid) != 0 && i < r->unit.unit->port_cnt; i++)
        if (r->port[i].dir == CW_PORT_OUT && strncmp(r->port[i].name, valid->name, n + 1) == 0 &&
            strcmp(r->port[i].name + n + 1, "ready") == 0)
            return scalar(r->out, &r->port[i]) != 0;
    return false;
}

void cw_recorder_step(struct cw_recorder *r, uint64_t cycle)
{
    if (!r->taken || !r->open)
        return;
    r->taken = false;
    for (uint32_t c = 0; c < r->unit.unit->port_cnt; c++) {
        const struct cw_port *valid = &r->port[c];
        const size_t n = strlen(valid->name) - strlen("_valid");
        if (valid->dir != CW_PORT_IN || !ends_with(valid->name, "_valid") || !transferred(r, valid, n))
            continue;
        fprintf(r->file.file, "@%" PRIu64 " send %.*s", cycle, (int)n, valid->name);
        for (uint32_t i = 0; i < r->unit.unit->port_cnt; i++)
            if (r->port[i].dir == CW_PORT_IN && i != c && r->port[i].words == 0 && strncmp(r->port[i].name, valid->name, n + 1) == 0 &&
                scalar(r->in, &r->port[i]) != 0)
                fprintf(r->file.file, " %s=0x%" PRIx64, r->port[i].name + n + 1, scalar(r->in, &r->port[i]));
        fprintf(r->file.file, "\n");
    }
}

int cw_recorder_close(struct cw_recorder *r, struct cw_error *err)
{
    if (!r->open)
        return CW_OK;
    r->open = false;
    return cw_out_file_close(&r->file, err);
}

void cw_recorder_destroy(struct cw_recorder *r)
{
    if (r == NULL)
        return;
    if (r->open)
        cw_out_file_discard(&r->file);
    free(r->instance);
    free(r->other);
    free(r->params);
    free(r->in);
    free(r->out);
    free(r->port);
    free(r);
}
