/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view that follows a wave trigger. The views of waves/ show some warps of core 0 and the units of partition 0. Beside a trace that has
 * waited for an event, this makes a view of the place of that event out of the system's view: the warp, the unit, a marker at the time.
 * Signals get the range of bits that they have in the trace, and those that the trace has not are left out: GTKWave would drop both silently.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "file/out_file.h"

#define BEFORE_PS 20000u /* shown to the left of the marker at first */
#define RED       "[color] 1"

/* The numbers behind "warp" in a view, and by how much they move. */
struct warps {
    int first, last, shift;
};

/* The number at text, after word and an optional blank; -1: something else is there. */
static int number_after(const char *text, const char *word, const char **end)
{
    const size_t length = strlen(word);
    if (strncmp(text, word, length) != 0 || !isdigit((unsigned char)text[length]))
        return -1;
    char *after;
    const long n = strtol(text + length, &after, 10);
    *end = after;
    return (int)n;
}

static struct warps find_warps(const char *view, const struct cowarp_wave_event *e)
{
    struct warps w = {-1, -1, 0};
    for (const char *at = view, *end; (at = strstr(at, ".warp")) != NULL; at++) {
        const int n = number_after(at, ".warp", &end);
        if (n >= 0 && (w.first < 0 || n < w.first))
            w.first = n;
        if (n > w.last)
            w.last = n;
    }
    if (e->warp < 0 || w.first < 0)
        return w;
    int first = e->warp - (w.last - w.first) / 2;
    if (first > e->core_warps - 1 - (w.last - w.first))
        first = e->core_warps - 1 - (w.last - w.first);
    w.shift = (first > 0 ? first : 0) - w.first;
    return w;
}

/* ---- the names in the trace ---- */

struct names {
    char **name;
    uint32_t cnt;
    bool failed; /* memory ran out */
};

static void add_name(void *context, const char *name)
{
    struct names *n = context;
    char **const grown = realloc(n->name, (n->cnt + 1u) * sizeof *grown);
    n->name = grown != NULL ? grown : n->name;
    char *const copy = grown != NULL ? strdup(name) : NULL;
    if (copy != NULL)
        n->name[n->cnt++] = copy;
    n->failed |= copy == NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_names(struct names *n)
{
    for (uint32_t i = 0; i < n->cnt; i++)
        free(n->name[i]);
    free(n->name);
}

/* The name in the trace of the signal that the view calls so: the same, or with another range of bits. NULL: there is none. */
static const char *name_of(const struct names *n, const char *signal)
{
    const size_t length = strcspn(signal, "[");
    uint32_t low = 0, high = n->cnt;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (strncmp(n->name[middle], signal, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < n->cnt && strncmp(n->name[low], signal, length) == 0; low++)
        if (n->name[low][length] == '[' || n->name[low][length] == '\0')
            return n->name[low];
    return NULL;
}

/* One word of a line of signals: "signal" or "(0)signal", a bit of it, as the trace has it. false: it is not there. */
static bool write_signal(FILE *out, const char *word, const struct names *n)
{
    const char *const name = word[0] == '(' && strchr(word, ')') != NULL ? strchr(word, ')') + 1 : word, *const found = name_of(n, name);
    if (found != NULL)
        fprintf(out, "%.*s%s", (int)(name - word), word, found);
    return found != NULL;
}

/* A line of signals: one, "+{alias} signal", or "#{group} (0)signal[1:0] signal". The caller frees it; NULL: one is not there. */
static char *signals_of(const char *line, const struct names *n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    const char *const close = line[1] == '{' ? strstr(line, "} ") : NULL, *at = close != NULL ? close + 2 : line;
    bool all = f != NULL;
    if (f == NULL)
        return NULL;
    fprintf(f, "%.*s", (int)(at - line), line);
    while (all && *at != '\0') {
        const size_t length = strcspn(at, " ");
        char *const word = strndup(at, length);
        all = word != NULL && write_signal(f, word, n);
        free(word);
        at += length;
        if (*at == ' ')
            fputc(*at++, f);
    }
    fclose(f);
    if (!all)
        free(text);
    return all ? text : NULL;
}

/* ---- lines ---- */

/* Where the line speaks of core 0, of partition 0 or of a warp, it speaks of the event's instead. */
static void write_line(FILE *out, const char *line, const struct cowarp_wave_event *e, const struct warps *w)
{
    const bool partition = strncmp(e->unit, "partition", 9) == 0, core = strncmp(e->unit, "core", 4) == 0;
    const int partition_at = partition ? atoi(e->unit + 9) : 0, core_at = e->core >= 0 ? e->core : core ? atoi(e->unit + 4) : 0;
    const struct {
        const char *word;
        int to;
    } places[] = {{"core", core_at}, {"core ", core_at}, {"partition", partition_at}, {"partition ", partition_at}};
    for (const char *at = line, *end; *at != '\0';) {
        bool done = false;
        for (uint32_t i = 0; i < sizeof places / sizeof places[0] && !done; i++)
            if (number_after(at, places[i].word, &end) == 0) {
                fprintf(out, "%s%d", places[i].word, places[i].to);
                done = true;
            }
        const int warp = done ? -1 : number_after(at, ".warp", &end);
        if (warp >= 0)
            fprintf(out, ".warp%d", warp + w->shift);
        else if (!done)
            fputc(*at, out);
        at = done || warp >= 0 ? end : at + 1;
    }
}

static bool starts(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* The line before the signal of the event's warp gives it its colour. */
static bool colours_warp(const char *line, const char *next, const struct cowarp_wave_event *e, const struct warps *w)
{
    const char *end, *at = strstr(next, ".warp");
    return starts(line, "[color]") && e->warp >= 0 && at != NULL && number_after(at, ".warp", &end) + w->shift == e->warp;
}

/* What a view is made of. */
struct view {
    FILE *out;
    const char *trace;
    const char *folder; /* of the system's view, and of the files that it names */
    const struct cowarp_wave_event *event;
    struct warps warps;
    struct names names; /* in the trace */
    struct names held;  /* lines that say how the next signal looks */
};

/* The lines that have been held. Without their signal only the flags stay: those of the next signals may follow from them. */
static void release_held(struct view *v, bool all)
{
    for (uint32_t i = 0; i < v->held.cnt; i++)
        if (all || v->held.name[i][0] == '@')
            fprintf(v->out, "%s\n", v->held.name[i]);
    free_names(&v->held);
    v->held = (struct names){.failed = v->held.failed};
}

static void hold(struct view *v, const char *line)
{
    add_name(&v->held, line);
}

/* A line behind the view's head. */
static void place_line(struct view *v, const char *line)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (f == NULL)
        return;
    write_line(f, line, v->event, &v->warps);
    fclose(f);
    if (text[0] == '@' || text[0] == '^' || starts(text, "[color]")) {
        hold(v, text);
    } else if (text[0] != '\0' && strchr("-*[", text[0]) == NULL) {
        char *const signals = signals_of(text, &v->names);
        release_held(v, signals != NULL);
        if (signals != NULL)
            fprintf(v->out, "%s\n", signals);
        free(signals);
    } else {
        release_held(v, true);
        fprintf(v->out, "%s\n", text);
    }
    free(text);
}

static void write_view(struct view *v, char *view)
{
    const struct cowarp_wave_event *const e = v->event;
    char *rest = view;
    v->warps = find_warps(view, e);
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        char zoom[32], file[4096];
        /* the signal's name is the second line below its colour */
        const char *signal = rest != NULL ? strchr(rest, '\n') : NULL;
        char next[128] = "";
        if (signal != NULL)
            snprintf(next, sizeof next, "%.*s", (int)strcspn(signal + 1, "\n"), signal + 1);
        if (starts(line, "[*] trace:") || starts(line, "[*] From the top folder"))
            continue;
        if (starts(line, "[timestart]"))
            fprintf(v->out, "[dumpfile] \"%s\"\n[timestart] %" PRIu64 "\n", v->trace,
                    e->picoseconds > BEFORE_PS ? e->picoseconds - BEFORE_PS : 0);
        else if (sscanf(line, "*%31s", zoom) == 1)
            fprintf(v->out, "*%s %" PRIu64 "%s\n", zoom, e->picoseconds, strchr(strchr(line, ' ') + 1, ' '));
        else if (starts(line, "^1 waves/") && snprintf(file, sizeof file, "^1 %s%s", v->folder, line + strlen("^1 waves")) > 0)
            hold(v, file);
        else if (colours_warp(line, next, e, &v->warps))
            hold(v, RED);
        else if (rest != NULL || line[0] != '\0')
            place_line(v, line);
    }
    release_held(v, true);
}

/* The whole file, or NULL. */
static char *read_file(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return NULL;
    if (getdelim(&text, &size, '\0', f) < 0) {
        free(text);
        text = NULL;
    }
    fclose(f);
    return text;
}

/* "warptm-el" has the view of warptm. */
static char *system_view(const char *folder, const char *system)
{
    char path[CLI_PATH_BYTES + 64];
    snprintf(path, sizeof path, "%s/%.*s.gtkw", folder, (int)strcspn(system, "-"), system);
    return read_file(path);
}

static int write_file(const char *path, struct view *v, char *text, struct cw_error *err)
{
    struct cw_out_file out;
    int status = cw_out_file_open(&out, path, err);
    if (status != 0)
        return status;
    v->out = out.file;
    write_view(v, text);
    return cw_out_file_close(&out, err);
}

int cli_view_follow(char *path, size_t bytes, struct cowarp_gpu *gpu, const char *trace, const char *system,
                    const struct cowarp_wave_event *event)
{
    struct cw_error err;
    const size_t length = strlen(trace);
    const bool named = length > 4 && strcmp(trace + length - 4, ".fst") == 0;
    char folder[CLI_PATH_BYTES];
    path[0] = '\0';
    if (cli_place(folder, CLI_SOURCE "/waves") != CLI_OK)
        return CLI_OK; /* the wave is there, and why it has no view has been said */
    char *view = system_view(folder, system), *full = realpath(trace, NULL);
    struct view v = {.trace = full, .folder = folder, .event = event};
    int status = 0;
    if (view != NULL && full != NULL && cowarp_wave_signals(gpu, full, add_name, &v.names) == COWARP_OK) {
        qsort(v.names.name, v.names.cnt, sizeof *v.names.name, by_text);
        snprintf(path, bytes, "%.*s.gtkw", (int)(named ? length - 4 : length), trace);
        status = write_file(path, &v, view, &err);
    }
    free_names(&v.names);
    free_names(&v.held);
    free(view);
    free(full);
    return status == 0 ? CLI_OK : cli_error(CLI_FAILED, "%s", err.text);
}
