// SPDX-License-Identifier: Apache-2.0
//
// Recency Bloom filter: csim/unit/recency_bloom_filter.c against rtl/recency_bloom_filter/cw_recency_bloom_filter.v, by induction
// over cycles. The model inserts at once, the RTL in two steps and sweeps row by row; the abstraction bridges both.
#include "model.h"

#include "unit/h3.h"

#include CW_MODEL

using equiv::anything;
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

std::string ram(unsigned w, unsigned copy, const char *name)
{
    return way(w, copy == 0 ? "u_lkp_ram." : "g_ins_ram.u_ins_ram.") + name;
}

/* Field f of a row of the RAM as it is stored. */
bits<64> stored(int time, unsigned w, unsigned copy, unsigned row, unsigned f, unsigned value_w)
{
    std::string name = ram(w, copy, "u_ram.mem_q[") + std::to_string(row) + "]";
    return signal(time, name.c_str(), f * value_w, value_w);
}

/* Field f of what the RAM answers to the read of the cycle before. */
bits<64> answered(int time, unsigned w, unsigned copy, unsigned f, unsigned value_w)
{
    bits<1> forwarded = signal(time, ram(w, copy, "fwd_q").c_str());
    return pick(forwarded, signal(time, ram(w, copy, "fwd_data_q").c_str(), f * value_w, value_w),
                signal(time, ram(w, copy, "u_ram.rd_data_q").c_str(), f * value_w, value_w));
}

bits<64> larger(bits<64> a, bits<64> b)
{
    return pick(a > b, a, b);
}

bits<64> inserting(int time, unsigned f)
{
    return signal(time, f == 0 ? "ins_v0_s1_q" : "ins_v1_s1_q");
}

/* A row as later look-ups must see it: with the insertion that is under way. */
bits<64> effective(int time, unsigned w, unsigned row, unsigned f, const shape_of &n)
{
    bits<64> old = stored(time, w, 0, row, f, n.value_w);
    bits<1> here = (signal(time, "ins_s1_q") != 0) & (signal(time, way(w, "ins_row_s1_q").c_str()) == row);
    bits<64> now = pick(here, larger(old, inserting(time, f)), old);
    return pick(signal(time, "clearing_q") != 0, bits<64>(0), now);
}

/* What holds of the RTL's state in every cycle after a reset. */
bits<1> invariant(int time)
{
    shape_of n = shape();
    bits<1> holds = 1, clearing = signal(time, "clearing_q"), idle = signal(time, "ins_s1_q") == 0;
    if (n.copies == 1)
        holds &= idle | (signal(time, "lkp_s1_q") == 0);
    for (unsigned w = 0; w < n.ways; w++)
        for (unsigned row = 0; row < n.rows; row++)
            for (unsigned f = 0; f < n.fields; f++) {
                bits<64> value = stored(time, w, 0, row, f, n.value_w);
                bits<1> elsewhere = signal(time, way(w, "ins_row_s1_q").c_str()) != row;
                /* The sweep has cleared the rows below it, in every copy. */
                bits<1> swept = clearing & (signal(time, "clear_row_q") > row);
                holds &= !swept | (value == 0);
                /* The old value of an insertion under way is what its row holds. */
                holds &= clearing | idle | elsewhere | (answered(time, w, n.copies - 1, f, n.value_w) == value);
                if (n.copies == 2)
                    holds &= (clearing & !swept) | (stored(time, w, 1, row, f, n.value_w) == value);
            }
    return holds;
}

void abstract(bloom *b, int time)
{
    shape_of n = shape();
    b->clear_left = bits<32>(pick(signal(time, "clearing_q") != 0, n.rows - signal(time, "clear_row_q"), bits<64>(0)));
    b->inserted = signal(time, "ins_s1_q");
    b->fetched.valid = signal(time, "lkp_s1_q");
    b->rsp.valid = signal(time, "rsp_valid_q");
    for (unsigned f = 0; f < 2; f++) {
        bits<64> least = f < n.fields ? answered(time, 0, 0, f, n.value_w) : bits<64>(0);
        for (unsigned w = 1; w < n.ways && f < n.fields; w++) {
            bits<64> other = answered(time, w, 0, f, n.value_w);
            least = pick(other < least, other, least);
        }
        b->fetched.v[f] = pick(b->fetched.valid, least, anything<64>());
        b->rsp.v[f] = f < n.fields ? signal(time, "rsp_q", f * n.value_w, n.value_w) : bits<64>(0);
        for (unsigned w = 0; w < n.ways; w++)
            for (unsigned row = 0; row < n.rows; row++)
                b->row[w * n.rows + row][f] = f < n.fields ? effective(time, w, row, f, n) : bits<64>(0);
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
    equiv::require(b.inserted == next->inserted, "insertion under way");
    equiv::require(b.fetched.valid == next->fetched.valid, "look-up under way");
    equiv::require(b.rsp.valid == next->rsp.valid, "answer valid");
    for (unsigned f = 0; f < 2; f++) {
        equiv::require(!b.fetched.valid | (b.fetched.v[f] == next->fetched.v[f]), "look-up's values");
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
