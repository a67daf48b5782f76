/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/snapshot/center/exact.h"

#include <stdlib.h>
#include <string.h>

#define NONE   UINT32_MAX
#define NOBODY UINT64_MAX /* a thread's number */

/* Numbers of attempts, or of words, a bit each; as long as it has to be. */
struct set {
    uint64_t *bits;
    uint32_t words;
};

enum state { FREE, RUNNING, LOST, SEALED, COMMITTED };

struct attempt {
    enum state state;
    cw_time begin, committed;
    uint64_t thread;
    bool wrote;
    struct set before, behind;          /* attempts from which, and to which, an edge leads */
    struct set read_write, write_write; /* those that it is a pair of that kind with */
    uint32_t before_cnt;
    uint32_t *word; /* that it has read or written, some of them twice */
    uint32_t word_cnt, word_cap;
};

struct word {
    uint64_t addr;
    struct set readers, writers;
};

struct cw_si_exact {
    struct attempt *attempt;
    uint32_t attempt_cnt, attempt_cap, known;
    uint32_t *kept, kept_cnt, kept_cap;      /* committed ones */
    uint32_t *stack;                         /* attempt_cap */
    struct set begins, seen, before, behind; /* of one access */
    struct word *word;
    uint32_t word_cnt, word_cap;
    uint32_t *place, places; /* hash of addresses: number of a word + 1; 0: none. A power of two, at least twice the words. */
    bool changed;            /* since the last pruning, */
    cw_time oldest, next;    /* of which the oldest was this, and which time alone makes another one necessary at `next` */
    struct cw_si_exact_pairs pairs;
    bool failed;
};

/* Sets */

static bool has(const struct set *s, uint32_t i)
{
    return i / 64 < s->words && (s->bits[i / 64] >> i % 64 & 1) != 0;
}

static void put(struct cw_si_exact *x, struct set *s, uint32_t i)
{
    if (i / 64 >= s->words) {
        const uint32_t words = i / 64 + 1;
        uint64_t *bits = realloc(s->bits, words * sizeof *bits);
        if (bits == NULL) {
            x->failed = true;
            return;
        }
        memset(bits + s->words, 0, (words - s->words) * sizeof *bits);
        s->bits = bits;
        s->words = words;
    }
    s->bits[i / 64] |= UINT64_C(1) << i % 64;
}

static void take_out(struct set *s, uint32_t i)
{
    if (i / 64 < s->words)
        s->bits[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static void clear(struct set *s)
{
    if (s->words > 0)
        memset(s->bits, 0, s->words * sizeof *s->bits);
}

static uint32_t count_both(const struct set *a, const struct set *b)
{
    uint32_t cnt = 0;
    for (uint32_t w = 0; w < a->words && w < b->words; w++)
        cnt += (uint32_t)__builtin_popcountll(a->bits[w] & b->bits[w]);
    return cnt;
}

/* The first member from i on; NONE: there is none. */
static uint32_t next_of(const struct set *s, uint32_t i)
{
    for (uint32_t w = i / 64; w < s->words; w++) {
        const uint64_t rest = w == i / 64 ? s->bits[w] >> i % 64 << i % 64 : s->bits[w];
        if (rest != 0)
            return 64 * w + (uint32_t)__builtin_ctzll(rest);
    }
    return NONE;
}

/* The array with room for one more entry, its own new places all zero; NULL: no host memory, and nothing has changed. */
static void *grown(struct cw_si_exact *x, void *array, uint32_t *cap, uint32_t cnt, size_t bytes)
{
    if (cnt < *cap)
        return array;
    const uint32_t more = *cap == 0 ? 64 : 2 * *cap;
    void *larger = realloc(array, more * bytes);
    if (larger == NULL) {
        x->failed = true;
        return NULL;
    }
    memset((char *)larger + *cap * bytes, 0, (more - *cap) * bytes);
    *cap = more;
    return larger;
}

/* Words */

static uint32_t hash(const struct cw_si_exact *x, uint64_t addr)
{
    return (uint32_t)((addr >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (x->places - 1);
}

static void enter(struct cw_si_exact *x, uint32_t number)
{
    uint32_t at = hash(x, x->word[number].addr);
    while (x->place[at] != 0)
        at = (at + 1) & (x->places - 1);
    x->place[at] = number + 1;
}

/* Twice the places. */
static bool grow_places(struct cw_si_exact *x)
{
    const uint32_t places = x->places == 0 ? 1024 : 2 * x->places;
    uint32_t *place = calloc(places, sizeof *place);
    if (place == NULL) {
        x->failed = true;
        return false;
    }
    free(x->place);
    x->place = place;
    x->places = places;
    for (uint32_t i = 0; i < x->word_cnt; i++)
        enter(x, i);
    return true;
}

/* NONE: no host memory. */
static uint32_t number_of(struct cw_si_exact *x, uint64_t addr)
{
    for (uint32_t at = x->places == 0 ? 0 : hash(x, addr); x->places != 0 && x->place[at] != 0; at = (at + 1) & (x->places - 1))
        if (x->word[x->place[at] - 1].addr == addr)
            return x->place[at] - 1;
    if (2 * x->word_cnt >= x->places && !grow_places(x))
        return NONE;
    struct word *word = grown(x, x->word, &x->word_cap, x->word_cnt, sizeof *word);
    if (word == NULL)
        return NONE;
    x->word = word;
    word[x->word_cnt].addr = addr;
    enter(x, x->word_cnt);
    return x->word_cnt++;
}

/* Edges */

/* x->seen: all attempts from which paths lead to one of x->begins (back), or to which they lead from one; with x->begins. */
static void reach(struct cw_si_exact *x, bool back)
{
    uint32_t cnt = 0;
    clear(&x->seen);
    for (uint32_t i = next_of(&x->begins, 0); i != NONE; i = next_of(&x->begins, i + 1)) {
        put(x, &x->seen, i);
        x->stack[cnt++] = i;
    }
    while (cnt > 0) {
        const struct attempt *a = x->attempt + x->stack[--cnt];
        const struct set *next = back ? &a->before : &a->behind;
        for (uint32_t w = 0; w < next->words; w++) {
            uint64_t fresh = next->bits[w] & ~(w < x->seen.words ? x->seen.bits[w] : 0);
            for (; fresh != 0; fresh &= fresh - 1) {
                const uint32_t i = 64 * w + (uint32_t)__builtin_ctzll(fresh);
                put(x, &x->seen, i);
                x->stack[cnt++] = i;
            }
        }
    }
}

/* How many of the new edges, from x->before and to x->behind, would close a circle through the attempt. */
static uint32_t loops_of(struct cw_si_exact *x, uint32_t attempt)
{
    uint32_t loops = 0;
    clear(&x->begins);
    put(x, &x->begins, attempt);
    if (next_of(&x->before, 0) != NONE) {
        reach(x, false);
        loops += count_both(&x->seen, &x->before);
    }
    if (next_of(&x->behind, 0) != NONE) {
        for (uint32_t i = next_of(&x->before, 0); i != NONE; i = next_of(&x->before, i + 1))
            put(x, &x->begins, i);
        reach(x, true);
        loops += count_both(&x->seen, &x->behind);
    }
    return loops;
}

static void connect(struct cw_si_exact *x, uint32_t from, uint32_t to)
{
    put(x, &x->attempt[from].behind, to);
    put(x, &x->attempt[to].before, from);
    x->attempt[to].before_cnt++;
}

/* The attempt leaves words and edges. */
static void forget(struct cw_si_exact *x, uint32_t attempt)
{
    struct attempt *a = x->attempt + attempt;
    for (uint32_t i = next_of(&a->before, 0); i != NONE; i = next_of(&a->before, i + 1))
        take_out(&x->attempt[i].behind, attempt);
    for (uint32_t i = next_of(&a->behind, 0); i != NONE; i = next_of(&a->behind, i + 1)) {
        take_out(&x->attempt[i].before, attempt);
        x->attempt[i].before_cnt--;
    }
    clear(&a->before);
    clear(&a->behind);
    a->before_cnt = 0;
    for (uint32_t i = 0; i < a->word_cnt; i++) {
        take_out(&x->word[a->word[i]].readers, attempt);
        take_out(&x->word[a->word[i]].writers, attempt);
    }
    a->word_cnt = 0;
    x->changed = true;
}

/* It is a pair with nobody any more: its number may stand for another one. */
static void part(struct cw_si_exact *x, uint32_t attempt)
{
    struct attempt *a = x->attempt + attempt;
    for (uint32_t i = next_of(&a->read_write, 0); i != NONE; i = next_of(&a->read_write, i + 1))
        take_out(&x->attempt[i].read_write, attempt);
    for (uint32_t i = next_of(&a->write_write, 0); i != NONE; i = next_of(&a->write_write, i + 1))
        take_out(&x->attempt[i].write_write, attempt);
    clear(&a->read_write);
    clear(&a->write_write);
}

static void lose(struct cw_si_exact *x, uint32_t attempt)
{
    forget(x, attempt);
    x->attempt[attempt].state = LOST;
}

/* What it is part of */

/* Whether the writer's version is one that the attempt sees. */
static bool is_seen(const struct attempt *writer, const struct attempt *a)
{
    return writer->state == COMMITTED && writer->committed <= a->begin;
}

/* Whether a writer of the word has been sealed, or has committed, since the attempt began. */
static bool is_ahead(const struct cw_si_exact *x, const struct word *w, uint32_t attempt)
{
    for (uint32_t i = next_of(&w->writers, 0); i != NONE; i = next_of(&w->writers, i + 1)) {
        const struct attempt *other = x->attempt + i;
        if (i != attempt && other->state != RUNNING && !is_seen(other, x->attempt + attempt))
            return true;
    }
    return false;
}

/* x->before and x->behind: the edges of an access that are not there yet. */
static void find_edges(struct cw_si_exact *x, const struct word *w, uint32_t attempt, bool writes)
{
    const struct attempt *a = x->attempt + attempt;
    clear(&x->before);
    clear(&x->behind);
    for (uint32_t i = next_of(&w->writers, 0); i != NONE; i = next_of(&w->writers, i + 1)) {
        if (i == attempt)
            continue;
        if (is_seen(x->attempt + i, a) && !has(&a->before, i))
            put(x, &x->before, i);
        else if (!is_seen(x->attempt + i, a) && !writes && !has(&a->behind, i))
            put(x, &x->behind, i);
    }
    for (uint32_t k = 0; writes && k < w->readers.words; k++) {
        uint64_t rest = w->readers.bits[k] & ~(k < a->before.words ? a->before.bits[k] : 0);
        for (; rest != 0; rest &= rest - 1) {
            const uint32_t i = 64 * k + (uint32_t)__builtin_ctzll(rest);
            if (i != attempt)
                put(x, &x->before, i);
        }
    }
}

static void pair(struct cw_si_exact *x, uint32_t a, uint32_t b, bool both_write)
{
    struct set *mine = both_write ? &x->attempt[a].write_write : &x->attempt[a].read_write;
    if (has(mine, b))
        return;
    put(x, mine, b);
    put(x, both_write ? &x->attempt[b].write_write : &x->attempt[b].read_write, a);
    x->pairs.write_write += both_write;
    x->pairs.read_write += !both_write;
    x->pairs.both += has(both_write ? &x->attempt[a].read_write : &x->attempt[a].write_write, b);
}

/* The attempts beside it that it meets at the word. */
static void find_pairs(struct cw_si_exact *x, const struct word *w, uint32_t attempt, bool writes)
{
    const struct attempt *a = x->attempt + attempt;
    for (uint32_t i = next_of(&w->writers, 0); i != NONE; i = next_of(&w->writers, i + 1))
        if (i != attempt && !is_seen(x->attempt + i, a))
            pair(x, attempt, i, writes);
    for (uint32_t i = writes ? next_of(&w->readers, 0) : NONE; i != NONE; i = next_of(&w->readers, i + 1))
        if (i != attempt && !is_seen(x->attempt + i, a))
            pair(x, attempt, i, false);
}

static void note_word(struct cw_si_exact *x, uint32_t attempt, uint32_t number, bool writes)
{
    struct attempt *a = x->attempt + attempt;
    struct word *w = x->word + number;
    uint32_t *word = grown(x, a->word, &a->word_cap, a->word_cnt, sizeof *word);
    if (word == NULL)
        return;
    a->word = word;
    word[a->word_cnt++] = number;
    a->wrote |= writes;
    put(x, writes ? &w->writers : &w->readers, attempt);
}

enum cw_si_exact_answer cw_si_exact_access(struct cw_si_exact *x, uint32_t attempt, uint64_t word, bool writes, uint64_t *edges,
                                           uint64_t *loops)
{
    const uint32_t number = x->attempt[attempt].state == RUNNING ? number_of(x, word) : NONE;
    if (number == NONE)
        return CW_SI_EXACT_FINE;
    const struct word *w = x->word + number;
    if (!has(writes ? &w->writers : &w->readers, attempt))
        find_pairs(x, w, attempt, writes);
    if (writes && is_ahead(x, w, attempt)) {
        lose(x, attempt);
        return CW_SI_EXACT_WRITE_WRITE;
    }
    find_edges(x, w, attempt, writes);
    const uint32_t circles = loops_of(x, attempt);
    *edges += count_both(&x->before, &x->before) + count_both(&x->behind, &x->behind);
    *loops += circles;
    if (circles > 0) {
        lose(x, attempt);
        return CW_SI_EXACT_LOOP;
    }
    for (uint32_t i = next_of(&x->before, 0); i != NONE; i = next_of(&x->before, i + 1))
        connect(x, i, attempt);
    for (uint32_t i = next_of(&x->behind, 0); i != NONE; i = next_of(&x->behind, i + 1))
        connect(x, attempt, i);
    if (!has(writes ? &w->writers : &w->readers, attempt))
        note_word(x, attempt, number, writes);
    return CW_SI_EXACT_FINE;
}

/* The life of an attempt */

uint32_t cw_si_exact_begin(struct cw_si_exact *x, cw_time begin)
{
    uint32_t i = 0, cap = x->attempt_cap;
    while (i < x->attempt_cnt && x->attempt[i].state != FREE)
        i++;
    uint32_t *stack = grown(x, x->stack, &cap, i, sizeof *stack);
    struct attempt *attempt = stack == NULL ? NULL : grown(x, x->attempt, &x->attempt_cap, i, sizeof *attempt);
    x->stack = stack == NULL ? x->stack : stack;
    if (attempt == NULL)
        return 0;
    x->attempt = attempt;
    x->attempt_cnt += i == x->attempt_cnt;
    attempt[i].state = RUNNING;
    attempt[i].begin = begin;
    attempt[i].thread = NOBODY;
    attempt[i].wrote = false;
    x->known++;
    for (uint32_t k = 0; k < x->attempt_cnt; k++)
        x->pairs.all += k != i && attempt[k].state != FREE && attempt[k].state != LOST && !is_seen(attempt + k, attempt + i);
    return i;
}

void cw_si_exact_order(struct cw_si_exact *x, uint32_t attempt, uint64_t thread, cw_time writers, cw_time readers)
{
    x->attempt[attempt].thread = thread;
    for (uint32_t k = 0; k < x->kept_cnt; k++) {
        const struct attempt *a = x->attempt + x->kept[k];
        if (a->thread == thread || a->committed <= (a->wrote ? writers : readers))
            connect(x, x->kept[k], attempt);
    }
}

bool cw_si_exact_seal(struct cw_si_exact *x, uint32_t attempt)
{
    struct attempt *a = x->attempt + attempt;
    if (a->state != RUNNING)
        return a->state == SEALED;
    for (uint32_t i = 0; i < a->word_cnt; i++) {
        const struct word *w = x->word + a->word[i];
        if (has(&w->writers, attempt) && is_ahead(x, w, attempt)) {
            lose(x, attempt);
            return false;
        }
    }
    a->state = SEALED;
    return true;
}

void cw_si_exact_commit(struct cw_si_exact *x, uint32_t attempt, cw_time time)
{
    struct attempt *a = x->attempt + attempt;
    a->state = COMMITTED;
    a->committed = time;
    x->changed = true;
    uint32_t *kept = grown(x, x->kept, &x->kept_cap, x->kept_cnt, sizeof *kept);
    if (kept == NULL)
        return;
    x->kept = kept;
    kept[x->kept_cnt++] = attempt;
}

void cw_si_exact_abort(struct cw_si_exact *x, uint32_t attempt)
{
    forget(x, attempt);
    part(x, attempt);
    x->attempt[attempt].state = FREE;
    x->known--;
}

void cw_si_exact_prune(struct cw_si_exact *x, cw_time oldest, cw_time now)
{
    if (!x->changed && oldest == x->oldest && now < x->next)
        return;
    x->oldest = oldest;
    x->changed = true;
    while (x->changed) { /* who goes may have been what another one waited for */
        uint32_t cnt = 0;
        x->changed = false;
        x->next = CW_TIME_NEVER;
        for (uint32_t k = 0; k < x->kept_cnt; k++) {
            const struct attempt *a = x->attempt + x->kept[k];
            if (a->committed > now)
                x->next = cw_time_min(x->next, a->committed);
            if (a->before_cnt > 0 || a->committed > now || a->committed > oldest)
                x->kept[cnt++] = x->kept[k];
            else
                cw_si_exact_abort(x, x->kept[k]);
        }
        x->kept_cnt = cnt;
    }
}

const struct cw_si_exact_pairs *cw_si_exact_pairs(const struct cw_si_exact *x)
{
    return &x->pairs;
}

uint32_t cw_si_exact_known(const struct cw_si_exact *x)
{
    return x->known;
}

/* Creation */

struct cw_si_exact *cw_si_exact_create(void)
{
    return calloc(1, sizeof(struct cw_si_exact));
}

bool cw_si_exact_failed(const struct cw_si_exact *x)
{
    return x->failed;
}

void cw_si_exact_destroy(struct cw_si_exact *x)
{
    if (x == NULL)
        return;
    for (uint32_t i = 0; i < x->attempt_cap; i++) {
        free(x->attempt[i].before.bits);
        free(x->attempt[i].behind.bits);
        free(x->attempt[i].read_write.bits);
        free(x->attempt[i].write_write.bits);
        free(x->attempt[i].word);
    }
    for (uint32_t i = 0; i < x->word_cnt; i++) {
        free(x->word[i].readers.bits);
        free(x->word[i].writers.bits);
    }
    free(x->attempt);
    free(x->kept);
    free(x->stack);
    free(x->begins.bits);
    free(x->seen.bits);
    free(x->before.bits);
    free(x->behind.bits);
    free(x->word);
    free(x->place);
    free(x);
}

/* State */

static void set_state(struct cw_state *s, struct set *set)
{
    uint32_t cnt = set->words;
    CW_STATE_GROWN(s, cnt, set->bits, set->words);
    set->words = cnt;
    cw_state_array(s, "bits", set->bits, cnt, sizeof *set->bits);
}

static void attempt_state(struct cw_state *s, struct attempt *a)
{
    CW_STATE(s, a->state);
    CW_STATE(s, a->begin);
    CW_STATE(s, a->committed);
    CW_STATE(s, a->thread);
    CW_STATE(s, a->wrote);
    set_state(s, &a->before);
    set_state(s, &a->behind);
    set_state(s, &a->read_write);
    set_state(s, &a->write_write);
    CW_STATE(s, a->before_cnt);
    CW_STATE_GROWN(s, a->word_cnt, a->word, a->word_cap);
    cw_state_array(s, "word", a->word, a->word_cnt, sizeof *a->word);
}

/* As many attempts and words as were saved, all zero where they are new, and places for the words. */
static void make_room(struct cw_state *s, struct cw_si_exact *x, uint32_t attempts, uint32_t words)
{
    while (x->attempt_cap < attempts && !x->failed) {
        uint32_t cap = x->attempt_cap;
        uint32_t *stack = grown(x, x->stack, &cap, x->attempt_cap, sizeof *stack);
        x->stack = stack != NULL ? stack : x->stack;
        struct attempt *attempt = stack != NULL ? grown(x, x->attempt, &x->attempt_cap, x->attempt_cap, sizeof *attempt) : NULL;
        x->attempt = attempt != NULL ? attempt : x->attempt;
    }
    while (x->word_cap < words && !x->failed) {
        struct word *word = grown(x, x->word, &x->word_cap, x->word_cap, sizeof *word);
        x->word = word != NULL ? word : x->word;
    }
    if (x->failed)
        cw_state_fail(s, CW_ENOMEM, "out of host memory");
}

static void places_state(struct cw_state *s, struct cw_si_exact *x)
{
    uint32_t places = x->places;
    cw_state_count(s, "places", &places, UINT32_C(1) << 28);
    if (cw_state_loads(s))
        x->word_cnt = 0; /* They are entered when they are there. */
    while (cw_state_loads(s) && s->status == CW_OK && x->places < places)
        if (!grow_places(x))
            cw_state_fail(s, CW_ENOMEM, "out of host memory");
}

static void words_state(struct cw_state *s, struct cw_si_exact *x)
{
    for (uint32_t i = 0; i < x->word_cnt; i++) {
        CW_STATE(s, x->word[i].addr);
        set_state(s, &x->word[i].readers);
        set_state(s, &x->word[i].writers);
        if (cw_state_loads(s) && s->status == CW_OK)
            enter(x, i);
    }
}

void cw_si_exact_state(struct cw_state *s, struct cw_si_exact *x)
{
    uint32_t attempts = x->attempt_cnt, words = x->word_cnt;
    cw_state_count(s, "attempts", &attempts, UINT32_C(1) << 24);
    cw_state_count(s, "words", &words, UINT32_C(1) << 28);
    if (cw_state_loads(s))
        make_room(s, x, attempts, words);
    places_state(s, x);
    if (s->status == CW_OK && 2 * (uint64_t)words > (uint64_t)x->places + 1)
        cw_state_fail(s, CW_EINVAL, "%u words in %u places", words, x->places);
    if (s->status != CW_OK)
        return;
    x->attempt_cnt = attempts;
    x->word_cnt = words;
    for (uint32_t i = 0; i < attempts; i++)
        attempt_state(s, &x->attempt[i]);
    words_state(s, x);
    CW_STATE_GROWN(s, x->kept_cnt, x->kept, x->kept_cap);
    cw_state_array(s, "kept", x->kept, x->kept_cnt, sizeof *x->kept);
    CW_STATE(s, x->known);
    CW_STATE(s, x->changed);
    CW_STATE(s, x->oldest);
    CW_STATE(s, x->next);
    CW_STATE(s, x->pairs.all);
    CW_STATE(s, x->pairs.read_write);
    CW_STATE(s, x->pairs.write_write);
    CW_STATE(s, x->pairs.both);
}
