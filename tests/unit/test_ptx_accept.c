/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which instructions the reader takes. The forms are those of the PTX ISA's syntax boxes, one template per box: %T stands for each of the
 * listed types, %d %a %b %c for registers of that type, %w for one of twice the width.
 */
#include "exec/exec.h"
#include "ptx_fixture.h"

struct form {
    const char *text, *types;
};

#define INTS "u16 s16 u32 s32 u64 s64"
#define BITS "b16 b32 b64"
#define CMPS INTS " b16 b32 b64 f32 f64"

static const struct form accepted[] = {
    {"add.%T %d, %a, %b", INTS},
    {"add.sat.%T %d, %a, -1", "s32"},
    {"add.cc.%T %d, %a, %b", "u32 s32 u64 s64"},
    {"addc.%T %d, %a, %b", "u32 s32 u64 s64"},
    {"addc.cc.%T %d, %a, %b", "u32 s32 u64 s64"},
    {"add.%T %d, %a, %b", "f32 f64"},
    {"add.rn.%T %d, %a, %b", "f32 f64"},
    {"add.rz.%T %d, %a, %b", "f32 f64"},
    {"add.rm.%T %d, %a, %b", "f32 f64"},
    {"add.rp.%T %d, %a, %b", "f32 f64"},
    {"add.ftz.%T %d, %a, %b", "f32"},
    {"add.rn.ftz.sat.%T %d, %a, 1.5", "f32"},
    {"add.%T %d, %a, %b", "f16 f16x2"},
    {"sub.rn.ftz.sat.%T %d, %a, %b", "f16 f16x2"},
    {"mul.%T %d, %a, %b", "f16 f16x2"},
    {"fma.rn.ftz.%T %d, %a, %b, %c", "f16 f16x2"},
    {"neg.%T %d, %a", "f16 f16x2"},
    {"abs.ftz.%T %d, %a", "f16 f16x2"},
    {"min.%T %d, %a, %b", "f16 f16x2"},
    {"max.ftz.NaN.%T %d, %a, %b", "f16 f16x2"},
    {"setp.geu.%T %p1, %a, %b", "f16"},
    {"sub.%T %d, %a, %b", INTS " f32 f64"},
    {"sub.sat.%T %d, %a, %b", "s32 f32"},
    {"sub.cc.%T %d, %a, %b", "u32 s32 u64 s64"},
    {"subc.cc.%T %d, %a, %b", "u32 s32 u64 s64"},
    {"subc.%T %d, %a, 7", "u32 s32"},
    {"sub.rz.ftz.%T %d, %a, %b", "f32"},
    {"mul.lo.%T %d, %a, %b", INTS},
    {"mul.hi.%T %d, %a, %b", INTS},
    {"mul.wide.%T %w, %a, %b", "u16 s16 u32 s32"},
    {"mul.%T %d, %a, %b", "f32 f64"},
    {"mul.rn.ftz.%T %d, %a, 0f3F800000", "f32"},
    {"mul.sat.%T %d, %a, %b", "f32"},
    {"mul.rm.%T %d, %a, %b", "f64"},
    {"mad.lo.%T %d, %a, %b, %c", INTS},
    {"mad.hi.%T %d, %a, %b, %c", INTS},
    {"mad.wide.%T %w, %a, %b, %w", "u16 s16 u32 s32"},
    {"mad.hi.sat.%T %d, %a, %b, %c", "s32"},
    {"mad.rn.%T %d, %a, %b, %c", "f32 f64"},
    {"mad.%T %d, %a, %b, %c", "f32"},
    {"mad.lo.cc.%T %d, %a, %b, %c", "u32 s32 u64 s64"},
    {"mad.hi.cc.%T %d, %a, %b, %c", "u32 s32 u64 s64"},
    {"madc.lo.cc.%T %d, %a, %b, %c", "u32 s32 u64 s64"},
    {"madc.hi.%T %d, %a, %b, %c", "u32 s32 u64 s64"},
    {"mul24.lo.%T %d, %a, %b", "u32 s32"},
    {"mul24.hi.%T %d, %a, %b", "u32 s32"},
    {"mad24.lo.%T %d, %a, %b, %c", "u32 s32"},
    {"mad24.hi.sat.%T %d, %a, %b, %c", "s32"},
    {"sad.%T %d, %a, %b, %c", INTS},
    {"div.%T %d, %a, %b", INTS},
    {"rem.%T %d, %a, %b", INTS},
    {"abs.%T %d, %a", "s16 s32 s64 f32 f64"},
    {"neg.%T %d, %a", "s16 s32 s64 f32 f64"},
    {"abs.ftz.%T %d, %a", "f32"},
    {"neg.ftz.%T %d, %a", "f32"},
    {"min.%T %d, %a, %b", INTS " f32 f64"},
    {"max.%T %d, %a, %b", INTS " f32 f64"},
    {"min.ftz.NaN.%T %d, %a, %b", "f32"},
    {"max.NaN.%T %d, %a, %b", "f32"},
    {"max.NaN.xorsign.abs.%T %d, %a, %b", "f32"},
    {"div.approx.%T %d, %a, %b", "f32"},
    {"div.approx.ftz.%T %d, %a, %b", "f32"},
    {"div.full.%T %d, %a, %b", "f32"},
    {"div.full.ftz.%T %d, %a, %b", "f32"},
    {"div.rn.%T %d, %a, %b", "f32 f64"},
    {"div.rz.%T %d, %a, %b", "f32 f64"},
    {"fma.rn.%T %d, %a, %b, %c", "f32 f64"},
    {"fma.rz.ftz.sat.%T %d, %a, %b, %c", "f32"},
    {"fma.rp.%T %d, %a, %b, %c", "f64"},
    {"rcp.approx.%T %d, %a", "f32"},
    {"rcp.approx.ftz.%T %d, %a", "f32 f64"},
    {"rcp.rn.%T %d, %a", "f32 f64"},
    {"sqrt.approx.%T %d, %a", "f32"},
    {"sqrt.approx.ftz.%T %d, %a", "f32"},
    {"sqrt.rn.%T %d, %a", "f32 f64"},
    {"sqrt.rn.ftz.%T %d, %a", "f32"},
    {"rsqrt.approx.%T %d, %a", "f32 f64"},
    {"rsqrt.approx.ftz.%T %d, %a", "f32 f64"},
    {"sin.approx.%T %d, %a", "f32"},
    {"cos.approx.ftz.%T %d, %a", "f32"},
    {"lg2.approx.%T %d, %a", "f32"},
    {"ex2.approx.ftz.%T %d, %a", "f32"},
    {"tanh.approx.%T %d, %a", "f32"},
    {"copysign.%T %d, %a, %b", "f32 f64"},
    {"testp.finite.%T %p1, %a", "f32 f64"},
    {"testp.infinite.%T %p1, %a", "f32 f64"},
    {"testp.number.%T %p1, %a", "f32 f64"},
    {"testp.notanumber.%T %p1, %a", "f32 f64"},
    {"testp.normal.%T %p1, %a", "f32 f64"},
    {"testp.subnormal.%T %p1, %a", "f32 f64"},
    {"and.%T %d, %a, %b", BITS " pred"},
    {"or.%T %d, %a, %b", BITS " pred"},
    {"xor.%T %d, %a, %b", BITS " pred"},
    {"not.%T %d, %a", BITS " pred"},
    {"cnot.%T %d, %a", BITS},
    {"shl.%T %d, %a, %r1", BITS},
    {"shr.%T %d, %a, 3", BITS " " INTS},
    {"shf.l.wrap.%T %d, %a, %b, %c", "b32"},
    {"shf.r.clamp.%T %d, %a, %b, 9", "b32"},
    {"shf.l.clamp.%T %d, %a, %b, %c", "b32"},
    {"shf.r.wrap.%T %d, %a, %b, %c", "b32"},
    {"lop3.%T %d, %a, %b, %c, 0x1a", "b32"},
    {"prmt.%T %d, %a, %b, %c", "b32"},
    {"prmt.%T.f4e %d, %a, %b, %c", "b32"},
    {"prmt.%T.b4e %d, %a, %b, %c", "b32"},
    {"prmt.%T.rc8 %d, %a, %b, %c", "b32"},
    {"prmt.%T.ecl %d, %a, %b, %c", "b32"},
    {"prmt.%T.ecr %d, %a, %b, %c", "b32"},
    {"prmt.%T.rc16 %d, %a, %b, %c", "b32"},
    {"bfe.%T %d, %a, %r1, 4", "u32 s32 u64 s64"},
    {"bfi.%T %d, %a, %b, 8, %r2", "b32 b64"},
    {"bfind.%T %r1, %a", "u32 s32 u64 s64"},
    {"bfind.shiftamt.%T %r1, %a", "u32 s32 u64 s64"},
    {"fns.%T %d, %a, 0, 1", "b32"},
    {"brev.%T %d, %a", "b32 b64"},
    {"popc.%T %r1, %a", "b32 b64"},
    {"clz.%T %r1, %a", "b32 b64"},
    {"dp4a.u32.%T %r1, %r2, %r3, %r4", "u32 s32"},
    {"dp4a.s32.%T %r1, %r2, %r3, %r4", "u32 s32"},
    {"dp2a.lo.s32.%T %r1, %r2, %r3, %r4", "u32 s32"},
    {"dp2a.hi.u32.%T %r1, %r2, %r3, %r4", "u32 s32"},
    {"setp.eq.%T %p1, %a, %b", CMPS},
    {"setp.ne.%T %p1|%p2, %a, %b", CMPS},
    {"setp.lt.%T %p1, %a, %b", INTS " f32 f64"},
    {"setp.ge.and.%T %p1, %a, %b, %p2", INTS " f32 f64"},
    {"setp.gt.or.%T %p1|%p2, %a, %b, !%p3", INTS " f32 f64"},
    {"setp.le.xor.%T %p1, %a, %b, %p2", INTS},
    {"setp.lo.%T %p1, %a, %b", "u16 u32 u64"},
    {"setp.hs.%T _|%p2, %a, %b", "u32"},
    {"setp.hi.%T %p1, %a, %b", "u32"},
    {"setp.ls.%T %p1, %a, %b", "u64"},
    {"setp.equ.%T %p1, %a, %b", "f32 f64"},
    {"setp.neu.ftz.%T %p1, %a, %b", "f32"},
    {"setp.ltu.%T %p1, %a, %b", "f32 f64"},
    {"setp.leu.%T %p1, %a, %b", "f32 f64"},
    {"setp.gtu.%T %p1, %a, %b", "f32 f64"},
    {"setp.geu.%T %p1, %a, 0f00000000", "f32"},
    {"setp.num.%T %p1, %a, %b", "f32 f64"},
    {"setp.nan.%T %p1, %a, %b", "f32 f64"},
    {"set.lt.u32.%T %r1, %a, %b", CMPS},
    {"set.eq.s32.%T %r1, %a, %b", CMPS},
    {"set.gt.and.f32.%T %f1, %a, %b, !%p1", INTS " f32 f64"},
    {"selp.%T %d, %a, %b, %p1", CMPS},
    {"slct.%T.s32 %d, %a, %b, %r1", CMPS},
    {"slct.ftz.%T.f32 %d, %a, %b, %f1", CMPS},
    {"cvt.u8.%T %c1, %a", INTS},
    {"cvt.s8.%T %r1, %a", INTS},
    {"cvt.u16.%T %h1, %a", INTS},
    {"cvt.s16.%T %h1, %a", INTS},
    {"cvt.u32.%T %r1, %a", INTS},
    {"cvt.s32.%T %r1, %a", INTS},
    {"cvt.u64.%T %d1, %a", INTS},
    {"cvt.s64.%T %d1, %a", INTS},
    {"cvt.sat.u8.%T %r1, %a", INTS},
    {"cvt.rn.f32.%T %f1, %a", INTS " f64"},
    {"cvt.rz.f64.%T %g1, %a", INTS},
    {"cvt.rzi.%T.f32 %d, %f1", INTS},
    {"cvt.rni.%T.f64 %d, %g1", INTS},
    {"cvt.rmi.ftz.sat.%T.f32 %d, %f1", INTS},
    {"cvt.f64.%T %g1, %a", "f32 f16"},
    {"cvt.rpi.%T.%T %d, %a", "f32 f64"},
    {"cvt.%T.%T %d, %a", "f32 f64"},
    {"cvt.rn.f16.%T %h1, %a", "f32 f64 s32"},
    {"cvt.f32.%T %f1, %a", "f16"},
    {"cvt.sat.%T.%T %d, %a", "f32"},
    {"cvt.u32.u16 %r1, %tid.x", ""},
    {"cvt.u32.u8 %r1, %d1", ""},
    {"cvta.global.u64 %d1, %d2", ""},
    {"cvta.to.shared.u64 %d1, %d2", ""},
    {"cvta.local.u64 %d1, %d2", ""},
    {"cvta.to.const.u64 %d1, %d2", ""},
    {"isspacep.global %p1, %d1", ""},
    {"isspacep.shared %p1, %d1", ""},
    {"isspacep.local %p1, %d1", ""},
    {"isspacep.const %p1, %d1", ""},
    {"cvta.param.u64 %d1, %d2", ""},
    {"cvta.to.param::entry.u64 %d1, %d2", ""},
    {"isspacep.param %p1, %d1", ""},
    {"mov.%T %d, %a", CMPS " pred"},
    {"mov.b64 %d1, {%r1, %r2}", ""},
    {"mov.b64 {%r1, _}, %d1", ""},
    {"mov.b64 %d1, {%h1, %h2, %h3, %h4}", ""},
    {"mov.b32 {%h1, %h2}, %r1", ""},
    {"mov.b32 %r1, {%c1, %c2, %c3, %c4}", ""},
    {"mov.b16 {%c1, %c2}, %h1", ""},
    {"mov.b64 {%f1, %f2}, %d1", ""},
    {"mov.b32 %r1, 0f3F800000", ""},
    {"mov.b64 %d1, %g1", ""},
    {"mov.pred %p1, 1", ""},
    {"mov.u16 %h1, %ntid.x", ""},
    {"mov.u64 %d1, %clock64", ""},
    {"mov.u64 %d1, %globaltimer", ""},
    {"mov.u32 %r1, %T", "%tid.x %tid.y %tid.z %ntid.x %ntid.y %ntid.z "
                        "%ctaid.x %ctaid.y %ctaid.z %nctaid.x %nctaid.y %nctaid.z %laneid %warpid %nwarpid %smid %nsmid %gridid "
                        "%lanemask_eq %lanemask_le %lanemask_lt %lanemask_ge %lanemask_gt %clock %clock_hi "
                        "%globaltimer_lo %globaltimer_hi %dynamic_smem_size %total_smem_size WARP_SZ"},
    {"mov.u64 %d1, %gridid", ""},
    {"add.u32 %r1, %tid.x, %ctaid.y", ""},
    {"shfl.sync.up.b32 %r1, %r2, 1, 0, -1", ""},
    {"shfl.sync.down.b32 %r1|%p1, %r2, %r3, %r4, %r5", ""},
    {"shfl.bfly.b32 %r1|%p1, %r2, 16, 31", ""},
    {"shfl.idx.b32 %f1, %f2, 0, 31", ""},
    {"vote.all.pred %p1, %p2", ""},
    {"vote.sync.any.pred %p1, !%p2, -1", ""},
    {"vote.uni.pred %p1, %p2", ""},
    {"vote.ballot.b32 %r1, %p1", ""},
    {"vote.sync.ballot.b32 %r1, %p1, %r2", ""},
    {"match.any.sync.%T %r1, %a, -1", "b32 b64"},
    {"match.all.sync.%T %r1|%p1, %a, -1", "b32 b64"},
    {"activemask.b32 %r1", ""},
    {"redux.sync.add.%T %d, %a, -1", "u32 s32"},
    {"redux.sync.and.b32 %r1, %r2, -1", ""},
    {"redux.sync.xor.b32 %r1, %r2, -1", ""},
    {"redux.sync.max.s32 %r1, %r2, %r3", ""},
    {"ld.global.%T %d, [%d1]", "b8 u8 s8 b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64"},
    {"ld.%T %d, [%d1+8]", "u32 f64"},
    {"ld.shared.%T %d, [%r1]", "u8 s32 f64"},
    {"ld.local.%T %d, [%d1-4]", "u32"},
    {"ld.const.%T %d, [%d1]", "u32 f32"},
    {"ld.param.u64 %d1, [p0]", ""},
    {"ld.param.u32 %r1, [p1+0]", ""},
    {"ld.global.v2.%T {%d, %a}, [%d1]", "u8 u16 b32 u64 f32 f64"},
    {"ld.global.v4.%T {%d, %a, _, %b}, [%d1]", "u8 s16 b32 f32"},
    {"ld.volatile.global.u32 %r1, [%d1]", ""},
    {"ld.relaxed.gpu.global.u32 %r1, [%d1]", ""},
    {"ld.acquire.cta.shared.u32 %r1, [%r2]", ""},
    {"ld.acquire.sys.u32 %r1, [%d1]", ""},
    {"ld.weak.global.u32 %r1, [%d1]", ""},
    {"ld.global.ca.u32 %r1, [%d1]", ""},
    {"ld.global.cg.u32 %r1, [%d1]", ""},
    {"ld.global.cs.u32 %r1, [%d1]", ""},
    {"ld.global.cv.u32 %r1, [%d1]", ""},
    {"ld.global.lu.u32 %r1, [%d1]", ""},
    {"ld.global.nc.f32 %f1, [%d1]", ""},
    {"ld.global.nc.L1::no_allocate.v4.f32 {%f1, %f2, %f3, %f4}, [%d1]", ""},
    {"ld.global.L1::evict_last.L2::128B.u32 %r1, [%d1]", ""},
    {"ldu.global.u32 %r1, [%d1]", ""},
    {"ld.global.s8 %d2, [%d1]", ""},
    {"ld.global.u8 %h1, [%d1]", ""},
    {"st.global.%T [%d1], %a", "b8 u8 s8 b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64"},
    {"st.shared.%T [%r1+4], %a", "u8 u32 f64"},
    {"st.local.%T [%d1], 0", "u8 u16 u32 u64"},
    {"st.%T [%d1], %a", "u32"},
    {"st.global.v2.%T [%d1], {%a, %b}", "u8 b32 f64"},
    {"st.global.v4.f32 [%d1], {%f1, 0f00000000, 1.0, %f2}", ""},
    {"st.volatile.shared.u32 [%r1], 5", ""},
    {"st.release.gpu.global.u32 [%d1], %r1", ""},
    {"st.relaxed.sys.u32 [%d1], %r1", ""},
    {"st.global.wb.u32 [%d1], %r1", ""},
    {"st.global.cg.u32 [%d1], %r1", ""},
    {"st.global.wt.u32 [%d1], %r1", ""},
    {"st.global.u32 [%d1], %d2", ""},
    {"st.global.u8 [%d1], %r2", ""},
    {"ld.shared.u32 %r1, [64]", ""},
    {"atom.global.add.%T %d, [%d1], %a", "u32 s32 u64 f32 f64"},
    {"atom.add.%T %d, [%d1+16], %a", "u32"},
    {"atom.shared.exch.%T %d, [%r1], %a", "b32 b64"},
    {"atom.global.cas.%T %d, [%d1], %a, %b", "b16 b32 b64"},
    {"atom.global.min.%T %d, [%d1], %a", "u32 s32 u64 s64"},
    {"atom.global.max.%T %d, [%d1], %a", "u32 s32 u64 s64"},
    {"atom.global.and.%T %d, [%d1], %a", "b32 b64"},
    {"atom.global.or.%T %d, [%d1], %a", "b32 b64"},
    {"atom.global.xor.%T _, [%d1], %a", "b32 b64"},
    {"atom.shared.inc.u32 %r1, [%r2], 7", ""},
    {"atom.global.dec.u32 %r1, [%d1], %r2", ""},
    {"atom.acq_rel.gpu.global.add.u32 %r1, [%d1], 1", ""},
    {"atom.relaxed.cta.shared.cas.b32 %r1, [%r2], 0, 1", ""},
    {"atom.global.add.noftz.f16x2 %r1, [%d1], %r2", ""},
    {"red.global.add.%T [%d1], %a", "u32 s32 u64 f32 f64"},
    {"red.shared.max.s32 [%r1], -1", ""},
    {"red.release.sys.global.or.b32 [%d1], 1", ""},
    {"red.and.b64 [%d1], %d2", ""},
    {"membar.cta", ""},
    {"membar.gl", ""},
    {"membar.sys", ""},
    {"fence.sc.gpu", ""},
    {"fence.acq_rel.cta", ""},
    {"fence.acq_rel.sys", ""},
    {"fence.sc.cta", ""},
    {"prefetch.global.L1 [%d1]", ""},
    {"prefetch.local.L2 [%d1]", ""},
    {"cp.async.ca.shared.global [%r1], [%d1], 4", ""},
    {"cp.async.cg.shared::cta.global.L2::128B [%r1], [%d1+16], 16, 8", ""},
    {"cp.async.ca.shared.global.L2::cache_hint [%r1], [%d1], 8, %d2", ""},
    {"cp.async.commit_group", ""},
    {"cp.async.wait_group 3", ""},
    {"cp.async.wait_all", ""},
    {"prefetchu.L1 [%d1]", ""},
    {"discard.global.L2 [%d1], 128", ""},
    {"applypriority.global.L2::evict_normal [%d1], 128", ""},
    {"bar.sync 0", ""},
    {"bar.sync %r1, 64", ""},
    {"bar.arrive 1, 64", ""},
    {"bar.red.popc.u32 %r1, 0, %p1", ""},
    {"bar.red.and.pred %p1, 0, 32, !%p2", ""},
    {"bar.red.or.pred %p1, 2, %p2", ""},
    {"bar.cta.sync 0", ""},
    {"barrier.sync 3", ""},
    {"barrier.cta.sync.aligned 0, 96", ""},
    {"barrier.cta.arrive 1, 32", ""},
    {"barrier.cta.red.popc.aligned.u32 %r1, 0, %p1", ""},
    {"bar.warp.sync 0xffffffff", ""},
    {"nanosleep.u32 100", ""},
    {"nanosleep.u32 %r1", ""},
    {"trap", ""},
    {"brkpt", ""},
    {"exit", ""},
    {"ret", ""},
    {"ret.uni", ""},
    {"mov.u32 %r1, %envreg3", ""},
    {"ld.shared::cluster.u32 %r1, [%r2]", ""},
    {"ld.global.L2::cache_hint.u32 %r1, [%d1], %d2", ""},
    {"fence.proxy.alias", ""},
    {"elect.sync %r1|%p1, -1", ""},
    {"griddepcontrol.wait", ""},
    {"createpolicy.fractional.L2::evict_first.b64 %d1, 1.0", ""},
    {"atom.or.acq_rel.cta.b32 %r1, [%d1], %r2", ""},
    {"atom.global.sys.add.u32 %r1, [%d1], %r2", ""},
    {"vote.ballot.sync.b32 %r1, %p1, -1", ""},
    {"pmevent 3", ""},
    {"bra L0", ""},
    {"bra.uni L0", ""},
};

static const char *register_of(const char *type, char role)
{
    static const char *const regs[][5] = {/* d a b c w */
                                          {"%c1", "%c2", "%c3", "%c4", "%h1"}, {"%h1", "%h2", "%h3", "%h4", "%r1"},
                                          {"%r1", "%r2", "%r3", "%r4", "%d1"}, {"%d1", "%d2", "%d3", "%d4", "%d5"},
                                          {"%f1", "%f2", "%f3", "%f4", "%g1"}, {"%g1", "%g2", "%g3", "%g4", "%g5"},
                                          {"%p1", "%p2", "%p3", "%p4", "%p5"}};
    uint32_t row = strcmp(type, "pred") == 0                                    ? 6
                   : strcmp(type, "f32") == 0                                   ? 4
                   : strcmp(type, "f64") == 0                                   ? 5
                   : strchr(type, '8') != NULL                                  ? 0
                   : (strstr(type, "16") != NULL && strcmp(type, "f16x2") != 0) ? 1
                   : strstr(type, "64") != NULL                                 ? 3
                                                                                : 2;
    return regs[row][role == 'd' ? 0 : role == 'a' ? 1 : role == 'b' ? 2 : role == 'c' ? 3 : 4];
}

/* Fills in a template; %d1 and the like, with a digit, are registers as they stand. */
static void fill(char *out, size_t size, const char *template, const char *type)
{
    size_t n = 0;
    for (const char *c = template; *c != '\0'; c++) {
        bool role = *c == '%' && strchr("dabcwT", c[1]) != NULL && strchr("dabcw", c[1]) == NULL;
        bool reg =
            *c == '%' && c[1] != '\0' && strchr("dabcw", c[1]) != NULL && !(c[2] >= '0' && c[2] <= '9') && !(c[2] >= 'a' && c[2] <= 'z');
        const char *piece = role ? type : reg ? register_of(type, c[1]) : NULL;
        n += (size_t)snprintf(out + n, size - n, piece != NULL ? "%s" : "%.1s", piece != NULL ? piece : c);
        c += piece != NULL;
    }
}

typedef void (*each_fn)(const char *instruction, void *context);

static uint32_t each_instruction(const struct form *forms, size_t cnt, each_fn fn, void *context)
{
    uint32_t n = 0;
    for (size_t i = 0; i < cnt; i++) {
        char types[700], text[256];
        snprintf(types, sizeof(types), "%s", forms[i].types[0] != '\0' ? forms[i].types : "-");
        for (char *t = strtok(types, " "); t != NULL; t = strtok(NULL, " "), n++) {
            fill(text, sizeof(text), forms[i].text, t);
            fn(text, context);
        }
    }
    return n;
}

static void expect_accepted(const char *instruction, void *context)
{
    char text[1024];
    struct cw_module *m;
    struct cw_error err;
    uint32_t *refused = context;
    snprintf(text, sizeof(text), "%sL0: %s;\n@!%%p1 %s;\nret;\n}\n", PX_START, instruction, instruction);
    if (px_try(&m, text, &err) != CW_OK) {
        print_error("%s\n    %s\n", instruction, err.text);
        ++*refused;
        return;
    }
    if (cw_exec_bind(&m->kernel[0], &err) != CW_OK) { /* what is read has to be executed */
        print_error("%s\n    %s\n", instruction, err.text);
        ++*refused;
    }
    cw_module_destroy(m);
}

static void test_ptx_accept__one_line_instructions(void **state)
{
    (void)state;
    uint32_t refused = 0;
    uint32_t n = each_instruction(accepted, sizeof(accepted) / sizeof(accepted[0]), expect_accepted, &refused);
    printf("%u instructions\n", n);
    assert_int_equal(refused, 0);
    assert_true(n >= 400);
}

static const char *const refused_instructions[] = {
    "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r1, %r2}]",
    "tld4.r.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f5,%f6}]",
    "txq.width.b32 %r1, [%d1]",
    "suld.b.1d.b32.trap {%r1}, [%d1, {%r2}]",
    "sust.b.1d.b32.trap [%d1, {%r2}], {%r1}",
    "suq.width.b32 %r1, [%d1]",
    "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [%d1]",
    "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%r1}, {%r2}, {%r3}, {%r4}",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2]",
    "vadd.s32.s32.s32 %r1, %r2, %r3",
    "vset4.u32.u32.lt %r1, %r2, %r3, %r4",
    "cp.async.ca.shared.global [%r1], [%d1], 4, %r2",
    "cp.async.cg.shared.global [%r1], [%d1], 8",
    "cp.async.mbarrier.arrive.shared.b64 [%r1]",
    "mbarrier.init.shared.b64 [%r1], 3",
    "frobnicate.u32 %r1, %r2",
    "add %r1, %r2, %r3",
    "add.u32 %r1, %r2",
    "add.u32 %r1, %r2, %r3, %r4",
    "add.u8 %c1, %c2, %c3",
    "add.sat.u32 %r1, %r2, %r3",
    "add.ftz.u32 %r1, %r2, %r3",
    "add.rni.f32 %f1, %f2, %f3",
    "add.bf16 %h1, %h2, %h3",
    "add.u32 %r1, %d1, %r2",
    "add.u64 %r1, %d1, %d2",
    "add.f32 %f1, %g1, %f2",
    "add.u32 %f1, %r1, %r2",
    "add.u32 %r1, %r2, 0x100000000",
    "add.u32 %r1, %r2, -2147483649",
    "add.u16 %h1, %h2, 65536",
    "add.u32 %r1, %r2, 1.5",
    "add.f32 %f1, %f2, 1",
    "add.u32 5, %r1, %r2",
    "add.u32 %r1, %r2, %nosuch",
    "add.u32 %r40, %r1, %r2",
    "add.u32 %r1, %r2, nosuch",
    "add.u32 %r1, %p1, %r2",
    "and.u32 %r1, %r2, %r3",
    "mul.u32 %r1, %r2, %r3",
    "mul.wide.u64 %d1, %d2, %d3",
    "mul.wide.u32 %r1, %r2, %r3",
    "div.f32 %f1, %f2, %f3",
    "div.approx.f64 %g1, %g2, %g3",
    "fma.f32 %f1, %f2, %f3, %f4",
    "sqrt.f32 %f1, %f2",
    "sin.f32 %f1, %f2",
    "rcp.approx.f64 %g1, %g2",
    "shl.u32 %r1, %r2, %r3",
    "shl.b32 %r1, %r2, %d1",
    "shf.l.b32 %r1, %r2, %r3, %r4",
    "lop3.b32 %r1, %r2, %r3, %r4, 256",
    "lop3.b32 %r1, %r2, %r3, %r4, %r5",
    "prmt.b32.xyz %r1, %r2, %r3, %r4",
    "setp.u32 %p1, %r1, %r2",
    "setp.xx.u32 %p1, %r1, %r2",
    "setp.lt.u32 %r1, %r2, %r3",
    "setp.lt.and.u32 %p1, %r1, %r2",
    "setp.lt.pred %p1, %p2, %p3",
    "selp.u32 %r1, %r2, %r3, %r4",
    "selp.pred %p1, %p2, %p3, %p4",
    "cvt.u32.f32 %r1, %f1",
    "cvt.rn.u32.f32 %r1, %f1",
    "cvt.f32.u32 %f1, %r1",
    "cvt.f32.f64 %f1, %g1",
    "cvt.rn.u32.u16 %r1, %h1",
    "cvt.u32.u64 %h1, %d1",
    "cvt.u64.u32 %d1, %h1",
    "cvt.rna.tf32.f32 %r1, %f1",
    "cvt.b32.u32 %r1, %r2",
    "cvta.u64 %d1, %d2",
    "cvta.global.u32 %r1, %r2",
    "cvta.param.u32 %r1, %r2",
    "isspacep.reg %p1, %d1",
    "mov.b32 %r1, {%h1, %h2, %h3}",
    "mov.u64 %d1, {%r1, %r2}",
    "mov.b64 {%h1, %h2}, %d1",
    "mov.b128 %d1, {%d2, %d3}",
    "mov.u32 %r1, %d1",
    "mov.u32 %r1, %clock64",
    "mov.u32 %r1, %pm0",
    "mov.v2.u32 {%r1, %r2}, {%r3, %r4}",
    "ld.global.u32 %h1, [%d1]",
    "ld.global.f16 %h1, [%d1]",
    "ld.global.v8.u32 {%r1}, [%d1]",
    "ld.global.v4.u64 {%d1,%d2,%d3,%d4}, [%d5]",
    "ld.global.v2.u32 %r1, [%d1]",
    "ld.global.v2.u32 {%r1, %r2, %r3}, [%d1]",
    "ld.global.u32 %r1, %d1",
    "ld.global.u32 %r1, [%h1]",
    "ld.global.u32 %r1, [%f1]",
    "ld.global.u32 %r1, [%d1",
    "ld.global.u32 %r1, [p0]",
    "ld.param.u64 %d1, [p1]",
    "ld.param.u64 %d1, [p0+1]",
    "ld.param.u32 %r1, [p0-4]",
    "ld.param.u32 %r1, [8]",
    "ld.relaxed.u32 %r1, [%d1]",
    "ld.weak.gpu.u32 %r1, [%d1]",
    "ld.release.gpu.u32 %r1, [%d1]",
    "ld.global.wb.u32 %r1, [%d1]",
    "st.const.u32 [%d1], %r1",
    "st.param.u32 [p1], %r1",
    "st.acquire.gpu.u32 [%d1], %r1",
    "st.global.ca.u32 [%d1], %r1",
    "st.global.u32 [%d1], %h1",
    "st.global.u8 [%d1], 256",
    "st.global.v2.u32 [%d1], {%r1}",
    "atom.global.add.b32 %r1, [%d1], %r2",
    "atom.global.cas.u32 %r1, [%d1], %r2, %r3",
    "atom.global.cas.b32 %r1, [%d1], %r2",
    "atom.global.exch.u32 %r1, [%d1], %r2",
    "atom.local.add.u32 %r1, [%d1], %r2",
    "atom.global.min.f32 %f1, [%d1], %f2",
    "red.global.exch.b32 [%d1], %r1",
    "red.global.cas.b32 [%d1], %r1, %r2",
    "red.global.add.u32 %r1, [%d1], %r2",
    "membar",
    "membar.cta.gl",
    "fence.sc",
    "prefetch.global [%d1]",
    "bar.sync",
    "bar.sync 16",
    "bar.arrive 0",
    "bar.red.popc.pred %p1, 0, %p2",
    "barrier.cluster.arrive",
    "bar.warp.sync",
    "shfl.b32 %r1, %r2, 1, 31",
    "shfl.sync.bfly.b32 %r1, %r2, 1, 31",
    "shfl.sync.bfly.b64 %d1, %d2, 1, 31, -1",
    "vote.sync.all.pred %p1, %p2",
    "match.any.b32 %r1, %r2",
    "bra",
    "bra nowhere",
    "bra %r1",
    "brx.idx %r1, nowhere",
    "call nowhere",
    "call %d1, ()",
    "exit.uni",
    "ret 5",
    "nanosleep %r1",
    "setmaxnreg.inc.sync.aligned.u32 64",
    "alloca.u64 %d1, %d2",
};

static void test_ptx_accept__refused_instructions(void **state)
{
    (void)state;
    uint32_t taken = 0, n = sizeof(refused_instructions) / sizeof(refused_instructions[0]);
    for (uint32_t i = 0; i < n; i++) {
        char text[1024];
        struct cw_module *m;
        struct cw_error err;
        snprintf(text, sizeof(text), "%s%s;\nret;\n}\n", PX_START, refused_instructions[i]);
        if (px_try(&m, text, &err) == CW_OK) {
            print_error("accepted: %s\n", refused_instructions[i]);
            taken++;
            cw_module_destroy(m);
        } else if (strncmp(err.text, "t.ptx:7:", 8) != 0) {
            print_error("wrong position: %s\n", err.text);
            taken++;
        }
    }
    printf("%u instructions\n", n);
    assert_int_equal(taken, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ptx_accept__one_line_instructions),
    cmocka_unit_test(test_ptx_accept__refused_instructions),
};

CW_TEST_MAIN(tests)
