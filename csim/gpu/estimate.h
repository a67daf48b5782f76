/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cycles from samples. What runs without time takes as many cycles for each of its warp instructions as what was timed of its kind. That is a
 * ratio estimator; the spread of the samples gives its confidence interval (Cochran, Sampling Techniques, chapter 6).
 */
#ifndef CW_GPU_ESTIMATE_H
#define CW_GPU_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

/* Samples of one kind: cycles y that x warp instructions took. */
struct cw_samples {
    uint32_t cnt;
    double x, y, xx, xy, yy;
};
void cw_samples_add(struct cw_samples *s, double cycles, double instructions);
void cw_samples_join(struct cw_samples *s, const struct cw_samples *more);
/* Cycles for each warp instruction; 0: there is no sample. */
double cw_samples_ratio(const struct cw_samples *s);
/* Squares of what the samples differ from the ratio, over their number and the mean of their instructions squared. */
double cw_samples_spread(const struct cw_samples *s);
/* Half of the interval that holds the ratio with a probability of 95 percent, by Student's t; INFINITY with fewer than two samples. */
double cw_samples_half(const struct cw_samples *s);

/* An estimate: the middle of an interval, and the variance of the middle (half of the interval over 1.96, squared). */
struct cw_estimate {
    double cycles, variance;
};
void cw_estimate_add(struct cw_estimate *e, double cycles, double half);
double cw_estimate_half(const struct cw_estimate *e);

/* Launches of one kernel, grid and block whose warp instructions differ by less than a quarter. */
struct cw_launch_class {
    int32_t size; /* Logarithm of the instructions to the base 1.25, rounded down */
    struct cw_samples timed;
    double untimed; /* Warp instructions of those without time */
};
#define CW_LAUNCH_CLASSES 64u /* Of a kind; further ones join the nearest */

struct cw_launch_kind {
    const void *kernel;
    uint32_t grid[3], block[3];
    uint64_t seen, due; /* Launches so far, and the one that is timed whatever is known: times change in the course of a program */
    uint32_t last;      /* The class of the last one */
    uint32_t class_cnt;
    struct cw_launch_class *of; /* [CW_LAUNCH_CLASSES], owned */
};

struct cw_launch_kinds {
    struct cw_launch_kind *kind; /* [cnt], owned */
    uint32_t cnt, room;
};
/* The kind of a launch; NULL: out of memory. Valid until the next call. */
struct cw_launch_kind *cw_launch_kind(struct cw_launch_kinds *k, const void *kernel, const uint32_t grid[3], const uint32_t block[3]);
/* Whether the next launch of the kind has to be timed for an interval of that half, as a part of the whole. */
bool cw_launch_wants_time(const struct cw_launch_kind *k, double bound);
/* The first of a kind finds other caches than those behind it, and is no sample. */
void cw_launch_timed(struct cw_launch_kind *k, double cycles, double instructions);
/* The answer: the cycles of a launch that ran without time. */
double cw_launch_untimed(struct cw_launch_kind *k, double instructions);
/* Adds the uncertainty of those without time. */
void cw_launch_kinds_sum(const struct cw_launch_kinds *k, struct cw_estimate *e);
void cw_launch_kinds_free(struct cw_launch_kinds *k);

#endif
