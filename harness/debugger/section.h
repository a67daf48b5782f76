/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of debug information in the text of a PTX, as bytes. Private to: dwarf.c, section.c. */
#ifndef CW_DEBUGGER_SECTION_H
#define CW_DEBUGGER_SECTION_H

#include "debugger/dwarf.h"

enum cw_section { CW_SECTION_ABBREV, CW_SECTION_INFO, CW_SECTION_STR, CW_SECTION_LOC, CW_SECTION_RANGES, CW_SECTIONS };

struct cw_section_bytes {
    uint8_t *at; /* owned by the caller; a 0 stands behind its end */
    uint32_t bytes;
};

/* How many characters of a name are there. */
size_t cw_section_word(const char *at);
/* Reads them; addresses are as dwarf.h says. NULL, or what is wrong, and then there is nothing to free. */
const char *cw_sections_read(const char *text, struct cw_section_bytes to[CW_SECTIONS]);

#endif
