// SPDX-License-Identifier: Apache-2.0
//
// A memory partition's validation unit behind a TLM-2.0 target socket (base protocol, validation_extension.h). Model is the unit as a
// SystemC module: cw_sc_validation_unit, or one made at other parameters.
//
// Each transport call touches the pins of the clock cycle in which it is made:
//   BEGIN_REQ   req_* are driven from this cycle on            END_REQ     at the edge that ends the cycle in which the unit took them
//   BEGIN_RESP  at the edge that ends the cycle in which       END_RESP    rsp_ready is 1 again from this cycle on; it is 0 while a
//               the unit's answer was taken                                response of the non-blocking interface is not ended
// A RELEASE has no answer from the unit; its BEGIN_RESP follows END_REQ at the same edge, or when the response channel is free. A call
// between two edges counts for the running cycle, and its time annotation is waited for.
//
// Initiators may be temporally decoupled: whichever runs ahead, requests come at their annotated times and in the order of these. The
// target itself counts cycles and never runs ahead, so the annotation that it returns is zero.
//
// The debug transport reads and writes the unit's overflow area, the one memory of the target, without time and without the unit's notice:
// address a is byte a % 20 of entry a / 20, as include/cowarp/unit/validation_unit.h lays out an entry in 32-bit words.
//
// The unit's overflow area is here, a memory with one access per `overflow_cycles`. Other pins are ports: clk_i, rst_i (to be pulsed only
// while no transaction is open), drain_i, flush_i, rollover_o, busy_o, as in the unit's contract.
#ifndef COWARP_SYSTEMC_VALIDATION_TARGET_H
#define COWARP_SYSTEMC_VALIDATION_TARGET_H

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <type_traits>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

#include "validation_extension.h"

namespace cowarp
{

template <class Model> class validation_target : public sc_core::sc_module
{
  public:
    tlm_utils::simple_target_socket<validation_target> socket{"socket"};
    sc_core::sc_in<bool> clk_i{"clk_i"}, rst_i{"rst_i"}, drain_i{"drain_i"}, flush_i{"flush_i"};
    sc_core::sc_out<bool> rollover_o{"rollover_o"}, busy_o{"busy_o"};

    // params: those that Model was made with. granule_bytes: a power of two. overflow_cycles: at least 1.
    validation_target(sc_core::sc_module_name name, const cw_validation_unit_params &params, uint32_t granule_bytes,
                      uint32_t overflow_cycles)
        : sc_module(name), params_(params), granule_bytes_(granule_bytes), overflow_cycles_(overflow_cycles),
          overflow_(size_t{1} << params.overflow_w), inside_(size_t{1} << params.id_w)
    {
        for (uint32_t id = 0; id < inside_.size(); id++)
            free_ids_.push_back(id);
        bind_pins();
        socket.register_nb_transport_fw(this, &validation_target::nb_transport_fw);
        socket.register_b_transport(this, &validation_target::b_transport);
        socket.register_transport_dbg(this, &validation_target::transport_dbg);
        SC_HAS_PROCESS(validation_target);
        SC_METHOD(edge);
        sensitive << clk_i.pos();
        dont_initialize();
        SC_METHOD(drive);
        sensitive << drive_event_;
    }

  private:
    // The signal that fits a port of the module: bool, uint32_t, uint64_t or sc_bv<N>, as its width at these parameters asks for.
    template <class Port> using signal_for = sc_core::sc_signal<typename std::remove_reference_t<Port>::data_type>;
    template <class Signal> static void put(Signal &signal, uint64_t value)
    {
        signal.write(static_cast<std::decay_t<decltype(signal.read())>>(value));
    }

    struct request {
        tlm::tlm_generic_payload *payload;
        validation_extension *ext;
        bool blocking;
        sc_core::sc_event done{};
        bool numbered = false; // has a req_id, which must not change while it is on the pins
        uint32_t req_id = 0;
    };

    using words = std::array<uint32_t, CW_VU_OVERFLOW_WORDS>;
    static constexpr uint64_t never = UINT64_MAX;

    cw_validation_unit_params params_;
    uint32_t granule_bytes_, overflow_cycles_;
    std::vector<words> overflow_;
    uint64_t cycle_ = 0, memory_free_ = 0, memory_answer_ = never; // clock edges so far, and when the memory is ready and answers
    uint32_t memory_address_ = 0;

    std::deque<request *> waiting_;                        // not yet taken by the unit; the first is on its pins
    std::vector<request *> inside_;                        // loads and stores taken and not answered, by req_id; NULL: this id is free
    std::vector<uint32_t> free_ids_;                       // neither inside nor on the pins
    std::deque<request *> released_;                       // releases taken whose response waits for the channel
    request *responding_ = nullptr;                        // has had BEGIN_RESP and not END_RESP
    const tlm::tlm_generic_payload *requesting_ = nullptr; // has had BEGIN_REQ and not END_REQ
    sc_core::sc_event drive_event_;
    tlm_utils::peq_with_cb_and_phase<validation_target> queue_{this, &validation_target::phase_due};

    Model unit_{"unit"};
    signal_for<decltype(Model::req_valid_i)> req_valid_;
    signal_for<decltype(Model::req_kind_i)> req_kind_;
    signal_for<decltype(Model::req_granule_i)> req_granule_;
    signal_for<decltype(Model::req_warpts_i)> req_warpts_;
    signal_for<decltype(Model::req_owner_i)> req_owner_;
    signal_for<decltype(Model::req_count_i)> req_count_;
    signal_for<decltype(Model::req_id_i)> req_id_;
    signal_for<decltype(Model::req_spill_i)> req_spill_;
    signal_for<decltype(Model::req_ready_o)> req_ready_;
    signal_for<decltype(Model::rsp_valid_o)> rsp_valid_;
    signal_for<decltype(Model::rsp_id_o)> rsp_id_;
    signal_for<decltype(Model::rsp_outcome_o)> rsp_outcome_;
    signal_for<decltype(Model::rsp_ts_o)> rsp_ts_;
    signal_for<decltype(Model::rsp_ready_i)> rsp_ready_;
    signal_for<decltype(Model::mem_valid_o)> mem_valid_;
    signal_for<decltype(Model::mem_write_o)> mem_write_;
    signal_for<decltype(Model::mem_addr_o)> mem_addr_;
    signal_for<decltype(Model::mem_wdata_o)> mem_wdata_;
    signal_for<decltype(Model::mem_ready_i)> mem_ready_;
    signal_for<decltype(Model::mem_rsp_valid_i)> mem_rsp_valid_;
    signal_for<decltype(Model::mem_rdata_i)> mem_rdata_;
    signal_for<decltype(Model::evt_lookup_o)> evt_lookup_;
    signal_for<decltype(Model::evt_table_cycles_o)> evt_table_cycles_;
    signal_for<decltype(Model::evt_stall_o)> evt_stall_;
    signal_for<decltype(Model::evt_retry_o)> evt_retry_;
    signal_for<decltype(Model::evt_evict_o)> evt_evict_;
    signal_for<decltype(Model::evt_stash_o)> evt_stash_;
    signal_for<decltype(Model::evt_overflow_o)> evt_overflow_;
    signal_for<decltype(Model::stall_occupancy_o)> stall_occupancy_;
    signal_for<decltype(Model::stall_lines_used_o)> stall_lines_used_;

    void bind_pins()
    {
        unit_.clk_i(clk_i);
        unit_.rst_i(rst_i);
        unit_.drain_i(drain_i);
        unit_.flush_i(flush_i);
        unit_.rollover_o(rollover_o);
        unit_.busy_o(busy_o);
        unit_.req_valid_i(req_valid_);
        unit_.req_kind_i(req_kind_);
        unit_.req_granule_i(req_granule_);
        unit_.req_warpts_i(req_warpts_);
        unit_.req_owner_i(req_owner_);
        unit_.req_count_i(req_count_);
        unit_.req_id_i(req_id_);
        unit_.req_spill_i(req_spill_);
        unit_.req_ready_o(req_ready_);
        unit_.rsp_valid_o(rsp_valid_);
        unit_.rsp_id_o(rsp_id_);
        unit_.rsp_outcome_o(rsp_outcome_);
        unit_.rsp_ts_o(rsp_ts_);
        unit_.rsp_ready_i(rsp_ready_);
        unit_.mem_valid_o(mem_valid_);
        unit_.mem_write_o(mem_write_);
        unit_.mem_addr_o(mem_addr_);
        unit_.mem_wdata_o(mem_wdata_);
        unit_.mem_ready_i(mem_ready_);
        unit_.mem_rsp_valid_i(mem_rsp_valid_);
        unit_.mem_rdata_i(mem_rdata_);
        unit_.evt_lookup_o(evt_lookup_);
        unit_.evt_table_cycles_o(evt_table_cycles_);
        unit_.evt_stall_o(evt_stall_);
        unit_.evt_retry_o(evt_retry_);
        unit_.evt_evict_o(evt_evict_);
        unit_.evt_stash_o(evt_stash_);
        unit_.evt_overflow_o(evt_overflow_);
        unit_.stall_occupancy_o(stall_occupancy_);
        unit_.stall_lines_used_o(stall_lines_used_);
    }

    static bool fits(uint64_t value, uint32_t width)
    {
        return width >= 64 || value >> width == 0;
    }

    // What the unit could not be asked. TLM_OK_RESPONSE: nothing is wrong.
    tlm::tlm_response_status refusal(tlm::tlm_generic_payload &payload) const
    {
        const auto *ext = payload.get_extension<validation_extension>();
        if (ext == nullptr || payload.get_command() != tlm::TLM_IGNORE_COMMAND)
            return tlm::TLM_COMMAND_ERROR_RESPONSE;
        if (payload.get_address() % granule_bytes_ != 0 || !fits(payload.get_address() / granule_bytes_, params_.granule_w))
            return tlm::TLM_ADDRESS_ERROR_RESPONSE;
        if (payload.get_byte_enable_ptr() != nullptr)
            return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
        const bool release = ext->kind == CW_VU_RELEASE;
        const bool fields = fits(ext->owner, params_.owner_w) &&
                            (release ? ext->count > 0 && fits(ext->count, params_.count_w) : fits(ext->warpts, params_.ts_w));
        if (ext->kind > CW_VU_RELEASE || !fields)
            return tlm::TLM_GENERIC_ERROR_RESPONSE;
        return tlm::TLM_OK_RESPONSE;
    }

    void enter(request *r)
    {
        waiting_.push_back(r);
        drive_event_.notify(sc_core::SC_ZERO_TIME);
    }

    // ---- transport

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay)
    {
        if (phase == tlm::BEGIN_REQ && requesting_ != nullptr) {
            SC_REPORT_ERROR(name(), "BEGIN_REQ before END_REQ of the transaction before: one request at a time (request exclusion rule)");
            return tlm::TLM_ACCEPTED;
        }
        if (phase != tlm::BEGIN_REQ && phase != tlm::END_RESP) {
            SC_REPORT_ERROR(name(), "nb_transport_fw: a phase that the base protocol does not have in this direction");
            return tlm::TLM_ACCEPTED;
        }
        if (phase == tlm::BEGIN_REQ) {
            payload.acquire();
            requesting_ = &payload;
        }
        queue_.notify(payload, phase, delay);
        return tlm::TLM_ACCEPTED;
    }

    void phase_due(tlm::tlm_generic_payload &payload, const tlm::tlm_phase &phase)
    {
        if (phase == tlm::END_RESP) {
            if (responding_ == nullptr || responding_->payload != &payload) {
                SC_REPORT_ERROR(name(), "END_RESP of a transaction that has had no BEGIN_RESP");
                return;
            }
            finish(responding_);
            responding_ = nullptr;
            drive_event_.notify(sc_core::SC_ZERO_TIME);
            return;
        }
        auto *r = new request{&payload, payload.get_extension<validation_extension>(), false};
        const tlm::tlm_response_status status = refusal(payload);
        if (status == tlm::TLM_OK_RESPONSE) {
            enter(r);
            return;
        }
        payload.set_response_status(status);
        say(r, tlm::END_REQ);
        released_.push_back(r);
        drive_event_.notify(sc_core::SC_ZERO_TIME);
    }

    void b_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
    {
        wait(delay);
        delay = sc_core::SC_ZERO_TIME;
        const tlm::tlm_response_status status = refusal(payload);
        payload.set_response_status(status);
        if (status != tlm::TLM_OK_RESPONSE)
            return;
        request r{&payload, payload.get_extension<validation_extension>(), true};
        enter(&r);
        wait(r.done);
    }

    // The bytes that lie in the overflow area; 0 for other commands.
    unsigned int transport_dbg(tlm::tlm_generic_payload &payload)
    {
        const uint64_t size = overflow_.size() * sizeof(words), first = payload.get_address();
        if (first >= size || (!payload.is_read() && !payload.is_write()))
            return 0;
        const auto bytes = static_cast<unsigned int>(std::min<uint64_t>(payload.get_data_length(), size - first));
        unsigned char *area = reinterpret_cast<unsigned char *>(overflow_.data()) + first;
        if (payload.is_read())
            memcpy(payload.get_data_ptr(), area, bytes);
        else
            memcpy(area, payload.get_data_ptr(), bytes);
        return bytes;
    }

    tlm::tlm_sync_enum say(request *r, tlm::tlm_phase phase)
    {
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        if (phase == tlm::END_REQ)
            requesting_ = nullptr;
        const tlm::tlm_sync_enum answer = socket->nb_transport_bw(*r->payload, phase, delay);
        return answer == tlm::TLM_UPDATED && phase == tlm::END_RESP ? tlm::TLM_COMPLETED : answer;
    }

    void finish(request *r)
    {
        r->payload->release();
        delete r;
    }

    // The transaction is over as far as the unit is concerned.
    void respond(request *r)
    {
        if (r->blocking) {
            r->done.notify();
        } else if (say(r, tlm::BEGIN_RESP) == tlm::TLM_COMPLETED) {
            finish(r);
        } else {
            responding_ = r;
        }
    }

    // ---- pins

    void edge()
    {
        if (!rst_i.read()) {
            const bool requested = req_valid_.read() && req_ready_.read();
            const bool answered = rsp_valid_.read() && rsp_ready_.read();
            serve_memory();
            if (requested)
                take_request();
            if (answered)
                take_answer();
        }
        cycle_++;
        drive_event_.notify(sc_core::SC_ZERO_TIME);
    }

    void take_request()
    {
        request *r = waiting_.front();
        waiting_.pop_front();
        if (!r->blocking)
            say(r, tlm::END_REQ);
        if (r->ext->kind != CW_VU_RELEASE) {
            inside_[r->req_id] = r;
            return;
        }
        r->ext->outcome = CW_VU_SUCCESS;
        r->ext->ts = 0;
        r->payload->set_response_status(tlm::TLM_OK_RESPONSE);
        released_.push_back(r);
    }

    void take_answer()
    {
        const auto id = static_cast<uint32_t>(rsp_id_.read());
        request *r = inside_[id];
        if (r == nullptr) {
            SC_REPORT_FATAL(name(), "the unit has answered a request that it was not sent");
            return;
        }
        inside_[id] = nullptr;
        free_ids_.push_back(id);
        r->ext->outcome = static_cast<cw_vu_outcome>(rsp_outcome_.read());
        r->ext->ts = rsp_ts_.read();
        r->payload->set_response_status(tlm::TLM_OK_RESPONSE);
        respond(r);
    }

    void serve_memory()
    {
        if (mem_rsp_valid_.read())
            memory_answer_ = never;
        if (!mem_ready_.read() || !mem_valid_.read())
            return;
        const auto address = static_cast<uint32_t>(mem_addr_.read());
        memory_free_ = cycle_ + overflow_cycles_;
        if (mem_write_.read()) {
            for (uint32_t i = 0; i < CW_VU_OVERFLOW_WORDS; i++)
                overflow_[address][i] = static_cast<uint32_t>(mem_wdata_.read().get_word(static_cast<int>(i)));
        } else {
            memory_address_ = address;
            memory_answer_ = memory_free_;
        }
    }

    void number(request &r)
    {
        if (r.numbered || free_ids_.empty())
            return;
        r.req_id = free_ids_.back();
        r.numbered = true;
        free_ids_.pop_back();
    }

    // Inputs of the running cycle.
    void drive()
    {
        while (!released_.empty() && (responding_ == nullptr || released_.front()->blocking)) {
            request *r = released_.front();
            released_.pop_front();
            respond(r);
        }
        rsp_ready_.write(responding_ == nullptr);
        mem_ready_.write(cycle_ >= memory_free_);
        mem_rsp_valid_.write(memory_answer_ <= cycle_);
        if (memory_answer_ <= cycle_) {
            sc_dt::sc_bv<160> data;
            for (uint32_t i = 0; i < CW_VU_OVERFLOW_WORDS; i++)
                data.set_word(static_cast<int>(i), overflow_[memory_address_][i]);
            mem_rdata_.write(data);
        }
        const bool release = !waiting_.empty() && waiting_.front()->ext->kind == CW_VU_RELEASE;
        if (!waiting_.empty() && !release)
            number(*waiting_.front());
        const bool valid = !waiting_.empty() && (release || waiting_.front()->numbered);
        req_valid_.write(valid);
        if (!valid)
            return;
        const request &r = *waiting_.front();
        put(req_kind_, r.ext->kind);
        put(req_granule_, r.payload->get_address() / granule_bytes_);
        put(req_warpts_, release ? 0 : r.ext->warpts);
        put(req_owner_, r.ext->owner);
        put(req_count_, release ? r.ext->count : 0);
        put(req_id_, r.req_id);
        put(req_spill_, !release && r.ext->spill);
    }
};

} // namespace cowarp

#endif
