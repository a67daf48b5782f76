/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The persistency oracle's record.
 *
 * Nodes make a graph of orderings. A node is a piece of a thread's program order: either a segment, which is stores with no ordering
 * between them, or an ordering. `before` leads to what is ordered before all of the node. A node to which another one leads is closed: no
 * store joins it any more. So a node without `before` and without pending stores remains so, and is dropped from all `before` in passing.
 *
 * Private to: persist.c, persist_bytes.c, persist_thread.c, persist_release.c, persist_graph.c, persist_text.c.
 */
#ifndef CW_CHECK_PERSIST_PRIVATE_H
#define CW_CHECK_PERSIST_PRIVATE_H

#include "check/key_map.h"
#include "check/persist.h"
#include "check/pool.h"

#define CW_PERSIST_NONE CW_POOL_NONE

enum cw_persist_kind { CW_PERSIST_SEGMENT, CW_PERSIST_OFENCE, CW_PERSIST_DFENCE, CW_PERSIST_RELEASE, CW_PERSIST_ACQUIRE };

struct cw_persist_node {
    uint32_t refs;      /* threads, releases, nodes and stores that name it */
    uint32_t pending;   /* its stores that are not durable */
    uint32_t before[2]; /* nodes or CW_PERSIST_NONE */
    uint32_t kind, thread;
    uint64_t addr; /* of a release or acquire */
    uint32_t value;
    cw_time now;
};

/* Nodes or CW_PERSIST_NONE. */
struct cw_persist_thread {
    uint32_t before;       /* what is ordered before the stores that it makes now */
    uint32_t current;      /* segment of these stores; NONE: no store yet */
    uint32_t since;        /* closed segments since the last fence */
    uint32_t release;      /* its last release, if it has not stored since and a write is ordered before it; else NONE */
    uint32_t pending;      /* its stores that are not durable */
    uint32_t generation;   /* of threads in this slot */
    uint32_t core, warp;   /* where it is */
    uint64_t release_addr; /* of that last release */
    uint32_t release_value;
};

/* A store to one word. */
struct cw_persist_store {
    uint32_t thread, generation; /* of it */
    uint32_t node, word;
    uint64_t addr;
    uint32_t older[4]; /* byte by byte: the store of the same core that it has overwritten and that is not durable; or NONE */
    uint8_t due;       /* bytes that are not durable */
    uint8_t gone;      /* bytes that have left the core, and not by a store that has overwritten them */
    uint32_t value;
    bool unknown; /* the value is */
    cw_time now, durable;
};

/* A word as one core sees it. */
struct cw_persist_word {
    uint32_t last[4]; /* byte by byte: the latest store, if it is not durable; else NONE */
    uint64_t key;
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
    bool device;
};

/* What releases are made to. */
struct cw_persist_variable {
    uint32_t release; /* the latest, or NONE */
    bool used;
    uint64_t key;
};

struct cw_persist_list {
    uint32_t *at;
    uint32_t cnt, cap;
};

struct cw_persist_check {
    struct cw_event_listener listener;
    cw_time period, instant;
    bool out_of_memory, stopped; /* stopped: it has found a violation */
    struct cw_pool node, thread, store, word, part, departure, release, variable;
    struct cw_key_map threads, words, departures, variables; /* by warp, by core and address, by core and number, by address */
    struct cw_persist_list path;                             /* see cw_persist__waits */
    struct cw_persist_list work;                             /* of cw_persist__drop */
    struct cw_persist_list durable;                          /* stores that have become durable at `instant` */
    struct cw_persist_report report;
};

#define CW_PERSIST_AT(name)                                                                                  \
    static inline struct cw_persist_##name *cw_persist__##name(const struct cw_persist_check *s, uint32_t i) \
    {                                                                                                        \
        return (struct cw_persist_##name *)cw_pool_at(&s->name, i);                                          \
    }
CW_PERSIST_AT(node)
CW_PERSIST_AT(thread)
CW_PERSIST_AT(store)
CW_PERSIST_AT(word)
CW_PERSIST_AT(part)
CW_PERSIST_AT(departure)
CW_PERSIST_AT(release)
CW_PERSIST_AT(variable)
#undef CW_PERSIST_AT

/* persist_bytes.c: stores, and what becomes of their bytes. */
void cw_persist__stored(struct cw_persist_check *s, const struct cw_event *e);
void cw_persist__left(struct cw_persist_check *s, const struct cw_event *e);
void cw_persist__persisted(struct cw_persist_check *s, const struct cw_event *e);
/* The instant is over: judges what has become durable in it. */
void cw_persist__judge(struct cw_persist_check *s);

/* persist_thread.c: program order. */
void cw_persist__ordered(struct cw_persist_check *s, const struct cw_event *e);
/* Thread of an event; NONE: out of memory. */
uint32_t cw_persist__thread_of(struct cw_persist_check *s, const struct cw_event *e);
/* Node for a store that the thread makes; it then has one pending store more, and one name. NONE: out of memory. */
uint32_t cw_persist__segment(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e);

/* persist_release.c */
/* NONE: all writes before the release are durable. */
void cw_persist__release_at(struct cw_persist_check *s, const struct cw_event *e, uint32_t node);
/* Node of the release from which an acquire reads; NONE: none that has something to order. */
uint32_t cw_persist__acquire_at(struct cw_persist_check *s, const struct cw_event *e);
/* All blocks are gone. */
void cw_persist__forget_blocks(struct cw_persist_check *s);

/* persist_graph.c */
/* A node of the event's thread with one name; a, b: nodes ordered before it or NONE. NONE: out of memory. */
uint32_t cw_persist__make(struct cw_persist_check *s, uint32_t kind, uint32_t thread, const struct cw_event *e, uint32_t a, uint32_t b);
uint32_t cw_persist__hold(struct cw_persist_check *s, uint32_t node);
void cw_persist__drop(struct cw_persist_check *s, uint32_t node);
/* Whether a store before the node is not durable. Then path leads from the node (at[0]) to that store's (at[cnt - 1]). */
bool cw_persist__waits(struct cw_persist_check *s, uint32_t node);
/* Whether nothing in the node and before it can become durable any more. Also of NONE. */
bool cw_persist__settled(struct cw_persist_check *s, uint32_t node);
bool cw_persist__push(struct cw_persist_check *s, struct cw_persist_list *list, uint32_t i);

/* persist_text.c: tells a violation and stops. */
void cw_persist__tell(struct cw_persist_check *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The store is durable before one to which s->path leads. */
void cw_persist__tell_order(struct cw_persist_check *s, uint32_t store);
/* The dfence is complete, and a store of its thread is not durable. */
void cw_persist__tell_dfence(struct cw_persist_check *s, uint32_t thread, cw_time now);

#endif
