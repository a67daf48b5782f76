/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timed FIFO: the only way in which two parts of the chip touch each other.
 *
 * One producer, one consumer, bounded capacity, a latency of at least one time unit. What is pushed at time t with
 * latency L can be popped from time t + L on. Space freed by a pop at time t is visible to the producer only after t.
 * So neither side can see what the other did at the same instant, and the order in which the two tick cannot change
 * a result.
 *
 * Time is the GPU's global integer time (see csim/base/clock.h). Entries are pointers; the FIFO does not own them.
 */
#ifndef CW_BASE_FIFO_H
#define CW_BASE_FIFO_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t cw_time;
#define CW_TIME_NEVER UINT64_MAX

static inline cw_time cw_time_min(cw_time a, cw_time b)
{
    return a < b ? a : b;
}

static inline cw_time cw_time_max(cw_time a, cw_time b)
{
    return a > b ? a : b;
}

struct cw_fifo_entry {
    void *content;
    cw_time ready; /* time from which it may be popped */
};

struct cw_fifo {
    cw_time next; /* ready of the head */
    uint32_t head, count;
    struct cw_fifo_entry *ring; /* [capacity] */
    uint32_t capacity;          /* power of two not required */
    uint32_t popped_now;        /* pops made at time last_pop: their space is not yet visible to the producer */
    cw_time last_pop;
    cw_time *wake;         /* consumer's wake time, lowered on push; may be NULL */
    uint64_t pushes, pops; /* for conservation checks: pushes - pops == count */
};

/* wake: address of the consumer component's next-wake time, lowered to the entry's ready time by each push. 0 or CW_ENOMEM. */
int cw_fifo_create(struct cw_fifo *f, uint32_t capacity, cw_time *wake);
void cw_fifo_destroy(struct cw_fifo *f);
void cw_fifo_reset(struct cw_fifo *f);
/* Its state (base/state.h); entry walks what a slot points to, or the pointer. CW_EINVAL on load when the entries do not fit. */
struct cw_state;
void cw_fifo_state(struct cw_state *s, struct cw_fifo *f, void (*entry)(struct cw_state *s, void **slot, void *context), void *context);

/* How many entries the producer may push at time now. */
static inline uint32_t cw_fifo_space(const struct cw_fifo *f, cw_time now)
{
    uint32_t hidden = f->last_pop == now ? f->popped_now : 0;
    return f->capacity - f->count - hidden;
}

static inline bool cw_fifo_can_push(const struct cw_fifo *f, cw_time now)
{
    return cw_fifo_space(f, now) > 0;
}

static inline void cw_fifo_push(struct cw_fifo *f, cw_time now, cw_time latency, void *entry)
{
    assert(latency > 0 && cw_fifo_can_push(f, now));
    uint32_t tail = f->head + f->count;
    if (tail >= f->capacity)
        tail -= f->capacity;
    f->ring[tail] = (struct cw_fifo_entry){entry, now + latency};
    if (f->count++ == 0)
        f->next = now + latency;
    f->pushes++;
    if (f->wake != NULL && now + latency < *f->wake)
        *f->wake = now + latency;
}

/* The oldest entry that may be popped at time now, or NULL. */
static inline void *cw_fifo_peek(const struct cw_fifo *f, cw_time now)
{
    return f->count > 0 && f->next <= now ? f->ring[f->head].content : NULL;
}

static inline void *cw_fifo_pop(struct cw_fifo *f, cw_time now)
{
    void *entry = cw_fifo_peek(f, now);
    if (entry == NULL)
        return NULL;
    if (++f->head == f->capacity)
        f->head = 0;
    f->count--;
    f->next = f->ring[f->head].ready; /* Nobody reads it when there is no head. */
    f->pops++;
    if (f->last_pop != now) {
        f->last_pop = now;
        f->popped_now = 0;
    }
    f->popped_now++;
    return entry;
}

/* Time at which the head may be popped, CW_TIME_NEVER when empty. */
static inline cw_time cw_fifo_next(const struct cw_fifo *f)
{
    return f->count > 0 ? f->next : CW_TIME_NEVER;
}

#endif
