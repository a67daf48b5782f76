/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptors of kilotm, warptm and eapg. */
#include "cowarp/unit/commit_unit.h"
#include "cowarp/unit/conflict_address_table.h"
#include "cowarp/unit/first_read_table.h"
#include "cowarp/unit/hazard_unit.h"
#include "cowarp/unit/last_written_table.h"
#include "cowarp/unit/ownership_table.h"
#include "cowarp/unit/reference_count_table.h"
#include "mech/kilo/shared.h"
#include "mech/kilo/unit/hazard.h"
#include "mech/tm/tm.h"

static int create(void **out, const struct cw_mech_host *host, enum cw_kilo_kind kind, struct cw_error *err)
{
    struct cw_kilo_machine *m;
    int status = cw_kilo_create(&m, host, kind, err);
    *out = m;
    return status;
}

static int create_kilotm(void **out, const struct cw_mech_host *host, struct cw_error *err)
{
    return create(out, host, CW_KILO_TM, err);
}

static int create_warptm(void **out, const struct cw_mech_host *host, struct cw_error *err)
{
    return create(out, host, CW_KILO_WARPTM, err);
}

static int create_eapg(void **out, const struct cw_mech_host *host, struct cw_error *err)
{
    return create(out, host, CW_KILO_EAPG, err);
}

static void destroy(void *self)
{
    cw_kilo_destroy(self);
}

static uint32_t components(void *self, struct cw_component **list, uint32_t max)
{
    return cw_kilo_components(self, list, max);
}

static void *core_self(void *self, uint32_t core)
{
    return cw_kilo_core_self(self, core);
}

static void state(void *self, struct cw_state *s)
{
    cw_kilo_state(self, s);
}

static bool idle(const void *self)
{
    return cw_kilo_idle(self);
}

/* Units */

static bool has_history(const struct cw_config *config)
{
    return cw_kilo_keys_of(config)->kilo_hazard == CW_KILO_HISTORY;
}

/* tcd.mode = auto: kilotm goes without */
static bool has_times(const struct cw_config *config)
{
    const uint32_t mode = cw_kilo_keys_of(config)->tcd_mode;
    return mode == CW_KILO_TCD_PUBLISHED || mode == CW_KILO_TCD_CLOSED;
}

static bool has_times_by_default(const struct cw_config *config)
{
    return cw_kilo_keys_of(config)->tcd_mode != CW_KILO_TCD_OFF;
}

static bool has_ownership_tables(const struct cw_config *config)
{
    return cw_kilo_keys_of(config)->warptm_resolution == CW_KILO_2PCR;
}

/* A larger ring exists in C only (include/cowarp/unit/commit_unit.h). */
static bool has_hardware_ring(const struct cw_config *config)
{
    const uint32_t entries = cw_kilo_keys_of(config)->kilo_entries;
    return entries != 0 && entries <= CW_COMMIT_UNIT_HARDWARE;
}

static const char *const inner[] = {"last_writer_history", NULL};
#define HAZARD_UNIT                                                                                                                       \
    {                                                                                                                                     \
        &cw_hazard_unit_unit, "last-writer history and hazard detection of a commit unit; one per memory partition", CW_DOMAIN_CU, inner, \
            has_history, "kilo.hazard = history"                                                                                          \
    }
#define COMMIT_UNIT                                                                                                           \
    {                                                                                                                         \
        &cw_commit_unit_unit, "ring of commit entries with its stage pointers; one per memory partition", CW_DOMAIN_CU, NULL, \
            has_hardware_ring, "kilo.entries = 32 to 2016"                                                                    \
    }
#define TIMES(used)                                                                                                                        \
    {&cw_last_written_table_unit,                                                                                                          \
     "last-written times of temporal conflict detection (tcd.mode); one per memory partition",                                             \
     CW_DOMAIN_L2,                                                                                                                         \
     NULL,                                                                                                                                 \
     used,                                                                                                                                 \
     "tcd.mode = closed or published"},                                                                                                    \
    {                                                                                                                                      \
        &cw_first_read_table_unit, "first-read times of temporal conflict detection (tcd.mode); one per core", CW_DOMAIN_CORE, NULL, used, \
            "tcd.mode = closed or published"                                                                                               \
    }

static const struct cw_mech_unit kilo_units[] = {HAZARD_UNIT, COMMIT_UNIT, TIMES(has_times)};
#define OWNERSHIP_TABLE                                                                                                    \
    {                                                                                                                      \
        &cw_ownership_table_unit, "two-phase intra-warp conflict resolution; tm.resolvers per core", CW_DOMAIN_CORE, NULL, \
            has_ownership_tables, "warptm.resolution = 2pcr"                                                               \
    }
static const struct cw_mech_unit warp_units[] = {HAZARD_UNIT, COMMIT_UNIT, TIMES(has_times_by_default), OWNERSHIP_TABLE};
static const struct cw_mech_unit eapg_units[] = {HAZARD_UNIT,
                                                 COMMIT_UNIT,
                                                 TIMES(has_times_by_default),
                                                 OWNERSHIP_TABLE,
                                                 {.unit = &cw_conflict_address_table_unit,
                                                  .what = "words of commits under way, as a core has heard of them; one per core",
                                                  .domain = CW_DOMAIN_CORE},
                                                 {.unit = &cw_reference_count_table_unit,
                                                  .what = "commits under way that write a word; one per memory partition",
                                                  .domain = CW_DOMAIN_CU}};

#define SYSTEM(name_, what_, create_, units_)                                                                                    \
    {                                                                                                                            \
        .name = name_, .what = what_, .system = true, .unit = units_, .unit_cnt = sizeof(units_) / sizeof((units_)[0]),          \
        .keys = cw_kilo_key_sets, .counters = cw_kilo_counter_sets, .messages = cw_kilo_messages, .intrinsic = cw_tm_intrinsics, \
        .inbox = cw_tm_inbox, .sabotage = cw_kilo_faults, .create = create_, .destroy = destroy, .components = components,       \
        .core = &cw_kilo_core_sockets, .core_self = core_self, .local_bytes = cw_tm_log_bytes, .state = state, .idle = idle      \
    }

const struct cw_mech cw_mech_kilotm =
    SYSTEM("kilotm", "Kilo TM: value-based validation at commit units (Fung 2015, chapter 4)", create_kilotm, kilo_units);
const struct cw_mech cw_mech_warptm =
    SYSTEM("warptm", "WarpTM: Kilo TM with warp-level management and temporal conflict detection (Fung 2015, chapter 6)", create_warptm,
           warp_units);
const struct cw_mech cw_mech_eapg =
    SYSTEM("eapg", "WarpTM with early abort and pause-and-go, idealised (Ren and Lis, HPCA 2018, VI.A)", create_eapg, eapg_units);
