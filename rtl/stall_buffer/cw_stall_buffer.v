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
    // One slot, of the prover's choice, and what its row holds.
    wire [LINE_W-1:0]  f_line;
    wire [ENTRY_W-1:0] f_entry;
    wire [REQ_W-1:0]   f_row;
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
    assign f_taken_o  = state_q == ST_TAKEN;
    assign f_place_o  = place2_q && !(pushed1_q || pushed2_q);
    assign f_pushed_o = pushed1_q;

    cw_nonsynth_stall_buffer #(
        .LINES    (LINES),
        .ENTRIES  (ENTRIES),
        .LINE_W   (LINE_W),
        .ENTRY_W  (ENTRY_W),
        .GRANULE_W(GRANULE_W),
        .TS_W     (TS_W),
        .PAYLOAD_W(PAYLOAD_W)
    ) u_properties (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .ask_i    ({ask_granule_i, ask_place_o}),
        .push_i   ({push_valid_i, push_granule_i, push_warpts_i, push_payload_i, push}),
        .wake_i   ({wake_valid_i, wake_granule_i}),
        .retry_i  ({retry_valid_o, retry_granule_o, retry_warpts_o, retry_payload_o, retry_ready_i, done_valid_i,
                    done_sleep_i}),
        .status_i ({pending_o, occupancy_o, lines_used_o}),
        .lines_i  ({valid_q, valid_d, awake, awake_q, granule_q}),
        .places_i ({slot1_q, slot2_q, place2_q, pushed1_q, pushed2_q}),
        .scan_i   ({scan, state_q == ST_OFFER, state_q == ST_TAKEN, todo_q, read_q, read_oh_q, req, best_valid_q,
                    best_oh_q, best_q}),
        .f_row_i  (f_row),
        .f_line_o (f_line),
        .f_entry_o(f_entry)
    );
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
