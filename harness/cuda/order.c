/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, which are always empty, and events, which have simulated times. A stream that is being captured puts its calls into a graph. */
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

#define STREAM_MAGIC UINT32_C(0x5354524d)
#define EVENT_MAGIC  UINT32_C(0x45564e54)

/* Of each stream how many launches have happened before something. */
struct clock {
    uint32_t at[COWARP_STREAMS];
};

/* The last nodes that a stream has captured, or has waited for. */
#define FRONT_MOST 32u
struct front {
    struct cw_cuda_node *node[FRONT_MOST];
    uint32_t cnt;
};

struct cw_cuda_stream {
    uint32_t magic;
    unsigned flags;
    int priority;
    uint64_t id;
    struct cw_cuda_graph *capture; /* NULL: none */
    bool is_origin;                /* where the capture has begun */
    struct front front;
    struct cw_cuda_stream *next;
    char wish[2][64];           /* what the program wishes of it: cudaStreamAttributeAccessPolicyWindow, ...SynchronizationPolicy */
    struct cw_cuda_after after; /* work that has been put off, and comes before its next */
    struct clock clock;         /* what happens before its next work, beside what the host has waited for */
};

struct cw_cuda_event {
    uint32_t magic;
    unsigned flags; /* 2: without times */
    bool recorded;
    double microseconds;
    struct cw_cuda_graph *capture; /* that it is a mark of; NULL: none */
    struct front front;
    struct cw_cuda_after after;
    struct clock clock;
};

static struct cw_cuda_stream *streams;  /* all of them */
static struct clock made, host, own[2]; /* all launches; those that the host has waited for; of the default stream and that of threads */

static bool is_own(const struct cw_cuda_stream *stream)
{
    return (uintptr_t)stream <= 2;
}

int cw_cuda_stream_create(struct cw_cuda_stream **stream, unsigned flags, int priority)
{
    static uint64_t next = 3; /* those of CUDA's own are 0 to 2 */
    struct cowarp_gpu *gpu;
    if (stream == NULL || flags > 1)
        return CW_CUDA_INVALID_VALUE;
    cw_cuda__lock();
    const int code = cw_cuda__gpu_as_is(&gpu);
    *stream = code == CW_CUDA_OK ? malloc(sizeof **stream) : NULL;
    if (*stream != NULL) {
        **stream = (struct cw_cuda_stream){.magic = STREAM_MAGIC, .flags = flags, .priority = priority, .id = next++, .next = streams};
        streams = *stream;
    }
    return cw_cuda__leave(code == CW_CUDA_OK && *stream == NULL ? CW_CUDA_NO_MEMORY : code);
}

int cw_cuda_stream_check(const struct cw_cuda_stream *stream)
{
    struct cowarp_gpu *gpu;
    if (!is_own(stream) && stream->magic != STREAM_MAGIC)
        return CW_CUDA_HANDLE;
    cw_cuda__lock();
    return cw_cuda__leave(cw_cuda__gpu_as_is(&gpu));
}

/* Registered memory is copied around each launch, and checks know one launch at a time. */
bool cw_cuda__may_overlap(void)
{
    const struct cw_cuda_process *p = &cw_cuda__process;
    return p->registered == NULL && p->session.options.checks == NULL && cw_cuda_value("gpu.kernels") > 1;
}

/* Also where nothing overlaps: a kernel may wait for what the host writes behind its launch. */
bool cw_cuda__may_put_off(const struct cw_cuda_stream *stream)
{
    return !is_own(stream) && cw_cuda__may_overlap();
}

struct cw_cuda_after *cw_cuda__after_of(struct cw_cuda_stream *stream)
{
    return &stream->after;
}

int cw_cuda_stream_destroy(struct cw_cuda_stream *stream)
{
    const int code = cw_cuda_stream_check(stream);
    if (is_own(stream))
        return CW_CUDA_HANDLE;
    if (code == CW_CUDA_HANDLE)
        return code;
    cw_cuda__lock();
    struct cw_cuda_stream **place = &streams;
    while (*place != stream)
        place = &(*place)->next;
    *place = stream->next;
    stream->magic = 0;
    free(stream);
    return cw_cuda__leave(code);
}

/* What happens before what */

static void join(struct clock *to, const struct clock *from)
{
    for (uint32_t i = 0; i < COWARP_STREAMS; i++)
        to->at[i] = to->at[i] > from->at[i] ? to->at[i] : from->at[i];
}

static bool is_default(const struct cw_cuda_stream *stream)
{
    return (uintptr_t)stream <= 1;
}

/* Several streams may have one number: launches of theirs are then taken for ordered. */
static uint32_t number_of(const struct cw_cuda_stream *stream)
{
    return is_default(stream) ? 0 : is_own(stream) ? 1 : 2 + (uint32_t)(stream->id % (COWARP_STREAMS - 2));
}

static struct clock *clock_of(struct cw_cuda_stream *stream)
{
    return is_default(stream) ? &own[0] : is_own(stream) ? &own[1] : &stream->clock;
}

/* What happens before the stream's next work: the default stream waits for all others that do not refuse it, and they for it. */
static struct clock *now_of(struct cw_cuda_stream *stream)
{
    struct clock *c = clock_of(stream);
    join(c, &host);
    if (!is_default(stream) && cw_cuda_stream_flags(stream) == 0)
        join(c, &own[0]);
    if (is_default(stream)) {
        join(c, &own[1]);
        for (const struct cw_cuda_stream *s = streams; s != NULL; s = s->next)
            if (s->flags == 0)
                join(c, &s->clock);
    }
    return c;
}

void cw_cuda__order_launch(struct cw_cuda_stream *stream, struct cw_cuda_order *order)
{
    struct clock *c = now_of(stream);
    order->stream = number_of(stream);
    c->at[order->stream] = made.at[order->stream];
    memcpy(order->before, c->at, sizeof order->before);
    c->at[order->stream] = ++made.at[order->stream];
}

void cw_cuda__waited(struct cw_cuda_stream *stream)
{
    join(&host, now_of(stream));
}

void cw_cuda__waited_for_all(void)
{
    host = made;
}

int cw_cuda_event_wait(struct cw_cuda_event *event)
{
    int code = cw_cuda_event_check(event);
    cw_cuda__lock();
    cw_cuda__settle();
    cw_cuda__unlock();
    code = code == CW_CUDA_OK ? cw_cuda_event_check(event) : code; /* what has been put off may fail */
    if (code == CW_CUDA_OK)
        join(&host, &event->clock);
    return code;
}

/* Capture */

static struct cw_cuda_graph *capture_of(const struct cw_cuda_stream *stream)
{
    return is_own(stream) ? NULL : stream->capture;
}

bool cw_cuda_is_capturing(const struct cw_cuda_stream *stream)
{
    return capture_of(stream) != NULL;
}

int cw_cuda__capture_work(struct cw_cuda_stream *stream, const struct cw_cuda_work *work)
{
    struct front *f = &stream->front;
    struct cw_cuda_node *node;
    const int code = cw_cuda_node_add(&node, stream->capture, f->node, f->cnt, work);
    if (code == CW_CUDA_OK)
        *f = (struct front){{node}, 1};
    return code;
}

/* Many nodes become one that does nothing. */
static int join_front(struct cw_cuda_stream *stream, const struct front *from)
{
    const struct cw_cuda_work nothing = {.kind = CW_CUDA_NODE_EMPTY};
    struct front *to = &stream->front;
    int code = CW_CUDA_OK;
    for (uint32_t i = 0; code == CW_CUDA_OK && i < from->cnt; i++) {
        uint32_t k = 0;
        while (k < to->cnt && to->node[k] != from->node[i])
            k++;
        if (k == FRONT_MOST)
            code = cw_cuda__capture_work(stream, &nothing);
        if (k == to->cnt || k == FRONT_MOST)
            to->node[to->cnt++] = from->node[i];
    }
    return code;
}

int cw_cuda_stream_wait(struct cw_cuda_stream *stream)
{
    const int code = cw_cuda_stream_check(stream);
    if (code != CW_CUDA_OK || cw_cuda_is_capturing(stream))
        return code != CW_CUDA_OK ? code : CW_CUDA_CAPTURE;
    struct cowarp_gpu *gpu;
    cw_cuda__lock();
    cw_cuda__waited(stream);
    return cw_cuda__leave(cw_cuda__gpu(&gpu));
}

int cw_cuda_capture_begin(struct cw_cuda_stream *stream)
{
    const int code = cw_cuda_stream_wait(stream);
    if (code != CW_CUDA_OK || is_own(stream))
        return code != CW_CUDA_OK ? code : CW_CUDA_CAPTURE;
    stream->is_origin = true;
    stream->front.cnt = 0;
    return cw_cuda_graph_create(&stream->capture);
}

int cw_cuda_capture_end(struct cw_cuda_stream *stream, struct cw_cuda_graph **graph)
{
    *graph = NULL;
    const int code = cw_cuda_stream_check(stream);
    if (code != CW_CUDA_OK || !cw_cuda_is_capturing(stream) || !stream->is_origin)
        return code != CW_CUDA_OK ? code : CW_CUDA_INVALID_VALUE;
    *graph = stream->capture;
    stream->is_origin = false;
    cw_cuda__lock();
    for (struct cw_cuda_stream *s = streams; s != NULL; s = s->next) /* those that have joined it, too */
        if (s->capture == *graph)
            s->capture = NULL;
    return cw_cuda__leave(CW_CUDA_OK);
}

int cw_cuda_stream_wait_event(struct cw_cuda_stream *stream, const struct cw_cuda_event *event)
{
    int code = cw_cuda_stream_check(stream);
    if (code == CW_CUDA_OK)
        code = cw_cuda_event_check(event);
    if (code == CW_CUDA_OK && event->capture != NULL && !is_own(stream) && stream->capture == NULL)
        for (const struct cw_cuda_stream *s = streams; s != NULL; s = s->next)
            if (s->capture == event->capture && s->is_origin) {
                stream->capture = event->capture;
                stream->front.cnt = 0;
            }
    if (code == CW_CUDA_OK && event->capture != NULL && !is_own(stream) && stream->capture == event->capture)
        code = join_front(stream, &event->front);
    cw_cuda__lock();
    if (code == CW_CUDA_OK)
        join(clock_of(stream), &event->clock);
    if (code == CW_CUDA_OK && !is_own(stream))
        cw_cuda__after_join(&stream->after, &event->after);
    cw_cuda__unlock();
    return code;
}

/* Its work is done at once, or becomes a node. */
int cw_cuda_host_call(struct cw_cuda_stream *stream, void (*call)(void *), void *data)
{
    const struct cw_cuda_work work = {.kind = CW_CUDA_NODE_HOST, .call = call, .data = data};
    const int code = cw_cuda_stream_check(stream);
    if (code == CW_CUDA_OK && cw_cuda_is_capturing(stream))
        return cw_cuda__capture_work(stream, &work);
    cw_cuda__lock();
    cw_cuda__settle();
    cw_cuda__unlock();
    if (code == CW_CUDA_OK)
        call(data);
    return code;
}

static char *wish_of(struct cw_cuda_stream *stream, int id)
{
    static char of_own[2][64];
    return id != 1 && id != 3 ? NULL : is_own(stream) ? of_own[id / 2] : stream->wish[id / 2];
}

int cw_cuda_stream_wish(struct cw_cuda_stream *stream, int id, const void *from)
{
    char *wish = wish_of(stream, id);
    if (wish == NULL || from == NULL)
        return CW_CUDA_INVALID_VALUE;
    memcpy(wish, from, 64);
    return CW_CUDA_OK;
}

int cw_cuda_stream_wished(struct cw_cuda_stream *stream, int id, void *to)
{
    const char *wish = wish_of(stream, id);
    if (wish == NULL || to == NULL)
        return CW_CUDA_INVALID_VALUE;
    memcpy(to, wish, 64);
    return CW_CUDA_OK;
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
    const int code = cw_cuda__gpu_as_is(&gpu);
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
    return cw_cuda__leave(cw_cuda__gpu_as_is(&gpu));
}

int cw_cuda_event_destroy(struct cw_cuda_event *event)
{
    const int code = cw_cuda_event_check(event);
    cw_cuda__lock();
    cw_cuda__settle(); /* its record may have been put off */
    cw_cuda__unlock();
    if (code != CW_CUDA_HANDLE) {
        event->magic = 0;
        free(event);
    }
    return code;
}

void cw_cuda__event_happens(struct cw_cuda_event *event)
{
    struct cowarp_gpu *gpu;
    cw_cuda__gpu_as_is(&gpu);
    event->microseconds = cowarp_microseconds(gpu);
    event->recorded = true;
}

int cw_cuda_event_record(struct cw_cuda_event *event, struct cw_cuda_stream *stream)
{
    struct cowarp_gpu *gpu;
    int code = cw_cuda_event_check(event);
    if (code != CW_CUDA_OK)
        return code;
    event->capture = capture_of(stream);
    if (event->capture != NULL) {
        event->front = stream->front;
        return CW_CUDA_OK;
    }
    cw_cuda__lock();
    struct cw_cuda_node *node;
    const struct cw_cuda_work work = {.kind = CW_CUDA_NODE_RECORD, .event = event};
    if (cw_cuda__is_pending() && !is_own(stream)) {
        code = cw_cuda__put_off(&node, &stream->after, &work);
        event->after = stream->after;
    } else if ((code = cw_cuda__gpu(&gpu)) == CW_CUDA_OK)
        cw_cuda__event_happens(event);
    event->recorded = true;
    event->clock = *now_of(stream);
    return cw_cuda__leave(code);
}

int cw_cuda_event_elapsed(float *milliseconds, const struct cw_cuda_event *begin, const struct cw_cuda_event *end)
{
    cw_cuda__lock();
    cw_cuda__settle();
    cw_cuda__unlock();
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
