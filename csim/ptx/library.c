/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that a CUDA toolkit links to every kernel: malloc and free, the calls behind grid.sync(), and the device runtime, whose text is
 * device_runtime.ptx. A module that declares one of them and does not define it gets it from here. They are PTX as any other, so they take
 * the time that their instructions take. Where they are expanded, their lines are that of the call.
 *
 * The heap. cowarp_heap is the address of a block of device memory that the host has prepared: its first two 64-bit words are the offset
 * behind the last piece that was cut off, and the size. Pieces have powers of two as sizes, from 32 bytes on, with a header of 16 bytes. Pieces
 * of 2^c bytes that were freed are lists, one for each lane l that frees, since lanes of a warp come all at once: the word at
 * 16 + 8 (32 c + l) has the first one's offset / 16 in its lower half, and in its upper half the number of changes, so that a list that has
 * changed is not taken for what it was. A lane takes from its own list, else it cuts off a piece, and when all is cut it looks at the others'
 * lists. The header is struct cw_heap_header. One that free does not know as a used piece's ends the run: cowarp_bad_free says what is wrong.
 *
 * A grid's barrier is one word (offset 4 behind the handle) that the launch gives: each block adds 1, but for one that adds what is missing to
 * 2^31; so the uppermost bit changes when all have come.
 */
#include "ptx/library.h"

#include <stddef.h>

#include "ir/heap.h"

#define NUMBER(n)  TEXT_OF(n)
#define TEXT_OF(n) #n

const char cw_ptx_library_heap[] = ".global .align 8 .b64 cowarp_heap;";

static const char malloc_text[] =
    ".visible .func (.param .b64 result) malloc(.param .b64 bytes) {"
    " .reg .pred %p<4>; .reg .b32 %c, %l, %k, %next; .reg .b64 %base, %n, %asked, %at, %old, %new, %is, %piece, %limit;"
    " ld.param.b64 %n, [bytes]; mov.b64 %asked, %n; ld.global.b64 %base, [cowarp_heap]; mov.b64 %piece, 0;"
    " setp.eq.u64 %p0, %n, 0; @%p0 bra DONE; ld.global.b64 %limit, [%base+8]; setp.gt.u64 %p0, %n, %limit; @%p0 bra DONE;"
    " add.u64 %n, %n, 15; clz.b64 %c, %n; sub.u32 %c, 64, %c; max.u32 %c, %c, 5; mov.u32 %l, %laneid; mov.u32 %k, 0;"
    "LIST: mad.lo.u32 %next, %c, 32, %l; mul.wide.u32 %at, %next, 8; add.u64 %at, %at, %base;"
    "TAKE: ld.volatile.global.b64 %old, [%at+16]; and.b64 %piece, %old, 0xffffffff; setp.eq.u64 %p0, %piece, 0; @%p0 bra EMPTY;"
    " shl.b64 %piece, %piece, 4; add.u64 %piece, %piece, %base; ld.volatile.global.b32 %next, [%piece+4];"
    " shr.u64 %new, %old, 32; add.u64 %new, %new, 1; shl.b64 %new, %new, 32; cvt.u64.u32 %is, %next; or.b64 %new, %new, %is;"
    " atom.global.cas.b64 %is, [%at+16], %old, %new; setp.ne.u64 %p0, %is, %old; @%p0 bra TAKE; bra FOUND;"
    "EMPTY: setp.ne.u32 %p0, %k, 0; @%p0 bra MORE;"
    " mov.b64 %n, 1; shl.b64 %n, %n, %c; atom.global.add.u64 %piece, [%base], %n; add.u64 %new, %piece, %n;"
    " add.u64 %piece, %piece, %base; setp.le.u64 %p0, %new, %limit; @%p0 bra FOUND;"
    " neg.s64 %n, %n; red.global.add.u64 [%base], %n;"
    "MORE: add.u32 %k, %k, 1; add.u32 %l, %l, 1; and.b32 %l, %l, 31; setp.lt.u32 %p0, %k, 32; @%p0 bra LIST; mov.b64 %piece, 0; bra DONE;"
    "FOUND: add.u32 %c, %c, " NUMBER(CW_HEAP_USED) "; cvt.u64.u32 %n, %c; st.volatile.global.v2.b64 [%piece], {%n, %asked};"
                                                   " add.u64 %piece, %piece, 16;"
                                                   "DONE: st.param.b64 [result], %piece; ret; }";

static const char free_text[] =
    ".extern .func cowarp_bad_free(.param .b64 address, .param .b32 header, .param .b64 heap);"
    ".visible .func free(.param .b64 address) {"
    " .reg .pred %p<4>; .reg .b32 %c, %l, %first, %freed; .param .b64 a; .param .b32 h; .param .b64 b; .reg .b64 %base, %at, %old, %new, "
    "%is, %piece;"
    " ld.param.b64 %piece, [address]; setp.eq.u64 %p0, %piece, 0; @%p0 bra DONE; sub.u64 %piece, %piece, 16;"
    " ld.global.b64 %base, [cowarp_heap]; atom.global.exch.b32 %first, [%piece], " NUMBER(
        CW_HEAP_FREED) ";"
                       " sub.u32 %c, %first, " NUMBER(CW_HEAP_USED) "; setp.lt.u32 %p0, %c, " NUMBER(
                           CW_HEAP_CLASSES) "; @%p0 bra OWN;"
                                            " add.u64 %at, %piece, 16; st.param.b64 [a], %at; st.param.b32 [h], %first; st.param.b64 [b], "
                                            "%base;"
                                            " call.uni cowarp_bad_free, (a, h, b); bra DONE;"
                                            "OWN: add.u32 %freed, %c, " NUMBER(
                                                CW_HEAP_FREED) "; mov.u32 %l, %laneid; mad.lo.u32 %l, %c, 32, %l; mul.wide.u32 %at, %l, 8; "
                                                               "add.u64 %at, %at, %base; membar.gl;"
                                                               "GIVE: ld.volatile.global.b64 %old, [%at+16]; cvt.u32.u64 %first, %old; "
                                                               "st.volatile.global.v2.b32 [%piece], {%freed, %first}; membar.gl;"
                                                               " shr.u64 %new, %old, 32; add.u64 %new, %new, 1; shl.b64 %new, %new, 32; "
                                                               "sub.u64 %is, %piece, %base; shr.u64 %is, %is, 4;"
                                                               " or.b64 %new, %new, %is; atom.global.cas.b64 %is, [%at+16], %old, %new; "
                                                               "setp.ne.u64 %p0, %is, %old; @%p0 bra GIVE;"
                                                               "DONE: ret; }";

/* The scope of a grid is 1. */
static const char handle_text[] = ".visible .func (.param .b64 result) cudaCGGetIntrinsicHandle(.param .b32 scope) {"
                                  " .reg .pred %p; .reg .b32 %s, %low, %high; .reg .b64 %h;"
                                  " ld.param.b32 %s, [scope]; mov.u32 %high, %envreg1; mov.u32 %low, %envreg2; mov.b64 %h, {%low, %high};"
                                  " setp.eq.u32 %p, %s, 1; selp.b64 %h, %h, 0, %p; st.param.b64 [result], %h; ret; }";

/* 1 is cudaErrorInvalidValue. */
#define SYNC(name)                                                                                                                      \
    ".visible .func (.param .b32 result) " name "(.param .b64 handle, .param .b32 flags) {"                                             \
    " .reg .pred %p; .reg .b32 %a, %b, %n, %old, %now; .reg .b64 %h;"                                                                   \
    " ld.param.b64 %h, [handle]; setp.eq.u64 %p, %h, 0; mov.b32 %now, 1; @%p bra DONE; barrier.sync 0;"                                 \
    " mov.u32 %a, %tid.x; mov.u32 %b, %tid.y; add.u32 %a, %a, %b; mov.u32 %b, %tid.z; add.u32 %a, %a, %b; setp.ne.u32 %p, %a, 0;"       \
    " @%p bra MET; mov.u32 %n, %nctaid.x; mov.u32 %b, %nctaid.y; mul.lo.u32 %n, %n, %b; mov.u32 %b, %nctaid.z; mul.lo.u32 %n, %n, %b;"  \
    " mov.u32 %a, %ctaid.x; mov.u32 %b, %ctaid.y; add.u32 %a, %a, %b; mov.u32 %b, %ctaid.z; add.u32 %a, %a, %b; setp.eq.u32 %p, %a, 0;" \
    " sub.u32 %n, 0x80000001, %n; selp.b32 %n, %n, 1, %p; membar.gl; atom.global.add.u32 %old, [%h+4], %n;"                             \
    "WAIT: ld.acquire.gpu.global.u32 %now, [%h+4]; xor.b32 %now, %now, %old; setp.ge.s32 %p, %now, 0; @%p bra WAIT; membar.gl;"         \
    "MET: barrier.sync 0; mov.b32 %now, 0;"                                                                                             \
    "DONE: st.param.b32 [result], %now; ret; }"

static const char sync_text[] = SYNC("cudaCGSynchronize"), sync_grid_text[] = SYNC("cudaCGSynchronizeGrid");

#define RUNTIME(name, formals, ...)                               \
    {                                                             \
        "__cudaCDP2" name, NULL, {__VA_ARGS__}, formals, 1, false \
    }

/* The device runtime's stand in front of the functions that it calls. */
static const struct cw_library_function functions[] = {RUNTIME("GetParameterBufferV2", 5, 8, 8, 12, 12, 4),
                                                       RUNTIME("LaunchDeviceV2", 3, 4, 8, 8),
                                                       RUNTIME("LaunchDeviceV2_ptsz", 3, 4, 8, 8),
                                                       RUNTIME("MemcpyAsync", 6, 4, 8, 8, 8, 4, 8),
                                                       RUNTIME("MemsetAsync", 5, 4, 8, 4, 8, 8),
                                                       RUNTIME("GetLastError", 1, 4),
                                                       RUNTIME("PeekAtLastError", 1, 4),
                                                       RUNTIME("GetErrorString", 2, 8, 4),
                                                       RUNTIME("Malloc", 3, 4, 8, 8),
                                                       RUNTIME("Free", 2, 4, 8),
                                                       RUNTIME("StreamCreateWithFlags", 3, 4, 8, 4),
                                                       RUNTIME("StreamDestroy", 2, 4, 8),
                                                       RUNTIME("StreamWaitEvent", 4, 4, 8, 8, 4),
                                                       RUNTIME("EventCreateWithFlags", 3, 4, 8, 4),
                                                       RUNTIME("EventRecord", 3, 4, 8, 8),
                                                       RUNTIME("EventDestroy", 2, 4, 8),
                                                       {"malloc", malloc_text, {8, 8}, 2, 1, true},
                                                       {"free", free_text, {8}, 1, 0, true},
                                                       {"cudaCGGetIntrinsicHandle", handle_text, {8, 4}, 2, 1, false},
                                                       {"cudaCGSynchronize", sync_text, {4, 8, 4}, 3, 1, false},
                                                       {"cudaCGSynchronizeGrid", sync_grid_text, {4, 8, 4}, 3, 1, false}};

const struct cw_library_function *cw_ptx_library_at(uint32_t i)
{
    return i < sizeof functions / sizeof functions[0] ? &functions[i] : NULL;
}
