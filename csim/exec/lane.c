/* SPDX-License-Identifier: Apache-2.0 */
/* The vector loops for the instruction set that the build asks for. */
#define CW_LANE_TABLE cw_exec__lane_base
#include "exec/lane.h"

const size_t cw_exec__lane_base_cnt = sizeof cw_exec__lane_base / sizeof cw_exec__lane_base[0];
