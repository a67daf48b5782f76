// SPDX-License-Identifier: Apache-2.0
//
// cw_dram_scheduler_timer: command cycles until a command is allowed again.
//
// Why         : a DRAM has many times of the kind "not before n cycles after that command", and each is one counter down to 0.
// How         : the counter goes down with each command cycle. An event comes a cycle after its command, and what it asks for counts at once:
//               so the choice of a command does not lead into 50 counters within its own cycle.
// Latency     : a command in command cycle t, time N: ready_o = 0 until t + N - 1, and 1 from t + N on. The event comes in t + 1.
// Throughput  : an event in each command cycle.
// Storage     : 9 bits in flip-flops.
// Illegal use : none.
//
// Paper: none. It is a part of cw_dram_scheduler. Contract: include/cowarp/unit/dram_scheduler.h. C model: csim/unit/dram_scheduler.c.

`default_nettype none

module cw_dram_scheduler_timer #(
    parameter TIME_A = 1,  // 1 .. 255, of each event
    parameter TIME_B = 1,
    parameter TIME_C = 1
) (
    input  wire clk_i,
    input  wire rst_i,
    input  wire step_i,
    input  wire event_a_i,
    input  wire event_b_i,
    input  wire event_c_i,
    output wire ready_o
);

    localparam [31:0] LEFT_A = TIME_A - 1;
    localparam [31:0] LEFT_B = TIME_B - 1;
    localparam [31:0] LEFT_C = TIME_C - 1;

    reg        ready_q;
    reg  [7:0] left_q;
    wire [7:0] more_a = event_a_i && left_q <= LEFT_A[7:0] ? LEFT_A[7:0] : left_q;
    wire [7:0] more_b = event_b_i && more_a <= LEFT_B[7:0] ? LEFT_B[7:0] : more_a;
    wire [7:0] more_c = event_c_i && more_b <= LEFT_C[7:0] ? LEFT_C[7:0] : more_b;
    wire [7:0] next   = more_c - {7'd0, step_i && !ready_o};

    always @(posedge clk_i) begin
        ready_q <= rst_i || next == 8'd0;
        left_q  <= rst_i ? 8'd0 : next;
    end

    assign ready_o = ready_q && !(event_a_i && TIME_A > 1) && !(event_b_i && TIME_B > 1) && !(event_c_i && TIME_C > 1);

endmodule

`default_nettype wire
