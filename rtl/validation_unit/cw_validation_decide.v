// SPDX-License-Identifier: Apache-2.0
//
// cw_validation_decide: Figure 6 of GETM as logic. Combinational.
//
// Why         : what becomes of a request is the protocol itself. Alone in a module, without a clock, it can be read beside the paper,
//               and proved equal to the C model for every request and every entry.
// How         : it takes one load, store or release and the granule's metadata. push_ready says whether the stall buffer has a place
//               for the request. room says whether a new reserved entry may be inserted, if it must in the overflow area. drain
//               says that nothing may be left waiting. Outputs: an answer, a stall, or for a release neither; and with it the update of
//               the metadata and the wake of waiting requests.
// Latency     : combinational.
// Throughput  : one request per cycle.
// Illegal use : kind 3, which acts as a release.
//
// Paper: GETM section IV, Figure 6; section V.B.1 (rollover). Contract: include/cowarp/unit/validation_unit.h.
// C model: csim/unit/validation_unit.c.

`default_nettype none

module cw_validation_decide #(
    parameter TS_W    = 32,
    parameter OWNER_W = 12,
    parameter COUNT_W = 16
) (
    // request
    input  wire [1:0]         kind_i,  // 0 LOAD, 1 STORE, else RELEASE
    input  wire [TS_W-1:0]    warpts_i,
    input  wire [OWNER_W-1:0] owner_i,
    input  wire [COUNT_W-1:0] count_i,
    input  wire               retried_i,
    // metadata
    input  wire [TS_W-1:0]    wts_i,
    input  wire [TS_W-1:0]    rts_i,
    input  wire [COUNT_W-1:0] writes_i,
    input  wire [OWNER_W-1:0] entry_owner_i,
    // surroundings
    input  wire               room_i,
    input  wire               push_ready_i,
    input  wire               drain_i,
    // verdict
    output reg                answer_o,
    output reg  [1:0]         outcome_o,
    output reg  [TS_W-1:0]    ts_o,
    output reg                stall_o,
    output reg                wake_o,
    output reg                update_o,
    output reg  [TS_W-1:0]    wts_o,
    output reg  [TS_W-1:0]    rts_o,
    output reg  [COUNT_W-1:0] writes_o,
    output reg  [OWNER_W-1:0] owner_o
);

    localparam [1:0] SUCCESS  = 2'd0,
                     ABORT    = 2'd1,
                     FULL     = 2'd2,
                     ROLLOVER = 2'd3;

    wire release_req = kind_i[1];
    wire store       = kind_i[0];
    wire reserved    = writes_i != {COUNT_W{1'b0}};
    wire own         = reserved && entry_owner_i == owner_i;
    wire last_ts     = &warpts_i;
    wire give_back_all = count_i >= writes_i;

    wire [TS_W-1:0] newest  = store && rts_i > wts_i ? rts_i : wts_i;
    wire [TS_W-1:0] new_rts = warpts_i > rts_i ? warpts_i : rts_i;

    // Figure 6 for a unit that is not drained. The table's new value does not wait for drain_i, only whether it is written.
    reg            change;   // the entry is to be changed
    reg            must_wait;
    reg [1:0]      outcome;
    reg [TS_W-1:0] ts;

    always @* begin
        change    = 1'b0;
        must_wait = 1'b0;
        outcome   = SUCCESS;
        ts        = {TS_W{1'b0}};
        wake_o    = 1'b0;
        wts_o     = wts_i;
        rts_o     = rts_i;
        writes_o  = writes_i;
        owner_o   = entry_owner_i;
        if (release_req) begin
            change   = reserved;
            writes_o = give_back_all ? {COUNT_W{1'b0}} : writes_i - count_i;
            wake_o   = reserved && give_back_all;
        end else if (last_ts) begin
            outcome = ROLLOVER;
            ts      = warpts_i;
        end else if (own && store && &writes_i) begin
            outcome = FULL;
            ts      = warpts_i;
        end else if (own) begin
            change = 1'b1;
            if (store)
                writes_o = writes_i + {{(COUNT_W - 1){1'b0}}, 1'b1};
            else
                rts_o = new_rts;
        end else if (newest > warpts_i) begin
            outcome = ABORT;
            ts      = newest;
        end else if (reserved) begin
            must_wait = 1'b1;
            outcome   = FULL;
            ts        = warpts_i;
        end else if (store && !room_i) begin
            outcome = FULL;
            ts      = warpts_i;
        end else begin
            change = 1'b1;
            if (store) begin
                wts_o    = warpts_i + {{(TS_W - 1){1'b0}}, 1'b1};
                writes_o = {{(COUNT_W - 1){1'b0}}, 1'b1};
                owner_o  = owner_i;
            end else
                rts_o = new_rts;
        end
    end

    wire rolled_over = drain_i && !release_req && (retried_i || must_wait);

    always @* begin
        stall_o   = must_wait && !drain_i && push_ready_i;
        answer_o  = !release_req && !stall_o;
        update_o  = change && !rolled_over;
        outcome_o = rolled_over ? ROLLOVER : outcome;
        ts_o      = rolled_over ? warpts_i : ts;
    end

endmodule

`default_nettype wire
