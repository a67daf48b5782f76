// SPDX-License-Identifier: Apache-2.0
//
// cw_nonsynth_block_stack: what must hold of the block stacks, as a block and a thread show it.
//
// Why         : a stack is right if each thread goes to its side of a branch, and all are together again where they
//               should be.
// How         : it watches one block and one thread, of the prover's choice, and keeps what the ports have shown of
//               them.
// Illegal use : synthesis. Only blocks of properties have it (CW_PROPERTIES).
//
// Contract: include/cowarp/unit/block_stack.h. docs/proofs.md has the form of properties.

`default_nettype none

module cw_nonsynth_block_stack #(
    parameter LANES   = 32,
    parameter BLOCKS  = 8,
    parameter DEPTH   = 16,
    parameter PC_W    = 16,
    parameter POS_W   = 8,
    parameter BLOCK_W = 3,  // of a block's number
    parameter META_W  = 58  // of an entry beside its mask
) (
    input  wire       clk_i,
    input  wire       rst_i,
    // an operation
    input  wire [11+LANES-1:0] op_i,
    // the top that is offered
    input  wire [1032+3*PC_W+BLOCK_W-1:0] top_i,
    // how many warps a top makes
    input  wire [11-1:0] made_i,
    // memory
    input  wire [1161+2*POS_W-1:0] mem_i,
    // what happens, see cw_block_stack_turn
    input  wire [14+BLOCK_W+POS_W-1:0] steps_i,
    // see cw_block_stack_turn
    input  wire [5+POS_W+2*PC_W-1:0] turn_i,
    // the block, see cw_block_stack_blocks; of all blocks
    input  wire [12+META_W+2*POS_W-1:0] block_i,
    // the thread, see cw_block_stack_threads
    input  wire [8-1:0] thread_i,
    // who is watched
    output wire [3:0] f_block_o,
    output wire [4:0] f_warp_o,
    output wire [4:0] f_lane_o
);

`ifdef CW_PROPERTIES
    localparam [2:0] BRANCH = 3'd1,
                     ARRIVE = 3'd2,
                     JOIN   = 3'd3,
                     EXIT   = 3'd4,
                     END    = 3'd5;

    // Of a block.
    localparam [2:0] NONE       = 3'd0,
                     RUNS       = 3'd1,
                     OFFERED    = 3'd2,
                     WAITS      = 3'd3,
                     TURNS      = 3'd4;

    localparam LPC_AT = 2 * PC_W + 1;  // of LPC valid

    // What the ports and the parts show.
    wire               op_valid;
    wire               op_ready;
    wire [2:0]         op_kind;
    wire [3:0]         op_block;
    wire [LANES-1:0]   op_first;
    wire               op_rpc_valid;
    wire               op_last;
    wire               top_valid;
    wire               top_ready;
    wire [3:0]         top_block;
    wire [PC_W-1:0]    top_pc;
    wire               top_rpc_valid;
    wire [PC_W-1:0]    top_rpc;
    wire               top_lpc_valid;
    wire [PC_W-1:0]    top_lpc;
    wire [1023:0]      top_mask;
    wire [BLOCK_W-1:0] offer;
    wire               made_valid;
    wire [3:0]         made_block;
    wire [5:0]         made_count;
    wire               mem_valid;
    wire               mem_ready;
    wire               mem_write;
    wire               mem_mask_only;
    wire [POS_W+3:0]   mem_addr;
    wire [1151:0]      mem_wdata;
    wire [POS_W:0]     peak;
    wire [BLOCK_W-1:0] turn;
    wire [POS_W-1:0]   pos;
    wire               idle;
    wire               start;
    wire               forget;
    wire               push;
    wire               sides;
    wire               keep;
    wire               write;
    wire               store;
    wire               spill;
    wire               load;
    wire               gone;
    wire               rd_en;
    wire               wr_en;
    wire               all_first;
    wire               known;
    wire [POS_W-1:0]   held;
    wire               make;
    wire               above;
    wire               fetches;
    wire               at_rpc;
    wire [PC_W-1:0]    w_first;
    wire [PC_W-1:0]    w_second;
    wire [2:0]         f_state;
    wire [META_W-1:0]  f_meta;
    wire [5:0]         f_wcnt;
    wire [POS_W-1:0]   f_pos;
    wire [POS_W-1:0]   f_base;
    wire               f_join;
    wire               f_one_turns;
    wire               f_apart;
    wire               f_any;
    wire               f_in;
    wire               f_now;
    wire               f_ram;
    wire               f_acc;
    wire               f_live;
    wire               f_start_in;
    wire               f_top;

    assign {op_valid, op_ready, op_kind, op_block, op_first, op_rpc_valid, op_last} = op_i;
    assign {top_valid, top_ready, top_block, top_pc, top_rpc_valid, top_rpc, top_lpc_valid, top_lpc, top_mask,
            offer} = top_i;
    assign {made_valid, made_block, made_count} = made_i;
    assign {mem_valid, mem_ready, mem_write, mem_mask_only, mem_addr, mem_wdata, peak} = mem_i;
    assign {turn, pos, idle, start, forget, push, sides, keep, write, store, spill, load, gone, rd_en, wr_en,
            all_first} = steps_i;
    assign {known, held, make, above, fetches, at_rpc, w_first, w_second} = turn_i;
    assign {f_state, f_meta, f_wcnt, f_pos, f_base, f_join, f_one_turns, f_apart} = block_i;
    assign {f_any, f_in, f_now, f_ram, f_acc, f_live, f_start_in, f_top} = thread_i;

    assign f_block_o = f_block;
    assign f_warp_o  = f_warp;
    assign f_lane_o  = f_lane;

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
    reg                      f_plain_q;     // since the first mask: no branch without RPC, no access to memory
    reg                      f_offer_q;     // an offer was not taken
    reg  [1024+5*PC_W:0]     f_shown_q;
    reg                      f_mem_q;       // an access was not taken
    reg  [POS_W+1157:0]      f_access_q;
    reg  [2:0]               f_turns_q;     // turns of the block that have ended in an offer, up to 7
    reg                      f_second_q;    // the thread has been in a second side
    reg                      f_kept_q;      // all of the top of the block has gone one way in the cycle before
    reg                      f_was_q;       // then: the thread was in it
    reg  [META_W-1:0]        f_goes_q;      // then: what it is to be
    wire                     f_exists = {28'd0, f_block} < BLOCKS;
    wire                     f_op     = op_valid && op_ready && op_block == f_block && f_exists;
    wire                     f_comes  = f_op && f_left_q != 6'd0
                                        && (op_kind == BRANCH || op_kind == ARRIVE || op_kind == JOIN
                                            || (op_kind == EXIT && op_last));
    wire                     f_mine   = f_known_q && f_owner_q == f_block;
    wire                     f_taken  = top_valid && top_ready && top_block == f_block;
    wire                     f_made   = f_waits_q && made_valid && made_block == f_block && made_count != 6'd0;

    always @(posedge clk_i) begin
        f_past_q   <= 1'b1;
        f_offer_q  <= !rst_i && top_valid && !top_ready;
        f_shown_q  <= {top_mask, top_block, top_pc, top_rpc, top_lpc, top_rpc_valid, top_lpc_valid};
        f_mem_q    <= !rst_i && mem_valid && !mem_ready;
        f_access_q <= {mem_write, mem_mask_only, mem_addr, mem_wdata};
        f_kept_q   <= !rst_i && keep && turn == f_block[BLOCK_W-1:0] && f_exists;
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
                f_left_q <= made_count;
            else if (f_op && op_kind == END)
                f_left_q <= 6'd0;
            else if (f_comes)
                f_left_q <= f_left_q - 6'd1;
            if (start && f_start_in) begin
                f_known_q  <= 1'b1;
                f_owner_q  <= op_block;
                f_alive_q  <= 1'b1;
                f_first_q  <= 1'b0;
                f_plain_q  <= 1'b1;
                f_second_q <= 1'b0;
            end else if (f_mine) begin
                if (f_op && f_left_q != 6'd0 && op_kind == EXIT && f_in)
                    f_alive_q <= 1'b0;
                if (f_op && f_left_q != 6'd0 && op_kind == BRANCH && f_in && op_first[f_lane])
                    f_first_q <= 1'b1;
                if (turn == f_block[BLOCK_W-1:0] && (sides || keep || write || store))
                    f_first_q <= 1'b0;
                if ((f_op && op_kind == BRANCH && !op_rpc_valid) || mem_valid)
                    f_plain_q <= 1'b0;
                if (sides && push && f_ram && turn == f_block[BLOCK_W-1:0])
                    f_second_q <= 1'b1;
                if (forget && op_block == f_block)
                    f_known_q <= 1'b0;
                if (gone && turn == f_block[BLOCK_W-1:0])
                    f_known_q <= 1'b0;
            end
            if (f_taken && f_turns_q != 3'd7)
                f_turns_q <= f_turns_q + 3'd1;
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q && f_exists) begin
            // 1. WCnt is the number of warps that have been made and have not come; so a block runs while one is
            // missing.
            if (f_state == RUNS)
                assert (f_wcnt == f_left_q && f_left_q != 6'd0);
            if (f_state != RUNS)
                assert (f_left_q == 6'd0);
            assert (f_waits_q == (f_state == WAITS));
            cover (f_state == RUNS && f_left_q == 6'd1 && f_turns_q == 3'd2);
            // 2. A block's top is offered when all its warps have come.
            if (top_valid && top_block == f_block)
                assert (f_left_q == 6'd0 && !f_waits_q && f_state == OFFERED);
            cover (top_valid && top_block == f_block && f_turns_q == 3'd2);
            // 3. An offer that is not taken stays. What is not an offer is 0.
            if (f_offer_q)
                assert (top_valid && f_shown_q == {top_mask, top_block, top_pc, top_rpc, top_lpc, top_rpc_valid,
                                                   top_lpc_valid});
            if (!top_valid)
                assert (top_mask == 1024'd0 && top_block == 4'd0 && top_pc == {PC_W{1'b0}} && !top_rpc_valid
                        && !top_lpc_valid);
            cover (f_offer_q && f_turns_q == 3'd1);
            // 4. A top has threads of its block that have not exited, and no others.
            if (top_valid && top_block == f_block && f_top)
                assert (f_mine && f_alive_q);
            if (top_valid && top_block == f_block)
                assert (top_mask != 1024'd0);
            cover (top_valid && top_block == f_block && f_mine && !f_alive_q);
            // 5. At a branch, each live thread of the top goes to one side: first if it was said to, else second,
            // unless that is at the RPC. When all go to one side, the top goes there with all its threads, its RPC and
            // its LPC.
            if (sides && turn == f_block[BLOCK_W-1:0] && f_mine && f_now)
                assert (f_acc == f_first_q && (f_first_q || (push ? f_ram : at_rpc)));
            if (sides && push && f_first_q && f_mine && turn == f_block[BLOCK_W-1:0])
                assert (!f_ram);
            if (keep && turn == f_block[BLOCK_W-1:0] && f_mine && f_now)
                assert (f_acc == f_first_q && f_first_q == all_first);
            if (f_kept_q)
                assert (f_meta[META_W-1:PC_W] == f_goes_q[META_W-1:PC_W]);
            if (f_kept_q && f_mine)
                assert (f_now == f_was_q && !f_acc && (!f_was_q || f_meta == f_goes_q));
            cover (sides && turn == f_block[BLOCK_W-1:0] && f_mine && f_now && f_first_q && push);
            cover (f_kept_q && f_mine && f_now && f_goes_q[LPC_AT]);
            cover (sides && turn == f_block[BLOCK_W-1:0] && f_mine && f_now && !f_first_q && push);
            // 6. When the bottom of a stack is offered, all threads of the block that have not exited are together
            // again, unless a branch had no RPC.
            if (top_valid && top_block == f_block && f_pos == {POS_W{1'b0}} && f_mine && f_alive_q && f_plain_q)
                assert (f_top);
            cover (top_valid && top_block == f_block && f_pos == {POS_W{1'b0}} && f_mine && f_alive_q && f_plain_q
                   && f_second_q);
            // 7. A RAM is never read and written in one cycle.
            assert (!(rd_en && wr_en));
            cover (make && f_turns_q != 3'd0);
            // 8. An access to memory that is not taken stays.
            if (f_mem_q)
                assert (mem_valid && f_access_q == {mem_write, mem_mask_only, mem_addr, mem_wdata});
            cover (f_mem_q && mem_write);
            // 9. The unit holds no more entries of a block than it has rows, and the peak is not below any stack.
            if (f_state != NONE)
                assert (f_base <= f_pos && {{(32-POS_W){1'b0}}, f_pos - f_base} <= DEPTH && peak > {1'b0, f_pos});
            cover (f_state == RUNS && f_base != {POS_W{1'b0}});
            // 10. (for induction) The block that is turned is the only one that turns, the one that is offered is
            // ready, and blocks are apart.
            assert (f_one_turns);
            assert (f_apart);
            if (f_state != NONE && f_live)
                assert (f_mine && f_alive_q);
            if (f_state == OFFERED)
                assert (f_any);
            assert (known);
            if (!idle)
                assert ({{(32-BLOCK_W){1'b0}}, turn} < BLOCKS);
            if (top_valid)
                assert ({{(32-BLOCK_W){1'b0}}, offer} < BLOCKS);
            if (spill)
                assert (held != {POS_W{1'b0}} && mem_write);
            if (load)
                assert (above);
            if (fetches)
                assert (!above && pos != {POS_W{1'b0}});
            cover (f_state == TURNS && f_turns_q == 3'd2);
        end

    always @(`CW_PROPERTIES)
        // contract: [3] Two blocks must not have one static warp.
        if (f_past_q && !rst_i && start)
            assume (!f_join);
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

endmodule

`default_nettype wire
