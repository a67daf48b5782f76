/* SPDX-License-Identifier: Apache-2.0 */
/* An answer and the one that CUDA's manual promises. Who includes it says the names of errors: error_name. */
#ifndef TESTS_CUDA_WANT_H
#define TESTS_CUDA_WANT_H

#include <stdio.h>

static int bad;

static void want(int line, long got, long wanted)
{
    if (got == wanted)
        return;
    fprintf(stderr, "line %d: %ld, not %ld (%s)\n", line, got, wanted, error_name((int)got));
    bad++;
}
#define WANT(got, wanted) want(__LINE__, (long)(got), (long)(wanted))

#endif
