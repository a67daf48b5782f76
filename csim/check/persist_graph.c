/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of orderings. */
#include <stdlib.h>

#include "check/persist_private.h"

#define NONE CW_PERSIST_NONE

bool cw_persist__push(struct cw_persist_check *s, struct cw_persist_list *list, uint32_t i)
{
    if (list->cnt == list->cap) {
        const uint32_t cap = list->cap == 0 ? 256 : 2 * list->cap;
        uint32_t *larger = realloc(list->at, cap * sizeof *larger);
        if (larger == NULL) {
            s->out_of_memory = s->stopped = true;
            return false;
        }
        list->at = larger;
        list->cap = cap;
    }
    list->at[list->cnt++] = i;
    return true;
}

uint32_t cw_persist__hold(struct cw_persist_check *s, uint32_t node)
{
    if (node != NONE)
        cw_persist__node(s, node)->refs++;
    return node;
}

/* A chain of nodes may be long, so this does not call itself. */
void cw_persist__drop(struct cw_persist_check *s, uint32_t node)
{
    s->work.cnt = 0;
    for (;;) {
        if (node != NONE && --cw_persist__node(s, node)->refs == 0) {
            const uint32_t before = cw_persist__node(s, node)->before[0], other = cw_persist__node(s, node)->before[1];
            cw_pool_give(&s->node, node);
            if (other != NONE && !cw_persist__push(s, &s->work, other))
                return;
            node = before;
        } else if (s->work.cnt > 0) {
            node = s->work.at[--s->work.cnt];
        } else {
            return;
        }
    }
}

/* The first node that is directly before this one and has something to wait for, or may have; those that have not are dropped. */
static uint32_t next_before(struct cw_persist_check *s, uint32_t node)
{
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t before = cw_persist__node(s, node)->before[i];
        if (before == NONE)
            continue;
        const struct cw_persist_node *b = cw_persist__node(s, before);
        if (b->pending > 0 || b->before[0] != NONE || b->before[1] != NONE)
            return before;
        cw_persist__node(s, node)->before[i] = NONE;
        cw_persist__drop(s, before);
    }
    return NONE;
}

/* Goes down until it finds a pending store. What it leaves again has nothing to wait for and is dropped, so it never goes there twice. */
bool cw_persist__waits(struct cw_persist_check *s, uint32_t node)
{
    s->path.cnt = 0;
    if (!cw_persist__push(s, &s->path, node))
        return false;
    while (s->path.cnt > 0) {
        const uint32_t before = next_before(s, s->path.at[s->path.cnt - 1]);
        if (before == NONE)
            s->path.cnt--;
        else if (!cw_persist__push(s, &s->path, before))
            return false;
        else if (cw_persist__node(s, before)->pending > 0)
            return true;
    }
    return false;
}

bool cw_persist__settled(struct cw_persist_check *s, uint32_t node)
{
    return node == NONE || (cw_persist__node(s, node)->pending == 0 && !cw_persist__waits(s, node));
}

uint32_t cw_persist__make(struct cw_persist_check *s, uint32_t kind, uint32_t thread, const struct cw_event *e, uint32_t a, uint32_t b)
{
    const uint32_t i = cw_pool_take(&s->node);
    if (i == NONE) {
        s->out_of_memory = s->stopped = true;
        return NONE;
    }
    struct cw_persist_node *n = cw_persist__node(s, i);
    *n = (struct cw_persist_node){.refs = 1, .before = {NONE, NONE}, .kind = kind, .thread = thread, .now = e->now};
    if (kind == CW_PERSIST_RELEASE || kind == CW_PERSIST_ACQUIRE) {
        n->addr = e->u.order.addr;
        n->value = e->u.order.value;
    }
    n->before[0] = cw_persist__hold(s, a);
    n->before[1] = cw_persist__hold(s, b);
    return i;
}
