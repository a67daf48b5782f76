/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Litmus tests: small programs of a few threads. Of those of persistency one can say by Box 2 of Pandey et al. (ASPLOS 2023) what may be
 * durable after a power failure at any moment; of those of memory, by PTX's memory model, what may have been read and what may be left.
 * README.md describes the language.
 */
#ifndef CW_HARNESS_LITMUS_H
#define CW_HARNESS_LITMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cowarp/cowarp.h"

#define LITMUS_NAME    32u /* bytes of a name, with its end */
#define LITMUS_THREADS 8u
#define LITMUS_BLOCKS  8u
#define LITMUS_WARPS   8u  /* of a block */
#define LITMUS_OPS     48u /* of all threads */
#define LITMUS_PLACES  8u
#define LITMUS_WRITES  16u /* to persistent places, releases among them */
#define LITMUS_READS   6u
#define LITMUS_EVENTS  12u /* of a test of memory */
#define LITMUS_LANES   4u  /* of a vector */
#define LITMUS_EXTENT  16u /* bytes of a place of a test of memory with accesses that are not of four bytes */
#define LITMUS_CLAUSES 32u
#define LITMUS_TERMS   8u

enum litmus_kind {
    LITMUS_WRITE, /* place = value */
    LITMUS_OFENCE,
    LITMUS_DFENCE,
    LITMUS_FENCE,   /* fence.acq_rel of PTX; persists are ordered by that of device scope */
    LITMUS_RELEASE, /* pRel(place, value) */
    LITMUS_WAIT,    /* pAcq(place) until it reads value */
    LITMUS_READ,    /* pAcq(place), once */
    LITMUS_LOAD,    /* of a place, without scope */
    /* of tests of memory: accesses of PTX with a sem and a scope */
    LITMUS_MEMORY_LOAD,
    LITMUS_MEMORY_STORE,
    LITMUS_MEMORY_EXCHANGE, /* an atomic that returns what was there */
    LITMUS_MEMORY_FENCE,
    LITMUS_MEMORY_BARRIER /* of the threads of a block that have one; the k-th of each meet */
};

/* What an access or a fence of PTX says of order. */
enum litmus_sem { LITMUS_WEAK, LITMUS_AS_VOLATILE, LITMUS_RELAXED, LITMUS_ACQUIRE, LITMUS_RELEASING, LITMUS_ACQ_REL, LITMUS_SC };

/* The instruction of a LITMUS_WRITE. */
enum litmus_how { LITMUS_PLAIN, LITMUS_VOLATILE, LITMUS_ATOMIC };

struct litmus_op {
    uint8_t kind; /* enum litmus_kind */
    uint8_t how;  /* enum litmus_how */
    uint8_t sem;  /* enum litmus_sem */
    bool device;  /* scope; else block */
    bool system;  /* with device: of system scope. A test has one device, so it says the same */
    bool membar;  /* of a LITMUS_MEMORY_FENCE of kind sc: as membar.cta, .gl or .sys, the older name */
    uint32_t thread, place;
    uint64_t value;
    uint32_t read; /* number of a LITMUS_READ, LITMUS_LOAD, LITMUS_MEMORY_LOAD or LITMUS_MEMORY_EXCHANGE */
    /* of a LITMUS_MEMORY_LOAD or LITMUS_MEMORY_STORE */
    uint8_t bytes, lanes; /* of an element; elements of a vector, which are accesses in no order: results read, read + 1, ... */
    uint8_t offset;       /* in the place, bytes */
    bool texture;         /* ld.global.nc: through another proxy */
    uint8_t guard;        /* 1 + number of a read of the thread: done if that is guard_value; 0: always */
    uint8_t data, index;  /* 1 + number of a read: what is stored; how many elements behind offset the access is, 0 or 1 */
    uint64_t guard_value;
    uint64_t more[LITMUS_LANES - 1]; /* values of the other elements of a vector */
};

enum litmus_space { LITMUS_PERSISTENT, LITMUS_GLOBAL, LITMUS_SHARED };

/* What is written, and what is released and acquired. */
struct litmus_place {
    char name[LITMUS_NAME];
    uint8_t space; /* enum litmus_space */
    uint32_t line; /* places of one number lie in one line of memory */
};

struct litmus_thread {
    char name[LITMUS_NAME];
    uint32_t block, warp;
};

/* "never X = 1, a = 0" */
struct litmus_clause {
    bool never;    /* else "may" */
    uint32_t line; /* of the text */
    uint32_t cnt;
    struct litmus_term {
        bool read; /* number of a read, else of a place */
        uint32_t index;
        uint64_t value;
    } term[LITMUS_TERMS];
};

struct litmus_test {
    char name[LITMUS_NAME]; /* of the file, without .lit */
    bool memory;            /* of PTX's memory model; else of persistency */
    struct litmus_thread thread[LITMUS_THREADS];
    struct litmus_op op[LITMUS_OPS]; /* thread by thread, in program order */
    struct litmus_place place[LITMUS_PLACES];
    char read[LITMUS_READS][LITMUS_NAME];
    struct litmus_clause clause[LITMUS_CLAUSES];
    uint32_t thread_cnt, op_cnt, place_cnt, read_cnt, clause_cnt;
    uint32_t spacing; /* bytes from a place to the next one of its line, in a test of memory: 4 or LITMUS_EXTENT */
};

/* Reads a test; path is for its name and for messages. CW_EINVAL: "PATH:LINE:COLUMN: what is wrong". */
int litmus_parse(struct litmus_test *t, const char *text, size_t length, const char *path, bool memory, struct cw_error *err);

/* How a test of memory comes to a state. */
enum litmus_needs {
    LITMUS_NEEDS_NOTHING, /* some order of all accesses, each thread's in its order, gives it */
    LITMUS_NEEDS_LATE,    /* some order of all accesses in which a thread's pass each other */
    LITMUS_NEEDS_VIEWS    /* none does: two threads see stores in different orders */
};

/* What one execution has read, and what is durable at one moment of it, or left in memory at its end: the first eight bytes of a place. Of
 * other places: 0. */
struct litmus_state {
    uint64_t read[LITMUS_READS], place[LITMUS_PLACES];
    /* not compared; of a test of memory */
    uint8_t needs;       /* enum litmus_needs */
    uint8_t late, first; /* with LITMUS_NEEDS_LATE: an operation that is performed behind the later one, first, of its thread */
};

/* All states that Box 2 or PTX's memory model allows, in a fixed order, none twice. */
struct litmus_allowed {
    struct litmus_state *state;
    uint32_t cnt, cap;
};

/* CW_OK; CW_ECHECK when a clause of the test says something else than the model; CW_EINVAL; CW_ENOMEM. Free it in any case. */
int litmus_enumerate(struct litmus_allowed *a, const struct litmus_test *t, struct cw_error *err);
/* memory.c, of a test of memory: adds its states, in any order and some more than once. CW_OK, CW_ENOMEM, or CW_EINVAL: accesses of other
 * sizes race, or there are more than LITMUS_EVENTS pieces of accesses. */
int litmus_enumerate_memory(struct litmus_allowed *a, const struct litmus_test *t, struct cw_error *err);
/* states.c */
bool litmus_add_state(struct litmus_allowed *a, const struct litmus_state *s);
/* Whether a state tells of the place. */
bool litmus_is_told(const struct litmus_test *t, uint32_t place);
/* Sorts, and looks at the clauses; as litmus_enumerate. */
int litmus_conclude(struct litmus_allowed *a, const struct litmus_test *t, struct cw_error *err);
void litmus_allowed_free(struct litmus_allowed *a);
/* Index of the state, or a->cnt when it is not allowed. */
uint32_t litmus_find(const struct litmus_allowed *a, const struct litmus_state *s);
/* What a machine would have to do to show the state of a test of memory, as a sentence. */
void litmus_explain(char *text, size_t bytes, const struct litmus_test *t, const struct litmus_state *s);
/* "X = 1, Y = 0, a = 1" */
void litmus_describe(char *text, size_t bytes, const struct litmus_test *t, const struct litmus_state *s);

/* Where a thread waits: before each operation; before its first one and before each fence; before its first one, so that the others are
 * adjacent instructions. */
enum litmus_form { LITMUS_DELAY_EACH, LITMUS_DELAY_FENCES, LITMUS_DELAY_FIRST, LITMUS_FORMS };
/* Name of the kernel of that form. */
const char *litmus_kernel(enum litmus_form form);
/* The test as PTX text, a kernel of each form, which the caller frees; NULL: out of memory. The kernels have five pointers as parameters:
 *   role   u32 of each thread of the launch: 0, it does nothing; LITMUS_MAKES_NOISE; else 1 + LITMUS_THREADS * (instance of the test) +
 *          (thread of the test)
 *   place  u64 address of each place of each instance, LITMUS_PLACES of them
 *   delay  u32 turns of a loop before each operation that has one, LITMUS_OPS of each instance
 *   out    u64 value of each read, LITMUS_READS of each instance
 *   noise  u64 addresses, LITMUS_NOISE of them, to which threads write that make noise */
#define LITMUS_MAKES_NOISE UINT32_MAX
#define LITMUS_NOISE       256u
char *litmus_ptx(const struct litmus_test *t, size_t *length);

/* Instances of a test in one launch. */
#define LITMUS_INSTANCES 64u

struct litmus_run {
    uint64_t seed;
    uint32_t launches;
    /* The outcome */
    uint64_t runs;    /* instances that have run */
    uint32_t shown;   /* allowed states that were seen */
    bool *seen;       /* the caller's, [states that are allowed]: which; or NULL */
    char wrong[2048]; /* the first execution with a state that is not allowed, several lines; "" when there is none */
};

/* Runs the test in many places and with many delays on a GPU that keeps a log of persists, and looks at the durable image after each
 * persist. COWARP_OK, also with a state that is not allowed, or what cowarp_run and others answer, with cowarp_error(gpu). */
int litmus_run(struct litmus_run *r, struct cowarp_gpu *gpu, const struct litmus_test *t, const struct litmus_allowed *a);

#endif
