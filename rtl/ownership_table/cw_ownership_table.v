// SPDX-License-Identifier: Apache-2.0
//
// cw_ownership_table: which lanes of a warp may commit together.
//
// Why         : the transactions of one warp commit as one under WarpTM and GETM, so conflicts among its own lanes must be found first.
//               To compare all pairs of lanes' logs would take too long.
// How         : two passes over the lanes' logs. MARK enters each write: an entry of the table keeps the lowest lane that writes its
//               region. CHECK then looks each access up: a lane that finds a lower lane, or for its own write another one, has lost.
//               Lanes with one entry are found first and ask the bank together, through the lowest of them. So a bank is asked by each
//               entry once, its lowest asker is the lowest lane of the entry, and no bank has to find the minimum of its lanes.
// Stages      : compare lanes, sort by banks, choose, read, take the entry, judge; a MARK writes in the cycle after that.
// Latency     : clearing takes 2^ROW_W cycles. From an operation to its access 4 cycles, to alive_o or the write 7; from END to the
//               result 7.
// Throughput  : one CHECK per cycle without bank conflict; a MARK takes two cycles. An entry more in a bank costs a CHECK one cycle,
//               and one more in all; a MARK two cycles.
// Comb. paths : none from input to output. Outputs are registers. Nothing leads from a RAM to a RAM, or past a register behind it.
// Storage     : 2^BANK_W RAMs of 2^ROW_W rows x 24 bits with one port.
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

    // Bit l is the bit at `position` of the number l.
    function [31:0] number_column (
        input integer position
    );
        integer n;
        begin
            for (n = 0; n < 32; n = n + 1)
                number_column[n] = (n >> position) % 2 == 1;
        end
    endfunction

    localparam BANKS   = 1 << BANK_W;
    localparam SLOT_W  = BANK_W + 2;      // bank and byte: what is left of an entry's number without its row
    localparam TABLE_W = ROW_W + SLOT_W;  // bits of an entry's number, row on top
    localparam OWNER_W = 6;               // {null, lane}: null is above every lane

    // Lanes' entries are kept in columns: bit k of all lanes, lane 0 lowest, then bit k+1 of all lanes. So what each lane does is one
    // operation on a column.
    localparam COLUMNS_W = LANES * TABLE_W;
    localparam BANK_AT   = LANES * 2;       // first column of the banks; before it the bytes
    localparam ROW_AT    = LANES * SLOT_W;  // first column of the rows

    localparam [OWNER_W-1:0] NOBODY = 6'h20;

    localparam GROUPS = (LANES + 7) / 8;    // of eight lanes, the last one perhaps of fewer

    localparam [5*32-1:0] NUMBERS = {number_column(4), number_column(3), number_column(2), number_column(1), number_column(0)};

    localparam [1:0] MARK        = 2'd0;
    localparam [1:0] CHECK_READ  = 2'd1;
    localparam [1:0] CHECK_WRITE = 2'd2;
    localparam [1:0] END         = 2'd3;

    // Of a resolution, one bit each: nobody resolves; entries become null; operations are taken; END is on its way; result_valid_o.
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
    reg  [BANKS*LANES-1:0]   ask_q;            // the same, of each bank
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

    // A group of a MARK that was chosen three cycles ago is being judged. It may write in the next cycle, and no bank may read then.
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
    // One entry and one lane, of the prover's choice. What the ports have shown of them: the lowest lane of the accepted marks of the entry, and
    // whether an accepted check of the entry by the lane was one that must fail, as the marks before it stand.
    (* anyconst *) reg [TABLE_W-1:0] f_entry;
    (* anyconst *) reg [4:0]         f_lane;
    reg                              f_past_q = 1'b0;
    reg  [OWNER_W-1:0]               f_owner_q;
    reg                              f_refused_q;
    wire [LANES-1:0]                 f_op_at    = f_at(op_entry);
    wire [LANES-1:0]                 f_next_at  = f_at(next_entry_q);
    wire [LANES-1:0]                 f_head_at  = f_at(head_entry_q);
    wire [LANES-1:0]                 f_sort_at  = f_at(sort_entry_q);
    wire [LANES-1:0]                 f_serve_at = f_at(serve_entry_q);
    wire [LANES-1:0]                 f_op_lanes = op_kind_i == END ? {LANES{1'b0}} : op_lanes_i & alive_q;
    wire [BANK_W-1:0]                f_bank     = f_entry[SLOT_W-1:2];

    // Of each bank, about f_entry's place in it.
    wire [BANKS*OWNER_W-1:0]         f_row;        // what the RAM has there
    wire [BANKS-1:0]                 f_read_here;  // the bank is told this place
    wire [BANKS-1:0]                 f_mark_here;  // the MARK between read and write is of this place
    wire [BANKS*5-1:0]               f_read_lane;
    wire [BANKS*5-1:0]               f_mark_lane;
    wire [BANKS-1:0]                 f_writes;

    // Lanes whose entry is f_entry.
    function [LANES-1:0] f_at (
        input [COLUMNS_W-1:0] columns
    );
        integer n;
        begin
            f_at = {LANES{1'b1}};
            for (n = 0; n < TABLE_W; n = n + 1)
                f_at = f_at & (columns[n*LANES +: LANES] ~^ {LANES{f_entry[n]}});
        end
    endfunction

    function [OWNER_W-1:0] f_lower (
        input [OWNER_W-1:0] owner,
        input               valid,
        input [LANES-1:0]   lanes
    );
        integer n;
        begin
            f_lower = owner;
            for (n = LANES - 1; n >= 0; n = n - 1)
                if (valid && lanes[n] && n < owner)
                    f_lower = n;
        end
    endfunction

    function f_fails (
        input [1:0]         kind,
        input [OWNER_W-1:0] owner
    );
        f_fails = kind == CHECK_READ ? owner < {1'b0, f_lane} : owner != {1'b0, f_lane};
    endfunction

    // The entry's owner after all that is in the way before: f_write_v once the banks have been written, and so on up to the queue.
    wire [4:0]         f_mark_l  = f_mark_lane[f_bank*5 +: 5];
    wire [4:0]         f_read_l  = f_read_lane[f_bank*5 +: 5];
    wire [LANES-1:0]   f_mark_oh = f_mark_here[f_bank] ? {{(LANES-1){1'b0}}, 1'b1} << f_mark_l : {LANES{1'b0}};
    wire [LANES-1:0]   f_read_oh = f_read_here[f_bank] ? {{(LANES-1){1'b0}}, 1'b1} << f_read_l : {LANES{1'b0}};
    wire [OWNER_W-1:0] f_row_v   = f_row[f_bank*OWNER_W +: OWNER_W];
    wire [OWNER_W-1:0] f_write_v = f_lower(f_row_v, f_writes[f_bank], f_mark_oh);
    wire [OWNER_W-1:0] f_judge_v = f_lower(f_write_v, judge_mark_q, f_mark_oh);
    wire [OWNER_W-1:0] f_take_v  = f_lower(f_judge_v, take_mark_q, f_read_oh);
    wire [OWNER_W-1:0] f_read_v  = f_lower(f_take_v, read_mark_q, f_read_oh);
    wire [OWNER_W-1:0] f_serve_v = f_lower(f_read_v, serve_valid_q && serve_kind_q == MARK, wait_q & f_serve_at);
    wire [OWNER_W-1:0] f_sort_v  = f_lower(f_serve_v, sort_valid_q && sort_kind_q == MARK, sort_lanes_q & f_sort_at);
    wire [OWNER_W-1:0] f_head_v  = f_lower(f_sort_v, head_valid_q && head_kind_q == MARK, head_lanes_q & f_head_at);
    wire [OWNER_W-1:0] f_next_v  = f_lower(f_head_v, next_valid_q && next_kind_q == MARK, next_lanes_q & f_next_at);

    // The check of f_entry by f_lane on its way: whether it must fail (f_*_bad_q), and the stages behind service, where it is no more in columns.
    reg  f_next_bad_q;
    reg  f_head_bad_q;
    reg  f_sort_bad_q;
    reg  f_serve_bad_q;
    reg  f_read_bad_q;
    reg  f_take_bad_q;
    reg  f_judge_bad_q;
    reg  f_read_at_q;   // f_lane's entry is f_entry
    reg  f_take_at_q;
    reg  f_judge_at_q;
    wire f_op_bad   = f_fails(op_kind_i, f_owner_q);
    wire f_op_check = op && (op_kind_i == CHECK_READ || op_kind_i == CHECK_WRITE) && f_op_lanes[f_lane] && f_op_at[f_lane];
    wire f_judge    = judge_lanes_q[f_lane] && f_judge_at_q;

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i || start) begin
            f_owner_q   <= NOBODY;
            f_refused_q <= 1'b0;
        end else begin
            if (op && op_kind_i == MARK)
                f_owner_q <= f_lower(f_owner_q, 1'b1, f_op_lanes & f_op_at);
            f_refused_q <= f_refused_q || (f_op_check && f_op_bad);
        end
        if (!next_valid_q)
            f_next_bad_q <= f_op_bad;
        if (pop || !head_valid_q)
            f_head_bad_q <= next_valid_q ? f_next_bad_q : f_op_bad;
        if (sort_free)
            f_sort_bad_q <= f_head_bad_q;
        if (serve_free)
            f_serve_bad_q <= f_sort_bad_q;
        f_read_bad_q  <= f_serve_bad_q;
        f_take_bad_q  <= f_read_bad_q;
        f_judge_bad_q <= f_take_bad_q;
        f_read_at_q   <= f_serve_at[f_lane];
        f_take_at_q   <= f_read_at_q;
        f_judge_at_q  <= f_take_at_q;
    end

    always @(`CW_PROPERTIES)
        if (f_past_q && f_lane < LANES) begin
            // 1. A lane one of whose accepted checks finds an entry that makes it lose is not in the result.
            if (result_valid_o && f_refused_q)
                assert (!result_lanes_o[f_lane]);
            cover (result_valid_o && f_refused_q && result_lanes_o != 0);
            // 2. A lane that a check takes out of alive has found an entry that makes it lose, and no other lane is taken out.
            if (judge_lanes_q[f_lane] && f_judge_at_q)
                assert (lose[f_lane] == f_judge_bad_q);
            if (!judge_lanes_q[f_lane])
                assert (!lose[f_lane]);
            cover (f_judge && f_judge_bad_q && judge_check_read_q);
            cover (f_judge && !f_judge_bad_q && !judge_check_read_q);
            // 3. Between the clearing and the result the table holds, once what is in the way has been written, the lowest lane of all
            //    accepted marks of an entry.
            if (run_q || drain_q)
                assert (f_next_v == f_owner_q);
            cover (run_q && f_owner_q < NOBODY && f_row_v < NOBODY && f_row_v > f_owner_q);
            // 4. A bank never reads while it writes, nor while it is cleared.
            assert (!(access_o && write_o));
            assert (!(read_valid_q && (f_writes != 0 || clear_q)));
            cover (access_o);
            cover (write_o);
            // 5. An operation leaves the service when no lane of it waits any more.
            if (serve_valid_q && served)
                assert ((wait_q & ~(choose ? picked : {LANES{1'b0}})) == 0);
            cover (serve_valid_q && served && serve_crowded_q && serve_check);
            cover (serve_valid_q && served && serve_crowded_q && serve_kind_q == MARK);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
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
                            same_bank = same_bank & (head_entry_q[n*LANES +: LANES] ~^ {LANES{head_entry_q[n*LANES+l]}});
                        else
                            same_cell = same_cell & (head_entry_q[n*LANES +: LANES] ~^ {LANES{head_entry_q[n*LANES+l]}});
                    below = head_lanes_q[l] ? head_lanes_q & ~({LANES{1'b1}} << l) : {LANES{1'b0}};
                    sort_same_q[l*LANES +: LANES] <= below & same_bank & same_cell;
                    sort_crowded_q[l]             <= |(below & same_bank & ~same_cell);
                end

            assign leader[l] = sort_lanes_q[l] && sort_same_q[l*LANES +: LANES] == {LANES{1'b0}};
            // Without crowd the whole operation is one group, and its pairs may have left. A crowd's are there in the cycle after a
            // choice: a CHECK takes a cycle to see that it is over, a MARK needs no members.
            assign member[l]  = read_crowded_q ? read_picked_q[l] || (serve_same_q[l*LANES +: LANES] & read_picked_q) != {LANES{1'b0}} : read_lanes_q[l];
        end

        if (LANES < 32) begin : g_fewer_lanes
            wire unused = &{1'b0, op_addr_i[1023:LANES*32]};
        end

        for (b = 0; b < BANKS; b = b + 1) begin : g_bank
            localparam [BANK_W-1:0] BANK = b;

            wire [GROUPS*8-1:0] ask;         // of all groups of eight lanes
            reg  [GROUPS*8-1:0] below;       // this lane or a lower one of its group asks
            reg  [GROUPS*8-1:0] first;       // the lane to serve
            reg                 lower;       // a lower group asks
            reg  [GROUPS-1:0]   some_q;      // of each group: a lane asks
            integer             n;

            if (LANES % 8 == 0) begin : g_full
                assign ask = ask_q[b*LANES +: LANES];
            end else begin : g_padded
                assign ask = {{(GROUPS*8-LANES){1'b0}}, ask_q[b*LANES +: LANES]};
            end

            // The lowest of each group, and of them that of the lowest group. Which groups ask is known from the cycle before.
            always @* begin : lowest
                integer m;

                first = {(GROUPS*8){1'b0}};
                below = ask;
                lower = 1'b0;
                if (some_q != {GROUPS{1'b0}}) begin
                    below = below | ((below << 1) & {GROUPS{8'hfe}});
                    below = below | ((below << 2) & {GROUPS{8'hfc}});
                    below = below | ((below << 4) & {GROUPS{8'hf0}});
                    first = ask & ~((below << 1) & {GROUPS{8'hfe}});
                    for (m = 0; m < GROUPS; m = m + 1) begin
                        if (lower)
                            first[m*8 +: 8] = 8'd0;
                        lower = lower || some_q[m];
                    end
                end
            end

            assign pick_oh[b*LANES +: LANES] = first[LANES-1:0];

            always @(posedge clk_i)
                if (rst_i) begin
                    ask_q[b*LANES +: LANES] <= {LANES{1'b0}};
                    some_q                  <= {GROUPS{1'b0}};
                end else if (serve_free || choose) begin : asks
                    reg [GROUPS*8-1:0] left;  // who asks from now on
                    integer            m;

                    left = ask & ~first;
                    if (serve_free) begin
                        left = {(GROUPS*8){1'b0}};
                        if (sort_valid_q) begin
                            left[LANES-1:0] = leader;
                            for (m = 0; m < BANK_W; m = m + 1)
                                left[LANES-1:0] = left[LANES-1:0] & (sort_entry_q[BANK_AT+m*LANES +: LANES] ~^ {LANES{BANK[m]}});
                        end
                    end
                    ask_q[b*LANES +: LANES] <= left[LANES-1:0];
                    for (m = 0; m < GROUPS; m = m + 1)
                        some_q[m] <= |left[m*8 +: 8];
                end

            // What the bank is told. It stays until the next group.
            reg              read_used_q;
            reg  [ROW_W-1:0] read_row_q;
            reg  [1:0]       read_byte_q;
            reg  [4:0]       read_lane_q;

            always @(posedge clk_i)
                if (choose) begin
                    read_used_q <= |some_q;
                    if (some_q != {GROUPS{1'b0}}) begin
                        for (n = 0; n < 2; n = n + 1)
                            read_byte_q[n] <= |(pick_oh[b*LANES +: LANES] & serve_entry_q[n*LANES +: LANES]);
                        for (n = 0; n < ROW_W; n = n + 1)
                            read_row_q[n] <= |(pick_oh[b*LANES +: LANES] & serve_entry_q[ROW_AT+n*LANES +: LANES]);
                        for (n = 0; n < 5; n = n + 1)
                            read_lane_q[n] <= |(pick_oh[b*LANES +: LANES] & NUMBERS[n*32 +: LANES]);
                    end
                end

            // The MARK between its read and its write.
            reg              mark_used_q;
            reg  [ROW_W-1:0] mark_row_q;
            reg  [1:0]       mark_byte_q;
            reg  [4:0]       mark_lane_q;
            reg              mark_write_q;

            reg  [1:0]       take_byte_q;
            reg              take_again_q;  // the entry is that of the MARK before, which is being written now if it changes
            reg  [5:0]       owner_q;       // to be judged
            wire [23:0]      rd_word;
            reg  [5:0]       owner;
            wire             write = clear_q || mark_write_q;
`ifdef CW_PROPERTIES
            wire [23:0]      f_ram_word;
`endif

            always @*
                if (take_again_q && mark_write_q)
                    owner = {1'b0, mark_lane_q};
                else
                    case (take_byte_q)
                        2'd0:    owner = rd_word[5:0];
                        2'd1:    owner = rd_word[11:6];
                        2'd2:    owner = rd_word[17:12];
                        default: owner = rd_word[23:18];
                    endcase

            assign change[b] = judge_mark_q && mark_used_q && owner_q > {1'b0, mark_lane_q};

            always @(posedge clk_i) begin
                if (take_mark_q) begin
                    mark_used_q <= read_used_q;
                    mark_row_q  <= read_row_q;
                    mark_byte_q <= read_byte_q;
                    mark_lane_q <= read_lane_q;
                end
                take_byte_q  <= read_byte_q;
                take_again_q <= judge_mark_q && mark_row_q == read_row_q && mark_byte_q == read_byte_q;
                owner_q      <= owner;
            end

            always @(posedge clk_i)
                mark_write_q <= !rst_i && change[b];

            reg  [LANES-1:0] judge_here;  // lanes that are judged by this bank's entry

            always @* begin : here
                integer m;

                judge_here = {LANES{1'b0}};
                if (judge_check_q) begin
                    judge_here = judge_lanes_q;
                    for (m = 0; m < BANK_W; m = m + 1)
                        judge_here = judge_here & (judge_bank_q[m*LANES +: LANES] ~^ {LANES{BANK[m]}});
                end
            end

            // An owner that is null is below no lane, and is no lane.
            wire [LANES-1:0] is_owner = owner_q[5] ? {LANES{1'b0}} : {{(LANES-1){1'b0}}, 1'b1} << owner_q[4:0];
            wire [LANES-1:0] above    = owner_q[5] ? {LANES{1'b0}} : ({LANES{1'b1}} << owner_q[4:0]) << 1;

            assign loses[b*LANES +: LANES] = judge_here & (judge_check_read_q ? above : ~is_owner);

`ifdef CW_PROPERTIES
            assign f_row[b*OWNER_W +: OWNER_W]    = f_ram_word[f_entry[1:0]*OWNER_W +: OWNER_W];
            assign f_read_here[b]  = read_used_q && read_row_q == f_entry[TABLE_W-1:SLOT_W] && read_byte_q == f_entry[1:0];
            assign f_mark_here[b]  = mark_used_q && mark_row_q == f_entry[TABLE_W-1:SLOT_W] && mark_byte_q == f_entry[1:0];
            assign f_read_lane[b*5 +: 5] = read_lane_q;
            assign f_mark_lane[b*5 +: 5] = mark_lane_q;
            assign f_writes[b]     = mark_write_q;
`endif

            cw_ram_1rw #(
                .ADDR_W(ROW_W),
                .PART_W(OWNER_W),
                .PARTS (4)
            ) u_ram (
                .clk_i     (clk_i),
                .rd_en_i   (read_valid_q && read_used_q),
                .wr_en_i   (write),
                .wr_parts_i(clear_q ? 4'hf : 4'h1 << mark_byte_q),
                .addr_i    (clear_q ? clear_row_q : mark_write_q ? mark_row_q : read_row_q),
                .wr_data_i (clear_q ? {4{NOBODY}} : {4{1'b0, mark_lane_q}}),
                .rd_data_o (rd_word)
`ifdef CW_PROPERTIES
                , .f_addr_i(f_entry[TABLE_W-1:SLOT_W])
                , .f_data_o(f_ram_word)
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
