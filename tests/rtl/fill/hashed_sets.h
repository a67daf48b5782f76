/* SPDX-License-Identifier: Apache-2.0 */
/* Words that fill each way of each set of a unit whose sets are chosen by the hash H3 (rtl/README.md), and the same number again. */
#ifndef CW_TESTS_RTL_FILL_HASHED_SETS_H
#define CW_TESTS_RTL_FILL_HASHED_SETS_H

#include <string.h>

#include "fill/fill.h"
#include "unit/h3.h"

#define FILL_SETS  (1u << 12) /* at most, of 8 ways at most */
#define FILL_WORDS (8u * FILL_SETS)
#define FILL_SEED  0x50607080u /* of the sets, rtl/README.md */

/* All 0 at first. */
struct fill_sets {
    struct cw_h3 hash;
    bool begun;
    uint64_t next; /* number of the next word that is tried */
    uint64_t word[2 * FILL_WORDS];
    uint8_t in_set[FILL_SETS];
};

/* New words into s->word: the first ways << set_w fill the sets, as many behind them would fill them again. */
static inline void fill_sets_choose(struct fill_sets *s, uint32_t ways, uint32_t set_w, uint32_t addr_w)
{
    const uint32_t room = ways << set_w;
    uint32_t held = 0;
    if (!s->begun)
        cw_h3_init(&s->hash, FILL_SEED, addr_w, set_w);
    s->begun = true;
    for (uint32_t half = 1; half <= 2; half++) {
        memset(s->in_set, 0, sizeof s->in_set);
        for (uint32_t tries = 0; held < half * room && tries < 4000u << set_w; tries++) {
            const uint64_t word = fill_value(s->next++, addr_w);
            uint8_t *in_set = &s->in_set[cw_h3(&s->hash, word)];
            if (*in_set < ways) {
                ++*in_set;
                s->word[held++] = word;
            }
        }
    }
}

#endif
