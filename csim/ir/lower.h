/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lowering: what an assembler makes of PTX before a machine sees it (core.lowering=ptxas). A compiler such as nvcc leaves the order of
 * instructions to it. So the order of the text is not the order in which a card issues.
 *
 * A basic block is cut into stretches at instructions that nothing passes: branches, exits, traps, clocks, regions, calls. In a stretch a
 * graph says what has to come before what. A list scheduler then takes, in each cycle, the instruction with the longest way to the
 * stretch's end among those whose operands are there. Loads have long ways, so they come early. Each thread computes what its text says:
 * no value, guard or access to memory changes, and accesses that may touch the same bytes keep their order.
 *
 * Some micro-ops are no machine instruction: they ride on the one behind them (lower_fold.c). Others are several (lower_slots.c). Short sides
 * of branches get guards (lower_guard.c). Loads of shared memory that stand side by side are one (lower_wide.c).
 *
 * Private to: lower.c, lower_address.c, lower_fold.c, lower_graph.c, lower_guard.c, lower_list.c, lower_slots.c, lower_wide.c.
 */
#ifndef CW_IR_LOWER_H
#define CW_IR_LOWER_H

#include "base/config.h"
#include "ir/build.h"

struct cw_cfg; /* ir/cfg.h */

#define CW_LOWER_STRETCH 2048u /* Most micro-ops that are ordered together: pairs of accesses are compared */

/* Where an access is, as far as the text of its stretch says. Two roots are the same when kind, id and write are. */
enum cw_root {
    CW_ROOT_UNKNOWN,
    CW_ROOT_REGISTER, /* The value of register id after `write` writes of it in the stretch */
    CW_ROOT_VARIABLE, /* The beginning of its segment: the offset is the address */
    CW_ROOT_MODULE    /* The beginning of the module's global variables */
};

struct cw_lower_address {
    uint8_t root;  /* Enum cw_root */
    uint8_t bytes; /* Of the register that holds the address: 4 or 8 */
    uint32_t id, write;
    uint64_t offset;
};

struct cw_lower_access {
    uint32_t at; /* In the stretch */
    struct cw_lower_address address;
    uint32_t bytes;
    uint8_t space; /* Enum cw_space */
    bool reads, writes;
    bool fixed; /* Keeps its order to all accesses: atomics, fences, barriers, volatile */
};

/* Bits of cw_lower.live: live behind the stretch, and where the schedule is. */
#define CW_LIVE_BEHIND 1u
#define CW_LIVE_NOW    2u

struct cw_lower_edge {
    uint32_t to, cycles; /* The other may issue so many cycles later */
    uint32_t next;       /* Edge of the same micro-op, or CW_IR_NONE */
};

struct cw_node {
    uint32_t latency;
    uint32_t height;  /* Cycles from its issue to the end of the stretch on the longest way */
    uint32_t edge;    /* The first one to what has to come later, or CW_IR_NONE */
    uint32_t earlier; /* How many have to come before it */
};

/* One stretch, and what is kept from one to the next. */
struct cw_lower {
    struct cw_ir *ir;
    struct cw_code *k;
    const struct cw_config *config;
    const struct cw_ir_variables *variables;
    const struct cw_vop *op; /* Of the stretch, in the order of the text */
    uint32_t cnt;
    CW_VEC(struct cw_node) node;
    CW_VEC(struct cw_lower_edge) edge;
    CW_VEC(struct cw_lower_access) access;
    /* [register], and behind the last one the carry flag */
    uint32_t *stamp;                   /* The stretch of which the entries below are */
    uint32_t *writer;                  /* The last micro-op that wrote it */
    uint32_t *reader;                  /* The first of the chain of those that have read it since */
    uint32_t *writes;                  /* How many have written it */
    struct cw_lower_address *value;    /* What it holds, where that is a root and an offset */
    CW_VEC(struct cw_lower_edge) read; /* Chains of readers: to, next */
    uint32_t now;                      /* Number of the stretch */
    uint8_t *multiple; /* [register]: its value less residue is a multiple of two to the power of this, wherever it is read */
    uint32_t *residue; /* [register]: of 32 bits, as the addresses of shared memory are */
    /* Pressure, in words of registers; see lower_list.c */
    uint32_t limit;
    uint8_t *live;   /* [register]: CW_LIVE_* */
    uint32_t *uses;  /* [register]: micro-ops of the stretch that read it and have not been taken yet */
    uint32_t words;  /* Live before the stretch */
    uint32_t *order; /* The result: places in the text, by the new order */
};

/* How many machine instructions the micro-op is, if it stands alone (lower_slots.c). */
uint32_t cw_lower_slots(const struct cw_vop *v);
/* Sets rides, slots and timed of the kernel's micro-ops (lower_fold.c). block_of: the block of each. */
void cw_lower_fold(struct cw_ir *ir, struct cw_code *k, const uint32_t *block_of);
/* Whether nothing passes it (lower_graph.c). */
bool cw_lower_is_wall(const struct cw_vop *v);
/* Whether lanes see each other in it, so that it keeps its order to others of this kind (lower_graph.c). */
bool cw_lower_crosses_lanes(const struct cw_vop *v);
/* If-conversion, with rides and slots set (lower_guard.c). Whether branches are gone: blocks are joined then. */
bool cw_lower_guard(struct cw_ir *ir, struct cw_code *k, const struct cw_cfg *cfg);
/* Sets CW_UF_GUARDS (lower_guard.c). */
void cw_lower_find_guards(struct cw_ir *ir, struct cw_code *k);
/* Follows what registers hold, in the order of the text (lower_address.c). */
void cw_address_follow(struct cw_lower *l, const struct cw_vop *v);
struct cw_lower_access cw_access_of(struct cw_lower *l, uint32_t at);
/* Whether the order of the two has to stay. */
bool cw_access_ordered(const struct cw_lower_access *first, const struct cw_lower_access *second);

/* Fills in multiple and residue; writes is zeros before and after (lower_wide.c). */
void cw_wide_prepare(struct cw_lower *l);
/* Of a stretch, which it changes: parts of a wide load stand behind its first one, which has parts and wide set (lower_wide.c). */
void cw_wide_find(struct cw_lower *l, struct cw_vop *op, uint32_t cnt);
/* Micro-ops that issue as one with this one, which is the first of them. */
static inline uint32_t cw_wide_parts(const struct cw_vop *v)
{
    return v->u.parts > 1 ? v->u.parts : 1;
}

/* Fills in node and edge (lower_graph.c). */
void cw_graph_build(struct cw_lower *l);

/* Fills in order (lower_list.c). Bits CW_LIVE_NOW, and words, are those before the stretch. */
void cw_list_schedule(struct cw_lower *l);

#endif
