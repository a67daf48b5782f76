/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the oracle keeps of a launch.
 *
 * A read belongs to the newest version of its word. Should its value be another one, it is kept aside until the word's next version: the
 * memory takes a write a few cycles before it is told, and a read in between sees the new version. A read that no version explains is a
 * value error.
 *
 * Where regions read snapshots, a read belongs to the version of its word that was the newest of the attempt's snapshot. Memory then holds
 * several versions of a word, and nobody can be asked what the first one was: the first read of it says so.
 */
#include <stdio.h>
#include <stdlib.h>

#include "check/serial_private.h"

#define NONE CW_SERIAL_NONE

/* Storage */

static bool grow(struct cw_serial *s, void *list, uint32_t cnt, uint32_t *cap, size_t bytes)
{
    void **at = list;
    if (cnt < *cap)
        return true;
    uint32_t larger = *cap == 0 ? 256 : 2 * *cap;
    void *moved = realloc(*at, larger * bytes);
    if (moved == NULL) {
        s->out_of_memory = true;
        return false;
    }
    *at = moved;
    *cap = larger;
    return true;
}

/* Index of a new element of the list, or NONE when out of memory. */
#define NEW(s, list) (grow((s), &(s)->list.at, (s)->list.cnt, &(s)->list.cap, sizeof *(s)->list.at) ? (s)->list.cnt++ : NONE)

static uint32_t new_version(struct cw_serial *s, uint32_t word, struct cw_serial_version v)
{
    uint32_t i = NEW(s, version);
    if (i == NONE)
        return NONE;
    struct cw_serial_word *w = s->word.at + word;
    v.word = word;
    v.snapshot = s->snapshot.cnt > 0 && w->version != NONE ? s->snapshot.cnt + 1 : 0;
    v.previous = w->version;
    v.next = NONE;
    s->version.at[i] = v;
    if (w->version != NONE)
        s->version.at[w->version].next = i;
    w->version = i;
    return i;
}

/* The word's index. A word first seen by a write has an unknown value before it. */
static uint32_t find_word(struct cw_serial *s, uint64_t addr, bool known)
{
    uint32_t i = cw_key_map_find(&s->words, addr);
    if (i != NONE)
        return i;
    i = NEW(s, word);
    if (i == NONE)
        return NONE;
    s->word.at[i] = (struct cw_serial_word){.addr = addr, .version = NONE, .early = NONE};
    struct cw_serial_version first = {.value = known ? s->word_now(s->context, addr) : 0, .known = known ? UINT32_MAX : 0};
    if (new_version(s, i, first) == NONE)
        return NONE;
    if (!cw_key_map_add(&s->words, addr, i))
        s->out_of_memory = true;
    return i;
}

uint32_t cw_serial__new_own(struct cw_serial *s)
{
    return NEW(s, own);
}

uint32_t cw_serial__new_thread(struct cw_serial *s)
{
    return NEW(s, thread);
}

uint32_t cw_serial__new_order(struct cw_serial *s)
{
    return NEW(s, order);
}

uint32_t cw_serial__new_barrier(struct cw_serial *s)
{
    return NEW(s, barrier);
}

uint32_t cw_serial__new_flag(struct cw_serial *s)
{
    return NEW(s, flag);
}

uint32_t cw_serial__new_store(struct cw_serial *s)
{
    return NEW(s, store);
}

/* Events */

void cw_serial__snapshot(struct cw_serial *s, cw_time from)
{
    const uint32_t i = NEW(s, snapshot);
    if (i != NONE)
        s->snapshot.at[i].from = from;
}

uint32_t cw_serial__begin(struct cw_serial *s, uint32_t core, uint32_t warp, uint32_t lane, cw_time now)
{
    uint32_t i = NEW(s, attempt);
    if (i == NONE)
        return 0;
    s->attempt.at[i] = (struct cw_serial_attempt){.core = core,
                                                  .warp = (uint16_t)warp,
                                                  .lane = (uint8_t)lane,
                                                  .reads = NONE,
                                                  .set = NONE,
                                                  .node = NONE,
                                                  .begun = now,
                                                  .started = now > s->clock ? now : s->clock};
    return i;
}

/* The snapshot that the attempt reads. One that exists from the moment of its begin on may be told later in that moment, so this is asked
 * when it reads. */
static uint32_t snapshot_of(const struct cw_serial *s, uint32_t attempt)
{
    uint32_t k = s->snapshot.cnt;
    while (k > 0 && s->snapshot.at[k - 1].from > s->attempt.at[attempt].begun)
        k--;
    return k;
}

/* The version of the word that is the newest of the attempt's snapshot. */
static uint32_t version_of(const struct cw_serial *s, uint32_t word, uint32_t snapshot)
{
    uint32_t i = s->word.at[word].version;
    while (s->version.at[i].snapshot > snapshot)
        i = s->version.at[i].previous;
    return i;
}

static uint32_t snapshot_version(struct cw_serial *s, uint32_t word, uint32_t snapshot, uint32_t value)
{
    const uint32_t i = version_of(s, word, snapshot);
    struct cw_serial_version *v = s->version.at + i;
    if (!cw_serial__agrees(v, value))
        return NONE;
    v->value = value;
    v->known = UINT32_MAX;
    return i;
}

void cw_serial__read(struct cw_serial *s, uint32_t attempt, uint64_t addr, uint32_t value, cw_time now)
{
    const bool snapshots = s->snapshot.cnt > 0;
    uint32_t word = find_word(s, addr, !snapshots), i = word != NONE ? NEW(s, read) : NONE;
    if (i == NONE)
        return;
    struct cw_serial_word *w = s->word.at + word;
    struct cw_serial_attempt *a = s->attempt.at + attempt;
    struct cw_serial_read *r = s->read.at + i;
    uint32_t version = cw_serial__agrees(s->version.at + w->version, value) ? w->version : NONE;
    if (snapshots)
        version = snapshot_version(s, word, snapshot_of(s, attempt), value);
    *r = (struct cw_serial_read){
        .attempt = attempt, .word = word, .value = value, .version = version, .next = a->reads, .next_early = NONE, .now = now};
    a->reads = i;
    if (version != NONE || snapshots)
        return;
    r->next_early = w->early;
    w->early = i;
}

/* The attempt's earlier reads of the word no longer count; one of the version that memory holds now takes their place. */
void cw_serial__validate(struct cw_serial *s, uint32_t attempt, uint64_t addr, uint32_t value, cw_time now)
{
    uint32_t word = find_word(s, addr, true);
    if (word == NONE)
        return;
    for (uint32_t i = s->attempt.at[attempt].reads; i != NONE; i = s->read.at[i].next)
        if (s->read.at[i].word == word)
            s->read.at[i].replaced = true;
    cw_serial__read(s, attempt, addr, value, now);
}

void cw_serial__write(struct cw_serial *s, uint32_t attempt, uint64_t addr, uint32_t value, uint32_t bytes, cw_time now)
{
    uint32_t word = find_word(s, addr, false);
    struct cw_serial_attempt *a = s->attempt.at + attempt;
    if (a->fate == CW_SERIAL_COMMITTED && now > a->ended)
        a->ended = now;
    if (word == NONE)
        return;
    const struct cw_serial_version *old = s->version.at + s->word.at[word].version;
    uint32_t mask = cw_serial__mask(bytes);
    struct cw_serial_version v = {
        .value = (old->value & ~mask) | (value & mask), .known = old->known | mask, .writer = attempt, .bytes = (uint8_t)bytes};
    uint32_t i = new_version(s, word, v), *link = &s->word.at[word].early;
    while (i != NONE && *link != NONE) {
        struct cw_serial_read *r = s->read.at + *link;
        if (cw_serial__agrees(&v, r->value)) {
            r->version = i;
            *link = r->next_early;
        } else {
            link = &r->next_early;
        }
    }
}

/* what: what has happened to the word, of which memory has to hold the newest version now. */
static void expect_newest(struct cw_serial *s, uint32_t word, uint32_t attempt, const char *what)
{
    const struct cw_serial_word *w = s->word.at + word;
    const struct cw_serial_version *v = s->version.at + w->version;
    const uint32_t value = s->word_now(s->context, w->addr);
    if (cw_serial__agrees(v, value) || s->misplaced++ > 0)
        return;
    const struct cw_serial_attempt *a = s->attempt.at + attempt;
    char who[64] = "";
    if (attempt != 0)
        snprintf(who, sizeof who, " by transaction %u (core %u warp %u lane %u)", attempt, a->core, a->warp, a->lane);
    snprintf(s->place, sizeof s->place, "memory holds 0x%08x at 0x%llx when it is %s%s, but 0x%08x was committed last", value,
             (unsigned long long)w->addr, what, who, v->value);
}

void cw_serial__keep(struct cw_serial *s, uint32_t attempt, uint64_t addr)
{
    const uint32_t word = find_word(s, addr, true);
    if (word != NONE)
        expect_newest(s, word, attempt, "put aside");
}

void cw_serial__restore(struct cw_serial *s, uint32_t attempt, uint64_t addr)
{
    const uint32_t word = find_word(s, addr, true);
    if (word != NONE)
        expect_newest(s, word, attempt, "restored");
}

void cw_serial__leave(struct cw_serial *s, uint64_t addr)
{
    const uint32_t word = cw_key_map_find(&s->words, addr);
    if (word == NONE)
        return;
    expect_newest(s, word, 0, "given up");
    s->word.at[word].left = true;
    cw_key_map_remove(&s->words, addr);
}

void cw_serial__commit(struct cw_serial *s, uint32_t attempt, uint32_t write_cnt, const uint64_t *addr, const uint32_t *value, cw_time now)
{
    struct cw_serial_attempt *a = s->attempt.at + attempt;
    a->fate = CW_SERIAL_COMMITTED;
    a->ended = a->committed = now;
    for (uint32_t k = 0; k < write_cnt; k++) {
        uint32_t i = NEW(s, promised);
        if (i == NONE)
            return;
        s->promised.at[i] = (struct cw_serial_promised){.addr = addr[k], .attempt = attempt, .value = value[k], .next = a->set};
        a->set = i;
    }
}

void cw_serial__abort(struct cw_serial *s, uint32_t attempt, cw_time now)
{
    s->attempt.at[attempt].fate = CW_SERIAL_ABORTED;
    s->attempt.at[attempt].ended = now;
}

void cw_serial__forget(struct cw_serial *s)
{
    s->attempt.cnt = s->word.cnt = s->version.cnt = s->read.cnt = s->promised.cnt = s->own.cnt = s->snapshot.cnt = 0;
    cw_key_map_clear(&s->attempts);
    cw_key_map_clear(&s->words);
    cw_key_map_clear(&s->owns);
    s->thread.cnt = s->order.cnt = s->barrier.cnt = s->flag.cnt = s->store.cnt = s->meetings = 0;
    cw_key_map_clear(&s->threads);
    cw_key_map_clear(&s->barriers);
    cw_key_map_clear(&s->flags);
    s->late = s->strays = s->misplaced = 0;
    s->clock = 0;
    s->program = false;
    s->place[0] = '\0';
    s->stray[0] = '\0';
    if (NEW(s, attempt) != NONE)
        s->attempt.at[0] = (struct cw_serial_attempt){.fate = CW_SERIAL_COMMITTED, .reads = NONE, .set = NONE, .node = NONE};
}

void cw_serial__free(struct cw_serial *s)
{
    free(s->attempt.at);
    free(s->word.at);
    free(s->version.at);
    free(s->read.at);
    free(s->promised.at);
    free(s->own.at);
    free(s->snapshot.at);
    cw_key_map_free(&s->attempts);
    cw_key_map_free(&s->words);
    cw_key_map_free(&s->owns);
    free(s->thread.at);
    free(s->order.at);
    free(s->barrier.at);
    free(s->flag.at);
    free(s->store.at);
    cw_key_map_free(&s->threads);
    cw_key_map_free(&s->barriers);
    cw_key_map_free(&s->flags);
}
