/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of a run: one runs, others stand still at earlier places, and the first one waits for the last.
 *
 * A process that stands still waits for an order. It makes a copy of itself, which carries the order out, and goes on waiting. It ends when
 * the first process has gone. The copy knows the processes that stand at earlier places: the order lists them, and their pipes have the same
 * numbers in all processes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "debugger/debug_private.h"

#define PIPE_FILE     200 /* lowest number of a pipe's file: the program uses the low ones */
#define LOOK_MS       10  /* how often it is looked whether the process that runs has ended */
#define APART_MOST    8.0 /* times what the last one has cost */
#define APART_SECONDS 0.1 /* of the host, between two processes that stand still */

/* Of the processor that this process has had: others of the host do not count. */
static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Those of them in which the kernel copied pages, for the most part. */
static double system_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_stime.tv_sec + 1e-6 * (double)u.ru_stime.tv_usec;
}

double cw_debug__seconds(const struct cw_debug *d)
{
    return d->seconds + now_seconds() - d->since;
}

/* A pipe whose ends have high numbers, and are closed by exec. */
static int open_pipe(int ends[2])
{
    int low[2];
    if (pipe(low) != 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, PIPE_FILE);
        close(low[i]);
    }
    return ends[0] >= 0 && ends[1] >= 0 ? 0 : -1;
}

static bool write_all(int file, const void *from, size_t bytes)
{
    for (const char *at = from; bytes > 0;) {
        const ssize_t done = write(file, at, bytes);
        if (done < 0 && errno != EINTR)
            return false;
        at += done > 0 ? done : 0;
        bytes -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

static bool read_all(int file, void *to, size_t bytes)
{
    for (char *at = to; bytes > 0;) {
        const ssize_t done = read(file, at, bytes);
        if (done == 0 || (done < 0 && errno != EINTR))
            return false;
        at += done > 0 ? done : 0;
        bytes -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

/* ---- the end ---- */

void cw_debug__end_all(struct cw_debug *d, int status)
{
    d->common->status = status;
    d->common->ended = 1;
    (void)!write(d->end[1], "e", 1);
    _exit(status);
}

/* A child has gone. Whether it was the one that ran: then all is over. */
static bool has_died(struct cw_debug *d, pid_t child, int status)
{
    if (d->common->active != child || d->common->ended)
        return false;
    d->common->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    d->common->ended = 1;
    (void)!write(d->end[1], "e", 1);
    return true;
}

/* The first process, for which the caller of the program waits: it ends when all is over, as the last one has. */
static void supervise(struct cw_debug *d)
{
    struct pollfd end = {.fd = d->end[0], .events = POLLIN};
    int status;
    close(d->socket);
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    while (!d->common->ended) {
        poll(&end, 1, LOOK_MS);
        for (pid_t child; (child = waitpid(-1, &status, WNOHANG)) > 0;)
            has_died(d, child, status);
    }
    _exit(d->common->status);
}

int cw_debug__travel_begin(struct cw_debug *d, struct cw_error *err)
{
    void *shared = mmap(NULL, sizeof *d->common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || open_pipe(d->life) != 0 || open_pipe(d->end) != 0)
        return cw_fail(err, CW_EIO, "the debugger: no pipes: %s", strerror(errno));
    d->common = shared;
    d->first = getpid();
    d->since = now_seconds();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        return cw_fail(err, CW_EIO, "the debugger: no process: %s", strerror(errno));
    if (child > 0) {
        d->common->active = child;
        supervise(d);
    }
    d->common->active = getpid();
    close(d->life[1]);
    return CW_OK;
}

/* ---- standing still ---- */

struct letter { /* an order on its way, with the marks that stand */
    struct cw_debug_order order;
    struct cw_debug_mark mark[CW_DEBUG_MARKS];
    uint32_t mark_cnt;
    double seconds;
};

/* Pipes of processes that have gone. */
static void close_others(const struct cw_debug *d, const struct letter *l)
{
    for (uint32_t i = 0; i < d->mark_cnt; i++) {
        bool stands = false;
        for (uint32_t k = 0; k < l->mark_cnt; k++)
            stands |= l->mark[k].pid == d->mark[i].pid;
        if (!stands)
            close(d->mark[i].pipe);
    }
}

/* Waits for orders. Returns in a copy that has one. */
static void stand(struct cw_debug *d, int orders)
{
    static struct letter l; /* large */
    struct pollfd files[2] = {{.fd = orders, .events = POLLIN}, {.fd = d->life[0], .events = POLLIN}};
    pid_t child = 0;
    int status;
    for (;;) {
        poll(files, 2, child != 0 ? LOOK_MS : -1);
        if (child != 0 && waitpid(child, &status, WNOHANG) == child) {
            has_died(d, child, status);
            child = 0;
        }
        if ((files[1].revents & (POLLIN | POLLHUP)) != 0)
            _exit(0);
        if ((files[0].revents & POLLIN) == 0)
            continue;
        if (!read_all(orders, &l, sizeof l))
            _exit(0);
        child = fork();
        if (child == 0)
            break;
        if (child < 0)
            cw_debug__end_all(d, 1);
    }
    close(orders);
    d->common->active = getpid();
    close_others(d, &l);
    memcpy(d->mark, l.mark, sizeof d->mark);
    d->mark_cnt = l.mark_cnt;
    d->order = l.order;
    d->focus = l.order.focus;
    d->seconds = d->mark[d->mark_cnt - 1].seconds;
    d->since = now_seconds();
    d->marked_at = d->seconds;
    d->began = d->at;
    d->input_bytes = 0;
    cw_debug__mark_stops(d);
    d->wave_error[0] = '\0';
    struct cw_error err;
    if (d->order.wave[0] != '\0' && d->waves.open(d->waves.context, d->order.wave, d->order.cycle, &err) != CW_OK)
        snprintf(d->wave_error, sizeof d->wave_error, "%.1290s", err.text);
}

static void forget(struct cw_debug *d, uint32_t i)
{
    close(d->mark[i].pipe);
    kill(d->mark[i].pid, SIGKILL);
    waitpid(d->mark[i].pid, NULL, WNOHANG); /* where it is this process's own child */
    memmove(&d->mark[i], &d->mark[i + 1], (d->mark_cnt - i - 1) * sizeof d->mark[0]);
    d->mark_cnt--;
}

/* Room for one more: what goes leaves the smallest gap behind, measured by how far back it is. The first one stays, and the last. */
static void make_room(struct cw_debug *d)
{
    const double now = cw_debug__seconds(d);
    uint32_t best = 1;
    double least = -1;
    for (uint32_t i = 1; i + 1 < d->mark_cnt; i++) {
        const double gap = (d->mark[i + 1].seconds - d->mark[i - 1].seconds) / (now - d->mark[i].seconds + 1e-3);
        if (least < 0 || gap < least) {
            least = gap;
            best = i;
        }
    }
    forget(d, best);
}

bool cw_debug__mark(struct cw_debug *d)
{
    int ends[2];
    if (d->mark_cnt == CW_DEBUG_MARKS)
        make_room(d);
    if (open_pipe(ends) != 0)
        return false;
    fflush(NULL);
    const double seconds = cw_debug__seconds(d);
    const pid_t child = fork();
    if (child == 0) {
        stand(d, ends[0]);
        return true;
    }
    close(ends[0]);
    d->marked_at = seconds;
    if (child < 0)
        close(ends[1]);
    else
        d->mark[d->mark_cnt++] = (struct cw_debug_mark){.at = d->at, .seconds = seconds, .pid = child, .pipe = ends[1]};
    return false;
}

/* A run with much memory pays for each copy with the pages that it then writes. So it makes them further apart: the kernel's share of the time
 * stays small. */
void cw_debug__mark_due(struct cw_debug *d)
{
    const double since = cw_debug__seconds(d) - d->marked_at;
    if (since < APART_SECONDS || since < APART_MOST * (system_seconds() - d->system_at))
        return;
    cw_debug__mark(d);
    d->system_at = system_seconds();
}

static bool is_before(const struct cw_debug_at *a, const struct cw_debug_at *b)
{
    return a->now != b->now ? a->now < b->now : a->launch < b->launch;
}

bool cw_debug__hand_over(struct cw_debug *d, const struct cw_debug_at *before, const struct cw_debug_order *order)
{
    static struct letter l;
    uint32_t cnt = d->mark_cnt;
    while (cnt > 0 && !is_before(&d->mark[cnt - 1].at, before))
        cnt--;
    if (cnt == 0 && before->moment == CW_DEBUG_START)
        cnt = 1; /* It stands there */
    if (cnt == 0 || d->mark_cnt == 0)
        return false;
    while (d->mark_cnt > cnt)
        forget(d, d->mark_cnt - 1);
    memcpy(l.mark, d->mark, sizeof l.mark);
    l.mark_cnt = d->mark_cnt;
    l.order = *order;
    d->common->active = 0;
    if (!write_all(d->mark[cnt - 1].pipe, &l, sizeof l))
        cw_debug__end_all(d, 1);
    _exit(0);
}
