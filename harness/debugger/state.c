/* SPDX-License-Identifier: Apache-2.0 */
/* What the engine reads of the machine, and what it keeps of the launch's code and of transactions. */
#include <stdlib.h>
#include <string.h>

#include "core/core_local.h"
#include "debugger/debug_private.h"

const struct cw_core_warps *cw_debug__warps(const struct cw_debug *d, uint32_t core)
{
    return cw_core_look(cw_gpu_core(d->gpu, core));
}

bool cw_debug__warp(const struct cw_debug *d, const struct cw_debug_focus *focus, struct cw_look_warp *look)
{
    const bool is = d->code->launch.kernel != NULL && focus->core < d->cores && focus->warp < d->slots &&
                    cw_look_warp(cw_debug__warps(d, focus->core), focus->warp, look);
    if (is && d->is_before && d->before_core == focus->core && d->before_warp == focus->warp)
        look->pc = d->before_pc; /* one that rides on another instruction is not where the warp is */
    return is;
}

bool cw_debug__find_thread(const struct cw_debug *d, const uint32_t block[3], const uint32_t thread[3], struct cw_debug_focus *focus)
{
    struct cw_look_warp w;
    uint32_t tid[3];
    for (struct cw_debug_focus f = {0}; f.core < d->cores; f.core++)
        for (f.warp = 0; f.warp < d->slots; f.warp++)
            for (f.lane = 0; cw_debug__warp(d, &f, &w) && f.lane < cw_gpu_config(d->gpu)->core_warp_width; f.lane++) {
                cw_look_thread(cw_debug__warps(d, f.core), f.warp, f.lane, tid);
                if (memcmp(w.ctaid, block, sizeof w.ctaid) == 0 && memcmp(tid, thread, sizeof tid) == 0) {
                    *focus = f;
                    return true;
                }
            }
    return false;
}

cw_lanes cw_debug__active(const struct cw_debug *d, uint32_t core, uint32_t warp)
{
    return cw_look_active(cw_debug__warps(d, core), warp);
}

/* ---- the code ---- */

/* Where its lines begin. */
static void split(struct cw_debug_code *c)
{
    uint32_t cnt = 1;
    for (const char *at = c->launch.text; *at != '\0'; at++)
        cnt += *at == '\n';
    c->text = malloc(cnt * sizeof *c->text);
    c->text_cnt = 0;
    for (const char *at = c->launch.text; c->text != NULL && at != NULL && c->text_cnt < cnt;) {
        c->text[c->text_cnt++] = at;
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
}

/* Source lines as numbers: those of other files and of the PTX itself are others. */
static uint32_t number_of_line(const struct cw_module *m, uint32_t ptx_line)
{
    uint32_t line = 0;
    const char *file = cw_module_source(m, ptx_line, &line);
    uint32_t hash = 0;
    for (const char *at = file; at != NULL && *at != '\0'; at++)
        hash = hash * 31 + (uint8_t)*at;
    return file != NULL ? line ^ hash << 20 : ptx_line;
}

uint32_t cw_debug__inlined(const struct cw_debug_code *c, uint32_t ptx_line)
{
    struct cw_inlined_call call;
    uint32_t chain[CW_DWARF_DEPTH], said = 0, known = 0;
    while (said < CW_DEBUG_FRAMES && cw_module_inlined(c->launch.module, ptx_line, said, &call))
        said++;
    const uint32_t cnt = c->dwarf != NULL ? cw_dwarf_around(c->dwarf, ptx_line, chain) : 0;
    for (uint32_t i = 0; i < cnt; i++)
        known += c->dwarf->entry[chain[i]].tag == CW_TAG_INLINED;
    return said > known ? said : known;
}

/* How many calls each micro-op is in. false: out of memory. */
static bool find_depths(struct cw_debug_code *c)
{
    const struct cw_kernel *k = c->launch.kernel;
    uint32_t *scope = calloc(k->scope_cnt + 1u, sizeof *scope), line = 0, inlined = 0;
    if (scope == NULL)
        return false;
    for (uint32_t s = 1; s < k->scope_cnt; s++) /* a caller stands in front of those that it calls */
        scope[s] = scope[k->scope[s].caller] + 1 + cw_debug__inlined(c, k->scope[s].line);
    for (uint32_t i = 0; i < k->uop_cnt; i++) {
        if (k->uop[i].line != line)
            inlined = cw_debug__inlined(c, k->uop[i].line);
        line = k->uop[i].line;
        c->depth_of[i] = (k->scope_of != NULL ? scope[k->scope_of[i]] : 0) + inlined;
    }
    free(scope);
    return true;
}

static bool is_same(const struct cw_debug_launch *a, const struct cw_debug_launch *b)
{
    return a->kernel == b->kernel && a->module == b->module && a->text == b->text;
}

static bool prepare(struct cw_debug_code *c, const struct cw_debug_launch *launch)
{
    const uint32_t cnt = launch->kernel->uop_cnt;
    c->launch = *launch;
    c->line_of = calloc(cnt, sizeof *c->line_of);
    c->depth_of = calloc(cnt, sizeof *c->depth_of);
    c->marked = calloc(cnt, sizeof *c->marked);
    if (c->line_of == NULL || c->depth_of == NULL || c->marked == NULL)
        return false;
    for (uint32_t i = 0; i < cnt; i++)
        c->line_of[i] = number_of_line(launch->module, launch->kernel->uop[i].line);
    split(c);
    c->dwarf = cw_dwarf_read(launch->text, &c->why_no_types);
    return find_depths(c);
}

void cw_debug__forget_code(struct cw_debug *d)
{
    for (uint32_t i = 0; i < d->code_cnt; i++) {
        free(d->codes[i].line_of);
        free(d->codes[i].depth_of);
        free(d->codes[i].marked);
        free(d->codes[i].text);
        cw_dwarf_free(d->codes[i].dwarf);
    }
    free(d->codes);
    d->codes = NULL;
    d->code_cnt = 0;
}

bool cw_debug__code(struct cw_debug *d, const struct cw_debug_launch *launch, uint32_t cnt)
{
    bool is = true;
    if (cnt == 1 && d->code_cnt == 1 && is_same(&d->codes[0].launch, launch)) {
        d->codes[0].begun = false;
        d->codes[0].by = NULL;
        return true;
    }
    cw_debug__forget_code(d);
    d->codes = d->code = calloc(cnt + 1u, sizeof *d->codes);
    if (d->codes == NULL)
        return false;
    d->code_cnt = cnt;
    for (uint32_t i = 0; is && i < cnt; i++)
        is = prepare(&d->codes[i], &launch[i]);
    return is;
}

void cw_debug__use(struct cw_debug *d, uint32_t core, uint32_t warp)
{
    struct cw_look_warp look;
    struct cw_debug_code *unseen = NULL;
    if (d->code_cnt < 2 || core >= d->cores || warp >= d->slots || !cw_look_warp(cw_debug__warps(d, core), warp, &look))
        return;
    for (uint32_t i = 0; i < d->code_cnt; i++) {
        struct cw_debug_code *c = &d->codes[i];
        if (c->by == look.launch) {
            d->code = c;
            return;
        }
        if (unseen == NULL && c->by == NULL && c->launch.kernel == look.launch->kernel)
            unseen = c;
    }
    if (unseen != NULL) {
        unseen->by = look.launch;
        d->code = unseen;
    }
}

const struct cw_named *cw_debug__named(const struct cw_debug *d, const char *name, uint32_t pc)
{
    const struct cw_kernel *k = d->code->launch.kernel;
    if (k == NULL || k->scope_of == NULL || pc >= k->uop_cnt)
        return NULL;
    for (uint32_t s = k->scope_of[pc];; s = k->scope[s].caller) {
        bool is_there = false;
        for (uint32_t i = 0; i < k->named_cnt; i++) {
            const struct cw_named *n = &k->named[i];
            if (n->scope != s || strcmp(n->name, name) != 0)
                continue;
            if (pc >= n->first && pc < n->end)
                return n;
            is_there = true;
        }
        if (is_there || s == 0) /* the caller's of the same name is another one */
            return NULL;
    }
}

/* ---- units ---- */

const struct cw_tap *cw_debug__unit(const struct cw_debug *d, const char *name, size_t length)
{
    for (uint32_t i = 0; i < cw_taps_count(d->taps); i++) {
        const struct cw_tap *t = cw_taps_at(d->taps, i);
        if (t->inner.self != NULL && strlen(t->name) == length &&
            strncmp(t->name, name, length) == 0) /* else of the machine before its reset */
            return t;
    }
    return NULL;
}

bool cw_debug__port(const struct cw_debug *d, const char *name, struct cw_debug_port *port)
{
    const char *dot = strrchr(name, '.');
    const struct cw_tap *t = dot != NULL ? cw_debug__unit(d, name, (size_t)(dot - name)) : NULL;
    for (uint32_t k = 0; t != NULL && k < t->unit->port_cnt; k++)
        if (strcmp(t->port[k].name, dot + 1) == 0) {
            *port = (struct cw_debug_port){t, &t->port[k]};
            return true;
        }
    return false;
}

uint64_t cw_debug__port_value(const struct cw_debug_port *port)
{
    const struct cw_port *p = port->port;
    const uint8_t *at = (const uint8_t *)(p->dir == CW_PORT_IN ? port->tap->in : port->tap->out) + p->offset;
    uint64_t value = 0;
    memcpy(&value, at, p->words == 1 ? 4 : 8);
    return value;
}

/* ---- memory ---- */

uint32_t cw_debug__space(const char *name)
{
    static const char *const names[] = {"generic", "global", "shared", "local", "const", "param"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return UINT32_MAX;
}

/* Device memory; what the core has written and not sent is newer. */
static bool read_device(const struct cw_debug *d, uint32_t core, uint64_t address, uint8_t *to, uint32_t bytes)
{
    const struct cw_memory *m = cw_gpu_memory(d->gpu);
    struct cw_core_copy copy;
    if (!cw_memory_valid(m, address, bytes))
        return false;
    cw_memory_read(m, address, to, bytes);
    for (uint64_t at = address - address % 4; at < address + bytes; at += 4)
        if (cw_core_copy_report(cw_gpu_core(d->gpu, core), at, &copy) && copy.dirty)
            for (uint32_t i = 0; i < 4; i++)
                if (at + i >= address && at + i < address + bytes)
                    to[at + i - address] = (uint8_t)(copy.value >> 8 * i);
    return true;
}

void cw_debug__forget_stores(struct cw_debug_warp *w)
{
    free(w->stored);
    w->stored = NULL;
    memset(w->stored_cnt, 0, sizeof w->stored_cnt);
}

void cw_debug__keep_stores(struct cw_debug *d, const struct cw_event *e)
{
    struct cw_debug_warp *const w = &d->warp[e->core * d->slots + e->warp];
    if (e->u.lanes.space != CW_SPACE_LOCAL || e->u.lanes.uop->op != CW_OP_ST)
        return;
    if (w->stored == NULL)
        w->stored = calloc(CW_WARP_LANES_MAX * CW_DEBUG_STORED, sizeof *w->stored);
    for (uint32_t left = w->stored != NULL ? e->u.lanes.lanes : 0; left != 0; left &= left - 1) {
        const uint32_t bit = (uint32_t)__builtin_ctz(left), lane = bit + CW_LANES * e->u.lanes.half;
        for (uint32_t i = 0; i < e->u.lanes.vec; i++)
            w->stored[lane * CW_DEBUG_STORED + w->stored_cnt[lane]++ % CW_DEBUG_STORED] =
                (struct cw_debug_stored){.address = e->u.lanes.addr[bit] + i * e->u.lanes.elem_bytes,
                                         .value = e->u.lanes.value[i][bit],
                                         .bytes = e->u.lanes.elem_bytes};
    }
}

/* A thread reads what it has stored, wherever that is on its way. */
static void overlay_stores(const struct cw_debug_warp *w, uint32_t lane, uint64_t address, uint8_t *to, uint32_t bytes)
{
    for (uint32_t i = 0; w->stored != NULL && i < CW_DEBUG_STORED; i++) {
        const struct cw_debug_stored *s = &w->stored[lane * CW_DEBUG_STORED + (w->stored_cnt[lane] + i) % CW_DEBUG_STORED];
        for (uint32_t k = 0; k < s->bytes; k++)
            if (s->address + k >= address && s->address + k < address + bytes)
                to[s->address + k - address] = (uint8_t)(s->value >> 8 * k);
    }
}

static bool read_local(const struct cw_debug *d, const struct cw_debug_focus *f, const struct cw_launch *l, uint64_t address, uint8_t *to,
                       uint32_t bytes)
{
    const uint32_t halves = cw_gpu_config(d->gpu)->core_warp_width / CW_LANES;
    const uint32_t slot = (f->core * d->slots + f->warp) * halves + f->lane / CW_LANES;
    for (uint32_t i = 0; i < bytes; i++) {
        const uint64_t at = address + i;
        if (at >= l->local_bytes)
            return false;
        const uint64_t row = cw_local_row(l->local_base, l->local_bytes, slot, (uint32_t)(at / 4));
        if (!read_device(d, f->core, row + f->lane % CW_LANES * 4 + at % 4, to + i, 1))
            return false;
    }
    overlay_stores(&d->warp[f->core * d->slots + f->warp], f->lane, address, to, bytes);
    return true;
}

static bool read_piece(const void *from, uint64_t size, uint64_t address, void *to, uint32_t bytes)
{
    if (from == NULL || address > size || bytes > size - address)
        return false;
    memcpy(to, (const uint8_t *)from + address, bytes);
    return true;
}

/* Generic addresses are of the space in whose window they lie. */
uint32_t cw_debug__resolve(uint64_t *address)
{
    static const struct {
        uint64_t base;
        uint32_t space;
    } windows[] = {{CW_SHARED_WINDOW, CW_SPACE_SHARED},
                   {CW_LOCAL_WINDOW, CW_SPACE_LOCAL},
                   {CW_CONST_WINDOW, CW_SPACE_CONST},
                   {CW_PARAM_WINDOW, CW_SPACE_PARAM}};
    for (uint32_t i = 0; i < sizeof windows / sizeof windows[0]; i++)
        if (*address - windows[i].base < CW_WINDOW_BYTES) {
            *address -= windows[i].base;
            return windows[i].space;
        }
    return CW_SPACE_GLOBAL;
}

bool cw_debug__read(const struct cw_debug *d, const struct cw_debug_focus *focus, uint32_t space, uint64_t address, void *to,
                    uint32_t bytes)
{
    struct cw_look_warp w;
    if (space == CW_SPACE_GENERIC)
        space = cw_debug__resolve(&address);
    if (space == CW_SPACE_GLOBAL)
        return read_device(d, focus->core, address, to, bytes);
    if (!cw_debug__warp(d, focus, &w))
        return false;
    switch (space) {
    case CW_SPACE_SHARED:
        return read_piece(cw_core_shared_of(cw_gpu_core(d->gpu, focus->core), w.block), w.launch->shared_bytes, address, to, bytes);
    case CW_SPACE_LOCAL:
        return read_local(d, focus, w.launch, address, to, bytes);
    case CW_SPACE_CONST:
        return read_piece(w.launch->module->const_image, w.launch->module->const_bytes, address, to, bytes);
    default:
        return read_piece(w.launch->param, w.launch->kernel->param_bytes, address, to, bytes);
    }
}

/* ---- transactions ---- */

void cw_debug__keep_word(struct cw_debug *d, const struct cw_event *e)
{
    struct cw_debug_warp *const w = &d->warp[e->core * d->slots + e->warp];
    if (w->word_cnt == w->word_cap) {
        const uint32_t cap = w->word_cap == 0 ? 64 : 2 * w->word_cap;
        struct cw_debug_word *larger = realloc(w->word, cap * sizeof *larger);
        if (larger == NULL)
            return;
        w->word = larger;
        w->word_cap = cap;
    }
    w->word[w->word_cnt++] = (struct cw_debug_word){
        .address = e->u.word.addr, .lane = e->lane, .value = e->u.word.value, .writes = e->type == CW_EVENT_REGION_ISSUE};
}

/* A new attempt of the thread begins. */
void cw_debug__forget_words(struct cw_debug *d, const struct cw_event *e)
{
    struct cw_debug_warp *const w = &d->warp[e->core * d->slots + e->warp];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->word_cnt; i++)
        if (w->word[i].lane != e->lane)
            w->word[kept++] = w->word[i];
    w->word_cnt = kept;
}
