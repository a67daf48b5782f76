/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/h3.h"

#include <assert.h>
#include <string.h>

static uint32_t xorshift32(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x;
}

uint32_t cw_h3_way_seed(uint32_t way)
{
    static const uint32_t seed[CW_H3_WAYS] = {0x10203040u, 0x20304010u, 0x30401020u, 0x40102030u};
    assert(way < CW_H3_WAYS);
    return seed[way];
}

void cw_h3_masks(uint32_t seed, uint32_t out_w, uint64_t *mask)
{
    assert(seed != 0 && out_w >= 1 && out_w <= CW_H3_OUT_MAX);
    uint32_t low = xorshift32(seed);
    for (uint32_t i = 0; i < out_w; i++) {
        const uint32_t high = xorshift32(low);
        mask[i] = (uint64_t)high << 32 | low;
        low = xorshift32(high);
    }
}

/* The hash of a key with only bit k set: column k of the matrix. */
static uint32_t column(const uint64_t *mask, uint32_t k, uint32_t out_w)
{
    uint32_t x = 0;
    for (uint32_t i = 0; i < out_w; i++)
        x |= (uint32_t)(mask[i] >> k & 1) << i;
    return x;
}

void cw_h3_init(struct cw_h3 *h, uint32_t seed, uint32_t key_w, uint32_t out_w)
{
    uint64_t mask[CW_H3_OUT_MAX];
    assert(key_w >= 1 && key_w <= 64);
    cw_h3_masks(seed, out_w, mask);
    memset(h, 0, sizeof *h);
    h->nibbles = (key_w + 3) / 4;
    for (uint32_t k = 0; k < key_w; k++) {
        const uint32_t col = column(mask, k, out_w);
        for (uint32_t v = 0; v < 16; v++)
            if (v >> (k & 3) & 1)
                h->table[k / 4][v] ^= col;
    }
}

void cw_h3x4_init(struct cw_h3x4 *h, uint32_t key_w, uint32_t out_w)
{
    assert(out_w <= CW_H3X4_OUT_MAX);
    memset(h, 0, sizeof *h);
    for (uint32_t way = 0; way < CW_H3_WAYS; way++) {
        struct cw_h3 one;
        cw_h3_init(&one, cw_h3_way_seed(way), key_w, out_w);
        h->nibbles = one.nibbles;
        for (uint32_t n = 0; n < 16; n++)
            for (uint32_t v = 0; v < 16; v++)
                h->table[n][v] |= (uint64_t)one.table[n][v] << 16 * way;
    }
}
