/* SPDX-License-Identifier: Apache-2.0 */
/* Trace events as JSON, one a line. Names are the simulator's own words, without characters that JSON would want quoted. */
#include "trace_json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define TAIL_BYTES 4096u /* kept for the file's end */
#define END_BYTES  640u  /* kept for the end of a slice */
#define LINE_MAX   1200u

int cw_trace_json_open(struct cw_trace_json *t, const char *path, uint64_t units_per_us, uint64_t limit, struct cw_error *err)
{
    *t = (struct cw_trace_json){.units_per_us = units_per_us, .limit = limit};
    const int status = cw_out_file_open(&t->out, path, err);
    if (status == CW_OK)
        fputs("{\"displayTimeUnit\": \"ns\",\n\"traceEvents\": [", t->out.file);
    return status;
}

/* One event; end: it ends a slice, for which room was kept. false: it is left out. */
static __attribute__((format(printf, 4, 5))) bool put(struct cw_trace_json *t, bool end, cw_time at, const char *fmt, ...)
{
    char line[LINE_MAX], time[64];
    va_list ap;
    va_start(ap, fmt);
    const int length = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    const cw_time whole = at / t->units_per_us, rest = at % t->units_per_us;
    /* picoseconds: core cycles are shorter than a nanosecond */
    snprintf(time, sizeof time, ", \"ts\": %" PRIu64 ".%06" PRIu64 "}", whole,
             (uint64_t)((unsigned __int128)rest * 1000000u / t->units_per_us));
    const uint64_t bytes = (uint64_t)length + strlen(time) + 3, kept = TAIL_BYTES + (uint64_t)t->open * END_BYTES;
    if (!end && !t->full && t->bytes + bytes + kept + END_BYTES > t->limit) {
        t->full = true;
        t->full_at = at;
    }
    if ((!end && t->full) || length < 0 || (size_t)length >= sizeof line)
        return false;
    fprintf(t->out.file, "%s\n%s%s", t->any ? "," : "", line, time);
    t->any = true;
    t->bytes += bytes;
    return true;
}

void cw_trace_json_name(struct cw_trace_json *t, uint32_t pid, int64_t tid, const char *name, cw_time now)
{
    const bool process = tid < 0;
    put(t, false, now, "{\"ph\": \"M\", \"pid\": %" PRIu32 ", \"tid\": %" PRId64 ", \"name\": \"%s\", \"args\": {\"name\": \"%s\"}", pid,
        process ? 0 : tid, process ? "process_name" : "thread_name", name);
    put(t, false, now,
        "{\"ph\": \"M\", \"pid\": %" PRIu32 ", \"tid\": %" PRId64 ", \"name\": \"%s\", \"args\": {\"sort_index\": %" PRId64 "}", pid,
        process ? 0 : tid, process ? "process_sort_index" : "thread_sort_index", process ? (int64_t)pid : tid);
}

bool cw_trace_json_begin(struct cw_trace_json *t, uint32_t pid, uint32_t tid, const char *name, const char *args, cw_time at)
{
    const bool begun = put(t, false, at, "{\"ph\": \"B\", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32 ", \"name\": \"%s\", \"args\": {%s}",
                           pid, tid, name, args);
    t->open += begun;
    return begun;
}

void cw_trace_json_end(struct cw_trace_json *t, uint32_t pid, uint32_t tid, const char *args, cw_time at)
{
    put(t, true, at, "{\"ph\": \"E\", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32 ", \"args\": {%s}", pid, tid, args);
    t->open--;
}

void cw_trace_json_counter(struct cw_trace_json *t, uint32_t pid, const char *name, uint64_t value, cw_time at)
{
    put(t, false, at, "{\"ph\": \"C\", \"pid\": %" PRIu32 ", \"tid\": 0, \"name\": \"%s\", \"args\": {\"value\": %" PRIu64 "}", pid, name,
        value);
}

int cw_trace_json_close(struct cw_trace_json *t, const char *other, struct cw_error *err)
{
    fprintf(t->out.file, "\n],\n\"otherData\": {%s}}\n", other);
    return cw_out_file_close(&t->out, err);
}
