/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A partition's scalable reader list (SI-TM 4.2, Figure 10): who reads each word of the partition. It knows transactions by IDs; whether an
 * ID's entries still count, its owner knows.
 *
 * It has room for so many entries, whatever the words. A word takes one entry with up to three readers; more are a root with a leaf for
 * each 32 IDs that have one (types 1 to 3).
 */
#ifndef CW_MECH_SNAPSHOT_TABLES_H
#define CW_MECH_SNAPSHOT_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#define CW_SI_SET_WORDS 16u

/* IDs, a bit each. */
struct cw_si_set {
    uint64_t bits[CW_SI_SET_WORDS];
};

static inline bool cw_si_set_has(const struct cw_si_set *s, uint32_t id)
{
    return s->bits[id / 64] >> id % 64 & 1;
}

static inline void cw_si_set_put(struct cw_si_set *s, uint32_t id, bool in)
{
    const uint64_t bit = UINT64_C(1) << id % 64;
    s->bits[id / 64] = in ? s->bits[id / 64] | bit : s->bits[id / 64] & ~bit;
}

struct cw_si_tables;
struct cw_si_tables *cw_si_tables_create(uint32_t reader_entries);
void cw_si_tables_destroy(struct cw_si_tables *t);
/* Readers of the word, NULL: none. Valid until the next change. */
const struct cw_si_set *cw_si_tables_readers(const struct cw_si_tables *t, uint64_t word);
/* Adds a reader. false: full. Nothing changes when it is there already. */
bool cw_si_tables_read(struct cw_si_tables *t, uint64_t word, uint32_t id);
/* Takes out what is not of these IDs. */
void cw_si_tables_keep(struct cw_si_tables *t, const struct cw_si_set *ids);
/* Entries in use. */
uint32_t cw_si_tables_entries(const struct cw_si_tables *t);

#endif
