/* SPDX-License-Identifier: Apache-2.0 */
/* The C side of a trace: which signals there are, and their values. */
#ifndef CW_HARNESS_WAVE_SIGNALS_H
#define CW_HARNESS_WAVE_SIGNALS_H

#include <stdbool.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "wave/tap.h"
#include "wave/wave_plugin.h"

struct cw_wave__shown; /* how the value of a tapped signal comes about */

struct cw_wave_signals {
    struct cw_wave_signal *signal; /* signal_cnt; their values are read at each dump */
    uint32_t signal_cnt;
    struct cw_wave_enum *enums; /* words of the cores' warps, then those of the tapped units */
    uint32_t enum_cnt;
    const char **word; /* those of channels, which have words beside their port's */
    uint32_t word_cnt;
    const uint64_t **counter; /* counter_cnt, where the GPU keeps them */
    uint32_t counter_cnt;
    const struct cw_gpu *gpu;
    uint64_t *value;
    char **text; /* scope and name of each signal */
    struct cw_wave__shown *shown;
    uint32_t tapped_first; /* signals from here on come from taps, up to tapped_end */
    uint32_t tapped_end;
    bool incomplete; /* memory ran out for a name */
};

/* gpu may be NULL (then only the tapped units are shown), taps too; both must outlive the signals. trigger: there is a signal
 * cowarp.trigger, too. 0 or CW_ENOMEM; to be destroyed in both cases. */
int cw_wave_signals_create(struct cw_wave_signals *s, const struct cw_gpu *gpu, const struct cw_taps *taps, bool trigger,
                           struct cw_error *err);
void cw_wave_signals_destroy(struct cw_wave_signals *s);
/* Takes the values of the clock counters at `now`; of the cores and the statistics; of the tapped units. */
void cw_wave_sample_clocks(struct cw_wave_signals *s, cw_time now);
void cw_wave_sample_chip(struct cw_wave_signals *s);
void cw_wave_sample_units(struct cw_wave_signals *s);
/* cowarp.trigger is 1 from now on. */
void cw_wave_sample_trigger(struct cw_wave_signals *s);

/* The number that a port's word stands for ("store" of req_kind). false: the port has no such word. */
bool cw_wave_word_value(const struct cw_unit *unit, const char *port, const char *word, uint64_t *value);

#endif
