// SPDX-License-Identifier: Apache-2.0
//
// cw_thread_compactor of tests/rtl/elastic_test.py: the contract's answers, by other means and at another pace. One static warp is looked at per
// cycle: a count takes 2 * 32 cycles, a warp 32. It has an eighth of the logic.

`default_nettype none

module cw_thread_compactor #(
    parameter LANES = 32,
    parameter WARPS = 32
) (
    input  wire             clk_i,
    input  wire             rst_i,
    input  wire             start_valid_i,
    input  wire             start_static_i,
    /* verilator lint_off UNUSED */
    input  wire [1023:0]    start_mask_i,
    /* verilator lint_on UNUSED */
    output wire             start_ready_o,
    output wire             count_valid_o,
    output wire [5:0]       count_o,
    output wire             warp_valid_o,
    output wire             warp_last_o,
    output wire [LANES-1:0] warp_lanes_o,
    output wire [255:0]     warp_home_o,
    input  wire             warp_ready_i
);

    localparam [2:0] IDLE = 3'd0, ADD = 3'd1, MOST = 3'd2, TELL = 3'd3, GATHER = 3'd4, OFFER = 3'd5;

    reg  [2:0]         state_q;
    reg                static_q;
    reg  [1023:0]      left_q;    // threads that are in no warp yet
    reg  [4:0]         at_q;      // a static warp, or a lane
    reg  [6*LANES-1:0] lane_q;    // by lane: its threads
    reg  [5:0]         count_q;   // warps
    reg  [5:0]         told_q;    // of these, that have been taken
    reg  [LANES-1:0]   lanes_q;   // of the warp that is gathered
    reg  [255:0]       home_q;

    wire [LANES-1:0]   row  = left_q[{at_q, 5'd0} +: LANES];
    wire [LANES-1:0]   goes = static_q ? (lanes_q == {LANES{1'b0}} ? row : {LANES{1'b0}}) : row & ~lanes_q;
    wire [5:0]         most = lane_q[at_q*6 +: 6];
    integer            l;

    assign start_ready_o = state_q == IDLE;
    assign count_valid_o = state_q == TELL;
    assign count_o       = state_q == TELL ? count_q : 6'd0;
    assign warp_valid_o  = state_q == OFFER;
    assign warp_last_o   = state_q == OFFER && told_q + 6'd1 == count_q;
    assign warp_lanes_o  = state_q == OFFER ? lanes_q : {LANES{1'b0}};
    assign warp_home_o   = state_q == OFFER ? home_q : 256'd0;

    always @(posedge clk_i)
        if (rst_i)
            state_q <= IDLE;
        else
            case (state_q)
                IDLE:    state_q <= start_valid_i ? ADD : IDLE;
                ADD:     state_q <= at_q == 5'd31 ? MOST : ADD;
                MOST:    state_q <= at_q == 5'd31 ? TELL : MOST;
                TELL:    state_q <= count_q == 6'd0 ? IDLE : GATHER;
                GATHER:  state_q <= at_q == 5'd31 ? OFFER : GATHER;
                default: state_q <= !warp_ready_i ? OFFER : told_q + 6'd1 == count_q ? IDLE : GATHER;
            endcase

    always @(posedge clk_i) begin
        at_q <= state_q == ADD || state_q == MOST || state_q == GATHER ? at_q + 5'd1 : 5'd0;
        if (state_q == IDLE) begin
            static_q <= start_static_i;
            told_q   <= 6'd0;
            count_q  <= 6'd0;
            lanes_q  <= {LANES{1'b0}};
            home_q   <= 256'd0;
            lane_q   <= {(6*LANES){1'b0}};
            left_q   <= 1024'd0;
            for (l = 0; l < WARPS; l = l + 1)
                left_q[l*32 +: LANES] <= start_mask_i[l*32 +: LANES];
        end
        if (state_q == ADD) begin
            for (l = 0; l < LANES; l = l + 1)
                lane_q[l*6 +: 6] <= lane_q[l*6 +: 6] + {5'd0, row[l]};
            count_q <= count_q + (static_q && row != {LANES{1'b0}} ? 6'd1 : 6'd0);
        end
        if (state_q == MOST && !static_q && {1'b0, at_q} < LANES[5:0] && most > count_q)
            count_q <= most;
        if (state_q == GATHER) begin
            lanes_q <= lanes_q | goes;
            left_q[{at_q, 5'd0} +: LANES] <= row & ~goes;
            for (l = 0; l < LANES; l = l + 1)
                if (goes[l])
                    home_q[l*8 +: 8] <= {3'd0, at_q};
        end
        if (state_q == OFFER && warp_ready_i) begin
            told_q  <= told_q + 6'd1;
            lanes_q <= {LANES{1'b0}};
            home_q  <= 256'd0;
        end
    end

endmodule

`default_nettype wire
