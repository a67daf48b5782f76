// SPDX-License-Identifier: Apache-2.0
//
// cw_cuckoo_trust: whether what a look-up of the cuckoo table has seen is still so.
//
// Why         : between reading a row and the result lie four cycles, in which others write. What is common is
//               forwarded: the last four updates of a granule. What is rare is repeated: a look-up whose row was
//               written by another entry goes around.
// How         : granules and rows of the stages are compared a cycle before they are needed. A look-up is spoilt from
//               the cycle on in which it could have seen something that is no longer so, or while an entry is in hand,
//               which is in no row.
// Stages      : from read to show. An update of write is taken by a look-up in find, time or show; one that wrote a
//               cycle before, by one in find.
// Latency     : none, beside the stages.
// Throughput  : a look-up in each stage per cycle.
// Illegal use : none.
//
// Paper: none. It is a part of cw_cuckoo_core. C model: part of csim/unit/cuckoo_table.c.

`default_nettype none

module cw_cuckoo_trust #(
    parameter GRANULE_W = 30,
    parameter ROW_W     = 8
) (
    input  wire                 clk_i,
    // look-ups in the stages
    input  wire                 hash_valid_i,
    input  wire                 read_valid_i,
    input  wire                 find_valid_i,
    input  wire                 time_valid_i,
    input  wire [GRANULE_W-1:0] hash_granule_i,
    input  wire [GRANULE_W-1:0] read_granule_i,
    input  wire [GRANULE_W-1:0] find_granule_i,
    input  wire [GRANULE_W-1:0] time_granule_i,
    input  wire [GRANULE_W-1:0] show_granule_i,
    input  wire [4*ROW_W-1:0]   read_rows_i,
    input  wire [4*ROW_W-1:0]   find_rows_i,
    input  wire [4*ROW_W-1:0]   time_rows_i,
    input  wire [4*ROW_W-1:0]   show_rows_i,
    input  wire [4*ROW_W-1:0]   write_rows_i,
    // rows change, or an entry is in none of them; the question of the look-up in hash was not taken
    input  wire                 hold_i,
    input  wire                 unasked_i,
    // ways that are written; an update that may be forwarded; an entry that is evicted from its row
    input  wire [3:0]           write_way_i,
    input  wire                 put_i,
    input  wire                 evicts_i,
    input  wire [GRANULE_W-1:0] old_granule_i,
    // what the look-up in find has found, see cw_cuckoo_find
    input  wire                 find_from_write_i,
    input  wire                 find_from_past_i,
    input  wire                 find_local_i,
    input  wire [3:0]           find_way_i,
    // in time, and in show
    input  wire                 time_found_i,
    input  wire [3:0]           time_way_i,
    input  wire                 show_found_i,
    input  wire [3:0]           show_way_i,
    // the update in write, or that of the cycle before, is of the look-up's granule
    output wire                 find_same_write_o,
    output wire                 find_same_past_o,
    output wire                 time_forward_o,
    output wire                 show_forward_o,
    // the look-up in show must go around
    output wire                 show_spoilt_o,  // for what was so when it came
    output wire                 show_stale_o    // for what is written now
);

    reg       read_spoilt_q;
    reg       read_same4_q;     // the update in write, if there is one, is of its granule
    reg       find_spoilt_q;
    reg       find_same3_q;     // the update in write is of its granule
    reg       find_same4_q;     // that of the cycle before is
    reg [3:0] find_written_q;   // ways whose row was written after it had been read
    reg       time_spoilt_q;
    reg       time_same2_q;     // the update in write is of its granule
    reg       show_spoilt_q;
    reg       show_same1_q;     // the update in write is of its granule
    reg [3:0] show_same_row_q;  // ways in which the look-up in write has the same row

    // Ways in which two look-ups have the same row.
    function [3:0] same_rows (
        input [4*ROW_W-1:0] x,
        input [4*ROW_W-1:0] y
    );
        integer           k;
        reg [4*ROW_W-1:0] differ;
        begin
            differ = x ^ y;
            for (k = 0; k < 4; k = k + 1)
                same_rows[k] = differ[k*ROW_W+:ROW_W] == {ROW_W{1'b0}};
        end
    endfunction

    wire       time_forward = time_same2_q && put_i;
    wire       show_forward = show_same1_q && put_i;
    wire [3:0] show_written = write_way_i & show_same_row_q;

    // Into read. The question of a look-up for what is evicted now comes in the cycle of the insertion, too early to be
    // answered with it.
    always @(posedge clk_i)
        if (hash_valid_i) begin
            read_same4_q  <= hash_granule_i == show_granule_i;
            read_spoilt_q <= hold_i || unasked_i || (evicts_i && old_granule_i == hash_granule_i);
        end

    // Into find. A new entry that displaces another one needs no comparison: all that is inside is repeated.
    always @(posedge clk_i)
        if (read_valid_i) begin
            find_same3_q   <= read_granule_i == show_granule_i;
            find_same4_q   <= read_same4_q;
            find_written_q <= write_way_i & same_rows(write_rows_i, read_rows_i);
            find_spoilt_q  <= read_spoilt_q || hold_i;
        end

    // Into time. Rows count that were written since they were read, or since the update that is taken from another
    // look-up was there.
    always @(posedge clk_i)
        if (find_valid_i) begin : into_time
            reg [3:0] written_now;
            reg [3:0] written;

            written_now = write_way_i & same_rows(write_rows_i, find_rows_i);
            written     = find_from_write_i ? 4'd0 : find_from_past_i ? written_now : written_now | find_written_q;

            time_same2_q  <= find_granule_i == show_granule_i;
            time_spoilt_q <= find_spoilt_q || hold_i || (find_local_i ? |(written & find_way_i) : |written);
        end

    // Into show.
    always @(posedge clk_i)
        if (time_valid_i) begin : into_show
            reg [3:0] written;
            reg       stale;

            written = write_way_i & same_rows(write_rows_i, time_rows_i);
            stale   = !time_forward && (time_found_i ? |(written & time_way_i) : |written);

            show_same1_q    <= time_granule_i == show_granule_i;
            show_same_row_q <= same_rows(time_rows_i, show_rows_i);
            show_spoilt_q   <= time_spoilt_q || hold_i || stale;
        end

    assign find_same_write_o = find_same3_q;
    assign find_same_past_o  = find_same4_q;
    assign time_forward_o    = time_forward;
    assign show_forward_o    = show_forward;
    assign show_spoilt_o     = show_spoilt_q;
    assign show_stale_o      = !show_forward && (show_found_i ? |(show_written & show_way_i) : |show_written);

endmodule

`default_nettype wire
