/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions with a regular syntax, by the table in optab.c: modifiers and operands follow the row's two patterns. */
#include <string.h>

#include "ptx/insn.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- modifiers ---- */

enum field { ROUND, CMP, BOOLOP, ATOM };

struct word { /* what a word of a group means */
    const char *group, *word;
    uint8_t field, value;
};

static const struct word words[] = {
    {"rnd", "rn", ROUND, CW_RN},
    {"rnd", "rz", ROUND, CW_RZ},
    {"rnd", "rm", ROUND, CW_RM},
    {"rnd", "rp", ROUND, CW_RP},
    {"approx", "approx", ROUND, CW_ROUND_APPROX},
    {"full", "full", ROUND, CW_ROUND_FULL},
    {"cmp", "eq", CMP, CW_CMP_EQ},
    {"cmp", "ne", CMP, CW_CMP_NE},
    {"cmp", "lt", CMP, CW_CMP_LT},
    {"cmp", "le", CMP, CW_CMP_LE},
    {"cmp", "gt", CMP, CW_CMP_GT},
    {"cmp", "ge", CMP, CW_CMP_GE},
    {"cmp", "lo", CMP, CW_CMP_LO},
    {"cmp", "ls", CMP, CW_CMP_LS},
    {"cmp", "hi", CMP, CW_CMP_HI},
    {"cmp", "hs", CMP, CW_CMP_HS},
    {"cmp", "equ", CMP, CW_CMP_EQU},
    {"cmp", "neu", CMP, CW_CMP_NEU},
    {"cmp", "ltu", CMP, CW_CMP_LTU},
    {"cmp", "leu", CMP, CW_CMP_LEU},
    {"cmp", "gtu", CMP, CW_CMP_GTU},
    {"cmp", "geu", CMP, CW_CMP_GEU},
    {"cmp", "num", CMP, CW_CMP_NUM},
    {"cmp", "nan", CMP, CW_CMP_NAN},
    {"bool", "and", BOOLOP, CW_BOOL_AND},
    {"bool", "or", BOOLOP, CW_BOOL_OR},
    {"bool", "xor", BOOLOP, CW_BOOL_XOR},
    {"testp", "finite", CMP, CW_TESTP_FINITE},
    {"testp", "infinite", CMP, CW_TESTP_INFINITE},
    {"testp", "number", CMP, CW_TESTP_NUMBER},
    {"testp", "notanumber", CMP, CW_TESTP_NOTANUMBER},
    {"testp", "normal", CMP, CW_TESTP_NORMAL},
    {"testp", "subnormal", CMP, CW_TESTP_SUBNORMAL},
    {"prmt", "f4e", CMP, CW_PRMT_F4E},
    {"prmt", "b4e", CMP, CW_PRMT_B4E},
    {"prmt", "rc8", CMP, CW_PRMT_RC8},
    {"prmt", "ecl", CMP, CW_PRMT_ECL},
    {"prmt", "ecr", CMP, CW_PRMT_ECR},
    {"prmt", "rc16", CMP, CW_PRMT_RC16},
    {"shfl", "up", CMP, CW_SHFL_UP},
    {"shfl", "down", CMP, CW_SHFL_DOWN},
    {"shfl", "bfly", CMP, CW_SHFL_BFLY},
    {"shfl", "idx", CMP, CW_SHFL_IDX},
    {"votep", "all", CMP, CW_VOTE_ALL},
    {"votep", "any", CMP, CW_VOTE_ANY},
    {"votep", "uni", CMP, CW_VOTE_UNI},
    {"ballot", "ballot", CMP, CW_VOTE_BALLOT},
    {"redop", "add", ATOM, CW_ATOM_ADD},
    {"redop", "min", ATOM, CW_ATOM_MIN},
    {"redop", "max", ATOM, CW_ATOM_MAX},
    {"redop", "and", ATOM, CW_ATOM_AND},
    {"redop", "or", ATOM, CW_ATOM_OR},
    {"redop", "xor", ATOM, CW_ATOM_XOR},
};

static const struct {
    const char *word;
    uint32_t flag;
} flags[] = {{"ftz", CW_UF_FTZ},   {"sat", CW_UF_SAT},           {"hi", CW_UF_HI},   {"wide", CW_UF_WIDE}, {"cc", CW_UF_COUT},
             {"wrap", CW_UF_WRAP}, {"shiftamt", CW_UF_SHIFTAMT}, {"NaN", CW_UF_NAN}, {"relu", CW_UF_RELU}};

static bool accept_group(struct cw_insn *in, const struct cw_name_part *group)
{
    const struct cw_name_part *have = &in->part[in->next];
    for (uint32_t i = 0; i < COUNT(words); i++) {
        if (!cw_part_is(group, words[i].group) || !cw_part_is(have, words[i].word))
            continue;
        uint8_t *fields[] = {&in->v.u.round, &in->v.u.cmp, &in->v.u.boolop, &in->v.u.atom};
        *fields[words[i].field] = words[i].value;
        if (cw_part_is(group, "rnd"))
            in->v.u.flags |= CW_UF_ROUNDED;
        in->next++;
        return true;
    }
    return false;
}

/* A word that stands for itself and sets its flag, if it has one. */
static bool accept_literal(struct cw_insn *in, const struct cw_name_part *literal)
{
    const struct cw_name_part *have = &in->part[in->next];
    if (have->len != literal->len || memcmp(have->s, literal->s, have->len) != 0)
        return false;
    for (uint32_t i = 0; i < COUNT(flags); i++)
        if (cw_part_is(have, flags[i].word))
            in->v.u.flags |= flags[i].flag;
    in->next++;
    return true;
}

static bool accept_type(struct cw_insn *in, uint32_t allowed, enum cw_ptype *out)
{
    uint32_t t = cw_ptype_of(in->part[in->next].s, in->part[in->next].len);
    if (t == CW_PT_NONE || (allowed >> t & 1) == 0)
        return false;
    *out = (enum cw_ptype)t;
    in->next++;
    return true;
}

static bool accept_mod(struct cw_insn *in, const struct cw_opspec *spec, const struct cw_name_part *mod)
{
    if (in->next == in->part_cnt)
        return false;
    if (cw_part_is(mod, "T"))
        return accept_type(in, spec->types, &in->type);
    if (cw_part_is(mod, "S"))
        return accept_type(in, spec->stypes, &in->stype);
    if (cw_part_is(mod, "hl"))
        return accept_literal(in, &(struct cw_name_part){"lo", 2}) || accept_literal(in, &(struct cw_name_part){"hi", 2});
    if (cw_part_is(mod, "xorsign")) {
        if (!cw_insn_accept(in, "xorsign") || !cw_insn_accept(in, "abs"))
            return false;
        in->v.u.flags |= CW_UF_XORSIGN;
        return true;
    }
    return accept_group(in, mod) || accept_literal(in, mod);
}

static enum cw_ptype widened(enum cw_ptype t)
{
    switch (t) {
    case CW_PT_U16:
        return CW_PT_U32;
    case CW_PT_S16:
        return CW_PT_S32;
    case CW_PT_U32:
        return CW_PT_U64;
    default:
        return CW_PT_S64;
    }
}

#define MAX_MODS 8u

struct mod { /* of a row */
    struct cw_name_part word;
    bool is_optional, is_used;
};

static uint32_t mods_of(const struct cw_opspec *spec, struct mod *mod)
{
    uint32_t n = 0;
    for (const char *s = spec->mods; *s != '\0' && n < MAX_MODS; n++) {
        mod[n] = (struct mod){.word = {s, (uint32_t)strcspn(s, " ?")}};
        s += mod[n].word.len;
        mod[n].is_optional = *s == '?';
        s += strspn(s, " ?");
    }
    return n;
}

/* The row's modifiers as they stand there. */
static bool match_in_order(struct cw_insn *in, const struct cw_opspec *spec, const struct mod *mod, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!accept_mod(in, spec, &mod[i].word) && !mod[i].is_optional)
            return false;
    return true;
}

/* ptxas takes modifiers in any order (div.ftz.rn.f32, setp.ftz.lt.f32): each of the row's once. Of two types the first stays the first. */
static bool match_in_any_order(struct cw_insn *in, const struct cw_opspec *spec, struct mod *mod, uint32_t n)
{
    while (in->next < in->part_cnt) {
        bool found = false, needs_type = false;
        for (uint32_t i = 0; i < n && !found; i++) {
            const bool is_second = needs_type && cw_part_is(&mod[i].word, "S");
            needs_type |= !mod[i].is_used && cw_part_is(&mod[i].word, "T");
            found = !mod[i].is_used && !is_second && accept_mod(in, spec, &mod[i].word);
            mod[i].is_used |= found;
        }
        if (!found)
            return false;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!mod[i].is_used && !mod[i].is_optional)
            return false;
    return true;
}

static bool match(struct cw_insn *in, const struct cw_opspec *spec, bool any_order)
{
    struct mod mod[MAX_MODS];
    const uint32_t n = mods_of(spec, mod);
    in->next = 1;
    in->type = in->stype = CW_PT_NONE;
    in->v.u = (struct cw_uop){.op = spec->op, .flags = spec->flags, .cmp = spec->cmp};
    if (!(any_order ? match_in_any_order(in, spec, mod, n) : match_in_order(in, spec, mod, n)))
        return false;
    if ((in->v.u.flags & CW_UF_WIDE) != 0) {
        in->stype = in->type;
        in->type = widened(in->type);
    }
    in->v.u.type = cw_ptype_info[in->type].type;
    in->v.u.stype = cw_ptype_info[in->stype].type;
    return in->next == in->part_cnt;
}

/* ---- operand patterns ---- */

/* d|p of shfl, match and setp: the second one is optional, and either may be the sink. */
static void dst_pair(struct cw_ptx *p, struct cw_insn *in, enum cw_ptype first)
{
    cw_insn_dst(in, cw_opnd_dst(p, first));
    if (cw_ptx_accept(p, '|'))
        cw_insn_dst(in, cw_opnd_dst(p, CW_PT_PRED));
}

/*
 * Letters: d destination of type T; u of 32 bits; p predicate; g T|predicate; U 32 bits|predicate; q predicate|predicate.
 * a source of type T; s of type S; e of 32 bits; m predicate, maybe complemented; k constant into imm.
 */
static void operand(struct cw_ptx *p, struct cw_insn *in, char letter)
{
    switch (letter) {
    case 'd':
        cw_insn_dst(in, cw_opnd_dst(p, in->type));
        break;
    case 'u':
        cw_insn_dst(in, cw_opnd_dst(p, CW_PT_B32));
        break;
    case 'p':
        cw_insn_dst(in, cw_opnd_dst(p, CW_PT_PRED));
        break;
    case 'g':
        dst_pair(p, in, in->type);
        break;
    case 'U':
        dst_pair(p, in, CW_PT_B32);
        break;
    case 'q':
        dst_pair(p, in, CW_PT_PRED);
        break;
    case 'a':
        cw_insn_src(in, cw_opnd_src(p, in->type));
        break;
    case 's':
        cw_insn_src(in, cw_opnd_src(p, in->stype));
        break;
    case 'e':
        cw_insn_src(in, cw_opnd_src(p, CW_PT_B32));
        break;
    case 'm':
        cw_insn_src(in, cw_opnd_pred(p));
        break;
    case 'k':
        in->v.u.imm = (int64_t)(cw_ptx_expr(p, NULL) & 255);
        break;
    default:
        break;
    }
}

static void operands(struct cw_ptx *p, struct cw_insn *in, const char *pattern)
{
    for (const char *c = pattern; *c != '\0' && p->ir.status == CW_OK; c++) {
        if (c != pattern)
            cw_ptx_expect(p, ',');
        operand(p, in, *c);
    }
}

/* ---- opcodes ---- */

void cw_ptx_opcodes_init(struct cw_ptx *p)
{
    for (uint32_t i = cw_opspec_cnt; i-- > 0;) {
        if (i > 0 && strcmp(cw_opspecs[i].name, cw_opspecs[i - 1].name) == 0)
            continue; /* rows of one name are found by its first */
        uint32_t h = cw_ptx_hash(cw_opspecs[i].name, (uint32_t)strlen(cw_opspecs[i].name)) % 256;
        while (p->spec_first[h] != 0)
            h = (h + 1) % 256;
        p->spec_first[h] = i + 1;
    }
}

static const struct cw_opspec *find_spec(const struct cw_ptx *p, const struct cw_name_part *name)
{
    for (uint32_t h = cw_ptx_hash(name->s, name->len) % 256; p->spec_first[h] != 0; h = (h + 1) % 256)
        if (cw_part_is(name, cw_opspecs[p->spec_first[h] - 1].name))
            return &cw_opspecs[p->spec_first[h] - 1];
    return NULL;
}

/* The first row of the name that fits; NULL: none does. */
static const struct cw_opspec *fitting(struct cw_insn *in, const struct cw_opspec *first, bool any_order)
{
    const struct cw_opspec *end = cw_opspecs + cw_opspec_cnt;
    for (const struct cw_opspec *spec = first; spec < end && strcmp(spec->name, first->name) == 0; spec++)
        if (match(in, spec, any_order))
            return spec;
    return NULL;
}

bool cw_insn_regular(struct cw_ptx *p, struct cw_insn *in)
{
    const struct cw_opspec *first = find_spec(p, &in->part[0]);
    if (first == NULL)
        return false;
    const struct cw_opspec *spec = fitting(in, first, false);
    if (spec == NULL)
        spec = fitting(in, first, true);
    if (spec == NULL) {
        cw_insn_refuse(p, in);
        return true;
    }
    operands(p, in, spec->opnds);
    cw_insn_emit(p, in);
    return true;
}
