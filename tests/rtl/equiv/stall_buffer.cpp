// SPDX-License-Identifier: Apache-2.0
//
// Stall buffer: csim/unit/stall_buffer.c against rtl/stall_buffer/cw_stall_buffer.v, by induction over cycles.
#include "model.h"

#include CW_MODEL

using equiv::anything;
using equiv::pick;
using equiv::signal;

namespace
{

std::string of_line(unsigned l, const char *name)
{
    return "g_line[" + std::to_string(l) + "]." + name;
}

bits<32> requests(const stall &s, int time, unsigned l)
{
    bits<32> n = 0;
    for (unsigned i = 0; i < s.p.entries; i++)
        n += (bits<32>)signal(time, of_line(l, "valid_q").c_str(), i, 1);
    return n;
}

bits<64> granule(int time, unsigned l)
{
    return signal(time, of_line(l, "granule_q").c_str());
}

request stored(const stall &s, int time, unsigned l, unsigned i)
{
    unsigned payload_w(s.p.payload_w), ts_w(s.p.ts_w), low = i * (payload_w + ts_w);
    std::string name = of_line(l, "req_q");
    return {signal(time, name.c_str(), low + payload_w, ts_w), signal(time, name.c_str(), low, payload_w)};
}

/* What holds of the RTL's state in every cycle after a reset. */
bits<1> invariant(const stall &s, int time)
{
    bits<1> holds = 1;
    bits<32> total = 0;
    for (unsigned l = 0; l < s.p.lines; l++) {
        bits<64> valid = signal(time, of_line(l, "valid_q").c_str());
        bits<32> n = requests(s, time, l);
        holds &= (valid & (valid + 1)) == 0; /* contiguous from entry 0 */
        holds &= (n != 0) | (signal(time, "awake_q", l, 1) == 0);
        for (unsigned k = 0; k < l; k++)
            holds &= (n == 0) | (requests(s, time, k) == 0) | (granule(time, k) != granule(time, l));
        total += n;
    }
    return holds & (signal(time, "occupancy_q") == total);
}

/* The model's state that the RTL's state stands for. What the model must not look at may be anything. */
void abstract(stall *s, int time)
{
    s->draining = signal(time, "drain_q");
    s->occupancy = bits<32>(signal(time, "occupancy_q"));
    s->lines_used = 0;
    for (unsigned l = 0; l < s->p.lines; l++) {
        line &to = s->line[l];
        to.count = requests(*s, time, l);
        to.awake = signal(time, "awake_q", l, 1);
        to.granule = pick(to.count != 0, granule(time, l), anything<64>());
        for (unsigned i = 0; i < s->p.entries; i++) {
            request r = stored(*s, time, l, i);
            to.request[i].warpts = pick(to.count > i, r.warpts, anything<64>());
            to.request[i].payload = pick(to.count > i, r.payload, anything<64>());
        }
        s->lines_used += to.count != 0;
    }
}

void require_same(const stall &s)
{
    stall next = s;
    abstract(&next, 1);
    equiv::require(s.draining == next.draining, "drain");
    equiv::require(s.occupancy == next.occupancy, "occupancy");
    equiv::require(s.lines_used == next.lines_used, "lines used");
    for (unsigned l = 0; l < s.p.lines; l++) {
        const line &a = s.line[l], &b = next.line[l];
        equiv::require(a.count == b.count, "requests of a line");
        equiv::require(a.awake == b.awake, "a line awake");
        equiv::require((a.count == 0) | (a.granule == granule(1, l)), "granule of a line");
        for (unsigned i = 0; i < s.p.entries; i++) {
            request r = stored(s, 1, l, i);
            equiv::require((a.count <= i) | ((a.request[i].warpts == r.warpts) & (a.request[i].payload == r.payload)), "a request");
        }
    }
}

stall *create(void)
{
    cw_stall_buffer_params p;
    void *self;
    equiv_params(&p);
    stall_create(&self, &p);
    return static_cast<stall *>(self);
}

void step(void)
{
    cw_stall_buffer_in in;
    cw_stall_buffer_out out;
    stall *s = create();
    equiv::assume(signal(0, "rst_i") == 0, "no reset");
    equiv::assume(invariant(*s, 0), "invariant");
    abstract(s, 0);
    equiv_drive(&in);
    stall_eval(s, &in, &out);
    equiv_compare(&out);
    stall_tick(s, &in);
    equiv::require(invariant(*s, 1), "invariant");
    require_same(*s);
    stall_destroy(s);
}

/* From any state at all. */
void reset(void)
{
    stall *s = create();
    equiv::assume(signal(0, "rst_i") == 1, "reset");
    stall_reset(s);
    equiv::require(invariant(*s, 1), "invariant");
    require_same(*s);
    stall_destroy(s);
}

} // namespace

const equiv_case equiv_cases[] = {{"reset", reset}, {"step", step}, {nullptr, nullptr}};
