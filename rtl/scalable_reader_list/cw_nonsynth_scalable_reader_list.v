// SPDX-License-Identifier: Apache-2.0
//
// cw_nonsynth_scalable_reader_list: what must hold of the readers, as a word and a transaction show it.
//
// Why         : a reader that a writer does not meet is a lost conflict.
// How         : it watches one word and one transaction, of the prover's choice, and keeps what the ports have shown of
//               them.
// Illegal use : synthesis. Only blocks of properties have it (CW_PROPERTIES).
//
// Contract: include/cowarp/unit/scalable_reader_list.h. docs/proofs.md has the form of properties.

`default_nettype none

module cw_nonsynth_scalable_reader_list #(
    parameter WORD_W = 30,
    parameter ID_W   = 10
) (
    input  wire                         clk_i,
    input  wire                         rst_i,
    // an operation
    input  wire [7 + WORD_W + ID_W-1:0] op_i,
    // readers, and the answer
    input  wire [5 + ID_W-1:0]          out_i,
    // the sweep and the steps
    input  wire [9:0]                   steps_i
);

`ifdef CW_PROPERTIES
    localparam [2:0] ADD = 3'd0, REMOVE = 3'd1, LIST = 3'd2, RUN = 3'd3;
    localparam [1:0] DONE = 2'd0, SAME = 2'd1, FULL = 2'd2;
    localparam [1:0] ROOT = 2'd2;
    localparam [3:0] IDLE = 4'd1, READ = 4'd3, COMPARE = 4'd4, ROW_READ = 4'd7, LIVE = 4'd9, ROW_WRITE = 4'd11;

    // What the ports and the parts show.
    wire              take;
    wire              begins;
    wire              sets;
    wire              op_ready;
    wire [2:0]        op_kind;
    wire [WORD_W-1:0] op_word;
    wire [ID_W-1:0]   op_id;
    wire              rdr_valid;
    wire              rdr_ready;
    wire [ID_W-1:0]   rdr_id;
    wire              ans_valid;
    wire [1:0]        ans_result;
    wire              sweep;
    wire              sweep_busy;
    wire [3:0]        state;
    wire              take_row;
    wire              write;
    wire [1:0]        new_type;

    assign {take, begins, sets, op_ready, op_kind, op_word, op_id} = op_i;
    assign {rdr_valid, rdr_ready, rdr_id, ans_valid, ans_result} = out_i;
    assign {sweep, sweep_busy, state, take_row, write, new_type} = steps_i;

    // A word and a transaction of the prover's choice, and what the ports have shown of them.
    wire [WORD_W-1:0] f_word;
    wire [ID_W-1:0]   f_a;
    reg               f_past_q = 1'b0;
    reg               f_here_q;        // the operation under way is of the word
    reg               f_mine_q;        // and of the transaction
    reg  [2:0]        f_kind_q;
    reg               f_runs_q;
    reg               f_in_q;          // was added, and nothing can have taken it out since
    reg               f_may_q;         // was added, and nothing is sure to have taken it out since
    reg               f_swept_q;       // the sweep began after it was free, and it was not added since
    reg               f_busy_q;
    reg               f_seen_q;        // was given
    reg               f_many_q;        // the list has made a root

    wire f_op    = take && op_id == f_a;
    wire f_ended = ans_valid && f_here_q;
    wire f_given = rdr_valid && rdr_ready && f_here_q && rdr_id == f_a;
    wire f_adds  = f_ended && f_mine_q && f_kind_q == ADD;
    wire f_outs  = f_ended && f_mine_q && f_kind_q == REMOVE;

    cw_nonsynth_choice #(
        .W(WORD_W)
    ) u_f_word (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (begins),
        .value_i (op_word),
        .choice_o(f_word)
    );

    cw_nonsynth_choice #(
        .W(ID_W)
    ) u_f_a (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (take),
        .value_i (op_id),
        .choice_o(f_a)
    );

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i) begin
            f_here_q  <= 1'b0;
            f_mine_q  <= 1'b0;
            f_runs_q  <= 1'b0;
            f_in_q    <= 1'b0;
            f_may_q   <= 1'b0;
            f_swept_q <= 1'b0;
            f_busy_q  <= 1'b0;
            f_seen_q  <= 1'b0;
            f_many_q  <= 1'b0;
            f_kind_q  <= ADD;
        end else begin
            f_busy_q <= sweep_busy;
            f_many_q <= f_many_q || (write && new_type == ROOT);
            if (begins) begin
                f_here_q <= op_word == f_word;
                f_mine_q <= op_id == f_a;
                f_kind_q <= op_kind;
                f_seen_q <= 1'b0;
            end else if (f_given) begin
                f_seen_q <= 1'b1;
            end
            if (f_op && op_kind >= RUN)
                f_runs_q <= op_kind == RUN;
            f_in_q    <= (f_adds ? ans_result != FULL || f_in_q : f_in_q && !f_outs) && !(sweep_busy && !f_runs_q);
            f_may_q   <= f_adds ? ans_result != FULL || f_may_q
                         : f_may_q && !f_outs && !(f_busy_q && !sweep_busy && f_swept_q);
            f_swept_q <= sweep ? !f_runs_q && !f_op && state == IDLE && !ans_valid
                                 : f_swept_q && !(f_op && (op_kind == ADD || op_kind == RUN));
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. Who has been added, and cannot have been taken out, is listed.
            assert (!(f_ended && f_kind_q == LIST && f_in_q) || f_seen_q);
            cover (f_ended && f_kind_q == LIST && f_in_q && f_many_q);
            // 2. Nobody is listed twice, or who has not been added since it was last taken out.
            assert (!f_given || (f_may_q && !f_seen_q));
            cover (f_ended && f_kind_q == LIST && !f_may_q && f_swept_q);
            // 3. The answer says what was there before.
            assert (!(f_adds && f_in_q) || ans_result == SAME);
            assert (!(f_adds && !f_may_q) || ans_result != SAME);
            assert (!(f_outs && f_in_q) || ans_result == DONE);
            assert (!(f_outs && !f_may_q) || ans_result == SAME);
            cover (f_outs && f_in_q && f_many_q);
            cover (f_adds && ans_result == FULL);
            // 4. What is not valid is 0, and there is one operation at a time.
            assert (ans_valid || ans_result == DONE);
            assert (rdr_valid || rdr_id == {ID_W{1'b0}});
            assert (!rdr_valid || !op_ready);
            cover (rdr_valid && !rdr_ready);
            // 5. No RAM is read and written in one cycle.
            assert (!(write && (state == READ || state == COMPARE || state == ROW_READ || take_row))
                    && !(sets && state == LIVE));
            cover (write && state == ROW_WRITE);
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
