/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the machine that others make meaningless: the ways of a cache that is not there, the link of a memory that has none. */
#include <stdbool.h>
#include <string.h>

#include "base/config.h"

static bool no_icache(const struct cw_config *c)
{
    return c->core_buffer == 0 || c->icache_bytes == 0;
}

/* To say that there is no cache is right in any machine. */
static bool no_fetches(const struct cw_config *c)
{
    return c->core_buffer == 0 && c->icache_bytes != 0;
}

static bool no_constants(const struct cw_config *c)
{
    return c->const_bytes == 0;
}

static bool shares_words(const struct cw_config *c)
{
    return c->shared_wide != CW_SHARED_PARTS;
}

static bool no_textures(const struct cw_config *c)
{
    return c->texture_bytes == 0;
}

static bool no_collectors(const struct cw_config *c)
{
    return c->core_collectors == 0;
}

static bool no_sub_cores(const struct cw_config *c)
{
    return c->core_sub_cores == CW_OFF && c->fu_products != CW_PRODUCTS_INT;
}

static bool no_carveout(const struct cw_config *c)
{
    return c->l1_carveout == CW_OFF;
}

static bool keeps_l1(const struct cw_config *c)
{
    return c->l1_carveout != CW_OFF && c->l1_global != CW_L1_ON;
}

/* To share all units is right in any machine. */
static bool has_collectors(const struct cw_config *c)
{
    return c->core_collectors != 0 && c->core_sub_cores != CW_OFF;
}

static bool has_buffer(const struct cw_config *c)
{
    return c->core_buffer != 0;
}

static bool no_moves(const struct cw_config *c)
{
    return c->fu_move_latency == 0;
}

static bool no_maxima(const struct cw_config *c)
{
    return c->fu_max_latency == 0;
}

static bool no_imad(const struct cw_config *c)
{
    return c->fu_imad_latency == 0;
}

static bool no_fma(const struct cw_config *c)
{
    return c->fu_fma_latency == 0;
}

static bool no_dpmax(const struct cw_config *c)
{
    return c->fu_dpmax_latency == 0;
}

static bool no_shfl(const struct cw_config *c)
{
    return c->fu_shfl_latency == 0;
}

static bool no_mma(const struct cw_config *c)
{
    return c->fu_mma_latency == 0;
}

static bool no_conversions(const struct cw_config *c)
{
    return c->fu_convert_latency == 0 && c->fu_bits_latency == 0;
}

static bool no_halves(const struct cw_config *c)
{
    return c->fu_half_latency == 0;
}

static bool no_pm(const struct cw_config *c)
{
    return c->pm_mbytes == 0;
}

static bool no_link(const struct cw_config *c)
{
    return c->pm_attach == CW_PM_NEAR;
}

/* The first row of a name counts. A name that ends with a dot is of all keys of a table. */
static const struct {
    const char *name;
    bool (*unread)(const struct cw_config *config); /* NULL: always read */
    const char *needs;
} rules[] = {
    {"core.fetch_cycles", has_buffer, "core.buffer=0, without which a fetch takes core.stage_cycles"},
    {"core.sfu_collectors", no_collectors, "core.collectors above 0"},
    {"core.mem_collectors", no_collectors, "core.collectors above 0"},
    {"core.alu_units", no_collectors, "core.collectors above 0"},
    {"core.reg_banks", no_collectors, "core.collectors above 0"},
    {"core.collector_reads", no_collectors, "core.collectors above 0"},
    {"icache.bytes", no_fetches, "core.buffer above 0"},
    {"icache.", no_icache, "core.buffer and icache.bytes above 0"},
    {"const.bytes", NULL, NULL},
    {"shared.quad_passes", shares_words, "shared.wide=parts"},
    {"shared.pairs", shares_words, "shared.wide=parts"},
    {"const.pass_cycles", NULL, NULL}, /* without the cache, too */
    {"const.", no_constants, "const.bytes above 0"},
    {"texture.bytes", NULL, NULL},
    {"texture.", no_textures, "texture.bytes above 0"},
    {"fu.move_interval", no_moves, "fu.move_latency above 0"},
    {"fu.max_interval", no_maxima, "fu.max_latency above 0"},
    {"fu.imad_interval", no_imad, "fu.imad_latency above 0"},
    {"fu.fma_interval", no_fma, "fu.fma_latency above 0"},
    {"fu.dpmax_interval", no_dpmax, "fu.dpmax_latency above 0"},
    {"fu.shfl_interval", no_shfl, "fu.shfl_latency above 0"},
    {"fu.products", no_sub_cores, "core.sub_cores=on"},
    {"l1.carveout", keeps_l1, "l1.global=on"},
    {"l1.shared_least", no_carveout, "l1.carveout=on"},
    {"core.sub_cores", has_collectors, "core.collectors=0"},
    {"fu.convert_interval", no_conversions, "fu.convert_latency or fu.bits_latency above 0"},
    {"fu.half_interval", no_halves, "fu.half_latency above 0"},
    {"fu.mma_interval", no_mma, "fu.mma_latency above 0"},
    {"pm.mbytes", NULL, NULL},
    {"pm.link_mbps", no_link, "pm.attach=far"},
    {"pm.link_latency", no_link, "pm.attach=far"},
    {"pm.eadr", no_link, "pm.attach=far"},
    {"pm.", no_pm, "pm.mbytes above 0"},
};

const char *cw_config_needs(const struct cw_config *config, uint32_t index)
{
    struct cw_config_info info;
    cw_config_info(config, index, &info);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const size_t length = strlen(rules[i].name);
        const bool table = rules[i].name[length - 1] == '.';
        if (table ? strncmp(info.name, rules[i].name, length) != 0 : strcmp(info.name, rules[i].name) != 0)
            continue;
        return rules[i].unread != NULL && rules[i].unread(config) ? rules[i].needs : NULL;
    }
    return NULL;
}
