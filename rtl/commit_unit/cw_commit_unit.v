// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_unit: ring buffer of Kilo TM's commit entries, with the pointers of its logical stages.
//
// Latency     : an event moves a pointer in the next cycle at the earliest; a skipped entry alone takes 5 cycles from message to
//               retirement, a pointer each.
// Throughput  : one message, one hazard answer, one validation answer, one report, one write-back and one retirement per cycle.
// Comb. paths : msg_cid_i -> msg_ready_o, rep_ready_i -> val_ready_o.
// Storage     : 12 flag bits per entry in flip-flops, because messages and answers come in any order; RCID and YCID, each written
//               and read at one place, in two RAMs, as distances: how far they are behind the entry's own CID.
// Illegal use : ignored, and shown by illegal_o; see the contract.
//
// Paper: Fung 2015, section 4.2.5, Figures 4.4b and 4.5. Contract: include/cowarp/unit/commit_unit.h.
// C model: csim/unit/commit_unit.c. Datasheet: docs/units/commit_unit.md.

`default_nettype none

module cw_commit_unit #(
    parameter ENTRIES    = 1024,  // 1 .. 1024
    parameter CID_W      = 16,    // 1 .. 32, ENTRIES <= 2^CID_W
    parameter FAIL_WAITS = 1      // 0 or 1
) (
    input  wire             clk_i,
    input  wire             rst_i,
    // messages of the core
    input  wire             msg_valid_i,
    input  wire [1:0]       msg_kind_i,
    input  wire [CID_W-1:0] msg_cid_i,
    input  wire             msg_reads_i,
    input  wire             msg_writes_i,
    input  wire             msg_pass_i,
    output wire             msg_ready_o,
    // the hazard unit is asked, and answers
    output wire             haz_valid_o,
    output wire [CID_W-1:0] haz_cid_o,
    input  wire             haz_ready_i,
    input  wire             hza_valid_i,
    input  wire             hza_found_i,
    input  wire [CID_W-1:0] hza_cid_i,
    // a validation, speculative or not, is answered
    input  wire             val_valid_i,
    input  wire [CID_W-1:0] val_cid_i,
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
    output wire [3:0]       oldest_state_o,
    output wire [10:0]      credits_o,
    output wire             illegal_o
);

    // Bits of a place in the ring, at least 1.
    function integer place_bits (input integer entries);
        begin
            place_bits = 1;
            while ((1 << place_bits) < entries)
                place_bits = place_bits + 1;
        end
    endfunction

    localparam IDX_W = place_bits(ENTRIES);

    localparam integer     LAST     = ENTRIES - 1;
    localparam [10:0]      SIZE     = ENTRIES[10:0];
    localparam [IDX_W-1:0] LAST_IDX = LAST[IDX_W-1:0];
    /* verilator lint_off WIDTH */  // a parameter has 32 bits
    localparam [32:0]      SIZE_33  = ENTRIES;
    /* verilator lint_on WIDTH */

    localparam [1:0] DONE    = 2'd1;
    localparam [1:0] SKIP    = 2'd2;
    localparam [1:0] OUTCOME = 2'd3;

    function [IDX_W-1:0] next_idx (input [IDX_W-1:0] idx);
        next_idx = idx == LAST_IDX ? {IDX_W{1'b0}} : idx + 1'b1;
    endfunction

    // A pointer is its CID, its place and its distance from the retire pointer in entries, 0 .. ENTRIES. head: behind the youngest
    // entry that has had a message.
    reg  [CID_W-1:0] oldest_cid_q;
    reg  [CID_W-1:0] com_cid_q;
    reg  [CID_W-1:0] pass_cid_q;
    reg  [CID_W-1:0] haz_cid_q;
    reg  [IDX_W-1:0] ret_idx_q;
    reg  [IDX_W-1:0] com_idx_q;
    reg  [IDX_W-1:0] pass_idx_q;
    reg  [IDX_W-1:0] haz_idx_q;
    reg  [10:0]      com_dist_q;
    reg  [10:0]      pass_dist_q;
    reg  [10:0]      haz_dist_q;
    reg  [10:0]      head_dist_q;

    // Flags of the entries, each set in one place below and cleared by the retirement (checked also by the revalidation).
    reg  [ENTRIES-1:0] used_q;      // has had a message
    reg  [ENTRIES-1:0] filled_q;    // DONE or SKIP
    reg  [ENTRIES-1:0] skip_q;
    reg  [ENTRIES-1:0] writes_q;
    reg  [ENTRIES-1:0] checked_q;   // validated, with the result in pass_q
    reg  [ENTRIES-1:0] pass_q;
    reg  [ENTRIES-1:0] hazard_q;
    reg  [ENTRIES-1:0] reval_q;     // revalidation has been asked for
    reg  [ENTRIES-1:0] reported_q;
    reg  [ENTRIES-1:0] decided_q;   // outcome known, and in commit_q
    reg  [ENTRIES-1:0] commit_q;
    reg  [ENTRIES-1:0] sent_q;      // write-back begun
    reg  [ENTRIES-1:0] written_q;   // and ended
    reg                haz_wait_q;  // the hazard unit has been asked
    reg                illegal_q;

    // CIDs of the events as distances from the retire pointer, and their places.
    wire [CID_W-1:0] msg_off = msg_cid_i - oldest_cid_q;
    wire [CID_W-1:0] val_off = val_cid_i - oldest_cid_q;
    wire [CID_W-1:0] wb_off  = wb_cid_i - oldest_cid_q;
    wire [32:0]      msg_ext = {{(33-CID_W){1'b0}}, msg_off};
    wire [32:0]      val_ext = {{(33-CID_W){1'b0}}, val_off};
    wire [32:0]      wb_ext  = {{(33-CID_W){1'b0}}, wb_off};
    wire             msg_in  = msg_ext < SIZE_33;
    wire             val_in  = val_ext < SIZE_33;
    wire             wb_in   = wb_ext < SIZE_33;
    wire [IDX_W-1:0] msg_idx;
    wire [IDX_W-1:0] val_idx;
    wire [IDX_W-1:0] wb_idx;

    cw_commit_place #(.ENTRIES(ENTRIES), .IDX_W(IDX_W)) u_msg_place (
        .base_i  (ret_idx_q),
        .offset_i(msg_ext[IDX_W-1:0]),
        .idx_o   (msg_idx)
    );
    cw_commit_place #(.ENTRIES(ENTRIES), .IDX_W(IDX_W)) u_val_place (
        .base_i  (ret_idx_q),
        .offset_i(val_ext[IDX_W-1:0]),
        .idx_o   (val_idx)
    );
    cw_commit_place #(.ENTRIES(ENTRIES), .IDX_W(IDX_W)) u_wb_place (
        .base_i  (ret_idx_q),
        .offset_i(wb_ext[IDX_W-1:0]),
        .idx_o   (wb_idx)
    );

    // Messages.
    assign msg_ready_o = msg_in;
    wire msg           = msg_valid_i && msg_in;
    wire msg_filling   = msg && msg_kind_i != OUTCOME;
    wire msg_fill_ok   = msg_filling && !filled_q[msg_idx] && !(msg_kind_i == SKIP && used_q[msg_idx]);
    wire msg_done      = msg_fill_ok && msg_kind_i == DONE;
    wire msg_skip      = msg_fill_ok && msg_kind_i == SKIP;
    wire msg_decide    = msg && msg_kind_i == OUTCOME;
    wire msg_decide_ok = msg_decide && reported_q[msg_idx] && !decided_q[msg_idx]
                         && (pass_q[msg_idx] || (!msg_pass_i && FAIL_WAITS != 0));

    // Report register.
    reg              rep_valid_q;
    reg  [CID_W-1:0] rep_cid_q;
    reg              rep_pass_q;
    wire             rep_free = !rep_valid_q || rep_ready_i;

    // Validation answers.
    assign val_ready_o = rep_free;
    wire val        = val_valid_i && rep_free;
    wire val_ok     = val && val_in && filled_q[val_idx] && !skip_q[val_idx] && !checked_q[val_idx];
    wire val_report = val_ok && reval_q[val_idx];

    wire wb_ok  = wb_valid_i && wb_in && sent_q[wb_idx] && !written_q[wb_idx];
    wire hza_ok = hza_valid_i && haz_wait_q;

    // Hazard pointer.
    wire             haz_work = haz_dist_q != SIZE && filled_q[haz_idx_q];
    wire             haz_skip = haz_work && skip_q[haz_idx_q];
    wire             haz_move = haz_skip || hza_ok;
    wire [IDX_W-1:0] haz_idx_d = haz_move ? next_idx(haz_idx_q) : haz_idx_q;

    assign haz_valid_o = haz_work && !haz_skip && !haz_wait_q;
    assign haz_cid_o   = haz_valid_o ? haz_cid_q : {CID_W{1'b0}};

    // How far the RCID of the entry at the hazard pointer is behind it, and the CID that the hazard unit has found.
    wire [IDX_W-1:0] rcid_age;
    wire [CID_W-1:0] found_age = haz_cid_q - hza_cid_i;
    wire [32:0]      found_ext = {{(33-CID_W){1'b0}}, found_age};
    wire             hazard    = hza_found_i && found_ext != 33'd0 && found_ext <= {{(33-IDX_W){1'b0}}, rcid_age};

    cw_ram_1r1w_fwd #(
        .ADDR_W(IDX_W),
        .DATA_W(IDX_W)
    ) u_rcid (
        .clk_i    (clk_i),
        .rd_en_i  (1'b1),
        .rd_addr_i(haz_idx_d),
        .rd_data_o(rcid_age),
        .wr_en_i  (msg_fill_ok && !used_q[msg_idx]),
        .wr_addr_i(msg_idx),
        .wr_data_i(msg_ext[IDX_W-1:0])
`ifdef FORMAL
        , .f_addr_i(f_idx)
        , .f_data_o(f_rcid_age)
`endif
    );

    // Pass pointer. The YCID has retired when it is farther behind than the retire pointer.
    wire [IDX_W-1:0] ycid_age;
    wire             pass_work   = pass_dist_q < haz_dist_q;
    wire             pass_skip   = pass_work && skip_q[pass_idx_q];
    wire             pass_valid  = pass_work && !pass_skip && checked_q[pass_idx_q];
    wire             pass_again  = pass_q[pass_idx_q] && hazard_q[pass_idx_q];
    wire             pass_report = pass_valid && !pass_again && rep_free && !val_report;
    wire             reval       = rev_valid_o && rev_ready_i;
    wire             pass_move   = pass_skip || pass_report || reval;
    wire [IDX_W-1:0] pass_idx_d  = pass_move ? next_idx(pass_idx_q) : pass_idx_q;

    assign rev_valid_o = pass_valid && pass_again && {{(11-IDX_W){1'b0}}, ycid_age} > pass_dist_q;
    assign rev_cid_o   = rev_valid_o ? pass_cid_q : {CID_W{1'b0}};

    cw_ram_1r1w_fwd #(
        .ADDR_W(IDX_W),
        .DATA_W(IDX_W)
    ) u_ycid (
        .clk_i    (clk_i),
        .rd_en_i  (1'b1),
        .rd_addr_i(pass_idx_d),
        .rd_data_o(ycid_age),
        .wr_en_i  (hza_ok && hazard),
        .wr_addr_i(haz_idx_q),
        .wr_data_i(found_ext[IDX_W-1:0])
`ifdef FORMAL
        , .f_addr_i(f_idx)
        , .f_data_o(f_ycid_age)
`endif
    );

    always @(posedge clk_i)
        if (rst_i) begin
            rep_valid_q <= 1'b0;
            rep_cid_q   <= {CID_W{1'b0}};
            rep_pass_q  <= 1'b0;
        end else if (rep_free) begin
            rep_valid_q <= val_report || pass_report;
            rep_cid_q   <= val_report ? val_cid_i : pass_report ? pass_cid_q : {CID_W{1'b0}};
            rep_pass_q  <= val_report ? val_pass_i : pass_report && pass_q[pass_idx_q];
        end

    assign rep_valid_o = rep_valid_q;
    assign rep_cid_o   = rep_cid_q;
    assign rep_pass_o  = rep_pass_q;

    // Commit pointer.
    wire com_work    = com_dist_q < pass_dist_q;
    wire com_skip    = com_work && skip_q[com_idx_q];
    wire com_failed  = FAIL_WAITS == 0 && reported_q[com_idx_q] && !pass_q[com_idx_q];
    wire com_decided = com_work && !com_skip && (decided_q[com_idx_q] || com_failed);
    wire com_writes  = commit_q[com_idx_q] && writes_q[com_idx_q];
    wire com_send    = com_valid_o && com_ready_i;
    wire com_move    = com_skip || (com_decided && !com_writes) || com_send;

    assign com_valid_o = com_decided && com_writes;
    assign com_cid_o   = com_valid_o ? com_cid_q : {CID_W{1'b0}};

    // Retire pointer.
    wire ret_work = com_dist_q != 11'd0;
    wire ret_skip = ret_work && skip_q[ret_idx_q];
    wire ret_done = !sent_q[ret_idx_q] || written_q[ret_idx_q];
    wire ret_move = ret_skip || (ret_valid_o && ret_ready_i);

    assign ret_valid_o  = ret_work && !ret_skip && ret_done;
    assign ret_cid_o    = ret_valid_o ? oldest_cid_q : {CID_W{1'b0}};
    assign ret_commit_o = ret_valid_o && commit_q[ret_idx_q];

    // Pointers.
    wire [10:0] msg_end  = {{(11-IDX_W){1'b0}}, msg_ext[IDX_W-1:0]} + 11'd1;
    wire [10:0] head_max = msg_fill_ok && msg_end > head_dist_q ? msg_end : head_dist_q;

    always @(posedge clk_i)
        if (rst_i) begin
            oldest_cid_q <= {CID_W{1'b0}};
            com_cid_q    <= {CID_W{1'b0}};
            pass_cid_q   <= {CID_W{1'b0}};
            haz_cid_q    <= {CID_W{1'b0}};
            ret_idx_q    <= {IDX_W{1'b0}};
            com_idx_q    <= {IDX_W{1'b0}};
            pass_idx_q   <= {IDX_W{1'b0}};
            haz_idx_q    <= {IDX_W{1'b0}};
            com_dist_q   <= 11'd0;
            pass_dist_q  <= 11'd0;
            haz_dist_q   <= 11'd0;
            head_dist_q  <= 11'd0;
            haz_wait_q   <= 1'b0;
            illegal_q    <= 1'b0;
        end else begin
            if (ret_move) begin
                oldest_cid_q <= oldest_cid_q + 1'b1;
                ret_idx_q    <= next_idx(ret_idx_q);
            end
            if (com_move) begin
                com_cid_q <= com_cid_q + 1'b1;
                com_idx_q <= next_idx(com_idx_q);
            end
            if (pass_move)
                pass_cid_q <= pass_cid_q + 1'b1;
            if (haz_move)
                haz_cid_q <= haz_cid_q + 1'b1;
            pass_idx_q  <= pass_idx_d;
            haz_idx_q   <= haz_idx_d;
            com_dist_q  <= com_dist_q + {10'd0, com_move} - {10'd0, ret_move};
            pass_dist_q <= pass_dist_q + {10'd0, pass_move} - {10'd0, ret_move};
            haz_dist_q  <= haz_dist_q + {10'd0, haz_move} - {10'd0, ret_move};
            head_dist_q <= head_max - {10'd0, ret_move};
            haz_wait_q  <= (haz_wait_q && !hza_ok) || (haz_valid_o && haz_ready_i);
            illegal_q   <= (msg_filling && !msg_fill_ok) || (msg_decide && !msg_decide_ok) || (val && !val_ok)
                           || (wb_valid_i && !wb_ok) || (hza_valid_i && !hza_ok);
        end

    // Flags. An entry that retires has no event left that is legal, so its clearing meets no setting.
    always @(posedge clk_i)
        if (rst_i) begin
            used_q     <= {ENTRIES{1'b0}};
            filled_q   <= {ENTRIES{1'b0}};
            skip_q     <= {ENTRIES{1'b0}};
            writes_q   <= {ENTRIES{1'b0}};
            checked_q  <= {ENTRIES{1'b0}};
            pass_q     <= {ENTRIES{1'b0}};
            hazard_q   <= {ENTRIES{1'b0}};
            reval_q    <= {ENTRIES{1'b0}};
            reported_q <= {ENTRIES{1'b0}};
            decided_q  <= {ENTRIES{1'b0}};
            commit_q   <= {ENTRIES{1'b0}};
            sent_q     <= {ENTRIES{1'b0}};
            written_q  <= {ENTRIES{1'b0}};
        end else begin
            if (msg_fill_ok)
                used_q[msg_idx] <= 1'b1;
            if (msg_done || msg_skip)
                filled_q[msg_idx] <= 1'b1;
            if (msg_skip)
                skip_q[msg_idx] <= 1'b1;
            if (msg_done && msg_writes_i)
                writes_q[msg_idx] <= 1'b1;
            if (msg_done && !msg_reads_i) begin
                checked_q[msg_idx] <= 1'b1;
                pass_q[msg_idx]    <= 1'b1;
            end
            if (val_ok) begin
                checked_q[val_idx] <= 1'b1;
                pass_q[val_idx]    <= val_pass_i;
            end
            if (val_report)
                reported_q[val_idx] <= 1'b1;
            if (hza_ok && hazard)
                hazard_q[haz_idx_q] <= 1'b1;
            if (pass_report)
                reported_q[pass_idx_q] <= 1'b1;
            if (reval) begin
                reval_q[pass_idx_q]   <= 1'b1;
                checked_q[pass_idx_q] <= 1'b0;
            end
            if (msg_decide_ok) begin
                decided_q[msg_idx] <= 1'b1;
                commit_q[msg_idx]  <= msg_pass_i;
            end
            if (com_send)
                sent_q[com_idx_q] <= 1'b1;
            if (wb_ok)
                written_q[wb_idx] <= 1'b1;
            if (ret_move) begin
                used_q[ret_idx_q]     <= 1'b0;
                filled_q[ret_idx_q]   <= 1'b0;
                skip_q[ret_idx_q]     <= 1'b0;
                writes_q[ret_idx_q]   <= 1'b0;
                checked_q[ret_idx_q]  <= 1'b0;
                pass_q[ret_idx_q]     <= 1'b0;
                hazard_q[ret_idx_q]   <= 1'b0;
                reval_q[ret_idx_q]    <= 1'b0;
                reported_q[ret_idx_q] <= 1'b0;
                decided_q[ret_idx_q]  <= 1'b0;
                commit_q[ret_idx_q]   <= 1'b0;
                sent_q[ret_idx_q]     <= 1'b0;
                written_q[ret_idx_q]  <= 1'b0;
            end
        end

    // Status. What the oldest entry waits for, in the order in which an entry meets it.
    wire old_skip    = skip_q[ret_idx_q];
    wire old_decided = decided_q[ret_idx_q] || (FAIL_WAITS == 0 && reported_q[ret_idx_q] && !pass_q[ret_idx_q]);
    wire [3:0] old_validated = !old_skip && !checked_q[ret_idx_q] ? 4'd3 : 4'd4;
    wire [3:0] old_passed    = old_skip ? 4'd7 : !checked_q[ret_idx_q] ? 4'd5 : !old_decided ? 4'd6 : 4'd7;
    wire [3:0] old_committed = old_skip || ret_done ? 4'd9 : 4'd8;

    assign oldest_cid_o   = oldest_cid_q;
    assign oldest_state_o = !used_q[ret_idx_q] ? 4'd0
                          : !filled_q[ret_idx_q] ? 4'd1
                          : haz_dist_q == 11'd0 ? 4'd2
                          : pass_dist_q == 11'd0 ? old_validated
                          : com_dist_q == 11'd0 ? old_passed : old_committed;
    assign credits_o      = SIZE - head_dist_q;
    assign illegal_o      = illegal_q;

`ifdef FORMAL
    // One place of the ring, chosen by the solver, and the entry in it by what the ports have shown.
    (* anyconst *) reg [IDX_W-1:0] f_idx;
    reg              f_past_q = 1'b0;
    reg              f_passed_q;    // reported to the core as passed
    reg              f_commit_q;    // the core has decided that it commits
    reg              f_hazard_q;    // a hazard was found and has not been revalidated
    reg  [10:0]      f_left_q;      // retirements until its YCID has retired
    wire [IDX_W-1:0] f_rcid_age;
    wire [IDX_W-1:0] f_ycid_age;
    wire [10:0]      f_off   = {{(11-IDX_W){1'b0}}, f_idx} - {{(11-IDX_W){1'b0}}, ret_idx_q}
                               + (f_idx < ret_idx_q ? SIZE : 11'd0);  // its distance from the retire pointer
    wire [CID_W-1:0] f_cid   = f_number(f_off);
    wire             f_ret   = ret_move && ret_idx_q == f_idx;
    wire             f_found = hza_ok && hazard && haz_idx_q == f_idx;
    wire [10:0]      f_behind = found_ext[10:0];
    wire             f_rep   = rep_free && (val_report || pass_report)
                               && (val_report ? val_idx == f_idx : pass_idx_q == f_idx);
    integer          f_n;
    wire             f_rep_pass = val_report ? val_pass_i : pass_q[pass_idx_q];

    // Place and CID of the entry at a distance from the retire pointer.
    function [IDX_W-1:0] f_place (input [10:0] dist);
        reg [11:0] sum;
        begin
            sum     = {1'b0, dist} + {{(12-IDX_W){1'b0}}, ret_idx_q};
            sum     = sum >= {1'b0, SIZE} ? sum - {1'b0, SIZE} : sum;
            f_place = sum[IDX_W-1:0];
        end
    endfunction

    function [CID_W-1:0] f_number (input [10:0] dist);
        reg [CID_W+10:0] sum;
        begin
            sum      = {11'd0, oldest_cid_q} + {{CID_W{1'b0}}, dist};
            f_number = sum[CID_W-1:0];
        end
    endfunction

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i || f_ret) begin
            f_passed_q <= 1'b0;
            f_commit_q <= 1'b0;
            f_hazard_q <= 1'b0;
        end else begin
            f_passed_q <= f_passed_q || (f_rep && f_rep_pass);
            f_commit_q <= f_commit_q || (msg_decide_ok && msg_idx == f_idx && msg_pass_i);
            f_hazard_q <= (f_hazard_q || f_found) && !(reval && pass_idx_q == f_idx);
        end
        // When the hazard is found its YCID is haz_dist - age behind the retire pointer, or has retired.
        if (f_found)
            f_left_q <= haz_dist_q < f_behind ? 11'd0 : haz_dist_q - f_behind + 11'd1 - {10'd0, ret_move};
        else if (ret_move && f_left_q != 11'd0)
            f_left_q <= f_left_q - 11'd1;
    end

    always @* begin
        // Power-up is followed by a reset. The place exists.
        if (!f_past_q)
            assume (rst_i);
        assume (f_idx <= LAST_IDX);
        if (f_past_q) begin
            // 1. The pointers keep their order, within the ring.
            assert (com_dist_q <= pass_dist_q && pass_dist_q <= haz_dist_q && haz_dist_q <= head_dist_q && head_dist_q <= SIZE);
            // 2. A write-back begins only for an entry that was reported as passed and that the core has decided to commit.
            if (com_send && com_idx_q == f_idx)
                assert (f_passed_q && f_commit_q && com_cid_o == f_cid);
            // 3. An entry with a hazard is revalidated after its YCID has retired, and not reported as passed before that.
            if (reval && pass_idx_q == f_idx)
                assert (f_left_q == 11'd0 && rev_cid_o == f_cid);
            if (f_rep && f_rep_pass)
                assert (!f_hazard_q);
            // 4. An entry is reported once, and not when it is skipped.
            if (f_rep)
                assert (!reported_q[f_idx] && !skip_q[f_idx]);
            // 5. An entry retires when it has been written back, aborted or skipped; nothing is left of it.
            if (f_ret)
                assert (skip_q[f_idx] || !f_commit_q || !writes_q[f_idx] || written_q[f_idx]);
            // 6. A committed transaction is not given up: what the core has decided is what the retirement tells.
            if (ret_valid_o && ret_idx_q == f_idx)
                assert (ret_commit_o == f_commit_q);
            // 7. (for induction) Places and CIDs of the pointers agree with their distances.
            assert (ret_idx_q <= LAST_IDX && f_off < SIZE);
            assert (com_idx_q == f_place(com_dist_q) && com_cid_q == f_number(com_dist_q));
            assert (pass_idx_q == f_place(pass_dist_q) && pass_cid_q == f_number(pass_dist_q));
            assert (haz_idx_q == f_place(haz_dist_q) && haz_cid_q == f_number(haz_dist_q));
            // 8. (for induction) The flags of an entry follow from the pointers that have passed it.
            assert (used_q[f_idx] || !filled_q[f_idx]);
            assert (filled_q[f_idx] || !(skip_q[f_idx] || writes_q[f_idx] || checked_q[f_idx] || pass_q[f_idx]
                                         || hazard_q[f_idx] || reval_q[f_idx] || reported_q[f_idx] || decided_q[f_idx]
                                         || sent_q[f_idx] || written_q[f_idx]));
            for (f_n = 0; f_n < ENTRIES; f_n = f_n + 1)
                if (f_n[10:0] >= head_dist_q)
                    assert (!used_q[f_place(f_n[10:0])] && !filled_q[f_place(f_n[10:0])]);
            if (f_off >= haz_dist_q)
                assert (!hazard_q[f_idx]);
            else
                assert (filled_q[f_idx]);
            if (f_off >= pass_dist_q)
                assert (!reval_q[f_idx] && !reported_q[f_idx]);
            else if (!skip_q[f_idx])
                assert (reported_q[f_idx] ? checked_q[f_idx] : reval_q[f_idx] && !checked_q[f_idx]);
            if (f_off >= com_dist_q)
                assert (!sent_q[f_idx]);
            else
                assert (skip_q[f_idx] || decided_q[f_idx] || (FAIL_WAITS == 0 && !pass_q[f_idx] && reported_q[f_idx]));
            if (f_off < com_dist_q)
                assert (sent_q[f_idx] == (commit_q[f_idx] && writes_q[f_idx]));
            assert (reported_q[f_idx] || !decided_q[f_idx]);
            assert (decided_q[f_idx] || !commit_q[f_idx]);
            assert (pass_q[f_idx] || !commit_q[f_idx]);
            assert (sent_q[f_idx] || !written_q[f_idx]);
            assert (!skip_q[f_idx] || !(writes_q[f_idx] || checked_q[f_idx] || hazard_q[f_idx] || reval_q[f_idx] || reported_q[f_idx]));
            assert (f_commit_q == commit_q[f_idx]);
            assert (f_passed_q == (reported_q[f_idx] && pass_q[f_idx]));
            assert (f_hazard_q == (hazard_q[f_idx] && !reval_q[f_idx]));
            if (f_hazard_q && f_off >= pass_dist_q)
                assert (f_left_q == (f_off < {{(11-IDX_W){1'b0}}, f_ycid_age} ? 11'd0
                                     : f_off - {{(11-IDX_W){1'b0}}, f_ycid_age} + 11'd1));
            if (haz_wait_q)
                assert (haz_work && !haz_skip);
            if (pass_idx_q == f_idx && f_hazard_q)
                assert (ycid_age == f_ycid_age);
            // A hazard is resolved, and the entry then written back, in a ring that has gone round.
            cover (f_commit_q && reval_q[f_idx] && sent_q[f_idx] && oldest_cid_q != 0);
        end
    end
`endif

    generate
        if (ENTRIES < 1 || ENTRIES > 1024) begin : g_bad_entries
            cw_error_commit_unit_entries_must_be_1_to_1024 u_error ();
        end
        if (CID_W < 1 || CID_W > 32) begin : g_bad_cid_w
            cw_error_commit_unit_cid_w_must_be_1_to_32 u_error ();
        end
        if (CID_W < 10 && ENTRIES > (1 << CID_W)) begin : g_bad_window
            cw_error_commit_unit_entries_must_not_exceed_two_to_the_cid_w u_error ();
        end
        if (FAIL_WAITS != 0 && FAIL_WAITS != 1) begin : g_bad_fail_waits
            cw_error_commit_unit_fail_waits_must_be_0_or_1 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
