# SPDX-License-Identifier: Apache-2.0
# The cowarp command with the tracer, which docs/adding-a-mechanism.md makes, and with all of this folder.
cw_add_mechanism_program(cowarp_tracer FOLDERS tests/mech/tracer MECHS tracer)
cw_add_mechanism_program(cowarp_rooms
    FOLDERS tests/mech/tracer tests/mech/lane_count tests/mech/serialise tests/mech/two_phase
    MECHS tracer lane_count two_phase
    CONTROLS serialise)
