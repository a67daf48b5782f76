/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A workload's dealings with the GPU, for workloads with many arrays and launches. The first failure is kept; every later call does nothing
 * and says so by its result. So the host code asks for the status once, where it needs to know.
 */
#ifndef KERNELS_SESSION_H
#define KERNELS_SESSION_H

#include "host.h"

struct session {
    struct cowarp_workload_context *x;
    struct cowarp_module *module;
    uint64_t random; /* state of host_random, from the run's seed */
    int status;      /* 0, or the first failure */
    void *kept[32];  /* host arrays */
    uint32_t kept_cnt;
    uint64_t buffer[32]; /* device memory */
    uint32_t buffer_cnt;
};

/* Begins a session: loads the workload's PTX, unless an earlier session of the context has done so. */
void session_open(struct session *s, struct cowarp_workload_context *x);

/* Frees the host arrays and, if nothing has failed, the first 32 pieces of device memory. Returns the status. */
int session_close(struct session *s);

/* Returns a zeroed host array of `count` elements of `size` bytes, at most 32 per session. It lives until session_close. NULL: the session
 * has failed, now or before. */
void *session_array(struct session *s, uint64_t count, uint64_t size);

/* Allocates device memory. data NULL: it is zero. Returns its address, or 0 in a session that has failed. */
uint64_t session_upload(struct session *s, const void *data, uint64_t bytes);

/* The same for what threads share in transactions (host_upload_shared). It lives as long as the GPU. */
uint64_t session_upload_shared(struct session *s, const void *data, uint64_t bytes);

void session_write(struct session *s, uint64_t address, const void *data, uint64_t bytes);
void session_read(struct session *s, void *data, uint64_t address, uint64_t bytes);

/* Makes a region of persistent memory of zeros; what a region of the name held before is gone. Or finds it, of just that size. Returns its
 * address, or 0 in a session that has failed. */
uint64_t session_pm_new(struct session *s, const char *name, uint64_t bytes);
uint64_t session_pm_find(struct session *s, const char *name, uint64_t bytes);

/* The host's side of kernels/include/undo_log.h: the log's regions, NAME.log, NAME.heads and NAME.valid, made or found by `region`. */
struct session_log {
    uint64_t entry, head, valid; /* persistent memory */
    uint32_t writers;
};
typedef uint64_t (*session_region_fn)(struct session *s, const char *name, uint64_t bytes);
struct session_log session_log_open(struct session *s, const char *name, uint32_t writers, session_region_fn region);

/* From here on recovery undoes the batch; from session_log_end on it does not, and the log is emptied by blocks x threads threads. */
void session_log_begin(struct session *s, const struct session_log *log);
void session_log_end(struct session *s, const struct session_log *log, uint32_t blocks, uint32_t threads);

/* Whether a batch has to be undone. */
int session_log_is_valid(struct session *s, const struct session_log *log);

/* Fails the session when the log is not empty. */
void session_log_check(struct session *s, const struct session_log *log);

/* Begins a phase of the run (cowarp_phase); NULL: ends it. */
void session_phase(struct session *s, const char *name);

/* Fills a variable of constant memory (kernels/include/constant.h) from its beginning. */
void session_constant(struct session *s, const char *name, const void *data, uint64_t bytes);

/* Runs a kernel on a grid of blocks_x x blocks_y blocks of threads_x x threads_y threads. */
struct session_shape {
    uint32_t blocks_x, blocks_y, threads_x, threads_y;
};
void session_run(struct session *s, const char *kernel, struct session_shape shape, uint32_t arg_count, const struct cowarp_arg *args);

/* session_launch(&s, "kernel", blocks, threads, arguments...): on one dimension. session_launch_2d: on a struct session_shape. */
#define SESSION_ARGS(...)                                                                                                 \
    (uint32_t)(sizeof((const struct cowarp_arg[]){__VA_ARGS__}) / sizeof(struct cowarp_arg)), (const struct cowarp_arg[]) \
    {                                                                                                                     \
        __VA_ARGS__                                                                                                       \
    }
#define session_launch(s, kernel, blocks, threads, ...) \
    session_run(s, kernel, (struct session_shape){blocks, 1, threads, 1}, SESSION_ARGS(__VA_ARGS__))
#define session_launch_2d(s, kernel, shape, ...) session_run(s, kernel, shape, SESSION_ARGS(__VA_ARGS__))

/* Ends the session's work with a wrong result (COWARP_ECHECK) or with a parameter that cannot be (COWARP_EINVAL), and says what. */
__attribute__((format(printf, 3, 4))) void session_fail(struct session *s, int status, const char *format, ...);

/* Says what was checked, if nothing has failed. */
__attribute__((format(printf, 2, 3))) void session_passed(struct session *s, const char *format, ...);

/* Fails the session at the first of n values that differs from what is expected; `what` is the singular of what the values are. */
void session_compare_u32(struct session *s, const char *what, const uint32_t *got, const uint32_t *expected, uint64_t n);
void session_compare_f32(struct session *s, const char *what, const float *got, const float *expected, uint64_t n);

/* The same for values that may be off by `tolerance` times the largest expected magnitude. A NaN is never near. */
void session_compare_near(struct session *s, const char *what, const float *got, const double *expected, uint64_t n, double tolerance);

/* A random number of 0 to n - 1, or 0.0f to just below 1.0f. */
uint32_t session_below(struct session *s, uint32_t n);
float session_unit(struct session *s);

#endif
