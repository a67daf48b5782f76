// SPDX-License-Identifier: Apache-2.0
//
// cw_reader_list_live: which transactions run.
//
// Why         : the sweep takes out who is free.
// How         : a bit per transaction, three times: a plain entry has three numbers, which are looked up at once.
// Stages      : live reads, and look has the bits.
// Latency     : a row that is read in t is there in t + 1.
// Throughput  : a read or a write per cycle.
// Illegal use : a read and a write in one cycle.
//
// Paper: Chen et al., ISCA 2017 (SI-TM), section 4.3, Figure 10. It is a part of cw_scalable_reader_list. C model: part
// of csim/unit/scalable_reader_list.c.

`default_nettype none

module cw_reader_list_live #(
    parameter ID_W   = 10,
    parameter LEAF_W = 5,
    parameter ROOT_W = 5,   // of the number of a leaf
    parameter LEAVES = 32,  // bits of a leaf
    parameter BODY_W = 37   // of an entry without its type and word
) (
    input  wire                clk_i,
    // RUN or FREE of a transaction, or a row that is cleared
    input  wire                sets_i,
    input  wire [2:0]          op_kind_i,
    input  wire [ID_W-1:0]     op_id_i,
    input  wire                clear_i,
    input  wire [ROOT_W-1:0]   clear_leaf_i,
    // those of an entry
    input  wire                read_i,
    input  wire [1:0]          type_i,
    /* verilator lint_off UNUSED */  // the low bits of the numbers, and their count
    input  wire [BODY_W-1:0]   body_i,
    /* verilator lint_on UNUSED */
    output wire [3*LEAVES-1:0] live_o         // of the leaves of three numbers, or of a leaf, three times
);

    localparam [2:0] RUN = 3'd3;
    localparam [1:0] LEAF = 2'd3;
    localparam [LEAVES-1:0] LEAF_BIT = 1;

    genvar n;

    generate
        for (n = 0; n < 3; n = n + 1) begin : g_live
            cw_ram_1rw #(
                .ADDR_W(ROOT_W),
                .PART_W(1),
                .PARTS (LEAVES)
            ) u_live (
                .clk_i     (clk_i),
                .rd_en_i   (read_i),
                .wr_en_i   (clear_i || sets_i),
                .wr_parts_i(clear_i ? {LEAVES{1'b1}} : LEAF_BIT << op_id_i[LEAF_W-1:0]),
                .addr_i    (clear_i ? clear_leaf_i : sets_i ? op_id_i[ID_W-1:LEAF_W]
                            : type_i == LEAF ? body_i[LEAVES +: ROOT_W] : body_i[n*ID_W+LEAF_W +: ROOT_W]),
                .wr_data_i ({LEAVES{!clear_i && op_kind_i == RUN}}),
                .rd_data_o (live_o[n*LEAVES +: LEAVES])
`ifdef CW_PROPERTIES
                , .f_addr_i({ROOT_W{1'b0}})
                , .f_data_o()
`endif
            );
        end
    endgenerate

endmodule

`default_nettype wire
