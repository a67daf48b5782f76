/* SPDX-License-Identifier: Apache-2.0 */
/* Which mechanisms the chip has: what they ask of it, what follows from them for all of it, and what they do together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/ipdom.h"
#include "gpu/gpu_private.h"

#define SABOTAGES_MAX 64u /* names of deliberate faults of all mechanisms of a GPU */
#define MECH_INBOX    64u /* messages that wait at a partition for a mechanism that says nothing else */

/* The machine that a mechanism wants. */
int cw_gpu__check_mech(const struct cw_gpu *gpu, const struct cw_mech *m, struct cw_error *err)
{
    if (!m->any_width && gpu->config.core_warp_width != CW_LANES)
        return cw_fail(err, CW_EINVAL, "%s works on warps of %u lanes; set core.warp_width=%u", m->name, CW_LANES, CW_LANES);
    if (!m->any_line && gpu->config.mem_line_bytes != CW_LINE_BYTES)
        return cw_fail(err, CW_EINVAL, "%s works on lines of %u bytes; set mem.line_bytes=%u", m->name, CW_LINE_BYTES, CW_LINE_BYTES);
    if (!m->any_warps && cw_control_slots(gpu->control, &gpu->config) > 64)
        return cw_fail(err, CW_EINVAL, "%s works with at most 64 warps per core; control policy %s with core.warps=%u has %u", m->name,
                       gpu->control->name, gpu->config.core_warps, cw_control_slots(gpu->control, &gpu->config));
    if (m->system && gpu->config.l1_global == CW_L1_WRITE_BACK)
        return cw_fail(err, CW_EINVAL, "%s does not see what an L1 with l1.global=write-back has not written back; set l1.global=on",
                       m->name);
    if (m->persistency && strcmp(m->name, CW_MECH_PERSISTENCY_NONE) != 0 && gpu->control->regroups)
        return cw_fail(err, CW_EINVAL,
                       "persistency model %s orders what a warp has written, and control policy %s moves threads to other warps; "
                       "set core.divergence=pdom (--control %s)",
                       m->name, gpu->control->name, cw_control_ipdom.name);
    if (m->core != NULL && m->core->region_begin != NULL && gpu->control->region_begin == NULL)
        return cw_fail(err, CW_EINVAL, "%s has regions, which control policy %s cannot run; set core.divergence=pdom (--control %s)",
                       m->name, gpu->control->name, cw_control_ipdom.name);
    return CW_OK;
}

static bool knows_sabotage(const struct cw_mech *m, const char *name)
{
    for (uint32_t i = 0; m->sabotage != NULL && m->sabotage[i] != NULL; i++)
        if (strcmp(m->sabotage[i], name) == 0)
            return true;
    return false;
}

/* What is to break is a mechanism that knows the name, else the system and the persistency model, which refuse it with a suggestion. */
static bool takes_sabotage(const struct cw_mech *m, bool any_knows, const char *name)
{
    return any_knows ? knows_sabotage(m, name) : m->system || m->persistency;
}

void cw_gpu__choose_mechs(struct cw_gpu *gpu, bool baseline)
{
    bool any_knows = false, taken = false;
    gpu->baseline = baseline;
    gpu->contract = CW_CONTRACT_NONE;
    for (uint32_t i = 0; i < gpu->mech_cnt; i++) {
        struct cw_gpu_mech *m = &gpu->mech[i];
        m->mech = baseline && m->proper->baseline != NULL ? m->proper->baseline : m->proper;
        gpu->message_types[i] = m->mech->messages;
        gpu->inbox[i] = m->mech->inbox != NULL ? m->mech->inbox(&gpu->config) : MECH_INBOX;
        if (m->mech->persistency)
            gpu->contract = (enum cw_event_contract)m->mech->contract;
        any_knows |= gpu->sabotage != NULL && knows_sabotage(m->mech, gpu->sabotage);
    }
    for (struct cw_gpu_mech *m = gpu->mech; gpu->sabotage != NULL && m < gpu->mech + gpu->mech_cnt; m++) {
        m->is_to_break = takes_sabotage(m->mech, any_knows, gpu->sabotage) && !(any_knows && taken);
        taken |= m->is_to_break;
    }
}

int cw_gpu__list_mechs(struct cw_gpu *gpu, const struct cw_mech *const *mechs, struct cw_error *err)
{
    while (mechs != NULL && mechs[gpu->mech_cnt] != NULL)
        gpu->mech_cnt++;
    gpu->mech = calloc(gpu->mech_cnt + 1, sizeof *gpu->mech);
    gpu->inbox = calloc(gpu->mech_cnt + 1, sizeof *gpu->inbox);
    gpu->message_types = calloc(gpu->mech_cnt + 1, sizeof *gpu->message_types);
    if (gpu->mech == NULL || gpu->inbox == NULL || gpu->message_types == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < gpu->mech_cnt; i++) {
        const struct cw_mech *m = gpu->mech[i].proper = mechs[i];
        gpu->has_baseline |= m->baseline != NULL;
        gpu->has_stateful |= !m->stateless || m->launch != NULL || m->finish != NULL;
        gpu->is_off |= m->is_off != NULL && m->is_off(&gpu->config);
        gpu->versions = m->versions != NULL ? m->versions(&gpu->config) : gpu->versions;
    }
    cw_gpu__choose_mechs(gpu, gpu->is_off);
    return CW_OK;
}

void cw_gpu__forget_mechs(struct cw_gpu *gpu)
{
    free(gpu->mech);
    free(gpu->inbox);
    free(gpu->message_types);
}

/* Someone must know the name, for a run that breaks nothing looks as if the oracle saw nothing. */
int cw_gpu__check_sabotage(const struct cw_gpu *gpu, struct cw_error *err)
{
    const char *names[SABOTAGES_MAX], *near;
    char list[400] = "";
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < gpu->mech_cnt; i++)
        for (const char *const *name = gpu->mech[i].mech->sabotage; name != NULL && *name != NULL && cnt < SABOTAGES_MAX; name++)
            names[cnt++] = *name;
    for (uint32_t i = 0; i < cnt; i++) {
        if (strcmp(names[i], gpu->sabotage) == 0)
            return CW_OK;
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    if (cnt == 0)
        return cw_fail(err, CW_EINVAL, "sabotage '%.40s': nothing in this machine can be broken", gpu->sabotage);
    near = cw_nearest(gpu->sabotage, names, cnt);
    return cw_fail(err, CW_EINVAL, "sabotage '%.40s': unknown; %s%s%sthis machine has %s", gpu->sabotage,
                   near != NULL ? "did you mean '" : "", near != NULL ? near : "", near != NULL ? "'? " : "", list);
}

bool cw_gpu__carries_out(const struct cw_gpu *gpu, const struct cw_intrinsic *x, bool persistency)
{
    for (uint32_t i = 0; i < gpu->mech_cnt; i++) {
        const struct cw_mech *m = gpu->mech[i].mech;
        if ((m->persistency || !persistency) && m->intrinsic != NULL && cw_intrinsic_in(m->intrinsic, x))
            return true;
    }
    return false;
}

bool cw_gpu__keeps_persists(const struct cw_gpu *gpu)
{
    bool keeps = false;
    for (uint32_t i = 0; i < gpu->mech_cnt; i++)
        keeps |= gpu->mech[i].mech->keeps != NULL && gpu->mech[i].mech->keeps(gpu->mech[i].self);
    return keeps;
}
