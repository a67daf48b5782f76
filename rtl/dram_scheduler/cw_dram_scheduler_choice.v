// SPDX-License-Identifier: Apache-2.0
//
// cw_dram_scheduler_choice: which of the candidates of all banks has the command.
//
// Why         : a bank knows what it may be given, and only all of them together which request that would be the oldest.
// How         : FR-FCFS. Of the candidates that are allowed the oldest with a column command is taken, or else the oldest. When the oldest
//               request is late, nobody else is asked.
// Latency     : none: it is stage 2 of cw_dram_scheduler, and has no register.
// Throughput  : a choice per cycle.
// Comb. paths : from each input to each output.
// Storage     : none.
// Illegal use : a candidate of a free place.
//
// Paper: Rixner et al., ISCA 2000, section 4. Contract: include/cowarp/unit/dram_scheduler.h. C model: csim/unit/dram_scheduler.c.

`default_nettype none

module cw_dram_scheduler_choice #(
    parameter QUEUE = 32,
    parameter BANKS = 16
) (
    // requests, the oldest one first
    input  wire [QUEUE-1:0]        write_i,
    input  wire [QUEUE-1:0]        last_i,    // one burst is left
    input  wire [QUEUE-1:0]        oldest_i,  // the place of the oldest one
    input  wire                    late_i,    // that one is
    // of each bank: its requests, the oldest that hits, the oldest, whether one hits
    input  wire [BANKS*QUEUE-1:0]  mine_i,
    input  wire [BANKS*QUEUE-1:0]  first_i,
    input  wire [BANKS*QUEUE-1:0]  head_i,
    input  wire [BANKS-1:0]        hits_i,
    // it has an open row; what it may be given
    input  wire [BANKS-1:0]        open_i,
    input  wire [BANKS-1:0]        may_read_i,
    input  wire [BANKS-1:0]        may_write_i,
    input  wire [BANKS-1:0]        may_activate_i,
    input  wire [BANKS-1:0]        may_precharge_i,
    // who has the command; it is READ or WRITE, for the last burst
    output wire [QUEUE-1:0]        pick_o,
    output wire                    is_column_o,
    output wire                    is_last_o,
    // the command, and its bank
    output wire                    cmd_valid_o,
    output wire [1:0]              cmd_kind_o,
    output wire [BANKS-1:0]        cmd_oh_o
);

    localparam [1:0] READ = 2'd0, WRITE = 2'd1, ACTIVATE = 2'd2, PRECHARGE = 2'd3;

    // Of each bank: its candidate's READ or WRITE, or what else it needs, if that is allowed
    wire [BANKS*QUEUE-1:0]  column;
    wire [BANKS*QUEUE-1:0]  other;

    // Of all banks
    reg  [QUEUE-1:0]        at_open;  // requests of banks with an open row
    reg  [QUEUE-1:0]        all_columns;
    reg  [QUEUE-1:0]        all_others;

    wire [QUEUE-1:0]        columns     = late_i ? all_columns & oldest_i : all_columns;
    wire [QUEUE-1:0]        others      = late_i ? all_others & oldest_i : all_others;
    wire                    is_column   = |columns;
    wire [QUEUE-1:0]        from_column = from(columns);  // places from the oldest one on
    wire [QUEUE-1:0]        from_other  = from(others);
    wire [QUEUE-1:0]        pick_column = from_column & ~(from_column << 1);
    wire [QUEUE-1:0]        pick_other  = from_other & ~(from_other << 1);
    wire [QUEUE-1:0]        pick        = is_column ? pick_column : pick_other;
    wire                    is_write    = |(pick_column & write_i);
    wire                    is_open     = |(pick_other & at_open);

    integer                 m;

    function [QUEUE-1:0] from (input [QUEUE-1:0] of);  // in a tree, since a carry would be too slow
        integer step;
        begin
            from = of;
            for (step = 1; step < QUEUE; step = step * 2)
                from = from | (from << step);
        end
    endfunction

    always @* begin
        at_open     = {QUEUE{1'b0}};
        all_columns = {QUEUE{1'b0}};
        all_others  = {QUEUE{1'b0}};
        for (m = 0; m < BANKS; m = m + 1) begin
            at_open     = at_open | (mine_i[m*QUEUE +: QUEUE] & {QUEUE{open_i[m]}});
            all_columns = all_columns | column[m*QUEUE +: QUEUE];
            all_others  = all_others | other[m*QUEUE +: QUEUE];
        end
    end

    genvar b;
    generate
        for (b = 0; b < BANKS; b = b + 1) begin : g_bank
            wire [QUEUE-1:0] first = first_i[b*QUEUE +: QUEUE];
            // served alone, a request closes a row that another one hits
            wire             no_hit = late_i ? (first & oldest_i) == {QUEUE{1'b0}} : !hits_i[b];

            assign column[b*QUEUE +: QUEUE] = first & ((write_i & {QUEUE{may_write_i[b]}}) | (~write_i & {QUEUE{may_read_i[b]}}));
            assign other[b*QUEUE +: QUEUE]  = head_i[b*QUEUE +: QUEUE] &
                                              {QUEUE{may_activate_i[b] || (may_precharge_i[b] && no_hit)}};
            assign cmd_oh_o[b]              = |(pick & mine_i[b*QUEUE +: QUEUE]);
        end
    endgenerate

    assign pick_o      = pick;
    assign is_column_o = is_column;
    assign is_last_o   = |(pick_column & last_i);
    assign cmd_valid_o = is_column || |others;
    assign cmd_kind_o  = is_column ? (is_write ? WRITE : READ) : is_open ? PRECHARGE : ACTIVATE;

endmodule

`default_nettype wire
