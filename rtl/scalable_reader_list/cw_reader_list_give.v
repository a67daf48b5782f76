// SPDX-License-Identifier: Apache-2.0
//
// cw_reader_list_give: the readers that a LIST gives.
//
// Why         : an entry has several readers, and one goes out per cycle.
// How         : numbers of a plain entry, or bits of a leaf, are kept until they have been taken, the lowest one first.
// Stages      : decide fills it; the next entry may come with the last reader.
// Latency     : readers of cycle t go out from t + 1 on.
// Throughput  : a reader per cycle.
// Illegal use : none.
//
// Paper: Chen et al., ISCA 2017 (SI-TM), section 4.3, Figure 10. It is a part of cw_scalable_reader_list. C model: part
// of csim/unit/scalable_reader_list.c.

`default_nettype none

module cw_reader_list_give #(
    parameter ID_W   = 10,
    parameter LEAF_W = 5,
    parameter ROOT_W = 5,   // of the number of a leaf
    parameter LEAVES = 32   // bits of a leaf
) (
    input  wire              clk_i,
    input  wire              rst_i,
    // numbers of a plain entry, or a leaf
    input  wire              lists_i,
    input  wire [1:0]        cnt_i,
    input  wire [3*ID_W-1:0] ids_i,
    input  wire [LEAVES-1:0] bits_i,
    input  wire [ROOT_W-1:0] leaf_no_i,
    // readers
    output wire              valid_o,
    input  wire              ready_i,
    output wire [ID_W-1:0]   id_o,
    output wire              over_o      // none is left in the next cycle
);

    localparam [LEAVES-1:0] LEAF_BIT = 1;

    reg  [1:0]         give_cnt_q;      // plain ones
    reg  [3*ID_W-1:0]  give_ids_q;
    reg  [LEAVES-1:0]  give_bits_q;     // or those of a leaf
    reg  [ROOT_W-1:0]  give_leaf_q;
    reg  [LEAF_W-1:0]  give_bit;
    integer            b;
    wire               give_any  = give_cnt_q != 2'd0 || give_bits_q != {LEAVES{1'b0}};
    wire               give_last = give_cnt_q == 2'd1 || (give_cnt_q == 2'd0
                                                          && (give_bits_q & (give_bits_q - LEAF_BIT))
                                                          == {LEAVES{1'b0}});
    wire               give_over = !give_any || (give_last && ready_i);

    always @* begin
        give_bit = {LEAF_W{1'b0}};
        for (b = LEAVES - 1; b >= 0; b = b - 1)
            if (give_bits_q[b])
                give_bit = b[LEAF_W-1:0];
    end

    always @(posedge clk_i) begin
        if (rst_i) begin
            give_cnt_q  <= 2'd0;
            give_bits_q <= {LEAVES{1'b0}};
        end else if (lists_i) begin
            give_cnt_q  <= cnt_i;
            give_bits_q <= bits_i;
        end else if (give_any && ready_i) begin
            give_cnt_q  <= give_cnt_q == 2'd0 ? 2'd0 : give_cnt_q - 2'd1;
            give_bits_q <= give_bits_q & (give_bits_q - LEAF_BIT);
        end
        if (lists_i) begin
            give_ids_q  <= ids_i;
            give_leaf_q <= leaf_no_i;
        end else if (ready_i) begin
            give_ids_q <= {{ID_W{1'b0}}, give_ids_q[ID_W +: 2*ID_W]};
        end
    end

    assign valid_o = give_any;
    assign id_o    = give_cnt_q != 2'd0 ? give_ids_q[0 +: ID_W] : {give_leaf_q, give_bit} & {ID_W{give_any}};
    assign over_o  = give_over;

endmodule

`default_nettype wire
