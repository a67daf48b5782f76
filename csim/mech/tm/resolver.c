/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/tm/resolver.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "adapt/ownership_table.h"

static bool take_banks(void *context, cw_time now)
{
    return cw_core_take_shared(context, now);
}

int cw_resolvers_create(struct cw_resolvers *s, const struct cw_tm_common *common, uint32_t core, struct cw_error *err)
{
    *s = (struct cw_resolvers){
        .core = common->host->core[core], .cnt = common->keys->tm_resolvers, .log_rows = common->keys->tm_log_entries};
    s->table = calloc(s->cnt, sizeof *s->table);
    int status = s->table != NULL ? CW_OK : CW_ENOMEM;
    const struct cw_adapt_ownership_table_banks banks = {.take = take_banks, .context = s->core};
    for (uint32_t i = 0; i < s->cnt && status == CW_OK; i++) {
        char name[64];
        snprintf(name, sizeof name, "core%u.ownership_table%u", core, i);
        status = cw_adapt_ownership_table_create(s->table + i, common->host->units, name, common->keys->tm_ownership_entries,
                                                 CW_GLOBAL_BASE, &banks, err);
    }
    return status;
}

void cw_resolvers_destroy(struct cw_resolvers *s)
{
    for (uint32_t i = 0; s->table != NULL && i < s->cnt; i++)
        cw_adapt_ownership_table_destroy(s->table[i]);
    free(s->table);
}

bool cw_resolvers_start(struct cw_resolvers *s, cw_lanes lanes, uint32_t *table, cw_time now)
{
    const struct cw_adapt_ownership_table_op op = {.start = true, .lanes = lanes};
    for (uint32_t i = 0; i < s->cnt; i++) {
        if ((s->busy >> i & 1) != 0 || s->freed[i] == now)
            continue;
        bool taken = cw_adapt_ownership_table_clock(s->table[i], &op, now).taken;
        assert(taken);
        (void)taken;
        s->busy |= UINT64_C(1) << i;
        *table = i;
        return true;
    }
    return false;
}

bool cw_resolvers_clear(struct cw_resolvers *s, uint32_t table, cw_time now)
{
    return cw_adapt_ownership_table_clock(s->table[table], NULL, now).cleared;
}

bool cw_resolvers_mark(struct cw_resolvers *s, const struct cw_resolvers_job *job, cw_time now)
{
    struct cw_log_walk *walk = job->walk;
    cw_log_walk_read(walk, s->core, job->warp, job->log->write_cnt, cw_redo_log_word(true, walk->read % s->log_rows, false, s->log_rows),
                     now);
    struct cw_adapt_ownership_table_op op = {.kind = CW_OWNERSHIP_MARK};
    bool due = walk->step < walk->back;
    if (due) {
        op.lanes = job->log->write[walk->step].lanes;
        op.addr = job->log->write[walk->step].addr;
    }
    walk->step += cw_adapt_ownership_table_clock(s->table[job->table], due ? &op : NULL, now).taken;
    return walk->step == job->log->write_cnt;
}

/* The row at this place of the pass over both logs, read log first. */
static struct cw_adapt_ownership_table_op check_op(const struct cw_redo_log *log, uint32_t row)
{
    if (row < log->read_cnt)
        return (struct cw_adapt_ownership_table_op){
            .kind = CW_OWNERSHIP_CHECK_READ, .lanes = log->read[row].lanes, .addr = log->read[row].addr};
    const struct cw_write_row *w = log->write + (row - log->read_cnt);
    return (struct cw_adapt_ownership_table_op){.kind = CW_OWNERSHIP_CHECK_WRITE, .lanes = w->lanes, .addr = w->addr};
}

bool cw_resolvers_check(struct cw_resolvers *s, const struct cw_resolvers_job *job, cw_lanes *survivors, cw_time now)
{
    struct cw_log_walk *walk = job->walk;
    uint32_t reads = job->log->read_cnt, total = reads + job->log->write_cnt;
    bool write = walk->read >= reads;
    uint32_t row = (write ? walk->read - reads : walk->read) % s->log_rows;
    cw_log_walk_read(walk, s->core, job->warp, total, cw_redo_log_word(write, row, false, s->log_rows), now);
    struct cw_adapt_ownership_table_op op = {.kind = CW_OWNERSHIP_END};
    bool due = walk->step < walk->back || walk->step == total;
    if (walk->step < walk->back)
        op = check_op(job->log, walk->step);
    struct cw_adapt_ownership_table_answer a = cw_adapt_ownership_table_clock(s->table[job->table], due ? &op : NULL, now);
    walk->step += a.taken;
    if (!a.over)
        return false;
    *survivors = a.lanes;
    s->busy &= ~(UINT64_C(1) << job->table);
    s->freed[job->table] = now;
    return true;
}
