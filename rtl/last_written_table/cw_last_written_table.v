// SPDX-License-Identifier: Apache-2.0
//
// cw_last_written_table: from a block of memory to the time of its last write, for temporal conflict detection.
//
// Why         : a read-only transaction may commit without validation when no block that it read was written after its first load. Each
//               partition must tell a load when its block was last written.
// How         : a recency Bloom filter of times, addressed by block. A WRITE inserts the time of a commit's write, a READ looks up. An
//               answer may be too late, which costs a validation. It is never too early.
// Latency     : a READ takes 2 cycles, always. A WRITE is seen by every later READ.
// Throughput  : one operation (READ or WRITE) per cycle, never held up. Answers have no back-pressure.
// Comb. paths : none from input to output.
// Clearing    : after reset and after clear_i a sweep of 2^ROW_W cycles, with op_ready_o low.
// Illegal use : none.
//
// Paper: Fung 2015, section 6.4. Contract: include/cowarp/unit/last_written_table.h.
// C model: csim/unit/last_written_table.c. Datasheet: docs/units/last_written_table.md.

`default_nettype none

module cw_last_written_table #(
    parameter WAYS    = 4,   // 1 .. 4
    parameter ROW_W   = 9,   // 1 .. 12: log2 of the entries per sub-array
    parameter ADDR_W  = 30,  // 1 .. 64
    parameter BLOCK_W = 5,   // 0 .. 16, below ADDR_W: log2 of the words per block
    parameter TIME_W  = 64   // 4 .. 64
) (
    input  wire              clk_i,
    input  wire              rst_i,
    // accesses that the L2 cache serves
    input  wire              op_valid_i,
    input  wire              op_write_i,
    /* verilator lint_off UNUSED */  // the word within the block
    input  wire [ADDR_W-1:0] op_addr_i,
    /* verilator lint_on UNUSED */
    input  wire [TIME_W-1:0] op_time_i,
    output wire              op_ready_o,
    // answer to a READ
    output wire              rsp_valid_o,
    output wire [TIME_W-1:0] rsp_time_o,
    output wire              rsp_conflict_o,
    // control
    input  wire              clear_i,
    output wire              early_warning_o,
    output wire              busy_o
);

    localparam KEY_W = ADDR_W - BLOCK_W;

    wire              op_read  = op_valid_i && !op_write_i;
    wire              op_store = op_valid_i && op_write_i;
    wire [KEY_W-1:0]  block    = op_addr_i[ADDR_W-1:BLOCK_W];
    wire              bloom_rsp_valid;
    wire [TIME_W-1:0] bloom_time;
    /* verilator lint_off UNUSED */  // with one operation per cycle, ready when the look-up is
    wire              bloom_ins_ready;
    wire [TIME_W-1:0] bloom_none;
    /* verilator lint_on UNUSED */
`ifdef FORMAL
    wire [KEY_W-1:0]  f_block;
    wire [TIME_W-1:0] f_bloom_max;
    wire              f_bloom_rsp;
    wire [TIME_W-1:0] f_bloom_min;
`endif

    cw_recency_bloom_filter #(
        .WAYS     (WAYS),
        .ROW_W    (ROW_W),
        .KEY_W    (KEY_W),
        .FIELDS   (1),
        .VALUE_W  (TIME_W),
        .DUAL_READ(0)
    ) u_bloom (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .ins_valid_i(op_store),
        .ins_key_i  (block),
        .ins_v0_i   (op_time_i),
        .ins_v1_i   ({TIME_W{1'b0}}),
        .ins_ready_o(bloom_ins_ready),
        .lkp_valid_i(op_read),
        .lkp_key_i  (block),
        .lkp_ready_o(op_ready_o),
        .rsp_valid_o(bloom_rsp_valid),
        .rsp_v0_o   (bloom_time),
        .rsp_v1_o   (bloom_none),
        .clear_i    (clear_i),
        .busy_o     (busy_o)
`ifdef FORMAL
        , .f_key_o     (f_block)
        , .f_max0_o    (f_bloom_max)
        , .f_rsp_o     (f_bloom_rsp)
        , .f_rsp_min0_o(f_bloom_min)
`endif
    );

    // The time of the first load waits for the answer.
    reg  [TIME_W-1:0] first_s1_q;
    reg  [TIME_W-1:0] first_s2_q;
    reg               read_s1_q;
    wire              read = op_read && op_ready_o;

    always @(posedge clk_i) begin
        if (rst_i)
            read_s1_q <= 1'b0;
        else
            read_s1_q <= read;
        if (read)
            first_s1_q <= op_time_i;
        if (read_s1_q)
            first_s2_q <= first_s1_q;
    end

    assign rsp_valid_o    = bloom_rsp_valid;
    assign rsp_time_o     = bloom_time & {TIME_W{bloom_rsp_valid}};
    assign rsp_conflict_o = rsp_time_o > first_s2_q && bloom_rsp_valid;

    reg early_warning_q;

    always @(posedge clk_i)
        if (rst_i || clear_i)
            early_warning_q <= 1'b0;
        else if (op_store && op_ready_o && &op_time_i[TIME_W-1 -: 3])
            early_warning_q <= 1'b1;

    assign early_warning_o = early_warning_q;

`ifdef FORMAL
    // A block of the solver's choice (the filter's key) and the time of its last WRITE, kept here and not taken from the filter.
    reg [TIME_W-1:0] f_last_q;
    reg [TIME_W-1:0] f_bound1_q;  // of the READ one and two cycles ago
    reg [TIME_W-1:0] f_bound2_q;
    reg [TIME_W-1:0] f_first1_q;
    reg [TIME_W-1:0] f_first2_q;
    reg              f_read1_q;
    reg              f_read2_q;
    reg              f_past_q = 1'b0;
    wire             f_here = op_ready_o && op_valid_i && op_addr_i >> BLOCK_W == f_block;

    always @(posedge clk_i) begin
        f_past_q   <= 1'b1;
        f_read1_q  <= f_here && !op_write_i && !rst_i;
        f_read2_q  <= f_read1_q && !rst_i;
        f_bound1_q <= f_last_q;
        f_bound2_q <= f_bound1_q;
        f_first1_q <= op_time_i;
        f_first2_q <= f_first1_q;
        if (rst_i || clear_i)
            f_last_q <= {TIME_W{1'b0}};
        else if (f_here && op_write_i)
            f_last_q <= op_time_i;
    end

    always @*
        if (!f_past_q)
            assume (rst_i);

    always @*
        if (f_past_q) begin
            // 1. A READ is answered two cycles later, and never with an earlier time than that of its block's last WRITE.
            if (f_read2_q)
                assert (rsp_valid_o && rsp_time_o >= f_bound2_q);
            // 2. A block written after the transaction's first load is a conflict.
            if (f_read2_q && f_bound2_q > f_first2_q)
                assert (rsp_conflict_o);
            // 3. No conflict without a later time.
            if (f_read2_q && rsp_time_o <= f_first2_q)
                assert (!rsp_conflict_o);
            // 4. An operation is never held up outside of a sweep.
            if (op_ready_o && op_store)
                assert (bloom_ins_ready);
            // 5. (for induction) The filter's key and bounds are these.
            assert (f_bloom_max >= f_last_q);
            if (f_read2_q)
                assert (f_bloom_rsp && f_bloom_min >= f_bound2_q && first_s2_q == f_first2_q);
            if (f_read1_q)
                assert (read_s1_q && first_s1_q == f_first1_q);
            // A conflict is found at the exact time.
            cover (f_read2_q && rsp_conflict_o && rsp_time_o == f_bound2_q);
        end
`endif

    generate
        if (ADDR_W < 1 || ADDR_W > 64) begin : g_bad_addr_w
            cw_error_last_written_table_addr_w_must_be_1_to_64 u_error ();
        end
        if (BLOCK_W < 0 || BLOCK_W > 16 || BLOCK_W >= ADDR_W) begin : g_bad_block_w
            cw_error_last_written_table_block_w_must_be_0_to_16_and_below_addr_w u_error ();
        end
        if (TIME_W < 4 || TIME_W > 64) begin : g_bad_time_w
            cw_error_last_written_table_time_w_must_be_4_to_64 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
