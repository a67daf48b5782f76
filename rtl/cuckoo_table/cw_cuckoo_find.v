// SPDX-License-Identifier: Apache-2.0
//
// cw_cuckoo_find: the cuckoo table compares granules, and selects an entry, or the place of a new one.
//
// Why         : an entry may be in a row of four, in the stash, in one of the two updates that have not come to the
//               rows yet, or in hand.
// How         : the youngest update counts, then the table. A new entry goes to a free row; else it takes the place of
//               an unreserved entry, if enough rows are in use; else it displaces one. The way in which the search
//               begins changes with each new entry, and an entry in hand begins behind the way that it comes from.
// Stages      : find: granules are compared. The result is in registers in time.
// Latency     : a cycle.
// Throughput  : a look-up per cycle.
// Illegal use : none.
//
// Paper: GETM section V.B.1, Figure 8. It is a part of cw_cuckoo_core. C model: part of csim/unit/cuckoo_table.c.

`default_nettype none

module cw_cuckoo_find #(
    parameter GRANULE_W     = 30,
    parameter ENTRY_W       = 122,
    parameter BODY_W        = 92,  // of an entry, below its granule
    parameter WRITES_LSB    = 64,  // the number of writes in it
    parameter COUNT_W       = 16,
    parameter STASH_ENTRIES = 4
) (
    input  wire                             clk_i,
    // read: stash entries of the look-up's granule
    input  wire                             read_valid_i,
    input  wire [STASH_ENTRIES-1:0]         read_stash_i,
    // find: the look-up, or the entry in hand
    input  wire                             valid_i,
    input  wire                             chain_i,
    input  wire [GRANULE_W-1:0]             granule_i,
    // entries of its rows, each with a valid bit above; all entries of the stash
    input  wire [ENTRY_W:0]                 entry_0_i,
    input  wire [ENTRY_W:0]                 entry_1_i,
    input  wire [ENTRY_W:0]                 entry_2_i,
    input  wire [ENTRY_W:0]                 entry_3_i,
    /* verilator lint_off UNUSED */         // their granules
    input  wire [STASH_ENTRIES*ENTRY_W-1:0] stash_i,
    /* verilator lint_on UNUSED */
    // the update in write, and that of the cycle before; whether they are of its granule
    input  wire                             same_write_i,
    input  wire                             put_i,
    input  wire [3:0]                       write_way_i,
    input  wire [STASH_ENTRIES-1:0]         write_stash_i,
    input  wire [BODY_W-1:0]                write_body_i,
    input  wire                             same_past_i,
    input  wire                             past_put_i,
    input  wire [3:0]                       past_way_i,
    input  wire [STASH_ENTRIES-1:0]         past_stash_i,
    input  wire [BODY_W-1:0]                past_body_i,
    // the entry in hand, without its granule, and the way that it comes from
    input  wire [BODY_W-1:0]                hand_i,
    input  wire [1:0]                       hand_way_i,
    // the overflow area has been searched for this look-up, and has the entry, which is in hand
    input  wire                             searched_i,
    input  wire                             search_hit_i,
    // where a new entry begins to look for a victim; unreserved entries may be evicted
    input  wire [1:0]                       rotor_i,
    input  wire                             may_evict_i,
    // find: where it is, see cw_cuckoo_trust
    output wire                             from_write_o,
    output wire                             from_past_o,
    output wire                             local_o,
    output wire [3:0]                       way_o,
    // time: what has been found
    output wire                             time_found_o,
    output wire                             time_overflow_o,  // in the overflow area
    output wire                             time_searched_o,  // which has been searched for it
    output wire                             time_held_o,      // time_body holds a value: found, or the entry in hand
    output wire                             time_free_o,      // one of its rows is free
    output wire                             time_victim_o,    // or has an entry that may be evicted
    output wire                             time_easy_o,
    output wire [3:0]                       time_way_o,       // of the entry found
    output wire [3:0]                       time_place_o,     // way for a new entry
    output wire [STASH_ENTRIES-1:0]         time_stash_o,
    output wire [BODY_W-1:0]                time_body_o,
    output wire [ENTRY_W-1:0]               time_old_o        // entry in the row of time_place
);

    localparam [COUNT_W-1:0] NONE = {COUNT_W{1'b0}};

    reg [STASH_ENTRIES-1:0] stash_q;  // stash entry of its granule
    reg                     time_found_q;
    reg                     time_overflow_q;
    reg                     time_searched_q;
    reg                     time_held_q;
    reg                     time_free_q;
    reg                     time_victim_q;
    reg                     time_easy_q;
    reg [3:0]               time_way_q;
    reg [3:0]               time_place_q;
    reg [STASH_ENTRIES-1:0] time_stash_q;
    reg [BODY_W-1:0]        time_body_q;
    reg [ENTRY_W-1:0]       time_old_q;

    integer                 n;

    always @(posedge clk_i)
        if (read_valid_i)
            stash_q <= read_stash_i;

    reg  [3:0] find_hit;
    reg  [3:0] find_unreserved;
    reg  [3:0] find_free;
    reg        find_from_write;
    reg        find_from_past;
    reg        find_in_table;
    reg        find_searched;
    reg        find_overflow;
    reg        find_from_hand;
    reg        find_local;
    reg  [3:0] find_way;
    reg  [STASH_ENTRIES-1:0] find_stash;

    always @* begin
        find_hit        = 4'd0;
        find_unreserved = 4'd0;
        find_free       = 4'd0;
        find_from_write = 1'b0;
        find_from_past  = 1'b0;
        find_in_table   = 1'b0;
        find_searched   = 1'b0;
        find_overflow   = 1'b0;
        find_from_hand  = 1'b0;
        find_local      = 1'b0;
        find_way        = 4'd0;
        find_stash      = {STASH_ENTRIES{1'b0}};
        if (valid_i) begin
            find_free = ~{entry_3_i[ENTRY_W], entry_2_i[ENTRY_W], entry_1_i[ENTRY_W], entry_0_i[ENTRY_W]};
            find_hit = ~find_free
                       & {entry_3_i[BODY_W+:GRANULE_W] == granule_i, entry_2_i[BODY_W+:GRANULE_W] == granule_i,
                          entry_1_i[BODY_W+:GRANULE_W] == granule_i, entry_0_i[BODY_W+:GRANULE_W] == granule_i};
            find_unreserved = ~find_free
                       & {entry_3_i[WRITES_LSB+:COUNT_W] == NONE, entry_2_i[WRITES_LSB+:COUNT_W] == NONE,
                          entry_1_i[WRITES_LSB+:COUNT_W] == NONE, entry_0_i[WRITES_LSB+:COUNT_W] == NONE};
            find_from_write = same_write_i && put_i;
            find_from_past  = same_past_i && past_put_i && !find_from_write;
            find_in_table   = !find_from_write && !find_from_past && !chain_i;
            find_searched   = searched_i && !chain_i;
            find_overflow   = find_searched && search_hit_i;
            find_from_hand  = chain_i || find_overflow;
            find_local      = find_from_write || find_from_past || (!chain_i && (|find_hit || |stash_q));
            find_way        = find_from_write ? write_way_i : find_from_past ? past_way_i
                                              : find_hit & {4{find_in_table}};
            find_stash      = find_from_write ? write_stash_i : find_from_past ? past_stash_i
                                              : stash_q & {STASH_ENTRIES{find_in_table}};
        end
    end

    // The lowest way with the property; and the first one from a given way on.
    function [3:0] lowest (input [3:0] x);
        lowest = {x[3] && !x[2] && !x[1] && !x[0], x[2] && !x[1] && !x[0], x[1] && !x[0], x[0]};
    endfunction

    function [3:0] first_from (
        input [3:0] x,
        input [1:0] from
    );
        case (from)
            2'd0:    first_from = lowest(x);
            2'd1:    first_from = rotated(lowest({x[0], x[3:1]}), 2'd1);
            2'd2:    first_from = rotated(lowest({x[1:0], x[3:2]}), 2'd2);
            default: first_from = rotated(lowest({x[2:0], x[3]}), 2'd3);
        endcase
    endfunction

    function [3:0] rotated (
        input [3:0] x,
        input [1:0] by
    );
        case (by)
            2'd0:    rotated = x;
            2'd1:    rotated = {x[2:0], x[3]};
            2'd2:    rotated = {x[1:0], x[3:2]};
            default: rotated = {x[0], x[3:1]};
        endcase
    endfunction

    reg [1:0] find_from;
    reg [3:0] find_yields;
    reg [3:0] find_victim;
    reg [3:0] find_place;

    always @* begin
        find_from   = 2'd0;
        find_yields = 4'd0;
        find_victim = 4'd0;
        find_place  = 4'd0;
        if (valid_i) begin
            find_from   = chain_i ? hand_way_i + 2'd1 : rotor_i;
            find_yields = find_unreserved & {4{may_evict_i}};
            find_victim = |find_yields ? first_from(find_yields, find_from) : rotated(4'd1, find_from);
            find_place  = |find_free ? lowest(find_free) : find_victim;
        end
    end

    // Into time: what was found, and where a new entry would go.
    always @(posedge clk_i)
        if (valid_i) begin : into_time
            reg [BODY_W-1:0]  body;
            reg [ENTRY_W-1:0] old;

            body = {BODY_W{1'b0}};
            if (find_from_write)
                body = body | write_body_i;
            if (find_from_past)
                body = body | past_body_i;
            if (find_from_hand)
                body = body | hand_i;
            if (find_in_table) begin
                if (find_hit[0])
                    body = body | entry_0_i[BODY_W-1:0];
                if (find_hit[1])
                    body = body | entry_1_i[BODY_W-1:0];
                if (find_hit[2])
                    body = body | entry_2_i[BODY_W-1:0];
                if (find_hit[3])
                    body = body | entry_3_i[BODY_W-1:0];
                for (n = 0; n < STASH_ENTRIES; n = n + 1)
                    if (stash_q[n])
                        body = body | stash_i[n*ENTRY_W +: BODY_W];
            end

            old = {ENTRY_W{1'b0}};
            if (find_victim[0])
                old = old | entry_0_i[ENTRY_W-1:0];
            if (find_victim[1])
                old = old | entry_1_i[ENTRY_W-1:0];
            if (find_victim[2])
                old = old | entry_2_i[ENTRY_W-1:0];
            if (find_victim[3])
                old = old | entry_3_i[ENTRY_W-1:0];

            time_searched_q <= find_searched;
            time_found_q    <= find_local || find_overflow;
            time_overflow_q <= find_overflow;
            time_held_q     <= find_local || find_from_hand;
            time_body_q     <= body;
            time_way_q      <= find_way;
            time_stash_q    <= find_stash;
            time_free_q     <= |find_free;
            time_victim_q   <= |find_yields;
            time_easy_q     <= |find_free || |find_unreserved || !may_evict_i;
            time_place_q    <= find_place;
            time_old_q      <= old;
        end

    assign from_write_o    = find_from_write;
    assign from_past_o     = find_from_past;
    assign local_o         = find_local;
    assign way_o           = find_way;
    assign time_found_o    = time_found_q;
    assign time_overflow_o = time_overflow_q;
    assign time_searched_o = time_searched_q;
    assign time_held_o     = time_held_q;
    assign time_free_o     = time_free_q;
    assign time_victim_o   = time_victim_q;
    assign time_easy_o     = time_easy_q;
    assign time_way_o      = time_way_q;
    assign time_place_o    = time_place_q;
    assign time_stash_o    = time_stash_q;
    assign time_body_o     = time_body_q;
    assign time_old_o      = time_old_q;

endmodule

`default_nettype wire
