// SPDX-License-Identifier: Apache-2.0
//
// cw_conflict_address_table: the words that commits under way are going to write, as a core has heard of them.
//
// Why         : a transaction that reads a word which is about to be overwritten will fail. Its load had better wait until the commit is
//               over (pause-and-go of EAPG).
// How         : a set-associative table. An update reads its set, compares, and writes one way. The next ones may be of the same set: what
//               those before have changed, or just change, is put behind what it compares. A query has a copy of the table of its own, so
//               that it never waits for updates, nor they for it. An input meets its hash alone before a RAM or register has it.
// Stages      : update: 0 hash and read; 1 compare; 2 choose the way and write; 3 answer. Query: 0 hash and read; 1 compare; 2 answer.
// Latency     : update 3 cycles, query 2. A query of cycle t sees the updates of cycle t - 2 and before.
// Throughput  : one update and one query per cycle.
// Comb. paths : none from input to output. Longest path: RAM -> comparison -> all ways -> register.
// Storage     : per way two RAMs of 2^SET_W rows x (1 + KEY_W) bits with the same contents, and a counter of words.
// Clearing    : after a reset a sweep of 2^SET_W cycles, with ready_o low.
// Illegal use : none.
//
// Paper: Ren and Lis, HPCA 2018, VI.A, Table V. Contract: include/cowarp/unit/conflict_address_table.h.
// C model: csim/unit/conflict_address_table.c. Datasheet: docs/units/conflict_address_table.md.

`default_nettype none

module cw_conflict_address_table #(
    parameter WAYS  = 8,   // 1 .. 8
    parameter SET_W = 4,   // 1 .. 13: log2 of the sets
    parameter KEY_W = 30,  // 4 .. 30
    parameter TAG_W = 7    // 1 .. 16
) (
    input  wire             clk_i,
    input  wire             rst_i,
    output wire             ready_o,
    // announced words come and go
    input  wire             upd_valid_i,
    input  wire             upd_remove_i,
    input  wire [KEY_W-1:0] upd_word_i,
    // answer to an update, three cycles later
    output wire             upd_done_o,
    output wire             upd_refused_o,
    // a load asks for a word
    input  wire             qry_valid_i,
    input  wire [KEY_W-1:0] qry_word_i,
    input  wire [TAG_W-1:0] qry_tag_i,
    // answer to a query, two cycles later
    output wire             ans_valid_o,
    output wire [TAG_W-1:0] ans_tag_o,
    output wire             ans_held_o,
    // status
    output wire             empty_o,
    output wire             idle_o
);

    localparam [31:0] SET_SEED = 32'h0ca7ca75;

    localparam ROW_W = KEY_W + 1;  // valid, word
    localparam CNT_W = SET_W + 4;  // a word more than there is room for up to 8 ways

    localparam [CNT_W-1:0] ONE  = 1;
    localparam [SET_W-1:0] NEXT = 1;

    // Sweep: no word is valid.
    reg              sweep_q;
    reg  [SET_W-1:0] sweep_set_q;

    // Update, stage 0.
    wire             take = upd_valid_i && !sweep_q;
    wire [SET_W-1:0] take_set;

    // Stage 1: the set is here.
    reg              read_q;
    reg              read_remove_q;
    reg  [SET_W-1:0] read_set_q;
    reg  [KEY_W-1:0] read_word_q;
    wire [WAYS-1:0]  read_live;  // ways with a word, and with this word, after the updates before
    wire [WAYS-1:0]  read_hit;

    // Stage 2: one way is written.
    reg              write_q;
    reg              write_remove_q;
    reg  [SET_W-1:0] write_set_q;
    reg  [KEY_W-1:0] write_word_q;
    reg  [WAYS-1:0]  write_live_q;
    reg  [WAYS-1:0]  write_hit_q;
    wire             known   = |write_hit_q;
    wire             full    = &write_live_q;
    wire             enter   = write_q && !write_remove_q && !known && !full;
    wire             leave   = write_q && write_remove_q && known;
    wire             refuse  = write_q && !write_remove_q && !known && full;
    wire [WAYS-1:0]  free    = ~write_live_q;
    wire [WAYS-1:0]  free_oh = free & (~free + {{(WAYS-1){1'b0}}, 1'b1});  // the lowest
    wire [WAYS-1:0]  change  = enter ? free_oh : leave ? write_hit_q : {WAYS{1'b0}};

    // What was written while stage 1 was read: a RAM does not show it.
    reg  [WAYS-1:0]  wrote_q;
    reg              wrote_enter_q;
    reg  [SET_W-1:0] wrote_set_q;
    reg  [KEY_W-1:0] wrote_word_q;

    // Stage 1 has the set and word of stage 2, or of what was written.
    wire             near       = read_set_q == write_set_q;
    wire             same       = read_word_q == write_word_q;
    wire             read_near  = read_set_q == wrote_set_q;
    wire             read_same  = read_word_q == wrote_word_q;
    wire             asked_near = asked_set_q == wrote_set_q;
    wire             asked_same = asked_word_q == wrote_word_q;

    reg              done_q;
    reg              refused_q;
    reg  [CNT_W-1:0] word_cnt_q;

    // Query.
    wire             ask = qry_valid_i && !sweep_q;
    wire [SET_W-1:0] ask_set;
    reg              asked_q;
    reg  [SET_W-1:0] asked_set_q;
    reg  [KEY_W-1:0] asked_word_q;
    reg  [TAG_W-1:0] asked_tag_q;
    wire [WAYS-1:0]  asked_hit;
    reg              ans_valid_q;
    reg  [TAG_W-1:0] ans_tag_q;
    reg              ans_held_q;

    cw_h3_hash #(
        .KEY_W(KEY_W),
        .OUT_W(SET_W),
        .SEED (SET_SEED)
    ) u_upd_hash (
        .en_i  (take),
        .key_i (upd_word_i),
        .hash_o(take_set)
    );

    cw_h3_hash #(
        .KEY_W(KEY_W),
        .OUT_W(SET_W),
        .SEED (SET_SEED)
    ) u_qry_hash (
        .en_i  (ask),
        .key_i (qry_word_i),
        .hash_o(ask_set)
    );

    genvar w;
    generate
        for (w = 0; w < WAYS; w = w + 1) begin : g_way
            wire [ROW_W-1:0] row;
            wire [ROW_W-1:0] asked_row;
            wire             moves       = near && change[w];  // by the update before
            wire             moved       = read_near && wrote_q[w];  // by the one before that
            wire             asked_moved = asked_near && wrote_q[w];
`ifdef CW_PROPERTIES
            wire [ROW_W-1:0] f_row;
            wire [ROW_W-1:0] f_copy;
`endif

            assign read_live[w] = moves ? enter : moved ? wrote_enter_q : row[KEY_W];
            assign read_hit[w]  = moves ? enter && same : moved ? wrote_enter_q && read_same : row[KEY_W] && row[KEY_W-1:0] == read_word_q;
            assign asked_hit[w] = asked_moved ? wrote_enter_q && asked_same : asked_row[KEY_W] && asked_row[KEY_W-1:0] == asked_word_q;

            cw_ram_1r1w #(
                .ADDR_W(SET_W),
                .DATA_W(ROW_W)
            ) u_upd_ram (
                .clk_i    (clk_i),
                .rd_en_i  (take),
                .rd_addr_i(take_set),
                .rd_data_o(row),
                .wr_en_i  (sweep_q || change[w]),
                .wr_addr_i(sweep_q ? sweep_set_q : write_set_q),
                .wr_data_i({!sweep_q && enter, write_word_q})
`ifdef CW_PROPERTIES
                , .f_addr_i(f_set)
                , .f_data_o(f_row)
`endif
            );

            cw_ram_1r1w #(
                .ADDR_W(SET_W),
                .DATA_W(ROW_W)
            ) u_qry_ram (
                .clk_i    (clk_i),
                .rd_en_i  (ask),
                .rd_addr_i(ask_set),
                .rd_data_o(asked_row),
                .wr_en_i  (sweep_q || change[w]),
                .wr_addr_i(sweep_q ? sweep_set_q : write_set_q),
                .wr_data_i({!sweep_q && enter, write_word_q})
`ifdef CW_PROPERTIES
                , .f_addr_i(f_set)
                , .f_data_o(f_copy)
`endif
            );

`ifdef CW_PROPERTIES
            assign f_live[w]  = f_row[KEY_W];
            assign f_here[w]  = f_row[KEY_W] && f_row[KEY_W-1:0] == f_word;
            assign f_equal[w] = f_row[KEY_W] == f_copy[KEY_W] && (!f_row[KEY_W] || f_row == f_copy);
`endif
        end
    endgenerate

    always @(posedge clk_i) begin
        if (rst_i) begin
            sweep_q     <= 1'b1;
            sweep_set_q <= {SET_W{1'b0}};
            read_q      <= 1'b0;
            write_q     <= 1'b0;
            wrote_q     <= {WAYS{1'b0}};
            done_q      <= 1'b0;
            refused_q   <= 1'b0;
            word_cnt_q  <= {CNT_W{1'b0}};
            asked_q     <= 1'b0;
            ans_valid_q <= 1'b0;
            ans_tag_q   <= {TAG_W{1'b0}};
            ans_held_q  <= 1'b0;
        end else begin
            sweep_q     <= sweep_q && !(&sweep_set_q);
            sweep_set_q <= sweep_q ? sweep_set_q + NEXT : sweep_set_q;
            read_q      <= take;
            write_q     <= read_q;
            wrote_q     <= change;
            done_q      <= write_q;
            refused_q   <= refuse;
            word_cnt_q  <= enter ? word_cnt_q + ONE : leave ? word_cnt_q - ONE : word_cnt_q;
            asked_q     <= ask;
            ans_valid_q <= asked_q;
            ans_tag_q   <= asked_q ? asked_tag_q : {TAG_W{1'b0}};
            ans_held_q  <= asked_q && |asked_hit;
        end
        if (take) begin
            read_remove_q <= upd_remove_i;
            read_set_q    <= take_set;
            read_word_q   <= upd_word_i;
        end
        if (read_q) begin
            write_remove_q <= read_remove_q;
            write_set_q    <= read_set_q;
            write_word_q   <= read_word_q;
            write_live_q   <= read_live;
            write_hit_q    <= read_hit;
        end
        if (write_q) begin
            wrote_enter_q <= enter;
            wrote_set_q   <= write_set_q;
            wrote_word_q  <= write_word_q;
        end
        if (ask) begin
            asked_set_q  <= ask_set;
            asked_word_q <= qry_word_i;
            asked_tag_q  <= qry_tag_i;
        end
    end

    assign ready_o       = !sweep_q;
    assign upd_done_o    = done_q;
    assign upd_refused_o = refused_q;
    assign ans_valid_o   = ans_valid_q;
    assign ans_tag_o     = ans_tag_q;
    assign ans_held_o    = ans_held_q;
    assign empty_o       = !(|word_cnt_q);
    assign idle_o        = !sweep_q && !read_q && !write_q && !done_q && !asked_q && !ans_valid_q;

`ifdef CW_PROPERTIES
    // One word of the prover's choice, and its set.
    (* anyconst *) reg [KEY_W-1:0] f_word;
    wire [SET_W-1:0] f_set;
    wire [WAYS-1:0]  f_live;    // ways of the set with a word, with the word, and with the same in both copies
    wire [WAYS-1:0]  f_here;
    wire [WAYS-1:0]  f_equal;
    reg              f_past_q = 1'b0;
    // What was seen at the ports: updates and queries one to three cycles ago, whether of the word, and whether the word is in the table.
    reg  [2:0]       f_upd_q;
    reg  [2:0]       f_upd_here_q;
    reg  [2:0]       f_remove_q;
    reg  [1:0]       f_qry_q;
    reg  [1:0]       f_qry_here_q;
    reg  [TAG_W-1:0] f_tag_q;
    reg  [TAG_W-1:0] f_due_tag_q;
    reg              f_member_q;
    wire             f_ends   = upd_done_o && f_upd_here_q[2];
    wire             f_member = f_ends ? !f_remove_q[2] && (!upd_refused_o || f_member_q) : f_member_q;

    cw_h3_hash #(
        .KEY_W(KEY_W),
        .OUT_W(SET_W),
        .SEED (SET_SEED)
    ) u_f_hash (
        .en_i  (1'b1),
        .key_i (f_word),
        .hash_o(f_set)
    );

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i) begin
            f_upd_q    <= 3'd0;
            f_qry_q    <= 2'd0;
            f_member_q <= 1'b0;
        end else begin
            f_upd_q    <= {f_upd_q[1:0], upd_valid_i && ready_o};
            f_qry_q    <= {f_qry_q[0], qry_valid_i && ready_o};
            f_member_q <= f_member;
        end
        f_upd_here_q <= {f_upd_here_q[1:0], upd_word_i == f_word};
        f_remove_q   <= {f_remove_q[1:0], upd_remove_i};
        f_qry_here_q <= {f_qry_here_q[0], qry_word_i == f_word};
        f_tag_q      <= qry_tag_i;
        f_due_tag_q  <= f_tag_q;
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. A query is answered two cycles later, with its tag: whether the word has been entered, and not removed since, by the
            //    answers of the updates two cycles before the query and earlier. What is not an answer is 0.
            assert (ans_valid_o == f_qry_q[1]);
            assert (ans_tag_o == (f_qry_q[1] ? f_due_tag_q : {TAG_W{1'b0}}));
            assert (!ans_held_o || ans_valid_o);
            assert (!(f_qry_q[1] && f_qry_here_q[1]) || ans_held_o == f_member_q);
            cover (f_qry_q[1] && f_qry_here_q[1] && ans_held_o && f_upd_q[2] && f_upd_here_q[2] && f_remove_q[2]);
            cover (f_qry_q[1] && f_qry_here_q[1] && !ans_held_o && f_upd_q[2] && f_upd_here_q[2] && !f_remove_q[2]);
            // 2. An update is answered three cycles later, and refused only if it enters a word that is not there into a set without room.
            assert (upd_done_o == f_upd_q[2]);
            assert (!upd_refused_o || (upd_done_o && !f_remove_q[2]));
            assert (!(upd_refused_o && f_upd_here_q[2]) || (!f_member_q && &f_live));
            cover (upd_refused_o && f_upd_here_q[2]);
            cover (f_ends && !f_remove_q[2] && f_member_q && &f_live);
            // 3. A word is in one way at most, and is there if the answers say so; both copies agree.
            assert (!sweep_q || !f_member);
            if (!sweep_q || f_set < sweep_set_q) begin
                assert ((f_here & (f_here - {{(WAYS-1){1'b0}}, 1'b1})) == {WAYS{1'b0}});
                assert (|f_here == f_member);
                assert (&f_equal);
            end
            cover (&f_live && f_member && upd_done_o && !upd_refused_o && !f_ends);
        end

    // What the counter should be: a bit for each place.
    reg  [(WAYS<<SET_W)-1:0] f_valid_q;
    reg  [CNT_W-1:0]         f_word_cnt;
    integer                  n;

    always @(posedge clk_i)
        if (rst_i)
            f_valid_q <= {(WAYS<<SET_W){1'b0}};
        else
            for (n = 0; n < WAYS; n = n + 1)
                if (change[n])
                    f_valid_q[write_set_q*WAYS+n] <= enter;

    always @* begin
        f_word_cnt = {CNT_W{1'b0}};
        for (n = 0; n < (WAYS<<SET_W); n = n + 1)
            f_word_cnt = f_word_cnt + {{(CNT_W-1){1'b0}}, f_valid_q[n]};
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 4. The table is empty if, and only if, no place has a word.
            assert (sweep_q || f_live == f_valid_q[f_set*WAYS +: WAYS]);
            assert (word_cnt_q == f_word_cnt);
            assert (empty_o == (f_valid_q == {(WAYS<<SET_W){1'b0}}));
            cover (empty_o && upd_done_o && f_remove_q[2]);
            cover (&f_valid_q);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

    generate
        if (WAYS < 1 || WAYS > 8) begin : g_bad_ways
            cw_error_conflict_address_table_ways_must_be_1_to_8 u_error ();
        end
        if (SET_W < 1 || SET_W > 13) begin : g_bad_set_w
            cw_error_conflict_address_table_set_w_must_be_1_to_13 u_error ();
        end
        if (KEY_W < 4 || KEY_W > 30) begin : g_bad_key_w
            cw_error_conflict_address_table_key_w_must_be_4_to_30 u_error ();
        end
        if (TAG_W < 1 || TAG_W > 16) begin : g_bad_tag_w
            cw_error_conflict_address_table_tag_w_must_be_1_to_16 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
