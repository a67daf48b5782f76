// SPDX-License-Identifier: Apache-2.0
//
// cw_hazard_unit: hazard detection of a Kilo TM commit unit.
//
// Why         : a commit unit compares a transaction's reads with memory while earlier transactions are still writing. If one of them
//               writes such a word, the comparison was too early and must be made again after it. This unit finds the youngest one.
// How         : a CHECK asks the last-writer history for the writer of a read-set word. A RECORD enters a write-set word. The unit
//               drops writers that had retired before the transaction's RCID, and keeps the youngest of the rest as its result.
// Stages      : 0 to 5 are the history's; 6 compares the writer with the transaction and with its youngest conflict so far.
// Latency     : 7 cycles from a transaction's last entry to its result.
// Throughput  : one entry per cycle, while fewer than 8 results are inside.
// Comb. paths : none from input to output.
// Clearing    : after reset and after clear_i the history sweeps, with ent_ready_o low.
// Illegal use : commit IDs of RECORDs, or a live_cid_i, that decrease between clears. A hazard may then be missed. A transaction whose
//               RECORDs come before its CHECKs only gets a false hazard.
//
// Paper: Fung 2015, section 4.2.5 and Figure 4.5. Contract: include/cowarp/unit/hazard_unit.h.
// C model: csim/unit/hazard_unit.c. Datasheet: docs/units/hazard_unit.md.

`default_nettype none

module cw_hazard_unit #(
    parameter WAYS        = 4,
    parameter SET_W       = 7,
    parameter ADDR_W      = 28,
    parameter CID_W       = 20,
    parameter BLOOM_WAYS  = 4,
    parameter BLOOM_ROW_W = 8,
    parameter ID_W        = 10   // 1 .. 16
) (
    input  wire              clk_i,
    input  wire              rst_i,
    // entries of read- and write-sets, in commit order
    input  wire              ent_valid_i,
    input  wire [1:0]        ent_kind_i,
    input  wire [ADDR_W-1:0] ent_addr_i,
    input  wire [CID_W-1:0]  ent_cid_i,
    input  wire [CID_W-1:0]  ent_rcid_i,
    input  wire              ent_last_i,
    input  wire [ID_W-1:0]   ent_id_i,
    output wire              ent_ready_o,
    // results, one per transaction
    output wire              res_valid_o,
    output wire [ID_W-1:0]   res_id_o,
    output wire              res_hazard_o,
    output wire [CID_W-1:0]  res_ycid_o,
    output wire              res_exact_o,
    input  wire              res_ready_i,
    // control
    input  wire [CID_W-1:0]  live_cid_i,
    input  wire              clear_i,
    output wire              busy_o,
    // events
    output wire              evt_exact_o,
    output wire              evt_approx_o,
    output wire              evt_evict_o
);

    // The history's parameters are checked by the history.
    generate
        if (ID_W < 1 || ID_W > 16) begin : g_bad_id_w
            cw_error_hazard_unit_id_w_must_be_1_to_16 u_error ();
        end
    endgenerate

    localparam STAGES  = 6;                         // of the history
    localparam META_W  = 1 + ID_W + CID_W + CID_W;  // last, id, rcid, cid of an entry in the history
    localparam RES_W   = 1 + ID_W + CID_W;          // exact, id, ycid

    // ---------------------------------------------------------------- entries into the history

    // Results inside: entries with ent_last in the stages, and the queue. The queue can take all of them, so no stage ever stops.
    reg  [3:0] res_claim_cnt_q;
    wire       history_ready;
    wire       accept  = ent_valid_i && ent_ready_o;
    wire       res_pop = res_valid_o && res_ready_i;

    assign ent_ready_o = history_ready && !res_claim_cnt_q[3];

    always @(posedge clk_i)
        if (rst_i)
            res_claim_cnt_q <= 4'd0;
        else
            res_claim_cnt_q <= res_claim_cnt_q + {3'd0, accept && ent_last_i} - {3'd0, res_pop};

    wire             rsp_valid;
    wire [CID_W-1:0] rsp_cid;
    wire             rsp_exact;
    wire             history_busy;
`ifdef CW_PROPERTIES
    wire              f_rsp;
    wire [STAGES-1:0] f_checks;
    wire [CID_W-1:0]  f_rsp_min;
`endif

    cw_last_writer_history #(
        .WAYS       (WAYS),
        .SET_W      (SET_W),
        .ADDR_W     (ADDR_W),
        .CID_W      (CID_W),
        .BLOOM_WAYS (BLOOM_WAYS),
        .BLOOM_ROW_W(BLOOM_ROW_W)
    ) u_history (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .op_valid_i (accept && !ent_kind_i[1]),
        .op_write_i (ent_kind_i[0]),
        .op_addr_i  (ent_addr_i),
        .op_cid_i   (ent_cid_i),
        .op_ready_o (history_ready),
        .rsp_valid_o(rsp_valid),
        .rsp_cid_o  (rsp_cid),
        .rsp_exact_o(rsp_exact),
        .live_cid_i (live_cid_i),
        .clear_i    (clear_i),
        .busy_o     (history_busy),
        .evt_evict_o(evt_evict_o)
`ifdef CW_PROPERTIES
        , .f_rsp_o    (f_rsp)
        , .f_rsp_min_o(f_rsp_min)
        , .f_checks_o (f_checks)
`endif
    );

    // ---------------------------------------------------------------- what goes along with the history's stages

    reg  [STAGES-1:0]        stage_valid_q;
    reg  [STAGES*META_W-1:0] stage_q;  // youngest lowest
    wire                     turn_valid = stage_valid_q[STAGES-1];
    wire                     turn_last;
    wire [ID_W-1:0]          turn_id;
    wire [CID_W-1:0]         turn_rcid;
    wire [CID_W-1:0]         turn_cid;

    always @(posedge clk_i) begin
        if (rst_i)
            stage_valid_q <= {STAGES{1'b0}};
        else
            stage_valid_q <= {stage_valid_q[STAGES-2:0], accept};
        stage_q <= {stage_q[(STAGES-1)*META_W-1:0], ent_last_i, ent_id_i, ent_rcid_i, ent_cid_i};
    end

    assign {turn_last, turn_id, turn_rcid, turn_cid} = stage_q[(STAGES-1)*META_W +: META_W];

    // ---------------------------------------------------------------- the youngest conflict of the transaction so far

    wire [CID_W-1:0] prior    = turn_cid - 1'b1;  // all ones for commit ID 0: then nothing is above it
    wire             own      = rsp_cid > prior; // hides who wrote before
    wire [CID_W-1:0] writer   = own ? prior : rsp_cid;
    wire             conflict = rsp_valid && writer != {CID_W{1'b0}} && writer >= turn_rcid;  // of a CHECK

    reg  [CID_W-1:0] ycid_q;   // 0: no conflict yet
    reg              exact_q;
    wire             younger = conflict && writer > ycid_q;
    wire             equal   = conflict && writer == ycid_q;
    wire [CID_W-1:0] ycid    = younger ? writer : ycid_q;
    wire             sure    = rsp_exact && !own;
    wire             exact   = younger ? sure : exact_q || (equal && sure);
    wire             finish  = turn_valid && turn_last;

    always @(posedge clk_i)
        if (rst_i || finish) begin
            ycid_q  <= {CID_W{1'b0}};
            exact_q <= 1'b0;
        end else if (turn_valid) begin
            ycid_q  <= ycid;
            exact_q <= exact;
        end

    // ---------------------------------------------------------------- results: the one that is offered, and a queue of seven behind it

    // A result goes to the place of the one that is offered, or waits behind it. So outputs come from registers.
    reg              res_valid_q;
    reg              res_hazard_q;
    reg  [RES_W-1:0] res_q;
    reg  [2:0]       wait_cnt_q;
    reg  [2:0]       wait_head_q;
    reg  [2:0]       wait_tail_q;
    reg  [RES_W-1:0] wait_q [0:7];
    wire             res_free  = !res_valid_q || res_ready_i;
    wire             waiting   = wait_cnt_q != 3'd0;
    wire             wait_push = finish && (waiting || !res_free);
    wire             wait_pop  = res_free && waiting;
    wire [RES_W-1:0] result    = {exact, turn_id, ycid};
    wire [RES_W-1:0] res_next  = (waiting ? wait_q[wait_head_q] : result) & {RES_W{waiting || finish}};

    always @(posedge clk_i)
        if (rst_i) begin
            res_valid_q  <= 1'b0;
            res_hazard_q <= 1'b0;
            res_q        <= {RES_W{1'b0}};
            wait_cnt_q   <= 3'd0;
            wait_head_q  <= 3'd0;
            wait_tail_q  <= 3'd0;
        end else begin
            if (res_free) begin
                res_valid_q  <= waiting || finish;
                res_hazard_q <= |res_next[CID_W-1:0];
                res_q        <= res_next;
            end
            wait_cnt_q   <= wait_cnt_q + {2'd0, wait_push} - {2'd0, wait_pop};
            wait_head_q  <= wait_head_q + {2'd0, wait_pop};
            wait_tail_q  <= wait_tail_q + {2'd0, wait_push};
        end

    always @(posedge clk_i)
        if (wait_push)
            wait_q[wait_tail_q] <= result;

    assign res_valid_o  = res_valid_q;
    assign res_hazard_o = res_hazard_q;
    assign {res_exact_o, res_id_o, res_ycid_o} = res_q;

    // ---------------------------------------------------------------- status, events

    reg evt_exact_q;
    reg evt_approx_q;

    always @(posedge clk_i)
        if (rst_i) begin
            evt_exact_q  <= 1'b0;
            evt_approx_q <= 1'b0;
        end else begin
            evt_exact_q  <= conflict && rsp_exact;
            evt_approx_q <= conflict && !rsp_exact;
        end

    assign evt_exact_o  = evt_exact_q;
    assign evt_approx_o = evt_approx_q;
    assign busy_o       = history_busy || |stage_valid_q || res_valid_q || evt_exact_q || evt_approx_q;

`ifdef CW_PROPERTIES
    // What the history's chosen address owes the transaction in turn: the youngest live writer that one of its CHECKs of
    // that address had to see, as far as it is a conflict.
    reg [CID_W-1:0] f_due_q;
    reg             f_past_q = 1'b0;
    reg             f_res_wait_q;
    reg [RES_W:0]   f_res_q;
    reg [3:0]       f_last_cnt;  // entries with ent_last in the stages
    integer         f_i;
    wire [CID_W-1:0] f_now = f_rsp && f_rsp_min >= turn_rcid && f_rsp_min <= prior ? f_rsp_min : {CID_W{1'b0}};
    wire [CID_W-1:0] f_due = f_now > f_due_q ? f_now : f_due_q;
    wire [3:0]       f_res_cnt = {3'd0, res_valid_q} + {1'b0, wait_cnt_q};

    always @* begin
        f_last_cnt = 4'd0;
        for (f_i = 0; f_i < STAGES; f_i = f_i + 1)
            f_last_cnt = f_last_cnt + {3'd0, stage_valid_q[f_i] && stage_q[f_i*META_W + META_W - 1]};
    end

    always @(posedge clk_i) begin
        f_past_q     <= 1'b1;
        f_due_q      <= rst_i || finish ? {CID_W{1'b0}} : f_due;
        f_res_wait_q <= res_valid_o && !res_ready_i && !rst_i;
        f_res_q      <= {res_hazard_o, res_exact_o, res_id_o, res_ycid_o};
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. A transaction's result is not older than any live writer of what it checked, among those that are conflicts.
            if (finish)
                assert (ycid >= f_due);
            cover (finish && f_due != 0 && ycid == f_due && !exact);
            // 2. A conflict is never the transaction itself or a later one, nor one of before its RCID.
            if (conflict && turn_cid != 0)
                assert (writer < turn_cid && writer >= turn_rcid);
            cover (conflict && turn_cid != 0 && own && turn_rcid != 0);
            // 3. A result always finds a place, and every place claimed is used.
            assert (f_res_cnt + f_last_cnt == res_claim_cnt_q && res_claim_cnt_q <= 4'd8);
            assert (!waiting || res_valid_q);
            if (wait_push)
                assert (wait_cnt_q != 3'd7 || wait_pop);
            cover (wait_push && wait_pop);
            // 4. A result that is not taken stays as it is.
            if (f_res_wait_q)
                assert (res_valid_o && f_res_q == {res_hazard_o, res_exact_o, res_id_o, res_ycid_o});
            cover (f_res_wait_q && res_hazard_o);
            // 5. What is not a result is 0, and a hazard has a transaction.
            if (!res_valid_o)
                assert (!res_hazard_o && !res_exact_o && res_id_o == 0 && res_ycid_o == 0);
            assert (res_hazard_o == (res_ycid_o != 0));
            cover (!res_valid_o && ycid_q != 0);
            // 6. (for induction) The history's answer comes in its entry's turn, and the queue's ends are as far apart as it is long.
            assert ((f_checks & ~stage_valid_q) == 0 && rsp_valid == f_checks[STAGES-1]);
            assert (ycid_q >= f_due_q);
            assert (wait_tail_q - wait_head_q == wait_cnt_q);
            cover (rsp_valid && wait_cnt_q == 3'd2 && f_due_q != 0);
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
