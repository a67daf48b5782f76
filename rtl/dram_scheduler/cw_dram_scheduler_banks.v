// SPDX-License-Identifier: Apache-2.0
//
// cw_dram_scheduler_banks: the banks of a DRAM channel: open rows, and which commands their times allow.
//
// Why         : the scheduler has to know in each cycle, of each bank, what it may be given now.
// How         : timers for each bank, for each bank group and for the channel; a command sets those of what it delays. It comes a cycle after
//               it was chosen, and counts at once, but that rows are compared with the new one from the next cycle on.
// Latency     : none.
// Throughput  : a command per cycle.
// Storage     : per bank a row, and three timers; one for each group; three for the channel.
// Illegal use : more than one command; more than one bank in cmd_oh_i.
//
// Paper: none. It is a part of cw_dram_scheduler. Contract: include/cowarp/unit/dram_scheduler.h. C model: csim/unit/dram_scheduler.c.

`default_nettype none

module cw_dram_scheduler_banks #(
    parameter BANK_W  = 4,
    parameter GROUP_W = 2,
    parameter ROW_W   = 24,
    parameter BANKS   = 16,  // 2^BANK_W
    parameter RCD     = 12,
    parameter RAS     = 28,
    parameter RP      = 12,
    parameter RC      = 40,
    parameter RRD     = 6,
    parameter CCD     = 2,
    parameter CCDL    = 3,
    parameter RTW     = 12,
    parameter WTR     = 11,
    parameter RTP     = 2,
    parameter WTP     = 18
) (
    input  wire              clk_i,
    input  wire              rst_i,
    input  wire              step_i,
    // the command of the last cycle, its bank, and the row that an activate opens
    input  wire              read_i,
    input  wire              write_i,
    input  wire              activate_i,
    input  wire              precharge_i,
    input  wire [BANKS-1:0]  cmd_oh_i,
    input  wire [ROW_W-1:0]  cmd_row_i,
    // whether that row is open
    input  wire [BANK_W-1:0] ask_bank_i,
    input  wire [ROW_W-1:0]  ask_row_i,
    output wire              ask_open_o,
    // of each bank: it has an open row; what it may be given
    output wire [BANKS-1:0]  open_o,
    output wire [BANKS-1:0]  may_read_o,
    output wire [BANKS-1:0]  may_write_o,
    output wire [BANKS-1:0]  may_activate_o,
    output wire [BANKS-1:0]  may_precharge_o,
    // the longest time is over since the last command
    output wire              rest_o
);

    function integer longer (input integer x, input integer y);
        longer = x > y ? x : y;
    endfunction

    localparam GROUP_BITS = GROUP_W < BANK_W ? GROUP_W : BANK_W;
    localparam GROUPS     = 1 << GROUP_BITS;
    localparam CCD_WTR    = longer(CCD, WTR);
    localparam CCD_RTW    = longer(CCD, RTW);
    localparam LONGEST    = longer(longer(longer(RCD, RAS), longer(RP, RC)),
                                   longer(longer(longer(RRD, CCD), longer(CCDL, RTW)), longer(WTR, longer(RTP, WTP))));

    reg  [BANKS-1:0]       open_q;
    wire [BANKS*ROW_W-1:0] rows;
    wire [BANKS-1:0]       activate_ok;
    wire [BANKS-1:0]       column_ok;
    wire [BANKS-1:0]       precharge_ok;
    wire [BANKS-1:0]       group_ok;    // of the bank's group
    wire [GROUPS-1:0]      groups_ok;
    wire                   channel_read_ok;
    wire                   channel_write_ok;
    wire                   channel_activate_ok;
    wire                   column = read_i || write_i;
    wire [BANKS-1:0]       open = (open_q | (cmd_oh_i & {BANKS{activate_i}})) & ~(cmd_oh_i & {BANKS{precharge_i}});

    always @(posedge clk_i)
        open_q <= rst_i ? {BANKS{1'b0}} : open;

    cw_dram_scheduler_timer #(.TIME_A(CCD), .TIME_B(CCD_WTR)) u_read (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .step_i   (step_i),
        .event_a_i(read_i),
        .event_b_i(write_i),
        .event_c_i(1'b0),
        .ready_o  (channel_read_ok)
    );
    cw_dram_scheduler_timer #(.TIME_A(CCD_RTW), .TIME_B(CCD)) u_write (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .step_i   (step_i),
        .event_a_i(read_i),
        .event_b_i(write_i),
        .event_c_i(1'b0),
        .ready_o  (channel_write_ok)
    );
    cw_dram_scheduler_timer #(.TIME_A(RRD)) u_activate (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .step_i   (step_i),
        .event_a_i(activate_i),
        .event_b_i(1'b0),
        .event_c_i(1'b0),
        .ready_o  (channel_activate_ok)
    );
    cw_dram_scheduler_timer #(.TIME_A(LONGEST)) u_rest (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .step_i   (step_i),
        .event_a_i(column || activate_i || precharge_i),
        .event_b_i(1'b0),
        .event_c_i(1'b0),
        .ready_o  (rest_o)
    );

    genvar b;
    genvar g;
    generate
        for (g = 0; g < GROUPS; g = g + 1) begin : g_group
            wire [BANKS-1:0] mine;

            for (b = 0; b < BANKS; b = b + 1) begin : g_mine
                assign mine[b] = b % GROUPS == g;
            end

            cw_dram_scheduler_timer #(.TIME_A(CCDL)) u_column (
                .clk_i    (clk_i),
                .rst_i    (rst_i),
                .step_i   (step_i),
                .event_a_i(column && |(cmd_oh_i & mine)),
                .event_b_i(1'b0),
                .event_c_i(1'b0),
                .ready_o  (groups_ok[g])
            );
        end
        for (b = 0; b < BANKS; b = b + 1) begin : g_bank
            reg [ROW_W-1:0] row_q;

            always @(posedge clk_i)
                if (activate_i && cmd_oh_i[b])
                    row_q <= cmd_row_i;

            assign rows[b*ROW_W +: ROW_W] = row_q;
            assign group_ok[b] = groups_ok[b % GROUPS];

            cw_dram_scheduler_timer #(.TIME_A(RC), .TIME_B(RP)) u_activate (
                .clk_i    (clk_i),
                .rst_i    (rst_i),
                .step_i   (step_i),
                .event_a_i(activate_i && cmd_oh_i[b]),
                .event_b_i(precharge_i && cmd_oh_i[b]),
                .event_c_i(1'b0),
                .ready_o  (activate_ok[b])
            );
            cw_dram_scheduler_timer #(.TIME_A(RCD)) u_column (
                .clk_i    (clk_i),
                .rst_i    (rst_i),
                .step_i   (step_i),
                .event_a_i(activate_i && cmd_oh_i[b]),
                .event_b_i(1'b0),
                .event_c_i(1'b0),
                .ready_o  (column_ok[b])
            );
            cw_dram_scheduler_timer #(.TIME_A(RAS), .TIME_B(RTP), .TIME_C(WTP)) u_precharge (
                .clk_i    (clk_i),
                .rst_i    (rst_i),
                .step_i   (step_i),
                .event_a_i(activate_i && cmd_oh_i[b]),
                .event_b_i(read_i && cmd_oh_i[b]),
                .event_c_i(write_i && cmd_oh_i[b]),
                .ready_o  (precharge_ok[b])
            );
        end
    endgenerate

    assign ask_open_o      = open_q[ask_bank_i] && rows[ask_bank_i*ROW_W +: ROW_W] == ask_row_i;
    assign open_o          = open;
    assign may_read_o      = open & column_ok & group_ok & {BANKS{channel_read_ok}};
    assign may_write_o     = open & column_ok & group_ok & {BANKS{channel_write_ok}};
    assign may_activate_o  = ~open & activate_ok & {BANKS{channel_activate_ok}};
    assign may_precharge_o = open & precharge_ok;

endmodule

`default_nettype wire
