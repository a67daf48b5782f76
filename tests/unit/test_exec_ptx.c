/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From PTX text to results: one instruction in a kernel made from a template, read by the reader, executed lane by lane. What the
 * hand-built micro-ops of the other tests cannot show: that the reader and the executor mean the same thing.
 */
#include "exec_text.h"

static void test_exec_ptx__integers(void **state)
{
    (void)state;
    static const struct et_case t[] = {
        {"add.s32 %r0, %r1, %r2;", "r0", {5, 0xffffffff}, 4},
        {"add.sat.s32 %r0, %r1, %r2;", "r0", {0x7fffffff, 1}, 0x7fffffff},
        {"add.s64 %l0, %l1, -1;", "l0", {5}, 4},
        {"sub.s16 %h0, %h1, %h2;", "h0", {1, 2}, 0xffff},
        {"mul.lo.s32 %r0, %r1, -3;", "r0", {7}, 0xffffffeb},
        {"mul.hi.u32 %r0, %r1, %r2;", "r0", {0xffffffff, 2}, 1},
        {"mul.hi.s64 %l0, %l1, %l2;", "l0", {UINT64_MAX, 2}, UINT64_MAX},
        {"mul.wide.s32 %l0, %r1, %r2;", "l0", {0xffffffff, 3}, UINT64_MAX - 2},
        {"mul.wide.u16 %r0, %h1, %h2;", "r0", {0xffff, 2}, 0x1fffe},
        {"mad.wide.u32 %l0, %r1, %r2, %l3;", "l0", {0x80000000, 2, 1}, 0x100000001},
        {"mad.lo.s32 %r0, %r1, %r2, %r3;", "r0", {3, 4, 5}, 17},
        {"mad.hi.s32 %r0, %r1, %r2, %r3;", "r0", {0x40000000, 4, 5}, 6},
        {"mul24.lo.s32 %r0, %r1, %r2;", "r0", {0xffffff, 2}, 0xfffffffe},
        {"sad.u32 %r0, %r1, %r2, %r3;", "r0", {3, 9, 1}, 7},
        {"div.s32 %r0, %r1, %r2;", "r0", {0xfffffff9, 2}, 0xfffffffd},
        {"div.u32 %r0, %r1, 0;", "r0", {7}, 0xffffffff},
        {"rem.s64 %l0, %l1, %l2;", "l0", {(uint64_t)-7, 3}, UINT64_MAX},
        {"abs.s32 %r0, %r1;", "r0", {0xfffffffe}, 2},
        {"neg.s16 %h0, %h1;", "h0", {1}, 0xffff},
        {"min.s32 %r0, %r1, %r2;", "r0", {0xffffffff, 1}, 0xffffffff},
        {"max.u64 %l0, %l1, %l2;", "l0", {1, UINT64_MAX}, UINT64_MAX},
        {"and.b32 %r0, %r1, 0xf0;", "r0", {0xff}, 0xf0},
        {"or.b64 %l0, %l1, 0x8000000000000000;", "l0", {1}, 0x8000000000000001},
        {"xor.b16 %h0, %h1, %h2;", "h0", {0xff, 0x0f}, 0xf0},
        {"not.b64 %l0, %l1;", "l0", {0}, UINT64_MAX},
        {"cnot.b32 %r0, %r1;", "r0", {0}, 1},
        {"shl.b64 %l0, %l1, %r2;", "l0", {1, 40}, 0x10000000000},
        {"shl.b32 %r0, %r1, 32;", "r0", {1}, 0},
        {"shr.s32 %r0, %r1, 40;", "r0", {0x80000000}, 0xffffffff},
        {"shr.u16 %h0, %h1, 4;", "h0", {0xf000}, 0x0f00},
        {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", "r0", {0x80000000, 1, 33}, 3},
        {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", "r0", {1, 2, 40}, 2},
        {"lop3.b32 %r0, %r1, %r2, %r3, 0x96;", "r0", {0xf0, 0xcc, 0xaa}, 0x96},
        {"prmt.b32 %r0, %r1, %r2, 0x5410;", "r0", {0x33221100, 0x77665544}, 0x55441100},
        {"prmt.b32.rc8 %r0, %r1, %r2, %r3;", "r0", {0x33221100, 0x77665544, 2}, 0x22222222},
        {"bfe.s32 %r0, %r1, 4, 4;", "r0", {0x80}, 0xfffffff8},
        {"bfe.u64 %l0, %l1, 60, 8;", "l0", {UINT64_MAX}, 15},
        {"bfi.b32 %r0, %r1, %r2, 8, 8;", "r0", {0x5a, 0xffffffff}, 0xffff5aff},
        {"bfi.b64 %l0, %l1, %l2, %r3, %r4;", "l0", {0xff, 1, 56, 8}, 0xff00000000000001},
        {"bfind.u32 %r0, %r1;", "r0", {0x1000}, 12},
        {"bfind.shiftamt.s64 %r0, %l1;", "r0", {1}, 63},
        {"popc.b64 %r0, %l1;", "r0", {UINT64_MAX}, 64},
        {"clz.b32 %r0, %r1;", "r0", {1}, 31},
        {"brev.b32 %r0, %r1;", "r0", {1}, 0x80000000},
        {"fns.b32 %r0, %r1, %r2, %r3;", "r0", {0x110, 0, 2}, 8},
        {"dp4a.s32.u32 %r0, %r1, %r2, %r3;", "r0", {0xffffffff, 0x01010101, 10}, 6},
        {"dp2a.hi.u32.u32 %r0, %r1, %r2, %r3;", "r0", {0x00030002, 0x08070605, 1}, 39},
        {"add.cc.u32 %r5, %r1, %r2; addc.u32 %r0, 0, 0;", "r0", {0xffffffff, 1}, 1},
        {"sub.cc.u64 %l5, %l1, %l2; subc.u64 %l0, 0, 0;", "l0", {1, 2}, UINT64_MAX},
        {"mad.lo.cc.u32 %r5, %r1, %r2, %r3; madc.hi.u32 %r0, %r1, %r2, 0;", "r0", {0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffff},
    };
    ET_CHECK_ALL(t);
}

static void test_exec_ptx__floats(void **state)
{
    (void)state;
    static const struct et_case t[] = {
        {"add.f32 %f0, %f1, 0f3F800000;", "f0", {0x3f800000}, 0x40000000},
        {"add.rz.f32 %f0, %f1, %f2;", "f0", {0x3f800000, 0x33ffffff}, 0x3f800000},
        {"sub.ftz.f32 %f0, %f1, %f2;", "f0", {0x00800001, 0x00800000}, 0},
        {"mul.sat.f32 %f0, %f1, %f1;", "f0", {0x40000000}, 0x3f800000},
        {"fma.rn.f32 %f0, %f1, %f2, %f3;", "f0", {0x3f800001, 0x3f7ffffe, 0xbf800000}, 0xa8800000},
        {"fma.rp.f64 %d0, %d1, %d2, %d3;", "d0", {0x3ff0000000000000, 0x3ff0000000000000, 1}, 0x3ff0000000000001},
        {"mad.rn.f32 %f0, %f1, %f2, %f3;", "f0", {0x40000000, 0x40000000, 0x3f800000}, 0x40a00000},
        {"div.rn.f32 %f0, %f1, %f2;", "f0", {0x3f800000, 0x40400000}, 0x3eaaaaab},
        {"div.approx.f32 %f0, %f1, %f2;", "f0", {0x3f800000, 0x40000000}, 0x3f000000},
        {"div.full.f32 %f0, %f1, %f2;", "f0", {0x3f800000, 0x40000000}, 0x3f000000},
        {"div.rm.f64 %d0, %d1, %d2;", "d0", {0x3ff0000000000000, 0x4008000000000000}, 0x3fd5555555555555},
        {"rcp.approx.f32 %f0, %f1;", "f0", {0x40000000}, 0x3f000000},
        {"rcp.rn.f64 %d0, %d1;", "d0", {0x4000000000000000}, 0x3fe0000000000000},
        {"rcp.approx.ftz.f64 %d0, %d1;", "d0", {0x4008000000000000}, 0x3fd5555500000000},
        {"sqrt.rn.f32 %f0, %f1;", "f0", {0x40800000}, 0x40000000},
        {"sqrt.approx.f32 %f0, %f1;", "f0", {0x40800000}, 0x40000000},
        {"rsqrt.approx.f32 %f0, %f1;", "f0", {0x40800000}, 0x3f000000},
        {"sin.approx.f32 %f0, %f1;", "f0", {0}, 0},
        {"cos.approx.ftz.f32 %f0, %f1;", "f0", {0}, 0x3f800000},
        {"lg2.approx.f32 %f0, %f1;", "f0", {0x41000000}, 0x40400000},
        {"ex2.approx.f32 %f0, %f1;", "f0", {0x40400000}, 0x41000000},
        {"tanh.approx.f32 %f0, %f1;", "f0", {0x7f800000}, 0x3f800000},
        {"min.f32 %f0, %f1, %f2;", "f0", {0x7fc00000, 0x3f800000}, 0x3f800000},
        {"max.f64 %d0, %d1, %d2;", "d0", {0x8000000000000000, 0}, 0},
        {"abs.f32 %f0, %f1;", "f0", {0xbf800000}, 0x3f800000},
        {"neg.f64 %d0, %d1;", "d0", {0}, 0x8000000000000000},
        {"copysign.f32 %f0, %f1, %f2;", "f0", {0x80000000, 0x3f800000}, 0xbf800000},
        {"testp.infinite.f32 %p0, %f1;", "p0", {0x7f800000}, 1},
        {"add.f16 %h0, %h1, %h2;", "h0", {0x3c00, 0x3c00}, 0x4000},
        {"fma.rn.f16 %h0, %h1, %h2, %h3;", "h0", {0x3c01, 0x3bff, 0xbc00}, 0x0ffe},
        {"mul.f16x2 %r0, %r1, %r2;", "r0", {0x40003c00, 0x40003c00}, 0x44003c00},
        {"cvt.rn.f32.s32 %f0, %r1;", "f0", {0xffffffff}, 0xbf800000},
        {"cvt.rzi.s32.f32 %r0, %f1;", "r0", {0xbff33333}, 0xffffffff},
        {"cvt.rni.u32.f32 %r0, %f1;", "r0", {0x40200000}, 2},
        {"cvt.rpi.f32.f32 %f0, %f1;", "f0", {0x3f8ccccd}, 0x40000000},
        {"cvt.f64.f32 %d0, %f1;", "d0", {0x3f800000}, 0x3ff0000000000000},
        {"cvt.rz.f32.f64 %f0, %d1;", "f0", {0x3ff000001fffffff}, 0x3f800000},
        {"cvt.sat.f32.f32 %f0, %f1;", "f0", {0x40000000}, 0x3f800000},
        {"cvt.rn.f16.f32 %h0, %f1;", "h0", {0x3f800000}, 0x3c00},
        {"cvt.f32.f16 %f0, %h1;", "f0", {0x3c00}, 0x3f800000},
        {"cvt.rzi.u64.f64 %l0, %d1;", "l0", {0x43f0000000000000}, UINT64_MAX},
    };
    ET_CHECK_ALL(t);
}

static void test_exec_ptx__moves_and_tests(void **state)
{
    (void)state;
    static const struct et_case t[] = {
        {"mov.u32 %r0, 0xdeadbeef;", "r0", {0}, 0xdeadbeef},
        {"mov.u64 %l0, 0x123456789abcdef0;", "l0", {0}, 0x123456789abcdef0},
        {"mov.b64 %l0, {%r1, %r2};", "l0", {0x89abcdef, 0x01234567}, 0x0123456789abcdef},
        {"mov.b64 {%r5, %r0}, %l1;", "r0", {0x0123456789abcdef}, 0x01234567},
        {"mov.b32 %r0, {%h1, %h2};", "r0", {0x1111, 0x2222}, 0x22221111},
        {"mov.b32 %r0, %f1;", "r0", {0x3f800000}, 0x3f800000},
        {"mov.u32 %r0, %laneid;", "r0", {0}, 19},
        {"mov.u32 %r0, %lanemask_lt;", "r0", {0}, 0x7ffff},
        {"mov.u32 %r0, %smid;", "r0", {0}, 3},
        {"cvt.u32.u16 %r0, %h1;", "r0", {0x12348765}, 0x8765},
        {"cvt.s32.s16 %r0, %h1;", "r0", {0x8765}, 0xffff8765},
        {"cvt.s64.s32 %l0, %r1;", "l0", {0x80000000}, 0xffffffff80000000},
        {"cvt.s32.s8 %r0, %r1;", "r0", {0x1280}, 0xffffff80},
        {"cvt.u8.u32 %r0, %r1;", "r0", {0x1234}, 0x34},
        {"cvt.sat.u8.s32 %r0, %r1;", "r0", {0x1234}, 0xff},
        {"setp.lt.s32 %p0, %r1, %r2;", "p0", {0xffffffff, 1}, 1},
        {"setp.lo.u32 %p0, %r1, %r2;", "p0", {0xffffffff, 1}, 0},
        {"setp.hi.u32 %p0, %r1, %r2;", "p0", {0xffffffff, 1}, 1},
        {"setp.gtu.f32 %p0, %f1, %f2;", "p0", {0x7fc00000, 1}, 1},
        {"setp.ne.f64 %p0, %d1, %d2;", "p0", {UINT64_C(0x7ff8000000000000), 0}, 0},
        {"setp.eq.and.u32 %p0|%p3, %r1, %r1, %p2;", "p0", {1, 0}, 0},
        {"setp.eq.or.u32 %p3|%p0, %r1, %r1, %p2;", "p0", {1, 7}, 1},
        {"setp.eq.u32 %p3|%p0, %r1, %r2;", "p0", {1, 7}, 1},
        {"setp.eq.xor.s16 %p0, %h1, %h2, !%p1;", "p0", {1, 1}, 1},
        {"setp.num.f32 %p0, %f1, %f2;", "p0", {0, 0x7fc00000}, 0},
        {"set.lt.u32.f32 %r0, %f1, %f2;", "r0", {0, 0x3f800000}, 0xffffffff},
        {"set.gt.f32.s32 %f0, %r1, %r2;", "f0", {5, 4}, 0x3f800000},
        {"selp.b32 %r0, %r1, %r2, %p2;", "r0", {5, 0}, 0},
        {"selp.f64 %d0, %d1, %d2, %p1;", "d0", {5, 6}, 5},
        {"slct.u32.s32 %r0, %r1, %r2, %r3;", "r0", {5, 6, 0x80000000}, 6},
        {"slct.f32.f32 %f0, %f1, %f2, %f3;", "f0", {5, 6, 0}, 5},
        {"and.pred %p0, %p1, %p2;", "p0", {1, 0}, 0},
        {"xor.pred %p0, %p1, %p2;", "p0", {1, 0}, 1},
        {"not.pred %p0, %p2;", "p0", {1, 0}, 1},
        {"mov.u32 %r0, 7; @%p2 mov.u32 %r0, 8;", "r0", {1, 0}, 7},
        {"mov.u32 %r0, 7; @!%p2 mov.u32 %r0, 8;", "r0", {1, 0}, 8},
        {"cvta.shared.u64 %l0, %l1;", "l0", {16}, CW_SHARED_WINDOW + 16},
        {"cvta.to.shared.u64 %l0, %l1;", "l0", {CW_SHARED_WINDOW + 16}, 16},
        {"cvta.to.global.u64 %l0, %l1;", "l0", {CW_GLOBAL_BASE}, CW_GLOBAL_BASE},
        {"cvta.param.u64 %l0, %l1;", "l0", {24}, CW_PARAM_WINDOW + 24},
        {"cvta.param::entry.u64 %l0, %l1;", "l0", {8}, CW_PARAM_WINDOW + 8},
        {"cvta.to.param.u64 %l0, %l1;", "l0", {CW_PARAM_WINDOW + 24}, 24},
        {"isspacep.param %p0, %l1;", "p0", {CW_PARAM_WINDOW + 8}, 1},
        {"isspacep.param::entry %p0, %l1;", "p0", {CW_CONST_WINDOW}, 0},
        {"isspacep.const %p0, %l1;", "p0", {CW_PARAM_WINDOW}, 0},
        {"isspacep.shared %p0, %l1;", "p0", {CW_SHARED_WINDOW}, 1},
        {"isspacep.global %p0, %l1;", "p0", {CW_SHARED_WINDOW}, 0},
    };
    ET_CHECK_ALL(t);
}

static void test_exec_ptx__across_lanes(void **state)
{
    (void)state;
    static const struct et_case t[] = {
        {"mov.u32 %r5, %laneid; shfl.sync.bfly.b32 %r0, %r5, 1, 31, -1;", "r0", {0}, 18},
        {"mov.u32 %r5, %laneid; shfl.sync.up.b32 %r0|%p3, %r5, %r1, 0, 0xffffffff;", "r0", {19}, 0},
        {"mov.u32 %r5, %laneid; shfl.sync.down.b32 %r6|%p0, %r5, 13, 31, -1;", "p0", {0}, 0},
        {"mov.u32 %r5, %laneid; shfl.sync.idx.b32 %r0, %r5, 3, 31, -1;", "r0", {0}, 3},
        {"mov.u32 %r5, %laneid; setp.gt.u32 %p3, %r5, 19; vote.sync.ballot.b32 %r0, %p3, -1;", "r0", {0}, 0xfff00000},
        {"mov.u32 %r5, %laneid; setp.gt.u32 %p3, %r5, 19; vote.sync.any.pred %p0, %p3, -1;", "p0", {0}, 1},
        {"mov.u32 %r5, %laneid; setp.gt.u32 %p3, %r5, 19; vote.sync.all.pred %p0, %p3, -1;", "p0", {0}, 0},
        {"mov.u32 %r5, %laneid; and.b32 %r5, %r5, 7; match.any.sync.b32 %r0, %r5, -1;", "r0", {0}, 0x08080808},
        {"match.all.sync.b32 %r0|%p0, %r1, -1;", "p0", {4}, 1},
        {"activemask.b32 %r0;", "r0", {0}, 0xffffffff},
    };
    ET_CHECK_ALL(t);
}

/* Forms that ptxas takes beside those of the ISA's own notation, and instructions of later versions. Results by the ISA's pseudocode. */
static void test_exec_ptx__other_forms(void **state)
{
    (void)state;
    static const struct et_case t[] = {
        {"{.reg.b16 low, high; mov.b32 {low, high}, %r1; mov.b32 %r0, {high, low};}", "r0", {0x12345678}, 0x56781234},
        {"bmsk.clamp.b32 %r0, %r1, %r2;", "r0", {4, 8}, 0xff0},
        {"bmsk.clamp.b32 %r0, %r1, %r2;", "r0", {28, 8}, 0xf0000000},
        {"bmsk.clamp.b32 %r0, %r1, %r2;", "r0", {32, 8}, 0},
        {"bmsk.clamp.b32 %r0, %r1, %r2;", "r0", {4, 40}, 0xfffffff0},
        {"bmsk.clamp.b32 %r0, %r1, %r2;", "r0", {4, 0}, 0},
        {"bmsk.wrap.b32 %r0, %r1, %r2;", "r0", {36, 40}, 0xff0},
        {"bmsk.wrap.b32 %r0, 0, 32;", "r0", {0}, 0},
        {"szext.clamp.s32 %r0, %r1, %r2;", "r0", {0xf8, 4}, 0xfffffff8},
        {"szext.clamp.u32 %r0, %r1, %r2;", "r0", {0xf8, 4}, 8},
        {"szext.clamp.s32 %r0, %r1, %r2;", "r0", {0x7fffffff, 32}, 0x7fffffff},
        {"szext.wrap.s32 %r0, %r1, %r2;", "r0", {0x7fffffff, 32}, 0},
        {"szext.wrap.s32 %r0, %r1, %r2;", "r0", {3, 33}, 0xffffffff},
        {"lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0x80, %p3;", "r0", {0xf0, 0xcc, 0xaa}, 0x80},
        {"setp.eq.u32 %p3, 1, 1; lop3.or.b32 %r5|%p0, %r1, %r2, %r3, 0x80, !%p3;", "p0", {0xf0, 0xcc, 0xaa}, 1},
        {"setp.eq.u32 %p3, 1, 1; lop3.and.b32 _|%p0, %r1, %r2, %r3, 0x80, %p3;", "p0", {0x30, 0xcc, 0x2a}, 0},
        {"setp.eq.u32 %p3, 1, 1; lop3.and.b32 _|%p0, %r1, %r2, %r3, 0x80, %p3;", "p0", {0xf0, 0xcc, 0xaa}, 1},
        {"mov.u32 %r0, %envreg2;", "r0", {0}, 0},
        {"mov.b32 %r5, 7; add.u32 %r0, %r5, %envreg31;", "r0", {0}, 7},
        {"mov.u32 %r0, %cluster_nctarank;", "r0", {0}, 1},
        {"mov.u32 %r0, %cluster_ctarank;", "r0", {0}, 0},
        {"cvt.rn.f16x2.f32 %r0, %f1, %f2;", "r0", {0x3f800000, 0x40000000}, 0x3c004000},
        {"cvt.rz.f16x2.f32 %r0, %f1, %f2;", "r0", {0x3f801fff, 0xbf801fff}, 0x3c00bc00},
        {"ex2.approx.f16 %h0, %h1;", "h0", {0x4200}, 0x4800},
        {"ex2.approx.f16x2 %r0, %r1;", "r0", {0x42000000}, 0x48003c00},
        {"tanh.approx.f16 %h0, %h1;", "h0", {0x7c00}, 0x3c00},
        {"tanh.approx.f16x2 %r0, %r1;", "r0", {0x7c00fc00}, 0x3c00bc00},
        {"setp.lt.f16x2 %p0|%p3, %r1, %r2;", "p0", {0x40003c00, 0x3c004000}, 1},
        {"setp.lt.f16x2 %p3|%p0, %r1, %r2;", "p0", {0x40003c00, 0x3c004000}, 0},
        {"set.lt.f16.f16 %h0, %h1, %h2;", "h0", {0x3c00, 0x4000}, 0x3c00},
        {"set.gtu.u32.f16 %r0, %h1, %h2;", "r0", {0x7e00, 0x4000}, 0xffffffff},
        {"mov.u32 %r5, %laneid; setp.gt.u32 %p3, %r5, 19; vote.ballot.sync.b32 %r0, %p3, -1;", "r0", {0}, 0xfff00000},
        {"mov.u32 %r5, %laneid; setp.gt.u32 %p3, %r5, 19; vote.any.sync.pred %p0, %p3, -1;", "p0", {0}, 1},
        {"elect.sync %r0|%p0, 0x00080010;", "r0", {0}, 4},
        {"elect.sync _|%p0, 0xfff80000;", "p0", {0}, 1}, /* of lane 19 */
        {"elect.sync _|%p0, -1;", "p0", {0}, 0},
        {"mov.u32 %r0, 5; fence.proxy.alias; griddepcontrol.wait;", "r0", {0}, 5},
    };
    ET_CHECK_ALL(t);
}

/* Constants of more bits than the operand has: the lower ones count. Modifiers in any order. */
static void test_exec_ptx__constants_and_orders(void **state)
{
    (void)state;
    static const struct et_case t[] = {
        {"add.cc.u32 %r5, 0xffffffffffffffffU, 1; addc.u32 %r0, 0, 0;", "r0", {0}, 1},
        {"add.u32 %r0, %r1, 0x300000007;", "r0", {5}, 12},
        {"sub.u16 %h0, %h1, 0x70003;", "h0", {5}, 2},
        {"mov.u64 %l0, 0x1fffffffffffffff5;", "l0", {0}, 0xfffffffffffffff5},
        {"mov.u64 %l0, 18446744073709551618;", "l0", {0}, 2},
        {"mov.s32 %r0, -2147483649;", "r0", {0}, 0x7fffffff},
        {"lop3.b32 %r0, %r1, %r2, %r3, 0x196;", "r0", {0xf0, 0xcc, 0xaa}, 0x96},
        {"shl.b32 %r0, %r1, 0x100000003;", "r0", {1}, 8},
        {"mul.wide.u16 %r0, %h1, 0x17777;", "r0", {2}, 0xeeee},
        {"mov.b64 %l0, {%r1, 0x1fffffffe};", "l0", {3}, 0xfffffffe00000003},
        {"mov.u32 %r0, 0b101;", "r0", {0}, 5},
        {"mov.u32 %r0, 017U;", "r0", {0}, 15},
        {"add.u32 %r0, %r1, -017;", "r0", {20}, 5},
        {"mov.f32 %f0, .5;", "f0", {0}, 0x3f000000},
        {"mov.pred %p0, !%p1;", "p0", {0}, 1},
        {"div.ftz.rn.f32 %f0, %f1, %f2;", "f0", {0x00800000, 0x40000000}, 0},
        {"div.rn.f32 %f0, %f1, %f2;", "f0", {0x00800000, 0x40000000}, 0x00400000},
        {"add.sat.ftz.rz.f32 %f0, %f1, %f2;", "f0", {0x3f800000, 0x3f800000}, 0x3f800000},
        {"add.f32.rz %f0, %f1, %f2;", "f0", {0x3f800000, 0x33ffffff}, 0x3f800000},
        {"fma.sat.rn.ftz.f32 %f0, %f1, %f2, %f3;", "f0", {0x40000000, 0x40000000, 0}, 0x3f800000},
        {"rcp.ftz.approx.f32 %f0, %f1;", "f0", {0x40000000}, 0x3f000000},
        {"sqrt.ftz.rn.f32 %f0, %f1;", "f0", {0x40800000}, 0x40000000},
        {"setp.ftz.lt.f32 %p0, %f1, %f2;", "p0", {0, 1}, 0},
        {"setp.lt.f32 %p0, %f1, %f2;", "p0", {0, 1}, 1},
        {"setp.and.lt.s32 %p0, %r1, %r2, %p2;", "p0", {0xffffffff, 1}, 1},
        {"setp.s32.lt %p0, %r1, %r2;", "p0", {0xffffffff, 1}, 1},
        {"set.u32.ftz.lt.f32 %r0, %f1, %f2;", "r0", {0, 1}, 0},
        {"set.f32.gt.s32 %f0, %r1, %r2;", "f0", {5, 4}, 0x3f800000},
        {"cvt.f32.s32.rn %f0, %r1;", "f0", {0xffffffff}, 0xbf800000},
        {"cvt.ftz.rzi.s32.f32 %r0, %f1;", "r0", {0xbff33333}, 0xffffffff},
        {"cvt.sat.rn.f32.f64 %f0, %d1;", "f0", {0x4000000000000000}, 0x3f800000},
        {"max.NaN.ftz.f32 %f0, %f1, %f2;", "f0", {0x7fc00000, 1}, 0x7fffffff},
        {"prmt.rc8.b32 %r0, %r1, %r2, %r3;", "r0", {0x33221100, 0x77665544, 2}, 0x22222222},
        {"add.s32.sat %r0, %r1, %r2;", "r0", {0x7fffffff, 1}, 0x7fffffff},
    };
    ET_CHECK_ALL(t);
}

static void test_exec_ptx__vector_registers(void **state)
{
    (void)state;
    static const struct et_case t[] = {
        {".reg .v4 .u32 v, w; mov.u32 v.x, %r1; mov.u32 v.y, %r2; mov.u32 v.z, %r3; mov.u32 v.w, %r4; mov.v4.u32 w, {v.y, v.x, v.w, v.z};"
         "mov.v4.u32 v, w; sub.u32 %r0, v.r, v.a;",
         "r0",
         {3, 50, 7, 9},
         43},
        {"mov.v2.u32 {%r1, %r2}, {%r2, %r1}; sub.u32 %r0, %r1, %r2;", "r0", {5, 3}, 0xfffffffe},
        {"mov.u32.v2 {%r1, _}, {%r2, 9}; mov.u32 %r0, %r1;", "r0", {5, 3}, 3},
        {"mov.v4.f32 {%f1, %f2, %f3, %f0}, {%f4, %f1, %f2, 1.0};", "f0", {5, 3}, 0x3f800000},
        {"mov.v2.u64 {%l1, %l0}, {%l2, %l1};", "l0", {11, 12}, 11},
        {"mov.v2.b16 {%h1, %h0}, {%h2, %h1};", "h0", {11, 12}, 11},
        {".reg .v2 .b32 v; mov.b64 v, %l1; mov.u32 %r0, v.y;", "r0", {0x0123456789abcdef}, 0x01234567},
        {".reg .v2 .b32 v; mov.b32 v.g, %r1; mov.b32 v.r, %r2; mov.b64 %l0, v;", "l0", {0x11, 0x22}, 0x1100000022},
        {".reg .v4 .b16 %v<4>; mov.b16 %v3.x, %h1; mov.b16 %v3.y, 2; mov.b16 %v3.z, 3; mov.b16 %v3.w, 4; mov.b16 %v2.w, 9; mov.b64 %l0, "
         "%v3;",
         "l0",
         {0x1},
         0x0004000300020001},
        {".reg .v2 .f64 v; mov.f64 v.y, %d1; mov.f64 v.x, %d2; mov.f64 %d0, v.y;", "d0", {77, 78}, 77},
        {".reg .v2 .u32 v; mov.u32 v.x, 1; { .reg .v2 .u32 v; mov.u32 v.x, 2; } mov.u32 %r0, v.x;", "r0", {0}, 1},
        {".reg .b128 q; mov.b128 q, {%l1, %l2}; mov.b128 {%l3, %l0}, q;", "l0", {1, 7}, 7},
        {".reg .b128 q; mov.b128 q, {%r1, %r2, %r3, %r4}; mov.b128 {%l0, %l1}, q;", "l0", {1, 2, 3, 4}, 0x200000001},
        {".reg .b128 q, s<3>; mov.b128 q, {%l1, %l2}; mov.b128 s2, q; mov.b128 {%r5, %r6, %r0, %r7}, s2;", "r0", {1, 0x800000007}, 7},
        {".reg .b128 q; .reg .v2 .b64 v; mov.b64 v.x, %l1; mov.b64 v.y, %l2; mov.b128 q, v; mov.b128 {v.y, v.x}, q; mov.b64 %l0, v.x;",
         "l0",
         {5, 6},
         6},
        {"mov.v4.u32 {%r5, %r6, %r7, %r0}, %ntid;", "r0", {0}, 0},
    };
    ET_CHECK_ALL(t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_exec_ptx__other_forms),      cmocka_unit_test(test_exec_ptx__integers),
    cmocka_unit_test(test_exec_ptx__floats),           cmocka_unit_test(test_exec_ptx__moves_and_tests),
    cmocka_unit_test(test_exec_ptx__across_lanes),     cmocka_unit_test(test_exec_ptx__constants_and_orders),
    cmocka_unit_test(test_exec_ptx__vector_registers),
};

CW_TEST_MAIN(tests)
