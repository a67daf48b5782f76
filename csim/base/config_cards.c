/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Presets of cards since Volta. Numbers are those of data sheets, of NVIDIA's guide, of configurations that others have
 * published, and of microbenchmarks; none is fitted to an application.
 */
#include "base/config_private.h"

/* All presets begin with it. */
const struct cw_config__preset cw_config__getm = {"getm", "15 cores, 6 partitions, as in GETM Table II", NULL, NULL, 0};

#define QV  "GPGPU-Sim 4, tested configuration SM7_QV100 (1132 MHz)"
#define QVT "Accel-Sim, SM7_QV100, trace.config"
#define BOOST \
    "inferred: a kernel that only reads and writes moves 527 bytes a cycle there, 68 percent of the memory's peak at 1132 MHz, 88 at 1455"
#define NOC     "Jin et al. 2024, of a V100"
#define BENCHES "gpu-benches, gpu-latency, of a "
#define EMPTY   "an H100's empty kernels of 16,384 to 65,536 blocks"
#define PTXAS   "ptxas 13 lets so many cycles pass"
#define VOLTA   "Accel-Sim's microbenchmarks of a TITAN V, whose cores are the same"
#define SM70 \
    "NVIDIA's white paper of Volta: one array for L1 and shared memory; developer forum, thread 108896: one load/store unit for a core"
#define NCU   "Nsight Compute, profiling guide, pipelines: the load/store unit reads special registers, too"
#define DIRTY "inferred: six kernels of a GV100 write 3 MB less to its memory than to its L2 of 6 MB (experiments/peers/v100_counters.csv)"
#define PAIRS "NVIDIA developer forum, thread 77228: on 7.0 to 7.5; no later one is named"
static const struct cw_config__override qv100[] = {
    SET(gpu_kernels, 128, "CUDA guide, compute capability 7.0"),
    SET(gpu_queues, 8, "CUDA guide, CUDA_DEVICE_MAX_CONNECTIONS: 8 unless the program asks for more"),
    SET(clock_core_mhz, 1455, BOOST),
    SET(clock_noc_mhz, 1455, BOOST),
    SET(clock_l2_mhz, 1455, BOOST),
    SET(clock_cu_mhz, 700, "GETM Table II, for which commit units are synthesized; the card has none"),
    SET(clock_dram_mhz, 850, QV),
    SET(core_count, 80, QV),
    SET(mem_mbytes, 16384, "of the card's 32 GB: the most that there can be"),
    SET(core_warps, 64, QV ": 2048 threads"),
    SET(core_blocks, 32, QV),
    SET(core_registers, 65536, QV),
    SET(core_shared_bytes, 98304, QV),
    SET(core_schedulers, 4, QV),
    SET(core_issue_cycles, 1, QV ": an instruction per scheduler and cycle"),
    SET(core_scheduler, CW_SCHED_GTO, QV),
    SET(core_divergence, CW_DIVERGENCE_PDOM_ITS,
        "CUDA guide, compute capability 7.0: threads of a warp have PCs; Dale 2026: branches cost what they did before"),
    SET(core_fetch_cycles, 4, QVT ": its branch unit"),
    SET(core_barrier_interval, 2, "CUDA guide: 16 threads a cycle, compute capability 7 and 8"),
    SET(core_block_cycles, 272, EMPTY ": those of 768 and 1,024 threads take a core 321 and 339 each, two at a time"),
    SET(core_warp_cycles, 2, EMPTY ", the same rows: 2.25 for each warp"),
    SET(core_sub_cores, CW_ON, "Volta: units of each of four parts of a core; Nsight Compute: pipes"),
    SET(fu_convert_latency, 14, "Jia et al. 2018"),
    SET(fu_bits_latency, 10, "Jia et al. 2018"),
    SET(fu_half_latency, 6, "Jia et al. 2018; " VOLTA ": 6.2"),
    SET(fu_guard_latency, 12, PTXAS ", for sm_75: 12 cycles from a comparison to what it guards"),
    SET(core_mem_off, CW_MEM_OFF_TAKEN, "inferred: sums in shared memory take longer on three cards than their lanes that are on"),
    SET(core_mem_unit, CW_MEM_UNIT_ONE, SM70),
    SET(core_specials, CW_SPECIALS_MEMORY, NCU),
    SET(fu_products, CW_PRODUCTS_FP, "Nsight Compute: the pipe of f32 multiplies integers too"),
    SET(core_lowering, CW_LOWERING_PTXAS, "model: the card runs machine code"),
    SET(fu_alu_latency, 4, QV "; " VOLTA ": 4.3"),
    SET(fu_alu_interval, 2, QV ": 16 lanes a scheduler"),
    SET(fu_imul_latency, 5, "Jia et al. 2018: 5"),
    SET(fu_imul_interval, 2, QV),
    SET(fu_idiv_latency, 145, QV),
    SET(fu_idiv_interval, 24, "model: three instructions of the unit of special functions"),
    SET(fu_fp_latency, 4, QV "; " VOLTA ": 4.1"),
    SET(fu_fp_interval, 2, QV),
    SET(fu_fma_latency, 4, VOLTA ": 4.1, where the file has 5"),
    SET(fu_fma_interval, 2, QV),
    SET(fu_fdiv_latency, 39, QV),
    SET(fu_fdiv_interval, 16, "model: two instructions of the unit of special functions"),
    SET(fu_sfu_latency, 21, VOLTA ": 21.1; " QVT ": 20"),
    SET(fu_sfu_interval, 8, QV ": 4 lanes a scheduler"),
    SET(fu_dp_latency, 8, QV "; " VOLTA ": 8.1"),
    SET(fu_dp_interval, 4, QV ": 8 lanes a scheduler"),
    SET(fu_dpdiv_latency, 330, QV),
    SET(fu_dpdiv_interval, 130, QV),
    SET(fu_move_interval, 2, QV),
    SET(fu_max_latency, 5, "Jia et al. 2018: 5"),
    SET(fu_max_interval, 2, QV),
    SET(fu_dpmax_latency, 19, QV),
    SET(fu_dpmax_interval, 4, QV),
    SET(fu_imad_latency, 5, QV),
    SET(fu_imad_interval, 2, QV),
    SET(fu_shfl_latency, 21, QV),
    SET(fu_shfl_interval, 4, QV),
    PASSES(1, QV ": an access in a cycle"),
    SET(shared_latency, 26, VOLTA ": 27.0 to a dependent instruction"),
    SET(shared_pairs, CW_ON, PAIRS),
    SET(l1_bytes, 131072, QV ": 128 KB, less what blocks take of shared memory"),
    SET(l1_ways, 512, QV ": one set, here two"),
    SET(l1_global, CW_L1_ON, QV),
    SET(l1_sectored, CW_ON, QV),
    SET(l1_read_only, CW_ON, "model: one cache for all loads"),
    SET(l1_latency, 1, "with l1.pipeline 34 in all"),
    SET(l1_pipeline, 33, VOLTA ": 33.7 in all"),
    SET(l1_mshrs, 1024, QV ": L:L:s, a streaming cache: a miss for each of its lines at most"),
    SET(l1_mshr_merge, 64, QV ": L:L:s, a streaming cache: as many as there are warps"),
    SET(noc_flit_bytes, 40, QV),
    SET(noc_link_cores, 14, NOC ": 6 groups of up to 14 cores"),
    SET(noc_link_bytes, 147, NOC ": a group writes 2.30 times what one core does, here 64 bytes a cycle"),
    SET(noc_in_flits, 2048, QV ": 512 packets"),
    SET(noc_out_flits, 2048, QV ": 512 packets"),
    SET(partition_count, 64, QV ": 2 sub-partitions for each of 32 channels"),
    SET(dram_sharing, 2, QV ": 2 sub-partitions for each of 32 channels"),
    SET(l2_bytes, 98304, QV),
    SET(l2_ways, 24, QV),
    SET(l2_dirty_ways, 12, DIRTY),
    SET(l2_rop_latency, 143, VOLTA ": 211 for a load that hits the L2"),
    SET(l2_latency, 21, "as gtx480"),
    SET(l2_mshrs, 192, QV),
    SET(l2_mshr_merge, 16, QV ": 4 for each sector"),
    SET(l2_port_bytes, 32, QV),
    SET(l2_atomic_cycles, 2, "a TITAN V takes 1.7 cycles for additions of a warp to one word"),
    SET(l2_rop_queue, 224, QV),
    SET(l2_reply_queue, 64, QV),
    SET(l2_host_copies, CW_ON, QV),
    SET(dram_queue, 64, QV),
    SET(dram_latency, 177, BENCHES "V100, 432 cycles of 1380 MHz for a load that misses the L2, 215 for one that hits: 440 here"),
    SET(dram_map, CW_DRAM_BANKS_LOW, QV),
    SET(dram_burst_bytes, 32, QV),
    SET(dram_bytes_per_cycle, 32, QV),
    SET(dram_ccd, 1, QV),
    SET(dram_ccdl, 2, QV),
    SET(dram_rrd, 3, QV),
    SET(dram_wl, 2, QV),
    SET(dram_cdlr, 3, QV),
    SET(dram_wr, 10, QV),
    SET(dram_rtpl, 3, QV),
    SET(gpu_launch_cycles, 5000, QV),
    SET(gpu_dispatch, CW_DISPATCH_ONE, "an H100 takes 1.02 cycles for each block of an empty kernel"),
    SET(partition_hash, CW_ON, "the file has a hash, too, and the card's is not known"),
    SET(l1_carveout, CW_ON, "CUDA guide, compute capability 7.0"),
};

const struct cw_config__preset cw_config__qv100 = {"qv100", "Quadro V100 of 80 cores, as Accel-Sim has it", &cw_config__getm, qv100,
                                                   COUNT(qv100)};

#define TV  "GPGPU-Sim 4, tested configuration SM7_TITANV"
#define TVM "Accel-Sim's microbenchmarks of a TITAN V"
/* NVIDIA's page was not at hand when this was written. */
#define GRAPHS \
    "1.3 us: launches of a short kernel take 3.8 us each on a V100 (NVIDIA, Getting Started with CUDA Graphs), and the kernel 2.5 here"
static const struct cw_config__override titanv[] = {
    SET(clock_core_mhz, 1455, TV ": boost; " TVM ": 1455 MHz at most"),
    SET(clock_noc_mhz, 1455, TV),
    SET(clock_l2_mhz, 1455, TV),
    SET(mem_mbytes, 12288, "the card's data sheet"),
    SET(gpu_launch_cycles, 6984, TVM ": 7,258 for an empty kernel, whose block begins in 274 of them"),
    SET(gpu_next_launch_cycles, 1890, GRAPHS),
    SET(partition_count, 48, TV ": 2 sub-partitions for each of 24 channels"),
};
const struct cw_config__preset cw_config__titanv = {"titanv", "TITAN V of 80 cores at 1455 MHz, 24 channels", &cw_config__qv100, titanv,
                                                    COUNT(titanv)};

#define TU   "NVIDIA's data sheet of the card"
#define T75  "GPGPU-Sim 4, tested configuration SM75_RTX2060"
#define PG   "CUDA guide, throughput, "
#define JIA4 "Jia et al. 2019, of a T4"
#define MT4G "mt4g, sample results, of this card"
#define GA   "NVIDIA's data sheet of GA102, which has twice as much as Turing"
static const struct cw_config__override rtx2080ti[] = {
    SET(clock_core_mhz, 1545, TU ": boost"),
    SET(clock_noc_mhz, 1545, "as the cores"),
    SET(clock_l2_mhz, 1545, "as the cores"),
    SET(clock_dram_mhz, 3500, T75 ": 14 Gbit/s, four bits for each clock"),
    SET(mem_mbytes, 11264, TU),
    SET(core_count, 68, TU),
    SET(core_warps, 32, T75 ": 1024 threads"),
    SET(core_blocks, 16, "CUDA guide, compute capability 7.5"),
    SET(core_shared_bytes, 65536, T75),
    SET(fu_dp_interval, 64, PG "7.5: 2 lanes, a half for each scheduler"),
    SET(fu_dpmax_interval, 64, PG "7.5: 2 lanes"),
    SET(fu_dpdiv_interval, 1152, "18 instructions of the unit"),
    SET(fu_dp_latency, 40, JIA4 ": about 40, where Volta has 8"),
    SET(noc_link_cores, 0, "not known"),
    SET(core_mem_lanes, 16, GA ": 64 bytes in a cycle; 16 load/store units"),
    SET(shared_width, 64, GA ": 64 bytes in a cycle"),
    SET(shared_latency, 18, JIA4 ": 19 to a dependent instruction"),
    SET(l1_bytes, 98304, "CUDA guide, compute capability 7.5: 96 KB, less what blocks take of shared memory"),
    SET(l1_ways, 384, "one set, here two"),
    SET(l1_shared_least, 32768, "CUDA guide, compute capability 7.5: 32 or 64 KB of shared memory"),
    SET(gpu_next_launch_cycles, 2010, "as titanv: 1.3 us"),
    SET(l1_pipeline, 31, JIA4 ": 32 in all"),
    SET(partition_count, 44, "as " T75 ": 2 sub-partitions for each 16 bits of the bus of 352"),
    SET(l2_bytes, 131072, TU ": 5.5 MB in all"),
    SET(l2_dirty_ways, 0, "not known"),
    SET(l2_ways, 16, T75),
    SET(l2_rop_latency, 126, JIA4 ": 188 for a load that hits the L2"),
    SET(dram_latency, 276, MT4G ": 484 cycles, the median, for a load that misses the L2"),
    SET(dram_map, CW_DRAM_GROUPS_LOW, "as sbrp-near, whose memory is the same"),
    SET(dram_bytes_per_cycle, 8, T75),
    SET(dram_ccd, 4, T75),
    SET(dram_ccdl, 4, T75),
    SET(dram_rrd, 10, T75),
    SET(dram_rcd, 20, T75),
    SET(dram_ras, 50, T75),
    SET(dram_rp, 20, T75),
    SET(dram_rc, 62, T75),
    SET(dram_cl, 20, T75),
    SET(dram_wl, 8, T75),
    SET(dram_cdlr, 9, T75),
    SET(dram_wr, 20, T75),
    SET(dram_rtpl, 4, T75),
};
const struct cw_config__preset cw_config__rtx2080ti = {"rtx2080ti", "card of 2018: 68 cores of sm_75, 352 bits of GDDR6", &cw_config__qv100,
                                                       rtx2080ti, COUNT(rtx2080ti)};

#define AD  "NVIDIA's data sheet of the card"
#define LUO "Luo et al. 2024"
/* These numbers were entered without the paper at hand, and have to be compared with it. */
#define GD6 "GPGPU-Sim 4, tested configuration SM86_RTX3070, its times at 5250 MHz"
static const struct cw_config__override rtx4070[] = {
    SET(clock_core_mhz, 2475, AD ": boost"),
    SET(clock_noc_mhz, 2475, "as the cores"),
    SET(clock_l2_mhz, 2475, "as the cores"),
    SET(clock_dram_mhz, 5250, AD ": 21 Gbit/s, four bits for each clock"),
    SET(mem_mbytes, 12288, AD),
    SET(core_count, 46, AD),
    SET(core_warps, 48, "CUDA guide, compute capability 8.9"),
    SET(core_blocks, 24, "CUDA guide, compute capability 8.9"),
    SET(core_shared_bytes, 102400, "CUDA guide, compute capability 8.9"),
    SET(fu_guard_latency, 13, PTXAS ", for sm_80 to sm_90"),
    SET(fu_fp_interval, 1, PG "8.9: 128 lanes"),
    SET(fu_fma_interval, 1, PG "8.9: 128 lanes"),
    SET(fu_dp_interval, 64, PG "8.9: 2 lanes, a half for each scheduler"),
    SET(fu_dpmax_interval, 64, PG "8.9: 2 lanes"),
    SET(fu_dpdiv_interval, 1152, "18 instructions of the unit"),
    SET(gpu_next_launch_cycles, 3220, "as titanv: 1.3 us"),
    SET(noc_link_cores, 12,
        "inferred: groups of 12, with as much as a V100's; an RTX 4090 reads 1,622 bytes a cycle from its L2 (" LUO
        "), 147 for each of 11"),
    SET(core_mem_lanes, 16, AD ": 16 load/store units of a core; gpu-benches, gpu-cache, of an L40: 64 bytes a cycle by 32 bits"),
    SET(shared_width, 128, "NVIDIA's data sheet of GA102: 128 bytes in a cycle; " LUO ", of an RTX 4090: 121 bytes a cycle by 128 bits"),
    SET(shared_latency, 29, LUO ", of an RTX 4090: 30.1 to a dependent instruction"),
    SET(shared_pairs, CW_OFF, PAIRS),
    SET(l1_pipeline, 42, LUO ", of an RTX 4090: 43.4 in all"),
    SET(partition_count, 36,
        "model: 3 slices for each 16 bits of the bus of 192, which give as much as the L2 of an RTX 4090 for its bus of 384"),
    SET(dram_sharing, 3, "model: 3 slices for each 16 bits of the bus"),
    SET(l2_bytes, 1048576, AD ": 36 MB in all"),
    SET(l2_dirty_ways, 0, "not known"),
    SET(l2_ways, 16, "as rtx2080ti"),
    SET(l2_rop_latency, 200, LUO ", of an RTX 4090: 273 for a load that hits the L2"),
    SET(dram_latency, 232, LUO ", of an RTX 4090: 541 for a load that misses the L2"),
    SET(dram_map, CW_DRAM_GROUPS_LOW, "as rtx2080ti"),
    SET(dram_bytes_per_cycle, 8, GD6),
    SET(dram_ccd, 4, GD6),
    SET(dram_ccdl, 4, GD6),
    SET(dram_rrd, 15, GD6),
    SET(dram_rcd, 30, GD6),
    SET(dram_ras, 75, GD6),
    SET(dram_rp, 30, GD6),
    SET(dram_rc, 93, GD6),
    SET(dram_cl, 30, GD6),
    SET(dram_wl, 12, GD6),
    SET(dram_cdlr, 14, GD6),
    SET(dram_wr, 30, GD6),
    SET(dram_rtpl, 6, GD6),
};
const struct cw_config__preset cw_config__rtx4070 = {"rtx4070", "card of 2023: 46 cores of sm_89, L2 of 36 MB, 192 bits of GDDR6X",
                                                     &cw_config__qv100, rtx4070, COUNT(rtx4070)};

#define HO  "NVIDIA's data sheet of the card"
#define H90 "GPGPU-Sim 4, tested configuration SM90_H100"
#define HBM "SM7_TITANV's times of HBM2 in nanoseconds, at 1593 MHz"
static const struct cw_config__override h100[] = {
    SET(clock_core_mhz, 1755, HO ": boost"),
    SET(clock_noc_mhz, 1755, "as the cores"),
    SET(clock_l2_mhz, 1755, "as the cores"),
    SET(clock_dram_mhz, 1593, HO ": 5120 bits of HBM2e, 2039 GB/s"),
    SET(core_count, 114, HO ": of PCIe"),
    SET(core_shared_bytes, 233472, H90),
    SET(fu_guard_latency, 13, PTXAS ", for sm_80 to sm_90"),
    SET(fu_fp_interval, 1, PG "9.0: 128 lanes"),
    SET(fu_fma_interval, 1, PG "9.0: 128 lanes"),
    SET(fu_dp_interval, 2, PG "9.0: 64 lanes"),
    SET(fu_dpmax_interval, 2, PG "9.0: 64 lanes"),
    SET(fu_dpdiv_interval, 36, "18 instructions of the unit"),
    SET(gpu_launch_cycles, 3742,
        "an empty kernel of 1,024 blocks takes 5,055 cycles; blocks go out in 1,024 of them, and the last begins in 288"),
    SET(noc_link_cores, 0, NOC " and an H100: a group writes 12.4 times what one core does"),
    SET(shared_latency, 28, H90 ": 29 to a dependent instruction"),
    SET(shared_pairs, CW_OFF, PAIRS),
    SET(l1_bytes, 262144, H90),
    SET(l1_pipeline, 40, H90 ": 41 in all"),
    SET(partition_count, 40, H90 ": 40 channels; its two sub-partitions of each are one here, with twice the port"),
    SET(dram_sharing, 1, "one slice for each channel"),
    SET(l2_bytes, 1310720, HO ": 50 MB in all"),
    SET(l2_dirty_ways, 0, "not known"),
    SET(l2_ways, 20, H90),
    SET(l2_port_bytes, 64, "one slice for each channel, in the place of two with 32"),
    SET(l2_mshrs, 384, H90),
    SET(l2_rop_latency, 193, LUO ": 261 for a load that hits the L2"),
    SET(dram_latency, 150, LUO ": 479 for a load that misses the L2"),
    SET(dram_rrd, 6, HBM),
    SET(dram_rcd, 22, HBM),
    SET(dram_ras, 53, HBM),
    SET(dram_rp, 22, HBM),
    SET(dram_rc, 75, HBM),
    SET(dram_cl, 22, HBM),
    SET(dram_wl, 3, HBM),
    SET(dram_cdlr, 5, HBM),
    SET(dram_wr, 19, HBM),
    SET(dram_rtpl, 6, HBM),
};
const struct cw_config__preset cw_config__h100 = {
    "h100", "H100 PCIe: 114 cores, L2 of 50 MB, HBM2e; what Hopper has beyond mma.sync is not there", &cw_config__qv100, h100, COUNT(h100)};
