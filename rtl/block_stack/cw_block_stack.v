// SPDX-License-Identifier: Apache-2.0
//
// cw_block_stack: the block-wide SIMT stacks of a core.
//
// Why         : in thread block compaction the warps of a block wait for each other at a branch, so that their threads can be put together anew.
//               One stack per block says who waits for what, and counts the warps that are still missing.
// How         : the top of each stack, with its mask, is in flip-flops; so are the threads that have gone first at the branch that the warps
//               are at. So an arrival takes one cycle. The entries below lie in two RAMs: masks of all blocks in common rows, and the rest. When
//               the last warp has come, a state machine pushes, pops and joins entries, a row in a cycle, and offers the new top.
// Latency     : the last warp's branch in t, the new top on offer in t + 6 (no likely-convergence entry, nothing to pop).
// Throughput  : an operation per cycle while no stack is turned; see the contract for the turn.
// Comb. paths : none; outputs depend on registers and RAM outputs only.
// Storage     : masks DEPTH x WARPS*LANES bits with one port; entries BLOCKS*DEPTH x (3*PC_W + POS_W + 2) bits with one port; 3 * WARPS*LANES
//               flip-flops for masks, and about 8 * PC_W per block.
// Illegal use : two blocks with a common static warp; warps of one entry that end differently. Nothing stops, but stacks are wrong then.
//
// Paper: Fung 2015, sections 3.3, 3.4 and 3.7, Figures 3.7 and 3.8. Contract: include/cowarp/unit/block_stack.h.
// C model: csim/unit/block_stack.c. Datasheet: docs/units/block_stack.md.

`default_nettype none

module cw_block_stack #(
    parameter LANES  = 32,  // 1 .. 32
    parameter WARPS  = 32,  // 1 .. 32
    parameter BLOCKS = 8,   // 1 .. 16
    parameter DEPTH  = 16,  // 2 .. 64
    parameter PC_W   = 16,  // 1 .. 24
    parameter POS_W  = 8    // 2 .. 8
) (
    input  wire             clk_i,
    input  wire             rst_i,
    // operations
    input  wire             op_valid_i,
    input  wire [2:0]       op_kind_i,
    input  wire [3:0]       op_block_i,
    input  wire [LANES-1:0] op_lanes_i,
    /* verilator lint_off UNUSED */       // lanes and warps that there are not
    input  wire [255:0]     op_home_i,
    input  wire [LANES-1:0] op_first_i,
    input  wire [PC_W-1:0]  op_first_pc_i,
    input  wire [PC_W-1:0]  op_second_pc_i,
    input  wire             op_rpc_valid_i,
    input  wire [PC_W-1:0]  op_rpc_i,
    input  wire             op_lpc_valid_i,
    input  wire [PC_W-1:0]  op_lpc_i,
    input  wire             op_last_i,
    input  wire [1023:0]    op_mask_i,
    /* verilator lint_on UNUSED */
    output wire             op_ready_o,
    // a top that runs next
    output wire             top_valid_o,
    output wire [3:0]       top_block_o,
    output wire [PC_W-1:0]  top_pc_o,
    output wire             top_rpc_valid_o,
    output wire [PC_W-1:0]  top_rpc_o,
    output wire             top_lpc_valid_o,
    output wire [PC_W-1:0]  top_lpc_o,
    output reg  [1023:0]    top_mask_o,
    input  wire             top_ready_i,
    // how many warps it makes
    input  wire             made_valid_i,
    input  wire [3:0]       made_block_i,
    input  wire [5:0]       made_count_i,
    // what was popped, and whose stack is empty
    output wire             pop_valid_o,
    output wire [3:0]       pop_block_o,
    output wire [PC_W-1:0]  pop_pc_o,
    output wire             pop_empty_o,
    output wire             ended_valid_o,
    output wire [3:0]       ended_block_o,
    // questions
    input  wire             qry_valid_i,
    input  wire [3:0]       qry_block_i,
    output wire [2:0]       qry_state_o,
    output wire [PC_W-1:0]  qry_pc_o,
    output wire [5:0]       qry_wcnt_o,
    output wire [POS_W:0]   qry_depth_o,
    // entries that the unit has no place for
    output wire             mem_valid_o,
    output wire             mem_write_o,
    output wire             mem_mask_only_o,
    output wire [POS_W+3:0] mem_addr_o,
    output reg  [1151:0]    mem_wdata_o,
    input  wire             mem_ready_i,
    input  wire             mem_rsp_valid_i,
    /* verilator lint_off UNUSED */
    input  wire [1151:0]    mem_rdata_i,
    /* verilator lint_on UNUSED */
    // status
    output wire [POS_W:0]   peak_o,
    output wire             overflow_o,
    output wire             busy_o
);

    function integer bits_for (
        input integer count
    );
        begin
            bits_for = 1;
            while ((1 << bits_for) < count)
                bits_for = bits_for + 1;
        end
    endfunction

    localparam THREADS = WARPS * LANES;           // bit w*LANES + l: thread of lane l of static warp w
    localparam BLOCK_W = bits_for(BLOCKS);
    localparam ROW_W   = bits_for(DEPTH);
    localparam META_W  = 3 * PC_W + 2 + POS_W;    // {LPos, LPC, LPC valid, RPC, RPC valid, PC}
    localparam RPC_AT  = PC_W;                    // of RPC valid
    localparam LPC_AT  = 2 * PC_W + 1;            // of LPC valid
    localparam LPOS_AT = 3 * PC_W + 2;
    localparam WAY_W   = 4 * PC_W + 2;            // {LPC, LPC valid, RPC, RPC valid, second PC, first PC} of a branch

    localparam [2:0] START  = 3'd0,
                     BRANCH = 3'd1,
                     ARRIVE = 3'd2,
                     JOIN   = 3'd3,
                     EXIT   = 3'd4,
                     END    = 3'd5;

    // Of a block.
    localparam [2:0] NONE       = 3'd0,
                     RUNS       = 3'd1,
                     OFFERED    = 3'd2,
                     WAITS      = 3'd3,
                     TURNS      = 3'd4,
                     OVERFLOWED = 3'd5;

    // How the warps of an entry end.
    localparam [1:0] END_POP    = 2'd0,
                     END_BRANCH = 2'd1,
                     END_JOIN   = 2'd2;

    localparam [3:0] ST_IDLE   = 4'd0,
                     ST_DECIDE = 4'd1,
                     ST_PUSH   = 4'd2,   // what push_q says, or a read of the lowest entry that has to make room
                     ST_SPILL  = 4'd3,   // this one goes to memory
                     ST_CHECK  = 4'd4,
                     ST_POP    = 4'd5,
                     ST_LOAD   = 4'd6,   // what was read becomes the top
                     ST_FETCH  = 4'd7,   // a read of memory
                     ST_AWAIT  = 4'd8,
                     ST_JOIN   = 4'd9,   // a read of the entry that is joined, from the RAM or from memory
                     ST_STAGE  = 4'd10,
                     ST_WRITE  = 4'd11,
                     ST_JAWAIT = 4'd12,
                     ST_JSTORE = 4'd13;

    localparam [1:0] PUSH_TOP    = 2'd0,  // the top that stays
                     PUSH_LIKELY = 2'd1,
                     PUSH_SIDES  = 2'd2;

    // ---- State

    reg  [3:0]                state_q;
    reg  [1:0]                push_q;
    reg                       tail_q;
    reg                       likely_q;     // a likely-convergence entry is pushed
    reg  [POS_W-1:0]          likely_pos_q;
    reg  [BLOCK_W-1:0]        turn_q;       // the block whose stack is turned

    // of each block
    reg  [BLOCKS*3-1:0]       block_q;
    reg  [BLOCKS*META_W-1:0]  meta_q;       // of its top
    reg  [BLOCKS*POS_W-1:0]   pos_q;        // of its top
    reg  [BLOCKS*ROW_W-1:0]   row_q;        // where this position is in the RAMs
    reg  [BLOCKS*POS_W-1:0]   base_q;       // lowest position in the RAMs
    reg  [BLOCKS*6-1:0]       wcnt_q;
    reg  [BLOCKS*WARPS-1:0]   member_q;     // its static warps
    reg  [BLOCKS*2-1:0]       end_q;
    reg  [BLOCKS*WAY_W-1:0]   way_q;

    // of each thread
    reg  [THREADS-1:0]        top_q;        // in its block's top
    reg  [THREADS-1:0]        live_q;       // has not exited
    reg  [THREADS-1:0]        acc_q;        // has gone first; in a join, the mask that is joined

    reg                       offer_valid_q;
    reg  [BLOCK_W-1:0]        offer_q;
    reg                       pop_valid_q;
    reg  [BLOCK_W-1:0]        pop_block_q;
    reg  [PC_W-1:0]           pop_pc_q;
    reg                       pop_empty_q;
    reg                       ended_valid_q;
    reg                       qry_valid_q;
    reg  [2:0]                qry_state_q;
    reg  [PC_W-1:0]           qry_pc_q;
    reg  [5:0]                qry_wcnt_q;
    reg  [POS_W:0]            qry_depth_q;
    reg  [POS_W:0]            peak_q;
    reg                       overflow_q;

    // ---- The block whose stack is turned

    wire [META_W-1:0]  meta     = meta_q[turn_q*META_W +: META_W];
    wire [WAY_W-1:0]   way      = way_q[turn_q*WAY_W +: WAY_W];
    wire [POS_W-1:0]   pos      = pos_q[turn_q*POS_W +: POS_W];
    wire [POS_W-1:0]   base     = base_q[turn_q*POS_W +: POS_W];
    wire [ROW_W-1:0]   row      = row_q[turn_q*ROW_W +: ROW_W];
    wire [WARPS-1:0]   member   = member_q[turn_q*WARPS +: WARPS];
    wire [1:0]         ending   = end_q[turn_q*2 +: 2];

    wire [PC_W-1:0]    pc       = meta[PC_W-1:0];
    wire               rpc_on   = meta[RPC_AT];
    wire [PC_W-1:0]    rpc      = meta[RPC_AT+1 +: PC_W];
    wire               lpc_on   = meta[LPC_AT];
    wire [PC_W-1:0]    lpc      = meta[LPC_AT+1 +: PC_W];
    wire [POS_W-1:0]   lpos     = meta[LPOS_AT +: POS_W];

    wire [PC_W-1:0]    w_first  = way[PC_W-1:0];
    wire [PC_W-1:0]    w_second = way[PC_W +: PC_W];
    wire               w_rpc_on = way[2*PC_W];
    wire [PC_W-1:0]    w_rpc    = way[2*PC_W+1 +: PC_W];
    wire               w_lpc_on = way[3*PC_W+1];
    wire [PC_W-1:0]    w_lpc    = way[3*PC_W+2 +: PC_W];

    wire [POS_W-1:0]   held     = pos - base;             // entries in the RAMs
    wire               full     = {{(32-POS_W){1'b0}}, held} == DEPTH;
    wire               last_pos = &pos;
    wire [POS_W-1:0]   under    = pos - 1'b1;
    wire               at_home  = lpos >= base;           // the entry that is joined is in the RAMs
    wire               tail     = w_rpc_on == rpc_on && (!w_rpc_on || w_rpc == rpc);
    wire               likely   = w_lpc_on && !(w_rpc_on && w_lpc == w_rpc) && !(tail && lpc_on && lpc == w_lpc);

    // The row of the position that is `back` below the top's. back is at most DEPTH.
    function [ROW_W-1:0] row_back (
        input [ROW_W-1:0] from,
        input [POS_W-1:0] back
    );
        reg [31:0] at;
        begin
            at = {{(32-ROW_W){1'b0}}, from} + DEPTH - {{(32-POS_W){1'b0}}, back};
            at = at >= DEPTH ? at - DEPTH : at;
            row_back = at[ROW_W-1:0];
        end
    endfunction

    wire [31:0]        row_up   = {{(32-ROW_W){1'b0}}, row} + 1;
    wire [ROW_W-1:0]   row_next = row_up == DEPTH ? {ROW_W{1'b0}} : row_up[ROW_W-1:0];
    wire [ROW_W-1:0]   row_base = row_back(row, held);
    wire [ROW_W-1:0]   row_last = row_back(row, {{(POS_W-1){1'b0}}, 1'b1});
    wire [ROW_W-1:0]   row_join = row_back(row, pos - lpos);

    // ---- Masks

    reg  [THREADS-1:0] of_turn;    // threads of the block that is turned
    reg  [THREADS-1:0] of_op;      // of the block of the operation
    reg  [THREADS-1:0] op_threads; // that exit or go first, also those of other blocks
    reg  [THREADS-1:0] op_start;   // of the first mask
    reg  [THREADS-1:0] op_words;   // of the static warps in which it has a thread
    reg  [WARPS-1:0]   op_member;
    reg  [THREADS-1:0] rsp_mask;
    integer            t;
    integer            w;
    integer            i;
    integer            r;

    wire [BLOCK_W-1:0] b       = op_block_i[BLOCK_W-1:0];
    wire [2:0]         b_state = block_q[b*3 +: 3];
    wire [WARPS-1:0]   b_in    = member_q[b*WARPS +: WARPS];
    wire [WARPS-1:0]   o_in    = member_q[offer_q*WARPS +: WARPS];

    // A mask is 0 while nobody needs it: then it takes no power, and a model no time. Each follows either registers or inputs, so that a model
    // sees that no output follows an input.
    always @* begin
        of_turn = {THREADS{1'b0}};
        if (state_q != ST_IDLE)
            for (t = 0; t < WARPS; t = t + 1)
                of_turn[t*LANES +: LANES] = {LANES{member[t]}};
    end

    always @* begin
        of_op = {THREADS{1'b0}};
        if (op_valid_i)
            for (w = 0; w < WARPS; w = w + 1)
                of_op[w*LANES +: LANES] = {LANES{b_in[w]}};
    end

    always @* begin
        op_start  = {THREADS{1'b0}};
        op_words  = {THREADS{1'b0}};
        op_member = {WARPS{1'b0}};
        if (op_valid_i && op_kind_i == START)
            for (i = 0; i < WARPS; i = i + 1) begin
                op_start[i*LANES +: LANES] = op_mask_i[i*32 +: LANES];
                op_member[i]               = |op_mask_i[i*32 +: LANES];
                op_words[i*LANES +: LANES] = {LANES{op_member[i]}};
            end
    end

    always @* begin
        rsp_mask = {THREADS{1'b0}};
        if (mem_rsp_valid_i)
            for (r = 0; r < WARPS; r = r + 1)
                rsp_mask[r*LANES +: LANES] = mem_rdata_i[r*32 +: LANES];
    end

    // The threads of an operation, by a tree: node 1 has all lanes, and node n splits its lanes by a bit of their static warps, the highest
    // bit first, into nodes 2n and 2n + 1. So node 32 + j has the lanes whose thread is of static warp j.
    reg  [8*LANES-1:0]  home;     // word p: bit p of each lane's static warp
    reg  [64*LANES-1:0] there;
    integer             l;
    integer             p;
    integer             j;

    always @* begin
        home       = {(8*LANES){1'b0}};
        there      = {(64*LANES){1'b0}};
        op_threads = {THREADS{1'b0}};
        if (op_valid_i && (op_kind_i == BRANCH || op_kind_i == EXIT)) begin
            for (l = 0; l < LANES; l = l + 1)
                for (p = 0; p < 8; p = p + 1)
                    home[p*LANES + l] = op_home_i[l*8 + p];
            there[LANES +: LANES] = op_lanes_i & (op_first_i | {LANES{op_kind_i == EXIT}})
                                    & ~home[5*LANES +: LANES] & ~home[6*LANES +: LANES] & ~home[7*LANES +: LANES];
            for (p = 4; p >= 0; p = p - 1)
                for (j = 16 >> p; j < (32 >> p); j = j + 1) begin
                    there[2*j*LANES +: LANES]     = there[j*LANES +: LANES] & ~home[p*LANES +: LANES];
                    there[(2*j+1)*LANES +: LANES] = there[j*LANES +: LANES] & home[p*LANES +: LANES];
                end
            op_threads = there[32*LANES +: THREADS];
        end
    end

    wire [THREADS-1:0] now    = top_q & live_q;        // masks of the tops
    reg                nobody;                         // has the top of the block that is turned
    reg                all_first;                      // at the branch of its warps, all of it has gone first
    reg                none_first;
    wire               at_rpc = rpc_on && pc == rpc;
    wire               at_lpc = lpc_on && pc == lpc;

    always @* begin
        nobody = 1'b0;
        if (state_q == ST_CHECK || state_q == ST_POP)
            nobody = (now & of_turn) == {THREADS{1'b0}};
    end

    always @* begin
        all_first  = 1'b0;
        none_first = 1'b0;
        if (state_q == ST_DECIDE) begin
            all_first  = (now & ~acc_q & of_turn) == {THREADS{1'b0}};
            none_first = (now & acc_q & of_turn) == {THREADS{1'b0}};
        end
    end

    // The whole top goes one way at its branch: it stays, and only its PC changes.
    wire keep = state_q == ST_DECIDE && ending == END_BRANCH && (all_first || none_first);

    // ---- RAMs: one read or write per cycle

    // A second side at the RPC would be popped as soon as it were the top. It is left out.
    wire               unused   = push_q == PUSH_SIDES && w_rpc_on && w_second == w_rpc;
    wire               push     = state_q == ST_PUSH && !unused && !last_pos && !full;
    wire               make     = state_q == ST_PUSH && !unused && !last_pos && full;
    wire               over     = state_q == ST_PUSH && !unused && last_pos;
    wire               pop      = state_q == ST_POP;
    wire               pop_ram  = pop && pos != base;
    wire               join_ram = state_q == ST_JOIN && at_home;
    wire               write    = state_q == ST_WRITE;
    wire [ROW_W-1:0]   ram_row  = make ? row_base : pop_ram ? row_last : join_ram || write ? row_join : row;
    wire [THREADS-1:0] ram_mask;
    wire [META_W-1:0]  ram_meta;

    // What follows the branch: LPC and LPos of its sides, and those of the likely-convergence entry.
    wire [POS_W+PC_W:0] outer   = tail_q ? meta[LPC_AT +: POS_W+PC_W+1] : {(POS_W+PC_W+1){1'b0}};
    wire [POS_W+PC_W:0] inner   = likely_q ? {likely_pos_q, w_lpc, 1'b1} : outer;
    wire [META_W-1:0]   m_top   = {meta[LPC_AT +: POS_W+PC_W+1], rpc, rpc_on, w_rpc};
    wire [META_W-1:0]   m_likely = {outer, w_rpc, w_rpc_on, w_lpc};
    wire [META_W-1:0]   m_second = {inner, w_rpc, w_rpc_on, w_second};
    wire [META_W-1:0]   m_first  = {inner, w_rpc, w_rpc_on, w_first};

    // The top that stays: all of it; the likely-convergence entry: nobody; the second side: who has not gone first; a join: both entries.
    wire               wr_now   = write || push_q != PUSH_LIKELY;
    wire               wr_side  = !write && push_q == PUSH_SIDES;
    reg  [THREADS-1:0] wr_mask;
    wire [META_W-1:0]  wr_meta  = push_q == PUSH_TOP ? m_top : push_q == PUSH_LIKELY ? m_likely : m_second;

    always @* begin
        wr_mask = {THREADS{1'b0}};
        if (state_q == ST_PUSH || write)
            wr_mask = (now & {THREADS{wr_now}} & ~(acc_q & {THREADS{wr_side}})) | (acc_q & {THREADS{write}});
    end

    cw_ram_1rw #(
        .ADDR_W(ROW_W),
        .PART_W(LANES),
        .PARTS (WARPS)
    ) u_masks (
        .clk_i     (clk_i),
        .rd_en_i   (make || pop_ram || join_ram),
        .wr_en_i   (push || write),
        .wr_parts_i(member),
        .addr_i    (ram_row),
        .wr_data_i (wr_mask),
        .rd_data_o (ram_mask)
`ifdef CW_PROPERTIES
        , .f_addr_i({ROW_W{1'b0}})
        , .f_data_o()
`endif
    );

    cw_ram_1rw #(
        .ADDR_W(BLOCK_W + ROW_W),
        .PART_W(META_W),
        .PARTS (1)
    ) u_entries (
        .clk_i     (clk_i),
        .rd_en_i   (make || pop_ram),
        .wr_en_i   (push),
        .wr_parts_i(1'b1),
        .addr_i    ({turn_q, ram_row}),
        .wr_data_i (wr_meta),
        .rd_data_o (ram_meta)
`ifdef CW_PROPERTIES
        , .f_addr_i({(BLOCK_W+ROW_W){1'b0}})
        , .f_data_o()
`endif
    );

    // ---- Operations

    wire [5:0] b_wcnt   = wcnt_q[b*6 +: 6];
    wire       b_there  = {28'd0, op_block_i} < BLOCKS;
    wire       op       = op_valid_i && state_q == ST_IDLE && b_there;
    wire       runs     = b_state == RUNS;
    wire       start    = op && op_kind_i == START && b_state == NONE;
    wire       branch   = op && op_kind_i == BRANCH && runs;
    wire       leaves   = op && op_kind_i == EXIT && runs;
    wire       ends     = branch || (op && (op_kind_i == ARRIVE || op_kind_i == JOIN) && runs) || (leaves && op_last_i);
    wire       turns    = ends && b_wcnt == 6'd1;
    wire       forget   = op && op_kind_i == END && (runs || b_state == OVERFLOWED);

    // The next step of the state machine.
    reg  [3:0] state_d;

    always @*
        case (state_q)
            ST_IDLE:   state_d = start ? ST_CHECK : turns ? ST_DECIDE : ST_IDLE;
            ST_DECIDE: state_d = keep ? ST_CHECK : ending == END_BRANCH ? ST_PUSH : ending == END_JOIN && lpc_on ? ST_JOIN : ST_POP;
            ST_PUSH:   state_d = over ? ST_IDLE : make ? ST_SPILL : push_q == PUSH_SIDES ? ST_CHECK : ST_PUSH;
            ST_SPILL:  state_d = mem_ready_i ? ST_PUSH : ST_SPILL;
            ST_CHECK:  state_d = nobody || at_rpc ? ST_POP : at_lpc ? ST_JOIN : ST_IDLE;
            ST_POP:    state_d = pos == {POS_W{1'b0}} ? ST_IDLE : pos != base ? ST_LOAD : ST_FETCH;
            ST_LOAD:   state_d = ST_CHECK;
            ST_FETCH:  state_d = mem_ready_i ? ST_AWAIT : ST_FETCH;
            ST_AWAIT:  state_d = mem_rsp_valid_i ? ST_CHECK : ST_AWAIT;
            ST_JOIN:   state_d = at_home ? ST_STAGE : mem_ready_i ? ST_JAWAIT : ST_JOIN;
            ST_STAGE:  state_d = ST_WRITE;
            ST_WRITE:  state_d = ST_POP;
            ST_JAWAIT: state_d = mem_rsp_valid_i ? ST_JSTORE : ST_JAWAIT;
            default:   state_d = mem_ready_i ? ST_POP : ST_JSTORE;
        endcase

    wire sides   = state_q == ST_PUSH && state_d == ST_CHECK;
    wire fetched = state_q == ST_AWAIT && mem_rsp_valid_i;
    wire load    = state_q == ST_LOAD;
    wire down    = load || fetched;               // the entry below becomes the top
    wire gone    = pop && pos == {POS_W{1'b0}};
    wire offer   = state_q == ST_CHECK && state_d == ST_IDLE;
    wire taken   = offer_valid_q && top_ready_i;

    always @(posedge clk_i)
        if (rst_i)
            state_q <= ST_IDLE;
        else
            state_q <= state_d;

    always @(posedge clk_i) begin
        if (state_q == ST_IDLE)
            turn_q <= b;
        if (state_q == ST_DECIDE) begin
            tail_q   <= tail;
            likely_q <= likely;
            push_q   <= !tail ? PUSH_TOP : likely ? PUSH_LIKELY : PUSH_SIDES;
        end else if (push) begin
            push_q <= push_q == PUSH_TOP && likely_q ? PUSH_LIKELY : PUSH_SIDES;
            if (push_q == PUSH_LIKELY)
                likely_pos_q <= pos;
        end
    end

    // ---- Blocks

    wire [BLOCK_W-1:0] m       = made_block_i[BLOCK_W-1:0];
    wire               made    = made_valid_i && {28'd0, made_block_i} < BLOCKS && block_q[m*3 +: 3] == WAITS && made_count_i != 6'd0;

    always @(posedge clk_i)
        if (rst_i) begin
            block_q <= {(BLOCKS*3){1'b0}};
            wcnt_q  <= {(BLOCKS*6){1'b0}};
        end else begin
            if (start || turns)
                block_q[b*3 +: 3] <= TURNS;
            else if (forget)
                block_q[b*3 +: 3] <= NONE;
            if (forget)
                wcnt_q[b*6 +: 6] <= 6'd0;
            else if (ends)
                wcnt_q[b*6 +: 6] <= b_wcnt - 6'd1;
            if (over || gone || offer)
                block_q[turn_q*3 +: 3] <= over ? OVERFLOWED : gone ? NONE : OFFERED;
            if (taken)
                block_q[offer_q*3 +: 3] <= WAITS;
            if (made) begin
                block_q[m*3 +: 3] <= RUNS;
                wcnt_q[m*6 +: 6]  <= made_count_i;
            end
        end

    always @(posedge clk_i) begin
        if (start) begin
            meta_q[b*META_W +: META_W]  <= {{(META_W-PC_W){1'b0}}, op_first_pc_i};
            pos_q[b*POS_W +: POS_W]     <= {POS_W{1'b0}};
            base_q[b*POS_W +: POS_W]    <= {POS_W{1'b0}};
            row_q[b*ROW_W +: ROW_W]     <= {ROW_W{1'b0}};
            member_q[b*WARPS +: WARPS]  <= op_member;
        end
        if (branch)
            way_q[b*WAY_W +: WAY_W] <= {op_lpc_i & {PC_W{op_lpc_valid_i}}, op_lpc_valid_i, op_rpc_i & {PC_W{op_rpc_valid_i}}, op_rpc_valid_i,
                                        op_second_pc_i, op_first_pc_i};
        if (made)
            end_q[m*2 +: 2] <= END_POP;
        if (ends && !leaves)
            end_q[b*2 +: 2] <= branch ? END_BRANCH : op_kind_i == JOIN ? END_JOIN : END_POP;
        if (push) begin
            pos_q[turn_q*POS_W +: POS_W] <= pos + 1'b1;
            row_q[turn_q*ROW_W +: ROW_W] <= row_next;
        end
        if (sides)
            meta_q[turn_q*META_W +: META_W] <= m_first;
        if (keep)
            meta_q[turn_q*META_W +: PC_W] <= all_first ? w_first : w_second;
        if (state_q == ST_SPILL && mem_ready_i)
            base_q[turn_q*POS_W +: POS_W] <= base + 1'b1;
        if (down) begin
            meta_q[turn_q*META_W +: META_W] <= load ? ram_meta : mem_rdata_i[1024 +: META_W];
            pos_q[turn_q*POS_W +: POS_W]    <= under;
            row_q[turn_q*ROW_W +: ROW_W]    <= row_last;
        end
        if (fetched)
            base_q[turn_q*POS_W +: POS_W] <= under;
    end

    // ---- Threads

    wire [THREADS-1:0] new_top = sides ? now & acc_q : load ? ram_mask : rsp_mask;
    wire [THREADS-1:0] new_acc = sides || keep || write || state_q == ST_JSTORE ? {THREADS{1'b0}} : state_q == ST_STAGE ? ram_mask : rsp_mask;
    wire               set_top = sides || down;
    wire               set_acc = sides || keep || write || state_q == ST_JSTORE || state_q == ST_STAGE || state_q == ST_JAWAIT;

    // No operation comes while a stack is turned.
    reg  [THREADS-1:0] top_d;
    reg  [THREADS-1:0] live_d;
    reg  [THREADS-1:0] acc_d;

    always @* begin
        top_d  = {THREADS{1'b0}};
        live_d = {THREADS{1'b0}};
        acc_d  = {THREADS{1'b0}};
        if (start) begin
            top_d  = (top_q & ~op_words) | op_start;
            live_d = (live_q & ~op_words) | op_start;
            acc_d  = acc_q & ~op_words;
        end else begin
            if (set_top)
                top_d = (top_q & ~of_turn) | (new_top & of_turn);
            if (leaves)
                live_d = live_q & ~(op_threads & of_op);
            if (branch)
                acc_d = acc_q | (op_threads & of_op);
            else if (set_acc)
                acc_d = (acc_q & ~of_turn) | (new_acc & of_turn);
        end
    end

    always @(posedge clk_i) begin
        if (start || set_top)
            top_q <= top_d;
        if (start || leaves)
            live_q <= live_d;
        if (start || branch || (set_acc && (state_q != ST_JSTORE || mem_ready_i)))
            acc_q <= acc_d;
    end

    // ---- Offer

    reg  [BLOCKS-1:0]  ready_now;
    reg  [BLOCKS-1:0]  ready;      // but for the one that is being taken
    reg  [BLOCK_W-1:0] lowest;
    integer            h;
    integer            k;
    integer            n;

    always @*
        for (h = 0; h < BLOCKS; h = h + 1)
            ready_now[h] = block_q[h*3 +: 3] == OFFERED;

    always @*
        for (k = 0; k < BLOCKS; k = k + 1)
            ready[k] = ready_now[k] && !(taken && offer_q == k[BLOCK_W-1:0]);

    always @* begin
        lowest = {BLOCK_W{1'b0}};
        for (n = BLOCKS - 1; n >= 0; n = n - 1)
            if (ready[n])
                lowest = n[BLOCK_W-1:0];
    end

    always @(posedge clk_i)
        if (rst_i)
            offer_valid_q <= 1'b0;
        else if (!offer_valid_q || top_ready_i)
            offer_valid_q <= |ready;

    always @(posedge clk_i)
        if (!offer_valid_q || top_ready_i)
            offer_q <= lowest;

    wire [META_W-1:0] o_meta = meta_q[offer_q*META_W +: META_W] & {META_W{offer_valid_q}};

    assign top_valid_o     = offer_valid_q;
    assign top_block_o     = {{(4-BLOCK_W){1'b0}}, offer_q & {BLOCK_W{offer_valid_q}}};
    assign top_pc_o        = o_meta[PC_W-1:0];
    assign top_rpc_valid_o = o_meta[RPC_AT];
    assign top_rpc_o       = o_meta[RPC_AT+1 +: PC_W];
    assign top_lpc_valid_o = o_meta[LPC_AT];
    assign top_lpc_o       = o_meta[LPC_AT+1 +: PC_W];

    integer v;

    always @* begin
        top_mask_o = 1024'd0;
        if (top_valid_o)
            for (v = 0; v < WARPS; v = v + 1)
                top_mask_o[v*32 +: LANES] = now[v*LANES +: LANES] & {LANES{o_in[v]}};
    end

    // ---- Reports, questions, status

    wire [BLOCK_W-1:0] q       = qry_block_i[BLOCK_W-1:0];
    wire [2:0]         q_state = block_q[q*3 +: 3];
    wire               q_there = qry_valid_i && {28'd0, qry_block_i} < BLOCKS && q_state != NONE;
    wire [POS_W:0]     height  = start ? {{POS_W{1'b0}}, 1'b1} : push ? {1'b0, pos} + 2 : {(POS_W+1){1'b0}};

    always @(posedge clk_i)
        if (rst_i) begin
            pop_valid_q   <= 1'b0;
            ended_valid_q <= 1'b0;
            qry_valid_q   <= 1'b0;
            qry_state_q   <= NONE;
            qry_pc_q      <= {PC_W{1'b0}};
            qry_wcnt_q    <= 6'd0;
            qry_depth_q   <= {(POS_W+1){1'b0}};
            peak_q        <= {(POS_W+1){1'b0}};
            overflow_q    <= 1'b0;
        end else begin
            pop_valid_q   <= pop;
            ended_valid_q <= gone;
            qry_valid_q   <= qry_valid_i;
            qry_state_q   <= q_there ? q_state : NONE;
            qry_pc_q      <= q_there ? meta_q[q*META_W +: PC_W] : {PC_W{1'b0}};
            qry_wcnt_q    <= q_there ? wcnt_q[q*6 +: 6] : 6'd0;
            qry_depth_q   <= q_there ? {1'b0, pos_q[q*POS_W +: POS_W]} + 1'b1 : {(POS_W+1){1'b0}};
            if (height > peak_q)
                peak_q <= height;
            overflow_q    <= overflow_q || over;
        end

    always @(posedge clk_i)
        if (pop) begin
            pop_block_q <= turn_q;
            pop_pc_q    <= pc;
            pop_empty_q <= nobody;
        end

    assign op_ready_o    = state_q == ST_IDLE;
    assign pop_valid_o   = pop_valid_q;
    assign pop_block_o   = {{(4-BLOCK_W){1'b0}}, pop_block_q & {BLOCK_W{pop_valid_q}}};
    assign pop_pc_o      = pop_pc_q & {PC_W{pop_valid_q}};
    assign pop_empty_o   = pop_empty_q && pop_valid_q;
    assign ended_valid_o = ended_valid_q;
    assign ended_block_o = {{(4-BLOCK_W){1'b0}}, pop_block_q & {BLOCK_W{ended_valid_q}}};
    assign qry_state_o   = qry_state_q;
    assign qry_pc_o      = qry_pc_q;
    assign qry_wcnt_o    = qry_wcnt_q;
    assign qry_depth_o   = qry_depth_q;
    assign peak_o        = peak_q;
    assign overflow_o    = overflow_q;
    assign busy_o        = state_q != ST_IDLE || |ready_now || offer_valid_q || pop_valid_q || ended_valid_q || qry_valid_q;

    // ---- Memory

    wire spill  = state_q == ST_SPILL;
    wire jfetch = state_q == ST_JOIN && !at_home;
    wire jstore = state_q == ST_JSTORE;

    assign mem_valid_o     = spill || state_q == ST_FETCH || jfetch || jstore;
    assign mem_write_o     = spill || jstore;
    assign mem_mask_only_o = jstore;
    assign mem_addr_o      = mem_valid_o ? {{(4-BLOCK_W){1'b0}}, turn_q, spill ? base : state_q == ST_FETCH ? under : lpos} : {(POS_W+4){1'b0}};

    reg  [THREADS-1:0] m_mask;
    integer            u;

    always @* begin
        m_mask      = {THREADS{1'b0}};
        mem_wdata_o = 1152'd0;
        if (spill || jstore) begin
            m_mask = ((ram_mask & {THREADS{spill}}) | ((acc_q | now) & {THREADS{jstore}})) & of_turn;
            for (u = 0; u < WARPS; u = u + 1)
                mem_wdata_o[u*32 +: LANES] = m_mask[u*LANES +: LANES];
            mem_wdata_o[1024 +: META_W] = ram_meta & {META_W{spill}};
        end
    end

`ifdef CW_PROPERTIES
    // One block and one thread, of the prover's choice, and what the ports have shown of them.
    (* anyconst *) reg [3:0] f_block;
    (* anyconst *) reg [4:0] f_warp;
    (* anyconst *) reg [4:0] f_lane;
    reg                      f_past_q = 1'b0;
    reg  [5:0]               f_left_q;      // warps of the block that have been made and have not come
    reg                      f_waits_q;     // its top has been taken, and nobody has said how many warps it makes
    reg                      f_known_q;     // the thread has been in a first mask
    reg  [3:0]               f_owner_q;     // of this block
    reg                      f_alive_q;     // and has not exited since
    reg                      f_first_q;     // it has gone first at the branch that its warps are at
    reg                      f_plain_q;     // since the first mask its block has had no branch without RPC and no access to memory
    reg                      f_offer_q;     // an offer was not taken
    reg  [1024+5*PC_W:0]     f_shown_q;
    reg                      f_mem_q;       // an access was not taken
    reg  [POS_W+1157:0]      f_access_q;
    reg  [2:0]               f_turns_q;     // turns of the block that have ended in an offer, up to 7
    reg                      f_second_q;    // the thread has been in a second side
    reg                      f_kept_q;      // all of the top of the block has gone one way in the cycle before
    reg                      f_was_q;       // then: the thread was in it
    reg  [META_W-1:0]        f_goes_q;      // then: what it is to be
    reg                      f_in;          // the thread is in the operation
    reg                      f_now;         // in its block's top, as the unit has it
    reg                      f_top;         // in the top that is offered
    reg                      f_ram;         // in the row that is written
    reg                      f_acc;         // noted as gone first
    reg                      f_live;        // the unit has it as a thread of the block that has not exited
    reg                      f_any;         // the block's top has a thread
    reg                      f_join;        // the block that is chosen has a common static warp with another
    reg                      f_start_in;    // in the first mask that comes
    reg                      f_one_turns;   // only the block that is turned turns, and the one that is offered is ready
    reg                      f_apart;       // no two blocks have a common static warp
    integer                  fi;
    integer                  fj;

    wire                     f_exists = {28'd0, f_block} < BLOCKS;
    wire [2:0]               f_state  = block_q[f_block[BLOCK_W-1:0]*3 +: 3];
    wire [META_W-1:0]        f_meta   = meta_q[f_block[BLOCK_W-1:0]*META_W +: META_W];
    wire [5:0]               f_wcnt   = wcnt_q[f_block[BLOCK_W-1:0]*6 +: 6];
    wire [POS_W-1:0]         f_pos    = pos_q[f_block[BLOCK_W-1:0]*POS_W +: POS_W];
    wire [POS_W-1:0]         f_base   = base_q[f_block[BLOCK_W-1:0]*POS_W +: POS_W];
    wire                     f_op     = op_valid_i && op_ready_o && op_block_i == f_block && f_exists;
    wire                     f_comes  = f_op && f_left_q != 6'd0 && (op_kind_i == BRANCH || op_kind_i == ARRIVE || op_kind_i == JOIN
                                                                      || (op_kind_i == EXIT && op_last_i));
    wire                     f_mine   = f_known_q && f_owner_q == f_block;
    wire                     f_taken  = top_valid_o && top_ready_i && top_block_o == f_block;
    wire                     f_made   = f_waits_q && made_valid_i && made_block_i == f_block && made_count_i != 6'd0;

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
                f_any = f_any || (now[fi*LANES + fj] && member_q[f_block[BLOCK_W-1:0]*WARPS + fi]);
                if (fi == f_warp && fj == f_lane) begin
                    f_in       = op_lanes_i[fj] && op_home_i[fj*8 +: 8] == fi;
                    f_now      = now[fi*LANES + fj];
                    f_top      = top_mask_o[fi*32 + fj];
                    f_ram      = wr_mask[fi*LANES + fj];
                    f_acc      = acc_q[fi*LANES + fj];
                    f_live     = live_q[fi*LANES + fj] && member_q[f_block[BLOCK_W-1:0]*WARPS + fi];
                    f_start_in = op_mask_i[fi*32 + fj];
                end
            end
        f_join = 1'b0;
        for (fj = 0; fj < BLOCKS; fj = fj + 1)
            if (fj != op_block_i && block_q[fj*3 +: 3] != NONE && (member_q[fj*WARPS +: WARPS] & op_member) != {WARPS{1'b0}})
                f_join = 1'b1;
    end

    always @* begin
        f_one_turns = 1'b1;
        f_apart     = 1'b1;
        for (fi = 0; fi < BLOCKS; fi = fi + 1) begin
            f_one_turns = f_one_turns && (block_q[fi*3 +: 3] == TURNS) == (state_q != ST_IDLE && turn_q == fi)
                          && block_q[fi*3 +: 3] <= OVERFLOWED && (!offer_valid_q || offer_q != fi || block_q[fi*3 +: 3] == OFFERED);
            for (fj = 0; fj < fi; fj = fj + 1)
                f_apart = f_apart && (block_q[fi*3 +: 3] == NONE || block_q[fj*3 +: 3] == NONE
                                      || (member_q[fi*WARPS +: WARPS] & member_q[fj*WARPS +: WARPS]) == {WARPS{1'b0}});
        end
    end

    always @(posedge clk_i) begin
        f_past_q   <= 1'b1;
        f_offer_q  <= !rst_i && top_valid_o && !top_ready_i;
        f_shown_q  <= {top_mask_o, top_block_o, top_pc_o, top_rpc_o, top_lpc_o, top_rpc_valid_o, top_lpc_valid_o};
        f_mem_q    <= !rst_i && mem_valid_o && !mem_ready_i;
        f_access_q <= {mem_write_o, mem_mask_only_o, mem_addr_o, mem_wdata_o};
        f_kept_q   <= !rst_i && keep && turn_q == f_block[BLOCK_W-1:0] && f_exists;
        f_was_q    <= f_now;
        f_goes_q   <= {f_meta[META_W-1:PC_W], f_first_q ? w_first : w_second};
        if (rst_i) begin
            f_left_q   <= 6'd0;
            f_waits_q  <= 1'b0;
            f_known_q  <= 1'b0;
            f_alive_q  <= 1'b0;
            f_first_q  <= 1'b0;
            f_turns_q  <= 3'd0;
            f_second_q <= 1'b0;
        end else begin
            f_waits_q <= f_taken || (f_waits_q && !f_made);
            if (f_made)
                f_left_q <= made_count_i;
            else if (f_op && op_kind_i == END)
                f_left_q <= 6'd0;
            else if (f_comes)
                f_left_q <= f_left_q - 6'd1;
            if (start && f_start_in) begin
                f_known_q  <= 1'b1;
                f_owner_q  <= op_block_i;
                f_alive_q  <= 1'b1;
                f_first_q  <= 1'b0;
                f_plain_q  <= 1'b1;
                f_second_q <= 1'b0;
            end else if (f_mine) begin
                if (f_op && f_left_q != 6'd0 && op_kind_i == EXIT && f_in)
                    f_alive_q <= 1'b0;
                if (f_op && f_left_q != 6'd0 && op_kind_i == BRANCH && f_in && op_first_i[f_lane])
                    f_first_q <= 1'b1;
                if (turn_q == f_block[BLOCK_W-1:0] && (sides || keep || state_q == ST_WRITE || state_q == ST_JSTORE))
                    f_first_q <= 1'b0;
                if ((f_op && op_kind_i == BRANCH && !op_rpc_valid_i) || mem_valid_o)
                    f_plain_q <= 1'b0;
                if (sides && push && f_ram && turn_q == f_block[BLOCK_W-1:0])
                    f_second_q <= 1'b1;
                if (forget && op_block_i == f_block)
                    f_known_q <= 1'b0;
                if (gone && turn_q == f_block[BLOCK_W-1:0])
                    f_known_q <= 1'b0;
            end
            if (f_taken && f_turns_q != 3'd7)
                f_turns_q <= f_turns_q + 3'd1;
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q && f_exists) begin
            // 1. WCnt is the number of warps that have been made and have not come; so a block runs while one is missing.
            if (f_state == RUNS)
                assert (f_wcnt == f_left_q && f_left_q != 6'd0);
            if (f_state != RUNS)
                assert (f_left_q == 6'd0);
            assert (f_waits_q == (f_state == WAITS));
            cover (f_state == RUNS && f_left_q == 6'd1 && f_turns_q == 3'd2);
            // 2. A block's top is offered when all its warps have come.
            if (top_valid_o && top_block_o == f_block)
                assert (f_left_q == 6'd0 && !f_waits_q && f_state == OFFERED);
            cover (top_valid_o && top_block_o == f_block && f_turns_q == 3'd2);
            // 3. An offer that is not taken stays. What is not an offer is 0.
            if (f_offer_q)
                assert (top_valid_o && f_shown_q == {top_mask_o, top_block_o, top_pc_o, top_rpc_o, top_lpc_o, top_rpc_valid_o, top_lpc_valid_o});
            if (!top_valid_o)
                assert (top_mask_o == 1024'd0 && top_block_o == 4'd0 && top_pc_o == {PC_W{1'b0}} && !top_rpc_valid_o && !top_lpc_valid_o);
            cover (f_offer_q && f_turns_q == 3'd1);
            // 4. A top has threads of its block that have not exited, and no others.
            if (top_valid_o && top_block_o == f_block && f_top)
                assert (f_mine && f_alive_q);
            if (top_valid_o && top_block_o == f_block)
                assert (top_mask_o != 1024'd0);
            cover (top_valid_o && top_block_o == f_block && f_mine && !f_alive_q);
            // 5. At a branch, each live thread of the top goes to one side: first if it was said to, else second, unless that is at the RPC. When
            // all go to one side, the top goes there with all its threads, its RPC and its LPC.
            if (sides && turn_q == f_block[BLOCK_W-1:0] && f_mine && f_now)
                assert (f_acc == f_first_q && (f_first_q || (push ? f_ram : w_rpc_on && w_second == w_rpc)));
            if (sides && push && f_first_q && f_mine && turn_q == f_block[BLOCK_W-1:0])
                assert (!f_ram);
            if (keep && turn_q == f_block[BLOCK_W-1:0] && f_mine && f_now)
                assert (f_acc == f_first_q && f_first_q == all_first);
            if (f_kept_q)
                assert (f_meta[META_W-1:PC_W] == f_goes_q[META_W-1:PC_W]);
            if (f_kept_q && f_mine)
                assert (f_now == f_was_q && !f_acc && (!f_was_q || f_meta == f_goes_q));
            cover (sides && turn_q == f_block[BLOCK_W-1:0] && f_mine && f_now && f_first_q && push);
            cover (f_kept_q && f_mine && f_now && f_goes_q[LPC_AT]);
            cover (sides && turn_q == f_block[BLOCK_W-1:0] && f_mine && f_now && !f_first_q && push);
            // 6. When the bottom of a stack is offered, all threads of the block that have not exited are together again, unless a branch had no RPC.
            if (top_valid_o && top_block_o == f_block && f_pos == {POS_W{1'b0}} && f_mine && f_alive_q && f_plain_q)
                assert (f_top);
            cover (top_valid_o && top_block_o == f_block && f_pos == {POS_W{1'b0}} && f_mine && f_alive_q && f_plain_q && f_second_q);
            // 7. A RAM is never read and written in one cycle.
            assert (!((make || pop_ram || join_ram) && (push || write)));
            cover (make && f_turns_q != 3'd0);
            // 8. An access to memory that is not taken stays.
            if (f_mem_q)
                assert (mem_valid_o && f_access_q == {mem_write_o, mem_mask_only_o, mem_addr_o, mem_wdata_o});
            cover (f_mem_q && mem_write_o);
            // 9. The unit holds no more entries of a block than it has rows, and the peak is not below any stack.
            if (f_state != NONE)
                assert (f_base <= f_pos && {{(32-POS_W){1'b0}}, f_pos - f_base} <= DEPTH && peak_o > {1'b0, f_pos});
            cover (f_state == RUNS && f_base != {POS_W{1'b0}});
            // 10. (for induction) The block that is turned is the only one that turns, the one that is offered is ready, and blocks are apart.
            assert (f_one_turns);
            assert (f_apart);
            if (f_state != NONE && f_live)
                assert (f_mine && f_alive_q);
            if (f_state == OFFERED)
                assert (f_any);
            assert (state_q <= ST_JSTORE);
            if (state_q != ST_IDLE)
                assert ({{(32-BLOCK_W){1'b0}}, turn_q} < BLOCKS);
            if (offer_valid_q)
                assert ({{(32-BLOCK_W){1'b0}}, offer_q} < BLOCKS);
            if (state_q == ST_SPILL)
                assert (held != {POS_W{1'b0}} && mem_write_o);
            if (state_q == ST_LOAD)
                assert (pos != base);
            if (state_q == ST_FETCH || state_q == ST_AWAIT)
                assert (pos == base && pos != {POS_W{1'b0}});
            cover (f_state == TURNS && f_turns_q == 3'd2);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif
`ifdef CW_PROPERTIES
    always @(`CW_PROPERTIES)
        // contract: [3] Two blocks must not have one static warp.
        if (f_past_q && !rst_i && start)
            assume (!f_join);
`endif

    generate
        if (LANES < 1 || LANES > 32) begin : g_bad_lanes
            cw_error_block_stack_lanes_must_be_1_to_32 u_error ();
        end
        if (WARPS < 1 || WARPS > 32) begin : g_bad_warps
            cw_error_block_stack_warps_must_be_1_to_32 u_error ();
        end
        if (BLOCKS < 1 || BLOCKS > 16) begin : g_bad_blocks
            cw_error_block_stack_blocks_must_be_1_to_16 u_error ();
        end
        if (DEPTH < 2 || DEPTH > 64) begin : g_bad_depth
            cw_error_block_stack_depth_must_be_2_to_64 u_error ();
        end
        if (PC_W < 1 || PC_W > 24) begin : g_bad_pc_w
            cw_error_block_stack_pc_w_must_be_1_to_24 u_error ();
        end
        if (POS_W < 2 || POS_W > 8) begin : g_bad_pos_w
            cw_error_block_stack_pos_w_must_be_2_to_8 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
