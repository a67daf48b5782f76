/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vector loops for x86-64 with AVX2 and FMA, chosen at bind time when the host has them. An FMA instruction is made only where the
 * source says fma (-ffp-contract=off), so results are those of the baseline, bit for bit; test_exec_isa checks it.
 */
#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#define CW_HAVE_AVX2 1
#elif defined(__x86_64__) && defined(__GNUC__)
#pragma GCC target("avx2,fma")
#define CW_HAVE_AVX2 1
#endif

#ifdef CW_HAVE_AVX2

#define CW_TARGET_FMA 1 /* neither compiler's pragma reliably defines __FMA__ */
#define CW_LANE_TABLE cw_exec__lane_avx2
#include "exec/lane.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
const size_t cw_exec__lane_avx2_cnt = sizeof cw_exec__lane_avx2 / sizeof cw_exec__lane_avx2[0];

#else
#include "exec/exec_private.h"

const struct cw_exec_entry cw_exec__lane_avx2[] = {{0, 0, 0, NULL}};
const size_t cw_exec__lane_avx2_cnt = 0;
#endif
