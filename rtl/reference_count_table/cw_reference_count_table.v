// SPDX-License-Identifier: Apache-2.0
//
// cw_reference_count_table: how many commits under way at a memory partition are going to write a word.
//
// Why         : several commits may write one word. The cores are told of it when the first one comes, and again when the last one has
//               gone, not of each.
// How         : a set-associative table of words and counts. An operation reads its set, compares, and writes one entry with the new
//               count. The next operation may be of the same set, so it takes what the one before it writes.
// Stages      : 0 hash and read; 1 compare, count, choose the entry; 2 write and answer.
// Latency     : 2 cycles; an operation is seen by the next one.
// Throughput  : one operation per cycle.
// Comb. paths : none from input to output. Longest path: RAM or forwarded row -> comparison -> count -> register.
// Storage     : per way a RAM of 2^SET_W rows x (KEY_W + COUNT_W) bits. A count of 0 is a free entry.
// Clearing    : after a reset a sweep of 2^SET_W cycles, with op_ready_o low.
// Illegal use : none.
//
// Paper: Ren and Lis, HPCA 2018, VI.A, Table V. Contract: include/cowarp/unit/reference_count_table.h.
// C model: csim/unit/reference_count_table.c. Datasheet: docs/units/reference_count_table.md.

`default_nettype none

module cw_reference_count_table #(
    parameter WAYS    = 6,   // 1 .. 8
    parameter SET_W   = 9,   // 1 .. 13: log2 of the sets
    parameter KEY_W   = 30,  // 4 .. 30
    parameter COUNT_W = 10   // 1 .. 16
) (
    input  wire             clk_i,
    input  wire             rst_i,
    // operations
    input  wire             op_valid_i,
    output wire             op_ready_o,
    input  wire             op_release_i,
    input  wire [KEY_W-1:0] op_word_i,
    // answer, two cycles later
    output wire             ans_valid_o,
    output wire             ans_counted_o,
    output wire             ans_edge_o,
    // status
    output wire             idle_o
);

    localparam [31:0] SET_SEED = 32'h4ef0c043;

    localparam ROW_W = KEY_W + COUNT_W;  // word, count

    localparam [COUNT_W-1:0] ZERO = {COUNT_W{1'b0}};
    localparam [COUNT_W-1:0] ONE  = 1;
    localparam [SET_W-1:0]   NEXT = 1;

    // Sweep: every count is 0.
    reg               sweep_q;
    reg  [SET_W-1:0]  sweep_set_q;

    // Stage 0.
    wire              take = op_valid_i && !sweep_q;
    wire [SET_W-1:0]  take_set;

    // Stage 1: the set is here.
    reg               read_q;
    reg               read_release_q;
    reg               read_near_q;  // of the set of the operation before
    reg  [SET_W-1:0]  read_set_q;
    reg  [KEY_W-1:0]  read_word_q;
    wire [WAYS-1:0]   hit;          // at most one
    wire [WAYS-1:0]   free;
    wire [WAYS-1:0]   free_oh = free & (~free + {{(WAYS-1){1'b0}}, 1'b1});  // the lowest
    reg  [COUNT_W-1:0] count;       // of the word
    wire              known   = |hit;
    wire              up      = !read_release_q && (known ? !(&count) : |free);
    wire              down    = read_release_q && known;
    wire [WAYS-1:0]   change  = read_q && (up || down) ? (known ? hit : free_oh) : {WAYS{1'b0}};

    // Stage 2: the entry is written.
    reg               done_q;
    reg               counted_q;
    reg               edge_q;
    reg  [WAYS-1:0]   write_q;
    reg  [SET_W-1:0]  write_set_q;
    reg  [KEY_W-1:0]  write_word_q;
    reg  [COUNT_W-1:0] write_count_q;

    wire [WAYS*COUNT_W-1:0] hit_count;  // 0 where there is no hit
    integer                 n;

    always @* begin
        count = ZERO;
        for (n = 0; n < WAYS; n = n + 1)
            count = count | hit_count[n*COUNT_W +: COUNT_W];
    end

    cw_h3_hash #(
        .KEY_W(KEY_W),
        .OUT_W(SET_W),
        .SEED (SET_SEED)
    ) u_hash (
        .en_i  (take),
        .key_i (op_word_i),
        .hash_o(take_set)
    );

    genvar w;
    generate
        for (w = 0; w < WAYS; w = w + 1) begin : g_way
            wire [ROW_W-1:0]   ram_row;
            wire [ROW_W-1:0]   row     = read_near_q && write_q[w] ? {write_word_q, write_count_q} : ram_row;
            wire [COUNT_W-1:0] its_cnt = row[COUNT_W-1:0];
`ifdef CW_PROPERTIES
            wire [ROW_W-1:0]   f_ram;
            wire [ROW_W-1:0]   f_row = write_q[w] && write_set_q == f_set ? {write_word_q, write_count_q} : f_ram;
`endif

            assign free[w] = its_cnt == ZERO;
            assign hit[w]  = !free[w] && row[ROW_W-1 -: KEY_W] == read_word_q;
            assign hit_count[w*COUNT_W +: COUNT_W] = hit[w] ? its_cnt : ZERO;

            cw_ram_1r1w_fwd #(
                .ADDR_W(SET_W),
                .DATA_W(ROW_W)
            ) u_ram (
                .clk_i    (clk_i),
                .rd_en_i  (take),
                .rd_addr_i(take_set),
                .rd_data_o(ram_row),
                .wr_en_i  (sweep_q || write_q[w]),
                .wr_addr_i(sweep_q ? sweep_set_q : write_set_q),
                .wr_data_i({write_word_q, sweep_q ? ZERO : write_count_q})
`ifdef CW_PROPERTIES
                , .f_addr_i(f_set)
                , .f_data_o(f_ram)
`endif
            );

`ifdef CW_PROPERTIES
            assign f_live[w] = f_row[COUNT_W-1:0] != ZERO;
            assign f_here[w] = f_live[w] && f_row[ROW_W-1 -: KEY_W] == f_word;
            assign f_counts[w*COUNT_W +: COUNT_W] = f_here[w] ? f_row[COUNT_W-1:0] : ZERO;
`endif
        end
    endgenerate

    always @(posedge clk_i) begin
        if (rst_i) begin
            sweep_q     <= 1'b1;
            sweep_set_q <= {SET_W{1'b0}};
            read_q      <= 1'b0;
            done_q      <= 1'b0;
            counted_q   <= 1'b0;
            edge_q      <= 1'b0;
            write_q     <= {WAYS{1'b0}};
        end else begin
            sweep_q     <= sweep_q && !(&sweep_set_q);
            sweep_set_q <= sweep_q ? sweep_set_q + NEXT : sweep_set_q;
            read_q      <= take;
            done_q      <= read_q;
            counted_q   <= read_q && (up || down);
            edge_q      <= read_q && (read_release_q ? known && count == ONE : !known && |free);
            write_q     <= change;
        end
        if (take) begin
            read_release_q <= op_release_i;
            read_set_q     <= take_set;
            read_word_q    <= op_word_i;
            read_near_q    <= read_q && take_set == read_set_q;
        end
        if (read_q) begin
            write_set_q   <= read_set_q;
            write_word_q  <= read_word_q;
            write_count_q <= read_release_q ? count - ONE : count + ONE;
        end
    end

    assign op_ready_o    = !sweep_q;
    assign ans_valid_o   = done_q;
    assign ans_counted_o = counted_q;
    assign ans_edge_o    = edge_q;
    assign idle_o        = !sweep_q && !read_q && !done_q;

`ifdef CW_PROPERTIES
    // One word of the prover's choice and its set, with what stage 2 writes.
    (* anyconst *) reg [KEY_W-1:0] f_word;
    wire [SET_W-1:0]        f_set;
    wire [WAYS-1:0]         f_live;
    wire [WAYS-1:0]         f_here;
    wire [WAYS*COUNT_W-1:0] f_counts;  // the word's count in each entry
    reg  [COUNT_W-1:0]      f_entry;   // of all
    reg                     f_past_q = 1'b0;
    // What was seen at the ports: operations one and two cycles ago, and the word's acquires less its releases that were counted.
    reg  [1:0]              f_op_q;
    reg  [1:0]              f_here_q;
    reg  [1:0]              f_release_q;
    reg  [COUNT_W-1:0]      f_count_q;
    reg                     f_full_q;  // the word's set had no room when the operation that is answered met it
    wire                    f_ends  = ans_valid_o && f_here_q[1];
    wire [COUNT_W-1:0]      f_count = !(f_ends && ans_counted_o) ? f_count_q : f_release_q[1] ? f_count_q - ONE : f_count_q + ONE;

    cw_h3_hash #(
        .KEY_W(KEY_W),
        .OUT_W(SET_W),
        .SEED (SET_SEED)
    ) u_f_hash (
        .en_i  (1'b1),
        .key_i (f_word),
        .hash_o(f_set)
    );

    always @* begin
        f_entry = ZERO;
        for (n = 0; n < WAYS; n = n + 1)
            f_entry = f_entry | f_counts[n*COUNT_W +: COUNT_W];
    end

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i) begin
            f_op_q    <= 2'd0;
            f_count_q <= ZERO;
        end else begin
            f_op_q    <= {f_op_q[0], op_valid_i && op_ready_o};
            f_count_q <= f_count;
        end
        f_full_q    <= &f_live;
        f_here_q    <= {f_here_q[0], op_word_i == f_word};
        f_release_q <= {f_release_q[0], op_release_i};
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. An operation is answered two cycles later. What is not an answer is 0.
            assert (ans_valid_o == f_op_q[1]);
            assert (ans_valid_o || !(ans_counted_o || ans_edge_o));
            assert (!ans_edge_o || ans_counted_o);
            cover (ans_valid_o && ans_edge_o && f_op_q[0]);
            // 2. A count moves from 0 with the first acquire, and to 0 with the last release, and an edge says so.
            assert (!f_ends || ans_edge_o == (ans_counted_o && f_count_q == (f_release_q[1] ? ONE : ZERO)));
            cover (f_ends && ans_edge_o && f_release_q[1] && f_op_q[0] && f_here_q[0]);
            cover (f_ends && ans_counted_o && !ans_edge_o && f_release_q[1]);
            // 3. Refused is the release of a word whose count is 0, an acquire at the largest count, and one of a new word without room.
            assert (!f_ends || !f_release_q[1] || ans_counted_o == (f_count_q != ZERO));
            assert (!f_ends || f_release_q[1] || ans_counted_o == (f_count_q == ZERO ? !f_full_q : !(&f_count_q)));
            assert (!(f_ends && !f_release_q[1] && !ans_counted_o && f_count_q == ZERO) || &f_live);
            cover (f_ends && !f_release_q[1] && !ans_counted_o && f_count_q == ZERO);
            cover (f_ends && !f_release_q[1] && !ans_counted_o && f_count_q != ZERO);
            // 4. A word has one entry at most, with the count of the answers.
            if (!sweep_q) begin
                assert ((f_here & (f_here - {{(WAYS-1){1'b0}}, 1'b1})) == {WAYS{1'b0}});
                assert (f_entry == f_count);
            end
            cover (&f_live && &f_count && f_ends);
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
            cw_error_reference_count_table_ways_must_be_1_to_8 u_error ();
        end
        if (SET_W < 1 || SET_W > 13) begin : g_bad_set_w
            cw_error_reference_count_table_set_w_must_be_1_to_13 u_error ();
        end
        if (KEY_W < 4 || KEY_W > 30) begin : g_bad_key_w
            cw_error_reference_count_table_key_w_must_be_4_to_30 u_error ();
        end
        if (COUNT_W < 1 || COUNT_W > 16) begin : g_bad_count_w
            cw_error_reference_count_table_count_w_must_be_1_to_16 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
