// SPDX-License-Identifier: Apache-2.0
//
// cw_nonsynth_upset: inverts one bit of each row that a RAM is asked for, each time the next one.
//
// Why         : a RAM that corrects errors is to be seen correcting them. The wrappers have one when CW_RAM_UPSET is defined.
// How         : upset_o is XORed with what the RAM shows. Its one 1 moves on with each read, and stays while the RAM's output stays.
// Illegal use : in silicon.
//
// Paper: none. C model: none, units do not see it.

`default_nettype none

module cw_nonsynth_upset #(
    parameter ROW_W = 39  // 2 or more
) (
    input  wire             clk_i,
    input  wire             rd_en_i,
    output wire [ROW_W-1:0] upset_o
);

    reg [ROW_W-1:0] upset_q;

    initial upset_q = {{ROW_W-1{1'b0}}, 1'b1};

    always @(posedge clk_i)
        if (rd_en_i)
            upset_q <= {upset_q[ROW_W-2:0], upset_q[ROW_W-1]};

    assign upset_o = upset_q;

endmodule

`default_nettype wire
