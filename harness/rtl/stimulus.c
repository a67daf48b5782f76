/* SPDX-License-Identifier: Apache-2.0 */
#include "stimulus.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PHASE_DEFAULT 128u
#define POOL_SIZE     32u
#define DENSITY_ONE   64u

struct cw_stimulus {
    const struct cw_unit *unit;
    struct cw_port *port;
    uint32_t *density; /* of one-bit ports, in 64ths */
    struct cw_rng rng;
    uint32_t phase_cycles, phase_left;
    uint32_t pool_used; /* values of the pool in play: few of them collide, many of them fill */
    uint64_t pool[POOL_SIZE];
    cw_stimulus_constrain_fn *constrain;
    void *context;
};

struct cw_stimulus *cw_stimulus_create(const struct cw_unit *unit, const void *params, uint64_t seed, uint32_t phase_cycles,
                                       cw_stimulus_constrain_fn *constrain, void *context)
{
    struct cw_stimulus *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->unit = unit;
    s->phase_cycles = phase_cycles != 0 ? phase_cycles : PHASE_DEFAULT;
    s->constrain = constrain;
    s->context = context;
    s->port = calloc(unit->port_cnt, sizeof *s->port);
    s->density = calloc(unit->port_cnt, sizeof *s->density);
    if (s->port == NULL || s->density == NULL) {
        cw_stimulus_destroy(s);
        return NULL;
    }
    unit->ports(params, s->port);
    cw_rng_seed(&s->rng, seed);
    return s;
}

void cw_stimulus_destroy(struct cw_stimulus *s)
{
    if (s == NULL)
        return;
    free(s->port);
    free(s->density);
    free(s);
}

static bool ends_with(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);
    return n >= m && strcmp(name + n - m, suffix) == 0;
}

static void start_phase(struct cw_stimulus *s)
{
    static const uint32_t handshake[] = {0, 8, 8, 32, 32, 56, 56, 64};
    static const uint32_t pulse[] = {0, 0, 0, 0, 0, 1, 1, 32};
    for (uint32_t i = 0; i < s->unit->port_cnt; i++) {
        bool shaking = ends_with(s->port[i].name, "_valid") || ends_with(s->port[i].name, "_ready");
        s->density[i] = (shaking ? handshake : pulse)[cw_rng_below(&s->rng, 8)];
    }
    for (uint32_t i = 0; i < POOL_SIZE; i++)
        s->pool[i] = cw_rng_next(&s->rng) >> cw_rng_below(&s->rng, 64);
    s->pool_used = 1 + cw_rng_below(&s->rng, POOL_SIZE);
    s->phase_left = s->phase_cycles;
}

static uint64_t any_value(struct cw_stimulus *s)
{
    uint32_t choice = cw_rng_below(&s->rng, 32);
    if (choice == 0)
        return cw_rng_next(&s->rng);
    if (choice == 1)
        return cw_rng_below(&s->rng, 2) ? UINT64_MAX : 0;
    return s->pool[cw_rng_below(&s->rng, s->pool_used)];
}

static uint64_t mask_of(uint32_t width)
{
    return width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static void drive_port(struct cw_stimulus *s, uint32_t i, unsigned char *in)
{
    const struct cw_port *port = &s->port[i];
    uint64_t value;
    if (port->words == 0 && port->width == 1) {
        value = cw_rng_below(&s->rng, DENSITY_ONE) < s->density[i];
        memcpy(in + port->offset, &value, sizeof value);
    } else if (port->words == 0) {
        value = any_value(s) & mask_of(port->width);
        memcpy(in + port->offset, &value, sizeof value);
    } else {
        for (uint32_t w = 0; w < port->words; w++) {
            uint32_t word = (uint32_t)(any_value(s) & mask_of(port->width - 32 * w < 32 ? port->width - 32 * w : 32));
            memcpy(in + port->offset + 4 * w, &word, sizeof word);
        }
    }
}

void cw_stimulus_next(struct cw_stimulus *s, const void *last_out, void *in)
{
    if (s->phase_left == 0)
        start_phase(s);
    s->phase_left--;
    for (uint32_t i = 0; i < s->unit->port_cnt; i++)
        if (s->port[i].dir == CW_PORT_IN)
            drive_port(s, i, in);
    if (s->constrain != NULL)
        s->constrain(s->context, &s->rng, last_out, in);
}
