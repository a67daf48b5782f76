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
    localparam [SECTORS-1:0] NOTHING  = {SECTORS{1'b0}};
    localparam [CNT_W-1:0]   ZERO     = {CNT_W{1'b0}};
    localparam [CNT_W-1:0]   ONE      = 1;
    localparam [PLACE_W-1:0] STEP     = 1;
    localparam [31:0]        ALL      = MERGE;
    localparam [31:0]        LAST     = MERGE - 1;
    localparam [CNT_W-1:0]   FULL     = ALL[CNT_W-1:0];
    localparam [PLACE_W:0]   RING     = ALL[PLACE_W:0];

    wire [ENTRIES-1:0]         used;         // entries in use
    wire [ENTRIES-1:0]         free;         // the lowest that is not

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
    wire [ENTRIES-1:0]         get_oh  = get_own & (used | {ENTRIES{get_kind_q == COMES}});

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

    wire                       ready_idle;   // nobody comes to the head
    wire                       head_valid;
    wire [SECTORS-1:0]         next_needs;
    wire                       request   = ans_q && ans_kind_q == REQUEST;
    wire                       comes     = ans_q && ans_kind_q == COMES;
    wire                       performed = ans_q && ans_kind_q == PERFORMED;
    wire                       hit       = performed ? head_valid : (request || comes) && ans_used_q;
    wire                       room      = request && (ans_used_q ? places < FULL : |free);
    wire [SECTORS-1:0]         left      = fetching & ~ans_sectors_q;  // on their way after those have come
    wire                       ends      = hit && (comes ? waiting == ZERO && left == NOTHING
                                                         : performed && waiting == ONE && fetching == NOTHING);
    wire [ENTRIES-1:0]         named_oh  = hit ? ans_oh_q : free & {ENTRIES{request && !ans_used_q}};

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
    wire [LINE_W-1:0]          get_line;
    wire [KNOW_W-1:0]          get_know;
    wire [7:0]                 own_entry;    // numbers
    wire [7:0]                 free_entry;
    wire [7:0]                 entry     = hit ? own_entry : free_entry & {8{request && !ans_used_q}};

    always @(posedge clk_i) begin
        {ans_q, get_q, cmp_q} <= rst_i ? 3'd0 : {get_q, cmp_q, op_valid_i};
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
            ans_used_q    <= same ? (ans_used_q || take) && !release_it : |(get_oh & used);
            ans_oh_q      <= get_near_q ? named_oh : get_oh;
            ans_own_q     <= same ? (ans_used_q ? ans_own_q : ans_line_q) : get_line;
            ans_know_q    <= same ? (act ? new_know : ans_know_q) : get_know;
        end
    end

    cw_l2_mshr_entries #(
        .ENTRIES(ENTRIES),
        .LINE_W (LINE_W),
        .KNOW_W (KNOW_W)
    ) u_entries (
        .clk_i       (clk_i),
        .rst_i       (rst_i),
        .by_number_i (cmp_kind_q == COMES),
        .number_i    (cmp_entry_q),
        .line_i      (cmp_line_q),
        .match_o     (cmp_match),
        .get_oh_i    (get_oh),
        .get_line_o  (get_line),
        .get_know_o  (get_know),
        .named_oh_i  (named_oh),
        .own_oh_i    (ans_oh_q),
        .own_entry_o (own_entry),
        .act_i       (act),
        .take_i      (take),
        .release_i   (release_it),
        .new_line_i  (ans_line_q),
        .new_know_i  (new_know),
        .used_o      (used),
        .free_o      (free),
        .free_entry_o(free_entry)
`ifdef CW_PROPERTIES
        , .f_lines_o (f_lines)
        , .f_knows_o (f_knows)
        , .f_once_o  (f_once)
`endif
    );

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
`ifdef CW_PROPERTIES
        , .f_row_i    ({f_entry_q[ENTRY_W-1:0], f_place})
        , .f_request_o(f_request)
        , .f_used_i   (used)
        , .f_ready_i  (f_are_ready)
        , .f_first_i  (f_firsts)
        , .f_order_o  (f_order)
        , .f_firm_o   (f_list_firm)
        , .f_head_o   (f_head_entry)
        , .f_coming_o (f_coming)
        , .f_next_o   (f_next)
        , .f_read_o   (f_read)
`endif
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
    assign empty_o        = used == NO_ENTRY;
    assign idle_o         = !cmp_q && !get_q && !ans_q && ready_idle;

`ifdef CW_PROPERTIES
    localparam [ENTRIES-1:0] FIRST = 1;
    // One line: to a prover any, in a run the first that is asked for after a reset. And the requests of it that have one number.
    wire [LINE_W-1:0]                     f_line;
    (* anyconst *) reg [REQ_W-1:0]        f_req;
    // All entries; no two have a line; ready entries are in the list or at the head, once, and the list has the places of their first requests.
    wire [ENTRIES*LINE_W-1:0]             f_lines;
    wire [ENTRIES*KNOW_W-1:0]             f_knows;
    wire                                  f_once;
    wire                                  f_order;
    wire                                  f_list_firm;
    reg  [ENTRIES-1:0]                    f_are_ready;
    reg  [ENTRIES*PLACE_W-1:0]            f_firsts;
    // Its request that is watched, in the RAM; the head.
    wire [REQ_W+SECTORS-1:0]              f_request;
    wire [ENTRY_W-1:0]                    f_head_entry;
    wire                                  f_coming;
    wire [PLACE_W-1:0]                    f_next;
    wire [REQ_W+SECTORS-1:0]              f_read;
    reg                                   f_past_q = 1'b0;
    // What the ports have shown: operations one, two and three cycles ago.
    reg  [2:0]                            f_op_q;
    reg  [5:0]                            f_kind_q;
    reg  [2:0]                            f_here_q;   // requests for the line
    reg  [23:0]                           f_named_q;
    reg  [3*SECTORS-1:0]                  f_sectors_q;
    // The line: its entry, who waits; and of a request that is watched, how many wait before it, what it needs, and whether it may go.
    reg                                   f_in_q;
    reg  [7:0]                            f_entry_q;
    reg  [CNT_W-1:0]                      f_waits_q;
    reg  [CNT_W-1:0]                      f_places_q;
    reg  [SECTORS-1:0]                    f_fetching_q;
    reg  [SECTORS-1:0]                    f_touched_q;
    reg                                   f_watch_q;
    reg  [CNT_W-1:0]                      f_before_q;
    reg  [SECTORS-1:0]                    f_needs_q;
    reg                                   f_may_q;
    wire [1:0]                            f_kind    = f_kind_q[5:4];
    wire [SECTORS-1:0]                    f_sectors = f_sectors_q[2*SECTORS +: SECTORS];
    wire                                  f_mine    = f_op_q[2] && f_here_q[2];
    wire                                  f_comes   = f_op_q[2] && f_kind == COMES && f_in_q && f_named_q[23:16] == f_entry_q;
    wire                                  f_leaves  = f_op_q[2] && f_kind == PERFORMED && f_in_q && ans_hit_o && ans_entry_o == f_entry_q;
    wire                                  f_takes   = f_mine && act_valid_i && ans_room_o;
    wire [SECTORS-1:0]                    f_left    = f_fetching_q & ~f_sectors;
    wire                                  f_ends    = f_comes ? f_waits_q == ZERO && f_left == NOTHING
                                                              : f_leaves && f_waits_q == ONE && f_fetching_q == NOTHING;
    wire                                  f_watches = f_takes && !act_pass_i && !f_watch_q && act_req_i == f_req;
    // What the unit has of it.
    wire                                  f_ready;
    wire [SECTORS-1:0]                    f_needs;
    wire [SECTORS-1:0]                    f_touched;
    wire [SECTORS-1:0]                    f_fetching;
    wire [CNT_W-1:0]                      f_places;
    wire [CNT_W-1:0]                      f_waits;
    wire [PLACE_W-1:0]                    f_first;
    wire [PLACE_W:0]                      f_end     = {1'b0, f_first} + {{(PLACE_W+1-CNT_W){1'b0}}, f_before_q};
    wire [PLACE_W-1:0]                    f_place   = f_end[PLACE_W-1:0] - (f_end >= RING ? RING[PLACE_W-1:0] : {PLACE_W{1'b0}});
    assign {f_ready, f_needs, f_touched, f_fetching, f_places, f_waits, f_first} = f_knows[f_entry_q[ENTRY_W-1:0]*KNOW_W +: KNOW_W];
    wire                                  f_head    = (f_coming || head_valid) && head_oh[f_entry_q[ENTRY_W-1:0]];
    reg  [ENTRIES-1:0]                    f_has;      // entries with the line
    reg  [ENTRIES-1:0]                    f_get_has;  // with that of stage 2
    reg  [ENTRIES-1:0]                    f_ans_has;  // of the answer, and what they know
    reg  [LINE_W+KNOW_W-1:0]              f_ans_know;
    reg                                   f_firm;     // counts of entries
    integer                               fx;

    cw_nonsynth_choice #(
        .W(LINE_W)
    ) u_f_line (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (op_valid_i && op_kind_i == REQUEST),
        .value_i (op_line_i),
        .choice_o(f_line)
    );

    always @* begin
        f_firm     = 1'b1;
        f_ans_know = {(LINE_W+KNOW_W){1'b0}};
        for (fx = 0; fx < ENTRIES; fx = fx + 1) begin : each
            reg [CNT_W-1:0] places_x;
            reg [CNT_W-1:0] waits_x;

            f_has[fx]     = used[fx] && f_lines[fx*LINE_W +: LINE_W] == f_line;
            f_get_has[fx] = used[fx] && f_lines[fx*LINE_W +: LINE_W] == get_line_q;
            f_ans_has[fx] = used[fx] && (ans_kind_q == REQUEST ? f_lines[fx*LINE_W +: LINE_W] == ans_line_q
                                           : ans_kind_q == COMES ? fx[7:0] == f_named_q[23:16] : head_oh[fx]);
            if (f_ans_has[fx])
                f_ans_know = f_ans_know | {f_lines[fx*LINE_W +: LINE_W], f_knows[fx*KNOW_W +: KNOW_W]};
            {places_x, waits_x, f_firsts[fx*PLACE_W +: PLACE_W]} = f_knows[fx*KNOW_W +: 2*CNT_W+PLACE_W];
            f_are_ready[fx] = f_knows[fx*KNOW_W + KNOW_W-1];
            if (used[fx])
                f_firm = f_firm && (!f_are_ready[fx] || waits_x != ZERO) && f_firsts[fx*PLACE_W +: PLACE_W] <= LAST[PLACE_W-1:0] &&
                         waits_x <= places_x && places_x <= FULL;
        end
    end

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i) begin
            f_op_q    <= 3'd0;
            f_in_q    <= 1'b0;
            f_watch_q <= 1'b0;
        end else begin
            f_op_q    <= {f_op_q[1:0], op_valid_i};
            f_in_q    <= f_takes || (f_in_q && !(act_valid_i && f_ends));
            f_watch_q <= f_watches || (f_watch_q && !(f_leaves && act_valid_i && f_before_q == ZERO));
        end
        f_kind_q    <= {f_kind_q[3:0], op_kind_i};
        f_here_q    <= {f_here_q[1:0], op_kind_i == REQUEST && op_line_i == f_line};
        f_named_q   <= {f_named_q[15:0], op_entry_i};
        f_sectors_q <= {f_sectors_q[2*SECTORS-1:0], op_sectors_i};
        if (f_takes) begin
            f_entry_q    <= ans_entry_o;
            f_waits_q    <= (f_in_q ? f_waits_q : ZERO) + (act_pass_i ? ZERO : ONE);
            f_places_q   <= (f_in_q ? f_places_q : ZERO) + ONE;
            f_fetching_q <= (f_in_q ? f_fetching_q : NOTHING) | act_fetch_i;
            f_touched_q  <= (f_in_q ? f_touched_q : NOTHING) | (act_pass_i ? NOTHING : f_sectors);
        end else if (f_comes && act_valid_i) begin
            f_fetching_q <= f_left;
            f_places_q   <= f_left == NOTHING ? f_waits_q : f_places_q;
            f_may_q      <= f_may_q || (f_before_q == ZERO && (f_needs_q & ~act_here_i) == NOTHING);
        end else if (f_leaves && act_valid_i) begin
            f_waits_q   <= f_waits_q - ONE;
            f_places_q  <= f_places_q - ONE;
            f_touched_q <= f_waits_q == ONE ? NOTHING : f_touched_q;
            f_before_q  <= f_before_q - ONE;
            f_may_q     <= f_before_q == ONE && (f_needs_q & ~act_here_i) == NOTHING;
        end
        if (f_watches) begin
            f_before_q <= f_in_q ? f_waits_q : ZERO;
            f_needs_q  <= act_needs_i;
            f_may_q    <= 1'b0;
        end
    end

    // Inside: stages have what the ports have shown; what stage 3 has read is the entry's; the list and the head are of entries in use.
    wire f_stages = {ans_q, get_q, cmp_q} == f_op_q &&
                    (!cmp_q || {cmp_kind_q, cmp_entry_q, cmp_sectors_q, cmp_kind_q == REQUEST && cmp_line_q == f_line}
                               == {f_kind_q[1:0], f_named_q[7:0], f_sectors_q[0 +: SECTORS], f_here_q[0]}) &&
                    (!get_q || {get_kind_q, get_sectors_q, get_kind_q == REQUEST && get_line_q == f_line}
                               == {f_kind_q[3:2], f_sectors_q[SECTORS +: SECTORS], f_here_q[1]}) &&
                    (!ans_q || {ans_kind_q, ans_sectors_q, ans_kind_q == REQUEST && ans_line_q == f_line} == {f_kind, f_sectors, f_here_q[2]});
    wire f_found  = !get_q || (get_kind_q == REQUEST ? (get_match_q & used) == f_get_has && get_near_q == (request && ans_line_q == get_line_q)
                                                     : !get_near_q && (get_kind_q != COMES || get_match_q == FIRST << f_named_q[15:8]));
    wire f_read_3 = !ans_q || ans_kind_q == 2'd3 || (ans_kind_q == PERFORMED && !head_valid) ||
                    (ans_used_q ? ans_oh_q == f_ans_has && |ans_oh_q && {ans_own_q, ans_know_q} == f_ans_know : f_ans_has == NO_ENTRY);
    wire f_one    = !(f_coming || head_valid) || (|(head_oh & used) && head_oh == FIRST << f_head_entry);
    wire f_behind = !(f_in_q && f_head) || f_next == (f_first == LAST[PLACE_W-1:0] ? {PLACE_W{1'b0}} : f_first + STEP);
    wire f_kept   = f_request == {f_needs_q, f_req} && f_in_q && f_before_q < f_waits_q &&
                    (f_before_q == ZERO ? f_needs == f_needs_q && f_ready == f_may_q : !f_may_q);
    wire f_shown  = !f_head || !(f_coming ? f_before_q == ZERO : f_before_q == ONE) || f_read == {f_needs_q, f_req};

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. An operation is answered three cycles later. What is not said is 0.
            assert (f_stages);
            assert (ans_valid_o == f_op_q[2] && (ans_hit_o || {ans_line_o, ans_fetching_o, ans_behind_o, ans_ends_o} == {(LINE_W+SECTORS+2){1'b0}}));
            assert (f_op_q[2] && f_kind != 2'd3 ? ans_hit_o || ans_room_o || ans_entry_o == 8'd0 : {ans_hit_o, ans_room_o, ans_entry_o} == 10'd0);
            assert (head_valid_o || head_req_o == {REQ_W{1'b0}});
            cover (ans_valid_o && ans_hit_o && f_kind == PERFORMED && f_op_q[1] && f_op_q[0]);
            // 2. A line has one entry from its first request that has room until nobody waits and nothing comes, and it is found.
            assert (!f_mine || (ans_hit_o == f_in_q && (!f_in_q || (ans_entry_o == f_entry_q && ans_line_o == f_line))));
            assert (!f_comes || (ans_hit_o && ans_entry_o == f_entry_q && ans_line_o == f_line));
            assert (!(f_comes || f_leaves) || ans_ends_o == f_ends);
            assert (f_has == (f_in_q ? FIRST << f_entry_q : NO_ENTRY) && |f_has == f_in_q && f_once);
            assert (f_found);
            assert (f_read_3);
            cover (f_mine && f_in_q && f_here_q[1] && f_op_q[1]);
            cover (f_mine && !f_in_q && f_entry_q == ENTRIES - 1 && !ans_room_o);
            // 3. Each place of an entry is taken by one request that waits, or by a write that went on.
            assert (!f_mine || ans_room_o == (f_in_q ? f_places_q < FULL : !(&used)));
            assert (!f_in_q || (f_places == f_places_q && f_waits == f_waits_q && f_places_q <= FULL && f_waits_q <= f_places_q));
            cover (f_mine && f_in_q && !ans_room_o && f_waits_q < f_places_q);
            // 4. Sectors are on their way until they come, and touched until nobody waits.
            assert (!f_mine || !f_in_q || ans_behind_o == |(f_touched_q & f_sectors));
            assert (!((f_mine || f_comes) && f_in_q) || ans_fetching_o == f_fetching_q);
            assert (!f_in_q || (f_touched == f_touched_q && f_fetching == f_fetching_q));
            cover (f_mine && ans_behind_o && ans_room_o && ans_fetching_o == NOTHING);
            // 5. Requests of an entry leave in their order, each once, and the first one when what it needs is there.
            assert (!(f_watch_q && f_before_q == ZERO && head_valid && f_head) || (head_req_o == f_req && f_may_q));
            assert (!f_watch_q || (f_kept && f_shown));
            cover (f_watch_q && f_leaves && act_valid_i && f_before_q == ONE && ans_hit_o);
            cover (f_watch_q && f_leaves && act_valid_i && f_before_q == ZERO);
            // 6. An entry is ready if, and only if, it is in the list, once, or at the head.
            assert (f_order);
            assert (f_firm && f_list_firm && f_one && f_behind);
            cover (f_in_q && f_ready && head_valid && !f_head);
            // 7. The lowest entry that is not in use is taken next.
            assert (free == (~used & (used + FIRST)));
            cover (&used);
            cover (!(&used) && |used && free[0]);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

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
