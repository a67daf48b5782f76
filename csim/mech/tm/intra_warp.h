/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two-phase parallel intra-warp conflict resolution with an ownership table (2PCR, Fung 2015 6.3.3, Figure 6.6).
 *
 * The lanes that reached tx_commit must not conflict with each other, because a warp commits as one transaction.
 * Phase one enters in each table entry the lowest lane that writes a word hashed there. Phase two aborts a lane that
 * reads a word owned by a lower lane, or writes a word owned by another one. The survivors are serialisable in
 * ascending lane order: every lane reads memory or its own log, so a lane that read what a higher lane writes simply
 * comes first. The lowest lane always survives.
 */
#ifndef CW_MECH_TM_INTRA_WARP_H
#define CW_MECH_TM_INTRA_WARP_H

#include "mech/tm/redo_log.h"

/* The lanes out of `lanes` that abort. table: room for entries bytes, contents don't matter. Systems for which resolution takes time use
 * the unit instead (resolver.h). */
cw_lanes cw_intra_warp_resolve(const struct cw_redo_log *log, cw_lanes lanes, uint8_t *table, uint32_t entries);

/*
 * Sequential resolution with a Bloom filter (SCR, Fung 2015 6.3.2): lane by lane in ascending order; a lane whose read set or write set
 * hits the filter aborts, the others add their write set to it. filter: room for bits / 8 bytes, contents don't matter; bits is a power of
 * two.
 */
cw_lanes cw_intra_warp_sequential(const struct cw_redo_log *log, cw_lanes lanes, uint8_t *filter, uint32_t bits);

/* Ownership table entry of a word: [art] hashes the byte address. */
static inline uint32_t cw_intra_warp_hash(uint64_t addr, uint32_t entries)
{
    return (uint32_t)((addr % entries + addr / entries * 17) % entries);
}

/* Shared-memory writes that initialise the table: 32 banks of 4 one-byte entries each. */
static inline uint32_t cw_intra_warp_init_accesses(uint32_t entries)
{
    return (entries + 127) / 128;
}

#endif
