// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_hazard: the hazard pointer of the commit unit, which gives entries to the hazard unit in the order of their
// commit IDs.
//
// Why         : the hazard unit finds the last writer before an entry only if it sees the writes of all entries in
//               order.
// How         : the pointer waits until the log of its entry is complete, puts the entry with its RCID into a register,
//               and moves on. It passes over skipped entries.
// Latency     : an entry whose flags the pointer sees in cycle t is offered in t + 1.
// Throughput  : an entry per cycle.
// Illegal use : none.
//
// Paper: Fung 2015, section 4.2.5. It is a part of cw_commit_unit. C model: part of csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_hazard #(
    parameter ENTRIES    = 1920,
    parameter LANES      = 32,
    parameter CID_W      = 20,
    parameter IDX_W      = 11,  // of a place
    parameter ROW_W      = 6,   // of a row
    parameter BROW_W     = 5,   // of a row in its bank
    parameter LOW_W      = 5,   // of a lane, at least 1
    // of the bundles, see cw_commit_rows
    parameter MSG_SET_W  = 2 * (1 + BROW_W + 6 * LANES),
    parameter MSG_PAST_W = 2 * MSG_SET_W + (2 << BROW_W)
) (
    input  wire                  clk_i,
    input  wire                  rst_i,
    // the pointer, and its distance from the oldest entry; it moves
    input  wire [CID_W-1:0]      haz_ptr_i,
    input  wire [IDX_W-1:0]      haz_dist_i,
    output wire                  move_o,
    // flags of messages
    input  wire [MSG_SET_W-1:0]  msg_set_i,
    input  wire [MSG_PAST_W-1:0] msg_past_i,
    // who has its first message, see cw_commit_rcid
    input  wire [LANES-1:0]      first_i,
    input  wire [ROW_W-1:0]      first_row_i,
    input  wire [LOW_W-1:0]      first_low_i,
    input  wire [IDX_W-1:0]      oldest_i,
    // the hazard unit takes an entry
    output wire                  haz_valid_o,
    output wire [CID_W-1:0]      haz_cid_o,
    output wire [CID_W-1:0]      haz_rcid_o,
    input  wire                  haz_ready_i
`ifdef CW_PROPERTIES
    , input  wire [BROW_W+LANES+2:0]  f_watch_i  // see cw_commit_view
    , input  wire [IDX_W-1:0]         f_idx_i    // its place
    , input  wire [5:0]               f_msg_i
    , output wire [CID_W+2*IDX_W+3:0] f_hazard_o  // {an entry is sent, its RCID, the RCIDs of cw_commit_rcid, flags}
`endif
);

    localparam integer   LAST     = ENTRIES - 1;
    localparam [CID_W:0] LAST_OFF = {{(CID_W+1-IDX_W){1'b0}}, LAST[IDX_W-1:0]};  // distance of the window's last CID
    localparam           READS    = 1;  // the first of three planes of a row of messages

    wire [ROW_W-1:0] row;
    wire [ROW_W-1:0] ahead;
    wire             step;
    wire [LOW_W-1:0] lane;
    wire [LANES-1:0] lane_oh;
    wire [2:0]       haz_flags;  // writes, skip, reads
    wire [CID_W-1:0] rcid;
    reg              haz_valid_q;
    reg  [CID_W-1:0] haz_cid_q;
    reg  [CID_W-1:0] haz_rcid_q;
    wire             haz_in   = {{(CID_W+1-IDX_W){1'b0}}, haz_dist_i} <= LAST_OFF;
    wire             haz_skip = haz_in && haz_flags[1];
    wire             haz_work = haz_in && (haz_flags[0] || haz_flags[2]);
    wire             haz_send = haz_work && (!haz_valid_q || haz_ready_i);

    assign move_o = haz_skip || haz_send;

    cw_commit_step #(
        .LANES(LANES),
        .IDX_W(IDX_W),
        .ROW_W(ROW_W),
        .LOW_W(LOW_W)
    ) u_step (
        .idx_i    (haz_ptr_i[IDX_W-1:0]),
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
        .data_o   (haz_flags)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_msg_i[READS +: 3])
`endif
    );

    cw_commit_rcid #(
        .LANES(LANES),
        .CID_W(CID_W),
        .IDX_W(IDX_W),
        .ROW_W(ROW_W),
        .LOW_W(LOW_W)
    ) u_rcid (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .first_i    (first_i),
        .first_row_i(first_row_i),
        .first_low_i(first_low_i),
        .oldest_i   (oldest_i),
        .haz_ptr_i  (haz_ptr_i),
        .haz_row_i  (row),
        .haz_lane_i (lane),
        .haz_move_i (move_o),
        .haz_step_i (step),
        .want_i     (haz_work),
        .rcid_o     (rcid)
`ifdef CW_PROPERTIES
        , .f_idx_i (f_idx_i)
        , .f_kept_o(f_hazard_o[IDX_W+3 +: IDX_W])
        , .f_read_o(f_hazard_o[3 +: IDX_W])
`endif
    );

    always @(posedge clk_i)
        if (rst_i || (haz_ready_i && !haz_send)) begin
            haz_valid_q <= 1'b0;
            haz_cid_q   <= {CID_W{1'b0}};
            haz_rcid_q  <= {CID_W{1'b0}};
        end else if (haz_send) begin
            haz_valid_q <= 1'b1;
            haz_cid_q   <= haz_ptr_i;
            haz_rcid_q  <= rcid;
        end

    assign haz_valid_o = haz_valid_q;
    assign haz_cid_o   = haz_cid_q;
    assign haz_rcid_o  = haz_rcid_q;

`ifdef CW_PROPERTIES
    assign f_hazard_o[CID_W+2*IDX_W+3 -: CID_W+1] = {haz_send, rcid};
    assign f_hazard_o[2:0]                        = haz_flags;
`endif

endmodule

`default_nettype wire
