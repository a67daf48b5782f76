/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the version index table (contract: include/cowarp/unit/version_index_table.h). */
#include "cowarp/unit/version_index_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"

typedef struct cw_version_index_table_in index_in;
typedef struct cw_version_index_table_out index_out;

#define SLOTS_MAX   16u
#define REGIONS_MAX 64u
#define NO_SLOT     UINT32_MAX

struct version {
    enum cw_version_state state;
    uint64_t time, count;
};

struct region {
    bool used;
    uint64_t first, end, far, shift, stride, moved;
};

/* What is known of an answer, but for ans_valid. */
struct answer {
    bool valid, versioned, found;
    uint64_t slot, state, row;
};

struct table {
    struct cw_version_index_table_params p;
    uint64_t row_mask, time_mask, stride_mask, count_max;
    struct version version[SLOTS_MAX];
    struct region region[REGIONS_MAX];
    uint32_t region_end; /* no entry from here on is used */
    bool refused;
    struct answer next, current; /* to the look-up of the last cycle, and of the one before */
};

static void restart(struct table *t, uint32_t slot, uint64_t time)
{
    for (uint32_t i = 0; i < t->p.versions; i++)
        t->version[i] = (struct version){.state = CW_VERSION_S4};
    t->version[slot] = (struct version){.state = CW_VERSION_S3, .time = time};
}

static void table_reset(void *self)
{
    struct table *t = self;
    restart(t, 0, 0);
    memset(t->region, 0, sizeof t->region);
    t->region_end = 0;
    t->refused = false;
    t->next = t->current = (struct answer){.valid = false};
}

static int table_create(void **self, const void *params)
{
    const struct cw_version_index_table_params *p = params;
    if (cw_unit_params_check(&cw_version_index_table_unit, p, NULL) != CW_OK || p->stride_w > p->row_w)
        return CW_EINVAL;
    struct table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return CW_ENOMEM;
    t->p = *p;
    t->row_mask = (UINT64_C(1) << p->row_w) - 1;
    t->time_mask = (UINT64_C(1) << p->time_w) - 1;
    t->stride_mask = (UINT64_C(1) << p->stride_w) - 1;
    t->count_max = (UINT64_C(1) << p->count_w) - 1;
    table_reset(t);
    *self = t;
    return CW_OK;
}

static void table_destroy(void *self)
{
    free(self);
}

static void table_eval(void *self, const void *inputs, void *outputs)
{
    const struct table *t = self;
    const struct answer *a = &t->current;
    index_out *out = outputs;
    (void)inputs;
    memset(out, 0, sizeof *out);
    if (a->valid) {
        out->ans_valid = 1;
        out->ans_versioned = a->versioned;
        out->ans_found = a->found;
        out->ans_slot = a->slot;
        out->ans_state = a->state;
        out->ans_row = a->row;
    }
    out->op_refused = t->refused;
    for (uint32_t i = 0; i < t->p.versions; i++) {
        out->readable |= (uint64_t)(t->version[i].state == CW_VERSION_S3) << i;
        out->held |= (uint64_t)(t->version[i].count > 0) << i;
    }
    out->idle = !t->next.valid && !a->valid && !t->refused;
}

/* Look-ups */

/* The readable version with the largest time up to that one; NO_SLOT: none. */
static uint32_t newest_until(const struct table *t, uint64_t time)
{
    uint32_t best = NO_SLOT;
    for (uint32_t i = 0; i < t->p.versions; i++)
        if (t->version[i].state == CW_VERSION_S3 && t->version[i].time <= time &&
            (best == NO_SLOT || t->version[i].time > t->version[best].time))
            best = i;
    return best;
}

static uint32_t slot_of(const struct table *t, const index_in *in)
{
    const uint64_t kind = in->qry_kind & 3, slot = in->qry_slot & 15;
    if (kind == CW_VERSION_SNAPSHOT)
        return newest_until(t, in->qry_time & t->time_mask);
    if (kind == CW_VERSION_NEWEST)
        return newest_until(t, t->time_mask);
    return slot < t->p.versions ? (uint32_t)slot : NO_SLOT;
}

static void look_up(struct table *t, const index_in *in)
{
    const uint64_t row = in->qry_row & t->row_mask;
    struct answer *a = &t->next;
    const struct region *r = NULL;
    *a = (struct answer){.valid = true, .row = row};
    for (uint32_t i = 0; i < t->region_end && r == NULL; i++)
        if (t->region[i].used && t->region[i].first <= row && row < t->region[i].far)
            r = t->region + i;
    if (r == NULL)
        return;
    a->versioned = row < r->end;
    if (!a->versioned) {
        a->row = (row + r->moved) & t->row_mask;
        return;
    }
    const uint32_t slot = slot_of(t, in);
    a->row = 0;
    if (slot == NO_SLOT)
        return;
    a->found = true;
    a->slot = slot;
    a->state = t->version[slot].state;
    a->row = (row + r->shift + slot * r->stride) & t->row_mask;
}

/* Operations */

static bool close_version(struct table *t, struct version *v, uint64_t time)
{
    if (v->state != CW_VERSION_S2 || time <= t->version[newest_until(t, t->time_mask)].time)
        return false;
    *v = (struct version){.state = CW_VERSION_S3, .time = time};
    return true;
}

static bool advance(struct version *v, enum cw_version_state from, enum cw_version_state to)
{
    if (v->state != from)
        return false;
    v->state = to;
    return true;
}

static bool free_version(const struct table *t, struct version *v)
{
    if (v == t->version + newest_until(t, t->time_mask) || v->count > 0)
        return false;
    return advance(v, CW_VERSION_S3, CW_VERSION_S4);
}

static bool hold(const struct table *t, struct version *v, uint64_t cnt)
{
    if (v->state != CW_VERSION_S3 || v->count + cnt > t->count_max)
        return false;
    v->count += cnt;
    return true;
}

static bool release(struct version *v, uint64_t cnt)
{
    if (v->state != CW_VERSION_S3 || v->count < cnt)
        return false;
    v->count -= cnt;
    return true;
}

static bool renumber(const struct table *t, struct version *v, uint64_t time)
{
    uint32_t others = 0;
    for (uint32_t i = 0; i < t->p.versions; i++)
        others += t->version + i != v && t->version[i].state == CW_VERSION_S3;
    if (v->state != CW_VERSION_S3 || v->count > 0 || others > 0)
        return false;
    v->time = time;
    return true;
}

/* Whether the operation is allowed. */
static bool operate(struct table *t, const index_in *in)
{
    const uint32_t slot = in->op_slot & 15;
    const uint64_t time = in->op_time & t->time_mask, cnt = in->op_cnt & 63;
    struct version *v = t->version + slot;
    if (slot >= t->p.versions)
        return false;
    switch ((enum cw_version_op)(in->op_kind & 7)) {
    case CW_VERSION_COPY:
        return advance(v, CW_VERSION_S4, CW_VERSION_S1);
    case CW_VERSION_READY:
        return advance(v, CW_VERSION_S1, CW_VERSION_S2);
    case CW_VERSION_CLOSE:
        return close_version(t, v, time);
    case CW_VERSION_FREE:
        return free_version(t, v);
    case CW_VERSION_HOLD:
        return hold(t, v, cnt);
    case CW_VERSION_RELEASE:
        return release(v, cnt);
    case CW_VERSION_RESTART:
        restart(t, slot, time);
        return true;
    default:
        return renumber(t, v, time);
    }
}

static void set_region(struct table *t, const index_in *in)
{
    const uint32_t i = in->set_index & 63;
    if (i >= t->p.regions)
        return;
    t->region[i] = (struct region){.used = (in->set_used & 1) != 0,
                                   .first = in->set_first & t->row_mask,
                                   .end = in->set_end & t->row_mask,
                                   .far = in->set_far & t->row_mask,
                                   .shift = in->set_shift & t->row_mask,
                                   .stride = in->set_stride & t->stride_mask,
                                   .moved = in->set_moved & t->row_mask};
    t->region_end = t->region_end > i + 1 ? t->region_end : i + 1;
    while (t->region_end > 0 && !t->region[t->region_end - 1].used)
        t->region_end--;
}

static void table_tick(void *self, const void *inputs)
{
    struct table *t = self;
    const index_in *in = inputs;
    t->current = t->next;
    t->next.valid = false;
    if (in->qry_valid)
        look_up(t, in);
    t->refused = in->op_valid && !operate(t, in);
    if (in->set_valid)
        set_region(t, in);
}

static void region_state(struct cw_state *s, struct region *r)
{
    CW_STATE(s, r->used);
    CW_STATE(s, r->first);
    CW_STATE(s, r->end);
    CW_STATE(s, r->far);
    CW_STATE(s, r->shift);
    CW_STATE(s, r->stride);
    CW_STATE(s, r->moved);
}

static void answer_state(struct cw_state *s, struct answer *a)
{
    CW_STATE(s, a->valid);
    CW_STATE(s, a->versioned);
    CW_STATE(s, a->found);
    CW_STATE(s, a->slot);
    CW_STATE(s, a->state);
    CW_STATE(s, a->row);
}

static void table_state(void *self, struct cw_state *s)
{
    struct table *t = self;
    for (uint32_t i = 0; i < t->p.versions; i++) {
        CW_STATE(s, t->version[i].state);
        CW_STATE(s, t->version[i].time);
        CW_STATE(s, t->version[i].count);
    }
    for (uint32_t i = 0; i < t->p.regions; i++)
        region_state(s, &t->region[i]);
    cw_state_count(s, "regions", &t->region_end, t->p.regions);
    CW_STATE(s, t->refused);
    answer_state(s, &t->next);
    answer_state(s, &t->current);
}

#define CW_UNIT__PARAMS_T struct cw_version_index_table_params
#define CW_UNIT__IN_T     struct cw_version_index_table_in
#define CW_UNIT__OUT_T    struct cw_version_index_table_out
CW_UNIT_DEFINE_WORDS(version_index_table, CW_VERSION_INDEX_TABLE_PARAMS, CW_VERSION_INDEX_TABLE_PORTS, CW_VERSION_INDEX_TABLE_WORDS,
                     table_create, table_destroy, table_reset, table_eval, table_tick, table_state);
