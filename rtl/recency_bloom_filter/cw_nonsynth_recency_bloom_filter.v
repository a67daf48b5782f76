// SPDX-License-Identifier: Apache-2.0
//
// cw_nonsynth_recency_bloom_filter: what must hold of the filter, as one key shows it.
//
// Why         : a filter is safe if it never answers less than what was inserted for a key.
// How         : it watches one key, of the prover's choice, and keeps the largest insertion of it since the last clear. What it knows goes to
//               the properties of each way, which stand beside the way, and to those of units around the filter.
// Illegal use : synthesis. Only blocks of properties have it (CW_PROPERTIES).
//
// Contract: include/cowarp/unit/recency_bloom_filter.h. docs/proofs.md has the form of properties.

`default_nettype none

module cw_nonsynth_recency_bloom_filter #(
    parameter ROW_W     = 6,
    parameter KEY_W     = 30,
    parameter FIELDS    = 2,
    parameter VALUE_W   = 32,
    parameter DUAL_READ = 1
) (
    input  wire                             clk_i,
    input  wire                             rst_i,
    // an insertion: valid, accepted, key, values 0 and 1
    input  wire [2+KEY_W+2*VALUE_W-1:0]     ins_i,
    // a look-up: valid, ready, accepted, key
    input  wire [3+KEY_W-1:0]               lkp_i,
    // an answer: valid, values 0 and 1
    input  wire [1+2*VALUE_W-1:0]           rsp_i,
    // clearing, which runs, at that row
    input  wire                             clear_i,
    input  wire [ROW_W:0]                   clearing_i,
    // look-up in stage 1, in stage 2; insertion in stage 1, in stage 2
    input  wire [3:0]                       stages_i,
    // the key; there was a clock edge; the sweep ran in the last cycle
    output wire [KEY_W-1:0]                 f_key_o,
    output wire                             f_past_o,
    output wire                             f_swept_o,
    // the largest values inserted for it; what is of the key: an insertion in stage 1, 2, a look-up in stage 1, 2, 3; what a
    // look-up there must reach
    output wire [2*VALUE_W-1:0]             f_max_o,
    output wire [4:0]                       f_stages_o,
    output wire [2*VALUE_W-1:0]             f_s1_max_o,
    output wire [2*VALUE_W-1:0]             f_s2_max_o,
    output wire [VALUE_W-1:0]               f_s3_max0_o
);

`ifdef CW_PROPERTIES
    wire               ins_valid;
    wire               ins_accept;
    wire [KEY_W-1:0]   ins_key;
    wire [VALUE_W-1:0] ins_v0;
    wire [VALUE_W-1:0] ins_v1;
    wire               lkp_valid;
    wire               lkp_ready;
    wire               lkp_accept;
    wire [KEY_W-1:0]   lkp_key;
    wire               rsp_valid;
    wire [VALUE_W-1:0] rsp_v0;
    wire [VALUE_W-1:0] rsp_v1;
    wire               clearing;
    wire [ROW_W-1:0]   clear_row;
    wire               lkp_s1;
    wire               lkp_s2;
    wire               ins_s1;
    wire               ins_s2;
    wire [KEY_W-1:0]   f_key;

    assign {ins_valid, ins_accept, ins_key, ins_v0, ins_v1} = ins_i;
    assign {lkp_valid, lkp_ready, lkp_accept, lkp_key} = lkp_i;
    assign {rsp_valid, rsp_v0, rsp_v1} = rsp_i;
    assign {clearing, clear_row} = clearing_i;
    assign {lkp_s1, lkp_s2, ins_s1, ins_s2} = stages_i;

    // One key, and a bound: each field's largest insertion of that key since the last clear. The insertions and lookups of all other keys go
    // on around it.
    reg [VALUE_W-1:0] f_max0_q;
    reg [VALUE_W-1:0] f_max1_q;
    reg               f_ins_s1_q;   // the insertion in stage 1, 2 is of f_key
    reg               f_ins_s2_q;
    reg               f_lkp_s1_q;   // the lookup in stage 1, 2, 3 is of f_key, and the bound that it must reach
    reg               f_lkp_s2_q;
    reg               f_lkp_s3_q;
    reg [VALUE_W-1:0] f_s1_max0_q;
    reg [VALUE_W-1:0] f_s1_max1_q;
    reg [VALUE_W-1:0] f_s2_max0_q;
    reg [VALUE_W-1:0] f_s2_max1_q;
    reg [VALUE_W-1:0] f_s3_max0_q;
    reg [VALUE_W-1:0] f_s3_max1_q;
    reg               f_past_q = 1'b0;
    wire              f_ins = ins_accept && ins_key == f_key;

    cw_nonsynth_choice #(
        .W(KEY_W)
    ) u_f_choice (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (ins_accept || lkp_accept),
        .value_i (ins_accept ? ins_key : lkp_key),
        .choice_o(f_key)
    );

    always @(posedge clk_i) begin
        f_past_q    <= 1'b1;
        f_ins_s1_q  <= f_ins && !rst_i && !clear_i;
        f_ins_s2_q  <= f_ins_s1_q && !rst_i && !clear_i;
        f_lkp_s1_q  <= lkp_accept && lkp_key == f_key && !rst_i;
        f_lkp_s2_q  <= f_lkp_s1_q && !rst_i;
        f_lkp_s3_q  <= f_lkp_s2_q && !rst_i;
        f_s1_max0_q <= f_max0_q;
        f_s1_max1_q <= f_max1_q;
        f_s2_max0_q <= f_s1_max0_q;
        f_s2_max1_q <= f_s1_max1_q;
        f_s3_max0_q <= f_s2_max0_q;
        f_s3_max1_q <= f_s2_max1_q;
        if (rst_i || clear_i) begin
            f_max0_q <= {VALUE_W{1'b0}};
            f_max1_q <= {VALUE_W{1'b0}};
        end else if (f_ins) begin
            if (ins_v0 > f_max0_q)
                f_max0_q <= ins_v0;
            if (ins_v1 > f_max1_q)
                f_max1_q <= ins_v1;
        end
    end

    // Whether a lookup was accepted one, two, three cycles ago, and whether the sweep ran in the last cycle.
    reg f_any_s1_q;
    reg f_any_s2_q;
    reg f_any_s3_q;
    reg f_any_before_q;  // four cycles ago
    reg f_swept_q;

    always @(posedge clk_i) begin
        f_any_s1_q     <= lkp_valid && lkp_ready && !rst_i;
        f_any_s2_q     <= f_any_s1_q && !rst_i;
        f_any_s3_q     <= f_any_s2_q && !rst_i;
        f_any_before_q <= f_any_s3_q && !rst_i;
        f_swept_q      <= clearing && !rst_i;
    end

    assign f_key_o     = f_key;
    assign f_past_o    = f_past_q;
    assign f_swept_o   = f_swept_q;
    assign f_max_o     = {f_max0_q, f_max1_q};
    assign f_stages_o  = {f_ins_s1_q, f_ins_s2_q, f_lkp_s1_q, f_lkp_s2_q, f_lkp_s3_q};
    assign f_s1_max_o  = {f_s1_max0_q, f_s1_max1_q};
    assign f_s2_max_o  = {f_s2_max0_q, f_s2_max1_q};
    assign f_s3_max0_o = f_s3_max0_q;

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. A lookup never answers less than an insertion of its key that was accepted in an earlier cycle.
            if (f_lkp_s3_q)
                assert (rsp_v0 >= f_s3_max0_q);
            if (f_lkp_s3_q && FIELDS == 2)
                assert (rsp_v1 >= f_s3_max1_q);
            cover (f_lkp_s3_q && f_s3_max0_q != 0 && rsp_v0 == f_s3_max0_q);
            // 2. A lookup is answered three cycles after it was accepted, and what is not an answer is 0.
            assert (rsp_valid == f_any_s3_q);
            if (!f_any_s3_q)
                assert (rsp_v0 == 0 && rsp_v1 == 0);
            cover (f_any_s3_q && rsp_v0 != 0);
            cover (!f_any_s3_q && f_any_before_q && f_max0_q != 0);
            // 3. Nothing is accepted while the sweep runs.
            if (clearing)
                assert (!lkp_accept && !ins_accept);
            cover (f_any_s1_q && clearing && lkp_valid && ins_valid);
            // 4. With one RAM copy, a lookup and an insertion are never accepted in the same cycle.
            if (DUAL_READ == 0)
                assert (!(lkp_accept && ins_accept));
            cover (DUAL_READ == 0 && !clearing && lkp_valid && ins_valid);
            // 5. (for induction) The flags agree with the design's stages, and the bound is 0 while clearing.
            if (f_lkp_s1_q)
                assert (f_any_s1_q);
            if (f_lkp_s2_q)
                assert (f_any_s2_q);
            assert (f_any_s1_q == lkp_s1 && f_any_s2_q == lkp_s2);
            if (f_ins_s1_q)
                assert (ins_s1 && !clearing);
            if (f_ins_s2_q)
                assert (ins_s2 && !clearing);
            if (clearing)
                assert (f_max0_q == 0 && f_max1_q == 0);
            if (clearing && !f_swept_q)
                assert (clear_row == 0);
            if (f_swept_q)
                assert (!lkp_s1 && !ins_s1 && (clearing || !ins_s2));
            if (DUAL_READ == 0)
                assert (!(lkp_s1 && ins_s1));
            cover (f_lkp_s1_q && f_lkp_s2_q && f_ins_s2_q);
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
