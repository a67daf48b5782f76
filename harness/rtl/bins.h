/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functional coverage: situations of a unit's contract, the bins of tests/rtl/bins/<unit>.txt, and how often a run was in each. Only the
 * ports are looked at, so a bin means the same in front of the C model, of the Verilog, and in a GPU. docs/coverage.md has the language.
 */
#ifndef CW_HARNESS_BINS_H
#define CW_HARNESS_BINS_H

#include <stdbool.h>
#include <stdint.h>

#include "cowarp/unit.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cw_error;

#define CW_BINS_ENOUGH 1000u /* a bin with so many hits is not looked at any more */

/* The bins of a unit, and their counts over all probes. */
struct cw_bins;
/* One instance of the unit, with the history that its bins look at. */
struct cw_bin_probe;

/* Reads a file of bins. 0; CW_EINVAL with file, line and what is wrong; CW_EIO; CW_ENOMEM. *bins is NULL then. */
int cw_bins_open(struct cw_bins **bins, const struct cw_unit *unit, const char *path, struct cw_error *err);
/* After its probes. NULL is ignored. */
void cw_bins_close(struct cw_bins *bins);

uint32_t cw_bins_count(const struct cw_bins *bins);
/* "full_line" or "distance[3]". */
const char *cw_bins_name(const struct cw_bins *bins, uint32_t i);
/* Why nothing reaches the bin; NULL: something must. */
const char *cw_bins_hole(const struct cw_bins *bins, uint32_t i);
/* Cycles in which some probe was in the bin; CW_BINS_ENOUGH stands for more, too. */
uint64_t cw_bins_hits(const struct cw_bins *bins, uint32_t i);

/* Whether a cycle was seen in which the probe was not in the bin. Else it is no situation. */
bool cw_bins_missed(const struct cw_bins *bins, uint32_t i);

/* params is the unit's struct. NULL when out of memory. */
struct cw_bin_probe *cw_bin_probe_create(struct cw_bins *bins, const void *params);
void cw_bin_probe_destroy(struct cw_bin_probe *probe);
/* A cycle of reset: the history is empty. */
void cw_bin_probe_reset(struct cw_bin_probe *probe);
/* A cycle, with the inputs and the outputs at its end. Bits of inputs beyond a port's width do not count. */
void cw_bin_probe_cycle(struct cw_bin_probe *probe, const void *in, const void *out);

#ifdef __cplusplus
}
#endif
#endif
