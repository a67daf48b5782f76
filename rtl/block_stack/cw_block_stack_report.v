// SPDX-License-Identifier: Apache-2.0
//
// cw_block_stack_report: what the block stacks tell of pops, ends, and their height.
//
// Why         : who forms warps must know which entry has gone, and a designer how many entries there were at most.
// How         : registers behind the events of a turn.
// Latency     : a cycle.
// Throughput  : an event per cycle.
// Illegal use : none.
//
// Paper: none. It is a part of cw_block_stack. C model: part of csim/unit/block_stack.c.

`default_nettype none

module cw_block_stack_report #(
    parameter PC_W    = 16,
    parameter POS_W   = 8,
    parameter BLOCK_W = 3  // of a block's number
) (
    input  wire               clk_i,
    input  wire               rst_i,
    // a stack has its first entry
    input  wire               start_i,
    // the block whose stack is turned: its top, and what happens
    input  wire [BLOCK_W-1:0] turn_i,
    input  wire [PC_W-1:0]    pc_i,
    input  wire [POS_W-1:0]   pos_i,
    input  wire               nobody_i,
    input  wire               push_i,
    input  wire               pop_i,
    input  wire               gone_i,
    input  wire               over_i,
    // reports
    output wire               pop_valid_o,
    output wire [3:0]         pop_block_o,
    output wire [PC_W-1:0]    pop_pc_o,
    output wire               pop_empty_o,
    output wire               ended_valid_o,
    output wire [3:0]         ended_block_o,
    output wire [POS_W:0]     peak_o,
    output wire               overflow_o
);

    reg                pop_valid_q;
    reg  [BLOCK_W-1:0] pop_block_q;
    reg  [PC_W-1:0]    pop_pc_q;
    reg                pop_empty_q;
    reg                ended_valid_q;
    reg  [POS_W:0]     peak_q;
    reg                overflow_q;
    wire [POS_W:0]     one    = {{POS_W{1'b0}}, 1'b1};
    wire [POS_W:0]     height = start_i ? one : push_i ? {1'b0, pos_i} + 2 : {(POS_W+1){1'b0}};

    always @(posedge clk_i)
        if (rst_i) begin
            pop_valid_q   <= 1'b0;
            ended_valid_q <= 1'b0;
            peak_q        <= {(POS_W+1){1'b0}};
            overflow_q    <= 1'b0;
        end else begin
            pop_valid_q   <= pop_i;
            ended_valid_q <= gone_i;
            if (height > peak_q)
                peak_q <= height;
            overflow_q    <= overflow_q || over_i;
        end

    always @(posedge clk_i)
        if (pop_i) begin
            pop_block_q <= turn_i;
            pop_pc_q    <= pc_i;
            pop_empty_q <= nobody_i;
        end

    assign pop_valid_o   = pop_valid_q;
    assign pop_block_o   = {{(4-BLOCK_W){1'b0}}, pop_block_q & {BLOCK_W{pop_valid_q}}};
    assign pop_pc_o      = pop_pc_q & {PC_W{pop_valid_q}};
    assign pop_empty_o   = pop_empty_q && pop_valid_q;
    assign ended_valid_o = ended_valid_q;
    assign ended_block_o = {{(4-BLOCK_W){1'b0}}, pop_block_q & {BLOCK_W{ended_valid_q}}};
    assign peak_o        = peak_q;
    assign overflow_o    = overflow_q;

endmodule

`default_nettype wire
