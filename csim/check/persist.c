/* SPDX-License-Identifier: Apache-2.0 */
#include "check/persist.h"

#include <stdlib.h>
#include <string.h>

#include "check/persist_private.h"

#define SWEEP_FIRST 4096u

/* A thread that is at its end, or a variable to which nothing is released any more, may name nodes that order nothing; without this these
 * would fill the host's caches. */
static void sweep(struct cw_persist_check *s)
{
    cw_persist__sweep_threads(s);
    cw_persist__sweep_releases(s);
    s->sweep_at = 2 * s->nodes + SWEEP_FIRST;
}

static void loaded(struct cw_persist_check *s, const struct cw_event *e)
{
    const struct cw_persist_line *l = cw_persist__read_differs(s, e);
    const uint32_t thread = l != NULL ? cw_persist__thread_of(s, e) : CW_PERSIST_NONE;
    if (thread != CW_PERSIST_NONE)
        cw_persist__read(s, thread, e, l);
}

static void hear(void *self, const struct cw_event *e)
{
    struct cw_persist_check *s = self;
    if (s->stopped)
        return;
    if (e->now != s->instant) {
        cw_persist__judge(s);
        s->instant = e->now;
        if (s->nodes > s->sweep_at)
            sweep(s);
    }
    switch ((enum cw_event_type)e->type) {
    case CW_EVENT_PM_ISSUE:
        cw_persist__issued(s, e);
        break;
    case CW_EVENT_PM_STORE:
        cw_persist__stored(s, e);
        break;
    case CW_EVENT_PM_READ:
        loaded(s, e);
        break;
    case CW_EVENT_PM_ORDER:
        cw_persist__ordered(s, e);
        break;
    case CW_EVENT_PM_LEAVE:
        cw_persist__left(s, e);
        break;
    default:
        cw_persist__persisted(s, e);
        break;
    }
}

int cw_persist_check_file(struct cw_persist_check *s, const char *file, struct cw_error *err)
{
    if (s->files > 0 && (s->files > UINT16_MAX || strcmp(s->file[s->files - 1], file) == 0))
        return CW_OK;
    char **larger = realloc(s->file, (s->files + 1) * sizeof *larger), *copy = malloc(strlen(file) + 1);
    s->file = larger != NULL ? larger : s->file;
    if (larger == NULL || copy == NULL) {
        free(copy);
        return cw_fail(err, CW_ENOMEM, "persistency oracle: out of host memory");
    }
    s->file[s->files++] = strcpy(copy, file);
    return CW_OK;
}

const char *cw_persist_check_violation(const struct cw_persist_check *s)
{
    return s->report.text[0] != '\0' ? s->report.text : NULL;
}

int cw_persist_check_launched(struct cw_persist_check *s, struct cw_persist_report *report, struct cw_error *err)
{
    cw_persist__judge(s);
    cw_persist__all_performed(s);
    cw_persist__read_launched(s);
    *report = s->report;
    s->report.stores = s->report.persists = s->report.orderings = 0;
    if (s->out_of_memory)
        return cw_fail(err, CW_ENOMEM, "persistency oracle: out of host memory");
    cw_persist__forget_blocks(s);
    return report->text[0] == '\0' ? CW_OK : cw_fail(err, CW_ECHECK, "%s", report->text);
}

int cw_persist_check_create(struct cw_persist_check **out, cw_time period, enum cw_event_contract contract, struct cw_error *err)
{
    struct cw_persist_check *s = *out = calloc(1, sizeof *s);
    if (s == NULL)
        return cw_fail(err, CW_ENOMEM, "persistency oracle: out of host memory");
    s->period = period;
    s->contract = contract;
    s->sweep_at = SWEEP_FIRST;
    s->node.size = sizeof(struct cw_persist_node);
    s->said.size = sizeof(struct cw_persist_said);
    s->thread.size = sizeof(struct cw_persist_thread);
    s->tally.size = sizeof(struct cw_persist_tally);
    s->store.size = sizeof(struct cw_persist_store);
    s->row.size = sizeof(struct cw_persist_row);
    s->near_warp = s->near_row = s->near_shelf = s->near_variable = CW_PERSIST_NO_KEY;
    s->part.size = sizeof(struct cw_persist_part);
    s->departure.size = sizeof(struct cw_persist_departure);
    s->release.size = sizeof(struct cw_persist_release);
    s->shelf.size = sizeof(struct cw_persist_shelf);
    s->narrow.size = sizeof(struct cw_persist_narrow);
    s->line.size = sizeof(struct cw_persist_line);
    s->handed.size = sizeof(struct cw_persist_handed);
    s->clocks.size = sizeof(struct cw_persist_clocks);
    s->write.size = sizeof(struct cw_persist_write);
    s->atomic.size = sizeof(struct cw_persist_atomic);
    s->barrier.size = sizeof(struct cw_persist_barrier);
    s->atomics = s->known_before = s->known_at_begin = CW_PERSIST_NONE;
    s->listener = (struct cw_event_listener){.types = 1u << CW_EVENT_PM_ISSUE | 1u << CW_EVENT_PM_STORE | 1u << CW_EVENT_PM_READ |
                                                      1u << CW_EVENT_PM_ORDER | 1u << CW_EVENT_PM_LEAVE | 1u << CW_EVENT_PERSIST,
                                             .self = s,
                                             .hear = hear};
    return CW_OK;
}

void cw_persist_check_destroy(struct cw_persist_check *s)
{
    if (s == NULL)
        return;
    for (uint32_t i = 0; i < s->barrier.cnt; i++)
        free(cw_persist__barrier(s, i)->waits.at);
    struct cw_pool *const pool[] = {&s->node,   &s->said,      &s->thread,  &s->tally,  &s->store,  &s->row,
                                    &s->part,   &s->departure, &s->release, &s->shelf,  &s->narrow, &s->line,
                                    &s->handed, &s->clocks,    &s->write,   &s->atomic, &s->barrier};
    for (uint32_t i = 0; i < sizeof pool / sizeof pool[0]; i++)
        cw_pool_free(pool[i]);
    struct cw_key_map *const map[] = {&s->threads, &s->rows, &s->departures, &s->shelves, &s->variables, &s->writes, &s->barriers};
    for (uint32_t i = 0; i < sizeof map / sizeof map[0]; i++)
        cw_key_map_free(map[i]);
    for (uint32_t i = 0; i < s->files; i++)
        free(s->file[i]);
    free(s->file);
    free(s->slot);
    free(s->path.at);
    free(s->work.at);
    free(s->durable.at);
    free(s);
}

struct cw_event_listener *cw_persist_check_listener(struct cw_persist_check *s)
{
    return &s->listener;
}
