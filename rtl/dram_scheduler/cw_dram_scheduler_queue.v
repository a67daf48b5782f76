// SPDX-License-Identifier: Apache-2.0
//
// cw_dram_scheduler_queue: the requests among which the DRAM scheduler chooses, the oldest one first.
//
// Why         : "the oldest" is asked several times in a cycle, so the order of the places has to be that of age.
// How         : a request comes to the first free place. One that has left is marked, and a cycle later those behind it move up. Whether a
//               request hits is kept with it: it is compared with its bank's row as it comes, and with the row of each command that opens or
//               closes its bank, two cycles after that was chosen. From that the candidates of each bank are found for the next cycle. A bank
//               that has had a command has them late by up to three cycles, which its times hide (the least ones of the contract), and a bank
//               that is closed has no hits.
// Latency     : a request that comes in cycle t is there in t + 1, and may be a candidate in t + 2.
// Throughput  : one that comes, and one that leaves, per cycle.
// Storage     : per request BANKS + ROW_W + TAG_W + 6 bits and the time at which it came, in flip-flops. The bank is kept as one bit of BANKS,
//               because each bank asks for its requests in each cycle.
// Illegal use : put_i while full_o; burst_oh_i with more than one bit, or that of a free place.
//
// Paper: none. It is a part of cw_dram_scheduler. Contract: include/cowarp/unit/dram_scheduler.h. C model: csim/unit/dram_scheduler.c.

`default_nettype none

module cw_dram_scheduler_queue #(
    parameter QUEUE   = 32,
    parameter BANKS   = 16,
    parameter ROW_W   = 24,
    parameter TAG_W   = 5,
    parameter AGE_CAP = 2144
) (
    input  wire                    clk_i,
    input  wire                    rst_i,
    input  wire                    step_i,
    // a request comes
    input  wire                    put_i,
    input  wire                    put_write_i,
    input  wire [BANKS-1:0]        put_bank_oh_i,
    input  wire [ROW_W-1:0]        put_row_i,
    input  wire [2:0]              put_bursts_i,
    input  wire [TAG_W-1:0]        put_tag_i,
    input  wire                    put_hit_i,
    // the request that has the command; a burst of it is transferred; that is the last one
    input  wire [QUEUE-1:0]        give_oh_i,
    input  wire                    burst_i,
    input  wire                    leave_i,
    // of the request that had the last command
    output reg  [ROW_W-1:0]        given_row_o,
    output reg  [TAG_W-1:0]        given_tag_o,
    // the command before the last one has opened a row of a bank, or closed the bank
    input  wire                    moved_i,
    input  wire                    moved_open_i,
    input  wire [BANKS-1:0]        moved_bank_oh_i,
    input  wire [ROW_W-1:0]        moved_row_i,
    input  wire [BANKS-1:0]        open_i,   // banks with an open row
    // requests
    output wire                    any_o,    // there is one
    output wire [QUEUE-1:0]        oldest_o, // the place of the oldest one, if there is one
    output wire [QUEUE-1:0]        write_o,
    output wire [QUEUE-1:0]        last_o,   // one burst is left
    output wire [BANKS*QUEUE-1:0]  mine_o,   // of each bank
    output wire [BANKS*QUEUE-1:0]  first_o,  // of each bank: the oldest that hits
    output wire [BANKS*QUEUE-1:0]  head_o,   // of each bank: the oldest
    output wire [BANKS-1:0]        hits_o,   // banks for which one hits
    output wire                    full_o,
    output wire                    late_o    // the oldest one is
);

    function integer bits_for (input integer n);  // of a number below n, at least 1
        for (bits_for = 1; (1 << bits_for) < n; bits_for = bits_for + 1) begin
        end
    endfunction

    localparam AGE_W  = bits_for(AGE_CAP + 1);
    localparam ITEM_W = AGE_W + TAG_W + ROW_W;

    localparam [QUEUE-1:0] FIRST   = 1;
    localparam [31:0]      SOON    = AGE_CAP - 1;
    localparam [AGE_W-1:0] ONE_AGE = 1;

    reg  [QUEUE-1:0]        valid_q;
    reg  [QUEUE-1:0]        write_q;
    reg  [QUEUE-1:0]        hit_q;
    reg  [QUEUE-1:0]        late_q;
    reg  [AGE_W-1:0]        now_q;    // counts command cycles while there are requests

    reg  [QUEUE-1:0]        given_oh_q;  // who has had the last command
    reg                     gone_q;      // it has left with it
    reg                     first_gone_q;  // and was the oldest one
    reg                     alone_q;     // the oldest one is late
    wire [QUEUE-1:0]        gone   = given_oh_q & {QUEUE{gone_q}};
    wire [QUEUE-1:0]        up     = from(gone);  // places that take what is behind them
    wire [QUEUE-1:0]        free   = ~valid_q & ((valid_q << 1) | FIRST);
    wire [QUEUE-1:0]        free_up = valid_q & ~(valid_q >> 1);  // once those behind have moved up
    wire [QUEUE-1:0]        place  = (gone_q ? free_up : free) & {QUEUE{put_i}};
    wire [AGE_W-1:0]        now    = now_q + (step_i && valid_q[0] ? ONE_AGE : {AGE_W{1'b0}});
    wire [ITEM_W-1:0]       item   = {now + SOON[AGE_W-1:0], put_tag_i, put_row_i};
    wire [QUEUE-1:0]        is_late;  // from the next command cycle on
    wire [QUEUE-1:0]        is_row;   // the row is that of the last command
    reg  [QUEUE-1:0]        is_bank;  // the bank is
    wire [QUEUE-1:0]        is_moved = is_bank & {QUEUE{moved_i}};
    wire [QUEUE-1:0]        hit    = (is_moved & is_row & {QUEUE{moved_open_i}}) | (~is_moved & hit_q);

    // In the next cycle
    wire [QUEUE-1:0]        given  = next(give_oh_i, up, {QUEUE{1'b0}}, 1'b0);
    wire [QUEUE-1:0]        late   = next(late_q | (is_late & valid_q & {QUEUE{step_i}}), up, place, 1'b0);
    wire                    second_late = |(late & (FIRST << 1));

    wire [QUEUE*ROW_W-1:0]  rows;
    wire [QUEUE*TAG_W-1:0]  tags;

    integer                 m;
    integer                 n;

    function [QUEUE-1:0] lowest (input [QUEUE-1:0] of);
        reg     [QUEUE-1:0] above;  // a lower one is there; in a tree, since a carry would be too slow
        integer             step;
        begin
            above = of << 1;
            for (step = 1; step < QUEUE; step = step * 2)
                above = above | (above << step);
            lowest = of & ~above;
        end
    endfunction

    function [QUEUE-1:0] from (input [QUEUE-1:0] oh);  // that place and all behind it
        integer step;
        begin
            from = oh;
            for (step = 1; step < QUEUE; step = step * 2)
                from = from | (from << step);
        end
    endfunction

    // A bit of each request, in the next cycle; behind the last place there is nothing
    function [QUEUE-1:0] next (input [QUEUE-1:0] bits, input [QUEUE-1:0] moves, input [QUEUE-1:0] at, input value);
        next = (((bits & ~moves) | ((bits >> 1) & moves)) & ~at) | (at & {QUEUE{value}});
    endfunction

    always @* begin
        given_row_o = {ROW_W{1'b0}};
        given_tag_o = {TAG_W{1'b0}};
        for (n = 0; n < QUEUE; n = n + 1) begin
            given_row_o = given_row_o | (rows[n*ROW_W +: ROW_W] & {ROW_W{given_oh_q[n]}});
            given_tag_o = given_tag_o | (tags[n*TAG_W +: TAG_W] & {TAG_W{given_oh_q[n]}});
        end
    end

    always @* begin
        is_bank = {QUEUE{1'b0}};
        for (m = 0; m < BANKS; m = m + 1)
            is_bank = is_bank | (mine_o[m*QUEUE +: QUEUE] & {QUEUE{moved_bank_oh_i[m]}});
    end

    always @(posedge clk_i) begin
        gone_q       <= !rst_i && leave_i;
        given_oh_q   <= given;
        first_gone_q <= !rst_i && leave_i && given[0];
        alone_q      <= !rst_i && (leave_i && given[0] ? second_late : late[0]);
        valid_q      <= rst_i ? {QUEUE{1'b0}} : next(valid_q, up, place, 1'b1);
        late_q       <= rst_i ? {QUEUE{1'b0}} : late;
        now_q        <= rst_i ? {AGE_W{1'b0}} : now;
        write_q      <= next(write_q, up, place, put_write_i);
        hit_q        <= next(hit, up, place, put_hit_i);
    end

    genvar b;
    genvar i;
    generate
        for (b = 0; b < BANKS; b = b + 1) begin : g_bank
            reg  [QUEUE-1:0] mine_q;
            reg  [QUEUE-1:0] first_q;
            reg  [QUEUE-1:0] head_q;
            reg              hits_q;
            wire [QUEUE-1:0] here = mine_q & ~gone;
            wire [QUEUE-1:0] hits = here & hit_q & {QUEUE{open_i[b]}};

            always @(posedge clk_i) begin
                mine_q  <= rst_i ? {QUEUE{1'b0}} : next(mine_q, up, place, put_bank_oh_i[b]);
                first_q <= rst_i ? {QUEUE{1'b0}} : next(lowest(hits), up, {QUEUE{1'b0}}, 1'b0);
                head_q  <= rst_i ? {QUEUE{1'b0}} : next(lowest(here), up, {QUEUE{1'b0}}, 1'b0);
                hits_q  <= !rst_i && |hits;
            end

            assign mine_o[b*QUEUE +: QUEUE]  = mine_q;
            assign first_o[b*QUEUE +: QUEUE] = first_q;
            assign head_o[b*QUEUE +: QUEUE]  = head_q;
            assign hits_o[b]                 = hits_q;
        end
        for (i = QUEUE - 1; i >= 0; i = i - 1) begin : g_place
            reg  [ITEM_W-1:0] item_q;
            reg  [2:0]        bursts_q;
            wire [ITEM_W-1:0] item_behind;
            wire [2:0]        bursts_behind;
            wire [2:0]        bursts = bursts_q - {2'd0, burst_i && give_oh_i[i]};  // after this cycle's burst

            if (i == QUEUE - 1) begin : g_end
                assign item_behind   = {ITEM_W{1'b0}};
                assign bursts_behind = 3'd0;
            end else begin : g_behind
                assign item_behind   = g_place[i+1].item_q;
                assign bursts_behind = g_place[i+1].bursts;
            end

            always @(posedge clk_i) begin
                if (place[i] || up[i])
                    item_q <= place[i] ? item : item_behind;
                bursts_q <= place[i] ? put_bursts_i : up[i] ? bursts_behind : bursts;
            end

            assign rows[i*ROW_W +: ROW_W] = item_q[0 +: ROW_W];
            assign tags[i*TAG_W +: TAG_W] = item_q[ROW_W +: TAG_W];
            assign is_late[i]              = item_q[ROW_W+TAG_W +: AGE_W] == now_q;
            assign is_row[i]               = item_q[0 +: ROW_W] == moved_row_i;
            assign last_o[i]               = bursts_q == 3'd0;
        end
    endgenerate

    assign oldest_o = first_gone_q ? FIRST << 1 : FIRST;
    assign any_o    = |(valid_q & oldest_o);
    assign write_o  = write_q;
    assign full_o   = valid_q[QUEUE-1] && !gone_q;
    assign late_o   = alone_q;

endmodule

`default_nettype wire
