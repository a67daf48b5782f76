// SPDX-License-Identifier: Apache-2.0
//
// cw_ram_1r1w: RAM with one synchronous read port and one write port.
//
// Why         : big storage is SRAM in silicon. This module is the boundary of such a macro, so that synthesis can count its bits
//               apart from the logic, and no unit can use a port that a two-port macro does not have.
// How         : rd_en_i reads a row into the output register, wr_en_i writes a row.
// Latency     : rd_data_o holds the row of rd_addr_i from the clock edge at which rd_en_i = 1 until the next such edge.
// Throughput  : one read and one write per cycle.
// Same row    : reading the row that is being written gives the OLD row. SRAM macros differ here, so no client may depend on it: a
//               client takes cw_ram_1r1w_fwd, or proves that the case cannot happen.
// Reset       : none. Contents and rd_data_o are undefined until written and read. The client clears rows or keeps valid bits.
// Illegal use : none, apart from relying on the row of "Same row".
//
// Paper: none. C model: each unit's model has its own arrays (csim/unit/).

`default_nettype none

module cw_ram_1r1w #(
    parameter ADDR_W = 8,  // rows = 2^ADDR_W
    parameter DATA_W = 32
`ifdef CW_RAM_ECC
    , parameter CODED = 0  // 1: rows are code words already; the RAM inside this one
`endif
) (
    input  wire              clk_i,
    // read port
    input  wire              rd_en_i,
    input  wire [ADDR_W-1:0] rd_addr_i,
    output wire [DATA_W-1:0] rd_data_o,
    // write port
    input  wire              wr_en_i,
    input  wire [ADDR_W-1:0] wr_addr_i,
    input  wire [DATA_W-1:0] wr_data_i
`ifdef CW_PROPERTIES
    // a row as it is now, for properties only
    , input  wire [ADDR_W-1:0] f_addr_i
    , output wire [DATA_W-1:0] f_data_o
`endif
);

`ifdef CW_RAM_ECC
    // A row is as few code words of the same width as it takes; bits above DATA_W are 0.
    localparam WORDS   = (DATA_W + 246) / 247;
    localparam WORD_W  = (DATA_W + WORDS - 1) / WORDS;
    localparam ROW_W   = WORDS * WORD_W;
    localparam CHECK_W = WORD_W <= 1 ? 3 : WORD_W <= 4 ? 4 : WORD_W <= 11 ? 5 : WORD_W <= 26 ? 6 : WORD_W <= 57 ? 7 : WORD_W <= 120 ? 8 : 9;
    localparam CODE_W  = WORDS * (WORD_W + CHECK_W);

    generate if (CODED == 0) begin : g_ecc
        wire [CODE_W-1:0] wr_code;
        wire [CODE_W-1:0] rd_code;
        wire [CODE_W-1:0] upset;
        /* verilator lint_off UNUSED */  // bits above DATA_W; and a chip leads the last two to its record of errors
        wire [ROW_W:0]    wr_row = {{ROW_W+1-DATA_W{1'b0}}, wr_data_i};
        wire [ROW_W-1:0]  rd_row;
        wire corrected;
        wire lost;
        /* verilator lint_on UNUSED */

        assign rd_data_o = rd_row[DATA_W-1:0];
`ifdef CW_PROPERTIES
        /* verilator lint_off UNUSED */  // its check bits, and bits above DATA_W
        wire [CODE_W-1:0] f_code;
        wire [ROW_W-1:0]  f_row;
        /* verilator lint_on UNUSED */
        genvar w;

        for (w = 0; w < WORDS; w = w + 1) begin : g_word
            assign f_row[w*WORD_W+:WORD_W] = f_code[w*(WORD_W+CHECK_W)+:WORD_W];
        end
        assign f_data_o = f_row[DATA_W-1:0];
`endif

        cw_secded #(
            .WORD_W (WORD_W),
            .CHECK_W(CHECK_W),
            .WORDS  (WORDS)
        ) u_secded (
            .data_i     (wr_row[ROW_W-1:0]),
            .code_o     (wr_code),
            .code_i     (rd_code ^ upset),
            .data_o     (rd_row),
            .corrected_o(corrected),
            .lost_o     (lost)
        );

        cw_ram_1r1w #(
            .ADDR_W(ADDR_W),
            .DATA_W(CODE_W),
            .CODED (1)
        ) u_coded (
            .clk_i     (clk_i),
            .rd_en_i   (rd_en_i),
            .rd_addr_i (rd_addr_i),
            .wr_en_i   (wr_en_i),
            .wr_addr_i (wr_addr_i),
            .wr_data_i (wr_code),
            .rd_data_o (rd_code)
`ifdef CW_PROPERTIES
            , .f_addr_i(f_addr_i)
            , .f_data_o(f_code)
`endif
        );

`ifdef CW_RAM_UPSET
        cw_nonsynth_upset #(
            .ROW_W(CODE_W)
        ) u_upset (
            .clk_i  (clk_i),
            .rd_en_i(rd_en_i),
            .upset_o(upset)
        );
`else
        assign upset = {CODE_W{1'b0}};
`endif
    end else begin : g_bare
`endif
    reg [DATA_W-1:0] mem_q [0:(1<<ADDR_W)-1];
    reg [DATA_W-1:0] rd_data_q;

    always @(posedge clk_i) begin
        if (wr_en_i)
            mem_q[wr_addr_i] <= wr_data_i;
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
