/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define LIVELOCK_ROUNDS 64u       /* Turns without progress, at the least: every warp has had its turn so often */
#define ASK_NS          10000000L /* How often the caller is asked who has no block any more */

bool cw_stands(struct cw_standing *s, uint64_t progress, uint64_t instructions, uint64_t most)
{
    if (progress != s->progress)
        *s = (struct cw_standing){.progress = progress, .since = instructions};
    return ++s->rounds > LIVELOCK_ROUNDS && instructions - s->since > most;
}

/* What the threads share. */
struct shared {
    struct cw_crew *crew;
    _Atomic uint64_t next; /* Block that nobody has taken */
    _Atomic uint64_t end;  /* Blocks from here on do not begin */
    _Atomic uint64_t finished;
    atomic_bool stop; /* The caller wants it */
    int asked;        /* Its answer, with its error */
    struct cw_error said;
    pthread_mutex_t mutex; /* Of working */
    pthread_cond_t ready;
    uint32_t working; /* Other threads than the caller's */
};

struct worker {
    struct shared *shared;
    struct cw_functional *on;
    pthread_t thread;
    uint64_t block;
    bool done;   /* The block has finished */
    int status;  /* Why it has not */
    bool stands; /* See struct cw_crew */
    struct cw_error err;
};

/* ---- what a core tells ---- */

static void on_block_done(void *context, uint32_t core)
{
    struct worker *w = context;
    (void)core;
    w->done = true;
}

static void on_fault(void *context, int status, const char *text)
{
    struct worker *w = context;
    if (w->status == CW_OK)
        w->status = cw_fail(&w->err, status, "%s", text);
}

/* ---- threads ---- */

static bool is_caller(const struct worker *w)
{
    return w->on == w->shared->crew->on;
}

static void ask(struct shared *s)
{
    s->asked = s->crew->ask(s->crew->context, s->finished, &s->said);
    if (s->asked != CW_OK)
        s->stop = true;
}

/* Until the block has finished or failed, or everybody is to stop. */
static void run_block(struct worker *w)
{
    const struct cw_crew *c = w->shared->crew;
    struct cw_standing standing = {.progress = w->on->progress, .since = w->on->warp_instructions};
    uint32_t ctaid[3];
    cw_launch_ctaid(c->launch, w->block, ctaid);
    w->done = false;
    cw_functional_start_block(w->on, ctaid);
    while (!w->shared->stop) {
        const bool ran = cw_functional_turn(w->on);
        if (w->done || w->status != CW_OK)
            return;
        w->stands = ran && cw_stands(&standing, w->on->progress, w->on->warp_instructions, c->livelock_most);
        if (!ran || w->stands) {
            w->status = CW_EDEADLOCK;
            return;
        }
        if (is_caller(w))
            ask(w->shared);
    }
}

static void end_at(struct shared *s, uint64_t block)
{
    uint64_t end = s->end;
    while (block < end && !atomic_compare_exchange_weak(&s->end, &end, block))
        continue;
}

static void run_blocks(struct worker *w)
{
    struct shared *s = w->shared;
    while (w->status == CW_OK && !s->stop && (w->block = s->next++) < s->end) {
        run_block(w);
        if (w->status != CW_OK)
            end_at(s, w->block);
        else if (w->done)
            s->finished++;
        if (is_caller(w) && !s->stop)
            ask(s);
    }
}

static void *work(void *of)
{
    struct worker *w = of;
    run_blocks(w);
    pthread_mutex_lock(&w->shared->mutex);
    if (--w->shared->working == 0)
        pthread_cond_signal(&w->shared->ready);
    pthread_mutex_unlock(&w->shared->mutex);
    return NULL;
}

/* The last blocks may take long, and the user wants to be heard. */
static void wait_for_others(struct shared *s)
{
    pthread_mutex_lock(&s->mutex);
    while (s->working != 0) {
        struct timespec until;
        timespec_get(&until, TIME_UTC);
        until.tv_nsec += ASK_NS;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        if (pthread_cond_timedwait(&s->ready, &s->mutex, &until) == ETIMEDOUT && !s->stop)
            ask(s);
    }
    pthread_mutex_unlock(&s->mutex);
}

/* Runs all, and returns when the last one has ended. */
static void run_threads(struct shared *s, struct worker *worker)
{
    uint32_t made = 1;
    s->working = s->crew->threads - 1;
    while (made < s->crew->threads && pthread_create(&worker[made].thread, NULL, work, &worker[made]) == 0)
        made++;
    pthread_mutex_lock(&s->mutex);
    s->working -= s->crew->threads - made;
    pthread_mutex_unlock(&s->mutex);
    run_blocks(&worker[0]);
    wait_for_others(s);
    for (uint32_t i = 1; i < made; i++)
        pthread_join(worker[i].thread, NULL);
}

/* Of all that fail, what the first block says. */
static int verdict(struct cw_crew *crew, const struct worker *worker, struct cw_error *err)
{
    const struct worker *first = NULL;
    for (uint32_t i = 0; i < crew->threads; i++)
        if (worker[i].status != CW_OK && (first == NULL || worker[i].block < first->block))
            first = &worker[i];
    if (first == NULL)
        return CW_OK;
    if (first->status == CW_EDEADLOCK) {
        crew->block = first->block;
        crew->stuck = first->on;
        crew->stands = first->stands;
    } else
        crew->events->fault(crew->events->context, first->status, first->err.text);
    *err = first->err;
    return first->status;
}

int cw_crew_run(struct cw_crew *crew, struct cw_error *err)
{
    struct shared s = {
        .crew = crew, .next = crew->begin, .end = crew->end, .mutex = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER};
    struct worker *worker = calloc(crew->threads, sizeof *worker);
    if (worker == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < crew->threads; i++) {
        worker[i] = (struct worker){.shared = &s, .on = &crew->on[i]};
        worker[i].on->has_others = true;
        cw_core_hear(worker[i].on->core, &(struct cw_core_events){.context = &worker[i], .block_done = on_block_done, .fault = on_fault});
    }
    run_threads(&s, worker);
    for (uint32_t i = 0; i < crew->threads; i++) {
        worker[i].on->has_others = false;
        cw_core_hear(worker[i].on->core, crew->events);
    }
    crew->finished = s.finished;
    if (s.stop)
        *err = s.said;
    const int status = s.stop ? s.asked : verdict(crew, worker, err);
    free(worker);
    return status;
}
