/* SPDX-License-Identifier: Apache-2.0 */
/* mq: queues in persistent memory, to and from which batches go as a whole. */
#include "../session.h"

#define THREADS  128u
#define CAPACITY 32768u
#define LINE     32u

enum { INSERT, REMOVE, COMMIT };                        /* commands */
enum { ENDS = 0, DONE = 3 * LINE, CONTROL = 4 * LINE }; /* words of a queue's control block, as the kernel has them */

enum { QUEUES, COMMANDS, BATCH, SCOPE };
static const struct cowarp_workload_param params[] = {
    [QUEUES] = {"queues", 120, 1, 65535, "queues, each with a thread block"},
    [COMMANDS] = {"commands", 2000, 1, 1 << 20, "inserts and removes; a commit comes at the end of each queue beside them"},
    [BATCH] = {"batch", 4096, 1, 8192, "integers that a command moves"},
    [SCOPE] = {"scope", 0, 0, 2, "of releases and acquires: 0 block, 1 device, 2 none"},
};

struct queues {
    struct session s;
    uint32_t queues, commands, batch;
    uint64_t data, control; /* persistent memory */
    uint32_t *command;      /* one queue's after the other */
    uint32_t *first;        /* [queues + 1] */
};

struct ends {
    uint32_t head, tail;
};

/* The queue after its first n commands. */
static struct ends ends_after(const struct queues *q, uint32_t queue, uint32_t n)
{
    struct ends e = {0, 0};
    for (uint32_t k = 0; k < n; k++) {
        e.tail += q->command[q->first[queue] + k] == INSERT ? q->batch : 0;
        e.head += q->command[q->first[queue] + k] == REMOVE ? q->batch : 0;
    }
    return e;
}

/* Random commands; only an empty queue needs an insert, and a full one a remove. */
static void make_commands(struct queues *q)
{
    const uint32_t room = CAPACITY / q->batch;
    uint32_t n = 0;
    for (uint32_t i = 0; q->s.status == 0 && i < q->queues; i++) {
        uint32_t used = 0;
        q->first[i] = n;
        for (uint32_t k = i; k < q->commands; k += q->queues) {
            const uint32_t kind = used == 0 ? INSERT : used == room ? REMOVE : session_below(&q->s, 2) == 0 ? INSERT : REMOVE;
            used = kind == INSERT ? used + 1 : used - 1;
            q->command[n++] = kind;
        }
        q->command[n++] = COMMIT;
        q->first[i + 1] = n;
    }
}

static void open_queues(struct queues *q, struct cowarp_workload_context *x)
{
    *q =
        (struct queues){.queues = (uint32_t)x->param[QUEUES], .commands = (uint32_t)x->param[COMMANDS], .batch = (uint32_t)x->param[BATCH]};
    session_open(&q->s, x);
    q->command = session_array(&q->s, q->commands + q->queues, sizeof *q->command);
    q->first = session_array(&q->s, q->queues + 1, sizeof *q->first);
    make_commands(q);
}

static void regions(struct queues *q, uint64_t (*region)(struct session *s, const char *name, uint64_t bytes))
{
    q->data = region(&q->s, "mq.data", (uint64_t)q->queues * CAPACITY * 4);
    q->control = region(&q->s, "mq.control", (uint64_t)q->queues * CONTROL * 4);
}

static uint32_t item(uint32_t queue, uint32_t position)
{
    const uint32_t x = (queue + 1) * 0x9e3779b1u + position * 0x85ebca6bu;
    return (x ^ x >> 15) * 0xc2b2ae35u | 1u;
}

/* Head and tail are those after the commands that are done, and what lies between is what was inserted. Returns the commands done. */
static uint32_t check_queue(struct queues *q, uint32_t i, const uint32_t *data, const uint32_t *control)
{
    const uint32_t done = control[DONE], commands = q->first[i + 1] - q->first[i];
    if (done > commands) {
        session_fail(&q->s, COWARP_ECHECK, "queue %u: %u of %u commands are done", i, done, commands);
        return 0;
    }
    const struct ends e = ends_after(q, i, done);
    if (control[ENDS] != e.head || control[ENDS + 1] != e.tail)
        session_fail(&q->s, COWARP_ECHECK, "queue %u: head %u and tail %u after %u commands, expected %u and %u", i, control[ENDS],
                     control[ENDS + 1], done, e.head, e.tail);
    for (uint32_t p = e.head; q->s.status == 0 && p < e.tail; p++)
        if (data[p % CAPACITY] != item(i, p))
            session_fail(&q->s, COWARP_ECHECK, "queue %u, integer %u: %#x, expected %#x; a batch is torn", i, p, data[p % CAPACITY],
                         item(i, p));
    return done;
}

static uint32_t check_queues(struct queues *q)
{
    const uint64_t words = (uint64_t)q->queues * CAPACITY;
    uint32_t *data = session_array(&q->s, words, 4), *control = session_array(&q->s, q->queues * CONTROL, 4), done = 0;
    session_read(&q->s, data, q->data, words * 4);
    session_read(&q->s, control, q->control, q->queues * CONTROL * UINT64_C(4));
    for (uint32_t i = 0; q->s.status == 0 && i < q->queues; i++)
        done += check_queue(q, i, data + (uint64_t)i * CAPACITY, control + i * CONTROL);
    return done;
}

/* Each thread has added up what it removed. */
static void check_removed(struct queues *q, uint64_t removed)
{
    const uint32_t threads = q->queues * THREADS;
    uint32_t *sum = session_array(&q->s, threads, sizeof *sum);
    session_read(&q->s, sum, removed, threads * UINT64_C(4));
    for (uint32_t n = 0; q->s.status == 0 && n < threads; n++) {
        const uint32_t queue = n / THREADS, thread = n % THREADS;
        const struct ends e = ends_after(q, queue, q->first[queue + 1] - q->first[queue]);
        uint32_t expected = 0;
        for (uint32_t b = 0; b < e.head; b += q->batch)
            for (uint32_t i = thread; i < q->batch; i += THREADS)
                expected += item(queue, b + i);
        if (sum[n] != expected)
            session_fail(&q->s, COWARP_ECHECK, "queue %u, thread %u: it has removed %#x, expected %#x", queue, thread, sum[n], expected);
    }
}

static int run(struct cowarp_workload_context *x)
{
    static const char *const kernels[] = {"mq_block", "mq_device", "mq_none"};
    struct queues q;
    open_queues(&q, x);
    regions(&q, session_pm_new);
    const uint32_t all = q.commands + q.queues;
    const uint64_t command = session_upload(&q.s, q.command, all * UINT64_C(4));
    const uint64_t first = session_upload(&q.s, q.first, (q.queues + 1) * UINT64_C(4));
    const uint64_t removed = session_upload(&q.s, NULL, q.queues * THREADS * UINT64_C(4));
    session_phase(&q.s, "commands");
    session_launch(&q.s, kernels[x->param[SCOPE]], q.queues, THREADS, COWARP_U64(command), COWARP_U64(first), COWARP_U64(q.data),
                   COWARP_U64(q.control), COWARP_U64(removed), COWARP_U32(q.batch));
    session_phase(&q.s, NULL);
    const uint32_t done = check_queues(&q);
    check_removed(&q, removed);
    if (q.s.status == 0 && done != all)
        session_fail(&q.s, COWARP_ECHECK, "%u of %u commands are done", done, all);
    session_passed(&q.s, "%u commands of %u integers on %u queues, all batches whole and in order", q.commands, q.batch, q.queues);
    return session_close(&q.s);
}

static int recover(struct cowarp_workload_context *x)
{
    struct queues q;
    open_queues(&q, x);
    regions(&q, session_pm_find);
    session_launch(&q.s, "mq_recover", q.queues, THREADS, COWARP_U64(q.control));
    return session_close(&q.s);
}

static int verify(struct cowarp_workload_context *x)
{
    struct queues q;
    open_queues(&q, x);
    regions(&q, session_pm_find);
    const uint32_t done = check_queues(&q);
    session_passed(&q.s, "%u of %u commands are done, all batches whole and in order", done, q.commands + q.queues);
    return session_close(&q.s);
}

const struct cowarp_workload cowarp_workload_mq = {
    .name = "mq",
    .folder = "mq",
    .what = "queues in persistent memory, with a transaction for each batch (SBRP 7.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
    .recover = recover,
    .verify = verify,
};
