// SPDX-License-Identifier: Apache-2.0
//
// cw_cuckoo_show: the cuckoo table compares timestamps, and shows the result.
//
// Why         : comparing and deciding do not fit one cycle.
// How         : a look-up in time is compared with all that its timestamps can be in the next cycle: what it has found,
//               what the look-up in show shows, and what that one may make of it. So is the reservation, in show: both
//               candidates are compared before the choice, which is late.
// Stages      : time: an entry, or the answer of the structure that knows what is not here, is compared. Show: the
//               result is on the ports.
// Latency     : a cycle.
// Throughput  : a result per cycle.
// Illegal use : none.
//
// Paper: GETM section V.B.1. It is a part of cw_cuckoo_core. C model: part of csim/unit/cuckoo_table.c.

`default_nettype none

module cw_cuckoo_show #(
    parameter TS_W          = 32,
    parameter OWNER_W       = 12,
    parameter COUNT_W       = 16,
    parameter ENTRY_W       = 122,
    parameter BODY_W        = 92,  // of an entry, below its granule
    parameter STASH_ENTRIES = 4
) (
    input  wire                     clk_i,
    // time: the look-up, what it has found (cw_cuckoo_find), and what it does not find
    input  wire                     time_valid_i,
    input  wire [TS_W-1:0]          time_ts_i,
    input  wire                     time_forward_i,  // the update in write is of its granule
    input  wire                     time_found_i,
    input  wire                     time_overflow_i,
    input  wire                     time_searched_i,
    input  wire                     time_held_i,
    input  wire                     time_free_i,
    input  wire                     time_victim_i,
    input  wire                     time_easy_i,
    input  wire [3:0]               time_way_i,
    input  wire [3:0]               time_place_i,
    input  wire [STASH_ENTRIES-1:0] time_stash_i,
    input  wire [BODY_W-1:0]        time_body_i,
    input  wire [ENTRY_W-1:0]       time_old_i,
    input  wire [TS_W-1:0]          miss_wts_i,
    input  wire [TS_W-1:0]          miss_rts_i,
    // the update in write
    input  wire                     write_wts_set_i,
    input  wire                     write_rts_set_i,
    input  wire [3:0]               write_way_i,
    input  wire [STASH_ENTRIES-1:0] write_stash_i,
    input  wire [BODY_W-1:0]        write_body_i,
    input  wire                     write_unreserved_i,
    // show: the look-up
    input  wire [TS_W-1:0]          show_ts_i,
    input  wire [OWNER_W-1:0]       show_owner_i,
    input  wire                     show_forward_i,
    input  wire                     overflow_full_i,
    // what it has found, for the stages after it
    output wire                     found_o,         // here, or by the update in write
    output wire                     show_found_o,    // here
    output wire                     show_overflow_o, // in the overflow area
    output wire                     show_searched_o,
    output wire                     show_free_o,
    output wire                     show_victim_o,
    output wire                     show_easy_o,
    output wire [3:0]               show_way_o,
    output wire [3:0]               show_place_o,
    output wire [STASH_ENTRIES-1:0] show_stash_o,
    output wire [BODY_W-1:0]        show_body_o,
    output wire [ENTRY_W-1:0]       show_old_o,
    // result
    output wire                     res_room_o,
    output wire                     res_easy_o,
    output wire [TS_W-1:0]          res_wts_o,
    output wire [TS_W-1:0]          res_rts_o,
    output wire [COUNT_W-1:0]       res_writes_o,
    output wire [COUNT_W-1:0]       fwd_writes_o,
    output wire [COUNT_W-1:0]       old_writes_o,
    output wire [OWNER_W-1:0]       res_owner_o,
    output wire                     res_wts_later_o,
    output wire                     res_rts_later_o,
    output wire                     res_reserved_o,
    output wire                     res_own_o
`ifdef CW_PROPERTIES
    , output wire [3:0]             f_later_o        // {registers of what write may say of the look-up}
`endif
);

    localparam B_RTS    = TS_W;
    localparam B_WRITES = 2 * TS_W;
    localparam B_OWNER  = B_WRITES + COUNT_W;

    reg                     show_found_q;
    reg                     show_overflow_q;
    reg                     show_searched_q;
    reg                     show_free_q;
    reg                     show_victim_q;
    reg                     show_easy_q;
    reg [3:0]               show_way_q;
    reg [3:0]               show_place_q;
    reg [STASH_ENTRIES-1:0] show_stash_q;
    reg [BODY_W-1:0]        show_body_q;
    reg [ENTRY_W-1:0]       show_old_q;
    reg                     show_wts_later_q;   // timestamps later than its own: of show_body,
    reg                     show_rts_later_q;
    reg                     write_wts_later_q;  // of what the look-up in write found,
    reg                     write_rts_later_q;
    reg                     write_ts_equal_q;   // and that look-up's own, which may have become the entry's
    reg                     write_ts_later_q;
    wire [BODY_W-1:0]       show_body = show_forward_i ? write_body_i : show_body_q;
    wire                    found     = show_found_q || show_forward_i;

    // Into show, and what write will say about the look-up then in show.
    always @(posedge clk_i)
        if (time_valid_i) begin : into_show
            reg [BODY_W-1:0] body;

            body = time_forward_i ? write_body_i : time_body_i;
            if (!time_forward_i && !time_held_i)
                body[2*TS_W-1:0] = {miss_rts_i, miss_wts_i};

            show_searched_q   <= time_searched_i;
            show_found_q      <= time_found_i || time_forward_i;
            show_overflow_q   <= time_overflow_i && !time_forward_i;
            show_body_q       <= body;
            show_way_q        <= time_forward_i ? write_way_i : time_way_i;
            show_stash_q      <= time_forward_i ? write_stash_i : time_stash_i;
            show_free_q       <= time_free_i;
            show_victim_q     <= time_victim_i;
            show_easy_q       <= time_easy_i;
            show_place_q      <= time_place_i;
            show_old_q        <= time_old_i;
            show_wts_later_q  <= body[TS_W-1:0] > time_ts_i;
            show_rts_later_q  <= body[B_RTS+:TS_W] > time_ts_i;
            write_wts_later_q <= show_body[TS_W-1:0] > time_ts_i;
            write_rts_later_q <= show_body[B_RTS+:TS_W] > time_ts_i;
            write_ts_equal_q  <= show_ts_i == time_ts_i;
            write_ts_later_q  <= show_ts_i > time_ts_i;
        end

    // Show. The look-up in write has set wts to one more than its own time, or rts to its own time, or neither.
    wire wts_forward_later = write_wts_set_i ? write_ts_later_q || write_ts_equal_q : write_wts_later_q;
    wire rts_forward_later = write_rts_set_i ? write_ts_later_q : write_rts_later_q;

    // The reservation and its owner, in both candidates.
    wire write_reserved = !write_unreserved_i;
    wire write_own      = write_reserved && write_body_i[B_OWNER+:OWNER_W] == show_owner_i;
    wire show_reserved  = show_body_q[B_WRITES+:COUNT_W] != {COUNT_W{1'b0}};
    wire show_own       = show_reserved && show_body_q[B_OWNER+:OWNER_W] == show_owner_i;

    assign found_o         = found;
    assign show_found_o    = show_found_q;
    assign show_overflow_o = show_overflow_q && !show_forward_i;
    assign show_searched_o = show_searched_q;
    assign show_free_o     = show_free_q;
    assign show_victim_o   = show_victim_q;
    assign show_easy_o     = show_easy_q;
    assign show_way_o      = show_way_q;
    assign show_place_o    = show_place_q;
    assign show_stash_o    = show_stash_q;
    assign show_body_o     = show_body;
    assign show_old_o      = show_old_q;
    assign res_room_o      = found || show_free_q || !overflow_full_i;
    assign res_easy_o      = found || show_easy_q;
    assign fwd_writes_o    = write_body_i[B_WRITES+:COUNT_W];
    assign old_writes_o    = show_body_q[B_WRITES+:COUNT_W];
    assign res_wts_later_o = !show_forward_i ? show_wts_later_q : wts_forward_later;
    assign res_rts_later_o = !show_forward_i ? show_rts_later_q : rts_forward_later;
    assign res_reserved_o  = show_forward_i ? write_reserved : show_reserved;
    assign res_own_o       = show_forward_i ? write_own : show_own;
    assign {res_owner_o, res_writes_o, res_rts_o, res_wts_o} = show_body;

`ifdef CW_PROPERTIES
    assign f_later_o = {write_wts_later_q, write_rts_later_q, write_ts_equal_q, write_ts_later_q};
`endif

endmodule

`default_nettype wire
