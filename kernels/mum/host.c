/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mum, mumpp: longest matches of queries in a reference, by its suffix tree in two layouts. The check finds the lengths with a suffix
 * automaton of the reference read backwards, and compares the letters of each match.
 */
#include "../session.h"

enum { LETTER_CNT, QUERY_CNT, QUERY_LENGTH, TEXTURE };
static const struct cowarp_workload_param params[] = {
    [LETTER_CNT] = {"reference", 20000, 1, 1 << 22, "letters of the reference"},
    [QUERY_CNT] = {"queries", 2000, 1, 1 << 22, "queries; half of them are pieces of the reference with errors"},
    [QUERY_LENGTH] = {"length", 25, 1, 1000, "letters of a query"},
    [TEXTURE] = {"texture", 0, 0, 1, "1: the tree and the reference are read through the texture cache"},
};

#define LETTERS 5u
#define END     4u /* the letter behind the reference */
#define NONE    UINT32_MAX

struct node {
    uint32_t start, length, child[LETTERS];
};

struct preorder {
    uint32_t start, length, skip;
};

struct match {
    uint32_t length, where;
};

/* A state of the automaton: the set of places where some words end. */
struct state {
    uint32_t longest, suffix, next[4];
};

struct matching {
    uint32_t letter_cnt, query_cnt, query_length;
    uint8_t *reference, *queries;
    uint32_t node_cnt, state_cnt;
    struct node *tree;
    struct preorder *preorder;
    struct state *automaton;
    struct match *got;
};

static void make_letters(struct session *s, struct matching *m)
{
    for (uint32_t i = 0; i < m->letter_cnt; i++)
        m->reference[i] = (uint8_t)session_below(s, 4);
    m->reference[m->letter_cnt] = END;
    for (uint32_t q = 0; q < m->query_cnt; q++) {
        const uint32_t piece = session_below(s, m->letter_cnt), copied = q % 2;
        for (uint32_t i = 0; i < m->query_length; i++) {
            const int error = session_below(s, 32) == 0;
            m->queries[(size_t)q * m->query_length + i] =
                copied && !error && piece + i < m->letter_cnt ? m->reference[piece + i] : (uint8_t)session_below(s, 4);
        }
    }
}

/* Puts one suffix into the tree: down from the root, and where it leaves an edge, the edge gets a node. */
static void insert_suffix(struct matching *m, uint32_t suffix)
{
    uint32_t node = 0, at = suffix;
    for (;;) {
        uint32_t *const link = &m->tree[node].child[m->reference[at]], next = *link;
        if (next == 0) {
            m->tree[m->node_cnt] = (struct node){.start = at, .length = m->letter_cnt + 1 - at};
            *link = m->node_cnt++;
            return;
        }
        struct node *const lower = &m->tree[next];
        uint32_t i = 0;
        while (i < lower->length && m->reference[lower->start + i] == m->reference[at + i])
            i++;
        at += i;
        node = next;
        if (i < lower->length) {
            struct node *const split = &m->tree[m->node_cnt];
            *split = (struct node){.start = lower->start, .length = i};
            lower->start += i;
            lower->length -= i;
            split->child[m->reference[lower->start]] = next;
            node = *link = m->node_cnt++;
        }
    }
}

/* The tree in preorder. A node's number in the old layout waits on a stack; a number with DONE set says that its descendants are placed. */
#define DONE 0x80000000u
static void lay_out(struct session *s, struct matching *m)
{
    uint32_t *const stack = session_array(s, 2 * (uint64_t)m->node_cnt + LETTERS, sizeof *stack), placed = 0, top = 0;
    uint32_t *const place = session_array(s, m->node_cnt, sizeof *place);
    if (s->status != 0)
        return;
    stack[top++] = 0;
    while (top > 0) {
        const uint32_t node = stack[--top];
        if (node & DONE) {
            m->preorder[place[node & ~DONE]].skip = placed;
            continue;
        }
        place[node] = placed;
        m->preorder[placed++] = (struct preorder){.start = m->tree[node].start, .length = m->tree[node].length};
        stack[top++] = node | DONE;
        for (uint32_t c = LETTERS; c-- > 0;)
            if (m->tree[node].child[c] != 0)
                stack[top++] = m->tree[node].child[c];
    }
}

/* Adds a letter to the word that the automaton knows; `last` is the state of the whole word. */
static uint32_t extend(struct matching *m, uint32_t last, uint8_t letter)
{
    struct state *const a = m->automaton;
    const uint32_t added = m->state_cnt++;
    uint32_t p = last;
    a[added] = (struct state){a[last].longest + 1, 0, {NONE, NONE, NONE, NONE}};
    for (; p != NONE && a[p].next[letter] == NONE; p = a[p].suffix)
        a[p].next[letter] = added;
    if (p == NONE)
        return added;
    const uint32_t q = a[p].next[letter];
    if (a[q].longest == a[p].longest + 1) {
        a[added].suffix = q;
        return added;
    }
    const uint32_t copy = m->state_cnt++;
    a[copy] = a[q];
    a[copy].longest = a[p].longest + 1;
    a[q].suffix = a[added].suffix = copy;
    for (; p != NONE && a[p].next[letter] == q; p = a[p].suffix)
        a[p].next[letter] = copy;
    return added;
}

static void make_automaton(struct matching *m)
{
    uint32_t last = 0;
    m->automaton[0] = (struct state){0, NONE, {NONE, NONE, NONE, NONE}};
    m->state_cnt = 1;
    for (uint32_t i = m->letter_cnt; i-- > 0;)
        last = extend(m, last, m->reference[i]);
}

static void make_matching(struct session *s, struct matching *m)
{
    m->reference = session_array(s, m->letter_cnt + UINT64_C(1), 1);
    m->queries = session_array(s, (uint64_t)m->query_cnt * m->query_length, 1);
    m->tree = session_array(s, 2 * (uint64_t)m->letter_cnt + 2, sizeof *m->tree);
    m->preorder = session_array(s, 2 * (uint64_t)m->letter_cnt + 2, sizeof *m->preorder);
    m->automaton = session_array(s, 2 * (uint64_t)m->letter_cnt + 2, sizeof *m->automaton);
    m->got = session_array(s, (uint64_t)m->query_cnt * m->query_length, sizeof *m->got);
    if (s->status != 0)
        return;
    make_letters(s, m);
    m->node_cnt = 1;
    for (uint32_t i = 0; i <= m->letter_cnt; i++)
        insert_suffix(m, i);
    make_automaton(m);
}

static void match_on_gpu(struct session *s, struct matching *m, const char *kernel, uint32_t threads, uint64_t tree)
{
    const uint64_t positions = (uint64_t)m->query_cnt * m->query_length;
    const uint64_t reference = session_upload(s, m->reference, m->letter_cnt + UINT64_C(1));
    const uint64_t queries = session_upload(s, m->queries, positions), out = session_upload(s, NULL, positions * sizeof *m->got);
    session_launch(s, kernel, (m->query_cnt + threads - 1) / threads, threads, COWARP_U64(tree), COWARP_U64(reference), COWARP_U64(queries),
                   COWARP_U32(m->query_cnt), COWARP_U32(m->query_length), COWARP_U64(out));
    session_read(s, m->got, out, positions * sizeof *m->got);
}

/* Reads a query backwards. The automaton's state says how many of the letters read last, from here on forwards, stand in the reference. */
static void check_query(struct session *s, const struct matching *m, uint32_t query)
{
    const struct state *const a = m->automaton;
    const uint8_t *const text = m->queries + (size_t)query * m->query_length;
    uint32_t state = 0, length = 0;
    for (uint32_t i = m->query_length; i-- > 0;) {
        const struct match got = m->got[(size_t)query * m->query_length + i];
        while (state != 0 && a[state].next[text[i]] == NONE) {
            state = a[state].suffix;
            length = a[state].longest;
        }
        if (a[state].next[text[i]] != NONE) {
            state = a[state].next[text[i]];
            length++;
        }
        if (got.length != length)
            session_fail(s, COWARP_ECHECK, "query %u matches %u letters from position %u, expected %u", query, got.length, i, length);
        for (uint32_t k = 0; s->status == 0 && k < length; k++)
            if (got.where > m->letter_cnt - length || m->reference[got.where + k] != text[i + k])
                session_fail(s, COWARP_ECHECK, "query %u, position %u: no match of %u letters at %u", query, i, length, got.where);
    }
}

static int run(struct cowarp_workload_context *x, int by_child)
{
    struct session s;
    struct matching m = {.letter_cnt = (uint32_t)x->param[LETTER_CNT],
                         .query_cnt = (uint32_t)x->param[QUERY_CNT],
                         .query_length = (uint32_t)x->param[QUERY_LENGTH]};
    session_open(&s, x);
    make_matching(&s, &m);
    if (!by_child)
        lay_out(&s, &m);
    if (s.status == 0) {
        const int texture = x->param[TEXTURE] != 0;
        if (by_child)
            match_on_gpu(&s, &m, texture ? "match_by_child_texture" : "match_by_child", 256,
                         session_upload(&s, m.tree, m.node_cnt * sizeof *m.tree));
        else
            match_on_gpu(&s, &m, texture ? "match_in_preorder_texture" : "match_in_preorder", 192,
                         session_upload(&s, m.preorder, m.node_cnt * sizeof *m.preorder));
        for (uint32_t q = 0; s.status == 0 && q < m.query_cnt; q++)
            check_query(&s, &m, q);
        session_passed(&s, "the longest matches of %u queries from each of their %u positions are right", m.query_cnt, m.query_length);
    }
    return session_close(&s);
}

static int run_mum(struct cowarp_workload_context *x)
{
    return run(x, 1);
}

static int run_mumpp(struct cowarp_workload_context *x)
{
    return run(x, 0);
}

const struct cowarp_workload cowarp_workload_mum = {
    .name = "mum",
    .folder = "mum",
    .what = "matching in a suffix tree, children by letter (divergent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run_mum,
};

const struct cowarp_workload cowarp_workload_mumpp = {
    .name = "mumpp",
    .folder = "mum",
    .what = "matching in a suffix tree in preorder (divergent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run_mumpp,
};
