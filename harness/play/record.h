/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records what a running GPU sends into one unit instance, as a stimulus file (play/script.h): every transfer of every input channel that
 * has valid and ready, with the clock cycle in which the unit took it. Inputs that are no such channel (a memory's answers, drain, flush)
 * are not recorded.
 */
#ifndef CW_HARNESS_PLAY_RECORD_H
#define CW_HARNESS_PLAY_RECORD_H

#include "base/error.h"
#include "cowarp/unit.h"

struct cw_recorder;

struct cw_recorder_options {
    const char *instance; /* path, "partition0.validation_unit"; copied */
    const char *path;     /* written under a temporary name, renamed by cw_recorder_close */
};

/* *outer behaves as inner does, and records. inner must outlive it. 0, CW_EIO or CW_ENOMEM. */
int cw_recorder_create(struct cw_recorder **recorder, struct cw_unit_provider *outer, const struct cw_unit_provider *inner,
                       const struct cw_recorder_options *options, struct cw_error *err);
/* When all instances have been opened: writes the file's head. mhz: the unit's clock. CW_EINVAL when the instance is not among them. */
int cw_recorder_begin(struct cw_recorder *recorder, uint32_t mhz, struct cw_error *err);
/* To be called after every time step; cycle: the unit's clock cycle that the step belongs to. */
void cw_recorder_step(struct cw_recorder *recorder, uint64_t cycle);
/* Completes the file. 0 or CW_EIO. */
int cw_recorder_close(struct cw_recorder *recorder, struct cw_error *err);
/* After the instances. NULL is ignored; a file that was not closed is discarded. */
void cw_recorder_destroy(struct cw_recorder *recorder);

#endif
