// SPDX-License-Identifier: Apache-2.0
//
// cw_priority_encoder: the lowest set bit of a vector, and the vector without it.
//
// Why         : thread block compaction gives a warp one thread per lane in each cycle. So each lane has to pick one of its threads, and to
//               forget it for the next warp.
// How         : a tree says of each bit whether it or a lower one is set. The first bit of which this holds is the lowest one; which bits its
//               number has is an OR each. The set bits that have one below them stay in the rest.
// Latency     : 1 cycle.
// Throughput  : one vector per cycle.
// Comb. paths : none; outputs are registers.
// Storage     : WIDTH + 7 flip-flops.
// Illegal use : none.
//
// Paper: Fung 2015, section 3.3.2, Figure 3.6. Contract: include/cowarp/unit/priority_encoder.h. C model: csim/unit/priority_encoder.c.
// Datasheet: docs/units/priority_encoder.md.

`default_nettype none

module cw_priority_encoder #(
    parameter WIDTH = 32  // 1 .. 64
) (
    input  wire             clk_i,
    input  wire             rst_i,
    // a vector comes
    input  wire             in_valid_i,
    input  wire [WIDTH-1:0] in_vector_i,
    // about the last one that came
    output wire             none_o,
    output wire [5:0]       index_o,
    output wire [WIDTH-1:0] rest_o
);

    reg              none_q;
    reg  [5:0]       index_q;
    reg  [WIDTH-1:0] rest_q;

    // The bits that have a set bit at their own place or below it. They begin at the lowest set bit.
    reg  [WIDTH-1:0] below;
    integer          s;

    always @* begin
        below = in_vector_i;
        for (s = 1; s < WIDTH; s = 2 * s)
            below = below | (below << s);
    end

    wire [WIDTH-1:0] rest   = in_vector_i & (below << 1);
    wire [WIDTH-1:0] lowest = below & ~(below << 1);

    // Bit k of the index: is the lowest set bit one of those whose numbers have bit k?
    wire [63:0]      one    = {{(64-WIDTH){1'b0}}, lowest};
    wire [5:0]       index  = {|(one & 64'hffffffff_00000000), |(one & 64'hffff0000_ffff0000), |(one & 64'hff00ff00_ff00ff00),
                               |(one & 64'hf0f0f0f0_f0f0f0f0), |(one & 64'hcccccccc_cccccccc), |(one & 64'haaaaaaaa_aaaaaaaa)};

    always @(posedge clk_i)
        if (rst_i) begin
            none_q  <= 1'b1;
            index_q <= 6'd0;
            rest_q  <= {WIDTH{1'b0}};
        end else if (in_valid_i) begin
            none_q  <= !below[WIDTH-1];
            index_q <= index;
            rest_q  <= rest;
        end

    assign none_o  = none_q;
    assign index_o = index_q;
    assign rest_o  = rest_q;

`ifdef CW_PROPERTIES
    // The last vector that came, and one bit of it of the prover's choice.
    (* anyconst *) reg [5:0] f_bit;
    reg                      f_past_q = 1'b0;
    reg  [WIDTH-1:0]         f_vector_q;
    wire [63:0]              f_vector = {{(64-WIDTH){1'b0}}, f_vector_q};
    wire [63:0]              f_rest   = {{(64-WIDTH){1'b0}}, rest_q};

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i)
            f_vector_q <= {WIDTH{1'b0}};
        else if (in_valid_i)
            f_vector_q <= in_vector_i;
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. The index is that of a bit that is set, and no lower bit is.
            if (!none_q)
                assert (f_vector[index_q]);
            if (f_bit < index_q)
                assert (!f_vector[f_bit]);
            cover (!none_q && f_bit < index_q && f_rest != 0);
            // 2. None is said of the vector 0 only, and always.
            assert (none_q == (f_vector_q == {WIDTH{1'b0}}));
            if (none_q)
                assert (index_q == 6'd0);
            cover (none_q && f_bit == 6'd0);
            // 3. The rest is the vector without this one bit.
            assert (f_rest[f_bit] == (f_vector[f_bit] && f_bit != index_q));
            cover (f_rest[f_bit] && index_q != 6'd0);
            cover (!none_q && f_bit == index_q && f_rest != 0);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

    generate
        if (WIDTH < 1 || WIDTH > 64) begin : g_bad_width
            cw_error_priority_encoder_width_must_be_1_to_64 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
