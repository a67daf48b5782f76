/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test on the machine. A launch runs many instances of it, each with its own places, at random spots: in which order blocks are
 * dispatched, which warp and lane a thread has, which lines hold the places (instances share lines, too), how long a thread waits. In every
 * second launch it waits before its first operation alone, and the others are adjacent; else before fences, or before each operation. In half of the launches other warps write many lines of one memory partition, so that some persists take longer than
 * others.
 *
 * What the log of persists has up to some point is what a power failure at that point would leave.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "litmus/litmus.h"

#define LINE       128u /* bytes; of the longest line */
#define LINES      (LITMUS_INSTANCES * LITMUS_PLACES)
#define LINE_WORDS (LINE / 4)
#define CTAS       (LITMUS_INSTANCES * LITMUS_BLOCKS)
#define WIDTH_MAX  64u /* of a warp */
#define NOBODY     UINT32_MAX

/* What the kernel reads, and what tells whose a persist is. */
struct tables {
    uint32_t role[CTAS * (LITMUS_WARPS + 1) * WIDTH_MAX];
    uint64_t place[LITMUS_INSTANCES][LITMUS_PLACES];
    uint32_t delay[LITMUS_INSTANCES][LITMUS_OPS];
    uint64_t noise[LITMUS_NOISE];
    uint64_t out[LITMUS_INSTANCES][LITMUS_READS];
    uint32_t owner[LINES * LINE_WORDS]; /* of each word of persistent memory: instance * LITMUS_PLACES + place, or NOBODY */
    struct litmus_state state[LITMUS_INSTANCES];
    bool active[LITMUS_INSTANCES];
};

struct session {
    struct litmus_run *r;
    struct cowarp_gpu *gpu;
    const struct litmus_test *t;
    const struct litmus_allowed *a;
    struct cowarp_module *module;
    struct cw_rng rng;
    struct tables *m;
    bool *shown;
    uint32_t width, warps, blocks;                      /* of a warp; of a block; of an instance */
    uint32_t block[LITMUS_BLOCKS];                      /* index of each block that the test names, among those */
    uint64_t pm, flags, role, place, delay, out, noise; /* addresses */
    uint64_t noisy;                                     /* address of the persistent memory that noise goes to */
    uint32_t stride;                                    /* from a line to the next one of its memory partition */
    uint32_t launch;
    enum litmus_form form;
    uint64_t first; /* number of the first persist of the launch */
};

/* Placement */

static void count_blocks(struct session *s)
{
    bool named[LITMUS_BLOCKS] = {false};
    for (uint32_t k = 0; k < s->t->thread_cnt; k++) {
        named[s->t->thread[k].block] = true;
        s->warps = s->t->thread[k].warp + 2 > s->warps ? s->t->thread[k].warp + 2 : s->warps;
    }
    for (uint32_t b = 0; b < LITMUS_BLOCKS; b++) {
        s->block[b] = s->blocks;
        s->blocks += named[b];
    }
}

static void shuffle(struct session *s, uint32_t *list, uint32_t cnt)
{
    for (uint32_t i = 0; i < cnt; i++)
        list[i] = i;
    for (uint32_t i = cnt; i > 1; i--) {
        const uint32_t k = cw_rng_below(&s->rng, i), swap = list[i - 1];
        list[i - 1] = list[k];
        list[k] = swap;
    }
}

/* Threads of one block: warps change places, with one more that is empty, and lanes are random. */
static void place_block(struct session *s, uint32_t instance, uint32_t block, bool noise, uint32_t *role)
{
    uint32_t warp[LITMUS_WARPS + 1];
    shuffle(s, warp, s->warps);
    for (uint32_t k = 0; noise && k < s->width; k++)
        role[warp[s->warps - 1] * s->width + k] = LITMUS_MAKES_NOISE;
    if (!s->m->active[instance])
        return;
    for (uint32_t k = 0; k < s->t->thread_cnt; k++) {
        const struct litmus_thread *thread = &s->t->thread[k];
        if (s->block[thread->block] != block)
            continue;
        uint32_t *lane;
        do
            lane = role + warp[thread->warp] * s->width + cw_rng_below(&s->rng, s->width);
        while (*lane != 0);
        *lane = 1 + LITMUS_THREADS * instance + k;
    }
}

static void place_threads(struct session *s)
{
    uint32_t order[CTAS];
    const uint32_t threads = s->warps * s->width, share = 1 + 3 * cw_rng_below(&s->rng, 3);
    const uint32_t rare = s->t->memory ? 2 : 8 * s->blocks; /* a block of so many has a warp that makes noise */
    const bool noisy = cw_rng_below(&s->rng, 2) != 0;
    memset(s->m->role, 0, sizeof s->m->role);
    shuffle(s, order, LITMUS_INSTANCES * s->blocks);
    for (uint32_t i = 0; i < LITMUS_INSTANCES; i++) {
        s->m->active[i] = i == 0 || cw_rng_below(&s->rng, share) == 0; /* of some launches nearly all of the machine is idle */
        for (uint32_t b = 0; b < s->blocks; b++)
            place_block(s, i, b, noisy && cw_rng_below(&s->rng, rare) == 0, s->m->role + order[i * s->blocks + b] * threads);
    }
}

/* A line of persistent memory with room for words of one instance, and with none of them yet. */
static uint32_t free_line(struct session *s, uint32_t instance, uint32_t lines)
{
    for (;;) {
        const uint32_t line = cw_rng_below(&s->rng, lines);
        uint32_t room = 0;
        bool own = false;
        for (uint32_t w = 0; w < LINE_WORDS; w++) {
            const uint32_t owner = s->m->owner[line * LINE_WORDS + w];
            room += owner == NOBODY;
            own |= owner != NOBODY && owner / LITMUS_PLACES == instance;
        }
        if (room >= LITMUS_PLACES && !own)
            return line;
    }
}

static uint32_t free_word(struct session *s, uint32_t line)
{
    uint32_t word;
    do
        word = line * LINE_WORDS + cw_rng_below(&s->rng, LINE_WORDS);
    while (s->m->owner[word] != NOBODY);
    return word;
}

static void place_places(struct session *s)
{
    const struct litmus_test *t = s->t;
    const uint32_t lines = LITMUS_INSTANCES * t->place_cnt;
    uint32_t order[LINES]; /* of places that are not persistent; in a test of memory in any partition */
    for (uint32_t i = 0; i < LINES; i++)
        order[i] = i;
    if (t->memory)
        shuffle(s, order, LINES);
    memset(s->m->owner, 0xff, sizeof s->m->owner);
    for (uint32_t i = 0; i < LITMUS_INSTANCES; i++) {
        uint32_t line[LITMUS_PLACES];
        for (uint32_t p = 0; p < t->place_cnt; p++) {
            if (t->place[p].space != LITMUS_PERSISTENT) {
                s->m->place[i][p] = s->flags + LINE * order[i * LITMUS_PLACES + t->place[p].line] + t->spacing * p;
                continue;
            }
            line[p] = t->place[p].line == p ? free_line(s, i, lines) : line[t->place[p].line];
            const uint32_t word = free_word(s, line[p]);
            s->m->owner[word] = i * LITMUS_PLACES + p;
            s->m->place[i][p] = s->pm + 4 * word;
        }
    }
}

static void choose_delays(struct session *s)
{
    static const uint32_t longest[] = {1, 2, 5, 17, 65};
    const uint32_t below = longest[cw_rng_below(&s->rng, 5)];
    s->form = s->launch % 2 != 0 ? LITMUS_DELAY_FIRST : cw_rng_below(&s->rng, 2) != 0 ? LITMUS_DELAY_FENCES : LITMUS_DELAY_EACH;
    for (uint32_t i = 0; i < LITMUS_INSTANCES; i++) {
        for (uint32_t k = 0; k < LITMUS_OPS; k++)
            s->m->delay[i][k] = cw_rng_below(&s->rng, 2) * cw_rng_below(&s->rng, below);
        for (uint32_t k = 0; s->t->memory && k < s->t->thread_cnt; k++)
            s->m->delay[i][LITMUS_OPS - 1 - k] = cw_rng_below(&s->rng, 2); /* warm (ptx.c) */
    }
}

static void choose_noise(struct session *s)
{
    const uint32_t first = LINE * cw_rng_below(&s->rng, s->stride / LINE);
    for (uint32_t i = 0; i < LITMUS_NOISE; i++)
        s->m->noise[i] = s->noisy + s->stride * i + first;
}

/* The launch */

static int write_tables(struct session *s)
{
    static const uint8_t zeros[LINES * LINE];
    struct tables *m = s->m;
    int status = s->t->memory ? COWARP_OK : cowarp_write(s->gpu, s->pm, zeros, (uint64_t)LITMUS_INSTANCES * s->t->place_cnt * LINE);
    if (status == COWARP_OK)
        status = cowarp_write(s->gpu, s->flags, zeros, sizeof zeros);
    if (status == COWARP_OK)
        status = cowarp_write(s->gpu, s->role, m->role, (uint64_t)LITMUS_INSTANCES * s->blocks * s->warps * s->width * 4);
    if (status == COWARP_OK)
        status = cowarp_write(s->gpu, s->place, m->place, sizeof m->place);
    if (status == COWARP_OK)
        status = cowarp_write(s->gpu, s->delay, m->delay, sizeof m->delay);
    if (status == COWARP_OK)
        status = cowarp_write(s->gpu, s->noise, m->noise, sizeof m->noise);
    return status == COWARP_OK ? cowarp_write(s->gpu, s->out, zeros, sizeof m->out) : status;
}

static int run_kernel(struct session *s)
{
    const struct cowarp_arg args[] = {COWARP_U64(s->role), COWARP_U64(s->place), COWARP_U64(s->delay), COWARP_U64(s->out),
                                      COWARP_U64(s->noise)};
    const struct cowarp_launch launch = {.size = sizeof launch,
                                         .kernel = litmus_kernel(s->form),
                                         .grid = {LITMUS_INSTANCES * s->blocks, 1, 1},
                                         .block = {s->warps * s->width, 1, 1},
                                         .arg_count = 5,
                                         .args = args};
    int status = write_tables(s);
    if (status == COWARP_OK)
        status = cowarp_run(s->gpu, s->module, &launch);
    return status == COWARP_OK ? cowarp_read(s->gpu, s->m->out, s->out, sizeof s->m->out) : status;
}

/* Judgement */

/* Instance and place of a word of the persist that became durable, in whole or in part; NOBODY: of none. */
static uint32_t owner_of(const struct session *s, const struct cowarp_persist *p, uint32_t word)
{
    const uint64_t address = p->address + 4 * word;
    if ((p->mask[word / 8] >> (4 * (word % 8)) & 15) == 0 || address < s->pm || address >= s->pm + LINES * LINE)
        return NOBODY;
    return s->m->owner[(address - s->pm) / 4];
}

/* The persists of an instance in this launch, up to the one with which a state came that is not allowed. */
static void tell(struct session *s, uint32_t instance, uint64_t last)
{
    const size_t bytes = sizeof s->r->wrong;
    struct cowarp_persist p;
    char state[400], *text = s->r->wrong;
    litmus_describe(state, sizeof state, s->t, &s->m->state[instance]);
    size_t n = (size_t)snprintf(text, bytes, "%s; launch %u of seed %" PRIu64 ", instance %u%s", state, s->launch, s->r->seed, instance,
                                s->t->memory ? "" : ", where became durable");
    for (uint64_t i = s->first; !s->t->memory && i <= last && cowarp_persist_at(s->gpu, i, &p); i++)
        for (uint32_t w = 0; w < p.bytes / 4 && n < bytes; w++) {
            const uint32_t owner = owner_of(s, &p, w);
            uint32_t value;
            memcpy(&value, p.data + 4 * w, sizeof value);
            if (owner != NOBODY && owner / LITMUS_PLACES == instance)
                n += (size_t)snprintf(text + n, bytes - n, "\n  in cycle %" PRIu64 " %s = %u", p.cycle,
                                      s->t->place[owner % LITMUS_PLACES].name, value);
        }
}

static void look(struct session *s, uint32_t instance, uint64_t persist)
{
    const uint32_t i = litmus_find(s->a, &s->m->state[instance]);
    if (i < s->a->cnt)
        s->shown[i] = true;
    else if (s->r->wrong[0] == '\0')
        tell(s, instance, persist);
}

static void apply_word(struct session *s, const struct cowarp_persist *p, uint32_t word, uint32_t owner)
{
    uint64_t *value = &s->m->state[owner / LITMUS_PLACES].place[owner % LITMUS_PLACES];
    for (uint32_t b = 0; b < 4; b++)
        if ((p->mask[word / 8] >> (4 * (word % 8) + b) & 1) != 0)
            *value = (*value & ~(UINT64_C(0xff) << (8 * b))) | (uint64_t)p->data[4 * word + b] << (8 * b);
}

/* Applies a persist as a whole, and then looks at the instances whose words it has. */
static void apply(struct session *s, const struct cowarp_persist *p, uint64_t index)
{
    uint32_t touched[LINE_WORDS], cnt = 0;
    for (uint32_t w = 0; w < p->bytes / 4; w++) {
        const uint32_t owner = owner_of(s, p, w);
        if (owner == NOBODY)
            continue;
        apply_word(s, p, w, owner);
        touched[cnt++] = owner / LITMUS_PLACES;
    }
    for (uint32_t i = 0; i < cnt; i++)
        look(s, touched[i], index);
}

/* Of a test of memory: what is left when the kernel has ended. */
static int read_places(struct session *s)
{
    static uint8_t byte[LINES * LINE];
    const size_t told = s->t->spacing < 8 ? s->t->spacing : 8;
    const int status = cowarp_read(s->gpu, byte, s->flags, sizeof byte);
    for (uint32_t i = 0; status == COWARP_OK && i < LITMUS_INSTANCES; i++)
        for (uint32_t p = 0; p < s->t->place_cnt; p++)
            if (litmus_is_told(s->t, p))
                memcpy(&s->m->state[i].place[p], byte + (s->m->place[i][p] - s->flags), told);
    return status;
}

static int judge(struct session *s)
{
    struct cowarp_persist p;
    memset(s->m->state, 0, sizeof s->m->state);
    const int status = s->t->memory ? read_places(s) : COWARP_OK;
    for (uint32_t i = 0; i < LITMUS_INSTANCES; i++) {
        if (!s->m->active[i])
            continue;
        memcpy(s->m->state[i].read, s->m->out[i], sizeof s->m->out[i]);
        look(s, i, s->first);
        s->r->runs++;
    }
    for (uint64_t i = s->first; !s->t->memory && cowarp_persist_at(s->gpu, i, &p); i++)
        apply(s, &p, i);
    return status;
}

/* The session */

/* Persistent places, and what noise writes to. */
static int alloc_lines(struct session *s)
{
    const uint64_t noise = (uint64_t)LITMUS_NOISE * s->stride;
    if (s->t->memory)
        return cowarp_alloc(s->gpu, &s->noisy, noise);
    const int status = cowarp_pm_alloc(s->gpu, &s->pm, "litmus", LINES * LINE);
    return status == COWARP_OK ? cowarp_pm_alloc(s->gpu, &s->noisy, "litmus.noise", noise) : status;
}

static int open_session(struct session *s)
{
    uint64_t *const address[] = {&s->flags, &s->role, &s->place, &s->delay, &s->out, &s->noise};
    uint32_t partitions = 0, interleave = 0;
    const uint64_t bytes[] = {LINES * LINE,       sizeof s->m->role, sizeof s->m->place,
                              sizeof s->m->delay, sizeof s->m->out,  sizeof s->m->noise};
    size_t length = 0;
    count_blocks(s);
    int status = cowarp_config_value(s->gpu, "core.warp_width", &s->width);
    if (status == COWARP_OK)
        status = cowarp_config_value(s->gpu, "partition.count", &partitions);
    if (status == COWARP_OK)
        status = cowarp_config_value(s->gpu, "partition.interleave", &interleave);
    s->stride = partitions * interleave;
    if (status == COWARP_OK)
        status = alloc_lines(s);
    for (uint32_t i = 0; status == COWARP_OK && i < 6; i++)
        status = cowarp_alloc(s->gpu, address[i], bytes[i]);
    char *text = status == COWARP_OK ? litmus_ptx(s->t, &length) : NULL;
    if (status == COWARP_OK)
        status = text != NULL ? cowarp_load(s->gpu, &s->module, text, length, s->t->name) : COWARP_ENOMEM;
    free(text);
    return status;
}

static void close_session(struct session *s)
{
    const uint64_t address[] = {s->flags, s->role, s->place, s->delay, s->out, s->noise};
    for (uint32_t i = 0; i < 6; i++)
        if (address[i] != 0)
            cowarp_free(s->gpu, address[i]);
    if (s->t->memory && s->noisy != 0)
        cowarp_free(s->gpu, s->noisy);
    for (uint32_t i = 0; s->shown != NULL && i < s->a->cnt; i++)
        s->r->shown += s->shown[i];
    if (s->shown != NULL && s->r->seen != NULL)
        memcpy(s->r->seen, s->shown, s->a->cnt * sizeof *s->shown);
    free(s->shown);
    free(s->m);
}

int litmus_run(struct litmus_run *r, struct cowarp_gpu *gpu, const struct litmus_test *t, const struct litmus_allowed *a)
{
    struct session s = {.r = r, .gpu = gpu, .t = t, .a = a};
    r->runs = r->shown = 0;
    r->wrong[0] = '\0';
    s.m = calloc(1, sizeof *s.m);
    s.shown = calloc(a->cnt + 1, sizeof *s.shown);
    int status = s.m != NULL && s.shown != NULL ? open_session(&s) : COWARP_ENOMEM;
    for (; status == COWARP_OK && s.launch < r->launches && r->wrong[0] == '\0'; s.launch++) {
        cw_rng_seed(&s.rng, r->seed * 1000003 + s.launch);
        place_threads(&s);
        place_places(&s);
        choose_delays(&s);
        choose_noise(&s);
        s.first = cowarp_persist_count(gpu);
        status = run_kernel(&s);
        if (status == COWARP_OK)
            status = judge(&s);
    }
    close_session(&s);
    return status;
}
