/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core: five floors, each with a struct and a folder of its own, which knows those below it.
 *
 * Private to: core.c, functional.c, line_services.c, saved.c, services.c, watch.c.
 */
#ifndef CW_CORE_CORE_STATE_H
#define CW_CORE_CORE_STATE_H

#include "core/issue/issue.h"

struct cw_core {
    struct cw_component component;
    struct cw_core_warps warps;
    struct cw_core_cache cache;
    struct cw_core_blocks blocks;
    struct cw_core_memory memory;
    struct cw_core_issue issue;
};

/* saved.c */
void cw_core__state(void *self, struct cw_state *s);

#endif
