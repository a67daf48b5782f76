// SPDX-License-Identifier: Apache-2.0
//
// cw_cuckoo_stash: the stash of the cuckoo table, a few entries in flip-flops.
//
// Why         : a cuckoo table can fail to place an entry long before it is full. A few entries beside it take the unlucky ones, so
//               that they need not go to memory.
// How         : all entries are compared with one granule in the same cycle. wr_hit writes the entry that matches. put writes the
//               lowest free entry; when none is free, it writes the lowest unreserved one, and the old value is on evicted_o.
// Latency     : outputs follow the state of the cycle. Writes take effect at the clock edge.
// Throughput  : one comparison and one write per cycle.
// Illegal use : put without seek; put while neither put_free_o nor put_evict_o is 1; wr_hit without hit_o; wr_hit and put at once.
//
// Paper: GETM section V.B.1, Figure 8. Contract: include/cowarp/unit/cuckoo_table.h. C model: csim/unit/cuckoo_table.c.

`default_nettype none

module cw_cuckoo_stash #(
    parameter ENTRIES    = 4,
    parameter GRANULE_W  = 30,
    parameter ENTRY_W    = 122,
    parameter WRITES_LSB = 94,
    parameter COUNT_W    = 16
) (
    input  wire                 clk_i,
    input  wire                 clear_i,
    // search
    input  wire [GRANULE_W-1:0] cmp_granule_i,
    output reg                  hit_o,
    output reg  [ENTRY_W-1:0]   hit_entry_o,  // 0 without a hit
    // writes
    input  wire                 wr_hit_i,
    input  wire                 seek_i,  // a place for an entry is sought; put_* and evicted are 0 otherwise
    input  wire                 put_i,
    input  wire [ENTRY_W-1:0]   wr_entry_i,
    output reg                  put_free_o,   // an entry is free
    output reg                  put_evict_o,  // none is free, but one is unreserved
    output reg  [ENTRY_W-1:0]   evicted_o,
    output reg  [4:0]           used_o
);

    localparam SLOT_W = (ENTRY_W + 31) / 32 * 32;  // entries side by side start at words, which spares a simulator shifts

    reg [ENTRIES-1:0] valid_q;
    reg [ENTRIES-1:0] hit;
    reg [ENTRIES-1:0] put;
    /* verilator lint_off UNDRIVEN */  // bits between the entries
    /* verilator lint_off UNUSED */
    reg [ENTRIES*SLOT_W-1:0] entries_q;
    /* verilator lint_on UNUSED */
    /* verilator lint_on UNDRIVEN */
    integer i;
    integer e;
    integer k;

    always @(posedge clk_i)
        for (e = 0; e < ENTRIES; e = e + 1)
            if ((wr_hit_i && hit[e]) || (put_i && put[e]))
                entries_q[e*SLOT_W+:ENTRY_W] <= wr_entry_i;

    always @* begin
        hit         = {ENTRIES{1'b0}};
        hit_o       = 1'b0;
        hit_entry_o = {ENTRY_W{1'b0}};
        used_o      = 5'd0;
        for (i = 0; i < ENTRIES; i = i + 1) begin
            if (valid_q[i])
                if (entries_q[i*SLOT_W+:GRANULE_W] == cmp_granule_i) begin
                    hit[i]      = 1'b1;
                    hit_o       = 1'b1;
                    hit_entry_o = hit_entry_o | entries_q[i*SLOT_W+:ENTRY_W];
                end
            used_o = used_o + {4'd0, valid_q[i]};
        end
    end

    // From high to low, so that the lowest one is chosen last.
    always @* begin
        put         = {ENTRIES{1'b0}};
        put_free_o  = seek_i && !(&valid_q);
        put_evict_o = 1'b0;
        evicted_o   = {ENTRY_W{1'b0}};
        if (seek_i)
            for (k = ENTRIES - 1; k >= 0; k = k - 1)
                if (put_free_o) begin
                    if (!valid_q[k]) begin
                        put    = {ENTRIES{1'b0}};
                        put[k] = 1'b1;
                    end
                end else if (entries_q[k*SLOT_W+WRITES_LSB+:COUNT_W] == {COUNT_W{1'b0}}) begin
                    put         = {ENTRIES{1'b0}};
                    put[k]      = 1'b1;
                    put_evict_o = 1'b1;
                    evicted_o   = entries_q[k*SLOT_W+:ENTRY_W];
                end
    end

    always @(posedge clk_i)
        if (clear_i)
            valid_q <= {ENTRIES{1'b0}};
        else if (put_i)
            valid_q <= valid_q | put;

endmodule

`default_nettype wire
