/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vacation (Chen et al., ISCA 2017, section 6, after STAMP): a travel agency's tables of cars, flights, rooms and customers are red-black
 * trees, and each customer has a sorted list of what is reserved. A thread makes reservations for one customer, or changes tables, in one
 * transaction.
 *
 * A thread has slots of its own in each pool, one for every entry that its transaction may make. An attempt that fails has written nothing,
 * so the next one takes the same slots, and none is lost. A slot is not used again once its entry has been removed.
 */
#include "sync.h"

#define RBTREE_VALUE /* of a car, flight or room: its offer; of a customer: the head of the list */
#include "rbtree.h"

#include "request.h"

struct offer {
    uint used, free, total, price;
};
struct item { /* of a customer's list, by (kind, id); 0: no item */
    uint kind, id, price, next;
};

struct agency {
    tree_t tree;                           /* [TABLES][nodes] */
    __global volatile struct offer *offer; /* [CUSTOMERS][nodes] */
    __global volatile uint *head;          /* [nodes], by customer; 0: nothing is reserved */
    __global volatile struct item *item;
    uint nodes, customers, relations; /* ids of customers, and of cars, flights, rooms each; all are there at first, in nodes 1 and on */
};

static tree_t tree_of(const struct agency *a, uint table)
{
    return a->tree + table * a->nodes;
}

static __global volatile struct offer *offer_of(const struct agency *a, uint table, uint node)
{
    return a->offer + table * a->nodes + tree_of(a, table)[node].value;
}

/* ---- Customers ---- */

/* 0: the customer was there. */
static uint add_customer(const struct agency *a, uint slot, uint customer)
{
    tree_t t = tree_of(a, CUSTOMERS);
    uint z = a->customers + 1 + slot;
    if (insert(t, z, customer) == 0)
        return 0;
    t[z].value = z;
    a->head[z] = 0;
    return 1;
}

/* Gives back all that the customer has reserved. 0: there is no such customer. */
static uint remove_customer(const struct agency *a, uint customer)
{
    tree_t t = tree_of(a, CUSTOMERS);
    uint node = find(t, customer);
    if (node == 0)
        return 0;
    uint at = a->head[t[node].value];
    for (uint steps = 0; at != 0 && steps < a->relations * CUSTOMERS; steps++) {
        uint kind = a->item[at].kind;
        uint place = find(tree_of(a, kind), a->item[at].id);
        if (place != 0) {
            __global volatile struct offer *offer = offer_of(a, kind, place);
            offer->used -= 1;
            offer->free += 1;
        }
        at = a->item[at].next;
    }
    return remove(t, customer);
}

/* ---- Reservations ---- */

/* Puts (kind, id) into the list whose head is at `head`. 0: it is there already. */
static uint add_item(const struct agency *a, uint slot, uint head, uint kind, uint id, uint price)
{
    uint last = 0, at = a->head[head];
    for (uint steps = 0; at != 0 && steps < a->relations * CUSTOMERS; steps++) {
        uint other = a->item[at].kind;
        uint other_id = a->item[at].id;
        if (other == kind && other_id == id)
            return 0;
        if (other > kind || (other == kind && other_id > id))
            break;
        last = at;
        at = a->item[at].next;
    }
    a->item[slot].kind = kind;
    a->item[slot].id = id;
    a->item[slot].price = price;
    a->item[slot].next = at;
    if (last == 0)
        a->head[head] = slot;
    else
        a->item[last].next = slot;
    return 1;
}

/* 0: no such customer, nothing left of it, or the customer has it already. */
static uint reserve(const struct agency *a, uint slot, uint customer, uint kind, uint id)
{
    tree_t customers = tree_of(a, CUSTOMERS);
    uint who = find(customers, customer);
    uint what = find(tree_of(a, kind), id);
    if (who == 0 || what == 0)
        return 0;
    __global volatile struct offer *offer = offer_of(a, kind, what);
    uint left = offer->free;
    if (left == 0 || add_item(a, slot, customers[who].value, kind, id, offer->price) == 0)
        return 0;
    offer->free = left - 1;
    offer->used += 1;
    return 1;
}

/* The dearest of each kind among the requests, as STAMP's client does. Returns a bit per kind that was reserved; bit 3: a new customer. */
static uint make_reservations(const struct agency *a, uint seed, uint thread, uint requests)
{
    uint id[CUSTOMERS] = {0, 0, 0}, price[CUSTOMERS] = {0, 0, 0}, done = 0;
    for (uint k = 0; k < requests; k++) {
        uint random = VACATION_RANDOM(seed, thread, k), table = VACATION_TABLE(random, CUSTOMERS);
        uint node = find(tree_of(a, table), VACATION_ID(random, a->relations));
        if (node == 0)
            continue;
        __global volatile struct offer *offer = offer_of(a, table, node);
        uint left = offer->free;
        uint its = offer->price;
#pragma unroll
        for (uint kind = 0; kind < CUSTOMERS; kind++)
            if (kind == table && left != 0 && its > price[kind]) {
                id[kind] = VACATION_ID(random, a->relations);
                price[kind] = its;
            }
    }
    uint customer = VACATION_ID(VACATION_RANDOM(seed, thread, MAX_QUERIES + 1), a->customers);
    if ((id[CARS] | id[FLIGHTS] | id[ROOMS]) != 0)
        done = add_customer(a, thread * MAX_QUERIES, customer) << CUSTOMERS;
#pragma unroll
    for (uint kind = 0; kind < CUSTOMERS; kind++)
        if (id[kind] != 0)
            done |= reserve(a, 1 + thread * MAX_QUERIES + kind, customer, kind, id[kind]) << kind;
    return done;
}

/* ---- Changes of tables ---- */

/* SOME more of an offer, which begins if there was none. */
static uint add_offer(const struct agency *a, uint slot, uint table, uint id, uint price)
{
    tree_t t = tree_of(a, table);
    uint z = a->relations + 1 + slot;
    uint node = find(t, id), left = 0, total = 0;
    __global volatile struct offer *offer = a->offer + table * a->nodes + z;
    if (node != 0) {
        offer = offer_of(a, table, node);
        left = offer->free;
        total = offer->total;
    } else {
        insert(t, z, id);
        t[z].value = z;
        offer->used = 0;
    }
    offer->free = left + SOME;
    offer->total = total + SOME;
    offer->price = price;
    return 1;
}

/* SOME less; an offer of which nothing is left ends. 0: there is no such offer, or it has not so many that are free. */
static uint remove_offer(const struct agency *a, uint table, uint id)
{
    tree_t t = tree_of(a, table);
    uint node = find(t, id);
    if (node == 0)
        return 0;
    __global volatile struct offer *offer = offer_of(a, table, node);
    uint left = offer->free;
    if (left < SOME)
        return 0;
    uint total = offer->total;
    if (total == SOME)
        return remove(t, id);
    offer->free = left - SOME;
    offer->total = total - SOME;
    return 1;
}

/* Returns a bit per request that was met. */
static uint change_tables(const struct agency *a, uint seed, uint thread, uint requests)
{
    uint done = 0;
    for (uint k = 0; k < requests; k++) {
        uint random = VACATION_RANDOM(seed, thread, k), table = VACATION_TABLE(random, TABLES), slot = thread * MAX_QUERIES + k, met;
        uint id = VACATION_ID(random, table == CUSTOMERS ? a->customers : a->relations);
        if (table == CUSTOMERS)
            met = VACATION_ADDS(random) ? add_customer(a, slot, id) : remove_customer(a, id);
        else
            met = VACATION_ADDS(random) ? add_offer(a, slot, table, id, VACATION_PRICE(random)) : remove_offer(a, table, id);
        done |= met << k;
    }
    return done;
}

static void serve(int locked, const struct agency *a, __global uint *done, uint seed, uint reserving, uint threads, uint queries,
                  __global volatile uint *lock)
{
    uint i = get_global_id(0), result;
    if (i >= threads)
        return;
    uint requests = VACATION_CNT(seed, i, queries);
    if (i < reserving)
        ATOMICALLY(locked, lock, result = make_reservations(a, seed, i, requests));
    else
        ATOMICALLY(locked, lock, result = change_tables(a, seed, i, requests));
    done[i] = result;
}

#define ARGUMENTS                                                                                                                      \
    tree_t tree, __global volatile struct offer *offer, __global volatile uint *head, __global volatile struct item *item, uint nodes, \
        uint customers, uint relations, __global uint *done, uint seed, uint reserving, uint threads, uint queries

__kernel void vacation_tx(ARGUMENTS)
{
    const struct agency a = {tree, offer, head, item, nodes, customers, relations};
    serve(0, &a, done, seed, reserving, threads, queries, 0);
}

__kernel void vacation_cglock(ARGUMENTS, __global volatile uint *lock)
{
    const struct agency a = {tree, offer, head, item, nodes, customers, relations};
    serve(1, &a, done, seed, reserving, threads, queries, lock);
}
