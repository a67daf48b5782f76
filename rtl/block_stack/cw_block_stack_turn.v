// SPDX-License-Identifier: Apache-2.0
//
// cw_block_stack_turn: turns a block's stack when the last warp of its top has come.
//
// Why         : a turn pushes and pops entries, and may join one; entries lie in RAMs with one port, so it takes steps.
// How         : a state machine. A branch changes the top that stays, pushes a likely-convergence entry, then both
//               sides. An entry that has nobody, or is at its RPC, is popped; one that is at its LPC is joined with the
//               entry below that it names. When the RAMs are full, the lowest entry of the block makes room, and goes
//               to memory.
// Stages      : a state is a step; the names are below.
// Latency     : from the last warp's branch to the offer six cycles, with no likely-convergence entry and nothing to
//               pop.
// Throughput  : one block at a time, a row of the RAMs per cycle.
// Storage     : entries but for their masks, BLOCKS*DEPTH rows in a RAM with one port.
// Illegal use : see cw_block_stack.
//
// Paper: Fung 2015, sections 3.4 and 3.7, Figures 3.7 and 3.8. It is a part of cw_block_stack.
// C model: part of csim/unit/block_stack.c.

`default_nettype none

module cw_block_stack_turn #(
    parameter DEPTH   = 16,
    parameter PC_W    = 16,
    parameter POS_W   = 8,
    parameter BLOCK_W = 3,   // of a block's number
    parameter ROW_W   = 4,   // of a row's number
    parameter META_W  = 58,  // of an entry beside its mask: {LPos, LPC, LPC valid, RPC, RPC valid, PC}
    parameter WAY_W   = 66   // of a branch: {LPC, LPC valid, RPC, RPC valid, second PC, first PC}
) (
    input  wire               clk_i,
    input  wire               rst_i,
    // an operation: its block, and whether that has a first mask or is to be turned
    input  wire [BLOCK_W-1:0] op_block_i,
    input  wire               start_i,
    input  wire               turns_i,
    // the block whose stack is turned
    output wire [BLOCK_W-1:0] turn_o,
    input  wire [META_W-1:0]  meta_i,
    input  wire [WAY_W-1:0]   way_i,
    input  wire [POS_W-1:0]   pos_i,
    input  wire [ROW_W-1:0]   row_i,
    input  wire [POS_W-1:0]   base_i,
    input  wire [1:0]         ending_i,
    // of its threads
    input  wire               nobody_i,
    input  wire               all_first_i,
    input  wire               none_first_i,
    // steps: no stack is turned; it is decided; whether the top has anybody matters; entries are pushed
    output wire               idle_o,
    output wire               decides_o,
    output wire               checks_o,
    output wire               pushes_o,
    output wire               push_o,        // an entry is written
    output wire               sides_o,       // and both sides are there
    output wire               keep_o,        // the whole top goes one way at its branch: only its PC changes
    output wire               pop_o,
    output wire               load_o,        // the entry below becomes the top, from the RAM
    output wire               fetched_o,     // from memory
    // of a join: the RAM shows the entry; it is written; memory answers; it is stored
    output wire               stage_o,
    output wire               write_o,
    output wire               await_o,
    output wire               store_o,
    output wire               spill_o,       // an entry makes room
    output wire               spilled_o,
    output wire               over_o,        // there is no position left
    output wire               gone_o,        // the stack is empty
    output wire               offer_o,       // the top may run
    // what becomes of the top
    output wire [META_W-1:0]  first_meta_o,
    output wire [PC_W-1:0]    keep_pc_o,
    output wire [ROW_W-1:0]   row_next_o,
    output wire [ROW_W-1:0]   row_last_o,
    output wire [META_W-1:0]  ram_meta_o,
    // the RAM of masks
    output wire               rd_en_o,
    output wire               wr_en_o,
    output wire [ROW_W-1:0]   ram_row_o,
    output wire               wr_now_o,
    output wire               wr_side_o,
    // memory
    output wire               mem_valid_o,
    output wire               mem_write_o,
    output wire               mem_mask_only_o,
    output wire [POS_W+3:0]   mem_addr_o,
    input  wire               mem_ready_i,
    input  wire               mem_rsp_valid_i
`ifdef CW_PROPERTIES
    // {the state is one; entries in the RAMs; one makes room; the top is above them; a read of memory; the second side
    // is at the RPC; the sides' PCs}
    , output wire [POS_W+2*PC_W+4:0] f_turn_o
`endif
);

    localparam RPC_AT  = PC_W;          // of RPC valid
    localparam LPC_AT  = 2 * PC_W + 1;  // of LPC valid
    localparam LPOS_AT = 3 * PC_W + 2;

    // How the warps of an entry end.
    localparam [1:0] END_BRANCH = 2'd1,
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

    reg  [3:0]         state_q;
    reg  [3:0]         state_d;
    reg  [1:0]         push_q;
    reg                tail_q;
    reg                likely_q;      // a likely-convergence entry is pushed
    reg  [POS_W-1:0]   likely_pos_q;
    reg  [BLOCK_W-1:0] turn_q;

    wire [PC_W-1:0]    pc       = meta_i[PC_W-1:0];
    wire               rpc_on   = meta_i[RPC_AT];
    wire [PC_W-1:0]    rpc      = meta_i[RPC_AT+1 +: PC_W];
    wire               lpc_on   = meta_i[LPC_AT];
    wire [PC_W-1:0]    lpc      = meta_i[LPC_AT+1 +: PC_W];
    wire [POS_W-1:0]   lpos     = meta_i[LPOS_AT +: POS_W];

    wire [PC_W-1:0]    w_first  = way_i[PC_W-1:0];
    wire [PC_W-1:0]    w_second = way_i[PC_W +: PC_W];
    wire               w_rpc_on = way_i[2*PC_W];
    wire [PC_W-1:0]    w_rpc    = way_i[2*PC_W+1 +: PC_W];
    wire               w_lpc_on = way_i[3*PC_W+1];
    wire [PC_W-1:0]    w_lpc    = way_i[3*PC_W+2 +: PC_W];

    wire [POS_W-1:0]   held     = pos_i - base_i;         // entries in the RAMs
    wire               full     = {{(32-POS_W){1'b0}}, held} == DEPTH;
    wire               last_pos = &pos_i;
    wire               at_home  = lpos >= base_i;         // the entry that is joined is in the RAMs
    wire               tail     = w_rpc_on == rpc_on && (!w_rpc_on || w_rpc == rpc);
    wire               likely   = w_lpc_on && !(w_rpc_on && w_lpc == w_rpc) && !(tail && lpc_on && lpc == w_lpc);
    wire               at_rpc   = rpc_on && pc == rpc;
    wire               at_lpc   = lpc_on && pc == lpc;
    wire               bottom   = pos_i == {POS_W{1'b0}};

    wire               keep     = state_q == ST_DECIDE && ending_i == END_BRANCH && (all_first_i || none_first_i);

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

    wire [31:0]        row_up   = {{(32-ROW_W){1'b0}}, row_i} + 1;
    wire [ROW_W-1:0]   row_base = row_back(row_i, held);
    wire [ROW_W-1:0]   row_last = row_back(row_i, {{(POS_W-1){1'b0}}, 1'b1});
    wire [ROW_W-1:0]   row_join = row_back(row_i, pos_i - lpos);

    // RAMs: one read or write per cycle. A second side at the RPC would be popped as soon as it were the top, so it is
    // left out.
    wire               unused   = push_q == PUSH_SIDES && w_rpc_on && w_second == w_rpc;
    wire               push     = state_q == ST_PUSH && !unused && !last_pos && !full;
    wire               make     = state_q == ST_PUSH && !unused && !last_pos && full;
    wire               over     = state_q == ST_PUSH && !unused && last_pos;
    wire               pop      = state_q == ST_POP;
    wire               pop_ram  = pop && pos_i != base_i;
    wire               join_ram = state_q == ST_JOIN && at_home;
    wire               write    = state_q == ST_WRITE;
    wire [ROW_W-1:0]   ram_row  = make ? row_base : pop_ram ? row_last : join_ram || write ? row_join : row_i;

    // What follows the branch: LPC and LPos of its sides, and those of the likely-convergence entry.
    wire [POS_W+PC_W:0] outer    = tail_q ? meta_i[LPC_AT +: POS_W+PC_W+1] : {(POS_W+PC_W+1){1'b0}};
    wire [POS_W+PC_W:0] inner    = likely_q ? {likely_pos_q, w_lpc, 1'b1} : outer;
    wire [META_W-1:0]   m_top    = {meta_i[LPC_AT +: POS_W+PC_W+1], rpc, rpc_on, w_rpc};
    wire [META_W-1:0]   m_likely = {outer, w_rpc, w_rpc_on, w_lpc};
    wire [META_W-1:0]   m_second = {inner, w_rpc, w_rpc_on, w_second};
    wire [META_W-1:0]   m_first  = {inner, w_rpc, w_rpc_on, w_first};

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
        .wr_data_i (push_q == PUSH_TOP ? m_top : push_q == PUSH_LIKELY ? m_likely : m_second),
        .rd_data_o (ram_meta_o)
`ifdef CW_PROPERTIES
        , .f_addr_i({(BLOCK_W+ROW_W){1'b0}})
        , .f_data_o()
`endif
    );

    // The next step.
    always @*
        case (state_q)
            ST_IDLE:   state_d = start_i ? ST_CHECK : turns_i ? ST_DECIDE : ST_IDLE;
            ST_DECIDE: state_d = keep ? ST_CHECK : ending_i == END_BRANCH ? ST_PUSH
                                 : ending_i == END_JOIN && lpc_on ? ST_JOIN : ST_POP;
            ST_PUSH:   state_d = over ? ST_IDLE : make ? ST_SPILL : push_q == PUSH_SIDES ? ST_CHECK : ST_PUSH;
            ST_SPILL:  state_d = mem_ready_i ? ST_PUSH : ST_SPILL;
            ST_CHECK:  state_d = nobody_i || at_rpc ? ST_POP : at_lpc ? ST_JOIN : ST_IDLE;
            ST_POP:    state_d = bottom ? ST_IDLE : pos_i != base_i ? ST_LOAD : ST_FETCH;
            ST_LOAD:   state_d = ST_CHECK;
            ST_FETCH:  state_d = mem_ready_i ? ST_AWAIT : ST_FETCH;
            ST_AWAIT:  state_d = mem_rsp_valid_i ? ST_CHECK : ST_AWAIT;
            ST_JOIN:   state_d = at_home ? ST_STAGE : mem_ready_i ? ST_JAWAIT : ST_JOIN;
            ST_STAGE:  state_d = ST_WRITE;
            ST_WRITE:  state_d = ST_POP;
            ST_JAWAIT: state_d = mem_rsp_valid_i ? ST_JSTORE : ST_JAWAIT;
            default:   state_d = mem_ready_i ? ST_POP : ST_JSTORE;
        endcase

    always @(posedge clk_i)
        if (rst_i)
            state_q <= ST_IDLE;
        else
            state_q <= state_d;

    always @(posedge clk_i) begin
        if (state_q == ST_IDLE)
            turn_q <= op_block_i;
        if (state_q == ST_DECIDE) begin
            tail_q   <= tail;
            likely_q <= likely;
            push_q   <= !tail ? PUSH_TOP : likely ? PUSH_LIKELY : PUSH_SIDES;
        end else if (push) begin
            push_q <= push_q == PUSH_TOP && likely_q ? PUSH_LIKELY : PUSH_SIDES;
            if (push_q == PUSH_LIKELY)
                likely_pos_q <= pos_i;
        end
    end

    assign turn_o       = turn_q;
    assign idle_o       = state_q == ST_IDLE;
    assign decides_o    = state_q == ST_DECIDE;
    assign checks_o     = state_q == ST_CHECK || state_q == ST_POP;
    assign pushes_o     = state_q == ST_PUSH;
    assign push_o       = push;
    assign sides_o      = state_q == ST_PUSH && state_d == ST_CHECK;
    assign keep_o       = keep;
    assign pop_o        = pop;
    assign load_o       = state_q == ST_LOAD;
    assign fetched_o    = state_q == ST_AWAIT && mem_rsp_valid_i;
    assign stage_o      = state_q == ST_STAGE;
    assign write_o      = write;
    assign await_o      = state_q == ST_JAWAIT;
    assign store_o      = state_q == ST_JSTORE;
    assign spill_o      = state_q == ST_SPILL;
    assign spilled_o    = state_q == ST_SPILL && mem_ready_i;
    assign over_o       = over;
    assign gone_o       = pop && bottom;
    assign offer_o      = state_q == ST_CHECK && state_d == ST_IDLE;
    assign first_meta_o = m_first;
    assign keep_pc_o    = all_first_i ? w_first : w_second;
    assign row_next_o   = row_up == DEPTH ? {ROW_W{1'b0}} : row_up[ROW_W-1:0];
    assign row_last_o   = row_last;
    assign rd_en_o      = make || pop_ram || join_ram;
    assign wr_en_o      = push || write;
    assign ram_row_o    = ram_row;
    assign wr_now_o     = write || push_q != PUSH_LIKELY;
    assign wr_side_o    = !write && push_q == PUSH_SIDES;

    // Memory.
    wire               jfetch = state_q == ST_JOIN && !at_home;
    wire [POS_W-1:0]   under  = pos_i - 1'b1;
    wire [POS_W-1:0]   place  = spill_o ? base_i : state_q == ST_FETCH ? under : lpos;

    assign mem_valid_o     = spill_o || state_q == ST_FETCH || jfetch || store_o;
    assign mem_write_o     = spill_o || store_o;
    assign mem_mask_only_o = store_o;
    assign mem_addr_o      = mem_valid_o ? {{(4-BLOCK_W){1'b0}}, turn_q, place} : {(POS_W+4){1'b0}};

`ifdef CW_PROPERTIES
    assign f_turn_o = {state_q <= ST_JSTORE, held, make, pos_i != base_i, state_q == ST_FETCH || state_q == ST_AWAIT,
                       w_rpc_on && w_second == w_rpc, w_first, w_second};
`endif

endmodule

`default_nettype wire
