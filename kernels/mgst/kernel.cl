/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting of floats: the numbers go into buckets of about equal size, whose limits come from a histogram; then each bucket is sorted by
 * merging. A bucket begins at a multiple of four, so merging works on vectors of four. Seven kernels. */
#define BINS    1024
#define BUCKETS 128

/* Counts numbers by the bin of their value between low and high; each block counts in shared memory. */
__kernel __attribute__((reqd_work_group_size(96, 1, 1))) void histogram(__global const float *in, uint n, float low, float scale,
                                                                        __global uint *bins)
{
    __local uint count[BINS];
    for (uint i = get_local_id(0); i < BINS; i += 96)
        count[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&count[min((uint)((in[i] - low) * scale), (uint)BINS - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < BINS; i += 96)
        if (count[i] != 0)
            atomic_add(&bins[i], count[i]);
}

/* Finds each number's bucket by its limits (bucket b holds what is not below limit b - 1, and below limit b), and its place among the
 * block's numbers of this bucket. */
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void choose(__global const float *in, uint n, __global const float *limits,
                                                                     uint per_block, __global uint *bucket, __global uint *place,
                                                                     __global uint *counts)
{
    __local uint count[BUCKETS];
    uint begin = get_group_id(0) * per_block, end = min(begin + per_block, n);
    for (uint i = get_local_id(0); i < BUCKETS; i += 32)
        count[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = begin + get_local_id(0); i < end; i += 32) {
        float value = in[i];
        uint low = 0, high = BUCKETS - 1;
        while (low < high) {
            uint middle = (low + high) / 2;
            if (value < limits[middle])
                high = middle;
            else
                low = middle + 1;
        }
        bucket[i] = low;
        place[i] = atomic_inc(&count[low]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < BUCKETS; i += 32)
        counts[get_group_id(0) * BUCKETS + i] = count[i];
}

/* A thread has a bucket: turns the blocks' counts into the places where their numbers begin within the bucket. */
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void add_up(__global uint *counts, uint blocks, __global uint *sizes)
{
    uint bucket = get_global_id(0), sum = 0;
    for (uint i = 0; i < blocks; i++) {
        uint count = counts[i * BUCKETS + bucket];
        counts[i * BUCKETS + bucket] = sum;
        sum += count;
    }
    sizes[bucket] = sum;
}

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void scatter(__global const float *in, uint n, uint per_block,
                                                                       __global const uint *bucket, __global const uint *place,
                                                                       __global const uint *counts, __global const uint *first,
                                                                       __global float *out)
{
    uint i = get_global_id(0);
    if (i < n)
        out[first[bucket[i]] + counts[i / per_block * BUCKETS + bucket[i]] + place[i]] = in[i];
}

static float4 sort_four(float4 v)
{
    float4 a = (float4)(fmin(v.x, v.y), fmax(v.x, v.y), fmin(v.z, v.w), fmax(v.z, v.w));
    float least = fmin(a.x, a.z), most = fmax(a.y, a.w), p = fmax(a.x, a.z), q = fmin(a.y, a.w);
    return (float4)(least, fmin(p, q), fmax(p, q), most);
}

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void sort_fours(__global float4 *v, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        v[i] = sort_four(v[i]);
}

/* The smaller four of two sorted vectors come back, sorted; the larger four go to *rest, sorted. A bitonic merge. */
static float4 merge_fours(float4 a, float4 b, float4 *rest)
{
    float4 low = fmin(a, b.wzyx), high = fmax(a, b.wzyx);
    float4 l = (float4)(fmin(low.xy, low.zw), fmax(low.xy, low.zw)), h = (float4)(fmin(high.xy, high.zw), fmax(high.xy, high.zw));
    *rest = (float4)(fmin(h.x, h.y), fmax(h.x, h.y), fmin(h.z, h.w), fmax(h.z, h.w));
    return (float4)(fmin(l.x, l.y), fmax(l.x, l.y), fmin(l.z, l.w), fmax(l.z, l.w));
}

/* A thread merges two sorted runs of `run` vectors that lie behind each other within a bucket; the last runs of a bucket may be short or
 * missing. `first` is in vectors here. Used with blocks of 256 threads for short runs and of 208 for long ones. */
__kernel void merge(__global const float4 *in, __global float4 *out, __global const uint *first, uint run, uint threads_per_bucket)
{
    uint bucket = get_global_id(0) / threads_per_bucket, index = get_global_id(0) % threads_per_bucket;
    if (bucket >= BUCKETS)
        return;
    uint end = first[bucket + 1], a = min(first[bucket] + index * 2 * run, end), b = min(a + run, end), to = a;
    uint a_end = b, b_end = min(b + run, end);
    if (a == b)
        return;
    if (b == b_end) {
        while (a < a_end)
            out[to++] = in[a++];
        return;
    }
    float4 left = in[a++], right = in[b++], rest;
    out[to++] = merge_fours(left, right, &rest);
    while (a < a_end || b < b_end) {
        bool from_left = (b == b_end) | ((a < a_end) & (in[a].x < in[b].x)); /* no branch: it would split the warp */
        float4 next = in[from_left ? a : b];
        a += from_left;
        b += !from_left;
        out[to++] = merge_fours(rest, next, &rest);
    }
    out[to] = rest;
}

/* Takes the buckets together without the padding at their ends. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void pack(__global const float *in, __global const uint *first,
                                                                    __global const uint *start, __global float *out)
{
    uint bucket = get_group_id(0), size = start[bucket + 1] - start[bucket];
    for (uint i = get_local_id(0); i < size; i += 256)
        out[start[bucket] + i] = in[first[bucket] * 4 + i];
}
