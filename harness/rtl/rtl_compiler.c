/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "rtl_compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The one whose models are quicker, docs/speed.md; both have the C++ library of the second. */
static const char clang[] = "clang++-14", gnu[] = "g++";

static bool is_in_path(const char *program)
{
    const char *at = getenv("PATH");
    while (at != NULL && *at != '\0') {
        char *file;
        const size_t length = strcspn(at, ":");
        if (asprintf(&file, "%.*s/%s", (int)length, at, program) < 0)
            return false;
        const bool found = access(file, X_OK) == 0;
        free(file);
        if (found)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

struct cw_rtl_compilers cw_rtl_compilers(const char *named)
{
    const char *cxx = getenv("CXX");
    if (named == NULL && cxx != NULL && *cxx != '\0')
        named = cxx;
    if (named != NULL)
        return (struct cw_rtl_compilers){.model = named, .also = named, .runtime = named};
    const bool quick = is_in_path(clang);
    return (struct cw_rtl_compilers){.model = quick ? clang : gnu, .also = quick ? gnu : clang, .runtime = gnu};
}

bool cw_rtl_is_clang(const char *cxx)
{
    return strstr(cxx, "clang") != NULL;
}

/* Both compilers know these. H3 hashes are parities, which are one instruction where the processor counts ones. A model shifts by variables,
 * which BMI2 does without a fixed register, and clears wide vectors, which AVX2 does with a quarter of the stores. Without AVX2, bundling
 * scalar stores into vectors costs more than it saves: what was stored in parts is soon loaded as a whole. An edge copies registers of several
 * hundred bytes, for which code for all processors has an instruction that begins slowly, and code for Haswell and later calls memcpy. The
 * flags are part of a library's name: a processor without these builds its own. */
const char *cw_rtl_compiler_flags(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("avx2"))
        return "-O3 -mpopcnt -mbmi -mbmi2 -mavx2 -mtune=haswell";
    if (__builtin_cpu_supports("popcnt"))
        return "-O3 -fno-tree-slp-vectorize -mpopcnt";
#endif
    return "-O3 -fno-tree-slp-vectorize";
}
