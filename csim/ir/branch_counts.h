/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many threads went which way at the conditional branches of kernels. A run records it, and the reader finds likely-convergence points
 * of a later run by it (lpc_profile.c). As text, one line each:
 *
 *     cowarp branches 1                                1: the version of this form
 *     kernel NAME DIGEST BRANCHES                      digest of the kernel's instructions; how many branches follow
 *     branch 17 line 42: 23=96 next=32                 96 threads went on at instruction 23, 32 at the next one
 *     end
 *
 * Instructions are numbered as the kernel's micro-ops, from 0 on. The line is that of the PTX file, for people. Ways come in the order of
 * cw_branch_ways.
 */
#ifndef CW_IR_BRANCH_COUNTS_H
#define CW_IR_BRANCH_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct cw_kernel;

struct cw_branch_way {
    uint32_t to; /* micro-op */
    uint64_t threads;
};

struct cw_branch_count {
    uint32_t at;           /* micro-op */
    uint32_t line;         /* in the PTX file */
    uint32_t way, way_cnt; /* from the kernel's way[way] on */
    bool falls;            /* the last way is that of threads whose guard is false */
    uint32_t where;        /* line of the text that says it; 0: no text does */
};

struct cw_kernel_counts {
    char *name;
    uint64_t digest;
    struct cw_branch_count *branch; /* in the order of micro-ops */
    uint32_t branch_cnt, branch_cap;
    struct cw_branch_way *way;
    uint32_t way_cnt, way_cap;
    uint32_t where;
};

struct cw_branch_counts {
    char *file; /* for messages; NULL: recorded, not read */
    struct cw_kernel_counts **kernel;
    uint32_t kernel_cnt, kernel_cap;
};

/* A conditional branch: with a guard, with several targets, or with both. */
struct cw_branch_shape {
    uint32_t at;
    bool guarded;
    const uint32_t *target;
    uint32_t target_cnt;
};

/* Fills to, which has room for target_cnt + 1, with the ways on: the targets, each once, in the order of the table, then with a guard the
 * next instruction. Returns how many. */
uint32_t cw_branch_ways(const struct cw_branch_shape *s, uint32_t *to);

/* NULL: no memory. */
struct cw_branch_counts *cw_branch_counts_create(void);
void cw_branch_counts_destroy(struct cw_branch_counts *c);
/* *out is what the text says; CW_EINVAL, with file and line, for anything that is not of the form above. */
int cw_branch_counts_read(struct cw_branch_counts **out, const char *text, size_t length, const char *file, struct cw_error *err);
void cw_branch_counts_write(const struct cw_branch_counts *c, FILE *out);

/* The kernel's entry, NULL when there is none. */
struct cw_kernel_counts *cw_branch_counts_find(const struct cw_branch_counts *c, const char *name, size_t length, uint64_t digest);
/* The kernel's entry, a new one with counts of 0 when there was none; it stays where it is. */
int cw_branch_counts_add(struct cw_branch_counts *c, struct cw_kernel_counts **entry, const struct cw_kernel *kernel, struct cw_error *err);

#endif
