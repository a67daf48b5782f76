// SPDX-License-Identifier: Apache-2.0
//
// cw_convergence_rows: the rows of warps, in RAMs.
//
// Why         : a row has 2,000 bits, and one is at work at a time.
// How         : three RAMs with one port: PCs of lanes, barriers, and masks. A barrier is {strict, waits there, waits
//               for, PC}.
// Steps       : read with the operation that is taken, and written in the step write.
// Latency     : a row that is asked for in t is there in t + 1.
// Throughput  : a read or a write per cycle.
// Illegal use : a read and a write in one cycle.
//
// Paper: none. It is a part of cw_convergence_barriers. C model: part of csim/unit/convergence_barriers.c.

`default_nettype none

module cw_convergence_rows #(
    parameter LANES    = 32,
    parameter WARP_W   = 4,
    parameter BARRIERS = 16,
    parameter PC_W     = 16,
    parameter BAR_W    = PC_W + 2*LANES + 1  // of a barrier
) (
    input  wire                      clk_i,
    input  wire                      read_i,
    input  wire                      write_i,
    input  wire [WARP_W-1:0]         warp_i,
    // the row that is written
    input  wire [LANES*PC_W-1:0]     pc_i,
    input  wire [BARRIERS*PC_W-1:0]  bpc_i,
    input  wire [BARRIERS*LANES-1:0] in_i,
    input  wire [BARRIERS*LANES-1:0] at_i,
    input  wire [BARRIERS-1:0]       strict_i,
    input  wire [5*LANES-1:0]        masks_i,
    // the row that was read
    output wire [LANES*PC_W-1:0]     pc_o,
    output reg  [BARRIERS*PC_W-1:0]  bpc_o,
    output reg  [BARRIERS*LANES-1:0] in_o,
    output reg  [BARRIERS*LANES-1:0] at_o,
    output reg  [BARRIERS-1:0]       strict_o,
    output wire [5*LANES-1:0]        masks_o
`ifdef CW_PROPERTIES
    , input  wire [WARP_W-1:0]         f_warp_i
    , output wire [LANES*PC_W-1:0]     f_pcs_o    // its row in the RAMs
    , output wire [BARRIERS*BAR_W-1:0] f_bars_o
    , output wire [5*LANES-1:0]        f_masks_o
    , output wire [BARRIERS*BAR_W-1:0] f_rd_bars_o
`endif
);

    wire [BARRIERS*BAR_W-1:0] rd_bars;
    reg  [BARRIERS*BAR_W-1:0] wr_bars;
    integer                   w;

    always @*
        for (w = 0; w < BARRIERS; w = w + 1) begin
            wr_bars[w*BAR_W +: BAR_W] = {strict_i[w], at_i[w*LANES +: LANES], in_i[w*LANES +: LANES],
                                         bpc_i[w*PC_W +: PC_W]};
            {strict_o[w], at_o[w*LANES +: LANES], in_o[w*LANES +: LANES], bpc_o[w*PC_W +: PC_W]}
                = rd_bars[w*BAR_W +: BAR_W];
        end

    cw_ram_1rw #(
        .ADDR_W(WARP_W),
        .PART_W(PC_W),
        .PARTS (LANES)
    ) u_pcs (
        .clk_i     (clk_i),
        .rd_en_i   (read_i),
        .wr_en_i   (write_i),
        .wr_parts_i({LANES{1'b1}}),
        .addr_i    (warp_i),
        .wr_data_i (pc_i),
        .rd_data_o (pc_o)
`ifdef CW_PROPERTIES
        , .f_addr_i(f_warp_i)
        , .f_data_o(f_pcs_o)
`endif
    );

    cw_ram_1rw #(
        .ADDR_W(WARP_W),
        .PART_W(BAR_W),
        .PARTS (BARRIERS)
    ) u_bars (
        .clk_i     (clk_i),
        .rd_en_i   (read_i),
        .wr_en_i   (write_i),
        .wr_parts_i({BARRIERS{1'b1}}),
        .addr_i    (warp_i),
        .wr_data_i (wr_bars),
        .rd_data_o (rd_bars)
`ifdef CW_PROPERTIES
        , .f_addr_i(f_warp_i)
        , .f_data_o(f_bars_o)
`endif
    );

    cw_ram_1rw #(
        .ADDR_W(WARP_W),
        .PART_W(LANES),
        .PARTS (5)
    ) u_masks (
        .clk_i     (clk_i),
        .rd_en_i   (read_i),
        .wr_en_i   (write_i),
        .wr_parts_i(5'b11111),
        .addr_i    (warp_i),
        .wr_data_i (masks_i),
        .rd_data_o (masks_o)
`ifdef CW_PROPERTIES
        , .f_addr_i(f_warp_i)
        , .f_data_o(f_masks_o)
`endif
    );

`ifdef CW_PROPERTIES
    assign f_rd_bars_o = rd_bars;
`endif

endmodule

`default_nettype wire
