/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams side by side, as the CUDA C++ Programming Guide has them: kernels of different streams may overlap, those of one do not; an event orders
 * them, and so does the legacy default stream. Each kernel has work for half of the cores, so two that overlap take the time of one.
 */
#include "program.h"

#define THREADS 256u
#define BLOCKS  7u /* the preset getm has 15 cores */
#define WORDS   (BLOCKS * THREADS)
#define TIMES   1000u

extern int cudaStreamCreateWithFlags(void **, unsigned), cudaStreamWaitEvent(void *, void *, unsigned), cudaEventSynchronize(void *);
extern int cudaMemcpyAsync(void *, const void *, size_t, int, void *), cudaMemsetAsync(void *, int, size_t, void *);
extern int cudaStreamQuery(void *), cudaGraphInstantiate(void **, void *, unsigned long long), cudaGraphLaunch(void *, void *);
extern int cudaStreamBeginCapture(void *, int), cudaStreamEndCapture(void *, void **);

static int work_stands_here, waits_stands_here;
static void *s, *t, *apart, *begin, *end, *mark;
static unsigned *data[2], *pinned[2];

static void work(void *stream, unsigned *at)
{
    unsigned n = TIMES;
    void *args[] = {&at, &n};
    const struct dim3 grid = {BLOCKS, 1, 1}, block = {THREADS, 1, 1};
    if (stream == NULL)
        WANT(launch(&work_stands_here, BLOCKS, THREADS, args), 0);
    else
        WANT(cudaLaunchKernel(&work_stands_here, grid, block, args, 0, stream), 0);
}

static unsigned worked(unsigned x)
{
    for (unsigned i = 0; i < TIMES; i++)
        x = 3 * x + 1;
    return x;
}

/* Microseconds from here to the end of all streams. */
static void from_here(void)
{
    WANT(cudaDeviceSynchronize(), 0);
    WANT(cudaEventRecord(begin, NULL), 0);
}

static double until_end(void)
{
    float ms = 0;
    WANT(cudaEventRecord(end, NULL), 0);
    WANT(cudaEventSynchronize(end), 0);
    WANT(cudaEventElapsedTime(&ms, begin, end), 0);
    return 1000.0 * (double)ms;
}

static double one;

/* How often the time of one kernel that is, rounded. */
#define WANT_KERNELS(us, wanted) WANT((us) / one + 0.5, wanted)

static void orders(int at_once)
{
    from_here(), work(s, data[0]), work(t, data[1]);
    WANT_KERNELS(until_end(), at_once ? 1 : 2);
    from_here(), work(s, data[0]), work(s, data[1]);
    WANT_KERNELS(until_end(), 2);
    from_here(), work(s, data[0]);
    WANT(cudaEventRecord(mark, s), 0);
    WANT(cudaStreamWaitEvent(t, mark, 0), 0);
    work(t, data[1]);
    WANT_KERNELS(until_end(), 2);
    from_here(), work(s, data[0]), work(NULL, data[1]); /* the legacy default stream waits for s, and t for it */
    WANT_KERNELS(until_end(), 2);
    from_here(), work(NULL, data[0]), work(t, data[1]);
    WANT_KERNELS(until_end(), 2);
    from_here(), work(s, data[0]), work(apart, data[1]);
    WANT(cudaStreamQuery(apart), 0);
    WANT_KERNELS(until_end(), at_once ? 1 : 2);
}

/* An event in the middle of overlapping streams has the time at which its stream gets there. */
static void times(void)
{
    float ms = 0;
    from_here(), work(s, data[0]), work(t, data[1]);
    WANT(cudaEventRecord(mark, t), 0);
    work(t, data[1]);
    WANT_KERNELS(until_end(), 2);
    WANT(cudaEventElapsedTime(&ms, begin, mark), 0);
    WANT_KERNELS(1000.0 * (double)ms, 1);
}

/* Copies in their streams, asked for stream by stream: what is behind a kernel has what it has made. */
static void copies(void)
{
    int wrong = 0;
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < WORDS; k++)
            pinned[i][k] = 1000 * i + k;
    from_here();
    for (unsigned i = 0; i < 2; i++) {
        void *const stream = i == 0 ? s : t;
        WANT(cudaMemcpyAsync(data[i], pinned[i], sizeof(unsigned[WORDS]), TO_DEVICE, stream), 0);
        work(stream, data[i]);
        WANT(cudaMemcpyAsync(pinned[i], data[i], sizeof(unsigned[WORDS]), TO_HOST, stream), 0);
        WANT(cudaMemsetAsync(data[i], 0, 4, stream), 0);
    }
    WANT_KERNELS(until_end(), 1);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < WORDS; k++)
            wrong += pinned[i][k] != worked(1000 * i + k);
    WANT(wrong, 0);
    WANT(cudaMemcpy(pinned[0], data[1], 8, TO_HOST), 0);
    WANT(pinned[0][0], 0);
    WANT(pinned[0][1], worked(1001));
}

/* The copy from memory that is not pinned has taken its bytes when the call returns; the one to such memory is done then. */
static void pageable(void)
{
    unsigned plain[2] = {5, 6}, back[2] = {0, 0};
    work(s, data[0]);
    work(t, data[1]);
    WANT(cudaMemcpyAsync(data[0], plain, sizeof plain, TO_DEVICE, s), 0);
    plain[0] = 7;
    work(s, data[0]);
    WANT(cudaMemcpyAsync(back, data[0], sizeof back, TO_HOST, s), 0);
    WANT(back[0], worked(5));
    WANT(back[1], worked(6));
}

/* The second kernel of s waits for the first. With one queue those of t stand behind it, as before Kepler; with more they do not. */
static void queues(int cnt)
{
    from_here(), work(s, data[0]), work(s, data[0]), work(t, data[1]), work(t, data[1]);
    WANT_KERNELS(until_end(), cnt == 1 ? 3 : 2);
}

/* Two branches of a graph. */
static void graph(void)
{
    void *made, *exec;
    WANT(cudaStreamBeginCapture(s, 0), 0);
    WANT(cudaEventRecord(mark, s), 0);
    WANT(cudaStreamWaitEvent(t, mark, 0), 0);
    work(s, data[0]);
    work(t, data[1]);
    WANT(cudaEventRecord(mark, t), 0);
    WANT(cudaStreamWaitEvent(s, mark, 0), 0);
    work(s, data[0]);
    WANT(cudaStreamEndCapture(s, &made), 0);
    WANT(cudaGraphInstantiate(&exec, made, 0), 0);
    from_here();
    WANT(cudaGraphLaunch(exec, s), 0);
    WANT_KERNELS(until_end(), 2); /* side by side, and then a third */
}

/* A kernel that waits for what the host writes behind its launch, with one stream and without time, too. */
static void waits(void)
{
    const struct dim3 once = {1, 1, 1};
    void *args[] = {&pinned[0]};
    *(volatile unsigned *)pinned[0] = 0;
    WANT(cudaLaunchKernel(&waits_stands_here, once, once, args, 0, s), 0);
    *(volatile unsigned *)pinned[0] = 1;
    WANT(cudaStreamSynchronize(s), 0);
}

static void fails(void)
{
    work(s, data[0]);
    work(t, NULL);
    WANT(cudaStreamSynchronize(s), 700);
    WANT(cudaDeviceSynchronize(), 700);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    __cudaRegisterFunction(handle, (const char *)&work_stands_here, NULL, "work", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (const char *)&waits_stands_here, NULL, "waits", -1, NULL, NULL, NULL, NULL, NULL);
    WANT(cudaStreamCreate(&s), 0);
    WANT(cudaStreamCreate(&t), 0);
    WANT(cudaStreamCreateWithFlags(&apart, 1), 0);
    WANT(cudaEventCreate(&begin), 0);
    WANT(cudaEventCreate(&mark), 0);
    WANT(cudaEventCreate(&end), 0);
    for (unsigned i = 0; i < 2; i++) {
        WANT(cudaMalloc((void **)&data[i], sizeof(unsigned[WORDS])), 0);
        WANT(cudaMallocHost((void **)&pinned[i], sizeof(unsigned[WORDS])), 0);
        WANT(cudaMemset(data[i], 0, sizeof(unsigned[WORDS])), 0);
    }
    from_here(), work(s, data[0]);
    one = until_end();
    if (strcmp(what, "fails") == 0)
        fails();
    else if (strcmp(what, "waits") == 0)
        waits();
    else if (strcmp(what, "queues") == 0)
        queues(8);
    else if (strcmp(what, "pair") == 0)
        work(s, data[0]), work(t, data[1]);
    else
        orders(strcmp(what, "apart") != 0);
    if (what[0] == '\0')
        times(), copies(), pageable(), queues(1), graph();
    return bad != 0;
}
