// SPDX-License-Identifier: Apache-2.0
//
// cw_block_stack: the block-wide SIMT stacks of a core.
//
// Why         : in thread block compaction the warps of a block wait for each other at a branch, so that their threads
//               can be put together anew. One stack per block says who waits for what, and counts the warps that are
//               still missing.
// How         : the top of each stack, with its mask, is in flip-flops; so are the threads that have gone first at the
//               branch that the warps are at. So an arrival takes one cycle. The entries below lie in two RAMs: masks
//               of all blocks in common rows, and the rest. When the last warp has come, a state machine pushes, pops
//               and joins entries, a row in a cycle, and offers the new top. cw_block_stack_threads has the masks,
//               cw_block_stack_blocks what there is of each block, cw_block_stack_turn the state machine.
// Latency     : the last warp's branch in t, the new top on offer in t + 6 (no likely-convergence entry, nothing to
//               pop).
// Throughput  : an operation per cycle while no stack is turned; see the contract for the turn.
// Comb. paths : none; outputs depend on registers and RAM outputs only.
// Storage     : masks DEPTH x WARPS*LANES bits with one port; entries BLOCKS*DEPTH x (3*PC_W + POS_W + 2) bits with one
//               port; 3 * WARPS*LANES flip-flops for masks, and about 8 * PC_W per block.
// Illegal use : two blocks with a common static warp; warps of one entry that end differently. Nothing stops, but
//               stacks are wrong then.
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
    output wire             op_ready_o,
    // a top that runs next
    output wire             top_valid_o,
    output wire [3:0]       top_block_o,
    output wire [PC_W-1:0]  top_pc_o,
    output wire             top_rpc_valid_o,
    output wire [PC_W-1:0]  top_rpc_o,
    output wire             top_lpc_valid_o,
    output wire [PC_W-1:0]  top_lpc_o,
    output wire [1023:0]    top_mask_o,
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
    output wire [1151:0]    mem_wdata_o,
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

    localparam BLOCK_W = bits_for(BLOCKS);
    localparam ROW_W   = bits_for(DEPTH);
    localparam META_W  = 3 * PC_W + 2 + POS_W;    // {LPos, LPC, LPC valid, RPC, RPC valid, PC}
    localparam RPC_AT  = PC_W;                    // of RPC valid
    localparam LPC_AT  = 2 * PC_W + 1;            // of LPC valid
    localparam WAY_W   = 4 * PC_W + 2;            // {LPC, LPC valid, RPC, RPC valid, second PC, first PC} of a branch

    // An operation, see cw_block_stack_blocks.
    wire [WARPS-1:0]   op_warps;
    wire [WARPS-1:0]   op_member;
    wire               start;
    wire               branch;
    wire               leaves;
    wire               turns;
    // The block whose stack is turned, and the steps of that, see cw_block_stack_turn.
    wire [META_W-1:0]  meta;
    wire [WAY_W-1:0]   way;
    wire [POS_W-1:0]   pos;
    wire [ROW_W-1:0]   row;
    wire [POS_W-1:0]   base;
    wire [WARPS-1:0]   member;
    wire [1:0]         ending;
    wire               nobody;
    wire               all_first;
    wire               none_first;
    wire [BLOCK_W-1:0] turn;
    wire               idle;
    wire               decides;
    wire               checks;
    wire               pushes;
    wire               push;
    wire               sides;
    wire               keep;
    wire               pop;
    wire               load;
    wire               fetched;
    wire               stage;
    wire               write;
    wire               await;
    wire               store;
    wire               spill;
    wire               spilled;
    wire               over;
    wire               gone;
    wire               may_run;
    wire [META_W-1:0]  first_meta;
    wire [PC_W-1:0]    keep_pc;
    wire [ROW_W-1:0]   row_next;
    wire [ROW_W-1:0]   row_last;
    wire [META_W-1:0]  ram_meta;
    wire               rd_en;
    wire               wr_en;
    wire [ROW_W-1:0]   ram_row;
    wire               wr_now;
    wire               wr_side;
    // The top that is offered.
    wire [BLOCKS-1:0]  ready;
    wire [BLOCK_W-1:0] offer;
    wire               taken;
    wire [META_W-1:0]  offer_meta;
    wire [WARPS-1:0]   offer_warps;
    wire               qry_answers;

    cw_block_stack_blocks #(
        .WARPS  (WARPS),
        .BLOCKS (BLOCKS),
        .PC_W   (PC_W),
        .POS_W  (POS_W),
        .BLOCK_W(BLOCK_W),
        .ROW_W  (ROW_W),
        .META_W (META_W),
        .WAY_W  (WAY_W)
    ) u_blocks (
        .clk_i         (clk_i),
        .rst_i         (rst_i),
        .op_valid_i    (op_valid_i),
        .op_kind_i     (op_kind_i),
        .op_block_i    (op_block_i),
        .op_first_pc_i (op_first_pc_i),
        .op_second_pc_i(op_second_pc_i),
        .op_rpc_valid_i(op_rpc_valid_i),
        .op_rpc_i      (op_rpc_i),
        .op_lpc_valid_i(op_lpc_valid_i),
        .op_lpc_i      (op_lpc_i),
        .op_last_i     (op_last_i),
        .idle_i        (idle),
        .op_member_i   (op_member),
        .start_o       (start),
        .branch_o      (branch),
        .leaves_o      (leaves),
        .turns_o       (turns),
        .op_warps_o    (op_warps),
        .made_valid_i  (made_valid_i),
        .made_block_i  (made_block_i),
        .made_count_i  (made_count_i),
        .turn_i        (turn),
        .meta_o        (meta),
        .way_o         (way),
        .pos_o         (pos),
        .row_o         (row),
        .base_o        (base),
        .member_o      (member),
        .ending_o      (ending),
        .push_i        (push),
        .sides_i       (sides),
        .keep_i        (keep),
        .spilled_i     (spilled),
        .load_i        (load),
        .fetched_i     (fetched),
        .over_i        (over),
        .gone_i        (gone),
        .offer_i       (may_run),
        .first_meta_i  (first_meta),
        .keep_pc_i     (keep_pc),
        .row_next_i    (row_next),
        .row_last_i    (row_last),
        .ram_meta_i    (ram_meta),
        .rsp_meta_i    (mem_rdata_i[1024 +: META_W]),
        .ready_o       (ready),
        .offer_block_i (offer),
        .taken_i       (taken),
        .offer_meta_o  (offer_meta),
        .offer_warps_o (offer_warps),
        .qry_valid_i   (qry_valid_i),
        .qry_block_i   (qry_block_i),
        .qry_answers_o (qry_answers),
        .qry_state_o   (qry_state_o),
        .qry_pc_o      (qry_pc_o),
        .qry_wcnt_o    (qry_wcnt_o),
        .qry_depth_o   (qry_depth_o)
`ifdef CW_PROPERTIES
        , .f_block_i      (f_block)
        , .f_state_o      (f_state)
        , .f_forget_o     (f_forget)
        , .f_meta_o       (f_meta)
        , .f_wcnt_o       (f_wcnt)
        , .f_pos_o        (f_pos)
        , .f_base_o       (f_base)
        , .f_member_o     (f_member)
        , .f_offer_valid_i(top_valid_o)
        , .f_all_o        (f_all)
`endif
    );

    cw_block_stack_threads #(
        .LANES (LANES),
        .WARPS (WARPS),
        .ROW_W (ROW_W),
        .META_W(META_W)
    ) u_threads (
        .clk_i          (clk_i),
        .op_valid_i     (op_valid_i),
        .op_kind_i      (op_kind_i),
        .op_lanes_i     (op_lanes_i),
        .op_home_i      (op_home_i),
        .op_first_i     (op_first_i),
        .op_mask_i      (op_mask_i),
        .op_warps_i     (op_warps),
        .op_member_o    (op_member),
        .start_i        (start),
        .branch_i       (branch),
        .leaves_i       (leaves),
        .turning_i      (!idle),
        .member_i       (member),
        .decides_i      (decides),
        .checks_i       (checks),
        .pushes_i       (pushes),
        .sides_i        (sides),
        .keep_i         (keep),
        .load_i         (load),
        .down_i         (load || fetched),
        .stage_i        (stage),
        .write_i        (write),
        .await_i        (await),
        .store_i        (store),
        .nobody_o       (nobody),
        .all_first_o    (all_first),
        .none_first_o   (none_first),
        .rd_en_i        (rd_en),
        .wr_en_i        (wr_en),
        .row_i          (ram_row),
        .wr_now_i       (wr_now),
        .wr_side_i      (wr_side),
        .spill_i        (spill),
        .ram_meta_i     (ram_meta),
        .mem_wdata_o    (mem_wdata_o),
        .mem_ready_i    (mem_ready_i),
        .mem_rsp_valid_i(mem_rsp_valid_i),
        .mem_rdata_i    (mem_rdata_i[1023:0]),
        .offer_i        (top_valid_o),
        .offer_warps_i  (offer_warps),
        .top_mask_o     (top_mask_o)
`ifdef CW_PROPERTIES
        , .f_warp_i  (f_warp)
        , .f_lane_i  (f_lane)
        , .f_member_i(f_member)
        , .f_thread_o(f_thread)
`endif
    );

    cw_block_stack_turn #(
        .DEPTH  (DEPTH),
        .PC_W   (PC_W),
        .POS_W  (POS_W),
        .BLOCK_W(BLOCK_W),
        .ROW_W  (ROW_W),
        .META_W (META_W),
        .WAY_W  (WAY_W)
    ) u_turn (
        .clk_i          (clk_i),
        .rst_i          (rst_i),
        .op_block_i     (op_block_i[BLOCK_W-1:0]),
        .start_i        (start),
        .turns_i        (turns),
        .turn_o         (turn),
        .meta_i         (meta),
        .way_i          (way),
        .pos_i          (pos),
        .row_i          (row),
        .base_i         (base),
        .ending_i       (ending),
        .nobody_i       (nobody),
        .all_first_i    (all_first),
        .none_first_i   (none_first),
        .idle_o         (idle),
        .decides_o      (decides),
        .checks_o       (checks),
        .pushes_o       (pushes),
        .push_o         (push),
        .sides_o        (sides),
        .keep_o         (keep),
        .pop_o          (pop),
        .load_o         (load),
        .fetched_o      (fetched),
        .stage_o        (stage),
        .write_o        (write),
        .await_o        (await),
        .store_o        (store),
        .spill_o        (spill),
        .spilled_o      (spilled),
        .over_o         (over),
        .gone_o         (gone),
        .offer_o        (may_run),
        .first_meta_o   (first_meta),
        .keep_pc_o      (keep_pc),
        .row_next_o     (row_next),
        .row_last_o     (row_last),
        .ram_meta_o     (ram_meta),
        .rd_en_o        (rd_en),
        .wr_en_o        (wr_en),
        .ram_row_o      (ram_row),
        .wr_now_o       (wr_now),
        .wr_side_o      (wr_side),
        .mem_valid_o    (mem_valid_o),
        .mem_write_o    (mem_write_o),
        .mem_mask_only_o(mem_mask_only_o),
        .mem_addr_o     (mem_addr_o),
        .mem_ready_i    (mem_ready_i),
        .mem_rsp_valid_i(mem_rsp_valid_i)
`ifdef CW_PROPERTIES
        , .f_turn_o(f_turn)
`endif
    );

    cw_block_stack_offer #(
        .BLOCKS (BLOCKS),
        .BLOCK_W(BLOCK_W)
    ) u_offer (
        .clk_i          (clk_i),
        .rst_i          (rst_i),
        .ready_i        (ready),
        .valid_o        (top_valid_o),
        .block_o        (offer),
        .ready_to_take_i(top_ready_i),
        .taken_o        (taken)
    );

    cw_block_stack_report #(
        .PC_W   (PC_W),
        .POS_W  (POS_W),
        .BLOCK_W(BLOCK_W)
    ) u_report (
        .clk_i        (clk_i),
        .rst_i        (rst_i),
        .start_i      (start),
        .turn_i       (turn),
        .pc_i         (meta[PC_W-1:0]),
        .pos_i        (pos),
        .nobody_i     (nobody),
        .push_i       (push),
        .pop_i        (pop),
        .gone_i       (gone),
        .over_i       (over),
        .pop_valid_o  (pop_valid_o),
        .pop_block_o  (pop_block_o),
        .pop_pc_o     (pop_pc_o),
        .pop_empty_o  (pop_empty_o),
        .ended_valid_o(ended_valid_o),
        .ended_block_o(ended_block_o),
        .peak_o       (peak_o),
        .overflow_o   (overflow_o)
    );

    wire [META_W-1:0] top_meta = offer_meta & {META_W{top_valid_o}};

    assign op_ready_o      = idle;
    assign top_block_o     = {{(4-BLOCK_W){1'b0}}, offer & {BLOCK_W{top_valid_o}}};
    assign top_pc_o        = top_meta[PC_W-1:0];
    assign top_rpc_valid_o = top_meta[RPC_AT];
    assign top_rpc_o       = top_meta[RPC_AT+1 +: PC_W];
    assign top_lpc_valid_o = top_meta[LPC_AT];
    assign top_lpc_o       = top_meta[LPC_AT+1 +: PC_W];
    assign busy_o          = !idle || |ready || top_valid_o || pop_valid_o || ended_valid_o || qry_answers;

`ifdef CW_PROPERTIES
    wire [3:0]              f_block;
    wire [4:0]              f_warp;
    wire [4:0]              f_lane;
    wire [2:0]              f_state;
    wire                    f_forget;
    wire [META_W-1:0]       f_meta;
    wire [5:0]              f_wcnt;
    wire [POS_W-1:0]        f_pos;
    wire [POS_W-1:0]        f_base;
    wire [WARPS-1:0]        f_member;
    wire [2:0]              f_all;
    wire [7:0]              f_thread;
    wire [POS_W+2*PC_W+4:0] f_turn;

    cw_nonsynth_block_stack #(
        .LANES  (LANES),
        .BLOCKS (BLOCKS),
        .DEPTH  (DEPTH),
        .PC_W   (PC_W),
        .POS_W  (POS_W),
        .BLOCK_W(BLOCK_W),
        .META_W (META_W)
    ) u_properties (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .op_i     ({op_valid_i, op_ready_o, op_kind_i, op_block_i, op_first_i, op_rpc_valid_i, op_last_i}),
        .top_i    ({top_valid_o, top_ready_i, top_block_o, top_pc_o, top_rpc_valid_o, top_rpc_o, top_lpc_valid_o,
                    top_lpc_o, top_mask_o, offer}),
        .made_i   ({made_valid_i, made_block_i, made_count_i}),
        .mem_i    ({mem_valid_o, mem_ready_i, mem_write_o, mem_mask_only_o, mem_addr_o, mem_wdata_o, peak_o}),
        .steps_i  ({turn, pos, idle, start, f_forget, push, sides, keep, write, store, spill, load, gone, rd_en, wr_en,
                    all_first}),
        .turn_i   ({f_turn}),
        .block_i  ({f_state, f_meta, f_wcnt, f_pos, f_base, f_all}),
        .thread_i ({f_thread}),
        .f_block_o(f_block),
        .f_warp_o (f_warp),
        .f_lane_o (f_lane)
    );
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
