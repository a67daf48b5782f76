/* SPDX-License-Identifier: Apache-2.0 */
/* ap: Apriori on synthetic baskets, 4,000 records (thesis Table 4.2, GETM Table III). The host makes the candidates of every pass by their
 * definition and counts them on bit sets; the check expects just these in the hash tree, each once and in its place, with these supports.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host.h"

enum { RECORDS, POPULAR, SUPPORT, PASSES, FANOUT, LIMIT, BLOCKS, THREADS };

enum { ITEMS = 500, PATTERNS = 4, PATTERN_ITEMS = 10 }; /* a pattern's items are bought together */

struct set {
    int32_t item[4]; /* ranks of frequent items, ascending; unused ones are 0 */
};

struct node {
    int32_t child, count, head;
    uint32_t lock;
};

struct candidate {
    int32_t item[3];
    uint32_t support;
    int32_t next, unused[3];
};

struct mine {
    uint32_t record_cnt, words; /* of a bit set of records */
    uint64_t *bought;           /* [item][word]: the records with this item; after rank(), of frequent items only */
    uint32_t frequent_items;
    uint8_t *pair; /* [item][item]: the pair is frequent */
    struct set *frequent, *expected;
    uint32_t *support, frequent_cnt, expected_cnt;
    uint64_t dfirst, ditem; /* records on the device */
    uint64_t candidates;    /* of all passes */
};

/* One pass: what the device has. */
struct pass {
    uint32_t k, node_cnt;
    struct node *node;
    struct candidate *candidate;
    uint8_t *seen;
    uint64_t dnode, dcandidate, dused, dlock, dfrequent;
    uint32_t used[2], lock;
};

static void buy(struct mine *m, uint32_t record, uint32_t item)
{
    m->bought[item * m->words + record / 64] |= UINT64_C(1) << record % 64;
}

/* Each record has 2 to 6 popular items and a rare one; each fourth has half of a pattern as well. */
static void make_records(struct mine *m, uint32_t popular, uint64_t seed)
{
    uint32_t pattern_items = PATTERN_ITEMS * PATTERNS <= popular ? PATTERN_ITEMS : popular / PATTERNS;
    for (uint32_t r = 0; r < m->record_cnt; r++) {
        for (uint64_t n = 2 + host_random(&seed) % 5; n > 0; n--)
            buy(m, r, (uint32_t)(host_random(&seed) % popular));
        if (popular < ITEMS)
            buy(m, r, popular + (uint32_t)(host_random(&seed) % (ITEMS - popular)));
        if (r % 4 != 0)
            continue;
        for (uint32_t i = 0, taken = 0; i < pattern_items && taken < pattern_items / 2; i++) {
            const uint32_t wanted = pattern_items / 2 - taken;
            if (host_random(&seed) % (pattern_items - i) < wanted) {
                buy(m, r, i * PATTERNS + r / 4 % PATTERNS);
                taken++;
            }
        }
    }
}

static uint32_t count_bits(const struct mine *m, const int32_t *item, uint32_t k)
{
    uint32_t sum = 0;
    for (uint32_t w = 0; w < m->words; w++) {
        uint64_t all = ~UINT64_C(0);
        for (uint32_t i = 0; i < k; i++)
            all &= m->bought[(uint32_t)item[i] * m->words + w];
        sum += (uint32_t)__builtin_popcountll(all);
    }
    return sum;
}

/* First pass: keeps the frequent items only, and numbers them anew. */
static void rank_items(struct mine *m, uint32_t minimum)
{
    for (int32_t item = 0; item < ITEMS; item++)
        if (count_bits(m, &item, 1) >= minimum)
            memmove(m->bought + m->frequent_items++ * m->words, m->bought + (uint32_t)item * m->words, m->words * sizeof *m->bought);
    for (uint32_t i = 0; i < m->frequent_items; i++)
        m->frequent[i] = (struct set){{(int32_t)i}};
    m->frequent_cnt = m->frequent_items;
}

static int upload_records(struct cowarp_gpu *gpu, struct mine *m)
{
    int32_t *first = malloc((m->record_cnt + 1) * sizeof *first),
            *item = malloc((size_t)m->record_cnt * (m->frequent_items + 1) * sizeof *item);
    int32_t n = 0;
    int status = first != NULL && item != NULL ? 0 : COWARP_ENOMEM;
    for (uint32_t r = 0; status == 0 && r < m->record_cnt; r++) {
        first[r] = n;
        for (uint32_t i = 0; i < m->frequent_items; i++)
            if (m->bought[i * m->words + r / 64] >> r % 64 & 1)
                item[n++] = (int32_t)i;
        first[r + 1] = n;
    }
    if (status == 0)
        status = host_upload(gpu, &m->dfirst, first, (m->record_cnt + 1) * sizeof *first);
    if (status == 0)
        status = host_upload(gpu, &m->ditem, item, ((size_t)n + 1) * sizeof *item);
    free(first);
    free(item);
    return status;
}

static int is_candidate(const struct mine *m, const struct set *s, uint32_t k)
{
    const uint8_t *pair = m->pair;
    const uint32_t n = m->frequent_items, a = (uint32_t)s->item[0], b = (uint32_t)s->item[1], c = (uint32_t)s->item[2];
    return k == 2 || (pair[a * n + b] && pair[a * n + c] && pair[b * n + c]);
}

/* By definition: all sets of k items whose subsets of k - 1 are frequent, in lexical order. list NULL: only their number. */
static uint32_t expect_candidates(const struct mine *m, uint32_t k, struct set *list)
{
    const int32_t n = (int32_t)m->frequent_items;
    uint32_t cnt = 0;
    for (int32_t a = 0; a < n; a++) {
        for (int32_t b = a + 1; b < n; b++) {
            for (int32_t c = k == 2 ? 0 : b + 1; c < (k == 2 ? 1 : n); c++) {
                const struct set s = {{a, b, c}};
                if (!is_candidate(m, &s, k))
                    continue;
                if (list != NULL)
                    list[cnt] = s;
                cnt++;
            }
        }
    }
    return cnt;
}

static int compare(const void *a, const void *b)
{
    const struct set *x = a, *y = b;
    for (int i = 0; i < 3; i++)
        if (x->item[i] != y->item[i])
            return x->item[i] < y->item[i] ? -1 : 1;
    return 0;
}

static int wrong(struct cowarp_workload_context *x, const struct pass *p, const char *what, uint32_t where)
{
    snprintf(x->message, sizeof x->message, "pass %u: %s %u", p->k, what, where);
    return COWARP_ECHECK;
}

/* A leaf's list: in order, each candidate expected, new, where its items lead, with the right support. */
static int check_leaf(struct cowarp_workload_context *x, const struct mine *m, struct pass *p, uint32_t n, uint32_t depth,
                      const int32_t *path)
{
    const struct set *last = NULL;
    int32_t length = 0;
    for (int32_t i = p->node[n].head; i != 0; i = p->candidate[i].next, length++) {
        if (i < 0 || (uint32_t)i > m->expected_cnt)
            return wrong(x, p, "a link points outside the candidates in node", n);
        const struct candidate *c = &p->candidate[i];
        const struct set s = {{c->item[0], c->item[1], c->item[2]}};
        const struct set *found = bsearch(&s, m->expected, m->expected_cnt, sizeof s, compare);
        if (found == NULL)
            return wrong(x, p, "not a candidate: slot", (uint32_t)i);
        if (p->seen[found - m->expected]++ != 0)
            return wrong(x, p, "a candidate is in the tree twice: slot", (uint32_t)i);
        if (last != NULL && compare(last, found) >= 0)
            return wrong(x, p, "a list is out of order at slot", (uint32_t)i);
        for (uint32_t d = 0; d < depth; d++)
            if (s.item[d] % (int32_t)x->param[FANOUT] != path[d])
                return wrong(x, p, "a candidate is in the wrong leaf: slot", (uint32_t)i);
        if (c->support != m->support[found - m->expected])
            return wrong(x, p, "wrong support in slot", (uint32_t)i);
        last = found;
    }
    if (length != p->node[n].count || (length > x->param[LIMIT] && depth < p->k))
        return wrong(x, p, "wrong count of candidates in node", n);
    return 0;
}

static int check_node(struct cowarp_workload_context *x, const struct mine *m, struct pass *p, uint32_t n, uint32_t depth, int32_t *path)
{
    if (p->node[n].lock != 0)
        return wrong(x, p, "a lock is left taken in node", n);
    if (p->node[n].child == 0)
        return check_leaf(x, m, p, n, depth, path);
    if (p->node[n].child < 0 || (uint32_t)(p->node[n].child + x->param[FANOUT]) > p->node_cnt || depth == p->k)
        return wrong(x, p, "wrong children of node", n);
    int status = 0;
    for (int32_t i = 0; status == 0 && i < x->param[FANOUT]; i++) {
        path[depth] = i;
        status = check_node(x, m, p, (uint32_t)(p->node[n].child + i), depth + 1, path);
    }
    return status;
}

static int check_pass(struct cowarp_workload_context *x, const struct mine *m, struct pass *p)
{
    int32_t path[4]; /* one more than is read */
    const int status = check_node(x, m, p, 0, 0, path);
    if (status != 0)
        return status;
    if (p->lock != 0)
        return wrong(x, p, "the global lock is left taken, users", p->lock);
    if (p->used[0] != m->expected_cnt + 1)
        return wrong(x, p, "candidates made:", p->used[0] - 1);
    for (uint32_t i = 0; i < m->expected_cnt; i++)
        if (p->seen[i] == 0)
            return wrong(x, p, "lost from the tree: candidate", i);
    return 0;
}

static uint32_t blocks_for(const struct cowarp_workload_context *x, uint32_t threads)
{
    const uint32_t needed = (threads + (uint32_t)x->param[THREADS] - 1) / (uint32_t)x->param[THREADS];
    return needed > (uint32_t)x->param[BLOCKS] ? needed : (uint32_t)x->param[BLOCKS];
}

static int launch(struct cowarp_workload_context *x, struct cowarp_module *module, const struct mine *m, const struct pass *p)
{
    const uint32_t fanout = (uint32_t)x->param[FANOUT], threads = (uint32_t)x->param[THREADS];
    const struct cowarp_arg insert[] = {
        COWARP_U64(p->dfrequent),  COWARP_U32(m->frequent_cnt), COWARP_U32(p->k),   COWARP_U64(p->dnode),
        COWARP_U64(p->dcandidate), COWARP_U64(p->dused),        COWARP_U32(fanout), COWARP_U32((uint32_t)x->param[LIMIT]),
        COWARP_U64(p->dlock),
    };
    const struct cowarp_arg count[] = {
        COWARP_U64(m->dfirst), COWARP_U64(m->ditem),      COWARP_U32(m->record_cnt), COWARP_U32(p->k),
        COWARP_U64(p->dnode),  COWARP_U64(p->dcandidate), COWARP_U32(fanout),
    };
    const char *kernel = x->variant == COWARP_TX ? "insert_tx" : x->variant == COWARP_FGLOCK ? "insert_fglock" : "insert_cglock";
    const int status =
        host_launch(x->gpu, module, kernel, blocks_for(x, m->frequent_cnt), threads, x->variant == COWARP_CGLOCK ? 9 : 8, insert);
    return status != 0 ? status : host_launch(x->gpu, module, "count", blocks_for(x, m->record_cnt), threads, 7, count);
}

static int run_pass(struct cowarp_workload_context *x, struct cowarp_module *module, const struct mine *m, struct pass *p)
{
    const uint32_t used[2] = {1, 1}; /* candidate 0 is none, node 0 the root */
    int status = host_upload(x->gpu, &p->dfrequent, m->frequent, m->frequent_cnt * sizeof *m->frequent);
    if (status == 0)
        status = host_upload(x->gpu, &p->dnode, NULL, p->node_cnt * sizeof *p->node);
    if (status == 0)
        status = host_upload(x->gpu, &p->dcandidate, NULL, (m->expected_cnt + 1) * sizeof *p->candidate);
    if (status == 0)
        status = host_upload(x->gpu, &p->dused, used, sizeof used);
    if (status == 0)
        status = host_upload(x->gpu, &p->dlock, NULL, sizeof p->lock);
    if (status == 0)
        status = launch(x, module, m, p);
    if (status == 0)
        status = cowarp_read(x->gpu, p->node, p->dnode, p->node_cnt * sizeof *p->node);
    if (status == 0)
        status = cowarp_read(x->gpu, p->candidate, p->dcandidate, (m->expected_cnt + 1) * sizeof *p->candidate);
    if (status == 0)
        status = cowarp_read(x->gpu, p->used, p->dused, sizeof p->used);
    if (status == 0)
        status = cowarp_read(x->gpu, &p->lock, p->dlock, sizeof p->lock);
    return status == 0 ? check_pass(x, m, p) : status;
}

/* What the pass is to find. */
static int expect(struct mine *m, uint32_t k)
{
    m->expected_cnt = expect_candidates(m, k, NULL);
    m->expected = malloc((m->expected_cnt + 1) * sizeof *m->expected);
    m->support = malloc((m->expected_cnt + 1) * sizeof *m->support);
    if (m->expected == NULL || m->support == NULL)
        return COWARP_ENOMEM;
    expect_candidates(m, k, m->expected);
    for (uint32_t i = 0; i < m->expected_cnt; i++)
        m->support[i] = count_bits(m, m->expected[i].item, k);
    m->candidates += m->expected_cnt;
    return 0;
}

/* The frequent ones of the candidates are the next pass's input. */
static int keep_frequent(struct mine *m, uint32_t k, uint32_t minimum)
{
    struct set *kept = realloc(m->frequent, (m->expected_cnt + 1) * sizeof *kept);
    if (kept == NULL)
        return COWARP_ENOMEM;
    m->frequent = kept;
    m->frequent_cnt = 0;
    for (uint32_t i = 0; i < m->expected_cnt; i++) {
        if (m->support[i] < minimum)
            continue;
        kept[m->frequent_cnt++] = m->expected[i];
        if (k == 2)
            m->pair[(uint32_t)m->expected[i].item[0] * m->frequent_items + (uint32_t)m->expected[i].item[1]] = 1;
    }
    return 0;
}

static int pass(struct cowarp_workload_context *x, struct cowarp_module *module, struct mine *m, uint32_t k)
{
    struct pass p = {.k = k};
    int status = expect(m, k);
    if (status == 0 && m->expected_cnt > 0) {
        /* An inner node holds more than LIMIT candidates, and the nodes of a depth hold each candidate once. */
        p.node_cnt = 1 + (uint32_t)x->param[FANOUT] * (k * (m->expected_cnt / ((uint32_t)x->param[LIMIT] + 1)) + 1);
        p.node = malloc(p.node_cnt * sizeof *p.node);
        p.candidate = malloc((m->expected_cnt + 1) * sizeof *p.candidate);
        p.seen = calloc(m->expected_cnt, 1);
        status = p.node && p.candidate && p.seen ? run_pass(x, module, m, &p) : COWARP_ENOMEM;
        free(p.node);
        free(p.candidate);
        free(p.seen);
    }
    if (status == 0)
        status = keep_frequent(m, k, (uint32_t)x->param[SUPPORT]);
    free(m->expected);
    free(m->support);
    return status;
}

static int mine(struct cowarp_workload_context *x, struct mine *m)
{
    struct cowarp_module *module;
    make_records(m, (uint32_t)x->param[POPULAR], x->seed);
    rank_items(m, (uint32_t)x->param[SUPPORT]);
    if (m->frequent_items < 2) {
        snprintf(x->message, sizeof x->message, "nothing to do: %u frequent items; lower the support", m->frequent_items);
        return COWARP_ECHECK;
    }
    int status = cowarp_load_file(x->gpu, &module, x->ptx_path);
    if (status == 0)
        status = upload_records(x->gpu, m);
    for (uint32_t k = 2; status == 0 && k <= (uint32_t)x->param[PASSES] && m->frequent_cnt > 1; k++)
        status = pass(x, module, m, k);
    if (status == 0)
        snprintf(x->message, sizeof x->message,
                 "%u candidates from %u frequent items, each in the tree once, supports right; %u frequent sets at last",
                 (unsigned)m->candidates, m->frequent_items, m->frequent_cnt);
    return status;
}

static int run(struct cowarp_workload_context *x)
{
    struct mine m = {.record_cnt = (uint32_t)x->param[RECORDS]};
    m.words = (m.record_cnt + 63) / 64;
    m.bought = calloc((size_t)ITEMS * m.words, sizeof *m.bought);
    m.pair = calloc(ITEMS, ITEMS);
    m.frequent = malloc(ITEMS * sizeof *m.frequent);
    const int status = m.bought && m.pair && m.frequent ? mine(x, &m) : COWARP_ENOMEM;
    free(m.bought);
    free(m.pair);
    free(m.frequent);
    return status;
}

static const struct cowarp_workload_param params[] = {
    [RECORDS] = {"records", 4000, 1, 1 << 17, "records"},
    [POPULAR] = {"popular", 91, 4, ITEMS, "popular items, of 500"},
    [SUPPORT] = {"support", 30, 1, 1 << 17, "records that make a set of items frequent"},
    [PASSES] = {"passes", 3, 2, 3, "greatest size of candidates"},
    [FANOUT] = {"fanout", 16, 2, 1024, "children of an inner node of the hash tree"},
    [LIMIT] = {"limit", 16, 1, 1024, "candidates that a leaf holds before it gets children"},
    [BLOCKS] = {"blocks", 112, 1, 65535, "thread blocks, at the least"},
    [THREADS] = {"threads", 64, 1, 1024, "threads per block; each has one frequent set or one record"},
};

const struct cowarp_workload cowarp_workload_ap = {
    .name = "ap",
    .folder = "apriori",
    .what = "Apriori: candidate insertion into a hash tree, support counting, 4,000 records (GETM Table III)",
    .variants = COWARP_TX | COWARP_FGLOCK | COWARP_CGLOCK,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
