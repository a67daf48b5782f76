/* SPDX-License-Identifier: Apache-2.0 */
/*
 * H3 hash, bit for bit the one that rtl/README.md defines and the hardware's hash block computes: hash bit i is the
 * parity of (key AND mask i), the masks being words 2i+1 (low) and 2i+2 (high) of xorshift32 started at the seed.
 * Used by GETM's tables (section V.B.1), whose four ways are indexed by hashes of four seeds.
 *
 * The matrix product is linear, so the hash is the XOR of one table entry per 4 key bits.
 */
#ifndef CW_UNIT_H3_H
#define CW_UNIT_H3_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CW_H3_WAYS      4   /* seeds that are defined */
#define CW_H3_OUT_MAX   32u /* hash bits of one function */
#define CW_H3X4_OUT_MAX 16u

/* Seed of way 0..3: the seeds of the GETM authors' simulator. */
uint32_t cw_h3_way_seed(uint32_t way);

/* mask[i]: the mask of hash bit i, 0 .. out_w - 1 (out_w 1..32), before it is cut to the key's width. seed not 0. */
void cw_h3_masks(uint32_t seed, uint32_t out_w, uint64_t *mask);

/* One hash function. Plain data: copy it freely. */
struct cw_h3 {
    uint32_t nibbles; /* 4-bit digits of the key */
    uint32_t table[16][16];
};

/* seed not 0, key_w 1..64 bits, out_w 1..32 bits. Key bits at key_w and above are ignored by the hash. */
void cw_h3_init(struct cw_h3 *h, uint32_t seed, uint32_t key_w, uint32_t out_w);

/* 0 .. 2^out_w - 1. */
static inline uint32_t cw_h3(const struct cw_h3 *h, uint64_t key)
{
    uint32_t x = 0;
    for (uint32_t n = 0; n < h->nibbles; n++, key >>= 4)
        x ^= h->table[n][key & 15];
    return x;
}

/* The four ways' hashes of one key width and one output width at once: 16 bits for each way, way 0 lowest. */
struct cw_h3x4 {
    uint32_t nibbles;
    uint64_t table[16][16];
};

/* key_w 1..64, out_w 1..16. */
void cw_h3x4_init(struct cw_h3x4 *h, uint32_t key_w, uint32_t out_w);

/* Hash of way w is (uint16_t)(result >> 16 * w). */
static inline uint64_t cw_h3x4(const struct cw_h3x4 *h, uint64_t key)
{
    uint64_t x = 0;
    for (uint32_t n = 0; n < h->nibbles; n++, key >>= 4)
        x ^= h->table[n][key & 15];
    return x;
}

#ifdef __cplusplus
}
#endif
#endif
