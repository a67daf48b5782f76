/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of trace events (the JSON that Perfetto and chrome://tracing read) that stays below a size: what is open then is closed, and the
 * rest is left out. Private to: timeline.c, trace_json.c.
 */
#ifndef CW_HARNESS_TIMELINE_TRACE_JSON_H
#define CW_HARNESS_TIMELINE_TRACE_JSON_H

#include "file/out_file.h"
#include "gpu/gpu.h"

struct cw_trace_json {
    struct cw_out_file out;
    uint64_t units_per_us; /* of a time */
    uint64_t bytes, limit;
    uint32_t open;   /* slices that have begun and not ended: room for their ends is kept */
    bool any, full;  /* full: nothing but ends of open slices goes in */
    cw_time full_at; /* since */
};

int cw_trace_json_open(struct cw_trace_json *t, const char *path, uint64_t units_per_us, uint64_t limit, struct cw_error *err);
/* Names a process (tid < 0) or a thread of it. */
void cw_trace_json_name(struct cw_trace_json *t, uint32_t pid, int64_t tid, const char *name, cw_time now);
/* A slice begins on a track. args: JSON members without braces, "" for none. false: there is no room, and it has not begun. */
bool cw_trace_json_begin(struct cw_trace_json *t, uint32_t pid, uint32_t tid, const char *name, const char *args, cw_time at);
/* The track's slice that has begun last, of those that have not ended, ends. args at most 500 characters. */
void cw_trace_json_end(struct cw_trace_json *t, uint32_t pid, uint32_t tid, const char *args, cw_time at);
/* A counter has this value from now on. */
void cw_trace_json_counter(struct cw_trace_json *t, uint32_t pid, const char *name, uint64_t value, cw_time at);
/* other: members of "otherData" without braces. */
int cw_trace_json_close(struct cw_trace_json *t, const char *other, struct cw_error *err);

#endif
