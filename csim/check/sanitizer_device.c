/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Races in device memory. A shadow word stands for each word of four bytes that a launch touches, as in HiRace (SC 2024), with its last
 * plain store, its last strong store since then, and two loads, each with the bytes that it took. Stores of several threads to bytes of one word
 * leave the last one's trace only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/sanitizer_private.h"

#define PAGE_WORDS 1024u
#define PAGES      1024u /* of a chunk, 4 MiB */

/* An access to bytes of a word. */
struct trace {
    uint32_t block; /* number in the grid */
    uint32_t at, line;
    uint32_t lock; /* that the warp held; 0: none */
    uint16_t thread;
    uint8_t bytes;         /* a bit for each; 0: there was no access */
    uint8_t strong : 1;    /* an atomic, or of an order that PTX names */
    uint8_t gpu : 1;       /* then: of GPU scope or wider */
    uint8_t told : 1;      /* volatile */
    uint8_t announces : 1; /* a volatile store right behind a fence */
    uint8_t stores : 1;
    uint8_t fence : 2; /* between taking the lock and the access: struct cw_race_warp.lock_fence */
};

/* What a launch has done to a word that the running one is not ordered with. */
struct earlier {
    uint32_t launch; /* 0: there is none */
    uint32_t line, value;
    uint8_t loads, stores; /* bytes */
    bool is_strong;
};

struct shadow {
    uint32_t launch; /* what others have left has happened before, but for: */
    struct earlier earlier;
    uint32_t value; /* of the plain store */
    struct trace plain, strong, load[2];
};

struct cw_race_chunk {
    struct shadow *page[PAGES];
};

static bool is_apart(const struct cw_sanitizer *s, uint32_t launch)
{
    return launch != 0 && s->has_streams && s->past[launch].number > s->before[s->past[launch].stream];
}

/* The first access to the word in a launch. */
static struct earlier what_was(const struct cw_sanitizer *s, const struct shadow *w)
{
    const struct trace *store = w->plain.bytes != 0 ? &w->plain : &w->strong;
    struct earlier e = {.launch = w->launch, .value = w->value, .line = store->bytes != 0 ? store->line : w->load[0].line};
    e.stores = w->plain.bytes | w->strong.bytes;
    e.loads = w->load[0].bytes | w->load[1].bytes;
    e.is_strong = w->plain.bytes == 0 && (w->load[0].bytes == 0 || w->load[0].strong) && (w->load[1].bytes == 0 || w->load[1].strong);
    if (is_apart(s, w->launch))
        return e;
    return is_apart(s, w->earlier.launch) ? w->earlier : (struct earlier){.launch = 0};
}

static struct shadow *shadow_of(struct cw_sanitizer *s, uint64_t addr)
{
    const uint64_t page = (addr - CW_GLOBAL_BASE) / 4 / PAGE_WORDS;
    if (page / PAGES >= CW_RACE_CHUNKS)
        return NULL;
    struct cw_race_chunk **chunk = &s->chunk[page / PAGES];
    if (*chunk == NULL && (*chunk = calloc(1, sizeof **chunk)) == NULL)
        return NULL;
    struct shadow **words = &(*chunk)->page[page % PAGES];
    if (*words == NULL && (*words = calloc(PAGE_WORDS, sizeof **words)) == NULL)
        return NULL;
    s->last_page = page + 1;
    s->last_words = *words;
    struct shadow *w = &(*words)[addr / 4 % PAGE_WORDS];
    if (w->launch != s->launches)
        *w = (struct shadow){.launch = s->launches, .earlier = what_was(s, w)};
    return w;
}

void cw_race__forget(struct cw_sanitizer *s, uint64_t addr, uint64_t bytes)
{
    const uint64_t first = (addr - CW_GLOBAL_BASE) / 4, end = first + (bytes + 3) / 4;
    for (uint64_t word = first, next; word < end; word = next) {
        const uint64_t page = word / PAGE_WORDS;
        next = (page + 1) * PAGE_WORDS < end ? (page + 1) * PAGE_WORDS : end;
        const struct cw_race_chunk *chunk = page / PAGES < CW_RACE_CHUNKS ? s->chunk[page / PAGES] : NULL;
        struct shadow *words = chunk != NULL ? chunk->page[page % PAGES] : NULL;
        if (words != NULL)
            memset(words + word % PAGE_WORDS, 0, (next - word) * sizeof *words);
    }
}

void cw_race__free_shadow(struct cw_sanitizer *s)
{
    for (uint32_t i = 0; s->chunk != NULL && i < CW_RACE_CHUNKS; i++) {
        for (uint32_t k = 0; s->chunk[i] != NULL && k < PAGES; k++)
            free(s->chunk[i]->page[k]);
        free(s->chunk[i]);
    }
    free(s->chunk);
    s->chunk = NULL;
}

static bool happened_before(const struct cw_race_order *o, const struct trace *other, uint32_t thread)
{
    if (other->block != o->block)
        return cw_race__knows(o->warp[thread / o->width].know, other->block, other->thread / o->width, other->at);
    return cw_race__before(o, &(struct cw_race_access){.at = other->at, .thread = other->thread}, thread);
}

/* The same by what the warp has read by strong loads, whether a fence stands behind those or not. */
static bool is_told_of(const struct cw_race_order *o, const struct trace *other, uint32_t thread)
{
    const struct cw_race_warp *w = &o->warp[thread / o->width];
    const uint32_t warp = other->thread / o->width;
    if (other->block != o->block)
        return cw_race__knows(w->coming[0].know, other->block, warp, other->at) ||
               cw_race__knows(w->coming[1].know, other->block, warp, other->at);
    return other->at < w->coming[0].seen.at[warp] || other->at < w->coming[1].seen.at[warp];
}

/* A flag as programs without atomics have it: written behind a fence, and read by volatile loads. */
static bool is_flag(const struct trace *store, const struct trace *load)
{
    return store->announces && load->told && !load->stores;
}

/* Whether the two warps have held one lock, in this order by luck: one of them has no fence, or too narrow a one, behind taking it. */
static bool lock_without_fence(const struct cw_race_order *o, const struct trace *now, const struct trace *other)
{
    const bool apart = other->block != now->block || other->thread / o->width != now->thread / o->width;
    const uint32_t wants = other->block != now->block ? 2 : 1;
    return apart && now->lock != 0 && now->lock == other->lock && !now->strong && !other->strong &&
           (now->fence < wants || other->fence < wants);
}

/* Whether the two may be in any order; `other` is the earlier one in this run. Strong ones do not race where each other's scope has both;
 * volatile ones do, as CUDA's C++ has it, unless the word is a flag. */
static bool unordered(const struct cw_race_order *o, const struct trace *now, const struct trace *other)
{
    if (is_flag(now, other) || is_flag(other, now))
        return false;
    if ((other->bytes & now->bytes) == 0 || (other->block == now->block && other->thread == now->thread))
        return false;
    const bool scopes = other->block == now->block || (other->gpu && now->gpu);
    const bool ordered = happened_before(o, other, now->thread) || ((now->strong || now->told) && is_told_of(o, other, now->thread));
    return !(now->strong && other->strong && scopes) && (!ordered || lock_without_fence(o, now, other));
}

static const struct trace *rival(const struct cw_race_order *o, const struct shadow *w, const struct trace *now, uint32_t value)
{
    const bool same = now->stores && !now->strong && w->strong.bytes == 0 && w->plain.bytes == now->bytes && w->value == value;
    if (!same && unordered(o, now, &w->plain))
        return &w->plain;
    if (unordered(o, now, &w->strong))
        return &w->strong;
    for (uint32_t k = 0; now->stores && k < 2; k++)
        if (unordered(o, now, &w->load[k]))
            return &w->load[k];
    return NULL;
}

/* The place of the load among the two that are kept: those of two blocks, or of two warps, if several have read it. */
static struct trace *room_for(const struct cw_race_order *o, struct shadow *w, const struct trace *now)
{
    for (uint32_t i = 0; i < 2; i++)
        if (w->load[i].bytes == 0 || (w->load[i].block == now->block && w->load[i].thread == now->thread))
            return &w->load[i];
    for (uint32_t i = 0; i < 2; i++)
        if (happened_before(o, &w->load[i], now->thread))
            return &w->load[i];
    return &w->load[w->load[0].block == now->block && w->load[0].thread / o->width == now->thread / o->width ? 0 : 1];
}

static void remember(const struct cw_race_order *o, struct shadow *w, const struct trace *now, bool loads, uint32_t value)
{
    if (now->stores && now->strong) {
        w->strong = *now;
    } else if (now->stores) {
        *w = (struct shadow){.launch = w->launch, .earlier = w->earlier, .value = value, .plain = *now};
    }
    if (loads) {
        struct trace *load = room_for(o, w, now);
        if (!(load->bytes == now->bytes && load->block == now->block && load->thread == now->thread && now->strong && !load->strong))
            *load = *now;
    }
}

static void find(struct cw_sanitizer *s, const struct cw_sanitizer_access *a, const struct trace *other)
{
    const struct cw_exec *x = a->event->u.lanes.x;
    const uint32_t bx = x->nctaid[0], by = x->nctaid[1], tx = x->ntid[0], ty = x->ntid[1], b = other->block, t = other->thread;
    cw_sanitizer__find(s, CW_CHECK_RACE, a, other->line,
                       "block (%u, %u, %u) thread (%u, %u, %u) %s it at line %u, and nothing orders the two%s", b % bx, b / bx % by,
                       b / bx / by, t % tx, t / tx % ty, t / tx / ty, other->stores ? "has written" : "has read", other->line,
                       other->strong && a->strong ? ": a scope is one block's" : "");
}

/* true: a launch that nothing orders with this one has touched the word. */
static bool find_launch(struct cw_sanitizer *s, const struct cw_sanitizer_access *a, const struct shadow *w, const struct trace *now,
                        uint32_t value)
{
    const struct earlier *e = &w->earlier;
    const uint32_t clash = now->bytes & (now->stores ? e->loads | e->stores : e->stores);
    const bool same = now->stores && !a->loads && e->loads == 0 && e->value == value;
    if (e->launch == 0 || clash == 0 || same || (e->is_strong && now->strong))
        return false;
    cw_sanitizer__find(s, CW_CHECK_RACE, a, e->line, "kernel %s of another stream %s it at line %u, and nothing orders the two",
                       s->past[e->launch].kernel, (now->bytes & e->stores) != 0 ? "has written" : "has read", e->line);
    return true;
}

/* What the store leaves in the word that begins at byte `first` of it. */
static uint32_t stored(const struct cw_sanitizer_access *a, uint32_t first, uint32_t bytes)
{
    const struct cw_event *e = a->event;
    uint32_t value = 0;
    for (uint32_t i = first; a->stores && !a->loads && i < first + bytes; i++)
        value |= (uint32_t)(uint8_t)(e->u.lanes.value[i / e->u.lanes.elem_bytes][a->lane] >> 8 * (i % e->u.lanes.elem_bytes))
                 << 8 * (i - first);
    return value;
}

static void note_lock(struct cw_race_warp *w, const struct cw_uop *u, uint32_t word)
{
    const bool takes = u->op == CW_OP_ATOM && u->atom == CW_ATOM_CAS;
    if (takes || w->lock == word)
        w->lock = takes ? word : 0;
    if (takes)
        w->lock_fence = 0;
}

/* Which of the two loads of a word without stores gives way to one of this thread: its own, a free place, one of its warp or block; 2: none,
 * for two of other blocks say enough. */
static uint32_t place_of_load(const struct cw_race_order *o, const struct shadow *w, uint32_t thread)
{
    const struct trace *t = w->load;
    for (uint32_t i = 0; i < 2; i++)
        if (t[i].bytes == 0 || (t[i].block == o->block && t[i].thread == thread))
            return i;
    for (uint32_t i = 0; i < 2; i++)
        if (t[i].block == o->block && t[i].thread / o->width == thread / o->width)
            return i;
    return t[1].block == o->block ? 1 : t[0].block == o->block ? 0 : 2;
}

/* A plain load of a word that nobody has written in this launch, as most loads are. false: it is none. */
static bool load_of_constant(const struct cw_sanitizer *s, const struct cw_race_order *o, const struct cw_sanitizer_access *a)
{
    const uint64_t word = (a->addr - CW_GLOBAL_BASE) / 4;
    if (a->stores || a->strong || a->bytes != 4 || a->addr % 4 != 0 || word / PAGE_WORDS + 1 != s->last_page)
        return false;
    struct shadow *w = (struct shadow *)s->last_words + word % PAGE_WORDS;
    if (w->launch != s->launches || w->plain.bytes != 0 || w->strong.bytes != 0)
        return false;
    const uint32_t number = a->thread / o->width, place = place_of_load(o, w, a->thread);
    const struct cw_race_warp *warp = &o->warp[number];
    if (place < 2)
        w->load[place] = (struct trace){.block = o->block,
                                        .at = warp->now,
                                        .line = a->event->u.lanes.uop->line,
                                        .lock = warp->lock,
                                        .thread = (uint16_t)a->thread,
                                        .bytes = 15,
                                        .fence = warp->lock_fence & 3u};
    return true;
}

void cw_sanitizer__race_device(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a)
{
    struct cw_race_order *o = &b->order;
    if (load_of_constant(s, o, a))
        return;
    const struct cw_uop *u = a->event->u.lanes.uop;
    const uint32_t warp = a->thread / o->width;
    const bool gpu = a->strong && (u->scope != CW_SCOPE_CTA || a->event->u.lanes.in_region);
    const bool told =
        (u->flags & CW_UF_VOLATILE) != 0 && (u->flags & CW_UF_SCOPED) == 0 && !a->event->u.lanes.in_region && u->op != CW_OP_ATOM;
    struct trace now = {.block = o->block, .at = cw_race__now(o, a->thread), .line = u->line, .thread = (uint16_t)a->thread};
    bool found = false;
    now.strong = a->strong && !told;
    now.gpu = gpu;
    now.told = told;
    now.lock = o->warp[warp].lock;
    now.fence = o->warp[warp].lock_fence & 3u;
    now.announces = told && a->stores && o->warp[warp].announces;
    now.stores = a->stores;
    for (uint32_t i = 0, n; i < a->bytes; i += n) {
        const uint64_t addr = a->addr + i;
        n = a->bytes - i < 4 - (uint32_t)addr % 4 ? a->bytes - i : 4 - (uint32_t)addr % 4;
        struct shadow *w = shadow_of(s, addr);
        if (w == NULL) {
            s->out_of_memory = true;
            return;
        }
        now.bytes = (uint8_t)(((1u << n) - 1) << addr % 4);
        const uint32_t value = stored(a, i, n);
        const struct trace *with = found ? NULL : rival(o, w, &now, value);
        if (with != NULL)
            find(s, a, with);
        found |= with != NULL;
        found = found || find_launch(s, a, w, &now, value);
        remember(o, w, &now, a->loads, value);
    }
    const uint64_t word = a->addr & ~UINT64_C(3);
    if (a->strong && a->stores)
        note_lock(&o->warp[warp], u, (uint32_t)(word / 4));
    if (a->strong && a->loads)
        cw_race__read_word(o, warp, word, gpu);
    if (a->strong && a->stores) {
        if ((u->flags & CW_UF_RELEASE) != 0)
            cw_race__fence(o, warp, gpu);
        if (!a->loads)
            cw_race__overwrite_word(s, word);
        s->out_of_memory |= !cw_race__release_word(s, o, warp, word, gpu);
    }
}
