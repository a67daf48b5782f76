/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs of this folder have in common: a call that must go well, and the last line. */
#ifndef CHECK_H
#define CHECK_H

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                   \
    do {                                                                                              \
        const cudaError_t code_ = (call);                                                             \
        if (code_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(code_)); \
            exit(1);                                                                                  \
        }                                                                                             \
    } while (0)

#define EXPECT(condition)                                                           \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                \
        }                                                                           \
    } while (0)

static inline int passed()
{
    puts("PASS");
    return 0;
}

#endif
