// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_answers: the commit unit takes answers of the hazard unit, of validations and of write-backs, and keeps the
// flags that they set.
//
// Why         : answers come in any order, and some that come are not legal: about an entry that has none to expect, or
//               a second time.
// How         : the distance of the answer's entry from the oldest one says whether it has come so far; the flags of
//               the entry, whether it has had the answer. An answer changes its bit of the row that has been read.
// Stages      : take, cycle t: is the entry in its range? Its row is read. Judge, t + 1: has it had the answer?
// Latency     : a pointer sees the change in t + 2.
// Throughput  : one answer of each kind per cycle.
// Illegal use : what the contract calls illegal changes nothing, and illegal_o is 1 in t + 1.
//
// Paper: Fung 2015, section 4.2.5. It is a part of cw_commit_unit. C model: part of csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_answers #(
    parameter ENTRIES    = 1920,
    parameter LANES      = 32,
    parameter CID_W      = 20,
    parameter IDX_W      = 11,  // of a place
    parameter ROW_W      = 6,   // of a row
    parameter BROW_W     = 5,   // of a row in its bank
    parameter LOW_W      = 5,   // of a lane, at least 1
    // of the bundles, see cw_commit_rows
    parameter HZA_SET_W  = 2 * (1 + BROW_W + 2 * LANES),
    parameter VAL_SET_W  = 2 * (1 + BROW_W + 3 * LANES),
    parameter WB_SET_W   = 2 * (1 + BROW_W + LANES),
    parameter HZA_PAST_W = 2 * HZA_SET_W + (2 << BROW_W),
    parameter VAL_PAST_W = 2 * VAL_SET_W + (2 << BROW_W),
    parameter WB_PAST_W  = 2 * WB_SET_W + (2 << BROW_W)
) (
    input  wire                  clk_i,
    input  wire                  rst_i,
    // take: the hazard unit answers
    input  wire                  hza_valid_i,
    input  wire [CID_W-1:0]      hza_cid_i,
    input  wire                  hza_found_i,
    input  wire [CID_W-1:0]      hza_ycid_i,
    // take: a validation is answered
    input  wire                  val_valid_i,
    input  wire                  val_take_i,  // and there is room for a report
    input  wire [CID_W-1:0]      val_cid_i,
    input  wire                  val_again_i,
    input  wire                  val_pass_i,
    // take: a write-back has ended
    input  wire                  wb_valid_i,
    input  wire [CID_W-1:0]      wb_cid_i,
    // the oldest entry, whether it retires in this cycle, and distances from it; rows that are cleared
    input  wire [CID_W-1:0]      ret_ptr_i,
    input  wire                  ret_move_i,
    input  wire [IDX_W-1:0]      com_dist_i,
    input  wire [IDX_W-1:0]      pass_dist_i,
    input  wire [IDX_W-1:0]      haz_dist_i,
    input  wire [1:0]            clear_i,
    input  wire [BROW_W-1:0]     clear_row_i,
    // flags of reports, and of answers
    input  wire [HZA_PAST_W-1:0] rep_past_i,
    output wire [HZA_SET_W-1:0]  hza_set_o,
    output wire [HZA_PAST_W-1:0] hza_past_o,
    output wire [VAL_SET_W-1:0]  val_set_o,
    output wire [VAL_PAST_W-1:0] val_past_o,
    output wire [WB_SET_W-1:0]   wb_set_o,
    output wire [WB_PAST_W-1:0]  wb_past_o,
    // judge: an entry and its YCID
    output wire                  ycid_valid_o,
    output wire [IDX_W-1:0]      ycid_idx_o,
    output wire [IDX_W-1:0]      ycid_o,
    // judge: a revalidation is answered, legally, and with which result; the row of reports of its entry
    output wire                  again_o,
    output wire                  again_ok_o,
    output wire                  again_pass_o,
    output wire [CID_W-1:0]      again_cid_o,
    output reg  [2*LANES-1:0]    again_row_o,
    output wire [LANES-1:0]      again_oh_o,
    // status
    output wire                  judging_o,
    output wire                  illegal_o
`ifdef CW_PROPERTIES
    , input  wire [BROW_W+LANES+2:0]  f_watch_i  // see cw_commit_view
    , input  wire [1:0]               f_hza_i
    , input  wire [2:0]               f_val_i
    , input  wire [1:0]               f_rep_i
    , input  wire                     f_wb_i
    // the registers of the stage judge, and what is legal
    , output wire [2*IDX_W+3:0]       f_hza_o
    , output wire [CID_W+4:0]         f_val_o
    , output wire [IDX_W+2:0]         f_wb_o
`endif
);

    // Planes of a row, the same flag of all its lanes.
    localparam DETECTED = 0;  // of a row of hazards; and the hazard
    localparam RENEWED  = 0;  // of a row of validations: the second one; the first one, then its result
    localparam ANSWERED = 1;
    localparam REPORTED = 0;  // of a row of reports
    localparam REP_W    = 2 * LANES;

    localparam integer     LAST     = ENTRIES - 1;
    localparam [CID_W:0]   LAST_OFF = {{(CID_W+1-IDX_W){1'b0}}, LAST[IDX_W-1:0]};  // distance of the window's last CID
    localparam [LANES-1:0] NO_LANE  = {LANES{1'b0}};

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

    // Take. The oldest entry is not in its range, if it retires in this cycle.
    wire [CID_W-1:0] hza_off  = hza_cid_i - ret_ptr_i;
    wire [CID_W-1:0] val_off  = val_cid_i - ret_ptr_i;
    wire [CID_W-1:0] wb_off   = wb_cid_i - ret_ptr_i;
    wire [CID_W-1:0] hza_age  = hza_cid_i - hza_ycid_i;
    wire [CID_W:0]   haz_far  = {{(CID_W+1-IDX_W){1'b0}}, haz_dist_i};
    wire [CID_W:0]   pass_far = {{(CID_W+1-IDX_W){1'b0}}, pass_dist_i};
    wire [CID_W:0]   com_far  = {{(CID_W+1-IDX_W){1'b0}}, com_dist_i};

    reg              hza_valid_q;
    reg              hza_in_q;
    reg  [IDX_W-1:0] hza_idx_q;
    reg              hza_hazard_q;
    reg  [IDX_W-1:0] hza_ycid_q;
    reg              val_valid_q;
    reg              val_in_q;
    reg              val_again_q;
    reg              val_pass_q;
    reg  [CID_W-1:0] val_cid_q;
    reg              wb_valid_q;
    reg              wb_in_q;
    reg  [IDX_W-1:0] wb_idx_q;

    always @(posedge clk_i) begin
        hza_valid_q <= hza_valid_i && !rst_i;
        val_valid_q <= val_take_i && !rst_i;
        wb_valid_q  <= wb_valid_i && !rst_i;
        if (hza_valid_i) begin
            hza_in_q     <= {1'b0, hza_off} < haz_far && !(ret_move_i && hza_off == {CID_W{1'b0}});
            hza_idx_q    <= hza_cid_i[IDX_W-1:0];
            hza_hazard_q <= hza_found_i && hza_age != {CID_W{1'b0}} && {1'b0, hza_age} <= LAST_OFF;
            hza_ycid_q   <= hza_ycid_i[IDX_W-1:0];
        end
        if (val_valid_i) begin
            val_in_q    <= (val_again_i ? {1'b0, val_off} < pass_far : {1'b0, val_off} <= LAST_OFF)
                           && !(ret_move_i && val_off == {CID_W{1'b0}});
            val_again_q <= val_again_i;
            val_pass_q  <= val_pass_i;
            val_cid_q   <= val_cid_i;
        end
        if (wb_valid_i) begin
            wb_in_q  <= {1'b0, wb_off} < com_far && !(ret_move_i && wb_off == {CID_W{1'b0}});
            wb_idx_q <= wb_cid_i[IDX_W-1:0];
        end
    end

    // Judge: an answer of the hazard unit.
    wire [LANES-1:0]   hza_oh;
    wire [2*LANES-1:0] hza_row;
    wire               hza_ok  = hza_valid_q && hza_in_q && !(|(hza_row[DETECTED*LANES +: LANES] & hza_oh));
    reg  [2*LANES-1:0] hza_new;

    always @* begin
        hza_new = {2{NO_LANE}};
        if (hza_valid_q)
            hza_new = hza_row | {hza_hazard_q ? hza_oh : NO_LANE, hza_oh};
    end

    cw_commit_answer #(
        .LANES (LANES),
        .PLANES(2),
        .IDX_W (IDX_W),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W),
        .LOW_W (LOW_W)
    ) u_hza (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .clear_i    (clear_i),
        .clear_row_i(clear_row_i),
        .take_i     (hza_valid_i),
        .take_idx_i (hza_cid_i[IDX_W-1:0]),
        .judge_i    (hza_valid_q),
        .idx_i      (hza_idx_q),
        .lane_oh_o  (hza_oh),
        .row_o      (hza_row),
        .change_i   (hza_ok),
        .row_i      (hza_new),
        .set_o      (hza_set_o),
        .past_o     (hza_past_o)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_hza_i)
`endif
    );

    // Judge: an answer of a validation. It has a report already, or it makes one.
    wire               val_bank  = val_cid_q[IDX_W-ROW_W];
    wire [LANES-1:0]   val_oh;
    wire [3*LANES-1:0] val_row;
    wire [2*REP_W-1:0] val_reports;
    wire               val_had   = |(val_row[ANSWERED*LANES +: LANES] & val_oh);
    wire               val_renew = |((val_row[RENEWED*LANES +: LANES] | again_row_o[REPORTED*LANES +: LANES]) & val_oh);
    wire               val_ok    = val_valid_q && val_in_q && !(val_again_q ? val_renew : val_had);
    reg  [3*LANES-1:0] val_new;

    always @* begin
        again_row_o = {REP_W{1'b0}};
        if (val_valid_q)
            again_row_o = val_bank ? val_reports[REP_W +: REP_W] : val_reports[0 +: REP_W];
    end

    always @* begin
        val_new = {3{NO_LANE}};
        if (val_valid_q)
            val_new = val_row | {val_pass_q && !val_again_q ? val_oh : NO_LANE, val_again_q ? NO_LANE : val_oh,
                                 val_again_q ? val_oh : NO_LANE};
    end

    cw_commit_answer #(
        .LANES (LANES),
        .PLANES(3),
        .IDX_W (IDX_W),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W),
        .LOW_W (LOW_W)
    ) u_val (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .clear_i    (clear_i),
        .clear_row_i(clear_row_i),
        .take_i     (val_valid_i),
        .take_idx_i (val_cid_i[IDX_W-1:0]),
        .judge_i    (val_valid_q),
        .idx_i      (val_cid_q[IDX_W-1:0]),
        .lane_oh_o  (val_oh),
        .row_o      (val_row),
        .change_i   (val_ok),
        .row_i      (val_new),
        .set_o      (val_set_o),
        .past_o     (val_past_o)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_val_i)
`endif
    );

    cw_commit_view #(
        .LANES (LANES),
        .PLANES(2),
        .FIRST (0),
        .COUNT (2),
        .BROW_W(BROW_W)
    ) u_val_reported (
        .clk_i (clk_i),
        .read_i(val_valid_i),
        .row_i ({2{in_bank(val_cid_i[IDX_W-1 -: ROW_W])}}),
        .past_i(rep_past_i),
        .data_o(val_reports)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_rep_i)
        , .f_rows_i ({2{in_bank(val_cid_q[IDX_W-1 -: ROW_W])}})
        , .f_valid_i(val_valid_q)
`endif
    );

    // Judge: the end of a write-back.
    wire [LANES-1:0] wb_oh;
    wire [LANES-1:0] wb_row;
    wire             wb_ok = wb_valid_q && wb_in_q && !(|(wb_row & wb_oh));

    cw_commit_answer #(
        .LANES (LANES),
        .PLANES(1),
        .IDX_W (IDX_W),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W),
        .LOW_W (LOW_W)
    ) u_wb (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .clear_i    (clear_i),
        .clear_row_i(clear_row_i),
        .take_i     (wb_valid_i),
        .take_idx_i (wb_cid_i[IDX_W-1:0]),
        .judge_i    (wb_valid_q),
        .idx_i      (wb_idx_q),
        .lane_oh_o  (wb_oh),
        .row_o      (wb_row),
        .change_i   (wb_ok),
        .row_i      (wb_valid_q ? wb_row | wb_oh : NO_LANE),
        .set_o      (wb_set_o),
        .past_o     (wb_past_o)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch_i)
        , .f_flags_i(f_wb_i)
`endif
    );

    assign ycid_valid_o = hza_ok;
    assign ycid_idx_o   = hza_idx_q;
    assign ycid_o       = hza_ycid_q;
    assign again_o      = val_valid_q && val_again_q;
    assign again_ok_o   = val_ok && val_again_q;
    assign again_pass_o = val_pass_q;
    assign again_cid_o  = val_cid_q;
    assign again_oh_o   = val_oh;
    assign judging_o    = hza_valid_q || val_valid_q || wb_valid_q;
    assign illegal_o    = (hza_valid_q && !hza_ok) || (val_valid_q && !val_ok) || (wb_valid_q && !wb_ok);

`ifdef CW_PROPERTIES
    assign f_hza_o = {hza_valid_q, hza_in_q, hza_idx_q, hza_hazard_q, hza_ycid_q, hza_ok};
    assign f_val_o = {val_valid_q, val_in_q, val_again_q, val_pass_q, val_cid_q, val_ok};
    assign f_wb_o  = {wb_valid_q, wb_in_q, wb_idx_q, wb_ok};
`endif

endmodule

`default_nettype wire
