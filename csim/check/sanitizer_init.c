/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that are read and that nobody has written. */
#include <stdlib.h>
#include <string.h>

#include "check/sanitizer_private.h"

bool cw_sanitizer__init_begin(struct cw_sanitizer *s, struct cw_sanitizer_block *b)
{
    const uint32_t reserved = s->launch.kernel->reserved_shared_bytes; /* zeros, as a driver leaves them */
    if ((s->config.checks & CW_CHECK_INIT) == 0)
        return true;
    for (uint32_t w = 0; w < CW_SANITIZER_WARPS; w++)
        b->carry[w].cnt = 0;
    free(b->written);
    b->written = calloc(b->bytes + 1u, 1);
    if (b->written != NULL)
        memset(b->written, 1, reserved < b->bytes ? reserved : b->bytes);
    return b->written != NULL;
}

void cw_sanitizer__init_end(struct cw_sanitizer_block *b)
{
    for (uint32_t w = 0; w < CW_SANITIZER_WARPS; w++)
        free(b->carry[w].of);
    free(b->written);
}

static void load(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a, uint32_t unwritten)
{
    if (!a->stores && (unwritten != 0 || b->carry[a->event->u.lanes.number].cnt != 0))
        unwritten = cw_sanitizer__copied(s, b, a, unwritten);
    if (unwritten != 0)
        cw_sanitizer__find(s, CW_CHECK_INIT, a, 0, "nobody has written %u of these bytes", (uint32_t)__builtin_popcount(unwritten));
}

/* What the store leaves unwritten. */
static uint32_t carried(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a)
{
    return !a->loads && b->carry[a->event->u.lanes.number].cnt != 0 ? cw_sanitizer__carried(s, b, a) : 0;
}

static void shared(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a)
{
    uint32_t unwritten = 0;
    for (uint32_t i = 0; i < a->bytes; i++)
        unwritten |= (uint32_t)(b->written[a->addr + i] == 0) << i;
    if (a->loads)
        load(s, b, a, unwritten);
    const uint32_t copied = a->stores ? carried(s, b, a) : 0;
    for (uint32_t i = 0; i < a->bytes && a->stores; i++)
        b->written[a->addr + i] = (copied >> i & 1u) == 0;
}

static bool is_fresh(const struct cw_sanitizer *s, uint64_t offset)
{
    return (s->fresh[offset / 8] >> offset % 8 & 1u) != 0;
}

static void global(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a)
{
    const uint64_t offset = a->addr - CW_GLOBAL_BASE;
    uint32_t unwritten = 0;
    if (offset >= s->fresh_bytes || a->bytes > s->fresh_bytes - offset)
        return;
    for (uint32_t i = 0; i < a->bytes; i++)
        unwritten |= (uint32_t)is_fresh(s, offset + i) << i;
    if (a->loads)
        load(s, b, a, unwritten);
    const uint32_t copied = a->stores ? carried(s, b, a) : 0;
    if (a->stores && unwritten != 0)
        cw_sanitizer_written(s, a->addr, a->bytes);
    for (uint32_t left = copied; left != 0; left &= left - 1)
        cw_sanitizer_fresh(s, a->addr + (uint32_t)__builtin_ctz(left), 1);
}

void cw_sanitizer__init(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a)
{
    if (b == NULL)
        return;
    if (a->event->u.lanes.space == CW_SPACE_SHARED)
        shared(s, b, a);
    else if (a->event->u.lanes.space == CW_SPACE_GLOBAL)
        global(s, b, a);
}

/* Sets or clears the bits of these bytes, as far as they are in the window. */
static void mark(struct cw_sanitizer *s, uint64_t addr, uint64_t bytes, bool fresh)
{
    const uint64_t begin = addr - CW_GLOBAL_BASE;
    if (s->fresh == NULL || begin >= s->fresh_bytes)
        return;
    const uint64_t end = bytes < s->fresh_bytes - begin ? begin + bytes : s->fresh_bytes;
    uint64_t at = begin;
    for (; at < end && at % 8 != 0; at++)
        s->fresh[at / 8] = (uint8_t)((s->fresh[at / 8] & ~(1u << at % 8)) | (uint32_t)fresh << at % 8);
    if (end - at >= 8)
        memset(s->fresh + at / 8, fresh ? 0xff : 0, (end - at) / 8);
    for (at += (end - at) / 8 * 8; at < end; at++)
        s->fresh[at / 8] = (uint8_t)((s->fresh[at / 8] & ~(1u << at % 8)) | (uint32_t)fresh << at % 8);
}

void cw_sanitizer_fresh(struct cw_sanitizer *s, uint64_t addr, uint64_t bytes)
{
    mark(s, addr, bytes, true);
}

void cw_sanitizer_written(struct cw_sanitizer *s, uint64_t addr, uint64_t bytes)
{
    mark(s, addr, bytes, false);
}
