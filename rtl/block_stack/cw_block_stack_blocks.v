// SPDX-License-Identifier: Apache-2.0
//
// cw_block_stack_blocks: what the block stacks know of blocks: state, top, and how many of its warps are missing.
//
// Why         : blocks run independently, so each has its registers; a turn works on those of one block.
// How         : an operation changes its block, a turn the block that is turned, a top that is taken or made its own;
//               these are different blocks. A turn, and the offer, see their block's registers through a multiplexer.
// Stages      : one.
// Latency     : a change is seen in the next cycle; so is the answer to a question.
// Throughput  : one of each kind per cycle.
// Storage     : about 8 * PC_W flip-flops per block.
// Illegal use : see cw_block_stack.
//
// Paper: Fung 2015, sections 3.3 and 3.4. It is a part of cw_block_stack. C model: part of csim/unit/block_stack.c.

`default_nettype none

module cw_block_stack_blocks #(
    parameter WARPS   = 32,
    parameter BLOCKS  = 8,
    parameter PC_W    = 16,
    parameter POS_W   = 8,
    parameter BLOCK_W = 3,   // of a block's number
    parameter ROW_W   = 4,   // of a row's number
    parameter META_W  = 58,  // of an entry beside its mask
    parameter WAY_W   = 66   // of a branch
) (
    input  wire               clk_i,
    input  wire               rst_i,
    // an operation; no stack is turned; static warps of a first mask
    input  wire               op_valid_i,
    input  wire [2:0]         op_kind_i,
    input  wire [3:0]         op_block_i,
    input  wire [PC_W-1:0]    op_first_pc_i,
    input  wire [PC_W-1:0]    op_second_pc_i,
    input  wire               op_rpc_valid_i,
    input  wire [PC_W-1:0]    op_rpc_i,
    input  wire               op_lpc_valid_i,
    input  wire [PC_W-1:0]    op_lpc_i,
    input  wire               op_last_i,
    input  wire               idle_i,
    input  wire [WARPS-1:0]   op_member_i,
    // what it is: a first mask, a branch, an exit, and whether its block is to be turned
    output wire               start_o,
    output wire               branch_o,
    output wire               leaves_o,
    output wire               turns_o,
    output wire [WARPS-1:0]   op_warps_o,     // of its block
    // how many warps a top makes
    input  wire               made_valid_i,
    input  wire [3:0]         made_block_i,
    input  wire [5:0]         made_count_i,
    // the block whose stack is turned
    input  wire [BLOCK_W-1:0] turn_i,
    output wire [META_W-1:0]  meta_o,         // of its top
    output wire [WAY_W-1:0]   way_o,
    output wire [POS_W-1:0]   pos_o,          // of its top
    output wire [ROW_W-1:0]   row_o,          // where this position is in the RAMs
    output wire [POS_W-1:0]   base_o,         // lowest position in the RAMs
    output wire [WARPS-1:0]   member_o,       // its static warps
    output wire [1:0]         ending_o,
    // steps of the turn, see cw_block_stack_turn
    input  wire               push_i,
    input  wire               sides_i,
    input  wire               keep_i,
    input  wire               spilled_i,
    input  wire               load_i,
    input  wire               fetched_i,
    input  wire               over_i,
    input  wire               gone_i,
    input  wire               offer_i,
    input  wire [META_W-1:0]  first_meta_i,   // of the first side
    input  wire [PC_W-1:0]    keep_pc_i,
    input  wire [ROW_W-1:0]   row_next_i,
    input  wire [ROW_W-1:0]   row_last_i,
    input  wire [META_W-1:0]  ram_meta_i,
    input  wire [META_W-1:0]  rsp_meta_i,
    // blocks whose top is ready; the one that is offered, and taken
    output reg  [BLOCKS-1:0]  ready_o,
    input  wire [BLOCK_W-1:0] offer_block_i,
    input  wire               taken_i,
    output wire [META_W-1:0]  offer_meta_o,
    output wire [WARPS-1:0]   offer_warps_o,
    // questions
    input  wire               qry_valid_i,
    input  wire [3:0]         qry_block_i,
    output wire               qry_answers_o,
    output wire [2:0]         qry_state_o,
    output wire [PC_W-1:0]    qry_pc_o,
    output wire [5:0]         qry_wcnt_o,
    output wire [POS_W:0]     qry_depth_o
`ifdef CW_PROPERTIES
    , input  wire [3:0]       f_block_i       // a block
    , output wire [2:0]       f_state_o
    , output wire             f_forget_o      // an operation ends a block
    , output wire [META_W-1:0] f_meta_o
    , output wire [5:0]       f_wcnt_o
    , output wire [POS_W-1:0] f_pos_o
    , output wire [POS_W-1:0] f_base_o
    , output wire [WARPS-1:0] f_member_o
    // {the block that is chosen has a common static warp with another; only the block that is turned turns, and the one
    // that is offered is ready; no two blocks have a common static warp}
    , input  wire             f_offer_valid_i
    , output wire [2:0]       f_all_o
`endif
);

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

    reg  [BLOCKS*3-1:0]      block_q;
    reg  [BLOCKS*META_W-1:0] meta_q;
    reg  [BLOCKS*POS_W-1:0]  pos_q;
    reg  [BLOCKS*ROW_W-1:0]  row_q;
    reg  [BLOCKS*POS_W-1:0]  base_q;
    reg  [BLOCKS*6-1:0]      wcnt_q;
    reg  [BLOCKS*WARPS-1:0]  member_q;
    reg  [BLOCKS*2-1:0]      end_q;
    reg  [BLOCKS*WAY_W-1:0]  way_q;
    integer                  h;

    // Operations.
    wire [BLOCK_W-1:0] b       = op_block_i[BLOCK_W-1:0];
    wire [2:0]         b_state = block_q[b*3 +: 3];
    wire [5:0]         b_wcnt  = wcnt_q[b*6 +: 6];
    wire               b_there = {28'd0, op_block_i} < BLOCKS;
    wire               op      = op_valid_i && idle_i && b_there;
    wire               runs    = b_state == RUNS;
    wire               start   = op && op_kind_i == START && b_state == NONE;
    wire               branch  = op && op_kind_i == BRANCH && runs;
    wire               leaves  = op && op_kind_i == EXIT && runs;
    wire               ends    = branch || (op && (op_kind_i == ARRIVE || op_kind_i == JOIN) && runs)
                                 || (leaves && op_last_i);
    wire               turns   = ends && b_wcnt == 6'd1;
    wire               forget  = op && op_kind_i == END && (runs || b_state == OVERFLOWED);
    wire [WAY_W-1:0]   op_way  = {op_lpc_i & {PC_W{op_lpc_valid_i}}, op_lpc_valid_i, op_rpc_i & {PC_W{op_rpc_valid_i}},
                                  op_rpc_valid_i, op_second_pc_i, op_first_pc_i};

    wire [BLOCK_W-1:0] m       = made_block_i[BLOCK_W-1:0];
    wire               m_there = made_valid_i && {28'd0, made_block_i} < BLOCKS;
    wire               made    = m_there && block_q[m*3 +: 3] == WAITS && made_count_i != 6'd0;
    wire [POS_W-1:0]   pos     = pos_q[turn_i*POS_W +: POS_W];
    wire [POS_W-1:0]   under   = pos - 1'b1;

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
            if (over_i || gone_i || offer_i)
                block_q[turn_i*3 +: 3] <= over_i ? OVERFLOWED : gone_i ? NONE : OFFERED;
            if (taken_i)
                block_q[offer_block_i*3 +: 3] <= WAITS;
            if (made) begin
                block_q[m*3 +: 3] <= RUNS;
                wcnt_q[m*6 +: 6]  <= made_count_i;
            end
        end

    always @(posedge clk_i) begin
        if (start) begin
            meta_q[b*META_W +: META_W] <= {{(META_W-PC_W){1'b0}}, op_first_pc_i};
            pos_q[b*POS_W +: POS_W]    <= {POS_W{1'b0}};
            base_q[b*POS_W +: POS_W]   <= {POS_W{1'b0}};
            row_q[b*ROW_W +: ROW_W]    <= {ROW_W{1'b0}};
            member_q[b*WARPS +: WARPS] <= op_member_i;
        end
        if (branch)
            way_q[b*WAY_W +: WAY_W] <= op_way;
        if (made)
            end_q[m*2 +: 2] <= END_POP;
        if (ends && !leaves)
            end_q[b*2 +: 2] <= branch ? END_BRANCH : op_kind_i == JOIN ? END_JOIN : END_POP;
        if (push_i) begin
            pos_q[turn_i*POS_W +: POS_W] <= pos + 1'b1;
            row_q[turn_i*ROW_W +: ROW_W] <= row_next_i;
        end
        if (sides_i)
            meta_q[turn_i*META_W +: META_W] <= first_meta_i;
        if (keep_i)
            meta_q[turn_i*META_W +: PC_W] <= keep_pc_i;
        if (spilled_i)
            base_q[turn_i*POS_W +: POS_W] <= base_o + 1'b1;
        if (load_i || fetched_i) begin
            meta_q[turn_i*META_W +: META_W] <= load_i ? ram_meta_i : rsp_meta_i;
            pos_q[turn_i*POS_W +: POS_W]    <= under;
            row_q[turn_i*ROW_W +: ROW_W]    <= row_last_i;
        end
        if (fetched_i)
            base_q[turn_i*POS_W +: POS_W] <= under;
    end

    always @*
        for (h = 0; h < BLOCKS; h = h + 1)
            ready_o[h] = block_q[h*3 +: 3] == OFFERED;

    assign start_o       = start;
    assign branch_o      = branch;
    assign leaves_o      = leaves;
    assign turns_o       = turns;
    assign op_warps_o    = member_q[b*WARPS +: WARPS];
    assign meta_o        = meta_q[turn_i*META_W +: META_W];
    assign way_o         = way_q[turn_i*WAY_W +: WAY_W];
    assign pos_o         = pos;
    assign base_o        = base_q[turn_i*POS_W +: POS_W];
    assign row_o         = row_q[turn_i*ROW_W +: ROW_W];
    assign member_o      = member_q[turn_i*WARPS +: WARPS];
    assign ending_o      = end_q[turn_i*2 +: 2];
    assign offer_meta_o  = meta_q[offer_block_i*META_W +: META_W];
    assign offer_warps_o = member_q[offer_block_i*WARPS +: WARPS];

    // Questions.
    reg                qry_valid_q;
    reg  [2:0]         qry_state_q;
    reg  [PC_W-1:0]    qry_pc_q;
    reg  [5:0]         qry_wcnt_q;
    reg  [POS_W:0]     qry_depth_q;
    wire [BLOCK_W-1:0] q       = qry_block_i[BLOCK_W-1:0];
    wire [2:0]         q_state = block_q[q*3 +: 3];
    wire               q_there = qry_valid_i && {28'd0, qry_block_i} < BLOCKS && q_state != NONE;

    always @(posedge clk_i)
        if (rst_i) begin
            qry_valid_q <= 1'b0;
            qry_state_q <= NONE;
            qry_pc_q    <= {PC_W{1'b0}};
            qry_wcnt_q  <= 6'd0;
            qry_depth_q <= {(POS_W+1){1'b0}};
        end else begin
            qry_valid_q <= qry_valid_i;
            qry_state_q <= q_there ? q_state : NONE;
            qry_pc_q    <= q_there ? meta_q[q*META_W +: PC_W] : {PC_W{1'b0}};
            qry_wcnt_q  <= q_there ? wcnt_q[q*6 +: 6] : 6'd0;
            qry_depth_q <= q_there ? {1'b0, pos_q[q*POS_W +: POS_W]} + 1'b1 : {(POS_W+1){1'b0}};
        end

    assign qry_answers_o = qry_valid_q;
    assign qry_state_o   = qry_state_q;
    assign qry_pc_o      = qry_pc_q;
    assign qry_wcnt_o    = qry_wcnt_q;
    assign qry_depth_o   = qry_depth_q;

`ifdef CW_PROPERTIES
    reg     f_join;
    reg     f_one_turns;
    reg     f_apart;
    integer fi;
    integer fj;

    always @* begin
        f_join = 1'b0;
        for (fj = 0; fj < BLOCKS; fj = fj + 1)
            if (fj != op_block_i && block_q[fj*3 +: 3] != NONE
                && (member_q[fj*WARPS +: WARPS] & op_member_i) != {WARPS{1'b0}})
                f_join = 1'b1;
    end

    always @* begin
        f_one_turns = 1'b1;
        f_apart     = 1'b1;
        for (fi = 0; fi < BLOCKS; fi = fi + 1) begin
            f_one_turns = f_one_turns && (block_q[fi*3 +: 3] == TURNS) == (!idle_i && turn_i == fi)
                          && block_q[fi*3 +: 3] <= OVERFLOWED
                          && (!f_offer_valid_i || offer_block_i != fi || block_q[fi*3 +: 3] == OFFERED);
            for (fj = 0; fj < fi; fj = fj + 1)
                f_apart = f_apart && (block_q[fi*3 +: 3] == NONE || block_q[fj*3 +: 3] == NONE
                                      || (member_q[fi*WARPS +: WARPS] & member_q[fj*WARPS +: WARPS]) == {WARPS{1'b0}});
        end
    end

    assign f_forget_o = forget;
    assign f_all_o    = {f_join, f_one_turns, f_apart};
    assign f_state_o  = block_q[f_block_i[BLOCK_W-1:0]*3 +: 3];
    assign f_meta_o   = meta_q[f_block_i[BLOCK_W-1:0]*META_W +: META_W];
    assign f_wcnt_o   = wcnt_q[f_block_i[BLOCK_W-1:0]*6 +: 6];
    assign f_pos_o    = pos_q[f_block_i[BLOCK_W-1:0]*POS_W +: POS_W];
    assign f_base_o   = base_q[f_block_i[BLOCK_W-1:0]*POS_W +: POS_W];
    assign f_member_o = member_q[f_block_i[BLOCK_W-1:0]*WARPS +: WARPS];
`endif

endmodule

`default_nettype wire
