// SPDX-License-Identifier: Apache-2.0
//
// cw_writer_table: who writes each word of a memory partition under snapshot isolation.
//
// Why         : two running transactions must not write one word, and whoever reads or writes a word has to know who writes it.
// How         : WAYS ways, each with a hash of its own, and an entry {used, transaction, word} in one of them. What transactions are (nobody's,
//               running, committed) lies in a RAM beside each way. Stages: hash; RAM; compare; state; decide; write. What writes an entry
//               goes through alone, so that nothing is forwarded. The sweep takes the rows one after another along the same way.
// Latency     : QUERY, CLAIM and RELEASE 5 cycles; every operation counts for the next one.
// Throughput  : an operation per cycle; a CLAIM, a RELEASE and a row of the sweep per 5 cycles.
// Comb. paths : none from input to output. No path leads from a RAM to a RAM.
// Storage     : of each way 2^k rows of 1 + ID_W + WORD_W bits, and the state of 2^ID_W transactions, 2 bits each; single-port RAMs.
// Illegal use : CLAIM of a transaction that does not run, RUN of one that still has entries: a word may have two running writers then.
//
// Paper: Chen et al., ISCA 2017 (SI-TM), sections 4.2, 4.3. Contract: include/cowarp/unit/writer_table.h.
// C model: csim/unit/writer_table.c. Datasheet: docs/units/writer_table.md.

`default_nettype none

module cw_writer_table #(
    parameter WORD_W  = 30,   // 1 .. 40
    parameter ID_W    = 10,   // 1 .. 10
    parameter ENTRIES = 500,  // WAYS .. 65536
    parameter WAYS    = 8     // 1 .. 8
) (
    input  wire                 clk_i,
    input  wire                 rst_i,
    // operations
    input  wire                 op_valid_i,
    output wire                 op_ready_o,
    input  wire [2:0]           op_kind_i,
    input  wire [WORD_W-1:0]    op_word_i,
    input  wire [ID_W-1:0]      op_id_i,
    // answers to QUERY, CLAIM and RELEASE, five cycles later
    output wire                 ans_valid_o,
    output wire [1:0]           ans_result_o,
    output wire [ID_W-1:0]      ans_owner_o,
    output wire [WAYS-1:0]      ans_writers_o,
    output wire [127:0]         ans_ids_o,
    // takes out what does not count
    input  wire                 sweep_i,
    output wire                 sweep_busy_o,
    // status
    output wire [16:0]          used_o,
    output wire                 idle_o
);

    // Bits for the numbers 0 .. n-1, 1 at least.
    function integer index_w (input integer n);
        begin
            index_w = 1;
            while ((1 << index_w) < n)
                index_w = index_w + 1;
        end
    endfunction

    localparam [2:0] CLAIM = 3'd1, RELEASE = 3'd2, RUN = 3'd3, COMMIT = 3'd4, FREE = 3'd5, ROW = 3'd7;  // ROW: of the sweep
    localparam [1:0] GRANTED = 2'd0, OWN = 2'd1, OWNED = 2'd2, FULL = 2'd3;
    localparam [1:0] NOBODY = 2'd0, RUNS = 2'd1, COMMITTED = 2'd2;  // a transaction

    localparam ROWS    = (ENTRIES + WAYS - 1) / WAYS;  // of way 0, which has most
    localparam ROW_W   = index_w(ROWS);
    localparam HASHES  = WAYS < 4 ? WAYS : 4;
    localparam COL_W   = ID_W < 4 ? ID_W : 4;          // a row of states has 2^COL_W
    localparam COLS    = 1 << COL_W;
    localparam SROW_W  = ID_W > 4 ? ID_W - 4 : 1;
    localparam SROWS   = ID_W > 4 ? 1 << (ID_W - 4) : 1;
    localparam CLEARS  = ROWS > SROWS ? ROWS : SROWS;  // cycles of the clearing
    localparam CLEAR_W = index_w(CLEARS);
    localparam ENTRY_W = 1 + ID_W + WORD_W;
    localparam [31:0]        LAST_CLEAR_N = CLEARS - 1;
    localparam [31:0]        LAST_ROW_N   = ROWS - 1;
    localparam [CLEAR_W-1:0] LAST_CLEAR   = LAST_CLEAR_N[CLEAR_W-1:0];
    localparam [ROW_W-1:0]   LAST_ROW     = LAST_ROW_N[ROW_W-1:0];
    localparam [CLEAR_W-1:0] CLEAR_ONE    = 1;
    localparam [ROW_W-1:0]   ROW_ONE      = 1;

    // The stages: of step_q, bit 0 the RAMs are read, 1 compare, 2 the states are read or written, 3 decide, 4 write and answer. A register with the
    // number n belongs to what is at bit n - 1.
    reg               clear_q;
    reg [CLEAR_W-1:0] clear_row_q;
    reg [4:0]         step_q;
    reg [3:0]         alone_q;     // by stage: a CLAIM, RELEASE or row
    reg [2:0]         kind1_q;     // op_kind, or ROW
    reg [2:0]         kind2_q;
    reg [2:0]         kind3_q;
    reg [2:0]         kind4_q;
    reg [WORD_W-1:0]  word1_q;
    reg [WORD_W-1:0]  word2_q;
    reg [ID_W-1:0]    id1_q;
    reg [ID_W-1:0]    id2_q;
    reg [ID_W-1:0]    id3_q;
    reg               sweep_q;
    reg [ROW_W-1:0]   sweep_row_q; // next
    reg               last_row_q;  // that is on its way was the last one
    reg               rows_turn_q; // the last was an operation with an answer
    reg [16:0]        used_q;

    wire free     = !clear_q && alone_q == 4'd0;
    wire take     = op_valid_i && op_ready_o;
    wire take_row = free && sweep_q && !take;
    wire looks    = take && op_kind_i < RUN;

    assign op_ready_o = free && !(sweep_q && rows_turn_q);

    // Rows of the ways, for an operation.
    wire [WAYS*16-1:0]    hash;
    wire [WAYS*ROW_W-1:0] row;
    reg  [WAYS*ROW_W-1:0] row_q;

    // What the ways have.
    wire [WAYS*ENTRY_W-1:0]  entry;
    reg  [WAYS-1:0]          used3_q;    // an entry
    reg  [WAYS-1:0]          same3_q;    // and of the word
    reg  [WAYS-1:0]          own3_q;     // and of the transaction
    reg  [WAYS*ID_W-1:0]     ids3_q;
    reg  [WAYS-1:0]          used4_q;
    reg  [WAYS-1:0]          same4_q;
    reg  [WAYS-1:0]          own4_q;
    reg  [WAYS*ID_W-1:0]     ids4_q;
    wire [WAYS*2*COLS-1:0]   state_row;

    // ---- Decide

    reg  [WAYS-1:0]      counts;
    reg  [WAYS-1:0]      owners;
    reg  [WAYS-1:0]      room;       // the lowest place that is empty or does not count
    reg                  room_any;
    reg                  owner_any;
    reg  [ID_W-1:0]      owner;
    reg  [1:0]           state;
    reg  [WAYS-1:0]      writers;
    reg  [127:0]         ids;        // of writers, 16 bits each
    reg  [4:0]           gone;       // entries that a row of the sweep takes out
    integer              w;

    always @* begin
        room_any  = 1'b0;
        owner_any = 1'b0;
        owner     = {ID_W{1'b0}};
        gone      = 5'd0;
        ids       = 128'd0;
        for (w = 0; w < WAYS; w = w + 1) begin
            state       = state_row[(w*COLS + {{(32-COL_W){1'b0}}, ids4_q[w*ID_W +: COL_W]})*2 +: 2];
            counts[w]   = used4_q[w] && state != NOBODY;
            writers[w]  = same4_q[w] && !own4_q[w] && counts[w];
            owners[w]   = writers[w] && state == RUNS;
            room[w]     = !counts[w] && !room_any;
            room_any    = room_any || !counts[w];
            owner       = owner | (ids4_q[w*ID_W +: ID_W] & {ID_W{owners[w] && !owner_any}});
            owner_any   = owner_any || owners[w];
            ids[w*16 +: ID_W] = ids4_q[w*ID_W +: ID_W] & {ID_W{writers[w]}};
            gone        = gone + {4'd0, used4_q[w] && !counts[w]};
        end
    end

    wire            own     = |own4_q;
    wire            claim   = kind4_q == CLAIM;
    wire            gives   = kind4_q == RELEASE;
    wire            is_row  = kind4_q == ROW;
    wire            wants   = claim && !own && !owner_any;
    wire [WAYS-1:0] fill    = wants ? room : {WAYS{1'b0}};
    wire [WAYS-1:0] drop    = is_row ? used4_q & ~counts : gives ? own4_q : {WAYS{1'b0}};
    wire            grows   = |(fill & ~used4_q);
    wire [16:0]     change  = is_row ? ~{12'd0, gone} + 17'd1 : {17{gives && own}} | {16'd0, grows};

    // ---- Write and answer

    reg  [WAYS-1:0]      write_q;
    reg                  fill_q;       // the operation's entry; else an empty one
    reg                  ans_valid_q;
    reg  [1:0]           ans_result_q;
    reg  [ID_W-1:0]      ans_owner_q;
    reg  [WAYS-1:0]      ans_writers_q;
    reg  [127:0]         ans_ids_q;
    wire                 answers = step_q[3] && kind4_q < RUN;

    always @(posedge clk_i) begin
        if (rst_i) begin
            clear_q       <= 1'b1;
            clear_row_q   <= {CLEAR_W{1'b0}};
            step_q        <= 5'd0;
            alone_q       <= 4'd0;
            sweep_q       <= 1'b0;
            rows_turn_q   <= 1'b0;
            used_q        <= 17'd0;
            write_q       <= {WAYS{1'b0}};
            ans_valid_q   <= 1'b0;
            ans_result_q  <= GRANTED;
            ans_owner_q   <= {ID_W{1'b0}};
            ans_writers_q <= {WAYS{1'b0}};
            ans_ids_q     <= 128'd0;
        end else begin
            clear_q     <= clear_q && clear_row_q != LAST_CLEAR;
            clear_row_q <= clear_row_q + CLEAR_ONE;
            step_q      <= {step_q[3:0], take || take_row};
            alone_q     <= {alone_q[2:0], take_row || (take && (op_kind_i == CLAIM || op_kind_i == RELEASE))};
            sweep_q     <= sweep_i || (sweep_q && !(step_q[3] && is_row && last_row_q));
            if (looks || take_row)
                rows_turn_q <= looks;
            if (step_q[3])
                used_q <= used_q + change;
            write_q       <= step_q[3] ? fill | drop : {WAYS{1'b0}};
            ans_valid_q   <= answers;
            ans_result_q  <= !answers ? GRANTED : own ? OWN : !claim ? GRANTED : owner_any ? OWNED : room_any ? GRANTED : FULL;
            ans_owner_q   <= answers && claim && !own ? owner : {ID_W{1'b0}};
            ans_writers_q <= answers ? writers : {WAYS{1'b0}};
            ans_ids_q     <= answers ? ids : 128'd0;
        end
        fill_q <= claim;
        if (take || take_row) begin
            kind1_q <= !take ? ROW : op_kind_i == ROW ? FREE : op_kind_i;
            row_q   <= take ? row : {WAYS{sweep_row_q}};
        end
        if (take) begin
            word1_q <= op_word_i;
            id1_q   <= op_id_i;
        end
        kind2_q <= kind1_q;
        kind3_q <= kind2_q;
        kind4_q <= kind3_q;
        word2_q <= word1_q;
        id2_q   <= id1_q;
        id3_q   <= id2_q;
        used4_q <= used3_q;
        same4_q <= same3_q;
        own4_q  <= own3_q;
        ids4_q  <= ids3_q;
        sweep_row_q <= sweep_i ? {ROW_W{1'b0}} : take_row ? sweep_row_q + ROW_ONE : sweep_row_q;
        last_row_q  <= !sweep_i && (take_row ? sweep_row_q == LAST_ROW : last_row_q);
    end

    assign ans_valid_o   = ans_valid_q;
    assign ans_result_o  = ans_result_q;
    assign ans_owner_o   = ans_owner_q;
    assign ans_writers_o = ans_writers_q;
    assign ans_ids_o     = ans_ids_q;
    assign sweep_busy_o  = sweep_q;
    assign used_o        = used_q;
    assign idle_o        = !clear_q && step_q == 5'd0 && !sweep_q;

`ifdef CW_PROPERTIES
    cw_nonsynth_writer_table #(
        .WORD_W(WORD_W),
        .ID_W  (ID_W),
        .WAYS  (WAYS)
    ) u_properties (
        .clk_i        (clk_i),
        .rst_i        (rst_i),
        .take_i       (take),
        .op_kind_i    (op_kind_i),
        .op_word_i    (op_word_i),
        .op_id_i      (op_id_i),
        .ans_valid_i  (ans_valid_o),
        .ans_result_i (ans_result_o),
        .ans_owner_i  (ans_owner_o),
        .ans_writers_i(ans_writers_o),
        .ans_ids_i    (ans_ids_o),
        .sweep_i      (sweep_i),
        .sweep_busy_i (sweep_busy_o),
        .step_i       (step_q),
        .write_i      (write_q),
        .clear_i      (clear_q)
    );
`endif

    // ---- The ways

    wire                sets      = step_q[2] && kind3_q >= RUN && kind3_q != ROW;  // a state
    wire [1:0]          new_state = kind3_q == RUN ? RUNS : kind3_q == COMMIT ? COMMITTED : NOBODY;
    wire [COLS-1:0]     id_col    = {{(COLS-1){1'b0}}, 1'b1} << id3_q[COL_W-1:0];
    wire [SROW_W-1:0]   id_row;
    wire [SROW_W-1:0]   clear_srow;
    wire [ROW_W-1:0]    clear_row;

    genvar g;

    generate
        if (ID_W > 4) begin : g_id_row
            assign id_row = id3_q[ID_W-1:COL_W];
        end else begin : g_one_row
            assign id_row = 1'b0;
        end
        if (CLEAR_W > SROW_W) begin : g_clear_srow_cut
            assign clear_srow = clear_row_q[SROW_W-1:0];
        end else begin : g_clear_srow
            assign clear_srow = {{(SROW_W-CLEAR_W){1'b0}}, clear_row_q};
        end
        if (CLEAR_W > ROW_W) begin : g_clear_row_cut
            assign clear_row = clear_row_q[ROW_W-1:0];
        end else begin : g_clear_row
            assign clear_row = {{(ROW_W-CLEAR_W){1'b0}}, clear_row_q};
        end

        for (g = 0; g < HASHES; g = g + 1) begin : g_hash
            localparam OUT_W = g + 4 < WAYS ? 32 : 16;
            localparam [31:0] SEED = g == 0 ? 32'h10203040 : g == 1 ? 32'h20304010 : g == 2 ? 32'h30401020 : 32'h40102030;
            wire [OUT_W-1:0] out;

            cw_h3_hash #(
                .KEY_W(WORD_W),
                .OUT_W(OUT_W),
                .SEED (SEED)
            ) u_hash (
                .en_i  (op_valid_i),
                .key_i (op_word_i),
                .hash_o(out)
            );
            assign hash[g*16 +: 16] = out[15:0];
            if (g + 4 < WAYS) begin : g_high
                assign hash[(g+4)*16 +: 16] = out[31:16];
            end
        end

        for (g = 0; g < WAYS; g = g + 1) begin : g_way
            localparam [31:0] WAY_ROWS = (ENTRIES + WAYS - 1 - g) / WAYS;
            /* verilator lint_off UNUSED */  // the bits below the row
            wire [32:0]        scaled = {17'd0, hash[g*16 +: 16]} * {1'b0, WAY_ROWS};
            /* verilator lint_on UNUSED */
            wire [ENTRY_W-1:0] at     = entry[g*ENTRY_W +: ENTRY_W];
            wire               same   = at[ENTRY_W-1] && kind2_q != ROW && at[WORD_W-1:0] == word2_q;
            wire [ID_W-1:0]    id     = at[WORD_W +: ID_W];
            wire [SROW_W-1:0]  way_srow;

            assign row[g*ROW_W +: ROW_W] = scaled[16 +: ROW_W];
            if (ID_W > 4) begin : g_srow
                assign way_srow = ids3_q[g*ID_W+COL_W +: SROW_W];
            end else begin : g_one
                assign way_srow = 1'b0;
            end

            always @(posedge clk_i)
                if (step_q[1]) begin
                    used3_q[g]             <= at[ENTRY_W-1];
                    same3_q[g]             <= same;
                    own3_q[g]              <= same && id == id2_q;
                    ids3_q[g*ID_W +: ID_W] <= id;
                end

            cw_ram_1rw #(
                .ADDR_W(ROW_W),
                .PART_W(ENTRY_W),
                .PARTS (1)
            ) u_entries (
                .clk_i     (clk_i),
                .rd_en_i   (step_q[0] && (kind1_q < RUN || kind1_q == ROW)),
                .wr_en_i   (clear_q || write_q[g]),
                .wr_parts_i(1'b1),
                .addr_i    (clear_q ? clear_row : row_q[g*ROW_W +: ROW_W]),
                .wr_data_i (clear_q || !fill_q ? {ENTRY_W{1'b0}} : {1'b1, id1_q, word1_q}),
                .rd_data_o (entry[g*ENTRY_W +: ENTRY_W])
`ifdef CW_PROPERTIES
                , .f_addr_i({ROW_W{1'b0}})
                , .f_data_o()
`endif
            );

            cw_ram_1rw #(
                .ADDR_W(SROW_W),
                .PART_W(2),
                .PARTS (COLS)
            ) u_states (
                .clk_i     (clk_i),
                .rd_en_i   (step_q[2] && !sets),
                .wr_en_i   (clear_q || sets),
                .wr_parts_i(clear_q ? {COLS{1'b1}} : id_col),
                .addr_i    (clear_q ? clear_srow : sets ? id_row : way_srow),
                .wr_data_i (clear_q ? {COLS{NOBODY}} : {COLS{new_state}}),
                .rd_data_o (state_row[g*2*COLS +: 2*COLS])
`ifdef CW_PROPERTIES
                , .f_addr_i({SROW_W{1'b0}})
                , .f_data_o()
`endif
            );
        end

        if (WORD_W < 1 || WORD_W > 40) begin : g_bad_word_w
            cw_error_writer_table_word_w_must_be_1_to_40 u_error ();
        end
        if (ID_W < 1 || ID_W > 10) begin : g_bad_id_w
            cw_error_writer_table_id_w_must_be_1_to_10 u_error ();
        end
        if (ENTRIES < 1 || ENTRIES > 65536) begin : g_bad_entries
            cw_error_writer_table_entries_must_be_1_to_65536 u_error ();
        end
        if (ENTRIES < WAYS) begin : g_fewer_than_ways
            cw_error_writer_table_entries_must_not_be_below_ways u_error ();
        end
        if (WAYS < 1 || WAYS > 8) begin : g_bad_ways
            cw_error_writer_table_ways_must_be_1_to_8 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
