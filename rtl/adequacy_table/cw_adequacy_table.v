// SPDX-License-Identifier: Apache-2.0
//
// cw_adequacy_table: CAPRI's predictor of compaction-adequacy.
//
// Why         : warps of a block that wait for each other at a branch lose time, and gain it back only where their threads then make fewer warps.
// How         : a table by PC says what came of the branch last time. Warps that come to it count their threads by lane and way in a row. When the
//               last one has come, the fullest lanes say what compaction makes of them, and the table learns it.
// Stages      : 0 read table and row; 1 predict, count; 2 answer, write the row, find the fullest lanes; 3 judge, write the table.
// Latency     : 2 cycles to the prediction, 3 to the judgement.
// Throughput  : one operation per cycle.
// Comb. paths : none. Longest path: counts -> fullest lane -> register.
// Storage     : a RAM of 2^INDEX_W rows x (TAG_W + 1) bits, one of 2^ROW_W rows x (2 + COUNT_W + 2 LANES COUNT_W) bits; a flip-flop for each row of both.
// Clearing    : none: the flip-flops say which rows hold something.
// Illegal use : none.
//
// Paper: Rhu 2012 (CAPRI). Contract: include/cowarp/unit/adequacy_table.h. C model: csim/unit/adequacy_table.c. Datasheet: docs/units/adequacy_table.md.

`default_nettype none

module cw_adequacy_table #(
    parameter LANES   = 32,  // 1 .. 32
    parameter ROW_W   = 7,   // 1 .. 8: log2 of the rows
    parameter COUNT_W = 6,   // 1 .. 6
    parameter INDEX_W = 6,   // 1 .. 10: log2 of the entries
    parameter TAG_W   = 10   // 1 .. 22
) (
    input  wire                     clk_i,
    input  wire                     rst_i,
    // a warp is at a branch
    input  wire                     op_valid_i,
    input  wire [ROW_W-1:0]         op_row_i,
    input  wire                     op_first_i,
    input  wire                     op_last_i,
    input  wire [INDEX_W+TAG_W-1:0] op_pc_i,
    input  wire [LANES-1:0]         op_taken_i,
    input  wire [LANES-1:0]         op_other_i,
    // no branch is known
    input  wire                     forget_i,
    // two cycles after an operation: what is predicted
    output wire                     ans_valid_o,
    output wire                     ans_wait_o,
    // three cycles after the last one: what is right
    output wire                     jdg_valid_o,
    output wire                     jdg_adequate_o,
    // status
    output wire                     idle_o
);

    localparam PC_W     = INDEX_W + TAG_W;
    localparam ENTRIES  = 1 << INDEX_W;
    localparam ROWS     = 1 << ROW_W;
    localparam SIDES_W  = COUNT_W + 1;
    localparam COUNTS_W = LANES * COUNT_W;          // plane by plane: bit n of all lanes' counts is a vector of lanes
    localparam WAIT     = 2 * COUNTS_W + SIDES_W;   // bits of a row: counts of those taken, of the others, sides, what was predicted
    localparam SHARED_W = WAIT + 1;

    localparam [ENTRIES-1:0] ENTRY_0 = 1;
    localparam [ROWS-1:0]    ROW_0   = 1;

    // The counts, with one thread more in each of these lanes: an adder of one bit for each lane and plane.
    function [COUNTS_W-1:0] counted(input [COUNTS_W-1:0] counts, input [LANES-1:0] lanes);
        reg [LANES-1:0] carry;
        integer         b;
        begin
            carry = lanes;
            for (b = 0; b < COUNT_W; b = b + 1) begin
                counted[b*LANES +: LANES] = counts[b*LANES +: LANES] ^ carry;
                carry = counts[b*LANES +: LANES] & carry;
            end
        end
    endfunction

    // The greatest count: bit by bit, of those lanes that were as great as any so far.
    function [COUNT_W-1:0] fullest(input [COUNTS_W-1:0] counts);
        reg [LANES-1:0] greatest;
        integer         b;
        begin
            greatest = {LANES{1'b1}};
            for (b = COUNT_W - 1; b >= 0; b = b - 1) begin
                fullest[b] = |(greatest & counts[b*LANES +: LANES]);
                greatest   = greatest & (counts[b*LANES +: LANES] | {LANES{!fullest[b]}});
            end
        end
    endfunction

    reg  [ENTRIES-1:0]  known_q;  // the entry is of a branch
    reg  [ROWS-1:0]     begun_q;  // the row has had an operation since the reset

    // Stage 1: table and row are here.
    reg                 read_q;
    reg  [ROW_W-1:0]    read_row_q;
    reg                 read_first_q;
    reg                 read_last_q;
    reg  [PC_W-1:0]     read_pc_q;
    reg  [LANES-1:0]    read_taken_q;
    reg  [LANES-1:0]    read_other_q;
    reg                 read_known_q;
    wire                read_adequate;
    wire [TAG_W-1:0]    read_tag;
    wire [SHARED_W-1:0] read_shared;
    wire [SHARED_W-1:0] row_was;
    wire [SHARED_W-1:0] row_is;       // with this operation
    wire [SIDES_W-1:0]  come = {{COUNT_W{1'b0}}, |read_taken_q} + {{COUNT_W{1'b0}}, |read_other_q};

    // Stage 2: the answer.
    reg                 done_q;
    reg  [ROW_W-1:0]    done_row_q;
    reg                 done_last_q;
    reg  [PC_W-1:0]     done_pc_q;
    reg  [SHARED_W-1:0] done_shared_q;
    reg                 done_learns_q;  // nothing was forgotten since the operation

    // Stage 3: the judgement.
    reg                 judge_q;
    reg  [PC_W-1:0]     judge_pc_q;
    reg  [COUNT_W-1:0]  judge_taken_q;
    reg  [COUNT_W-1:0]  judge_other_q;
    reg  [SIDES_W-1:0]  judge_sides_q;
    reg                 judge_learns_q;
    wire                adequate = {1'b0, judge_taken_q} + {1'b0, judge_other_q} < judge_sides_q;
    wire                learn    = judge_q && judge_learns_q;
    wire [ENTRIES-1:0]  learn_oh = learn ? ENTRY_0 << judge_pc_q[INDEX_W-1:0] : {ENTRIES{1'b0}};
    wire [ENTRIES-1:0]  known_d  = forget_i ? {ENTRIES{1'b0}} : known_q | learn_oh;

    cw_ram_1r1w_fwd #(
        .ADDR_W(INDEX_W),
        .DATA_W(TAG_W + 1)
    ) u_table_ram (
        .clk_i    (clk_i),
        .rd_en_i  (op_valid_i),
        .rd_addr_i(op_pc_i[INDEX_W-1:0]),
        .rd_data_o({read_adequate, read_tag}),
        .wr_en_i  (learn),
        .wr_addr_i(judge_pc_q[INDEX_W-1:0]),
        .wr_data_i({adequate, judge_pc_q[PC_W-1:INDEX_W]})
`ifdef CW_PROPERTIES
        , .f_addr_i(f_pc[INDEX_W-1:0])
        , .f_data_o(f_entry)
`endif
    );

    cw_ram_1r1w_fwd #(
        .ADDR_W(ROW_W),
        .DATA_W(SHARED_W)
    ) u_row_ram (
        .clk_i    (clk_i),
        .rd_en_i  (op_valid_i),
        .rd_addr_i(op_row_i),
        .rd_data_o(read_shared),
        .wr_en_i  (done_q),
        .wr_addr_i(done_row_q),
        .wr_data_i(done_shared_q)
`ifdef CW_PROPERTIES
        , .f_addr_i(f_row)
        , .f_data_o(f_shared)
`endif
    );

    // An operation of the row in the cycle before is not in the RAM yet.
    wire predicts = !(read_known_q && read_tag == read_pc_q[PC_W-1:INDEX_W]) || read_adequate;
    assign row_was = read_first_q                       ? {predicts, {WAIT{1'b0}}}
                   : done_q && done_row_q == read_row_q ? done_shared_q
                                                        : read_shared;
    assign row_is = {row_was[WAIT], row_was[2*COUNTS_W +: SIDES_W] + come, counted(row_was[COUNTS_W +: COUNTS_W], read_other_q),
                  counted(row_was[0 +: COUNTS_W], read_taken_q)};

    always @(posedge clk_i) begin
        if (rst_i) begin
            known_q     <= {ENTRIES{1'b0}};
            begun_q     <= {ROWS{1'b0}};
            read_q      <= 1'b0;
            done_q      <= 1'b0;
            done_last_q <= 1'b0;
            judge_q     <= 1'b0;
        end else begin
            known_q     <= known_d;
            begun_q     <= op_valid_i ? begun_q | (ROW_0 << op_row_i) : begun_q;
            read_q      <= op_valid_i;
            done_q      <= read_q;
            done_last_q <= read_q && read_last_q;
            judge_q     <= done_last_q;
        end
        if (op_valid_i) begin
            read_row_q   <= op_row_i;
            read_first_q <= op_first_i || !begun_q[op_row_i];
            read_last_q  <= op_last_i;
            read_pc_q    <= op_pc_i;
            read_taken_q <= op_taken_i;
            read_other_q <= op_other_i;
            read_known_q <= known_d[op_pc_i[INDEX_W-1:0]];
        end
        if (read_q) begin
            done_row_q    <= read_row_q;
            done_pc_q     <= read_pc_q;
            done_shared_q <= row_is;
        end
        if (done_last_q) begin
            judge_pc_q    <= done_pc_q;
            judge_taken_q <= fullest(done_shared_q[0 +: COUNTS_W]);
            judge_other_q <= fullest(done_shared_q[COUNTS_W +: COUNTS_W]);
            judge_sides_q <= done_shared_q[2*COUNTS_W +: SIDES_W];
        end
        done_learns_q  <= !forget_i;
        judge_learns_q <= done_learns_q && !forget_i;
    end

    assign ans_valid_o    = done_q;
    assign ans_wait_o     = done_q && done_shared_q[WAIT];
    assign jdg_valid_o    = judge_q;
    assign jdg_adequate_o = judge_q && adequate;
    assign idle_o         = !read_q && !done_q && !judge_q;

`ifdef CW_PROPERTIES
    // One branch and one row: to a prover any, in a run the first that come after a reset.
    wire [PC_W-1:0]     f_pc;
    wire [ROW_W-1:0]    f_row;
    wire [TAG_W:0]      f_entry;    // of the branch, as the RAM has it
    wire [SHARED_W-1:0] f_shared;   // the row, likewise
    reg                 f_past_q = 1'b0;
    // What the ports have shown, one cycle ago, two, three: operations, of the row, of the branch, the first of its row, the last, forgotten since.
    reg  [2:0]          f_op_q;
    reg  [2:0]          f_row_q;
    reg  [2:0]          f_pc_q;
    reg  [2:0]          f_index_q;  // of the branch's entry
    reg  [1:0]          f_first_q;
    reg  [2:0]          f_last_q;
    reg  [2:0]          f_learns_q;
    reg  [LANES-1:0]    f_taken_q;
    reg  [LANES-1:0]    f_other_q;
    reg  [2:0]          f_begun_q;  // the row has had an operation by now, a cycle ago, two cycles ago
    // The table knows the branch, and says this of it.
    reg                 f_known_q;
    reg                 f_adequate_q;
    wire                f_learns = jdg_valid_o && f_learns_q[2] && !forget_i;
    wire                f_known_d    = !forget_i && (f_learns && f_index_q[2] ? f_pc_q[2] : f_known_q);
    wire                f_adequate_d = f_learns && f_pc_q[2] ? jdg_adequate_o : f_adequate_q;
    reg  [1:0]          f_wait_q;   // what the table said to an operation one cycle ago, two
    // The row with all operations that are answered by now: counts of lanes, sides, what the first of them was told.
    reg  [COUNTS_W-1:0] f_cnt_taken_q;  // lane by lane
    reg  [COUNTS_W-1:0] f_cnt_other_q;
    reg  [SIDES_W-1:0]  f_sides_q;
    reg                 f_told_q;   // by an earlier answer
    wire                f_is_told = f_begun_q[2];
    reg                 f_right_q;  // whether compaction was adequate with the operations that were answered a cycle ago
    reg  [COUNT_W-1:0]  f_most_taken;
    reg  [COUNT_W-1:0]  f_most_other;
    reg                 f_same;     // the unit's counts of the row are these
    wire [SHARED_W-1:0] f_now = done_q && done_row_q == f_row ? done_shared_q : f_shared;
    wire                f_answers = f_op_q[1] && f_row_q[1];
    integer             fl;
    integer             fb;

    cw_nonsynth_choice #(
        .W(PC_W + ROW_W)
    ) u_f_branch (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (op_valid_i),
        .value_i ({op_pc_i, op_row_i}),
        .choice_o({f_pc, f_row})
    );

    always @* begin
        f_most_taken = {COUNT_W{1'b0}};
        f_most_other = {COUNT_W{1'b0}};
        f_same       = 1'b1;
        for (fl = 0; fl < LANES; fl = fl + 1) begin
            if (f_cnt_taken_q[fl*COUNT_W +: COUNT_W] > f_most_taken)
                f_most_taken = f_cnt_taken_q[fl*COUNT_W +: COUNT_W];
            if (f_cnt_other_q[fl*COUNT_W +: COUNT_W] > f_most_other)
                f_most_other = f_cnt_other_q[fl*COUNT_W +: COUNT_W];
            for (fb = 0; fb < COUNT_W; fb = fb + 1) begin
                f_same = f_same && f_now[fb*LANES+fl] == f_cnt_taken_q[fl*COUNT_W+fb] &&
                         f_now[COUNTS_W+fb*LANES+fl] == f_cnt_other_q[fl*COUNT_W+fb];
            end
        end
    end

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i) begin
            f_op_q    <= 3'd0;
            f_begun_q <= 3'd0;
            f_known_q <= 1'b0;
        end else begin
            f_op_q    <= {f_op_q[1:0], op_valid_i};
            f_begun_q <= {f_begun_q[1:0], f_begun_q[0] || (op_valid_i && op_row_i == f_row)};
            f_known_q <= f_known_d;
        end
        f_row_q      <= {f_row_q[1:0], op_row_i == f_row};
        f_pc_q       <= {f_pc_q[1:0], op_pc_i == f_pc};
        f_index_q    <= {f_index_q[1:0], op_pc_i[INDEX_W-1:0] == f_pc[INDEX_W-1:0]};
        f_first_q    <= {f_first_q[0], op_first_i || !f_begun_q[0]};
        f_last_q     <= {f_last_q[1:0], op_last_i};
        f_learns_q   <= {f_learns_q[1:0] & {2{!forget_i}}, 1'b1};
        f_taken_q    <= op_taken_i;
        f_other_q    <= op_other_i;
        f_adequate_q <= f_adequate_d;
        f_wait_q     <= {f_wait_q[0], !f_known_d || f_adequate_d};
        f_told_q     <= f_answers ? ans_wait_o : f_told_q;
        f_right_q    <= {1'b0, f_most_taken} + {1'b0, f_most_other} < f_sides_q;
        if (f_op_q[0] && f_row_q[0]) begin
            f_sides_q <= (f_first_q[0] ? {SIDES_W{1'b0}} : f_sides_q) + {{COUNT_W{1'b0}}, |f_taken_q} + {{COUNT_W{1'b0}}, |f_other_q};
            for (fl = 0; fl < LANES; fl = fl + 1) begin
                f_cnt_taken_q[fl*COUNT_W +: COUNT_W] <= (f_first_q[0] ? {COUNT_W{1'b0}} : f_cnt_taken_q[fl*COUNT_W +: COUNT_W]) +
                                                        {{COUNT_W{1'b0}}, f_taken_q[fl]};
                f_cnt_other_q[fl*COUNT_W +: COUNT_W] <= (f_first_q[0] ? {COUNT_W{1'b0}} : f_cnt_other_q[fl*COUNT_W +: COUNT_W]) +
                                                        {{COUNT_W{1'b0}}, f_other_q[fl]};
            end
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. An operation is answered two cycles later, and the last one of a branch is judged after three. What is not told is 0.
            assert (ans_valid_o == f_op_q[1]);
            assert (jdg_valid_o == (f_op_q[2] && f_last_q[2]));
            assert ((ans_valid_o || !ans_wait_o) && (jdg_valid_o || !jdg_adequate_o));
            assert (idle_o == !(f_op_q[0] || f_op_q[1] || (f_op_q[2] && f_last_q[2])));
            cover (ans_valid_o && jdg_valid_o && f_op_q[0]);
            // 2. A first operation waits unless the table knows its branch for one at which compaction was not adequate, after all judgements
            // up to its own cycle.
            assert (!(f_op_q[1] && f_pc_q[1] && f_first_q[1] && f_row_q[1]) || ans_wait_o == f_wait_q[1]);
            assert (known_q[f_pc[INDEX_W-1:0]] && f_entry[TAG_W-1:0] == f_pc[PC_W-1:INDEX_W] ? f_known_q && f_entry[TAG_W] == f_adequate_q
                                                                                             : !f_known_q);
            cover (f_op_q[1] && f_pc_q[1] && f_first_q[1] && f_row_q[1] && !ans_wait_o);
            cover (f_op_q[1] && f_pc_q[1] && f_first_q[1] && f_row_q[1] && ans_wait_o && f_known_q && f_adequate_q);
            // 3. All operations of a row are told the same, from a first one to the next.
            assert (!(f_answers && !f_first_q[1]) || ans_wait_o == f_told_q);
            cover (f_answers && !f_first_q[1] && !ans_wait_o);
            // 4. A row has the threads and the sides of its operations from a first one on, and no others.
            assert (begun_q[f_row] == f_begun_q[0]);
            if (f_is_told || f_answers) begin
                assert (f_same && f_now[2*COUNTS_W +: SIDES_W] == f_sides_q);
                assert (f_answers || f_now[WAIT] == f_told_q);
            end
            cover (f_answers && f_op_q[0] && f_row_q[0] && !f_first_q[0] && !f_first_q[1] && f_sides_q == 4);
            // 5. A branch is judged by the fullest lane of each way and the sides of its warps.
            assert (!(jdg_valid_o && f_op_q[2] && f_row_q[2]) || jdg_adequate_o == f_right_q);
            cover (jdg_valid_o && f_op_q[2] && f_row_q[2] && jdg_adequate_o);
            cover (jdg_valid_o && f_op_q[2] && f_row_q[2] && !jdg_adequate_o && judge_sides_q == 4);
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
            cw_error_adequacy_table_lanes_must_be_1_to_32 u_error ();
        end
        if (ROW_W < 1 || ROW_W > 8) begin : g_bad_row_w
            cw_error_adequacy_table_row_w_must_be_1_to_8 u_error ();
        end
        if (COUNT_W < 1 || COUNT_W > 6) begin : g_bad_count_w
            cw_error_adequacy_table_count_w_must_be_1_to_6 u_error ();
        end
        if (INDEX_W < 1 || INDEX_W > 10) begin : g_bad_index_w
            cw_error_adequacy_table_index_w_must_be_1_to_10 u_error ();
        end
        if (TAG_W < 1 || TAG_W > 22) begin : g_bad_tag_w
            cw_error_adequacy_table_tag_w_must_be_1_to_22 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
