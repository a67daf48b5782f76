/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last cycles of a run, kept in memory for a wave that is written only when something happens.
 *
 * What is kept is not the wave but what it is made from: the values that the C side showed at each dump, as changes, and what was asked of
 * each RTL instance, with its inputs. From time to time (cw_wave_ring_turn) a new segment begins, with the state of every RTL instance; two
 * segments are kept. To write the file, the RTL instances go back to where the older segment begins and do the same again, now
 * with a trace, and return to the present. So a run that waits for its event pays for copying inputs, not for tracing, and the
 * file shows every signal of the RTL with its value from the first time on.
 */
#ifndef CW_HARNESS_WAVE_RING_H
#define CW_HARNESS_WAVE_RING_H

#include "base/error.h"
#include "rtl/rtl_library.h"
#include "wave/fst_file.h"
#include "wave/tap.h"

struct cw_wave_ring;

/* An RTL instance that the ring follows; operations are noted under its index in the list. */
struct cw_wave_ring_rtl {
    const struct cw_rtl_library *library; /* NULL: the unit has no RTL here, its operations are not noted */
    void *self;
    size_t in_size, out_size; /* of the unit's structs */
};

/* Signals and enums as cw_fst_file_open has them; their values are read at each dump. They, and the instances, must outlive the ring; rtl
 * is copied. The first segment begins now. CW_OK or CW_ENOMEM. */
int cw_wave_ring_create(struct cw_wave_ring **ring, const struct cw_fst_content *content, const struct cw_wave_ring_rtl *rtl,
                        uint32_t rtl_cnt, struct cw_error *err);
void cw_wave_ring_destroy(struct cw_wave_ring *ring);

/* Before the instance does it. in: NULL for a reset. */
void cw_wave_ring_op(struct cw_wave_ring *ring, uint32_t rtl, enum cw_tap_op op, const void *in);
/* The signals have the values of time_ps, which grows from call to call. */
void cw_wave_ring_dump(struct cw_wave_ring *ring, uint64_t time_ps);
/* Begins a segment; the last but one is forgotten. */
void cw_wave_ring_turn(struct cw_wave_ring *ring);

/* The wave from the first dump at or after from_ps on. CW_OK, CW_EIO, or CW_ENOMEM, also when memory
 * ran out while the run was noted. */
int cw_wave_ring_write(struct cw_wave_ring *ring, uint64_t from_ps, const char *path, struct cw_error *err);

#endif
