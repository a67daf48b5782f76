/* SPDX-License-Identifier: Apache-2.0 */
/* The units of a core: a bank_detector for each bank of shared memory, tcm_select, shadow_address. */
#include "mech/local/core_private.h"

static uint32_t bits_for(uint32_t cnt)
{
    uint32_t bits = 1;
    while (UINT32_C(1) << bits < cnt)
        bits++;
    return bits;
}

int cw_local__units_create(struct cw_local_core *c, struct cw_error *err)
{
    const struct cw_local *l = c->local;
    const struct cw_config *config = l->host.config;
    const uint32_t rows = config->core_shared_bytes / CW_LOCAL_ROW_BYTES;
    const struct cw_adapt_bank_detector_size size = {.work_items = CW_LOCAL_ITEMS,
                                                     .lane_bits = bits_for(l->width),
                                                     .groups = config->core_blocks,
                                                     .words = rows,
                                                     .sig_bits = l->keys.ltm_sig_bits,
                                                     .wsig_bits = l->keys.ltm_wsig_bits,
                                                     .hashes = l->keys.ltm_hashes};
    int status = CW_OK;
    for (uint32_t bank = 0; bank < CW_LOCAL_BANKS && status == CW_OK; bank++)
        status = cw_adapt_bank_detector_create(&c->bank[bank], l->host.units, c->index, bank, &size, err);
    if (status == CW_OK)
        status = cw_adapt_tcm_select_create(&c->select, l->host.units, c->index, l->width, err);
    if (status == CW_OK)
        status = cw_adapt_shadow_address_create(&c->shadow, l->host.units, c->index, bits_for(CW_LOCAL_BANKS), bits_for(rows), err);
    return status;
}

void cw_local__units_destroy(struct cw_local_core *c)
{
    for (uint32_t bank = 0; bank < CW_LOCAL_BANKS; bank++)
        cw_adapt_bank_detector_destroy(c->bank[bank]);
    cw_adapt_tcm_select_destroy(c->select);
    cw_adapt_shadow_address_destroy(c->shadow);
}

/* What the bank knows of the word goes along. Deliberate faults lie about it. */
static void drive_request(struct cw_local_core *c, struct cw_adapt_bank_detector_in *in, const struct cw_local_ask *ask)
{
    const struct cw_local *l = c->local;
    const uint32_t group = c->wave[ask->warp].group;
    const struct cw_local_word *word = &c->group[group].word[ask->word];
    in->request = true;
    in->group = group;
    in->item = cw_local__item(c, ask->warp, ask->lane);
    in->word = ask->word / CW_LOCAL_BANKS;
    in->write = ask->write && l->sabotage != CW_LOCAL_FORGET_WRITE_SIGNATURE;
    in->owned = word->owned;
    in->owner = word->owned ? cw_local__owner(c, group, ask->word) : 0;
    in->shared = word->shared;
    in->modified = word->modified && l->sabotage != CW_LOCAL_IGNORE_M;
    if (l->sabotage == CW_LOCAL_SKIP_OWNERSHIP && !word->owned) {
        in->owned = true;
        in->owner = in->item;
    }
}

/* The clear at the head of the queue; banks that it does not concern hear nothing. */
static void drive_clear(struct cw_adapt_bank_detector_in *in, const struct cw_local_clear *clear, uint32_t bank)
{
    in->clear = (clear->banks >> bank & 1u) != 0;
    in->begin = (clear->write_banks >> bank & 1u) != 0;
    in->clear_group = in->begin_group = clear->group;
    in->clear_wave = in->begin_wave = clear->number;
    in->clear_lanes = clear->lanes;
}

static void clock_bank(struct cw_local_core *c, uint32_t bank, const struct cw_local_ask *ask, const struct cw_local_clear *clear,
                       struct cw_local_answer *answer)
{
    struct cw_adapt_bank_detector_in in = {.mode = (enum cw_local_detect)c->local->keys.ltm_detect};
    struct cw_adapt_bank_detector_view v;
    if (ask != NULL)
        drive_request(c, &in, ask);
    if (clear != NULL)
        drive_clear(&in, clear, bank);
    cw_adapt_bank_detector_clock(c->bank[bank], &in, &v);
    if (v.quiet)
        cw_local__quiet(c, v.quiet_group, bank);
    if (v.answer)
        *answer = (struct cw_local_answer){v.conflict, v.met, v.backup, v.own, v.share, v.modify, v.owner};
    c->awake = (c->awake & ~(1u << bank)) | (uint32_t)cw_adapt_bank_detector_busy(c->bank[bank]) << bank;
}

const struct cw_local_pass *cw_local__detect(struct cw_local_core *c, const struct cw_local_pass *pass,
                                             struct cw_local_answer answer[CW_LOCAL_BANKS], cw_time now)
{
    const struct cw_local_clear *clear = c->clear_ring.cnt > 0 ? &c->clear[c->clear_ring.head] : NULL;
    const uint32_t asked = pass != NULL ? pass->banks : 0, cleared = clear != NULL ? clear->banks | clear->write_banks : 0;
    for (uint32_t left = asked | cleared | c->awake; left != 0; left &= left - 1) {
        const uint32_t bank = (uint32_t)__builtin_ctz(left);
        clock_bank(c, bank, (asked >> bank & 1u) != 0 ? &pass->ask[bank] : NULL, (cleared >> bank & 1u) != 0 ? clear : NULL, answer + bank);
    }
    if (clear != NULL) {
        c->wave[clear->warp].clears--;
        cw_ring_take(&c->clear_ring, c->undo_cap);
    }
    const struct cw_local_pass *oldest = &c->pass[c->pass_ring.head];
    return c->pass_ring.cnt > 0 && oldest->cycle + CW_LOCAL_PHASES == now / c->local->period ? oldest : NULL;
}
