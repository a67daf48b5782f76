// SPDX-License-Identifier: Apache-2.0
//
// cw_cuckoo_places: where entries of the cuckoo table are, and how they are found, shown and written.
//
// Why         : rows and stash are written by one stage, and what it writes must be seen by three stages before it.
// How         : a module per stage, the RAMs, the stash, and cw_cuckoo_trust, which compares the stages with each
//               other.
// Stages      : hash and read (cw_cuckoo_ways), find (cw_cuckoo_find), time and show (cw_cuckoo_show), write and past
//               (cw_cuckoo_write).
// Latency     : four cycles from hash to show.
// Throughput  : a look-up, and an update, per cycle.
// Illegal use : a decision while slow_o is 1.
//
// Paper: GETM section V.B.1, Figure 8. It is a part of cw_cuckoo_core. C model: part of csim/unit/cuckoo_table.c.

`default_nettype none

module cw_cuckoo_places #(
    parameter TS_W          = 32,
    parameter GRANULE_W     = 30,
    parameter OWNER_W       = 12,
    parameter COUNT_W       = 16,
    parameter ENTRY_W       = 122,
    parameter BODY_W        = 92,  // of an entry, below its granule
    parameter WRITES_LSB    = 64,  // the number of writes in it
    parameter ROW_W         = 8,
    parameter STASH_ENTRIES = 4
) (
    input  wire                        clk_i,
    input  wire                        rst_i,
    // all is forgotten; rows are emptied
    input  wire                        wipe_i,
    input  wire                        clearing_i,
    input  wire [ROW_W-1:0]            clear_row_i,
    // look-ups in the stages, see cw_cuckoo_stages
    input  wire                        hash_valid_i,
    input  wire [GRANULE_W-1:0]        hash_granule_i,
    output wire [4*ROW_W-1:0]          hash_rows_o,
    input  wire                        read_valid_i,
    input  wire [GRANULE_W-1:0]        read_granule_i,
    input  wire [4*ROW_W-1:0]          read_rows_i,
    input  wire                        find_valid_i,
    input  wire                        find_chain_i,
    input  wire [GRANULE_W-1:0]        find_granule_i,
    input  wire [4*ROW_W-1:0]          find_rows_i,
    input  wire                        time_valid_i,
    input  wire [GRANULE_W-1:0]        time_granule_i,
    input  wire [TS_W-1:0]             time_ts_i,
    input  wire [4*ROW_W-1:0]          time_rows_i,
    input  wire                        show_valid_i,
    input  wire                        show_chain_i,
    input  wire [GRANULE_W-1:0]        show_granule_i,
    input  wire [TS_W-1:0]             show_ts_i,
    input  wire [TS_W-1:0]             show_after_i,
    input  wire [OWNER_W-1:0]          show_owner_i,
    input  wire [4*ROW_W-1:0]          show_rows_i,
    input  wire [GRANULE_W-1:0]        write_granule_i,
    input  wire [4*ROW_W-1:0]          write_rows_i,
    // rows change, or an entry is in none of them; the question of the look-up in hash was not taken
    input  wire                        hold_i,
    input  wire                        unasked_i,
    // find: what the overflow area has, and the entry in hand, see cw_cuckoo_control
    input  wire                        searched_i,
    input  wire                        search_hit_i,
    input  wire [BODY_W-1:0]           hand_i,  // without its granule
    input  wire [1:0]                  hand_way_i,
    input  wire                        hand_unreserved_i,
    input  wire                        swaps_done_i,
    input  wire [1:0]                  rotor_i,
    input  wire                        may_evict_i,
    input  wire                        overflow_full_i,
    // time: what is not here
    input  wire [TS_W-1:0]             miss_wts_i,
    input  wire [TS_W-1:0]             miss_rts_i,
    // show: whether the look-up has been found, and may be trusted; the result
    output wire                        found_o,
    output wire                        show_forward_o,
    output wire                        show_searched_o,
    output wire                        show_spoilt_o,
    output wire                        show_stale_o,
    output wire                        res_room_o,
    output wire                        res_easy_o,
    output wire [TS_W-1:0]             res_wts_o,
    output wire [TS_W-1:0]             res_rts_o,
    output wire [COUNT_W-1:0]          res_writes_o,
    output wire [COUNT_W-1:0]          fwd_writes_o,
    output wire [COUNT_W-1:0]          old_writes_o,
    output wire [OWNER_W-1:0]          res_owner_o,
    output wire                        res_wts_later_o,
    output wire                        res_rts_later_o,
    output wire                        res_reserved_o,
    output wire                        res_own_o,
    // show: it is decided; new values
    input  wire                        decided_i,
    input  wire                        upd_valid_i,
    input  wire                        upd_wts_set_i,
    input  wire                        upd_rts_set_i,
    input  wire                        upd_writes_set_i,
    input  wire [COUNT_W-1:0]          upd_writes_i,
    input  wire                        upd_owner_set_i,
    // write: what happens, see cw_cuckoo_write
    output wire                        slow_o,
    output wire                        fill_o,
    output wire                        turn_o,
    output wire                        write_decided_o,
    output wire                        write_chain_o,
    output wire                        stashed_o,
    output wire                        spill_o,
    output wire                        moves_on_o,
    output wire                        memory_o,
    output wire                        removes_o,
    output wire [3:0]                  ways_o,
    output wire [ENTRY_W-1:0]          entry_o,
    output wire [ENTRY_W-1:0]          old_o,
    output wire                        past_put_o,
    // evicted entry
    output wire                        evict_valid_o,
    output wire [GRANULE_W-1:0]        evict_granule_o,
    output wire [TS_W-1:0]             evict_wts_o,
    output wire [TS_W-1:0]             evict_rts_o,
    // status
    output wire [4:0]                  stash_used_o
`ifdef CW_PROPERTIES
    , input  wire [GRANULE_W-1:0]  f_granule_i  // any one
    , output wire [9:0]            f_cnt_o      // its entries in the stash, and in the rows
    , output wire [9:0]            f_show_o     // {in the overflow area, found, may evict; later; write}
    , output wire [2:0]            f_what_o     // {timestamps are set; an entry is evicted from its row}
`endif
);

    wire                             find_same_write;
    wire                             find_same_past;
    wire                             time_forward;
    wire [ENTRY_W:0]                 entry_0;
    wire [ENTRY_W:0]                 entry_1;
    wire [ENTRY_W:0]                 entry_2;
    wire [ENTRY_W:0]                 entry_3;
    wire [STASH_ENTRIES-1:0]         read_stash;
    wire [STASH_ENTRIES*ENTRY_W-1:0] stash;
    wire [STASH_ENTRIES-1:0]         stash_free_oh;
    wire [STASH_ENTRIES-1:0]         stash_yield_oh;
    wire [ENTRY_W-1:0]               stash_yield;
    wire                             find_from_write;
    wire                             find_from_past;
    wire                             find_local;
    wire [3:0]                       find_way;
    wire                             time_found;
    wire                             time_overflow;
    wire                             time_searched;
    wire                             time_held;
    wire                             time_free;
    wire                             time_victim;
    wire                             time_easy;
    wire [3:0]                       time_way;
    wire [3:0]                       time_place;
    wire [STASH_ENTRIES-1:0]         time_stash;
    wire [BODY_W-1:0]                time_body;
    wire [ENTRY_W-1:0]               time_old;
    wire                             show_found;
    wire                             show_overflow;
    wire                             show_free;
    wire                             show_victim;
    wire                             show_easy;
    wire [3:0]                       show_way;
    wire [3:0]                       show_place;
    wire [STASH_ENTRIES-1:0]         show_stash;
    wire [BODY_W-1:0]                show_body;
    wire [ENTRY_W-1:0]               show_old;
    wire                             put;
    wire [3:0]                       way;
    wire [STASH_ENTRIES-1:0]         write_stash_oh;
    wire                             evicts;
    wire [3:0]                       write_way;
    wire [STASH_ENTRIES-1:0]         write_stash;
    wire                             wts_set;
    wire                             rts_set;
    wire                             unreserved;
    wire [3:0]                       past_way;
    wire [STASH_ENTRIES-1:0]         past_stash;
    wire [BODY_W-1:0]                past_body;

`ifdef CW_PROPERTIES
    wire [STASH_ENTRIES-1:0]         f_stash_valid;
    reg  [4:0]                       f_stash_cnt;
    wire [4:0]                       f_ways_cnt;
    wire [3:0]                       f_later;
    wire [2:0]                       f_write;
    integer                          f_i;

    always @* begin
        f_stash_cnt = 5'd0;
        for (f_i = 0; f_i < STASH_ENTRIES; f_i = f_i + 1)
            f_stash_cnt = f_stash_cnt + {4'd0, f_stash_valid[f_i]
                                               && stash[f_i*ENTRY_W+BODY_W+:GRANULE_W] == f_granule_i};
    end

    assign f_cnt_o  = {f_stash_cnt, f_ways_cnt};
    assign f_show_o = {show_overflow, show_found, show_victim, f_later, f_write};
    assign f_what_o = {wts_set, rts_set, evicts};
`endif

    cw_cuckoo_trust #(
        .GRANULE_W(GRANULE_W),
        .ROW_W    (ROW_W)
    ) u_trust (
        .clk_i            (clk_i),
        .hash_valid_i     (hash_valid_i),
        .read_valid_i     (read_valid_i),
        .find_valid_i     (find_valid_i),
        .time_valid_i     (time_valid_i),
        .hash_granule_i   (hash_granule_i),
        .read_granule_i   (read_granule_i),
        .find_granule_i   (find_granule_i),
        .time_granule_i   (time_granule_i),
        .show_granule_i   (show_granule_i),
        .read_rows_i      (read_rows_i),
        .find_rows_i      (find_rows_i),
        .time_rows_i      (time_rows_i),
        .show_rows_i      (show_rows_i),
        .write_rows_i     (write_rows_i),
        .hold_i           (hold_i),
        .unasked_i        (unasked_i),
        .write_way_i      (way),
        .put_i            (put),
        .evicts_i         (evicts),
        .old_granule_i    (old_o[BODY_W+:GRANULE_W]),
        .find_from_write_i(find_from_write),
        .find_from_past_i (find_from_past),
        .find_local_i     (find_local),
        .find_way_i       (find_way),
        .time_found_i     (time_found),
        .time_way_i       (time_way),
        .show_found_i     (show_found),
        .show_way_i       (show_way),
        .find_same_write_o(find_same_write),
        .find_same_past_o (find_same_past),
        .time_forward_o   (time_forward),
        .show_forward_o   (show_forward_o),
        .show_spoilt_o    (show_spoilt_o),
        .show_stale_o     (show_stale_o)
    );

    cw_cuckoo_ways #(
        .GRANULE_W(GRANULE_W),
        .ENTRY_W  (ENTRY_W),
        .ROW_W    (ROW_W)
    ) u_ways (
        .clk_i         (clk_i),
        .clearing_i    (clearing_i),
        .clear_row_i   (clear_row_i),
        .hash_valid_i  (hash_valid_i),
        .hash_granule_i(hash_granule_i),
        .hash_rows_o   (hash_rows_o),
        .read_valid_i  (read_valid_i),
        .entry_0_o     (entry_0),
        .entry_1_o     (entry_1),
        .entry_2_o     (entry_2),
        .entry_3_o     (entry_3),
        .write_ways_i  (ways_o),
        .write_rows_i  (write_rows_i),
        .write_entry_i (entry_o)
`ifdef CW_PROPERTIES
        , .f_granule_i(f_granule_i)
        , .f_cnt_o    (f_ways_cnt)
`endif
    );

    cw_cuckoo_stash #(
        .ENTRIES    (STASH_ENTRIES),
        .GRANULE_W  (GRANULE_W),
        .ENTRY_W    (ENTRY_W),
        .GRANULE_LSB(BODY_W),
        .WRITES_LSB (WRITES_LSB),
        .COUNT_W    (COUNT_W)
    ) u_stash (
        .clk_i        (clk_i),
        .clear_i      (wipe_i),
        .cmp_granule_i(read_granule_i),
        .hit_oh_o     (read_stash),
        .ask_place_i  (show_chain_i),
        .entry_o      (stash),
        .free_oh_o    (stash_free_oh),
        .yield_oh_o   (stash_yield_oh),
        .yield_o      (stash_yield),
        .wr_oh_i      (write_stash_oh),
        .wr_entry_i   (entry_o),
        .used_o       (stash_used_o)
`ifdef CW_PROPERTIES
        , .f_valid_o  (f_stash_valid)
`endif
    );

    cw_cuckoo_find #(
        .GRANULE_W    (GRANULE_W),
        .ENTRY_W      (ENTRY_W),
        .BODY_W       (BODY_W),
        .WRITES_LSB   (WRITES_LSB),
        .COUNT_W      (COUNT_W),
        .STASH_ENTRIES(STASH_ENTRIES)
    ) u_find (
        .clk_i          (clk_i),
        .read_valid_i   (read_valid_i),
        .read_stash_i   (read_stash),
        .valid_i        (find_valid_i),
        .chain_i        (find_chain_i),
        .granule_i      (find_granule_i),
        .entry_0_i      (entry_0),
        .entry_1_i      (entry_1),
        .entry_2_i      (entry_2),
        .entry_3_i      (entry_3),
        .stash_i        (stash),
        .same_write_i   (find_same_write),
        .put_i          (put),
        .write_way_i    (write_way),
        .write_stash_i  (write_stash),
        .write_body_i   (entry_o[BODY_W-1:0]),
        .same_past_i    (find_same_past),
        .past_put_i     (past_put_o),
        .past_way_i     (past_way),
        .past_stash_i   (past_stash),
        .past_body_i    (past_body),
        .hand_i         (hand_i),
        .hand_way_i     (hand_way_i),
        .searched_i     (searched_i),
        .search_hit_i   (search_hit_i),
        .rotor_i        (rotor_i),
        .may_evict_i    (may_evict_i),
        .from_write_o   (find_from_write),
        .from_past_o    (find_from_past),
        .local_o        (find_local),
        .way_o          (find_way),
        .time_found_o   (time_found),
        .time_overflow_o(time_overflow),
        .time_searched_o(time_searched),
        .time_held_o    (time_held),
        .time_free_o    (time_free),
        .time_victim_o  (time_victim),
        .time_easy_o    (time_easy),
        .time_way_o     (time_way),
        .time_place_o   (time_place),
        .time_stash_o   (time_stash),
        .time_body_o    (time_body),
        .time_old_o     (time_old)
    );

    cw_cuckoo_show #(
        .TS_W         (TS_W),
        .OWNER_W      (OWNER_W),
        .COUNT_W      (COUNT_W),
        .ENTRY_W      (ENTRY_W),
        .BODY_W       (BODY_W),
        .STASH_ENTRIES(STASH_ENTRIES)
    ) u_show (
        .clk_i             (clk_i),
        .time_valid_i      (time_valid_i),
        .time_ts_i         (time_ts_i),
        .time_forward_i    (time_forward),
        .time_found_i      (time_found),
        .time_overflow_i   (time_overflow),
        .time_searched_i   (time_searched),
        .time_held_i       (time_held),
        .time_free_i       (time_free),
        .time_victim_i     (time_victim),
        .time_easy_i       (time_easy),
        .time_way_i        (time_way),
        .time_place_i      (time_place),
        .time_stash_i      (time_stash),
        .time_body_i       (time_body),
        .time_old_i        (time_old),
        .miss_wts_i        (miss_wts_i),
        .miss_rts_i        (miss_rts_i),
        .write_wts_set_i   (wts_set),
        .write_rts_set_i   (rts_set),
        .write_way_i       (write_way),
        .write_stash_i     (write_stash),
        .write_body_i      (entry_o[BODY_W-1:0]),
        .write_unreserved_i(unreserved),
        .show_ts_i         (show_ts_i),
        .show_owner_i      (show_owner_i),
        .show_forward_i    (show_forward_o),
        .overflow_full_i   (overflow_full_i),
        .found_o           (found_o),
        .show_found_o      (show_found),
        .show_overflow_o   (show_overflow),
        .show_searched_o   (show_searched_o),
        .show_free_o       (show_free),
        .show_victim_o     (show_victim),
        .show_easy_o       (show_easy),
        .show_way_o        (show_way),
        .show_place_o      (show_place),
        .show_stash_o      (show_stash),
        .show_body_o       (show_body),
        .show_old_o        (show_old),
        .res_room_o        (res_room_o),
        .res_easy_o        (res_easy_o),
        .res_wts_o         (res_wts_o),
        .res_rts_o         (res_rts_o),
        .res_writes_o      (res_writes_o),
        .fwd_writes_o      (fwd_writes_o),
        .old_writes_o      (old_writes_o),
        .res_owner_o       (res_owner_o),
        .res_wts_later_o   (res_wts_later_o),
        .res_rts_later_o   (res_rts_later_o),
        .res_reserved_o    (res_reserved_o),
        .res_own_o         (res_own_o)
`ifdef CW_PROPERTIES
        , .f_later_o(f_later)
`endif
    );

    cw_cuckoo_write #(
        .TS_W         (TS_W),
        .GRANULE_W    (GRANULE_W),
        .OWNER_W      (OWNER_W),
        .COUNT_W      (COUNT_W),
        .ENTRY_W      (ENTRY_W),
        .BODY_W       (BODY_W),
        .STASH_ENTRIES(STASH_ENTRIES)
    ) u_write (
        .clk_i            (clk_i),
        .rst_i            (rst_i),
        .show_valid_i     (show_valid_i),
        .show_chain_i     (show_chain_i),
        .decided_i        (decided_i),
        .show_ts_i        (show_ts_i),
        .show_after_i     (show_after_i),
        .show_owner_i     (show_owner_i),
        .show_forward_i   (show_forward_o),
        .found_i          (found_o),
        .show_found_i     (show_found),
        .show_overflow_i  (show_overflow),
        .show_free_i      (show_free),
        .show_victim_i    (show_victim),
        .show_easy_i      (show_easy),
        .show_way_i       (show_way),
        .show_place_i     (show_place),
        .show_stash_i     (show_stash),
        .show_body_i      (show_body),
        .show_old_i       (show_old),
        .upd_valid_i      (upd_valid_i),
        .upd_wts_set_i    (upd_wts_set_i),
        .upd_rts_set_i    (upd_rts_set_i),
        .upd_writes_set_i (upd_writes_set_i),
        .upd_writes_i     (upd_writes_i),
        .upd_owner_set_i  (upd_owner_set_i),
        .hand_unreserved_i(hand_unreserved_i),
        .swaps_done_i     (swaps_done_i),
        .stash_free_oh_i  (stash_free_oh),
        .stash_yield_oh_i (stash_yield_oh),
        .stash_yield_i    (stash_yield),
        .write_granule_i  (write_granule_i),
        .overflow_full_i  (overflow_full_i),
        .slow_o           (slow_o),
        .put_o            (put),
        .fill_o           (fill_o),
        .turn_o           (turn_o),
        .decided_o        (write_decided_o),
        .chain_o          (write_chain_o),
        .stashed_o        (stashed_o),
        .spill_o          (spill_o),
        .moves_on_o       (moves_on_o),
        .memory_o         (memory_o),
        .removes_o        (removes_o),
        .way_o            (way),
        .ways_o           (ways_o),
        .stash_oh_o       (write_stash_oh),
        .entry_o          (entry_o),
        .evicts_o         (evicts),
        .old_o            (old_o),
        .write_way_o      (write_way),
        .write_stash_o    (write_stash),
        .wts_set_o        (wts_set),
        .rts_set_o        (rts_set),
        .unreserved_o     (unreserved),
        .past_put_o       (past_put_o),
        .past_way_o       (past_way),
        .past_stash_o     (past_stash),
        .past_body_o      (past_body),
        .evict_valid_o    (evict_valid_o),
        .evict_granule_o  (evict_granule_o),
        .evict_wts_o      (evict_wts_o),
        .evict_rts_o      (evict_rts_o)
`ifdef CW_PROPERTIES
        , .f_write_o(f_write)
`endif
    );

endmodule

`default_nettype wire
