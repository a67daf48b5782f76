// SPDX-License-Identifier: Apache-2.0
//
// Recency Bloom filter: csim/unit/recency_bloom_filter.c against rtl/recency_bloom_filter/cw_recency_bloom_filter.v, by induction
// over cycles. The model inserts at once, the RTL in three steps and sweeps row by row; the abstraction bridges both.
#include "model.h"

#include "unit/h3.h"

#include CW_MODEL

using equiv::pick;
using equiv::signal;

namespace
{

struct shape_of {
    unsigned ways, rows, fields, value_w, copies; /* copies of each RAM */
};

shape_of shape(void)
{
    return {equiv::parameter("WAYS"), 1u << equiv::parameter("ROW_W"), equiv::parameter("FIELDS"), equiv::parameter("VALUE_W"),
            equiv::parameter("DUAL_READ") + 1};
}

std::string way(unsigned w, const char *name)
{
    return "g_way[" + std::to_string(w) + "]." + name;
}

/* Field f of a row of the RAM as it is stored. */
bits<64> stored(int time, unsigned w, unsigned copy, unsigned row, unsigned f, unsigned value_w)
{
    std::string name = way(w, copy == 0 ? "u_rd_ram.mem_q[" : "g_ins_ram.u_ins_ram.mem_q[") + std::to_string(row) + "]";
    return signal(time, name.c_str(), f * value_w, value_w);
}

bits<64> larger(bits<64> a, bits<64> b)
{
    return pick(a > b, a, b);
}

/* Whether the insertion of a stage goes to this row. */
bits<1> inserts_into(int time, unsigned stage, unsigned w, unsigned row, const shape_of &n)
{
    return (signal(time, stage == 1 ? "ins_s1_q" : "ins_s2_q") != 0) & (signal(time, way(w, stage == 2      ? "ins_idx_s2_q"
                                                                                            : n.copies == 2 ? "g_ins_ram.ins_idx_s1_q"
                                                                                                            : "rd_idx_s1_q")
                                                                                         .c_str()) == row);
}

bits<64> inserting(int time, unsigned stage, unsigned f)
{
    static const char *const name[2][2] = {{"ins_v0_s1_q", "ins_v1_s1_q"}, {"ins_v0_s2_q", "ins_v1_s2_q"}};
    return signal(time, name[stage - 1][f]);
}

/* A row as later look-ups must see it: with the insertions that are under way. */
bits<64> effective(int time, unsigned w, unsigned row, unsigned f, const shape_of &n)
{
    bits<64> now = stored(time, w, 0, row, f, n.value_w);
    for (unsigned stage = 2; stage >= 1; stage--)
        now = pick(inserts_into(time, stage, w, row, n), larger(now, inserting(time, stage, f)), now);
    return pick(signal(time, "clearing_q") != 0, bits<64>(0), now);
}

/* Field f of what stage 1 has read for a look-up (copy 0) or an insertion (the last copy), without the insertion ahead of it. */
bits<64> has_read(int time, unsigned w, unsigned copy, unsigned f, const shape_of &n)
{
    std::string place = copy == 0 ? "" : "g_ins_ram.";
    bits<1> written =
        (signal(time, "ins_s3_q") != 0) & (signal(time, way(w, "ins_idx_s3_q").c_str()) ==
                                           signal(time, way(w, copy == 0 ? "rd_idx_s1_q" : "g_ins_ram.ins_idx_s1_q").c_str()));
    return pick(written, signal(time, way(w, "ins_new_s3_q").c_str(), f * n.value_w, n.value_w),
                signal(time, way(w, copy == 0 ? "u_rd_ram.rd_data_q" : "g_ins_ram.u_ins_ram.rd_data_q").c_str(), f * n.value_w, n.value_w));
}

/* Field f of the row that stage 2 has of a way, for a look-up or (with one RAM copy) an insertion. */
bits<64> row_s2(int time, unsigned w, unsigned f, const shape_of &n)
{
    return signal(time, "rd_row_s2_q", (w * n.fields + f) * n.value_w, n.value_w);
}

/* Field f of the old value that an insertion in stage 2 compares with. */
bits<64> has_old(int time, unsigned w, unsigned f, const shape_of &n)
{
    return n.copies == 2 ? signal(time, way(w, "g_ins_ram.ins_row_s2_q").c_str(), f * n.value_w, n.value_w) : row_s2(time, w, f, n);
}

/* Field f of a look-up's row in a way, in stage 1 or 2, with the insertion ahead of it. */
bits<64> looked_up(int time, unsigned stage, unsigned w, unsigned f, const shape_of &n)
{
    if (stage == 2)
        return row_s2(time, w, f, n);
    bits<1> ahead =
        (signal(time, "ins_s2_q") != 0) & (signal(time, way(w, "ins_idx_s2_q").c_str()) == signal(time, way(w, "rd_idx_s1_q").c_str()));
    return pick(ahead, larger(has_old(time, w, f, n), inserting(time, 2, f)), has_read(time, w, 0, f, n));
}

bits<64> least(int time, unsigned stage, unsigned f, const shape_of &n)
{
    bits<64> smallest = looked_up(time, stage, 0, f, n);
    for (unsigned w = 1; w < n.ways; w++) {
        bits<64> other = looked_up(time, stage, w, f, n);
        smallest = pick(other < smallest, other, smallest);
    }
    return smallest;
}

bits<1> row_invariant(int time, unsigned w, unsigned row, unsigned f, const shape_of &n)
{
    bits<1> holds = 1, clearing = signal(time, "clearing_q");
    bits<64> value = stored(time, w, 0, row, f, n.value_w);
    /* The sweep has cleared the rows below it, in every copy. */
    bits<1> swept = clearing & (signal(time, "clear_row_q") > row);
    holds &= !swept | (value == 0);
    /* What an insertion under way has read is what its row holds, or will when the one ahead has been written. */
    holds &= clearing | !inserts_into(time, 1, w, row, n) | (has_read(time, w, n.copies - 1, f, n) == value);
    holds &= clearing | !inserts_into(time, 2, w, row, n) | (has_old(time, w, f, n) == value);
    if (n.copies == 2)
        holds &= (clearing & !swept) | (stored(time, w, 1, row, f, n.value_w) == value);
    return holds;
}

/* What holds of the RTL's state in every cycle after a reset. */
bits<1> invariant(int time)
{
    shape_of n = shape();
    bits<1> clearing = signal(time, "clearing_q"), insertion = signal(time, "ins_s1_q"), look_up = signal(time, "lkp_s1_q");
    bits<1> holds = (signal(time, "rsp_valid_q") != 0) | (signal(time, "rsp_q") == 0);
    if (n.copies == 1)
        holds &= !insertion | !look_up;
    /* Nothing enters during a sweep, which is longer than one cycle. */
    holds &= !clearing | (signal(time, "clear_row_q") == 0) | (!insertion & !look_up);
    for (unsigned w = 0; w < n.ways; w++)
        for (unsigned row = 0; row < n.rows; row++)
            for (unsigned f = 0; f < n.fields; f++)
                holds &= row_invariant(time, w, row, f, n);
    return holds;
}

void abstract(bloom *b, int time)
{
    shape_of n = shape();
    b->clear_left = bits<32>(pick(signal(time, "clearing_q") != 0, n.rows - signal(time, "clear_row_q"), bits<64>(0)));
    bits<1> two = (signal(time, "ins_s1_q") != 0) | (signal(time, "lkp_s2_q") != 0);
    bits<1> one = (signal(time, "ins_s2_q") != 0) | (signal(time, "rsp_valid_q") != 0);
    bits<64> left = pick(two, bits<64>(2), pick(one, bits<64>(1), bits<64>(0)));
    b->moving_left = bits<32>(pick(signal(time, "lkp_s1_q") != 0, bits<64>(3), left));
    b->fetched.valid = signal(time, "lkp_s1_q");
    b->found.valid = signal(time, "lkp_s2_q");
    b->rsp.valid = signal(time, "rsp_valid_q");
    for (unsigned f = 0; f < 2; f++) {
        bits<64> none = 0;
        b->fetched.v[f] = f < n.fields ? pick(b->fetched.valid, least(time, 1, f, n), none) : none;
        b->found.v[f] = f < n.fields ? pick(b->found.valid, least(time, 2, f, n), none) : none;
        b->rsp.v[f] = f < n.fields ? signal(time, "rsp_q", f * n.value_w, n.value_w) : none;
        for (unsigned w = 0; w < n.ways; w++)
            for (unsigned row = 0; row < n.rows; row++)
                b->row[w * n.rows + row][f] = f < n.fields ? effective(time, w, row, f, n) : none;
    }
}

bloom *create(void)
{
    cw_recency_bloom_filter_params p;
    void *self;
    equiv_params(&p);
    bloom_create(&self, &p);
    return static_cast<bloom *>(self);
}

void require_same(const bloom &b)
{
    shape_of n = shape();
    bloom *next = create();
    abstract(next, 1);
    equiv::require(b.clear_left == next->clear_left, "clearing");
    equiv::require(b.moving_left == next->moving_left, "cycles until idle");
    equiv::require(b.fetched.valid == next->fetched.valid, "look-up in its first cycle");
    equiv::require(b.found.valid == next->found.valid, "look-up in its second cycle");
    equiv::require(b.rsp.valid == next->rsp.valid, "answer valid");
    for (unsigned f = 0; f < 2; f++) {
        equiv::require(b.fetched.v[f] == next->fetched.v[f], "first cycle's values");
        equiv::require(b.found.v[f] == next->found.v[f], "second cycle's values");
        equiv::require(b.rsp.v[f] == next->rsp.v[f], "answer's values");
        for (unsigned i = 0; i < n.ways * n.rows; i++)
            equiv::require(b.row[i][f] == next->row[i][f], "a row");
    }
    bloom_destroy(next);
}

void step(void)
{
    cw_recency_bloom_filter_in in;
    cw_recency_bloom_filter_out out;
    bloom *b = create();
    equiv::assume(signal(0, "rst_i") == 0, "no reset");
    equiv::assume(invariant(0), "invariant");
    abstract(b, 0);
    equiv_drive(&in);
    bloom_eval(b, &in, &out);
    equiv_compare(&out);
    bloom_tick(b, &in);
    equiv::require(invariant(1), "invariant");
    require_same(*b);
    bloom_destroy(b);
}

/* From any state at all. */
void reset(void)
{
    bloom *b = create();
    equiv::assume(signal(0, "rst_i") == 1, "reset");
    bloom_reset(b);
    equiv::require(invariant(1), "invariant");
    require_same(*b);
    bloom_destroy(b);
}

} // namespace

/* The hash's tables are numbers. */
#include "unit/h3.c"

const equiv_case equiv_cases[] = {{"reset", reset}, {"step", step}, {nullptr, nullptr}};
