/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of orderings. */
#include <stdlib.h>

#include "check/persist_private.h"
#include "ir/uop.h"

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

/* A chain of nodes may be long, so this does not call itself. */
void cw_persist__forget(struct cw_persist_check *s, uint32_t node)
{
    s->work.cnt = 0;
    while (!s->keeps) {
        const uint32_t before = cw_persist__node(s, node)->before[0], other = cw_persist__node(s, node)->before[1];
        cw_pool_give(&s->node, node);
        s->nodes--;
        if (other != NONE && !cw_persist__push(s, &s->work, other))
            return;
        node = before;
        while (node == NONE || --cw_persist__node(s, node)->refs != 0) {
            if (s->work.cnt == 0)
                return;
            node = s->work.at[--s->work.cnt];
        }
    }
}

/* A node that is directly before this one and has something to wait for, or may have; those that have not are dropped. The newer one is
 * before[1]: what it has is more often not durable, and then the search is at its end. */
static uint32_t next_before(struct cw_persist_check *s, uint32_t node)
{
    for (uint32_t i = 2; i-- > 0;) {
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
bool cw_persist__search(struct cw_persist_check *s, uint32_t node)
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

uint32_t cw_persist__make(struct cw_persist_check *s, uint32_t kind, uint32_t thread, const struct cw_event *e, uint32_t a, uint32_t b)
{
    const uint32_t i = cw_pool_take(&s->node);
    if (i == NONE || (i == s->said.cnt && cw_pool_take(&s->said) == NONE)) {
        s->out_of_memory = s->stopped = true;
        return NONE;
    }
    *cw_persist__node(s, i) =
        (struct cw_persist_node){.refs = 1, .kind = kind & 7, .before = {cw_persist__hold(s, a), cw_persist__hold(s, b)}};
    s->nodes++;
    if (kind == CW_PERSIST_NODE_SEGMENT)
        return i;
    struct cw_persist_said *said = cw_persist__said(s, i);
    said->thread = thread;
    said->now = e->now;
    said->device = e->u.order.device;
    said->line = e->u.order.uop != NULL ? e->u.order.uop->line : 0;
    said->file = cw_persist__file(s);
    if (kind == CW_PERSIST_NODE_RELEASE || kind == CW_PERSIST_NODE_ACQUIRE) {
        said->addr = e->u.order.addr;
        said->value = e->u.order.value;
    }
    return i;
}
