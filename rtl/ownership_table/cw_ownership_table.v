// SPDX-License-Identifier: Apache-2.0
//
// cw_ownership_table: which lanes of a warp may commit together.
//
// Why         : the transactions of one warp commit as one under WarpTM and GETM, so conflicts among its own lanes must
//               be found first. To compare all pairs of lanes' logs would take too long.
// How         : two passes over the lanes' logs. MARK enters each write: an entry of the table keeps the lowest lane
//               that writes its region. CHECK then looks each access up: a lane that finds a lower lane, or for its own
//               write another one, has lost. Lanes with one entry are found first and ask the bank together, through
//               the lowest of them. So a bank is asked by each entry once, its lowest asker is the lowest lane of the
//               entry, and no bank has to find the minimum of its lanes. cw_ownership_bank is a bank.
// Stages      : compare lanes, sort by banks, choose, read, take the entry, judge; a MARK writes in the cycle after
//               that.
// Latency     : clearing takes 2^ROW_W cycles. From an operation to its access 4 cycles, to alive_o or the write 7;
//               from END to the result 7.
// Throughput  : one CHECK per cycle without bank conflict; a MARK takes two cycles. An entry more in a bank costs a
//               CHECK one cycle, and one more in all; a MARK two cycles.
// Comb. paths : none from input to output. Outputs are registers. Nothing leads from a RAM to a RAM, or past a register
//               behind it.
// Storage     : 2^BANK_W RAMs of 2^ROW_W rows x 24 bits with one port.
// Illegal use : none. A valid without ready is ignored.
//
// Paper: Fung 2015, section 6.3.3, Figure 6.6. Contract: include/cowarp/unit/ownership_table.h. C model:
// csim/unit/ownership_table.c. Datasheet: docs/units/ownership_table.md.

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

    // Lanes' entries are kept in columns: bit k of all lanes, lane 0 lowest, then bit k+1 of all lanes. So what each
    // lane does is one operation on a column.
    localparam COLUMNS_W = LANES * TABLE_W;
    localparam BANK_AT   = LANES * 2;       // first column of the banks; before it the bytes

    localparam [1:0] MARK        = 2'd0;
    localparam [1:0] CHECK_READ  = 2'd1;
    localparam [1:0] CHECK_WRITE = 2'd2;
    localparam [1:0] END         = 2'd3;

    // Of a resolution, one bit each: nobody resolves; entries become null; operations are taken; END is on its way;
    // result_valid_o.
    reg                      idle_q;
    reg                      clear_q;
    reg                      run_q;
    reg                      drain_q;
    reg                      result_q;
    reg  [ROW_W-1:0]         clear_row_q;
    reg  [LANES-1:0]         alive_q;
    reg  [LANES-1:0]         result_lanes_q;

    // Queue of two. The lanes of its head are compared.
    reg                      ready_q;       // takes an operation
    reg                      head_valid_q;
    reg  [1:0]               head_kind_q;
    reg  [LANES-1:0]         head_lanes_q;
    reg  [COLUMNS_W-1:0]     head_entry_q;
    reg                      next_valid_q;
    reg  [1:0]               next_kind_q;
    reg  [LANES-1:0]         next_lanes_q;
    reg  [COLUMNS_W-1:0]     next_entry_q;
    wire [COLUMNS_W-1:0]     op_entry;

    // Sorted by banks.
    reg                      sort_valid_q;
    reg  [1:0]               sort_kind_q;
    reg  [LANES-1:0]         sort_lanes_q;
    reg  [COLUMNS_W-1:0]     sort_entry_q;
    reg  [LANES*LANES-1:0]   sort_same_q;    // at l * LANES + m, m < l: lanes l and m have the same entry
    reg  [LANES-1:0]         sort_crowded_q; // a lower lane has another entry in this lane's bank
    wire [LANES-1:0]         leader;        // lowest lane of its entry

    // Served: groups are chosen.
    reg                      serve_valid_q;
    reg  [1:0]               serve_kind_q;
    reg                      serve_crowded_q;  // one group is not enough
    reg                      serve_odd_q;      // a MARK's cycle that does not choose
    reg  [LANES-1:0]         serve_lanes_q;
    reg  [COLUMNS_W-1:0]     serve_entry_q;
    reg  [LANES*LANES-1:0]   serve_same_q;
    reg  [LANES-1:0]         wait_q;           // leaders that have not been chosen
    wire [BANKS*LANES-1:0]   pick_oh;          // of each bank the lowest

    // Read: what the banks have been told.
    reg                      read_valid_q;
    reg                      read_mark_q;
    reg                      read_check_q;
    reg                      read_check_read_q;
    reg                      read_end_q;
    reg                      read_crowded_q;
    reg  [LANES-1:0]         read_picked_q;    // leaders that were chosen
    reg  [LANES-1:0]         read_lanes_q;
    reg  [LANES*BANK_W-1:0]  read_bank_q;
    wire [LANES-1:0]         member;           // lanes of the group

    // Take the entry from the bank's word.
    reg                      take_mark_q;
    reg                      take_check_q;
    reg                      take_check_read_q;
    reg                      take_end_q;
    reg  [LANES-1:0]         take_lanes_q;     // of a CHECK
    reg  [LANES*BANK_W-1:0]  take_bank_q;

    // Judge.
    reg                      judge_mark_q;
    reg                      judge_check_q;
    reg                      judge_check_read_q;
    reg                      judge_end_q;
    reg  [LANES-1:0]         judge_lanes_q;
    reg  [LANES*BANK_W-1:0]  judge_bank_q;
    wire [BANKS-1:0]         change;           // a MARK lowers the bank's entry
    wire [BANKS*LANES-1:0]   loses;            // lanes of the bank that its entry makes lose
    reg  [LANES-1:0]         lose;

    reg                      access_q;
    reg                      write_q;

    wire start  = start_valid_i && idle_q;
    wire op     = op_valid_i && ready_q;
    wire op_end = op && op_kind_i == END;

    assign start_ready_o  = idle_q;
    assign op_ready_o     = ready_q;
    assign result_valid_o = result_q;
    assign result_lanes_o = result_lanes_q;
    assign alive_o        = alive_q;
    assign access_o       = access_q;
    assign write_o        = write_q;

    // ---- The resolution's state.

    wire cleared = clear_q && &clear_row_q;

    always @(posedge clk_i)
        if (rst_i) begin
            idle_q         <= 1'b1;
            clear_q        <= 1'b0;
            run_q          <= 1'b0;
            drain_q        <= 1'b0;
            result_q       <= 1'b0;
            clear_row_q    <= {ROW_W{1'b0}};
            alive_q        <= {LANES{1'b0}};
            result_lanes_q <= {LANES{1'b0}};
        end else begin
            idle_q         <= (idle_q && !start_valid_i) || (result_q && result_ready_i);
            clear_q        <= start || (clear_q && !cleared);
            run_q          <= cleared || (run_q && !op_end);
            drain_q        <= op_end || (drain_q && !judge_end_q);
            result_q       <= judge_end_q || (result_q && !result_ready_i);
            result_lanes_q <= judge_end_q ? alive_q : result_ready_i ? {LANES{1'b0}} : result_lanes_q;
            alive_q        <= start ? start_lanes_i : alive_q & ~lose;
            if (clear_q)
                clear_row_q <= clear_row_q + 1'b1;
        end

    // ---- Queue, sorting and service hold one operation each, and move together when they can.

    // A group of a MARK that was chosen three cycles ago is being judged. It may write in the next cycle, and no bank
    // may read then.
    wire serve_check = serve_kind_q == CHECK_READ || serve_kind_q == CHECK_WRITE;
    wire choose      = serve_valid_q && !judge_mark_q && (serve_check || (serve_kind_q == MARK && !serve_odd_q));
    wire all_chosen  = wait_q == {LANES{1'b0}};
    wire served      = serve_kind_q == END || (serve_check && !judge_mark_q && (!serve_crowded_q || all_chosen))
                       || (serve_odd_q && all_chosen);
    wire serve_free  = !serve_valid_q || served;
    wire sort_free   = !sort_valid_q || serve_free;
    wire pop         = head_valid_q && sort_free;
    wire next_valid  = !pop && (next_valid_q || (op && head_valid_q));

    always @(posedge clk_i)
        if (rst_i) begin
            ready_q       <= 1'b0;
            head_valid_q  <= 1'b0;
            next_valid_q  <= 1'b0;
            sort_valid_q  <= 1'b0;
            serve_valid_q <= 1'b0;
            serve_odd_q   <= 1'b0;
            wait_q        <= {LANES{1'b0}};
        end else begin
            ready_q      <= (cleared || (run_q && !op_end)) && !next_valid;
            head_valid_q <= pop ? next_valid_q || op : head_valid_q || op;
            next_valid_q <= next_valid;
            if (sort_free)
                sort_valid_q <= head_valid_q;
            if (serve_free)
                serve_valid_q <= sort_valid_q;
            serve_odd_q  <= choose && serve_kind_q == MARK;
            if (serve_free)
                wait_q <= sort_valid_q ? leader : {LANES{1'b0}};
            else if (choose)
                wait_q <= wait_q & ~picked;
        end

    always @(posedge clk_i) begin
        if (!next_valid_q) begin
            next_kind_q  <= op_kind_i;
            next_lanes_q <= op_kind_i == END ? {LANES{1'b0}} : op_lanes_i & alive_q;
            next_entry_q <= op_entry;
        end
        if (pop || !head_valid_q) begin
            head_kind_q  <= next_valid_q ? next_kind_q : op_kind_i;
            head_lanes_q <= next_valid_q ? next_lanes_q : op_kind_i == END ? {LANES{1'b0}} : op_lanes_i & alive_q;
            head_entry_q <= next_valid_q ? next_entry_q : op_entry;
        end
        if (pop) begin
            sort_kind_q    <= head_kind_q;
            sort_lanes_q   <= head_lanes_q;
            sort_entry_q   <= head_entry_q;
        end
        if (serve_free && sort_valid_q) begin
            serve_kind_q    <= sort_kind_q;
            serve_lanes_q   <= sort_lanes_q;
            serve_entry_q   <= sort_entry_q;
            serve_same_q    <= sort_same_q;
            serve_crowded_q <= |sort_crowded_q;
        end
    end

    // ---- The group on its way through the banks.

    reg [LANES-1:0] picked;  // of all banks

    always @* begin : of_all_banks
        integer i;

        picked = {LANES{1'b0}};
        if (choose)
            for (i = 0; i < BANKS; i = i + 1)
                picked = picked | pick_oh[i*LANES +: LANES];
    end

    always @* begin : losers
        integer i;

        lose = {LANES{1'b0}};
        if (judge_check_q)
            for (i = 0; i < BANKS; i = i + 1)
                lose = lose | loses[i*LANES +: LANES];
    end

    always @(posedge clk_i)
        if (rst_i) begin
            read_valid_q  <= 1'b0;
            read_mark_q   <= 1'b0;
            read_check_q  <= 1'b0;
            read_end_q    <= 1'b0;
            take_mark_q   <= 1'b0;
            take_end_q    <= 1'b0;
            take_check_q  <= 1'b0;
            take_lanes_q  <= {LANES{1'b0}};
            judge_mark_q  <= 1'b0;
            judge_end_q   <= 1'b0;
            judge_check_q <= 1'b0;
            judge_lanes_q <= {LANES{1'b0}};
            access_q      <= 1'b0;
            write_q       <= 1'b0;
        end else begin
            read_valid_q  <= choose;
            read_mark_q   <= choose && serve_kind_q == MARK;
            read_check_q  <= choose && serve_check;
            read_end_q    <= serve_valid_q && serve_kind_q == END;
            take_mark_q   <= read_mark_q;
            take_end_q    <= read_end_q;
            take_check_q  <= read_check_q;
            take_lanes_q  <= read_check_q ? member : {LANES{1'b0}};
            judge_mark_q  <= take_mark_q;
            judge_end_q   <= take_end_q;
            judge_check_q <= take_check_q;
            judge_lanes_q <= take_lanes_q;
            access_q      <= choose && !all_chosen;
            write_q       <= |change;
        end

    always @(posedge clk_i) begin
        read_check_read_q  <= serve_kind_q == CHECK_READ;
        read_crowded_q     <= serve_crowded_q;
        read_picked_q      <= picked;
        read_lanes_q       <= serve_lanes_q;
        read_bank_q        <= serve_entry_q[BANK_AT +: LANES*BANK_W];
        take_check_read_q  <= read_check_read_q;
        take_bank_q        <= read_bank_q;
        judge_check_read_q <= take_check_read_q;
        judge_bank_q       <= take_bank_q;
    end

`ifdef CW_PROPERTIES
    localparam OWNER_W = 6;

    wire [TABLE_W-1:0]       f_entry;
    wire [BANKS*OWNER_W-1:0] f_row;
    wire [BANKS-1:0]         f_read_here;
    wire [BANKS-1:0]         f_mark_here;
    wire [BANKS*5-1:0]       f_read_lane;
    wire [BANKS*5-1:0]       f_mark_lane;
    wire [BANKS-1:0]         f_writes;

    cw_nonsynth_ownership_table #(
        .LANES    (LANES),
        .BANKS    (BANKS),
        .BANK_W   (BANK_W),
        .SLOT_W   (SLOT_W),
        .TABLE_W  (TABLE_W),
        .OWNER_W  (OWNER_W),
        .COLUMNS_W(COLUMNS_W)
    ) u_properties (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .op_i     ({start, op, op_kind_i, op_lanes_i, op_entry}),
        .out_i    ({result_valid_o, result_lanes_o, access_o, write_o}),
        .state_i  ({alive_q, run_q, drain_q, clear_q}),
        .queue_i  ({next_valid_q, next_kind_q, next_lanes_q, next_entry_q, head_valid_q, head_kind_q, head_lanes_q,
                    head_entry_q, pop}),
        .sort_i   ({sort_valid_q, sort_kind_q, sort_lanes_q, sort_entry_q, sort_free, serve_valid_q, serve_kind_q,
                    serve_crowded_q, serve_entry_q, serve_check, serve_free, served, choose, wait_q, picked}),
        .group_i  ({read_valid_q, read_mark_q, take_mark_q, judge_mark_q, judge_check_read_q, judge_lanes_q, lose}),
        .bank_i   ({f_row, f_read_here, f_mark_here, f_read_lane, f_mark_lane, f_writes}),
        .f_entry_o(f_entry)
    );
`endif

    genvar l;
    genvar k;
    genvar b;
    generate
        for (l = 0; l < LANES; l = l + 1) begin : g_lane
            wire [31:0]        addr     = op_addr_i[l*32 +: 32] & (32'hffffffff >> (32 - ADDR_W));
            /* verilator lint_off UNUSED */  // quotient bits beyond the table
            wire [63:0]        addr_ext = {32'd0, addr};
            /* verilator lint_on UNUSED */
            wire [TABLE_W-1:0] quotient = addr_ext[2*TABLE_W-1:TABLE_W];
            wire [TABLE_W-1:0] entry    = addr_ext[TABLE_W-1:0] + quotient + (quotient << 4);

            for (k = 0; k < TABLE_W; k = k + 1) begin : g_bit
                assign op_entry[k*LANES+l] = entry[k];
            end

            // The pairs of the head, when it leaves.
            always @(posedge clk_i)
                if (pop) begin : pairs
                    reg [LANES-1:0] same_bank;  // lanes that have the bank of lane l
                    reg [LANES-1:0] same_cell;  // and those that have its row and byte
                    reg [LANES-1:0] below;
                    integer         n;

                    same_bank = {LANES{1'b1}};
                    same_cell = {LANES{1'b1}};
                    for (n = 0; n < TABLE_W; n = n + 1)
                        if (n >= 2 && n < SLOT_W)
                            same_bank = same_bank
                                        & (head_entry_q[n*LANES +: LANES] ~^ {LANES{head_entry_q[n*LANES+l]}});
                        else
                            same_cell = same_cell
                                        & (head_entry_q[n*LANES +: LANES] ~^ {LANES{head_entry_q[n*LANES+l]}});
                    below = head_lanes_q[l] ? head_lanes_q & ~({LANES{1'b1}} << l) : {LANES{1'b0}};
                    sort_same_q[l*LANES +: LANES] <= below & same_bank & same_cell;
                    sort_crowded_q[l]             <= |(below & same_bank & ~same_cell);
                end

            assign leader[l] = sort_lanes_q[l] && sort_same_q[l*LANES +: LANES] == {LANES{1'b0}};
            // Without crowd the whole operation is one group, and its pairs may have left. A crowd's are there in the
            // cycle after a choice: a CHECK takes a cycle to see that it is over, a MARK needs no members.
            assign member[l] = read_crowded_q ? read_picked_q[l] || (serve_same_q[l*LANES +: LANES] & read_picked_q)
                                                                    != {LANES{1'b0}}
                                              : read_lanes_q[l];
        end

        if (LANES < 32) begin : g_fewer_lanes
            wire unused = &{1'b0, op_addr_i[1023:LANES*32]};
        end

        for (b = 0; b < BANKS; b = b + 1) begin : g_bank

            cw_ownership_bank #(
                .LANES    (LANES),
                .BANK_W   (BANK_W),
                .ROW_W    (ROW_W),
                .COLUMNS_W(COLUMNS_W),
                .BANK     (b)
            ) u_bank (
                .clk_i             (clk_i),
                .rst_i             (rst_i),
                .clear_i           (clear_q),
                .clear_row_i       (clear_row_q),
                .serve_free_i      (serve_free),
                .sort_valid_i      (sort_valid_q),
                .sort_entry_i      (sort_entry_q),
                .leader_i          (leader),
                .choose_i          (choose),
                .pick_o            (pick_oh[b*LANES +: LANES]),
                .serve_entry_i     (serve_entry_q),
                .read_valid_i      (read_valid_q),
                .take_mark_i       (take_mark_q),
                .judge_mark_i      (judge_mark_q),
                .judge_check_i     (judge_check_q),
                .judge_check_read_i(judge_check_read_q),
                .judge_lanes_i     (judge_lanes_q),
                .judge_bank_i      (judge_bank_q),
                .change_o          (change[b]),
                .loses_o           (loses[b*LANES +: LANES])
`ifdef CW_PROPERTIES
                , .f_entry_i    ({f_entry[TABLE_W-1:SLOT_W], f_entry[1:0]})
                , .f_row_o      (f_row[b*OWNER_W +: OWNER_W])
                , .f_read_here_o(f_read_here[b])
                , .f_mark_here_o(f_mark_here[b])
                , .f_read_lane_o(f_read_lane[b*5 +: 5])
                , .f_mark_lane_o(f_mark_lane[b*5 +: 5])
                , .f_writes_o   (f_writes[b])
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
