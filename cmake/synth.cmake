# SPDX-License-Identifier: Apache-2.0
#
# Target synth: reports of all units in build/synth (minutes). Tests synth.model (no tool is run) and synth.flow (one unit at small size).
# Units are found by synth/units.py; nothing is listed here.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

add_custom_target(synth
    COMMAND ${CMAKE_COMMAND} -E env COWARP_CACHE=${CMAKE_BINARY_DIR}/rtl $<TARGET_FILE:cowarp> synth --out ${CMAKE_BINARY_DIR}/synth
    DEPENDS cowarp kernels rtl
    USES_TERMINAL
    COMMENT "Synthesis of all units: ${CMAKE_BINARY_DIR}/synth/table.md")

foreach(part model flow)
    add_test(NAME synth.${part} COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/synth/test_${part}.py $<TARGET_FILE:cowarp>)
    set_tests_properties(synth.${part} PROPERTIES TIMEOUT 300 LABELS synth)
endforeach()
