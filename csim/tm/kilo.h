/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Kilo TM family: lazy version management, value-based validation at commit units (Fung 2015, chapters 4 to 6).
 *
 *   kilotm  Kilo TM: every transaction (thread) validates and commits on its own
 *   warptm  WarpTM: a warp resolves its own conflicts first, then commits as one (6.2, 6.3); with temporal conflict detection (TCD, 6.4)
 */
#ifndef CW_TM_KILO_H
#define CW_TM_KILO_H

#include "tm/tm.h"

extern const struct cw_tm_system cw_tm_kilotm, cw_tm_warptm, cw_tm_warptm_el, cw_tm_eapg, cw_tm_ideal;

#endif
