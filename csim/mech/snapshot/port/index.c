/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation, partition: the version index table in front of the L2 slice (SI-TM section 3), and what waits for it. The unit takes a
 * look-up and an operation per L2 cycle, in the cycle after they came, and answers a look-up two cycles later.
 *
 * Operations go in the order in which the version manager has told of them, but for the closing of a version: that goes in the cycle
 * before the version's creation, what has been told of before it or not. So a version appears to all accesses that come to any partition from its creation on, at one instant.
 */
#include <stdlib.h>

#include "mech/snapshot/port/port.h"
#include "mem/address.h"
#include "mem/row.h"

#define LOOKS 8u    /* one per cycle, answered three cycles later */
#define OPS   4096u /* that wait */

struct look {
    struct cw_message *m;
    cw_time since;
    struct cw_adapt_version_index_table_look asked;
};

struct op {
    cw_time since;
    struct cw_adapt_version_index_table_op asked;
};

struct cw_si_index_table {
    struct cw_si *tm;
    cw_time *wake; /* of its component */
    cw_time period;
    struct cw_adapt_version_index_table *table;
    struct look look[LOOKS]; /* ring: accesses that wait */
    struct cw_ring look_ring;
    struct look write[CW_SI_REQUESTS]; /* ring: writes of the commit unit, which wait until no access does */
    struct cw_ring write_ring;
    struct {
        struct cw_message *m;
        bool write;
    } asked[LOOKS]; /* ring: taken by the table and not answered */
    struct cw_ring asked_ring;
    uint32_t placed; /* writes, modulo 2^32; the last one: */
    cw_time last_placed;
    struct op *op; /* ring of OPS */
    struct cw_ring op_ring;
    struct {
        bool waits;
        cw_time heard, at;
        struct cw_adapt_version_index_table_op asked;
    } close;
    uint32_t awaited;  /* operations among those that wait, of which the version manager is to be told */
    cw_time last_done; /* one of these */
};

static void wake(struct cw_si_index_table *x, cw_time at)
{
    if (*x->wake > at)
        *x->wake = at;
}

uint64_t cw_si__index_rows(const struct cw_config *c)
{
    return ((uint64_t)c->mem_mbytes << 20) / cw_row_set_bytes(c) + 1;
}

int cw_si__index_create(struct cw_si_index_table **out, struct cw_si *tm, uint32_t partition, cw_time *component_wake, struct cw_error *err)
{
    const struct cw_adapt_version_index_table_config config = {.partition = partition,
                                                               .rows = cw_si__index_rows(tm->config),
                                                               .stride = tm->config->dram_subarray_rows / tm->keys->si_versions,
                                                               .time_bits = tm->keys->si_version_bits,
                                                               .versions = tm->keys->si_versions,
                                                               .regions = tm->keys->si_regions};
    struct cw_si_index_table *x = *out = calloc(1, sizeof *x);
    if (x == NULL)
        return CW_ENOMEM;
    x->tm = tm;
    x->wake = component_wake;
    x->period = cw_si_period(tm, CW_DOMAIN_L2);
    x->op = calloc(OPS, sizeof *x->op);
    if (x->op == NULL)
        return CW_ENOMEM;
    return cw_adapt_version_index_table_create(&x->table, tm->host.units, &config, err);
}

void cw_si__index_destroy(struct cw_si_index_table *x)
{
    if (x == NULL)
        return;
    cw_adapt_version_index_table_destroy(x->table);
    free(x->op);
    free(x);
}

/* Regions: a range has an entry for each subarray that it goes through; the rows that it displaces are in the last one's. */

uint32_t cw_si__index_groups(const struct cw_version_range *r)
{
    return (r->rows + r->slot_rows - 1) / r->slot_rows;
}

uint32_t cw_si__index_regions(const struct cw_memory *memory)
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < cw_version_cnt(memory); i++)
        cnt += cw_si__index_groups(cw_version_at(memory, i));
    return cnt;
}

struct cw_adapt_version_index_table_region cw_si__index_region(const struct cw_config *c, const struct cw_version_range *r, uint32_t group)
{
    const uint64_t first = r->row + (uint64_t)group * r->slot_rows, end = r->row + r->rows;
    const bool last = group + 1 == cw_si__index_groups(r);
    struct cw_adapt_version_index_table_region region = {.first = first, .stride = r->slot_rows};
    region.end = region.far = last ? end : first + r->slot_rows;
    region.shift = r->row + (uint64_t)group * c->dram_subarray_rows - first;
    if (last) {
        region.far = r->row + r->reach;
        region.moved = r->spare - end;
    }
    return region;
}

void cw_si__index_launch(struct cw_si_index_table *x)
{
    const struct cw_memory *memory = x->tm->host.memory;
    struct cw_adapt_version_index_table_region region[CW_SI_RANGES];
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < cw_version_cnt(memory); i++)
        for (uint32_t group = 0; group < cw_si__index_groups(cw_version_at(memory, i)); group++)
            region[cnt++] = cw_si__index_region(x->tm->config, cw_version_at(memory, i), group);
    cw_adapt_version_index_table_launch(x->table, region, cnt, cw_version_newest(memory));
    wake(x, 0);
}

bool cw_si__index_idle(const struct cw_si_index_table *x)
{
    return x->look_ring.cnt + x->write_ring.cnt + x->asked_ring.cnt + x->op_ring.cnt == 0 && !x->close.waits;
}

/* Look-ups */

void cw_si__index_look(struct cw_si_index_table *x, struct cw_message *m, enum cw_version_look kind, uint32_t time, cw_time now)
{
    x->look[cw_ring_add(&x->look_ring, LOOKS)] =
        (struct look){.m = m, .since = now, .asked = {.kind = kind, .row = cw_row_of(x->tm->config, m->addr), .time = time}};
    wake(x, now + x->period);
}

void cw_si__index_write(struct cw_si_index_table *x, struct cw_message *m, uint32_t slot, cw_time now)
{
    x->write[cw_ring_add(&x->write_ring, CW_SI_REQUESTS)] =
        (struct look){.m = m, .since = now, .asked = {.kind = CW_VERSION_SLOT, .row = cw_row_of(x->tm->config, m->addr), .slot = slot}};
    wake(x, now + x->period);
}

uint32_t cw_si__index_placed(const struct cw_si_index_table *x, cw_time now)
{
    return x->last_placed < now ? x->placed : x->placed - 1;
}

/* The place of the address in that row, by the answer. */
static uint64_t place(const struct cw_config *c, uint64_t addr, const struct cw_adapt_version_index_table_answer *a)
{
    if (a->versioned)
        return cw_row_move(c, addr, a->row);
    return addr + (a->row - cw_row_of(c, addr)) * cw_row_set_bytes(c);
}

/* Operations */

static void say(struct cw_si_index_table *x, const struct cw_adapt_version_index_table_op *op, cw_time now)
{
    if (x->op_ring.cnt == OPS) {
        cw_mech_fault(&x->tm->host, CW_ELIMIT, "snapshot isolation: too many operations wait for a version index table");
        return;
    }
    x->awaited += op->kind == CW_VERSION_READY || op->kind == CW_VERSION_RENUMBER;
    x->op[cw_ring_add(&x->op_ring, OPS)] = (struct op){.since = now, .asked = *op};
    wake(x, now + x->period);
}

void cw_si__index_op(struct cw_si_index_table *x, enum cw_version_op kind, uint32_t slot, cw_time now)
{
    const struct cw_adapt_version_index_table_op op = {.kind = kind, .slot = slot};
    say(x, &op, now);
}

void cw_si__index_count(struct cw_si_index_table *x, enum cw_version_op kind, uint32_t slot, uint32_t cnt, cw_time now)
{
    const struct cw_adapt_version_index_table_op op = {.kind = kind, .slot = slot, .cnt = cnt};
    if (cnt > 0)
        say(x, &op, now);
}

void cw_si__index_close(struct cw_si_index_table *x, uint32_t slot, uint32_t time, cw_time created, cw_time now)
{
    x->close.waits = true;
    x->close.heard = now;
    x->close.asked = (struct cw_adapt_version_index_table_op){.kind = CW_VERSION_CLOSE, .slot = slot, .time = time};
    x->close.at = created - x->period;
    wake(x, x->close.at);
}

bool cw_si__index_settled(const struct cw_si_index_table *x, cw_time now)
{
    return x->awaited == 0 && x->last_done < now;
}

/* Of this cycle. What has been told of after the closing of a version comes after that. */
static const struct cw_adapt_version_index_table_op *next_op(struct cw_si_index_table *x, cw_time now)
{
    if (x->close.waits && now >= x->close.at) {
        x->close.waits = false;
        return &x->close.asked;
    }
    const struct op *o = x->op + x->op_ring.head;
    if (x->op_ring.cnt == 0 || o->since >= now || (x->close.waits && o->since >= x->close.heard))
        return NULL;
    cw_ring_take(&x->op_ring, OPS);
    if (o->asked.kind == CW_VERSION_READY || o->asked.kind == CW_VERSION_RENUMBER) {
        x->awaited--;
        x->last_done = now;
    }
    return &o->asked;
}

/* The version manager of sitm-oracle does not wait until the table knows of a new version: a write does. */
static bool is_behind(const struct cw_si_index_table *x)
{
    return x->tm->oracle && x->awaited > 0;
}

/* An access, which cannot wait, or else a write. */
static const struct cw_adapt_version_index_table_look *next_look(struct cw_si_index_table *x, cw_time now)
{
    const struct look *l = x->look + x->look_ring.head;
    const bool access = x->look_ring.cnt > 0 && l->since < now;
    if (access)
        cw_ring_take(&x->look_ring, LOOKS);
    else if (x->write_ring.cnt > 0 && x->write[x->write_ring.head].since < now && !is_behind(x))
        l = x->write + cw_ring_take(&x->write_ring, CW_SI_REQUESTS);
    else
        return NULL;
    const uint32_t at = cw_ring_add(&x->asked_ring, LOOKS);
    x->asked[at].m = l->m;
    x->asked[at].write = !access;
    return &l->asked;
}

static cw_time next_time(const struct cw_si_index_table *x, cw_time now)
{
    if (x->look_ring.cnt + x->write_ring.cnt + x->asked_ring.cnt + x->op_ring.cnt > 0 || cw_adapt_version_index_table_busy(x->table))
        return now + x->period;
    return x->close.waits ? cw_time_max(x->close.at, now + x->period) : CW_TIME_NEVER;
}

/* A commit writes into the version that takes writes, and nowhere else. */
static void place_write(struct cw_si_index_table *x, struct cw_message *m, const struct cw_adapt_version_index_table_answer *a, cw_time now)
{
    if ((!a->found || a->state != CW_VERSION_S2) && x->tm->sabotage != CW_SI_EARLY_CLOSE)
        cw_mech_fault(&x->tm->host, CW_ELIMIT, "snapshot isolation: a commit writes into a version that takes no writes");
    m->place = place(x->tm->config, m->addr, a);
    x->placed++;
    x->last_placed = now;
}

static void place_access(struct cw_si_index_table *x, struct cw_message *m, const struct cw_adapt_version_index_table_answer *a)
{
    if (a->versioned && !a->found)
        cw_mech_fault(&x->tm->host, CW_ELIMIT, "snapshot isolation: a version that is read has gone");
    else
        m->place = place(x->tm->config, m->addr, a);
}

struct cw_message *cw_si__index_clock(struct cw_si_index_table *x, cw_time now, bool *versioned)
{
    struct cw_adapt_version_index_table_answer answer;
    const struct cw_adapt_version_index_table_look *look = next_look(x, now);
    cw_adapt_version_index_table_clock(x->table, look, next_op(x, now), &answer);
    if (answer.refused)
        cw_mech_fault(&x->tm->host, CW_ELIMIT, "snapshot isolation: a version index table refuses what the version manager says");
    const uint32_t at = answer.valid ? cw_ring_take(&x->asked_ring, LOOKS) : 0;
    *x->wake = next_time(x, now);
    if (!answer.valid)
        return NULL;
    *versioned = answer.versioned;
    if (x->asked[at].write)
        place_write(x, x->asked[at].m, &answer, now);
    else
        place_access(x, x->asked[at].m, &answer);
    return x->asked[at].write ? NULL : x->asked[at].m;
}

/* ---- state ---- */

static void op_state(struct cw_state *s, struct cw_adapt_version_index_table_op *op)
{
    CW_STATE(s, op->kind);
    CW_STATE(s, op->slot);
    CW_STATE(s, op->time);
    CW_STATE(s, op->cnt);
}

static void looks_state(struct cw_state *s, struct look *look, struct cw_ring *ring, uint32_t places)
{
    cw_state_count(s, "head", &ring->head, places - 1);
    cw_state_count(s, "looks", &ring->cnt, places);
    for (uint32_t i = 0; i < ring->cnt; i++) {
        struct look *l = &look[cw_ring_at(ring, i, places)];
        cw_message_ref_state(s, &l->m);
        CW_STATE(s, l->since);
        CW_STATE(s, l->asked.kind);
        CW_STATE(s, l->asked.row);
        CW_STATE(s, l->asked.time);
        CW_STATE(s, l->asked.slot);
    }
}

static void asked_state(struct cw_state *s, struct cw_si_index_table *x)
{
    cw_state_count(s, "head", &x->asked_ring.head, LOOKS - 1);
    cw_state_count(s, "asked", &x->asked_ring.cnt, LOOKS);
    for (uint32_t i = 0; i < x->asked_ring.cnt; i++) {
        const uint32_t at = cw_ring_at(&x->asked_ring, i, LOOKS);
        cw_message_ref_state(s, &x->asked[at].m);
        CW_STATE(s, x->asked[at].write);
    }
}

void cw_si__index_state(struct cw_state *s, struct cw_si_index_table *x)
{
    cw_adapt_version_index_table_state(s, x->table);
    looks_state(s, x->look, &x->look_ring, LOOKS);
    looks_state(s, x->write, &x->write_ring, CW_SI_REQUESTS);
    asked_state(s, x);
    CW_STATE(s, x->placed);
    CW_STATE(s, x->last_placed);
    cw_state_count(s, "head", &x->op_ring.head, OPS - 1);
    cw_state_count(s, "operations", &x->op_ring.cnt, OPS);
    for (uint32_t i = 0; i < x->op_ring.cnt; i++) {
        struct op *o = &x->op[cw_ring_at(&x->op_ring, i, OPS)];
        CW_STATE(s, o->since);
        op_state(s, &o->asked);
    }
    CW_STATE(s, x->close.waits);
    CW_STATE(s, x->close.heard);
    CW_STATE(s, x->close.at);
    op_state(s, &x->close.asked);
    CW_STATE(s, x->awaited);
    CW_STATE(s, x->last_done);
}
