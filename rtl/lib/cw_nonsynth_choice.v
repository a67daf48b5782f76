// SPDX-License-Identifier: Apache-2.0
//
// cw_nonsynth_choice: one value out of many, for properties only.
//
// Why         : a property of a table speaks of one key. A prover tries every key at once. A simulation must choose one that comes.
// How         : to a prover, choice_o is any constant. In a run it is the first value after a reset, from the cycle in which that comes on;
//               before, it follows value_i, and there has been nothing to say anything about.
// Illegal use : outside of properties (`ifdef CW_PROPERTIES, docs/proofs.md).

`default_nettype none

module cw_nonsynth_choice #(
    parameter W = 1  // 1 .. 64
) (
    input  wire         clk_i,
    input  wire         rst_i,
    // values come
    input  wire         valid_i,
    input  wire [W-1:0] value_i,
    // the one that is looked at
    output wire [W-1:0] choice_o
);

`ifdef FORMAL
    (* anyconst *) reg [W-1:0] any;
    assign choice_o = any;
`else
    reg         chosen_q;
    reg [W-1:0] value_q;

    always @(posedge clk_i) begin
        if (rst_i)
            chosen_q <= 1'b0;
        else if (valid_i)
            chosen_q <= 1'b1;
        if (valid_i && !chosen_q)
            value_q <= value_i;
    end

    assign choice_o = chosen_q ? value_q : value_i;
`endif

endmodule

`default_nettype wire
