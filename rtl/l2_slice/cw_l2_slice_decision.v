// SPDX-License-Identifier: Apache-2.0
//
// cw_l2_slice_decision: what becomes of an operation, its line, its entry and its bytes.
//
// Why         : the order of work of a slice is one table of cases; it stands here, and nowhere else.
// How         : tags, miss registers and memory have said what they know. Each case says what it would do; what has no room, or finds bytes that
//               still move, does nothing.
// Latency     : none; all is combinational.
// Longest path: named line -> what is missing -> requests to memory -> room -> what tags and entries write.
//
// Contract: include/cowarp/unit/l2_slice.h; numbers in brackets are its sentences. C model: csim/unit/l2_slice.c.

`default_nettype none

module cw_l2_slice_decision #(
    parameter SECTORS = 4,
    parameter BURST   = 1,
    parameter WHOLE   = 0
) (
    // the operation
    input  wire                  valid_i,
    input  wire [2:0]            kind_i,
    input  wire                  head_i,
    input  wire                  pass_i,
    input  wire                  pm_i,
    input  wire [SECTORS-1:0]    sectors_i,
    input  wire [32*SECTORS-1:0] mask_i,
    // its line, or the one that would go
    input  wire                  hit_i,
    input  wire                  victim_i,
    input  wire [SECTORS-1:0]    here_i,      // valid sectors
    input  wire [SECTORS-1:0]    dirty_i,
    input  wire                  held_i,
    input  wire [32*SECTORS-1:0] has_i,       // bytes that the slice has of it
    // its entry
    input  wire                  entry_hit_i,
    input  wire                  room_i,
    input  wire                  behind_i,
    input  wire                  ends_i,
    input  wire [SECTORS-1:0]    fetching_i,
    // what memory takes, and whether bytes may move
    input  wire [1:0]            space_i,
    input  wire                  told_i,
    input  wire                  pm_ready_i,
    input  wire                  bytes_ready_i,
    // the answer
    output wire [2:0]            result_o,
    output wire [SECTORS-1:0]    fetch_o,
    output wire [SECTORS-1:0]    back_o,
    output wire                  named_o,     // the line is here after it, or was before it
    // what becomes of the line
    output wire                  line_act_o,
    output wire                  line_drop_o,
    output wire [SECTORS-1:0]    line_fill_o,
    output wire [SECTORS-1:0]    line_write_o,
    output wire                  line_clean_o,
    output wire                  line_hold_o,
    output wire                  line_use_o,
    // what becomes of the entry
    output wire                  entry_act_o,
    output wire                  entry_pass_o,
    output wire [SECTORS-1:0]    entry_needs_o,
    output wire [SECTORS-1:0]    entry_fetch_o,
    output wire [SECTORS-1:0]    entry_here_o,
    // which bytes the slice has then
    output wire                  has_write_o,
    output reg  [32*SECTORS-1:0] has_o,
    // which bytes move
    output wire                  move_o,
    output wire [SECTORS-1:0]    move_back_o,
    output wire [SECTORS-1:0]    move_sectors_o,
    output wire                  move_reads_o,
    output wire                  move_writes_o,
    output wire [32*SECTORS-1:0] move_parts_o
);

    localparam [2:0] READ = 3'd0, WRITE = 3'd1, ATOMIC = 3'd2, CLEAN = 3'd3, DROP = 3'd4, COME = 3'd5, LOAD = 3'd6, LOOK = 3'd7;
    localparam [2:0] DONE = 3'd0, PASSED = 3'd1, MISSED = 3'd2, NO_ROOM = 3'd3, NO_MEMORY = 3'd4, BUSY = 3'd5;

    localparam [SECTORS-1:0] NOTHING = {SECTORS{1'b0}};
    localparam [SECTORS-1:0] ALL     = {SECTORS{1'b1}};

    wire               reads   = kind_i == READ;
    wire               writes  = kind_i == WRITE;
    wire               changes = kind_i == ATOMIC;
    wire               comes   = kind_i == COME;
    wire               loads   = kind_i == LOAD;
    wire               looks   = kind_i == LOOK;
    wire               asks    = reads || writes || changes;
    wire               request = asks && !head_i;
    wire               head    = asks && head_i;
    wire               through = writes && pass_i;   // it goes on where it does not find its sectors
    wire               stays   = writes && !pass_i;  // it needs nothing

    // [8] [9] [13] Whether it is done with what is here, or needs an entry.
    wire [SECTORS-1:0] here    = here_i & {SECTORS{hit_i}};
    wire [SECTORS-1:0] need    = stays ? NOTHING : sectors_i;
    wire [SECTORS-1:0] missing = need & ~here;
    wire               behind  = hit_i && behind_i;
    wire               found   = hit_i && missing == NOTHING && !behind;
    wire               settles = !hit_i && stays;
    wire               enters  = request && !found && !settles;
    wire               passes  = enters && through && !behind;

    // [10] [12] [17] What is asked of memory, and what goes there.
    wire [SECTORS-1:0] wanted  = WHOLE == 1 && missing != NOTHING ? ALL : missing;
    wire [SECTORS-1:0] fetch   = enters ? wanted & ~here & ~(fetching_i & {SECTORS{hit_i}}) : NOTHING;
    wire               dirty   = dirty_i != NOTHING;
    wire               goes    = request && !hit_i && dirty;
    wire               cleans  = kind_i == CLEAN && hit_i && dirty;
    wire [SECTORS-1:0] back    = goes || cleans ? (WHOLE == 1 ? ALL : dirty_i) : NOTHING;

    // [14] [15] [22] Whether memory takes it.
    wire               fetches = fetch != NOTHING;
    wire               forward = passes && !pm_i;
    wire [1:0]         places  = {1'b0, fetches && !pm_i} + {1'b0, goes || cleans} + {1'b0, forward};
    wire               allowed = pm_i ? !fetches || pm_ready_i : !(goes || forward) || told_i;
    wire               taken   = places <= space_i && (cleans || allowed);

    // The result, but for bytes that are moving.
    wire               named   = hit_i || victim_i;
    wire               full    = request ? !named || (enters && !room_i)                       // [9] [12]
                                         : (head || comes) ? !entry_hit_i || !hit_i            // [27]
                                         : kind_i == DROP  ? hit_i && held_i                   // [23]
                                         : loads && !head_i && !named;
    wire [2:0]         given   = full ? NO_ROOM : !taken ? NO_MEMORY : !enters || (passes && pm_i) ? DONE : passes ? PASSED : MISSED;
    wire               does    = valid_i && !full && taken;
    wire               done    = head || (request && (!enters || passes));  // performed, if anything is
    wire               brings  = !hit_i && victim_i && (request || (loads && !head_i));  // the line comes

    // [20] [25] [28] Sectors that get bytes, and which of these.
    wire [SECTORS-1:0] written = through ? sectors_i & here : sectors_i;
    wire               moving  = asks ? done : comes || ((loads || looks) && hit_i) || (loads && brings);
    wire [SECTORS-1:0] moved   = (writes ? written : sectors_i) & {SECTORS{moving}};
    wire               needs_turn = back != NOTHING || moved != NOTHING;
    wire               busy    = does && needs_turn && !bytes_ready_i;
    wire               acts    = does && !busy;
    wire               whole   = comes || (loads && !head_i);  // sectors that get all the bytes that they lack
    reg  [SECTORS-1:0] full_now;
    integer            s;
    integer            g;

    always @* begin
        for (s = 0; s < SECTORS; s = s + 1) begin
            has_o[32*s +: 32] = has_i[32*s +: 32] & {32{hit_i}};
            if (whole && sectors_i[s])
                has_o[32*s +: 32] = 32'hffff_ffff;
            else if (writes && done && written[s])
                has_o[32*s +: 32] = has_o[32*s +: 32] | mask_i[32*s +: 32];
            full_now[s] = &has_o[32*s +: 32];
        end
    end

    // [17] Groups of sectors that memory reads together.
    reg  [SECTORS-1:0] grouped;

    always @* begin
        grouped = NOTHING;
        for (s = 0; s < SECTORS; s = s + 1)
            for (g = 0; g < SECTORS; g = g + 1)
                if (s / BURST == g / BURST)
                    grouped[s] = grouped[s] || fetch[g];
    end

    assign result_o = !valid_i ? DONE : busy ? BUSY : given;
    assign fetch_o  = fetch & {SECTORS{acts}};
    assign back_o   = back & {SECTORS{acts}};
    assign named_o  = acts && (hit_i || brings);

    assign line_act_o   = acts && (request || head || comes || cleans || (loads && !head_i) || (kind_i == DROP && hit_i));
    assign line_drop_o  = kind_i == DROP;
    assign line_fill_o  = whole ? sectors_i : writes && done ? written & full_now : NOTHING;
    assign line_write_o = pm_i || !done ? NOTHING : writes ? written : changes ? sectors_i : NOTHING;
    assign line_clean_o = cleans;
    assign line_hold_o  = enters || (head || comes ? !ends_i : hit_i && held_i);
    assign line_use_o   = done || loads;

    assign entry_act_o   = acts && (enters || head || comes);
    assign entry_pass_o  = passes;
    assign entry_needs_o = need;
    assign entry_fetch_o = pm_i ? fetch : grouped;
    assign entry_here_o  = here | line_fill_o;

    assign has_write_o = line_act_o && (brings || comes || loads || (writes && done));

    assign move_o         = acts && needs_turn;
    assign move_back_o    = back;
    assign move_sectors_o = moved;
    assign move_reads_o   = reads || changes || looks;
    assign move_writes_o  = !(reads || looks);
    assign move_parts_o   = writes ? mask_i : comes ? ~has_i : {32*SECTORS{1'b1}};

endmodule

`default_nettype wire
