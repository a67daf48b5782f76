// SPDX-License-Identifier: Apache-2.0
//
// cw_ownership_table: which lanes of a warp may commit together.
//
// Why         : the transactions of one warp commit as one under WarpTM and GETM, so conflicts among its own lanes must be found first.
//               To compare all pairs of lanes would take too long.
// How         : two passes over the lanes' logs. MARK enters each write: an entry of the table keeps the lowest lane that writes its
//               region. CHECK then looks each access up: a lane that finds a lower lane, or for its own write another one, has lost.
// Latency     : clearing takes 2^ROW_W cycles. An operation without bank conflict takes 1 cycle, a MARK that changes an entry 1 more.
//               From END to the result there are 2 cycles.
// Throughput  : one log entry of all lanes per cycle. Each further row that a bank must serve costs a cycle.
// Comb. paths : none from input to output. Longest path: RAM -> entry of each lane -> lower of lane and owner -> op_ready_o.
// Storage     : 2^BANK_W RAMs of 2^ROW_W rows x 24 bits. A RAM is never read and written in one cycle: one port of shared memory.
// Illegal use : none. A valid without ready is ignored.
//
// Paper: Fung 2015, section 6.3.3, Figure 6.6. Contract: include/cowarp/unit/ownership_table.h.
// C model: csim/unit/ownership_table.c. Datasheet: docs/units/ownership_table.md.

`default_nettype none

module cw_ownership_table #(
    parameter LANES  = 32,  // 2 .. 32
    parameter ADDR_W = 32,  // 1 .. 32
    parameter BANK_W = 5,   // 1 .. 5: log2 of the banks
    parameter ROW_W  = 5    // 1 .. 10: log2 of the rows of a bank
) (
    input  wire             clk_i,
    input  wire             rst_i,
    // a warp begins
    input  wire             start_valid_i,
    input  wire [LANES-1:0] start_lanes_i,
    output wire             start_ready_o,
    // one log entry of all lanes
    input  wire             op_valid_i,
    input  wire [1:0]       op_kind_i,
    input  wire [LANES-1:0] op_lanes_i,
    input  wire [1023:0]    op_addr_i,
    output wire             op_ready_o,
    // the lanes that may commit
    output wire             result_valid_o,
    output wire [LANES-1:0] result_lanes_o,
    input  wire             result_ready_i,
    // status
    output wire [LANES-1:0] alive_o,
    output wire             access_o,
    output wire             write_o
);

    localparam BANKS   = 1 << BANK_W;
    localparam SLOT_W  = BANK_W + 2;      // bank and byte: what is left of an entry's number without its row
    localparam TABLE_W = ROW_W + SLOT_W;  // bits of an entry's number, row on top
    localparam OWNER_W = 8;               // {2'b00, null, lane}: null is above every lane; a RAM keeps the lower six
    localparam WORD_W  = 4 * OWNER_W;
    localparam PITCH_W = 16;              // rows of the banks are this far apart in a vector, so that no selection multiplies

    localparam [OWNER_W-1:0] NOBODY = 8'h20;

    localparam [1:0] MARK        = 2'd0;
    localparam [1:0] CHECK_READ  = 2'd1;
    localparam [1:0] CHECK_WRITE = 2'd2;
    localparam [1:0] END         = 2'd3;

    localparam [2:0] IDLE   = 3'd0;
    localparam [2:0] CLEAR  = 3'd1;
    localparam [2:0] RUN    = 3'd2;
    localparam [2:0] DRAIN  = 3'd3;  // what the last group has read is being judged
    localparam [2:0] RESULT = 3'd4;

    reg  [2:0]               state_q;
    reg  [ROW_W-1:0]         clear_row_q;
    reg  [LANES-1:0]         alive_q;

    // Access stage: the operation whose lanes are being served.
    reg  [1:0]               kind_q;
    reg  [LANES-1:0]         unserved_q;
    reg  [LANES*TABLE_W-1:0] entry_q;     // each lane's entry
    wire [LANES*TABLE_W-1:0] op_entry;
    wire [BANKS*PITCH_W-1:0] bank_row;    // the row that the bank serves
    wire [LANES-1:0]         in_group;    // unserved lanes of their bank's row

    // Judge stage: the lanes served in the cycle before, and what the banks have read for them.
    reg  [1:0]               judge_kind_q;
    reg  [LANES-1:0]         judge_q;
    reg  [LANES*SLOT_W-1:0]  judge_slot_q;
    reg  [BANKS*ROW_W-1:0]   judge_row_q;
    wire [BANKS*WORD_W-1:0]  word;
    wire [LANES-1:0]         lose;
    wire [LANES-1:0]         takes;       // marks an entry that no lower lane owns
    wire [BANKS-1:0]         bank_change;

    wire start   = start_valid_i && start_ready_o;
    wire op      = op_valid_i && op_ready_o;
    wire op_end  = op && op_kind_i == END;
    wire marking = |bank_change;  // the banks are taken by the write

    wire [LANES-1:0] group = marking ? {LANES{1'b0}} : in_group;
    wire [LANES-1:0] rest  = unserved_q & ~group;

    assign start_ready_o  = state_q == IDLE;
    assign op_ready_o     = state_q == RUN && rest == {LANES{1'b0}};
    assign result_valid_o = state_q == RESULT;
    assign result_lanes_o = result_valid_o ? alive_q : {LANES{1'b0}};
    assign alive_o        = alive_q;
    assign access_o       = |group;
    assign write_o        = marking;

    always @(posedge clk_i)
        if (rst_i)
            state_q <= IDLE;
        else
            case (state_q)
                IDLE:
                    if (start)
                        state_q <= CLEAR;
                CLEAR:
                    if (&clear_row_q)
                        state_q <= RUN;
                RUN:
                    if (op_end)
                        state_q <= DRAIN;
                DRAIN:
                    state_q <= RESULT;
                default:
                    if (result_ready_i)
                        state_q <= IDLE;
            endcase

    always @(posedge clk_i)
        if (rst_i) begin
            clear_row_q <= {ROW_W{1'b0}};
            alive_q     <= {LANES{1'b0}};
            unserved_q  <= {LANES{1'b0}};
            judge_q     <= {LANES{1'b0}};
        end else begin
            if (state_q == CLEAR)
                clear_row_q <= clear_row_q + 1'b1;
            alive_q    <= start ? start_lanes_i : alive_q & ~lose;
            unserved_q <= !op ? rest : op_end ? {LANES{1'b0}} : op_lanes_i & alive_q;
            judge_q    <= group;
        end

    always @(posedge clk_i) begin
        judge_kind_q <= kind_q;
        if (op) begin
            kind_q  <= op_kind_i;
            entry_q <= op_entry;
        end
    end

`ifdef FORMAL
    // One entry and two lanes, chosen by the solver.
    (* anyconst *) reg [TABLE_W-1:0] f_entry;
    (* anyconst *) reg [4:0]         f_low;
    (* anyconst *) reg [4:0]         f_high;
    reg                              f_past_q = 1'b0;
    reg  [OWNER_W-1:0]               f_owner_q;    // lowest lane of the accepted marks of f_entry, by the ports alone
    reg                              f_beaten_q;   // f_high has checked f_entry after f_low < f_high had marked it
    reg  [OWNER_W-1:0]               f_now;        // f_owner_q once what is in flight has been done
    reg  [OWNER_W-1:0]               f_lowest_op;  // lowest lane that the presented operation has at f_entry
    reg  [OWNER_W-1:0]               f_read;       // f_owner_q as a group of the next cycle reads it
    reg                              f_high_waits; // f_high is in flight with a check of f_entry
    reg  [LANES-1:0]                 f_op_at;      // lanes that the presented operation has at f_entry
    reg                              f_mark_q;     // f_low has marked f_entry
    wire [BANKS*WORD_W-1:0]          f_row;        // the row of f_entry in every bank
    wire [LANES*OWNER_W-1:0]         f_judged;     // what each lane compares with
    wire [BANK_W-1:0]                f_bank = f_entry[SLOT_W-1:2];
    integer                          f_n;

    always @* begin
        f_lowest_op  = NOBODY;
        f_now        = f_row[f_entry[SLOT_W-1:0]*OWNER_W +: OWNER_W];
        f_read       = f_row[f_entry[SLOT_W-1:0]*OWNER_W +: OWNER_W];
        f_high_waits = 1'b0;
        for (f_n = LANES - 1; f_n >= 0; f_n = f_n - 1) begin
            f_op_at[f_n] = op_lanes_i[f_n] && alive_q[f_n] && op_entry[f_n*TABLE_W +: TABLE_W] == f_entry;
            if (f_op_at[f_n])
                f_lowest_op = f_n[OWNER_W-1:0];
            if (unserved_q[f_n] && entry_q[f_n*TABLE_W +: TABLE_W] == f_entry) begin
                if (kind_q == MARK && f_now > f_n[OWNER_W-1:0])
                    f_now = f_n[OWNER_W-1:0];
                if (kind_q != MARK && f_n[4:0] == f_high)
                    f_high_waits = 1'b1;
            end
            if (judge_q[f_n] && {judge_row_q[judge_slot_q[f_n*SLOT_W+2 +: BANK_W]*ROW_W +: ROW_W],
                                 judge_slot_q[f_n*SLOT_W +: SLOT_W]} == f_entry) begin
                if (judge_kind_q == MARK && f_now > f_n[OWNER_W-1:0])
                    f_now = f_n[OWNER_W-1:0];
                if (judge_kind_q == MARK && f_read > f_n[OWNER_W-1:0])
                    f_read = f_n[OWNER_W-1:0];
                if (judge_kind_q != MARK && f_n[4:0] == f_high)
                    f_high_waits = 1'b1;
            end
        end
    end

    wire f_mark  = op && op_kind_i == MARK;
    wire f_check = op && (op_kind_i == CHECK_READ || op_kind_i == CHECK_WRITE);

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i || start) begin
            f_owner_q  <= NOBODY;
            f_mark_q   <= 1'b0;
            f_beaten_q <= 1'b0;
        end else begin
            if (f_mark && f_lowest_op < f_owner_q)
                f_owner_q <= f_lowest_op;
            if (f_mark && f_op_at[f_low])
                f_mark_q <= 1'b1;
            if (f_check && f_mark_q && f_op_at[f_high])
                f_beaten_q <= 1'b1;
        end
    end

    always @* begin
        // Power-up is followed by a reset. The two lanes exist, and one is above the other.
        if (!f_past_q)
            assume (rst_i);
        assume (f_low < f_high && f_high < LANES);
        if (f_past_q) begin
            // 1. Of two lanes, the higher that has checked an entry after the lower had marked it is not in the result.
            if (f_beaten_q && result_valid_o)
                assert (!result_lanes_o[f_high]);
            // 2. Between the clearing and the result the table holds, once what is in flight is done, the lowest lane of all marks.
            if (state_q == RUN || state_q == DRAIN)
                assert (f_now == f_owner_q);
            // 3. A lane is told to lose only if its entry is owned by a lower lane, or, for a write, is not its own.
            for (f_n = 0; f_n < LANES; f_n = f_n + 1)
                if (judge_q[f_n] && {judge_row_q[judge_slot_q[f_n*SLOT_W+2 +: BANK_W]*ROW_W +: ROW_W],
                                     judge_slot_q[f_n*SLOT_W +: SLOT_W]} == f_entry) begin
                    if (judge_kind_q == CHECK_READ)
                        assert (lose[f_n] == (f_judged[f_n*OWNER_W +: OWNER_W] < f_n[OWNER_W-1:0]));
                    if (judge_kind_q == CHECK_WRITE)
                        assert (lose[f_n] == (f_judged[f_n*OWNER_W +: OWNER_W] != f_n[OWNER_W-1:0]));
                    assert (f_judged[f_n*OWNER_W +: OWNER_W] == f_row[f_entry[SLOT_W-1:0]*OWNER_W +: OWNER_W]);
                end
            // 4. The banks are never read and written in one cycle, and never while they are cleared.
            assert (!(access_o && write_o));
            assert (!((access_o || write_o) && state_q == CLEAR));
            // 5. (for induction) Lanes are in flight only in RUN, or about to be judged in DRAIN; a check in flight that must lose
            //    waits or has lost; the clearing leaves null behind it.
            assert (state_q <= RESULT && f_owner_q <= NOBODY);
            if (state_q != RUN)
                assert (unserved_q == 0);
            if (state_q != RUN && state_q != DRAIN)
                assert (judge_q == 0);
            if (unserved_q != 0)
                assert (kind_q != END);
            if (judge_q != 0)
                assert (judge_kind_q != END);
            if (f_beaten_q)
                assert (!alive_q[f_high] || f_high_waits);
            if (f_mark_q)
                assert (f_owner_q <= {3'd0, f_low});
            if (state_q == CLEAR) begin
                assert (f_owner_q == NOBODY && !f_mark_q && !f_beaten_q);
                if (clear_row_q > f_entry[TABLE_W-1:SLOT_W])
                    assert (f_row[f_entry[SLOT_W-1:0]*OWNER_W +: OWNER_W] == NOBODY);
            end else
                assert (clear_row_q == 0);
            //    What a bank has read for a lane is what its row holds. A check that must lose finds a low enough owner.
            for (f_n = 0; f_n < LANES; f_n = f_n + 1)
                if (judge_q[f_n] && judge_slot_q[f_n*SLOT_W+2 +: BANK_W] == f_bank
                    && judge_row_q[f_bank*ROW_W +: ROW_W] == f_entry[TABLE_W-1:SLOT_W])
                    assert (word[f_bank*WORD_W +: WORD_W] == f_row[f_bank*WORD_W +: WORD_W]);
            if (f_beaten_q && f_high_waits)
                assert (f_read <= {3'd0, f_low});
            // A lane loses by a read, and another survives.
            cover (f_beaten_q && result_valid_o && result_lanes_o != 0);
        end
    end
`endif

    genvar l;
    genvar b;
    genvar y;
    generate
        for (l = 0; l < LANES; l = l + 1) begin : g_lane
            localparam [OWNER_W-1:0] LANE = l;

            wire [31:0]        addr     = op_addr_i[l*32 +: 32] & (32'hffffffff >> (32 - ADDR_W));
            /* verilator lint_off UNUSED */  // quotient bits beyond the table
            wire [63:0]        addr_ext = {32'd0, addr};
            /* verilator lint_on UNUSED */
            wire [TABLE_W-1:0] quotient = addr_ext[2*TABLE_W-1:TABLE_W];
            wire [TABLE_W-1:0] entry    = entry_q[l*TABLE_W +: TABLE_W];
            wire [BANK_W-1:0]  bank     = entry[SLOT_W-1:2];
            wire [SLOT_W-1:0]  slot     = judge_slot_q[l*SLOT_W +: SLOT_W];
            wire [OWNER_W-1:0] owner    = word[slot*OWNER_W +: OWNER_W];

            assign op_entry[l*TABLE_W +: TABLE_W] = addr_ext[TABLE_W-1:0] + quotient + (quotient << 4);

            assign in_group[l] = unserved_q[l] && bank_row[bank*PITCH_W +: ROW_W] == entry[TABLE_W-1:SLOT_W];

            always @(posedge clk_i)
                judge_slot_q[l*SLOT_W +: SLOT_W] <= entry[SLOT_W-1:0];

            wire               lower_owner;

            if (l == 0) begin : g_lowest
                assign lower_owner = 1'b0;
            end else begin : g_other
                assign lower_owner = owner < LANE;
            end

            assign takes[l] = judge_q[l] && judge_kind_q == MARK && owner > LANE;
            assign lose[l]  = judge_q[l] && ((judge_kind_q == CHECK_READ && lower_owner)
                                             || (judge_kind_q == CHECK_WRITE && owner != LANE));
`ifdef FORMAL
            assign f_judged[l*OWNER_W +: OWNER_W] = owner;
`endif
        end

        if (LANES < 32) begin : g_fewer_lanes
            wire unused = &{1'b0, op_addr_i[1023:LANES*32]};
        end

        for (b = 0; b < BANKS; b = b + 1) begin : g_bank
            localparam [BANK_W-1:0] BANK = b;

            reg               used;
            reg  [ROW_W-1:0]  row;
            wire [23:0]       rd_word;
            wire [23:0]       wr_word;
            wire [3:0]        change;
            wire              clear = state_q == CLEAR;
`ifdef FORMAL
            wire [23:0]       f_word;
`endif
            integer           n;

            // The lowest unserved lane of this bank names the row.
            always @* begin
                used = 1'b0;
                row  = {ROW_W{1'b0}};
                for (n = LANES - 1; n >= 0; n = n - 1)
                    if (unserved_q[n] && entry_q[n*TABLE_W+2 +: BANK_W] == BANK) begin
                        used = 1'b1;
                        row  = entry_q[n*TABLE_W+SLOT_W +: ROW_W];
                    end
            end

            always @(posedge clk_i)
                judge_row_q[b*ROW_W +: ROW_W] <= row;

            assign bank_row[b*PITCH_W +: PITCH_W] = {{(PITCH_W-ROW_W){1'b0}}, row};

            // Each entry of the word: the lowest of its owner and the lanes that mark it. This minimum is the atomic operation
            // of shared memory that the paper asks for.
            for (y = 0; y < 4; y = y + 1) begin : g_byte
                localparam [1:0] BYTE = y;

                reg [5:0] lowest;
                reg       lower;
                integer   m;

                always @* begin
                    lowest = rd_word[y*6 +: 6];
                    lower  = 1'b0;
                    for (m = LANES - 1; m >= 0; m = m - 1)
                        if (takes[m] && judge_slot_q[m*SLOT_W +: SLOT_W] == {BANK, BYTE}) begin
                            lowest = m[5:0];
                            lower  = 1'b1;
                        end
                end

                assign wr_word[y*6 +: 6] = lowest;
                assign change[y]         = lower;
                assign word[b*WORD_W + y*OWNER_W +: OWNER_W] = {2'b00, rd_word[y*6 +: 6]};
`ifdef FORMAL
                assign f_row[b*WORD_W + y*OWNER_W +: OWNER_W] = {2'b00, f_word[y*6 +: 6]};
`endif
            end

            assign bank_change[b] = change != 4'd0;

            cw_ram_1r1w #(
                .ADDR_W(ROW_W),
                .DATA_W(4 * 6)
            ) u_ram (
                .clk_i    (clk_i),
                .rd_en_i  (used && !marking),
                .rd_addr_i(row),
                .rd_data_o(rd_word),
                .wr_en_i  (clear || bank_change[b]),
                .wr_addr_i(clear ? clear_row_q : judge_row_q[b*ROW_W +: ROW_W]),
                .wr_data_i(clear ? {4{NOBODY[5:0]}} : wr_word)
`ifdef FORMAL
                , .f_addr_i(f_entry[TABLE_W-1:SLOT_W])
                , .f_data_o(f_word)
`endif
            );
        end

        if (LANES < 2 || LANES > 32) begin : g_bad_lanes
            cw_error_ownership_table_lanes_must_be_2_to_32 u_error ();
        end
        if (ADDR_W < 1 || ADDR_W > 32) begin : g_bad_addr_w
            cw_error_ownership_table_addr_w_must_be_1_to_32 u_error ();
        end
        if (BANK_W < 1 || BANK_W > 5) begin : g_bad_bank_w
            cw_error_ownership_table_bank_w_must_be_1_to_5 u_error ();
        end
        if (ROW_W < 1 || ROW_W > 10) begin : g_bad_row_w
            cw_error_ownership_table_row_w_must_be_1_to_10 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
