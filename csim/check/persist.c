/* SPDX-License-Identifier: Apache-2.0 */
#include "check/persist.h"

#include <stdlib.h>

#include "check/persist_private.h"

static void hear(void *self, const struct cw_event *e)
{
    struct cw_persist_check *s = self;
    if (s->stopped)
        return;
    if (e->now != s->instant) {
        cw_persist__judge(s);
        s->instant = e->now;
    }
    if (e->type == CW_EVENT_PM_STORE)
        cw_persist__stored(s, e);
    else if (e->type == CW_EVENT_PM_ORDER)
        cw_persist__ordered(s, e);
    else if (e->type == CW_EVENT_PM_LEAVE)
        cw_persist__left(s, e);
    else
        cw_persist__persisted(s, e);
}

int cw_persist_check_launched(struct cw_persist_check *s, struct cw_persist_report *report, struct cw_error *err)
{
    cw_persist__judge(s);
    *report = s->report;
    s->report.stores = s->report.persists = s->report.orderings = 0;
    if (s->out_of_memory)
        return cw_fail(err, CW_ENOMEM, "persistency oracle: out of host memory");
    cw_persist__forget_blocks(s);
    return report->text[0] == '\0' ? CW_OK : cw_fail(err, CW_ECHECK, "%s", report->text);
}

int cw_persist_check_create(struct cw_persist_check **out, cw_time period, struct cw_error *err)
{
    struct cw_persist_check *s = *out = calloc(1, sizeof *s);
    if (s == NULL)
        return cw_fail(err, CW_ENOMEM, "persistency oracle: out of host memory");
    s->period = period;
    s->node.size = sizeof(struct cw_persist_node);
    s->thread.size = sizeof(struct cw_persist_thread);
    s->store.size = sizeof(struct cw_persist_store);
    s->word.size = sizeof(struct cw_persist_word);
    s->part.size = sizeof(struct cw_persist_part);
    s->departure.size = sizeof(struct cw_persist_departure);
    s->release.size = sizeof(struct cw_persist_release);
    s->variable.size = sizeof(struct cw_persist_variable);
    s->listener = (struct cw_event_listener){.types = 1u << CW_EVENT_PM_STORE | 1u << CW_EVENT_PM_ORDER | 1u << CW_EVENT_PM_LEAVE |
                                                      1u << CW_EVENT_PERSIST,
                                             .self = s,
                                             .hear = hear};
    return CW_OK;
}

void cw_persist_check_destroy(struct cw_persist_check *s)
{
    if (s == NULL)
        return;
    struct cw_pool *const pool[] = {&s->node, &s->thread, &s->store, &s->word, &s->part, &s->departure, &s->release, &s->variable};
    for (uint32_t i = 0; i < sizeof pool / sizeof pool[0]; i++)
        cw_pool_free(pool[i]);
    struct cw_key_map *const map[] = {&s->threads, &s->words, &s->departures, &s->variables};
    for (uint32_t i = 0; i < sizeof map / sizeof map[0]; i++)
        cw_key_map_free(map[i]);
    free(s->path.at);
    free(s->work.at);
    free(s->durable.at);
    free(s);
}

struct cw_event_listener *cw_persist_check_listener(struct cw_persist_check *s)
{
    return &s->listener;
}
