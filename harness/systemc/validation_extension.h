// SPDX-License-Identifier: Apache-2.0
//
// What a transaction to a validation unit carries beside its address: an extension of the TLM-2.0 generic payload. docs/systemc.md.
#ifndef COWARP_SYSTEMC_VALIDATION_EXTENSION_H
#define COWARP_SYSTEMC_VALIDATION_EXTENSION_H

#include <cstdint>

#include <tlm>

#include "cowarp/unit/validation_unit.h"

namespace cowarp
{

// The command of the payload is TLM_IGNORE_COMMAND: the unit moves no data. Its address is the granule's first byte.
struct validation_extension : tlm::tlm_extension<validation_extension> {
    // Set by the initiator before BEGIN_REQ or b_transport, left alone by the target.
    cw_vu_kind kind = CW_VU_LOAD;
    uint64_t warpts = 0; // LOAD, STORE: logical time of the warp, ts_w bits
    uint32_t owner = 0;  // global warp number, owner_w bits
    uint32_t id = 0;     // the initiator's own tag, any value; the target has its own req_id on the pins
    uint32_t count = 1;  // RELEASE: writes to give back, count_w bits, at least 1
    bool spill = false;  // STORE: may use the overflow area

    // Set by the target before BEGIN_RESP or the return of b_transport, when the response status is TLM_OK_RESPONSE.
    cw_vu_outcome outcome = CW_VU_SUCCESS; // RELEASE: always SUCCESS
    uint64_t ts = 0;                       // timestamp that refused the request, as rsp_ts of the unit's contract

    tlm::tlm_extension_base *clone() const override
    {
        return new validation_extension(*this);
    }
    void copy_from(const tlm::tlm_extension_base &other) override
    {
        *this = static_cast<const validation_extension &>(other);
    }
};

} // namespace cowarp

#endif
