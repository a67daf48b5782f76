// SPDX-License-Identifier: Apache-2.0
//
// cw_ownership_bank: a bank of the ownership table.
//
// Why         : a bank serves one entry per cycle, so it chooses one of the lanes that ask it.
// How         : the lowest of its leaders is chosen. The entry that it names is read, compared with the lanes that have
//               it, and, if a MARK lowers it, written back.
// Stages      : sort (who asks this bank), serve (the choice), read, take the entry, judge; a MARK writes in the cycle
//               after that.
// Latency     : from the choice to change_o and loses_o 3 cycles.
// Throughput  : an entry per cycle of CHECKs, and one in two cycles of MARKs.
// Illegal use : a read while a MARK writes.
//
// Paper: Fung 2015, section 6.3.3. It is a part of cw_ownership_table. C model: part of csim/unit/ownership_table.c.

`default_nettype none

module cw_ownership_bank #(
    parameter LANES     = 32,
    parameter BANK_W    = 5,
    parameter ROW_W     = 5,
    parameter COLUMNS_W = 384,  // of the entries of all lanes, in columns
    parameter BANK      = 0     // which one it is
) (
    input  wire                    clk_i,
    input  wire                    rst_i,
    // all entries become null, a row per cycle
    input  wire                    clear_i,
    input  wire [ROW_W-1:0]        clear_row_i,
    // sort: an operation comes to service, and its leaders
    input  wire                    serve_free_i,
    input  wire                    sort_valid_i,
    /* verilator lint_off UNUSED */  // columns that are not those of the bank
    input  wire [COLUMNS_W-1:0]    sort_entry_i,
    /* verilator lint_on UNUSED */
    input  wire [LANES-1:0]        leader_i,
    // serve: the lane that is chosen
    input  wire                    choose_i,
    output wire [LANES-1:0]        pick_o,
    /* verilator lint_off UNUSED */  // columns of the banks
    input  wire [COLUMNS_W-1:0]    serve_entry_i,
    /* verilator lint_on UNUSED */
    // read, and take the entry
    input  wire                    read_valid_i,
    input  wire                    take_mark_i,
    // judge: the lanes of the group and their banks
    input  wire                    judge_mark_i,
    input  wire                    judge_check_i,
    input  wire                    judge_check_read_i,
    input  wire [LANES-1:0]        judge_lanes_i,
    input  wire [LANES*BANK_W-1:0] judge_bank_i,
    output wire                    change_o,            // a MARK lowers the entry
    output wire [LANES-1:0]        loses_o              // lanes that the entry makes lose
`ifdef CW_PROPERTIES
    , input  wire [ROW_W+1:0] f_entry_i      // a place: row and byte
    , output wire [5:0]       f_row_o        // what the RAM has there
    , output wire             f_read_here_o  // the bank is told this place
    , output wire             f_mark_here_o  // the MARK between read and write is of this place
    , output wire [4:0]       f_read_lane_o
    , output wire [4:0]       f_mark_lane_o
    , output wire             f_writes_o
`endif
);

    // Bit l is the bit at `position` of the number l.
    function [31:0] number_column (
        input integer position
    );
        integer n;
        begin
            for (n = 0; n < 32; n = n + 1)
                number_column[n] = (n >> position) % 2 == 1;
        end
    endfunction

    localparam BANK_AT = LANES * 2;             // first column of the banks; before it the bytes
    localparam ROW_AT  = LANES * (BANK_W + 2);  // first column of the rows
    localparam OWNER_W = 6;                     // {null, lane}: null is above every lane
    localparam GROUPS  = (LANES + 7) / 8;       // of eight lanes, the last one perhaps of fewer

    localparam [OWNER_W-1:0] NOBODY = 6'h20;

    localparam [5*32-1:0] NUMBERS = {number_column(4), number_column(3), number_column(2), number_column(1),
                                     number_column(0)};

    reg  [LANES-1:0]    ask_q;       // leaders of this bank that have not been chosen
    wire [GROUPS*8-1:0] ask;         // of all groups of eight lanes
    reg  [GROUPS*8-1:0] below;       // this lane or a lower one of its group asks
    reg  [GROUPS*8-1:0] first;       // the lane to serve
    reg                 lower;       // a lower group asks
    reg  [GROUPS-1:0]   some_q;      // of each group: a lane asks
    integer             n;

    generate
        if (LANES % 8 == 0) begin : g_full
            assign ask = ask_q;
        end else begin : g_padded
            assign ask = {{(GROUPS*8-LANES){1'b0}}, ask_q};
        end
    endgenerate

    // The lowest of each group, and of them that of the lowest group. Which groups ask is known from the cycle before.
    always @* begin : lowest
        integer m;

        first = {(GROUPS*8){1'b0}};
        below = ask;
        lower = 1'b0;
        if (some_q != {GROUPS{1'b0}}) begin
            below = below | ((below << 1) & {GROUPS{8'hfe}});
            below = below | ((below << 2) & {GROUPS{8'hfc}});
            below = below | ((below << 4) & {GROUPS{8'hf0}});
            first = ask & ~((below << 1) & {GROUPS{8'hfe}});
            for (m = 0; m < GROUPS; m = m + 1) begin
                if (lower)
                    first[m*8 +: 8] = 8'd0;
                lower = lower || some_q[m];
            end
        end
    end

    assign pick_o = first[LANES-1:0];

    always @(posedge clk_i)
        if (rst_i) begin
            ask_q  <= {LANES{1'b0}};
            some_q <= {GROUPS{1'b0}};
        end else if (serve_free_i || choose_i) begin : asks
            reg [GROUPS*8-1:0] left;  // who asks from now on
            integer            m;

            left = ask & ~first;
            if (serve_free_i) begin
                left = {(GROUPS*8){1'b0}};
                if (sort_valid_i) begin
                    left[LANES-1:0] = leader_i;
                    for (m = 0; m < BANK_W; m = m + 1)
                        left[LANES-1:0] = left[LANES-1:0]
                                          & (sort_entry_i[BANK_AT+m*LANES +: LANES] ~^ {LANES{BANK[m]}});
                end
            end
            ask_q <= left[LANES-1:0];
            for (m = 0; m < GROUPS; m = m + 1)
                some_q[m] <= |left[m*8 +: 8];
        end

    // What the bank is told. It stays until the next group.
    reg              read_used_q;
    reg  [ROW_W-1:0] read_row_q;
    reg  [1:0]       read_byte_q;
    reg  [4:0]       read_lane_q;

    always @(posedge clk_i)
        if (choose_i) begin
            read_used_q <= |some_q;
            if (some_q != {GROUPS{1'b0}}) begin
                for (n = 0; n < 2; n = n + 1)
                    read_byte_q[n] <= |(first[LANES-1:0] & serve_entry_i[n*LANES +: LANES]);
                for (n = 0; n < ROW_W; n = n + 1)
                    read_row_q[n] <= |(first[LANES-1:0] & serve_entry_i[ROW_AT+n*LANES +: LANES]);
                for (n = 0; n < 5; n = n + 1)
                    read_lane_q[n] <= |(first[LANES-1:0] & NUMBERS[n*32 +: LANES]);
            end
        end

    // The MARK between its read and its write.
    reg              mark_used_q;
    reg  [ROW_W-1:0] mark_row_q;
    reg  [1:0]       mark_byte_q;
    reg  [4:0]       mark_lane_q;
    reg              mark_write_q;

    reg  [1:0]       take_byte_q;
    reg              take_again_q;  // the entry is that of the MARK before, which is being written now if it changes
    reg  [5:0]       owner_q;       // to be judged
    wire [23:0]      rd_word;
    reg  [5:0]       owner;
    wire             change = judge_mark_i && mark_used_q && owner_q > {1'b0, mark_lane_q};
    wire             write  = clear_i || mark_write_q;
`ifdef CW_PROPERTIES
    wire [23:0]      f_ram_word;
`endif

    always @*
        if (take_again_q && mark_write_q)
            owner = {1'b0, mark_lane_q};
        else
            case (take_byte_q)
                2'd0:    owner = rd_word[5:0];
                2'd1:    owner = rd_word[11:6];
                2'd2:    owner = rd_word[17:12];
                default: owner = rd_word[23:18];
            endcase

    always @(posedge clk_i) begin
        if (take_mark_i) begin
            mark_used_q <= read_used_q;
            mark_row_q  <= read_row_q;
            mark_byte_q <= read_byte_q;
            mark_lane_q <= read_lane_q;
        end
        take_byte_q  <= read_byte_q;
        take_again_q <= judge_mark_i && mark_row_q == read_row_q && mark_byte_q == read_byte_q;
        owner_q      <= owner;
    end

    always @(posedge clk_i)
        mark_write_q <= !rst_i && change;

    reg  [LANES-1:0] judge_here;  // lanes that are judged by this bank's entry

    always @* begin : here
        integer m;

        judge_here = {LANES{1'b0}};
        if (judge_check_i) begin
            judge_here = judge_lanes_i;
            for (m = 0; m < BANK_W; m = m + 1)
                judge_here = judge_here & (judge_bank_i[m*LANES +: LANES] ~^ {LANES{BANK[m]}});
        end
    end

    // An owner that is null is below no lane, and is no lane.
    wire [LANES-1:0] is_owner = owner_q[5] ? {LANES{1'b0}} : {{(LANES-1){1'b0}}, 1'b1} << owner_q[4:0];
    wire [LANES-1:0] above    = owner_q[5] ? {LANES{1'b0}} : ({LANES{1'b1}} << owner_q[4:0]) << 1;

    assign loses_o = judge_here & (judge_check_read_i ? above : ~is_owner);

`ifdef CW_PROPERTIES
    assign f_row_o       = f_ram_word[f_entry_i[1:0]*OWNER_W +: OWNER_W];
    assign f_read_here_o = read_used_q && read_row_q == f_entry_i[ROW_W+1:2] && read_byte_q == f_entry_i[1:0];
    assign f_mark_here_o = mark_used_q && mark_row_q == f_entry_i[ROW_W+1:2] && mark_byte_q == f_entry_i[1:0];
    assign f_read_lane_o = read_lane_q;
    assign f_mark_lane_o = mark_lane_q;
    assign f_writes_o    = mark_write_q;
`endif

    cw_ram_1rw #(
        .ADDR_W(ROW_W),
        .PART_W(OWNER_W),
        .PARTS (4)
    ) u_ram (
        .clk_i     (clk_i),
        .rd_en_i   (read_valid_i && read_used_q),
        .wr_en_i   (write),
        .wr_parts_i(clear_i ? 4'hf : 4'h1 << mark_byte_q),
        .addr_i    (clear_i ? clear_row_i : mark_write_q ? mark_row_q : read_row_q),
        .wr_data_i (clear_i ? {4{NOBODY}} : {4{1'b0, mark_lane_q}}),
        .rd_data_o (rd_word)
`ifdef CW_PROPERTIES
        , .f_addr_i(f_entry_i[ROW_W+1:2])
        , .f_data_o(f_ram_word)
`endif
    );

    assign change_o = change;

endmodule

`default_nettype wire
