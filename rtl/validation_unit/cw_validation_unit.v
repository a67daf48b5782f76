// SPDX-License-Identifier: Apache-2.0
//
// cw_validation_unit: validation unit of GETM, eager conflict detection for one memory partition.
//
// Why         : two round trips to the commit units make a commit slow. GETM finds conflicts at each access instead, while other warps
//               hide the time, so a transaction that reaches its commit has already won. This unit makes that decision.
// How         : a cuckoo table and a recency Bloom filter are looked up in step, the decision follows Figure 6, and the table is
//               updated. A request that must wait goes to the stall buffer. A release wakes it, and woken requests go before new ones.
// Latency     : two cycles after a request was accepted it is decided; in the next cycle the response is valid.
// Throughput  : one request per cycle.
// Comb. paths : none: outputs depend on registers only. Fields of a channel are 0 while its valid is 0.
// Illegal use : req_kind 3 (acts as RELEASE); a RELEASE of more writes than were made (the count stops at 0). A parameter outside of
//               the contract stops elaboration at a module cw_error_...
//
// Paper: GETM sections IV and V.B, Figures 6, 8 and 9. Contract: include/cowarp/unit/validation_unit.h.
// C model: csim/unit/validation_unit.c. Datasheet: docs/units/validation_unit.md.

`default_nettype none

module cw_validation_unit #(
    parameter TS_W          = 32,
    parameter GRANULE_W     = 30,
    parameter OWNER_W       = 12,
    parameter COUNT_W       = 16,
    parameter ID_W          = 10,
    parameter ROW_W         = 8,
    parameter STASH_ENTRIES = 4,
    parameter MAX_SWAPS     = 32,
    parameter BLOOM_ROW_W   = 6,
    parameter STALL_LINES   = 4,
    parameter STALL_ENTRIES = 4,
    parameter OVERFLOW_W    = 12,
    parameter EVICT_FILL    = 11
) (
    input  wire                  clk_i,
    input  wire                  rst_i,
    // request channel
    input  wire                  req_valid_i,
    input  wire [1:0]            req_kind_i,
    input  wire [GRANULE_W-1:0]  req_granule_i,
    input  wire [TS_W-1:0]       req_warpts_i,
    input  wire [OWNER_W-1:0]    req_owner_i,
    input  wire [COUNT_W-1:0]    req_count_i,
    input  wire [ID_W-1:0]       req_id_i,
    input  wire                  req_spill_i,
    output wire                  req_ready_o,
    // response channel
    output wire                  rsp_valid_o,
    output wire [ID_W-1:0]       rsp_id_o,
    output wire [1:0]            rsp_outcome_o,
    output wire [TS_W-1:0]       rsp_ts_o,
    input  wire                  rsp_ready_i,
    // overflow area in memory
    output wire                  mem_valid_o,
    output wire                  mem_write_o,
    output wire [OVERFLOW_W-1:0] mem_addr_o,
    output wire [159:0]          mem_wdata_o,
    input  wire                  mem_ready_i,
    input  wire                  mem_rsp_valid_i,
    input  wire [159:0]          mem_rdata_i,
    // timestamp rollover and control
    output wire                  rollover_o,
    input  wire                  drain_i,
    input  wire                  flush_i,
    output wire                  busy_o,
    // events
    output wire                  evt_lookup_o,
    output wire [7:0]            evt_table_cycles_o,
    output wire                  evt_stall_o,
    output wire                  evt_retry_o,
    output wire                  evt_evict_o,
    output wire                  evt_stash_o,
    output wire                  evt_overflow_o,
    output wire [8:0]            stall_occupancy_o,
    output wire [4:0]            stall_lines_used_o
);

    // What the parts do not check themselves is checked here, under this unit's names.
    generate
        if (ID_W < 1 || ID_W > 16) begin : g_bad_id_w
            cw_error_id_w_must_be_1_to_16 u_error ();
        end
        if (BLOOM_ROW_W < 1 || BLOOM_ROW_W > 12) begin : g_bad_bloom_row_w
            cw_error_bloom_row_w_must_be_1_to_12 u_error ();
        end
        if (STALL_LINES < 1 || STALL_LINES > 16) begin : g_bad_stall_lines
            cw_error_stall_lines_must_be_1_to_16 u_error ();
        end
        if (STALL_ENTRIES < 1 || STALL_ENTRIES > 16) begin : g_bad_stall_entries
            cw_error_stall_entries_must_be_1_to_16 u_error ();
        end
    endgenerate

    localparam PAYLOAD_W = 2 + OWNER_W + ID_W;                          // of a stalled request: spill, kind, owner, id
    localparam BODY_W    = COUNT_W + OWNER_W + TS_W;                    // of a request in the table: count, owner, warpts
    localparam TAG_W     = 4 + ID_W;                                    // spill, retried, kind, id
    localparam RSP_W     = ID_W + 2 + TS_W;

    // ---------------------------------------------------------------- request selection: retries first

    wire                  retry_valid;
    wire [GRANULE_W-1:0]  retry_granule;
    wire [TS_W-1:0]       retry_warpts;
    wire [PAYLOAD_W-1:0]  retry_payload;
    wire                  retry_accept;
    wire                  req_accept;

    wire                  look_ready;
    wire                  bloom_lkp_ready;
    reg  [1:0]            pipe_cnt_q;
    reg                   retrying_q;
    reg  [2:0]            rsp_cnt_q;

    wire                  open       = look_ready && bloom_lkp_ready;
    wire [2:0]            rsp_claims = {1'b0, pipe_cnt_q} + rsp_cnt_q;
    wire                  pipe_empty = pipe_cnt_q == 2'd0;

    assign req_ready_o  = open && !retry_valid && !retrying_q && rsp_claims < 3'd4;
    assign req_accept   = req_valid_i && req_ready_o;
    assign retry_accept = open && retry_valid && pipe_empty && !rsp_cnt_q[2];

    wire                  look_valid   = req_accept || retry_accept;
    wire [GRANULE_W-1:0]  look_granule = retry_accept ? retry_granule : req_granule_i;
    wire [BODY_W-1:0]     look_body    = retry_accept ? {{COUNT_W{1'b0}}, retry_payload[ID_W+:OWNER_W], retry_warpts}
                                                      : {req_count_i, req_owner_i, req_warpts_i};
    wire [TAG_W-1:0]      look_tag     = retry_accept
        ? {retry_payload[PAYLOAD_W-1], 1'b1, 1'b0, retry_payload[PAYLOAD_W-2], retry_payload[ID_W-1:0]}
        : {req_spill_i, 1'b0, req_kind_i, req_id_i};

    // ---------------------------------------------------------------- requests in the table, oldest first

    wire                  res_valid;
    reg  [BODY_W-1:0]     body0_q;
    reg  [BODY_W-1:0]     body1_q;
    reg  [BODY_W-1:0]     body2_q;
    reg  [TAG_W-1:0]      tag0_q;
    reg  [TAG_W-1:0]      tag1_q;
    reg  [TAG_W-1:0]      tag2_q;
    wire [1:0]            pipe_left = pipe_cnt_q - {1'b0, res_valid};

    always @(posedge clk_i)
        if (rst_i)
            pipe_cnt_q <= 2'd0;
        else
            pipe_cnt_q <= pipe_left + {1'b0, look_valid};

    always @(posedge clk_i) begin
        if (res_valid) begin
            {tag0_q, body0_q} <= {tag1_q, body1_q};
            {tag1_q, body1_q} <= {tag2_q, body2_q};
        end
        if (look_valid)
            case (pipe_left)
                2'd0:    {tag0_q, body0_q} <= {look_tag, look_body};
                2'd1:    {tag1_q, body1_q} <= {look_tag, look_body};
                default: {tag2_q, body2_q} <= {look_tag, look_body};
            endcase
    end

    wire [TS_W-1:0]    cur_warpts;
    wire [OWNER_W-1:0] cur_owner;
    wire [COUNT_W-1:0] cur_count;
    wire [ID_W-1:0]    cur_id;
    wire [1:0]         cur_kind;
    wire               cur_retried;
    wire               cur_spill;

    assign {cur_count, cur_owner, cur_warpts}         = body0_q;
    assign {cur_spill, cur_retried, cur_kind, cur_id} = tag0_q;

    always @(posedge clk_i)
        if (rst_i)
            retrying_q <= 1'b0;
        else if (retry_accept)
            retrying_q <= 1'b1;
        else if (res_valid)
            retrying_q <= 1'b0;

    // ---------------------------------------------------------------- exact metadata

    wire                 flush = flush_i && !busy_o && !req_valid_i && stall_occupancy_o == 9'd0;
    wire                 read_valid;
    wire [GRANULE_W-1:0] read_granule;
    wire [GRANULE_W-1:0] res_granule;
    wire                 res_found;
    wire                 res_room;
    wire                 res_easy;
    wire [TS_W-1:0]      res_wts;
    wire [TS_W-1:0]      res_rts;
    wire [COUNT_W-1:0]   res_writes;
    wire [OWNER_W-1:0]   res_owner;
    wire                 upd_valid;
    wire [TS_W-1:0]      upd_wts;
    wire [TS_W-1:0]      upd_rts;
    wire [COUNT_W-1:0]   upd_writes;
    wire [OWNER_W-1:0]   upd_owner;
    wire                 evict_valid;
    wire [GRANULE_W-1:0] evict_granule;
    wire [TS_W-1:0]      evict_wts;
    wire [TS_W-1:0]      evict_rts;
    wire                 evict_ready;
    wire                 table_busy;
    /* verilator lint_off UNUSED */  // occupancies are not among this unit's outputs
    wire [ROW_W+2:0]     table_used;
    wire [4:0]           table_stash_used;
    wire [OVERFLOW_W:0]  table_overflow_used;
    /* verilator lint_on UNUSED */

    cw_cuckoo_table #(
        .TS_W         (TS_W),
        .GRANULE_W    (GRANULE_W),
        .OWNER_W      (OWNER_W),
        .COUNT_W      (COUNT_W),
        .ROW_W        (ROW_W),
        .STASH_ENTRIES(STASH_ENTRIES),
        .MAX_SWAPS    (MAX_SWAPS),
        .EVICT_FILL   (EVICT_FILL),
        .OVERFLOW_W   (OVERFLOW_W)
    ) u_table (
        .clk_i          (clk_i),
        .rst_i          (rst_i),
        .look_valid_i   (look_valid),
        .look_granule_i (look_granule),
        .look_ready_o   (look_ready),
        .read_valid_o   (read_valid),
        .read_granule_o (read_granule),
        .res_valid_o    (res_valid),
        .res_granule_o  (res_granule),
        .res_found_o    (res_found),
        .res_room_o     (res_room),
        .res_easy_o     (res_easy),
        .res_wts_o      (res_wts),
        .res_rts_o      (res_rts),
        .res_writes_o   (res_writes),
        .res_owner_o    (res_owner),
        .upd_valid_i    (upd_valid),
        .upd_wts_i      (upd_wts),
        .upd_rts_i      (upd_rts),
        .upd_writes_i   (upd_writes),
        .upd_owner_i    (upd_owner),
        .evict_valid_o  (evict_valid),
        .evict_granule_o(evict_granule),
        .evict_wts_o    (evict_wts),
        .evict_rts_o    (evict_rts),
        .evict_ready_i  (evict_ready),
        .mem_valid_o    (mem_valid_o),
        .mem_write_o    (mem_write_o),
        .mem_addr_o     (mem_addr_o),
        .mem_wdata_o    (mem_wdata_o),
        .mem_ready_i    (mem_ready_i),
        .mem_rsp_valid_i(mem_rsp_valid_i),
        .mem_rdata_i    (mem_rdata_i),
        .flush_i        (flush),
        .busy_o         (table_busy),
        .used_o         (table_used),
        .stash_used_o   (table_stash_used),
        .overflow_used_o(table_overflow_used),
        .evt_done_o     (evt_lookup_o),
        .evt_cycles_o   (evt_table_cycles_o),
        .evt_evict_o    (evt_evict_o),
        .evt_stash_o    (evt_stash_o),
        .evt_overflow_o (evt_overflow_o)
    );

    // ---------------------------------------------------------------- approximate metadata

    wire [TS_W-1:0] bloom_wts;
    wire [TS_W-1:0] bloom_rts;
    wire            bloom_busy;
    /* verilator lint_off UNUSED */  // the table's result says when the answer is wanted
    wire            bloom_rsp_valid;
    /* verilator lint_on UNUSED */

    cw_recency_bloom_filter #(
        .WAYS     (4),
        .ROW_W    (BLOOM_ROW_W),
        .KEY_W    (GRANULE_W),
        .FIELDS   (2),
        .VALUE_W  (TS_W),
        .DUAL_READ(1)
    ) u_bloom (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .ins_valid_i(evict_valid),
        .ins_key_i  (evict_granule),
        .ins_v0_i   (evict_wts),
        .ins_v1_i   (evict_rts),
        .ins_ready_o(evict_ready),
        .lkp_valid_i(read_valid),
        .lkp_key_i  (read_granule),
        .lkp_ready_o(bloom_lkp_ready),
        .rsp_valid_o(bloom_rsp_valid),
        .rsp_v0_o   (bloom_wts),
        .rsp_v1_o   (bloom_rts),
        .clear_i    (flush),
        .busy_o     (bloom_busy)
    );

    // The filter's answer was asked for two cycles ago and covers the insertions before that. The entry on the evict channel
    // and the two that were taken since must be added, or the timestamps would be underestimated.
    reg                 recent0_valid_q;
    reg                 recent1_valid_q;
    reg [GRANULE_W-1:0] recent0_granule_q;
    reg [GRANULE_W-1:0] recent1_granule_q;
    reg [2*TS_W-1:0]    recent0_ts_q;
    reg [2*TS_W-1:0]    recent1_ts_q;

    always @(posedge clk_i)
        if (rst_i) begin
            recent0_valid_q <= 1'b0;
            recent1_valid_q <= 1'b0;
        end else begin
            recent0_valid_q <= evict_valid && evict_ready;
            recent1_valid_q <= recent0_valid_q;
        end

    always @(posedge clk_i) begin
        if (evict_valid) begin
            recent0_granule_q <= evict_granule;
            recent0_ts_q      <= {evict_wts, evict_rts};
        end
        if (recent0_valid_q) begin
            recent1_granule_q <= recent0_granule_q;
            recent1_ts_q      <= recent0_ts_q;
        end
    end

    wire evict_match   = evict_valid && evict_granule == res_granule;
    wire recent0_match = recent0_valid_q && recent0_granule_q == res_granule;
    wire recent1_match = recent1_valid_q && recent1_granule_q == res_granule;

    function [TS_W-1:0] larger (
        input [TS_W-1:0] a,
        input [TS_W-1:0] b
    );
        larger = a > b ? a : b;
    endfunction

    reg [TS_W-1:0] seen_wts;  // what the request is decided on
    reg [TS_W-1:0] seen_rts;

    always @* begin
        seen_wts = res_wts;
        seen_rts = res_rts;
        if (res_valid && !res_found) begin
            seen_wts = larger(larger(bloom_wts, evict_wts & {TS_W{evict_match}}),
                              larger(recent0_ts_q[TS_W+:TS_W] & {TS_W{recent0_match}},
                                     recent1_ts_q[TS_W+:TS_W] & {TS_W{recent1_match}}));
            seen_rts = larger(larger(bloom_rts, evict_rts & {TS_W{evict_match}}),
                              larger(recent0_ts_q[TS_W-1:0] & {TS_W{recent0_match}},
                                     recent1_ts_q[TS_W-1:0] & {TS_W{recent1_match}}));
        end
    end

    // ---------------------------------------------------------------- decision

    wire            push_ready;
    wire            dec_answer;
    wire [1:0]      dec_outcome;
    wire [TS_W-1:0] dec_ts;
    wire            dec_stall;
    wire            dec_wake;
    wire            dec_update;

    cw_validation_decide #(
        .TS_W   (TS_W),
        .OWNER_W(OWNER_W),
        .COUNT_W(COUNT_W)
    ) u_decide (
        .kind_i       (cur_kind),
        .warpts_i     (cur_warpts),
        .owner_i      (cur_owner),
        .count_i      (cur_count),
        .retried_i    (cur_retried),
        .wts_i        (seen_wts),
        .rts_i        (seen_rts),
        .writes_i     (res_writes),
        .entry_owner_i(res_owner),
        .room_i       (res_room && (res_easy || cur_spill)),
        .push_ready_i (push_ready),
        .drain_i      (drain_i),
        .answer_o     (dec_answer),
        .outcome_o    (dec_outcome),
        .ts_o         (dec_ts),
        .stall_o      (dec_stall),
        .wake_o       (dec_wake),
        .update_o     (dec_update),
        .wts_o        (upd_wts),
        .rts_o        (upd_rts),
        .writes_o     (upd_writes),
        .owner_o      (upd_owner)
    );

    assign upd_valid = res_valid && dec_update;

    wire push = res_valid && dec_stall;

    // ---------------------------------------------------------------- stall buffer

    cw_stall_buffer #(
        .LINES    (STALL_LINES),
        .ENTRIES  (STALL_ENTRIES),
        .GRANULE_W(GRANULE_W),
        .TS_W     (TS_W),
        .PAYLOAD_W(PAYLOAD_W)
    ) u_stall (
        .clk_i          (clk_i),
        .rst_i          (rst_i),
        .push_valid_i   (push),
        .push_granule_i (res_granule),
        .push_warpts_i  (cur_warpts),
        .push_payload_i ({cur_spill, cur_kind[0], cur_owner, cur_id}),
        .push_ready_o   (push_ready),
        .wake_valid_i   (res_valid && dec_wake),
        .wake_granule_i (res_granule),
        .sleep_valid_i  (push && cur_retried),
        .sleep_granule_i(res_granule),
        .retry_valid_o  (retry_valid),
        .retry_granule_o(retry_granule),
        .retry_warpts_o (retry_warpts),
        .retry_payload_o(retry_payload),
        .retry_ready_i  (retry_accept),
        .drain_i        (drain_i),
        .occupancy_o    (stall_occupancy_o),
        .lines_used_o   (stall_lines_used_o)
    );

    // ---------------------------------------------------------------- responses: a queue of four

    // A request is accepted only when a place is left for its response, so the queue is never full when one comes.
    wire             rsp_push = res_valid && dec_answer;
    wire             rsp_pop  = rsp_valid_o && rsp_ready_i;
    reg  [1:0]       rsp_head_q;
    wire [1:0]       rsp_tail = rsp_head_q + rsp_cnt_q[1:0];
    reg  [RSP_W-1:0] rsp_q [0:3];
    wire [RSP_W-1:0] rsp_head = rsp_q[rsp_head_q];

    always @(posedge clk_i)
        if (rst_i) begin
            rsp_cnt_q  <= 3'd0;
            rsp_head_q <= 2'd0;
        end else begin
            rsp_cnt_q  <= rsp_cnt_q + {2'd0, rsp_push} - {2'd0, rsp_pop};
            rsp_head_q <= rsp_head_q + {1'b0, rsp_pop};
        end

    always @(posedge clk_i)
        if (rsp_push)
            rsp_q[rsp_tail] <= {cur_id, dec_outcome, dec_ts};

    assign rsp_valid_o = rsp_cnt_q != 3'd0;
    assign {rsp_id_o, rsp_outcome_o, rsp_ts_o} = rsp_head & {RSP_W{rsp_valid_o}};

    // ---------------------------------------------------------------- rollover, status, events

    reg rollover_q;
    reg drain_q;
    reg evt_stall_q;
    reg evt_retry_q;

    always @(posedge clk_i)
        if (rst_i || flush)
            rollover_q <= 1'b0;
        else if (req_accept && !req_kind_i[1] && &req_warpts_i[TS_W-1-:3])
            rollover_q <= 1'b1;

    always @(posedge clk_i)
        if (rst_i) begin
            drain_q     <= 1'b0;
            evt_stall_q <= 1'b0;
            evt_retry_q <= 1'b0;
        end else begin
            drain_q     <= drain_i;
            evt_stall_q <= push;
            evt_retry_q <= res_valid && cur_retried;
        end

    assign rollover_o  = rollover_q;
    assign evt_stall_o = evt_stall_q;
    assign evt_retry_o = evt_retry_q;
    assign busy_o = table_busy || bloom_busy || !pipe_empty || rsp_valid_o || retry_valid || drain_q
                 || recent0_valid_q || recent1_valid_q || evt_stall_q || evt_retry_q;

`ifdef FORMAL
    // One granule, chosen by the solver, and the smallest timestamps and the reservation that the decisions so far imply for it.
    (* anyconst *) reg [GRANULE_W-1:0] f_granule;
    reg [TS_W-1:0]      f_wts_q;
    reg [TS_W-1:0]      f_rts_q;
    reg [GRANULE_W-1:0] f_read1_q;    // read_granule one and two cycles ago
    reg [GRANULE_W-1:0] f_read2_q;
    reg                 f_past_q = 1'b0;
    reg                 f_rst_q;
    reg                 f_rsp_wait_q;
    reg [RSP_W-1:0]     f_rsp_q;
    reg                 f_reading_q;

    always @(posedge clk_i) begin
        f_past_q     <= 1'b1;
        f_rst_q      <= rst_i;
        f_read1_q    <= read_valid ? read_granule : f_read1_q;
        f_read2_q    <= f_read1_q;
        f_rsp_wait_q <= rsp_valid_o && !rsp_ready_i && !rst_i;
        f_rsp_q      <= {rsp_id_o, rsp_outcome_o, rsp_ts_o};
        if (rst_i || flush) begin
            f_wts_q <= {TS_W{1'b0}};
            f_rts_q <= {TS_W{1'b0}};
        end else if (upd_valid && res_granule == f_granule) begin
            f_wts_q <= upd_wts;
            f_rts_q <= upd_rts;
        end
        if (rst_i || mem_rsp_valid_i)
            f_reading_q <= 1'b0;
        else if (mem_valid_o && !mem_write_o && mem_ready_i)
            f_reading_q <= 1'b1;
    end

    always @* begin
        if (!f_past_q)
            assume (rst_i);
        assume (req_granule_i[GRANULE_W-1:2] == 0); // four granules, to keep the solver's work small
        if (mem_rsp_valid_i) // the memory: the cuckoo table's properties model it, here no read of the granule returns it
            assume (f_reading_q && mem_rdata_i[GRANULE_W-1:0] != f_granule);
        if (mem_valid_o && mem_write_o)
            assume (mem_wdata_o[GRANULE_W-1:0] != f_granule);
    end

    always @*
        if (f_past_q && !f_rst_q) begin
            // 1. No request is decided on timestamps below those that earlier decisions of its granule left.
            if (res_valid && res_granule == f_granule)
                assert (seen_wts >= f_wts_q && seen_rts >= f_rts_q);
            // 2. The Bloom filter's answer that goes with a result was asked for its granule.
            if (res_valid)
                assert (f_read2_q == res_granule);
            // 3. A result always has its request, and the requests inside never exceed their places.
            if (res_valid)
                assert (!pipe_empty);
            if (look_valid)
                assert (pipe_left <= 2'd2);
            // 4. A response always finds a place.
            assert (rsp_cnt_q <= 3'd4);
            assert ({1'b0, pipe_cnt_q} + {1'b0, rsp_cnt_q} <= 4'd4);
            // 5. A response that is not taken stays as it is.
            if (f_rsp_wait_q)
                assert (rsp_valid_o && f_rsp_q == {rsp_id_o, rsp_outcome_o, rsp_ts_o});
            // 6. A retried request is alone inside.
            if (retrying_q)
                assert (pipe_cnt_q == 2'd1 && cur_retried);
            // 7. A retried request that must wait again finds its place.
            if (res_valid && cur_retried)
                assert (push_ready);
        end

    always @* begin
        cover (f_past_q && evt_retry_o);
        cover (f_past_q && recent0_valid_q);
    end
`endif

endmodule

`default_nettype wire
