// SPDX-License-Identifier: Apache-2.0
//
// cw_l2_slice_bytes: the bytes of an L2 slice, which move a sector at a time.
//
// Why         : a line has more bytes than a RAM has ports for; and the bytes of a line that goes must be out before those of the next are in.
// How         : an operation says which sectors go back, and which are read, written, or read and then written. A turn moves the lowest one
//               that is left: first those that go back.
// Latency     : a sector that is read is there a cycle after its turn.
// Throughput  : one sector per cycle; of an atomic one in two. The next operation may come in the cycle of the last turn.
// Storage     : a RAM of 2^ROW_W x SECTORS rows, rounded up, of 256 bits, written by byte.
//
// Contract: include/cowarp/unit/l2_slice.h. C model: csim/unit/l2_slice.c.

`default_nettype none

module cw_l2_slice_bytes #(
    parameter ROW_W   = 10,  // bits of a line's place: set, way
    parameter SECTORS = 4
) (
    input  wire                  clk_i,
    input  wire                  rst_i,
    // an operation; nothing else has bytes to move after this cycle
    output wire                  ready_o,
    input  wire                  valid_i,
    input  wire [ROW_W-1:0]      row_i,
    input  wire [SECTORS-1:0]    back_i,
    input  wire [32*SECTORS-1:0] has_i,      // bytes that the line had
    input  wire [SECTORS-1:0]    sectors_i,
    input  wire                  reads_i,
    input  wire                  writes_i,
    input  wire [32*SECTORS-1:0] parts_i,    // bytes that are written
    // a sector that is read
    output wire                  out_valid_o,
    output wire                  out_back_o,
    output wire [2:0]            out_sector_o,
    output wire [255:0]          out_data_o,
    output wire [31:0]           out_mask_o,
    // a sector that is written
    output wire                  in_ready_o,
    output wire [2:0]            in_sector_o,
    input  wire                  in_valid_i,
    input  wire [255:0]          in_data_i,
    // status
    output wire                  idle_o
);

    localparam SEC_W = SECTORS <= 2 ? 1 : SECTORS <= 4 ? 2 : 3;
    localparam [SECTORS-1:0] NOTHING = {SECTORS{1'b0}};
    localparam [SECTORS-1:0] ONE     = 1;

    // What is left to do.
    reg  [ROW_W-1:0]      row_q;
    reg  [SECTORS-1:0]    back_q;
    reg  [32*SECTORS-1:0] has_q;
    reg  [SECTORS-1:0]    left_q;
    reg                   reads_q;
    reg                   writes_q;
    reg  [32*SECTORS-1:0] parts_q;
    reg                   seen_q;   // the sector in turn was read, and is to be written

    // The sector in turn.
    wire                  back     = back_q != NOTHING;
    wire [SECTORS-1:0]    of       = back ? back_q : left_q;
    wire [SECTORS-1:0]    turn     = of & (~of + ONE);
    wire                  work     = !back && left_q != NOTHING;
    wire                  read     = back || (work && reads_q && !seen_q);
    wire                  write    = in_ready_o && in_valid_i;
    wire                  ends     = write || (work && !writes_q);
    wire [SECTORS-1:0]    back_now = back ? back_q & ~turn : NOTHING;
    wire [SECTORS-1:0]    left_now = ends ? left_q & ~turn : left_q;
    reg  [2:0]            sector;
    reg  [31:0]           has;
    reg  [31:0]           parts;
    integer               s;

    // The sector that was read.
    reg                   out_q;
    reg                   out_back_q;
    reg  [2:0]            out_sector_q;
    reg  [31:0]           out_mask_q;
    wire [255:0]          out_data;

    genvar b;
    generate
        for (b = 0; b < 32; b = b + 1) begin : g_byte
            assign out_data_o[8*b +: 8] = out_data[8*b +: 8] & {8{out_mask_o[b]}};
        end
    endgenerate

    always @* begin
        sector = 3'd0;
        has    = 32'd0;
        parts  = 32'd0;
        for (s = 0; s < SECTORS; s = s + 1) begin
            sector = sector | (s[2:0] & {3{turn[s]}});
            has    = has | (has_q[32*s +: 32] & {32{turn[s]}});
            parts  = parts | (parts_q[32*s +: 32] & {32{turn[s]}});
        end
    end

    cw_ram_1r1w_parts #(
        .ADDR_W(ROW_W + SEC_W),
        .PART_W(8),
        .PARTS (32)
    ) u_ram (
        .clk_i     (clk_i),
        .rd_en_i   (read),
        .rd_addr_i ({row_q, sector[SEC_W-1:0]}),
        .rd_data_o (out_data),
        .wr_en_i   (write),
        .wr_addr_i ({row_q, sector[SEC_W-1:0]}),
        .wr_parts_i(parts),
        .wr_data_i (in_data_i)
`ifdef CW_PROPERTIES
        , .f_addr_i({ROW_W+SEC_W{1'b0}})
        , .f_data_o()
`endif
    );

    always @(posedge clk_i) begin
        if (rst_i) begin
            back_q <= NOTHING;
            left_q <= NOTHING;
            seen_q <= 1'b0;
            out_q  <= 1'b0;
        end else begin
            back_q <= valid_i ? back_i : back_now;
            left_q <= valid_i ? sectors_i : left_now;
            seen_q <= work && writes_q && (read || (seen_q && !write));
            out_q  <= read;
        end
        if (valid_i) begin
            row_q    <= row_i;
            has_q    <= has_i;
            reads_q  <= reads_i;
            writes_q <= writes_i;
            parts_q  <= parts_i;
        end
        if (read) begin
            out_back_q   <= back;
            out_sector_q <= sector;
            out_mask_q   <= has;
        end
    end

    assign ready_o      = back_now == NOTHING && left_now == NOTHING;
    assign out_valid_o  = out_q;
    assign out_back_o   = out_back_q && out_q;
    assign out_sector_o = out_sector_q & {3{out_q}};
    assign out_mask_o   = out_mask_q & {32{out_q}};
    assign in_ready_o   = work && writes_q && (!reads_q || seen_q);
    assign in_sector_o  = sector & {3{in_ready_o}};
    assign idle_o       = !back && !work && !out_q;

endmodule

`default_nettype wire
