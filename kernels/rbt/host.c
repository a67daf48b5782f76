/* SPDX-License-Identifier: Apache-2.0 */
/* rbt-1, rbt-2: threads insert or remove one key each of a red-black tree. The check looks at every node: order, colours, black nodes on
 * each way, parents, and that the keys are those that have to be there. */
#include "../links.h"
#include "../rbtree.h"
#include "../session.h"

enum { ELEMENTS, INSERTS, REMOVES, BLOCK, POINTERS };

/* A node's words on the host, and where kernels/include/rbtree_pointers.h has them. */
enum { SIDE = RBTREE_COLOUR + 1, PLAIN_WORDS = SIDE, POINTER_WORDS };
static const struct links_field pointer_fields[] = {{0, RBTREE_KEY, 0},    {4, RBTREE_COLOUR, 0},  {8, RBTREE_LEFT, 1},
                                                    {16, RBTREE_RIGHT, 1}, {24, RBTREE_PARENT, 1}, {32, SIDE, 0}};
static const struct links pointer_node = {POINTER_WORDS, 40, sizeof pointer_fields / sizeof pointer_fields[0], pointer_fields};

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

/* Which child each node is. */
static void make_sides(struct tree *t)
{
    for (uint32_t node = 1; node <= t->before; node++) {
        uint32_t *word = rbtree_field(&t->tree, node, RBTREE_KEY);
        word[SIDE] = *rbtree_field(&t->tree, word[RBTREE_PARENT], RBTREE_LEFT) != node;
    }
}

static void check_sides(struct tree *t)
{
    for (uint32_t node = 0; t->s.status == 0 && node <= t->nodes; node++)
        for (uint32_t side = 0; side < 2; side++) {
            const uint32_t child = *rbtree_field(&t->tree, node, side == 0 ? RBTREE_LEFT : RBTREE_RIGHT);
            const int is_there = rbtree_find(&t->tree, *rbtree_field(&t->tree, node, RBTREE_KEY)) == node;
            if (child != 0 && is_there && rbtree_field(&t->tree, child, RBTREE_KEY)[SIDE] != side)
                session_fail(&t->s, COWARP_ECHECK, "node %u is a %s child, and does not say so", child, side == 0 ? "left" : "right");
        }
}

static void launch(struct tree *t, int pointers)
{
    struct session *s = &t->s;
    const uint64_t todo = session_upload(s, t->todo, t->threads * sizeof *t->todo);
    const uint64_t done = session_upload(s, NULL, t->threads * sizeof *t->done);
    const uint64_t bytes = (t->nodes + UINT64_C(1)) * t->tree.stride * sizeof(uint32_t);
    const uint64_t node =
        pointers ? links_upload(s, &pointer_node, t->tree.word, 1, t->nodes + UINT64_C(1)) : session_upload_shared(s, t->tree.word, bytes);
    const uint32_t blocks = (t->threads + t->block - 1) / t->block;
    if (s->x->variant == COWARP_TX)
        session_launch(s, pointers ? "rbt_pointers_tx" : "rbt_tx", blocks, t->block, COWARP_U64(todo), COWARP_U64(node), COWARP_U64(done),
                       COWARP_U32(t->before), COWARP_U32(t->inserts), COWARP_U32(t->threads));
    else
        session_launch(s, pointers ? "rbt_pointers_cglock" : "rbt_cglock", blocks, t->block, COWARP_U64(todo), COWARP_U64(node),
                       COWARP_U64(done), COWARP_U32(t->before), COWARP_U32(t->inserts), COWARP_U32(t->threads),
                       COWARP_U64(session_upload(s, NULL, sizeof(uint32_t))));
    if (pointers)
        links_read(s, &pointer_node, t->tree.word, node, 1, t->nodes + UINT64_C(1));
    else
        session_read(s, t->tree.word, node, bytes);
    session_read(s, t->done, done, t->threads * sizeof *t->done);
}

static int run(struct cowarp_workload_context *x)
{
    const int pointers = x->param[POINTERS] != 0;
    struct tree t = {.before = (uint32_t)x->param[ELEMENTS], .inserts = (uint32_t)x->param[INSERTS], .block = (uint32_t)x->param[BLOCK]};
    t.threads = t.inserts + (uint32_t)x->param[REMOVES];
    t.nodes = t.before + t.inserts;
    session_open(&t.s, x);
    if (x->param[REMOVES] > x->param[ELEMENTS] || t.threads == 0)
        session_fail(&t.s, COWARP_EINVAL, "removes = %u of elements = %u; at most all, and at least one thread", t.threads - t.inserts,
                     t.before);
    t.key = session_array(&t.s, t.before, sizeof *t.key);
    const uint32_t stride = pointers ? POINTER_WORDS : PLAIN_WORDS;
    t.tree = (struct rbtree){session_array(&t.s, t.nodes + UINT64_C(1), stride * sizeof(uint32_t)), stride, t.nodes};
    t.todo = session_array(&t.s, t.threads, sizeof *t.todo);
    t.done = session_array(&t.s, t.threads, sizeof *t.done);
    t.expected = session_array(&t.s, 2 * t.nodes + UINT64_C(1), 1);
    if (t.s.status == 0)
        make(&t);
    if (t.s.status == 0 && pointers)
        make_sides(&t);
    launch(&t, pointers);
    if (t.s.status == 0)
        check(&t);
    if (t.s.status == 0 && pointers)
        check_sides(&t);
    return session_close(&t.s);
}

#define RBT(id, word_, in, out)                                                                                        \
    static const struct cowarp_workload_param params_##id[] = {                                                        \
        [ELEMENTS] = {"elements", 1000, 1, 7900, "keys in the tree before"},                                           \
        [INSERTS] = {"inserts", in, 0, 16384, "threads that insert a key; 100 or 200 are Table 3's threads"},          \
        [REMOVES] = {"removes", out, 0, 16384, "threads that remove one; as inserts"},                                 \
        [BLOCK] = {"block", 32, 1, 1024, "threads per block"},                                                         \
        [POINTERS] = {"pointers", 0, 0, 1, "nodes are those of RSTM: pointers of 8 bytes, and which child a node is"}, \
    };                                                                                                                 \
    const struct cowarp_workload cowarp_workload_##id = {                                                              \
        .name = word_,                                                                                                 \
        .folder = "rbt",                                                                                               \
        .what = "red-black tree (Chen et al. 2017, Red Black Tree)",                                                   \
        .variants = COWARP_TX | COWARP_CGLOCK,                                                                         \
        .params = params_##id,                                                                                         \
        .param_count = sizeof params_##id / sizeof params_##id[0],                                                     \
        .run = run,                                                                                                    \
    }

RBT(rbt_1, "rbt-1", 50, 50);
RBT(rbt_2, "rbt-2", 100, 100);
