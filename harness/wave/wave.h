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
#include "rtl/rtl_provider.h"
#include "wave/tap.h"

struct cw_wave;

/* What a wave waits for, to keep the last cycles before it. */
enum cw_wave_event {
    CW_WAVE_WINDOW, /* nothing: the window is traced as it passes */
    CW_WAVE_CYCLE,  /* core cycle number */
    CW_WAVE_ABORT,  /* abort number (1: the first) of a transaction; counted per thread */
    CW_WAVE_WAIT,   /* decision number (1: the first) about a warp whose question had to wait in its unit, for at most `keep` core cycles */
    CW_WAVE_DEADLOCK, /* cw_wave_end with CW_EDEADLOCK */
    CW_WAVE_MISMATCH, /* a lockstep pair differs */
};

struct cw_wave_options {
    const char *path; /* written under a temporary name, renamed by cw_wave_close */
    enum cw_wave_event event;
    uint64_t begin, end;                  /* CW_WAVE_WINDOW: core cycles traced: begin <= cycle < end */
    uint64_t number;                      /* of the event: see there */
    uint64_t keep, tail;                  /* an event: core cycles before it, at least 1, and after it */
    struct cw_taps *taps;                 /* or NULL */
    const struct cw_unit_provider *units; /* the one behind the taps, made by cw_rtl_provider_create */
};

/* Where the event was. */
struct cw_wave_place {
    uint64_t time_ps;
    bool in_warp;        /* core and warp are known */
    uint32_t core, warp; /* slot of the core */
    char unit[64];       /* hardware unit, "partition2.validation_unit"; "": none is known */
};

/* The GPU exists already. CW_EIO when the plug-in or the file cannot be opened; for an event, both are opened only when it has come. */
int cw_wave_create(struct cw_wave **wave, const struct cw_wave_options *options, struct cw_gpu *gpu, struct cw_error *err);
/* To be called after every time step. */
void cw_wave_step(struct cw_wave *wave, cw_time now);
/* A launch has ended with this status. */
void cw_wave_end(struct cw_wave *wave, int status);
/* Whether nothing happened in the window so far, or the event has not come. */
bool cw_wave_empty(const struct cw_wave *wave);
/* NULL: the event has not come. */
const struct cw_wave_place *cw_wave_place(const struct cw_wave *wave);
const char *cw_wave_path(const struct cw_wave *wave);
/* Finishes the file, before the GPU and its units are destroyed. An empty window gives a file with the state of now, an event that did not
 * come gives none. */
int cw_wave_close(struct cw_wave *wave, struct cw_error *err);
/* Instead of close: leaves no file, and one that was there as it was. */
void cw_wave_discard(struct cw_wave *wave);

#endif
