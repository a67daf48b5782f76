// SPDX-License-Identifier: Apache-2.0
//
// cw_nonsynth_stall_buffer: what must hold of the stall buffer, as one place for a request shows it.
//
// Why         : a buffer of requests is right if none is lost, and the oldest of those that may go is tried first.
// How         : it watches one slot, of the prover's choice, and keeps what the ports have shown of the request there, of the retry, and of the
//               questions.
// Illegal use : synthesis. Only blocks of properties have it (CW_PROPERTIES).
//
// Contract: include/cowarp/unit/stall_buffer.h. docs/proofs.md has the form of properties.

`default_nettype none

module cw_nonsynth_stall_buffer #(
    parameter LINES     = 4,
    parameter ENTRIES   = 4,
    parameter LINE_W    = 2,  // of a line's number
    parameter ENTRY_W   = 2,  // of an entry's number
    parameter GRANULE_W = 30,
    parameter TS_W      = 32,
    parameter PAYLOAD_W = 24
) (
    input  wire                                             clk_i,
    input  wire                                             rst_i,
    // a question, and whether there was a place a cycle later
    input  wire [1+GRANULE_W-1:0]                           ask_i,
    // a push: valid, granule, request; it is carried out
    input  wire [2+GRANULE_W+TS_W+PAYLOAD_W-1:0]            push_i,
    // a wake
    input  wire [1+GRANULE_W-1:0]                           wake_i,
    // an offer, and what became of it
    input  wire [4+GRANULE_W+TS_W+PAYLOAD_W-1:0]            retry_i,
    // status
    input  wire [14:0]                                      status_i,
    // requests that are held, now and next; of lines that are awake, by wake alone; granules
    input  wire [3*LINES*ENTRIES+LINES+LINES*GRANULE_W-1:0] lines_i,
    // slots that were found for the last two questions; a place was found; pushes of the last two cycles
    input  wire [3+2*LINES*ENTRIES-1:0]                     places_i,
    // scan, offer, taken; what is left to read, what is read, the best so far
    input  wire [5+3*LINES*ENTRIES+2*(TS_W+PAYLOAD_W)-1:0]  scan_i,
    // what the row of the slot below holds
    input  wire [TS_W+PAYLOAD_W-1:0]                        f_row_i,
    // the slot that is watched
    output wire [LINE_W-1:0]                                f_line_o,
    output wire [ENTRY_W-1:0]                               f_entry_o
);

`ifdef CW_PROPERTIES
    localparam REQ_W = TS_W + PAYLOAD_W;  // {warpts, payload}
    localparam SLOTS = LINES * ENTRIES;   // slot: line * ENTRIES + entry

    wire [GRANULE_W-1:0]       ask_granule;
    wire                       ask_place;
    wire                       push_valid;
    wire [GRANULE_W-1:0]       push_granule;
    wire [TS_W-1:0]            push_warpts;
    wire [PAYLOAD_W-1:0]       push_payload;
    wire                       push;
    wire                       wake_valid;
    wire [GRANULE_W-1:0]       wake_granule;
    wire                       retry_valid;
    wire [GRANULE_W-1:0]       retry_granule;
    wire [TS_W-1:0]            retry_warpts;
    wire [PAYLOAD_W-1:0]       retry_payload;
    wire                       retry_ready;
    wire                       done_valid;
    wire                       done_sleep;
    wire                       pending;
    wire [8:0]                 occupancy;
    wire [4:0]                 lines_used;
    wire [SLOTS-1:0]           valid;
    wire [SLOTS-1:0]           valid_next;
    wire [SLOTS-1:0]           awake;
    wire [LINES-1:0]           awake_lines;
    wire [LINES*GRANULE_W-1:0] granules;
    wire [SLOTS-1:0]           slot1;
    wire [SLOTS-1:0]           slot2;
    wire                       place2;
    wire                       pushed1;
    wire                       pushed2;
    wire                       scan;
    wire                       offer;
    wire                       taken;
    wire [SLOTS-1:0]           todo;
    wire                       read;
    wire [SLOTS-1:0]           read_oh;
    wire [REQ_W-1:0]           req;
    wire                       best_valid;
    wire [SLOTS-1:0]           best_oh;
    wire [REQ_W-1:0]           best;

    integer i;

    assign {ask_granule, ask_place} = ask_i;
    assign {push_valid, push_granule, push_warpts, push_payload, push} = push_i;
    assign {wake_valid, wake_granule} = wake_i;
    assign {retry_valid, retry_granule, retry_warpts, retry_payload, retry_ready, done_valid, done_sleep} = retry_i;
    assign {pending, occupancy, lines_used} = status_i;
    assign {valid, valid_next, awake, awake_lines, granules} = lines_i;
    assign {slot1, slot2, place2, pushed1, pushed2} = places_i;
    assign {scan, offer, taken, todo, read, read_oh, req, best_valid, best_oh, best} = scan_i;

    assign f_line_o  = f_line;
    assign f_entry_o = f_entry;

    // One slot, of the prover's choice, and the slots of its line.
    (* anyconst *) reg [LINE_W-1:0]  f_line;
    (* anyconst *) reg [ENTRY_W-1:0] f_entry;
    wire                             f_there = f_line < LINES && f_entry < ENTRIES;
    reg  [SLOTS-1:0]                 f_line_oh;
    reg  [SLOTS-1:0]                 f_slot_oh;

    always @*
        for (i = 0; i < SLOTS; i = i + 1) begin
            f_line_oh[i] = i / ENTRIES == f_line;
            f_slot_oh[i] = i / ENTRIES == f_line && i % ENTRIES == f_entry;
        end

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
    wire                 f_push  = push_valid && f_place2_q && !f_push1_q && !f_push2_q;
    wire                 f_done  = f_taken_q && done_valid;
    wire                 f_idle  = !f_seek_q && !f_offer_q && !f_taken_q;
    wire                 f_slept = f_done && done_sleep && f_line_has(best_oh);
    wire                 f_wakes = wake_valid && wake_granule == f_line_granule && f_line_has(valid);
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
            f_held_cnt  = f_held_cnt + {8'd0, valid[f_i]};
            f_awake_cnt = f_awake_cnt + {8'd0, awake[f_i]};
            f_todo_cnt  = f_todo_cnt + {8'd0, todo[f_i]};
        end
        for (f_i = 0; f_i < LINES; f_i = f_i + 1) begin
            if (f_i == f_line)
                f_line_granule = granules[f_i*GRANULE_W+:GRANULE_W];
            f_empty_line = f_empty_line || valid[f_i*ENTRIES+:ENTRIES] == {ENTRIES{1'b0}};
            if (valid[f_i*ENTRIES+:ENTRIES] != {ENTRIES{1'b0}}) begin
                if (granules[f_i*GRANULE_W+:GRANULE_W] == ask_granule) begin
                    f_asked      = 1'b1;
                    f_asked_room = f_asked_room || valid[f_i*ENTRIES+:ENTRIES] != {ENTRIES{1'b1}};
                end
                f_right1 = f_right1 && (granules[f_i*GRANULE_W+:GRANULE_W] == f_ask1_q) == |slot1[f_i*ENTRIES+:ENTRIES];
                f_right2 = f_right2 && (granules[f_i*GRANULE_W+:GRANULE_W] == f_ask2_q) == |slot2[f_i*ENTRIES+:ENTRIES];
                for (f_j = 0; f_j < f_i; f_j = f_j + 1)
                    if (valid[f_j*ENTRIES+:ENTRIES] != {ENTRIES{1'b0}}
                        && granules[f_j*GRANULE_W+:GRANULE_W] == granules[f_i*GRANULE_W+:GRANULE_W])
                        f_unique = 1'b0;
            end
        end
    end

    always @(posedge clk_i) begin
        f_past_q  <= 1'b1;
        f_ask1_q  <= ask_granule;
        f_ask2_q  <= f_ask1_q;
        f_shown_q <= {retry_granule, retry_warpts, retry_payload};
        if (f_push && f_at(slot2)) begin
            f_granule_q <= push_granule;
            f_req_q     <= {push_warpts, push_payload};
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
            f_held_q   <= (f_held_q && !(f_done && !done_sleep && f_at(best_oh))) || (f_push && f_at(slot2));
            f_awake_q  <= ((f_awake_q && !f_slept) || f_wakes) && f_line_has(valid_next);
            f_seek_q   <= (f_idle && f_awake_cnt != 9'd0) || (f_seek_q && f_left_q != 9'd0);
            f_offer_q  <= (f_seek_q && f_left_q == 9'd0) || (f_offer_q && !retry_ready);
            f_taken_q  <= (f_offer_q && retry_ready) || (f_taken_q && !done_valid);
            f_place1_q <= f_asked ? f_asked_room : f_empty_line;
            f_place2_q <= f_place1_q;
            f_push1_q  <= f_push;
            f_push2_q  <= f_push1_q;
            f_wait_q   <= retry_valid && !retry_ready;
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q && f_there) begin
            // 1. A question is answered by whether its granule's line has a free entry, or, when it has none, whether a line is free.
            assert (ask_place == f_place1_q);
            cover (f_place1_q && f_held_cnt != 0 && f_push2_q);
            cover (!f_place1_q && f_empty_line && f_push2_q);
            // 2. A push that the contract allows goes to one free entry, of its granule's line if it has one; no other push does anything.
            assert (push == f_push);
            if (f_push)
                assert (f_onehot(slot2) && (slot2 & valid) == {SLOTS{1'b0}} && f_right2);
            cover (f_push && f_at(slot2) && !f_slot_oh[0] && f_held_cnt != 0 && f_line_has(valid));
            cover (push_valid && f_place2_q && f_push1_q);
            // 3. A request is held from its push until it leaves, in its place and unchanged.
            assert (f_at(valid) == f_held_q);
            if (f_held_q)
                assert (f_line_granule == f_granule_q && f_row_i == f_req_q);
            cover (f_held_q && f_done && best_oh != f_slot_oh && f_req_q != 0 && f_push);
            // 4. What is offered is one request that is held, as it was pushed.
            if (f_offer_q)
                assert (f_onehot(best_oh) && (best_oh & ~valid) == {SLOTS{1'b0}});
            if (f_offer_q && f_at(best_oh))
                assert (f_held_q && {retry_granule, retry_warpts, retry_payload} == {f_granule_q, f_req_q});
            cover (f_offer_q && f_at(best_oh) && f_granule_q != 0 && f_req_q[0] && !f_slot_oh[0]);
            // 5. The offer has the smallest warpts of the requests of lines that were awake when it was begun to be sought, and of equal
            //    ones it is the lowest.
            if (f_offer_q && f_sought_q)
                assert (retry_warpts < f_req_q[REQ_W-1:PAYLOAD_W]
                        || (retry_warpts == f_req_q[REQ_W-1:PAYLOAD_W] && (best_oh & f_up_to(f_slot_oh)) != {SLOTS{1'b0}}));
            if (f_offer_q && f_at(best_oh))
                assert (f_sought_q);
            cover (f_offer_q && f_sought_q && best_oh < f_slot_oh && retry_warpts != 0
                   && retry_warpts == f_req_q[REQ_W-1:PAYLOAD_W]);
            cover (f_offer_q && f_sought_q && best_oh > f_slot_oh);
            cover (f_offer_q && f_held_q && !f_sought_q && retry_warpts > f_req_q[REQ_W-1:PAYLOAD_W]);
            // 6. It comes n + 2 cycles after n requests of awake lines were seen, if none was on offer or tried.
            assert (retry_valid == f_offer_q);
            cover (f_offer_q && f_held_cnt > 1 && !f_wait_q);
            // 7. An offer that is not taken does not change, and what is not an offer is 0.
            if (f_wait_q)
                assert (retry_valid && {retry_granule, retry_warpts, retry_payload} == f_shown_q);
            if (!retry_valid)
                assert (retry_granule == 0 && retry_warpts == 0 && retry_payload == 0);
            cover (f_wait_q && f_push2_q && !f_sought_q && f_held_q && retry_warpts > f_req_q[REQ_W-1:PAYLOAD_W]);
            cover (f_taken_q && f_held_q && f_granule_q != 0);
            // 8. A line is awake from a wake that finds it used, until a retry of it has to wait again or it is empty.
            assert (awake_lines[f_line] == f_awake_q);
            cover (f_awake_q && f_slept && !f_wakes);
            cover (f_awake_q && f_slept && f_wakes);
            cover (f_awake_q && f_done && !f_line_has(valid_next));
            // 9. No two lines are of one granule.
            assert (f_unique);
            cover (lines_used > 1 && f_push && f_line_has(slot2));
            // 10. The counts are those of the requests and of the lines that are held; pending says that one may be retried.
            assert (occupancy == f_held_cnt);
            assert (pending == (f_awake_cnt != 0 || !f_idle));
            cover (occupancy > 1 && pending && f_awake_cnt == 0);
            // 11. (for induction) The scan has read those that are not left to do, in order, and keeps the best of them.
            assert (scan == f_seek_q && offer == f_offer_q && taken == f_taken_q);
            if (f_sought_q && !f_idle && !f_taken_q)
                assert (f_held_q);
            assert (f_seek_q || f_idle || !read);
            if (f_seek_q) begin
                assert ((todo & ~valid) == {SLOTS{1'b0}} && (!f_at(todo) || f_sought_q));
                assert (f_left_q == f_todo_cnt && (f_todo_cnt != 0 || read));
                if (read)
                    assert (f_onehot(read_oh) && (read_oh & ~valid) == {SLOTS{1'b0}} && (todo & f_up_to(read_oh)) == {SLOTS{1'b0}});
                if (read && f_at(read_oh))
                    assert (f_sought_q && req == f_req_q);
                if (best_valid)
                    assert (f_onehot(best_oh) && (best_oh & ~valid) == {SLOTS{1'b0}}
                            && ((todo | (read_oh & {SLOTS{read}})) & f_up_to(best_oh)) == {SLOTS{1'b0}});
                if (f_sought_q && !f_at(todo) && !(read && f_at(read_oh)))
                    assert (best_valid && best[REQ_W-1:PAYLOAD_W] <= f_req_q[REQ_W-1:PAYLOAD_W]
                            && (best[REQ_W-1:PAYLOAD_W] < f_req_q[REQ_W-1:PAYLOAD_W]
                                || (best_oh & f_up_to(f_slot_oh)) != {SLOTS{1'b0}}));
            end
            if (f_seek_q && best_valid && f_at(best_oh))
                assert (f_sought_q && best == f_req_q);
            if (f_offer_q)
                assert (!f_at(best_oh) || best == f_req_q);
            if (f_taken_q)
                assert (f_onehot(best_oh) && (best_oh & ~valid) == {SLOTS{1'b0}});
            cover (f_seek_q && best_valid && read && todo != {SLOTS{1'b0}} && f_sought_q && !f_at(todo));
            // 12. (for induction) A slot that was found for a question stays free and right until a push.
            assert (pushed1 == f_push1_q && pushed2 == f_push2_q && place2 == f_place2_q);
            if (f_place1_q && !f_push1_q)
                assert (f_onehot(slot1) && (slot1 & valid) == {SLOTS{1'b0}} && f_right1);
            if (f_place2_q && !f_push1_q && !f_push2_q)
                assert (f_onehot(slot2) && (slot2 & valid) == {SLOTS{1'b0}} && f_right2);
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
        if (f_past_q && !rst_i && push_valid && f_place2_q)
            assume (push_granule == f_ask2_q);
`endif

endmodule

`default_nettype wire
