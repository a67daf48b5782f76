/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kernel's regions do to shared memory (struct cw_transactions). A detector of conflicts is chosen by it: one that lets reads pass
 * each other pays where transactions are read-only (GPU-LocalTM, section 7).
 *
 * A region is the blocks that can be reached from its REGION_BEGIN without passing a REGION_END; a region inside another one ends where the
 * inner one does. Ways are followed with what they have done so far: nothing, read, written, or both. An access under a guard may be done
 * or not.
 */
#include <stdlib.h>

#include "ir/passes.h"

#define READ    1u
#define WRITTEN 2u

struct access {
    uint32_t base; /* register, or constant of the kernel */
    uint32_t bytes;
    int64_t offset;
    uint8_t is_register, is_known; /* the address is the same wherever the region uses it */
    uint8_t reads, writes;
};

struct pass {
    struct cw_ir *ir;
    const struct cw_code *k;
    const struct cw_cfg *cfg;
    uint8_t *ways;   /* [block]: set of what ways have done that come to its begin: bit of READ | WRITTEN */
    uint32_t *times; /* [register]: how often the region writes it */
    CW_VEC(uint32_t) todo, inside;
    CW_VEC(struct access) access;
};

static bool is_shared(const struct cw_uop *u)
{
    const bool is_access = u->op == CW_OP_LD || u->op == CW_OP_ST || u->op == CW_OP_ATOM;
    return is_access && (u->space == CW_SPACE_SHARED || u->space == CW_SPACE_GENERIC);
}

static uint32_t does(const struct cw_uop *u)
{
    return u->op == CW_OP_LD ? READ : u->op == CW_OP_ST ? WRITTEN : READ | WRITTEN;
}

/* The ways after a micro-op. */
static uint8_t after(const struct cw_vop *v, uint8_t ways)
{
    uint8_t next = v->guard != CW_IR_NONE ? ways : 0;
    for (uint32_t done = 0; done < 4 && is_shared(&v->u); done++)
        if ((ways >> done & 1) != 0)
            next |= (uint8_t)(1u << (done | does(&v->u)));
    return is_shared(&v->u) ? next : ways;
}

static bool ends_with(const struct pass *s, uint32_t b, enum cw_op op)
{
    return s->k->code.a[s->cfg->block[b].end - 1].u.op == op;
}

static void go_to(struct pass *s, uint32_t b, uint8_t ways)
{
    if (b >= s->cfg->block_cnt || (s->ways[b] | ways) == s->ways[b])
        return;
    if (s->ways[b] == 0)
        CW_PUSH(s->ir, &s->inside, b);
    s->ways[b] |= ways;
    CW_PUSH(s->ir, &s->todo, b);
}

/* Follows all ways of the region that begins at the end of block `begin`. */
static void follow(struct pass *s, uint32_t begin, struct cw_transactions *t)
{
    const struct cw_basic_block *k = &s->cfg->block[begin];
    for (uint32_t i = 0; i < k->succ_cnt; i++)
        go_to(s, s->cfg->succ[k->succ + i], 1);
    while (s->todo.n > 0) {
        const uint32_t b = s->todo.a[--s->todo.n];
        uint8_t ways = s->ways[b];
        k = &s->cfg->block[b];
        for (uint32_t i = k->first; i < k->end; i++)
            ways = after(&s->k->code.a[i], ways);
        if (ends_with(s, b, CW_OP_REGION_END)) {
            t->has_read_only |= ways >> READ & 1;
            continue;
        }
        for (uint32_t i = 0; i < k->succ_cnt; i++)
            go_to(s, s->cfg->succ[k->succ + i], ways);
    }
}

static void count_writes(struct pass *s, int32_t by)
{
    for (uint32_t n = 0; n < s->inside.n; n++)
        for (uint32_t i = s->cfg->block[s->inside.a[n]].first; i < s->cfg->block[s->inside.a[n]].end; i++)
            for (uint32_t j = 0; j < s->k->code.a[i].u.dst_cnt; j++)
                if (s->k->code.a[i].dst[j].kind == CW_V_REG)
                    s->times[s->k->code.a[i].dst[j].id] += (uint32_t)by;
}

static void note(struct pass *s, const struct cw_vop *v)
{
    const uint32_t what = does(&v->u);
    const bool is_register = v->src[0].kind == CW_V_REG;
    struct access a = {.base = v->src[0].id,
                       .bytes = cw_type_bytes((enum cw_type)v->u.type) * (v->u.vec > 1 ? v->u.vec : 1u),
                       .offset = v->u.imm,
                       .is_register = is_register,
                       .is_known = !is_register || s->times[v->src[0].id] <= 1,
                       .reads = (what & READ) != 0,
                       .writes = (what & WRITTEN) != 0};
    for (uint32_t i = 0; i < s->access.n; i++) {
        struct access *b = &s->access.a[i];
        if (!a.is_known || !b->is_known || b->base != a.base || b->offset != a.offset || b->is_register != a.is_register ||
            b->bytes != a.bytes)
            continue;
        b->reads |= a.reads;
        b->writes |= a.writes;
        return;
    }
    CW_PUSH(s->ir, &s->access, a);
}

/* Whether block b of the region can be reached from itself inside of it. Uses the marks of `ways`: bit 7. */
static bool comes_again(struct pass *s, uint32_t b)
{
    bool again = false;
    s->todo.n = 0;
    CW_PUSH(s->ir, &s->todo, b);
    while (s->todo.n > 0) {
        const uint32_t at = s->todo.a[--s->todo.n];
        const struct cw_basic_block *k = &s->cfg->block[at];
        for (uint32_t i = 0; i < k->succ_cnt && !ends_with(s, at, CW_OP_REGION_END); i++) {
            const uint32_t next = s->cfg->succ[k->succ + i];
            again |= next == b;
            if (next >= s->cfg->block_cnt || (s->ways[next] & 0x80) != 0)
                continue;
            s->ways[next] |= 0x80;
            CW_PUSH(s->ir, &s->todo, next);
        }
    }
    for (uint32_t i = 0; i < s->inside.n; i++)
        s->ways[s->inside.a[i]] &= 0x7f;
    return again;
}

static void list_accesses(struct pass *s, struct cw_transactions *t)
{
    uint32_t words = 0;
    s->access.n = 0;
    count_writes(s, 1);
    for (uint32_t n = 0; n < s->inside.n; n++) {
        const uint32_t b = s->inside.a[n];
        bool has_some = false;
        for (uint32_t i = s->cfg->block[b].first; i < s->cfg->block[b].end; i++)
            if (is_shared(&s->k->code.a[i].u)) {
                note(s, &s->k->code.a[i]);
                has_some = true;
            }
        t->has_loop |= has_some && !t->has_loop && comes_again(s, b);
    }
    for (uint32_t i = 0; i < s->access.n; i++) {
        words += (s->access.a[i].bytes + 3) / 4;
        t->reads_as_wrote &= s->access.a[i].reads && s->access.a[i].writes;
    }
    t->words = words > t->words ? words : t->words;
    count_writes(s, -1);
}

struct cw_transactions cw_transactions_find(struct cw_ir *ir, const struct cw_code *k, const struct cw_cfg *cfg)
{
    struct cw_transactions t = {.reads_as_wrote = 1};
    struct pass s = {.ir = ir, .k = k, .cfg = cfg};
    for (uint32_t b = 0; b < cfg->block_cnt && ir->status == CW_OK; b++) {
        if (k->code.a[cfg->block[b].end - 1].u.op != CW_OP_REGION_BEGIN)
            continue;
        if (s.ways == NULL) {
            s.ways = cw_ir_alloc(ir, cfg->block_cnt, 1);
            s.times = cw_ir_alloc(ir, k->vreg.n, 4);
        }
        if (ir->status != CW_OK)
            break;
        t.cnt++;
        follow(&s, b, &t);
        list_accesses(&s, &t);
        for (uint32_t i = 0; i < s.inside.n; i++)
            s.ways[s.inside.a[i]] = 0;
        s.inside.n = 0;
    }
    t.reads_as_wrote &= t.words > 0;
    free(s.ways);
    free(s.times);
    free(s.todo.a);
    free(s.inside.a);
    free(s.access.a);
    return t;
}
