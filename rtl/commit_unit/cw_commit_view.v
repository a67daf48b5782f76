// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_view: a reader of the flags of cw_commit_rows, with RAMs of its own.
//
// Why         : a RAM has one read port, and several parts of the unit look at different rows in the same cycle. Each
//               of them has a copy of the flags that it needs.
// How         : COUNT of the row's PLANES (the same flag of all lanes) from FIRST on are kept, in a RAM per bank. What
//               the RAM gives is replaced by the two changes that it cannot have yet, and by 0 when the row has not
//               been written since its clearing.
// Latency     : row_i with read_i in one cycle, data_o in the next: what all changes have made of the row that were set
//               up to the cycle of row_i.
// Throughput  : a row of each bank per cycle.
// Illegal use : looking at data_o two cycles or more after the last read_i, when the row has been written meanwhile.
//
// Paper: none. C model: part of csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_view #(
    parameter LANES  = 32,
    parameter PLANES = 6,  // of a row
    parameter FIRST  = 0,
    parameter COUNT  = 6,
    parameter BROW_W = 5,
    // of the bundle, see cw_commit_rows
    parameter WIDTH  = PLANES * LANES,
    parameter SET_W  = 2 * (1 + BROW_W + WIDTH),
    parameter PAST_W = 2 * SET_W + (2 << BROW_W)
) (
    input  wire                     clk_i,
    input  wire                     read_i,
    input  wire [2*BROW_W-1:0]      row_i,   // of bank 1, of bank 0
    /* verilator lint_off UNUSED */  // planes that are not kept
    input  wire [PAST_W-1:0]        past_i,
    /* verilator lint_on UNUSED */
    output wire [2*COUNT*LANES-1:0] data_o
`ifdef CW_PROPERTIES
    // watch: {after the first cycle, out of reset in this cycle, an entry's bank, its row in the bank, its lane as one
    // of LANES}
    , input  wire [BROW_W+LANES+2:0] f_watch_i
    , input  wire [COUNT-1:0]        f_flags_i  // that the entry has
    , input  wire [2*BROW_W-1:0]     f_rows_i   // that have been addressed
    , input  wire                    f_valid_i  // somebody looks at data
`endif
);

    localparam KEPT = COUNT * LANES;
    localparam ROWS = 1 << BROW_W;

`ifdef CW_PROPERTIES
    wire              f_on;
    wire              f_fresh;
    wire              f_bank;
    wire [BROW_W-1:0] f_row;
    wire [LANES-1:0]  f_oh;

    assign {f_on, f_fresh, f_bank, f_row, f_oh} = f_watch_i;
`endif

    genvar b;
    generate
        for (b = 0; b < 2; b = b + 1) begin : g_bank
            wire              new_en   = past_i[SET_W-2+b];
            wire [BROW_W-1:0] new_row  = past_i[2*WIDTH + b*BROW_W +: BROW_W];
            wire [KEPT-1:0]   new_data = past_i[b*WIDTH + FIRST*LANES +: KEPT];
            wire              old_en   = past_i[2*SET_W-2+b];
            wire [BROW_W-1:0] old_row  = past_i[SET_W + 2*WIDTH + b*BROW_W +: BROW_W];
            wire [KEPT-1:0]   old_data = past_i[SET_W + b*WIDTH + FIRST*LANES +: KEPT];
            wire [ROWS-1:0]   written  = past_i[2*SET_W + b*ROWS +: ROWS];
            wire [KEPT-1:0]   ram_data;
            reg  [BROW_W-1:0] row_q;
`ifdef CW_PROPERTIES
            wire [KEPT-1:0]   f_ram;
`endif

            always @(posedge clk_i)
                if (read_i)
                    row_q <= row_i[b*BROW_W +: BROW_W];

            cw_ram_1r1w #(
                .ADDR_W(BROW_W),
                .DATA_W(KEPT)
            ) u_ram (
                .clk_i    (clk_i),
                .rd_en_i  (read_i),
                .rd_addr_i(row_i[b*BROW_W +: BROW_W]),
                .rd_data_o(ram_data),
                .wr_en_i  (new_en),
                .wr_addr_i(new_row),
                .wr_data_i(new_data)
`ifdef CW_PROPERTIES
                , .f_addr_i(f_row)
                , .f_data_o(f_ram)
`endif
            );

            assign data_o[b*KEPT +: KEPT] = !written[row_q] ? {KEPT{1'b0}}
                                          : new_en && new_row == row_q ? new_data
                                          : old_en && old_row == row_q ? old_data : ram_data;

`ifdef CW_PROPERTIES
            wire [KEPT-1:0] f_kept = !written[f_row] ? {KEPT{1'b0}} : new_en && new_row == f_row ? new_data : f_ram;
            integer f_n;
            always @(`CW_PROPERTIES) if (f_on) begin
                // 11. (for induction) The RAM and the change that is being written hold the entry's flags, and so does
                // what has been read.
                for (f_n = 0; f_n < COUNT; f_n = f_n + 1) begin
                    if (f_bank == b)
                        assert (|(f_kept[f_n*LANES +: LANES] & f_oh) == f_flags_i[f_n]);
                    if (f_valid_i && f_bank == b && row_q == f_row)
                        assert (|(data_o[b*KEPT + f_n*LANES +: LANES] & f_oh) == f_flags_i[f_n]);
                end
                if (f_valid_i && !f_fresh)
                    assert (row_q == f_rows_i[b*BROW_W +: BROW_W]);
                cover (f_bank == b && row_q == f_row && f_flags_i[0] && old_en && old_row == row_q && new_row != row_q);
            end
`endif
        end
    endgenerate

endmodule

`default_nettype wire
