// SPDX-License-Identifier: Apache-2.0
//
// cw_crossbar_port: which input of a crossbar has an output next, and the room of the buffer behind it.
//
// Why         : many cores send to one memory partition, which takes a flit per cycle; a packet that has begun must find room for its end.
// How         : round-robin by a mask of the inputs behind the last one, packets hold the port, credits count flits.
// Stages      : 0 whose turn it is, beside it which packets have room; 1 grant, the packet passes; latency - 1 later it has arrived.
// Latency     : 1 cycle to the grant.
// Throughput  : one packet per cycle, one flit per cycle.
// Comb. paths : none from input to output. Longest: freed -> room -> who has room -> grant -> behind.
// Storage     : a bit per input, a bit per cycle of latency, in flip-flops.
// Illegal use : none.
//
// Paper: Dally and Towles, Principles and Practices of Interconnection Networks, 2004. Contract: include/cowarp/unit/crossbar_port.h.
// C model: csim/unit/crossbar_port.c. Datasheet: docs/units/crossbar_port.md.

`default_nettype none

module cw_crossbar_port #(
    parameter INPUTS    = 15,  // 1 .. 256
    parameter OUT_FLITS = 64,  // 1 .. 4096
    parameter LATENCY   = 5    // 1 .. 255
) (
    input  wire          clk_i,
    input  wire          rst_i,
    // who asks for the port
    input  wire [255:0]  request_i,
    input  wire [1279:0] request_flits_i,
    // who has it, a cycle later
    output wire          grant_valid_o,
    output wire [7:0]    grant_input_o,
    // the buffer
    output wire          arrive_o,
    input  wire [12:0]   freed_i,
    output wire [12:0]   used_o,
    // status
    output wire          idle_o
);

    localparam USED_W = OUT_FLITS < 32 ? 6 : $clog2(OUT_FLITS + 1);

    localparam [31:0] PLACES = OUT_FLITS;

    function [INPUTS-1:0] from (input [INPUTS-1:0] of);  // in a tree, since a carry would be too slow
        integer step;
        begin
            from = of;
            for (step = 1; step < INPUTS; step = step * 2)
                from = from | (from << step);
        end
    endfunction

    // State
    reg  [INPUTS-1:0] behind_q;  // inputs behind the one that was granted before the last cycle
    reg               valid_q;   // one was granted in the last cycle:
    reg  [INPUTS-1:0] turn_q;    // that whose turn it was
    reg  [INPUTS-1:0] next_q;    // inputs behind it
    reg  [4:0]        length_q;  // flits of its packet, less one
    reg  [4:0]        left_q;    // flits of the packet before it, from this cycle on
    reg  [USED_W-1:0] used_q;    // flits, without that packet

    // Whose turn it is: of those behind the last one, or else of all
    wire [INPUTS-1:0] request     = request_i[INPUTS-1:0];
    wire [INPUTS-1:0] behind      = valid_q ? next_q : behind_q;
    wire              any_behind  = |(request & behind);
    wire [INPUTS-1:0] from_behind = from(request & behind);
    wire [INPUTS-1:0] from_first  = from(request);
    wire [INPUTS-1:0] turn_behind = from_behind & ~(from_behind << 1);
    wire [INPUTS-1:0] turn_first  = from_first & ~(from_first << 1);

    // Which packets have room. One that was granted in the last cycle is counted if it is of one flit; else the port is not free.
    wire              is_one      = length_q == 5'd0;
    wire              is_free     = valid_q ? is_one : left_q <= 5'd1;
    wire [USED_W:0]   room_before = PLACES[USED_W:0] - {1'b0, used_q} - {{USED_W{1'b0}}, valid_q && is_one};
    wire [13:0]       room        = {{(13-USED_W){1'b0}}, room_before} + {1'b0, freed_i};
    wire [INPUTS-1:0] has_room;
    wire              grant       = is_free && (any_behind ? |(turn_behind & has_room) : |(turn_first & has_room));

    // The packet that passes, and the flits that have room
    wire              is_last     = valid_q ? is_one : left_q == 5'd1;  // its last flit
    wire [5:0]        last_cnt    = {1'b0, length_q} + 6'd1;
    wire [USED_W-1:0] used        = used_q + ({{(USED_W-6){1'b0}}, last_cnt} & {USED_W{valid_q}});
    wire              all_freed   = freed_i >= used_o;

    reg  [4:0]        length_behind;
    reg  [4:0]        length_first;
    reg  [7:0]        grant_input;
    integer           i;
    integer           g;

    always @* begin
        length_behind = 5'd0;
        length_first  = 5'd0;
        for (i = 0; i < INPUTS; i = i + 1) begin
            length_behind = length_behind | (request_flits_i[5*i +: 5] & {5{turn_behind[i]}});
            length_first  = length_first | (request_flits_i[5*i +: 5] & {5{turn_first[i]}});
        end
    end

    always @* begin
        grant_input = 8'd0;
        for (g = 0; g < INPUTS; g = g + 1)
            grant_input = grant_input | (g[7:0] & {8{valid_q && turn_q[g]}});
    end

    always @(posedge clk_i) begin
        behind_q <= rst_i ? {INPUTS{1'b0}} : behind;
        valid_q  <= grant && !rst_i;
        turn_q   <= any_behind ? turn_behind : turn_first;
        next_q   <= (any_behind ? from_behind : from_first) << 1;
        length_q <= any_behind ? length_behind : length_first;
        left_q   <= rst_i ? 5'd0 : valid_q ? length_q : left_q - {4'd0, left_q != 5'd0};
        used_q   <= rst_i || all_freed ? {USED_W{1'b0}} : used - freed_i[USED_W-1:0];
    end

    genvar v;
    generate
        for (v = 0; v < INPUTS; v = v + 1) begin : g_input
            assign has_room[v] = room > {9'd0, request_flits_i[5*v +: 5]} && PLACES > {27'd0, request_flits_i[5*v +: 5]};
        end
        for (v = 0; v < 13; v = v + 1) begin : g_used
            if (v < USED_W) begin : g_bit
                assign used_o[v] = used[v];
            end else begin : g_zero
                assign used_o[v] = 1'b0;
            end
        end
        if (INPUTS < 256) begin : g_less_than_all
            wire unused = &{1'b0, request_i[255:INPUTS], request_flits_i[1279:5*INPUTS]};
        end
        // Packets whose last flit has left its input
        if (LATENCY == 1) begin : g_at_once
            assign arrive_o = is_last;
            assign idle_o   = !valid_q && left_q == 5'd0;
        end else begin : g_line
            reg  [LATENCY-2:0] line_q;
            wire [LATENCY-1:0] line = {line_q, is_last};
            always @(posedge clk_i)
                line_q <= rst_i ? {(LATENCY-1){1'b0}} : line[LATENCY-2:0];
            assign arrive_o = line[LATENCY-1];
            assign idle_o   = !valid_q && left_q == 5'd0 && line_q == {(LATENCY-1){1'b0}};
        end
    endgenerate

    assign grant_valid_o = valid_q;
    assign grant_input_o = grant_input;

`ifdef CW_PROPERTIES
    localparam [31:0] F_PLACES = OUT_FLITS;
    localparam [31:0] F_INPUTS = INPUTS;
    localparam [31:0] F_LINE   = LATENCY;

    localparam [INPUTS-1:0] F_FIRST = 1;

    // By the ports: who was granted last, for how long it passes, and what is on its way
    reg              f_past_q = 1'b0;
    reg  [7:0]       f_last_q;     // before the cycle that has ended
    reg  [7:0]       f_turn_q;     // whose turn it was in that cycle
    reg  [5:0]       f_flits_q;    // of its packet; 0: nobody requested
    reg              f_could_q;    // it had to be granted
    reg  [5:0]       f_passes_q;   // cycles in which the port is not free yet
    reg  [12:0]      f_used_q;     // flits, without those of the grant that is told
    reg  [9:0]       f_way_q;      // packets, without that one
    // An input: to a prover any, in a run the first that is granted. Its packet on the way, and how often others passed it
    wire [7:0]       f_input;
    reg              f_asks_q;     // it requested
    reg              f_watch_q;
    reg  [8:0]       f_wait_q;     // cycles until its packet has arrived
    reg  [9:0]       f_ahead_q;    // packets that arrive before it
    reg  [8:0]       f_passed_q;

    reg  [7:0]       f_turn;
    reg              f_found;
    reg  [4:0]       f_length;
    integer          fx;

    wire [7:0]       f_last   = grant_valid_o ? grant_input_o : f_last_q;
    wire [5:0]       f_n      = grant_valid_o ? f_flits_q : 6'd0;  // flits of the grant that is told
    wire [12:0]      f_used   = f_used_q + {7'd0, f_n};
    wire [12:0]      f_rest   = freed_i < f_used ? f_used - freed_i : 13'd0;
    wire [5:0]       f_passes = grant_valid_o ? f_flits_q - 6'd1 : f_passes_q;  // after this cycle
    wire [9:0]       f_way    = f_way_q + {9'd0, grant_valid_o};
    wire             f_starts = grant_valid_o && grant_input_o == f_input && !f_watch_q;
    wire [8:0]       f_wait   = f_starts ? {3'd0, f_flits_q} + F_LINE[8:0] - 9'd2 : f_wait_q;
    wire [9:0]       f_ahead  = f_starts ? f_way_q : f_ahead_q;
    wire             f_due    = (f_starts || f_watch_q) && f_wait == 9'd0;

    cw_nonsynth_choice #(
        .W(8)
    ) u_f_input (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (grant_valid_o),
        .value_i (grant_input_o),
        .choice_o(f_input)
    );

    always @* begin
        f_found = 1'b0;
        f_turn  = 8'd0;
        for (fx = INPUTS - 1; fx >= 0; fx = fx - 1)
            if (request_i[fx] && fx > {24'd0, f_last}) begin
                f_found = 1'b1;
                f_turn  = fx[7:0];
            end
        for (fx = INPUTS - 1; fx >= 0; fx = fx - 1)
            if (request_i[fx] && !f_found)
                f_turn = fx[7:0];
        f_length = 5'd0;
        for (fx = 0; fx < INPUTS; fx = fx + 1)
            if (fx == {24'd0, f_turn})
                f_length = request_flits_i[5*fx +: 5];
    end

    always @(posedge clk_i) begin
        f_past_q   <= 1'b1;
        f_last_q   <= rst_i ? F_INPUTS[7:0] - 8'd1 : f_last;
        f_turn_q   <= f_turn;
        f_flits_q  <= |request ? {1'b0, f_length} + 6'd1 : 6'd0;
        f_could_q  <= !rst_i && |request && f_passes == 6'd0 && {1'b0, f_rest} + {9'd0, f_length} < F_PLACES[13:0];
        f_passes_q <= rst_i || f_passes == 6'd0 ? 6'd0 : f_passes - 6'd1;
        f_used_q   <= rst_i ? 13'd0 : f_rest;
        f_way_q    <= rst_i ? 10'd0 : f_way - {9'd0, arrive_o};
        f_asks_q   <= !rst_i && |(request & (F_FIRST << f_input));
        f_watch_q  <= !rst_i && (f_starts || f_watch_q) && !f_due;
        f_wait_q   <= f_wait - 9'd1;
        f_ahead_q  <= f_ahead - {9'd0, arrive_o};
        if (rst_i || !f_asks_q || (grant_valid_o && grant_input_o == f_input))
            f_passed_q <= 9'd0;
        else
            f_passed_q <= f_passed_q + {8'd0, grant_valid_o};
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. The input whose turn it was is granted, and no other.
            assert (!grant_valid_o || (f_flits_q != 6'd0 && grant_input_o == f_turn_q));
            assert (grant_valid_o || grant_input_o == 8'd0);
            cover (grant_valid_o && f_last_q > grant_input_o && f_asks_q);
            // 2. It is granted as soon as, and not before, the port is free and its packet has room.
            assert (grant_valid_o == f_could_q);
            cover (grant_valid_o && f_used == F_PLACES[12:0]);
            // 3. Flits have the room that was given to them until they are freed, and never more than there is.
            assert (used_o == f_used);
            assert (used_o <= F_PLACES[12:0]);
            cover (freed_i != 13'd0 && freed_i == used_o && grant_valid_o);
            // 4. A packet arrives when its last flit has passed and crossed, each once, in the order of the grants.
            assert (!(f_starts || f_watch_q) || f_due == (arrive_o && f_ahead == 10'd0));
            assert (!arrive_o || f_way != 10'd0);
            cover (f_due && f_way > 10'd1);
            // 5. While the unit is idle nothing passes or is on its way.
            assert (idle_o == (f_way == 10'd0));
            cover (idle_o && used_o != 13'd0 && f_asks_q);
            // 6. An input that keeps requesting is passed by each other one once at the most.
            assert (f_input >= F_INPUTS[7:0] || f_passed_q < F_INPUTS[8:0]);
            cover (f_passed_q == F_INPUTS[8:0] - 9'd1 && grant_valid_o && grant_input_o == f_input);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

    generate
        if (INPUTS < 1 || INPUTS > 256) begin : g_bad_inputs
            cw_error_crossbar_port_inputs_must_be_1_to_256 u_error ();
        end
        if (OUT_FLITS < 1 || OUT_FLITS > 4096) begin : g_bad_out_flits
            cw_error_crossbar_port_out_flits_must_be_1_to_4096 u_error ();
        end
        if (LATENCY < 1 || LATENCY > 255) begin : g_bad_latency
            cw_error_crossbar_port_latency_must_be_1_to_255 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
