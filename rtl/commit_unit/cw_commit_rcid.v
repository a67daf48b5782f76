// SPDX-License-Identifier: Apache-2.0
//
// cw_commit_rcid: which commit ID (RCID) was the oldest when the first message of an entry was judged.
//
// Why         : the hazard unit asks who has written before, of those that have retired since; it gets the RCID with
//               the entry.
// How         : a RAM per lane, since a message may be the first of many neighbouring entries. They keep the low bits
//               of the ID, since it is less than a ring before the entry.
// Stages      : cycle t, the message is judged; t + 1, the RAMs are written; t + 2, they may be read. The two writes
//               that a RAM cannot have yet are kept beside it.
// Latency     : the pointer's next entry is read in one cycle, and rcid_o has it in the next.
// Throughput  : the first message of LANES neighbouring entries per cycle; an entry of the pointer per cycle.
// Illegal use : none.
//
// Paper: Fung 2015, section 4.2.5. It is a part of cw_commit_hazard. C model: part of csim/unit/commit_unit.c.

`default_nettype none

module cw_commit_rcid #(
    parameter LANES = 32,
    parameter CID_W = 20,
    parameter IDX_W = 11,  // of a place
    parameter ROW_W = 6,   // of a row
    parameter LOW_W = 5    // of a lane, at least 1
) (
    input  wire             clk_i,
    input  wire             rst_i,
    // judge: entries that have their first message, by lane; row and lane of the message's first entry; the oldest one
    input  wire [LANES-1:0] first_i,
    input  wire [ROW_W-1:0] first_row_i,
    input  wire [LOW_W-1:0] first_low_i,
    input  wire [IDX_W-1:0] oldest_i,
    // the hazard pointer, and where it goes
    /* verilator lint_off UNUSED */  // with CID_W = IDX_W
    input  wire [CID_W-1:0] haz_ptr_i,
    /* verilator lint_on UNUSED */
    input  wire [ROW_W-1:0] haz_row_i,
    input  wire [LOW_W-1:0] haz_lane_i,
    input  wire             haz_move_i,
    input  wire             haz_step_i,
    // RCID of its entry, if somebody wants it
    input  wire             want_i,
    output wire [CID_W-1:0] rcid_o
`ifdef CW_PROPERTIES
    , input  wire [IDX_W-1:0] f_idx_i   // a place
    , output wire [IDX_W-1:0] f_kept_o  // its RCID
    , output wire [IDX_W-1:0] f_read_o  // the same, if it is the pointer's
`endif
);

    localparam integer     LAST_LANE = LANES - 1;
    localparam [LOW_W-1:0] LOW_MASK  = LAST_LANE[LOW_W-1:0];
    localparam [LANES-1:0] NO_LANE   = {LANES{1'b0}};

    reg  [LANES-1:0]       new_first_q;  // the write of this cycle
    reg  [LANES-1:0]       old_first_q;  // the write of the cycle before
    reg  [ROW_W-1:0]       new_row_q;
    reg  [ROW_W-1:0]       old_row_q;
    reg  [LOW_W-1:0]       new_low_q;
    reg  [LOW_W-1:0]       old_low_q;
    reg  [IDX_W-1:0]       new_rcid_q;
    reg  [IDX_W-1:0]       old_rcid_q;
    wire [LANES*IDX_W-1:0] rcids;        // of the pointer's row, its lane only
    wire [ROW_W-1:0]       row_d = haz_step_i ? haz_row_i + 1'b1 : haz_row_i;
    wire [LOW_W-1:0]       low_d = haz_move_i ? (haz_lane_i + 1'b1) & LOW_MASK : haz_lane_i;  // only its lane is read

    always @(posedge clk_i) begin
        new_first_q <= rst_i ? NO_LANE : first_i;
        old_first_q <= rst_i ? NO_LANE : new_first_q;
        new_row_q   <= first_row_i;
        old_row_q   <= new_row_q;
        new_low_q   <= first_low_i;
        old_low_q   <= new_low_q;
        new_rcid_q  <= oldest_i;
        old_rcid_q  <= new_rcid_q;
    end

`ifdef CW_PROPERTIES
    wire [LANES*IDX_W-1:0] f_rcids;  // of the place's row
    wire [ROW_W-1:0]       f_row    = f_idx_i[IDX_W-1 -: ROW_W];
    wire [LOW_W-1:0]       f_lane   = f_idx_i[LOW_W-1:0] & LOW_MASK;
    wire [ROW_W-1:0]       f_new_of = f_lane < new_low_q ? new_row_q + 1'b1 : new_row_q;
    wire [ROW_W-1:0]       f_old_of = f_lane < old_low_q ? old_row_q + 1'b1 : old_row_q;

    assign f_kept_o = new_first_q[f_lane] && f_new_of == f_row ? new_rcid_q : f_rcids[f_lane*IDX_W +: IDX_W];
    assign f_read_o = new_first_q[f_lane] && f_new_of == f_row ? new_rcid_q
                    : old_first_q[f_lane] && f_old_of == f_row ? old_rcid_q : rcids[f_lane*IDX_W +: IDX_W];
`endif

    genvar b;
    generate
        for (b = 0; b < LANES; b = b + 1) begin : g_lane
            localparam NUMBER = b;
            cw_ram_1r1w #(
                .ADDR_W(ROW_W),
                .DATA_W(IDX_W)
            ) u_ram (
                .clk_i    (clk_i),
                .rd_en_i  (low_d == NUMBER[LOW_W-1:0]),
                .rd_addr_i(row_d),
                .rd_data_o(rcids[b*IDX_W +: IDX_W]),
                .wr_en_i  (new_first_q[b]),
                .wr_addr_i({1'b0, NUMBER[LOW_W-1:0]} < {1'b0, new_low_q} ? new_row_q + 1'b1 : new_row_q),
                .wr_data_i(new_rcid_q)
`ifdef CW_PROPERTIES
                , .f_addr_i(f_row)
                , .f_data_o(f_rcids[b*IDX_W +: IDX_W])
`endif
            );
        end
    endgenerate

    wire [ROW_W-1:0] new_of = haz_lane_i < new_low_q ? new_row_q + 1'b1 : new_row_q;
    wire [ROW_W-1:0] old_of = haz_lane_i < old_low_q ? old_row_q + 1'b1 : old_row_q;
    reg  [IDX_W-1:0] rcid_low;

    always @* begin
        rcid_low = {IDX_W{1'b0}};
        if (want_i)
            rcid_low = new_first_q[haz_lane_i] && new_of == haz_row_i ? new_rcid_q
                     : old_first_q[haz_lane_i] && old_of == haz_row_i ? old_rcid_q : rcids[haz_lane_i*IDX_W +: IDX_W];
    end

    generate
        if (CID_W > IDX_W) begin : g_high
            wire [CID_W-IDX_W-1:0] high = haz_ptr_i[CID_W-1:IDX_W];
            assign rcid_o = {rcid_low > haz_ptr_i[IDX_W-1:0] ? high - 1'b1 : high, rcid_low};
        end else begin : g_no_high
            assign rcid_o = rcid_low;
        end
    endgenerate

endmodule

`default_nettype wire
