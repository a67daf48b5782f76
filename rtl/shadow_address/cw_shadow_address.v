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
