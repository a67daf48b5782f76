// SPDX-License-Identifier: Apache-2.0
//
// cw_convergence_open: who is stopped at barriers, who waits there, and which barriers open.
//
// Why         : lanes meet at a barrier, and go on together when nobody is missing.
// How         : who has come to a PC waits at the barriers of this PC that wait for it. A barrier opens when nobody
//               is missing. One of convergence does without those that have yielded, and does without those that are
//               held or at strict barriers if nobody can run.
// Steps       : come (stopped_o, stops_o), open and again (opened_o), and pick and write, which look at who waits.
// Latency     : none, there is no register.
// Throughput  : a row per cycle.
// Illegal use : none.
//
// Paper: Hanoi (arXiv 2407.02944). It is a part of cw_convergence_barriers. C model: part of
// csim/unit/convergence_barriers.c.

`default_nettype none

module cw_convergence_open #(
    parameter LANES    = 32,
    parameter BARRIERS = 16,
    parameter PC_W     = 16
) (
    // lanes that have come to a PC
    input  wire [LANES-1:0]          moved_i,
    input  wire [PC_W-1:0]           target_i,
    input  wire [LANES-1:0]          rest_i,
    input  wire [PC_W-1:0]           next_i,
    // the row
    input  wire [LANES-1:0]          live_i,
    input  wire [LANES-1:0]          active_i,
    input  wire [LANES-1:0]          held_i,
    input  wire [LANES-1:0]          yielded_i,
    input  wire [BARRIERS*PC_W-1:0]  bpc_i,
    input  wire [BARRIERS*LANES-1:0] in_i,
    input  wire [BARRIERS*LANES-1:0] at_i,
    input  wire [BARRIERS-1:0]       strict_i,
    // come: which lanes each barrier stops, and who is stopped at some barrier
    output reg  [BARRIERS*LANES-1:0] stopped_o,
    output reg  [LANES-1:0]          stops_o,
    // who waits at barriers of convergence, at strict ones; who does not run and does not wait
    output reg  [LANES-1:0]          blocked_o,
    output reg  [LANES-1:0]          synced_o,
    output wire [LANES-1:0]          parked_o,  // held or at strict ones
    output reg                       barred_o,  // a barrier of convergence waits for an active lane
    output wire [LANES-1:0]          ready_o,
    output wire                      nobody_o,  // can run
    // open: who leaves which barrier; without open_i, for the step again
    input  wire                      open_i,
    output reg  [BARRIERS*LANES-1:0] opened_o
);

    // ---- Come

    integer             c;

    always @* begin
        stops_o = {LANES{1'b0}};
        for (c = 0; c < BARRIERS; c = c + 1) begin
            stopped_o[c*LANES +: LANES] = in_i[c*LANES +: LANES] & {LANES{!strict_i[c]}}
                                          & ((moved_i & {LANES{bpc_i[c*PC_W +: PC_W] == target_i}})
                                             | (rest_i & {LANES{bpc_i[c*PC_W +: PC_W] == next_i}}));
            stops_o = stops_o | stopped_o[c*LANES +: LANES];
        end
    end

    // ---- Open

    wire [LANES-1:0]    without = open_i ? yielded_i : parked_o;
    reg  [BARRIERS-1:0] opens;
    integer             b;
    integer             o;
    integer             p;

    always @* begin
        blocked_o = {LANES{1'b0}};
        synced_o  = {LANES{1'b0}};
        barred_o  = 1'b0;
        for (b = 0; b < BARRIERS; b = b + 1) begin
            blocked_o = blocked_o | (at_i[b*LANES +: LANES] & {LANES{!strict_i[b]}});
            synced_o  = synced_o | (at_i[b*LANES +: LANES] & {LANES{strict_i[b]}});
            barred_o  = barred_o || (!strict_i[b] && (in_i[b*LANES +: LANES] & active_i) != {LANES{1'b0}});
        end
    end

    assign parked_o = held_i | synced_o;
    assign ready_o  = live_i & ~active_i & ~blocked_o & ~parked_o;
    assign nobody_o = active_i == {LANES{1'b0}} && ready_o == {LANES{1'b0}};

    always @*
        for (o = 0; o < BARRIERS; o = o + 1)
            opens[o] = at_i[o*LANES +: LANES] != {LANES{1'b0}}
                       && (in_i[o*LANES +: LANES] & ~at_i[o*LANES +: LANES]
                           & ~(without & {LANES{!strict_i[o]}})) == {LANES{1'b0}};

    always @*
        for (p = 0; p < BARRIERS; p = p + 1)
            opened_o[p*LANES +: LANES] = at_i[p*LANES +: LANES] & {LANES{opens[p]}};

endmodule

`default_nettype wire
