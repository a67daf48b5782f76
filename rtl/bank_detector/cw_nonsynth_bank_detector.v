// SPDX-License-Identifier: Apache-2.0
//
// cw_nonsynth_bank_detector: what must hold of a bank, as a word and a work-item show it.
//
// Why         : a conflict that nobody is told of is a wrong result, and one that is not there costs a transaction.
// How         : it watches one word of one group and one work-item, of the prover's choice, and keeps what the ports
//               have shown of them.
// Illegal use : synthesis. Only blocks of properties have it (CW_PROPERTIES).
//
// Contract: include/cowarp/unit/bank_detector.h. docs/proofs.md has the form of properties.

`default_nettype none

module cw_nonsynth_bank_detector #(
    parameter WORK_ITEMS = 256,
    parameter LANE_W     = 6,
    parameter GROUP_W    = 4,  // of a group
    parameter ITEM_W     = 8,  // of a work-item
    parameter WAVE_W     = 2,  // of a wavefront
    parameter WORD_W     = 9
) (
    input  wire                                           clk_i,
    input  wire                                           rst_i,
    // a request
    input  wire [7 + GROUP_W + 2*ITEM_W + WORD_W-1:0]     req_i,
    // clears
    input  wire [2 + 2*GROUP_W + WORK_ITEMS + WAVE_W-1:0] clr_i,
    // the answer
    input  wire [8 + 2*GROUP_W + 2*ITEM_W + WORD_W-1:0]   ans_i
);

`ifdef CW_PROPERTIES
    // Modes: enum cw_local_detect.
    localparam [1:0] SWO_SIG = 2'd1;
    localparam [1:0] DCD     = 2'd2;
    localparam [1:0] SMDCD   = 2'd3;

    localparam [WORK_ITEMS-1:0] ONE = {{(WORK_ITEMS-1){1'b0}}, 1'b1};

    // What the ports and the parts show.
    wire [1:0]            mode;
    wire                  req_valid;
    wire [GROUP_W-1:0]    req_group;
    wire [ITEM_W-1:0]     req_item;
    wire [WORD_W-1:0]     req_word;
    wire                  req_write;
    wire                  req_owned;
    wire [ITEM_W-1:0]     req_owner;
    wire                  req_shared;
    wire                  req_modified;
    wire                  clr_valid;
    wire [GROUP_W-1:0]    clr_group;
    wire [WORK_ITEMS-1:0] clr_items;
    wire                  wclr_valid;
    wire [GROUP_W-1:0]    wclr_group;
    wire [WAVE_W-1:0]     wclr_wave;
    wire                  ans_valid;
    wire [GROUP_W-1:0]    ans_group;
    wire [ITEM_W-1:0]     ans_item;
    wire [WORD_W-1:0]     ans_word;
    wire                  ans_conflict;
    wire                  ans_met;
    wire [ITEM_W-1:0]     ans_owner;
    wire                  ans_backup;
    wire                  ans_own;
    wire                  ans_share;
    wire                  ans_modify;
    wire                  quiet_valid;
    wire [GROUP_W-1:0]    quiet_group;

    assign {mode, req_valid, req_group, req_item, req_word, req_write, req_owned, req_owner, req_shared,
            req_modified} = req_i;
    assign {clr_valid, clr_group, clr_items, wclr_valid, wclr_group, wclr_wave} = clr_i;
    assign {ans_valid, ans_group, ans_item, ans_word, ans_conflict, ans_met, ans_owner, ans_backup,
            ans_own, ans_share, ans_modify, quiet_valid, quiet_group} = ans_i;

    // One word of one group, and one work-item X of the group, as the ports have shown them. Answers come three cycles
    // after their requests, so clears wait as long here: then all comes in the order of the contract.
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
        .valid_i (req_valid),
        .value_i ({req_group, req_item, req_word}),
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
    // and for two cycles: clears of three cycles before are those of the chosen group
    reg  [1:0]           f_old_q;
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

    wire [WORK_ITEMS-1:0] f_going = clr_items & {WORK_ITEMS{clr_valid && clr_group == f_group}};
    wire                 f_freed  = |(f_going & (ONE << f_owner_q));  // the owner ends in this cycle
    wire                 f_asks   = req_valid && req_group == f_group && req_word == f_word;
    wire                 f_sent   = req_owned == (f_owned_q && !f_freed) && (!req_owned || req_owner == f_owner_q)
                                    && req_shared == f_shared_q && req_modified == (f_modified_q && !f_freed);
    wire [31:0]          f_wave_of = {{(32-ITEM_W){1'b0}}, f_item} >> LANE_W;
    wire [WAVE_W-1:0]    f_wave   = f_wave_of[WAVE_W-1:0];
    wire [WORK_ITEMS-1:0] f_leaves = f_going | f_gone_q[0 +: WORK_ITEMS] | f_gone_q[WORK_ITEMS +: WORK_ITEMS]
                                     | f_gone_q[2*WORK_ITEMS +: WORK_ITEMS];
    reg                  f_early;  // a clear that comes too early, or a write signature that is still needed
    integer              f_n;

    always @* begin
        f_early = wclr_valid && wclr_group == f_group && wclr_wave == f_wave && f_wrote_q
                  && !(|(f_leaves & (ONE << f_item)));
        for (f_n = 0; f_n < 3; f_n = f_n + 1)
            if (f_valid_q[f_n]) begin
                f_early = f_early || (clr_valid && clr_group == f_names_q[f_n*F_W+ITEM_W+WORD_W +: GROUP_W]
                                      && |(clr_items & (ONE << f_names_q[f_n*F_W+WORD_W +: ITEM_W])));
                f_early = f_early || (wclr_valid && wclr_group == f_names_q[f_n*F_W+ITEM_W+WORD_W +: GROUP_W]
                                      && {{(32-WAVE_W){1'b0}}, wclr_wave}
                                      == {{(32-ITEM_W){1'b0}}, f_names_q[f_n*F_W+WORD_W +: ITEM_W]} >> LANE_W);
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
    wire                 f_shared = f_shared_q && !(quiet_valid && quiet_group == f_group);
    wire                 f_write  = f_write_q[2];
    wire                 f_ok     = ans_valid && !ans_conflict && ans_group == f_group;
    wire                 f_here   = ans_valid && ans_group == f_group && ans_word == f_word;
    wire                 f_other  = f_here && ans_item != f_item;
    wire                 f_self   = f_here && ans_item == f_item;
    wire                 f_exact  = f_mode_q[1];
    wire                 f_lost   = ans_conflict && ans_group == f_group && ans_item == f_item && f_write
                                    && f_mode_q == SWO_SIG;

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
            f_valid_q    <= {f_valid_q[1:0], req_valid};
            f_write_q    <= {f_write_q[1:0], req_write};
            f_names_q    <= {f_names_q[2*F_W-1:0], req_group, req_item, req_word};
            f_clr_q      <= {f_clr_q[1:0], clr_valid && clr_group == f_group};
            f_gone_q     <= {f_gone_q[2*WORK_ITEMS-1:0], f_going};
            f_begun_q    <= f_begun_q || req_valid;
            f_old_q      <= {f_old_q[0], f_begun_q};
            if (req_valid && !f_begun_q)
                f_mode_q <= mode;
            f_fair_q     <= f_fair_q && !f_early && !(req_valid && f_begun_q && mode != f_mode_q)
                            && !(req_valid && {1'b0, req_item} >= WORK_ITEMS) && !(f_asks && !f_sent);
            // The owner's words are freed when it is cleared; the answer of the same cycle may be another one's.
            f_owned_q    <= (f_here && ans_own) || (f_owned_q && !f_freed);
            f_modified_q <= (f_here && ans_modify) || (f_modified_q && !f_freed);
            f_shared_q   <= (f_here && ans_share) || f_shared;
            if (f_here && ans_own)
                f_owner_q <= ans_item;
            f_has_q      <= (f_has && !f_lost) || (f_self && f_ok);
            f_wrote_q    <= f_wrote || (f_self && f_ok && f_write);
            f_saved_q    <= f_saved || (f_self && ans_backup);
            f_live_q     <= f_live | ((ONE << ans_item) & {WORK_ITEMS{f_ok && ans_group == f_group}});
            f_sharing_q  <= f_sharing || (f_self && f_ok && f_mode_q == SMDCD && f_owned_q && f_owner_q != f_item);
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. A request is answered three cycles later, by its names, and what is not an answer is 0.
            assert (ans_valid == f_valid_q[2] && (!ans_valid || {ans_group, ans_item, ans_word}
                                                  == f_names_q[2*F_W +: F_W]));
            assert (ans_valid || !(|{ans_group, ans_item, ans_word, ans_conflict, ans_met, ans_owner, ans_backup,
                                     ans_own,
                                       ans_share, ans_modify}));
            assert (!ans_conflict || !(ans_backup || ans_own || ans_share || ans_modify));
            assert (ans_conflict || !(ans_met || |ans_owner));
            cover (f_fair_q && f_valid_q == 3'd7 && ans_conflict && ans_met);
            if (f_fair_q) begin
                // 2. Signatures have no false negative: what X has written conflicts with any access, what X has read
                // with any write, by swo-sig until a write of X conflicts.
                if (f_other && !f_exact)
                    assert (!((f_has && (f_write || f_mode_q != SWO_SIG)) || f_wrote) || ans_conflict);
                cover (f_other && f_mode_q == SWO_SIG && f_wrote && !f_write && ans_conflict);
                cover (f_other && f_mode_q == SWO_SIG && f_has && !f_wrote && !f_write && !ans_conflict);
                cover (f_other && f_mode_q == 2'd0 && f_has && !f_wrote && !f_write && ans_conflict);
                // 3. Directories have no false negative either.
                if (f_other && f_exact)
                    assert (!((f_has && (f_write || f_mode_q == DCD)) || f_wrote) || ans_conflict);
                cover (f_other && f_mode_q == SMDCD && f_wrote && !f_write && ans_conflict);
                cover (f_other && f_mode_q == SMDCD && f_sharing && f_write && ans_conflict && !ans_met);
                // 4. DCD has no false positive: who conflicts meets the owner, and the owner has accessed the word in
                // its transaction.
                if (f_here && f_mode_q == DCD && ans_conflict)
                    assert (ans_met && ans_owner != ans_item && (ans_owner != f_item || f_has));
                cover (f_other && f_mode_q == DCD && ans_conflict && ans_owner == f_item);
                // 5. SMDCD has none but those of S: who conflicts meets an owner, one of both with a write, or writes
                // what is shared.
                if (f_here && f_mode_q == SMDCD && ans_conflict) begin
                    assert (ans_met || (f_write && f_shared));
                    assert (!ans_met || (ans_owner != ans_item
                                         && (ans_owner != f_item || (f_has && (f_write || f_wrote)))));
                end
                cover (f_here && f_mode_q == SMDCD && ans_conflict && !ans_met);
                // 6. By signatures nobody conflicts alone: another work-item of the group has accessed something.
                if (ans_conflict && ans_group == f_group && !f_exact)
                    assert (|(f_live & ~(ONE << ans_item)));
                cover (ans_conflict && f_here && !f_exact && !f_has && !ans_met);
                // 7. The group is quiet exactly when no work-item is live; by SMDCD X is not while it reads a word that
                // another one owns.
                if (f_clr_q[2] && f_old_q[1])
                    assert (quiet_valid ? quiet_group == f_group && !f_sharing && (f_exact || !(|f_live)) : |f_live);
                assert (!quiet_valid || quiet_group != f_group || f_clr_q[2] || !f_old_q[1]);
                cover (quiet_valid && f_begun_q && f_mode_q == SMDCD && f_shared_q);
                cover (f_clr_q[2] && !quiet_valid && !f_exact && f_ends);
                // 8. X is told to back the word up before its first write, and once.
                if (f_self)
                    assert (!ans_backup || !f_saved);
                if (f_self && f_ok && f_write)
                    assert (f_saved || ans_backup);
                cover (f_self && f_ok && f_write && f_has && !f_wrote && ans_backup);
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

endmodule

`default_nettype wire
