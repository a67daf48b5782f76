/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The overflow area's memory behind the ports mem_* of a table. A unit's test includes this once, after it has the types in_t and out_t of
 * the unit.
 */
#ifndef CW_TESTS_RTL_OVERFLOW_MEMORY_H
#define CW_TESTS_RTL_OVERFLOW_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define OVERFLOW_MAX 4096u /* entries */

struct overflow_memory {
    in_t last_in; /* the caller's to set at the end of each cycle */
    bool reading;
    uint64_t address;
    uint8_t entry[OVERFLOW_MAX][sizeof((in_t *)0)->mem_rdata];
};

/* Takes the access of the cycle before, of which `out` are the outputs, and drives the answer to a read in this or a later cycle. */
static inline void overflow_memory_step(struct overflow_memory *m, const out_t *out, in_t *in, bool answer_now)
{
    if (out->mem_valid && (m->last_in.mem_ready & 1)) {
        if (out->mem_write)
            memcpy(m->entry[out->mem_addr], out->mem_wdata, sizeof m->entry[0]);
        else {
            m->reading = true;
            m->address = out->mem_addr;
        }
    }
    in->mem_rsp_valid = m->reading && answer_now;
    if (in->mem_rsp_valid) {
        memcpy(in->mem_rdata, m->entry[m->address], sizeof in->mem_rdata);
        m->reading = false;
    }
}

#endif
