// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_commit: the commit pointer of the commit unit, at which write-backs begin in the order of commit IDs.
//
// Why         : writes of transactions must come to memory in the order of their IDs.
// How         : the pointer waits until the core has decided about its entry. One that is to commit, and has writes,
//               goes into a register; the others are passed over.
// Latency     : an entry whose flags the pointer sees in cycle t is offered in t + 1.
// Throughput  : an entry per cycle.
// Illegal use : none.
//
// Paper: Fung 2015, section 4.2.5. It is a part of cw_commit_unit. C model: part of csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_commit #(
    parameter LANES      = 32,
    parameter CID_W      = 20,
    parameter FAIL_WAITS = 0,
    parameter IDX_W      = 11,  // of a place
    parameter ROW_W      = 6,   // of a row
    parameter BROW_W     = 5,   // of a row in its bank
    parameter LOW_W      = 5,   // of a lane, at least 1
    // of the bundles, see cw_commit_rows
    parameter MSG_SET_W  = 2 * (1 + BROW_W + 6 * LANES),
    parameter REP_SET_W  = 2 * (1 + BROW_W + 2 * LANES),
    parameter MSG_PAST_W = 2 * MSG_SET_W + (2 << BROW_W),
    parameter REP_PAST_W = 2 * REP_SET_W + (2 << BROW_W)
) (
    input  wire                  clk_i,
    input  wire                  rst_i,
    // the pointer, its distance from the oldest entry, and that of the pass pointer; it moves
    input  wire [CID_W-1:0]      com_ptr_i,
    input  wire [IDX_W-1:0]      com_dist_i,
    input  wire [IDX_W-1:0]      pass_dist_i,
    output wire                  move_o,
    // flags of messages and reports
    input  wire [MSG_SET_W-1:0]  msg_set_i,
    input  wire [MSG_PAST_W-1:0] msg_past_i,
    input  wire [REP_SET_W-1:0]  rep_set_i,
    input  wire [REP_PAST_W-1:0] rep_past_i,
    // a write-back begins
    output wire                  com_valid_o,
    output wire [CID_W-1:0]      com_cid_o,
    input  wire                  com_ready_i
`ifdef CW_PROPERTIES
    , input  wire [BROW_W+LANES+2:0]  f_watch_i  // see cw_commit_view
    , input  wire [5:0]               f_msg_i
    , input  wire [1:0]               f_rep_i
    , output wire [7:0]               f_commit_o  // {there is an entry, it is sent, flags of messages and of reports}
`endif
);

    localparam SKIPPED = 2;  // the first of four planes of a row of messages

    wire [ROW_W-1:0] row;
    wire [ROW_W-1:0] ahead;
    wire             step;
    /* verilator lint_off UNUSED */
    wire [LOW_W-1:0] lane;
    /* verilator lint_on UNUSED */
    wire [LANES-1:0] lane_oh;
    wire [3:0]       com_msg;  // decided, commit, writes, skip
    wire [1:0]       com_rep;  // pass, reported
    reg              com_valid_q;
    reg  [CID_W-1:0] com_cid_q;
    wire             com_work    = com_dist_i != pass_dist_i;
    wire             com_decided = com_msg[3] || (FAIL_WAITS == 0 && com_rep[0] && !com_rep[1]);
    wire             com_writes  = com_msg[2] && com_msg[1];
    wire             com_free    = !com_valid_q || com_ready_i;
    wire             com_send    = com_work && !com_msg[0] && com_decided && com_writes && com_free;

    assign move_o = com_work && (com_msg[0] || (com_decided && !com_writes) || com_send);

    cw_commit_step #(
        .LANES(LANES),
        .IDX_W(IDX_W),
        .ROW_W(ROW_W),
        .LOW_W(LOW_W)
    ) u_step (
        .idx_i    (com_ptr_i[IDX_W-1:0]),
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
        .FIRST (SKIPPED),
        .COUNT (4),
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
        .data_o   (com_msg)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_msg_i[SKIPPED +: 4])
`endif
    );

    cw_commit_cursor #(
        .LANES (LANES),
        .PLANES(2),
        .FIRST (0),
        .COUNT (2),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W)
    ) u_rep (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .row_i    (row),
        .ahead_i  (ahead),
        .step_i   (step),
        .lane_oh_i(lane_oh),
        .set_i    (rep_set_i),
        .past_i   (rep_past_i),
        .data_o   (com_rep)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_rep_i)
`endif
    );

    always @(posedge clk_i)
        if (rst_i || (com_ready_i && !com_send)) begin
            com_valid_q <= 1'b0;
            com_cid_q   <= {CID_W{1'b0}};
        end else if (com_send) begin
            com_valid_q <= 1'b1;
            com_cid_q   <= com_ptr_i;
        end

    assign com_valid_o = com_valid_q;
    assign com_cid_o   = com_cid_q;

`ifdef CW_PROPERTIES
    assign f_commit_o = {com_work, com_send, com_msg, com_rep};
`endif

endmodule

`default_nettype wire
