/* SPDX-License-Identifier: Apache-2.0 */
/* rbt-1, rbt-2: threads insert or remove one key each of a red-black tree. The check looks at every node: order, colours, black nodes on
 * each way, parents, and that the keys are those that have to be there. */
#include "../rbtree.h"
#include "../session.h"

#define NODE_WORDS 5u

enum { ELEMENTS, INSERTS, REMOVES, BLOCK };

struct tree {
    struct session s;
    uint32_t before, inserts, threads, nodes, block;
    uint32_t *todo, *done, *key;
    struct rbtree tree;
    uint8_t *expected; /* by key */
};

/* Of 2 (before + inserts) keys a random half; those in even places of it are in the tree, as far as there are. */
static void make(struct tree *t)
{
    uint32_t in_tree = 0, inserted = 0;
    for (uint32_t i = 0; i < t->nodes; i++) {
        const uint32_t key = 2 * i + 1 + session_below(&t->s, 2), left = t->nodes - i, wanted = t->before - in_tree;
        t->expected[key] = 1;
        if (session_below(&t->s, left) < wanted)
            t->key[in_tree++] = key;
        else
            t->todo[inserted++] = key;
    }
    rbtree_build(&t->tree, t->key, t->before);
    for (uint32_t i = t->inserts; i < t->threads; i++) {
        t->todo[i] = t->key[(i - t->inserts) * 7919u % t->before]; /* 7919 is prime: each once */
        t->expected[t->todo[i]] = 0;
    }
    for (uint32_t i = t->inserts; i > 1; i--) {
        const uint32_t other = session_below(&t->s, i), key = t->todo[i - 1];
        t->todo[i - 1] = t->todo[other];
        t->todo[other] = key;
    }
}

static void check(struct tree *t)
{
    uint32_t wanted = 0, found = 0, at = 0;
    const char *fault = rbtree_fault(&t->tree, &found, &at);
    for (uint32_t i = 0; t->s.status == 0 && i < t->threads; i++)
        if (t->done[i] != 1)
            session_fail(&t->s, COWARP_ECHECK, "thread %u did not find key %u as it had to be", i, t->todo[i]);
    if (t->s.status == 0 && fault != NULL)
        session_fail(&t->s, COWARP_ECHECK, "node %u, key %u: %s", at, *rbtree_field(&t->tree, at, RBTREE_KEY), fault);
    for (uint32_t key = 0; t->s.status == 0 && key <= 2 * t->nodes; key++) {
        wanted += t->expected[key];
        if ((rbtree_find(&t->tree, key) != 0) != t->expected[key])
            session_fail(&t->s, COWARP_ECHECK, "key %u has to be %s", key, t->expected[key] ? "there" : "gone");
    }
    if (t->s.status == 0 && found != wanted)
        session_fail(&t->s, COWARP_ECHECK, "the tree has %u keys, expected %u", found, wanted);
    session_passed(&t->s, "%u keys inserted, %u removed; the other %u are in a red-black tree", t->inserts, t->threads - t->inserts,
                   wanted);
}

static int run(struct cowarp_workload_context *x)
{
    struct tree t = {.before = (uint32_t)x->param[ELEMENTS], .inserts = (uint32_t)x->param[INSERTS], .block = (uint32_t)x->param[BLOCK]};
    t.threads = t.inserts + (uint32_t)x->param[REMOVES];
    t.nodes = t.before + t.inserts;
    session_open(&t.s, x);
    if (x->param[REMOVES] > x->param[ELEMENTS] || t.threads == 0)
        session_fail(&t.s, COWARP_EINVAL, "removes = %u of elements = %u; at most all, and at least one thread", t.threads - t.inserts,
                     t.before);
    t.key = session_array(&t.s, t.before, sizeof *t.key);
    const uint64_t bytes = (t.nodes + UINT64_C(1)) * NODE_WORDS * sizeof(uint32_t);
    t.tree = (struct rbtree){session_array(&t.s, bytes, 1), NODE_WORDS, t.nodes};
    t.todo = session_array(&t.s, t.threads, sizeof *t.todo);
    t.done = session_array(&t.s, t.threads, sizeof *t.done);
    t.expected = session_array(&t.s, 2 * t.nodes + UINT64_C(1), 1);
    if (t.s.status == 0)
        make(&t);
    const uint64_t todo = session_upload(&t.s, t.todo, t.threads * sizeof *t.todo);
    const uint64_t done = session_upload(&t.s, NULL, t.threads * sizeof *t.done);
    const uint64_t node = session_upload_shared(&t.s, t.tree.word, bytes);
    const uint32_t blocks = (t.threads + t.block - 1) / t.block;
    if (x->variant == COWARP_TX) {
        session_launch(&t.s, "rbt_tx", blocks, t.block, COWARP_U64(todo), COWARP_U64(node), COWARP_U64(done), COWARP_U32(t.before),
                       COWARP_U32(t.inserts), COWARP_U32(t.threads));
    } else {
        const uint64_t lock = session_upload(&t.s, NULL, sizeof(uint32_t));
        session_launch(&t.s, "rbt_cglock", blocks, t.block, COWARP_U64(todo), COWARP_U64(node), COWARP_U64(done), COWARP_U32(t.before),
                       COWARP_U32(t.inserts), COWARP_U32(t.threads), COWARP_U64(lock));
    }
    session_read(&t.s, t.tree.word, node, bytes);
    session_read(&t.s, t.done, done, t.threads * sizeof *t.done);
    if (t.s.status == 0)
        check(&t);
    return session_close(&t.s);
}

#define RBT(id, word_, in, out)                                                                               \
    static const struct cowarp_workload_param params_##id[] = {                                               \
        [ELEMENTS] = {"elements", 1000, 1, 7900, "keys in the tree before"},                                  \
        [INSERTS] = {"inserts", in, 0, 16384, "threads that insert a key; 100 or 200 are Table 3's threads"}, \
        [REMOVES] = {"removes", out, 0, 16384, "threads that remove one; as inserts"},                        \
        [BLOCK] = {"block", 32, 1, 1024, "threads per block"},                                                \
    };                                                                                                        \
    const struct cowarp_workload cowarp_workload_##id = {                                                     \
        .name = word_,                                                                                        \
        .folder = "rbt",                                                                                      \
        .what = "red-black tree (Chen et al. 2017, Red Black Tree)",                                          \
        .variants = COWARP_TX | COWARP_CGLOCK,                                                                \
        .params = params_##id,                                                                                \
        .param_count = sizeof params_##id / sizeof params_##id[0],                                            \
        .run = run,                                                                                           \
    }

RBT(rbt_1, "rbt-1", 50, 50);
RBT(rbt_2, "rbt-2", 100, 100);
