/* SPDX-License-Identifier: Apache-2.0 */
/* bt-1, bt-2: threads insert or remove one key each of a binary search tree. The check walks the tree in order: it has the keys that it has
 * to have, sorted, each once. */
#include "../links.h"
#include "../session.h"
#include "../stm.h"

#include <string.h>

enum { ELEMENTS, INSERTS, REMOVES, BLOCK, POINTERS };

struct tree {
    struct session s;
    uint32_t before, inserts, threads, nodes, block;
    uint32_t *key; /* before: in the tree; then those that are inserted; each once, shuffled */
    uint32_t *word, *todo, *done, *stack;
    uint8_t *expected; /* by key */
};

enum { KEY, LEFT, RIGHT, PARENT, ELEMENT_WORDS };
static const struct links_field element_fields[] = {{0, KEY, 0}, {8, LEFT, 1}, {16, RIGHT, 1}, {24, PARENT, 1}};
static const struct links element = {ELEMENT_WORDS, 32, sizeof element_fields / sizeof element_fields[0], element_fields};

static void insert(struct tree *t, uint32_t node, uint32_t key)
{
    uint32_t link = 0;
    while (t->word[link] != 0)
        link = 3 * t->word[link] + (key < t->word[3 * t->word[link]] ? 1 : 2);
    t->word[link] = node;
    t->word[3 * node] = key;
}

/* Keys 1 to nodes in random order: the first `before` are in the tree, the next are inserted, and of the first some are removed. */
static void make(struct tree *t)
{
    for (uint32_t i = 0; i < t->nodes; i++)
        t->key[i] = i + 1;
    for (uint32_t i = t->nodes; i > 1; i--) {
        const uint32_t other = session_below(&t->s, i), key = t->key[i - 1];
        t->key[i - 1] = t->key[other];
        t->key[other] = key;
    }
    for (uint32_t i = 0; i < t->before; i++)
        insert(t, i + 1, t->key[i]);
    for (uint32_t i = 0; i < t->nodes; i++)
        t->expected[t->key[i]] = 1;
    for (uint32_t i = 0; i < t->threads; i++) {
        const uint32_t removed = (i - t->inserts) * 7919u % t->before; /* 7919 is prime: each once */
        t->todo[i] = i < t->inserts ? t->key[t->before + i] : t->key[removed];
        if (i >= t->inserts)
            t->expected[t->todo[i]] = 0;
    }
}

static void check(struct tree *t)
{
    uint32_t at = t->word[0], depth = 0, last = 0, cnt = 0, wanted = 0;
    for (uint32_t i = 0; t->s.status == 0 && i < t->threads; i++)
        if (t->done[i] != 1)
            session_fail(&t->s, COWARP_ECHECK, "thread %u did not find key %u as it had to be", i, t->todo[i]);
    while (t->s.status == 0 && (at != 0 || depth > 0)) {
        if (at > t->nodes || depth == t->nodes) {
            session_fail(&t->s, COWARP_ECHECK, "the tree has a circle, or a node %u that is none", at);
        } else if (at != 0) {
            t->stack[depth++] = at;
            at = t->word[3 * at + 1];
        } else {
            at = t->stack[--depth];
            const uint32_t key = t->word[3 * at];
            if (key <= last || key > t->nodes || t->expected[key] == 0)
                session_fail(&t->s, COWARP_ECHECK, "key %u follows %u in the tree", key, last);
            last = key;
            cnt++;
            at = t->word[3 * at + 2];
        }
    }
    for (uint32_t key = 1; key <= t->nodes; key++)
        wanted += t->expected[key];
    if (t->s.status == 0 && cnt != wanted)
        session_fail(&t->s, COWARP_ECHECK, "the tree has %u keys, expected %u", cnt, wanted);
    session_passed(&t->s, "%u keys inserted, %u removed; the tree has the %u others in order", t->inserts, t->threads - t->inserts, wanted);
}

static void launch(struct tree *t)
{
    struct session *s = &t->s;
    char name[64];
    uint64_t shared = 0;
    const uint64_t bytes = 12 * (t->nodes + UINT64_C(1)), todo = session_upload(s, t->todo, t->threads * sizeof *t->todo);
    const uint64_t done = session_upload(s, NULL, t->threads * sizeof *t->done), word = session_upload_shared(s, t->word, bytes);
    const uint32_t blocks = (t->threads + t->block - 1) / t->block;
    if (s->x->variant == COWARP_TX) {
        session_launch(s, "bst_tx", blocks, t->block, COWARP_U64(todo), COWARP_U64(word), COWARP_U64(done), COWARP_U32(t->before),
                       COWARP_U32(t->inserts), COWARP_U32(t->threads));
    } else {
        shared = session_upload(s, NULL, stm_bytes(s->x->variant));
        session_launch(s, stm_kernel(name, "bst", s->x->variant), blocks, t->block, COWARP_U64(todo), COWARP_U64(word), COWARP_U64(done),
                       COWARP_U32(t->before), COWARP_U32(t->inserts), COWARP_U32(t->threads), COWARP_U64(shared));
    }
    session_read(s, t->word, word, bytes);
    session_read(s, t->done, done, t->threads * sizeof *t->done);
    if (s->status == 0)
        check(t);
    s->status = stm_finish(s->x, shared, s->status);
}

/* The tree of numbers as elements, and back; element 0's left child is the root. */
static void to_elements(const struct tree *t, uint32_t *to)
{
    to[LEFT] = t->word[0];
    for (uint32_t k = 1; k <= t->nodes; k++) {
        uint32_t *its = to + (uint64_t)k * ELEMENT_WORDS;
        memcpy(its, t->word + 3 * (uint64_t)k, 3 * sizeof *its);
        if (k > t->before)
            its[KEY] = t->key[k - 1];
        to[(uint64_t)its[LEFT] * ELEMENT_WORDS + PARENT] = to[(uint64_t)its[RIGHT] * ELEMENT_WORDS + PARENT] = k;
    }
    to[PARENT] = to[(uint64_t)to[LEFT] * ELEMENT_WORDS + PARENT] = 0;
}

static void from_elements(struct tree *t, const uint32_t *from)
{
    t->word[0] = from[LEFT];
    for (uint32_t k = 1; k <= t->nodes; k++)
        memcpy(t->word + 3 * (uint64_t)k, from + (uint64_t)k * ELEMENT_WORDS, 3 * sizeof *from);
}

static void launch_pointers(struct tree *t)
{
    struct session *s = &t->s;
    const uint64_t todo = session_upload(s, t->todo, t->threads * sizeof *t->todo), nodes = t->nodes + UINT64_C(1);
    const uint64_t done = session_upload(s, NULL, t->threads * sizeof *t->done);
    uint32_t *all = session_array(s, nodes, ELEMENT_WORDS * sizeof *all);
    const uint32_t blocks = (t->threads + t->block - 1) / t->block;
    if ((s->x->variant & (COWARP_TX | COWARP_CGLOCK)) == 0)
        session_fail(s, COWARP_EINVAL,
                     "pointers = 1 is for transactions in hardware and one lock; transactions in software take words of 4 bytes");
    if (s->status == 0)
        to_elements(t, all);
    const uint64_t none = links_upload(s, &element, all, 1, nodes);
    if (s->x->variant == COWARP_TX)
        session_launch(s, "bst_pointers_tx", blocks, t->block, COWARP_U64(todo), COWARP_U64(none), COWARP_U64(done), COWARP_U32(t->before),
                       COWARP_U32(t->inserts), COWARP_U32(t->threads));
    else
        session_launch(s, "bst_pointers_cglock", blocks, t->block, COWARP_U64(todo), COWARP_U64(none), COWARP_U64(done),
                       COWARP_U32(t->before), COWARP_U32(t->inserts), COWARP_U32(t->threads),
                       COWARP_U64(session_upload(s, NULL, sizeof(uint32_t))));
    links_read(s, &element, all, none, 1, nodes);
    session_read(s, t->done, done, t->threads * sizeof *t->done);
    if (s->status == 0)
        from_elements(t, all);
    if (s->status == 0)
        check(t);
    for (uint32_t k = 1; s->status == 0 && k <= t->nodes; k++)
        for (uint32_t side = LEFT; s->status == 0 && side <= RIGHT; side++) {
            const uint32_t *its = all + (uint64_t)k * ELEMENT_WORDS, child = its[side];
            if (t->expected[its[KEY]] != 0 && child != 0 && all[(uint64_t)child * ELEMENT_WORDS + PARENT] != k)
                session_fail(s, COWARP_ECHECK, "node %u is a child of %u, and has another parent", child, k);
        }
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
    t.key = session_array(&t.s, t.nodes, sizeof *t.key);
    t.word = session_array(&t.s, 3 * (t.nodes + UINT64_C(1)), sizeof *t.word);
    t.todo = session_array(&t.s, t.threads, sizeof *t.todo);
    t.done = session_array(&t.s, t.threads, sizeof *t.done);
    t.stack = session_array(&t.s, t.nodes + UINT64_C(1), sizeof *t.stack);
    t.expected = session_array(&t.s, t.nodes + UINT64_C(1), 1);
    if (t.s.status == 0)
        make(&t);
    if (x->param[POINTERS] != 0)
        launch_pointers(&t);
    else
        launch(&t);
    return session_close(&t.s);
}

#define BST(id, word_, in, out)                                                                                                   \
    static const struct cowarp_workload_param params_##id[] = {                                                                   \
        [ELEMENTS] = {"elements", 1000, 1, 7900, "keys in the tree before"},                                                      \
        [INSERTS] = {"inserts", in, 0, 16384, "threads that insert a key"},                                                       \
        [REMOVES] = {"removes", out, 0, 16384, "threads that remove one"},                                                        \
        [BLOCK] = {"block", 32, 1, 1024, "threads per block"},                                                                    \
        [POINTERS] = {"pointers", 0, 0, 1, "links are pointers of 8 bytes, nodes know their parents and have their keys before"}, \
    };                                                                                                                            \
    const struct cowarp_workload cowarp_workload_##id = {                                                                         \
        .name = word_,                                                                                                            \
        .folder = "bst",                                                                                                          \
        .what = "binary search tree (Chen et al. 2017, Binary Tree)",                                                             \
        .variants = COWARP_TX | COWARP_CGLOCK | COWARP_STM_TL2 | COWARP_STM_PR,                                                   \
        .params = params_##id,                                                                                                    \
        .param_count = sizeof params_##id / sizeof params_##id[0],                                                                \
        .run = run,                                                                                                               \
    }

BST(bt_1, "bt-1", 0, 1000);
BST(bt_2, "bt-2", 50, 50);
