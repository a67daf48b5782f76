// SPDX-License-Identifier: Apache-2.0
//
// cw_reader_list_ways: the ways of the table, with a hash each.
//
// Why         : a word has one place in each way, so that it finds room beside others.
// How         : four hashes of 32 bits make eight of 16, which are scaled to the rows. A RAM per way has its entries.
// Stages      : hash (hash_o of the key), read (row_o, of the hash in a register), then entry_o.
// Latency     : entries of a row that is read in t are there in t + 1.
// Throughput  : a row of each way per cycle.
// Illegal use : a read and a write in one cycle.
//
// Paper: Chen et al., ISCA 2017 (SI-TM), section 4.3, Figure 10. It is a part of cw_scalable_reader_list. C model: part
// of csim/unit/scalable_reader_list.c.

`default_nettype none

module cw_reader_list_ways #(
    parameter ENTRIES = 14642,
    parameter WAYS    = 8,
    parameter KEY_W   = 36,     // of a key
    parameter ROW_W   = 11,     // of a row
    parameter ENTRY_W = 69      // of an entry
) (
    input  wire                    clk_i,
    // hash and scale
    input  wire [KEY_W-1:0]        key_i,
    output wire [WAYS*16-1:0]      hash_o,
    input  wire [WAYS*16-1:0]      hash_i,       // hash_o of the cycle before
    output wire [WAYS*ROW_W-1:0]   row_o,        // of hash_i
    // which row it is: one that is cleared, one of the sweep, row_o, leaf_row_i, else row_i
    input  wire                    clear_i,
    input  wire [ROW_W-1:0]        clear_row_i,
    input  wire                    sweep_i,
    input  wire [ROW_W-1:0]        sweep_row_i,
    input  wire                    hashed_i,
    input  wire                    leaf_i,
    input  wire [WAYS*ROW_W-1:0]   leaf_row_i,
    input  wire [WAYS*ROW_W-1:0]   row_i,
    // read or write
    input  wire                    read_i,
    output wire [WAYS*ENTRY_W-1:0] entry_o,
    input  wire [WAYS-1:0]         write_i,      // in these ways
    input  wire [ENTRY_W-1:0]      entry_i
);

    localparam HASHES = WAYS < 4 ? WAYS : 4;

    genvar g;

    generate
        for (g = 0; g < HASHES; g = g + 1) begin : g_hash
            localparam OUT_W = g + 4 < WAYS ? 32 : 16;
            localparam [31:0] SEED = g == 0 ? 32'h10203040 : g == 1 ? 32'h20304010 : g == 2 ? 32'h30401020
                                     : 32'h40102030;
            wire [OUT_W-1:0] out;

            cw_h3_hash #(
                .KEY_W(KEY_W),
                .OUT_W(OUT_W),
                .SEED (SEED)
            ) u_hash (
                .en_i  (1'b1),
                .key_i (key_i),
                .hash_o(out)
            );
            assign hash_o[g*16 +: 16] = out[15:0];
            if (g + 4 < WAYS) begin : g_high
                assign hash_o[(g+4)*16 +: 16] = out[31:16];
            end
        end

        for (g = 0; g < WAYS; g = g + 1) begin : g_way
            localparam [31:0] WAY_ROWS = (ENTRIES + WAYS - 1 - g) / WAYS;
            /* verilator lint_off UNUSED */  // the bits below the row
            wire [32:0] scaled = {17'd0, hash_i[g*16 +: 16]} * {1'b0, WAY_ROWS};
            /* verilator lint_on UNUSED */

            assign row_o[g*ROW_W +: ROW_W] = scaled[16 +: ROW_W];

            cw_ram_1rw #(
                .ADDR_W(ROW_W),
                .PART_W(ENTRY_W),
                .PARTS (1)
            ) u_entries (
                .clk_i     (clk_i),
                .rd_en_i   (read_i),
                .wr_en_i   (clear_i || write_i[g]),
                .wr_parts_i(1'b1),
                .addr_i    (clear_i ? clear_row_i : sweep_i ? sweep_row_i : hashed_i ? row_o[g*ROW_W +: ROW_W]
                            : leaf_i ? leaf_row_i[g*ROW_W +: ROW_W] : row_i[g*ROW_W +: ROW_W]),
                .wr_data_i (clear_i ? {ENTRY_W{1'b0}} : entry_i),
                .rd_data_o (entry_o[g*ENTRY_W +: ENTRY_W])
`ifdef FORMAL
                , .f_addr_i({ROW_W{1'b0}})
                , .f_data_o()
`endif
            );
        end
    endgenerate

endmodule

`default_nettype wire
