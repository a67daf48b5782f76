// SPDX-License-Identifier: Apache-2.0
//
// cw_l2_tags: which line is in which way of an L2 slice, what the slice has of it, and which line goes when another one comes.
//
// Why         : a request knows an address, and has to know which sectors the slice has of it, or whose place its line takes.
// How         : an operation reads its set, compares, and names a line or a victim. In the cycle of the answer its client says what becomes
//               of that line, and it is written. The next operation of the same set waits a cycle, so that it reads what was written.
// Stages      : 0 read; 1 compare, choose the victim; 2 answer, and write.
// Latency     : 2 cycles.
// Throughput  : one operation per cycle; of one set one in two cycles.
// Comb. paths : op_set_i -> op_ready_o. Longest path: RAM -> comparison, or order of use -> the oldest -> register.
// Storage     : per way a RAM of 2^SET_W rows x (2 + 2 SECTORS + TAG_W) bits, and one of 2^SET_W rows x WAYS RANK_W bits for the order of use.
// Clearing    : after a reset a sweep of 2^SET_W cycles, with op_ready_o low.
// Illegal use : none.
//
// Paper: none. Contract: include/cowarp/unit/l2_tags.h. C model: csim/unit/l2_tags.c. Datasheet: docs/units/l2_tags.md.

`default_nettype none

module cw_l2_tags #(
    parameter WAYS    = 8,   // 1 .. 16
    parameter SET_W   = 7,   // 1 .. 13: log2 of the sets
    parameter TAG_W   = 25,  // 1 .. 32
    parameter SECTORS = 4    // 1 .. 8
) (
    input  wire               clk_i,
    input  wire               rst_i,
    // an operation
    input  wire               op_valid_i,
    output wire               op_ready_o,
    input  wire [SET_W-1:0]   op_set_i,
    input  wire [TAG_W-1:0]   op_tag_i,
    // its answer, two cycles later
    output wire               ans_valid_o,
    output wire               ans_hit_o,
    output wire               ans_victim_o,
    output wire [3:0]         ans_way_o,
    output wire [TAG_W-1:0]   ans_tag_o,
    output wire [SECTORS-1:0] ans_sectors_o,
    output wire [SECTORS-1:0] ans_dirty_o,
    output wire               ans_held_o,
    // what becomes of the named line, in the cycle of the answer
    input  wire               act_valid_i,
    input  wire               act_drop_i,
    input  wire [SECTORS-1:0] act_fill_i,
    input  wire [SECTORS-1:0] act_write_i,
    input  wire               act_clean_i,
    input  wire               act_hold_i,
    input  wire               act_use_i,
    // status
    output wire               idle_o
);

    localparam RANK_W = WAYS <= 2 ? 1 : WAYS <= 4 ? 2 : WAYS <= 8 ? 3 : 4;  // lines of the set that were used later
    localparam LINE_W = 2 + 2 * SECTORS + TAG_W;                             // present, held, dirty, valid, tag

    localparam [SET_W-1:0]   NEXT    = 1;
    localparam [RANK_W-1:0]  ONE     = 1;
    localparam [WAYS-1:0]    NO_WAY  = {WAYS{1'b0}};
    localparam [SECTORS-1:0] NOTHING = {SECTORS{1'b0}};

    // Sweep: no line is present, and ranks are those of the ways' numbers.
    reg                    sweep_q;
    reg  [SET_W-1:0]       sweep_set_q;

    // Stage 0.
    wire                   take;

    // Stage 1: the set is here.
    reg                    read_q;
    reg  [SET_W-1:0]       read_set_q;
    reg  [TAG_W-1:0]       read_tag_q;
    wire [WAYS*RANK_W-1:0] read_ranks;
    wire [WAYS-1:0]        read_present;
    wire [WAYS-1:0]        read_held;
    wire [WAYS-1:0]        read_hit;     // at most one
    wire [WAYS-1:0]        read_oldest;  // of those that are not held, of lines that are all present
    wire [WAYS-1:0]        empty    = ~read_present;
    wire [WAYS-1:0]        empty_oh = empty & (~empty + {{(WAYS-1){1'b0}}, 1'b1});  // the lowest
    wire                   known    = |read_hit;
    wire [WAYS-1:0]        victim   = |empty ? empty_oh : read_oldest;

    // Stage 2: the answer, and what becomes of the line.
    reg                    done_q;
    reg                    done_hit_q;
    reg                    done_victim_q;
    reg  [SET_W-1:0]       done_set_q;
    reg  [TAG_W-1:0]       done_tag_q;
    reg  [WAYS-1:0]        done_way_q;    // of the named line, one-hot
    reg  [WAYS*RANK_W-1:0] done_ranks_q;
    wire [WAYS*(LINE_W-1)-1:0] done_named;  // the named line in its way's place, all others 0
    wire [WAYS*RANK_W-1:0] done_order;    // ranks after a use of the named line
    reg  [LINE_W-2:0]      line;          // the named one, without `present`
    reg  [RANK_W-1:0]      rank;
    reg  [3:0]             way;
    integer                n;

    // Fields of the named line, all 0 when it is not present.
    wire                   line_held;
    wire [SECTORS-1:0]     line_dirty;
    wire [SECTORS-1:0]     line_valid;
    wire [TAG_W-1:0]       line_tag;
    assign {line_held, line_dirty, line_valid, line_tag} = line;

    wire                   act       = done_q && act_valid_i && (done_hit_q || done_victim_q);
    wire                   use_it    = act && (done_victim_q || act_use_i);  // of a line that is dropped it does not matter
    wire [SECTORS-1:0]     old_dirty = done_victim_q || act_clean_i ? NOTHING : line_dirty;
    wire [SECTORS-1:0]     old_valid = done_victim_q ? NOTHING : line_valid;
    wire [SECTORS-1:0]     new_dirty = old_dirty | act_write_i;
    wire [SECTORS-1:0]     new_valid = old_valid | act_fill_i;
    wire [LINE_W-1:0]      new_line  = sweep_q || act_drop_i ? {LINE_W{1'b0}}
                                                             : {1'b1, act_hold_i, new_dirty, new_valid, done_tag_q};

    wire [WAYS-1:0]        write     = sweep_q ? {WAYS{1'b1}} : act ? done_way_q : NO_WAY;
    wire [SET_W-1:0]       write_set = sweep_q ? sweep_set_q : done_set_q;
    wire [WAYS*RANK_W-1:0] first_order;

    assign take = op_valid_i && op_ready_o;

    always @* begin
        line = {(LINE_W-1){1'b0}};
        rank = {RANK_W{1'b0}};
        way  = 4'd0;
        for (n = 0; n < WAYS; n = n + 1) begin
            line = line | done_named[n*(LINE_W-1) +: LINE_W-1];
            rank = rank | (done_ranks_q[n*RANK_W +: RANK_W] & {RANK_W{done_way_q[n]}});
            way  = way | (n[3:0] & {4{done_way_q[n]}});
        end
    end

    cw_ram_1r1w_fwd #(
        .ADDR_W(SET_W),
        .DATA_W(WAYS * RANK_W)
    ) u_order_ram (
        .clk_i    (clk_i),
        .rd_en_i  (take),
        .rd_addr_i(op_set_i),
        .rd_data_o(read_ranks),
        .wr_en_i  (sweep_q || use_it),
        .wr_addr_i(write_set),
        .wr_data_i(sweep_q ? first_order : done_order)
`ifdef CW_PROPERTIES
        , .f_addr_i(f_set)
        , .f_data_o(f_ranks)
`endif
    );

    genvar w;
    genvar v;
    generate
        for (w = 0; w < WAYS; w = w + 1) begin : g_way
            localparam [3:0] NUMBER = w;

            wire [LINE_W-1:0] row;
            reg  [LINE_W-2:0] row_q;
            wire [RANK_W-1:0] its_rank  = read_ranks[w*RANK_W +: RANK_W];
            wire [RANK_W-1:0] done_rank = done_ranks_q[w*RANK_W +: RANK_W];
            wire [WAYS-1:0]   older;  // lines that may go and were used before this one

            for (v = 0; v < WAYS; v = v + 1) begin : g_other
                assign older[v] = !read_held[v] && read_ranks[v*RANK_W +: RANK_W] > its_rank;
            end

            assign read_present[w] = row[LINE_W-1];
            assign read_held[w]    = row[LINE_W-2];
            assign read_hit[w]     = row[LINE_W-1] && row[TAG_W-1:0] == read_tag_q;
            assign read_oldest[w]  = !read_held[w] && !(|older);

            assign done_named[w*(LINE_W-1) +: LINE_W-1] = row_q & {(LINE_W-1){done_way_q[w]}};
            assign done_order[w*RANK_W +: RANK_W]  = done_way_q[w] ? {RANK_W{1'b0}} : done_rank < rank ? done_rank + ONE : done_rank;
            assign first_order[w*RANK_W +: RANK_W] = NUMBER[RANK_W-1:0];

            cw_ram_1r1w_fwd #(
                .ADDR_W(SET_W),
                .DATA_W(LINE_W)
            ) u_ram (
                .clk_i    (clk_i),
                .rd_en_i  (take),
                .rd_addr_i(op_set_i),
                .rd_data_o(row),
                .wr_en_i  (write[w]),
                .wr_addr_i(write_set),
                .wr_data_i(new_line)
`ifdef CW_PROPERTIES
                , .f_addr_i(f_set)
                , .f_data_o(f_lines[w*LINE_W +: LINE_W])
`endif
            );

            always @(posedge clk_i)
                if (read_q)
                    row_q <= row[LINE_W-2:0];
        end
    endgenerate

    always @(posedge clk_i) begin
        if (rst_i) begin
            sweep_q       <= 1'b1;
            sweep_set_q   <= {SET_W{1'b0}};
            read_q        <= 1'b0;
            done_q        <= 1'b0;
            done_hit_q    <= 1'b0;
            done_victim_q <= 1'b0;
            done_way_q    <= NO_WAY;
        end else begin
            sweep_q       <= sweep_q && !(&sweep_set_q);
            sweep_set_q   <= sweep_q ? sweep_set_q + NEXT : sweep_set_q;
            read_q        <= take;
            done_q        <= read_q;
            done_hit_q    <= read_q && known;
            done_victim_q <= read_q && !known && |victim;
            done_way_q    <= !read_q ? NO_WAY : known ? read_hit : victim;
        end
        if (take) begin
            read_set_q <= op_set_i;
            read_tag_q <= op_tag_i;
        end
        if (read_q) begin
            done_set_q   <= read_set_q;
            done_tag_q   <= read_tag_q;
            done_ranks_q <= read_ranks;
        end
    end

    assign op_ready_o    = !sweep_q && !(read_q && op_set_i == read_set_q);
    assign ans_valid_o   = done_q;
    assign ans_hit_o     = done_hit_q;
    assign ans_victim_o  = done_victim_q;
    assign ans_way_o     = way;
    assign ans_tag_o     = line_tag;
    assign ans_sectors_o = line_valid;
    assign ans_dirty_o   = line_dirty;
    assign ans_held_o    = line_held;
    assign idle_o        = !sweep_q && !read_q && !done_q;

`ifdef CW_PROPERTIES
    // One line: to a prover any, in a run the first that is asked for after a reset.
    wire [SET_W-1:0]       f_set;
    wire [TAG_W-1:0]       f_tag;
    // Its set as the RAMs have it: fields by way.
    wire [WAYS*LINE_W-1:0] f_lines;
    wire [WAYS*RANK_W-1:0] f_ranks;
    reg  [WAYS-1:0]        f_present;
    reg  [WAYS-1:0]        f_held;
    reg  [WAYS-1:0]        f_here;
    reg  [LINE_W-1:0]      f_line;
    localparam [WAYS-1:0]  f_one = 1;
    reg                    f_past_q = 1'b0;
    // What the ports have shown: operations one and two cycles ago, of the set, of the line; the line; which use was the later of two ways'.
    reg  [1:0]             f_op_q;
    reg  [1:0]             f_near_q;
    reg  [1:0]             f_here_q;
    reg  [SET_W-1:0]       f_last_set_q;
    reg                    f_in_q;
    reg  [3:0]             f_way_q;
    reg                    f_kept_q;
    reg  [SECTORS-1:0]     f_valid_q;
    reg  [SECTORS-1:0]     f_dirty_q;
    reg  [WAYS*WAYS-1:0]   f_later_q;
    wire                   f_named = ans_hit_o || ans_victim_o;
    wire                   f_ends  = ans_valid_o && f_near_q[1];
    wire                   f_acts  = f_ends && f_named && act_valid_i;
    wire                   f_mine  = f_ends && f_here_q[1];
    wire                   f_swept = !sweep_q || f_set < sweep_set_q;
    reg                    f_empty;    // a way without a line has nothing
    reg                    f_once;     // no two ways have one tag
    reg                    f_first;    // no line of the set has been used since the reset
    reg                    f_orderly;  // ranks say who was used later
    reg                    f_oldest;   // the named way was used before all others that are not held
    reg                    f_lowest;   // no way below the named one is empty
    integer                fx;
    integer                fy;

    cw_nonsynth_choice #(
        .W(SET_W + TAG_W)
    ) u_f_line (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (take),
        .value_i ({op_set_i, op_tag_i}),
        .choice_o({f_set, f_tag})
    );

    always @* begin
        f_line    = {LINE_W{1'b0}};
        f_empty   = 1'b1;
        f_once    = 1'b1;
        f_first   = 1'b1;
        f_orderly = 1'b1;
        f_oldest  = 1'b1;
        f_lowest  = 1'b1;
        for (fx = 0; fx < WAYS; fx = fx + 1) begin
            f_present[fx] = f_lines[fx*LINE_W + LINE_W-1];
            f_held[fx]    = f_lines[fx*LINE_W + LINE_W-2];
            f_here[fx]    = f_present[fx] && f_lines[fx*LINE_W +: TAG_W] == f_tag;
            f_line        = f_line | (f_here[fx] ? f_lines[fx*LINE_W +: LINE_W] : {LINE_W{1'b0}});
            f_empty       = f_empty && (f_present[fx] || f_lines[fx*LINE_W +: LINE_W] == {LINE_W{1'b0}});
            f_lowest      = f_lowest && (f_present[fx] || fx[3:0] >= ans_way_o);
            for (fy = 0; fy < WAYS; fy = fy + 1)
                if (fx != fy) begin
                    f_once    = f_once && !(f_present[fx] && f_lines[fy*LINE_W + LINE_W-1] &&
                                            f_lines[fx*LINE_W +: TAG_W] == f_lines[fy*LINE_W +: TAG_W]);
                    f_first   = f_first && f_later_q[fx*WAYS+fy] == (fx < fy);
                    f_orderly = f_orderly && f_later_q[fx*WAYS+fy] == !f_later_q[fy*WAYS+fx];
                    f_orderly = f_orderly && f_later_q[fx*WAYS+fy] == (f_ranks[fx*RANK_W +: RANK_W] < f_ranks[fy*RANK_W +: RANK_W]);
                    f_oldest  = f_oldest && (fx[3:0] != ans_way_o || f_later_q[fy*WAYS+fx] || f_lines[fy*LINE_W + LINE_W-2]);
                end
        end
    end

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i) begin
            f_op_q    <= 2'd0;
            f_in_q    <= 1'b0;
            for (fx = 0; fx < WAYS*WAYS; fx = fx + 1)
                f_later_q[fx] <= fx / WAYS < fx % WAYS;
        end else begin
            f_op_q <= {f_op_q[0], op_valid_i && op_ready_o};
            if (f_acts && f_here_q[1])
                f_in_q <= !act_drop_i;
            else if (f_acts && ans_victim_o && ans_way_o == f_way_q)
                f_in_q <= 1'b0;
            for (fx = 0; fx < WAYS*WAYS; fx = fx + 1)
                if (f_acts && (ans_victim_o || act_use_i)) begin
                    if (fx / WAYS == {28'd0, ans_way_o})
                        f_later_q[fx] <= 1'b1;
                    else if (fx % WAYS == {28'd0, ans_way_o})
                        f_later_q[fx] <= 1'b0;
                end
        end
        if (f_acts && f_here_q[1]) begin
            f_way_q   <= ans_way_o;
            f_kept_q  <= act_hold_i;
            f_valid_q <= (ans_hit_o ? f_valid_q : NOTHING) | act_fill_i;
            f_dirty_q <= (ans_hit_o && !act_clean_i ? f_dirty_q : NOTHING) | act_write_i;
        end
        f_near_q     <= {f_near_q[0], op_set_i == f_set};
        f_here_q     <= {f_here_q[0], op_set_i == f_set && op_tag_i == f_tag};
        f_last_set_q <= op_set_i;
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. An operation is answered two cycles later, by one line at most. What is not an answer is 0.
            assert (ans_valid_o == f_op_q[1]);
            assert (!(ans_hit_o && ans_victim_o));
            assert (ans_valid_o || !f_named);
            assert (f_named || {ans_way_o, ans_tag_o, ans_sectors_o, ans_dirty_o, ans_held_o} == {(5+TAG_W+2*SECTORS){1'b0}});
            cover (ans_valid_o && !f_named && f_op_q[0]);
            // 2. An operation of the set of the one before it is not taken, and any other is.
            assert (op_ready_o == (!sweep_q && !(f_op_q[0] && op_set_i == f_last_set_q)));
            cover (op_valid_i && !op_ready_o && f_op_q[0] && f_op_q[1]);
            // 3. A line is found if, and only if, it has come and has neither been dropped nor replaced; then it is as it was left.
            assert (!f_mine || ans_hit_o == f_in_q);
            assert (!(f_mine && f_in_q) || (ans_way_o == f_way_q && ans_tag_o == f_tag && ans_held_o == f_kept_q));
            assert (!(f_mine && f_in_q) || (ans_sectors_o == f_valid_q && ans_dirty_o == f_dirty_q));
            cover (f_mine && f_in_q && f_way_q == WAYS - 1 && &f_valid_q && |f_dirty_q && ans_held_o);
            cover (f_mine && !f_in_q && &f_present && |f_here_q[0]);
            // 4. Who goes is not held; if none can go, all are held.
            assert (!(f_ends && ans_victim_o && f_in_q && f_kept_q) || ans_way_o != f_way_q);
            assert (!(f_ends && !f_named) || &f_held);
            cover (f_ends && ans_victim_o && &f_present && |f_held);
            cover (f_ends && !f_named);
            // 5. The lowest empty way goes, and without one the line whose last use is the longest ago.
            assert (!(f_ends && ans_victim_o && !(&f_present)) || (f_lowest && ans_sectors_o == NOTHING && ans_dirty_o == NOTHING));
            assert (!(f_ends && ans_victim_o && &f_present) || f_oldest);
            cover (f_ends && ans_victim_o && !(&f_present) && f_present[0]);
            cover (f_ends && ans_victim_o && &f_present && ans_way_o == 4'd0 && f_acts);
            // 6. The RAMs have each line once, nothing of lines that are not present, and the order of use.
            assert (!sweep_q || (!f_in_q && !read_q && !done_q && f_first));
            if (f_swept) begin
                assert (f_here == (f_in_q ? f_one << f_way_q : NO_WAY));
                assert (!f_in_q || f_line == {1'b1, f_kept_q, f_dirty_q, f_valid_q, f_tag});
                assert (f_once && f_empty);
                assert (f_orderly);
            end
            cover (f_in_q && &f_held && !sweep_q);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

    generate
        if (WAYS < 1 || WAYS > 16) begin : g_bad_ways
            cw_error_l2_tags_ways_must_be_1_to_16 u_error ();
        end
        if (SET_W < 1 || SET_W > 13) begin : g_bad_set_w
            cw_error_l2_tags_set_w_must_be_1_to_13 u_error ();
        end
        if (TAG_W < 1 || TAG_W > 32) begin : g_bad_tag_w
            cw_error_l2_tags_tag_w_must_be_1_to_32 u_error ();
        end
        if (SECTORS < 1 || SECTORS > 8) begin : g_bad_sectors
            cw_error_l2_tags_sectors_must_be_1_to_8 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
