// SPDX-License-Identifier: Apache-2.0
//
// cw_dram_scheduler: which command a DRAM channel is given next.
//
// Why         : the data bus is busy only if the next rows are opened while the open ones are read, and requests come in no such order.
// How         : FR-FCFS. The queue is in the order of age. Each bank finds its candidate; of those that are allowed one is chosen.
// Stages      : 0 take; 1 candidates of each bank (cw_dram_scheduler_queue); 2 choice (cw_dram_scheduler_choice); 3 the command is there,
//               banks and queue follow it.
// Latency     : 3 cycles.
// Throughput  : one command per cycle, one request per cycle.
// Comb. paths : none from input to output. Longest: what a bank may be given -> the choice -> who has had a command.
// Storage     : cw_dram_scheduler_queue and cw_dram_scheduler_banks, in flip-flops.
// Illegal use : none.
//
// Paper: Rixner et al., ISCA 2000, section 4. Contract: include/cowarp/unit/dram_scheduler.h. C model: csim/unit/dram_scheduler.c.
// Datasheet: docs/units/dram_scheduler.md.

`default_nettype none

module cw_dram_scheduler #(
    parameter QUEUE   = 32,   // 1 .. 64
    parameter BANK_W  = 4,    // 1 .. 6
    parameter GROUP_W = 2,    // 1 .. 4
    parameter ROW_W   = 24,   // 1 .. 32
    parameter TAG_W   = 5,    // 1 .. 8
    parameter RCD     = 12,   // 4 .. 255
    parameter RAS     = 28,   // 4 .. 255
    parameter RP      = 12,   // 1 .. 255
    parameter RC      = 40,   // 1 .. 255
    parameter RRD     = 6,    // 1 .. 255
    parameter CCD     = 2,    // 1 .. 255
    parameter CCDL    = 3,    // 2 .. 255
    parameter RTW     = 12,   // 1 .. 255
    parameter WTR     = 11,   // 1 .. 255
    parameter RTP     = 2,    // 2 .. 255
    parameter WTP     = 18,   // 2 .. 255
    parameter AGE_CAP = 2144  // 1 .. 65535
) (
    input  wire              clk_i,
    input  wire              rst_i,
    // a request
    input  wire              push_valid_i,
    output wire              push_ready_o,
    input  wire              push_write_i,
    input  wire [BANK_W-1:0] push_bank_i,
    input  wire [ROW_W-1:0]  push_row_i,
    input  wire [2:0]        push_bursts_i,
    input  wire [TAG_W-1:0]  push_tag_i,
    // the command, a cycle later
    input  wire              step_i,
    output wire              cmd_valid_o,
    output wire [1:0]        cmd_kind_o,
    output wire [BANK_W-1:0] cmd_bank_o,
    output wire [ROW_W-1:0]  cmd_row_o,
    output wire [TAG_W-1:0]  cmd_tag_o,
    output wire              cmd_last_o,
    // status
    output wire              late_o,
    output wire              empty_o,
    output wire              idle_o
);

    localparam BANKS = 1 << BANK_W;

    localparam [BANKS-1:0] BANK_0 = 1;

    localparam [1:0] READ = 2'd0, WRITE = 2'd1, ACTIVATE = 2'd2, PRECHARGE = 2'd3;

    // The queue, and the banks
    wire                    any;
    wire [QUEUE-1:0]        write;
    wire [QUEUE-1:0]        last;
    wire [BANKS*QUEUE-1:0]  mine;      // of each bank
    wire [BANKS*QUEUE-1:0]  first;     // the oldest that hits
    wire [BANKS*QUEUE-1:0]  head;      // the oldest
    wire [BANKS-1:0]        hits;      // banks for which one hits
    wire [ROW_W-1:0]        row;       // of the last command
    wire [TAG_W-1:0]        tag;
    wire                    full;
    wire                    late;
    wire [BANKS-1:0]        open;
    wire [BANKS-1:0]        may_read;
    wire [BANKS-1:0]        may_write;
    wire [BANKS-1:0]        may_activate;
    wire [BANKS-1:0]        may_precharge;
    wire                    rest;
    wire                    put     = push_valid_i && !full;
    wire                    put_hit;
    wire [QUEUE-1:0]        oldest;
    reg                     moved_q;  // the command before the last one was ACTIVATE or PRECHARGE
    reg                     moved_open_q;
    reg  [BANKS-1:0]        moved_bank_oh_q;
    reg  [ROW_W-1:0]        moved_row_q;

    // The choice
    wire [QUEUE-1:0]        pick;
    wire                    is_column;
    wire                    is_last;
    wire                    cmd_valid;
    wire [1:0]              cmd_kind;
    wire [BANKS-1:0]        cmd_oh;
    wire                    give = step_i && cmd_valid;

    // The command is there
    reg                     valid_q;
    reg  [1:0]              kind_q;
    reg  [BANKS-1:0]        cmd_oh_q;
    reg                     last_q;
    reg  [BANK_W-1:0]       cmd_bank;

    integer                 k;

    always @* begin
        cmd_bank = {BANK_W{1'b0}};
        for (k = 0; k < BANKS; k = k + 1)
            cmd_bank = cmd_bank | (k[BANK_W-1:0] & {BANK_W{cmd_oh_q[k]}});
    end

    always @(posedge clk_i) begin
        valid_q         <= !rst_i && give;
        kind_q          <= cmd_kind & {2{give}};
        cmd_oh_q        <= cmd_oh;
        last_q          <= give && is_last;
        moved_q         <= !rst_i && valid_q && kind_q[1];
        moved_open_q    <= kind_q == ACTIVATE;
        moved_bank_oh_q <= cmd_oh_q;
        moved_row_q     <= row;
        if (rst_i)
            {kind_q, last_q} <= 3'd0;
    end

    cw_dram_scheduler_queue #(
        .QUEUE  (QUEUE),
        .BANKS  (BANKS),
        .ROW_W  (ROW_W),
        .TAG_W  (TAG_W),
        .AGE_CAP(AGE_CAP)
    ) u_queue (
        .clk_i          (clk_i),
        .rst_i          (rst_i),
        .step_i         (step_i),
        .put_i          (put),
        .put_write_i    (push_write_i),
        .put_bank_oh_i  (BANK_0 << push_bank_i),
        .put_row_i      (push_row_i),
        .put_bursts_i   (push_bursts_i),
        .put_tag_i      (push_tag_i),
        .put_hit_i      (put_hit),
        .give_oh_i      (pick & {QUEUE{step_i}}),
        .burst_i        (is_column),
        .leave_i        (step_i && is_last),
        .moved_i        (moved_q),
        .moved_open_i   (moved_open_q),
        .moved_bank_oh_i(moved_bank_oh_q),
        .moved_row_i    (moved_row_q),
        .open_i         (open),
        .any_o          (any),
        .oldest_o       (oldest),
        .write_o        (write),
        .last_o         (last),
        .mine_o         (mine),
        .first_o        (first),
        .head_o         (head),
        .hits_o         (hits),
        .given_row_o    (row),
        .given_tag_o    (tag),
        .full_o         (full),
        .late_o         (late)
    );

    cw_dram_scheduler_choice #(
        .QUEUE(QUEUE),
        .BANKS(BANKS)
    ) u_choice (
        .write_i        (write),
        .last_i         (last),
        .oldest_i       (oldest),
        .late_i         (late),
        .mine_i         (mine),
        .first_i        (first),
        .head_i         (head),
        .hits_i         (hits),
        .open_i         (open),
        .may_read_i     (may_read),
        .may_write_i    (may_write),
        .may_activate_i (may_activate),
        .may_precharge_i(may_precharge),
        .pick_o         (pick),
        .is_column_o    (is_column),
        .is_last_o      (is_last),
        .cmd_valid_o    (cmd_valid),
        .cmd_kind_o     (cmd_kind),
        .cmd_oh_o       (cmd_oh)
    );

    cw_dram_scheduler_banks #(
        .BANK_W (BANK_W),
        .GROUP_W(GROUP_W),
        .ROW_W  (ROW_W),
        .BANKS  (BANKS),
        .RCD    (RCD),
        .RAS    (RAS),
        .RP     (RP),
        .RC     (RC),
        .RRD    (RRD),
        .CCD    (CCD),
        .CCDL   (CCDL),
        .RTW    (RTW),
        .WTR    (WTR),
        .RTP    (RTP),
        .WTP    (WTP)
    ) u_banks (
        .clk_i          (clk_i),
        .rst_i          (rst_i),
        .step_i         (step_i),
        .read_i         (valid_q && kind_q == READ),
        .write_i        (valid_q && kind_q == WRITE),
        .activate_i     (valid_q && kind_q == ACTIVATE),
        .precharge_i    (valid_q && kind_q == PRECHARGE),
        .cmd_oh_i       (cmd_oh_q),
        .cmd_row_i      (row),
        .ask_bank_i     (push_bank_i),
        .ask_row_i      (push_row_i),
        .ask_open_o     (put_hit),
        .open_o         (open),
        .may_read_o     (may_read),
        .may_write_o    (may_write),
        .may_activate_o (may_activate),
        .may_precharge_o(may_precharge),
        .rest_o         (rest)
    );

    assign push_ready_o = !full;
    assign cmd_valid_o  = valid_q;
    assign cmd_kind_o   = kind_q;
    assign cmd_bank_o   = cmd_bank & {BANK_W{valid_q}};
    assign cmd_row_o    = row & {ROW_W{valid_q && kind_q == ACTIVATE}};
    assign cmd_tag_o    = tag & {TAG_W{valid_q}};
    assign cmd_last_o   = last_q;
    assign late_o       = late;
    assign empty_o      = !any;
    assign idle_o       = !any && rest;

`ifdef CW_PROPERTIES
    function integer longer (input integer x, input integer y);
        longer = x > y ? x : y;
    endfunction

    localparam F_COLUMN  = longer(longer(RCD, CCDL), longer(longer(CCD, RTW), WTR));
    localparam F_OTHER   = longer(longer(longer(RAS, RTP), WTP), longer(longer(RC, RP), RRD));
    localparam F_LONGEST = longer(F_COLUMN, F_OTHER);

    localparam [QUEUE-1:0] F_FIRST = 1;

    localparam [31:0] F_LAST = F_LONGEST;
    localparam [31:0] F_CAP  = AGE_CAP;
    localparam [8:0]  F_MAX  = F_LAST[8:0];
    localparam [16:0] F_AGED = F_CAP[16:0];

    // One bank: to a prover any, in a run the first that is asked for after a reset. Its row, by the commands at the ports.
    wire [BANK_W-1:0] f_bank;
    reg               f_open_q;
    reg  [ROW_W-1:0]  f_row_q;
    // Command cycles since the last command of a kind, of the bank, of its group, or of any; no more than F_MAX.
    reg  [8:0]        f_bank_activate_q;
    reg  [8:0]        f_bank_precharge_q;
    reg  [8:0]        f_bank_read_q;
    reg  [8:0]        f_bank_write_q;
    reg  [8:0]        f_group_q;
    reg  [8:0]        f_activate_q;
    reg  [8:0]        f_read_q;
    reg  [8:0]        f_write_q;
    reg  [8:0]        f_any_q;
    // A request of the bank: how many are before it, what it is, its age, and the command cycles since its last command, or since it is
    // served alone. And how many there are.
    reg               f_watch_q;
    reg               f_fresh_q;  // it is not looked at yet
    reg  [6:0]        f_before_q;
    reg  [6:0]        f_place_q;
    reg               f_moves_q;  // it moves up in this cycle
    reg               f_is_write_q;
    reg  [ROW_W-1:0]  f_its_row_q;
    reg  [TAG_W-1:0]  f_tag_q;
    reg  [2:0]        f_bursts_q;
    reg  [16:0]       f_age_q;
    reg  [8:0]        f_waits_q;
    reg  [6:0]        f_cnt_q;
    reg               f_past_q = 1'b0;
    reg  [BANK_W+3:0] f_said_q;  // what was chosen in the last cycle; for the request; its tag and row
    reg               f_told_q;
    reg  [TAG_W-1:0]  f_told_tag_q;
    reg  [ROW_W-1:0]  f_told_row_q;

    wire              f_takes   = push_valid_i && push_ready_o;
    wire              f_watches = f_takes && !f_watch_q && push_bank_i == f_bank;
    wire              f_cmd     = give;
    wire              f_leaves  = give && is_last;
    wire              f_here    = |(cmd_oh & (BANK_0 << f_bank));
    wire              f_column  = is_column;
    reg  [BANK_W-1:0] f_cmd_bank;
    integer           fx;
    wire [QUEUE-1:0]  f_its_oh  = F_FIRST << f_place_q;
    wire              f_its     = f_watch_q && |(pick & f_its_oh);        // the command is for it
    wire              f_earlier = |(pick & (f_its_oh - F_FIRST));           // for one before it
    wire              f_hits    = f_open_q && f_row_q == f_its_row_q;
    wire [BANK_W-1:0] f_group   = {BANK_W{1'b1}} >> (BANK_W > GROUP_W ? BANK_W - GROUP_W : 0);  // bits of a group's number
    // what the times allow the bank
    wire              f_may_column    = f_bank_activate_q >= RCD && f_group_q >= CCDL && f_read_q >= CCD && f_write_q >= CCD;
    wire              f_may_read      = f_may_column && f_write_q >= WTR;
    wire              f_may_write     = f_may_column && f_read_q >= RTW;
    wire              f_may_activate  = f_bank_activate_q >= RC && f_bank_precharge_q >= RP && f_activate_q >= RRD;
    wire              f_may_precharge = f_bank_activate_q >= RAS && f_bank_read_q >= RTP && f_bank_write_q >= WTP;
    wire              f_may           = f_hits ? (f_is_write_q ? f_may_write : f_may_read) : f_open_q ? f_may_precharge : f_may_activate;

    cw_nonsynth_choice #(
        .W(BANK_W)
    ) u_f_bank (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (push_valid_i),
        .value_i (push_bank_i),
        .choice_o(f_bank)
    );

    always @* begin
        f_cmd_bank = {BANK_W{1'b0}};
        for (fx = 0; fx < BANKS; fx = fx + 1)
            f_cmd_bank = f_cmd_bank | (fx[BANK_W-1:0] & {BANK_W{cmd_oh[fx]}});
    end

    function [8:0] since (input [8:0] cycles, input is_now, input step);
        since = !step ? cycles : is_now ? 9'd1 : cycles == F_MAX ? F_MAX : cycles + 9'd1;
    endfunction

    always @(posedge clk_i) begin
        f_past_q           <= 1'b1;
        f_said_q           <= {(BANK_W+4){!rst_i && give}} & {1'b1, cmd_kind, f_cmd_bank, is_last};
        f_told_q           <= !rst_i && f_its && give;
        f_told_tag_q       <= f_tag_q;
        f_told_row_q       <= f_its_row_q & {ROW_W{cmd_kind == ACTIVATE}};
        f_open_q           <= !rst_i && (f_cmd && f_here && cmd_kind == ACTIVATE ? 1'b1
                                         : f_cmd && f_here && cmd_kind == PRECHARGE ? 1'b0 : f_open_q);
        f_bank_activate_q  <= rst_i ? F_MAX : since(f_bank_activate_q, f_cmd && f_here && cmd_kind == ACTIVATE, step_i);
        f_bank_precharge_q <= rst_i ? F_MAX : since(f_bank_precharge_q, f_cmd && f_here && cmd_kind == PRECHARGE, step_i);
        f_bank_read_q      <= rst_i ? F_MAX : since(f_bank_read_q, f_cmd && f_here && cmd_kind == READ, step_i);
        f_bank_write_q     <= rst_i ? F_MAX : since(f_bank_write_q, f_cmd && f_here && cmd_kind == WRITE, step_i);
        f_group_q          <= rst_i ? F_MAX : since(f_group_q, f_cmd && f_column && ((f_cmd_bank ^ f_bank) & f_group) == 0, step_i);
        f_activate_q       <= rst_i ? F_MAX : since(f_activate_q, f_cmd && cmd_kind == ACTIVATE, step_i);
        f_read_q           <= rst_i ? F_MAX : since(f_read_q, f_cmd && cmd_kind == READ, step_i);
        f_write_q          <= rst_i ? F_MAX : since(f_write_q, f_cmd && cmd_kind == WRITE, step_i);
        f_any_q            <= rst_i ? F_MAX : since(f_any_q, f_cmd, step_i);
        f_cnt_q            <= rst_i ? 7'd0 : f_cnt_q + {6'd0, f_takes} - {6'd0, f_leaves};
        f_fresh_q          <= f_watches;
        f_moves_q          <= !rst_i && f_leaves && (f_watches || f_earlier);
        f_place_q          <= f_watches ? f_cnt_q : f_place_q - {6'd0, f_moves_q};
        f_watch_q          <= !rst_i && (f_watches || (f_watch_q && !(f_its && f_leaves)));
        if (cmd_valid_o && cmd_bank_o == f_bank && cmd_kind_o == ACTIVATE)
            f_row_q <= cmd_row_o;
        if (f_watches) begin
            f_before_q   <= f_cnt_q - {6'd0, f_leaves};
            f_is_write_q <= push_write_i;
            f_its_row_q  <= push_row_i;
            f_tag_q      <= push_tag_i;
            f_bursts_q   <= push_bursts_i;
            f_age_q      <= 17'd0;
            f_waits_q    <= 9'd0;
        end else if (step_i) begin
            f_before_q <= f_before_q - {6'd0, f_leaves && f_earlier};
            f_bursts_q <= f_bursts_q - {2'd0, f_its && f_column};
            f_age_q    <= f_age_q == F_AGED ? F_AGED : f_age_q + 17'd1;
            f_waits_q  <= f_before_q != 7'd0 || f_age_q != F_AGED || f_its ? 9'd0 : f_waits_q + 9'd1;
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. A command is told in the next cycle, what is not said is 0, and the queue has its places.
            assert ({cmd_valid_o, cmd_kind_o, cmd_bank_o, cmd_last_o} == f_said_q && (f_column || !is_last));
            assert ((cmd_kind_o == ACTIVATE || cmd_row_o == {ROW_W{1'b0}}) && (cmd_valid_o || cmd_tag_o == {TAG_W{1'b0}}));
            assert (push_ready_o == (f_cnt_q < QUEUE) && empty_o == (f_cnt_q == 7'd0));
            assert (idle_o == (f_cnt_q == 7'd0 && f_any_q == F_MAX));
            cover (f_cnt_q == QUEUE && f_leaves);
            cover (idle_o && f_open_q);
            // 2. A row is opened in a closed bank; an open one is closed, read or written.
            assert (!(cmd_valid && f_here) || f_open_q == (cmd_kind != ACTIVATE));
            cover (f_cmd && f_here && cmd_kind == PRECHARGE);
            // 3. A request has the commands that it needs, for its own row, under its tag, and each of its bursts once.
            assert (!f_its || (f_here && f_column == f_hits));
            assert (!f_its || !f_hits || (cmd_kind == (f_is_write_q ? WRITE : READ) && is_last == (f_bursts_q == 3'd0)));
            assert (!f_told_q || (cmd_tag_o == f_told_tag_q && cmd_row_o == f_told_row_q));
            cover (f_its && f_leaves && f_bursts_q == 3'd0 && f_before_q != 7'd0);
            // 4. No command is too early for its bank.
            assert (!(cmd_valid && f_here) || cmd_kind != ACTIVATE || f_may_activate);
            assert (!(cmd_valid && f_here) || cmd_kind != PRECHARGE || f_may_precharge);
            assert (!(cmd_valid && f_here) || !f_column || f_bank_activate_q >= RCD);
            cover (f_cmd && f_here && cmd_kind == ACTIVATE && f_bank_precharge_q == RP);
            // 5. No command is too early for the channel: bursts do not meet on the data bus, and it has time to turn around.
            assert (!cmd_valid || cmd_kind != ACTIVATE || f_activate_q >= RRD);
            assert (!cmd_valid || !f_column || (f_read_q >= CCD && f_write_q >= CCD && (!f_here || f_group_q >= CCDL)));
            assert (!cmd_valid || cmd_kind != READ || f_write_q >= WTR);
            assert (!cmd_valid || cmd_kind != WRITE || f_read_q >= RTW);
            cover (f_cmd && cmd_kind == READ && f_write_q == WTR);
            cover (f_cmd && cmd_kind == WRITE && f_read_q == RTW);
            // 6. The oldest request has its READ or WRITE as soon as it is allowed, and its ACTIVATE unless another one has READ or WRITE.
            assert (!(f_watch_q && !f_fresh_q && f_before_q == 7'd0 && f_may) || f_its || !(f_hits || late_o || !f_open_q) ||
                    (cmd_valid && f_column && !f_hits && !late_o));
            cover (f_watch_q && f_before_q == 7'd0 && f_may && f_cmd && !f_its);
            // 7. It is late from its age cap on, and served alone; then it waits for nothing but a time.
            assert (!(f_watch_q && f_before_q == 7'd0) || late_o == (f_age_q == F_AGED));
            assert (!late_o || !f_its || f_before_q == 7'd0);
            assert (!f_watch_q || f_waits_q < F_MAX);
            cover (f_watch_q && late_o && f_its && cmd_kind == PRECHARGE);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

    generate
        if (QUEUE < 1 || QUEUE > 64) begin : g_bad_queue
            cw_error_dram_scheduler_queue_must_be_1_to_64 u_error ();
        end
        if (BANK_W < 1 || BANK_W > 6) begin : g_bad_bank_w
            cw_error_dram_scheduler_bank_w_must_be_1_to_6 u_error ();
        end
        if (GROUP_W < 1 || GROUP_W > 4) begin : g_bad_group_w
            cw_error_dram_scheduler_group_w_must_be_1_to_4 u_error ();
        end
        if (ROW_W < 1 || ROW_W > 32) begin : g_bad_row_w
            cw_error_dram_scheduler_row_w_must_be_1_to_32 u_error ();
        end
        if (TAG_W < 1 || TAG_W > 8) begin : g_bad_tag_w
            cw_error_dram_scheduler_tag_w_must_be_1_to_8 u_error ();
        end
        if (RCD < 4 || RCD > 255) begin : g_bad_rcd
            cw_error_dram_scheduler_rcd_must_be_4_to_255 u_error ();
        end
        if (RAS < 4 || RAS > 255) begin : g_bad_ras
            cw_error_dram_scheduler_ras_must_be_4_to_255 u_error ();
        end
        if (RP < 1 || RP > 255) begin : g_bad_rp
            cw_error_dram_scheduler_rp_must_be_1_to_255 u_error ();
        end
        if (RC < 1 || RC > 255) begin : g_bad_rc
            cw_error_dram_scheduler_rc_must_be_1_to_255 u_error ();
        end
        if (RRD < 1 || RRD > 255) begin : g_bad_rrd
            cw_error_dram_scheduler_rrd_must_be_1_to_255 u_error ();
        end
        if (CCD < 1 || CCD > 255) begin : g_bad_ccd
            cw_error_dram_scheduler_ccd_must_be_1_to_255 u_error ();
        end
        if (CCDL < 2 || CCDL > 255) begin : g_bad_ccdl
            cw_error_dram_scheduler_ccdl_must_be_2_to_255 u_error ();
        end
        if (RTW < 1 || RTW > 255) begin : g_bad_rtw
            cw_error_dram_scheduler_rtw_must_be_1_to_255 u_error ();
        end
        if (WTR < 1 || WTR > 255) begin : g_bad_wtr
            cw_error_dram_scheduler_wtr_must_be_1_to_255 u_error ();
        end
        if (RTP < 2 || RTP > 255) begin : g_bad_rtp
            cw_error_dram_scheduler_rtp_must_be_2_to_255 u_error ();
        end
        if (WTP < 2 || WTP > 255) begin : g_bad_wtp
            cw_error_dram_scheduler_wtp_must_be_2_to_255 u_error ();
        end
        if (AGE_CAP < 1 || AGE_CAP > 65535) begin : g_bad_age_cap
            cw_error_dram_scheduler_age_cap_must_be_1_to_65535 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
