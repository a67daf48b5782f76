// SPDX-License-Identifier: Apache-2.0
//
// cw_l2_mshr: which lines of an L2 slice are fetched, and which requests wait for them.
//
// Why         : a request whose sectors are not there waits until memory has sent them, without a stop for those behind it; requests for a
//               line that is fetched already wait with it, in their order.
// How         : an operation finds its entry by the line, reads what the entry knows, and in the cycle of the answer its client says what
//               becomes of it. What an operation leaves is handed to the one behind it, so that there is one in each cycle.
// Stages      : 0 take; 1 compare the line with all entries; 2 read the entry; 3 answer, and write.
// Latency     : 3 cycles.
// Throughput  : one operation per cycle.
// Comb. paths : none from input to output. Longest: head's RAM -> what the next request needs -> entry.
// Storage     : per entry LINE_W + 3 SECTORS bits and some of counts in flip-flops; the requests in the RAM of cw_l2_mshr_ready.
// Illegal use : none.
//
// Paper: none. Contract: include/cowarp/unit/l2_mshr.h. C model: csim/unit/l2_mshr.c. Datasheet: docs/units/l2_mshr.md.

`default_nettype none

module cw_l2_mshr #(
    parameter ENTRIES = 64,  // 1 .. 256
    parameter MERGE   = 8,   // 1 .. 64
    parameter LINE_W  = 32,  // 1 .. 32
    parameter SECTORS = 4,   // 1 .. 8
    parameter REQ_W   = 9    // 1 .. 16
) (
    input  wire               clk_i,
    input  wire               rst_i,
    // an operation
    input  wire               op_valid_i,
    input  wire [1:0]         op_kind_i,
    input  wire [LINE_W-1:0]  op_line_i,
    input  wire [7:0]         op_entry_i,
    input  wire [SECTORS-1:0] op_sectors_i,
    // its answer, three cycles later
    output wire               ans_valid_o,
    output wire               ans_hit_o,
    output wire               ans_room_o,
    output wire               ans_behind_o,
    output wire               ans_ends_o,
    output wire [7:0]         ans_entry_o,
    output wire [LINE_W-1:0]  ans_line_o,
    output wire [SECTORS-1:0] ans_fetching_o,
    // what it does, in the cycle of the answer
    input  wire               act_valid_i,
    input  wire               act_pass_i,
    input  wire [REQ_W-1:0]   act_req_i,
    input  wire [SECTORS-1:0] act_needs_i,
    input  wire [SECTORS-1:0] act_fetch_i,
    input  wire [SECTORS-1:0] act_here_i,
    // the request that is performed next
    output wire               head_valid_o,
    output wire [REQ_W-1:0]   head_req_o,
    // status
    output wire               empty_o,
    output wire               idle_o
);

    function integer bits_for (input integer n);  // of a number below n, at least 1
        for (bits_for = 1; (1 << bits_for) < n; bits_for = bits_for + 1) begin
        end
    endfunction

    localparam ENTRY_W = bits_for(ENTRIES);
    localparam PLACE_W = bits_for(MERGE);
    localparam CNT_W   = bits_for(MERGE + 1);
    localparam KNOW_W  = 1 + 3 * SECTORS + 2 * CNT_W + PLACE_W;  // what an entry knows, beside its line

    localparam [1:0] REQUEST = 2'd0, COMES = 2'd1, PERFORMED = 2'd2;

    localparam [ENTRIES-1:0] NO_ENTRY = {ENTRIES{1'b0}};
    localparam [ENTRIES-1:0] FIRST    = 1;
    localparam [SECTORS-1:0] NOTHING  = {SECTORS{1'b0}};
    localparam [CNT_W-1:0]   ZERO     = {CNT_W{1'b0}};
    localparam [CNT_W-1:0]   ONE      = 1;
    localparam [PLACE_W-1:0] STEP     = 1;
    localparam [31:0]        ALL      = MERGE;
    localparam [31:0]        LAST     = MERGE - 1;
    localparam [CNT_W-1:0]   FULL     = ALL[CNT_W-1:0];
    localparam [PLACE_W:0]   RING     = ALL[PLACE_W:0];

    // Entries.
    reg  [ENTRIES-1:0]         used_q;
    wire [ENTRIES*LINE_W-1:0]  lines;
    wire [ENTRIES*KNOW_W-1:0]  knows;
    reg  [ENTRIES-1:0]         free_q;       // the lowest that is not in use

    // Stage 1: the operation is compared with all entries.
    reg                        cmp_q;
    reg  [1:0]                 cmp_kind_q;
    reg  [LINE_W-1:0]          cmp_line_q;
    reg  [7:0]                 cmp_entry_q;
    reg  [SECTORS-1:0]         cmp_sectors_q;
    wire [ENTRIES-1:0]         cmp_match;

    // Stage 2: its entry is read.
    reg                        get_q;
    reg  [1:0]                 get_kind_q;
    reg  [LINE_W-1:0]          get_line_q;
    reg  [SECTORS-1:0]         get_sectors_q;
    reg  [ENTRIES-1:0]         get_match_q;
    reg                        get_near_q;   // a request for the line of the request before it
    wire [ENTRIES-1:0]         head_oh;
    wire [ENTRIES-1:0]         get_own = get_kind_q == PERFORMED ? head_oh : get_match_q;
    // Its line has that entry still, or, of sectors that come, it may be taken just now.
    wire [ENTRIES-1:0]         get_oh  = get_own & (used_q | {ENTRIES{get_kind_q == COMES}});

    // Stage 3: the answer, and what becomes of the entry.
    reg                        ans_q;
    reg  [1:0]                 ans_kind_q;
    reg  [LINE_W-1:0]          ans_line_q;   // of a request
    reg  [SECTORS-1:0]         ans_sectors_q;
    reg                        ans_used_q;   // its entry is in use
    reg  [ENTRIES-1:0]         ans_oh_q;     // its entry, if that is in use
    reg  [LINE_W-1:0]          ans_own_q;    // line of the entry
    reg  [KNOW_W-1:0]          ans_know_q;

    wire                       ready;
    wire [SECTORS-1:0]         needs;        // what the first request needs
    wire [SECTORS-1:0]         touched;
    wire [SECTORS-1:0]         fetching;
    wire [CNT_W-1:0]           places;       // taken
    wire [CNT_W-1:0]           waiting;      // by requests that wait
    wire [PLACE_W-1:0]         first;        // of the first request
    assign {ready, needs, touched, fetching, places, waiting, first} = ans_used_q ? ans_know_q : {KNOW_W{1'b0}};

    wire                       head_valid;
    wire [SECTORS-1:0]         next_needs;
    wire                       request   = ans_q && ans_kind_q == REQUEST;
    wire                       comes     = ans_q && ans_kind_q == COMES;
    wire                       performed = ans_q && ans_kind_q == PERFORMED;
    wire                       hit       = performed ? head_valid : (request || comes) && ans_used_q;
    wire                       room      = request && (ans_used_q ? places < FULL : |free_q);
    wire [SECTORS-1:0]         left      = fetching & ~ans_sectors_q;  // on their way after those have come
    wire                       ends      = hit && (comes ? waiting == ZERO && left == NOTHING
                                                         : performed && waiting == ONE && fetching == NOTHING);
    wire [ENTRIES-1:0]         named_oh  = hit ? ans_oh_q : free_q & {ENTRIES{request && !ans_used_q}};

    wire                       act       = act_valid_i && (request ? room : hit);
    wire                       take      = act && request && !ans_used_q;
    wire                       waits     = act && request && !act_pass_i;
    wire                       leaves    = act && performed;
    wire                       release_it = act && ends;
    wire                       joins     = act && comes && !ready && waiting != ZERO && (needs & ~act_here_i) == NOTHING;
    wire                       follows   = waiting != ONE && (next_needs & ~act_here_i) == NOTHING;  // when the head leaves
    wire [PLACE_W:0]           end_place = {1'b0, first} + {{(PLACE_W+1-CNT_W){1'b0}}, waiting};
    wire [PLACE_W-1:0]         new_place = end_place[PLACE_W-1:0] - (end_place >= RING ? RING[PLACE_W-1:0] : {PLACE_W{1'b0}});

    // What the entry knows then.
    wire                       new_ready    = joins || (ready && !(leaves && !follows));
    wire [SECTORS-1:0]         new_needs    = leaves ? next_needs : waits && waiting == ZERO ? act_needs_i : needs;
    wire [SECTORS-1:0]         new_touched  = leaves && waiting == ONE ? NOTHING : waits ? touched | ans_sectors_q : touched;
    wire [SECTORS-1:0]         new_fetching = comes ? left : request ? fetching | act_fetch_i : fetching;
    wire [CNT_W-1:0]           new_places   = request ? places + ONE : leaves ? places - ONE : left == NOTHING ? waiting : places;
    wire [CNT_W-1:0]           new_waiting  = waits ? waiting + ONE : leaves ? waiting - ONE : waiting;
    wire [PLACE_W-1:0]         new_first    = !leaves ? first : first == LAST[PLACE_W-1:0] ? {PLACE_W{1'b0}} : first + STEP;
    wire [KNOW_W-1:0]          new_know     = {new_ready, new_needs, new_touched, new_fetching, new_places, new_waiting, new_first};

    // Stage 2 has that from stage 3, when it is about the same entry.
    wire                       same     = get_near_q || |(get_oh & named_oh);
    reg  [LINE_W-1:0]          get_line;
    reg  [KNOW_W-1:0]          get_know;
    reg  [7:0]                 entry;
    integer                    n;

    always @* begin
        get_line = {LINE_W{1'b0}};
        get_know = {KNOW_W{1'b0}};
        entry    = 8'd0;
        for (n = 0; n < ENTRIES; n = n + 1) begin
            get_line = get_line | (lines[n*LINE_W +: LINE_W] & {LINE_W{get_oh[n]}});
            get_know = get_know | (knows[n*KNOW_W +: KNOW_W] & {KNOW_W{get_oh[n]}});
            entry    = entry | (n[7:0] & {8{named_oh[n]}});
        end
    end

    // The lowest entry that is not in use, after each of what may happen to the named one.
    wire [ENTRIES-1:0]         free_taken = ~used_q & ~free_q;
    wire [ENTRIES-1:0]         free_given = ~used_q | ans_oh_q;

    function [ENTRIES-1:0] lowest (input [ENTRIES-1:0] of);
        lowest = of & (~of + FIRST);
    endfunction

    always @(posedge clk_i) begin
        if (rst_i) begin
            used_q <= NO_ENTRY;
            free_q <= FIRST;
            cmp_q  <= 1'b0;
            get_q  <= 1'b0;
            ans_q  <= 1'b0;
        end else begin
            used_q <= (used_q | (named_oh & {ENTRIES{take}})) & ~(named_oh & {ENTRIES{release_it}});
            free_q <= take ? lowest(free_taken) : release_it ? lowest(free_given) : free_q;
            cmp_q  <= op_valid_i;
            get_q  <= cmp_q;
            ans_q  <= get_q;
        end
        if (op_valid_i) begin
            cmp_kind_q    <= op_kind_i;
            cmp_line_q    <= op_line_i;
            cmp_entry_q   <= op_entry_i;
            cmp_sectors_q <= op_sectors_i;
        end
        if (cmp_q) begin
            get_kind_q    <= cmp_kind_q;
            get_line_q    <= cmp_line_q;
            get_sectors_q <= cmp_sectors_q;
            get_match_q   <= cmp_match;
            get_near_q    <= get_q && get_kind_q == REQUEST && cmp_kind_q == REQUEST && get_line_q == cmp_line_q;
        end
        if (get_q) begin
            ans_kind_q    <= get_kind_q;
            ans_line_q    <= get_line_q;
            ans_sectors_q <= get_sectors_q;
            ans_used_q    <= same ? (ans_used_q || take) && !release_it : |(get_oh & used_q);
            ans_oh_q      <= get_near_q ? named_oh : get_oh;
            ans_own_q     <= same ? (ans_used_q ? ans_own_q : ans_line_q) : get_line;
            ans_know_q    <= same ? (act ? new_know : ans_know_q) : get_know;
        end
    end

    genvar e;
    generate
        for (e = 0; e < ENTRIES; e = e + 1) begin : g_entry
            localparam [7:0] NUMBER = e;

            reg  [LINE_W-1:0] line_q;
            reg  [KNOW_W-1:0] know_q;

            // An entry that is taken in this cycle has its line already.
            assign cmp_match[e] = cmp_kind_q == COMES  ? cmp_entry_q == NUMBER
                                  : take && free_q[e] ? cmp_line_q == ans_line_q
                                                      : used_q[e] && cmp_line_q == line_q;
            assign lines[e*LINE_W +: LINE_W] = line_q;
            assign knows[e*KNOW_W +: KNOW_W] = know_q;

            always @(posedge clk_i)
                if (act && named_oh[e]) begin
                    know_q <= new_know;
                    if (take)
                        line_q <= ans_line_q;
                end
        end
    endgenerate

    wire ready_idle;

    cw_l2_mshr_ready #(
        .ENTRIES(ENTRIES),
        .MERGE  (MERGE),
        .SECTORS(SECTORS),
        .REQ_W  (REQ_W),
        .ENTRY_W(ENTRY_W),
        .PLACE_W(PLACE_W)
    ) u_ready (
        .clk_i       (clk_i),
        .rst_i       (rst_i),
        .wait_i      (waits),
        .wait_entry_i(entry[ENTRY_W-1:0]),
        .wait_place_i(new_place),
        .wait_req_i  (act_req_i),
        .wait_needs_i(act_needs_i),
        .join_i      (joins),
        .join_entry_i(entry[ENTRY_W-1:0]),
        .join_place_i(first),
        .leave_i     (leaves),
        .follow_i    (follows),
        .next_needs_o(next_needs),
        .head_valid_o(head_valid),
        .head_req_o  (head_req_o),
        .head_oh_o   (head_oh),
        .idle_o      (ready_idle)
    );

    assign ans_valid_o    = ans_q;
    assign ans_hit_o      = hit;
    assign ans_room_o     = room;
    assign ans_behind_o   = request && |(touched & ans_sectors_q);
    assign ans_ends_o     = ends;
    assign ans_entry_o    = entry;
    assign ans_line_o     = ans_own_q & {LINE_W{hit}};
    assign ans_fetching_o = fetching & {SECTORS{hit}};
    assign head_valid_o   = head_valid;
    assign empty_o        = used_q == NO_ENTRY;
    assign idle_o         = !cmp_q && !get_q && !ans_q && ready_idle;

    generate
        if (ENTRIES < 1 || ENTRIES > 256) begin : g_bad_entries
            cw_error_l2_mshr_entries_must_be_1_to_256 u_error ();
        end
        if (MERGE < 1 || MERGE > 64) begin : g_bad_merge
            cw_error_l2_mshr_merge_must_be_1_to_64 u_error ();
        end
        if (LINE_W < 1 || LINE_W > 32) begin : g_bad_line_w
            cw_error_l2_mshr_line_w_must_be_1_to_32 u_error ();
        end
        if (SECTORS < 1 || SECTORS > 8) begin : g_bad_sectors
            cw_error_l2_mshr_sectors_must_be_1_to_8 u_error ();
        end
        if (REQ_W < 1 || REQ_W > 16) begin : g_bad_req_w
            cw_error_l2_mshr_req_w_must_be_1_to_16 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
