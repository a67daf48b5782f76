/* SPDX-License-Identifier: Apache-2.0 */
/* The C++ between a unit's structs and its Verilated model: checked against the ports that Verilator found, then written. */
#ifndef CW_HARNESS_RTL_SHIM_H
#define CW_HARNESS_RTL_SHIM_H

#include <stdint.h>

#include "cowarp/unit.h"

/* "lines=4 entries=4 ..."; the caller frees. NULL when out of memory. */
char *cw_rtl_params_text(const struct cw_unit *unit, const void *params);

/*
 * Compares the unit's port list with the VL_IN/VL_OUT lines of the Verilated header. CW_EMISMATCH names the first port that is
 * missing, superfluous, of another direction or of another width. file: what the error calls the Verilog; NULL: cw_<unit>.v.
 */
int cw_rtl_check_ports(const struct cw_unit *unit, const void *params, const char *file, const char *verilated_header,
                       struct cw_error *err);

/*
 * Writes dir/shim.cpp, one translation unit of the shim and of all Verilated sources in dir, by filling the template (shim.cpp.in). digest
 * and version go into the library's table. 0; CW_EIO: a file; CW_EINVAL: a field of the template that there is not; CW_ENOMEM.
 */
int cw_rtl_write_shim(const char *dir, const char *template_file, const struct cw_unit *unit, const void *params, uint64_t digest,
                      const char *version, struct cw_error *err);

#endif
