/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program's persists may leave after a power failure: the stores of a run, and which of them are ordered before which (Pandey et al.
 * 2023, Box 2). A set of stores may be durable when it has, with each store, all that are ordered before it. The machine that has run the
 * program showed a few of these sets; the graph has all.
 *
 * It hears what the persistency oracle hears of the program, with the same rules (persist_thread.c, persist_release.c), and forgets nothing.
 * So it is for small runs: 80 bytes for each store of a thread and each ordering operation. It also hears what threads see of each other, by
 * strong accesses and barriers: what comes after a dFence has returned comes after its thread's persists (persist_seen.c). The oracle need not,
 * since it looks at each dFence as it returns.
 */
#ifndef CW_CHECK_PERSIST_MODEL_H
#define CW_CHECK_PERSIST_MODEL_H

#include "base/error.h"
#include "event/event.h"

#define CW_PERSIST_MODEL_NONE UINT32_MAX

struct cw_persist_model;

/* A store of a thread to one word. */
struct cw_persist_model_store {
    uint64_t addr; /* a multiple of 4 */
    uint32_t value, bytes;
    uint32_t node;
    uint32_t launch;    /* from 0 on */
    uint32_t line;      /* of the PTX file; 0: not known */
    const char *source; /* that line's source file, or NULL, ... */
    uint32_t source_line;
    uint32_t core, warp, lane;
    cw_time now; /* of its issue */
};

struct cw_persist_model_node {
    uint32_t before[2]; /* what is ordered before all of it; these have smaller numbers. Or CW_PERSIST_MODEL_NONE */
};

/* Owned by the model, and valid until it is asked again. Stores come in the order of their issue. */
struct cw_persist_model_graph {
    const struct cw_persist_model_store *store;
    const struct cw_persist_model_node *node;
    const bool *kept; /* [launches]: its end has not made it durable. Else all its stores are ordered before those of later launches */
    uint32_t stores, nodes, launches;
};

/* What if the ordering operations of a line were others? */
enum cw_persist_change {
    CW_PERSIST_SAME,
    CW_PERSIST_WITHOUT,   /* they were not there */
    CW_PERSIST_AS_OFENCE, /* dFences, or fences of PTX that are one, were oFences */
    CW_PERSIST_AS_DFENCE, /* oFences were dFences */
    CW_PERSIST_AS_DEVICE  /* those of block scope were of device scope; line 0: in all lines */
};

/* The ordering operations of one line of the PTX. */
struct cw_persist_model_order {
    uint32_t line;
    const char *source; /* as of a store */
    uint32_t source_line;
    uint8_t kind; /* enum cw_event_order */
    bool device;
    uint64_t times; /* that a thread has made it */
};

struct cw_module;

/* CW_OK or CW_ENOMEM. */
int cw_persist_model_create(struct cw_persist_model **out, enum cw_event_contract contract, struct cw_error *err);
void cw_persist_model_destroy(struct cw_persist_model *m);
/* To be entered in the stream of events; lives as long as the model. */
struct cw_event_listener *cw_persist_model_listener(struct cw_persist_model *m);
/* A launch of the module is over, and `durable`: so is all that it has written. The module stays until the model is gone or forgets. */
void cw_persist_model_launched(struct cw_persist_model *m, const struct cw_module *module, bool durable);
/* The launches so far have not been. */
void cw_persist_model_forget(struct cw_persist_model *m);
/* Persists before the first one of that launch. */
uint64_t cw_persist_model_persists(const struct cw_persist_model *m, uint32_t launch);
/* The graph with that change in a line. CW_OK or CW_ENOMEM. */
int cw_persist_model_graph(struct cw_persist_model *m, enum cw_persist_change change, uint32_t line, struct cw_persist_model_graph *graph,
                           struct cw_error *err);
/* i = 0, 1, ... until it returns false: in the order of first use. */
bool cw_persist_model_order_at(const struct cw_persist_model *m, uint32_t i, struct cw_persist_model_order *order);

#endif
