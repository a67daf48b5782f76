// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_answer: the flags of one kind of answer about one entry of the commit unit.
//
// Why         : answers of the hazard unit, of validations and of write-backs differ in their flags and in who may have
//               them. That a row is read, a bit of it changed, and the row written is the same.
// How         : the row of the entry is read when the answer comes, and its owner says in the next cycle what becomes
//               of it.
// Stages      : take, cycle t: the row is read. Judge, t + 1: the row is there, and changes.
// Latency     : a pointer sees the change in t + 2.
// Throughput  : an answer per cycle.
// Illegal use : judge_i without take_i of the same place in the cycle before.
//
// Paper: none. It is a part of cw_commit_answers. C model: part of csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_answer #(
    parameter LANES  = 32,
    parameter PLANES = 1,   // flags of an entry
    parameter IDX_W  = 11,  // of a place
    parameter ROW_W  = 6,   // of a row
    parameter BROW_W = 5,   // of a row in its bank
    parameter LOW_W  = 5,   // of a lane, at least 1
    parameter WIDTH  = PLANES * LANES,
    // of the bundles, see cw_commit_rows
    parameter SET_W  = 2 * (1 + BROW_W + WIDTH),
    parameter PAST_W = 2 * SET_W + (2 << BROW_W)
) (
    input  wire              clk_i,
    input  wire              rst_i,
    // rows that are cleared
    input  wire [1:0]        clear_i,
    input  wire [BROW_W-1:0] clear_row_i,
    // take
    input  wire              take_i,
    /* verilator lint_off UNUSED */  // its lane
    input  wire [IDX_W-1:0]  take_idx_i,
    /* verilator lint_on UNUSED */
    // judge: the row is 0 without judge_i, and is written with change_i
    input  wire              judge_i,
    input  wire [IDX_W-1:0]  idx_i,
    output wire [LANES-1:0]  lane_oh_o,
    output reg  [WIDTH-1:0]  row_o,
    input  wire              change_i,
    input  wire [WIDTH-1:0]  row_i,
    // flags
    output wire [SET_W-1:0]  set_o,
    output wire [PAST_W-1:0] past_o
`ifdef CW_PROPERTIES
    , input  wire [BROW_W+LANES+2:0] f_watch_i  // see cw_commit_view
    , input  wire [PLANES-1:0]       f_flags_i
`endif
);

    localparam integer     LAST_LANE = LANES - 1;
    localparam integer     FIRST     = 1;
    localparam [LOW_W-1:0] LOW_MASK  = LAST_LANE[LOW_W-1:0];
    localparam [LANES-1:0] LANE_0    = FIRST[LANES-1:0];

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

    wire [ROW_W-1:0]   row = idx_i[IDX_W-1 -: ROW_W];
    wire [2*WIDTH-1:0] rows;

    cw_commit_rows #(
        .WIDTH (WIDTH),
        .BROW_W(BROW_W)
    ) u_rows (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .load_i     (judge_i),
        .set_i      (set_o),
        .clear_i    (clear_i),
        .clear_row_i(clear_row_i),
        .past_o     (past_o)
    );

    cw_commit_view #(
        .LANES (LANES),
        .PLANES(PLANES),
        .FIRST (0),
        .COUNT (PLANES),
        .BROW_W(BROW_W)
    ) u_judge (
        .clk_i (clk_i),
        .read_i(take_i),
        .row_i ({2{in_bank(take_idx_i[IDX_W-1 -: ROW_W])}}),
        .past_i(past_o),
        .data_o(rows)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_flags_i)
        , .f_rows_i ({2{in_bank(row)}})
        , .f_valid_i(judge_i)
`endif
    );

    always @* begin
        row_o = {WIDTH{1'b0}};
        if (judge_i)
            row_o = row[0] ? rows[WIDTH +: WIDTH] : rows[0 +: WIDTH];
    end

    assign lane_oh_o = LANE_0 << (idx_i[LOW_W-1:0] & LOW_MASK);
    assign set_o     = {change_i && row[0], change_i && !row[0], {2{in_bank(row)}}, {2{row_i}}};

endmodule

`default_nettype wire
