/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/tm/core_half.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mech/tm/attempt.h"
#include "mem/address.h"

/* Begin */

void cw_tm_core_wake_next(struct cw_tm_core *h, cw_time now)
{
    if (!h->closed)
        cw_tokens_wake_next(&h->tokens, h->core, now);
}

bool cw_tm_core_token(struct cw_tm_core *h, uint32_t warp, cw_time now)
{
    struct cw_tm_warp *w = h->warp + warp;
    if (w->phase == CW_TM_IDLE) {
        w->phase = CW_TM_TOKEN;
        w->waiting = now;
    }
    if (h->closed) {
        cw_tokens_wait(&h->tokens, warp);
        return false;
    }
    if (!cw_tokens_take(&h->tokens, warp))
        return false;
    cw_tm_core_wake_next(h, now);
    return true;
}

void cw_tm_core_begin(struct cw_tm_core *h, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_tm_warp *w = h->warp + warp;
    w->phase = CW_TM_RUN;
    w->lanes = lanes;
    w->aborted = w->ready = 0;
    w->begun = now;
    if (h->ops->begun != NULL)
        h->ops->begun(h, warp, now);
    cw_redo_log_clear(&w->log);
    cw_tell_lanes(h->common->host, CW_EVENT_REGION_BEGIN, cw_tm_core_name(h, warp), lanes, now);
}

void cw_tm_core_admit(struct cw_tm_core *h, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_tm_warp *w = h->warp + warp;
    cw_attempt_admit(h->common, lanes, h->tokens.used, w->waiting, now);
    w->tx_lanes = lanes;
    w->aborts = 0;
    w->done = now;
    cw_tm_core_begin(h, warp, lanes, now);
}

/* The attempt */

struct cw_tm_access *cw_tm_core_access(struct cw_tm_core *h, struct cw_mem_inst *inst)
{
    const struct cw_tm_warp *w = h->warp + inst->warp;
    assert(w->phase == CW_TM_RUN);
    return cw_access_take(&h->access, inst, h->closed ? 0 : inst->lanes & cw_tm_running(w));
}

void cw_tm_core_abort(struct cw_tm_core *h, uint32_t warp, cw_lanes lanes, const char *cause, uint64_t *by_cause, cw_time now)
{
    struct cw_tm_warp *w = h->warp + warp;
    assert(cw_lanes_without(lanes, cw_tm_running(w)) == 0);
    if (lanes == 0)
        return;
    w->aborted |= lanes;
    cw_attempt_aborted(h->common, lanes, cw_attempt_cycles(h->common, h->warp[warp].begun, now), by_cause);
    cw_tell_aborts(h->common->host, cw_tm_core_name(h, warp), lanes, cause, now);
    cw_core_region_abort(h->core, warp, lanes);
}

/* The commit */

void cw_tm_core_list(struct cw_tm_core *h, uint32_t warp)
{
    if (h->warp[warp].listed)
        return;
    h->warp[warp].listed = true;
    h->list[h->list_cnt++] = (uint8_t)warp;
}

void cw_tm_core_commit(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_tm_core *h = self;
    struct cw_tm_warp *w = h->warp + warp;
    assert(w->phase == CW_TM_RUN && h->access.warp[warp].accesses == 0 && lanes == cw_tm_running(w));
    h->common->counters->tx_exec_cycles += cw_attempt_cycles(h->common, w->begun, now);
    w->phase = CW_TM_DRAIN;
    w->ready = lanes;
    w->ended = now;
    cw_tm_core_list(h, warp);
}

bool cw_tm_core_must_resolve(const struct cw_tm_warp *w)
{
    return cw_lanes_count(w->ready) >= 2 && w->log.write_cnt > 0;
}

bool cw_tm_core_resolve(struct cw_tm_core *h, uint32_t warp, cw_lanes *losers, cw_time now)
{
    struct cw_tm_warp *w = h->warp + warp;
    const struct cw_resolvers_job job = {.warp = warp, .table = w->resolver, .log = &w->log, .walk = &w->walk};
    cw_lanes survivors;
    if (w->phase == CW_TM_QUEUE && cw_resolvers_start(&h->resolvers, w->ready, &w->resolver, now)) {
        cw_tm_core_enter(w, CW_TM_CLEAR);
    } else if (w->phase == CW_TM_CLEAR && cw_resolvers_clear(&h->resolvers, w->resolver, now)) {
        cw_tm_core_enter(w, CW_TM_MARK);
    } else if (w->phase == CW_TM_MARK && cw_resolvers_mark(&h->resolvers, &job, now)) {
        cw_tm_core_enter(w, CW_TM_CHECK);
    } else if (w->phase == CW_TM_CHECK && cw_resolvers_check(&h->resolvers, &job, &survivors, now)) {
        *losers = cw_lanes_without(w->ready, survivors);
        w->ready = survivors;
        return true;
    }
    return false;
}

bool cw_tm_core_walk(struct cw_tm_core *h, uint32_t warp, uint32_t read_rows, uint32_t write_rows, cw_time now)
{
    struct cw_log_walk *walk = &h->warp[warp].walk;
    const uint32_t row = walk->read / 2, max = h->common->keys->tm_log_entries;
    const bool write = row >= read_rows;
    const uint32_t word = cw_redo_log_word(write, (write ? row - read_rows : row) % max, walk->read % 2 != 0, max);
    cw_log_walk_read(walk, h->core, warp, 2 * (read_rows + write_rows), word, now);
    return walk->step < walk->back / 2;
}

void cw_tm_core_emit(struct cw_tm_core *h, uint32_t warp, struct cw_message *p)
{
    p->core = (uint16_t)h->index;
    p->attempt = cw_core_attempt(h->core, warp);
    cw_access_emit(&h->access, warp, p);
}

void cw_tm_core_clear_touched(struct cw_tm_core *h, uint32_t warp)
{
    struct cw_tm_warp *w = h->warp + warp;
    memset(w->touched, 0, 2 * h->common->host->config->partition_count * sizeof *w->touched); /* and wrote */
}

static struct cw_tx_log_body *log_of(const struct cw_tm_core *h, struct cw_message *p)
{
    return (struct cw_tx_log_body *)(void *)(p->body + h->ops->log_offset);
}

void cw_tm_core_send_row(struct cw_tm_core *h, uint32_t warp, uint32_t read_rows, cw_lanes lanes, cw_time now)
{
    const struct cw_config *config = h->common->host->config;
    struct cw_tm_warp *w = h->warp + warp;
    const uint32_t row = w->walk.step++;
    const bool write = row >= read_rows;
    const struct cw_read_row *r = write ? NULL : w->log.read + row;
    const struct cw_write_row *s = write ? w->log.write + (row - read_rows) : NULL;
    struct cw_message *to[CW_TM_PARTITIONS] = {0};
    for (cw_lanes rest = lanes & (write ? s->lanes : r->lanes); rest != 0; rest = cw_lanes_rest(rest)) {
        const uint32_t lane = cw_lanes_first(rest);
        const uint64_t addr = write ? s->addr[lane] : r->addr[lane];
        const uint32_t part = cw_address_partition(config, addr);
        if (to[part] == NULL) {
            to[part] = h->ops->log_message(h, warp, write, part, now);
            log_of(h, to[part])->cnt = 0;
        }
        struct cw_tx_log_body *log = log_of(h, to[part]);
        log->entry[log->cnt++] = (struct cw_log_entry){
            .addr = addr, .value = write ? s->value[lane] : r->value[lane], .bytes = write ? s->bytes[lane] : 15, .lane = (uint8_t)lane};
        w->touched[part] |= cw_lanes_one(lane);
        if (write)
            w->wrote[part] |= cw_lanes_one(lane);
    }
    for (uint32_t part = 0; part < config->partition_count; part++)
        if (to[part] != NULL) {
            cw_message_size(to[part], 8 * log_of(h, to[part])->cnt, config->noc_header_bytes, config->noc_flit_bytes);
            cw_tm_core_emit(h, warp, to[part]);
        }
}

void cw_tm_core_committed(struct cw_tm_core *h, const struct cw_tm_warp *w, cw_lanes lanes, uint32_t words, uint32_t read_only)
{
    struct cw_tm_counters *counters = h->common->counters;
    for (uint32_t i = 0; i < w->log.read_cnt; i++)
        counters->tx_read_words += cw_lanes_count(w->log.read[i].lanes & lanes);
    counters->tx_write_words += words;
    counters->tx_read_only += read_only;
    counters->tx_committed += cw_lanes_count(lanes);
    *h->common->host->progress += cw_lanes_count(lanes);
}

void cw_tm_core_seal(struct cw_tm_core *h, uint32_t warp, cw_lanes lanes, cw_time now)
{
    const struct cw_mech_host *host = h->common->host;
    const struct cw_tm_warp *w = h->warp + warp;
    struct cw_write_set set = {0};
    uint32_t words = 0, read_only = 0;
    for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        const cw_lanes lane = cw_lanes_one(cw_lanes_first(rest));
        cw_write_set_clear(&set);
        if (cw_write_set_merge(&set, &w->log, lane, CW_GLOBAL_BASE, 5) != CW_OK)
            cw_mech_fault(host, CW_ENOMEM, "out of host memory for a write set");
        words += set.word_cnt;
        read_only += set.word_cnt == 0;
        cw_tell_commits(host, cw_tm_core_name(h, warp), lane, &set, now);
    }
    cw_write_set_free(&set);
    cw_tm_core_committed(h, w, lanes, words, read_only);
}

cw_lanes cw_tm_core_end(struct cw_tm_core *h, uint32_t warp, cw_time now)
{
    struct cw_tm_warp *w = h->warp + warp;
    const cw_lanes again = cw_core_region_aborted(h->core, warp);
    cw_attempt_end(h->common, w->tx_lanes, w->lanes, w->begun, w->ended, now);
    w->done = now;
    if (again != 0) {
        w->aborts++;
        return again;
    }
    w->phase = CW_TM_IDLE;
    w->listed = false;
    cw_tokens_release(&h->tokens);
    cw_core_region_end(h->core, warp, now, now);
    cw_tm_core_wake_next(h, now);
    return 0;
}

void cw_tm_core_restart(struct cw_tm_core *h, uint32_t warp, uint64_t delay_cycles, cw_time now)
{
    struct cw_tm_warp *w = h->warp + warp;
    h->common->counters->tx_backoff_cycles += delay_cycles;
    cw_attempt_waited(h->common, (uint32_t)w->tx_lanes, delay_cycles + cw_attempt_cycles(h->common, w->done, now));
    w->done = now + delay_cycles * h->period;
    w->listed = false;
    cw_core_region_end(h->core, warp, now, w->done); /* first: it gives the next attempt its number */
    cw_tm_core_begin(h, warp, w->aborted, w->done);
}

/* Sockets of the core */

bool cw_tm_core_region_begin(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    if (!cw_tm_core_token(self, warp, now))
        return false;
    cw_tm_core_admit(self, warp, lanes, now);
    return true;
}

bool cw_tm_core_region_access(void *self, struct cw_mem_inst *inst, cw_time now)
{
    struct cw_tm_core *h = self;
    struct cw_tm_access *a = cw_tm_core_access(h, inst);
    (void)now;
    if (a != NULL)
        cw_access_go(&h->access, a);
    return a != NULL;
}

void cw_tm_core_log_done(void *self, uint32_t warp, uint32_t cookie, cw_time now)
{
    struct cw_tm_core *h = self;
    (void)now;
    if (cookie & CW_LOG_COOKIE_RESOLVE)
        h->warp[warp].walk.back++;
    else
        cw_access_log_done(&h->access, warp, cookie);
}

/* A cycle of all warps of the list, which leave it when they are done. Nobody joins it meanwhile. */
static cw_time advance_all(struct cw_tm_core *h, cw_time now)
{
    cw_time (*const advance)(void *self, uint32_t warp, cw_time now) = h->ops->advance;
    struct cw_tm_warp *const warps = h->warp;
    const uint32_t cnt = h->list_cnt;
    cw_time next = CW_TIME_NEVER;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cnt; i++) {
        const uint32_t warp = h->list[i];
        if (!warps[warp].asleep)
            next = cw_time_min(next, advance(h, warp, now));
        if (warps[warp].listed)
            h->list[kept++] = (uint8_t)warp;
    }
    h->list_cnt = kept;
    return next;
}

cw_time cw_tm_core_tick(void *self, cw_time now)
{
    struct cw_tm_core *h = self;
    struct cw_accesses *q = &h->access;
    if (q->done.first != NULL)
        cw_access_retire(q, now);
    cw_log_port_tick(&q->log, h->core, now);
    cw_time next = h->ops->before != NULL ? h->ops->before(h, now) : CW_TIME_NEVER;
    if (h->list_cnt > 0)
        next = cw_time_min(next, advance_all(h, now));
    if (q->message_first != NULL || q->spare != NULL || q->send.first != NULL)
        cw_access_send(q, now);
    return cw_accesses_busy(q) ? cw_time_min(next, now + h->period) : next;
}

bool cw_tm_core_idle(const void *self)
{
    const struct cw_tm_core *h = self;
    for (uint32_t i = 0; i < h->common->host->config->core_warps; i++)
        if (h->warp[i].phase != CW_TM_IDLE)
            return false;
    return !h->closed && cw_accesses_idle(&h->access);
}

/* Accesses of the warp that wait for memory. */
static void report_accesses(const struct cw_tm_core *h, uint32_t warp, FILE *out)
{
    for (uint32_t k = 0; h->access.warp[warp].accesses > 0 && k < CW_ACCESSES; k++) {
        const struct cw_tm_access *a = h->access.pool + k;
        if (a->inst != NULL && a->warp == warp && a->packets > 0)
            fprintf(out, "; waits for %u replies to the %s of PTX line %u", a->packets, a->store ? "store" : "load", a->inst->uop->line);
    }
}

void cw_tm_core_report(const void *self, FILE *out)
{
    static const char *const phases[] = {CW_TM_PHASES(CW_TM_PHASE_TEXT)};
    const struct cw_tm_core *h = self;
    for (uint32_t i = 0; i < h->common->host->config->core_warps; i++) {
        const struct cw_tm_warp *w = h->warp + i;
        if (w->phase == CW_TM_IDLE)
            continue;
        fprintf(out, "core %u warp %u: transaction %s; lanes 0x%08x, aborted 0x%08x, attempt %u", h->index, i,
                w->phase < CW_TM_PHASE_CNT ? phases[w->phase] : h->ops->phases[w->phase - CW_TM_PHASE_CNT], (uint32_t)w->lanes,
                (uint32_t)w->aborted, w->aborts + 1);
        if (h->ops->report != NULL)
            h->ops->report(h, i, out);
        report_accesses(h, i, out);
        fprintf(out, "\n");
    }
}

/* Creation */

int cw_tm_core_create(struct cw_tm_core *h, const struct cw_tm_common *common, uint32_t index, const struct cw_tm_core_ops *ops,
                      const struct cw_tm_core_options *options, struct cw_error *err)
{
    const struct cw_mech_host *host = common->host;
    *h = (struct cw_tm_core){.common = common,
                             .ops = ops,
                             .core = host->core[index],
                             .index = index,
                             .period = host->clocks->period[CW_DOMAIN_CORE],
                             .tokens.limit = common->keys->tm_warps};
    cw_rng_seed(&h->rng, host->seed ^ ((uint64_t)index + 1) << 32);
    h->access = (struct cw_accesses){.common = common,
                                     .core = h->core,
                                     .ops = &ops->access,
                                     .self = h,
                                     .body = options->body,
                                     .stores_ask = options->stores_ask,
                                     .idealised = options->idealised};
    h->warp = calloc(host->config->core_warps, sizeof *h->warp);
    if (cw_accesses_create(&h->access) != CW_OK || h->warp == NULL)
        return CW_ENOMEM;
    const uint32_t partitions = host->config->partition_count;
    h->touched = ops->log_message != NULL ? calloc(2 * (size_t)partitions * host->config->core_warps, sizeof *h->touched) : NULL;
    if (h->touched == NULL && ops->log_message != NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < host->config->core_warps; i++) {
        h->access.warp[i].log = &h->warp[i].log;
        h->warp[i].touched = h->touched != NULL ? h->touched + 2 * (size_t)partitions * i : NULL;
        h->warp[i].wrote = h->touched != NULL ? h->warp[i].touched + partitions : NULL;
    }
    return options->has_resolvers ? cw_resolvers_create(&h->resolvers, common, index, err) : CW_OK;
}

void cw_tm_core_destroy(struct cw_tm_core *h)
{
    if (h->common == NULL)
        return;
    for (uint32_t i = 0; h->warp != NULL && i < h->common->host->config->core_warps; i++)
        cw_redo_log_free(&h->warp[i].log);
    cw_accesses_destroy(&h->access);
    free(h->warp);
    free(h->touched);
    cw_resolvers_destroy(&h->resolvers);
}
