/* SPDX-License-Identifier: Apache-2.0 */
/* The driver API: streams and events. They are the runtime's. */
#include "cuda/driver.h"

int cuStreamCreateWithPriority(struct cw_cuda_stream **stream, unsigned flags, int priority)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_stream_create(stream, flags, priority);
}

int cuStreamCreate(struct cw_cuda_stream **stream, unsigned flags)
{
    return cuStreamCreateWithPriority(stream, flags, 0);
}

int cuStreamDestroy_v2(struct cw_cuda_stream *stream)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_stream_destroy(stream);
}

static int check(const struct cw_cuda_stream *stream)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_stream_check(stream);
}

int cuStreamSynchronize(struct cw_cuda_stream *stream)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_stream_wait(stream);
}

int cuStreamQuery(struct cw_cuda_stream *stream)
{
    return cuStreamSynchronize(stream);
}

int cuStreamWaitEvent(struct cw_cuda_stream *stream, struct cw_cuda_event *event, unsigned flags)
{
    (void)flags;
    const int code = check(stream);
    return code == CW_CUDA_OK ? cw_cuda_stream_wait_event(stream, event) : code;
}

int cuStreamGetFlags(struct cw_cuda_stream *stream, unsigned *flags)
{
    const int code = check(stream);
    *flags = code == CW_CUDA_OK ? cw_cuda_stream_flags(stream) : 0;
    return code;
}

int cuStreamGetPriority(struct cw_cuda_stream *stream, int *priority)
{
    const int code = check(stream);
    *priority = code == CW_CUDA_OK ? cw_cuda_stream_priority(stream) : 0;
    return code;
}

int cuStreamGetId(struct cw_cuda_stream *stream, unsigned long long *id)
{
    const int code = check(stream);
    *id = code == CW_CUDA_OK ? cw_cuda_stream_id(stream) : 0;
    return code;
}

int cuStreamGetCtx(struct cw_cuda_stream *stream, struct cw_driver_context **context)
{
    const int code = check(stream);
    *context = code == CW_CUDA_OK ? cw_driver_current() : NULL;
    return code;
}

int cuStreamGetDevice(struct cw_cuda_stream *stream, int *device)
{
    *device = 0;
    return check(stream);
}

int cuStreamIsCapturing(struct cw_cuda_stream *stream, int *state)
{
    const int code = check(stream);
    *state = code == CW_CUDA_OK && cw_cuda_is_capturing(stream);
    return code;
}

int cuStreamAddCallback(struct cw_cuda_stream *stream, void (*call)(struct cw_cuda_stream *, int, void *), void *data, unsigned flags)
{
    (void)flags;
    const int code = check(stream);
    if (code != CW_CUDA_HANDLE)
        call(stream, code, data);
    return code;
}

int cuStreamAttachMemAsync(struct cw_cuda_stream *stream, uint64_t address, size_t bytes, unsigned flags)
{
    (void)address, (void)bytes, (void)flags;
    return check(stream);
}

int cuEventCreate(struct cw_cuda_event **event, unsigned flags)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_event_create(event, flags);
}

int cuEventDestroy_v2(struct cw_cuda_event *event)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_event_destroy(event);
}

int cuEventRecord(struct cw_cuda_event *event, struct cw_cuda_stream *stream)
{
    const int code = check(stream);
    return code == CW_CUDA_OK ? cw_cuda_event_record(event, stream) : code;
}

int cuEventRecordWithFlags(struct cw_cuda_event *event, struct cw_cuda_stream *stream, unsigned flags)
{
    (void)flags;
    return cuEventRecord(event, stream);
}

int cuEventQuery(struct cw_cuda_event *event)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_event_wait(event);
}

int cuEventSynchronize(struct cw_cuda_event *event)
{
    return cuEventQuery(event);
}

int cuEventElapsedTime(float *milliseconds, struct cw_cuda_event *begin, struct cw_cuda_event *end)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_event_elapsed(milliseconds, begin, end);
}

int cuEventElapsedTime_v2(float *milliseconds, struct cw_cuda_event *begin, struct cw_cuda_event *end)
{
    return cuEventElapsedTime(milliseconds, begin, end);
}
