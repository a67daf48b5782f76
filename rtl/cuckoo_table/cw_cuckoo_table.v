// SPDX-License-Identifier: Apache-2.0
//
// cw_cuckoo_table: GETM's exact metadata, a cuckoo table with stash and overflow area.
//
// Why         : a reserved granule must never be forgotten, so its metadata need an exact table. A set-associative one would overflow
//               in one set while the others are empty. Cuckoo hashing moves entries to other rows instead.
// How         : four ways of 2^ROW_W rows, a stash that is searched in parallel, and an overflow area behind mem_*. A result offers
//               the granule's entry, and the user gives the new value in the same cycle. A new entry may displace an old one, which
//               then looks for another row; this chain ends in a free row, in an eviction, in the stash or in the overflow area.
// Latency     : two cycles from an accepted look-up to its result.
// Throughput  : one look-up and one update per cycle. A chain of displacements or a search of the overflow area holds the later
//               look-ups back.
// Comb. paths : read_valid and read_granule depend on inputs of the same cycle. No other output does.
// Illegal use : inserting a reserved entry while res_room is 0 (it is ignored). A parameter outside of the contract stops elaboration
//               at a module cw_error_...
//
// Paper: GETM section V.B.1, Figure 8. Contract: include/cowarp/unit/cuckoo_table.h. C model: csim/unit/cuckoo_table.c.
// Datasheet: docs/units/cuckoo_table.md.

`default_nettype none

module cw_cuckoo_table #(
    parameter TS_W          = 32,
    parameter GRANULE_W     = 30,
    parameter OWNER_W       = 12,
    parameter COUNT_W       = 16,
    parameter ROW_W         = 8,
    parameter STASH_ENTRIES = 4,
    parameter MAX_SWAPS     = 32,
    parameter EVICT_FILL    = 11,
    parameter OVERFLOW_W    = 12
) (
    input  wire                  clk_i,
    input  wire                  rst_i,
    // look-up channel
    input  wire                  look_valid_i,
    input  wire [GRANULE_W-1:0]  look_granule_i,
    output wire                  look_ready_o,
    output wire                  read_valid_o,
    output wire [GRANULE_W-1:0]  read_granule_o,
    // result, one cycle
    output wire                  res_valid_o,
    output wire [GRANULE_W-1:0]  res_granule_o,
    output wire                  res_found_o,
    output wire                  res_room_o,
    output wire                  res_easy_o,
    output wire [TS_W-1:0]       res_wts_o,
    output wire [TS_W-1:0]       res_rts_o,
    output wire [COUNT_W-1:0]    res_writes_o,
    output wire [OWNER_W-1:0]    res_owner_o,
    // new value of the offered granule's entry
    input  wire                  upd_valid_i,
    input  wire [TS_W-1:0]       upd_wts_i,
    input  wire [TS_W-1:0]       upd_rts_i,
    input  wire [COUNT_W-1:0]    upd_writes_i,
    input  wire [OWNER_W-1:0]    upd_owner_i,
    // evict channel
    output wire                  evict_valid_o,
    output wire [GRANULE_W-1:0]  evict_granule_o,
    output wire [TS_W-1:0]       evict_wts_o,
    output wire [TS_W-1:0]       evict_rts_o,
    input  wire                  evict_ready_i,
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
    output wire                  evt_evict_o,
    output wire                  evt_stash_o,
    output wire                  evt_overflow_o
);

    // An entry, from bit 0: granule, wts, rts, writes, owner.
    localparam WTS_LSB    = GRANULE_W;
    localparam RTS_LSB    = WTS_LSB + TS_W;
    localparam WRITES_LSB = RTS_LSB + TS_W;
    localparam OWNER_LSB  = WRITES_LSB + COUNT_W;
    localparam ENTRY_W    = OWNER_LSB + OWNER_W;

    localparam USED_W = ROW_W + 3;
    localparam [31:0] EVICT_FROM = (EVICT_FILL * (4 << ROW_W)) / 16;

    generate
        if (TS_W < 4 || TS_W > 48) begin : g_bad_ts_w
            cw_error_ts_w_must_be_4_to_48 u_error ();
        end
        if (GRANULE_W < 8 || GRANULE_W > 40) begin : g_bad_granule_w
            cw_error_granule_w_must_be_8_to_40 u_error ();
        end
        if (OWNER_W < 2 || OWNER_W > 16) begin : g_bad_owner_w
            cw_error_owner_w_must_be_2_to_16 u_error ();
        end
        if (COUNT_W < 2 || COUNT_W > 16) begin : g_bad_count_w
            cw_error_count_w_must_be_2_to_16 u_error ();
        end
        if (ENTRY_W > 160) begin : g_bad_entry
            cw_error_entry_must_fit_160_bits u_error ();
        end
        if (ROW_W < 1 || ROW_W > 12) begin : g_bad_row_w
            cw_error_row_w_must_be_1_to_12 u_error ();
        end
        if (STASH_ENTRIES < 1 || STASH_ENTRIES > 16) begin : g_bad_stash_entries
            cw_error_stash_entries_must_be_1_to_16 u_error ();
        end
        if (MAX_SWAPS < 1 || MAX_SWAPS > 255) begin : g_bad_max_swaps
            cw_error_max_swaps_must_be_1_to_255 u_error ();
        end
        if (EVICT_FILL < 0 || EVICT_FILL > 16) begin : g_bad_evict_fill
            cw_error_evict_fill_must_be_0_to_16 u_error ();
        end
        if (OVERFLOW_W < 1 || OVERFLOW_W > 20) begin : g_bad_overflow_w
            cw_error_overflow_w_must_be_1_to_20 u_error ();
        end
    endgenerate

    localparam [3:0] ST_CLEAR       = 4'd0,   // rows are emptied one after another
                     ST_RUN         = 4'd1,   // look-ups flow
                     ST_SEARCH_READ = 4'd2,   // ask for an overflow entry
                     ST_SEARCH_WAIT = 4'd3,   // await and compare it
                     ST_SEARCH_DONE = 4'd4,   // offer the outcome of the search
                     ST_WRITE_BACK  = 4'd5,   // store the new value of an overflow entry
                     ST_MOVE_READ   = 4'd6,   // fetch the last overflow entry ...
                     ST_MOVE_WAIT   = 4'd7,
                     ST_MOVE_WRITE  = 4'd8,   // ... and put it into the place of a removed one
                     ST_CHAIN_READ  = 4'd9,   // read the four rows of the entry in hand
                     ST_CHAIN_WRITE = 4'd10,  // write it into one of them
                     ST_STASH       = 4'd11,  // put it into the stash
                     ST_SPILL       = 4'd12,  // put it into the overflow area
                     ST_EVICT       = 4'd13;  // the evict channel was occupied: wait until it is free

    reg  [3:0]            state_q;
    reg  [3:0]            state_d;

    // Waiting look-ups, oldest first; the look-up whose rows have been read.
    reg  [1:0]            queue_cnt_q;
    reg  [GRANULE_W-1:0]  queue0_q;
    reg  [GRANULE_W-1:0]  queue1_q;
    reg                   s1_valid_q;
    reg  [GRANULE_W-1:0]  s1_granule_q;

    // Insertion chain and overflow area.
    reg  [ENTRY_W-1:0]    hand_q;
    reg  [1:0]            hand_way_q;
    reg  [7:0]            swap_cnt_q;
    reg  [1:0]            rotor_q;
    reg  [OVERFLOW_W-1:0] search_idx_q;
    reg                   search_hit_q;
    reg                   move_due_q;
    reg  [OVERFLOW_W:0]   overflow_cnt_q;
    reg  [USED_W-1:0]     used_cnt_q;
    reg  [ROW_W-1:0]      clear_row_q;

    // Registered outputs.
    reg                   evict_valid_q;
    reg  [GRANULE_W-1:0]  evict_granule_q;
    reg  [TS_W-1:0]       evict_wts_q;
    reg  [TS_W-1:0]       evict_rts_q;
    reg                   evt_done_q;
    reg  [7:0]            evt_cycles_q;
    reg                   evt_evict_q;
    reg                   evt_stash_q;
    reg                   evt_overflow_q;
    reg  [7:0]            cycle_cnt_q;

    wire st_run         = state_q == ST_RUN;
    wire st_search_done = state_q == ST_SEARCH_DONE;
    wire st_chain_write = state_q == ST_CHAIN_WRITE;
    wire st_stash       = state_q == ST_STASH;
    wire searching      = state_q == ST_SEARCH_READ || state_q == ST_SEARCH_WAIT;

    // ---------------------------------------------------------------- ways and stash

    wire                  rows_rd_en;
    wire                  rows_rd_early;
    wire [GRANULE_W-1:0]  rows_rd_granule;
    wire [3:0]            way_wr;
    reg  [ENTRY_W-1:0]    wr_entry;  // the new value of the offered granule's entry, or the entry in hand
    wire [3:0]            way_hit;
    wire [3:0]            way_free;
    wire [3:0]            way_unreserved;
    wire                  clearing = state_q == ST_CLEAR;
    wire                  wipe     = rst_i || state_d == ST_CLEAR;

    genvar g;
    generate
        for (g = 0; g < 4; g = g + 1) begin : g_way
            wire [ENTRY_W-1:0] entry;
            cw_cuckoo_way #(
                .GRANULE_W (GRANULE_W),
                .ENTRY_W   (ENTRY_W),
                .WRITES_LSB(WRITES_LSB),
                .COUNT_W   (COUNT_W),
                .ROW_W     (ROW_W),
                .SEED      (g == 0 ? 32'h10203040 : g == 1 ? 32'h20304010 : g == 2 ? 32'h30401020 : 32'h40102030)
            ) u_way (
                .clk_i        (clk_i),
                .rd_en_i      (rows_rd_en),
                .rd_early_i   (rows_rd_early),
                .rd_granule_i (rows_rd_granule),
                .clear_i      (clearing),
                .clear_row_i  (clear_row_q),
                .wr_en_i      (way_wr[g]),
                .wr_entry_i   (wr_entry),
                .cmp_granule_i(s1_granule_q),
                .hit_o        (way_hit[g]),
                .free_o       (way_free[g]),
                .unreserved_o (way_unreserved[g]),
                .entry_o      (entry)
            );
        end
    endgenerate

    wire               stash_hit;
    wire [ENTRY_W-1:0] stash_hit_entry;
    wire               stash_wr_hit;
    wire               stash_free;
    wire               stash_evict;
    wire [ENTRY_W-1:0] stash_evicted;

    cw_cuckoo_stash #(
        .ENTRIES   (STASH_ENTRIES),
        .GRANULE_W (GRANULE_W),
        .ENTRY_W   (ENTRY_W),
        .WRITES_LSB(WRITES_LSB),
        .COUNT_W   (COUNT_W)
    ) u_stash (
        .clk_i        (clk_i),
        .clear_i      (wipe),
        .cmp_granule_i(s1_granule_q),
        .hit_o        (stash_hit),
        .hit_entry_o  (stash_hit_entry),
        .wr_hit_i     (stash_wr_hit),
        .seek_i       (st_stash),
        .put_i        (stash_free || stash_evict),
        .wr_entry_i   (wr_entry),
        .put_free_o   (stash_free),
        .put_evict_o  (stash_evict),
        .evicted_o    (stash_evicted),
        .used_o       (stash_used_o)
    );

    // ---------------------------------------------------------------- result

    wire local_hit     = |way_hit || stash_hit;
    wire overflow_any  = overflow_cnt_q != {(OVERFLOW_W + 1){1'b0}};
    wire overflow_full = overflow_cnt_q[OVERFLOW_W];
    wire res_run       = st_run && s1_valid_q && (local_hit || !overflow_any);
    wire res_valid     = res_run || st_search_done;
    wire res_found     = st_search_done ? search_hit_q : local_hit;
    wire any_free      = |way_free;
    wire may_evict;

    generate
        if (EVICT_FILL == 0) begin : g_evict_always
            assign may_evict = 1'b1;
        end else begin : g_evict_from
            assign may_evict = used_cnt_q >= EVICT_FROM[USED_W-1:0];
        end
    endgenerate

    // An insertion finds its place without the overflow area.
    wire easy = res_found || any_free || |way_unreserved || !may_evict;

    reg [ENTRY_W-1:0] res_entry;

    always @* begin
        res_entry = {ENTRY_W{1'b0}};
        if (st_search_done)
            res_entry = hand_q & {ENTRY_W{search_hit_q}};
        else if (res_run) begin
            res_entry = stash_hit_entry;
            if (way_hit[0])
                res_entry = res_entry | g_way[0].entry;
            if (way_hit[1])
                res_entry = res_entry | g_way[1].entry;
            if (way_hit[2])
                res_entry = res_entry | g_way[2].entry;
            if (way_hit[3])
                res_entry = res_entry | g_way[3].entry;
        end
    end

    assign res_valid_o   = res_valid;
    assign res_granule_o = res_valid ? s1_granule_q : {GRANULE_W{1'b0}};
    assign res_found_o   = res_valid && res_found;
    assign res_room_o    = res_valid && (res_found || any_free || !overflow_full);
    assign res_easy_o    = res_valid && easy;
    assign res_wts_o     = res_entry[WTS_LSB+:TS_W];
    assign res_rts_o     = res_entry[RTS_LSB+:TS_W];
    assign res_writes_o  = res_entry[WRITES_LSB+:COUNT_W];
    assign res_owner_o   = res_entry[OWNER_LSB+:OWNER_W];

    // ---------------------------------------------------------------- update and insertion

    wire               upd_unreserved = upd_writes_i == {COUNT_W{1'b0}};
    wire               hand_unreserved = hand_q[WRITES_LSB+:COUNT_W] == {COUNT_W{1'b0}};

    wire take          = res_valid && upd_valid_i;
    wire take_overflow = take && st_search_done && search_hit_q;
    wire insert        = take && !res_found;
    wire last_swap     = swap_cnt_q == MAX_SWAPS[7:0];
    wire place_free    = (insert || st_chain_write) && any_free;
    wire skip          = upd_unreserved && !easy;  // not worth a chain
    wire displace      = !any_free && ((insert && !overflow_full && !skip) || (st_chain_write && !last_swap));
    wire give_up       = st_chain_write && !any_free && last_swap;

    // The victim: the first unreserved one from victim_first on, if eviction is allowed; else victim_first. The way that the
    // entry in hand came from is the last choice; it holds the one that displaced it, which is reserved if eviction is allowed.
    wire [1:0] victim_first = st_chain_write ? hand_way_q + 2'd1 : rotor_q;
    wire       victim_unres = may_evict && |way_unreserved;

    reg  [1:0] victim_way;
    reg  [1:0] victim_try;
    reg  [ENTRY_W-1:0] victim_entry;
    integer v;

    always @* begin
        victim_way = victim_first;
        victim_try = victim_first;
        if (victim_unres)
            for (v = 3; v >= 0; v = v - 1) begin
                victim_try = victim_first + v[1:0];
                if (way_unreserved[victim_try])
                    victim_way = victim_try;
            end
        case (victim_way)
            2'd0:    victim_entry = g_way[0].entry;
            2'd1:    victim_entry = g_way[1].entry;
            2'd2:    victim_entry = g_way[2].entry;
            default: victim_entry = g_way[3].entry;
        endcase
    end

    always @* begin
        wr_entry = hand_q;
        if (res_valid)
            wr_entry = {upd_owner_i, upd_writes_i, upd_rts_i, upd_wts_i, s1_granule_q};
    end

    wire [3:0] lowest_free = way_free & (~way_free + 4'd1);

    assign way_wr = ({4{take && res_run}} & way_hit)
                  | ({4{place_free}} & lowest_free)
                  | ({4{displace}} & (4'b0001 << victim_way));
    assign stash_wr_hit = take && res_run && stash_hit;

    // ---------------------------------------------------------------- evict channel

    wire evict_victim  = displace && victim_unres;
    wire evict_new     = insert && !any_free && (skip || (overflow_full && upd_unreserved));
    wire evict_removed = take_overflow && upd_unreserved;
    wire evict_stashed = stash_evict;
    wire evict_hand    = (give_up && hand_unreserved) || state_q == ST_EVICT;
    wire evict_any     = evict_victim || evict_new || evict_removed || evict_stashed || evict_hand;
    wire evict_free    = !evict_valid_q || evict_ready_i;

    reg  [ENTRY_W-1:0] evict_entry;

    always @* begin
        evict_entry = wr_entry;
        if (evict_victim)
            evict_entry = victim_entry;
        else if (evict_stashed)
            evict_entry = stash_evicted;
    end

    always @(posedge clk_i)
        if (rst_i)
            evict_valid_q <= 1'b0;
        else if (evict_free)
            evict_valid_q <= evict_any;

    always @(posedge clk_i)
        if (evict_free && evict_any) begin
            evict_granule_q <= evict_entry[GRANULE_W-1:0];
            evict_wts_q     <= evict_entry[WTS_LSB+:TS_W];
            evict_rts_q     <= evict_entry[RTS_LSB+:TS_W];
        end

    assign evict_valid_o   = evict_valid_q;
    assign evict_granule_o = evict_granule_q & {GRANULE_W{evict_valid_q}};
    assign evict_wts_o     = evict_wts_q & {TS_W{evict_valid_q}};
    assign evict_rts_o     = evict_rts_q & {TS_W{evict_valid_q}};

    // ---------------------------------------------------------------- state machine

    wire [OVERFLOW_W:0] overflow_less = overflow_cnt_q - {{OVERFLOW_W{1'b0}}, 1'b1};
    wire                search_last   = {1'b0, search_idx_q} == overflow_less;
    wire                search_match  = mem_rdata_i[GRANULE_W-1:0] == s1_granule_q;
    wire                idle          = st_run && !busy_o;

    always @* begin
        state_d = state_q;
        case (state_q)
            ST_CLEAR:
                if (&clear_row_q)
                    state_d = ST_RUN;
            ST_RUN, ST_SEARCH_DONE:
                if (st_run && s1_valid_q && !res_run)
                    state_d = ST_SEARCH_READ;
                else if (evict_any && !evict_free)
                    state_d = ST_EVICT;
                else if (take_overflow)
                    state_d = !upd_unreserved ? ST_WRITE_BACK : search_last ? ST_RUN : ST_MOVE_READ;
                else if (displace && !evict_victim)
                    state_d = ST_CHAIN_READ;
                else if (idle && flush_i)
                    state_d = ST_CLEAR;
                else
                    state_d = ST_RUN;
            ST_SEARCH_READ:
                if (mem_ready_i)
                    state_d = ST_SEARCH_WAIT;
            ST_SEARCH_WAIT:
                if (mem_rsp_valid_i)
                    state_d = search_match || search_last ? ST_SEARCH_DONE : ST_SEARCH_READ;
            ST_MOVE_READ:
                if (mem_ready_i)
                    state_d = ST_MOVE_WAIT;
            ST_MOVE_WAIT:
                if (mem_rsp_valid_i)
                    state_d = ST_MOVE_WRITE;
            ST_WRITE_BACK, ST_MOVE_WRITE, ST_SPILL:
                if (mem_ready_i)
                    state_d = ST_RUN;
            ST_CHAIN_READ:
                state_d = ST_CHAIN_WRITE;
            ST_CHAIN_WRITE:
                if (evict_any)
                    state_d = evict_free ? ST_RUN : ST_EVICT;
                else if (displace)
                    state_d = ST_CHAIN_READ;
                else if (give_up)
                    state_d = ST_STASH;
                else
                    state_d = ST_RUN;
            ST_STASH:
                if (evict_any && !evict_free)
                    state_d = ST_EVICT;
                else
                    state_d = stash_free || stash_evict ? ST_RUN : ST_SPILL;
            ST_EVICT:
                if (evict_free)
                    state_d = move_due_q ? ST_MOVE_READ : ST_RUN;
            default:
                state_d = ST_CLEAR;
        endcase
    end

    always @(posedge clk_i)
        if (rst_i)
            state_q <= ST_CLEAR;
        else
            state_q <= state_d;

    always @(posedge clk_i)
        if (rst_i || !clearing)
            clear_row_q <= {ROW_W{1'b0}};
        else
            clear_row_q <= clear_row_q + 1'b1;

    // The entry on its way, or read from the overflow area, or to be written there.
    always @(posedge clk_i)
        if (mem_rsp_valid_i && (state_q == ST_SEARCH_WAIT || state_q == ST_MOVE_WAIT))
            hand_q <= mem_rdata_i[ENTRY_W-1:0];
        else if (evict_any && !evict_free)
            hand_q <= evict_entry;
        else if (take_overflow)
            hand_q <= wr_entry;
        else if (displace)
            hand_q <= victim_entry;

    always @(posedge clk_i)
        if (displace) begin
            hand_way_q <= victim_way;
            swap_cnt_q <= st_chain_write ? swap_cnt_q + 8'd1 : 8'd1;
        end

    always @(posedge clk_i)
        if (wipe)
            rotor_q <= 2'd0;
        else if (displace && insert)
            rotor_q <= rotor_q + 2'd1;

    always @(posedge clk_i)
        if (wipe)
            used_cnt_q <= {USED_W{1'b0}};
        else if (place_free)
            used_cnt_q <= used_cnt_q + 1'b1;

    // Overflow area.
    always @(posedge clk_i)
        if (wipe)
            overflow_cnt_q <= {(OVERFLOW_W + 1){1'b0}};
        else if (evict_removed)
            overflow_cnt_q <= overflow_less;
        else if (state_q == ST_SPILL && mem_ready_i)
            overflow_cnt_q <= overflow_cnt_q + 1'b1;

    always @(posedge clk_i)
        if (st_run) begin
            search_idx_q <= {OVERFLOW_W{1'b0}};
            search_hit_q <= 1'b0;
        end else if (state_q == ST_SEARCH_WAIT && mem_rsp_valid_i) begin
            search_hit_q <= search_match;
            if (!search_match && !search_last)
                search_idx_q <= search_idx_q + 1'b1;
        end

    always @(posedge clk_i)
        if (rst_i || state_q == ST_MOVE_READ)
            move_due_q <= 1'b0;
        else if (evict_removed)
            move_due_q <= !search_last;

    // ---------------------------------------------------------------- look-ups

    wire look_accept = look_valid_i && look_ready_o;
    wire s1_load     = st_run && state_d == ST_RUN && queue_cnt_q != 2'd0;

    always @(posedge clk_i)
        if (rst_i) begin
            queue_cnt_q <= 2'd0;
            s1_valid_q  <= 1'b0;
        end else begin
            queue_cnt_q <= queue_cnt_q + {1'b0, look_accept} - {1'b0, s1_load};
            s1_valid_q  <= s1_load || (s1_valid_q && !res_valid);
        end

    always @(posedge clk_i) begin
        if (s1_load)
            s1_granule_q <= queue0_q;
        if (s1_load)
            queue0_q <= queue_cnt_q == 2'd2 ? queue1_q : look_granule_i;
        else if (queue_cnt_q == 2'd0)
            queue0_q <= look_granule_i;
        if (queue_cnt_q == 2'd1)
            queue1_q <= look_granule_i;
    end

    assign rows_rd_early   = st_run ? queue_cnt_q != 2'd0 : state_q == ST_CHAIN_READ;
    assign rows_rd_en      = s1_load || state_q == ST_CHAIN_READ;
    assign rows_rd_granule = state_q == ST_CHAIN_READ ? hand_q[GRANULE_W-1:0] : queue0_q;

    // In ST_RUN the oldest waiting look-up's rows are being read: a second structure is one look-up ahead.
    wire read_queued = st_run ? queue_cnt_q[1] : queue_cnt_q != 2'd0;

    assign read_valid_o   = searching || read_queued || look_accept;
    assign read_granule_o = searching   ? s1_granule_q
                          : read_queued ? (st_run ? queue1_q : queue0_q)
                          :               look_granule_i & {GRANULE_W{look_accept}};
    assign look_ready_o   = !clearing && !queue_cnt_q[1];
    assign busy_o         = !st_run || queue_cnt_q != 2'd0 || s1_valid_q || evict_valid_q || evt_done_q;

    // ---------------------------------------------------------------- memory and status

    wire mem_read = state_q == ST_SEARCH_READ || state_q == ST_MOVE_READ;

    assign mem_write_o = state_q == ST_WRITE_BACK || state_q == ST_MOVE_WRITE || state_q == ST_SPILL;
    assign mem_valid_o = mem_read || mem_write_o;
    assign mem_addr_o  = state_q == ST_MOVE_READ || state_q == ST_SPILL ? overflow_cnt_q[OVERFLOW_W-1:0]
                       : mem_valid_o ? search_idx_q : {OVERFLOW_W{1'b0}};

    generate
        if (ENTRY_W < 160) begin : g_pad
            always @* begin
                mem_wdata_o = 160'd0;
                if (mem_write_o)
                    mem_wdata_o = {{(160 - ENTRY_W){1'b0}}, hand_q};
            end
        end else begin : g_full
            always @*
                mem_wdata_o = hand_q & {ENTRY_W{mem_write_o}};
        end
    endgenerate

    assign used_o          = used_cnt_q;
    assign overflow_used_o = overflow_cnt_q;

    // ---------------------------------------------------------------- events

    wire       access     = st_run ? s1_valid_q : !clearing;
    wire       done       = access && state_d == ST_RUN && !(st_run && !res_run);
    wire [7:0] cycle_next = cycle_cnt_q == 8'd255 ? 8'd255 : cycle_cnt_q + 8'd1;

    always @(posedge clk_i)
        if (rst_i) begin
            evt_done_q     <= 1'b0;
            evt_cycles_q   <= 8'd0;
            evt_evict_q    <= 1'b0;
            evt_stash_q    <= 1'b0;
            evt_overflow_q <= 1'b0;
            cycle_cnt_q    <= 8'd0;
        end else begin
            evt_done_q     <= done;
            evt_cycles_q   <= done ? cycle_next : 8'd0;
            evt_evict_q    <= evict_any && evict_free;
            evt_stash_q    <= stash_free || stash_evict;
            evt_overflow_q <= state_q == ST_SPILL && mem_ready_i;
            cycle_cnt_q    <= done ? 8'd0 : access ? cycle_next : cycle_cnt_q;
        end

    assign evt_done_o     = evt_done_q;
    assign evt_cycles_o   = evt_cycles_q;
    assign evt_evict_o    = evt_evict_q;
    assign evt_stash_o    = evt_stash_q;
    assign evt_overflow_o = evt_overflow_q;

`ifdef FORMAL
    // One granule, chosen by the solver, and what was last written for it. The memory behind the overflow area is a model that
    // remembers this granule's entry and answers anything else for other places.
    (* anyconst *) reg [GRANULE_W-1:0] f_granule;
    reg [ENTRY_W-1:0]    f_entry_q;
    reg                  f_reserved_q;
    reg                  f_mem_q;       // f_granule's entry is in the overflow area ...
    reg [OVERFLOW_W-1:0] f_mem_addr_q;  // ... here ...
    reg [ENTRY_W-1:0]    f_mem_entry_q; // ... with this content
    reg                  f_reading_q;
    reg [OVERFLOW_W-1:0] f_read_addr_q;
    reg [GRANULE_W-1:0]  f_read1_q;     // read_granule one and two cycles ago
    reg [GRANULE_W-1:0]  f_read2_q;
    reg                  f_past_q = 1'b0;
    reg                  f_rst_q;
    reg                  f_evict_wait_q;
    reg [GRANULE_W+2*TS_W-1:0] f_evict_q;
    reg                  f_mem_wait_q;
    reg [OVERFLOW_W+160:0] f_mem_req_q;

    wire f_take = take && s1_granule_q == f_granule;
    wire f_mem_accept = mem_valid_o && mem_ready_i;

    always @(posedge clk_i) begin
        f_past_q       <= 1'b1;
        f_rst_q        <= rst_i;
        f_read1_q      <= read_valid_o ? read_granule_o : f_read1_q;
        f_read2_q      <= f_read1_q;
        f_evict_wait_q <= evict_valid_o && !evict_ready_i && !rst_i;
        f_evict_q      <= {evict_granule_o, evict_wts_o, evict_rts_o};
        f_mem_wait_q   <= mem_valid_o && !mem_ready_i && !rst_i;
        f_mem_req_q    <= {mem_write_o, mem_addr_o, mem_wdata_o};
        if (wipe) begin
            f_reserved_q <= 1'b0;
            f_mem_q      <= 1'b0;
        end else begin
            if (f_take) begin
                f_reserved_q <= !upd_unreserved;
                f_entry_q    <= wr_entry;
            end
            if (f_mem_accept && mem_write_o && hand_q[GRANULE_W-1:0] == f_granule) begin
                f_mem_q       <= 1'b1;
                f_mem_addr_q  <= mem_addr_o;
                f_mem_entry_q <= hand_q;
            end else if (f_take && evict_removed)
                f_mem_q <= 1'b0;
        end
        if (rst_i || mem_rsp_valid_i)
            f_reading_q <= 1'b0;
        else if (f_mem_accept && !mem_write_o)
            f_reading_q <= 1'b1;
        if (f_mem_accept && !mem_write_o)
            f_read_addr_q <= mem_addr_o;
    end

    always @* begin
        if (!f_past_q)
            assume (rst_i);
        assume (look_granule_i[GRANULE_W-1:2] == 0); // four granules, to keep the solver's work small
        // What the contract demands of the surroundings.
        if (res_valid_o && !res_room_o && upd_writes_i != {COUNT_W{1'b0}})
            assume (!upd_valid_i);
        if (mem_rsp_valid_i) begin
            assume (f_reading_q);
            if (f_mem_q && f_read_addr_q == f_mem_addr_q)
                assume (mem_rdata_i[ENTRY_W-1:0] == f_mem_entry_q);
            else
                assume (mem_rdata_i[GRANULE_W-1:0] != f_granule);
            assume (mem_rdata_i[WRITES_LSB+:COUNT_W] != {COUNT_W{1'b0}});
        end
    end

    always @*
        if (f_past_q && !f_rst_q) begin
            // 1. A reserved entry is found, wherever it went, with the values last written.
            if (res_valid_o && res_granule_o == f_granule && f_reserved_q) begin
                assert (res_found_o);
                assert (res_wts_o == f_entry_q[WTS_LSB+:TS_W] && res_rts_o == f_entry_q[RTS_LSB+:TS_W]);
                assert (res_writes_o == f_entry_q[WRITES_LSB+:COUNT_W] && res_owner_o == f_entry_q[OWNER_LSB+:OWNER_W]);
            end
            // 2. A reserved entry is never evicted.
            if (evict_valid_o && evict_granule_o == f_granule)
                assert (!f_reserved_q);
            // 3. An entry is in one place only.
            if (res_run)
                assert ({2'd0, way_hit[0]} + {2'd0, way_hit[1]} + {2'd0, way_hit[2]} + {2'd0, way_hit[3]}
                        + {2'd0, stash_hit} <= 3'd1);
            // 4. A second structure that was read in step has the answer for the offered granule.
            if (res_valid_o)
                assert (f_read2_q == res_granule_o);
            // 5. What is offered on the evict channel and to the memory stays until it is taken.
            if (f_evict_wait_q)
                assert (evict_valid_o && f_evict_q == {evict_granule_o, evict_wts_o, evict_rts_o});
            if (f_mem_wait_q)
                assert (mem_valid_o && f_mem_req_q == {mem_write_o, mem_addr_o, mem_wdata_o});
            // 6. The queue and the overflow area never overflow.
            assert (queue_cnt_q <= 2'd2);
            assert (overflow_cnt_q <= {1'b1, {OVERFLOW_W{1'b0}}});
            if (state_q == ST_SPILL)
                assert (!overflow_full);
            // 7. An unreserved entry that would need the overflow area starts no chain.
            if (take && upd_unreserved && !easy)
                assert (state_d == ST_RUN || state_d == ST_EVICT);
        end

    always @* begin
        cover (f_past_q && evict_valid_o);
        cover (f_past_q && state_q == ST_CHAIN_WRITE);
    end
`endif

endmodule

`default_nettype wire
