// SPDX-License-Identifier: Apache-2.0
//
// The validation unit's TLM-2.0 target, call by call: both transport interfaces, phases and their times, back-pressure, refused payloads.
// What the unit decides is worked out by hand from GETM's Figure 6 as the unit's contract states it.
#define SC_INCLUDE_DYNAMIC_PROCESSES // sc_spawn
#include <cstdio>
#include <cstring>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include "cw_sc_validation_unit.h"
#include "validation_target.h"

namespace
{

const sc_core::sc_time period(1, sc_core::SC_NS);
int checks = 0, failures = 0;

void check(bool good, int line, const char *what)
{
    checks++;
    if (good)
        return;
    failures++;
    fprintf(stderr, "target_test.cpp:%d: at %s: not so: %s\n", line, sc_core::sc_time_stamp().to_string().c_str(), what);
}
#define CHECK(condition) check((condition), __LINE__, #condition)

// A transaction that its maker keeps; references are only counted.
struct transaction : tlm::tlm_mm_interface {
    tlm::tlm_generic_payload payload{this};
    cowarp::validation_extension ext;
    sc_core::sc_time end_req, begin_resp; // zero: not yet
    sc_core::sc_event phase_seen;

    transaction(cw_vu_kind kind, uint64_t granule, uint64_t warpts, uint32_t owner)
    {
        ext.kind = kind;
        ext.warpts = warpts;
        ext.owner = owner;
        payload.set_command(tlm::TLM_IGNORE_COMMAND);
        payload.set_address(granule * 32);
        payload.set_extension(&ext);
        payload.acquire();
    }
    ~transaction() override
    {
        payload.clear_extension(&ext);
    }
    void free(tlm::tlm_generic_payload *) override
    {
    }
};

struct bench : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<bench> socket{"socket"};
    sc_core::sc_clock clock{"clock", period, 0.5, period};
    sc_core::sc_signal<bool> reset{"reset"}, drain{"drain"}, flush{"flush"}, rollover{"rollover"}, busy{"busy"};
    cowarp::validation_target<cw_sc_validation_unit> unit;
    std::vector<transaction *> sent; // by the non-blocking interface
    bool hold = false;               // leave the response phase open
    bool second_done = false;
    sc_core::sc_event start_second;
    bool finished = false;

    SC_HAS_PROCESS(bench);
    bench(sc_core::sc_module_name name, const cw_validation_unit_params &params) : sc_module(name), unit("unit", params, 32, 8)
    {
        socket.register_nb_transport_bw(this, &bench::nb_transport_bw);
        socket.bind(unit.socket);
        unit.clk_i(clock);
        unit.rst_i(reset);
        unit.drain_i(drain);
        unit.flush_i(flush);
        unit.rollover_o(rollover);
        unit.busy_o(busy);
        SC_THREAD(main);
        SC_THREAD(second);
    }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &)
    {
        for (transaction *t : sent) {
            if (&t->payload != &payload)
                continue;
            (phase == tlm::END_REQ ? t->end_req : t->begin_resp) = sc_core::sc_time_stamp();
            t->phase_seen.notify(sc_core::SC_ZERO_TIME);
            return phase == tlm::BEGIN_RESP && !hold ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
        }
        CHECK(!"a transaction that was never sent");
        return tlm::TLM_ACCEPTED;
    }

    void forward(transaction &t, tlm::tlm_phase phase)
    {
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        if (phase == tlm::BEGIN_REQ)
            sent.push_back(&t);
        CHECK(socket->nb_transport_fw(t.payload, phase, delay) == tlm::TLM_ACCEPTED);
    }

    void blocking(transaction &t, cw_vu_outcome outcome, uint64_t ts)
    {
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(t.payload, delay);
        CHECK(t.payload.is_response_ok());
        CHECK(t.ext.outcome == outcome);
        CHECK(t.ext.ts == ts);
    }

    void refused(transaction &t, tlm::tlm_response_status status)
    {
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(t.payload, delay);
        CHECK(t.payload.get_response_status() == status);
    }

    // A load that has to wait for the owner of granule 1.
    void second()
    {
        wait(start_second);
        transaction load(CW_VU_LOAD, 1, 25, 3);
        blocking(load, CW_VU_SUCCESS, 0);
        second_done = true;
    }

    void blocking_calls()
    {
        transaction store(CW_VU_STORE, 1, 20, 1), early(CW_VU_LOAD, 1, 10, 2), release(CW_VU_RELEASE, 1, 0, 1), late(CW_VU_STORE, 1, 24, 4);
        blocking(store, CW_VU_SUCCESS, 0);
        blocking(early, CW_VU_ABORT, 21); // wts = 20 + 1
        start_second.notify();
        wait(100 * period);
        CHECK(!second_done); // waits for the release
        blocking(release, CW_VU_SUCCESS, 0);
        wait(20 * period);
        CHECK(second_done);
        blocking(late, CW_VU_ABORT, 25); // rts of the load that waited
        transaction delayed(CW_VU_LOAD, 2, 30, 1);
        sc_core::sc_time delay = 50 * period;
        const sc_core::sc_time before = sc_core::sc_time_stamp();
        socket->b_transport(delayed.payload, delay);
        CHECK(delay == sc_core::SC_ZERO_TIME);
        CHECK(sc_core::sc_time_stamp() - before == 58 * period); // the annotation, and accepted, decided, answered as below
    }

    // Requests at the rate and the latency of the contract: one per cycle, answered seven cycles after they were taken.
    void phases()
    {
        wait(clock.posedge_event());
        const sc_core::sc_time start = sc_core::sc_time_stamp();
        transaction first(CW_VU_LOAD, 1, 40, 5), next(CW_VU_LOAD, 1, 41, 6);
        forward(first, tlm::BEGIN_REQ);
        wait(first.phase_seen);
        CHECK(first.end_req == start + period);
        forward(next, tlm::BEGIN_REQ);
        wait(10 * period);
        CHECK(first.begin_resp == start + 8 * period);
        CHECK(next.end_req == start + 2 * period);
        CHECK(next.begin_resp == start + 9 * period);
        CHECK(first.ext.outcome == CW_VU_SUCCESS && next.ext.outcome == CW_VU_SUCCESS);
        CHECK(first.payload.get_ref_count() == 1 && next.payload.get_ref_count() == 1);
        sent.clear();
    }

    // While a response is open there is no other, and the unit is held back; a release passes END_REQ and waits for the channel.
    void back_pressure()
    {
        transaction load(CW_VU_LOAD, 1, 50, 5), release(CW_VU_RELEASE, 7, 0, 5), other(CW_VU_LOAD, 1, 51, 6);
        hold = true;
        for (transaction *t : {&load, &release, &other}) {
            forward(*t, tlm::BEGIN_REQ);
            wait(t->phase_seen);
        }
        wait(20 * period);
        CHECK(release.begin_resp != sc_core::SC_ZERO_TIME);
        CHECK(load.begin_resp == sc_core::SC_ZERO_TIME && other.begin_resp == sc_core::SC_ZERO_TIME);
        forward(release, tlm::END_RESP);
        wait(20 * period);
        CHECK(load.begin_resp != sc_core::SC_ZERO_TIME && other.begin_resp == sc_core::SC_ZERO_TIME);
        wait(clock.posedge_event());
        const sc_core::sc_time start = sc_core::sc_time_stamp();
        hold = false;
        forward(load, tlm::END_RESP);
        wait(20 * period);
        CHECK(other.begin_resp == start + period);
        CHECK(load.payload.get_ref_count() == 1);
        sent.clear();
    }

    void refusals()
    {
        transaction t(CW_VU_LOAD, 3, 60, 1);
        unsigned char enable = 0xff;
        t.payload.set_command(tlm::TLM_READ_COMMAND);
        refused(t, tlm::TLM_COMMAND_ERROR_RESPONSE);
        t.payload.set_command(tlm::TLM_IGNORE_COMMAND);
        t.payload.set_address(33);
        refused(t, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        t.payload.set_address(uint64_t{32} << 30); // granule_w = 30
        refused(t, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        t.payload.set_address(96);
        t.payload.set_byte_enable_ptr(&enable);
        refused(t, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        t.payload.set_byte_enable_ptr(nullptr);
        t.ext.warpts = uint64_t{1} << 32; // ts_w = 32
        refused(t, tlm::TLM_GENERIC_ERROR_RESPONSE);
        t.ext.warpts = 60;
        blocking(t, CW_VU_SUCCESS, 0);
        transaction bare(CW_VU_LOAD, 3, 60, 1), none(CW_VU_RELEASE, 3, 0, 1);
        bare.payload.clear_extension(&bare.ext);
        refused(bare, tlm::TLM_COMMAND_ERROR_RESPONSE);
        none.ext.count = 0;
        forward(none, tlm::BEGIN_REQ); // the non-blocking interface goes through all phases
        wait(10 * period);
        CHECK(none.end_req != sc_core::SC_ZERO_TIME && none.begin_resp != sc_core::SC_ZERO_TIME);
        CHECK(none.payload.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE);
        sent.clear();
    }

    // What the base protocol does not allow is reported, and the target goes on as if it had not been said.
    void violations()
    {
        const auto reported = [this](transaction &t, tlm::tlm_phase phase, const char *says) {
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            bool caught = false;
            try {
                socket->nb_transport_fw(t.payload, phase, delay);
            } catch (const sc_core::sc_report &report) {
                caught = strstr(report.get_msg(), says) != nullptr;
            }
            CHECK(caught);
        };
        transaction first(CW_VU_LOAD, 1, 70, 5), early(CW_VU_LOAD, 1, 71, 6);
        wait(clock.posedge_event());
        forward(first, tlm::BEGIN_REQ);
        reported(early, tlm::BEGIN_REQ, "request exclusion");
        reported(early, tlm::BEGIN_RESP, "does not have in this direction");
        wait(20 * period);
        CHECK(first.begin_resp != sc_core::SC_ZERO_TIME && first.payload.get_ref_count() == 1);
        CHECK(early.payload.get_ref_count() == 1);
        forward(early, tlm::BEGIN_REQ); // now it may
        wait(20 * period);
        CHECK(early.begin_resp != sc_core::SC_ZERO_TIME && early.ext.outcome == CW_VU_SUCCESS);
        sent.clear();
    }

    // Both interfaces at once, and a release that waits for the channel behind an open response: all are answered, the blocking ones too.
    void mixed()
    {
        transaction held(CW_VU_LOAD, 9, 80, 5), load(CW_VU_LOAD, 9, 81, 6);
        hold = true;
        forward(held, tlm::BEGIN_REQ);
        wait(held.phase_seen);
        wait(20 * period);
        CHECK(held.begin_resp != sc_core::SC_ZERO_TIME);
        bool done = false;
        sc_core::sc_spawn([&] {
            blocking(load, CW_VU_SUCCESS, 0);
            done = true;
        });
        wait(20 * period);
        CHECK(!done); // the unit's one response channel is held
        forward(held, tlm::END_RESP);
        hold = false;
        wait(20 * period);
        CHECK(done);
        sent.clear();
    }

    // Two initiators that run ahead of simulated time, by quantum keepers: who is called first does not matter, only the annotated times
    // do.
    void decoupled()
    {
        transaction late(CW_VU_LOAD, 20, 90, 7), soon(CW_VU_LOAD, 21, 90, 8);
        sc_core::sc_time ended[2];
        int order = 0, rank[2] = {0, 0};
        tlm_utils::tlm_quantumkeeper::set_global_quantum(1000 * period);
        wait(clock.posedge_event());
        const sc_core::sc_time start = sc_core::sc_time_stamp();
        const auto run = [&](transaction &t, int i, int ahead) {
            tlm_utils::tlm_quantumkeeper keeper;
            keeper.reset();
            keeper.inc(ahead * period);
            CHECK(!keeper.need_sync());
            sc_core::sc_time delay = keeper.get_local_time();
            socket->b_transport(t.payload, delay);
            CHECK(t.payload.is_response_ok() && t.ext.outcome == CW_VU_SUCCESS && delay == sc_core::SC_ZERO_TIME);
            keeper.set(delay);
            ended[i] = keeper.get_current_time();
            rank[i] = ++order;
        };
        sc_core::sc_spawn([&] { run(late, 0, 40); });
        sc_core::sc_spawn([&] { run(soon, 1, 10); });
        wait(100 * period);
        CHECK(rank[0] == 2 && rank[1] == 1);
        CHECK(ended[0] == start + 48 * period && ended[1] == start + 18 * period);
    }

    unsigned debug(tlm::tlm_command command, uint64_t address, void *data, unsigned bytes)
    {
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(static_cast<unsigned char *>(data));
        payload.set_data_length(bytes);
        return socket->transport_dbg(payload);
    }

    // Reservations that find no other place lie in the overflow area: entry by entry, granule and owner stand where the contract says.
    void overflow_area()
    {
        constexpr unsigned entry = 4 * CW_VU_OVERFLOW_WORDS, granules = 1150;
        uint32_t word[CW_VU_OVERFLOW_WORDS] = {1};
        CHECK(debug(tlm::TLM_READ_COMMAND, 0, word, entry) == entry && word[0] == 0);
        for (unsigned g = 0; g < granules; g++) {
            transaction store(CW_VU_STORE, 1000 + g, 100, 9);
            store.ext.spill = true;
            blocking(store, CW_VU_SUCCESS, 0);
        }
        std::vector<bool> seen(granules);
        unsigned found = 0;
        const sc_core::sc_time before = sc_core::sc_time_stamp();
        for (;; found++) {
            CHECK(debug(tlm::TLM_READ_COMMAND, entry * found, word, entry) == entry);
            const uint32_t granule = word[0] & 0x3fffffff;
            if (granule == 0)
                break;
            const uint64_t owner = word[3] >> 14 & 0xfff; // above granule (30), wts, rts (32 each), writes (16)
            CHECK(granule >= 1000 && granule < 1000 + granules && !seen[granule - 1000] && owner == 9);
            seen[granule - 1000] = true;
        }
        CHECK(found > 50 && sc_core::sc_time_stamp() == before);
        const uint64_t end = uint64_t{entry} << 12; // overflow_w = 12
        uint32_t mark = 0x12345678, back = 0;
        CHECK(debug(tlm::TLM_WRITE_COMMAND, end - 4, &mark, 4) == 4 && debug(tlm::TLM_READ_COMMAND, end - 4, &back, 8) == 4 &&
              back == mark);
        CHECK(debug(tlm::TLM_READ_COMMAND, end, &back, 4) == 0 && debug(tlm::TLM_IGNORE_COMMAND, 0, &back, 4) == 0);
    }

    void main()
    {
        reset.write(true);
        wait(clock.posedge_event());
        reset.write(false);
        wait(2000 * period); // the tables are cleared
        blocking_calls();
        phases();
        back_pressure();
        refusals();
        violations();
        mixed();
        decoupled();
        overflow_area();
        finished = true;
        sc_core::sc_stop();
    }
};

} // namespace

int sc_main(int, char **)
{
    cw_validation_unit_params params{};
    cw_unit_params_default(&cw_validation_unit_unit, &params);
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    bench top("top", params);
    sc_core::sc_start(1, sc_core::SC_MS);
    printf("%d checks, %d failed%s\n", checks, failures, top.finished ? "" : "; and it did not come to its end");
    return failures != 0 || !top.finished || checks < 60 ? 1 : 0;
}
