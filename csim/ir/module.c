/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/module.h"

#include <stdlib.h>
#include <string.h>

bool cw_intrinsic_in(const struct cw_intrinsic *array, const struct cw_intrinsic *i)
{
    while (array->name != NULL && array != i)
        array++;
    return array == i && i->name != NULL;
}

void cw_kernel_free(struct cw_kernel *k)
{
    for (uint32_t i = 0; i < k->brx_cnt; i++)
        free(k->brx[i].target);
    for (uint32_t i = 0; i < k->param_cnt; i++)
        free(k->param[i].name);
    for (uint32_t i = 0; i < k->named_cnt; i++)
        free(k->named[i].name);
    for (uint32_t i = 0; i < k->scope_cnt; i++)
        free(k->scope[i].name);
    for (uint32_t i = 0; i < k->variable_cnt; i++)
        free(k->variable[i].name);
    free(k->named);
    free(k->variable);
    free(k->scope);
    free(k->scope_of);
    free(k->brx);
    free(k->intrinsic);
    free(k->param);
    free(k->name);
    free(k->uop);
    free(k->c32);
    free(k->c64);
    free(k->refused);
}

void cw_module_destroy(struct cw_module *m)
{
    if (m == NULL)
        return;
    for (uint32_t i = 0; i < m->kernel_cnt; i++)
        cw_kernel_free(&m->kernel[i]);
    for (uint32_t i = 0; i < m->symbol_cnt; i++)
        free(m->symbol[i].name);
    free(m->kernel);
    free(m->symbol);
    free(m->global_image);
    free(m->const_image);
    for (uint32_t i = 0; i < m->notice_cnt; i++)
        free(m->notice[i]);
    free(m->notice);
    for (uint32_t i = 0; i < m->source_cnt; i++)
        free(m->source[i].name);
    free(m->source);
    for (uint32_t i = 0; i < m->function_cnt; i++) {
        free(m->function[i].label);
        free(m->function[i].name);
    }
    free(m->function);
    free(m->loc);
    free(m->reloc);
    free(m->file);
    free(m);
}

int cw_module_place(struct cw_module *m, uint64_t global_base, struct cw_error *err)
{
    if (global_base % 256 != 0)
        return cw_fail(err, CW_EINVAL, "%s: the global segment's address 0x%llx is not a multiple of 256", m->file,
                       (unsigned long long)global_base);
    for (uint32_t i = 0; i < m->reloc_cnt; i++) {
        const struct cw_reloc *r = &m->reloc[i];
        uint64_t value = global_base + r->value;
        uint8_t *image = r->kind == CW_RELOC_CONST ? m->const_image : m->global_image;
        for (uint32_t lane = 0; r->kind == CW_RELOC_KERNEL && lane < 32; lane++)
            m->kernel[r->kernel].c64[r->where * 32 + lane] = value;
        for (uint32_t byte = 0; r->kind != CW_RELOC_KERNEL && byte < r->bytes; byte++)
            image[r->where + byte] = (uint8_t)(value >> (r->shift + 8 * byte));
    }
    return CW_OK;
}

/* Of the last entry at the line or before it; NULL: there is none. */
static const struct cw_loc *loc_of(const struct cw_module *m, uint32_t ptx_line)
{
    uint32_t low = 0, high = m->loc_cnt;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (m->loc[middle].ptx_line <= ptx_line)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &m->loc[low - 1] : NULL;
}

const char *cw_module_file(const struct cw_module *m, uint32_t number)
{
    for (uint32_t i = 0; i < m->source_cnt; i++)
        if (m->source[i].number == number)
            return m->source[i].name;
    return NULL;
}

const char *cw_module_source(const struct cw_module *m, uint32_t ptx_line, uint32_t *line)
{
    const struct cw_loc *l = loc_of(m, ptx_line);
    const char *file = l != NULL && l->line != 0 ? cw_module_file(m, l->file) : NULL;
    if (file != NULL)
        *line = l->line;
    return file;
}

/* The caller's entry: the last one before this one, in the same function, of the place where this one's function is called. */
static const struct cw_loc *caller_of(const struct cw_module *m, const struct cw_loc *l)
{
    for (const struct cw_loc *c = l; c > m->loc && c[-1].line != 0; c--)
        if (c[-1].file == l->at_file && c[-1].line == l->at_line && c[-1].column == l->at_column)
            return &c[-1];
    return NULL;
}

bool cw_module_inlined(const struct cw_module *m, uint32_t ptx_line, uint32_t depth, struct cw_inlined_call *call)
{
    const struct cw_loc *l = loc_of(m, ptx_line);
    for (uint32_t i = 0; i < depth && l != NULL; i++)
        l = caller_of(m, l);
    if (l == NULL || l->at_line == 0)
        return false;
    *call = (struct cw_inlined_call){
        .name = l->function != 0 ? m->function[l->function - 1].name : NULL, .file = cw_module_file(m, l->at_file), .line = l->at_line};
    return true;
}

const struct cw_kernel *cw_module_kernel(const struct cw_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->kernel_cnt; i++)
        if (strcmp(m->kernel[i].name, name) == 0)
            return &m->kernel[i];
    return NULL;
}

const struct cw_symbol *cw_module_symbol(const struct cw_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->symbol_cnt; i++)
        if (strcmp(m->symbol[i].name, name) == 0)
            return &m->symbol[i];
    return NULL;
}
