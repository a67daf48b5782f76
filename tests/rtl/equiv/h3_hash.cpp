// SPDX-License-Identifier: Apache-2.0
//
// Hash function: csim/unit/h3.c and h3.h against rtl/lib/cw_h3_hash.v, for every key.
#include "model.h"

#include "unit/h3.h"

#include CW_MODEL

using equiv::signal;

static void hash(void)
{
    struct cw_h3 h;
    unsigned seed = equiv::parameter("SEED");
    cw_h3_init(&h, seed, equiv::parameter("KEY_W"), equiv::parameter("OUT_W"));
    equiv::require((signal(0, "en_i") == 0) | (cw_h3(&h, signal(0, "key_i")) == signal(0, "hash_o")), "hash");
    equiv::require((signal(0, "en_i") == 1) | (signal(0, "hash_o") == 0), "no hash");
}

const equiv_case equiv_cases[] = {{"hash", hash}, {nullptr, nullptr}};
