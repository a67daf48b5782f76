// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_place: place in a ring of ENTRIES of the entry that is offset_i behind base_i. Combinational.
//
// ENTRIES need not be a power of two. Illegal use: an offset of ENTRIES or more; the place then means nothing.
// Used by cw_commit_unit. Contract: include/cowarp/unit/commit_unit.h. C model: csim/unit/commit_unit.c.

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
