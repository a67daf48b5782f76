/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operands that differ by lane. Operations across lanes are compared with a model that looks at one lane after the other, written from the
 * PTX ISA: which lanes take part with a lane, and what they give it.
 */
#include "core_rig.h"

#include "base/rng.h"

#define THREADS 256u
#define STEP    512u /* words between two results of a thread */

/* ---- operations across lanes ---- */

/* What each thread has. */
struct inputs {
    uint32_t v[THREADS], mask[THREADS], b[THREADS], c[THREADS];
    uint32_t on[THREADS];  /* executes the instructions */
    uint32_t yes[THREADS]; /* its predicate */
};

enum { IN_V, IN_MASK, IN_B, IN_C, IN_ON, IN_YES, IN_COUNT };

#define LOAD_ALL                                                                                                           \
    "ld.global.u32 %r1, [%e]; ld.global.u32 %r2, [%e+2048]; ld.global.u32 %r3, [%e+4096]; ld.global.u32 %r4, [%e+6144];\n" \
    "ld.global.u32 %r5, [%e+8192]; ld.global.u32 %r6, [%e+10240]; setp.ne.u32 %p1, %r5, 0; setp.ne.u32 %p2, %r6, 0;\n"     \
    "mov.u32 %r9, 0xabcd; setp.ne.u32 %p3, 0, 0; setp.ne.u32 %p4, 0, 0; add.u64 %d1, %e, 12288;\n"
#define KEEP   "st.global.u32 [%d1], %r9; add.u64 %d1, %d1, 2048; mov.u32 %r9, 0xabcd;\n"
#define KEEP_P "selp.u32 %r10, 1, 0, %p3; st.global.u32 [%d1], %r10; add.u64 %d1, %d1, 2048; setp.ne.u32 %p3, 0, 0;\n"

/* Results in this order, each of KEEP and KEEP_P one. The last ones write their membermask's own register. */
static const char across[] = PTX_HEAD ENTRY LOAD_ALL
    "@%p1 shfl.sync.up.b32 %r9|%p3, %r1, %r3, %r4, %r2;\n" KEEP KEEP_P                      /* 0, 1 */
    "@%p1 shfl.sync.down.b32 %r9|%p3, %r1, %r3, %r4, %r2;\n" KEEP KEEP_P                    /* 2, 3 */
    "@%p1 shfl.sync.bfly.b32 %r9|%p3, %r1, %r3, %r4, %r2;\n" KEEP KEEP_P                    /* 4, 5 */
    "@%p1 shfl.sync.idx.b32 %r9|%p3, %r1, %r3, %r4, %r2;\n" KEEP KEEP_P                     /* 6, 7 */
    "@%p1 vote.sync.all.pred %p3, %p2, %r2;\n" KEEP_P                                       /* 8 */
    "@%p1 vote.sync.any.pred %p3, !%p2, %r2;\n" KEEP_P                                      /* 9 */
    "@%p1 vote.sync.uni.pred %p3, %p2, %r2;\n" KEEP_P                                       /* 10 */
    "@%p1 vote.sync.ballot.b32 %r9, %p2, %r2;\n" KEEP                                       /* 11 */
    "@%p1 match.any.sync.b32 %r9, %r3, %r2;\n" KEEP                                         /* 12 */
    "@%p1 match.all.sync.b32 %r9|%p3, %r6, %r2;\n" KEEP KEEP_P                              /* 13, 14 */
    "@%p1 redux.sync.add.s32 %r9, %r1, %r2;\n" KEEP                                         /* 15 */
    "@%p1 redux.sync.min.u32 %r9, %r1, %r2;\n" KEEP                                         /* 16 */
    "@%p1 redux.sync.max.s32 %r9, %r1, %r2;\n" KEEP                                         /* 17 */
    "@%p1 redux.sync.xor.b32 %r9, %r1, %r2;\n" KEEP                                         /* 18 */
    "@%p1 elect.sync %r9|%p3, %r2;\n" KEEP KEEP_P                                           /* 19, 20 */
    "@%p1 activemask.b32 %r9;\n" KEEP                                                       /* 21 */
    "mov.u32 %r11, %r2; @%p1 match.any.sync.b32 %r11, %r3, %r11; mov.u32 %r9, %r11;\n" KEEP /* 22: as 12, but what is off keeps the mask */
    "ret; }";
#define RESULTS 23u

/* The lanes that take part with the thread, out of those of its warp; those that its mask does not name count for nothing. */
static uint32_t members_of(const struct inputs *in, uint32_t threads, uint32_t t)
{
    uint32_t m = 0;
    for (uint32_t l = 0; l < 32; l++) {
        const uint32_t k = t / 32 * 32 + l;
        const bool together = k < threads && in->on[k] && in->mask[k] == in->mask[t];
        m |= together && (in->mask[t] >> l & 1) != 0 ? 1u << l : 0;
    }
    return m;
}

/* PTX ISA, shfl.sync: how j and the predicate come about. */
static uint32_t shuffled(const struct inputs *in, uint32_t t, uint32_t members, char mode, bool *p)
{
    const uint32_t lane = t % 32, bval = in->b[t] % 32, cval = in->c[t] % 32, segment = in->c[t] / 256 % 32;
    const int most = (int)((lane & segment) | (cval & ~segment)), least = (int)(lane & segment);
    const int j = mode == 'u'   ? (int)lane - (int)bval
                  : mode == 'd' ? (int)(lane + bval)
                  : mode == 'x' ? (int)(lane ^ bval)
                                : least | (int)(bval & ~segment);
    *p = mode == 'u' ? j >= most : j <= most;
    if (!*p)
        return in->v[t];
    return (members >> j & 1) != 0 ? in->v[t / 32 * 32 + (uint32_t)j] : 0;
}

static uint32_t reduced(const struct inputs *in, uint32_t t, uint32_t members, uint32_t which)
{
    uint32_t sum = 0, low = UINT32_MAX, bits = 0;
    int32_t high = INT32_MIN;
    for (uint32_t l = 0; l < 32; l++) {
        const uint32_t v = in->v[t / 32 * 32 + l];
        if ((members >> l & 1) == 0)
            continue;
        sum += v;
        low = v < low ? v : low;
        high = (int32_t)v > high ? (int32_t)v : high;
        bits ^= v;
    }
    const uint32_t r[] = {sum, low, (uint32_t)high, bits};
    return members != 0 ? r[which] : 0;
}

static uint32_t lanes_like(const uint32_t *value, uint32_t t, uint32_t members)
{
    uint32_t m = 0;
    for (uint32_t l = 0; l < 32; l++)
        m |= value[t / 32 * 32 + l] == value[t] ? members & 1u << l : 0;
    return m;
}

/* Lanes of t's warp that execute the instruction. */
static uint32_t active_of(const struct inputs *in, uint32_t threads, uint32_t t)
{
    uint32_t active = 0;
    for (uint32_t l = 0; l < 32 && t / 32 * 32 + l < threads; l++)
        active |= in->on[t / 32 * 32 + l] ? 1u << l : 0;
    return active;
}

/* Votes as ptxas of CUDA 13 lowers them for sm_75 (experiments/lowering reads its output): VOTE makes one ballot of all lanes, and LOP3 takes those
 * of the membermask: of a ballot itself; `any` unless it is 0; `all` when it equals what the mask leaves of the lanes that are there. */
static void model_votes(const struct inputs *in, uint32_t t, uint32_t active, uint32_t want[RESULTS])
{
    uint32_t voters = active & in->mask[t], ballot = 0;
    for (uint32_t l = 0; l < 32; l++)
        ballot |= (voters >> l & 1) != 0 && in->yes[t / 32 * 32 + l] ? 1u << l : 0;
    want[8] = ballot == voters;
    want[9] = ballot != voters; /* any of the negated ones */
    want[10] = ballot == voters || ballot == 0;
    want[11] = ballot;
}

/* What thread t has to store. */
static void model(const struct inputs *in, uint32_t threads, uint32_t t, uint32_t want[RESULTS])
{
    static const char modes[] = "udxi";
    const uint32_t m = members_of(in, threads, t), yes = lanes_like(in->yes, t, m);
    const uint32_t first = m != 0 ? (uint32_t)__builtin_ctz(m) : 0;
    for (uint32_t i = 0; i < RESULTS; i++)
        want[i] = i == 22 ? in->mask[t]
                  : "vpvpvpvpppp"
                    "vvvpvvvvvpvv"[i] == 'v'
                      ? 0xabcd
                      : 0; /* values and predicates */
    if (!in->on[t])
        return;
    for (uint32_t i = 0; i < 4; i++) {
        bool p;
        want[2 * i] = shuffled(in, t, m, modes[i], &p);
        want[2 * i + 1] = p;
    }
    model_votes(in, t, active_of(in, threads, t), want);
    want[12] = want[22] = lanes_like(in->b, t, m);
    want[14] = yes == m; /* of equal values: the predicates are the values here */
    want[13] = want[14] ? m : 0;
    for (uint32_t i = 0; i < 4; i++)
        want[15 + i] = reduced(in, t, m, i);
    want[19] = first;
    want[20] = m != 0 && first == t % 32;
    want[21] = active_of(in, threads, t);
}

static uint64_t checked;

static void check_across(const struct inputs *in, uint32_t threads, uint64_t seed)
{
    struct rig *r = new_rig();
    r->config.core_convergence = CW_CONVERGENCE_IGNORE; /* masks name lanes that do not come */
    create_machine(r);
    const uint32_t *const column[IN_COUNT] = {in->v, in->mask, in->b, in->c, in->on, in->yes};
    for (uint32_t i = 0; i < IN_COUNT; i++)
        for (uint32_t t = 0; t < THREADS; t++)
            set_word(r, STEP * i + t, column[i][t]);
    load(r, across);
    prepare(r, threads, 1);
    run(r);
    assert_string_equal(r->fault_text, "");
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t want[RESULTS];
        model(in, threads, t, want);
        for (uint32_t i = 0; i < RESULTS; i++, checked++)
            if (word(r, STEP * (IN_COUNT + i) + t) != want[i])
                fail_msg("seed %llu thread %u result %u: 0x%x, not 0x%x", (unsigned long long)seed, t, i,
                         word(r, STEP * (IN_COUNT + i) + t), want[i]);
    }
    destroy_rig(r);
}

enum masks { TILES, COLOURS, BEYOND, ANY, UNIFORM, MASK_KINDS };

/* Masks of a warp: tiles of 1 to 32 lanes; disjoint sets of any lanes; the same with lanes that do not execute it; a few masks, in which
 * lanes name others and not themselves; one of all lanes. */
static void make_masks(struct cw_rng *rng, struct inputs *in, uint32_t warp, enum masks kind)
{
    const uint32_t tile = 1u << cw_rng_below(rng, 6), colours = 1 + cw_rng_below(rng, 5);
    uint32_t colour[32], set[5] = {0}, pool[3];
    for (uint32_t i = 0; i < 3; i++)
        pool[i] = (uint32_t)cw_rng_next(rng);
    for (uint32_t l = 0; l < 32; l++) {
        colour[l] = cw_rng_below(rng, colours);
        set[colour[l]] |= in->on[32 * warp + l] || kind == BEYOND ? 1u << l : 0;
    }
    for (uint32_t l = 0; l < 32; l++) {
        const uint32_t t = 32 * warp + l;
        const uint32_t tiles = (tile == 32 ? UINT32_MAX : (1u << tile) - 1) << l / tile * tile;
        in->mask[t] = kind == TILES ? tiles : kind == ANY ? pool[cw_rng_below(rng, 3)] : kind == UNIFORM ? UINT32_MAX : set[colour[l]];
    }
}

static void test_core_lanes__groups_of_lanes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct inputs in;
        struct cw_rng rng;
        cw_rng_seed(&rng, seed);
        for (uint32_t t = 0; t < THREADS; t++) {
            static const uint32_t segments[] = {0x1f, 0x181f, 0x1c1f, 0x101f, 0x1e1f, 0, 0x1800, 7};
            in.v[t] = (uint32_t)cw_rng_next(&rng);
            in.b[t] = seed % 3 == 0 ? cw_rng_below(&rng, 32) : seed % 3 == 1 ? 1u << cw_rng_below(&rng, 2) : 4;
            in.c[t] = segments[(seed + (seed % 2) * t) % 8];
            in.on[t] = seed % 4 == 0 || cw_rng_below(&rng, 4) != 0;
            in.yes[t] = cw_rng_below(&rng, 1 + (uint32_t)(seed % 3)) == 0;
        }
        for (uint32_t w = 0; w < THREADS / 32; w++)
            make_masks(&rng, &in, w, (enum masks)((seed + w) % MASK_KINDS));
        check_across(&in, seed % 5 == 0 ? 203 : THREADS, seed);
    }
    print_message("%llu words compared\n", (unsigned long long)checked);
    assert_true(checked > 300000);
}

/* A tile's lane reads beyond its segment: it keeps its own value, which is in range of no notice. */
static void test_core_lanes__what_is_absent_reads_zero_and_is_told_once(void **state)
{
    (void)state;
    static const char text[] =
        PTX_HEAD ENTRY "mov.u32 %r1, 5; L: shfl.sync.down.b32 %r2, %n, 8, 31, -1; sub.u32 %r1, %r1, 1;\n"
                       "setp.ne.u32 %p1, %r1, 0; @%p1 bra L;\nadd.u32 %r2, %r2, 1000; st.global.u32 [%e], %r2; ret; }";
    struct rig *r = run_kernel(new_rig(), text, 48, 1);
    for (uint32_t n = 0; n < 48;
         n++) /* 24 to 31 and 40 to 47: the first warp's last lanes are out of range, the second's partners are not there */
        assert_int_equal(word(r, n), 1000 + (n < 24 ? n + 8 : n < 32 ? n : n < 40 ? n + 8 : 0));
    assert_int_equal(r->notices, 1);
    assert_non_null(strstr(r->notice_text, "kernel k: k.ptx:"));
    assert_non_null(strstr(r->notice_text, "block (0, 0, 0) thread (40, 0, 0), lane 8: shfl reads lane 16, which does not take part"));
    destroy_rig(r);
    r = run_kernel(new_rig(), PTX_HEAD ENTRY "vote.sync.ballot.b32 %r2, 1, 0xfffffff0; st.global.u32 [%e], %r2; ret; }", 32, 1);
    assert_int_equal(word(r, 0), 0xfffffff0);
    assert_int_equal(word(r, 9), 0xfffffff0);
    assert_int_equal(r->notices, 1);
    assert_non_null(strstr(r->notice_text, "thread (0, 0, 0), lane 0: the membermask 0xfffffff0 of vote does not name the lane itself"));
    destroy_rig(r);
    r = run_kernel(new_rig(), PTX_HEAD ENTRY "mov.u32 %r1, %lanemask_lt; vote.sync.ballot.b32 %r2, 1, %r1; st.global.u32 [%e], %r2; ret; }",
                   32, 1);
    for (uint32_t n = 0; n < 32; n++) /* a prefix sum of a public program: no lane names itself, and each gets the lanes below it */
        assert_int_equal(word(r, n), (1u << n) - 1);
    destroy_rig(r);
    r = run_kernel(new_rig(), PTX_HEAD ENTRY "shfl.sync.up.b32 %r2, %n, 1, 0, -1; st.global.u32 [%e], %r2; ret; }", 64, 2);
    assert_int_equal(r->notices, 0); /* all partners are there, or out of range */
    destroy_rig(r);
}

/* ---- barriers ---- */

/* Warps go in pairs, each with a barrier of its own number and count, read from registers; the warps of a pair hand each other a word. */
static void test_core_lanes__each_warp_names_its_barrier(void **state)
{
    (void)state;
    static const char text[] = PTX_HEAD
        ".shared .align 4 .b8 s[2048];\n" ENTRY
        "mov.u32 %r1, s; shl.b32 %r2, %t, 2; add.u32 %r1, %r1, %r2; xor.b32 %r2, %r2, 128; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;\n"
        "shr.u32 %r4, %t, 6; add.u32 %r4, %r4, 1; mov.u32 %r5, 64; st.shared.u32 [%r1], %n; bar.sync %r4, %r5;\n"
        "ld.shared.u32 %r6, [%r3]; add.u32 %r6, %r6, 7; st.global.u32 [%e], %r6; ret; }";
    struct rig *r = run_kernel(new_rig(), text, 256, 1);
    for (uint32_t n = 0; n < 256; n++)
        assert_int_equal(word(r, n), (n ^ 32) + 7);
    destroy_rig(r);
}

static void faults(const char *body, const char *expected)
{
    char text[2048];
    struct rig *r = new_rig();
    snprintf(text, sizeof text, "%s%s st.global.u32 [%%e], %%r1; ret; }", PTX_HEAD ENTRY, body);
    create_machine(r);
    load(r, text);
    prepare(r, 64, 1);
    run(r);
    if (strstr(r->fault_text, expected) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", r->fault_text, expected);
    assert_int_equal(r->fault, CW_EFAULT);
    destroy_rig(r);
}

static void test_core_lanes__a_warp_that_names_two_barriers(void **state)
{
    (void)state;
    faults("setp.lt.u32 %p1, %t, 5; selp.u32 %r1, 3, 4, %p1; barrier.sync %r1;",
           "thread (5, 0, 0): the thread comes to barrier 4, and others of its warp to barrier 3");
    faults("setp.lt.u32 %p1, %t, 5; selp.u32 %r1, 32, 64, %p1; bar.sync 2, %r1;",
           "thread (5, 0, 0): the thread says that barrier 2 has 64 threads, and others of its warp say 32");
    faults("setp.lt.u32 %p1, %t, 5; selp.u32 %r1, 3, 16, %p1; bar.sync %r1;", "thread (5, 0, 0): barrier number above 15");
    faults("mov.u32 %r1, 16; bar.sync %r1;", "thread (0, 0, 0): barrier number above 15");
}

/* ---- other operands ---- */

/* Random words, of each thread others: %r1 .. %r4. Results are stored from word 4 STEP on. */
#define FOUR                                                                                                             \
    "ld.global.u32 %r1, [%e]; ld.global.u32 %r2, [%e+2048]; ld.global.u32 %r3, [%e+4096]; ld.global.u32 %r4, [%e+6144];" \
    "add.u64 %d1, %e, 8192;\n"
#define OUT "st.global.u32 [%d1], %r9; add.u64 %d1, %d1, 2048;\n"

static struct rig *run_four(const char *body, uint32_t below, uint32_t threads)
{
    char text[4096];
    struct rig *r = new_rig();
    struct cw_rng rng;
    cw_rng_seed(&rng, 77);
    snprintf(text, sizeof text, "%s%s ret; }",
             PTX_HEAD ".shared .align 8 .b8 s[4096];\n.const .align 4 .u32 kc[8] = {9, 8, 7, 6, 5, 4, 3, 2};\n" ENTRY FOUR, body);
    create_machine(r);
    for (uint32_t i = 0; i < 4 * STEP; i++)
        set_word(r, i, below != 0 ? cw_rng_below(&rng, below) : (uint32_t)cw_rng_next(&rng));
    load(r, text);
    prepare(r, threads, 1);
    run(r);
    assert_string_equal(r->fault_text, "");
    return r;
}

static uint32_t operand(uint32_t i, uint32_t t)
{
    struct cw_rng rng;
    uint32_t v = 0;
    cw_rng_seed(&rng, 77);
    for (uint32_t n = 0; n <= STEP * i + t; n++)
        v = (uint32_t)cw_rng_next(&rng);
    return v;
}

static uint32_t permuted(uint32_t a, uint32_t b, uint32_t selector)
{
    uint32_t r = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t s = selector >> 4 * i & 15, from = (s & 4) != 0 ? b : a, byte = from >> 8 * (s & 3) & 255;
        r |= ((s & 8) == 0 ? byte : (byte & 128) != 0 ? 255u : 0u) << 8 * i;
    }
    return r;
}

static uint32_t field(uint32_t a, uint32_t at, uint32_t bits)
{
    const uint64_t mask = bits >= 32 ? UINT32_MAX : (UINT64_C(1) << bits) - 1;
    return at >= 32 ? 0 : (uint32_t)(a >> at & mask);
}

static uint32_t top_bit(uint32_t a)
{
    uint32_t n = 0;
    while (n < 32 && (a >> (31 - n) & 1) == 0)
        n++;
    return n < 32 ? n : UINT32_MAX;
}

static void test_core_lanes__selectors_and_amounts(void **state)
{
    (void)state;
    struct rig *r =
        run_four("prmt.b32 %r9, %r1, %r2, %r3;" OUT "shf.l.wrap.b32 %r9, %r1, %r2, %r3;" OUT "and.b32 %r5, %r3, 31; and.b32 %r6, "
                 "%r4, 31; bfe.u32 %r9, %r1, %r5, %r6;" OUT "bfi.b32 %r9, %r1, %r2, %r5, %r6;" OUT
                 "shr.u32 %r7, %r1, %r5; bfind.shiftamt.u32 %r9, %r7;" OUT "setp.lt.u32 %p1, %r5, 7; slct.u32.s32 %r9, %r1, %r2, "
                 "%r3; @%p1 selp.u32 %r9, %r3, %r4, %p1;" OUT,
                 0, 96);
    for (uint32_t t = 0; t < 96; t++) {
        const uint32_t a = operand(0, t), b = operand(1, t), c = operand(2, t), at = c % 32, bits = operand(3, t) % 32;
        const uint32_t mask = field(UINT32_MAX, 0, bits) << at;
        const uint32_t want[] = {permuted(a, b, c),  (uint32_t)(((uint64_t)b << 32 | a) << at >> 32),
                                 field(a, at, bits), (b & ~mask) | (a << at & mask),
                                 top_bit(a >> at),   at < 7 ? c : (int32_t)c >= 0 ? a : b};
        for (uint32_t i = 0; i < 6; i++)
            if (word(r, STEP * (4 + i) + t) != want[i])
                fail_msg("thread %u result %u: 0x%x, not 0x%x", t, i, word(r, STEP * (4 + i) + t), want[i]);
    }
    destroy_rig(r);
}

/* Each lane goes its way through a table of targets, some of which are one. */
static void test_core_lanes__indices_of_a_branch_table(void **state)
{
    (void)state;
    struct rig *r =
        run_four("mov.u32 %r9, 5; ts: .branchtargets A, B, C, A, D; brx.idx %r1, ts;\n"
                 "A: add.u32 %r9, %r9, 100;\nB: add.u32 %r9, %r9, 20; bra E;\nC: add.u32 %r9, %r9, 3; bra E;\nD: mul.lo.u32 %r9, %r9, "
                 "%r2;\nE: " OUT,
                 5, 128);
    struct cw_rng rng;
    uint32_t in[2 * STEP];
    cw_rng_seed(&rng, 77);
    for (uint32_t i = 0; i < 2 * STEP; i++)
        in[i] = cw_rng_below(&rng, 5);
    for (uint32_t t = 0; t < 128; t++) {
        const uint32_t way[] = {125, 25, 8, 125, 5 * in[STEP + t]};
        assert_int_equal(word(r, 4 * STEP + t), way[in[t]]);
    }
    destroy_rig(r);
}

/* Addresses, values and comparands of atomics; spaces of generic addresses; constants. Thread t works on the word (t + 3) % 64 of shared
 * memory, which holds 10 (t + 3); even lanes address a global copy. */
static void test_core_lanes__addresses_and_values_of_memory(void **state)
{
    (void)state;
    struct rig *r = run_four(
        "mov.u32 %r5, s; shl.b32 %r6, %t, 2; add.u32 %r7, %r5, %r6; mul.lo.u32 %r8, %t, 10; st.shared.u32 [%r7], %r8;\n"
        "st.global.u32 [%e+40960], %r8; bar.sync 0;\n"
        "add.u32 %r10, %t, 3; and.b32 %r10, %r10, 63; shl.b32 %r11, %r10, 2; add.u32 %r12, %r5, %r11; cvt.u64.u32 %d2, %r12;\n"
        "cvta.shared.u64 %d3, %d2; cvt.u64.u32 %d4, %r11; add.u64 %d4, %d4, %a; add.u64 %d4, %d4, 40960;\n"
        "and.b32 %r13, %t, 1; setp.eq.u32 %p1, %r13, 0; selp.u64 %d5, %d4, %d3, %p1;\n"
        "ld.u32 %r9, [%d5];" OUT                                                                      /* generic, of either space */
        "isspacep.shared %p2, %d5; selp.u32 %r9, 1, 0, %p2;" OUT                                      /* */
        "atom.add.u32 %r9, [%d5], %t;" OUT                                                            /* */
        "mul.lo.u32 %r14, %r10, 10; add.u32 %r14, %r14, %t; atom.cas.b32 %r9, [%d5], %r14, %r13;" OUT /* all succeed */
        "red.add.u32 [%d5], %t; ld.u32 %r9, [%d5];" OUT                                               /* */
        "mov.u32 %r15, kc; and.b32 %r16, %t, 7; shl.b32 %r16, %r16, 2; add.u32 %r15, %r15, %r16; ld.const.u32 %r9, [%r15];" OUT /* */
        "prefetch.global.L1 [%d4]; mov.u64 %d6, s; mov.u64 %d7, kc; selp.u64 %d8, %d6, %d7, %p1; cvt.u32.u64 %r9, %d8; sub.u32 %r9, %r9, "
        "%r5;\n"
        "mov.u32 %r17, kc; @!%p1 cvt.u32.u64 %r9, %d8; @!%p1 sub.u32 %r9, %r9, %r17; add.u32 %r9, %r9, %t;" OUT,
        0, 64);
    for (uint32_t t = 0; t < 64; t++) {
        const uint32_t old = (t + 3) % 64 * 10, odd = t % 2;
        const uint32_t want[] = {old, odd, old, old + t, odd + t, 9 - t % 8, t};
        for (uint32_t i = 0; i < 7; i++)
            if (word(r, STEP * (4 + i) + t) != want[i])
                fail_msg("thread %u result %u: 0x%x, not 0x%x", t, i, word(r, STEP * (4 + i) + t), want[i]);
    }
    destroy_rig(r);
}

/* A warp sleeps as long as the lane that sleeps longest, wherever that lane is. */
static void test_core_lanes__the_longest_sleep(void **state)
{
    (void)state;
    uint64_t cycles[3];
    for (uint32_t i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "%ssetp.eq.u32 %%p1, %%t, %u; selp.u32 %%r1, %u, 10, %%p1; nanosleep.u32 %%r1; st.global.u32 [%%e], %%n; ret; }",
                 PTX_HEAD ENTRY, i == 0 ? 0 : 29, i == 2 ? 10 : 5000);
        struct rig *r = run_kernel(new_rig(), text, 32, 1);
        cycles[i] = r->cycles;
        destroy_rig(r);
    }
    assert_int_equal(cycles[0], cycles[1]);
    assert_in_range(cycles[1] - cycles[2], 6900, 7000); /* 4,990 ns at 1,400 MHz are 6,986 cycles */
}

/* Two objects in shared memory, for 24 arrivals and for 100: threads 0 to 23 arrive once at the first one, and at the second one even
 * threads twice and odd ones three times. Or each object wants one more, which does not come. */
static void test_core_lanes__mbarriers(void **state)
{
    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "setp.lt.u32 %%p1, %%t, 24; mov.u32 %%r5, s; add.u32 %%r6, %%r5, 8; selp.u32 %%r7, %%r5, %%r6, %%p1; mul.lo.u32 %%r8, %%t, 8;\n"
            "add.u32 %%r8, %%r8, %%r5; setp.lt.u32 %%p2, %%t, 2; setp.eq.u32 %%p3, %%t, 0; selp.u32 %%r10, %u, %u, %%p3;\n"
            "@%%p2 mbarrier.init.shared.b64 [%%r8], %%r10; bar.sync 0; and.b32 %%r11, %%t, 1; setp.eq.u32 %%p4, %%r11, 0;\n"
            "selp.u32 %%r12, 2, 3, %%p4; selp.u32 %%r12, 1, %%r12, %%p1; mbarrier.arrive.shared.b64 %%d2, [%%r7], %%r12; bar.sync 0;\n"
            "mbarrier.test_wait.shared.b64 %%p5, [%%r7], %%d2; selp.u32 %%r9, 1, 0, %%p5;%s",
            24 + more, 100 + more, OUT);
        struct rig *r = run_four(text, 0, 64);
        for (uint32_t t = 0; t < 64; t++)
            assert_int_equal(word(r, 4 * STEP + t), 1 - more);
        destroy_rig(r);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_core_lanes__groups_of_lanes),
    cmocka_unit_test(test_core_lanes__what_is_absent_reads_zero_and_is_told_once),
    cmocka_unit_test(test_core_lanes__each_warp_names_its_barrier),
    cmocka_unit_test(test_core_lanes__a_warp_that_names_two_barriers),
    cmocka_unit_test(test_core_lanes__selectors_and_amounts),
    cmocka_unit_test(test_core_lanes__indices_of_a_branch_table),
    cmocka_unit_test(test_core_lanes__addresses_and_values_of_memory),
    cmocka_unit_test(test_core_lanes__the_longest_sleep),
    cmocka_unit_test(test_core_lanes__mbarriers),
};
CW_TEST_MAIN(tests)
