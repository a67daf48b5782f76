/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vprintf and __assertfail, which nvcc makes of printf and assert. The reader loads the arguments like any other data; the strings are
 * looked up in memory when the instruction issues: a program does not write its formats.
 *
 * Arguments lie as CUDA lays them out: int and unsigned take 4 bytes, everything else 8, at multiples of their size.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/issue/issue.h"
#include "mem/device_memory.h"

#define TEXT_MAX 4096u /* of one thread and call; the rest is dropped */

struct text {
    char at[TEXT_MAX + 1]; /* ends with '\0' as long as nobody writes behind n */
    size_t n;
};

/* Bytes at a generic address, or 0 where nothing is. */
static char byte_at(const struct cw_core_issue *issue, uint64_t addr)
{
    const struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    const struct cw_core_warps *const warps = &cache->warps;
    const struct cw_module *m = warps->launch->module;
    char v = '\0';
    if (addr - CW_CONST_WINDOW < m->const_bytes)
        return (char)m->const_image[addr - CW_CONST_WINDOW];
    if (addr >= CW_GLOBAL_BASE && cw_memory_valid(warps->cfg.memory, addr, 1))
        cw_memory_read(warps->cfg.memory, addr, &v, 1);
    return v;
}

static void put(struct text *t, char v)
{
    if (t->n < TEXT_MAX)
        t->at[t->n++] = v;
}

static void put_string(const struct cw_core_issue *issue, struct text *t, uint64_t addr)
{
    char v;
    while (t->n < TEXT_MAX && (v = byte_at(issue, addr++)) != '\0')
        put(t, v);
}

/* The arguments of one lane, one after the other. */
struct arguments {
    const uint32_t (*word)[CW_WARP_LANES_MAX];
    uint32_t lane, next, cnt;
};

static uint64_t take(struct arguments *a, uint32_t bytes)
{
    const uint32_t words = bytes / 4;
    a->next = (a->next + words - 1) / words * words;
    uint64_t v = 0;
    for (uint32_t i = 0; i < words && a->next + i < a->cnt; i++)
        v |= (uint64_t)a->word[a->next + i][a->lane] << 32 * i;
    a->next += words;
    return v;
}

/* A conversion of the format: "%-8.3lld" without its length. */
struct conversion {
    char spec[32]; /* for the host's printf */
    bool is_long;
    char type; /* '\0': malformed */
};

static void add(struct conversion *v, size_t *n, char ch)
{
    if (*n + 4 < sizeof v->spec)
        v->spec[(*n)++] = ch;
}

/* Reads the conversion at *at, behind its '%'. A star takes an argument. */
static struct conversion read_conversion(const struct cw_core_issue *issue, uint64_t *at, struct arguments *a)
{
    struct conversion v = {.spec = "%"};
    size_t n = 1;
    char ch;
    while ((ch = byte_at(issue, *at)) != '\0' && strchr("-+ #0123456789.*", ch) != NULL) {
        char number[12];
        ++*at;
        snprintf(number, sizeof number, "%d", ch == '*' ? (int)(uint32_t)take(a, 4) : 0);
        for (const char *d = number; ch == '*' && *d != '\0'; d++)
            add(&v, &n, *d);
        if (ch != '*')
            add(&v, &n, ch);
    }
    while ((ch = byte_at(issue, *at)) != '\0' && strchr("hlzjt", ch) != NULL) {
        v.is_long |= ch != 'h';
        ++*at;
    }
    v.type = ch != '\0' && strchr("diouxXcsfFeEgGaAp", ch) != NULL ? ch : '\0';
    if (v.type != '\0')
        ++*at;
    if (strchr("diouxX", v.type) != NULL && v.type != '\0') {
        add(&v, &n, 'l');
        add(&v, &n, 'l');
    }
    v.spec[n] = v.type;
    v.spec[n + 1] = '\0';
    return v;
}

static void put_conversion(const struct cw_core_issue *issue, struct text *t, const struct conversion *v, struct arguments *a)
{
    char out[TEXT_MAX] = "";
    struct text string = {.n = 0};
    double real;
    uint64_t bits;
    switch (v->type) {
    case 'd':
    case 'i':
        bits = take(a, v->is_long ? 8 : 4);
        snprintf(out, sizeof out, v->spec, v->is_long ? (long long)bits : (long long)(int32_t)(uint32_t)bits);
        break;
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        snprintf(out, sizeof out, v->spec, (unsigned long long)take(a, v->is_long ? 8 : 4));
        break;
    case 'c':
        snprintf(out, sizeof out, v->spec, (int)(uint32_t)take(a, 4));
        break;
    case 's':
        put_string(issue, &string, take(a, 8));
        snprintf(out, sizeof out, v->spec, string.at);
        break;
    case 'p':
        snprintf(out, sizeof out, "0x%llx", (unsigned long long)take(a, 8));
        break;
    default:
        bits = take(a, 8);
        memcpy(&real, &bits, sizeof real);
        snprintf(out, sizeof out, v->spec, real);
        break;
    }
    for (const char *o = out; *o != '\0'; o++)
        put(t, *o);
}

/* One lane's text; returns the number of conversions. */
static uint32_t format(const struct cw_core_issue *issue, struct text *t, uint64_t at, struct arguments *a)
{
    uint32_t n = 0;
    char ch;
    while (t->n < TEXT_MAX && (ch = byte_at(issue, at++)) != '\0') {
        if (ch != '%') {
            put(t, ch);
        } else if (byte_at(issue, at) == '%') {
            put(t, '%');
            at++;
        } else {
            const struct conversion v = read_conversion(issue, &at, a);
            if (v.type != '\0')
                put_conversion(issue, t, &v, a);
            n += v.type != '\0';
        }
    }
    return n;
}

static void print(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    const struct cw_warp *warp = &warps->warp[w];
    uint64_t at[CW_WARP_LANES_MAX], result[CW_WARP_LANES_MAX] = {0};
    cw_core__read_warp(warps, w, u->src[0], at);
    for (cw_lanes left = mask; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        struct arguments a = {(const uint32_t(*)[CW_WARP_LANES_MAX])warp->print, lane, 0, warp->print != NULL ? (uint32_t)u->imm : 0};
        struct text t = {.n = 0};
        result[lane] = format(issue, &t, at[lane], &a);
        if (a.next > (uint32_t)u->imm && warp->print != NULL) { /* of another kernel's string, whose arguments have not been loaded */
            cw_core__fault(warps, w, lane, u, CW_EUNSUP, "vprintf with a format that takes more arguments than any string of this kernel");
            return;
        }
        if (warps->cfg.events.print != NULL)
            warps->cfg.events.print(warps->cfg.events.context, t.at, t.n);
    }
    if (u->dst_cnt != 0)
        cw_core__write_warp(warps, w, u->dst[0], CW_U32, mask, result);
}

/* The first of the lanes speaks for all. */
static void assertion(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    struct text t[3] = {{.n = 0}, {.n = 0}, {.n = 0}};
    const uint32_t lane = cw_lanes_first(mask);
    uint64_t v[4][CW_WARP_LANES_MAX];
    for (uint32_t i = 0; i < 4; i++)
        cw_core__read_warp(warps, w, u->src[i], v[i]);
    put_string(issue, &t[0], v[0][lane]);
    put_string(issue, &t[1], v[1][lane]);
    put_string(issue, &t[2], v[3][lane]);
    cw_core__fault(warps, w, lane, u, CW_EFAULT, "%.1000s:%u: %.4000s: assertion `%.1500s` failed", t[1].at, (uint32_t)v[2][lane], t[2].at,
                   t[0].at);
}

bool cw_core__print(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    struct cw_warp *warp = &warps->warp[w];
    if (u->op == CW_OP_ASSERT) {
        assertion(issue, w, u, mask);
        return false;
    }
    if (u->op == CW_OP_PRINT) {
        print(issue, w, u, mask);
        return !warps->faulted;
    }
    if (warp->print == NULL)
        warp->print = calloc(2 * CW_PRINT_ARGS, sizeof *warp->print);
    if (warp->print == NULL) {
        cw_core__fault(warps, w, cw_lanes_first(mask), u, CW_ENOMEM, "out of host memory");
        return false;
    }
    uint64_t v[CW_WARP_LANES_MAX];
    cw_core__read_warp(warps, w, u->src[0], v);
    for (; mask != 0; mask = cw_lanes_rest(mask))
        warp->print[u->imm][cw_lanes_first(mask)] = (uint32_t)v[cw_lanes_first(mask)];
    return true;
}
