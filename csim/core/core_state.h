/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core: five floors, each a folder with a struct of its own, in which the floor below comes first.
 *
 * Private to: core.c, functional.c, line_services.c, saved.c, services.c, watch.c.
 */
#ifndef CW_CORE_CORE_STATE_H
#define CW_CORE_CORE_STATE_H

#include "core/issue/issue.h"

struct cw_core {
    struct cw_component component;
    struct cw_core_memory *memory;
    struct cw_core_blocks *blocks;
    struct cw_core_cache *cache;
    struct cw_core_warps *warps;
    struct cw_core_issue issue; /* The highest floor, and in it the others */
};

/* saved.c */
void cw_core__state(void *self, struct cw_state *s);

#endif
