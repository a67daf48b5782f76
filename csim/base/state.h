/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a component, declared once. A component has one function that names each piece of its state, in a fixed order:
 *
 *     static void state(void *self, struct cw_state *s)
 *     {
 *         struct cw_thing *t = self;
 *         CW_STATE(s, t->count);                      a number, a bool, or an array of such
 *         cw_state_array(s, "age", t->age, t->lines, sizeof *t->age);
 *         CW_STATE_REF(s, t->oldest, t->pool, POOL);  a pointer into an array: its index is kept
 *     }
 *
 * The same function saves, loads and digests, so what one of them forgets the others forget too, and a test that compares a run which was
 * loaded with one that went on finds it. What a component is built from (configuration, pointers to other components, sizes of arrays) is
 * not its state: it is loaded into one that was created alike. Nor is what follows from the state and is only kept for speed, if the
 * function restores it when cw_state_loads().
 *
 * Structs are named field by field, never as bytes: padding has no value, and an address means nothing in another process.
 *
 * A stream is bytes of this host's order. Each group has its name and its number in front, so that a stream which does not fit is refused at
 * the group where it does not. The first error stays: later calls change nothing (on load they zero what they name).
 */
#ifndef CW_BASE_STATE_H
#define CW_BASE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum cw_state_mode {
    CW_STATE_SAVE,   /* appends to a stream */
    CW_STATE_LOAD,   /* reads a stream from its beginning */
    CW_STATE_DIGEST, /* keeps a hash of what would be saved */
};

struct cw_state {
    enum cw_state_mode mode;
    int status;            /* CW_OK, or that of the first error */
    struct cw_error *err;  /* its text */
    unsigned char *stream; /* owned when saving, the caller's when loading */
    size_t bytes, capacity, at;
    uint64_t digest;
    const char *group; /* for messages: where the walk is */
    uint32_t index;
    uint32_t groups;  /* Begun so far */
    const char *name; /* of the piece at byte `watch` of the stream, with its group; found while saving */
    const char *name_group;
    size_t watch;  /* SIZE_MAX: none */
    void **shared; /* owned: what several hold (cw_state_shared), in the order in which it was met */
    uint32_t shared_cnt, shared_cap;
    struct cw_message **walked; /* Owned: the messages that were walked, in order, for who refers to one (msg/message.h). */
    uint32_t walked_cnt, walked_cap;
    /* Hears of each piece that is saved, for who shows it: bytes of each of cnt numbers. NULL: nobody. */
    void (*tell)(void *self, const struct cw_state *s, const char *name, const void *at, size_t cnt, size_t bytes);
    void *tell_self;
    struct cw_message_pool *messages; /* from which messages are made on load (msg/message.h); the machine sets it */
};

/* err keeps the text of the first error; it outlives s. */
void cw_state_save_begin(struct cw_state *s, struct cw_error *err);
/* The stream outlives s. */
void cw_state_load_begin(struct cw_state *s, const void *stream, size_t bytes, struct cw_error *err);
void cw_state_digest_begin(struct cw_state *s, struct cw_error *err);
/* Frees a stream that was saved. */
void cw_state_end(struct cw_state *s);

static inline bool cw_state_loads(const struct cw_state *s)
{
    return s->mode == CW_STATE_LOAD;
}

/* A group of pieces, "core" 3: begins here and ends where the next one begins. The name is a literal. CW_EINVAL on load when the stream has
 * another one here. */
void cw_state_group(struct cw_state *s, const char *name, uint32_t index);
/* What follows was not saved by this program, or not for this machine: later calls change nothing. The first text counts. */
void cw_state_fail(struct cw_state *s, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Numbers of `bytes` each, 1, 2, 4 or 8: no structs, no pointers. */
void cw_state_array(struct cw_state *s, const char *name, void *at, size_t cnt, size_t bytes);
/* A count that bounds what follows: CW_EINVAL on load when it is more than `most`. */
void cw_state_count(struct cw_state *s, const char *name, uint32_t *cnt, uint32_t most);
/* The same of an array from malloc() that grows: on load it gets room for that many elements of `bytes` each, and *cap says so. Without memory
 * the count is 0. */
void cw_state_grown(struct cw_state *s, const char *name, uint32_t *cnt, void **array, uint32_t *cap, size_t bytes);
/* Something that several hold, behind a pointer of each: true when it is met for the first time, and the caller is to walk what *at points to,
 * after he has made it on load and said so with cw_state_shares. false: on load *at is what was made then. NULL is never met for the first
 * time. */
bool cw_state_shared(struct cw_state *s, void **at);
void cw_state_shares(struct cw_state *s, void *made);
/* A pointer to one of the cnt elements of `bytes` each at base, or NULL. */
void cw_state_ref(struct cw_state *s, const char *name, void **at, const void *base, size_t bytes, size_t cnt);

/* A number, a bool or an enum, or an array of such whose size the compiler knows. */
#define CW_STATE(s, field) cw_state_array((s), #field, &(field), 1, sizeof(field))
/* The values of a unit's ports that somebody keeps: a struct of numbers alone, of 4 and 8 bytes, that was made all zero (gaps count). */
#define CW_STATE_PORTS(s, ports) cw_state_array((s), #ports, &(ports), sizeof(ports) / sizeof(uint32_t), sizeof(uint32_t))
/* The number of elements of an array that grows, and room for them; the elements are walked behind it. */
#define CW_STATE_GROWN(s, count, array, cap)                                              \
    do {                                                                                  \
        void *cw_state__array = (array);                                                  \
        cw_state_grown((s), #count, &(count), &cw_state__array, &(cap), sizeof *(array)); \
        (array) = cw_state__array;                                                        \
    } while (0)
/* A pointer into the array `base` of cnt elements. */
#define CW_STATE_REF(s, field, base, cnt)                                                \
    do {                                                                                 \
        void *cw_state__at = (void *)(uintptr_t)(field);                                 \
        cw_state_ref((s), #field, &cw_state__at, (base), sizeof *(base), (size_t)(cnt)); \
        (field) = cw_state__at;                                                          \
    } while (0)

#endif
