/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view that follows a wave trigger. The views of waves/ show some warps of core 0 and the units of partition 0. Beside a trace that has
 * waited for an event, this makes a view of the place of that event out of the system's view: the warp, the unit, a marker at the time.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "file/out_file.h"

#define WAVES     CW_SOURCE_DIR "/waves"
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
    fputc('\n', out);
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

static void write_view(FILE *out, char *view, const char *trace, const struct cowarp_wave_event *e)
{
    const struct warps w = find_warps(view, e);
    char *rest = view;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        char zoom[32];
        /* the signal's name is the second line below its colour */
        const char *signal = rest != NULL ? strchr(rest, '\n') : NULL;
        char next[128] = "";
        if (signal != NULL)
            snprintf(next, sizeof next, "%.*s", (int)strcspn(signal + 1, "\n"), signal + 1);
        if (starts(line, "[*] trace:") || starts(line, "[*] From the top folder"))
            continue;
        if (starts(line, "[timestart]"))
            fprintf(out, "[dumpfile] \"%s\"\n[timestart] %" PRIu64 "\n", trace,
                    e->picoseconds > BEFORE_PS ? e->picoseconds - BEFORE_PS : 0);
        else if (sscanf(line, "*%31s", zoom) == 1)
            fprintf(out, "*%s %" PRIu64 "%s\n", zoom, e->picoseconds, strchr(strchr(line, ' ') + 1, ' '));
        else if (starts(line, "^1 waves/"))
            fprintf(out, "^1 %s/%s\n", CW_SOURCE_DIR, line + 3);
        else if (colours_warp(line, next, e, &w))
            fprintf(out, RED "\n");
        else if (rest != NULL || line[0] != '\0')
            write_line(out, line, e, &w);
    }
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
static char *system_view(const char *system)
{
    char path[sizeof WAVES + 64];
    snprintf(path, sizeof path, "%s/%.*s.gtkw", WAVES, (int)strcspn(system, "-"), system);
    return read_file(path);
}

int cli_view_follow(char *path, size_t bytes, const char *trace, const char *system, const struct cowarp_wave_event *event)
{
    struct cw_out_file out;
    struct cw_error err;
    const size_t length = strlen(trace);
    const bool named = length > 4 && strcmp(trace + length - 4, ".fst") == 0;
    path[0] = '\0';
    char *view = system_view(system), *full = realpath(trace, NULL);
    int status = CLI_OK;
    if (view != NULL && full != NULL) {
        snprintf(path, bytes, "%.*s.gtkw", (int)(named ? length - 4 : length), trace);
        if (cw_out_file_open(&out, path, &err) == 0) {
            write_view(out.file, view, full, event);
            status = cw_out_file_close(&out, &err) == 0 ? CLI_OK : CLI_FAILED;
        } else {
            status = CLI_FAILED;
        }
    }
    free(view);
    free(full);
    return status == CLI_OK ? CLI_OK : cli_error(CLI_FAILED, "%s", err.text);
}
