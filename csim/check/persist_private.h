/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The persistency oracle's record.
 *
 * Nodes make a graph of orderings. A node is a piece of a thread's program order: either a segment, which is stores with no ordering
 * between them, or an ordering. `before` leads to what is ordered before all of the node. A node to which another one leads is closed: no
 * store joins it any more. So a node without `before` and without pending stores remains so, and is dropped from all `before` in passing.
 *
 * Private to: persist_model.c, persist.c, persist_bytes.c, persist_seen.c, persist_thread.c, persist_release.c, persist_narrow.c, persist_read.c,
 * persist_graph.c, persist_text.c.
 */
#ifndef CW_CHECK_PERSIST_PRIVATE_H
#define CW_CHECK_PERSIST_PRIVATE_H

#include "check/key_map.h"
#include "check/persist.h"
#include "check/pool.h"

#define CW_PERSIST_NONE   CW_POOL_NONE
#define CW_PERSIST_NO_KEY UINT64_MAX

struct cw_persist_list {
    uint32_t *at;
    uint32_t cnt, cap;
};

enum cw_persist_node_kind {
    CW_PERSIST_NODE_SEGMENT,
    CW_PERSIST_NODE_OFENCE,
    CW_PERSIST_NODE_DFENCE,
    CW_PERSIST_NODE_RELEASE,
    CW_PERSIST_NODE_ACQUIRE
};

struct cw_persist_node {
    uint32_t refs;         /* threads, releases, nodes and stores that name it */
    uint32_t pending : 29; /* its stores that are not durable */
    uint32_t kind : 3;     /* enum cw_persist_node_kind */
    uint32_t before[2];    /* nodes or CW_PERSIST_NONE */
};

/* What a violation says about a node that is no segment. It has the node's index, and is not in the node because searches go from node to
 * node, and the host's caches hold more of small ones. */
struct cw_persist_said {
    cw_time now;
    uint64_t addr; /* of a release or acquire */
    uint32_t value, thread;
    uint32_t line; /* of the PTX file; 0: not known */
    uint16_t file; /* of that number */
    bool device;   /* of a release or acquire */
};

/* What an acquire has brought: all that the thread of that index and generation has issued up to the stamp is seen by loads issued after
 * `since`. */
#define CW_PERSIST_CLOCK 4u
struct cw_persist_clock {
    uint32_t thread, generation;
    uint32_t stamp; /* of the other thread's core; 0: the entry is free */
    uint32_t since; /* stamp of the acquire, of the own core */
};

/* What is released or acquired. */
struct cw_persist_variable {
    uint64_t addr;
    uint32_t value, block;
    bool device; /* scope */
};

/* Nodes or CW_PERSIST_NONE. */
struct cw_persist_thread {
    uint32_t before;       /* what is ordered before the stores that it makes now */
    uint32_t known;        /* what it knows to be durable (persist_seen.c); also in `before` */
    uint32_t narrow;       /* its last acquire that got no order though it has read from a release, if it has not stored since; else NONE */
    uint32_t current;      /* segment of these stores; NONE: no store yet */
    uint32_t since;        /* closed segments since the last fence */
    uint32_t own;          /* its stores before its last oFence, if it has had no dFence since; else NONE */
    uint32_t release;      /* its last release, if it has not stored since and a write is ordered before it; else NONE */
    bool releasing;        /* it has released `variable`, and the store that makes this visible has not issued */
    uint32_t core, warp;   /* where it is */
    uint32_t block;        /* number in the launch */
    uint32_t issued, last; /* its stores that have not been performed, in program order: the first and the last; or NONE */
    struct cw_persist_variable variable;
};

/* A strong write of a word, with what its thread knew then to be durable, and an atomic what it has heard of the value that it has found. */
struct cw_persist_write {
    uint32_t next; /* the one before it; or NONE */
    uint32_t known;
    uint64_t value;
};

/* An atomic that has not returned. */
struct cw_persist_atomic {
    uint32_t next; /* a later one; or NONE */
    uint32_t thread;
    uint32_t known; /* to its thread when it issued; performed: what the value has brought that it has found */
    bool returns, performed;
    uint64_t key;
};

/* Threads at a barrier. */
struct cw_persist_barrier {
    uint32_t known; /* to one of them */
    struct cw_persist_list waits;
};

/* Of a thread, whose index it has: what it has acquired. Few threads acquire, so this is not in the thread. */
struct cw_persist_clocks {
    uint32_t generation; /* of the thread that the entries are of; of a newer one there are none */
    struct cw_persist_clock entry[CW_PERSIST_CLOCK];
};

/* Of a thread, whose index it has: all that each store needs when it becomes durable. */
struct cw_persist_tally {
    uint32_t pending;    /* its stores that are not durable */
    uint32_t generation; /* of threads in this slot */
};

/* A store to one word. 64 bytes: one cache line of the host. */
struct cw_persist_store {
    uint32_t thread, generation; /* of it */
    uint32_t node;
    union {
        uint32_t next; /* while it has not been performed: the thread's next one of these, or NONE */
        uint32_t row;  /* then */
    };
    uint64_t addr;
    union {
        uint32_t stamp;    /* while it has not been performed: of its instruction */
        uint32_t older[4]; /* then, byte by byte: the store of the same core that it has overwritten and that is not durable; or NONE */
    };
    uint8_t due;  /* bytes that are not durable */
    uint8_t gone; /* bytes that have left the core, and not by a store that has overwritten them */
    bool unknown; /* the value is */
    uint32_t value;
    cw_time now;
    uint32_t line; /* of the PTX file; 0: not known */
    uint16_t file; /* of that number */
};

/* Bytes as one core sees them: as many as the longest line has, so that the stores of a warp seldom need a second look-up. */
#define CW_PERSIST_ROW 128u
struct cw_persist_row {
    uint32_t live; /* bytes whose latest store is not durable; the row is forgotten when there are none */
    uint64_t key;
    uint32_t last[CW_PERSIST_ROW]; /* byte by byte: the latest store, if it is not durable; else NONE */
};

struct cw_persist_part {
    uint32_t store, bytes;
    uint32_t next; /* or NONE */
};

/* What leaves a core together. */
struct cw_persist_departure {
    uint32_t part; /* the first */
    uint64_t line;
    uint32_t byte_mask[4];
};

struct cw_persist_release {
    uint32_t next; /* the one before it; or NONE */
    uint32_t node; /* NONE: all writes before it are durable */
    uint32_t value, block;
    uint8_t byte; /* The byte of the word at which the variable begins. */
    bool device;
};

/* Words to which releases are made, as many as a row has: the threads of a warp often have one each, side by side. */
#define CW_PERSIST_SHELF (CW_PERSIST_ROW / 4)
struct cw_persist_shelf {
    uint64_t key;
    uint32_t used;                      /* words with a release; 0: the shelf is not in the record */
    uint32_t release[CW_PERSIST_SHELF]; /* the latest, or NONE */
};

/* An acquire that has read from a release, and the scope of one of them does not include both threads. */
struct cw_persist_narrow {
    uint32_t release;             /* node */
    struct cw_persist_said of[2]; /* the release and the acquire */
};

/* The first of those of two lines after which the acquiring thread has written. */
#define CW_PERSIST_PAIRS 32u
struct cw_persist_pair {
    struct cw_persist_narrow narrow;
    struct cw_persist_store write;
    uint32_t store; /* the same in the record, until it is durable; else NONE: then it does not name the node any more */
    bool told;
    cw_time shown; /* the write is durable since then, and what is before the release is not; 0: not seen */
};

/* What loads of a word may find: the store before which all others to the word are in volatile memory order, and the last one of these
 * others, for a load that comes between the two. */
struct cw_persist_seen {
    uint32_t thread, generation, stamp, value;
};
struct cw_persist_line {
    uint64_t key;
    uint32_t stores[2], many; /* bit per word: there is such a store; there is none, and loads of the word are not judged any more */
    struct cw_persist_seen seen[2][CW_PERSIST_ROW / 4];
};
/* The latest release of a variable, for loads. */
struct cw_persist_handed {
    struct cw_persist_variable variable;
    uint32_t max;    /* of all values released to it */
    uint32_t thread; /* CW_PERSIST_NONE: the value has been there before, so an acquire does not say from which release it has it */
    uint32_t generation, stamp;
    struct cw_persist_clock clock[CW_PERSIST_CLOCK];
};

struct cw_persist_check {
    struct cw_event_listener listener;
    cw_time period, instant;
    enum cw_event_contract contract;
    bool out_of_memory, stopped; /* stopped: it has found a violation */
    bool keeps;                  /* for persist_model.c: nodes stay, nothing becomes durable, and nothing is judged */
    struct cw_pool node, said, thread, tally, store, row, part, departure, release, shelf, narrow, line, handed, clocks;
    struct cw_pool write, atomic, barrier;                         /* of persist_seen.c */
    struct cw_key_map writes, barriers;                            /* by word: its latest write; by core, block and number */
    uint32_t atomics;                                              /* the oldest that has not returned; or NONE */
    uint32_t known_before;                                         /* to threads that are gone; or NONE */
    uint32_t known_at_begin;                                       /* to those that begin; or NONE */
    uint32_t issued;                                               /* stores that have not been performed */
    uint32_t *slot;                                                /* see persist_read.c; NULL until a thread stores */
    struct cw_key_map variables;                                   /* by address and block: handed */
    struct cw_key_map threads, rows, departures, shelves;          /* by warp, by core and address, by core and number, by address */
    uint64_t near_warp, near_row, near_shelf, near_variable;       /* keys of what was looked up last; CW_PERSIST_NO_KEY: none */
    uint32_t near_thread, near_row_at, near_shelf_at, near_handed; /* what they name */
    struct cw_persist_list path;                                   /* see cw_persist__waits */
    struct cw_persist_list work;                                   /* of cw_persist__drop */
    struct cw_persist_list durable;                                /* stores that have become durable at `instant` */
    uint32_t nodes;                                                /* in the graph */
    uint32_t sweep_at;                                             /* so many of them: threads and releases let go of what is settled */
    struct cw_persist_pair pair[CW_PERSIST_PAIRS];
    uint32_t pairs;
    char **file; /* names of PTX files, owned */
    uint32_t files;
    struct cw_persist_report report;
    char scope[sizeof((struct cw_persist_report *)0)->text]; /* see cw_persist_check_scope */
};

#define CW_PERSIST_AT(name)                                                                                  \
    static inline struct cw_persist_##name *cw_persist__##name(const struct cw_persist_check *s, uint32_t i) \
    {                                                                                                        \
        return (struct cw_persist_##name *)cw_pool_at(&s->name, i);                                          \
    }
CW_PERSIST_AT(node)
CW_PERSIST_AT(said)
CW_PERSIST_AT(thread)
CW_PERSIST_AT(tally)
CW_PERSIST_AT(store)
CW_PERSIST_AT(row)
CW_PERSIST_AT(part)
CW_PERSIST_AT(departure)
CW_PERSIST_AT(release)
CW_PERSIST_AT(shelf)
CW_PERSIST_AT(line)
CW_PERSIST_AT(handed)
CW_PERSIST_AT(clocks)
CW_PERSIST_AT(write)
CW_PERSIST_AT(atomic)
CW_PERSIST_AT(barrier)
#undef CW_PERSIST_AT

static inline struct cw_persist_narrow *cw_persist__narrow_at(const struct cw_persist_check *s, uint32_t i)
{
    return (struct cw_persist_narrow *)cw_pool_at(&s->narrow, i);
}

/* persist_bytes.c: stores, and what becomes of their bytes. */
void cw_persist__issued(struct cw_persist_check *s, const struct cw_event *e);
/* The launch is over: all stores have to be performed. */
void cw_persist__all_performed(struct cw_persist_check *s);
/* The store is performed. */
void cw_persist__stored(struct cw_persist_check *s, const struct cw_event *e);
void cw_persist__left(struct cw_persist_check *s, const struct cw_event *e);
void cw_persist__persisted(struct cw_persist_check *s, const struct cw_event *e);
/* The instant is over: judges what has become durable in it. */
void cw_persist__judge(struct cw_persist_check *s);

/* persist_thread.c: program order. */
void cw_persist__ordered(struct cw_persist_check *s, const struct cw_event *e);
/* Thread of an event; NONE: out of memory. */
uint32_t cw_persist__thread_of(struct cw_persist_check *s, const struct cw_event *e);
/* The store that the thread issues is that of its last release, which is visible from now on; then tells whoever may acquire it. Also of a
 * store to memory that is not persistent. */
bool cw_persist__is_release(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e);
/* Node for a store that the thread makes, `own`: of its last release; it then has one pending store more, and one name. NONE: out of memory. */
uint32_t cw_persist__segment(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e, bool own);

/* The thread has seen something that was done after what is in the node was durable. */
void cw_persist__knows(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e, uint32_t node);

/* persist_seen.c: CW_EVENT_SYNC and CW_EVENT_STRONG. */
void cw_persist__synced(struct cw_persist_check *s, const struct cw_event *e);
void cw_persist__strong(struct cw_persist_check *s, const struct cw_event *e);
/* The launch is over. kept: it has not made all durable, and the threads of the next one know what these have known. */
void cw_persist__seen_launched(struct cw_persist_check *s, bool kept);

/* Threads let go of what is settled. */
void cw_persist__sweep_threads(struct cw_persist_check *s);

/* persist_narrow.c: scopes that do not include both threads. */
/* The thread acquires what was released at the node, for too few threads. */
void cw_persist__narrow(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e, uint32_t release);
/* The thread, which has acquired so, makes the store. */
void cw_persist__narrow_store(struct cw_persist_check *s, uint32_t thread, uint32_t store);
/* The thread is gone, or has acquired again. */
void cw_persist__narrow_end(struct cw_persist_check *s, uint32_t thread);
/* The newer store stands for this one, which leaves the record. */
void cw_persist__narrow_joined(struct cw_persist_check *s, uint32_t store, uint32_t newer);
/* The store is durable. */
void cw_persist__narrow_durable(struct cw_persist_check *s, uint32_t store);

/* persist_release.c */
/* NONE: all writes before the release are durable. */
void cw_persist__release_at(struct cw_persist_check *s, const struct cw_persist_variable *v, uint32_t node);
/* Node of the release from which an acquire reads; NONE: none that has something to order. *narrow: of one from which it reads without
 * getting an order, since a scope is too narrow; else NONE. */
uint32_t cw_persist__acquire_at(struct cw_persist_check *s, const struct cw_event *e, uint32_t *narrow);
/* Releases that order nothing any more go. */
void cw_persist__sweep_releases(struct cw_persist_check *s);
/* All blocks are gone. */
void cw_persist__forget_blocks(struct cw_persist_check *s);

/* persist_read.c: what loads have to find. */
/* The thread issues the store. */
void cw_persist__read_stored(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e);
/* The thread's last release becomes visible with the store. */
void cw_persist__read_released(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e);
void cw_persist__read_acquired(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e);
/* The load has its value. NULL: it is that of the last store to the word, or none is known to be that; else the word's line. */
const struct cw_persist_line *cw_persist__read_differs(struct cw_persist_check *s, const struct cw_event *e);
/* The thread's load has another value than that store: tells when it ought to have this one, or that of the one before. */
void cw_persist__read(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e, const struct cw_persist_line *l);
/* The launch is over, and what it has written is there for all. */
void cw_persist__read_launched(struct cw_persist_check *s);

/* persist_graph.c */
/* A node of the event's thread with one name; a, b: nodes ordered before it or NONE. NONE: out of memory. */
uint32_t cw_persist__make(struct cw_persist_check *s, uint32_t kind, uint32_t thread, const struct cw_event *e, uint32_t a, uint32_t b);
/* The node has lost its last name. */
void cw_persist__forget(struct cw_persist_check *s, uint32_t node);
/* Whether a store before the node, which has a `before`, is not durable. Then path leads from the node (at[0]) to that store's
 * (at[cnt - 1]). */
bool cw_persist__search(struct cw_persist_check *s, uint32_t node);
bool cw_persist__push(struct cw_persist_check *s, struct cw_persist_list *list, uint32_t i);

/* Number of the PTX file that runs. */
static inline uint16_t cw_persist__file(const struct cw_persist_check *s)
{
    return (uint16_t)(s->files - 1);
}

/* Here because each event needs some of them, mostly of NONE or of a node that has other names. */
static inline uint32_t cw_persist__hold(struct cw_persist_check *s, uint32_t node)
{
    if (node != CW_PERSIST_NONE)
        cw_persist__node(s, node)->refs++;
    return node;
}

static inline void cw_persist__drop(struct cw_persist_check *s, uint32_t node)
{
    if (node != CW_PERSIST_NONE && --cw_persist__node(s, node)->refs == 0)
        cw_persist__forget(s, node);
}

/* As cw_persist__search, of any node. */
static inline bool cw_persist__waits(struct cw_persist_check *s, uint32_t node)
{
    const struct cw_persist_node *n = cw_persist__node(s, node);
    return (n->before[0] != CW_PERSIST_NONE || n->before[1] != CW_PERSIST_NONE) && cw_persist__search(s, node);
}

/* Whether nothing in the node and before it can become durable any more. Also of NONE. */
static inline bool cw_persist__settled(struct cw_persist_check *s, uint32_t node)
{
    return node == CW_PERSIST_NONE || (!s->keeps && cw_persist__node(s, node)->pending == 0 && !cw_persist__waits(s, node));
}

/* persist_text.c: tells a violation and stops. */
void cw_persist__tell(struct cw_persist_check *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The store is durable before one to which s->path leads. */
void cw_persist__tell_order(struct cw_persist_check *s, uint32_t store);
/* The dfence is complete, and a store of its thread is not durable. */
void cw_persist__tell_dfence(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e);
/* The load does not return what the store has left. */
void cw_persist__tell_read(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e, const struct cw_persist_seen *w);
/* What the pair is, in words; valid until the next is told. */
const char *cw_persist__tell_pair(struct cw_persist_check *s, const struct cw_persist_pair *p);
#define CW_PERSIST_PLACE 160u /* bytes */
/* " at FILE:LINE" of the store, in text; "" when it is not known. Returns text. */
const char *cw_persist__place(const struct cw_persist_check *s, const struct cw_persist_store *x, char text[CW_PERSIST_PLACE]);

#endif
