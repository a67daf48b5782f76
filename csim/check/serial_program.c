/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program does in an attempt, by its instructions, against what the protocol says about the attempt. Reads, write sets and fates are
 * the protocol's own words: a store that its log has lost is in no write set, and a load that its log answers is told by nobody. So
 *   - a load finds what its thread has stored in the attempt before; else what the protocol says to have read for the attempt;
 *   - a committed attempt's write set is what its stores have left.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "check/serial_private.h"

#define NONE         CW_SERIAL_NONE
#define ATTEMPTS_MAX (1u << 24) /* what comes after them in a launch is not compared; a record of so many fills a host's memory */

/* Stamps wrap around. */
static bool is_later(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) > 0;
}

static uint64_t key_of(uint32_t attempt, uint64_t addr)
{
    return (uint64_t)attempt << 40 | (addr >> 2 & ((UINT64_C(1) << 40) - 1));
}

static void tell(struct cw_serial *s, uint32_t attempt, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void tell(struct cw_serial *s, uint32_t attempt, const char *fmt, ...)
{
    if (s->misplaced++ > 0)
        return;
    const struct cw_serial_attempt *a = s->attempt.at + attempt;
    const size_t length =
        (size_t)snprintf(s->place, sizeof s->place, "transaction %u (core %u warp %u lane %u) ", attempt, a->core, a->warp, a->lane);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(s->place + length, sizeof s->place - length, fmt, ap);
    va_end(ap);
}

void cw_serial__issue(struct cw_serial *s, uint32_t attempt, const struct cw_event *e)
{
    const uint64_t key = key_of(attempt, e->u.word.addr);
    s->program = true;
    const uint32_t before = attempt < ATTEMPTS_MAX ? cw_key_map_find(&s->owns, key) : NONE;
    const uint32_t i = attempt < ATTEMPTS_MAX ? cw_serial__new_own(s) : NONE;
    if (i == NONE)
        return;
    const struct cw_serial_own *old = before != NONE ? s->own.at + before : NULL;
    const uint32_t mask = cw_serial__mask(e->u.word.bytes);
    s->own.at[i] = (struct cw_serial_own){.value = ((old != NULL ? old->value : 0) & ~mask) | (e->u.word.value & mask),
                                          .known = (old != NULL ? old->known : 0) | mask,
                                          .stamp = e->u.word.stamp,
                                          .before = before};
    s->attempt.at[attempt].owns += before == NONE;
    if (before != NONE)
        cw_key_map_remove(&s->owns, key);
    if (!cw_key_map_add(&s->owns, key, i))
        s->out_of_memory = true;
}

/* Whether the attempt has read the word, and found the value in these bits. A system with snapshots does not tell of words that it keeps in
 * one version. */
static bool has_read(const struct cw_serial *s, uint32_t attempt, uint64_t addr, uint32_t value, uint32_t mask)
{
    const uint32_t word = cw_key_map_find(&s->words, addr);
    bool told = false;
    for (uint32_t i = word != NONE ? s->attempt.at[attempt].reads : NONE; i != NONE; i = s->read.at[i].next) {
        told |= s->read.at[i].word == word;
        if (s->read.at[i].word == word && ((s->read.at[i].value ^ value) & mask) == 0)
            return true;
    }
    return !told && s->snapshot.cnt > 0;
}

void cw_serial__loaded(struct cw_serial *s, uint32_t attempt, const struct cw_event *e)
{
    uint32_t i = attempt < ATTEMPTS_MAX ? cw_key_map_find(&s->owns, key_of(attempt, e->u.word.addr)) : NONE;
    while (i != NONE && is_later(s->own.at[i].stamp, e->u.word.stamp))
        i = s->own.at[i].before;
    const uint32_t mask = cw_serial__mask(e->u.word.bytes), known = i != NONE ? s->own.at[i].known & mask : 0, value = e->u.word.value;
    s->program = true;
    if (attempt >= ATTEMPTS_MAX)
        return;
    if (((value ^ (i != NONE ? s->own.at[i].value : 0)) & known) != 0)
        tell(s, attempt, "loads 0x%08" PRIx32 " from 0x%" PRIx64 ", where it has stored 0x%08" PRIx32, value, e->u.word.addr,
             s->own.at[i].value);
    else if ((mask & ~known) != 0 && !has_read(s, attempt, e->u.word.addr, value, mask & ~known))
        tell(s, attempt, "loads 0x%08" PRIx32 " from 0x%" PRIx64 ", which it has not read from memory", value, e->u.word.addr);
}

void cw_serial__compare_set(struct cw_serial *s, uint32_t attempt, uint32_t cnt, const uint64_t *addr, const uint32_t *value)
{
    uint32_t owns = 0;
    for (uint32_t k = 0; attempt < ATTEMPTS_MAX && k < cnt; k++) {
        if ((addr[k] & CW_EVENT_SHARED) != 0)
            continue;
        const uint32_t i = cw_key_map_find(&s->owns, key_of(attempt, addr[k]));
        if (i == NONE) {
            tell(s, attempt, "commits 0x%08" PRIx32 " to 0x%" PRIx64 ", where it has stored nothing", value[k], addr[k]);
            continue;
        }
        const struct cw_serial_own *o = s->own.at + i;
        owns++;
        if (((o->value ^ value[k]) & o->known) != 0)
            tell(s, attempt, "commits 0x%08" PRIx32 " to 0x%" PRIx64 ", where it has stored 0x%08" PRIx32, value[k], addr[k], o->value);
    }
    if (attempt < ATTEMPTS_MAX && owns < s->attempt.at[attempt].owns)
        tell(s, attempt, "commits %" PRIu32 " of the %" PRIu32 " words that it has stored", owns, s->attempt.at[attempt].owns);
}
