// SPDX-License-Identifier: Apache-2.0
//
// cw_nonsynth_cuckoo_core: what must hold of the pipeline of the cuckoo table.
//
// Why         : an entry may be in many places, and look-ups overtake its updates. That it is found, once, with its
//               last values, shows that all of them agree.
// How         : it watches a granule, of the prover's choice, and in a run that of the first look-up after a reset; a
//               look-up; and the memory, which it keeps once more.
// Illegal use : synthesis. Only blocks of properties have it (CW_PROPERTIES).
//
// Contract: include/cowarp/unit/cuckoo_table.h. docs/proofs.md has the form of properties.

`default_nettype none

module cw_nonsynth_cuckoo_core #(
    parameter TS_W          = 32,
    parameter GRANULE_W     = 30,
    parameter OWNER_W       = 12,
    parameter COUNT_W       = 16,
    parameter TAG_W         = 42,
    parameter ENTRY_W       = 122,
    parameter BODY_W        = 92,  // of an entry, below its granule
    parameter MAX_SWAPS     = 32,
    parameter OVERFLOW_W    = 12
) (
    input  wire clk_i,
    input  wire rst_i,
    input  wire wipe_i,  // all is forgotten
    input  wire run_i,   // no row is emptied, and nothing goes to memory
    // a look-up that is accepted
    input  wire [1+GRANULE_W+TS_W+OWNER_W+TAG_W-1:0] look_i,
    // a question, and the answer to an older one
    input  wire [2+GRANULE_W+2*TS_W-1:0] ask_i,
    // a result
    input  wire [9+GRANULE_W+3*TS_W+2*OWNER_W+TAG_W+COUNT_W-1:0] res_i,
    // new values
    input  wire [5+COUNT_W-1:0] upd_i,
    // an evicted entry
    input  wire [1+GRANULE_W+2*TS_W-1:0] evict_i,
    // memory
    input  wire [164+OVERFLOW_W+ENTRY_W-1:0] mem_i,
    // stages that have a look-up; the look-up in show, what write has for it; nothing may be decided
    input  wire [24-1:0] show_i,
    // the entry in hand
    input  wire [4+GRANULE_W-1:0] hand_i,
    // the overflow area; an entry goes there, one is used; the oldest look-up goes around
    input  wire [5+2*OVERFLOW_W-1:0] overflow_i,
    // entries of the granule in the stash, and in the rows
    input  wire [10-1:0] cnt_i,
    // the granule; a read of the memory waits for its answer
    output wire [GRANULE_W-1:0] f_granule_o,
    output wire f_read_o
);

`ifdef CW_PROPERTIES
    localparam B_WRITES = 2 * TS_W;

    // What the ports and the parts of the core show.
    wire [GRANULE_W-1:0]  f_granule;
    wire                   accept;
    wire [GRANULE_W-1:0]   look_granule;
    wire [TS_W-1:0]        look_ts;
    wire [OWNER_W-1:0]     look_owner;
    wire [TAG_W-1:0]       look_tag;
    wire                   read_valid;
    wire                   read_ready;
    wire [GRANULE_W-1:0]   read_granule;
    wire [TS_W-1:0]        miss_rts;
    wire [TS_W-1:0]        miss_wts;
    wire                   res_valid;
    wire                   res_again;
    wire [GRANULE_W-1:0]   res_granule;
    wire [TS_W-1:0]        res_ts;
    wire [OWNER_W-1:0]     res_look_owner;
    wire [TAG_W-1:0]       res_tag;
    wire                   res_found;
    wire                   res_room;
    wire                   res_easy;
    wire [OWNER_W-1:0]     res_owner;
    wire [COUNT_W-1:0]     res_writes;
    wire [TS_W-1:0]        res_rts;
    wire [TS_W-1:0]        res_wts;
    wire                   res_wts_later;
    wire                   res_rts_later;
    wire                   res_reserved;
    wire                   res_own;
    wire                   upd_valid;
    wire                   upd_wts_set;
    wire                   upd_rts_set;
    wire                   upd_writes_set;
    wire [COUNT_W-1:0]     upd_writes;
    wire                   upd_owner_set;
    wire                   evict_valid;
    wire [GRANULE_W-1:0]   evict_granule;
    wire [TS_W-1:0]        evict_rts;
    wire [TS_W-1:0]        evict_wts;
    wire                   mem_valid;
    wire                   mem_write;
    wire [OVERFLOW_W-1:0]  mem_addr;
    wire [159:0]           mem_wdata;
    wire                   mem_ready;
    wire                   mem_rsp_valid;
    wire [ENTRY_W-1:0]     mem_rdata;
    wire [5:0]             there;
    wire                   show_look;
    wire                   show_forward;
    wire                   show_searched;
    wire                   show_overflow;
    wire                   show_found;
    wire                   show_victim;
    wire                   wts_later;
    wire                   rts_later;
    wire                   ts_equal;
    wire                   ts_later;
    wire                   update;
    wire                   acts;
    wire                   displaces;
    wire                   wts_set;
    wire                   rts_set;
    wire                   evicts;
    wire                   hold;
    wire                   decided;
    wire                   chain;
    wire [GRANULE_W-1:0]   hand_granule;
    wire                   memory;
    wire                   moves_on;
    wire                   removes;
    wire [OVERFLOW_W:0]    overflow_cnt;
    wire                   overflow_any;
    wire [OVERFLOW_W-1:0]  search_idx;
    wire                   spills;
    wire                   works;
    wire                   goes_around;
    wire [4:0]             stash_cnt;
    wire [4:0]             ways_cnt;

    assign {accept, look_granule, look_ts, look_owner, look_tag} = look_i;
    assign {read_valid, read_ready, read_granule, miss_rts, miss_wts} = ask_i;
    assign {res_valid, res_again, res_granule, res_ts, res_look_owner, res_tag, res_found, res_room, res_easy,
            res_owner, res_writes, res_rts, res_wts, res_wts_later, res_rts_later, res_reserved, res_own} = res_i;
    assign {upd_valid, upd_wts_set, upd_rts_set, upd_writes_set, upd_writes, upd_owner_set} = upd_i;
    assign {evict_valid, evict_granule, evict_rts, evict_wts} = evict_i;
    assign {mem_valid, mem_write, mem_addr, mem_wdata, mem_ready, mem_rsp_valid, mem_rdata} = mem_i;
    assign {there, show_look, show_forward, show_searched, show_overflow, show_found, show_victim, wts_later,
            rts_later, ts_equal, ts_later, update, acts, displaces, wts_set, rts_set, evicts, hold, decided} = show_i;
    assign {chain, hand_granule, memory, moves_on, removes} = hand_i;
    assign {overflow_cnt, overflow_any, search_idx, spills, works, goes_around} = overflow_i;
    assign {stash_cnt, ways_cnt} = cnt_i;

    assign f_granule_o = f_granule;
    assign f_read_o    = f_read_q;

    // One granule, and its entry by what the ports have shown: it is in the table from an update of it until it is
    // evicted.
    reg               f_past_q = 1'b0;
    reg               f_here_q;
    reg  [BODY_W-1:0] f_body_q;
    wire              f_res      = res_valid && !res_again && res_granule == f_granule;
    wire [BODY_W-1:0] f_shown    = {res_owner, res_writes, res_rts, res_wts};
    wire [BODY_W-1:0] f_new      = {upd_owner_set  ? res_look_owner : res_owner,
                                    upd_writes_set ? upd_writes : res_writes,
                                    upd_rts_set    ? res_ts : res_rts,
                                    upd_wts_set    ? res_ts + 1'b1 : res_wts};
    // The overflow area is full, and no neighbour can be evicted either.
    wire              f_ignored  = !res_room && !show_victim && f_new[B_WRITES+:COUNT_W] != {COUNT_W{1'b0}};
    wire              f_evicted  = evict_valid && evict_granule == f_granule;
    wire              f_reserved = f_here_q && f_body_q[B_WRITES+:COUNT_W] != {COUNT_W{1'b0}};
    // Its places. The overflow area is in memory, which the properties see when they are proved.
    wire              f_in_hand  = chain && hand_granule == f_granule;
    wire [OVERFLOW_W+4:0] f_memory_cnt;
    wire [OVERFLOW_W+5:0] f_places = f_memory_cnt + ways_cnt + stash_cnt + f_in_hand;
    // Questions of the last four cycles, and evictions since.
    reg  [3:0]              f_asked_q;
    reg  [4*GRANULE_W-1:0]  f_asked_granule_q;
    reg  [3:0]              f_evicted_q;
    reg  [2*TS_W-1:0]       f_miss_q;
    // Look-ups inside; one of them, and how many are before it.
    (* anyconst *) reg      f_tag;
    reg  [3:0]              f_inside_q;
    reg                     f_marked_q;
    reg  [3:0]              f_ahead_q;
    reg  [GRANULE_W+TS_W+OWNER_W+TAG_W-1:0] f_mark_q;
    wire                    f_mark      = accept && look_tag[0] == f_tag && !f_marked_q;
    wire                    f_mark_ends = decided && f_marked_q && f_ahead_q == 4'd0;
    wire [3:0]              f_stages    = {3'd0, there[0]} + {3'd0, there[1]} + {3'd0, there[2]}
                                        + {3'd0, there[3]} + {3'd0, there[4]} + {3'd0, there[5]};
    // Memory.
    reg                     f_mem_wait_q;
    reg  [160+OVERFLOW_W:0] f_mem_q;
    // An unreserved entry was to be inserted where all is reserved.
    reg                     f_hard_q;
    reg  [GRANULE_W-1:0]    f_hard_granule_q;
    reg  [10:0]             f_chain_cnt_q;

    cw_nonsynth_choice #(
        .W(GRANULE_W)
    ) u_f_choice (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (accept),
        .value_i (look_granule),
        .choice_o(f_granule)
    );

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i || wipe_i)
            f_here_q <= 1'b0;
        else if (f_res && upd_valid && !f_ignored)
            f_here_q <= 1'b1;
        else if (f_evicted)
            f_here_q <= 1'b0;
        if (f_res && upd_valid && !f_ignored)
            f_body_q <= f_new;

        f_asked_q         <= {f_asked_q[2:0], read_valid && read_ready && !rst_i};
        f_asked_granule_q <= {f_asked_granule_q[3*GRANULE_W-1:0], read_granule};
        f_evicted_q       <= rst_i ? 4'd0 : {f_evicted_q[2:0], f_evicted};
        f_miss_q          <= {miss_rts, miss_wts};

        if (rst_i) begin
            f_inside_q <= 4'd0;
            f_marked_q <= 1'b0;
        end else begin
            f_inside_q <= f_inside_q + {3'd0, accept} - {3'd0, decided};
            f_marked_q <= f_mark || (f_marked_q && !f_mark_ends);
        end
        f_ahead_q <= (f_mark ? f_inside_q : f_ahead_q) - {3'd0, decided};
        if (f_mark)
            f_mark_q <= {look_granule, look_ts, look_owner, look_tag};

        f_mem_wait_q     <= mem_valid && !mem_ready && !rst_i;
        f_mem_q          <= {mem_write, mem_addr, mem_wdata};
        f_hard_q         <= decided && upd_valid && !res_found && !res_easy
                            && f_new[B_WRITES+:COUNT_W] == {COUNT_W{1'b0}} && !rst_i;
        f_hard_granule_q <= res_granule;
        f_chain_cnt_q    <= rst_i || !chain ? 11'd0 : f_chain_cnt_q + 11'd1;
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. An entry is found, wherever it went, with the values last written, unless it has been evicted.
            if (f_res && f_here_q)
                assert (res_found && f_shown == f_body_q);
            cover (f_res && f_reserved && show_forward);
            // 11. So is one that is in the stash.
            if (f_res && stash_cnt != 0)
                assert (res_found && f_shown == f_body_q);
            cover (f_res && f_reserved && stash_cnt != 0);
            // 12. So is one of the overflow area, which is searched for it.
            if (f_res && f_here_q && show_searched)
                assert (res_found && f_shown == f_body_q);
            cover (f_res && f_reserved && show_overflow);
            // 2. What is evicted was in the table, unreserved, and goes with the values last written.
            if (f_evicted)
                assert (f_here_q && !f_reserved && {evict_rts, evict_wts} == f_body_q[2*TS_W-1:0]);
            cover (f_evicted && evicts && f_body_q[TS_W-1:0] != 0);
            cover (f_evicted && removes);
            // 3. An entry that is in the table is in one place only, and one that is not is in none.
            if (run_i && !acts)
`ifdef FORMAL
                assert (f_places == f_here_q);
`else
                assert (f_places <= f_here_q);
`endif
            cover (run_i && !acts && f_in_hand);
            cover (run_i && !acts && stash_cnt != 0);
            cover (run_i && !acts && f_memory_cnt != 0);
            // 4. A result's granule was asked for four cycles before, with leave, and has not been evicted since if it
            //    is not found; then the result shows the answer.
            if (res_valid)
                assert (f_asked_q[3] && f_asked_granule_q[4*GRANULE_W-1-:GRANULE_W] == res_granule);
            if (f_res && !res_found)
                assert (f_evicted_q == 4'd0 && !f_evicted && f_shown == {{(BODY_W - 2*TS_W){1'b0}}, f_miss_q});
            cover (res_valid && !res_found && f_miss_q != 0 && evict_valid);
            cover (show_look && res_granule == f_granule && f_evicted_q[3] && !res_found && !hold);
            // 5. Results come in the order of the look-ups, with what came with these, and each look-up has one.
            if (f_mark_ends)
                assert (f_mark_q == {res_granule, res_ts, res_look_owner, res_tag});
            cover (f_mark_ends && f_inside_q == 4'd6);
            cover (f_marked_q && f_ahead_q != 0 && goes_around && there[0]);
            // 13. No look-up is lost or doubled: what was accepted and not decided is in one of the stages.
            assert (f_inside_q == f_stages && f_inside_q <= 4'd6);
            cover (f_inside_q == 4'd6 && there[0]);
            // 6. What is compared before it is known equals a comparison of what is shown.
            if (res_valid)
                assert (res_wts_later == (res_wts > res_ts) && res_rts_later == (res_rts > res_ts)
                        && res_reserved == (res_writes != 0)
                        && res_own == (res_writes != 0 && res_owner == res_look_owner));
            cover (res_valid && show_forward && wts_set && ts_equal && !wts_later);
            cover (res_valid && show_forward && rts_set && !ts_later && rts_later && res_own);
            // 7. An access that the memory has not taken stays. No write of stage write changes the entry in hand
            //    meanwhile.
            if (f_mem_wait_q)
                assert (mem_valid && f_mem_q == {mem_write, mem_addr, mem_wdata});
            if (mem_valid)
                assert (!memory && !moves_on);
            cover (f_mem_wait_q && mem_write && mem_ready);
            // 8. The overflow area never overflows, and only entries that are there are read.
            assert (overflow_cnt <= {1'b1, {OVERFLOW_W{1'b0}}} && overflow_any == (overflow_cnt != 0));
            if (spills)
                assert (!overflow_cnt[OVERFLOW_W]);
            if (works)
                assert ({1'b0, search_idx} < overflow_cnt);
            cover (spills && mem_ready);
            // 9. An unreserved entry that would need the overflow area is evicted itself, and starts no chain.
            if (f_hard_q)
                assert (evict_valid && evict_granule == f_hard_granule_q && !moves_on);
            cover (f_hard_q && f_inside_q != 0);
            // 10. A chain ends, after six cycles for each of at most MAX_SWAPS displacements.
            assert (f_chain_cnt_q < 6 * MAX_SWAPS || !chain);
            cover (chain && f_chain_cnt_q == 6 * MAX_SWAPS - 1);
        end

    // The memory, and a read in it.
    reg [ENTRY_W-1:0]    f_memory_q [0:(1<<OVERFLOW_W)-1];
    reg                  f_read_q;
    reg [OVERFLOW_W-1:0] f_read_addr_q;
    reg                  f_stray_q = 1'b0;  // an answer is on its way to a read from before the reset
    wire                 f_reads   = mem_valid && mem_ready && !mem_write;

    always @(posedge clk_i) begin
        if (mem_valid && mem_ready && mem_write)
            f_memory_q[mem_addr] <= mem_wdata[ENTRY_W-1:0];
        if (rst_i)
            f_read_q <= 1'b0;
        else
            f_read_q <= f_reads || (f_read_q && !mem_rsp_valid);
        if (f_reads)
            f_read_addr_q <= mem_addr;
`ifndef FORMAL
        f_stray_q <= rst_i ? f_stray_q || f_read_q || f_reads : f_stray_q && !mem_rsp_valid;
`endif
    end

    always @(`CW_PROPERTIES)
        if (f_past_q && !rst_i) begin
            // contract: [61] Memory reads must be answered in order, in any later cycle.
            if (mem_rsp_valid && !f_stray_q)
                assume (f_read_q && mem_rdata[ENTRY_W-1:0] == f_memory_q[f_read_addr_q]);
            // contract: [19] upd_wts_set with a look_ts of all ones is not allowed
            if (res_valid && upd_valid && upd_wts_set && !res_again)
                assume (!(&res_ts));
        end
`endif
`ifdef FORMAL
    // Entries beyond the fourth are not counted: a loop over all would take Yosys minutes.
    reg [OVERFLOW_W+4:0] f_memory_sum;
    integer              f_m;

    always @* begin
        f_memory_sum = 0;
        for (f_m = 0; f_m < 4; f_m = f_m + 1)
            f_memory_sum = f_memory_sum + (f_m < (1 << OVERFLOW_W) && f_m < overflow_cnt
                                           && f_memory_q[f_m[OVERFLOW_W-1:0]][GRANULE_W-1:0] == f_granule);
    end
    assign f_memory_cnt = f_memory_sum;

    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`elsif CW_PROPERTIES
    assign f_memory_cnt = {(OVERFLOW_W+5){1'b0}};
`endif

endmodule

`default_nettype wire
