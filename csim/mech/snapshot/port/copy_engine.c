/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation, partition: what the row copy engine (SI-TM section 5, step 4 of Figure 12; mem/copier.h) does. For a new version it
 * walks the rows of the versioned ranges that this partition has. Per row of a bank it has the L2 write back the lines of the source and drop
 * those of the target, a line per cycle, and gives the DRAM the copy. Copies of different subarrays go on in parallel.
 *
 * It copies rows that hold bytes of a range, not the rest of the range's last row set.
 */
#include "mech/snapshot/port/port.h"

#include "mem/copier.h"
#include "mem/row.h"

int cw_si__copy_create(struct cw_si_port *u, struct cw_error *err)
{
    const struct cw_copier_config config = {.mech = u->tm->host.index,
                                            .rows = cw_si__index_rows(u->tm->config),
                                            .stride = u->tm->config->dram_subarray_rows / u->tm->keys->si_versions,
                                            .regions = u->tm->keys->si_regions,
                                            .over_bus = u->tm->keys->si_copy == CW_SI_BUS};
    return cw_mem_copier(&u->tm->host.partition[u->index], &u->copy.engine, &config, err);
}

/* Banks of the range's last row set in which the partition has bytes of it: the first ones. */
static uint32_t last_banks(const struct cw_si_port *u, const struct cw_version_range *r)
{
    uint32_t banks = 0;
    while (banks < u->tm->config->dram_banks && cw_row_bank(u->tm->config, u->index, r->row + r->rows - 1, banks) < r->base + r->used)
        banks++;
    return banks;
}

void cw_si__copy_launch(struct cw_si_port *u)
{
    const struct cw_memory *memory = u->tm->host.memory;
    const uint32_t all = u->tm->config->dram_banks;
    struct cw_adapt_row_copy_engine_region region[CW_SI_RANGES];
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < cw_version_cnt(memory); i++) {
        const struct cw_version_range *r = cw_version_at(memory, i);
        const uint32_t first = cnt, groups = cw_si__index_groups(r), tail = last_banks(u, r);
        for (uint32_t group = 0; group < groups; group++) {
            const struct cw_adapt_version_index_table_region x = cw_si__index_region(u->tm->config, r, group);
            region[cnt++] = (struct cw_adapt_row_copy_engine_region){
                .first = x.first, .rows = x.end - x.first, .shift = x.shift, .stride = x.stride, .tail = all};
        }
        region[cnt - 1].rows -= tail == 0;
        region[cnt - 1].tail = tail == 0 ? all : tail;
        u->copy.regions[i] = (UINT64_MAX >> (64 - groups)) << first;
    }
    cw_copier_launch(u->copy.engine, region, cnt);
}

void cw_si__copy_begin(struct cw_si_port *u, const struct cw_si_index_note *n, cw_time now)
{
    uint64_t regions = 0;
    for (uint64_t rest = n->ranges; rest != 0; rest &= rest - 1)
        regions |= u->copy.regions[__builtin_ctzll(rest)];
    u->copy.active = true;
    u->copy.copied = false;
    u->copy.to = n->slot;
    cw_copier_start(u->copy.engine, n->from, n->slot, regions);
    cw_si__index_op(u->index_table, CW_VERSION_COPY, n->slot, now);
}

/* All rows are copied: the table and the version manager learn it. Whether the version manager has. */
static bool tell_copied(struct cw_si_port *u, cw_time now)
{
    const struct cw_si_fact_note note = {.kind = CW_SI_COPIED};
    if (!cw_si__index_settled(u->index_table, now) || !cw_fifo_can_push(&u->tm->fact[u->index].fifo, now))
        return false;
    cw_si_line_push(u->tm->fact + u->index, &note, now, u->tm->postdate);
    u->copy.active = false;
    return true;
}

bool cw_si__copy_step(struct cw_si_port *u, cw_time now)
{
    bool done;
    if (!u->copy.active)
        return false;
    if (u->copy.copied)
        return !tell_copied(u, now);
    struct cw_message *m = cw_copier_clock(u->copy.engine, cw_fifo_can_push(&u->port->to_l2, now), &done, now);
    if (m != NULL) {
        u->tm->counters->si_cleaned_lines += m->kind != CW_MSG_COPY;
        u->tm->counters->si_copies += m->kind == CW_MSG_COPY;
        cw_fifo_push(&u->port->to_l2, now, u->period, m);
    }
    if (done)
        cw_si__index_op(u->index_table, CW_VERSION_READY, u->copy.to, now);
    u->copy.copied = done;
    return done || cw_copier_busy(u->copy.engine);
}

void cw_si__copy_done(struct cw_si_port *u, struct cw_message *p)
{
    cw_copier_return(u->copy.engine, p);
}
