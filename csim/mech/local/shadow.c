/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a group: who has them in its set, who owns them, where their old values are, and how these come back. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mech/local/core_private.h"

/* ---- places ---- */

/* Words of a group that lie in the bank. */
static uint32_t words_of(uint32_t words, uint32_t bank)
{
    return (words + CW_LOCAL_BANKS - 1 - bank) / CW_LOCAL_BANKS;
}

uint32_t cw_local__rows(uint32_t words)
{
    const uint32_t n = words_of(words, 0);
    return 2 * n + (n + 3) / 4;
}

static uint8_t *row_of(struct cw_local_core *c, uint32_t group, uint32_t bank, uint32_t row)
{
    return cw_core_shared_of(c->core, group) + row * CW_LOCAL_ROW_BYTES + 4 * bank;
}

static uint8_t *data_of(struct cw_local_core *c, uint32_t group, uint32_t word)
{
    return cw_core_shared_of(c->core, group) + 4 * word;
}

/* The unit says where in the word's bank its backup and its owner are. */
static struct cw_adapt_shadow_address_places places_of(struct cw_local_core *c, uint32_t word)
{
    struct cw_adapt_shadow_address_places p;
    cw_adapt_shadow_address_find(c->shadow, 0, c->local->words, word % CW_LOCAL_BANKS, word / CW_LOCAL_BANKS, &p);
    assert(p.fits);
    return p;
}

static uint8_t *backup_of(struct cw_local_core *c, uint32_t group, uint32_t word)
{
    return row_of(c, group, word % CW_LOCAL_BANKS, places_of(c, word).backup);
}

static uint8_t *owner_of(struct cw_local_core *c, uint32_t group, uint32_t word)
{
    const struct cw_adapt_shadow_address_places p = places_of(c, word);
    return row_of(c, group, word % CW_LOCAL_BANKS, p.owner) + p.owner_byte;
}

uint32_t cw_local__owner(struct cw_local_core *c, uint32_t group, uint32_t word)
{
    return *owner_of(c, group, word);
}

uint32_t cw_local__value(struct cw_local_core *c, uint32_t group, uint32_t word)
{
    uint32_t value;
    memcpy(&value, data_of(c, group, word), sizeof value);
    return value;
}

/* ---- sets ---- */

struct cw_local_entry *cw_local__find(const struct cw_local_group *g, uint32_t item, uint32_t word)
{
    const struct cw_local_item *set = &g->item[item];
    for (uint32_t i = 0; i < set->cnt; i++)
        if (set->entry[i].word == word)
            return set->entry + i;
    return NULL;
}

struct cw_local_entry *cw_local__enter(struct cw_local_core *c, uint32_t group, uint32_t item, uint32_t word)
{
    struct cw_local_group *g = c->group + group;
    struct cw_local_item *set = &g->item[item];
    struct cw_local_entry *e = cw_local__find(g, item, word);
    if (e != NULL)
        return e;
    if (set->cnt == set->cap) {
        const uint32_t cap = set->cap == 0 ? 8 : 2 * set->cap;
        struct cw_local_entry *more = realloc(set->entry, cap * sizeof *more);
        if (more == NULL)
            return NULL;
        set->entry = more;
        set->cap = cap;
    }
    g->word[word].sharers++;
    e = set->entry + set->cnt++;
    *e = (struct cw_local_entry){.word = (uint16_t)word};
    return e;
}

void cw_local__settle(struct cw_local_core *c, const struct cw_local_ask *ask, const struct cw_local_answer *a, cw_time now)
{
    const uint32_t group = c->wave[ask->warp].group, item = cw_local__item(c, ask->warp, ask->lane);
    struct cw_local_word *word = &c->group[group].word[ask->word];
    struct cw_local_entry *e = cw_local__enter(c, group, item, ask->word);
    if (e == NULL) {
        cw_local__memory_full(c);
        return;
    }
    if (a->backup && !e->kept) {
        cw_tell_word(&c->local->host, CW_EVENT_REGION_KEEP, cw_local__name(c, ask->warp), ask->lane, cw_local__address(c, group, ask->word),
                     cw_local__value(c, group, ask->word), 0xf, now);
        memcpy(backup_of(c, group, ask->word), data_of(c, group, ask->word), 4);
        c->local->counters->ltm_backup_writes++;
        e->kept = true;
    }
    if (a->own) {
        *owner_of(c, group, ask->word) = (uint8_t)item;
        word->owned = true;
    }
    word->shared |= a->share;
    word->modified |= a->modify;
    word->told = true;
}

/* The work-item's words are free of it. */
static void release(struct cw_local_core *c, uint32_t group, uint32_t item)
{
    struct cw_local_group *g = c->group + group;
    struct cw_local_item *set = &g->item[item];
    for (uint32_t i = 0; i < set->cnt; i++) {
        struct cw_local_word *word = &g->word[set->entry[i].word];
        word->sharers--;
        if (word->owned && cw_local__owner(c, group, set->entry[i].word) == item)
            word->owned = word->modified = false;
    }
    set->cnt = 0;
}

void cw_local__quiet(struct cw_local_core *c, uint32_t group, uint32_t bank)
{
    struct cw_local_group *g = c->group + group;
    if (g->warps == 0 || c->local->keys.ltm_detect != CW_LOCAL_SMDCD)
        return;
    for (uint32_t word = bank; word < c->local->words; word += CW_LOCAL_BANKS)
        g->word[word].shared = false;
}

/* ---- commit ---- */

static void tell_commit(struct cw_local_core *c, uint32_t warp, uint32_t lane, cw_time now)
{
    const struct cw_mech_host *host = &c->local->host;
    const uint32_t group = c->wave[warp].group;
    const struct cw_local_item *set = &c->group[group].item[cw_local__item(c, warp, lane)];
    uint64_t *addr = malloc((set->cnt + 1) * sizeof *addr);
    uint32_t *value = malloc((set->cnt + 1) * sizeof *value), cnt = 0;
    if (addr == NULL || value == NULL) {
        cw_local__memory_full(c);
    } else {
        for (uint32_t i = 0; i < set->cnt; i++)
            if (set->entry[i].written != 0) {
                addr[cnt] = cw_local__address(c, group, set->entry[i].word);
                value[cnt++] = cw_local__value(c, group, set->entry[i].word);
            }
        cw_tell_commit(host, cw_local__name(c, warp), lane, cnt, addr, value, now);
        for (uint32_t i = 0, k = 0; i < set->cnt; i++)
            if (set->entry[i].written != 0) {
                cw_tell_word(host, CW_EVENT_REGION_WRITE, cw_local__name(c, warp), lane, addr[k], value[k], set->entry[i].written, now);
                k++;
            }
    }
    free(addr);
    free(value);
}

void cw_local__commit(struct cw_local_core *c, uint32_t warp, cw_lanes lanes, cw_time now)
{
    const struct cw_local *l = c->local;
    const struct cw_local_wave *w = c->wave + warp;
    uint64_t *const by_mode[] = {[CW_LOCAL_TRANSACTIONAL] = &l->counters->ltm_transactional,
                                 [CW_LOCAL_WAVEFRONT] = &l->counters->ltm_wf_serial,
                                 [CW_LOCAL_WORK_GROUP] = &l->counters->ltm_wg_serial};
    for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        const uint32_t lane = cw_lanes_first(rest), item = cw_local__item(c, warp, lane);
        const struct cw_local_item *set = &c->group[w->group].item[item];
        uint32_t written = 0, kept = 0;
        for (uint32_t i = 0; i < set->cnt; i++) {
            written += set->entry[i].written != 0;
            kept += set->entry[i].written == 0;
        }
        l->tm->tx_committed++;
        l->tm->tx_write_words += written;
        l->tm->tx_read_words += kept;
        l->tm->tx_read_only += written == 0;
        ++*by_mode[w->mode];
        if (cw_tell_wanted(&l->host, CW_EVENT_REGION_COMMIT))
            tell_commit(c, warp, lane, now);
        release(c, w->group, item);
    }
    if (lanes != 0)
        ++*l->host.progress;
}

/* ---- abort ---- */

/* Bank cycles of restoring the lanes' words: each bank restores a word in a cycle. */
static uint32_t walk_cycles(const struct cw_local_core *c, uint32_t warp, cw_lanes lanes)
{
    uint32_t in_bank[CW_LOCAL_BANKS] = {0}, longest = 0;
    for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        const struct cw_local_item *set = &c->group[c->wave[warp].group].item[cw_local__item(c, warp, cw_lanes_first(rest))];
        for (uint32_t i = 0; i < set->cnt; i++) {
            const uint32_t bank = set->entry[i].word % CW_LOCAL_BANKS;
            in_bank[bank] += set->entry[i].kept;
            longest = in_bank[bank] > longest ? in_bank[bank] : longest;
        }
    }
    return longest;
}

void cw_local__undo(struct cw_local_core *c, uint32_t warp, cw_lanes lanes, cw_time now)
{
    const struct cw_local *l = c->local;
    const uint32_t walk = l->keys.ltm_undo == CW_LOCAL_UNDO_WALK ? walk_cycles(c, warp, lanes) : 0;
    const cw_time answered = now + (CW_LOCAL_PHASES + 1) * l->period; /* what the lanes have asked until now */
    const cw_time walked = walk > 0 ? cw_core_hold_shared(c->core, walk) : now;
    struct cw_local_undo *u = &c->undo[cw_ring_add(&c->undo_ring, c->undo_cap)];
    *u = (struct cw_local_undo){.at = walked > answered ? walked : answered, .warp = warp, .lanes = lanes};
    c->wave[warp].undos++;
}

static void restore_lane(struct cw_local_core *c, uint32_t warp, uint32_t lane, cw_time now)
{
    const struct cw_local *l = c->local;
    const uint32_t group = c->wave[warp].group, item = cw_local__item(c, warp, lane);
    const struct cw_local_item *set = &c->group[group].item[item];
    for (uint32_t i = 0; i < set->cnt; i++) {
        const uint32_t word = set->entry[i].word;
        if (!set->entry[i].kept)
            continue;
        if (l->sabotage != CW_LOCAL_NO_RESTORE)
            memcpy(data_of(c, group, word), backup_of(c, group, word), 4);
        l->counters->ltm_restored_words++;
        cw_tell_word(&l->host, CW_EVENT_REGION_RESTORE, cw_local__name(c, warp), lane, cw_local__address(c, group, word),
                     cw_local__value(c, group, word), 0xf, now);
    }
    release(c, group, item);
}

cw_time cw_local__undo_cycle(struct cw_local_core *c, cw_time now)
{
    while (c->undo_ring.cnt > 0 && c->undo[c->undo_ring.head].at <= now) {
        const struct cw_local_undo u = c->undo[c->undo_ring.head];
        cw_ring_take(&c->undo_ring, c->undo_cap);
        for (cw_lanes rest = u.lanes; rest != 0; rest = cw_lanes_rest(rest))
            restore_lane(c, u.warp, cw_lanes_first(rest), now);
        cw_local__clear(c, u.warp, u.lanes, false);
        c->wave[u.warp].undos--;
    }
    return c->undo_ring.cnt > 0 ? c->undo[c->undo_ring.head].at : CW_TIME_NEVER;
}

/* ---- the oracle ---- */

void cw_local__leave(struct cw_local_core *c, uint32_t group, uint32_t from, uint32_t cnt, cw_time now)
{
    const struct cw_mech_host *host = &c->local->host;
    struct cw_local_word *word = c->group[group].word;
    if (!cw_tell_wanted(host, CW_EVENT_REGION_LEAVE))
        return;
    for (uint32_t i = from; i < from + cnt && i < c->local->words; i++) {
        const struct cw_attempt_name nobody = {.core = c->index};
        if (word[i].told)
            cw_tell_word(host, CW_EVENT_REGION_LEAVE, nobody, 0, cw_local__address(c, group, i), cw_local__value(c, group, i), 0xf, now);
        word[i].told = false;
    }
}
