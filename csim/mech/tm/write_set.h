/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A warp's write set by granule: how many of its store requests each granule has accepted (they have to be given
 * back exactly, whatever becomes of the lanes), and at commit the merged words of the surviving lanes.
 */
#ifndef CW_MECH_TM_WRITE_SET_H
#define CW_MECH_TM_WRITE_SET_H

#include "mech/tm/redo_log.h"

#define CW_WRITE_SET_NONE UINT32_MAX

struct cw_write_word {
    uint64_t addr;
    uint32_t value;
    uint32_t next; /* in the granule, or CW_WRITE_SET_NONE */
    uint8_t bytes; /* byte enables 3:0 */
    uint8_t lane;
};

struct cw_write_granule {
    uint64_t granule;
    uint32_t count;       /* accepted store requests */
    uint32_t first, last; /* words, or CW_WRITE_SET_NONE */
    uint32_t next;        /* free for the owner's lists */
};

struct cw_write_set {
    uint32_t *slot;    /* open addressing: index + 1 into granule, 0 free */
    uint32_t slot_cnt; /* power of two, at least twice granule_cnt */
    struct cw_write_granule *granule;
    uint32_t granule_cnt, granule_cap;
    struct cw_write_word *word;
    uint32_t word_cnt, word_cap;
};

void cw_write_set_clear(struct cw_write_set *s);
void cw_write_set_free(struct cw_write_set *s);
/* One more accepted store request of the granule. 0 or CW_ENOMEM. */
int cw_write_set_count(struct cw_write_set *s, uint64_t granule);
/* Merges the log's words of these lanes, later stores over earlier ones. granule number = (addr - base) >> shift. 0 or CW_ENOMEM. */
int cw_write_set_merge(struct cw_write_set *s, const struct cw_redo_log *log, cw_lanes lanes, uint64_t base, uint32_t shift);

#endif
