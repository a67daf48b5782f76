// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_window: the pointers of the commit unit, and their distances from the oldest entry.
//
// Why         : whether an entry has come to a pointer is a comparison of distances, which needs no commit ID (CID).
// How         : a pointer is a CID. The window begins at the retire pointer, and the others have a distance from it.
// Latency     : a move in one cycle is in the pointers in the next one.
// Throughput  : each pointer moves by one entry per cycle.
// Illegal use : a pointer that overtakes the one before it; a window of more entries than the ring has.
//
// Paper: Fung 2015, Figure 4.5. It is a part of cw_commit_unit. C model: part of csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_window #(
    parameter CID_W = 20,
    parameter IDX_W = 11  // of a place, and of a distance
) (
    input  wire             clk_i,
    input  wire             rst_i,
    // pointers that move
    input  wire             ret_move_i,
    input  wire             com_move_i,
    input  wire             pass_move_i,
    input  wire             haz_move_i,
    // pointers in this cycle
    output wire [CID_W-1:0] ret_ptr_o,
    output wire [CID_W-1:0] com_ptr_o,
    output wire [CID_W-1:0] pass_ptr_o,
    output wire [CID_W-1:0] haz_ptr_o,
    // their distances from the retire pointer
    output wire [IDX_W-1:0] com_dist_o,
    output wire [IDX_W-1:0] pass_dist_o,
    output wire [IDX_W-1:0] haz_dist_o,
    // stage of the oldest entry, as in the contract
    output wire [1:0]       stage_o
);

    function [IDX_W-1:0] moved (input [IDX_W-1:0] from, input up, input down);
        moved = from + {{(IDX_W - 1){1'b0}}, up} - {{(IDX_W - 1){1'b0}}, down};
    endfunction

    localparam [IDX_W-1:0] NONE = {IDX_W{1'b0}};

    reg  [CID_W-1:0] ret_ptr_q;
    reg  [CID_W-1:0] com_ptr_q;
    reg  [CID_W-1:0] pass_ptr_q;
    reg  [CID_W-1:0] haz_ptr_q;
    reg  [IDX_W-1:0] com_dist_q;
    reg  [IDX_W-1:0] pass_dist_q;
    reg  [IDX_W-1:0] haz_dist_q;
    reg  [1:0]       stage_q;
    wire [IDX_W-1:0] com_dist_d  = moved(com_dist_q, com_move_i, ret_move_i);
    wire [IDX_W-1:0] pass_dist_d = moved(pass_dist_q, pass_move_i, ret_move_i);
    wire [IDX_W-1:0] haz_dist_d  = moved(haz_dist_q, haz_move_i, ret_move_i);

    always @(posedge clk_i)
        if (rst_i) begin
            ret_ptr_q   <= {CID_W{1'b0}};
            com_ptr_q   <= {CID_W{1'b0}};
            pass_ptr_q  <= {CID_W{1'b0}};
            haz_ptr_q   <= {CID_W{1'b0}};
            com_dist_q  <= NONE;
            pass_dist_q <= NONE;
            haz_dist_q  <= NONE;
            stage_q     <= 2'd0;
        end else begin
            if (ret_move_i)
                ret_ptr_q <= ret_ptr_q + 1'b1;
            if (com_move_i)
                com_ptr_q <= com_ptr_q + 1'b1;
            if (pass_move_i)
                pass_ptr_q <= pass_ptr_q + 1'b1;
            if (haz_move_i)
                haz_ptr_q <= haz_ptr_q + 1'b1;
            com_dist_q  <= com_dist_d;
            pass_dist_q <= pass_dist_d;
            haz_dist_q  <= haz_dist_d;
            stage_q     <= haz_dist_d == NONE ? 2'd0 : pass_dist_d == NONE ? 2'd1 : com_dist_d == NONE ? 2'd2 : 2'd3;
        end

    assign ret_ptr_o   = ret_ptr_q;
    assign com_ptr_o   = com_ptr_q;
    assign pass_ptr_o  = pass_ptr_q;
    assign haz_ptr_o   = haz_ptr_q;
    assign com_dist_o  = com_dist_q;
    assign pass_dist_o = pass_dist_q;
    assign haz_dist_o  = haz_dist_q;
    assign stage_o     = stage_q;

endmodule

`default_nettype wire
