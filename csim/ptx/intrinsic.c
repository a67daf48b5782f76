/* SPDX-License-Identifier: Apache-2.0 */
/* Intrinsics by name, and whether a kernel declares one as it is. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "ptx/reader.h"

#define MAX_NAMES 256u /* that are looked at for a suggestion */

/* The function's name without what C++ puts around it: _Z<length><name><types>. */
static void plain_name(const char **name, uint32_t *len)
{
    const char *s = *name;
    uint32_t at = 2, n = 0;
    if (*len < 4 || s[0] != '_' || s[1] != 'Z')
        return;
    for (; at < *len && s[at] >= '0' && s[at] <= '9' && n < *len; at++)
        n = n * 10 + (uint32_t)(s[at] - '0');
    if (n == 0 || n >= *len - at)
        return;
    *name = s + at;
    *len = n;
}

/* What nvcc makes of printf and assert; and the end of free (library.c). */
static const struct cw_intrinsic own[] = {
    {.name = "vprintf",
     .role = CW_INTRINSIC_PRINT,
     .result = CW_U32,
     .arg_cnt = 2,
     .arg = {CW_U64, CW_U64},
     .what = "prints, given a format and the arguments in memory"},
    {.name = "__assertfail",
     .role = CW_INTRINSIC_ASSERT,
     .result = CW_TYPE_NONE,
     .arg_cnt = 5,
     .arg = {CW_U64, CW_U64, CW_U32, CW_U64, CW_U64},
     .what = "ends the run, given the assertion, file, line and function"},
    {.name = "cowarp_bad_free",
     .role = CW_INTRINSIC_BAD_FREE,
     .result = CW_TYPE_NONE,
     .arg_cnt = 3,
     .arg = {CW_U64, CW_U32, CW_U64},
     .what = "ends the run, given what free cannot free, what stands in front of it, and the heap"},
};

const struct cw_intrinsic *cw_ptx_intrinsic(const struct cw_ptx *p, const char *name, uint32_t len)
{
    for (uint32_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (strlen(own[i].name) == len && memcmp(own[i].name, name, len) == 0)
            return &own[i];
    plain_name(&name, &len);
    for (uint32_t i = 0; p->intrinsics != NULL && p->intrinsics[i] != NULL; i++)
        for (const struct cw_intrinsic *a = p->intrinsics[i]; a->name != NULL; a++)
            if (strlen(a->name) == len && memcmp(a->name, name, len) == 0)
                return a;
    return NULL;
}

const char *cw_ptx_near_intrinsic(const struct cw_ptx *p, const char *name, uint32_t len)
{
    const char *names[MAX_NAMES];
    char word[64];
    uint32_t n = 0;
    plain_name(&name, &len);
    if (len >= sizeof(word))
        return NULL;
    memcpy(word, name, len);
    word[len] = '\0';
    for (uint32_t i = 0; p->intrinsics != NULL && p->intrinsics[i] != NULL; i++)
        for (const struct cw_intrinsic *a = p->intrinsics[i]; a->name != NULL && n < MAX_NAMES; a++)
            names[n++] = a->name;
    return cw_nearest(word, names, n);
}

/* ---- the declaration ---- */

/* Where a name of the declaration stands. */
static struct cw_tok at(const char *name, uint32_t len, uint32_t line, uint32_t col)
{
    return (struct cw_tok){.kind = CW_TOK_WORD, .text = name, .len = len, .line = line, .col = col};
}

/* One parameter, or the result, against its type. which: "argument 1". */
static void check_width(struct cw_ptx *p, const struct cw_intrinsic *i, const struct cw_var *v, enum cw_type type, const char *which)
{
    const struct cw_ptype_info *info = &cw_ptype_info[v->ptype];
    struct cw_tok tok = at(v->name, v->len, v->line, v->col);
    if (v->bytes != info->bytes)
        cw_ptx_fail_tok(p, CW_EINVAL, &tok, "intrinsic %s has .%s as %s, declared here as an array or vector", i->name, cw_type_name(type),
                        which);
    else if (info->bytes != cw_type_bytes(type))
        cw_ptx_fail_tok(p, CW_EINVAL, &tok, "intrinsic %s has .%s as %s, declared here as .%s", i->name, cw_type_name(type), which,
                        info->name);
}

void cw_ptx_check_intrinsic(struct cw_ptx *p, const struct cw_fn *fn)
{
    const struct cw_intrinsic *i = fn->intrinsic;
    assert(i->arg_cnt <= CW_INTRINSIC_ARGS && (i->role >= CW_INTRINSIC_CALL || !cw_intrinsic_has_result(i)));
    struct cw_tok name = at(fn->name, fn->len, fn->line, fn->col);
    uint32_t rets = cw_intrinsic_has_result(i), args = fn->formal.n - fn->ret_cnt;
    p->stmt = fn->at; /* the message quotes the declaration */
    if (rets == 0 && fn->ret_cnt > 0)
        cw_ptx_fail_tok(p, CW_EINVAL, &name, "intrinsic %s returns nothing, declared here with a result", i->name);
    else if (rets > fn->ret_cnt)
        cw_ptx_fail_tok(p, CW_EINVAL, &name, "intrinsic %s returns .%s, declared here without a result", i->name,
                        cw_type_name((enum cw_type)i->result));
    else if (rets < fn->ret_cnt)
        cw_ptx_fail_tok(p, CW_EINVAL, &name, "intrinsic %s returns one value, declared here with %u", i->name, fn->ret_cnt);
    else if (args != i->arg_cnt)
        cw_ptx_fail_tok(p, CW_EINVAL, &name, "intrinsic %s has %u argument%s, declared here with %u", i->name, i->arg_cnt,
                        i->arg_cnt == 1 ? "" : "s", args);
    if (rets > 0 && p->ir.status == CW_OK)
        check_width(p, i, &p->var.a[fn->formal.a[0]], (enum cw_type)i->result, "result");
    for (uint32_t j = 0; j < i->arg_cnt && p->ir.status == CW_OK; j++) {
        char which[16];
        snprintf(which, sizeof(which), "argument %u", j + 1);
        check_width(p, i, &p->var.a[fn->formal.a[rets + j]], (enum cw_type)i->arg[j], which);
    }
}
