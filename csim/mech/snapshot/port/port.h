/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of a partition's half of snapshot isolation: version index table, writer table and reader list, commit unit, copy engine.
 *
 * Private to: commit_unit.c, copy_engine.c, index.c, oracle_port.c, port.c, saved.c, scan.c.
 */
#ifndef CW_MECH_SNAPSHOT_PORT_PORT_H
#define CW_MECH_SNAPSHOT_PORT_PORT_H

#include "adapt/scalable_reader_list.h"
#include "adapt/version_index_table.h"
#include "adapt/writer_table.h"
#include "base/ring.h"
#include "mech/snapshot/id_set.h"
#include "mech/snapshot/shared.h"
#include "mech/tm/tell.h"

#define CW_SI_OUT       4096u /* messages that wait for the way out; power of two */
#define CW_SI_REQUESTS  256u  /* writes of a commit unit on their way */
#define CW_SI_QUESTIONS 16u   /* power of two; more than the stages of the writer table */
#define CW_SI_LISTS     8u    /* Reader lists of a partition, at most. */
#define CW_SI_STATES    4096u /* what IDs have become and the tables do not know yet; power of two */

/* A transactional access from the crossbar on. */
struct cw_si_op {
    struct cw_message *p; /* What the tables find is entered here: the access until its answer goes, then DATED, which will follow. */
    bool gone;            /* The answer has. */
    cw_time since;        /* it came; the tables see it later */
    bool scanned;         /* the tables have taken all its words */
    bool asked;           /* The tables have been asked about all its words. */
    uint32_t questions;   /* Of these, words that they have not done with. */
    uint32_t pending;     /* edges that are not dated */
    uint32_t next;        /* free list, or those that wait for the tables */
};

/* What the tables are asked about one word of an access: for all lanes that read it, or for one that writes it. */
struct cw_si_table_question {
    enum {
        CW_SI_READ,
        CW_SI_CLAIM,
        CW_SI_GIVE_UP,  /* a lane has lost after its claim, which is taken back */
        CW_SI_TAKE_OVER /* the claim of a higher lane is taken back, then the word is claimed again */
    } kind;
    uint32_t op, lane;
    struct cw_adapt_writer_table_op asked;
    struct cw_adapt_writer_table_answer answer; /* of the writer table */
    cw_lanes to_add[CW_SI_LISTS];               /* Of a read, by list: lanes whose reader it has not taken yet */
    bool to_list[CW_SI_LISTS];                  /* Of a granted claim: it has not been asked for its readers yet */
    uint32_t open;                              /* Lanes, or lists, that are not done */
};

/*
 * Where the tables are in the first access that waits. A question goes to the writer table, and then, if it is of a read or a granted claim, to
 * the reader lists. Each has the transactions of some numbers, so that the lanes of a warp go to all of them at once.
 */
struct cw_si_scan {
    cw_lanes left, group;                                  /* Of the access; of these, the lanes of the next question */
    uint32_t word;                                         /* The next one, of the group. */
    struct cw_si_table_question question[CW_SI_QUESTIONS]; /* ring */
    struct cw_ring ring;
    uint32_t offered;                /* So many, the newest, have not been taken by the writer table */
    uint32_t answered;               /* so many, the oldest, have been answered by the writer table */
    bool granted;                    /* The oldest is a claim of which the word's readers are to be listed */
    bool told_writers, told_readers; /* the tables know the oldest note */
    uint32_t promised;               /* Edges of the readers that are being taken in */
    struct {
        uint32_t question, lane; /* Of the operation under way: place in the ring; of a read */
    } list[CW_SI_LISTS];
};

/* What the tables are to know, in the order in which it was said. */
struct cw_si_writer_note {
    bool sweep;             /* take out what does not count; else: */
    enum cw_writer_op kind; /* RUN, COMMIT or FREE */
    uint16_t id;
};

/* A word that a warp wants to commit. */
struct cw_si_word {
    uint64_t addr;
    uint32_t value;
    uint8_t bytes, lane;
    bool taken; /* written, or on its way */
};

/* The words of a warp that commits here. */
struct cw_si_commit {
    struct cw_attempt_name attempt;
    struct cw_si_word *word;
    uint32_t word_cnt, word_cap;
    cw_lanes accessed, fail, pass;
    uint32_t slot;
    uint32_t written; /* first word that may not be taken */
    uint32_t on_way;
    bool active, decided;
};

struct cw_si_port {
    struct cw_component component;
    struct cw_si *tm;
    uint32_t index;
    cw_time period;
    struct cw_mem_socket *port;
    struct cw_component index_component;
    struct cw_si_index_table *index_table;
    bool renumbers; /* the version manager waits for the table */
    /* accesses */
    struct cw_si_op *op;
    uint32_t op_cap, op_free, op_first, op_last, ops; /* UINT32_MAX: none */
    uint32_t ahead;                                   /* Accesses whose answers have gone before the tables had taken all their words. */
    struct cw_si_scan scan;
    struct cw_adapt_writer_table *writers;
    struct cw_adapt_scalable_reader_list *readers[CW_SI_LISTS]; /* List i has the numbers that are i modulo si.lists */
    struct cw_si_writer_note *state;                            /* ring of CW_SI_STATES */
    struct cw_ring state_ring;
    struct cw_si_set live;
    enum { CW_SI_OWNER_RUNS, CW_SI_OWNER_SEALED, CW_SI_OWNER_COMMITTED } owner[CW_SI_IDS];
    cw_time committed[CW_SI_IDS];
    struct {
        uint32_t core, warp, lane;
    } who[CW_SI_IDS];
    bool sweeping; /* a table, or both */
    /* commit unit */
    struct cw_si_commit *commit; /* by core and warp */
    uint32_t *active;            /* of these, the active ones, oldest first */
    uint32_t active_cnt;
    cw_time input_free, write_free;
    struct cw_si_request_out {
        struct cw_message *p; /* NULL: the place is free */
        cw_time ready;
        uint32_t commit;
        uint32_t words[CW_LANES], cnt;
    } request[CW_SI_REQUESTS];   /* ring */
    struct cw_ring request_ring; /* that have not gone to the L2 */
    uint32_t in_l2;
    uint32_t fed; /* writes that have gone to the L2, modulo 2^32 */
    /* copy engine */
    struct {
        bool active; /* a version is being made */
        bool copied; /* all rows are; the version manager is to be told */
        uint32_t to;
        uint64_t regions[CW_SI_RANGES]; /* of the engine, a bit each, by range */
        struct cw_copier *engine;       /* The partition has it. */
    } copy;
    struct cw_message *out[CW_SI_OUT]; /* ring */
    struct cw_ring out_ring;
};

static inline struct cw_message *cw_si__message(struct cw_si_port *u, struct cw_attempt_name a, uint32_t op,
                                                const struct cw_message_type *type, cw_time now)
{
    struct cw_message *p = cw_mech_message(&u->tm->host, CW_MSG_OWN_REPLY, op, cw_tm_partition_addr(u->tm->config, u->index), type, now);
    p->core = (uint16_t)a.core;
    p->warp = (uint16_t)a.warp;
    p->attempt = a.attempt;
    p->partition = (uint16_t)u->index;
    return p;
}

static inline void cw_si__send(struct cw_si_port *u, struct cw_message *p)
{
    if (u->out_ring.cnt == CW_SI_OUT) {
        cw_mech_fault(&u->tm->host, CW_ELIMIT, "snapshot isolation: too many answers wait for the interconnect");
        return;
    }
    u->out[cw_ring_add(&u->out_ring, CW_SI_OUT)] = p;
}

/* Of the components: saved.c. */
void cw_si__port_state(void *self, struct cw_state *s);
void cw_si__port_index_state(void *self, struct cw_state *s);

/* scan.c: what accesses do to the tables */
void cw_si__free_op(struct cw_si_port *u, uint32_t op);
/* The access whose answer has gone is done with. */
void cw_si__tell_rest(struct cw_si_port *u, uint32_t op);
/* The tables turn to the first access that waits. */
void cw_si__scan_first(struct cw_si_port *u);
/* A cycle of the tables; whether they need the next one. */
bool cw_si__scan_step(struct cw_si_port *u, cw_time now);
void cw_si__scan_index(struct cw_si_port *u, const struct cw_si_index_note *n);
/* A sweep of the tables, after what has been said of IDs before. */
void cw_si__scan_sweep(struct cw_si_port *u);

/* oracle_port.c: the same of sitm-oracle */
bool cw_si__oracle_port_step(struct cw_si_port *u, cw_time now);
/* si.graph=on: the tables have taken all words of the access. */
void cw_si__oracle_port_count(struct cw_si_port *u, const struct cw_message *p, cw_time now);

/* commit_unit.c */
void cw_si__commit_take(struct cw_si_port *u, cw_time now);
bool cw_si__commit_step(struct cw_si_port *u, cw_time now);
void cw_si__commit_written(struct cw_si_port *u, struct cw_message *p, cw_time now);

/* copy_engine.c: what the row copy engine asks for */
int cw_si__copy_create(struct cw_si_port *u, struct cw_error *err);
void cw_si__copy_launch(struct cw_si_port *u);
void cw_si__copy_begin(struct cw_si_port *u, const struct cw_si_index_note *n, cw_time now);
bool cw_si__copy_step(struct cw_si_port *u, cw_time now);
void cw_si__copy_done(struct cw_si_port *u, struct cw_message *p);

/* index.c: the version index table */
/* Rows of device memory, and one. */
uint64_t cw_si__index_rows(const struct cw_config *config);
/* A range has a region for each subarray that it goes through. */
uint32_t cw_si__index_groups(const struct cw_version_range *range);
struct cw_adapt_version_index_table_region cw_si__index_region(const struct cw_config *config, const struct cw_version_range *range,
                                                               uint32_t group);
#define CW_SI_INDEX_CYCLES 3u /* L2 cycles from the arrival of an access to the answer of its look-up */
int cw_si__index_create(struct cw_si_index_table **out, struct cw_si *tm, uint32_t partition, cw_time *component_wake,
                        struct cw_error *err);
void cw_si__index_destroy(struct cw_si_index_table *x);
/* Before a kernel: its regions; the newest version is the only one. */
void cw_si__index_launch(struct cw_si_index_table *x);
void cw_si__index_state(struct cw_state *s, struct cw_si_index_table *x);
bool cw_si__index_idle(const struct cw_si_index_table *x);
/* An access asks for its place. time: of a SNAPSHOT. */
void cw_si__index_look(struct cw_si_index_table *x, struct cw_message *m, enum cw_version_look kind, uint32_t time, cw_time now);
/* A write of the commit unit asks for its place in the slot; so many have one, since the beginning. Places come in the order of these calls. */
void cw_si__index_write(struct cw_si_index_table *x, struct cw_message *m, uint32_t slot, cw_time now);
uint32_t cw_si__index_placed(const struct cw_si_index_table *x, cw_time now);
/* COPY, READY, FREE or RENUMBER, and HOLD or RELEASE of so many transactions, in the order of these calls. */
void cw_si__index_op(struct cw_si_index_table *x, enum cw_version_op kind, uint32_t slot, cw_time now);
void cw_si__index_count(struct cw_si_index_table *x, enum cw_version_op kind, uint32_t slot, uint32_t cnt, cw_time now);
/* The version is readable for accesses that come at `created` or later: at least an L2 cycle from now. */
void cw_si__index_close(struct cw_si_index_table *x, uint32_t slot, uint32_t time, cw_time created, cw_time now);
/* Whether each READY and RENUMBER has been done. */
bool cw_si__index_settled(const struct cw_si_index_table *x, cw_time now);
/* A cycle; the access that has its place now, and whether memory has versions there. NULL: none. */
struct cw_message *cw_si__index_clock(struct cw_si_index_table *x, cw_time now, bool *versioned);

#endif
