/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waveforms of a run in one FST file: the clocks' cycle counters, the state of every warp, the chip's main counters, the ports of every
 * hardware unit (enums as words), and the inner signals of the units that run as RTL. See docs/waves.md.
 */
#ifndef CW_HARNESS_WAVE_WAVE_H
#define CW_HARNESS_WAVE_WAVE_H

#include <stdbool.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "wave/tap.h"
#include "wave/wave_plugin.h"

struct cw_wave;

struct cw_wave_options {
    const char *path;              /* written under a temporary name, renamed by cw_wave_close */
    const char *plugin;            /* path of libcowarp_wave.so */
    uint64_t begin, end;           /* core cycles traced: begin <= cycle < end */
    struct cw_taps *taps;          /* or NULL */
    const struct cw_wave_rtl *rtl; /* RTL instances, rtl_cnt of them; read by cw_wave_create only */
    uint32_t rtl_cnt;
};

/* The GPU exists already. CW_EIO when the plug-in or the file cannot be opened. */
int cw_wave_create(struct cw_wave **wave, const struct cw_wave_options *options, const struct cw_gpu *gpu, struct cw_error *err);
/* To be called after every time step. */
void cw_wave_step(struct cw_wave *wave, cw_time now);
/* Whether nothing happened in the window so far. */
bool cw_wave_empty(const struct cw_wave *wave);
const char *cw_wave_path(const struct cw_wave *wave);
/* Finishes the file, before the GPU and its units are destroyed. An empty window gives a file with the state of now. */
int cw_wave_close(struct cw_wave *wave, struct cw_error *err);

#endif
