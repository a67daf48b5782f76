// SPDX-License-Identifier: Apache-2.0
//
// cw_order_masks: which warps of a core wait for persists, and which warps' persists have to wait.
//
// Why         : persists of one warp must not wait for those of another. So what waits, and for whom, is kept by warp: ODM, EDM, FSM. One
//               counter, ACTR, says when everything that has left is durable, and then all that waited for this goes on.
// How         : the next ACTR is counted first. What is set in a cycle in which it becomes 0 is released in the same cycle.
// Latency     : 1 cycle.
// Throughput  : one of each event per cycle.
// Comb. paths : none.
// Storage     : 4 * WARPS + ACTR_W + 12 flip-flops.
// Illegal use : an acknowledgement with nothing outstanding is ignored; a line that leaves when ACTR is at its end is not counted.
//
// Paper: Pandey 2023, section 6, Figure 5. Contract: include/cowarp/unit/order_masks.h. C model: csim/unit/order_masks.c.
// Datasheet: docs/units/order_masks.md.

`default_nettype none

module cw_order_masks #(
    parameter WARPS    = 32,  // 1 .. 64
    parameter ACTR_W   = 8,   // 2 .. 12
    parameter PATIENCE = 8    // 1 .. 255
) (
    input  wire                                         clk_i,
    input  wire                                         rst_i,
    // a warp waits for its ordering entry
    input  wire                                         stall_valid_i,
    input  wire [(WARPS > 2 ? $clog2(WARPS) : 1)-1:0]   stall_warp_i,
    // a warp waits until nothing is outstanding
    input  wire                                         delay_valid_i,
    input  wire [(WARPS > 2 ? $clog2(WARPS) : 1)-1:0]   delay_warp_i,
    // an ordering entry leaves the buffer
    input  wire                                         order_valid_i,
    input  wire [2:0]                                   order_kind_i,
    input  wire [WARPS-1:0]                             order_warps_i,
    // lines leave the core, and are acknowledged
    input  wire                                         flush_valid_i,
    input  wire                                         evict_valid_i,
    input  wire                                         ack_valid_i,
    // the masks
    output wire [WARPS-1:0]                             odm_o,
    output wire [WARPS-1:0]                             edm_o,
    output wire [WARPS-1:0]                             fsm_o,
    output wire [ACTR_W-1:0]                            actr_o,
    output wire                                         actr_full_o,
    output wire                                         hold_o,
    // warps go on
    output wire                                         resume_valid_o,
    output wire [WARPS-1:0]                             resume_warps_o,
    output wire                                         invalidate_o,
    // status
    output wire                                         busy_o
);

    // Kinds of ordering entries: enum cw_persist_kind.
    localparam [2:0] OFENCE  = 3'd1;
    localparam [2:0] ACQ_DEV = 3'd4;  // the first one for which warps wait
    localparam [2:0] DFENCE  = 3'd6;

    localparam [ACTR_W+1:0] ACTR_MAX = {2'b00, {ACTR_W{1'b1}}};
    localparam [7:0]        ENOUGH   = PATIENCE[7:0];
    localparam [WARPS-1:0]  ONE      = 1;

    reg  [WARPS-1:0]  odm_q;
    reg  [WARPS-1:0]  edm_q;
    reg  [WARPS-1:0]  fsm_q;
    reg  [ACTR_W-1:0] actr_q;
    reg  [7:0]        left_q;    // lines that have left while a warp was in EDM
    reg               armed_q;   // an acquire of device scope has left the buffer
    reg               resume_q;
    reg  [WARPS-1:0]  resume_warps_q;
    reg               invalidate_q;

    // ---- Count

    wire [1:0]        leave  = {1'b0, flush_valid_i} + {1'b0, evict_valid_i};
    wire              ack    = ack_valid_i && actr_q != {ACTR_W{1'b0}};
    wire [ACTR_W+1:0] sum    = {2'b00, actr_q} + {{ACTR_W{1'b0}}, leave} - {{(ACTR_W+1){1'b0}}, ack};
    wire [ACTR_W-1:0] actr_d = sum > ACTR_MAX ? {ACTR_W{1'b1}} : sum[ACTR_W-1:0];
    wire              none   = leave == 2'd0 && (actr_q == {ACTR_W{1'b0}} || (ack_valid_i && actr_q == {{(ACTR_W-1){1'b0}}, 1'b1}));
    wire [8:0]        left   = {1'b0, left_q} + {7'd0, leave};

    // ---- Masks

    wire              order  = order_valid_i && order_kind_i >= OFENCE && order_kind_i <= DFENCE;
    wire [WARPS-1:0]  named  = order_warps_i & {WARPS{order}};
    wire [WARPS-1:0]  come   = order_warps_i & {WARPS{order && order_kind_i >= ACQ_DEV}};
    wire [WARPS-1:0]  odm_d  = odm_q | (stall_valid_i ? ONE << stall_warp_i : {WARPS{1'b0}});
    wire [WARPS-1:0]  edm_d  = edm_q | (delay_valid_i ? ONE << delay_warp_i : {WARPS{1'b0}}) | (odm_d & come);
    wire              arm_d  = armed_q || (order_valid_i && order_kind_i == ACQ_DEV);

    always @(posedge clk_i)
        if (rst_i) begin
            odm_q          <= {WARPS{1'b0}};
            edm_q          <= {WARPS{1'b0}};
            fsm_q          <= {WARPS{1'b0}};
            actr_q         <= {ACTR_W{1'b0}};
            left_q         <= 8'd0;
            armed_q        <= 1'b0;
            resume_q       <= 1'b0;
            resume_warps_q <= {WARPS{1'b0}};
            invalidate_q   <= 1'b0;
        end else begin
            odm_q          <= odm_d & ~come;
            edm_q          <= edm_d & {WARPS{!none}};
            fsm_q          <= (fsm_q | named) & {WARPS{!none}};
            actr_q         <= actr_d;
            left_q         <= none || edm_q == {WARPS{1'b0}} ? 8'd0 : left >= {1'b0, ENOUGH} ? ENOUGH : left[7:0];
            armed_q        <= arm_d && !none;
            resume_q       <= none && (edm_d != {WARPS{1'b0}} || arm_d);
            resume_warps_q <= edm_d & {WARPS{none}};
            invalidate_q   <= none && arm_d;
        end

    assign odm_o          = odm_q;
    assign edm_o          = edm_q;
    assign fsm_o          = fsm_q;
    assign actr_o         = actr_q;
    assign actr_full_o    = &actr_q[ACTR_W-1:1];
    assign hold_o         = left_q == ENOUGH;
    assign resume_valid_o = resume_q;
    assign resume_warps_o = resume_warps_q;
    assign invalidate_o   = invalidate_q;
    assign busy_o         = resume_q;

`ifdef CW_PROPERTIES
    // One warp, of the prover's choice, and the lines that are outstanding, as the ports have shown them.
    (* anyconst *) reg [5:0] f_warp;
    reg                 f_past_q = 1'b0;
    reg  [ACTR_W+1:0]   f_out_q;       // lines outstanding
    reg                 f_lost_q;      // more than ACTR can count
    reg                 f_odm_q;       // what the warp has in the masks
    reg                 f_edm_q;
    reg                 f_fsm_q;
    reg                 f_armed_q;
    reg                 f_resume_q;    // it goes on, or lines are invalidated
    reg                 f_invalidate_q;
    reg  [9:0]          f_left_q;      // lines that have left while somebody was in EDM
    reg                 f_still_q;     // none has left since hold began
    reg  [ACTR_W:0]     f_acks_q;      // acknowledgements since then
    wire                f_is     = f_warp < WARPS;
    wire                f_named  = order_valid_i && |order_kind_i && !(&order_kind_i) && f_is && |(order_warps_i & (ONE << f_warp));
    wire                f_waits  = f_odm_q || (stall_valid_i && stall_warp_i == f_warp);
    wire                f_comes  = f_named && order_kind_i[2] && f_waits;
    wire                f_edm    = f_edm_q || f_comes || (delay_valid_i && delay_warp_i == f_warp);
    wire                f_armed  = f_armed_q || (order_valid_i && order_kind_i == ACQ_DEV);
    wire                f_ack    = ack_valid_i && f_out_q != 0;
    wire [1:0]          f_leave  = flush_valid_i && evict_valid_i ? 2'd2 : {1'b0, flush_valid_i || evict_valid_i};
    wire [ACTR_W+1:0]   f_out    = f_out_q + {{ACTR_W{1'b0}}, f_leave} - {{(ACTR_W+1){1'b0}}, f_ack};
    wire                f_over   = f_out == 0;
    wire                f_held   = hold_o && f_still_q;

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i) begin
            f_out_q        <= 0;
            f_lost_q       <= 1'b0;
            f_odm_q        <= 1'b0;
            f_edm_q        <= 1'b0;
            f_fsm_q        <= 1'b0;
            f_armed_q      <= 1'b0;
            f_resume_q     <= 1'b0;
            f_invalidate_q <= 1'b0;
            f_left_q       <= 10'd0;
            f_still_q      <= 1'b0;
            f_acks_q       <= 0;
        end else begin
            f_out_q        <= f_out;
            f_lost_q       <= f_lost_q || f_out > ACTR_MAX;
            f_odm_q        <= f_waits && !(f_named && order_kind_i[2]);
            f_edm_q        <= f_edm && !f_over;
            f_fsm_q        <= (f_fsm_q || f_named) && !f_over;
            f_armed_q      <= f_armed && !f_over;
            f_resume_q     <= f_edm && f_over;
            f_invalidate_q <= f_armed && f_over;
            f_left_q       <= edm_o == 0 ? 10'd0 : f_left_q > 10'd255 ? f_left_q : f_left_q + {8'd0, f_leave};
            f_still_q      <= !hold_o || (f_still_q && f_leave == 2'd0);
            f_acks_q       <= !hold_o ? 0 : f_acks_q + {{ACTR_W{1'b0}}, f_held && f_ack};
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q && f_is && !f_lost_q) begin
            // 1. ACTR is the number of lines that have left and are not acknowledged.
            assert ({2'b00, actr_o} == f_out_q);
            assert (actr_full_o == (f_out_q + 2 > ACTR_MAX));
            cover (actr_full_o && f_edm_q);
            // 2. A warp is in FSM from an ordering entry that names it until nothing is outstanding, and at no other time.
            assert (|(fsm_o & (ONE << f_warp)) == f_fsm_q);
            cover (f_fsm_q && !f_edm_q && f_out_q == 1);
            // 3. A warp is in ODM from its stall until its ordering entry leaves, and then in EDM.
            assert (|(odm_o & (ONE << f_warp)) == f_odm_q);
            assert (|(edm_o & (ONE << f_warp)) == f_edm_q);
            cover (f_odm_q && f_edm_q);
            cover (f_edm_q && !f_odm_q && f_fsm_q);
            // 4. A warp of EDM goes on when nothing is outstanding, and not before; so does one that comes when nothing is.
            assert (|(resume_warps_o & (ONE << f_warp)) == f_resume_q);
            assert (!f_resume_q || resume_valid_o);
            cover (f_resume_q && resume_warps_o != (ONE << f_warp));
            // 5. Nobody waits for nothing: while nothing is outstanding, EDM and FSM are 0.
            assert (f_out_q != 0 || (edm_o == 0 && fsm_o == 0));
            cover (f_out_q == 0 && f_odm_q);
            // 6. Lines are held once PATIENCE of them have left while a warp waits for all of them.
            assert (hold_o == (edm_o != 0 && f_left_q >= PATIENCE));
            cover (hold_o && f_edm_q);
            // 7. Then a warp that waits goes on after as many acknowledgements as ACTR can count, if no line leaves.
            if (f_held)
                assert (f_acks_q + {1'b0, actr_o} <= ACTR_MAX[ACTR_W:0] && actr_o != 0);
            cover (f_held && f_acks_q == 2);
            // 8. Lines are invalidated once, when nothing is outstanding after an acquire of device scope.
            assert (invalidate_o == f_invalidate_q && armed_q == f_armed_q);
            assert (resume_valid_o == (invalidate_o || resume_warps_o != 0) && busy_o == resume_valid_o);
            cover (invalidate_o && f_resume_q);
            cover (f_armed_q && f_out_q == 2);
            // 9. (for induction) The count of lines that have left is held at PATIENCE.
            assert (left_q == (edm_o == 0 ? 0 : f_left_q < PATIENCE ? f_left_q : PATIENCE));
            cover (f_left_q > PATIENCE);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

    generate
        if (WARPS < 1 || WARPS > 64) begin : g_bad_warps
            cw_error_order_masks_warps_must_be_1_to_64 u_error ();
        end
        if (ACTR_W < 2 || ACTR_W > 12) begin : g_bad_actr_w
            cw_error_order_masks_actr_w_must_be_2_to_12 u_error ();
        end
        if (PATIENCE < 1 || PATIENCE > 255) begin : g_bad_patience
            cw_error_order_masks_patience_must_be_1_to_255 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
