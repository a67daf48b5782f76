// SPDX-License-Identifier: Apache-2.0
//
// Decision of the validation unit: decide_access() and decide_release() of csim/unit/validation_unit.c against
// rtl/validation_unit/cw_validation_decide.v, for every request and every entry, at full width.
#include "model.h"

#include CW_MODEL

using equiv::require;
using equiv::signal;

/* The parts are not entered. */
extern const struct cw_unit cw_cuckoo_table_unit = {};
extern const struct cw_unit cw_recency_bloom_filter_unit = {};
extern const struct cw_unit cw_stall_buffer_unit = {};

static bits<32> narrow(const char *name)
{
    return bits<32>(signal(0, name));
}

static void decide_one(void)
{
    static vu u;
    std::memset(&u, 0, sizeof u);
    u.ts_mask = mask_of(equiv::parameter("TS_W"));
    u.count_mask = bits<32>(mask_of(equiv::parameter("COUNT_W")));
    u.table_out.res_found = 1;
    u.table_out.res_wts = signal(0, "wts_i");
    u.table_out.res_rts = signal(0, "rts_i");
    u.table_out.res_writes = signal(0, "writes_i");
    u.table_out.res_owner = signal(0, "entry_owner_i");
    u.table_out.res_room = u.table_out.res_easy = signal(0, "room_i");
    u.stall_out.push_ready = signal(0, "push_ready_i");
    struct request r;
    std::memset(&r, 0, sizeof r);
    r.kind = narrow("kind_i");
    r.warpts = signal(0, "warpts_i");
    r.owner = narrow("owner_i");
    r.count = narrow("count_i");
    r.retried = signal(0, "retried_i");

    struct verdict v = {.action = NO_ANSWER};
    current_entry(&u, &v);
    if (r.kind == CW_VU_LOAD || r.kind == CW_VU_STORE)
        decide_access(&u, &r, signal(0, "drain_i"), &v);
    else
        decide_release(&r, &v);

    require(signal(0, "answer_o") == (v.action == ANSWER), "answer");
    require(signal(0, "stall_o") == (v.action == STALL), "stall");
    require(signal(0, "wake_o") == v.wake, "wake");
    require(signal(0, "update_o") == v.update, "update");
    if (v.action == ANSWER) {
        require(signal(0, "outcome_o") == v.outcome, "outcome");
        require(signal(0, "ts_o") == v.ts, "timestamp");
    }
    if (v.update) {
        require(signal(0, "wts_o") == v.wts, "wts");
        require(signal(0, "rts_o") == v.rts, "rts");
        require(signal(0, "writes_o") == v.writes, "writes");
        require(signal(0, "owner_o") == v.owner, "owner");
    }
}

const equiv_case equiv_cases[] = {{"decide", decide_one}, {nullptr, nullptr}};
