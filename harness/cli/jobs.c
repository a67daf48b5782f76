/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs side by side. Process w of n has the jobs w, w + n, ...; each writes its results into a pipe. Here they are put in order. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "board.h"
#include "jobs.h"
#include "journal.h"

#define JOBS_MAX  256u
#define POLL_MS   100
#define GRACE_MS  500 /* of a process between the request to end and its end by force */
#define PAUSE_NS  10000000
#define TOTAL_MAX (UINT64_C(1) << 24)

/* What a process says of a job; the result follows. */
struct record {
    uint64_t i;
    int32_t status;
};

struct process {
    pid_t pid;     /* 0: it has ended */
    int pipe;      /* -1: nothing more comes */
    size_t filled; /* bytes of the next record that are there */
    uint8_t *next;
};

/* What is known of a job. */
enum { UNKNOWN, RIGHT, WRONG, NONE };

struct crew {
    struct cli_jobs *j;
    struct cli_journal *journal;
    struct cli_board board;
    struct process *process;
    uint32_t cnt;
    uint8_t *known;  /* [total] */
    uint8_t *result; /* [total] */
};

int cli_jobs_read(struct cli_jobs *j, const struct cli_parsed *p)
{
    const char *text = cli_value(p, "jobs", "1");
    j->journal = cli_value(p, "journal", NULL);
    if (!cli_u32(text, &j->at_once) || j->at_once == 0 || j->at_once > JOBS_MAX)
        return cli_error(CLI_WRONG, "--jobs '%s': expected a number from 1 to %u", text, JOBS_MAX);
    return CLI_OK;
}

/* ---- in another process ---- */

static bool write_all(int file, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    while (bytes > 0) {
        const ssize_t cnt = write(file, at, bytes);
        if (cnt < 0 && errno != EINTR)
            return false;
        at += cnt > 0 ? cnt : 0;
        bytes -= cnt > 0 ? (size_t)cnt : 0;
    }
    return true;
}

static void work(const struct crew *c, uint32_t w, int file, pid_t parent)
{
    struct cli_jobs *j = c->j;
    struct record r = {0};
    uint8_t *result = calloc(j->bytes + 1, 1);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* whatever ends the command ends this */
    const int nowhere = open("/dev/null", O_RDWR);
    if (getppid() != parent || nowhere < 0 || result == NULL || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
        _exit(CLI_FAILED);
    j->worker = true;
    j->session->on_terminal = false;
    j->session->progress = NULL;
    for (uint64_t i = w; i < j->total && r.status == CLI_OK; i += c->cnt) {
        if (c->known[i] != UNKNOWN)
            continue;
        memset(result, 0, j->bytes);
        r.i = i;
        r.status = j->run(j->run_context, i, result);
        if (cli_interrupted() || !write_all(file, &r, sizeof r) || !write_all(file, result, j->bytes))
            _exit(CLI_FAILED);
    }
    _exit(CLI_OK);
}

/* ---- in this one ---- */

static bool start(struct crew *c, uint32_t w)
{
    int ends[2];
    struct process *p = &c->process[w];
    p->pipe = -1;
    p->next = malloc(sizeof(struct record) + c->j->bytes);
    if (p->next == NULL || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        for (uint32_t i = 0; i < w; i++)
            close(c->process[i].pipe);
        close(ends[0]);
        work(c, w, ends[1], parent);
    }
    close(ends[1]);
    p->pipe = ends[0];
    p->pid = child > 0 ? child : 0;
    return child > 0;
}

static void tell(struct crew *c, int number)
{
    for (uint32_t w = 0; w < c->cnt; w++)
        if (c->process[w].pid != 0 && kill(-c->process[w].pid, number) != 0)
            kill(c->process[w].pid, number); /* it has no group yet */
}

/* All processes are gone, and what they have started. */
static void stop(struct crew *c)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    uint32_t left = c->cnt;
    tell(c, SIGTERM);
    for (int waited = 0; left > 0; waited += PAUSE_NS / 1000000) {
        if (waited >= GRACE_MS)
            tell(c, SIGKILL);
        left = 0;
        for (uint32_t w = 0; w < c->cnt; w++) {
            struct process *p = &c->process[w];
            if (p->pid != 0 && waitpid(p->pid, NULL, WNOHANG) == p->pid) {
                kill(-p->pid, SIGKILL);
                p->pid = 0;
            }
            left += p->pid != 0;
        }
        if (left > 0)
            nanosleep(&pause, NULL);
    }
    for (uint32_t w = 0; w < c->cnt; w++) {
        if (c->process[w].pipe >= 0)
            close(c->process[w].pipe);
        free(c->process[w].next);
    }
}

static void take(struct crew *c, const struct process *p)
{
    struct record r;
    memcpy(&r, p->next, sizeof r);
    if (r.i >= c->j->total)
        return;
    c->known[r.i] = r.status == CLI_OK ? RIGHT : r.status == CLI_JOBS_END ? NONE : WRONG;
    memcpy(c->result + r.i * c->j->bytes, p->next + sizeof r, c->j->bytes);
    if (r.status == CLI_OK)
        cli_journal_add(c->journal, r.i, p->next + sizeof r);
}

/* What a process has said since. */
static void listen(struct crew *c, struct process *p)
{
    const size_t whole = sizeof(struct record) + c->j->bytes;
    const ssize_t cnt = read(p->pipe, p->next + p->filled, whole - p->filled);
    if (cnt == 0 || (cnt < 0 && errno != EINTR)) {
        close(p->pipe);
        p->pipe = -1;
        return;
    }
    p->filled += cnt > 0 ? (size_t)cnt : 0;
    if (p->filled == whole) {
        take(c, p);
        p->filled = 0;
    }
}

/* Whether somebody may still say something. */
static bool wait_for_words(struct crew *c)
{
    struct pollfd list[JOBS_MAX];
    uint32_t open_cnt = 0;
    for (uint32_t w = 0; w < c->cnt; w++) {
        list[w] = (struct pollfd){.fd = c->process[w].pipe, .events = POLLIN}; /* poll passes over a negative one */
        open_cnt += c->process[w].pipe >= 0;
    }
    if (open_cnt == 0)
        return false;
    if (poll(list, c->cnt, POLL_MS) > 0)
        for (uint32_t w = 0; w < c->cnt; w++)
            if (list[w].revents != 0)
                listen(c, &c->process[w]);
    return true;
}

static int interrupted(const struct cli_jobs *j)
{
    return cli_error(cli_exit_of(COWARP_ELIMIT), "interrupted after %" PRIu64 " %s, all right", j->ended, j->what);
}

static int told(struct crew *c, uint64_t i)
{
    struct cli_jobs *j = c->j;
    j->ended++;
    cli_session_step(j->session, j->what, j->ended, j->total);
    cli_board_tell(&c->board, j->ended);
    return j->done != NULL ? j->done(j->done_context, i, c->result + i * j->bytes) : CLI_OK;
}

static int run_here(struct crew *c, uint64_t i)
{
    struct cli_jobs *j = c->j;
    const int status = j->run(j->run_context, i, c->result + i * j->bytes);
    if (status == CLI_OK)
        cli_journal_add(c->journal, i, c->result + i * j->bytes);
    return status;
}

/* What a job has come to that went wrong in another process: here it goes wrong again, and says why. */
static int repeat(struct crew *c, uint64_t i)
{
    stop(c);
    c->cnt = 0;
    const int status = run_here(c, i);
    if (status != CLI_OK && status != CLI_JOBS_END)
        return status;
    return cli_error(CLI_FAILED, "%s: %" PRIu64 " of %s has gone wrong in a process of its own, and not here; see with --jobs 1",
                     c->j->session->title, i, c->j->what);
}

static int follow(struct crew *c)
{
    struct cli_jobs *j = c->j;
    int status = CLI_OK;
    bool more = true;
    for (uint64_t i = 0; status == CLI_OK && i < j->total;) {
        if (cli_interrupted())
            return interrupted(j);
        if (c->known[i] == NONE)
            break;
        if (c->known[i] == RIGHT)
            status = told(c, i++);
        else if (c->known[i] == WRONG || !more) /* a process that somebody has killed says nothing */
            status = repeat(c, i);
        else
            more = wait_for_words(c);
    }
    return status;
}

static int follow_alone(struct crew *c)
{
    struct cli_jobs *j = c->j;
    int status = CLI_OK;
    for (uint64_t i = 0; status == CLI_OK && i < j->total; i++) {
        if (c->known[i] == UNKNOWN)
            status = run_here(c, i);
        if (status == CLI_OK)
            status = told(c, i);
    }
    return status == CLI_JOBS_END ? CLI_OK : status;
}

static int hire(struct crew *c)
{
    bool ok = true;
    fflush(NULL); /* what is in a buffer would be written twice */
    c->process = calloc(c->j->at_once, sizeof *c->process);
    for (; ok && c->process != NULL && c->cnt < c->j->at_once; c->cnt++)
        ok = start(c, c->cnt);
    if (c->process == NULL || !ok)
        return cli_error(CLI_FAILED, "%s: no process: %s", c->j->session->title, strerror(errno));
    return CLI_OK;
}

static int side_by_side(struct crew *c)
{
    int status = hire(c);
    if (status == CLI_OK)
        status = follow(c);
    stop(c);
    free(c->process);
    return status;
}

int cli_jobs_run(struct cli_jobs *j, const struct cli_parsed *p)
{
    struct crew c = {.j = j};
    struct cli_journal journal;
    if (j->total > TOTAL_MAX)
        return cli_error(CLI_WRONG, "%s: %" PRIu64 " %s are more than %" PRIu64, j->session->title, j->total, j->what, TOTAL_MAX);
    c.known = calloc(j->total + 1, 1);
    c.result = calloc(j->total + 1, j->bytes + 1);
    int status = c.known != NULL && c.result != NULL ? CLI_OK : cli_error(CLI_FAILED, "out of memory");
    if (status == CLI_OK)
        status = cli_journal_open(&journal, j, p, c.known, c.result);
    if (status == CLI_OK) {
        c.journal = &journal;
        cli_session_steps_begin(j->session);
        cli_board_open(&c.board, p, j->what, j->at_once, j->total);
        status = j->at_once > 1 && j->total > 1 ? side_by_side(&c) : follow_alone(&c);
        cli_board_close(&c.board);
        cli_session_steps_end(j->session);
        status = cli_journal_close(&journal) == CLI_OK || status != CLI_OK ? status : CLI_FAILED;
    }
    free(c.known);
    free(c.result);
    return status;
}
