/* SPDX-License-Identifier: Apache-2.0 */
/* The table of parameters. Private to: config.c, config_presets.c, config_cards.c, config_load.c. */
#ifndef CW_BASE_CONFIG_PRIVATE_H
#define CW_BASE_CONFIG_PRIVATE_H

#include <stddef.h>

#include "base/config.h"

enum cw_config__id {
#define X(field, name, def, lo, hi, unit, source, what) CW_CONFIG__##field,
#define E(field, name, def, words, source, what)        CW_CONFIG__##field,
#include "base/config.def"
#undef X
#undef E
    CW_CONFIG__COUNT /* parameters of the machine; those of the mechanisms follow */
};
#define CW_CONFIG__MOST (CW_CONFIG__COUNT + CW_CONFIG_OWN)

/* A preset is another preset with some values replaced, each with the place where the number stands. */
struct cw_config__override {
    enum cw_config__id id;
    uint32_t value;
    const char *source;
};

struct cw_config__preset {
    const char *name, *what;
    const struct cw_config__preset *base; /* NULL: the defaults of config.def */
    const struct cw_config__override *override;
    uint32_t override_cnt;
};

#define COUNT(a) (sizeof(a) / sizeof(a)[0])
#define SET(field, value, source)             \
    {                                         \
        CW_CONFIG__##field, (value), (source) \
    }

/* The four rates of the memory stage. */
#define PASSES(cycles, source)                                                                                               \
    SET(l1_pass_cycles, (cycles), source), SET(l1_miss_cycles, (cycles), source), SET(shared_pass_cycles, (cycles), source), \
        SET(const_pass_cycles, (cycles), source)

/* Where presets begin; those of cards. */
extern const struct cw_config__preset cw_config__getm, cw_config__qv100, cw_config__titanv, cw_config__rtx2080ti, cw_config__rtx4070,
    cw_config__h100;

/* NULL when there is none of that name. */
const struct cw_config__preset *cw_config__find_preset(const char *name);

/* The value as text, for a number (TOML: decimal or 0x, underscores between digits) or a word without quotes. */
int cw_config__assign(struct cw_config *config, uint32_t id, const char *value, struct cw_error *err);

#endif
