// SPDX-License-Identifier: Apache-2.0
//
// cw_reader_list_find: looks up entries, and has the one that is at work.
//
// Why         : an operation works on one entry at a time, and writes it where it was found.
// How         : cw_reader_list_ways has the rows, cw_reader_list_compare finds the entry. It is kept, with what is
//               written into it, for the next step.
// Stages      : hash, read, compare, and decide of a leaf that is read a cycle behind its root; pick of the sweep.
// Latency     : an entry whose row is read in t is there in t + 2.
// Throughput  : a look-up per cycle.
// Illegal use : a read and a write in one cycle.
//
// Paper: Chen et al., ISCA 2017 (SI-TM), section 4.3, Figure 10. It is a part of cw_scalable_reader_list. C model: part
// of csim/unit/scalable_reader_list.c.

`default_nettype none

module cw_reader_list_find #(
    parameter WORD_W  = 30,
    parameter LEAVES  = 32,     // bits of a leaf
    parameter ROOT_W  = 5,      // of the number of a leaf
    parameter ENTRIES = 14642,
    parameter WAYS    = 8,
    parameter KEY_W   = 36,     // of a key
    parameter ROW_W   = 11,     // of a row
    parameter BODY_W  = 37,     // of an entry without its type and word
    parameter ENTRY_W = 69      // of an entry
) (
    input  wire              clk_i,
    input  wire [3:0]        state_i,
    // what is sought: a leaf, else a plain entry or root
    input  wire [KEY_W-1:0]  key_i,
    input  wire [WORD_W-1:0] word_i,
    input  wire              for_leaf_i,
    input  wire [ROOT_W-1:0] leaf_no_i,
    input  wire              behind_i,       // a leaf is read behind the root
    input  wire              found_i,        // a look-up ends
    // rows of the reset and of the sweep; the sweep reads its row again
    input  wire [ROW_W-1:0]  clear_row_i,
    input  wire              take_row_i,
    input  wire [ROW_W-1:0]  sweep_row_i,
    input  wire              again_i,
    input  wire [ROW_W-1:0]  at_row_i,
    // entries of the row that the sweep has left, the one that is next, and its word
    input  wire [WAYS-1:0]   left_i,
    output wire [WAYS-1:0]   pick_o,
    output wire              pick_any_o,
    output wire [WORD_W-1:0] word_o,
    // what is written: the root at its place, else the entry
    input  wire              write_i,
    input  wire              writes_root_i,
    input  wire [WAYS-1:0]   root_place_i,
    input  wire [1:0]        type_i,
    input  wire [BODY_W-1:0] body_i,
    input  wire              changes_i,      // the entry is what is written
    // the entry
    output wire              hit_o,
    output wire              room_o,         // else there is a place
    output wire [WAYS-1:0]   place_o,
    output wire [1:0]        type_o,
    output wire [BODY_W-1:0] body_o
);

    localparam [3:0] CLEAR = 4'd0, IDLE = 4'd1, HASH = 4'd2, READ = 4'd3, COMPARE = 4'd4, DECIDE = 4'd5,
                     ROW_READ = 4'd7, PICK = 4'd8;

    wire [WAYS*16-1:0]      hash;
    // Of the cycle before: hashing and scaling to the rows do not fit into one cycle.
    reg  [WAYS*16-1:0]      hash_q;
    wire [WAYS*ROW_W-1:0]   row;         // of hash_q
    reg  [WAYS*ROW_W-1:0]   row_q;
    reg  [WAYS*ROW_W-1:0]   leaf_row_q;
    wire [WAYS*ENTRY_W-1:0] entry;
    wire [WAYS-1:0]         match;
    wire [2+BODY_W-1:0]     matched;     // without its word
    wire [WAYS-1:0]         vacant;      // the lowest unused place
    wire                    vacant_any;
    wire [WAYS-1:0]         pick;
    wire [ENTRY_W-1:0]      picked;
    reg                     hit_q;
    reg                     room_q;
    reg  [WAYS-1:0]         place_q;     // the entry's, else a new one's
    reg  [1:0]              type_q;
    reg  [BODY_W-1:0]       body_q;

    cw_reader_list_ways #(
        .ENTRIES(ENTRIES),
        .WAYS   (WAYS),
        .KEY_W  (KEY_W),
        .ROW_W  (ROW_W),
        .ENTRY_W(ENTRY_W)
    ) u_ways (
        .clk_i      (clk_i),
        .key_i      (key_i),
        .hash_o     (hash),
        .hash_i     (hash_q),
        .row_o      (row),
        .clear_i    (state_i == CLEAR),
        .clear_row_i(clear_row_i),
        .sweep_i    (state_i == IDLE),
        .sweep_row_i(sweep_row_i),
        .hashed_i   (state_i == READ || state_i == COMPARE),
        .leaf_i     (for_leaf_i),
        .leaf_row_i (leaf_row_q),
        .row_i      (row_q),
        .read_i     (state_i == READ || state_i == ROW_READ || take_row_i || (state_i == COMPARE && behind_i)),
        .entry_o    (entry),
        .write_i    ((writes_root_i ? root_place_i : place_q) & {WAYS{write_i}}),
        .entry_i    ({type_i, body_i, word_i})
    );

    cw_reader_list_compare #(
        .WORD_W (WORD_W),
        .LEAVES (LEAVES),
        .ROOT_W (ROOT_W),
        .WAYS   (WAYS),
        .ENTRY_W(ENTRY_W)
    ) u_compare (
        .entry_i     (entry),
        .word_i      (word_i),
        .seeks_leaf_i(for_leaf_i || state_i == DECIDE),
        .leaf_no_i   (leaf_no_i),
        .match_o     (match),
        .matched_o   (matched),
        .vacant_o    (vacant),
        .vacant_any_o(vacant_any),
        .left_i      (left_i),
        .pick_o      (pick),
        .pick_any_o  (pick_any_o),
        .picked_o    (picked)
    );

    always @(posedge clk_i) begin
        if (state_i == IDLE || state_i == HASH || state_i == READ)
            hash_q <= hash;
        if (state_i == READ && !for_leaf_i)
            row_q <= row;
        else if (take_row_i)
            row_q <= {WAYS{sweep_row_i}};
        else if (again_i)
            row_q <= {WAYS{at_row_i}};
        if (for_leaf_i ? state_i == READ : state_i == COMPARE)
            leaf_row_q <= row;
        if (found_i) begin
            hit_q   <= |match;
            room_q  <= vacant_any;
            place_q <= state_i == PICK ? pick : |match ? match : vacant;
            type_q  <= state_i == PICK ? picked[ENTRY_W-1 -: 2] : matched[BODY_W +: 2];
            body_q  <= state_i == PICK ? picked[WORD_W +: BODY_W] : matched[0 +: BODY_W];
        end else if (changes_i) begin
            hit_q   <= 1'b1;
            type_q  <= type_i;
            body_q  <= body_i;
        end
    end

    assign pick_o  = pick;
    assign word_o  = picked[0 +: WORD_W];
    assign hit_o   = hit_q;
    assign room_o  = room_q;
    assign place_o = place_q;
    assign type_o  = type_q;
    assign body_o  = body_q;

endmodule

`default_nettype wire
