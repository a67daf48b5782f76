/* SPDX-License-Identifier: Apache-2.0 */
/* Acquires that read from a release without getting an order: scoped persistency bugs (Pandey et al. 2023, 5.3). */
#include "check/persist_private.h"
#include "ir/uop.h"

#define NONE CW_PERSIST_NONE

static bool same_place(const struct cw_persist_said *a, const struct cw_persist_said *b)
{
    return a->line == b->line && a->file == b->file && a->device == b->device;
}

static bool is_known(const struct cw_persist_check *s, const struct cw_persist_said *release, const struct cw_persist_said *acquire)
{
    for (uint32_t i = 0; i < s->pairs; i++)
        if (same_place(&s->pair[i].narrow.of[0], release) && same_place(&s->pair[i].narrow.of[1], acquire))
            return true;
    return s->pairs == CW_PERSIST_PAIRS;
}

void cw_persist__narrow(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e, uint32_t release)
{
    const struct cw_persist_said acquire = {.now = e->now,
                                            .addr = e->u.order.addr,
                                            .value = e->u.order.value,
                                            .thread = thread,
                                            .line = e->u.order.uop != NULL ? e->u.order.uop->line : 0,
                                            .file = cw_persist__file(s),
                                            .device = e->u.order.device};
    if (is_known(s, cw_persist__said(s, release), &acquire))
        return;
    cw_persist__hold(s, release);
    cw_persist__narrow_end(s, thread);
    const uint32_t i = cw_pool_take(&s->narrow);
    if (i == NONE) {
        s->out_of_memory = s->stopped = true;
        return;
    }
    *cw_persist__narrow_at(s, i) = (struct cw_persist_narrow){.release = release, .of = {*cw_persist__said(s, release), acquire}};
    cw_persist__thread(s, thread)->narrow = i;
}

void cw_persist__narrow_end(struct cw_persist_check *s, uint32_t thread)
{
    struct cw_persist_thread *t = cw_persist__thread(s, thread);
    if (t->narrow == NONE)
        return;
    cw_persist__drop(s, cw_persist__narrow_at(s, t->narrow)->release);
    cw_pool_give(&s->narrow, t->narrow);
    t->narrow = NONE;
}

void cw_persist__narrow_store(struct cw_persist_check *s, uint32_t thread, uint32_t store)
{
    const struct cw_persist_narrow *n = cw_persist__narrow_at(s, cw_persist__thread(s, thread)->narrow);
    if (!is_known(s, &n->of[0], &n->of[1])) {
        s->pair[s->pairs++] = (struct cw_persist_pair){.narrow = *n, .write = *cw_persist__store(s, store), .store = store};
        s->report.scopes++;
        cw_persist__hold(s, n->release);
    }
    cw_persist__narrow_end(s, thread);
}

void cw_persist__narrow_joined(struct cw_persist_check *s, uint32_t store, uint32_t newer)
{
    for (uint32_t i = 0; i < s->pairs; i++)
        if (s->pair[i].store == store)
            s->pair[i].store = newer;
}

void cw_persist__narrow_durable(struct cw_persist_check *s, uint32_t store)
{
    for (uint32_t i = 0; i < s->pairs; i++) {
        struct cw_persist_pair *p = &s->pair[i];
        if (p->store != store)
            continue;
        if (!cw_persist__settled(s, p->narrow.release))
            p->shown = s->instant;
        cw_persist__drop(s, p->narrow.release);
        p->store = NONE;
    }
}

const char *cw_persist_check_scope(struct cw_persist_check *s)
{
    for (uint32_t i = 0; i < s->pairs; i++)
        if (!s->pair[i].told) {
            s->pair[i].told = true;
            return cw_persist__tell_pair(s, &s->pair[i]);
        }
    return NULL;
}
