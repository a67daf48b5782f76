/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/kilo/unit/hazard.h"

#include <stdlib.h>

#include "mech/kilo/keys.h"
#include "mech/kilo/unit/detector.h"

struct cw_kilo_hazard {
    const struct cw_mech_host *host;
    struct cw_kilo_counters *counters;
    struct cw_adapt_hazard_unit *unit; /* or */
    struct cw_kilo_detector *detector;
};

bool cw_kilo_hazard_clock(struct cw_kilo_hazard *h, const struct cw_adapt_hazard_unit_word *e, uint64_t live,
                          struct cw_adapt_hazard_unit_result *result)
{
    bool taken;
    if (h->detector == NULL) {
        taken = cw_adapt_hazard_unit_clock(h->unit, e, live, result);
        h->counters->cu_history_evictions += result->evicted;
        return taken;
    }
    result->valid = false;
    if (e == NULL && !cw_kilo_detector_busy(h->detector))
        return false;
    taken = cw_kilo_detector_clock(h->detector, e, live, result);
    if (cw_kilo_detector_failed(h->detector))
        cw_mech_fault(h->host, CW_ENOMEM, "out of host memory for hazard detection");
    return taken;
}

bool cw_kilo_hazard_busy(const struct cw_kilo_hazard *h)
{
    return h->detector != NULL ? cw_kilo_detector_busy(h->detector) : cw_adapt_hazard_unit_busy(h->unit);
}

void cw_kilo_hazard_begin_epoch(struct cw_kilo_hazard *h, uint64_t first)
{
    if (h->detector == NULL) /* the detectors' IDs go on, and all writers have retired */
        cw_adapt_hazard_unit_begin_epoch(h->unit, first);
}

int cw_kilo_hazard_create(struct cw_kilo_hazard **out, const struct cw_mech_host *host, uint32_t partition, struct cw_error *err)
{
    const struct cw_kilo_keys *keys = cw_kilo_keys_of(host->config);
    struct cw_kilo_hazard *h = *out = calloc(1, sizeof *h);
    if (h == NULL)
        return CW_ENOMEM;
    h->host = host;
    h->counters = cw_kilo_counters_of(host->stats);
    if (keys->kilo_hazard != CW_KILO_HISTORY)
        return cw_kilo_detector_create(&h->detector, (enum cw_kilo_detection)keys->kilo_hazard);
    const struct cw_adapt_hazard_unit_config unit = {.units = host->units,
                                                     .partition = partition,
                                                     .sets = keys->kilo_history_sets,
                                                     .rows = keys->kilo_history_rows,
                                                     .id_bits = keys->kilo_id_bits,
                                                     .memory_base = CW_GLOBAL_BASE,
                                                     .memory_bytes = (uint64_t)host->config->mem_mbytes << 20};
    return cw_adapt_hazard_unit_create(&h->unit, &unit, err);
}

void cw_kilo_hazard_destroy(struct cw_kilo_hazard *h)
{
    if (h == NULL)
        return;
    cw_adapt_hazard_unit_destroy(h->unit);
    cw_kilo_detector_destroy(h->detector);
    free(h);
}

void cw_kilo_hazard_state(struct cw_state *s, struct cw_kilo_hazard *h)
{
    if (h->detector != NULL)
        cw_kilo_detector_state(s, h->detector);
    else
        cw_adapt_hazard_unit_state(s, h->unit);
}
