/* SPDX-License-Identifier: Apache-2.0 */
#include "cowarp/unit.h"

#include <string.h>

#include "base/error.h"
#include "base/state.h"

void cw_unit_params_default(const struct cw_unit *unit, void *params)
{
    for (uint32_t i = 0; i < unit->param_cnt; i++)
        memcpy((char *)params + unit->params[i].offset, &unit->params[i].value_default, sizeof(uint32_t));
}

int cw_unit_params_check(const struct cw_unit *unit, const void *params, struct cw_error *err)
{
    for (uint32_t i = 0; i < unit->param_cnt; i++) {
        const struct cw_param *p = &unit->params[i];
        uint32_t value;
        memcpy(&value, (const char *)params + p->offset, sizeof value);
        if (value < p->minimum || value > p->maximum)
            return cw_fail(err, CW_EINVAL, "%s: %s = %u is outside %u..%u (%s)", unit->name, p->name, value, p->minimum, p->maximum,
                           p->what);
    }
    return CW_OK;
}

static int open_c(void *context, const struct cw_unit *unit, const char *name, const void *params, struct cw_unit_instance *instance,
                  struct cw_error *err)
{
    (void)context;
    int status = cw_unit_params_check(unit, params, err);
    if (status != CW_OK)
        return status;
    instance->unit = unit;
    instance->ops = &unit->c_model;
    instance->self = NULL;
    instance->state = NULL;
    status = unit->c_model.create(&instance->self, params);
    if (status != CW_OK)
        return cw_fail(err, status, "%s: the C model of %s cannot be created: %s", name, unit->name,
                       status == CW_ENOMEM ? "out of memory" : "it refuses the parameters");
    return CW_OK;
}

static int poll_c(void *context, struct cw_error *err)
{
    (void)context;
    (void)err;
    return CW_OK;
}

const struct cw_unit_provider *cw_unit_provider_c(void)
{
    static const struct cw_unit_provider provider = {NULL, open_c, poll_c};
    return &provider;
}

void cw_unit_state_behind(struct cw_state *s, struct cw_unit_instance *instance)
{
    if (instance->state != NULL)
        instance->state(instance, s);
    else if (instance->ops->state != NULL)
        instance->ops->state(instance->self, s);
    else
        cw_state_fail(s, CW_EUNSUP, "it cannot be saved");
}

void cw_unit_state(struct cw_state *s, struct cw_unit_instance *instance)
{
    cw_state_group(s, instance->unit->name, 0);
    cw_unit_state_behind(s, instance);
}
