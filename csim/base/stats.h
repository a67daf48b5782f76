/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics: 64-bit counters for the whole chip. Name, unit and definition of the machine's are in base/stats.def. A mechanism has a file
 * of the same form, its counters.def, from which it makes a struct of uint64_t and a table:
 *
 *   struct cw_tracer_counters {                     static const struct cw_counter counters[] = {
 *   #define CW_LIST "mech/tracer/counters.def"      #define CW_LIST "mech/tracer/counters.def"
 *   #include "base/counter_fields.h"                #include "base/counter_rows.h"
 *   };                                              };
 *
 * X(name, unit, definition) is a sum, M a maximum, W a sum with a line in wave files; P and S(name, whole, unit, definition) are X and W of a
 * part of another counter, of any set.
 *
 * The mechanism's descriptor names the set (struct cw_mech, counters). Nothing else is needed: statistics and waves have it.
 */
#ifndef CW_BASE_STATS_H
#define CW_BASE_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define CW_STATS_OWN 512u /* counters of all mechanisms of a program */

struct cw_stats {
#define X(field, unit, definition)        uint64_t field;
#define M(field, unit, definition)        uint64_t field;
#define P(field, whole, unit, definition) uint64_t field;
#include "base/stats.def"
#undef X
#undef M
#undef P
    /* Counters of the mechanisms (cw_stats_own), set after set. */
    uint64_t own[CW_STATS_OWN];
};

static inline void cw_stat_max(uint64_t *field, uint64_t value)
{
    if (value > *field)
        *field = value;
}

struct cw_counter {
    const char *name, *unit, *definition;
    bool shown;          /* has a line in wave files */
    bool maximum;        /* over the run, not a sum */
    const char *part_of; /* the whole that it and others make up: a counter, or a name of its own ("issue_slots"); NULL: it is no part */
};

/* A ratio that one would else compute from counters: factor x numerator / denominator. Each is a counter of any set, or "cycles": core
 * cycles of the GPU. */
struct cw_ratio {
    const char *name, *numerator, *denominator;
    double factor;
    const char *unit, *definition;
};

struct cw_counter_set {
    const char *owner; /* folder of the mechanism that the counters belong to */
    const struct cw_counter *counter;
    uint32_t counter_cnt;
    const struct cw_ratio *ratio; /* may be NULL */
    uint32_t ratio_cnt;
};

/* The counters of a set of the program, as the struct that its mechanism has made of its counters.def; NULL when the program has no such
 * set. It looks for the set, so callers do it once and keep the pointer, which is valid as long as stats. */
void *cw_stats_own(struct cw_stats *stats, const struct cw_counter_set *set);
/* CW_EINVAL when the mechanisms of the program have more than CW_STATS_OWN counters. */
int cw_stats_check(struct cw_error *err);

/* How many counters there are: the machine's, then those of the mechanisms. */
uint32_t cw_stats_count(void);
/* index < cw_stats_count(). Strings are static. */
const struct cw_counter *cw_stats_counter(uint32_t index);
/* The set that the counter is of; NULL: it is the machine's. */
const struct cw_counter_set *cw_stats_set(uint32_t index);
const uint64_t *cw_stats_value(const struct cw_stats *stats, uint32_t index);
/* Adds all counters of `part`, which counts for a part of the chip, to those of sum; of a maximum the larger one stays. */
void cw_stats_add(struct cw_stats *sum, const struct cw_stats *part);
/* Index of a name; CW_EINVAL with a suggestion when there is none. */
int cw_stats_find(uint32_t *index, const char *name, struct cw_error *err);

/* Rows of a table and fields of a struct, from counters.def. */
#define CW_COUNTER_FIELD(field, unit, definition)             uint64_t field;
#define CW_COUNTER_SUM(field, unit, definition)               {#field, unit, definition, false, false, NULL},
#define CW_COUNTER_SHOWN(field, unit, definition)             {#field, unit, definition, true, false, NULL},
#define CW_COUNTER_MAX(field, unit, definition)               {#field, unit, definition " (maximum)", false, true, NULL},
#define CW_COUNTER_PART_FIELD(field, whole, unit, definition) uint64_t field;
#define CW_COUNTER_PART(field, whole, unit, definition)       {#field, unit, definition, false, false, #whole},
#define CW_COUNTER_PART_SHOWN(field, whole, unit, definition) {#field, unit, definition, true, false, #whole},

#endif
