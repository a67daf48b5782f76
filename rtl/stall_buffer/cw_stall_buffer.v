// SPDX-License-Identifier: Apache-2.0
//
// cw_stall_buffer: requests that wait for a reserved granule.
//
// Why         : a request that is younger than the owner of its granule need not abort: it can wait until the owner commits. The oldest
//               of those that wait must go first, or it could wait for ever.
// How         : a line holds the requests of one granule. Where a request would go is found a cycle before it is known that it has to wait.
//               When a line has been woken, the requests of all awake lines are read one after another, and the one with the
//               smallest warpts is offered. It keeps its place until it is known whether it has to wait again.
// Latency     : an offer comes n + 2 cycles after the line was seen awake, for n requests in awake lines. Few wait for one granule, and the
//               unit around lets its pipeline run empty meanwhile.
// Throughput  : one question, one push and one wake per cycle; one offer at a time.
// Comb. paths : none; outputs depend on registers only.
// Storage     : warpts and payload in a RAM of a row per request, granules and valid bits in flip-flops.
// Illegal use : none. A push without a place, or too close behind another one, is ignored.
//
// Paper: GETM section V.B.2, Figure 9. Contract: include/cowarp/unit/stall_buffer.h. C model: csim/unit/stall_buffer.c.
// Datasheet: docs/units/stall_buffer.md.

`default_nettype none

module cw_stall_buffer #(
    parameter LINES     = 4,   // 1 .. 16
    parameter ENTRIES   = 4,   // 1 .. 16
    parameter GRANULE_W = 30,  // 1 .. 64
    parameter TS_W      = 32,  // 1 .. 64
    parameter PAYLOAD_W = 24   // 1 .. 64
) (
    input  wire                 clk_i,
    input  wire                 rst_i,
    // a request may have to wait
    input  wire [GRANULE_W-1:0] ask_granule_i,
    output wire                 ask_place_o,
    // it has to
    input  wire                 push_valid_i,
    input  wire [GRANULE_W-1:0] push_granule_i,
    input  wire [TS_W-1:0]      push_warpts_i,
    input  wire [PAYLOAD_W-1:0] push_payload_i,
    // a granule's line is woken
    input  wire                 wake_valid_i,
    input  wire [GRANULE_W-1:0] wake_granule_i,
    // the request to try next
    output wire                 retry_valid_o,
    output wire [GRANULE_W-1:0] retry_granule_o,
    output wire [TS_W-1:0]      retry_warpts_o,
    output wire [PAYLOAD_W-1:0] retry_payload_o,
    input  wire                 retry_ready_i,
    // what became of it
    input  wire                 done_valid_i,
    input  wire                 done_sleep_i,
    // control and status
    input  wire                 drain_i,
    output wire                 pending_o,
    output wire [8:0]           occupancy_o,
    output wire [4:0]           lines_used_o
`ifdef CW_PROPERTIES
    , output wire               f_taken_o   // a request is tried
    , output wire               f_place_o   // a push would be taken
    , output wire               f_pushed_o  // there was one in the cycle before
`endif
);

    function integer bits_for (input integer n);  // of a number below n, at least 1
        for (bits_for = 1; (1 << bits_for) < n; bits_for = bits_for + 1) begin
        end
    endfunction

    localparam LINE_W  = bits_for(LINES);
    localparam ENTRY_W = bits_for(ENTRIES);
    localparam REQ_W   = TS_W + PAYLOAD_W;  // {warpts, payload}
    localparam SLOTS   = LINES * ENTRIES;   // slot: line * ENTRIES + entry

    localparam [1:0] ST_IDLE  = 2'd0,  // nobody to retry
                     ST_SCAN  = 2'd1,  // awake requests are read and compared
                     ST_OFFER = 2'd2,
                     ST_TAKEN = 2'd3;  // until it is done

    reg [1:0]                 state_q;
    reg [SLOTS-1:0]           valid_q;
    reg [LINES-1:0]           awake_q;
    reg                       drain_q;
    reg [LINES*GRANULE_W-1:0] granule_q;
    reg [8:0]                 occupancy_q;
    // the last two questions, and the pushes since
    reg                       place1_q;
    reg [SLOTS-1:0]           slot1_q;
    reg                       place2_q;
    reg [SLOTS-1:0]           slot2_q;
    reg                       pushed1_q;
    reg                       pushed2_q;
    // scan
    reg [SLOTS-1:0]           todo_q;
    reg                       read_q;       // the RAM shows the request of slot read_oh
    reg [SLOTS-1:0]           read_oh_q;
    reg                       best_valid_q;
    reg [SLOTS-1:0]           best_oh_q;
    reg [REQ_W-1:0]           best_q;

    integer i;

    // ---------------------------------------------------------------- lines

    reg [LINES-1:0] used;
    reg [LINES-1:0] full;
    reg [LINES-1:0] asked;     // line of ask_granule
    reg [LINES-1:0] woken;
    reg [LINES-1:0] free_oh;   // lowest free line
    reg             free_below;

    always @* begin
        free_below = 1'b0;
        for (i = 0; i < LINES; i = i + 1) begin
            used[i]    = |valid_q[i*ENTRIES+:ENTRIES];
            full[i]    = &valid_q[i*ENTRIES+:ENTRIES];
            free_oh[i] = !used[i] && !free_below;
            free_below = free_below || !used[i];
        end
    end

    always @*
        for (i = 0; i < LINES; i = i + 1) begin
            asked[i] = 1'b0;
            woken[i] = 1'b0;
            if (used[i])
                asked[i] = granule_q[i*GRANULE_W+:GRANULE_W] == ask_granule_i;
            if (used[i] && wake_valid_i)
                woken[i] = granule_q[i*GRANULE_W+:GRANULE_W] == wake_granule_i;
        end

    // ---------------------------------------------------------------- question and push

    wire             ask_hit = |asked;
    reg  [SLOTS-1:0] ask_slot;

    always @* begin
        ask_slot = {SLOTS{1'b0}};
        for (i = 0; i < LINES; i = i + 1) begin
            if (asked[i])
                ask_slot[i*ENTRIES+:ENTRIES] = ~valid_q[i*ENTRIES+:ENTRIES] & (valid_q[i*ENTRIES+:ENTRIES] + 1'b1);
            if (!ask_hit && free_oh[i])
                ask_slot[i*ENTRIES] = 1'b1;
        end
    end

    wire push = push_valid_i && place2_q && !pushed1_q && !pushed2_q;

    always @(posedge clk_i) begin
        slot1_q  <= ask_slot;
        slot2_q  <= slot1_q;
        if (rst_i) begin
            place1_q  <= 1'b0;
            place2_q  <= 1'b0;
            pushed1_q <= 1'b0;
            pushed2_q <= 1'b0;
        end else begin
            place1_q  <= ask_hit ? !(|(asked & full)) : free_below;
            place2_q  <= place1_q;
            pushed1_q <= push;
            pushed2_q <= pushed1_q;
        end
    end

    assign ask_place_o = place1_q;

    // ---------------------------------------------------------------- which requests are held, which lines are awake

    wire             done   = done_valid_i && state_q == ST_TAKEN;
    wire             leave  = done && !done_sleep_i;
    wire [SLOTS-1:0] valid_d = (valid_q & ~(best_oh_q & {SLOTS{leave}})) | (slot2_q & {SLOTS{push}});

    // Nothing changes until a request comes or leaves, or a line is woken or sleeps.
    always @(posedge clk_i) begin
        if (rst_i) begin
            valid_q     <= {SLOTS{1'b0}};
            awake_q     <= {LINES{1'b0}};
            occupancy_q <= 9'd0;
        end else if (push || done || wake_valid_i) begin : held
            reg [LINES-1:0] used_next;
            reg [LINES-1:0] sleeps;

            for (i = 0; i < LINES; i = i + 1) begin
                used_next[i] = |valid_d[i*ENTRIES+:ENTRIES];
                sleeps[i]    = done && done_sleep_i && |best_oh_q[i*ENTRIES+:ENTRIES];
            end
            valid_q     <= valid_d;
            awake_q     <= ((awake_q & ~sleeps) | woken) & used_next;
            occupancy_q <= occupancy_q + {8'd0, push} - {8'd0, leave};
        end
        drain_q <= drain_i && !rst_i;
    end

    always @(posedge clk_i)
        if (push)
            for (i = 0; i < LINES; i = i + 1)
                if (|slot2_q[i*ENTRIES+:ENTRIES])
                    granule_q[i*GRANULE_W+:GRANULE_W] <= push_granule_i;

    // ---------------------------------------------------------------- scan: the smallest warpts of the awake lines

    reg [SLOTS-1:0] awake;

    always @* begin
        awake = {SLOTS{1'b0}};
        for (i = 0; i < LINES; i = i + 1)
            if (awake_q[i] || drain_q)
                awake[i*ENTRIES+:ENTRIES] = valid_q[i*ENTRIES+:ENTRIES];
    end

    wire             scan      = state_q == ST_SCAN;
    wire             scan_over = todo_q == {SLOTS{1'b0}};
    wire [SLOTS-1:0] pick      = todo_q & (~todo_q + 1'b1);  // the lowest one

    // The slots whose row in the RAM, {line, entry}, has a certain bit set.
    function [SLOTS-1:0] slots_with (input integer bit_idx);
        integer l;
        integer e;
        integer row;
        for (l = 0; l < LINES; l = l + 1)
            for (e = 0; e < ENTRIES; e = e + 1) begin
                row                     = (l << ENTRY_W) + e;
                slots_with[l*ENTRIES+e] = ((row >> bit_idx) & 1) != 0;
            end
    endfunction

    // Row of a slot.
    function [LINE_W+ENTRY_W-1:0] row_of (input [SLOTS-1:0] slot_oh);
        integer b;
        for (b = 0; b < LINE_W + ENTRY_W; b = b + 1)
            row_of[b] = |(slot_oh & slots_with(b));
    endfunction

    wire [REQ_W-1:0]          req;
    reg  [LINE_W+ENTRY_W-1:0] rd_row;
    reg  [LINE_W+ENTRY_W-1:0] wr_row;

    always @* begin
        rd_row = {(LINE_W + ENTRY_W){1'b0}};
        wr_row = {(LINE_W + ENTRY_W){1'b0}};
        if (scan)
            rd_row = row_of(pick);
        if (push)
            wr_row = row_of(slot2_q);
    end

`ifdef CW_PROPERTIES
    // One slot of the prover's choice, the slots of its line, and what its row holds.
    (* anyconst *) reg [LINE_W-1:0]  f_line;
    (* anyconst *) reg [ENTRY_W-1:0] f_entry;
    wire                             f_there = f_line < LINES && f_entry < ENTRIES;
    reg  [SLOTS-1:0]                 f_line_oh;
    reg  [SLOTS-1:0]                 f_slot_oh;
    wire [REQ_W-1:0]                 f_row;

    always @*
        for (i = 0; i < SLOTS; i = i + 1) begin
            f_line_oh[i] = i / ENTRIES == f_line;
            f_slot_oh[i] = i / ENTRIES == f_line && i % ENTRIES == f_entry;
        end
`endif

    cw_ram_1r1w #(
        .ADDR_W(LINE_W + ENTRY_W),
        .DATA_W(REQ_W)
    ) u_requests (
        .clk_i    (clk_i),
        .rd_en_i  (scan),
        .rd_addr_i(rd_row),
        .rd_data_o(req),
        .wr_en_i  (push),
        .wr_addr_i(wr_row),
        .wr_data_i({push_warpts_i, push_payload_i})
`ifdef CW_PROPERTIES
        , .f_addr_i({f_line, f_entry})
        , .f_data_o(f_row)
`endif
    );

    always @(posedge clk_i) begin
        if (rst_i)
            state_q <= ST_IDLE;
        else
            case (state_q)
                ST_IDLE:  state_q <= |awake ? ST_SCAN : ST_IDLE;
                ST_SCAN:  state_q <= scan_over ? ST_OFFER : ST_SCAN;
                ST_OFFER: state_q <= retry_ready_i ? ST_TAKEN : ST_OFFER;
                default:  state_q <= done_valid_i ? ST_IDLE : ST_TAKEN;
            endcase
        read_q <= scan && !scan_over;
        if (scan) begin
            todo_q    <= todo_q & ~pick;
            read_oh_q <= pick;
        end
        if (read_q) begin
            best_valid_q <= 1'b1;
            if (!best_valid_q || req[REQ_W-1:PAYLOAD_W] < best_q[REQ_W-1:PAYLOAD_W]) begin
                best_oh_q <= read_oh_q;
                best_q    <= req;
            end
        end
        if (state_q == ST_IDLE) begin
            todo_q       <= awake;
            best_valid_q <= 1'b0;
        end
    end

    // ---------------------------------------------------------------- outputs

    reg [GRANULE_W-1:0] best_granule;
    reg [4:0]           used_cnt;

    always @* begin
        best_granule = {GRANULE_W{1'b0}};
        used_cnt     = 5'd0;
        for (i = 0; i < LINES; i = i + 1) begin
            if (retry_valid_o && |best_oh_q[i*ENTRIES+:ENTRIES])
                best_granule = best_granule | granule_q[i*GRANULE_W+:GRANULE_W];
            used_cnt = used_cnt + {4'd0, used[i]};
        end
    end

    assign retry_valid_o   = state_q == ST_OFFER;
    assign retry_granule_o = best_granule;
    assign retry_warpts_o  = best_q[REQ_W-1:PAYLOAD_W] & {TS_W{retry_valid_o}};
    assign retry_payload_o = best_q[PAYLOAD_W-1:0] & {PAYLOAD_W{retry_valid_o}};
    assign pending_o       = state_q != ST_IDLE || |awake;
    assign occupancy_o     = occupancy_q;
    assign lines_used_o    = used_cnt;

`ifdef CW_PROPERTIES
    // What the ports have shown of that slot's request, of the retry, and of the questions.
    reg                  f_past_q = 1'b0;
    reg                  f_held_q;
    reg [GRANULE_W-1:0]  f_granule_q;
    reg [REQ_W-1:0]      f_req_q;
    reg                  f_awake_q;      // its line, on its own account
    reg                  f_seek_q;       // a scan, f_left_q cycles before its offer
    reg [8:0]            f_left_q;
    reg                  f_offer_q;
    reg                  f_taken_q;
    reg                  f_sought_q;     // it was among those that the scan found
    reg                  f_place1_q;
    reg                  f_place2_q;
    reg [GRANULE_W-1:0]  f_ask1_q;
    reg [GRANULE_W-1:0]  f_ask2_q;
    reg                  f_push1_q;
    reg                  f_push2_q;
    reg                  f_wait_q;       // an offer was not taken in the cycle before:
    reg [GRANULE_W+REQ_W-1:0] f_shown_q;
    // In this cycle.
    wire                 f_push  = push_valid_i && f_place2_q && !f_push1_q && !f_push2_q;
    wire                 f_done  = f_taken_q && done_valid_i;
    wire                 f_idle  = !f_seek_q && !f_offer_q && !f_taken_q;
    wire                 f_slept = f_done && done_sleep_i && f_line_has(best_oh_q);
    wire                 f_wakes = wake_valid_i && wake_granule_i == f_line_granule && f_line_has(valid_q);
    reg  [GRANULE_W-1:0] f_line_granule; // of the slot's line
    reg  [8:0]           f_held_cnt;
    reg  [8:0]           f_awake_cnt;
    reg  [8:0]           f_todo_cnt;
    reg                  f_asked;        // a line has the granule that is asked for,
    reg                  f_asked_room;   //   and a free entry
    reg                  f_empty_line;
    reg                  f_unique;       // no two lines have the same granule
    reg                  f_right1;       // the slot that was found for a question is in the right line
    reg                  f_right2;
    integer              f_i;
    integer              f_j;

    // Whether the slots include the chosen one; and whether one of its line.
    function f_at (input [SLOTS-1:0] slots);
        f_at = |(slots & f_slot_oh);
    endfunction

    function f_line_has (input [SLOTS-1:0] slots);
        f_line_has = |(slots & f_line_oh);
    endfunction

    function f_onehot (input [SLOTS-1:0] x);
        f_onehot = |x && (x & (x - 1'b1)) == {SLOTS{1'b0}};
    endfunction

    // The slot x and those below it.
    function [SLOTS-1:0] f_up_to (input [SLOTS-1:0] x);
        f_up_to = x | (x - 1'b1);
    endfunction

    always @* begin
        f_line_granule = {GRANULE_W{1'b0}};
        f_held_cnt     = 9'd0;
        f_awake_cnt    = 9'd0;
        f_todo_cnt     = 9'd0;
        f_asked        = 1'b0;
        f_asked_room   = 1'b0;
        f_empty_line   = 1'b0;
        f_unique       = 1'b1;
        f_right1       = 1'b1;
        f_right2       = 1'b1;
        for (f_i = 0; f_i < SLOTS; f_i = f_i + 1) begin
            f_held_cnt  = f_held_cnt + {8'd0, valid_q[f_i]};
            f_awake_cnt = f_awake_cnt + {8'd0, awake[f_i]};
            f_todo_cnt  = f_todo_cnt + {8'd0, todo_q[f_i]};
        end
        for (f_i = 0; f_i < LINES; f_i = f_i + 1) begin
            if (f_i == f_line)
                f_line_granule = granule_q[f_i*GRANULE_W+:GRANULE_W];
            f_empty_line = f_empty_line || valid_q[f_i*ENTRIES+:ENTRIES] == {ENTRIES{1'b0}};
            if (valid_q[f_i*ENTRIES+:ENTRIES] != {ENTRIES{1'b0}}) begin
                if (granule_q[f_i*GRANULE_W+:GRANULE_W] == ask_granule_i) begin
                    f_asked      = 1'b1;
                    f_asked_room = f_asked_room || valid_q[f_i*ENTRIES+:ENTRIES] != {ENTRIES{1'b1}};
                end
                f_right1 = f_right1 && (granule_q[f_i*GRANULE_W+:GRANULE_W] == f_ask1_q) == |slot1_q[f_i*ENTRIES+:ENTRIES];
                f_right2 = f_right2 && (granule_q[f_i*GRANULE_W+:GRANULE_W] == f_ask2_q) == |slot2_q[f_i*ENTRIES+:ENTRIES];
                for (f_j = 0; f_j < f_i; f_j = f_j + 1)
                    if (valid_q[f_j*ENTRIES+:ENTRIES] != {ENTRIES{1'b0}}
                        && granule_q[f_j*GRANULE_W+:GRANULE_W] == granule_q[f_i*GRANULE_W+:GRANULE_W])
                        f_unique = 1'b0;
            end
        end
    end

    always @(posedge clk_i) begin
        f_past_q  <= 1'b1;
        f_ask1_q  <= ask_granule_i;
        f_ask2_q  <= f_ask1_q;
        f_shown_q <= {retry_granule_o, retry_warpts_o, retry_payload_o};
        if (f_push && f_at(slot2_q)) begin
            f_granule_q <= push_granule_i;
            f_req_q     <= {push_warpts_i, push_payload_i};
        end
        if (f_idle) begin
            f_left_q   <= f_awake_cnt;
            f_sought_q <= f_at(awake);
        end else
            f_left_q   <= f_left_q - 9'd1;
        if (rst_i) begin
            f_held_q   <= 1'b0;
            f_awake_q  <= 1'b0;
            f_seek_q   <= 1'b0;
            f_offer_q  <= 1'b0;
            f_taken_q  <= 1'b0;
            f_place1_q <= 1'b0;
            f_place2_q <= 1'b0;
            f_push1_q  <= 1'b0;
            f_push2_q  <= 1'b0;
            f_wait_q   <= 1'b0;
        end else begin
            f_held_q   <= (f_held_q && !(f_done && !done_sleep_i && f_at(best_oh_q))) || (f_push && f_at(slot2_q));
            f_awake_q  <= ((f_awake_q && !f_slept) || f_wakes) && f_line_has(valid_d);
            f_seek_q   <= (f_idle && f_awake_cnt != 9'd0) || (f_seek_q && f_left_q != 9'd0);
            f_offer_q  <= (f_seek_q && f_left_q == 9'd0) || (f_offer_q && !retry_ready_i);
            f_taken_q  <= (f_offer_q && retry_ready_i) || (f_taken_q && !done_valid_i);
            f_place1_q <= f_asked ? f_asked_room : f_empty_line;
            f_place2_q <= f_place1_q;
            f_push1_q  <= f_push;
            f_push2_q  <= f_push1_q;
            f_wait_q   <= retry_valid_o && !retry_ready_i;
        end
    end

    assign f_taken_o  = state_q == ST_TAKEN;
    assign f_place_o  = place2_q && !(pushed1_q || pushed2_q);
    assign f_pushed_o = pushed1_q;

    always @(`CW_PROPERTIES)
        if (f_past_q && f_there) begin
            // 1. A question is answered by whether its granule's line has a free entry, or, when it has none, whether a line is free.
            assert (ask_place_o == f_place1_q);
            cover (f_place1_q && f_held_cnt != 0 && f_push2_q);
            cover (!f_place1_q && f_empty_line && f_push2_q);
            // 2. A push that the contract allows goes to one free entry, of its granule's line if it has one; no other push does anything.
            assert (push == f_push);
            if (f_push)
                assert (f_onehot(slot2_q) && (slot2_q & valid_q) == {SLOTS{1'b0}} && f_right2);
            cover (f_push && f_at(slot2_q) && !f_slot_oh[0] && f_held_cnt != 0 && f_line_has(valid_q));
            cover (push_valid_i && f_place2_q && f_push1_q);
            // 3. A request is held from its push until it leaves, in its place and unchanged.
            assert (f_at(valid_q) == f_held_q);
            if (f_held_q)
                assert (f_line_granule == f_granule_q && f_row == f_req_q);
            cover (f_held_q && f_done && best_oh_q != f_slot_oh && f_req_q != 0 && f_push);
            // 4. What is offered is one request that is held, as it was pushed.
            if (f_offer_q)
                assert (f_onehot(best_oh_q) && (best_oh_q & ~valid_q) == {SLOTS{1'b0}});
            if (f_offer_q && f_at(best_oh_q))
                assert (f_held_q && {retry_granule_o, retry_warpts_o, retry_payload_o} == {f_granule_q, f_req_q});
            cover (f_offer_q && f_at(best_oh_q) && f_granule_q != 0 && f_req_q[0] && !f_slot_oh[0]);
            // 5. The offer has the smallest warpts of the requests of lines that were awake when it was begun to be sought, and of equal
            //    ones it is the lowest.
            if (f_offer_q && f_sought_q)
                assert (retry_warpts_o < f_req_q[REQ_W-1:PAYLOAD_W]
                        || (retry_warpts_o == f_req_q[REQ_W-1:PAYLOAD_W] && (best_oh_q & f_up_to(f_slot_oh)) != {SLOTS{1'b0}}));
            if (f_offer_q && f_at(best_oh_q))
                assert (f_sought_q);
            cover (f_offer_q && f_sought_q && best_oh_q < f_slot_oh && retry_warpts_o != 0
                   && retry_warpts_o == f_req_q[REQ_W-1:PAYLOAD_W]);
            cover (f_offer_q && f_sought_q && best_oh_q > f_slot_oh);
            cover (f_offer_q && f_held_q && !f_sought_q && retry_warpts_o > f_req_q[REQ_W-1:PAYLOAD_W]);
            // 6. It comes n + 2 cycles after n requests of awake lines were seen, if none was on offer or tried.
            assert (retry_valid_o == f_offer_q);
            cover (f_offer_q && f_held_cnt > 1 && !f_wait_q);
            // 7. An offer that is not taken does not change, and what is not an offer is 0.
            if (f_wait_q)
                assert (retry_valid_o && {retry_granule_o, retry_warpts_o, retry_payload_o} == f_shown_q);
            if (!retry_valid_o)
                assert (retry_granule_o == 0 && retry_warpts_o == 0 && retry_payload_o == 0);
            cover (f_wait_q && f_push2_q && !f_sought_q && f_held_q && retry_warpts_o > f_req_q[REQ_W-1:PAYLOAD_W]);
            cover (f_taken_q && f_held_q && f_granule_q != 0);
            // 8. A line is awake from a wake that finds it used, until a retry of it has to wait again or it is empty.
            assert (awake_q[f_line] == f_awake_q);
            cover (f_awake_q && f_slept && !f_wakes);
            cover (f_awake_q && f_slept && f_wakes);
            cover (f_awake_q && f_done && !f_line_has(valid_d));
            // 9. No two lines are of one granule.
            assert (f_unique);
            cover (lines_used_o > 1 && f_push && f_line_has(slot2_q));
            // 10. The counts are those of the requests and of the lines that are held; pending says that one may be retried.
            assert (occupancy_o == f_held_cnt);
            assert (pending_o == (f_awake_cnt != 0 || !f_idle));
            cover (occupancy_o > 1 && pending_o && f_awake_cnt == 0);
            // 11. (for induction) The scan has read those that are not left to do, in order, and keeps the best of them.
            assert ((state_q == ST_SCAN) == f_seek_q && (state_q == ST_OFFER) == f_offer_q && (state_q == ST_TAKEN) == f_taken_q);
            if (f_sought_q && !f_idle && !f_taken_q)
                assert (f_held_q);
            assert (f_seek_q || f_idle || !read_q);
            if (f_seek_q) begin
                assert ((todo_q & ~valid_q) == {SLOTS{1'b0}} && (!f_at(todo_q) || f_sought_q));
                assert (f_left_q == f_todo_cnt && (f_todo_cnt != 0 || read_q));
                if (read_q)
                    assert (f_onehot(read_oh_q) && (read_oh_q & ~valid_q) == {SLOTS{1'b0}} && (todo_q & f_up_to(read_oh_q)) == {SLOTS{1'b0}});
                if (read_q && f_at(read_oh_q))
                    assert (f_sought_q && req == f_req_q);
                if (best_valid_q)
                    assert (f_onehot(best_oh_q) && (best_oh_q & ~valid_q) == {SLOTS{1'b0}}
                            && ((todo_q | (read_oh_q & {SLOTS{read_q}})) & f_up_to(best_oh_q)) == {SLOTS{1'b0}});
                if (f_sought_q && !f_at(todo_q) && !(read_q && f_at(read_oh_q)))
                    assert (best_valid_q && best_q[REQ_W-1:PAYLOAD_W] <= f_req_q[REQ_W-1:PAYLOAD_W]
                            && (best_q[REQ_W-1:PAYLOAD_W] < f_req_q[REQ_W-1:PAYLOAD_W]
                                || (best_oh_q & f_up_to(f_slot_oh)) != {SLOTS{1'b0}}));
            end
            if (f_seek_q && best_valid_q && f_at(best_oh_q))
                assert (f_sought_q && best_q == f_req_q);
            if (f_offer_q)
                assert (!f_at(best_oh_q) || best_q == f_req_q);
            if (f_taken_q)
                assert (f_onehot(best_oh_q) && (best_oh_q & ~valid_q) == {SLOTS{1'b0}});
            cover (f_seek_q && best_valid_q && read_q && todo_q != {SLOTS{1'b0}} && f_sought_q && !f_at(todo_q));
            // 12. (for induction) A slot that was found for a question stays free and right until a push.
            assert (pushed1_q == f_push1_q && pushed2_q == f_push2_q && place2_q == f_place2_q);
            if (f_place1_q && !f_push1_q)
                assert (f_onehot(slot1_q) && (slot1_q & valid_q) == {SLOTS{1'b0}} && f_right1);
            if (f_place2_q && !f_push1_q && !f_push2_q)
                assert (f_onehot(slot2_q) && (slot2_q & valid_q) == {SLOTS{1'b0}} && f_right2);
            cover (f_place1_q && f_place2_q && f_done && f_held_cnt > 1);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif
`ifdef CW_PROPERTIES
    always @(`CW_PROPERTIES)
        // contract: [11] push_granule must be what was asked.
        if (f_past_q && !rst_i && push_valid_i && f_place2_q)
            assume (push_granule_i == f_ask2_q);
`endif

    generate
        if (LINES < 1 || LINES > 16) begin : g_bad_lines
            cw_error_stall_buffer_lines_must_be_1_to_16 u_error ();
        end
        if (ENTRIES < 1 || ENTRIES > 16) begin : g_bad_entries
            cw_error_stall_buffer_entries_must_be_1_to_16 u_error ();
        end
        if (GRANULE_W < 1 || GRANULE_W > 64) begin : g_bad_granule_w
            cw_error_stall_buffer_granule_w_must_be_1_to_64 u_error ();
        end
        if (TS_W < 1 || TS_W > 64) begin : g_bad_ts_w
            cw_error_stall_buffer_ts_w_must_be_1_to_64 u_error ();
        end
        if (PAYLOAD_W < 1 || PAYLOAD_W > 64) begin : g_bad_payload_w
            cw_error_stall_buffer_payload_w_must_be_1_to_64 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
