/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States that the persistency model allows. The machine of a run is stricter than the model: it shows a few of the states that a power
 * failure may leave, nearly always in the order of the log. So a missing ordering operation can stay unseen in a thousand moments of the log.
 * Here a state is any set of the run's stores that has, with each store, all that are ordered before it (cowarp_pm_graph).
 *
 * There are too many of them. They are tried in this order, one store of each line of the PTX after the other, and states whose image has
 * been tried are passed over:
 *   - a store as early as it may be: with it, only what is ordered before it;
 *   - a store as late as it may be: all of its launch but it and what is ordered after it;
 *   - the same near a moment of the run: the stores up to it, and one of the next ones early, or one of the last ones late;
 *   - what a few stores at random need, all together.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash.h"

#define NONE     UINT32_MAX
#define PATIENCE 64u /* states in a row that are not new: there are hardly any more */
#define SECOND   8u  /* failures in one recovery */
#define SOURCE   512u

/* What recovery does not see yet: one launch's stores, and which of them are durable. Launches between which nothing becomes durable
 * (pm.kernel_end=keep) count as one, the first of them. */
struct explorer {
    struct crash *c;
    struct cowarp_gpu *from; /* whose run fails: it has the graph */
    struct crash_gpu *to;    /* which recovers */
    struct explorer *outer;  /* of a failure in a recovery: the failure before; else NULL */
    struct cowarp_pm_graph g;
    uint32_t *begin; /* [launches + 1] first store of each */
    uint32_t *order; /* stores, one of each line after the other */
    uint32_t *word;  /* [stores] number of its word */
    uint64_t *value; /* [words] of the state: value and byte enables */
    uint8_t *in;     /* [stores] of the state */
    uint8_t *saved;  /* [stores] a copy */
    uint8_t *mark;   /* [nodes] */
    uint32_t *stack; /* [nodes] */
    uint64_t *seen;  /* set of images; 0: free */
    uint32_t seen_cap, launch;
    uint32_t without; /* the line that is left out; or 0 */
    uint64_t random, states, passed, early, late;
    uint64_t turn;   /* states that have been made, also those that are not new */
    uint32_t old;    /* of these the last ones, which were not */
    uint64_t second; /* failures in recoveries */
    int told;        /* exit status of what has been said to be wrong; CLI_OK: nothing yet */
};

static uint32_t below(struct explorer *e, uint32_t n)
{
    e->random = e->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((e->random >> 32) * n) >> 32);
}

/* ---- sets ---- */

/* The launch from which on nothing is durable for certain when the store's is running. */
static uint32_t launch_of(const struct explorer *e, uint32_t store)
{
    uint32_t launch = e->g.store[store].launch;
    while (launch > 0 && launch <= e->g.launches && e->g.kept[launch - 1] != 0)
        launch--;
    return launch;
}

static uint32_t first(const struct explorer *e)
{
    return e->begin[e->launch];
}

static uint32_t end(const struct explorer *e)
{
    return e->begin[e->launch + 1];
}

static void clear(struct explorer *e)
{
    memset(e->in + first(e), 0, end(e) - first(e));
}

/* The stores of the launch up to that one. */
static void fill(struct explorer *e, uint32_t last)
{
    for (uint32_t i = first(e); i < end(e); i++)
        e->in[i] = i <= last;
}

static void push(struct explorer *e, uint32_t *cnt, uint32_t node)
{
    if (node == NONE || e->mark[node] != 0)
        return;
    e->mark[node] = 1;
    e->stack[(*cnt)++] = node;
}

/* The marked stores, and what is ordered before them. */
static void add_needed(struct explorer *e, const uint8_t *store)
{
    uint32_t cnt = 0;
    memset(e->mark, 0, e->g.nodes);
    for (uint32_t i = first(e); i < end(e); i++)
        if (store[i] != 0) {
            e->in[i] = 1;
            push(e, &cnt, e->g.before[2 * e->g.store[i].node]);
            push(e, &cnt, e->g.before[2 * e->g.store[i].node + 1]);
        }
    while (cnt > 0) {
        const uint32_t node = e->stack[--cnt];
        push(e, &cnt, e->g.before[2 * node]);
        push(e, &cnt, e->g.before[2 * node + 1]);
    }
    for (uint32_t i = first(e); i < end(e); i++)
        e->in[i] |= e->mark[e->g.store[i].node];
}

/* Takes out the marked stores, and what is ordered after them. mark: 1: it has a marked store, 2: it comes after one that has. */
static void take_out(struct explorer *e, const uint8_t *store)
{
    memset(e->mark, 0, e->g.nodes);
    for (uint32_t i = first(e); i < end(e); i++)
        if (store[i] != 0) {
            e->in[i] = 0;
            e->mark[e->g.store[i].node] = 1;
        }
    for (uint32_t n = 0; n < e->g.nodes; n++)
        for (uint32_t k = 0; k < 2; k++)
            if (e->g.before[2 * n + k] != NONE && e->mark[e->g.before[2 * n + k]] != 0)
                e->mark[n] |= 2;
    for (uint32_t i = first(e); i < end(e); i++)
        if (e->mark[e->g.store[i].node] >= 2)
            e->in[i] = 0;
}

static void add_one(struct explorer *e, uint32_t store)
{
    uint8_t *one = e->saved;
    memset(one, 0, e->g.stores);
    one[store] = 1;
    add_needed(e, one);
}

static void take_one(struct explorer *e, uint32_t store)
{
    uint8_t *one = e->saved;
    memset(one, 0, e->g.stores);
    one[store] = 1;
    take_out(e, one);
}

/* ---- images ---- */

static uint32_t mask_of(uint32_t bytes)
{
    uint32_t mask = 0;
    for (uint32_t b = 0; b < 4; b++)
        mask |= (bytes >> b & 1) != 0 ? 0xffu << 8 * b : 0;
    return mask;
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A digest of what the state's stores leave in memory. Of stores to one word the last one counts. */
static uint64_t image_of(struct explorer *e)
{
    uint64_t digest = mixed(e->launch + 1);
    for (uint32_t i = first(e); i < end(e); i++)
        e->value[e->word[i]] = 0;
    for (uint32_t i = first(e); i < end(e); i++) {
        const struct cowarp_pm_store *x = &e->g.store[i];
        uint64_t *v = &e->value[e->word[i]];
        if (e->in[i] != 0)
            *v = ((uint64_t)x->bytes << 32 | (*v & ~(uint64_t)mask_of(x->bytes))) | (*v & UINT64_C(0xf00000000)) |
                 (x->value & mask_of(x->bytes));
    }
    for (uint32_t i = first(e); i < end(e); i++) {
        const uint64_t v = e->value[e->word[i]];
        digest += mixed(v ^ mixed(e->word[i] + 1)) & (v != 0 ? UINT64_MAX : 0);
        e->value[e->word[i]] = 0; /* counts once */
    }
    return digest | 1;
}

/* Whether the image is new; it is not from now on. */
static bool is_new(struct explorer *e)
{
    const uint64_t digest = image_of(e);
    uint32_t at = (uint32_t)(digest >> 20) & (e->seen_cap - 1);
    for (; e->seen[at] != 0; at = (at + 1) & (e->seen_cap - 1))
        if (e->seen[at] == digest)
            return false;
    e->seen[at] = digest;
    return true;
}

/* The GPU that recovers gets the image of the state. */
static int make_image(struct explorer *e)
{
    struct cowarp_gpu *gpu = e->to->gpu;
    int status = cowarp_reset(gpu);
    if (status == COWARP_OK)
        status = cowarp_pm_crash(gpu, e->from, e->g.persists[e->launch]);
    for (uint32_t i = first(e); status == COWARP_OK && i < end(e); i++)
        for (uint32_t b = 0; e->in[i] != 0 && b < 4; b++) {
            const struct cowarp_pm_store *x = &e->g.store[i];
            const uint32_t bytes = x->bytes == 15 ? 4 : 1;
            if ((x->bytes >> b & 1) != 0 && status == COWARP_OK)
                status = cowarp_write(gpu, x->address + b,
                                      (const uint8_t[]){(uint8_t)(x->value >> 8 * b), (uint8_t)(x->value >> 8), (uint8_t)(x->value >> 16),
                                                        (uint8_t)(x->value >> 24)},
                                      bytes);
            b += bytes - 1;
        }
    return status;
}

/* COWARP_OK: the state recovers. */
static int try_state(struct explorer *e)
{
    const int status = make_image(e);
    return status == COWARP_OK ? crash_recover(e->c, e->to) : status;
}

/* ---- why a state is wrong ---- */

/*
 * The program's own order leaves states that are right: all stores up to one of them. Between such a state and the wrong one there is a way
 * on which one store is added at a time. So halving finds a store whose absence makes the difference, and then, with all before it durable,
 * one whose presence does. Unions and intersections of allowed states are allowed.
 */

/* The wrong state, and all stores before `from`, but none from `to` on; whether it recovers. */
static bool is_right(struct explorer *e, const uint8_t *bad, uint32_t from, uint32_t to)
{
    for (uint32_t i = first(e); i < end(e); i++)
        e->in[i] = (bad[i] != 0 || i < from) && i < to;
    return try_state(e) == COWARP_OK;
}

/* The store that is not durable and ought to be; NONE: the program's own order is wrong as well. */
static uint32_t find_absent(struct explorer *e, const uint8_t *bad)
{
    uint32_t wrong = first(e), right = end(e);
    while (right > wrong && bad[right - 1] == 0)
        right--;
    if (!is_right(e, bad, right, end(e)))
        return NONE;
    while (right - wrong > 1) {
        const uint32_t middle = wrong + (right - wrong) / 2;
        *(is_right(e, bad, middle, end(e)) ? &right : &wrong) = middle;
    }
    return wrong;
}

/* The one that is, and ought not to be without it. */
static uint32_t find_present(struct explorer *e, const uint8_t *bad, uint32_t absent)
{
    uint32_t right = absent, wrong = end(e);
    if (!is_right(e, bad, absent, right))
        return NONE;
    while (wrong - right > 1) {
        const uint32_t middle = right + (wrong - right) / 2;
        *(is_right(e, bad, absent, middle) ? &right : &wrong) = middle;
    }
    return right;
}

/* Has a scope. */
static bool is_scoped(const struct cowarp_pm_order *o)
{
    return strcmp(o->kind, "ofence") != 0 && strcmp(o->kind, "dfence") != 0;
}

/* " (FILE:LINE)" of the source, by .loc; "" when it is not known. */
static const char *source_of(char text[SOURCE], const char *source, uint32_t line)
{
    text[0] = '\0';
    if (source != NULL)
        snprintf(text, SOURCE, " (%s:%u)", source, line);
    return text;
}

static void print_store(const struct explorer *e, uint32_t i, const char *what)
{
    const struct cowarp_pm_store *x = &e->g.store[i];
    char source[SOURCE];
    fprintf(stderr, "cowarp: %s: 0x%x to 0x%" PRIx64 " by core %u warp %u lane %u in cycle %" PRIu64 ", line %u of the PTX%s\n", what,
            x->value, x->address, x->core, x->warp, x->lane, x->cycle, x->line, source_of(source, x->source, x->source_line));
}

/* Also in the program's own order: from which store on. */
static void explain_order(struct explorer *e, const uint8_t *bad)
{
    uint32_t right = first(e), wrong = end(e);
    while (wrong > right && bad[wrong - 1] == 0)
        wrong--;
    if (!is_right(e, bad, right, right) || is_right(e, bad, wrong, wrong))
        return;
    while (wrong - right > 1) {
        const uint32_t middle = right + (wrong - right) / 2;
        *(is_right(e, bad, middle, middle) ? &right : &wrong) = middle;
    }
    print_store(e, wrong - 1, "durable");
    if (e->outer != NULL)
        fprintf(stderr,
                "cowarp: with it and all before it the next recovery is wrong, in whatever order: a recovery has to be repeatable\n");
    else
        fprintf(stderr, "cowarp: with it and all before it the recovery is wrong, in whatever order\n");
}

/* Whether a change in a line (0: in all) orders store a before store b. The graph is as before when it returns. */
static bool would_order(struct explorer *e, enum cowarp_pm_change change, uint32_t line, uint32_t a, uint32_t b)
{
    uint32_t cnt = 0;
    bool ordered = false;
    if (cowarp_pm_graph_if(e->from, change, line, &e->g) == COWARP_OK) {
        uint8_t *mark = calloc(e->g.nodes + 1, 1);
        uint32_t *stack = calloc(e->g.nodes + 1, sizeof *stack);
        struct explorer x = {.g = e->g, .mark = mark, .stack = stack};
        for (uint32_t k = 0; mark != NULL && stack != NULL && k < 2; k++)
            push(&x, &cnt, e->g.before[2 * e->g.store[b].node + k]);
        while (cnt > 0) {
            const uint32_t node = stack[--cnt];
            push(&x, &cnt, e->g.before[2 * node]);
            push(&x, &cnt, e->g.before[2 * node + 1]);
        }
        ordered = mark != NULL && mark[e->g.store[a].node] != 0;
        free(mark);
        free(stack);
    }
    cowarp_pm_graph_if(e->from, e->without != 0 ? COWARP_PM_WITHOUT : COWARP_PM_SAME, e->without, &e->g);
    return ordered;
}

/* Whether a scope is too narrow: then says which. */
static bool explain_scope(struct explorer *e, uint32_t a, uint32_t b)
{
    struct cowarp_pm_order o;
    char source[SOURCE];
    if (!would_order(e, COWARP_PM_AS_DEVICE, 0, a, b))
        return false;
    for (uint32_t i = 0; cowarp_pm_order_at(e->from, i, &o); i++)
        if (!o.device && is_scoped(&o) && would_order(e, COWARP_PM_AS_DEVICE, o.line, a, b)) {
            fprintf(stderr,
                    "cowarp: the %s in line %u of the PTX%s is of block scope, which is too narrow: of device scope it would order them\n",
                    o.kind, o.line, source_of(source, o.source, o.source_line));
            return true;
        }
    fprintf(stderr, "cowarp: what would order them is of block scope, which is too narrow, as release and as acquire:");
    for (uint32_t i = 0; cowarp_pm_order_at(e->from, i, &o); i++)
        if (!o.device && is_scoped(&o))
            fprintf(stderr, " %s in line %u%s;", o.kind, o.line, source_of(source, o.source, o.source_line));
    fprintf(stderr, " of device scope they would\n");
    return true;
}

/* Whether an oFence would have to be a dFence: then says which. */
static bool explain_ofence(struct explorer *e, uint32_t a, uint32_t b)
{
    struct cowarp_pm_order o;
    char source[SOURCE];
    for (uint32_t i = 0; cowarp_pm_order_at(e->from, i, &o); i++)
        if (strcmp(o.kind, "ofence") == 0 && would_order(e, COWARP_PM_AS_DFENCE, o.line, a, b)) {
            fprintf(
                stderr,
                "cowarp: the ofence in line %u of the PTX%s orders its own thread alone: a dfence there would order them, since what the "
                "other thread has seen comes after it\n",
                o.line, source_of(source, o.source, o.source_line));
            return true;
        }
    return false;
}

static void explain(struct explorer *e, const uint8_t *bad)
{
    const uint32_t absent = find_absent(e, bad), present = absent != NONE ? find_present(e, bad, absent) : NONE;
    if (present != NONE)
        print_store(e, present, "durable");
    if (absent != NONE)
        print_store(e, absent, "not durable");
    if (absent == NONE)
        explain_order(e, bad);
    if (present == NONE || absent == NONE)
        return;
    const struct cowarp_pm_store a = e->g.store[absent], b = e->g.store[present]; /* the graph may be made again */
    if (a.core == b.core && a.warp == b.warp && a.lane == b.lane && a.launch == b.launch)
        fprintf(stderr, "cowarp: nothing orders them: an ofence of the thread behind line %u and before line %u would\n", a.line, b.line);
    else if (!explain_scope(e, absent, present) && !explain_ofence(e, absent, present))
        fprintf(stderr, "cowarp: nothing orders them: a release behind line %u, and an acquire of it before line %u, would\n", a.line,
                b.line);
}

static uint32_t count(const struct explorer *e)
{
    uint32_t cnt = 0;
    for (uint32_t i = first(e); i < end(e); i++)
        cnt += e->in[i] != 0;
    return cnt;
}

static void tell_wrong(struct explorer *e, int outcome)
{
    char why[700], again[128] = "";
    const struct explorer *o = e->outer != NULL ? e->outer : e;
    crash_why(e->c, e->to, outcome, why, sizeof why);
    if (e->outer != NULL)
        snprintf(again, sizeof again, ", and again in launch %u of the recovery with %u of its %u stores", e->launch, count(e),
                 end(e) - first(e));
    cli_error(CLI_FAILED, "%s: crash in launch %u with %u of its %u stores durable%s, which the model allows: %s", e->c->name, o->launch,
              count(o), end(o) - first(o), again, why);
}

static int wrong(struct explorer *e, int outcome)
{
    uint8_t *bad = malloc(e->g.stores);
    if (cli_interrupted())
        return cli_error(cli_exit_of(COWARP_ELIMIT), "interrupted after %" PRIu64 " states, all right", e->states);
    if (bad == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    memcpy(bad, e->in, e->g.stores);
    tell_wrong(e, outcome);
    explain(e, bad);
    memcpy(e->in, bad, e->g.stores);
    free(bad);
    return make_image(e) == COWARP_OK ? (crash_save(e->c, e->to), CLI_FAILED) : cli_error(CLI_FAILED, "%s", cowarp_error(e->to->gpu));
}

/* ---- which states ---- */

/* Near the store: before or behind it, a few or many. */
static uint32_t near(struct explorer *e, uint32_t store, bool behind)
{
    static const uint32_t widths[] = {1, 8, 64, 512, UINT32_MAX};
    const uint32_t room = behind ? end(e) - 1 - store : store - first(e), width = widths[below(e, 5)];
    const uint32_t step = below(e, (width < room ? width : room) + 1);
    return behind ? store + step : store - step;
}

/* What a few stores need, together. */
static void draw(struct explorer *e)
{
    const uint32_t few = 1 + below(e, 1u << below(e, 8)), cnt = end(e) - first(e);
    uint8_t *one = e->saved;
    clear(e);
    memset(one, 0, e->g.stores);
    for (uint32_t i = 0; i < few; i++)
        one[first(e) + below(e, cnt)] = 1;
    add_needed(e, one);
}

/* The state number `form` around a store. */
static void shape(struct explorer *e, uint32_t store, uint32_t form)
{
    e->launch = launch_of(e, store);
    switch (form) {
    case 0:
        clear(e);
        add_one(e, store);
        break;
    case 1:
        fill(e, end(e));
        take_one(e, store);
        break;
    case 2: {
        const uint32_t last = near(e, store, false);
        fill(e, last);
        add_one(e, store);
        break;
    }
    case 3: {
        const uint32_t last = near(e, store, true);
        fill(e, last);
        take_one(e, store);
        break;
    }
    default:
        draw(e);
        break;
    }
}

/* Goes on to the next state that is new, which is then in e->in; false: there are wanted, or hardly any more. */
static bool next_state(struct explorer *e, uint64_t wanted)
{
    while (e->states < wanted && e->g.stores > 0 && e->old < PATIENCE * e->g.stores) {
        const uint32_t store = e->order[e->turn % e->g.stores];
        /* the first two forms of the first stores come before the others */
        const uint32_t form = e->turn < e->g.stores ? (uint32_t)(below(e, 5)) : 2 + below(e, 3);
        e->turn++;
        shape(e, store, form);
        e->passed++;
        if (!is_new(e)) {
            e->old++;
            continue;
        }
        e->old = 0;
        e->states++;
        e->early += form == 0;
        e->late += form == 1;
        return true;
    }
    return false;
}

/* CLI_OK: no state is wrong. *outcome: else of the wrong one, which is in e->in. */
static int search(struct explorer *e, uint64_t wanted, int *outcome)
{
    *outcome = COWARP_OK;
    while (next_state(e, wanted)) {
        if (e->outer == NULL)
            cli_session_step(&e->c->session, "states", e->states, wanted);
        *outcome = try_state(e);
        if (*outcome != COWARP_OK || cli_interrupted())
            return CLI_FAILED;
    }
    return CLI_OK;
}

/* ---- the explorer ---- */

static int by_line(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* One store of each line, then another one of each, and so on; those of a line at random. */
static bool make_order(struct explorer *e)
{
    const uint32_t cnt = e->g.stores;
    uint64_t *key = malloc((cnt + 1) * sizeof *key);
    uint32_t *times = calloc(cnt + 1, sizeof *times), lines = 0;
    uint32_t *line = malloc((cnt + 1) * sizeof *line), *which = malloc((cnt + 1) * sizeof *which);
    const bool ok = key != NULL && times != NULL && line != NULL && which != NULL;
    for (uint32_t i = 0; ok && i < cnt; i++)
        which[i] = i;
    for (uint32_t i = cnt; ok && i > 1; i--) {
        const uint32_t k = below(e, i), swap = which[i - 1];
        which[i - 1] = which[k];
        which[k] = swap;
    }
    for (uint32_t i = 0; ok && i < cnt; i++) {
        uint32_t l = 0;
        while (l < lines && line[l] != e->g.store[which[i]].line)
            l++;
        if (l == lines)
            line[lines++] = e->g.store[which[i]].line;
        key[i] = (uint64_t)times[l]++ << 32 | which[i];
    }
    if (ok)
        qsort(key, cnt, sizeof *key, by_line);
    for (uint32_t i = 0; ok && i < cnt; i++)
        e->order[i] = (uint32_t)key[i];
    free(key);
    free(times);
    free(line);
    free(which);
    return ok;
}

/* Words get numbers. */
static bool number_words(struct explorer *e)
{
    const uint32_t cnt = e->g.stores;
    uint32_t cap = 16, words = 0;
    while (cap < 2 * cnt)
        cap *= 2;
    uint32_t *slot = calloc(cap, sizeof *slot);
    for (uint32_t i = 0; slot != NULL && i < cnt; i++) {
        uint32_t at = (uint32_t)mixed(e->g.store[i].address) & (cap - 1);
        while (slot[at] != 0 && e->g.store[slot[at] - 1].address != e->g.store[i].address)
            at = (at + 1) & (cap - 1);
        if (slot[at] == 0)
            slot[at] = i + 1;
        e->word[i] = slot[at] - 1 == i ? words++ : e->word[slot[at] - 1];
    }
    free(slot);
    return slot != NULL;
}

static void release(struct explorer *e)
{
    free(e->begin);
    free(e->order);
    free(e->word);
    free(e->value);
    free(e->in);
    free(e->saved);
    free(e->mark);
    free(e->stack);
    free(e->seen);
}

/* Room for the graph e->g. */
static int make_room(struct explorer *e, uint64_t wanted)
{
    const uint32_t cnt = e->g.stores + 1;
    e->seen_cap = 256;
    while (e->seen_cap < 4 * wanted && e->seen_cap < 1u << 30)
        e->seen_cap *= 2;
    e->begin = calloc(e->g.launches + 2, sizeof *e->begin);
    e->order = calloc(cnt, sizeof *e->order);
    e->word = calloc(cnt, sizeof *e->word);
    e->value = calloc(cnt, sizeof *e->value);
    e->in = calloc(cnt, 1);
    e->saved = calloc(cnt, 1);
    e->mark = calloc(e->g.nodes + 1, 1);
    e->stack = calloc(e->g.nodes + 1, sizeof *e->stack);
    e->seen = calloc(e->seen_cap, sizeof *e->seen);
    const bool ok = e->begin != NULL && e->order != NULL && e->word != NULL && e->value != NULL && e->in != NULL && e->saved != NULL &&
                    e->mark != NULL && e->stack != NULL && e->seen != NULL;
    for (uint32_t i = 0; ok && i < e->g.stores; i++)
        e->begin[launch_of(e, i) + 1] = i + 1;
    for (uint32_t l = 1; ok && l <= e->g.launches; l++)
        e->begin[l] = e->begin[l] > e->begin[l - 1] ? e->begin[l] : e->begin[l - 1];
    return ok && number_words(e) && make_order(e) ? CLI_OK : cli_error(CLI_FAILED, "out of memory");
}

static int prepare(struct explorer *e, struct crash *c, enum cowarp_pm_change change, uint32_t line)
{
    *e = (struct explorer){.c = c, .from = c->session.gpu, .to = &c->first, .random = c->session.options.seed};
    e->without = change == COWARP_PM_WITHOUT ? line : 0;
    if (cowarp_pm_graph_if(e->from, change, line, &e->g) != COWARP_OK)
        return cli_error(CLI_FAILED, "%s", cowarp_error(e->from));
    return make_room(e, c->wanted);
}

/* ---- failures in a recovery ---- */

/* All that the recovery has stored is durable, and the power fails before anybody hears of it. */
static int fail_at_the_end(struct explorer *e)
{
    e->launch = launch_of(e, e->g.stores - 1);
    fill(e, end(e));
    is_new(e);
    e->states++;
    return try_state(e);
}

/* The recovery that has been right has its own stores, and fails in states that these allow. CLI_OK: the next recoveries are right. */
static int fail_again(struct explorer *outer)
{
    struct explorer e = {.c = outer->c, .from = outer->to->gpu, .to = &outer->c->second, .outer = outer, .random = outer->random};
    int outcome = COWARP_OK, status = CLI_OK;
    if (cowarp_pm_graph(e.from, 0, &e.g) != COWARP_OK)
        return outer->told = cli_error(CLI_FAILED, "%s", cowarp_error(e.from));
    if (e.g.stores == 0)
        return CLI_OK;
    status = make_room(&e, SECOND);
    if (status == CLI_OK && (outcome = fail_at_the_end(&e)) == COWARP_OK)
        search(&e, SECOND, &outcome);
    if (outcome != COWARP_OK && !cli_interrupted())
        status = outer->c->jobs.worker ? CLI_FAILED : wrong(&e, outcome);
    outer->told = status;
    outer->second += e.states;
    release(&e);
    return cli_interrupted() ? CLI_FAILED : status;
}

/* The state of that number; those between it and the last one are passed over: other processes have them. */
static int try_number(void *context, uint64_t i, void *result)
{
    struct explorer *e = context;
    struct crash_result *r = result;
    const uint64_t before = e->second;
    while (e->states <= i)
        if (!next_state(e, e->c->wanted))
            return CLI_JOBS_END;
    const int outcome = try_state(e);
    int status = outcome == COWARP_OK && !cli_interrupted() ? CLI_OK : CLI_FAILED;
    if (status == CLI_OK && e->c->twice)
        status = fail_again(e);
    r->cycles = e->c->last;
    r->second = e->second - before;
    if (status == CLI_OK || e->c->jobs.worker)
        return status;
    return e->told != CLI_OK ? e->told : wrong(e, outcome);
}

int crash_explore(struct crash *c)
{
    const char *line = cli_value(c->p, "without", "0");
    uint32_t without;
    struct explorer e;
    if (!cli_u32(line, &without))
        return cli_error(CLI_WRONG, "--without '%s': expected a line of the PTX", line);
    int status = prepare(&e, c, without != 0 ? COWARP_PM_WITHOUT : COWARP_PM_SAME, without);
    if (status == CLI_OK)
        status = crash_points(c, try_number, &e, "states", c->wanted);
    while (status == CLI_OK && next_state(&e, c->wanted)) /* which others have tried */
        ;
    if (status == CLI_OK && !c->session.quiet)
        printf("  crash states  %" PRIu64 " that the model allows, all recovered and right; of %u stores %" PRIu64 " as early and %" PRIu64
               " as late as they may be; %" PRIu64 " images had been tried\n",
               e.states, e.g.stores, e.early, e.late, e.passed - e.states);
    if (status == CLI_OK && c->twice && !c->session.quiet)
        printf("  second        %" PRIu64 " failures in these recoveries, all recovered and right\n", c->failures);
    release(&e);
    return status;
}

/* Whether the recovery needs the operation in that line as it is: the states in which it was changed, and what has come of them. */
static int judge_change(struct crash *c, enum cowarp_pm_change change, uint32_t line, bool *needed, uint64_t *states)
{
    struct explorer e;
    int outcome, status = prepare(&e, c, change, line);
    *needed = status == CLI_OK && search(&e, c->wanted, &outcome) != CLI_OK;
    *states = e.states;
    release(&e);
    return cli_interrupted() ? cli_error(cli_exit_of(COWARP_ELIMIT), "interrupted") : status;
}

/* A dFence orders as an oFence does, and more. */
static bool is_dfence(const struct cowarp_pm_order *o)
{
    return strcmp(o->kind, "dfence") == 0 || (strcmp(o->kind, "fence") == 0 && o->device);
}

int crash_operations(struct crash *c)
{
    struct cowarp_pm_order o;
    char source[SOURCE];
    int status = crash_explore(c); /* of a program that is wrong with all of them nothing can be said */
    for (uint32_t i = 0; status == CLI_OK && cowarp_pm_order_at(c->session.gpu, i, &o); i++) {
        bool needed, as_dfence = false;
        uint64_t states, more;
        status = judge_change(c, COWARP_PM_WITHOUT, o.line, &needed, &states);
        if (status == CLI_OK && needed && is_dfence(&o))
            status = judge_change(c, COWARP_PM_AS_OFENCE, o.line, &as_dfence, &more);
        if (status == CLI_OK)
            printf("  line %-6u    %s%s, %" PRIu64 " times: %s after %" PRIu64 " states%s%s\n", o.line, o.kind,
                   !is_scoped(&o) ? ""
                   : o.device     ? " of device scope"
                                  : " of block scope",
                   o.times, needed ? "needed" : "nothing needs it", states,
                   !needed || !is_dfence(&o) ? ""
                   : as_dfence               ? "; an ofence would not do"
                                             : "; an ofence would do",
                   source_of(source, o.source, o.source_line));
        fflush(stdout);
    }
    return status;
}
