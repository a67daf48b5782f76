/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bank transfers (Fung 2015, ATM; GETM Table III): each moves an amount from one account to another. Transaction: 2 words read, 2 written;
 * the transfer itself is read outside.
 */
#include "sync.h"

struct account {
    uint lock;
    int balance;
};

struct transfer {
    uint from, to; /* different accounts */
    int amount;
};

#include "body.h"

__kernel void atm_tx(__global const struct transfer *transfers, __global volatile struct account *accounts, uint n)
{
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        struct transfer t = transfers[i];
        tx_begin();
        move(&accounts[t.from], &accounts[t.to], t.amount);
        tx_commit();
    }
}

/* Locks are taken in descending order of account, so that no two threads wait for each other. */
__kernel void atm_fglock(__global const struct transfer *transfers, __global volatile struct account *accounts, uint n)
{
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        struct transfer t = transfers[i];
        __global volatile struct account *first = &accounts[max(t.from, t.to)];
        __global volatile struct account *second = &accounts[min(t.from, t.to)];
        int done = 0;
        while (!done) {
            if (atomic_cmpxchg(&first->lock, 0u, 1u) == 0) {
                if (atomic_cmpxchg(&second->lock, 0u, 1u) == 0) {
                    move(&accounts[t.from], &accounts[t.to], t.amount);
                    FENCE_DEVICE();
                    atomic_xchg(&second->lock, 0u);
                    done = 1;
                }
                atomic_xchg(&first->lock, 0u);
            }
            KEEP_LOOP_SHAPE(done);
        }
    }
}

__kernel void atm_cglock(__global const struct transfer *transfers, __global volatile struct account *accounts, uint n,
                         __global volatile uint *lock)
{
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        struct transfer t = transfers[i];
        int done = 0;
        while (!done) {
            if (atomic_cmpxchg(lock, 0u, 1u) == 0) {
                move(&accounts[t.from], &accounts[t.to], t.amount);
                FENCE_DEVICE();
                atomic_xchg(lock, 0u);
                done = 1;
            }
            KEEP_LOOP_SHAPE(done);
        }
    }
}

#define STM_READS  2
#define STM_WRITES 2
#include "stm.h"

#include "body.h"

STM_INLINE void move_all_stm(int how, __global const struct transfer *transfers, __global volatile struct account *accounts, uint n,
                             __global volatile uint *shared)
{
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        struct transfer t = transfers[i];
        STM_ATOMICALLY(how, shared, move_stm(TX_PASS & accounts[t.from], &accounts[t.to], t.amount));
    }
}

__kernel void atm_stm_tl2(__global const struct transfer *transfers, __global volatile struct account *accounts, uint n,
                          __global volatile uint *shared)
{
    move_all_stm(HOW_STM_TL2, transfers, accounts, n, shared);
}

__kernel void atm_stm_pr(__global const struct transfer *transfers, __global volatile struct account *accounts, uint n,
                         __global volatile uint *shared)
{
    move_all_stm(HOW_STM_PR, transfers, accounts, n, shared);
}
