/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Releases and acquires by words of device memory. A strong store or an atomic behind a fence makes known what the fence has seen; who reads
 * the word by a strong load or an atomic learns it at its next fence, and at its next barrier, since programs let a barrier stand for the fence
 * (cuda-samples' threadFenceReduction). Strong and volatile accesses have learnt it at once, for they stay in order with that load. Between blocks all four have to be of GPU scope or wider.
 */
#include <stdlib.h>
#include <string.h>

#include "check/sanitizer_private.h"

/* What the word tells its readers. */
struct cw_race_word {
    struct cw_race_word *next;
    uint64_t addr;
    struct cw_race_know *know;   /* of all blocks: releases of GPU scope */
    uint32_t block;              /* whose threads the following tells: its last release of any scope */
    struct cw_race_clock clock;  /* of that block */
    struct cw_race_know *beside; /* of others */
};

static uint32_t bucket_of(uint64_t addr)
{
    return (uint32_t)((addr >> 2) * UINT64_C(0x9E3779B97F4A7C15) >> 48) % CW_RACE_BUCKETS;
}

static struct cw_race_word *find(const struct cw_sanitizer *s, uint64_t addr)
{
    struct cw_race_word *w = s->words != NULL ? s->words[bucket_of(addr)] : NULL;
    while (w != NULL && w->addr != addr)
        w = w->next;
    return w;
}

static struct cw_race_word *find_or_make(struct cw_sanitizer *s, uint64_t addr)
{
    struct cw_race_word *w = find(s, addr);
    if (w != NULL)
        return w;
    if (s->words == NULL)
        s->words = calloc(CW_RACE_BUCKETS, sizeof *s->words);
    w = s->words != NULL ? calloc(1, sizeof *w) : NULL;
    if (w == NULL)
        return NULL;
    w->addr = addr;
    w->block = UINT32_MAX;
    w->next = s->words[bucket_of(addr)];
    s->words[bucket_of(addr)] = w;
    return w;
}

void cw_race__forget_words(struct cw_sanitizer *s)
{
    for (uint32_t i = 0; s->words != NULL && i < CW_RACE_BUCKETS; i++)
        for (struct cw_race_word *w = s->words[i], *next; w != NULL; w = next) {
            next = w->next;
            cw_race__drop(&w->know);
            cw_race__drop(&w->beside);
            free(w);
        }
    free(s->words);
    s->words = NULL;
}

bool cw_race__release_word(struct cw_sanitizer *s, struct cw_race_order *o, uint32_t warp, uint64_t addr, bool gpu)
{
    struct cw_race_warp *w = &o->warp[warp];
    struct cw_race_word *word = w->fenced.at[warp] != 0 ? find_or_make(s, addr) : NULL;
    if (w->fenced.at[warp] == 0)
        return true;
    if (word == NULL)
        return false;
    bool ok = true;
    word->block = o->block;
    word->clock = w->fenced;
    cw_race__drop(&word->beside);
    word->beside = cw_race__hold(w->fenced_know);
    if (gpu && w->fenced_gpu.at[warp] != 0)
        ok = cw_race__learn(&word->know, w->fenced_know) && cw_race__learn_of(&word->know, o->block, &w->fenced_gpu);
    return ok;
}

void cw_race__overwrite_word(struct cw_sanitizer *s, uint64_t addr)
{
    struct cw_race_word *word = find(s, addr);
    if (word == NULL)
        return;
    cw_race__drop(&word->know);
    cw_race__drop(&word->beside);
    word->block = UINT32_MAX;
}

void cw_race__read_word(struct cw_race_order *o, uint32_t warp, uint64_t addr, bool gpu)
{
    struct cw_race_warp *w = &o->warp[warp];
    const uint64_t read = addr | (uint64_t)gpu; /* words are aligned */
    for (uint32_t i = 0; i < CW_RACE_READS; i++)
        if (w->read[i] == read)
            return;
    w->read[w->reads++ % CW_RACE_READS] = read;
}

/* What the words tell now is for the warp's next fence. */
bool cw_race__collect_words(const struct cw_sanitizer *s, struct cw_race_order *o, uint32_t warp)
{
    struct cw_race_warp *w = &o->warp[warp];
    bool ok = true;
    for (uint32_t i = 0; i < CW_RACE_READS && w->reads != 0; i++) {
        const struct cw_race_word *word = w->read[i] != 0 ? find(s, w->read[i] & ~UINT64_C(3)) : NULL;
        const struct cw_race_clock *own = word != NULL ? cw_race__heard_of(word->know, o->block) : NULL;
        if (word != NULL && (w->read[i] & 1u) != 0) {
            ok &= cw_race__learn(&w->coming[1].know, word->know);
            if (own != NULL)
                cw_race__join(&w->coming[1].seen, own);
        }
        if (word != NULL && word->block == o->block) {
            cw_race__join(&w->coming[0].seen, &word->clock);
            ok &= cw_race__learn(&w->coming[0].know, word->beside);
        }
        w->read[i] = 0;
    }
    w->comes |= w->reads != 0;
    w->reads = 0;
    return ok;
}

bool cw_race__acquire_words(const struct cw_sanitizer *s, struct cw_race_order *o, uint32_t warp, bool gpu)
{
    struct cw_race_warp *w = &o->warp[warp];
    bool ok = cw_race__collect_words(s, o, warp);
    for (uint32_t i = 0; w->comes && i < (gpu ? 2u : 1u); i++) {
        cw_race__join(&w->seen, &w->coming[i].seen);
        ok &= cw_race__learn(&w->know, w->coming[i].know);
        cw_race__drop(&w->coming[i].know);
        w->coming[i].seen = (struct cw_race_clock){{0}};
    }
    w->comes &= !gpu;
    return ok;
}
