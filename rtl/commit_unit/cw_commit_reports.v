// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_reports: reports of the commit unit to the core, and the flags of the entries that have been reported.
//
// Why         : two parts of the unit make reports, the pass pointer and the answers to revalidations, and the core may
//               not be ready.
// How         : an answer goes first, and the pass pointer stands by. Three reports find a place: one leaves, one has
//               been judged, one is on its way, since room_o comes from a register.
// Latency     : a report that is made in cycle t is offered in t + 1, if it is the first one. A pointer sees its flags
//               in t + 1.
// Throughput  : a report per cycle.
// Illegal use : a report of the pass pointer without room_o, or with again_i; an answer that was taken without room_o.
//
// Paper: Fung 2015, section 4.2.5. It is a part of cw_commit_unit. C model: part of csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_reports #(
    parameter LANES  = 32,
    parameter CID_W  = 20,
    parameter IDX_W  = 11,  // of a place
    parameter ROW_W  = 6,   // of a row
    parameter BROW_W = 5,   // of a row in its bank
    // of the bundles, see cw_commit_rows
    parameter SET_W  = 2 * (1 + BROW_W + 2 * LANES),
    parameter PAST_W = 2 * SET_W + (2 << BROW_W)
) (
    input  wire               clk_i,
    input  wire               rst_i,
    // rows that are cleared
    input  wire [1:0]         clear_i,
    input  wire [BROW_W-1:0]  clear_row_i,
    // a revalidation is answered, and that is legal; its entry, and the row of reports of that
    input  wire               again_i,
    input  wire               again_ok_i,
    input  wire               again_pass_i,
    input  wire [CID_W-1:0]   again_cid_i,
    input  wire [2*LANES-1:0] again_row_i,
    input  wire [LANES-1:0]   again_oh_i,
    // the pass pointer makes a report
    input  wire               pass_report_i,
    input  wire               pass_ok_i,
    input  wire [CID_W-1:0]   pass_cid_i,
    input  wire [2*LANES-1:0] pass_row_i,
    input  wire [LANES-1:0]   pass_oh_i,
    // there is room for one more
    output wire               room_o,
    // flags
    output wire [SET_W-1:0]   set_o,
    output wire [PAST_W-1:0]  past_o,
    // the first report
    output wire               rep_valid_o,
    output wire [CID_W-1:0]   rep_cid_o,
    output wire               rep_pass_o,
    input  wire               rep_ready_i
`ifdef CW_PROPERTIES
    , output wire [3:0]       f_queue_o  // {one is added, one leaves, how many there are}
`endif
);

    localparam [LANES-1:0] NO_LANE   = {LANES{1'b0}};
    localparam [CID_W:0]   NO_REPORT = {(CID_W+1){1'b0}};

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

    reg  [1:0]         rep_cnt_q;
    reg  [CID_W:0]     rep_0_q;
    reg  [CID_W:0]     rep_1_q;
    reg  [CID_W:0]     rep_2_q;
    wire               rep_add = again_ok_i || pass_report_i;
    wire               rep_pop = rep_valid_o && rep_ready_i;
    wire [CID_W:0]     rep_new = again_i ? {again_pass_i, again_cid_i} : {pass_ok_i, pass_cid_i};
    wire [ROW_W-1:0]   row     = again_i ? again_cid_i[IDX_W-1 -: ROW_W] : pass_cid_i[IDX_W-1 -: ROW_W];
    reg  [2*LANES-1:0] flags;

    always @* begin
        flags = {2{NO_LANE}};
        if (again_i)
            flags = again_row_i | {again_pass_i ? again_oh_i : NO_LANE, again_oh_i};
        else if (pass_report_i)
            flags = pass_row_i | {pass_ok_i ? pass_oh_i : NO_LANE, pass_oh_i};
    end

    assign set_o = {rep_add && row[0], rep_add && !row[0], {2{in_bank(row)}}, {2{flags}}};

    cw_commit_rows #(
        .WIDTH (2 * LANES),
        .BROW_W(BROW_W)
    ) u_rows (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .load_i     (rep_add),
        .set_i      (set_o),
        .clear_i    (clear_i),
        .clear_row_i(clear_row_i),
        .past_o     (past_o)
    );

    always @(posedge clk_i)
        if (rst_i) begin
            rep_cnt_q <= 2'd0;
            rep_0_q   <= NO_REPORT;
            rep_1_q   <= NO_REPORT;
            rep_2_q   <= NO_REPORT;
        end else begin
            rep_cnt_q <= rep_cnt_q + {1'b0, rep_add} - {1'b0, rep_pop};
            if (rep_pop) begin
                rep_0_q <= rep_1_q;
                rep_1_q <= rep_2_q;
                rep_2_q <= NO_REPORT;
            end
            if (rep_add && rep_cnt_q == {1'b0, rep_pop})
                rep_0_q <= rep_new;
            if (rep_add && rep_cnt_q == 2'd1 + {1'b0, rep_pop})
                rep_1_q <= rep_new;
            if (rep_add && rep_cnt_q == 2'd2 + {1'b0, rep_pop})
                rep_2_q <= rep_new;
        end

    assign room_o      = !rep_cnt_q[1];
    assign rep_valid_o = |rep_cnt_q;
    assign rep_cid_o   = rep_0_q[CID_W-1:0];
    assign rep_pass_o  = rep_0_q[CID_W];

`ifdef CW_PROPERTIES
    assign f_queue_o = {rep_add, rep_pop, rep_cnt_q};
`endif

endmodule

`default_nettype wire
