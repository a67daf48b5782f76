/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptors of ideal and warptm-el: a machine of the Kilo TM family whose commits the arbiter decides. */
#include <stdlib.h>

#include "cowarp/unit/ownership_table.h"
#include "mech/ideal/arbiter.h"
#include "mech/tm/tm.h"

struct ideal {
    struct cw_kilo_machine *machine;
    struct cw_ideal_arbiter *arbiter;
};

static void destroy(void *self)
{
    struct ideal *s = self;
    if (s == NULL)
        return;
    cw_ideal_arbiter_destroy(s->arbiter);
    cw_kilo_destroy(s->machine);
    free(s);
}

static int create(void **out, const struct cw_mech_host *host, enum cw_kilo_kind kind, struct cw_error *err)
{
    struct ideal *s = calloc(1, sizeof *s);
    *out = NULL;
    if (s == NULL)
        return cw_fail(err, CW_ENOMEM, "out of host memory for an idealised system");
    int status = cw_kilo_create(&s->machine, host, kind, err);
    if (status == CW_OK && cw_ideal_arbiter_create(&s->arbiter, cw_kilo_shared(s->machine)) != CW_OK)
        status = cw_fail(err, CW_ENOMEM, "out of host memory for an idealised system");
    if (status != CW_OK) {
        destroy(s);
        return status;
    }
    *out = s;
    return CW_OK;
}

static int create_ideal(void **out, const struct cw_mech_host *host, struct cw_error *err)
{
    return create(out, host, CW_KILO_IDEAL, err);
}

static int create_warptm_el(void **out, const struct cw_mech_host *host, struct cw_error *err)
{
    return create(out, host, CW_KILO_EL, err);
}

static uint32_t components(void *self, struct cw_component **list, uint32_t max)
{
    struct ideal *s = self;
    uint32_t cnt = cw_kilo_components(s->machine, list, max);
    if (cnt < max)
        list[cnt++] = cw_ideal_arbiter_component(s->arbiter);
    return cnt;
}

static void *core_self(void *self, uint32_t core)
{
    const struct ideal *s = self;
    return cw_kilo_core_self(s->machine, core);
}

static bool idle(const void *self)
{
    const struct ideal *s = self;
    return cw_kilo_idle(s->machine);
}

static void state(void *self, struct cw_state *s)
{
    struct ideal *i = self;
    cw_kilo_state(i->machine, s);
}

static bool has_ownership_tables(const struct cw_config *config)
{
    return cw_kilo_keys_of(config)->warptm_resolution == CW_KILO_2PCR;
}

/* Its commit units are no hardware: nobody keeps credits for their entries. */
static const struct cw_mech_unit el_units[] = {{.unit = &cw_ownership_table_unit,
                                                .what = "two-phase intra-warp conflict resolution; tm.resolvers per core",
                                                .domain = CW_DOMAIN_CORE,
                                                .used = has_ownership_tables,
                                                .needs = "warptm.resolution = 2pcr"}};

const struct cw_mech cw_mech_warptm_el = {.name = "warptm-el",
                                          .what = "WarpTM with idealised eager conflict detection (Ren and Lis, HPCA 2018, section III)",
                                          .system = true,
                                          .unit = el_units,
                                          .unit_cnt = sizeof el_units / sizeof el_units[0],
                                          .keys = cw_kilo_key_sets,
                                          .counters = cw_kilo_counter_sets,
                                          .messages = cw_kilo_messages,
                                          .intrinsic = cw_tm_intrinsics,
                                          .inbox = cw_tm_inbox,
                                          .create = create_warptm_el,
                                          .destroy = destroy,
                                          .components = components,
                                          .core = &cw_kilo_core_sockets,
                                          .core_self = core_self,
                                          .local_bytes = cw_tm_log_bytes,
                                          .state = state,
                                          .idle = idle};
const struct cw_mech cw_mech_ideal = {.name = "ideal",
                                      .what = "Ideal TM: conflicts are detected and resolved at no cost (Fung 2015, 4.1)",
                                      .system = true,
                                      .keys = cw_kilo_key_sets,
                                      .counters = cw_kilo_counter_sets,
                                      .messages = cw_kilo_messages,
                                      .intrinsic = cw_tm_intrinsics,
                                      .inbox = cw_tm_inbox,
                                      .create = create_ideal,
                                      .destroy = destroy,
                                      .components = components,
                                      .core = &cw_kilo_core_sockets,
                                      .core_self = core_self,
                                      .local_bytes = cw_tm_log_bytes,
                                      .state = state,
                                      .idle = idle};
