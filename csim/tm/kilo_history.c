/* SPDX-License-Identifier: Apache-2.0 */
#include "tm/kilo_history.h"

#include <stdlib.h>
#include <string.h>

#include "unit/h3.h"

#define WAYS  4u
#define KEY_W 34u /* word numbers of 16 GiB above the base of global memory */

struct entry {
    uint64_t word, id;
};

struct cw_kilo_history {
    uint32_t sets, rows;
    struct entry *entry; /* [set][way] */
    uint64_t *filter;    /* [way][row] */
    struct cw_h3x4 hash;
};

static uint32_t bits_of(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

struct cw_kilo_history *cw_kilo_history_create(uint32_t sets, uint32_t rows)
{
    struct cw_kilo_history *h = calloc(1, sizeof *h);
    if (h == NULL)
        return NULL;
    h->sets = sets;
    h->rows = rows;
    h->entry = calloc((size_t)sets * WAYS, sizeof *h->entry);
    h->filter = calloc((size_t)rows * WAYS, sizeof *h->filter);
    cw_h3x4_init(&h->hash, KEY_W, bits_of(rows));
    if (h->entry != NULL && h->filter != NULL)
        return h;
    cw_kilo_history_destroy(h);
    return NULL;
}

void cw_kilo_history_destroy(struct cw_kilo_history *h)
{
    if (h == NULL)
        return;
    free(h->entry);
    free(h->filter);
    free(h);
}

void cw_kilo_history_clear(struct cw_kilo_history *h)
{
    memset(h->entry, 0, (size_t)h->sets * WAYS * sizeof *h->entry);
    memset(h->filter, 0, (size_t)h->rows * WAYS * sizeof *h->filter);
}

/* Words of one line of memory lie in different sets; upper bits are folded in, since a partition sees only some lines. */
static struct entry *set_of(const struct cw_kilo_history *h, uint64_t word)
{
    uint64_t folded = word ^ word >> 11 ^ word >> 19;
    return h->entry + (folded & (h->sets - 1)) * WAYS;
}

static uint64_t *bucket(const struct cw_kilo_history *h, uint64_t hashes, uint32_t way)
{
    return h->filter + (size_t)way * h->rows + (uint16_t)(hashes >> 16 * way);
}

uint64_t cw_kilo_history_find(const struct cw_kilo_history *h, uint64_t word, bool *filter)
{
    const struct entry *set = set_of(h, word);
    *filter = false;
    for (uint32_t i = 0; i < WAYS; i++)
        if (set[i].id != 0 && set[i].word == word)
            return set[i].id;
    uint64_t hashes = cw_h3x4(&h->hash, word), oldest = UINT64_MAX;
    for (uint32_t way = 0; way < WAYS; way++)
        if (*bucket(h, hashes, way) < oldest)
            oldest = *bucket(h, hashes, way);
    *filter = true;
    return oldest;
}

static void evict(struct cw_kilo_history *h, const struct entry *e)
{
    uint64_t hashes = cw_h3x4(&h->hash, e->word);
    for (uint32_t way = 0; way < WAYS; way++)
        if (*bucket(h, hashes, way) < e->id)
            *bucket(h, hashes, way) = e->id;
}

bool cw_kilo_history_enter(struct cw_kilo_history *h, uint64_t word, uint64_t id)
{
    struct entry *set = set_of(h, word), *place = set;
    for (uint32_t i = 0; i < WAYS; i++) {
        if (set[i].id != 0 && set[i].word == word) {
            set[i].id = id;
            return false;
        }
        if (set[i].id < place->id)
            place = set + i;
    }
    bool evicted = place->id != 0;
    if (evicted)
        evict(h, place);
    *place = (struct entry){.word = word, .id = id};
    return evicted;
}
