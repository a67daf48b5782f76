#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What PTX has and a reader may not know: constructs_test.py BUILD/cowarp [unittest arguments].

Each construct stands in a file of its own, with a kernel that uses it and a good one that does not. The good one gives the right word in any
case. The other one gives its words, or is refused when it is launched, in one line with the place, the reason and the text. docs/ptx.md has the
same constructs as tables for people.
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

COWARP = ""
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
REGS = (".reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<40>; .reg .b64 %d<10>; .reg .f32 %f<10>;\n"
        "ld.param.u64 %d1, [out]; cvta.to.global.u64 %d1, %d1;\n")
GRID, BLOCK, CTAID, TID = (2, 3, 4), (5, 2, 3), (1, 2, 3), (4, 1, 2)  # the one thread that writes: no two of its registers are equal by chance
LANE = TID[0] + BLOCK[0] * (TID[1] + BLOCK[1] * TID[2])


def only_one_thread():
    text = ""
    for register, element in (("ctaid", CTAID), ("tid", TID)):
        for axis, value in zip("xyz", element):
            text += f"mov.u32 %r39, %{register}.{axis}; setp.ne.u32 %p9, %r39, {value}; @%p9 ret;\n"
    return text


def put(*registers):
    """Stores 32-bit registers as words, and of 64-bit ones both halves."""
    text, at = "", 0
    for register in registers:
        wide = register.startswith("%d")
        text += f"st.global.{'u64' if wide else 'u32'} [%d1+{at}], {register};\n"
        at += 8 if wide else 4
    return text


class Construct:
    def __init__(self, what, module="", header="", body="", words=(), refused=None, notice=None):
        self.what, self.module, self.header, self.body = what, module, header, body
        self.words, self.refused, self.notice = words, refused, notice

    def text(self, number):
        uses = f".visible .entry uses_{number}(.param .u64 out) {self.header}\n{{\n{REGS}{only_one_thread()}{self.body}\nret;\n}}\n"
        good = f".visible .entry good_{number}(.param .u64 out)\n{{\n{REGS}mov.u32 %r1, {number + 1000};\n{put('%r1')}ret;\n}}\n"
        return f"{HEAD}{self.module}\n{uses}{good}"


# ---- special registers ----

def read32(name, *words):
    return Construct(name, body=f"mov.u32 %r1, {name};\n" + put("%r1"), words=words)


def read64(name, *words):
    return Construct(name, body=f"mov.u64 %d2, {name};\n" + put("%d2"), words=words)


def registers():
    """Those with a value that the ISA leaves open are read, and nothing is expected of them."""
    for vector, values in (("tid", TID), ("ntid", BLOCK), ("ctaid", CTAID), ("nctaid", GRID), ("clusterid", CTAID), ("nclusterid", GRID),
                           ("cluster_ctaid", (0, 0, 0)), ("cluster_nctaid", (1, 1, 1))):
        for letters in ("xyzw", "rgba"):
            for letter, value in zip(letters, (*values, 0)):
                yield read32(f"%{vector}.{letter}", value)
    yield from (read32("%laneid", LANE), read32("%warpid"), read32("%nwarpid"), read32("%smid"), read32("%nsmid"), read32("%gridid"),
                read64("%gridid"), read32("%cluster_ctarank", 0), read32("%cluster_nctarank", 1))
    for name, mask in (("eq", 1 << LANE), ("lt", (1 << LANE) - 1), ("le", (2 << LANE) - 1), ("gt", (1 << 32) - (2 << LANE)),
                       ("ge", (1 << 32) - (1 << LANE))):
        yield read32(f"%lanemask_{name}", mask)
    yield from (read32("%clock"), read32("%clock_hi"), read64("%clock64"), read64("%globaltimer"), read32("%globaltimer_lo"),
                read32("%globaltimer_hi"))
    yield from (read32(f"%envreg{i}", 0) for i in range(32))
    yield from (read32(f"%pm{i}", 0) for i in range(8))
    yield from (read64(f"%pm{i}_64", 0, 0) for i in range(8))
    yield read64("%current_graph_exec", 0, 0)
    yield read32("%dynamic_smem_size", 0)
    shared = ".shared .b32 own[3]; st.shared.u32 [own], 5;\n"
    yield Construct("%total_smem_size", body=shared + "mov.u32 %r1, %total_smem_size;\n" + put("%r1"), words=(12,))
    yield Construct("%aggr_smem_size", body=shared + "mov.u32 %r1, %aggr_smem_size;\n" + put("%r1"), words=(12,))
    yield Construct("%is_explicit_cluster", body="mov.pred %p1, %is_explicit_cluster;\nselp.u32 %r1, 3, 4, %p1;\n" + put("%r1"), words=(4,))
    yield Construct("@%is_explicit_cluster", body="mov.u32 %r1, 1;\n@%is_explicit_cluster mov.u32 %r1, 2;\n" + put("%r1"), words=(1,))
    for name in ("%r40", "%tid.v", "%tidx", "%envreg32", "%envreg01", "%pm8", "%reserved_smem_offset_2", "%some_later_register"):
        yield Construct(name, body=f"mov.u32 %r1, {name};", refused=f"{name} is neither declared nor a special register of this machine")


def reserved():
    """The offsets, and that a block finds zeros in what another block of the core has written."""
    yield Construct("%reserved_smem_offset_*", words=(0, 1024, 0, 0, 512, 1024, 12, 1036), body="""
        .shared .b32 own[3]; mov.u32 %r9, own;
        mov.u32 %r1, %reserved_smem_offset_begin; mov.u32 %r2, %reserved_smem_offset_end; mov.u32 %r3, %reserved_smem_offset_cap;
        mov.u32 %r4, %reserved_smem_offset_0; mov.u32 %r5, %reserved_smem_offset_1;
        mov.u32 %r6, %total_smem_size; mov.u32 %r7, %aggr_smem_size;
        """ + put("%r1", "%r2", "%r3", "%r4", "%r5", "%r9", "%r6", "%r7"))
    yield Construct("reserved shared memory of several blocks", words=(7,), module="""
        .global .u32 right;
        .visible .entry others(.param .u64 out) {
        .reg .b32 %a<9>; .reg .pred %q;
        mov.u32 %a1, %reserved_smem_offset_1; ld.shared.u32 %a2, [%a1]; bar.sync 0; st.shared.u32 [%a1], 7;
        setp.eq.u32 %q, %a2, 0; @%q red.global.add.u32 [right], 1; ret; }""", body="mov.u32 %r1, 7;\n" + put("%r1"))


# ---- directives ----

def headers():
    plain = "mov.u32 %r1, 7;\n" + put("%r1")
    for header in ("", ".maxnreg 40", ".maxntid 128", ".maxntid 128, 2", ".reqntid 5, 2, 3", ".maxntid 64,4,1 .minnctapersm 2",
                   ".maxntid 128,1,1 .minnctapersm 2 .maxclusterrank 8", ".local_maxnreg 32", ".reqnctapercluster 1", ".explicitcluster",
                   ".reqntid 5,2,3 .reqnctapercluster 1,1,1 .blocksareclusters", '.pragma "nounroll";', '.pragma "used_bytes_mask", "other";'):
        yield Construct(header, header=header, body=plain, words=(7,))
    yield Construct("explicit cluster", header=".explicitcluster", words=(3,),
                    body="mov.pred %p1, %is_explicit_cluster;\nselp.u32 %r1, 3, 4, %p1;\n" + put("%r1"))
    for header in (".reqnctapercluster 2", ".reqnctapercluster 1, 2", ".explicitcluster .reqnctapercluster 1,1,2"):
        yield Construct(header, header=header, body=plain, refused="clusters of several blocks are not supported")
    for header in (".some_later_bound 3", ".maxntid 128 .some_later_bound"):
        yield Construct(header, header=header, body=plain, refused="unknown directive")


def functions():
    call = "{{ .param .b32 a; .param .b32 r; st.param.b32 [a], 20; call.uni (r), f, (a); ld.param.b32 %r1, [r]; }}\n{0}".format(put("%r1"))
    code = "{ .reg .b32 x; ld.param.b32 x, [a]; add.u32 x, x, 3; st.param.b32 [r], x; ret; }"
    start = ".func (.param .b32 r) f(.param .b32 a)"
    yield Construct(".func", module=f"{start} {code}", body=call, words=(23,))
    yield Construct(".weak .func", module=f".weak {start} {code}", body=call, words=(23,))
    yield Construct(".func .attribute(.unified)", module=f".func .attribute(.unified(1, 2)) {start[6:]} {code}", body=call, words=(23,))
    for abi in (".abi_preserve 8", ".abi_preserve_control 4", ".noreturn", '.pragma "nounroll";'):
        yield Construct(abi, module=f"{start} {abi} {code}", body=call, words=(23,))
    yield Construct(".alias", module=f".visible .func (.param .b32 r) g(.param .b32 a) {code}\n.visible {start};\n.alias f, g;", body=call,
                    words=(23,))
    indirect = ("{ .param .b32 a; .param .b32 r; st.param.b32 [a], 20; mov.u64 %d2, f;\n"
                f"proto: .callprototype (.param .b32 _) _ (.param .b32 _) %s;\ncall (r), %d2, (a), proto; ld.param.b32 %r1, [r]; }}\n{put('%r1')}")
    for abi in ("", ".abi_preserve 8", ".abi_preserve_control 8"):
        yield Construct(f".callprototype {abi}", module=f"{start} {code}", body=indirect.replace("%s", abi), words=(23,))
    yield Construct(".calltargets", module=f"{start} {code}", words=(23,), body=(
        "{ .param .b32 a; .param .b32 r; st.param.b32 [a], 20; mov.u64 %d2, f;\nlist: .calltargets f;\ncall (r), %d2, (a), list;"
        f" ld.param.b32 %r1, [r]; }}\n{put('%r1')}"))
    yield Construct(".branchtargets", words=(9,), body=f"""
        list: .branchtargets one, two; mov.u32 %r1, 1; mov.u32 %r2, 5; brx.idx %r1, list;
        one: mov.u32 %r2, 8; bra over; two: mov.u32 %r2, 9; over: {put('%r2')}""")
    used = "{ .param .b32 a; .param .b32 r; st.param.b32 [a], 20; call.uni (r), f, (a); }"
    yield Construct("variable number of arguments", module=".func f(.param .b32 n, .param .align 8 .b8 rest[]) { ret; }",
                    body="{ .param .b32 n; .param .align 8 .b8 rest[8]; call.uni f, (n, rest); }",
                    refused="parameters of variable length are not supported")
    yield Construct("a predicate as parameter", module=".func (.reg .pred q) f(.reg .pred a) { mov.pred q, a; ret; }",
                    body="setp.eq.u32 %p1, %r1, %r1; call.uni (%p2), f, (%p1);", refused="a variable or parameter cannot be a predicate")
    yield Construct("a texture as parameter", module=".func f(.param .texref t) { ret; }\n.global .texref tex;", body="call.uni f, (tex);",
                    refused="textures are not supported")
    yield Construct("unknown directive of a function", module=f"{start} .some_later_word {code}", body=used, refused="unknown directive")
    yield Construct("unknown directive before a function", module=f".some_later_word {start} {code}", body=used, refused="unknown directive")
    yield Construct("unknown attribute of a function", module=f".func .attribute(.unified(1, 2), .some_later_word) {start[6:]} {code}", body=used,
                    refused="unknown directive or attribute")
    yield Construct("unknown linkage of a function", module=f".visible .some_later_word {start} {code}", body=used,
                    refused="unknown directive")
    yield Construct("unknown directive in a body", body=".some_later_word 3;", refused="unknown directive")


def debug_information():
    body = "mov.u32 %r1, 7;\n" + put("%r1")
    for module in ('.file 1 "a.cu"', '.file 1 "a.cu", 1700000000, 345', '.file 1 "a.cu" .global .u32 x;', '.pragma "nounroll";',
                   "# 1 \"a.cu\"\n  # 12 \"b.cu\" 2", "@@DWARF .byte 0x01, 0x02",
                   ".section .debug_str { info: .b8 97, 0\n .b32 .debug_abbrev\n .b64 info\n}",
                   ".section .debug_loc {\n$L1: .b8 1\n.b32 $L1+4\n.b64 $L1-$L1\n}"):
        yield Construct(module, module=module, body=body, words=(7,))
    for loc in (".loc 1 2 3", ".loc 1 2", ".loc 1 2 3, function_name info, inlined_at 1 5 6", ".loc 1 2 3, function_name info+4, inlined_at 1 5 6"):
        module = '.file 1 "a.cu"\n.section .debug_str { info: .b8 97, 0 }'
        yield Construct(loc, module=module, body=loc + "\n" + body, words=(7,))
        yield Construct(loc + " before an instruction", module=module, body=loc + " " + body.replace("\n", " "), words=(7,))


def unknown_directives():
    body = "mov.u32 %r1, 7;\n" + put("%r1")
    for module in (".some_later_word", ".some_later_word;", ".some_later_word 3, x\n.global .u32 y;", ".some_later_word x = { 1, {2} };",
                   ".some_later_word x { .b8 1 ; .entry }", ".visible .some_later_word x;"):
        yield Construct(module, module=module + "\n", body=body, words=(7,), notice="unknown directive, which is left out: .some_later_word")
    yield Construct("the same twice", module=".some_later_word;\n.some_later_word;", body=body, words=(7,), notice="unknown directive")


# ---- variables ----

def variables():
    def word(module, body, *words):
        return Construct(module, module=module, body=body, words=words)

    load = "ld.global.u32 %r1, [x];\n" + put("%r1")
    for module in (".global .u32 x = 5;", ".weak .global .u32 x = 5;", ".visible .global .u32 x = 5;", ".global .attribute(.managed) .u32 x = 5;",
                   ".global .attribute(.managed, .unified(1, 2)) .u32 x = 5;", ".global .align 64 .u32 x[] = {5};", ".global .u32 y = 4, x = 5;",
                   ".global .v2 .u32 x = {5, 6};", ".global .v2 .u32 x[2] = {{5, 6}, {7, 8}};", ".global .u32 x[2][2] = {{5, 6}, {7}};",
                   ".global .s32 x = -(-5);", ".global .u32 x = (1 << 2) + 1;", ".global .b128 x = 5;", ".global .u32 x = 0x5U;"):
        yield word(module, load, 5)
    yield word(".common .global .u32 x;", load, 0)
    yield word(".extern .global .u32 x;\n.global .u32 x = 5;", load, 5)
    yield word(".global .b128 x[2] = {5, 6};", "ld.global.u64 %d2, [x+16];\nld.global.u64 %d3, [x+24];\n" + put("%d2", "%d3"), 6, 0, 0, 0)
    yield word(".global .u32 y, x[3];", "mov.u64 %d2, y;\nmov.u64 %d3, x;\nsub.u64 %d2, %d3, %d2;\n" + put("%d2"), 4, 0)
    yield word(".global .f32 x[3] = {0f3f800000, 1.5, -2.0};", "ld.global.u32 %r1, [x];\nld.global.u32 %r2, [x+8];\n" + put("%r1", "%r2"),
               0x3f800000, 0xc0000000)
    yield word(".global .f16x2 x;\n.global .f16 y;", load, 0)
    same = "mov.u64 %d2, a;\nld.global.u64 %d3, [x];\nsub.u64 %d4, %d3, %d2;\n" + put("%d4")
    bytes_ = ", ".join(f"{255 << 8 * i:#x}(a)" for i in range(8))
    for value, words in (("a", (0, 0)), ("a+8", (8, 0)), ("generic(a)", (0, 0)), ("generic(a)+8", (8, 0))):
        yield word(f".global .u64 a;\n.global .u64 x = {value};", same, *words)
    yield word(f".global .u64 a;\n.global .align 8 .u8 x[8] = {{{bytes_}}};", same, 0, 0)
    yield word(f".global .u64 a;\n.global .align 8 .u8 x[8] = {{{bytes_.replace('(a)', '(a+8)')}}};", same, 8, 0)
    yield word(f".global .u64 a;\n.global .align 8 .u8 x[8] = {{{bytes_.replace('(a)', '(generic(a))')}}};", same, 0, 0)
    low = "mov.u64 %d2, a;\ncvt.u32.u64 %r2, %d2;\nld.global.u32 %r1, [x];\nsub.u32 %r1, %r1, %r2;\n" + put("%r1")
    yield word(".global .u64 a;\n.global .u32 x = a;", low, 0)
    yield word(".const .u64 a = 6;\n.global .u64 x = generic(a);", "ld.global.u64 %d2, [x];\nld.u32 %r1, [%d2];\n" + put("%r1"), 6)
    called = (f"p: .callprototype _ (); call %d2, (), p;\nld.global.u32 %r1, [done];\n{put('%r1')}")
    function = ".global .u32 done;\n.func f() { st.global.u32 [done], 31; ret; }\n"
    yield word(function + ".global .u64 x[2] = {f, 0};", "ld.global.u64 %d2, [x]; " + called, 31)
    yield word(function + f".global .align 8 .u8 x[8] = {{{bytes_.replace('(a)', '(f)')}}};", "ld.global.u64 %d2, [x]; " + called, 31)
    yield Construct(".extern .shared .u32 x[]", module=".extern .shared .u32 x[];", body="mov.u32 %r1, x;\n" + put("%r1"), words=(0,))
    yield Construct("in a body", words=(4,), body="{ .local .b32 a[2], b; .shared .align 16 .b8 c[16], d; st.local.u32 [a+4], 3; st.local.u32 [b], 4;\n"
                    f"ld.local.u32 %r1, [b]; }}\n{put('%r1')}")
    for declared, why in ((".global .texref x;", "textures are not supported"), (".global .texref x = { width = 16, height = 8 };", "textures"),
                          (".global .texref x[4];", "textures"), (".tex .u64 x;", "textures"), (".global .surfref x;", "surfaces are not"),
                          (".global .samplerref x = { addr_mode_0 = wrap, filter_mode = linear };", "textures"),
                          (".global .some_later_type x;", "unknown or unsupported type"), (".global .some_later_word .u32 x;", "unknown"),
                          (".global .attribute(.some_later_word) .u32 x;", "unknown attribute"), (".local .u32 x;", "outside of functions"),
                          (".some_later_word .global .u32 x;", "unknown directive"), (".global .b8 x[2000000000];", "larger than 1 GiB"),
                          (".shared .u64 s;\n.global .u64 x = s;", "initial value"), (".global .u64 a;\n.global .u8 x = 0x1FF(a);", "mask"),
                          (".extern .global .u64 s;\n.global .u64 x = s;", "declared .extern and defined nowhere"),
                          (".global .texref t;\n.global .u64 x = t;", "textures are not supported")):
        yield Construct(declared, module=declared, body="mov.u64 %d2, x;\n" + put("%d2"), refused=why)
    yield Construct("the address of a kernel", module=".visible .entry child() { ret; }\n.global .u64 x = child;", body=(
        "ld.global.u64 %d2, [x]; mov.u64 %d3, child; setp.eq.u64 %p1, %d2, %d3; selp.u32 %r1, 5, 0, %p1;\n" + put("%r1")), words=(5,))
    yield Construct("32-bit addresses of a variable that is refused, in other names", module=".global .texref t;", body=(
        ".reg .b32 t1; mov.u32 t1, 6;\n{ .reg .b32 t; mov.u32 t, t1; mov.u32 %r1, t; }\n" + put("%r1")), words=(6,))


# ---- instructions of machines that this one is not ----

def instructions():
    tex = ".global .texref tex;\n.global .surfref srf;"
    for body, why in (("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex, {%f5, %f6}];", "textures are not supported"),
                      ("tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex, {%f5, %f6}];", "textures"), ("txq.width.b32 %r1, [tex];", "textures"),
                      ("istypep.texref %p1, %d2;", "textures"), ("suld.b.1d.b32.trap %r1, [srf, {%r2}];", "surfaces are not supported"),
                      ("sust.b.1d.b32.trap [srf, {%r2}], %r1;", "surfaces"), ("suq.width.b32 %r1, [srf];", "surfaces"),
                      ("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r3}, {%r1, %r2, %r3, %r4};", "unsupported form of mma"),
                      ("wmma.load.a.sync.aligned.row.m8n8k32.s4 {%r1}, [%d1];", "unsupported form of wmma"),
                      ("ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%r1}, [%r2];", "unsupported form of ldmatrix"),
                      ("stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r2], {%r1};", "unsupported form of stmatrix"),
                      ("wgmma.fence.sync.aligned;", "matrix instructions are not supported"), ("tcgen05.wait::ld.sync.aligned;", "matrix"), ("setmaxnreg.inc.sync.aligned.u64 64;", "unsupported form of setmaxnreg"),
                      ("mapa.u64 %d2, %d1, 0;", "clusters of several blocks"), ("getctarank.u64 %r1, %d1;", "clusters of several blocks"),
                      ("barrier.cluster.arrive.aligned;", ""), ("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %d2;", "clusters"),
                      ("multimem.ld_reduce.global.add.f32 %f1, [%d1];", "multicast"), ("alloca.u64 %d2, 16;", "dynamic stacks"),
                      ("stacksave.u64 %d2;", "dynamic stacks"), ("cp.async.bulk.commit_group;", ""), ("some_later_instruction.u32 %r1;", "unknown instruction"),
                      ("add.some_later_modifier.u32 %r1, %r1, %r1;", "unknown or unsupported form"), ("ld.global.u32 %r1, [%d1], extra;", "expected"),
                      ("mov.u32 %r1, <%r2>;", "expected"), ("call.uni (%r1), some_later_builtin, (%r2);", "declared function"),
                      (".reg .some_later_type %q;", "unknown or unsupported type")):
        yield Construct(body, module=tex, body=body, refused=why)
    launch = (".extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 a, .param .b64 b);",
              "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], 0; st.param.b64 [b], 0; call.uni (r), cudaLaunchDevice, (a, b); }")
    yield Construct("launch by a kernel", module=launch[0], body=launch[1], refused="an external function that this machine does not have")
    done = "mov.u32 %r1, 7;\n" + put("%r1")
    for body in ("nanosleep.u32 20;", "prefetch.global.L2 [%d1];", "prefetchu.L1 [%d1];", "griddepcontrol.wait;",
                 "createpolicy.fractional.L2::evict_last.b64 %d2, 1.0;"):
        yield Construct(body, body=body + "\n" + done, words=(7,))


def narrow():
    """A file of 32-bit addresses: every kernel is refused, so this has no good one."""
    return ".version 7.0\n.target sm_50\n.address_size 32\n.visible .entry uses(.param .u32 out)\n{\nret;\n}\n"


def all_constructs():
    for table in (registers, reserved, headers, functions, debug_information, unknown_directives, variables, instructions):
        yield from table()


class Constructs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def cowarp(self, *arguments):
        return subprocess.run([COWARP, "exec", *arguments], capture_output=True, text=True, timeout=300, cwd=self.folder)

    def write_all(self):
        constructs = list(enumerate(all_constructs()))
        for number, construct in constructs:
            (self.folder / f"f{number}.ptx").write_text(construct.text(number))
        return constructs

    @staticmethod
    def shape():
        return f"grid {','.join(map(str, GRID))} block {','.join(map(str, BLOCK))}"

    def test_every_kernel_that_does_not_use_it_runs_and_so_does_what_works(self):
        constructs = self.write_all()
        script = ""
        for number, construct in constructs:
            script += f"load f{number}.ptx\nalloc g{number} 64\nlaunch good_{number} grid 1 block 1 args g{number}\ncopy g{number} to g{number}.bin\n"
            if construct.refused is None:
                script += f"alloc u{number} 64\nlaunch uses_{number} {self.shape()} args u{number}\ncopy u{number} to u{number}.bin\n"
        (self.folder / "s.txt").write_text(script)
        done = self.cowarp("--script", "s.txt")
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        for number, construct in constructs:
            with self.subTest(construct.what):
                good = (self.folder / f"g{number}.bin").read_bytes()
                self.assertEqual(struct.unpack("<16I", good), (number + 1000,) + 15 * (0,))
                said = [line for line in done.stderr.splitlines() if f"f{number}.ptx:" in line]
                self.assertEqual(len(said), (construct.notice is not None) + (construct.refused is not None), said)
                if construct.notice is not None:
                    self.assertIn(construct.notice, said[0])
                if construct.refused is not None:
                    continue
                words = struct.unpack("<16I", (self.folder / f"u{number}.bin").read_bytes())
                self.assertEqual(words[:len(construct.words)], tuple(construct.words))

    def test_a_kernel_that_uses_what_is_not_here_is_refused_in_one_line(self):
        refused = [(number, construct) for number, construct in self.write_all() if construct.refused is not None]
        self.assertGreater(len(refused), 50)
        for number, construct in refused:
            with self.subTest(construct.what):
                name = f"f{number}.ptx"
                done = self.cowarp(name, "--kernel", f"uses_{number}", "--grid", "1", "--block", "1", "--arg", "out:o.bin:64")
                last = done.stderr.splitlines()[-1]
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                place = re.search(name + r":(\d+):(\d+): ", last)
                self.assertIsNotNone(place, last)
                line, column = (int(n) for n in place.groups())
                self.assertLessEqual(column, len(construct.text(number).splitlines()[line - 1]) + 1, last)
                self.assertIn(construct.refused, last)
                self.assertFalse((self.folder / "o.bin").exists())

    def test_reserved_shared_memory_is_zero_for_each_block_of_a_core(self):
        """46 blocks on one core, so that most of them come to where another has been."""
        for number, construct in self.write_all():
            if construct.what != "reserved shared memory of several blocks":
                continue
            (self.folder / "s.txt").write_text(f"load f{number}.ptx\nalloc o 64\nlaunch others grid 46 block 32 args o\n"
                                               "alloc n 4\nlaunch count grid 1 block 1 args n\ncopy n to n.bin\n")
            with open(self.folder / f"f{number}.ptx", "a") as f:
                f.write(".visible .entry count(.param .u64 out)\n{\n" + REGS + "ld.global.u32 %r1, [right];\n" + put("%r1") + "ret;\n}\n")
            done = self.cowarp("--script", "s.txt", "--quiet", "--set", "core.count=1")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual((self.folder / "n.bin").read_bytes(), struct.pack("<I", 46 * 32))
            return
        self.fail("no such construct")

    def test_a_file_of_32_bit_addresses_refuses_its_kernels_and_is_read(self):
        (self.folder / "narrow.ptx").write_text(narrow() + ".visible .entry broken() { \"open\n ret; }\n")
        self.assertIn("string is not closed", self.cowarp("narrow.ptx", "--kernel", "uses", "--grid", "1", "--block", "1").stderr)
        (self.folder / "narrow.ptx").write_text(narrow())
        done = self.cowarp("narrow.ptx", "--kernel", "uses", "--grid", "1", "--block", "1", "--arg", "u32:0")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("narrow.ptx:4:1: only 64-bit addresses are supported", done.stderr)


if __name__ == "__main__":
    COWARP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
