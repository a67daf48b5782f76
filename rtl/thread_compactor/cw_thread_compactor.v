// SPDX-License-Identifier: Apache-2.0
//
// cw_thread_compactor: makes warps out of the threads of a block that go one way.
//
// Why         : after a divergent branch, each static warp has few threads on each side. Threads of different static warps that go one way fill
//               one warp, if no two of them are of one lane.
// How         : a priority encoder per lane has the lane's next thread in its registers, and the others as its rest. When a warp is taken, each
//               lane whose thread went with it gives its rest back to its encoder. With static warps, only the lanes whose next thread is of the
//               lowest static warp go; the others wait. How many warps there will be is counted while the mask comes.
// Latency     : count and first warp 1 cycle after the mask.
// Throughput  : a warp per cycle; a mask of n warps takes n + 1 cycles.
// Comb. paths : none; outputs depend on registers only.
// Storage     : LANES * (WARPS + 7) + 8 flip-flops.
// Illegal use : none. A valid without ready is ignored.
//
// Paper: Fung 2015, section 3.3.2, Figures 3.6 and 3.7. Contract: include/cowarp/unit/thread_compactor.h.
// C model: csim/unit/thread_compactor.c. Datasheet: docs/units/thread_compactor.md.

`default_nettype none

module cw_thread_compactor #(
    parameter LANES = 32,  // 1 .. 32
    parameter WARPS = 32   // 1 .. 32
) (
    input  wire             clk_i,
    input  wire             rst_i,
    // threads that go one way
    input  wire             start_valid_i,
    input  wire             start_static_i,
    /* verilator lint_off UNUSED */       // lanes and warps that there are not
    input  wire [1023:0]    start_mask_i,
    /* verilator lint_on UNUSED */
    output wire             start_ready_o,
    // how many warps they make
    output wire             count_valid_o,
    output wire [5:0]       count_o,
    // the warps
    output wire             warp_valid_o,
    output wire             warp_last_o,
    output wire [LANES-1:0] warp_lanes_o,
    output wire [255:0]     warp_home_o,
    input  wire             warp_ready_i
);

    reg                counted_q;
    reg                static_q;
    reg  [5:0]         left_q;    // warps that have not been taken

    // Of each lane: no thread is left; the static warp of the next one.
    wire [LANES-1:0]   none;
    wire [LANES*6-1:0] index;

    wire               start = start_valid_i && left_q == 6'd0;
    wire               take  = warp_ready_i && left_q != 6'd0;

    // ---- Count: the largest number of threads of a lane, or the number of static warps that have one.

    function [5:0] ones (
        input [31:0] v
    );
        reg [31:0] pairs;
        reg [31:0] fours;
        begin
            pairs = {1'b0, v[31:1] & 31'h55555555} + (v & 32'h55555555);
            fours = {2'b0, pairs[31:2] & 30'h33333333} + (pairs & 32'h33333333);
            ones  = (({2'b0, fours[3:0]} + {2'b0, fours[7:4]}) + ({2'b0, fours[11:8]} + {2'b0, fours[15:12]}))
                    + (({2'b0, fours[19:16]} + {2'b0, fours[23:20]}) + ({2'b0, fours[27:24]} + {2'b0, fours[31:28]}));
        end
    endfunction

    reg  [31:0] occupied;  // static warps that have a thread
    integer     i;

    always @* begin
        occupied = 32'd0;
        for (i = 0; i < WARPS; i = i + 1)
            occupied[i] = |start_mask_i[i*32 +: LANES];
    end

    // A tree of sums, of all lanes at once: word m of a node has bit m of each lane's number. A row of adders adds a word of all lanes.
    // After step k, node n stands for the static warps n << (k + 1) to (n << (k + 1)) + (2 << k) - 1, and node 0 at last for all.
    reg  [32*6*LANES-1:0] sum;
    reg  [LANES-1:0]      left;
    reg  [LANES-1:0]      right;
    reg  [LANES-1:0]      carry;
    integer               k;
    integer               n;
    integer               m;

    always @* begin
        sum   = {(32*6*LANES){1'b0}};
        left  = {LANES{1'b0}};
        right = {LANES{1'b0}};
        carry = {LANES{1'b0}};
        for (n = 0; n < WARPS; n = n + 1)
            sum[n*6*LANES +: LANES] = start_mask_i[n*32 +: LANES];
        for (k = 0; k < 5; k = k + 1)
            for (n = 0; n < (16 >> k); n = n + 1) begin
                carry = {LANES{1'b0}};
                for (m = 0; m <= k; m = m + 1) begin
                    left                            = sum[(2*n*6 + m)*LANES +: LANES];
                    right                           = sum[((2*n+1)*6 + m)*LANES +: LANES];
                    sum[(n*6 + m)*LANES +: LANES]   = left ^ right ^ carry;
                    carry                           = (left & right) | (carry & (left ^ right));
                end
                sum[(n*6 + k + 1)*LANES +: LANES] = carry;
            end
    end

    // The largest number, from its top bit down: of the lanes that are still the largest, those whose next bit is 1, if there is one.
    reg  [5:0]       most;
    reg  [LANES-1:0] largest;
    integer          q;

    always @* begin
        most    = 6'd0;
        largest = {LANES{1'b1}};
        for (q = 5; q >= 0; q = q - 1) begin
            most[q] = |(largest & sum[q*LANES +: LANES]);
            largest = most[q] ? largest & sum[q*LANES +: LANES] : largest;
        end
    end

    wire [5:0] count = start_static_i ? ones(occupied) : most;

    always @(posedge clk_i)
        if (rst_i) begin
            counted_q <= 1'b0;
            left_q    <= 6'd0;
        end else begin
            counted_q <= start;
            if (start)
                left_q <= count;
            else if (take)
                left_q <= left_q - 6'd1;
        end

    always @(posedge clk_i)
        if (start)
            static_q <= start_static_i;

    // ---- The lanes' next threads.

    // The lowest static warp of these, from its top bit down: of the lanes that may still be of it, those whose next bit is 0, if there is one.
    wire [6*LANES-1:0] plane;   // word p: bit p of each lane's static warp
    reg  [5:0]         least;   // 63: no lane has a thread
    reg  [LANES-1:0]   lowest;  // lanes of this static warp
    integer            p;

    always @* begin
        least  = 6'd0;
        lowest = ~none;
        for (p = 5; p >= 0; p = p - 1) begin
            least[p] = !(|(lowest & ~plane[p*LANES +: LANES]));
            lowest   = least[p] ? lowest : lowest & ~plane[p*LANES +: LANES];
        end
    end

    wire [LANES-1:0] goes = static_q ? lowest : ~none;  // lanes of the warp that is offered

    genvar l;
    genvar w;
    generate
        for (l = 0; l < 32; l = l + 1) begin : g_lane
            if (l < LANES) begin : g_encoder
                wire [WARPS-1:0] column;  // the lane's thread of each static warp
                wire [WARPS-1:0] rest;

                for (w = 0; w < WARPS; w = w + 1) begin : g_warp
                    assign column[w] = start_mask_i[w*32 + l];
                end

                cw_priority_encoder #(
                    .WIDTH(WARPS)
                ) u_encoder (
                    .clk_i      (clk_i),
                    .rst_i      (rst_i),
                    .in_valid_i (start || (take && goes[l])),
                    .in_vector_i(start ? column : rest),
                    .none_o     (none[l]),
                    .index_o    (index[l*6 +: 6]),
                    .rest_o     (rest)
                );

                for (w = 0; w < 6; w = w + 1) begin : g_plane
                    assign plane[w*LANES + l] = index[l*6 + w];
                end

                assign warp_home_o[l*8 +: 8] = {2'b00, index[l*6 +: 6] & {6{goes[l]}}};
            end else begin : g_no_lane
                assign warp_home_o[l*8 +: 8] = 8'd0;
            end
        end
    endgenerate

    assign start_ready_o = left_q == 6'd0;
    assign count_valid_o = counted_q;
    assign count_o       = left_q & {6{counted_q}};
    assign warp_valid_o  = left_q != 6'd0;
    assign warp_last_o   = left_q == 6'd1;
    assign warp_lanes_o  = goes;

`ifdef CW_PROPERTIES
    // One thread, of the prover's choice: it is owed from the mask that has it until a warp with it is taken. Bit l*WARPS + w of the f_ masks is the
    // thread of lane l of static warp w.
    // What is kept of all threads would slow down a run of many, which looks at the chosen thread alone.
    localparam F_THREADS = LANES * WARPS;
    localparam F_SMALL   = F_THREADS <= 64;
    (* anyconst *) reg [4:0]    f_lane;
    (* anyconst *) reg [4:0]    f_warp;
    reg                         f_past_q = 1'b0;
    reg                         f_owed_q;
    reg  [F_THREADS-1:0]        f_mask_q;      // all threads that are owed
    reg                         f_static_q;
    reg                         f_after_q;     // a mask came in the last cycle
    reg  [5:0]                  f_expected_q;  // warps of that mask
    reg  [5:0]                  f_taken_q;     // of these
    reg                         f_wait_q;      // a warp was offered and not taken
    reg  [LANES+255:0]          f_shown_q;
    reg  [F_THREADS-1:0]        f_start;       // the mask that comes
    reg  [F_THREADS-1:0]        f_gone;        // threads of the warp that is offered
    reg  [F_THREADS-1:0]        f_pend;        // next threads and rests of all lanes
    reg                         f_sound;       // each rest is above its next thread, and what is not there is 0
    reg                         f_one_home;    // all lanes of the warp are of one static warp
    reg  [5:0]                  f_most;        // threads of a lane that are owed
    reg  [5:0]                  f_row_cnt;     // static warps that are owed threads
    reg  [5:0]                  f_have;
    reg                         f_row;
    reg                         f_owed_now;    // is f_owed_q, by the mask
    reg                         f_owed_next;   // the mask that comes has the thread
    reg                         f_in;          // the warp that is offered has the thread
    reg                         f_lane_in;     // it has the lane
    reg                         f_lane_lower;  // with a lower static warp
    wire [F_THREADS-1:0]        f_rest;
    integer                     fi;
    integer                     fj;
    genvar                      fl;

    generate
        for (fl = 0; fl < LANES; fl = fl + 1) begin : g_f_lane
            assign f_rest[fl*WARPS +: WARPS] = g_lane[fl].g_encoder.rest;
        end
    endgenerate

    always @* begin
        f_start      = {F_THREADS{1'b0}};
        f_gone       = {F_THREADS{1'b0}};
        f_pend       = F_SMALL ? f_rest : {F_THREADS{1'b0}};
        f_sound      = 1'b1;
        f_one_home   = 1'b1;
        f_in         = 1'b0;
        f_lane_in    = 1'b0;
        f_lane_lower = 1'b0;
        f_owed_now   = 1'b0;
        f_owed_next  = !F_SMALL && f_lane < LANES && f_warp < WARPS && start_mask_i[f_warp*32 + f_lane];
        for (fi = 0; fi < LANES; fi = fi + 1) begin
            f_sound    = f_sound && (none[fi] ? index[fi*6 +: 6] == 6'd0 : index[fi*6 +: 6] < WARPS);
            f_one_home = f_one_home && (!warp_lanes_o[fi] || warp_home_o[fi*8 +: 8] == {2'b00, least});
            if (fi == f_lane) begin
                f_lane_in    = warp_lanes_o[fi];
                f_in         = warp_lanes_o[fi] && warp_home_o[fi*8 +: 8] == {3'd0, f_warp};
                f_lane_lower = warp_home_o[fi*8 +: 8] < {3'd0, f_warp};
            end
            for (fj = 0; F_SMALL && fj < WARPS; fj = fj + 1) begin
                f_start[fi*WARPS + fj] = start_mask_i[fj*32 + fi];
                f_gone[fi*WARPS + fj]  = warp_lanes_o[fi] && warp_home_o[fi*8 +: 8] == fj;
                if (!none[fi] && index[fi*6 +: 6] == fj)
                    f_pend[fi*WARPS + fj] = 1'b1;
                f_sound = f_sound && (!f_rest[fi*WARPS + fj] || (!none[fi] && index[fi*6 +: 6] < fj));
                if (fi == f_lane && fj == f_warp) begin
                    f_owed_now  = f_mask_q[fi*WARPS + fj];
                    f_owed_next = start_mask_i[fj*32 + fi];
                end
            end
        end
    end

    always @* begin
        f_most    = 6'd0;
        f_row_cnt = 6'd0;
        for (fi = 0; F_SMALL && fi < LANES; fi = fi + 1) begin
            f_have = 6'd0;
            for (fj = 0; fj < WARPS; fj = fj + 1)
                f_have = f_have + {5'd0, f_mask_q[fi*WARPS + fj]};
            f_most = f_have > f_most ? f_have : f_most;
        end
        for (fj = 0; F_SMALL && fj < WARPS; fj = fj + 1) begin
            f_row = 1'b0;
            for (fi = 0; fi < LANES; fi = fi + 1)
                f_row = f_row || f_mask_q[fi*WARPS + fj];
            f_row_cnt = f_row_cnt + {5'd0, f_row};
        end
    end

    always @(posedge clk_i) begin
        f_past_q  <= 1'b1;
        f_wait_q  <= !rst_i && warp_valid_o && !warp_ready_i;
        f_shown_q <= {warp_home_o, warp_lanes_o};
        f_after_q <= !rst_i && start;
        if (rst_i) begin
            f_owed_q     <= 1'b0;
            f_mask_q     <= {F_THREADS{1'b0}};
            f_expected_q <= 6'd0;
            f_taken_q    <= 6'd0;
        end else if (start) begin
            f_owed_q  <= f_owed_next;
            f_mask_q  <= f_start;
            f_taken_q <= 6'd0;
        end else if (take) begin
            f_owed_q  <= f_owed_q && !f_in;
            f_mask_q  <= f_mask_q & ~f_gone;
            f_taken_q <= f_taken_q + 6'd1;
        end
        if (!rst_i && f_after_q)
            f_expected_q <= count_o;
        if (start)
            f_static_q <= start_static_i;
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. A warp has only threads that are owed: none comes twice, and none that was not in the mask.
            if (warp_valid_o && f_in)
                assert (f_owed_q);
            assert ((f_gone & ~f_mask_q) == {F_THREADS{1'b0}});
            cover (warp_valid_o && f_in && f_taken_q == 6'd1 && f_warp != 5'd0);
            // 2. No thread is lost: while one is owed, a warp is offered, and the last warp has all that is left.
            if (f_owed_q)
                assert (warp_valid_o && (!warp_last_o || f_in));
            cover (f_owed_q && warp_last_o && f_taken_q != 6'd0);
            // 3. A lane gives its lowest thread, unless the warps are static and another lane's is of a lower one.
            if (f_owed_q && !f_in)
                assert (f_static_q && !f_lane_in ? least[4:0] < f_warp : f_lane_in && f_lane_lower);
            cover (f_owed_q && !f_in && !f_static_q);
            cover (f_owed_q && !f_in && f_static_q && !f_lane_in);
            // 4. The lanes of a static warp are of one static warp.
            if (warp_valid_o && f_static_q)
                assert (f_one_home);
            cover (warp_valid_o && f_static_q && &warp_lanes_o && warp_home_o[7:0] != 8'd0);
            // 5. The count is the most threads of a lane, or the static warps that have one, and as many warps come.
            if (F_SMALL && count_valid_o)
                assert (count_o == (f_static_q ? f_row_cnt : f_most));
            if (warp_last_o && !count_valid_o)
                assert (f_taken_q + 6'd1 == f_expected_q);
            assert (count_valid_o == f_after_q);
            cover (count_valid_o && !f_static_q && f_row_cnt > f_most && f_most > 6'd1);
            cover (count_valid_o && f_static_q && f_row_cnt > f_most && f_most != 6'd0);
            cover (count_valid_o && count_o == 6'd0);
            // 6. A warp that is not taken stays, and what is not a warp or a count is 0.
            if (f_wait_q)
                assert (warp_valid_o && f_shown_q == {warp_home_o, warp_lanes_o});
            if (!warp_valid_o)
                assert (warp_lanes_o == {LANES{1'b0}} && warp_home_o == 256'd0 && !warp_last_o);
            if (!count_valid_o)
                assert (count_o == 6'd0);
            if (warp_valid_o)
                assert (warp_lanes_o != {LANES{1'b0}});
            cover (f_wait_q && f_taken_q == 6'd1);
            // 7. (for induction) A thread is owed if it is its lane's next or in the rest, and the rest lies above the next one.
            assert (f_mask_q == f_pend && f_sound);
            if (F_SMALL)
                assert (f_owed_q == f_owed_now);
            if (F_SMALL && warp_valid_o)
                assert (static_q == f_static_q && left_q == (f_static_q ? f_row_cnt : f_most));
            if (!warp_valid_o)
                assert (f_mask_q == {F_THREADS{1'b0}});
            if (f_after_q)
                assert (f_taken_q == 6'd0);
            if (warp_valid_o && !f_after_q)
                assert (f_taken_q + left_q == f_expected_q);
            cover (f_rest != {F_THREADS{1'b0}} && f_taken_q != 6'd0);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

    generate
        if (LANES < 1 || LANES > 32) begin : g_bad_lanes
            cw_error_thread_compactor_lanes_must_be_1_to_32 u_error ();
        end
        if (WARPS < 1 || WARPS > 32) begin : g_bad_warps
            cw_error_thread_compactor_warps_must_be_1_to_32 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
