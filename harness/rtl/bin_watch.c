/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "bin_watch.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/state.h"
#include "rtl_place.h"

struct watched {
    const struct cw_unit *unit;
    struct cw_bins *bins;
};

struct cw_bin_watch {
    const struct cw_unit_provider *inner;
    struct watched *watched;
    uint32_t watched_cnt;
};

/* One unit of the machine. */
struct instance {
    struct cw_unit_instance inner;
    struct cw_bin_probe *probe;
    void *out;
};

static void instance_destroy(void *self)
{
    struct instance *s = self;
    if (s->inner.self != NULL)
        s->inner.ops->destroy(s->inner.self);
    cw_bin_probe_destroy(s->probe);
    free(s->out);
    free(s);
}

static void instance_reset(void *self)
{
    struct instance *s = self;
    cw_bin_probe_reset(s->probe);
    s->inner.ops->reset(s->inner.self);
}

static void instance_eval(void *self, const void *in, void *out)
{
    struct instance *s = self;
    s->inner.ops->eval(s->inner.self, in, out);
}

/* Evaluated once more: whoever needs no output of a cycle need not have asked for it. */
static void instance_tick(void *self, const void *in)
{
    struct instance *s = self;
    s->inner.ops->eval(s->inner.self, in, s->out);
    cw_bin_probe_cycle(s->probe, in, s->out);
    s->inner.ops->tick(s->inner.self, in);
}

/* The history that bins look at is not saved: what is loaded begins without, as after a reset. */
static void instance_state(void *self, struct cw_state *s)
{
    struct instance *i = self;
    if (cw_state_loads(s))
        cw_bin_probe_reset(i->probe);
    cw_unit_state_behind(s, &i->inner);
}

static const struct cw_unit_ops instance_ops = {
    .destroy = instance_destroy, .reset = instance_reset, .eval = instance_eval, .tick = instance_tick, .state = instance_state};

/* Path of the unit's file; whether it is there. */
static bool find_file(char path[CW_PATH_MAX], const struct cw_unit *unit)
{
    char name[128];
    snprintf(name, sizeof name, CW_PLACE_SOURCE "/tests/rtl/bins/%s.txt", unit->name);
    return unit->home == NULL && cw_place(path, name);
}

/* The unit's bins, read when its first instance is opened; *bins is NULL for a unit without. */
static int bins_of(struct cw_bin_watch *w, const struct cw_unit *unit, struct cw_bins **bins, struct cw_error *err)
{
    char path[CW_PATH_MAX];
    for (uint32_t i = 0; i < w->watched_cnt; i++)
        if (w->watched[i].unit == unit) {
            *bins = w->watched[i].bins;
            return CW_OK;
        }
    *bins = NULL;
    if (!find_file(path, unit))
        return CW_OK;
    struct watched *more = realloc(w->watched, (w->watched_cnt + 1) * sizeof *more);
    if (more == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    w->watched = more;
    const int status = cw_bins_open(bins, unit, path, err);
    if (status == CW_OK)
        w->watched[w->watched_cnt++] = (struct watched){unit, *bins};
    return status;
}

static int watch_open(void *context, const struct cw_unit *unit, const char *name, const void *params, struct cw_unit_instance *instance,
                      struct cw_error *err)
{
    struct cw_bin_watch *w = context;
    struct cw_bins *bins;
    int status = bins_of(w, unit, &bins, err);
    if (status != CW_OK || bins == NULL)
        return status != CW_OK ? status : w->inner->open(w->inner->context, unit, name, params, instance, err);
    struct instance *s = calloc(1, sizeof *s);
    if (s == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    s->probe = cw_bin_probe_create(bins, params);
    s->out = calloc(1, unit->out_size);
    status = s->probe == NULL || s->out == NULL ? cw_fail(err, CW_ENOMEM, "out of memory")
                                                : w->inner->open(w->inner->context, unit, name, params, &s->inner, err);
    if (status != CW_OK) {
        s->inner.self = NULL;
        instance_destroy(s);
        return status;
    }
    *instance = (struct cw_unit_instance){.unit = unit, .ops = &instance_ops, .self = s};
    return CW_OK;
}

static int watch_poll(void *context, struct cw_error *err)
{
    const struct cw_bin_watch *w = context;
    return w->inner->poll != NULL ? w->inner->poll(w->inner->context, err) : CW_OK;
}

int cw_bin_watch_create(struct cw_bin_watch **watch, struct cw_unit_provider *outer, const struct cw_unit_provider *inner,
                        struct cw_error *err)
{
    struct cw_bin_watch *w = *watch = calloc(1, sizeof *w);
    if (w == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    w->inner = inner;
    *outer = (struct cw_unit_provider){w, watch_open, watch_poll};
    return CW_OK;
}

void cw_bin_watch_destroy(struct cw_bin_watch *w)
{
    if (w == NULL)
        return;
    for (uint32_t i = 0; i < w->watched_cnt; i++)
        cw_bins_close(w->watched[i].bins);
    free(w->watched);
    free(w);
}

const struct cw_bins *cw_bin_watch_at(const struct cw_bin_watch *w, uint32_t i, const char **unit)
{
    if (i >= w->watched_cnt)
        return NULL;
    *unit = w->watched[i].unit->name;
    return w->watched[i].bins;
}
