// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_pass: the pass pointer of the commit unit, which judges entries by their validation and by the answer of
// the hazard unit.
//
// Why         : an entry that has read what an older one is still to write must be validated again after that one has
//               retired.
// How         : the pointer waits for both answers. It reports its entry, or asks for another validation when YCID has
//               retired: when YCID is farther behind than the retire pointer. Then it moves on. It passes over skipped
//               entries.
// Latency     : an entry whose flags the pointer sees in cycle t is reported, or asked for, in t + 1.
// Throughput  : an entry per cycle.
// Illegal use : none.
//
// Paper: Fung 2015, section 4.2.5. It is a part of cw_commit_unit. C model: part of csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_pass #(
    parameter LANES      = 32,
    parameter CID_W      = 20,
    parameter IDX_W      = 11,  // of a place
    parameter ROW_W      = 6,   // of a row
    parameter BROW_W     = 5,   // of a row in its bank
    parameter LOW_W      = 5,   // of a lane, at least 1
    // of the bundles, see cw_commit_rows
    parameter MSG_SET_W  = 2 * (1 + BROW_W + 6 * LANES),
    parameter HZA_SET_W  = 2 * (1 + BROW_W + 2 * LANES),
    parameter VAL_SET_W  = 2 * (1 + BROW_W + 3 * LANES),
    parameter MSG_PAST_W = 2 * MSG_SET_W + (2 << BROW_W),
    parameter HZA_PAST_W = 2 * HZA_SET_W + (2 << BROW_W),
    parameter VAL_PAST_W = 2 * VAL_SET_W + (2 << BROW_W)
) (
    input  wire                  clk_i,
    input  wire                  rst_i,
    // the pointer, its distance from the oldest entry, and that of the hazard pointer; it moves
    input  wire [CID_W-1:0]      pass_ptr_i,
    input  wire [IDX_W-1:0]      pass_dist_i,
    input  wire [IDX_W-1:0]      haz_dist_i,
    output wire                  move_o,
    // flags of messages, hazard answers, validations and reports
    input  wire [MSG_SET_W-1:0]  msg_set_i,
    input  wire [MSG_PAST_W-1:0] msg_past_i,
    input  wire [HZA_SET_W-1:0]  hza_set_i,
    input  wire [HZA_PAST_W-1:0] hza_past_i,
    input  wire [VAL_SET_W-1:0]  val_set_i,
    input  wire [VAL_PAST_W-1:0] val_past_i,
    input  wire [HZA_SET_W-1:0]  rep_set_i,
    input  wire [HZA_PAST_W-1:0] rep_past_i,
    // an entry and its YCID, see cw_commit_ycid
    input  wire                  ycid_valid_i,
    input  wire [IDX_W-1:0]      ycid_idx_i,
    input  wire [IDX_W-1:0]      ycid_i,
    // a report, if there is room and no answer to a revalidation goes first; the row of reports that it changes
    input  wire                  rep_room_i,
    input  wire                  rep_again_i,
    output wire                  report_o,
    output wire                  report_ok_o,
    output wire [2*LANES-1:0]    report_row_o,
    output wire [LANES-1:0]      report_oh_o,
    // a read-set is to be validated again
    output wire                  rev_valid_o,
    output wire [CID_W-1:0]      rev_cid_o,
    input  wire                  rev_ready_i,
    // the pointer waits for a retirement
    output wire                  waits_o
`ifdef CW_PROPERTIES
    , input  wire [BROW_W+LANES+2:0]  f_watch_i  // see cw_commit_view
    , input  wire [IDX_W-1:0]         f_idx_i    // its place
    , input  wire [5:0]               f_msg_i
    , input  wire [1:0]               f_hza_i
    , input  wire [2:0]               f_val_i
    , input  wire [1:0]               f_rep_i
    // {there is an entry, it is asked for again, flags of messages, answers, validations; YCID of the place, the next
    // one, the pointer's; the next one comes from the write of the cycle before}
    , output wire [3*IDX_W+8:0]       f_pass_o
`endif
);

    localparam READS    = 1;  // the first of two planes of a row of messages
    localparam ANSWERED = 1;  // the first of two planes of a row of validations

    wire [ROW_W-1:0] row;
    wire [ROW_W-1:0] ahead;
    wire             step;
    /* verilator lint_off UNUSED */
    wire [LOW_W-1:0] lane;
    /* verilator lint_on UNUSED */
    wire [LANES-1:0] lane_oh;
    wire [1:0]       pass_msg;  // skip, reads
    wire [1:0]       pass_hza;  // hazard, detected
    wire [1:0]       pass_val;  // pass, answered
    wire [IDX_W-1:0] ycid;      // of the pointer's entry
    reg              rev_valid_q;
    reg  [CID_W-1:0] rev_cid_q;
    wire             pass_work   = pass_dist_i != haz_dist_i;
    wire             pass_skip   = pass_work && pass_msg[1];
    wire             pass_ok     = !pass_msg[0] || pass_val[1];
    wire             pass_hazard = pass_ok && pass_hza[1];
    wire             pass_ready  = pass_work && !pass_msg[1] && (!pass_msg[0] || pass_val[0]) && pass_hza[0];
    wire [IDX_W-1:0] ycid_age    = pass_ptr_i[IDX_W-1:0] - ycid;
    wire             ycid_gone   = ycid_age > pass_dist_i;
    wire             pass_again  = pass_ready && pass_hazard && ycid_gone && (!rev_valid_q || rev_ready_i);
    wire             pass_report = pass_ready && !pass_hazard && rep_room_i && !rep_again_i;

    assign move_o = pass_skip || pass_again || pass_report;

    cw_commit_step #(
        .LANES(LANES),
        .IDX_W(IDX_W),
        .ROW_W(ROW_W),
        .LOW_W(LOW_W)
    ) u_step (
        .idx_i    (pass_ptr_i[IDX_W-1:0]),
        .move_i   (move_o),
        .row_o    (row),
        .ahead_o  (ahead),
        .step_o   (step),
        .lane_o   (lane),
        .lane_oh_o(lane_oh)
    );

    cw_commit_cursor #(
        .LANES (LANES),
        .PLANES(6),
        .FIRST (READS),
        .COUNT (2),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W)
    ) u_msg (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .row_i    (row),
        .ahead_i  (ahead),
        .step_i   (step),
        .lane_oh_i(lane_oh),
        .set_i    (msg_set_i),
        .past_i   (msg_past_i),
        .data_o   (pass_msg)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_msg_i[READS +: 2])
`endif
    );

    cw_commit_cursor #(
        .LANES (LANES),
        .PLANES(2),
        .FIRST (0),
        .COUNT (2),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W)
    ) u_hza (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .row_i    (row),
        .ahead_i  (ahead),
        .step_i   (step),
        .lane_oh_i(lane_oh),
        .set_i    (hza_set_i),
        .past_i   (hza_past_i),
        .data_o   (pass_hza)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_hza_i)
`endif
    );

    cw_commit_cursor #(
        .LANES (LANES),
        .PLANES(3),
        .FIRST (ANSWERED),
        .COUNT (2),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W)
    ) u_val (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .row_i    (row),
        .ahead_i  (ahead),
        .step_i   (step),
        .lane_oh_i(lane_oh),
        .set_i    (val_set_i),
        .past_i   (val_past_i),
        .data_o   (pass_val)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_val_i[ANSWERED +: 2])
`endif
    );

    cw_commit_cursor #(
        .LANES (LANES),
        .PLANES(2),
        .FIRST (0),
        .COUNT (2),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W),
        .WHOLE (1)
    ) u_rep (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .row_i    (row),
        .ahead_i  (ahead),
        .step_i   (step),
        .lane_oh_i(lane_oh),
        .set_i    (rep_set_i),
        .past_i   (rep_past_i),
        .data_o   (report_row_o)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_rep_i)
`endif
    );

`ifdef CW_PROPERTIES
    wire [IDX_W-1:0] f_kept;
    wire [IDX_W-1:0] f_next;
    wire             f_old;
`endif

    cw_commit_ycid #(
        .IDX_W(IDX_W)
    ) u_ycid (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .valid_i    (ycid_valid_i),
        .idx_i      (ycid_idx_i),
        .ycid_i     (ycid_i),
        .pass_idx_i (pass_ptr_i[IDX_W-1:0]),
        .pass_move_i(move_o),
        .ycid_o     (ycid)
`ifdef CW_PROPERTIES
        , .f_idx_i (f_idx_i)
        , .f_kept_o(f_kept)
        , .f_next_o(f_next)
        , .f_old_o (f_old)
`endif
    );

    always @(posedge clk_i)
        if (rst_i || (rev_ready_i && !pass_again)) begin
            rev_valid_q <= 1'b0;
            rev_cid_q   <= {CID_W{1'b0}};
        end else if (pass_again) begin
            rev_valid_q <= 1'b1;
            rev_cid_q   <= pass_ptr_i;
        end

    assign report_o    = pass_report;
    assign report_ok_o = pass_ok;
    assign report_oh_o = lane_oh;
    assign rev_valid_o = rev_valid_q;
    assign rev_cid_o   = rev_cid_q;
    assign waits_o     = pass_ready && pass_hazard && !ycid_gone;

`ifdef CW_PROPERTIES
    assign f_pass_o = {pass_work, pass_again, pass_msg, pass_hza, pass_val, f_kept, f_next, ycid, f_old};
`endif

endmodule

`default_nettype wire
