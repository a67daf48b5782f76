// SPDX-License-Identifier: Apache-2.0
//
// cw_recency_bloom_filter: approximate map from a key to the largest value inserted for it; never answers too little.
//
// Why         : timestamps and commit IDs of everything ever touched do not fit in an exact table. It is safe to answer too late a
//               time, so old ones may share storage.
// How         : each way has a hash of its own. An insertion raises the row of its key in every way to at least its value. A look-up
//               answers the smallest of its rows.
// Latency     : a look-up takes 2 cycles, always. An insertion is visible to look-ups from the next cycle on.
// Throughput  : one look-up and one insertion per cycle with DUAL_READ = 1. With DUAL_READ = 0 an insertion takes a cycle without
//               look-up. Answers have no back-pressure.
// Comb. paths : lkp_valid_i -> ins_ready_o when DUAL_READ = 0; none otherwise.
// Clearing    : after reset and after clear_i a sweep of 2^ROW_W cycles, with both ready signals low.
// Illegal use : none. The contract says what happens to look-ups and insertions in the cycle of clear_i.
//
// Paper: Fung 2015, sections 4.2.5 and 6.4; GETM section V.B.1. Contract: include/cowarp/unit/recency_bloom_filter.h.
// C model: csim/unit/recency_bloom_filter.c. Datasheet: docs/units/recency_bloom_filter.md.

`default_nettype none

module cw_recency_bloom_filter #(
    parameter WAYS      = 4,   // 1 .. 4
    parameter ROW_W     = 6,   // 1 .. 12: log2 of the rows per way
    parameter KEY_W     = 30,  // 1 .. 64
    parameter FIELDS    = 2,   // 1 or 2 values per row
    parameter VALUE_W   = 32,  // 1 .. 64
    parameter DUAL_READ = 1    // 0 or 1
) (
    input  wire               clk_i,
    input  wire               rst_i,
    // insertion channel
    input  wire               ins_valid_i,
    input  wire [KEY_W-1:0]   ins_key_i,
    input  wire [VALUE_W-1:0] ins_v0_i,
    input  wire [VALUE_W-1:0] ins_v1_i,
    output wire               ins_ready_o,
    // lookup channel, and its answer two cycles later
    input  wire               lkp_valid_i,
    input  wire [KEY_W-1:0]   lkp_key_i,
    output wire               lkp_ready_o,
    output wire               rsp_valid_o,
    output wire [VALUE_W-1:0] rsp_v0_o,
    output wire [VALUE_W-1:0] rsp_v1_o,
    // control
    input  wire               clear_i,
    output wire               busy_o
`ifdef FORMAL
    // for properties of units around this one: a key of the solver's choice, the largest field 0 inserted for it since the
    // last clear, and whether the answer of this cycle is for that key, and what it must reach
    , output wire [KEY_W-1:0]   f_key_o
    , output wire [VALUE_W-1:0] f_max0_o
    , output wire               f_rsp_o
    , output wire [VALUE_W-1:0] f_rsp_min0_o
`endif
);

    localparam DATA_W = FIELDS * VALUE_W;

    // The seed of a way's hash, rtl/README.md.
    function [31:0] way_seed (input integer way);
        case (way)
            0:       way_seed = 32'h10203040;
            1:       way_seed = 32'h20304010;
            2:       way_seed = 32'h30401020;
            default: way_seed = 32'h40102030;
        endcase
    endfunction

    // Clearing sweep: takes the write port of every way.
    reg              clearing_q;
    reg  [ROW_W-1:0] clear_row_q;
    wire             clear_last = &clear_row_q;

    always @(posedge clk_i)
        if (rst_i || clear_i) begin
            clearing_q  <= 1'b1;
            clear_row_q <= {ROW_W{1'b0}};
        end else if (clearing_q) begin
            clearing_q  <= !clear_last;
            clear_row_q <= clear_row_q + 1'b1;
        end

    assign lkp_ready_o = !clearing_q;
    assign ins_ready_o = !clearing_q && (DUAL_READ != 0 || !lkp_valid_i);

    wire lkp_accept = lkp_valid_i && lkp_ready_o;
    wire ins_accept = ins_valid_i && ins_ready_o;

    // Stage 1: rows are read; an insertion writes its rows, a lookup takes the minimum. An insertion accepted in the cycle of
    // clear_i finds the write port taken by the sweep, and is forgotten as it must be.
    reg               lkp_s1_q;
    reg               ins_s1_q;
    reg [VALUE_W-1:0] ins_v0_s1_q;
    reg [VALUE_W-1:0] ins_v1_s1_q;

    always @(posedge clk_i) begin
        if (rst_i) begin
            lkp_s1_q <= 1'b0;
            ins_s1_q <= 1'b0;
        end else begin
            lkp_s1_q <= lkp_accept;
            ins_s1_q <= ins_accept;
        end
        if (ins_accept) begin
            ins_v0_s1_q <= ins_v0_i;
            ins_v1_s1_q <= ins_v1_i;
        end
    end

    wire [WAYS*DATA_W-1:0] lkp_row;  // what stage 1 reads, way 0 lowest

`ifdef FORMAL
    // One key, chosen by the solver, and a bound: each field's largest insertion of that key since the last clear. The
    // insertions and lookups of all other keys go on around it.
    (* anyconst *) reg [KEY_W-1:0] f_key;
    reg [VALUE_W-1:0] f_max0_q;
    reg [VALUE_W-1:0] f_max1_q;
    reg               f_ins_s1_q;   // the insertion in stage 1 is of f_key
    reg               f_lkp_s1_q;   // the lookup in stage 1 is of f_key, and the bound that it must reach
    reg [VALUE_W-1:0] f_s1_max0_q;
    reg [VALUE_W-1:0] f_s1_max1_q;
    reg               f_lkp_s2_q;
    reg [VALUE_W-1:0] f_s2_max0_q;
    reg [VALUE_W-1:0] f_s2_max1_q;
    reg               f_past_q = 1'b0;
    wire              f_ins = ins_accept && ins_key_i == f_key;

    always @(posedge clk_i) begin
        f_past_q    <= 1'b1;
        f_ins_s1_q  <= f_ins && !rst_i && !clear_i;
        f_lkp_s1_q  <= lkp_accept && lkp_key_i == f_key && !rst_i;
        f_s1_max0_q <= f_max0_q;
        f_s1_max1_q <= f_max1_q;
        f_lkp_s2_q  <= f_lkp_s1_q && !rst_i;
        f_s2_max0_q <= f_s1_max0_q;
        f_s2_max1_q <= f_s1_max1_q;
        if (rst_i || clear_i) begin
            f_max0_q <= {VALUE_W{1'b0}};
            f_max1_q <= {VALUE_W{1'b0}};
        end else if (f_ins) begin
            if (ins_v0_i > f_max0_q)
                f_max0_q <= ins_v0_i;
            if (ins_v1_i > f_max1_q)
                f_max1_q <= ins_v1_i;
        end
    end

    assign f_key_o      = f_key;
    assign f_max0_o     = f_max0_q;
    assign f_rsp_o      = f_lkp_s2_q;
    assign f_rsp_min0_o = f_s2_max0_q;

    // Power-up is followed by a reset.
    always @*
        if (!f_past_q)
            assume (rst_i);

    always @*
        if (f_past_q) begin
            // 1. A lookup never answers less than an insertion of its key that was accepted in an earlier cycle.
            if (f_lkp_s2_q)
                assert (rsp_v0_o >= f_s2_max0_q);
            if (f_lkp_s2_q && FIELDS == 2)
                assert (rsp_v1_o >= f_s2_max1_q);
            // 2. A lookup is answered two cycles after it was accepted.
            if (f_lkp_s2_q)
                assert (rsp_valid_o);
            // 3. Nothing is accepted while the sweep runs.
            if (clearing_q)
                assert (!lkp_ready_o && !ins_ready_o);
            // 4. With one RAM copy, a lookup and an insertion are never accepted in the same cycle.
            if (DUAL_READ == 0)
                assert (!(lkp_accept && ins_accept));
            // 5. (for induction) The flags agree with the design's stages, and the bound is 0 while clearing.
            if (f_lkp_s1_q)
                assert (lkp_s1_q);
            if (f_ins_s1_q)
                assert (ins_s1_q && !clearing_q);
            if (clearing_q)
                assert (f_max0_q == 0 && f_max1_q == 0);
            if (DUAL_READ == 0)
                assert (!(lkp_s1_q && ins_s1_q));
            // A lookup of an inserted key is answered by less than the largest value: the properties are not empty.
            cover (f_lkp_s2_q && f_s2_max0_q != 0 && rsp_v0_o == f_s2_max0_q);
        end
`endif

    genvar w;
    generate
        for (w = 0; w < WAYS; w = w + 1) begin : g_way
            wire [ROW_W-1:0]  lkp_hash;
            wire [ROW_W-1:0]  ins_hash;
            reg  [ROW_W-1:0]  ins_row_s1_q;
            wire [DATA_W-1:0] ins_old;
            reg  [DATA_W-1:0] wr_data;  // the sweep's zeros, or an insertion's larger values
            wire              wr_en   = clearing_q || ins_s1_q;
            wire [ROW_W-1:0]  wr_row  = clearing_q ? clear_row_q : ins_row_s1_q;
`ifdef FORMAL
            wire [ROW_W-1:0]  f_row;      // the key's row in this way
            wire [DATA_W-1:0] f_lkp_now;  // what it holds in each copy
            wire [DATA_W-1:0] f_ins_now;
`endif

            cw_h3_hash #(
                .KEY_W(KEY_W),
                .OUT_W(ROW_W),
                .SEED (way_seed(w))
            ) u_lkp_hash (
                .en_i  (lkp_accept),
                .key_i (lkp_key_i),
                .hash_o(lkp_hash)
            );

            cw_h3_hash #(
                .KEY_W(KEY_W),
                .OUT_W(ROW_W),
                .SEED (way_seed(w))
            ) u_ins_hash (
                .en_i  (ins_accept),
                .key_i (ins_key_i),
                .hash_o(ins_hash)
            );

            always @(posedge clk_i)
                if (ins_accept)
                    ins_row_s1_q <= ins_hash;

            always @* begin
                wr_data = {DATA_W{1'b0}};
                if (ins_s1_q && !clearing_q) begin
                    wr_data = ins_old;
                    if (ins_v0_s1_q > ins_old[VALUE_W-1:0])
                        wr_data[VALUE_W-1:0] = ins_v0_s1_q;
                    if (FIELDS == 2 && ins_v1_s1_q > ins_old[DATA_W-1:DATA_W-VALUE_W])
                        wr_data[DATA_W-1:DATA_W-VALUE_W] = ins_v1_s1_q;
                end
            end

            // The forwarding RAM is what makes back-to-back operations on one row right: an insertion's row is read
            // one cycle before it is written, so the only write that a read can miss is that of the same cycle.
            cw_ram_1r1w_fwd #(
                .ADDR_W(ROW_W),
                .DATA_W(DATA_W)
            ) u_lkp_ram (
                .clk_i    (clk_i),
                .rd_en_i  (lkp_accept || (DUAL_READ == 0 && ins_accept)),
                .rd_addr_i(DUAL_READ != 0 ? lkp_hash : lkp_hash | ins_hash),  // one of them is 0
                .rd_data_o(lkp_row[w*DATA_W +: DATA_W]),
                .wr_en_i  (wr_en),
                .wr_addr_i(wr_row),
                .wr_data_i(wr_data)
`ifdef FORMAL
                , .f_addr_i(f_row)
                , .f_data_o(f_lkp_now)
`endif
            );

            if (DUAL_READ != 0) begin : g_ins_ram
                cw_ram_1r1w_fwd #(
                    .ADDR_W(ROW_W),
                    .DATA_W(DATA_W)
                ) u_ins_ram (
                    .clk_i    (clk_i),
                    .rd_en_i  (ins_accept),
                    .rd_addr_i(ins_hash),
                    .rd_data_o(ins_old),
                    .wr_en_i  (wr_en),
                    .wr_addr_i(wr_row),
                    .wr_data_i(wr_data)
`ifdef FORMAL
                    , .f_addr_i(f_row)
                    , .f_data_o(f_ins_now)
`endif
                );
            end else begin : g_one_ram
                assign ins_old = lkp_row[w*DATA_W +: DATA_W];
`ifdef FORMAL
                assign f_ins_now = f_lkp_now;
`endif
            end

`ifdef FORMAL
            cw_h3_hash #(
                .KEY_W(KEY_W),
                .OUT_W(ROW_W),
                .SEED (way_seed(w))
            ) u_f_hash (
                .en_i  (1'b1),
                .key_i (f_key),
                .hash_o(f_row)
            );

            always @*
                if (f_past_q && !clearing_q) begin
                    // 6. (for induction) An insertion's old value is what the row holds: forwarding leaves no gap.
                    if (ins_s1_q && ins_row_s1_q == f_row)
                        assert (ins_old == f_ins_now);
                    // 7. (for induction) The key's row reaches the bound, or the insertion in stage 1 brings it there.
                    assert (f_lkp_now[VALUE_W-1:0] >= f_max0_q || (f_ins_s1_q && ins_v0_s1_q >= f_max0_q));
                    assert (f_ins_now[VALUE_W-1:0] >= f_max0_q || (f_ins_s1_q && ins_v0_s1_q >= f_max0_q));
                    if (FIELDS == 2) begin
                        assert (f_lkp_now[DATA_W-1:DATA_W-VALUE_W] >= f_max1_q || (f_ins_s1_q && ins_v1_s1_q >= f_max1_q));
                        assert (f_ins_now[DATA_W-1:DATA_W-VALUE_W] >= f_max1_q || (f_ins_s1_q && ins_v1_s1_q >= f_max1_q));
                    end
                    // 8. (for induction) An insertion of the key is on its way to the key's row.
                    if (f_ins_s1_q)
                        assert (ins_row_s1_q == f_row);
                end
            // 9. (for induction) What stage 1 has read for a lookup of the key reaches the lookup's bound.
            always @*
                if (f_past_q && f_lkp_s1_q) begin
                    assert (lkp_row[w*DATA_W +: VALUE_W] >= f_s1_max0_q);
                    if (FIELDS == 2)
                        assert (lkp_row[(w+1)*DATA_W-VALUE_W +: VALUE_W] >= f_s1_max1_q);
                end
`endif
        end
    endgenerate

    // Stage 2: the answer.
    reg                rsp_valid_q;
    reg  [DATA_W-1:0]  rsp_q;
    reg  [DATA_W-1:0]  min_row;
    integer            i;
    integer            f;

    always @* begin
        min_row = lkp_row[DATA_W-1:0];
        if (lkp_s1_q)
            for (i = 1; i < WAYS; i = i + 1)
                for (f = 0; f < FIELDS; f = f + 1)
                    if (lkp_row[i*DATA_W + f*VALUE_W +: VALUE_W] < min_row[f*VALUE_W +: VALUE_W])
                        min_row[f*VALUE_W +: VALUE_W] = lkp_row[i*DATA_W + f*VALUE_W +: VALUE_W];
    end

    always @(posedge clk_i)
        if (rst_i) begin
            rsp_valid_q <= 1'b0;
            rsp_q       <= {DATA_W{1'b0}};
        end else begin
            rsp_valid_q <= lkp_s1_q;
            if (lkp_s1_q)
                rsp_q <= min_row;
        end

    assign rsp_valid_o = rsp_valid_q;
    assign rsp_v0_o    = rsp_q[VALUE_W-1:0];
    assign busy_o      = clearing_q || lkp_s1_q || ins_s1_q || rsp_valid_q;

    generate
        if (FIELDS == 2) begin : g_rsp_v1
            assign rsp_v1_o = rsp_q[DATA_W-1:DATA_W-VALUE_W];
        end else begin : g_no_rsp_v1
            wire unused_v1 = &{1'b0, ins_v1_s1_q};
            assign rsp_v1_o = {VALUE_W{1'b0}};
        end
        if (WAYS < 1 || WAYS > 4) begin : g_bad_ways
            cw_error_recency_bloom_filter_ways_must_be_1_to_4 u_error ();
        end
        if (ROW_W < 1 || ROW_W > 12) begin : g_bad_row_w
            cw_error_recency_bloom_filter_row_w_must_be_1_to_12 u_error ();
        end
        if (KEY_W < 1 || KEY_W > 64) begin : g_bad_key_w
            cw_error_recency_bloom_filter_key_w_must_be_1_to_64 u_error ();
        end
        if (FIELDS < 1 || FIELDS > 2) begin : g_bad_fields
            cw_error_recency_bloom_filter_fields_must_be_1_or_2 u_error ();
        end
        if (VALUE_W < 1 || VALUE_W > 64) begin : g_bad_value_w
            cw_error_recency_bloom_filter_value_w_must_be_1_to_64 u_error ();
        end
        if (DUAL_READ < 0 || DUAL_READ > 1) begin : g_bad_dual_read
            cw_error_recency_bloom_filter_dual_read_must_be_0_or_1 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
