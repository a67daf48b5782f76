/* SPDX-License-Identifier: Apache-2.0 */
#include "check/key_map.h"

#include <stdlib.h>
#include <string.h>

#define NONE       CW_KEY_MAP_NONE
#define FIRST_SIZE 1024u

static uint32_t home_of(const struct cw_key_map *m, uint64_t key)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (m->slot_cnt - 1);
}

/* The slot of the key, or the free one in which it would go. */
static uint32_t slot_of(const struct cw_key_map *m, uint64_t key)
{
    uint32_t at = home_of(m, key);
    while (m->slot[at].value != NONE && m->slot[at].key != key)
        at = (at + 1) & (m->slot_cnt - 1);
    return at;
}

static bool grow(struct cw_key_map *m)
{
    struct cw_key_map larger = {.slot_cnt = m->slot_cnt == 0 ? FIRST_SIZE : 2 * m->slot_cnt, .cnt = m->cnt};
    larger.slot = malloc(larger.slot_cnt * sizeof *larger.slot);
    if (larger.slot == NULL)
        return false;
    memset(larger.slot, 0xff, larger.slot_cnt * sizeof *larger.slot);
    for (uint32_t i = 0; i < m->slot_cnt; i++)
        if (m->slot[i].value != NONE)
            larger.slot[slot_of(&larger, m->slot[i].key)] = m->slot[i];
    free(m->slot);
    *m = larger;
    return true;
}

void cw_key_map_free(struct cw_key_map *m)
{
    free(m->slot);
    *m = (struct cw_key_map){0};
}

void cw_key_map_clear(struct cw_key_map *m)
{
    if (m->slot != NULL)
        memset(m->slot, 0xff, m->slot_cnt * sizeof *m->slot);
    m->cnt = 0;
}

uint32_t cw_key_map_find(const struct cw_key_map *m, uint64_t key)
{
    return m->slot_cnt > 0 ? m->slot[slot_of(m, key)].value : NONE;
}

bool cw_key_map_add(struct cw_key_map *m, uint64_t key, uint32_t value)
{
    if (m->slot_cnt <= 2 * m->cnt + 1 && !grow(m))
        return false;
    m->slot[slot_of(m, key)] = (struct cw_key_map_slot){.key = key, .value = value};
    m->cnt++;
    return true;
}

/* Keys behind the free slot move up into it, unless their search begins behind it. */
void cw_key_map_remove(struct cw_key_map *m, uint64_t key)
{
    const uint32_t last = m->slot_cnt - 1;
    if (cw_key_map_find(m, key) == NONE)
        return;
    uint32_t hole = slot_of(m, key);
    for (uint32_t at = (hole + 1) & last; m->slot[at].value != NONE; at = (at + 1) & last) {
        if (((at - home_of(m, m->slot[at].key)) & last) < ((at - hole) & last))
            continue;
        m->slot[hole] = m->slot[at];
        hole = at;
    }
    m->slot[hole].value = NONE;
    m->cnt--;
}
