/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wires of snapshot isolation: what the components tell each other beside the messages of the interconnect. A line has one producer, one
 * consumer and a latency; what goes in at one instant comes out at a later one.
 */
#ifndef CW_MECH_SNAPSHOT_WIRES_H
#define CW_MECH_SNAPSHOT_WIRES_H

#include "base/error.h"
#include "base/fifo.h"
#include "base/lanes.h"
#include "base/machine.h"
#include "base/state.h"

/* A line of notes of one type. The note that a pop returns is valid until the next pop. */
struct cw_si_line {
    struct cw_fifo fifo;
    unsigned char *slot;
    uint32_t size, slots, next;
};

/* size: bytes of a note. CW_OK or CW_ENOMEM; destroy it in any case. */
int cw_si_line_create(struct cw_si_line *l, uint32_t size, uint32_t capacity, cw_time *wake);
void cw_si_line_destroy(struct cw_si_line *l);
/* The caller has looked for room (cw_fifo_can_push), or knows that there is some. */
void cw_si_line_push(struct cw_si_line *l, const void *note, cw_time now, cw_time latency);
/* NULL: nothing has come. */
const void *cw_si_line_pop(struct cw_si_line *l, cw_time now);

/* Its state; note walks one of its notes. */
void cw_si_line_state(struct cw_state *s, struct cw_si_line *l, void (*note)(struct cw_state *s, void *note));

/* Core to version manager. */
enum cw_si_ask {
    CW_SI_BEGIN,  /* an attempt of these lanes wants to begin */
    CW_SI_ABORT,  /* these lanes have aborted, and nothing of theirs is on its way */
    CW_SI_SEAL,   /* these lanes want to commit: their logical times are final; writers want a version */
    CW_SI_WRITTEN /* the words of `lanes` are in memory; `writers` without these have failed at a commit unit */
};
struct cw_si_ask_note {
    uint32_t kind, warp;
    cw_lanes lanes, writers;
    cw_lanes crowded; /* ABORT: of the lanes, those that a full table has refused */
    cw_lanes failed;  /* SEAL, the version manager's: of the writers, those that another writer of a word has been ahead of */
    cw_time age;      /* BEGIN: when the transaction first asked */
    uint32_t blocks;  /* BEGIN: blocks that have taken the warp's slot: with core, warp and lane that names a thread */
    cw_time looked;   /* BEGIN: the warp's threads have seen what others did outside of transactions until then */
    uint64_t ranges;  /* SEAL: bit r: words of versioned range r are written */
    uint16_t id[CW_LANES];
};

/* Version manager to core. */
enum cw_si_answer {
    CW_SI_BEGUN,    /* the attempt begins now: its snapshot is that of this moment */
    CW_SI_ADMITTED, /* the warp may write into the version in `slot` */
    CW_SI_VISIBLE   /* that version is readable from now on */
};
struct cw_si_answer_note {
    uint32_t kind, warp, slot;
    cw_lanes failed; /* ADMITTED: these may not */
    cw_time begin;
    uint32_t snapshot;     /* BEGUN: time of the newest version */
    uint16_t id[CW_LANES]; /* BEGUN: of its lanes */
};

/* Version manager to partition. */
enum cw_si_index {
    CW_SI_ID_NEW,       /* these IDs belong to running transactions: of these lanes of a warp, in their order */
    CW_SI_ID_DEAD,      /* ... to nobody: what the tables have of them counts no more */
    CW_SI_ID_SEALED,    /* ... to transactions that are about to commit */
    CW_SI_ID_COMMITTED, /* ... to transactions that committed at `time` */
    CW_SI_SWEEP,        /* take what is of dead IDs out of the tables, and say when it is done */
    CW_SI_COPY,         /* copy what has changed from one slot to another, and say when it is done */
    CW_SI_CREATE,       /* the version in `slot` is readable from `time` on, as number `number` */
    CW_SI_FREE,         /* nobody reads the version in `slot` any more */
    CW_SI_RENUMBER      /* the only readable version, in `slot`, has the number 0 now; say when it is done */
};
struct cw_si_index_note {
    uint32_t kind, slot, from; /* of IDs, slot: of their snapshots */
    uint32_t number;
    uint32_t core, warp;
    cw_lanes lanes;
    uint32_t ids;
    cw_time time;
    uint64_t ranges; /* COPY: bit r: range r has changed */
    uint16_t id[CW_LANES];
};

/* Partition to version manager. An edge leads from a reader of a word to a writer of it. */
enum cw_si_fact {
    CW_SI_EDGE,
    CW_SI_SWEPT,
    CW_SI_COPIED,
    CW_SI_RENUMBERED,
    CW_SI_HAS_READ, /* sitm-oracle: the transaction `reader` or `writer` reads or writes `word` */
    CW_SI_HAS_WRITTEN
};
struct cw_si_fact_note {
    uint32_t kind;
    uint16_t reader, writer;
    uint64_t word;
    bool reader_asks; /* the edge is of a read; else of a write */
    uint32_t op;      /* the partition's own: comes back */
    uint32_t lane;
};

/* Version manager to partition: what became of an edge, or of a word that was read or written. */
struct cw_si_verdict_note {
    uint32_t op, lane;
    bool refused;
    bool write_write; /* refused for another writer of the word */
};

/* States of notes. */
void cw_si_ask_state(struct cw_state *s, void *note);
void cw_si_answer_state(struct cw_state *s, void *note);
void cw_si_index_state(struct cw_state *s, void *note);
void cw_si_fact_state(struct cw_state *s, void *note);
void cw_si_verdict_state(struct cw_state *s, void *note);

#endif
