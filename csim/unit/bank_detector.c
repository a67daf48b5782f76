/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of the bank detector (contract: include/cowarp/unit/bank_detector.h).
 *
 * A request is answered as a whole when it comes, and its answer waits in a line of three. The bits that a word sets are its pattern. Of
 * each pattern the model counts the work-items of a group whose signatures hit it, so that a look-up costs the same for any number of them.
 */
#include "cowarp/unit/bank_detector.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/state.h"
#include "unit/h3.h"

#define LATENCY  3u
#define HASH_MAX 2u

/* Bloom filters of one width. */
struct filter {
    uint32_t part_w, part_bits; /* of a part: bits of a hash; bits */
    uint32_t hashes;
    struct cw_h3 hash[HASH_MAX];
};

/* The work-items and wavefronts of a slot. */
struct group {
    bool *live;          /* [item] */
    uint32_t *signature; /* [item] */
    uint64_t *written;   /* [wavefront] write signature */
    uint16_t *hit_cnt;   /* [pattern] work-items whose signature hits it */
    uint32_t live_cnt;
};

/* What the cycle of a clear and a request will say in its turn. */
struct answer {
    bool valid, conflict, met, backup, own, share, modify;
    uint32_t group, item, word, owner;
    bool quiet;
    uint32_t quiet_group;
};

struct detector {
    struct cw_bank_detector_params p;
    uint32_t waves, lanes, slots, pattern_cnt;
    uint32_t group_mask, item_mask, wave_mask, word_mask;
    struct filter accessed, written;
    struct group *group;         /* [slots] */
    struct answer line[LATENCY]; /* newest first */
    uint32_t in_line;            /* of these, that say something */
};

/* What a request knows of its word. */
struct word {
    bool owned, shared, modified;
    uint32_t owner;
};

/* ---- Bloom filters */

static void filter_init(struct filter *f, uint32_t bits, uint32_t hashes, uint32_t way, uint32_t word_w)
{
    f->hashes = hashes;
    f->part_bits = bits / hashes;
    while (1u << f->part_w < f->part_bits)
        f->part_w++;
    for (uint32_t i = 0; i < hashes; i++)
        cw_h3_init(f->hash + i, cw_h3_way_seed(way + i), word_w, f->part_w);
}

/* The bits that a word sets. */
static uint64_t filter_bits(const struct filter *f, uint32_t word)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < f->hashes; i++)
        bits |= UINT64_C(1) << (i * f->part_bits + cw_h3(f->hash + i, word));
    return bits;
}

/* A number for them. */
static uint32_t filter_pattern(const struct filter *f, uint32_t word)
{
    uint32_t pattern = 0;
    for (uint32_t i = 0; i < f->hashes; i++)
        pattern |= cw_h3(f->hash + i, word) << (i * f->part_w);
    return pattern;
}

static uint64_t pattern_bits(const struct filter *f, uint32_t pattern)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < f->hashes; i++)
        bits |= UINT64_C(1) << (i * f->part_bits + (pattern >> (i * f->part_w) & (f->part_bits - 1)));
    return bits;
}

static bool hits(uint64_t signature, uint64_t bits)
{
    return (signature & bits) == bits;
}

/* ---- Work-items */

static void set_signature(const struct detector *d, struct group *g, uint32_t item, uint32_t signature)
{
    const uint32_t old = g->signature[item];
    if (signature == old)
        return;
    for (uint32_t pattern = 0; pattern < d->pattern_cnt; pattern++) {
        const uint64_t bits = pattern_bits(&d->accessed, pattern);
        g->hit_cnt[pattern] = (uint16_t)(g->hit_cnt[pattern] + hits(signature, bits) - hits(old, bits));
    }
    g->signature[item] = signature;
}

static void set_live(struct group *g, uint32_t item, bool live)
{
    g->live_cnt = g->live_cnt + live - g->live[item];
    g->live[item] = live;
}

static void clear_lanes(struct detector *d, struct group *g, uint32_t wave, uint64_t lanes)
{
    for (uint64_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left), item = (wave << d->p.lane_w) + lane;
        if (lane >= d->lanes || item >= d->p.work_items || !g->live[item])
            continue;
        set_signature(d, g, item, 0);
        set_live(g, item, false);
    }
}

/* ---- Requests */

/* What the bank has sent, with what it does not know yet. */
static struct word look(const struct detector *d, const struct cw_bank_detector_in *in, const struct answer *now)
{
    struct word w = {.owned = in->req_owned & 1,
                     .shared = in->req_shared & 1,
                     .modified = in->req_modified & 1,
                     .owner = (uint32_t)in->req_owner & d->item_mask};
    if (now->quiet && now->quiet_group == now->group)
        w.shared = false;
    for (uint32_t i = 0; i < LATENCY; i++)
        if (d->line[i].quiet && d->line[i].quiet_group == now->group)
            w.shared = false;
    for (uint32_t i = LATENCY; i-- > 0;) {
        const struct answer *a = d->line + i;
        if (!a->valid || a->group != now->group || a->word != now->word)
            continue;
        if (a->own) {
            w.owned = true;
            w.owner = a->item;
        }
        w.shared |= a->share;
        w.modified |= a->modify;
    }
    return w;
}

/* A write signature hits that may show somebody else's write. */
static bool written_by_others(const struct detector *d, const struct group *g, const struct answer *a, bool mine)
{
    const uint64_t bits = filter_bits(&d->written, a->word);
    for (uint32_t wave = 0; wave < d->waves; wave++)
        if (hits(g->written[wave], bits) && !(mine && wave == a->item >> d->p.lane_w))
            return true;
    return false;
}

static void judge_by_signature(const struct detector *d, struct group *g, struct answer *a, bool helper, bool write, bool mine)
{
    const uint64_t bits = filter_bits(&d->accessed, a->word);
    const bool own_hit = hits(g->signature[a->item], bits);
    a->conflict = g->hit_cnt[filter_pattern(&d->accessed, a->word)] > own_hit;
    if (helper && !write)
        a->conflict = a->conflict && written_by_others(d, g, a, mine);
    if (a->conflict && helper && write && g->written[a->item >> d->p.lane_w] == 0)
        set_signature(d, g, a->item, 0); /* it has lost, and nobody here has to be kept from what it wrote */
    if (a->conflict)
        return;
    a->backup = a->own = write && !mine;
    set_signature(d, g, a->item, g->signature[a->item] | (uint32_t)bits);
    set_live(g, a->item, true);
    if (helper && write)
        g->written[a->item >> d->p.lane_w] |= filter_bits(&d->written, a->word);
}

static void judge_shared_modified(struct group *g, struct answer *a, const struct word *w, bool write, bool mine)
{
    const bool others = w->owned && !mine;
    a->conflict = write ? w->shared || others : others && w->modified;
    if (a->conflict)
        return;
    a->own = !w->owned;
    a->backup = a->modify = write && !(mine && w->modified);
    a->share = others && !w->shared;
    if (others)
        set_live(g, a->item, true);
}

static void judge(struct detector *d, const struct cw_bank_detector_in *in, struct answer *a)
{
    a->group = (uint32_t)in->req_group & d->group_mask;
    a->item = (uint32_t)in->req_item & d->item_mask;
    a->word = (uint32_t)in->req_word & d->word_mask;
    if (a->item >= d->p.work_items)
        return;
    struct group *g = d->group + a->group;
    const struct word w = look(d, in, a);
    const bool mine = w.owned && w.owner == a->item;
    const bool write = in->req_write & 1;
    a->valid = true;
    switch ((enum cw_local_detect)(in->mode & 3)) {
    case CW_LOCAL_DCD:
        a->conflict = w.owned && !mine;
        a->backup = a->own = !w.owned;
        break;
    case CW_LOCAL_SMDCD:
        judge_shared_modified(g, a, &w, write, mine);
        break;
    default:
        judge_by_signature(d, g, a, (in->mode & 3) == CW_LOCAL_SWO_SIG, write, mine);
        break;
    }
    a->met = a->conflict && w.owned && !mine;
    a->owner = a->met ? w.owner : 0;
}

/* ---- The unit */

static void clear(struct detector *d, const struct cw_bank_detector_in *in, struct answer *a)
{
    const uint32_t group = (uint32_t)in->clr_group & d->group_mask;
    clear_lanes(d, d->group + group, (uint32_t)in->clr_wave & d->wave_mask, in->clr_lanes);
    a->quiet = d->group[group].live_cnt == 0;
    a->quiet_group = a->quiet ? group : 0;
}

static void detector_tick(void *self, const void *inputs)
{
    struct detector *d = self;
    const struct cw_bank_detector_in *in = inputs;
    struct answer now = {0};
    const bool work = (in->clr_valid | in->wclr_valid | in->req_valid) & 1;
    if (!work && d->in_line == 0)
        return;
    if (in->clr_valid & 1)
        clear(d, in, &now);
    const uint32_t wclr_group = (uint32_t)in->wclr_group & d->group_mask, wclr_wave = (uint32_t)in->wclr_wave & d->wave_mask;
    if ((in->wclr_valid & 1) != 0 && wclr_wave < d->waves)
        d->group[wclr_group].written[wclr_wave] = 0;
    if (in->req_valid & 1)
        judge(d, in, &now);
    memmove(d->line + 1, d->line, (LATENCY - 1) * sizeof d->line[0]);
    d->line[0] = now;
    d->in_line = (d->in_line << 1 | ((in->clr_valid | in->req_valid) & 1)) & ((1u << LATENCY) - 1);
}

static void detector_eval(void *self, const void *inputs, void *outputs)
{
    const struct detector *d = self;
    struct cw_bank_detector_out *out = outputs;
    const struct answer *a = d->line + LATENCY - 1;
    (void)inputs;
    *out = (struct cw_bank_detector_out){.ans_valid = a->valid,
                                         .ans_group = a->valid ? a->group : 0,
                                         .ans_item = a->valid ? a->item : 0,
                                         .ans_word = a->valid ? a->word : 0,
                                         .ans_conflict = a->conflict,
                                         .ans_met = a->met,
                                         .ans_owner = a->owner,
                                         .ans_backup = a->backup,
                                         .ans_own = a->own,
                                         .ans_share = a->share,
                                         .ans_modify = a->modify,
                                         .quiet_valid = a->quiet,
                                         .quiet_group = a->quiet_group,
                                         .busy = d->in_line != 0};
}

static void detector_reset(void *self)
{
    struct detector *d = self;
    for (uint32_t i = 0; i < d->slots; i++) {
        struct group *g = d->group + i;
        memset(g->live, 0, d->p.work_items * sizeof *g->live);
        memset(g->signature, 0, d->p.work_items * sizeof *g->signature);
        memset(g->written, 0, d->waves * sizeof *g->written);
        memset(g->hit_cnt, 0, d->pattern_cnt * sizeof *g->hit_cnt);
        g->live_cnt = 0;
    }
    memset(d->line, 0, sizeof d->line);
    d->in_line = 0;
}

static void detector_destroy(void *self)
{
    struct detector *d = self;
    for (uint32_t i = 0; d->group != NULL && i < d->slots; i++) {
        free(d->group[i].live);
        free(d->group[i].signature);
        free(d->group[i].written);
        free(d->group[i].hit_cnt);
    }
    free(d->group);
    free(d);
}

static int create_groups(struct detector *d)
{
    d->group = calloc(d->slots, sizeof *d->group);
    if (d->group == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < d->slots; i++) {
        struct group *g = d->group + i;
        g->live = calloc(d->p.work_items, sizeof *g->live);
        g->signature = calloc(d->p.work_items, sizeof *g->signature);
        g->written = calloc(d->waves, sizeof *g->written);
        g->hit_cnt = calloc(d->pattern_cnt, sizeof *g->hit_cnt);
        if (g->live == NULL || g->signature == NULL || g->written == NULL || g->hit_cnt == NULL)
            return CW_ENOMEM;
    }
    return CW_OK;
}

static int detector_create(void **self, const void *params)
{
    const struct cw_bank_detector_params *p = params;
    if (cw_unit_params_check(&cw_bank_detector_unit, p, NULL) != CW_OK || !cw_is_power_of_two(p->sig_w) || !cw_is_power_of_two(p->wsig_w))
        return CW_EINVAL;
    struct detector *d = calloc(1, sizeof *d);
    if (d == NULL)
        return CW_ENOMEM;
    d->p = *p;
    d->waves = CW_BANK_DETECTOR_WAVES(p);
    d->lanes = 1u << p->lane_w;
    d->slots = 1u << CW_BANK_DETECTOR_INDEX_W(p->groups);
    d->group_mask = d->slots - 1;
    d->item_mask = (1u << CW_BANK_DETECTOR_INDEX_W(p->work_items)) - 1;
    d->wave_mask = (1u << CW_BANK_DETECTOR_INDEX_W(d->waves)) - 1;
    d->word_mask = (1u << p->word_w) - 1;
    filter_init(&d->accessed, p->sig_w, p->hashes, 0, p->word_w);
    filter_init(&d->written, p->wsig_w, p->hashes, 2, p->word_w);
    d->pattern_cnt = 1u << d->accessed.part_w * p->hashes;
    *self = d;
    if (create_groups(d) == CW_OK)
        return CW_OK;
    detector_destroy(d);
    *self = NULL;
    return CW_ENOMEM;
}

static void answer_state(struct cw_state *s, struct answer *a)
{
    CW_STATE(s, a->valid);
    CW_STATE(s, a->conflict);
    CW_STATE(s, a->met);
    CW_STATE(s, a->backup);
    CW_STATE(s, a->own);
    CW_STATE(s, a->share);
    CW_STATE(s, a->modify);
    CW_STATE(s, a->group);
    CW_STATE(s, a->item);
    CW_STATE(s, a->word);
    CW_STATE(s, a->owner);
    CW_STATE(s, a->quiet);
    CW_STATE(s, a->quiet_group);
}

static void detector_state(void *self, struct cw_state *s)
{
    struct detector *d = self;
    for (uint32_t i = 0; i < d->slots; i++) {
        struct group *g = d->group + i;
        cw_state_array(s, "live", g->live, d->p.work_items, sizeof *g->live);
        cw_state_array(s, "signature", g->signature, d->p.work_items, sizeof *g->signature);
        cw_state_array(s, "written", g->written, d->waves, sizeof *g->written);
        cw_state_array(s, "hits", g->hit_cnt, d->pattern_cnt, sizeof *g->hit_cnt);
        CW_STATE(s, g->live_cnt);
    }
    for (uint32_t i = 0; i < LATENCY; i++)
        answer_state(s, &d->line[i]);
    CW_STATE(s, d->in_line);
}

#define CW_UNIT__PARAMS_T struct cw_bank_detector_params
#define CW_UNIT__IN_T     struct cw_bank_detector_in
#define CW_UNIT__OUT_T    struct cw_bank_detector_out
CW_UNIT_DEFINE_WORDS(bank_detector, CW_BANK_DETECTOR_PARAMS, CW_BANK_DETECTOR_PORTS, CW_BANK_DETECTOR_WORDS, detector_create,
                     detector_destroy, detector_reset, detector_eval, detector_tick, detector_state);
