/* SPDX-License-Identifier: Apache-2.0 */
/* ll-1, ll-2: threads insert one key each into a sorted linked list. The check walks the list: it is sorted, and has each key once. */
#include "../session.h"
#include "../stm.h"

#include <stdlib.h>

enum { THREADS, BLOCK };

struct node {
    uint32_t key, value, next;
};

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

static int run(struct cowarp_workload_context *x)
{
    struct list l = {.n = (uint32_t)x->param[THREADS], .block = (uint32_t)x->param[BLOCK]};
    char name[64];
    uint64_t shared = 0;
    session_open(&l.s, x);
    l.key = session_array(&l.s, l.n, sizeof *l.key);
    l.node = session_array(&l.s, l.n + 1u, sizeof *l.node);
    make_keys(&l);
    const uint64_t bytes = (l.n + UINT64_C(1)) * sizeof *l.node, key = session_upload(&l.s, l.key, l.n * sizeof *l.key);
    const uint64_t node = session_upload_shared(&l.s, l.node, bytes);
    const uint32_t blocks = (l.n + l.block - 1) / l.block;
    if (x->variant == COWARP_TX) {
        session_launch(&l.s, "list_tx", blocks, l.block, COWARP_U64(key), COWARP_U64(node), COWARP_U32(l.n));
    } else {
        shared = session_upload(&l.s, NULL, stm_bytes(x->variant));
        session_launch(&l.s, stm_kernel(name, "list", x->variant), blocks, l.block, COWARP_U64(key), COWARP_U64(node), COWARP_U32(l.n),
                       COWARP_U64(shared));
    }
    session_read(&l.s, l.node, node, bytes);
    if (l.s.status == 0)
        check(&l);
    l.s.status = stm_finish(x, shared, l.s.status);
    return session_close(&l.s);
}

#define LIST(id, word, threads)                                                           \
    static const struct cowarp_workload_param params_##id[] = {                           \
        [THREADS] = {"threads", threads, 1, 16384, "threads, which insert one key each"}, \
        [BLOCK] = {"block", 32, 1, 1024, "threads per block"},                            \
    };                                                                                    \
    const struct cowarp_workload cowarp_workload_##id = {                                 \
        .name = word,                                                                     \
        .folder = "list",                                                                 \
        .what = "sorted linked list, insertions (Chen et al. 2017, Linked List)",         \
        .variants = COWARP_TX | COWARP_CGLOCK | COWARP_STM_TL2 | COWARP_STM_PR,           \
        .params = params_##id,                                                            \
        .param_count = sizeof params_##id / sizeof params_##id[0],                        \
        .run = run,                                                                       \
    }

LIST(ll_1, "ll-1", 100);
LIST(ll_2, "ll-2", 200);
