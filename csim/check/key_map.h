/* SPDX-License-Identifier: Apache-2.0 */
/* A map from 64-bit keys to indices. Its room never shrinks. */
#ifndef CW_CHECK_KEY_MAP_H
#define CW_CHECK_KEY_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define CW_KEY_MAP_NONE UINT32_MAX

struct cw_key_map_slot {
    uint64_t key;
    uint32_t value; /* CW_KEY_MAP_NONE: the slot is free */
};

/* All zero: an empty map. */
struct cw_key_map {
    struct cw_key_map_slot *slot;
    uint32_t slot_cnt; /* a power of two, more than twice cnt */
    uint32_t cnt;
};

void cw_key_map_free(struct cw_key_map *m);
/* Forgets all keys and keeps the room. */
void cw_key_map_clear(struct cw_key_map *m);
/* The key's value, or CW_KEY_MAP_NONE. */
uint32_t cw_key_map_find(const struct cw_key_map *m, uint64_t key);
/* Enters a key that the map does not have; value is not CW_KEY_MAP_NONE. false: out of memory. */
bool cw_key_map_add(struct cw_key_map *m, uint64_t key, uint32_t value);
/* Forgets a key; nothing happens when the map does not have it. */
void cw_key_map_remove(struct cw_key_map *m, uint64_t key);

#endif
