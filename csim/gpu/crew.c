/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define LIVELOCK_ROUNDS 64u /* Turns without progress, at the least: every warp has had its turn so often */

bool cw_stands(struct cw_standing *s, uint64_t progress, uint64_t instructions, uint64_t most)
{
    if (progress != s->progress)
        *s = (struct cw_standing){.progress = progress, .since = instructions};
    return ++s->rounds > LIVELOCK_ROUNDS && instructions - s->since > most;
}

/* ---- what a core tells ---- */

static void on_block_done(void *context, uint32_t core)
{
    struct cw_worker *w = context;
    w->done = true;
    if (!w->apart)
        w->others->block_done(w->others->context, core);
}

static void on_fault(void *context, int status, const char *text)
{
    struct cw_worker *w = context;
    if (!w->apart)
        w->others->fault(w->others->context, status, text);
    else if (w->status == CW_OK)
        w->status = cw_fail(&w->err, status, "%s", text);
}

static void on_print(void *context, const char *text, size_t length)
{
    const struct cw_worker *w = context;
    w->others->print(w->others->context, text, length);
}

static void on_notice(void *context, const char *text)
{
    const struct cw_worker *w = context;
    w->others->notice(w->others->context, text);
}

static void on_notice_once(void *context, const char *file, uint32_t line, uint32_t what, const char *text)
{
    const struct cw_worker *w = context;
    w->others->notice_once(w->others->context, file, line, what, text);
}

static void on_finding(void *context, const struct cw_finding *finding)
{
    const struct cw_worker *w = context;
    w->others->finding(w->others->context, finding);
}

struct cw_core_events cw_worker_events(struct cw_worker *w)
{
    const struct cw_core_events *o = w->others;
    return (struct cw_core_events){w,
                                   on_block_done,
                                   on_fault,
                                   o->print != NULL ? on_print : NULL,
                                   o->notice != NULL ? on_notice : NULL,
                                   o->notice_once != NULL ? on_notice_once : NULL,
                                   o->finding != NULL ? on_finding : NULL};
}

/* ---- threads ---- */

/* What the threads share. */
struct shared {
    struct cw_crew *crew;
    _Atomic uint64_t next; /* Block that nobody has taken */
    _Atomic uint64_t end;  /* Blocks from here on do not begin */
    _Atomic uint64_t finished;
    atomic_bool stop; /* The caller wants it */
};

struct place {
    struct shared *shared;
    struct cw_worker *worker;
    bool is_caller;
    pthread_t thread;
};

static void ask(struct place *p)
{
    const struct cw_crew *c = p->shared->crew;
    p->worker->status = c->ask(c->context, p->shared->finished, &p->worker->err);
    if (p->worker->status != CW_OK)
        p->shared->stop = true;
}

/* Until the block has finished or failed, or everybody is to stop. */
static void run_block(struct place *p)
{
    const struct cw_crew *c = p->shared->crew;
    struct cw_worker *w = p->worker;
    struct cw_standing standing = {.progress = w->progress, .since = w->on->warp_instructions};
    uint32_t ctaid[3];
    cw_launch_block(c->launch, w->block, ctaid);
    w->done = false;
    cw_functional_start_block(w->on, ctaid);
    while (w->status == CW_OK && !p->shared->stop) {
        const bool ran = cw_functional_turn(w->on);
        if (w->done || w->status != CW_OK)
            return;
        w->stands = ran && cw_stands(&standing, w->progress, w->on->warp_instructions, c->livelock_most);
        if (!ran || w->stands)
            w->status = CW_EDEADLOCK;
        else if (p->is_caller)
            ask(p);
    }
}

static void end_at(struct shared *s, uint64_t block)
{
    uint64_t end = s->end;
    while (block < end && !atomic_compare_exchange_weak(&s->end, &end, block))
        continue;
}

static void *work(void *of)
{
    struct place *p = of;
    struct cw_worker *w = p->worker;
    while (w->status == CW_OK && !p->shared->stop) {
        w->block = p->shared->next++;
        if (w->block >= p->shared->end)
            break;
        run_block(p);
        if (w->status != CW_OK)
            end_at(p->shared, w->block);
        else if (w->done)
            p->shared->finished++;
        if (w->status == CW_OK && p->is_caller)
            ask(p);
    }
    return NULL;
}

static struct cw_worker *first_that_failed(const struct cw_crew *c)
{
    struct cw_worker *first = NULL;
    for (uint32_t i = 0; i < c->worker_cnt; i++)
        if (c->worker[i]->status != CW_OK && (first == NULL || c->worker[i]->block < first->block))
            first = c->worker[i];
    return first;
}

int cw_crew_run(struct cw_crew *crew, struct cw_error *err)
{
    struct shared shared = {.crew = crew, .next = crew->begin, .end = crew->end};
    struct place *place = calloc(crew->worker_cnt, sizeof *place);
    uint32_t made = 1;
    if (place == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < crew->worker_cnt; i++) {
        place[i] = (struct place){.shared = &shared, .worker = crew->worker[i], .is_caller = i == 0};
        place[i].worker->apart = place[i].worker->on->has_others = true;
        place[i].worker->status = CW_OK;
    }
    while (made < crew->worker_cnt && pthread_create(&place[made].thread, NULL, work, &place[made]) == 0)
        made++;
    work(&place[0]);
    for (uint32_t i = 1; i < made; i++)
        pthread_join(place[i].thread, NULL);
    for (uint32_t i = 0; i < crew->worker_cnt; i++)
        crew->worker[i]->apart = crew->worker[i]->on->has_others = false;
    free(place);
    crew->finished = shared.finished;
    crew->failed = shared.stop ? crew->worker[0] : first_that_failed(crew);
    return CW_OK;
}
