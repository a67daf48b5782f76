// SPDX-License-Identifier: Apache-2.0
//
// cw_h3_hash: H3 universal hash, a fixed random binary matrix.
//
// Why         : addresses of real programs have regular strides, which crowd the rows of a table that is indexed by address bits. H3
//               spreads them, and in hardware it is nothing but XOR gates.
// How         : hash bit i is the parity of (key AND mask i). rtl/README.md says how the masks follow from SEED. Mask i does not depend
//               on KEY_W and OUT_W, except that it is cut to KEY_W bits. So a smaller table uses the low bits of a larger table's hash.
// Latency     : combinational; XOR trees of about KEY_W / 2 inputs.
// Throughput  : one hash per instance and cycle.
// Illegal use : SEED = 0. The generator of the masks would stay at 0.
//
// Paper: Carter and Wegman's H3 class, as used by GETM (section V.B.1). C model: csim/unit/h3.h.

`default_nettype none

module cw_h3_hash #(
    parameter        KEY_W = 30,           // 1 .. 64
    parameter        OUT_W = 8,            // 1 .. 32
    parameter [31:0] SEED  = 32'h10203040  // not 0
) (
    input  wire             en_i,   // somebody wants the hash; 1 where the gates of hash_o's 0 would cost time or area
    input  wire [KEY_W-1:0] key_i,
    output reg  [OUT_W-1:0] hash_o  // 0 while en_i = 0: address lines stand still, and a simulator need not evaluate the trees
);

    // Mask i, at bit i * KEY_W: words 2i+1 (low half) and 2i+2 (high half) of xorshift32 after the seed.
    function [OUT_W*KEY_W-1:0] h3_masks (
        input [31:0] seed
    );
        integer    n;
        integer    half;
        reg [31:0] x;
        /* verilator lint_off UNUSED */  // its bits beyond KEY_W
        reg [63:0] mask;
        /* verilator lint_on UNUSED */
        begin
            x    = seed;
            mask = 64'd0;
            for (n = 0; n < OUT_W; n = n + 1) begin
                for (half = 0; half < 2; half = half + 1) begin
                    x    = x ^ (x << 13);
                    x    = x ^ (x >> 17);
                    x    = x ^ (x << 5);
                    mask = {x, mask[63:32]};
                end
                h3_masks[n*KEY_W+:KEY_W] = mask[KEY_W-1:0];
            end
        end
    endfunction

    localparam [OUT_W*KEY_W-1:0] MASKS = h3_masks(SEED);

    integer i;

    always @* begin
        hash_o = {OUT_W{1'b0}};
        if (en_i)
            for (i = 0; i < OUT_W; i = i + 1)
                hash_o[i] = ^(key_i & MASKS[i*KEY_W+:KEY_W]);
    end

    generate
        if (KEY_W < 1 || KEY_W > 64) begin : g_bad_key_w
            cw_error_h3_key_w_must_be_1_to_64 u_error ();
        end
        if (OUT_W < 1 || OUT_W > 32) begin : g_bad_out_w
            cw_error_h3_out_w_must_be_1_to_32 u_error ();
        end
        if (SEED == 32'd0) begin : g_bad_seed
            cw_error_h3_seed_must_not_be_0 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
