// SPDX-License-Identifier: Apache-2.0
//
// cw_warp_lut: the warps that still take threads, by PC.
//
// Why         : dynamic warp formation makes new warps of threads that have the same next PC. So for each set of threads that comes, the warp that
//               is being formed for their PC must be found, and it must be known which of its lanes are free.
// How         : a table with ways. PCs and lanes taken lie in a RAM per way; which entries are used, and the names of their warps, are
//               flip-flops, because a warp that issues is looked for in all entries at once. What one update writes, the next one reads
//               past the RAM.
// Stages      : read; compare, split the lanes, answer; write.
// Latency     : 1 cycle.
// Throughput  : one update and one close per cycle.
// Comb. paths : none from input to output; outputs depend on registers and RAM outputs. Nothing leads from a RAM to a RAM.
// Storage     : WAYS RAMs of 2^SET_W x (PC_W - SET_W + LANES) bits; 2^SET_W * WAYS * (WARP_W + 1) flip-flops.
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
    localparam ROW_W   = TAG_W + LANES; // {tag, lanes that are taken}

    // ---- State

    reg  [ENTRIES-1:0]        used_q;
    reg  [ENTRIES*WARP_W-1:0] name_q;     // the warp of each entry
    reg  [SETS*WAYS-1:0]      turn_q;     // of each set, one bit set: the way that is evicted next

    // The update that is answered, and the close that comes before it.
    reg                       upd_q;      // it has a lane
    reg  [PC_W-1:0]           pc_q;
    reg  [LANES-1:0]          lanes_q;
    reg  [WARP_W-1:0]         warp_q;
    reg                       close_q;
    reg  [WARP_W-1:0]         close_warp_q;

    // The write of the update before.
    reg  [WAYS-1:0]           write_q;    // the way, if there is one
    reg  [SET_W-1:0]          write_set_q;
    reg  [ROW_W-1:0]          write_row_q;

    reg  [1:0]                busy_q;

    // ---- Compare

    wire [SET_W-1:0]          set      = pc_q[SET_W-1:0];
    wire [TAG_W-1:0]          tag      = pc_q[PC_W-1:SET_W];
    wire [WAYS*ROW_W-1:0]     row;        // of each way, as the updates before have left it
    reg  [ENTRIES-1:0]        open;       // used, and not closed now
    reg  [WAYS-1:0]           hit;
    reg  [WAYS-1:0]           free_oh;    // the lowest free way
    reg                       free_any;
    reg  [LANES-1:0]          taken;      // of the entry that is hit
    reg  [WARP_W-1:0]         hit_name;
    integer                   i;
    integer                   w;

    always @*
        for (i = 0; i < ENTRIES; i = i + 1)
            open[i] = used_q[i] && !(close_q && name_q[i*WARP_W +: WARP_W] == close_warp_q);

    wire [WAYS-1:0]           set_open = open[set*WAYS +: WAYS];
    wire [WAYS*WARP_W-1:0]    set_name = name_q[set*WAYS*WARP_W +: WAYS*WARP_W];
    wire [WAYS-1:0]           set_turn = turn_q[set*WAYS +: WAYS];

    always @* begin
        taken    = {LANES{1'b0}};
        hit_name = {WARP_W{1'b0}};
        free_any = 1'b0;
        for (w = 0; w < WAYS; w = w + 1) begin
            hit[w]     = set_open[w] && row[w*ROW_W+LANES +: TAG_W] == tag;
            free_oh[w] = !set_open[w] && !free_any;
            free_any   = free_any || !set_open[w];
            taken      = taken | (row[w*ROW_W +: LANES] & {LANES{hit[w]}});
            hit_name   = hit_name | (set_name[w*WARP_W +: WARP_W] & {WARP_W{hit[w]}});
        end
    end

    // ---- Split

    wire                      found    = upd_q && |hit;
    wire [LANES-1:0]          joins    = lanes_q & ~taken & {LANES{found}};
    wire [LANES-1:0]          begins   = upd_q ? lanes_q & ({LANES{!found}} | taken) : {LANES{1'b0}};
    wire                      begin_any = |begins;
    wire                      evict    = upd_q && !found && !free_any;
    wire [WAYS-1:0]           way      = found ? hit : free_any ? free_oh : set_turn;  // that is written
    wire [LANES-1:0]          now_taken = begin_any ? begins : lanes_q | taken;

    reg  [TAG_W-1:0]          old_tag;    // of the entry that is evicted
    reg  [WARP_W-1:0]         old_name;
    integer                   e;

    always @* begin
        old_tag  = {TAG_W{1'b0}};
        old_name = {WARP_W{1'b0}};
        for (e = 0; e < WAYS; e = e + 1) begin
            old_tag  = old_tag | (row[e*ROW_W+LANES +: TAG_W] & {TAG_W{evict && set_turn[e]}});
            old_name = old_name | (set_name[e*WARP_W +: WARP_W] & {WARP_W{evict && set_turn[e]}});
        end
    end

    // The turn goes one way up, from the last one to the first.
    wire [WAYS-1:0]           turn_up  = (set_turn << 1) | (set_turn >> (WAYS - 1));
    integer                   n;
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
            used_q  <= open;
            for (n = 0; n < WAYS; n = n + 1)
                if (upd_q && way[n])
                    used_q[set*WAYS + n] <= 1'b1;
            if (evict)
                turn_q[set*WAYS +: WAYS] <= turn_up;
            busy_q  <= upd_valid_i ? 2'd2 : busy_q == 2'd2 || close_valid_i ? 2'd1 : 2'd0;
        end

    always @(posedge clk_i) begin
        if (upd_valid_i) begin
            pc_q    <= upd_pc_i;
            lanes_q <= upd_lanes_i;
            warp_q  <= upd_warp_i;
        end
        if (close_valid_i)
            close_warp_q <= close_warp_i;
        write_set_q <= set;
        write_row_q <= {tag, now_taken};
        for (m = 0; m < WAYS; m = m + 1)
            if (begin_any && way[m])
                name_q[(set*WAYS + m)*WARP_W +: WARP_W] <= warp_q;
    end

    // ---- RAMs

    genvar g;
    generate
        for (g = 0; g < WAYS; g = g + 1) begin : g_way
            wire [ROW_W-1:0] read;

            cw_ram_1r1w_fwd #(
                .ADDR_W(SET_W),
                .DATA_W(ROW_W)
            ) u_ram (
                .clk_i    (clk_i),
                .rd_en_i  (upd_valid_i),
                .rd_addr_i(upd_pc_i[SET_W-1:0]),
                .rd_data_o(read),
                .wr_en_i  (write_q[g]),
                .wr_addr_i(write_set_q),
                .wr_data_i(write_row_q)
`ifdef CW_PROPERTIES
                , .f_addr_i(f_pc[SET_W-1:0])
                , .f_data_o(f_row[g*ROW_W +: ROW_W])
`endif
            );

            assign row[g*ROW_W +: ROW_W] = write_q[g] && write_set_q == set ? write_row_q : read;
        end
    endgenerate

    assign ans_valid_o       = upd_q;
    assign ans_found_o       = found;
    assign ans_join_lanes_o  = joins;
    assign ans_join_warp_o   = hit_name & {WARP_W{found}};
    assign ans_begin_lanes_o = begins;
    assign ans_begin_warp_o  = warp_q & {WARP_W{begin_any}};
    assign evict_valid_o     = evict;
    assign evict_pc_o        = {old_tag, set & {SET_W{evict}}};
    assign evict_warp_o      = old_name;
    assign busy_o            = busy_q != 2'd0;

`ifdef CW_PROPERTIES
    // One PC, of the prover's choice, and what the ports have shown of it: whether it has an entry, its warp, and the lanes that are taken.
    wire [PC_W-1:0]       f_pc;
    wire [WAYS*ROW_W-1:0] f_row;       // of the PC's set, in the RAMs
    reg                   f_past_q = 1'b0;
    reg                   f_open_q;    // after all answers, before the close that comes next
    reg  [WARP_W-1:0]     f_warp_q;
    reg  [LANES-1:0]      f_taken_q;
    reg                   f_closed_q;  // it had an entry whose warp was closed
    reg                   f_upd_q;
    wire                  f_here    = upd_q && pc_q == f_pc;
    wire                  f_open    = f_open_q && !(close_q && close_warp_q == f_warp_q);
    reg  [WAYS-1:0]       f_at;        // ways that have the PC, with the write that is under way
    reg  [WAYS-1:0]       f_right;     // with its warp and its lanes
    reg  [ROW_W-1:0]      f_now;
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
    reg  [WAYS*ROW_W-1:0] f_merged;
    integer               fm;

    always @*
        for (fm = 0; fm < WAYS; fm = fm + 1)
            f_merged[fm*ROW_W +: ROW_W] = write_q[fm] && write_set_q == f_pc[SET_W-1:0] ? write_row_q : f_row[fm*ROW_W +: ROW_W];

    always @* begin
        f_now = {ROW_W{1'b0}};
        for (f = 0; f < WAYS; f = f + 1) begin
            f_now      = write_q[f] && write_set_q == f_pc[SET_W-1:0] ? write_row_q : f_row[f*ROW_W +: ROW_W];
            f_at[f]    = used_q[f_pc[SET_W-1:0]*WAYS + f] && f_now[LANES +: TAG_W] == f_pc[PC_W-1:SET_W];
            f_right[f] = f_at[f] && f_now[LANES-1:0] == f_taken_q && name_q[(f_pc[SET_W-1:0]*WAYS + f)*WARP_W +: WARP_W] == f_warp_q;
        end
    end

    always @* begin
        f_turns = 1'b1;
        for (ft = 0; ft < SETS; ft = ft + 1)
            f_turns = f_turns && turn_q[ft*WAYS +: WAYS] != {WAYS{1'b0}}
                      && (turn_q[ft*WAYS +: WAYS] & (turn_q[ft*WAYS +: WAYS] - 1'b1)) == {WAYS{1'b0}};
    end

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
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
            assert (upd_q == f_upd_q);
            assert (f_turns);
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
