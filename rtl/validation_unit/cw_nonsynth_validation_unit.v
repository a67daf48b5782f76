// SPDX-License-Identifier: Apache-2.0
//
// cw_nonsynth_validation_unit: what must hold of a validation unit, as a granule shows it.
//
// Why         : a decision on metadata that are older than another decision is a lost conflict.
// How         : it watches one granule, of the prover's choice, and keeps what the decisions have left of it.
// Illegal use : synthesis. Only blocks of properties have it (CW_PROPERTIES).
//
// Contract: include/cowarp/unit/validation_unit.h. docs/proofs.md has the form of properties.

`default_nettype none

module cw_nonsynth_validation_unit #(
    parameter TS_W      = 32,
    parameter GRANULE_W = 30,
    parameter OWNER_W   = 12,
    parameter COUNT_W   = 16,
    parameter ID_W      = 10,
    parameter TAG_W     = 31,  // see cw_validation_unit
    parameter RSP_W     = 44  // of a response
) (
    input  wire clk_i,
    input  wire rst_i,
    // requests that come in
    input  wire [18 + GRANULE_W-1:0] req_i,
    // those in the table, see cw_cuckoo_core
    input  wire [7 + GRANULE_W + 6*TAG_W-1:0] there_i,
    // the one that is decided
    input  wire [9 + GRANULE_W + 3*TS_W + 2*COUNT_W + 2*OWNER_W-1:0] res_i,
    // stage W
    input  wire [7 + GRANULE_W-1:0] w_i,
    // the stall buffer, see there
    input  wire [12:0] stall_i,
    // responses
    input  wire [9 + ID_W + TS_W-1:0] rsp_i
);

`ifdef CW_PROPERTIES
    localparam [1:0] SUCCESS = 2'd0;
    localparam [1:0] ABORT   = 2'd1;

    // What the ports and the parts show.
    wire                 req_valid;
    wire                 req_ready;
    wire [1:0]           req_kind;
    wire [GRANULE_W-1:0] req_granule;
    wire                 req_accept;
    wire                 retry_accept;
    wire                 look_ready;
    wire                 bloom_lkp_ready;
    wire                 stall_pending;
    wire [3:0]           inside_cnt;
    wire [3:0]           open_cnt;
    wire                 flush;
    wire [GRANULE_W-1:0] next_granule;
    wire [5:0]           f_there;
    wire [6*TAG_W-1:0]   f_tags;
    wire                 f_alone;
    wire                 decided;
    wire                 res_again;
    wire [GRANULE_W-1:0] res_granule;
    wire [TS_W-1:0]      res_ts;
    wire [TS_W-1:0]      res_wts;
    wire [TS_W-1:0]      res_rts;
    wire [COUNT_W-1:0]   res_writes;
    wire [OWNER_W-1:0]   res_owner;
    wire                 res_reserved;
    wire [OWNER_W-1:0]   cur_owner;
    wire [COUNT_W-1:0]   cur_count;
    wire [1:0]           cur_kind;
    wire                 cur_retried;
    wire                 dec_answer;
    wire [1:0]           dec_outcome;
    wire                 w_valid;
    wire                 w_answer;
    wire                 w_push;
    wire                 v_push;
    wire                 w_wake;
    wire                 w_stall;
    wire                 w_retried;
    wire [GRANULE_W-1:0] w_granule;
    wire                 ask_place;
    wire [8:0]           stall_occupancy;
    wire                 f_taken;
    wire                 f_place;
    wire                 f_pushed;
    wire                 rsp_valid;
    wire                 rsp_ready;
    wire [ID_W-1:0]      rsp_id;
    wire [1:0]           rsp_outcome;
    wire [TS_W-1:0]      rsp_ts;
    wire [3:0]           rsp_cnt;
    wire                 rsp_pop;

    assign {req_valid, req_ready, req_kind, req_granule, req_accept, retry_accept, look_ready,
            bloom_lkp_ready, stall_pending, inside_cnt, open_cnt, flush} = req_i;
    assign {next_granule, f_there, f_tags, f_alone} = there_i;
    assign {decided, res_again, res_granule, res_ts, res_wts, res_rts, res_writes, res_owner,
            res_reserved, cur_owner, cur_count, cur_kind, cur_retried, dec_answer, dec_outcome} = res_i;
    assign {w_valid, w_answer, w_push, v_push, w_wake, w_stall, w_retried, w_granule} = w_i;
    assign {ask_place, stall_occupancy, f_taken, f_place, f_pushed} = stall_i;
    assign {rsp_valid, rsp_ready, rsp_id, rsp_outcome, rsp_ts, rsp_cnt, rsp_pop} = rsp_i;

    // One granule, and its metadata as the decisions have left them. Times are bounds: the filter may answer later
    // ones.
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
    wire                f_w       = w_granule == f_granule;
    wire                f_leaves  = w_retried && !w_stall && f_w;
    // Requests that are owed a response, and those of them that are inside and have not come from the stall buffer.
    reg  [8:0]          f_owed_q;  // at most eight and 256
    reg  [3:0]          f_new_q;
    reg                 f_w_new_q;
    wire                f_new     = req_accept && !req_kind[1];
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
        .value_i (req_granule),
        .choice_o(f_granule)
    );

    // Of the stages: requests inside, new ones of them that are owed a response, retried ones; and one is said to be a
    // retried release.
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
            f_waits_q    <= f_waits_q + {8'd0, w_push && f_w} - {8'd0, f_leaves};
            f_awake_q    <= ((f_awake_q && !(w_retried && w_stall && f_w)) || (w_wake && f_w && f_waits_q != 9'd0))
                         && f_waits_q + {8'd0, w_push && f_w} != {8'd0, f_leaves};
            f_owed_q     <= f_owed_q + {8'd0, f_new} - {8'd0, rsp_pop};
            f_new_q      <= f_new_q + {3'd0, f_new} - {3'd0, f_w_new_q};
            f_w_new_q    <= decided && !cur_kind[1] && !cur_retried;
            f_retry_q    <= retry_accept || (f_retry_q && !w_retried);
            f_rsp_wait_q <= rsp_valid && !rsp_ready;
            f_push1_q    <= w_push;
            f_push2_q    <= f_push1_q;
        end
        f_rsp_q   <= {rsp_id, rsp_outcome, rsp_ts};
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
            // 3. A load or store that was accepted is inside, or in the stall buffer, or its response waits or was
            // taken.
            assert (f_owed_q == {5'd0, rsp_cnt} + {5'd0, f_new_q} + stall_occupancy);
            cover (f_retry_q && rsp_cnt != 0 && stall_occupancy > 1);
            // 4. A response always finds a place, and a request inside has one.
            assert ({1'b0, open_cnt} == {1'b0, inside_cnt} + {1'b0, rsp_cnt} && open_cnt <= 4'd8);
            assert (inside_cnt == f_inside + {3'd0, w_valid});
            assert (f_alone);
            assert (w_valid || !(w_answer || w_retried || w_push));
            if (w_answer)
                assert (rsp_cnt < 4'd8);
            cover (w_answer && rsp_cnt == 4'd7);
            // 5. A response that is not taken stays, and what is not a response is 0.
            if (f_rsp_wait_q)
                assert (rsp_valid && f_rsp_q == {rsp_id, rsp_outcome, rsp_ts});
            if (!rsp_valid)
                assert (rsp_id == 0 && rsp_outcome == 0 && rsp_ts == 0);
            cover (f_rsp_wait_q && w_answer && rsp_outcome == ABORT);
            // 6. A retried request is alone inside.
            if (f_retry_q)
                assert (inside_cnt == 4'd1 && !retry_accept && !req_accept);
            cover (f_retry_q && req_valid && decided);
            // 7. A request that waits is woken: its granule is reserved, or its requests are awake, or their wake is on
            // its way.
            if (f_waits_q != 9'd0 || (w_push && f_w))
                assert (f_writes_q != 0 || f_awake_q || (w_wake && f_w));
            cover (f_waits_q != 9'd0 && w_wake && f_w && f_writes_q == 0);
            cover (f_waits_q != 9'd0 && f_awake_q && f_retry_q);
            // 8. A request that goes to the stall buffer finds its place: it was asked for, and nothing came between.
            if (w_push)
                assert (f_place_q && f_next2_q == w_granule && !f_push1_q && !f_push2_q);
            cover (w_push && f_waits_q != 9'd0);
            cover (res_again);
            // 9. A request is taken while fewer than eight are inside or have a response that waits, unless table,
            // filter or a retry hold it up.
            assert (req_ready == (look_ready && bloom_lkp_ready && !stall_pending && inside_cnt + rsp_cnt < 4'd8));
            cover (req_accept && inside_cnt + rsp_cnt == 4'd7);
            // 10. (for induction) The tags of the stages tell the new requests and the retried one, which the stall
            // buffer knows too. Each of them is
            //     answered or waits.
            assert (f_new_q == f_new_cnt + {3'd0, f_w_new_q});
            assert (f_again_cnt + {3'd0, w_retried} == {3'd0, f_retry_q} && f_retry_q == f_taken && !f_mixed);
            assert ({1'b0, f_w_new_q} + {1'b0, w_retried} == {1'b0, w_answer} + {1'b0, w_stall}
                    && !(f_w_new_q && w_retried)
                    && w_push == (w_stall && !w_retried));
            assert ((!w_push || f_place) && (!f_pushed || v_push));
            cover (w_retried && f_taken);
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
