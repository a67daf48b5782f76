/* SPDX-License-Identifier: Apache-2.0 */
#include "control/control.h"

#include <string.h>

const struct cw_control_ops *cw_control_find(const char *name)
{
    for (uint32_t i = 0; cw_controls[i] != NULL; i++)
        if (strcmp(cw_controls[i]->name, name) == 0)
            return cw_controls[i];
    return NULL;
}
