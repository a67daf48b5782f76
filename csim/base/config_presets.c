/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Presets: published machines. Each replaces some values of the one that it starts from, and says for each where the number stands. What
 * it replaces of a mechanism's keys stands beside those keys (struct cw_key_set, preset).
 *
 * The papers run the SIMT core at 1400 MHz with 16-wide pipelines; GPGPU-Sim writes the same machine as 700 MHz with 32-wide ones. So a
 * latency of n cycles in its configuration files is 2 n cycles of the papers.
 */
#include <string.h>

#include "base/config_private.h"

#define T61 "thesis Table 6.1"
static const struct cw_config__override thesis_warptm[] = {
    SET(clock_core_mhz, 1400, T61),
    SET(clock_noc_mhz, 1400, T61),
    SET(clock_l2_mhz, 700, "[art]: L2 and commit units have one clock, Table 6.1 gives it for the latter"),
    SET(clock_cu_mhz, 700, T61),
    SET(clock_dram_mhz, 924, T61),
    SET(core_count, 15, T61),
    SET(core_warps, 48, T61 ": 1536 threads"),
    SET(core_registers, 32768, T61),
    SET(core_shared_bytes, 16384, T61),
    SET(core_schedulers, 2, T61 ": SIMD pipeline width 16 x 2"),
    SET(core_issue_cycles, 2, T61 ": SIMD pipeline width 16 x 2"),
    SET(core_scheduler, CW_SCHED_GTO, T61),
    SET(l1_bytes, 49152, T61),
    SET(l1_ways, 6, T61),
    SET(l1_global, CW_L1_OFF, T61 ": transactional and local memory only"),
    SET(noc_flit_bytes, 32, T61 ": 32 bytes/cycle"),
    SET(noc_latency, 5, T61),
    SET(partition_count, 6, T61),
    SET(l2_bytes, 131072, T61),
    SET(l2_ways, 8, T61),
    SET(l2_port_bytes, 64, "thesis 6.7.6"),
    SET(l2_rop_latency, 120, "half of getm's: the L2 clock is halved"),
    SET(l2_latency, 21, "half of getm's: the L2 clock is halved"),
    SET(dram_queue, 32, T61),
    SET(dram_latency, 200, T61),
};

#define T44 "thesis Table 4.4"
static const struct cw_config__override thesis_kilotm[] = {
    SET(clock_core_mhz, 1300, T44),
    SET(clock_noc_mhz, 650, T44),
    SET(clock_l2_mhz, 650, "as the interconnect"),
    SET(clock_cu_mhz, 650, T44),
    SET(clock_dram_mhz, 800, T44),
    SET(core_count, 30, T44),
    SET(noc_concentration, 3, T44 ": 10 clusters of 3, which share a port to each crossbar"),
    SET(core_warps, 32, T44 ": 1024 threads"),
    SET(core_registers, 16384, T44),
    SET(core_shared_bytes, 16384, T44),
    SET(shared_wide, CW_SHARED_WORDS, T44 ": a GPU of compute capability 1"),
    SET(core_schedulers, 1, T44 ": SIMD pipeline width 8"),
    SET(core_issue_cycles, 4, T44 ": SIMD pipeline width 8"),
    SET(core_scheduler, CW_SCHED_LRR, T44),
    SET(fu_alu_interval, 4, T44 ": SIMD pipeline width 8"),
    SET(fu_fp_interval, 4, T44 ": SIMD pipeline width 8"),
    SET(fu_imul_interval, 8, T44 ": SIMD pipeline width 8"),
    PASSES(4, "GPGPU-Sim QuadroFX5800-KILOTM: a cycle of 325 MHz"),
    SET(l1_bytes, 49152, T44),
    SET(l1_ways, 6, T44),
    SET(l1_global, CW_L1_OFF, T44 ": transactional and local memory only"),
    SET(const_bytes, 8192, T44),
    SET(const_launch, CW_LAUNCH_WARM, "GPGPU-Sim of 2010 and 3: flushes no constant cache"),
    SET(texture_launch, CW_LAUNCH_WARM, "GPGPU-Sim of 2010 and 3: flushes no texture cache"),
    SET(texture_bytes, 5120, T44),
    SET(texture_ways, 20, T44),
    SET(texture_line_bytes, 32, T44),
    SET(partition_count, 8, T44),
    SET(l2_bytes, 65536, T44),
    SET(l2_ways, 8, T44),
    SET(l2_rop_latency, 178, T44 ": so that an L2 hit takes 460 core cycles"),
    SET(l2_latency, 21, "half of getm's: the L2 clock is halved"),
    SET(dram_latency, 100, "as GPGPU-Sim"),
    SET(dram_queue, 32, T44),
    SET(dram_bytes_per_cycle, 8, T44),
    SET(dram_burst_bytes, 32, "GDDR3, burst of 4"),
    SET(dram_rrd, 8, T44),
    SET(dram_rcd, 12, T44),
    SET(dram_ras, 25, T44),
    SET(dram_rp, 10, T44),
    SET(dram_rc, 35, T44),
    SET(dram_cl, 10, T44),
    SET(dram_cdlr, 6, T44),
    SET(dram_wr, 11, T44),
};

#define T32 "thesis Table 3.2"
#define C3  "thesis 2.3.3, chapter 3's machine"
#define V2  "GPGPU-Sim 2.1.1b (thesis 3.5) has no such latency"
#define V5  "GPGPU-Sim's QuadroFX5800 of August 2010, at a quarter of the clock"
static const struct cw_config__override thesis_tbc[] = {
    SET(core_warps, 32, T32 ": 1024 threads"),
    SET(core_registers, 16384, T32),
    SET(core_shared_bytes, 16384, T32),
    SET(core_scoreboard, CW_SCOREBOARD_WARP, C3),
    SET(core_stage_cycles, 4, T32 ": 1300 MHz and SIMD pipeline width 8, so a warp in 4 cycles"),
    SET(core_pipeline, CW_PIPELINE_UNIFIED, C3),
    SET(l1_pass_cycles, 2, V5 ": two lines of 64 bytes per cycle, so a chunk of 128 bytes"),
    SET(l1_miss_cycles, 4, V5 ": one access that leaves the core per cycle"),
    SET(shared_pass_cycles, 2, V5 ": two ports per bank"),
    SET(const_pass_cycles, 2, V5 ": two ports"),
    SET(noc_concentration, 1, "none is given"),
    SET(mem_line_bytes, 64, T32 ": lines of L1 and L2"),
    SET(l1_bytes, 32768, T32),
    SET(l1_ways, 8, T32),
    SET(l1_global, CW_L1_WRITE_BACK, V5 ": its L1, when it is on, keeps what stores write"),
    SET(l1_write_miss, CW_L1_AROUND, V5 ": only loads allocate lines"),
    SET(const_bytes, 8192, T32),
    SET(texture_bytes, 32768, T32),
    SET(texture_ways, 16, T32),
    SET(texture_line_bytes, 64, T32),
    SET(l2_bytes, 1048576, T32),
    SET(l2_ways, 64, T32),
    SET(l2_rop_latency, 1, V2),
    SET(l2_latency, 8, "model: tags and data"),
    SET(dram_latency, 0, V2),
};

#define VIA "GETM VI.A"
static const struct cw_config__override getm_56[] = {
    SET(core_count, 56, VIA),
    SET(noc_concentration, 2, VIA ": 28 clusters"),
    SET(partition_count, 8, VIA ": 8 banks"),
    SET(l2_bytes, 524288, VIA ": 4 MB in 8 banks"),
    SET(l2_ways, 8, VIA),
};

#define G480 "GPGPU-Sim GTX480 (700 MHz)"
#define HALF "half of getm's value: the core clock is halved"
/* Latencies in cycles of the halved clock. */
#define AT_700_MHZ                                                                                                                        \
    SET(clock_core_mhz, 700, G480), SET(clock_l2_mhz, 700, G480), SET(clock_cu_mhz, 700, G480),                                           \
        SET(core_issue_cycles, 1, G480 ": SIMD width 32"), SET(core_fetch_cycles, 2, HALF), SET(fu_alu_latency, 4, G480),                 \
        SET(fu_idiv_latency, 145, G480), SET(fu_fp_latency, 4, G480), SET(fu_fdiv_latency, 39, G480), SET(fu_sfu_latency, 8, HALF),       \
        SET(fu_dp_latency, 8, G480), SET(fu_dpdiv_latency, 330, G480), SET(fu_alu_interval, 1, G480), SET(fu_imul_interval, 2, G480),     \
        SET(fu_idiv_interval, 8, G480), SET(fu_fp_interval, 1, G480), SET(fu_sfu_interval, 8, G480), SET(fu_dp_interval, 8, G480),        \
        SET(fu_dpdiv_interval, 130, G480), SET(fu_move_interval, 1, G480), SET(fu_max_interval, 2, G480), SET(fu_imad_interval, 1, G480), \
        SET(fu_fma_interval, 1, G480), PASSES(1, G480 ": one access in a cycle"), SET(fu_dpmax_interval, 16, G480),                       \
        SET(fu_shfl_interval, 4, G480), SET(fu_mma_interval, 1, HALF), SET(shared_latency, 26, G480),                                     \
        SET(l2_rop_latency, 120, "[art] and GPGPU-Sim GTX480"), SET(dram_latency, 100, "[art] and GPGPU-Sim GTX480")

#define M13 "the GETM authors' configuration for MICRO'13"
static const struct cw_config__override getm_artifact[] = {
    AT_700_MHZ,
    SET(fu_imul_latency, 4, G480),
    SET(fu_imad_latency, 5, G480),
    SET(fu_fma_latency, 5, G480),
    SET(fu_max_latency, 13, G480),
    SET(fu_dpmax_latency, 19, G480),
    SET(fu_fdiv_interval, 4, G480),
    SET(clock_noc_mhz, 1400, "[art]"),
    SET(clock_dram_mhz, 924, "[art]"),
    SET(const_latency, 4, HALF),
    SET(l1_pipeline, 17, HALF),
    SET(l2_ways, 16, "[art]: 64 sets of 16 ways"),
    SET(l2_latency, 2, "GPGPU-Sim 3: a queue before its L2 and one behind it, and no latency else"),
    SET(dram_queue, 16, "[art]"),
    SET(core_mem_queue, 1, M13 ": one instruction between issue and the load/store unit"),
    SET(l2_port_bytes, 64, M13 ": data port of its L2"),
    SET(dram_row_bytes, 4096, M13 ": twelve bits of column"),
    SET(dram_map, CW_DRAM_COLUMNS_LOW, M13 ": RRRR.RRRRRRRR.BBBBCCCC.CCSSSSSS"),
    SET(noc_in_flits, 21, M13 ": channels of 8 flits; 21 hold the largest packet"),
    SET(noc_out_flits, 24, M13 ": channels of 8 flits and a boundary buffer of 16"),
    SET(l2_rop_queue, 128, M13 ": 8 in its queue besides one per cycle of the delay"),
    SET(l2_sectored, CW_OFF, "GPGPU-Sim 3: an L2 line is fetched and written back whole"),
    SET(l2_write_miss, CW_L2_THROUGH, "GPGPU-Sim 3: write-allocate, \":W\" of its L2"),
};

static const struct cw_config__override gpgpusim_gtx480[] = {
    AT_700_MHZ,
    SET(mem_mbytes, 1536, "the card's data sheet"),
    SET(l2_latency, 2, "GPGPU-Sim: a queue before its L2 and one behind it, and no latency else"),
    SET(core_mem_queue, 1, "GPGPU-Sim: one instruction between issue and the load/store unit"),
    SET(core_buffer, 2, "GPGPU-Sim: two instructions per fetch"),
    SET(core_collectors, 6, G480),
    SET(icache_bytes, 2048, G480 ": 4 sets of 4 ways"),
    SET(const_bytes, 8192, G480 ": 64 sets of 2 ways of 64 bytes"),
    SET(const_latency, 1, "GPGPU-Sim: a hit answers when it is looked up"),
    SET(icache_launch, CW_LAUNCH_WARM, G480 ": gpgpu_flush_l1_cache is of the L1 data cache alone"),
    SET(const_launch, CW_LAUNCH_WARM, G480 ": gpgpu_flush_l1_cache is of the L1 data cache alone"),
    SET(texture_launch, CW_LAUNCH_WARM, G480 ": gpgpu_flush_l1_cache is of the L1 data cache alone"),
    SET(const_params, CW_PARAMS_SAME, "GPGPU-Sim: parameters of kernels are constant memory, at address 0 in every launch"),
    SET(gpu_dispatch, CW_DISPATCH_BEHIND, "GPGPU-Sim: blocks go to the clusters behind the one that took the last"),
    SET(texture_bytes, 12288, G480 ": 4 sets of 24 ways of 128 bytes"),
    SET(fu_move_latency, 1, G480 ": what its opcode lists do not name"),
    SET(fu_max_latency, 13, G480),
    SET(fu_imul_latency, 4, G480),
    SET(fu_imad_latency, 5, G480),
    SET(fu_fma_latency, 5, G480),
    SET(fu_fdiv_interval, 4, G480),
    SET(fu_dpmax_latency, 19, G480),
    SET(fu_shfl_latency, 32, G480),
    SET(clock_noc_mhz, 700, G480),
    SET(clock_dram_mhz, 924, G480),
    SET(core_shared_bytes, 49152, G480),
    SET(l1_bytes, 16384, G480 ": 32 sets of 4 ways"),
    SET(l1_ways, 4, G480),
    SET(l1_mshrs, 64, G480),
    SET(l1_global, CW_L1_ON, G480),
    SET(l1_pipeline, 34, G480 ": 35 in total"),
    SET(noc_flit_bytes, 40, G480),
    SET(noc_sector_acks, CW_ON, G480 ": its L2, sectored, performs and acknowledges a store sector by sector"),
    SET(partition_count, 12, G480 ": 2 sub-partitions for each of 6 channels"),
    SET(dram_sharing, 2, G480 ": 2 sub-partitions for each of 6 channels"),
    SET(l2_bytes, 65536, G480 ": 64 sets of 8 ways"),
    SET(l2_ways, 8, G480),
    SET(l2_mshrs, 256, G480),
    SET(l2_mshr_merge, 4, G480),
    SET(dram_queue, 64, G480),
    SET(l2_port_bytes, 32, G480),
    SET(l2_rop_queue, 184, G480 ": 64 in its queue besides one per cycle of the delay"),
    SET(l2_reply_queue, 64, G480),
    SET(l2_host_copies, CW_ON, G480 ": gpgpu_perf_sim_memcpy"),
    SET(dram_sector_reads, CW_ON, G480 ": its L2, sectored, asks for 32 bytes at a time; a burst has 64"),
    SET(dram_map, CW_DRAM_BANKS_LOW, G480 ": BBBCCCCB.CCSSSSSS"),
    SET(dram_row_bytes, 4096, G480 ": twelve bits of column"),
};

#define CARD "GTX 480 (gpumembench)"
static const struct cw_config__override gtx480[] = {
    SET(l2_latency, 21, "half of getm's: the card's rows are of rates"),
    SET(core_scheduler, CW_SCHED_LRR, CARD ": 14.8 loads that hit in the L1 per hot clock and SM; greedy-then-oldest gives 11"),
    SET(clock_noc_mhz, 1400, "[art]: of the same card; " CARD ": the L2 gives 88 percent of what its ports can"),
    SET(clock_l2_mhz, 630, CARD ": working sets in the L2 get 88 to 92 percent of 32 bytes per slice and core cycle"),
    SET(l2_replacement, CW_REPLACE_PLRU, CARD ": no cliff at the L2's size; Mei and Chu 2016: not LRU"),
    SET(shared_quad_passes, 2, CARD ": 6.06 cycles for loads and stores of 128 bits in equal parts"),
    SET(core_mem_collectors, 4, CARD ": a 32-bit store to shared memory per cycle"),
    SET(noc_sector_acks, CW_OFF, "the simulator's"),
    SET(const_params, CW_PARAMS_OWN, "as the default: the card is not known to have parameters where the launch before had them"),
    SET(gpu_dispatch, CW_DISPATCH_TURN, "as the default: not known of the card"),
    SET(dram_sector_reads, CW_OFF, CARD ": streams reach 85 percent of the DRAM's bandwidth"),
};

#define P23  "Pandey et al. 2023, Table 1"
#define SART "Pandey et al. 2023, their simulator's configuration"
static const struct cw_config__override sbrp_near[] = {
    SET(mem_mbytes, 6144, P23 ": cores, clock and bandwidth of a card of 6 GB"),
    SET(clock_core_mhz, 1365, P23),
    SET(clock_noc_mhz, 1365, SART),
    SET(clock_l2_mhz, 1365, SART),
    SET(clock_cu_mhz, 1365, "as the core's"),
    SET(clock_dram_mhz, 3500, SART),
    SET(core_count, 30, P23),
    SET(core_warps, 32, P23 ": 1024 threads"),
    SET(core_blocks, 16, SART),
    SET(core_registers, 65536, SART),
    SET(core_shared_bytes, 65536, SART),
    SET(core_schedulers, 4, SART),
    SET(core_issue_cycles, 1, SART ": a warp of 32 lanes per cycle"),
    SET(core_scheduler, CW_SCHED_GTO, SART),
    SET(core_fetch_cycles, 2, "half of getm's: issue takes one cycle"),
    SET(fu_alu_latency, 4, SART),
    SET(fu_alu_interval, 2, SART ": 16 lanes a scheduler"),
    SET(fu_imul_latency, 4, SART),
    SET(fu_imul_interval, 2, SART),
    SET(fu_fp_latency, 4, SART),
    SET(fu_fp_interval, 2, SART),
    PASSES(1, SART ": an access in a cycle"),
    SET(shared_latency, 20, SART ": as the L1"),
    SET(l1_bytes, 65536, P23),
    SET(l1_ways, 512, SART ": one set"),
    SET(l1_global, CW_L1_WRITE_BACK, SART),
    SET(l1_sectored, CW_ON, SART),
    SET(l1_latency, 1, "with l1.pipeline 20 in all"),
    SET(l1_pipeline, 19, SART ": 20 in all"),
    SET(l1_mshrs, 256, SART),
    SET(l1_mshr_merge, 8, SART),
    SET(noc_flit_bytes, 40, SART),
    SET(noc_latency, 5, "as getm"),
    SET(partition_count, 12, SART),
    SET(l2_bytes, 262144, P23 ": 3 MB in 12 partitions"),
    SET(l2_ways, 16, SART),
    SET(l2_rop_latency, 160, SART),
    SET(l2_latency, 21, "as gtx480"),
    SET(l2_mshrs, 192, SART),
    SET(dram_queue, 64, SART),
    SET(dram_latency, 100, P23 ": GDDR latency"),
    SET(dram_bytes_per_cycle, 8, P23 ": 336 GB/s over 12 partitions"),
    SET(dram_burst_bytes, 32, SART ": 16 beats of 2 bytes"),
    SET(dram_ccd, 4, SART),
    SET(dram_ccdl, 4, SART),
    SET(dram_rrd, 10, SART),
    SET(dram_rcd, 20, SART),
    SET(dram_ras, 50, SART),
    SET(dram_rp, 20, SART),
    SET(dram_rc, 62, SART),
    SET(dram_cl, 20, SART),
    SET(dram_wl, 8, SART),
    SET(dram_cdlr, 9, SART),
    SET(dram_wr, 20, SART),
    SET(dram_rtpl, 4, SART),
    SET(pm_attach, CW_PM_NEAR, "Pandey et al. 2023, section 3"),
};

static const struct cw_config__override sbrp_far[] = {
    SET(pm_attach, CW_PM_FAR, "Pandey et al. 2023, section 3"),
    SET(pm_wpq, 512, "model: the host has several channels; holds the link's bandwidth for the memory's latency"),
};

static const struct cw_config__override sbrp_artifact_near[] = {
    SET(fu_dp_interval, 4, SART),
    SET(fu_dp_latency, 8, SART),
    SET(fu_dpdiv_interval, 130, SART),
    SET(fu_dpdiv_latency, 330, SART),
    SET(fu_dpmax_interval, 4, SART),
    SET(fu_dpmax_latency, 19, SART),
    SET(fu_fdiv_interval, 4, SART),
    SET(fu_fdiv_latency, 39, SART),
    SET(fu_fma_latency, 5, SART),
    SET(fu_idiv_interval, 8, SART),
    SET(fu_idiv_latency, 145, SART),
    SET(fu_imad_latency, 5, SART),
    SET(fu_max_interval, 2, SART),
    SET(fu_max_latency, 13, SART),
    SET(fu_sfu_interval, 8, SART),
    SET(fu_sfu_latency, 100, SART),
    SET(fu_shfl_interval, 4, SART),
    SET(fu_shfl_latency, 32, SART),
    SET(core_blocks, 32, SART),
    SET(l2_host_copies, CW_ON, SART),
    SET(l2_mshr_merge, 16, SART ": 4 for each sector"),
    SET(l2_port_bytes, 32, SART),
    SET(l2_reply_queue, 64, SART),
    SET(l2_rop_queue, 224, SART),
    SET(pm_order, CW_PM_ORDER_ARRIVAL, SART ": one queue"),
    SET(pm_wpq, 257, SART ": credits of 64 + 192 entries and one of each half"),
    SET(pm_queue, 385, SART ": the same, and 64 of each half in front of it"),
    SET(pm_latency_unit, CW_PM_CYCLES, SART),
    SET(gpu_launch_cycles, 5000, SART),
    SET(l2_pm_miss, CW_L2_PM_FETCH, SART),
    SET(l2_launch, CW_LAUNCH_COLD, SART ": gpgpu_flush_l2_cache 1"),
};

/* Their far memory is near memory with other numbers. */
static const struct cw_config__override sbrp_artifact_far[] = {
    SET(pm_latency, 900, SART ": 300 + 2 x 300"),
    SET(pm_read_mbps, 21000, SART ": 32 / 12 bytes of 32 in a command, in integers 2"),
    SET(pm_write_mbps, 21000, SART ": the same"),
};

#define LTM3 "GPU-LocalTM's improvements, Table 3"
#define GCN  "AMD, Southern Islands (GCN): HD 7970"
#define M2S  "Multi2Sim 4.2, Southern Islands"
static const struct cw_config__override localtm[] = {
    SET(clock_core_mhz, 925, GCN),
    SET(clock_noc_mhz, 925, GCN ": one clock for the engine"),
    SET(clock_l2_mhz, 925, GCN ": one clock for the engine"),
    SET(clock_cu_mhz, 925, "as the core's; not used"),
    SET(clock_dram_mhz, 1375, GCN ": 5.5 Gbit/s, four bits per clock"),
    SET(core_count, 32, LTM3),
    SET(core_warps, 40, GCN ": 10 wavefronts for each SIMD unit"),
    SET(core_warp_width, 64, "GPU-LocalTM's improvements, 2.1"),
    SET(core_blocks, 16, GCN ": 16 work-groups of several wavefronts per CU"),
    SET(core_registers, 65536, LTM3),
    SET(core_shared_bytes, 65536, LTM3 " (where it says 65546)"),
    SET(core_schedulers, 4, LTM3 ": 4 SIMD units"),
    SET(core_issue_cycles, 4, LTM3 ": 16 lanes, so 4 cycles for a wavefront"),
    SET(core_mem_queue, 64, "model: units have buffers of their own; a short queue starves the holder of a lock among warps that spin"),
    SET(core_scheduler, CW_SCHED_LRR, M2S ": oldest first among those that are ready; nearest here"),
    SET(fu_alu_latency, 8, M2S ": read, execute, write"),
    SET(fu_alu_interval, 4, LTM3 ": 16 lanes"),
    SET(fu_imul_latency, 16, GCN ": a quarter of the rate"),
    SET(fu_imul_interval, 16, GCN ": a quarter of the rate"),
    SET(fu_fp_latency, 8, M2S ": read, execute, write"),
    SET(fu_fp_interval, 4, LTM3 ": 16 lanes"),
    SET(fu_sfu_interval, 16, GCN ": a quarter of the rate"),
    SET(fu_dp_interval, 16, GCN ": a quarter of the rate"),
    SET(fu_move_interval, 4, LTM3 ": 16 lanes"),
    SET(fu_max_interval, 4, LTM3 ": 16 lanes"),
    SET(fu_imad_interval, 16, GCN ": a quarter of the rate"),
    SET(fu_fma_interval, 4, LTM3 ": 16 lanes"),
    PASSES(1, GCN ": 32 words of local memory, and a line of 64 bytes, in a cycle"),
    SET(shared_latency, 2, LTM3),
    SET(mem_line_bytes, 64, GCN),
    SET(l1_bytes, 16384, GCN),
    SET(l1_ways, 4, GCN),
    SET(l1_global, CW_L1_ON, GCN ": loads hit in it, stores pass it by"),
    SET(l1_pipeline, 16, "model: between issue and tags"),
    SET(noc_flit_bytes, 64, GCN ": 64 bytes per cycle and CU"),
    SET(partition_count, 12, GCN ": 12 channels of 32 bits"),
    SET(l2_bytes, 65536, GCN ": 768 KB in all"),
    SET(l2_ways, 16, GCN),
    SET(l2_port_bytes, 64, GCN),
    SET(l2_rop_latency, 80, "model: an L2 hit takes about 150 cycles"),
    SET(l2_latency, 20, "model: an L2 hit takes about 150 cycles"),
    SET(dram_latency, 100, M2S ": global memory"),
    SET(dram_bytes_per_cycle, 16, GCN ": 264 GB/s in all"),
    SET(dram_burst_bytes, 32, "GDDR5, burst of 8"),
};

#define SI2 "SI-TM Table 2"
static const struct cw_config__override si_tm[] = {
    SET(dram_queue, 16, SI2),
    SET(l2_bytes, 131072, SI2 ": the tables of snapshot isolation take the other half"),
};
static const struct cw_config__override si_tm_base[] = {
    SET(l2_bytes, 262144, SI2 ": 256 KB x 6"),
};

static const struct cw_config__preset preset_thesis_warptm = {"thesis-warptm", "enhanced Kilo TM machine of Fung 2015, Table 6.1",
                                                              &cw_config__getm, thesis_warptm, COUNT(thesis_warptm)};
static const struct cw_config__preset preset_thesis_kilotm = {"thesis-kilotm", "Kilo TM machine of Fung 2015, Table 4.4", &cw_config__getm,
                                                              thesis_kilotm, COUNT(thesis_kilotm)};
static const struct cw_config__preset preset_thesis_tbc = {"thesis-tbc", "branch divergence machine of Fung 2015, Table 3.2",
                                                           &preset_thesis_kilotm, thesis_tbc, COUNT(thesis_tbc)};
static const struct cw_config__preset preset_getm_56 = {"getm-56", "56 cores, 8 partitions, 4 MB L2, as in GETM VI.A and Figure 17",
                                                        &cw_config__getm, getm_56, COUNT(getm_56)};
static const struct cw_config__preset preset_getm_artifact = {"getm-artifact",
                                                              "configuration of the GETM authors' simulator, at its 700-MHz core clock",
                                                              &cw_config__getm, getm_artifact, COUNT(getm_artifact)};
static const struct cw_config__preset preset_gpgpusim_gtx480 = {"gpgpusim-gtx480",
                                                                "GPGPU-Sim 4's GTX480, for comparisons with that simulator",
                                                                &cw_config__getm, gpgpusim_gtx480, COUNT(gpgpusim_gtx480)};
static const struct cw_config__preset preset_gtx480 = {"gtx480", "the same where a GTX 480 measures otherwise than GPGPU-Sim",
                                                       &preset_gpgpusim_gtx480, gtx480, COUNT(gtx480)};

static const struct cw_config__preset preset_sbrp_near = {
    "sbrp-near", "persistency machine with NVM on the GPU, Pandey et al. 2023, Table 1", &cw_config__getm, sbrp_near, COUNT(sbrp_near)};
static const struct cw_config__preset preset_sbrp_far = {"sbrp-far", "the same with NVM behind PCIe", &preset_sbrp_near, sbrp_far,
                                                         COUNT(sbrp_far)};
static const struct cw_config__preset preset_sbrp_artifact_near = {
    "sbrp-artifact-near", "the same as the authors' simulator has it: latencies in cycles, early acknowledgements", &preset_sbrp_near,
    sbrp_artifact_near, COUNT(sbrp_artifact_near)};
static const struct cw_config__preset preset_sbrp_artifact_far = {"sbrp-artifact-far", "the authors' simulator's far memory",
                                                                  &preset_sbrp_artifact_near, sbrp_artifact_far, COUNT(sbrp_artifact_far)};

static const struct cw_config__preset preset_localtm = {
    "localtm", "32 compute units of 4 x 16 lanes, wavefronts of 64: Southern Islands, GPU-LocalTM's improvements, Table 3",
    &cw_config__getm, localtm, COUNT(localtm)};

static const struct cw_config__preset preset_si_tm = {"si-tm", "snapshot isolation machine of Chen et al. 2017, Table 2",
                                                      &preset_thesis_warptm, si_tm, COUNT(si_tm)};
static const struct cw_config__preset preset_si_tm_base = {"si-tm-base", "the same for WarpTM and Kilo TM: the tables' bytes are L2's",
                                                           &preset_si_tm, si_tm_base, COUNT(si_tm_base)};
static const struct cw_config__preset *const presets[] = {
    &cw_config__getm,          &preset_thesis_kilotm,   &preset_thesis_warptm, &preset_getm_56,
    &preset_getm_artifact,     &preset_gpgpusim_gtx480, &preset_gtx480,        &cw_config__qv100,
    &cw_config__titanv,        &cw_config__rtx2080ti,   &cw_config__rtx4070,   &cw_config__h100,
    &preset_thesis_tbc,        &preset_sbrp_near,       &preset_sbrp_far,      &preset_sbrp_artifact_near,
    &preset_sbrp_artifact_far, &preset_localtm,         &preset_si_tm,         &preset_si_tm_base};

static const char *const preset_names[] = {"getm",
                                           "thesis-kilotm",
                                           "thesis-warptm",
                                           "getm-56",
                                           "getm-artifact",
                                           "gpgpusim-gtx480",
                                           "gtx480",
                                           "qv100",
                                           "titanv",
                                           "rtx2080ti",
                                           "rtx4070",
                                           "h100",
                                           "thesis-tbc",
                                           "sbrp-near",
                                           "sbrp-far",
                                           "sbrp-artifact-near",
                                           "sbrp-artifact-far",
                                           "localtm",
                                           "si-tm",
                                           "si-tm-base",
                                           NULL};

const char *const *cw_config_presets(void)
{
    return preset_names;
}

const struct cw_config__preset *cw_config__find_preset(const char *name)
{
    for (uint32_t i = 0; i < COUNT(presets); i++)
        if (strcmp(presets[i]->name, name) == 0)
            return presets[i];
    return NULL;
}

const char *cw_config_preset_what(const char *preset)
{
    const struct cw_config__preset *p = cw_config__find_preset(preset);
    return p != NULL ? p->what : NULL;
}
