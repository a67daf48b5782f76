// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_unit: ring buffer of Kilo TM's commit entries, with the pointers of its logical stages.
//
// Why         : messages of cores, comparisons and write-backs end in any order, but transactions must commit in the
//               order of their commit IDs (CID), the same in every partition. This unit keeps that order. It has no
//               data of transactions.
// How         : each CID is an entry of a ring from the start. An event sets flags of its entry (cw_commit_messages,
//               cw_commit_answers, cw_commit_reports). Pointers for hazard, pass, commit and retire pass over the
//               entries in order, and each waits at an entry whose flags do not allow its stage yet (cw_commit_window,
//               and a module per pointer). The ring has a power of two of places, at least ENTRIES + LANES, so an
//               entry's place is the low bits of its CID, and a row that has retired is cleared before the window
//               reaches it again.
// Stages      : take, cycle t: the event is on its port, and its row of flags is read; judge, t + 1; t + 2, a pointer
//               sees the change, and the row is written; t + 3, the pointer's register offers the entry to its
//               neighbour.
// Latency     : a skipped entry alone is gone 6 cycles after its message, since it passes one pointer per cycle.
// Throughput  : one message about up to LANES entries, one hazard answer, one validation answer, one report, one
//               write-back and one retirement per cycle.
// Storage     : flags in rows of LANES entries (cw_commit_rows), a copy for each part that reads them; RCID in a RAM
//               per lane, YCID in one RAM, both as low bits of the CID, since they are less than a ring away.
// Illegal use : an event that the protocol excludes changes nothing, and illegal_o is 1 two cycles later. The contract
//               lists them.
//
// Paper: Fung 2015, section 4.2.5, Figures 4.4b and 4.5. Contract: include/cowarp/unit/commit_unit.h.
// C model: csim/unit/commit_unit.c. Datasheet: docs/units/commit_unit.md.

`default_nettype none

module cw_commit_unit #(
    parameter ENTRIES    = 1920,  // 1 .. 2016
    parameter LANES      = 32,    // 1, 2, 4, 8, 16 or 32
    parameter CID_W      = 20,    // 1 .. 32, ENTRIES + LANES <= 2^CID_W
    parameter FAIL_WAITS = 0      // 0 or 1
) (
    input  wire             clk_i,
    input  wire             rst_i,
    // messages of the core
    input  wire             msg_valid_i,
    input  wire [1:0]       msg_kind_i,
    input  wire [CID_W-1:0] msg_cid_i,
    input  wire [LANES-1:0] msg_lanes_i,
    input  wire [LANES-1:0] msg_reads_i,
    input  wire [LANES-1:0] msg_writes_i,
    input  wire [LANES-1:0] msg_pass_i,
    // the hazard unit takes an entry, and answers
    output wire             haz_valid_o,
    output wire [CID_W-1:0] haz_cid_o,
    output wire [CID_W-1:0] haz_rcid_o,
    input  wire             haz_ready_i,
    input  wire             hza_valid_i,
    input  wire [CID_W-1:0] hza_cid_i,
    input  wire             hza_found_i,
    input  wire [CID_W-1:0] hza_ycid_i,
    // a validation is answered
    input  wire             val_valid_i,
    input  wire [CID_W-1:0] val_cid_i,
    input  wire             val_again_i,
    input  wire             val_pass_i,
    output wire             val_ready_o,
    // a read-set is to be validated again
    output wire             rev_valid_o,
    output wire [CID_W-1:0] rev_cid_o,
    input  wire             rev_ready_i,
    // local result, to the core
    output wire             rep_valid_o,
    output wire [CID_W-1:0] rep_cid_o,
    output wire             rep_pass_o,
    input  wire             rep_ready_i,
    // write-back begins, and ends
    output wire             com_valid_o,
    output wire [CID_W-1:0] com_cid_o,
    input  wire             com_ready_i,
    input  wire             wb_valid_i,
    input  wire [CID_W-1:0] wb_cid_i,
    // the oldest transaction is done; not for skipped ones
    output wire             ret_valid_o,
    output wire [CID_W-1:0] ret_cid_o,
    output wire             ret_commit_o,
    input  wire             ret_ready_i,
    // status
    output wire [CID_W-1:0] oldest_cid_o,
    output wire [1:0]       oldest_stage_o,
    output wire [CID_W-1:0] commit_cid_o,
    output wire             waiting_o,
    output wire             busy_o,
    output wire             illegal_o
);

    // Bits of numbers below n.
    function integer bits_for (input integer n);
        begin
            bits_for = 0;
            while ((1 << bits_for) < n)
                bits_for = bits_for + 1;
        end
    endfunction

    localparam IDX_W  = bits_for(ENTRIES + LANES);   // of a place
    localparam LANE_W = bits_for(LANES);
    localparam LOW_W  = LANE_W == 0 ? 1 : LANE_W;    // of a lane's number, at least 1
    localparam ROW_W  = IDX_W - LANE_W;              // a row is LANES places; there are at least two
    localparam BROW_W = ROW_W == 1 ? 1 : ROW_W - 1;  // of a row's number in its bank

    // Bundles of flags, see cw_commit_rows: of messages, hazard answers, validations, reports, write-backs.
    localparam MSG_SET_W = 2 * (1 + BROW_W + 6 * LANES);
    localparam HZA_SET_W = 2 * (1 + BROW_W + 2 * LANES);
    localparam VAL_SET_W = 2 * (1 + BROW_W + 3 * LANES);
    localparam REP_SET_W = 2 * (1 + BROW_W + 2 * LANES);
    localparam WB_SET_W  = 2 * (1 + BROW_W + LANES);
    localparam WRITTEN   = 2 << BROW_W;

    // Flags: what changes, what has changed, and the row that the retire pointer has left, by bank.
    wire [MSG_SET_W-1:0]           msg_set;
    wire [HZA_SET_W-1:0]           hza_set;
    wire [VAL_SET_W-1:0]           val_set;
    wire [WB_SET_W-1:0]            wb_set;
    wire [2*MSG_SET_W+WRITTEN-1:0] msg_past;
    wire [2*HZA_SET_W+WRITTEN-1:0] hza_past;
    wire [2*VAL_SET_W+WRITTEN-1:0] val_past;
    wire [2*REP_SET_W+WRITTEN-1:0] rep_past;
    wire [2*WB_SET_W+WRITTEN-1:0]  wb_past;
    wire [1:0]                     clear;
    wire [BROW_W-1:0]              clear_row;

    // The oldest entry, whether it retires in this cycle, and distances from it.
    wire [CID_W-1:0]   ret_ptr;
    wire [IDX_W-1:0]   com_dist;
    wire [IDX_W-1:0]   pass_dist;
    wire [IDX_W-1:0]   haz_dist;
    wire               ret_move;
    wire               moving;

    // What a message, and an answer, that is judged has for others.
    wire [LANES-1:0]   first;      // entries that have their first message
    wire [ROW_W-1:0]   first_row;
    wire [LOW_W-1:0]   first_low;
    wire               ycid_valid;
    wire [IDX_W-1:0]   ycid_idx;
    wire [IDX_W-1:0]   ycid;
    wire               again;      // a revalidation is answered
    wire               again_ok;
    wire               again_pass;
    wire [CID_W-1:0]   again_cid;
    wire [2*LANES-1:0] again_row;
    wire [LANES-1:0]   again_oh;

    wire               room;       // for a report
    wire               val_take = val_valid_i && val_ready_o;
    wire               msg_judging;
    wire               msg_illegal;
    wire               ans_judging;
    wire               ans_illegal;
    wire               waits;

    cw_commit_messages #(
        .ENTRIES   (ENTRIES),
        .LANES     (LANES),
        .CID_W     (CID_W),
        .FAIL_WAITS(FAIL_WAITS),
        .IDX_W     (IDX_W),
        .ROW_W     (ROW_W),
        .BROW_W    (BROW_W),
        .LOW_W     (LOW_W)
    ) u_messages (
        .clk_i       (clk_i),
        .rst_i       (rst_i),
        .msg_valid_i (msg_valid_i),
        .msg_kind_i  (msg_kind_i),
        .msg_cid_i   (msg_cid_i),
        .msg_lanes_i (msg_lanes_i),
        .msg_reads_i (msg_reads_i),
        .msg_writes_i(msg_writes_i),
        .msg_pass_i  (msg_pass_i),
        .ret_ptr_i   (ret_ptr),
        .ret_move_i  (ret_move),
        .clear_i     (clear),
        .clear_row_i (clear_row),
        .rep_past_i  (rep_past),
        .set_o       (msg_set),
        .past_o      (msg_past),
        .first_o     (first),
        .first_row_o (first_row),
        .first_low_o (first_low),
        .judging_o   (msg_judging),
        .illegal_o   (msg_illegal)
`ifdef CW_PROPERTIES
        , .f_watch_i   (f_watch)
        , .f_flags_i   (f_msg)
        , .f_reported_i(f_rep)
        , .f_judged_o  (f_messages)
`endif
    );

    cw_commit_answers #(
        .ENTRIES(ENTRIES),
        .LANES  (LANES),
        .CID_W  (CID_W),
        .IDX_W  (IDX_W),
        .ROW_W  (ROW_W),
        .BROW_W (BROW_W),
        .LOW_W  (LOW_W)
    ) u_answers (
        .clk_i       (clk_i),
        .rst_i       (rst_i),
        .hza_valid_i (hza_valid_i),
        .hza_cid_i   (hza_cid_i),
        .hza_found_i (hza_found_i),
        .hza_ycid_i  (hza_ycid_i),
        .val_valid_i (val_valid_i),
        .val_take_i  (val_take),
        .val_cid_i   (val_cid_i),
        .val_again_i (val_again_i),
        .val_pass_i  (val_pass_i),
        .wb_valid_i  (wb_valid_i),
        .wb_cid_i    (wb_cid_i),
        .ret_ptr_i   (ret_ptr),
        .ret_move_i  (ret_move),
        .com_dist_i  (com_dist),
        .pass_dist_i (pass_dist),
        .haz_dist_i  (haz_dist),
        .clear_i     (clear),
        .clear_row_i (clear_row),
        .rep_past_i  (rep_past),
        .hza_set_o   (hza_set),
        .hza_past_o  (hza_past),
        .val_set_o   (val_set),
        .val_past_o  (val_past),
        .wb_set_o    (wb_set),
        .wb_past_o   (wb_past),
        .ycid_valid_o(ycid_valid),
        .ycid_idx_o  (ycid_idx),
        .ycid_o      (ycid),
        .again_o     (again),
        .again_ok_o  (again_ok),
        .again_pass_o(again_pass),
        .again_cid_o (again_cid),
        .again_row_o (again_row),
        .again_oh_o  (again_oh),
        .judging_o   (ans_judging),
        .illegal_o   (ans_illegal)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch)
        , .f_hza_i  (f_hza)
        , .f_val_i  (f_val)
        , .f_rep_i  (f_rep)
        , .f_wb_i   (f_wb)
        , .f_hza_o  (f_hza_judged)
        , .f_val_o  (f_val_judged)
        , .f_wb_o   (f_wb_judged)
`endif
    );

    cw_commit_pointers #(
        .ENTRIES   (ENTRIES),
        .LANES     (LANES),
        .CID_W     (CID_W),
        .FAIL_WAITS(FAIL_WAITS),
        .IDX_W     (IDX_W),
        .ROW_W     (ROW_W),
        .BROW_W    (BROW_W),
        .LOW_W     (LOW_W)
    ) u_pointers (
        .clk_i       (clk_i),
        .rst_i       (rst_i),
        .msg_set_i   (msg_set),
        .msg_past_i  (msg_past),
        .hza_set_i   (hza_set),
        .hza_past_i  (hza_past),
        .val_set_i   (val_set),
        .val_past_i  (val_past),
        .wb_set_i    (wb_set),
        .wb_past_i   (wb_past),
        .rep_past_o  (rep_past),
        .clear_o     (clear),
        .clear_row_o (clear_row),
        .first_i     (first),
        .first_row_i (first_row),
        .first_low_i (first_low),
        .ycid_valid_i(ycid_valid),
        .ycid_idx_i  (ycid_idx),
        .ycid_i      (ycid),
        .again_i     (again),
        .again_ok_i  (again_ok),
        .again_pass_i(again_pass),
        .again_cid_i (again_cid),
        .again_row_i (again_row),
        .again_oh_i  (again_oh),
        .room_o      (room),
        .haz_valid_o (haz_valid_o),
        .haz_cid_o   (haz_cid_o),
        .haz_rcid_o  (haz_rcid_o),
        .haz_ready_i (haz_ready_i),
        .rev_valid_o (rev_valid_o),
        .rev_cid_o   (rev_cid_o),
        .rev_ready_i (rev_ready_i),
        .rep_valid_o (rep_valid_o),
        .rep_cid_o   (rep_cid_o),
        .rep_pass_o  (rep_pass_o),
        .rep_ready_i (rep_ready_i),
        .com_valid_o (com_valid_o),
        .com_cid_o   (com_cid_o),
        .com_ready_i (com_ready_i),
        .ret_valid_o (ret_valid_o),
        .ret_cid_o   (ret_cid_o),
        .ret_commit_o(ret_commit_o),
        .ret_ready_i (ret_ready_i),
        .ret_ptr_o   (ret_ptr),
        .com_ptr_o   (commit_cid_o),
        .com_dist_o  (com_dist),
        .pass_dist_o (pass_dist),
        .haz_dist_o  (haz_dist),
        .ret_move_o  (ret_move),
        .moving_o    (moving),
        .stage_o     (oldest_stage_o),
        .waits_o     (waits)
`ifdef CW_PROPERTIES
        , .f_watch_i (f_watch)
        , .f_idx_i   (f_idx)
        , .f_msg_i   (f_msg)
        , .f_hza_i   (f_hza)
        , .f_val_i   (f_val)
        , .f_rep_i   (f_rep)
        , .f_wb_i    (f_wb)
        , .f_ptrs_o  (f_ptrs)
        , .f_hazard_o(f_hazard)
        , .f_pass_o  (f_pass)
        , .f_commit_o(f_commit)
        , .f_retire_o(f_retire)
        , .f_report_o(f_report)
`endif
    );

    // Status.
    reg  waiting_q;
    reg  active_q;
    reg  illegal_q;
    wire event_in = msg_valid_i || hza_valid_i || val_take || wb_valid_i;

    always @(posedge clk_i)
        if (rst_i) begin
            waiting_q <= 1'b0;
            active_q  <= 1'b0;
            illegal_q <= 1'b0;
        end else begin
            waiting_q <= waits;
            active_q  <= event_in || msg_judging || ans_judging || moving;
            illegal_q <= msg_illegal || ans_illegal;
        end

    assign val_ready_o  = room;
    assign oldest_cid_o = ret_ptr;
    assign waiting_o    = waiting_q;
    assign busy_o       = active_q || rep_valid_o || ret_valid_o;
    assign illegal_o    = illegal_q;

`ifdef CW_PROPERTIES
    wire [IDX_W-1:0]         f_idx;
    wire [BROW_W+LANES+2:0]  f_watch;
    wire [5:0]               f_msg;
    wire [1:0]               f_hza;
    wire [2:0]               f_val;
    wire [1:0]               f_rep;
    wire                     f_wb;
    wire [CID_W+4*LANES+6:0] f_messages;
    wire [2*IDX_W+3:0]       f_hza_judged;
    wire [CID_W+4:0]         f_val_judged;
    wire [IDX_W+2:0]         f_wb_judged;
    wire [CID_W+2*IDX_W+3:0] f_hazard;
    wire [3*IDX_W+8:0]       f_pass;
    wire [7:0]               f_commit;
    wire [5:0]               f_retire;
    wire [2*LANES+5:0]       f_report;
    wire [2*CID_W-1:0]       f_ptrs;

    cw_nonsynth_commit_unit #(
        .ENTRIES   (ENTRIES),
        .LANES     (LANES),
        .CID_W     (CID_W),
        .FAIL_WAITS(FAIL_WAITS),
        .IDX_W     (IDX_W),
        .ROW_W     (ROW_W),
        .BROW_W    (BROW_W),
        .LOW_W     (LOW_W)
    ) u_properties (
        .clk_i        (clk_i),
        .rst_i        (rst_i),
        .event_valid_i(event_in),
        .event_idx_i  (msg_valid_i ? msg_cid_i[IDX_W-1:0] : hza_valid_i ? hza_cid_i[IDX_W-1:0]
                       : val_take ? val_cid_i[IDX_W-1:0] : wb_cid_i[IDX_W-1:0]),
        .ret_ptr_i    (ret_ptr),
        .ptrs_i       ({commit_cid_o, f_ptrs}),
        .com_dist_i   (com_dist),
        .pass_dist_i  (pass_dist),
        .haz_dist_i   (haz_dist),
        .ret_move_i   (ret_move),
        .clear_i      (clear),
        .clear_row_i  (clear_row),
        .messages_i   (f_messages),
        .msg_change_i (msg_set[MSG_SET_W-1 -: 2]),
        .hza_i        (f_hza_judged),
        .val_i        (f_val_judged),
        .wb_i         (f_wb_judged),
        .hazard_i     (f_hazard),
        .pass_i       (f_pass),
        .commit_i     (f_commit),
        .retire_i     (f_retire),
        .again_ok_i   (again_ok),
        .report_i     (f_report),
        .illegal_i    (illegal_o),
        .idx_o        (f_idx),
        .watch_o      (f_watch),
        .msg_o        (f_msg),
        .hza_o        (f_hza),
        .val_o        (f_val),
        .rep_o        (f_rep),
        .wb_o         (f_wb)
    );
`endif

    generate
        if (ENTRIES < 1 || ENTRIES > 2016) begin : g_bad_entries
            cw_error_commit_unit_entries_must_be_1_to_2016 u_error ();
        end
        if (LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8 && LANES != 16 && LANES != 32) begin : g_bad_lanes
            cw_error_commit_unit_lanes_must_be_a_power_of_two_up_to_32 u_error ();
        end
        if (CID_W < 1 || CID_W > 32) begin : g_bad_cid_w
            cw_error_commit_unit_cid_w_must_be_1_to_32 u_error ();
        end
        if (CID_W < 12 && ENTRIES + LANES > (1 << CID_W)) begin : g_bad_window
            cw_error_commit_unit_entries_and_lanes_must_not_exceed_two_to_the_cid_w u_error ();
        end
        if (FAIL_WAITS != 0 && FAIL_WAITS != 1) begin : g_bad_fail_waits
            cw_error_commit_unit_fail_waits_must_be_0_or_1 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
