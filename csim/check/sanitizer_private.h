/* SPDX-License-Identifier: Apache-2.0 */
/* The sanitizer's state. Private to: sanitizer.c, sanitizer_device.c, sanitizer_release.c, sanitizer_race.c, sanitizer_order.c,
 * sanitizer_know.c, sanitizer_init.c, sanitizer_copy.c, sanitizer_places.c. */
#ifndef CW_CHECK_SANITIZER_PRIVATE_H
#define CW_CHECK_SANITIZER_PRIVATE_H

#include "check/sanitizer.h"
#include "exec/exec.h"

#define CW_SANITIZER_WARPS    32u /* most warps of a block */
#define CW_SANITIZER_BLOCKS   32u /* most blocks of a core */
#define CW_SANITIZER_BARRIERS 16u
#define CW_SANITIZER_PLACES   1000u
#define CW_RACE_READS         16u   /* words that a warp has read by strong loads since its last fence */
#define CW_RACE_BUCKETS       4096u /* of words by which threads synchronise */
#define CW_RACE_CHUNKS        4096u /* of 4 MiB each: all device memory that there can be */

struct cw_race_know; /* of other blocks' warps (sanitizer_know.c) */
struct cw_race_chunk;
struct cw_race_word;
struct cw_sanitizer_flow;
struct cw_sanitizer_carried;

/* Of a warp: unwritten bytes that its threads have loaded and may store (sanitizer_copy.c). */
struct cw_sanitizer_carry {
    struct cw_sanitizer_carried *of;
    uint32_t cnt, room;
};

/* How far each warp of a block has come, as somebody knows it: an access of warp w with a smaller number than at[w] has happened before. */
struct cw_race_clock {
    uint32_t at[CW_SANITIZER_WARPS];
};

struct cw_race_warp {
    uint32_t now;                /* the number that the warp's accesses have; grows with each synchronisation */
    uint32_t all;                /* accesses with a smaller number have happened before what any of its threads does */
    uint32_t *lane;              /* [lane * width + other]: the same for one lane and another one; NULL: as `all` says */
    struct cw_race_clock seen;   /* of the other warps */
    struct cw_race_clock fenced; /* what has happened before its last fence; zeros: there was none */
    /* of device memory: */
    struct cw_race_clock fenced_gpu;         /* the same of its last fence of GPU scope or wider */
    struct cw_race_know *know, *fenced_know; /* what it knows, and knew at its last fence, of other blocks; NULL: nothing */
    uint64_t read[CW_RACE_READS];            /* words, plus 1: at GPU scope; 0: none */
    uint32_t reads;
    struct {
        struct cw_race_know *know;
        struct cw_race_clock seen;
    } coming[2];        /* what words have told that it has read since its last fence: its own block, all blocks */
    bool comes;         /* there is such */
    uint32_t lock;      /* word number of the lock that it has taken by atom.cas and not given back; 0: none */
    uint8_t lock_fence; /* since then: 0 no fence, 1 of the block, 2 of the GPU */
    bool acquires;      /* the last of these was an acquire */
    bool announces;     /* nothing but a fence stands before the access that comes now */
    bool fenced_last;
};

struct cw_race_barrier {
    struct cw_race_clock arrived; /* what those that have come have seen and done */
    struct cw_race_know *know;    /* and of other blocks */
    uint32_t waits;               /* warps */
};

/* What the threads of a block know of each other. */
struct cw_race_order {
    uint32_t width; /* lanes of a warp */
    struct cw_race_warp warp[CW_SANITIZER_WARPS];
    struct cw_race_barrier barrier[CW_SANITIZER_BARRIERS];
    struct cw_race_clock **published; /* [offset / 4] what strong stores to a word have made known; NULL: nothing */
    uint32_t words;
    uint32_t block; /* the block's number in the grid */
};

/* An access to a byte. */
struct cw_race_access {
    uint32_t at; /* struct cw_race_warp.now */
    uint32_t line;
    uint16_t thread; /* of the block */
    bool is;         /* there is one */
    bool strong, stores;
};

/* A byte of shared memory: the last plain store, the last strong one since then, and two loads, of different warps if several have read it. */
struct cw_race_byte {
    struct cw_race_access plain, strong, load[2];
    uint8_t value; /* that the plain store has left */
};

/* A block that runs. */
struct cw_sanitizer_block {
    struct cw_race_order order;
    struct cw_race_byte *byte; /* [bytes]; NULL: races are not looked for */
    uint8_t *written;          /* [bytes] of shared memory; NULL: not looked at */
    struct cw_sanitizer_carry carry[CW_SANITIZER_WARPS];
    uint32_t bytes;
};

struct cw_sanitizer {
    struct cw_sanitizer_config config;
    struct cw_event_listener listener[2];
    struct cw_sanitizer_launch launch;
    struct cw_sanitizer_place *place;
    uint32_t place_cnt;
    uint64_t cnt[CW_CHECKS];           /* of each bit of enum cw_check */
    struct cw_sanitizer_block **block; /* [core * CW_SANITIZER_BLOCKS + slot] NULL: there has been none */
    uint32_t block_cnt;
    uint8_t *fresh; /* a bit per byte from CW_GLOBAL_BASE on: allocated, and nobody has written it; NULL: not looked at */
    uint64_t fresh_bytes;
    /* Of each launch, [its number]: its stream, which one it is of that (0: all others are ordered with it), its kernel. */
    struct cw_sanitizer_past {
        uint32_t stream, number;
        const char *kernel;
    } * past;
    uint32_t past_room;
    uint32_t before[CW_SANITIZER_STREAMS]; /* the running launch; see struct cw_sanitizer_launch */
    bool has_streams;
    uint32_t launches;               /* so far, with the one that runs */
    struct cw_race_chunk **chunk;    /* [CW_RACE_CHUNKS] shadow words of device memory; NULL: races are not looked for */
    uint64_t last_page;              /* of these, plus 1, the last one that was looked up; 0: none yet */
    void *last_words;                /* its shadow words */
    struct cw_race_word **words;     /* [CW_RACE_BUCKETS] NULL: none */
    struct cw_sanitizer_flow **flow; /* [4 * micro-op + element] of loads, NULL: not known yet */
    uint32_t flows;
    bool out_of_memory;
};

/* A memory instruction of one lane. */
struct cw_sanitizer_access {
    const struct cw_event *event;
    uint32_t lane, thread; /* of the event; of the block */
    uint64_t addr;
    uint32_t bytes;
    bool loads, stores, strong;
};

/* sanitizer_places.c */
/* A finding about the access; the text comes behind "ld of 4 bytes at shared address 0x10". */
void cw_sanitizer__find(struct cw_sanitizer *s, enum cw_check check, const struct cw_sanitizer_access *a, uint32_t other_line,
                        const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* sanitizer_race.c */
/* For a block that begins: memory for its bytes, if races are looked for. false: out of memory. */
bool cw_sanitizer__race_begin(struct cw_sanitizer *s, struct cw_sanitizer_block *b);
void cw_sanitizer__race(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a);

/* sanitizer_device.c */
void cw_sanitizer__race_device(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a);
void cw_race__free_shadow(struct cw_sanitizer *s);
/* Nobody has accessed the bytes, whose first and last are those of words. */
void cw_race__forget(struct cw_sanitizer *s, uint64_t addr, uint64_t bytes);

/* sanitizer_release.c; false: out of memory */
/* A strong store to the word: what it told so far is gone, unless it is an atomic. */
void cw_race__overwrite_word(struct cw_sanitizer *s, uint64_t addr);
/* Then: tells what the warp's last fence has seen, to all blocks where it is of GPU scope. */
bool cw_race__release_word(struct cw_sanitizer *s, struct cw_race_order *o, uint32_t warp, uint64_t addr, bool gpu);
/* A strong load. */
void cw_race__read_word(struct cw_race_order *o, uint32_t warp, uint64_t addr, bool gpu);
/* The warp's next access behind its strong loads: what their words tell stands. */
bool cw_race__collect_words(const struct cw_sanitizer *s, struct cw_race_order *o, uint32_t warp);
/* A fence behind strong loads: the warp knows what their words have told. */
bool cw_race__acquire_words(const struct cw_sanitizer *s, struct cw_race_order *o, uint32_t warp, bool gpu);
void cw_race__forget_words(struct cw_sanitizer *s);

/* sanitizer_know.c; false: out of memory */
void cw_race__join(struct cw_race_clock *to, const struct cw_race_clock *from);
struct cw_race_know *cw_race__hold(struct cw_race_know *k);
void cw_race__drop(struct cw_race_know **k);
bool cw_race__learn(struct cw_race_know **to, struct cw_race_know *from);
bool cw_race__learn_of(struct cw_race_know **to, uint32_t block, const struct cw_race_clock *clock);
/* Whether an access of the block's warp, of that number, is known to have happened. */
bool cw_race__knows(struct cw_race_know *k, uint32_t block, uint32_t warp, uint32_t at);
/* NULL: of that block nothing is known. */
const struct cw_race_clock *cw_race__heard_of(struct cw_race_know *k, uint32_t block);

/* sanitizer_order.c */
/* A fence of the warp; gpu: of GPU scope or wider. */
void cw_race__fence(struct cw_race_order *o, uint32_t warp, bool gpu);
bool cw_race__begin(struct cw_race_order *o, uint32_t width, uint32_t bytes);
void cw_race__free(struct cw_race_order *o);
/* Whether the access has happened before what the thread does now. */
bool cw_race__before(const struct cw_race_order *o, const struct cw_race_access *a, uint32_t thread);
/* The number of what the thread does now. */
uint32_t cw_race__now(const struct cw_race_order *o, uint32_t thread);
/* The warp's threads are in step: what they have done so far is before what they do from now on. */
void cw_race__step(struct cw_race_order *o, uint32_t warp);
/* false: out of memory. */
bool cw_race__sync(struct cw_race_order *o, const struct cw_event *e);
/* A strong load or store of the word; store: with `release` also what has happened up to now. false: out of memory. */
void cw_race__acquire(struct cw_race_order *o, uint32_t warp, uint32_t word);
bool cw_race__publish(struct cw_race_order *o, uint32_t warp, uint32_t word, bool release);

/* sanitizer_copy.c. Bit i of these sets: byte i of the access. */
/* A lane's load, and which of its bytes nobody has written: those of them that the thread does more with than to store them. */
uint32_t cw_sanitizer__copied(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a,
                              uint32_t unwritten);
/* A lane's store: the bytes of it that the thread has loaded where nobody has written them. */
uint32_t cw_sanitizer__carried(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a);
/* Another kernel is launched. */
void cw_sanitizer__forget_flows(struct cw_sanitizer *s);

/* sanitizer_init.c */
bool cw_sanitizer__init_begin(struct cw_sanitizer *s, struct cw_sanitizer_block *b);
void cw_sanitizer__init_end(struct cw_sanitizer_block *b);
void cw_sanitizer__init(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a);

#endif
