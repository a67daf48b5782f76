/* SPDX-License-Identifier: Apache-2.0 */
/* Hears of the launches' events, and has each lane's access looked at. */
#include "check/sanitizer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "check/sanitizer_private.h"
#include "ir/heap.h"
#include "mem/device_memory.h"

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

/* Malloc gives the block behind its header to a thread: of what was there before nobody hears any more. Of the heap's own words malloc and free
 * take care. */
static void access_heap(struct cw_sanitizer *s, const struct cw_sanitizer_access *a)
{
    const struct cw_event *e = a->event;
    if (e->u.lanes.uop->op != CW_OP_ST || a->bytes != sizeof(struct cw_heap_header))
        return;
    if (s->chunk != NULL)
        cw_race__forget(s, a->addr, CW_HEAP_HEADER + e->u.lanes.value[1][a->lane]);
    cw_sanitizer_fresh(s, a->addr + CW_HEAP_HEADER, e->u.lanes.value[1][a->lane]);
}

static void access_lane(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a)
{
    const bool shared = a->event->u.lanes.space == CW_SPACE_SHARED;
    if ((a->event->u.lanes.uop->flags & CW_UF_HEAP) != 0) {
        access_heap(s, a);
        return;
    }
    if (shared && (b == NULL || a->addr + a->bytes > b->bytes))
        return;
    if (shared && b->byte != NULL)
        cw_sanitizer__race(s, b, a);
    if (!shared && b != NULL && b->byte != NULL && a->event->u.lanes.space == CW_SPACE_GLOBAL && !cw_memory_is_pm(a->addr))
        cw_sanitizer__race_device(s, b, a);
    if ((s->config.checks & CW_CHECK_INIT) != 0)
        cw_sanitizer__init(s, b, a);
}

/* What the warp has acquired by its last strong load is known now: where launches have time its value has not come before. */
static void begin_access(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_event *e)
{
    struct cw_race_warp *w = &b->order.warp[e->u.lanes.number];
    const struct cw_exec *x = e->u.lanes.x;
    b->order.block = x->ctaid[0] + x->nctaid[0] * (x->ctaid[1] + x->nctaid[1] * x->ctaid[2]);
    if (w->reads != 0)
        s->out_of_memory |= !cw_race__collect_words(s, &b->order, e->u.lanes.number);
    if (w->acquires)
        s->out_of_memory |= !cw_race__acquire_words(s, &b->order, e->u.lanes.number, true);
    w->announces = w->fenced_last;
    w->fenced_last = false;
    w->acquires = e->u.lanes.uop->op != CW_OP_ST && (e->u.lanes.uop->flags & CW_UF_ACQUIRE) != 0;
}

/* Behind taking a lock. A barrier ends what a lock is for. */
static void note_fence(struct cw_race_warp *w, const struct cw_event *e)
{
    const uint8_t level = e->u.sync.id != CW_SCOPE_CTA ? 2 : 1;
    if (e->u.sync.kind == CW_SYNC_FENCE)
        w->lock_fence = level > w->lock_fence ? level : w->lock_fence;
    else if (e->u.sync.kind == CW_SYNC_ARRIVE)
        w->lock = 0;
}

static void sync(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_event *e)
{
    const bool gpu = e->u.sync.kind != CW_SYNC_FENCE || e->u.sync.id != CW_SCOPE_CTA;
    if (e->u.sync.kind == CW_SYNC_FENCE || e->u.sync.kind == CW_SYNC_ARRIVE || e->u.sync.kind == CW_SYNC_SIGNAL)
        s->out_of_memory |= !cw_race__acquire_words(s, &b->order, e->u.sync.number, gpu);
    if (e->u.sync.kind == CW_SYNC_PASS) {
        s->out_of_memory |= !cw_race__sync(&b->order, e);
        return;
    }
    b->order.warp[e->u.sync.number].fenced_last = e->u.sync.kind == CW_SYNC_FENCE;
    note_fence(&b->order.warp[e->u.sync.number], e);
    s->out_of_memory |= !cw_race__sync(&b->order, e);
}

static void access(struct cw_sanitizer *s, const struct cw_event *e)
{
    struct cw_sanitizer_block *b = block_of(s, e->core, e->u.lanes.block);
    const uint32_t width = s->config.config->core_warp_width;
    struct cw_sanitizer_access a = {.event = e, .bytes = (uint32_t)e->u.lanes.elem_bytes * e->u.lanes.vec, .strong = is_strong(e)};
    a.loads = e->u.lanes.uop->op != CW_OP_ST;
    a.stores = e->u.lanes.uop->op != CW_OP_LD;
    if (b != NULL && b->byte != NULL && !s->launch.kernel->threads_apart)
        cw_race__step(&b->order, e->u.lanes.number);
    if (b != NULL && b->byte != NULL)
        begin_access(s, b, e);
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
            sync(s, b, e);
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
    if ((config->checks & CW_CHECK_RACE) != 0)
        s->chunk = calloc(CW_RACE_CHUNKS, sizeof *s->chunk);
    uint32_t types = 0;
    if ((config->checks & (CW_CHECK_RACE | CW_CHECK_INIT)) != 0)
        types = 1u << CW_EVENT_BLOCK_BEGIN | 1u << CW_EVENT_LANES;
    if ((config->checks & CW_CHECK_RACE) != 0)
        types |= 1u << CW_EVENT_SYNC;
    for (uint32_t i = 0; i < 2; i++)
        s->listener[i] = (struct cw_event_listener){.types = types, .self = s, .hear = hear};
    if (s->block != NULL && s->place != NULL && (s->chunk != NULL || (config->checks & CW_CHECK_RACE) == 0) &&
        (s->fresh != NULL || (config->checks & CW_CHECK_INIT) == 0))
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
            cw_sanitizer__init_end(s->block[i]);
            free(s->block[i]);
        }
    cw_race__forget_words(s);
    cw_sanitizer__forget_flows(s);
    cw_race__free_shadow(s);
    free(s->block);
    free(s->place);
    free(s->past);
    free(s->fresh);
    free(s);
}

struct cw_event_listener *cw_sanitizer_listener(struct cw_sanitizer *s, uint32_t which)
{
    return &s->listener[which];
}

/* Launches of which no stream is known happen after all before them, and before all behind them. */
static void note_stream(struct cw_sanitizer *s, const struct cw_sanitizer_launch *launch)
{
    if (s->launches >= s->past_room) {
        const uint32_t room = 2 * s->launches + 64;
        struct cw_sanitizer_past *more = realloc(s->past, room * sizeof *more);
        s->has_streams = false;
        s->out_of_memory |= more == NULL;
        if (more == NULL)
            return;
        s->past = more;
        s->past_room = room;
    }
    s->has_streams = launch->before != NULL;
    s->past[s->launches] = (struct cw_sanitizer_past){.stream = launch->stream, .kernel = launch->kernel->name};
    if (!s->has_streams)
        return;
    memcpy(s->before, launch->before, sizeof s->before);
    s->past[s->launches].number = s->before[launch->stream] + 1;
}

void cw_sanitizer_launch(struct cw_sanitizer *s, const struct cw_sanitizer_launch *launch)
{
    cw_sanitizer__forget_flows(s);
    s->launch = *launch;
    s->launches++;
    note_stream(s, launch);
    cw_race__forget_words(s);
}

bool cw_sanitizer_incomplete(const struct cw_sanitizer *s)
{
    return s->out_of_memory;
}
