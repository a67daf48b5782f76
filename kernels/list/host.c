/* SPDX-License-Identifier: Apache-2.0 */
/* ll-1, ll-2: threads insert one key each into a sorted linked list. The check walks the list: it is sorted, and has each key once. */
#include "../links.h"
#include "../session.h"
#include "../stm.h"

#include <stdlib.h>

enum { THREADS, BLOCK, POINTERS };

struct node {
    uint32_t key, value, next;
};

static const struct links_field element_fields[] = {{0, 0, 0}, {4, 1, 0}, {8, 2, 1}};
static const struct links element = {3, 16, 3, element_fields};

struct list {
    struct session s;
    uint32_t n, block;
    uint32_t *key;
    struct node *node;
};

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Keys that differ, in random order. */
static void make_keys(struct list *l)
{
    for (uint32_t i = 0; l->s.status == 0 && i < l->n; i++)
        l->key[i] = session_below(&l->s, 1u << 10) * l->n + i + 1;
}

static void check(struct list *l)
{
    uint32_t at = l->node[0].next;
    qsort(l->key, l->n, sizeof *l->key, by_value);
    for (uint32_t i = 0; l->s.status == 0 && i < l->n; i++) {
        if (at == 0 || at > l->n)
            session_fail(&l->s, COWARP_ECHECK, "the list ends after %u of %u keys", i, l->n);
        else if (l->node[at].key != l->key[i] || l->node[at].value != ~l->key[i])
            session_fail(&l->s, COWARP_ECHECK, "place %u of the list has key %u, expected %u", i, l->node[at].key, l->key[i]);
        else
            at = l->node[at].next;
    }
    if (at != 0)
        session_fail(&l->s, COWARP_ECHECK, "the list goes on after all %u keys", l->n);
    session_passed(&l->s, "the list has all %u keys in order, each once", l->n);
}

static void launch(struct list *l)
{
    struct cowarp_workload_context *x = l->s.x;
    char name[64];
    const uint64_t bytes = (l->n + UINT64_C(1)) * sizeof *l->node, key = session_upload(&l->s, l->key, l->n * sizeof *l->key);
    const uint64_t node = session_upload_shared(&l->s, l->node, bytes);
    const uint32_t blocks = (l->n + l->block - 1) / l->block;
    uint64_t shared = 0;
    if (x->variant == COWARP_TX) {
        session_launch(&l->s, "list_tx", blocks, l->block, COWARP_U64(key), COWARP_U64(node), COWARP_U32(l->n));
    } else {
        shared = session_upload(&l->s, NULL, stm_bytes(x->variant));
        session_launch(&l->s, stm_kernel(name, "list", x->variant), blocks, l->block, COWARP_U64(key), COWARP_U64(node), COWARP_U32(l->n),
                       COWARP_U64(shared));
    }
    session_read(&l->s, l->node, node, bytes);
    if (l->s.status == 0)
        check(l);
    l->s.status = stm_finish(x, shared, l->s.status);
}

/* The elements have their keys before, so a transaction writes two pointers. */
static void launch_pointers(struct list *l)
{
    const uint32_t blocks = (l->n + l->block - 1) / l->block, nodes = l->n + 1;
    if ((l->s.x->variant & (COWARP_TX | COWARP_CGLOCK)) == 0)
        session_fail(&l->s, COWARP_EINVAL,
                     "pointers = 1 is for transactions in hardware and one lock; transactions in software take words of 4 bytes");
    for (uint32_t i = 0; l->s.status == 0 && i < l->n; i++)
        l->node[i + 1] = (struct node){.key = l->key[i], .value = ~l->key[i]};
    const uint64_t head = links_upload(&l->s, &element, &l->node->key, 1, nodes);
    if (l->s.x->variant == COWARP_TX)
        session_launch(&l->s, "list_pointers_tx", blocks, l->block, COWARP_U64(head), COWARP_U32(l->n));
    else
        session_launch(&l->s, "list_pointers_cglock", blocks, l->block, COWARP_U64(head), COWARP_U32(l->n),
                       COWARP_U64(session_upload(&l->s, NULL, sizeof(uint32_t))));
    links_read(&l->s, &element, &l->node->key, head, 1, nodes);
    if (l->s.status == 0)
        check(l);
}

static int run(struct cowarp_workload_context *x)
{
    struct list l = {.n = (uint32_t)x->param[THREADS], .block = (uint32_t)x->param[BLOCK]};
    session_open(&l.s, x);
    l.key = session_array(&l.s, l.n, sizeof *l.key);
    l.node = session_array(&l.s, l.n + 1u, sizeof *l.node);
    make_keys(&l);
    if (x->param[POINTERS] != 0)
        launch_pointers(&l);
    else
        launch(&l);
    return session_close(&l.s);
}

#define LIST(id, word, threads)                                                                                   \
    static const struct cowarp_workload_param params_##id[] = {                                                   \
        [THREADS] = {"threads", threads, 1, 16384, "threads, which insert one key each"},                         \
        [BLOCK] = {"block", 32, 1, 1024, "threads per block"},                                                    \
        [POINTERS] = {"pointers", 0, 0, 1, "links are pointers of 8 bytes, and elements have their keys before"}, \
    };                                                                                                            \
    const struct cowarp_workload cowarp_workload_##id = {                                                         \
        .name = word,                                                                                             \
        .folder = "list",                                                                                         \
        .what = "sorted linked list, insertions (Chen et al. 2017, Linked List)",                                 \
        .variants = COWARP_TX | COWARP_CGLOCK | COWARP_STM_TL2 | COWARP_STM_PR,                                   \
        .params = params_##id,                                                                                    \
        .param_count = sizeof params_##id / sizeof params_##id[0],                                                \
        .run = run,                                                                                               \
    }

LIST(ll_1, "ll-1", 100);
LIST(ll_2, "ll-2", 200);
