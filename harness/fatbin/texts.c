/* SPDX-License-Identifier: Apache-2.0 */
#include "fatbin/texts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin/elf.h"
#include "fatbin/fatbin.h"

bool cw_fatbin_texts_are(const void *data, size_t length)
{
    return cw_fatbin_is(data, length) || (length >= 4 && memcmp(data, "\177ELF", 4) == 0);
}

/* What has been seen of a file. */
struct reading {
    struct cw_fatbin_texts *texts;
    const char *name;
    uint32_t container_cnt;
    struct cw_fatbin without; /* a container without PTX, if there is one */
    bool is_without;
    struct cw_error *err;
};

static int add(struct reading *r, const struct cw_fatbin *f)
{
    struct cw_fatbin_texts *t = r->texts;
    const struct cw_fatbin_image *ptx = cw_fatbin_newest_ptx(f);
    r->container_cnt++;
    if (ptx == NULL) {
        r->without = *f;
        r->is_without = true;
        return CW_OK;
    }
    struct cw_fatbin_one *more = realloc(t->one, (t->cnt + 1u) * sizeof *more);
    const size_t room = strlen(r->name) + 24;
    if (more != NULL)
        t->one = more;
    char *name = malloc(room);
    if (more == NULL || name == NULL) {
        free(name);
        return cw_fail(r->err, CW_ENOMEM, "%s: out of memory", r->name);
    }
    snprintf(name, room, "%s#%u.ptx", r->name, (unsigned)r->container_cnt);
    struct cw_fatbin_one *o = &t->one[t->cnt++];
    *o = (struct cw_fatbin_one){.name = name, .architecture = ptx->architecture};
    return cw_fatbin_text(&o->text, &o->length, ptx, name, r->err);
}

/* Containers stand one behind the other, with zeros between them. */
static int read_containers(struct reading *r, const uint8_t *at, size_t length)
{
    struct cw_fatbin *f = malloc(sizeof *f);
    int status = f != NULL ? CW_OK : cw_fail(r->err, CW_ENOMEM, "%s: out of memory", r->name);
    for (size_t done = 0; status == CW_OK && done < length;) {
        if (at[done] == 0) {
            done++;
            continue;
        }
        status = cw_fatbin_read(f, at + done, length - done, r->name, r->err);
        if (status == CW_OK)
            status = add(r, f);
        done += f->bytes;
    }
    free(f);
    return status;
}

static int read_elf(struct reading *r, const void *data, size_t length)
{
    static const char *const sections[] = {".nv_fatbin", "__nv_relfatbin"}; /* the second of files compiled with -rdc=true */
    struct cw_elf elf;
    const uint8_t *bytes;
    size_t own;
    int status = CW_OK;
    if (!cw_elf_open(&elf, data, length))
        return cw_fail(r->err, CW_EINVAL, "%s: an ELF file that is damaged, or not of 64 bits", r->name);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        for (uint32_t nth = 0; status == CW_OK && cw_elf_section(&elf, sections[i], nth, &bytes, &own); nth++)
            status = read_containers(r, bytes, own);
    return status;
}

int cw_fatbin_texts_read(struct cw_fatbin_texts *texts, const void *data, size_t length, const char *name, struct cw_error *err)
{
    struct reading r = {.texts = texts, .name = name, .err = err};
    *texts = (struct cw_fatbin_texts){0};
    const int status = cw_fatbin_is(data, length) ? read_containers(&r, data, length) : read_elf(&r, data, length);
    if (status != CW_OK || texts->cnt > 0)
        return status;
    if (r.is_without)
        return cw_fatbin_no_ptx(&r.without, name, err);
    return cw_fail(err, CW_EINVAL, "%s: has no fatbinary, so no kernel; a cubin has machine code only", name);
}

void cw_fatbin_texts_free(struct cw_fatbin_texts *texts)
{
    for (uint32_t i = 0; i < texts->cnt; i++) {
        free(texts->one[i].text);
        free(texts->one[i].name);
    }
    free(texts->one);
    *texts = (struct cw_fatbin_texts){0};
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

bool cw_fatbin_has_kernel(const char *text, const char *kernel)
{
    const size_t length = strlen(kernel);
    for (const char *at = strstr(text, ".entry"); at != NULL; at = strstr(at + 6, ".entry")) {
        const char *name = at + 6 + strspn(at + 6, " \t\r\n");
        if (name > at + 6 && strncmp(name, kernel, length) == 0 && !is_of_name(name[length]))
            return true;
    }
    return false;
}
