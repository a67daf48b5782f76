// SPDX-License-Identifier: Apache-2.0
//
// cw_nonsynth_writer_table: what must hold of the writer table, as a word and two transactions show it.
//
// Why         : a table of writers is right if no word has two of them that run, and whoever is entered is told to the others.
// How         : it watches one word and two transactions, of the prover's choice, and keeps what the ports have shown of them.
// Illegal use : synthesis. Only blocks of properties have it (CW_PROPERTIES).
//
// Contract: include/cowarp/unit/writer_table.h. docs/proofs.md has the form of properties.

`default_nettype none

module cw_nonsynth_writer_table #(
    parameter WORD_W = 30,
    parameter ID_W   = 10,
    parameter WAYS   = 8
) (
    input  wire              clk_i,
    input  wire              rst_i,
    // an operation is taken
    input  wire              take_i,
    input  wire [2:0]        op_kind_i,
    input  wire [WORD_W-1:0] op_word_i,
    input  wire [ID_W-1:0]   op_id_i,
    // an answer
    input  wire              ans_valid_i,
    input  wire [1:0]        ans_result_i,
    input  wire [ID_W-1:0]   ans_owner_i,
    input  wire [WAYS-1:0]   ans_writers_i,
    input  wire [127:0]      ans_ids_i,
    // the sweep
    input  wire              sweep_i,
    input  wire              sweep_busy_i,
    // stages with something in them, the first one lowest; ways that are written; the clearing after a reset
    input  wire [4:0]        step_i,
    input  wire [WAYS-1:0]   write_i,
    input  wire              clear_i
);

`ifdef CW_PROPERTIES
    localparam [2:0] QUERY = 3'd0, CLAIM = 3'd1, RELEASE = 3'd2, RUN = 3'd3, FREE = 3'd5;
    localparam [1:0] GRANTED = 2'd0, OWN = 2'd1, OWNED = 2'd2, FULL = 2'd3;

    // A word and two transactions of the prover's choice, and what the ports have shown of them.
    wire [WORD_W-1:0] f_word;
    wire [ID_W-1:0]   f_a;
    (* anyconst *) reg [ID_W-1:0] f_b;
    reg               f_past_q = 1'b0;
    reg  [4:0]        f_due_q;         // an operation with an answer, by age; and what it was
    reg  [2:0]        f_kind1_q;
    reg  [2:0]        f_kind2_q;
    reg  [2:0]        f_kind3_q;
    reg  [2:0]        f_kind4_q;
    reg  [2:0]        f_kind5_q;
    reg  [4:0]        f_word_q;        // of the word
    reg  [4:0]        f_by_a_q;
    reg  [4:0]        f_by_b_q;
    reg               f_legal_q;       // the user has kept what the contract asks of him, for both transactions
    reg               f_runs_a_q;
    reg               f_runs_b_q;
    reg               f_body_a_q;      // runs or has committed
    reg               f_body_b_q;
    reg               f_clean_a_q;     // has had no entry since the reset or a sweep
    reg               f_clean_b_q;
    reg               f_sweep_a_q;     // the sweep began after it was nobody's, and it still is
    reg               f_sweep_b_q;
    reg               f_holds_a_q;     // was granted the word, and neither released it nor was free since
    reg               f_holds_b_q;
    reg               f_maybe_a_q;     // has claimed the word since it was clean
    reg               f_listed_a;      // by the answer
    integer           f;

    wire f_looks  = take_i && op_kind_i < RUN;  // it will have an answer
    wire f_a_op   = take_i && op_id_i == f_a;
    wire f_b_op   = take_i && op_id_i == f_b;
    wire f_claims = take_i && op_kind_i == CLAIM;
    wire f_frees  = take_i && op_kind_i >= FREE;
    wire f_done   = f_due_q[4] && f_word_q[4];
    wire f_grant  = f_done && f_kind5_q == CLAIM && (ans_result_i == GRANTED || ans_result_i == OWN);
    wire f_gives  = f_done && f_kind5_q == RELEASE;
    reg  f_swept_q;

    cw_nonsynth_choice #(
        .W(WORD_W)
    ) u_f_word (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (f_looks),
        .value_i (op_word_i),
        .choice_o(f_word)
    );

    cw_nonsynth_choice #(
        .W(ID_W)
    ) u_f_a (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (take_i),
        .value_i (op_id_i),
        .choice_o(f_a)
    );

    always @* begin
        f_listed_a = 1'b0;
        for (f = 0; f < WAYS; f = f + 1)
            f_listed_a = f_listed_a || (ans_writers_i[f] && ans_ids_i[f*16 +: ID_W] == f_a);
    end

    always @(posedge clk_i) begin
        f_past_q  <= 1'b1;
        f_kind1_q <= op_kind_i;
        f_kind2_q <= f_kind1_q;
        f_kind3_q <= f_kind2_q;
        f_kind4_q <= f_kind3_q;
        f_kind5_q <= f_kind4_q;
        f_word_q  <= {f_word_q[3:0], op_word_i == f_word};
        f_by_a_q  <= {f_by_a_q[3:0], op_id_i == f_a};
        f_by_b_q  <= {f_by_b_q[3:0], op_id_i == f_b};
        if (rst_i) begin
            f_due_q     <= 5'd0;
            f_legal_q   <= 1'b1;
            f_runs_a_q  <= 1'b0;
            f_runs_b_q  <= 1'b0;
            f_body_a_q  <= 1'b0;
            f_body_b_q  <= 1'b0;
            f_clean_a_q <= 1'b1;
            f_clean_b_q <= 1'b1;
            f_sweep_a_q <= 1'b0;
            f_sweep_b_q <= 1'b0;
            f_holds_a_q <= 1'b0;
            f_holds_b_q <= 1'b0;
            f_maybe_a_q <= 1'b0;
            f_swept_q   <= 1'b0;
        end else begin
            f_due_q   <= {f_due_q[3:0], f_looks};
            f_swept_q <= sweep_busy_i;
            f_legal_q <= f_legal_q
                         && !(f_a_op && (f_claims ? !f_runs_a_q : op_kind_i == RUN && (f_body_a_q || !f_clean_a_q)))
                         && !(f_b_op && (f_claims ? !f_runs_b_q : op_kind_i == RUN && (f_body_b_q || !f_clean_b_q)));
            if (f_a_op && op_kind_i >= RUN) begin
                f_runs_a_q <= op_kind_i == RUN;
                f_body_a_q <= op_kind_i < FREE;
            end
            if (f_b_op && op_kind_i >= RUN) begin
                f_runs_b_q <= op_kind_i == RUN;
                f_body_b_q <= op_kind_i < FREE;
            end
            f_sweep_a_q <= sweep_i ? !f_body_a_q && !(f_a_op && op_kind_i >= RUN && !f_frees) && !(f_a_op && f_claims)
                                   : f_sweep_a_q && !(f_a_op && !f_frees);
            f_sweep_b_q <= sweep_i ? !f_body_b_q && !(f_b_op && op_kind_i >= RUN && !f_frees) && !(f_b_op && f_claims)
                                   : f_sweep_b_q && !(f_b_op && !f_frees);
            f_clean_a_q <= !(f_a_op && f_claims) && (f_clean_a_q || (f_swept_q && !sweep_busy_i && f_sweep_a_q));
            f_clean_b_q <= !(f_b_op && f_claims) && (f_clean_b_q || (f_swept_q && !sweep_busy_i && f_sweep_b_q));
            f_holds_a_q <= !(f_a_op && f_frees) && (f_grant && f_by_a_q[4] && f_body_a_q ? 1'b1
                                                    : f_gives && f_by_a_q[4] ? 1'b0 : f_holds_a_q);
            f_holds_b_q <= !(f_b_op && f_frees) && (f_grant && f_by_b_q[4] && f_body_b_q ? 1'b1
                                                    : f_gives && f_by_b_q[4] ? 1'b0 : f_holds_b_q);
            f_maybe_a_q <= (f_a_op && f_claims && op_word_i == f_word)
                           || (f_maybe_a_q && !(f_gives && f_by_a_q[4]) && !(f_swept_q && !sweep_busy_i && f_sweep_a_q));
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. No word has two writers that run, if the user keeps what the contract asks of him.
            assert (!(f_legal_q && f_a != f_b && f_holds_a_q && f_runs_a_q && f_holds_b_q && f_runs_b_q));
            cover (f_legal_q && f_a != f_b && f_holds_a_q && !f_runs_a_q && f_holds_b_q && f_runs_b_q);
            cover (f_legal_q && f_done && f_kind5_q == CLAIM && ans_result_i == OWNED && ans_owner_i == f_a && f_by_b_q[4]);
            // 2. Whoever was granted the word is listed to the others until it releases it or is free.
            assert (!(f_done && !f_by_a_q[4] && f_holds_a_q) || f_listed_a);
            cover (f_done && !f_by_a_q[4] && f_holds_a_q && f_kind5_q == QUERY && f_due_q[3]);
            // 3. Nobody is listed who has not claimed the word since it was last swept out.
            assert (!(f_done && f_listed_a) || f_maybe_a_q);
            cover (f_done && f_kind5_q == QUERY && !f_by_a_q[4] && !f_maybe_a_q && f_clean_a_q && f_body_a_q);
            // 4. An answer comes five cycles after its question, and what is not an answer is 0.
            assert (ans_valid_i == f_due_q[4]);
            assert (ans_valid_i || (ans_result_i == GRANTED && ans_owner_i == {ID_W{1'b0}} && ans_writers_i == {WAYS{1'b0}} && ans_ids_i == 128'd0));
            cover (f_due_q == 5'h1f && ans_writers_i != {WAYS{1'b0}});
            cover (ans_valid_i && ans_result_i == FULL);
            // 5. No RAM is read and written in one cycle.
            assert (!(write_i != {WAYS{1'b0}} && step_i[0]) && !(clear_i && step_i != 5'd0));
            cover (write_i != {WAYS{1'b0}} && f_looks);
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
