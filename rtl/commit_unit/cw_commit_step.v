// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_step: the row and the lane of a pointer of the commit unit, and the row that is to be read for it.
//
// Why         : a pointer reads its rows ahead (cw_commit_cursor), so the row after its next one must be known while it
//               moves.
// How         : a place is {row, lane}. The pointer leaves its row when it moves from the last lane.
// Latency     : none, there is no register.
// Throughput  : a pointer per cycle.
// Illegal use : none.
//
// Paper: none. It is a part of cw_commit_unit. C model: part of csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_step #(
    parameter LANES = 32,
    parameter IDX_W = 11,  // of a place
    parameter ROW_W = 6,   // of a row
    parameter LOW_W = 5    // of a lane, at least 1
) (
    input  wire [IDX_W-1:0] idx_i,     // the pointer's place
    input  wire             move_i,    // it moves in this cycle
    output wire [ROW_W-1:0] row_o,
    output wire [ROW_W-1:0] ahead_o,   // the row after that of the pointer in the next cycle
    output wire             step_o,    // it goes to the next row
    output wire [LOW_W-1:0] lane_o,
    output wire [LANES-1:0] lane_oh_o
);

    localparam integer     LAST_LANE = LANES - 1;
    localparam integer     FIRST     = 1;
    localparam [LOW_W-1:0] LOW_MASK  = LAST_LANE[LOW_W-1:0];
    localparam [LANES-1:0] LANE_0    = FIRST[LANES-1:0];

    wire [ROW_W-1:0] next = row_o + 1'b1;

    assign row_o     = idx_i[IDX_W-1 -: ROW_W];
    assign lane_o    = idx_i[LOW_W-1:0] & LOW_MASK;
    assign lane_oh_o = LANE_0 << lane_o;
    assign step_o    = move_i && lane_o == LOW_MASK;
    assign ahead_o   = step_o ? next + 1'b1 : next;

endmodule

`default_nettype wire
