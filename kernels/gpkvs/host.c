/* SPDX-License-Identifier: Apache-2.0 */
/* gpkvs: a batch of inserts into a key-value store in persistent memory, with an undo log for the batch. */
#include <string.h>

#include "../session.h"

#define SLOTS 4u

enum { PAIRS, BUCKETS, BLOCKS, THREADS, UPDATES };
static const struct cowarp_workload_param params[] = {
    [PAIRS] = {"pairs", 65536, 1, 1 << 22, "pairs that are inserted"},
    [BUCKETS] = {"buckets", 4194304, 1, 1 << 24, "buckets of four pairs"},
    [BLOCKS] = {"blocks", 16, 1, 65535, "thread blocks, each with a slice of the buckets"},
    [THREADS] = {"threads", 512, 32, 1024, "threads per block, a multiple of 32; four work on a pair"},
    [UPDATES] = {"updates", 0, 0, 100, "percent of the pairs whose key is there before, with another value"},
};

struct pair {
    uint32_t signature, hash, location;
};

struct bucket {
    uint32_t signature[SLOTS], location[SLOTS];
};

struct store {
    struct session s;
    uint32_t pairs, buckets, blocks, threads, per_block, slice;
    uint64_t table; /* persistent memory */
    struct session_log log;
    struct pair *batch;
    uint32_t *old; /* location that the key has before, 0: it is not there */
};

static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static void make_batch(struct store *t)
{
    t->batch = session_array(&t->s, t->pairs, sizeof *t->batch);
    t->old = session_array(&t->s, t->pairs, sizeof *t->old);
    for (uint32_t i = 0; t->s.status == 0 && i < t->pairs; i++) {
        const uint32_t signature = (i + 1) * 0x9e3779b1u; /* each once, none 0 */
        t->batch[i] = (struct pair){signature, (uint32_t)host_random(&t->s.random), mix(signature) | 1};
        t->old[i] = session_below(&t->s, 100) < (uint32_t)t->s.x->param[UPDATES] ? mix(~signature) | 1 : 0;
    }
}

static void open_store(struct store *t, struct cowarp_workload_context *x)
{
    *t = (struct store){.pairs = (uint32_t)x->param[PAIRS],
                        .buckets = (uint32_t)x->param[BUCKETS],
                        .blocks = (uint32_t)x->param[BLOCKS],
                        .threads = (uint32_t)x->param[THREADS]};
    session_open(&t->s, x);
    if (t->buckets < t->blocks)
        session_fail(&t->s, COWARP_EINVAL, "there are fewer buckets than thread blocks");
    if (t->threads % 32 != 0)
        session_fail(&t->s, COWARP_EINVAL, "threads must be a multiple of 32");
    t->per_block = (t->pairs + t->blocks - 1) / t->blocks;
    t->slice = t->buckets / t->blocks;
    make_batch(t);
}

static void regions(struct store *t, session_region_fn region)
{
    t->table = region(&t->s, "gpkvs.table", t->buckets * sizeof(struct bucket));
    t->log = session_log_open(&t->s, "gpkvs", t->pairs, region);
}

/* A pair's two buckets, as the kernel finds them. */
static uint32_t bucket_of(const struct store *t, uint32_t i, uint32_t which)
{
    const uint32_t hash = t->batch[i].hash;
    return i / t->per_block * t->slice + (which == 0 ? hash : hash * 0x85ebca6bu >> 5) % t->slice;
}

/* Keys that are there before the batch comes. One that finds no room is a new key instead. */
static void fill(struct store *t)
{
    struct bucket b;
    for (uint32_t i = 0; t->s.status == 0 && i < t->pairs; i++) {
        const uint64_t at = t->table + bucket_of(t, i, 0) * sizeof b;
        uint32_t slot = 0;
        if (t->old[i] == 0)
            continue;
        session_read(&t->s, &b, at, sizeof b);
        while (t->s.status == 0 && slot < SLOTS && b.signature[slot] != 0)
            slot++;
        if (slot == SLOTS)
            continue;
        session_write(&t->s, at + 4 * slot, &t->batch[i].signature, 4);
        session_write(&t->s, at + 4 * (SLOTS + slot), &t->old[i], 4);
    }
}

/* What a pair's buckets say of it. */
enum found { ABSENT, CROWDED, OLD, NEW };

static enum found look(struct store *t, const struct bucket *table, uint32_t i, uint32_t *places)
{
    uint32_t used = 0;
    enum found found = ABSENT;
    const uint32_t buckets = bucket_of(t, i, 0) == bucket_of(t, i, 1) ? 1 : 2;
    for (uint32_t k = 0; k < buckets * SLOTS; k++) {
        const struct bucket *b = &table[bucket_of(t, i, k / SLOTS)];
        const uint32_t signature = b->signature[k % SLOTS], location = b->location[k % SLOTS];
        used += signature != 0;
        if (signature != t->batch[i].signature)
            continue;
        ++*places;
        found = location == t->batch[i].location ? NEW : OLD;
        if (found == OLD && (t->old[i] == 0 || location != t->old[i]))
            session_fail(&t->s, COWARP_ECHECK, "pair %u has value %#x, which nobody has written", i, location);
    }
    return found == ABSENT && used == buckets * SLOTS ? CROWDED : found;
}

/* The batch is there as a whole, or not at all; nothing else is. Returns how many of its pairs are there. `old`: keys that the table has
 * before; NULL: it is not known. */
static uint32_t check_table(struct store *t)
{
    struct bucket *table = session_array(&t->s, t->buckets, sizeof *table);
    uint32_t cnt[4] = {0}, there = 0, used = 0;
    session_read(&t->s, table, t->table, t->buckets * sizeof *table);
    for (uint32_t i = 0; t->s.status == 0 && i < t->pairs; i++) {
        uint32_t places = 0;
        cnt[look(t, table, i, &places)]++;
        if (places > 1)
            session_fail(&t->s, COWARP_ECHECK, "pair %u is there %u times", i, places);
        there += places;
    }
    for (uint64_t k = 0; t->s.status == 0 && k < (uint64_t)t->buckets * SLOTS; k++)
        used += table[k / SLOTS].signature[k % SLOTS] != 0;
    if (used != there)
        session_fail(&t->s, COWARP_ECHECK, "%u slots are in use, but %u pairs are found", used, there);
    if (cnt[NEW] > 0 && cnt[OLD] + cnt[ABSENT] > 0)
        session_fail(&t->s, COWARP_ECHECK, "half a batch: %u pairs are new, %u have their old value, %u are absent", cnt[NEW], cnt[OLD],
                     cnt[ABSENT]);
    return cnt[NEW];
}

static int run(struct cowarp_workload_context *x)
{
    struct store t;
    open_store(&t, x);
    regions(&t, session_pm_new);
    fill(&t);
    const uint64_t batch = session_upload(&t.s, t.batch, t.pairs * sizeof *t.batch);
    session_phase(&t.s, "insert");
    session_log_begin(&t.s, &t.log);
    session_launch(&t.s, "gpkvs_insert", t.blocks, t.threads, COWARP_U64(batch), COWARP_U64(t.table), COWARP_U64(t.log.entry),
                   COWARP_U64(t.log.head), COWARP_U32(t.pairs), COWARP_U32(t.per_block), COWARP_U32(t.slice));
    session_log_end(&t.s, &t.log, (t.pairs + 511) / 512, 512);
    session_phase(&t.s, NULL);
    const uint32_t inserted = check_table(&t);
    session_log_check(&t.s, &t.log);
    if (inserted == 0)
        session_fail(&t.s, COWARP_ECHECK, "none of %u pairs was inserted", t.pairs);
    session_passed(&t.s, "%u of %u pairs inserted, each in one of its buckets", inserted, t.pairs);
    return session_close(&t.s);
}

static int recover(struct cowarp_workload_context *x)
{
    struct store t;
    open_store(&t, x);
    regions(&t, session_pm_find);
    if (session_log_is_valid(&t.s, &t.log))
        session_launch(&t.s, "gpkvs_undo", (t.pairs + 511) / 512, 512, COWARP_U64(t.table), COWARP_U64(t.log.entry), COWARP_U64(t.log.head),
                       COWARP_U32(t.pairs));
    session_log_end(&t.s, &t.log, (t.pairs + 511) / 512, 512);
    return session_close(&t.s);
}

static int verify(struct cowarp_workload_context *x)
{
    struct store t;
    open_store(&t, x);
    regions(&t, session_pm_find);
    const uint32_t inserted = check_table(&t);
    session_log_check(&t.s, &t.log);
    session_passed(&t.s, "%u of %u pairs are there, none torn, the log is empty", inserted, t.pairs);
    return session_close(&t.s);
}

const struct cowarp_workload cowarp_workload_gpkvs = {
    .name = "gpkvs",
    .folder = "gpkvs",
    .what = "inserts into a key-value store in persistent memory, with an undo log (SBRP 7.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
    .recover = recover,
    .verify = verify,
};
