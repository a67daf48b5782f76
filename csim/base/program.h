/* SPDX-License-Identifier: Apache-2.0 */
/* What a program brings to base: keys and counters of its mechanisms, of which base knows none. csim/program.c defines it. */
#ifndef CW_BASE_PROGRAM_H
#define CW_BASE_PROGRAM_H

#include <stdint.h>

struct cw_key_set;     /* base/keys.h */
struct cw_counter_set; /* base/stats.h */

/* The sets of all mechanisms and policies, each once, in their order: index = 0, 1, ... until it is NULL. */
struct cw_program {
    const struct cw_key_set *(*key_set_at)(uint32_t index);
    const struct cw_counter_set *(*counter_set_at)(uint32_t index);
};

extern const struct cw_program cw_program;

#endif
