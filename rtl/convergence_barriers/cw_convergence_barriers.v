// SPDX-License-Identifier: Apache-2.0
//
// cw_convergence_barriers: who waits for whom in the warps of a scheduler, and which lanes run next.
//
// Why         : when each lane of a warp has a PC of its own, somebody has to know where each lane stands, at which
//               barriers it waits for others, and whose turn it is. That is a row per warp. It is needed when a warp
//               parts, meets, waits or yields, and not in between.
// How         : the rows lie in three RAMs. An operation takes the row of its warp into registers, works on it in
//               steps, and writes it back. No step compares the PCs of lanes with those of barriers: who waits at a
//               barrier is kept for each barrier. cw_convergence_rows has the RAMs, and cw_convergence_apply,
//               cw_convergence_open and cw_convergence_pick what the steps make of a row.
// Steps       : load; find (barriers that are enough, and free ones); apply; come (stop at barriers); open; open again
//               if nobody can run; pick; lead; group; write.
// Latency     : an operation in t is answered in t + 10.
// Throughput  : an operation in 11 cycles.
// Comb. paths : none; outputs depend on registers only.
// Storage     : 2^WARP_W rows of LANES*PC_W + BARRIERS*(PC_W + 2*LANES + 1) + 5*LANES bits with one port, and as many
//               flip-flops as a row has.
// Illegal use : none.
//
// Paper: Hanoi (arXiv 2407.02944). Contract: include/cowarp/unit/convergence_barriers.h. C model:
// csim/unit/convergence_barriers.c. Datasheet: docs/units/convergence_barriers.md.

`default_nettype none

module cw_convergence_barriers #(
    parameter LANES    = 32,  // 1 .. 64
    parameter WARP_W   = 4,   // 1 .. 10: log2 of the warps
    parameter BARRIERS = 16,  // 1 .. 16
    parameter PC_W     = 16   // 1 .. 24
) (
    input  wire              clk_i,
    input  wire              rst_i,
    // operations
    input  wire              op_valid_i,
    output wire              op_ready_o,
    input  wire [2:0]        op_kind_i,
    input  wire [WARP_W-1:0] op_warp_i,
    input  wire [LANES-1:0]  op_lanes_i,
    input  wire [LANES-1:0]  op_named_i,
    input  wire [PC_W-1:0]   op_target_i,
    input  wire [PC_W-1:0]   op_next_i,
    input  wire              op_meet_valid_i,
    input  wire [PC_W-1:0]   op_meet_i,
    input  wire              op_first_i,
    input  wire              op_yield_i,
    // answers
    output wire              ans_valid_o,
    output wire [WARP_W-1:0] ans_warp_o,
    output wire              ans_keep_o,
    output wire [LANES-1:0]  ans_group_o,
    output wire [PC_W-1:0]   ans_pc_o,
    output wire [LANES-1:0]  ans_released_o,
    output wire [LANES-1:0]  ans_blocked_o,
    output wire [LANES-1:0]  ans_parked_o,
    output wire              ans_barred_o,
    // status
    output wire              busy_o
);

    localparam WARPS    = 1 << WARP_W;
    localparam START    = 3'd0;
    localparam BRANCH   = 3'd1;
    localparam WARPSYNC = 3'd2;
    localparam BLOCK    = 3'd3;
    localparam RESUME   = 3'd4;
    localparam EXIT     = 3'd5;

    localparam ST_IDLE  = 4'd0;
    localparam ST_LOAD  = 4'd1;
    localparam ST_FIND  = 4'd2;
    localparam ST_APPLY = 4'd3;
    localparam ST_COME  = 4'd4;
    localparam ST_OPEN  = 4'd5;
    localparam ST_AGAIN = 4'd6;
    localparam ST_PICK  = 4'd7;
    localparam ST_LEAD  = 4'd8;
    localparam ST_GROUP = 4'd9;
    localparam ST_WRITE = 4'd10;

    // ---- State

    reg  [3:0]                state_q;
    reg  [WARPS-1:0]          known_q;      // the warp has a row; else it has no lane

    // The operation.
    reg  [2:0]                kind_q;
    reg  [WARP_W-1:0]         warp_q;
    reg  [LANES-1:0]          lanes_q;
    reg  [LANES-1:0]          named_q;
    reg  [PC_W-1:0]           target_q;
    reg  [PC_W-1:0]           next_q;
    reg                       meets_q;
    reg  [PC_W-1:0]           meet_q;
    reg                       first_q;
    reg                       yield_q;

    // The row of its warp.
    reg  [LANES-1:0]          live_q;
    reg  [LANES-1:0]          active_q;
    reg  [LANES-1:0]          held_q;
    reg  [LANES-1:0]          yielded_q;    // of the ready ones
    reg  [LANES-1:0]          served_q;     // they have had their turn in this round
    reg  [LANES*PC_W-1:0]     pc_q;         // of lanes that are not active
    reg  [BARRIERS*PC_W-1:0]  bpc_q;
    reg  [BARRIERS*LANES-1:0] in_q;         // lanes that the barrier waits for
    reg  [BARRIERS*LANES-1:0] at_q;         // of these the ones that wait there
    reg  [BARRIERS-1:0]       strict_q;

    // What the steps hand on.
    reg  [BARRIERS-1:0]       found_q;      // the barrier is enough for the lanes
    reg  [BARRIERS-1:0]       free_q;       // it waits for nobody
    reg                       wants_q;      // the operation needs one
    reg  [LANES-1:0]          group_q;      // active before the operation
    reg  [LANES-1:0]          moved_q;      // have come to target_q, and may be stopped there
    reg  [LANES-1:0]          rest_q;       // have come to next_q
    reg  [LANES-1:0]          waited_q;     // waited at barriers before some opened
    reg  [LANES-1:0]          released_q;
    reg                       keep_q;
    reg  [LANES-1:0]          from_q;       // the group is one of these
    reg  [PC_W-1:0]           lead_q;

    wire                      take = op_valid_i && state_q == ST_IDLE;

    always @(posedge clk_i)
        if (rst_i) begin
            state_q <= ST_IDLE;
            known_q <= {WARPS{1'b0}};
        end else begin
            if (take)
                state_q <= ST_LOAD;
            else if (state_q == ST_WRITE)
                state_q <= ST_IDLE;
            else if (state_q != ST_IDLE)
                state_q <= state_q + 4'd1;
            if (state_q == ST_WRITE)
                known_q[warp_q] <= 1'b1;
        end

    always @(posedge clk_i)
        if (take) begin
            kind_q   <= op_kind_i;
            warp_q   <= op_warp_i;
            lanes_q  <= op_lanes_i;
            named_q  <= op_named_i;
            target_q <= op_target_i;
            next_q   <= op_next_i;
            meets_q  <= op_meet_valid_i;
            meet_q   <= op_meet_i;
            first_q  <= op_first_i;
            yield_q  <= op_yield_i;
        end

    // ---- Rows

    wire [LANES*PC_W-1:0]     rd_pcs;
    wire [BARRIERS*PC_W-1:0]  rd_bpc;
    wire [BARRIERS*LANES-1:0] rd_in;
    wire [BARRIERS*LANES-1:0] rd_at;
    wire [BARRIERS-1:0]       rd_strict;
    wire [5*LANES-1:0]        rd_masks;
    wire [WARP_W-1:0]         row_addr = take ? op_warp_i : warp_q;
    wire                      write    = state_q == ST_WRITE;

    cw_convergence_rows #(
        .LANES   (LANES),
        .WARP_W  (WARP_W),
        .BARRIERS(BARRIERS),
        .PC_W    (PC_W)
    ) u_rows (
        .clk_i   (clk_i),
        .read_i  (take),
        .write_i (write),
        .warp_i  (row_addr),
        .pc_i    (pc_q),
        .bpc_i   (bpc_q),
        .in_i    (in_q),
        .at_i    (at_q),
        .strict_i(strict_q),
        .masks_i ({served_q, yielded_q, held_q, active_q, live_q}),
        .pc_o    (rd_pcs),
        .bpc_o   (rd_bpc),
        .in_o    (rd_in),
        .at_o    (rd_at),
        .strict_o(rd_strict),
        .masks_o (rd_masks)
`ifdef CW_PROPERTIES
        , .f_warp_i   (f_warp)
        , .f_pcs_o    (f_pcs)
        , .f_bars_o   (f_bars)
        , .f_masks_o  (f_masks)
        , .f_rd_bars_o(f_rd_bars)
`endif
    );

    // ---- Find and apply

    wire [BARRIERS-1:0]       found;
    wire [BARRIERS-1:0]       frees;
    wire                      wants;
    wire [LANES-1:0]          here;
    wire [LANES-1:0]          others;
    wire [LANES-1:0]          resumed;
    wire                      moves;
    wire                      spins;
    wire [LANES*PC_W-1:0]     pc_apply;
    wire [BARRIERS*PC_W-1:0]  bpc_apply;
    wire [BARRIERS*LANES-1:0] in_apply;
    wire [BARRIERS*LANES-1:0] at_apply;
    wire [BARRIERS-1:0]       strict_apply;

    cw_convergence_apply #(
        .LANES   (LANES),
        .BARRIERS(BARRIERS),
        .PC_W    (PC_W)
    ) u_apply (
        .kind_i   (kind_q),
        .lanes_i  (lanes_q),
        .named_i  (named_q),
        .target_i (target_q),
        .next_i   (next_q),
        .meets_i  (meets_q),
        .meet_i   (meet_q),
        .group_i  (group_q),
        .live_i   (live_q),
        .held_i   (held_q),
        .pc_i     (pc_q),
        .bpc_i    (bpc_q),
        .in_i     (in_q),
        .at_i     (at_q),
        .strict_i (strict_q),
        .found_o  (found),
        .frees_o  (frees),
        .wants_o  (wants),
        .found_i  (found_q),
        .free_i   (free_q),
        .wants_i  (wants_q),
        .here_o   (here),
        .others_o (others),
        .resumed_o(resumed),
        .moves_o  (moves),
        .spins_o  (spins),
        .pc_o     (pc_apply),
        .bpc_o    (bpc_apply),
        .in_o     (in_apply),
        .at_o     (at_apply),
        .strict_o (strict_apply)
    );

    // ---- Come and open

    wire [BARRIERS*LANES-1:0] stopped;
    wire [LANES-1:0]          stops;
    wire [LANES-1:0]          blocked;
    wire [LANES-1:0]          synced;
    wire [LANES-1:0]          parked;
    wire                      barred;
    wire [LANES-1:0]          ready;
    wire                      nobody;
    wire [BARRIERS*LANES-1:0] opened;
    wire                      opening = state_q == ST_OPEN || (state_q == ST_AGAIN && nobody);
    // Of a branch that yields; nobody who runs waits at a barrier yet.
    wire [LANES-1:0]          yields  = (moved_q | rest_q) & ~stops & {LANES{yield_q && kind_q == BRANCH}};

    cw_convergence_open #(
        .LANES   (LANES),
        .BARRIERS(BARRIERS),
        .PC_W    (PC_W)
    ) u_open (
        .moved_i  (moved_q),
        .target_i (target_q),
        .rest_i   (rest_q),
        .next_i   (next_q),
        .live_i   (live_q),
        .active_i (active_q),
        .held_i   (held_q),
        .yielded_i(yielded_q),
        .bpc_i    (bpc_q),
        .in_i     (in_q),
        .at_i     (at_q),
        .strict_i (strict_q),
        .stopped_o(stopped),
        .stops_o  (stops),
        .blocked_o(blocked),
        .synced_o (synced),
        .parked_o (parked),
        .barred_o (barred),
        .ready_o  (ready),
        .nobody_o (nobody),
        .open_i   (state_q == ST_OPEN),
        .opened_o (opened)
    );

    // ---- Pick, lead and group

    wire [LANES-1:0]          from;
    wire                      by_turn;
    wire                      over;
    wire [PC_W-1:0]           lead;
    wire [LANES-1:0]          there;
    wire                      chooses = active_q == {LANES{1'b0}};

    cw_convergence_pick #(
        .LANES(LANES),
        .PC_W (PC_W)
    ) u_pick (
        .branches_i(kind_q == BRANCH),
        .syncs_i   (kind_q == WARPSYNC),
        .first_i   (first_q),
        .here_i    (here),
        .others_i  (others),
        .group_i   (group_q),
        .ready_i   (ready),
        .yielded_i (yielded_q),
        .served_i  (served_q),
        .pc_i      (pc_q),
        .from_o    (from),
        .turn_o    (by_turn),
        .over_o    (over),
        .from_i    (from_q),
        .lead_o    (lead),
        .lead_i    (lead_q),
        .there_o   (there)
    );

    // ---- The steps

    always @(posedge clk_i)
        case (state_q)
            ST_LOAD: begin
                {served_q, yielded_q, held_q, active_q, live_q} <= rd_masks & {(5*LANES){known_q[warp_q]}};
                group_q    <= rd_masks[LANES +: LANES] & {LANES{known_q[warp_q]}};
                pc_q       <= rd_pcs;
                // Check bits of a word with unknown bits are unknown.
                bpc_q      <= rd_bpc & {(BARRIERS*PC_W){known_q[warp_q]}};
                in_q       <= rd_in & {(BARRIERS*LANES){known_q[warp_q]}};
                at_q       <= rd_at & {(BARRIERS*LANES){known_q[warp_q]}};
                strict_q   <= rd_strict & {BARRIERS{known_q[warp_q]}};
            end
            ST_FIND: begin
                found_q <= found;
                free_q  <= frees;
                wants_q <= wants;
            end
            ST_APPLY: begin
                moved_q  <= kind_q == BRANCH ? here : kind_q == RESUME ? resumed : {LANES{1'b0}};
                rest_q   <= moves ? others : {LANES{1'b0}};
                pc_q     <= pc_apply;
                bpc_q    <= bpc_apply;
                in_q     <= in_apply;
                at_q     <= at_apply;
                strict_q <= strict_apply;
                case (kind_q)
                    START: begin
                        live_q    <= lanes_q;
                        active_q  <= lanes_q;
                        held_q    <= {LANES{1'b0}};
                        yielded_q <= {LANES{1'b0}};
                        served_q  <= {LANES{1'b0}};
                    end
                    BRANCH:
                        active_q  <= {LANES{1'b0}};
                    WARPSYNC: begin
                        active_q  <= {LANES{1'b0}};
                        yielded_q <= yielded_q | (here & {LANES{spins}});
                    end
                    BLOCK: begin
                        active_q  <= {LANES{1'b0}};
                        held_q    <= held_q | here;
                    end
                    RESUME:
                        held_q    <= held_q & ~lanes_q;
                    EXIT: begin
                        live_q    <= live_q & ~lanes_q;
                        active_q  <= active_q & ~lanes_q;
                        held_q    <= held_q & ~lanes_q;
                        yielded_q <= yielded_q & ~lanes_q;
                    end
                    default: ;
                endcase
            end
            ST_COME: begin
                at_q      <= at_q | stopped;
                yielded_q <= yielded_q | yields;
            end
            ST_OPEN, ST_AGAIN: begin
                if (state_q == ST_OPEN)
                    waited_q <= blocked | synced;
                if (opening) begin
                    in_q       <= in_q & ~opened;
                    at_q       <= at_q & ~opened;
                end
            end
            ST_PICK: begin
                released_q <= waited_q & ~(blocked | synced);
                keep_q <= !chooses;
                from_q <= from;
                if (chooses && by_turn && ready != {LANES{1'b0}})
                    served_q <= served_q & ~{LANES{over}};
            end
            ST_LEAD:
                lead_q <= keep_q ? {PC_W{1'b0}} : lead;
            ST_GROUP:
                if (!keep_q) begin
                    active_q  <= there;
                    served_q  <= served_q | there;
                    yielded_q <= yielded_q & ~there;
                end
            default: ;
        endcase

    // ---- The answer

    assign op_ready_o     = state_q == ST_IDLE;
    assign ans_valid_o    = write;
    assign ans_warp_o     = warp_q & {WARP_W{write}};
    assign ans_keep_o     = write && keep_q;
    assign ans_group_o    = active_q & {LANES{write}};
    assign ans_pc_o       = lead_q & {PC_W{write}};
    assign ans_released_o = released_q & {LANES{write}};
    assign ans_blocked_o  = blocked & {LANES{write}};
    assign ans_parked_o   = parked & {LANES{write}};
    assign ans_barred_o   = write && barred;
    assign busy_o         = state_q != ST_IDLE;

`ifdef CW_PROPERTIES
    localparam BAR_W = PC_W + 2*LANES + 1;  // of a barrier
    wire [WARP_W-1:0]         f_warp;
    wire [LANES*PC_W-1:0]     f_pcs;
    wire [BARRIERS*BAR_W-1:0] f_bars;
    wire [BARRIERS*BAR_W-1:0] f_rd_bars;
    wire [5*LANES-1:0]        f_masks;

    cw_nonsynth_convergence_barriers #(
        .LANES   (LANES),
        .WARP_W  (WARP_W),
        .BARRIERS(BARRIERS),
        .PC_W    (PC_W),
        .BAR_W   (BAR_W)
    ) u_properties (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .op_i    ({op_valid_i, op_ready_o, op_warp_i, busy_o}),
        .ans_i   ({ans_valid_o, ans_warp_o, ans_keep_o, ans_group_o, ans_pc_o, ans_released_o, ans_blocked_o,
                   ans_parked_o, ans_barred_o}),
        .work_i  ({state_q, kind_q, warp_q, lanes_q, target_q, next_q}),
        .row_i   ({served_q, yielded_q, held_q, active_q, live_q, pc_q, bpc_q, in_q, at_q, strict_q}),
        .ram_i   ({known_q[f_warp], f_pcs, f_bars, f_masks, rd_pcs, f_rd_bars, rd_masks}),
        .kept_i  ({found_q, free_q, wants_q, group_q, moved_q, rest_q, keep_q, from_q, lead_q}),
        .now_i   ({take, write, found, frees, wants, ready, parked, nobody, chooses && by_turn, there}),
        .f_warp_o(f_warp)
    );
`endif

    generate
        if (LANES < 1 || LANES > 64) begin : g_bad_lanes
            cw_error_convergence_barriers_lanes_must_be_1_to_64 u_error ();
        end
        if (WARP_W < 1 || WARP_W > 10) begin : g_bad_warp_w
            cw_error_convergence_barriers_warp_w_must_be_1_to_10 u_error ();
        end
        if (BARRIERS < 1 || BARRIERS > 16) begin : g_bad_barriers
            cw_error_convergence_barriers_barriers_must_be_1_to_16 u_error ();
        end
        if (PC_W < 1 || PC_W > 24) begin : g_bad_pc_w
            cw_error_convergence_barriers_pc_w_must_be_1_to_24 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
