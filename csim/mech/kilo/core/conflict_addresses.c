/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/kilo/core/conflict_addresses.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024u
#define NONE    UINT32_MAX

struct entry {
    uint64_t word, commit;
    uint32_t next;
};

struct cw_kilo_cat {
    struct entry *entry;
    uint32_t bucket[BUCKETS]; /* first entry, or NONE */
    uint32_t free;
};

static uint32_t *bucket_of(struct cw_kilo_cat *t, uint64_t word)
{
    return t->bucket + (((word >> 2) * UINT64_C(0x9e3779b97f4a7c15)) >> 54);
}

struct cw_kilo_cat *cw_kilo_cat_create(uint32_t entries)
{
    struct cw_kilo_cat *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->entry = calloc(entries, sizeof *t->entry);
    if (t->entry == NULL) {
        free(t);
        return NULL;
    }
    memset(t->bucket, 0xff, sizeof t->bucket);
    for (uint32_t i = 0; i < entries; i++)
        t->entry[i].next = i + 1 < entries ? i + 1 : NONE;
    return t;
}

void cw_kilo_cat_destroy(struct cw_kilo_cat *t)
{
    if (t == NULL)
        return;
    free(t->entry);
    free(t);
}

bool cw_kilo_cat_enter(struct cw_kilo_cat *t, uint64_t word, uint64_t commit)
{
    uint32_t i = t->free, *bucket = bucket_of(t, word);
    if (i == NONE)
        return false;
    t->free = t->entry[i].next;
    t->entry[i] = (struct entry){.word = word, .commit = commit, .next = *bucket};
    *bucket = i;
    return true;
}

void cw_kilo_cat_remove(struct cw_kilo_cat *t, uint64_t word, uint64_t commit)
{
    for (uint32_t *link = bucket_of(t, word); *link != NONE; link = &t->entry[*link].next) {
        uint32_t i = *link;
        if (t->entry[i].word != word || t->entry[i].commit != commit)
            continue;
        *link = t->entry[i].next;
        t->entry[i].next = t->free;
        t->free = i;
        return;
    }
}

bool cw_kilo_cat_has(const struct cw_kilo_cat *t, uint64_t word)
{
    for (uint32_t i = t->bucket[((word >> 2) * UINT64_C(0x9e3779b97f4a7c15)) >> 54]; i != NONE; i = t->entry[i].next)
        if (t->entry[i].word == word)
            return true;
    return false;
}
