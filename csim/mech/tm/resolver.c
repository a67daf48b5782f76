/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/tm/resolver.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct cw_resolver {
    struct cw_unit_instance unit;
    struct cw_ownership_table_in in;
    struct cw_ownership_table_out out;
    bool clearing;
};

static void drive(struct cw_resolver *r, const struct cw_resolver_op *op)
{
    struct cw_ownership_table_in *in = &r->in;
    in->result_ready = 1;
    in->start_valid = op != NULL && op->start;
    in->op_valid = op != NULL && !op->start;
    if (in->start_valid)
        in->start_lanes = op->lanes;
    if (!in->op_valid)
        return;
    in->op_kind = op->kind;
    in->op_lanes = op->lanes;
    for (uint32_t rest = op->lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        in->op_addr[lane] = (uint32_t)(op->addr[lane] - CW_GLOBAL_BASE);
    }
}

struct cw_resolver_answer cw_resolver_clock(struct cw_resolver *r, struct cw_core *core, const struct cw_resolver_op *op, cw_time now)
{
    struct cw_resolver_answer answer = {0};
    drive(r, op);
    r->unit.ops->eval(r->unit.self, &r->in, &r->out);
    r->clearing &= !r->out.op_ready;
    if ((r->clearing || r->out.access || r->out.write) && !cw_core_tx_shared_access(core, now))
        return answer;
    answer.taken = (r->in.start_valid && r->out.start_ready) || (r->in.op_valid && r->out.op_ready);
    answer.cleared = !r->clearing;
    answer.over = r->out.result_valid;
    answer.lanes = (uint32_t)r->out.result_lanes;
    r->clearing |= r->in.start_valid && r->out.start_ready;
    r->unit.ops->tick(r->unit.self, &r->in);
    return answer;
}

int cw_resolver_create(struct cw_resolver **out, const struct cw_mech_host *cfg, uint32_t core, uint32_t index, struct cw_error *err)
{
    struct cw_resolver *r = *out = calloc(1, sizeof *r);
    if (r == NULL)
        return CW_ENOMEM;
    struct cw_ownership_table_params p;
    char name[64];
    cw_unit_params_default(&cw_ownership_table_unit, &p);
    uint32_t words_w = (uint32_t)__builtin_ctz(cfg->config->tm_ownership_entries) - 2; /* of four entries */
    p.bank_w = words_w > p.bank_w ? p.bank_w : words_w - 1;
    p.row_w = words_w - p.bank_w;
    snprintf(name, sizeof name, "core%u.ownership_table%u", core, index);
    return cfg->units->open(cfg->units->context, &cw_ownership_table_unit, name, &p, &r->unit, err);
}

void cw_resolver_destroy(struct cw_resolver *r)
{
    if (r == NULL)
        return;
    if (r->unit.ops != NULL)
        r->unit.ops->destroy(r->unit.self);
    free(r);
}

int cw_resolvers_create(struct cw_resolvers *s, const struct cw_mech_host *cfg, uint32_t core, struct cw_error *err)
{
    *s = (struct cw_resolvers){.core = cfg->core[core], .cnt = cfg->config->tm_resolvers, .log_rows = cfg->config->tm_log_entries};
    s->table = calloc(s->cnt, sizeof *s->table);
    int status = s->table != NULL ? CW_OK : CW_ENOMEM;
    for (uint32_t i = 0; i < s->cnt && status == CW_OK; i++)
        status = cw_resolver_create(s->table + i, cfg, core, i, err);
    return status;
}

void cw_resolvers_destroy(struct cw_resolvers *s)
{
    for (uint32_t i = 0; s->table != NULL && i < s->cnt; i++)
        cw_resolver_destroy(s->table[i]);
    free(s->table);
}

bool cw_resolvers_start(struct cw_resolvers *s, uint32_t lanes, uint32_t *table, cw_time now)
{
    const struct cw_resolver_op op = {.start = true, .lanes = lanes};
    for (uint32_t i = 0; i < s->cnt; i++) {
        if ((s->busy >> i & 1) != 0 || s->freed[i] == now)
            continue;
        bool taken = cw_resolver_clock(s->table[i], s->core, &op, now).taken;
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
    return cw_resolver_clock(s->table[table], s->core, NULL, now).cleared;
}

bool cw_resolvers_mark(struct cw_resolvers *s, const struct cw_resolvers_job *job, cw_time now)
{
    struct cw_log_walk *walk = job->walk;
    cw_log_walk_read(walk, s->core, job->warp, job->log->write_cnt, cw_redo_log_word(true, walk->read % s->log_rows, false, s->log_rows),
                     now);
    struct cw_resolver_op op = {.kind = CW_OWNERSHIP_MARK};
    bool due = walk->step < walk->back;
    if (due) {
        op.lanes = job->log->write[walk->step].lanes;
        op.addr = job->log->write[walk->step].addr;
    }
    walk->step += cw_resolver_clock(s->table[job->table], s->core, due ? &op : NULL, now).taken;
    return walk->step == job->log->write_cnt;
}

/* The row at this place of the pass over both logs, read log first. */
static struct cw_resolver_op check_op(const struct cw_redo_log *log, uint32_t row)
{
    if (row < log->read_cnt)
        return (struct cw_resolver_op){.kind = CW_OWNERSHIP_CHECK_READ, .lanes = log->read[row].lanes, .addr = log->read[row].addr};
    const struct cw_write_row *w = log->write + (row - log->read_cnt);
    return (struct cw_resolver_op){.kind = CW_OWNERSHIP_CHECK_WRITE, .lanes = w->lanes, .addr = w->addr};
}

bool cw_resolvers_check(struct cw_resolvers *s, const struct cw_resolvers_job *job, uint32_t *survivors, cw_time now)
{
    struct cw_log_walk *walk = job->walk;
    uint32_t reads = job->log->read_cnt, total = reads + job->log->write_cnt;
    bool write = walk->read >= reads;
    uint32_t row = (write ? walk->read - reads : walk->read) % s->log_rows;
    cw_log_walk_read(walk, s->core, job->warp, total, cw_redo_log_word(write, row, false, s->log_rows), now);
    struct cw_resolver_op op = {.kind = CW_OWNERSHIP_END};
    bool due = walk->step < walk->back || walk->step == total;
    if (walk->step < walk->back)
        op = check_op(job->log, walk->step);
    struct cw_resolver_answer a = cw_resolver_clock(s->table[job->table], s->core, due ? &op : NULL, now);
    walk->step += a.taken;
    if (!a.over)
        return false;
    *survivors = a.lanes;
    s->busy &= ~(UINT64_C(1) << job->table);
    s->freed[job->table] = now;
    return true;
}
