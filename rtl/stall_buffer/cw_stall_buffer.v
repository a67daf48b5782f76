// SPDX-License-Identifier: Apache-2.0
//
// cw_stall_buffer: requests that wait for a reserved granule.
//
// Why         : a request that is younger than the owner of its granule need not abort: it can wait until the owner commits. The oldest
//               of those that wait must go first, or it could wait for ever.
// How         : a line holds the requests of one granule. wake_* marks the line when its granule is released. retry_* offers the
//               request with the smallest warpts of all awake lines. sleep_* stops a line when its granule is reserved again.
// Latency     : a pushed request can be offered from the next cycle on, when its line is awake or drain was 1.
// Throughput  : one push, one wake, one sleep and one retry per cycle.
// Comb. paths : push_granule_i -> push_ready_o (LINES comparators). retry_* depend on state only: a minimum over LINES x ENTRIES
//               timestamps.
// Storage     : flip-flops. A line is a compacting queue: entry 0 is the oldest, a removal shifts the younger ones down.
// Illegal use : none. A push without push_ready is ignored.
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
    // a request goes to sleep
    input  wire                 push_valid_i,
    input  wire [GRANULE_W-1:0] push_granule_i,
    input  wire [TS_W-1:0]      push_warpts_i,
    input  wire [PAYLOAD_W-1:0] push_payload_i,
    output wire                 push_ready_o,
    // a granule's line is woken, or put back to sleep
    input  wire                 wake_valid_i,
    input  wire [GRANULE_W-1:0] wake_granule_i,
    input  wire                 sleep_valid_i,
    input  wire [GRANULE_W-1:0] sleep_granule_i,
    // the request to try next
    output wire                 retry_valid_o,
    output wire [GRANULE_W-1:0] retry_granule_o,
    output wire [TS_W-1:0]      retry_warpts_o,
    output wire [PAYLOAD_W-1:0] retry_payload_o,
    input  wire                 retry_ready_i,
    // control and status
    input  wire                 drain_i,
    output wire [8:0]           occupancy_o,
    output wire [4:0]           lines_used_o
);

    localparam REQ_W = TS_W + PAYLOAD_W;  // {warpts, payload}

    reg [LINES-1:0]           awake_q;
    reg                       drain_q;

    wire [LINES-1:0]          used_oh;          // lines that hold a request
    wire [LINES-1:0]          offer_oh = used_oh & (awake_q | {LINES{drain_q}});  // and may offer one
    wire [LINES-1:0]          full_oh;
    wire [LINES-1:0]          push_hit_oh;      // line of push_granule_i
    wire [LINES-1:0]          push_oh;          // line that the push goes to
    wire [LINES-1:0]          pop_oh;           // line that the offer comes from
    wire [LINES-1:0]          held_oh;          // lines that hold a request after this cycle
    wire [LINES-1:0]          wake_oh;
    wire [LINES-1:0]          sleep_oh;
    wire [LINES*GRANULE_W-1:0] line_granule;
    wire [LINES*REQ_W-1:0]    line_best;        // each line's smallest request
    reg  [LINES-1:0]          lowest_free_oh;
    reg  [LINES-1:0]          best_line_oh;
    reg  [GRANULE_W-1:0]      best_granule;
    reg  [REQ_W-1:0]          best_req;
    reg                       best_valid;
    reg                       free_found;
    integer                   i;

    wire push_hit  = |push_hit_oh;
    wire push      = push_valid_i && push_ready_o;
    wire pop       = retry_valid_o && retry_ready_i;

    // One push never spans lines: the granule's own line when it has one, else the lowest free line.
    always @* begin
        lowest_free_oh = {LINES{1'b0}};
        free_found     = 1'b0;
        for (i = 0; i < LINES; i = i + 1)
            if (!used_oh[i] && !free_found) begin
                lowest_free_oh[i] = 1'b1;
                free_found        = 1'b1;
            end
    end

    assign push_ready_o = push_hit ? !(|(push_hit_oh & full_oh)) : free_found;
    assign push_oh      = push_hit ? push_hit_oh : lowest_free_oh;

    // The offer: smallest warpts of the awake lines, the lowest line among equals.
    always @* begin
        best_valid   = 1'b0;
        best_line_oh = {LINES{1'b0}};
        best_granule = {GRANULE_W{1'b0}};
        best_req     = {REQ_W{1'b0}};
        for (i = 0; i < LINES; i = i + 1)
            if (offer_oh[i]
                && (!best_valid || line_best[i*REQ_W + PAYLOAD_W +: TS_W] < best_req[REQ_W-1:PAYLOAD_W])) begin
                best_valid      = 1'b1;
                best_line_oh    = {LINES{1'b0}};
                best_line_oh[i] = 1'b1;
                best_granule    = line_granule[i*GRANULE_W +: GRANULE_W];
                best_req        = line_best[i*REQ_W +: REQ_W];
            end
    end

    assign pop_oh          = pop ? best_line_oh : {LINES{1'b0}};
    assign retry_valid_o   = best_valid;
    assign retry_granule_o = best_granule;
    assign retry_warpts_o  = best_req[REQ_W-1:PAYLOAD_W];
    assign retry_payload_o = best_req[PAYLOAD_W-1:0];

    always @(posedge clk_i) begin
        drain_q <= !rst_i && drain_i;
        awake_q <= ((awake_q & ~sleep_oh) | wake_oh) & held_oh & {LINES{!rst_i}};
    end

`ifdef FORMAL
    // One request value, chosen by the solver. f_inside counts how many requests of that value are in the buffer by what the
    // ports have shown.
    (* anyconst *) reg [GRANULE_W-1:0] f_granule;
    (* anyconst *) reg [REQ_W-1:0]     f_req;
    reg                                f_past_q = 1'b0;
    reg  [8:0]                         f_inside_q;
    reg  [LINES*9-1:0]                 f_held;   // per line: requests of that value
    wire [LINES*9-1:0]                 f_count;  // per line: all requests
    reg  [8:0]                         f_total;
    reg  [8:0]                         f_held_total;
    wire f_in  = push && push_granule_i == f_granule && {push_warpts_i, push_payload_i} == f_req;
    wire f_out = pop && retry_granule_o == f_granule && {retry_warpts_o, retry_payload_o} == f_req;

    function [8:0] f_ones (input [ENTRIES-1:0] bits);
        integer k;
        begin
            f_ones = 9'd0;
            for (k = 0; k < ENTRIES; k = k + 1)
                f_ones = f_ones + {8'd0, bits[k]};
        end
    endfunction

    always @(posedge clk_i) begin
        f_past_q   <= 1'b1;
        f_inside_q <= rst_i ? 9'd0 : f_inside_q + {8'd0, f_in} - {8'd0, f_out};
    end

    // Power-up is followed by a reset.
    always @*
        if (!f_past_q)
            assume (rst_i);

    always @* begin
        f_total      = 9'd0;
        f_held_total = 9'd0;
        for (i = 0; i < LINES; i = i + 1) begin
            f_total      = f_total + f_count[i*9 +: 9];
            f_held_total = f_held_total + f_held[i*9 +: 9];
        end
        if (f_past_q) begin
            // 5. occupancy counts the requests that are held.
            assert (occupancy_o == f_total);
            // 6. A request is held from its push until it is taken: nothing is lost, nothing is invented or doubled.
            assert (f_inside_q == f_held_total);
            // 7. A full line of the presented granule is seen before the push.
            if (push_hit && |(push_hit_oh & full_oh))
                assert (!push_ready_o);
            cover (f_out && f_inside_q == 1 && occupancy_o > 1);
        end
    end
`endif

    genvar l;
    generate
        for (l = 0; l < LINES; l = l + 1) begin : g_line
            reg  [ENTRIES-1:0]       valid_q;    // entry 0 oldest; ones are contiguous from entry 0
            reg  [ENTRIES*REQ_W-1:0] req_q;
            reg  [GRANULE_W-1:0]     granule_q;
            reg  [ENTRIES-1:0]       min_oh;     // the smallest warpts, the oldest among equals
            reg  [REQ_W-1:0]         min_req;
            wire                     push_here = push && push_oh[l];
            wire [ENTRIES-1:0]       kept      = pop_oh[l] ? valid_q >> 1 : valid_q;  // valid_q after the removal
            wire [ENTRIES-1:0]       fill      = (kept << 1) | {{(ENTRIES-1){1'b0}}, 1'b1};
            reg                      push_hit_here;
            reg                      wake_here;
            reg                      sleep_here;
            integer                  n;
            integer                  m;

            // Only a line that may make an offer needs its minimum.
            always @* begin
                min_oh  = {ENTRIES{1'b0}};
                min_req = {REQ_W{1'b0}};
                if (offer_oh[l]) begin
                    min_oh[0] = 1'b1;
                    min_req   = req_q[REQ_W-1:0];
                    for (n = 1; n < ENTRIES; n = n + 1)
                        if (valid_q[n] && req_q[n*REQ_W + PAYLOAD_W +: TS_W] < min_req[REQ_W-1:PAYLOAD_W]) begin
                            min_oh    = {ENTRIES{1'b0}};
                            min_oh[n] = 1'b1;
                            min_req   = req_q[n*REQ_W +: REQ_W];
                        end
                end
            end

            // A removal shifts the younger ones down; a push goes to the lowest entry that is free after the removal.
            always @(posedge clk_i) begin
                if (pop_oh[l])
                    for (m = 0; m + 1 < ENTRIES; m = m + 1)
                        if ((min_oh << (ENTRIES - 1 - m)) != {ENTRIES{1'b0}})  // the removed one is entry m or an older one
                            req_q[m*REQ_W +: REQ_W] <= req_q[(m+1)*REQ_W +: REQ_W];
                if (push_here)
                    for (m = 0; m < ENTRIES; m = m + 1)
                        if (fill[m] && !kept[m])
                            req_q[m*REQ_W +: REQ_W] <= {push_warpts_i, push_payload_i};
            end

            always @(posedge clk_i)
                if (rst_i)
                    valid_q <= {ENTRIES{1'b0}};
                else if (push_here)
                    valid_q <= fill;
                else if (pop_oh[l])
                    valid_q <= kept;

            always @(posedge clk_i)
                if (push_here)
                    granule_q <= push_granule_i;

            assign used_oh[l]      = valid_q[0];
            assign full_oh[l]      = valid_q[ENTRIES-1];
            assign held_oh[l]      = push_here || kept[0];
            assign push_hit_oh[l]  = push_hit_here;
            assign wake_oh[l]      = wake_here;
            assign sleep_oh[l]     = sleep_here;
            assign line_granule[l*GRANULE_W +: GRANULE_W] = granule_q;
            assign line_best[l*REQ_W +: REQ_W]            = min_req;

            // A wake must also find the line that this cycle's push opens or keeps.
            always @* begin
                push_hit_here = 1'b0;
                wake_here     = 1'b0;
                sleep_here    = 1'b0;
                if (used_oh[l])
                    push_hit_here = granule_q == push_granule_i;
                if (wake_valid_i)
                    wake_here = push_here ? push_granule_i == wake_granule_i : used_oh[l] && granule_q == wake_granule_i;
                if (sleep_valid_i)
                    sleep_here = granule_q == sleep_granule_i;
            end

`ifdef FORMAL
            assign f_count[l*9 +: 9] = f_ones(valid_q);
            always @*
                if (f_past_q) begin
                    // 1. The entries of a line are contiguous from entry 0.
                    assert ((valid_q & (valid_q + {{(ENTRIES-1){1'b0}}, 1'b1})) == 0);
                    // 2. A line without a request is asleep.
                    assert (used_oh[l] || !awake_q[l]);
                    // 3. No two lines hold the same granule.
                    for (n = 0; n < LINES; n = n + 1)
                        if (n != l && used_oh[l] && used_oh[n])
                            assert (granule_q != line_granule[n*GRANULE_W +: GRANULE_W]);
                    // 4. Of an awake line, no request has a smaller warpts than the offer.
                    for (n = 0; n < ENTRIES; n = n + 1)
                        if (valid_q[n] && (awake_q[l] || drain_q))
                            assert (retry_valid_o && retry_warpts_o <= req_q[n*REQ_W + PAYLOAD_W +: TS_W]);
                end
            always @* begin
                f_held[l*9 +: 9] = 9'd0;
                for (n = 0; n < ENTRIES; n = n + 1)
                    if (valid_q[n] && granule_q == f_granule && req_q[n*REQ_W +: REQ_W] == f_req)
                        f_held[l*9 +: 9] = f_held[l*9 +: 9] + 9'd1;
            end
`endif
        end
    endgenerate

    // Status: counted, so that no adder tree over all entries is needed.
    reg [8:0] occupancy_q;
    reg [4:0] used_cnt;

    always @(posedge clk_i)
        if (rst_i)
            occupancy_q <= 9'd0;
        else if (push && !pop)
            occupancy_q <= occupancy_q + 9'd1;
        else if (pop && !push)
            occupancy_q <= occupancy_q - 9'd1;

    always @* begin
        used_cnt = 5'd0;
        for (i = 0; i < LINES; i = i + 1)
            used_cnt = used_cnt + {4'd0, used_oh[i]};
    end

    assign occupancy_o  = occupancy_q;
    assign lines_used_o = used_cnt;

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
