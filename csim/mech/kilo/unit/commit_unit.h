/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of a commit unit of the Kilo TM family. What it does is in commit_unit.c.
 *
 * Private to: commit_unit.c, commit_unit_hazard.c, commit_unit_l2.c, commit_unit_log.c, commit_unit_news.c, commit_unit_out.c,
 * saved.c.
 */
#ifndef CW_MECH_KILO_COMMIT_UNIT_H
#define CW_MECH_KILO_COMMIT_UNIT_H

#include <stdlib.h>
#include <string.h>

#include "adapt/commit_unit.h"
#include "adapt/reference_count_table.h"
#include "base/ring.h"
#include "mech/kilo/parts.h"
#include "mech/kilo/unit/census.h"
#include "mech/kilo/unit/hazard.h"
#include "mech/tm/tell.h"

#define CW_KILO_NIL         UINT32_MAX /* no word */
#define CW_KILO_L2_REQUESTS 1024u      /* reads and writes on their way to the L2 or in it; power of two */

/* A word of a read set or write set. */
struct cw_kilo_word {
    uint64_t addr;
    uint32_t value, next; /* next: of the lane's set, or CW_KILO_NIL */
    uint8_t lane, bytes;
};

/* The entries of one warp's commit. */
struct cw_kilo_group {
    uint64_t first;
    uint64_t rcid; /* oldest entry when the comparison began: older writers are in memory */
    struct cw_attempt_name attempt;
    uint32_t cnt; /* members */
    cw_lanes members;
    cw_lanes accessed; /* valid when filled */
    bool filled;
    uint32_t head[2][CW_LANES], tail[2][CW_LANES]; /* read set, write set: into word[], or CW_KILO_NIL */
    struct cw_kilo_word *word;
    uint32_t word_cnt, word_cap;
    cw_lanes passed, failed;               /* verdicts */
    cw_lanes out_pass, out_fail;           /* decisions */
    cw_lanes readers, writers;             /* lanes with reads, with writes */
    uint32_t undetected;                   /* entries that hazard detection has not taken in full; valid when filled */
    cw_lanes committing, written;          /* lanes whose writes have been queued, are done */
    bool probe;                            /* validation of a running transaction */
    bool over;                             /* EAPG: its end is known */
    struct cw_kilo_news *news;             /* EAPG: what it has announced, until it is over. NULL */
    uint32_t live;                         /* entries not retired */
    struct cw_kilo_group *older, *younger; /* by arrival, while an entry may still be checked for hazards */
    struct cw_kilo_group *next;            /* free list */
};

/* The datapath of an entry of the ring; what it waits for, the ring knows. */
struct cw_kilo_entry {
    struct cw_kilo_group *group; /* NULL: nothing known yet */
    uint32_t cursor;             /* hazard detection: next word, or CW_KILO_NIL */
    uint32_t checks, writes;     /* words not compared, not written */
    uint8_t lane, pass_over;     /* pass_over: 0 reads, 1 writes */
    bool differs, again;         /* again: it is being compared again */
    bool writing, written;       /* write-back has begun; all words are in memory */
    uint8_t used, needed;        /* census: bit 0 the read set's buffer, bit 1 the write set's */
    /* sets that did not fit: read set, write set */
    bool started;                    /* cursor is valid */
    bool over[2], asked[2], here[2]; /* here: sent again, and complete */
};

/* A word that waits to be compared or written. */
struct cw_kilo_job {
    struct cw_kilo_group *group; /* NULL: taken along with an earlier one */
    uint32_t word, batch;
};

struct cw_kilo_jobs {
    struct cw_kilo_job *at;
    uint32_t cap;
    struct cw_ring ring;
};

struct cw_kilo_l2_request {
    struct cw_kilo_group *group;
    uint32_t cnt;
    bool real; /* not WarpTM-EL, where the arbiter has written memory */
    uint32_t word[4 * CW_LANES];
    struct cw_message *p;
    cw_time ready;
};

struct cw_kilo_unit;

/* What the systems do differently in a commit unit; commit_unit.c has a table per kind. */
struct cw_kilo_unit_hooks {
    void (*report)(struct cw_kilo_unit *u, const struct cw_adapt_commit_unit_view *v, cw_time now); /* the unit's own verdict. NULL */
    void (*decide)(struct cw_kilo_unit *u, const struct cw_adapt_commit_unit_view *v); /* instead, in place of a message. NULL */
    void (*publish)(struct cw_kilo_unit *u, cw_time now);                              /* tells the vendor what has retired. NULL */
    void (*filled)(struct cw_kilo_group *g);                                           /* all logs of the group are there. NULL */
    /* The words from first on are about to be committed; the group's commit may be over. NULL */
    void (*announce)(struct cw_kilo_unit *u, struct cw_kilo_group *g, uint32_t first, cw_time now);
    void (*announce_end)(struct cw_kilo_unit *u, struct cw_kilo_group *g, cw_time now);
    bool detects;       /* it has hazard detection */
    bool writes_memory; /* else its writes have the time and traffic alone */
};

struct cw_kilo_unit {
    struct cw_component component;
    struct cw_kilo *tm;
    const struct cw_kilo_unit_hooks *hooks;
    uint32_t index;
    cw_time period;
    struct cw_mem_socket *port;
    struct cw_kilo_notes *to_port;
    struct cw_kilo_hazard *detector; /* NULL: WarpTM-EL, idealised systems */
    bool detecting;                  /* it has work without a new word */
    cw_time next_word_from;          /* not before: RAMs with one port are busy */
    struct cw_adapt_commit_unit *ring;
    struct cw_kilo_entry *entry;   /* by ID */
    uint32_t entry_cap;            /* power of two */
    uint64_t retire, commit, tail; /* IDs: the ring's pointers when it was last looked at; behind the youngest known one */
    uint32_t epoch;
    struct cw_kilo_group *oldest, *youngest; /* by arrival, so by RCID: groups that are not detected in full */
    struct cw_kilo_group *groups;            /* free */
    struct cw_kilo_jobs compare, write;
    uint32_t batches;
    struct cw_kilo_l2_request *request;
    uint16_t *idle; /* free requests */
    uint32_t idle_cnt;
    uint16_t line[CW_KILO_L2_REQUESTS]; /* delay line: requests in order */
    struct cw_ring line_ring;
    struct cw_kilo_note *out;
    uint32_t out_cap;
    struct cw_ring out_ring;
    cw_time waiting; /* since when the pass pointer waits for a conflict; 0: it does not */
    /* EAPG */
    struct cw_adapt_reference_count_table *rct; /* NULL */
    struct cw_kilo_news_set *news;              /* sets of words on their way through it */
    uint32_t news_cap;
    struct cw_ring news_ring;
    uint32_t news_asked, news_told;  /* of the oldest set: behind the last word that it was asked for, and that it has answered */
    struct cw_message *news_message; /* of that set, as far as it has answers. NULL */
    uint64_t published;
    cw_time input_free; /* until then the last message is being taken in */
    struct cw_kilo_census census;
};

static inline struct cw_kilo_entry *cw_kilo_unit__at(const struct cw_kilo_unit *u, uint64_t id)
{
    return u->entry + (id & (u->entry_cap - 1));
}

/* Commit IDs follow the members' lanes. */
static inline uint64_t cw_kilo_unit__id_of(const struct cw_kilo_group *g, uint32_t lane)
{
    return g->first + cw_lanes_count(g->members & cw_lanes_below(lane));
}

/* A set of lanes as a mask of entries, counted from the group's first. */
static inline uint32_t cw_kilo_unit__entries_of(const struct cw_kilo_group *g, cw_lanes lanes)
{
    uint32_t entries = 0, n = 0;
    if (g->members == UINT32_MAX || lanes == 0)
        return (uint32_t)lanes;
    for (cw_lanes rest = g->members; rest != 0; rest = cw_lanes_rest(rest), n++)
        entries |= (uint32_t)cw_lanes_has(lanes, cw_lanes_first(rest)) << n;
    return entries;
}

static inline void cw_kilo_unit__check(struct cw_kilo_unit *u, int status)
{
    if (status != CW_OK)
        cw_mech_fault(&u->tm->host, status, "out of host memory for a commit unit");
}

static inline void cw_kilo_unit__census(struct cw_kilo_unit *u, enum cw_kilo_level which, int64_t change, cw_time now)
{
    cw_kilo_census_add(&u->census, u->tm->counters, which, change, now, u->period);
}

/* These sets of the entry (bit 0 read set, bit 1 write set) are not needed any more. */
static inline void cw_kilo_unit__release(struct cw_kilo_unit *u, struct cw_kilo_entry *e, uint32_t sets, cw_time now)
{
    sets &= e->needed;
    e->needed &= (uint8_t)~sets;
    if (sets != 0)
        cw_kilo_unit__census(u, CW_KILO_NEEDED, -(int64_t)cw_lanes_count(sets), now);
}

/* saved.c */
void cw_kilo_unit__state(void *self, struct cw_state *s);

/* commit_unit_hazard.c */
/* The cycles of the hazard unit in one of the commit unit's, when an entry is due or the hazard unit has work; false: nothing to do until a
 * message comes. */
bool cw_kilo_unit__hazard_step(struct cw_kilo_unit *u, const struct cw_adapt_commit_unit_view *v, cw_time now);

/* commit_unit_log.c: messages, logs, unbounded transactions */
/* Takes a message from the network; whether there was one. */
bool cw_kilo_unit__accept(struct cw_kilo_unit *u, cw_time now);
/* Whether the whole set is here; if not, asks for it. */
bool cw_kilo_unit__whole(struct cw_kilo_unit *u, struct cw_kilo_entry *e, uint32_t set, cw_time now);
/* Cuts a set that was sent again to the buffer's size. */
void cw_kilo_unit__cut(const struct cw_kilo_unit *u, struct cw_kilo_entry *e, uint32_t set);
/* Frees all groups, those of entries too. */
void cw_kilo_unit__forget_groups(struct cw_kilo_unit *u);
/* Hazard detection has taken all entries of the group. */
void cw_kilo_unit__hazards_done(struct cw_kilo_unit *u, struct cw_kilo_group *g);

/* commit_unit_l2.c: comparisons and writes at the L2 */
void cw_kilo_unit__add_check(struct cw_kilo_unit *u, struct cw_kilo_group *g, uint32_t word, uint32_t batch);
/* All words of the lane's read set are compared again; of its write set, written. */
void cw_kilo_unit__compare_set(struct cw_kilo_unit *u, struct cw_kilo_entry *e, uint32_t batch);
void cw_kilo_unit__queue_lane(struct cw_kilo_unit *u, struct cw_kilo_group *g, uint32_t lane, uint32_t batch);
void cw_kilo_unit__take_done(struct cw_kilo_unit *u, cw_time now);
/* One access of the L2 each. */
void cw_kilo_unit__issue_accesses(struct cw_kilo_unit *u, cw_time now);

/* commit_unit_news.c: EAPG's broadcasts */
/* Status of the unit provider, with err, or CW_ENOMEM. */
int cw_kilo_unit__news_create(struct cw_kilo_unit *u, struct cw_error *err);
void cw_kilo_unit__news_destroy(struct cw_kilo_unit *u);
/* The words from first on are about to be committed; the group's commit may be over. */
void cw_kilo_unit__announce(struct cw_kilo_unit *u, struct cw_kilo_group *g, uint32_t first, cw_time now);
void cw_kilo_unit__announce_end(struct cw_kilo_unit *u, struct cw_kilo_group *g, cw_time now);
/* Frees what the group has announced, at the end of the simulation. */
void cw_kilo_unit__news_forget(struct cw_kilo_group *g);
/* State of what a group has announced, and of the sets of words and their table. */
void cw_kilo_unit__news_state(struct cw_state *s, struct cw_kilo_news **news);
void cw_kilo_unit__news_sets_state(struct cw_state *s, struct cw_kilo_unit *u);
/* A cycle of the reference count table; whether the next one is needed too. */
bool cw_kilo_unit__news_step(struct cw_kilo_unit *u, cw_time now);

/* commit_unit_out.c: to the cores, and to the last-written table */
void cw_kilo_unit__tell(struct cw_kilo_unit *u, struct cw_kilo_note note);
/* A message without a log for the group's core; the caller adds what its code means, and tells it. */
struct cw_message *cw_kilo_unit__message(struct cw_kilo_unit *u, const struct cw_kilo_group *g, uint32_t op, cw_time now);
void cw_kilo_unit__send(struct cw_kilo_unit *u, struct cw_message *p);
/* What is to be said, as far as there is room; a message per cycle. */
void cw_kilo_unit__speak(struct cw_kilo_unit *u, cw_time now);
/* TCD: the lane will not carry out the writes that were announced to the last-written table. */
void cw_kilo_unit__forget_expected(struct cw_kilo_unit *u, const struct cw_kilo_group *g, uint32_t lane);

#endif
