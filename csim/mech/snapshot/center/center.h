/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of the version manager, of which the GPU has one: transaction IDs, versions, logical times.
 *
 * Private to: center.c, ids.c, notes.c, oracle.c, postdate.c, saved.c, versions.c.
 */
#ifndef CW_MECH_SNAPSHOT_CENTER_CENTER_H
#define CW_MECH_SNAPSHOT_CENTER_CENTER_H

#include "adapt/postdate_unit.h"
#include "base/ring.h"
#include "mech/snapshot/center/exact.h"
#include "mech/snapshot/center/graph.h"
#include "mech/snapshot/id_set.h"
#include "mech/snapshot/shared.h"

#define CW_SI_NONE    UINT32_MAX
#define CW_SI_WAITING 16384u          /* most warps of the GPU */
#define CW_SI_UPDATES (CW_SI_IDS * 8) /* operations that wait for the post-dating unit */

/* What an ID stands for. */
enum cw_si_state {
    CW_SI_UNUSED,
    CW_SI_RUNNING,
    CW_SI_SEALED,    /* its logical times are final, its writes on their way */
    CW_SI_COMMITTED, /* kept for the edges of those that ran beside it */
    CW_SI_DEAD       /* its entries count no more; used again when they are out of all tables */
};

struct cw_si_transaction {
    enum cw_si_state state;
    cw_time begin;
    cw_time committed; /* COMMITTED: when it became visible */
    uint32_t cts;      /* its first; from the answer to its COMMIT on its last */
    uint32_t slot;     /* of its snapshot, which it holds while it runs */
    uint64_t serial;   /* of its begin */
};

/* States of a version (section 3): S1 .. S4. */
enum cw_si_version_state { CW_SI_COPYING, CW_SI_WRITTEN_TO, CW_SI_READABLE, CW_SI_FREED };

struct cw_si_version {
    enum cw_si_version_state state;
    cw_time created;                /* READABLE */
    uint32_t time;                  /* READABLE: its number, by which the version index tables know it */
    uint32_t readers;               /* running transactions that have it as their snapshot */
    uint32_t cts;                   /* largest of those whose writes it has */
    uint64_t content[CW_SI_RANGES]; /* number of the version whose bytes the slot has, by range */
};

/* A warp's request in a queue. */
struct cw_si_request {
    uint32_t core;
    cw_time since;
    cw_time age; /* of begins: the smallest is served first */
    struct cw_si_ask_note note;
};

struct cw_si_queue {
    struct cw_si_request *at; /* ring of CW_SI_WAITING */
    struct cw_ring ring;
};

/* A warp whose commit the open version takes. */
struct cw_si_committer {
    uint32_t core, warp;
    bool done, late; /* late: its version has been closed without it (fault early-close) */
    uint64_t ranges; /* that it writes */
    cw_time since;
    cw_lanes lanes;
    uint16_t id[CW_LANES];
};

/* What was asked of the post-dating unit, by the tag of its answer. */
struct cw_si_question {
    bool edge;
    bool exact;  /* the edge joins two transactions: it belongs into the graph */
    uint32_t id; /* COMMIT */
    bool read_only;
    uint32_t partition;
    struct cw_si_fact_note fact; /* EDGE */
};

/* Logical times: the post-dating unit and what waits for it. */
struct cw_si_times {
    struct cw_adapt_postdate_unit *unit;
    struct cw_adapt_postdate_unit_op *update; /* BEGIN, COMMIT and FREE: ring of CW_SI_UPDATES; before any edge */
    struct cw_si_question question[256];
    uint32_t head, cnt;
    uint8_t tag;
    bool has_edge;
    struct cw_adapt_postdate_unit_op edge; /* of this cycle */
    uint32_t committing;                   /* COMMITs that have not been answered */
    bool run_over;                         /* no time is left: until all transactions have ended */
    uint32_t read_only_cts;                /* largest of read-only transactions that have committed */
    struct cw_si_graph *graph;
};

struct cw_si_center {
    struct cw_component component;
    struct cw_si *tm;
    cw_time period;
    /* IDs */
    struct cw_si_transaction id[CW_SI_IDS];
    uint16_t unused[CW_SI_IDS]; /* ring */
    struct cw_ring unused_ring;
    uint16_t order[CW_SI_IDS * 4]; /* ring: IDs by begin, with ... */
    uint64_t order_serial[CW_SI_IDS * 4];
    struct cw_ring order_ring;
    uint64_t serial;
    uint16_t kept[CW_SI_IDS]; /* ring: committed ones by time */
    struct cw_ring kept_ring;
    struct cw_si_queue begin;
    uint32_t running;  /* transactions with entries in the tables that may get more: from their begin until their writes are in memory */
    uint32_t window;   /* most of them at once, but for a warp that is alone */
    uint32_t hopeless; /* attempts alone with empty tables that these refused, since the last commit; whose the last one was: */
    uint32_t hopeless_core, hopeless_warp;
    bool alone;   /* the only one that runs began with empty tables */
    bool crowded; /* a table was full: nobody begins before all that run have ended and their entries are out of the tables */
    struct cw_si_set dying, swept; /* dead since the last sweep began; before it */
    uint32_t sweeping;             /* partitions that have not answered */
    struct cw_si_times times;
    struct cw_si_exact *exact;   /* what transactions read and write, in sitm-oracle and with si.graph=on; else NULL */
    uint32_t attempt[CW_SI_IDS]; /* of that, by ID */
    /* versions */
    struct cw_si_version version[CW_SI_SLOTS];
    uint32_t newest, open; /* slots; open: CW_SI_NONE: none is copied or written */
    uint64_t number;       /* of versions */
    uint32_t renumbering;  /* partitions that have not answered */
    uint32_t copying;      /* partitions that have not answered */
    cw_time copy_began;
    struct cw_si_queue admission;
    struct cw_si_committer *committer; /* [CW_SI_WAITING] */
    uint32_t committer_cnt, undone;
    bool closing;
    uint32_t turn; /* partition whose edge is dated first */
};

static inline struct cw_si_request *cw_si__queue_head(struct cw_si_queue *q)
{
    return q->ring.cnt > 0 ? q->at + q->ring.head : NULL;
}

static inline void cw_si__queue_pop(struct cw_si_queue *q)
{
    cw_ring_take(&q->ring, CW_SI_WAITING);
}

/* No number is left for a version: nobody begins until all that run have ended, and the newest version has the number 0. */
static inline bool cw_si__versions_run_over(const struct cw_si_center *c)
{
    return c->version[c->newest].time == UINT32_MAX >> (32 - c->tm->keys->si_version_bits);
}

/* Slot of the newest version for a transaction that begins then. */
static inline uint32_t cw_si__versions_at(const struct cw_si_center *c, cw_time begin)
{
    uint32_t best = c->newest;
    for (uint32_t i = 0; i < c->tm->keys->si_versions; i++) {
        const struct cw_si_version *v = c->version + i;
        const bool readable = v->state == CW_SI_READABLE && v->created <= begin;
        if (readable && (c->version[best].created > begin || v->created > c->version[best].created))
            best = i;
    }
    return best;
}

/* Of the component: saved.c. */
void cw_si__center_state(void *self, struct cw_state *s);

/* notes.c: what the version manager says, and what waits in its queues */
void cw_si__queue_push(struct cw_si_queue *q, uint32_t core, const struct cw_si_ask_note *note, cw_time now);
void cw_si__tell_core(struct cw_si_center *c, uint32_t core, const struct cw_si_answer_note *note, cw_time now, cw_time latency);
void cw_si__tell_partitions(struct cw_si_center *c, const struct cw_si_index_note *note, cw_time now);
void cw_si__tell_ids(struct cw_si_center *c, enum cw_si_index kind, uint32_t core, const struct cw_si_ask_note *note, cw_lanes lanes,
                     cw_time time, cw_time now);

/* ids.c */
void cw_si__ids_init(struct cw_si_center *c);
/* A warp wants to begin. */
void cw_si__ids_ask(struct cw_si_center *c, uint32_t core, const struct cw_si_ask_note *n, cw_time now);
/* Begins those that wait, as long as there are IDs. */
void cw_si__ids_begin(struct cw_si_center *c, cw_time now);
/* A table was full for lanes of the warp, which have aborted (SI-TM 4.3). */
void cw_si__ids_crowd(struct cw_si_center *c, uint32_t core, const struct cw_si_ask_note *n);
/* The ID's transaction runs no longer; its snapshot is free. */
void cw_si__ids_release(struct cw_si_center *c, uint32_t id);
void cw_si__ids_die(struct cw_si_center *c, uint32_t id);
/* It has committed, at that time; it stays as long as si.retain says. */
void cw_si__ids_commit(struct cw_si_center *c, uint32_t id, cw_time time);
/* Lets go what nobody needs, and sweeps. */
void cw_si__ids_clean(struct cw_si_center *c, cw_time now);
void cw_si__ids_swept(struct cw_si_center *c);
/* The exact graph lets go what nobody needs. Before it is asked, so that what it finds does not depend on when nothing happened. */
void cw_si__ids_forget(struct cw_si_center *c, cw_time now);

/* versions.c */
void cw_si__versions_init(struct cw_si_center *c);
void cw_si__versions_launch(struct cw_si_center *c);
void cw_si__versions_copied(struct cw_si_center *c, cw_time now);
void cw_si__versions_renumbered(struct cw_si_center *c);
/* The warp's writes are in memory. */
void cw_si__versions_written(struct cw_si_center *c, uint32_t core, const struct cw_si_ask_note *note, cw_time now);
/* Admits, closes, frees and opens. true: a commit that waits can be admitted in the next cycle. */
bool cw_si__versions_step(struct cw_si_center *c, cw_time now);

/* oracle.c: the exact graph, where there is one */
int cw_si__oracle_create(struct cw_si_center *c);
void cw_si__oracle_begin(struct cw_si_center *c, uint32_t id, uint32_t core, uint32_t lane, const struct cw_si_ask_note *n);
void cw_si__oracle_free(struct cw_si_center *c, uint32_t id);
void cw_si__oracle_commit(struct cw_si_center *c, uint32_t id, cw_time time);
/* sitm-oracle: the lanes want to commit; of the writers, those that have to abort. */
cw_lanes cw_si__oracle_seal(struct cw_si_center *c, const struct cw_si_ask_note *n);
/* A word has been read or written: sitm-oracle answers; with si.graph=on it is counted only. */
void cw_si__oracle_count(struct cw_si_center *c, const struct cw_si_fact_note *f);
void cw_si__oracle_access(struct cw_si_center *c, uint32_t partition, const struct cw_si_fact_note *f, cw_time now);
/* oldest: when the oldest running transaction began. */
void cw_si__oracle_clean(struct cw_si_center *c, cw_time oldest, cw_time now);

/* postdate.c: logical times */
int cw_si__times_create(struct cw_si_center *c, struct cw_error *err);
void cw_si__times_destroy(struct cw_si_center *c);
/* Smallest logical time with which a transaction on that version can begin; false: it has to wait. */
bool cw_si__times_first(struct cw_si_center *c, uint32_t slot, uint32_t *cts);
/* The ID's transaction begins with its cts; ends with its last one, of which the unit tells; is over. */
void cw_si__times_begin(struct cw_si_center *c, uint32_t id);
void cw_si__times_commit(struct cw_si_center *c, uint32_t id, bool read_only);
void cw_si__times_free(struct cw_si_center *c, uint32_t id);
/* Whether an edge can be given to the unit in this cycle, and to give it. */
bool cw_si__times_open(const struct cw_si_center *c);
void cw_si__times_edge(struct cw_si_center *c, uint32_t partition, const struct cw_si_fact_note *fact);
/* A cycle of the unit; true: the next one is needed too. */
bool cw_si__times_clock(struct cw_si_center *c, cw_time now);

#endif
