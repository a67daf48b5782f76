// SPDX-License-Identifier: Apache-2.0
// C models of hardware units in a SystemVerilog bench: a reference beside a design, or in its place. The functions are those of cowarp_dpi.c, over
// libcowarp. Ports have the names of include/cowarp/unit/<unit>.h, without _i and _o. A cycle is: set inputs, eval, get outputs, tick at the edge.
package cowarp_units;

    // "priority_encoder", "WIDTH=8 ..."; what is wrong is told, and ends the simulation.
    import "DPI-C" function chandle cowarp_dpi_open(input string unit, input string params);
    import "DPI-C" function void cowarp_dpi_close(input chandle unit);
    // The number of a port; -1: there is none of that name, which is told.
    import "DPI-C" function int cowarp_dpi_port(input chandle unit, input string name);
    // Bits 64 * part and up of a port. A value that the port has not the bits for is told.
    import "DPI-C" function void cowarp_dpi_set(input chandle unit, input int port, input int part, input longint unsigned value);
    import "DPI-C" function longint unsigned cowarp_dpi_get(input chandle unit, input int port, input int part);
    import "DPI-C" function void cowarp_dpi_eval(input chandle unit);
    import "DPI-C" function void cowarp_dpi_tick(input chandle unit);
    import "DPI-C" function void cowarp_dpi_reset(input chandle unit);

endpackage
