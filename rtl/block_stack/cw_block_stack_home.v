// SPDX-License-Identifier: Apache-2.0
//
// cw_block_stack_home: the threads that the lanes of a warp have in the masks of the block stacks.
//
// Why         : a compacted warp has threads of many static warps, and masks are by static warp.
// How         : a tree: node 1 has all lanes, and node n splits its lanes by a bit of their static warps, the highest
//               bit first, into nodes 2n and 2n + 1. So node 32 + j has the lanes whose thread is of static warp j.
// Latency     : none, there is no register.
// Throughput  : a warp per cycle.
// Illegal use : none; a static warp of 32 or more is nobody's.
//
// Paper: none. It is a part of cw_block_stack_threads. C model: part of csim/unit/block_stack.c.

`default_nettype none

module cw_block_stack_home #(
    parameter LANES   = 32,
    parameter WARPS   = 32,
    parameter THREADS = WARPS * LANES
) (
    input  wire               en_i,      // without it, nobody
    input  wire [LANES-1:0]   lanes_i,   // that count
    /* verilator lint_off UNUSED */       // lanes that there are not
    input  wire [255:0]       home_i,    // static warp of each lane
    /* verilator lint_on UNUSED */
    output reg  [THREADS-1:0] threads_o
);

    reg [8*LANES-1:0]  home;   // word p: bit p of each lane's static warp
    reg [64*LANES-1:0] there;
    integer            l;
    integer            p;
    integer            j;

    always @* begin
        home      = {(8*LANES){1'b0}};
        there     = {(64*LANES){1'b0}};
        threads_o = {THREADS{1'b0}};
        if (en_i) begin
            for (l = 0; l < LANES; l = l + 1)
                for (p = 0; p < 8; p = p + 1)
                    home[p*LANES + l] = home_i[l*8 + p];
            there[LANES +: LANES] = lanes_i & ~home[5*LANES +: LANES] & ~home[6*LANES +: LANES]
                                    & ~home[7*LANES +: LANES];
            for (p = 4; p >= 0; p = p - 1)
                for (j = 16 >> p; j < (32 >> p); j = j + 1) begin
                    there[2*j*LANES +: LANES]     = there[j*LANES +: LANES] & ~home[p*LANES +: LANES];
                    there[(2*j+1)*LANES +: LANES] = there[j*LANES +: LANES] & home[p*LANES +: LANES];
                end
            threads_o = there[32*LANES +: THREADS];
        end
    end

endmodule

`default_nettype wire
