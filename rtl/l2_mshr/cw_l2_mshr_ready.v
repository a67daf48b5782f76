// SPDX-License-Identifier: Apache-2.0
//
// cw_l2_mshr_ready: the requests that wait in the MSHRs of an L2 slice, and which of them is performed next.
//
// Why         : requests of a line leave one per cycle in their order, and a RAM tells a request a cycle after it was asked. So the next
//               one must have been read when the head leaves.
// How         : a RAM has the requests, a ring of places for each entry. Entries that are ready wait in a list. The first one goes to the
//               head: its first request is read into a register, and behind it the RAM shows the second one.
// Latency     : an entry that joins in cycle t has its request at the head from t + 3 on, if the list was empty and nobody at the head.
// Throughput  : one request per cycle of an entry; two cycles between the last of an entry and the first of the next.
// Storage     : a RAM of 2^(ENTRY_W + PLACE_W) rows x (REQ_W + SECTORS) bits.
// Illegal use : an entry joins that is in the list or at the head.
//
// Paper: none. It is a part of cw_l2_mshr. Contract: include/cowarp/unit/l2_mshr.h. C model: csim/unit/l2_mshr.c.

`default_nettype none

module cw_l2_mshr_ready #(
    parameter ENTRIES = 64,
    parameter MERGE   = 8,
    parameter SECTORS = 4,
    parameter REQ_W   = 9,
    parameter ENTRY_W = 6,  // bits of an entry's number
    parameter PLACE_W = 3   // bits of a place's number
) (
    input  wire               clk_i,
    input  wire               rst_i,
    // a request waits from now on
    input  wire               wait_i,
    input  wire [ENTRY_W-1:0] wait_entry_i,
    input  wire [PLACE_W-1:0] wait_place_i,
    input  wire [REQ_W-1:0]   wait_req_i,
    input  wire [SECTORS-1:0] wait_needs_i,
    // an entry is ready; the place of its first request
    input  wire               join_i,
    input  wire [ENTRY_W-1:0] join_entry_i,
    input  wire [PLACE_W-1:0] join_place_i,
    // the head leaves, and the next one of its entry follows or not
    input  wire               leave_i,
    input  wire               follow_i,
    output wire [SECTORS-1:0] next_needs_o,  // what the next one needs, if there is one
    // the head
    output wire               head_valid_o,
    output wire [REQ_W-1:0]   head_req_o,
    output wire [ENTRIES-1:0] head_oh_o,    // its entry; a cycle before its request, too
    output wire               idle_o
`ifdef CW_PROPERTIES
    // a row of the RAM; which entries are in use and ready, and the places of their first requests, as the list has them; the head's entry,
    // and whether its request is read; the place behind it, and what the RAM shows
    , input  wire [ENTRY_W+PLACE_W-1:0]         f_row_i
    , output wire [REQ_W+SECTORS-1:0]           f_request_o
    , input  wire [ENTRIES-1:0]                 f_used_i
    , input  wire [ENTRIES-1:0]                 f_ready_i
    , input  wire [ENTRIES*PLACE_W-1:0]         f_first_i
    , output reg                                f_order_o  // who is ready is in the list or at the head, once
    , output reg                                f_firm_o   // the list has no gap, and the right places
    , output wire [ENTRY_W-1:0]                 f_head_o
    , output wire                               f_coming_o
    , output wire [PLACE_W-1:0]                 f_next_o
    , output wire [REQ_W+SECTORS-1:0]           f_read_o
`endif
);

    localparam ITEM_W = ENTRY_W + PLACE_W;
    localparam ROW_W  = REQ_W + SECTORS;

    localparam [31:0]        LAST       = MERGE - 1;
    localparam [PLACE_W-1:0] LAST_PLACE = LAST[PLACE_W-1:0];
    localparam [PLACE_W-1:0] ONE_PLACE  = 1;
    localparam [ENTRIES-1:0] FIRST      = 1;

    localparam [1:0] ST_NONE = 2'd0,
                     ST_LOAD = 2'd1,  // the RAM shows the head's request
                     ST_HEAD = 2'd2;  // it is in head_req_q, and the RAM shows the next one

    reg  [1:0]                state_q;
    reg  [ENTRIES-1:0]        listed_q;  // places of the list that are taken; the first is bit 0
    reg  [ENTRIES*ITEM_W-1:0] list_q;    // {place, entry}
    reg  [ENTRY_W-1:0]        head_entry_q;
    reg  [ENTRIES-1:0]        head_oh_q;
    reg  [PLACE_W-1:0]        next_q;    // place of the request behind the head
    reg  [REQ_W-1:0]          head_req_q;

    wire [ROW_W-1:0]          row;
    wire                      take        = state_q == ST_NONE && listed_q[0];
    wire [ENTRY_W-1:0]        first_entry = list_q[ENTRY_W-1:0];
    wire [PLACE_W-1:0]        first_place = list_q[ITEM_W-1:ENTRY_W];
    wire                      load        = state_q == ST_LOAD;
    wire [PLACE_W-1:0]        after_first = first_place == LAST_PLACE ? {PLACE_W{1'b0}} : first_place + ONE_PLACE;
    wire [PLACE_W-1:0]        after_next  = next_q == LAST_PLACE ? {PLACE_W{1'b0}} : next_q + ONE_PLACE;
    wire [PLACE_W-1:0]        read_place  = take ? first_place : leave_i ? after_next : next_q;

    integer                   i;

    // A request that waits may be the one behind the head: it is read again.
    cw_ram_1r1w_fwd #(
        .ADDR_W(ITEM_W),
        .DATA_W(ROW_W)
    ) u_requests (
        .clk_i    (clk_i),
        .rd_en_i  (take || load || leave_i || wait_i),
        .rd_addr_i({take ? first_entry : head_entry_q, read_place}),
        .rd_data_o(row),
        .wr_en_i  (wait_i),
        .wr_addr_i({wait_entry_i, wait_place_i}),
        .wr_data_i({wait_needs_i, wait_req_i})
`ifdef CW_PROPERTIES
        , .f_addr_i(f_row_i)
        , .f_data_o(f_request_o)
`endif
    );

    // The list moves up when its first entry is taken; an entry joins at the first place that is free then.
    wire [ENTRIES-1:0]        listed = take ? listed_q >> 1 : listed_q;
    wire [ENTRIES-1:0]        joins  = ~listed & ((listed << 1) | FIRST);
    wire [ENTRIES*ITEM_W-1:0] list   = take ? list_q >> ITEM_W : list_q;

    always @(posedge clk_i) begin
        if (rst_i) begin
            state_q  <= ST_NONE;
            listed_q <= {ENTRIES{1'b0}};
        end else begin
            case (state_q)
                ST_NONE: state_q <= take ? ST_LOAD : ST_NONE;
                ST_LOAD: state_q <= ST_HEAD;
                default: state_q <= leave_i && !follow_i ? ST_NONE : ST_HEAD;
            endcase
            listed_q <= listed | (joins & {ENTRIES{join_i}});
        end
        if (take) begin
            head_entry_q <= first_entry;
            head_oh_q    <= FIRST << first_entry;
            next_q       <= after_first;
        end else if (leave_i)
            next_q <= after_next;
        if (load || leave_i)
            head_req_q <= row[REQ_W-1:0];
        if (take || join_i)
            for (i = 0; i < ENTRIES; i = i + 1)
                list_q[i*ITEM_W +: ITEM_W] <= join_i && joins[i] ? {join_place_i, join_entry_i} : list[i*ITEM_W +: ITEM_W];
    end

    assign next_needs_o = row[ROW_W-1:REQ_W];
    assign head_valid_o = state_q == ST_HEAD;
    assign head_req_o   = head_req_q & {REQ_W{head_valid_o}};
    assign head_oh_o    = head_oh_q;
    assign idle_o       = head_valid_o || (state_q == ST_NONE && !listed_q[0]);

`ifdef CW_PROPERTIES
    localparam          F_ALL = ENTRIES < 4 ? ENTRIES : 4;  // entries that are looked at one by one
    reg                 f_listed;
    reg                 f_at_head;
    integer             fx;
    integer             fy;

    always @* begin
        f_order_o = 1'b1;
        f_firm_o  = (listed_q & ~((listed_q << 1) | FIRST)) == {ENTRIES{1'b0}};
        for (fx = 0; fx < F_ALL; fx = fx + 1) begin
            f_listed  = 1'b0;
            f_at_head = (load || head_valid_o) && head_oh_q[fx];
            for (fy = 0; fy < ENTRIES; fy = fy + 1)
                if (listed_q[fy] && list_q[fy*ITEM_W +: ENTRY_W] == fx[ENTRY_W-1:0]) begin
                    f_order_o = f_order_o && !f_listed && f_used_i[fx];
                    f_firm_o  = f_firm_o && list_q[fy*ITEM_W+ENTRY_W +: PLACE_W] == f_first_i[fx*PLACE_W +: PLACE_W];
                    f_listed  = 1'b1;
                end
            if (f_used_i[fx])
                f_order_o = f_order_o && f_ready_i[fx] == (f_listed || f_at_head) && !(f_listed && f_at_head);
        end
    end

    assign f_head_o   = head_entry_q;
    assign f_coming_o = load;
    assign f_next_o   = next_q;
    assign f_read_o   = row;
`endif

endmodule

`default_nettype wire
