/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation, partition: the bulk in-memory copy unit (SI-TM section 5, step 4 of Figure 12). For a new version it walks the rows
 * of the versioned ranges that this partition has. Per row it has the L2 write back the lines of the source and drop those of the target, a
 * line per cycle, and gives the DRAM the copy. Copies of different subarrays go on in parallel.
 *
 * It copies rows that hold bytes of a range, not the rest of the range's last row set.
 */
#include "mech/snapshot/port.h"

#include "mem/address.h"
#include "mem/row.h"

void cw_si__copy_begin(struct cw_si_port *u, const struct cw_si_index_note *n, cw_time now)
{
    u->copy.active = true;
    u->copy.copied = false;
    cw_si__index_op(u->index_table, CW_VERSION_COPY, n->slot, now);
    u->copy.from = n->from;
    u->copy.to = n->slot;
    u->copy.ranges = n->ranges;
    u->copy.range = u->copy.row = u->copy.bank = u->copy.line = 0;
    u->copy.outstanding = 0;
}

/* A message for the slice about a line; addr: in the range. */
static struct cw_message *message(struct cw_si_port *u, enum cw_message_kind kind, uint64_t addr, uint32_t slot, cw_time now)
{
    struct cw_message *p = cw_mech_message(&u->tm->host, kind, 0, addr, sizeof(struct cw_copy_body), now);
    p->after = CW_AFTER_RETURN;
    p->mech = (uint8_t)(u->tm->host.index + 1);
    p->place = cw_version_place(u->tm->host.memory, addr, slot);
    return p;
}

/* The first line of the partition's row of that bank, as an address of the range; 0: the range has no bytes there. */
static uint64_t row_address(const struct cw_si_port *u, const struct cw_version_range *r)
{
    const struct cw_config *c = u->tm->config;
    const uint64_t set = cw_address_local(c, r->base) + (uint64_t)u->copy.row * c->dram_row_bytes * c->dram_banks;
    const uint32_t bank = u->copy.bank;
    /* every row has a line among the first of its group of banks */
    const uint64_t step = c->dram_map == CW_DRAM_GROUPS_LOW
                              ? bank % c->dram_bank_groups * (uint64_t)c->mem_line_bytes +
                                    bank / c->dram_bank_groups * (uint64_t)c->dram_row_bytes * c->dram_bank_groups
                              : bank % 2 * (uint64_t)c->partition_interleave + bank / 2 * (uint64_t)c->dram_row_bytes * 2;
    const uint64_t addr = cw_address_global(c, u->index, set + step);
    return addr < r->base + r->used ? addr : 0;
}

static void next_row(struct cw_si_port *u, const struct cw_version_range *r)
{
    u->copy.line = 0;
    if (++u->copy.bank < u->tm->config->dram_banks)
        return;
    u->copy.bank = 0;
    if (++u->copy.row < r->rows)
        return;
    u->copy.row = 0;
    u->copy.range++;
}

static bool finished(struct cw_si_port *u)
{
    const uint32_t cnt = cw_version_cnt(u->tm->host.memory);
    while (u->copy.range < cnt && (u->copy.ranges >> u->copy.range & 1) == 0)
        u->copy.range++;
    return u->copy.range == cnt;
}

/* One message; the rows' lines first, in pairs, then the copy. */
static void step(struct cw_si_port *u, cw_time now)
{
    const struct cw_config *c = u->tm->config;
    const struct cw_version_range *r = cw_version_at(u->tm->host.memory, u->copy.range);
    const uint32_t lines = c->dram_row_bytes / c->mem_line_bytes;
    const uint64_t row = row_address(u, r);
    struct cw_message *p;
    if (row == 0) {
        next_row(u, r);
        return;
    }
    if (u->copy.line < 2 * lines) {
        const uint64_t line = cw_row_column(c, row, u->copy.line / 2);
        const bool source = u->copy.line % 2 == 0;
        p = message(u, source ? CW_MSG_CLEAN : CW_MSG_DROP, line, source ? u->copy.from : u->copy.to, now);
        u->tm->counters->si_cleaned_lines++;
        u->copy.line++;
    } else {
        p = message(u, CW_MSG_COPY, row, u->copy.from, now);
        p->addr = p->place;
        cw_copy_body(p)->to = cw_version_place(u->tm->host.memory, row, u->copy.to);
        u->tm->counters->si_copies++;
        next_row(u, r);
    }
    u->copy.outstanding++;
    cw_fifo_push(&u->port->to_l2, now, u->period, p);
}

bool cw_si__copy_step(struct cw_si_port *u, cw_time now)
{
    if (!u->copy.active)
        return false;
    if (!finished(u)) {
        if (cw_fifo_can_push(&u->port->to_l2, now))
            step(u, now);
        return true;
    }
    if (u->copy.outstanding > 0)
        return false;
    if (!u->copy.copied)
        cw_si__index_op(u->index_table, CW_VERSION_READY, u->copy.to, now);
    u->copy.copied = true;
    if (!cw_si__index_settled(u->index_table, now) || !cw_fifo_can_push(&u->tm->fact[u->index].fifo, now))
        return true;
    const struct cw_si_fact_note note = {.kind = CW_SI_COPIED};
    cw_si_line_push(u->tm->fact + u->index, &note, now, u->tm->postdate);
    u->copy.active = false;
    return false;
}

void cw_si__copy_done(struct cw_si_port *u, struct cw_message *p)
{
    u->copy.outstanding--;
    cw_message_free(u->tm->host.pool, p);
}
