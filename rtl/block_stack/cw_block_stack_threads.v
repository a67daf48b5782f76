// SPDX-License-Identifier: Apache-2.0
//
// cw_block_stack_threads: what the block stacks know of threads: who is in a top, who has exited, who has gone first.
//
// Why         : an arrival takes one cycle, so what it changes is in flip-flops; the entries below a top can wait in a
//               RAM.
// How         : no two blocks have a common static warp, so one mask holds the tops of all blocks. A turn changes the
//               warps of its block. A mask is 0 while nobody needs it: then it takes no power, and a model no time.
//               Each follows either registers or inputs, so that a model sees that no output follows an input.
// Stages      : one for an operation; a step of the state machine for a turn.
// Latency     : a change is seen in the next cycle.
// Throughput  : an operation, or a step, per cycle.
// Storage     : 3 * WARPS*LANES flip-flops; masks of DEPTH rows in a RAM with one port.
// Illegal use : an operation while a stack is turned.
//
// Paper: Fung 2015, sections 3.3 and 3.4. It is a part of cw_block_stack. C model: part of csim/unit/block_stack.c.

`default_nettype none

module cw_block_stack_threads #(
    parameter LANES   = 32,
    parameter WARPS   = 32,
    parameter ROW_W   = 4,   // of a row's number
    parameter META_W  = 58,  // of an entry beside its mask
    parameter THREADS = WARPS * LANES
) (
    input  wire              clk_i,
    // an operation, and what it is for its block
    input  wire              op_valid_i,
    input  wire [2:0]        op_kind_i,
    input  wire [LANES-1:0]  op_lanes_i,
    input  wire [255:0]      op_home_i,
    input  wire [LANES-1:0]  op_first_i,
    /* verilator lint_off UNUSED */       // lanes and warps that there are not
    input  wire [1023:0]     op_mask_i,
    /* verilator lint_on UNUSED */
    input  wire [WARPS-1:0]  op_warps_i,  // static warps of its block
    output reg  [WARPS-1:0]  op_member_o, // static warps of the first mask
    input  wire              start_i,
    input  wire              branch_i,
    input  wire              leaves_i,
    // a stack is turned, and its block's static warps
    input  wire              turning_i,
    input  wire [WARPS-1:0]  member_i,
    // steps of the turn, see cw_block_stack_turn
    input  wire              decides_i,
    input  wire              checks_i,
    input  wire              pushes_i,
    input  wire              sides_i,
    input  wire              keep_i,
    input  wire              load_i,
    input  wire              down_i,
    input  wire              stage_i,
    input  wire              write_i,
    input  wire              await_i,
    input  wire              store_i,
    // nobody has the top; at the branch of its warps, all of it has gone first, or nobody
    output reg               nobody_o,
    output reg               all_first_o,
    output reg               none_first_o,
    // the RAM: a read, a write, of the top, without those who have gone first
    input  wire              rd_en_i,
    input  wire              wr_en_i,
    input  wire [ROW_W-1:0]  row_i,
    input  wire              wr_now_i,
    input  wire              wr_side_i,
    // memory: an entry goes there, with what the RAM of entries has shown; what comes back
    input  wire              spill_i,
    input  wire [META_W-1:0] ram_meta_i,
    output reg  [1151:0]     mem_wdata_o,
    input  wire              mem_ready_i,
    input  wire              mem_rsp_valid_i,
    /* verilator lint_off UNUSED */
    input  wire [1023:0]     mem_rdata_i,
    /* verilator lint_on UNUSED */
    // a top that is offered, of these static warps
    input  wire              offer_i,
    input  wire [WARPS-1:0]  offer_warps_i,
    output reg  [1023:0]     top_mask_o
`ifdef CW_PROPERTIES
    , input  wire [4:0]       f_warp_i    // a thread
    , input  wire [4:0]       f_lane_i
    , input  wire [WARPS-1:0] f_member_i  // static warps of a block
    // {the block's top has a thread; the thread is in the operation; in its top; in the row that is written; noted as
    // gone first; of the block and has not exited; in the first mask that comes; in the top that is offered}
    , output wire [7:0]       f_thread_o
`endif
);

    localparam [2:0] START  = 3'd0,
                     BRANCH = 3'd1,
                     EXIT   = 3'd4;

    localparam [THREADS-1:0] NOBODY = {THREADS{1'b0}};

    reg  [THREADS-1:0] top_q;      // in its block's top
    reg  [THREADS-1:0] live_q;     // has not exited
    reg  [THREADS-1:0] acc_q;      // has gone first; in a join, the mask that is joined

    reg  [THREADS-1:0] of_turn;    // threads of the block that is turned
    reg  [THREADS-1:0] of_op;      // of the block of the operation
    wire [THREADS-1:0] op_threads; // that exit or go first, also those of other blocks
    reg  [THREADS-1:0] op_start;   // of the first mask
    reg  [THREADS-1:0] op_words;   // of the static warps in which it has a thread
    reg  [THREADS-1:0] rsp_mask;
    reg  [THREADS-1:0] wr_mask;
    reg  [THREADS-1:0] m_mask;
    wire [THREADS-1:0] ram_mask;
    wire [THREADS-1:0] now    = top_q & live_q;  // masks of the tops
    integer            t;
    integer            w;
    integer            i;
    integer            r;
    integer            u;
    integer            v;

    // Operations.
    always @* begin
        of_turn = NOBODY;
        if (turning_i)
            for (t = 0; t < WARPS; t = t + 1)
                of_turn[t*LANES +: LANES] = {LANES{member_i[t]}};
    end

    always @* begin
        of_op = NOBODY;
        if (op_valid_i)
            for (w = 0; w < WARPS; w = w + 1)
                of_op[w*LANES +: LANES] = {LANES{op_warps_i[w]}};
    end

    always @* begin
        op_start    = NOBODY;
        op_words    = NOBODY;
        op_member_o = {WARPS{1'b0}};
        if (op_valid_i && op_kind_i == START)
            for (i = 0; i < WARPS; i = i + 1) begin
                op_start[i*LANES +: LANES] = op_mask_i[i*32 +: LANES];
                op_member_o[i]             = |op_mask_i[i*32 +: LANES];
                op_words[i*LANES +: LANES] = {LANES{op_member_o[i]}};
            end
    end

    always @* begin
        rsp_mask = NOBODY;
        if (mem_rsp_valid_i)
            for (r = 0; r < WARPS; r = r + 1)
                rsp_mask[r*LANES +: LANES] = mem_rdata_i[r*32 +: LANES];
    end

    cw_block_stack_home #(
        .LANES(LANES),
        .WARPS(WARPS)
    ) u_home (
        .en_i     (op_valid_i && (op_kind_i == BRANCH || op_kind_i == EXIT)),
        .lanes_i  (op_lanes_i & (op_first_i | {LANES{op_kind_i == EXIT}})),
        .home_i   (op_home_i),
        .threads_o(op_threads)
    );

    // What a turn asks.
    always @* begin
        nobody_o = 1'b0;
        if (checks_i)
            nobody_o = (now & of_turn) == NOBODY;
    end

    always @* begin
        all_first_o  = 1'b0;
        none_first_o = 1'b0;
        if (decides_i) begin
            all_first_o  = (now & ~acc_q & of_turn) == NOBODY;
            none_first_o = (now & acc_q & of_turn) == NOBODY;
        end
    end

    // The top that stays: all of it; the likely-convergence entry: nobody; the second side: who has not gone first; a
    // join: both entries.
    always @* begin
        wr_mask = NOBODY;
        if (pushes_i || write_i)
            wr_mask = (now & {THREADS{wr_now_i}} & ~(acc_q & {THREADS{wr_side_i}})) | (acc_q & {THREADS{write_i}});
    end

    cw_ram_1rw #(
        .ADDR_W(ROW_W),
        .PART_W(LANES),
        .PARTS (WARPS)
    ) u_masks (
        .clk_i     (clk_i),
        .rd_en_i   (rd_en_i),
        .wr_en_i   (wr_en_i),
        .wr_parts_i(member_i),
        .addr_i    (row_i),
        .wr_data_i (wr_mask),
        .rd_data_o (ram_mask)
`ifdef CW_PROPERTIES
        , .f_addr_i({ROW_W{1'b0}})
        , .f_data_o()
`endif
    );

    // What becomes of them. No operation comes while a stack is turned.
    wire               clears  = sides_i || keep_i || write_i || store_i;
    wire [THREADS-1:0] new_top = sides_i ? now & acc_q : load_i ? ram_mask : rsp_mask;
    wire [THREADS-1:0] new_acc = clears ? NOBODY : stage_i ? ram_mask : rsp_mask;
    wire               set_top = sides_i || down_i;
    wire               set_acc = clears || stage_i || await_i;
    reg  [THREADS-1:0] top_d;
    reg  [THREADS-1:0] live_d;
    reg  [THREADS-1:0] acc_d;

    always @* begin
        top_d  = NOBODY;
        live_d = NOBODY;
        acc_d  = NOBODY;
        if (start_i) begin
            top_d  = (top_q & ~op_words) | op_start;
            live_d = (live_q & ~op_words) | op_start;
            acc_d  = acc_q & ~op_words;
        end else begin
            if (set_top)
                top_d = (top_q & ~of_turn) | (new_top & of_turn);
            if (leaves_i)
                live_d = live_q & ~(op_threads & of_op);
            if (branch_i)
                acc_d = acc_q | (op_threads & of_op);
            else if (set_acc)
                acc_d = (acc_q & ~of_turn) | (new_acc & of_turn);
        end
    end

    always @(posedge clk_i) begin
        if (start_i || set_top)
            top_q <= top_d;
        if (start_i || leaves_i)
            live_q <= live_d;
        if (start_i || branch_i || (set_acc && (!store_i || mem_ready_i)))
            acc_q <= acc_d;
    end

    // What others see.
    always @* begin
        top_mask_o = 1024'd0;
        if (offer_i)
            for (v = 0; v < WARPS; v = v + 1)
                top_mask_o[v*32 +: LANES] = now[v*LANES +: LANES] & {LANES{offer_warps_i[v]}};
    end

    always @* begin
        m_mask      = NOBODY;
        mem_wdata_o = 1152'd0;
        if (spill_i || store_i) begin
            m_mask = ((ram_mask & {THREADS{spill_i}}) | ((acc_q | now) & {THREADS{store_i}})) & of_turn;
            for (u = 0; u < WARPS; u = u + 1)
                mem_wdata_o[u*32 +: LANES] = m_mask[u*LANES +: LANES];
            mem_wdata_o[1024 +: META_W] = ram_meta_i & {META_W{spill_i}};
        end
    end

`ifdef CW_PROPERTIES
    reg     f_any;
    reg     f_in;
    reg     f_now;
    reg     f_ram;
    reg     f_acc;
    reg     f_live;
    reg     f_start_in;
    reg     f_top;
    integer fi;
    integer fj;

    always @* begin
        f_in       = 1'b0;
        f_now      = 1'b0;
        f_top      = 1'b0;
        f_ram      = 1'b0;
        f_acc      = 1'b0;
        f_live     = 1'b0;
        f_any      = 1'b0;
        f_start_in = 1'b0;
        for (fi = 0; fi < WARPS; fi = fi + 1)
            for (fj = 0; fj < LANES; fj = fj + 1) begin
                f_any = f_any || (now[fi*LANES + fj] && f_member_i[fi]);
                if (fi == f_warp_i && fj == f_lane_i) begin
                    f_in       = op_lanes_i[fj] && op_home_i[fj*8 +: 8] == fi;
                    f_now      = now[fi*LANES + fj];
                    f_top      = top_mask_o[fi*32 + fj];
                    f_ram      = wr_mask[fi*LANES + fj];
                    f_acc      = acc_q[fi*LANES + fj];
                    f_live     = live_q[fi*LANES + fj] && f_member_i[fi];
                    f_start_in = op_mask_i[fi*32 + fj];
                end
            end
    end

    assign f_thread_o = {f_any, f_in, f_now, f_ram, f_acc, f_live, f_start_in, f_top};
`endif

endmodule

`default_nettype wire
