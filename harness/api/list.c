/* SPDX-License-Identifier: Apache-2.0 */
/* What a program may choose from: systems, persistency models, mechanisms, control policies, presets. The units are in units.c. */
#include <stddef.h>

#include "api.h"
#include "control/control.h"
#include "mech/mechs.h"

static int mech_at(uint32_t i, enum cowarp_mech_kind kind, const char **name, const char **what)
{
    for (uint32_t m = 0; cw_mechs[m] != NULL; m++)
        if (cowarp__mech_kind(cw_mechs[m]) == kind && i-- == 0) {
            *name = cw_mechs[m]->name;
            *what = cw_mechs[m]->what;
            return 1;
        }
    return 0;
}

int cowarp_system_at(uint32_t i, const char **name, const char **what)
{
    return mech_at(i, COWARP_MECH_SYSTEM, name, what);
}

int cowarp_persistency_at(uint32_t i, const char **name, const char **what)
{
    return mech_at(i, COWARP_MECH_PERSISTENCY, name, what);
}

int cowarp_mechanism_at(uint32_t i, const char **name, const char **what)
{
    return mech_at(i, COWARP_MECH_OTHER, name, what);
}

int cowarp_control_at(uint32_t i, const char **name, const char **what)
{
    for (const struct cw_control_ops *const *control = cw_controls; *control != NULL; control++)
        if (i-- == 0) {
            *name = (*control)->name;
            *what = (*control)->what;
            return 1;
        }
    return 0;
}

int cowarp_preset_at(uint32_t i, const char **name, const char **what)
{
    const char *const *preset = cw_config_presets();
    for (; *preset != NULL; preset++)
        if (i-- == 0) {
            *name = *preset;
            *what = cw_config_preset_what(*preset);
            return 1;
        }
    return 0;
}

const char *cowarp_nearest(const char *word, const char *const *names, uint32_t cnt)
{
    return cw_nearest(word, names, cnt);
}
