/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, launches, variables, errors. The first argument says what to do; the program ends with 0 when the runtime has answered as CUDA's. */
#define _GNU_SOURCE
#include "program.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 1000
static void run_add(float times)
{
    static float a[N], b[N], c[N];
    float *da = NULL, *db = NULL, *dc = NULL;
    int n = N, wrong = 0;
    for (int i = 0; i < N; i++)
        a[i] = (float)i, b[i] = (float)(3 * i);
    WANT(cudaMalloc((void **)&da, sizeof a), 0);
    WANT(cudaMalloc((void **)&db, sizeof a), 0);
    WANT(cudaMalloc((void **)&dc, sizeof a), 0);
    WANT(cudaMemcpy(da, a, sizeof a, TO_DEVICE), 0);
    WANT(cudaMemcpy(db, b, sizeof b, ANY), 0);
    void *args[] = {&da, &db, &dc, &n};
    WANT(launch((const void *)(uintptr_t)add, (N + 127) / 128, 128, args), 0);
    WANT(cudaMemcpy(c, dc, sizeof c, TO_HOST), 0);
    for (int i = 0; i < N; i++)
        wrong += c[i] != times * (float)(4 * i);
    WANT(wrong, 0);
    WANT(cudaFree(da), 0);
    WANT(cudaFree(db), 0);
    WANT(cudaFree(dc), 0);
}

static void variables(void)
{
    int now = 0;
    float two = 2;
    void *address = NULL;
    size_t bytes = 0;
    WANT(cudaMemcpyFromSymbol(&now, &counter, 4, 0, TO_HOST), 0);
    WANT(now, 5);
    run_add(1);
    WANT(cudaMemcpyToSymbol(&scale, &two, 4, 0, TO_DEVICE), 0);
    run_add(2);
    WANT(cudaMemcpyFromSymbol(&now, &counter, 4, 0, TO_HOST), 0);
    WANT(now, 5 + 2 * N);
    WANT(cudaGetSymbolAddress(&address, &counter), 0);
    WANT(cudaGetSymbolSize(&bytes, &counter), 0);
    WANT(bytes, 4);
    WANT(cudaMemset(address, 1, 4), 0);
    WANT(cudaMemcpy(&now, address, 4, TO_HOST), 0);
    WANT(now, 0x01010101);
    WANT(cudaMemcpyFromSymbol(&now, &bad, 4, 0, TO_HOST), 13);    /* no variable of the device */
    WANT(cudaMemcpyToSymbol(&counter, &now, 8, 0, TO_DEVICE), 1); /* beyond its end */
}

static void arguments(void)
{
    int s[3] = {11, -12, 13}, back[3], *out, *shared = NULL;
    WANT(cudaMalloc((void **)&out, 12), 0);
    void *args[] = {&out, s};
    WANT(launch(&take_stands_here, 1, 1, args), 0);
    WANT(cudaMemcpy(back, out, 12, TO_HOST), 0);
    WANT(memcmp(s, back, 12), 0);
    WANT(cudaMallocManaged((void **)&shared, 64, 1), 0);
    shared[3] = 1;
    void *at = &shared[3], *poked[] = {&at};
    WANT(__cudaInitModule(handle), 1);
    managed[1] = 0;
    WANT(launch(&poke_stands_here, 1, 1, poked), 0);
    WANT(cudaDeviceSynchronize(), 0);
    WANT(shared[3], 7);
    WANT(managed[1], 7);
    WANT(cudaFree(shared), 0);
}

static void copies(void)
{
    char from[6][10], to[6][4], *device, *pinned;
    for (int i = 0; i < 60; i++)
        from[i / 10][i % 10] = (char)i;
    WANT(cudaMalloc((void **)&device, 6 * 16), 0);
    WANT(cudaMemcpy2D(device, 16, from, 10, 4, 6, TO_DEVICE), 0);
    WANT(cudaMemcpy2D(to, 4, device, 16, 4, 6, TO_HOST), 0);
    for (int i = 0; i < 24; i++)
        WANT(to[i / 4][i % 4], from[i / 4][i % 4]);
    WANT(cudaMemcpy2D(device, 3, from, 10, 4, 6, TO_DEVICE), 12); /* the pitch is smaller than a row */
    WANT(cudaMemcpy(device + 1, device, 20, ON_DEVICE), 0);
    WANT(cudaMemcpy(to, device, 4, TO_HOST), 0);
    WANT(to[0][1], from[0][0]);
    WANT(cudaMemcpy(from, device, 4, TO_DEVICE), 1); /* the wrong way */
    WANT(cudaMemcpy(device, from, 4, 7), 21);
    WANT(cudaMemcpy(device, from, 97, TO_DEVICE), 1); /* one byte too many */
    WANT(cudaMallocHost((void **)&pinned, 32), 0);
    WANT(cudaMemcpy(pinned, device, 32, TO_HOST), 0);
    WANT(pinned[1], from[0][0]);
    WANT(cudaFreeHost(pinned), 0);
    WANT(cudaFree(device), 0);
}

/* Errors of calls, which leave the device well. */
static void errors(void)
{
    void *p = NULL;
    size_t free_bytes, total;
    int n, blocks = 0, *out;
    WANT(cudaMalloc((void **)&out, 4), 0);
    void *args[] = {&out};
    WANT(launch(&poke_stands_here, 1, 1025, args), 9);
    WANT(cudaPeekAtLastError(), 9);
    WANT(cudaGetLastError(), 9);
    WANT(cudaGetLastError(), 0);
    WANT(launch(&poke_stands_here, 0, 32, args), 9);
    WANT(launch(&bad, 1, 32, args), 98);              /* no kernel */
    WANT(launch(&gone_stands_here, 1, 32, args), 98); /* registered, and not in the PTX */
    WANT(cudaGetLastError(), 98);
    WANT(cudaMemGetInfo(&free_bytes, &total), 0);
    WANT(cudaMalloc(&p, 2 * total), 2);
    WANT(p == NULL, 1);
    WANT(cudaFree(&n), 1);
    WANT(cudaMalloc(&p, 8), 0);
    WANT(cudaFree(p), 0);
    WANT(cudaFree(p), 1);
    WANT(cudaSetDevice(1), 101);
    WANT(cudaGetDeviceCount(&n), 0);
    WANT(n, 1);
    WANT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)(uintptr_t)add, 256, 0), 0);
    WANT(blocks > 0, 1);
    WANT(cudaMallocMipmappedArray(NULL, NULL, NULL, 0, 0), 801);
    WANT(launch(&poke_stands_here, 1, 32, args), 0);
    WANT(cudaDeviceSynchronize(), 0);
}

/* What a kernel does wrong is told by who waits for it, again and again, until the device is reset. */
static void sticky(uintptr_t at, int code)
{
    int *out;
    void *args[] = {&at};
    WANT(launch(&poke_stands_here, 1, 1, args), 0);
    WANT(cudaDeviceSynchronize(), code);
    WANT(cudaMalloc((void **)&out, 4), code);
    WANT(cudaGetLastError(), code);
    WANT(cudaGetLastError(), code);
    WANT(cudaDeviceReset(), 0);
    WANT(cudaDeviceSynchronize(), 0);
    run_add(1);
}

static void times(void)
{
    void *stream, *begin, *end;
    float ms = -1;
    WANT(cudaStreamCreate(&stream), 0);
    WANT(cudaEventCreate(&begin), 0);
    WANT(cudaEventCreate(&end), 0);
    WANT(cudaEventElapsedTime(&ms, begin, end), 400); /* nothing recorded */
    WANT(cudaEventRecord(begin, stream), 0);
    run_add(1);
    WANT(cudaEventRecord(end, stream), 0);
    WANT(cudaStreamSynchronize(stream), 0);
    WANT(cudaEventElapsedTime(&ms, begin, end), 0);
    WANT(ms > 0 && ms < 1, 1);
    printf("%.9f ms\n", (double)ms);
    WANT(cudaEventDestroy(begin), 0);
    WANT(cudaStreamDestroy(stream), 0);
}

static void *thread(void *unused)
{
    for (int i = 0; i < 4; i++)
        run_add(1);
    return unused;
}

static void threads(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
}

/* The child has done nothing before, and both run kernels. */
static void forks(void)
{
    int status = -1;
    const pid_t child = fork();
    run_add(1);
    if (child == 0)
        exit(bad != 0);
    waitpid(child, &status, 0);
    WANT(status, 0);
}

static void big(void)
{
    int *out, back = 0;
    WANT(cudaMalloc((void **)&out, 4), 0);
    void *args[] = {&out};
    WANT(launch(&big_stands_here, 1, 32, args), 0);
    WANT(cudaMemcpy(&back, out, 4, TO_HOST), 0);
    WANT(back, 9);
}

/* On a core that has room for two warps. */
static void room(void)
{
    int *out, blocks = 9;
    WANT(cudaMalloc((void **)&out, 4), 0);
    void *args[] = {&out};
    WANT(launch(&poke_stands_here, 1, 128, args), 701);
    WANT(cudaGetLastError(), 701);
    WANT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &poke_stands_here, 128, 0), 0);
    WANT(blocks, 0);
    WANT(launch(&poke_stands_here, 1, 64, args), 0);
    WANT(cudaDeviceSynchronize(), 0);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "add";
    if (strcmp(what, "add") == 0)
        run_add(1);
    else if (strcmp(what, "variables") == 0)
        variables();
    else if (strcmp(what, "arguments") == 0)
        arguments();
    else if (strcmp(what, "copies") == 0)
        copies();
    else if (strcmp(what, "errors") == 0)
        errors();
    else if (strcmp(what, "outside") == 0)
        sticky(UINT64_C(0x100000000) + (1u << 29), 700);
    else if (strcmp(what, "misaligned") == 0)
        sticky(UINT64_C(0x100000001), 716);
    else if (strcmp(what, "times") == 0)
        times();
    else if (strcmp(what, "threads") == 0)
        threads();
    else if (strcmp(what, "forks") == 0)
        forks();
    else if (strcmp(what, "big") == 0)
        big();
    else if (strcmp(what, "room") == 0)
        room();
    else
        return atoi(what);
    return bad != 0;
}
