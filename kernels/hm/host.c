/* SPDX-License-Identifier: Apache-2.0 */
/* hm: a batch of inserts into a cuckoo hash map in persistent memory, with an undo log for the batch. */
#include "../session.h"

#define TABLES  3u
#define ENTRIES 192u
#define NODES   (TABLES * ENTRIES)

enum { KEYS, PRESENT, BUCKETS };
static const struct cowarp_workload_param params[] = {
    [KEYS] = {"keys", 25000, 1, 1 << 22, "keys that are inserted"},
    [PRESENT] = {"present", 25000, 0, 1 << 22, "keys that are there before"},
    [BUCKETS] = {"buckets", 300, 1, 65535, "buckets of 576 nodes, each a thread block"},
};

struct node {
    uint32_t key, value; /* key 0: empty */
};

struct map {
    struct session s;
    uint32_t keys, present, buckets, nodes;
    uint64_t map; /* persistent memory */
    struct session_log log;
    struct node *pair; /* those that are there before, then the batch */
};

static void open_map(struct map *m, struct cowarp_workload_context *x)
{
    *m = (struct map){.keys = (uint32_t)x->param[KEYS], .present = (uint32_t)x->param[PRESENT], .buckets = (uint32_t)x->param[BUCKETS]};
    session_open(&m->s, x);
    m->nodes = m->buckets * NODES;
    if ((uint64_t)(m->keys + m->present) * 10 > (uint64_t)m->nodes * 8)
        session_fail(&m->s, COWARP_EINVAL, "%u keys are more than 80 percent of %u nodes", m->keys + m->present, m->nodes);
    m->pair = session_array(&m->s, m->keys + m->present, sizeof *m->pair);
    for (uint32_t i = 0; m->s.status == 0 && i < m->keys + m->present; i++) /* an odd factor: each key once, and none is 0 */
        m->pair[i] = (struct node){(i + 25001) * 0x2c9277b5u, (uint32_t)host_random(&m->s.random) | 1};
}

static void regions(struct map *m, session_region_fn region)
{
    m->map = region(&m->s, "hm.map", m->nodes * sizeof(struct node));
    m->log = session_log_open(&m->s, "hm", m->nodes, region);
}

static uint32_t node_of(const struct map *m, uint32_t key, uint32_t table)
{
    const uint32_t h = (key + 1) * (0x9e3779b1u + 0x632be5a6u * table);
    return key % m->buckets * NODES + table * ENTRIES + (h >> 16) % ENTRIES;
}

/* The map before the batch: cuckoo hashing, one key after the other. */
static void fill(struct map *m)
{
    struct node *map = session_array(&m->s, m->nodes, sizeof *map);
    for (uint32_t i = 0; m->s.status == 0 && i < m->present; i++) {
        struct node hand = m->pair[i];
        for (uint32_t move = 0; hand.key != 0; move++) {
            const uint32_t at = node_of(m, hand.key, move % TABLES);
            const struct node out = map[at];
            map[at] = hand;
            hand = out;
            if (move > 1000) {
                session_fail(&m->s, COWARP_EINVAL, "the keys that are there before do not fit; use more buckets");
                break;
            }
        }
    }
    session_write(&m->s, m->map, map, m->nodes * sizeof *map);
}

static void insert(struct map *m)
{
    const uint32_t zero = 0;
    const uint64_t batch = session_upload(&m->s, m->pair + m->present, m->keys * sizeof *m->pair);
    const uint64_t list = session_upload(&m->s, NULL, m->nodes * UINT64_C(4));
    const uint64_t length = session_upload(&m->s, NULL, m->buckets * UINT64_C(4));
    const uint64_t failed = session_upload(&m->s, &zero, sizeof zero);
    uint32_t has_failed = 0;
    session_phase(&m->s, "insert");
    session_log_begin(&m->s, &m->log);
    session_launch(&m->s, "hm_mark", 32, 1024, COWARP_U64(batch), COWARP_U32(m->keys), COWARP_U32(m->buckets), COWARP_U64(list),
                   COWARP_U64(length));
    session_launch(&m->s, "hm_insert", m->buckets, NODES, COWARP_U64(m->map), COWARP_U64(batch), COWARP_U64(list), COWARP_U64(length),
                   COWARP_U64(m->log.entry), COWARP_U64(m->log.head), COWARP_U64(failed));
    session_read(&m->s, &has_failed, failed, sizeof has_failed);
    if (has_failed != 0)
        session_fail(&m->s, COWARP_EINVAL, "the keys do not fit; use more buckets");
    session_log_end(&m->s, &m->log, m->buckets, NODES);
    session_phase(&m->s, NULL);
}

/* All values, as the device finds them. */
static void check_find(struct map *m)
{
    const uint32_t pairs = m->keys + m->present;
    uint32_t *value = session_array(&m->s, pairs, sizeof *value);
    const uint64_t wanted = session_upload(&m->s, m->pair, pairs * sizeof *m->pair);
    const uint64_t found = session_upload(&m->s, NULL, pairs * sizeof *value);
    session_phase(&m->s, "find");
    session_launch(&m->s, "hm_find", 30, NODES, COWARP_U64(m->map), COWARP_U64(wanted), COWARP_U32(pairs), COWARP_U32(m->buckets),
                   COWARP_U64(found));
    session_phase(&m->s, NULL);
    session_read(&m->s, value, found, pairs * sizeof *value);
    for (uint32_t i = 0; m->s.status == 0 && i < pairs; i++)
        if (value[i] != m->pair[i].value)
            session_fail(&m->s, COWARP_ECHECK, "key %u has value %#x, expected %#x", i, value[i], m->pair[i].value);
}

/* 1: the key is there, with its value; 0: it is not. */
static uint32_t look(struct map *m, const struct node *map, uint32_t i)
{
    uint32_t places = 0;
    for (uint32_t table = 0; table < TABLES; table++) {
        const struct node *n = &map[node_of(m, m->pair[i].key, table)];
        if (n->key != m->pair[i].key)
            continue;
        places++;
        if (n->value != m->pair[i].value)
            session_fail(&m->s, COWARP_ECHECK, "key %u has value %#x, expected %#x", i, n->value, m->pair[i].value);
    }
    if (places > 1)
        session_fail(&m->s, COWARP_ECHECK, "key %u is there %u times", i, places);
    return places;
}

/* What was there before is there, the batch as a whole or not at all, and nothing else. Returns how many keys are there. */
static uint32_t check_map(struct map *m)
{
    struct node *map = session_array(&m->s, m->nodes, sizeof *map);
    uint32_t old = 0, new = 0, used = 0;
    session_read(&m->s, map, m->map, m->nodes * sizeof *map);
    for (uint32_t i = 0; m->s.status == 0 && i < m->keys + m->present; i++)
        *(i < m->present ? &old : &new) += look(m, map, i);
    for (uint32_t k = 0; m->s.status == 0 && k < m->nodes; k++)
        used += map[k].key != 0;
    if (old != m->present)
        session_fail(&m->s, COWARP_ECHECK, "%u of %u old keys are there", old, m->present);
    if (new != 0 && new != m->keys)
        session_fail(&m->s, COWARP_ECHECK, "half a batch: %u of %u new keys are there", new, m->keys);
    if (used != old + new)
        session_fail(&m->s, COWARP_ECHECK, "%u nodes are in use, but %u keys are found", used, old + new);
    return old + new;
}

static int run(struct cowarp_workload_context *x)
{
    struct map m;
    open_map(&m, x);
    regions(&m, session_pm_new);
    fill(&m);
    insert(&m);
    check_find(&m);
    const uint32_t there = check_map(&m);
    session_log_check(&m.s, &m.log);
    if (m.s.status == 0 && there != m.keys + m.present)
        session_fail(&m.s, COWARP_ECHECK, "the batch is not there");
    session_passed(&m.s, "%u keys are in the map, each with its value", there);
    return session_close(&m.s);
}

static int recover(struct cowarp_workload_context *x)
{
    struct map m;
    open_map(&m, x);
    regions(&m, session_pm_find);
    if (session_log_is_valid(&m.s, &m.log))
        session_launch(&m.s, "hm_undo", m.buckets, NODES, COWARP_U64(m.map), COWARP_U64(m.log.entry), COWARP_U64(m.log.head),
                       COWARP_U32(m.nodes));
    session_log_end(&m.s, &m.log, m.buckets, NODES);
    return session_close(&m.s);
}

static int verify(struct cowarp_workload_context *x)
{
    struct map m;
    open_map(&m, x);
    regions(&m, session_pm_find);
    const uint32_t there = check_map(&m);
    session_log_check(&m.s, &m.log);
    session_passed(&m.s, "%u of %u keys are there, none twice, the log is empty", there, m.keys + m.present);
    return session_close(&m.s);
}

const struct cowarp_workload cowarp_workload_hm = {
    .name = "hm",
    .folder = "hm",
    .what = "inserts into a cuckoo hash map in persistent memory, with an undo log (SBRP 7.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
    .recover = recover,
    .verify = verify,
};
