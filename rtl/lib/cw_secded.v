// SPDX-License-Identifier: Apache-2.0
//
// cw_secded: code words that survive one inverted bit, and tell two.
//
// Why         : a bit of an SRAM may turn over. A table of a mechanism that decides by such a bit gives wrong words in silence.
// How         : an odd-weight-column code. Each data bit takes part in an odd number, 3 or more, of check bits, and no two in the same
//               ones. What the check bits of a read word miss is its syndrome: 0 for a word without an error, an odd number of ones for
//               one inverted bit, whose place it names, and an even number for two. RAMs use it when CW_RAM_ECC is defined
//               (rtl/README.md).
// Words       : WORDS words side by side, each with check bits of its own, so that one can be written alone. A code word is
//               { check bits, data bits }.
// Latency     : combinational. XOR trees of about WORD_W / 2 inputs to code; the same, a comparison and an XOR to decode.
// Limits      : three wrong bits or more in a word may be told as one, and then a fourth is made wrong.
// Illegal use : a CHECK_W other than the table's below.
//
// Paper: M. Y. Hsiao, "A class of optimal minimum odd-weight-column SEC-DED codes", IBM J. Res. Dev., 1970. C model: none, units do not see it.

`default_nettype none

module cw_secded #(
    parameter WORD_W  = 32,  // 1 .. 247
    parameter CHECK_W = 7,   // 3 for 1 bit, 4 to 4, 5 to 11, 6 to 26, 7 to 57, 8 to 120, 9 to 247
    parameter WORDS   = 1
) (
    // to be written
    input  wire [WORDS*WORD_W-1:0]           data_i,
    output wire [WORDS*(WORD_W+CHECK_W)-1:0] code_o,
    // as read
    input  wire [WORDS*(WORD_W+CHECK_W)-1:0] code_i,
    output wire [WORDS*WORD_W-1:0]           data_o,
    output wire                              corrected_o,  // of some word one bit was wrong, and is right in data_o
    output wire                              lost_o        // some word has more wrong bits, and is wrong in data_o
);

    localparam CODE_W = WORD_W + CHECK_W;

    // Bits n * CHECK_W up: the check bits that data bit n takes part in. Those of weight 3 come first, so that the trees are small.
    function [WORD_W*CHECK_W-1:0] columns (
        input integer ends
    );
        integer            weight;
        integer            n;
        reg [CHECK_W:0]    v;
        reg [3:0]          ones;
        integer            bit_n;
        begin
            columns = {WORD_W * CHECK_W{1'b0}};
            n       = 0;
            for (weight = 3; weight <= CHECK_W; weight = weight + 2)
                for (v = 0; !v[CHECK_W] && n < ends; v = v + 1'b1) begin
                    ones = 4'd0;
                    for (bit_n = 0; bit_n < CHECK_W; bit_n = bit_n + 1)
                        ones = ones + {3'd0, v[bit_n]};
                    if (ones == weight[3:0] && n < ends) begin
                        columns[n*CHECK_W+:CHECK_W] = v[CHECK_W-1:0];
                        n = n + 1;
                    end
                end
        end
    endfunction

    localparam [WORD_W*CHECK_W-1:0] COLUMNS = columns(WORD_W);

    wire [WORDS-1:0] corrected;
    wire [WORDS-1:0] lost;

    assign corrected_o = |corrected;
    assign lost_o      = |lost;

    genvar w;
    genvar c;
    genvar d;

    generate
        if (WORD_W < 1 || WORD_W > 247) begin : g_bad_word_w
            cw_error_secded_word_w_must_be_1_to_247 u_error ();
        end
        if (CHECK_W < 3 || CHECK_W > 9 || WORD_W > (1 << (CHECK_W - 1)) - CHECK_W) begin : g_bad_check_w
            cw_error_secded_check_w_too_small_for_word_w u_error ();
        end

        for (w = 0; w < WORDS; w = w + 1) begin : g_word
            wire [WORD_W-1:0]  data  = code_i[w*CODE_W+:WORD_W];
            wire [CHECK_W-1:0] check = code_i[w*CODE_W+WORD_W+:CHECK_W];
            wire [CHECK_W-1:0] syndrome;

            assign code_o[w*CODE_W+:WORD_W] = data_i[w*WORD_W+:WORD_W];

            for (c = 0; c < CHECK_W; c = c + 1) begin : g_check
                wire [WORD_W-1:0] mask;

                for (d = 0; d < WORD_W; d = d + 1) begin : g_mask
                    assign mask[d] = COLUMNS[d*CHECK_W+c];
                end
                assign code_o[w*CODE_W+WORD_W+c] = ^(data_i[w*WORD_W+:WORD_W] & mask);
                assign syndrome[c]               = check[c] ^ ^(data & mask);
            end

            for (d = 0; d < WORD_W; d = d + 1) begin : g_data
                assign data_o[w*WORD_W+d] = data[d] ^ (syndrome == COLUMNS[d*CHECK_W+:CHECK_W]);
            end

            assign corrected[w] = ^syndrome;
            assign lost[w]      = |syndrome && !(^syndrome);
        end
    endgenerate

endmodule

`default_nettype wire
