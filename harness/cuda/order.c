/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, which are always empty, and events, which have simulated times. */
#include <stdlib.h>

#include "cuda/process.h"

#define STREAM_MAGIC UINT32_C(0x5354524d)
#define EVENT_MAGIC  UINT32_C(0x45564e54)

struct cw_cuda_stream {
    uint32_t magic;
    unsigned flags;
    int priority;
    uint64_t id;
};

struct cw_cuda_event {
    uint32_t magic;
    unsigned flags; /* 2: without times */
    bool recorded;
    double microseconds;
};

int cw_cuda_stream_create(struct cw_cuda_stream **stream, unsigned flags, int priority)
{
    static uint64_t next = 3; /* those of CUDA's own are 0 to 2 */
    struct cowarp_gpu *gpu;
    if (stream == NULL || flags > 1)
        return CW_CUDA_INVALID_VALUE;
    cw_cuda__lock();
    const int code = cw_cuda__gpu(&gpu);
    *stream = code == CW_CUDA_OK ? malloc(sizeof **stream) : NULL;
    if (*stream != NULL)
        **stream = (struct cw_cuda_stream){.magic = STREAM_MAGIC, .flags = flags, .priority = priority, .id = next++};
    return cw_cuda__leave(code == CW_CUDA_OK && *stream == NULL ? CW_CUDA_NO_MEMORY : code);
}

static bool is_own(const struct cw_cuda_stream *stream)
{
    return (uintptr_t)stream <= 2;
}

int cw_cuda_stream_check(const struct cw_cuda_stream *stream)
{
    struct cowarp_gpu *gpu;
    if (!is_own(stream) && stream->magic != STREAM_MAGIC)
        return CW_CUDA_HANDLE;
    cw_cuda__lock();
    return cw_cuda__leave(cw_cuda__gpu(&gpu));
}

int cw_cuda_stream_destroy(struct cw_cuda_stream *stream)
{
    const int code = cw_cuda_stream_check(stream);
    if (is_own(stream))
        return CW_CUDA_HANDLE;
    if (code != CW_CUDA_HANDLE) {
        stream->magic = 0;
        free(stream);
    }
    return code;
}

unsigned cw_cuda_stream_flags(const struct cw_cuda_stream *stream)
{
    return is_own(stream) ? 0 : stream->flags;
}

int cw_cuda_stream_priority(const struct cw_cuda_stream *stream)
{
    return is_own(stream) ? 0 : stream->priority;
}

uint64_t cw_cuda_stream_id(const struct cw_cuda_stream *stream)
{
    return is_own(stream) ? (uintptr_t)stream : stream->id;
}

int cw_cuda_event_create(struct cw_cuda_event **event, unsigned flags)
{
    struct cowarp_gpu *gpu;
    if (event == NULL)
        return CW_CUDA_INVALID_VALUE;
    cw_cuda__lock();
    const int code = cw_cuda__gpu(&gpu);
    *event = code == CW_CUDA_OK ? malloc(sizeof **event) : NULL;
    if (*event != NULL)
        **event = (struct cw_cuda_event){.magic = EVENT_MAGIC, .flags = flags};
    return cw_cuda__leave(code == CW_CUDA_OK && *event == NULL ? CW_CUDA_NO_MEMORY : code);
}

int cw_cuda_event_check(const struct cw_cuda_event *event)
{
    struct cowarp_gpu *gpu;
    if (event == NULL || event->magic != EVENT_MAGIC)
        return CW_CUDA_HANDLE;
    cw_cuda__lock();
    return cw_cuda__leave(cw_cuda__gpu(&gpu));
}

int cw_cuda_event_destroy(struct cw_cuda_event *event)
{
    const int code = cw_cuda_event_check(event);
    if (code != CW_CUDA_HANDLE) {
        event->magic = 0;
        free(event);
    }
    return code;
}

int cw_cuda_event_record(struct cw_cuda_event *event)
{
    struct cowarp_gpu *gpu;
    int code = cw_cuda_event_check(event);
    if (code != CW_CUDA_OK)
        return code;
    cw_cuda__lock();
    code = cw_cuda__gpu(&gpu);
    if (code == CW_CUDA_OK)
        event->microseconds = cowarp_microseconds(gpu);
    event->recorded = true;
    return cw_cuda__leave(code);
}

int cw_cuda_event_elapsed(float *milliseconds, const struct cw_cuda_event *begin, const struct cw_cuda_event *end)
{
    int code = cw_cuda_event_check(begin);
    if (code == CW_CUDA_OK)
        code = cw_cuda_event_check(end);
    if (code != CW_CUDA_OK)
        return code;
    if (!begin->recorded || !end->recorded || ((begin->flags | end->flags) & 2u) != 0)
        return CW_CUDA_HANDLE;
    *milliseconds = (float)((end->microseconds - begin->microseconds) / 1000.0);
    return CW_CUDA_OK;
}
