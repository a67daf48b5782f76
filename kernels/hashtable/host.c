/* SPDX-License-Identifier: Apache-2.0 */
/* ht-h, ht-m, ht-l: 23,040 threads insert into a chained hash table of 8,000, 80,000 or 800,000 buckets (GETM Table III). The check walks
 * every chain: each entry is there once, in the bucket of its key, with its key and value, and no lock is left taken. */
#include <stdio.h>
#include <stdlib.h>

#include "../host.h"
#include "../stm.h"

enum { BUCKETS, BLOCKS, THREADS };

struct entry {
    uint32_t key, value;
    int32_t next;
};

struct bucket {
    int32_t head;
    uint32_t lock;
};

struct table {
    uint32_t n, bucket_cnt;
    uint32_t *key;
    struct entry *entry;
    struct bucket *bucket;
    uint8_t *seen;
};

static int wrong(struct cowarp_workload_context *x, const char *what, uint32_t where)
{
    snprintf(x->message, sizeof x->message, "%s %u", what, where);
    return COWARP_ECHECK;
}

static int check(struct cowarp_workload_context *x, const struct table *t)
{
    uint32_t found = 0;
    for (uint32_t b = 0; b < t->bucket_cnt; b++) {
        if (t->bucket[b].lock != 0)
            return wrong(x, "a lock is left taken in bucket", b);
        for (int32_t i = t->bucket[b].head; i != -1; i = t->entry[i].next) {
            if (i < 0 || (uint32_t)i >= t->n)
                return wrong(x, "a link points outside the table in bucket", b);
            if (t->seen[i]++ != 0)
                return wrong(x, "a chain meets itself or another one at entry", (uint32_t)i);
            if (t->entry[i].key != t->key[i] || t->entry[i].value != (uint32_t)i || t->key[i] % t->bucket_cnt != b)
                return wrong(x, "wrong key, value or bucket at entry", (uint32_t)i);
            found++;
        }
    }
    if (found != t->n) {
        snprintf(x->message, sizeof x->message, "%u of %u entries are in the table, %u are lost", found, t->n, t->n - found);
        return COWARP_ECHECK;
    }
    snprintf(x->message, sizeof x->message, "all %u entries are in %u buckets, each once", found, t->bucket_cnt);
    return 0;
}

static int launch(struct cowarp_workload_context *x, const struct table *t, uint64_t dkey, uint64_t dentry, uint64_t dbucket,
                  uint64_t *dshared)
{
    struct cowarp_module *module;
    char name[64];
    int status = cowarp_load_file(x->gpu, &module, x->ptx_path);
    if (status == 0)
        status = host_upload(x->gpu, dshared, NULL, stm_bytes(x->variant));
    if (status != 0)
        return status;
    const struct cowarp_arg args[] = {COWARP_U64(dkey),          COWARP_U64(dentry), COWARP_U64(dbucket),
                                      COWARP_U32(t->bucket_cnt), COWARP_U32(t->n),   COWARP_U64(*dshared)};
    return host_launch(x->gpu, module, stm_kernel(name, "hashtable", x->variant), (uint32_t)x->param[BLOCKS], (uint32_t)x->param[THREADS],
                       x->variant & (COWARP_TX | COWARP_FGLOCK) ? 5 : 6, args);
}

static int run_with(struct cowarp_workload_context *x, struct table *t)
{
    uint64_t dkey, dentry, dbucket, dshared = 0, seed = x->seed;
    for (uint32_t i = 0; i < t->n; i++)
        t->key[i] = (uint32_t)host_random(&seed);
    for (uint32_t b = 0; b < t->bucket_cnt; b++)
        t->bucket[b] = (struct bucket){-1, 0};
    int status = host_upload(x->gpu, &dkey, t->key, t->n * sizeof *t->key);
    if (status == 0)
        status = host_upload_shared(x, &dentry, NULL, t->n * sizeof *t->entry);
    if (status == 0)
        status = host_upload_shared(x, &dbucket, t->bucket, t->bucket_cnt * sizeof *t->bucket);
    if (status == 0)
        status = launch(x, t, dkey, dentry, dbucket, &dshared);
    if (status == 0)
        status = cowarp_read(x->gpu, t->entry, dentry, t->n * sizeof *t->entry);
    if (status == 0)
        status = cowarp_read(x->gpu, t->bucket, dbucket, t->bucket_cnt * sizeof *t->bucket);
    return stm_finish(x, dshared, status == 0 ? check(x, t) : status);
}

static int run(struct cowarp_workload_context *x)
{
    struct table t = {.n = (uint32_t)(x->param[BLOCKS] * x->param[THREADS]), .bucket_cnt = (uint32_t)x->param[BUCKETS]};
    t.key = malloc(t.n * sizeof *t.key);
    t.entry = malloc(t.n * sizeof *t.entry);
    t.bucket = malloc(t.bucket_cnt * sizeof *t.bucket);
    t.seen = calloc(t.n, 1);
    int status = t.key && t.entry && t.bucket && t.seen ? run_with(x, &t) : COWARP_ENOMEM;
    free(t.key);
    free(t.entry);
    free(t.bucket);
    free(t.seen);
    return status;
}

#define HASHTABLE(id, text, buckets, contention)                                                          \
    static const struct cowarp_workload_param params_##id[] = {                                           \
        [BUCKETS] = {"buckets", buckets, 1, 1 << 26, "buckets of the table"},                             \
        [BLOCKS] = {"blocks", 120, 1, 65535, "thread blocks"},                                            \
        [THREADS] = {"threads", 192, 1, 1024, "threads per block; each inserts one entry"},               \
    };                                                                                                    \
    const struct cowarp_workload cowarp_workload_##id = {                                                 \
        .name = text,                                                                                     \
        .folder = "hashtable",                                                                            \
        .what = "hash table insertion, " #buckets " buckets, " contention " contention (GETM Table III)", \
        .variants = COWARP_TX | COWARP_FGLOCK | COWARP_CGLOCK | COWARP_STM_TL2 | COWARP_STM_PR,           \
        .params = params_##id,                                                                            \
        .param_count = sizeof params_##id / sizeof params_##id[0],                                        \
        .run = run,                                                                                       \
    }

HASHTABLE(ht_h, "ht-h", 8000, "high");
HASHTABLE(ht_m, "ht-m", 80000, "medium");
HASHTABLE(ht_l, "ht-l", 800000, "low");
