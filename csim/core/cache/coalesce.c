/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cache/coalesce.h"

static uint32_t lowest(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

struct cw_line_access cw_coalesce_next(const uint64_t addr[32], uint32_t line_bytes, cw_lanes *lanes)
{
    const uint32_t all = (uint32_t)*lanes, sectors = line_bytes / CW_SECTOR_BYTES;
    uint32_t together = 0;
    struct cw_line_access a = {.line = addr[lowest(all)] & ~(uint64_t)(line_bytes - 1)};
    for (uint32_t left = all; left != 0; left &= left - 1) { /* no branch on what random addresses decide */
        const uint64_t offset = addr[lowest(left)] ^ a.line;
        const uint32_t same = offset < line_bytes;
        together |= same << lowest(left);
        a.sectors |= same << (offset / CW_SECTOR_BYTES & (sectors - 1));
    }
    a.lanes = together;
    *lanes = all & ~together;
    return a;
}

/* Whether all words lie in one row of the banks: the usual case, without a conflict. */
static int in_one_row(const uint64_t addr[32], uint32_t lanes, uint32_t banks)
{
    uint64_t differ = 0, first = addr[lowest(lanes)];
    if ((banks & (banks - 1)) != 0)
        return 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        differ |= (lanes >> lane & 1u) != 0 ? addr[lane] ^ first : 0;
    return differ < 4 * (uint64_t)banks;
}

uint32_t cw_bank_conflicts(const uint64_t addr[32], uint32_t lanes, uint32_t banks)
{
    if (lanes == 0 || in_one_row(addr, lanes, banks))
        return 0;
    uint8_t words[64] = {0};     /* distinct words per bank */
    uint64_t word[32];           /* the distinct words seen */
    uint8_t chain[32], head[64]; /* per bank a list of them; 0 ends it, indices are off by one */
    uint32_t word_cnt = 0, most = 0;
    for (uint32_t b = 0; b < banks; b++)
        head[b] = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        uint64_t w = addr[lowest(lanes)] / 4;
        uint32_t bank = (uint32_t)(w % banks), i = head[bank];
        while (i != 0 && word[i - 1] != w)
            i = chain[i - 1];
        if (i != 0)
            continue;
        word[word_cnt] = w;
        chain[word_cnt] = head[bank];
        head[bank] = (uint8_t)++word_cnt;
        if (++words[bank] > most)
            most = words[bank];
    }
    return most > 0 ? most - 1 : 0;
}

uint32_t cw_address_multiplicity(const uint64_t addr[32], uint32_t lanes)
{
    uint32_t most = 0;
    while (lanes != 0) {
        uint64_t a = addr[lowest(lanes)];
        uint32_t same = 0;
        for (uint32_t left = lanes; left != 0; left &= left - 1)
            if (addr[lowest(left)] == a)
                same |= 1u << lowest(left);
        lanes &= ~same;
        uint32_t n = (uint32_t)__builtin_popcount(same);
        most = n > most ? n : most;
    }
    return most;
}

uint32_t cw_address_distinct(const uint64_t addr[32], uint32_t lanes)
{
    uint32_t n = 0;
    for (; lanes != 0; n++) {
        uint64_t a = addr[lowest(lanes)];
        uint32_t same = 0;
        for (uint32_t left = lanes; left != 0; left &= left - 1)
            if (addr[lowest(left)] == a)
                same |= 1u << lowest(left);
        lanes &= ~same;
    }
    return n;
}
