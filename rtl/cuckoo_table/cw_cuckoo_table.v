// SPDX-License-Identifier: Apache-2.0
//
// cw_cuckoo_table: GETM's exact metadata, a cuckoo table with stash and overflow area.
//
// Why         : a reserved granule must never be forgotten, so its metadata need an exact table. A set-associative one
//               would overflow in one set while the others are empty. Cuckoo hashing moves entries to other rows
//               instead.
// How         : four ways of 2^ROW_W rows, a stash that is searched in parallel, and an overflow area behind mem_*. A
//               result offers the granule's entry, and the user gives the new value in the same cycle. A new entry may
//               displace an old one, which then looks for another row; this chain ends in a free row, in an eviction,
//               in the stash or in the overflow area. cw_cuckoo_core does all this. This module checks the parameters,
//               and makes fields 0 while their valid is 0.
// Latency     : five cycles from an accepted look-up to its result, and six more each time that it has to be repeated.
// Throughput  : one look-up and one update per cycle. A chain of displacements or a search of the overflow area holds
//               the later look-ups back.
// Comb. paths : none; outputs depend on registers only.
// Illegal use : inserting a reserved entry while res_room is 0 (it is ignored, unless a neighbour can be evicted for
//               it). A parameter outside of the contract stops elaboration at a module cw_error_...
//
// Paper: GETM section V.B.1, Figure 8. Contract: include/cowarp/unit/cuckoo_table.h. C model: csim/unit/cuckoo_table.c.
// Datasheet: docs/units/cuckoo_table.md.

`default_nettype none

module cw_cuckoo_table #(
    parameter TS_W          = 32,  // 4 .. 48: bits of a logical timestamp
    parameter GRANULE_W     = 30,  // 8 .. 40: bits of a granule number
    parameter OWNER_W       = 12,  // 2 .. 16: bits of a global warp number
    parameter COUNT_W       = 16,  // 2 .. 16: bits of the #writes counter
    parameter TAG_W         = 31,  // 1 .. 64: bits that travel with a look-up
    parameter ROW_W         = 8,   // 1 .. 12: log2 of the rows per way (4 ways)
    parameter STASH_ENTRIES = 4,   // 1 .. 16: stash entries
    parameter MAX_SWAPS     = 32,  // 1 .. 255: entries that one insertion may displace
    parameter EVICT_FILL    = 11,  // 0 .. 16: sixteenths of the rows in use from which an insertion may evict
    parameter OVERFLOW_W    = 12   // 1 .. 20: log2 of the overflow area's entries
) (
    input  wire                  clk_i,
    input  wire                  rst_i,
    // look-up
    input  wire                  look_valid_i,
    input  wire [GRANULE_W-1:0]  look_granule_i,
    input  wire [TS_W-1:0]       look_ts_i,
    input  wire [OWNER_W-1:0]    look_owner_i,
    input  wire [TAG_W-1:0]      look_tag_i,
    output wire                  look_ready_o,
    // question to the structure that knows what is not here, and its answer three cycles later, a cycle before the
    // result
    output wire                  read_valid_o,
    output wire [GRANULE_W-1:0]  read_granule_o,
    input  wire                  read_ready_i,
    input  wire [TS_W-1:0]       miss_wts_i,
    input  wire [TS_W-1:0]       miss_rts_i,
    // result, one cycle
    output wire                  res_valid_o,
    output wire [GRANULE_W-1:0]  res_granule_o,
    output wire [TS_W-1:0]       res_ts_o,
    output wire [OWNER_W-1:0]    res_look_owner_o,
    output wire [TAG_W-1:0]      res_tag_o,
    output wire                  res_found_o,
    output wire                  res_room_o,
    output wire                  res_easy_o,
    output wire [TS_W-1:0]       res_wts_o,
    output wire [TS_W-1:0]       res_rts_o,
    output wire [COUNT_W-1:0]    res_writes_o,
    output wire [OWNER_W-1:0]    res_owner_o,
    output wire                  res_wts_later_o,
    output wire                  res_rts_later_o,
    output wire                  res_reserved_o,
    output wire                  res_own_o,
    input  wire                  res_again_i,
    // new values of the fields whose set is 1: wts the look-up's time plus one, rts its time, owner its owner
    input  wire                  upd_valid_i,
    input  wire                  upd_wts_set_i,
    input  wire                  upd_rts_set_i,
    input  wire                  upd_writes_set_i,
    input  wire [COUNT_W-1:0]    upd_writes_i,
    input  wire                  upd_owner_set_i,
    // evicted entry, one cycle
    output wire                  evict_valid_o,
    output wire [GRANULE_W-1:0]  evict_granule_o,
    output wire [TS_W-1:0]       evict_wts_o,
    output wire [TS_W-1:0]       evict_rts_o,
    // overflow area in memory
    output wire                  mem_valid_o,
    output wire                  mem_write_o,
    output wire [OVERFLOW_W-1:0] mem_addr_o,
    output wire [159:0]          mem_wdata_o,
    input  wire                  mem_ready_i,
    input  wire                  mem_rsp_valid_i,
    input  wire [159:0]          mem_rdata_i,
    // control and status
    input  wire                  flush_i,
    output wire                  busy_o,
    output wire [ROW_W+2:0]      used_o,
    output wire [4:0]            stash_used_o,
    output wire [OVERFLOW_W:0]   overflow_used_o,
    // events
    output wire                  evt_done_o,
    output wire [7:0]            evt_cycles_o,
    output wire                  evt_stash_o,
    output wire                  evt_overflow_o
);

    generate
        if (TS_W < 4 || TS_W > 48) begin : g_bad_ts_w
            cw_error_ts_w_must_be_4_to_48 u_error ();
        end
        if (GRANULE_W < 8 || GRANULE_W > 40) begin : g_bad_granule_w
            cw_error_granule_w_must_be_8_to_40 u_error ();
        end
        if (OWNER_W < 2 || OWNER_W > 16) begin : g_bad_owner_w
            cw_error_owner_w_must_be_2_to_16 u_error ();
        end
        if (COUNT_W < 2 || COUNT_W > 16) begin : g_bad_count_w
            cw_error_count_w_must_be_2_to_16 u_error ();
        end
        if (TAG_W < 1 || TAG_W > 64) begin : g_bad_tag_w
            cw_error_tag_w_must_be_1_to_64 u_error ();
        end
        if (GRANULE_W + 2 * TS_W + COUNT_W + OWNER_W > 160) begin : g_bad_entry
            cw_error_entry_must_fit_160_bits u_error ();
        end
        if (ROW_W < 1 || ROW_W > 12) begin : g_bad_row_w
            cw_error_row_w_must_be_1_to_12 u_error ();
        end
        if (STASH_ENTRIES < 1 || STASH_ENTRIES > 16) begin : g_bad_stash_entries
            cw_error_stash_entries_must_be_1_to_16 u_error ();
        end
        if (MAX_SWAPS < 1 || MAX_SWAPS > 255) begin : g_bad_max_swaps
            cw_error_max_swaps_must_be_1_to_255 u_error ();
        end
        if (EVICT_FILL > 16) begin : g_bad_evict_fill
            cw_error_evict_fill_must_be_0_to_16 u_error ();
        end
        if (OVERFLOW_W < 1 || OVERFLOW_W > 20) begin : g_bad_overflow_w
            cw_error_overflow_w_must_be_1_to_20 u_error ();
        end
    endgenerate

    wire [GRANULE_W-1:0] read_granule;
    wire [GRANULE_W-1:0] res_granule;
    wire [TS_W-1:0]      res_ts;
    wire [TAG_W-1:0]     res_tag;
    wire                 res_found;
    wire                 res_room;
    wire                 res_easy;
    wire [TS_W-1:0]      res_wts;
    wire [TS_W-1:0]      res_rts;
    wire [COUNT_W-1:0]   res_writes;
    wire [OWNER_W-1:0]   res_owner;
    wire                 res_wts_later;
    wire                 res_rts_later;
    wire                 res_reserved;
    wire                 res_own;
    wire [OWNER_W-1:0]   res_look_owner;
    wire [GRANULE_W-1:0] evict_granule;
    wire [TS_W-1:0]      evict_wts;
    wire [TS_W-1:0]      evict_rts;
    /* verilator lint_off UNUSED */  // for units around the core
    wire                 res_forward;
    wire [COUNT_W-1:0]   fwd_writes;
    wire [COUNT_W-1:0]   old_writes;
    wire [GRANULE_W-1:0] next_granule;
    /* verilator lint_on UNUSED */

    cw_cuckoo_core #(
        .TS_W         (TS_W),
        .GRANULE_W    (GRANULE_W),
        .OWNER_W      (OWNER_W),
        .COUNT_W      (COUNT_W),
        .TAG_W        (TAG_W),
        .ROW_W        (ROW_W),
        .STASH_ENTRIES(STASH_ENTRIES),
        .MAX_SWAPS    (MAX_SWAPS),
        .EVICT_FILL   (EVICT_FILL),
        .OVERFLOW_W   (OVERFLOW_W)
    ) u_core (
        .clk_i           (clk_i),
        .rst_i           (rst_i),
        .look_valid_i    (look_valid_i),
        .look_granule_i  (look_granule_i),
        .look_ts_i       (look_ts_i),
        .look_owner_i    (look_owner_i),
        .look_tag_i      (look_tag_i),
        .look_ready_o    (look_ready_o),
        .read_valid_o    (read_valid_o),
        .read_granule_o  (read_granule),
        .read_ready_i    (read_ready_i),
        .miss_wts_i      (miss_wts_i),
        .miss_rts_i      (miss_rts_i),
        .next_granule_o  (next_granule),
        .res_valid_o     (res_valid_o),
        .res_granule_o   (res_granule),
        .res_ts_o        (res_ts),
        .res_look_owner_o(res_look_owner),
        .res_tag_o       (res_tag),
        .res_found_o     (res_found),
        .res_room_o      (res_room),
        .res_easy_o      (res_easy),
        .res_wts_o       (res_wts),
        .res_rts_o       (res_rts),
        .res_writes_o    (res_writes),
        .res_forward_o   (res_forward),
        .fwd_writes_o    (fwd_writes),
        .old_writes_o    (old_writes),
        .res_owner_o     (res_owner),
        .res_wts_later_o (res_wts_later),
        .res_rts_later_o (res_rts_later),
        .res_reserved_o  (res_reserved),
        .res_own_o       (res_own),
        .res_again_i     (res_again_i),
        .upd_valid_i     (upd_valid_i),
        .upd_wts_set_i   (upd_wts_set_i),
        .upd_rts_set_i   (upd_rts_set_i),
        .upd_writes_set_i(upd_writes_set_i),
        .upd_writes_i    (upd_writes_i),
        .upd_owner_set_i (upd_owner_set_i),
        .evict_valid_o   (evict_valid_o),
        .evict_granule_o (evict_granule),
        .evict_wts_o     (evict_wts),
        .evict_rts_o     (evict_rts),
        .mem_valid_o     (mem_valid_o),
        .mem_write_o     (mem_write_o),
        .mem_addr_o      (mem_addr_o),
        .mem_wdata_o     (mem_wdata_o),
        .mem_ready_i     (mem_ready_i),
        .mem_rsp_valid_i (mem_rsp_valid_i),
        .mem_rdata_i     (mem_rdata_i),
        .flush_i         (flush_i),
        .busy_o          (busy_o),
        .used_o          (used_o),
        .stash_used_o    (stash_used_o),
        .overflow_used_o (overflow_used_o),
        .evt_done_o      (evt_done_o),
        .evt_cycles_o    (evt_cycles_o),
        .evt_stash_o     (evt_stash_o),
        .evt_overflow_o  (evt_overflow_o)
    );

    assign read_granule_o  = read_granule & {GRANULE_W{read_valid_o}};
    assign res_granule_o   = res_granule & {GRANULE_W{res_valid_o}};
    assign res_ts_o        = res_ts & {TS_W{res_valid_o}};
    assign res_tag_o       = res_tag & {TAG_W{res_valid_o}};
    assign res_found_o     = res_found && res_valid_o;
    assign res_room_o      = res_room && res_valid_o;
    assign res_easy_o      = res_easy && res_valid_o;
    assign res_wts_o       = res_wts & {TS_W{res_valid_o}};
    assign res_rts_o       = res_rts & {TS_W{res_valid_o}};
    assign res_writes_o    = res_writes & {COUNT_W{res_valid_o}};
    assign res_owner_o     = res_owner & {OWNER_W{res_valid_o}};
    assign res_wts_later_o = res_wts_later && res_valid_o;
    assign res_rts_later_o = res_rts_later && res_valid_o;
    assign res_reserved_o  = res_reserved && res_valid_o;
    assign res_own_o       = res_own && res_valid_o;
    assign res_look_owner_o = res_look_owner & {OWNER_W{res_valid_o}};
    assign evict_granule_o = evict_granule & {GRANULE_W{evict_valid_o}};
    assign evict_wts_o     = evict_wts & {TS_W{evict_valid_o}};
    assign evict_rts_o     = evict_rts & {TS_W{evict_valid_o}};

endmodule

`default_nettype wire
