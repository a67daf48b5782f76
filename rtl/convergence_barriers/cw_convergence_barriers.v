// SPDX-License-Identifier: Apache-2.0
//
// cw_convergence_barriers: who waits for whom in the warps of a scheduler, and which lanes run next.
//
// Why         : when each lane of a warp has a PC of its own, somebody has to know where each lane stands, at which barriers it waits for
//               others, and whose turn it is. That is a row per warp. It is needed when a warp parts, meets, waits or yields, and not in between.
// How         : the rows lie in three RAMs. An operation takes the row of its warp into registers, works on it in steps, and writes it back. No
//               step compares the PCs of lanes with those of barriers: who waits at a barrier is kept for each barrier.
// Steps       : load; find (barriers that are enough, and free ones); apply; come (stop at barriers); open; open again if nobody can run;
//               pick; lead; group; write.
// Latency     : an operation in t is answered in t + 10.
// Throughput  : an operation in 11 cycles.
// Comb. paths : none; outputs depend on registers only.
// Storage     : 2^WARP_W rows of LANES*PC_W + BARRIERS*(PC_W + 2*LANES + 1) + 5*LANES bits with one port, and as many flip-flops as a row has.
// Illegal use : none.
//
// Paper: Hanoi (arXiv 2407.02944). Contract: include/cowarp/unit/convergence_barriers.h. C model: csim/unit/convergence_barriers.c.
// Datasheet: docs/units/convergence_barriers.md.

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
    localparam BAR_W    = PC_W + 2*LANES + 1;  // strict, waits there, waits for, PC
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
    wire [BARRIERS*BAR_W-1:0] rd_bars;
    wire [5*LANES-1:0]        rd_masks;
    reg  [BARRIERS*BAR_W-1:0] wr_bars;
    reg  [BARRIERS*PC_W-1:0]  rd_bpc;
    reg  [BARRIERS*LANES-1:0] rd_in;
    reg  [BARRIERS*LANES-1:0] rd_at;
    reg  [BARRIERS-1:0]       rd_strict;
    wire [WARP_W-1:0]         row_addr = take ? op_warp_i : warp_q;
    wire                      write    = state_q == ST_WRITE;
    integer                   w;

    always @*
        for (w = 0; w < BARRIERS; w = w + 1) begin
            wr_bars[w*BAR_W +: BAR_W] = {strict_q[w], at_q[w*LANES +: LANES], in_q[w*LANES +: LANES], bpc_q[w*PC_W +: PC_W]};
            {rd_strict[w], rd_at[w*LANES +: LANES], rd_in[w*LANES +: LANES], rd_bpc[w*PC_W +: PC_W]} = rd_bars[w*BAR_W +: BAR_W];
        end

    cw_ram_1rw #(
        .ADDR_W(WARP_W),
        .PART_W(PC_W),
        .PARTS (LANES)
    ) u_pcs (
        .clk_i     (clk_i),
        .rd_en_i   (take),
        .wr_en_i   (write),
        .wr_parts_i({LANES{1'b1}}),
        .addr_i    (row_addr),
        .wr_data_i (pc_q),
        .rd_data_o (rd_pcs)
`ifdef CW_PROPERTIES
        , .f_addr_i(f_warp)
        , .f_data_o(f_pcs)
`endif
    );

    cw_ram_1rw #(
        .ADDR_W(WARP_W),
        .PART_W(BAR_W),
        .PARTS (BARRIERS)
    ) u_bars (
        .clk_i     (clk_i),
        .rd_en_i   (take),
        .wr_en_i   (write),
        .wr_parts_i({BARRIERS{1'b1}}),
        .addr_i    (row_addr),
        .wr_data_i (wr_bars),
        .rd_data_o (rd_bars)
`ifdef CW_PROPERTIES
        , .f_addr_i(f_warp)
        , .f_data_o(f_bars)
`endif
    );

    cw_ram_1rw #(
        .ADDR_W(WARP_W),
        .PART_W(LANES),
        .PARTS (5)
    ) u_masks (
        .clk_i     (clk_i),
        .rd_en_i   (take),
        .wr_en_i   (write),
        .wr_parts_i(5'b11111),
        .addr_i    (row_addr),
        .wr_data_i ({served_q, yielded_q, held_q, active_q, live_q}),
        .rd_data_o (rd_masks)
`ifdef CW_PROPERTIES
        , .f_addr_i(f_warp)
        , .f_data_o(f_masks)
`endif
    );

    // ---- Find: barriers that are there, and free ones

    wire [LANES-1:0]          here    = group_q & lanes_q;
    wire [LANES-1:0]          others  = group_q & ~lanes_q;
    wire                      syncs   = kind_q == WARPSYNC;
    wire                      wants   = here != {LANES{1'b0}} && (syncs || (kind_q == BRANCH && meets_q && others != {LANES{1'b0}}));
    wire [PC_W-1:0]           want_pc = syncs ? target_q : meet_q;
    wire [LANES-1:0]          want_in = syncs ? here : group_q;
    reg  [BARRIERS-1:0]       found;      // it waits for all of them
    reg  [BARRIERS-1:0]       frees;
    integer                   n;

    always @*
        for (n = 0; n < BARRIERS; n = n + 1) begin
            frees[n] = in_q[n*LANES +: LANES] == {LANES{1'b0}};
            found[n] = !frees[n] && strict_q[n] == syncs && bpc_q[n*PC_W +: PC_W] == want_pc
                       && (want_in & ~in_q[n*LANES +: LANES]) == {LANES{1'b0}};
        end

    // ---- Apply: the lowest barrier that is enough, else the lowest free one

    wire [LANES-1:0]          new_in  = syncs ? here | (named_q & live_q) : group_q;
    reg  [BARRIERS-1:0]       found_oh;
    reg                       found_any;
    reg  [BARRIERS-1:0]       free_oh;
    reg                       free_any;
    integer                   a;

    always @* begin
        found_any = 1'b0;
        free_any  = 1'b0;
        for (a = 0; a < BARRIERS; a = a + 1) begin
            found_oh[a] = found_q[a] && !found_any;
            free_oh[a]  = free_q[a] && !free_any;
            found_any   = found_any || found_q[a];
            free_any    = free_any || free_q[a];
        end
    end

    wire [LANES-1:0]          resumed = held_q & lanes_q;
    wire                      moves   = kind_q == BRANCH || syncs || kind_q == BLOCK;
    wire [LANES-1:0]          gone    = lanes_q & {LANES{kind_q == EXIT}};
    wire                      start   = kind_q == START;
    reg  [LANES*PC_W-1:0]     pc_apply;
    reg  [BARRIERS*PC_W-1:0]  bpc_apply;
    reg  [BARRIERS*LANES-1:0] in_apply;
    reg  [BARRIERS*LANES-1:0] at_apply;
    reg  [BARRIERS-1:0]       strict_apply;
    reg  [BARRIERS-1:0]       taken_oh;   // a free barrier that is taken
    reg  [BARRIERS-1:0]       waited_oh;  // a strict one at which the lanes wait
    reg  [BARRIERS-1:0]       left_oh;    // a strict one whose last waiting lane has exited
    integer                   i;
    integer                   j;

    always @*
        for (i = 0; i < LANES; i = i + 1)
            pc_apply[i*PC_W +: PC_W] = (moves && here[i]) || (kind_q == RESUME && resumed[i]) ? target_q
                                       : moves && others[i] ? next_q : pc_q[i*PC_W +: PC_W];

    always @*
        for (j = 0; j < BARRIERS; j = j + 1) begin
            taken_oh[j]     = wants_q && !found_any && free_oh[j];
            waited_oh[j]    = wants_q && syncs && (found_any ? found_oh[j] : free_oh[j]);
            left_oh[j]      = kind_q == EXIT && strict_q[j] && (at_q[j*LANES +: LANES] & ~lanes_q) == {LANES{1'b0}};
            strict_apply[j] = taken_oh[j] ? syncs : strict_q[j];
            bpc_apply[j*PC_W +: PC_W]  = taken_oh[j] ? want_pc : bpc_q[j*PC_W +: PC_W];
            in_apply[j*LANES +: LANES] = taken_oh[j] ? new_in : in_q[j*LANES +: LANES] & ~gone & ~{LANES{left_oh[j] || start}};
            at_apply[j*LANES +: LANES] = (at_q[j*LANES +: LANES] & ~gone & ~{LANES{start}}) | (here & {LANES{waited_oh[j]}});
        end

    wire                      spins   = syncs && !found_any && !free_any;  // no barrier for who is to wait

    // ---- Come: barriers at a PC, which stop who has come there

    reg  [BARRIERS*LANES-1:0] stopped;
    reg  [LANES-1:0]          stops;      // at some barrier
    integer                   c;

    always @* begin
        stops = {LANES{1'b0}};
        for (c = 0; c < BARRIERS; c = c + 1) begin
            stopped[c*LANES +: LANES] = in_q[c*LANES +: LANES] & {LANES{!strict_q[c]}}
                                        & ((moved_q & {LANES{bpc_q[c*PC_W +: PC_W] == target_q}})
                                           | (rest_q & {LANES{bpc_q[c*PC_W +: PC_W] == next_q}}));
            stops = stops | stopped[c*LANES +: LANES];
        end
    end

    // Of a branch that yields; nobody who runs waits at a barrier yet.
    wire [LANES-1:0]          yields = (moved_q | rest_q) & ~stops & {LANES{yield_q && kind_q == BRANCH}};

    // ---- Open

    reg  [LANES-1:0]          blocked;    // at barriers of convergence
    reg  [LANES-1:0]          synced;     // at strict ones
    reg                       barred;
    integer                   b;

    always @* begin
        blocked = {LANES{1'b0}};
        synced  = {LANES{1'b0}};
        barred  = 1'b0;
        for (b = 0; b < BARRIERS; b = b + 1) begin
            blocked = blocked | (at_q[b*LANES +: LANES] & {LANES{!strict_q[b]}});
            synced  = synced | (at_q[b*LANES +: LANES] & {LANES{strict_q[b]}});
            barred  = barred || (!strict_q[b] && (in_q[b*LANES +: LANES] & active_q) != {LANES{1'b0}});
        end
    end

    wire [LANES-1:0]          parked  = held_q | synced;
    wire [LANES-1:0]          ready   = live_q & ~active_q & ~blocked & ~parked;
    wire                      nobody  = active_q == {LANES{1'b0}} && ready == {LANES{1'b0}};
    wire [LANES-1:0]          without = state_q == ST_OPEN ? yielded_q : parked;
    reg  [BARRIERS-1:0]       opens;
    integer                   o;

    always @*
        for (o = 0; o < BARRIERS; o = o + 1)
            opens[o] = at_q[o*LANES +: LANES] != {LANES{1'b0}}
                       && (in_q[o*LANES +: LANES] & ~at_q[o*LANES +: LANES] & ~(without & {LANES{!strict_q[o]}})) == {LANES{1'b0}};

    reg  [BARRIERS*LANES-1:0] opened;     // who leaves which barrier
    integer                   p;

    always @*
        for (p = 0; p < BARRIERS; p = p + 1)
            opened[p*LANES +: LANES] = at_q[p*LANES +: LANES] & {LANES{opens[p]}};

    wire                      opening = state_q == ST_OPEN || (state_q == ST_AGAIN && nobody);

    // ---- Pick: lanes of which the group is one; lead: the PC of the lowest; group: who is there

    wire [LANES-1:0]          may     = ready & ~yielded_q;
    wire [LANES-1:0]          side    = may & ((syncs || (kind_q == BRANCH && first_q) ? here : {LANES{1'b0}})
                                               | (kind_q == BRANCH && !first_q ? others : {LANES{1'b0}}));
    wire [LANES-1:0]          ahead   = side != {LANES{1'b0}} ? side : may & group_q & {LANES{kind_q == BRANCH}};
    wire                      over    = (ready & ~served_q) == {LANES{1'b0}};   // a round begins
    wire [LANES-1:0]          had     = over ? group_q & yielded_q : served_q;
    wire [LANES-1:0]          turn    = ready & ~had;
    wire                      chooses = active_q == {LANES{1'b0}};
    reg  [PC_W-1:0]           lead;
    reg  [LANES-1:0]          there;
    integer                   l;
    integer                   g;

    always @* begin
        lead = {PC_W{1'b0}};
        for (l = LANES - 1; l >= 0; l = l - 1)
            if (from_q[l])
                lead = pc_q[l*PC_W +: PC_W];
    end

    always @*
        for (g = 0; g < LANES; g = g + 1)
            there[g] = ready[g] && pc_q[g*PC_W +: PC_W] == lead_q;

    // ---- The steps

    always @(posedge clk_i)
        case (state_q)
            ST_LOAD: begin
                {served_q, yielded_q, held_q, active_q, live_q} <= rd_masks & {(5*LANES){known_q[warp_q]}};
                group_q    <= rd_masks[LANES +: LANES] & {LANES{known_q[warp_q]}};
                pc_q       <= rd_pcs;
                bpc_q      <= rd_bpc & {(BARRIERS*PC_W){known_q[warp_q]}};  // check bits of a word with unknown bits are unknown
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
                from_q <= ahead != {LANES{1'b0}} ? ahead : turn != {LANES{1'b0}} ? turn : ready;
                if (chooses && ahead == {LANES{1'b0}} && ready != {LANES{1'b0}})
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
    // One warp, one of its lanes and one of its barriers, of the prover's choice, and what the ports have shown of them.
    (* anyconst *) reg [WARP_W-1:0] f_warp;
    (* anyconst *) reg [5:0]        f_lane;
    (* anyconst *) reg [3:0]        f_bar;
    wire [LANES*PC_W-1:0]     f_pcs;      // the warp's row in the RAMs
    wire [BARRIERS*BAR_W-1:0] f_bars;
    wire [5*LANES-1:0]        f_masks;
    reg                       f_past_q = 1'b0;
    reg  [LANES-1:0]          f_live_q;   // by START and EXIT
    reg  [LANES-1:0]          f_act_q;    // the group of the last answer, or of START
    reg  [PC_W-1:0]           f_pc_q;     // where the lane has been sent
    reg  [3:0]                f_age_q;    // cycles since an operation was taken; 0: none is at work
    reg                       f_turn_q;   // the group is one by its turn
    reg  [7:0]                f_wait_q;   // groups by their turn that have passed the lane by
    reg                       f_seen_q;   // a barrier of convergence has stopped the lane

    wire                      f_mine  = state_q != ST_IDLE && warp_q == f_warp;
    wire                      f_op    = op_valid_i && op_ready_o && op_warp_i == f_warp;
    wire                      f_ans   = ans_valid_o && ans_warp_o == f_warp;
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
    wire                      f_row   = !f_mine || state_q == ST_LOAD;
    wire [LANES-1:0]          f_ready = f_live & ~f_active & ~f_held & ~f_conv & ~f_sync;
    // Active lanes that the operation leaves so.
    wire [LANES-1:0]          f_stay  = kind_q == START ? lanes_q
                                        : f_act_q & ~(kind_q == EXIT ? lanes_q : {LANES{kind_q >= BRANCH && kind_q <= BLOCK}});
    wire [LANES-1:0]          f_here  = f_act_q & lanes_q;
    integer                   f;
    integer                   fl;

    always @* begin
        {f_served, f_yielded, f_held, f_active, f_live} = f_row ? f_masks & {(5*LANES){known_q[f_warp]}}
                                                                : {served_q, yielded_q, held_q, active_q, live_q};
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
            f_in[f*LANES +: LANES] = f_row ? f_bars[f*BAR_W + PC_W +: LANES] & {LANES{known_q[f_warp]}} : in_q[f*LANES +: LANES];
            f_at[f*LANES +: LANES] = f_row ? f_bars[f*BAR_W + PC_W + LANES +: LANES] & {LANES{known_q[f_warp]}} : at_q[f*LANES +: LANES];
            f_strict[f]            = f_row ? f_bars[f*BAR_W + PC_W + 2*LANES] : strict_q[f];
            f_conv   = f_conv | (f_at[f*LANES +: LANES] & {LANES{!f_strict[f]}});
            f_sync   = f_sync | (f_at[f*LANES +: LANES] & {LANES{f_strict[f]}});
            f_nested = f_nested && (f_at[f*LANES +: LANES] & ~f_in[f*LANES +: LANES]) == {LANES{1'b0}}
                       && (f_in[f*LANES +: LANES] & ~f_live) == {LANES{1'b0}}
                       && (!f_strict[f] || f_at[f*LANES +: LANES] != {LANES{1'b0}} || f_in[f*LANES +: LANES] == {LANES{1'b0}});
            f_closed = f_closed && (f_at[f*LANES +: LANES] == {LANES{1'b0}}
                                    || (f_in[f*LANES +: LANES] & ~f_at[f*LANES +: LANES] & ~(f_yielded & {LANES{!f_strict[f]}})) != {LANES{1'b0}});
            if (f == f_bar) begin
                f_bpc     = f_row ? f_bars[f*BAR_W +: PC_W] : bpc_q[f*PC_W +: PC_W];
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
                f_pc     = f_row ? f_pcs[fl*PC_W +: PC_W] : pc_q[fl*PC_W +: PC_W];
            end
        end
    end

    always @(posedge clk_i) begin
        f_past_q    <= 1'b1;
        f_bin_q     <= f_bin;
        f_bat_q     <= f_bat;
        f_bstrict_q <= f_bstrict;
        f_yields_q  <= yielded_q;
        f_parked_q  <= parked;
        f_nobody_q  <= nobody;
        f_state_q   <= rst_i || !f_mine ? ST_IDLE : state_q;
        if (rst_i) begin
            f_live_q <= {LANES{1'b0}};
            f_act_q  <= {LANES{1'b0}};
            f_age_q  <= 4'd0;
            f_wait_q <= 8'd0;
            f_seen_q <= 1'b0;
        end else begin
            f_age_q <= op_valid_i && op_ready_o ? 4'd1 : f_age_q == 4'd10 || f_age_q == 4'd0 ? 4'd0 : f_age_q + 4'd1;
            if (f_mine && state_q == ST_APPLY && kind_q == START)
                f_live_q <= lanes_q;
            else if (f_mine && state_q == ST_APPLY && kind_q == EXIT)
                f_live_q <= f_live_q & ~lanes_q;
            if (f_ans)
                f_act_q <= ans_group_o;
            if (f_mine && state_q == ST_APPLY && f_exist) begin
                if (f_here[f_lane] && kind_q >= BRANCH && kind_q <= BLOCK)
                    f_pc_q <= target_q;
                else if (f_act_q[f_lane] && kind_q >= BRANCH && kind_q <= BLOCK)
                    f_pc_q <= next_q;
                else if (kind_q == RESUME && lanes_q[f_lane] && f_held[f_lane])
                    f_pc_q <= target_q;
            end
            if (state_q == ST_PICK)
                f_turn_q <= chooses && ahead == {LANES{1'b0}};
            if (f_ans) begin
                f_wait_q <= f_waits && f_exist ? f_wait_q + {7'd0, f_turn_q && !ans_keep_o && ans_group_o != {LANES{1'b0}}} : 8'd0;
                f_seen_q <= f_seen_q || (f_exist && ans_blocked_o[f_lane]);
            end
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q && f_exist) begin
            // 1. No lane is lost, and none is in two places: the group, those that wait and those that are held are apart, and of the warp; and
            // when there is no group, all lanes of the warp wait or are held.
            if (f_ans) begin
                assert (((ans_group_o | ans_blocked_o | ans_parked_o) & ~f_live_q) == {LANES{1'b0}});
                assert ((ans_group_o & (ans_blocked_o | ans_parked_o)) == {LANES{1'b0}} && (ans_blocked_o & ans_parked_o) == {LANES{1'b0}});
                if (ans_group_o == {LANES{1'b0}})
                    assert ((ans_blocked_o | ans_parked_o) == f_live_q);
            end
            cover (f_ans && ans_blocked_o != {LANES{1'b0}} && ans_group_o != {LANES{1'b0}});
            cover (f_ans && ans_group_o == {LANES{1'b0}} && ans_parked_o != {LANES{1'b0}});
            // 2. The group stands at one PC, and all ready lanes at this PC are in it.
            if (f_ans && !ans_keep_o && f_act_q[f_lane] == 1'b0 && ans_group_o[f_lane])
                assert (ans_pc_o == f_pc_q);
            if (f_ans && !ans_keep_o && ans_group_o != {LANES{1'b0}} && f_waits)
                assert (ans_pc_o != f_pc_q);
            cover (f_ans && !ans_keep_o && ans_group_o[f_lane] && f_seen_q && f_waits == 1'b0 && ans_pc_o != {PC_W{1'b0}});
            cover (f_ans && !ans_keep_o && ans_group_o != {LANES{1'b0}} && f_waits);
            // 3. After an answer each barrier at which somebody waits misses a lane of the warp: a strict one any, one of convergence one that has
            // not yielded, and when nobody runs, one that is neither held nor at a strict barrier. So exits leave no barrier waiting.
            if (f_row || state_q >= ST_AGAIN)
                assert (f_closed);
            if (f_mine && state_q >= ST_PICK && (f_active | f_ready) == {LANES{1'b0}} && !f_bstrict && f_bat != {LANES{1'b0}})
                assert ((f_bin & ~f_bat & ~f_held & ~f_sync) != {LANES{1'b0}});
            cover (f_ans && f_bat != {LANES{1'b0}} && f_bstrict);
            cover (f_ans && f_bat != {LANES{1'b0}} && !f_bstrict && f_bpc != {PC_W{1'b0}});
            // 4. A barrier opens when all that it waits for are there, but for those that it does without; then nobody waits there, and it waits
            // for those only.
            if ((f_state_q == ST_OPEN || f_state_q == ST_AGAIN) && f_bat_q != {LANES{1'b0}} && f_bat == {LANES{1'b0}}) begin
                assert ((f_bin_q & ~f_bat_q & ~(f_state_q == ST_OPEN ? f_yields_q : f_parked_q & {LANES{f_nobody_q}})) == {LANES{1'b0}});
                assert (!f_bstrict_q || f_bin_q == f_bat_q);
                assert (f_bin == (f_bin_q & ~f_bat_q));
            end
            if (f_state_q >= ST_COME && f_state_q <= ST_WRITE && f_bat != f_bat_q && f_state_q != ST_COME)
                assert (f_bat == {LANES{1'b0}});
            cover (f_state_q == ST_OPEN && f_bat_q != {LANES{1'b0}} && f_bat == {LANES{1'b0}} && f_bin != {LANES{1'b0}});
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
            // 7. An operation that is taken in t is answered in t + 10, and no other cycle has an answer; what is not an answer is 0.
            assert (ans_valid_o == (f_age_q == 4'd10));
            assert (op_ready_o == (f_age_q == 4'd0) && busy_o == (f_age_q != 4'd0));
            if (!ans_valid_o)
                assert (!ans_keep_o && !ans_barred_o && ans_group_o == {LANES{1'b0}} && ans_pc_o == {PC_W{1'b0}}
                        && (ans_released_o | ans_blocked_o | ans_parked_o) == {LANES{1'b0}} && ans_warp_o == {WARP_W{1'b0}});
            cover (f_ans && ans_barred_o && ans_released_o != {LANES{1'b0}});
            cover (!ans_valid_o && lead_q != {PC_W{1'b0}} && f_seen_q);
            // 8. A RAM is never read and written in one cycle.
            assert (!(take && write));
            cover (take && f_seen_q);
            // 9. Lanes that are active stay so, unless their operation moves them or they exit.
            if (f_ans)
                assert (ans_keep_o == (f_stay != {LANES{1'b0}}) && (!ans_keep_o || ans_group_o == f_stay));
            cover (f_ans && ans_keep_o && kind_q == EXIT);
            cover (f_ans && ans_keep_o && kind_q == RESUME && ans_released_o == {LANES{1'b0}} && f_seen_q);
            // 10. (for induction) The row is in order, in the RAMs and at work.
            assert (state_q <= ST_WRITE && (f_age_q == state_q));
            assert (f_live == f_live_q);
            if (!f_mine || state_q <= ST_APPLY)
                assert (f_active == f_act_q);
            if (f_mine && state_q == ST_LOAD)
                assert (rd_masks == f_masks && rd_bars == f_bars && rd_pcs == f_pcs);
            if (f_mine && state_q >= ST_FIND)
                assert (group_q == f_act_q);
            if (state_q == ST_APPLY)
                assert (found_q == found && free_q == frees && wants_q == wants);
            if (f_mine && state_q >= ST_COME && state_q <= ST_GROUP)
                assert (active_q == f_stay);
            assert (((f_active | f_held | f_sync | f_conv | f_yielded) & ~f_live) == {LANES{1'b0}});
            assert ((f_active & (f_held | f_sync | f_conv)) == {LANES{1'b0}} && (f_held & (f_sync | f_conv)) == {LANES{1'b0}});
            assert ((f_yielded & ~f_ready) == {LANES{1'b0}});
            if (f_row || state_q == ST_WRITE)
                assert (f_active != {LANES{1'b0}} || f_ready == {LANES{1'b0}});
            if (f_has && !f_acts)
                assert (f_pc == f_pc_q);
            if (f_mine && (state_q == ST_COME || state_q == ST_OPEN))
                assert (((moved_q | rest_q) & ~(state_q == ST_COME ? f_ready & ~f_yielded : live_q)) == {LANES{1'b0}});
            if (f_act_q[f_lane] || (!f_waits && (f_row || (f_has && !f_acts))))
                assert (f_wait_q == 8'd0);
            if (f_waits)
                assert ({24'd0, f_wait_q} + (f_mine && state_q == ST_WRITE && f_turn_q && !keep_q && f_active != {LANES{1'b0}} ? 1 : 0)
                        <= (f_serves ? {24'd0, f_count} - 1 : LANES - 1 + {24'd0, f_count}));
            if (f_mine && (state_q == ST_LEAD || state_q == ST_GROUP)) begin
                assert (keep_q == (active_q != {LANES{1'b0}}) && (from_q & ~ready) == {LANES{1'b0}}
                        && (keep_q || (ready == {LANES{1'b0}}) == (from_q == {LANES{1'b0}})));
                if (f_turn_q && !keep_q && (from_q & served_q) != {LANES{1'b0}})
                    assert ((ready & ~served_q) == {LANES{1'b0}} && (!f_waits || f_wait_q == 8'd0));
                if (state_q == ST_GROUP && !keep_q && from_q != {LANES{1'b0}})
                    assert ((there & from_q) != {LANES{1'b0}});
            end
            cover (f_mine && state_q == ST_APPLY && f_wait_q != 8'd0);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
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
