/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writes to come at a partition (tcd.mode = closed). They close the hole that the thesis names in 6.4: a snapshot may lie in the middle
 * of a commit. Blocks that commits under way are going to write are counted in hashed counters. A hit may be false, a miss never is.
 */
#ifndef CW_MECH_KILO_EXPECTED_WRITES_H
#define CW_MECH_KILO_EXPECTED_WRITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/state.h"

struct cw_kilo_expected;

/* That many counters, a power of two, for blocks of granule_bytes, a power of two from 4 to CW_LINE_BYTES. NULL: out of memory. */
struct cw_kilo_expected *cw_kilo_expected_create(uint32_t counters, uint32_t granule_bytes);
void cw_kilo_expected_destroy(struct cw_kilo_expected *e);
/* So many more writes to come in the block (byte address / granule_bytes), or, below 0, so many fewer. */
void cw_kilo_expected_add(struct cw_kilo_expected *e, uint64_t block, int change);
void cw_kilo_expected_state(struct cw_state *s, struct cw_kilo_expected *e);
bool cw_kilo_expected_has(const struct cw_kilo_expected *e, uint64_t block);

#endif
