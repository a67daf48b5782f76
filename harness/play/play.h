/* SPDX-License-Identifier: Apache-2.0 */
/* Drives one unit, without a GPU around it, by a stimulus file, and writes a wave of it. */
#ifndef CW_HARNESS_PLAY_PLAY_H
#define CW_HARNESS_PLAY_PLAY_H

#include "base/error.h"
#include "play/script.h"
#include "rtl/rtl_provider.h"

struct cw_play_options {
    const char *path; /* of the wave; written under a temporary name and renamed when the play is over, whatever its outcome */
    enum cw_unit_backend backend;
    struct cw_rtl_build_options build;
};

struct cw_played {
    uint64_t cycles;       /* clock cycles */
    uint32_t expectations; /* transfers that came as expected */
    uint32_t waits;        /* lines that waited for values of outputs, and these came */
};

/* CW_OK; CW_ECHECK: an answer was another one, or none came ("path:line: ..."); CW_EMISMATCH; CW_EIO; CW_EINVAL;
 * CW_ENOMEM; CW_ELIMIT: build.stop wanted it, and no wave is there.
 * After CW_ECHECK and CW_EMISMATCH the wave is there and ends with the fault. */
int cw_play(struct cw_played *played, const struct cw_script *script, const struct cw_play_options *options, struct cw_error *err);

#endif
