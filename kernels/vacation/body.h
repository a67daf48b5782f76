/* SPDX-License-Identifier: Apache-2.0 */
/* The agency, included once for each form of its trees' nodes: see kernels/include/rbtree.h and rbtree_pointers.h. */

struct RB_(agency) {
    TREE tree;                             /* [TABLES][nodes] */
    __global volatile struct offer *offer; /* [CUSTOMERS][nodes] */
    __global volatile uint *head;          /* [nodes], by customer; 0: nothing is reserved */
    __global volatile struct item *item;
    uint nodes, customers, relations; /* ids of customers, and of cars, flights, rooms each; all are there at first, in nodes 1 and on */
};

static TREE RB_(tree_of)(const struct RB_(agency) * a, uint table)
{
    return a->tree + table * a->nodes;
}

static __global volatile struct offer *RB_(offer_of)(const struct RB_(agency) * a, uint table, LINK node)
{
    TREE t = RB_(tree_of)(a, table);
    return a->offer + table * a->nodes + AT(node).value;
}

/* ---- Customers ---- */

/* 0: the customer was there. */
static uint RB_(add_customer)(const struct RB_(agency) * a, uint slot, uint customer)
{
    TREE t = RB_(tree_of)(a, CUSTOMERS);
    uint z = a->customers + 1 + slot;
    if (RB_(insert)(t, NODE(z), customer) == 0)
        return 0;
    AT(NODE(z)).value = z;
    a->head[z] = 0;
    return 1;
}

/* Gives back all that the customer has reserved. 0: there is no such customer. */
static uint RB_(remove_customer)(const struct RB_(agency) * a, uint customer)
{
    TREE t = RB_(tree_of)(a, CUSTOMERS);
    LINK node = RB_(find)(t, customer);
    if (node == NONE)
        return 0;
    uint at = a->head[AT(node).value];
    for (uint steps = 0; at != 0 && steps < a->relations * CUSTOMERS; steps++) {
        uint kind = a->item[at].kind;
        TREE offers = RB_(tree_of)(a, kind);
        LINK place = RB_(find)(offers, a->item[at].id);
        if (place != NONE_OF(offers)) {
            __global volatile struct offer *offer = RB_(offer_of)(a, kind, place);
            offer->used -= 1;
            offer->free += 1;
        }
        at = a->item[at].next;
    }
    return RB_(remove)(t, customer);
}

/* ---- Reservations ---- */

/* Puts (kind, id) into the list whose head is at `head`. 0: it is there already. */
static uint RB_(add_item)(const struct RB_(agency) * a, uint slot, uint head, uint kind, uint id, uint price)
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
static uint RB_(reserve)(const struct RB_(agency) * a, uint slot, uint customer, uint kind, uint id)
{
    TREE t = RB_(tree_of)(a, CUSTOMERS);
    LINK who = RB_(find)(t, customer);
    LINK what = RB_(find)(RB_(tree_of)(a, kind), id);
    if (who == NONE || what == NONE_OF(RB_(tree_of)(a, kind)))
        return 0;
    __global volatile struct offer *offer = RB_(offer_of)(a, kind, what);
    uint left = offer->free;
    if (left == 0 || RB_(add_item)(a, slot, AT(who).value, kind, id, offer->price) == 0)
        return 0;
    offer->free = left - 1;
    offer->used += 1;
    return 1;
}

/* The dearest of each kind among the requests, as STAMP's client does. Returns a bit per kind that was reserved; bit 3: a new customer. */
static uint RB_(make_reservations)(const struct RB_(agency) * a, uint seed, uint thread, uint requests)
{
    uint id[CUSTOMERS] = {0, 0, 0}, price[CUSTOMERS] = {0, 0, 0}, done = 0;
    for (uint k = 0; k < requests; k++) {
        uint random = VACATION_RANDOM(seed, thread, k), table = VACATION_TABLE(random, CUSTOMERS);
        TREE t = RB_(tree_of)(a, table);
        LINK node = RB_(find)(t, VACATION_ID(random, a->relations));
        if (node == NONE)
            continue;
        __global volatile struct offer *offer = RB_(offer_of)(a, table, node);
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
        done = RB_(add_customer)(a, thread * MAX_QUERIES, customer) << CUSTOMERS;
#pragma unroll
    for (uint kind = 0; kind < CUSTOMERS; kind++)
        if (id[kind] != 0)
            done |= RB_(reserve)(a, 1 + thread * MAX_QUERIES + kind, customer, kind, id[kind]) << kind;
    return done;
}

/* ---- Changes of tables ---- */

/* SOME more of an offer, which begins if there was none. */
static uint RB_(add_offer)(const struct RB_(agency) * a, uint slot, uint table, uint id, uint price)
{
    TREE t = RB_(tree_of)(a, table);
    uint z = a->relations + 1 + slot;
    LINK node = RB_(find)(t, id);
    uint left = 0, total = 0;
    __global volatile struct offer *offer = a->offer + table * a->nodes + z;
    if (node != NONE) {
        offer = RB_(offer_of)(a, table, node);
        left = offer->free;
        total = offer->total;
    } else {
        RB_(insert)(t, NODE(z), id);
        AT(NODE(z)).value = z;
        offer->used = 0;
    }
    offer->free = left + SOME;
    offer->total = total + SOME;
    offer->price = price;
    return 1;
}

/* SOME less; an offer of which nothing is left ends. 0: there is no such offer, or it has not so many that are free. */
static uint RB_(remove_offer)(const struct RB_(agency) * a, uint table, uint id)
{
    TREE t = RB_(tree_of)(a, table);
    LINK node = RB_(find)(t, id);
    if (node == NONE)
        return 0;
    __global volatile struct offer *offer = RB_(offer_of)(a, table, node);
    uint left = offer->free;
    if (left < SOME)
        return 0;
    uint total = offer->total;
    if (total == SOME)
        return RB_(remove)(t, id);
    offer->free = left - SOME;
    offer->total = total - SOME;
    return 1;
}

/* Returns a bit per request that was met. */
static uint RB_(change_tables)(const struct RB_(agency) * a, uint seed, uint thread, uint requests)
{
    uint done = 0;
    for (uint k = 0; k < requests; k++) {
        uint random = VACATION_RANDOM(seed, thread, k), table = VACATION_TABLE(random, TABLES), slot = thread * MAX_QUERIES + k, met;
        uint id = VACATION_ID(random, table == CUSTOMERS ? a->customers : a->relations);
        if (table == CUSTOMERS)
            met = VACATION_ADDS(random) ? RB_(add_customer)(a, slot, id) : RB_(remove_customer)(a, id);
        else
            met = VACATION_ADDS(random) ? RB_(add_offer)(a, slot, table, id, VACATION_PRICE(random)) : RB_(remove_offer)(a, table, id);
        done |= met << k;
    }
    return done;
}

static void RB_(serve)(int locked, const struct RB_(agency) * a, __global uint *done, uint seed, uint reserving, uint threads, uint queries,
                       __global volatile uint *lock)
{
    uint i = get_global_id(0), result;
    if (i >= threads)
        return;
    uint requests = VACATION_CNT(seed, i, queries);
    if (i < reserving)
        ATOMICALLY(locked, lock, result = RB_(make_reservations)(a, seed, i, requests));
    else
        ATOMICALLY(locked, lock, result = RB_(change_tables)(a, seed, i, requests));
    done[i] = result;
}
