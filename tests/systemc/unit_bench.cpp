// SPDX-License-Identifier: Apache-2.0
//
// One unit as a SystemC module against its C model: random inputs, every output compared in every cycle. Compiled once per unit; the
// signals come from the contract's port list, so a port that the module lacks or that has another type does not compile.
// Usage: test_systemc_<unit> CYCLES [SEED]
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include <systemc>

extern "C" {
#include "stimulus.h"
#include CW_UNIT_CONTRACT
}
#include CW_UNIT_MODULE

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c)  JOIN_(a, b, c)
#define MODULE         JOIN(cw_sc_, CW_UNIT, )
#define IN_T           JOIN(cw_, CW_UNIT, _in)
#define OUT_T          JOIN(cw_, CW_UNIT, _out)
#define DESCRIPTOR     JOIN(cw_, CW_UNIT, _unit)

namespace
{

// sc_in<T> and sc_out<T> to the signal that fits.
template <class Port> using signal_for = sc_core::sc_signal<typename std::remove_reference_t<Port>::data_type>;

template <class T> void put(sc_core::sc_signal<T> &signal, uint64_t value)
{
    signal.write(static_cast<T>(value));
}

template <int W> void put_words(sc_core::sc_signal<sc_dt::sc_bv<W>> &signal, const uint32_t *word, uint32_t words)
{
    sc_dt::sc_bv<W> value;
    for (uint32_t i = 0; i < words; i++)
        value.set_word(static_cast<int>(i), word[i]);
    signal.write(value);
}

template <int W> void get_words(const sc_core::sc_signal<sc_dt::sc_bv<W>> &signal, uint32_t *word, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        word[i] = static_cast<uint32_t>(signal.read().get_word(static_cast<int>(i)));
}

template <class T> void get_words(const sc_core::sc_signal<T> &signal, uint32_t *word, uint32_t words)
{
    const auto value = static_cast<uint64_t>(signal.read());
    for (uint32_t i = 0; i < words; i++)
        word[i] = i < 2 ? static_cast<uint32_t>(value >> (32 * i)) : 0;
}

template <class T> void put_words(sc_core::sc_signal<T> &signal, const uint32_t *word, uint32_t words)
{
    signal.write(static_cast<T>(word[0] | (words > 1 ? static_cast<uint64_t>(word[1]) << 32 : 0)));
}

// What a contract demands of the surroundings, where random inputs would break it.
template <class In, class = void> struct contract {
    void keep(In &)
    {
    }
};

// Stall buffer: a push is of the granule that was asked two cycles before.
template <class In> struct contract<In, std::void_t<decltype(In::ask_granule), decltype(In::push_granule)>> {
    uint64_t asked[2] = {};
    void keep(In &in)
    {
        in.push_granule = asked[1];
        asked[1] = asked[0];
        asked[0] = in.ask_granule;
    }
};

// Block stack: two blocks have no static warp in common. Here each has as many as the others.
template <class In> struct contract<In, std::void_t<decltype(In::op_mask), decltype(In::op_block)>> {
    void keep(In &in)
    {
        constexpr size_t words = sizeof in.op_mask / sizeof in.op_mask[0], blocks = 8;
        for (size_t word = 0; word < words; word++)
            if (word / (words / blocks) != in.op_block)
                in.op_mask[word] = 0;
    }
};

// Bank detector: who is cleared has no request that is not answered, a write signature goes with the work-items of its wavefront, and what
// is modified has an owner. Here nobody asks in the first four of sixteen cycles, and whole wavefronts are cleared in the last of these.
template <class In> struct contract<In, std::void_t<decltype(In::clr_lanes), decltype(In::wclr_wave)>> {
    uint64_t cycle = 0;
    void keep(In &in)
    {
        const uint64_t at = cycle++ % 16;
        in.req_valid &= at > 3;
        in.req_modified &= in.req_owned;
        in.clr_valid &= at == 3;
        in.clr_lanes = UINT64_MAX;
        in.wclr_valid &= in.clr_valid;
        in.wclr_group = in.clr_group;
        in.wclr_wave = in.clr_wave;
    }
};

#define SIGNAL_I(name, width)         signal_for<decltype(MODULE::name##_i)> name##_i{#name "_i"};
#define SIGNAL_O(name, width)         signal_for<decltype(MODULE::name##_o)> name##_o{#name "_o"};
#define SIGNALW_I(name, words, width) SIGNAL_I(name, width)
#define SIGNALW_O(name, words, width) SIGNAL_O(name, width)
#define BIND_I(name, width)           unit.name##_i(name##_i);
#define BIND_O(name, width)           unit.name##_o(name##_o);
#define BINDW_I(name, words, width)   BIND_I(name, width)
#define BINDW_O(name, words, width)   BIND_O(name, width)
#define DRIVE(name, width)            put(name##_i, in.name);
#define DRIVEW(name, words, width)    put_words(name##_i, in.name, words);
#define SAMPLE(name, width)           out.name = static_cast<uint64_t>(name##_o.read());
#define SAMPLEW(name, words, width)   get_words(name##_o, out.name, words);
#define NOTHING(name, width)
#define NOTHINGW(name, words, width)

struct bench : sc_core::sc_module {
    sc_core::sc_clock clock{"clock", sc_core::sc_time(1, sc_core::SC_NS)};
    sc_core::sc_signal<bool> reset{"reset"};
    CW_UNIT_PORTS(SIGNAL_I, SIGNAL_O, SIGNALW_I, SIGNALW_O)
    MODULE unit{"unit"};
    uint64_t cycles, seed, compared = 0, changed = 0;
    bool failed = false;

    SC_HAS_PROCESS(bench);
    bench(sc_core::sc_module_name name, uint64_t cycles_, uint64_t seed_) : sc_module(name), cycles(cycles_), seed(seed_)
    {
        unit.clk_i(clock);
        unit.rst_i(reset);
        CW_UNIT_PORTS(BIND_I, BIND_O, BINDW_I, BINDW_O)
        SC_THREAD(run);
    }

    void drive(const IN_T &in)
    {
        CW_UNIT_PORTS(DRIVE, NOTHING, DRIVEW, NOTHINGW)
    }
    void sample(OUT_T &out)
    {
        CW_UNIT_PORTS(NOTHING, SAMPLE, NOTHINGW, SAMPLEW)
    }

    void compare(const std::vector<cw_port> &ports, uint64_t cycle, const OUT_T &module, const OUT_T &model)
    {
        for (const cw_port &port : ports) {
            const size_t bytes = port.words == 0 ? sizeof(uint64_t) : port.words * sizeof(uint32_t);
            if (port.dir != CW_PORT_OUT)
                continue;
            compared++;
            if (memcmp(reinterpret_cast<const char *>(&module) + port.offset, reinterpret_cast<const char *>(&model) + port.offset,
                       bytes) == 0)
                continue;
            fprintf(stderr, "%s: cycle %" PRIu64 ": %s_o of the SystemC module and of the C model differ\n", DESCRIPTOR.name, cycle,
                    port.name);
            failed = true;
        }
    }

    // Inputs change after the rising edge, outputs are sampled at the falling one, when the model has settled.
    void run()
    {
        std::vector<char> params(DESCRIPTOR.params_size);
        std::vector<cw_port> ports(DESCRIPTOR.port_cnt);
        cw_unit_params_default(&DESCRIPTOR, params.data());
        DESCRIPTOR.ports(params.data(), ports.data());
        void *model = nullptr;
        const auto stimulus = std::unique_ptr<cw_stimulus, void (*)(cw_stimulus *)>(
            cw_stimulus_create(&DESCRIPTOR, params.data(), seed, 0, nullptr, nullptr), cw_stimulus_destroy);
        if (stimulus == nullptr || DESCRIPTOR.c_model.create(&model, params.data()) != 0) {
            failed = true;
            sc_core::sc_stop();
            return;
        }
        contract<IN_T> surroundings;
        IN_T in{};
        OUT_T out{}, expected{}, before{};
        for (uint64_t cycle = 0; cycle < cycles && !failed; cycle++) {
            const bool resetting = cycle % 5000 == 0; // at power-up, and again in the middle of things
            wait(clock.posedge_event());
            reset.write(resetting);
            cw_stimulus_next(stimulus.get(), &expected, &in);
            surroundings.keep(in);
            drive(in);
            wait(clock.negedge_event());
            if (resetting) {
                DESCRIPTOR.c_model.reset(model);
                continue;
            }
            sample(out);
            DESCRIPTOR.c_model.eval(model, &in, &expected);
            compare(ports, cycle, out, expected);
            changed += memcmp(&expected, &before, sizeof before) != 0;
            before = expected;
            DESCRIPTOR.c_model.tick(model, &in);
        }
        DESCRIPTOR.c_model.destroy(model);
        sc_core::sc_stop();
    }
};

} // namespace

int sc_main(int argc, char **argv)
{
    const uint64_t cycles = argc > 1 ? strtoull(argv[1], nullptr, 0) : 4000, seed = argc > 2 ? strtoull(argv[2], nullptr, 0) : 1;
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    bench top("top", cycles, seed);
    sc_core::sc_start();
    printf("%s: seed %" PRIu64 ", %" PRIu64 " cycles, %" PRIu64 " outputs compared, changes in %" PRIu64 " cycles\n", DESCRIPTOR.name, seed,
           cycles, top.compared, top.changed);
    return top.failed || top.compared == 0 || top.changed < cycles / 100 ? 1 : 0;
}
