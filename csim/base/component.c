/* SPDX-License-Identifier: Apache-2.0 */
#include "base/component.h"

void cw_component_state(struct cw_component *c, struct cw_state *s)
{
    cw_state_group(s, c->ops->kind, c->index);
    if (c->ops->state == NULL) {
        cw_state_fail(s, CW_EUNSUP, "it cannot be saved");
        return;
    }
    CW_STATE(s, c->wake);
    c->ops->state(c->self, s);
}
