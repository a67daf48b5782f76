// SPDX-License-Identifier: Apache-2.0
//
// cw_convergence_apply: which barrier an operation needs, and what the operation makes of barriers and PCs.
//
// Why         : a branch that parts a group and a WARPSYNC need a barrier for their lanes.
// How         : the lowest barrier that is enough for the lanes, else the lowest free one is taken. Without either
//               nobody waits.
// Steps       : find compares all barriers; apply chooses one of those that find has kept, and changes the row.
// Latency     : none, there is no register.
// Throughput  : an operation per cycle.
// Illegal use : none.
//
// Paper: Hanoi (arXiv 2407.02944). It is a part of cw_convergence_barriers. C model: part of
// csim/unit/convergence_barriers.c.

`default_nettype none

module cw_convergence_apply #(
    parameter LANES    = 32,
    parameter BARRIERS = 16,
    parameter PC_W     = 16
) (
    // the operation
    input  wire [2:0]                kind_i,
    input  wire [LANES-1:0]          lanes_i,
    input  wire [LANES-1:0]          named_i,
    input  wire [PC_W-1:0]           target_i,
    input  wire [PC_W-1:0]           next_i,
    input  wire                      meets_i,
    input  wire [PC_W-1:0]           meet_i,
    // the row
    input  wire [LANES-1:0]          group_i,
    input  wire [LANES-1:0]          live_i,
    input  wire [LANES-1:0]          held_i,
    input  wire [LANES*PC_W-1:0]     pc_i,
    input  wire [BARRIERS*PC_W-1:0]  bpc_i,
    input  wire [BARRIERS*LANES-1:0] in_i,
    input  wire [BARRIERS*LANES-1:0] at_i,
    input  wire [BARRIERS-1:0]       strict_i,
    // find: barriers that are there, and free ones
    output reg  [BARRIERS-1:0]       found_o,   // it waits for all of them
    output reg  [BARRIERS-1:0]       frees_o,
    output wire                      wants_o,
    // apply: what find has kept
    input  wire [BARRIERS-1:0]       found_i,
    input  wire [BARRIERS-1:0]       free_i,
    input  wire                      wants_i,
    // lanes of the group that the operation names, and others of it; held ones that go on
    output wire [LANES-1:0]          here_o,
    output wire [LANES-1:0]          others_o,
    output wire [LANES-1:0]          resumed_o,
    output wire                      moves_o,   // others go to next_i
    output wire                      spins_o,   // no barrier for who is to wait
    // the row behind it
    output reg  [LANES*PC_W-1:0]     pc_o,
    output reg  [BARRIERS*PC_W-1:0]  bpc_o,
    output reg  [BARRIERS*LANES-1:0] in_o,
    output reg  [BARRIERS*LANES-1:0] at_o,
    output reg  [BARRIERS-1:0]       strict_o
);

    localparam START    = 3'd0;
    localparam BRANCH   = 3'd1;
    localparam WARPSYNC = 3'd2;
    localparam BLOCK    = 3'd3;
    localparam RESUME   = 3'd4;
    localparam EXIT     = 3'd5;

    // ---- Find

    wire [LANES-1:0]    here    = group_i & lanes_i;
    wire [LANES-1:0]    others  = group_i & ~lanes_i;
    wire                syncs   = kind_i == WARPSYNC;
    wire [PC_W-1:0]     want_pc = syncs ? target_i : meet_i;
    wire [LANES-1:0]    want_in = syncs ? here : group_i;
    integer             n;

    assign wants_o = here != {LANES{1'b0}}
                     && (syncs || (kind_i == BRANCH && meets_i && others != {LANES{1'b0}}));

    always @*
        for (n = 0; n < BARRIERS; n = n + 1) begin
            frees_o[n] = in_i[n*LANES +: LANES] == {LANES{1'b0}};
            found_o[n] = !frees_o[n] && strict_i[n] == syncs && bpc_i[n*PC_W +: PC_W] == want_pc
                         && (want_in & ~in_i[n*LANES +: LANES]) == {LANES{1'b0}};
        end

    // ---- Apply

    wire [LANES-1:0]    new_in  = syncs ? here | (named_i & live_i) : group_i;
    wire [LANES-1:0]    resumed = held_i & lanes_i;
    wire                moves   = kind_i == BRANCH || syncs || kind_i == BLOCK;
    wire [LANES-1:0]    gone    = lanes_i & {LANES{kind_i == EXIT}};
    wire                start   = kind_i == START;
    reg  [BARRIERS-1:0] found_oh;
    reg                 found_any;
    reg  [BARRIERS-1:0] free_oh;
    reg                 free_any;
    reg  [BARRIERS-1:0] taken_oh;   // a free barrier that is taken
    reg  [BARRIERS-1:0] waited_oh;  // a strict one at which the lanes wait
    reg  [BARRIERS-1:0] left_oh;    // a strict one whose last waiting lane has exited
    integer             a;
    integer             i;
    integer             j;

    always @* begin
        found_any = 1'b0;
        free_any  = 1'b0;
        for (a = 0; a < BARRIERS; a = a + 1) begin
            found_oh[a] = found_i[a] && !found_any;
            free_oh[a]  = free_i[a] && !free_any;
            found_any   = found_any || found_i[a];
            free_any    = free_any || free_i[a];
        end
    end

    always @*
        for (i = 0; i < LANES; i = i + 1)
            pc_o[i*PC_W +: PC_W] = (moves && here[i]) || (kind_i == RESUME && resumed[i]) ? target_i
                                   : moves && others[i] ? next_i : pc_i[i*PC_W +: PC_W];

    always @*
        for (j = 0; j < BARRIERS; j = j + 1) begin
            taken_oh[j]  = wants_i && !found_any && free_oh[j];
            waited_oh[j] = wants_i && syncs && (found_any ? found_oh[j] : free_oh[j]);
            left_oh[j]   = kind_i == EXIT && strict_i[j] && (at_i[j*LANES +: LANES] & ~lanes_i) == {LANES{1'b0}};
            strict_o[j]  = taken_oh[j] ? syncs : strict_i[j];
            bpc_o[j*PC_W +: PC_W]  = taken_oh[j] ? want_pc : bpc_i[j*PC_W +: PC_W];
            in_o[j*LANES +: LANES] = taken_oh[j] ? new_in
                                     : in_i[j*LANES +: LANES] & ~gone & ~{LANES{left_oh[j] || start}};
            at_o[j*LANES +: LANES] = (at_i[j*LANES +: LANES] & ~gone & ~{LANES{start}})
                                     | (here & {LANES{waited_oh[j]}});
        end

    assign here_o    = here;
    assign others_o  = others;
    assign resumed_o = resumed;
    assign moves_o   = moves;
    assign spins_o   = syncs && !found_any && !free_any;

endmodule

`default_nettype wire
