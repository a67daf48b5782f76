/* SPDX-License-Identifier: Apache-2.0 */
/* Hears of the launches' events, and has each lane's access looked at. */
#include "check/sanitizer.h"

#include <assert.h>
#include <stdlib.h>

#include "check/sanitizer_private.h"

static struct cw_sanitizer_block *block_of(const struct cw_sanitizer *s, uint32_t core, uint32_t slot)
{
    const uint32_t i = core * CW_SANITIZER_BLOCKS + slot;
    assert(i < s->block_cnt);
    return s->block[i];
}

static void begin_block(struct cw_sanitizer *s, const struct cw_event *e)
{
    struct cw_sanitizer_block **place = &s->block[e->core * CW_SANITIZER_BLOCKS + e->u.block.slot];
    if (*place == NULL)
        *place = calloc(1, sizeof **place);
    if (*place == NULL) {
        s->out_of_memory = true;
        return;
    }
    (*place)->bytes = s->launch.shared_bytes;
    if (cw_sanitizer__race_begin(s, *place) && cw_sanitizer__init_begin(s, *place))
        return;
    s->out_of_memory = true;
    (*place)->bytes = 0;
}

static bool is_strong(const struct cw_event *e)
{
    const struct cw_uop *u = e->u.lanes.uop;
    return u->op == CW_OP_ATOM || (u->flags & (CW_UF_VOLATILE | CW_UF_ACQUIRE | CW_UF_RELEASE)) != 0 || e->u.lanes.in_region;
}

static void access_lane(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a)
{
    const bool shared = a->event->u.lanes.space == CW_SPACE_SHARED;
    if (shared && (b == NULL || a->addr + a->bytes > b->bytes))
        return;
    if (shared && b->byte != NULL)
        cw_sanitizer__race(s, b, a);
    if ((s->config.checks & CW_CHECK_INIT) != 0)
        cw_sanitizer__init(s, b, a);
}

static void access(struct cw_sanitizer *s, const struct cw_event *e)
{
    struct cw_sanitizer_block *b = block_of(s, e->core, e->u.lanes.block);
    const uint32_t width = s->config.config->core_warp_width;
    struct cw_sanitizer_access a = {.event = e, .bytes = (uint32_t)e->u.lanes.elem_bytes * e->u.lanes.vec, .strong = is_strong(e)};
    a.loads = e->u.lanes.uop->op != CW_OP_ST;
    a.stores = e->u.lanes.uop->op != CW_OP_LD;
    if (b != NULL && b->byte != NULL && !s->launch.kernel->threads_apart && e->u.lanes.space == CW_SPACE_SHARED)
        cw_race__step(&b->order, e->u.lanes.number);
    for (uint32_t left = e->u.lanes.lanes; left != 0; left &= left - 1) {
        a.lane = (uint32_t)__builtin_ctz(left);
        a.thread = e->u.lanes.number * width + e->u.lanes.half * CW_LANES + a.lane;
        a.addr = e->u.lanes.addr[a.lane];
        access_lane(s, b, &a);
    }
}

static void hear(void *self, const struct cw_event *e)
{
    struct cw_sanitizer *s = self;
    if (e->type == CW_EVENT_BLOCK_BEGIN) {
        begin_block(s, e);
    } else if (e->type == CW_EVENT_LANES) {
        access(s, e);
    } else {
        struct cw_sanitizer_block *b = block_of(s, e->core, e->u.sync.block);
        if (b != NULL && b->byte != NULL)
            s->out_of_memory |= !cw_race__sync(&b->order, e);
    }
}

/* The sanitizer */

int cw_sanitizer_create(struct cw_sanitizer **out, const struct cw_sanitizer_config *config, struct cw_error *err)
{
    struct cw_sanitizer *s = *out = calloc(1, sizeof *s);
    if (s == NULL)
        return cw_fail(err, CW_ENOMEM, "sanitizer: out of host memory");
    s->config = *config;
    s->block_cnt = config->config->core_count * CW_SANITIZER_BLOCKS;
    s->block = calloc(s->block_cnt, sizeof *s->block);
    s->place = calloc(CW_SANITIZER_PLACES, sizeof *s->place);
    s->fresh_bytes = (uint64_t)config->config->mem_mbytes << 20;
    if ((config->checks & CW_CHECK_INIT) != 0)
        s->fresh = calloc(s->fresh_bytes / 8 + 1, 1); /* of which the host gives pages only where something is allocated */
    uint32_t types = 0;
    if ((config->checks & (CW_CHECK_RACE | CW_CHECK_INIT)) != 0)
        types = 1u << CW_EVENT_BLOCK_BEGIN | 1u << CW_EVENT_LANES;
    if ((config->checks & CW_CHECK_RACE) != 0)
        types |= 1u << CW_EVENT_SYNC;
    for (uint32_t i = 0; i < 2; i++)
        s->listener[i] = (struct cw_event_listener){.types = types, .self = s, .hear = hear};
    if (s->block != NULL && s->place != NULL && (s->fresh != NULL || (config->checks & CW_CHECK_INIT) == 0))
        return CW_OK;
    cw_sanitizer_destroy(s);
    *out = NULL;
    return cw_fail(err, CW_ENOMEM, "sanitizer: out of host memory");
}

void cw_sanitizer_destroy(struct cw_sanitizer *s)
{
    if (s == NULL)
        return;
    for (uint32_t i = 0; s->block != NULL && i < s->block_cnt; i++)
        if (s->block[i] != NULL) {
            cw_race__free(&s->block[i]->order);
            free(s->block[i]->byte);
            free(s->block[i]->written);
            free(s->block[i]);
        }
    free(s->block);
    free(s->place);
    free(s->fresh);
    free(s);
}

struct cw_event_listener *cw_sanitizer_listener(struct cw_sanitizer *s, uint32_t which)
{
    return &s->listener[which];
}

void cw_sanitizer_launch(struct cw_sanitizer *s, const struct cw_sanitizer_launch *launch)
{
    s->launch = *launch;
}

bool cw_sanitizer_incomplete(const struct cw_sanitizer *s)
{
    return s->out_of_memory;
}
