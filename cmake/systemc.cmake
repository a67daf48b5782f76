# SPDX-License-Identifier: Apache-2.0
#
# Target rtl_files: a file list and a FuseSoC core per unit in build/rtl_files; test rtl_files.
#
# Every unit as a SystemC module: a static library cw_sc_<unit>, header and class cw_sc_<unit>. Included after all cw_add_unit calls.
# Tests: systemc.<unit> (module against C model), systemc.replay (virtual platform against C driver). docs/systemc.md.
#
# cw_add_systemc_unit(<unit> [NAME <name>] [PARAMS NAME=value...]) makes one at other parameters.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(CW_RTL_FILES_DIR ${CMAKE_BINARY_DIR}/rtl_files)
add_custom_command(
    OUTPUT ${CW_RTL_FILES_DIR}/stamp
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${CW_RTL_FILES_DIR}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/rtl-files ${PROJECT_SOURCE_DIR} ${CW_RTL_FILES_DIR}
    COMMAND ${CMAKE_COMMAND} -E touch ${CW_RTL_FILES_DIR}/stamp
    DEPENDS ${CW_RTL_FILES} ${unit_contracts} ${PROJECT_SOURCE_DIR}/scripts/rtl-files
    COMMENT "Verilog file lists and FuseSoC cores"
    VERBATIM)
add_custom_target(rtl_files ALL DEPENDS ${CW_RTL_FILES_DIR}/stamp)
add_test(NAME rtl_files COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/systemc/rtl_files_test.py ${PROJECT_SOURCE_DIR} ${CW_RTL_FILES_DIR})
set_tests_properties(rtl_files PROPERTIES TIMEOUT 120)

if(COWARP_SANITIZE)
    return() # the SystemC kernel switches stacks, which the address sanitizer takes for errors
endif()
find_path(SYSTEMC_INCLUDE_DIR tlm.h)
find_library(SYSTEMC_LIBRARY systemc)
if(NOT SYSTEMC_INCLUDE_DIR OR NOT SYSTEMC_LIBRARY)
    message(STATUS "SystemC not found: no SystemC modules (libsystemc-dev; ./setup installs it)")
    return()
endif()

# Verilator's run time for models that live in a SystemC kernel; not the one of the shims, whose models do not.
add_library(cw_verilated_sc STATIC ${VERILATOR_ROOT}/include/verilated.cpp ${VERILATOR_ROOT}/include/verilated_threads.cpp)
target_include_directories(cw_verilated_sc SYSTEM PUBLIC ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd ${SYSTEMC_INCLUDE_DIR})
target_compile_definitions(cw_verilated_sc PUBLIC VM_SC=1 VM_TRACE=0 VM_COVERAGE=0)
target_link_libraries(cw_verilated_sc PUBLIC ${SYSTEMC_LIBRARY} Threads::Threads)

# Built by the test systemc_build, which the others need, or as target systemc; a plain build of the simulator does without.
add_custom_target(systemc)
function(cw_systemc_targets)
    set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    add_dependencies(systemc ${ARGN})
endfunction()
cw_systemc_targets(cw_verilated_sc)

# SystemC's and Verilator's headers are half of what the compiler reads for a module. They are compiled once, and what takes them has to have the
# same optimisation. That is a low one: these modules are tested and shown, and a platform that has to be fast compiles the Verilog itself.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/systemc/headers.cpp CONTENT "" @ONLY)
add_library(cw_systemc_headers OBJECT ${CMAKE_BINARY_DIR}/systemc/headers.cpp)
target_link_libraries(cw_systemc_headers PRIVATE cw_verilated_sc)
target_precompile_headers(cw_systemc_headers PRIVATE <systemc.h> <verilated_sc.h>)
function(cw_quick_systemc)
    foreach(target ${ARGN})
        target_compile_options(${target} PRIVATE -O1 -fPIC) # programs too
    endforeach()
endfunction()
cw_quick_systemc(cw_systemc_headers)
cw_systemc_targets(cw_systemc_headers)

function(cw_add_systemc_unit unit)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME" "PARAMS")
    set(name cw_sc_${unit})
    if(arg_NAME)
        set(name ${arg_NAME})
    endif()
    list(TRANSFORM arg_PARAMS PREPEND -G)
    set(dir ${CMAKE_BINARY_DIR}/systemc/${name})
    add_custom_command(
        OUTPUT ${dir}/${name}_all.cpp
        COMMAND ${CMAKE_COMMAND} -DVERILATOR=${VERILATOR} -DTOP=${PROJECT_SOURCE_DIR}/rtl/${unit}/cw_${unit}.v -DPREFIX=${name} -DDIR=${dir}
            "-DSEARCH=${CW_RTL_SEARCH}" "-DPARAMS=${arg_PARAMS}" -P ${PROJECT_SOURCE_DIR}/cmake/verilate_sc.cmake
        DEPENDS ${CW_RTL_FILES} ${PROJECT_SOURCE_DIR}/cmake/verilate_sc.cmake
        COMMENT "SystemC module ${name}"
        VERBATIM)
    add_library(${name} STATIC ${dir}/${name}_all.cpp)
    target_include_directories(${name} SYSTEM PUBLIC ${dir})
    target_link_libraries(${name} PUBLIC cw_verilated_sc)
    target_precompile_headers(${name} REUSE_FROM cw_systemc_headers)
    cw_quick_systemc(${name})
    cw_systemc_targets(${name})
endfunction()

# Modules that a test of ./check needs: narrow ports and wide ones. All are in the target systemc.
set(systemc_few stall_buffer block_stack)
get_property(systemc_units GLOBAL PROPERTY CW_UNITS)
foreach(unit ${systemc_units})
    cw_add_systemc_unit(${unit})
    string(TOUPPER ${unit} upper)
    add_executable(test_systemc_${unit} tests/systemc/unit_bench.cpp)
    target_compile_definitions(test_systemc_${unit} PRIVATE
        CW_UNIT=${unit} CW_UNIT_PORTS=CW_${upper}_PORTS CW_UNIT_CONTRACT="cowarp/unit/${unit}.h" CW_UNIT_MODULE="cw_sc_${unit}.h")
    target_link_libraries(test_systemc_${unit} PRIVATE cw_sc_${unit} cowarp_rtl)
    target_precompile_headers(test_systemc_${unit} REUSE_FROM cw_systemc_headers)
    cw_quick_systemc(test_systemc_${unit})
    cw_systemc_targets(test_systemc_${unit})
    add_test(NAME systemc.${unit} COMMAND test_systemc_${unit} 20000)
    set(fixture systemc_all)
    if(unit IN_LIST systemc_few)
        set(fixture systemc)
    endif()
    set_tests_properties(systemc.${unit} PROPERTIES TIMEOUT 120 LABELS systemc FIXTURES_REQUIRED ${fixture})
endforeach()

# The virtual platform, with the unit of the getm preset and with a small one, whose tables overflow.
cw_add_systemc_unit(validation_unit NAME cw_sc_validation_unit_small PARAMS ROW_W=3 STASH_ENTRIES=1 MAX_SWAPS=4 BLOOM_ROW_W=2 STALL_LINES=2)
set(small_params "CW_PARAM(row_w,3)CW_PARAM(stash_entries,1)CW_PARAM(max_swaps,4)CW_PARAM(bloom_row_w,2)CW_PARAM(stall_lines,2)")
foreach(variant "" _small)
    add_executable(systemc_platform${variant} examples/systemc/platform.cpp)
    target_include_directories(systemc_platform${variant} PRIVATE harness harness/systemc)
    target_compile_definitions(systemc_platform${variant} PRIVATE
        CW_PLATFORM_HEADER="cw_sc_validation_unit${variant}.h" CW_PLATFORM_MODULE=cw_sc_validation_unit${variant}
        "CW_PLATFORM_PARAMS=$<$<BOOL:${variant}>:${small_params}>")
    target_link_libraries(systemc_platform${variant} PRIVATE cw_sc_validation_unit${variant} cowarp_api)
    cw_systemc_targets(systemc_platform${variant})
endforeach()
add_executable(systemc_replay_c tests/systemc/replay_c.c)
target_include_directories(systemc_replay_c PRIVATE harness)
target_link_libraries(systemc_replay_c PRIVATE cowarp_api)
add_test(NAME systemc.replay COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/systemc/replay_test.py ${CMAKE_BINARY_DIR})
set_tests_properties(systemc.replay PROPERTIES TIMEOUT 120 LABELS systemc FIXTURES_REQUIRED systemc)
add_executable(test_systemc_target tests/systemc/target_test.cpp)
target_include_directories(test_systemc_target PRIVATE harness/systemc)
target_link_libraries(test_systemc_target PRIVATE cw_sc_validation_unit cowarp_csim)
add_test(NAME systemc.target COMMAND test_systemc_target)
set_tests_properties(systemc.target PROPERTIES TIMEOUT 60 LABELS systemc FIXTURES_REQUIRED systemc)

cw_systemc_targets(systemc_replay_c test_systemc_target)
list(TRANSFORM systemc_few PREPEND test_systemc_)
set(build ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target)
add_test(NAME systemc_build COMMAND ${build} systemc_platform systemc_platform_small systemc_replay_c test_systemc_target ${systemc_few})
add_test(NAME systemc_build.all COMMAND ${build} systemc)
set_tests_properties(systemc_build PROPERTIES FIXTURES_SETUP systemc)
set_tests_properties(systemc_build.all PROPERTIES FIXTURES_SETUP systemc_all FIXTURES_REQUIRED systemc)
set_tests_properties(systemc_build systemc_build.all PROPERTIES TIMEOUT 600 LABELS systemc RESOURCE_LOCK build)
