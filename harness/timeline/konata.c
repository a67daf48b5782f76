/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Kanata log goes forward in time only, and when an instruction's first stage begins nobody knows yet whether it will issue. So instructions
 * are held, as many as the file has room for, and written in the order of their stages at the end.
 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "konata.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/look.h"
#include "file/gzip.h"
#include "file/out_file.h"
#include "ir/module.h"

#define NEVER       UINT64_MAX
#define TEXT_MAX    90u  /* characters of an instruction's text */
#define FIXED_BYTES 320u /* of an instruction's lines, at most, but for that text and the kernel's name */
#define STAGES      5u

struct kernel {
    const struct cw_kernel *kernel;
    const char **line; /* [number of the line]: where it begins in the text */
    uint32_t lines;
    struct kernel *next;
};

struct instruction {
    const struct kernel *kernel;
    const struct cw_uop *uop;
    cw_lanes lanes;
    uint64_t begin, there, ready, issued, done; /* core cycles; done NEVER: it is on its way */
    uint32_t core, warp, number, ctaid[3];
    bool memory;
};

/* What is known of a slot's next instruction. */
struct warp {
    const struct cw_uop *next, *flies; /* about to issue; an access that has begun, and has not issued */
    uint64_t there, ready, last, from; /* last: cycle of its last issue; from: the first cycle behind the one before that */
    uint32_t number, block, ctaid[3], flight;
};

struct cw_konata {
    struct cw_gpu *gpu;
    char *path;
    struct cw_event_listener listener;
    cw_time period;
    uint64_t begin, end, bytes, limit, full_at;
    uint32_t core_cnt, warp_cnt;
    struct warp *warp; /* [core * warp_cnt + slot] */
    uint64_t *block;   /* [core * BLOCKS + slot]: cycle of its begin */
    struct kernel *first;
    struct instruction *held;
    size_t cnt, room;
    struct {
        size_t *held; /* [id]: which instruction; SIZE_MAX: none that is held */
        uint32_t cnt;
    } * flying; /* [core] */
    bool no_memory, closed;
};

#define BLOCKS 32u /* slots of a core, at most */

/* ---- what happens ---- */

static const struct kernel *kernel_of(const struct cw_konata *k, const struct cw_uop *uop)
{
    const struct kernel *of = k->first;
    while (of != NULL && (uop < of->kernel->uop || uop >= of->kernel->uop + of->kernel->uop_cnt))
        of = of->next;
    return of;
}

static struct warp *warp_of(const struct cw_konata *k, const struct cw_event *e)
{
    return &k->warp[e->core * k->warp_cnt + e->warp];
}

/* The first time counts, when it is told of again. */
static void hear_before(struct cw_konata *k, const struct cw_event *e)
{
    struct warp *w = warp_of(k, e);
    const struct cw_core_warps *warps = cw_core_look(cw_gpu_core(k->gpu, e->core));
    struct cw_look_warp look;
    if (w->next == e->u.access.uop || !cw_look_warp(warps, e->warp, &look))
        return;
    w->next = e->u.access.uop;
    cw_look_next(warps, e->warp, &w->there, &w->ready);
    w->number = look.number;
    w->block = look.block;
    memcpy(w->ctaid, look.ctaid, sizeof w->ctaid);
}

/* Room for one more; NULL: there is none. */
static struct instruction *hold(struct cw_konata *k, const struct kernel *kernel, const struct cw_uop *uop, uint64_t cycle)
{
    const size_t text = uop->line < kernel->lines ? strcspn(kernel->line[uop->line], "\n") : 0;
    const uint64_t bytes = FIXED_BYTES + (text < TEXT_MAX ? text : TEXT_MAX) + strlen(kernel->kernel->name);
    if (k->full_at == NEVER && k->bytes + bytes > k->limit)
        k->full_at = cycle;
    if (k->full_at != NEVER || k->no_memory)
        return NULL;
    if (k->cnt == k->room) {
        const size_t room = k->room != 0 ? 2 * k->room : 4096;
        struct instruction *held = realloc(k->held, room * sizeof *held);
        k->no_memory = held == NULL;
        if (held == NULL)
            return NULL;
        k->held = held;
        k->room = room;
    }
    k->bytes += bytes;
    return &k->held[k->cnt++];
}

/* The instruction's access will tell of its end under this number. */
static void fly(struct cw_konata *k, uint32_t core, uint32_t id, size_t held)
{
    if (id >= k->flying[core].cnt) {
        const uint32_t cnt = 2 * id + 64;
        size_t *more = realloc(k->flying[core].held, cnt * sizeof *more);
        k->no_memory |= more == NULL;
        if (more == NULL)
            return;
        memset(more + k->flying[core].cnt, 0xff, (cnt - k->flying[core].cnt) * sizeof *more);
        k->flying[core].held = more;
        k->flying[core].cnt = cnt;
    }
    k->flying[core].held[id] = held;
}

static uint64_t within(uint64_t x, uint64_t least, uint64_t most)
{
    return x < least ? least : x > most ? most : x;
}

static void hear_issue(struct cw_konata *k, const struct cw_event *e)
{
    struct warp *w = warp_of(k, e);
    const struct cw_uop *uop = e->u.access.uop;
    const uint64_t cycle = e->now / k->period, block = k->block[e->core * BLOCKS + w->block];
    const struct kernel *kernel = kernel_of(k, uop);
    const bool flies = w->flies == uop;
    if (cycle != w->last) { /* Several micro-operations may issue together */
        w->from = w->last + 1 > block ? w->last + 1 : block;
        w->last = cycle;
    }
    w->next = w->flies = NULL;
    struct instruction *i = cycle >= k->begin && cycle < k->end && kernel != NULL ? hold(k, kernel, uop, cycle) : NULL;
    if (flies)
        fly(k, e->core, w->flight, i != NULL ? k->cnt - 1 : SIZE_MAX);
    if (i == NULL)
        return;
    *i = (struct instruction){.kernel = kernel, .uop = uop, .lanes = e->u.access.lanes, .issued = cycle, .core = e->core, .warp = e->warp};
    i->begin = within(w->from, 0, cycle);
    i->there = within(w->there, i->begin, cycle);
    i->ready = within(w->ready, i->there, cycle);
    i->number = w->number;
    memcpy(i->ctaid, w->ctaid, sizeof i->ctaid);
    i->memory = flies;
    i->done = flies ? NEVER : cw_look_results(cw_core_look(cw_gpu_core(k->gpu, e->core)), e->warp, uop);
}

static void hear_flight(struct cw_konata *k, const struct cw_event *e)
{
    struct warp *w = warp_of(k, e);
    const uint32_t id = e->u.flight.id;
    if (!e->u.flight.ends) {
        w->flies = e->u.flight.uop;
        w->flight = id;
        return;
    }
    if (id >= k->flying[e->core].cnt || k->flying[e->core].held[id] == SIZE_MAX)
        return;
    k->held[k->flying[e->core].held[id]].done = e->now / k->period;
    k->flying[e->core].held[id] = SIZE_MAX;
}

static void hear(void *self, const struct cw_event *e)
{
    struct cw_konata *k = self;
    if (k->closed)
        return;
    if (e->type == CW_EVENT_BEFORE)
        hear_before(k, e);
    else if (e->type == CW_EVENT_ISSUE)
        hear_issue(k, e);
    else if (e->type == CW_EVENT_FLIGHT)
        hear_flight(k, e);
    else if (e->u.block.slot < BLOCKS)
        k->block[e->core * BLOCKS + e->u.block.slot] = e->now / k->period;
}

/* ---- the file ---- */

/* A change of stage: the one with this number begins, after the one before it has ended. */
struct step {
    uint64_t cycle;
    size_t instruction; /* in the order of the file */
    uint32_t stage;
};

/* The stages that take cycles, and at the end of `at` the cycle behind the last; returns their number. */
static uint32_t stages_of(const struct instruction *i, char name[STAGES], uint64_t at[STAGES + 1])
{
    const uint64_t done = i->done > i->issued ? i->done : i->issued + 1;
    const uint64_t begin[STAGES + 1] = {i->begin, i->there, i->ready, i->issued, i->issued + 1, done};
    uint32_t cnt = 0;
    for (uint32_t s = 0; s < STAGES; s++) {
        if (begin[s + 1] <= begin[s])
            continue;
        name[cnt] = s + 1 < STAGES ? "FWQI"[s] : i->memory ? 'M' : 'X';
        at[cnt++] = begin[s];
    }
    at[cnt] = done;
    return cnt;
}

static int earlier_instruction(const void *a, const void *b)
{
    const struct instruction *x = a, *y = b;
    const uint64_t left[] = {x->begin, x->issued, x->core, x->warp, x->uop->line},
                   right[] = {y->begin, y->issued, y->core, y->warp, y->uop->line};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return (x->uop > y->uop) - (x->uop < y->uop);
}

static int earlier_step(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    if (x->instruction != y->instruction)
        return x->instruction < y->instruction ? -1 : 1;
    return (x->stage > y->stage) - (x->stage < y->stage);
}

/* An instruction's line of PTX, without what would end a column. */
static void text_of(const struct instruction *i, char text[TEXT_MAX + 1])
{
    const char *line = i->uop->line < i->kernel->lines ? i->kernel->line[i->uop->line] : "";
    uint32_t n = 0;
    for (line += strspn(line, " \t"); n < TEXT_MAX && strcspn(line, "\r\n") > 0; line++)
        text[n++] = *line == '\t' ? ' ' : *line;
    text[n] = '\0';
}

static void put_begin(const struct cw_konata *k, FILE *f, const struct instruction *i, size_t id)
{
    char text[TEXT_MAX + 1];
    text_of(i, text);
    fprintf(f, "I\t%zu\t%zu\t%" PRIu32 "\nL\t%zu\t0\tc%" PRIu32 " w%" PRIu32 " %" PRIu32 ": %s\n", id, id, i->core * k->warp_cnt + i->warp,
            id, i->core, i->warp, i->uop->line, text);
    fprintf(f, "L\t%zu\t1\t%s, block %" PRIu32 ",%" PRIu32 ",%" PRIu32 ", warp %" PRIu32 ", lanes %" PRIx64 "\n", id,
            i->kernel->kernel->name, i->ctaid[0], i->ctaid[1], i->ctaid[2], i->number, (uint64_t)i->lanes);
}

static void put_steps(const struct cw_konata *k, FILE *f, const struct step *step, size_t cnt, const bool *lost)
{
    uint64_t cycle = cnt > 0 ? step[0].cycle : 0, retired = 0;
    fprintf(f, "Kanata\t0004\nC=\t%" PRIu64 "\n", cycle);
    for (size_t n = 0; n < cnt; n++) {
        const struct step *s = &step[n];
        const struct instruction *i = &k->held[s->instruction];
        char name[STAGES];
        uint64_t at[STAGES + 1];
        const uint32_t stages = stages_of(i, name, at);
        if (s->cycle != cycle)
            fprintf(f, "C\t%" PRIu64 "\n", s->cycle - cycle);
        cycle = s->cycle;
        if (s->stage == 0)
            put_begin(k, f, i, s->instruction);
        else
            fprintf(f, "E\t%zu\t0\t%c\n", s->instruction, name[s->stage - 1]);
        if (s->stage < stages)
            fprintf(f, "S\t%zu\t0\t%c\n", s->instruction, name[s->stage]);
        else
            fprintf(f, "R\t%zu\t%" PRIu64 "\t%d\n", s->instruction, retired++, lost[s->instruction]);
    }
}

/* Whatever is on its way still ends here, as what Konata calls flushed. */
static bool put_all(struct cw_konata *k, FILE *f)
{
    struct step *step = calloc(k->cnt * (STAGES + 1) + 1, sizeof *step);
    bool *lost = calloc(k->cnt + 1, sizeof *lost);
    size_t cnt = 0;
    if (k->cnt > 0)
        qsort(k->held, k->cnt, sizeof *k->held, earlier_instruction);
    for (size_t n = 0; step != NULL && lost != NULL && n < k->cnt; n++) {
        char name[STAGES];
        uint64_t at[STAGES + 1];
        lost[n] = k->held[n].done == NEVER;
        if (lost[n])
            k->held[n].done = cw_gpu_now(k->gpu) / k->period;
        const uint32_t stages = stages_of(&k->held[n], name, at);
        for (uint32_t s = 0; s <= stages; s++)
            step[cnt++] = (struct step){at[s], n, s};
    }
    const bool ok = step != NULL && lost != NULL;
    if (ok) {
        qsort(step, cnt, sizeof *step, earlier_step);
        put_steps(k, f, step, cnt, lost);
    }
    free(step);
    free(lost);
    return ok;
}

static int write_file(struct cw_konata *k, struct cw_error *err)
{
    struct cw_out_file out;
    const size_t length = strlen(k->path);
    const bool packed = length > 3 && strcasecmp(k->path + length - 3, ".gz") == 0;
    int status = cw_out_file_open(&out, k->path, err);
    if (status != CW_OK)
        return status;
    FILE *f = packed ? cw_gzip_open(out.file) : out.file;
    const bool whole = f != NULL && put_all(k, f);
    const bool written = f == NULL || f == out.file || fclose(f) == 0;
    if (whole && written)
        return cw_out_file_close(&out, err);
    cw_out_file_discard(&out);
    return whole ? cw_fail(err, CW_EIO, "%s: cannot be written", k->path) : cw_fail(err, CW_ENOMEM, "%s: out of memory", k->path);
}

int cw_konata_close(struct cw_konata *k, uint64_t *full_at, struct cw_error *err)
{
    *full_at = k->full_at;
    if (k->closed)
        return CW_OK;
    k->closed = true;
    if (k->no_memory)
        return cw_fail(err, CW_ENOMEM, "%s: out of memory; give it a window", k->path);
    return cw_gpu_now(k->gpu) == 0 ? CW_OK : write_file(k, err);
}

/* ---- its life ---- */

int cw_konata_launch(struct cw_konata *k, const struct cw_kernel *kernel, const char *text, struct cw_error *err)
{
    struct kernel **at = &k->first;
    while (*at != NULL && (*at)->kernel != kernel)
        at = &(*at)->next;
    if (*at != NULL)
        return CW_OK;
    struct kernel *of = calloc(1, sizeof *of);
    uint32_t lines = 2;
    for (const char *c = text; *c != '\0'; c++)
        lines += *c == '\n';
    if (of == NULL || (of->line = calloc(lines, sizeof *of->line)) == NULL) {
        free(of);
        return cw_fail(err, CW_ENOMEM, "%s: out of memory", k->path);
    }
    of->kernel = kernel;
    of->line[0] = "";
    for (of->lines = 1; of->lines < lines; of->lines++) {
        of->line[of->lines] = text;
        text += strcspn(text, "\n");
        text += *text != '\0';
    }
    *at = of;
    return CW_OK;
}

void cw_konata_destroy(struct cw_konata *k)
{
    if (k == NULL)
        return;
    while (k->first != NULL) {
        struct kernel *of = k->first;
        k->first = of->next;
        free(of->line);
        free(of);
    }
    for (uint32_t c = 0; k->flying != NULL && c < k->core_cnt; c++)
        free(k->flying[c].held);
    free(k->flying);
    free(k->held);
    free(k->warp);
    free(k->block);
    free(k->path);
    free(k);
}

int cw_konata_create(struct cw_konata **konata, const struct cw_konata_options *options, struct cw_gpu *gpu, struct cw_error *err)
{
    struct cw_konata *k = *konata = calloc(1, sizeof *k);
    if (k == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    k->gpu = gpu;
    k->period = cw_gpu_clocks(gpu)->period[CW_DOMAIN_CORE];
    k->begin = options->begin;
    k->end = options->end != 0 ? options->end : NEVER;
    k->limit = options->mbytes << 20;
    k->full_at = NEVER;
    k->core_cnt = cw_gpu_config(gpu)->core_count;
    k->warp_cnt = options->warps;
    k->path = strdup(options->path);
    k->warp = calloc((size_t)k->core_cnt * k->warp_cnt, sizeof *k->warp);
    k->block = calloc((size_t)k->core_cnt * BLOCKS, sizeof *k->block);
    k->flying = calloc(k->core_cnt, sizeof *k->flying);
    int status = k->path != NULL && k->warp != NULL && k->block != NULL && k->flying != NULL ? cw_out_file_check(options->path, err)
                                                                                             : cw_fail(err, CW_ENOMEM, "out of memory");
    if (status != CW_OK) {
        cw_konata_destroy(k);
        *konata = NULL;
        return status;
    }
    k->listener = (struct cw_event_listener){
        .types = UINT64_C(1) << CW_EVENT_BLOCK_BEGIN | UINT64_C(1) << CW_EVENT_BEFORE | UINT64_C(1) << CW_EVENT_ISSUE |
                 UINT64_C(1) << CW_EVENT_FLIGHT,
        .self = k,
        .hear = hear,
    };
    cw_gpu_listen(gpu, &k->listener);
    return CW_OK;
}
