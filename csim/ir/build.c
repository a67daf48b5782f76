/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, memory and tables of what is under construction. */
#include "ir/build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void failed(struct cw_ir *ir, int status)
{
    ir->status = status;
    if (ir->failed != NULL)
        ir->failed(ir);
}

int cw_ir_fail_at(struct cw_ir *ir, int status, uint32_t line, uint32_t column, const char *fmt, ...)
{
    if (ir->status != CW_OK)
        return ir->status;
    char what[6000];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    failed(ir, cw_fail(ir->err, status, "%s:%u:%u: %s", ir->file, line, column, what));
    return status;
}

static void out_of_memory(struct cw_ir *ir)
{
    if (ir->status == CW_OK)
        failed(ir, cw_fail(ir->err, CW_ENOMEM, "%s: out of memory", ir->file));
}

void *cw_ir_fit(struct cw_ir *ir, void *a, uint32_t *cap, uint32_t n, uint32_t elem_bytes)
{
    if (n < *cap)
        return a;
    uint32_t want = *cap < 8 ? 8 : *cap * 2;
    void *bigger = *cap > UINT32_MAX / 4 ? NULL : realloc(a, (size_t)want * elem_bytes);
    if (bigger == NULL) {
        out_of_memory(ir);
        return a;
    }
    *cap = want;
    return bigger;
}

void *cw_ir_alloc(struct cw_ir *ir, size_t n, size_t elem_bytes)
{
    void *a = calloc(n > 0 ? n : 1, elem_bytes);
    if (a == NULL)
        out_of_memory(ir);
    return a;
}

char *cw_ir_strdup(struct cw_ir *ir, const char *s, uint32_t length)
{
    char *copy = cw_ir_alloc(ir, (size_t)length + 1, 1);
    if (copy != NULL)
        memcpy(copy, s, length);
    return copy;
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static struct cw_map_entry *map_find(const struct cw_map *m, uint64_t key)
{
    uint32_t i = (uint32_t)mix(key) & (m->size - 1);
    while (m->slot[i].id != CW_IR_NONE && m->slot[i].key != key)
        i = (i + 1) & (m->size - 1);
    return &m->slot[i];
}

uint32_t cw_map_get(const struct cw_map *m, uint64_t key)
{
    return m->size == 0 ? CW_IR_NONE : map_find(m, key)->id;
}

static bool map_grow(struct cw_ir *ir, struct cw_map *m)
{
    struct cw_map bigger = {.size = m->size == 0 ? 64 : m->size * 2, .n = m->n};
    bigger.slot = cw_ir_alloc(ir, bigger.size, sizeof(*bigger.slot));
    if (bigger.slot == NULL)
        return false;
    for (uint32_t i = 0; i < bigger.size; i++)
        bigger.slot[i].id = CW_IR_NONE;
    for (uint32_t i = 0; i < m->size; i++)
        if (m->slot[i].id != CW_IR_NONE)
            *map_find(&bigger, m->slot[i].key) = m->slot[i];
    free(m->slot);
    *m = bigger;
    return true;
}

void cw_map_put(struct cw_ir *ir, struct cw_map *m, uint64_t key, uint32_t id)
{
    if (m->n >= m->size / 2 && !map_grow(ir, m))
        return;
    struct cw_map_entry *e = map_find(m, key);
    m->n += e->id == CW_IR_NONE;
    *e = (struct cw_map_entry){.key = key, .id = id};
}

void cw_map_clear(struct cw_map *m)
{
    free(m->slot);
    *m = (struct cw_map){0};
}

uint32_t cw_konst_add(struct cw_ir *ir, struct cw_konsts *k, uint64_t value, uint32_t bytes, uint32_t var)
{
    if (bytes == 4)
        value &= UINT32_MAX;
    uint64_t key = mix(value ^ (uint64_t)var << 32) ^ bytes;
    uint32_t first = cw_map_get(&k->map, key);
    for (uint32_t i = first; i != CW_IR_NONE; i = k->next.a[i])
        if (k->c.a[i].value == value && k->c.a[i].bytes == bytes && k->c.a[i].var == var)
            return i;
    uint32_t id = k->c.n;
    CW_PUSH(ir, &k->c, (struct cw_vconst){.value = value, .var = var, .bytes = bytes});
    CW_PUSH(ir, &k->next, first);
    if (ir->status != CW_OK)
        return 0;
    cw_map_put(ir, &k->map, key, id);
    return id;
}

void cw_konsts_free(struct cw_konsts *k)
{
    free(k->c.a);
    free(k->next.a);
    cw_map_clear(&k->map);
}

void cw_code_free(struct cw_code *k)
{
    for (uint32_t i = 0; i < k->table.n; i++)
        free(k->table.a[i].target);
    free(k->table.a);
    free(k->code.a);
    free(k->vreg.a);
    for (uint32_t i = 0; i < k->scope.n; i++)
        free(k->scope.a[i].name);
    free(k->scope.a);
    for (uint32_t i = 0; i < k->variable.n; i++)
        free(k->variable.a[i].name);
    free(k->variable.a);
    free(k->intrinsic.a);
    cw_konsts_free(&k->konsts);
}
