// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_unit: ring buffer of Kilo TM's commit entries, with the pointers of its logical stages.
//
// Why         : messages of cores, comparisons and write-backs end in any order, but transactions must commit in the order of their
//               commit IDs (CID), the same in every partition. This unit keeps that order. It has no data of transactions.
// How         : each CID is an entry of a ring from the start. An event sets flags of its entry. Pointers for hazard, pass, commit and
//               retire pass over the entries in order, and each waits at an entry whose flags do not allow its stage yet.
// Latency     : an event moves a pointer in the next cycle at the earliest. A skipped entry alone takes 5 cycles from its message to
//               its retirement, since it passes one pointer per cycle.
// Throughput  : one message about up to LANES entries, one hazard answer, one validation answer, one report, one write-back and one
//               retirement per cycle.
// Comb. paths : msg_cid_i, msg_lanes_i -> msg_ready_o; rep_ready_i -> val_ready_o.
// Storage     : 14 flag bits per entry in flip-flops, because messages and answers come in any order. RCID and YCID are in RAMs, as
//               distances behind the entry's own CID. The ring lies in LANES banks, place n in bank n mod LANES, so that a message
//               touches each bank once. RCID, which a message writes, has a RAM per bank.
// Illegal use : an event that the protocol excludes changes nothing, and illegal_o is 1 in the next cycle. The contract lists them.
//
// Paper: Fung 2015, section 4.2.5, Figures 4.4b and 4.5. Contract: include/cowarp/unit/commit_unit.h.
// C model: csim/unit/commit_unit.c. Datasheet: docs/units/commit_unit.md.

`default_nettype none

module cw_commit_unit #(
    parameter ENTRIES    = 1024,  // 1 .. 65536, a multiple of LANES
    parameter LANES      = 1,     // 1, 2, 4, 8, 16 or 32
    parameter CID_W      = 16,    // 1 .. 32, ENTRIES <= 2^CID_W
    parameter FAIL_WAITS = 1      // 0 or 1
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
    output wire             msg_ready_o,
    // the hazard unit takes an entry, and answers
    output wire             haz_valid_o,
    output wire [CID_W-1:0] haz_cid_o,
    output wire [CID_W-1:0] haz_rcid_o,
    input  wire             haz_ready_i,
    input  wire             hza_valid_i,
    input  wire [CID_W-1:0] hza_cid_i,
    input  wire             hza_found_i,
    input  wire [CID_W-1:0] hza_ycid_i,
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
    output wire [CID_W-1:0] commit_cid_o,
    output wire             waiting_o,
    output wire             busy_o,
    output wire [16:0]      credits_o,
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

    localparam IDX_W  = place_bits(ENTRIES);
    localparam LANE_W = place_bits(LANES);
    localparam ROWS   = ENTRIES / LANES;  // of a bank
    localparam ROW_W  = place_bits(ROWS);
    localparam DIST_W = 17;               // of a distance, 0 .. ENTRIES

    localparam integer      LAST      = ENTRIES - 1;
    localparam integer      LAST_ROW  = ENTRIES - LANES;
    localparam integer      LAST_LANE = LANES - 1;
    localparam [DIST_W-1:0] SIZE      = ENTRIES[DIST_W-1:0];
    localparam [DIST_W-1:0] ONE       = {{(DIST_W-1){1'b0}}, 1'b1};
    localparam [IDX_W-1:0]  LAST_IDX  = LAST[IDX_W-1:0];
    localparam [IDX_W-1:0]  LAST_BASE = LAST_ROW[IDX_W-1:0];   // place of the last row's first entry
    localparam [IDX_W-1:0]  LANE_MASK = LAST_LANE[IDX_W-1:0];  // the part of a place that is the bank
    /* verilator lint_off WIDTH */  // a parameter has 32 bits
    localparam [32:0]       SIZE_33   = ENTRIES;
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
    reg  [DIST_W-1:0] com_dist_q;
    reg  [DIST_W-1:0] pass_dist_q;
    reg  [DIST_W-1:0] haz_dist_q;
    reg  [DIST_W-1:0] head_dist_q;

    // Flags of the entries, each set in one place below and cleared by the retirement (checked also by the revalidation).
    reg  [ENTRIES-1:0] used_q;      // has had a message
    reg  [ENTRIES-1:0] filled_q;    // DONE or SKIP
    reg  [ENTRIES-1:0] skip_q;
    reg  [ENTRIES-1:0] writes_q;
    reg  [ENTRIES-1:0] checked_q;   // validated, with the result in pass_q
    reg  [ENTRIES-1:0] pass_q;
    reg  [ENTRIES-1:0] detected_q;  // the hazard unit has answered, with a hazard in hazard_q
    reg  [ENTRIES-1:0] hazard_q;
    reg  [ENTRIES-1:0] reval_q;     // revalidation has been asked for
    reg  [ENTRIES-1:0] reported_q;
    reg  [ENTRIES-1:0] decided_q;   // outcome known, and in commit_q
    reg  [ENTRIES-1:0] commit_q;
    reg  [ENTRIES-1:0] sent_q;      // write-back begun
    reg  [ENTRIES-1:0] written_q;   // and ended
    reg                illegal_q;

    // CIDs of the events as distances from the retire pointer, and their places.
    wire [CID_W-1:0] msg_off = msg_cid_i - oldest_cid_q;
    wire [CID_W-1:0] hza_off = hza_cid_i - oldest_cid_q;
    wire [CID_W-1:0] val_off = val_cid_i - oldest_cid_q;
    wire [CID_W-1:0] wb_off  = wb_cid_i - oldest_cid_q;
    wire [32:0]      msg_ext = {{(33-CID_W){1'b0}}, msg_off};
    wire [32:0]      hza_ext = {{(33-CID_W){1'b0}}, hza_off};
    wire [32:0]      val_ext = {{(33-CID_W){1'b0}}, val_off};
    wire [32:0]      wb_ext  = {{(33-CID_W){1'b0}}, wb_off};
    wire             val_in  = val_ext < SIZE_33;
    wire             wb_in   = wb_ext < SIZE_33;
    wire [IDX_W-1:0] msg_idx;
    wire [IDX_W-1:0] hza_idx;
    wire [IDX_W-1:0] val_idx;
    wire [IDX_W-1:0] wb_idx;

    cw_commit_place #(.ENTRIES(ENTRIES), .IDX_W(IDX_W)) u_msg_place (
        .base_i  (ret_idx_q),
        .offset_i(msg_ext[IDX_W-1:0]),
        .idx_o   (msg_idx)
    );
    cw_commit_place #(.ENTRIES(ENTRIES), .IDX_W(IDX_W)) u_hza_place (
        .base_i  (ret_idx_q),
        .offset_i(hza_ext[IDX_W-1:0]),
        .idx_o   (hza_idx)
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

    // Messages. The entries of one lie in one row of the banks from msg_low on, and in the row after it below that.
    function [5:0] last_lane (input [LANES-1:0] lanes);
        integer n;
        begin
            last_lane = 6'd0;
            for (n = 0; n < LANES; n = n + 1)
                if (lanes[n])
                    last_lane = n[5:0];
        end
    endfunction

    wire [32:0]      msg_last = msg_ext + {27'd0, last_lane(msg_lanes_i)};
    wire             msg_in   = msg_last < SIZE_33;
    wire             msg      = msg_valid_i && msg_in;
    wire             outcome  = msg_kind_i == OUTCOME;
    wire [IDX_W-1:0] msg_low  = msg_idx & LANE_MASK;
    wire [IDX_W-1:0] msg_base = msg_idx & ~LANE_MASK;
    wire [IDX_W-1:0] msg_next = msg_base == LAST_BASE ? {IDX_W{1'b0}} : msg_base + LANE_MASK + 1'b1;

    // By bank: the place, whether the message is about it and legal, and what it says.
    wire [LANES*IDX_W-1:0] msg_place;
    wire [LANES-1:0]       msg_filling;
    wire [LANES-1:0]       msg_fill_ok;
    wire [LANES-1:0]       msg_first;
    wire [LANES-1:0]       msg_done;
    wire [LANES-1:0]       msg_skip;
    wire [LANES-1:0]       msg_reads;
    wire [LANES-1:0]       msg_writes;
    wire [LANES-1:0]       msg_decide;
    wire [LANES-1:0]       msg_decide_ok;
    wire [LANES-1:0]       msg_pass;

    wire [LANES*IDX_W-1:0] rcid_ages;  // of the hazard pointer's row, by bank
    wire [IDX_W-1:0]       haz_idx_d;

    assign msg_ready_o = msg_in;

    genvar b;
    generate
        for (b = 0; b < LANES; b = b + 1) begin : g_bank
            localparam integer     NUMBER = b;
            localparam [IDX_W-1:0] BANK   = NUMBER[IDX_W-1:0];
            wire [IDX_W-1:0]  place   = ({1'b0, BANK} < {1'b0, msg_low} ? msg_next : msg_base) | BANK;
            wire [IDX_W-1:0]  lane    = (BANK - msg_low) & LANE_MASK;
            wire [LANE_W-1:0] n       = lane[LANE_W-1:0];
            wire [ROW_W-1:0]  row     = ROWS == 1 ? {ROW_W{1'b0}} : place[IDX_W-1 -: ROW_W];
            wire [ROW_W-1:0]  haz_row = ROWS == 1 ? {ROW_W{1'b0}} : haz_idx_d[IDX_W-1 -: ROW_W];
            wire              about   = msg && msg_lanes_i[n];

            assign msg_place[b*IDX_W +: IDX_W] = place;
            assign msg_reads[b]     = msg_reads_i[n];
            assign msg_writes[b]    = msg_writes_i[n];
            assign msg_pass[b]      = msg_pass_i[n];
            assign msg_filling[b]   = about && !outcome;
            assign msg_fill_ok[b]   = msg_filling[b] && !filled_q[place];
            assign msg_first[b]     = msg_fill_ok[b] && !used_q[place];
            assign msg_skip[b]      = msg_fill_ok[b] && (msg_kind_i == SKIP
                                                         || (msg_kind_i == DONE && !msg_reads[b] && !msg_writes[b]));
            assign msg_done[b]      = msg_fill_ok[b] && msg_kind_i == DONE && !msg_skip[b];
            assign msg_decide[b]    = about && outcome;
            assign msg_decide_ok[b] = msg_decide[b] && reported_q[place] && !decided_q[place]
                                      && (pass_q[place] || (!msg_pass[b] && FAIL_WAITS != 0));

            // How far RCID is before the entry: as far as the oldest one is now.
            cw_ram_1r1w_fwd #(
                .ADDR_W(ROW_W),
                .DATA_W(IDX_W)
            ) u_rcid (
                .clk_i    (clk_i),
                .rd_en_i  (1'b1),
                .rd_addr_i(haz_row),
                .rd_data_o(rcid_ages[b*IDX_W +: IDX_W]),
                .wr_en_i  (msg_first[b]),
                .wr_addr_i(row),
                .wr_data_i(msg_ext[IDX_W-1:0] + lane)
`ifdef FORMAL
                , .f_addr_i({ROW_W{1'b0}})
                , .f_data_o()
`endif
            );
        end
    endgenerate

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

    // Hazard pointer.
    wire haz_work = haz_dist_q != SIZE && filled_q[haz_idx_q];
    wire haz_skip = haz_work && skip_q[haz_idx_q];
    wire haz_move = haz_skip || (haz_valid_o && haz_ready_i);

    assign haz_idx_d = haz_move ? next_idx(haz_idx_q) : haz_idx_q;

    wire [IDX_W-1:0] haz_bank = haz_idx_q & LANE_MASK;
    wire [32:0]      rcid_age = {{(33-IDX_W){1'b0}}, rcid_ages[haz_bank*IDX_W +: IDX_W]};
    wire             unused   = |rcid_age[32:CID_W];

    assign haz_valid_o = haz_work && !haz_skip;
    assign haz_cid_o   = haz_valid_o ? haz_cid_q : {CID_W{1'b0}};
    assign haz_rcid_o  = haz_valid_o ? haz_cid_q - rcid_age[CID_W-1:0] : {CID_W{1'b0}};

    // The hazard unit's answer. A YCID is before the entry, and cannot be farther from it than the ring is long.
    wire             hza_ok    = hza_valid_i && hza_ext < {{(33-DIST_W){1'b0}}, haz_dist_q} && !skip_q[hza_idx] && !detected_q[hza_idx];
    wire [CID_W-1:0] found_age = hza_cid_i - hza_ycid_i;
    wire [32:0]      found_ext = {{(33-CID_W){1'b0}}, found_age};
    wire             hazard    = hza_found_i && found_ext != 33'd0 && found_ext < SIZE_33;

    // Pass pointer. The YCID has retired when it is farther behind than the retire pointer.
    wire [IDX_W-1:0] ycid_age;
    wire             pass_work   = pass_dist_q < haz_dist_q;
    wire             pass_skip   = pass_work && skip_q[pass_idx_q];
    wire             pass_valid  = pass_work && !pass_skip && checked_q[pass_idx_q] && detected_q[pass_idx_q];
    wire             pass_again  = pass_q[pass_idx_q] && hazard_q[pass_idx_q];
    wire             pass_report = pass_valid && !pass_again && rep_free && !val_report;
    wire             reval       = rev_valid_o && rev_ready_i;
    wire             pass_move   = pass_skip || pass_report || reval;
    wire [IDX_W-1:0] pass_idx_d  = pass_move ? next_idx(pass_idx_q) : pass_idx_q;

    assign rev_valid_o = pass_valid && pass_again && {{(DIST_W-IDX_W){1'b0}}, ycid_age} > pass_dist_q;
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
        .wr_addr_i(hza_idx),
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
    wire ret_work = com_dist_q != {DIST_W{1'b0}};
    wire ret_skip = ret_work && skip_q[ret_idx_q];
    wire ret_done = !sent_q[ret_idx_q] || written_q[ret_idx_q];
    wire ret_move = ret_skip || (ret_valid_o && ret_ready_i);

    assign ret_valid_o  = ret_work && !ret_skip && ret_done;
    assign ret_cid_o    = ret_valid_o ? oldest_cid_q : {CID_W{1'b0}};
    assign ret_commit_o = ret_valid_o && commit_q[ret_idx_q];

    // Pointers.
    wire [DIST_W-1:0] msg_end  = msg_last[DIST_W-1:0] + ONE;
    wire [DIST_W-1:0] head_max = |msg_filling && msg_end > head_dist_q ? msg_end : head_dist_q;

    // Distances after this cycle.
    function [DIST_W-1:0] moved (input [DIST_W-1:0] from, input up, input down);
        moved = from + {{(DIST_W-1){1'b0}}, up} - {{(DIST_W-1){1'b0}}, down};
    endfunction

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
            com_dist_q   <= {DIST_W{1'b0}};
            pass_dist_q  <= {DIST_W{1'b0}};
            haz_dist_q   <= {DIST_W{1'b0}};
            head_dist_q  <= {DIST_W{1'b0}};
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
            com_dist_q  <= moved(com_dist_q, com_move, ret_move);
            pass_dist_q <= moved(pass_dist_q, pass_move, ret_move);
            haz_dist_q  <= moved(haz_dist_q, haz_move, ret_move);
            head_dist_q <= moved(head_max, 1'b0, ret_move);
            illegal_q   <= |(msg_filling & ~msg_fill_ok) || |(msg_decide & ~msg_decide_ok) || (val && !val_ok)
                           || (wb_valid_i && !wb_ok) || (hza_valid_i && !hza_ok);
        end

    // Flags. An entry that retires has no event left that is legal, so its clearing meets no setting.
    integer k;
    /* verilator lint_off WIDTHCONCAT */  // a ring may have more than 8,192 entries
    always @(posedge clk_i)
        if (rst_i) begin
            used_q     <= {ENTRIES{1'b0}};
            filled_q   <= {ENTRIES{1'b0}};
            skip_q     <= {ENTRIES{1'b0}};
            writes_q   <= {ENTRIES{1'b0}};
            checked_q  <= {ENTRIES{1'b0}};
            pass_q     <= {ENTRIES{1'b0}};
            detected_q <= {ENTRIES{1'b0}};
            hazard_q   <= {ENTRIES{1'b0}};
            reval_q    <= {ENTRIES{1'b0}};
            reported_q <= {ENTRIES{1'b0}};
            decided_q  <= {ENTRIES{1'b0}};
            commit_q   <= {ENTRIES{1'b0}};
            sent_q     <= {ENTRIES{1'b0}};
            written_q  <= {ENTRIES{1'b0}};
        end else begin
            for (k = 0; k < LANES; k = k + 1) begin
                if (msg_fill_ok[k])
                    used_q[msg_place[k*IDX_W +: IDX_W]] <= 1'b1;
                if (msg_done[k] || msg_skip[k])
                    filled_q[msg_place[k*IDX_W +: IDX_W]] <= 1'b1;
                if (msg_skip[k])
                    skip_q[msg_place[k*IDX_W +: IDX_W]] <= 1'b1;
                if (msg_done[k] && msg_writes[k])
                    writes_q[msg_place[k*IDX_W +: IDX_W]] <= 1'b1;
                if (msg_done[k] && !msg_reads[k]) begin
                    checked_q[msg_place[k*IDX_W +: IDX_W]] <= 1'b1;
                    pass_q[msg_place[k*IDX_W +: IDX_W]]    <= 1'b1;
                end
                if (msg_decide_ok[k]) begin
                    decided_q[msg_place[k*IDX_W +: IDX_W]] <= 1'b1;
                    commit_q[msg_place[k*IDX_W +: IDX_W]]  <= msg_pass[k];
                end
            end
            if (val_ok) begin
                checked_q[val_idx] <= 1'b1;
                pass_q[val_idx]    <= val_pass_i;
            end
            if (val_report)
                reported_q[val_idx] <= 1'b1;
            if (hza_ok)
                detected_q[hza_idx] <= 1'b1;
            if (hza_ok && hazard)
                hazard_q[hza_idx] <= 1'b1;
            if (pass_report)
                reported_q[pass_idx_q] <= 1'b1;
            if (reval) begin
                reval_q[pass_idx_q]   <= 1'b1;
                checked_q[pass_idx_q] <= 1'b0;
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
                detected_q[ret_idx_q] <= 1'b0;
                hazard_q[ret_idx_q]   <= 1'b0;
                reval_q[ret_idx_q]    <= 1'b0;
                reported_q[ret_idx_q] <= 1'b0;
                decided_q[ret_idx_q]  <= 1'b0;
                commit_q[ret_idx_q]   <= 1'b0;
                sent_q[ret_idx_q]     <= 1'b0;
                written_q[ret_idx_q]  <= 1'b0;
            end
        end
    /* verilator lint_on WIDTHCONCAT */

    // Status. What the oldest entry waits for, in the order in which an entry meets it.
    wire old_skip    = skip_q[ret_idx_q];
    wire old_decided = decided_q[ret_idx_q] || (FAIL_WAITS == 0 && reported_q[ret_idx_q] && !pass_q[ret_idx_q]);
    wire [3:0] old_validated = !old_skip && !checked_q[ret_idx_q] ? 4'd3 : 4'd4;
    wire [3:0] old_passed    = old_skip ? 4'd7 : !checked_q[ret_idx_q] ? 4'd5 : !old_decided ? 4'd6 : 4'd7;
    wire [3:0] old_committed = old_skip || ret_done ? 4'd9 : 4'd8;

    assign oldest_cid_o   = oldest_cid_q;
    assign oldest_state_o = !used_q[ret_idx_q] ? 4'd0
                          : !filled_q[ret_idx_q] ? 4'd1
                          : haz_dist_q == {DIST_W{1'b0}} || (!old_skip && !detected_q[ret_idx_q]) ? 4'd2
                          : pass_dist_q == {DIST_W{1'b0}} ? old_validated
                          : com_dist_q == {DIST_W{1'b0}} ? old_passed : old_committed;
    assign credits_o      = SIZE - head_dist_q;
    assign illegal_o      = illegal_q;
    assign commit_cid_o   = com_cid_q;
    assign waiting_o      = pass_valid && pass_again && !rev_valid_o;
    assign busy_o         = haz_skip || pass_skip || (pass_valid && !pass_again) || rep_valid_q || com_skip
                            || (com_decided && !com_writes) || ret_skip || ret_valid_o;

`ifdef FORMAL
    // One place of the ring, chosen by the solver, and the entry in it by what the ports have shown.
    (* anyconst *) reg [IDX_W-1:0] f_idx;
    reg              f_past_q = 1'b0;
    reg              f_passed_q;    // reported to the core as passed
    reg              f_commit_q;    // the core has decided that it commits
    reg              f_hazard_q;    // a hazard was found and has not been revalidated
    reg  [DIST_W-1:0] f_left_q;      // retirements until its YCID has retired
    wire [IDX_W-1:0] f_ycid_age;
    wire [DIST_W-1:0] f_off  = {{(DIST_W-IDX_W){1'b0}}, f_idx} - {{(DIST_W-IDX_W){1'b0}}, ret_idx_q}
                               + (f_idx < ret_idx_q ? SIZE : {DIST_W{1'b0}});  // its distance from the retire pointer
    wire [CID_W-1:0] f_cid   = f_number(f_off);
    wire             f_ret   = ret_move && ret_idx_q == f_idx;
    wire             f_found = hza_ok && hazard && hza_idx == f_idx;
    wire [DIST_W-1:0] f_behind = found_ext[DIST_W-1:0];
    wire             f_decide = |(msg_decide_ok & msg_pass & f_at);  // to commit
    wire [LANES-1:0] f_at;                                          // the bank in which it is, if a message is about it
    wire             f_rep   = rep_free && (val_report || pass_report)
                               && (val_report ? val_idx == f_idx : pass_idx_q == f_idx);
    integer          f_n;
    wire             f_rep_pass = val_report ? val_pass_i : pass_q[pass_idx_q];

    // Place and CID of the entry at a distance from the retire pointer.
    genvar f_b;
    generate
        for (f_b = 0; f_b < LANES; f_b = f_b + 1) begin : g_f_at
            assign f_at[f_b] = msg_place[f_b*IDX_W +: IDX_W] == f_idx;
        end
    endgenerate

    function [IDX_W-1:0] f_place (input [DIST_W-1:0] dist);
        reg [DIST_W:0] sum;
        begin
            sum     = {1'b0, dist} + {{(DIST_W+1-IDX_W){1'b0}}, ret_idx_q};
            sum     = sum >= {1'b0, SIZE} ? sum - {1'b0, SIZE} : sum;
            f_place = sum[IDX_W-1:0];
        end
    endfunction

    function [CID_W-1:0] f_number (input [DIST_W-1:0] dist);
        reg [CID_W+DIST_W-1:0] sum;
        begin
            sum      = {{DIST_W{1'b0}}, oldest_cid_q} + {{CID_W{1'b0}}, dist};
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
            f_commit_q <= f_commit_q || f_decide;
            f_hazard_q <= (f_hazard_q || f_found) && !(reval && pass_idx_q == f_idx);
        end
        // When the hazard is found its YCID is f_off - age behind the retire pointer, or has retired.
        if (f_found)
            f_left_q <= f_off < f_behind ? {DIST_W{1'b0}} : moved(f_off - f_behind, 1'b1, ret_move);
        else if (ret_move && f_left_q != {DIST_W{1'b0}})
            f_left_q <= f_left_q - ONE;
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
                assert (f_left_q == {DIST_W{1'b0}} && rev_cid_o == f_cid);
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
                                         || detected_q[f_idx] || hazard_q[f_idx] || reval_q[f_idx] || reported_q[f_idx] || decided_q[f_idx]
                                         || sent_q[f_idx] || written_q[f_idx]));
            for (f_n = 0; f_n < ENTRIES; f_n = f_n + 1)
                if (f_n[DIST_W-1:0] >= head_dist_q)
                    assert (!used_q[f_place(f_n[DIST_W-1:0])] && !filled_q[f_place(f_n[DIST_W-1:0])]);
            if (f_off >= haz_dist_q)
                assert (!detected_q[f_idx]);
            else
                assert (filled_q[f_idx]);
            assert (detected_q[f_idx] || !hazard_q[f_idx]);
            assert (f_off >= pass_dist_q || skip_q[f_idx] || detected_q[f_idx]);
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
            assert (!skip_q[f_idx] || !(writes_q[f_idx] || checked_q[f_idx] || detected_q[f_idx] || reval_q[f_idx] || reported_q[f_idx]));
            assert (f_commit_q == commit_q[f_idx]);
            assert (f_passed_q == (reported_q[f_idx] && pass_q[f_idx]));
            assert (f_hazard_q == (hazard_q[f_idx] && !reval_q[f_idx]));
            if (f_hazard_q && f_off >= pass_dist_q)
                assert (f_left_q == (f_off < {{(DIST_W-IDX_W){1'b0}}, f_ycid_age} ? {DIST_W{1'b0}}
                                     : f_off - {{(DIST_W-IDX_W){1'b0}}, f_ycid_age} + ONE));
            if (pass_idx_q == f_idx && f_hazard_q)
                assert (ycid_age == f_ycid_age);
            // A hazard is resolved, and the entry then written back, in a ring that has gone round.
            cover (f_commit_q && reval_q[f_idx] && sent_q[f_idx] && oldest_cid_q != 0);
        end
    end
`endif

    generate
        if (ENTRIES < 1 || ENTRIES > 65536) begin : g_bad_entries
            cw_error_commit_unit_entries_must_be_1_to_65536 u_error ();
        end
        if (LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8 && LANES != 16 && LANES != 32) begin : g_bad_lanes
            cw_error_commit_unit_lanes_must_be_a_power_of_two_up_to_32 u_error ();
        end
        if (ENTRIES % LANES != 0) begin : g_bad_rows
            cw_error_commit_unit_entries_must_be_a_multiple_of_lanes u_error ();
        end
        if (CID_W < 1 || CID_W > 32) begin : g_bad_cid_w
            cw_error_commit_unit_cid_w_must_be_1_to_32 u_error ();
        end
        if (CID_W < 17 && ENTRIES > (1 << CID_W)) begin : g_bad_window
            cw_error_commit_unit_entries_must_not_exceed_two_to_the_cid_w u_error ();
        end
        if (FAIL_WAITS != 0 && FAIL_WAITS != 1) begin : g_bad_fail_waits
            cw_error_commit_unit_fail_waits_must_be_0_or_1 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
