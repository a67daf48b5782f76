// SPDX-License-Identifier: Apache-2.0
//
// cw_nonsynth_l2_slice: what must hold of an L2 slice, as one byte of one line shows it.
//
// Why         : a slice is right if each byte that it gives is the one that it was given last, and none that only it has is lost.
// How         : it watches one byte, of the prover's choice, and keeps what the ports have shown of its line, of its value, and of operations.
// Illegal use : synthesis. Only blocks of properties have it (CW_PROPERTIES).
//
// Contract: include/cowarp/unit/l2_slice.h. docs/proofs.md has the form of properties.

`default_nettype none

module cw_nonsynth_l2_slice #(
    parameter SET_W   = 7,
    parameter LINE_W  = 27,
    parameter SECTORS = 4
) (
    input  wire                          clk_i,
    input  wire                          rst_i,
    // an operation: valid, ready, kind, head, pass, pm, line, sectors; bytes of a write
    input  wire [8+LINE_W+SECTORS-1:0]   op_i,
    input  wire [255:0]                  mask_i,
    // its answer: valid, result, way, entry, sectors asked for, sectors that go, their line; it has bytes to move
    input  wire [16+2*SECTORS+LINE_W-1:0] ans_i,
    input  wire                          moves_i,
    // a sector that comes out: valid, back, number, bytes that there are; one that is wanted: ready, number, valid
    input  wire [36:0]                   out_i,
    input  wire [255:0]                  data_i,
    input  wire [4:0]                    in_i,
    input  wire [255:0]                  given_i,
    // status
    input  wire                          swept_i,
    input  wire                          idle_i
);

`ifdef CW_PROPERTIES
    localparam [2:0] WRITE = 3'd1, ATOMIC = 3'd2, CLEAN = 3'd3, DROP = 3'd4, COME = 3'd5, LOAD = 3'd6;

    wire               op_valid;
    wire               op_ready;
    wire [2:0]         op_kind;
    wire               op_head;
    wire               op_pass;
    wire               op_pm;
    wire [LINE_W-1:0]  op_line;
    wire [SECTORS-1:0] op_sectors;
    wire               ans_valid;
    wire [2:0]         ans_result;
    wire [3:0]         ans_way;
    wire [7:0]         ans_entry;
    wire [SECTORS-1:0] ans_fetch;
    wire [SECTORS-1:0] ans_back;
    wire [LINE_W-1:0]  ans_line;
    wire               out_valid;
    wire               out_back;
    wire [2:0]         out_sector;
    wire [31:0]        out_mask;
    wire               in_ready;
    wire [2:0]         in_sector;
    wire               in_valid;

    assign {op_valid, op_ready, op_kind, op_head, op_pass, op_pm, op_line, op_sectors} = op_i;
    assign {ans_valid, ans_result, ans_way, ans_entry, ans_fetch, ans_back, ans_line} = ans_i;
    assign {out_valid, out_back, out_sector, out_mask} = out_i;
    assign {in_ready, in_sector, in_valid} = in_i;

    // One byte: of a line of the prover's choice, in a run the first that is named after a reset.
    wire [LINE_W-1:0]        f_line;
    (* anyconst *) reg [2:0] f_sector;
    (* anyconst *) reg [4:0] f_byte;
    wire                     f_there = f_sector < SECTORS;

    // Operations one, two and three cycles ago: what matters of them for the byte.
    reg                      f_past_q = 1'b0;
    reg  [2:0]               f_op_q;
    reg  [2:0]               f_mine_q;    // of the line,
    reg  [2:0]               f_near_q;    // of its set
    reg  [2:0]               f_head_q;
    reg  [2:0]               f_pass_q;
    reg  [2:0]               f_pm_q;
    reg  [2:0]               f_names_q;   // the sector is one of its
    reg  [8:0]               f_kind_q;
    reg  [95:0]              f_mask_q;    // of the sector
    reg  [SET_W-1:0]         f_last_q;    // set of the operation one cycle ago
    // The line: it is here, in that way, with those bytes of the sector, which is dirty; the byte's value.
    reg                      f_here_q;
    reg  [3:0]               f_way_q;
    reg  [31:0]              f_has_q;
    reg                      f_dirty_q;
    reg  [7:0]               f_value_q;
    // The operation whose bytes move: it is of the line, or the line goes; the slice had the byte; it is written. A cycle later, for what comes out.
    reg                      f_moves_q;
    reg                      f_leaves_q;
    reg                      f_had_q;
    reg                      f_part_q;
    reg  [2:0]               f_out_q;
    reg                      f_due_q;     // the sector is to go back, and has not come out

    wire [SECTORS+6:0]       f_sectors  = {7'd0, op_sectors};
    wire [SECTORS+6:0]       f_fetch    = {7'd0, ans_fetch};
    wire [SECTORS+6:0]       f_back     = {7'd0, ans_back};
    wire [2:0]               f_kind     = f_kind_q[8:6];
    wire                     f_request  = f_kind <= ATOMIC && !f_head_q[2];
    wire                     f_acts     = ans_valid && ans_result <= 3'd2;
    wire                     f_mine     = f_acts && f_mine_q[2];
    wire                     f_done     = f_kind <= ATOMIC && ans_result != 3'd2;
    wire                     f_brings   = f_mine && !f_here_q && (f_request || (f_kind == LOAD && !f_head_q[2]));
    wire                     f_goes     = f_acts && f_near_q[2] && !f_mine_q[2] && f_here_q && ans_way == f_way_q &&
                                          (f_request || (f_kind == LOAD && !f_head_q[2]));
    wire                     f_cleans   = f_mine && f_kind == CLEAN;
    wire                     f_full     = f_here_q && &f_has_q;
    wire                     f_writes   = f_mine && f_done && f_kind == WRITE && f_names_q[2] && (!f_pass_q[2] || f_full);
    wire                     f_changes  = f_mine && f_done && f_kind == ATOMIC && f_names_q[2];
    wire                     f_fills    = f_mine && f_names_q[2] && (f_kind == COME || (f_kind == LOAD && !f_head_q[2]));
    wire [31:0]              f_old      = f_here_q ? f_has_q : 32'd0;
    wire [31:0]              f_new      = f_fills ? 32'hffff_ffff : f_writes ? f_old | f_mask_q[95:64] : f_old;
    wire                     f_takes    = in_ready && in_valid && f_moves_q && f_part_q && in_sector == f_sector;
    wire [7:0]               f_shown    = data_i[8*f_byte +: 8];

    cw_nonsynth_choice #(
        .W(LINE_W)
    ) u_f_line (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (op_valid && op_ready),
        .value_i (op_line),
        .choice_o(f_line)
    );

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i) begin
            f_op_q     <= 3'd0;
            f_here_q   <= 1'b0;
            f_moves_q  <= 1'b0;
            f_leaves_q <= 1'b0;
            f_out_q    <= 3'd0;
            f_due_q    <= 1'b0;
        end else begin
            f_op_q   <= {f_op_q[1:0], op_valid && op_ready};
            f_here_q <= (f_here_q && !f_goes && !(f_mine && f_kind == DROP)) || f_brings;
            if (moves_i) begin
                f_moves_q  <= f_mine;
                f_leaves_q <= f_goes || f_cleans;
            end
            f_out_q <= {f_moves_q, f_leaves_q, f_had_q};
            f_due_q <= (f_due_q && !(out_valid && out_back && out_sector == f_sector)) || ((f_goes || f_cleans) && f_back[f_sector]);
        end
        f_mine_q  <= {f_mine_q[1:0], op_line == f_line};
        f_near_q  <= {f_near_q[1:0], op_line[SET_W-1:0] == f_line[SET_W-1:0]};
        f_head_q  <= {f_head_q[1:0], op_head};
        f_pass_q  <= {f_pass_q[1:0], op_pass};
        f_pm_q    <= {f_pm_q[1:0], op_pm};
        f_names_q <= {f_names_q[1:0], f_sectors[f_sector]};
        f_kind_q  <= {f_kind_q[5:0], op_kind};
        f_mask_q  <= {f_mask_q[63:0], mask_i[32*f_sector +: 32]};
        f_last_q  <= op_line[SET_W-1:0];
        if (f_brings)
            f_way_q <= ans_way;
        if (f_mine)
            f_has_q <= f_new;
        if (f_brings)
            f_dirty_q <= (f_writes || f_changes) && !f_pm_q[2];
        else if (f_cleans)
            f_dirty_q <= 1'b0;
        else if ((f_writes || f_changes) && !f_pm_q[2])
            f_dirty_q <= 1'b1;
        if (moves_i) begin
            f_had_q  <= f_old[f_byte];
            f_part_q <= f_kind == WRITE ? f_mask_q[64 + {27'd0, f_byte}] : f_kind == COME ? !f_old[f_byte] : 1'b1;
        end
        if (f_takes)
            f_value_q <= given_i[8*f_byte +: 8];
    end

    always @(`CW_PROPERTIES)
        if (f_past_q && f_there) begin
            // 1. An operation is answered three cycles later. What is not said is 0.
            assert (ans_valid == f_op_q[2]);
            assert (f_acts || {ans_way, ans_entry, ans_fetch, ans_back} == {12+2*SECTORS{1'b0}});
            assert (ans_valid || ans_result == 3'd0);
            assert (|ans_back || ans_line == {LINE_W{1'b0}});
            assert (out_valid || {out_back, out_sector, out_mask} == 36'd0);
            cover (ans_valid && ans_result == 3'd5 && f_op_q[1]);
            // 2. An operation of a set waits a cycle behind one of the same set, and none waits else.
            assert (!swept_i || op_ready == !(f_op_q[0] && f_last_q == op_line[SET_W-1:0]));
            cover (swept_i && op_valid && !op_ready);
            // 3. The byte that comes out is the one that came in last, and it is said whether the slice has it.
            assert (!(out_valid && !out_back && f_out_q[2] && out_sector == f_sector) || out_mask[f_byte] == f_out_q[0]);
            assert (!(out_valid && out_back && f_out_q[1] && out_sector == f_sector) || out_mask[f_byte] == f_out_q[0]);
            assert (!(out_valid && (out_back ? f_out_q[1] : f_out_q[2]) && out_sector == f_sector && f_out_q[0]) || f_shown == f_value_q);
            cover (out_valid && !out_back && f_out_q[2] && f_out_q[0] && out_sector == f_sector && f_value_q == 8'h5a);
            // 4. No sector that is valid is asked of memory.
            assert (!(f_mine && f_fetch[f_sector]) || !f_full);
            cover (f_mine && f_fetch[f_sector] && f_here_q && |f_has_q);
            // 5. A dirty sector goes back when its line goes, or is cleaned; but not when the host takes its place.
            assert (!(f_goes && f_request && f_dirty_q) || (f_back[f_sector] && ans_line == f_line));
            assert (!(f_cleans && f_here_q && f_dirty_q) || (f_back[f_sector] && ans_line == f_line));
            cover (f_goes && f_request && f_dirty_q);
            cover (f_cleans && f_here_q && f_dirty_q);
            // 6. What goes back comes out before the slice is at rest.
            assert (!(idle_i && f_due_q));
            cover (f_due_q && out_valid && out_back);
        end
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif
`endif

endmodule

`default_nettype wire
