/* SPDX-License-Identifier: Apache-2.0 */
/* A violation in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/persist_private.h"

#define NONE CW_PERSIST_NONE

static void add(struct cw_persist_check *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void vadd(struct cw_persist_check *s, const char *fmt, va_list ap)
{
    const size_t length = strlen(s->report.text);
    vsnprintf(s->report.text + length, sizeof s->report.text - length, fmt, ap);
}

static void add(struct cw_persist_check *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vadd(s, fmt, ap);
    va_end(ap);
}

void cw_persist__tell(struct cw_persist_check *s, const char *fmt, ...)
{
    va_list ap;
    if (s->stopped)
        return;
    s->stopped = true;
    va_start(ap, fmt);
    vadd(s, fmt, ap);
    va_end(ap);
}

static void add_thread(struct cw_persist_check *s, uint32_t thread)
{
    const struct cw_persist_thread *t = cw_persist__thread(s, thread);
    add(s, "core %u warp %u lane %u", t->core, t->warp, thread % CW_WARP_LANES_MAX);
}

static void add_store(struct cw_persist_check *s, const struct cw_persist_store *w)
{
    add_thread(s, w->thread);
    add(s, ", 0x%x to 0x%" PRIx64 " in cycle %" PRIu64, w->value, w->addr, w->now / s->period);
}

static void add_ordering(struct cw_persist_check *s, uint32_t node)
{
    static const char *const words[] = {
        [CW_PERSIST_OFENCE] = "ofence", [CW_PERSIST_DFENCE] = "dfence", [CW_PERSIST_RELEASE] = "release", [CW_PERSIST_ACQUIRE] = "acquire"};
    const uint32_t kind = cw_persist__node(s, node)->kind;
    if (kind == CW_PERSIST_SEGMENT)
        return;
    const struct cw_persist_said *n = cw_persist__said(s, node);
    add(s, "; %s", words[kind]);
    if (kind == CW_PERSIST_RELEASE || kind == CW_PERSIST_ACQUIRE)
        add(s, " of 0x%" PRIx64 " = %u", n->addr, n->value);
    add(s, " by ");
    add_thread(s, n->thread);
    add(s, " in cycle %" PRIu64, n->now / s->period);
}

/* A store that is not durable: of the node, or of the thread when node is NONE. */
static const struct cw_persist_store *pending(const struct cw_persist_check *s, uint32_t node, uint32_t thread)
{
    for (uint32_t i = 0; i < s->store.cnt; i++) {
        const struct cw_persist_store *w = cw_persist__store(s, i);
        if (w->due == 0)
            continue;
        if (node != NONE ? w->node == node : w->thread == thread && w->generation == cw_persist__tally(s, thread)->generation)
            return w;
    }
    return NULL;
}

void cw_persist__tell_order(struct cw_persist_check *s, uint32_t store)
{
    const struct cw_persist_list *path = &s->path;
    const struct cw_persist_store *later = cw_persist__store(s, store);
    cw_persist__tell(s, "a write is durable before one that is ordered before it: ");
    add_store(s, pending(s, path->at[path->cnt - 1], NONE));
    add(s, ", is not durable");
    for (uint32_t i = path->cnt - 1; i-- > 0;)
        add_ordering(s, path->at[i]);
    add(s, "; ");
    add_store(s, later);
    add(s, ", is durable in cycle %" PRIu64, s->instant / s->period);
}

void cw_persist__tell_dfence(struct cw_persist_check *s, uint32_t thread, cw_time now)
{
    cw_persist__tell(s, "a dfence is complete before a write of its thread is durable: ");
    add_store(s, pending(s, NONE, thread));
    add(s, "; dfence complete in cycle %" PRIu64, now / s->period);
}
