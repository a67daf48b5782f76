// SPDX-License-Identifier: Apache-2.0
// A C++ program that uses libcowarp: four threads write what they have computed.
#include <cowarp/cowarp.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>

namespace
{

const std::string ptx = R"(.version 7.0
.target sm_50
.address_size 64
.visible .entry answer(.param .u64 to)
{
    .reg .b32 %r<3>; .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    add.u32 %r2, %r1, 39;
    mul.wide.u32 %rd1, %r1, 4;
    ld.param.u64 %rd2, [to];
    add.u64 %rd3, %rd2, %rd1;
    st.global.u32 [%rd3], %r2;
    ret;
}
)";

struct Destroy {
    void operator()(cowarp_gpu *gpu) const
    {
        cowarp_destroy(gpu);
    }
};

int run(cowarp_gpu *gpu, std::array<uint32_t, 4> &answer)
{
    cowarp_module *module;
    uint64_t to;
    int status = cowarp_load(gpu, &module, ptx.c_str(), ptx.size(), "answer.ptx");
    if (status == COWARP_OK)
        status = cowarp_alloc(gpu, &to, sizeof answer);
    if (status != COWARP_OK)
        return status;
    cowarp_arg argument{};
    argument.type = COWARP_ARG_U64;
    argument.value.u64 = to;
    cowarp_launch launch{};
    launch.size = sizeof launch;
    launch.kernel = "answer";
    launch.grid[0] = launch.grid[1] = launch.grid[2] = launch.block[1] = launch.block[2] = 1;
    launch.block[0] = answer.size();
    launch.arg_count = 1;
    launch.args = &argument;
    status = cowarp_run(gpu, module, &launch);
    return status == COWARP_OK ? cowarp_read(gpu, answer.data(), to, sizeof answer) : status;
}

} // namespace

int main()
{
    cowarp_options options;
    cowarp_options_init(&options);
    cowarp_gpu *made;
    std::array<uint32_t, 4> answer{};
    int status = cowarp_create(&made, &options);
    const std::unique_ptr<cowarp_gpu, Destroy> gpu(made);
    if (status == COWARP_OK)
        status = run(gpu.get(), answer);
    if (status != COWARP_OK) {
        std::fprintf(stderr, "answer: %s\n", cowarp_error(gpu.get()));
        return 1;
    }
    std::printf("the answer is %u\n", answer[3]);
    return 0;
}
