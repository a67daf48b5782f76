// SPDX-License-Identifier: Apache-2.0
//
// cw_ram_1r1w_parts: cw_ram_1r1w with a write enable for each part of a row.
//
// Why         : a unit that sets one bit of a row would else have to read the row before, on a port that others need.
// How         : rd_en_i reads a row into the output register. wr_en_i writes the parts of wr_parts_i of a row.
// Latency     : rd_data_o holds the row of rd_addr_i from the clock edge at which rd_en_i = 1 until the next such edge.
// Throughput  : one read and one write per cycle.
// Same row    : reading the row that is being written gives the OLD row. SRAM macros differ here, so no client may depend on it for the
//               parts that are written; the other parts are as they were in any case.
// Reset       : none. Contents and rd_data_o are undefined until written and read.
// Illegal use : none, apart from relying on the row of "Same row".
//
// Paper: none. C model: each unit's model has its own arrays (csim/unit/).

`default_nettype none

module cw_ram_1r1w_parts #(
    parameter ADDR_W = 8,  // rows = 2^ADDR_W
    parameter PART_W = 1,  // bits of a part
    parameter PARTS  = 32  // of a row
`ifdef CW_RAM_ECC
    , parameter CODED = 0  // 1: rows are code words already; the RAM inside this one
`endif
) (
    input  wire                    clk_i,
    // read port
    input  wire                    rd_en_i,
    input  wire [ADDR_W-1:0]       rd_addr_i,
    output wire [PARTS*PART_W-1:0] rd_data_o,
    // write port
    input  wire                    wr_en_i,
    input  wire [ADDR_W-1:0]       wr_addr_i,
    input  wire [PARTS-1:0]        wr_parts_i,
    input  wire [PARTS*PART_W-1:0] wr_data_i
`ifdef CW_PROPERTIES
    // a row as it is now, for properties only
    , input  wire [ADDR_W-1:0]       f_addr_i
    , output wire [PARTS*PART_W-1:0] f_data_o
`endif
);

`ifdef CW_RAM_ECC
    localparam CHECK_W = PART_W <= 1 ? 3 : PART_W <= 4 ? 4 : PART_W <= 11 ? 5 : PART_W <= 26 ? 6 : PART_W <= 57 ? 7 : PART_W <= 120 ? 8 : 9;
    localparam CODE_W  = PART_W + CHECK_W;

`ifdef CW_PROPERTIES
    genvar p;
`endif
    generate if (CODED == 0) begin : g_ecc
        wire [PARTS*CODE_W-1:0] wr_code;
        wire [PARTS*CODE_W-1:0] rd_code;
        wire [PARTS*CODE_W-1:0] upset;
        /* verilator lint_off UNUSED */  // a chip leads these two to its record of errors
        wire corrected;
        wire lost;
        /* verilator lint_on UNUSED */
`ifdef CW_PROPERTIES
        /* verilator lint_off UNUSED */  // its check bits
        wire [PARTS*CODE_W-1:0] f_code;
        /* verilator lint_on UNUSED */

        for (p = 0; p < PARTS; p = p + 1) begin : g_row
            assign f_data_o[p*PART_W+:PART_W] = f_code[p*CODE_W+:PART_W];
        end
`endif

        cw_secded #(
            .WORD_W (PART_W),
            .CHECK_W(CHECK_W),
            .WORDS  (PARTS)
        ) u_secded (
            .data_i     (wr_data_i),
            .code_o     (wr_code),
            .code_i     (rd_code ^ upset),
            .data_o     (rd_data_o),
            .corrected_o(corrected),
            .lost_o     (lost)
        );

        cw_ram_1r1w_parts #(
            .ADDR_W(ADDR_W),
            .PART_W(CODE_W),
            .PARTS (PARTS),
            .CODED (1)
        ) u_coded (
            .clk_i     (clk_i),
            .rd_en_i   (rd_en_i),
            .rd_addr_i (rd_addr_i),
            .wr_en_i   (wr_en_i),
            .wr_addr_i (wr_addr_i),
            .wr_parts_i(wr_parts_i),
            .wr_data_i (wr_code),
            .rd_data_o (rd_code)
`ifdef CW_PROPERTIES
            , .f_addr_i(f_addr_i)
            , .f_data_o(f_code)
`endif
        );

`ifdef CW_RAM_UPSET
        cw_nonsynth_upset #(
            .ROW_W(PARTS*CODE_W)
        ) u_upset (
            .clk_i  (clk_i),
            .rd_en_i(rd_en_i),
            .upset_o(upset)
        );
`else
        assign upset = {PARTS*CODE_W{1'b0}};
`endif
    end else begin : g_bare
`endif
    reg [PARTS*PART_W-1:0] mem_q [0:(1<<ADDR_W)-1];
    reg [PARTS*PART_W-1:0] rd_data_q;

    // The same write in two forms: Yosys makes a write enable of each part of the first one, Verilator a single write of a row of the second.
    always @(posedge clk_i) begin
`ifndef VERILATOR
        if (wr_en_i) begin : parts
            integer p;

            for (p = 0; p < PARTS; p = p + 1)
                if (wr_parts_i[p])
                    mem_q[wr_addr_i][p*PART_W +: PART_W] <= wr_data_i[p*PART_W +: PART_W];
        end
`else
        if (wr_en_i) begin : whole_row
            reg [PARTS*PART_W-1:0] row;
            integer                p;

            row = mem_q[wr_addr_i];
            for (p = 0; p < PARTS; p = p + 1)
                if (wr_parts_i[p])
                    row[p*PART_W +: PART_W] = wr_data_i[p*PART_W +: PART_W];
            mem_q[wr_addr_i] <= row;
        end
`endif
        if (rd_en_i)
            rd_data_q <= mem_q[rd_addr_i];
    end

    assign rd_data_o = rd_data_q;

`ifdef CW_PROPERTIES
    assign f_data_o = mem_q[f_addr_i];
`endif
`ifdef CW_RAM_ECC
    end endgenerate
`endif

endmodule

`default_nettype wire
