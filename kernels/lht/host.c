/* SPDX-License-Identifier: Apache-2.0 */
/* lht-hc, lht-lc: each work-group fills a hash table in shared memory (GPU-LocalTM 6, HT). The check walks each bucket: its keys are there,
 * each once, with no empty place before them, and nothing else is in the table. */
#include "../session.h"

#define WORDS 1024u       /* places of a table */
#define TAKEN 0xffffffffu /* what is there from the start */

enum { GROUPS, WAVEFRONTS, KEYS, BUCKETS, FILLED };

struct tables {
    struct session s;
    uint32_t groups, threads, keys_per_thread, n, buckets, filled; /* n: keys of a work-group */
    uint32_t *key, *before, *table;
};

static uint32_t bucket_of(const struct tables *t, uint32_t key)
{
    return (key >> 12) % t->buckets; /* the lower bits are the key's number in the work-group, from 1 on */
}

/* Takes the first places of each bucket: 0 to twice `filled`, at the most all. Returns how many places are left. */
static uint32_t fill(struct tables *t, uint32_t *table, uint32_t *used)
{
    uint32_t left = WORDS / t->buckets * t->buckets;
    for (uint32_t b = 0; b < t->buckets; b++) {
        const uint32_t wanted = session_below(&t->s, 2 * t->filled + 1);
        used[b] = wanted < WORDS / t->buckets ? wanted : WORDS / t->buckets;
        left -= used[b];
        for (uint32_t i = 0; i < used[b]; i++)
            table[i * t->buckets + b] = TAKEN;
    }
    return left;
}

/* Keys of a work-group differ, and no bucket gets more of them than it has empty places. */
static void make_keys(struct tables *t, uint32_t *key, uint32_t *table)
{
    uint32_t used[WORDS];
    const uint32_t left = fill(t, table, used);
    if (left < t->n)
        session_fail(&t->s, COWARP_EINVAL, "%u keys do not fit into %u places; lower wavefronts, keys or filled", t->n, left);
    for (uint32_t i = 0; t->s.status == 0 && i < t->n;) {
        const uint32_t random = session_below(&t->s, 1u << 20) << 12 | (i + 1), bucket = bucket_of(t, random);
        if (used[bucket] == WORDS / t->buckets)
            continue;
        used[bucket]++;
        key[i++] = random;
    }
}

static void open_tables(struct tables *t, struct cowarp_workload_context *x)
{
    *t = (struct tables){.groups = (uint32_t)x->param[GROUPS],
                         .threads = 64 * (uint32_t)x->param[WAVEFRONTS],
                         .keys_per_thread = (uint32_t)x->param[KEYS],
                         .buckets = (uint32_t)x->param[BUCKETS],
                         .filled = (uint32_t)x->param[FILLED]};
    t->n = t->threads * t->keys_per_thread;
    session_open(&t->s, x);
    t->key = session_array(&t->s, (uint64_t)t->groups * t->n, sizeof *t->key);
    t->before = session_array(&t->s, (uint64_t)t->groups * WORDS, sizeof *t->before);
    t->table = session_array(&t->s, (uint64_t)t->groups * WORDS, sizeof *t->table);
    for (uint32_t g = 0; t->s.status == 0 && g < t->groups; g++)
        make_keys(t, t->key + g * t->n, t->before + g * WORDS);
}

/* The key is in its bucket, with no empty place before it: once. */
static void look(struct tables *t, const uint32_t *table, uint32_t group, uint32_t key)
{
    uint32_t cnt = 0, is_open = 1;
    for (uint32_t place = bucket_of(t, key); place < WORDS; place += t->buckets) {
        cnt += is_open && table[place] == key;
        is_open &= table[place] != 0;
    }
    if (cnt != 1)
        session_fail(&t->s, COWARP_ECHECK, "work-group %u: key %u can be reached in %u places, expected 1", group, key, cnt);
}

static void check(struct tables *t)
{
    for (uint32_t g = 0; t->s.status == 0 && g < t->groups; g++) {
        const uint32_t *before = t->before + g * WORDS, *table = t->table + g * WORDS;
        uint32_t fresh = 0;
        for (uint32_t i = 0; t->s.status == 0 && i < WORDS; i++) {
            if (before[i] != 0 && table[i] != before[i])
                session_fail(&t->s, COWARP_ECHECK, "work-group %u: place %u was taken and holds %u now", g, i, table[i]);
            fresh += before[i] == 0 && table[i] != 0;
        }
        for (uint32_t i = 0; t->s.status == 0 && i < t->n; i++)
            look(t, table, g, t->key[g * t->n + i]);
        if (fresh != t->n)
            session_fail(&t->s, COWARP_ECHECK, "work-group %u: %u more places are taken, expected %u", g, fresh, t->n);
    }
    session_passed(&t->s, "%u keys are in %u tables of %u buckets, each once and reachable", t->groups * t->n, t->groups, t->buckets);
}

static int run(struct cowarp_workload_context *x)
{
    struct tables t;
    open_tables(&t, x);
    const uint64_t key = session_upload(&t.s, t.key, (uint64_t)t.groups * t.n * 4);
    const uint64_t table = session_upload(&t.s, t.before, t.groups * WORDS * UINT64_C(4));
    session_launch(&t.s, x->variant == COWARP_TX ? "lht_tx" : "lht_cglock", t.groups, t.threads, COWARP_U64(key), COWARP_U64(table),
                   COWARP_U32(t.buckets), COWARP_U32(t.keys_per_thread));
    session_read(&t.s, t.table, table, t.groups * WORDS * UINT64_C(4));
    if (t.s.status == 0)
        check(&t);
    return session_close(&t.s);
}

#define LHT(id, word, bucket_cnt, before, contention)                                                            \
    static const struct cowarp_workload_param params_##id[] = {                                                  \
        [GROUPS] = {"groups", 64, 1, 4096, "work-groups, each with a table of 1,024 places"},                    \
        [WAVEFRONTS] = {"wavefronts", 4, 1, 4, "of 64 work-items, per work-group"},                              \
        [KEYS] = {"keys", 1, 1, 16, "keys per work-item"},                                                       \
        [BUCKETS] = {"buckets", bucket_cnt, 1, WORDS, "buckets of a table"},                                     \
        [FILLED] = {"filled", before, 0, WORDS, "places of a bucket that are taken from the start, on average"}, \
    };                                                                                                           \
    const struct cowarp_workload cowarp_workload_##id = {                                                        \
        .name = word,                                                                                            \
        .folder = "lht",                                                                                         \
        .what = "hash table in shared memory, " contention " contention (GPU-LocalTM 6, HT)",                    \
        .system = "localtm",                                                                                     \
        .variants = COWARP_TX | COWARP_CGLOCK,                                                                   \
        .params = params_##id,                                                                                   \
        .param_count = sizeof params_##id / sizeof params_##id[0],                                               \
        .run = run,                                                                                              \
    }

LHT(lht_hc, "lht-hc", 32, 12, "high");
LHT(lht_lc, "lht-lc", 128, 2, "low");
