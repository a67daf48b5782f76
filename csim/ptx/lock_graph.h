/* SPDX-License-Identifier: Apache-2.0 */
/* Which begins and ends of transactions belong together: by the ways through a function, not by the order of its text. */
#ifndef CW_PTX_LOCK_GRAPH_H
#define CW_PTX_LOCK_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cw_lock_kind {
    CW_LOCK_LABEL,
    CW_LOCK_BRANCH,
    CW_LOCK_ANY_BRANCH, /* to any label of the function */
    CW_LOCK_LEAVE,      /* ret, exit */
    CW_LOCK_TRAP,
    CW_LOCK_BEGIN,
    CW_LOCK_END
};

/* A place of a function where its way divides, ends, or goes into a transaction or out of it. */
struct cw_lock_point {
    enum cw_lock_kind kind;
    bool guarded;     /* under a predicate */
    const char *name; /* LABEL, BRANCH: of a label; not terminated */
    uint32_t length, line;
    /* BEGIN, END: where the text of the loop goes, and the braces that its labels have to be in */
    size_t at;
    uint32_t scope;
    uint32_t
        group; /* set by cw_lock_graph: the first point of the set of begins and ends that ways join; a begin or end of no way: itself */
};

/*
 * Joins the begins and ends of a function, whose points stand in the order of its text; the last one is a LEAVE. CW_OK; CW_ENOMEM; or CW_EUNSUP, when a way meets a
 * begin inside a transaction or an end outside, or none leads from a begin to an end: then *why says which, and *line where.
 */
int cw_lock_graph(struct cw_lock_point *point, uint32_t cnt, const char **why, uint32_t *line);

#endif
