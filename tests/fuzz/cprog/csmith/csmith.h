/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In place of csmith's own header, for programs that run on a GPU too: no libc, many programs in one file. The arithmetic that avoids undefined
 * behaviour is csmith's (safe_math.h of libcsmith-dev).
 */
#ifndef CW_FUZZ_CSMITH_H
#define CW_FUZZ_CSMITH_H

#include <float.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "cprog.h"

#define STATIC       static CP_DEVICE
#define UNDEFINED(v) (v)
#define LOG_INDEX
#define LOG_EXEC
#define FUNC_NAME(x) (safe_##x)
#define assert(x)    ((void)0)
#define printf(...)  ((void)0)
#define fabsf        __builtin_fabsf
#define fabs         __builtin_fabs
#include "safe_math.h"
#ifdef __cplusplus
#undef NULL
#define NULL nullptr /* csmith compares it with pointers behind a comma */
#endif

static CP_DEVICE uint64_t cp_sum;
static CP_DEVICE volatile int cp_zero; /* see set_at_run_time() of cprog.py */

/* The values that a program leaves in its variables, mixed. */
static CP_DEVICE void transparent_crc(uint64_t value, const char *name, int flag)
{
    (void)name, (void)flag;
    cp_sum = (cp_sum ^ value) * 0x9e3779b97f4a7c15u;
    cp_sum ^= cp_sum >> 29;
}

static CP_DEVICE void transparent_crc_bytes(const char *bytes, int n, const char *name, int flag)
{
    for (int i = 0; i < n; i++)
        transparent_crc((uint8_t)bytes[i], name, flag);
}

#define crc32_gentab()               (cp_sum = 1)
#define crc32_context                0
#define platform_main_begin()        ((void)0)
#define platform_main_end(sum, flag) (out[0] = (uint32_t)cp_sum, out[1] = (uint32_t)(cp_sum >> 32))

#endif
