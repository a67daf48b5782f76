// SPDX-License-Identifier: Apache-2.0
//
// cw_nonsynth_commit_unit: what must hold of the commit unit, as one of its entries shows it.
//
// Why         : what is kept in rows of RAM, by events in any order, must be what the events have said; and what the
//               pointers do must follow from that.
// How         : it watches a place of the ring, of the prover's choice; in a run that of the first event after a reset.
//               The flags of the entry are kept here once more, in flip-flops, by what the contract says of the events
//               that are judged. They are cleared with the row of the place.
// Illegal use : synthesis. Only blocks of properties have it (CW_PROPERTIES).
//
// Contract: include/cowarp/unit/commit_unit.h. docs/proofs.md has the form of properties.

`default_nettype none

module cw_nonsynth_commit_unit #(
    parameter ENTRIES    = 1920,
    parameter LANES      = 32,
    parameter CID_W      = 20,
    parameter FAIL_WAITS = 0,
    parameter IDX_W      = 11,  // of a place
    parameter ROW_W      = 6,   // of a row
    parameter BROW_W     = 5,   // of a row in its bank
    parameter LOW_W      = 5    // of a lane, at least 1
) (
    input  wire                     clk_i,
    input  wire                     rst_i,
    // an event, and the place that it is about
    input  wire                     event_valid_i,
    input  wire [IDX_W-1:0]         event_idx_i,
    // window
    input  wire [CID_W-1:0]         ret_ptr_i,
    input  wire [3*CID_W-1:0]       ptrs_i,  // commit, pass, hazard
    input  wire [IDX_W-1:0]         com_dist_i,
    input  wire [IDX_W-1:0]         pass_dist_i,
    input  wire [IDX_W-1:0]         haz_dist_i,
    input  wire                     ret_move_i,
    input  wire [1:0]               clear_i,
    input  wire [BROW_W-1:0]        clear_row_i,
    // what the parts show, see there: events that are judged, what they change, the pointers
    input  wire [CID_W+4*LANES+6:0] messages_i,
    input  wire [1:0]               msg_change_i,
    input  wire [2*IDX_W+3:0]       hza_i,
    input  wire [CID_W+4:0]         val_i,
    input  wire [IDX_W+2:0]         wb_i,
    input  wire [CID_W+2*IDX_W+3:0] hazard_i,
    input  wire [3*IDX_W+8:0]       pass_i,
    input  wire [7:0]               commit_i,
    input  wire [5:0]               retire_i,
    // reports
    input  wire                     again_ok_i,
    input  wire [2*LANES+5:0]       report_i,
    // an illegal event is shown
    input  wire                     illegal_i,
    // the place, what cw_commit_view watches, and the flags of the entry in the order of the planes
    output wire [IDX_W-1:0]         idx_o,
    output wire [BROW_W+LANES+2:0]  watch_o,
    output wire [5:0]               msg_o,
    output wire [1:0]               hza_o,
    output wire [2:0]               val_o,
    output wire [1:0]               rep_o,
    output wire                     wb_o
);

`ifdef CW_PROPERTIES
    localparam integer     LAST_LANE = LANES - 1;
    localparam integer     LAST      = ENTRIES - 1;
    localparam integer     FIRST     = 1;
    localparam [LOW_W-1:0] LOW_MASK  = LAST_LANE[LOW_W-1:0];
    localparam [LANES-1:0] LANE_0    = FIRST[LANES-1:0];
    localparam [CID_W:0]   LAST_OFF  = {{(CID_W+1-IDX_W){1'b0}}, LAST[IDX_W-1:0]};  // distance of the window's last CID

    localparam [1:0] DONE    = 2'd1;
    localparam [1:0] SKIP    = 2'd2;
    localparam [1:0] OUTCOME = 2'd3;

    // A row's number in its bank.
    function [BROW_W-1:0] in_bank (input [ROW_W-1:0] of);
        reg [ROW_W:0] wide;
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

    // What the parts show.
    wire             msg_valid;
    wire             msg_in;
    wire             msg_gone;
    wire [1:0]       msg_kind;
    wire [CID_W-1:0] msg_cid;
    wire [LANES-1:0] msg_lanes;
    wire [LANES-1:0] msg_reads;
    wire [LANES-1:0] msg_writes;
    wire [LANES-1:0] msg_pass;
    wire [1:0]       msg_illegal;
    wire             hza_valid;
    wire             hza_in;
    wire [IDX_W-1:0] hza_idx;
    wire             hza_hazard;
    wire [IDX_W-1:0] hza_ycid;
    wire             hza_ok;
    wire             val_valid;
    wire             val_in;
    wire             val_again;
    wire             val_pass;
    wire [CID_W-1:0] val_cid;
    wire             val_ok;
    wire             wb_valid;
    wire             wb_in;
    wire [IDX_W-1:0] wb_idx;
    wire             wb_ok;
    wire             haz_send;
    wire [CID_W-1:0] rcid;
    wire [IDX_W-1:0] rcid_kept;
    wire [IDX_W-1:0] rcid_read;
    wire [2:0]       haz_flags;
    wire             pass_work;
    wire             pass_again;
    wire [1:0]       pass_msg;
    wire [1:0]       pass_hza;
    wire [1:0]       pass_val;
    wire [IDX_W-1:0] ycid_kept;
    wire [IDX_W-1:0] ycid_next;
    wire [IDX_W-1:0] ycid;
    wire             ycid_old;
    wire             com_work;
    wire             com_send;
    wire [3:0]       com_msg;
    wire [1:0]       com_rep;
    wire             ret_work;
    wire             ret_send;
    wire [2:0]       ret_msg;
    wire             ret_wb;
    wire [CID_W-1:0] com_ptr;
    wire [CID_W-1:0] pass_ptr;
    wire [CID_W-1:0] haz_ptr;
    wire             report;
    wire             report_ok;
    wire [2*LANES-1:0] pass_row;
    wire             rep_add;
    wire             rep_pop;
    wire [1:0]       rep_cnt;
    wire             msg_judge = msg_valid && msg_in;
    wire [ROW_W-1:0] ret_row   = ret_ptr_i[IDX_W-1 -: ROW_W];
    wire [LOW_W-1:0] ret_lane  = ret_ptr_i[LOW_W-1:0] & LOW_MASK;
    wire [IDX_W-1:0] pass_idx  = pass_ptr[IDX_W-1:0];
    wire [CID_W:0]   pass_far  = {{(CID_W+1-IDX_W){1'b0}}, pass_dist_i};

    assign {msg_valid, msg_in, msg_gone, msg_kind, msg_cid, msg_lanes, msg_reads, msg_writes, msg_pass,
            msg_illegal} = messages_i;
    assign {hza_valid, hza_in, hza_idx, hza_hazard, hza_ycid, hza_ok} = hza_i;
    assign {val_valid, val_in, val_again, val_pass, val_cid, val_ok}  = val_i;
    assign {wb_valid, wb_in, wb_idx, wb_ok}                           = wb_i;
    assign {haz_send, rcid, rcid_kept, rcid_read, haz_flags}          = hazard_i;
    assign {pass_work, pass_again, pass_msg, pass_hza, pass_val, ycid_kept, ycid_next, ycid, ycid_old} = pass_i;
    assign {com_work, com_send, com_msg, com_rep} = commit_i;
    assign {ret_work, ret_send, ret_msg, ret_wb}  = retire_i;
    assign {com_ptr, pass_ptr, haz_ptr}           = ptrs_i;
    assign {report, report_ok, pass_row, rep_add, rep_pop, rep_cnt} = report_i;

    // The entry.
    wire [IDX_W-1:0] f_idx;
    reg              f_past_q = 1'b0;
    reg              f_fresh_q;  // out of reset in this cycle
    reg              f_used_q;
    reg              f_skip_q;
    reg              f_reads_q;
    reg              f_writes_q;
    reg              f_decided_q;
    reg              f_commit_q;
    reg              f_answered_q;
    reg              f_pass_q;
    reg              f_renewed_q;
    reg              f_detected_q;
    reg              f_hazard_q;
    reg              f_reported_q;
    reg              f_rpass_q;
    reg              f_written_q;
    reg              f_asked_q;  // for a revalidation
    reg              f_lap_q;    // the place has been used and cleared before
    reg              f_wrong_q;  // in the cycle before an event about the entry was illegal
    reg  [CID_W-1:0] f_rcid_q;
    reg  [IDX_W-1:0] f_ycid_q;
    reg  [IDX_W-1:0] f_left_q;   // retirements until YCID has retired

    // A flag that says something about another one has no meaning without it.
    wire             f_filled = f_skip_q || f_reads_q || f_writes_q;
    wire             f_used   = f_used_q || f_filled;
    wire             f_commit = f_commit_q && f_decided_q && f_rpass_q;
    wire             f_pass   = f_pass_q && f_answered_q;
    wire             f_hazard = f_hazard_q && f_detected_q;

    wire [ROW_W-1:0] f_row    = f_idx[IDX_W-1 -: ROW_W];
    wire [LOW_W-1:0] f_lane   = f_idx[LOW_W-1:0] & LOW_MASK;
    wire [LANES-1:0] f_oh     = LANE_0 << f_lane;

    cw_nonsynth_choice #(
        .W(IDX_W)
    ) u_f_idx (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (event_valid_i),
        .value_i (event_idx_i),
        .choice_o(f_idx)
    );

    wire [IDX_W-1:0] f_off    = f_idx - ret_ptr_i[IDX_W-1:0];  // its distance from the retire pointer
    wire [CID_W-1:0] f_cid    = ret_ptr_i + f_off;             // of the entry, if it is in the window
    wire [IDX_W-1:0] f_bit    = f_idx - msg_cid[IDX_W-1:0];   // its bit of the message, if it is below LANES
    wire             f_about  = msg_judge && f_bit < LANES && msg_lanes[f_bit[LOW_W-1:0]]
                                && !(msg_gone && f_bit == {IDX_W{1'b0}});
    wire             f_in_r   = msg_reads[f_bit[LOW_W-1:0]];
    wire             f_in_w   = msg_writes[f_bit[LOW_W-1:0]];
    wire             f_in_p   = msg_pass[f_bit[LOW_W-1:0]];
    wire             f_fill   = f_about && msg_kind != OUTCOME && !f_filled;
    wire             f_done   = f_fill && msg_kind == DONE;
    wire             f_decide = f_about && msg_kind == OUTCOME && f_reported_q && !f_decided_q
                                && (f_rpass_q || (FAIL_WAITS != 0 && !f_in_p));
    wire             f_v_at   = val_valid && val_in && val_cid[IDX_W-1:0] == f_idx;
    wire             f_answer = f_v_at && !val_again && !f_answered_q;
    wire             f_renew  = f_v_at && val_again && !f_renewed_q && !f_reported_q;
    wire             f_h_at   = hza_valid && hza_in && hza_idx == f_idx;
    wire             f_detect = f_h_at && !f_detected_q;
    wire             f_w_at   = wb_valid && wb_in && wb_idx == f_idx;
    wire             f_haz_at = haz_ptr[IDX_W-1:0] == f_idx && haz_dist_i < ENTRIES;
    wire             f_pas_at = pass_idx == f_idx && pass_work;
    wire             f_com_at = com_ptr[IDX_W-1:0] == f_idx && com_work;
    wire             f_ret_at = ret_ptr_i[IDX_W-1:0] == f_idx && ret_work;
    wire             f_report = (report && f_pas_at) || (again_ok_i && f_v_at);
    wire             f_clear  = clear_i[f_row[0]] && clear_row_i == in_bank(f_row);
    wire [IDX_W-1:0] f_age    = f_idx - hza_ycid;
    wire [CID_W-1:0] f_m_off  = msg_cid - ret_ptr_i;
    wire [CID_W-1:0] f_v_off  = val_cid - ret_ptr_i;
    wire [IDX_W-1:0] f_h_off  = hza_idx - ret_ptr_i[IDX_W-1:0];
    wire [IDX_W-1:0] f_h_age  = hza_idx - hza_ycid;
    wire [IDX_W-1:0] f_w_off  = wb_idx - ret_ptr_i[IDX_W-1:0];
    wire [IDX_W-1:0] f_ycid_age = f_idx - f_ycid_q;
    wire [CID_W-1:0] f_rcid_age = f_cid - f_rcid_q;
    wire [IDX_W-1:0] f_rcid_low = f_rcid_q[IDX_W-1:0];
    wire [ROW_W-1:0] f_cleared  = ROW_W == 1 ? clear_i[1] : {clear_row_i, clear_i[1]};
    wire             f_past   = f_row == ret_row && f_lane < ret_lane;  // retired, and its row not yet
    wire             f_failed = FAIL_WAITS == 0 && f_reported_q && !f_rpass_q;

    always @(posedge clk_i) begin
        f_past_q  <= 1'b1;
        f_fresh_q <= rst_i;
        if (rst_i || f_clear) begin
            {f_used_q, f_skip_q, f_reads_q, f_writes_q, f_decided_q, f_commit_q, f_answered_q, f_pass_q} <= 8'd0;
            {f_renewed_q, f_detected_q, f_hazard_q, f_reported_q, f_rpass_q, f_written_q, f_asked_q, f_wrong_q} <= 8'd0;
            f_lap_q <= !rst_i && (f_lap_q || f_used);
        end else begin
            f_used_q     <= f_used || f_fill;
            f_skip_q     <= f_skip_q || (f_fill && (msg_kind == SKIP || (f_done && !f_in_r && !f_in_w)));
            f_reads_q    <= f_reads_q || (f_done && f_in_r);
            f_writes_q   <= f_writes_q || (f_done && f_in_w);
            f_decided_q  <= f_decided_q || f_decide;
            f_commit_q   <= f_commit || (f_decide && f_in_p);
            f_answered_q <= f_answered_q || f_answer;
            f_pass_q     <= f_pass || (f_answer && val_pass);
            f_renewed_q  <= f_renewed_q || f_renew;
            f_detected_q <= f_detected_q || f_h_at;
            f_hazard_q   <= f_hazard || (f_detect && hza_hazard);
            f_reported_q <= f_reported_q || f_report;
            f_rpass_q    <= f_rpass_q || (f_report && (report ? report_ok : val_pass));
            f_written_q  <= f_written_q || f_w_at;
            f_asked_q    <= f_asked_q || (pass_again && f_pas_at);
            f_wrong_q    <= (f_about && !f_fill && !f_decide) || (f_v_at && !f_answer && !f_renew)
                            || (f_h_at && !f_detect) || (f_w_at && f_written_q);
        end
        if (f_fill && !f_used)
            f_rcid_q <= ret_ptr_i;
        if (f_detect)
            f_ycid_q <= hza_ycid;
        if (f_detect)
            f_left_q <= f_off < f_age ? {IDX_W{1'b0}} : f_off - f_age + (ret_move_i ? 1'b0 : 1'b1);
        else if (ret_move_i && f_left_q != {IDX_W{1'b0}})
            f_left_q <= f_left_q - 1'b1;
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. The pointers keep their order, within the window.
            assert (com_dist_i <= pass_dist_i && pass_dist_i <= haz_dist_i && haz_dist_i <= ENTRIES);
            assert (com_ptr == ret_ptr_i + com_dist_i && pass_ptr == ret_ptr_i + pass_dist_i
                    && haz_ptr == ret_ptr_i + haz_dist_i);
            cover (haz_dist_i == ENTRIES && pass_dist_i < haz_dist_i && com_dist_i < pass_dist_i && com_dist_i != 0);
            // 2. A write-back begins only for an entry that was reported as passed and that the core has decided to
            // commit.
            if (com_send && f_com_at)
                assert (f_reported_q && f_rpass_q && f_decided_q && f_commit && f_writes_q && !f_skip_q);
            cover (com_send && f_com_at);
            // 3. An entry with a hazard is validated again after its YCID has retired, and not reported as passed
            // before that.
            if (pass_again && f_pas_at)
                assert (f_hazard && f_left_q == {IDX_W{1'b0}});
            if (report && f_pas_at)
                assert (!(f_hazard && report_ok));
            if (again_ok_i && f_v_at)
                assert (f_asked_q || f_skip_q);
            cover (pass_again && f_pas_at);
            // 4. An entry is reported once. A skipped one is not, unless a revalidation is answered that nobody has
            // asked for.
            if (f_report)
                assert (!f_reported_q && (f_pas_at || f_off < pass_dist_i));
            if (report && f_pas_at)
                assert (!f_skip_q);
            cover (again_ok_i && f_v_at && f_asked_q);
            // 5. An entry retires when it has been written back, aborted or skipped, and the retirement tells what the
            // core has decided.
            if (ret_move_i && f_ret_at)
                assert (f_skip_q || ((f_decided_q || f_failed) && (!(f_commit && f_writes_q) || f_written_q)));
            if (ret_send && f_ret_at)
                assert (!f_skip_q && ret_msg[2] == f_commit);
            cover (ret_send && f_ret_at && f_written_q && f_commit);
            // 6. A pointer at an entry sees its flags, whatever has changed them and when.
            if (f_haz_at)
                assert (haz_flags == {f_writes_q, f_skip_q, f_reads_q});
            if (f_pas_at)
                assert (pass_msg == {f_skip_q, f_reads_q} && pass_hza == {f_hazard, f_detected_q}
                        && pass_val == {f_pass, f_answered_q}
                        && {pass_row[LANES + f_lane], pass_row[f_lane]} == {f_rpass_q, f_reported_q});
            if (f_com_at)
                assert (com_msg == {f_decided_q, f_commit, f_writes_q, f_skip_q}
                        && com_rep == {f_rpass_q, f_reported_q});
            if (f_ret_at)
                assert (ret_msg == {f_commit, f_writes_q, f_skip_q} && ret_wb == f_written_q);
            cover (f_pas_at && f_reads_q && f_answered_q && f_detected_q && f_lap_q);
            // 7. An event is judged by the flags of its entry, whatever has changed them and when, and it is shown if
            // it is illegal.
            if (f_about)
                assert ((!(f_fill || f_decide) || msg_change_i[f_row[0]])
                        && (f_fill || f_decide || msg_illegal[f_row[0]]));
            if (f_v_at)
                assert (val_ok == (f_answer || f_renew));
            if (f_h_at)
                assert (hza_ok == f_detect);
            if (f_w_at)
                assert (wb_ok == !f_written_q);
            if (f_wrong_q)
                assert (illegal_i);
            cover (f_about && msg_kind == OUTCOME && !f_decide && f_decided_q);
            // 8. The hazard unit gets the CID that was the oldest when the entry's first message was judged.
            if (haz_send && f_haz_at)
                assert (rcid == f_rcid_q);
            cover (haz_send && f_haz_at && f_rcid_q != ret_ptr_i && f_rcid_low > f_idx);
            // 9. Nothing is left of an entry when the window reaches its place again.
            if (f_off >= ENTRIES && !f_past && !f_clear)
                assert (!(f_used || f_decided_q || f_answered_q || f_renewed_q || f_detected_q || f_reported_q
                          || f_written_q));
            if (f_off < ENTRIES)
                assert (!f_past && !f_clear);
            cover (f_off >= ENTRIES && f_lap_q);
            // 10. A report always finds a place in the queue.
            assert (!(rep_add && rep_cnt == 2'd3 && !rep_pop));
            cover (rep_cnt == 2'd3);
            // 13. (for induction) The events that are judged lie in their ranges; of a message, the first entry may
            // have retired just now.
            if (msg_judge)
                assert (msg_gone ? f_m_off == {CID_W{1'b1}} && {{CID_W{1'b0}}, last_lane(msg_lanes)} <= {5'd0, LAST_OFF}
                                  : {6'd0, f_m_off} + {{CID_W{1'b0}}, last_lane(msg_lanes)} <= {5'd0, LAST_OFF});
            if (hza_valid && hza_in)
                assert (f_h_off < haz_dist_i);
            if (hza_valid && hza_hazard)
                assert (f_h_age != {IDX_W{1'b0}} && f_h_age < ENTRIES);
            if (val_valid && val_in)
                assert ({1'b0, f_v_off} <= LAST_OFF && (!val_again || f_v_off < pass_far));
            if (wb_valid && wb_in)
                assert (f_w_off < com_dist_i);
            if (val_valid)
                assert (rep_cnt != 2'd3);
            cover (msg_judge && msg_gone && msg_lanes[0]);
            // 14. (for induction) The flags of an entry follow from the pointers that have passed it, and from each
            // other.
            if (f_off < haz_dist_i)
                assert (f_filled);
            if (f_off < ENTRIES && f_off >= haz_dist_i)
                assert (!f_detected_q);
            if (f_off < pass_dist_i)
                assert (f_skip_q || f_reported_q || f_asked_q);
            if (f_off < ENTRIES && f_off >= pass_dist_i)
                assert (!f_reported_q && !f_renewed_q && !f_asked_q);
            assert (!f_asked_q || (!f_skip_q && f_hazard && f_left_q == {IDX_W{1'b0}}));
            if (f_off < com_dist_i || f_past || f_clear)
                assert (f_filled && (f_skip_q || f_decided_q || f_failed));
            if (f_off < ENTRIES && f_off >= com_dist_i)
                assert (!f_written_q);
            if (f_past || f_clear)
                assert (f_skip_q || !(f_commit && f_writes_q) || f_written_q);
            assert (!f_skip_q || !(f_reads_q || f_writes_q || (f_reported_q && !f_renewed_q)));
            assert (f_reported_q || !(f_rpass_q || f_decided_q || f_renewed_q));
            cover (f_off < com_dist_i && f_written_q);
            // 15. (for induction) A row is cleared right behind the retire pointer.
            if (clear_i != 2'b00)
                assert (f_cleared + 1'b1 == ret_row && clear_i != 2'b11 && ret_lane == 0 && haz_dist_i < ENTRIES);
            if (f_fresh_q)
                assert ({ret_ptr_i, haz_dist_i, clear_i, msg_valid, hza_valid, val_valid, wb_valid, f_used,
                         f_detected_q} == 0);
            cover (clear_i[1] && f_clear);
            // 16. (for induction) RCID and YCID of the entry are in their RAMs, or on the way, and less than a ring
            // before the entry.
            if (f_used)
                assert (rcid_kept == f_rcid_low);
            if (f_used && haz_ptr[IDX_W-1:0] == f_idx)
                assert (rcid_read == f_rcid_low);
            if (f_used && f_off < ENTRIES)
                assert (f_rcid_age < ENTRIES);
            if (f_detected_q)
                assert (ycid_kept == f_ycid_q);
            if (f_detected_q && pass_idx + 1'b1 == f_idx)
                assert (ycid_next == f_ycid_q);
            if (f_detected_q && pass_idx == f_idx)
                assert (ycid == f_ycid_q);
            if (f_hazard && f_off < haz_dist_i)
                assert (f_left_q == (f_off < f_ycid_age ? {IDX_W{1'b0}} : f_off - f_ycid_age + 1'b1)
                        && f_ycid_age != {IDX_W{1'b0}} && f_ycid_age < ENTRIES);
            cover (f_detected_q && pass_idx + 1'b1 == f_idx && ycid_old);
        end

    assign idx_o   = f_idx;
    assign watch_o = {f_past_q, f_fresh_q, f_row[0], in_bank(f_row), f_oh};
    assign msg_o   = {f_decided_q, f_commit, f_writes_q, f_skip_q, f_reads_q, f_used};
    assign hza_o   = {f_hazard, f_detected_q};
    assign val_o   = {f_pass, f_answered_q, f_renewed_q};
    assign rep_o   = {f_rpass_q, f_reported_q};
    assign wb_o    = f_written_q;
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

endmodule

`default_nettype wire
