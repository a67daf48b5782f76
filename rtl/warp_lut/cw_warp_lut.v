// SPDX-License-Identifier: Apache-2.0
//
// cw_warp_lut: the warps that still take threads, by PC.
//
// Why         : dynamic warp formation makes new warps of threads that have the same next PC. So for each set of threads that comes, the warp that
//               is being formed for their PC must be found, and it must be known which of its lanes are free.
// How         : a table with ways. Lanes taken lie in a RAM per way; which entries are used, their PCs and the names of their warps are
//               flip-flops, because all of them are compared in the cycle of the input. The answer then mends what the update before
//               has changed: so a cycle has either the comparison or the split. What one update writes, the next one reads past the RAM.
// Stages      : read, compare; mend, split the lanes, answer; write.
// Latency     : 1 cycle.
// Throughput  : one update and one close per cycle.
// Comb. paths : none from input to output; outputs depend on registers and RAM outputs. Nothing leads from a RAM to a RAM.
// Storage     : WAYS RAMs of 2^SET_W x LANES bits; 2^SET_W * WAYS * (WARP_W + PC_W - SET_W + 2) flip-flops.
// Illegal use : none.
//
// Paper: Fung 2015, sections 2.4 and 3.3.2. Contract: include/cowarp/unit/warp_lut.h. C model: csim/unit/warp_lut.c.
// Datasheet: docs/units/warp_lut.md.

`default_nettype none

module cw_warp_lut #(
    parameter LANES  = 32,  // 1 .. 32
    parameter SET_W  = 3,   // 1 .. 6: log2 of the sets
    parameter WAYS   = 4,   // 1 .. 8
    parameter PC_W   = 16,  // 7 .. 24
    parameter WARP_W = 10   // 1 .. 10
) (
    input  wire              clk_i,
    input  wire              rst_i,
    // threads with one next PC
    input  wire              upd_valid_i,
    input  wire [PC_W-1:0]   upd_pc_i,
    input  wire [LANES-1:0]  upd_lanes_i,
    input  wire [WARP_W-1:0] upd_warp_i,
    // whom they join, and what begins
    output wire              ans_valid_o,
    output wire              ans_found_o,
    output wire [LANES-1:0]  ans_join_lanes_o,
    output wire [WARP_W-1:0] ans_join_warp_o,
    output wire [LANES-1:0]  ans_begin_lanes_o,
    output wire [WARP_W-1:0] ans_begin_warp_o,
    // the entry that had to go
    output wire              evict_valid_o,
    output wire [PC_W-1:0]   evict_pc_o,
    output wire [WARP_W-1:0] evict_warp_o,
    // a warp takes nobody more
    input  wire              close_valid_i,
    input  wire [WARP_W-1:0] close_warp_i,
    // status
    output wire              busy_o
);

    localparam SETS    = 1 << SET_W;
    localparam ENTRIES = SETS * WAYS;   // entry: set * WAYS + way
    localparam TAG_W   = PC_W - SET_W;

    // ---- State

    reg  [ENTRIES-1:0]        used_q;
    reg  [ENTRIES*WARP_W-1:0] name_q;     // the warp of each entry
    reg  [ENTRIES*TAG_W-1:0]  tag_q;
    reg  [SETS*WAYS-1:0]      turn_q;     // of each set, one bit set: the way that is evicted next

    // The update that is answered, and the close that comes before it.
    reg                       upd_q;      // it has a lane
    reg  [PC_W-1:0]           pc_q;
    reg  [SETS-1:0]           set_oh_q;
    reg  [WAYS-1:0]           set_used_q; // of its set
    reg  [WAYS-1:0]           leaves_q;   // of its set: ways that the close names; without the update before
    reg  [LANES-1:0]          lanes_q;
    reg  [WARP_W-1:0]         warp_q;
    reg  [WAYS-1:0]           match_q;    // ways of its set that have its tag; without the update before
    reg  [WAYS*TAG_W-1:0]     old_q;      // tags of its set; likewise
    reg                       near_q;     // the update before has its set
    reg                       same_q;     // and its PC
    reg                       close_q;
    reg  [ENTRIES-1:0]        closing_q;  // entries that the close names; without the update before
    reg                       newest_q;   // the close names the warp of the update before

    // The write of the update before.
    reg  [WAYS-1:0]           write_q;    // the way, if there is one
    reg                       named_q;    // its warp has begun, and so has given the entry its name
    reg  [SET_W-1:0]          write_set_q;
    reg  [SETS-1:0]           write_oh_q;
    reg  [TAG_W-1:0]          write_tag_q;
    reg  [LANES-1:0]          write_taken_q;

    reg  [1:0]                busy_q;

    // ---- Beside the inputs: tags and names are compared before the registers, and what the update before changes is mended behind them

    wire [SET_W-1:0]          in_set   = upd_pc_i[SET_W-1:0];
    wire [TAG_W-1:0]          in_tag   = upd_pc_i[PC_W-1:SET_W];
    wire [WAYS*TAG_W-1:0]     in_tags  = tag_q[in_set*WAYS*TAG_W +: WAYS*TAG_W];
    wire                      in_near  = write_set_q == in_set;  // the write that is under way has this set
    wire                      in_same  = write_tag_q == in_tag;  // and this tag
    reg  [WAYS*TAG_W-1:0]     in_old;
    reg  [WAYS-1:0]           in_match;
    reg  [ENTRIES-1:0]        in_equal;   // of all sets, because the set comes no earlier than the tag
    reg  [ENTRIES-1:0]        in_closing;
    reg  [ENTRIES-1:0]        next_used;  // after the close and the update that are looked at
    integer                   a;
    integer                   c;
    integer                   d;

    always @*
        for (a = 0; a < WAYS; a = a + 1) begin
            in_old[a*TAG_W +: TAG_W] = write_q[a] && in_near ? write_tag_q : in_tags[a*TAG_W +: TAG_W];
            in_match[a]              = write_q[a] && in_near ? in_same : in_equal[in_set*WAYS + a];
        end

    always @*
        for (d = 0; d < ENTRIES; d = d + 1)
            in_equal[d] = tag_q[d*TAG_W +: TAG_W] == in_tag;

    always @*
        for (c = 0; c < ENTRIES; c = c + 1)
            in_closing[c] = name_q[c*WARP_W +: WARP_W] == close_warp_i;

    // ---- Compare

    wire [SET_W-1:0]          set      = pc_q[SET_W-1:0];
    wire [TAG_W-1:0]          tag      = pc_q[PC_W-1:SET_W];
    wire [WAYS*LANES-1:0]     read;       // lanes that are taken, of each way, without the write that is under way
    reg  [ENTRIES-1:0]        open;       // used, and not closed now
    reg  [WAYS-1:0]           set_open;
    reg  [WAYS-1:0]           near;       // the update before has written this way of the set
    reg  [WAYS*LANES-1:0]     row;        // lanes that are taken, of each way, as the updates before have left it
    reg  [WAYS-1:0]           hit;
    reg  [WAYS-1:0]           clash;      // some lane of the update is taken in this way
    reg  [WAYS-1:0]           free_oh;    // the lowest free way
    reg                       free_any;
    reg  [LANES-1:0]          taken;      // of the entry that is hit
    reg  [WARP_W-1:0]         hit_name;
    integer                   i;
    integer                   o;
    integer                   w;

    always @*
        for (i = 0; i < ENTRIES; i = i + 1)
            open[i] = used_q[i] && !(close_q && (named_q && write_q[i%WAYS] && write_oh_q[i/WAYS] ? newest_q : closing_q[i]));

    always @*
        for (o = 0; o < ENTRIES; o = o + 1)
            next_used[o] = open[o] || (upd_q && way[o%WAYS] && set_oh_q[o/WAYS]);

    wire [WAYS*WARP_W-1:0]    set_name = name_q[set*WAYS*WARP_W +: WAYS*WARP_W];
    wire [WAYS-1:0]           set_turn = turn_q[set*WAYS +: WAYS];

    always @* begin
        taken    = {LANES{1'b0}};
        hit_name = {WARP_W{1'b0}};
        free_any = 1'b0;
        for (w = 0; w < WAYS; w = w + 1) begin
            near[w]                  = write_q[w] && near_q;
            set_open[w]              = set_used_q[w] && !(close_q && (named_q && near[w] ? newest_q : leaves_q[w]));
            row[w*LANES +: LANES]    = near[w] ? write_taken_q : read[w*LANES +: LANES];
            hit[w]                   = set_open[w] && (near[w] ? same_q : match_q[w]);
            clash[w]                 = (lanes_q & row[w*LANES +: LANES]) != {LANES{1'b0}};
            free_oh[w]               = !set_open[w] && !free_any;
            free_any                 = free_any || !set_open[w];
            taken                    = taken | (row[w*LANES +: LANES] & {LANES{hit[w]}});
            hit_name                 = hit_name | (set_name[w*WARP_W +: WARP_W] & {WARP_W{hit[w]}});
        end
    end

    // ---- Split

    wire                      found    = upd_q && |hit;
    wire [LANES-1:0]          joins    = lanes_q & ~taken & {LANES{found}};
    wire [LANES-1:0]          begins   = upd_q ? lanes_q & ({LANES{!found}} | taken) : {LANES{1'b0}};
    wire                      begin_any = upd_q && (hit == {WAYS{1'b0}} || (hit & clash) != {WAYS{1'b0}});
    wire                      evict    = upd_q && !found && !free_any;
    wire [WAYS-1:0]           way      = found ? hit : free_any ? free_oh : set_turn;  // that is written
    wire [LANES-1:0]          now_taken = begin_any ? begins : lanes_q | taken;

    reg  [TAG_W-1:0]          old_tag;    // of the entry whose turn it is
    reg  [WARP_W-1:0]         old_name;
    integer                   e;

    always @* begin
        old_tag  = {TAG_W{1'b0}};
        old_name = {WARP_W{1'b0}};
        for (e = 0; e < WAYS; e = e + 1) begin
            old_tag  = old_tag | ((near[e] ? write_tag_q : old_q[e*TAG_W +: TAG_W]) & {TAG_W{set_turn[e]}});
            old_name = old_name | (set_name[e*WARP_W +: WARP_W] & {WARP_W{set_turn[e]}});
        end
    end

    // The turn goes one way up, from the last one to the first.
    wire [WAYS-1:0]           turn_up  = (set_turn << 1) | (set_turn >> (WAYS - 1));
    integer                   m;

    always @(posedge clk_i)
        if (rst_i) begin
            upd_q   <= 1'b0;
            close_q <= 1'b0;
            write_q <= {WAYS{1'b0}};
            used_q  <= {ENTRIES{1'b0}};
            turn_q  <= {SETS{{{(WAYS-1){1'b0}}, 1'b1}}};
            busy_q  <= 2'd0;
        end else begin
            upd_q   <= upd_valid_i && upd_lanes_i != {LANES{1'b0}};
            close_q <= close_valid_i;
            write_q <= way & {WAYS{upd_q}};
            used_q  <= next_used;
            if (evict)
                turn_q[set*WAYS +: WAYS] <= turn_up;
            busy_q  <= upd_valid_i ? 2'd2 : busy_q == 2'd2 || close_valid_i ? 2'd1 : 2'd0;
        end

    integer                   q;
    integer                   x;

    always @(posedge clk_i) begin
        if (upd_valid_i) begin
            pc_q    <= upd_pc_i;
            lanes_q <= upd_lanes_i;
            warp_q  <= upd_warp_i;
            match_q <= in_match;
            old_q   <= in_old;
            near_q  <= in_set == set;
            set_used_q  <= next_used[in_set*WAYS +: WAYS];
            leaves_q    <= in_closing[in_set*WAYS +: WAYS];
            same_q  <= upd_pc_i == pc_q;
            for (x = 0; x < SETS; x = x + 1)
                set_oh_q[x] <= in_set == x[SET_W-1:0];
        end
        if (close_valid_i) begin
            closing_q <= in_closing;
            newest_q  <= close_warp_i == warp_q;
        end
        named_q       <= begin_any;
        write_set_q   <= set;
        write_oh_q    <= set_oh_q;
        write_tag_q   <= tag;
        write_taken_q <= now_taken;
        for (m = 0; m < WAYS; m = m + 1)
            if (begin_any && way[m])
                name_q[(set*WAYS + m)*WARP_W +: WARP_W] <= warp_q;
        for (q = 0; q < WAYS; q = q + 1)
            if (write_q[q])
                tag_q[(write_set_q*WAYS + q)*TAG_W +: TAG_W] <= write_tag_q;
    end

    // ---- RAMs

    genvar g;
    generate
        for (g = 0; g < WAYS; g = g + 1) begin : g_way
            cw_ram_1r1w_fwd #(
                .ADDR_W(SET_W),
                .DATA_W(LANES)
            ) u_ram (
                .clk_i    (clk_i),
                .rd_en_i  (upd_valid_i),
                .rd_addr_i(in_set),
                .rd_data_o(read[g*LANES +: LANES]),
                .wr_en_i  (write_q[g]),
                .wr_addr_i(write_set_q),
                .wr_data_i(write_taken_q)
`ifdef CW_PROPERTIES
                , .f_addr_i(f_pc[SET_W-1:0])
                , .f_data_o(f_row[g*LANES +: LANES])
`endif
            );
        end
    endgenerate

    assign ans_valid_o       = upd_q;
    assign ans_found_o       = found;
    assign ans_join_lanes_o  = joins;
    assign ans_join_warp_o   = hit_name & {WARP_W{found}};
    assign ans_begin_lanes_o = begins;
    assign ans_begin_warp_o  = warp_q & {WARP_W{begin_any}};
    assign evict_valid_o     = evict;
    assign evict_pc_o        = {old_tag, set} & {PC_W{evict}};
    assign evict_warp_o      = old_name & {WARP_W{evict}};
    assign busy_o            = busy_q != 2'd0;

`ifdef CW_PROPERTIES
    // One PC, of the prover's choice, and what the ports have shown of it: whether it has an entry, its warp, and the lanes that are taken.
    wire [PC_W-1:0]       f_pc;
    wire [WAYS*LANES-1:0] f_row;       // of the PC's set, in the RAMs
    reg                   f_past_q = 1'b0;
    reg                   f_open_q;    // after all answers, before the close that comes next
    reg  [WARP_W-1:0]     f_warp_q;
    reg  [LANES-1:0]      f_taken_q;
    reg                   f_closed_q;  // it had an entry whose warp was closed
    reg                   f_upd_q;
    wire                  f_here    = upd_q && pc_q == f_pc;
    reg  [WARP_W-1:0]     f_close_q;   // the close
    wire                  f_open    = f_open_q && !(close_q && f_close_q == f_warp_q);
    reg  [WAYS-1:0]       f_at;        // ways that have the PC, with the write that is under way
    reg  [WAYS-1:0]       f_right;     // with its warp and its lanes
    reg  [LANES-1:0]      f_now;
    reg  [TAG_W-1:0]      f_tag;
    reg                   f_turns;     // in each set it is one way's turn
    integer               f;
    integer               ft;

    cw_nonsynth_choice #(
        .W(PC_W)
    ) u_f_pc (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (upd_valid_i),
        .value_i (upd_pc_i),
        .choice_o(f_pc)
    );

    // The rows of the PC's set with the write that is under way.
    reg  [WAYS*LANES-1:0] f_merged;
    integer               fm;

    always @*
        for (fm = 0; fm < WAYS; fm = fm + 1)
            f_merged[fm*LANES +: LANES] = write_q[fm] && write_set_q == f_pc[SET_W-1:0] ? write_taken_q : f_row[fm*LANES +: LANES];

    always @* begin
        f_now = {LANES{1'b0}};
        f_tag = {TAG_W{1'b0}};
        for (f = 0; f < WAYS; f = f + 1) begin
            f_now      = f_merged[f*LANES +: LANES];
            f_tag      = write_q[f] && write_set_q == f_pc[SET_W-1:0] ? write_tag_q : tag_q[(f_pc[SET_W-1:0]*WAYS + f)*TAG_W +: TAG_W];
            f_at[f]    = used_q[f_pc[SET_W-1:0]*WAYS + f] && f_tag == f_pc[PC_W-1:SET_W];
            f_right[f] = f_at[f] && f_now == f_taken_q && name_q[(f_pc[SET_W-1:0]*WAYS + f)*WARP_W +: WARP_W] == f_warp_q;
        end
    end

    always @* begin
        f_turns = 1'b1;
        for (ft = 0; ft < SETS; ft = ft + 1)
            f_turns = f_turns && turn_q[ft*WAYS +: WAYS] != {WAYS{1'b0}}
                      && (turn_q[ft*WAYS +: WAYS] & (turn_q[ft*WAYS +: WAYS] - 1'b1)) == {WAYS{1'b0}};
    end

    // What was compared beside the inputs is what the registers say now.
    reg                   f_mended;
    integer               fw;
    integer               fe;

    always @* begin
        f_mended = 1'b1;
        for (fe = 0; fe < ENTRIES; fe = fe + 1)
            f_mended = f_mended && open[fe] == (used_q[fe] && !(close_q && name_q[fe*WARP_W +: WARP_W] == f_close_q));
        if (upd_q)
            for (fw = 0; fw < WAYS; fw = fw + 1)
                f_mended = f_mended && set_open[fw] == open[set*WAYS + fw]
                           && (near[fw] ? same_q == (write_tag_q == tag)
                                                 : match_q[fw] == (tag_q[(set*WAYS + fw)*TAG_W +: TAG_W] == tag)
                                                   && old_q[fw*TAG_W +: TAG_W] == tag_q[(set*WAYS + fw)*TAG_W +: TAG_W]);
        if (upd_q)
            f_mended = f_mended && set_oh_q == {{(SETS-1){1'b0}}, 1'b1} << set && (write_q == {WAYS{1'b0}} || near_q == (write_set_q == set));
        if (write_q != {WAYS{1'b0}})
            f_mended = f_mended && write_oh_q == {{(SETS-1){1'b0}}, 1'b1} << write_set_q;
    end

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (close_valid_i)
            f_close_q <= close_warp_i;
        f_upd_q  <= !rst_i && upd_valid_i && upd_lanes_i != {LANES{1'b0}};
        if (rst_i) begin
            f_open_q   <= 1'b0;
            f_closed_q <= 1'b0;
        end else begin
            f_open_q   <= f_here || (f_open && !(evict_valid_o && evict_pc_o == f_pc));
            f_closed_q <= f_closed_q || (f_open_q && !f_open);
            if (f_here && ans_begin_lanes_o != {LANES{1'b0}}) begin
                f_warp_q  <= ans_begin_warp_o;
                f_taken_q <= ans_begin_lanes_o;
            end else if (f_here)
                f_taken_q <= f_taken_q | ans_join_lanes_o;
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. A PC is found exactly if it has been begun, and neither closed nor evicted since, and its warp is the one that was begun last.
            if (f_here)
                assert (ans_found_o == f_open);
            if (f_here && f_open)
                assert (ans_join_warp_o == f_warp_q);
            cover (f_here && f_open && f_closed_q);
            cover (f_here && !f_open && f_closed_q);
            // 2. Nobody joins a lane that is taken, and whoever can join does.
            if (f_here && f_open)
                assert (ans_join_lanes_o == (lanes_q & ~f_taken_q));
            cover (f_here && f_open && ans_join_lanes_o != {LANES{1'b0}} && ans_begin_lanes_o != {LANES{1'b0}});
            // 3. Each thread joins or begins, and not both; who is not found begins.
            if (f_upd_q)
                assert ((ans_join_lanes_o ^ ans_begin_lanes_o) == lanes_q && (ans_join_lanes_o & ans_begin_lanes_o) == {LANES{1'b0}});
            assert (ans_valid_o == f_upd_q);
            if (ans_valid_o && !ans_found_o)
                assert (ans_begin_lanes_o == lanes_q);
            cover (ans_valid_o && !ans_found_o && f_open_q && !f_here);
            // 4. Only a full set evicts, for a PC that is not found, and never that of the update.
            if (evict_valid_o)
                assert (ans_valid_o && !ans_found_o && &set_open && evict_pc_o != pc_q);
            if (evict_valid_o && evict_pc_o == f_pc)
                assert (f_open && evict_warp_o == f_warp_q);
            cover (evict_valid_o && evict_pc_o == f_pc && !set_turn[0]);
            // 5. What says nothing is 0.
            if (!ans_valid_o)
                assert (!ans_found_o && ans_begin_lanes_o == {LANES{1'b0}} && !evict_valid_o);
            if (!ans_found_o)
                assert (ans_join_lanes_o == {LANES{1'b0}} && ans_join_warp_o == {WARP_W{1'b0}});
            if (!evict_valid_o)
                assert (evict_pc_o == {PC_W{1'b0}} && evict_warp_o == {WARP_W{1'b0}});
            if (ans_begin_lanes_o == {LANES{1'b0}})
                assert (ans_begin_warp_o == {WARP_W{1'b0}});
            cover (!ans_valid_o && f_open_q && lanes_q != {LANES{1'b0}});
            // 6. (for induction) The PC has one entry, with its warp and its lanes, or none; and what has been read is what the RAM holds.
            assert ((f_at & (f_at - 1'b1)) == {WAYS{1'b0}});
            assert (|f_at == f_open_q && (!f_open_q || |f_right));
            assert (f_turns);
            assert (f_mended);
            if (upd_q && set == f_pc[SET_W-1:0])
                assert (row == f_merged);
            cover (f_open_q && |write_q && upd_q && set == write_set_q && set == f_pc[SET_W-1:0]);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

    generate
        if (LANES < 1 || LANES > 32) begin : g_bad_lanes
            cw_error_warp_lut_lanes_must_be_1_to_32 u_error ();
        end
        if (SET_W < 1 || SET_W > 6) begin : g_bad_set_w
            cw_error_warp_lut_set_w_must_be_1_to_6 u_error ();
        end
        if (WAYS < 1 || WAYS > 8) begin : g_bad_ways
            cw_error_warp_lut_ways_must_be_1_to_8 u_error ();
        end
        if (PC_W < 7 || PC_W > 24) begin : g_bad_pc_w
            cw_error_warp_lut_pc_w_must_be_7_to_24 u_error ();
        end
        if (WARP_W < 1 || WARP_W > 10) begin : g_bad_warp_w
            cw_error_warp_lut_warp_w_must_be_1_to_10 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
