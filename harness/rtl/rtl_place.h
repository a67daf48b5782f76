/* SPDX-License-Identifier: Apache-2.0 */
/* Where an installed cowarp finds the files that it needs while it runs. */
#ifndef CW_HARNESS_RTL_PLACE_H
#define CW_HARNESS_RTL_PLACE_H

#include <stdbool.h>

#include "rtl_os.h"

/*
 * The folder that cowarp is installed in, with share/cowarp/source (Verilog, headers, the shim's template: what a build of RTL takes) and
 * lib/cowarp (shared objects that are loaded). It is $COWARP_HOME, else the folder above that of the object file which holds this code, the
 * shared library or the command, if it has a share/cowarp/source. false: there is none, and cowarp takes the files of the tree that it was
 * built from.
 */
bool cw_place_installed(char prefix[CW_PATH_MAX]);

#endif
