/* SPDX-License-Identifier: Apache-2.0 */
/* All mechanisms of the program. The list is made by the build from the folders below csim/mech (cmake/mechanisms.cmake). */
#ifndef CW_MECH_MECHS_H
#define CW_MECH_MECHS_H

#include "mech/mech.h"

/* NULL-terminated. */
extern const struct cw_mech *const cw_mechs[];
/* NULL when there is none of that name. */
const struct cw_mech *cw_mech_find(const char *name);

uint32_t cw_mech_cnt(void);
/* The units of all mechanisms, behind them those of the control policies and of the memory partition, each once: i = 0, 1, ... until it is
 * NULL. The answer is what the first that brings the unit says of it. */
const struct cw_mech_unit *cw_mech_unit_at(uint32_t i);
/* Sets of keys and of counters in the same way, as struct cw_program wants them. */
const struct cw_key_set *cw_mech_key_set_at(uint32_t index);
const struct cw_counter_set *cw_mech_counter_set_at(uint32_t index);
/* What the mechanism itself says of the unit; NULL when it does not bring it. */
const struct cw_mech_unit *cw_mech_unit_of(const struct cw_mech *mech, const struct cw_unit *unit);
const struct cw_mech_unit *cw_control_unit_of(const struct cw_control_ops *control, const struct cw_unit *unit);
/* Whether these mechanisms (NULL-terminated) may be in one GPU: at most one system and one persistency model, not both of them unless the
 * model is none, no mechanism twice, none that another excludes, and no more counters than there is room for. CW_EINVAL with the sentence
 * that says why not. */
int cw_mechs_check(const struct cw_mech *const *mechs, struct cw_error *err);
/* Whether a GPU of these mechanisms (NULL-terminated) and this policy reads parameter number `index` of the configuration, so that a user
 * may give it a value. CW_EINVAL with a sentence when it does not: which setting would give it a meaning. */
int cw_mechs_check_key(const struct cw_mech *const *mechs, const struct cw_control_ops *control, const struct cw_config *config,
                       uint32_t index, struct cw_error *err);
/* The intrinsics of all mechanisms, each array once, as cw_ptx_load takes them: fills list, which has room for cw_mech_cnt() + 1. */
void cw_mech_intrinsics(const struct cw_intrinsic **list);

#endif
