// SPDX-License-Identifier: Apache-2.0
//
// cw_shadow_address: the places of a word's backup and owner in the word's bank.
//
// Why         : backup and owner are in the bank of their word, so that a bank serves an access and its versions by itself.
// How         : two sums; the number of the group's words in the bank comes first.
// Latency     : 1 cycle.
// Throughput  : one word per cycle.
// Comb. paths : none.
// Storage     : 3 * ROW_W + 3 flip-flops.
// Illegal use : none; adr_fits_o says what has no place.
//
// Paper: Villegas et al., GPU-LocalTM improvements, section 2.1. Contract: include/cowarp/unit/shadow_address.h.
// C model: csim/unit/shadow_address.c. Datasheet: docs/units/shadow_address.md.

`default_nettype none

module cw_shadow_address #(
    parameter BANK_W = 5,  // 1 .. 6
    parameter ROW_W  = 9   // 3 .. 12
) (
    input  wire                    clk_i,
    input  wire                    rst_i,
    // a word of a group
    input  wire                    req_valid_i,
    input  wire [ROW_W-1:0]        req_base_i,
    input  wire [BANK_W+ROW_W-1:0] req_words_i,
    input  wire [BANK_W-1:0]       req_bank_i,
    input  wire [ROW_W-1:0]        req_word_i,
    // its places
    output wire [ROW_W-1:0]        adr_data_o,
    output wire [ROW_W-1:0]        adr_backup_o,
    output wire [ROW_W-1:0]        adr_owner_o,
    output wire [1:0]              adr_byte_o,
    output wire                    adr_fits_o
);

    reg  [ROW_W-1:0] data_q;
    reg  [ROW_W-1:0] backup_q;
    reg  [ROW_W-1:0] owner_q;
    reg  [1:0]       byte_q;
    reg              fits_q;

    // Words in the bank: one more than in the banks behind the group's last word.
    wire             more  = req_bank_i < req_words_i[BANK_W-1:0];
    wire [ROW_W:0]   n     = {1'b0, req_words_i[BANK_W+:ROW_W]} + {{ROW_W{1'b0}}, more};
    wire [ROW_W-1:0] data  = req_base_i + req_word_i;
    wire [ROW_W+1:0] owner = {2'b00, req_base_i} + {n, 1'b0} + {4'b0000, req_word_i[ROW_W-1:2]};

    always @(posedge clk_i)
        if (rst_i) begin
            data_q   <= {ROW_W{1'b0}};
            backup_q <= {ROW_W{1'b0}};
            owner_q  <= {ROW_W{1'b0}};
            byte_q   <= 2'd0;
            fits_q   <= 1'b0;
        end else if (req_valid_i) begin
            data_q   <= data;
            backup_q <= data + n[ROW_W-1:0];
            owner_q  <= owner[ROW_W-1:0];
            byte_q   <= req_word_i[1:0];
            fits_q   <= {1'b0, req_word_i} < n && owner[ROW_W+1:ROW_W] == 2'd0;
        end

    assign adr_data_o   = data_q;
    assign adr_backup_o = backup_q;
    assign adr_owner_o  = owner_q;
    assign adr_byte_o   = byte_q;
    assign adr_fits_o   = fits_q;

`ifdef CW_PROPERTIES
    // The last word that was asked for, and the one before it with its places.
    reg                     f_past_q = 1'b0;
    reg  [ROW_W-1:0]        f_base_q;
    reg  [BANK_W+ROW_W-1:0] f_words_q;
    reg  [BANK_W-1:0]       f_bank_q;
    reg  [ROW_W-1:0]        f_word_q;
    reg  [ROW_W-1:0]        f_base_before_q;
    reg  [BANK_W+ROW_W-1:0] f_words_before_q;
    reg  [BANK_W-1:0]       f_bank_before_q;
    reg  [ROW_W-1:0]        f_word_before_q;
    reg  [ROW_W-1:0]        f_data_before_q;
    reg  [ROW_W-1:0]        f_backup_before_q;
    reg  [ROW_W-1:0]        f_owner_before_q;
    reg  [1:0]              f_byte_before_q;
    reg                     f_fits_before_q;
    // The group's words in the bank are those whose number is below the group's.
    wire                    f_exists = {1'b0, f_word_q, f_bank_q} < {1'b0, f_words_q};
    wire [BANK_W+ROW_W:0]   f_up     = {1'b0, f_words_q} + {{(ROW_W+1){1'b0}}, ~f_bank_q};
    wire [ROW_W:0]          f_n      = f_up[BANK_W+ROW_W:BANK_W];
    wire [ROW_W+2:0]        f_owner  = {3'd0, f_base_q} + {2'd0, f_n} + {2'd0, f_n} + {3'd0, f_word_q >> 2};
    wire [BANK_W+ROW_W:0]   f_up_before    = {1'b0, f_words_before_q} + {{(ROW_W+1){1'b0}}, ~f_bank_before_q};
    wire [ROW_W:0]          f_n_before     = f_up_before[BANK_W+ROW_W:BANK_W];
    wire [ROW_W+2:0]        f_owner_before = {3'd0, f_base_before_q} + {2'd0, f_n_before} + {2'd0, f_n_before} + {3'd0, f_word_before_q >> 2};
    wire                    f_pair   = adr_fits_o && f_fits_before_q && f_base_q == f_base_before_q && f_words_q == f_words_before_q
                                       && f_bank_q == f_bank_before_q && f_word_q != f_word_before_q;

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i) begin
            f_base_q        <= 0;
            f_words_q       <= 0;
            f_bank_q        <= 0;
            f_word_q        <= 0;
            f_fits_before_q <= 1'b0;
        end else if (req_valid_i) begin
            f_base_q          <= req_base_i;
            f_words_q         <= req_words_i;
            f_bank_q          <= req_bank_i;
            f_word_q          <= req_word_i;
            f_base_before_q   <= f_base_q;
            f_words_before_q  <= f_words_q;
            f_bank_before_q   <= f_bank_q;
            f_word_before_q   <= f_word_q;
            f_data_before_q   <= adr_data_o;
            f_backup_before_q <= adr_backup_o;
            f_owner_before_q  <= adr_owner_o;
            f_byte_before_q   <= adr_byte_o;
            f_fits_before_q   <= adr_fits_o;
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. A word fits exactly if the group has it and the row of its owner is a row of the bank.
            assert (adr_fits_o == (f_exists && f_owner[ROW_W+2:ROW_W] == 3'd0));
            cover (f_exists && !adr_fits_o);
            cover (adr_fits_o && &adr_owner_o);
            // 2. Two words of a group in a bank share no place: neither two backups, nor two owners, nor an owner and a backup.
            if (f_pair) begin
                assert (adr_backup_o != f_backup_before_q && {adr_owner_o, adr_byte_o} != {f_owner_before_q, f_byte_before_q});
                assert (adr_backup_o != f_owner_before_q && adr_owner_o != f_backup_before_q);
            end
            cover (f_pair && adr_owner_o == f_owner_before_q);
            // 3. No word has its backup or its owner where another one, or it itself, has data.
            if (f_pair)
                assert (adr_data_o != f_data_before_q && adr_data_o != f_backup_before_q && adr_data_o != f_owner_before_q
                        && f_data_before_q != adr_backup_o && f_data_before_q != adr_owner_o);
            cover (f_pair && adr_data_o + 1 == f_backup_before_q);
            // 4. The places of a word lie in their order, from the base on, so in the group's rows.
            assert (!adr_fits_o || (adr_data_o >= f_base_q && adr_backup_o > adr_data_o && adr_owner_o > adr_backup_o));
            cover (adr_fits_o && f_base_q != 0 && adr_owner_o == adr_backup_o + 1);
            // 5. (for induction) Places follow from the word, those of the one before, too.
            assert (adr_data_o == f_base_q + f_word_q && adr_byte_o == f_word_q[1:0]);
            assert (adr_backup_o == f_base_q + f_n[ROW_W-1:0] + f_word_q && adr_owner_o == f_owner[ROW_W-1:0]);
            if (f_fits_before_q)
                assert (f_word_before_q < f_n_before && f_owner_before == {3'd0, f_owner_before_q} && f_byte_before_q == f_word_before_q[1:0]
                        && f_data_before_q == f_base_before_q + f_word_before_q
                        && f_backup_before_q == f_base_before_q + f_n_before[ROW_W-1:0] + f_word_before_q);
            cover (f_fits_before_q && f_byte_before_q == 2'd3);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

    generate
        if (BANK_W < 1 || BANK_W > 6) begin : g_bad_bank_w
            cw_error_shadow_address_bank_w_must_be_1_to_6 u_error ();
        end
        if (ROW_W < 3 || ROW_W > 12) begin : g_bad_row_w
            cw_error_shadow_address_row_w_must_be_3_to_12 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
