/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/kilo/unit/detector.h"

#include <stdlib.h>
#include <string.h>

#include "unit/h3.h"

#define LATENCY CW_HAZARD_UNIT_LATENCY
#define KEY_W   33u /* word numbers of 32 GiB */
#define ROW_W   7u  /* four sub-arrays of 128 bits */
#define READS   0
#define WRITES  1

/* The last writer of a word, and the last one of another warp than that one's. IDs are one higher than commit IDs, so that 0 is nobody. */
struct writer {
    uint64_t addr, last, before;
};

/* What a transaction has read and written. */
struct signature {
    uint64_t id; /* + 1 */
    uint64_t bits[2][4][2];
};

struct cw_kilo_detector {
    enum cw_kilo_detection kind;
    struct cw_h3x4 hash;
    struct writer *writer; /* perfect: open addressing by address; addr 0 is free */
    uint64_t writer_cap, writer_cnt;
    struct signature *signature; /* bloom-array: by ID modulo the capacity */
    uint64_t signature_cap;
    struct cw_adapt_hazard_unit_result result[LATENCY]; /* by the clock in which they are due */
    uint32_t now, pending;
    uint64_t youngest; /* conflict of the transaction whose words come now, + 1 */
    bool failed;
};

/* perfect */

static struct writer *find(struct writer *table, uint64_t cap, uint64_t addr)
{
    uint64_t i = (addr >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (cap - 1);
    while (table[i].addr != 0 && table[i].addr != addr)
        i = (i + 1) & (cap - 1);
    return table + i;
}

/* A table with room for one more writer: writers that nobody will ask for are left behind. */
static bool make_room(struct cw_kilo_detector *d, uint64_t live)
{
    if (2 * (d->writer_cnt + 1) <= d->writer_cap)
        return true;
    uint64_t cap = d->writer_cap == 0 ? 1024 : d->writer_cap, used = 0;
    for (uint64_t i = 0; i < d->writer_cap; i++)
        used += d->writer[i].last > live;
    while (4 * (used + 1) > cap)
        cap *= 2;
    struct writer *table = calloc(cap, sizeof *table);
    if (table == NULL)
        return false;
    for (uint64_t i = 0; i < d->writer_cap; i++)
        if (d->writer[i].last > live)
            *find(table, cap, d->writer[i].addr) = d->writer[i];
    free(d->writer);
    d->writer = table;
    d->writer_cap = cap;
    d->writer_cnt = used;
    return true;
}

static uint64_t perfect(struct cw_kilo_detector *d, const struct cw_adapt_hazard_unit_word *e, uint64_t live)
{
    if (!make_room(d, live)) {
        d->failed = true;
        return 0;
    }
    struct writer *w = find(d->writer, d->writer_cap, e->addr);
    if (e->kind == CW_HAZARD_CHECK)
        return w->addr == 0 ? 0 : w->last > e->own ? w->before : w->last;
    d->writer_cnt += w->addr == 0;
    w->addr = e->addr;
    if (w->last <= e->own)
        w->before = w->last;
    w->last = e->id + 1;
    return 0;
}

/* bloom-array */

static bool grow(struct cw_kilo_detector *d, uint64_t id, uint64_t live)
{
    uint64_t cap = d->signature_cap == 0 ? 1024 : d->signature_cap;
    while (id - live >= cap)
        cap *= 2;
    if (cap == d->signature_cap)
        return true;
    struct signature *larger = calloc(cap, sizeof *larger);
    if (larger == NULL)
        return false;
    for (uint64_t i = 0; i < d->signature_cap; i++)
        if (d->signature[i].id > live)
            larger[(d->signature[i].id - 1) & (cap - 1)] = d->signature[i];
    free(d->signature);
    d->signature = larger;
    d->signature_cap = cap;
    return true;
}

static uint32_t row(uint64_t hash, uint32_t way)
{
    return (uint32_t)(hash >> 16 * way) & ((1u << ROW_W) - 1);
}

static bool has(const struct signature *s, uint32_t set, uint64_t hash)
{
    bool all = true;
    for (uint32_t w = 0; w < 4 && all; w++)
        all = s->bits[set][w][row(hash, w) / 64] >> row(hash, w) % 64 & 1;
    return all;
}

static uint64_t bloom_array(struct cw_kilo_detector *d, const struct cw_adapt_hazard_unit_word *e, uint64_t live)
{
    bool write = e->kind == CW_HAZARD_RECORD;
    uint64_t hash = cw_h3x4(&d->hash, (e->addr - CW_GLOBAL_BASE) / 4), found = 0;
    if (!grow(d, e->entry, live)) {
        d->failed = true;
        return 0;
    }
    for (uint64_t id = e->own; id > e->rcid && found == 0; id--) {
        const struct signature *s = d->signature + ((id - 1) & (d->signature_cap - 1));
        if (s->id == id && (has(s, WRITES, hash) || (write && has(s, READS, hash))))
            found = id;
    }
    struct signature *mine = d->signature + (e->entry & (d->signature_cap - 1));
    if (mine->id != e->entry + 1)
        *mine = (struct signature){.id = e->entry + 1};
    for (uint32_t w = 0; w < 4; w++)
        mine->bits[write][w][row(hash, w) / 64] |= UINT64_C(1) << row(hash, w) % 64;
    return found;
}

bool cw_kilo_detector_clock(struct cw_kilo_detector *d, const struct cw_adapt_hazard_unit_word *e, uint64_t live,
                            struct cw_adapt_hazard_unit_result *result)
{
    struct cw_adapt_hazard_unit_result *slot = d->result + d->now;
    d->now = (d->now + 1) % LATENCY;
    *result = *slot;
    d->pending -= slot->valid;
    slot->valid = false;
    if (e == NULL)
        return false;
    if (e->kind != CW_HAZARD_NONE) {
        uint64_t found = d->kind == CW_KILO_PERFECT ? perfect(d, e, live) : bloom_array(d, e, live);
        if (found > e->rcid && found > d->youngest)
            d->youngest = found;
    }
    if (!e->last)
        return true;
    *slot = (struct cw_adapt_hazard_unit_result){.valid = true,
                                                 .entry = e->entry,
                                                 .hazard = d->youngest != 0,
                                                 .exact = d->kind == CW_KILO_PERFECT,
                                                 .ycid = d->youngest != 0 ? d->youngest - 1 : 0};
    d->pending++;
    d->youngest = 0;
    return true;
}

bool cw_kilo_detector_busy(const struct cw_kilo_detector *d)
{
    return d->pending > 0;
}

bool cw_kilo_detector_failed(const struct cw_kilo_detector *d)
{
    return d->failed;
}

int cw_kilo_detector_create(struct cw_kilo_detector **out, enum cw_kilo_detection kind)
{
    struct cw_kilo_detector *d = *out = calloc(1, sizeof *d);
    if (d == NULL)
        return CW_ENOMEM;
    d->kind = kind;
    cw_h3x4_init(&d->hash, KEY_W, ROW_W);
    return CW_OK;
}

void cw_kilo_detector_destroy(struct cw_kilo_detector *d)
{
    if (d == NULL)
        return;
    free(d->writer);
    free(d->signature);
    free(d);
}

/* A table of numbers of 64 bits, `words` an entry, that has grown. */
static void table_state(struct cw_state *s, const char *name, void **table, uint64_t *cap, size_t words)
{
    uint32_t entries = (uint32_t)*cap;
    cw_state_count(s, name, &entries, UINT32_C(1) << 28);
    if (cw_state_loads(s)) {
        void *all = entries != 0 && s->status == CW_OK ? calloc(entries, words * sizeof(uint64_t)) : NULL;
        if (entries != 0 && all == NULL)
            cw_state_fail(s, CW_ENOMEM, "out of host memory");
        free(*table);
        *table = all;
        *cap = entries = all != NULL ? entries : 0;
    }
    cw_state_array(s, name, *table, entries * words, sizeof(uint64_t));
}

static void result_state(struct cw_state *s, struct cw_adapt_hazard_unit_result *r)
{
    CW_STATE(s, r->valid);
    CW_STATE(s, r->entry);
    CW_STATE(s, r->hazard);
    CW_STATE(s, r->exact);
    CW_STATE(s, r->ycid);
    CW_STATE(s, r->evicted);
}

void cw_kilo_detector_state(struct cw_state *s, struct cw_kilo_detector *d)
{
    void *writer = d->writer, *signature = d->signature;
    table_state(s, "writer", &writer, &d->writer_cap, sizeof *d->writer / sizeof(uint64_t));
    table_state(s, "signature", &signature, &d->signature_cap, sizeof *d->signature / sizeof(uint64_t));
    d->writer = writer;
    d->signature = signature;
    CW_STATE(s, d->writer_cnt);
    for (uint32_t i = 0; i < LATENCY; i++)
        result_state(s, &d->result[i]);
    cw_state_count(s, "now", &d->now, LATENCY - 1);
    CW_STATE(s, d->pending);
    CW_STATE(s, d->youngest);
    CW_STATE(s, d->failed);
}
