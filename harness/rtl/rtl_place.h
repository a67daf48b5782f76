/* SPDX-License-Identifier: Apache-2.0 */
/* Where cowarp finds the files that come with it. No path is compiled in: an installed tree may be moved, and the sources may be gone. */
#ifndef CW_HARNESS_RTL_PLACE_H
#define CW_HARNESS_RTL_PLACE_H

#include <stdbool.h>

#include "rtl_os.h"

/* Verilog, headers, the shim's template: what a build of RTL takes, as in the source tree; and what is loaded. */
#define CW_PLACE_SOURCE "share/cowarp/source"
#define CW_PLACE_LOADED "lib/cowarp"

/*
 * The file or folder of that name, such as CW_PLACE_SOURCE "/rtl". It is looked for in $COWARP_HOME when that is set. Else it is in the nearest
 * folder above the object file that holds this code, the shared library or the program: PREFIX of PREFIX/bin/cowarp and of
 * PREFIX/lib/libcowarp.so, and the folder of a build. The path is absolute and without symbolic links. false: there is none; path then has
 * the name for a message.
 */
bool cw_place(char path[CW_PATH_MAX], const char *name);

#endif
