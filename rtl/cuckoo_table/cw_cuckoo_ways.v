// SPDX-License-Identifier: Apache-2.0
//
// cw_cuckoo_ways: the rows of the cuckoo table, in four ways, each with a hash of its own.
//
// Why         : a granule has one row in each way. So an entry has four places to be, and four entries are compared at
//               once.
// How         : a RAM per way. An entry has a valid bit above; while the table is cleared, rows that come count as
//               empty.
// Stages      : hash: rows are computed, and read; read: the RAMs give the entries; find: they are in registers; write:
//               a row is written.
// Latency     : two cycles from a granule to its four entries. A row that is written in the cycle in which it is read
//               is read new.
// Throughput  : a granule is read, and a row of each way written, per cycle.
// Illegal use : none.
//
// Paper: GETM section V.B.1, Figure 8. It is a part of cw_cuckoo_core. C model: part of csim/unit/cuckoo_table.c.

`default_nettype none

module cw_cuckoo_ways #(
    parameter GRANULE_W = 30,
    parameter ENTRY_W   = 122,
    parameter ROW_W     = 8
) (
    input  wire                   clk_i,
    // rows are emptied
    input  wire                   clearing_i,
    input  wire [ROW_W-1:0]       clear_row_i,
    // hash
    input  wire                   hash_valid_i,
    input  wire [GRANULE_W-1:0]   hash_granule_i,
    output wire [4*ROW_W-1:0]     hash_rows_o,
    // read
    input  wire                   read_valid_i,
    // find
    output wire [ENTRY_W:0]       entry_0_o,    // a port per way: models copy a bundle in each cycle
    output wire [ENTRY_W:0]       entry_1_o,
    output wire [ENTRY_W:0]       entry_2_o,
    output wire [ENTRY_W:0]       entry_3_o,
    // write
    input  wire [3:0]             write_ways_i,
    input  wire [4*ROW_W-1:0]     write_rows_i,
    input  wire [ENTRY_W-1:0]     write_entry_i
`ifdef CW_PROPERTIES
    , input  wire [GRANULE_W-1:0] f_granule_i  // any one
    , output wire [4:0]           f_cnt_o      // entries of it
`endif
);

    reg    read_empty_q;  // it came with a flush: rows not yet emptied count as empty

    genvar w;

    always @(posedge clk_i)
        if (hash_valid_i)
            read_empty_q <= clearing_i;

    function [31:0] way_seed (input integer way);
        case (way)
            0:       way_seed = 32'h10203040;
            1:       way_seed = 32'h20304010;
            2:       way_seed = 32'h30401020;
            default: way_seed = 32'h40102030;
        endcase
    endfunction

`ifdef CW_PROPERTIES
    wire [4*ROW_W-1:0]       f_rows;   // rows of the granule,
    wire [4*(ENTRY_W+1)-1:0] f_entry;  // and what they hold
    localparam               BODY_W = ENTRY_W - GRANULE_W;
    reg  [4:0]               f_cnt;
    integer                  f_i;

    always @* begin
        f_cnt = 5'd0;
        for (f_i = 0; f_i < 4; f_i = f_i + 1)
            f_cnt = f_cnt + {4'd0, f_entry[f_i*(ENTRY_W+1)+ENTRY_W]
                                   && f_entry[f_i*(ENTRY_W+1)+BODY_W+:GRANULE_W] == f_granule_i};
    end

    assign f_cnt_o = f_cnt;
`endif

    generate
        for (w = 0; w < 4; w = w + 1) begin : g_way
            wire [ENTRY_W:0] read_entry;  // with a valid bit above
            reg  [ENTRY_W:0] find_entry_q;

            always @(posedge clk_i)
                if (read_valid_i)
                    find_entry_q <= {read_entry[ENTRY_W] && !read_empty_q, read_entry[ENTRY_W-1:0]};

            cw_h3_hash #(
                .KEY_W(GRANULE_W),
                .OUT_W(ROW_W),
                .SEED (way_seed(w))
            ) u_hash (
                .en_i  (hash_valid_i),
                .key_i (hash_granule_i),
                .hash_o(hash_rows_o[w*ROW_W+:ROW_W])
            );

            cw_ram_1r1w_fwd #(
                .ADDR_W(ROW_W),
                .DATA_W(ENTRY_W + 1)
            ) u_ram (
                .clk_i    (clk_i),
                .rd_en_i  (hash_valid_i),
                .rd_addr_i(hash_rows_o[w*ROW_W+:ROW_W]),
                .rd_data_o(read_entry),
                .wr_en_i  (clearing_i || write_ways_i[w]),
                .wr_addr_i(clearing_i ? clear_row_i : write_rows_i[w*ROW_W+:ROW_W]),
                .wr_data_i({!clearing_i, write_entry_i})
`ifdef CW_PROPERTIES
                , .f_addr_i(f_rows[w*ROW_W+:ROW_W])
                , .f_data_o(f_entry[w*(ENTRY_W+1)+:ENTRY_W+1])
`endif
            );

`ifdef CW_PROPERTIES
            cw_h3_hash #(
                .KEY_W(GRANULE_W),
                .OUT_W(ROW_W),
                .SEED (way_seed(w))
            ) u_f_hash (
                .en_i  (1'b1),
                .key_i (f_granule_i),
                .hash_o(f_rows[w*ROW_W+:ROW_W])
            );
`endif
        end
    endgenerate

    assign entry_0_o = g_way[0].find_entry_q;
    assign entry_1_o = g_way[1].find_entry_q;
    assign entry_2_o = g_way[2].find_entry_q;
    assign entry_3_o = g_way[3].find_entry_q;

endmodule

`default_nettype wire
