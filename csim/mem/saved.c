/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of device memory as state (base/state.h). Pages of zeros take a byte each. */
#include <string.h>

#include "mem/device_memory_private.h"
#include "mem/row.h"
#include "mem/version.h"

#define PAGE 4096u

static bool is_zero(const uint8_t *at, size_t bytes)
{
    return bytes == 0 || (at[0] == 0 && memcmp(at, at + 1, bytes - 1) == 0);
}

static void extent_state(struct cw_state *s, uint8_t *at, uint64_t bytes)
{
    for (uint64_t done = 0; done < bytes && s->status == CW_OK; done += PAGE) {
        const size_t piece = bytes - done < PAGE ? (size_t)(bytes - done) : PAGE;
        const bool was_zero = is_zero(at + done, piece);
        bool zero = was_zero;
        CW_STATE(s, zero);
        if (!zero)
            cw_state_array(s, "page", at + done, piece, 1);
        else if (!was_zero)
            memset(at + done, 0, piece);
    }
}

/* The allocations are the host's: who loads has made them already. */
static void regions_state(struct cw_state *s, const struct cw_memory *m)
{
    uint32_t spans = m->span_cnt;
    CW_STATE(s, spans);
    if (spans != m->span_cnt)
        cw_state_fail(s, CW_EINVAL, "%u allocated areas were saved, and there are %u: the program is not the one that was saved", spans,
                      m->span_cnt);
    for (uint32_t i = 0; i < m->span_cnt; i++) {
        uint64_t base = m->span[i].base, bytes = m->span[i].bytes;
        CW_STATE(s, base);
        CW_STATE(s, bytes);
        if (base != m->span[i].base || bytes != m->span[i].bytes)
            cw_state_fail(s, CW_EINVAL, "an allocated area is not where it was saved: the program is not the one that was saved");
    }
}

void cw_memory_state(struct cw_state *s, struct cw_memory *m)
{
    cw_state_group(s, "memory", 0);
    regions_state(s, m);
    CW_STATE(s, m->newest);
    for (uint32_t i = 0; i < m->span_cnt && s->status == CW_OK; i++) {
        const struct cw_memory_span span = m->span[i];
        extent_state(s, cw_memory__at(m, span.base), span.bytes);
        if (cw_memory_is_pm(span.base))
            extent_state(s, m->durable + (span.base - CW_PM_BASE), span.bytes);
    }
    for (uint32_t i = 0; i < m->range_cnt && s->status == CW_OK; i++) /* all slots, of which only the first is allocated */
        extent_state(s, cw_memory__at(m, cw_row_base(m->range_config, m->range[i].row)),
                     m->range[i].reach * cw_row_set_bytes(m->range_config));
}
