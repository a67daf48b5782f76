/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/row_copy_engine.h"

#include <stdlib.h>

#include "adapt/open.h"
#include "base/ring.h"

#define BANKS 64u

struct cw_adapt_row_copy_engine {
    struct cw_unit_instance unit;
    uint32_t regions;
    bool busy, starts;
    bool sleeps; /* until a command is back */
    uint32_t from, to;
    uint64_t mask;
    uint32_t returns; /* not heard yet: of CLEAN and DROP; of COPY, by bank, of which each has one at most: */
    uint8_t copied[BANKS];
    struct cw_ring copied_ring;
};

static void clock(struct cw_adapt_row_copy_engine *e, const struct cw_row_copy_engine_in *in, struct cw_row_copy_engine_out *out)
{
    e->unit.ops->eval(e->unit.self, in, out);
    e->unit.ops->tick(e->unit.self, in);
}

int cw_adapt_row_copy_engine_create(struct cw_adapt_row_copy_engine **out, const struct cw_unit_provider *units,
                                    const struct cw_adapt_row_copy_engine_config *config, struct cw_error *err)
{
    struct cw_adapt_row_copy_engine *e = *out = calloc(1, sizeof *e);
    struct cw_row_copy_engine_params p;
    if (e == NULL)
        return CW_ENOMEM;
    cw_unit_params_default(&cw_row_copy_engine_unit, &p);
    p.stride_w = cw_adapt_bits(config->stride);
    p.row_w = cw_adapt_bits(config->rows);
    p.row_w = p.row_w > p.stride_w ? p.row_w : p.stride_w + 1;
    p.banks = config->banks;
    p.lines = config->lines;
    p.regions = e->regions = config->regions;
    return cw_adapt_open(&e->unit, units, &cw_row_copy_engine_unit, "partition", config->partition, &p, err);
}

void cw_adapt_row_copy_engine_destroy(struct cw_adapt_row_copy_engine *e)
{
    if (e == NULL)
        return;
    cw_adapt_close(&e->unit);
    free(e);
}

void cw_adapt_row_copy_engine_launch(struct cw_adapt_row_copy_engine *e, const struct cw_adapt_row_copy_engine_region *region, uint32_t cnt)
{
    struct cw_row_copy_engine_out none;
    for (uint32_t i = 0; i < cnt; i++) {
        const struct cw_row_copy_engine_in in = {.set_valid = 1,
                                                 .set_index = i,
                                                 .set_first = region[i].first,
                                                 .set_rows = region[i].rows,
                                                 .set_tail = region[i].tail,
                                                 .set_shift = region[i].shift,
                                                 .set_stride = region[i].stride};
        clock(e, &in, &none);
    }
}

void cw_adapt_row_copy_engine_start(struct cw_adapt_row_copy_engine *e, uint32_t from, uint32_t to, uint64_t regions)
{
    e->busy = e->starts = true;
    e->sleeps = false;
    e->from = from;
    e->to = to;
    e->mask = regions;
}

void cw_adapt_row_copy_engine_return(struct cw_adapt_row_copy_engine *e, bool copy, uint32_t bank)
{
    if (copy)
        e->copied[cw_ring_add(&e->copied_ring, BANKS)] = (uint8_t)bank;
    else
        e->returns++;
}

bool cw_adapt_row_copy_engine_busy(const struct cw_adapt_row_copy_engine *e)
{
    return e->busy && !(e->sleeps && e->returns == 0 && e->copied_ring.cnt == 0);
}

bool cw_adapt_row_copy_engine_clock(struct cw_adapt_row_copy_engine *e, bool ready, struct cw_adapt_row_copy_engine_command *command,
                                    bool *done)
{
    struct cw_row_copy_engine_in in = {.cmd_ready = ready};
    struct cw_row_copy_engine_out out;
    *done = false;
    if (!cw_adapt_row_copy_engine_busy(e))
        return false;
    if (e->starts) {
        in.start_valid = 1;
        in.start_from = e->from;
        in.start_to = e->to;
        in.start_regions = e->mask;
        e->starts = false;
    }
    if (e->copied_ring.cnt > 0) {
        in.ret_valid = in.ret_copy = 1;
        in.ret_bank = e->copied[cw_ring_take(&e->copied_ring, BANKS)];
    } else if (e->returns > 0) {
        in.ret_valid = 1;
        e->returns--;
    }
    clock(e, &in, &out);
    *done = out.done != 0;
    e->busy = !*done;
    e->sleeps = out.idle != 0 && !in.ret_valid && !in.start_valid;
    *command = (struct cw_adapt_row_copy_engine_command){.kind = (enum cw_row_copy_command)out.cmd_kind,
                                                         .row = out.cmd_row,
                                                         .from = out.cmd_from,
                                                         .to = out.cmd_to,
                                                         .bank = (uint32_t)out.cmd_bank,
                                                         .line = (uint32_t)out.cmd_line};
    return ready && out.cmd_valid != 0;
}

void cw_adapt_row_copy_engine_state(struct cw_state *s, struct cw_adapt_row_copy_engine *e)
{
    cw_adapt_state(s, &e->unit);
    CW_STATE(s, e->busy);
    CW_STATE(s, e->starts);
    CW_STATE(s, e->sleeps);
    CW_STATE(s, e->from);
    CW_STATE(s, e->to);
    CW_STATE(s, e->mask);
    CW_STATE(s, e->returns);
    cw_state_count(s, "oldest copied", &e->copied_ring.head, BANKS - 1);
    cw_state_count(s, "copied", &e->copied_ring.cnt, BANKS);
    CW_STATE(s, e->copied);
}
