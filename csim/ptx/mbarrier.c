/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbarrier: barriers that are 64-bit objects in shared memory. The object's content is opaque to programs (PTX ISA, "mbarrier"). Here its
 * lower word counts the arrivals since init, and its upper word is how many make a phase. So an arrival is one atomic addition, and the
 * number of the phase is a quotient. arrive_drop, which changes how many make a phase, and the counts of bytes (expect_tx) are refused.
 */
#include "ptx/insn.h"

static const struct cw_vopnd nothing = {.kind = CW_V_NONE};

static struct cw_vopnd temporary(struct cw_ptx *p, enum cw_ptype type)
{
    return cw_opnd_reg(cw_ptx_new_reg(p, type, true));
}

static struct cw_vopnd word(struct cw_ptx *p, uint64_t value)
{
    return cw_opnd_const(p, value, 4);
}

static void emit(struct cw_ptx *p, enum cw_op op, enum cw_type type, uint8_t cmp, struct cw_vopnd d, struct cw_vopnd a, struct cw_vopnd b)
{
    struct cw_insn in = {.v = {.u = {.op = (uint16_t)op, .type = (uint8_t)type, .stype = CW_TYPE_NONE, .cmp = cmp}}};
    cw_insn_dst(&in, d);
    cw_insn_src(&in, a);
    if (b.kind != CW_V_NONE)
        cw_insn_src(&in, b);
    cw_insn_emit(p, &in);
}

static struct cw_vopnd compute(struct cw_ptx *p, enum cw_op op, struct cw_vopnd a, struct cw_vopnd b)
{
    struct cw_vopnd d = temporary(p, CW_PT_B32);
    emit(p, op, CW_U32, 0, d, a, b);
    return d;
}

static struct cw_vopnd low_word(struct cw_ptx *p, struct cw_vopnd wide)
{
    struct cw_vopnd d = temporary(p, CW_PT_B32);
    cw_insn_convert(p, d, CW_U32, wide, CW_U64);
    return d;
}

/* ---- the object ---- */

static void access(struct cw_ptx *p, const struct cw_insn *in, const struct cw_address *a, struct cw_insn *one, enum cw_op op)
{
    *one = *in;
    one->v.u.op = (uint16_t)op;
    one->v.u.type = one->v.u.stype = CW_U32;
    one->v.u.vec = 2;
    one->v.u.flags = CW_UF_VOLATILE;
    one->v.u.scope = CW_SCOPE_CTA;
    one->v.u.src_cnt = 1;
    cw_insn_set_address(p, one, a, op == CW_OP_ST);
}

/* Its two words, as they are now. */
static void look(struct cw_ptx *p, const struct cw_insn *in, const struct cw_address *a, struct cw_vopnd *arrived, struct cw_vopnd *phase)
{
    struct cw_insn ld;
    access(p, in, a, &ld, CW_OP_LD);
    *arrived = temporary(p, CW_PT_B32);
    *phase = temporary(p, CW_PT_B32);
    cw_insn_dst(&ld, *arrived);
    cw_insn_dst(&ld, *phase);
    cw_insn_emit(p, &ld);
}

static void add_arrivals(struct cw_ptx *p, const struct cw_insn *in, const struct cw_address *a, struct cw_vopnd state, struct cw_vopnd cnt)
{
    struct cw_insn atom;
    access(p, in, a, &atom, CW_OP_ATOM);
    atom.v.u.type = CW_U64;
    atom.v.u.stype = CW_TYPE_NONE;
    atom.v.u.vec = 1;
    atom.v.u.flags = CW_UF_ACQUIRE | CW_UF_RELEASE;
    atom.v.u.atom = CW_ATOM_ADD;
    if (state.kind == CW_V_REG)
        cw_insn_dst(&atom, state);
    cw_insn_src(&atom, cnt);
    cw_insn_emit(p, &atom);
}

/* ---- modifiers: .release.cta.shared::cta.b64, each of which but the last may be missing. orders: what may stand for
 * .release there, beside .relaxed; NULL: nothing. ---- */

static bool mods(struct cw_insn *in, const char *orders)
{
    const bool order = orders != NULL && (cw_insn_accept(in, orders) || cw_insn_accept(in, "relaxed"));
    const bool scope = order && (cw_insn_accept(in, "cta") || cw_insn_accept(in, "cluster"));
    const bool shared = cw_insn_accept(in, "shared") || cw_insn_accept(in, "shared::cta") || cw_insn_accept(in, "shared::cluster");
    in->v.u.space = shared ? CW_SPACE_SHARED : CW_SPACE_GENERIC;
    return order == scope && cw_insn_accept(in, "b64") && in->next == in->part_cnt;
}

static bool take(struct cw_ptx *p, struct cw_insn *in, bool fits)
{
    if (!fits)
        cw_insn_refuse(p, in);
    return fits && p->ir.status == CW_OK;
}

/* ---- instructions ---- */

static void init(struct cw_ptx *p, struct cw_insn *in)
{
    struct cw_insn st;
    if (!take(p, in, mods(in, NULL)))
        return;
    const struct cw_address a = cw_insn_address(p, &in->v.u.space);
    cw_ptx_expect(p, ',');
    access(p, in, &a, &st, CW_OP_ST);
    cw_insn_src(&st, word(p, 0));
    cw_insn_src(&st, cw_opnd_src(p, CW_PT_U32));
    cw_insn_emit(p, &st);
}

static void inval(struct cw_ptx *p, struct cw_insn *in)
{
    if (!take(p, in, mods(in, NULL)))
        return;
    cw_insn_address(p, &in->v.u.space);
    in->v.u.op = CW_OP_NOP;
    in->v.u.space = CW_SPACE_GENERIC;
    cw_insn_emit(p, in);
}

/* mbarrier.arrive with a state, the address of the object, and a count, which is 1 if it is missing. */
static void arrive(struct cw_ptx *p, struct cw_insn *in)
{
    cw_insn_accept(in, "noComplete");
    if (!take(p, in, mods(in, "release")))
        return;
    const struct cw_vopnd state = cw_opnd_dst(p, CW_PT_B64);
    cw_ptx_expect(p, ',');
    const struct cw_address a = cw_insn_address(p, &in->v.u.space);
    struct cw_vopnd cnt = cw_opnd_const(p, 1, 8);
    if (cw_ptx_accept(p, ',')) {
        const struct cw_vopnd narrow = cw_opnd_src(p, CW_PT_U32);
        cnt = temporary(p, CW_PT_B64);
        cw_insn_convert(p, cnt, CW_U64, narrow, CW_U32);
    }
    add_arrivals(p, in, &a, state, cnt);
}

/* A wait for the phase of a state, or for the phase of a parity: over when the object is in another one. */
static void test_wait(struct cw_ptx *p, struct cw_insn *in, bool has_limit)
{
    struct cw_vopnd arrived, phase;
    const bool parity = cw_insn_accept(in, "parity");
    if (!take(p, in, mods(in, "acquire")))
        return;
    const struct cw_vopnd over = cw_opnd_dst(p, CW_PT_PRED);
    cw_ptx_expect(p, ',');
    const struct cw_address a = cw_insn_address(p, &in->v.u.space);
    cw_ptx_expect(p, ',');
    const struct cw_vopnd wanted = cw_opnd_src(p, parity ? CW_PT_U32 : CW_PT_B64);
    if (has_limit && cw_ptx_accept(p, ','))
        cw_opnd_src(p, CW_PT_U32); /* how long try_wait may sleep: it does not */
    look(p, in, &a, &arrived, &phase);
    struct cw_vopnd now = compute(p, CW_OP_DIV, arrived, phase);
    struct cw_vopnd then = parity ? wanted : compute(p, CW_OP_DIV, low_word(p, wanted), phase);
    if (parity)
        now = compute(p, CW_OP_AND, now, word(p, 1));
    emit(p, CW_OP_SETP, CW_U32, CW_CMP_NE, over, now, then);
}

/* How many were still to come when the state was taken: the two words of the state say it. */
static void pending_count(struct cw_ptx *p, struct cw_insn *in)
{
    if (!take(p, in, cw_insn_accept(in, "b64") && in->next == in->part_cnt))
        return;
    const struct cw_vopnd d = cw_opnd_dst(p, CW_PT_U32);
    cw_ptx_expect(p, ',');
    const struct cw_vopnd state = cw_opnd_src(p, CW_PT_B64), high = temporary(p, CW_PT_B64);
    emit(p, CW_OP_SHR, CW_U64, 0, high, state, word(p, 32));
    const struct cw_vopnd phase = low_word(p, high);
    emit(p, CW_OP_SUB, CW_U32, 0, d, phase, compute(p, CW_OP_REM, low_word(p, state), phase));
}

void cw_insn_copy_arrives(struct cw_ptx *p, struct cw_insn *in)
{
    const bool named = cw_insn_accept(in, "arrive"), counts = cw_insn_accept(in, "noinc");
    if (!take(p, in, named && mods(in, NULL)))
        return;
    const struct cw_address a = cw_insn_address(p, &in->v.u.space);
    if (counts) {
        add_arrivals(p, in, &a, nothing, cw_opnd_const(p, 1, 8));
        return;
    }
    in->v.u.op = CW_OP_NOP; /* the object expects one arrival more, and this is it */
    in->v.u.space = CW_SPACE_GENERIC;
    cw_insn_emit(p, in);
}

bool cw_insn_mbarrier(struct cw_ptx *p, struct cw_insn *in)
{
    if (!cw_part_is(&in->part[0], "mbarrier"))
        return false;
    if (cw_insn_accept(in, "init"))
        init(p, in);
    else if (cw_insn_accept(in, "inval"))
        inval(p, in);
    else if (cw_insn_accept(in, "arrive"))
        arrive(p, in);
    else if (cw_insn_accept(in, "test_wait"))
        test_wait(p, in, false);
    else if (cw_insn_accept(in, "try_wait"))
        test_wait(p, in, true);
    else if (cw_insn_accept(in, "pending_count"))
        pending_count(p, in);
    else
        cw_insn_refuse(p, in);
    return true;
}
