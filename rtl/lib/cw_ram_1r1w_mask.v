// SPDX-License-Identifier: Apache-2.0
//
// cw_ram_1r1w_mask: cw_ram_1r1w that writes one value to the bits of a mask, and leaves the others as they are.
//
// Why         : a row that has one bit for each of many threads is read as a whole, and written a bit at a time.
//               Not cw_ram_1r1w_parts with parts of a bit: Yosys takes more than two minutes over eight rows with 256 write enables each.
// How         : rd_en_i reads a row into the output register. wr_en_i writes wr_bit_i to all bits of wr_mask_i of a row.
// Latency     : rd_data_o holds the row of rd_addr_i from the clock edge at which rd_en_i = 1 until the next such edge.
// Throughput  : one read and one write per cycle.
// Same row    : reading the row that is being written gives the OLD row. SRAM macros differ here, so no client may depend on it for the
//               bits that are written; the other bits are as they were in any case.
// Reset       : none. Contents and rd_data_o are undefined until written and read.
// Illegal use : none, apart from relying on the row of "Same row".
//
// Paper: none. C model: each unit's model has its own arrays (csim/unit/).

`default_nettype none

module cw_ram_1r1w_mask #(
    parameter ADDR_W = 2,   // rows = 2^ADDR_W
    parameter DATA_W = 256
) (
    input  wire              clk_i,
    // read port
    input  wire              rd_en_i,
    input  wire [ADDR_W-1:0] rd_addr_i,
    output wire [DATA_W-1:0] rd_data_o,
    // write port
    input  wire              wr_en_i,
    input  wire [ADDR_W-1:0] wr_addr_i,
    input  wire [DATA_W-1:0] wr_mask_i,
    input  wire              wr_bit_i
`ifdef CW_PROPERTIES
    // a row as it is now, for properties only
    , input  wire [ADDR_W-1:0] f_addr_i
    , output wire [DATA_W-1:0] f_data_o
`endif
);

`ifdef CW_RAM_ECC
    cw_error_ram_1r1w_mask_has_no_ecc u_error ();  // a code word cannot be written a bit at a time
`endif

    reg [DATA_W-1:0] mem_q [0:(1<<ADDR_W)-1];
    reg [DATA_W-1:0] rd_data_q;

    always @(posedge clk_i) begin
        if (wr_en_i)
            mem_q[wr_addr_i] <= wr_bit_i ? mem_q[wr_addr_i] | wr_mask_i : mem_q[wr_addr_i] & ~wr_mask_i;
        if (rd_en_i)
            rd_data_q <= mem_q[rd_addr_i];
    end

    assign rd_data_o = rd_data_q;

`ifdef CW_PROPERTIES
    assign f_data_o = mem_q[f_addr_i];
`endif

endmodule

`default_nettype wire
