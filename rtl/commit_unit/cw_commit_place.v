// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_place: the place of an entry in a ring. Combinational.
//
// Why         : cw_commit_unit names entries by their distance from a pointer, but stores them by place. ENTRIES need not be a power of
//               two, so the sum must wrap by a comparison instead of by dropping bits.
// How         : adds offset_i to base_i, and subtracts ENTRIES when the sum is ENTRIES or more.
// Latency     : combinational: an addition, a comparison and a subtraction.
// Throughput  : one place per instance.
// Illegal use : an offset of ENTRIES or more. The place then means nothing.
//
// Paper: Fung 2015, section 4.2.5. Contract: include/cowarp/unit/commit_unit.h. C model: csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_place #(
    parameter ENTRIES = 1024,
    parameter IDX_W   = 10
) (
    input  wire [IDX_W-1:0] base_i,
    input  wire [IDX_W-1:0] offset_i,
    output wire [IDX_W-1:0] idx_o
);

    localparam [IDX_W:0] SIZE = ENTRIES[IDX_W:0];

    wire [IDX_W:0] sum    = {1'b0, base_i} + {1'b0, offset_i};
    wire [IDX_W:0] folded = sum >= SIZE ? sum - SIZE : sum;
    wire           unused = folded[IDX_W];

    assign idx_o = folded[IDX_W-1:0];

endmodule

`default_nettype wire
