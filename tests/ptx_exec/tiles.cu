// SPDX-License-Identifier: Apache-2.0
// Tiles of a warp, each with a membermask of its own: cooperative groups of 4, 8 and 16 threads, and what a library's reduction and scan of
// fewer threads than a warp do. tiles.ptx is made by: nvcc -ptx -arch=compute_80 -std=c++17 tiles.cu
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__device__ int value(unsigned t)
{
    return static_cast<int>(t * t % 101) - 20;
}

// Sum, largest value, ballot, broadcast and rotation of each tile of eight threads.
extern "C" __global__ void tiles8(int *out)
{
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    int sum = value(t);
    for (unsigned i = tile.size() / 2; i > 0; i /= 2)
        sum += tile.shfl_down(sum, i);
    out[t] = tile.shfl(sum, 0);
    out[n + t] = cg::reduce(tile, value(t), cg::greater<int>());
    out[2 * n + t] = static_cast<int>(tile.ballot(value(t) > 0));
    out[3 * n + t] = tile.any(value(t) == 5) + 2 * tile.all(value(t) > -15);
    out[4 * n + t] = tile.shfl(value(t), (tile.thread_rank() + 3) % 8);
}

// Tiles of which only some are at work: their number in the block says whether, and how often.
extern "C" __global__ void some_tiles(int *out)
{
    const auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, rank = threadIdx.x / 4;
    int v = value(t);
    for (unsigned i = 0; i < rank % 5; i++)
        v = tile.shfl_xor(v, 1 + i % 3) + static_cast<int>(tile.meta_group_rank());
    if (rank % 3 != 0)
        v += cg::reduce(tile, v, cg::plus<int>());
    out[t] = v;
}

// An inclusive sum over each sixteen threads, with a mask and a clamp of theirs.
extern "C" __global__ void scan16(int *out)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, mask = 0xffffu << (lane & 16);
    int v = value(t);
    for (int d = 1; d < 16; d *= 2) {
        const int from = __shfl_up_sync(mask, v, d, 16);
        v += lane % 16 >= d ? from : 0;
    }
    out[t] = v;
}

// Threads with equal values find each other and count themselves once, in tiles of eight; redux over each tile.
extern "C" __global__ void peers(int *out)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, lane = threadIdx.x % 32;
    const unsigned mask = 0xffu << (lane & 24);
    const unsigned same = __match_any_sync(mask, value(t) % 3);
    out[t] = __popc(same) + (static_cast<int>(lane) == __ffs(static_cast<int>(same)) - 1 ? 100 : 0);
    out[n + t] = static_cast<int>(__reduce_add_sync(mask, value(t)));
    int all;
    __match_all_sync(mask, t / 16, &all);
    out[2 * n + t] = all;
}

// The tree of a block's last warp as samples have it: all lanes are named, and a block of 16 threads has no more.
extern "C" __global__ void tree(int *out)
{
    int v = value(threadIdx.x);
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
