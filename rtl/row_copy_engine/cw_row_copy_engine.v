// SPDX-License-Identifier: Apache-2.0
//
// cw_row_copy_engine: makes the copy that a new version of memory begins as, row by row in the DRAM.
//
// Why         : a version has megabytes. RowClone copies a row of 2 KB in 68 ns without the data bus, if somebody tells each bank which row to
//               copy to which, after the L2 has given up what it has of both.
// How         : a mask of regions is worked off, lowest first; each is read from a RAM, and its rows are walked by four counters: row, rows that
//               are left, bank, step within the row of a bank. A counter of what is out says when all is done.
// Latency     : three cycles from a start, or from the last command of a region, to the first command of the next one.
// Throughput  : one command per cycle.
// Comb. paths : none from input to output. Longest path: RAM -> slot * stride -> row.
// Storage     : regions in one RAM of 32 rows of 3 ROW_W + STRIDE_W + 7 bits; a bit per region and per bank in flip-flops.
// Illegal use : none.
//
// Paper: Chen et al., ISCA 2017 (SI-TM), sections 3 and 5. Contract: include/cowarp/unit/row_copy_engine.h.
// C model: csim/unit/row_copy_engine.c. Datasheet: docs/units/row_copy_engine.md.

`default_nettype none

module cw_row_copy_engine #(
    parameter ROW_W    = 20,  // 2 .. 30
    parameter STRIDE_W = 12,  // 1 .. 16, at most ROW_W
    parameter BANKS    = 16,  // 1 .. 64
    parameter LINES    = 16,  // 1 .. 64
    parameter REGIONS  = 32,  // 1 .. 64
    parameter OUT_W    = 10   // 2 .. 16
) (
    input  wire                clk_i,
    input  wire                rst_i,
    // a job
    input  wire                start_valid_i,
    output wire                start_ready_o,
    input  wire [3:0]          start_from_i,
    input  wire [3:0]          start_to_i,
    input  wire [REGIONS-1:0]  start_regions_i,
    output wire                done_o,
    // commands
    output wire                cmd_valid_o,
    input  wire                cmd_ready_i,
    output wire [1:0]          cmd_kind_o,
    output wire [ROW_W-1:0]    cmd_row_o,
    output wire [ROW_W-1:0]    cmd_from_o,
    output wire [ROW_W-1:0]    cmd_to_o,
    output wire [5:0]          cmd_bank_o,
    output wire [5:0]          cmd_line_o,
    // what is done
    input  wire                ret_valid_i,
    input  wire                ret_copy_i,
    input  wire [5:0]          ret_bank_i,
    // regions
    input  wire                set_valid_i,
    input  wire [5:0]          set_index_i,
    input  wire [ROW_W-1:0]    set_first_i,
    input  wire [ROW_W-1:0]    set_rows_i,
    input  wire [6:0]          set_tail_i,
    input  wire [ROW_W-1:0]    set_shift_i,
    input  wire [STRIDE_W-1:0] set_stride_i,
    // status
    output wire                idle_o
);

    localparam [2:0] ST_IDLE = 3'd0, ST_CHOOSE = 3'd1, ST_READ = 3'd2, ST_WALK = 3'd3, ST_WAIT = 3'd4;
    localparam [1:0] CLEAN = 2'd0, DROP = 2'd1, COPY = 2'd2;

    localparam ADDR_W   = REGIONS > 32 ? 6 : REGIONS > 16 ? 5 : REGIONS > 8 ? 4 : REGIONS > 4 ? 3 : REGIONS > 2 ? 2 : 1;
    localparam REGION_W = 3*ROW_W + STRIDE_W + 7;
    localparam WIDE_W   = ROW_W + 4 + STRIDE_W;
    localparam [31:0]        BANKS_P   = BANKS;
    localparam [31:0]        LINES_P   = LINES;
    localparam [31:0]        REGIONS_P = REGIONS;
    localparam [6:0]         ALL       = BANKS_P[6:0];
    localparam [7:0]         COPY_STEP = {LINES_P[6:0], 1'b0};
    localparam [REGIONS-1:0] ONE_R     = 1;
    localparam [BANKS-1:0]   ONE_B     = 1;
    localparam [ROW_W-1:0]   ONE_ROW   = 1;
    localparam [OUT_W-1:0]   OUT_0     = {OUT_W{1'b0}};

    reg  [2:0]         state_q;

    // The job, and the region that is chosen.
    reg  [3:0]         from_slot_q;
    reg  [3:0]         to_slot_q;
    reg  [REGIONS-1:0] mask_q;
    reg  [REGIONS-1:0] set_q;      // regions that have been set
    wire [REGIONS-1:0] chosen_oh = mask_q & (~mask_q + ONE_R);
    reg  [5:0]         chosen;
    reg                known_q;    // the chosen one has been set
    integer            i;

    always @* begin
        chosen = 6'd0;
        for (i = 0; i < REGIONS; i = i + 1)
            chosen = chosen | ({6{chosen_oh[i]}} & i[5:0]);
    end

    wire               set    = set_valid_i && {1'b0, set_index_i} < REGIONS_P[6:0];
    wire [REGIONS-1:0] set_oh = set ? ONE_R << set_index_i : {REGIONS{1'b0}};

    // Its entry, in READ.
    wire [ROW_W-1:0]    first;
    wire [ROW_W-1:0]    rows;
    wire [6:0]          tail;
    wire [ROW_W-1:0]    shift;
    wire [STRIDE_W-1:0] stride;
    /* verilator lint_off UNUSED */
    wire [WIDE_W-1:0]   from_offset = {{(ROW_W+STRIDE_W){1'b0}}, from_slot_q} * {{(ROW_W+4){1'b0}}, stride};
    wire [WIDE_W-1:0]   to_offset   = {{(ROW_W+STRIDE_W){1'b0}}, to_slot_q} * {{(ROW_W+4){1'b0}}, stride};
    /* verilator lint_on UNUSED */
    wire [ROW_W-1:0]    base        = first + shift;
    wire                none        = !known_q || rows == {ROW_W{1'b0}};

    // Where the walk is.
    reg  [ROW_W-1:0]   row_q;
    reg  [ROW_W-1:0]   from_q;
    reg  [ROW_W-1:0]   to_q;
    reg  [ROW_W-1:0]   rows_q;     // left, this one included
    reg  [6:0]         tail_q;     // banks of the last row
    reg  [5:0]         bank_q;
    reg  [7:0]         step_q;     // the last is the copy
    wire               is_copy   = step_q == COPY_STEP;
    wire               last_row  = rows_q == ONE_ROW;
    wire               last_bank = {1'b0, bank_q} + 7'd1 == (last_row ? tail_q : ALL);

    // What is out.
    reg  [OUT_W-1:0]   out_q;
    reg  [BANKS-1:0]   copying_q;  // by bank
    wire [BANKS-1:0]   bank_oh   = ONE_B << bank_q;
    wire               returns   = ret_valid_i && out_q != OUT_0;
    wire [BANKS-1:0]   back_oh   = returns && ret_copy_i ? ONE_B << ret_bank_i : {BANKS{1'b0}};
    wire               offer     = state_q == ST_WALK && !(&out_q) && !(is_copy && |(copying_q & bank_oh));
    wire               taken     = offer && cmd_ready_i;
    wire               done      = state_q == ST_WAIT && out_q == OUT_0;
    wire               start     = state_q == ST_IDLE && start_valid_i;

    always @(posedge clk_i) begin
        if (rst_i) begin
            state_q   <= ST_IDLE;
            set_q     <= {REGIONS{1'b0}};
            out_q     <= OUT_0;
            copying_q <= {BANKS{1'b0}};
            bank_q    <= 6'd0;
            step_q    <= 8'd0;
        end else begin
            case (state_q)
                ST_IDLE:   state_q <= start_valid_i ? ST_CHOOSE : ST_IDLE;
                ST_CHOOSE: state_q <= |mask_q ? ST_READ : ST_WAIT;
                ST_READ:   state_q <= none ? ST_CHOOSE : ST_WALK;
                ST_WALK:   state_q <= taken && is_copy && last_bank && last_row ? ST_CHOOSE : ST_WALK;
                default:   state_q <= done ? ST_IDLE : ST_WAIT;
            endcase
            set_q     <= set_q | set_oh;
            out_q     <= out_q + {{(OUT_W-1){1'b0}}, taken && !returns} - {{(OUT_W-1){1'b0}}, returns && !taken};
            copying_q <= (copying_q & ~back_oh) | (taken && is_copy ? bank_oh : {BANKS{1'b0}});
            bank_q    <= state_q == ST_READ || (taken && is_copy && last_bank) ? 6'd0 : taken && is_copy ? bank_q + 6'd1 : bank_q;
            step_q    <= state_q == ST_READ || (taken && is_copy) ? 8'd0 : taken ? step_q + 8'd1 : step_q;
        end
        if (start) begin
            from_slot_q <= start_from_i;
            to_slot_q   <= start_to_i;
            mask_q      <= start_regions_i;
        end else if (state_q == ST_CHOOSE) begin
            mask_q      <= mask_q & ~chosen_oh;
        end
        known_q <= |(chosen_oh & (set_q | set_oh));
        if (state_q == ST_READ) begin
            row_q  <= first;
            from_q <= base + from_offset[ROW_W-1:0];
            to_q   <= base + to_offset[ROW_W-1:0];
            rows_q <= rows;
            tail_q <= tail == 7'd0 || tail > ALL ? ALL : tail;
        end else if (taken && is_copy && last_bank) begin
            row_q  <= row_q + ONE_ROW;
            from_q <= from_q + ONE_ROW;
            to_q   <= to_q + ONE_ROW;
            rows_q <= rows_q - ONE_ROW;
        end
    end

    assign start_ready_o = state_q == ST_IDLE;
    assign done_o        = done;
    assign cmd_valid_o   = offer;
    assign cmd_kind_o    = !offer ? CLEAN : is_copy ? COPY : step_q[0] ? DROP : CLEAN;
    assign cmd_row_o     = offer ? row_q : {ROW_W{1'b0}};
    assign cmd_from_o    = offer ? from_q : {ROW_W{1'b0}};
    assign cmd_to_o      = offer ? to_q : {ROW_W{1'b0}};
    assign cmd_bank_o    = offer ? bank_q : 6'd0;
    assign cmd_line_o    = offer && !is_copy ? step_q[6:1] : 6'd0;
    assign idle_o        = state_q == ST_IDLE || (state_q == ST_WAIT && !done);

`ifdef CW_PROPERTIES
    // A bank, a region and one of its rows, chosen by the solver: whether its copy is wanted, and whether it has been asked for.
    (* anyconst *) reg [5:0]       f_any_bank;
    (* anyconst *) reg [5:0]       f_any_region;
    (* anyconst *) reg [ROW_W-1:0] f_row;      // counted from the region's first
    reg                f_past_q = 1'b0;
    wire [REGION_W-1:0] f_entry;
    wire [5:0]         f_bank   = f_any_bank < BANKS ? f_any_bank : 6'd0;
    wire [5:0]         f_region = f_any_region < REGIONS ? f_any_region : 6'd0;
    wire               f_chosen = state_q == ST_CHOOSE && chosen_oh[f_region];
    reg                f_is_q;        // the region is the one that is read or walked
    reg                f_wanted_q;    // the job has the region, and it has not been read
    reg                f_pending_q;   // it has been read, and has the row; no COPY of it has been taken
    reg  [ROW_W-1:0]   f_first_q;     // of the region when it was read
    reg  [ROW_W-1:0]   f_rows_q;
    wire               f_copy   = taken && cmd_kind_o == COPY;
    wire               f_this   = f_copy && f_is_q && cmd_row_o == f_first_q + f_row && cmd_bank_o == f_bank;
    wire [6:0]         f_tail   = tail == 7'd0 || tail > ALL ? ALL : tail;
    wire               f_has    = !none && f_row < rows && {1'b0, f_bank} < (f_row + ONE_ROW == rows ? f_tail : ALL);
    wire [ROW_W-1:0]   f_at     = f_rows_q - rows_q;  // rows of the region that are behind
    reg  [15:0]        f_out_q;       // commands taken less those that are back
    wire               f_back   = ret_valid_i && f_out_q != 16'd0;
    reg                f_busy_q;      // the bank's copy is out
    reg  [7:0]         f_steps_q;     // commands since the last COPY or the beginning of the region
    reg                f_offered_q;
    reg  [3*ROW_W+13:0] f_offer_q;
    reg                f_worked_q;    // a COPY of the job has been taken
    reg                f_known_q;     // the region has been set, to f_set_q
    reg  [REGION_W-1:0] f_set_q;
    wire [REGION_W-1:0] f_sets  = {set_first_i, set_rows_i, set_tail_i, set_shift_i, set_stride_i};
    wire               f_here   = set_valid_i && set_index_i == f_region;
    reg                f_late_q;      // it was set in the cycle in which it was chosen
    reg  [ROW_W-1:0]   f_shift_q;     // of the region when it was read
    reg  [STRIDE_W-1:0] f_stride_q;
    /* verilator lint_off UNUSED */
    wire [WIDE_W-1:0]  f_from   = from_slot_q * f_stride_q;
    wire [WIDE_W-1:0]  f_to     = to_slot_q * f_stride_q;
    /* verilator lint_on UNUSED */
    wire [3*ROW_W+13:0] f_offer = {cmd_kind_o, cmd_row_o, cmd_from_o, cmd_to_o, cmd_bank_o, cmd_line_o};

    always @(posedge clk_i) begin
        f_past_q    <= 1'b1;
        f_offered_q <= !rst_i && cmd_valid_o && !cmd_ready_i;
        f_offer_q   <= f_offer;
        if (rst_i) begin
            f_is_q      <= 1'b0;
            f_wanted_q  <= 1'b0;
            f_pending_q <= 1'b0;
            f_out_q     <= 16'd0;
            f_busy_q    <= 1'b0;
            f_worked_q  <= 1'b0;
            f_known_q   <= 1'b0;
        end else begin
            f_known_q <= f_known_q || f_here;
            if (start_valid_i && start_ready_o)
                f_wanted_q <= start_regions_i[f_region];
            else if (state_q == ST_READ && f_is_q)
                f_wanted_q <= 1'b0;
            if (state_q == ST_CHOOSE)
                f_is_q <= f_chosen;
            if (state_q == ST_READ && f_is_q) begin
                f_pending_q <= f_has;
                f_first_q   <= first;
                f_rows_q    <= rows;
                f_shift_q   <= shift;
                f_stride_q  <= stride;
            end else if (f_this) begin
                f_pending_q <= 1'b0;
            end
            f_out_q    <= f_out_q + {15'd0, taken} - {15'd0, f_back};
            f_busy_q   <= (f_copy && cmd_bank_o == f_bank) || (f_busy_q && !(f_back && ret_copy_i && ret_bank_i == f_bank));
            f_worked_q <= f_copy || (f_worked_q && !start_valid_i);
        end
        f_late_q <= f_chosen && f_here;
        if (f_here)
            f_set_q <= f_sets;
        if (state_q == ST_READ)
            f_steps_q <= 8'd0;
        else if (taken)
            f_steps_q <= cmd_kind_o == COPY ? 8'd0 : f_steps_q + 8'd1;
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. A command stays on offer, unchanged, until it is taken.
            assert (!f_offered_q || (cmd_valid_o && f_offer == f_offer_q));
            cover (f_offered_q && cmd_valid_o && cmd_ready_i && cmd_kind_o == COPY);
            // 2. A bank has one copy at a time.
            assert (copying_q[f_bank] == f_busy_q);
            assert (!(cmd_valid_o && cmd_kind_o == COPY && cmd_bank_o == f_bank && f_busy_q));
            cover (state_q == ST_WALK && is_copy && bank_q == f_bank && f_busy_q && !cmd_valid_o);
            // 3. A row is copied after all its lines have been cleaned in the source and dropped in the target.
            if (state_q == ST_WALK) begin
                assert (step_q == f_steps_q && step_q <= COPY_STEP);
                assert (!(cmd_valid_o && cmd_kind_o == COPY) || f_steps_q == COPY_STEP);
                assert (!(cmd_valid_o && cmd_kind_o != COPY) || (cmd_line_o == f_steps_q[6:1] && (cmd_kind_o == DROP) == f_steps_q[0]));
            end
            cover (cmd_valid_o && cmd_kind_o == COPY && f_steps_q == COPY_STEP && cmd_bank_o != 6'd0);
            // 4. What is out is what has been taken and is not back, and no more than the counter can hold.
            assert ({{(16-OUT_W){1'b0}}, out_q} == f_out_q);
            assert (!(cmd_valid_o && (&out_q)));
            cover (state_q == ST_WALK && (&out_q));
            // 5. A version is ready only after every row of the job has been copied, and the copies are back.
            if (f_wanted_q)
                assert ((mask_q[f_region] && (state_q == ST_CHOOSE || state_q == ST_READ || state_q == ST_WALK))
                        || (state_q == ST_READ && f_is_q));
            if (state_q == ST_WALK && f_is_q)
                assert (row_q == f_first_q + f_at && rows_q != {ROW_W{1'b0}} && rows_q <= f_rows_q && tail_q != 7'd0 && tail_q <= ALL
                        && {1'b0, bank_q} < (last_row ? tail_q : ALL));
            if (f_pending_q) begin
                assert (state_q == ST_WALK && f_is_q);
                assert (f_row < f_rows_q && {1'b0, f_bank} < (f_row + ONE_ROW == f_rows_q ? tail_q : ALL));
                assert (f_row > f_at || (f_row == f_at && f_bank >= bank_q));
            end
            assert (!done_o || (!f_wanted_q && !f_pending_q && f_out_q == 16'd0));
            cover (done_o && f_worked_q);
            // 6. The engine is in one of five states, and takes a job only when there is none.
            assert (state_q <= ST_WAIT);
            assert (start_ready_o == (state_q == ST_IDLE) && (state_q != ST_IDLE || f_out_q == 16'd0));
            cover (start_ready_o && f_worked_q);
            // 7. A region that is read is as it was set last, in the cycle of its choice too; one that never was has no row.
            assert (set_q[f_region] == f_known_q);
            assert (!f_known_q || f_entry == f_set_q);
            if (state_q == ST_READ && f_is_q) begin
                assert (known_q == f_known_q);
                assert (!known_q || {first, rows, tail, shift, stride} == f_set_q);
            end
            cover (state_q == ST_READ && f_is_q && f_late_q && !none);
            // 8. A row's copy in a slot is the row, plus the region's shift, plus the slot times the stride.
            if (state_q == ST_WALK && f_is_q) begin
                assert (from_q == row_q + f_shift_q + f_from[ROW_W-1:0]);
                assert (to_q == row_q + f_shift_q + f_to[ROW_W-1:0]);
            end
            cover (f_copy && f_is_q && from_slot_q != to_slot_q && f_stride_q != {STRIDE_W{1'b0}} && row_q != f_first_q);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

    cw_ram_1r1w_fwd #(
        .ADDR_W(ADDR_W),
        .DATA_W(REGION_W)
    ) u_regions (
        .clk_i    (clk_i),
        .rd_en_i  (state_q == ST_CHOOSE),
        .rd_addr_i(chosen[ADDR_W-1:0]),
        .rd_data_o({first, rows, tail, shift, stride}),
        .wr_en_i  (set),
        .wr_addr_i(set_index_i[ADDR_W-1:0]),
        .wr_data_i({set_first_i, set_rows_i, set_tail_i, set_shift_i, set_stride_i})
`ifdef CW_PROPERTIES
        , .f_addr_i(f_region[ADDR_W-1:0])
        , .f_data_o(f_entry)
`endif
    );

    generate
        if (ROW_W < 2 || ROW_W > 30) begin : g_bad_row_w
            cw_error_row_copy_engine_row_w_must_be_2_to_30 u_error ();
        end
        if (STRIDE_W < 1 || STRIDE_W > 16 || STRIDE_W > ROW_W) begin : g_bad_stride_w
            cw_error_row_copy_engine_stride_w_must_be_1_to_16_and_at_most_row_w u_error ();
        end
        if (BANKS < 1 || BANKS > 64) begin : g_bad_banks
            cw_error_row_copy_engine_banks_must_be_1_to_64 u_error ();
        end
        if (LINES < 1 || LINES > 64) begin : g_bad_lines
            cw_error_row_copy_engine_lines_must_be_1_to_64 u_error ();
        end
        if (REGIONS < 1 || REGIONS > 64) begin : g_bad_regions
            cw_error_row_copy_engine_regions_must_be_1_to_64 u_error ();
        end
        if (OUT_W < 2 || OUT_W > 16) begin : g_bad_out_w
            cw_error_row_copy_engine_out_w_must_be_2_to_16 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
