/* SPDX-License-Identifier: Apache-2.0 */
#include "control/control.h"

#include <string.h>

#include "base/config.h"
#include "control/ipdom.h"

const struct cw_control_ops *cw_control_find(const char *name)
{
    for (uint32_t i = 0; cw_controls[i] != NULL; i++)
        if (strcmp(cw_controls[i]->name, name) == 0)
            return cw_controls[i];
    return NULL;
}

/* By the values of core.divergence. */
static const char *const policies[] = {
    [CW_DIVERGENCE_PDOM] = "ipdom",       [CW_DIVERGENCE_DWF] = "dwf",     [CW_DIVERGENCE_DWF_WB] = "dwf-wb",
    [CW_DIVERGENCE_TBC] = "tbc",          [CW_DIVERGENCE_ITS] = "its",     [CW_DIVERGENCE_SI] = "si",
    [CW_DIVERGENCE_DWS] = "dws",          [CW_DIVERGENCE_CAPRI] = "capri", [CW_DIVERGENCE_LW] = "lw",
    [CW_DIVERGENCE_PDOM_ITS] = "pdom-its"};

int cw_control_of(const struct cw_control_ops **ops, const struct cw_config *config, struct cw_error *err)
{
    const char *name = policies[config->core_divergence];
    *ops = config->core_divergence == CW_DIVERGENCE_PDOM ? &cw_control_ipdom : cw_control_find(name);
    return *ops != NULL ? CW_OK : cw_fail(err, CW_EINVAL, "core.divergence=%s: this program has no control policy %s", name, name);
}

int cw_control_settle(struct cw_config *config, const struct cw_control_ops *ops, struct cw_error *err)
{
    uint32_t named = CW_DIVERGENCE_PDOM; /* a policy that core.divergence has no word for takes the place of ipdom */
    for (uint32_t i = 0; i < sizeof policies / sizeof policies[0]; i++)
        if (strcmp(policies[i], ops->name) == 0)
            named = i;
    const bool is_free =
        config->core_divergence == CW_DIVERGENCE_PDOM || config->core_divergence == CW_DIVERGENCE_PDOM_ITS; /* a preset's */
    if (config->core_divergence != named && !is_free)
        return cw_fail(err, CW_EINVAL, "--control %s and core.divergence=%s name two policies; leave one out", ops->name,
                       policies[config->core_divergence]);
    config->core_divergence = named;
    return cw_config_check(config, err);
}
