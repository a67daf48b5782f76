// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_rows: the writing side of flags that are kept in RAM by rows.
//
// Why         : flags of a ring's entries are set by events in any order and read by pointers in order. A row of RAM
//               holds the flags of LANES entries side by side, so that an event about a whole warp changes its flags at
//               once.
// How         : rows lie in two banks, even rows in bank 0, odd rows in bank 1. Two neighbouring rows can change in one
//               cycle. A change waits one cycle in a register and is then written, so no RAM's output reaches a RAM's
//               input within a cycle. The change before it is kept too: a reader may need both. Whether a row has been
//               written since it was cleared is a flip-flop per row. So clearing a row, and all rows by reset, costs
//               one cycle and no write port.
// Bundles     : set_i is {enable of banks 1 and 0, rows, data}. past_o is {written rows of banks 1 and 0, the change
//               before the last one, the last one}; the last one is being written in this cycle. cw_commit_view takes
//               it.
// Latency     : a reader sees a change in the cycle after set_i.
// Throughput  : a row per bank and cycle.
// Illegal use : clearing a row in the cycle in which it changes.
//
// Paper: none. C model: part of csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_rows #(
    parameter WIDTH  = 192,  // bits of a row
    parameter BROW_W = 5,    // log2 of the rows of a bank, at least 1
    // of the bundles
    parameter SET_W  = 2 * (1 + BROW_W + WIDTH),
    parameter PAST_W = 2 * SET_W + (2 << BROW_W)
) (
    input  wire              clk_i,
    input  wire              rst_i,
    input  wire              load_i,   // set may have an enable
    input  wire [SET_W-1:0]  set_i,
    input  wire [1:0]        clear_i,  // of a bank
    input  wire [BROW_W-1:0] clear_row_i,
    output wire [PAST_W-1:0] past_o
);

    localparam ROWS = 1 << BROW_W;

    wire [1:0]          set_en  = set_i[SET_W-1 -: 2];
    wire [2*BROW_W-1:0] set_row = set_i[2*WIDTH +: 2*BROW_W];

    reg [SET_W-1:0]  new_q;
    reg [SET_W-1:0]  old_q;
    reg [2*ROWS-1:0] written_q;

    always @(posedge clk_i) begin
        if (load_i)
            new_q <= set_i;
        if (|new_q[SET_W-1 -: 2])
            old_q <= new_q;
        new_q[SET_W-1 -: 2] <= rst_i ? 2'b00 : set_en;
        old_q[SET_W-1 -: 2] <= rst_i ? 2'b00 : new_q[SET_W-1 -: 2];
    end

    genvar b;
    generate
        for (b = 0; b < 2; b = b + 1) begin : g_bank
            wire [ROWS-1:0] one = {{(ROWS-1){1'b0}}, 1'b1};

            always @(posedge clk_i)
                if (rst_i)
                    written_q[b*ROWS +: ROWS] <= {ROWS{1'b0}};
                else if (set_en[b] || clear_i[b]) begin : change
                    reg [ROWS-1:0] set;
                    reg [ROWS-1:0] clear;

                    set   = set_en[b] ? one << set_row[b*BROW_W +: BROW_W] : {ROWS{1'b0}};
                    clear = clear_i[b] ? one << clear_row_i : {ROWS{1'b0}};

                    written_q[b*ROWS +: ROWS] <= (written_q[b*ROWS +: ROWS] & ~clear) | set;
                end
        end
    endgenerate

    assign past_o = {written_q, old_q, new_q};

endmodule

`default_nettype wire
