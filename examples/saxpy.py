# SPDX-License-Identifier: Apache-2.0
"""y = a x + y on two simulated machines, checked against numpy, with a small table at the end. The cells (# %%) are for an editor or a notebook.

    PYTHONPATH=python python3 examples/saxpy.py"""
# %%
import numpy

import cowarp

# Written by hand here; clang and nvcc -ptx write such text.
PTX = """
.version 7.0
.target sm_50
.address_size 64
.visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)
{
    .reg .b32 %r<6>; .reg .b64 %rd<6>; .reg .f32 %f<5>; .reg .pred %p<2>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [n];
    setp.ge.u32 %p1, %r4, %r5;
    @%p1 bra done;
    mul.wide.u32 %rd1, %r4, 4;
    ld.param.u64 %rd2, [x];
    add.u64 %rd3, %rd2, %rd1;
    ld.param.u64 %rd4, [y];
    add.u64 %rd5, %rd4, %rd1;
    ld.param.f32 %f1, [a];
    ld.global.f32 %f2, [%rd3];
    ld.global.f32 %f3, [%rd5];
    fma.rn.f32 %f4, %f1, %f2, %f3;
    st.global.f32 [%rd5], %f4;
done:
    ret;
}
"""
N, THREADS = 10000, 256


# %%
def saxpy(preset):
    """The statistics of one run. The arrays hold small whole numbers, so every result is exact."""
    x = numpy.arange(N, dtype=numpy.float32) % 100
    y = numpy.arange(N, dtype=numpy.float32) % 7
    wanted = 2 * x + y
    with cowarp.Gpu(preset=preset) as gpu:
        module = gpu.load(PTX, name="saxpy.ptx")
        gpu.run(module.kernels["saxpy"], (N + THREADS - 1) // THREADS, THREADS, 2.0, cowarp.In(x), y, N)
        if not (y == wanted).all():
            raise SystemExit(f"{preset}: {(y != wanted).sum()} of {N} results are wrong")
        return gpu.stats


# %%
stats = {preset: saxpy(preset) for preset in ("getm", "gtx480")}
print(cowarp.frame(stats, ["cycles", "simulated_us", "thread_instructions", "l2_read_misses"]))
