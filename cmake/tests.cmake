# SPDX-License-Identifier: Apache-2.0
# tests/unit/test_<stem>.c is the CTest test unit.<stem>; tests/system/test_<name>.c is system.<name>.
find_package(cmocka REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

add_library(cw_test STATIC tests/cw_test.c)
target_include_directories(cw_test PUBLIC tests csim harness ${CMOCKA_INCLUDE_DIR})
target_link_libraries(cw_test PUBLIC ${CMOCKA_LIBRARIES})

function(cw_add_test_folder folder prefix)
    file(GLOB sources CONFIGURE_DEPENDS tests/${folder}/test_*.c)
    foreach(source ${sources})
        get_filename_component(stem ${source} NAME_WE)
        string(REGEX REPLACE "^test_" "" name ${stem})
        add_executable(${stem} ${source})
        target_link_libraries(${stem} PRIVATE cw_test ${ARGN})
        target_compile_definitions(${stem} PRIVATE CW_SOURCE_DIR="${PROJECT_SOURCE_DIR}" CW_BINARY_DIR="${CMAKE_BINARY_DIR}")
        add_test(NAME ${prefix}.${name} COMMAND ${stem})
        set_tests_properties(${prefix}.${name} PROPERTIES TIMEOUT 300)
    endforeach()
endfunction()

function(cw_add_tests)
    cw_add_test_folder(unit unit cowarp_csim)
    cw_add_test_folder(system system cowarp_workloads)
    add_test(NAME layers COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/layers.py ${PROJECT_SOURCE_DIR})
    add_test(NAME system.micro COMMAND micro ${PROJECT_SOURCE_DIR}/benchmarks/micro/micro.ptx)
    add_test(NAME system.cli COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/cli_test.py $<TARGET_FILE:cowarp>)
endfunction()
