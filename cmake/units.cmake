# SPDX-License-Identifier: Apache-2.0
#
# cw_add_unit(<unit>) makes all that a hardware unit needs: its RTL as a shared library for the default parameters, and the tests
# lint.<unit>.*, siblings.<unit>, rtl.<unit> and, with tests/rtl/formal/<unit>.conf, formal.<unit> and formal.<unit>.covers. Called once per unit.
#
# Targets made here: cowarp_rtl (harness/rtl, static), cw_verilated (link to it and include it to write FST waves), rtl (all libraries).
find_program(VERILATOR verilator REQUIRED)
find_program(IVERILOG iverilog REQUIRED)
find_program(YOSYS yosys REQUIRED)
execute_process(COMMAND ${VERILATOR} --version OUTPUT_VARIABLE verilator_version_text OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX MATCH "[0-9]+\\.[0-9]+" VERILATOR_VERSION "${verilator_version_text}")
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)

set(CW_RTL_DIR ${CMAKE_BINARY_DIR}/rtl)
file(GLOB CW_RTL_FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rtl/*/*.v)
file(GLOB CW_RTL_FOLDERS CONFIGURE_DEPENDS LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/rtl/*)
list(FILTER CW_RTL_FOLDERS EXCLUDE REGEX "\\.[a-z]+$")
set(CW_RTL_SEARCH)
foreach(folder ${CW_RTL_FOLDERS})
    list(APPEND CW_RTL_SEARCH -y ${folder})
endforeach()

add_library(cowarp_rtl STATIC
    harness/rtl/elastic.c
    harness/rtl/elastic_contracts.c
    harness/rtl/lockstep.c
    harness/rtl/bin_watch.c
    harness/rtl/bins.c
    harness/rtl/bin_text.c
    harness/rtl/rtl_build.c
    harness/rtl/rtl_compiler.c
    harness/rtl/rtl_files.c
    harness/rtl/rtl_package.c
    harness/rtl/rtl_os.c
    harness/rtl/rtl_place.c
    harness/rtl/rtl_property.c
    harness/rtl/rtl_ahead.c
    harness/rtl/rtl_provider.c
    harness/rtl/rtl_shim.c
    harness/rtl/stimulus.c)
target_include_directories(cowarp_rtl PUBLIC harness/rtl)
target_link_libraries(cowarp_rtl PUBLIC cowarp_csim PRIVATE ${CMAKE_DL_LIBS})

# Verilator's run time, built by the same code that builds it for a cache.
file(STRINGS ${PROJECT_SOURCE_DIR}/harness/rtl/rtl_library.h rtl_abi REGEX "^#define CW_RTL_ABI ")
string(REGEX MATCH "[0-9]+" rtl_abi ${rtl_abi})
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/harness/rtl/rtl_library.h)
set(CW_VERILATED ${CW_RTL_DIR}/libcw_verilated-${VERILATOR_VERSION}-${rtl_abi}.so)
add_executable(cw_rtl_build_runtime harness/rtl/rtl_runtime_main.c)
target_link_libraries(cw_rtl_build_runtime PRIVATE cowarp_rtl)
if(NOT COWARP_BESIDE)
    add_custom_command(
        OUTPUT ${CW_VERILATED}
        COMMAND cw_rtl_build_runtime ${CW_RTL_DIR}
        COMMENT "Verilator's run time"
        VERBATIM)
endif()
add_custom_target(rtl_runtime DEPENDS ${CW_VERILATED})
add_custom_target(rtl ALL DEPENDS ${CW_VERILATED})

add_library(cw_verilated INTERFACE)
add_dependencies(cw_verilated rtl_runtime)
target_include_directories(cw_verilated SYSTEM INTERFACE ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
target_compile_definitions(cw_verilated INTERFACE VM_TRACE=1 VM_TRACE_FST=1 VM_TRACE_VCD=0 VM_COVERAGE=0 VM_SC=0)
target_link_libraries(cw_verilated INTERFACE ${CW_VERILATED})

add_library(cw_lockstep_driver STATIC tests/rtl/lockstep_driver.c tests/rtl/saved_unit.c)
target_include_directories(cw_lockstep_driver PUBLIC tests/rtl)
target_compile_definitions(cw_lockstep_driver PRIVATE CW_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(cw_lockstep_driver PUBLIC cowarp_waves cw_test)
add_dependencies(cw_lockstep_driver cowarp_wave) # writes the wave of a difference

function(cw_add_unit_lint unit)
    set(top ${PROJECT_SOURCE_DIR}/rtl/${unit}/cw_${unit}.v)
    add_test(NAME lint.${unit}.verilator
        COMMAND ${VERILATOR} --lint-only -Wall --default-language 1364-2005 ${CW_RTL_SEARCH} ${top})
    # With its properties a file is read as SystemVerilog, of which a name in the Verilog may be a keyword.
    add_test(NAME lint.${unit}.properties
        COMMAND ${VERILATOR} --lint-only --assert -Wno-lint -Wno-style --default-language 1364-2005 +systemverilogext+v
                "+define+CW_PROPERTIES=posedge clk_i" ${CW_RTL_SEARCH} ${top})
    # Not to /dev/null: Icarus makes its output executable, and root would change the device.
    add_test(NAME lint.${unit}.iverilog COMMAND ${IVERILOG} -g2005 -Wall ${CW_RTL_SEARCH} -o ${CW_RTL_DIR}/lint_${unit}.vvp ${top})
    list(TRANSFORM CW_RTL_FOLDERS PREPEND "-libdir " OUTPUT_VARIABLE folders)
    list(JOIN folders " " folders)
    add_test(NAME lint.${unit}.yosys
        COMMAND ${YOSYS} -q -p "read_verilog ${top}; hierarchy -check -top cw_${unit} ${folders}; proc; check -assert")
    set_tests_properties(lint.${unit}.verilator lint.${unit}.properties lint.${unit}.iverilog lint.${unit}.yosys PROPERTIES
        FAIL_REGULAR_EXPRESSION "[Ww]arning;[Ee]rror" TIMEOUT 120 LABELS lint)
endfunction()

# The C model saved and loaded; all but the broken copies; the default parameters alone, with the library that the build has; broken copies;
# more cycles. The compiler takes longer than a short run, so the second is little optimised. For coverage (scripts/coverage) there is one test,
# with the caller's settings.
function(cw_add_lockstep_tests unit)
    set(environment "COWARP_CACHE=${CW_RTL_DIR}")
    set(common WORKING_DIRECTORY ${CMAKE_BINARY_DIR} TIMEOUT 600 LABELS rtl)
    if(COWARP_COVERAGE)
        add_test(NAME rtl.${unit} COMMAND test_rtl_${unit})
        set_tests_properties(rtl.${unit} PROPERTIES ENVIRONMENT "${environment}" ${common} TIMEOUT 1500) # counters are slow
        return()
    endif()
    add_test(NAME rtl.${unit} COMMAND test_rtl_${unit} --gtest_filter=-*broken_copies*)
    set_tests_properties(rtl.${unit} PROPERTIES
        ENVIRONMENT "${environment};COWARP_RTL_CXXFLAGS=-O1;COWARP_LOCKSTEP_CYCLES=200000" ${common})
    add_test(NAME state.${unit} COMMAND test_rtl_${unit} --gtest_filter=*c_equals_rtl*)
    set_tests_properties(state.${unit} PROPERTIES
        ENVIRONMENT "COWARP_LOCKSTEP_SAVED=1;COWARP_LOCKSTEP_CYCLES=4000" WORKING_DIRECTORY ${CMAKE_BINARY_DIR} TIMEOUT 60 LABELS rtl)
    add_test(NAME rtl.${unit}.broken COMMAND test_rtl_${unit} --gtest_filter=*broken_copies*)
    add_test(NAME rtl.${unit}.long COMMAND test_rtl_${unit} --gtest_filter=*c_equals_rtl*:*__fills)
    set_tests_properties(rtl.${unit}.broken rtl.${unit}.long PROPERTIES ENVIRONMENT "${environment}" ${common})
    set_tests_properties(rtl.${unit}.long PROPERTIES ENVIRONMENT "${environment};COWARP_LOCKSTEP_LARGEST=1;COWARP_LOCKSTEP_ENDS=1")
    if(NOT unit STREQUAL bank_detector) # whose stimulus is made for other parameters
        add_test(NAME rtl.${unit}.some COMMAND test_rtl_${unit} --gtest_filter=*__c_equals_rtl)
        set_tests_properties(rtl.${unit}.some PROPERTIES
            ENVIRONMENT "${environment};COWARP_LOCKSTEP_SETS=default;COWARP_LOCKSTEP_CYCLES=100000;COWARP_LOCKSTEP_ASSERT=0" ${common})
    endif()
endfunction()

function(cw_add_unit unit)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/rtl/${unit}/cw_${unit}.v)
        message(FATAL_ERROR "cw_add_unit(${unit}): no rtl/${unit}/cw_${unit}.v")
    endif()
    foreach(source ${arg_SOURCES})
        if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${source})
            message(FATAL_ERROR "cw_add_unit(${unit}): no ${source}")
        endif()
    endforeach()

    set_property(GLOBAL APPEND PROPERTY CW_UNITS ${unit})

    # The tool knows by a digest whether the library is up to date, so depending on all Verilog costs nothing.
    add_executable(cw_rtl_build_${unit} harness/rtl/rtl_main.c)
    target_compile_definitions(cw_rtl_build_${unit} PRIVATE CW_UNIT=${unit})
    target_link_libraries(cw_rtl_build_${unit} PRIVATE cowarp_rtl)
    set(stamp ${CW_RTL_DIR}/${unit}.stamp)
    if(NOT COWARP_BESIDE)
        add_custom_command(
            OUTPUT ${stamp}
            COMMAND cw_rtl_build_${unit} ${CW_RTL_DIR} ${stamp}
            DEPENDS ${CW_RTL_FILES} ${CW_VERILATED} ${PROJECT_SOURCE_DIR}/include/cowarp/unit/${unit}.h
                ${PROJECT_SOURCE_DIR}/harness/rtl/shim.cpp.in cw_rtl_build_${unit}
            COMMENT "RTL of ${unit}"
            VERBATIM)
    endif()
    add_custom_target(rtl_${unit} DEPENDS ${stamp})
    add_dependencies(rtl rtl_${unit})

    cw_add_unit_lint(${unit})
    add_test(NAME siblings.${unit}
        COMMAND ${CMAKE_COMMAND} -DUNIT=${unit} -DROOT=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/siblings.cmake)

    if(EXISTS ${PROJECT_SOURCE_DIR}/tests/rtl/test_${unit}.c)
        add_executable(test_rtl_${unit} tests/rtl/test_${unit}.c)
        target_link_libraries(test_rtl_${unit} PRIVATE cw_lockstep_driver)
        cw_add_lockstep_tests(${unit})
    endif()
    if(EXISTS ${PROJECT_SOURCE_DIR}/tests/rtl/formal/${unit}.conf)
        find_package(Python3 REQUIRED COMPONENTS Interpreter)
        set(prove ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/rtl/formal/prove.py ${PROJECT_SOURCE_DIR} ${unit})
        add_test(NAME formal.${unit} COMMAND ${prove} --proofs)
        add_test(NAME formal.${unit}.covers COMMAND ${prove} --covers)
        set_tests_properties(formal.${unit} formal.${unit}.covers PROPERTIES TIMEOUT 600 LABELS formal)
    endif()
endfunction()

# The machinery itself.
add_executable(test_rtl_provider tests/rtl/test_rtl_provider.c)
target_link_libraries(test_rtl_provider PRIVATE cw_lockstep_driver)
target_compile_definitions(test_rtl_provider PRIVATE CW_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
add_test(NAME rtl.provider COMMAND test_rtl_provider)
add_executable(test_elastic tests/rtl/test_elastic.c)
target_link_libraries(test_elastic PRIVATE cw_lockstep_driver)
add_test(NAME rtl.elastic COMMAND test_elastic)
set_tests_properties(rtl.provider PROPERTIES
    ENVIRONMENT "COWARP_CACHE=${CW_RTL_DIR}" WORKING_DIRECTORY ${CMAKE_BINARY_DIR} TIMEOUT 600 LABELS rtl)

# Parameters at the ends of their ranges.
add_test(NAME lint.corners COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/rtl/corners.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}
         ${VERILATOR})
set_tests_properties(lint.corners PROPERTIES TIMEOUT 300 LABELS lint)

# Functional coverage: the language, and what the files say of each unit.
add_executable(test_rtl_bins tests/rtl/test_bins.c)
target_link_libraries(test_rtl_bins PRIVATE cw_lockstep_driver)
add_test(NAME rtl.bins.language COMMAND test_rtl_bins)
add_test(NAME rtl.bins.files COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/rtl/bins_test.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
set_tests_properties(rtl.bins.language rtl.bins.files PROPERTIES WORKING_DIRECTORY ${CMAKE_BINARY_DIR} TIMEOUT 300 LABELS rtl)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME formal.refusals COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/rtl/formal/prove_test.py)
set_tests_properties(formal.refusals PROPERTIES TIMEOUT 300 LABELS formal)

add_test(NAME testplan COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/rtl/testplan_test.py ${PROJECT_SOURCE_DIR})

# A second simulator, in which registers and RAMs are unknown at first.
set(unknowns ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/rtl/unknowns.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
add_test(NAME rtl.unknowns COMMAND ${unknowns})
add_test(NAME rtl.unknowns.long COMMAND ${unknowns})
set_tests_properties(rtl.unknowns rtl.unknowns.long PROPERTIES TIMEOUT 600 LABELS rtl)
set_tests_properties(rtl.unknowns.long PROPERTIES ENVIRONMENT COWARP_UNKNOWN_CYCLES=10000)

# What runs of the GPU see of the units.
set(runs ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/rtl/gpu_bins_test.py ${PROJECT_SOURCE_DIR} $<TARGET_FILE:cowarp>)
add_test(NAME rtl.gpu_bins COMMAND ${runs})
add_test(NAME rtl.gpu_bins.kept COMMAND ${runs} --kept)
set_tests_properties(rtl.gpu_bins rtl.gpu_bins.kept PROPERTIES ENVIRONMENT "COWARP_CACHE=${CW_RTL_DIR}" TIMEOUT 600 LABELS rtl)

# RAMs that correct errors.
add_test(NAME rtl.ecc COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/rtl/ecc.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
set_tests_properties(rtl.ecc PROPERTIES TIMEOUT 600 LABELS rtl)

# Every unit's default library evaluates its model as seldom as its Verilog allows. Called after all cw_add_unit calls.
function(cw_add_fast_path_test)
    get_property(units GLOBAL PROPERTY CW_UNITS)
    list(TRANSFORM units REPLACE "(.+)" "CW_UNIT_NAMED(\\1)")
    list(JOIN units " " units)
    add_executable(test_fast_path tests/rtl/test_fast_path.c)
    target_compile_definitions(test_fast_path PRIVATE "CW_UNITS=${units}" CW_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(test_fast_path PRIVATE cw_lockstep_driver)
    add_test(NAME rtl.fast_path COMMAND test_fast_path)
    set_tests_properties(rtl.fast_path PROPERTIES
        ENVIRONMENT "COWARP_CACHE=${CW_RTL_DIR}" WORKING_DIRECTORY ${CMAKE_BINARY_DIR} TIMEOUT 300 LABELS rtl)
endfunction()

# Mutation testing of one small unit; of all by scripts/mutate, docs/mutation.md.
if(NOT COWARP_SANITIZE AND NOT COWARP_COVERAGE)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    add_test(NAME mutation.stall_buffer
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/rtl/mutation_test.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
    set_tests_properties(mutation.stall_buffer PROPERTIES TIMEOUT 600 LABELS mutation)
    # The same mistake in Verilog and C model, docs/twins.md; the standing campaign is the target twins.
    set(twins ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/twins --build ${CMAKE_BINARY_DIR}/twins)
    add_test(NAME twins.selection COMMAND ${twins} first_read_table --only 1,5 --without gpu)
    set_tests_properties(twins.selection PROPERTIES TIMEOUT 600 LABELS mutation)
    add_custom_target(twins COMMAND ${twins} --write DEPENDS rtl_runtime USES_TERMINAL)
endif()
