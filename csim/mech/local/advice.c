/* SPDX-License-Identifier: Apache-2.0 */
/* Storage of transactions in shared memory, what fits, and what suits. */
#include "mech/local/advice.h"

#include "mech/local/core_private.h"

#define MANY_WORDS 4u /* a transaction of more words is likely to meet aliases in a signature of 8 bits */

const char *cw_local_detect_name(uint32_t detect)
{
    static const char *const name[CW_LOCAL_DETECTS] = {"prw-sig", "swo-sig", "dcd", "smdcd"};
    return name[detect];
}

const char *cw_local_serial_name(uint32_t serial)
{
    static const char *const name[CW_LOCAL_SERIALS] = {"ascending-single", "descending-single", "ascending-multiple",
                                                       "descending-multiple"};
    return name[serial];
}

static uint32_t up(uint32_t n, uint32_t unit)
{
    return (n + unit - 1) / unit;
}

static const struct cw_local_keys *keys_of(const struct cw_config *config)
{
    return cw_config_own(config, &cw_local_key_set);
}

struct cw_local_need cw_local_storage(const struct cw_config *config, uint32_t combination, uint32_t items, uint32_t words)
{
    const struct cw_local_keys *keys = keys_of(config);
    const uint32_t detect = combination / CW_LOCAL_SERIALS, serial = combination % CW_LOCAL_SERIALS;
    const uint32_t wavefronts = up(items, config->core_warp_width), mask = up(config->core_warp_width, 32) * wavefronts;
    struct cw_local_need n = {.vector_registers = up(words, 32), /* who has no owner */
                              .scalar_registers = mask,          /* TCM */
                              .shared_bytes = cw_local__rows(words) * CW_LOCAL_ROW_BYTES};
    if (detect == CW_LOCAL_PRW_SIG || detect == CW_LOCAL_SWO_SIG)
        n.vector_registers += up(keys->ltm_sig_bits * CW_LOCAL_BANKS * wavefronts * config->core_warp_width, 32);
    if (detect == CW_LOCAL_SWO_SIG)
        n.scalar_registers += up(keys->ltm_wsig_bits, 32) * CW_LOCAL_BANKS * wavefronts;
    if (detect == CW_LOCAL_SMDCD)
        n.vector_registers += up(2 * words, 32); /* S and M */
    if ((serial & CW_LOCAL_MULTIPLE) != 0)
        n.scalar_registers += mask; /* MCM */
    return n;
}

static void room(uint32_t *groups, const char **lacks, uint32_t need, uint32_t has, const char *name)
{
    const uint32_t n = need > 0 ? has / need : UINT32_MAX;
    if (n == 0 && *lacks == NULL)
        *lacks = name;
    *groups = n < *groups ? n : *groups;
}

static void judge(struct cw_local_line *l, const struct cw_config *config, const struct cw_local_need *has, uint32_t items)
{
    l->groups = config->core_blocks;
    room(&l->groups, &l->lacks, up(items, config->core_warp_width), config->core_warps, "wavefronts");
    room(&l->groups, &l->lacks, l->need.shared_bytes, has->shared_bytes, "shared memory");
    room(&l->groups, &l->lacks, l->need.vector_registers, has->vector_registers, "vector registers");
    room(&l->groups, &l->lacks, l->need.scalar_registers, has->scalar_registers, "scalar registers");
}

static void judge_combination(struct cw_local_advice *a, const struct cw_config *config, uint32_t combination, uint32_t items,
                              uint32_t words)
{
    struct cw_local_line *l = &a->line[combination];
    const struct cw_local_need more = cw_local_storage(config, combination, items, words);
    l->need.vector_registers = a->alone.need.vector_registers + more.vector_registers;
    l->need.scalar_registers = a->alone.need.scalar_registers + more.scalar_registers;
    l->need.shared_bytes = more.shared_bytes;
    judge(l, config, &a->has, items);
    if (items > CW_LOCAL_ITEMS)
        l->lacks = "numbers of work-items";
    else if (words > keys_of(config)->ltm_max_words)
        l->lacks = "transactional words";
    if (l->lacks != NULL)
        l->groups = 0;
}

/* The detectors from the best on, and the serialisation, which gives way to ascending-single when registers lack. README.md has the measurements. */
struct rule {
    uint32_t detect[CW_LOCAL_DETECTS];
    uint32_t serial;
    const char *why;
};

static const struct rule *rule_for(const struct cw_transactions *t)
{
    static const struct rule same = {
        {CW_LOCAL_PRW_SIG, CW_LOCAL_DCD, CW_LOCAL_SWO_SIG, CW_LOCAL_SMDCD},
        CW_LOCAL_MULTIPLE,
        "it writes no other words than those that it reads: of lanes that read one word together one can write it, so conflicts should "
        "show at the read"};
    static const struct rule looks = {
        {CW_LOCAL_SWO_SIG, CW_LOCAL_PRW_SIG, CW_LOCAL_DCD, CW_LOCAL_SMDCD},
        CW_LOCAL_MULTIPLE,
        "a way through it is read-only: reads should pass each other; what it writes it has read, and S would stop that"};
    static const struct rule read_only = {{CW_LOCAL_SMDCD, CW_LOCAL_SWO_SIG, CW_LOCAL_DCD, CW_LOCAL_PRW_SIG},
                                          CW_LOCAL_MULTIPLE,
                                          "a way through a transaction is read-only: reads should pass each other"};
    static const struct rule many = {
        {CW_LOCAL_SMDCD, CW_LOCAL_DCD, CW_LOCAL_SWO_SIG, CW_LOCAL_PRW_SIG}, 0, "it touches many words: signatures would have aliases"};
    static const struct rule other = {{CW_LOCAL_SWO_SIG, CW_LOCAL_PRW_SIG, CW_LOCAL_SMDCD, CW_LOCAL_DCD},
                                      0,
                                      "it reads words that it does not write: reads should pass each other"};
    if (t->reads_as_wrote)
        return t->has_read_only ? &looks : &same;
    if (t->has_read_only)
        return &read_only;
    return t->words > MANY_WORDS || t->has_loop ? &many : &other;
}

/* The first of the rule's combinations that fits: a detector counts for more than a serialisation. */
static void choose(struct cw_local_advice *a, const struct cw_transactions *t)
{
    const struct rule *r = rule_for(t);
    a->chosen = CW_LOCAL_COMBINATIONS;
    a->why = a->alone.lacks != NULL ? "the kernel does not fit even without transactions" : "no combination fits: a lock has to do";
    for (uint32_t i = 0; i < 2 * CW_LOCAL_DETECTS && a->chosen == CW_LOCAL_COMBINATIONS; i++) {
        const uint32_t combination = r->detect[i / 2] * CW_LOCAL_SERIALS + (i % 2 == 0 ? r->serial : 0);
        if (a->line[combination].lacks != NULL)
            continue;
        a->chosen = combination;
        a->why = r->why;
    }
}

void cw_local_advise(struct cw_local_advice *a, const struct cw_config *config, const struct cw_kernel *k, uint32_t items,
                     uint32_t shared_bytes)
{
    const uint32_t wavefronts = up(items, config->core_warp_width);
    *a = (struct cw_local_advice){.has = {.vector_registers = config->core_registers,
                                          .scalar_registers = keys_of(config)->ltm_scalar_registers,
                                          .shared_bytes = config->core_shared_bytes}};
    a->alone.need = (struct cw_local_need){.vector_registers = k->live_regs * wavefronts * config->core_warp_width,
                                           .scalar_registers = k->uniform_regs * wavefronts,
                                           .shared_bytes = shared_bytes};
    judge(&a->alone, config, &a->has, items);
    for (uint32_t i = 0; i < CW_LOCAL_COMBINATIONS; i++)
        judge_combination(a, config, i, items, up(shared_bytes, 4));
    choose(a, &k->transactions);
}
