// SPDX-License-Identifier: Apache-2.0
//
// Decision of the validation unit: decide() of csim/unit/validation_unit.c against rtl/validation_unit/cw_validation_decide.v, for every
// request and every entry, at full width.
#include "model.h"

#include CW_MODEL

using equiv::anything;
using equiv::pick;
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

/* The fields of the entry are the model's; the RTL is told how they compare with the request. */
static void decide_one(void)
{
    static vu u;
    std::memset(&u, 0, sizeof u);
    const unsigned ts_w = 32, owner_w = 12;
    u.ts_mask = mask_of(ts_w);
    u.count_mask = bits<32>(mask_of(equiv::parameter("COUNT_W")));
    struct request r;
    std::memset(&r, 0, sizeof r);
    r.kind = narrow("kind_i");
    r.warpts = anything<64>() & u.ts_mask;
    r.owner = anything<32>() & bits<32>(mask_of(owner_w));
    r.count = narrow("count_i");
    r.retried = signal(0, "retried_i");
    struct metadata m;
    std::memset(&m, 0, sizeof m);
    m.wts = anything<64>() & u.ts_mask;
    m.rts = anything<64>() & u.ts_mask;
    m.writes = narrow("writes_i");
    m.owner = anything<32>() & bits<32>(mask_of(owner_w));
    m.room = signal(0, "room_i");
    equiv::assume(signal(0, "last_ts_i") == (r.warpts == u.ts_mask), "last time");
    equiv::assume(signal(0, "wts_later_i") == (m.wts > r.warpts), "wts is later");
    equiv::assume(signal(0, "rts_later_i") == (m.rts > r.warpts), "rts is later");
    equiv::assume(signal(0, "reserved_i") == (m.writes > 0), "reserved");
    equiv::assume(signal(0, "own_i") == ((m.writes > 0) & (m.owner == r.owner)), "own");

    struct verdict v = decide(&u, &r, &m, signal(0, "drain_i"), signal(0, "place_i"));

    require(signal(0, "answer_o") == (v.action == ANSWER), "answer");
    require(signal(0, "stall_o") == (v.action == STALL), "stall");
    require(signal(0, "wake_o") == v.wake, "wake");
    require(signal(0, "update_o") == v.update, "update");
    if (v.action == ANSWER)
        require(signal(0, "outcome_o") == v.outcome, "outcome");
    if (v.update) {
        require(signal(0, "wts_set_o") == v.set_wts, "wts");
        /* A time that equals the entry's own may be set or not. */
        require(pick(signal(0, "rts_set_o") != 0, r.warpts, m.rts) == pick(v.set_rts, r.warpts, m.rts), "rts");
        require(signal(0, "owner_set_o") == v.set_owner, "owner");
        require(signal(0, "writes_set_o") == v.set_writes, "whether the count of writes changes");
    }
    if (v.update & v.set_writes)
        require(signal(0, "writes_o") == v.writes, "count of writes");
}

const equiv_case equiv_cases[] = {{"decide", decide_one}, {nullptr, nullptr}};
