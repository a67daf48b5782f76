/* SPDX-License-Identifier: Apache-2.0 */
/* A hardware unit's C model by itself. */
#include <stdlib.h>
#include <string.h>

#include "api.h"

/* Every unit of the build: CMake defines CW_UNITS as CW_UNIT_NAMED(a) CW_UNIT_NAMED(b) ... from the cw_add_unit calls. */
#define CW_UNIT_NAMED(u) extern const struct cw_unit cw_##u##_unit;
CW_UNITS
#undef CW_UNIT_NAMED
#define CW_UNIT_NAMED(u) &cw_##u##_unit,
static const struct cw_unit *const units[] = {CW_UNITS NULL};

struct cowarp_unit {
    const struct cw_unit *unit;
    void *self, *params, *in, *out;
    struct cw_port *port;
};

const struct cw_unit *const *cowarp__units(void)
{
    return units;
}

static int find_unit(const struct cw_unit **unit, const char *name, struct cw_error *err)
{
    const char *names[sizeof units / sizeof units[0]];
    uint32_t cnt = 0;
    for (; units[cnt] != NULL; cnt++) {
        names[cnt] = units[cnt]->name;
        if (strcmp(names[cnt], name) == 0) {
            *unit = units[cnt];
            return CW_OK;
        }
    }
    const char *near = cw_nearest(name, names, cnt);
    return cw_fail(err, CW_EINVAL, "there is no unit '%.60s'; %s%s", name, near != NULL ? "did you mean " : "'cowarp unit' lists them",
                   near != NULL ? near : "");
}

/* "width=8" or "WIDTH=8". */
static int set_param(const struct cw_unit *unit, void *params, const char *text, struct cw_error *err)
{
    const char *equals = strchr(text, '=');
    char *end = NULL;
    const unsigned long value = equals != NULL ? strtoul(equals + 1, &end, 0) : 0;
    if (equals == NULL || end == equals + 1 || *end != '\0' || value > UINT32_MAX)
        return cw_fail(err, CW_EINVAL, "parameter '%.60s': give NAME=NUMBER", text);
    const size_t length = (size_t)(equals - text);
    for (uint32_t i = 0; i < unit->param_cnt; i++) {
        const struct cw_param *p = &unit->params[i];
        const uint32_t narrow = (uint32_t)value;
        if ((strlen(p->name) != length || strncmp(p->name, text, length) != 0) &&
            (strlen(p->verilog_name) != length || strncmp(p->verilog_name, text, length) != 0))
            continue;
        memcpy((char *)params + p->offset, &narrow, sizeof narrow);
        return CW_OK;
    }
    return cw_fail(err, CW_EINVAL, "unit %s has no parameter '%.*s'; its datasheet in docs/units lists them", unit->name, (int)length,
                   text);
}

static int set_params(struct cowarp_unit *u, const char *text, struct cw_error *err)
{
    char word[80];
    int status = CW_OK;
    cw_unit_params_default(u->unit, u->params);
    for (const char *at = text != NULL ? text : ""; status == CW_OK && *(at += strspn(at, " ,")) != '\0';) {
        const size_t length = strcspn(at, " ,");
        if (length >= sizeof word)
            return cw_fail(err, CW_EINVAL, "parameter '%.60s': is too long", at);
        memcpy(word, at, length);
        word[length] = '\0';
        status = set_param(u->unit, u->params, word, err);
        at += length;
    }
    return status == CW_OK ? cw_unit_params_check(u->unit, u->params, err) : status;
}

static int make(struct cowarp_unit *u, const char *params, struct cw_error *err)
{
    u->params = calloc(1, u->unit->params_size + 1);
    u->in = calloc(1, u->unit->in_size + 1);
    u->out = calloc(1, u->unit->out_size + 1);
    u->port = calloc(u->unit->port_cnt + 1u, sizeof *u->port);
    if (u->params == NULL || u->in == NULL || u->out == NULL || u->port == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    int status = set_params(u, params, err);
    if (status != CW_OK)
        return status;
    u->unit->ports(u->params, u->port);
    status = u->unit->c_model.create(&u->self, u->params);
    return status == CW_OK ? CW_OK : cw_fail(err, status, "unit %s cannot be made with these parameters", u->unit->name);
}

int cowarp_unit_open(struct cowarp_unit **unit, const char *name, const char *params, char *error, uint32_t bytes)
{
    struct cw_error err = {""};
    struct cowarp_unit *u = calloc(1, sizeof *u);
    *unit = NULL;
    int status = u != NULL ? find_unit(&u->unit, name, &err) : cw_fail(&err, CW_ENOMEM, "out of memory");
    if (status == CW_OK)
        status = make(u, params, &err);
    if (status == CW_OK) {
        *unit = u;
        cowarp_unit_eval(u);
    } else {
        cowarp_unit_close(u);
    }
    if (error != NULL && bytes > 0)
        snprintf(error, bytes, "%s", err.text);
    return status;
}

void cowarp_unit_close(struct cowarp_unit *unit)
{
    if (unit == NULL)
        return;
    if (unit->self != NULL)
        unit->unit->c_model.destroy(unit->self);
    free(unit->params);
    free(unit->in);
    free(unit->out);
    free(unit->port);
    free(unit);
}

int cowarp_unit_port(const struct cowarp_unit *unit, uint32_t i, const char **name, uint32_t *bits, int *is_input)
{
    if (i >= unit->unit->port_cnt)
        return 0;
    *name = unit->port[i].name;
    *bits = unit->port[i].width;
    *is_input = unit->port[i].dir == CW_PORT_IN;
    return 1;
}

/* Bits of 64 * part .. 64 * part + 63 that the port has; 0: none. */
static uint32_t bits_of(const struct cowarp_unit *unit, uint32_t port, uint32_t part)
{
    const uint32_t width = port < unit->unit->port_cnt ? unit->port[port].width : 0;
    return width <= 64 * part ? 0 : width - 64 * part < 64 ? width - 64 * part : 64;
}

static uint8_t *place_of(const struct cowarp_unit *unit, uint32_t port, uint32_t part)
{
    const struct cw_port *p = &unit->port[port];
    return (uint8_t *)(p->dir == CW_PORT_IN ? unit->in : unit->out) + p->offset + 8 * part;
}

/* A wide port is words of 32 bits, so the last part may have one only. */
static uint32_t bytes_of(const struct cowarp_unit *unit, uint32_t port, uint32_t part)
{
    return unit->port[port].words != 0 && bits_of(unit, port, part) <= 32 ? 4 : 8;
}

int cowarp_unit_set(struct cowarp_unit *unit, uint32_t port, uint32_t part, uint64_t value)
{
    const uint32_t bits = bits_of(unit, port, part);
    if (bits == 0 || unit->port[port].dir != CW_PORT_IN || (bits < 64 && value >> bits != 0))
        return COWARP_EINVAL;
    memcpy(place_of(unit, port, part), &value, bytes_of(unit, port, part));
    return COWARP_OK;
}

uint64_t cowarp_unit_get(const struct cowarp_unit *unit, uint32_t port, uint32_t part)
{
    uint64_t value = 0;
    if (bits_of(unit, port, part) != 0)
        memcpy(&value, place_of(unit, port, part), bytes_of(unit, port, part));
    return value;
}

void cowarp_unit_eval(struct cowarp_unit *unit)
{
    unit->unit->c_model.eval(unit->self, unit->in, unit->out);
}

void cowarp_unit_tick(struct cowarp_unit *unit)
{
    cowarp_unit_eval(unit);
    unit->unit->c_model.tick(unit->self, unit->in);
}

void cowarp_unit_reset(struct cowarp_unit *unit)
{
    unit->unit->c_model.reset(unit->self);
    cowarp_unit_eval(unit);
}
