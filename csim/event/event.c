/* SPDX-License-Identifier: Apache-2.0 */
#include "event/event.h"

_Static_assert(CW_EVENT_TYPES <= 64, "a listener has a bit for each type");

#include <stddef.h>

void cw_events_listen(struct cw_events *s, struct cw_event_listener *listener)
{
    listener->next = s->first;
    s->first = listener;
    s->wanted |= listener->types;
}

void cw_events_tell(const struct cw_events *s, const struct cw_event *e)
{
    for (const struct cw_event_listener *l = s->first; l != NULL; l = l->next)
        if ((l->types >> e->type & 1u) != 0)
            l->hear(l->self, e);
}
