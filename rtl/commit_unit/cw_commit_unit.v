// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_unit: ring buffer of Kilo TM's commit entries, with the pointers of its logical stages.
//
// Why         : messages of cores, comparisons and write-backs end in any order, but transactions must commit in the order of their
//               commit IDs (CID), the same in every partition. This unit keeps that order. It has no data of transactions.
// How         : each CID is an entry of a ring from the start. An event sets flags of its entry. Pointers for hazard, pass, commit and
//               retire pass over the entries in order, and each waits at an entry whose flags do not allow its stage yet. The ring has
//               a power of two of places, at least ENTRIES + LANES, so an entry's place is the low bits of its CID, and a row that has
//               retired is cleared before the window reaches it again.
// Stages      : cycle t, the event is on its port, and its row of flags is read; t + 1, it is judged; t + 2, a pointer sees the change,
//               and the row is written; t + 3, the pointer's register offers the entry to its neighbour.
// Latency     : a skipped entry alone is gone 6 cycles after its message, since it passes one pointer per cycle.
// Throughput  : one message about up to LANES entries, one hazard answer, one validation answer, one report, one write-back and one
//               retirement per cycle.
// Storage     : flags in rows of LANES entries (cw_commit_rows), a copy for each part that reads them; RCID in a RAM per lane, YCID in
//               one RAM, both as low bits of the CID, since they are less than a ring away.
// Illegal use : an event that the protocol excludes changes nothing, and illegal_o is 1 two cycles later. The contract lists them.
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

    localparam IDX_W  = bits_for(ENTRIES + LANES);       // of a place
    localparam LANE_W = bits_for(LANES);
    localparam LOW_W  = LANE_W == 0 ? 1 : LANE_W;        // of a lane's number, at least 1
    localparam ROW_W  = IDX_W - LANE_W;                  // a row is LANES places; there are at least two
    localparam BROW_W = ROW_W == 1 ? 1 : ROW_W - 1;      // of a row's number in its bank

    localparam integer     LAST_LANE = LANES - 1;
    localparam integer     LAST      = ENTRIES - 1;
    localparam integer     FIRST     = 1;
    localparam [LOW_W-1:0] LOW_MASK  = LAST_LANE[LOW_W-1:0];
    localparam [LANES-1:0] LANE_0    = FIRST[LANES-1:0];
    localparam [CID_W:0]   LAST_OFF  = {{(CID_W+1-IDX_W){1'b0}}, LAST[IDX_W-1:0]};  // distance of the window's last CID

    localparam [1:0] DONE    = 2'd1;
    localparam [1:0] SKIP    = 2'd2;
    localparam [1:0] OUTCOME = 2'd3;

    // Flags, by group: the event that sets them. Names of planes, the same flag of the lanes of a row.
    localparam M_USED    = 0;  // group M, messages: any
    localparam M_READS   = 1;
    localparam M_SKIP    = 2;
    localparam M_WRITES  = 3;
    localparam M_COMMIT  = 4;
    localparam M_DECIDED = 5;
    localparam M_PLANES  = 6;
    localparam H_DETECTED = 0;  // group H, hazard answers
    localparam H_PLANES   = 2;   // and hazard
    localparam V_RENEWED  = 0;  // group V, validation answers: the second one; the first one, then its result
    localparam V_ANSWERED = 1;
    localparam V_PLANES   = 3;
    localparam R_REPORTED = 0;  // group R, reports
    localparam R_PASS     = 1;
    localparam R_PLANES   = 2;

    localparam M_WIDTH = M_PLANES * LANES;
    localparam H_WIDTH = H_PLANES * LANES;
    localparam V_WIDTH = V_PLANES * LANES;
    localparam R_WIDTH = R_PLANES * LANES;
    localparam W_WIDTH = LANES;                              // group W, ends of write-backs
    localparam M_SET_W = 2 * (1 + BROW_W + M_WIDTH);
    localparam H_SET_W = 2 * (1 + BROW_W + H_WIDTH);
    localparam V_SET_W = 2 * (1 + BROW_W + V_WIDTH);
    localparam R_SET_W = 2 * (1 + BROW_W + R_WIDTH);
    localparam W_SET_W = 2 * (1 + BROW_W + W_WIDTH);
    localparam WRITTEN = 2 << BROW_W;

    // Parts of a CID: its row, the row's number in its bank, its lane.
    /* verilator lint_off UNUSED */
    function [ROW_W-1:0] row_of (input [CID_W-1:0] cid);
        row_of = cid[IDX_W-1 -: ROW_W];
    endfunction

    function [BROW_W-1:0] in_bank (input [ROW_W-1:0] row);
        reg [ROW_W:0] wide;
        begin
            wide    = {1'b0, row};
            in_bank = wide[1 +: BROW_W];
        end
    endfunction

    function [LOW_W-1:0] lane_of (input [CID_W-1:0] cid);
        lane_of = cid[LOW_W-1:0] & LOW_MASK;
    endfunction

    function [ROW_W-1:0] ahead_of (input [ROW_W-1:0] row, input step);
        reg [ROW_W-1:0] one;
        reg [ROW_W-1:0] two;
        begin
            one      = row + 1'b1;
            two      = one + 1'b1;
            ahead_of = step ? two : one;
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
    /* verilator lint_on UNUSED */

`ifdef CW_PROPERTIES
    // One place of the ring, of the prover's choice; in a run that of the first event after a reset. Its flags are kept here once more, in
    // flip-flops, by what the contract says of the events that are judged; they are cleared with the place's row.
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
    wire [BROW_W+LANES+2:0] f_watch = {f_past_q, f_fresh_q, f_row[0], in_bank(f_row), f_oh};  // see cw_commit_view
    wire [LANES*IDX_W-1:0] f_rcids;     // of its row
    wire [IDX_W-1:0]       f_ycid_ram;  // of the place
`endif

    // A pointer is a CID, and its distance from the retire pointer.
    reg  [CID_W-1:0] ret_ptr_q;
    reg  [CID_W-1:0] com_ptr_q;
    reg  [CID_W-1:0] pass_ptr_q;
    reg  [CID_W-1:0] haz_ptr_q;
    reg  [IDX_W-1:0] com_dist_q;
    reg  [IDX_W-1:0] pass_dist_q;
    reg  [IDX_W-1:0] haz_dist_q;
    wire             ret_move;
    wire             com_move;
    wire             pass_move;
    wire             haz_move;

    // The row of a pointer in this cycle, whether the pointer leaves it, and the row after the pointer's next one.
    wire [ROW_W-1:0] ret_row    = row_of(ret_ptr_q);
    wire [ROW_W-1:0] com_row    = row_of(com_ptr_q);
    wire [ROW_W-1:0] pass_row   = row_of(pass_ptr_q);
    wire [ROW_W-1:0] haz_row    = row_of(haz_ptr_q);
    wire             ret_step   = ret_move && lane_of(ret_ptr_q) == LOW_MASK;
    wire             com_step   = com_move && lane_of(com_ptr_q) == LOW_MASK;
    wire             pass_step  = pass_move && lane_of(pass_ptr_q) == LOW_MASK;
    wire             haz_step   = haz_move && lane_of(haz_ptr_q) == LOW_MASK;
    wire [ROW_W-1:0] ret_ahead  = ahead_of(ret_row, ret_step);
    wire [ROW_W-1:0] com_ahead  = ahead_of(com_row, com_step);
    wire [ROW_W-1:0] pass_ahead = ahead_of(pass_row, pass_step);
    wire [ROW_W-1:0] haz_ahead  = ahead_of(haz_row, haz_step);
    wire [LANES-1:0] ret_oh     = LANE_0 << lane_of(ret_ptr_q);
    wire [LANES-1:0] com_oh     = LANE_0 << lane_of(com_ptr_q);
    wire [LANES-1:0] pass_oh    = LANE_0 << lane_of(pass_ptr_q);
    wire [LANES-1:0] haz_oh     = LANE_0 << lane_of(haz_ptr_q);

    // Cycle t: is the answer's entry in its range? The oldest one is not, if it retires in this cycle.
    wire [CID_W-1:0] hza_off  = hza_cid_i - ret_ptr_q;
    wire [CID_W-1:0] val_off  = val_cid_i - ret_ptr_q;
    wire [CID_W-1:0] wb_off   = wb_cid_i - ret_ptr_q;
    wire [CID_W-1:0] hza_age  = hza_cid_i - hza_ycid_i;
    wire [CID_W:0]   haz_far  = {{(CID_W+1-IDX_W){1'b0}}, haz_dist_q};
    wire [CID_W:0]   pass_far = {{(CID_W+1-IDX_W){1'b0}}, pass_dist_q};
    wire [CID_W:0]   com_far  = {{(CID_W+1-IDX_W){1'b0}}, com_dist_q};

    reg              h1_valid_q;
    reg              h1_in_q;
    reg  [IDX_W-1:0] h1_idx_q;
    reg              h1_hazard_q;
    reg  [IDX_W-1:0] h1_ycid_q;
    reg              v1_valid_q;
    reg              v1_in_q;
    reg              v1_again_q;
    reg              v1_pass_q;
    reg  [CID_W-1:0] v1_cid_q;
    reg              w1_valid_q;
    reg              w1_in_q;
    reg  [IDX_W-1:0] w1_idx_q;
    wire             val_take = val_valid_i && val_ready_o;
    wire             rep_add;  // a report is made

    always @(posedge clk_i) begin
        h1_valid_q <= hza_valid_i && !rst_i;
        v1_valid_q <= val_take && !rst_i;
        w1_valid_q <= wb_valid_i && !rst_i;
        if (hza_valid_i) begin
            h1_in_q     <= {1'b0, hza_off} < haz_far && !(ret_move && hza_off == {CID_W{1'b0}});
            h1_idx_q    <= hza_cid_i[IDX_W-1:0];
            h1_hazard_q <= hza_found_i && hza_age != {CID_W{1'b0}} && {1'b0, hza_age} <= LAST_OFF;
            h1_ycid_q   <= hza_ycid_i[IDX_W-1:0];
        end
        if (val_valid_i) begin
            v1_in_q    <= (val_again_i ? {1'b0, val_off} < pass_far : {1'b0, val_off} <= LAST_OFF)
                          && !(ret_move && val_off == {CID_W{1'b0}});
            v1_again_q <= val_again_i;
            v1_pass_q  <= val_pass_i;
            v1_cid_q   <= val_cid_i;
        end
        if (wb_valid_i) begin
            w1_in_q  <= {1'b0, wb_off} < com_far && !(ret_move && wb_off == {CID_W{1'b0}});
            w1_idx_q <= wb_cid_i[IDX_W-1:0];
        end
    end

    // Cycle t: do all of a message's entries lie in the window? The first one may retire in this cycle.
    reg              m1_valid_q;
    reg              m1_in_q;
    reg              m1_gone_q;
    reg  [1:0]       m1_kind_q;
    reg  [CID_W-1:0] m1_cid_q;
    reg  [LANES-1:0] m1_lanes_q;
    reg  [LANES-1:0] m1_reads_q;
    reg  [LANES-1:0] m1_writes_q;
    reg  [LANES-1:0] m1_pass_q;
    wire [CID_W-1:0] msg_off  = msg_cid_i - ret_ptr_q;

    always @(posedge clk_i) begin
        m1_valid_q <= msg_valid_i && !rst_i;
        if (msg_valid_i) begin : message
            reg [CID_W+5:0] msg_last;

            msg_last = {6'd0, msg_off} + {{CID_W{1'b0}}, last_lane(msg_lanes_i)};

            m1_in_q     <= msg_last <= {5'd0, LAST_OFF};
            m1_gone_q   <= ret_move && msg_off == {CID_W{1'b0}};
            m1_kind_q   <= msg_kind_i;
            m1_cid_q    <= msg_cid_i;
            m1_lanes_q  <= msg_lanes_i;
            m1_reads_q  <= msg_reads_i;
            m1_writes_q <= msg_writes_i;
            m1_pass_q   <= msg_pass_i;
        end
    end

    // Flags: what changes, and what has changed.
    wire [M_SET_W-1:0]           m_set;
    wire [H_SET_W-1:0]           h_set;
    wire [V_SET_W-1:0]           v_set;
    wire [R_SET_W-1:0]           r_set;
    wire [W_SET_W-1:0]           w_set;
    wire [2*M_SET_W+WRITTEN-1:0] m_past;
    wire [2*H_SET_W+WRITTEN-1:0] h_past;
    wire [2*V_SET_W+WRITTEN-1:0] v_past;
    wire [2*R_SET_W+WRITTEN-1:0] r_past;
    wire [2*W_SET_W+WRITTEN-1:0] w_past;
    reg  [1:0]                   clear_q;  // the row that the retire pointer has left, by bank
    reg  [BROW_W-1:0]            clear_row_q;

    always @(posedge clk_i) begin
        clear_q     <= rst_i ? 2'b00 : {ret_step && ret_row[0], ret_step && !ret_row[0]};
        clear_row_q <= in_bank(ret_row);
    end

    cw_commit_rows #(
        .WIDTH (M_WIDTH),
        .BROW_W(BROW_W)
    ) u_m_rows (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .load_i     (m1_valid_q),
        .set_i      (m_set),
        .clear_i    (clear_q),
        .clear_row_i(clear_row_q),
        .past_o     (m_past)
    );

    cw_commit_rows #(
        .WIDTH (H_WIDTH),
        .BROW_W(BROW_W)
    ) u_h_rows (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .load_i     (h1_valid_q),
        .set_i      (h_set),
        .clear_i    (clear_q),
        .clear_row_i(clear_row_q),
        .past_o     (h_past)
    );

    cw_commit_rows #(
        .WIDTH (V_WIDTH),
        .BROW_W(BROW_W)
    ) u_v_rows (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .load_i     (v1_valid_q),
        .set_i      (v_set),
        .clear_i    (clear_q),
        .clear_row_i(clear_row_q),
        .past_o     (v_past)
    );

    cw_commit_rows #(
        .WIDTH (R_WIDTH),
        .BROW_W(BROW_W)
    ) u_r_rows (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .load_i     (rep_add),
        .set_i      (r_set),
        .clear_i    (clear_q),
        .clear_row_i(clear_row_q),
        .past_o     (r_past)
    );

    cw_commit_rows #(
        .WIDTH (W_WIDTH),
        .BROW_W(BROW_W)
    ) u_w_rows (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .load_i     (w1_valid_q),
        .set_i      (w_set),
        .clear_i    (clear_q),
        .clear_row_i(clear_row_q),
        .past_o     (w_past)
    );

    // Messages. Bit i of lane sets, from the lane of msg_cid on, lies in the row of msg_cid, and in the row after it behind the last lane.
    wire [ROW_W-1:0]     msg_row   = row_of(msg_cid_i);
    wire [ROW_W-1:0]     msg_row_2 = msg_row + 1'b1;
    wire [ROW_W-1:0]     m1_row    = row_of(m1_cid_q);
    wire [ROW_W-1:0]     m1_row_2  = m1_row + 1'b1;
    wire [LOW_W-1:0]     m1_low    = lane_of(m1_cid_q);
    wire                 m1_judge  = m1_valid_q && m1_in_q;
    wire                 outcome   = m1_kind_q == OUTCOME;
    wire [2*LANES-1:0]   by_lanes  = {{LANES{1'b0}}, m1_lanes_q & ~(m1_gone_q ? LANE_0 : {LANES{1'b0}})} << m1_low;
    wire [2*LANES-1:0]   by_reads  = {{LANES{1'b0}}, m1_reads_q} << m1_low;
    wire [2*LANES-1:0]   by_writes = {{LANES{1'b0}}, m1_writes_q} << m1_low;
    wire [2*LANES-1:0]   by_pass   = {{LANES{1'b0}}, m1_pass_q} << m1_low;
    wire [2*M_WIDTH-1:0] m_rows;
    wire [2*R_WIDTH-1:0] r_rows;
    wire [1:0]           m_illegal;
    wire [2*LANES-1:0]   m_first;  // the entries that have their first message, by bank

    cw_commit_view #(
        .LANES (LANES),
        .PLANES(M_PLANES),
        .FIRST (0),
        .COUNT (M_PLANES),
        .BROW_W(BROW_W)
    ) u_m_judge (
        .clk_i (clk_i),
        .read_i(msg_valid_i),
        .row_i ({in_bank(msg_row), in_bank(msg_row[0] ? msg_row_2 : msg_row)}),
        .past_i(m_past),
        .data_o(m_rows)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch)
        , .f_flags_i({f_decided_q, f_commit, f_writes_q, f_skip_q, f_reads_q, f_used})
        , .f_rows_i ({in_bank(m1_row), in_bank(m1_row[0] ? m1_row_2 : m1_row)})
        , .f_valid_i(m1_valid_q)
`endif
    );

    cw_commit_view #(
        .LANES (LANES),
        .PLANES(R_PLANES),
        .FIRST (0),
        .COUNT (R_PLANES),
        .BROW_W(BROW_W)
    ) u_m_reported (
        .clk_i (clk_i),
        .read_i(msg_valid_i),
        .row_i ({in_bank(msg_row), in_bank(msg_row[0] ? msg_row_2 : msg_row)}),
        .past_i(r_past),
        .data_o(r_rows)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch)
        , .f_flags_i({f_rpass_q, f_reported_q})
        , .f_rows_i ({in_bank(m1_row), in_bank(m1_row[0] ? m1_row_2 : m1_row)})
        , .f_valid_i(m1_valid_q)
`endif
    );

    genvar b;
    generate
        for (b = 0; b < 2; b = b + 1) begin : g_bank
            localparam ODD = b;
            wire             second    = m1_row[0] != ODD[0];  // the bank has the row after that of msg_cid
            reg  [LANES-1:0]   about;
            reg  [LANES-1:0]   in_reads;
            reg  [LANES-1:0]   in_writes;
            reg  [LANES-1:0]   in_pass;
            reg  [LANES-1:0]   fill;
            reg  [LANES-1:0]   done;
            reg  [LANES-1:0]   skipped;
            reg  [LANES-1:0]   may;
            reg  [LANES-1:0]   decide;
            reg  [M_WIDTH-1:0] flags;

            wire [LANES-1:0] used     = m_rows[b*M_WIDTH + M_USED*LANES +: LANES];
            wire [LANES-1:0] reads    = m_rows[b*M_WIDTH + M_READS*LANES +: LANES];
            wire [LANES-1:0] skip     = m_rows[b*M_WIDTH + M_SKIP*LANES +: LANES];
            wire [LANES-1:0] writes   = m_rows[b*M_WIDTH + M_WRITES*LANES +: LANES];
            wire [LANES-1:0] commit   = m_rows[b*M_WIDTH + M_COMMIT*LANES +: LANES];
            wire [LANES-1:0] decided  = m_rows[b*M_WIDTH + M_DECIDED*LANES +: LANES];
            wire [LANES-1:0] reported = r_rows[b*R_WIDTH + R_REPORTED*LANES +: LANES];
            wire [LANES-1:0] passed   = r_rows[b*R_WIDTH + R_PASS*LANES +: LANES];

            always @* begin
                about     = {LANES{1'b0}};
                in_reads  = {LANES{1'b0}};
                in_writes = {LANES{1'b0}};
                in_pass   = {LANES{1'b0}};
                fill      = {LANES{1'b0}};
                done      = {LANES{1'b0}};
                skipped   = {LANES{1'b0}};
                may       = {LANES{1'b0}};
                decide    = {LANES{1'b0}};
                flags     = {M_WIDTH{1'b0}};
                if (m1_judge) begin
                    about     = second ? by_lanes[LANES +: LANES] : by_lanes[0 +: LANES];
                    in_reads  = second ? by_reads[LANES +: LANES] : by_reads[0 +: LANES];
                    in_writes = second ? by_writes[LANES +: LANES] : by_writes[0 +: LANES];
                    in_pass   = second ? by_pass[LANES +: LANES] : by_pass[0 +: LANES];
                    may       = FAIL_WAITS != 0 ? passed | ~in_pass : passed;
                    if (outcome)
                        decide = about & reported & ~decided & may;
                    else
                        fill = about & ~(reads | skip | writes);
                    if (m1_kind_q == DONE)
                        done = fill;
                    skipped = m1_kind_q == SKIP ? fill : done & ~in_reads & ~in_writes;
                    flags   = {decided | decide, commit | (decide & in_pass), writes | (done & in_writes),
                               skip | skipped, reads | (done & in_reads), used | fill};
                end
            end

            assign m_set[b*M_WIDTH +: M_WIDTH]           = flags;
            assign m_set[2*M_WIDTH + b*BROW_W +: BROW_W] = in_bank(second ? m1_row_2 : m1_row);
            assign m_set[M_SET_W-2+b]                    = |(fill | decide);
            assign m_illegal[b]                          = |(about & ~fill & ~decide);
            assign m_first[b*LANES +: LANES]             = fill & ~used;
        end
    endgenerate

    // Answers about one entry: each changes its bit of the row that has been read. rv: the row of reports of val's entry.
    wire [2*H_WIDTH-1:0] h_rows;
    wire [2*V_WIDTH-1:0] v_rows;
    wire [2*R_WIDTH-1:0] rv_rows;
    wire [2*W_WIDTH-1:0] w_rows;
    wire [ROW_W-1:0]     h1_row = h1_idx_q[IDX_W-1 -: ROW_W];
    wire [ROW_W-1:0]     v1_row = row_of(v1_cid_q);
    wire [ROW_W-1:0]     w1_row = w1_idx_q[IDX_W-1 -: ROW_W];
    wire [LANES-1:0]     h1_oh  = LANE_0 << (h1_idx_q[LOW_W-1:0] & LOW_MASK);
    wire [LANES-1:0]     v1_oh  = LANE_0 << lane_of(v1_cid_q);
    wire [LANES-1:0]     w1_oh  = LANE_0 << (w1_idx_q[LOW_W-1:0] & LOW_MASK);

    cw_commit_view #(
        .LANES (LANES),
        .PLANES(H_PLANES),
        .FIRST (0),
        .COUNT (H_PLANES),
        .BROW_W(BROW_W)
    ) u_h_judge (
        .clk_i (clk_i),
        .read_i(hza_valid_i),
        .row_i ({2{in_bank(row_of(hza_cid_i))}}),
        .past_i(h_past),
        .data_o(h_rows)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch)
        , .f_flags_i({f_hazard, f_detected_q})
        , .f_rows_i ({2{in_bank(h1_row)}})
        , .f_valid_i(h1_valid_q)
`endif
    );

    cw_commit_view #(
        .LANES (LANES),
        .PLANES(V_PLANES),
        .FIRST (0),
        .COUNT (V_PLANES),
        .BROW_W(BROW_W)
    ) u_v_judge (
        .clk_i (clk_i),
        .read_i(val_valid_i),
        .row_i ({2{in_bank(row_of(val_cid_i))}}),
        .past_i(v_past),
        .data_o(v_rows)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch)
        , .f_flags_i({f_pass, f_answered_q, f_renewed_q})
        , .f_rows_i ({2{in_bank(v1_row)}})
        , .f_valid_i(v1_valid_q)
`endif
    );

    cw_commit_view #(
        .LANES (LANES),
        .PLANES(R_PLANES),
        .FIRST (0),
        .COUNT (R_PLANES),
        .BROW_W(BROW_W)
    ) u_v_reported (
        .clk_i (clk_i),
        .read_i(val_valid_i),
        .row_i ({2{in_bank(row_of(val_cid_i))}}),
        .past_i(r_past),
        .data_o(rv_rows)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch)
        , .f_flags_i({f_rpass_q, f_reported_q})
        , .f_rows_i ({2{in_bank(v1_row)}})
        , .f_valid_i(v1_valid_q)
`endif
    );

    cw_commit_view #(
        .LANES (LANES),
        .PLANES(1),
        .FIRST (0),
        .COUNT (1),
        .BROW_W(BROW_W)
    ) u_w_judge (
        .clk_i (clk_i),
        .read_i(wb_valid_i),
        .row_i ({2{in_bank(row_of(wb_cid_i))}}),
        .past_i(w_past),
        .data_o(w_rows)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch)
        , .f_flags_i(f_written_q)
        , .f_rows_i ({2{in_bank(w1_row)}})
        , .f_valid_i(w1_valid_q)
`endif
    );

    reg [H_WIDTH-1:0] h_now;
    reg               h_ok;

    always @* begin
        h_now = {H_WIDTH{1'b0}};
        h_ok  = 1'b0;
        if (h1_valid_q) begin
            h_now = h1_row[0] ? h_rows[H_WIDTH +: H_WIDTH] : h_rows[0 +: H_WIDTH];
            h_ok  = h1_in_q && !(|(h_now[H_DETECTED*LANES +: LANES] & h1_oh));
            h_now = h_now | {h1_hazard_q ? h1_oh : {LANES{1'b0}}, h1_oh};
        end
    end

    assign h_set = {h_ok && h1_row[0], h_ok && !h1_row[0], {2{in_bank(h1_row)}}, {2{h_now}}};

    reg [V_WIDTH-1:0] v_now;
    reg [R_WIDTH-1:0] rv_now;
    reg               v_had;
    reg               v_renew;
    reg               v_ok;

    always @* begin
        v_now   = {V_WIDTH{1'b0}};
        rv_now  = {R_WIDTH{1'b0}};
        v_had   = 1'b0;
        v_renew = 1'b0;
        v_ok    = 1'b0;
        if (v1_valid_q) begin
            v_now   = v1_row[0] ? v_rows[V_WIDTH +: V_WIDTH] : v_rows[0 +: V_WIDTH];
            rv_now  = v1_row[0] ? rv_rows[R_WIDTH +: R_WIDTH] : rv_rows[0 +: R_WIDTH];
            v_had   = |(v_now[V_ANSWERED*LANES +: LANES] & v1_oh);
            v_renew = |((v_now[V_RENEWED*LANES +: LANES] | rv_now[R_REPORTED*LANES +: LANES]) & v1_oh);
            v_ok    = v1_in_q && !(v1_again_q ? v_renew : v_had);
            v_now   = v_now | {v1_pass_q && !v1_again_q ? v1_oh : {LANES{1'b0}}, v1_again_q ? {LANES{1'b0}} : v1_oh,
                               v1_again_q ? v1_oh : {LANES{1'b0}}};
        end
    end

    wire v_report = v_ok && v1_again_q;

    assign v_set = {v_ok && v1_row[0], v_ok && !v1_row[0], {2{in_bank(v1_row)}}, {2{v_now}}};

    reg [W_WIDTH-1:0] w_now;
    reg               w_ok;

    always @* begin
        w_now = {W_WIDTH{1'b0}};
        w_ok  = 1'b0;
        if (w1_valid_q) begin
            w_now = w1_row[0] ? w_rows[W_WIDTH +: W_WIDTH] : w_rows[0 +: W_WIDTH];
            w_ok  = w1_in_q && !(|(w_now & w1_oh));
            w_now = w_now | w1_oh;
        end
    end

    assign w_set = {w_ok && w1_row[0], w_ok && !w1_row[0], {2{in_bank(w1_row)}}, {2{w_now}}};

    // Hazard pointer: it puts its entry with RCID into haz.
    wire [2:0]         haz_flags;  // writes, skip, reads
    reg                haz_valid_q;
    reg  [CID_W-1:0]   haz_cid_q;
    reg  [CID_W-1:0]   haz_rcid_q;
    wire [LOW_W-1:0]   haz_lane = lane_of(haz_ptr_q);
    wire               haz_in   = {{(CID_W+1-IDX_W){1'b0}}, haz_dist_q} <= LAST_OFF;
    wire               haz_skip = haz_in && haz_flags[1];
    wire               haz_work = haz_in && (haz_flags[0] || haz_flags[2]);
    wire               haz_send = haz_work && (!haz_valid_q || haz_ready_i);

    assign haz_move = haz_skip || haz_send;

    cw_commit_cursor #(
        .LANES (LANES),
        .PLANES(M_PLANES),
        .FIRST (M_READS),
        .COUNT (3),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W)
    ) u_haz_m (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .row_i    (haz_row),
        .ahead_i  (haz_ahead),
        .step_i   (haz_step),
        .lane_oh_i(haz_oh),
        .set_i    (m_set),
        .past_i   (m_past),
        .data_o   (haz_flags)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch)
        , .f_flags_i({f_writes_q, f_skip_q, f_reads_q})
`endif
    );

    // RCID: who has had a first message is written two cycles after the message; the two writes that the RAM cannot have yet are kept.
    reg  [LANES-1:0]       rcid1_first_q;
    reg  [LANES-1:0]       rcid2_first_q;
    reg  [ROW_W-1:0]       rcid1_row_q;
    reg  [ROW_W-1:0]       rcid2_row_q;
    reg  [LOW_W-1:0]       rcid1_low_q;
    reg  [LOW_W-1:0]       rcid2_low_q;
    reg  [IDX_W-1:0]       rcid1_q;
    reg  [IDX_W-1:0]       rcid2_q;
    wire [LANES*IDX_W-1:0] rcids;  // of the hazard pointer's row, its lane only
    wire [ROW_W-1:0]       rcid_row_d = haz_step ? haz_row + 1'b1 : haz_row;
    wire [LOW_W-1:0]       rcid_low_d = haz_move ? (haz_lane + 1'b1) & LOW_MASK : haz_lane;  // only its lane is read

    always @(posedge clk_i) begin
        rcid1_first_q <= rst_i ? {LANES{1'b0}} : m_first[0 +: LANES] | m_first[LANES +: LANES];
        rcid2_first_q <= rst_i ? {LANES{1'b0}} : rcid1_first_q;
        rcid1_row_q   <= m1_row;
        rcid2_row_q   <= rcid1_row_q;
        rcid1_low_q   <= m1_low;
        rcid2_low_q   <= rcid1_low_q;
        rcid1_q       <= ret_ptr_q[IDX_W-1:0];
        rcid2_q       <= rcid1_q;
    end

    generate
        for (b = 0; b < LANES; b = b + 1) begin : g_rcid
            localparam NUMBER = b;
            cw_ram_1r1w #(
                .ADDR_W(ROW_W),
                .DATA_W(IDX_W)
            ) u_ram (
                .clk_i    (clk_i),
                .rd_en_i  (rcid_low_d == NUMBER[LOW_W-1:0]),
                .rd_addr_i(rcid_row_d),
                .rd_data_o(rcids[b*IDX_W +: IDX_W]),
                .wr_en_i  (rcid1_first_q[b]),
                .wr_addr_i({1'b0, NUMBER[LOW_W-1:0]} < {1'b0, rcid1_low_q} ? rcid1_row_q + 1'b1 : rcid1_row_q),
                .wr_data_i(rcid1_q)
`ifdef CW_PROPERTIES
                , .f_addr_i(f_row)
                , .f_data_o(f_rcids[b*IDX_W +: IDX_W])
`endif
            );
        end
    endgenerate

    wire [ROW_W-1:0] rcid1_of = haz_lane < rcid1_low_q ? rcid1_row_q + 1'b1 : rcid1_row_q;
    wire [ROW_W-1:0] rcid2_of = haz_lane < rcid2_low_q ? rcid2_row_q + 1'b1 : rcid2_row_q;
    reg  [IDX_W-1:0] rcid_low;

    always @* begin
        rcid_low = {IDX_W{1'b0}};
        if (haz_work)
            rcid_low = rcid1_first_q[haz_lane] && rcid1_of == haz_row ? rcid1_q
                     : rcid2_first_q[haz_lane] && rcid2_of == haz_row ? rcid2_q : rcids[haz_lane*IDX_W +: IDX_W];
    end

    wire [CID_W-1:0] rcid;  // less than a ring before the entry

    generate
        if (CID_W > IDX_W) begin : g_high
            wire [CID_W-IDX_W-1:0] high = haz_ptr_q[CID_W-1:IDX_W];
            assign rcid = {rcid_low > haz_ptr_q[IDX_W-1:0] ? high - 1'b1 : high, rcid_low};
        end else begin : g_no_high
            assign rcid = rcid_low;
        end
    endgenerate

    always @(posedge clk_i)
        if (rst_i || (haz_ready_i && !haz_send)) begin
            haz_valid_q <= 1'b0;
            haz_cid_q   <= {CID_W{1'b0}};
            haz_rcid_q  <= {CID_W{1'b0}};
        end else if (haz_send) begin
            haz_valid_q <= 1'b1;
            haz_cid_q   <= haz_ptr_q;
            haz_rcid_q  <= rcid;
        end

    assign haz_valid_o = haz_valid_q;
    assign haz_cid_o   = haz_cid_q;
    assign haz_rcid_o  = haz_rcid_q;

    // Pass pointer. It reports its entry, or puts it into rev when its YCID has retired: when YCID is farther behind than the retire pointer.
    wire [1:0]         pass_m;  // skip, reads
    wire [1:0]         pass_h;  // hazard, detected
    wire [1:0]         pass_v;  // pass, answered
    wire [R_WIDTH-1:0] pass_r;  // the row
    reg                rev_valid_q;
    reg  [CID_W-1:0]   rev_cid_q;
    reg  [1:0]         rep_cnt_q;
    reg  [IDX_W-1:0]   ycid_q;  // of the pass pointer's entry
    wire               pass_work   = pass_dist_q != haz_dist_q;
    wire               pass_skip   = pass_work && pass_m[1];
    wire               pass_ok     = !pass_m[0] || pass_v[1];
    wire               pass_hazard = pass_ok && pass_h[1];
    wire               pass_ready  = pass_work && !pass_m[1] && (!pass_m[0] || pass_v[0]) && pass_h[0];
    wire [IDX_W-1:0]   ycid_age    = pass_ptr_q[IDX_W-1:0] - ycid_q;
    wire               ycid_gone   = ycid_age > pass_dist_q;
    wire               pass_again  = pass_ready && pass_hazard && ycid_gone && (!rev_valid_q || rev_ready_i);
    wire               pass_report = pass_ready && !pass_hazard && !rep_cnt_q[1] && !(v1_valid_q && v1_again_q);

    assign pass_move = pass_skip || pass_again || pass_report;

    cw_commit_cursor #(
        .LANES (LANES),
        .PLANES(M_PLANES),
        .FIRST (M_READS),
        .COUNT (2),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W)
    ) u_pass_m (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .row_i    (pass_row),
        .ahead_i  (pass_ahead),
        .step_i   (pass_step),
        .lane_oh_i(pass_oh),
        .set_i    (m_set),
        .past_i   (m_past),
        .data_o   (pass_m)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch)
        , .f_flags_i({f_skip_q, f_reads_q})
`endif
    );

    cw_commit_cursor #(
        .LANES (LANES),
        .PLANES(H_PLANES),
        .FIRST (0),
        .COUNT (2),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W)
    ) u_pass_h (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .row_i    (pass_row),
        .ahead_i  (pass_ahead),
        .step_i   (pass_step),
        .lane_oh_i(pass_oh),
        .set_i    (h_set),
        .past_i   (h_past),
        .data_o   (pass_h)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch)
        , .f_flags_i({f_hazard, f_detected_q})
`endif
    );

    cw_commit_cursor #(
        .LANES (LANES),
        .PLANES(V_PLANES),
        .FIRST (V_ANSWERED),
        .COUNT (2),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W)
    ) u_pass_v (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .row_i    (pass_row),
        .ahead_i  (pass_ahead),
        .step_i   (pass_step),
        .lane_oh_i(pass_oh),
        .set_i    (v_set),
        .past_i   (v_past),
        .data_o   (pass_v)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch)
        , .f_flags_i({f_pass, f_answered_q})
`endif
    );

    cw_commit_cursor #(
        .LANES (LANES),
        .PLANES(R_PLANES),
        .FIRST (0),
        .COUNT (2),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W),
        .WHOLE (1)
    ) u_pass_r (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .row_i    (pass_row),
        .ahead_i  (pass_ahead),
        .step_i   (pass_step),
        .lane_oh_i(pass_oh),
        .set_i    (r_set),
        .past_i   (r_past),
        .data_o   (pass_r)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch)
        , .f_flags_i({f_rpass_q, f_reported_q})
`endif
    );

    // YCID: read ahead by one entry, as cw_commit_cursor reads rows.
    reg              ycid1_en_q;
    reg              ycid2_en_q;
    reg  [IDX_W-1:0] ycid1_idx_q;
    reg  [IDX_W-1:0] ycid2_idx_q;
    reg  [IDX_W-1:0] ycid1_q;
    reg  [IDX_W-1:0] ycid2_q;
    wire [IDX_W-1:0] ycid_ram;
    wire [IDX_W-1:0] pass_idx   = pass_ptr_q[IDX_W-1:0];
    wire [IDX_W-1:0] pass_idx_1 = pass_idx + 1'b1;
    wire [IDX_W-1:0] pass_idx_2 = pass_idx_1 + 1'b1;
    wire [IDX_W-1:0] ycid_next  = ycid1_en_q && ycid1_idx_q == pass_idx_1 ? ycid1_q
                                : ycid2_en_q && ycid2_idx_q == pass_idx_1 ? ycid2_q : ycid_ram;

    cw_ram_1r1w #(
        .ADDR_W(IDX_W),
        .DATA_W(IDX_W)
    ) u_ycid (
        .clk_i    (clk_i),
        .rd_en_i  (1'b1),
        .rd_addr_i(pass_move ? pass_idx_2 : pass_idx_1),
        .rd_data_o(ycid_ram),
        .wr_en_i  (ycid1_en_q),
        .wr_addr_i(ycid1_idx_q),
        .wr_data_i(ycid1_q)
`ifdef CW_PROPERTIES
        , .f_addr_i(f_idx)
        , .f_data_o(f_ycid_ram)
`endif
    );

    always @(posedge clk_i) begin
        ycid1_en_q  <= h_ok && !rst_i;
        ycid2_en_q  <= ycid1_en_q && !rst_i;
        ycid1_idx_q <= h1_idx_q;
        ycid2_idx_q <= ycid1_idx_q;
        ycid1_q     <= h1_ycid_q;
        ycid2_q     <= ycid1_q;
        if (h_ok && h1_idx_q == (pass_move ? pass_idx_1 : pass_idx))
            ycid_q <= h1_ycid_q;
        else if (pass_move)
            ycid_q <= ycid_next;
    end

    always @(posedge clk_i)
        if (rst_i || (rev_ready_i && !pass_again)) begin
            rev_valid_q <= 1'b0;
            rev_cid_q   <= {CID_W{1'b0}};
        end else if (pass_again) begin
            rev_valid_q <= 1'b1;
            rev_cid_q   <= pass_ptr_q;
        end

    assign rev_valid_o = rev_valid_q;
    assign rev_cid_o   = rev_cid_q;

    // Reports: their flags, and the queue to the core. The answer to a revalidation goes first, and the pass pointer stands by.
    wire [ROW_W-1:0]   rep_row = v1_again_q && v1_valid_q ? v1_row : pass_row;
    reg  [R_WIDTH-1:0] rep_now;
    assign             rep_add = v_report || pass_report;
    wire               rep_pop = rep_valid_o && rep_ready_i;
    wire [CID_W:0]     rep_new = v1_again_q && v1_valid_q ? {v1_pass_q, v1_cid_q} : {pass_ok, pass_ptr_q};
    reg  [CID_W:0]     rep_0_q;
    reg  [CID_W:0]     rep_1_q;
    reg  [CID_W:0]     rep_2_q;

    always @* begin
        rep_now = {R_WIDTH{1'b0}};
        if (v1_again_q && v1_valid_q)
            rep_now = rv_now | {v1_pass_q ? v1_oh : {LANES{1'b0}}, v1_oh};
        else if (pass_report)
            rep_now = pass_r | {pass_ok ? pass_oh : {LANES{1'b0}}, pass_oh};
    end

    assign r_set = {rep_add && rep_row[0], rep_add && !rep_row[0], {2{in_bank(rep_row)}}, {2{rep_now}}};

    always @(posedge clk_i)
        if (rst_i) begin
            rep_cnt_q <= 2'd0;
            rep_0_q   <= {(CID_W+1){1'b0}};
            rep_1_q   <= {(CID_W+1){1'b0}};
            rep_2_q   <= {(CID_W+1){1'b0}};
        end else begin
            rep_cnt_q <= rep_cnt_q + {1'b0, rep_add} - {1'b0, rep_pop};
            if (rep_pop) begin
                rep_0_q <= rep_1_q;
                rep_1_q <= rep_2_q;
                rep_2_q <= {(CID_W+1){1'b0}};
            end
            if (rep_add && rep_cnt_q == {1'b0, rep_pop})
                rep_0_q <= rep_new;
            if (rep_add && rep_cnt_q == 2'd1 + {1'b0, rep_pop})
                rep_1_q <= rep_new;
            if (rep_add && rep_cnt_q == 2'd2 + {1'b0, rep_pop})
                rep_2_q <= rep_new;
        end

    assign val_ready_o = !rep_cnt_q[1];
    assign rep_valid_o = |rep_cnt_q;
    assign rep_cid_o   = rep_0_q[CID_W-1:0];
    assign rep_pass_o  = rep_0_q[CID_W];

    // Commit pointer.
    wire [3:0]         com_m;  // decided, commit, writes, skip
    wire [1:0]         com_r;  // pass, reported
    reg                com_valid_q;
    reg  [CID_W-1:0]   com_cid_q;
    wire               com_work    = com_dist_q != pass_dist_q;
    wire               com_decided = com_m[3] || (FAIL_WAITS == 0 && com_r[0] && !com_r[1]);
    wire               com_writes  = com_m[2] && com_m[1];
    wire               com_send    = com_work && !com_m[0] && com_decided && com_writes && (!com_valid_q || com_ready_i);

    assign com_move = com_work && (com_m[0] || (com_decided && !com_writes) || com_send);

    cw_commit_cursor #(
        .LANES (LANES),
        .PLANES(M_PLANES),
        .FIRST (M_SKIP),
        .COUNT (4),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W)
    ) u_com_m (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .row_i    (com_row),
        .ahead_i  (com_ahead),
        .step_i   (com_step),
        .lane_oh_i(com_oh),
        .set_i    (m_set),
        .past_i   (m_past),
        .data_o   (com_m)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch)
        , .f_flags_i({f_decided_q, f_commit, f_writes_q, f_skip_q})
`endif
    );

    cw_commit_cursor #(
        .LANES (LANES),
        .PLANES(R_PLANES),
        .FIRST (0),
        .COUNT (2),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W)
    ) u_com_r (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .row_i    (com_row),
        .ahead_i  (com_ahead),
        .step_i   (com_step),
        .lane_oh_i(com_oh),
        .set_i    (r_set),
        .past_i   (r_past),
        .data_o   (com_r)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch)
        , .f_flags_i({f_rpass_q, f_reported_q})
`endif
    );

    always @(posedge clk_i)
        if (rst_i || (com_ready_i && !com_send)) begin
            com_valid_q <= 1'b0;
            com_cid_q   <= {CID_W{1'b0}};
        end else if (com_send) begin
            com_valid_q <= 1'b1;
            com_cid_q   <= com_ptr_q;
        end

    assign com_valid_o = com_valid_q;
    assign com_cid_o   = com_cid_q;

    // Retire pointer.
    wire [2:0]         ret_m;  // commit, writes, skip
    wire               ret_w;  // written
    reg                ret_valid_q;
    reg  [CID_W-1:0]   ret_cid_q;
    reg                ret_commit_q;
    wire               ret_work   = com_dist_q != {IDX_W{1'b0}};
    wire               ret_skip   = ret_work && ret_m[0];
    wire               ret_send   = ret_work && !ret_m[0] && (!(ret_m[2] && ret_m[1]) || ret_w) && (!ret_valid_q || ret_ready_i);

    assign ret_move = ret_skip || ret_send;

    cw_commit_cursor #(
        .LANES (LANES),
        .PLANES(M_PLANES),
        .FIRST (M_SKIP),
        .COUNT (3),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W)
    ) u_ret_m (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .row_i    (ret_row),
        .ahead_i  (ret_ahead),
        .step_i   (ret_step),
        .lane_oh_i(ret_oh),
        .set_i    (m_set),
        .past_i   (m_past),
        .data_o   (ret_m)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch)
        , .f_flags_i({f_commit, f_writes_q, f_skip_q})
`endif
    );

    cw_commit_cursor #(
        .LANES (LANES),
        .PLANES(1),
        .FIRST (0),
        .COUNT (1),
        .ROW_W (ROW_W),
        .BROW_W(BROW_W)
    ) u_ret_w (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .row_i    (ret_row),
        .ahead_i  (ret_ahead),
        .step_i   (ret_step),
        .lane_oh_i(ret_oh),
        .set_i    (w_set),
        .past_i   (w_past),
        .data_o   (ret_w)
`ifdef CW_PROPERTIES
        , .f_watch_i(f_watch)
        , .f_flags_i(f_written_q)
`endif
    );

    always @(posedge clk_i)
        if (rst_i || (ret_ready_i && !ret_send)) begin
            ret_valid_q  <= 1'b0;
            ret_cid_q    <= {CID_W{1'b0}};
            ret_commit_q <= 1'b0;
        end else if (ret_send) begin
            ret_valid_q  <= 1'b1;
            ret_cid_q    <= ret_ptr_q;
            ret_commit_q <= ret_m[2];
        end

    assign ret_valid_o  = ret_valid_q;
    assign ret_cid_o    = ret_cid_q;
    assign ret_commit_o = ret_commit_q;

    // Pointers, and the distances after this cycle.
    function [IDX_W-1:0] moved (input [IDX_W-1:0] from, input up, input down);
        moved = from + {{(IDX_W - 1){1'b0}}, up} - {{(IDX_W - 1){1'b0}}, down};
    endfunction

    wire [IDX_W-1:0] com_dist_d  = moved(com_dist_q, com_move, ret_move);
    wire [IDX_W-1:0] pass_dist_d = moved(pass_dist_q, pass_move, ret_move);
    wire [IDX_W-1:0] haz_dist_d  = moved(haz_dist_q, haz_move, ret_move);

    always @(posedge clk_i)
        if (rst_i) begin
            ret_ptr_q   <= {CID_W{1'b0}};
            com_ptr_q   <= {CID_W{1'b0}};
            pass_ptr_q  <= {CID_W{1'b0}};
            haz_ptr_q   <= {CID_W{1'b0}};
            com_dist_q  <= {IDX_W{1'b0}};
            pass_dist_q <= {IDX_W{1'b0}};
            haz_dist_q  <= {IDX_W{1'b0}};
        end else begin
            if (ret_move)
                ret_ptr_q <= ret_ptr_q + 1'b1;
            if (com_move)
                com_ptr_q <= com_ptr_q + 1'b1;
            if (pass_move)
                pass_ptr_q <= pass_ptr_q + 1'b1;
            if (haz_move)
                haz_ptr_q <= haz_ptr_q + 1'b1;
            com_dist_q  <= com_dist_d;
            pass_dist_q <= pass_dist_d;
            haz_dist_q  <= haz_dist_d;
        end

    // Status.
    reg  [1:0] stage_q;
    reg        waiting_q;
    reg        active_q;
    reg        illegal_q;
    wire       event_in = msg_valid_i || hza_valid_i || val_take || wb_valid_i;
    wire       judging  = m1_valid_q || h1_valid_q || v1_valid_q || w1_valid_q;
    wire       moving   = haz_move || pass_move || com_move || ret_move;

    always @(posedge clk_i)
        if (rst_i) begin
            stage_q   <= 2'd0;
            waiting_q <= 1'b0;
            active_q  <= 1'b0;
            illegal_q <= 1'b0;
        end else begin
            stage_q   <= haz_dist_d == {IDX_W{1'b0}} ? 2'd0
                       : pass_dist_d == {IDX_W{1'b0}} ? 2'd1
                       : com_dist_d == {IDX_W{1'b0}} ? 2'd2 : 2'd3;
            waiting_q <= pass_ready && pass_hazard && !ycid_gone;
            active_q  <= event_in || judging || moving;
            illegal_q <= |m_illegal || (m1_valid_q && (!m1_in_q || (m1_gone_q && m1_lanes_q[0]))) || (h1_valid_q && !h_ok) || (v1_valid_q && !v_ok) || (w1_valid_q && !w_ok);
        end

    assign oldest_cid_o   = ret_ptr_q;
    assign oldest_stage_o = stage_q;
    assign commit_cid_o   = com_ptr_q;
    assign waiting_o      = waiting_q;
    assign busy_o         = active_q || rep_valid_o || ret_valid_q;
    assign illegal_o      = illegal_q;

`ifdef CW_PROPERTIES
    cw_nonsynth_choice #(
        .W(IDX_W)
    ) u_f_idx (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (event_in),
        .value_i (msg_valid_i ? msg_cid_i[IDX_W-1:0] : hza_valid_i ? hza_cid_i[IDX_W-1:0]
                  : val_take ? val_cid_i[IDX_W-1:0] : wb_cid_i[IDX_W-1:0]),
        .choice_o(f_idx)
    );

    wire [IDX_W-1:0] f_off    = f_idx - ret_ptr_q[IDX_W-1:0];  // its distance from the retire pointer
    wire [CID_W-1:0] f_cid    = ret_ptr_q + f_off;             // of the entry, if it is in the window
    wire [IDX_W-1:0] f_bit    = f_idx - m1_cid_q[IDX_W-1:0];   // its bit of the message, if it is below LANES
    wire             f_about  = m1_judge && f_bit < LANES && m1_lanes_q[f_bit[LOW_W-1:0]] && !(m1_gone_q && f_bit == {IDX_W{1'b0}});
    wire             f_in_r   = m1_reads_q[f_bit[LOW_W-1:0]];
    wire             f_in_w   = m1_writes_q[f_bit[LOW_W-1:0]];
    wire             f_in_p   = m1_pass_q[f_bit[LOW_W-1:0]];
    wire             f_fill   = f_about && !outcome && !f_filled;
    wire             f_done   = f_fill && m1_kind_q == DONE;
    wire             f_decide = f_about && outcome && f_reported_q && !f_decided_q && (f_rpass_q || (FAIL_WAITS != 0 && !f_in_p));
    wire             f_v_at   = v1_valid_q && v1_in_q && v1_cid_q[IDX_W-1:0] == f_idx;
    wire             f_answer = f_v_at && !v1_again_q && !f_answered_q;
    wire             f_renew  = f_v_at && v1_again_q && !f_renewed_q && !f_reported_q;
    wire             f_h_at   = h1_valid_q && h1_in_q && h1_idx_q == f_idx;
    wire             f_detect = f_h_at && !f_detected_q;
    wire             f_w_at   = w1_valid_q && w1_in_q && w1_idx_q == f_idx;
    wire             f_haz_at = haz_ptr_q[IDX_W-1:0] == f_idx && haz_dist_q < ENTRIES;
    wire             f_pas_at = pass_idx == f_idx && pass_work;
    wire             f_com_at = com_ptr_q[IDX_W-1:0] == f_idx && com_work;
    wire             f_ret_at = ret_ptr_q[IDX_W-1:0] == f_idx && ret_work;
    wire             f_report = (pass_report && f_pas_at) || (v_report && f_v_at);
    wire             f_clear  = clear_q[f_row[0]] && clear_row_q == in_bank(f_row);
    wire [IDX_W-1:0] f_age    = f_idx - h1_ycid_q;
    wire [CID_W-1:0] f_m_off  = m1_cid_q - ret_ptr_q;
    wire [CID_W-1:0] f_v_off  = v1_cid_q - ret_ptr_q;
    wire [IDX_W-1:0] f_h_off  = h1_idx_q - ret_ptr_q[IDX_W-1:0];
    wire [IDX_W-1:0] f_h_age  = h1_idx_q - h1_ycid_q;
    wire [IDX_W-1:0] f_w_off  = w1_idx_q - ret_ptr_q[IDX_W-1:0];
    wire [IDX_W-1:0] f_ycid_age = f_idx - f_ycid_q;
    wire [CID_W-1:0] f_rcid_age = f_cid - f_rcid_q;
    wire [IDX_W-1:0] f_rcid_low = f_rcid_q[IDX_W-1:0];
    wire [ROW_W-1:0] f_cleared  = ROW_W == 1 ? clear_q[1] : {clear_row_q, clear_q[1]};
    wire [ROW_W-1:0] f_rcid1_of = f_lane < rcid1_low_q ? rcid1_row_q + 1'b1 : rcid1_row_q;
    wire [ROW_W-1:0] f_rcid2_of = f_lane < rcid2_low_q ? rcid2_row_q + 1'b1 : rcid2_row_q;
    wire             f_past   = f_row == ret_row && f_lane < lane_of(ret_ptr_q);  // retired, and its row not yet
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
            f_skip_q     <= f_skip_q || (f_fill && (m1_kind_q == SKIP || (f_done && !f_in_r && !f_in_w)));
            f_reads_q    <= f_reads_q || (f_done && f_in_r);
            f_writes_q   <= f_writes_q || (f_done && f_in_w);
            f_decided_q  <= f_decided_q || f_decide;
            f_commit_q   <= f_commit || (f_decide && f_in_p);
            f_answered_q <= f_answered_q || f_answer;
            f_pass_q     <= f_pass || (f_answer && v1_pass_q);
            f_renewed_q  <= f_renewed_q || f_renew;
            f_detected_q <= f_detected_q || f_h_at;
            f_hazard_q   <= f_hazard || (f_detect && h1_hazard_q);
            f_reported_q <= f_reported_q || f_report;
            f_rpass_q    <= f_rpass_q || (f_report && (pass_report ? pass_ok : v1_pass_q));
            f_written_q  <= f_written_q || f_w_at;
            f_asked_q    <= f_asked_q || (pass_again && f_pas_at);
            f_wrong_q    <= (f_about && !f_fill && !f_decide) || (f_v_at && !f_answer && !f_renew) || (f_h_at && !f_detect)
                            || (f_w_at && f_written_q);
        end
        if (f_fill && !f_used)
            f_rcid_q <= ret_ptr_q;
        if (f_detect)
            f_ycid_q <= h1_ycid_q;
        if (f_detect)
            f_left_q <= f_off < f_age ? {IDX_W{1'b0}} : f_off - f_age + (ret_move ? 1'b0 : 1'b1);
        else if (ret_move && f_left_q != {IDX_W{1'b0}})
            f_left_q <= f_left_q - 1'b1;
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. The pointers keep their order, within the window.
            assert (com_dist_q <= pass_dist_q && pass_dist_q <= haz_dist_q && haz_dist_q <= ENTRIES);
            assert (com_ptr_q == ret_ptr_q + com_dist_q && pass_ptr_q == ret_ptr_q + pass_dist_q && haz_ptr_q == ret_ptr_q + haz_dist_q);
            cover (haz_dist_q == ENTRIES && pass_dist_q < haz_dist_q && com_dist_q < pass_dist_q && com_dist_q != 0);
            // 2. A write-back begins only for an entry that was reported as passed and that the core has decided to commit.
            if (com_send && f_com_at)
                assert (f_reported_q && f_rpass_q && f_decided_q && f_commit && f_writes_q && !f_skip_q);
            cover (com_send && f_com_at);
            // 3. An entry with a hazard is validated again after its YCID has retired, and not reported as passed before that.
            if (pass_again && f_pas_at)
                assert (f_hazard && f_left_q == {IDX_W{1'b0}});
            if (pass_report && f_pas_at)
                assert (!(f_hazard && pass_ok));
            if (v_report && f_v_at)
                assert (f_asked_q || f_skip_q);
            cover (pass_again && f_pas_at);
            // 4. An entry is reported once. A skipped one is not, unless a revalidation is answered that nobody has asked for.
            if (f_report)
                assert (!f_reported_q && (f_pas_at || f_off < pass_dist_q));
            if (pass_report && f_pas_at)
                assert (!f_skip_q);
            cover (v_report && f_v_at && f_asked_q);
            // 5. An entry retires when it has been written back, aborted or skipped, and the retirement tells what the core has decided.
            if (ret_move && f_ret_at)
                assert (f_skip_q || ((f_decided_q || f_failed) && (!(f_commit && f_writes_q) || f_written_q)));
            if (ret_send && f_ret_at)
                assert (!f_skip_q && ret_m[2] == f_commit);
            cover (ret_send && f_ret_at && f_written_q && f_commit);
            // 6. A pointer at an entry sees its flags, whatever has changed them and when.
            if (f_haz_at)
                assert (haz_flags == {f_writes_q, f_skip_q, f_reads_q});
            if (f_pas_at)
                assert (pass_m == {f_skip_q, f_reads_q} && pass_h == {f_hazard, f_detected_q} && pass_v == {f_pass, f_answered_q}
                        && {pass_r[LANES + f_lane], pass_r[f_lane]} == {f_rpass_q, f_reported_q});
            if (f_com_at)
                assert (com_m == {f_decided_q, f_commit, f_writes_q, f_skip_q} && com_r == {f_rpass_q, f_reported_q});
            if (f_ret_at)
                assert (ret_m == {f_commit, f_writes_q, f_skip_q} && ret_w == f_written_q);
            cover (f_pas_at && f_reads_q && f_answered_q && f_detected_q && f_lap_q);
            // 7. An event is judged by the flags of its entry, whatever has changed them and when, and it is shown if it is illegal.
            if (f_about)
                assert ((!(f_fill || f_decide) || m_set[M_SET_W-2+f_row[0]]) && (f_fill || f_decide || m_illegal[f_row[0]]));
            if (f_v_at)
                assert (v_ok == (f_answer || f_renew));
            if (f_h_at)
                assert (h_ok == f_detect);
            if (f_w_at)
                assert (w_ok == !f_written_q);
            if (f_wrong_q)
                assert (illegal_o);
            cover (f_about && outcome && !f_decide && f_decided_q);
            // 8. The hazard unit gets the CID that was the oldest when the entry's first message was judged.
            if (haz_send && f_haz_at)
                assert (rcid == f_rcid_q);
            cover (haz_send && f_haz_at && f_rcid_q != ret_ptr_q && f_rcid_low > f_idx);
            // 9. Nothing is left of an entry when the window reaches its place again.
            if (f_off >= ENTRIES && !f_past && !f_clear)
                assert (!(f_used || f_decided_q || f_answered_q || f_renewed_q || f_detected_q || f_reported_q || f_written_q));
            if (f_off < ENTRIES)
                assert (!f_past && !f_clear);
            cover (f_off >= ENTRIES && f_lap_q);
            // 10. A report always finds a place in the queue.
            assert (!(rep_add && rep_cnt_q == 2'd3 && !rep_pop));
            cover (rep_cnt_q == 2'd3);
            // 13. (for induction) The events that are judged lie in their ranges; of a message, the first entry may have retired just now.
            if (m1_judge)
                assert (m1_gone_q ? f_m_off == {CID_W{1'b1}} && {{CID_W{1'b0}}, last_lane(m1_lanes_q)} <= {5'd0, LAST_OFF}
                                  : {6'd0, f_m_off} + {{CID_W{1'b0}}, last_lane(m1_lanes_q)} <= {5'd0, LAST_OFF});
            if (h1_valid_q && h1_in_q)
                assert (f_h_off < haz_dist_q);
            if (h1_valid_q && h1_hazard_q)
                assert (f_h_age != {IDX_W{1'b0}} && f_h_age < ENTRIES);
            if (v1_valid_q && v1_in_q)
                assert ({1'b0, f_v_off} <= LAST_OFF && (!v1_again_q || f_v_off < pass_far));
            if (w1_valid_q && w1_in_q)
                assert (f_w_off < com_dist_q);
            if (v1_valid_q)
                assert (rep_cnt_q != 2'd3);
            cover (m1_judge && m1_gone_q && m1_lanes_q[0]);
            // 14. (for induction) The flags of an entry follow from the pointers that have passed it, and from each other.
            if (f_off < haz_dist_q)
                assert (f_filled);
            if (f_off < ENTRIES && f_off >= haz_dist_q)
                assert (!f_detected_q);
            if (f_off < pass_dist_q)
                assert (f_skip_q || f_reported_q || f_asked_q);
            if (f_off < ENTRIES && f_off >= pass_dist_q)
                assert (!f_reported_q && !f_renewed_q && !f_asked_q);
            assert (!f_asked_q || (!f_skip_q && f_hazard && f_left_q == {IDX_W{1'b0}}));
            if (f_off < com_dist_q || f_past || f_clear)
                assert (f_filled && (f_skip_q || f_decided_q || f_failed));
            if (f_off < ENTRIES && f_off >= com_dist_q)
                assert (!f_written_q);
            if (f_past || f_clear)
                assert (f_skip_q || !(f_commit && f_writes_q) || f_written_q);
            assert (!f_skip_q || !(f_reads_q || f_writes_q || (f_reported_q && !f_renewed_q)));
            assert (f_reported_q || !(f_rpass_q || f_decided_q || f_renewed_q));
            cover (f_off < com_dist_q && f_written_q);
            // 15. (for induction) A row is cleared right behind the retire pointer.
            if (clear_q != 2'b00)
                assert (f_cleared + 1'b1 == ret_row && clear_q != 2'b11 && lane_of(ret_ptr_q) == 0 && haz_dist_q < ENTRIES);
            if (f_fresh_q)
                assert ({ret_ptr_q, haz_dist_q, clear_q, m1_valid_q, h1_valid_q, v1_valid_q, w1_valid_q, f_used, f_detected_q} == 0);
            cover (clear_q[1] && f_clear);
            // 16. (for induction) RCID and YCID of the entry are in their RAMs, or on the way, and less than a ring before the entry.
            if (f_used)
                assert ((rcid1_first_q[f_lane] && f_rcid1_of == f_row ? rcid1_q : f_rcids[f_lane*IDX_W +: IDX_W]) == f_rcid_low);
            if (f_used && haz_row == f_row && haz_lane == f_lane)
                assert ((rcid1_first_q[f_lane] && f_rcid1_of == f_row ? rcid1_q
                         : rcid2_first_q[f_lane] && f_rcid2_of == f_row ? rcid2_q : rcids[f_lane*IDX_W +: IDX_W]) == f_rcid_low);
            if (f_used && f_off < ENTRIES)
                assert (f_rcid_age < ENTRIES);
            if (f_detected_q)
                assert ((ycid1_en_q && ycid1_idx_q == f_idx ? ycid1_q : f_ycid_ram) == f_ycid_q);
            if (f_detected_q && pass_idx_1 == f_idx)
                assert (ycid_next == f_ycid_q);
            if (f_detected_q && pass_idx == f_idx)
                assert (ycid_q == f_ycid_q);
            if (f_hazard && f_off < haz_dist_q)
                assert (f_left_q == (f_off < f_ycid_age ? {IDX_W{1'b0}} : f_off - f_ycid_age + 1'b1) && f_ycid_age != {IDX_W{1'b0}} && f_ycid_age < ENTRIES);
            cover (f_detected_q && pass_idx_1 == f_idx && ycid2_en_q && ycid2_idx_q == f_idx);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
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
