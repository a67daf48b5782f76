// SPDX-License-Identifier: Apache-2.0
//
// cw_tally_table: see the contract, tests/synth/home/include/cowarp/unit/tally_table.h. Only the tests of cowarp synth use it.

`default_nettype none

module cw_tally_table #(
    parameter ROW_W   = 4,
    parameter VALUE_W = 8,
    parameter FOLD    = 0,
    parameter STEPS   = 0
) (
    input  wire               clk_i,
    input  wire               rst_i,
    input  wire               req_valid_i,
    input  wire [ROW_W-1:0]   req_row_i,
    output reg                rsp_valid_o,
    output reg  [VALUE_W-1:0] rsp_value_o
);

    // after reset: one row is cleared in each cycle, until the top bit is 1
    reg [ROW_W:0] clear_q;
    wire          clearing = !clear_q[ROW_W];

    // cycle 1: the row is being read; cycle 2: the answer is in a register; its write waits there
    reg                read_q;
    reg  [ROW_W-1:0]   row_q;
    reg  [ROW_W-1:0]   wr_row_q;
    wire [VALUE_W-1:0] stored;
    reg  [VALUE_W-1:0] answer;
    wire [VALUE_W-1:0] next = (FOLD != 0 ? stored : rsp_value_o) + {{VALUE_W - 1{1'b0}}, 1'b1};

    integer i;

    always @* begin
        answer = stored;
        for (i = 0; i < STEPS; i = i + 1)
            answer = answer * ~stored;
    end

    cw_ram_1r1w #(
        .ADDR_W(ROW_W),
        .DATA_W(VALUE_W)
    ) u_ram (
        .clk_i    (clk_i),
        .rd_en_i  (req_valid_i),
        .rd_addr_i(req_row_i),
        .rd_data_o(stored),
        .wr_en_i  (clearing || (FOLD != 0 ? read_q : rsp_valid_o)),
        .wr_addr_i(clearing ? clear_q[ROW_W-1:0] : FOLD != 0 ? row_q : wr_row_q),
        .wr_data_i(clearing ? {VALUE_W{1'b0}} : next)
    );

    always @(posedge clk_i) begin
        if (rst_i) begin
            clear_q     <= {ROW_W + 1{1'b0}};
            read_q      <= 1'b0;
            rsp_valid_o <= 1'b0;
        end else begin
            read_q      <= req_valid_i;
            rsp_valid_o <= read_q;
            if (clearing)
                clear_q <= clear_q + {{ROW_W{1'b0}}, 1'b1};
        end
        if (req_valid_i)
            row_q <= req_row_i;
        if (read_q) begin
            rsp_value_o <= answer;
            wr_row_q    <= row_q;
        end
    end

endmodule

`default_nettype wire
