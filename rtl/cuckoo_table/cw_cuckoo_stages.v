// SPDX-License-Identifier: Apache-2.0
//
// cw_cuckoo_stages: what a look-up of the cuckoo table has with it, on its way through the stages.
//
// Why         : all stages need the granule, and some the time or the rows; who goes around comes again with the same.
// How         : registers of a stage load when the stage before has a look-up. The entry in hand goes the same way,
//               with its granule alone. The time after a look-up's is made on the way, since a time in stage time has
//               to reach many comparators; and in halves, because a carry through all bits takes too long.
// Stages      : hash, read, find, time, show, write; and again, from which a look-up that goes around comes to hash.
// Latency     : a stage per cycle.
// Throughput  : one look-up per cycle.
// Illegal use : an entry that is displaced, while a look-up comes from again.
//
// Paper: none. It is a part of cw_cuckoo_core. C model: part of csim/unit/cuckoo_table.c.

`default_nettype none

module cw_cuckoo_stages #(
    parameter TS_W      = 32,
    parameter GRANULE_W = 30,
    parameter OWNER_W   = 12,
    parameter TAG_W     = 42,
    parameter ROW_W     = 8
) (
    input  wire                 clk_i,
    input  wire                 rst_i,
    // look-up that is accepted, if it is there
    input  wire                 accept_i,
    input  wire                 look_valid_i,
    input  wire [GRANULE_W-1:0] look_granule_i,
    input  wire [TS_W-1:0]      look_ts_i,
    input  wire [OWNER_W-1:0]   look_owner_i,
    input  wire [TAG_W-1:0]     look_tag_i,
    // entry that comes into hand
    input  wire                 moves_on_i,
    input  wire [GRANULE_W-1:0] old_granule_i,
    // the look-up in show need not go around
    input  wire                 decided_i,
    // hash
    output wire                 hash_valid_o,
    output wire                 hash_chain_o,    // the entry in hand
    output wire [GRANULE_W-1:0] hash_granule_o,
    input  wire [4*ROW_W-1:0]   hash_rows_i,
    // read
    output wire                 read_valid_o,
    output wire [GRANULE_W-1:0] read_granule_o,
    output wire [4*ROW_W-1:0]   read_rows_o,
    // find
    output wire                 find_valid_o,
    output wire                 find_chain_o,
    output wire [GRANULE_W-1:0] find_granule_o,
    output wire [4*ROW_W-1:0]   find_rows_o,
    // time
    output wire                 time_valid_o,
    output wire [GRANULE_W-1:0] time_granule_o,
    output wire [TS_W-1:0]      time_ts_o,
    output wire [4*ROW_W-1:0]   time_rows_o,
    // show
    output wire                 show_valid_o,
    output wire                 show_chain_o,
    output wire [GRANULE_W-1:0] show_granule_o,
    output wire [TS_W-1:0]      show_ts_o,
    output wire [TS_W-1:0]      show_after_o,    // the time after it
    output wire [OWNER_W-1:0]   show_owner_o,
    output wire [TAG_W-1:0]     show_tag_o,
    output wire [4*ROW_W-1:0]   show_rows_o,
    // write: whatever was in show
    output wire [GRANULE_W-1:0] write_granule_o,
    output wire [4*ROW_W-1:0]   write_rows_o,
    // again
    output wire                 again_valid_o,
    // a stage holds something
    output wire                 busy_o
`ifdef CW_PROPERTIES
    , output wire [5:0]         f_there_o  // stages that have a look-up: again lowest, then show ... hash
    , output wire [6*TAG_W-1:0] f_tags_o   // and its tag
`endif
);

    localparam HALF_W = TS_W / 2;

    reg                 hash_valid_q;
    reg                 hash_chain_q;
    reg [GRANULE_W-1:0] hash_granule_q;
    reg [TS_W-1:0]      hash_ts_q;
    reg [OWNER_W-1:0]   hash_owner_q;
    reg [TAG_W-1:0]     hash_tag_q;
    reg                 read_valid_q;
    reg                 read_chain_q;
    reg [GRANULE_W-1:0] read_granule_q;
    reg [TS_W-1:0]      read_ts_q;
    reg [OWNER_W-1:0]   read_owner_q;
    reg [TAG_W-1:0]     read_tag_q;
    reg [4*ROW_W-1:0]   read_rows_q;
    reg                 find_valid_q;
    reg                 find_chain_q;
    reg [GRANULE_W-1:0] find_granule_q;
    reg [TS_W-1:0]      find_ts_q;
    reg                 find_carry_q;    // one more than its low half is 0
    reg [OWNER_W-1:0]   find_owner_q;
    reg [TAG_W-1:0]     find_tag_q;
    reg [4*ROW_W-1:0]   find_rows_q;
    reg                 time_valid_q;
    reg                 time_chain_q;
    reg [GRANULE_W-1:0] time_granule_q;
    reg [TS_W-1:0]      time_ts_q;
    reg [TS_W-1:0]      time_after_q;
    reg [OWNER_W-1:0]   time_owner_q;
    reg [TAG_W-1:0]     time_tag_q;
    reg [4*ROW_W-1:0]   time_rows_q;
    reg                 show_valid_q;
    reg                 show_chain_q;
    reg [GRANULE_W-1:0] show_granule_q;
    reg [TS_W-1:0]      show_ts_q;
    reg [TS_W-1:0]      show_after_q;
    reg [OWNER_W-1:0]   show_owner_q;
    reg [TAG_W-1:0]     show_tag_q;
    reg [4*ROW_W-1:0]   show_rows_q;
    reg [GRANULE_W-1:0] write_granule_q;
    reg [4*ROW_W-1:0]   write_rows_q;
    reg                 again_valid_q;
    reg [GRANULE_W-1:0] again_granule_q;
    reg [TS_W-1:0]      again_ts_q;
    reg [OWNER_W-1:0]   again_owner_q;
    reg [TAG_W-1:0]     again_tag_q;

    always @(posedge clk_i)
        if (rst_i) begin
            hash_valid_q  <= 1'b0;
            hash_chain_q  <= 1'b0;
            read_valid_q  <= 1'b0;
            read_chain_q  <= 1'b0;
            find_valid_q  <= 1'b0;
            find_chain_q  <= 1'b0;
            time_valid_q  <= 1'b0;
            time_chain_q  <= 1'b0;
            show_valid_q  <= 1'b0;
            show_chain_q  <= 1'b0;
            again_valid_q <= 1'b0;
        end else begin
            hash_valid_q  <= moves_on_i || again_valid_q || accept_i;
            hash_chain_q  <= moves_on_i;
            read_valid_q  <= hash_valid_q;
            read_chain_q  <= hash_chain_q;
            find_valid_q  <= read_valid_q;
            find_chain_q  <= read_chain_q;
            time_valid_q  <= find_valid_q;
            time_chain_q  <= find_chain_q;
            show_valid_q  <= time_valid_q;
            show_chain_q  <= time_chain_q;
            again_valid_q <= show_valid_q && !show_chain_q && !decided_i;
        end

    always @(posedge clk_i) begin
        hash_granule_q <= moves_on_i ? old_granule_i : again_valid_q ? again_granule_q : look_granule_i;
        if (again_valid_q || look_valid_i) begin
            hash_ts_q    <= again_valid_q ? again_ts_q : look_ts_i;
            hash_owner_q <= again_valid_q ? again_owner_q : look_owner_i;
            hash_tag_q   <= again_valid_q ? again_tag_q : look_tag_i;
        end
        if (hash_valid_q) begin
            read_granule_q <= hash_granule_q;
            read_ts_q      <= hash_ts_q;
            read_owner_q   <= hash_owner_q;
            read_tag_q     <= hash_tag_q;
            read_rows_q    <= hash_rows_i;
        end
        if (read_valid_q) begin
            find_granule_q <= read_granule_q;
            find_ts_q      <= read_ts_q;
            find_carry_q   <= &read_ts_q[HALF_W-1:0];
            find_owner_q   <= read_owner_q;
            find_tag_q     <= read_tag_q;
            find_rows_q    <= read_rows_q;
        end
        if (find_valid_q) begin
            time_granule_q <= find_granule_q;
            time_ts_q      <= find_ts_q;
            time_after_q   <= {find_ts_q[TS_W-1:HALF_W] + {{(TS_W - HALF_W - 1){1'b0}}, find_carry_q},
                               find_ts_q[HALF_W-1:0] + {{(HALF_W - 1){1'b0}}, 1'b1}};
            time_owner_q   <= find_owner_q;
            time_tag_q     <= find_tag_q;
            time_rows_q    <= find_rows_q;
        end
        if (time_valid_q) begin
            show_granule_q <= time_granule_q;
            show_ts_q      <= time_ts_q;
            show_after_q   <= time_after_q;
            show_owner_q   <= time_owner_q;
            show_tag_q     <= time_tag_q;
            show_rows_q    <= time_rows_q;
        end
        if (show_valid_q) begin
            write_granule_q <= show_granule_q;
            write_rows_q    <= show_rows_q;
            again_granule_q <= show_granule_q;
            again_ts_q      <= show_ts_q;
            again_owner_q   <= show_owner_q;
            again_tag_q     <= show_tag_q;
        end
    end

    assign hash_valid_o    = hash_valid_q;
    assign hash_chain_o    = hash_chain_q;
    assign hash_granule_o  = hash_granule_q;
    assign read_valid_o    = read_valid_q;
    assign read_granule_o  = read_granule_q;
    assign read_rows_o     = read_rows_q;
    assign find_valid_o    = find_valid_q;
    assign find_chain_o    = find_chain_q;
    assign find_granule_o  = find_granule_q;
    assign find_rows_o     = find_rows_q;
    assign time_valid_o    = time_valid_q;
    assign time_granule_o  = time_granule_q;
    assign time_ts_o       = time_ts_q;
    assign time_rows_o     = time_rows_q;
    assign show_valid_o    = show_valid_q;
    assign show_chain_o    = show_chain_q;
    assign show_granule_o  = show_granule_q;
    assign show_ts_o       = show_ts_q;
    assign show_after_o    = show_after_q;
    assign show_owner_o    = show_owner_q;
    assign show_tag_o      = show_tag_q;
    assign show_rows_o     = show_rows_q;
    assign write_granule_o = write_granule_q;
    assign write_rows_o    = write_rows_q;
    assign again_valid_o   = again_valid_q;
    assign busy_o          = hash_valid_q || read_valid_q || find_valid_q || time_valid_q || show_valid_q
                             || again_valid_q;

`ifdef CW_PROPERTIES
    assign f_there_o = {hash_valid_q && !hash_chain_q, read_valid_q && !read_chain_q, find_valid_q && !find_chain_q,
                        time_valid_q && !time_chain_q, show_valid_q && !show_chain_q, again_valid_q};
    assign f_tags_o  = {hash_tag_q, read_tag_q, find_tag_q, time_tag_q, show_tag_q, again_tag_q};
`endif

endmodule

`default_nettype wire
