/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What somebody knows of the warps of other blocks. It never changes, so many may hold it; what is learnt makes a new one. Sorted by block.
 * Who has heard of more than MOST blocks counts as knowing all: then a race may be missed, and none is made up.
 */
#include <stdlib.h>
#include <string.h>

#include "check/sanitizer_private.h"

#define MOST 256u

struct cw_race_know {
    uint32_t refs, cnt;
    bool all;
    struct heard {
        uint32_t block;
        struct cw_race_clock clock;
    } heard[];
};

void cw_race__join(struct cw_race_clock *to, const struct cw_race_clock *from)
{
    for (uint32_t w = 0; w < CW_SANITIZER_WARPS; w++)
        to->at[w] = to->at[w] > from->at[w] ? to->at[w] : from->at[w];
}

struct cw_race_know *cw_race__hold(struct cw_race_know *k)
{
    if (k != NULL)
        k->refs++;
    return k;
}

void cw_race__drop(struct cw_race_know **k)
{
    if (*k != NULL && --(*k)->refs == 0)
        free(*k);
    *k = NULL;
}

static struct heard *find(struct cw_race_know *k, uint32_t block)
{
    uint32_t low = 0, high = k->cnt;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (k->heard[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low < k->cnt && k->heard[low].block == block ? &k->heard[low] : NULL;
}

bool cw_race__knows(struct cw_race_know *k, uint32_t block, uint32_t warp, uint32_t at)
{
    const struct heard *h = k != NULL && !k->all ? find(k, block) : NULL;
    return k != NULL && (k->all || (h != NULL && at < h->clock.at[warp]));
}

const struct cw_race_clock *cw_race__heard_of(struct cw_race_know *k, uint32_t block)
{
    const struct heard *h = k != NULL ? find(k, block) : NULL;
    return h != NULL ? &h->clock : NULL;
}

static struct cw_race_know *new_know(uint32_t most)
{
    struct cw_race_know *k = calloc(1, sizeof *k + most * sizeof k->heard[0]);
    if (k != NULL)
        k->refs = 1;
    return k;
}

/* Both at once. */
static void merge(struct cw_race_know *to, const struct cw_race_know *a, const struct cw_race_know *b)
{
    uint32_t i = 0, j = 0;
    while (i < a->cnt || j < b->cnt) {
        const struct heard *from = j == b->cnt || (i < a->cnt && a->heard[i].block <= b->heard[j].block) ? &a->heard[i++] : &b->heard[j++];
        struct heard *last = to->cnt > 0 ? &to->heard[to->cnt - 1] : NULL;
        if (last != NULL && last->block == from->block)
            cw_race__join(&last->clock, &from->clock);
        else
            to->heard[to->cnt++] = *from;
    }
    to->all = a->all || b->all || to->cnt > MOST;
}

bool cw_race__learn(struct cw_race_know **to, struct cw_race_know *from)
{
    if (from == NULL || *to == from || (*to != NULL && (*to)->all))
        return true;
    if (*to == NULL || from->all) {
        cw_race__drop(to);
        *to = cw_race__hold(from);
        return true;
    }
    struct cw_race_know *k = new_know((*to)->cnt + from->cnt);
    if (k == NULL)
        return false;
    merge(k, *to, from);
    cw_race__drop(to);
    *to = k;
    return true;
}

bool cw_race__learn_of(struct cw_race_know **to, uint32_t block, const struct cw_race_clock *clock)
{
    struct cw_race_know *one = new_know(1);
    if (one == NULL)
        return false;
    one->cnt = 1;
    one->heard[0] = (struct heard){block, *clock};
    const bool ok = cw_race__learn(to, one);
    cw_race__drop(&one);
    return ok;
}
