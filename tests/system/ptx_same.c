/* SPDX-License-Identifier: Apache-2.0 */
/*
 *     ptx_same ALONE.ptx TOGETHER.ptx
 *
 * Loads both files as a GPU does and compares each kernel of the first with the one of that name in the second, field by field: what the
 * machine is given of a kernel must not depend on what else is in its file. Addresses of variables have to be of the same variable. Prints
 * what differs, and how many kernels there were; exit status 1 when something differs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mech/mechs.h"
#include "ptx/ptx.h"

#define BASE UINT64_C(0x100000000)

static uint32_t differences;

static void differ(const struct cw_kernel *k, const char *what, uint64_t a, uint64_t b)
{
    differences++;
    printf("%s: %s is %llu alone and %llu together\n", k->name, what, (unsigned long long)a, (unsigned long long)b);
}

static struct cw_module *load(const char *path)
{
    struct cw_module *m = NULL;
    struct cw_error err;
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        perror(path);
        exit(2);
    }
    fseek(f, 0, SEEK_END);
    const size_t size = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(size + 1);
    if (text == NULL || fread(text, 1, size, f) != size)
        exit(2);
    fclose(f);
    const struct cw_intrinsic **intrinsics = calloc(cw_mech_cnt() + 1, sizeof *intrinsics);
    if (intrinsics == NULL)
        exit(2);
    cw_mech_intrinsics(intrinsics);
    const int status = cw_ptx_load(&m, text, size, path, intrinsics, NULL, &err);
    free(intrinsics);
    free(text);
    if (status != CW_OK || cw_module_place(m, BASE, &err) != CW_OK) {
        printf("%s\n", err.text);
        exit(1);
    }
    return m;
}

/* A variable of that space at the address, as name and offset in it; NULL: none. */
static const struct cw_symbol *symbol_at(const struct cw_module *m, enum cw_space space, uint64_t address, uint64_t *offset)
{
    const uint64_t base = space == CW_SPACE_GLOBAL ? BASE : 0;
    for (uint32_t i = 0; i < m->symbol_cnt; i++) {
        const struct cw_symbol *s = &m->symbol[i];
        *offset = address - base - s->offset;
        if (s->space == space && address >= base + s->offset && *offset < s->bytes)
            return s;
    }
    return NULL;
}

/* Equal, or the address of one variable in both. */
static int same_value(const struct cw_module *ma, uint64_t a, const struct cw_module *mb, uint64_t b)
{
    static const enum cw_space spaces[] = {CW_SPACE_GLOBAL, CW_SPACE_CONST};
    uint64_t at_a = 0, at_b = 0;
    if (a == b)
        return 1;
    for (uint32_t i = 0; i < 2; i++) {
        const struct cw_symbol *sa = symbol_at(ma, spaces[i], a, &at_a), *sb = symbol_at(mb, spaces[i], b, &at_b);
        if (sa != NULL && sb != NULL && at_a == at_b && strcmp(sa->name, sb->name) == 0)
            return 1;
    }
    return a >= CW_CODE_WINDOW && b >= CW_CODE_WINDOW && a < BASE && b < BASE; /* of functions, which have their numbers in the file */
}

static void compare_constants(const struct cw_module *ma, const struct cw_kernel *a, const struct cw_module *mb, const struct cw_kernel *b)
{
    for (uint32_t i = 0; i < a->c32_cnt && a->c32_cnt == b->c32_cnt; i++)
        if (!same_value(ma, a->c32[i * 32], mb, b->c32[i * 32]))
            differ(a, "a constant", a->c32[i * 32], b->c32[i * 32]);
    for (uint32_t i = 0; i < a->c64_cnt && a->c64_cnt == b->c64_cnt; i++)
        if (!same_value(ma, a->c64[i * 32], mb, b->c64[i * 32]))
            differ(a, "a constant", a->c64[i * 32], b->c64[i * 32]);
}

static void compare_uops(const struct cw_kernel *a, const struct cw_kernel *b)
{
    const uint32_t by = b->uop[0].line - a->uop[0].line; /* lines are those of the file */
    for (uint32_t i = 0; i < a->uop_cnt && a->uop_cnt == b->uop_cnt; i++) {
        struct cw_uop u = a->uop[i], v = b->uop[i];
        if (v.line - u.line != by)
            v.line = u.line; /* of a function that is called, which stands elsewhere */
        else
            v.line -= by;
        if (memcmp(&u, &v, sizeof u) != 0)
            differ(a, "a micro-operation, by its line,", u.line, b->uop[i].line);
    }
}

static void compare_tables(const struct cw_kernel *a, const struct cw_kernel *b)
{
    for (uint32_t i = 0; i < a->brx_cnt && a->brx_cnt == b->brx_cnt; i++)
        if (a->brx[i].cnt != b->brx[i].cnt || memcmp(a->brx[i].target, b->brx[i].target, a->brx[i].cnt * sizeof(uint32_t)) != 0)
            differ(a, "a branch table", i, i);
    for (uint32_t i = 0; i < a->param_cnt && a->param_cnt == b->param_cnt; i++)
        if (a->param[i].offset != b->param[i].offset || a->param[i].bytes != b->param[i].bytes || a->param[i].type != b->param[i].type)
            differ(a, "a parameter", i, i);
}

static void compare(const struct cw_module *ma, const struct cw_kernel *a, const struct cw_module *mb, const struct cw_kernel *b)
{
#define SAME(field)           \
    if (a->field != b->field) \
    differ(a, #field, (uint64_t)a->field, (uint64_t)b->field)
    SAME(uop_cnt);
    SAME(c32_cnt);
    SAME(c64_cnt);
    SAME(r32_cnt);
    SAME(r64_cnt);
    SAME(pred_cnt);
    SAME(live_regs);
    SAME(uniform_regs);
    SAME(param_cnt);
    SAME(param_bytes);
    SAME(shared_bytes);
    SAME(local_bytes);
    SAME(brx_cnt);
    SAME(intrinsic_cnt);
    SAME(uses_region);
    SAME(uses_dynamic_shared);
    SAME(digest);
    SAME(reqntid[0]);
    SAME(maxntid[0]);
    SAME(transactions.cnt);
    SAME(transactions.words);
    if ((a->refused == NULL) != (b->refused == NULL))
        differ(a, "refused", a->refused != NULL, b->refused != NULL);
    if (a->refused != NULL || b->refused != NULL)
        return;
    compare_constants(ma, a, mb, b);
    compare_uops(a, b);
    compare_tables(a, b);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    struct cw_module *alone = load(argv[1]), *together = load(argv[2]);
    for (uint32_t i = 0; i < alone->kernel_cnt; i++) {
        const struct cw_kernel *k = cw_module_kernel(together, alone->kernel[i].name);
        if (k != NULL) {
            compare(alone, &alone->kernel[i], together, k);
            continue;
        }
        differences++;
        printf("%s: is not there together\n", alone->kernel[i].name);
    }
    printf("%u kernels, %u differences\n", alone->kernel_cnt, differences);
    cw_module_destroy(alone);
    cw_module_destroy(together);
    return differences > 0;
}
