// SPDX-License-Identifier: Apache-2.0
//
// cw_convergence_pick: which lanes run next.
//
// Why         : ready lanes stand at several PCs, and one PC can run. No lane may wait for ever.
// How         : a side of the branch is first, as the operation says; else lanes that have not had their turn in this
//               round; else any ready lane. The lowest lane of these gives the PC, and all ready lanes there run.
// Steps       : pick (from_o), lead (lead_o), group (there_o).
// Latency     : none, there is no register.
// Throughput  : a row per cycle.
// Illegal use : none.
//
// Paper: Hanoi (arXiv 2407.02944). It is a part of cw_convergence_barriers. C model: part of
// csim/unit/convergence_barriers.c.

`default_nettype none

module cw_convergence_pick #(
    parameter LANES = 32,
    parameter PC_W  = 16
) (
    // the operation
    input  wire                  branches_i,
    input  wire                  syncs_i,
    input  wire                  first_i,    // the lanes of the branch go first, else the others
    input  wire [LANES-1:0]      here_i,
    input  wire [LANES-1:0]      others_i,
    // the row
    input  wire [LANES-1:0]      group_i,
    input  wire [LANES-1:0]      ready_i,
    input  wire [LANES-1:0]      yielded_i,
    input  wire [LANES-1:0]      served_i,
    input  wire [LANES*PC_W-1:0] pc_i,
    // pick: lanes of which the group is one
    output wire [LANES-1:0]      from_o,
    output wire                  turn_o,     // none is ahead of who has the turn
    output wire                  over_o,     // a round begins
    // lead: the PC of the lowest one
    input  wire [LANES-1:0]      from_i,
    output reg  [PC_W-1:0]       lead_o,
    // group: who is there
    input  wire [PC_W-1:0]       lead_i,
    output reg  [LANES-1:0]      there_o
);

    wire [LANES-1:0] may   = ready_i & ~yielded_i;
    wire [LANES-1:0] side  = may & ((syncs_i || (branches_i && first_i) ? here_i : {LANES{1'b0}})
                                    | (branches_i && !first_i ? others_i : {LANES{1'b0}}));
    wire [LANES-1:0] near  = may & group_i & {LANES{branches_i}};
    wire [LANES-1:0] fresh = ready_i & ~served_i;               // they have not had their turn
    wire [LANES-1:0] again = ready_i & ~(group_i & yielded_i);  // a round begins for them
    wire             any_ahead = |(side | near);
    wire             over      = fresh == {LANES{1'b0}};
    integer          l;
    integer          g;

    assign from_o = |side ? side : any_ahead ? near : !over ? fresh : |again ? again : ready_i;
    assign turn_o = !any_ahead;
    assign over_o = over;

    always @* begin
        lead_o = {PC_W{1'b0}};
        for (l = LANES - 1; l >= 0; l = l - 1)
            if (from_i[l])
                lead_o = pc_i[l*PC_W +: PC_W];
    end

    always @*
        for (g = 0; g < LANES; g = g + 1)
            there_o[g] = ready_i[g] && pc_i[g*PC_W +: PC_W] == lead_i;

endmodule

`default_nettype wire
