// SPDX-License-Identifier: Apache-2.0
//
// cw_last_writer_history: from a word to the commit ID of its youngest writer, for Kilo TM's hazard detection.
//
// Why         : hazard detection must know who writes a word among all transactions that have not retired. Their write sets are too
//               large for an exact table.
// How         : a set-associative table holds recent writers exactly. When a set is full, its oldest commit ID goes to a recency Bloom
//               filter, which answers for words that the table does not hold. An answer may be too young, which costs a wait. It is
//               never too old, which would miss a hazard.
// Latency     : a CHECK takes 4 cycles, always. A RECORD is seen by every later operation.
// Throughput  : one operation (CHECK or RECORD) per cycle, never held up. Answers have no back-pressure.
// Comb. paths : none from input to output.
// Clearing    : after reset and after clear_i a sweep of the larger of 2^SET_W and 2^BLOOM_ROW_W cycles, with op_ready_o low.
// Illegal use : commit IDs of RECORDs, or a live_cid_i, that decrease between clears. Answers may then be too old.
//
// Paper: Fung 2015, section 4.2.5 and Figure 4.4b. Contract: include/cowarp/unit/last_writer_history.h.
// C model: csim/unit/last_writer_history.c. Datasheet: docs/units/last_writer_history.md.

`default_nettype none

module cw_last_writer_history #(
    parameter WAYS        = 4,   // 1 .. 8
    parameter SET_W       = 7,   // 1 .. 12: log2 of the sets
    parameter ADDR_W      = 30,  // 1 .. 64
    parameter CID_W       = 16,  // 2 .. 48
    parameter BLOOM_WAYS  = 4,   // 1 .. 4
    parameter BLOOM_ROW_W = 8    // 1 .. 12: log2 of the buckets per sub-array
) (
    input  wire              clk_i,
    input  wire              rst_i,
    // operation channel
    input  wire              op_valid_i,
    input  wire              op_write_i,
    input  wire [ADDR_W-1:0] op_addr_i,
    input  wire [CID_W-1:0]  op_cid_i,
    output wire              op_ready_o,
    // answer to a CHECK
    output wire              rsp_valid_o,
    output wire [CID_W-1:0]  rsp_cid_o,
    output wire              rsp_exact_o,
    // control
    input  wire [CID_W-1:0]  live_cid_i,
    input  wire              clear_i,
    output wire              busy_o,
    output wire              evt_evict_o
`ifdef FORMAL
    // for properties of units around this one: whether the answer of this cycle is for the address of the solver's choice, what
    // it must reach then, and which stages (first lowest) hold a CHECK
    , output wire             f_rsp_o
    , output wire [CID_W-1:0] f_rsp_min_o
    , output wire [3:0]       f_checks_o
`endif
);

    localparam ENTRY_W = ADDR_W + CID_W;  // address above commit ID
    localparam ROW_W   = WAYS * ENTRY_W;
    localparam [31:0] SET_SEED = 32'h50607080;  // differs from the filter's seeds, or a crowded set would crowd a bucket

    // ---------------------------------------------------------------- clearing

    reg              pending_q;  // a clear waits for the operations inside
    reg              sweep_q;
    reg  [SET_W-1:0] sweep_set_q;
    wire             bloom_ready;
    reg              s1_valid_q;
    reg              s2_valid_q;
    wire             sweep_start = pending_q && !s1_valid_q && !s2_valid_q;
    wire             sweep_last  = &sweep_set_q;

    always @(posedge clk_i)
        if (rst_i) begin
            pending_q   <= 1'b0;
            sweep_q     <= 1'b1;
            sweep_set_q <= {SET_W{1'b0}};
        end else begin
            pending_q <= (clear_i && op_ready_o) || (pending_q && !sweep_start);
            if (sweep_start)
                sweep_q <= 1'b1;
            else if (sweep_q) begin
                sweep_q     <= !sweep_last;
                sweep_set_q <= sweep_set_q + 1'b1;  // back to 0 in the end
            end
        end

    assign op_ready_o = !pending_q && !sweep_q && bloom_ready;

    // ---------------------------------------------------------------- stage 0: the set is read

    wire             accept = op_valid_i && op_ready_o;
    wire [SET_W-1:0] op_set;

    cw_h3_hash #(
        .KEY_W(ADDR_W),
        .OUT_W(SET_W),
        .SEED (SET_SEED)
    ) u_set_hash (
        .en_i  (accept),
        .key_i (op_addr_i),
        .hash_o(op_set)
    );

    reg              s1_check_q;
    reg              s1_write_q;  // not of commit ID 0: such a RECORD does nothing
    reg [ADDR_W-1:0] s1_addr_q;
    reg [CID_W-1:0]  s1_cid_q;
    reg [SET_W-1:0]  s1_set_q;

    always @(posedge clk_i) begin
        if (rst_i)
            s1_valid_q <= 1'b0;
        else
            s1_valid_q <= accept;
        if (accept) begin
            s1_check_q <= !op_write_i;
            s1_write_q <= op_write_i && op_cid_i != {CID_W{1'b0}};
            s1_addr_q  <= op_addr_i;
            s1_cid_q   <= op_cid_i;
            s1_set_q   <= op_set;
        end
    end

    // ---------------------------------------------------------------- stage 1: search, and replacement of the oldest

    wire [ROW_W-1:0]  row;
    wire [WAYS-1:0]   match_oh;
    reg  [WAYS-1:0]   oldest_oh;
    reg  [ADDR_W-1:0] oldest_addr;
    reg  [CID_W-1:0]  oldest_cid;
    reg  [CID_W-1:0]  match_cid;
    wire              match  = |match_oh;
    wire              record = s1_valid_q && s1_write_q;
    wire              check  = s1_valid_q && s1_check_q;
    wire [WAYS-1:0]   place_oh = match ? match_oh : oldest_oh;
    wire [ROW_W-1:0]  new_row;
    integer           i;

    always @* begin
        match_cid   = {CID_W{1'b0}};
        oldest_oh   = {WAYS{1'b0}};
        oldest_oh[0] = 1'b1;
        oldest_addr = row[CID_W +: ADDR_W];
        oldest_cid  = row[0 +: CID_W];
        for (i = 0; i < WAYS; i = i + 1) begin
            if (match_oh[i])
                match_cid = match_cid | row[i*ENTRY_W +: CID_W];
            if (row[i*ENTRY_W +: CID_W] < oldest_cid) begin
                oldest_oh    = {WAYS{1'b0}};
                oldest_oh[i] = 1'b1;
                oldest_addr  = row[i*ENTRY_W + CID_W +: ADDR_W];
                oldest_cid   = row[i*ENTRY_W +: CID_W];
            end
        end
    end

    genvar w;
    generate
        for (w = 0; w < WAYS; w = w + 1) begin : g_way
            wire [CID_W-1:0]  cid  = row[w*ENTRY_W +: CID_W];
            wire [ADDR_W-1:0] addr = row[w*ENTRY_W + CID_W +: ADDR_W];
            assign match_oh[w] = cid != {CID_W{1'b0}} && addr == s1_addr_q;
            assign new_row[w*ENTRY_W +: ENTRY_W] = place_oh[w] ? {s1_addr_q, s1_cid_q} : row[w*ENTRY_W +: ENTRY_W];
        end
    endgenerate

    // Forwarding makes operations on one set back to back right: a set is read one cycle before it is written.
    wire [SET_W-1:0] wr_set = sweep_q ? sweep_set_q : s1_set_q;
`ifdef FORMAL
    wire [SET_W-1:0] f_set;
    wire [ROW_W-1:0] f_row;
`endif

    cw_ram_1r1w_fwd #(
        .ADDR_W(SET_W),
        .DATA_W(ROW_W)
    ) u_table (
        .clk_i    (clk_i),
        .rd_en_i  (accept),
        .rd_addr_i(op_set),
        .rd_data_o(row),
        .wr_en_i  (sweep_q || record),
        .wr_addr_i(wr_set),
        .wr_data_i(sweep_q ? {ROW_W{1'b0}} : new_row)
`ifdef FORMAL
        , .f_addr_i(f_set)
        , .f_data_o(f_row)
`endif
    );

    // An empty entry's commit ID is 0.
    wire evict = record && !match && oldest_cid != {CID_W{1'b0}} && oldest_cid >= live_cid_i;

    // ---------------------------------------------------------------- stage 2: the filter is looked up or inserted into

    // One operation has one use for the filter at most, so one RAM copy and one key serve both.
    reg              s2_check_q;
    reg              s2_match_q;
    reg              s2_evict_q;
    reg [ADDR_W-1:0] s2_addr_q;
    reg [CID_W-1:0]  s2_cid_q;

    always @(posedge clk_i) begin
        if (rst_i) begin
            s2_valid_q <= 1'b0;
            s2_check_q <= 1'b0;
            s2_evict_q <= 1'b0;
        end else begin
            s2_valid_q <= s1_valid_q;
            s2_check_q <= check;
            s2_evict_q <= evict;
        end
        if (s1_valid_q) begin
            s2_match_q <= match;
            s2_addr_q  <= check ? s1_addr_q : oldest_addr;
            s2_cid_q   <= check ? match_cid : oldest_cid;
        end
    end

    wire             bloom_busy;
    wire [CID_W-1:0] bloom_cid;
    /* verilator lint_off UNUSED */  // always ready for the operation that is in stage 2; the answer's time is known
    wire             bloom_ins_ready;
    wire             bloom_rsp_valid;
    wire [CID_W-1:0] bloom_none;
    /* verilator lint_on UNUSED */
`ifdef FORMAL
    wire [ADDR_W-1:0] f_addr;
    wire [CID_W-1:0]  f_bloom_max;
    wire              f_bloom_rsp;
    wire [CID_W-1:0]  f_bloom_min;
`endif

    cw_recency_bloom_filter #(
        .WAYS     (BLOOM_WAYS),
        .ROW_W    (BLOOM_ROW_W),
        .KEY_W    (ADDR_W),
        .FIELDS   (1),
        .VALUE_W  (CID_W),
        .DUAL_READ(0)
    ) u_bloom (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .ins_valid_i(s2_evict_q),
        .ins_key_i  (s2_addr_q),
        .ins_v0_i   (s2_cid_q),
        .ins_v1_i   ({CID_W{1'b0}}),
        .ins_ready_o(bloom_ins_ready),
        .lkp_valid_i(s2_check_q && !s2_match_q),
        .lkp_key_i  (s2_addr_q),
        .lkp_ready_o(bloom_ready),
        .rsp_valid_o(bloom_rsp_valid),
        .rsp_v0_o   (bloom_cid),
        .rsp_v1_o   (bloom_none),
        .clear_i    (sweep_start),
        .busy_o     (bloom_busy)
`ifdef FORMAL
        , .f_key_o     (f_addr)
        , .f_max0_o    (f_bloom_max)
        , .f_rsp_o     (f_bloom_rsp)
        , .f_rsp_min0_o(f_bloom_min)
`endif
    );

    // ---------------------------------------------------------------- stages 3 and 4: the table's answer waits for the filter's

    reg             s3_check_q;
    reg             s3_match_q;
    reg [CID_W-1:0] s3_cid_q;
    reg             rsp_valid_q;
    reg             rsp_exact_q;
    reg [CID_W-1:0] rsp_cid_q;

    always @(posedge clk_i) begin
        if (rst_i) begin
            s3_check_q  <= 1'b0;
            rsp_valid_q <= 1'b0;
        end else begin
            s3_check_q  <= s2_check_q;
            rsp_valid_q <= s3_check_q;
        end
        if (s2_check_q) begin
            s3_match_q <= s2_match_q;
            s3_cid_q   <= s2_cid_q;
        end
        if (s3_check_q) begin
            rsp_exact_q <= s3_match_q;
            rsp_cid_q   <= s3_cid_q;
        end
    end

    assign rsp_valid_o = rsp_valid_q;
    assign rsp_exact_o = rsp_valid_q && rsp_exact_q;
    assign rsp_cid_o   = (rsp_exact_q ? rsp_cid_q : bloom_cid) & {CID_W{rsp_valid_q}};
    assign evt_evict_o = s2_evict_q;
    assign busy_o      = pending_q || sweep_q || s1_valid_q || s2_valid_q || s3_check_q || rsp_valid_q || bloom_busy;

`ifdef FORMAL
    // One address, chosen by the solver (the filter's key), and its last RECORD of those that have left stage 1. A CHECK takes that
    // as its bound along, unless it is dead by then.
    reg [CID_W-1:0] f_last_q;
    reg [CID_W-1:0] f_live_q;   // the largest live_cid_i so far
    reg             f_c2_q;     // the CHECK in stage 2, 3, 4 is of the address, and its bound
    reg             f_c3_q;
    reg             f_c4_q;
    reg [CID_W-1:0] f_bound2_q;
    reg [CID_W-1:0] f_bound3_q;
    reg [CID_W-1:0] f_bound4_q;
    reg             f_past_q = 1'b0;
    reg [3:0]       f_matches;  // entries of the address in its set, and the last one's commit ID
    reg [CID_W-1:0] f_held;
    integer         f_i;
    wire            f_here  = s1_valid_q && s1_addr_q == f_addr;
    wire            f_swept = !sweep_q || sweep_set_q > f_set;

    assign f_rsp_o     = f_c4_q;
    assign f_rsp_min_o = f_bound4_q;
    assign f_checks_o  = {rsp_valid_q, s3_check_q, s2_check_q, check};

    cw_h3_hash #(
        .KEY_W(ADDR_W),
        .OUT_W(SET_W),
        .SEED (SET_SEED)
    ) u_f_hash (
        .en_i  (1'b1),
        .key_i (f_addr),
        .hash_o(f_set)
    );

    always @* begin
        f_matches = 4'd0;
        f_held    = {CID_W{1'b0}};
        for (f_i = 0; f_i < WAYS; f_i = f_i + 1)
            if (f_row[f_i*ENTRY_W +: CID_W] != {CID_W{1'b0}} && f_row[f_i*ENTRY_W + CID_W +: ADDR_W] == f_addr) begin
                f_matches = f_matches + 4'd1;
                f_held    = f_row[f_i*ENTRY_W +: CID_W];
            end
    end

    always @(posedge clk_i) begin
        f_past_q   <= 1'b1;
        f_c2_q     <= f_here && check && !rst_i;
        f_c3_q     <= f_c2_q && !rst_i;
        f_c4_q     <= f_c3_q && !rst_i;
        f_bound2_q <= f_last_q >= live_cid_i ? f_last_q : {CID_W{1'b0}};
        f_bound3_q <= f_bound2_q;
        f_bound4_q <= f_bound3_q;
        if (rst_i || sweep_start)
            f_last_q <= {CID_W{1'b0}};
        else if (f_here && record)
            f_last_q <= s1_cid_q;
        f_live_q <= rst_i || sweep_start ? {CID_W{1'b0}} : live_cid_i;
    end

    always @* begin
        if (!f_past_q)
            assume (rst_i);
        else
            assume (live_cid_i >= f_live_q);
    end

    always @*
        if (f_past_q) begin
            // 1. A CHECK never answers less than the last RECORD of its address before it, unless that was below live_cid.
            if (f_c4_q)
                assert (rsp_valid_o && rsp_cid_o >= f_bound4_q);
            // 2. An exact answer is exactly the last RECORD of the address.
            if (f_c4_q && rsp_exact_o && f_bound4_q != 0)
                assert (rsp_cid_o == f_bound4_q);
            // 3. The table holds an address at most once, and with its last RECORD.
            if (f_swept)
                assert (f_matches == 4'd0 || (f_matches == 4'd1 && f_held == f_last_q));
            // 4. A live RECORD is in the table, or on its way to the filter, or in the filter.
            if (f_last_q != 0 && f_last_q >= f_live_q)
                assert (f_matches == 4'd1 || (s2_evict_q && s2_addr_q == f_addr && s2_cid_q == f_last_q) || f_bloom_max >= f_last_q);
            // 5. What stage 2 asks of the filter, the filter can do.
            if (s1_valid_q || s2_valid_q)
                assert (!sweep_q && bloom_ready);
            if (s2_check_q || s2_evict_q)
                assert (s2_valid_q && s2_check_q != s2_evict_q);
            // 6. (for induction) Stages agree with each other and with the flags; a sweep starts at set 0.
            if (!sweep_q)
                assert (sweep_set_q == 0);
            if (sweep_q || !bloom_ready)
                assert (f_last_q == 0);
            if (s1_valid_q && s1_set_q == f_set)
                assert (row == f_row);
            if (f_here)
                assert (s1_set_q == f_set);
            if (s1_valid_q)
                assert (s1_check_q != s1_write_q || (!s1_check_q && s1_cid_q == 0));
            if (s1_valid_q && s1_write_q)
                assert (s1_cid_q != 0);
            if (f_c2_q)
                assert (s2_check_q && s2_addr_q == f_addr && (s2_match_q ? s2_cid_q >= f_bound2_q : f_bloom_max >= f_bound2_q));
            if (f_c2_q && s2_match_q && f_bound2_q != 0)
                assert (s2_cid_q == f_bound2_q);
            if (f_c3_q)
                assert (s3_check_q && (!s3_match_q || s3_cid_q >= f_bound3_q));
            if (f_c3_q && s3_match_q && f_bound3_q != 0)
                assert (s3_cid_q == f_bound3_q);
            if (f_c4_q && !rsp_exact_o)
                assert (f_bloom_rsp && f_bloom_min >= f_bound4_q);
            // An address that has left the table is answered by the filter, without a collision.
            cover (f_c4_q && !rsp_exact_o && f_bound4_q != 0 && rsp_cid_o == f_bound4_q);
        end
`endif

    generate
        if (WAYS < 1 || WAYS > 8) begin : g_bad_ways
            cw_error_last_writer_history_ways_must_be_1_to_8 u_error ();
        end
        if (SET_W < 1 || SET_W > 12) begin : g_bad_set_w
            cw_error_last_writer_history_set_w_must_be_1_to_12 u_error ();
        end
        if (ADDR_W < 1 || ADDR_W > 64) begin : g_bad_addr_w
            cw_error_last_writer_history_addr_w_must_be_1_to_64 u_error ();
        end
        if (CID_W < 2 || CID_W > 48) begin : g_bad_cid_w
            cw_error_last_writer_history_cid_w_must_be_2_to_48 u_error ();
        end
        if (BLOOM_WAYS < 1 || BLOOM_WAYS > 4) begin : g_bad_bloom_ways
            cw_error_last_writer_history_bloom_ways_must_be_1_to_4 u_error ();
        end
        if (BLOOM_ROW_W < 1 || BLOOM_ROW_W > 12) begin : g_bad_bloom_row_w
            cw_error_last_writer_history_bloom_row_w_must_be_1_to_12 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
