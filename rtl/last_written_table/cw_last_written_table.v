// SPDX-License-Identifier: Apache-2.0
//
// cw_last_written_table: from a block of memory to the time of its last write, for temporal conflict detection.
//
// Why         : a read-only transaction may commit without validation when no block that it read was written after its first load. Each
//               partition must tell a load when its block was last written.
// How         : a recency Bloom filter of times, addressed by block. A WRITE inserts the time of a commit's write, a READ looks up. An
//               answer may be too late, which costs a validation. It is never too early.
// Stages      : 0 to 2 are the filter's (hash; RAM; minimum, or raise and write); 3 compares the answer with the first load's time.
// Latency     : a READ takes 4 cycles, always. A WRITE is seen by every later READ.
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
    parameter ADDR_W  = 28,  // 1 .. 64
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
    wire              bloom_busy;
    wire              bloom_rsp_valid;
    wire [TIME_W-1:0] bloom_time;  // 0 when there is no answer
    /* verilator lint_off UNUSED */  // with one operation per cycle, ready when the look-up is
    wire              bloom_ins_ready;
    wire [TIME_W-1:0] bloom_none;
    /* verilator lint_on UNUSED */
`ifdef CW_PROPERTIES
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
        .busy_o     (bloom_busy)
`ifdef CW_PROPERTIES
        , .f_key_o     (f_block)
        , .f_max0_o    (f_bloom_max)
        , .f_rsp_o     (f_bloom_rsp)
        , .f_rsp_min0_o(f_bloom_min)
`endif
    );

    // The time of the first load waits for the filter's answer. No answer is time 0, which is later than nothing.
    reg [TIME_W-1:0] first_s1_q;
    reg [TIME_W-1:0] first_s2_q;
    reg [TIME_W-1:0] first_s3_q;
    reg              rsp_valid_q;
    reg              rsp_conflict_q;
    reg [TIME_W-1:0] rsp_time_q;

    always @(posedge clk_i) begin
        if (rst_i) begin
            rsp_valid_q    <= 1'b0;
            rsp_conflict_q <= 1'b0;
            rsp_time_q     <= {TIME_W{1'b0}};
        end else begin
            rsp_valid_q    <= bloom_rsp_valid;
            rsp_conflict_q <= bloom_time > first_s3_q;
            rsp_time_q     <= bloom_time;
        end
        first_s1_q <= op_time_i;
        first_s2_q <= first_s1_q;
        first_s3_q <= first_s2_q;
    end

    assign rsp_valid_o    = rsp_valid_q;
    assign rsp_time_o     = rsp_time_q;
    assign rsp_conflict_o = rsp_conflict_q;
    assign busy_o         = bloom_busy || rsp_valid_q;

    reg early_warning_q;

    always @(posedge clk_i)
        if (rst_i || clear_i)
            early_warning_q <= 1'b0;
        else if (op_store && op_ready_o && &op_time_i[TIME_W-1 -: 3])
            early_warning_q <= 1'b1;

    assign early_warning_o = early_warning_q;

`ifdef CW_PROPERTIES
    // A block (the filter's key) and the time of its last WRITE, kept here and not taken from the filter.
    reg [TIME_W-1:0] f_last_q;
    reg [TIME_W-1:0] f_bound1_q;  // of the READ one to four cycles ago
    reg [TIME_W-1:0] f_bound2_q;
    reg [TIME_W-1:0] f_bound3_q;
    reg [TIME_W-1:0] f_bound4_q;
    reg [TIME_W-1:0] f_first1_q;
    reg [TIME_W-1:0] f_first2_q;
    reg [TIME_W-1:0] f_first3_q;
    reg [TIME_W-1:0] f_first4_q;
    reg [3:0]        f_read_q;    // a READ of the block one (lowest) to four cycles ago
    reg [3:0]        f_any_q;     // a READ of any block
    reg              f_past_q = 1'b0;
    wire             f_op   = op_ready_o && op_valid_i;
    wire             f_here = f_op && op_addr_i >> BLOCK_W == f_block;

    always @(posedge clk_i) begin
        f_past_q   <= 1'b1;
        f_read_q   <= {f_read_q[2:0], f_here && !op_write_i} & {4{!rst_i}};
        f_any_q    <= {f_any_q[2:0], f_op && !op_write_i} & {4{!rst_i}};
        f_bound1_q <= f_last_q;
        f_bound2_q <= f_bound1_q;
        f_bound3_q <= f_bound2_q;
        f_bound4_q <= f_bound3_q;
        f_first1_q <= op_time_i;
        f_first2_q <= f_first1_q;
        f_first3_q <= f_first2_q;
        f_first4_q <= f_first3_q;
        if (rst_i || clear_i)
            f_last_q <= {TIME_W{1'b0}};
        else if (f_here && op_write_i && op_time_i > f_last_q)
            f_last_q <= op_time_i;
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. A READ is answered four cycles later, and never with an earlier time than that of a WRITE of its block before it.
            assert (rsp_valid_o == f_any_q[3]);
            if (f_read_q[3])
                assert (rsp_time_o >= f_bound4_q);
            cover (f_read_q[3] && f_bound4_q != 0 && rsp_time_o == f_bound4_q);
            // 2. A block written after the transaction's first load is a conflict.
            if (f_read_q[3] && f_bound4_q > f_first4_q)
                assert (rsp_conflict_o);
            cover (f_read_q[3] && f_bound4_q > f_first4_q && f_first4_q != 0);
            // 3. There is no conflict without a later time, and none without an answer.
            if (rsp_time_o <= f_first4_q || !f_any_q[3])
                assert (!rsp_conflict_o);
            cover (f_read_q[3] && rsp_time_o != 0 && rsp_time_o == f_first4_q);
            // 4. An operation is never held up outside of a sweep.
            if (op_ready_o && op_store)
                assert (bloom_ins_ready);
            cover (f_any_q[0] && op_ready_o && op_store);
            // 5. (for induction) The filter's key and bounds are these.
            assert (f_bloom_max >= f_last_q);
            assert (!f_read_q[2] || (f_bloom_rsp && f_bloom_min >= f_bound3_q));
            assert ((f_read_q & ~f_any_q) == 4'd0 && bloom_rsp_valid == f_any_q[2]);
            assert (!f_any_q[0] || first_s1_q == f_first1_q);
            assert (!f_any_q[1] || first_s2_q == f_first2_q);
            assert (!f_any_q[2] || first_s3_q == f_first3_q);
            if (!rsp_valid_o)
                assert (rsp_time_o == 0 && !rsp_conflict_o);
            cover (f_read_q[2] && f_bloom_min != 0);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
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
