// SPDX-License-Identifier: Apache-2.0
//
// cw_cuckoo_core: the pipeline of the cuckoo table.
//
// Why         : hashing, reading a RAM, comparing four granules and two timestamps, and deciding take five cycles at the clock of an L2.
//               So look-ups follow each other through stages, and a look-up must see what those just before it have written.
// How         : stages A (hash), B (read), C (compare granules, select), X (compare timestamps), D (result), W (write). What is common is
//               forwarded: the last four updates of a granule. What is rare is repeated: a look-up in D whose result cannot be trusted goes
//               around, through Z and A, and all younger ones with it. An entry that is displaced goes through the same stages like
//               a look-up.
//
//                   look --> A --> B --> C --> X --> D --> W --> rows, stash
//                            ^                       |     |
//                            +---------- Z <---------+     +-- displaced entry --> A
//
//               Comparing and deciding do not fit one cycle. So a look-up in X is compared with all that its timestamps can be in the next
//               cycle: what it has found, what the look-up in D shows, and what that one may make of it.
//
//               Data registers load only when the stage before holds a look-up. A stage that holds none says nothing.
// Latency     : five cycles from an accepted look-up to its result, and six more each time that it goes around.
// Throughput  : one look-up and one update per cycle.
// Comb. paths : none.
// Differences : the fields of res_* are not 0 while res_valid is 0. cw_cuckoo_table, which is the unit, makes them 0; a unit around this one that
//               looks at res_valid last saves that time.
//
// Paper: GETM section V.B.1, Figure 8. Contract: include/cowarp/unit/cuckoo_table.h. C model: csim/unit/cuckoo_table.c.

`default_nettype none

module cw_cuckoo_core #(
    parameter TS_W          = 32,
    parameter GRANULE_W     = 30,
    parameter OWNER_W       = 12,
    parameter COUNT_W       = 16,
    parameter TAG_W         = 42,
    parameter ROW_W         = 8,
    parameter STASH_ENTRIES = 4,
    parameter MAX_SWAPS     = 32,
    parameter EVICT_FILL    = 11,
    parameter OVERFLOW_W    = 12
) (
    input  wire                  clk_i,
    input  wire                  rst_i,
    // look-up
    input  wire                  look_valid_i,
    input  wire [GRANULE_W-1:0]  look_granule_i,
    input  wire [TS_W-1:0]       look_ts_i,
    input  wire [OWNER_W-1:0]    look_owner_i,
    input  wire [TAG_W-1:0]      look_tag_i,
    output wire                  look_ready_o,
    // question to the structure that knows what is not here, and its answer three cycles later, a cycle before the result
    output wire                  read_valid_o,
    output wire [GRANULE_W-1:0]  read_granule_o,
    input  wire                  read_ready_i,
    input  wire [TS_W-1:0]       miss_wts_i,
    input  wire [TS_W-1:0]       miss_rts_i,
    // granule of the result of the next cycle, if there is one
    output wire [GRANULE_W-1:0]  next_granule_o,
    // result
    output wire                  res_valid_o,
    output wire [GRANULE_W-1:0]  res_granule_o,
    output wire [TS_W-1:0]       res_ts_o,
    output wire [OWNER_W-1:0]    res_look_owner_o,
    output wire [TAG_W-1:0]      res_tag_o,
    output wire                  res_found_o,
    output wire                  res_room_o,
    output wire                  res_easy_o,
    output wire [TS_W-1:0]       res_wts_o,
    output wire [TS_W-1:0]       res_rts_o,
    output wire [COUNT_W-1:0]    res_writes_o,
    // res_writes is fwd_writes, of the update before, if res_forward, else old_writes
    output wire                  res_forward_o,
    output wire [COUNT_W-1:0]    fwd_writes_o,
    output wire [COUNT_W-1:0]    old_writes_o,
    output wire [OWNER_W-1:0]    res_owner_o,
    output wire                  res_wts_later_o,
    output wire                  res_rts_later_o,
    output wire                  res_reserved_o,
    output wire                  res_own_o,
    input  wire                  res_again_i,
    // new values
    input  wire                  upd_valid_i,
    input  wire                  upd_wts_set_i,
    input  wire                  upd_rts_set_i,
    input  wire                  upd_writes_set_i,
    input  wire [COUNT_W-1:0]    upd_writes_i,
    input  wire                  upd_owner_set_i,
    // evicted entry
    output wire                  evict_valid_o,
    output wire [GRANULE_W-1:0]  evict_granule_o,
    output wire [TS_W-1:0]       evict_wts_o,
    output wire [TS_W-1:0]       evict_rts_o,
    // overflow area in memory
    output wire                  mem_valid_o,
    output wire                  mem_write_o,
    output wire [OVERFLOW_W-1:0] mem_addr_o,
    output reg  [159:0]          mem_wdata_o,
    input  wire                  mem_ready_i,
    input  wire                  mem_rsp_valid_i,
    /* verilator lint_off UNUSED */  // bits above the entry
    input  wire [159:0]          mem_rdata_i,
    /* verilator lint_on UNUSED */
    // control and status
    input  wire                  flush_i,
    output wire                  busy_o,
    output wire [ROW_W+2:0]      used_o,
    output wire [4:0]            stash_used_o,
    output wire [OVERFLOW_W:0]   overflow_used_o,
    // events
    output wire                  evt_done_o,
    output wire [7:0]            evt_cycles_o,
    output wire                  evt_stash_o,
    output wire                  evt_overflow_o
`ifdef CW_PROPERTIES
    , output wire [5:0]          f_there_o   // stages that have a look-up: Z lowest, then D, X, C, B, A
    , output wire [6*TAG_W-1:0]  f_tags_o    // and its tag
    , output wire                f_alone_o   // who comes to stage A comes alone
`endif
);

    // An entry here, from bit 0: wts, rts, writes, owner, which are its body, and the granule. In memory the granule comes first.
    localparam BODY_W   = 2 * TS_W + COUNT_W + OWNER_W;
    localparam ENTRY_W  = GRANULE_W + BODY_W;
    localparam B_RTS    = TS_W;
    localparam B_WRITES = 2 * TS_W;
    localparam B_OWNER  = B_WRITES + COUNT_W;

    localparam USED_W = ROW_W + 3;
    localparam HALF_W = TS_W / 2;
    localparam [31:0] EVICT_FROM = (EVICT_FILL * (4 << ROW_W)) / 16;

    localparam [3:0] ST_CLEAR       = 4'd0,  // rows are emptied
                     ST_RUN         = 4'd1,
                     ST_SEARCH_READ = 4'd2,  // the oldest look-up is sought in the overflow area
                     ST_SEARCH_WAIT = 4'd3,
                     ST_SEARCH_DONE = 4'd4,  // until its result is taken
                     ST_WRITE_BACK  = 4'd5,  // new value of an entry there
                     ST_MOVE_READ   = 4'd6,  // the last entry takes the place of one that was removed
                     ST_MOVE_WAIT   = 4'd7,
                     ST_MOVE_WRITE  = 4'd8,
                     ST_SPILL       = 4'd9;  // the entry in hand goes there

    // ---------------------------------------------------------------- registers

    reg [3:0]               state_q;
    reg [3:0]               state_d;
    reg [ROW_W-1:0]         clear_row_q;
    reg [USED_W-1:0]        used_cnt_q;
    reg                     may_evict_q;     // enough rows are in use
    reg [1:0]               rotor_q;         // way where a new entry begins to look for a victim
    reg [2:0]               wait_cnt_q;      // cycles until the oldest look-up is in D again; 0: D's is the oldest
    // overflow area
    reg [OVERFLOW_W:0]      overflow_cnt_q;
    reg                     overflow_any_q;
    reg [OVERFLOW_W-1:0]    search_idx_q;
    reg                     search_hit_q;
    reg [GRANULE_W-1:0]     search_granule_q;
    // the entry on its way: displaced, or of the overflow area
    reg [ENTRY_W-1:0]       hand_q;
    reg [1:0]               hand_way_q;      // it was displaced from there
    reg                     chain_q;         // it is in A .. W
    reg [7:0]               swap_cnt_q;
    // stage A
    reg                     a_valid_q;
    reg                     a_chain_q;
    reg [GRANULE_W-1:0]     a_granule_q;
    reg [TS_W-1:0]          a_ts_q;
    reg [OWNER_W-1:0]       a_owner_q;
    reg [TAG_W-1:0]         a_tag_q;
    // stage B
    reg                     b_valid_q;
    reg                     b_chain_q;
    reg                     b_spoilt_q;      // must go around
    reg                     b_empty_q;       // it came with a flush: rows not yet emptied count as empty
    reg                     b_same4_q;       // the update in W, if there is one, is of its granule
    reg [GRANULE_W-1:0]     b_granule_q;
    reg [TS_W-1:0]          b_ts_q;
    reg [OWNER_W-1:0]       b_owner_q;
    reg [TAG_W-1:0]         b_tag_q;
    reg [4*ROW_W-1:0]       b_rows_q;
    // stage C
    reg                     c_valid_q;
    reg                     c_chain_q;
    reg                     c_spoilt_q;
    reg                     c_same3_q;       // the update in W is of its granule
    reg                     c_same4_q;       // the update in V is of its granule
    reg [3:0]               c_written_q;     // ways whose row was written after it had been read
    reg [GRANULE_W-1:0]     c_granule_q;
    reg [TS_W-1:0]          c_ts_q;
    reg                     c_carry_q;       // one more than its low half is 0
    reg [OWNER_W-1:0]       c_owner_q;
    reg [TAG_W-1:0]         c_tag_q;
    reg [4*ROW_W-1:0]       c_rows_q;
    reg [STASH_ENTRIES-1:0] c_stash_q;       // stash entry of its granule
    // stage X
    reg                     x_valid_q;
    reg                     x_chain_q;
    reg                     x_spoilt_q;
    reg                     x_same2_q;       // the update in W is of its granule
    reg                     x_found_q;
    reg                     x_overflow_q;    // found in the overflow area
    reg                     x_searched_q;    // which has been searched for it
    reg                     x_free_q;        // one of its rows is free
    reg                     x_victim_q;      // or has an entry that may be evicted
    reg                     x_easy_q;
    reg [3:0]               x_way_q;         // of the entry found
    reg [3:0]               x_place_q;       // way for a new entry
    reg [STASH_ENTRIES-1:0] x_stash_q;
    reg [GRANULE_W-1:0]     x_granule_q;
    reg [TS_W-1:0]          x_ts_q;
    reg [TS_W-1:0]          x_after_q;       // the time after it
    reg [OWNER_W-1:0]       x_owner_q;
    reg [TAG_W-1:0]         x_tag_q;
    reg [4*ROW_W-1:0]       x_rows_q;
    reg                     x_held_q;        // x_body holds a value: found, or the entry in hand
    reg [BODY_W-1:0]        x_body_q;
    reg [ENTRY_W-1:0]       x_old_q;         // entry in the row of x_place
    // stage D
    reg                     d_valid_q;
    reg                     d_chain_q;
    reg                     d_spoilt_q;
    reg                     d_same1_q;       // the update in W is of its granule
    reg [3:0]               d_same_row_q;    // ways in which the look-up in W has the same row
    reg                     d_found_q;
    reg                     d_overflow_q;
    reg                     d_searched_q;
    reg                     d_free_q;
    reg                     d_victim_q;
    reg                     d_easy_q;
    reg [3:0]               d_way_q;
    reg [3:0]               d_place_q;
    reg [STASH_ENTRIES-1:0] d_stash_q;
    reg [GRANULE_W-1:0]     d_granule_q;
    reg [TS_W-1:0]          d_ts_q;
    reg [TS_W-1:0]          d_after_q;
    reg [OWNER_W-1:0]       d_owner_q;
    reg [TAG_W-1:0]         d_tag_q;
    reg [4*ROW_W-1:0]       d_rows_q;
    reg [BODY_W-1:0]        d_body_q;
    reg [ENTRY_W-1:0]       d_old_q;
    reg                     d_wts_later_q;   // timestamps later than its own: of d_body,
    reg                     d_rts_later_q;
    reg                     w_wts_later_q;   // of what the look-up in W found,
    reg                     w_rts_later_q;
    reg                     w_ts_equal_q;    // and that look-up's own, which may have become the entry's
    reg                     w_ts_later_q;
    // stage W. What is decided last is only w_decided and w_update; the rest says what these mean.
    reg                     w_decided_q;     // a look-up
    reg                     w_update_q;      // with new values
    reg                     w_direct_q;      // the entry's place is w_way or w_stash, and no other entry has to move
    reg                     w_fill_q;        // a free row
    reg                     w_evict_q;       // or one whose old entry leaves
    reg                     w_easy_q;
    reg                     w_overflow_q;    // the entry is in the overflow area
    reg                     w_chain_q;       // the entry in hand, with what becomes of it:
    reg                     w_displace_q;
    reg                     w_leave_q;
    reg                     w_stashed_q;
    reg                     w_spill_q;
    reg [3:0]               w_way_q;
    reg [3:0]               w_place_q;       // where a new entry displaces another one
    reg [STASH_ENTRIES-1:0] w_stash_q;
    reg [GRANULE_W-1:0]     w_granule_q;
    reg [4*ROW_W-1:0]       w_rows_q;
    reg [BODY_W-1:0]        w_body_q;        // as the result showed it
    reg                     w_wts_set_q;
    reg                     w_rts_set_q;
    reg                     w_writes_set_q;
    reg                     w_owner_set_q;
    reg [BODY_W-1:0]        w_upd_q;
    reg [ENTRY_W-1:0]       w_old_q;
    // stage V: the update of the cycle before
    reg                     v_put_q;
    reg [3:0]               v_way_q;
    reg [STASH_ENTRIES-1:0] v_stash_q;
    reg [BODY_W-1:0]        v_body_q;
    // stage Z
    reg                     z_valid_q;
    reg [GRANULE_W-1:0]     z_granule_q;
    reg [TS_W-1:0]          z_ts_q;
    reg [OWNER_W-1:0]       z_owner_q;
    reg [TAG_W-1:0]         z_tag_q;
    // events
    reg                     evt_done_q;
    reg [7:0]               evt_cycles_q;
    reg                     evt_stash_q;
    reg                     evt_overflow_q;
    reg [7:0]               held_cnt_q;

    genvar  w;
    integer n;

`ifdef CW_PROPERTIES
    wire [GRANULE_W-1:0]     f_granule;  // any one
    wire [4*ROW_W-1:0]       f_rows;     // its rows,
    wire [4*(ENTRY_W+1)-1:0] f_entry;    //   and what they hold
    wire [STASH_ENTRIES-1:0] f_stash_valid;
`endif

    wire clearing = state_q == ST_CLEAR;
    wire run      = state_q == ST_RUN;
    wire wipe     = rst_i || (flush_i && !busy_o);

    // ---------------------------------------------------------------- stage W: write

    wire [BODY_W-1:0] w_body;
    assign w_body[TS_W-1:0]          = w_wts_set_q    ? w_upd_q[TS_W-1:0]          : w_body_q[TS_W-1:0];
    assign w_body[B_RTS+:TS_W]       = w_rts_set_q    ? w_upd_q[B_RTS+:TS_W]       : w_body_q[B_RTS+:TS_W];
    assign w_body[B_WRITES+:COUNT_W] = w_writes_set_q ? w_upd_q[B_WRITES+:COUNT_W] : w_body_q[B_WRITES+:COUNT_W];
    assign w_body[B_OWNER+:OWNER_W]  = w_owner_set_q  ? w_upd_q[B_OWNER+:OWNER_W]  : w_body_q[B_OWNER+:OWNER_W];

    wire [ENTRY_W-1:0] w_entry      = {w_granule_q, w_body};
    // Both counts are compared before one of them is chosen: the choice is late.
    wire               w_unreserved = w_writes_set_q ? w_upd_q[B_WRITES+:COUNT_W] == {COUNT_W{1'b0}} : w_body_q[B_WRITES+:COUNT_W] == {COUNT_W{1'b0}};
    wire               overflow_full = overflow_cnt_q[OVERFLOW_W];

    wire w_acts     = w_update_q || w_chain_q;
    wire w_put      = w_update_q && w_direct_q;                      // look-ups of its granule may take the entry from here
    wire w_new      = w_update_q && !w_direct_q && !w_overflow_q;    // new entry without a row for it
    wire w_memory   = w_update_q && w_overflow_q;                    // new value of an entry of the overflow area
    wire w_slow     = w_chain_q || (w_update_q && !w_direct_q);      // nothing is decided in this cycle
    wire w_evicts   = w_acts && w_evict_q;
    wire [3:0] w_way = w_way_q & {4{w_acts}};
    wire [STASH_ENTRIES-1:0] w_stash = w_stash_q & {STASH_ENTRIES{w_acts}};

    // A new entry without a row: an unreserved one leaves when no unreserved neighbour could; a reserved one displaces another.
    wire w_new_leaves  = w_new && w_unreserved && (!w_easy_q || overflow_full);
    wire w_new_starts  = w_new && !w_new_leaves && !overflow_full;
    wire w_moves_on    = w_new_starts || w_displace_q;     // the old entry goes into hand, and to A
    wire w_removes     = w_memory && w_unreserved;         // an entry of the overflow area leaves
    wire [3:0] w_ways  = w_new_starts ? w_place_q : w_way;

    wire [OVERFLOW_W:0] overflow_less = overflow_cnt_q - 1'b1;
    wire search_last = {1'b0, search_idx_q} == overflow_less;

    assign evict_valid_o   = w_evicts || w_leave_q || w_new_leaves || w_removes;
    assign evict_granule_o = w_evict_q ? w_old_q[BODY_W+:GRANULE_W] : w_granule_q;
    assign evict_wts_o     = w_evict_q ? w_old_q[TS_W-1:0] : w_body[TS_W-1:0];
    assign evict_rts_o     = w_evict_q ? w_old_q[B_RTS+:TS_W] : w_body[B_RTS+:TS_W];

    // ---------------------------------------------------------------- stage A: hash; stage B: read

    wire hold = w_slow || chain_q;   // rows change, or an entry is in none of them

    wire [4*ROW_W-1:0] a_rows;

    function [31:0] way_seed (input integer way);
        case (way)
            0:       way_seed = 32'h10203040;
            1:       way_seed = 32'h20304010;
            2:       way_seed = 32'h30401020;
            default: way_seed = 32'h40102030;
        endcase
    endfunction

    generate
        for (w = 0; w < 4; w = w + 1) begin : g_way
            wire [ENTRY_W:0] b_entry;    // with a valid bit above
            reg  [ENTRY_W:0] c_entry_q;

            always @(posedge clk_i)
                if (b_valid_q)
                    c_entry_q <= {b_entry[ENTRY_W] && !b_empty_q, b_entry[ENTRY_W-1:0]};

            cw_h3_hash #(
                .KEY_W(GRANULE_W),
                .OUT_W(ROW_W),
                .SEED (way_seed(w))
            ) u_hash (
                .en_i  (a_valid_q),
                .key_i (a_granule_q),
                .hash_o(a_rows[w*ROW_W+:ROW_W])
            );

            cw_ram_1r1w_fwd #(
                .ADDR_W(ROW_W),
                .DATA_W(ENTRY_W + 1)
            ) u_ram (
                .clk_i    (clk_i),
                .rd_en_i  (a_valid_q),
                .rd_addr_i(a_rows[w*ROW_W+:ROW_W]),
                .rd_data_o(b_entry),
                .wr_en_i  (clearing || w_ways[w]),
                .wr_addr_i(clearing ? clear_row_q : w_rows_q[w*ROW_W+:ROW_W]),
                .wr_data_i({!clearing, w_entry})
`ifdef CW_PROPERTIES
                , .f_addr_i(f_rows[w*ROW_W+:ROW_W])
                , .f_data_o(f_entry[w*(ENTRY_W+1)+:ENTRY_W+1])
`endif
            );

`ifdef CW_PROPERTIES
            cw_h3_hash #(
                .KEY_W(GRANULE_W),
                .OUT_W(ROW_W),
                .SEED (way_seed(w))
            ) u_f_hash (
                .en_i  (1'b1),
                .key_i (f_granule),
                .hash_o(f_rows[w*ROW_W+:ROW_W])
            );
`endif
        end
    endgenerate

    // Ways in which two look-ups have the same row.
    function [3:0] same_rows (
        input [4*ROW_W-1:0] x,
        input [4*ROW_W-1:0] y
    );
        integer           k;
        reg [4*ROW_W-1:0] differ;
        begin
            differ = x ^ y;
            for (k = 0; k < 4; k = k + 1)
                same_rows[k] = differ[k*ROW_W+:ROW_W] == {ROW_W{1'b0}};
        end
    endfunction

    // ---------------------------------------------------------------- the stash

    wire [STASH_ENTRIES-1:0]         b_stash;
    wire [STASH_ENTRIES*ENTRY_W-1:0] stash_entry;
    wire [STASH_ENTRIES-1:0]         stash_free_oh;
    wire [STASH_ENTRIES-1:0]         stash_yield_oh;
    wire [ENTRY_W-1:0]               stash_yield;

    cw_cuckoo_stash #(
        .ENTRIES    (STASH_ENTRIES),
        .GRANULE_W  (GRANULE_W),
        .ENTRY_W    (ENTRY_W),
        .GRANULE_LSB(BODY_W),
        .WRITES_LSB (B_WRITES),
        .COUNT_W    (COUNT_W)
    ) u_stash (
        .clk_i        (clk_i),
        .clear_i      (wipe),
        .cmp_granule_i(b_granule_q),
        .hit_oh_o     (b_stash),
        .ask_place_i  (d_chain_q),
        .entry_o      (stash_entry),
        .free_oh_o    (stash_free_oh),
        .yield_oh_o   (stash_yield_oh),
        .yield_o      (stash_yield),
        .wr_oh_i      (w_stash),
        .wr_entry_i   (w_entry),
        .used_o       (stash_used_o)
`ifdef CW_PROPERTIES
        , .f_valid_o  (f_stash_valid)
`endif
    );

    // ---------------------------------------------------------------- stage C: compare and select

    reg  [3:0] c_hit;
    reg  [3:0] c_unreserved;
    reg  [3:0] c_free;
    // The youngest update counts.
    reg        c_from_w;
    reg        c_from_v;
    reg        c_in_table;
    reg        c_searched;  // the oldest one is in C
    reg        c_overflow;
    reg        c_from_hand;
    reg        c_local;
    reg  [3:0] c_way;
    reg  [STASH_ENTRIES-1:0] c_stash;

    always @* begin
        c_hit        = 4'd0;
        c_unreserved = 4'd0;
        c_free       = 4'd0;
        c_from_w     = 1'b0;
        c_from_v     = 1'b0;
        c_in_table   = 1'b0;
        c_searched   = 1'b0;
        c_overflow   = 1'b0;
        c_from_hand  = 1'b0;
        c_local      = 1'b0;
        c_way        = 4'd0;
        c_stash      = {STASH_ENTRIES{1'b0}};
        if (c_valid_q) begin
            c_free = ~{g_way[3].c_entry_q[ENTRY_W], g_way[2].c_entry_q[ENTRY_W], g_way[1].c_entry_q[ENTRY_W], g_way[0].c_entry_q[ENTRY_W]};
            c_hit = ~c_free & {g_way[3].c_entry_q[BODY_W+:GRANULE_W] == c_granule_q, g_way[2].c_entry_q[BODY_W+:GRANULE_W] == c_granule_q,
                               g_way[1].c_entry_q[BODY_W+:GRANULE_W] == c_granule_q, g_way[0].c_entry_q[BODY_W+:GRANULE_W] == c_granule_q};
            c_unreserved = ~c_free & {g_way[3].c_entry_q[B_WRITES+:COUNT_W] == {COUNT_W{1'b0}},
                                      g_way[2].c_entry_q[B_WRITES+:COUNT_W] == {COUNT_W{1'b0}},
                                      g_way[1].c_entry_q[B_WRITES+:COUNT_W] == {COUNT_W{1'b0}},
                                      g_way[0].c_entry_q[B_WRITES+:COUNT_W] == {COUNT_W{1'b0}}};
            c_from_w    = c_same3_q && w_put;
            c_from_v    = c_same4_q && v_put_q && !c_from_w;
            c_in_table  = !c_from_w && !c_from_v && !c_chain_q;
            c_searched  = state_q == ST_SEARCH_DONE && wait_cnt_q == 3'd2 && !c_chain_q;
            c_overflow  = c_searched && search_hit_q;
            c_from_hand = c_chain_q || c_overflow;
            c_local     = c_from_w || c_from_v || (!c_chain_q && (|c_hit || |c_stash_q));
            c_way       = c_from_w ? w_way_q : c_from_v ? v_way_q : c_hit & {4{c_in_table}};
            c_stash     = c_from_w ? w_stash_q : c_from_v ? v_stash_q : c_stash_q & {STASH_ENTRIES{c_in_table}};
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

    reg [1:0] c_from;
    reg [3:0] c_yields;
    reg [3:0] c_victim;
    reg [3:0] c_place;

    always @* begin
        c_from   = 2'd0;
        c_yields = 4'd0;
        c_victim = 4'd0;
        c_place  = 4'd0;
        if (c_valid_q) begin
            c_from   = c_chain_q ? hand_way_q + 2'd1 : rotor_q;
            c_yields = c_unreserved & {4{may_evict_q}};
            c_victim = |c_yields ? first_from(c_yields, c_from) : rotated(4'd1, c_from);
            c_place  = |c_free ? lowest(c_free) : c_victim;
        end
    end

    // ---------------------------------------------------------------- stage X: compare timestamps

    wire              x_forward = x_same2_q && w_put;

    assign next_granule_o = x_granule_q;

    // ---------------------------------------------------------------- stage D: result

    wire              d_forward = d_same1_q && w_put;
    wire [3:0]        d_written = w_way & d_same_row_q;
    wire              d_stale   = !d_forward && (d_found_q ? |(d_written & d_way_q) : |d_written);
    wire              d_found   = d_found_q || d_forward;
    wire              d_seek    = !d_found && !d_searched_q && overflow_any_q;  // the overflow area must be searched
    wire              d_oldest  = d_valid_q && !d_chain_q && wait_cnt_q == 3'd0;
    wire              d_trusted = !hold && (run || d_searched_q) && !d_spoilt_q && !d_stale;
    wire [BODY_W-1:0] d_body    = d_forward ? w_body : d_body_q;

    assign res_valid_o   = d_oldest && d_trusted && !d_seek;
    assign res_granule_o = d_granule_q;
    assign res_ts_o      = d_ts_q;
    assign res_look_owner_o = d_owner_q;
    assign res_tag_o     = d_tag_q;
    assign res_found_o   = d_found;
    assign res_forward_o = d_forward;
    assign fwd_writes_o  = w_body[B_WRITES+:COUNT_W];
    assign old_writes_o  = d_body_q[B_WRITES+:COUNT_W];
    assign res_room_o    = d_found || d_free_q || !overflow_full;
    assign res_easy_o    = d_found || d_easy_q;
    assign {res_owner_o, res_writes_o, res_rts_o, res_wts_o} = d_body;
    // The look-up in W has set wts to one more than its own time, or rts to its own time, or neither.
    assign res_wts_later_o = !d_forward ? d_wts_later_q : w_wts_set_q ? w_ts_later_q || w_ts_equal_q : w_wts_later_q;
    assign res_rts_later_o = !d_forward ? d_rts_later_q : w_rts_set_q ? w_ts_later_q : w_rts_later_q;

    // So are the reservation and its owner, in both candidates.
    wire w_reserved = !w_unreserved;
    wire w_own      = w_reserved && w_body[B_OWNER+:OWNER_W] == d_owner_q;
    wire d_reserved = d_body_q[B_WRITES+:COUNT_W] != {COUNT_W{1'b0}};
    wire d_own      = d_reserved && d_body_q[B_OWNER+:OWNER_W] == d_owner_q;

    assign res_reserved_o = d_forward ? w_reserved : d_reserved;
    assign res_own_o      = d_forward ? w_own : d_own;

    wire d_decided = res_valid_o && !res_again_i;
    wire d_direct  = d_found || d_free_q || d_victim_q;       // its place is known, and no other entry has to move
    wire d_in_overflow = d_overflow_q && !d_forward;

    // The entry in hand.
    reg h_unreserved;
    reg h_homeless;
    reg h_gives_up;
    reg h_stashed;

    always @* begin
        h_unreserved = 1'b0;
        h_homeless   = 1'b0;
        h_gives_up   = 1'b0;
        h_stashed    = 1'b0;
        if (d_chain_q) begin
            h_unreserved = hand_q[B_WRITES+:COUNT_W] == {COUNT_W{1'b0}};
            h_homeless   = !d_free_q && !d_victim_q;
            h_gives_up   = h_homeless && swap_cnt_q == MAX_SWAPS[7:0];
            h_stashed    = h_gives_up && !h_unreserved && (|stash_free_oh || |stash_yield_oh);
        end
    end

    // ---------------------------------------------------------------- control

    wire look_accept = look_valid_i && look_ready_o;
    wire search      = d_oldest && !hold && run && !d_spoilt_q && !d_stale && d_seek;

    assign look_ready_o   = !clearing && !hold && wait_cnt_q == 3'd0 && !z_valid_q;
    assign read_valid_o   = a_valid_q && !a_chain_q;
    assign read_granule_o = a_granule_q;

    always @* begin
        state_d = state_q;
        case (state_q)
            ST_CLEAR:
                if (&clear_row_q)
                    state_d = ST_RUN;
            ST_RUN:
                if (flush_i && !busy_o)
                    state_d = ST_CLEAR;
                else if (w_removes)
                    state_d = search_last ? ST_RUN : ST_MOVE_READ;
                else if (w_memory)
                    state_d = ST_WRITE_BACK;
                else if (w_spill_q)
                    state_d = ST_SPILL;
                else if (search)
                    state_d = ST_SEARCH_READ;
            ST_SEARCH_READ:
                if (mem_ready_i)
                    state_d = ST_SEARCH_WAIT;
            ST_SEARCH_WAIT:
                if (mem_rsp_valid_i)
                    state_d = mem_rdata_i[GRANULE_W-1:0] == search_granule_q || search_last ? ST_SEARCH_DONE : ST_SEARCH_READ;
            ST_SEARCH_DONE:
                if (d_decided)
                    state_d = ST_RUN;
            ST_MOVE_READ:
                if (mem_ready_i)
                    state_d = ST_MOVE_WAIT;
            ST_MOVE_WAIT:
                if (mem_rsp_valid_i)
                    state_d = ST_MOVE_WRITE;
            ST_WRITE_BACK, ST_MOVE_WRITE, ST_SPILL:
                if (mem_ready_i)
                    state_d = ST_RUN;
            default:
                state_d = ST_CLEAR;
        endcase
    end

    always @(posedge clk_i) begin
        state_q     <= rst_i ? ST_CLEAR : state_d;
        clear_row_q <= rst_i || !clearing ? {ROW_W{1'b0}} : clear_row_q + 1'b1;

        if (rst_i)
            wait_cnt_q <= 3'd0;
        else if (wait_cnt_q != 3'd0)
            wait_cnt_q <= wait_cnt_q - 3'd1;
        else if (d_oldest && !d_decided)
            wait_cnt_q <= 3'd5;

        if (rst_i || wipe) begin
            used_cnt_q     <= {USED_W{1'b0}};
            may_evict_q    <= EVICT_FILL == 0;
            rotor_q        <= 2'd0;
            overflow_cnt_q <= {(OVERFLOW_W + 1){1'b0}};
            overflow_any_q <= 1'b0;
        end else begin
            used_cnt_q  <= used_cnt_q + {{(USED_W - 1){1'b0}}, w_acts && w_fill_q};
            may_evict_q <= may_evict_q || used_cnt_q == EVICT_FROM[USED_W-1:0];  // it goes up in steps of one
            if (w_new_starts || (w_update_q && w_evict_q))
                rotor_q <= rotor_q + 2'd1;
            if (w_removes) begin
                overflow_cnt_q <= overflow_less;
                overflow_any_q <= overflow_less != {(OVERFLOW_W + 1){1'b0}};
            end else if (state_q == ST_SPILL && mem_ready_i) begin
                overflow_cnt_q <= overflow_cnt_q + 1'b1;
                overflow_any_q <= 1'b1;
            end
        end

        if (run) begin
            search_idx_q <= search ? {OVERFLOW_W{1'b0}} : search_idx_q;
            if (search)
                search_granule_q <= d_granule_q;
            search_hit_q <= 1'b0;
        end else if (state_q == ST_SEARCH_WAIT && mem_rsp_valid_i) begin
            search_hit_q <= mem_rdata_i[GRANULE_W-1:0] == search_granule_q;
            if (mem_rdata_i[GRANULE_W-1:0] != search_granule_q && !search_last)
                search_idx_q <= search_idx_q + 1'b1;
        end

        if (mem_rsp_valid_i && (state_q == ST_SEARCH_WAIT || state_q == ST_MOVE_WAIT))
            hand_q <= {mem_rdata_i[GRANULE_W-1:0], mem_rdata_i[GRANULE_W+:BODY_W]};
        else if (w_memory)
            hand_q <= w_entry;
        else if (w_moves_on)
            hand_q <= w_old_q;

        if (w_moves_on) begin
            hand_way_q <= {w_ways[3] || w_ways[2], w_ways[3] || w_ways[1]};
            swap_cnt_q <= w_chain_q ? swap_cnt_q + 8'd1 : 8'd1;
        end
        chain_q <= !rst_i && (w_moves_on || (chain_q && !w_chain_q));
    end

    // ---------------------------------------------------------------- the stages move on

    always @(posedge clk_i)
        if (rst_i) begin
            a_valid_q <= 1'b0;
            a_chain_q <= 1'b0;
            b_valid_q <= 1'b0;
            b_chain_q <= 1'b0;
            c_valid_q <= 1'b0;
            c_chain_q <= 1'b0;
            x_valid_q <= 1'b0;
            x_chain_q <= 1'b0;
            d_valid_q <= 1'b0;
            d_chain_q <= 1'b0;
            z_valid_q <= 1'b0;
        end else begin
            a_valid_q <= w_moves_on || z_valid_q || look_accept;
            a_chain_q <= w_moves_on;
            b_valid_q <= a_valid_q;
            b_chain_q <= a_chain_q;
            c_valid_q <= b_valid_q;
            c_chain_q <= b_chain_q;
            x_valid_q <= c_valid_q;
            x_chain_q <= c_chain_q;
            d_valid_q <= x_valid_q;
            d_chain_q <= x_chain_q;
            z_valid_q <= d_valid_q && !d_chain_q && !d_decided;
        end

    always @(posedge clk_i) begin
        a_granule_q <= w_moves_on ? w_old_q[BODY_W+:GRANULE_W] : z_valid_q ? z_granule_q : look_granule_i;
        if (z_valid_q || look_valid_i) begin
            a_ts_q    <= z_valid_q ? z_ts_q : look_ts_i;
            a_owner_q <= z_valid_q ? z_owner_q : look_owner_i;
            a_tag_q   <= z_valid_q ? z_tag_q : look_tag_i;
        end
    end

    // Into B. Registers of a stage that takes nothing keep what they hold.
    always @(posedge clk_i)
        if (a_valid_q) begin
            b_granule_q <= a_granule_q;
            b_ts_q      <= a_ts_q;
            b_owner_q   <= a_owner_q;
            b_tag_q     <= a_tag_q;
            b_rows_q    <= a_rows;
            b_same4_q   <= a_granule_q == d_granule_q;
            b_empty_q   <= clearing;
            // Its question comes in the cycle of the insertion, too early to be answered with it.
            b_spoilt_q  <= hold || !read_ready_i || (w_evicts && w_old_q[BODY_W+:GRANULE_W] == a_granule_q);
        end

    // Into C. A new entry that displaces another one needs no comparison: all that is inside is repeated.
    always @(posedge clk_i)
        if (b_valid_q) begin
            c_granule_q <= b_granule_q;
            c_ts_q      <= b_ts_q;
            c_carry_q   <= &b_ts_q[HALF_W-1:0];
            c_owner_q   <= b_owner_q;
            c_tag_q     <= b_tag_q;
            c_rows_q    <= b_rows_q;
            c_stash_q   <= b_stash;
            c_same3_q   <= b_granule_q == d_granule_q;
            c_same4_q   <= b_same4_q;
            c_written_q <= w_way & same_rows(w_rows_q, b_rows_q);
            c_spoilt_q  <= b_spoilt_q || hold;
        end

    // Into X: what was found, and where a new entry would go.
    always @(posedge clk_i)
        if (c_valid_q) begin : into_x
            reg [3:0]         written_now;
            reg [3:0]         written;  // rows, since they were read, or since the update that is taken from W or V was there
            reg [BODY_W-1:0]  body;
            reg [ENTRY_W-1:0] old;

            written_now = w_way & same_rows(w_rows_q, c_rows_q);
            written     = c_from_w ? 4'd0 : c_from_v ? written_now : written_now | c_written_q;

            body = {BODY_W{1'b0}};
            if (c_from_w)
                body = body | w_body;
            if (c_from_v)
                body = body | v_body_q;
            if (c_from_hand)
                body = body | hand_q[BODY_W-1:0];
            if (c_in_table) begin
                if (c_hit[0])
                    body = body | g_way[0].c_entry_q[BODY_W-1:0];
                if (c_hit[1])
                    body = body | g_way[1].c_entry_q[BODY_W-1:0];
                if (c_hit[2])
                    body = body | g_way[2].c_entry_q[BODY_W-1:0];
                if (c_hit[3])
                    body = body | g_way[3].c_entry_q[BODY_W-1:0];
                for (n = 0; n < STASH_ENTRIES; n = n + 1)
                    if (c_stash_q[n])
                        body = body | stash_entry[n*ENTRY_W+:BODY_W];
            end

            old = {ENTRY_W{1'b0}};
            if (c_victim[0])
                old = old | g_way[0].c_entry_q[ENTRY_W-1:0];
            if (c_victim[1])
                old = old | g_way[1].c_entry_q[ENTRY_W-1:0];
            if (c_victim[2])
                old = old | g_way[2].c_entry_q[ENTRY_W-1:0];
            if (c_victim[3])
                old = old | g_way[3].c_entry_q[ENTRY_W-1:0];

            x_granule_q  <= c_granule_q;
            x_ts_q       <= c_ts_q;
            // Here, because a time in X has to reach many comparators; and in halves, because a carry through all bits takes too long.
            x_after_q    <= {c_ts_q[TS_W-1:HALF_W] + {{(TS_W - HALF_W - 1){1'b0}}, c_carry_q}, c_ts_q[HALF_W-1:0] + {{(HALF_W - 1){1'b0}}, 1'b1}};
            x_owner_q    <= c_owner_q;
            x_tag_q      <= c_tag_q;
            x_rows_q     <= c_rows_q;
            x_same2_q    <= c_granule_q == d_granule_q;
            x_spoilt_q   <= c_spoilt_q || hold || (c_local ? |(written & c_way) : |written);
            x_searched_q <= c_searched;
            x_found_q    <= c_local || c_overflow;
            x_overflow_q <= c_overflow;
            x_held_q     <= c_local || c_from_hand;
            x_body_q     <= body;
            x_way_q      <= c_way;
            x_stash_q    <= c_stash;
            x_free_q     <= |c_free;
            x_victim_q   <= |c_yields;
            x_easy_q     <= |c_free || |c_unreserved || !may_evict_q;
            x_place_q    <= c_place;
            x_old_q      <= old;
        end

    // Into D, and what W will say about the look-up then in D.
    always @(posedge clk_i)
        if (x_valid_q) begin : into_d
            reg              x_found;
            reg [3:0]        written;
            reg              stale;
            reg [BODY_W-1:0] body;

            x_found = x_found_q || x_forward;
            written = w_way & same_rows(w_rows_q, x_rows_q);
            stale   = !x_forward && (x_found_q ? |(written & x_way_q) : |written);
            body    = x_forward ? w_body : x_body_q;
            if (!x_forward && !x_held_q)
                body[2*TS_W-1:0] = {miss_rts_i, miss_wts_i};

            d_granule_q   <= x_granule_q;
            d_ts_q        <= x_ts_q;
            d_after_q     <= x_after_q;
            d_owner_q     <= x_owner_q;
            d_tag_q       <= x_tag_q;
            d_rows_q      <= x_rows_q;
            d_same1_q     <= x_granule_q == d_granule_q;
            d_same_row_q  <= same_rows(x_rows_q, d_rows_q);
            d_spoilt_q    <= x_spoilt_q || hold || stale;
            d_searched_q  <= x_searched_q;
            d_found_q     <= x_found;
            d_overflow_q  <= x_overflow_q && !x_forward;
            d_body_q      <= body;
            d_way_q       <= x_forward ? w_way_q : x_way_q;
            d_stash_q     <= x_forward ? w_stash_q : x_stash_q;
            d_free_q      <= x_free_q;
            d_victim_q    <= x_victim_q;
            d_easy_q      <= x_easy_q;
            d_place_q     <= x_place_q;
            d_old_q       <= x_old_q;
            d_wts_later_q <= body[TS_W-1:0] > x_ts_q;
            d_rts_later_q <= body[B_RTS+:TS_W] > x_ts_q;
            w_wts_later_q <= d_body[TS_W-1:0] > x_ts_q;
            w_rts_later_q <= d_body[B_RTS+:TS_W] > x_ts_q;
            w_ts_equal_q  <= d_ts_q == x_ts_q;
            w_ts_later_q  <= d_ts_q > x_ts_q;
        end

    // Into Z and V.
    always @(posedge clk_i) begin
        if (d_valid_q) begin
            z_granule_q <= d_granule_q;
            z_ts_q      <= d_ts_q;
            z_owner_q   <= d_owner_q;
            z_tag_q     <= d_tag_q;
        end
        if (w_update_q) begin
            v_way_q   <= w_way_q;
            v_stash_q <= w_stash_q;
            v_body_q  <= w_body;
        end
    end

    // Into W: a decided look-up, or the entry in hand. Where it goes is known in D; what it holds is merged in W.
    always @(posedge clk_i)
        if (d_valid_q) begin
            w_granule_q    <= d_granule_q;
            w_rows_q       <= d_rows_q;
            w_body_q       <= d_body;
            w_upd_q        <= {d_owner_q, upd_writes_i, d_ts_q, d_after_q};
            w_wts_set_q    <= upd_wts_set_i && !d_chain_q;
            w_rts_set_q    <= upd_rts_set_i && !d_chain_q;
            w_writes_set_q <= upd_writes_set_i && !d_chain_q;
            w_owner_set_q  <= upd_owner_set_i && !d_chain_q;
            w_old_q        <= h_stashed ? stash_yield : d_old_q;
            w_easy_q       <= d_easy_q;
            w_place_q      <= d_place_q;
            w_overflow_q   <= d_in_overflow;
            if (d_chain_q) begin
                w_direct_q <= 1'b0;
                w_fill_q   <= d_free_q;
                w_evict_q  <= (d_victim_q && !d_free_q) || (h_stashed && !(|stash_free_oh));
                w_way_q    <= d_place_q & {4{!h_gives_up}};
                w_stash_q  <= (|stash_free_oh ? stash_free_oh : stash_yield_oh) & {STASH_ENTRIES{h_stashed}};
            end else begin
                w_direct_q <= d_direct && !d_in_overflow;
                w_fill_q   <= !d_found && d_free_q;
                w_evict_q  <= !d_found && !d_free_q && d_victim_q;
                w_way_q    <= (d_forward ? w_way_q : d_found_q ? d_way_q : d_place_q) & {4{d_direct && !d_in_overflow}};
                w_stash_q  <= d_forward ? w_stash_q : d_stash_q;
            end
        end

    always @(posedge clk_i)
        if (rst_i) begin
            v_put_q      <= 1'b0;
            w_decided_q  <= 1'b0;
            w_update_q   <= 1'b0;
            w_chain_q    <= 1'b0;
        end else begin
            v_put_q      <= w_put;
            w_decided_q  <= d_decided;
            w_update_q   <= d_decided && upd_valid_i;
            w_chain_q    <= d_chain_q;
        end

    // What becomes of the entry in hand. Nothing else is decided while it is in D.
    always @(posedge clk_i)
        if (rst_i || !d_chain_q) begin
            w_displace_q <= 1'b0;
            w_leave_q    <= 1'b0;
            w_stashed_q  <= 1'b0;
            w_spill_q    <= 1'b0;
        end else begin
            w_displace_q <= h_homeless && swap_cnt_q != MAX_SWAPS[7:0];
            w_leave_q    <= h_gives_up && h_unreserved;
            w_stashed_q  <= h_stashed;
            w_spill_q    <= h_gives_up && !h_unreserved && !h_stashed;
        end

    // ---------------------------------------------------------------- memory

    wire mem_read = state_q == ST_SEARCH_READ || state_q == ST_MOVE_READ;

    assign mem_write_o = state_q == ST_WRITE_BACK || state_q == ST_MOVE_WRITE || state_q == ST_SPILL;
    assign mem_valid_o = mem_read || mem_write_o;
    assign mem_addr_o  = state_q == ST_MOVE_READ || state_q == ST_SPILL ? overflow_cnt_q[OVERFLOW_W-1:0]
                       : mem_valid_o ? search_idx_q : {OVERFLOW_W{1'b0}};

    always @* begin
        mem_wdata_o = 160'd0;
        if (mem_write_o)
            mem_wdata_o[ENTRY_W-1:0] = {hand_q[BODY_W-1:0], hand_q[BODY_W+:GRANULE_W]};
    end

    // ---------------------------------------------------------------- status and events

    // An access that is held up ends when nothing moves any more.
    wire memory_works = !run && !clearing;
    wire held         = w_slow || chain_q || memory_works;
    wire held_ends    = (w_slow && !w_moves_on && state_d == ST_RUN)
                     || (memory_works && state_q != ST_SEARCH_DONE && state_d == ST_RUN);
    wire done         = (w_decided_q && !w_slow) || held_ends;
    wire [7:0] held_next = held_cnt_q == 8'd255 || !held ? held_cnt_q : held_cnt_q + 8'd1;

    always @(posedge clk_i)
        if (rst_i) begin
            held_cnt_q     <= 8'd0;
            evt_done_q     <= 1'b0;
            evt_cycles_q   <= 8'd0;
            evt_stash_q    <= 1'b0;
            evt_overflow_q <= 1'b0;
        end else begin
            held_cnt_q     <= done ? 8'd0 : held_next;
            evt_done_q     <= done;
            evt_cycles_q   <= !done ? 8'd0 : held_next == 8'd255 ? 8'd255 : held_next + 8'd1;
            evt_stash_q    <= w_stashed_q;
            evt_overflow_q <= state_q == ST_SPILL && mem_ready_i;
        end

    assign used_o          = used_cnt_q;
    assign overflow_used_o = overflow_cnt_q;
    assign evt_done_o      = evt_done_q;
    assign evt_cycles_o    = evt_cycles_q;
    assign evt_stash_o     = evt_stash_q;
    assign evt_overflow_o  = evt_overflow_q;
    assign busy_o          = !run || chain_q || a_valid_q || b_valid_q || c_valid_q || x_valid_q || d_valid_q || z_valid_q || w_decided_q
                          || w_chain_q || v_put_q || evt_done_q;

`ifdef CW_PROPERTIES
    // One granule, and its entry by what the ports have shown: it is in the table from an update of it until it is evicted.
    reg               f_past_q = 1'b0;
    reg               f_here_q;
    reg  [BODY_W-1:0] f_body_q;
    wire              f_res      = res_valid_o && !res_again_i && res_granule_o == f_granule;
    wire [BODY_W-1:0] f_shown    = {res_owner_o, res_writes_o, res_rts_o, res_wts_o};
    wire [BODY_W-1:0] f_new      = {upd_owner_set_i  ? d_owner_q : res_owner_o,
                                    upd_writes_set_i ? upd_writes_i : res_writes_o,
                                    upd_rts_set_i    ? res_ts_o : res_rts_o,
                                    upd_wts_set_i    ? res_ts_o + 1'b1 : res_wts_o};
    // The overflow area is full, and no neighbour can be evicted either.
    wire              f_ignored  = !res_room_o && !d_victim_q && f_new[B_WRITES+:COUNT_W] != {COUNT_W{1'b0}};
    wire              f_evicted  = evict_valid_o && evict_granule_o == f_granule;
    wire              f_reserved = f_here_q && f_body_q[B_WRITES+:COUNT_W] != {COUNT_W{1'b0}};
    // Its places. The overflow area is in memory, which the properties see when they are proved.
    reg  [4:0]        f_ways_cnt;
    reg  [4:0]        f_stash_cnt;
    wire              f_in_hand  = chain_q && hand_q[BODY_W+:GRANULE_W] == f_granule;
    wire [OVERFLOW_W+4:0] f_memory_cnt;
    wire [OVERFLOW_W+5:0] f_places = f_memory_cnt + f_ways_cnt + f_stash_cnt + f_in_hand;
    integer           f_i;
    // Questions of the last four cycles, and evictions since.
    reg  [3:0]              f_asked_q;
    reg  [4*GRANULE_W-1:0]  f_asked_granule_q;
    reg  [3:0]              f_evicted_q;
    reg  [2*TS_W-1:0]       f_miss_q;
    // Look-ups inside; one of them, and how many are before it.
    (* anyconst *) reg      f_tag;
    reg  [3:0]              f_inside_q;
    reg                     f_marked_q;
    reg  [3:0]              f_ahead_q;
    reg  [GRANULE_W+TS_W+OWNER_W+TAG_W-1:0] f_mark_q;
    wire                    f_mark      = look_accept && look_tag_i[0] == f_tag && !f_marked_q;
    wire                    f_mark_ends = d_decided && f_marked_q && f_ahead_q == 4'd0;
    wire [5:0]              f_there     = {a_valid_q && !a_chain_q, b_valid_q && !b_chain_q, c_valid_q && !c_chain_q,
                                           x_valid_q && !x_chain_q, d_valid_q && !d_chain_q, z_valid_q};
    wire [3:0]              f_stages    = {3'd0, f_there[0]} + {3'd0, f_there[1]} + {3'd0, f_there[2]} + {3'd0, f_there[3]}
                                        + {3'd0, f_there[4]} + {3'd0, f_there[5]};
    // Memory.
    reg                     f_mem_wait_q;
    reg  [160+OVERFLOW_W:0] f_mem_q;
    // An unreserved entry was to be inserted where all is reserved.
    reg                     f_hard_q;
    reg  [GRANULE_W-1:0]    f_hard_granule_q;
    reg  [10:0]             f_chain_cnt_q;

    cw_nonsynth_choice #(
        .W(GRANULE_W)
    ) u_f_choice (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (look_accept),
        .value_i (look_granule_i),
        .choice_o(f_granule)
    );

    always @* begin
        f_ways_cnt  = 5'd0;
        f_stash_cnt = 5'd0;
        for (f_i = 0; f_i < 4; f_i = f_i + 1)
            f_ways_cnt = f_ways_cnt + {4'd0, f_entry[f_i*(ENTRY_W+1)+ENTRY_W] && f_entry[f_i*(ENTRY_W+1)+BODY_W+:GRANULE_W] == f_granule};
        for (f_i = 0; f_i < STASH_ENTRIES; f_i = f_i + 1)
            f_stash_cnt = f_stash_cnt + {4'd0, f_stash_valid[f_i] && stash_entry[f_i*ENTRY_W+BODY_W+:GRANULE_W] == f_granule};
    end

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i || wipe)
            f_here_q <= 1'b0;
        else if (f_res && upd_valid_i && !f_ignored)
            f_here_q <= 1'b1;
        else if (f_evicted)
            f_here_q <= 1'b0;
        if (f_res && upd_valid_i && !f_ignored)
            f_body_q <= f_new;

        f_asked_q         <= {f_asked_q[2:0], read_valid_o && read_ready_i && !rst_i};
        f_asked_granule_q <= {f_asked_granule_q[3*GRANULE_W-1:0], read_granule_o};
        f_evicted_q       <= rst_i ? 4'd0 : {f_evicted_q[2:0], f_evicted};
        f_miss_q          <= {miss_rts_i, miss_wts_i};

        if (rst_i) begin
            f_inside_q <= 4'd0;
            f_marked_q <= 1'b0;
        end else begin
            f_inside_q <= f_inside_q + {3'd0, look_accept} - {3'd0, d_decided};
            f_marked_q <= f_mark || (f_marked_q && !f_mark_ends);
        end
        f_ahead_q <= (f_mark ? f_inside_q : f_ahead_q) - {3'd0, d_decided};
        if (f_mark)
            f_mark_q <= {look_granule_i, look_ts_i, look_owner_i, look_tag_i};

        f_mem_wait_q     <= mem_valid_o && !mem_ready_i && !rst_i;
        f_mem_q          <= {mem_write_o, mem_addr_o, mem_wdata_o};
        f_hard_q         <= d_decided && upd_valid_i && !res_found_o && !res_easy_o && f_new[B_WRITES+:COUNT_W] == {COUNT_W{1'b0}} && !rst_i;
        f_hard_granule_q <= res_granule_o;
        f_chain_cnt_q    <= rst_i || !chain_q ? 11'd0 : f_chain_cnt_q + 11'd1;
    end

    assign f_there_o = f_there;
    assign f_tags_o  = {a_tag_q, b_tag_q, c_tag_q, x_tag_q, d_tag_q, z_tag_q};
    // What is repeated was not decided, so W has nothing that could send an entry into hand; and a displacement is one of a chain.
    assign f_alone_o = !(z_valid_q && (w_update_q || w_chain_q)) && (w_chain_q || !w_displace_q);

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. An entry is found, wherever it went, with the values last written, unless it has been evicted.
            if (f_res && f_here_q)
                assert (res_found_o && f_shown == f_body_q);
            cover (f_res && f_reserved && d_forward);
            // 11. So is one that is in the stash.
            if (f_res && f_stash_cnt != 0)
                assert (res_found_o && f_shown == f_body_q);
            cover (f_res && f_reserved && f_stash_cnt != 0);
            // 12. So is one of the overflow area, which is searched for it.
            if (f_res && f_here_q && d_searched_q)
                assert (res_found_o && f_shown == f_body_q);
            cover (f_res && f_reserved && d_overflow_q);
            // 2. What is evicted was in the table, unreserved, and goes with the values last written.
            if (f_evicted)
                assert (f_here_q && !f_reserved && {evict_rts_o, evict_wts_o} == f_body_q[2*TS_W-1:0]);
            cover (f_evicted && w_evicts && f_body_q[TS_W-1:0] != 0);
            cover (f_evicted && w_removes);
            // 3. An entry that is in the table is in one place only, and one that is not is in none.
            if (run && !w_acts)
`ifdef FORMAL
                assert (f_places == f_here_q);
`else
                assert (f_places <= f_here_q);
`endif
            cover (run && !w_acts && f_in_hand);
            cover (run && !w_acts && f_stash_cnt != 0);
            cover (run && !w_acts && f_memory_cnt != 0);
            // 4. A result's granule was asked for four cycles before, with leave, and has not been evicted since if it is not found; then the
            //    result shows the answer.
            if (res_valid_o)
                assert (f_asked_q[3] && f_asked_granule_q[4*GRANULE_W-1-:GRANULE_W] == res_granule_o);
            if (f_res && !res_found_o)
                assert (f_evicted_q == 4'd0 && !f_evicted && f_shown == {{(BODY_W - 2*TS_W){1'b0}}, f_miss_q});
            cover (res_valid_o && !res_found_o && f_miss_q != 0 && evict_valid_o);
            cover (d_valid_q && !d_chain_q && d_granule_q == f_granule && f_evicted_q[3] && !d_found && !hold);
            // 5. Results come in the order of the look-ups, with what came with these, and each look-up has one.
            if (f_mark_ends)
                assert (f_mark_q == {res_granule_o, res_ts_o, res_look_owner_o, res_tag_o});
            cover (f_mark_ends && f_inside_q == 4'd6);
            cover (f_marked_q && f_ahead_q != 0 && wait_cnt_q != 0 && z_valid_q);
            // 13. No look-up is lost or doubled: what was accepted and not decided is in one of the stages.
            assert (f_inside_q == f_stages && f_inside_q <= 4'd6);
            cover (f_inside_q == 4'd6 && z_valid_q);
            // 6. What is compared before it is known equals a comparison of what is shown.
            if (res_valid_o)
                assert (res_wts_later_o == (res_wts_o > res_ts_o) && res_rts_later_o == (res_rts_o > res_ts_o)
                        && res_reserved_o == (res_writes_o != 0) && res_own_o == (res_writes_o != 0 && res_owner_o == d_owner_q));
            cover (res_valid_o && d_forward && w_wts_set_q && w_ts_equal_q && !w_wts_later_q);
            cover (res_valid_o && d_forward && w_rts_set_q && !w_ts_later_q && w_rts_later_q && res_own_o);
            // 7. An access that the memory has not taken stays. No write of stage W changes the entry in hand meanwhile.
            if (f_mem_wait_q)
                assert (mem_valid_o && f_mem_q == {mem_write_o, mem_addr_o, mem_wdata_o});
            if (mem_valid_o)
                assert (!w_memory && !w_moves_on);
            cover (f_mem_wait_q && mem_write_o && mem_ready_i);
            // 8. The overflow area never overflows, and only entries that are there are read.
            assert (overflow_cnt_q <= {1'b1, {OVERFLOW_W{1'b0}}} && overflow_any_q == (overflow_cnt_q != 0));
            if (state_q == ST_SPILL)
                assert (!overflow_full);
            if (state_q == ST_SEARCH_READ || state_q == ST_WRITE_BACK)
                assert ({1'b0, search_idx_q} < overflow_cnt_q);
            cover (state_q == ST_SPILL && mem_ready_i);
            // 9. An unreserved entry that would need the overflow area is evicted itself, and starts no chain.
            if (f_hard_q)
                assert (evict_valid_o && evict_granule_o == f_hard_granule_q && !w_moves_on);
            cover (f_hard_q && f_inside_q != 0);
            // 10. A chain ends, after six cycles for each of at most MAX_SWAPS displacements.
            assert (f_chain_cnt_q < 6 * MAX_SWAPS || !chain_q);
            cover (chain_q && f_chain_cnt_q == 6 * MAX_SWAPS - 1);
        end
`endif
`ifdef CW_PROPERTIES
    // The memory, and a read in it.
    reg [ENTRY_W-1:0]    f_memory_q [0:(1<<OVERFLOW_W)-1];
    reg                  f_read_q;
    reg [OVERFLOW_W-1:0] f_read_addr_q;
    reg                  f_stray_q = 1'b0;  // an answer is on its way to a read from before the reset
    wire                 f_reads   = mem_valid_o && mem_ready_i && !mem_write_o;

    always @(posedge clk_i) begin
        if (mem_valid_o && mem_ready_i && mem_write_o)
            f_memory_q[mem_addr_o] <= mem_wdata_o[ENTRY_W-1:0];
        if (rst_i)
            f_read_q <= 1'b0;
        else
            f_read_q <= f_reads || (f_read_q && !mem_rsp_valid_i);
        if (f_reads)
            f_read_addr_q <= mem_addr_o;
`ifndef FORMAL
        f_stray_q <= rst_i ? f_stray_q || f_read_q || f_reads : f_stray_q && !mem_rsp_valid_i;
`endif
    end

    always @(`CW_PROPERTIES)
        if (f_past_q && !rst_i) begin
            // contract: [61] Memory reads must be answered in order, in any later cycle.
            if (mem_rsp_valid_i && !f_stray_q)
                assume (f_read_q && mem_rdata_i[ENTRY_W-1:0] == f_memory_q[f_read_addr_q]);
            // contract: [19] upd_wts_set with a look_ts of all ones is not allowed
            if (res_valid_o && upd_valid_i && upd_wts_set_i && !res_again_i)
                assume (!(&res_ts_o));
        end
`endif
`ifdef FORMAL
    // Entries beyond the fourth are not counted: a loop over all would take Yosys minutes.
    reg [OVERFLOW_W+4:0] f_memory_sum;
    integer              f_m;

    always @* begin
        f_memory_sum = 0;
        for (f_m = 0; f_m < 4; f_m = f_m + 1)
            f_memory_sum = f_memory_sum + (f_m < (1 << OVERFLOW_W) && f_m < overflow_cnt_q && f_memory_q[f_m[OVERFLOW_W-1:0]][GRANULE_W-1:0] == f_granule);
    end
    assign f_memory_cnt = f_memory_sum;

    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`elsif CW_PROPERTIES
    assign f_memory_cnt = {(OVERFLOW_W+5){1'b0}};
`endif

endmodule

`default_nettype wire
