// SPDX-License-Identifier: Apache-2.0
//
// cw_bank_detector: conflicts between the transactions of a work-group, at one bank of the scratch-pad.
//
// Why         : a bank serves one access per cycle, so it can judge one per cycle, against all work-items of the group at once.
// How         : a RAM per bit of a signature, a row per group, a column per work-item. The rows of the word's bits, ANDed, are the work-items
//               that hit it. A work-item that is not live is masked out, so a clear takes a cycle; its first insertion writes its whole column.
//               What the request before has inserted comes too late for the row, so it is looked at by itself.
// Latency     : 3 cycles: read the rows; AND, mask, reduce; judge by owner and by the request before.
// Throughput  : one request, one clear of work-items and one of a write signature per cycle.
// Comb. paths : none.
// Storage     : SIG_W RAMs of GROUPS rows of WORK_ITEMS bits; GROUPS * (WORK_ITEMS + waves * WSIG_W) flip-flops, and about 200 more.
// Illegal use : as in the contract; undefined answers.
//
// Paper: Villegas et al., GPU-LocalTM improvements, sections 2.1, 3.1 and 4. Contract: include/cowarp/unit/bank_detector.h.
// C model: csim/unit/bank_detector.c. Datasheet: docs/units/bank_detector.md.

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
    input  wire [((WORK_ITEMS + (1 << LANE_W) - 1) >> LANE_W > 2 ? $clog2((WORK_ITEMS + (1 << LANE_W) - 1) >> LANE_W) : 1)-1:0] clr_wave_i,
    input  wire [(1<<LANE_W)-1:0]                                 clr_lanes_i,
    // a wavefront begins transactions
    input  wire                                                   wclr_valid_i,
    input  wire [(GROUPS > 2 ? $clog2(GROUPS) : 1)-1:0]           wclr_group_i,
    input  wire [((WORK_ITEMS + (1 << LANE_W) - 1) >> LANE_W > 2 ? $clog2((WORK_ITEMS + (1 << LANE_W) - 1) >> LANE_W) : 1)-1:0] wclr_wave_i,
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
    localparam PART    = SIG_W / HASHES;   // bits of a part of a signature
    localparam WPART   = WSIG_W / HASHES;  // of a write signature
    localparam HASH_W  = $clog2(PART);
    localparam WHASH_W = $clog2(WPART);
    localparam ITEMS   = 1 << ITEM_W;      // places of a group's work-items

    // Modes: enum cw_local_detect.
    localparam [1:0] SWO_SIG = 2'd1;
    localparam [1:0] DCD     = 2'd2;
    localparam [1:0] SMDCD   = 2'd3;

    // Seeds of the H3 hashes, of ways 0 to 3 (rtl/README.md): signatures have the first two, write signatures the last two.
    localparam [127:0] SEEDS = {32'h40102030, 32'h30401020, 32'h20304010, 32'h10203040};

    // ---- Stage 1: the request comes; its rows are read

    wire                     sig_1 = !mode_i[1];
    wire [HASHES*PART-1:0]   sel_1;    // of each part, the bit of the word, one-hot
    wire [HASHES*WHASH_W-1:0] whash_1;  // of each part of a write signature, the number of the bit
    wire [HASHES*PART*WORK_ITEMS-1:0] rows;  // of each bit of a signature
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
    reg  [HASHES*PART-1:0]   sel_2_q;
    reg  [HASHES*WHASH_W-1:0] whash_2_q;
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
    reg  [HASHES*PART-1:0]   sel_3_q;
    reg  [HASHES*WHASH_W-1:0] whash_3_q;
    reg                      live_3_q;        // the work-item
    reg                      others_3_q;      // a work-item hits, not looking at this one and at that of the request before
    reg  [HASHES-1:0]        prev_bits_3_q;   // bits of the word in the signature of that one, before the request before
    reg  [WAVES*HASHES-1:0]  wbits_3_q;       // bits of the word in the write signatures
    reg                      prev_group_3_q;  // the request before: the same group
    reg                      prev_item_3_q;   // and work-item
    reg                      prev_word_3_q;   // and word
    reg  [HASHES-1:0]        prev_hash_3_q;   // the same bit of a signature
    reg  [HASHES-1:0]        prev_whash_3_q;  // of a write signature
    reg  [WAVE_W-1:0]        prev_wave_3_q;
    reg                      clr_3_q;
    reg  [GROUP_W-1:0]       clr_group_3_q;
    reg                      none_3_q;        // nobody of this group is live, not looking at the request before
    reg                      prev_clr_3_q;    // whose group it is
    reg                      same_clr_3_q;    // the request's group it is
    reg                      clean_3_q;       // the wavefront has written nothing, not looking at the request before
    reg                      drop_q;          // the request before has emptied its signature
    reg                      ins_q;           // the request before has been inserted into its signature
    reg                      wins_q;          // and into its write signature
    reg                      alive_q;         // or has made its work-item live

    // The write of the request before the one before, in case the row was read before it.
    reg  [HASHES*PART-1:0]   fwd_en_q;
    reg  [HASHES*PART-1:0]   fwd_bit_q;
    reg  [GROUP_W-1:0]       fwd_group_q;
    reg  [ITEM_W-1:0]        fwd_item_q;

    reg  [(ITEMS<<GROUP_W)-1:0]               live_q;     // work-item lowest, then group
    reg  [((WSIG_W<<WAVE_W)<<GROUP_W)-1:0]    written_q;  // bit lowest, then wavefront, then group

    localparam [WORK_ITEMS-1:0] ONE = {{(WORK_ITEMS-1){1'b0}}, 1'b1};

    wire    group_2 = valid_3_q && group_3_q == group_2_q;
    integer i;
    integer v;
    integer n;
    integer h;
    integer w;

    // ---- Stage 3: judge

    wire own_3    = prev_word_3_q && ans_own_q;  // the request before has become the owner
    wire owned    = owned_3_q || own_3;
    wire mine     = own_3 ? prev_item_3_q : mine_3_q;
    wire foreign  = owned && !mine;
    wire quiet_d  = clr_3_q && none_3_q && !(prev_clr_3_q && alive_q);
    wire quiet_3  = (quiet_q && quiet_group_q == group_3_q) || (quiet_d && same_clr_3_q);
    wire shared   = (shared_3_q && !quiet_3) || (prev_word_3_q && ans_share_q);
    wire modified = modified_3_q || (prev_word_3_q && ans_modify_q);
    wire others   = others_3_q || (prev_group_3_q && !prev_item_3_q && !drop_q && &(prev_bits_3_q | (prev_hash_3_q & {HASHES{ins_q}})));
    wire sig_3    = !mode_3_q[1];
    wire live_3   = live_3_q || (prev_item_3_q && alive_q);
    reg  written;  // a write signature shows what may be another's write

    always @* begin
        written = 1'b0;
        for (w = 0; w < WAVES; w = w + 1)
            if (!(mine && w == {{(32-WAVE_W){1'b0}}, wave_3_q}))
                written = written || &(wbits_3_q[w*HASHES +: HASHES]
                                       | (prev_whash_3_q & {HASHES{wins_q && prev_group_3_q && w == {{(32-WAVE_W){1'b0}}, prev_wave_3_q}}}));
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
    wire clean  = clean_3_q && !(wins_q && prev_group_3_q && prev_wave_3_q == wave_3_q);
    wire drop   = valid_3_q && conflict && mode_3_q == SWO_SIG && write_3_q && clean;
    wire backup = ok && (mode_3_q == DCD ? !mine : write_3_q && (sig_3 ? !mine : !(mine && modified)));
    wire [HASHES*PART-1:0] put_en  = (sel_3_q & {(HASHES*PART){ins}}) | {(HASHES*PART){(alive && !live_3) || drop}};
    wire [HASHES*PART-1:0] put_bit = sel_3_q & {(HASHES*PART){ins}};

    // ---- State

    /* verilator lint_off UNUSED */  // its lanes beyond WORK_ITEMS
    wire [WAVES*LANES-1:0] clr_places = {{((WAVES-1)*LANES){1'b0}}, clr_lanes_i} << {clr_wave_i, {LANE_W{1'b0}}};
    /* verilator lint_on UNUSED */

    // Each group's flip-flops, and each wavefront's of a group, have an enable of their own: a clock gate can stand before them.
    reg  [WORK_ITEMS-1:0]  put_mask;
    reg  [WSIG_W-1:0]      put_written;
    integer                g;
    integer                k;

    always @(posedge clk_i)
        if (rst_i)
            live_q <= {(ITEMS<<GROUP_W){1'b0}};
        else if (clr_valid_i || alive)
            for (g = 0; g < 1 << GROUP_W; g = g + 1)
                if ((clr_valid_i && clr_group_i == g[GROUP_W-1:0]) || (alive && group_3_q == g[GROUP_W-1:0]))
                    live_q[g*ITEMS +: WORK_ITEMS] <=
                        (live_q[g*ITEMS +: WORK_ITEMS] & ~(clr_places[WORK_ITEMS-1:0] & {WORK_ITEMS{clr_valid_i && clr_group_i == g[GROUP_W-1:0]}}))
                        | (put_mask & {WORK_ITEMS{alive && group_3_q == g[GROUP_W-1:0]}});

    always @* begin
        put_mask = {WORK_ITEMS{1'b0}};
        if (valid_3_q)
            put_mask = ONE << item_3_q;
    end

    always @* begin
        put_written = {WSIG_W{1'b0}};
        for (k = 0; k < HASHES; k = k + 1)
            put_written[k*WPART + {{(32-WHASH_W){1'b0}}, whash_3_q[k*WHASH_W +: WHASH_W]}] = wins;
    end

    integer                s;
    wire [31:0]            wclr_place = {{(32-GROUP_W-WAVE_W){1'b0}}, wclr_group_i, wclr_wave_i};
    wire [31:0]            wins_place = {{(32-GROUP_W-WAVE_W){1'b0}}, group_3_q, wave_3_q};

    always @(posedge clk_i)
        if (rst_i)
            written_q <= {((WSIG_W<<WAVE_W)<<GROUP_W){1'b0}};
        else if (wclr_valid_i || wins)
            for (s = 0; s < 1 << (GROUP_W + WAVE_W); s = s + 1)
                if ((wclr_valid_i && wclr_place == s) || (wins && wins_place == s))
                    written_q[s*WSIG_W +: WSIG_W] <= (written_q[s*WSIG_W +: WSIG_W] & ~{WSIG_W{wclr_valid_i && wclr_place == s}})
                                                     | (put_written & {WSIG_W{wins_place == s}});

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
            fwd_en_q  <= {(HASHES*PART){1'b0}};
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
            fwd_en_q  <= put_en;
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
            sel_2_q      <= sel_1;
            whash_2_q    <= whash_1;
        end
        clr_group_2_q <= clr_group_i;
    end

    always @(posedge clk_i) begin
        if (valid_2_q) begin : hit
            reg [WORK_ITEMS-1:0]       live_2;
            reg [WORK_ITEMS-1:0]       self_2;
            reg [WORK_ITEMS-1:0]       prev_2;
            reg [WORK_ITEMS-1:0]       fwd_2;
            reg [WORK_ITEMS-1:0]       row_2;
            reg [WORK_ITEMS-1:0]       hits_2;
            reg [(WSIG_W<<WAVE_W)-1:0] written_2;

            live_2    = live_q[{group_2_q, {ITEM_W{1'b0}}} +: WORK_ITEMS];
            self_2    = ONE << item_2_q;
            prev_2    = ONE << item_3_q;
            fwd_2     = ONE << fwd_item_q;
            hits_2    = live_2;
            written_2 = written_q[group_2_q*(WSIG_W<<WAVE_W) +: (WSIG_W<<WAVE_W)];
            for (i = 0; i < HASHES; i = i + 1) begin
                row_2 = {WORK_ITEMS{1'b0}};
                for (v = i*PART; v < (i+1)*PART; v = v + 1)
                    if (sel_2_q[v])
                        row_2 = row_2 | (fwd_en_q[v] && fwd_group_q == group_2_q
                                         ? (rows[v*WORK_ITEMS +: WORK_ITEMS] & ~fwd_2) | (fwd_2 & {WORK_ITEMS{fwd_bit_q[v]}})
                                         : rows[v*WORK_ITEMS +: WORK_ITEMS]);
                hits_2 = hits_2 & row_2;
                prev_bits_3_q[i]  <= |(row_2 & live_2 & prev_2);
                prev_hash_3_q[i]  <= sel_2_q[i*PART +: PART] == sel_3_q[i*PART +: PART];
                prev_whash_3_q[i] <= whash_2_q[i*WHASH_W +: WHASH_W] == whash_3_q[i*WHASH_W +: WHASH_W];
            end
            hits_2 = hits_2 & ~self_2 & ~(prev_2 & {WORK_ITEMS{group_2}});
            for (n = 0; n < WAVES; n = n + 1)
                for (h = 0; h < HASHES; h = h + 1)
                    wbits_3_q[n*HASHES+h] <= written_2[n*WSIG_W + h*WPART + {{(32-WHASH_W){1'b0}}, whash_2_q[h*WHASH_W +: WHASH_W]}];
            clean_3_q      <= !(|written_2[wave_2_q*WSIG_W +: WSIG_W]);
            live_3_q       <= |(live_2 & self_2);
            others_3_q     <= |hits_2;
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
            sel_3_q        <= sel_2_q;
            whash_3_q      <= whash_2_q;
            prev_group_3_q <= group_2;
            prev_item_3_q  <= group_2 && item_3_q == item_2_q;
            prev_word_3_q  <= group_2 && word_3_q == word_2_q;
            prev_wave_3_q  <= wave_3_q;
        end
        if (clr_2_q)
            none_3_q <= !(|live_q[{clr_group_2_q, {ITEM_W{1'b0}}} +: WORK_ITEMS]);
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

    always @(posedge clk_i)
        if (alive || drop) begin
            fwd_bit_q   <= put_bit;
            fwd_group_q <= group_3_q;
            fwd_item_q  <= item_3_q;
        end

    // ---- Hashes and RAMs

    generate
        genvar gi;
        genvar gv;
        for (gi = 0; gi < HASHES; gi = gi + 1) begin : g_part
            wire [HASH_W-1:0] hash;

            cw_h3_hash #(
                .KEY_W(WORD_W),
                .OUT_W(HASH_W),
                .SEED (SEEDS[gi*32 +: 32])
            ) u_hash (
                .en_i  (1'b1),
                .key_i (req_word_i),
                .hash_o(hash)
            );

            cw_h3_hash #(
                .KEY_W(WORD_W),
                .OUT_W(WHASH_W),
                .SEED (SEEDS[(2+gi)*32 +: 32])
            ) u_whash (
                .en_i  (1'b1),
                .key_i (req_word_i),
                .hash_o(whash_1[gi*WHASH_W +: WHASH_W])
            );

            for (gv = 0; gv < PART; gv = gv + 1) begin : g_bit
                assign sel_1[gi*PART+gv] = hash == gv;

                cw_ram_1r1w_mask #(
                    .ADDR_W(GROUP_W),
                    .DATA_W(WORK_ITEMS)
                ) u_ram (
                    .clk_i    (clk_i),
                    .rd_en_i  (req_valid_i && sig_1 && sel_1[gi*PART+gv]),
                    .rd_addr_i(req_group_i),
                    .rd_data_o(rows[(gi*PART+gv)*WORK_ITEMS +: WORK_ITEMS]),
                    .wr_en_i  (put_en[gi*PART+gv]),
                    .wr_addr_i(group_3_q),
                    .wr_mask_i(put_mask),
                    .wr_bit_i (put_bit[gi*PART+gv])
                );
            end
        end
    endgenerate

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
    // One word of one group, and one work-item X of the group, as the ports have shown them. Answers come three cycles after their requests, so
    // clears wait as long here: then all comes in the order of the contract.
    localparam F_W = GROUP_W + ITEM_W + WORD_W;
    reg                f_past_q = 1'b0;
    wire [F_W-1:0]     f_choice;
    wire [GROUP_W-1:0] f_group = f_choice[F_W-1:ITEM_W+WORD_W];
    wire [ITEM_W-1:0]  f_item  = f_choice[ITEM_W+WORD_W-1:WORD_W];
    wire [WORD_W-1:0]  f_word  = f_choice[WORD_W-1:0];

    cw_nonsynth_choice #(
        .W(F_W)
    ) u_choice (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (req_valid_i),
        .value_i ({req_group_i, req_item_i, req_word_i}),
        .choice_o(f_choice)
    );

    // The requests of three cycles, newest lowest.
    reg  [2:0]           f_valid_q;
    reg  [2:0]           f_write_q;
    reg  [3*F_W-1:0]     f_names_q;
    // The clears of the group.
    reg  [2:0]           f_clr_q;
    reg  [3*WORK_ITEMS-1:0] f_gone_q;
    // The mode has not changed, nobody has done what is illegal, and the bank has sent what it keeps.
    reg                  f_fair_q;
    reg                  f_begun_q;
    reg  [1:0]           f_old_q;      // and for two cycles: clears of three cycles before are those of the chosen group
    reg  [1:0]           f_mode_q;
    // The word in the bank.
    reg                  f_owned_q;
    reg  [ITEM_W-1:0]    f_owner_q;
    reg                  f_shared_q;
    reg                  f_modified_q;
    // X in its transaction: has accessed the word, has written it, and has been told to back it up.
    reg                  f_has_q;
    reg                  f_wrote_q;
    reg                  f_saved_q;
    reg  [WORK_ITEMS-1:0] f_live_q;    // work-items of the group that have accessed anything
    reg                  f_sharing_q;  // smdcd: X reads the word, and is not its owner

    wire [WORK_ITEMS-1:0] f_going = clr_places[WORK_ITEMS-1:0] & {WORK_ITEMS{clr_valid_i && clr_group_i == f_group}};
    wire                 f_freed  = |(f_going & (ONE << f_owner_q));  // the owner ends in this cycle
    wire                 f_asks   = req_valid_i && req_group_i == f_group && req_word_i == f_word;
    wire                 f_sent   = req_owned_i == (f_owned_q && !f_freed) && (!req_owned_i || req_owner_i == f_owner_q)
                                    && req_shared_i == f_shared_q && req_modified_i == (f_modified_q && !f_freed);
    wire [31:0]          f_wave_of = {{(32-ITEM_W){1'b0}}, f_item} >> LANE_W;
    wire [WAVE_W-1:0]    f_wave   = f_wave_of[WAVE_W-1:0];
    wire [WORK_ITEMS-1:0] f_leaves = f_going | f_gone_q[0 +: WORK_ITEMS] | f_gone_q[WORK_ITEMS +: WORK_ITEMS]
                                     | f_gone_q[2*WORK_ITEMS +: WORK_ITEMS];
    reg                  f_early;  // a clear that comes too early, or a write signature that is still needed
    integer              f_n;

    always @* begin
        f_early = wclr_valid_i && wclr_group_i == f_group && wclr_wave_i == f_wave && f_wrote_q && !(|(f_leaves & (ONE << f_item)));
        for (f_n = 0; f_n < 3; f_n = f_n + 1)
            if (f_valid_q[f_n]) begin
                f_early = f_early || (clr_valid_i && clr_group_i == f_names_q[f_n*F_W+ITEM_W+WORD_W +: GROUP_W]
                                      && |(clr_places[WORK_ITEMS-1:0] & (ONE << f_names_q[f_n*F_W+WORD_W +: ITEM_W])));
                f_early = f_early || (wclr_valid_i && wclr_group_i == f_names_q[f_n*F_W+ITEM_W+WORD_W +: GROUP_W]
                                      && {{(32-WAVE_W){1'b0}}, wclr_wave_i} == {{(32-ITEM_W){1'b0}}, f_names_q[f_n*F_W+WORD_W +: ITEM_W]} >> LANE_W);
            end
    end

    // The slot that is answered: first its clear, then its request.
    wire [WORK_ITEMS-1:0] f_gone  = f_gone_q[2*WORK_ITEMS +: WORK_ITEMS];
    wire                 f_ends   = |(f_gone & (ONE << f_item));
    wire                 f_has    = f_has_q && !f_ends;
    wire                 f_wrote  = f_wrote_q && !f_ends;
    wire                 f_saved  = f_saved_q && !f_ends;
    wire                 f_sharing = f_sharing_q && !f_ends;
    wire [WORK_ITEMS-1:0] f_live  = f_live_q & ~f_gone;
    wire                 f_shared = f_shared_q && !(quiet_valid_o && quiet_group_o == f_group);
    wire                 f_write  = f_write_q[2];
    wire                 f_ok     = ans_valid_o && !ans_conflict_o && ans_group_o == f_group;
    wire                 f_here   = ans_valid_o && ans_group_o == f_group && ans_word_o == f_word;
    wire                 f_other  = f_here && ans_item_o != f_item;
    wire                 f_self   = f_here && ans_item_o == f_item;
    wire                 f_exact  = f_mode_q[1];
    wire                 f_lost   = ans_conflict_o && ans_group_o == f_group && ans_item_o == f_item && f_write && f_mode_q == SWO_SIG;

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i) begin
            f_valid_q    <= 3'd0;
            f_clr_q      <= 3'd0;
            f_gone_q     <= 0;
            f_fair_q     <= 1'b1;
            f_begun_q    <= 1'b0;
            f_old_q      <= 2'd0;
            f_mode_q     <= 2'd0;
            f_owned_q    <= 1'b0;
            f_owner_q    <= 0;
            f_shared_q   <= 1'b0;
            f_modified_q <= 1'b0;
            f_has_q      <= 1'b0;
            f_wrote_q    <= 1'b0;
            f_saved_q    <= 1'b0;
            f_live_q     <= 0;
            f_sharing_q  <= 1'b0;
        end else begin
            f_valid_q    <= {f_valid_q[1:0], req_valid_i};
            f_write_q    <= {f_write_q[1:0], req_write_i};
            f_names_q    <= {f_names_q[2*F_W-1:0], req_group_i, req_item_i, req_word_i};
            f_clr_q      <= {f_clr_q[1:0], clr_valid_i && clr_group_i == f_group};
            f_gone_q     <= {f_gone_q[2*WORK_ITEMS-1:0], f_going};
            f_begun_q    <= f_begun_q || req_valid_i;
            f_old_q      <= {f_old_q[0], f_begun_q};
            if (req_valid_i && !f_begun_q)
                f_mode_q <= mode_i;
            f_fair_q     <= f_fair_q && !f_early && !(req_valid_i && f_begun_q && mode_i != f_mode_q)
                            && !(req_valid_i && {1'b0, req_item_i} >= WORK_ITEMS) && !(f_asks && !f_sent);
            // The owner's words are freed when it is cleared; the answer of the same cycle may be another one's.
            f_owned_q    <= (f_here && ans_own_o) || (f_owned_q && !f_freed);
            f_modified_q <= (f_here && ans_modify_o) || (f_modified_q && !f_freed);
            f_shared_q   <= (f_here && ans_share_o) || f_shared;
            if (f_here && ans_own_o)
                f_owner_q <= ans_item_o;
            f_has_q      <= (f_has && !f_lost) || (f_self && f_ok);
            f_wrote_q    <= f_wrote || (f_self && f_ok && f_write);
            f_saved_q    <= f_saved || (f_self && ans_backup_o);
            f_live_q     <= f_live | ((ONE << ans_item_o) & {WORK_ITEMS{f_ok && ans_group_o == f_group}});
            f_sharing_q  <= f_sharing || (f_self && f_ok && f_mode_q == SMDCD && f_owned_q && f_owner_q != f_item);
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. A request is answered three cycles later, by its names, and what is not an answer is 0.
            assert (ans_valid_o == f_valid_q[2] && (!ans_valid_o || {ans_group_o, ans_item_o, ans_word_o} == f_names_q[2*F_W +: F_W]));
            assert (ans_valid_o || !(|{ans_group_o, ans_item_o, ans_word_o, ans_conflict_o, ans_met_o, ans_owner_o, ans_backup_o, ans_own_o,
                                       ans_share_o, ans_modify_o}));
            assert (!ans_conflict_o || !(ans_backup_o || ans_own_o || ans_share_o || ans_modify_o));
            assert (ans_conflict_o || !(ans_met_o || |ans_owner_o));
            cover (f_fair_q && f_valid_q == 3'd7 && ans_conflict_o && ans_met_o);
            if (f_fair_q) begin
                // 2. Signatures have no false negative: what X has written conflicts with any access, what X has read with any write, by swo-sig
                // until a write of X conflicts.
                if (f_other && !f_exact)
                    assert (!((f_has && (f_write || f_mode_q != SWO_SIG)) || f_wrote) || ans_conflict_o);
                cover (f_other && f_mode_q == SWO_SIG && f_wrote && !f_write && ans_conflict_o);
                cover (f_other && f_mode_q == SWO_SIG && f_has && !f_wrote && !f_write && !ans_conflict_o);
                cover (f_other && f_mode_q == 2'd0 && f_has && !f_wrote && !f_write && ans_conflict_o);
                // 3. Directories have no false negative either.
                if (f_other && f_exact)
                    assert (!((f_has && (f_write || f_mode_q == DCD)) || f_wrote) || ans_conflict_o);
                cover (f_other && f_mode_q == SMDCD && f_wrote && !f_write && ans_conflict_o);
                cover (f_other && f_mode_q == SMDCD && f_sharing && f_write && ans_conflict_o && !ans_met_o);
                // 4. DCD has no false positive: who conflicts meets the owner, and the owner has accessed the word in its transaction.
                if (f_here && f_mode_q == DCD && ans_conflict_o)
                    assert (ans_met_o && ans_owner_o != ans_item_o && (ans_owner_o != f_item || f_has));
                cover (f_other && f_mode_q == DCD && ans_conflict_o && ans_owner_o == f_item);
                // 5. SMDCD has none but those of S: who conflicts meets an owner, one of both with a write, or writes what is shared.
                if (f_here && f_mode_q == SMDCD && ans_conflict_o) begin
                    assert (ans_met_o || (f_write && f_shared));
                    assert (!ans_met_o || (ans_owner_o != ans_item_o && (ans_owner_o != f_item || (f_has && (f_write || f_wrote)))));
                end
                cover (f_here && f_mode_q == SMDCD && ans_conflict_o && !ans_met_o);
                // 6. By signatures nobody conflicts alone: another work-item of the group has accessed something.
                if (ans_conflict_o && ans_group_o == f_group && !f_exact)
                    assert (|(f_live & ~(ONE << ans_item_o)));
                cover (ans_conflict_o && f_here && !f_exact && !f_has && !ans_met_o);
                // 7. The group is quiet exactly when no work-item is live; by SMDCD X is not while it reads a word that another one owns.
                if (f_clr_q[2] && f_old_q[1])
                    assert (quiet_valid_o ? quiet_group_o == f_group && !f_sharing && (f_exact || !(|f_live)) : |f_live);
                assert (!quiet_valid_o || quiet_group_o != f_group || f_clr_q[2] || !f_old_q[1]);
                cover (quiet_valid_o && f_begun_q && f_mode_q == SMDCD && f_shared_q);
                cover (f_clr_q[2] && !quiet_valid_o && !f_exact && f_ends);
                // 8. X is told to back the word up before its first write, and once.
                if (f_self)
                    assert (!ans_backup_o || !f_saved);
                if (f_self && f_ok && f_write)
                    assert (f_saved || ans_backup_o);
                cover (f_self && f_ok && f_write && f_has && !f_wrote && ans_backup_o);
                cover (f_self && f_ok && f_write && f_saved);
            end
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
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
