# SPDX-License-Identifier: Apache-2.0
#
# Tests equiv.<name>: a C model equals its Verilog by proof, docs/proofs.md. tests/rtl/equiv/<name>.cpp has the C model's file compiled in
# over terms (hence the C++ dialect that takes C's conversions), <name>.conf says what is proved.
find_library(Z3_LIBRARY z3 REQUIRED)
find_path(Z3_INCLUDE z3++.h REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

add_library(cw_equiv STATIC tests/rtl/equiv/symbolic.cpp)
target_compile_features(cw_equiv PUBLIC cxx_std_20)
target_include_directories(cw_equiv PUBLIC tests/rtl/equiv include csim PRIVATE ${Z3_INCLUDE})
target_link_libraries(cw_equiv PUBLIC ${Z3_LIBRARY})

file(GLOB equiv_sources CONFIGURE_DEPENDS tests/rtl/equiv/*.conf)
foreach(conf ${equiv_sources})
    get_filename_component(name ${conf} NAME_WE)
    file(STRINGS ${conf} model REGEX "^model ")
    string(REPLACE "model " "" model ${model})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${conf})
    add_executable(equiv_${name} tests/rtl/equiv/${name}.cpp)
    target_compile_definitions(equiv_${name} PRIVATE "CW_MODEL=\"${model}\"")
    target_compile_options(equiv_${name} PRIVATE -fpermissive -w)
    target_link_libraries(equiv_${name} PRIVATE cw_equiv)
    add_test(NAME equiv.${name}
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/rtl/equiv/equiv.py
            ${PROJECT_SOURCE_DIR} ${name} $<TARGET_FILE:equiv_${name}> $<TARGET_FILE:cw_equiv>)
    set_tests_properties(equiv.${name} PROPERTIES TIMEOUT 300 LABELS equiv)
endforeach()

add_test(NAME proofs.table COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/proofs --check)
