// SPDX-License-Identifier: Apache-2.0
//
// cw_reader_list_compare: which entry of a row is sought, and which place is free.
//
// Why         : an operation looks up the plain entry or root of its word, or a leaf, and the sweep looks at every
//               entry.
// How         : all ways at once: the entry that matches, the lowest unused one, and the lowest one that the sweep has
//               left.
// Stages      : compare and decide (match, vacant), pick (pick).
// Latency     : none, there is no register.
// Throughput  : a row of each way per cycle.
// Illegal use : none.
//
// Paper: Chen et al., ISCA 2017 (SI-TM), section 4.3, Figure 10. It is a part of cw_scalable_reader_list. C model: part
// of csim/unit/scalable_reader_list.c.

`default_nettype none

module cw_reader_list_compare #(
    parameter WORD_W  = 30,
    parameter LEAVES  = 32,  // bits of a leaf
    parameter ROOT_W  = 5,   // of the number of a leaf
    parameter WAYS    = 8,
    parameter ENTRY_W = 69   // of an entry
) (
    input  wire [WAYS*ENTRY_W-1:0]   entry_i,
    // what is sought: the leaf of a word, else its plain entry or root
    input  wire [WORD_W-1:0]         word_i,
    input  wire                      seeks_leaf_i,
    input  wire [ROOT_W-1:0]         leaf_no_i,
    output wire [WAYS-1:0]           match_o,
    output wire [ENTRY_W-WORD_W-1:0] matched_o,     // without its word
    // the lowest unused place
    output wire [WAYS-1:0]           vacant_o,
    output wire                      vacant_any_o,
    // the sweep: the lowest plain entry or leaf of those that are left
    input  wire [WAYS-1:0]           left_i,
    output wire [WAYS-1:0]           pick_o,
    output wire                      pick_any_o,
    output wire [ENTRY_W-1:0]        picked_o
);

    localparam [1:0] UNUSED = 2'd0, PLAIN = 2'd1, ROOT = 2'd2, LEAF = 2'd3;  // an entry

    reg  [WAYS-1:0]    match;
    reg  [WAYS-1:0]    vacant;
    reg                vacant_any;
    reg  [ENTRY_W-1:0] matched;
    reg  [WAYS-1:0]    pick;
    reg                pick_any;
    reg  [ENTRY_W-1:0] picked;
    reg  [ENTRY_W-1:0] at;
    integer            w;

    always @* begin
        vacant_any = 1'b0;
        pick_any   = 1'b0;
        matched    = {ENTRY_W{1'b0}};
        picked     = {ENTRY_W{1'b0}};
        for (w = 0; w < WAYS; w = w + 1) begin
            at         = entry_i[w*ENTRY_W +: ENTRY_W];
            match[w]   = at[0 +: WORD_W] == word_i
                         && (seeks_leaf_i ? at[ENTRY_W-1 -: 2] == LEAF && at[WORD_W+LEAVES +: ROOT_W] == leaf_no_i
                                        : at[ENTRY_W-1 -: 2] == PLAIN || at[ENTRY_W-1 -: 2] == ROOT);
            matched    = matched | (at & {ENTRY_W{match[w]}});
            vacant[w]  = at[ENTRY_W-1 -: 2] == UNUSED && !vacant_any;
            vacant_any = vacant_any || at[ENTRY_W-1 -: 2] == UNUSED;
            pick[w]    = left_i[w] && at[ENTRY_W-2] && !pick_any;  // PLAIN or LEAF
            pick_any   = pick_any || pick[w];
            picked     = picked | (at & {ENTRY_W{pick[w]}});
        end
    end

    assign match_o      = match;
    assign matched_o    = matched[ENTRY_W-1:WORD_W];
    assign vacant_o     = vacant;
    assign vacant_any_o = vacant_any;
    assign pick_o       = pick;
    assign pick_any_o   = pick_any;
    assign picked_o     = picked;

endmodule

`default_nettype wire
