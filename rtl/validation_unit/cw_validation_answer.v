// SPDX-License-Identifier: Apache-2.0
//
// cw_validation_answer: stage W, where what was decided is carried out, and the responses.
//
// Why         : a decision of the table's result is too late for anything else in its cycle.
// How         : the decision goes into registers. From these the stall buffer is told, and the response goes into a
//               queue of eight.
// Stages      : W, the cycle after the decision; V, the one behind it; then the queue.
// Latency     : a response is at the head of the queue two cycles after the decision, if none is before it.
// Throughput  : a request per cycle.
// Illegal use : a ninth response.
//
// Paper: GETM sections IV and V.B, Figure 6. It is a part of cw_validation_unit. C model: part of
// csim/unit/validation_unit.c.

`default_nettype none

module cw_validation_answer #(
    parameter TS_W      = 32,
    parameter GRANULE_W = 30,
    parameter OWNER_W   = 12,
    parameter ID_W      = 10,
    parameter PAYLOAD_W = 24   // of a stalled request
) (
    input  wire                   clk_i,
    input  wire                   rst_i,
    // the decision, and its request
    input  wire                   decided_i,
    input  wire                   answer_i,
    input  wire [1:0]             outcome_i,
    input  wire                   stall_i,
    input  wire                   wake_i,
    input  wire                   retried_i,
    input  wire                   store_i,
    input  wire                   spill_i,
    input  wire [ID_W-1:0]        id_i,
    input  wire [OWNER_W-1:0]     owner_i,
    input  wire [GRANULE_W-1:0]   granule_i,
    input  wire [TS_W-1:0]        ts_i,
    input  wire [TS_W-1:0]        wts_i,
    input  wire [TS_W-1:0]        rts_i,
    // stage W
    output wire                   w_valid_o,
    output wire                   w_answer_o,
    output wire                   w_push_o,     // into the stall buffer
    output wire                   v_push_o,     // in the cycle before
    output wire                   w_wake_o,
    output wire                   w_stall_o,
    output wire                   w_retried_o,
    output wire [GRANULE_W-1:0]   w_granule_o,
    output wire [TS_W-1:0]        w_warpts_o,
    output wire [PAYLOAD_W-1:0]   w_payload_o,  // spill, store, owner, id
    // responses
    output wire [3:0]             rsp_cnt_o,
    output wire [ID_W+TS_W+2-1:0] rsp_head_o,   // id, outcome, timestamp
    input  wire                   pop_i
);

    localparam [1:0] SUCCESS = 2'd0;
    localparam [1:0] ABORT   = 2'd1;
    localparam       RSP_W   = ID_W + 2 + TS_W;

    reg                 w_push_q;
    reg                 v_push_q;
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
            w_valid_q   <= decided_i;
            w_answer_q  <= decided_i && answer_i;
            w_push_q    <= decided_i && stall_i && !retried_i;
            v_push_q    <= w_push_q;
            w_wake_q    <= decided_i && wake_i;
            w_stall_q   <= decided_i && stall_i;
            w_retried_q <= decided_i && retried_i;
        end

    always @(posedge clk_i) begin
        w_outcome_q <= outcome_i;
        w_store_q   <= store_i;
        w_spill_q   <= spill_i;
        w_id_q      <= id_i;
        w_owner_q   <= owner_i;
        w_granule_q <= granule_i;
        w_warpts_q  <= ts_i;
        w_wts_q     <= wts_i;
        w_rts_q     <= rts_i;
    end

    // What an abort tells: the timestamp that caused it.
    wire [TS_W-1:0] w_cause = w_store_q && w_rts_q > w_wts_q ? w_rts_q : w_wts_q;
    wire [TS_W-1:0] w_ts    = w_outcome_q == ABORT ? w_cause : w_outcome_q == SUCCESS ? {TS_W{1'b0}} : w_warpts_q;

    // ---- Responses: a queue of eight

    reg  [2:0]       rsp_head_q;
    reg  [3:0]       rsp_cnt_q;
    reg  [RSP_W-1:0] rsp_q [0:7];
    wire [2:0]       rsp_tail = rsp_head_q + rsp_cnt_q[2:0];

    always @(posedge clk_i)
        if (rst_i) begin
            rsp_cnt_q  <= 4'd0;
            rsp_head_q <= 3'd0;
        end else begin
            rsp_cnt_q  <= rsp_cnt_q + {3'd0, w_answer_q} - {3'd0, pop_i};
            rsp_head_q <= rsp_head_q + {2'd0, pop_i};
        end

    always @(posedge clk_i)
        if (w_answer_q)
            rsp_q[rsp_tail] <= {w_id_q, w_outcome_q, w_ts};

    assign w_valid_o   = w_valid_q;
    assign w_answer_o  = w_answer_q;
    assign w_push_o    = w_push_q;
    assign v_push_o    = v_push_q;
    assign w_wake_o    = w_wake_q;
    assign w_stall_o   = w_stall_q;
    assign w_retried_o = w_retried_q;
    assign w_granule_o = w_granule_q;
    assign w_warpts_o  = w_warpts_q;
    assign w_payload_o = {w_spill_q, w_store_q, w_owner_q, w_id_q};
    assign rsp_cnt_o   = rsp_cnt_q;
    assign rsp_head_o  = rsp_q[rsp_head_q];

endmodule

`default_nettype wire
