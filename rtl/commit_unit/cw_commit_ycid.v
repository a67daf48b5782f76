// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_ycid: for each entry, the commit ID (YCID) that it has a hazard with, as the hazard unit has found it.
//
// Why         : the pass pointer waits until YCID has retired. It compares in the cycle in which it comes to an entry.
// How         : a RAM keeps the low bits of the ID, since it is less than a ring before the entry. The RAM is read
//               ahead by one entry, as cw_commit_cursor reads rows.
// Stages      : cycle t, the answer is judged; t + 1, the RAM is written; t + 2, it may be read. The two writes that
//               the RAM cannot have yet are kept beside it.
// Latency     : an answer that is judged in cycle t is in ycid_o in t + 1.
// Throughput  : an answer, and a move of the pointer, per cycle.
// Illegal use : none.
//
// Paper: Fung 2015, section 4.2.5. It is a part of cw_commit_pass. C model: part of csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_ycid #(
    parameter IDX_W = 11  // of a place
) (
    input  wire             clk_i,
    input  wire             rst_i,
    // judge: an entry and its YCID
    input  wire             valid_i,
    input  wire [IDX_W-1:0] idx_i,
    input  wire [IDX_W-1:0] ycid_i,
    // the pass pointer; it moves; YCID of its entry
    input  wire [IDX_W-1:0] pass_idx_i,
    input  wire             pass_move_i,
    output wire [IDX_W-1:0] ycid_o
`ifdef CW_PROPERTIES
    , input  wire [IDX_W-1:0] f_idx_i   // a place
    , output wire [IDX_W-1:0] f_kept_o  // its YCID
    , output wire [IDX_W-1:0] f_next_o  // that of the place after the pointer
    , output wire             f_old_o   // which comes from the write of the cycle before
`endif
);

    reg              new_en_q;   // the write of this cycle
    reg              old_en_q;   // the write of the cycle before
    reg  [IDX_W-1:0] new_idx_q;
    reg  [IDX_W-1:0] old_idx_q;
    reg  [IDX_W-1:0] new_ycid_q;
    reg  [IDX_W-1:0] old_ycid_q;
    reg  [IDX_W-1:0] ycid_q;     // of the pointer's entry
    wire [IDX_W-1:0] ycid_ram;
    wire [IDX_W-1:0] pass_idx_1 = pass_idx_i + 1'b1;
    wire [IDX_W-1:0] pass_idx_2 = pass_idx_1 + 1'b1;
    wire [IDX_W-1:0] ycid_next  = new_en_q && new_idx_q == pass_idx_1 ? new_ycid_q
                                : old_en_q && old_idx_q == pass_idx_1 ? old_ycid_q : ycid_ram;

`ifdef CW_PROPERTIES
    wire [IDX_W-1:0] f_ram;

    assign f_kept_o = new_en_q && new_idx_q == f_idx_i ? new_ycid_q : f_ram;
    assign f_next_o = ycid_next;
    assign f_old_o  = old_en_q && old_idx_q == pass_idx_1;
`endif

    cw_ram_1r1w #(
        .ADDR_W(IDX_W),
        .DATA_W(IDX_W)
    ) u_ram (
        .clk_i    (clk_i),
        .rd_en_i  (1'b1),
        .rd_addr_i(pass_move_i ? pass_idx_2 : pass_idx_1),
        .rd_data_o(ycid_ram),
        .wr_en_i  (new_en_q),
        .wr_addr_i(new_idx_q),
        .wr_data_i(new_ycid_q)
`ifdef CW_PROPERTIES
        , .f_addr_i(f_idx_i)
        , .f_data_o(f_ram)
`endif
    );

    always @(posedge clk_i) begin
        new_en_q   <= valid_i && !rst_i;
        old_en_q   <= new_en_q && !rst_i;
        new_idx_q  <= idx_i;
        old_idx_q  <= new_idx_q;
        new_ycid_q <= ycid_i;
        old_ycid_q <= new_ycid_q;
        if (valid_i && idx_i == (pass_move_i ? pass_idx_1 : pass_idx_i))
            ycid_q <= ycid_i;
        else if (pass_move_i)
            ycid_q <= ycid_next;
    end

    assign ycid_o = ycid_q;

endmodule

`default_nettype wire
