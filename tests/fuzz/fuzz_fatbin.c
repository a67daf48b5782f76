// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for files that nvcc makes: no bytes, however broken, may crash their reader, and the texts that it finds end in a NUL.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "fatbin/elf.h"
#include "fatbin/texts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk_names(const uint8_t *data, size_t size)
{
    struct cw_elf elf;
    const char *name;
    if (!cw_elf_open(&elf, data, size))
        return;
    for (uint32_t i = 0; (name = cw_elf_needed(&elf, i)) != NULL; i++)
        assert(strlen(name) < size);
    for (uint32_t i = 0; (name = cw_elf_undefined(&elf, i)) != NULL; i++)
        assert(strlen(name) < size);
    (void)cw_elf_is_program(&elf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cw_fatbin_texts texts;
    struct cw_error err;
    memset(&err, 0, sizeof err);
    walk_names(data, size);
    if (!cw_fatbin_texts_are(data, size))
        return 0;
    const int status = cw_fatbin_texts_read(&texts, data, size, "fuzz", &err);
    assert(status <= 0 && (status == 0) == (texts.cnt > 0 && err.text[0] == '\0'));
    assert(status == 0 || strncmp(err.text, "fuzz", 4) == 0);
    for (uint32_t i = 0; status == 0 && i < texts.cnt; i++) {
        assert(texts.one[i].text[texts.one[i].length] == '\0');
        (void)cw_fatbin_has_kernel(texts.one[i].text, "add");
    }
    cw_fatbin_texts_free(&texts);
    return 0;
}
