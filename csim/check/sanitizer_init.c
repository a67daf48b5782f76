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
    free(b->written);
    b->written = calloc(b->bytes + 1u, 1);
    if (b->written != NULL)
        memset(b->written, 1, reserved < b->bytes ? reserved : b->bytes);
    return b->written != NULL;
}

static void find(struct cw_sanitizer *s, const struct cw_sanitizer_access *a, uint32_t unwritten)
{
    cw_sanitizer__find(s, CW_CHECK_INIT, a, 0, "nobody has written %u of these bytes", unwritten);
}

static void shared(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a)
{
    uint32_t unwritten = 0;
    for (uint32_t i = 0; i < a->bytes; i++)
        unwritten += b->written[a->addr + i] == 0;
    if (a->loads && unwritten > 0)
        find(s, a, unwritten);
    if (a->stores)
        memset(b->written + a->addr, 1, a->bytes);
}

static bool is_fresh(const struct cw_sanitizer *s, uint64_t offset)
{
    return (s->fresh[offset / 8] >> offset % 8 & 1u) != 0;
}

static void global(struct cw_sanitizer *s, const struct cw_sanitizer_access *a)
{
    const uint64_t offset = a->addr - CW_GLOBAL_BASE;
    uint32_t unwritten = 0;
    if (offset >= s->fresh_bytes || a->bytes > s->fresh_bytes - offset)
        return;
    for (uint32_t i = 0; i < a->bytes; i++)
        unwritten += is_fresh(s, offset + i);
    if (a->loads && unwritten > 0)
        find(s, a, unwritten);
    if (a->stores && unwritten > 0)
        cw_sanitizer_written(s, a->addr, a->bytes);
}

void cw_sanitizer__init(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a)
{
    if (a->event->u.lanes.space == CW_SPACE_SHARED)
        shared(s, b, a);
    else if (a->event->u.lanes.space == CW_SPACE_GLOBAL)
        global(s, a);
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
