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

#include "body.h"

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

/* ---- The same with trees of pointers ---- */

#define RBTREE_NO_SIDE /* STAMP's nodes have none */
#include "rbtree_pointers.h"

#include "body.h"

#define POINTER_ARGUMENTS                                                                                                              \
    pointers_t tree, __global volatile struct offer *offer, __global volatile uint *head, __global volatile struct item *item,         \
        uint nodes, uint customers, uint relations, __global uint *done, uint seed, uint reserving, uint threads, uint queries

__kernel void vacation_pointers_tx(POINTER_ARGUMENTS)
{
    const struct agency_by_pointers a = {tree, offer, head, item, nodes, customers, relations};
    serve_by_pointers(0, &a, done, seed, reserving, threads, queries, 0);
}

__kernel void vacation_pointers_cglock(POINTER_ARGUMENTS, __global volatile uint *lock)
{
    const struct agency_by_pointers a = {tree, offer, head, item, nodes, customers, relations};
    serve_by_pointers(1, &a, done, seed, reserving, threads, queries, lock);
}
