// SPDX-License-Identifier: Apache-2.0
//
// cw_validation_unit: validation unit of GETM, eager conflict detection for one memory partition.
//
// Why         : two round trips to the commit units make a commit slow. GETM finds conflicts at each access instead, while other warps
//               hide the time, so a transaction that reaches its commit has already won. This unit makes that decision.
// How         : a request goes through the pipeline of the cuckoo table. The Bloom filter is asked in step, and answers for a granule that
//               the table has not. The decision follows Figure 6 in the cycle of the table's result, and the table is updated. A request
//               that must wait goes to the stall buffer. A release wakes it, and woken requests go before new ones.
// Latency     : five cycles after a request was accepted it is decided; two cycles later the response is valid. A request that the table
//               must repeat takes six more (cuckoo_table.h).
// Throughput  : one request per cycle.
// Comb. paths : none: outputs depend on registers only. Fields of a channel are 0 while its valid is 0.
// Illegal use : req_kind 3 (acts as RELEASE); a RELEASE of more writes than were made (the count stops at 0). A parameter outside of
//               the contract stops elaboration at a module cw_error_...
//
// Paper: GETM sections IV and V.B, Figures 6, 8 and 9. Contract: include/cowarp/unit/validation_unit.h.
// C model: csim/unit/validation_unit.c. Datasheet: docs/units/validation_unit.md.

`default_nettype none

module cw_validation_unit #(
    parameter TS_W          = 32,  // 4 .. 48: bits of a logical timestamp
    parameter GRANULE_W     = 30,  // 8 .. 40: bits of a granule number (byte address / granularity)
    parameter OWNER_W       = 12,  // 2 .. 16: bits of a global warp number
    parameter COUNT_W       = 16,  // 2 .. 16: bits of the #writes counter
    parameter ID_W          = 10,  // 1 .. 16: bits of the tag that a response carries back
    parameter ROW_W         = 8,   // 1 .. 12: log2 of the cuckoo table's rows per way (4 ways)
    parameter STASH_ENTRIES = 4,   // 1 .. 16: stash entries
    parameter MAX_SWAPS     = 32,  // 1 .. 255: swaps of an insertion before it gives up
    parameter BLOOM_ROW_W   = 6,   // 1 .. 12: log2 of the recency Bloom filter's rows per way (4 ways)
    parameter BLOOM_COPIES  = 2,   // 1 .. 2: copies of its RAMs; 1: an eviction takes the read port from a look-up
    parameter STALL_LINES   = 4,   // 1 .. 16: stall buffer lines (granules)
    parameter STALL_ENTRIES = 4,   // 1 .. 16: stall buffer entries per line (requests)
    parameter OVERFLOW_W    = 12,  // 1 .. 20: log2 of the overflow area's entries
    parameter EVICT_FILL    = 11   // 0 .. 16: sixteenths of the table's rows in use from which an insertion may evict
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
        if (BLOOM_COPIES < 1 || BLOOM_COPIES > 2) begin : g_bad_bloom_copies
            cw_error_bloom_copies_must_be_1_or_2 u_error ();
        end
        if (STALL_LINES < 1 || STALL_LINES > 16) begin : g_bad_stall_lines
            cw_error_stall_lines_must_be_1_to_16 u_error ();
        end
        if (STALL_ENTRIES < 1 || STALL_ENTRIES > 16) begin : g_bad_stall_entries
            cw_error_stall_entries_must_be_1_to_16 u_error ();
        end
        if (TS_W < 4 || TS_W > 48) begin : g_bad_ts_w
            cw_error_ts_w_must_be_4_to_48 u_error ();
        end
        if (GRANULE_W < 8 || GRANULE_W > 40) begin : g_bad_granule_w
            cw_error_granule_w_must_be_8_to_40 u_error ();
        end
        if (OWNER_W < 2 || OWNER_W > 16) begin : g_bad_owner_w
            cw_error_owner_w_must_be_2_to_16 u_error ();
        end
        if (COUNT_W < 2 || COUNT_W > 16) begin : g_bad_count_w
            cw_error_count_w_must_be_2_to_16 u_error ();
        end
        if (GRANULE_W + 2 * TS_W + COUNT_W + OWNER_W > 160) begin : g_bad_entry
            cw_error_entry_must_fit_160_bits u_error ();
        end
        if (ROW_W < 1 || ROW_W > 12) begin : g_bad_row_w
            cw_error_row_w_must_be_1_to_12 u_error ();
        end
        if (STASH_ENTRIES < 1 || STASH_ENTRIES > 16) begin : g_bad_stash_entries
            cw_error_stash_entries_must_be_1_to_16 u_error ();
        end
        if (MAX_SWAPS < 1 || MAX_SWAPS > 255) begin : g_bad_max_swaps
            cw_error_max_swaps_must_be_1_to_255 u_error ();
        end
        if (EVICT_FILL > 16) begin : g_bad_evict_fill
            cw_error_evict_fill_must_be_0_to_16 u_error ();
        end
        if (OVERFLOW_W < 1 || OVERFLOW_W > 20) begin : g_bad_overflow_w
            cw_error_overflow_w_must_be_1_to_20 u_error ();
        end
    endgenerate

    localparam PAYLOAD_W = 2 + OWNER_W + ID_W;            // of a stalled request: spill, store, owner, id
    localparam TAG_W     = 5 + COUNT_W + ID_W;            // last_ts, spill, retried, kind, count, id
    localparam RSP_W     = ID_W + 2 + TS_W;

    localparam [1:0] ABORT    = 2'd1;
    localparam [1:0] SUCCESS  = 2'd0;

    // ---------------------------------------------------------------- request selection

    wire                  retry_valid;
    wire [GRANULE_W-1:0]  retry_granule;
    wire [TS_W-1:0]       retry_warpts;
    wire [PAYLOAD_W-1:0]  retry_payload;
    wire                  stall_pending;
    wire                  look_ready;
    wire                  bloom_lkp_ready;
    reg  [3:0]            inside_cnt_q;  // requests that have not reached stage W
    reg  [3:0]            open_cnt_q;    // these, and responses that have not been taken

    wire                  open = look_ready && bloom_lkp_ready && !open_cnt_q[3];

    assign req_ready_o = open && !stall_pending;
    wire   req_accept   = req_valid_i && req_ready_o;
    wire   retry_accept = open && retry_valid && inside_cnt_q == 4'd0;

    wire                  look_valid   = req_accept || retry_accept;
    wire [GRANULE_W-1:0]  look_granule = retry_valid ? retry_granule : req_granule_i;
    wire [TS_W-1:0]       look_ts      = retry_valid ? retry_warpts : req_warpts_i;
    wire [OWNER_W-1:0]    look_owner   = retry_valid ? retry_payload[ID_W+:OWNER_W] : req_owner_i;
    wire [TAG_W-1:0]      look_tag     = retry_valid
        ? {&retry_warpts, retry_payload[PAYLOAD_W-1], 1'b1, 1'b0, retry_payload[PAYLOAD_W-2], {COUNT_W{1'b0}}, retry_payload[ID_W-1:0]}
        : {&req_warpts_i, req_spill_i, 1'b0, req_kind_i, req_count_i, req_id_i};

    // ---------------------------------------------------------------- exact metadata

    wire                 flush = flush_i && !busy_o && !req_valid_i && stall_occupancy_o == 9'd0;
    wire                 read_valid;
    wire [GRANULE_W-1:0] read_granule;
    wire                 read_ready;
    wire [TS_W-1:0]      miss_wts;
    wire [TS_W-1:0]      miss_rts;
    wire [GRANULE_W-1:0] next_granule;
    wire                 res_valid;
    wire [GRANULE_W-1:0] res_granule;
    wire [TS_W-1:0]      res_ts;
    wire [TAG_W-1:0]     res_tag;
    wire                 res_room;
    wire                 res_easy;
    wire [TS_W-1:0]      res_wts;
    wire [TS_W-1:0]      res_rts;
    wire                 res_forward;
    wire [COUNT_W-1:0]   fwd_writes;
    wire [COUNT_W-1:0]   old_writes;
    wire                 res_wts_later;
    wire                 res_rts_later;
    wire                 res_reserved;
    wire                 res_own;
    wire                 res_again;
    wire                 dec_update;
    wire                 dec_wts_set;
    wire                 dec_rts_set;
    wire                 dec_writes_set;
    wire [COUNT_W-1:0]   dec_writes;
    wire                 dec_owner_set;
    wire                 evict_valid;
    wire [GRANULE_W-1:0] evict_granule;
    wire [TS_W-1:0]      evict_wts;
    wire [TS_W-1:0]      evict_rts;
    wire                 table_busy;
    wire [ID_W-1:0]      cur_id;
    wire [OWNER_W-1:0]   cur_owner;
    wire [COUNT_W-1:0]   cur_count;
    wire [1:0]           cur_kind;
    wire                 cur_retried;
    wire                 cur_spill;
    wire                 cur_last_ts;
`ifdef CW_PROPERTIES
    wire [5:0]           f_there;   // see cw_cuckoo_core
    wire [6*TAG_W-1:0]   f_tags;
    wire                 f_alone;
    wire                 f_taken;   // see cw_stall_buffer
    wire                 f_place;
    wire                 f_pushed;
`endif
    /* verilator lint_off UNUSED */  // not among this unit's outputs
    wire                 res_found;
    wire [COUNT_W-1:0]   res_writes;
    wire [OWNER_W-1:0]   res_owner;
    wire [ROW_W+2:0]     table_used;
    wire [4:0]           table_stash_used;
    wire [OVERFLOW_W:0]  table_overflow_used;
    /* verilator lint_on UNUSED */

    cw_cuckoo_core #(
        .TS_W         (TS_W),
        .GRANULE_W    (GRANULE_W),
        .OWNER_W      (OWNER_W),
        .COUNT_W      (COUNT_W),
        .TAG_W        (TAG_W),
        .ROW_W        (ROW_W),
        .STASH_ENTRIES(STASH_ENTRIES),
        .MAX_SWAPS    (MAX_SWAPS),
        .EVICT_FILL   (EVICT_FILL),
        .OVERFLOW_W   (OVERFLOW_W)
    ) u_table (
        .clk_i           (clk_i),
        .rst_i           (rst_i),
        .look_valid_i    (look_valid),
        .look_granule_i  (look_granule),
        .look_ts_i       (look_ts),
        .look_owner_i    (look_owner),
        .look_tag_i      (look_tag),
        .look_ready_o    (look_ready),
        .read_valid_o    (read_valid),
        .read_granule_o  (read_granule),
        .read_ready_i    (read_ready),
        .miss_wts_i      (miss_wts),
        .miss_rts_i      (miss_rts),
        .next_granule_o  (next_granule),
        .res_valid_o     (res_valid),
        .res_granule_o   (res_granule),
        .res_ts_o        (res_ts),
        .res_look_owner_o(cur_owner),
        .res_tag_o       (res_tag),
        .res_found_o     (res_found),
        .res_room_o      (res_room),
        .res_easy_o      (res_easy),
        .res_wts_o       (res_wts),
        .res_rts_o       (res_rts),
        .res_writes_o    (res_writes),
        .res_forward_o   (res_forward),
        .fwd_writes_o    (fwd_writes),
        .old_writes_o    (old_writes),
        .res_owner_o     (res_owner),
        .res_wts_later_o (res_wts_later),
        .res_rts_later_o (res_rts_later),
        .res_reserved_o  (res_reserved),
        .res_own_o       (res_own),
        .res_again_i     (res_again),
        .upd_valid_i     (dec_update),
        .upd_wts_set_i   (dec_wts_set),
        .upd_rts_set_i   (dec_rts_set),
        .upd_writes_set_i(dec_writes_set),
        .upd_writes_i    (dec_writes),
        .upd_owner_set_i (dec_owner_set),
        .evict_valid_o   (evict_valid),
        .evict_granule_o (evict_granule),
        .evict_wts_o     (evict_wts),
        .evict_rts_o     (evict_rts),
        .mem_valid_o     (mem_valid_o),
        .mem_write_o     (mem_write_o),
        .mem_addr_o      (mem_addr_o),
        .mem_wdata_o     (mem_wdata_o),
        .mem_ready_i     (mem_ready_i),
        .mem_rsp_valid_i (mem_rsp_valid_i),
        .mem_rdata_i     (mem_rdata_i),
        .flush_i         (flush),
        .busy_o          (table_busy),
        .used_o          (table_used),
        .stash_used_o    (table_stash_used),
        .overflow_used_o (table_overflow_used),
        .evt_done_o      (evt_lookup_o),
        .evt_cycles_o    (evt_table_cycles_o),
        .evt_stash_o     (evt_stash_o),
        .evt_overflow_o  (evt_overflow_o)
`ifdef CW_PROPERTIES
        , .f_there_o     (f_there)
        , .f_tags_o      (f_tags)
        , .f_alone_o     (f_alone)
`endif
    );

    assign {cur_last_ts, cur_spill, cur_retried, cur_kind, cur_count, cur_id} = res_tag;

    // ---------------------------------------------------------------- approximate metadata

    wire bloom_busy;
    /* verilator lint_off UNUSED */  // the table knows when the answer is due; the filter always takes an eviction
    wire bloom_rsp_valid;
    wire bloom_ins_ready;
    /* verilator lint_on UNUSED */

    // With one copy of its RAMs, an eviction takes the read port, and the table repeats the look-up that has lost its question.
    assign read_ready = BLOOM_COPIES == 2 || !evict_valid;

    cw_recency_bloom_filter #(
        .WAYS     (4),
        .ROW_W    (BLOOM_ROW_W),
        .KEY_W    (GRANULE_W),
        .FIELDS   (2),
        .VALUE_W  (TS_W),
        .DUAL_READ(BLOOM_COPIES - 1)
    ) u_bloom (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .ins_valid_i(evict_valid),
        .ins_key_i  (evict_granule),
        .ins_v0_i   (evict_wts),
        .ins_v1_i   (evict_rts),
        .ins_ready_o(bloom_ins_ready),
        .lkp_valid_i(read_valid && read_ready),
        .lkp_key_i  (read_granule),
        .lkp_ready_o(bloom_lkp_ready),
        .rsp_valid_o(bloom_rsp_valid),
        .rsp_v0_o   (miss_wts),
        .rsp_v1_o   (miss_rts),
        .clear_i    (flush),
        .busy_o     (bloom_busy)
    );

    // ---------------------------------------------------------------- decision

    wire       ask_place;
    wire       dec_answer;
    wire [1:0] dec_outcome;
    wire       dec_stall;
    wire       dec_wake;

    cw_validation_decide #(
        .COUNT_W(COUNT_W)
    ) u_decide (
        .kind_i       (cur_kind),
        .reserved_i   (res_reserved),
        .own_i        (res_own),
        .count_i      (cur_count),
        .retried_i    (cur_retried),
        .last_ts_i    (cur_last_ts),
        .wts_later_i  (res_wts_later),
        .rts_later_i  (res_rts_later),
        .forward_i    (res_forward),
        .fwd_writes_i (fwd_writes),
        .old_writes_i (old_writes),
        .room_i       (res_room && (res_easy || cur_spill)),
        .place_i      (ask_place),
        .drain_i      (drain_i),
        .answer_o     (dec_answer),
        .outcome_o    (dec_outcome),
        .stall_o      (dec_stall),
        .wake_o       (dec_wake),
        .update_o     (dec_update),
        .wts_set_o    (dec_wts_set),
        .rts_set_o    (dec_rts_set),
        .writes_set_o (dec_writes_set),
        .owner_set_o  (dec_owner_set),
        .writes_o     (dec_writes)
    );

    // The answer about a place does not know a push of the last two cycles. So a new request that meets a reservation waits for this to pass.
    reg  w_push_q;
    reg  v_push_q;
    wire decided = res_valid && !res_again;

    assign res_again = (w_push_q || v_push_q) && !cur_kind[1] && !cur_retried && res_reserved;

    // ---------------------------------------------------------------- stage W: what was decided is carried out

    reg                 w_valid_q;
    reg                 w_answer_q;
    reg  [1:0]          w_outcome_q;
    reg                 w_store_q;
    reg                 w_spill_q;
    reg  [ID_W-1:0]     w_id_q;
    reg  [OWNER_W-1:0]  w_owner_q;
    reg  [GRANULE_W-1:0] w_granule_q;
    reg  [TS_W-1:0]     w_warpts_q;
    reg  [TS_W-1:0]     w_wts_q;
    reg  [TS_W-1:0]     w_rts_q;
    reg                 w_wake_q;
    reg                 w_stall_q;
    reg                 w_retried_q;

    always @(posedge clk_i)
        if (rst_i) begin
            w_valid_q   <= 1'b0;
            w_answer_q  <= 1'b0;
            w_push_q    <= 1'b0;
            v_push_q    <= 1'b0;
            w_wake_q    <= 1'b0;
            w_stall_q   <= 1'b0;
            w_retried_q <= 1'b0;
        end else begin
            w_valid_q   <= decided;
            w_answer_q  <= decided && dec_answer;
            w_push_q    <= decided && dec_stall && !cur_retried;
            v_push_q    <= w_push_q;
            w_wake_q    <= decided && dec_wake;
            w_stall_q   <= decided && dec_stall;
            w_retried_q <= decided && cur_retried;
        end

    always @(posedge clk_i) begin
        w_outcome_q <= dec_outcome;
        w_store_q   <= cur_kind[0];
        w_spill_q   <= cur_spill;
        w_id_q      <= cur_id;
        w_owner_q   <= cur_owner;
        w_granule_q <= res_granule;
        w_warpts_q  <= res_ts;
        w_wts_q     <= res_wts;
        w_rts_q     <= res_rts;
    end

    // What an abort tells: the timestamp that caused it.
    wire [TS_W-1:0] w_cause = w_store_q && w_rts_q > w_wts_q ? w_rts_q : w_wts_q;
    wire [TS_W-1:0] w_ts    = w_outcome_q == ABORT ? w_cause : w_outcome_q == SUCCESS ? {TS_W{1'b0}} : w_warpts_q;

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
        .ask_granule_i  (next_granule),
        .ask_place_o    (ask_place),
        .push_valid_i   (w_push_q),
        .push_granule_i (w_granule_q),
        .push_warpts_i  (w_warpts_q),
        .push_payload_i ({w_spill_q, w_store_q, w_owner_q, w_id_q}),
        .wake_valid_i   (w_wake_q),
        .wake_granule_i (w_granule_q),
        .retry_valid_o  (retry_valid),
        .retry_granule_o(retry_granule),
        .retry_warpts_o (retry_warpts),
        .retry_payload_o(retry_payload),
        .retry_ready_i  (retry_accept),
        .done_valid_i   (w_retried_q),
        .done_sleep_i   (w_stall_q),
        .drain_i        (drain_i),
        .pending_o      (stall_pending),
        .occupancy_o    (stall_occupancy_o),
        .lines_used_o   (stall_lines_used_o)
`ifdef CW_PROPERTIES
        , .f_taken_o    (f_taken)
        , .f_place_o    (f_place)
        , .f_pushed_o   (f_pushed)
`endif
    );

    // ---------------------------------------------------------------- responses: a queue of eight

    // A request is accepted only when a place is left for its response, so the queue is never full when one comes.
    reg  [2:0]       rsp_head_q;
    reg  [3:0]       rsp_cnt_q;
    reg  [RSP_W-1:0] rsp_q [0:7];
    wire             rsp_pop  = rsp_valid_o && rsp_ready_i;
    wire [2:0]       rsp_tail = rsp_head_q + rsp_cnt_q[2:0];
    wire [RSP_W-1:0] rsp_head = rsp_q[rsp_head_q];

    always @(posedge clk_i)
        if (rst_i) begin
            rsp_cnt_q    <= 4'd0;
            rsp_head_q   <= 3'd0;
            inside_cnt_q <= 4'd0;
            open_cnt_q   <= 4'd0;
        end else begin
            rsp_cnt_q    <= rsp_cnt_q + {3'd0, w_answer_q} - {3'd0, rsp_pop};
            rsp_head_q   <= rsp_head_q + {2'd0, rsp_pop};
            inside_cnt_q <= inside_cnt_q + {3'd0, look_valid} - {3'd0, w_valid_q};
            open_cnt_q   <= open_cnt_q + {3'd0, look_valid} - {3'd0, w_valid_q && !w_answer_q} - {3'd0, rsp_pop};
        end

    always @(posedge clk_i)
        if (w_answer_q)
            rsp_q[rsp_tail] <= {w_id_q, w_outcome_q, w_ts};

    assign rsp_valid_o = rsp_cnt_q != 4'd0;
    assign {rsp_id_o, rsp_outcome_o, rsp_ts_o} = rsp_head & {RSP_W{rsp_valid_o}};

    // ---------------------------------------------------------------- rollover, status, events

    reg rollover_q;
    reg drain_q;

    always @(posedge clk_i) begin
        drain_q <= drain_i && !rst_i;
        if (rst_i || flush)
            rollover_q <= 1'b0;
        else if (req_accept && !req_kind_i[1] && &req_warpts_i[TS_W-1-:3])
            rollover_q <= 1'b1;
    end

    assign rollover_o  = rollover_q;
    assign evt_stall_o = w_stall_q;
    assign evt_retry_o = w_retried_q;
    assign evt_evict_o = evict_valid;
    assign busy_o      = table_busy || bloom_busy || open_cnt_q != 4'd0 || w_valid_q || v_push_q || stall_pending || drain_q;

`ifdef CW_PROPERTIES
    // One granule, and its metadata as the decisions have left them. Times are bounds: the filter may answer later ones.
    reg                 f_past_q = 1'b0;
    wire [GRANULE_W-1:0] f_granule;
    reg  [TS_W-1:0]     f_wts_q;
    reg  [TS_W-1:0]     f_rts_q;
    reg  [COUNT_W-1:0]  f_writes_q;
    reg  [OWNER_W-1:0]  f_owner_q;
    wire                f_dec     = decided && res_granule == f_granule;
    wire                f_success = f_dec && dec_answer && dec_outcome == SUCCESS;
    wire                f_load    = f_success && !cur_kind[0];
    wire                f_store   = f_success && cur_kind[0];
    wire                f_release = f_dec && cur_kind[1];
    // Its requests in the stall buffer, and whether they are awake.
    reg  [8:0]          f_waits_q;
    reg                 f_awake_q;
    wire                f_w       = w_granule_q == f_granule;
    wire                f_leaves  = w_retried_q && !w_stall_q && f_w;
    // Requests that are owed a response, and those of them that are inside and have not come from the stall buffer.
    reg  [8:0]          f_owed_q;  // at most eight and 256
    reg  [3:0]          f_new_q;
    reg                 f_w_new_q;
    wire                f_new     = req_accept && !req_kind_i[1];
    reg                 f_retry_q;  // a retried request is inside
    reg                 f_rsp_wait_q;
    reg  [RSP_W-1:0]    f_rsp_q;
    reg                 f_place_q;  // the answer with which the request in W was decided,
    reg  [GRANULE_W-1:0] f_next1_q; //   the granules that were asked for,
    reg  [GRANULE_W-1:0] f_next2_q;
    reg                 f_push1_q;  //   and the pushes before
    reg                 f_push2_q;

    cw_nonsynth_choice #(
        .W(GRANULE_W)
    ) u_f_choice (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (req_accept),
        .value_i (req_granule_i),
        .choice_o(f_granule)
    );

    // Of the stages: requests inside, new ones of them that are owed a response, retried ones; and one is said to be a retried release.
    localparam F_KIND = ID_W + COUNT_W;
    reg  [3:0]          f_inside;
    reg  [3:0]          f_new_cnt;
    reg  [3:0]          f_again_cnt;
    reg                 f_mixed;
    integer             f_i;

    always @* begin
        f_inside    = 4'd0;
        f_new_cnt   = 4'd0;
        f_again_cnt = 4'd0;
        f_mixed     = 1'b0;
        for (f_i = 0; f_i < 6; f_i = f_i + 1)
            if (f_there[f_i]) begin
                f_inside    = f_inside + 4'd1;
                f_new_cnt   = f_new_cnt + {3'd0, !f_tags[f_i*TAG_W+F_KIND+1] && !f_tags[f_i*TAG_W+F_KIND+2]};
                f_again_cnt = f_again_cnt + {3'd0, f_tags[f_i*TAG_W+F_KIND+2]};
                f_mixed     = f_mixed || (f_tags[f_i*TAG_W+F_KIND+1] && f_tags[f_i*TAG_W+F_KIND+2]);
            end
    end

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i || flush) begin
            f_wts_q    <= {TS_W{1'b0}};
            f_rts_q    <= {TS_W{1'b0}};
            f_writes_q <= {COUNT_W{1'b0}};
        end else begin
            if (f_load && res_ts > f_rts_q)
                f_rts_q <= res_ts;
            if (f_store && f_writes_q == {COUNT_W{1'b0}}) begin
                f_wts_q   <= res_ts + 1'b1;
                f_owner_q <= cur_owner;
            end
            if (f_store)
                f_writes_q <= f_writes_q + 1'b1;
            else if (f_release)
                f_writes_q <= cur_count > f_writes_q ? {COUNT_W{1'b0}} : f_writes_q - cur_count;
        end
        if (rst_i) begin
            f_waits_q    <= 9'd0;
            f_awake_q    <= 1'b0;
            f_owed_q     <= 9'd0;
            f_new_q      <= 4'd0;
            f_w_new_q    <= 1'b0;
            f_retry_q    <= 1'b0;
            f_rsp_wait_q <= 1'b0;
            f_push1_q    <= 1'b0;
            f_push2_q    <= 1'b0;
        end else begin
            f_waits_q    <= f_waits_q + {8'd0, w_push_q && f_w} - {8'd0, f_leaves};
            f_awake_q    <= ((f_awake_q && !(w_retried_q && w_stall_q && f_w)) || (w_wake_q && f_w && f_waits_q != 9'd0))
                         && f_waits_q + {8'd0, w_push_q && f_w} != {8'd0, f_leaves};
            f_owed_q     <= f_owed_q + {8'd0, f_new} - {8'd0, rsp_pop};
            f_new_q      <= f_new_q + {3'd0, f_new} - {3'd0, f_w_new_q};
            f_w_new_q    <= decided && !cur_kind[1] && !cur_retried;
            f_retry_q    <= retry_accept || (f_retry_q && !w_retried_q);
            f_rsp_wait_q <= rsp_valid_o && !rsp_ready_i;
            f_push1_q    <= w_push_q;
            f_push2_q    <= f_push1_q;
        end
        f_rsp_q   <= {rsp_id_o, rsp_outcome_o, rsp_ts_o};
        f_place_q <= ask_place;
        f_next1_q <= next_granule;
        f_next2_q <= f_next1_q;
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. No request is decided on timestamps below those that earlier decisions of its granule left.
            if (f_dec)
                assert (res_wts >= f_wts_q && res_rts >= f_rts_q);
            cover (f_dec && f_wts_q != 0 && f_rts_q > f_wts_q && !res_reserved);
            // 2. A reservation is exactly what the decisions left: its writes and its owner.
            if (f_dec)
                assert (res_writes == f_writes_q && (f_writes_q == 0 || res_owner == f_owner_q));
            cover (f_dec && f_writes_q > 1 && f_owner_q != 0);
            // 3. A load or store that was accepted is inside, or in the stall buffer, or its response waits or was taken.
            assert (f_owed_q == {5'd0, rsp_cnt_q} + {5'd0, f_new_q} + stall_occupancy_o);
            cover (f_retry_q && rsp_cnt_q != 0 && stall_occupancy_o > 1);
            // 4. A response always finds a place, and a request inside has one.
            assert ({1'b0, open_cnt_q} == {1'b0, inside_cnt_q} + {1'b0, rsp_cnt_q} && open_cnt_q <= 4'd8);
            assert (inside_cnt_q == f_inside + {3'd0, w_valid_q});
            assert (f_alone);
            assert (w_valid_q || !(w_answer_q || w_retried_q || w_push_q));
            if (w_answer_q)
                assert (rsp_cnt_q < 4'd8);
            cover (w_answer_q && rsp_cnt_q == 4'd7);
            // 5. A response that is not taken stays, and what is not a response is 0.
            if (f_rsp_wait_q)
                assert (rsp_valid_o && f_rsp_q == {rsp_id_o, rsp_outcome_o, rsp_ts_o});
            if (!rsp_valid_o)
                assert (rsp_id_o == 0 && rsp_outcome_o == 0 && rsp_ts_o == 0);
            cover (f_rsp_wait_q && w_answer_q && rsp_outcome_o == ABORT);
            // 6. A retried request is alone inside.
            if (f_retry_q)
                assert (inside_cnt_q == 4'd1 && !retry_accept && !req_accept);
            cover (f_retry_q && req_valid_i && decided);
            // 7. A request that waits is woken: its granule is reserved, or its requests are awake, or their wake is on its way.
            if (f_waits_q != 9'd0 || (w_push_q && f_w))
                assert (f_writes_q != 0 || f_awake_q || (w_wake_q && f_w));
            cover (f_waits_q != 9'd0 && w_wake_q && f_w && f_writes_q == 0);
            cover (f_waits_q != 9'd0 && f_awake_q && f_retry_q);
            // 8. A request that goes to the stall buffer finds its place: it was asked for, and nothing came between.
            if (w_push_q)
                assert (f_place_q && f_next2_q == w_granule_q && !f_push1_q && !f_push2_q);
            cover (w_push_q && f_waits_q != 9'd0);
            cover (res_again);
            // 9. A request is taken while fewer than eight are inside or have a response that waits, unless table, filter or a retry hold it up.
            assert (req_ready_o == (look_ready && bloom_lkp_ready && !stall_pending && inside_cnt_q + rsp_cnt_q < 4'd8));
            cover (req_accept && inside_cnt_q + rsp_cnt_q == 4'd7);
            // 10. (for induction) The tags of the stages tell the new requests and the retried one, which the stall buffer knows too. Each of them is
            //     answered or waits.
            assert (f_new_q == f_new_cnt + {3'd0, f_w_new_q});
            assert (f_again_cnt + {3'd0, w_retried_q} == {3'd0, f_retry_q} && f_retry_q == f_taken && !f_mixed);
            assert ({1'b0, f_w_new_q} + {1'b0, w_retried_q} == {1'b0, w_answer_q} + {1'b0, w_stall_q} && !(f_w_new_q && w_retried_q)
                    && w_push_q == (w_stall_q && !w_retried_q));
            assert ((!w_push_q || f_place) && (!f_pushed || v_push_q));
            cover (w_retried_q && f_taken);
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
