// SPDX-License-Identifier: Apache-2.0
//
// cw_block_stack_offer: which block's top is offered next.
//
// Why         : many blocks may be ready at once, and whoever takes tops takes one at a time.
// How         : the lowest block that is ready, but for the one that is being taken, goes into a register.
// Latency     : a block that is ready in cycle t is offered in t + 1, if no other is.
// Throughput  : a block per cycle.
// Illegal use : none.
//
// Paper: none. It is a part of cw_block_stack. C model: part of csim/unit/block_stack.c.

`default_nettype none

module cw_block_stack_offer #(
    parameter BLOCKS  = 8,
    parameter BLOCK_W = 3  // of a block's number
) (
    input  wire               clk_i,
    input  wire               rst_i,
    input  wire [BLOCKS-1:0]  ready_i,
    output wire               valid_o,
    output wire [BLOCK_W-1:0] block_o,
    input  wire               ready_to_take_i,
    output wire               taken_o
);

    reg                offer_valid_q;
    reg  [BLOCK_W-1:0] offer_q;
    reg  [BLOCKS-1:0]  ready;  // but for the one that is being taken
    reg  [BLOCK_W-1:0] lowest;
    wire               taken = offer_valid_q && ready_to_take_i;
    integer            k;
    integer            n;

    always @*
        for (k = 0; k < BLOCKS; k = k + 1)
            ready[k] = ready_i[k] && !(taken && offer_q == k[BLOCK_W-1:0]);

    always @* begin
        lowest = {BLOCK_W{1'b0}};
        for (n = BLOCKS - 1; n >= 0; n = n - 1)
            if (ready[n])
                lowest = n[BLOCK_W-1:0];
    end

    always @(posedge clk_i)
        if (rst_i)
            offer_valid_q <= 1'b0;
        else if (!offer_valid_q || ready_to_take_i)
            offer_valid_q <= |ready;

    always @(posedge clk_i)
        if (!offer_valid_q || ready_to_take_i)
            offer_q <= lowest;

    assign valid_o = offer_valid_q;
    assign block_o = offer_q;
    assign taken_o = taken;

endmodule

`default_nettype wire
