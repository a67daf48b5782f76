/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Kilo TM family (README.md): transactions that keep their writes in a log, and validate what they have read, by value, at commit units
 * beside the L2 (Fung 2015, chapters 4 to 6). Its core half, ports and commit units also serve the idealised systems of csim/mech/ideal,
 * which decide elsewhere: they create an instance here and put their arbiter at the ends of its wires (wires.h).
 */
#ifndef CW_MECH_KILO_KILO_H
#define CW_MECH_KILO_KILO_H

#include "mech/mech.h"

enum cw_kilo_kind { CW_KILO_TM, CW_KILO_WARPTM, CW_KILO_EAPG, CW_KILO_EL, CW_KILO_IDEAL };

struct cw_kilo;
struct cw_kilo_machine;

/* The components of one GPU. For EL and IDEAL the caller brings the arbiter: it reads wires.ask and answers by wires.grant, writes memory
 * by wires.write, and tells wires.overwritten. CW_EINVAL for a configuration that cannot be, CW_ENOMEM, or the unit provider's status; err
 * says which, and nothing is left to destroy. */
int cw_kilo_create(struct cw_kilo_machine **out, const struct cw_mech_host *host, enum cw_kilo_kind kind, struct cw_error *err);
void cw_kilo_destroy(struct cw_kilo_machine *m);
/* Host, options and wires; as long as the machine lives. */
struct cw_kilo *cw_kilo_shared(struct cw_kilo_machine *m);

/* The descriptor of warptm. */
extern const struct cw_mech cw_mech_warptm;

/* As struct cw_mech (mech/mech.h) has them. */
extern const struct cw_core_sockets cw_kilo_core_sockets;
void *cw_kilo_core_self(struct cw_kilo_machine *m, uint32_t core);
uint32_t cw_kilo_components(struct cw_kilo_machine *m, struct cw_component **list, uint32_t max);
bool cw_kilo_idle(const struct cw_kilo_machine *m);
void cw_kilo_state(struct cw_kilo_machine *m, struct cw_state *s);

#endif
