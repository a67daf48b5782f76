/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens before what in a block. Each warp counts its synchronisations, and each access has the number of its warp at that time
 * (`now`). An access has happened before what another warp does when that warp has seen a larger number; between threads of one warp, when
 * they have waited for each other since.
 */
#include <stdlib.h>
#include <string.h>

#include "check/sanitizer_private.h"

bool cw_race__begin(struct cw_race_order *o, uint32_t width, uint32_t bytes)
{
    cw_race__free(o);
    memset(o, 0, sizeof *o);
    o->width = width;
    o->words = bytes / 4 + 1;
    for (uint32_t w = 0; w < CW_SANITIZER_WARPS; w++)
        o->warp[w].now = 1;
    o->published = calloc(o->words, sizeof *o->published);
    return o->published != NULL;
}

void cw_race__free(struct cw_race_order *o)
{
    for (uint32_t w = 0; w < CW_SANITIZER_WARPS; w++) {
        free(o->warp[w].lane);
        cw_race__drop(&o->warp[w].know);
        cw_race__drop(&o->warp[w].fenced_know);
        cw_race__drop(&o->warp[w].coming[0].know);
        cw_race__drop(&o->warp[w].coming[1].know);
    }
    for (uint32_t i = 0; i < CW_SANITIZER_BARRIERS; i++)
        cw_race__drop(&o->barrier[i].know);
    for (uint32_t i = 0; o->published != NULL && i < o->words; i++)
        free(o->published[i]);
    free(o->published);
}

/* What the warp has seen and done; what it does from now on comes later. */
static struct cw_race_clock close_step(struct cw_race_order *o, uint32_t w)
{
    struct cw_race_clock c = o->warp[w].seen;
    c.at[w] = ++o->warp[w].now;
    return c;
}

bool cw_race__before(const struct cw_race_order *o, const struct cw_race_access *a, uint32_t thread)
{
    const uint32_t w = thread / o->width, lane = thread % o->width;
    const struct cw_race_warp *warp = &o->warp[w];
    if (a->thread / o->width != w)
        return a->at < warp->seen.at[a->thread / o->width];
    if (a->thread == thread || a->at < warp->all)
        return true;
    return warp->lane != NULL && a->at < warp->lane[lane * o->width + a->thread % o->width];
}

uint32_t cw_race__now(const struct cw_race_order *o, uint32_t thread)
{
    return o->warp[thread / o->width].now;
}

void cw_race__step(struct cw_race_order *o, uint32_t warp)
{
    o->warp[warp].all = ++o->warp[warp].now;
}

/* Some lanes have waited for each other: each knows what any of them did, and what any of them knew. */
static bool meet(struct cw_race_order *o, uint32_t w, cw_lanes lanes)
{
    struct cw_race_warp *warp = &o->warp[w];
    const uint32_t width = o->width, now = ++warp->now;
    uint32_t known[CW_WARP_LANES_MAX] = {0};
    if (warp->lane == NULL && (warp->lane = calloc((size_t)width * width, sizeof *warp->lane)) == NULL)
        return false;
    for (cw_lanes left = lanes; left != 0; left = cw_lanes_rest(left))
        for (uint32_t j = 0; j < width; j++) {
            const uint32_t k = warp->lane[cw_lanes_first(left) * width + j];
            known[j] = k > known[j] ? k : known[j];
        }
    for (uint32_t j = 0; j < width; j++)
        known[j] = cw_lanes_has(lanes, j) ? now : known[j];
    for (cw_lanes left = lanes; left != 0; left = cw_lanes_rest(left))
        memcpy(&warp->lane[cw_lanes_first(left) * width], known, width * sizeof *known);
    return true;
}

static bool meet_or_step(struct cw_race_order *o, const struct cw_event *e)
{
    if (!e->u.sync.all)
        return meet(o, e->u.sync.number, e->u.sync.lanes);
    cw_race__step(o, e->u.sync.number);
    return true;
}

/* Of the warp: a fence of one of its threads counts for all. */
void cw_race__fence(struct cw_race_order *o, uint32_t w, bool gpu)
{
    struct cw_race_warp *warp = &o->warp[w];
    cw_race__step(o, w);
    warp->fenced = close_step(o, w);
    cw_race__drop(&warp->fenced_know);
    warp->fenced_know = cw_race__hold(warp->know);
    if (gpu)
        warp->fenced_gpu = warp->fenced;
}

bool cw_race__sync(struct cw_race_order *o, const struct cw_event *e)
{
    const uint32_t w = e->u.sync.number;
    struct cw_race_barrier *b = &o->barrier[e->u.sync.id % CW_SANITIZER_BARRIERS];
    struct cw_race_clock c;
    bool ok = true;
    switch ((enum cw_event_sync)e->u.sync.kind) {
    case CW_SYNC_ARRIVE:
    case CW_SYNC_SIGNAL:
        if (e->u.sync.kind == CW_SYNC_ARRIVE) {
            b->waits |= 1u << w;
            ok = meet_or_step(o, e);
        }
        c = close_step(o, w);
        cw_race__join(&b->arrived, &c);
        ok &= cw_race__learn(&b->know, o->warp[w].know);
        break;
    case CW_SYNC_PASS:
        for (uint32_t left = b->waits; left != 0; left &= left - 1) {
            cw_race__join(&o->warp[__builtin_ctz(left)].seen, &b->arrived);
            ok &= cw_race__learn(&o->warp[__builtin_ctz(left)].know, b->know);
        }
        cw_race__drop(&b->know);
        *b = (struct cw_race_barrier){0};
        break;
    case CW_SYNC_WARP:
        ok = meet_or_step(o, e);
        break;
    case CW_SYNC_FENCE:
        cw_race__fence(o, w, e->u.sync.id != CW_SCOPE_CTA);
        break;
    }
    return ok;
}

void cw_race__acquire(struct cw_race_order *o, uint32_t warp, uint32_t word)
{
    if (word < o->words && o->published[word] != NULL)
        cw_race__join(&o->warp[warp].seen, o->published[word]);
}

bool cw_race__publish(struct cw_race_order *o, uint32_t warp, uint32_t word, bool release)
{
    static const struct cw_race_clock nothing = {{0}};
    const struct cw_race_clock c = release ? close_step(o, warp) : o->warp[warp].fenced;
    if (word >= o->words || memcmp(&c, &nothing, sizeof c) == 0)
        return true;
    if (o->published[word] == NULL && (o->published[word] = calloc(1, sizeof c)) == NULL)
        return false;
    cw_race__join(o->published[word], &c);
    return true;
}
