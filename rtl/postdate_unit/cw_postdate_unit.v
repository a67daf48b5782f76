// SPDX-License-Identifier: Apache-2.0
//
// cw_postdate_unit: logical times of transactions, and the pipeline that judges edges between them.
//
// Why         : transactions that read past each other's writes in a circle must not all commit (write skew). Logical times find such a
//               circle without a graph: they grow along every edge.
// How         : stage 0 reads CTS and PDTS of both transactions of an edge, stage 1 judges, stage 2 writes the reader's PDTS and the
//               writer's CTS. BEGIN, COMMIT and FREE go the same way. A sweep after a reset is a FREE of every transaction. Stage 1
//               takes from stage 2 what the operation before it has changed; the RAMs give what is being written.
// Latency     : from operation to answer 2 cycles; an operation is seen by the next one.
// Throughput  : one operation per cycle.
// Comb. paths : none from input to output. Longest path: RAM or forwarded row -> midpoint -> comparison -> chosen CTS.
// Storage     : CTS, and PDTS with two bits of state, each in two RAMs of 2^ID_W rows with the same contents: two reads per cycle. The
//               two columns are apart, so that an edge writes one row of each.
// Illegal use : none.
//
// Paper: Chen et al., ISCA 2017 (SI-TM), section 4.1, Figure 7. Contract: include/cowarp/unit/postdate_unit.h.
// C model: csim/unit/postdate_unit.c. Datasheet: docs/units/postdate_unit.md.

`default_nettype none

module cw_postdate_unit #(
    parameter ID_W   = 10,  // 1 .. 10
    parameter TIME_W = 24,  // 2 .. 32
    parameter RULES  = 0,   // 0 corrected, 1 infinite, 2 as printed
    parameter STEP   = 10,  // 1 .. 255
    parameter TAG_W  = 8    // 1 .. 16
) (
    input  wire              clk_i,
    input  wire              rst_i,
    // operations
    input  wire              op_valid_i,
    output wire              op_ready_o,
    input  wire [1:0]        op_kind_i,
    input  wire [ID_W-1:0]   op_a_i,
    input  wire [ID_W-1:0]   op_b_i,
    input  wire              op_by_i,
    input  wire [TIME_W-1:0] op_time_i,
    input  wire [TAG_W-1:0]  op_tag_i,
    // answers to EDGE and COMMIT, two cycles later
    output wire              ans_valid_o,
    output wire [TAG_W-1:0]  ans_tag_o,
    output wire              ans_accepted_o,
    output wire              ans_loop_o,
    output wire              ans_overflow_o,
    output wire [TIME_W-1:0] ans_time_o,
    // all times anew
    input  wire              clear_i,
    // status
    output wire              idle_o
);

    localparam [1:0] BEGIN = 2'd0, EDGE = 2'd1, COMMIT = 2'd2, FREE = 2'd3;

    // A transaction's state, with its PDTS.
    localparam [1:0] NOBODY = 2'd0, COMMITTED = 2'd1, RUNS = 2'd2, RUNS_BOUND = 2'd3;  // RUNS_BOUND: it has a PDTS

    localparam ROW_W = TIME_W + 2;                       // state, PDTS
    localparam SUM_W = (TIME_W > 8 ? TIME_W : 8) + 1;    // of CTS + STEP
    localparam [31:0]       STEP_P = STEP;
    localparam [SUM_W-1:0]  STEP_S = {{(SUM_W-8){1'b0}}, STEP_P[7:0]};
    localparam [SUM_W-1:0]  ONE_S  = 1;
    localparam SIGN_W = SUM_W + 2;
    localparam LAST_W = (TIME_W > 10 ? TIME_W : 10) + 1;  // of CTS + 4 STEP
    localparam [LAST_W-1:0] SLACK_S = {{(LAST_W-10){1'b0}}, STEP_P[7:0], 2'b00};
    localparam [TIME_W:0]   TWO    = 2;
    localparam [TIME_W-1:0] ZERO   = {TIME_W{1'b0}};
    localparam [TIME_W-1:0] ONE    = {{(TIME_W-1){1'b0}}, 1'b1};
    localparam [ID_W-1:0]   FIRST  = {ID_W{1'b0}};
    localparam [ID_W-1:0]   NEXT   = 1;

    // Whether x + y + z + 1 is below 0.
    function negative (input [SIGN_W-1:0] x, input [SIGN_W-1:0] y, input [SIGN_W-1:0] z);
        /* verilator lint_off UNUSED */
        reg [SIGN_W-1:0] carry;
        reg [SIGN_W-1:0] total;
        /* verilator lint_on UNUSED */
        begin
            carry    = (x & y) | (x & z) | (y & z);
            total    = (x ^ y ^ z) + {carry[SIGN_W-2:0], 1'b1};
            negative = total[SIGN_W-1];
        end
    endfunction

    // Stage 0: an operation, or the sweep.
    reg             sweep_q;
    reg  [ID_W-1:0] sweep_id_q;
    wire            take   = op_valid_i && !sweep_q;
    wire [ID_W-1:0] take_a = sweep_q ? sweep_id_q : op_a_i;
    wire            read_a = take && (op_kind_i == EDGE || op_kind_i == COMMIT);
    wire            read_b = take && op_kind_i == EDGE;

    // Stage 1: both rows are here.
    reg               valid_q;
    reg  [1:0]        kind_q;
    reg  [ID_W-1:0]   a_q;
    reg  [ID_W-1:0]   b_q;
    reg               by_q;
    reg  [TIME_W-1:0] time_q;
    reg  [TAG_W-1:0]  tag_q;
    reg               same_q;    // op_a, op_b
    reg  [3:0]        match_q;   // the operation before wrote, if at all: row b, row a, CTS b, CTS a of this one
    wire [TIME_W-1:0] ram_cts_a;
    wire [TIME_W-1:0] ram_cts_b;
    wire [ROW_W-1:0]  ram_row_a;
    wire [ROW_W-1:0]  ram_row_b;
    wire [TIME_W-1:0] cts_a = match_q[0] && cts_we_q ? cts_new_q : ram_cts_a;
    wire [TIME_W-1:0] cts_b = match_q[1] && cts_we_q ? cts_new_q : ram_cts_b;
    wire [1:0]        state_a;
    wire [1:0]        state_b;
    wire [TIME_W-1:0] pdts_a;
    wire [TIME_W-1:0] pdts_b;
    assign {state_a, pdts_a} = match_q[2] && row_we_q ? row_new_q : ram_row_a;
    assign {state_b, pdts_b} = match_q[3] && row_we_q ? row_new_q : ram_row_b;

    wire runs_a  = state_a == RUNS || state_a == RUNS_BOUND;
    wire runs_b  = state_b == RUNS || state_b == RUNS_BOUND;
    wire bound_a = state_a == RUNS_BOUND;
    wire bound_b = state_b == RUNS_BOUND;
    wire is_edge = valid_q && kind_q == EDGE;
    wire commit  = valid_q && kind_q == COMMIT;
    wire judged  = is_edge && !same_q && state_a != NOBODY && state_b != NOBODY && (by_q ? runs_b : runs_a);
    wire fixed   = judged && !runs_b;  // the writer has committed
    wire below_p = cts_a < pdts_b;
    wire below_c = cts_a < cts_b;

    // The reader's PDTS, and T with what follows from it, for each of the four values that T may have; then one is chosen. Comparisons with a
    // sum of two are one addition: the sum of three numbers is, bit by bit, that of a sum and a carry.
    wire [SIGN_W-1:0] wide_cts_a  = {{(SIGN_W-TIME_W){1'b0}}, cts_a};
    wire [SIGN_W-1:0] wide_cts_b  = {{(SIGN_W-TIME_W){1'b0}}, cts_b};
    wire [SIGN_W-1:0] two_cts_b   = {{(SIGN_W-TIME_W-1){1'b0}}, cts_b, 1'b0};
    wire [SIGN_W-1:0] two_pdts_a  = {{(SIGN_W-TIME_W-1){1'b0}}, pdts_a, 1'b0};
    wire [SIGN_W-1:0] wide_pdts_b = {{(SIGN_W-TIME_W){1'b0}}, pdts_b};
    wire [SIGN_W-1:0] wide_step   = {{(SIGN_W-SUM_W){1'b0}}, STEP_S};
    wire              above_mid  = !negative(wide_cts_a, wide_pdts_b, ~two_cts_b);       // the midpoint, cts_b
    wire              above_leap = !negative(wide_cts_a, wide_step, ~wide_cts_b);
    wire              under_mid  = !negative(two_pdts_a, ~wide_cts_a, ~wide_pdts_b);  // the midpoint, pdts_a
    /* verilator lint_off UNUSED */
    wire [TIME_W:0]   sum        = {1'b0, cts_a} + {1'b0, pdts_b};  // its half is rounded down
    wire [TIME_W:0]   sum_next   = ({1'b0, cts_a} ^ {1'b0, pdts_b} ^ TWO)
                                   + {(cts_a & pdts_b) | ((cts_a | pdts_b) & TWO[TIME_W-1:0]), 1'b0};
    /* verilator lint_on UNUSED */
    wire [SUM_W-1:0]  leap       = {{(SUM_W-TIME_W){1'b0}}, cts_a} + STEP_S;
    wire [SUM_W-1:0]  leap_next  = {{(SUM_W-TIME_W){1'b0}}, cts_a} + STEP_S + ONE_S;
    wire              halve      = bound_b && below_p;               // the reader comes below the writer's PDTS
    wire              limit      = fixed && RULES != 2;              // ... below the writer's last CTS
    wire              lower      = bound_a ? under_mid : RULES != 2;
    wire              press      = !bound_a || pdts_a >= cts_b;
    wire              first      = !limit && !halve && !bound_a;     // gets its first PDTS
    wire              fall       = limit ? below_c && press : halve && lower;
    wire [TIME_W-1:0] pdts       = limit ? cts_b - ONE : first ? leap[TIME_W-1:0] : sum[TIME_W:1];  // if it changes
    wire              minus      = RULES == 2 && runs_a && halve && !bound_a;  // T is -1
    wire              is_cts     = !runs_a;
    wire              is_leap    = runs_a && first;
    wire              is_mid     = runs_a && halve && lower;         // else T is the PDTS that the reader has
    wire              above      = is_cts ? !below_c : is_leap ? above_leap : is_mid ? above_mid : cts_b <= pdts_a;  // T, cts_b
    wire [TIME_W-1:0] cts        = minus ? ZERO : is_cts ? cts_a + ONE : is_leap ? leap_next[TIME_W-1:0]
                                                         : is_mid ? sum_next[TIME_W:1] : pdts_a + ONE;
    wire              over_pdts  = is_leap && |leap[SUM_W-1:TIME_W];
    wire              over_cts   = is_cts ? &cts_a : is_leap ? |leap_next[SUM_W-1:TIME_W] : !is_mid && !minus && (&pdts_a);

    // The last CTS of who commits: as late as it may be, so that who has read past it finds a time below.
    wire [LAST_W-1:0] late       = {{(LAST_W-TIME_W){1'b0}}, cts_a} + SLACK_S;
    wire [TIME_W-1:0] last       = RULES != 0 ? cts_a : bound_a ? pdts_a : |late[LAST_W-1:TIME_W] ? cts_a : late[TIME_W-1:0];

    // The verdict. A PDTS is never below its CTS, so T is below the writer's PDTS exactly if the reader's CTS is.
    wire loop     = judged && (limit ? !below_c : runs_b && bound_b && !below_p);
    wire climb    = judged && runs_b && !loop && (RULES != 0 || above);
    wire overflow = judged && (over_pdts || (climb && over_cts));

    // Stage 2: what is written.
    reg               cts_we_q;
    reg  [ID_W-1:0]   cts_to_q;
    reg  [TIME_W-1:0] cts_new_q;
    reg               row_we_q;
    reg  [ID_W-1:0]   row_to_q;
    reg  [ROW_W-1:0]  row_new_q;
    wire [ID_W-1:0]   cts_to = kind_q == EDGE ? b_q : a_q;

    reg              done_q;  // something was in stage 1
    reg              ans_valid_q;
    reg [TAG_W-1:0]  ans_tag_q;
    reg              ans_accepted_q;
    reg              ans_loop_q;
    reg              ans_overflow_q;
    reg [TIME_W-1:0] ans_time_q;

    always @(posedge clk_i) begin
        if (rst_i) begin
            sweep_q        <= 1'b1;
            sweep_id_q     <= FIRST;
            valid_q        <= 1'b0;
            done_q         <= 1'b0;
            ans_valid_q    <= 1'b0;
            ans_tag_q      <= {TAG_W{1'b0}};
            ans_accepted_q <= 1'b0;
            ans_loop_q     <= 1'b0;
            ans_overflow_q <= 1'b0;
            ans_time_q     <= ZERO;
            cts_we_q       <= 1'b0;
            row_we_q       <= 1'b0;
        end else begin
            sweep_q        <= clear_i || (sweep_q && !(&sweep_id_q));
            sweep_id_q     <= clear_i ? FIRST : sweep_q ? sweep_id_q + NEXT : sweep_id_q;
            valid_q        <= take || sweep_q;
            done_q         <= valid_q;
            ans_valid_q    <= is_edge || commit;
            ans_tag_q      <= is_edge || commit ? tag_q : {TAG_W{1'b0}};
            ans_accepted_q <= (is_edge && !loop && !overflow) || (commit && runs_a);
            ans_loop_q     <= loop && !overflow;
            ans_overflow_q <= overflow;
            ans_time_q     <= commit && runs_a ? last : ZERO;
            cts_we_q       <= (valid_q && kind_q == BEGIN) || (commit && runs_a) || (climb && !overflow);
            row_we_q       <= valid_q && (kind_q == EDGE ? judged && runs_a && (fall || first) && !overflow
                                                         : kind_q != COMMIT || runs_a);
        end
        if (take || sweep_q) begin
            kind_q  <= sweep_q ? FREE : op_kind_i;
            a_q     <= take_a;
            b_q     <= op_b_i;
            by_q    <= op_by_i;
            time_q  <= op_time_i;
            tag_q   <= op_tag_i;
            same_q  <= op_a_i == op_b_i;
            match_q <= {op_b_i == a_q, op_a_i == a_q, op_b_i == cts_to, op_a_i == cts_to};
        end
        cts_to_q  <= cts_to;
        cts_new_q <= kind_q == BEGIN ? time_q : commit ? last : cts;
        row_to_q  <= a_q;
        row_new_q <= {kind_q == BEGIN ? RUNS : kind_q == EDGE ? RUNS_BOUND : kind_q == COMMIT ? COMMITTED : NOBODY,
                      kind_q == EDGE ? pdts : ZERO};
    end

    assign op_ready_o     = !sweep_q;
    assign ans_valid_o    = ans_valid_q;
    assign ans_tag_o      = ans_tag_q;
    assign ans_accepted_o = ans_accepted_q;
    assign ans_loop_o     = ans_loop_q;
    assign ans_overflow_o = ans_overflow_q;
    assign ans_time_o     = ans_time_q;
    assign idle_o         = !sweep_q && !valid_q && !done_q;

`ifdef CW_PROPERTIES
    // Two transactions of the prover's choice: the a copies of the RAMs show the first's row, the b copies the second's. A third for loops.
    (* anyconst *) reg [ID_W-1:0] f_a;
    (* anyconst *) reg [ID_W-1:0] f_b;
    (* anyconst *) reg [ID_W-1:0] f_c;
    wire [TIME_W-1:0] f_ram_cts_a;
    wire [TIME_W-1:0] f_ram_cts_b;
    wire [ROW_W-1:0]  f_ram_row_a;
    wire [ROW_W-1:0]  f_ram_row_b;
    wire [TIME_W-1:0] f_cts_a = cts_we_q && cts_to_q == f_a ? cts_new_q : f_ram_cts_a;  // with what stage 2 writes
    wire [TIME_W-1:0] f_cts_b = cts_we_q && cts_to_q == f_b ? cts_new_q : f_ram_cts_b;
    wire [ROW_W-1:0]  f_row_a = row_we_q && row_to_q == f_a ? row_new_q : f_ram_row_a;
    wire [ROW_W-1:0]  f_row_b = row_we_q && row_to_q == f_b ? row_new_q : f_ram_row_b;
    wire [1:0]        f_state_a = f_row_a[ROW_W-1 -: 2];
    wire [1:0]        f_state_b = f_row_b[ROW_W-1 -: 2];
    wire              f_runs_a  = f_state_a == RUNS || f_state_a == RUNS_BOUND;
    reg               f_past_q = 1'b0;
    reg               f_known_q;   // the row of f_a has been written since the reset
    reg  [TIME_W-1:0] f_cts_q;     // and was this a cycle ago
    reg  [1:0]        f_state_q;
    reg               f_ab_q;      // such an edge was accepted, and both are somebody's since
    reg               f_ba_q;
    reg               f_bc_q;
    reg               f_ca_q;
    reg               f_asked_q;   // by the ports: an EDGE or COMMIT one and two cycles ago, with its tag
    reg               f_due_q;
    reg               f_kind_q;    //   EDGE
    reg               f_due_kind_q;
    reg  [TAG_W-1:0]  f_tag_q;
    reg  [TAG_W-1:0]  f_due_tag_q;
    wire              f_new     = valid_q && (kind_q == BEGIN || kind_q == FREE);
    wire              f_linked  = judged && !loop && !overflow;
    wire              f_asked   = op_valid_i && op_ready_o && (op_kind_i == EDGE || op_kind_i == COMMIT);

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i) begin
            f_known_q <= 1'b0;
            f_ab_q    <= 1'b0;
            f_ba_q    <= 1'b0;
            f_bc_q    <= 1'b0;
            f_ca_q    <= 1'b0;
            f_asked_q <= 1'b0;
            f_due_q   <= 1'b0;
        end else begin
            f_known_q <= f_known_q || (f_new && a_q == f_a);
            f_ab_q    <= (f_ab_q || (f_linked && a_q == f_a && b_q == f_b)) && !(f_new && (a_q == f_a || a_q == f_b));
            f_ba_q    <= (f_ba_q || (f_linked && a_q == f_b && b_q == f_a)) && !(f_new && (a_q == f_a || a_q == f_b));
            f_bc_q    <= (f_bc_q || (f_linked && a_q == f_b && b_q == f_c)) && !(f_new && (a_q == f_b || a_q == f_c));
            f_ca_q    <= (f_ca_q || (f_linked && a_q == f_c && b_q == f_a)) && !(f_new && (a_q == f_c || a_q == f_a));
            f_asked_q <= f_asked;
            f_due_q   <= f_asked_q;
        end
        f_cts_q      <= f_new && a_q == f_a ? ZERO : f_cts_a;
        f_state_q    <= f_new && a_q == f_a ? NOBODY : f_state_a;
        f_kind_q     <= op_kind_i == EDGE;
        f_due_kind_q <= f_kind_q;
        f_tag_q      <= op_tag_i;
        f_due_tag_q  <= f_tag_q;
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. An EDGE or COMMIT is answered two cycles later, with its tag, an edge by one verdict; what is not an answer is 0.
            assert (ans_valid_o == f_due_q);
            assert (ans_tag_o == (f_due_q ? f_due_tag_q : {TAG_W{1'b0}}));
            assert (!f_due_q || !f_due_kind_q || (ans_accepted_o && !ans_loop_o && !ans_overflow_o)
                    || (!ans_accepted_o && (ans_loop_o ^ ans_overflow_o)));
            assert (f_due_q || !(ans_accepted_o || ans_loop_o || ans_overflow_o || ans_time_o != ZERO));
            cover (f_due_q && f_due_kind_q && ans_loop_o && f_asked_q);
            cover (f_due_q && f_due_kind_q && ans_overflow_o);
            cover (f_due_q && !f_due_kind_q && ans_accepted_o && ans_time_o != ZERO);
            // 2. Both copies of a transaction's row agree, and what stage 1 has is what they hold: each operation sees all before it.
            if (f_known_q && f_a == f_b) begin
                assert (f_row_a == f_row_b);
                assert (f_state_a == NOBODY || f_cts_a == f_cts_b);
                assert (!(is_edge || commit) || a_q != f_a || ({state_a, pdts_a} == f_row_a && (state_a == NOBODY || cts_a == f_cts_a)));
                assert (!is_edge || b_q != f_a || ({state_b, pdts_b} == f_row_a && (state_b == NOBODY || cts_b == f_cts_a)));
            end
            cover (f_linked && a_q == f_a && state_a == RUNS_BOUND && ans_valid_o && f_ab_q);
            // 3. A transaction's CTS does not exceed its PDTS, and what has no number has no PDTS.
            if (f_known_q && f_a == f_b) begin
                assert (f_state_a != RUNS_BOUND || f_cts_a <= f_row_a[TIME_W-1:0]);
                assert (f_state_a == RUNS_BOUND || f_row_a[TIME_W-1:0] == ZERO);
            end
            cover (f_known_q && f_state_a == RUNS_BOUND && f_cts_a == f_row_a[TIME_W-1:0]);
            // 4. A transaction's CTS never falls by the corrected rules, and never changes after the commit.
            if (f_known_q && f_state_q != NOBODY && f_a == f_b) begin
                assert (RULES != 0 || f_cts_a >= f_cts_q);
                assert (f_state_q != COMMITTED || f_state_a == NOBODY || (f_state_a == COMMITTED && f_cts_a == f_cts_q));
            end
            cover (f_known_q && f_state_q == RUNS_BOUND && f_runs_a && f_cts_a > f_cts_q);
            // 5. Along an accepted edge times grow: the reader's PDTS, or its last CTS, is below the writer's CTS.
            if (RULES == 0 && f_ab_q) begin
                assert (f_state_a != NOBODY && f_state_a != RUNS && f_state_b != NOBODY);
                assert ((f_state_a == RUNS_BOUND ? f_row_a[TIME_W-1:0] : f_cts_a) < f_cts_b);
            end
            cover (f_ab_q && f_bc_q && f_state_a == RUNS_BOUND && f_state_b == COMMITTED);
            // 6. No loop of two or of three edges is accepted.
            assert (RULES != 0 || !(f_ab_q && f_ba_q));
            assert (RULES != 0 || !(f_ab_q && f_bc_q && f_ca_q));
            cover (f_ab_q && f_bc_q && loop && a_q == f_c && b_q == f_a);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

    cw_ram_1r1w_fwd #(
        .ADDR_W(ID_W),
        .DATA_W(TIME_W)
    ) u_cts_a (
        .clk_i    (clk_i),
        .rd_en_i  (read_a),
        .rd_addr_i(op_a_i),
        .rd_data_o(ram_cts_a),
        .wr_en_i  (cts_we_q),
        .wr_addr_i(cts_to_q),
        .wr_data_i(cts_new_q)
`ifdef CW_PROPERTIES
        , .f_addr_i(f_a)
        , .f_data_o(f_ram_cts_a)
`endif
    );

    cw_ram_1r1w_fwd #(
        .ADDR_W(ID_W),
        .DATA_W(TIME_W)
    ) u_cts_b (
        .clk_i    (clk_i),
        .rd_en_i  (read_b),
        .rd_addr_i(op_b_i),
        .rd_data_o(ram_cts_b),
        .wr_en_i  (cts_we_q),
        .wr_addr_i(cts_to_q),
        .wr_data_i(cts_new_q)
`ifdef CW_PROPERTIES
        , .f_addr_i(f_b)
        , .f_data_o(f_ram_cts_b)
`endif
    );

    cw_ram_1r1w_fwd #(
        .ADDR_W(ID_W),
        .DATA_W(ROW_W)
    ) u_row_a (
        .clk_i    (clk_i),
        .rd_en_i  (read_a),
        .rd_addr_i(op_a_i),
        .rd_data_o(ram_row_a),
        .wr_en_i  (row_we_q),
        .wr_addr_i(row_to_q),
        .wr_data_i(row_new_q)
`ifdef CW_PROPERTIES
        , .f_addr_i(f_a)
        , .f_data_o(f_ram_row_a)
`endif
    );

    cw_ram_1r1w_fwd #(
        .ADDR_W(ID_W),
        .DATA_W(ROW_W)
    ) u_row_b (
        .clk_i    (clk_i),
        .rd_en_i  (read_b),
        .rd_addr_i(op_b_i),
        .rd_data_o(ram_row_b),
        .wr_en_i  (row_we_q),
        .wr_addr_i(row_to_q),
        .wr_data_i(row_new_q)
`ifdef CW_PROPERTIES
        , .f_addr_i(f_b)
        , .f_data_o(f_ram_row_b)
`endif
    );

    generate
        if (ID_W < 1 || ID_W > 10) begin : g_bad_id_w
            cw_error_postdate_unit_id_w_must_be_1_to_10 u_error ();
        end
        if (TIME_W < 2 || TIME_W > 32) begin : g_bad_time_w
            cw_error_postdate_unit_time_w_must_be_2_to_32 u_error ();
        end
        if (RULES < 0 || RULES > 2) begin : g_bad_rules
            cw_error_postdate_unit_rules_must_be_0_to_2 u_error ();
        end
        if (STEP < 1 || STEP > 255) begin : g_bad_step
            cw_error_postdate_unit_step_must_be_1_to_255 u_error ();
        end
        if (TAG_W < 1 || TAG_W > 16) begin : g_bad_tag_w
            cw_error_postdate_unit_tag_w_must_be_1_to_16 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
