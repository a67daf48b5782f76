/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, by the place in the program. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check/sanitizer_private.h"

static struct cw_sanitizer_place *place_of(struct cw_sanitizer *s, const struct cw_finding *f)
{
    for (uint32_t i = s->place_cnt; i-- > 0;) {
        struct cw_sanitizer_place *p = &s->place[i];
        if (p->first.check == f->check && p->first.line == f->line && p->first.other_line == f->other_line &&
            p->kernel == s->launch.kernel->name && p->file == s->launch.module->file)
            return p;
    }
    return NULL;
}

static const char *const names[CW_CHECKS] = {"memory", "sync", "race", "init"};

static uint32_t index_of(enum cw_check check)
{
    return (uint32_t)__builtin_ctz((uint32_t)check);
}

static void tell(const struct cw_sanitizer *s, const struct cw_sanitizer_place *p)
{
    const struct cw_finding *f = &p->first;
    char source[200] = "", text[1400];
    if (p->source != NULL)
        snprintf(source, sizeof source, " (%.160s:%u)", p->source, p->source_line);
    snprintf(text, sizeof text, "check %s: kernel %.200s: %.200s:%u%s: block (%u, %u, %u) thread (%u, %u, %u): %s",
             names[index_of(f->check)], p->kernel, p->file, f->line, source, f->block[0], f->block[1], f->block[2], f->thread[0],
             f->thread[1], f->thread[2], f->text);
    s->config.tell(s->config.context, text);
}

void cw_sanitizer_add(struct cw_sanitizer *s, const struct cw_finding *f)
{
    struct cw_sanitizer_place *p = place_of(s, f);
    s->cnt[index_of(f->check)]++;
    if (p != NULL) {
        p->cnt++;
        return;
    }
    if (s->place_cnt == CW_SANITIZER_PLACES)
        return;
    p = &s->place[s->place_cnt++];
    *p = (struct cw_sanitizer_place){.first = *f, .kernel = s->launch.kernel->name, .file = s->launch.module->file, .cnt = 1};
    p->source = cw_module_source(s->launch.module, f->line, &p->source_line);
    if (s->place_cnt <= s->config.tells && s->config.tell != NULL)
        tell(s, p);
}

void cw_sanitizer__find(struct cw_sanitizer *s, enum cw_check check, const struct cw_sanitizer_access *a, uint32_t other_line,
                        const char *fmt, ...)
{
    const struct cw_event *e = a->event;
    const struct cw_exec *x = e->u.lanes.x;
    struct cw_finding f = {.check = check, .line = e->u.lanes.uop->line, .other_line = other_line, .address = a->addr, .bytes = a->bytes};
    for (int d = 0; d < 3; d++) {
        f.block[d] = x->ctaid[d];
        f.thread[d] = x->tid[d][a->lane];
    }
    const int n = snprintf(f.text, sizeof f.text, "%s of %u bytes at %s address 0x%llx: ", cw_op_mnemonic((enum cw_op)e->u.lanes.uop->op),
                           a->bytes, e->u.lanes.space == CW_SPACE_SHARED ? "shared" : "global", (unsigned long long)a->addr);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(f.text + n, sizeof f.text - (size_t)n, fmt, ap);
    va_end(ap);
    cw_sanitizer_add(s, &f);
}

const struct cw_sanitizer_place *cw_sanitizer_at(const struct cw_sanitizer *s, uint32_t i)
{
    return i < s->place_cnt ? &s->place[i] : NULL;
}

uint64_t cw_sanitizer_count(const struct cw_sanitizer *s, enum cw_check check)
{
    return s->cnt[index_of(check)];
}
