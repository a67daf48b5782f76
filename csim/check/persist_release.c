/* SPDX-License-Identifier: Apache-2.0 */
/* Which release an acquire reads from. */
#include "check/persist_private.h"
#include "ptx/uop.h"

#define NONE     CW_PERSIST_NONE
#define NO_BLOCK UINT32_MAX
#define SHARED   (UINT64_C(1) << 63)

/* Shared memory has the same addresses in every block. */
static uint64_t key_of(const struct cw_event *e)
{
    return e->u.order.addr >= CW_GLOBAL_BASE ? e->u.order.addr : SHARED | (uint64_t)e->u.order.block << 32 | e->u.order.addr;
}

static void remove_release(struct cw_persist_check *s, uint32_t *link)
{
    const uint32_t i = *link;
    *link = cw_persist__release(s, i)->next;
    cw_persist__drop(s, cw_persist__release(s, i)->node);
    cw_pool_give(&s->release, i);
}

/* Whether another release of the variable has the same value: then this one says that an acquire does not read from the other. */
static bool hides_one(const struct cw_persist_check *s, const struct cw_persist_variable *v, uint32_t release)
{
    for (uint32_t i = v->release; i != NONE; i = cw_persist__release(s, i)->next)
        if (i != release && cw_persist__release(s, i)->value == cw_persist__release(s, release)->value)
            return true;
    return false;
}

/* Removes the release that this event makes again, and those that order nothing any more. */
static void prune(struct cw_persist_check *s, struct cw_persist_variable *v, const struct cw_event *e)
{
    for (uint32_t *link = &v->release; *link != NONE;) {
        struct cw_persist_release *r = cw_persist__release(s, *link);
        const bool same = r->value == e->u.order.value && r->block == e->u.order.block && r->device == e->u.order.device;
        if (same || (cw_persist__settled(s, r->node) && !hides_one(s, v, *link)))
            remove_release(s, link);
        else
            link = &r->next;
    }
}

static uint32_t variable_of(struct cw_persist_check *s, uint64_t key)
{
    uint32_t i = cw_key_map_find(&s->variables, key);
    if (i != CW_KEY_MAP_NONE)
        return i;
    i = cw_pool_take(&s->variable);
    if (i == NONE || !cw_key_map_add(&s->variables, key, i)) {
        s->out_of_memory = s->stopped = true;
        return NONE;
    }
    *cw_persist__variable(s, i) = (struct cw_persist_variable){.release = NONE, .used = true, .key = key};
    return i;
}

static void forget_if_empty(struct cw_persist_check *s, uint32_t i)
{
    struct cw_persist_variable *v = cw_persist__variable(s, i);
    if (v->release != NONE)
        return;
    cw_key_map_remove(&s->variables, v->key);
    cw_pool_give(&s->variable, i);
}

void cw_persist__release_at(struct cw_persist_check *s, const struct cw_event *e, uint32_t node)
{
    const uint32_t i = variable_of(s, key_of(e));
    if (i == NONE)
        return;
    struct cw_persist_variable *v = cw_persist__variable(s, i);
    prune(s, v, e);
    const uint32_t r = cw_pool_take(&s->release);
    if (r == NONE) {
        s->out_of_memory = s->stopped = true;
        return;
    }
    *cw_persist__release(s, r) = (struct cw_persist_release){.next = v->release,
                                                             .node = cw_persist__hold(s, node),
                                                             .value = e->u.order.value,
                                                             .block = e->u.order.block,
                                                             .device = e->u.order.device};
    v->release = r;
    if (node == NONE && !hides_one(s, v, r))
        remove_release(s, &v->release);
    forget_if_empty(s, i);
}

uint32_t cw_persist__acquire_at(struct cw_persist_check *s, const struct cw_event *e)
{
    const uint32_t i = cw_key_map_find(&s->variables, key_of(e));
    if (i == CW_KEY_MAP_NONE)
        return NONE;
    for (uint32_t at = cw_persist__variable(s, i)->release; at != NONE; at = cw_persist__release(s, at)->next) {
        const struct cw_persist_release *r = cw_persist__release(s, at);
        const bool covered = r->block == e->u.order.block || (r->device && e->u.order.device);
        if (r->value == e->u.order.value && covered)
            return cw_persist__settled(s, r->node) ? NONE : r->node;
    }
    return NONE;
}

static void forget_blocks_of(struct cw_persist_check *s, uint32_t i)
{
    struct cw_persist_variable *v = cw_persist__variable(s, i);
    const bool shared = (v->key & SHARED) != 0;
    for (uint32_t *link = &v->release; *link != NONE;) {
        struct cw_persist_release *r = cw_persist__release(s, *link);
        r->block = NO_BLOCK;
        if (shared || !r->device)
            remove_release(s, link);
        else
            link = &r->next;
    }
    forget_if_empty(s, i);
}

void cw_persist__forget_blocks(struct cw_persist_check *s)
{
    for (uint32_t i = 0; i < s->variable.cnt; i++)
        if (cw_persist__variable(s, i)->used)
            forget_blocks_of(s, i);
}
