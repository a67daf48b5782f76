/* SPDX-License-Identifier: Apache-2.0 */
#include "fatbin/texts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin/elf.h"
#include "fatbin/fatbin.h"
#include "fatbin/link.h"

bool cw_fatbin_texts_are(const void *data, size_t length)
{
    return cw_fatbin_is(data, length) || (length >= 4 && memcmp(data, "\177ELF", 4) == 0);
}

/* What has been seen of a file. */
struct reading {
    struct cw_fatbin_texts *texts;
    const char *name;
    uint32_t container_cnt;
    struct cw_fatbin *later; /* containers to be linked with each other */
    uint32_t later_cnt;
    struct cw_fatbin without; /* a container without PTX, if there is one */
    bool is_without;
    struct cw_error *err;
};

/* A new text, called by the number of its container. */
static int new_text(struct reading *r, struct cw_fatbin_one **one)
{
    struct cw_fatbin_texts *t = r->texts;
    struct cw_fatbin_one *more = realloc(t->one, (t->cnt + 1u) * sizeof *more);
    const size_t room = strlen(r->name) + 24;
    if (more != NULL)
        t->one = more;
    char *name = malloc(room);
    if (more == NULL || name == NULL) {
        free(name);
        return cw_fail(r->err, CW_ENOMEM, "%s: out of memory", r->name);
    }
    snprintf(name, room, "%s#%u.ptx", r->name, (unsigned)(r->container_cnt - (r->later_cnt > 1 ? r->later_cnt - 1 : 0)));
    *one = &t->one[t->cnt++];
    **one = (struct cw_fatbin_one){.name = name};
    return CW_OK;
}

static int add(struct reading *r, const struct cw_fatbin *f)
{
    struct cw_fatbin_one *one;
    const struct cw_fatbin_image *ptx = cw_fatbin_newest_ptx(f);
    r->container_cnt++;
    if (ptx == NULL) {
        r->without = *f;
        r->is_without = true;
        return CW_OK;
    }
    const int status = new_text(r, &one);
    if (status != CW_OK)
        return status;
    one->architecture = ptx->architecture;
    return cw_fatbin_text(&one->text, &one->length, ptx, one->name, r->err);
}

static int add_later(struct reading *r, const struct cw_fatbin *f)
{
    struct cw_fatbin *more = realloc(r->later, (r->later_cnt + 1u) * sizeof *more);
    if (more == NULL)
        return cw_fail(r->err, CW_ENOMEM, "%s: out of memory", r->name);
    r->later = more;
    r->later[r->later_cnt++] = *f;
    r->container_cnt++;
    return CW_OK;
}

/* Containers stand one behind the other, with zeros between them. */
static int read_containers(struct reading *r, const uint8_t *at, size_t length, int (*add_one)(struct reading *, const struct cw_fatbin *))
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
            status = add_one(r, f);
        done += f->bytes;
    }
    free(f);
    return status;
}

static int read_elf(struct reading *r, const void *data, size_t length)
{
    struct cw_elf elf;
    struct cw_fatbin_one *one;
    const uint8_t *bytes;
    size_t own;
    int status = CW_OK;
    if (!cw_elf_open(&elf, data, length))
        return cw_fail(r->err, CW_EINVAL, "%s: an ELF file that is damaged, or not of 64 bits", r->name);
    for (uint32_t nth = 0; status == CW_OK && cw_elf_section(&elf, ".nv_fatbin", nth, &bytes, &own); nth++)
        status = read_containers(r, bytes, own, add);
    for (uint32_t nth = 0; status == CW_OK && cw_elf_section(&elf, "__nv_relfatbin", nth, &bytes, &own); nth++)
        status = read_containers(r, bytes, own, add_later);
    if (status == CW_OK && r->later_cnt > 0)
        status = new_text(r, &one);
    if (status == CW_OK && r->later_cnt > 0)
        status = cw_fatbin_texts_link(one, r->later, r->later_cnt, one->name, r->err);
    free(r->later);
    return status;
}

/* The newest architecture for which each container has PTX that has any; 0: none has. */
static uint32_t common_architecture(const struct cw_fatbin *f, uint32_t cnt)
{
    uint32_t common = UINT32_MAX;
    for (uint32_t i = 0; i < cnt; i++) {
        const struct cw_fatbin_image *newest = cw_fatbin_newest_ptx(&f[i]);
        if (newest != NULL && newest->architecture < common)
            common = newest->architecture;
    }
    return common != UINT32_MAX ? common : 0;
}

int cw_fatbin_texts_link(struct cw_fatbin_one *one, const struct cw_fatbin *f, uint32_t cnt, const char *name, struct cw_error *err)
{
    const uint32_t architecture = common_architecture(f, cnt);
    struct cw_link_unit *unit = calloc(cnt, sizeof *unit);
    char **text = calloc(cnt, sizeof *text), (*names)[100] = calloc(cnt, sizeof *names);
    uint32_t units = 0;
    int status = unit != NULL && text != NULL && names != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "%s: out of memory", name);
    if (status == CW_OK && architecture == 0)
        status = cw_fatbin_no_ptx(&f[0], name, err);
    for (uint32_t i = 0; status == CW_OK && i < cnt; i++) {
        const struct cw_fatbin_image *ptx = cw_fatbin_ptx_up_to(&f[i], architecture);
        size_t length;
        if (ptx == NULL)
            continue;
        snprintf(names[units], sizeof names[units], "%.80s, file %u", name, (unsigned)i + 1);
        status = cw_fatbin_text(&text[units], &length, ptx, name, err);
        unit[units] = (struct cw_link_unit){.text = text[units], .name = names[units]};
        units++;
    }
    one->architecture = architecture;
    if (status == CW_OK)
        status = cw_fatbin_link(&one->text, &one->length, unit, units, err);
    for (uint32_t i = 0; i < units; i++)
        free(text[i]);
    free(unit);
    free(text);
    free(names);
    return status;
}

int cw_fatbin_texts_read(struct cw_fatbin_texts *texts, const void *data, size_t length, const char *name, struct cw_error *err)
{
    struct reading r = {.texts = texts, .name = name, .err = err};
    *texts = (struct cw_fatbin_texts){0};
    const int status = cw_fatbin_is(data, length) ? read_containers(&r, data, length, add) : read_elf(&r, data, length);
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
