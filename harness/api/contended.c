/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: words that threads contend for. */
#include "contended.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mem/device_memory.h"

#define ROWS  6u  /* of a kind, at most */
#define LEAST 100 /* of so many events of the kind a word has one, at least, or only the first one is shown */

/* ---- names ---- */

static void put_name(char name[64], const struct cw_kernel *kernel, const char *what, uint64_t offset)
{
    const size_t own = strlen(kernel->name);
    if (strncmp(what, kernel->name, own) == 0 && what[own] == '_') /* What compilers make of parameters: k_param_0 */
        what += own + 1;
    if (offset != 0)
        snprintf(name, 64, "%.40s+0x%" PRIx64, what, offset);
    else
        snprintf(name, 64, "%.60s", what);
}

/* The kernel's variable of shared memory with that byte; NULL: none, or dynamic memory. */
static const struct cw_named_variable *shared_at(const struct cw_kernel *k, uint64_t offset)
{
    for (uint32_t i = 0; i < k->variable_cnt; i++) {
        const struct cw_named_variable *v = &k->variable[i];
        if (v->space == CW_SPACE_SHARED && offset >= v->offset && offset - v->offset < v->bytes)
            return v;
    }
    return NULL;
}

static void name_shared(char name[64], const struct cw_kernel *k, uint64_t offset)
{
    const struct cw_named_variable *v = shared_at(k, offset);
    if (v != NULL)
        put_name(name, k, v->name, offset - v->offset);
    else
        snprintf(name, 64, "shared+0x%" PRIx64, offset);
}

static bool name_symbol(char name[64], const struct cowarp_contended_launch *l, uint64_t addr)
{
    for (uint32_t i = 0; i < l->module->symbol_cnt; i++) {
        const struct cw_symbol *s = &l->module->symbol[i];
        const uint64_t base = l->global_base + s->offset;
        if (s->space != CW_SPACE_GLOBAL || addr < base || addr - base >= s->bytes)
            continue;
        put_name(name, l->kernel, s->name, addr - base);
        return true;
    }
    return false;
}

/* A pointer among the arguments leads to the word when both are in one allocation; the nearest one below it counts. */
static bool name_argument(char name[64], const struct cowarp_contended_launch *l, uint64_t addr)
{
    const struct cw_region *region = cw_memory_region(l->memory, addr);
    uint64_t nearest = 0;
    for (uint32_t i = 0; region != NULL && l->param != NULL && i < l->kernel->param_cnt; i++) {
        const struct cw_kernel_param *p = &l->kernel->param[i];
        for (uint32_t at = 0; at + 8 <= p->bytes; at += 8) {
            uint64_t pointer;
            char what[64];
            memcpy(&pointer, l->param + p->offset + at, sizeof pointer);
            if (pointer < region->base || pointer > addr || pointer <= nearest)
                continue;
            nearest = pointer;
            if (p->bytes == 8)
                snprintf(what, sizeof what, "%.40s", p->name);
            else
                snprintf(what, sizeof what, "%.40s[%" PRIu32 "]", p->name, at);
            put_name(name, l->kernel, what, addr - pointer);
        }
    }
    return nearest != 0;
}

static void name_word(char name[64], const struct cowarp_contended_launch *l, uint64_t addr)
{
    if ((addr & CW_EVENT_SHARED) != 0)
        name_shared(name, l->kernel, addr & ~CW_EVENT_SHARED);
    else if (!name_symbol(name, l, addr) && !name_argument(name, l, addr))
        snprintf(name, 64, "0x%" PRIx64, addr);
}

/* ---- counting ---- */

static void count(struct cowarp_contended *w, const struct cowarp_contended_launch *l, uint64_t addr, uint64_t events)
{
    uint32_t i = 0, least = 0;
    w->total += events;
    for (; i < w->cnt && w->word[i].addr != addr; i++)
        least = w->word[i].count < w->word[least].count ? i : least;
    if (i == w->cnt && i < COWARP_CONTENDED) {
        w->word[w->cnt++] = (struct cowarp_word){.addr = addr};
        name_word(w->word[i].name, l, addr);
    } else if (i == w->cnt) { /* It takes the place of the one that was wanted least */
        i = least;
        w->word[i].addr = addr;
        w->word[i].surplus = w->word[i].count;
        name_word(w->word[i].name, l, addr);
    }
    w->word[i].count += events;
    if (i > 0 && w->word[i].count > w->word[i - 1].count) { /* Wanted ones are found soon */
        const struct cowarp_word before = w->word[i - 1];
        w->word[i - 1] = w->word[i];
        w->word[i] = before;
    }
}

/* One name for the word of any block. */
static uint64_t plain(uint64_t addr)
{
    if ((addr & CW_EVENT_SHARED) != 0)
        return CW_EVENT_SHARED | (uint32_t)addr;
    return addr >= CW_SHARED_WINDOW && addr < CW_LOCAL_WINDOW ? CW_EVENT_SHARED | (addr - CW_SHARED_WINDOW) : addr;
}

void cowarp__contended_hear(struct cowarp_contended *words, const struct cowarp_contended_launch *launch, const struct cw_event *e)
{
    if (e->type == CW_EVENT_STRONG) {
        if (e->u.strong.kind == CW_STRONG_PERFORM)
            count(&words[COWARP_ATOMICS], launch, plain(e->u.strong.addr), 1);
    } else if (e->u.conflict.kind == CW_CONTENTION_ABORT) {
        count(&words[COWARP_ABORTS], launch, plain(e->u.conflict.addr), 1);
    } else { /* Banks serve a whole variable */
        const uint64_t addr = plain(e->u.conflict.addr);
        const struct cw_named_variable *v = shared_at(launch->kernel, addr & ~CW_EVENT_SHARED);
        count(&words[COWARP_BANK_CYCLES], launch, v != NULL ? CW_EVENT_SHARED | v->offset : addr, e->u.conflict.cycles);
    }
}

/* ---- text ---- */

static int wanted_more(const void *a, const void *b)
{
    const struct cowarp_word *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->addr > y->addr) - (x->addr < y->addr);
}

void cowarp__contended_text(struct cowarp_contended *words, FILE *f)
{
    static const char *const name[COWARP_CONTENTIONS] = {"aborts", "atomics", "bank_cycles"};
    bool any = false;
    for (uint32_t kind = 0; kind < COWARP_CONTENTIONS; kind++) {
        struct cowarp_contended *w = &words[kind];
        qsort(w->word, w->cnt, sizeof w->word[0], wanted_more);
        for (uint32_t i = 0; i < w->cnt && i < ROWS && (i == 0 || w->word[i].count * LEAST >= w->total); i++) {
            if (!any)
                fputs("contended words\n", f);
            any = true;
            fprintf(f, "%-12s %12" PRIu64 " %6.2f%%  %s", name[kind], w->word[i].count, 100.0 * (double)w->word[i].count / (double)w->total,
                    w->word[i].name);
            if (w->word[i].surplus != 0)
                fprintf(f, "  (or %" PRIu64 " fewer)", w->word[i].surplus);
            fputc('\n', f);
        }
    }
}
