/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a profile: of each kernel its hottest lines, then its PTX with the counts of each line (docs/profile.md). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

#define HOT_LINES 12u
#define TEXT_MAX  90 /* characters of a line in the table of hot ones */

/* A line of the PTX with the micro-operations that it has become. */
struct line {
    uint32_t number;
    bool used;
    uint64_t hot; /* scheduler cycles: those of its instructions' issue slots, and those that waited for what it does */
    struct cowarp_profile_row sum;
};

static uint64_t sum_of(const uint64_t cycles[CW_STALLS])
{
    uint64_t sum = 0;
    for (uint32_t why = 0; why < CW_STALLS; why++)
        sum += cycles[why];
    return sum;
}

static void add(struct cowarp_profile_row *to, const struct cowarp_profile_row *r)
{
    to->warps += r->warps;
    to->threads += r->threads;
    to->branches += r->branches;
    to->diverged += r->diverged;
    to->accesses += r->accesses;
    to->aborts += r->aborts;
    for (uint32_t why = 0; why < CW_STALLS; why++) {
        to->stall[why] += r->stall[why];
        to->cause[why] += r->cause[why];
    }
    for (uint32_t at = 0; at < CW_ATS; at++)
        to->at[at] += r->at[at];
}

/* ---- the text's lines ---- */

/* The next line, without its end; its length in *length. */
static const char *next_line(const char **text, size_t *length)
{
    const char *line = *text;
    *length = strcspn(line, "\n");
    *text = line + *length + (line[*length] == '\n');
    if (*length > 0 && line[*length - 1] == '\r')
        --*length;
    return line;
}

static const char *line_at(const char *text, uint32_t number, size_t *length)
{
    const char *line = next_line(&text, length);
    for (uint32_t i = 1; i < number; i++)
        line = next_line(&text, length);
    return line;
}

/* ---- hot lines ---- */

static int hotter(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->hot != y->hot)
        return x->hot < y->hot ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

static uint32_t largest(const uint64_t *cycles, uint32_t first, uint32_t cnt)
{
    uint32_t most = first;
    for (uint32_t i = first; i < cnt; i++)
        most = cycles[i] > cycles[most] ? i : most;
    return most;
}

/* "dram 61%"; "-" without any. */
static void name_part(char text[48], const char *name, uint64_t part, uint64_t whole)
{
    snprintf(text, 48, "-");
    if (part > 0)
        snprintf(text, 48, "%s %.0f%%", name, 100.0 * (double)part / (double)whole);
}

static void put_hot_line(FILE *f, const struct line *l, uint64_t all, const char *text)
{
    const uint64_t waits = sum_of(l->sum.cause);
    const uint32_t why = largest(l->sum.cause, CW_STALL_STRUCTURAL, CW_STALLS), at = largest(l->sum.at, CW_AT_NONE + 1, CW_ATS);
    char reason[48], where[48];
    size_t length;
    const char *line = line_at(text, l->number, &length);
    name_part(reason, cw_stall_name((enum cw_stall)why), l->sum.cause[why], waits);
    name_part(where, cw_stall_at_name((enum cw_stall_at)at), l->sum.at[at], waits);
    const size_t blank = strspn(line, " \t");
    const int shown = length - blank < TEXT_MAX ? (int)(length - blank) : TEXT_MAX;
    fprintf(f, "%6.2f%% %12" PRIu64 " %12" PRIu64 "  %-24s %-14s %6" PRIu32 ": %.*s\n", 100.0 * (double)l->hot / (double)all, l->hot, waits,
            reason, where, l->number, shown, line + blank);
}

static void put_hot(FILE *f, struct line *sorted, uint32_t cnt, const char *text)
{
    uint64_t all = 0;
    qsort(sorted, cnt, sizeof *sorted, hotter);
    for (uint32_t i = 0; i < cnt; i++)
        all += sorted[i].hot;
    fprintf(f, "\nhottest lines\n%7s %12s %12s  %-24s %-14s %6s\n", "share", "cycles", "causes", "most of it", "where", "line");
    for (uint32_t i = 0; i < cnt && i < HOT_LINES && sorted[i].hot > 0; i++)
        put_hot_line(f, &sorted[i], all, text);
}

/* ---- listing ---- */

static void put_number(FILE *f, int width, uint64_t value)
{
    if (value == 0)
        fprintf(f, " %*s", width, ".");
    else
        fprintf(f, " %*" PRIu64, width, value);
}

static int width_of(const char *name)
{
    const int length = (int)strlen(name);
    return length > 10 ? length : 10;
}

static void put_row(FILE *f, const struct cowarp_profile_row *r)
{
    const uint64_t value[] = {r->warps, r->threads, r->branches, r->diverged, r->accesses, r->aborts, sum_of(r->stall), sum_of(r->cause)};
    for (size_t i = 0; i < sizeof value / sizeof value[0]; i++)
        put_number(f, 10, value[i]);
    for (uint32_t why = CW_STALL_STRUCTURAL; why < CW_STALL_NO_WARP; why++)
        put_number(f, width_of(cw_stall_name((enum cw_stall)why)), r->stall[why]);
}

static void put_head(FILE *f)
{
    static const char *const names[] = {"warps", "threads", "branches", "diverged", "accesses", "aborts", "stalled", "causes"};
    fputs("\nlisting\n", f);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        fprintf(f, " %10s", names[i]);
    for (uint32_t why = CW_STALL_STRUCTURAL; why < CW_STALL_NO_WARP; why++)
        fprintf(f, " %*s", width_of(cw_stall_name((enum cw_stall)why)), cw_stall_name((enum cw_stall)why));
    fputs(" |   line\n", f);
}

/* From the first line with a micro-operation to the last one. */
static void put_listing(FILE *f, const struct line *line, uint32_t cnt, const char *text)
{
    struct cowarp_profile_row total = {0};
    int blank = 8 * 11;
    uint32_t first = 0;
    for (uint32_t why = CW_STALL_STRUCTURAL; why < CW_STALL_NO_WARP; why++)
        blank += 1 + width_of(cw_stall_name((enum cw_stall)why));
    while (first < cnt && !line[first].used)
        first++;
    put_head(f);
    for (uint32_t i = 0; i < cnt; i++) {
        size_t length;
        const char *at = next_line(&text, &length);
        add(&total, &line[i].sum);
        if (i < first)
            continue;
        if (line[i].used)
            put_row(f, &line[i].sum);
        else
            fprintf(f, "%*s", blank, "");
        fprintf(f, " | %6" PRIu32 " %.*s\n", line[i].number, (int)length, at);
    }
    put_row(f, &total);
    fputs(" |  total\n", f);
}

static void put_kernel(FILE *f, struct cowarp_profile_kernel *k, struct line *line, struct line *sorted, uint32_t cnt,
                       uint32_t issue_cycles)
{
    for (uint32_t i = 0; i < cnt; i++)
        line[i].number = i + 1;
    for (uint32_t i = 0; i < k->kernel->uop_cnt; i++) {
        struct line *l = &line[k->kernel->uop[i].line - 1];
        l->used = true;
        add(&l->sum, &k->row[i]);
    }
    for (uint32_t i = 0; i < cnt; i++)
        line[i].hot = sum_of(line[i].sum.cause) + issue_cycles * line[i].sum.warps;
    memcpy(sorted, line, cnt * sizeof *line);
    fprintf(f, "\nkernel %s\nmodule %s\nlaunches %" PRIu32 "\n", k->kernel->name, k->module->file, k->launches);
    put_hot(f, sorted, cnt, k->text);
    cowarp__contended_text(k->words, f);
    put_listing(f, line, cnt, k->text);
}

bool cowarp__profile_text(struct cowarp_profile_kernel *first, uint32_t issue_cycles, FILE *f)
{
    fputs("cowarp profile 2\n", f);
    for (struct cowarp_profile_kernel *k = first; k != NULL; k = k->next) {
        uint32_t cnt = 1;
        for (uint32_t i = 0; i < k->kernel->uop_cnt; i++)
            cnt = k->kernel->uop[i].line > cnt ? k->kernel->uop[i].line : cnt;
        struct line *line = calloc(cnt, sizeof *line), *sorted = calloc(cnt, sizeof *sorted);
        const bool ok = line != NULL && sorted != NULL;
        if (ok)
            put_kernel(f, k, line, sorted, cnt, issue_cycles);
        free(line);
        free(sorted);
        if (!ok)
            return false;
    }
    return true;
}
