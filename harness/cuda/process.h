/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one process: its lock, its GPU, what is wrong with it. It is the only global state of cowarp, because CUDA's interface has no handle
 * that could carry it.
 *
 * Private to: array.c, graph.h, image.c, hostlib.c, launch.c, memory.c, module.c, open.c, order.c, device.c, pool.c, process.c, registered.c,
 * texture.c.
 */
#ifndef CW_HARNESS_CUDA_PROCESS_H
#define CW_HARNESS_CUDA_PROCESS_H

#include <pthread.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cuda_page.h"
#include "cuda/cuda.h"

#define CW_CUDA_BUCKETS 1024u

struct cw_cuda_image {
    char name[80];         /* "vecadd#1.ptx": for messages */
    char *text;            /* the newest PTX; NULL: `why` says why there is none */
    size_t length;         /* of the text */
    uint32_t architecture; /* of the text: 75 */
    bool unloaded;
    int code;                     /* what to answer when it cannot be used */
    char why[512];                /* the line that goes with it; "": it has been said */
    char missing[512];            /* why something that it should have may not be there; "": for no reason that is known */
    struct cowarp_module *module; /* NULL: not loaded yet */
    struct cw_cuda_image *next;
};

struct cw_cuda_function {
    const void *host; /* NULL: none */
    char *name;
    struct cw_cuda_image *image;
    bool known; /* what follows is there */
    struct cowarp_kernel_info info;
    struct cowarp_param *param;
    uint32_t param_cnt;
    int dynamic_shared_most; /* that the program has asked for; 0: it has not */
    struct cw_cuda_function *next, *next_all;
};

struct cw_cuda_variable {
    const void *host;
    char *name;
    struct cw_cuda_image *image;
    size_t bytes;
    void **managed; /* where its address goes; NULL: it is not managed */
    struct cw_cuda_variable *next;
};

struct cw_cuda_allocation {
    uint64_t base;
    size_t bytes;
    enum cw_cuda_memory kind;
    bool of_graph; /* It stays. */
    struct cw_cuda_allocation *next;
};

struct cw_cuda_registered;
struct cw_cuda_texture;
struct cw_sampler;

enum cw_cuda_state { CW_CUDA_NEW, CW_CUDA_OPEN, CW_CUDA_BROKEN, CW_CUDA_CLOSED };

struct cw_cuda_process {
    pthread_mutex_t lock; /* recursive */
    enum cw_cuda_state state;
    pid_t pid; /* that opened it: a child of fork has a copy that writes no files */
    struct cli_session session;
    struct cli_parsed parsed;
    char *words; /* the options' text, which argv points into */
    char **argv;
    struct cw_cuda_page *page; /* what `cowarp cuda` reads when the program has ended; NULL: nobody */
    int sticky;                /* error that every call answers until the device is reset */
    uint64_t failed_launches;
    bool said_full;               /* that an allocation did not fit */
    bool has_runtime;             /* the runtime API is there */
    char said[1000];              /* the last line of cw_cuda__say */
    struct cw_cuda_image *images; /* newest first */
    uint32_t image_cnt;
    struct cw_cuda_function *bucket[CW_CUDA_BUCKETS], *functions;
    struct cw_cuda_variable *variable[CW_CUDA_BUCKETS];
    struct cw_cuda_allocation *allocations;
    struct cw_cuda_registered *registered;
    struct cw_cuda_texture *textures;
    void (*settle)(void); /* carries out what has been put off; NULL: nothing has been */
};

extern struct cw_cuda_process cw_cuda__process;

void cw_cuda__lock(void);
void cw_cuda__unlock(void);
/* Releases the lock; returns the code. */
int cw_cuda__leave(int code);
/* Whether this name, a literal, is asked about for the first time: what is said once hangs on it. More than a hundred names are always new. */
bool cw_cuda__is_first(const char *name);
/* "cowarp: ..." on standard error, unless --quiet. */
void cw_cuda__say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The GPU, which is made at the first call: the code that every call has to answer, or 0. The lock is held. */
int cw_cuda__gpu(struct cowarp_gpu **gpu);
/* The same without carrying out first what has been put off: for who does not look at what kernels and copies have done. */
int cw_cuda__gpu_as_is(struct cowarp_gpu **gpu);
/* Carries it out. */
void cw_cuda__settle(void);
/* A status of libcowarp as CUDA's number; says the text of the error. */
int cw_cuda__failed(int status);

/* image.c: text of a container, or PTX as it is, into the image. */
struct cw_cuda_image *cw_cuda__image_new(void);
void cw_cuda__image_fill(struct cw_cuda_image *image, const void *data);
/* Static shared memory that a block of the text's kernels needs at the most; *dynamic: some kernel has shared memory of no size. */
uint64_t cw_cuda__shared_need(const char *text, bool *dynamic);

/* registered.c: the bytes of the host that this address of the device stands for; NULL: it is plain device memory. */
void *cw_cuda__registered_host(uint64_t address);
/* Before a launch, and after it. */
void cw_cuda__registered_to_device(struct cowarp_gpu *gpu);
void cw_cuda__registered_to_host(struct cowarp_gpu *gpu);
void cw_cuda__registered_forget(struct cowarp_gpu *gpu);
/* An address for a constant, under which copies and sets reach it. The image is loaded. */
int cw_cuda__constant(uint64_t *address, struct cowarp_gpu *gpu, struct cw_cuda_image *image, const char *name, size_t bytes);
/* After the constant has been written by its name, and before it is read so. */
void cw_cuda__constant_changed(struct cowarp_gpu *gpu, const struct cw_cuda_image *image, const char *name);
void cw_cuda__constant_current(struct cowarp_gpu *gpu, const struct cw_cuda_image *image, const char *name);

/* array.c: where an array's texels lie. */
void cw_cuda__array_sampler(const struct cw_cuda_array *array, struct cw_sampler *s);

/* module.c: loads the image's text on the GPU. */
int cw_cuda__image_load(struct cw_cuda_image *image);

#endif
