// SPDX-License-Identifier: Apache-2.0
//
// cw_ram_1rw: RAM with one synchronous port, which reads or writes, and a write enable for each part of a row.
//
// Why         : a unit that never reads and writes in one cycle does not need the second port of cw_ram_1r1w, which more than doubles the
//               area of the bit cells. This module is the boundary of such a macro, as cw_ram_1r1w is for two ports.
// How         : rd_en_i reads a row into the output register. wr_en_i writes the parts of wr_parts_i of a row.
// Latency     : rd_data_o holds the row of addr_i from the clock edge at which rd_en_i = 1 until the next such edge.
// Throughput  : one read or one write per cycle.
// Reset       : none. Contents and rd_data_o are undefined until written and read. The client clears rows or keeps valid bits.
// Illegal use : rd_en_i and wr_en_i in one cycle. A client proves that the case cannot happen.
//
// Paper: none. C model: each unit's model has its own arrays (csim/unit/).

`default_nettype none

module cw_ram_1rw #(
    parameter ADDR_W = 8,  // rows = 2^ADDR_W
    parameter PART_W = 8,  // bits of a part
    parameter PARTS  = 4   // of a row
) (
    input  wire                    clk_i,
    input  wire                    rd_en_i,
    input  wire                    wr_en_i,
    input  wire [PARTS-1:0]        wr_parts_i,
    input  wire [ADDR_W-1:0]       addr_i,
    input  wire [PARTS*PART_W-1:0] wr_data_i,
    output wire [PARTS*PART_W-1:0] rd_data_o
`ifdef CW_PROPERTIES
    // a row as it is now, for properties only
    , input  wire [ADDR_W-1:0]       f_addr_i
    , output wire [PARTS*PART_W-1:0] f_data_o
`endif
);

    reg [PARTS*PART_W-1:0] mem_q [0:(1<<ADDR_W)-1];
    reg [PARTS*PART_W-1:0] rd_data_q;

    // The same write in two forms: Yosys makes a write enable of each part of the first one, Verilator a single write of a row of the second.
    always @(posedge clk_i) begin
`ifndef VERILATOR
        if (wr_en_i) begin : parts
            integer p;

            for (p = 0; p < PARTS; p = p + 1)
                if (wr_parts_i[p])
                    mem_q[addr_i][p*PART_W +: PART_W] <= wr_data_i[p*PART_W +: PART_W];
        end
`else
        if (wr_en_i) begin : whole_row
            reg [PARTS*PART_W-1:0] row;
            integer                p;

            row = mem_q[addr_i];
            for (p = 0; p < PARTS; p = p + 1)
                if (wr_parts_i[p])
                    row[p*PART_W +: PART_W] = wr_data_i[p*PART_W +: PART_W];
            mem_q[addr_i] <= row;
        end
`endif
        if (rd_en_i)
            rd_data_q <= mem_q[addr_i];
    end

    assign rd_data_o = rd_data_q;

`ifdef CW_PROPERTIES
    assign f_data_o = mem_q[f_addr_i];
`endif

endmodule

`default_nettype wire
