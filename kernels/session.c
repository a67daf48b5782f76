/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

void session_open(struct session *s, struct cowarp_workload_context *x)
{
    *s = (struct session){.x = x, .random = x->seed};
    s->status = x->module != NULL ? 0 : cowarp_load_file(x->gpu, &x->module, x->ptx_path);
    s->module = x->module;
}

int session_close(struct session *s)
{
    for (uint32_t i = 0; i < s->kept_cnt; i++)
        free(s->kept[i]);
    s->kept_cnt = 0;
    if (s->status == 0) /* else the GPU may hold accesses to it */
        for (uint32_t i = 0; i < s->buffer_cnt; i++)
            cowarp_free(s->x->gpu, s->buffer[i]);
    s->buffer_cnt = 0;
    return s->status;
}

void *session_array(struct session *s, uint64_t count, uint64_t size)
{
    if (s->status != 0)
        return NULL;
    void *array = s->kept_cnt < sizeof s->kept / sizeof s->kept[0] ? calloc(count, size) : NULL;
    if (array == NULL)
        s->status = COWARP_ENOMEM;
    else
        s->kept[s->kept_cnt++] = array;
    return array;
}

uint64_t session_upload(struct session *s, const void *data, uint64_t bytes)
{
    uint64_t address = 0;
    if (s->status == 0)
        s->status = host_upload(s->x->gpu, &address, data, bytes);
    if (s->status != 0)
        return 0;
    if (s->buffer_cnt < sizeof s->buffer / sizeof s->buffer[0])
        s->buffer[s->buffer_cnt++] = address;
    return address;
}

uint64_t session_upload_shared(struct session *s, const void *data, uint64_t bytes)
{
    uint64_t address = 0;
    if (s->status == 0)
        s->status = host_upload_shared(s->x, &address, data, bytes);
    return s->status == 0 ? address : 0;
}

uint64_t session_pm_new(struct session *s, const char *name, uint64_t bytes)
{
    uint64_t address = 0;
    uint64_t before;
    if (s->status == 0 && cowarp_pm_find(s->x->gpu, name, &address, &before) == 0)
        s->status = cowarp_pm_free(s->x->gpu, name);
    if (s->status == 0)
        s->status = cowarp_pm_alloc(s->x->gpu, &address, name, bytes);
    return s->status == 0 ? address : 0;
}

uint64_t session_pm_find(struct session *s, const char *name, uint64_t bytes)
{
    uint64_t address = 0, found = 0;
    if (s->status == 0)
        s->status = cowarp_pm_find(s->x->gpu, name, &address, &found);
    if (found != bytes)
        session_fail(s, COWARP_EINVAL, "region %s has %llu bytes, not %llu: it is of a run with other parameters", name,
                     (unsigned long long)found, (unsigned long long)bytes);
    return s->status == 0 ? address : 0;
}

static uint64_t log_region(struct session *s, const char *name, const char *what, uint64_t bytes, session_region_fn region)
{
    char full[64];
    snprintf(full, sizeof full, "%s.%s", name, what);
    return region(s, full, bytes);
}

struct session_log session_log_open(struct session *s, const char *name, uint32_t writers, session_region_fn region)
{
    struct session_log log = {.writers = writers};
    log.entry = log_region(s, name, "log", writers * UINT64_C(16), region);
    log.head = log_region(s, name, "heads", writers * UINT64_C(4), region);
    log.valid = log_region(s, name, "valid", 4, region);
    return log;
}

void session_log_begin(struct session *s, const struct session_log *log)
{
    session_launch(s, "log_begin", 1, 1, COWARP_U64(log->valid));
}

void session_log_end(struct session *s, const struct session_log *log, uint32_t blocks, uint32_t threads)
{
    session_launch(s, "log_end", 1, 1, COWARP_U64(log->valid));
    session_launch(s, "log_clear", blocks, threads, COWARP_U64(log->head), COWARP_U32(log->writers));
}

int session_log_is_valid(struct session *s, const struct session_log *log)
{
    uint32_t valid = 0;
    session_read(s, &valid, log->valid, sizeof valid);
    return valid != 0;
}

void session_log_check(struct session *s, const struct session_log *log)
{
    uint32_t *head = session_array(s, log->writers, sizeof *head), valid = 0;
    session_read(s, &valid, log->valid, sizeof valid);
    session_read(s, head, log->head, log->writers * sizeof *head);
    for (uint32_t i = 0; s->status == 0 && i < log->writers; i++)
        if (head[i] != 0 || valid != 0)
            session_fail(s, COWARP_ECHECK, "the log is not empty: valid %u, head %u is %u", valid, i, head[i]);
}

void session_phase(struct session *s, const char *name)
{
    if (s->status == 0)
        s->status = cowarp_phase(s->x->gpu, name);
}

void session_write(struct session *s, uint64_t address, const void *data, uint64_t bytes)
{
    if (s->status == 0)
        s->status = cowarp_write(s->x->gpu, address, data, bytes);
}

void session_read(struct session *s, void *data, uint64_t address, uint64_t bytes)
{
    if (s->status == 0)
        s->status = cowarp_read(s->x->gpu, data, address, bytes);
}

void session_constant(struct session *s, const char *name, const void *data, uint64_t bytes)
{
    if (s->status == 0)
        s->status = cowarp_symbol_write(s->x->gpu, s->module, name, 0, data, bytes);
}

void session_run(struct session *s, const char *kernel, struct session_shape shape, uint32_t arg_count, const struct cowarp_arg *args)
{
    const struct cowarp_launch launch = {.size = sizeof launch,
                                         .kernel = kernel,
                                         .grid = {shape.blocks_x, shape.blocks_y, 1},
                                         .block = {shape.threads_x, shape.threads_y, 1},
                                         .arg_count = arg_count,
                                         .args = args};
    if (s->status == 0)
        s->status = cowarp_run(s->x->gpu, s->module, &launch);
}

void session_fail(struct session *s, int status, const char *format, ...)
{
    va_list list;
    if (s->status != 0)
        return;
    s->status = status;
    va_start(list, format);
    vsnprintf(s->x->message, sizeof s->x->message, format, list);
    va_end(list);
}

void session_passed(struct session *s, const char *format, ...)
{
    va_list list;
    if (s->status != 0)
        return;
    va_start(list, format);
    vsnprintf(s->x->message, sizeof s->x->message, format, list);
    va_end(list);
}

void session_compare_u32(struct session *s, const char *what, const uint32_t *got, const uint32_t *expected, uint64_t n)
{
    for (uint64_t i = 0; s->status == 0 && i < n; i++)
        if (got[i] != expected[i])
            session_fail(s, COWARP_ECHECK, "%s %llu is %u (%#x), expected %u (%#x)", what, (unsigned long long)i, got[i], got[i],
                         expected[i], expected[i]);
}

void session_compare_f32(struct session *s, const char *what, const float *got, const float *expected, uint64_t n)
{
    for (uint64_t i = 0; s->status == 0 && i < n; i++)
        if (memcmp(&got[i], &expected[i], sizeof got[i]) != 0)
            session_fail(s, COWARP_ECHECK, "%s %llu is %.9g, expected %.9g", what, (unsigned long long)i, (double)got[i],
                         (double)expected[i]);
}

void session_compare_near(struct session *s, const char *what, const float *got, const double *expected, uint64_t n, double tolerance)
{
    double largest = 0;
    for (uint64_t i = 0; s->status == 0 && i < n; i++)
        largest = fmax(largest, fabs(expected[i]));
    for (uint64_t i = 0; s->status == 0 && i < n; i++)
        if (!(fabs((double)got[i] - expected[i]) <= tolerance * largest))
            session_fail(s, COWARP_ECHECK, "%s %llu is %.9g, expected %.9g, give or take %.2g", what, (unsigned long long)i, (double)got[i],
                         expected[i], tolerance * largest);
}

uint32_t session_below(struct session *s, uint32_t n)
{
    return (uint32_t)(host_random(&s->random) % n);
}

float session_unit(struct session *s)
{
    return (float)(host_random(&s->random) >> 40) / 16777216.0f;
}
