/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API: streams and events. */
#include "cuda/runtime.h"

int cudaStreamCreateWithPriority(struct cw_cuda_stream **stream, unsigned flags, int priority)
{
    return cw_cuda_note(cw_cuda_stream_create(stream, flags, priority));
}

int cudaStreamCreateWithFlags(struct cw_cuda_stream **stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

int cudaStreamCreate(struct cw_cuda_stream **stream)
{
    return cudaStreamCreateWithPriority(stream, 0, 0);
}

int cudaStreamDestroy(struct cw_cuda_stream *stream)
{
    return cw_cuda_note(cw_cuda_stream_destroy(stream));
}

int cudaStreamSynchronize(struct cw_cuda_stream *stream)
{
    return cw_cuda_note(cw_cuda_stream_wait(stream));
}

int cudaStreamQuery(struct cw_cuda_stream *stream)
{
    return cudaStreamSynchronize(stream);
}

int cudaStreamWaitEvent(struct cw_cuda_stream *stream, struct cw_cuda_event *event, unsigned flags)
{
    (void)flags;
    return cw_cuda_note(cw_cuda_stream_wait_event(stream, event));
}

int cudaStreamGetFlags(struct cw_cuda_stream *stream, unsigned *flags)
{
    const int code = cw_cuda_stream_check(stream);
    *flags = code == CW_CUDA_OK ? cw_cuda_stream_flags(stream) : 0;
    return cw_cuda_note(code);
}

int cudaStreamGetPriority(struct cw_cuda_stream *stream, int *priority)
{
    const int code = cw_cuda_stream_check(stream);
    *priority = code == CW_CUDA_OK ? cw_cuda_stream_priority(stream) : 0;
    return cw_cuda_note(code);
}

int cudaStreamGetId(struct cw_cuda_stream *stream, unsigned long long *id)
{
    const int code = cw_cuda_stream_check(stream);
    *id = code == CW_CUDA_OK ? cw_cuda_stream_id(stream) : 0;
    return cw_cuda_note(code);
}

int cudaStreamSetAttribute(struct cw_cuda_stream *stream, int attribute, const void *value)
{
    const int code = cw_cuda_stream_check(stream);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_stream_wish(stream, attribute, value) : code);
}

int cudaStreamGetAttribute(struct cw_cuda_stream *stream, int attribute, void *value)
{
    const int code = cw_cuda_stream_check(stream);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_stream_wished(stream, attribute, value) : code);
}

int cudaStreamCopyAttributes(struct cw_cuda_stream *to, struct cw_cuda_stream *from)
{
    char value[64];
    int code = CW_CUDA_OK;
    for (int attribute = 1; code == CW_CUDA_OK && attribute <= 3; attribute += 2) {
        code = cudaStreamGetAttribute(from, attribute, value);
        if (code == CW_CUDA_OK)
            code = cudaStreamSetAttribute(to, attribute, value);
    }
    return code;
}

int cudaCtxResetPersistingL2Cache(void)
{
    return CW_CUDA_OK; /* No line persists. */
}

int cudaStreamAddCallback(struct cw_cuda_stream *stream, void (*call)(struct cw_cuda_stream *, int, void *), void *data, unsigned flags)
{
    const int code = cw_cuda_stream_wait(stream);
    (void)flags;
    if (code != CW_CUDA_HANDLE && code != CW_CUDA_CAPTURE)
        call(stream, code, data);
    return cw_cuda_note(code);
}

int cudaLaunchHostFunc(struct cw_cuda_stream *stream, void (*call)(void *), void *data)
{
    return cw_cuda_note(cw_cuda_host_call(stream, call, data));
}

int cudaEventCreateWithFlags(struct cw_cuda_event **event, unsigned flags)
{
    return cw_cuda_note(cw_cuda_event_create(event, flags));
}

int cudaEventCreate(struct cw_cuda_event **event)
{
    return cudaEventCreateWithFlags(event, 0);
}

int cudaEventDestroy(struct cw_cuda_event *event)
{
    return cw_cuda_note(cw_cuda_event_destroy(event));
}

int cudaEventRecord(struct cw_cuda_event *event, struct cw_cuda_stream *stream)
{
    const int code = cw_cuda_stream_check(stream);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_event_record(event, stream) : code);
}

int cudaEventRecordWithFlags(struct cw_cuda_event *event, struct cw_cuda_stream *stream, unsigned flags)
{
    (void)flags;
    return cudaEventRecord(event, stream);
}

int cudaEventQuery(struct cw_cuda_event *event)
{
    return cw_cuda_note(cw_cuda_event_wait(event));
}

int cudaEventSynchronize(struct cw_cuda_event *event)
{
    return cudaEventQuery(event);
}

int cudaEventElapsedTime(float *milliseconds, struct cw_cuda_event *begin, struct cw_cuda_event *end)
{
    return cw_cuda_note(cw_cuda_event_elapsed(milliseconds, begin, end));
}
