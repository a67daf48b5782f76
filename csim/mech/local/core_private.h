/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transactions in shared memory: what a core keeps. README.md has the protocol.
 *
 * A block is a group here, and a warp a wavefront, as in the paper. A work-item is named by its number in its group.
 *
 * Private to: access.c, advice.c, clear.c, core_half.c, detect.c, local.c, saved.c, shadow.c,
 * turns.c.
 */
#ifndef CW_MECH_LOCAL_CORE_PRIVATE_H
#define CW_MECH_LOCAL_CORE_PRIVATE_H

#include "adapt/bank_detector.h"
#include "adapt/shadow_address.h"
#include "adapt/tcm_select.h"
#include "base/ring.h"
#include "mech/local/keys.h"
#include "mech/mech.h"
#include "mech/tm/keys.h"
#include "mech/tm/redo_log.h"
#include "mech/tm/tell.h"

#define CW_LOCAL_BANKS     32u
#define CW_LOCAL_ROW_BYTES (4u * CW_LOCAL_BANKS)
#define CW_LOCAL_ITEMS     256u /* of a group */
#define CW_LOCAL_GROUPS    16u  /* of a core */
#define CW_LOCAL_PHASES    3u   /* cycles from a request to its answer */
#define CW_LOCAL_INSTS     64u  /* accesses of a core under way */
#define CW_LOCAL_NO_ONE    UINT32_MAX

enum cw_local_sabotage {
    CW_LOCAL_SOUND,
    CW_LOCAL_SKIP_OWNERSHIP,
    CW_LOCAL_NO_RESTORE,
    CW_LOCAL_FORGET_WRITE_SIGNATURE,
    CW_LOCAL_IGNORE_M,
    CW_LOCAL_SELECT_NONE,
    CW_LOCAL_TOKEN_TO_TWO
};

/* Shared by the cores. */
struct cw_local {
    struct cw_mech_host host;
    struct cw_local_keys keys;
    struct cw_local_counters *counters;
    struct cw_tm_counters *tm;
    enum cw_local_sabotage sabotage;
    cw_time period;
    uint32_t width; /* lanes of a wavefront */
    uint32_t words; /* of a group, of the running launch; 0: the kernel has no transactions */
};

/* ---- words ---- */

/* What is kept of a word of a group beside its bytes: owned, S and M are in registers, the owner's number is in shadow memory. */
struct cw_local_word {
    uint16_t sharers; /* work-items that have it in their sets: exact, to tell false conflicts */
    bool owned, shared, modified;
    bool told; /* the oracle may know it */
};

/* A word in the set of a work-item's attempt. */
struct cw_local_entry {
    uint16_t word;
    uint8_t written; /* byte enables 3:0 */
    bool kept;       /* its old value is in shadow memory */
};

struct cw_local_item {
    struct cw_local_entry *entry;
    uint32_t cnt, cap;
};

struct cw_local_group {
    uint64_t warps; /* slots of its wavefronts, in the order of their numbers; 0: no block is there */
    cw_time started;
    struct cw_local_word *word; /* [words] */
    uint32_t word_cap;
    struct cw_local_item item[CW_LOCAL_ITEMS];
    uint32_t running; /* wavefronts with an attempt under way */
    /* The token: who has it, whether others have stopped for it, and who asks for it, oldest first. */
    uint32_t holder; /* slot, or CW_LOCAL_NO_ONE */
    bool used;
    uint8_t queue[64];
    uint32_t queue_cnt;
};

/* ---- wavefronts ---- */

enum cw_local_phase {
    CW_LOCAL_OUT,
    CW_LOCAL_BEGINS, /* at tx_begin, while another wavefront has the token */
    CW_LOCAL_RUNS,
    CW_LOCAL_ENDS,    /* the attempt is over; words are being restored, signatures cleared */
    CW_LOCAL_CHOOSES, /* tcm_select is asked */
    CW_LOCAL_ASKS,    /* between attempts: wants the token, or has it and waits for the others to stop */
    CW_LOCAL_STOPS,   /* between attempts: another wavefront has the token */
};

struct cw_local_wave {
    enum cw_local_phase phase;
    enum cw_local_mode mode;
    uint32_t group, number; /* block slot; in the block */
    uint32_t attempt;
    cw_lanes start;  /* TCM when the attempt began: lanes that are held back */
    cw_lanes before; /* TCM when the last attempt ended; 0: nothing to compare with */
    cw_lanes next;   /* TCM of the next attempt */
    bool stopped;    /* the attempt was aborted for another wavefront's token */
    cw_lanes dead;   /* lanes that have aborted in this attempt, those of start not counted */
    cw_lanes mcm;
    uint32_t undos;                   /* of its lanes' words, not yet done */
    uint32_t clears;                  /* of its signatures, not yet done */
    uint32_t banks, write_banks;      /* that have heard of the attempt; whose write signature is not empty */
    uint32_t stuck;                   /* attempts since the wavefront lost a lane or was stopped */
    cw_time since;                    /* phase */
    cw_time overhead_until, overhead; /* of this attempt */
};

/* ---- accesses ---- */

/* One word of one lane, under way through a bank. */
struct cw_local_ask {
    uint32_t warp, lane;
    uint32_t word;
    bool write;
    struct cw_local_inst *inst;
    uint32_t at; /* index of the word in the lane's access */
};

/* What the bank has answered; see the contract of bank_detector. */
struct cw_local_answer {
    bool conflict, met, backup, own, share, modify;
    uint32_t owner;
};

/* The words that the banks are asked for in one cycle. */
struct cw_local_pass {
    uint64_t cycle; /* in which they were */
    uint32_t banks; /* bit per bank that is */
    struct cw_local_ask ask[CW_LOCAL_BANKS];
};

struct cw_local_inst {
    struct cw_mem_inst *m;
    uint64_t taken, due;   /* cycles; due: when the instruction is complete, known with the last answer */
    uint32_t passes, asks; /* so far; words without an answer */
    uint32_t at;           /* word of each lane that is being asked for */
    uint32_t left;         /* lanes of the half that have not been asked for it */
    uint8_t bytes[CW_LANES][CW_ACCESS_BYTES];
};

/* Words of lanes that have aborted are restored at that time. */
struct cw_local_undo {
    cw_time at;
    uint32_t warp;
    cw_lanes lanes;
};

/* Signatures to be emptied: of lanes, and of the wavefront's write signature. */
struct cw_local_clear {
    uint32_t warp, group, number;
    cw_lanes lanes;
    uint32_t banks, write_banks;
};

struct cw_local_core {
    const struct cw_local *local;
    struct cw_core *core;
    uint32_t index;
    struct cw_local_wave *wave;               /* [core_warps] */
    struct cw_local_group *group;             /* [core_blocks] */
    uint64_t ends;                            /* warps in phase ENDS */
    uint64_t chooses;                         /* and CHOOSES, not yet asked */
    uint32_t chosen;                          /* who was asked about in the last cycle, or CW_LOCAL_NO_ONE, */
    struct cw_adapt_tcm_select_answer choice; /* and the answer */
    struct cw_local_inst *inst;               /* ring of CW_LOCAL_INSTS */
    struct cw_ring inst_ring;
    uint32_t asking;                                /* of these, from the head on: those whose words have all been asked for */
    struct cw_local_pass pass[CW_LOCAL_PHASES + 1]; /* ring */
    struct cw_ring pass_ring;
    struct cw_local_undo *undo; /* ring of a place per lane */
    struct cw_ring undo_ring;
    uint32_t undo_cap;
    struct cw_local_clear *clear; /* ring likewise */
    struct cw_ring clear_ring;
    struct cw_adapt_bank_detector *bank[CW_LOCAL_BANKS];
    struct cw_adapt_tcm_select *select;
    struct cw_adapt_shadow_address *shadow;
    uint32_t awake; /* banks that need a clock without an input */
};

static inline uint32_t cw_local__item(const struct cw_local_core *c, uint32_t warp, uint32_t lane)
{
    return c->wave[warp].number * c->local->width + lane;
}

static inline struct cw_attempt_name cw_local__name(const struct cw_local_core *c, uint32_t warp)
{
    return (struct cw_attempt_name){.core = c->index, .warp = warp, .attempt = c->wave[warp].attempt};
}

static inline uint64_t cw_local__address(const struct cw_local_core *c, uint32_t group, uint32_t word)
{
    return cw_event_shared(c->index, group, 4 * word);
}

static inline void cw_local__memory_full(const struct cw_local_core *c)
{
    cw_mech_fault(&c->local->host, CW_ENOMEM, "out of host memory for transactions in shared memory");
}

/* shadow.c: words, the sets of work-items, backups and owners. */

/* Bytes of shared memory, data included, of a group with so many words; rows: of a bank that it takes. */
uint32_t cw_local__rows(uint32_t words);
uint32_t cw_local__owner(struct cw_local_core *c, uint32_t group, uint32_t word);
uint32_t cw_local__value(struct cw_local_core *c, uint32_t group, uint32_t word);
/* The item's entry for the word; NULL when there is none. */
struct cw_local_entry *cw_local__find(const struct cw_local_group *g, uint32_t item, uint32_t word);
/* The same, made when there is none; NULL when out of host memory. */
struct cw_local_entry *cw_local__enter(struct cw_local_core *c, uint32_t group, uint32_t item, uint32_t word);
/* What the bank does for an answer without conflict: the old value is put aside, the owner and S and M are set. */
void cw_local__settle(struct cw_local_core *c, const struct cw_local_ask *ask, const struct cw_local_answer *a, cw_time now);
/* Lanes commit: their words are told, and free. */
void cw_local__commit(struct cw_local_core *c, uint32_t warp, cw_lanes lanes, cw_time now);
/* Lanes have aborted: their words are to be restored, and then free, when the banks have done it. */
void cw_local__undo(struct cw_local_core *c, uint32_t warp, cw_lanes lanes, cw_time now);
/* Restores what is due; returns when it has to be called again. */
cw_time cw_local__undo_cycle(struct cw_local_core *c, cw_time now);
/* Nobody reads words of the bank without owning them: S of all is 0. */
void cw_local__quiet(struct cw_local_core *c, uint32_t group, uint32_t bank);
/* Regions leave the words from `from` on: the oracle judges those that it knows. */
void cw_local__leave(struct cw_local_core *c, uint32_t group, uint32_t from, uint32_t cnt, cw_time now);

/* detect.c: the units. */

int cw_local__units_create(struct cw_local_core *c, struct cw_error *err);
void cw_local__units_destroy(struct cw_local_core *c);
/* One cycle of the bank detectors: pass, or NULL, is asked; a clear that waits is done. The pass of three cycles ago is answered: returns
 * it with the answers, or NULL. */
const struct cw_local_pass *cw_local__detect(struct cw_local_core *c, const struct cw_local_pass *pass,
                                             struct cw_local_answer answer[CW_LOCAL_BANKS], cw_time now);
/* clear.c */

/* The signatures of these lanes are to be empty, and the wavefront's write signature in the banks of write_banks. */
void cw_local__clear(struct cw_local_core *c, uint32_t warp, cw_lanes lanes, bool write_signature);

/* access.c: accesses to shared memory in transactions. */

enum cw_access_verdict cw_local__access(struct cw_local_core *c, struct cw_mem_inst *m, cw_time now);
/* One cycle; returns when the next one is needed. */
cw_time cw_local__access_cycle(struct cw_local_core *c, cw_time now);

/* turns.c: attempts, who runs the next one, and the token. */

bool cw_local__begin(struct cw_local_core *c, uint32_t warp, cw_lanes lanes, cw_time now);
void cw_local__end(struct cw_local_core *c, uint32_t warp, cw_lanes lanes, cw_time now);
/* Lanes of the running attempt abort. */
void cw_local__abort(struct cw_local_core *c, uint32_t warp, cw_lanes lanes, cw_time now);
cw_time cw_local__turns_cycle(struct cw_local_core *c, cw_time now);
/* The wavefront is in another phase from now on; the cycles of the last one are counted. */
void cw_local__phase(struct cw_local_core *c, uint32_t warp, enum cw_local_phase phase, cw_time now);

/* saved.c */

void cw_local__core_state(struct cw_state *s, struct cw_local_core *c);

/* core_half.c */

extern const struct cw_core_sockets cw_local__sockets;
int cw_local__core_create(struct cw_local_core **out, const struct cw_local *local, uint32_t index, struct cw_error *err);
void cw_local__core_destroy(struct cw_local_core *c);

#endif
