/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of Kilo TM's commit-unit control (contract: include/cowarp/unit/commit_unit.h). Inside, commit IDs are numbers that never
 * roll over; they are cut to their width where they leave, and taken as the number within the window where they enter.
 */
#include "cowarp/unit/commit_unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

typedef struct cw_commit_unit_in commit_in;
typedef struct cw_commit_unit_out commit_out;

struct entry {
    bool used, filled, skip, writes;
    bool validated, pass;         /* the result of the last validation */
    bool detected, hazard, again; /* the hazard unit has answered; again: revalidation asked for */
    bool reported;
    bool decided, commit;  /* the core's outcome */
    bool writing, written; /* write-back begun, ended */
    int64_t rcid, ycid;
};

struct commit {
    struct cw_commit_unit_params p;
    uint64_t cid_mask;
    uint32_t lane_mask;
    uint32_t place;                                /* of the oldest */
    int64_t oldest, at_commit, at_pass, at_hazard; /* the pointers */
    int64_t youngest;                              /* of the entries that have had a message; oldest - 1: none */
    bool rep_valid, rep_pass, illegal;
    int64_t rep_cid;
    struct entry *ring;
};

/* What the pointers do in a cycle. */
struct moves {
    bool hazard, pass, commit, retire;
};

static void begin_empty(struct commit *c)
{
    c->place = 0;
    c->oldest = c->at_commit = c->at_pass = c->at_hazard = 0;
    c->youngest = -1;
    c->rep_valid = c->rep_pass = c->illegal = false;
    c->rep_cid = 0;
}

static void commit_reset(void *self)
{
    struct commit *c = self;
    begin_empty(c);
    memset(c->ring, 0, c->p.entries * sizeof *c->ring);
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
    if (cw_unit_params_check(&cw_commit_unit_unit, p, NULL) != CW_OK || p->entries > UINT64_C(1) << p->cid_w ||
        (p->lanes & (p->lanes - 1)) != 0 || p->entries % p->lanes != 0)
        return CW_EINVAL;
    struct commit *c = calloc(1, sizeof *c);
    if (c == NULL)
        return CW_ENOMEM;
    c->p = *p;
    c->cid_mask = (UINT64_C(1) << p->cid_w) - 1;
    c->lane_mask = UINT32_MAX >> (32 - p->lanes);
    c->ring = calloc(p->entries, sizeof *c->ring);
    if (c->ring == NULL) {
        commit_destroy(c);
        return CW_ENOMEM;
    }
    begin_empty(c);
    *self = c;
    return CW_OK;
}

/* Of a CID in the window, or the one behind it. */
static inline struct entry *entry_of(const struct commit *c, int64_t cid)
{
    uint64_t place = c->place + (uint64_t)(cid - c->oldest);
    return &c->ring[place < c->p.entries ? place : place - c->p.entries];
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

/* Has the entry at a pointer what its stage needs? All of these are for the state at the start of the cycle. */

struct heads {
    const struct entry *hazard, *pass, *commit, *retire; /* at the pointers; NULL: it has caught up with the one before it */
};

static inline struct heads heads_of(const struct commit *c)
{
    struct heads h = {
        .hazard = in_window(c, c->at_hazard) ? entry_of(c, c->at_hazard) : NULL,
        .pass = c->at_pass < c->at_hazard ? entry_of(c, c->at_pass) : NULL,
        .commit = c->at_commit < c->at_pass ? entry_of(c, c->at_commit) : NULL,
        .retire = c->oldest < c->at_commit ? entry_of(c, c->oldest) : NULL,
    };
    if (h.hazard != NULL && !h.hazard->filled)
        h.hazard = NULL;
    return h;
}

static bool wants_hazard_check(const struct entry *e)
{
    return e != NULL && !e->skip;
}

/* Validated, and the hazard unit has answered. */
static bool is_judged(const struct entry *e)
{
    return e != NULL && !e->skip && e->validated && e->detected;
}

static bool has_hazard(const struct entry *e)
{
    return is_judged(e) && e->pass && e->hazard;
}

static bool wants_revalidation(const struct commit *c, const struct entry *e)
{
    return has_hazard(e) && e->ycid < c->oldest;
}

static bool is_decided(const struct commit *c, const struct entry *e)
{
    return e->decided || (!c->p.fail_waits && e->reported && !e->pass);
}

static bool wants_write_back(const struct entry *e)
{
    return e != NULL && !e->skip && e->decided && e->commit && e->writes;
}

static bool is_done(const struct entry *e)
{
    return !e->writing || e->written;
}

static bool wants_retirement(const struct entry *e)
{
    return e != NULL && !e->skip && is_done(e);
}

static enum cw_commit_state oldest_state(const struct commit *c)
{
    const struct entry *e = entry_of(c, c->oldest);
    if (!e->used)
        return CW_COMMIT_STATE_EMPTY;
    if (!e->filled)
        return CW_COMMIT_STATE_FILL;
    if (c->at_hazard == c->oldest || (!e->skip && !e->detected))
        return CW_COMMIT_STATE_HAZARD;
    if (c->at_pass == c->oldest)
        return e->skip || e->validated ? CW_COMMIT_STATE_PASS : CW_COMMIT_STATE_VALIDATE;
    if (c->at_commit == c->oldest) {
        if (!e->skip && !e->validated)
            return CW_COMMIT_STATE_REVALIDATE;
        return e->skip || is_decided(c, e) ? CW_COMMIT_STATE_COMMIT : CW_COMMIT_STATE_OUTCOME;
    }
    return e->skip || is_done(e) ? CW_COMMIT_STATE_RETIRE : CW_COMMIT_STATE_WRITE;
}

/* The last CID that a message is about. */
static int64_t last_of(const struct commit *c, const commit_in *in)
{
    uint32_t lanes = (uint32_t)in->msg_lanes & c->lane_mask;
    return cid_from(c, in->msg_cid) + (lanes != 0 ? 31 - __builtin_clz(lanes) : 0);
}

/* Moves of the pointers. rep_free: the report register can take what the pass pointer reports. */
static struct moves decide(const struct commit *c, const struct heads *h, const commit_in *in, bool rep_free)
{
    struct moves m = {false, false, false, false};
    const struct entry *e = h->hazard;
    m.hazard = e != NULL && (e->skip || in->haz_ready);
    e = h->pass;
    if (e != NULL && !e->skip)
        m.pass = has_hazard(e) ? wants_revalidation(c, e) && in->rev_ready : is_judged(e) && rep_free;
    else
        m.pass = e != NULL;
    e = h->commit;
    m.commit = wants_write_back(e) ? in->com_ready : e != NULL && (e->skip || is_decided(c, e));
    e = h->retire;
    m.retire = wants_retirement(e) ? in->ret_ready : e != NULL && e->skip;
    return m;
}

static void commit_eval(void *self, const void *inputs, void *outputs)
{
    static const commit_in nobody_takes = {.ret_ready = 1};
    const struct commit *c = self;
    const commit_in *in = inputs;
    commit_out *out = outputs;
    const struct heads h = heads_of(c);
    memset(out, 0, sizeof *out);
    out->msg_ready = in_window(c, last_of(c, in));
    out->haz_valid = wants_hazard_check(h.hazard);
    if (out->haz_valid) {
        out->haz_cid = bits_of(c, c->at_hazard);
        out->haz_rcid = bits_of(c, h.hazard->rcid);
    }
    out->val_ready = !c->rep_valid || in->rep_ready;
    out->rev_valid = wants_revalidation(c, h.pass);
    out->rev_cid = out->rev_valid ? bits_of(c, c->at_pass) : 0;
    out->rep_valid = c->rep_valid;
    out->rep_cid = bits_of(c, c->rep_cid);
    out->rep_pass = c->rep_pass;
    out->com_valid = wants_write_back(h.commit);
    out->com_cid = out->com_valid ? bits_of(c, c->at_commit) : 0;
    out->ret_valid = wants_retirement(h.retire);
    out->ret_cid = out->ret_valid ? bits_of(c, c->oldest) : 0;
    out->ret_commit = out->ret_valid && h.retire->commit;
    out->oldest_cid = bits_of(c, c->oldest);
    out->oldest_state = oldest_state(c);
    out->commit_cid = bits_of(c, c->at_commit);
    out->waiting = has_hazard(h.pass) && !out->rev_valid;
    const struct moves m = decide(c, &h, &nobody_takes, true);
    out->busy = c->rep_valid || m.hazard || m.pass || m.commit || m.retire;
    out->credits = (uint64_t)(c->oldest + (int64_t)c->p.entries - 1 - c->youngest);
    out->illegal = c->illegal;
}

/* FILL, DONE or SKIP of the entry in this lane of the message. False: illegal. */
static bool take_log(struct commit *c, const commit_in *in, uint32_t lane)
{
    int64_t cid = cid_from(c, in->msg_cid) + lane;
    struct entry *e = entry_of(c, cid);
    bool reads = in->msg_reads >> lane & 1, writes = in->msg_writes >> lane & 1;
    if (e->filled)
        return false;
    if (!e->used)
        e->rcid = c->oldest;
    e->used = true;
    if (in->msg_kind == CW_COMMIT_FILL)
        return true;
    e->filled = true;
    e->skip = in->msg_kind == CW_COMMIT_SKIP || (!reads && !writes);
    if (!e->skip) {
        e->writes = writes;
        e->validated = e->pass = !reads;
    }
    return true;
}

static bool take_outcome(struct commit *c, const commit_in *in, uint32_t lane)
{
    struct entry *e = entry_of(c, cid_from(c, in->msg_cid) + lane);
    bool pass = in->msg_pass >> lane & 1;
    if (!e->reported || e->decided || (!e->pass && (pass || !c->p.fail_waits)))
        return false;
    e->decided = true;
    e->commit = pass;
    return true;
}

static bool take_message(struct commit *c, const commit_in *in)
{
    bool legal = true;
    uint32_t lanes = (uint32_t)in->msg_lanes & c->lane_mask;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        legal &= in->msg_kind == CW_COMMIT_OUTCOME ? take_outcome(c, in, lane) : take_log(c, in, lane);
    }
    int64_t last = last_of(c, in);
    if (in->msg_kind != CW_COMMIT_OUTCOME && lanes != 0 && last > c->youngest)
        c->youngest = last;
    return legal;
}

static void report(struct commit *c, int64_t cid, bool pass)
{
    c->rep_valid = true;
    c->rep_cid = cid;
    c->rep_pass = pass;
    entry_of(c, cid)->reported = true;
}

static bool take_validation(struct commit *c, const commit_in *in)
{
    int64_t cid = cid_from(c, in->val_cid);
    struct entry *e = entry_of(c, in_window(c, cid) ? cid : c->oldest);
    if (!in_window(c, cid) || !e->filled || e->skip || e->validated)
        return false;
    e->validated = true;
    e->pass = in->val_pass;
    if (e->again)
        report(c, cid, e->pass);
    return true;
}

static bool take_write_back(struct commit *c, const commit_in *in)
{
    int64_t cid = cid_from(c, in->wb_cid);
    struct entry *e = entry_of(c, in_window(c, cid) ? cid : c->oldest);
    if (!in_window(c, cid) || !e->writing || e->written)
        return false;
    e->written = true;
    return true;
}

static bool take_hazard_answer(struct commit *c, const commit_in *in)
{
    int64_t cid = cid_from(c, in->hza_cid);
    struct entry *e = entry_of(c, in_window(c, cid) ? cid : c->oldest);
    if (cid >= c->at_hazard || e->skip || e->detected)
        return false;
    int64_t behind = (int64_t)((in->hza_cid - in->hza_ycid) & c->cid_mask);
    e->detected = true;
    e->hazard = in->hza_found && behind > 0 && behind < (int64_t)c->p.entries;
    e->ycid = cid - behind;
    return true;
}

/* Does the answer to a revalidation go into the report register in this cycle? */
static bool revalidation_reports(const struct commit *c, const commit_in *in, bool rep_free)
{
    int64_t cid = cid_from(c, in->val_cid);
    return in->val_valid && rep_free && in_window(c, cid) && entry_of(c, cid)->again && !entry_of(c, cid)->validated;
}

static void move_pass(struct commit *c)
{
    struct entry *e = entry_of(c, c->at_pass);
    if (!e->skip && e->pass && e->hazard) {
        e->again = true;
        e->validated = false;
    } else if (!e->skip) {
        report(c, c->at_pass, e->pass);
    }
    c->at_pass++;
}

static void move(struct commit *c, struct moves m)
{
    if (m.pass)
        move_pass(c);
    if (m.commit) {
        struct entry *e = entry_of(c, c->at_commit);
        e->writing = !e->skip && e->commit && e->writes;
        c->at_commit++;
    }
    if (m.retire) {
        memset(entry_of(c, c->oldest), 0, sizeof(struct entry));
        c->oldest++;
        c->place = c->place + 1 < c->p.entries ? c->place + 1 : 0;
    }
}

/* Events: each is legal or not by the state at the start of the cycle. So an outcome is taken before the validation that would report its
 * entry, and that before the log that would let its entry be validated. False: one of them was illegal. */
static bool take_events(struct commit *c, const commit_in *in, bool rep_free)
{
    bool outcome = in->msg_kind == CW_COMMIT_OUTCOME, message = in->msg_valid && in_window(c, last_of(c, in));
    bool legal = !in->wb_valid || take_write_back(c, in);
    legal &= !in->hza_valid || take_hazard_answer(c, in);
    if (message && outcome)
        legal &= take_message(c, in);
    if (in->val_valid && rep_free)
        legal &= take_validation(c, in);
    if (message && !outcome)
        legal &= take_message(c, in);
    return legal;
}

static void commit_tick(void *self, const void *inputs)
{
    struct commit *c = self;
    const commit_in *in = inputs;
    bool rep_free = !c->rep_valid || in->rep_ready;
    const struct heads h = heads_of(c);
    const struct moves m = decide(c, &h, in, rep_free && !revalidation_reports(c, in, rep_free)); /* its answer has taken the register */
    if (rep_free) {
        c->rep_valid = c->rep_pass = false;
        c->rep_cid = 0;
    }
    c->illegal = !take_events(c, in, rep_free);
    if (m.hazard)
        c->at_hazard++;
    move(c, m);
}

#define CW_UNIT__PARAMS_T struct cw_commit_unit_params
#define CW_UNIT__IN_T     struct cw_commit_unit_in
#define CW_UNIT__OUT_T    struct cw_commit_unit_out
CW_UNIT_DEFINE_WORDS(commit_unit, CW_COMMIT_UNIT_PARAMS, CW_COMMIT_UNIT_PORTS, CW_COMMIT_UNIT_WORDS, commit_create, commit_destroy,
                     commit_reset, commit_eval, commit_tick);
