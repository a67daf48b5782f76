// SPDX-License-Identifier: Apache-2.0
//
// cw_validation_decide: Figure 6 of GETM as logic. Combinational.
//
// Why         : what becomes of a request is the protocol itself. Alone in a module, without a clock, it can be read
//               beside the paper, and proved equal to the C model for every request and every entry.
// How         : it takes one load, store or release, the granule's reservation, whether it is the request's own, and
//               whether the granule's timestamps are later than the request's. place says whether the stall buffer has
//               a place for the request. room says whether a new reserved entry may be inserted, if it must in the
//               overflow area. drain says that nothing may be left waiting. Outputs: an answer, a stall, or for a
//               release neither; and with it which fields of the metadata change, and the wake of waiting requests. The
//               fields' new values are the request's own, but for the count of writes.
// Latency     : combinational.
// Throughput  : one request per cycle.
// Illegal use : kind 3, which acts as a release.
//
// Paper: GETM section IV, Figure 6; section V.B.1 (rollover). Contract: include/cowarp/unit/validation_unit.h.
// C model: csim/unit/validation_unit.c.

`default_nettype none

module cw_validation_decide #(
    parameter COUNT_W = 16
) (
    // request
    input  wire [1:0]         kind_i,       // 0 LOAD, 1 STORE, else RELEASE
    input  wire [COUNT_W-1:0] count_i,
    input  wire               retried_i,
    input  wire               last_ts_i,    // its warpts is the largest that there is
    // metadata
    input  wire               wts_later_i,  // wts > warpts
    input  wire               rts_later_i,  // rts > warpts
    input  wire               forward_i,    // the count of writes is that of the update before, not yet in its place:
    input  wire [COUNT_W-1:0] fwd_writes_i, // both are offered, so that counting need not wait for the choice
    input  wire [COUNT_W-1:0] old_writes_i,
    input  wire               reserved_i,   // writes > 0
    input  wire               own_i,        // by the request's owner
    // surroundings
    input  wire               room_i,
    input  wire               place_i,
    input  wire               drain_i,
    // verdict
    output reg                answer_o,
    output reg  [1:0]         outcome_o,
    output reg                stall_o,      // waits, or waits again
    output reg                wake_o,
    output reg                update_o,     // the entry is written, with these fields changed:
    output reg                wts_set_o,    // to warpts + 1
    output reg                rts_set_o,    // to warpts
    output reg                writes_set_o, // to writes_o
    output reg                owner_set_o,  // to the request's
    output reg  [COUNT_W-1:0] writes_o
);

    localparam [1:0] SUCCESS  = 2'd0,
                     ABORT    = 2'd1,
                     FULL     = 2'd2,
                     ROLLOVER = 2'd3;

    localparam [COUNT_W-1:0] ONE = 1;

    function [COUNT_W-1:0] fewer (
        input [COUNT_W-1:0] writes,
        input [COUNT_W-1:0] count
    );
        fewer = count >= writes ? {COUNT_W{1'b0}} : writes - count;
    endfunction

    wire release_req   = kind_i[1];
    wire store         = kind_i[0];
    wire reserved      = reserved_i;
    wire own           = own_i;
    wire last_write    = forward_i ? &fwd_writes_i : &old_writes_i;
    wire give_back_all = forward_i ? count_i >= fwd_writes_i : count_i >= old_writes_i;
    wire late          = wts_later_i || (store && rts_later_i);

    // Figure 6 for a unit that is not drained, as flags that do not wait for each other.
    wire access    = !release_req && !last_ts_i;
    wire own_full  = access && own && store && last_write;
    wire own_goes  = access && own && !(store && last_write);
    wire aborts    = access && !own && late;
    wire must_wait = access && !own && !late && reserved;
    wire no_room   = access && !reserved && !late && store && !room_i;
    wire fresh     = access && !reserved && !late && !(store && !room_i);

    wire rolled_over = drain_i && !release_req && (retried_i || must_wait);

    always @* begin
        stall_o      = must_wait && !drain_i && (retried_i || place_i);
        answer_o     = !release_req && !stall_o;
        wake_o       = release_req && reserved && give_back_all;
        update_o     = !rolled_over && ((release_req && reserved) || own_goes || fresh);
        wts_set_o    = fresh && store;
        owner_set_o  = fresh && store;
        rts_set_o    = !store && !rts_later_i && !release_req;
        writes_set_o = release_req || store;
        // A store's first write and its next ones are counted alike: an entry that is not reserved has 0 of them.
        if (release_req)
            writes_o = forward_i ? fewer(fwd_writes_i, count_i) : fewer(old_writes_i, count_i);
        else
            writes_o = forward_i ? fwd_writes_i + ONE : old_writes_i + ONE;
        outcome_o = SUCCESS;
        if (own_full || must_wait || no_room)
            outcome_o = FULL;
        if (aborts)
            outcome_o = ABORT;
        if (rolled_over || (!release_req && last_ts_i))
            outcome_o = ROLLOVER;
    end

endmodule

`default_nettype wire
