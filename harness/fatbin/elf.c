/* SPDX-License-Identifier: Apache-2.0 */
#include "fatbin/elf.h"

#include <elf.h>
#include <string.h>

static bool lies_in(const struct cw_elf *elf, uint64_t offset, uint64_t bytes)
{
    return offset <= elf->length && bytes <= elf->length - offset;
}

bool cw_elf_open(struct cw_elf *elf, const void *data, size_t length)
{
    Elf64_Ehdr h;
    *elf = (struct cw_elf){.data = data, .length = length};
    if (length < sizeof h)
        return false;
    memcpy(&h, data, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB)
        return false;
    elf->sections = h.e_shoff;
    elf->section_cnt = h.e_shnum;
    elf->section_names = h.e_shstrndx;
    return h.e_shentsize == sizeof(Elf64_Shdr) && lies_in(elf, h.e_shoff, (uint64_t)h.e_shnum * sizeof(Elf64_Shdr));
}

static bool header(const struct cw_elf *elf, uint64_t i, Elf64_Shdr *s)
{
    if (i >= elf->section_cnt)
        return false;
    memcpy(s, elf->data + elf->sections + i * sizeof *s, sizeof *s);
    return s->sh_type == SHT_NOBITS || lies_in(elf, s->sh_offset, s->sh_size);
}

/* The text at an offset of a section of texts; NULL: it does not end in it. */
static const char *text_at(const struct cw_elf *elf, const Elf64_Shdr *texts, uint64_t offset)
{
    if (texts->sh_type == SHT_NOBITS || offset >= texts->sh_size)
        return NULL;
    const uint8_t *at = elf->data + texts->sh_offset + offset;
    return memchr(at, '\0', (size_t)(texts->sh_size - offset)) != NULL ? (const char *)at : NULL;
}

bool cw_elf_section(const struct cw_elf *elf, const char *name, uint32_t nth, const uint8_t **bytes, size_t *length)
{
    Elf64_Shdr names, s;
    if (!header(elf, elf->section_names, &names))
        return false;
    for (uint32_t i = 0; i < elf->section_cnt; i++) {
        if (!header(elf, i, &s) || s.sh_type == SHT_NOBITS)
            continue;
        const char *own = text_at(elf, &names, s.sh_name);
        if (own == NULL || strcmp(own, name) != 0 || nth-- > 0)
            continue;
        *bytes = elf->data + s.sh_offset;
        *length = (size_t)s.sh_size;
        return true;
    }
    return false;
}

/* The first section of that type, and the section of texts that it is linked with. */
static bool of_type(const struct cw_elf *elf, uint32_t type, uint64_t entry, Elf64_Shdr *s, Elf64_Shdr *texts)
{
    for (uint32_t i = 0; i < elf->section_cnt; i++)
        if (header(elf, i, s) && s->sh_type == type && s->sh_entsize == entry)
            return header(elf, s->sh_link, texts);
    return false;
}

const char *cw_elf_needed(const struct cw_elf *elf, uint32_t i)
{
    Elf64_Shdr s, texts;
    Elf64_Dyn d;
    if (!of_type(elf, SHT_DYNAMIC, sizeof d, &s, &texts))
        return NULL;
    for (uint64_t at = 0; at + sizeof d <= s.sh_size; at += sizeof d) {
        memcpy(&d, elf->data + s.sh_offset + at, sizeof d);
        if (d.d_tag == DT_NEEDED && i-- == 0)
            return text_at(elf, &texts, d.d_un.d_val);
    }
    return NULL;
}

const char *cw_elf_undefined(const struct cw_elf *elf, uint32_t i)
{
    Elf64_Shdr s, texts;
    Elf64_Sym y;
    if (!of_type(elf, SHT_DYNSYM, sizeof y, &s, &texts))
        return NULL;
    for (uint64_t at = 0; at + sizeof y <= s.sh_size; at += sizeof y) {
        memcpy(&y, elf->data + s.sh_offset + at, sizeof y);
        if (y.st_shndx == SHN_UNDEF && y.st_name != 0 && i-- == 0)
            return text_at(elf, &texts, y.st_name);
    }
    return NULL;
}

bool cw_elf_is_program(const struct cw_elf *elf)
{
    Elf64_Ehdr h;
    memcpy(&h, elf->data, sizeof h);
    return h.e_type == ET_EXEC || h.e_type == ET_DYN;
}
