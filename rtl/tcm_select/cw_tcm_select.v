// SPDX-License-Identifier: Apache-2.0
//
// cw_tcm_select: which lanes of a wavefront run the next attempt of a transaction, and how.
//
// Why         : lanes in lockstep can make each other fail for ever. So the masks of two attempts are compared, and lanes are held back.
// How         : the next mode comes from two comparisons. The first lane of the order is found in the mask, or in the mask mirrored, by a
//               prefix of OR gates.
// Latency     : 1 cycle.
// Throughput  : one wavefront per cycle.
// Comb. paths : none.
// Storage     : 2 * LANES + 4 flip-flops.
// Illegal use : none.
//
// Paper: Villegas et al., GPU-LocalTM improvements, sections 2.1 (Table 1) and 3. Contract: include/cowarp/unit/tcm_select.h.
// C model: csim/unit/tcm_select.c. Datasheet: docs/units/tcm_select.md.

`default_nettype none

module cw_tcm_select #(
    parameter LANES = 64  // 2 .. 64
) (
    input  wire             clk_i,
    input  wire             rst_i,
    // an attempt of a wavefront ends
    input  wire             ask_valid_i,
    input  wire [LANES-1:0] ask_tcm_i,
    input  wire [LANES-1:0] ask_start_i,
    input  wire [LANES-1:0] ask_before_i,
    input  wire [LANES-1:0] ask_mcm_i,
    input  wire [1:0]       ask_mode_i,
    input  wire             ask_descending_i,
    input  wire             ask_multiple_i,
    input  wire             ask_keep_i,
    input  wire             ask_token_i,
    // the next one
    output wire [LANES-1:0] sel_tcm_o,
    output wire [LANES-1:0] sel_run_o,
    output wire [1:0]       sel_mode_o,
    output wire             sel_want_o,
    output wire             sel_free_o
);

    // Modes: enum cw_local_mode.
    localparam [1:0] TRANSACTIONAL = 2'd0;
    localparam [1:0] WAVEFRONT     = 2'd1;
    localparam [1:0] WORK_GROUP    = 2'd2;

    reg  [LANES-1:0] tcm_q;
    reg  [LANES-1:0] run_q;
    reg  [1:0]       mode_q;
    reg              want_q;
    reg              free_q;

    // ---- The next mode

    wire       over  = ask_tcm_i == {LANES{1'b0}};
    wire       same  = ask_tcm_i == ask_before_i;
    wire       stuck = same || (ask_tcm_i & ~ask_start_i) != {LANES{1'b0}};
    reg  [1:0] mode_d;

    always @* begin
        mode_d = TRANSACTIONAL;
        if (!over)
            case (ask_mode_i)
                TRANSACTIONAL: mode_d = same ? WAVEFRONT : TRANSACTIONAL;
                WAVEFRONT:     mode_d = stuck ? WORK_GROUP : TRANSACTIONAL;
                default:       mode_d = stuck || ask_keep_i ? WORK_GROUP : TRANSACTIONAL;
            endcase
    end

    // ---- Who runs

    reg  [LANES-1:0] line;      // the lanes in their order, the first one lowest
    reg  [LANES-1:0] from;      // from the first lane of TCM on: a prefix of OR gates, which is faster than a carry
    reg  [LANES-1:0] first_oh;
    reg  [LANES-1:0] first;     // back at its place
    integer          n;

    always @* begin
        line = ask_tcm_i;
        if (ask_descending_i)
            for (n = 0; n < LANES; n = n + 1)
                line[n] = ask_tcm_i[LANES-1-n];
        from = line;
        for (n = 1; n < LANES; n = n << 1)
            from = from | (from << n);
        first_oh = from & ~(from << 1);
        first    = first_oh;
        if (ask_descending_i)
            for (n = 0; n < LANES; n = n + 1)
                first[n] = first_oh[LANES-1-n];
    end

    wire [LANES-1:0] apart  = ask_tcm_i & ask_mcm_i;  // have met nobody of the wavefront that comes before them
    wire             single = mode_d == WORK_GROUP || !ask_multiple_i || apart == {LANES{1'b0}};
    wire [LANES-1:0] run_d  = mode_d == TRANSACTIONAL ? ask_tcm_i : single ? first : apart;

    always @(posedge clk_i)
        if (rst_i) begin
            tcm_q  <= {LANES{1'b0}};
            run_q  <= {LANES{1'b0}};
            mode_q <= TRANSACTIONAL;
            want_q <= 1'b0;
            free_q <= 1'b0;
        end else if (ask_valid_i) begin
            tcm_q  <= ask_tcm_i & ~run_d;
            run_q  <= run_d;
            mode_q <= mode_d;
            want_q <= mode_d == WORK_GROUP && !ask_token_i;
            free_q <= mode_d != WORK_GROUP && ask_token_i;
        end

    assign sel_tcm_o  = tcm_q;
    assign sel_run_o  = run_q;
    assign sel_mode_o = mode_q;
    assign sel_want_o = want_q;
    assign sel_free_o = free_q;

`ifdef CW_PROPERTIES
    // The last question, and what it says of the attempt that it asks about.
    reg                 f_past_q = 1'b0;
    reg  [LANES-1:0]    f_tcm_q;
    reg  [LANES-1:0]    f_start_q;
    reg  [LANES-1:0]    f_before_q;
    reg  [LANES-1:0]    f_mcm_q;
    reg  [1:0]          f_mode_q;
    reg                 f_descending_q;
    reg                 f_multiple_q;
    reg                 f_keep_q;
    reg                 f_token_q;
    wire                f_over   = f_tcm_q == 0;
    wire                f_same   = f_tcm_q == f_before_q;
    wire                f_met    = |(f_tcm_q & ~f_start_q);  // a lane that ran has met a conflict
    wire [1:0]          f_mode   = f_mode_q == 2'd3 ? WORK_GROUP : f_mode_q;
    wire                f_one    = (sel_run_o & (sel_run_o - 1)) == 0;  // one lane runs at most
    // An attempt as it can be: it ran a part of the lanes of the one before, held the others back, and left these in TCM; with the token, the
    // lane that ran has committed.
    wire                f_legal  = f_before_q != 0 && (f_tcm_q & ~f_before_q) == 0 && (f_start_q & ~f_tcm_q) == 0
                                   && f_start_q != f_before_q && (f_mode != TRANSACTIONAL || f_start_q == 0)
                                   && (f_mode != WORK_GROUP || !f_met);
    reg  [7:0]          f_lanes;    // in TCM
    reg  [7:0]          f_lanes_before;
    reg                 f_earlier;  // a lane of TCM comes before one that runs
    reg                 f_reached;
    integer             f_n;
    integer             f_m;

    always @* begin
        f_lanes        = 8'd0;
        f_lanes_before = 8'd0;
        f_earlier      = 1'b0;
        f_reached      = 1'b0;
        for (f_n = 0; f_n < LANES; f_n = f_n + 1) begin
            f_m            = f_descending_q ? LANES - 1 - f_n : f_n;
            f_lanes        = f_lanes + {7'd0, f_tcm_q[f_n]};
            f_lanes_before = f_lanes_before + {7'd0, f_before_q[f_n]};
            f_reached      = f_reached || sel_run_o[f_m];
            f_earlier      = f_earlier || (f_tcm_q[f_m] && !f_reached);
        end
    end

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i) begin
            f_tcm_q        <= 0;
            f_start_q      <= 0;
            f_before_q     <= 0;
            f_mcm_q        <= 0;
            f_mode_q       <= 2'd0;
            f_descending_q <= 1'b0;
            f_multiple_q   <= 1'b0;
            f_keep_q       <= 1'b0;
            f_token_q      <= 1'b0;
        end else if (ask_valid_i) begin
            f_tcm_q        <= ask_tcm_i;
            f_start_q      <= ask_start_i;
            f_before_q     <= ask_before_i;
            f_mcm_q        <= ask_mcm_i;
            f_mode_q       <= ask_mode_i;
            f_descending_q <= ask_descending_i;
            f_multiple_q   <= ask_multiple_i;
            f_keep_q       <= ask_keep_i;
            f_token_q      <= ask_token_i;
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. Of a TCM that is not empty at least one lane runs, none outside of it does, and what does not run is held back.
            assert ((sel_run_o | sel_tcm_o) == f_tcm_q && (sel_run_o & sel_tcm_o) == 0 && (f_over || sel_run_o != 0));
            cover (sel_run_o != 0 && sel_tcm_o != 0);
            // 2. After transactional mode comes wavefront serialisation if TCM is what it was before, and else transactional mode.
            assert (f_mode != TRANSACTIONAL || sel_mode_o == (!f_over && f_same ? WAVEFRONT : TRANSACTIONAL));
            cover (f_mode == TRANSACTIONAL && sel_mode_o == WAVEFRONT);
            // 3. After wavefront serialisation comes work-group serialisation if TCM is what it was or a lane that ran has met a conflict.
            assert (f_mode != WAVEFRONT || sel_mode_o == (!f_over && (f_same || f_met) ? WORK_GROUP : TRANSACTIONAL));
            cover (f_mode == WAVEFRONT && sel_mode_o == WORK_GROUP && !f_same);
            cover (f_mode == WAVEFRONT && sel_mode_o == TRANSACTIONAL && !f_over);
            // 4. After work-group serialisation comes transactional mode, unless the token is kept or the lane has not committed.
            assert (f_mode != WORK_GROUP || sel_mode_o == (!f_over && (f_keep_q || f_same || f_met) ? WORK_GROUP : TRANSACTIONAL));
            cover (f_mode == WORK_GROUP && sel_mode_o == TRANSACTIONAL && !f_over);
            // 5. A transaction is over, and transactional mode comes, when TCM is empty; in this mode all run.
            assert (!f_over || sel_mode_o == TRANSACTIONAL);
            assert (sel_mode_o != TRANSACTIONAL || sel_tcm_o == 0);
            cover (f_over && f_mode == WORK_GROUP);
            // 6. In work-group serialisation, and with single choice, one lane runs, the first of the order.
            assert ((sel_mode_o != WORK_GROUP && (sel_mode_o != WAVEFRONT || f_multiple_q)) || (f_one && !f_earlier));
            cover (sel_mode_o == WORK_GROUP && f_descending_q && sel_tcm_o != 0);
            // 7. Lanes that run together in wavefront serialisation have not met a lane of the wavefront that comes before them.
            assert (sel_mode_o != WAVEFRONT || f_one || (sel_run_o & ~f_mcm_q) == 0);
            cover (sel_mode_o == WAVEFRONT && !f_one && sel_tcm_o != 0);
            // 8. The token is wanted if work-group serialisation comes without it, and given back if it does not come.
            assert (sel_want_o == (sel_mode_o == WORK_GROUP && !f_token_q));
            assert (sel_free_o == (sel_mode_o != WORK_GROUP && f_token_q));
            cover (sel_want_o && f_mode == WAVEFRONT);
            cover (sel_free_o && f_mode == WORK_GROUP);
            // 9. Three attempts for a lane: 3 * lanes of TCM - number of the mode becomes less with each attempt, while TCM only loses lanes.
            if (f_legal && !f_over)
                assert (3 * f_lanes - {6'd0, sel_mode_o} < 3 * f_lanes_before - {6'd0, f_mode});
            cover (f_legal && f_lanes == f_lanes_before && sel_mode_o == WORK_GROUP);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

    generate
        if (LANES < 2 || LANES > 64) begin : g_bad_lanes
            cw_error_tcm_select_lanes_must_be_2_to_64 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
