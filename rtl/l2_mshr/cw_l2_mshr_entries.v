// SPDX-License-Identifier: Apache-2.0
//
// cw_l2_mshr_entries: the entries of the MSHRs of an L2 slice, and which of them are in use.
//
// Why         : a line is compared with all entries at once, so lines are flip-flops, and the entry that is taken next must be known before
//               a request asks for it.
// How         : three stages look at the entries: which have a line or a number, what one has, and what it has from now on. A line that is
//               taken in this cycle is found in this cycle.
// Latency     : none; what becomes of an entry is seen in the next cycle.
// Throughput  : one of each per cycle.
// Storage     : per entry LINE_W + KNOW_W + 2 bits in flip-flops.
// Illegal use : release_i with another named entry than own_oh_i; more than one entry in a mask.
//
// Paper: none. It is a part of cw_l2_mshr. Contract: include/cowarp/unit/l2_mshr.h. C model: csim/unit/l2_mshr.c.

`default_nettype none

module cw_l2_mshr_entries #(
    parameter ENTRIES = 64,
    parameter LINE_W  = 32,
    parameter KNOW_W  = 24  // bits that an entry has beside its line
) (
    input  wire               clk_i,
    input  wire               rst_i,
    // which entries have that number, or that line
    input  wire               by_number_i,
    input  wire [7:0]         number_i,
    input  wire [LINE_W-1:0]  line_i,
    output wire [ENTRIES-1:0] match_o,
    // what an entry has
    input  wire [ENTRIES-1:0] get_oh_i,
    output reg  [LINE_W-1:0]  get_line_o,
    output reg  [KNOW_W-1:0]  get_know_o,
    // what becomes of the entry that an operation names
    input  wire [ENTRIES-1:0] named_oh_i,
    input  wire [ENTRIES-1:0] own_oh_i,     // the same if it is in use; known earlier
    output reg  [7:0]         own_entry_o,  // its number
    input  wire               act_i,
    input  wire               take_i,
    input  wire               release_i,
    input  wire [LINE_W-1:0]  new_line_i,
    input  wire [KNOW_W-1:0]  new_know_i,
    // status
    output wire [ENTRIES-1:0] used_o,
    output wire [ENTRIES-1:0] free_o,       // the lowest that is not in use
    output reg  [7:0]         free_entry_o
`ifdef CW_PROPERTIES
    // what all entries have; whether no two that are in use have the same line
    , output wire [ENTRIES*LINE_W-1:0] f_lines_o
    , output wire [ENTRIES*KNOW_W-1:0] f_knows_o
    , output reg                       f_once_o
`endif
);

    localparam [ENTRIES-1:0] NO_ENTRY = {ENTRIES{1'b0}};
    localparam [ENTRIES-1:0] FIRST    = 1;

    reg  [ENTRIES-1:0]        used_q;
    reg  [ENTRIES-1:0]        free_q;
    wire [ENTRIES*LINE_W-1:0] lines;
    wire [ENTRIES*KNOW_W-1:0] knows;

    // The lowest entry that is not in use, after each of what may happen to the named one.
    wire [ENTRIES-1:0]        free_taken = ~used_q & ~free_q;
    wire [ENTRIES-1:0]        free_given = ~used_q | own_oh_i;

    integer                   n;

    function [ENTRIES-1:0] lowest (input [ENTRIES-1:0] of);
        reg     [ENTRIES-1:0] above;  // a lower one is there; in a tree, since a carry would be too slow
        integer               step;
        begin
            above = of << 1;
            for (step = 1; step < ENTRIES; step = step * 2)
                above = above | (above << step);
            lowest = of & ~above;
        end
    endfunction

    always @* begin
        get_line_o   = {LINE_W{1'b0}};
        get_know_o   = {KNOW_W{1'b0}};
        own_entry_o  = 8'd0;
        free_entry_o = 8'd0;
        for (n = 0; n < ENTRIES; n = n + 1) begin
            get_line_o   = get_line_o | (lines[n*LINE_W +: LINE_W] & {LINE_W{get_oh_i[n]}});
            get_know_o   = get_know_o | (knows[n*KNOW_W +: KNOW_W] & {KNOW_W{get_oh_i[n]}});
            own_entry_o  = own_entry_o | (n[7:0] & {8{own_oh_i[n]}});
            free_entry_o = free_entry_o | (n[7:0] & {8{free_q[n]}});
        end
    end

    always @(posedge clk_i)
        if (rst_i) begin
            used_q <= NO_ENTRY;
            free_q <= FIRST;
        end else begin
            used_q <= (used_q | (named_oh_i & {ENTRIES{take_i}})) & ~(named_oh_i & {ENTRIES{release_i}});
            free_q <= take_i ? lowest(free_taken) : release_i ? lowest(free_given) : free_q;
        end

    genvar e;
    generate
        for (e = 0; e < ENTRIES; e = e + 1) begin : g_entry
            localparam [7:0] NUMBER = e;

            reg  [LINE_W-1:0] line_q;
            reg  [KNOW_W-1:0] know_q;

            // An entry that is taken in this cycle has its line already.
            assign match_o[e] = by_number_i           ? number_i == NUMBER
                                : take_i && free_q[e] ? line_i == new_line_i
                                                      : line_i == line_q;
            assign lines[e*LINE_W +: LINE_W] = line_q;
            assign knows[e*KNOW_W +: KNOW_W] = know_q;

            always @(posedge clk_i)
                if (act_i && named_oh_i[e]) begin
                    know_q <= new_know_i;
                    if (take_i)
                        line_q <= new_line_i;
                end
        end
    endgenerate

    assign used_o = used_q;
    assign free_o = free_q;

`ifdef CW_PROPERTIES
    localparam F_ALL = ENTRIES < 4 ? ENTRIES : 4;  // entries that are looked at one by one
    integer    fx;
    integer    fy;

    always @* begin
        f_once_o = 1'b1;
        for (fx = 0; fx < F_ALL; fx = fx + 1)
            for (fy = 0; fy < ENTRIES; fy = fy + 1)
                f_once_o = f_once_o && !(fy != fx && used_q[fx] && used_q[fy] && lines[fx*LINE_W +: LINE_W] == lines[fy*LINE_W +: LINE_W]);
    end

    assign f_lines_o = lines;
    assign f_knows_o = knows;
`endif

endmodule

`default_nettype wire
