/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wires between the components of the family: all ways by which they touch each other, beside messages. Each wire has one writer. What
 * goes in at one instant comes out at a later one, so the order in which components tick cannot change a result.
 *
 *   ask, grant   core half -> ID vendor or arbiter -> core half
 *   notes        commit unit -> port of the partition
 *   retired      commit unit -> ID vendor
 *   writes       arbiter -> port of a partition (idealised systems)
 *   overwritten  arbiter -> all core halves (idealised systems)
 */
#ifndef CW_MECH_KILO_WIRES_H
#define CW_MECH_KILO_WIRES_H

#include "base/config.h"
#include "base/fifo.h"
#include "base/lanes.h"
#include "base/machine.h"
#include "base/ring.h"
#include "base/state.h"
#include "mech/tm/redo_log.h"
#include "msg/message.h"

/*
 * A warp's request for commit IDs, or for the arbiter's decision. Each warp has one record. It is the core half's. With the push into `ask` it is the
 * answerer's, who may read what it points to, and with the push into `grant` it is the core half's again. In between the core half leaves
 * the record, the log and the stamps alone.
 */
struct cw_kilo_request {
    uint32_t core, warp, attempt;
    cw_lanes members; /* that ask; not 0 */
    const struct cw_redo_log *log;
    uint64_t (*stamp)[CW_LANES]; /* idealised systems: by row of the read log, the commit that the value is of */
    /* the answer */
    uint64_t first;         /* commit ID of the lowest member; the others' follow */
    uint32_t epoch;         /* how often IDs have begun again */
    cw_lanes pass, writers; /* from the arbiter: members that commit; of these, lanes with writes */
};

/* From a commit unit to its port, in order: a message for a core, or what the last-written table has to know. */
enum cw_kilo_note_kind { CW_KILO_NOTE_MESSAGE, CW_KILO_NOTE_EXPECT, CW_KILO_NOTE_WROTE };
struct cw_kilo_note {
    enum cw_kilo_note_kind kind;
    struct cw_message *message;
    uint64_t block;
    uint32_t cnt; /* WROTE, EXPECT: expected writes that are over, that begin */
    bool written; /* WROTE: memory has changed; else the writes will not come */
};

/* The state of one (base/state.h): a message in it is its own. */
void cw_kilo_note_state(struct cw_state *s, struct cw_kilo_note *n);

#define CW_KILO_NOTES 64u

struct cw_kilo_notes {
    struct cw_fifo fifo;                          /* struct cw_kilo_note in place[] */
    struct cw_kilo_note place[CW_KILO_NOTES + 8]; /* the reader may look at one until its next call */
    uint32_t cnt;
};

static inline bool cw_kilo_notes_room(const struct cw_kilo_notes *n, cw_time now)
{
    return cw_fifo_can_push(&n->fifo, now);
}

static inline void cw_kilo_notes_push(struct cw_kilo_notes *n, const struct cw_kilo_note *note, cw_time now, cw_time latency)
{
    struct cw_kilo_note *place = n->place + n->cnt++ % (CW_KILO_NOTES + 8);
    *place = *note;
    cw_fifo_push(&n->fifo, now, latency, place);
}

/* A word that an idealised commit changes, from the arbiter to the partition's port. */
struct cw_kilo_write {
    uint64_t addr, commit;
    cw_time ready; /* the port's first edge at or after this time writes it; later than the time of the push */
    uint32_t core, warp, lane, attempt;
    uint32_t value;
    uint8_t bytes; /* byte enables 3:0 */
};

/* A FIFO of these without bound. */
struct cw_kilo_writes {
    struct cw_kilo_write *at;
    uint32_t cap;
    struct cw_ring ring;
    cw_time *wake; /* the reader's, lowered by each push; may be NULL */
};

/* CW_OK or CW_ENOMEM. */
int cw_kilo_writes_push(struct cw_kilo_writes *q, const struct cw_kilo_write *w);

/* The oldest, or NULL. */
static inline const struct cw_kilo_write *cw_kilo_writes_first(const struct cw_kilo_writes *q)
{
    return q->ring.cnt > 0 ? q->at + q->ring.head : NULL;
}

static inline void cw_kilo_writes_pop(struct cw_kilo_writes *q)
{
    cw_ring_take(&q->ring, q->cap);
}

/*
 * Words that idealised commits have overwritten: a broadcast from the arbiter to all core halves. A reader sees an entry only after its
 * time. Each keeps a place of its own, and may stay behind by CW_KILO_OVERWRITTEN entries; it misses what is older.
 */
#define CW_KILO_OVERWRITTEN 65536u

struct cw_kilo_overwrite {
    uint64_t word, commit;
};

struct cw_kilo_overwritten {
    struct cw_kilo_overwrite *at; /* ring of twice as many: those of the last instant, which nobody sees yet, have room beside the others */
    uint64_t cnt, before;         /* pushed in all; before the last instant */
    cw_time last;                 /* that instant */
};

static inline void cw_kilo_overwritten_push(struct cw_kilo_overwritten *b, struct cw_kilo_overwrite o, cw_time now)
{
    if (b->last != now)
        b->before = b->cnt;
    b->last = now;
    assert(b->cnt - b->before < CW_KILO_OVERWRITTEN);
    b->at[b->cnt++ % (2 * CW_KILO_OVERWRITTEN)] = o;
}

/* The entry at the reader's place, which moves on; NULL when it has seen all that it may see. */
static inline const struct cw_kilo_overwrite *cw_kilo_overwritten_next(const struct cw_kilo_overwritten *b, uint64_t *place, cw_time now)
{
    uint64_t visible = b->last < now ? b->cnt : b->before;
    if (*place == visible)
        return NULL;
    if (visible - *place > CW_KILO_OVERWRITTEN)
        *place = visible - CW_KILO_OVERWRITTEN;
    return b->at + (*place)++ % (2 * CW_KILO_OVERWRITTEN);
}

struct cw_kilo_wires {
    uint32_t cores, partitions, warps; /* `warps` are those of a core. */
    struct cw_kilo_request *request;   /* By core and warp. */
    struct cw_fifo *ask, *grant;       /* by core: struct cw_kilo_request */
    struct cw_kilo_notes *notes;       /* By partition. */
    struct cw_fifo *retired;           /* by partition: 1 + the oldest commit ID that has not retired, as a pointer */
    struct cw_kilo_writes *write;      /* By partition. */
    struct cw_kilo_overwritten overwritten;
};

/* The record of a warp. */
static inline struct cw_kilo_request *cw_kilo_request_of(const struct cw_kilo_wires *w, uint32_t core, uint32_t warp)
{
    return w->request + core * w->warps + warp;
}

/* Their state. Requests come without what they point to, which is the core half's to say. */
void cw_kilo_wires_state(struct cw_state *s, struct cw_kilo_wires *w);
/* A pointer to a request, in a queue (base/fifo.h). */
void cw_kilo_request_slot_state(struct cw_state *s, void **slot, void *wires);

/* arbitrated: with the last two. CW_OK or CW_ENOMEM; destroy them in any case. Readers set the wake times of what they read. */
int cw_kilo_wires_create(struct cw_kilo_wires *w, const struct cw_config *config, bool arbitrated);
void cw_kilo_wires_destroy(struct cw_kilo_wires *w);

#endif
