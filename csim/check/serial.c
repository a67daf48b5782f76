/* SPDX-License-Identifier: Apache-2.0 */
#include "check/serial.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "check/serial_private.h"

#define NONE CW_SERIAL_NONE

/* Names */

static uint64_t name_of(const struct cw_event *e)
{
    assert(e->core < 1u << 16 && e->warp < 1u << 10 && e->lane < CW_WARP_LANES_MAX);
    return (uint64_t)e->core << 48 | (uint64_t)e->warp << 38 | (uint64_t)e->lane << 32 | e->attempt;
}

static void stray(struct cw_serial *s, const struct cw_event *e, const char *why)
{
    static const char *const what[CW_EVENT_TYPES] = {[CW_EVENT_REGION_BEGIN] = "begin",         [CW_EVENT_REGION_READ] = "read",
                                                     [CW_EVENT_REGION_VALIDATE] = "validation", [CW_EVENT_REGION_WRITE] = "write",
                                                     [CW_EVENT_REGION_COMMIT] = "commit",       [CW_EVENT_REGION_ABORT] = "abort",
                                                     [CW_EVENT_REGION_KEEP] = "word put aside", [CW_EVENT_REGION_RESTORE] = "restored word",
                                                     [CW_EVENT_REGION_ISSUE] = "store",         [CW_EVENT_REGION_LOAD] = "load"};
    if (s->strays++ == 0)
        snprintf(s->stray, sizeof s->stray, "%s of attempt %u (core %u warp %u lane %u), which has %s", what[e->type], e->attempt, e->core,
                 e->warp, e->lane, why);
}

static void hear_begin(struct cw_serial *s, const struct cw_event *e)
{
    uint64_t name = name_of(e);
    if (cw_key_map_find(&s->attempts, name) != NONE) {
        stray(s, e, "begun before");
        return;
    }
    uint32_t attempt = cw_serial__begin(s, e->core, e->warp, e->lane, e->now);
    if (attempt == 0 || !cw_key_map_add(&s->attempts, name, attempt))
        s->out_of_memory = true;
    else
        cw_serial__thread_begins(s, attempt);
}

static void hear_end(struct cw_serial *s, uint32_t attempt, const struct cw_event *e)
{
    if (s->attempt.at[attempt].fate != CW_SERIAL_RUNNING)
        stray(s, e, "ended before");
    else if (e->type == CW_EVENT_REGION_COMMIT) {
        if (s->program)
            cw_serial__compare_set(s, attempt, e->u.set.cnt, e->u.set.addr, e->u.set.value);
        cw_serial__commit(s, attempt, e->u.set.cnt, e->u.set.addr, e->u.set.value, e->now);
        cw_serial__thread_commits(s, attempt);
    } else
        cw_serial__abort(s, attempt, e->now);
}

/* A memory partition tells what it does for a lane that has lost meanwhile: of no interest to anybody. */
static bool too_late(struct cw_serial *s, uint32_t attempt, const struct cw_event *e)
{
    bool late = s->attempt.at[attempt].fate == CW_SERIAL_ABORTED && e->now >= s->attempt.at[attempt].ended;
    s->late += late;
    return late;
}

static bool is_outside(const struct cw_event *e)
{
    return e->type == CW_EVENT_REGION_LOAD && e->u.word.outside;
}

/* An event of this kind says when it is told. */
static void note_time(struct cw_serial *s, const struct cw_event *e)
{
    if (e->type != CW_EVENT_REGION_BEGIN && e->type != CW_EVENT_SNAPSHOT && e->now > s->clock)
        s->clock = e->now;
}

/* Of no attempt. false: it is of one. */
static bool hear_outside(struct cw_serial *s, const struct cw_event *e)
{
    if (e->type == CW_EVENT_SNAPSHOT)
        cw_serial__snapshot(s, e->now);
    else if (e->type == CW_EVENT_REGION_LEAVE)
        cw_serial__leave(s, e->u.word.addr);
    else if (e->type == CW_EVENT_LANES)
        cw_serial__access(s, e);
    else if (e->type == CW_EVENT_SYNC)
        cw_serial__sync(s, e);
    else if (e->type == CW_EVENT_BLOCK_END)
        cw_serial__block_ends(s, e);
    else if (is_outside(e))
        cw_serial__completed(s, e);
    else
        return false;
    return true;
}

static void hear(void *self, const struct cw_event *e)
{
    struct cw_serial *s = self;
    note_time(s, e);
    if (e->type == CW_EVENT_REGION_BEGIN) {
        hear_begin(s, e);
        return;
    }
    if (hear_outside(s, e))
        return;
    uint32_t attempt = cw_key_map_find(&s->attempts, name_of(e));
    if (attempt == NONE)
        stray(s, e, "not begun");
    else if (e->type == CW_EVENT_REGION_COMMIT || e->type == CW_EVENT_REGION_ABORT)
        hear_end(s, attempt, e);
    else if (e->type == CW_EVENT_REGION_WRITE)
        cw_serial__write(s, attempt, e->u.word.addr, e->u.word.value, e->u.word.bytes, e->now);
    else if (e->type == CW_EVENT_REGION_RESTORE)
        cw_serial__restore(s, attempt, e->u.word.addr);
    else if (too_late(s, attempt, e))
        return;
    else if (e->type == CW_EVENT_REGION_ISSUE)
        cw_serial__issue(s, attempt, e);
    else if (e->type == CW_EVENT_REGION_LOAD)
        cw_serial__loaded(s, attempt, e);
    else if (e->type == CW_EVENT_REGION_KEEP)
        cw_serial__keep(s, attempt, e->u.word.addr);
    else if (e->type == CW_EVENT_REGION_VALIDATE)
        cw_serial__validate(s, attempt, e->u.word.addr, e->u.word.value, e->now);
    else
        cw_serial__read(s, attempt, e->u.word.addr, e->u.word.value, e->now);
}

/* The oracle */

int cw_serial_check(struct cw_serial *s, struct cw_serial_report *report, struct cw_error *err)
{
    *report = (struct cw_serial_report){0};
    cw_serial__judge(s, report);
    bool incomplete = s->out_of_memory;
    s->out_of_memory = false;
    cw_serial__forget(s);
    if (incomplete)
        return cw_fail(err, CW_ENOMEM, "serializability oracle: out of host memory");
    return report->text[0] == '\0' ? CW_OK : cw_fail(err, CW_ECHECK, "%s", report->text);
}

int cw_serial_create(struct cw_serial **out, cw_serial_word_fn word, void *context, struct cw_error *err)
{
    struct cw_serial *s = *out = calloc(1, sizeof *s);
    if (s == NULL)
        return cw_fail(err, CW_ENOMEM, "serializability oracle: out of host memory");
    s->word_now = word;
    s->context = context;
    s->listener = (struct cw_event_listener){
        .types = 1u << CW_EVENT_REGION_BEGIN | 1u << CW_EVENT_REGION_READ | 1u << CW_EVENT_REGION_VALIDATE | 1u << CW_EVENT_REGION_WRITE |
                 1u << CW_EVENT_REGION_COMMIT | 1u << CW_EVENT_REGION_ABORT | 1u << CW_EVENT_REGION_KEEP | 1u << CW_EVENT_REGION_RESTORE |
                 1u << CW_EVENT_REGION_LEAVE | 1u << CW_EVENT_SNAPSHOT | 1u << CW_EVENT_REGION_ISSUE | 1u << CW_EVENT_REGION_LOAD |
                 1u << CW_EVENT_LANES | 1u << CW_EVENT_SYNC | 1u << CW_EVENT_BLOCK_END,
        .self = s,
        .hear = hear};
    cw_serial__forget(s);
    if (!s->out_of_memory)
        return CW_OK;
    cw_serial_destroy(s);
    *out = NULL;
    return cw_fail(err, CW_ENOMEM, "serializability oracle: out of host memory");
}

void cw_serial_destroy(struct cw_serial *s)
{
    if (s == NULL)
        return;
    cw_serial__free(s);
    free(s);
}

struct cw_event_listener *cw_serial_listener(struct cw_serial *s)
{
    return &s->listener;
}
