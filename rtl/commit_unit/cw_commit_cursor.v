// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_cursor: the flags of a pointer's entry; its row is in a register.
//
// Why         : a pointer decides in each cycle with the flags of its entry. They come from a register, so that the
//               decision can address a RAM in the same cycle. A pointer goes through the rows in order, so the next row
//               is known and can be read ahead.
// How         : the RAM reads the row after the pointer's. When the pointer steps into it, what the RAM has given goes
//               into the register. Changes that are set meanwhile go into the register too. The RAM is read when the
//               pointer steps, after a write, and after reset. Else what it has given stands. WHOLE = 1 gives the whole
//               row, for a pointer that changes it, instead of the flags in the pointer's lane.
// Latency     : a change that is set in one cycle is in data_o in the next one.
// Throughput  : a step in each cycle.
// Illegal use : a step whose row ahead_i was not addressed in the cycle before.
//
// Paper: none. C model: part of csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_cursor #(
    parameter LANES  = 32,
    parameter PLANES = 6,
    parameter FIRST  = 0,
    parameter COUNT  = 6,
    parameter ROW_W  = 6,  // log2 of the rows of both banks
    parameter BROW_W = 5,  // of one bank, at least 1
    parameter WHOLE  = 0,
    parameter OUT_W  = WHOLE != 0 ? COUNT * LANES : COUNT,
    // of the bundles, see cw_commit_rows
    parameter WIDTH  = PLANES * LANES,
    parameter SET_W  = 2 * (1 + BROW_W + WIDTH),
    parameter PAST_W = 2 * SET_W + (2 << BROW_W)
) (
    input  wire              clk_i,
    input  wire              rst_i,
    input  wire [ROW_W-1:0]  row_i,      // of the pointer in this cycle
    input  wire [ROW_W-1:0]  ahead_i,    // the row after that of the pointer in the next cycle
    input  wire              step_i,     // the pointer goes to the next row
    /* verilator lint_off UNUSED */      // without WHOLE; planes that are not kept
    input  wire [LANES-1:0]  lane_oh_i,  // of the pointer in this cycle
    input  wire [SET_W-1:0]  set_i,
    /* verilator lint_on UNUSED */
    input  wire [PAST_W-1:0] past_i,
    output wire [OUT_W-1:0]  data_o
`ifdef CW_PROPERTIES
    , input  wire [BROW_W+LANES+2:0] f_watch_i  // see cw_commit_view
    , input  wire [COUNT-1:0]        f_flags_i
`endif
);

    localparam KEPT = COUNT * LANES;

    // The row's number within its bank. With one row per bank it is 0.
    function [BROW_W-1:0] in_bank (input [ROW_W-1:0] row);
        /* verilator lint_off UNUSED */  // bit 0 is the bank
        reg [ROW_W:0] wide;
        /* verilator lint_on UNUSED */
        begin
            wide    = {1'b0, row};
            in_bank = wide[1 +: BROW_W];
        end
    endfunction

    wire [2*KEPT-1:0]   ahead_data;
    wire [1:0]          set_en   = set_i[SET_W-1 -: 2];
    wire [2*BROW_W-1:0] set_row  = set_i[2*WIDTH +: 2*BROW_W];
    wire [ROW_W-1:0]    next_row = row_i + 1'b1;
    wire                bank     = row_i[0];
    reg  [KEPT-1:0]     row_q;
    reg                 fresh_q;  // out of reset in this cycle

    always @(posedge clk_i)
        fresh_q <= rst_i;

    cw_commit_view #(
        .LANES (LANES),
        .PLANES(PLANES),
        .FIRST (FIRST),
        .COUNT (COUNT),
        .BROW_W(BROW_W)
    ) u_view (
        .clk_i (clk_i),
        .read_i(fresh_q || step_i || |past_i[2*SET_W-1 -: 2]),  // another row, or one has been written
        .row_i ({2{in_bank(ahead_i)}}),
        .past_i(past_i),
        .data_o(ahead_data)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_flags_i)
        , .f_rows_i ({2{in_bank(next_row)}})
        , .f_valid_i(1'b1)
`endif
    );

    // Changes of the pointer's row and of the next one, which are in different banks.
    wire [KEPT-1:0] set_0 = set_i[FIRST*LANES +: KEPT];
    wire [KEPT-1:0] set_1 = set_i[WIDTH + FIRST*LANES +: KEPT];
    wire [1:0]      hit;

    assign hit[0] = set_en[0] && set_row[0 +: BROW_W] == in_bank(bank ? next_row : row_i);
    assign hit[1] = set_en[1] && set_row[BROW_W +: BROW_W] == in_bank(bank ? row_i : next_row);

    wire            target  = bank ^ step_i;  // bank of the pointer's next row
    wire [KEPT-1:0] changed = target ? set_1 : set_0;
    wire [KEPT-1:0] read    = target ? ahead_data[KEPT +: KEPT] : ahead_data[0 +: KEPT];

    always @(posedge clk_i)
        if (rst_i)
            row_q <= {KEPT{1'b0}};
        else if (hit[target])
            row_q <= changed;
        else if (step_i)
            row_q <= read;

    genvar f;
    generate
        if (WHOLE != 0) begin : g_row
            assign data_o = row_q;
        end else begin : g_lane
            for (f = 0; f < COUNT; f = f + 1) begin : g_flag
                assign data_o[f] = |(row_q[f*LANES +: LANES] & lane_oh_i);
            end
        end
    endgenerate

`ifdef CW_PROPERTIES
    integer           f_n;
    wire              f_on;
    wire              f_fresh;
    wire              f_bank;
    wire [BROW_W-1:0] f_row;
    wire [LANES-1:0]  f_oh;

    assign {f_on, f_fresh, f_bank, f_row, f_oh} = f_watch_i;

    always @(`CW_PROPERTIES) if (f_on) begin
        // 12. (for induction) The pointer's row has the entry's flags, if it is the entry's row.
        for (f_n = 0; f_n < COUNT; f_n = f_n + 1)
            if (row_i[0] == f_bank && in_bank(row_i) == f_row)
                assert (|(row_q[f_n*LANES +: LANES] & f_oh) == f_flags_i[f_n]);
        if (f_fresh)
            assert (row_q == {KEPT{1'b0}});
        assert (fresh_q == f_fresh);
        cover (row_i[0] == f_bank && in_bank(row_i) == f_row && f_flags_i != 0 && hit[target] && !step_i);
    end
`endif

endmodule

`default_nettype wire
