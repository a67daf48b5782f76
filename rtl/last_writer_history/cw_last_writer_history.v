// SPDX-License-Identifier: Apache-2.0
//
// cw_last_writer_history: from a word to the commit ID of its youngest writer, for Kilo TM's hazard detection.
//
// Why         : hazard detection must know who writes a word among all transactions that have not retired. Their write sets are too
//               large for an exact table.
// How         : a set-associative table holds recent writers exactly. When a set is full, its oldest commit ID goes to a recency Bloom
//               filter, which answers for words that the table does not hold. An answer may be too young, which costs a wait. It is
//               never too old, which would miss a hazard.
// Stages      : 0 hashes the address, the RAM takes the set; 1 reads the set into a register; 2 searches it, writes a RECORD, and asks the
//               filter or inserts into it; 2 to 4 are the filter's stages 0 to 2; 5 puts table's and filter's answers together.
//               No path leads from a RAM's output to a RAM's input.
// Latency     : a CHECK takes 6 cycles, always. A RECORD is seen by every later operation.
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
    parameter ADDR_W      = 28,  // 1 .. 64
    parameter CID_W       = 20,  // 2 .. 48
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
`ifdef CW_PROPERTIES
    // for properties of units around this one: whether the answer of this cycle is for the address of the solver's choice, what
    // it must reach then, and which stages (first lowest) hold a CHECK
    , output wire             f_rsp_o
    , output wire [CID_W-1:0] f_rsp_min_o
    , output wire [5:0]       f_checks_o
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
    wire             sweep_start = pending_q && !s1_valid_q;  // what is in stage 2 now is done before the sweep's first cycle
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
        .en_i  (1'b1),
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
        s1_check_q <= !op_write_i;
        s1_write_q <= op_write_i && op_cid_i != {CID_W{1'b0}};
        s1_addr_q  <= op_addr_i;
        s1_cid_q   <= op_cid_i;
        s1_set_q   <= op_set;
    end

    // ---------------------------------------------------------------- stage 1: the set comes out of the RAM

    // The forwarding RAM has the write of stage 2 in the cycle of the read. That of the cycle after is forwarded here.
    wire [ROW_W-1:0] read_row;
    wire [ROW_W-1:0] new_row;
    reg              s2_check_q;
    reg              s2_write_q;
    reg [ADDR_W-1:0] s2_addr_q;
    reg [CID_W-1:0]  s2_cid_q;
    reg [SET_W-1:0]  s2_set_q;
    reg [ROW_W-1:0]  s2_row_q;
    wire             record  = s2_valid_q && s2_write_q;
    wire             check   = s2_valid_q && s2_check_q;
    wire             forward = record && s2_set_q == s1_set_q;

    always @(posedge clk_i) begin
        if (rst_i)
            s2_valid_q <= 1'b0;
        else
            s2_valid_q <= s1_valid_q;
        s2_check_q <= s1_check_q;
        s2_write_q <= s1_write_q;
        s2_addr_q  <= s1_addr_q;
        s2_cid_q   <= s1_cid_q;
        s2_set_q   <= s1_set_q;
        s2_row_q   <= forward ? new_row : read_row;
    end

    // ---------------------------------------------------------------- stage 2: search, and replacement of the oldest

    // The oldest entry: every commit ID is compared with every other at once.
    wire [WAYS-1:0]      match_oh;
    reg  [WAYS*WAYS-1:0] le;         // bit a * WAYS + b, b above a: way a's commit ID is not above way b's
    reg  [WAYS-1:0]      oldest_oh;  // the smallest commit ID; of equal ones the lowest way
    reg  [ADDR_W-1:0]    oldest_addr;
    reg  [CID_W-1:0]     oldest_cid;
    reg  [CID_W-1:0]     match_cid;
    wire                 match    = |match_oh;
    wire [WAYS-1:0]      place_oh = match ? match_oh : oldest_oh;
    integer              i;
    integer              j;

    always @* begin
        le = {WAYS*WAYS{1'b0}};
        for (i = 0; i < WAYS; i = i + 1)
            for (j = i + 1; j < WAYS; j = j + 1)
                le[i*WAYS + j] = s2_row_q[i*ENTRY_W +: CID_W] <= s2_row_q[j*ENTRY_W +: CID_W];
    end

    always @* begin
        oldest_oh   = {WAYS{1'b1}};
        oldest_addr = {ADDR_W{1'b0}};
        oldest_cid  = {CID_W{1'b0}};
        match_cid   = {CID_W{1'b0}};
        for (i = 0; i < WAYS; i = i + 1) begin
            for (j = 0; j < WAYS; j = j + 1)
                if (j > i ? !le[i*WAYS + j] : j < i && le[j*WAYS + i])
                    oldest_oh[i] = 1'b0;
            if (oldest_oh[i]) begin
                oldest_addr = oldest_addr | s2_row_q[i*ENTRY_W + CID_W +: ADDR_W];
                oldest_cid  = oldest_cid | s2_row_q[i*ENTRY_W +: CID_W];
            end
            if (match_oh[i])
                match_cid = match_cid | s2_row_q[i*ENTRY_W +: CID_W];
        end
    end

    genvar w;
    generate
        for (w = 0; w < WAYS; w = w + 1) begin : g_way
            wire [CID_W-1:0]  cid  = s2_row_q[w*ENTRY_W +: CID_W];
            wire [ADDR_W-1:0] addr = s2_row_q[w*ENTRY_W + CID_W +: ADDR_W];
            assign match_oh[w] = cid != {CID_W{1'b0}} && addr == s2_addr_q;
            assign new_row[w*ENTRY_W +: ENTRY_W] = place_oh[w] ? {s2_addr_q, s2_cid_q} : s2_row_q[w*ENTRY_W +: ENTRY_W];
        end
    endgenerate

    wire [SET_W-1:0] wr_set = sweep_q ? sweep_set_q : s2_set_q;
`ifdef CW_PROPERTIES
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
        .rd_data_o(read_row),
        .wr_en_i  (sweep_q || record),
        .wr_addr_i(wr_set),
        .wr_data_i(new_row & {ROW_W{!sweep_q}})
`ifdef CW_PROPERTIES
        , .f_addr_i(f_set)
        , .f_data_o(f_row)
`endif
    );

    // One operation has one use for the filter at most, so one RAM copy and one key serve both. An empty entry's commit ID is 0.
    wire              evict = record && !match && oldest_cid != {CID_W{1'b0}} && oldest_cid >= live_cid_i;
    wire              ask   = check && !match;
    wire [ADDR_W-1:0] key   = s2_check_q ? s2_addr_q : oldest_addr;

    wire             bloom_busy;
    wire [CID_W-1:0] bloom_cid;
    /* verilator lint_off UNUSED */  // always ready for the operation that is in stage 2; the answer's time is known, and it is 0 else
    wire             bloom_ins_ready;
    wire             bloom_rsp_valid;
    wire [CID_W-1:0] bloom_none;
    /* verilator lint_on UNUSED */
`ifdef CW_PROPERTIES
    wire [ADDR_W-1:0] f_bloom_key;
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
        .ins_valid_i(evict),
        .ins_key_i  (key),
        .ins_v0_i   (oldest_cid),
        .ins_v1_i   ({CID_W{1'b0}}),
        .ins_ready_o(bloom_ins_ready),
        .lkp_valid_i(ask),
        .lkp_key_i  (key),
        .lkp_ready_o(bloom_ready),
        .rsp_valid_o(bloom_rsp_valid),
        .rsp_v0_o   (bloom_cid),
        .rsp_v1_o   (bloom_none),
        .clear_i    (sweep_start),
        .busy_o     (bloom_busy)
`ifdef CW_PROPERTIES
        , .f_key_o     (f_bloom_key)
        , .f_max0_o    (f_bloom_max)
        , .f_rsp_o     (f_bloom_rsp)
        , .f_rsp_min0_o(f_bloom_min)
`endif
    );

    // ---------------------------------------------------------------- stages 3 to 5: the table's answer waits for the filter's

    localparam WAIT = 3;

    reg  [WAIT-1:0]       wait_check_q;  // stage 3 lowest
    reg  [WAIT-1:0]       wait_match_q;
    reg  [WAIT*CID_W-1:0] wait_cid_q;    // 0 when the table has none
    reg                   evt_evict_q;
    reg                   rsp_valid_q;
    reg                   rsp_exact_q;
    reg  [CID_W-1:0]      rsp_cid_q;

    always @(posedge clk_i) begin
        if (rst_i) begin
            wait_check_q <= {WAIT{1'b0}};
            wait_match_q <= {WAIT{1'b0}};
            wait_cid_q   <= {WAIT*CID_W{1'b0}};
            evt_evict_q  <= 1'b0;
            rsp_valid_q  <= 1'b0;
            rsp_exact_q  <= 1'b0;
            rsp_cid_q    <= {CID_W{1'b0}};
        end else begin
            wait_check_q <= {wait_check_q[WAIT-2:0], check};
            wait_match_q <= {wait_match_q[WAIT-2:0], check && match};
            wait_cid_q   <= {wait_cid_q[(WAIT-1)*CID_W-1:0], match_cid & {CID_W{check}}};
            evt_evict_q  <= evict;
            rsp_valid_q  <= wait_check_q[WAIT-1];
            rsp_exact_q  <= wait_match_q[WAIT-1];
            rsp_cid_q    <= wait_cid_q[(WAIT-1)*CID_W +: CID_W] | bloom_cid;  // one of them is 0
        end
    end

    assign rsp_valid_o = rsp_valid_q;
    assign rsp_exact_o = rsp_exact_q;
    assign rsp_cid_o   = rsp_cid_q;
    assign evt_evict_o = evt_evict_q;
    assign busy_o      = pending_q || sweep_q || s1_valid_q || s2_valid_q || |wait_check_q || rsp_valid_q || bloom_busy;

`ifdef CW_PROPERTIES
    // One address, and its last RECORD of those that have left stage 2. A CHECK takes that as its bound along, unless it is dead by
    // then, or live_cid_i has decreased since the clear. To a prover the address is the filter's key; in a run, where the filter may
    // be asked late, it is that of the first operation.
    wire [ADDR_W-1:0] f_addr;
    wire              f_same = f_addr == f_bloom_key;
    reg [CID_W-1:0] f_last_q;
    reg [CID_W-1:0] f_live_q;   // live_cid_i of the last cycle; 0 after a clear
    reg             f_legal_q;  // live_cid_i has not decreased since: the contract's demand
    reg             f_c3_q;     // the CHECK in stage 3 to 6 is of the address, and its bound
    reg             f_c4_q;
    reg             f_c5_q;
    reg             f_c6_q;
    reg [CID_W-1:0] f_bound3_q;
    reg [CID_W-1:0] f_bound4_q;
    reg [CID_W-1:0] f_bound5_q;
    reg [CID_W-1:0] f_bound6_q;
    reg             f_past_q = 1'b0;
    reg [3:0]       f_matches;  // entries of the address in its set, and the last one's commit ID
    reg [CID_W-1:0] f_held;
    reg [5:0]       f_any_q;    // a CHECK was accepted one (lowest) to six cycles ago
    integer         f_i;
    wire            f_here  = s2_valid_q && s2_addr_q == f_addr;
    wire            f_swept = !sweep_q || sweep_set_q > f_set;
    wire            f_legal = f_legal_q && live_cid_i >= f_live_q;

    assign f_rsp_o     = f_c6_q;
    assign f_rsp_min_o = f_bound6_q;
    assign f_checks_o  = {rsp_valid_q, wait_check_q, check, s1_valid_q && s1_check_q};

`ifdef FORMAL
    assign f_addr = f_bloom_key;
`else
    cw_nonsynth_choice #(
        .W(ADDR_W)
    ) u_f_choice (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (accept),
        .value_i (op_addr_i),
        .choice_o(f_addr)
    );
`endif

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
        f_c3_q     <= f_here && check && !rst_i;
        f_c4_q     <= f_c3_q && !rst_i;
        f_c5_q     <= f_c4_q && !rst_i;
        f_c6_q     <= f_c5_q && !rst_i;
        f_bound3_q <= f_legal && f_last_q >= live_cid_i ? f_last_q : {CID_W{1'b0}};
        f_bound4_q <= f_bound3_q;
        f_bound5_q <= f_bound4_q;
        f_bound6_q <= f_bound5_q;
        f_any_q    <= {f_any_q[4:0], op_valid_i && op_ready_o && !op_write_i} & {6{!rst_i}};
        if (rst_i || sweep_start)
            f_last_q <= {CID_W{1'b0}};
        else if (f_here && record)
            f_last_q <= s2_cid_q;
        f_live_q  <= rst_i || sweep_start ? {CID_W{1'b0}} : live_cid_i;
        f_legal_q <= rst_i || sweep_start || f_legal;
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. A CHECK is answered six cycles later, never by less than the last RECORD of its address before it, unless that
            // was below live_cid.
            assert (rsp_valid_o == f_any_q[5]);
            if (f_c6_q)
                assert (rsp_cid_o >= f_bound6_q);
            cover (f_c6_q && !rsp_exact_o && f_bound6_q != 0 && rsp_cid_o == f_bound6_q);
            // 2. An exact answer is exactly the last RECORD of the address.
            if (f_c6_q && rsp_exact_o && f_bound6_q != 0)
                assert (rsp_cid_o == f_bound6_q);
            cover (f_c6_q && rsp_exact_o && f_bound6_q != 0);
            // 3. The table holds an address at most once, and with its last RECORD.
            if (f_swept)
                assert (f_matches == 4'd0 || (f_matches == 4'd1 && f_held == f_last_q));
            cover (f_swept && f_matches == 4'd1 && f_held != 0);
            // 4. A live RECORD is in the table or in the filter.
            if (f_legal_q && f_last_q != 0 && f_last_q >= f_live_q)
                assert (f_matches == 4'd1 || f_bloom_max >= f_last_q || !f_same);
            cover (f_legal_q && f_last_q != 0 && f_last_q >= f_live_q && f_live_q != 0 && f_matches == 4'd0);
            // 5. What stage 2 asks of the filter, the filter can do, and it is one thing at most.
            if (s1_valid_q || s2_valid_q)
                assert (!sweep_q && bloom_ready);
            if (evict)
                assert (bloom_ins_ready);
            assert (!(ask && evict));
            cover (s1_valid_q && evict);
            // 6. What is not an answer is 0.
            if (!f_any_q[5])
                assert (rsp_cid_o == 0 && !rsp_exact_o);
            cover (!f_any_q[5] && f_last_q != 0);
            // 7. (for induction) What stages 1 and 2 have read is what the set holds; stages agree with each other and with the flags.
            if (!sweep_q)
                assert (sweep_set_q == 0);
            if (sweep_q || !bloom_ready)
                assert (f_last_q == 0);
            if (s1_valid_q && s1_set_q == f_set)
                assert (read_row == f_row);
            if (s2_valid_q && s2_set_q == f_set)
                assert (s2_row_q == f_row);
            if (f_here)
                assert (s2_set_q == f_set);
            if (s1_valid_q && s1_addr_q == f_addr)
                assert (s1_set_q == f_set);
            if (s1_valid_q)
                assert (s1_check_q != s1_write_q || (!s1_check_q && s1_cid_q == 0));
            if (s2_valid_q)
                assert (s2_check_q != s2_write_q || (!s2_check_q && s2_cid_q == 0));
            if (s1_valid_q && s1_write_q)
                assert (s1_cid_q != 0);
            if (record)
                assert (s2_cid_q != 0);
            assert (f_any_q[4:2] == wait_check_q && f_any_q[1] == check && f_any_q[0] == (s1_valid_q && s1_check_q));
            assert ((wait_match_q & ~wait_check_q) == 0 && (wait_check_q[2] && !wait_match_q[2]) == bloom_rsp_valid);
            if (!wait_match_q[0])
                assert (wait_cid_q[0 +: CID_W] == 0);
            if (!wait_match_q[1])
                assert (wait_cid_q[CID_W +: CID_W] == 0);
            if (!wait_match_q[2])
                assert (wait_cid_q[2*CID_W +: CID_W] == 0);
            if (!rsp_valid_q)
                assert (!rsp_exact_q && rsp_cid_q == 0);
            if (f_c3_q)
                assert (wait_check_q[0] && (!wait_match_q[0] || wait_cid_q[0 +: CID_W] == f_bound3_q || f_bound3_q == 0));
            if (f_c4_q)
                assert (wait_check_q[1] && (!wait_match_q[1] || wait_cid_q[CID_W +: CID_W] == f_bound4_q || f_bound4_q == 0));
            if (f_c5_q)
                assert (wait_check_q[2] && (!wait_match_q[2] || wait_cid_q[2*CID_W +: CID_W] == f_bound5_q || f_bound5_q == 0));
            if (f_c5_q && !wait_match_q[2] && f_same)
                assert (f_bloom_rsp && f_bloom_min >= f_bound5_q);
            cover (s1_valid_q && record && s1_set_q == s2_set_q && s2_set_q == f_set);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
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
