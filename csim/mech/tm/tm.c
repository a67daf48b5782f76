/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/tm/tm.h"

#include <string.h>

#include "mech/getm/getm.h"
#include "mech/kilo/kilo.h"
#include "mech/serial/serial.h"

const struct cw_tm_system *const cw_tm_systems[] = {&cw_tm_getm, &cw_tm_kilotm, &cw_tm_warptm,     &cw_tm_warptm_el,
                                                    &cw_tm_eapg, &cw_tm_ideal,  &cw_tm_serialised, NULL};

const struct cw_tm_system *cw_tm_find(const char *name)
{
    for (uint32_t i = 0; cw_tm_systems[i] != NULL; i++)
        if (strcmp(cw_tm_systems[i]->name, name) == 0)
            return cw_tm_systems[i];
    return NULL;
}
