// SPDX-License-Identifier: Apache-2.0
//
// cw_cuckoo_write: the cuckoo table writes what has been decided, and settles what becomes of the entry in hand.
//
// Why         : a decision comes late in show. So where an entry goes is settled in show for both outcomes; what it
//               holds is merged, and what becomes of a new entry without a row is settled, in write.
// How         : an entry has new values where they are set. A new entry goes to a free row, or to that of an entry that
//               is evicted; else it leaves at once if it is unreserved, or displaces another one, which comes into
//               hand. The entry in hand does the same from its own rows; after MAX_SWAPS displacements it goes to the
//               stash, or, if that has no place, to the overflow area.
// Stages      : show: the entry in hand; write: rows and stash are written; past: what was written, for one cycle more.
// Latency     : a cycle.
// Throughput  : an update, or a step of the entry in hand, per cycle.
// Illegal use : a decision while slow_o is 1.
//
// Paper: GETM section V.B.1. It is a part of cw_cuckoo_core. C model: part of csim/unit/cuckoo_table.c.

`default_nettype none

module cw_cuckoo_write #(
    parameter TS_W          = 32,
    parameter GRANULE_W     = 30,
    parameter OWNER_W       = 12,
    parameter COUNT_W       = 16,
    parameter ENTRY_W       = 122,
    parameter BODY_W        = 92,  // of an entry, below its granule
    parameter STASH_ENTRIES = 4
) (
    input  wire                     clk_i,
    input  wire                     rst_i,
    // show: a look-up, or the entry in hand; a look-up is decided
    input  wire                     show_valid_i,
    input  wire                     show_chain_i,
    input  wire                     decided_i,
    input  wire [TS_W-1:0]          show_ts_i,
    input  wire [TS_W-1:0]          show_after_i,
    input  wire [OWNER_W-1:0]       show_owner_i,
    // what it has found, see cw_cuckoo_show
    input  wire                     show_forward_i,
    input  wire                     found_i,
    input  wire                     show_found_i,
    input  wire                     show_overflow_i,
    input  wire                     show_free_i,
    input  wire                     show_victim_i,
    input  wire                     show_easy_i,
    input  wire [3:0]               show_way_i,
    input  wire [3:0]               show_place_i,
    input  wire [STASH_ENTRIES-1:0] show_stash_i,
    input  wire [BODY_W-1:0]        show_body_i,
    input  wire [ENTRY_W-1:0]       show_old_i,
    // new values
    input  wire                     upd_valid_i,
    input  wire                     upd_wts_set_i,
    input  wire                     upd_rts_set_i,
    input  wire                     upd_writes_set_i,
    input  wire [COUNT_W-1:0]       upd_writes_i,
    input  wire                     upd_owner_set_i,
    // the entry in hand is unreserved; it may displace no other one
    input  wire                     hand_unreserved_i,
    input  wire                     swaps_done_i,
    // stash: a free place, or that of an unreserved entry
    input  wire [STASH_ENTRIES-1:0] stash_free_oh_i,
    input  wire [STASH_ENTRIES-1:0] stash_yield_oh_i,
    input  wire [ENTRY_W-1:0]       stash_yield_i,
    // write
    input  wire [GRANULE_W-1:0]     write_granule_i,
    input  wire                     overflow_full_i,
    // what happens: nothing is decided in this cycle; look-ups may take the entry; a free row is filled; the next
    // victim is sought elsewhere
    output wire                     slow_o,
    output wire                     put_o,
    output wire                     fill_o,
    output wire                     turn_o,
    output wire                     decided_o,
    // the entry in hand: in write; stashed; to go to the overflow area; another one comes into hand
    output wire                     chain_o,
    output wire                     stashed_o,
    output wire                     spill_o,
    output wire                     moves_on_o,
    // an entry of the overflow area has new values; it leaves
    output wire                     memory_o,
    output wire                     removes_o,
    // rows and stash
    output wire [3:0]               way_o,       // of an update, or of the entry in hand
    output wire [3:0]               ways_o,      // that are written
    output wire [STASH_ENTRIES-1:0] stash_oh_o,
    output wire [ENTRY_W-1:0]       entry_o,
    output wire                     evicts_o,
    output wire [ENTRY_W-1:0]       old_o,       // entry that was in the row, or in the stash
    // for those that take the entry from here: its place, what is set; and the same a cycle later
    output wire [3:0]               write_way_o,
    output wire [STASH_ENTRIES-1:0] write_stash_o,
    output wire                     wts_set_o,
    output wire                     rts_set_o,
    output wire                     unreserved_o,
    output wire                     past_put_o,
    output wire [3:0]               past_way_o,
    output wire [STASH_ENTRIES-1:0] past_stash_o,
    output wire [BODY_W-1:0]        past_body_o,
    // evicted entry
    output wire                     evict_valid_o,
    output wire [GRANULE_W-1:0]     evict_granule_o,
    output wire [TS_W-1:0]          evict_wts_o,
    output wire [TS_W-1:0]          evict_rts_o
`ifdef CW_PROPERTIES
    , output wire [2:0]             f_write_o    // {update, an entry acts, it displaces}
`endif
);

    localparam B_RTS = TS_W;

    // What is decided last is only write_decided and write_update; the rest says what these mean.
    reg                     write_decided_q;  // a look-up
    reg                     write_update_q;   // with new values
    reg                     write_direct_q;   // its place is write_way or write_stash, and no other entry has to move
    reg                     write_fill_q;     // a free row
    reg                     write_evict_q;    // or one whose old entry leaves
    reg                     write_easy_q;
    reg                     write_overflow_q; // the entry is in the overflow area
    reg                     write_chain_q;    // the entry in hand, with what becomes of it:
    reg                     write_displace_q;
    reg                     write_leave_q;
    reg                     write_stashed_q;
    reg                     write_spill_q;
    reg [3:0]               write_way_q;
    reg [3:0]               write_place_q;    // where a new entry displaces another one
    reg [STASH_ENTRIES-1:0] write_stash_q;
    reg [BODY_W-1:0]        write_body_q;     // as the result showed it
    reg                     write_wts_set_q;
    reg                     write_rts_set_q;
    reg                     write_writes_set_q;
    reg                     write_owner_set_q;
    reg [BODY_W-1:0]        write_upd_q;
    reg [ENTRY_W-1:0]       write_old_q;
    reg                     past_put_q;
    reg [3:0]               past_way_q;
    reg [STASH_ENTRIES-1:0] past_stash_q;
    reg [BODY_W-1:0]        past_body_q;

    // ---------------------------------------------------------------- write

    wire [OWNER_W-1:0] upd_owner;
    wire [OWNER_W-1:0] old_owner;
    wire [COUNT_W-1:0] upd_writes;
    wire [COUNT_W-1:0] old_writes;
    wire [TS_W-1:0]    upd_rts;
    wire [TS_W-1:0]    old_rts;
    wire [TS_W-1:0]    upd_wts;
    wire [TS_W-1:0]    old_wts;
    wire [BODY_W-1:0]  body;

    assign {upd_owner, upd_writes, upd_rts, upd_wts} = write_upd_q;
    assign {old_owner, old_writes, old_rts, old_wts} = write_body_q;
    assign body = {write_owner_set_q  ? upd_owner : old_owner, write_writes_set_q ? upd_writes : old_writes,
                   write_rts_set_q    ? upd_rts   : old_rts,   write_wts_set_q    ? upd_wts    : old_wts};

    // Both counts are compared before one of them is chosen: the choice is late.
    wire       upd_unreserved = upd_writes == {COUNT_W{1'b0}};
    wire       old_unreserved = old_writes == {COUNT_W{1'b0}};
    wire       unreserved     = write_writes_set_q ? upd_unreserved : old_unreserved;

    wire       acts       = write_update_q || write_chain_q;
    wire       put        = write_update_q && write_direct_q;
    wire       is_new     = write_update_q && !write_direct_q && !write_overflow_q;  // without a row for it
    wire       memory     = write_update_q && write_overflow_q;
    wire       evicts     = acts && write_evict_q;
    wire [3:0] write_way  = write_way_q & {4{acts}};

    // A new entry without a row: an unreserved one leaves when no unreserved neighbour could; a reserved one displaces
    // another.
    wire       new_leaves = is_new && unreserved && (!write_easy_q || overflow_full_i);
    wire       new_starts = is_new && !new_leaves && !overflow_full_i;
    wire       removes    = memory && unreserved;

    assign slow_o          = write_chain_q || (write_update_q && !write_direct_q);
    assign put_o           = put;
    assign fill_o          = acts && write_fill_q;
    assign turn_o          = new_starts || (write_update_q && write_evict_q);
    assign decided_o       = write_decided_q;
    assign chain_o         = write_chain_q;
    assign stashed_o       = write_stashed_q;
    assign spill_o         = write_spill_q;
    assign moves_on_o      = new_starts || write_displace_q;
    assign memory_o        = memory;
    assign removes_o       = removes;
    assign way_o           = write_way;
    assign ways_o          = new_starts ? write_place_q : write_way;
    assign stash_oh_o      = write_stash_q & {STASH_ENTRIES{acts}};
    assign entry_o         = {write_granule_i, body};
    assign evicts_o        = evicts;
    assign old_o           = write_old_q;
    assign write_way_o     = write_way_q;
    assign write_stash_o   = write_stash_q;
    assign wts_set_o       = write_wts_set_q;
    assign rts_set_o       = write_rts_set_q;
    assign unreserved_o    = unreserved;
    assign past_put_o      = past_put_q;
    assign past_way_o      = past_way_q;
    assign past_stash_o    = past_stash_q;
    assign past_body_o     = past_body_q;
    assign evict_valid_o   = evicts || write_leave_q || new_leaves || removes;
    assign evict_granule_o = write_evict_q ? write_old_q[BODY_W+:GRANULE_W] : write_granule_i;
    assign evict_wts_o     = write_evict_q ? write_old_q[TS_W-1:0] : body[TS_W-1:0];
    assign evict_rts_o     = write_evict_q ? write_old_q[B_RTS+:TS_W] : body[B_RTS+:TS_W];

    // ---------------------------------------------------------------- show: the entry in hand

    reg hand_unreserved;
    reg hand_homeless;
    reg hand_gives_up;
    reg hand_stashed;

    always @* begin
        hand_unreserved = 1'b0;
        hand_homeless   = 1'b0;
        hand_gives_up   = 1'b0;
        hand_stashed    = 1'b0;
        if (show_chain_i) begin
            hand_unreserved = hand_unreserved_i;
            hand_homeless   = !show_free_i && !show_victim_i;
            hand_gives_up   = hand_homeless && swaps_done_i;
            hand_stashed    = hand_gives_up && !hand_unreserved && (|stash_free_oh_i || |stash_yield_oh_i);
        end
    end

    // Into write: a decided look-up, or the entry in hand.
    wire direct = found_i || show_free_i || show_victim_i;  // its place is known, and no other entry has to move

    always @(posedge clk_i)
        if (show_valid_i) begin
            write_body_q       <= show_body_i;
            write_upd_q        <= {show_owner_i, upd_writes_i, show_ts_i, show_after_i};
            write_wts_set_q    <= upd_wts_set_i && !show_chain_i;
            write_rts_set_q    <= upd_rts_set_i && !show_chain_i;
            write_writes_set_q <= upd_writes_set_i && !show_chain_i;
            write_owner_set_q  <= upd_owner_set_i && !show_chain_i;
            write_old_q        <= hand_stashed ? stash_yield_i : show_old_i;
            write_easy_q       <= show_easy_i;
            write_place_q      <= show_place_i;
            write_overflow_q   <= show_overflow_i;
            if (show_chain_i) begin
                write_direct_q <= 1'b0;
                write_fill_q   <= show_free_i;
                write_evict_q  <= (show_victim_i && !show_free_i) || (hand_stashed && !(|stash_free_oh_i));
                write_way_q    <= show_place_i & {4{!hand_gives_up}};
                write_stash_q  <= (|stash_free_oh_i ? stash_free_oh_i : stash_yield_oh_i)
                                  & {STASH_ENTRIES{hand_stashed}};
            end else begin
                write_direct_q <= direct && !show_overflow_i;
                write_fill_q   <= !found_i && show_free_i;
                write_evict_q  <= !found_i && !show_free_i && show_victim_i;
                write_way_q    <= (show_forward_i ? write_way_q : show_found_i ? show_way_i : show_place_i)
                                  & {4{direct && !show_overflow_i}};
                write_stash_q  <= show_forward_i ? write_stash_q : show_stash_i;
            end
        end

    always @(posedge clk_i)
        if (rst_i) begin
            past_put_q      <= 1'b0;
            write_decided_q <= 1'b0;
            write_update_q  <= 1'b0;
            write_chain_q   <= 1'b0;
        end else begin
            past_put_q      <= put;
            write_decided_q <= decided_i;
            write_update_q  <= decided_i && upd_valid_i;
            write_chain_q   <= show_chain_i;
        end

    // What becomes of the entry in hand. Nothing else is decided while it is in show.
    always @(posedge clk_i)
        if (rst_i || !show_chain_i) begin
            write_displace_q <= 1'b0;
            write_leave_q    <= 1'b0;
            write_stashed_q  <= 1'b0;
            write_spill_q    <= 1'b0;
        end else begin
            write_displace_q <= hand_homeless && !swaps_done_i;
            write_leave_q    <= hand_gives_up && hand_unreserved;
            write_stashed_q  <= hand_stashed;
            write_spill_q    <= hand_gives_up && !hand_unreserved && !hand_stashed;
        end

    always @(posedge clk_i)
        if (write_update_q) begin
            past_way_q   <= write_way_q;
            past_stash_q <= write_stash_q;
            past_body_q  <= body;
        end

`ifdef CW_PROPERTIES
    assign f_write_o = {write_update_q, acts, write_displace_q};
`endif

endmodule

`default_nettype wire
