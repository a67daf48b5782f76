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
    FILE *file;            /* what events are written to: out's, or a stream that compresses into it */
    uint64_t units_per_us; /* of a time */
    uint64_t bytes, limit;
    uint32_t open;   /* slices that have begun and not ended: room for them is kept */
    bool any, full;  /* full: nothing but open slices goes in */
    cw_time full_at; /* since */
};

/* A path that ends in .gz is compressed; the limit is of what stands in it uncompressed. */
int cw_trace_json_open(struct cw_trace_json *t, const char *path, uint64_t units_per_us, uint64_t limit, struct cw_error *err);
/* Names a process (tid < 0) or a thread of it. */
void cw_trace_json_name(struct cw_trace_json *t, uint32_t pid, int64_t tid, const char *name, cw_time now);
/* Keeps room for a slice that has begun at this time. false: there is no room, and it will not be written. */
bool cw_trace_json_begin(struct cw_trace_json *t, cw_time at);
/* Writes a slice for which room was kept, as a complete event. name at most 127 characters; args: at most 500 of JSON members without braces, "" for none. */
void cw_trace_json_slice(struct cw_trace_json *t, uint32_t pid, uint32_t tid, const char *name, const char *args, cw_time since,
                         cw_time until);
/* A counter has this value from now on. */
void cw_trace_json_counter(struct cw_trace_json *t, uint32_t pid, const char *name, uint64_t value, cw_time at);
/* Instead of close: there is no file. */
void cw_trace_json_discard(struct cw_trace_json *t);
/* other: members of "otherData" without braces. */
int cw_trace_json_close(struct cw_trace_json *t, const char *other, struct cw_error *err);

#endif
