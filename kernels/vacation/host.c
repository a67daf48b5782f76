/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vac-1, vac-2: threads of a travel agency make reservations, or change tables. The check knows what every transaction asked for and which
 * requests were met; their order it does not know. So it looks at sums: what is offered of each car, flight and room, that used and free make
 * the total, that used is what stands on the customers' lists, at which price; and that trees and lists are in order.
 */
#include "../links.h"
#include "../rbtree.h"
#include "../session.h"

#include "request.h"

enum { RESERVING, CHANGING, RELATION_CNT, CUSTOMER_CNT, QUERIES, BLOCK, POINTERS };
enum { NODE_WORDS = 6 };

static const struct links_field pointer_fields[] = {{0, RBTREE_KEY, 0},    {4, RBTREE_COLOUR, 0},  {8, RBTREE_LEFT, 1},
                                                    {16, RBTREE_RIGHT, 1}, {24, RBTREE_PARENT, 1}, {36, RBTREE_VALUE, 0}};
static const struct links pointer_node = {NODE_WORDS, 40, sizeof pointer_fields / sizeof pointer_fields[0], pointer_fields};

struct offer {
    uint32_t used, free, total, price;
};
struct item {
    uint32_t kind, id, price, next;
};

struct vacation {
    struct session s;
    uint32_t reserving, threads, relations, customers, queries, block, seed;
    uint32_t nodes, items; /* per tree, with node 0; with item 0 */
    uint32_t *tree;        /* [TABLES][nodes][NODE_WORDS] */
    struct offer *offer;   /* [CUSTOMERS][nodes] */
    uint32_t *head, *done;
    struct item *item;
    int64_t *total; /* [TABLES][ids + 1]: what the requests that were met leave of each id; of a customer: 1 or 0 */
    uint32_t *used; /* [CUSTOMERS][relations + 1]: on customers' lists */
    uint32_t listed;
};

static struct rbtree tree_of(const struct vacation *v, uint32_t table)
{
    return (struct rbtree){v->tree + (uint64_t)table * v->nodes * NODE_WORDS, NODE_WORDS, v->nodes - 1};
}

static int64_t *total_of(const struct vacation *v, uint32_t table, uint32_t id)
{
    return v->total + (uint64_t)table * (v->relations + 1) + id;
}

static uint32_t *used_of(const struct vacation *v, uint32_t table, uint32_t id)
{
    return v->used + (uint64_t)table * (v->relations + 1) + id;
}

/* STAMP's tables: 100 to 500 of each, at 50 to 90. */
static void make(struct vacation *v, uint32_t *key)
{
    for (uint32_t i = 0; i < v->relations || i < v->customers; i++)
        key[i] = i + 1;
    for (uint32_t table = 0; table < TABLES; table++) {
        const struct rbtree tree = tree_of(v, table);
        const uint32_t ids = table == CUSTOMERS ? v->customers : v->relations;
        rbtree_build(&tree, key, ids);
        for (uint32_t id = 1; id <= ids; id++) {
            *rbtree_field(&tree, id, RBTREE_VALUE) = id;
            *total_of(v, table, id) = table == CUSTOMERS ? 1 : SOME * (1 + session_below(&v->s, 5));
            if (table != CUSTOMERS)
                v->offer[(uint64_t)table * v->nodes + id] = (struct offer){.free = (uint32_t)*total_of(v, table, id),
                                                                           .total = (uint32_t)*total_of(v, table, id),
                                                                           .price = 50 + 10 * session_below(&v->s, 5)};
        }
    }
}

/* ---- What has to be left ---- */

static void count_changes(struct vacation *v, uint32_t thread)
{
    const uint32_t requests = VACATION_CNT(v->seed, thread, v->queries);
    for (uint32_t k = 0; k < requests; k++) {
        const uint32_t random = VACATION_RANDOM(v->seed, thread, k), table = VACATION_TABLE(random, TABLES);
        const uint32_t id = VACATION_ID(random, table == CUSTOMERS ? v->customers : v->relations);
        const int64_t some = table == CUSTOMERS ? 1 : SOME;
        if ((v->done[thread] >> k & 1) != 0)
            *total_of(v, table, id) += VACATION_ADDS(random) ? some : -some;
    }
    if (v->done[thread] >> requests != 0)
        session_fail(&v->s, COWARP_ECHECK, "thread %u met a request that it did not have", thread);
}

/* Returns how many items the thread put on its customer's list. */
static uint32_t count_reservations(struct vacation *v, uint32_t thread)
{
    const uint32_t done = v->done[thread], requests = VACATION_CNT(v->seed, thread, v->queries);
    const uint32_t customer = VACATION_ID(VACATION_RANDOM(v->seed, thread, MAX_QUERIES + 1), v->customers);
    uint32_t asked = 0;
    for (uint32_t k = 0; k < requests; k++)
        asked |= 1u << VACATION_TABLE(VACATION_RANDOM(v->seed, thread, k), CUSTOMERS);
    if ((done & ~(asked | 1u << CUSTOMERS)) != 0)
        session_fail(&v->s, COWARP_ECHECK, "thread %u reserved what it did not ask for", thread);
    *total_of(v, CUSTOMERS, customer) += done >> CUSTOMERS & 1;
    return (done & 1) + (done >> 1 & 1) + (done >> 2 & 1);
}

/* ---- What is left ---- */

/* One that an offer may have had; where nobody changes offers, the one that it has is known. */
static int is_price(uint32_t price)
{
    return price >= 50 && price <= 90 && price % 10 == 0;
}

static void check_list(struct vacation *v, uint32_t customer, uint32_t at)
{
    uint64_t last = 0;
    for (uint32_t steps = 0; at != 0 && v->s.status == 0; steps++) {
        if (at >= v->items || steps >= v->items) {
            session_fail(&v->s, COWARP_ECHECK, "the list of customer %u has a circle, or an item %u that is none", customer, at);
            return;
        }
        const struct item *item = v->item + at;
        const uint64_t place = ((uint64_t)item->kind << 32 | item->id);
        if (item->kind >= CUSTOMERS || item->id == 0 || item->id > v->relations || place <= last) {
            session_fail(&v->s, COWARP_ECHECK, "the list of customer %u is out of order at item %u", customer, at);
            return;
        }
        const struct rbtree tree = tree_of(v, item->kind);
        const uint32_t node = rbtree_find(&tree, item->id);
        const uint32_t slot = node == 0 ? 0 : *rbtree_field(&tree, node, RBTREE_VALUE);
        if (node == 0 || slot >= v->nodes)
            session_fail(&v->s, COWARP_ECHECK, "customer %u has reserved (%u, %u), which is not offered", customer, item->kind, item->id);
        else if (!is_price(item->price) ||
                 (v->threads == v->reserving && v->offer[(uint64_t)item->kind * v->nodes + slot].price != item->price))
            session_fail(&v->s, COWARP_ECHECK, "the bill of customer %u has %u for (%u, %u)", customer, item->price, item->kind, item->id);
        last = place;
        ++*used_of(v, item->kind, item->id);
        v->listed++;
        at = item->next;
    }
}

static void check_tree(struct vacation *v, uint32_t table)
{
    const struct rbtree tree = tree_of(v, table);
    const uint32_t ids = table == CUSTOMERS ? v->customers : v->relations;
    uint32_t keys = 0, at = 0, wanted = 0;
    const char *fault = rbtree_fault(&tree, &keys, &at);
    if (fault != NULL) {
        session_fail(&v->s, COWARP_ECHECK, "table %u, node %u: %s", table, at, fault);
        return;
    }
    for (uint32_t id = 1; v->s.status == 0 && id <= ids; id++) {
        const uint32_t node = rbtree_find(&tree, id);
        const int64_t total = *total_of(v, table, id);
        wanted += total != 0;
        if ((node != 0) != (total != 0) || total < 0 || (table == CUSTOMERS && total > 1))
            session_fail(&v->s, COWARP_ECHECK, "table %u: id %u is %s; the requests that were met leave %lld of it", table, id,
                         node != 0 ? "there" : "not there", (long long)total);
        else if (node != 0 && *rbtree_field(&tree, node, RBTREE_VALUE) >= v->nodes)
            session_fail(&v->s, COWARP_ECHECK, "table %u: id %u has a slot that is none", table, id);
    }
    if (v->s.status == 0 && keys != wanted)
        session_fail(&v->s, COWARP_ECHECK, "table %u has %u ids, expected %u", table, keys, wanted);
}

static void check_offers(struct vacation *v, uint32_t table)
{
    const struct rbtree tree = tree_of(v, table);
    for (uint32_t id = 1; v->s.status == 0 && id <= v->relations; id++) {
        const uint32_t node = rbtree_find(&tree, id), used = *used_of(v, table, id);
        const struct offer offer =
            node == 0 ? (struct offer){0} : v->offer[(uint64_t)table * v->nodes + *rbtree_field(&tree, node, RBTREE_VALUE)];
        if (offer.used != used || (uint64_t)offer.used + offer.free != offer.total || offer.total != *total_of(v, table, id))
            session_fail(&v->s, COWARP_ECHECK, "table %u, id %u: used %u, free %u, total %u; lists have %u, the total has to be %lld",
                         table, id, offer.used, offer.free, offer.total, used, (long long)*total_of(v, table, id));
    }
}

static void check(struct vacation *v)
{
    uint32_t reserved = 0, met = 0;
    for (uint32_t i = 0; i < v->threads; i++) {
        if (i < v->reserving)
            reserved += count_reservations(v, i);
        else
            count_changes(v, i);
        met += v->done[i] != 0;
    }
    for (uint32_t table = 0; table < TABLES && v->s.status == 0; table++)
        check_tree(v, table);
    const struct rbtree customers = tree_of(v, CUSTOMERS);
    for (uint32_t id = 1; v->s.status == 0 && id <= v->customers; id++) {
        const uint32_t node = rbtree_find(&customers, id);
        if (node != 0)
            check_list(v, id, v->head[*rbtree_field(&customers, node, RBTREE_VALUE)]);
    }
    for (uint32_t table = 0; table < CUSTOMERS && v->s.status == 0; table++)
        check_offers(v, table);
    if (v->s.status == 0 && v->threads == v->reserving && v->listed != reserved)
        session_fail(&v->s, COWARP_ECHECK, "%u reservations were made, %u stand on the lists", reserved, v->listed);
    session_passed(&v->s, "%u of %u threads changed something; %u reservations; trees, lists, sums and bills agree", met, v->threads,
                   v->listed);
}

/* ---- The run ---- */

static void allocate(struct vacation *v)
{
    struct session *s = &v->s;
    const uint32_t ids = v->relations > v->customers ? v->relations : v->customers;
    v->nodes = ids + 1 + v->threads * MAX_QUERIES;
    v->items = 1 + v->threads * MAX_QUERIES;
    v->tree = session_array(s, (uint64_t)TABLES * v->nodes, NODE_WORDS * sizeof *v->tree);
    v->offer = session_array(s, (uint64_t)CUSTOMERS * v->nodes, sizeof *v->offer);
    v->head = session_array(s, v->nodes, sizeof *v->head);
    v->item = session_array(s, v->items, sizeof *v->item);
    v->done = session_array(s, v->threads, sizeof *v->done);
    v->total = session_array(s, (uint64_t)TABLES * (ids + 1), sizeof *v->total);
    v->used = session_array(s, (uint64_t)CUSTOMERS * (v->relations + 1), sizeof *v->used);
    uint32_t *key = session_array(s, ids, sizeof *key);
    if (s->status == 0)
        make(v, key);
}

static int run(struct cowarp_workload_context *x)
{
    struct vacation v = {.reserving = (uint32_t)x->param[RESERVING],
                         .threads = (uint32_t)(x->param[RESERVING] + x->param[CHANGING]),
                         .relations = (uint32_t)x->param[RELATION_CNT],
                         .customers = (uint32_t)x->param[CUSTOMER_CNT],
                         .queries = (uint32_t)x->param[QUERIES],
                         .block = (uint32_t)x->param[BLOCK]};
    struct session *s = &v.s;
    session_open(s, x);
    v.seed = session_below(s, UINT32_MAX);
    if (v.threads == 0)
        session_fail(s, COWARP_EINVAL, "reserving and changing are 0; at least one thread");
    if (v.customers > v.relations)
        session_fail(s, COWARP_EINVAL, "customers = %u are more than relations = %u", v.customers, v.relations);
    allocate(&v);
    const uint64_t tree_bytes = (uint64_t)TABLES * v.nodes * NODE_WORDS * sizeof *v.tree;
    const uint64_t offer_bytes = (uint64_t)CUSTOMERS * v.nodes * sizeof *v.offer;
    const uint64_t head_bytes = v.nodes * sizeof *v.head, item_bytes = v.items * sizeof *v.item;
    const int pointers = x->param[POINTERS] != 0;
    const uint64_t tree = pointers ? links_upload(s, &pointer_node, v.tree, TABLES, v.nodes) : session_upload_shared(s, v.tree, tree_bytes);
    const uint64_t offer = session_upload_shared(s, v.offer, offer_bytes);
    const uint64_t head = session_upload_shared(s, v.head, head_bytes), item = session_upload_shared(s, v.item, item_bytes);
    const uint64_t done = session_upload(s, NULL, v.threads * sizeof *v.done);
    const uint64_t lock = x->variant == COWARP_CGLOCK ? session_upload(s, NULL, sizeof(uint32_t)) : 0;
    const struct cowarp_arg args[] = {COWARP_U64(tree),    COWARP_U64(offer),       COWARP_U64(head),        COWARP_U64(item),
                                      COWARP_U32(v.nodes), COWARP_U32(v.customers), COWARP_U32(v.relations), COWARP_U64(done),
                                      COWARP_U32(v.seed),  COWARP_U32(v.reserving), COWARP_U32(v.threads),   COWARP_U32(v.queries),
                                      COWARP_U64(lock)};
    const uint32_t arg_cnt = sizeof args / sizeof args[0] - (x->variant == COWARP_TX);
    const struct session_shape shape = {(v.threads + v.block - 1) / v.block, 1, v.block, 1};
    const char *kernel[][2] = {{"vacation_cglock", "vacation_tx"}, {"vacation_pointers_cglock", "vacation_pointers_tx"}};
    session_run(s, kernel[pointers][x->variant == COWARP_TX], shape, arg_cnt, args);
    if (pointers)
        links_read(s, &pointer_node, v.tree, tree, TABLES, v.nodes);
    else
        session_read(s, v.tree, tree, tree_bytes);
    session_read(s, v.offer, offer, offer_bytes);
    session_read(s, v.head, head, head_bytes);
    session_read(s, v.item, item, item_bytes);
    session_read(s, v.done, done, v.threads * sizeof *v.done);
    if (s->status == 0)
        check(&v);
    return session_close(s);
}

#define VACATION(id, word, reserve, change, relations, customers)                                                       \
    static const struct cowarp_workload_param params_##id[] = {                                                         \
        [RESERVING] = {"reserving", reserve, 0, 4096, "threads that make reservations for one customer"},               \
        [CHANGING] = {"changing", change, 0, 4096, "threads that add to tables, or take from them"},                    \
        [RELATION_CNT] = {"relations", relations, 1, 65536, "cars, flights, rooms, of each so many"},                   \
        [CUSTOMER_CNT] = {"customers", customers, 1, 65536, "customers, at most as many as relations"},                 \
        [QUERIES] = {"queries", 4, 1, MAX_QUERIES, "requests of a thread at most; it makes 1 to as many (STAMP's -n)"}, \
        [POINTERS] = {"pointers", 0, 0, 1, "links of the trees are pointers of 8 bytes"},                               \
        [BLOCK] = {"block", 32, 1, 1024, "threads per block"},                                                          \
    };                                                                                                                  \
    const struct cowarp_workload cowarp_workload_##id = {                                                               \
        .name = word,                                                                                                   \
        .folder = "vacation",                                                                                           \
        .what = "travel reservations in four red-black trees and lists (Chen et al. 2017, Vacation; STAMP)",            \
        .variants = COWARP_TX | COWARP_CGLOCK,                                                                          \
        .params = params_##id,                                                                                          \
        .param_count = sizeof params_##id / sizeof params_##id[0],                                                      \
        .run = run,                                                                                                     \
    }

VACATION(vac_1, "vac-1", 0, 150, 500, 500);
VACATION(vac_2, "vac-2", 140, 0, 1000, 5);
