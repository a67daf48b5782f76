// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_pointers: the pointers of the commit unit, and what each of them does with the entry that it has come to.
//
// Why         : a transaction passes hazard detection, validation, commit and retirement, each in the order of commit
//               IDs.
// How         : a module per pointer decides when its pointer moves, and cw_commit_window has where it is. A pointer
//               may be at an entry that all pointers before it have passed. The pass pointer's reports have a module of
//               their own.
// Latency     : a pointer that moves in cycle t is at its next entry in t + 1.
// Throughput  : each pointer moves by one entry per cycle.
// Illegal use : none.
//
// Paper: Fung 2015, section 4.2.5, Figure 4.5. It is a part of cw_commit_unit.
// C model: part of csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_pointers #(
    parameter ENTRIES    = 1920,
    parameter LANES      = 32,
    parameter CID_W      = 20,
    parameter FAIL_WAITS = 0,
    parameter IDX_W      = 11,  // of a place
    parameter ROW_W      = 6,   // of a row
    parameter BROW_W     = 5,   // of a row in its bank
    parameter LOW_W      = 5,   // of a lane, at least 1
    // of the bundles, see cw_commit_rows
    parameter MSG_SET_W  = 2 * (1 + BROW_W + 6 * LANES),
    parameter HZA_SET_W  = 2 * (1 + BROW_W + 2 * LANES),
    parameter VAL_SET_W  = 2 * (1 + BROW_W + 3 * LANES),
    parameter REP_SET_W  = 2 * (1 + BROW_W + 2 * LANES),
    parameter WB_SET_W   = 2 * (1 + BROW_W + LANES),
    parameter MSG_PAST_W = 2 * MSG_SET_W + (2 << BROW_W),
    parameter HZA_PAST_W = 2 * HZA_SET_W + (2 << BROW_W),
    parameter VAL_PAST_W = 2 * VAL_SET_W + (2 << BROW_W),
    parameter REP_PAST_W = 2 * REP_SET_W + (2 << BROW_W),
    parameter WB_PAST_W  = 2 * WB_SET_W + (2 << BROW_W)
) (
    input  wire                  clk_i,
    input  wire                  rst_i,
    // flags of messages, hazard answers, validations and write-backs
    input  wire [MSG_SET_W-1:0]  msg_set_i,
    input  wire [MSG_PAST_W-1:0] msg_past_i,
    input  wire [HZA_SET_W-1:0]  hza_set_i,
    input  wire [HZA_PAST_W-1:0] hza_past_i,
    input  wire [VAL_SET_W-1:0]  val_set_i,
    input  wire [VAL_PAST_W-1:0] val_past_i,
    input  wire [WB_SET_W-1:0]   wb_set_i,
    input  wire [WB_PAST_W-1:0]  wb_past_i,
    // those of reports, and the row that is cleared, by bank
    output wire [REP_PAST_W-1:0] rep_past_o,
    output wire [1:0]            clear_o,
    output wire [BROW_W-1:0]     clear_row_o,
    // entries that have their first message, see cw_commit_rcid
    input  wire [LANES-1:0]      first_i,
    input  wire [ROW_W-1:0]      first_row_i,
    input  wire [LOW_W-1:0]      first_low_i,
    // an entry and its YCID, see cw_commit_ycid
    input  wire                  ycid_valid_i,
    input  wire [IDX_W-1:0]      ycid_idx_i,
    input  wire [IDX_W-1:0]      ycid_i,
    // a revalidation is answered, see cw_commit_reports; there is room for its report
    input  wire                  again_i,
    input  wire                  again_ok_i,
    input  wire                  again_pass_i,
    input  wire [CID_W-1:0]      again_cid_i,
    input  wire [2*LANES-1:0]    again_row_i,
    input  wire [LANES-1:0]      again_oh_i,
    output wire                  room_o,
    // an entry for the hazard unit
    output wire                  haz_valid_o,
    output wire [CID_W-1:0]      haz_cid_o,
    output wire [CID_W-1:0]      haz_rcid_o,
    input  wire                  haz_ready_i,
    // a read-set to be validated again
    output wire                  rev_valid_o,
    output wire [CID_W-1:0]      rev_cid_o,
    input  wire                  rev_ready_i,
    // a local result for the core
    output wire                  rep_valid_o,
    output wire [CID_W-1:0]      rep_cid_o,
    output wire                  rep_pass_o,
    input  wire                  rep_ready_i,
    // a write-back begins
    output wire                  com_valid_o,
    output wire [CID_W-1:0]      com_cid_o,
    input  wire                  com_ready_i,
    // the oldest transaction is done
    output wire                  ret_valid_o,
    output wire [CID_W-1:0]      ret_cid_o,
    output wire                  ret_commit_o,
    input  wire                  ret_ready_i,
    // where the pointers are, and their distances from the retire pointer; whether that moves, or any
    output wire [CID_W-1:0]      ret_ptr_o,
    output wire [CID_W-1:0]      com_ptr_o,
    output wire [IDX_W-1:0]      com_dist_o,
    output wire [IDX_W-1:0]      pass_dist_o,
    output wire [IDX_W-1:0]      haz_dist_o,
    output wire                  ret_move_o,
    output wire                  moving_o,
    // stage of the oldest entry, as in the contract; the pass pointer waits for a retirement
    output wire [1:0]            stage_o,
    output wire                  waits_o
`ifdef CW_PROPERTIES
    , input  wire [BROW_W+LANES+2:0]      f_watch_i  // see cw_commit_view
    , input  wire [IDX_W-1:0]             f_idx_i    // its place
    , input  wire [5:0]                   f_msg_i
    , input  wire [1:0]                   f_hza_i
    , input  wire [2:0]                   f_val_i
    , input  wire [1:0]                   f_rep_i
    , input  wire                         f_wb_i
    // pass and hazard pointer; what each pointer shows; a report, its flags, and the queue
    , output wire [2*CID_W-1:0]           f_ptrs_o
    , output wire [CID_W+2*IDX_W+3:0]     f_hazard_o
    , output wire [3*IDX_W+8:0]           f_pass_o
    , output wire [7:0]                   f_commit_o
    , output wire [5:0]                   f_retire_o
    , output wire [2*LANES+5:0]           f_report_o
`endif
);

    wire [REP_SET_W-1:0] rep_set;
    wire [CID_W-1:0]     pass_ptr;
    wire [CID_W-1:0]     haz_ptr;
    wire                 com_move;
    wire                 pass_move;
    wire                 haz_move;
    wire                 report;
    wire                 report_ok;
    wire [2*LANES-1:0]   report_row;
    wire [LANES-1:0]     report_oh;

    cw_commit_window #(
        .CID_W(CID_W),
        .IDX_W(IDX_W)
    ) u_window (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .ret_move_i (ret_move_o),
        .com_move_i (com_move),
        .pass_move_i(pass_move),
        .haz_move_i (haz_move),
        .ret_ptr_o  (ret_ptr_o),
        .com_ptr_o  (com_ptr_o),
        .pass_ptr_o (pass_ptr),
        .haz_ptr_o  (haz_ptr),
        .com_dist_o (com_dist_o),
        .pass_dist_o(pass_dist_o),
        .haz_dist_o (haz_dist_o),
        .stage_o    (stage_o)
    );

    cw_commit_hazard #(
        .ENTRIES(ENTRIES),
        .LANES  (LANES),
        .CID_W  (CID_W),
        .IDX_W  (IDX_W),
        .ROW_W  (ROW_W),
        .BROW_W (BROW_W),
        .LOW_W  (LOW_W)
    ) u_hazard (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .haz_ptr_i  (haz_ptr),
        .haz_dist_i (haz_dist_o),
        .move_o     (haz_move),
        .msg_set_i  (msg_set_i),
        .msg_past_i (msg_past_i),
        .first_i    (first_i),
        .first_row_i(first_row_i),
        .first_low_i(first_low_i),
        .oldest_i   (ret_ptr_o[IDX_W-1:0]),
        .haz_valid_o(haz_valid_o),
        .haz_cid_o  (haz_cid_o),
        .haz_rcid_o (haz_rcid_o),
        .haz_ready_i(haz_ready_i)
`ifdef CW_PROPERTIES
        , .f_watch_i (f_watch_i)
        , .f_idx_i   (f_idx_i)
        , .f_msg_i   (f_msg_i)
        , .f_hazard_o(f_hazard_o)
`endif
    );

    cw_commit_pass #(
        .LANES (LANES),
        .CID_W (CID_W),
        .IDX_W (IDX_W),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W),
        .LOW_W (LOW_W)
    ) u_pass (
        .clk_i       (clk_i),
        .rst_i       (rst_i),
        .pass_ptr_i  (pass_ptr),
        .pass_dist_i (pass_dist_o),
        .haz_dist_i  (haz_dist_o),
        .move_o      (pass_move),
        .msg_set_i   (msg_set_i),
        .msg_past_i  (msg_past_i),
        .hza_set_i   (hza_set_i),
        .hza_past_i  (hza_past_i),
        .val_set_i   (val_set_i),
        .val_past_i  (val_past_i),
        .rep_set_i   (rep_set),
        .rep_past_i  (rep_past_o),
        .ycid_valid_i(ycid_valid_i),
        .ycid_idx_i  (ycid_idx_i),
        .ycid_i      (ycid_i),
        .rep_room_i  (room_o),
        .rep_again_i (again_i),
        .report_o    (report),
        .report_ok_o (report_ok),
        .report_row_o(report_row),
        .report_oh_o (report_oh),
        .rev_valid_o (rev_valid_o),
        .rev_cid_o   (rev_cid_o),
        .rev_ready_i (rev_ready_i),
        .waits_o     (waits_o)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_idx_i  (f_idx_i)
        , .f_msg_i  (f_msg_i)
        , .f_hza_i  (f_hza_i)
        , .f_val_i  (f_val_i)
        , .f_rep_i  (f_rep_i)
        , .f_pass_o (f_pass_o)
`endif
    );

    cw_commit_reports #(
        .LANES (LANES),
        .CID_W (CID_W),
        .IDX_W (IDX_W),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W)
    ) u_reports (
        .clk_i        (clk_i),
        .rst_i        (rst_i),
        .clear_i      (clear_o),
        .clear_row_i  (clear_row_o),
        .again_i      (again_i),
        .again_ok_i   (again_ok_i),
        .again_pass_i (again_pass_i),
        .again_cid_i  (again_cid_i),
        .again_row_i  (again_row_i),
        .again_oh_i   (again_oh_i),
        .pass_report_i(report),
        .pass_ok_i    (report_ok),
        .pass_cid_i   (pass_ptr),
        .pass_row_i   (report_row),
        .pass_oh_i    (report_oh),
        .room_o       (room_o),
        .set_o        (rep_set),
        .past_o       (rep_past_o),
        .rep_valid_o  (rep_valid_o),
        .rep_cid_o    (rep_cid_o),
        .rep_pass_o   (rep_pass_o),
        .rep_ready_i  (rep_ready_i)
`ifdef CW_PROPERTIES
        , .f_queue_o(f_report_o[3:0])
`endif
    );

    cw_commit_commit #(
        .LANES     (LANES),
        .CID_W     (CID_W),
        .FAIL_WAITS(FAIL_WAITS),
        .IDX_W     (IDX_W),
        .ROW_W     (ROW_W),
        .BROW_W    (BROW_W),
        .LOW_W     (LOW_W)
    ) u_commit (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .com_ptr_i  (com_ptr_o),
        .com_dist_i (com_dist_o),
        .pass_dist_i(pass_dist_o),
        .move_o     (com_move),
        .msg_set_i  (msg_set_i),
        .msg_past_i (msg_past_i),
        .rep_set_i  (rep_set),
        .rep_past_i (rep_past_o),
        .com_valid_o(com_valid_o),
        .com_cid_o  (com_cid_o),
        .com_ready_i(com_ready_i)
`ifdef CW_PROPERTIES
        , .f_watch_i (f_watch_i)
        , .f_msg_i   (f_msg_i)
        , .f_rep_i   (f_rep_i)
        , .f_commit_o(f_commit_o)
`endif
    );

    cw_commit_retire #(
        .LANES (LANES),
        .CID_W (CID_W),
        .IDX_W (IDX_W),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W),
        .LOW_W (LOW_W)
    ) u_retire (
        .clk_i       (clk_i),
        .rst_i       (rst_i),
        .ret_ptr_i   (ret_ptr_o),
        .com_dist_i  (com_dist_o),
        .move_o      (ret_move_o),
        .msg_set_i   (msg_set_i),
        .msg_past_i  (msg_past_i),
        .wb_set_i    (wb_set_i),
        .wb_past_i   (wb_past_i),
        .clear_o     (clear_o),
        .clear_row_o (clear_row_o),
        .ret_valid_o (ret_valid_o),
        .ret_cid_o   (ret_cid_o),
        .ret_commit_o(ret_commit_o),
        .ret_ready_i (ret_ready_i)
`ifdef CW_PROPERTIES
        , .f_watch_i (f_watch_i)
        , .f_msg_i   (f_msg_i)
        , .f_wb_i    (f_wb_i)
        , .f_retire_o(f_retire_o)
`endif
    );

    assign moving_o = haz_move || pass_move || com_move || ret_move_o;

`ifdef CW_PROPERTIES
    assign f_ptrs_o                   = {pass_ptr, haz_ptr};
    assign f_report_o[2*LANES+5:4]    = {report, report_ok, report_row};
`endif

endmodule

`default_nettype wire
