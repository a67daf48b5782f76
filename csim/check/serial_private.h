/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The serializability oracle's record of a launch. Events are only appended while the machine runs (serial_history.c); everything is judged
 * when the launch is over (serial_judge.c).
 *
 * Private to: serial.c, serial_history.c, serial_program.c, serial_order.c, serial_judge.c, serial_real_time.c.
 */
#ifndef CW_CHECK_SERIAL_PRIVATE_H
#define CW_CHECK_SERIAL_PRIVATE_H

#include "check/key_map.h"
#include "check/serial.h"
#include "check/serial_graph.h"

#define CW_SERIAL_NONE UINT32_MAX

enum cw_serial_fate { CW_SERIAL_RUNNING, CW_SERIAL_COMMITTED, CW_SERIAL_ABORTED };

struct cw_serial_attempt {
    uint32_t core;
    uint16_t warp;
    uint8_t lane, fate;
    cw_time started;     /* When its begin was told, or a little before; a snapshot's moment may lie far before that */
    cw_time ended;       /* when it aborted; or was told to have committed, and all its writes had reached memory */
    uint32_t reads, set; /* first in the chains of reads and of write-set entries, or CW_SERIAL_NONE */
    uint32_t node;       /* in the graph, committed ones only */
    uint32_t after;      /* the last place of its thread (serial_order.c) when it began, or NONE */
    cw_time begun;
    cw_time committed; /* When it was told to have */
    uint32_t owns;     /* Words that it has stored, by its instructions */
};

/* What an attempt's stores to a word have left up to one of them. */
struct cw_serial_own {
    uint32_t value, known; /* known: bits that it has stored */
    uint32_t stamp;        /* of the store's instruction */
    uint32_t before;       /* the one before it, or CW_SERIAL_NONE */
};

struct cw_serial_word {
    uint64_t addr;
    uint32_t version; /* newest */
    uint32_t early;   /* chain of reads whose value is not the newest version's, or CW_SERIAL_NONE */
    bool left;        /* regions share it no longer: what memory holds from now on is not judged */
};

/* Versions of a word in the order in which they reached memory. Version 0 of a word has writer 0. */
struct cw_serial_version {
    uint32_t word, value;
    uint32_t known;          /* bits of value that are known: all, unless the word was first seen when it was partly written */
    uint32_t writer;         /* attempt, or 0 */
    uint32_t previous, next; /* or NONE */
    uint32_t snapshot;       /* number of the first snapshot that has it */
    uint8_t bytes;
};

struct cw_serial_snapshot {
    cw_time from;
};

struct cw_serial_read {
    uint32_t attempt, word, value;
    uint32_t version; /* CW_SERIAL_NONE: none explains it */
    uint32_t next, next_early;
    bool replaced; /* by a validation of the same word */
    cw_time now;
};

/* A word that a committing attempt says it has written. */
struct cw_serial_promised {
    uint64_t addr;
    uint32_t attempt, value, next;
    uint32_t arrived; /* times */
    bool wrong;       /* arrived with another value */
};

/* A place in the order is a committed attempt, or a meeting of threads outside of transactions: its number with this bit. */
#define CW_SERIAL_MEETING (UINT32_C(1) << 31)

struct cw_serial_thread {
    uint32_t core, warp;
    uint32_t block; /* slot of its block, as soon as an event has said it; or NONE */
    uint32_t last;  /* its last place, or NONE */
    uint32_t next;  /* that waits at the same barrier, or NONE */
};

struct cw_serial_order { /* from has to stand before to, a meeting */
    uint32_t from, to;
};

struct cw_serial_barrier {
    uint32_t meeting, first; /* of the threads that have come and wait; or NONE */
};

/* A word of global memory that threads have used outside of regions. */
struct cw_serial_flag {
    uint32_t initial;       /* what it held at first */
    uint32_t first, stores; /* chain of the values that were stored in it, or NONE */
    uint32_t behind;        /* a place behind all atomics that had their results, or NONE */
    bool stored, by_value;  /* by_value: all that was written to it is in the chain */
};

struct cw_serial_store {
    uint32_t value, place, next; /* place: the storing thread's, or NONE: it had none, or there were two such threads */
};

#define CW_SERIAL_LIST(name)         \
    struct {                         \
        struct cw_serial_##name *at; \
        uint32_t cnt, cap;           \
    } name

struct cw_serial {
    cw_serial_word_fn word_now;
    void *context;
    struct cw_event_listener listener;
    bool out_of_memory;
    bool program;            /* the launch tells of stores and loads by instruction: the system's regions are of global memory */
    CW_SERIAL_LIST(attempt); /* index = number; 0 is "before the launch" */
    CW_SERIAL_LIST(word);
    CW_SERIAL_LIST(version);
    CW_SERIAL_LIST(read);
    CW_SERIAL_LIST(promised);
    CW_SERIAL_LIST(own);
    CW_SERIAL_LIST(thread);
    CW_SERIAL_LIST(order);
    CW_SERIAL_LIST(barrier);
    CW_SERIAL_LIST(flag);
    CW_SERIAL_LIST(store);
    uint32_t meetings;
    CW_SERIAL_LIST(snapshot);   /* in the order of their times; number i + 1. Empty: regions read memory as it is */
    struct cw_key_map attempts; /* by name */
    struct cw_key_map words;    /* by address */
    struct cw_key_map owns;     /* by attempt and address: the newest */
    struct cw_key_map threads;  /* by core, warp and lane */
    struct cw_key_map barriers; /* by core, slot of the block and number */
    struct cw_key_map flags;    /* by address */
    cw_time clock;              /* the time of the last event whose `now` is that of its telling */
    uint64_t late, strays;      /* see struct cw_serial_report */
    char stray[160];            /* the first one */
    uint64_t misplaced;         /* words that memory did not hold as the last commit left them, where it had to; and what the protocol says
                                   that is not what the program does */
    char place[256];            /* the first one */
};

/* serial_history.c: appends. An attempt is its number here. */
void cw_serial__forget(struct cw_serial *s);
void cw_serial__free(struct cw_serial *s);
/* 0 when out of memory. */
uint32_t cw_serial__begin(struct cw_serial *s, uint32_t core, uint32_t warp, uint32_t lane, cw_time now);
/* Another snapshot, for attempts that begin then or later. */
void cw_serial__snapshot(struct cw_serial *s, cw_time from);
void cw_serial__read(struct cw_serial *s, uint32_t attempt, uint64_t addr, uint32_t value, cw_time now);
void cw_serial__validate(struct cw_serial *s, uint32_t attempt, uint64_t addr, uint32_t value, cw_time now);
void cw_serial__write(struct cw_serial *s, uint32_t attempt, uint64_t addr, uint32_t value, uint32_t bytes, cw_time now);
void cw_serial__commit(struct cw_serial *s, uint32_t attempt, uint32_t write_cnt, const uint64_t *addr, const uint32_t *value, cw_time now);
void cw_serial__abort(struct cw_serial *s, uint32_t attempt, cw_time now);

/* Memory has to hold the newest version now: an attempt puts the word aside (KEEP), or has restored it, or regions leave the word. */
void cw_serial__keep(struct cw_serial *s, uint32_t attempt, uint64_t addr);
void cw_serial__restore(struct cw_serial *s, uint32_t attempt, uint64_t addr);
void cw_serial__leave(struct cw_serial *s, uint64_t addr);

/* A new element of the list; NONE: out of memory. */
uint32_t cw_serial__new_own(struct cw_serial *s);
uint32_t cw_serial__new_thread(struct cw_serial *s);
uint32_t cw_serial__new_order(struct cw_serial *s);
uint32_t cw_serial__new_barrier(struct cw_serial *s);
uint32_t cw_serial__new_flag(struct cw_serial *s);
uint32_t cw_serial__new_store(struct cw_serial *s);

/* serial_order.c: what orders transactions beside what they read and write. */
void cw_serial__thread_begins(struct cw_serial *s, uint32_t attempt);
void cw_serial__thread_commits(struct cw_serial *s, uint32_t attempt);
void cw_serial__block_ends(struct cw_serial *s, const struct cw_event *e);
void cw_serial__sync(struct cw_serial *s, const struct cw_event *e);
/* CW_EVENT_LANES: an access issues; CW_EVENT_REGION_LOAD outside of regions: it has its result. */
void cw_serial__access(struct cw_serial *s, const struct cw_event *e);
void cw_serial__completed(struct cw_serial *s, const struct cw_event *e);

/* serial_program.c: what the program does in an attempt. */
void cw_serial__issue(struct cw_serial *s, uint32_t attempt, const struct cw_event *e);
void cw_serial__loaded(struct cw_serial *s, uint32_t attempt, const struct cw_event *e);
/* The attempt commits these words. */
void cw_serial__compare_set(struct cw_serial *s, uint32_t attempt, uint32_t cnt, const uint64_t *addr, const uint32_t *value);

/* Transactions of the graph: the first nodes. Meetings follow. */
struct cw_serial_nodes {
    uint32_t committed;
    uint32_t *attempt; /* The attempt of each of them. */
};

/* serial_real_time.c: in a closed graph without a circle, how many transactions stand before one that had ended when they began; and the edges
 * from such a one to the other, the first max of length. */
uint64_t cw_serial__real_time(const struct cw_serial *s, const struct cw_serial_nodes *n, const struct cw_graph *g,
                              const struct cw_edge **path, uint32_t max, uint32_t *length);

/* serial_judge.c: fills a report that is zero. */
void cw_serial__judge(struct cw_serial *s, struct cw_serial_report *report);

/* Bits of a word that these byte enables stand for. */
static inline uint32_t cw_serial__mask(uint32_t bytes)
{
    uint32_t mask = 0;
    for (uint32_t b = 0; b < 4; b++)
        mask |= (bytes >> b & 1) != 0 ? 0xffu << (8 * b) : 0;
    return mask;
}

/* Whether the value is the version's, as far as that is known. */
static inline bool cw_serial__agrees(const struct cw_serial_version *v, uint32_t value)
{
    return ((v->value ^ value) & v->known) == 0;
}

#endif
