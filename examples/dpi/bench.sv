// SPDX-License-Identifier: Apache-2.0
// The priority encoder's Verilog beside its C model: random vectors, all outputs compared in each cycle. +broken gives the design other vectors, so
// that one sees the bench notice.
//
//     $ verilator --binary --timing --default-language 1800-2017 --top-module bench -CFLAGS "-I$COWARP/include" -LDFLAGS "-L$COWARP/lib -lcowarp" \
//         cowarp_units.sv bench.sv cw_priority_encoder.v cowarp_dpi.c    # or -lcowarp_dpi, which is in the build tree
module bench;
    import cowarp_units::*;

    localparam WIDTH = 12;
    localparam CYCLES = 5000;

    reg clk = 0, rst = 1, in_valid = 0, broken = 0;
    reg [WIDTH-1:0] in_vector = 0;
    wire none;
    wire [5:0] index;
    wire [WIDTH-1:0] rest;

    cw_priority_encoder #(.WIDTH(WIDTH)) u_design (
        .clk_i(clk), .rst_i(rst), .in_valid_i(in_valid), .in_vector_i(broken && in_vector[3:0] == 0 ? in_vector << 1 : in_vector),
        .none_o(none), .index_o(index), .rest_o(rest));

    chandle model;
    int p_valid, p_vector, p_none, p_index, p_rest, wrong = 0, met = 0;

    task automatic compare(input int cycle);
        cowarp_dpi_eval(model);
        if (64'(none) != cowarp_dpi_get(model, p_none, 0) || 64'(index) != cowarp_dpi_get(model, p_index, 0) ||
            64'(rest) != cowarp_dpi_get(model, p_rest, 0)) begin
            if (wrong == 0)
                $display("cycle %0d: the design says %b %0d %b, the model %b %0d %b", cycle, none, index, rest, cowarp_dpi_get(model, p_none, 0) != 0,
                         cowarp_dpi_get(model, p_index, 0), WIDTH'(cowarp_dpi_get(model, p_rest, 0)));
            wrong++;
        end
        met += index != 0 ? 1 : 0;
    endtask

    initial begin
        broken = $test$plusargs("broken") != 0;
        model = cowarp_dpi_open("priority_encoder", $sformatf("WIDTH=%0d", WIDTH));
        p_valid = cowarp_dpi_port(model, "in_valid");
        p_vector = cowarp_dpi_port(model, "in_vector");
        p_none = cowarp_dpi_port(model, "none");
        p_index = cowarp_dpi_port(model, "index");
        p_rest = cowarp_dpi_port(model, "rest");
        #1 clk = 1;
        #1 clk = 0;
        rst = 0;
        cowarp_dpi_reset(model);
        for (int cycle = 0; cycle < CYCLES; cycle++) begin
            in_valid = $urandom_range(3) != 0;
            in_vector = WIDTH'($urandom) & WIDTH'($urandom);
            #1;
            cowarp_dpi_set(model, p_valid, 0, 64'(in_valid));
            cowarp_dpi_set(model, p_vector, 0, 64'(in_vector));
            compare(cycle);
            cowarp_dpi_tick(model);
            clk = 1;
            #1 clk = 0;
        end
        cowarp_dpi_close(model);
        $display("%0d cycles, %0d with a bit beyond the lowest place, %0d wrong", CYCLES, met, wrong);
        if (wrong != 0 || met == 0)
            $fatal(1, "design and model differ");
        $finish;
    end
endmodule
