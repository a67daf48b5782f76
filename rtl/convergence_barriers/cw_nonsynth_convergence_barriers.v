// SPDX-License-Identifier: Apache-2.0
//
// cw_nonsynth_convergence_barriers: what must hold of the barriers, as a warp, a lane and a barrier show it.
//
// Why         : no lane may be lost, wait for nobody, or never have its turn.
// How         : it watches one warp, one of its lanes and one of its barriers, of the prover's choice, and keeps what
//               the ports have shown of them.
// Illegal use : synthesis. Only blocks of properties have it (CW_PROPERTIES).
//
// Contract: include/cowarp/unit/convergence_barriers.h. docs/proofs.md has the form of properties.

`default_nettype none

module cw_nonsynth_convergence_barriers #(
    parameter LANES    = 32,
    parameter WARP_W   = 4,
    parameter BARRIERS = 16,
    parameter PC_W     = 16,
    parameter BAR_W    = 81  // of a barrier
) (
    input  wire clk_i,
    input  wire rst_i,
    // an operation
    input  wire [3 + WARP_W-1:0] op_i,
    // an answer
    input  wire [3 + WARP_W + 4*LANES + PC_W-1:0] ans_i,
    // the operation at work, and its step
    input  wire [7 + WARP_W + LANES + 2*PC_W-1:0] work_i,
    // its row
    input  wire [5*LANES + LANES*PC_W + BARRIERS*PC_W + 2*BARRIERS*LANES + BARRIERS-1:0] row_i,
    // the row of the watched warp in the RAMs, and what was read of them
    input  wire [1 + 2*LANES*PC_W + 2*BARRIERS*BAR_W + 10*LANES-1:0] ram_i,
    // what the steps hand on
    input  wire [2 + 2*BARRIERS + 4*LANES + PC_W-1:0] kept_i,
    // what they find now
    input  wire [5 + 2*BARRIERS + 3*LANES-1:0] now_i,
    // who is watched
    output wire [WARP_W-1:0] f_warp_o
);

`ifdef CW_PROPERTIES
    localparam START    = 3'd0;
    localparam BRANCH   = 3'd1;
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

    // What the ports and the parts show.
    wire                      op_valid;
    wire                      op_ready;
    wire [WARP_W-1:0]         op_warp;
    wire                      busy;
    wire                      ans_valid;
    wire [WARP_W-1:0]         ans_warp;
    wire                      ans_keep;
    wire [LANES-1:0]          ans_group;
    wire [PC_W-1:0]           ans_pc;
    wire [LANES-1:0]          ans_released;
    wire [LANES-1:0]          ans_blocked;
    wire [LANES-1:0]          ans_parked;
    wire                      ans_barred;
    wire [3:0]                state;
    wire [2:0]                kind;
    wire [WARP_W-1:0]         warp;
    wire [LANES-1:0]          lanes;
    wire [PC_W-1:0]           target;
    wire [PC_W-1:0]           next;
    wire [LANES-1:0]          served;
    wire [LANES-1:0]          yielded;
    wire [LANES-1:0]          held;
    wire [LANES-1:0]          active;
    wire [LANES-1:0]          live;
    wire [LANES*PC_W-1:0]     pc;
    wire [BARRIERS*PC_W-1:0]  b_pc;
    wire [BARRIERS*LANES-1:0] b_in;
    wire [BARRIERS*LANES-1:0] b_at;
    wire [BARRIERS-1:0]       b_strict;
    wire                      known;
    wire [LANES*PC_W-1:0]     f_pcs;
    wire [BARRIERS*BAR_W-1:0] f_bars;
    wire [5*LANES-1:0]        f_masks;
    wire [LANES*PC_W-1:0]     rd_pcs;
    wire [BARRIERS*BAR_W-1:0] rd_bars;
    wire [5*LANES-1:0]        rd_masks;
    wire [BARRIERS-1:0]       found_kept;
    wire [BARRIERS-1:0]       free_kept;
    wire                      wants_kept;
    wire [LANES-1:0]          group;
    wire [LANES-1:0]          moved;
    wire [LANES-1:0]          rest;
    wire                      keep;
    wire [LANES-1:0]          from;
    wire [PC_W-1:0]           lead;
    wire                      take;
    wire                      write;
    wire [BARRIERS-1:0]       found;
    wire [BARRIERS-1:0]       frees;
    wire                      wants;
    wire [LANES-1:0]          ready;
    wire [LANES-1:0]          parked;
    wire                      nobody;
    wire                      by_turn;
    wire [LANES-1:0]          there;

    assign {op_valid, op_ready, op_warp, busy} = op_i;
    assign {ans_valid, ans_warp, ans_keep, ans_group, ans_pc, ans_released, ans_blocked, ans_parked,
            ans_barred} = ans_i;
    assign {state, kind, warp, lanes, target, next} = work_i;
    assign {served, yielded, held, active, live, pc, b_pc, b_in, b_at, b_strict} = row_i;
    assign {known, f_pcs, f_bars, f_masks, rd_pcs, rd_bars, rd_masks} = ram_i;
    assign {found_kept, free_kept, wants_kept, group, moved, rest, keep, from, lead} = kept_i;
    assign {take, write, found, frees, wants, ready, parked, nobody, by_turn, there} = now_i;

    assign f_warp_o = f_warp;

    // One warp, one of its lanes and one of its barriers, of the prover's choice, and what the ports have shown of
    // them.
    (* anyconst *) reg [WARP_W-1:0] f_warp;
    (* anyconst *) reg [5:0]        f_lane;
    (* anyconst *) reg [3:0]        f_bar;
    reg                       f_past_q = 1'b0;
    reg  [LANES-1:0]          f_live_q;   // by START and EXIT
    reg  [LANES-1:0]          f_act_q;    // the group of the last answer, or of START
    reg  [PC_W-1:0]           f_pc_q;     // where the lane has been sent
    reg  [3:0]                f_age_q;    // cycles since an operation was taken; 0: none is at work
    reg                       f_turn_q;   // the group is one by its turn
    reg  [7:0]                f_wait_q;   // groups by their turn that have passed the lane by
    reg                       f_seen_q;   // a barrier of convergence has stopped the lane

    wire                      f_mine  = state != ST_IDLE && warp == f_warp;
    wire                      f_op    = op_valid && op_ready && op_warp == f_warp;
    wire                      f_ans   = ans_valid && ans_warp == f_warp;
    wire                      f_exist = {26'd0, f_lane} < LANES && {28'd0, f_bar} < BARRIERS;
    // The row of the warp: in the RAMs, or at work.
    reg  [LANES-1:0]          f_live;
    reg  [LANES-1:0]          f_active;
    reg  [LANES-1:0]          f_held;
    reg  [LANES-1:0]          f_yielded;
    reg  [LANES-1:0]          f_served;
    reg  [BARRIERS*LANES-1:0] f_in;
    reg  [BARRIERS*LANES-1:0] f_at;
    reg  [BARRIERS-1:0]       f_strict;
    reg  [LANES-1:0]          f_conv;     // who waits at barriers of convergence, at strict ones
    reg  [LANES-1:0]          f_sync;
    reg                       f_nested;   // who waits at a barrier is one that it waits for, and has not exited
    reg                       f_closed;   // each barrier at which somebody waits misses somebody
    reg                       f_has;      // the lane is there, and so on
    reg                       f_acts;
    reg                       f_waits;
    reg                       f_serves;
    reg  [PC_W-1:0]           f_pc;
    reg  [PC_W-1:0]           f_bpc;
    reg                       f_stands;   // the lane waits at the barrier
    reg  [7:0]                f_count;    // lanes that have had their turn
    reg  [LANES-1:0]          f_bin;      // of the barrier, now
    reg  [LANES-1:0]          f_bat;
    reg                       f_bstrict;
    reg  [LANES-1:0]          f_bin_q;    // and in the cycle before
    reg  [LANES-1:0]          f_bat_q;
    reg                       f_bstrict_q;
    reg  [LANES-1:0]          f_yields_q;
    reg  [LANES-1:0]          f_parked_q;
    reg                       f_nobody_q;
    reg  [3:0]                f_state_q;
    wire                      f_row   = !f_mine || state == ST_LOAD;
    wire [LANES-1:0]          f_ready = f_live & ~f_active & ~f_held & ~f_conv & ~f_sync;
    // Active lanes that the operation leaves so.
    wire [LANES-1:0]          f_stay  = kind == START ? lanes
                                        : f_act_q & ~(kind == EXIT ? lanes : {LANES{kind >= BRANCH && kind <= BLOCK}});
    wire [LANES-1:0]          f_here  = f_act_q & lanes;
    integer                   f;
    integer                   fl;

    always @* begin
        {f_served, f_yielded, f_held, f_active, f_live} = f_row ? f_masks & {(5*LANES){known}}
                                                                : {served, yielded, held, active, live};
        f_conv    = {LANES{1'b0}};
        f_sync    = {LANES{1'b0}};
        f_nested  = 1'b1;
        f_closed  = 1'b1;
        f_bpc     = {PC_W{1'b0}};
        f_stands  = 1'b0;
        f_bin     = {LANES{1'b0}};
        f_bat     = {LANES{1'b0}};
        f_bstrict = 1'b0;
        for (f = 0; f < BARRIERS; f = f + 1) begin
            f_in[f*LANES +: LANES] = f_row ? f_bars[f*BAR_W + PC_W +: LANES] & {LANES{known}} : b_in[f*LANES +: LANES];
            f_at[f*LANES +: LANES] = f_row ? f_bars[f*BAR_W + PC_W + LANES +: LANES] & {LANES{known}}
                                     : b_at[f*LANES +: LANES];
            f_strict[f]            = f_row ? f_bars[f*BAR_W + PC_W + 2*LANES] : b_strict[f];
            f_conv   = f_conv | (f_at[f*LANES +: LANES] & {LANES{!f_strict[f]}});
            f_sync   = f_sync | (f_at[f*LANES +: LANES] & {LANES{f_strict[f]}});
            f_nested = f_nested && (f_at[f*LANES +: LANES] & ~f_in[f*LANES +: LANES]) == {LANES{1'b0}}
                       && (f_in[f*LANES +: LANES] & ~f_live) == {LANES{1'b0}}
                       && (!f_strict[f] || f_at[f*LANES +: LANES] != {LANES{1'b0}}
                           || f_in[f*LANES +: LANES] == {LANES{1'b0}});
            f_closed = f_closed && (f_at[f*LANES +: LANES] == {LANES{1'b0}}
                                    || (f_in[f*LANES +: LANES] & ~f_at[f*LANES +: LANES]
                                        & ~(f_yielded & {LANES{!f_strict[f]}})) != {LANES{1'b0}});
            if (f == f_bar) begin
                f_bpc     = f_row ? f_bars[f*BAR_W +: PC_W] : b_pc[f*PC_W +: PC_W];
                f_stands  = f_at[f*LANES + f_lane];
                f_bin     = f_in[f*LANES +: LANES];
                f_bat     = f_at[f*LANES +: LANES];
                f_bstrict = f_strict[f];
            end
        end
    end

    always @* begin
        f_count  = 8'd0;
        f_has    = 1'b0;
        f_acts   = 1'b0;
        f_waits  = 1'b0;
        f_serves = 1'b0;
        f_pc     = {PC_W{1'b0}};
        for (fl = 0; fl < LANES; fl = fl + 1) begin
            f_count = f_count + {7'd0, f_served[fl]};
            if (fl == f_lane) begin
                f_has    = f_live[fl];
                f_acts   = f_active[fl];
                f_waits  = f_ready[fl];
                f_serves = f_served[fl];
                f_pc     = f_row ? f_pcs[fl*PC_W +: PC_W] : pc[fl*PC_W +: PC_W];
            end
        end
    end

    always @(posedge clk_i) begin
        f_past_q    <= 1'b1;
        f_bin_q     <= f_bin;
        f_bat_q     <= f_bat;
        f_bstrict_q <= f_bstrict;
        f_yields_q  <= yielded;
        f_parked_q  <= parked;
        f_nobody_q  <= nobody;
        f_state_q   <= rst_i || !f_mine ? ST_IDLE : state;
        if (rst_i) begin
            f_live_q <= {LANES{1'b0}};
            f_act_q  <= {LANES{1'b0}};
            f_age_q  <= 4'd0;
            f_wait_q <= 8'd0;
            f_seen_q <= 1'b0;
        end else begin
            f_age_q <= op_valid && op_ready ? 4'd1 : f_age_q == 4'd10 || f_age_q == 4'd0 ? 4'd0 : f_age_q + 4'd1;
            if (f_mine && state == ST_APPLY && kind == START)
                f_live_q <= lanes;
            else if (f_mine && state == ST_APPLY && kind == EXIT)
                f_live_q <= f_live_q & ~lanes;
            if (f_ans)
                f_act_q <= ans_group;
            if (f_mine && state == ST_APPLY && f_exist) begin
                if (f_here[f_lane] && kind >= BRANCH && kind <= BLOCK)
                    f_pc_q <= target;
                else if (f_act_q[f_lane] && kind >= BRANCH && kind <= BLOCK)
                    f_pc_q <= next;
                else if (kind == RESUME && lanes[f_lane] && f_held[f_lane])
                    f_pc_q <= target;
            end
            if (state == ST_PICK)
                f_turn_q <= by_turn;
            if (f_ans) begin
                f_wait_q <= f_waits && f_exist ? f_wait_q + {7'd0, f_turn_q && !ans_keep && ans_group != {LANES{1'b0}}}
                            : 8'd0;
                f_seen_q <= f_seen_q || (f_exist && ans_blocked[f_lane]);
            end
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q && f_exist) begin
            // 1. No lane is lost, and none is in two places: the group, those that wait and those that are held are
            // apart, and of the warp; and when there is no group, all lanes of the warp wait or are held.
            if (f_ans) begin
                assert (((ans_group | ans_blocked | ans_parked) & ~f_live_q) == {LANES{1'b0}});
                assert ((ans_group & (ans_blocked | ans_parked)) == {LANES{1'b0}}
                        && (ans_blocked & ans_parked) == {LANES{1'b0}});
                if (ans_group == {LANES{1'b0}})
                    assert ((ans_blocked | ans_parked) == f_live_q);
            end
            cover (f_ans && ans_blocked != {LANES{1'b0}} && ans_group != {LANES{1'b0}});
            cover (f_ans && ans_group == {LANES{1'b0}} && ans_parked != {LANES{1'b0}});
            // 2. The group stands at one PC, and all ready lanes at this PC are in it.
            if (f_ans && !ans_keep && f_act_q[f_lane] == 1'b0 && ans_group[f_lane])
                assert (ans_pc == f_pc_q);
            if (f_ans && !ans_keep && ans_group != {LANES{1'b0}} && f_waits)
                assert (ans_pc != f_pc_q);
            cover (f_ans && !ans_keep && ans_group[f_lane] && f_seen_q && f_waits == 1'b0 && ans_pc != {PC_W{1'b0}});
            cover (f_ans && !ans_keep && ans_group != {LANES{1'b0}} && f_waits);
            // 3. After an answer each barrier at which somebody waits misses a lane of the warp: a strict one any, one
            // of convergence one that has not yielded, and when nobody runs, one that is neither held nor at a strict
            // barrier. So exits leave no barrier waiting.
            if (f_row || state >= ST_AGAIN)
                assert (f_closed);
            if (f_mine && state >= ST_PICK && (f_active | f_ready) == {LANES{1'b0}} && !f_bstrict
                && f_bat != {LANES{1'b0}})
                assert ((f_bin & ~f_bat & ~f_held & ~f_sync) != {LANES{1'b0}});
            cover (f_ans && f_bat != {LANES{1'b0}} && f_bstrict);
            cover (f_ans && f_bat != {LANES{1'b0}} && !f_bstrict && f_bpc != {PC_W{1'b0}});
            // 4. A barrier opens when all that it waits for are there, but for those that it does without; then nobody
            // waits there, and it waits for those only.
            if ((f_state_q == ST_OPEN || f_state_q == ST_AGAIN) && f_bat_q != {LANES{1'b0}}
                && f_bat == {LANES{1'b0}}) begin
                assert ((f_bin_q & ~f_bat_q & ~(f_state_q == ST_OPEN ? f_yields_q : f_parked_q & {LANES{f_nobody_q}}))
                        == {LANES{1'b0}});
                assert (!f_bstrict_q || f_bin_q == f_bat_q);
                assert (f_bin == (f_bin_q & ~f_bat_q));
            end
            if (f_state_q >= ST_COME && f_state_q <= ST_WRITE && f_bat != f_bat_q && f_state_q != ST_COME)
                assert (f_bat == {LANES{1'b0}});
            cover (f_state_q == ST_OPEN && f_bat_q != {LANES{1'b0}} && f_bat == {LANES{1'b0}}
                   && f_bin != {LANES{1'b0}});
            cover (f_state_q == ST_AGAIN && f_bat_q != {LANES{1'b0}} && f_bat == {LANES{1'b0}});
            // 5. Who waits at a barrier is one that it waits for, stands at its PC, and has not exited.
            assert (f_nested);
            if (f_stands)
                assert (f_bpc == f_pc_q);
            assert ((f_sync & f_conv) == {LANES{1'b0}});
            cover (f_stands && f_bstrict);
            cover (f_stands && !f_bstrict && f_bpc != {PC_W{1'b0}});
            // 6. Of the groups that come by their turn at most 2 LANES - 2 pass a ready lane by.
            assert ({24'd0, f_wait_q} <= 2*LANES - 2);
            cover (f_wait_q != 8'd0 && f_serves);
            // 7. An operation that is taken in t is answered in t + 10, and no other cycle has an answer; what is not
            // an answer is 0.
            assert (ans_valid == (f_age_q == 4'd10));
            assert (op_ready == (f_age_q == 4'd0) && busy == (f_age_q != 4'd0));
            if (!ans_valid)
                assert (!ans_keep && !ans_barred && ans_group == {LANES{1'b0}} && ans_pc == {PC_W{1'b0}}
                        && (ans_released | ans_blocked | ans_parked) == {LANES{1'b0}} && ans_warp == {WARP_W{1'b0}});
            cover (f_ans && ans_barred && ans_released != {LANES{1'b0}});
            cover (!ans_valid && lead != {PC_W{1'b0}} && f_seen_q);
            // 8. A RAM is never read and written in one cycle.
            assert (!(take && write));
            cover (take && f_seen_q);
            // 9. Lanes that are active stay so, unless their operation moves them or they exit.
            if (f_ans)
                assert (ans_keep == (f_stay != {LANES{1'b0}}) && (!ans_keep || ans_group == f_stay));
            cover (f_ans && ans_keep && kind == EXIT);
            cover (f_ans && ans_keep && kind == RESUME && ans_released == {LANES{1'b0}} && f_seen_q);
            // 10. (for induction) The row is in order, in the RAMs and at work.
            assert (state <= ST_WRITE && (f_age_q == state));
            assert (f_live == f_live_q);
            if (!f_mine || state <= ST_APPLY)
                assert (f_active == f_act_q);
            if (f_mine && state == ST_LOAD)
                assert (rd_masks == f_masks && rd_bars == f_bars && rd_pcs == f_pcs);
            if (f_mine && state >= ST_FIND)
                assert (group == f_act_q);
            if (state == ST_APPLY)
                assert (found_kept == found && free_kept == frees && wants_kept == wants);
            if (f_mine && state >= ST_COME && state <= ST_GROUP)
                assert (active == f_stay);
            assert (((f_active | f_held | f_sync | f_conv | f_yielded) & ~f_live) == {LANES{1'b0}});
            assert ((f_active & (f_held | f_sync | f_conv)) == {LANES{1'b0}}
                    && (f_held & (f_sync | f_conv)) == {LANES{1'b0}});
            assert ((f_yielded & ~f_ready) == {LANES{1'b0}});
            if (f_row || state == ST_WRITE)
                assert (f_active != {LANES{1'b0}} || f_ready == {LANES{1'b0}});
            if (f_has && !f_acts)
                assert (f_pc == f_pc_q);
            if (f_mine && (state == ST_COME || state == ST_OPEN))
                assert (((moved | rest) & ~(state == ST_COME ? f_ready & ~f_yielded : live)) == {LANES{1'b0}});
            if (f_act_q[f_lane] || (!f_waits && (f_row || (f_has && !f_acts))))
                assert (f_wait_q == 8'd0);
            if (f_waits)
                assert ({24'd0, f_wait_q} + (f_mine && state == ST_WRITE && f_turn_q && !keep
                                             && f_active != {LANES{1'b0}} ? 1 : 0)
                        <= (f_serves ? {24'd0, f_count} - 1 : LANES - 1 + {24'd0, f_count}));
            if (f_mine && (state == ST_LEAD || state == ST_GROUP)) begin
                assert (keep == (active != {LANES{1'b0}}) && (from & ~ready) == {LANES{1'b0}}
                        && (keep || (ready == {LANES{1'b0}}) == (from == {LANES{1'b0}})));
                if (f_turn_q && !keep && (from & served) != {LANES{1'b0}})
                    assert ((ready & ~served) == {LANES{1'b0}} && (!f_waits || f_wait_q == 8'd0));
                if (state == ST_GROUP && !keep && from != {LANES{1'b0}})
                    assert ((there & from) != {LANES{1'b0}});
            end
            cover (f_mine && state == ST_APPLY && f_wait_q != 8'd0);
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
