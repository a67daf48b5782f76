/* SPDX-License-Identifier: Apache-2.0 */
/* Properties by the place of their asserts: in the Verilog each stands below a comment "// N. sentence." */
#ifndef CW_HARNESS_RTL_PROPERTY_H
#define CW_HARNESS_RTL_PROPERTY_H

#include <stddef.h>
#include <stdint.h>

/* Writes "property 3: No two lines hold the same granule. (cw_stall_buffer.v:210)"; or "an assert (FILE:210)" where the file cannot be
 * read or the assert stands below no such comment. line counts from 1. */
void cw_rtl_property_at(char *out, size_t size, const char *file, uint32_t line);

#endif
