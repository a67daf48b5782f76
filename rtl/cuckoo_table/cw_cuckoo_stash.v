// SPDX-License-Identifier: Apache-2.0
//
// cw_cuckoo_stash: the stash of the cuckoo table, a few entries in flip-flops.
//
// Why         : a cuckoo table can fail to place an entry long before it is full. A few entries beside it take the
//               unlucky ones, so that they need not go to memory.
// How         : all entries are compared with one granule in the same cycle. free_oh and yield_oh name the place of a
//               new entry: the lowest free one; or, when none is free, the lowest unreserved one, whose old value is on
//               yield_o. They are 0 while no place is asked for.
// Latency     : outputs follow the state of the cycle. A write takes effect at the clock edge.
// Throughput  : one comparison and one write per cycle.
// Illegal use : wr_oh with more than one bit.
//
// Paper: GETM section V.B.1, Figure 8. Contract: include/cowarp/unit/cuckoo_table.h. C model: csim/unit/cuckoo_table.c.

`default_nettype none

module cw_cuckoo_stash #(
    parameter ENTRIES     = 4,
    parameter GRANULE_W   = 30,
    parameter ENTRY_W     = 122,
    parameter GRANULE_LSB = 92,
    parameter WRITES_LSB  = 64,
    parameter COUNT_W     = 16
) (
    input  wire                       clk_i,
    input  wire                       clear_i,
    // search
    input  wire [GRANULE_W-1:0]       cmp_granule_i,
    output reg  [ENTRIES-1:0]         hit_oh_o,
    output wire [ENTRIES*ENTRY_W-1:0] entry_o,
    // a place for a new entry, 0 while none is asked for
    input  wire                       ask_place_i,
    output reg  [ENTRIES-1:0]         free_oh_o,
    output reg  [ENTRIES-1:0]         yield_oh_o,
    output reg  [ENTRY_W-1:0]         yield_o,
    // write
    input  wire [ENTRIES-1:0]         wr_oh_i,
    input  wire [ENTRY_W-1:0]         wr_entry_i,
    output reg  [4:0]                 used_o
`ifdef CW_PROPERTIES
    , output wire [ENTRIES-1:0]       f_valid_o
`endif
);

    reg [ENTRIES-1:0]         valid_q;
    reg [ENTRIES*ENTRY_W-1:0] entries_q;
    reg                       free_below;
    reg                       yield_below;
    integer                   i;
    integer                   k;

    always @(posedge clk_i)
        for (i = 0; i < ENTRIES; i = i + 1)
            if (wr_oh_i[i])
                entries_q[i*ENTRY_W+:ENTRY_W] <= wr_entry_i;

    always @(posedge clk_i)
        if (clear_i)
            valid_q <= {ENTRIES{1'b0}};
        else
            valid_q <= valid_q | wr_oh_i;

    always @* begin
        hit_oh_o = {ENTRIES{1'b0}};
        used_o   = 5'd0;
        for (k = 0; k < ENTRIES; k = k + 1)
            if (valid_q[k]) begin
                hit_oh_o[k] = entries_q[k*ENTRY_W+GRANULE_LSB+:GRANULE_W] == cmp_granule_i;
                used_o      = used_o + 5'd1;
            end
    end

    always @* begin
        free_below  = 1'b0;
        yield_below = 1'b0;
        free_oh_o   = {ENTRIES{1'b0}};
        yield_oh_o  = {ENTRIES{1'b0}};
        yield_o     = {ENTRY_W{1'b0}};
        if (ask_place_i)
            for (k = 0; k < ENTRIES; k = k + 1) begin
                free_oh_o[k] = !valid_q[k] && !free_below;
                free_below   = free_below || !valid_q[k];
            end
        if (ask_place_i && !free_below)
            for (k = 0; k < ENTRIES; k = k + 1) begin
                yield_oh_o[k] = !yield_below && entries_q[k*ENTRY_W+WRITES_LSB+:COUNT_W] == {COUNT_W{1'b0}};
                yield_below   = yield_below || yield_oh_o[k];
                if (yield_oh_o[k])
                    yield_o = yield_o | entries_q[k*ENTRY_W+:ENTRY_W];
            end
    end

    assign entry_o = entries_q;

`ifdef CW_PROPERTIES
    assign f_valid_o = valid_q;
`endif

endmodule

`default_nettype wire
