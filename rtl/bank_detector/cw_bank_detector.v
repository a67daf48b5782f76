// SPDX-License-Identifier: Apache-2.0
//
// cw_bank_detector: conflicts between the transactions of a work-group, at one bank of the scratch-pad.
//
// Why         : a bank serves one access per cycle, so it can judge one per cycle, against all work-items of the group
//               at once.
// How         : a RAM per bit of a signature, a row per group, a column per work-item. The rows of the word's bits,
//               ANDed, are the work-items that hit it. A work-item that is not live is masked out, so a clear takes a
//               cycle; its first insertion writes its whole column. What the request before has inserted comes too late
//               for the row, so it is looked at by itself. cw_bank_detector_signatures has the RAMs.
// Latency     : 3 cycles: read the rows; AND, mask, reduce; judge by owner and by the request before.
// Throughput  : one request, one clear of work-items and one of a write signature per cycle.
// Comb. paths : none.
// Storage     : SIG_W RAMs of GROUPS rows of WORK_ITEMS bits; GROUPS * (WORK_ITEMS + waves * WSIG_W) flip-flops, and
//               about 200 more.
// Illegal use : as in the contract; undefined answers.
//
// Paper: Villegas et al., GPU-LocalTM improvements, sections 2.1, 3.1 and 4. Contract:
// include/cowarp/unit/bank_detector.h. C model: csim/unit/bank_detector.c. Datasheet: docs/units/bank_detector.md.

`default_nettype none

module cw_bank_detector #(
    parameter WORK_ITEMS = 256,  // 2 .. 256
    parameter LANE_W     = 6,    // 1 .. 6
    parameter GROUPS     = 16,   // 1 .. 16
    parameter WORD_W     = 9,    // 1 .. 12
    parameter SIG_W      = 8,    // 4, 8, 16, 32
    parameter WSIG_W     = 32,   // 8, 16, 32, 64
    parameter HASHES     = 2     // 1, 2
) (
    input  wire                                                   clk_i,
    input  wire                                                   rst_i,
    input  wire [1:0]                                             mode_i,
    // an access within a transaction, and what the bank knows of the word
    input  wire                                                   req_valid_i,
    input  wire [(GROUPS > 2 ? $clog2(GROUPS) : 1)-1:0]           req_group_i,
    input  wire [(WORK_ITEMS > 2 ? $clog2(WORK_ITEMS) : 1)-1:0]   req_item_i,
    input  wire [WORD_W-1:0]                                      req_word_i,
    input  wire                                                   req_write_i,
    input  wire                                                   req_owned_i,
    input  wire [(WORK_ITEMS > 2 ? $clog2(WORK_ITEMS) : 1)-1:0]   req_owner_i,
    input  wire                                                   req_shared_i,
    input  wire                                                   req_modified_i,
    // work-items commit or abort
    input  wire                                                   clr_valid_i,
    input  wire [(GROUPS > 2 ? $clog2(GROUPS) : 1)-1:0]           clr_group_i,
    input  wire [((WORK_ITEMS + (1 << LANE_W) - 1) >> LANE_W > 2
                  ? $clog2((WORK_ITEMS + (1 << LANE_W) - 1) >> LANE_W) : 1)-1:0] clr_wave_i,
    input  wire [(1<<LANE_W)-1:0]                                 clr_lanes_i,
    // a wavefront begins transactions
    input  wire                                                   wclr_valid_i,
    input  wire [(GROUPS > 2 ? $clog2(GROUPS) : 1)-1:0]           wclr_group_i,
    input  wire [((WORK_ITEMS + (1 << LANE_W) - 1) >> LANE_W > 2
                  ? $clog2((WORK_ITEMS + (1 << LANE_W) - 1) >> LANE_W) : 1)-1:0] wclr_wave_i,
    // the answer, three cycles after the request
    output wire                                                   ans_valid_o,
    output wire [(GROUPS > 2 ? $clog2(GROUPS) : 1)-1:0]           ans_group_o,
    output wire [(WORK_ITEMS > 2 ? $clog2(WORK_ITEMS) : 1)-1:0]   ans_item_o,
    output wire [WORD_W-1:0]                                      ans_word_o,
    output wire                                                   ans_conflict_o,
    output wire                                                   ans_met_o,
    output wire [(WORK_ITEMS > 2 ? $clog2(WORK_ITEMS) : 1)-1:0]   ans_owner_o,
    output wire                                                   ans_backup_o,
    output wire                                                   ans_own_o,
    output wire                                                   ans_share_o,
    output wire                                                   ans_modify_o,
    // no work-item of the group is live, three cycles after the clear
    output wire                                                   quiet_valid_o,
    output wire [(GROUPS > 2 ? $clog2(GROUPS) : 1)-1:0]           quiet_group_o,
    // status
    output wire                                                   busy_o
);

    localparam GROUP_W = GROUPS > 2 ? $clog2(GROUPS) : 1;
    localparam ITEM_W  = WORK_ITEMS > 2 ? $clog2(WORK_ITEMS) : 1;
    localparam LANES   = 1 << LANE_W;
    localparam WAVES   = (WORK_ITEMS + LANES - 1) >> LANE_W;
    localparam WAVE_W  = WAVES > 2 ? $clog2(WAVES) : 1;

    // Modes: enum cw_local_detect.
    localparam [1:0] SWO_SIG = 2'd1;
    localparam [1:0] DCD     = 2'd2;
    localparam [1:0] SMDCD   = 2'd3;

    // ---- Stage 1: the request comes; its rows are read

    wire                     sig_1 = !mode_i[1];
    wire [WAVE_W-1:0]        wave_1;   // of the request

    generate
        if (WAVES > 1) begin : g_waves
            assign wave_1 = req_item_i[ITEM_W-1:LANE_W];
        end else begin : g_wave
            assign wave_1 = 1'b0;
        end
    endgenerate

    // What leaves stage 3, and is on show in the next cycle: the answer to the request three cycles before.
    reg                ans_valid_q;
    reg  [GROUP_W-1:0] ans_group_q;
    reg  [ITEM_W-1:0]  ans_item_q;
    reg  [WORD_W-1:0]  ans_word_q;
    reg                ans_conflict_q;
    reg                ans_met_q;
    reg  [ITEM_W-1:0]  ans_owner_q;
    reg                ans_backup_q;
    reg                ans_own_q;
    reg                ans_share_q;
    reg                ans_modify_q;
    reg                quiet_q;
    reg  [GROUP_W-1:0] quiet_group_q;
    reg  [2:0]         busy_q;

    // What the bank does at the end of this cycle is news to a request of this cycle.
    wire same_1   = ans_group_q == req_group_i && ans_word_q == req_word_i;  // the strobes are 0 without an answer
    wire own_1    = same_1 && ans_own_q;
    wire quiet_1  = quiet_q && quiet_group_q == req_group_i;

    // ---- Stage 2: the rows are there

    reg                      valid_2_q;
    reg  [1:0]               mode_2_q;
    reg  [GROUP_W-1:0]       group_2_q;
    reg  [ITEM_W-1:0]        item_2_q;
    reg  [WAVE_W-1:0]        wave_2_q;
    reg  [WORD_W-1:0]        word_2_q;
    reg                      write_2_q;
    reg                      owned_2_q;
    reg  [ITEM_W-1:0]        owner_2_q;
    reg                      shared_2_q;
    reg                      modified_2_q;
    reg                      clr_2_q;
    reg  [GROUP_W-1:0]       clr_group_2_q;

    wire same_2   = ans_group_q == group_2_q && ans_word_q == word_2_q;
    wire own_2    = same_2 && ans_own_q;
    wire quiet_2  = quiet_q && quiet_group_q == group_2_q;
    wire owned_2  = owned_2_q || own_2;
    wire [ITEM_W-1:0] owner_2 = own_2 ? ans_item_q : owner_2_q;

    // ---- Stage 3: the request is judged

    reg                      valid_3_q;
    reg  [1:0]               mode_3_q;
    reg  [GROUP_W-1:0]       group_3_q;
    reg  [ITEM_W-1:0]        item_3_q;
    reg  [WAVE_W-1:0]        wave_3_q;
    reg  [WORD_W-1:0]        word_3_q;
    reg                      write_3_q;
    reg                      owned_3_q;
    reg  [ITEM_W-1:0]        owner_3_q;
    reg                      mine_3_q;
    reg                      shared_3_q;
    reg                      modified_3_q;
    reg                      prev_group_3_q;  // the request before: the same group
    reg                      prev_item_3_q;   // and work-item
    reg                      prev_word_3_q;   // and word
    reg  [WAVE_W-1:0]        prev_wave_3_q;
    reg                      clr_3_q;
    reg  [GROUP_W-1:0]       clr_group_3_q;
    reg                      prev_clr_3_q;    // whose group it is
    reg                      same_clr_3_q;    // the request's group it is
    reg                      drop_q;          // the request before has emptied its signature
    reg                      ins_q;           // the request before has been inserted into its signature
    reg                      wins_q;          // and into its write signature
    reg                      alive_q;         // or has made its work-item live

    wire    group_2 = valid_3_q && group_3_q == group_2_q;
    integer w;

    // ---- Stage 3: judge

    wire                    was_live_3;    // the work-item, before the request before
    wire                    others_3;      // a work-item hits, but this one and that of the request before
    wire [HASHES-1:0]       prev_bits_3;   // bits of the word in the signature of that one
    wire [HASHES-1:0]       prev_hash_3;   // the request before has the same bit of a signature
    wire [HASHES-1:0]       prev_whash_3;  // of a write signature
    wire [WAVES*HASHES-1:0] wbits_3;       // bits of the word in the write signatures
    wire                    clean_3;       // the wavefront has written nothing, not looking at the request before
    wire                    none_3;        // nobody of the group is live, not looking at the request before

    wire own_3    = prev_word_3_q && ans_own_q;  // the request before has become the owner
    wire owned    = owned_3_q || own_3;
    wire mine     = own_3 ? prev_item_3_q : mine_3_q;
    wire foreign  = owned && !mine;
    wire quiet_d  = clr_3_q && none_3 && !(prev_clr_3_q && alive_q);
    wire quiet_3  = (quiet_q && quiet_group_q == group_3_q) || (quiet_d && same_clr_3_q);
    wire shared   = (shared_3_q && !quiet_3) || (prev_word_3_q && ans_share_q);
    wire modified = modified_3_q || (prev_word_3_q && ans_modify_q);
    wire others   = others_3 || (prev_group_3_q && !prev_item_3_q && !drop_q
                                 && &(prev_bits_3 | (prev_hash_3 & {HASHES{ins_q}})));
    wire sig_3    = !mode_3_q[1];
    wire live_3   = was_live_3 || (prev_item_3_q && alive_q);
    reg  written;  // a write signature shows what may be another's write

    always @* begin
        written = 1'b0;
        for (w = 0; w < WAVES; w = w + 1)
            if (!(mine && w == {{(32-WAVE_W){1'b0}}, wave_3_q}))
                written = written || &(wbits_3[w*HASHES +: HASHES]
                                       | (prev_whash_3 & {HASHES{wins_q && prev_group_3_q
                                                                 && w == {{(32-WAVE_W){1'b0}}, prev_wave_3_q}}}));
    end

    reg  conflict;

    always @*
        case (mode_3_q)
            DCD:     conflict = foreign;
            SMDCD:   conflict = write_3_q ? shared || foreign : foreign && modified;
            SWO_SIG: conflict = others && (write_3_q || written);
            default: conflict = others;
        endcase

    wire ok     = valid_3_q && !conflict;
    wire ins    = ok && sig_3;
    wire wins   = ins && mode_3_q == SWO_SIG && write_3_q;
    wire sharer = ok && mode_3_q == SMDCD && foreign;
    wire alive  = ins || sharer;
    wire clean  = clean_3 && !(wins_q && prev_group_3_q && prev_wave_3_q == wave_3_q);
    wire drop   = valid_3_q && conflict && mode_3_q == SWO_SIG && write_3_q && clean;
    wire backup = ok && (mode_3_q == DCD ? !mine : write_3_q && (sig_3 ? !mine : !(mine && modified)));

    // ---- Signatures

    /* verilator lint_off UNUSED */  // its lanes beyond WORK_ITEMS
    wire [WAVES*LANES-1:0] clr_places = {{((WAVES-1)*LANES){1'b0}}, clr_lanes_i} << {clr_wave_i, {LANE_W{1'b0}}};
    /* verilator lint_on UNUSED */

    cw_bank_detector_signatures #(
        .WORK_ITEMS(WORK_ITEMS),
        .GROUP_W   (GROUP_W),
        .ITEM_W    (ITEM_W),
        .WAVES     (WAVES),
        .WAVE_W    (WAVE_W),
        .WORD_W    (WORD_W),
        .SIG_W     (SIG_W),
        .WSIG_W    (WSIG_W),
        .HASHES    (HASHES)
    ) u_signatures (
        .clk_i         (clk_i),
        .rst_i         (rst_i),
        .req_valid_i   (req_valid_i),
        .sig_i         (sig_1),
        .req_group_i   (req_group_i),
        .req_word_i    (req_word_i),
        .valid_2_i     (valid_2_q),
        .group_2_i     (group_2_q),
        .item_2_i      (item_2_q),
        .wave_2_i      (wave_2_q),
        .valid_3_i     (valid_3_q),
        .group_3_i     (group_3_q),
        .item_3_i      (item_3_q),
        .wave_3_i      (wave_3_q),
        .prev_group_i  (group_2),
        .live_3_o      (was_live_3),
        .others_3_o    (others_3),
        .prev_bits_3_o (prev_bits_3),
        .prev_hash_3_o (prev_hash_3),
        .prev_whash_3_o(prev_whash_3),
        .wbits_3_o     (wbits_3),
        .clean_3_o     (clean_3),
        .ins_i         (ins),
        .wins_i        (wins),
        .alive_i       (alive),
        .live_3_i      (live_3),
        .drop_i        (drop),
        .clr_valid_i   (clr_valid_i),
        .clr_group_i   (clr_group_i),
        .clr_items_i   (clr_places[WORK_ITEMS-1:0]),
        .clr_2_i       (clr_2_q),
        .clr_group_2_i (clr_group_2_q),
        .none_3_o      (none_3),
        .wclr_valid_i  (wclr_valid_i),
        .wclr_group_i  (wclr_group_i),
        .wclr_wave_i   (wclr_wave_i)
    );

    always @(posedge clk_i)
        if (rst_i) begin
            valid_2_q <= 1'b0;
            clr_2_q   <= 1'b0;
            valid_3_q <= 1'b0;
            clr_3_q   <= 1'b0;
            drop_q    <= 1'b0;
            ins_q     <= 1'b0;
            wins_q    <= 1'b0;
            alive_q   <= 1'b0;
            busy_q    <= 3'd0;
        end else begin
            valid_2_q <= req_valid_i;
            clr_2_q   <= clr_valid_i;
            valid_3_q <= valid_2_q;
            clr_3_q   <= clr_2_q;
            drop_q    <= drop;
            ins_q     <= ins;
            wins_q    <= wins;
            alive_q   <= alive;
            busy_q    <= {busy_q[1:0], req_valid_i || clr_valid_i};
        end

    always @(posedge clk_i) begin
        if (req_valid_i) begin
            mode_2_q     <= mode_i;
            group_2_q    <= req_group_i;
            item_2_q     <= req_item_i;
            wave_2_q     <= wave_1;
            word_2_q     <= req_word_i;
            write_2_q    <= req_write_i;
            owned_2_q    <= req_owned_i || own_1;
            owner_2_q    <= own_1 ? ans_item_q : req_owner_i;
            shared_2_q   <= (req_shared_i && !quiet_1) || (same_1 && ans_share_q);
            modified_2_q <= req_modified_i || (same_1 && ans_modify_q);
        end
        clr_group_2_q <= clr_group_i;
    end

    always @(posedge clk_i) begin
        if (valid_2_q) begin
            mode_3_q       <= mode_2_q;
            group_3_q      <= group_2_q;
            item_3_q       <= item_2_q;
            wave_3_q       <= wave_2_q;
            word_3_q       <= word_2_q;
            write_3_q      <= write_2_q;
            owned_3_q      <= owned_2;
            owner_3_q      <= owner_2;
            mine_3_q       <= owned_2 && owner_2 == item_2_q;
            shared_3_q     <= (shared_2_q && !quiet_2) || (same_2 && ans_share_q);
            modified_3_q   <= modified_2_q || (same_2 && ans_modify_q);
            prev_group_3_q <= group_2;
            prev_item_3_q  <= group_2 && item_3_q == item_2_q;
            prev_word_3_q  <= group_2 && word_3_q == word_2_q;
            prev_wave_3_q  <= wave_3_q;
        end
        clr_group_3_q  <= clr_group_2_q;
        prev_clr_3_q   <= group_3_q == clr_group_2_q;
        same_clr_3_q   <= group_2_q == clr_group_2_q;
    end

    always @(posedge clk_i)
        if (rst_i) begin
            ans_valid_q    <= 1'b0;
            ans_group_q    <= {GROUP_W{1'b0}};
            ans_item_q     <= {ITEM_W{1'b0}};
            ans_word_q     <= {WORD_W{1'b0}};
            ans_conflict_q <= 1'b0;
            ans_met_q      <= 1'b0;
            ans_owner_q    <= {ITEM_W{1'b0}};
            ans_backup_q   <= 1'b0;
            ans_own_q      <= 1'b0;
            ans_share_q    <= 1'b0;
            ans_modify_q   <= 1'b0;
            quiet_q        <= 1'b0;
            quiet_group_q  <= {GROUP_W{1'b0}};
        end else begin
            ans_valid_q    <= valid_3_q;
            ans_group_q    <= group_3_q & {GROUP_W{valid_3_q}};
            ans_item_q     <= item_3_q & {ITEM_W{valid_3_q}};
            ans_word_q     <= word_3_q & {WORD_W{valid_3_q}};
            ans_conflict_q <= valid_3_q && conflict;
            ans_met_q      <= valid_3_q && conflict && foreign;
            ans_owner_q    <= (own_3 ? ans_item_q : owner_3_q) & {ITEM_W{valid_3_q && conflict && foreign}};
            ans_backup_q   <= backup;
            ans_own_q      <= sig_3 ? backup : ok && !owned;
            ans_share_q    <= sharer && !shared;
            ans_modify_q   <= backup && mode_3_q == SMDCD;
            quiet_q        <= quiet_d;
            quiet_group_q  <= clr_group_3_q & {GROUP_W{quiet_d}};
        end

    assign ans_valid_o    = ans_valid_q;
    assign ans_group_o    = ans_group_q;
    assign ans_item_o     = ans_item_q;
    assign ans_word_o     = ans_word_q;
    assign ans_conflict_o = ans_conflict_q;
    assign ans_met_o      = ans_met_q;
    assign ans_owner_o    = ans_owner_q;
    assign ans_backup_o   = ans_backup_q;
    assign ans_own_o      = ans_own_q;
    assign ans_share_o    = ans_share_q;
    assign ans_modify_o   = ans_modify_q;
    assign quiet_valid_o  = quiet_q;
    assign quiet_group_o  = quiet_group_q;
    assign busy_o         = |busy_q;

`ifdef CW_PROPERTIES
    cw_nonsynth_bank_detector #(
        .WORK_ITEMS(WORK_ITEMS),
        .LANE_W    (LANE_W),
        .GROUP_W   (GROUP_W),
        .ITEM_W    (ITEM_W),
        .WAVE_W    (WAVE_W),
        .WORD_W    (WORD_W)
    ) u_properties (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .req_i({mode_i, req_valid_i, req_group_i, req_item_i, req_word_i, req_write_i, req_owned_i, req_owner_i,
                req_shared_i, req_modified_i}),
        .clr_i({clr_valid_i, clr_group_i, clr_places[WORK_ITEMS-1:0], wclr_valid_i, wclr_group_i, wclr_wave_i}),
        .ans_i({ans_valid_o, ans_group_o, ans_item_o, ans_word_o, ans_conflict_o, ans_met_o, ans_owner_o,
                ans_backup_o, ans_own_o, ans_share_o, ans_modify_o, quiet_valid_o, quiet_group_o})
    );
`endif

    generate
        if (WORK_ITEMS < 2 || WORK_ITEMS > 256) begin : g_bad_work_items
            cw_error_bank_detector_work_items_must_be_2_to_256 u_error ();
        end
        if (LANE_W < 1 || LANE_W > 6) begin : g_bad_lane_w
            cw_error_bank_detector_lane_w_must_be_1_to_6 u_error ();
        end
        if (GROUPS < 1 || GROUPS > 16) begin : g_bad_groups
            cw_error_bank_detector_groups_must_be_1_to_16 u_error ();
        end
        if (WORD_W < 1 || WORD_W > 12) begin : g_bad_word_w
            cw_error_bank_detector_word_w_must_be_1_to_12 u_error ();
        end
        if (SIG_W != 4 && SIG_W != 8 && SIG_W != 16 && SIG_W != 32) begin : g_bad_sig_w
            cw_error_bank_detector_sig_w_must_be_4_8_16_or_32 u_error ();
        end
        if (WSIG_W != 8 && WSIG_W != 16 && WSIG_W != 32 && WSIG_W != 64) begin : g_bad_wsig_w
            cw_error_bank_detector_wsig_w_must_be_8_16_32_or_64 u_error ();
        end
        if (HASHES < 1 || HASHES > 2) begin : g_bad_hashes
            cw_error_bank_detector_hashes_must_be_1_or_2 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
