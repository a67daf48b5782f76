// SPDX-License-Identifier: Apache-2.0
//
// cw_ram_1r1w_fwd: cw_ram_1r1w whose read of the row that is being written gives the NEW row.
//
// Why         : a unit that updates a table in every cycle reads rows that are just being written. SRAM macros do not agree on what
//               such a read gives, so this wrapper decides it.
// How         : it compares the two addresses, keeps the written data in a register, and chooses it behind the RAM.
// Latency     : as cw_ram_1r1w. rd_data_o is what the row holds after all writes up to and including the cycle of the read.
// Throughput  : one read and one write per cycle.
// Cost        : one address comparator, one register of DATA_W bits and one multiplexer.
// Reset       : none, as cw_ram_1r1w.
// Illegal use : none.
//
// Paper: none. C model: each unit's model has its own arrays (csim/unit/).

`default_nettype none

module cw_ram_1r1w_fwd #(
    parameter ADDR_W = 8,  // rows = 2^ADDR_W
    parameter DATA_W = 32
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

    wire [DATA_W-1:0] ram_data;
    reg               fwd_q;
    reg  [DATA_W-1:0] fwd_data_q;

    cw_ram_1r1w #(
        .ADDR_W(ADDR_W),
        .DATA_W(DATA_W)
    ) u_ram (
        .clk_i    (clk_i),
        .rd_en_i  (rd_en_i),
        .rd_addr_i(rd_addr_i),
        .rd_data_o(ram_data),
        .wr_en_i  (wr_en_i),
        .wr_addr_i(wr_addr_i),
        .wr_data_i(wr_data_i)
`ifdef CW_PROPERTIES
        , .f_addr_i(f_addr_i)
        , .f_data_o(f_data_o)
`endif
    );

    always @(posedge clk_i)
        if (rd_en_i) begin
            fwd_q <= wr_en_i && wr_addr_i == rd_addr_i;
            if (wr_en_i)
                fwd_data_q <= wr_data_i;
        end

    assign rd_data_o = fwd_q ? fwd_data_q : ram_data;

endmodule

`default_nettype wire
