// SPDX-License-Identifier: Apache-2.0
//
// cw_tcm_select: which lanes of a wavefront run the next attempt of a transaction, and how.
//
// Why         : lanes in lockstep can make each other fail for ever. So the masks of two attempts are compared, and lanes are held back.
// How         : the next mode comes from two comparisons. The first lane of the order is found in the mask, or in the mask mirrored.
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
    wire [LANES-1:0] first_oh = line & (~line + {{(LANES-1){1'b0}}, 1'b1});
    reg  [LANES-1:0] first;     // back at its place
    integer          n;

    always @* begin
        line  = ask_tcm_i;
        first = first_oh;
        if (ask_descending_i)
            for (n = 0; n < LANES; n = n + 1) begin
                line[n]  = ask_tcm_i[LANES-1-n];
                first[n] = first_oh[LANES-1-n];
            end
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

    generate
        if (LANES < 2 || LANES > 64) begin : g_bad_lanes
            cw_error_tcm_select_lanes_must_be_2_to_64 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
