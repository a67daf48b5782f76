/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chip's state in the middle of a launch (base/state.h): what it keeps itself, memory, and what each component names. It is loaded into
 * a chip that has been made for the same configuration, and has begun the same launch.
 */
#include "gpu/gpu_private.h"

static void clocks_state(struct cw_state *s, struct cw_gpu *gpu)
{
    CW_STATE(s, gpu->now);
    CW_STATE(s, gpu->edge);
    CW_STATE(s, gpu->dispatch_from);
    CW_STATE(s, gpu->host_came);
    CW_STATE(s, gpu->began);
}

static void launch_state(struct cw_state *s, struct cw_gpu *gpu)
{
    CW_STATE(s, gpu->blocks_started);
    CW_STATE(s, gpu->blocks_finished);
    CW_STATE(s, gpu->blocks_total);
    CW_STATE(s, gpu->next_core);
    CW_STATE(s, gpu->launches);
    CW_STATE(s, gpu->param_next);
    CW_STATE(s, gpu->kernel_ends);
    CW_STATE(s, gpu->dispatch_pending);
}

static void watchdog_state(struct cw_state *s, struct cw_gpu *gpu)
{
    CW_STATE(s, gpu->progress);
    CW_STATE(s, gpu->watchdog.instructions);
    CW_STATE(s, gpu->watchdog.progress);
    CW_STATE(s, gpu->watchdog.instructions_at);
    CW_STATE(s, gpu->watchdog.progress_at);
    CW_STATE(s, gpu->watchdog.steps);
    CW_STATE(s, gpu->watchdog.moved);
    CW_STATE(s, gpu->watchdog.polls);
    CW_STATE(s, gpu->watchdog.stands_since);
}

static void counters_state(struct cw_state *s, struct cw_gpu *gpu)
{
    const size_t counters = sizeof gpu->stats / sizeof(uint64_t);
    const uint32_t parts = gpu->config.core_count + gpu->config.partition_count;
    bool split = gpu->part != NULL;
    cw_state_array(s, "stats", &gpu->stats, counters, sizeof(uint64_t));
    CW_STATE(s, split);
    if (split != (gpu->part != NULL))
        cw_state_fail(s, CW_EINVAL, "one of the two runs counts each core for itself (--per), the other does not");
    for (uint32_t i = 0; gpu->part != NULL && i < parts; i++)
        cw_state_array(s, "stats", &gpu->part[i], counters, sizeof(uint64_t));
}

/* What hears a run from its beginning, and would judge a run without it. */
static const char *listener_of(const struct cw_gpu *gpu)
{
    return gpu->serial != NULL      ? "--check-serial"
           : gpu->persist != NULL   ? "--check-persist"
           : gpu->model != NULL     ? "the graph of persists"
           : gpu->sanitizer != NULL ? "--check"
                                    : NULL;
}

static void trips_state(struct cw_state *s, struct cw_gpu *gpu)
{
    bool counts = gpu->trips != NULL;
    CW_STATE(s, counts);
    if (counts != (gpu->trips != NULL))
        cw_state_fail(s, CW_EINVAL, "one of the two runs counts stalls (--stalls), the other does not");
    else if (gpu->trips != NULL)
        cw_trips_state(s, gpu->trips);
}

void cw_gpu__state(struct cw_gpu *gpu, struct cw_state *s)
{
    cw_state_group(s, "gpu", 0);
    if (listener_of(gpu) != NULL && s->tell == NULL)
        cw_state_fail(s, CW_EUNSUP, "%s has heard the run from its beginning, and cannot be saved", listener_of(gpu));
    cw_message_pool_state(s, &gpu->pool);
    trips_state(s, gpu);
    clocks_state(s, gpu);
    launch_state(s, gpu);
    watchdog_state(s, gpu);
    counters_state(s, gpu);
    if (s->tell == NULL) /* Whoever shows it shows its bytes otherwise */
        cw_memory_state(s, gpu->memory);
    for (uint32_t i = 0; i < gpu->component_cnt && s->status == CW_OK; i++)
        cw_component_state(gpu->component[i], s);
    if (s->status == CW_OK)
        cw_gpu__members_state(gpu, s);
    if (cw_state_loads(s) && s->status == CW_OK && s->at != s->bytes)
        cw_state_fail(s, CW_EINVAL, "%zu bytes are left over: it was saved by another build, or for another machine", s->bytes - s->at);
}

int cw_gpu_tell_state(struct cw_gpu *gpu, cw_gpu_tell *tell, void *self, struct cw_error *err)
{
    struct cw_state s;
    cw_state_save_begin(&s, err);
    s.tell = tell;
    s.tell_self = self;
    cw_gpu__state(gpu, &s);
    const int status = s.status;
    cw_state_end(&s);
    return status;
}
