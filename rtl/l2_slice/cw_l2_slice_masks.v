// SPDX-License-Identifier: Apache-2.0
//
// cw_l2_slice_masks: which bytes an L2 slice has of each of its lines.
//
// Why         : a sector may be written in part before memory has sent it. Its bytes must not be lost when it comes, and only these go back.
// How         : the set's masks are read when the tags are asked, and the one of the named way is chosen when they answer. The mask of a line
//               that comes is written with it, so no mask is read before it was written.
// Latency     : 2 cycles. Operations of one set are two cycles apart (cw_l2_slice), so the next one is read as a mask is written, and finds it.
// Throughput  : one read and one write per cycle.
//
// Contract: include/cowarp/unit/l2_slice.h. C model: csim/unit/l2_slice.c.

`default_nettype none

module cw_l2_slice_masks #(
    parameter WAYS   = 8,
    parameter SET_W  = 7,
    parameter MASK_W = 128
) (
    input  wire              clk_i,
    input  wire              rd_en_i,
    input  wire [SET_W-1:0]  rd_set_i,
    // a cycle later: the masks are kept
    input  wire              keep_i,
    // and a cycle later: the named way, and its mask
    input  wire [3:0]        way_i,
    output reg  [MASK_W-1:0] has_o,
    // in the same cycle: what it becomes
    input  wire              wr_en_i,
    input  wire [SET_W-1:0]  wr_set_i,
    input  wire [MASK_W-1:0] wr_data_i
);

    reg  [WAYS*MASK_W-1:0] rows_q;
    integer                n;

    always @* begin
        has_o = {MASK_W{1'b0}};
        for (n = 0; n < WAYS; n = n + 1)
            has_o = has_o | (rows_q[n*MASK_W +: MASK_W] & {MASK_W{way_i == n[3:0]}});
    end

    genvar w;
    generate
        for (w = 0; w < WAYS; w = w + 1) begin : g_way
            localparam [3:0] NUMBER = w;

            wire [MASK_W-1:0] row;

            cw_ram_1r1w_fwd #(
                .ADDR_W(SET_W),
                .DATA_W(MASK_W)
            ) u_ram (
                .clk_i    (clk_i),
                .rd_en_i  (rd_en_i),
                .rd_addr_i(rd_set_i),
                .rd_data_o(row),
                .wr_en_i  (wr_en_i && way_i == NUMBER),
                .wr_addr_i(wr_set_i),
                .wr_data_i(wr_data_i)
`ifdef CW_PROPERTIES
                , .f_addr_i({SET_W{1'b0}})
                , .f_data_o()
`endif
            );

            always @(posedge clk_i)
                if (keep_i)
                    rows_q[w*MASK_W +: MASK_W] <= row;
        end
    endgenerate

endmodule

`default_nettype wire
