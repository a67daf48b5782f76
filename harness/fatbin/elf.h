/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked of an ELF file of 64 bits, little-endian: its sections by name, and what its dynamic symbols need. No byte is believed.
 */
#ifndef CW_HARNESS_FATBIN_ELF_H
#define CW_HARNESS_FATBIN_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cw_elf {
    const uint8_t *data;
    size_t length;
    uint64_t sections, section_names; /* offset of the section headers; index of the section with their names */
    uint32_t section_cnt;
};

/* Whether the bytes are such a file whose section headers lie in it. The bytes must outlive *elf. */
bool cw_elf_open(struct cw_elf *elf, const void *data, size_t length);
/* The bytes of the section of that name, number `nth` of those (0, 1, ...); false: there is none, or it does not lie in the file. */
bool cw_elf_section(const struct cw_elf *elf, const char *name, uint32_t nth, const uint8_t **bytes, size_t *length);
/* The libraries that it needs, by soname: i = 0, 1, ...; NULL: no more. The text lies in the file. */
const char *cw_elf_needed(const struct cw_elf *elf, uint32_t i);
/* Its dynamic symbols that another library has to define: i = 0, 1, ...; NULL: no more. */
const char *cw_elf_undefined(const struct cw_elf *elf, uint32_t i);
/* Whether it is a program or a library, which the loader takes, rather than an object file. */
bool cw_elf_is_program(const struct cw_elf *elf);

#endif
