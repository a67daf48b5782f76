/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of Kilo TM's commit-unit control (contract: include/cowarp/unit/commit_unit.h). Inside, commit IDs are numbers that never
 * roll over; they are cut to their width where they leave, and taken as the number within the window where they enter.
 *
 * A clock is three steps, all of which look at the state at its start: the pointers decide whether they move (decide), the events of the
 * clock before are judged (judge), and the events of this clock are kept for the next one (take). Then the pointers move.
 */
#include "cowarp/unit/commit_unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/state.h"

typedef struct cw_commit_unit_in commit_in;
typedef struct cw_commit_unit_out commit_out;

#define REPORTS 3 /* places of the queue of reports */

struct entry {
    bool used, skip, reads, writes; /* messages: any; SKIP, or what DONE has said */
    bool decided, commit;           /* the core's outcome */
    bool answered, pass, renewed;   /* speculative validation and its result; revalidation */
    bool detected, hazard;          /* the hazard unit has answered */
    bool reported, reported_pass;
    bool written; /* the write-back has ended */
    int64_t rcid, ycid;
};

struct message {
    bool valid, in_range;
    uint32_t kind, lanes, reads, writes, pass;
    int64_t cid;
};

/* An answer that is judged in the next clock. yes: hazard, passed. */
struct answer {
    bool valid, in_range, again, yes;
    int64_t cid, ycid;
};

struct offer {
    bool valid, yes; /* yes: ret_commit, rep_pass */
    int64_t cid, rcid;
};

struct commit {
    struct cw_commit_unit_params p;
    uint64_t cid_mask, places; /* places: of the array, a power of two */
    uint32_t lane_mask;
    int64_t oldest, at_commit, at_pass, at_hazard; /* the pointers */
    struct message message;
    struct answer hazard, validation, write_back;
    struct offer haz, rev, com, ret; /* the pointers' registers */
    struct offer report[REPORTS];    /* the oldest first */
    uint32_t report_cnt;
    bool waiting, active, illegal;
    struct entry *ring;
};

/* What the pointers do in a clock. */
struct moves {
    bool hazard, pass, commit, retire;
};

static void begin_empty(struct commit *c)
{
    struct entry *ring = c->ring;
    const struct cw_commit_unit_params p = c->p;
    uint64_t places = c->places;
    memset(ring, 0, places * sizeof *ring);
    *c = (struct commit){
        .p = p, .cid_mask = (UINT64_C(1) << p.cid_w) - 1, .lane_mask = UINT32_MAX >> (32 - p.lanes), .places = places, .ring = ring};
}

static void commit_reset(void *self)
{
    begin_empty(self);
}

static void commit_destroy(void *self)
{
    struct commit *c = self;
    free(c->ring);
    free(c);
}

static int commit_create(void **self, const void *params)
{
    const struct cw_commit_unit_params *p = params;
    if (cw_unit_params_check(&cw_commit_unit_unit, p, NULL) != CW_OK || (uint64_t)p->entries + p->lanes > UINT64_C(1) << p->cid_w ||
        !cw_is_power_of_two(p->lanes))
        return CW_EINVAL;
    struct commit *c = calloc(1, sizeof *c);
    if (c == NULL)
        return CW_ENOMEM;
    c->p = *p;
    for (c->places = 1; c->places < p->entries; c->places *= 2)
        ;
    c->ring = calloc(c->places, sizeof *c->ring);
    if (c->ring == NULL) {
        commit_destroy(c);
        return CW_ENOMEM;
    }
    begin_empty(c);
    *self = c;
    return CW_OK;
}

static inline struct entry *entry_of(const struct commit *c, int64_t cid)
{
    return &c->ring[(uint64_t)cid & (c->places - 1)];
}

/* The CID at or above the oldest that has these low bits. */
static int64_t cid_from(const struct commit *c, uint64_t bits)
{
    return c->oldest + (int64_t)((bits - (uint64_t)c->oldest) & c->cid_mask);
}

static bool in_window(const struct commit *c, int64_t cid)
{
    return cid < c->oldest + (int64_t)c->p.entries;
}

static uint64_t bits_of(const struct commit *c, int64_t cid)
{
    return (uint64_t)cid & c->cid_mask;
}

/* The last CID that a message is about. */
static int64_t last_of(const struct message *m)
{
    return m->cid + (m->lanes != 0 ? 31 - __builtin_clz(m->lanes) : 0);
}

static bool is_filled(const struct entry *e)
{
    return e->skip || e->reads || e->writes;
}

static bool has_passed(const struct entry *e)
{
    return !e->reads || e->pass;
}

static bool is_decided(const struct commit *c, const struct entry *e)
{
    return e->decided || (!c->p.fail_waits && e->reported && !e->reported_pass);
}

static bool wants_write_back(const struct entry *e)
{
    return e->commit && e->writes;
}

/* Decisions of the pointers. free: a pointer's register can take an entry. */

static bool is_free(const struct offer *o, uint64_t ready)
{
    return !o->valid || ready;
}

/* The entry at the pass pointer is validated, and the hazard unit has answered. */
static bool is_judged(const struct commit *c)
{
    const struct entry *e = entry_of(c, c->at_pass);
    return c->at_pass < c->at_hazard && !e->skip && (!e->reads || e->answered) && e->detected;
}

static bool has_hazard(const struct commit *c)
{
    const struct entry *e = entry_of(c, c->at_pass);
    return is_judged(c) && has_passed(e) && e->hazard;
}

static bool ycid_retired(const struct commit *c)
{
    return entry_of(c, c->at_pass)->ycid < c->oldest;
}

static bool pass_moves(const struct commit *c, const commit_in *in)
{
    if (c->at_pass < c->at_hazard && entry_of(c, c->at_pass)->skip)
        return true;
    if (has_hazard(c))
        return ycid_retired(c) && is_free(&c->rev, in->rev_ready);
    return is_judged(c) && c->report_cnt <= 1 && !(c->validation.valid && c->validation.again);
}

static bool commit_moves(const struct commit *c, const commit_in *in)
{
    const struct entry *e = entry_of(c, c->at_commit);
    if (c->at_commit == c->at_pass)
        return false;
    if (e->skip)
        return true;
    return is_decided(c, e) && (!wants_write_back(e) || is_free(&c->com, in->com_ready));
}

static bool retire_moves(const struct commit *c, const commit_in *in)
{
    const struct entry *e = entry_of(c, c->oldest);
    if (c->oldest == c->at_commit)
        return false;
    return e->skip || ((!wants_write_back(e) || e->written) && is_free(&c->ret, in->ret_ready));
}

static struct moves decide(const struct commit *c, const commit_in *in)
{
    const struct entry *e = entry_of(c, c->at_hazard);
    return (struct moves){.hazard = in_window(c, c->at_hazard) && is_filled(e) && (e->skip || is_free(&c->haz, in->haz_ready)),
                          .pass = pass_moves(c, in),
                          .commit = commit_moves(c, in),
                          .retire = retire_moves(c, in)};
}

static enum cw_commit_stage oldest_stage(const struct commit *c)
{
    if (c->at_hazard == c->oldest)
        return CW_COMMIT_STAGE_LOG;
    if (c->at_pass == c->oldest)
        return CW_COMMIT_STAGE_PASS;
    return c->at_commit == c->oldest ? CW_COMMIT_STAGE_OUTCOME : CW_COMMIT_STAGE_WRITE;
}

static void commit_eval(void *self, const void *inputs, void *outputs)
{
    const struct commit *c = self;
    commit_out *out = outputs;
    (void)inputs;
    memset(out, 0, sizeof *out);
    out->haz_valid = c->haz.valid;
    out->haz_cid = bits_of(c, c->haz.cid);
    out->haz_rcid = bits_of(c, c->haz.rcid);
    out->val_ready = c->report_cnt <= 1;
    out->rev_valid = c->rev.valid;
    out->rev_cid = bits_of(c, c->rev.cid);
    out->rep_valid = c->report_cnt > 0;
    out->rep_cid = bits_of(c, c->report[0].cid);
    out->rep_pass = c->report[0].yes;
    out->com_valid = c->com.valid;
    out->com_cid = bits_of(c, c->com.cid);
    out->ret_valid = c->ret.valid;
    out->ret_cid = bits_of(c, c->ret.cid);
    out->ret_commit = c->ret.yes;
    out->oldest_cid = bits_of(c, c->oldest);
    out->oldest_stage = oldest_stage(c);
    out->commit_cid = bits_of(c, c->at_commit);
    out->waiting = c->waiting;
    out->busy = c->active || c->report_cnt > 0 || c->ret.valid;
    out->illegal = c->illegal;
}

/* Judging */

/* FILL, DONE or SKIP. False: illegal. */
static bool judge_log(const struct commit *c, const struct message *m, struct entry *e, uint32_t lane)
{
    bool reads = m->reads >> lane & 1, writes = m->writes >> lane & 1;
    if (is_filled(e))
        return false;
    if (!e->used)
        e->rcid = c->oldest;
    e->used = true;
    if (m->kind == CW_COMMIT_FILL)
        return true;
    e->skip = m->kind == CW_COMMIT_SKIP || (!reads && !writes);
    e->reads = !e->skip && reads;
    e->writes = !e->skip && writes;
    return true;
}

static bool judge_outcome(const struct commit *c, const struct message *m, struct entry *e, uint32_t lane)
{
    bool pass = m->pass >> lane & 1;
    if (!e->reported || e->decided || (!e->reported_pass && (pass || !c->p.fail_waits)))
        return false;
    e->decided = true;
    e->commit = pass;
    return true;
}

static bool judge_message(struct commit *c)
{
    const struct message *m = &c->message;
    bool legal = true;
    if (!m->valid || !m->in_range)
        return !m->valid;
    for (uint32_t rest = m->lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        struct entry *e = entry_of(c, m->cid + lane);
        if (m->cid + lane < c->oldest)
            legal = false;
        else
            legal &= m->kind == CW_COMMIT_OUTCOME ? judge_outcome(c, m, e, lane) : judge_log(c, m, e, lane);
    }
    return legal;
}

static bool judge_hazard(struct commit *c)
{
    const struct answer *a = &c->hazard;
    struct entry *e = entry_of(c, a->cid);
    if (!a->valid)
        return true;
    if (!a->in_range || a->cid < c->oldest || e->detected)
        return false;
    e->detected = true;
    e->hazard = a->yes;
    e->ycid = a->ycid;
    return true;
}

static bool judge_write_back(struct commit *c)
{
    const struct answer *a = &c->write_back;
    struct entry *e = entry_of(c, a->cid);
    if (!a->valid)
        return true;
    if (!a->in_range || a->cid < c->oldest || e->written)
        return false;
    e->written = true;
    return true;
}

static void add_report(struct commit *c, int64_t cid, bool pass)
{
    struct entry *e = entry_of(c, cid);
    e->reported = true;
    e->reported_pass = pass;
    c->report[c->report_cnt++] = (struct offer){.valid = true, .cid = cid, .yes = pass};
}

static bool judge_validation(struct commit *c)
{
    const struct answer *a = &c->validation;
    struct entry *e = entry_of(c, a->cid);
    if (!a->valid)
        return true;
    if (!a->in_range || a->cid < c->oldest || (a->again ? e->renewed || e->reported : e->answered))
        return false;
    if (a->again) {
        e->renewed = true;
        add_report(c, a->cid, a->yes);
    } else {
        e->answered = true;
        e->pass = a->yes;
    }
    return true;
}

/* Events of this clock, kept for the next one; with the state at its start. */

static void take_message(struct commit *c, const commit_in *in)
{
    c->message = (struct message){.valid = in->msg_valid,
                                  .kind = (uint32_t)in->msg_kind,
                                  .lanes = (uint32_t)in->msg_lanes & c->lane_mask,
                                  .reads = (uint32_t)in->msg_reads,
                                  .writes = (uint32_t)in->msg_writes,
                                  .pass = (uint32_t)in->msg_pass,
                                  .cid = cid_from(c, in->msg_cid)};
    c->message.in_range = in_window(c, last_of(&c->message));
}

static void take_answers(struct commit *c, const commit_in *in, bool validation_ready)
{
    int64_t cid = cid_from(c, in->hza_cid), behind = (int64_t)((in->hza_cid - in->hza_ycid) & c->cid_mask);
    c->hazard = (struct answer){.valid = in->hza_valid,
                                .cid = cid,
                                .in_range = cid < c->at_hazard,
                                .yes = in->hza_found && behind > 0 && behind < (int64_t)c->p.entries,
                                .ycid = cid - behind};
    cid = cid_from(c, in->val_cid);
    c->validation = (struct answer){.valid = in->val_valid && validation_ready,
                                    .cid = cid,
                                    .in_range = in->val_again ? cid < c->at_pass : in_window(c, cid),
                                    .again = in->val_again,
                                    .yes = in->val_pass};
    cid = cid_from(c, in->wb_cid);
    c->write_back = (struct answer){.valid = in->wb_valid, .cid = cid, .in_range = cid < c->at_commit};
}

/* Movement. e is the entry at the pointer. */

static void move_hazard(struct commit *c)
{
    const struct entry *e = entry_of(c, c->at_hazard);
    if (!e->skip)
        c->haz = (struct offer){.valid = true, .cid = c->at_hazard, .rcid = e->rcid};
    c->at_hazard++;
}

static void move_commit(struct commit *c)
{
    const struct entry *e = entry_of(c, c->at_commit);
    if (!e->skip && wants_write_back(e))
        c->com = (struct offer){.valid = true, .cid = c->at_commit};
    c->at_commit++;
}

static void move_retire(struct commit *c)
{
    struct entry *e = entry_of(c, c->oldest);
    if (!e->skip)
        c->ret = (struct offer){.valid = true, .cid = c->oldest, .yes = e->commit};
    memset(e, 0, sizeof *e);
    c->oldest++;
}

/* What is taken leaves its register. */
static void release(struct offer *o, uint64_t ready)
{
    if (ready)
        *o = (struct offer){.valid = false};
}

static void release_all(struct commit *c, const commit_in *in)
{
    release(&c->haz, in->haz_ready);
    release(&c->rev, in->rev_ready);
    release(&c->com, in->com_ready);
    release(&c->ret, in->ret_ready);
    if (!in->rep_ready || c->report_cnt == 0)
        return;
    memmove(c->report, c->report + 1, (REPORTS - 1) * sizeof *c->report);
    c->report[REPORTS - 1] = (struct offer){.valid = false};
    c->report_cnt--;
}

static bool is_active(const struct commit *c, const commit_in *in, struct moves m)
{
    return m.hazard || m.pass || m.commit || m.retire || c->message.valid || c->hazard.valid || c->validation.valid ||
           c->write_back.valid || in->msg_valid || in->hza_valid || (in->val_valid && c->report_cnt <= 1) || in->wb_valid;
}

static void commit_tick(void *self, const void *inputs)
{
    struct commit *c = self;
    const commit_in *in = inputs;
    const struct moves m = decide(c, in);
    const bool hazard = has_hazard(c), pass = has_passed(entry_of(c, c->at_pass)), skip = entry_of(c, c->at_pass)->skip;
    const bool validation_ready = c->report_cnt <= 1;
    c->active = is_active(c, in, m);
    c->waiting = hazard && !ycid_retired(c);
    release_all(c, in);
    c->illegal = !judge_message(c);
    c->illegal |= !judge_hazard(c);
    c->illegal |= !judge_write_back(c);
    c->illegal |= !judge_validation(c);
    take_message(c, in);
    take_answers(c, in, validation_ready);
    if (m.hazard)
        move_hazard(c);
    if (m.pass && hazard)
        c->rev = (struct offer){.valid = true, .cid = c->at_pass};
    else if (m.pass && !skip)
        add_report(c, c->at_pass, pass);
    c->at_pass += m.pass;
    if (m.commit)
        move_commit(c);
    if (m.retire)
        move_retire(c);
}

/* State */

static void entry_state(struct cw_state *s, struct entry *e)
{
    CW_STATE(s, e->used);
    CW_STATE(s, e->skip);
    CW_STATE(s, e->reads);
    CW_STATE(s, e->writes);
    CW_STATE(s, e->decided);
    CW_STATE(s, e->commit);
    CW_STATE(s, e->answered);
    CW_STATE(s, e->pass);
    CW_STATE(s, e->renewed);
    CW_STATE(s, e->detected);
    CW_STATE(s, e->hazard);
    CW_STATE(s, e->reported);
    CW_STATE(s, e->reported_pass);
    CW_STATE(s, e->written);
    CW_STATE(s, e->rcid);
    CW_STATE(s, e->ycid);
}

static void message_state(struct cw_state *s, struct message *m)
{
    CW_STATE(s, m->valid);
    CW_STATE(s, m->in_range);
    CW_STATE(s, m->kind);
    CW_STATE(s, m->lanes);
    CW_STATE(s, m->reads);
    CW_STATE(s, m->writes);
    CW_STATE(s, m->pass);
    CW_STATE(s, m->cid);
}

static void answer_state(struct cw_state *s, struct answer *a)
{
    CW_STATE(s, a->valid);
    CW_STATE(s, a->in_range);
    CW_STATE(s, a->again);
    CW_STATE(s, a->yes);
    CW_STATE(s, a->cid);
    CW_STATE(s, a->ycid);
}

static void offer_state(struct cw_state *s, struct offer *o)
{
    CW_STATE(s, o->valid);
    CW_STATE(s, o->yes);
    CW_STATE(s, o->cid);
    CW_STATE(s, o->rcid);
}

static void commit_state(void *self, struct cw_state *s)
{
    struct commit *c = self;
    CW_STATE(s, c->oldest);
    CW_STATE(s, c->at_commit);
    CW_STATE(s, c->at_pass);
    CW_STATE(s, c->at_hazard);
    message_state(s, &c->message);
    answer_state(s, &c->hazard);
    answer_state(s, &c->validation);
    answer_state(s, &c->write_back);
    offer_state(s, &c->haz);
    offer_state(s, &c->rev);
    offer_state(s, &c->com);
    offer_state(s, &c->ret);
    for (uint32_t i = 0; i < REPORTS; i++)
        offer_state(s, &c->report[i]);
    cw_state_count(s, "reports", &c->report_cnt, REPORTS);
    CW_STATE(s, c->waiting);
    CW_STATE(s, c->active);
    CW_STATE(s, c->illegal);
    for (uint64_t i = 0; i < c->places; i++)
        entry_state(s, &c->ring[i]);
}

#define CW_UNIT__PARAMS_T struct cw_commit_unit_params
#define CW_UNIT__IN_T     struct cw_commit_unit_in
#define CW_UNIT__OUT_T    struct cw_commit_unit_out
CW_UNIT_DEFINE_WORDS(commit_unit, CW_COMMIT_UNIT_PARAMS, CW_COMMIT_UNIT_PORTS, CW_COMMIT_UNIT_WORDS, commit_create, commit_destroy,
                     commit_reset, commit_eval, commit_tick, commit_state);
