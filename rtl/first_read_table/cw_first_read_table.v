// SPDX-License-Identifier: Apache-2.0
//
// cw_first_read_table: the time of each transaction's first load, and which transactions have loaded what was written later.
//
// Why         : a read-only transaction may commit without a word to the commit units when nothing that it read was written after its
//               first load. The core must know, for each thread, when that load was.
// How         : load_* writes the time now_i for the lanes that have no first read yet. rsp_* brings the time at which the loaded
//               block was last written. A later time than the first load sets the lane's conflict flag. qry_* reads the flags.
// Latency     : from response to recorded conflict 1 cycle, to found_* 2 cycles; from query to answer 1 cycle.
// Throughput  : one begin, one load, one response and one query per cycle.
// Comb. paths : none from input to output. Longest path: RAM -> LANES comparators of TIME_W bits -> conflict flags.
// Storage     : LANES RAMs with a row of TIME_W bits per warp; two flag bits per thread in flip-flops. A RAM never reads the row that
//               it writes, except where the read is not used.
// Illegal use : none. A warp number of WARPS or more does nothing.
//
// Paper: Fung 2015, section 6.4, Figure 6.7. Contract: include/cowarp/unit/first_read_table.h.
// C model: csim/unit/first_read_table.c. Datasheet: docs/units/first_read_table.md.

`default_nettype none

module cw_first_read_table #(
    parameter WARPS  = 48,  // 1 .. 64
    parameter LANES  = 32,  // 1 .. 32
    parameter TIME_W = 64   // 1 .. 64
) (
    input  wire              clk_i,
    input  wire              rst_i,
    // transactions begin, or begin again
    input  wire              beg_valid_i,
    input  wire [5:0]        beg_warp_i,
    input  wire [LANES-1:0]  beg_lanes_i,
    // a transactional load is sent, or times go to zero
    input  wire              load_valid_i,
    input  wire              load_rebase_i,
    input  wire [5:0]        load_warp_i,
    input  wire [LANES-1:0]  load_lanes_i,
    input  wire [TIME_W-1:0] now_i,
    // loaded data returns with the time at which its block was last written
    input  wire              rsp_valid_i,
    input  wire [5:0]        rsp_warp_i,
    input  wire [LANES-1:0]  rsp_lanes_i,
    input  wire [TIME_W-1:0] rsp_written_i,
    // lanes found in conflict, two cycles after the response
    output wire              found_valid_o,
    output wire [5:0]        found_warp_o,
    output wire [LANES-1:0]  found_lanes_o,
    // a warp at tx_commit asks
    input  wire              qry_valid_i,
    input  wire [5:0]        qry_warp_i,
    output wire              ans_valid_o,
    output wire [LANES-1:0]  ans_read_o,
    output wire [LANES-1:0]  ans_conflict_o,
    // status
    output wire              idle_o
);

    // log2 of the rows of a RAM that holds `warps` rows; at least 1.
    function integer row_bits (input integer warps);
        begin
            row_bits = 1;
            while ((1 << row_bits) < warps)
                row_bits = row_bits + 1;
        end
    endfunction

    localparam ROW_W = row_bits(WARPS);

    localparam [63:0] EXISTS = ~(64'hfffffffffffffffe << (WARPS - 1));  // bit w: there is a warp w

    wire [64*LANES-1:0] read_flags;  // warp 0 lowest: has a first read; 0 for a warp that does not exist
    wire [64*LANES-1:0] conflict_flags;

    // What each channel does in this cycle to the lanes of the warp that it names.
    wire [LANES-1:0] load_has   = read_flags[load_warp_i*LANES +: LANES];
    wire [LANES-1:0] rsp_has    = read_flags[rsp_warp_i*LANES +: LANES];
    wire [LANES-1:0] load_begin = beg_valid_i && beg_warp_i == load_warp_i ? beg_lanes_i : {LANES{1'b0}};
    wire [LANES-1:0] rsp_begin  = beg_valid_i && beg_warp_i == rsp_warp_i ? beg_lanes_i : {LANES{1'b0}};
    wire             load       = load_valid_i && EXISTS[load_warp_i];
    wire [LANES-1:0] loads      = load_valid_i && !load_rebase_i ? load_lanes_i : {LANES{1'b0}};  // have a first read behind it
    wire [LANES-1:0] first      = load && !load_rebase_i ? load_lanes_i & (~load_has | load_begin) : {LANES{1'b0}};
    wire [LANES-1:0] rebase     = load && load_rebase_i ? load_lanes_i & load_has & ~load_begin : {LANES{1'b0}};
    wire [LANES-1:0] accept     = rsp_valid_i ? rsp_lanes_i & rsp_has & ~rsp_begin : {LANES{1'b0}};

    // Stage 1: first-read times have been read; the response is compared.
    reg  [LANES-1:0]        judge_q;
    reg  [LANES-1:0]        zero_q;     // rebased in the cycle of the read: the time is 0, whatever the RAM has given
    reg  [5:0]              warp_q;
    reg  [TIME_W-1:0]       written_q;
    wire [LANES*TIME_W-1:0] first_time;
    wire [LANES-1:0]        later;
    wire [LANES-1:0]        conflict   = judge_q & later;
    wire [LANES-1:0]        late_begin = beg_valid_i && beg_warp_i == warp_q ? beg_lanes_i : {LANES{1'b0}};
    wire [LANES-1:0]        record     = conflict & ~late_begin;

    // Answers.
    reg              found_valid_q;
    reg  [5:0]       found_warp_q;
    reg  [LANES-1:0] found_lanes_q;
    reg              ans_valid_q;
    reg  [LANES-1:0] ans_read_q;
    reg  [LANES-1:0] ans_conflict_q;

    always @(posedge clk_i) begin
        if (rst_i) begin
            judge_q        <= {LANES{1'b0}};
            found_valid_q  <= 1'b0;
            found_warp_q   <= 6'd0;
            found_lanes_q  <= {LANES{1'b0}};
            ans_valid_q    <= 1'b0;
            ans_read_q     <= {LANES{1'b0}};
            ans_conflict_q <= {LANES{1'b0}};
        end else begin
            judge_q        <= accept;
            found_valid_q  <= |record;
            found_warp_q   <= |record ? warp_q : 6'd0;
            found_lanes_q  <= record;
            ans_valid_q    <= qry_valid_i;
            ans_read_q     <= qry_valid_i ? read_flags[qry_warp_i*LANES +: LANES] : {LANES{1'b0}};
            // The response in stage 1 was accepted before this cycle, so the answer covers it.
            ans_conflict_q <= qry_valid_i ? conflict_flags[qry_warp_i*LANES +: LANES]
                                            | (qry_warp_i == warp_q ? conflict : {LANES{1'b0}}) : {LANES{1'b0}};
        end
        if (rsp_valid_i) begin
            warp_q    <= rsp_warp_i;
            written_q <= rsp_written_i;
            zero_q    <= load_warp_i == rsp_warp_i ? rebase : {LANES{1'b0}};
        end
    end

    assign found_valid_o  = found_valid_q;
    assign found_warp_o   = found_warp_q;
    assign found_lanes_o  = found_lanes_q;
    assign ans_valid_o    = ans_valid_q;
    assign ans_read_o     = ans_read_q;
    assign ans_conflict_o = ans_conflict_q;
    assign idle_o         = !(|judge_q) && !found_valid_q && !ans_valid_q;

`ifdef CW_PROPERTIES
    // One thread of the prover's choice, and its state by what the ports have shown.
    (* anyconst *) reg [5:0]    f_any_warp;
    (* anyconst *) reg [4:0]    f_any_lane;
    wire [5:0]                  f_warp = f_any_warp % WARPS;
    wire [4:0]                  f_lane = f_any_lane % LANES;
    reg                         f_past_q = 1'b0;
    reg                         f_read_q;
    reg  [TIME_W-1:0]           f_time_q;      // of its first load
    reg                         f_conflict_q;
    reg                         f_due_q;       // a response of it was accepted in the cycle before, and
    reg                         f_later_q;     //   has brought a later time than its first load's
    wire [LANES*TIME_W-1:0]     f_row;         // times of f_warp
    wire f_beg = beg_valid_i && beg_warp_i == f_warp && beg_lanes_i[f_lane];
    wire f_load = load_valid_i && load_warp_i == f_warp && load_lanes_i[f_lane];
    wire f_rsp = rsp_valid_i && rsp_warp_i == f_warp && rsp_lanes_i[f_lane] && f_read_q && !f_beg;
    wire [TIME_W-1:0] f_compare = f_load && load_rebase_i ? {TIME_W{1'b0}} : f_time_q;

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i) begin
            f_read_q     <= 1'b0;
            f_conflict_q <= 1'b0;
            f_due_q      <= 1'b0;
        end else begin
            f_read_q     <= (f_read_q && !f_beg) || (f_load && !load_rebase_i);
            f_conflict_q <= (f_conflict_q || (f_due_q && f_later_q)) && !f_beg;
            f_due_q      <= f_rsp;
        end
        f_later_q <= rsp_written_i > f_compare;
        if (f_load && !load_rebase_i && (!f_read_q || f_beg))
            f_time_q <= now_i;
        else if (f_load && load_rebase_i)
            f_time_q <= {TIME_W{1'b0}};
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. A thread has a first read from its first load on, until it begins again.
            assert (read_flags[f_warp*LANES+f_lane] == f_read_q);
            cover (f_read_q && f_beg && !f_load);
            // 2. Its time is that of this load, or 0 after a rebase.
            if (f_read_q)
                assert (f_row[f_lane*TIME_W +: TIME_W] == f_time_q);
            cover (f_read_q && f_time_q != 0 && f_load && !load_rebase_i && now_i != f_time_q);
            cover (f_read_q && f_time_q != 0 && f_load && load_rebase_i);
            // 3. It is in conflict exactly if some response since its begin was later than its first load.
            assert (conflict_flags[f_warp*LANES+f_lane] == f_conflict_q);
            cover (f_conflict_q && ans_valid_o && ans_conflict_o[f_lane] && f_time_q != 0);
            // 4. A response in flight is judged by the time that held when it was accepted.
            assert ((judge_q[f_lane] && warp_q == f_warp) == f_due_q);
            if (f_due_q)
                assert (later[f_lane] == f_later_q);
            cover (f_due_q && f_later_q && f_time_q != 0 && f_load && load_rebase_i);
            // 5. Nobody is in conflict without a first read.
            if (conflict_flags[f_warp*LANES+f_lane] || (judge_q[f_lane] && warp_q == f_warp))
                assert (read_flags[f_warp*LANES+f_lane]);
            cover (f_conflict_q && f_due_q);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

    genvar w;
    genvar l;
    generate
        for (w = 0; w < 64; w = w + 1) begin : g_warp
            if (w < WARPS) begin : g_flags
                localparam [5:0] WARP = w;

                reg  [LANES-1:0] read_q;
                reg  [LANES-1:0] conflict_q;
                wire [LANES-1:0] begins = beg_valid_i && beg_warp_i == WARP ? beg_lanes_i : {LANES{1'b0}};

                always @(posedge clk_i)
                    if (rst_i) begin
                        read_q     <= {LANES{1'b0}};
                        conflict_q <= {LANES{1'b0}};
                    end else begin
                        read_q     <= (read_q & ~begins) | (load_warp_i == WARP ? loads : {LANES{1'b0}});
                        conflict_q <= (conflict_q | (warp_q == WARP ? conflict : {LANES{1'b0}})) & ~begins;
                    end

                assign read_flags[w*LANES +: LANES]     = read_q;
                assign conflict_flags[w*LANES +: LANES] = conflict_q;
            end else begin : g_none
                assign read_flags[w*LANES +: LANES]     = {LANES{1'b0}};
                assign conflict_flags[w*LANES +: LANES] = {LANES{1'b0}};
            end
        end

        for (l = 0; l < LANES; l = l + 1) begin : g_lane
            wire [TIME_W-1:0] ram_time;

            // A lane that is read has a first read and does not begin, so only a rebase can write the row being read; zero_q
            // then stands in for the RAM.
            cw_ram_1r1w #(
                .ADDR_W(ROW_W),
                .DATA_W(TIME_W)
            ) u_ram (
                .clk_i    (clk_i),
                .rd_en_i  (accept[l]),
                .rd_addr_i(rsp_warp_i[ROW_W-1:0]),
                .rd_data_o(ram_time),
                .wr_en_i  (first[l] || rebase[l]),
                .wr_addr_i(load_warp_i[ROW_W-1:0]),
                .wr_data_i(load_rebase_i ? {TIME_W{1'b0}} : now_i)
`ifdef CW_PROPERTIES
                , .f_addr_i(f_warp[ROW_W-1:0])
                , .f_data_o(f_row[l*TIME_W +: TIME_W])
`endif
            );

            assign first_time[l*TIME_W +: TIME_W] = zero_q[l] ? {TIME_W{1'b0}} : ram_time;
            assign later[l] = written_q > first_time[l*TIME_W +: TIME_W];
        end

        if (WARPS < 1 || WARPS > 64) begin : g_bad_warps
            cw_error_first_read_table_warps_must_be_1_to_64 u_error ();
        end
        if (LANES < 1 || LANES > 32) begin : g_bad_lanes
            cw_error_first_read_table_lanes_must_be_1_to_32 u_error ();
        end
        if (TIME_W < 1 || TIME_W > 64) begin : g_bad_time_w
            cw_error_first_read_table_time_w_must_be_1_to_64 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
