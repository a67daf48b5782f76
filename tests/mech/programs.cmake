# SPDX-License-Identifier: Apache-2.0
cw_add_mechanism_program(cowarp_rooms
    FOLDERS tests/mech/tracer tests/mech/lane_count tests/mech/serialise
    MECHS tracer lane_count
    CONTROLS serialise)
