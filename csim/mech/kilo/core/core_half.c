/* SPDX-License-Identifier: Apache-2.0 */
/* Kilo TM family, core half: the sockets of the core. Begin, accesses and messages are here, commit is in commit.c. What other
 * systems do as well is in mech/tm/core_half.c. */
#include <stdlib.h>
#include <string.h>

#include "mech/kilo/core/core_half.h"

/* Begin */

static bool begin(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_kilo_core *c = self;
    if (!cw_tm_core_token(&c->half, warp, now))
        return false;
    c->warp[warp].paused = 0;
    cw_tm_core_admit(&c->half, warp, lanes, now);
    return true;
}

/* Accesses */

static bool access(void *self, struct cw_mem_inst *inst, cw_time now)
{
    struct cw_kilo_core *c = self;
    struct cw_tm_access *a = cw_tm_core_access(&c->half, inst);
    if (a == NULL)
        return false;
    if (a->unsent == 0 || c->hooks->pause == NULL || !c->hooks->pause(c, a, now))
        cw_access_go(&c->half.access, a);
    return true;
}

static uint32_t request(void *self, const struct cw_tm_access *a, struct cw_message *p)
{
    struct cw_kilo_core *c = self;
    if (c->first_read != NULL)
        cw_adapt_first_read_table_load(c->first_read, a->warp, p->lanes, p->born);
    return 0;
}

static bool grow_stamps(struct cw_kilo_warp *own, const struct cw_redo_log *log)
{
    if (own->stamp_cap >= log->read_cap)
        return true;
    void *moved = realloc(own->stamp, log->read_cap * sizeof *own->stamp);
    if (moved == NULL)
        return false;
    own->stamp = moved;
    own->stamp_cap = log->read_cap;
    return true;
}

/* Logs a load with the values that it saw, for validation. */
static int log_load(void *self, const struct cw_tm_access *a, cw_lanes lanes)
{
    struct cw_kilo_core *c = self;
    struct cw_kilo_warp *own = c->warp + a->warp;
    struct cw_redo_log *log = &c->half.warp[a->warp].log;
    const struct cw_kilo_load *l = c->load + cw_access_index(&c->half.access, a);
    uint32_t row = log->read_cnt, words = cw_inst_words(a->inst);
    struct cw_read_row *r = cw_redo_log_read_rows(log, words);
    if (r == NULL || !grow_stamps(own, log))
        return CW_ENOMEM;
    for (uint32_t i = 0; i < words; i++) {
        r[i].lanes = lanes;
        for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest)) {
            uint32_t lane = cw_lanes_first(rest);
            r[i].addr[lane] = (a->inst->addr[lane] & ~UINT64_C(3)) + 4 * i;
            r[i].value[lane] = l->word[lane][i];
            own->stamp[row + i][lane] = l->stamp[lane];
            *cw_kilo__readers(c, r[i].addr[lane]) += c->tm->system->early;
        }
    }
    return CW_OK;
}

/* Replies */

/* One last-written time for all lanes, or each its own. */
static void tell_first_read(struct cw_kilo_core *c, uint32_t warp, const struct cw_message *p)
{
    if (!cw_kilo_tcd_by_lane(c->tm)) {
        cw_adapt_first_read_table_reply(c->first_read, warp, p->lanes, cw_kilo_access_of(p)->stamp);
        return;
    }
    for (cw_lanes rest = p->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
        cw_adapt_first_read_table_reply(c->first_read, warp, cw_lanes_one(lane), cw_kilo_access_of(p)->time[lane]);
    }
}

static void take_reply(struct cw_kilo_core *c, const struct cw_message *p)
{
    struct cw_tm_access *a = c->half.access.pool + p->tag;
    struct cw_kilo_load *l = c->load + p->tag;
    uint32_t words = cw_inst_words(a->inst);
    cw_access_take_values(a, p);
    for (cw_lanes rest = p->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
        memcpy(l->word[lane], cw_line_body_of(p)->data + (cw_tx_access_of(p)->lane_offset[lane] & ~3u), words * sizeof l->word[lane][0]);
        l->stamp[lane] = cw_kilo_access_of(p)->stamp;
    }
    if (c->first_read != NULL)
        tell_first_read(c, a->warp, p);
    cw_access_replied(&c->half.access, a);
}

static void reply(void *self, struct cw_message *p, cw_time now)
{
    struct cw_kilo_core *c = self;
    if (p->op == CW_KILO_LOADED)
        take_reply(c, p);
    else if (p->op == CW_KILO_VERDICT)
        cw_kilo__verdict(c, p, now);
    else if (p->op == CW_KILO_ACK)
        cw_kilo__ack(c, p);
    else if (p->op == CW_KILO_RESEND)
        cw_kilo__resend(c, p);
    else
        cw_kilo__news(c, p, now);
    cw_message_free(c->tm->host.pool, p);
}

/* The core's cycle */

/* What comes before the committing warps. Of what is left for the next cycle, tick knows more when they have been through theirs. */
static cw_time before(void *self, cw_time now)
{
    struct cw_kilo_core *c = self;
    if (now >= c->watchdog && c->hooks->watchdog != NULL)
        c->hooks->watchdog(c, now);
    if (c->asking > 0)
        cw_kilo__take_grants(c, now);
    if (c->resend_ring.cnt > 0)
        cw_kilo__resend_step(c, now);
    return c->probing_cnt > 0 && cw_kilo__probe_tick(c, now) ? now + c->half.period : CW_TIME_NEVER;
}

static cw_time tick(void *self, cw_time now)
{
    struct cw_kilo_core *c = self;
    if (c->hooks->follow != NULL)
        c->hooks->follow(c, now);
    const cw_time next = cw_tm_core_tick(&c->half, now);
    const bool table = c->first_read != NULL && cw_adapt_first_read_table_clock(c->first_read);
    if (table || c->asking > 0 || c->resend_ring.cnt > 0)
        return now + c->half.period;
    const cw_time resume = c->cat != NULL ? cw_kilo__resume_next(c, now) : CW_TIME_NEVER;
    return resume < next ? resume : next;
}

static bool idle(const void *self)
{
    const struct cw_kilo_core *c = self;
    return cw_tm_core_idle(&c->half) && c->asking == 0 && (c->cat == NULL || !cw_adapt_conflict_address_table_busy(c->cat));
}

static void report(const void *self, uint32_t warp, FILE *out)
{
    const struct cw_kilo_core *c = self;
    const struct cw_kilo_warp *own = c->warp + warp;
    if (c->half.warp[warp].phase == CW_KILO_ANSWER)
        fprintf(out, "; commit IDs from %llu, lanes 0x%08x undecided, %u acknowledgements missing", (unsigned long long)own->first_id,
                (unsigned)own->undecided, own->acks);
}

const struct cw_core_sockets cw_kilo_core_sockets = {.region_begin = begin,
                                                     .region_access = access,
                                                     .region_end = cw_tm_core_commit,
                                                     .message = reply,
                                                     .log_done = cw_tm_core_log_done,
                                                     .tick = tick,
                                                     .idle = idle,
                                                     .report = cw_tm_core_report};

/* Where an arbiter decides there is no watchdog: what cannot commit any more hears of it, and aborts. */
#define VALIDATED .watchdog = cw_kilo__watchdog, .granted = cw_kilo__granted, .await = cw_kilo__await_verdicts
static const struct cw_kilo_core_hooks hooks[] = {
    [CW_KILO_TM] = {VALIDATED},
    [CW_KILO_WARPTM] = {VALIDATED},
    [CW_KILO_EAPG] = {VALIDATED, .follow = cw_kilo__resume, .pause = cw_kilo__pause},
    [CW_KILO_EL] = {.follow = cw_kilo__follow, .granted = cw_kilo__decided_sends, .await = cw_kilo__await_ack},
    [CW_KILO_IDEAL] = {.follow = cw_kilo__follow, .granted = cw_kilo__decided, .await = cw_kilo__await_ack}};

static const char *const phases[] = {CW_KILO_PHASES(CW_TM_PHASE_TEXT)};
static const struct cw_tm_core_ops ops = {.access = {.request = request, .log_load = log_load},
                                          .phases = phases,
                                          .begun = cw_kilo__begun,
                                          .before = before,
                                          .advance = cw_kilo__commit_advance,
                                          .log_message = cw_kilo__log_message,
                                          .log_offset = offsetof(struct cw_kilo_log_body, log),
                                          .report = report};

int cw_kilo__core_create(struct cw_kilo_core **out, struct cw_kilo *tm, uint32_t index, struct cw_error *err)
{
    const struct cw_config *config = tm->config;
    const struct cw_tm_core_options options = {.body = cw_kilo_tcd_by_lane(tm) ? &cw_kilo_access_type : &cw_kilo_access_line_type,
                                               .idealised = tm->system->idealised,
                                               .has_resolvers = tm->resolution == CW_KILO_2PCR};
    struct cw_kilo_core *c = *out = calloc(1, sizeof *c);
    if (c == NULL)
        return CW_ENOMEM;
    c->tm = tm;
    c->hooks = hooks + tm->kind;
    c->warp = calloc(config->core_warps, sizeof *c->warp);
    c->load = calloc(CW_ACCESSES, sizeof *c->load);
    const uint32_t table_bytes = tm->common.keys->tm_ownership_entries, filter_bytes = tm->keys->warptm_scr_bits / 8;
    c->table = malloc(table_bytes > filter_bytes ? table_bytes : filter_bytes);
    if (c->warp == NULL || c->load == NULL || c->table == NULL)
        return CW_ENOMEM;
    if (c->hooks->pause != NULL) {
        const struct cw_adapt_conflict_address_table_config cat = {.units = tm->host.units,
                                                                   .core = index,
                                                                   .banks = tm->keys->eapg_cat_banks,
                                                                   .entries = tm->keys->eapg_cat_entries,
                                                                   .memory_base = CW_GLOBAL_BASE};
        const int status = cw_adapt_conflict_address_table_create(&c->cat, &cat, err);
        if (status != CW_OK)
            return status;
    }
    if (tm->tcd != CW_KILO_TCD_OFF) {
        int status = cw_adapt_first_read_table_create(&c->first_read, tm->host.units, index, config->core_warps, tm->keys->tcd_ports, err);
        if (status != CW_OK)
            return status;
    }
    return cw_tm_core_create(&c->half, &tm->common, index, &ops, &options, err);
}

void cw_kilo__core_destroy(struct cw_kilo_core *c)
{
    if (c == NULL)
        return;
    for (uint32_t i = 0; c->warp != NULL && i < c->tm->config->core_warps; i++)
        free(c->warp[i].stamp);
    cw_tm_core_destroy(&c->half);
    free(c->warp);
    free(c->load);
    free(c->table);
    cw_adapt_first_read_table_destroy(c->first_read);
    cw_adapt_conflict_address_table_destroy(c->cat);
    free(c);
}
