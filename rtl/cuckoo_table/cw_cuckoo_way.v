// SPDX-License-Identifier: Apache-2.0
//
// cw_cuckoo_way: one way of the cuckoo table: H3 hash, RAM, and what the table wants to know of the row that was read.
//
// Why         : the four ways differ only in the seed of their hash, so the table instantiates this module four times.
// How         : rd_en reads the row of rd_granule. A write goes to the row that was read last, or to clear_row while clear is 1. The
//               shown entry does not follow later writes, since the table never looks again at a row that it has written without
//               reading it.
// Latency     : with rd_en in cycle t, the entry is on entry_o from t+1 to the next rd_en. A write in the cycle of a read of the same
//               row is forwarded.
// Throughput  : one read and one write per cycle.
// Illegal use : a write before the first read, unless clear is 1.
//
// Paper: GETM section V.B.1, Figure 8. Contract: include/cowarp/unit/cuckoo_table.h. C model: csim/unit/cuckoo_table.c.

`default_nettype none

module cw_cuckoo_way #(
    parameter        GRANULE_W  = 30,
    parameter        ENTRY_W    = 122,  // granule in the low bits
    parameter        WRITES_LSB = 94,   // place of #writes in an entry
    parameter        COUNT_W    = 16,
    parameter        ROW_W      = 8,
    parameter [31:0] SEED       = 32'h10203040
) (
    input  wire                 clk_i,
    // read
    input  wire                 rd_en_i,
    input  wire                 rd_early_i,    // 1 whenever rd_en_i is, from registers only: the row is worked out
    input  wire [GRANULE_W-1:0] rd_granule_i,
    // write
    input  wire                 clear_i,
    input  wire [ROW_W-1:0]     clear_row_i,
    input  wire                 wr_en_i,
    input  wire [ENTRY_W-1:0]   wr_entry_i,
    // the row read last
    input  wire [GRANULE_W-1:0] cmp_granule_i,
    output wire                 hit_o,         // it holds cmp_granule
    output wire                 free_o,
    output wire                 unreserved_o,  // it holds an entry with #writes = 0
    output wire [ENTRY_W-1:0]   entry_o
);

    wire [ROW_W-1:0]   row;
    reg  [ROW_W-1:0]   row_q;
    wire [ENTRY_W:0]   rd_data;

    cw_h3_hash #(
        .KEY_W(GRANULE_W),
        .OUT_W(ROW_W),
        .SEED (SEED)
    ) u_hash (
        .en_i  (rd_early_i),
        .key_i (rd_granule_i),
        .hash_o(row)
    );

    always @(posedge clk_i)
        if (rd_en_i)
            row_q <= row;

    cw_ram_1r1w_fwd #(
        .ADDR_W(ROW_W),
        .DATA_W(ENTRY_W + 1)
    ) u_ram (
        .clk_i    (clk_i),
        .rd_en_i  (rd_en_i),
        .rd_addr_i(row),
        .rd_data_o(rd_data),
        .wr_en_i  (wr_en_i | clear_i),
        .wr_addr_i(clear_i ? clear_row_i : row_q),
        .wr_data_i({!clear_i, wr_entry_i})
    );

    assign entry_o      = rd_data[ENTRY_W-1:0];
    assign free_o       = !rd_data[ENTRY_W];
    assign hit_o        = !free_o && entry_o[GRANULE_W-1:0] == cmp_granule_i;
    assign unreserved_o = !free_o && entry_o[WRITES_LSB+:COUNT_W] == {COUNT_W{1'b0}};

endmodule

`default_nettype wire
