// SPDX-License-Identifier: Apache-2.0
//
// cw_validation_unit: validation unit of GETM, eager conflict detection for one memory partition.
//
// Why         : two round trips to the commit units make a commit slow. GETM finds conflicts at each access instead,
//               while other warps hide the time, so a transaction that reaches its commit has already won. This unit
//               makes that decision.
// How         : a request goes through the pipeline of the cuckoo table. The Bloom filter is asked in step, and answers
//               for a granule that the table has not. The decision follows Figure 6 in the cycle of the table's result,
//               and the table is updated. A request that must wait goes to the stall buffer. A release wakes it, and
//               woken requests go before new ones.
// Latency     : five cycles after a request was accepted it is decided; two cycles later the response is valid. A
//               request that the table must repeat takes six more (cuckoo_table.h).
// Throughput  : one request per cycle.
// Comb. paths : none: outputs depend on registers only. Fields of a channel are 0 while its valid is 0.
// Illegal use : req_kind 3 (acts as RELEASE); a RELEASE of more writes than were made (the count stops at 0). A
//               parameter outside of the contract stops elaboration at a module cw_error_...
//
// Paper: GETM sections IV and V.B, Figures 6, 8 and 9. Contract: include/cowarp/unit/validation_unit.h. C model:
// csim/unit/validation_unit.c. Datasheet: docs/units/validation_unit.md.

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

    cw_validation_parameters #(
        .TS_W         (TS_W),
        .GRANULE_W    (GRANULE_W),
        .OWNER_W      (OWNER_W),
        .COUNT_W      (COUNT_W),
        .ID_W         (ID_W),
        .ROW_W        (ROW_W),
        .STASH_ENTRIES(STASH_ENTRIES),
        .MAX_SWAPS    (MAX_SWAPS),
        .BLOOM_ROW_W  (BLOOM_ROW_W),
        .BLOOM_COPIES (BLOOM_COPIES),
        .STALL_LINES  (STALL_LINES),
        .STALL_ENTRIES(STALL_ENTRIES),
        .OVERFLOW_W   (OVERFLOW_W),
        .EVICT_FILL   (EVICT_FILL)
    ) u_parameters ();

    localparam PAYLOAD_W = 2 + OWNER_W + ID_W;            // of a stalled request: spill, store, owner, id
    localparam TAG_W     = 5 + COUNT_W + ID_W;            // last_ts, spill, retried, kind, count, id
    localparam RSP_W     = ID_W + 2 + TS_W;

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
        ? {&retry_warpts, retry_payload[PAYLOAD_W-1], 1'b1, 1'b0, retry_payload[PAYLOAD_W-2], {COUNT_W{1'b0}},
           retry_payload[ID_W-1:0]}
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

    // With one copy of its RAMs, an eviction takes the read port, and the table repeats the look-up that has lost its
    // question.
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

    // A place's answer does not know a push of the last two cycles: a new request that meets a reservation waits.
    wire w_push;
    wire v_push;
    wire decided = res_valid && !res_again;

    assign res_again = (w_push || v_push) && !cur_kind[1] && !cur_retried && res_reserved;

    // ---------------------------------------------------------------- stage W: what was decided is carried out

    wire                 w_valid;
    wire                 w_answer;
    wire                 w_wake;
    wire                 w_stall;
    wire                 w_retried;
    wire [GRANULE_W-1:0] w_granule;
    wire [TS_W-1:0]      w_warpts;
    wire [PAYLOAD_W-1:0] w_payload;
    wire [3:0]           rsp_cnt;
    wire [RSP_W-1:0]     rsp_head;
    wire                 rsp_pop = rsp_valid_o && rsp_ready_i;

    cw_validation_answer #(
        .TS_W     (TS_W),
        .GRANULE_W(GRANULE_W),
        .OWNER_W  (OWNER_W),
        .ID_W     (ID_W),
        .PAYLOAD_W(PAYLOAD_W)
    ) u_answer (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .decided_i  (decided),
        .answer_i   (dec_answer),
        .outcome_i  (dec_outcome),
        .stall_i    (dec_stall),
        .wake_i     (dec_wake),
        .retried_i  (cur_retried),
        .store_i    (cur_kind[0]),
        .spill_i    (cur_spill),
        .id_i       (cur_id),
        .owner_i    (cur_owner),
        .granule_i  (res_granule),
        .ts_i       (res_ts),
        .wts_i      (res_wts),
        .rts_i      (res_rts),
        .w_valid_o  (w_valid),
        .w_answer_o (w_answer),
        .w_push_o   (w_push),
        .v_push_o   (v_push),
        .w_wake_o   (w_wake),
        .w_stall_o  (w_stall),
        .w_retried_o(w_retried),
        .w_granule_o(w_granule),
        .w_warpts_o (w_warpts),
        .w_payload_o(w_payload),
        .rsp_cnt_o  (rsp_cnt),
        .rsp_head_o (rsp_head),
        .pop_i      (rsp_pop)
    );

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
        .push_valid_i   (w_push),
        .push_granule_i (w_granule),
        .push_warpts_i  (w_warpts),
        .push_payload_i (w_payload),
        .wake_valid_i   (w_wake),
        .wake_granule_i (w_granule),
        .retry_valid_o  (retry_valid),
        .retry_granule_o(retry_granule),
        .retry_warpts_o (retry_warpts),
        .retry_payload_o(retry_payload),
        .retry_ready_i  (retry_accept),
        .done_valid_i   (w_retried),
        .done_sleep_i   (w_stall),
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

    // A request is accepted only when a place is left for its response, so the queue is never full when one comes.
    always @(posedge clk_i)
        if (rst_i) begin
            inside_cnt_q <= 4'd0;
            open_cnt_q   <= 4'd0;
        end else begin
            inside_cnt_q <= inside_cnt_q + {3'd0, look_valid} - {3'd0, w_valid};
            open_cnt_q   <= open_cnt_q + {3'd0, look_valid} - {3'd0, w_valid && !w_answer} - {3'd0, rsp_pop};
        end

    assign rsp_valid_o = rsp_cnt != 4'd0;
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
    assign evt_stall_o = w_stall;
    assign evt_retry_o = w_retried;
    assign evt_evict_o = evict_valid;
    assign busy_o      = table_busy || bloom_busy || open_cnt_q != 4'd0 || w_valid || v_push || stall_pending
                         || drain_q;

`ifdef CW_PROPERTIES
    cw_nonsynth_validation_unit #(
        .TS_W     (TS_W),
        .GRANULE_W(GRANULE_W),
        .OWNER_W  (OWNER_W),
        .COUNT_W  (COUNT_W),
        .ID_W     (ID_W),
        .TAG_W    (TAG_W),
        .RSP_W    (RSP_W)
    ) u_properties (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .req_i  ({req_valid_i, req_ready_o, req_kind_i, req_granule_i, req_accept, retry_accept, look_ready,
                  bloom_lkp_ready, stall_pending, inside_cnt_q, open_cnt_q, flush}),
        .there_i({next_granule, f_there, f_tags, f_alone}),
        .res_i  ({decided, res_again, res_granule, res_ts, res_wts, res_rts, res_writes, res_owner, res_reserved,
                  cur_owner, cur_count, cur_kind, cur_retried, dec_answer, dec_outcome}),
        .w_i    ({w_valid, w_answer, w_push, v_push, w_wake, w_stall, w_retried, w_granule}),
        .stall_i({ask_place, stall_occupancy_o, f_taken, f_place, f_pushed}),
        .rsp_i  ({rsp_valid_o, rsp_ready_i, rsp_id_o, rsp_outcome_o, rsp_ts_o, rsp_cnt, rsp_pop})
    );
`endif

endmodule

`default_nettype wire
