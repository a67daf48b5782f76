// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_retire: the retire pointer of the commit unit, at which entries end in the order of their commit IDs.
//
// Why         : a younger entry that waits for an older one must know that its writes are in memory.
// How         : the pointer waits until the entry's write-back has ended, if there is one. It tells the core of entries
//               that were not skipped. When it leaves a row, the row is cleared.
// Latency     : an entry whose flags the pointer sees in cycle t is offered in t + 1; the row that it leaves in t is
//               cleared in t + 1.
// Throughput  : an entry per cycle.
// Illegal use : none.
//
// Paper: Fung 2015, section 4.2.5. It is a part of cw_commit_unit. C model: part of csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_retire #(
    parameter LANES      = 32,
    parameter CID_W      = 20,
    parameter IDX_W      = 11,  // of a place
    parameter ROW_W      = 6,   // of a row
    parameter BROW_W     = 5,   // of a row in its bank
    parameter LOW_W      = 5,   // of a lane, at least 1
    // of the bundles, see cw_commit_rows
    parameter MSG_SET_W  = 2 * (1 + BROW_W + 6 * LANES),
    parameter WB_SET_W   = 2 * (1 + BROW_W + LANES),
    parameter MSG_PAST_W = 2 * MSG_SET_W + (2 << BROW_W),
    parameter WB_PAST_W  = 2 * WB_SET_W + (2 << BROW_W)
) (
    input  wire                  clk_i,
    input  wire                  rst_i,
    // the pointer, and the distance of the commit pointer; it moves
    input  wire [CID_W-1:0]      ret_ptr_i,
    input  wire [IDX_W-1:0]      com_dist_i,
    output wire                  move_o,
    // flags of messages and write-backs
    input  wire [MSG_SET_W-1:0]  msg_set_i,
    input  wire [MSG_PAST_W-1:0] msg_past_i,
    input  wire [WB_SET_W-1:0]   wb_set_i,
    input  wire [WB_PAST_W-1:0]  wb_past_i,
    // the row that the pointer has left, by bank
    output wire [1:0]            clear_o,
    output wire [BROW_W-1:0]     clear_row_o,
    // the oldest transaction is done
    output wire                  ret_valid_o,
    output wire [CID_W-1:0]      ret_cid_o,
    output wire                  ret_commit_o,
    input  wire                  ret_ready_i
`ifdef CW_PROPERTIES
    , input  wire [BROW_W+LANES+2:0]  f_watch_i  // see cw_commit_view
    , input  wire [5:0]               f_msg_i
    , input  wire                     f_wb_i
    , output wire [5:0]               f_retire_o  // {there is an entry, it is told, its flags}
`endif
);

    localparam SKIPPED = 2;  // the first of three planes of a row of messages

    // A row's number in its bank.
    function [BROW_W-1:0] in_bank (input [ROW_W-1:0] of);
        /* verilator lint_off UNUSED */  // bit 0 is the bank
        reg [ROW_W:0] wide;
        /* verilator lint_on UNUSED */
        begin
            wide    = {1'b0, of};
            in_bank = wide[1 +: BROW_W];
        end
    endfunction

    wire [ROW_W-1:0]  row;
    wire [ROW_W-1:0]  ahead;
    wire              step;
    /* verilator lint_off UNUSED */
    wire [LOW_W-1:0]  lane;
    /* verilator lint_on UNUSED */
    wire [LANES-1:0]  lane_oh;
    wire [2:0]        ret_msg;  // commit, writes, skip
    wire              ret_wb;   // written
    reg               ret_valid_q;
    reg  [CID_W-1:0]  ret_cid_q;
    reg               ret_commit_q;
    reg  [1:0]        clear_q;
    reg  [BROW_W-1:0] clear_row_q;
    wire              ret_work = com_dist_i != {IDX_W{1'b0}};
    wire              ret_skip = ret_work && ret_msg[0];
    wire              ret_done = !(ret_msg[2] && ret_msg[1]) || ret_wb;
    wire              ret_send = ret_work && !ret_msg[0] && ret_done && (!ret_valid_q || ret_ready_i);

    assign move_o = ret_skip || ret_send;

    cw_commit_step #(
        .LANES(LANES),
        .IDX_W(IDX_W),
        .ROW_W(ROW_W),
        .LOW_W(LOW_W)
    ) u_step (
        .idx_i    (ret_ptr_i[IDX_W-1:0]),
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
        .COUNT (3),
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
        .data_o   (ret_msg)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_msg_i[SKIPPED +: 3])
`endif
    );

    cw_commit_cursor #(
        .LANES (LANES),
        .PLANES(1),
        .FIRST (0),
        .COUNT (1),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W)
    ) u_wb (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .row_i    (row),
        .ahead_i  (ahead),
        .step_i   (step),
        .lane_oh_i(lane_oh),
        .set_i    (wb_set_i),
        .past_i   (wb_past_i),
        .data_o   (ret_wb)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_wb_i)
`endif
    );

    always @(posedge clk_i) begin
        clear_q     <= rst_i ? 2'b00 : {step && row[0], step && !row[0]};
        clear_row_q <= in_bank(row);
    end

    always @(posedge clk_i)
        if (rst_i || (ret_ready_i && !ret_send)) begin
            ret_valid_q  <= 1'b0;
            ret_cid_q    <= {CID_W{1'b0}};
            ret_commit_q <= 1'b0;
        end else if (ret_send) begin
            ret_valid_q  <= 1'b1;
            ret_cid_q    <= ret_ptr_i;
            ret_commit_q <= ret_msg[2];
        end

    assign clear_o      = clear_q;
    assign clear_row_o  = clear_row_q;
    assign ret_valid_o  = ret_valid_q;
    assign ret_cid_o    = ret_cid_q;
    assign ret_commit_o = ret_commit_q;

`ifdef CW_PROPERTIES
    assign f_retire_o = {ret_work, ret_send, ret_msg, ret_wb};
`endif

endmodule

`default_nettype wire
