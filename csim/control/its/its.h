/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of independent threads. Private to: its.c, keys.c. */
#ifndef CW_CONTROL_ITS_ITS_H
#define CW_CONTROL_ITS_ITS_H

#include "base/config.h"
#include "control/control.h"

struct cw_its_keys {
#define CW_LIST "control/its/keys.def"
#include "base/key_fields.h"
};

extern const struct cw_key_set cw_its_keys;

#endif
