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

/* The unit's widths, which the decision does not know. */
enum { TS_W = 32, OWNER_W = 12 };

static bits<64> any_of(uint32_t width)
{
    return equiv::anything<64>() & mask_of(width);
}

static bits<32> count_of_writes(void)
{
    return signal(0, "forward_i") ? narrow("fwd_writes_i") : narrow("old_writes_i");
}

static void decide_one(void)
{
    static vu u;
    std::memset(&u, 0, sizeof u);
    u.ts_mask = mask_of(TS_W);
    u.count_mask = bits<32>(mask_of(equiv::parameter("COUNT_W")));
    struct request r;
    struct metadata m;
    std::memset(&r, 0, sizeof r);
    std::memset(&m, 0, sizeof m);
    m.wts = any_of(TS_W);
    m.rts = any_of(TS_W);
    m.owner = bits<32>(any_of(OWNER_W));
    m.writes = count_of_writes();
    m.room = signal(0, "room_i");
    r.kind = narrow("kind_i");
    r.warpts = any_of(TS_W);
    r.owner = bits<32>(any_of(OWNER_W));
    r.count = narrow("count_i");
    r.retried = signal(0, "retried_i");
    /* What the table has compared before. */
    equiv::assume(signal(0, "wts_later_i") == (m.wts > r.warpts), "wts compared");
    equiv::assume(signal(0, "rts_later_i") == (m.rts > r.warpts), "rts compared");
    equiv::assume(signal(0, "last_ts_i") == (r.warpts == u.ts_mask), "last time");
    equiv::assume(signal(0, "reserved_i") == (m.writes > 0), "reserved");
    equiv::assume(signal(0, "own_i") == (m.writes > 0 && m.owner == r.owner), "own");

    struct verdict v = decide(&u, &r, &m, signal(0, "drain_i"), signal(0, "place_i"));

    require(signal(0, "answer_o") == (v.action == ANSWER), "answer");
    require(signal(0, "stall_o") == (v.action == STALL), "stall");
    require(signal(0, "wake_o") == v.wake, "wake");
    require(signal(0, "update_o") == v.update, "update");
    if (v.action == ANSWER)
        require(signal(0, "outcome_o") == v.outcome, "outcome");
    if (v.update) {
        require(signal(0, "wts_set_o") == v.set_wts, "wts");
        require(signal(0, "owner_set_o") == v.set_owner, "owner");
        require(signal(0, "writes_set_o") == v.set_writes, "writes");
        if (v.set_writes)
            require(signal(0, "writes_o") == v.writes, "count of writes");
        /* An equal time may be set or not. */
        if (m.rts != r.warpts)
            require(signal(0, "rts_set_o") == v.set_rts, "rts");
    }
}

const equiv_case equiv_cases[] = {{"decide", decide_one}, {nullptr, nullptr}};
