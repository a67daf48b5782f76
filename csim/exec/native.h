/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native code of a kernel, for functional launches: what its compiler, which is loaded at run time (harness/native), and the core that enters
 * it (csim/core/native.c) know of each other. It is straight runs of micro-operations over the 32 lanes of a warp, and the branches that all
 * active lanes take alike, or whose sides are short. Everything else stays with the core: the code stops in front of it, and goes on behind
 * it.
 *
 * What the code does is bit for bit what csim/exec does, instruction by instruction and warp by warp, so nobody can tell the two apart.
 */
#ifndef CW_EXEC_NATIVE_H
#define CW_EXEC_NATIVE_H

#include "exec/exec.h"
#include "ir/module.h"

#define CW_NATIVE_ABI 4u

#define CW_NATIVE_PARTINGS 4u

/* A branch that the code has executed, where some lanes may have parted from others. */
struct cw_native_parting {
    uint32_t pc;
    uint32_t taken;  /* Lanes */
    uint32_t second; /* Not 0: the code has gone on with those that have not taken it, behind those that have */
};

/* What the code sees of its warp. Those that it writes say so. */
struct cw_native_frame {
    uint32_t *r32; /* Register i at r32 + 32 i, a vector of 32 lanes */
    uint64_t *r64;
    uint32_t *pred;
    const struct cw_exec *x;
    uint32_t active; /* Lanes; not 0 */
    uint32_t live;
    uint32_t stop;     /* The PC at which the SIMT stack wants to hear of the warp */
    uint32_t polled;   /* Written by volatile loads. Not 0: the code stops in front of backward branches */
    uint64_t left;     /* Written: warp instructions that it may execute still */
    uint64_t threads;  /* Written: lanes of those that it has executed, added up */
    uint64_t progress; /* Written: grows with what counts as progress */
    uint64_t host;     /* From a device address to the host's */
    uint8_t *shared;   /* The block's shared memory */
    uint64_t shared_bytes;
    uint8_t *local; /* The warp's local memory (core_local.h), of which each thread has so many bytes */
    uint64_t local_bytes;
    const uint8_t *constant; /* The module's constant memory */
    uint64_t constant_bytes;
    struct cw_native_site *site; /* [uop_cnt] */
    const struct cw_memory *memory;
    uint32_t parted; /* Written where the code stops among lanes that have parted: how many of these have led there */
    struct cw_native_parting parting[CW_NATIVE_PARTINGS];
};

/* A load or a store, and where its last lanes went. */
struct cw_native_site {
    const struct cw_uop *uop;
    uint64_t base, bytes; /* Of an allocation in which they lie */
};

/* Executes u for these lanes, not 0, and returns 1; or does nothing and returns 0: the core is to execute it. */
typedef uint32_t cw_native_access(struct cw_native_frame *f, struct cw_native_site *site, uint32_t lanes);

enum cw_native_kind {
    CW_NATIVE_STOP,     /* Left to the core */
    CW_NATIVE_EXEC,     /* As uop->exec does */
    CW_NATIVE_WHOLE,    /* The same when all lanes that have not exited execute it */
    CW_NATIVE_TOGETHER, /* Nothing then */
    CW_NATIVE_NOTHING,
    CW_NATIVE_ACCESS,
    CW_NATIVE_BRANCH
};

/* What the compiler gets. All of it lives as long as the code. */
struct cw_native_source {
    const struct cw_kernel *kernel;
    const uint8_t *kind;             /* [uop_cnt]: enum cw_native_kind */
    cw_native_access *const *access; /* [uop_cnt]; of CW_NATIVE_ACCESS */
};

/* What a piece of code is made of. */
struct cw_native_part {
    uint32_t first, end; /* Micro-operations first to end - 1 */
    bool whole;          /* The code is for warps of which all 32 lanes are active */
};

/* Executes from a place on, and returns the PC of the next instruction. left and threads have counted what was executed. */
typedef uint32_t cw_native_code(struct cw_native_frame *f, uint32_t entry);

#define CW_NATIVE_NO_ENTRY UINT32_MAX

/* A compiler. */
struct cw_native_compiler {
    uint32_t abi;
    int (*open)(void **self, struct cw_error *err);
    /* entry: [uop_cnt], of those of the part the number with which to enter the code in front of the micro-operation, or CW_NATIVE_NO_ENTRY.
     * One thread at a time calls it; any may execute the code, which lives until close. */
    int (*compile)(void *self, const struct cw_native_source *source, const struct cw_native_part *part, cw_native_code **code,
                   uint32_t *entry, struct cw_error *err);
    void (*close)(void *self);
};

#endif
