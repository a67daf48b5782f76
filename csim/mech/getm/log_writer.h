/* SPDX-License-Identifier: Apache-2.0 */
/* GETM's commit unit in a memory partition (GETM V.C): a component in the commit units' clock. Its state is in log_writer.c. */
#ifndef CW_MECH_GETM_LOG_WRITER_H
#define CW_MECH_GETM_LOG_WRITER_H

#include "mech/getm/shared.h"

struct cw_getm_log_writer;

/* releases: where it pushes struct cw_getm_release (messages.h). CW_ENOMEM. Destroy it in any case. g and releases outlive it. */
int cw_getm__log_writer_create(struct cw_getm_log_writer **out, const struct cw_getm *g, uint32_t index, struct cw_fifo *releases);
void cw_getm__log_writer_destroy(struct cw_getm_log_writer *u);
struct cw_component *cw_getm__log_writer_component(struct cw_getm_log_writer *u);
bool cw_getm__log_writer_idle(const struct cw_getm_log_writer *u);

#endif
