// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_messages: the commit unit takes messages of the core, and keeps the flags that they set.
//
// Why         : a message is about up to LANES neighbouring entries, of which some may take it and others not. All are
//               judged at once.
// How         : bit i of a message's lane sets, from the lane of its CID on, lies in the row of that CID, and in the
//               row after it behind the last lane. The two rows are in different banks, so each is read, judged and
//               changed by itself.
// Stages      : take, cycle t: is the message in the window? Its rows are read. Judge, t + 1: which entries take it.
// Latency     : a pointer sees the change in t + 2, and who has had its first message is known in t + 1.
// Throughput  : a message per cycle.
// Illegal use : what the contract calls illegal changes nothing of the entry, and illegal_o is 1 in t + 1.
//
// Paper: Fung 2015, section 4.2.5. It is a part of cw_commit_unit. C model: part of csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_messages #(
    parameter ENTRIES    = 1920,
    parameter LANES      = 32,
    parameter CID_W      = 20,
    parameter FAIL_WAITS = 0,
    parameter IDX_W      = 11,  // of a place
    parameter ROW_W      = 6,   // of a row
    parameter BROW_W     = 5,   // of a row in its bank
    parameter LOW_W      = 5,   // of a lane, at least 1
    // of the bundles, see cw_commit_rows
    parameter SET_W      = 2 * (1 + BROW_W + 6 * LANES),
    parameter PAST_W     = 2 * SET_W + (2 << BROW_W),
    parameter REP_PAST_W = 4 * (1 + BROW_W + 2 * LANES) + (2 << BROW_W)
) (
    input  wire                  clk_i,
    input  wire                  rst_i,
    // take: the message
    input  wire                  msg_valid_i,
    input  wire [1:0]            msg_kind_i,
    input  wire [CID_W-1:0]      msg_cid_i,
    input  wire [LANES-1:0]      msg_lanes_i,
    input  wire [LANES-1:0]      msg_reads_i,
    input  wire [LANES-1:0]      msg_writes_i,
    input  wire [LANES-1:0]      msg_pass_i,
    // the oldest entry, and whether it retires in this cycle; rows that are cleared
    input  wire [CID_W-1:0]      ret_ptr_i,
    input  wire                  ret_move_i,
    input  wire [1:0]            clear_i,
    input  wire [BROW_W-1:0]     clear_row_i,
    // flags of reports, and of messages
    input  wire [REP_PAST_W-1:0] rep_past_i,
    output wire [SET_W-1:0]      set_o,
    output wire [PAST_W-1:0]     past_o,
    // judge: entries that have their first message, by lane; row and lane of the message's first entry
    output wire [LANES-1:0]      first_o,
    output wire [ROW_W-1:0]      first_row_o,
    output wire [LOW_W-1:0]      first_low_o,
    // status
    output wire                  judging_o,
    output wire                  illegal_o
`ifdef CW_PROPERTIES
    , input  wire [BROW_W+LANES+2:0]  f_watch_i  // see cw_commit_view
    , input  wire [5:0]               f_flags_i
    , input  wire [1:0]               f_reported_i
    , output wire [CID_W+4*LANES+6:0] f_judged_o  // {the registers of the stage judge, who is illegal by bank}
`endif
);

    // Planes of a row, the same flag of all its lanes.
    localparam USED     = 0;
    localparam READS    = 1;
    localparam SKIPPED  = 2;
    localparam WRITES   = 3;
    localparam COMMIT   = 4;
    localparam DECIDED  = 5;
    localparam PLANES   = 6;
    localparam REPORTED = 0;  // of a row of reports
    localparam PASSED   = 1;

    localparam WIDTH     = PLANES * LANES;
    localparam REP_WIDTH = 2 * LANES;

    localparam integer     LAST_LANE = LANES - 1;
    localparam integer     LAST      = ENTRIES - 1;
    localparam integer     FIRST     = 1;
    localparam [LOW_W-1:0] LOW_MASK  = LAST_LANE[LOW_W-1:0];
    localparam [LANES-1:0] LANE_0    = FIRST[LANES-1:0];
    localparam [LANES-1:0] NO_LANE   = {LANES{1'b0}};
    localparam [CID_W:0]   LAST_OFF  = {{(CID_W+1-IDX_W){1'b0}}, LAST[IDX_W-1:0]};  // distance of the window's last CID

    localparam [1:0] DONE    = 2'd1;
    localparam [1:0] SKIP    = 2'd2;
    localparam [1:0] OUTCOME = 2'd3;

    // A row's number in its bank.
    function [BROW_W-1:0] in_bank (input [ROW_W-1:0] of);
        /* verilator lint_off UNUSED */  // bit 0 is the bank
        reg [ROW_W:0] wide;
        /* verilator lint_on UNUSED */
        begin
            wide    = {1'b0, of};
            in_bank = wide[1 +: BROW_W];
        end
    endfunction

    function [5:0] last_lane (input [LANES-1:0] lanes);
        integer n;
        begin
            last_lane = 6'd0;
            for (n = 0; n < LANES; n = n + 1)
                if (lanes[n])
                    last_lane = n[5:0];
        end
    endfunction

    // Take: do all of the message's entries lie in the window? The first one may retire in this cycle.
    reg              valid_q;
    reg              in_q;
    reg              gone_q;
    reg  [1:0]       kind_q;
    /* verilator lint_off UNUSED */  // but by properties, bits that say which lap it is of
    reg  [CID_W-1:0] cid_q;
    /* verilator lint_on UNUSED */
    reg  [LANES-1:0] lanes_q;
    reg  [LANES-1:0] reads_q;
    reg  [LANES-1:0] writes_q;
    reg  [LANES-1:0] pass_q;
    wire [CID_W-1:0] msg_off    = msg_cid_i - ret_ptr_i;
    wire [ROW_W-1:0] take_row   = msg_cid_i[IDX_W-1 -: ROW_W];
    wire [ROW_W-1:0] take_row_2 = take_row + 1'b1;

    always @(posedge clk_i) begin
        valid_q <= msg_valid_i && !rst_i;
        if (msg_valid_i) begin : message
            reg [CID_W+5:0] msg_last;

            msg_last = {6'd0, msg_off} + {{CID_W{1'b0}}, last_lane(msg_lanes_i)};

            in_q     <= msg_last <= {5'd0, LAST_OFF};
            gone_q   <= ret_move_i && msg_off == {CID_W{1'b0}};
            kind_q   <= msg_kind_i;
            cid_q    <= msg_cid_i;
            lanes_q  <= msg_lanes_i;
            reads_q  <= msg_reads_i;
            writes_q <= msg_writes_i;
            pass_q   <= msg_pass_i;
        end
    end

    // Judge.
    wire [ROW_W-1:0]       row       = cid_q[IDX_W-1 -: ROW_W];
    wire [ROW_W-1:0]       row_2     = row + 1'b1;
    wire [LOW_W-1:0]       low       = cid_q[LOW_W-1:0] & LOW_MASK;
    wire                   judge     = valid_q && in_q;
    wire                   outcome   = kind_q == OUTCOME;
    wire [2*LANES-1:0]     by_lanes  = {NO_LANE, lanes_q & ~(gone_q ? LANE_0 : NO_LANE)} << low;
    wire [2*LANES-1:0]     by_reads  = {NO_LANE, reads_q} << low;
    wire [2*LANES-1:0]     by_writes = {NO_LANE, writes_q} << low;
    wire [2*LANES-1:0]     by_pass   = {NO_LANE, pass_q} << low;
    wire [2*WIDTH-1:0]     rows;
    wire [2*REP_WIDTH-1:0] rep_rows;
    wire [1:0]             illegal;
    wire [2*LANES-1:0]     first;  // the entries that have their first message, by bank

    cw_commit_rows #(
        .WIDTH (WIDTH),
        .BROW_W(BROW_W)
    ) u_rows (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .load_i     (valid_q),
        .set_i      (set_o),
        .clear_i    (clear_i),
        .clear_row_i(clear_row_i),
        .past_o     (past_o)
    );

    cw_commit_view #(
        .LANES (LANES),
        .PLANES(PLANES),
        .FIRST (0),
        .COUNT (PLANES),
        .BROW_W(BROW_W)
    ) u_judge (
        .clk_i (clk_i),
        .read_i(msg_valid_i),
        .row_i ({in_bank(take_row), in_bank(take_row[0] ? take_row_2 : take_row)}),
        .past_i(past_o),
        .data_o(rows)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_flags_i)
        , .f_rows_i ({in_bank(row), in_bank(row[0] ? row_2 : row)})
        , .f_valid_i(valid_q)
`endif
    );

    cw_commit_view #(
        .LANES (LANES),
        .PLANES(2),
        .FIRST (0),
        .COUNT (2),
        .BROW_W(BROW_W)
    ) u_reported (
        .clk_i (clk_i),
        .read_i(msg_valid_i),
        .row_i ({in_bank(take_row), in_bank(take_row[0] ? take_row_2 : take_row)}),
        .past_i(rep_past_i),
        .data_o(rep_rows)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_reported_i)
        , .f_rows_i ({in_bank(row), in_bank(row[0] ? row_2 : row)})
        , .f_valid_i(valid_q)
`endif
    );

    genvar b;
    generate
        for (b = 0; b < 2; b = b + 1) begin : g_bank
            localparam ODD = b;
            wire             second = row[0] != ODD[0];  // the bank has the row after that of the message's CID
            reg  [LANES-1:0] about;
            reg  [LANES-1:0] in_reads;
            reg  [LANES-1:0] in_writes;
            reg  [LANES-1:0] in_pass;
            reg  [LANES-1:0] fill;
            reg  [LANES-1:0] done;
            reg  [LANES-1:0] skipped;
            reg  [LANES-1:0] may;
            reg  [LANES-1:0] decide;
            reg  [WIDTH-1:0] flags;

            wire [LANES-1:0] used     = rows[b*WIDTH + USED*LANES +: LANES];
            wire [LANES-1:0] reads    = rows[b*WIDTH + READS*LANES +: LANES];
            wire [LANES-1:0] skip     = rows[b*WIDTH + SKIPPED*LANES +: LANES];
            wire [LANES-1:0] writes   = rows[b*WIDTH + WRITES*LANES +: LANES];
            wire [LANES-1:0] commit   = rows[b*WIDTH + COMMIT*LANES +: LANES];
            wire [LANES-1:0] decided  = rows[b*WIDTH + DECIDED*LANES +: LANES];
            wire [LANES-1:0] reported = rep_rows[b*REP_WIDTH + REPORTED*LANES +: LANES];
            wire [LANES-1:0] passed   = rep_rows[b*REP_WIDTH + PASSED*LANES +: LANES];

            always @* begin
                about     = NO_LANE;
                in_reads  = NO_LANE;
                in_writes = NO_LANE;
                in_pass   = NO_LANE;
                fill      = NO_LANE;
                done      = NO_LANE;
                skipped   = NO_LANE;
                may       = NO_LANE;
                decide    = NO_LANE;
                flags     = {WIDTH{1'b0}};
                if (judge) begin
                    about     = second ? by_lanes[LANES +: LANES] : by_lanes[0 +: LANES];
                    in_reads  = second ? by_reads[LANES +: LANES] : by_reads[0 +: LANES];
                    in_writes = second ? by_writes[LANES +: LANES] : by_writes[0 +: LANES];
                    in_pass   = second ? by_pass[LANES +: LANES] : by_pass[0 +: LANES];
                    may       = FAIL_WAITS != 0 ? passed | ~in_pass : passed;
                    if (outcome)
                        decide = about & reported & ~decided & may;
                    else
                        fill = about & ~(reads | skip | writes);
                    if (kind_q == DONE)
                        done = fill;
                    skipped = kind_q == SKIP ? fill : done & ~in_reads & ~in_writes;
                    flags   = {decided | decide, commit | (decide & in_pass), writes | (done & in_writes),
                               skip | skipped, reads | (done & in_reads), used | fill};
                end
            end

            assign set_o[b*WIDTH +: WIDTH]             = flags;
            assign set_o[2*WIDTH + b*BROW_W +: BROW_W] = in_bank(second ? row_2 : row);
            assign set_o[SET_W-2+b]                    = |(fill | decide);
            assign illegal[b]                          = |(about & ~fill & ~decide);
            assign first[b*LANES +: LANES]             = fill & ~used;
        end
    endgenerate

    assign first_o     = first[0 +: LANES] | first[LANES +: LANES];
    assign first_row_o = row;
    assign first_low_o = low;
    assign judging_o   = valid_q;
    assign illegal_o   = |illegal || (valid_q && (!in_q || (gone_q && lanes_q[0])));

`ifdef CW_PROPERTIES
    assign f_judged_o = {valid_q, in_q, gone_q, kind_q, cid_q, lanes_q, reads_q, writes_q, pass_q, illegal};
`endif

endmodule

`default_nettype wire
