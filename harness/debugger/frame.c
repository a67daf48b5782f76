/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that a warp is in: those of the PTX, and those that the compiler has inlined, as .loc or the DWARF has them. */
#include <string.h>

#include "debugger/debug_private.h"

/* What is known of a place between two calls of the PTX. */
struct part {
    const struct cw_debug_code *code;
    uint32_t scope, line;
    uint32_t chain[CW_DWARF_DEPTH], chain_cnt;
    const char *file;
    uint32_t source_line;
};

/* Of the entries from `from` on, those up to the next inlined call or the function. How many. */
static uint32_t length_of(const struct part *p, uint32_t from)
{
    for (uint32_t i = from; i < p->chain_cnt; i++)
        if (p->code->dwarf->entry[p->chain[i]].tag != CW_TAG_BLOCK)
            return i - from + 1;
    return p->chain_cnt - from;
}

/* The frame of the call number `depth` that is inlined there, or of the function itself. Its entries begin at *from. */
static void fill(struct part *p, uint32_t depth, uint32_t *from, struct cw_debug_frame *f)
{
    const struct cw_module *m = p->code->launch.module;
    const struct cw_dwarf *w = p->code->dwarf;
    struct cw_inlined_call call;
    *f = (struct cw_debug_frame){.scope = p->scope, .line = p->line, .file = p->file, .source_line = p->source_line};
    f->chain_cnt = length_of(p, *from);
    memcpy(f->chain, p->chain + *from, f->chain_cnt * sizeof f->chain[0]);
    *from += f->chain_cnt;
    const uint32_t last = f->chain_cnt > 0 ? f->chain[f->chain_cnt - 1] : 0;
    f->function = last != 0 ? cw_dwarf_name(w, last) : NULL;
    p->file = NULL;
    if (cw_module_inlined(m, p->line, depth, &call)) {
        f->function = f->function != NULL ? f->function : call.name;
        p->file = call.file;
        p->source_line = call.line;
    } else if (last != 0 && w->entry[last].tag == CW_TAG_INLINED) {
        p->file = cw_module_file(m, w->entry[last].call_file);
        p->source_line = w->entry[last].call_line;
    }
}

uint32_t cw_debug__frames(const struct cw_debug *d, const struct cw_debug_focus *focus, struct cw_debug_frame *frame, uint32_t most)
{
    const struct cw_debug_code *c = d->code;
    const struct cw_kernel *k = c->launch.kernel;
    struct cw_look_warp w;
    uint32_t cnt = 0;
    if (!cw_debug__warp(d, focus, &w) || w.active == 0 || w.pc >= k->uop_cnt || k->scope == NULL)
        return 0;
    struct part p = {.code = c, .scope = k->scope_of[w.pc], .line = k->uop[w.pc].line};
    for (;;) {
        uint32_t from = 0;
        const uint32_t inlined = cw_debug__inlined(c, p.line);
        p.chain_cnt = c->dwarf != NULL ? cw_dwarf_around(c->dwarf, p.line, p.chain) : 0;
        p.file = cw_module_source(c->launch.module, p.line, &p.source_line);
        for (uint32_t depth = 0; depth <= inlined && cnt < most; depth++)
            fill(&p, depth, &from, &frame[cnt++]);
        if (cnt > 0 && frame[cnt - 1].function == NULL)
            frame[cnt - 1].function = k->scope[p.scope].name;
        if (p.scope == 0 || cnt == most)
            return cnt;
        p.line = k->scope[p.scope].line;
        p.scope = k->scope[p.scope].caller;
    }
}
