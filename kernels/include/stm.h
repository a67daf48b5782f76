/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transactions in software, for kernels that run without a transactional system (docs/stm.md): like TL2 (Dice, Shalev, Shavit, DISC 2006),
 * and with priorities, like PR-STM (Shen, Sharp, Blewitt, Ushaw, Morgan, Euro-Par 2015).
 *
 * A kernel file defines STM_READS and STM_WRITES, the words that one transaction reads and writes at most, includes this file and then its
 * body.h once more (sync.h). A doomed transaction reads 0 and writes nothing. It ends by its own means, so a body counts its steps. Under
 * HOW_STM_PR a transaction may also read words that never were together before it notices at its commit.
 */
#ifndef KERNELS_STM_H
#define KERNELS_STM_H

#include "stm_layout.h"
#include "sync.h"

#define HOW_STM_TL2 1
#define HOW_STM_PR  2

typedef __global volatile uint *stm_word;
typedef __global volatile ulong *stm_orec;

/* The state of a thread's transaction. Its logs are in local memory. */
struct stm {
    stm_word shared;
    stm_word *write_at;                  /* [STM_WRITES] words written, each once */
    uint *write_value;                   /* [STM_WRITES] */
    ulong *write_old;                    /* [STM_WRITES] what the orec was before it was taken; STM_TWICE */
    uint *read_orec, *read_version;      /* [STM_READS]; versions under HOW_STM_PR only */
    uint read_cnt, write_cnt, taken_cnt; /* taken_cnt: words whose orecs are held */
    uint filter;                         /* a bit for each word written, by its orec */
    uint begin;                          /* TL2: the clock when the transaction began */
    uint me;                             /* unlike every other thread's; HOW_STM_PR: the priority, greater is higher, 1 to 2^31 - 1 */
    uint doomed, finished, fault, aborts, idle; /* idle: rounds that the thread leaves out */
};

#define STM_INLINE static inline __attribute__((always_inline))

#undef TX_FN
#undef TX_
#undef TX
#undef TX_PASS
#undef TX_READ
#undef TX_WRITE
#undef TX_ATOMICALLY
#define TX_FN                 STM_INLINE
#define TX_(name)             name##_stm
#define TX                    int how, struct stm *stm,
#define TX_PASS               how, stm,
#define TX_ATOMICALLY         STM_ATOMICALLY
#define TX_READ(word)         ((__typeof__(word))stm_read(how, stm, (stm_word) & (word)))
#define TX_WRITE(word, value) stm_write(how, stm, (stm_word) & (word), (uint)(value))

/*
 * Orecs. TL2: 32 bits, version << 1, or owner << 1 | 1 while it is locked. PR: 64 bits, the version above; below 0, or the priority of who
 * has pre-locked it, or that and STM_LOCKED. The version stays readable, since a pre-lock keeps no reader out.
 */
#define STM_LOCKED  0x80000000u
#define STM_TWICE   (~0ul) /* in write_old: another word of this transaction has the same orec and holds it */
#define STM_TRIES   4u     /* to pre-lock an orec that others change */
#define STM_ROUNDS  16u    /* in which a commit waits for transactions of lower priority */
#define STM_BACKOFF 6u     /* log2 of the greatest number of rounds that a TL2 thread leaves out after an abort */

STM_INLINE uint stm_hash(stm_word at)
{
    return (uint)((ulong)at >> 2) & (STM_OREC_CNT - 1);
}

STM_INLINE stm_word stm_tl2_orec(const struct stm *t, uint hash)
{
    return t->shared + STM_TABLE + hash;
}

STM_INLINE stm_orec stm_pr_orec(const struct stm *t, uint hash)
{
    return (stm_orec)(t->shared + STM_TABLE) + hash;
}

/* atom_cmpxchg of 64 bits, which libclc does not have for this target. */
STM_INLINE ulong stm_swap(stm_orec orec, ulong old, ulong new)
{
    ulong was;
    __asm__ volatile("atom.global.cas.b64 %0, [%1], %2, %3;" : "=l"(was) : "l"(orec), "l"(old), "l"(new) : "memory");
    return was;
}

STM_INLINE uint stm_pr_version(ulong orec)
{
    return (uint)(orec >> 32);
}

/* The priority of who holds or has pre-locked it; 0: nobody. */
STM_INLINE uint stm_pr_owner(ulong orec)
{
    return (uint)orec & ~STM_LOCKED;
}

/* Where the transaction has written the word before; write_cnt: nowhere. */
STM_INLINE uint stm_find(const struct stm *t, stm_word at)
{
    uint i = 0;
    if (!(t->filter >> (stm_hash(at) & 31) & 1))
        return t->write_cnt;
    while (i < t->write_cnt && t->write_at[i] != at)
        i++;
    return i;
}

/* Whether no word that was read has changed since, and none is being changed by others. TL2: 0 or 1. PR: 2 if all that is against it is a
 * lock of a lower priority, which may still be given back. */
STM_INLINE uint stm_tl2_validate(const struct stm *t)
{
    for (uint i = 0; i < t->read_cnt; i++) {
        uint orec = *stm_tl2_orec(t, t->read_orec[i]);
        for (uint k = 0; orec == (t->me << 1 | 1) && k < t->taken_cnt; k++)
            if (t->write_old[k] != STM_TWICE && stm_hash(t->write_at[k]) == t->read_orec[i])
                orec = (uint)t->write_old[k];
        if ((orec & 1) || orec >> 1 > t->begin)
            return 0;
    }
    return 1;
}

STM_INLINE uint stm_pr_validate(const struct stm *t)
{
    uint verdict = 1;
    for (uint i = 0; i < t->read_cnt; i++) {
        ulong orec = *stm_pr_orec(t, t->read_orec[i]);
        if (stm_pr_version(orec) != t->read_version[i])
            return 0;
        if (((uint)orec & STM_LOCKED) && stm_pr_owner(orec) > t->me)
            return 0;
        if (((uint)orec & STM_LOCKED) && stm_pr_owner(orec) < t->me)
            verdict = 2;
    }
    return verdict;
}

/* The log is full. What a transaction that cannot commit has read by mistake is no fault. */
static void stm_overflow(int how, struct stm *t, uint fault)
{
    t->doomed = 1;
    FENCE_DEVICE();
    if (how == HOW_STM_TL2 || stm_pr_validate(t) == 1)
        t->fault = fault;
}

STM_INLINE uint stm_read(int how, struct stm *t, stm_word at)
{
    uint hash = stm_hash(at), value, was, is;
    if (t->doomed)
        return 0;
    uint written = stm_find(t, at);
    if (written < t->write_cnt)
        return t->write_value[written];
    if (t->read_cnt == STM_READS) {
        stm_overflow(how, t, STM_FAULT_READ);
        return 0;
    }
    if (how == HOW_STM_TL2) {
        was = *stm_tl2_orec(t, hash);
        FENCE_DEVICE();
        value = *at;
        FENCE_DEVICE();
        is = *stm_tl2_orec(t, hash);
        t->doomed = is != was || (is & 1) || is >> 1 > t->begin;
    } else {
        was = stm_pr_version(*stm_pr_orec(t, hash));
        FENCE_DEVICE();
        value = *at;
        FENCE_DEVICE();
        ulong now = *stm_pr_orec(t, hash);
        t->doomed = stm_pr_version(now) != was || ((uint)now & STM_LOCKED);
        t->read_version[t->read_cnt] = was;
    }
    t->read_orec[t->read_cnt++] = hash;
    return t->doomed ? 0 : value;
}

STM_INLINE void stm_write(int how, struct stm *t, stm_word at, uint value)
{
    if (t->doomed)
        return;
    uint i = stm_find(t, at);
    if (i == STM_WRITES) {
        stm_overflow(how, t, STM_FAULT_WRITE);
        return;
    }
    t->write_value[i] = value;
    if (i < t->write_cnt)
        return;
    t->write_at[i] = at;
    t->filter |= 1u << (stm_hash(at) & 31);
    t->write_cnt++;
}

STM_INLINE void stm_begin(int how, struct stm *t)
{
    t->read_cnt = 0;
    t->write_cnt = 0;
    t->taken_cnt = 0;
    t->filter = 0;
    t->doomed = 0;
    if (how == HOW_STM_TL2) {
        t->begin = t->shared[STM_CLOCK];
        FENCE_DEVICE();
    }
}

/* Takes the orecs of the words written. 0: one is held by others; no lane waits for another one. */
STM_INLINE uint stm_tl2_take(struct stm *t)
{
    uint mine = t->me << 1 | 1;
    for (uint i = 0; i < t->write_cnt; i++) {
        stm_word orec = stm_tl2_orec(t, stm_hash(t->write_at[i]));
        uint old = *orec;
        if (old == mine)
            t->write_old[i] = STM_TWICE;
        else if ((old & 1) || atomic_cmpxchg(orec, old, mine) != old)
            return 0;
        else
            t->write_old[i] = old;
        t->taken_cnt = i + 1;
    }
    return 1;
}

/* Gives all orecs back: with a new version, or as they were. Earlier stores are visible before. */
STM_INLINE void stm_tl2_release(struct stm *t, uint changed, uint version)
{
    for (uint i = 0; i < t->taken_cnt; i++)
        if (t->write_old[i] != STM_TWICE)
            *stm_tl2_orec(t, stm_hash(t->write_at[i])) = changed ? version << 1 : (uint)t->write_old[i];
}

STM_INLINE void stm_write_back(const struct stm *t)
{
    for (uint i = 0; i < t->write_cnt; i++)
        *t->write_at[i] = t->write_value[i];
    FENCE_DEVICE();
}

/* Returns whether it has committed. */
STM_INLINE uint stm_tl2_commit(struct stm *t)
{
    uint good = !t->doomed, version = 0;
    if (good && t->write_cnt > 0) {
        good = stm_tl2_take(t);
        if (good) {
            version = atomic_inc(t->shared + STM_CLOCK) + 1;
            FENCE_DEVICE();
            /* nobody else has written since the beginning */
            good = version == t->begin + 1 || stm_tl2_validate(t);
        }
        if (good)
            stm_write_back(t);
        stm_tl2_release(t, good, version);
    }
    return good;
}

/* Pre-locks one orec, also where a lower priority has done so. 0: a higher one has it, or it is locked. */
STM_INLINE uint stm_pr_prelock(struct stm *t, uint i)
{
    stm_orec orec = stm_pr_orec(t, stm_hash(t->write_at[i]));
    ulong old = *orec;
    for (uint tries = 0; tries < STM_TRIES; tries++) {
        if (stm_pr_owner(old) == t->me) {
            t->write_old[i] = STM_TWICE;
            return 1;
        }
        if (((uint)old & STM_LOCKED) || stm_pr_owner(old) > t->me)
            return 0;
        ulong was = stm_swap(orec, old, old >> 32 << 32 | t->me);
        if (was == old) {
            t->write_old[i] = old >> 32 << 32;
            return 1;
        }
        old = was;
    }
    return 0;
}

/* Pre-locks all words written, then locks them. 0: not all, or one has been stolen in between. */
STM_INLINE uint stm_pr_take(struct stm *t)
{
    for (uint i = 0; i < t->write_cnt; i++) {
        if (!stm_pr_prelock(t, i))
            return 0;
        t->taken_cnt = i + 1;
    }
    for (uint i = 0; i < t->write_cnt; i++) {
        ulong mine = t->write_old[i] | t->me;
        if (t->write_old[i] != STM_TWICE && stm_swap(stm_pr_orec(t, stm_hash(t->write_at[i])), mine, mine | STM_LOCKED) != mine)
            return 0;
    }
    FENCE_DEVICE();
    return 1;
}

/* What has been stolen belongs to another one, and stays as it is. */
STM_INLINE void stm_pr_release(struct stm *t, uint changed)
{
    for (uint i = 0; i < t->taken_cnt; i++) {
        stm_orec orec = stm_pr_orec(t, stm_hash(t->write_at[i]));
        ulong old = t->write_old[i], now = old == STM_TWICE ? 0 : *orec;
        if (old == STM_TWICE || stm_pr_owner(now) != t->me)
            continue;
        if ((uint)now & STM_LOCKED)
            *orec = changed ? old + (1ul << 32) : old;
        else
            stm_swap(orec, now, old);
    }
}

/* Returns whether it has committed. All lanes of a warp go through a round together, so that one lane's locks are given back before another
 * lane looks at them again. */
STM_INLINE uint stm_pr_commit(struct stm *t)
{
    uint good = 0, left = 0;
    if (!t->doomed) {
        good = t->write_cnt == 0 || stm_pr_take(t) ? 2 : 0;
        left = 1;
        FENCE_DEVICE();
    }
    for (uint round = 0; left && round < STM_ROUNDS; round++) {
        if (good != 0)
            good = stm_pr_validate(t);
        if (good == 2 && round == STM_ROUNDS - 1)
            good = 0;
        if (good == 1)
            stm_write_back(t);
        if (good != 2) {
            stm_pr_release(t, good);
            left = 0;
        }
        KEEP_LOOP_SHAPE(left);
    }
    return good;
}

/* How many rounds to leave out after the n-th abort of a transaction: 0 to 2^n - 1, other for each thread. */
STM_INLINE uint stm_idle(const struct stm *t)
{
    uint mixed = (t->me * 2654435761u ^ t->aborts * 2246822519u) * 3266489917u;
    uint bits = min(t->aborts, STM_BACKOFF);
    return mixed >> 16 & ((1u << bits) - 1);
}

/* Ends a round of TX_ATOMICALLY. */
STM_INLINE void stm_end(int how, struct stm *t)
{
    uint good = how == HOW_STM_TL2 ? stm_tl2_commit(t) : stm_pr_commit(t);
    if (t->fault)
        atomic_max(t->shared + STM_FAULT, t->fault);
    t->finished = good || t->fault;
    if (!good) {
        t->aborts++;
        t->idle = how == HOW_STM_TL2 ? stm_idle(t) : 0;
    }
}

/* Runs the section as a transaction of a constant kind. shared_: STM_WORDS words (stm_layout.h). */
#define STM_ATOMICALLY(how, shared_, section)                                           \
    do {                                                                                \
        stm_word write_at_[STM_WRITES];                                                 \
        uint write_value_[STM_WRITES], read_orec_[STM_READS], read_version_[STM_READS]; \
        ulong write_old_[STM_WRITES];                                                   \
        struct stm state_ = {.shared = (shared_),                                       \
                             .write_at = write_at_,                                     \
                             .write_value = write_value_,                               \
                             .write_old = write_old_,                                   \
                             .read_orec = read_orec_,                                   \
                             .read_version = read_version_,                             \
                             .me = 0x7fffffffu - (uint)get_global_id(0)};               \
        struct stm *stm = &state_;                                                      \
        while (!state_.finished) {                                                      \
            if (state_.idle > 0) {                                                      \
                state_.idle--;                                                          \
            } else {                                                                    \
                stm_begin(how, stm);                                                    \
                section;                                                                \
                stm_end(how, stm);                                                      \
            }                                                                           \
            KEEP_LOOP_SHAPE(state_.finished);                                           \
        }                                                                               \
        if (state_.aborts > 0)                                                          \
            atomic_add((shared_) + STM_ABORTS, state_.aborts);                          \
    } while (0)

#endif
