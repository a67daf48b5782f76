// SPDX-License-Identifier: Apache-2.0
//
// cw_nonsynth_ownership_table: what must hold of the ownership table, as an entry and a lane show it.
//
// Why         : two lanes that commit together and conflict make a wrong result.
// How         : it watches one entry and one lane, of the prover's choice, and keeps what the ports have shown of them.
// Illegal use : synthesis. Only blocks of properties have it (CW_PROPERTIES).
//
// Contract: include/cowarp/unit/ownership_table.h. docs/proofs.md has the form of properties.

`default_nettype none

module cw_nonsynth_ownership_table #(
    parameter LANES     = 32,
    parameter BANKS     = 32,
    parameter BANK_W    = 5,
    parameter SLOT_W    = 7,  // of bank and byte
    parameter TABLE_W   = 12,  // of an entry's number
    parameter OWNER_W   = 6,
    parameter COLUMNS_W = 384  // of the entries of all lanes, in columns
) (
    input  wire                                  clk_i,
    input  wire                                  rst_i,
    // an operation
    input  wire [4 + LANES + COLUMNS_W-1:0]      op_i,
    // what is on show
    input  wire [3 + LANES-1:0]                  out_i,
    // the resolution's state
    input  wire [3 + LANES-1:0]                  state_i,
    // the queue
    input  wire [7 + 2*LANES + 2*COLUMNS_W-1:0]  queue_i,
    // sorting and service
    input  wire [12 + 3*LANES + 2*COLUMNS_W-1:0] sort_i,
    // the group in the banks
    input  wire [5 + 2*LANES-1:0]                group_i,
    // of each bank, about f_entry's place in it; see cw_ownership_bank
    input  wire [BANKS*OWNER_W + 13*BANKS-1:0]   bank_i,
    // who is watched
    output wire [TABLE_W-1:0]                    f_entry_o
);

`ifdef CW_PROPERTIES
    localparam [OWNER_W-1:0] NOBODY = 6'h20;

    localparam [1:0] MARK        = 2'd0;
    localparam [1:0] CHECK_READ  = 2'd1;
    localparam [1:0] CHECK_WRITE = 2'd2;
    localparam [1:0] END         = 2'd3;

    // What the ports and the parts show.
    wire                     start;
    wire                     op;
    wire [1:0]               op_kind;
    wire [LANES-1:0]         op_lanes;
    wire [COLUMNS_W-1:0]     op_entry;
    wire                     result_valid;
    wire [LANES-1:0]         result_lanes;
    wire                     access;
    wire                     write;
    wire [LANES-1:0]         alive;
    wire                     run;
    wire                     drain;
    wire                     clear;
    wire                     next_valid;
    wire [1:0]               next_kind;
    wire [LANES-1:0]         next_lanes;
    wire [COLUMNS_W-1:0]     next_entry;
    wire                     head_valid;
    wire [1:0]               head_kind;
    wire [LANES-1:0]         head_lanes;
    wire [COLUMNS_W-1:0]     head_entry;
    wire                     pop;
    wire                     sort_valid;
    wire [1:0]               sort_kind;
    wire [LANES-1:0]         sort_lanes;
    wire [COLUMNS_W-1:0]     sort_entry;
    wire                     sort_free;
    wire                     serve_valid;
    wire [1:0]               serve_kind;
    wire                     serve_crowded;
    wire [COLUMNS_W-1:0]     serve_entry;
    wire                     serve_check;
    wire                     serve_free;
    wire                     served;
    wire                     choose;
    wire [LANES-1:0]         wait_lanes;
    wire [LANES-1:0]         picked;
    wire                     read_valid;
    wire                     read_mark;
    wire                     take_mark;
    wire                     judge_mark;
    wire                     judge_check_read;
    wire [LANES-1:0]         judge_lanes;
    wire [LANES-1:0]         lose;
    wire [BANKS*OWNER_W-1:0] f_row;
    wire [BANKS-1:0]         f_read_here;
    wire [BANKS-1:0]         f_mark_here;
    wire [5*BANKS-1:0]       f_read_lane;
    wire [5*BANKS-1:0]       f_mark_lane;
    wire [BANKS-1:0]         f_writes;

    assign {start, op, op_kind, op_lanes, op_entry} = op_i;
    assign {result_valid, result_lanes, access, write} = out_i;
    assign {alive, run, drain, clear} = state_i;
    assign {next_valid, next_kind, next_lanes, next_entry, head_valid, head_kind, head_lanes,
            head_entry, pop} = queue_i;
    assign {sort_valid, sort_kind, sort_lanes, sort_entry, sort_free, serve_valid, serve_kind,
            serve_crowded, serve_entry, serve_check, serve_free, served, choose, wait_lanes, picked} = sort_i;
    assign {read_valid, read_mark, take_mark, judge_mark, judge_check_read, judge_lanes, lose} = group_i;
    assign {f_row, f_read_here, f_mark_here, f_read_lane, f_mark_lane, f_writes} = bank_i;

    assign f_entry_o = f_entry;

    // One entry and one lane, of the prover's choice. What the ports have shown of them: the lowest lane of the
    // accepted marks of the entry, and whether an accepted check of the entry by the lane was one that must fail, as
    // the marks before it stand.
    (* anyconst *) reg [TABLE_W-1:0] f_entry;
    (* anyconst *) reg [4:0]         f_lane;
    reg                              f_past_q = 1'b0;
    reg  [OWNER_W-1:0]               f_owner_q;
    reg                              f_refused_q;
    wire [LANES-1:0]                 f_op_at    = f_at(op_entry);
    wire [LANES-1:0]                 f_next_at  = f_at(next_entry);
    wire [LANES-1:0]                 f_head_at  = f_at(head_entry);
    wire [LANES-1:0]                 f_sort_at  = f_at(sort_entry);
    wire [LANES-1:0]                 f_serve_at = f_at(serve_entry);
    wire [LANES-1:0]                 f_op_lanes = op_kind == END ? {LANES{1'b0}} : op_lanes & alive;
    wire [BANK_W-1:0]                f_bank     = f_entry[SLOT_W-1:2];

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

    // The entry's owner after all that is in the way before: f_write_v once the banks have been written, and so on up
    // to the queue.
    wire [4:0]         f_mark_l  = f_mark_lane[f_bank*5 +: 5];
    wire [4:0]         f_read_l  = f_read_lane[f_bank*5 +: 5];
    wire [LANES-1:0]   f_mark_oh = f_mark_here[f_bank] ? {{(LANES-1){1'b0}}, 1'b1} << f_mark_l : {LANES{1'b0}};
    wire [LANES-1:0]   f_read_oh = f_read_here[f_bank] ? {{(LANES-1){1'b0}}, 1'b1} << f_read_l : {LANES{1'b0}};
    wire [OWNER_W-1:0] f_row_v   = f_row[f_bank*OWNER_W +: OWNER_W];
    wire [OWNER_W-1:0] f_write_v = f_lower(f_row_v, f_writes[f_bank], f_mark_oh);
    wire [OWNER_W-1:0] f_judge_v = f_lower(f_write_v, judge_mark, f_mark_oh);
    wire [OWNER_W-1:0] f_take_v  = f_lower(f_judge_v, take_mark, f_read_oh);
    wire [OWNER_W-1:0] f_read_v  = f_lower(f_take_v, read_mark, f_read_oh);
    wire [OWNER_W-1:0] f_serve_v = f_lower(f_read_v, serve_valid && serve_kind == MARK, wait_lanes & f_serve_at);
    wire [OWNER_W-1:0] f_sort_v  = f_lower(f_serve_v, sort_valid && sort_kind == MARK, sort_lanes & f_sort_at);
    wire [OWNER_W-1:0] f_head_v  = f_lower(f_sort_v, head_valid && head_kind == MARK, head_lanes & f_head_at);
    wire [OWNER_W-1:0] f_next_v  = f_lower(f_head_v, next_valid && next_kind == MARK, next_lanes & f_next_at);

    // The check of f_entry by f_lane on its way: whether it must fail (f_*_bad_q), and the stages behind service, where
    // it is no more in columns.
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
    wire f_op_bad   = f_fails(op_kind, f_owner_q);
    wire f_op_check = op && (op_kind == CHECK_READ || op_kind == CHECK_WRITE) && f_op_lanes[f_lane] && f_op_at[f_lane];
    wire f_judge    = judge_lanes[f_lane] && f_judge_at_q;

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i || start) begin
            f_owner_q   <= NOBODY;
            f_refused_q <= 1'b0;
        end else begin
            if (op && op_kind == MARK)
                f_owner_q <= f_lower(f_owner_q, 1'b1, f_op_lanes & f_op_at);
            f_refused_q <= f_refused_q || (f_op_check && f_op_bad);
        end
        if (!next_valid)
            f_next_bad_q <= f_op_bad;
        if (pop || !head_valid)
            f_head_bad_q <= next_valid ? f_next_bad_q : f_op_bad;
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
            if (result_valid && f_refused_q)
                assert (!result_lanes[f_lane]);
            cover (result_valid && f_refused_q && result_lanes != 0);
            // 2. A lane that a check takes out of alive has found an entry that makes it lose, and no other lane is
            // taken out.
            if (judge_lanes[f_lane] && f_judge_at_q)
                assert (lose[f_lane] == f_judge_bad_q);
            if (!judge_lanes[f_lane])
                assert (!lose[f_lane]);
            cover (f_judge && f_judge_bad_q && judge_check_read);
            cover (f_judge && !f_judge_bad_q && !judge_check_read);
            // 3. Between the clearing and the result the table holds, once what is in the way has been written, the
            // lowest lane of all
            //    accepted marks of an entry.
            if (run || drain)
                assert (f_next_v == f_owner_q);
            cover (run && f_owner_q < NOBODY && f_row_v < NOBODY && f_row_v > f_owner_q);
            // 4. A bank never reads while it writes, nor while it is cleared.
            assert (!(access && write));
            assert (!(read_valid && (f_writes != 0 || clear)));
            cover (access);
            cover (write);
            // 5. An operation leaves the service when no lane of it waits any more.
            if (serve_valid && served)
                assert ((wait_lanes & ~(choose ? picked : {LANES{1'b0}})) == 0);
            cover (serve_valid && served && serve_crowded && serve_check);
            cover (serve_valid && served && serve_crowded && serve_kind == MARK);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

endmodule

`default_nettype wire
