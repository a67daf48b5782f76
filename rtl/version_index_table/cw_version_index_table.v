// SPDX-License-Identifier: Apache-2.0
//
// cw_version_index_table: which row of memory serves an access, by its address and by the time at which its transaction began.
//
// Why         : a transaction reads memory as it was at its begin. So each access has to find that version before it meets the L2.
// How         : stage 1 compares the row with all regions and the time with that of all versions. One region is left, the lowest, and one
//               version: who is younger is kept as a matrix, so no two times are compared. Stage 2 adds up the row. Operations change the
//               state of versions beside it.
// Latency     : from look-up to answer 2 cycles; op_refused_o 1 cycle.
// Throughput  : one look-up, one operation and one region per cycle.
// Comb. paths : none from input to output. Longest path: time -> comparison -> the youngest -> its slot.
// Storage     : REGIONS entries of 5 ROW_W + STRIDE_W + 1 bits, VERSIONS of TIME_W + COUNT_W + VERSIONS + 3, in flip-flops: all are read at once.
// Illegal use : none.
//
// Paper: Chen et al., ISCA 2017 (SI-TM), section 3. Contract: include/cowarp/unit/version_index_table.h.
// C model: csim/unit/version_index_table.c. Datasheet: docs/units/version_index_table.md.

`default_nettype none

module cw_version_index_table #(
    parameter ROW_W    = 20,  // 2 .. 30
    parameter STRIDE_W = 12,  // 1 .. 16, at most ROW_W
    parameter TIME_W   = 32,  // 2 .. 32
    parameter COUNT_W  = 11,  // 1 .. 16
    parameter VERSIONS = 8,   // 2 .. 16
    parameter REGIONS  = 32   // 1 .. 64
) (
    input  wire                clk_i,
    input  wire                rst_i,
    // look-ups
    input  wire                qry_valid_i,
    input  wire [1:0]          qry_kind_i,
    input  wire [ROW_W-1:0]    qry_row_i,
    input  wire [TIME_W-1:0]   qry_time_i,
    input  wire [3:0]          qry_slot_i,
    // their answers, two cycles later
    output wire                ans_valid_o,
    output wire                ans_versioned_o,
    output wire                ans_found_o,
    output wire [3:0]          ans_slot_o,
    output wire [1:0]          ans_state_o,
    output wire [ROW_W-1:0]    ans_row_o,
    // the life of versions
    input  wire                op_valid_i,
    input  wire [2:0]          op_kind_i,
    input  wire [3:0]          op_slot_i,
    input  wire [TIME_W-1:0]   op_time_i,
    input  wire [5:0]          op_cnt_i,
    output wire                op_refused_o,
    // regions
    input  wire                set_valid_i,
    input  wire [5:0]          set_index_i,
    input  wire                set_used_i,
    input  wire [ROW_W-1:0]    set_first_i,
    input  wire [ROW_W-1:0]    set_end_i,
    input  wire [ROW_W-1:0]    set_far_i,
    input  wire [ROW_W-1:0]    set_shift_i,
    input  wire [STRIDE_W-1:0] set_stride_i,
    input  wire [ROW_W-1:0]    set_moved_i,
    // status
    output wire [VERSIONS-1:0] readable_o,
    output wire [VERSIONS-1:0] held_o,
    output wire                idle_o
);

    localparam [1:0] SNAPSHOT = 2'd0, NEWEST = 2'd1;
    localparam [2:0] COPY = 3'd0, READY = 3'd1, CLOSE = 3'd2, FREE = 3'd3, HOLD = 3'd4, RELEASE = 3'd5, RESTART = 3'd6, RENUMBER = 3'd7;
    localparam [1:0] S1 = 2'd0, S2 = 2'd1, S3 = 2'd2, S4 = 2'd3;  // copying, written, readable, free

    localparam FIELD_W = 1 + ROW_W + STRIDE_W;             // of the region that is met: versioned, shift, stride
    localparam SUM_W   = (COUNT_W > 6 ? COUNT_W : 6) + 1;       // of a count and op_cnt
    localparam [TIME_W-1:0]   TIME_0  = {TIME_W{1'b0}};
    localparam [COUNT_W-1:0]  COUNT_0 = {COUNT_W{1'b0}};
    localparam [REGIONS-1:0]  ONE_R   = 1;

    genvar r;
    genvar v;

    // Regions.
    wire [REGIONS-1:0]         hit;
    wire [REGIONS-1:0]         hit_oh = hit & (~hit + ONE_R);
    wire [REGIONS*FIELD_W-1:0] fields;  // of the region that is met, 0 elsewhere
    reg  [FIELD_W-1:0]         field;

`ifdef CW_PROPERTIES
    localparam F_REGION_W = 5*ROW_W + STRIDE_W;
    wire [REGIONS-1:0]            f_used;
    wire [REGIONS*F_REGION_W-1:0] f_regions;
`endif

    generate
        for (r = 0; r < REGIONS; r = r + 1) begin : g_region
            localparam [31:0] R = r;
            reg                used_q;
            reg [ROW_W-1:0]    first_q;
            reg [ROW_W-1:0]    end_q;
            reg [ROW_W-1:0]    far_q;
            reg [ROW_W-1:0]    shift_q;
            reg [STRIDE_W-1:0] stride_q;
            reg [ROW_W-1:0]    moved_q;
            wire               set       = set_valid_i && set_index_i == R[5:0];
            wire               versioned = qry_row_i < end_q;
            always @(posedge clk_i) begin
                if (rst_i)
                    used_q <= 1'b0;
                else if (set)
                    used_q <= set_used_i;
                if (set) begin
                    first_q  <= set_first_i;
                    end_q    <= set_end_i;
                    far_q    <= set_far_i;
                    shift_q  <= set_shift_i;
                    stride_q <= set_stride_i;
                    moved_q  <= set_moved_i;
                end
            end
`ifdef CW_PROPERTIES
            assign f_used[r] = used_q;
            assign f_regions[r*F_REGION_W +: F_REGION_W] = {first_q, end_q, far_q, shift_q, stride_q, moved_q};
`endif
            assign hit[r] = used_q && first_q <= qry_row_i && qry_row_i < far_q;
            assign fields[r*FIELD_W +: FIELD_W] = {FIELD_W{hit_oh[r]}} & {versioned, versioned ? shift_q : moved_q,
                                                                          versioned ? stride_q : {STRIDE_W{1'b0}}};
        end
    endgenerate

    integer i;
    always @* begin
        field = {FIELD_W{1'b0}};
        for (i = 0; i < REGIONS; i = i + 1)
            field = field | fields[i*FIELD_W +: FIELD_W];
    end

    // Versions: their state and time, and which is younger than which.
    wire [VERSIONS-1:0]        readable;
    wire [VERSIONS-1:0]        held;
    wire [VERSIONS-1:0]        in_time;     // not above the time of the look-up
    wire [VERSIONS-1:0]        oldish;      // some candidate is younger
    wire [VERSIONS-1:0]        asked_oh;    // qry_slot
    reg  [VERSIONS-1:0]        newest_oh_q;
    wire [VERSIONS-1:0]        candidate = qry_kind_i == SNAPSHOT ? readable & in_time : qry_kind_i == NEWEST ? newest_oh_q : asked_oh;
    wire [VERSIONS-1:0]        slot_oh   = candidate & ~oldish;
    wire [VERSIONS*2-1:0]      states;
    wire [VERSIONS*TIME_W-1:0] times;
    reg  [1:0]                 state;       // of the version that is found
    reg  [3:0]                 slot;

    // An operation: its version, and whether it is allowed.
    wire [VERSIONS-1:0]  at_oh;
    wire [VERSIONS*COUNT_W-1:0] counts;
    reg  [1:0]           at_state;
    reg  [COUNT_W-1:0]   at_count;
    reg  [TIME_W-1:0]    newest_time;
    wire                 at_any   = |at_oh;
    wire                 at_newest = |(at_oh & newest_oh_q);
    wire [SUM_W-1:0]     sum      = {{(SUM_W-COUNT_W){1'b0}}, at_count} + {{(SUM_W-6){1'b0}}, op_cnt_i};
    wire [SUM_W-1:0]     rest     = {{(SUM_W-COUNT_W){1'b0}}, at_count} - {{(SUM_W-6){1'b0}}, op_cnt_i};
    wire                 copy     = op_kind_i == COPY    && at_state == S4;
    wire                 ready    = op_kind_i == READY   && at_state == S1;
    wire                 close    = op_kind_i == CLOSE   && at_state == S2 && op_time_i > newest_time;
    wire                 free     = op_kind_i == FREE    && at_state == S3 && at_count == COUNT_0 && !at_newest;
    wire                 hold     = op_kind_i == HOLD    && at_state == S3 && !(|sum[SUM_W-1:COUNT_W]);
    wire                 release_ = op_kind_i == RELEASE && at_state == S3 && !rest[SUM_W-1];
    wire                 renumber = op_kind_i == RENUMBER && at_newest && at_count == COUNT_0 && readable == at_oh;
    wire                 allowed  = at_any && (copy || ready || close || free || hold || release_ || renumber || op_kind_i == RESTART);
    wire                 restart  = op_valid_i && at_any && op_kind_i == RESTART;
    wire                 go       = op_valid_i && allowed;
    wire                 youngest = go && (close || restart);  // the version becomes the youngest of all

    always @* begin
        state       = 2'd0;
        slot        = 4'd0;
        at_state    = 2'd0;
        at_count    = COUNT_0;
        newest_time = TIME_0;
        for (i = 0; i < VERSIONS; i = i + 1) begin
            state       = state | ({2{slot_oh[i]}} & states[i*2 +: 2]);
            slot        = slot | ({4{slot_oh[i]}} & i[3:0]);
            at_state    = at_state | ({2{at_oh[i]}} & states[i*2 +: 2]);
            at_count    = at_count | ({COUNT_W{at_oh[i]}} & counts[i*COUNT_W +: COUNT_W]);
            newest_time = newest_time | ({TIME_W{newest_oh_q[i]}} & times[i*TIME_W +: TIME_W]);
        end
    end

`ifdef CW_PROPERTIES
    wire [VERSIONS*VERSIONS-1:0] f_younger;
`endif

    generate
        for (v = 0; v < VERSIONS; v = v + 1) begin : g_version
            localparam [31:0] V = v;
            reg [1:0]          state_q;
            reg [TIME_W-1:0]   time_q;
            reg [COUNT_W-1:0]  count_q;
            reg [VERSIONS-1:0] younger_q;  // those that are younger than this one
            wire               turn = go && at_oh[v];
            always @(posedge clk_i) begin
                if (rst_i) begin
                    state_q        <= v == 0 ? S3 : S4;
                    count_q        <= COUNT_0;
                    time_q         <= TIME_0;
                    newest_oh_q[v] <= v == 0;
                    younger_q      <= {VERSIONS{1'b0}};
                end else begin
                    if (turn)
                        state_q <= copy ? S1 : ready ? S2 : free ? S4 : S3;
                    else if (restart)
                        state_q <= S4;
                    if (turn && (hold || release_))
                        count_q <= hold ? sum[COUNT_W-1:0] : rest[COUNT_W-1:0];
                    else if (restart)
                        count_q <= COUNT_0;
                    if (turn && (youngest || renumber))
                        time_q <= op_time_i;
                    if (youngest)
                        newest_oh_q[v] <= at_oh[v];
                    if (youngest)
                        younger_q <= at_oh[v] ? {VERSIONS{1'b0}} : younger_q | at_oh;
                end
            end
            assign at_oh[v]    = op_slot_i == V[3:0];
            assign asked_oh[v] = qry_slot_i == V[3:0];
            assign readable[v] = state_q == S3;
            assign held[v]     = |count_q;
            assign in_time[v]  = time_q <= qry_time_i;
            assign oldish[v]   = qry_kind_i == SNAPSHOT && |(candidate & younger_q);
            assign states[v*2 +: 2] = state_q;
            assign times[v*TIME_W +: TIME_W] = time_q;
            assign counts[v*COUNT_W +: COUNT_W] = count_q;
`ifdef CW_PROPERTIES
            assign f_younger[v*VERSIONS +: VERSIONS] = younger_q;
`endif
        end
    endgenerate

    // Between the stages.
    reg                valid_q;
    reg                versioned_q;
    reg [ROW_W-1:0]    row_q;
    reg [ROW_W-1:0]    shift_q;
    reg [STRIDE_W-1:0] stride_q;
    reg                found_q;
    reg [3:0]          slot_q;
    reg [1:0]          state_q;

    // Stage 2.
    localparam WIDE_W = ROW_W + 4 + STRIDE_W;
    /* verilator lint_off UNUSED */
    wire [WIDE_W-1:0] offset = {{(ROW_W+STRIDE_W){1'b0}}, slot_q} * {{(ROW_W+4){1'b0}}, stride_q};
    /* verilator lint_on UNUSED */
    wire              lost   = versioned_q && !found_q;  // no version
    reg               ans_valid_q;
    reg               ans_versioned_q;
    reg               ans_found_q;
    reg [3:0]         ans_slot_q;
    reg [1:0]         ans_state_q;
    reg [ROW_W-1:0]   ans_row_q;
    reg               refused_q;

    always @(posedge clk_i) begin
        if (rst_i) begin
            valid_q         <= 1'b0;
            refused_q       <= 1'b0;
            ans_valid_q     <= 1'b0;
            ans_versioned_q <= 1'b0;
            ans_found_q     <= 1'b0;
            ans_slot_q      <= 4'd0;
            ans_state_q     <= 2'd0;
            ans_row_q       <= {ROW_W{1'b0}};
        end else begin
            valid_q         <= qry_valid_i;
            refused_q       <= op_valid_i && !allowed;
            ans_valid_q     <= valid_q;
            ans_versioned_q <= valid_q && versioned_q;
            ans_found_q     <= valid_q && versioned_q && found_q;
            ans_slot_q      <= valid_q && versioned_q ? slot_q : 4'd0;
            ans_state_q     <= valid_q && versioned_q ? state_q : 2'd0;
            ans_row_q       <= !valid_q || lost ? {ROW_W{1'b0}} : row_q + shift_q + offset[ROW_W-1:0];
        end
        if (qry_valid_i) begin
            versioned_q <= field[FIELD_W-1];
            row_q       <= qry_row_i;
            shift_q     <= field[STRIDE_W +: ROW_W];
            stride_q    <= field[STRIDE_W-1:0];
            found_q     <= |slot_oh;
            slot_q      <= slot;
            state_q     <= state;
        end
    end

    assign ans_valid_o     = ans_valid_q;
    assign ans_versioned_o = ans_versioned_q;
    assign ans_found_o     = ans_found_q;
    assign ans_slot_o      = ans_slot_q;
    assign ans_state_o     = ans_state_q;
    assign ans_row_o       = ans_row_q;
    assign op_refused_o    = refused_q;
    assign readable_o      = readable;
    assign held_o          = held;
    assign idle_o          = !valid_q && !ans_valid_q && !refused_q;

`ifdef CW_PROPERTIES
    // Two slots and a region, chosen by the solver; the first slot and the region as what was taken has made them.
    (* anyconst *) reg [3:0] f_any_slot;
    (* anyconst *) reg [3:0] f_any_other;
    (* anyconst *) reg [5:0] f_any_region;
    wire [3:0]          f_slot   = f_any_slot < VERSIONS ? f_any_slot : 4'd0;
    wire [3:0]          f_other  = f_any_other < VERSIONS ? f_any_other : 4'd0;
    wire [5:0]          f_region = f_any_region < REGIONS ? f_any_region : 6'd0;
    localparam F_COUNT_W = COUNT_W + 8;  // never wraps by one operation
    reg                 f_past_q = 1'b0;
    wire                f_turn   = go && op_slot_i == f_slot;
    reg [1:0]           f_state_q;
    reg [TIME_W-1:0]    f_time_q;
    reg [F_COUNT_W-1:0] f_count_q;
    reg [1:0]           f_last_q;     // its state a cycle ago
    reg                 f_restart_q;  // a restart has come since
    wire [TIME_W-1:0]   f_other_time  = times[f_other*TIME_W +: TIME_W];
    wire                f_other_reads = states[f_other*2 +: 2] == S3;

    reg                 f_used_q;
    reg [ROW_W-1:0]     f_first_q;
    reg [ROW_W-1:0]     f_end_q;
    reg [ROW_W-1:0]     f_far_q;
    reg [ROW_W-1:0]     f_shift_q;
    reg [STRIDE_W-1:0]  f_stride_q;
    reg [ROW_W-1:0]     f_moved_q;
    wire                f_met    = f_used_q && f_first_q <= qry_row_i && qry_row_i < f_far_q;
    wire                f_lowest = f_met && (hit & ((ONE_R << f_region) - ONE_R)) == {REGIONS{1'b0}};

    // The look-ups of the last two cycles, with what was then; bits: of its version's, of the answer's.
    localparam F_LOOK_W = 7 + 4*TIME_W + 4*ROW_W + STRIDE_W;
    wire                f_reads = !qry_kind_i[1];
    wire                f_may   = f_reads && f_state_q == S3 && (qry_kind_i == NEWEST || f_time_q <= qry_time_i);
    wire [F_LOOK_W-1:0] f_look  = {qry_valid_i, qry_kind_i, f_state_q == S3, f_may, f_lowest, !(|hit), qry_time_i, f_time_q, f_other_time,
                                   newest_time, qry_row_i, f_end_q, f_shift_q, f_moved_q, f_stride_q};
    reg  [F_LOOK_W-1:0] f_look1_q;
    reg  [F_LOOK_W-1:0] f_look2_q;
    wire                f_valid2, f_readable2, f_may2, f_lowest2, f_none2;
    wire [1:0]          f_kind2;
    wire [TIME_W-1:0]   f_asked2, f_time2, f_other2, f_newest2;
    wire [ROW_W-1:0]    f_row2, f_end2, f_shift2, f_moved2;
    wire [STRIDE_W-1:0] f_stride2;
    assign {f_valid2, f_kind2, f_readable2, f_may2, f_lowest2, f_none2, f_asked2, f_time2, f_other2, f_newest2, f_row2, f_end2, f_shift2,
            f_moved2, f_stride2} = f_look2_q;
    wire [WIDE_W-1:0]   f_offset = {{(ROW_W+STRIDE_W){1'b0}}, ans_slot_o} * {{(ROW_W+4){1'b0}}, f_stride2};
    wire                f_read2  = f_valid2 && !f_kind2[1];

    // Whether all readable versions are in order.
    reg     f_ordered;
    integer f_i;
    integer f_j;
    always @* begin
        f_ordered = 1'b1;
        for (f_i = 0; f_i < VERSIONS; f_i = f_i + 1) begin
            if (f_younger[f_i*VERSIONS + f_i] || (readable[f_i] && times[f_i*TIME_W +: TIME_W] > newest_time))
                f_ordered = 1'b0;
            for (f_j = 0; f_j < f_i; f_j = f_j + 1)
                if (readable[f_i] && readable[f_j]
                    && (times[f_i*TIME_W +: TIME_W] == times[f_j*TIME_W +: TIME_W]
                        || f_younger[f_i*VERSIONS + f_j] != (times[f_j*TIME_W +: TIME_W] > times[f_i*TIME_W +: TIME_W])
                        || f_younger[f_j*VERSIONS + f_i] != (times[f_i*TIME_W +: TIME_W] > times[f_j*TIME_W +: TIME_W])))
                    f_ordered = 1'b0;
        end
    end

    always @(posedge clk_i) begin
        f_past_q    <= 1'b1;
        f_last_q    <= f_state_q;
        f_restart_q <= rst_i || restart;
        f_look1_q   <= rst_i ? {F_LOOK_W{1'b0}} : f_look;
        f_look2_q   <= rst_i ? {F_LOOK_W{1'b0}} : f_look1_q;
        if (rst_i) begin
            f_state_q <= f_slot == 4'd0 ? S3 : S4;
            f_time_q  <= TIME_0;
            f_count_q <= {F_COUNT_W{1'b0}};
            f_used_q  <= 1'b0;
        end else begin
            if (restart || (f_turn && op_kind_i == CLOSE))
                f_count_q <= {F_COUNT_W{1'b0}};
            else if (f_turn && op_kind_i == HOLD)
                f_count_q <= f_count_q + {{(F_COUNT_W-6){1'b0}}, op_cnt_i};
            else if (f_turn && op_kind_i == RELEASE)
                f_count_q <= f_count_q - {{(F_COUNT_W-6){1'b0}}, op_cnt_i};
            if (f_turn && (op_kind_i == CLOSE || op_kind_i == RESTART || op_kind_i == RENUMBER))
                f_time_q <= op_time_i;
            if (f_turn && op_kind_i == COPY)
                f_state_q <= S1;
            else if (f_turn && op_kind_i == READY)
                f_state_q <= S2;
            else if (f_turn && (op_kind_i == CLOSE || op_kind_i == RESTART))
                f_state_q <= S3;
            else if (restart || (f_turn && op_kind_i == FREE))
                f_state_q <= S4;
            if (set_valid_i && set_index_i == f_region) begin
                f_used_q   <= set_used_i;
                f_first_q  <= set_first_i;
                f_end_q    <= set_end_i;
                f_far_q    <= set_far_i;
                f_shift_q  <= set_shift_i;
                f_stride_q <= set_stride_i;
                f_moved_q  <= set_moved_i;
            end
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. A look-up is answered two cycles later; what is not an answer is 0.
            assert (ans_valid_o == f_valid2);
            assert (ans_valid_o || !(ans_versioned_o || ans_found_o || |{ans_slot_o, ans_state_o, ans_row_o}));
            cover (ans_valid_o && ans_row_o != {ROW_W{1'b0}});
            // 2. A read goes to a version that was readable when it was asked for, and from no later time than that of the read.
            if (f_read2 && ans_found_o && ans_slot_o == f_slot) begin
                assert (f_readable2 && ans_state_o == S3);
                assert (f_kind2 == NEWEST || f_time2 <= f_asked2);
            end
            cover (f_read2 && ans_found_o && ans_slot_o == f_slot && f_kind2 == SNAPSHOT && f_time2 < f_asked2 && f_time2 < f_newest2);
            // 3. A read goes to the newest of those versions, and there is one for the newest always.
            if (f_read2 && ans_versioned_o && f_may2) begin
                assert (ans_found_o);
                assert (ans_slot_o != f_other || f_other2 >= f_time2);
            end
            assert (!(f_read2 && ans_versioned_o && f_kind2 == NEWEST) || ans_found_o);
            cover (f_read2 && ans_versioned_o && f_may2 && ans_slot_o == f_other && f_other2 > f_time2);
            // 4. A version goes from S1 to S4 in this order; only a restart cuts that short.
            assert (states[f_slot*2 +: 2] == f_state_q);
            assert (f_restart_q || f_state_q == f_last_q || f_state_q == f_last_q + 2'd1);
            cover (!f_restart_q && f_state_q == S1 && f_last_q == S4 && f_time_q != TIME_0);
            // 5. A version is freed only at count 0, and not when it is the newest.
            if (!f_restart_q && f_last_q == S3 && f_state_q == S4) begin
                assert (f_count_q == {F_COUNT_W{1'b0}});
                assert (!newest_oh_q[f_slot] && f_time_q < newest_time);
            end
            cover (!f_restart_q && f_last_q == S3 && f_state_q == S4);
            // 6. A version's count is what holds it less what has let it go, and only a readable one is held.
            assert ({{(F_COUNT_W-COUNT_W){1'b0}}, counts[f_slot*COUNT_W +: COUNT_W]} == f_count_q);
            assert (f_state_q == S3 || f_count_q == {F_COUNT_W{1'b0}});
            cover (f_state_q == S3 && !newest_oh_q[f_slot] && f_count_q != {F_COUNT_W{1'b0}});
            // 7. Readable versions have different times, the younger the larger; the newest has the largest.
            assert (f_state_q != S3 || times[f_slot*TIME_W +: TIME_W] == f_time_q);
            assert (f_ordered);
            assert ((newest_oh_q & ~readable) == {VERSIONS{1'b0}});
            assert ((newest_oh_q & (newest_oh_q - 1'b1)) == {VERSIONS{1'b0}} && newest_oh_q != {VERSIONS{1'b0}});
            cover (f_state_q == S3 && f_other_reads && f_slot > f_other && f_other_time > f_time_q);
            // 8. A row of a region goes to its version's row, a displaced one to the spare rows, any other nowhere else.
            assert (f_used[f_region] == f_used_q);
            assert (!f_used_q || f_regions[f_region*F_REGION_W +: F_REGION_W] == {f_first_q, f_end_q, f_far_q, f_shift_q, f_stride_q, f_moved_q});
            assert (hit[f_region] == f_met);
            if (f_valid2 && f_lowest2) begin
                assert (ans_versioned_o == (f_row2 < f_end2));
                assert (ans_versioned_o || ans_row_o == f_row2 + f_moved2);
                assert (!ans_found_o || ans_row_o == f_row2 + f_shift2 + f_offset[ROW_W-1:0]);
            end
            assert (!(f_valid2 && f_none2) || (!ans_versioned_o && ans_row_o == f_row2));
            cover (f_valid2 && f_lowest2 && ans_found_o && f_offset[ROW_W-1:0] != {ROW_W{1'b0}});
            cover (f_valid2 && f_lowest2 && !ans_versioned_o && ans_row_o != f_row2);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

    generate
        if (ROW_W < 2 || ROW_W > 30) begin : g_bad_row_w
            cw_error_version_index_table_row_w_must_be_2_to_30 u_error ();
        end
        if (STRIDE_W < 1 || STRIDE_W > 16 || STRIDE_W > ROW_W) begin : g_bad_stride_w
            cw_error_version_index_table_stride_w_must_be_1_to_16_and_at_most_row_w u_error ();
        end
        if (TIME_W < 2 || TIME_W > 32) begin : g_bad_time_w
            cw_error_version_index_table_time_w_must_be_2_to_32 u_error ();
        end
        if (COUNT_W < 1 || COUNT_W > 16) begin : g_bad_count_w
            cw_error_version_index_table_count_w_must_be_1_to_16 u_error ();
        end
        if (VERSIONS < 2 || VERSIONS > 16) begin : g_bad_versions
            cw_error_version_index_table_versions_must_be_2_to_16 u_error ();
        end
        if (REGIONS < 1 || REGIONS > 64) begin : g_bad_regions
            cw_error_version_index_table_regions_must_be_1_to_64 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
