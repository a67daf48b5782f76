/* SPDX-License-Identifier: Apache-2.0 */
/* Trace events as JSON, one a line. Names are the simulator's own words, without characters that JSON would want quoted. */
#include "trace_json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "file/gzip.h"

#define TAIL_BYTES 4096u /* kept for the file's end */
#define SLICE_MAX  800u  /* kept for a slice */
#define LINE_MAX   1200u
#define TIME_MAX   40u

int cw_trace_json_open(struct cw_trace_json *t, const char *path, uint64_t units_per_us, uint64_t limit, struct cw_error *err)
{
    *t = (struct cw_trace_json){.units_per_us = units_per_us, .limit = limit};
    const int status = cw_out_file_open(&t->out, path, err);
    if (status != CW_OK)
        return status;
    const size_t length = strlen(path);
    t->file = length > 3 && strcasecmp(path + length - 3, ".gz") == 0 ? cw_gzip_open(t->out.file) : t->out.file;
    if (t->file == NULL) {
        cw_out_file_discard(&t->out);
        return cw_fail(err, CW_ENOMEM, "%s: out of memory", path);
    }
    fputs("{\"displayTimeUnit\": \"ns\",\n\"traceEvents\": [", t->file);
    return CW_OK;
}

/* In microseconds to the picosecond, since core cycles are shorter than a nanosecond. */
static void write_time(const struct cw_trace_json *t, char text[TIME_MAX], cw_time at)
{
    const cw_time whole = at / t->units_per_us, rest = at % t->units_per_us;
    snprintf(text, TIME_MAX, "%" PRIu64 ".%06" PRIu64, whole, (uint64_t)((unsigned __int128)rest * 1000000u / t->units_per_us));
}

/* Whether so many bytes more leave room for all that is open. */
static bool has_room(struct cw_trace_json *t, uint64_t bytes, cw_time at)
{
    if (!t->full && t->bytes + bytes + TAIL_BYTES + (uint64_t)t->open * SLICE_MAX > t->limit) {
        t->full = true;
        t->full_at = at;
    }
    return !t->full;
}

/* One event; kept: it is a slice, for which room was kept. */
static __attribute__((format(printf, 4, 5))) void put(struct cw_trace_json *t, bool kept, cw_time at, const char *fmt, ...)
{
    char line[LINE_MAX], time[TIME_MAX];
    va_list ap;
    va_start(ap, fmt);
    const int length = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    write_time(t, time, at);
    const uint64_t bytes = (uint64_t)length + strlen(time) + sizeof ",\n,\"ts\":}";
    if (length < 0 || (size_t)length >= sizeof line || (!kept && !has_room(t, bytes, at)))
        return;
    fprintf(t->file, "%s\n%s,\"ts\":%s}", t->any ? "," : "", line, time);
    t->any = true;
    t->bytes += bytes;
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

bool cw_trace_json_begin(struct cw_trace_json *t, cw_time at)
{
    const bool begun = has_room(t, SLICE_MAX, at);
    t->open += begun;
    return begun;
}

void cw_trace_json_slice(struct cw_trace_json *t, uint32_t pid, uint32_t tid, const char *name, const char *args, cw_time since,
                         cw_time until)
{
    char length[TIME_MAX];
    write_time(t, length, until - since);
    put(t, true, since, "{\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"name\":\"%s\"%s%s%s,\"dur\":%s", pid, tid, name,
        args[0] != '\0' ? ",\"args\":{" : "", args, args[0] != '\0' ? "}" : "", length);
    t->open--;
}

void cw_trace_json_counter(struct cw_trace_json *t, uint32_t pid, const char *name, uint64_t value, cw_time at)
{
    put(t, false, at, "{\"ph\":\"C\",\"pid\":%" PRIu32 ",\"tid\":0,\"name\":\"%s\",\"args\":{\"value\":%" PRIu64 "}", pid, name, value);
}

/* false: what it has kept could not be written. */
static bool end_packing(struct cw_trace_json *t)
{
    return t->file == t->out.file || fclose(t->file) == 0;
}

int cw_trace_json_close(struct cw_trace_json *t, const char *other, struct cw_error *err)
{
    fprintf(t->file, "\n],\n\"otherData\": {%s}}\n", other);
    const bool whole = end_packing(t);
    if (whole)
        return cw_out_file_close(&t->out, err);
    cw_fail(err, CW_EIO, "%s: cannot be written", t->out.path);
    cw_out_file_discard(&t->out);
    return CW_EIO;
}

void cw_trace_json_discard(struct cw_trace_json *t)
{
    end_packing(t);
    cw_out_file_discard(&t->out);
}
