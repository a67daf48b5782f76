/* SPDX-License-Identifier: Apache-2.0 */
/* Races: each access to a byte of shared memory is compared with the last store to it and with the loads since then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/sanitizer_private.h"

bool cw_sanitizer__race_begin(struct cw_sanitizer *s, struct cw_sanitizer_block *b)
{
    if ((s->config.checks & CW_CHECK_RACE) == 0)
        return true;
    free(b->byte);
    b->byte = calloc(b->bytes + 1u, sizeof *b->byte);
    return b->byte != NULL && cw_race__begin(&b->order, s->config.config->core_warp_width, b->bytes);
}

/* A thread of the block in words: "thread (3, 0, 0)". */
static const char *name_of(const struct cw_event *e, uint32_t thread, char text[64])
{
    const uint32_t x = e->u.lanes.x->ntid[0], y = e->u.lanes.x->ntid[1];
    snprintf(text, 64, "thread (%u, %u, %u)", thread % x, thread / x % y, thread / x / y);
    return text;
}

/* Whether the two may be in any order; `other` is the earlier one in this run. */
static bool unordered(const struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a, const struct cw_race_access *other)
{
    return other->is && !(a->strong && other->strong) && !cw_race__before(&b->order, other, a->thread);
}

static void find(struct cw_sanitizer *s, const struct cw_sanitizer_access *a, const struct cw_race_access *other, const char *did)
{
    char who[64];
    cw_sanitizer__find(s, CW_CHECK_RACE, a, other->line, "%s %s it at line %u, and nothing orders the two",
                       name_of(a->event, other->thread, who), did, other->line);
}

/* The place of the load among the two that are kept. */
static struct cw_race_access *room_for(const struct cw_sanitizer_block *b, struct cw_race_byte *byte, uint32_t thread)
{
    const uint32_t width = b->order.width;
    for (uint32_t i = 0; i < 2; i++)
        if (!byte->load[i].is || byte->load[i].thread == thread)
            return &byte->load[i];
    for (uint32_t i = 0; i < 2; i++)
        if (cw_race__before(&b->order, &byte->load[i], thread))
            return &byte->load[i];
    return &byte->load[byte->load[0].thread / width == thread / width ? 0 : 1];
}

static uint8_t stored(const struct cw_sanitizer_access *a, uint32_t i)
{
    const struct cw_event *e = a->event;
    const uint32_t bytes = e->u.lanes.elem_bytes;
    return (uint8_t)(e->u.lanes.value[i / bytes][a->lane] >> 8 * (i % bytes));
}

/* The earlier access that the one to byte i races with; NULL: there is none. */
static const struct cw_race_access *rival(const struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a, uint32_t i)
{
    const struct cw_race_byte *byte = &b->byte[a->addr + i];
    const bool same = a->stores && !a->loads && !a->strong && !byte->strong.is && stored(a, i) == byte->value;
    if (!same && unordered(b, a, &byte->plain))
        return &byte->plain;
    if (unordered(b, a, &byte->strong))
        return &byte->strong;
    for (uint32_t k = 0; a->stores && k < 2; k++)
        if (unordered(b, a, &byte->load[k]))
            return &byte->load[k];
    return NULL;
}

static void remember(const struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a, uint32_t i)
{
    struct cw_race_byte *byte = &b->byte[a->addr + i];
    const struct cw_race_access now = {.at = cw_race__now(&b->order, a->thread),
                                       .line = a->event->u.lanes.uop->line,
                                       .thread = (uint16_t)a->thread,
                                       .is = true,
                                       .strong = a->strong,
                                       .stores = a->stores};
    if (a->stores && a->strong)
        byte->strong = now;
    else if (a->stores)
        *byte = (struct cw_race_byte){.plain = now, .value = stored(a, i)};
    if (a->loads) {
        struct cw_race_access *load = room_for(b, byte, a->thread);
        if (!(load->is && load->thread == a->thread && a->strong && !load->strong)) /* the plain one has more rivals */
            *load = now;
    }
}

void cw_sanitizer__race(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a)
{
    const uint32_t warp = a->thread / b->order.width, flags = a->event->u.lanes.uop->flags;
    const struct cw_race_access *with = NULL;
    if (a->strong && a->loads)
        cw_race__acquire(&b->order, warp, (uint32_t)(a->addr / 4));
    for (uint32_t i = 0; i < a->bytes && with == NULL; i++) {
        with = rival(b, a, i);
        if (with != NULL)
            find(s, a, with, with->stores ? "has written" : "has read");
    }
    for (uint32_t i = 0; i < a->bytes; i++)
        remember(b, a, i);
    if (a->strong && a->stores)
        s->out_of_memory |= !cw_race__publish(&b->order, warp, (uint32_t)(a->addr / 4), (flags & CW_UF_RELEASE) != 0);
}
