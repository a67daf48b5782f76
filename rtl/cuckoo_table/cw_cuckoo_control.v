// SPDX-License-Identifier: Apache-2.0
//
// cw_cuckoo_control: what the cuckoo table does beside its pipeline: it clears rows, and serves the overflow area in
// memory.
//
// Why         : an entry that finds no place goes to memory, and who is not found may be there. Both are rare, so one
//               at a time will do.
// How         : a look-up that must be sought there stays the oldest one, and goes around until the search has ended.
//               An entry that is found is in hand meanwhile. The last entry of the area takes the place of one that is
//               removed. wait_cnt says when the oldest look-up is in show again.
// Stages      : show: a search begins. Write: an entry comes into hand, or has to go to memory.
// Latency     : a search reads an entry per round trip.
// Throughput  : one access at a time.
// Illegal use : none.
//
// Paper: GETM section V.B.1. It is a part of cw_cuckoo_core. C model: part of csim/unit/cuckoo_table.c.

`default_nettype none

module cw_cuckoo_control #(
    parameter GRANULE_W  = 30,
    parameter COUNT_W    = 16,
    parameter ENTRY_W    = 122,
    parameter BODY_W     = 92,  // of an entry, below its granule
    parameter WRITES_LSB = 64,  // the number of writes in it
    parameter ROW_W      = 8,
    parameter USED_W     = 11,  // of the number of rows
    parameter MAX_SWAPS  = 32,
    parameter EVICT_FILL = 11,
    parameter OVERFLOW_W = 12
) (
    input  wire                  clk_i,
    input  wire                  rst_i,
    input  wire                  wipe_i,       // all is forgotten: with reset, or a flush
    // show: the oldest look-up that is not decided, or that is; the overflow area is to be searched
    input  wire                  oldest_i,
    input  wire                  decided_i,
    input  wire                  search_i,
    input  wire [GRANULE_W-1:0]  show_granule_i,
    // write, see cw_cuckoo_write
    input  wire                  slow_i,
    input  wire                  write_decided_i,
    input  wire                  write_chain_i,
    input  wire                  stashed_i,
    input  wire                  spill_i,
    input  wire                  fill_i,
    input  wire                  turn_i,
    input  wire                  moves_on_i,
    input  wire                  memory_i,
    input  wire                  removes_i,
    /* verilator lint_off UNUSED */            // way 0 is none of the others
    input  wire [3:0]            ways_i,
    /* verilator lint_on UNUSED */
    input  wire [ENTRY_W-1:0]    entry_i,
    input  wire [ENTRY_W-1:0]    old_i,
    // rows are emptied, or look-ups run
    output wire                  clearing_o,
    output wire [ROW_W-1:0]      clear_row_o,
    output wire                  run_o,
    output wire                  first_o,      // the look-up in show is the oldest one
    // for find: the oldest one is there, and the overflow area has been searched for it; it has it
    output wire                  searched_o,
    output wire                  search_hit_o,
    // the entry on its way: displaced, or of the overflow area
    output wire                  chain_o,      // it is in the stages
    output wire [BODY_W-1:0]     hand_o,       // without its granule
    output wire [1:0]            hand_way_o,   // it was displaced from there
    output wire                  hand_unreserved_o,
    output wire                  swaps_done_o,
    // for victims
    output wire [1:0]            rotor_o,      // way where a new entry begins to look for one
    output wire                  may_evict_o,  // enough rows are in use
    // overflow area
    output wire                  overflow_any_o,
    output wire                  overflow_full_o,
    output wire                  mem_valid_o,
    output wire                  mem_write_o,
    output wire [OVERFLOW_W-1:0] mem_addr_o,
    output reg  [159:0]          mem_wdata_o,
    input  wire                  mem_ready_i,
    input  wire                  mem_rsp_valid_i,
    input  wire [ENTRY_W-1:0]    mem_rdata_i,
    // status and events
    output wire [USED_W-1:0]     used_o,
    output wire [OVERFLOW_W:0]   overflow_used_o,
    output wire                  evt_done_o,
    output wire [7:0]            evt_cycles_o,
    output wire                  evt_stash_o,
    output wire                  evt_overflow_o
`ifdef CW_PROPERTIES
    , output wire [2:0]          f_state_o     // {to memory; one there is used; the oldest goes around}
    , output wire [OVERFLOW_W-1:0] f_idx_o     // which one
    , output wire [GRANULE_W-1:0]  f_hand_o    // granule of the entry in hand
`endif
);

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

    reg [3:0]            state_q;
    reg [3:0]            state_d;
    reg [ROW_W-1:0]      clear_row_q;
    reg [USED_W-1:0]     used_cnt_q;
    reg                  may_evict_q;
    reg [1:0]            rotor_q;
    reg [2:0]            wait_cnt_q;      // cycles until the oldest look-up is in show again; 0: show's is the oldest
    reg [OVERFLOW_W:0]   overflow_cnt_q;
    reg                  overflow_any_q;
    reg [OVERFLOW_W-1:0] search_idx_q;
    reg                  search_hit_q;
    reg [GRANULE_W-1:0]  search_granule_q;
    reg [ENTRY_W-1:0]    hand_q;
    reg [1:0]            hand_way_q;
    reg                  chain_q;
    reg [7:0]            swap_cnt_q;
    reg                  evt_done_q;
    reg [7:0]            evt_cycles_q;
    reg                  evt_stash_q;
    reg                  evt_overflow_q;
    reg [7:0]            held_cnt_q;

    wire clearing = state_q == ST_CLEAR;
    wire run      = state_q == ST_RUN;

    wire [OVERFLOW_W:0] overflow_less = overflow_cnt_q - 1'b1;
    wire                search_last   = {1'b0, search_idx_q} == overflow_less;

    always @* begin
        state_d = state_q;
        case (state_q)
            ST_CLEAR:
                if (&clear_row_q)
                    state_d = ST_RUN;
            ST_RUN:
                if (wipe_i)
                    state_d = ST_CLEAR;
                else if (removes_i)
                    state_d = search_last ? ST_RUN : ST_MOVE_READ;
                else if (memory_i)
                    state_d = ST_WRITE_BACK;
                else if (spill_i)
                    state_d = ST_SPILL;
                else if (search_i)
                    state_d = ST_SEARCH_READ;
            ST_SEARCH_READ:
                if (mem_ready_i)
                    state_d = ST_SEARCH_WAIT;
            ST_SEARCH_WAIT:
                if (mem_rsp_valid_i)
                    state_d = mem_rdata_i[GRANULE_W-1:0] == search_granule_q || search_last ? ST_SEARCH_DONE
                                                                                            : ST_SEARCH_READ;
            ST_SEARCH_DONE:
                if (decided_i)
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
        else if (oldest_i && !decided_i)
            wait_cnt_q <= 3'd5;

        if (rst_i || wipe_i) begin
            used_cnt_q     <= {USED_W{1'b0}};
            may_evict_q    <= EVICT_FILL == 0;
            rotor_q        <= 2'd0;
            overflow_cnt_q <= {(OVERFLOW_W + 1){1'b0}};
            overflow_any_q <= 1'b0;
        end else begin
            used_cnt_q  <= used_cnt_q + {{(USED_W - 1){1'b0}}, fill_i};
            may_evict_q <= may_evict_q || used_cnt_q == EVICT_FROM[USED_W-1:0];  // it goes up in steps of one
            if (turn_i)
                rotor_q <= rotor_q + 2'd1;
            if (removes_i) begin
                overflow_cnt_q <= overflow_less;
                overflow_any_q <= overflow_less != {(OVERFLOW_W + 1){1'b0}};
            end else if (state_q == ST_SPILL && mem_ready_i) begin
                overflow_cnt_q <= overflow_cnt_q + 1'b1;
                overflow_any_q <= 1'b1;
            end
        end

        if (run) begin
            search_idx_q <= search_i ? {OVERFLOW_W{1'b0}} : search_idx_q;
            if (search_i)
                search_granule_q <= show_granule_i;
            search_hit_q <= 1'b0;
        end else if (state_q == ST_SEARCH_WAIT && mem_rsp_valid_i) begin
            search_hit_q <= mem_rdata_i[GRANULE_W-1:0] == search_granule_q;
            if (mem_rdata_i[GRANULE_W-1:0] != search_granule_q && !search_last)
                search_idx_q <= search_idx_q + 1'b1;
        end

        // In memory an entry's granule comes first.
        if (mem_rsp_valid_i && (state_q == ST_SEARCH_WAIT || state_q == ST_MOVE_WAIT))
            hand_q <= {mem_rdata_i[GRANULE_W-1:0], mem_rdata_i[GRANULE_W+:BODY_W]};
        else if (memory_i)
            hand_q <= entry_i;
        else if (moves_on_i)
            hand_q <= old_i;

        if (moves_on_i) begin
            hand_way_q <= {ways_i[3] || ways_i[2], ways_i[3] || ways_i[1]};
            swap_cnt_q <= write_chain_i ? swap_cnt_q + 8'd1 : 8'd1;
        end
        chain_q <= !rst_i && (moves_on_i || (chain_q && !write_chain_i));
    end

    // Memory.
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

    // Events. An access that is held up ends when nothing moves any more.
    wire memory_works = !run && !clearing;
    wire held         = slow_i || chain_q || memory_works;
    wire held_ends    = (slow_i && !moves_on_i && state_d == ST_RUN)
                     || (memory_works && state_q != ST_SEARCH_DONE && state_d == ST_RUN);
    wire done         = (write_decided_i && !slow_i) || held_ends;
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
            evt_stash_q    <= stashed_i;
            evt_overflow_q <= state_q == ST_SPILL && mem_ready_i;
        end

    assign clearing_o        = clearing;
    assign clear_row_o       = clear_row_q;
    assign run_o             = run;
    assign first_o           = wait_cnt_q == 3'd0;
    assign searched_o        = state_q == ST_SEARCH_DONE && wait_cnt_q == 3'd2;
    assign search_hit_o      = search_hit_q;
    assign chain_o           = chain_q;
    assign hand_o            = hand_q[BODY_W-1:0];
    assign hand_way_o        = hand_way_q;
    assign hand_unreserved_o = hand_q[WRITES_LSB+:COUNT_W] == {COUNT_W{1'b0}};
    assign swaps_done_o      = swap_cnt_q == MAX_SWAPS[7:0];
    assign rotor_o           = rotor_q;
    assign may_evict_o       = may_evict_q;
    assign overflow_any_o    = overflow_any_q;
    assign overflow_full_o   = overflow_cnt_q[OVERFLOW_W];
    assign used_o            = used_cnt_q;
    assign overflow_used_o   = overflow_cnt_q;
    assign evt_done_o        = evt_done_q;
    assign evt_cycles_o      = evt_cycles_q;
    assign evt_stash_o       = evt_stash_q;
    assign evt_overflow_o    = evt_overflow_q;

`ifdef CW_PROPERTIES
    assign f_state_o = {state_q == ST_SPILL, state_q == ST_SEARCH_READ || state_q == ST_WRITE_BACK, wait_cnt_q != 3'd0};
    assign f_idx_o   = search_idx_q;
    assign f_hand_o  = hand_q[BODY_W+:GRANULE_W];
`endif

endmodule

`default_nettype wire
