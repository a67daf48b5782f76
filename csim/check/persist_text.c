/* SPDX-License-Identifier: Apache-2.0 */
/* A violation in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/persist_private.h"
#include "ir/uop.h"

#define NONE      CW_PERSIST_NONE
#define CHAIN_END 3u /* orderings that are told at each end of a chain */

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

/* The end of a long name says more than its beginning. */
static const char *place(const struct cw_persist_check *s, uint32_t file, uint32_t line, char text[CW_PERSIST_PLACE])
{
    const char *name = file < s->files ? s->file[file] : "?";
    const size_t length = strlen(name), most = CW_PERSIST_PLACE - 24;
    text[0] = '\0';
    if (line != 0)
        snprintf(text, CW_PERSIST_PLACE, " at %s%s:%" PRIu32, length > most ? "..." : "", length > most ? name + (length - most) : name,
                 line);
    return text;
}

const char *cw_persist__place(const struct cw_persist_check *s, const struct cw_persist_store *x, char text[CW_PERSIST_PLACE])
{
    return place(s, x->file, x->line, text);
}

static void add_thread(struct cw_persist_check *s, uint32_t thread)
{
    const struct cw_persist_thread *t = cw_persist__thread(s, thread);
    add(s, "core %u warp %u lane %u", t->core, t->warp, thread % CW_WARP_LANES_MAX);
}

static void add_store(struct cw_persist_check *s, const struct cw_persist_store *w)
{
    char where[CW_PERSIST_PLACE];
    add_thread(s, w->thread);
    add(s, ", 0x%x to 0x%" PRIx64 " in cycle %" PRIu64 "%s", w->value, w->addr, w->now / s->period, cw_persist__place(s, w, where));
}

static void add_ordering(struct cw_persist_check *s, uint32_t node)
{
    static const char *const words[] = {[CW_PERSIST_NODE_OFENCE] = "ofence",
                                        [CW_PERSIST_NODE_DFENCE] = "dfence",
                                        [CW_PERSIST_NODE_RELEASE] = "release",
                                        [CW_PERSIST_NODE_ACQUIRE] = "acquire"};
    const struct cw_persist_said *n = cw_persist__said(s, node);
    const uint32_t kind = cw_persist__node(s, node)->kind;
    add(s, "; %s", words[kind]);
    if (kind == CW_PERSIST_NODE_RELEASE || kind == CW_PERSIST_NODE_ACQUIRE)
        add(s, " of 0x%" PRIx64 " = %u", n->addr, n->value);
    add(s, " by ");
    add_thread(s, n->thread);
    add(s, " in cycle %" PRIu64, n->now / s->period);
    if (n->line != 0)
        add(s, " at line %" PRIu32, n->line);
}

/* The orderings of the path, from the first one on. Of a long chain the middle is left out, so that the text has both its ends. */
static void add_orderings(struct cw_persist_check *s)
{
    uint32_t cnt = 0, at = 0;
    for (uint32_t i = 0; i < s->path.cnt - 1; i++)
        cnt += cw_persist__node(s, s->path.at[i])->kind != CW_PERSIST_NODE_SEGMENT;
    for (uint32_t i = s->path.cnt - 1; i-- > 0;) {
        if (cw_persist__node(s, s->path.at[i])->kind == CW_PERSIST_NODE_SEGMENT)
            continue;
        if (at < CHAIN_END || at + CHAIN_END >= cnt)
            add_ordering(s, s->path.at[i]);
        else if (at == CHAIN_END)
            add(s, "; %u more", cnt - 2 * CHAIN_END);
        at++;
    }
}

/* The file and line of an operation, its scope, and who has made it when. */
static void add_scoped(struct cw_persist_check *s, const char *what, const struct cw_persist_said *n)
{
    char where[CW_PERSIST_PLACE];
    add(s, "%s%s of %s scope (", what, place(s, n->file, n->line, where), n->device ? "device" : "block");
    add_thread(s, n->thread);
    add(s, ", cycle %" PRIu64 ")", n->now / s->period);
}

void cw_persist__tell_read(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e, const struct cw_persist_seen *w)
{
    char where[CW_PERSIST_PLACE];
    if (s->stopped)
        return;
    cw_persist__tell(s, "a load finds an old value: ");
    add_thread(s, thread);
    add(s, " has 0x%x from 0x%" PRIx64 " in cycle %" PRIu64 "%s; ", e->u.word.value, e->u.word.addr, e->now / s->period,
        place(s, cw_persist__file(s), e->u.word.uop != NULL ? e->u.word.uop->line : 0, where));
    add_thread(s, w->thread);
    add(s,
        w->thread == thread ? " has written 0x%x there before" : " has written 0x%x there before a release that this thread has acquired",
        w->value);
}

const char *cw_persist__tell_pair(struct cw_persist_check *s, const struct cw_persist_pair *p)
{
    const struct cw_persist_narrow *n = &p->narrow;
    char violation[sizeof s->report.text];
    memcpy(violation, s->report.text, sizeof violation);
    s->report.text[0] = '\0';
    add_scoped(s, "the acquire", &n->of[1]);
    add(s, " reads 0x%" PRIx64 " = %u from ", n->of[0].addr, n->of[0].value);
    add_scoped(s, "the release", &n->of[0]);
    add(s, " of another block, and so gets no order: nothing keeps the write of ");
    add_store(s, &p->write);
    add(s, " from being durable before what the release was to hand over (scoped persistency bug, docs/persistency.md)");
    if (p->shown != 0)
        add(s, "; it was in this run, in cycle %" PRIu64, p->shown / s->period);
    memcpy(s->scope, s->report.text, sizeof s->scope);
    memcpy(s->report.text, violation, sizeof violation);
    return s->scope;
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
    add_orderings(s);
    add(s, "; ");
    add_store(s, later);
    add(s, ", is durable in cycle %" PRIu64, s->instant / s->period);
}

void cw_persist__tell_dfence(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e)
{
    char where[CW_PERSIST_PLACE];
    cw_persist__tell(s, "a dfence is complete before a write of its thread is durable: ");
    add_store(s, pending(s, NONE, thread));
    add(s, "; dfence complete in cycle %" PRIu64 "%s", e->now / s->period,
        place(s, cw_persist__file(s), e->u.order.uop != NULL ? e->u.order.uop->line : 0, where));
}
