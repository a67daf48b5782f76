// SPDX-License-Identifier: Apache-2.0
//
// cw_cuckoo_core: the pipeline of the cuckoo table.
//
// Why         : hashing, reading a RAM, comparing four granules and two timestamps, and deciding take five cycles at
//               the clock of an L2. So look-ups follow each other through stages, and a look-up must see what those
//               just before it have written.
// How         : what is common is forwarded: the last four updates of a granule. What is rare is repeated: a look-up in
//               show whose result cannot be trusted goes around, through again and hash, and all younger ones with it
//               (cw_cuckoo_trust). An entry that is displaced goes through the same stages like a look-up.
// Stages      : hash rows; read RAMs (cw_cuckoo_ways); find: compare granules, select (cw_cuckoo_find); time: compare
//               timestamps; show the result (cw_cuckoo_show); write (cw_cuckoo_write); past, when the RAMs have it;
//               again. cw_cuckoo_stages has what a look-up takes along.
//
//                   look --> hash --> read --> find --> time --> show --> write --> rows, stash
//                             ^                                  |     |
//                             +------------- again <-------------+     +-- displaced entry --> hash
//
//               Data registers load only when the stage before holds a look-up. A stage that holds none says nothing.
// Latency     : five cycles from an accepted look-up to its result, and six more each time that it goes around.
// Throughput  : one look-up and one update per cycle.
// Comb. paths : none.
// Differences : the fields of res_* are not 0 while res_valid is 0. cw_cuckoo_table, which is the unit, makes them 0; a
//               unit around this one that looks at res_valid last saves that time.
//
// Paper: GETM section V.B.1, Figure 8. Contract: include/cowarp/unit/cuckoo_table.h. C model: csim/unit/cuckoo_table.c.

`default_nettype none

module cw_cuckoo_core #(
    parameter TS_W          = 32,
    parameter GRANULE_W     = 30,
    parameter OWNER_W       = 12,
    parameter COUNT_W       = 16,
    parameter TAG_W         = 42,
    parameter ROW_W         = 8,
    parameter STASH_ENTRIES = 4,
    parameter MAX_SWAPS     = 32,
    parameter EVICT_FILL    = 11,
    parameter OVERFLOW_W    = 12
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
    // granule of the result of the next cycle, if there is one
    output wire [GRANULE_W-1:0]  next_granule_o,
    // result
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
    // res_writes is fwd_writes, of the update before, if res_forward, else old_writes
    output wire                  res_forward_o,
    output wire [COUNT_W-1:0]    fwd_writes_o,
    output wire [COUNT_W-1:0]    old_writes_o,
    output wire [OWNER_W-1:0]    res_owner_o,
    output wire                  res_wts_later_o,
    output wire                  res_rts_later_o,
    output wire                  res_reserved_o,
    output wire                  res_own_o,
    input  wire                  res_again_i,
    // new values
    input  wire                  upd_valid_i,
    input  wire                  upd_wts_set_i,
    input  wire                  upd_rts_set_i,
    input  wire                  upd_writes_set_i,
    input  wire [COUNT_W-1:0]    upd_writes_i,
    input  wire                  upd_owner_set_i,
    // evicted entry
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
    /* verilator lint_off UNUSED */  // bits above the entry
    input  wire [159:0]          mem_rdata_i,
    /* verilator lint_on UNUSED */
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
`ifdef CW_PROPERTIES
    , output wire [5:0]          f_there_o   // stages that have a look-up, see cw_cuckoo_stages
    , output wire [6*TAG_W-1:0]  f_tags_o    // and its tag
    , output wire                f_alone_o   // who comes to hash comes alone
`endif
);

    // An entry here, from bit 0: wts, rts, writes, owner, which are its body, and the granule.
    localparam BODY_W   = 2 * TS_W + COUNT_W + OWNER_W;
    localparam ENTRY_W  = GRANULE_W + BODY_W;
    localparam B_WRITES = 2 * TS_W;
    localparam USED_W   = ROW_W + 3;

    // Look-ups in the stages, see cw_cuckoo_stages.
    wire                 hash_valid;
    wire                 hash_chain;
    wire [GRANULE_W-1:0] hash_granule;
    wire [4*ROW_W-1:0]   hash_rows;
    wire                 read_valid;
    wire [GRANULE_W-1:0] read_granule;
    wire [4*ROW_W-1:0]   read_rows;
    wire                 find_valid;
    wire                 find_chain;
    wire [GRANULE_W-1:0] find_granule;
    wire [4*ROW_W-1:0]   find_rows;
    wire                 time_valid;
    wire [GRANULE_W-1:0] time_granule;
    wire [TS_W-1:0]      time_ts;
    wire [4*ROW_W-1:0]   time_rows;
    wire                 show_valid;
    wire                 show_chain;
    wire [GRANULE_W-1:0] show_granule;
    wire [TS_W-1:0]      show_ts;
    wire [TS_W-1:0]      show_after;
    wire [OWNER_W-1:0]   show_owner;
    wire [TAG_W-1:0]     show_tag;
    wire [4*ROW_W-1:0]   show_rows;
    wire                 show_forward;
    wire                 show_spoilt;
    wire                 show_stale;
    wire                 show_searched;
    wire                 again_valid;
    // What is written, see cw_cuckoo_write.
    wire [GRANULE_W-1:0] write_granule;
    wire [4*ROW_W-1:0]   write_rows;
    wire                 write_decided;
    wire                 write_chain;
    wire                 stages_busy;
    wire                 found;
    wire                 slow;
    wire                 fill;
    wire                 turn;
    wire                 stashed;
    wire                 spill;
    wire                 moves_on;
    wire                 memory;
    wire                 removes;
    wire [3:0]           ways;
    wire [ENTRY_W-1:0]   entry;
    wire [ENTRY_W-1:0]   old;
    wire                 past_put;
    // What goes on beside the pipeline, see cw_cuckoo_control.
    wire                 clearing;
    wire [ROW_W-1:0]     clear_row;
    wire                 run;
    wire                 first;
    wire                 searched;
    wire                 search_hit;
    wire                 chain;
    wire [BODY_W-1:0]    hand;
    wire [1:0]           hand_way;
    wire                 hand_unreserved;
    wire                 swaps_done;
    wire [1:0]           rotor;
    wire                 may_evict;
    wire                 overflow_any;
    wire                 overflow_full;

    // Show. The look-up there is decided, unless what it says cannot be trusted, or the overflow area must be searched.
    wire hold        = slow || chain;  // rows change, or an entry is in none of them
    wire seek        = !found && !show_searched && overflow_any;
    wire oldest      = show_valid && !show_chain && first;
    wire trusted     = !hold && (run || show_searched) && !show_spoilt && !show_stale;
    wire decided     = res_valid_o && !res_again_i;
    wire search      = oldest && !hold && run && !show_spoilt && !show_stale && seek;
    wire look_accept = look_valid_i && look_ready_o;
    wire wipe        = rst_i || (flush_i && !busy_o);

    cw_cuckoo_stages #(
        .TS_W     (TS_W),
        .GRANULE_W(GRANULE_W),
        .OWNER_W  (OWNER_W),
        .TAG_W    (TAG_W),
        .ROW_W    (ROW_W)
    ) u_stages (
        .clk_i          (clk_i),
        .rst_i          (rst_i),
        .accept_i       (look_accept),
        .look_valid_i   (look_valid_i),
        .look_granule_i (look_granule_i),
        .look_ts_i      (look_ts_i),
        .look_owner_i   (look_owner_i),
        .look_tag_i     (look_tag_i),
        .moves_on_i     (moves_on),
        .old_granule_i  (old[BODY_W+:GRANULE_W]),
        .decided_i      (decided),
        .hash_valid_o   (hash_valid),
        .hash_chain_o   (hash_chain),
        .hash_granule_o (hash_granule),
        .hash_rows_i    (hash_rows),
        .read_valid_o   (read_valid),
        .read_granule_o (read_granule),
        .read_rows_o    (read_rows),
        .find_valid_o   (find_valid),
        .find_chain_o   (find_chain),
        .find_granule_o (find_granule),
        .find_rows_o    (find_rows),
        .time_valid_o   (time_valid),
        .time_granule_o (time_granule),
        .time_ts_o      (time_ts),
        .time_rows_o    (time_rows),
        .show_valid_o   (show_valid),
        .show_chain_o   (show_chain),
        .show_granule_o (show_granule),
        .show_ts_o      (show_ts),
        .show_after_o   (show_after),
        .show_owner_o   (show_owner),
        .show_tag_o     (show_tag),
        .show_rows_o    (show_rows),
        .write_granule_o(write_granule),
        .write_rows_o   (write_rows),
        .again_valid_o  (again_valid),
        .busy_o         (stages_busy)
`ifdef CW_PROPERTIES
        , .f_there_o(f_there_o)
        , .f_tags_o(f_tags_o)
`endif
    );

    cw_cuckoo_places #(
        .TS_W         (TS_W),
        .GRANULE_W    (GRANULE_W),
        .OWNER_W      (OWNER_W),
        .COUNT_W      (COUNT_W),
        .ENTRY_W      (ENTRY_W),
        .BODY_W       (BODY_W),
        .WRITES_LSB   (B_WRITES),
        .ROW_W        (ROW_W),
        .STASH_ENTRIES(STASH_ENTRIES)
    ) u_places (
        .clk_i            (clk_i),
        .rst_i            (rst_i),
        .wipe_i           (wipe),
        .clearing_i       (clearing),
        .clear_row_i      (clear_row),
        .hash_valid_i     (hash_valid),
        .hash_granule_i   (hash_granule),
        .hash_rows_o      (hash_rows),
        .read_valid_i     (read_valid),
        .read_granule_i   (read_granule),
        .read_rows_i      (read_rows),
        .find_valid_i     (find_valid),
        .find_chain_i     (find_chain),
        .find_granule_i   (find_granule),
        .find_rows_i      (find_rows),
        .time_valid_i     (time_valid),
        .time_granule_i   (time_granule),
        .time_ts_i        (time_ts),
        .time_rows_i      (time_rows),
        .show_valid_i     (show_valid),
        .show_chain_i     (show_chain),
        .show_granule_i   (show_granule),
        .show_ts_i        (show_ts),
        .show_after_i     (show_after),
        .show_owner_i     (show_owner),
        .show_rows_i      (show_rows),
        .write_granule_i  (write_granule),
        .write_rows_i     (write_rows),
        .hold_i           (hold),
        .unasked_i        (!read_ready_i),
        .searched_i       (searched),
        .search_hit_i     (search_hit),
        .hand_i           (hand),
        .hand_way_i       (hand_way),
        .hand_unreserved_i(hand_unreserved),
        .swaps_done_i     (swaps_done),
        .rotor_i          (rotor),
        .may_evict_i      (may_evict),
        .overflow_full_i  (overflow_full),
        .miss_wts_i       (miss_wts_i),
        .miss_rts_i       (miss_rts_i),
        .found_o          (found),
        .show_forward_o   (show_forward),
        .show_searched_o  (show_searched),
        .show_spoilt_o    (show_spoilt),
        .show_stale_o     (show_stale),
        .res_room_o       (res_room_o),
        .res_easy_o       (res_easy_o),
        .res_wts_o        (res_wts_o),
        .res_rts_o        (res_rts_o),
        .res_writes_o     (res_writes_o),
        .fwd_writes_o     (fwd_writes_o),
        .old_writes_o     (old_writes_o),
        .res_owner_o      (res_owner_o),
        .res_wts_later_o  (res_wts_later_o),
        .res_rts_later_o  (res_rts_later_o),
        .res_reserved_o   (res_reserved_o),
        .res_own_o        (res_own_o),
        .decided_i        (decided),
        .upd_valid_i      (upd_valid_i),
        .upd_wts_set_i    (upd_wts_set_i),
        .upd_rts_set_i    (upd_rts_set_i),
        .upd_writes_set_i (upd_writes_set_i),
        .upd_writes_i     (upd_writes_i),
        .upd_owner_set_i  (upd_owner_set_i),
        .slow_o           (slow),
        .fill_o           (fill),
        .turn_o           (turn),
        .write_decided_o  (write_decided),
        .write_chain_o    (write_chain),
        .stashed_o        (stashed),
        .spill_o          (spill),
        .moves_on_o       (moves_on),
        .memory_o         (memory),
        .removes_o        (removes),
        .ways_o           (ways),
        .entry_o          (entry),
        .old_o            (old),
        .past_put_o       (past_put),
        .evict_valid_o    (evict_valid_o),
        .evict_granule_o  (evict_granule_o),
        .evict_wts_o      (evict_wts_o),
        .evict_rts_o      (evict_rts_o),
        .stash_used_o     (stash_used_o)
`ifdef CW_PROPERTIES
        , .f_granule_i(f_granule)
        , .f_cnt_o    (f_cnt)
        , .f_show_o   (f_show)
        , .f_what_o   (f_what)
`endif
    );

    cw_cuckoo_control #(
        .GRANULE_W (GRANULE_W),
        .COUNT_W   (COUNT_W),
        .ENTRY_W   (ENTRY_W),
        .BODY_W    (BODY_W),
        .WRITES_LSB(B_WRITES),
        .ROW_W     (ROW_W),
        .USED_W    (USED_W),
        .MAX_SWAPS (MAX_SWAPS),
        .EVICT_FILL(EVICT_FILL),
        .OVERFLOW_W(OVERFLOW_W)
    ) u_control (
        .clk_i            (clk_i),
        .rst_i            (rst_i),
        .wipe_i           (wipe),
        .oldest_i         (oldest),
        .decided_i        (decided),
        .search_i         (search),
        .show_granule_i   (show_granule),
        .slow_i           (slow),
        .write_decided_i  (write_decided),
        .write_chain_i    (write_chain),
        .stashed_i        (stashed),
        .spill_i          (spill),
        .fill_i           (fill),
        .turn_i           (turn),
        .moves_on_i       (moves_on),
        .memory_i         (memory),
        .removes_i        (removes),
        .ways_i           (ways),
        .entry_i          (entry),
        .old_i            (old),
        .clearing_o       (clearing),
        .clear_row_o      (clear_row),
        .run_o            (run),
        .first_o          (first),
        .searched_o       (searched),
        .search_hit_o     (search_hit),
        .chain_o          (chain),
        .hand_o           (hand),
        .hand_way_o       (hand_way),
        .hand_unreserved_o(hand_unreserved),
        .swaps_done_o     (swaps_done),
        .rotor_o          (rotor),
        .may_evict_o      (may_evict),
        .overflow_any_o   (overflow_any),
        .overflow_full_o  (overflow_full),
        .mem_valid_o      (mem_valid_o),
        .mem_write_o      (mem_write_o),
        .mem_addr_o       (mem_addr_o),
        .mem_wdata_o      (mem_wdata_o),
        .mem_ready_i      (mem_ready_i),
        .mem_rsp_valid_i  (mem_rsp_valid_i),
        .mem_rdata_i      (mem_rdata_i[ENTRY_W-1:0]),
        .used_o           (used_o),
        .overflow_used_o  (overflow_used_o),
        .evt_done_o       (evt_done_o),
        .evt_cycles_o     (evt_cycles_o),
        .evt_stash_o      (evt_stash_o),
        .evt_overflow_o   (evt_overflow_o)
`ifdef CW_PROPERTIES
        , .f_state_o(f_state)
        , .f_idx_o(f_idx)
        , .f_hand_o(f_hand)
`endif
    );

    assign look_ready_o     = !clearing && !hold && first && !again_valid;
    assign read_valid_o     = hash_valid && !hash_chain;
    assign read_granule_o   = hash_granule;
    assign next_granule_o   = time_granule;
    assign res_valid_o      = oldest && trusted && !seek;
    assign res_granule_o    = show_granule;
    assign res_ts_o         = show_ts;
    assign res_look_owner_o = show_owner;
    assign res_tag_o        = show_tag;
    assign res_found_o      = found;
    assign res_forward_o    = show_forward;
    assign busy_o           = !run || chain || stages_busy || write_decided || write_chain || past_put || evt_done_o;

`ifdef CW_PROPERTIES
    wire [GRANULE_W-1:0]  f_granule;
    wire                  f_read;
    wire [9:0]            f_cnt;
    wire [9:0]            f_show;
    wire [2:0]            f_what;
    wire [2:0]            f_state;
    wire [OVERFLOW_W-1:0] f_idx;
    wire [GRANULE_W-1:0]  f_hand;

    cw_nonsynth_cuckoo_core #(
        .TS_W      (TS_W),
        .GRANULE_W (GRANULE_W),
        .OWNER_W   (OWNER_W),
        .COUNT_W   (COUNT_W),
        .TAG_W     (TAG_W),
        .ENTRY_W   (ENTRY_W),
        .BODY_W    (BODY_W),
        .MAX_SWAPS (MAX_SWAPS),
        .OVERFLOW_W(OVERFLOW_W)
    ) u_properties (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .wipe_i     (wipe),
        .run_i      (run),
        .look_i     ({look_accept, look_granule_i, look_ts_i, look_owner_i, look_tag_i}),
        .ask_i      ({read_valid_o, read_ready_i, read_granule_o, miss_rts_i, miss_wts_i}),
        .res_i      ({res_valid_o, res_again_i, res_granule_o, res_ts_o, res_look_owner_o, res_tag_o, res_found_o,
                       res_room_o, res_easy_o, res_owner_o, res_writes_o, res_rts_o, res_wts_o, res_wts_later_o,
                       res_rts_later_o, res_reserved_o, res_own_o}),
        .upd_i      ({upd_valid_i, upd_wts_set_i, upd_rts_set_i, upd_writes_set_i, upd_writes_i, upd_owner_set_i}),
        .evict_i    ({evict_valid_o, evict_granule_o, evict_rts_o, evict_wts_o}),
        .mem_i      ({mem_valid_o, mem_write_o, mem_addr_o, mem_wdata_o, mem_ready_i, mem_rsp_valid_i,
                       mem_rdata_i[ENTRY_W-1:0]}),
        .show_i     ({f_there_o, show_valid && !show_chain, show_forward, show_searched, f_show, f_what,
                       hold, decided}),
        .hand_i     ({chain, f_hand, memory, moves_on, removes}),
        .overflow_i ({overflow_used_o, overflow_any, f_idx, f_state}),
        .cnt_i      (f_cnt),
        .f_granule_o(f_granule),
        .f_read_o   (f_read)
    );

    // What is repeated was not decided, so write has nothing that could send an entry into hand; and a displacement is
    // one of a chain.
    assign f_alone_o = !(again_valid && (f_show[2] || write_chain)) && (write_chain || !f_show[0]);
`endif

endmodule

`default_nettype wire
