// SPDX-License-Identifier: Apache-2.0
//
// cw_recency_bloom_filter: approximate map from a key to the largest value inserted for it; never answers too little.
//
// Why         : timestamps and commit IDs of everything ever touched do not fit in an exact table. It is safe to answer too late a
//               time, so old ones may share storage.
// How         : each way has a hash of its own. An insertion raises the row of its key in every way to at least its value. A look-up
//               answers the smallest of its rows.
// Stages      : 0 hashes the key, the RAMs take the address; 1 reads the rows into registers; 2 takes the minimum of a look-up, or
//               raises and writes the rows of an insertion. No path leads from a RAM's output to a RAM's input.
// Latency     : a look-up takes 3 cycles, always. An insertion is visible to look-ups from the next cycle on.
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
    // lookup channel, and its answer three cycles later
    input  wire               lkp_valid_i,
    input  wire [KEY_W-1:0]   lkp_key_i,
    output wire               lkp_ready_o,
    output wire               rsp_valid_o,
    output wire [VALUE_W-1:0] rsp_v0_o,
    output wire [VALUE_W-1:0] rsp_v1_o,
    // control
    input  wire               clear_i,
    output wire               busy_o
`ifdef CW_PROPERTIES
    // for properties of units around this one: the key of the properties, the largest field 0 inserted for it since the last
    // clear, and whether the answer of this cycle is for that key, and what it must reach
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

    // What is in stages 1 and 2. Data registers load with their operation, and keep what they hold when there is none.
    reg               lkp_s1_q;
    reg               lkp_s2_q;
    reg               ins_s1_q;
    reg               ins_s2_q;
    reg               ins_s3_q;  // was in stage 2 in the last cycle
    reg [VALUE_W-1:0] ins_v0_s1_q;
    reg [VALUE_W-1:0] ins_v1_s1_q;
    reg [VALUE_W-1:0] ins_v0_s2_q;
    reg [VALUE_W-1:0] ins_v1_s2_q;

    always @(posedge clk_i) begin
        if (rst_i) begin
            lkp_s1_q <= 1'b0;
            lkp_s2_q <= 1'b0;
            ins_s1_q <= 1'b0;
            ins_s2_q <= 1'b0;
            ins_s3_q <= 1'b0;
        end else begin
            lkp_s1_q <= lkp_accept;
            lkp_s2_q <= lkp_s1_q;
            ins_s1_q <= ins_accept;
            ins_s2_q <= ins_s1_q;
            ins_s3_q <= ins_s2_q;
        end
        if (ins_valid_i) begin
            ins_v0_s1_q <= ins_v0_i;
            ins_v1_s1_q <= ins_v1_i;
        end
        if (ins_s1_q) begin
            ins_v0_s2_q <= ins_v0_s1_q;
            ins_v1_s2_q <= ins_v1_s1_q;
        end
    end

    // Without a second RAM copy there is one operation per cycle, so one hash serves both.
    wire             rd_valid = lkp_valid_i || (DUAL_READ == 0 && ins_valid_i);
    wire [KEY_W-1:0] rd_key = DUAL_READ != 0 || lkp_valid_i ? lkp_key_i : ins_key_i;

    reg  [WAYS*DATA_W-1:0] rd_row_s2_q;  // a look-up's rows in stage 2, way 0 lowest; with one RAM copy, also an insertion's

`ifdef CW_PROPERTIES
    // What properties 1 to 5 know of one key, for those of each way.
    wire [KEY_W-1:0]   f_key;
    wire               f_past;
    wire               f_swept;
    wire [VALUE_W-1:0] f_max0;
    wire [VALUE_W-1:0] f_max1;
    wire               f_ins_s1;
    wire               f_ins_s2;
    wire               f_lkp_s1;
    wire               f_lkp_s2;
    wire [VALUE_W-1:0] f_s1_max0;
    wire [VALUE_W-1:0] f_s1_max1;
    wire [VALUE_W-1:0] f_s2_max0;
    wire [VALUE_W-1:0] f_s2_max1;

    cw_nonsynth_recency_bloom_filter #(
        .ROW_W    (ROW_W),
        .KEY_W    (KEY_W),
        .FIELDS   (FIELDS),
        .VALUE_W  (VALUE_W),
        .DUAL_READ(DUAL_READ)
    ) u_properties (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .ins_i      ({ins_valid_i, ins_accept, ins_key_i, ins_v0_i, ins_v1_i}),
        .lkp_i      ({lkp_valid_i, lkp_ready_o, lkp_accept, lkp_key_i}),
        .rsp_i      ({rsp_valid_o, rsp_v0_o, rsp_v1_o}),
        .clear_i    (clear_i),
        .clearing_i ({clearing_q, clear_row_q}),
        .stages_i   ({lkp_s1_q, lkp_s2_q, ins_s1_q, ins_s2_q}),
        .f_key_o    (f_key),
        .f_past_o   (f_past),
        .f_swept_o  (f_swept),
        .f_max_o    ({f_max0, f_max1}),
        .f_stages_o ({f_ins_s1, f_ins_s2, f_lkp_s1, f_lkp_s2, f_rsp_o}),
        .f_s1_max_o ({f_s1_max0, f_s1_max1}),
        .f_s2_max_o ({f_s2_max0, f_s2_max1}),
        .f_s3_max0_o(f_rsp_min0_o)
    );

    assign f_key_o  = f_key;
    assign f_max0_o = f_max0;
`endif

    genvar w;
    genvar f;
    generate
        for (w = 0; w < WAYS; w = w + 1) begin : g_way
            // The row read for a look-up; with one RAM copy, also for an insertion.
            wire [ROW_W-1:0]  rd_hash;
            wire [DATA_W-1:0] rd_ram;
            reg  [ROW_W-1:0]  rd_idx_s1_q;
            // an insertion's way through stages 1 and 2, and what it wrote in the last cycle
            wire [ROW_W-1:0]  ins_idx_s1;
            wire [DATA_W-1:0] ins_old;
            reg  [ROW_W-1:0]  ins_idx_s2_q;
            reg  [ROW_W-1:0]  ins_idx_s3_q;
            wire [DATA_W-1:0] ins_new;
            reg  [DATA_W-1:0] ins_new_s3_q;
            // The sweep has the write port for itself: it writes over whatever an insertion of before the clear would write.
            wire              wr_en   = clearing_q || ins_s2_q;
            wire [ROW_W-1:0]  wr_row  = clearing_q ? clear_row_q : ins_idx_s2_q;
            wire [DATA_W-1:0] wr_data = ins_new & {DATA_W{!clearing_q}};
            // A row that leaves the RAM in stage 1 lacks the insertions that were in stage 2 at its read and after it.
            wire              rd_hit_s2 = ins_s2_q && ins_idx_s2_q == rd_idx_s1_q;
            wire              rd_hit_s3 = ins_s3_q && ins_idx_s3_q == rd_idx_s1_q;
            wire [DATA_W-1:0] rd_row_s1 = rd_hit_s3 ? ins_new_s3_q : rd_ram;
            wire [DATA_W-1:0] rd_row_d  = rd_hit_s2 ? ins_new : rd_row_s1;
`ifdef CW_PROPERTIES
            wire [ROW_W-1:0]  f_row;      // the key's row in this way
            wire [DATA_W-1:0] f_lkp_now;  // what it holds in each copy
            wire [DATA_W-1:0] f_ins_now;
            wire [DATA_W-1:0] f_ins_row_s1;  // what stage 1 has read for an insertion
`endif

            cw_h3_hash #(
                .KEY_W(KEY_W),
                .OUT_W(ROW_W),
                .SEED (way_seed(w))
            ) u_rd_hash (
                .en_i  (rd_valid),
                .key_i (rd_key),
                .hash_o(rd_hash)
            );

            cw_ram_1r1w #(
                .ADDR_W(ROW_W),
                .DATA_W(DATA_W)
            ) u_rd_ram (
                .clk_i    (clk_i),
                .rd_en_i  (lkp_accept || (DUAL_READ == 0 && ins_accept)),
                .rd_addr_i(rd_hash),
                .rd_data_o(rd_ram),
                .wr_en_i  (wr_en),
                .wr_addr_i(wr_row),
                .wr_data_i(wr_data)
`ifdef CW_PROPERTIES
                , .f_addr_i(f_row)
                , .f_data_o(f_lkp_now)
`endif
            );

            for (f = 0; f < FIELDS; f = f + 1) begin : g_field
                wire [VALUE_W-1:0] old   = ins_old[f*VALUE_W +: VALUE_W];
                wire [VALUE_W-1:0] value = f == 0 ? ins_v0_s2_q : ins_v1_s2_q;
                reg  [VALUE_W-1:0] raised;
                always @* begin
                    raised = {VALUE_W{1'b0}};
                    if (ins_s2_q)
                        raised = value > old ? value : old;
                end
                assign ins_new[f*VALUE_W +: VALUE_W] = raised;
            end

            always @(posedge clk_i) begin
                if (rd_valid)
                    rd_idx_s1_q <= rd_hash;
                if (lkp_s1_q || (DUAL_READ == 0 && ins_s1_q))
                    rd_row_s2_q[w*DATA_W +: DATA_W] <= rd_row_d;
                if (ins_s1_q)
                    ins_idx_s2_q <= ins_idx_s1;
                if (ins_s2_q) begin
                    ins_idx_s3_q <= ins_idx_s2_q;
                    ins_new_s3_q <= ins_new;
                end
            end

            if (DUAL_READ != 0) begin : g_ins_ram
                wire [ROW_W-1:0]  ins_hash;
                wire [DATA_W-1:0] ins_ram;
                reg  [ROW_W-1:0]  ins_idx_s1_q;
                reg  [DATA_W-1:0] ins_row_s2_q;
                wire              ins_hit_s2 = ins_s2_q && ins_idx_s2_q == ins_idx_s1_q;
                wire              ins_hit_s3 = ins_s3_q && ins_idx_s3_q == ins_idx_s1_q;
                wire [DATA_W-1:0] ins_row_s1 = ins_hit_s3 ? ins_new_s3_q : ins_ram;
                wire [DATA_W-1:0] ins_row_d  = ins_hit_s2 ? ins_new : ins_row_s1;

                cw_h3_hash #(
                    .KEY_W(KEY_W),
                    .OUT_W(ROW_W),
                    .SEED (way_seed(w))
                ) u_ins_hash (
                    .en_i  (ins_valid_i),
                    .key_i (ins_key_i),
                    .hash_o(ins_hash)
                );

                cw_ram_1r1w #(
                    .ADDR_W(ROW_W),
                    .DATA_W(DATA_W)
                ) u_ins_ram (
                    .clk_i    (clk_i),
                    .rd_en_i  (ins_accept),
                    .rd_addr_i(ins_hash),
                    .rd_data_o(ins_ram),
                    .wr_en_i  (wr_en),
                    .wr_addr_i(wr_row),
                    .wr_data_i(wr_data)
`ifdef CW_PROPERTIES
                    , .f_addr_i(f_row)
                    , .f_data_o(f_ins_now)
`endif
                );

                always @(posedge clk_i) begin
                    if (ins_valid_i)
                        ins_idx_s1_q <= ins_hash;
                    if (ins_s1_q)
                        ins_row_s2_q <= ins_row_d;
                end

                assign ins_idx_s1 = ins_idx_s1_q;
                assign ins_old    = ins_row_s2_q;
`ifdef CW_PROPERTIES
                assign f_ins_row_s1 = ins_row_s1;
`endif
            end else begin : g_one_ram
                assign ins_idx_s1 = rd_idx_s1_q;
                assign ins_old    = rd_row_s2_q[w*DATA_W +: DATA_W];
`ifdef CW_PROPERTIES
                assign f_ins_now    = f_lkp_now;
                assign f_ins_row_s1 = rd_row_s1;
`endif
            end

`ifdef CW_PROPERTIES
            cw_h3_hash #(
                .KEY_W(KEY_W),
                .OUT_W(ROW_W),
                .SEED (way_seed(w))
            ) u_f_hash (
                .en_i  (1'b1),
                .key_i (f_key),
                .hash_o(f_row)
            );

            wire f_reached0 = (f_ins_s1 && ins_v0_s1_q >= f_max0) || (f_ins_s2 && ins_v0_s2_q >= f_max0);
            wire f_reached1 = (f_ins_s1 && ins_v1_s1_q >= f_max1) || (f_ins_s2 && ins_v1_s2_q >= f_max1);

            always @(`CW_PROPERTIES)
                if (f_past) begin
                    // 6. (for induction) What is read for an insertion is what the row holds: forwarding leaves no gap.
                    if (!clearing_q) begin
                        if (ins_s1_q && ins_idx_s1 == f_row)
                            assert (f_ins_row_s1 == f_ins_now);
                        if (ins_s2_q && ins_idx_s2_q == f_row)
                            assert (ins_old == f_ins_now);
                        if (ins_s3_q && ins_idx_s3_q == f_row && !f_swept)
                            assert (ins_new_s3_q == f_ins_now);
                        assert (f_lkp_now == f_ins_now);
                    end
                    if (clearing_q && clear_row_q > f_row)
                        assert (f_lkp_now == 0 && f_ins_now == 0);
                    cover (!clearing_q && ins_s1_q && ins_s2_q && ins_s3_q && ins_old != 0
                           && ins_idx_s1 == f_row && ins_idx_s2_q == f_row && ins_idx_s3_q == f_row);
                    // 7. (for induction) The key's row reaches the bound, or an insertion in stage 1 or 2 brings it there.
                    if (!clearing_q) begin
                        assert (f_lkp_now[VALUE_W-1:0] >= f_max0 || f_reached0);
                        if (FIELDS == 2)
                            assert (f_lkp_now[DATA_W-1:DATA_W-VALUE_W] >= f_max1 || f_reached1);
                    end
                    cover (!clearing_q && f_max0 != 0 && !f_reached0);
                    // 8. (for induction) An insertion of the key is on its way to the key's row.
                    if (f_ins_s1)
                        assert (ins_idx_s1 == f_row);
                    if (f_ins_s2)
                        assert (ins_idx_s2_q == f_row);
                    cover (f_ins_s1 && f_ins_s2 && f_row != 0);
                    // 9. (for induction) What stages 1 and 2 have for a lookup of the key reaches the lookup's bound.
                    if (f_lkp_s1) begin
                        assert (rd_idx_s1_q == f_row);
                        assert (rd_row_d[VALUE_W-1:0] >= f_s1_max0);
                        if (FIELDS == 2)
                            assert (rd_row_d[DATA_W-1:DATA_W-VALUE_W] >= f_s1_max1);
                    end
                    if (f_lkp_s2) begin
                        assert (rd_row_s2_q[w*DATA_W +: VALUE_W] >= f_s2_max0);
                        if (FIELDS == 2)
                            assert (rd_row_s2_q[w*DATA_W + DATA_W - VALUE_W +: VALUE_W] >= f_s2_max1);
                    end
                    cover (f_lkp_s1 && f_lkp_s2 && f_s2_max0 != 0);
                end
`endif
        end
    endgenerate

    // Stage 2 of a look-up: every way is compared with every other at once. The smallest way's select is then one gate of these
    // comparisons, and its row one of a multiplexer.
    reg               rsp_valid_q;
    reg  [DATA_W-1:0] rsp_q;
    wire [DATA_W-1:0] min_row;

    generate
        for (f = 0; f < FIELDS; f = f + 1) begin : g_min
            reg [WAYS*WAYS-1:0] le;  // bit a * WAYS + b, b above a: way a's value is not above way b's
            reg [WAYS-1:0]      least_oh;  // the smallest way; of equal ones the lowest; none when there is no look-up
            reg [VALUE_W-1:0]   least;
            integer             i;
            integer             j;

            always @* begin
                le       = {WAYS*WAYS{1'b0}};
                least_oh = {WAYS{1'b0}};
                least    = {VALUE_W{1'b0}};
                if (lkp_s2_q) begin
                    least_oh = {WAYS{1'b1}};
                    for (i = 0; i < WAYS; i = i + 1)
                        for (j = i + 1; j < WAYS; j = j + 1)
                            le[i*WAYS + j] = rd_row_s2_q[i*DATA_W + f*VALUE_W +: VALUE_W] <= rd_row_s2_q[j*DATA_W + f*VALUE_W +: VALUE_W];
                    for (i = 0; i < WAYS; i = i + 1) begin
                        for (j = 0; j < WAYS; j = j + 1)
                            if (j > i ? !le[i*WAYS + j] : j < i && le[j*WAYS + i])
                                least_oh[i] = 1'b0;
                        if (least_oh[i])
                            least = least | rd_row_s2_q[i*DATA_W + f*VALUE_W +: VALUE_W];
                    end
                end
            end

            assign min_row[f*VALUE_W +: VALUE_W] = least;
        end
    endgenerate

    always @(posedge clk_i)
        if (rst_i) begin
            rsp_valid_q <= 1'b0;
            rsp_q       <= {DATA_W{1'b0}};
        end else begin
            rsp_valid_q <= lkp_s2_q;
            rsp_q       <= min_row;
        end

    assign rsp_valid_o = rsp_valid_q;
    assign rsp_v0_o    = rsp_q[VALUE_W-1:0];
    assign busy_o      = clearing_q || lkp_s1_q || lkp_s2_q || rsp_valid_q || ins_s1_q || ins_s2_q;

    generate
        if (FIELDS == 2) begin : g_rsp_v1
            assign rsp_v1_o = rsp_q[DATA_W-1:DATA_W-VALUE_W];
        end else begin : g_no_rsp_v1
            wire unused_v1 = &{1'b0, ins_v1_s2_q};
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
