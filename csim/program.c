/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the layers together: what base asks of the program as a whole. It stands above all folders of csim. */
#include "base/program.h"

#include "mech/mechs.h"

const struct cw_program cw_program = {.key_set_at = cw_mech_key_set_at, .counter_set_at = cw_mech_counter_set_at};
