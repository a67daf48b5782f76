/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration of the machine and of the mechanisms: one flat struct, filled from a preset, a TOML file and name=value settings. */
#ifndef CW_BASE_CONFIG_H
#define CW_BASE_CONFIG_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/keys.h"

#define CW_CONFIG_OWN 512u /* keys of all mechanisms of a program */

enum { CW_SCHED_GTO, CW_SCHED_LRR };
enum {
    CW_DIVERGENCE_PDOM,
    CW_DIVERGENCE_DWF,
    CW_DIVERGENCE_DWF_WB,
    CW_DIVERGENCE_TBC,
    CW_DIVERGENCE_ITS,
    CW_DIVERGENCE_SI,
    CW_DIVERGENCE_DWS,
    CW_DIVERGENCE_CAPRI,
    CW_DIVERGENCE_LW,
    CW_DIVERGENCE_PDOM_ITS
};
/* Whether each lane has a PC of its own. */
static inline bool cw_divergence_is_independent(uint32_t divergence)
{
    return divergence == CW_DIVERGENCE_ITS || divergence == CW_DIVERGENCE_SI || divergence == CW_DIVERGENCE_DWS;
}
/* Whether several warps have one stack. */
static inline bool cw_divergence_has_block_stack(uint32_t divergence)
{
    return divergence == CW_DIVERGENCE_TBC || divergence == CW_DIVERGENCE_CAPRI || divergence == CW_DIVERGENCE_LW;
}
enum { CW_OFF, CW_ON };
enum { CW_SCOREBOARD_REGISTER, CW_SCOREBOARD_WARP, CW_SCOREBOARD_LANE };
enum { CW_PIPELINE_SPLIT, CW_PIPELINE_UNIFIED };
enum { CW_COALESCE_LINE, CW_COALESCE_CHUNK };
enum { CW_CONVERGENCE_CHECK, CW_CONVERGENCE_IGNORE };
enum { CW_MEMORY_PLAIN, CW_MEMORY_ADVERSARY };
enum { CW_LOWERING_NONE, CW_LOWERING_PTXAS };
enum { CW_PRODUCTS_INT, CW_PRODUCTS_FP };
enum { CW_MEM_OFF_FREE, CW_MEM_OFF_TAKEN };
enum { CW_MEM_UNIT_PARTS, CW_MEM_UNIT_ONE };
enum { CW_SPECIALS_FREE, CW_SPECIALS_MEMORY };
enum { CW_LCP_OFF, CW_LCP_LOOP, CW_LCP_PROFILE };
enum { CW_L1_OFF, CW_L1_ON, CW_L1_WRITE_BACK };
enum { CW_L1_ALLOCATE, CW_L1_AROUND };
enum { CW_PM_NEAR, CW_PM_FAR };
enum { CW_PM_NS, CW_PM_CYCLES };
enum { CW_PM_ACK_QUEUE, CW_PM_ACK_DEVICE };
enum { CW_PM_ORDER_READS, CW_PM_ORDER_ARRIVAL };
enum cw_replacement { CW_REPLACE_LRU, CW_REPLACE_FIFO, CW_REPLACE_PLRU, CW_REPLACE_RRIP, CW_REPLACE_BRRIP, CW_REPLACE_CNT };
enum { CW_L2_ALLOCATE, CW_L2_THROUGH };
enum { CW_L2_PM_INSTALL, CW_L2_PM_FETCH };
enum { CW_LAUNCH_COLD, CW_LAUNCH_WARM };
enum { CW_SHARED_PARTS, CW_SHARED_WORDS };
enum { CW_PARAMS_OFF, CW_PARAMS_OWN, CW_PARAMS_SAME };
enum { CW_DISPATCH_TURN, CW_DISPATCH_BEHIND, CW_DISPATCH_ONE };
enum { CW_DRAM_GROUPS_LOW, CW_DRAM_BANKS_LOW, CW_DRAM_COLUMNS_LOW };

struct cw_config {
#define X(field, name, def, lo, hi, unit, source, what) uint32_t field;
#define E(field, name, def, words, source, what)        uint32_t field;
#include "base/config.def"
#undef X
#undef E
    char preset[32]; /* name of the preset that it started from */
    /* Values of the mechanisms' keys (cw_config_own), set after set. They are part of the struct, so that a copy of it is complete. */
    uint32_t own[CW_CONFIG_OWN];
};

/* The values of a key set of the program, as the struct that its mechanism has made of its keys.def; NULL when the program has no such set.
 * It looks for the set, so callers do it once and keep the pointer, which is valid as long as config. */
const void *cw_config_own(const struct cw_config *config, const struct cw_key_set *set);

/* Fills config from a preset ("getm", "thesis-warptm", ...). CW_EINVAL with a suggestion for an unknown name, or when the mechanisms of the
 * program have more than CW_CONFIG_OWN keys. */
int cw_config_preset(struct cw_config *config, const char *preset, struct cw_error *err);
/* Names of the presets, NULL-terminated. */
const char *const *cw_config_presets(void);
/* "name=value"; CW_EINVAL with a suggestion for an unknown name, or with the range for a bad value. */
int cw_config_set(struct cw_config *config, const char *assignment, struct cw_error *err);
/* TOML: tables and key = integer or "word"; "file:line: what" on errors. line_of: NULL, or room for cw_config_count() numbers, which become
 * the lines that set the parameters, 0 for those that the file does not name. */
int cw_config_load(struct cw_config *config, const char *path, uint32_t *line_of, struct cw_error *err);
/* Conditions between parameters: powers of two, whole numbers of sets, and the like. */
int cw_config_check(const struct cw_config *config, struct cw_error *err);
/* Writes every parameter as TOML with unit, source and meaning in comments; cw_config_load reads it back. */
void cw_config_write(const struct cw_config *config, FILE *out);

/* One parameter: what is known of it, and its value in a configuration. Strings are static. */
struct cw_config_info {
    const char *name; /* "core.count" */
    uint32_t value;
    uint32_t minimum, maximum;
    const char *words;  /* "gto|lrr": a choice, value is an index into it; NULL: a number */
    const char *unit;   /* "" for a choice */
    const char *source; /* of this value: the preset's, or "set by the user" */
    const char *what;
};

/* How many parameters there are. */
uint32_t cw_config_count(void);
/* index < cw_config_count(). */
void cw_config_info(const struct cw_config *config, uint32_t index, struct cw_config_info *info);
/* Index of a name; CW_EINVAL with a suggestion when there is none. */
int cw_config_find(uint32_t *index, const char *name, struct cw_error *err);
/* The set that the parameter with that index is of; NULL: it is the machine's. */
const struct cw_key_set *cw_config_set_of(uint32_t index);
/* A parameter of the machine that this configuration makes meaningless, as the ways of a cache without bytes: what to set so that it is
 * read ("const.bytes above 0"). NULL: it is read, as far as the machine alone decides it. */
const char *cw_config_needs(const struct cw_config *config, uint32_t index);
/* The same of a parameter of a mechanism that has its set, or of a policy; reader: its name. */
const char *cw_config_reader_needs(const struct cw_config *config, uint32_t index, const char *reader);
/* Index of the parameter that "name=value" sets; CW_EINVAL as cw_config_set. */
int cw_config_find_assigned(uint32_t *index, const char *assignment, struct cw_error *err);
/* "lrr" into text for a choice, "15" for a number. */
void cw_config_value_text(const struct cw_config_info *info, char text[32]);
/* One line about a preset, NULL for an unknown name. */
const char *cw_config_preset_what(const char *preset);

#endif
