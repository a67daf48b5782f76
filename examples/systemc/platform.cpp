// SPDX-License-Identifier: Apache-2.0
//
// A small virtual platform: one initiator that replays a recorded stream of requests, one validation unit (RTL) behind a TLM-2.0 socket,
// the four-phase protocol or blocking calls between them. Prints "cycle id outcome ts" for every answer; the cycle is the one in which the
// unit gave it.
//
// Usage: systemc_platform FILE.stim [EVERY CYCLES | blocking]
//   FILE.stim    of `cowarp run ... --record partition0.validation_unit=FILE.stim`; of its lines, those that send a request are used
//   EVERY CYCLES the initiator holds every EVERY-th answer for CYCLES cycles before END_RESP: back-pressure. Default: none is held
//   blocking     every request is a b_transport of a thread of its own
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define SC_INCLUDE_DYNAMIC_PROCESSES // sc_spawn
#include <tlm_utils/simple_initiator_socket.h>

#include "validation_target.h"

extern "C" {
#include "play/script.h"
}
#include CW_PLATFORM_HEADER

namespace
{

constexpr uint32_t granule_bytes = 32, overflow_cycles = 8;
constexpr uint64_t drain_cycles = 20000; // after the last request, for answers that are still to come

struct request {
    uint64_t cycle; // not before
    uint64_t granule;
    cowarp::validation_extension ext;
};

// Field of a "send req" line; 0 when the line does not name it.
uint64_t field(const cw_script_line &line, const char *name)
{
    for (uint32_t i = 0; i < line.assign_cnt; i++)
        if (strcmp(line.assign[i].port->name, name) == 0)
            return line.assign[i].value;
    return 0;
}

std::vector<request> requests_of(const cw_script &script)
{
    std::vector<request> list;
    for (uint32_t i = 0; i < script.line_cnt; i++) {
        const cw_script_line &line = script.line[i];
        if (line.verb != CW_SCRIPT_SEND || strcmp(line.channel.valid->name, "req_valid") != 0)
            continue;
        request r{line.absolute ? line.at : 0, field(line, "req_granule"), {}};
        r.ext.kind = static_cast<cw_vu_kind>(field(line, "req_kind"));
        r.ext.warpts = field(line, "req_warpts");
        r.ext.owner = static_cast<uint32_t>(field(line, "req_owner"));
        r.ext.count = static_cast<uint32_t>(field(line, "req_count"));
        r.ext.id = static_cast<uint32_t>(field(line, "req_id"));
        r.ext.spill = field(line, "req_spill") != 0;
        list.push_back(r);
    }
    return list;
}

// Payloads with their extension, used again when the last reference is gone.
class payload_pool : public tlm::tlm_mm_interface
{
  public:
    ~payload_pool() override
    {
        for (tlm::tlm_generic_payload *p : free_)
            delete p; // and its extension
    }
    tlm::tlm_generic_payload *get()
    {
        if (free_.empty()) {
            auto *p = new tlm::tlm_generic_payload(this);
            p->set_extension(new cowarp::validation_extension);
            free_.push_back(p);
        }
        tlm::tlm_generic_payload *p = free_.back();
        free_.pop_back();
        p->acquire();
        return p;
    }
    void free(tlm::tlm_generic_payload *p) override
    {
        free_.push_back(p);
    }

  private:
    std::vector<tlm::tlm_generic_payload *> free_;
};

class initiator : public sc_core::sc_module
{
  public:
    tlm_utils::simple_initiator_socket<initiator> socket{"socket"};
    sc_core::sc_in<bool> clk_i{"clk_i"};
    sc_core::sc_out<bool> rst_o{"rst_o"};
    uint64_t answers = 0, ends = 0;

    SC_HAS_PROCESS(initiator);
    initiator(sc_core::sc_module_name name, const std::vector<request> &requests, bool blocking, uint64_t every, uint64_t hold,
              sc_core::sc_time period)
        : sc_module(name), requests_(requests), blocking_(blocking), every_(every), hold_(hold), period_(period)
    {
        socket.register_nb_transport_bw(this, &initiator::nb_transport_bw);
        SC_METHOD(edge);
        sensitive << clk_i.pos();
        dont_initialize();
        SC_METHOD(send);
        sensitive << send_event_;
        dont_initialize();
        rst_o.initialize(true);
    }

  private:
    const std::vector<request> &requests_;
    const bool blocking_;
    payload_pool pool_;
    size_t next_ = 0;
    tlm::tlm_generic_payload *requesting_ = nullptr; // has had BEGIN_REQ and not END_REQ
    tlm::tlm_generic_payload *held_ = nullptr;       // its END_RESP is due in held_until_
    uint64_t held_until_ = 0, last_cycle_ = 0, every_, hold_;
    sc_core::sc_time period_;
    sc_core::sc_event send_event_;

    // The first edge resets; cycle 0 begins with it.
    uint64_t cycle() const
    {
        return static_cast<uint64_t>(sc_core::sc_time_stamp() / period_ + 0.5) - 1;
    }

    void edge()
    {
        rst_o.write(false);
        if (held_ != nullptr && cycle() == held_until_) {
            tlm::tlm_phase phase = tlm::END_RESP;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            socket->nb_transport_fw(*held_, phase, delay);
            held_->release();
            held_ = nullptr;
        }
        if (next_ < requests_.size())
            last_cycle_ = cycle();
        else if (cycle() > last_cycle_ + drain_cycles || ends == requests_.size())
            sc_core::sc_stop();
        send_event_.notify(sc_core::SC_ZERO_TIME);
    }

    tlm::tlm_generic_payload *payload_of(const request &r)
    {
        tlm::tlm_generic_payload *payload = pool_.get();
        payload->set_command(tlm::TLM_IGNORE_COMMAND);
        payload->set_address(r.granule * granule_bytes);
        payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        payload->get_extension<cowarp::validation_extension>()->copy_from(r.ext);
        return payload;
    }

    // One thread of the platform's software, as it were: it goes on when it has its answer.
    void call(tlm::tlm_generic_payload &payload)
    {
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(payload, delay);
        take(payload);
        payload.release();
    }

    void send()
    {
        if (requesting_ != nullptr || next_ == requests_.size() || requests_[next_].cycle > cycle())
            return;
        tlm::tlm_generic_payload *payload = payload_of(requests_[next_++]);
        if (blocking_) {
            sc_core::sc_spawn([this, payload] { call(*payload); });
            return;
        }
        requesting_ = payload;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->nb_transport_fw(*requesting_, phase, delay);
    }

    // Whether it is an answer: a release has none.
    bool take(const tlm::tlm_generic_payload &payload)
    {
        ends++;
        const auto *ext = payload.get_extension<cowarp::validation_extension>();
        if (!payload.is_response_ok())
            SC_REPORT_FATAL(name(), payload.get_response_string().c_str());
        if (ext->kind == CW_VU_RELEASE)
            return false;
        printf("%" PRIu64 " %u %d %" PRIu64 "\n", cycle() - 1, ext->id, ext->outcome, ext->ts);
        answers++;
        return true;
    }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &)
    {
        if (phase == tlm::END_REQ) {
            requesting_ = nullptr;
            send_event_.notify(sc_core::SC_ZERO_TIME); // the next may begin in the cycle that begins now
            return tlm::TLM_ACCEPTED;
        }
        if (!take(payload) || every_ == 0 || answers % every_ != 0) {
            payload.release();
            return tlm::TLM_COMPLETED;
        }
        held_ = &payload;
        held_until_ = cycle() + hold_;
        return tlm::TLM_ACCEPTED;
    }
};

struct platform : sc_core::sc_module {
    sc_core::sc_clock clock;
    sc_core::sc_signal<bool> reset{"reset"}, drain{"drain"}, flush{"flush"}, rollover{"rollover"}, busy{"busy"};
    initiator cores;
    cowarp::validation_target<CW_PLATFORM_MODULE> unit;

    platform(sc_core::sc_module_name name, const std::vector<request> &requests, const cw_script &script, bool blocking, uint64_t every,
             uint64_t hold, sc_core::sc_time period)
        : sc_module(name), clock("clock", period, 0.5, period), cores("cores", requests, blocking, every, hold, period),
          unit("unit", *static_cast<const cw_validation_unit_params *>(script.params), granule_bytes, overflow_cycles)
    {
        cores.clk_i(clock);
        cores.rst_o(reset);
        unit.clk_i(clock);
        unit.rst_i(reset);
        unit.drain_i(drain);
        unit.flush_i(flush);
        unit.rollover_o(rollover);
        unit.busy_o(busy);
        cores.socket.bind(unit.socket);
    }
};

// The module's parameters are fixed when Verilator runs.
bool same_parameters(const cw_script &script)
{
    cw_validation_unit_params own{};
    cw_unit_params_default(&cw_validation_unit_unit, &own);
#define CW_PARAM(name, value) own.name = value;
    CW_PLATFORM_PARAMS
    return memcmp(&own, script.params, sizeof own) == 0;
}

} // namespace

int sc_main(int argc, char **argv)
{
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    static const cw_unit *const units[] = {&cw_validation_unit_unit, nullptr};
    cw_script script{};
    cw_error err{};
    const bool blocking = argc == 3 && strcmp(argv[2], "blocking") == 0;
    if (argc != 2 && argc != 4 && !blocking) {
        fprintf(stderr, "usage: systemc_platform FILE.stim [EVERY CYCLES | blocking]\n");
        return 2;
    }
    if (cw_script_read(&script, argv[1], units, &err) != CW_OK || !same_parameters(script)) {
        fprintf(stderr, "systemc_platform: %s\n", err.text[0] != '\0' ? err.text : "the recording has other parameters than this module");
        cw_script_destroy(&script);
        return 2;
    }
    const std::vector<request> requests = requests_of(script);
    const uint64_t every = argc == 4 ? strtoull(argv[2], nullptr, 0) : 0, hold = argc == 4 ? strtoull(argv[3], nullptr, 0) : 0;
    {
        platform top("top", requests, script, blocking, every, hold, sc_core::sc_time(1, sc_core::SC_NS));
        sc_core::sc_start();
        fprintf(stderr, "%zu requests, %" PRIu64 " answers\n", requests.size(), top.cores.answers);
    }
    cw_script_destroy(&script);
    return 0;
}
