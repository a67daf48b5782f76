/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GETM: GPU transactional memory with eager conflict detection and lazy versioning (Ren and Lis, HPCA 2018). README.md in this folder has
 * the protocol, message by message, and the decisions where the paper is silent.
 */
#ifndef CW_MECH_GETM_GETM_H
#define CW_MECH_GETM_GETM_H

#include "mech/mech.h"

extern const struct cw_mech cw_mech_getm;

#endif
