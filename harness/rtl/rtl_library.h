/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a library libcw_rtl_<unit>_<hash>.so exports: one function, cw_rtl_library(), that gives this table. One library holds
 * one unit, Verilated with one set of parameter values. C and C++.
 *
 * All such libraries link to one libcw_verilated-<version>-<ABI>.so, which holds Verilator's run time and its FST writer. Code that
 * writes waves links to the same library (never to another copy of the run time or of fstapi.c).
 */
#ifndef CW_HARNESS_RTL_LIBRARY_H
#define CW_HARNESS_RTL_LIBRARY_H

#include <stdint.h>

#include "cowarp/unit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when this file, the run time's own sources or struct cw_unit_ops change, or what rtl_shim.c puts into the shim's template. */
#define CW_RTL_ABI 10u

/* An assert that did not hold. */
struct cw_rtl_violation {
    const char *file; /* of the assert, as the build named it; of the library, so valid until that is closed */
    uint32_t line;
    uint64_t cycle; /* ticks and resets before it */
};

struct cw_rtl_library {
    uint32_t abi;          /* CW_RTL_ABI of the build */
    const char *unit;      /* "stall_buffer" */
    const char *params;    /* "lines=4 entries=4 ..." in the order of the unit's list */
    uint64_t digest;       /* of the sources that it was built from */
    const char *verilator; /* version */
    /* 1: the shim calls the functions that Verilator made of the unit: the one for inputs when one has changed, and the one for the edge.
     * 0: it leaves that to Verilator's eval, with the same results. */
    uint32_t direct;
    /* 1: the short way: a cycle takes one evaluation of the model, as no output depends on an input of the same cycle. 0: it takes two. */
    uint32_t one_eval;
    /* 1: an edge is left out when the inputs are those of the edge before, and that has left the whole of the model as it was. 0: no edge
     * is, since the model is large, or since its Verilog does more than to compute from its own state (a random number, a message). */
    uint32_t sleeps;
    /* create makes a context of its own. It ignores params: they are built in. */
    struct cw_unit_ops ops;
    uint32_t properties; /* 1: the asserts of the Verilog run along, see violation */
    /* As ops.create, in a context from cw_rtl_context_create; name is the instance's path, the top scope of its waves.
     * Models that go into one wave file must share one context. seed: 0, and every register and RAM begins as 0; else each begins as
     * a random number, which seed and name determine. */
    int (*create_in)(void **self, void *context, const char *name, uint32_t seed);
    /* The VerilatedModel * (C++) of an instance. */
    void *(*model)(void *self);
    /* Adds the instance to a VerilatedFstC * (fst), before fst is opened; depth: levels of hierarchy, 0 all. fst NULL: nobody looks inside
     * any more, fst is closed. */
    void (*trace)(void *self, void *fst, int depth);
    /* The instance's state, to return to. save writes at most size bytes of it and returns how many it has, which is the same for all
     * instances of the library at all times; restore takes that many. 0: a build for coverage, which cannot. */
    size_t (*save)(void *self, void *state, size_t size);
    void (*restore)(void *self, const void *state, size_t size);
    /* 1: the instance's next cycle goes the short way; 0: it does not, since the library has none, or since a wave looks inside. */
    int (*takes_one_eval)(const void *self);
    /* Edges that were left out since the instance was created. */
    uint64_t (*slept)(const void *self);
    /* The first assert that did not hold since the instance was created; NULL: none. Any thread. */
    const struct cw_rtl_violation *(*violation)(const void *self);
};

const struct cw_rtl_library *cw_rtl_library(void);

/* In libcw_verilated: a VerilatedContext with tracing switched on. NULL when out of memory. */
void *cw_rtl_context_create(void);
/* After the last model in it. */
void cw_rtl_context_destroy(void *context);
/* In libcw_verilated, for this thread: a VerilatedFstC that is opened from now on writes into this file, which is empty and open for
 * reading and writing and may be closed after that; its name is of no use. -1: into the file that it names. */
void cw_fst_write_to(int fd);
/* errno of the first thing that has gone wrong in writing FST files on this thread since the last call; 0: nothing has. */
int cw_fst_failure(void);

#ifdef __cplusplus
}
#endif
#endif
