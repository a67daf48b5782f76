// SPDX-License-Identifier: Apache-2.0
//
// cw_lane_counter: adds up the lanes of the instructions that a core issues.
//
// Why         : a core that issues instructions with few lanes wastes its width. The sum, over the instructions, says how much.
// How         : the lanes of each slot that issues are counted, and the four counts are added to the sum.
// Latency     : slots 0 cycles; an instruction is in the sum from the next cycle on.
// Throughput  : four instructions per cycle.
// Comb. paths : issue_valid_i -> slots_o.
// Storage     : the sum, COUNT_W flip-flops.
// Illegal use : none.
//
// Contract: include/cowarp/unit/lane_counter.h. C model: lane_counter.c.

`default_nettype none

module cw_lane_counter #(
    parameter LANES   = 32,  // 1 .. 64
    parameter COUNT_W = 48   // 8 .. 64
) (
    input  wire               clk_i,
    input  wire               rst_i,
    input  wire [3:0]         issue_valid_i,
    input  wire [LANES-1:0]   lanes_0_i,
    input  wire [LANES-1:0]   lanes_1_i,
    input  wire [LANES-1:0]   lanes_2_i,
    input  wire [LANES-1:0]   lanes_3_i,
    output wire [2:0]         slots_o,
    output wire [COUNT_W-1:0] total_o
);

    // Ones of all slots: at most 256.
    wire [4*LANES-1:0] lanes = {
        lanes_3_i & {LANES{issue_valid_i[3]}},
        lanes_2_i & {LANES{issue_valid_i[2]}},
        lanes_1_i & {LANES{issue_valid_i[1]}},
        lanes_0_i & {LANES{issue_valid_i[0]}}
    };
    reg  [8:0]         ones;
    integer            i;
    always @* begin
        ones = 9'd0;
        for (i = 0; i < 4*LANES; i = i + 1)
            ones = ones + {8'd0, lanes[i]};
    end

    reg  [COUNT_W-1:0] total_q;
    wire [COUNT_W+8:0] sum = {9'd0, total_q} + {{COUNT_W{1'b0}}, ones};
    wire [8:0]         unused_carry = sum[COUNT_W+8:COUNT_W];

    always @(posedge clk_i) begin
        if (rst_i)
            total_q <= {COUNT_W{1'b0}};
        else
            total_q <= sum[COUNT_W-1:0];
    end

    assign slots_o = {2'd0, issue_valid_i[0]} + {2'd0, issue_valid_i[1]} + {2'd0, issue_valid_i[2]} + {2'd0, issue_valid_i[3]};
    assign total_o = total_q;

    generate
        if (LANES < 1 || LANES > 64) begin : g_bad_lanes
            cw_error_lane_counter_lanes_must_be_1_to_64 u_error ();
        end
        if (COUNT_W < 8 || COUNT_W > 64) begin : g_bad_count_w
            cw_error_lane_counter_count_w_must_be_8_to_64 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
