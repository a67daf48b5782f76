// SPDX-License-Identifier: Apache-2.0
//
// cw_abort_predictor: saturating counters that remember which warps' transactions have lately aborted.
//
// Latency     : query 0 cycles; an update counts from the next cycle on.
// Throughput  : one query and one update per cycle.
// Comb. paths : qry_index_i -> qry_abort_o, qry_count_o.
// Storage     : 2^INDEX_W counters of COUNT_W bits in flip-flops.
// Illegal use : none.
//
// Contract: include/cowarp/unit/abort_predictor.h. C model: csim/unit/abort_predictor.c. Datasheet: docs/units/abort_predictor.md.

`default_nettype none

module cw_abort_predictor #(
    parameter INDEX_W = 6,  // 1 .. 6
    parameter COUNT_W = 2   // 2 .. 8
) (
    input  wire               clk_i,
    input  wire               rst_i,
    // a warp at tx_begin asks
    input  wire [INDEX_W-1:0] qry_index_i,
    output wire               qry_abort_o,
    output wire [COUNT_W-1:0] qry_count_o,
    // an attempt has ended
    input  wire               upd_valid_i,
    input  wire [INDEX_W-1:0] upd_index_i,
    input  wire               upd_abort_i
);

    localparam ENTRIES = 1 << INDEX_W;
    localparam [COUNT_W-1:0] ONE = {{(COUNT_W-1){1'b0}}, 1'b1};

    reg  [ENTRIES*COUNT_W-1:0] count_q;  // counter 0 lowest

    wire [COUNT_W-1:0] count = count_q[upd_index_i*COUNT_W +: COUNT_W];
    wire               stay  = upd_abort_i ? &count : !(|count);
    wire [COUNT_W-1:0] step  = upd_abort_i ? count + ONE : count - ONE;

    always @(posedge clk_i) begin
        if (rst_i)
            count_q <= {(ENTRIES*COUNT_W){1'b0}};
        else if (upd_valid_i && !stay)
            count_q[upd_index_i*COUNT_W +: COUNT_W] <= step;
    end

    assign qry_count_o = count_q[qry_index_i*COUNT_W +: COUNT_W];
    assign qry_abort_o = qry_count_o[COUNT_W-1];

`ifdef CW_PROPERTIES
    // One counter, chosen by the solver, counted by what the ports have shown in a number that is wide enough never to wrap.
    (* anyconst *) reg [INDEX_W-1:0] f_index;
    localparam [COUNT_W+1:0] F_MAX = {2'b00, {COUNT_W{1'b1}}};
    reg                 f_past_q = 1'b0;
    reg                 f_peak_q;         // has been at the top
    reg [COUNT_W+1:0]   f_count_q;
    wire                f_update = upd_valid_i && upd_index_i == f_index;
    wire [COUNT_W-1:0]  f_entry  = count_q[f_index*COUNT_W +: COUNT_W];

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i) begin
            f_count_q <= {(COUNT_W+2){1'b0}};
            f_peak_q  <= 1'b0;
        end else begin
            if (f_update && upd_abort_i && f_count_q < F_MAX)
                f_count_q <= f_count_q + 1;
            else if (f_update && !upd_abort_i && f_count_q > 0)
                f_count_q <= f_count_q - 1;
            f_peak_q <= f_peak_q || f_count_q == F_MAX;
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. A counter is the aborts less the commits of its index, held within its range.
            assert ({2'b00, f_entry} == f_count_q);
            cover (f_peak_q && f_count_q == 0);
            // 2. An abort is predicted in the upper half of the range and nowhere else.
            assert (qry_index_i != f_index || qry_abort_o == (2*f_count_q > F_MAX));
            cover (qry_index_i == f_index && qry_abort_o && f_count_q != F_MAX);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

    generate
        if (INDEX_W < 1 || INDEX_W > 6) begin : g_bad_index_w
            cw_error_abort_predictor_index_w_must_be_1_to_6 u_error ();
        end
        if (COUNT_W < 2 || COUNT_W > 8) begin : g_bad_count_w
            cw_error_abort_predictor_count_w_must_be_2_to_8 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
