# SPDX-License-Identifier: Apache-2.0
# libcowarp as one shared and one static library, and what `cmake --install build --prefix P` puts where (docs/api.md, "Installing").
#
#   bin/cowarp   include/cowarp/   lib/libcowarp.{so,a}   lib/pkgconfig/cowarp.pc   lib/cowarp/ (loaded by the library)
#   lib/libcowarp_cuda.so   lib/cowarp/cuda/ (in the place of CUDA's)
#   lib/python3/dist-packages/cowarp/   share/cowarp/{kernels,examples,source}
#
# An installed tree may be moved: the library looks for its files beside itself (harness/rtl/rtl_place.h).
set(CW_EXPORTS ${PROJECT_SOURCE_DIR}/cmake/libcowarp.map)

# The objects of the static libraries are position-independent, so they serve here too. Only cowarp_* is visible.
add_library(cowarp_shared SHARED $<TARGET_OBJECTS:cowarp_api>)
set_target_properties(cowarp_shared PROPERTIES OUTPUT_NAME cowarp VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                                               LINKER_LANGUAGE C LINK_DEPENDS ${CW_EXPORTS})
target_link_options(cowarp_shared PRIVATE -Wl,--version-script=${CW_EXPORTS} -Wl,--no-undefined)
target_link_libraries(cowarp_shared PRIVATE cowarp_waves cowarp_rtl cowarp_csim)

# One archive for those who link statically.
add_library(cowarp_static STATIC $<TARGET_OBJECTS:cowarp_api> $<TARGET_OBJECTS:cowarp_waves> $<TARGET_OBJECTS:cowarp_rtl>
                                 $<TARGET_OBJECTS:cowarp_csim>)
set_target_properties(cowarp_static PROPERTIES OUTPUT_NAME cowarp LINKER_LANGUAGE C ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/install)

configure_file(cmake/cowarp.pc.in ${CMAKE_BINARY_DIR}/install/cowarp.pc @ONLY)

set_target_properties(cowarp_wave PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS cowarp RUNTIME DESTINATION bin)
install(TARGETS cowarp_shared cowarp_static DESTINATION lib)
install(TARGETS cowarp_wave DESTINATION lib/cowarp)
install(FILES ${CMAKE_BINARY_DIR}/install/cowarp.pc DESTINATION lib/pkgconfig)
install(DIRECTORY include/cowarp DESTINATION include)
install(DIRECTORY python/cowarp DESTINATION lib/python3/dist-packages FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
install(FILES ${KERNEL_PTX} DESTINATION share/cowarp/kernels)
install(DIRECTORY examples DESTINATION share/cowarp)
# What a build of RTL reads, in the folders of the source tree.
install(DIRECTORY rtl DESTINATION share/cowarp/source FILES_MATCHING PATTERN "*.v")
install(DIRECTORY include/cowarp DESTINATION share/cowarp/source/include)
install(FILES csim/base/error.h DESTINATION share/cowarp/source/csim/base)
install(FILES harness/rtl/rtl_library.h harness/rtl/rtl_runtime.cpp harness/rtl/rtl_fst.cpp harness/rtl/shim.cpp.in
    DESTINATION share/cowarp/source/harness/rtl)
# The commands over finished runs.
install(DIRECTORY scripts/results DESTINATION share/cowarp/source/scripts FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
install(FILES experiments/runs.py DESTINATION share/cowarp/source/experiments)
# The commands about hardware units, and the results that they print.
install(DIRECTORY scripts/unit DESTINATION share/cowarp/source/scripts FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
install(FILES synth/units.py synth/datasheet.py synth/sources.py synth/reference.json synth/tables.txt DESTINATION share/cowarp/source/synth)
install(FILES tests/coverage.txt DESTINATION share/cowarp/source/tests)
install(FILES tests/rtl/proofs.txt tests/rtl/mutation.txt DESTINATION share/cowarp/source/tests/rtl)
install(FILES tests/rtl/twins/results.txt DESTINATION share/cowarp/source/tests/rtl/twins)
install(DIRECTORY tests/rtl/testplan tests/rtl/bins DESTINATION share/cowarp/source/tests/rtl)
# The units' libraries for default parameters: a stamp holds the path of each.
install(FILES ${CW_VERILATED} DESTINATION lib/cowarp)
get_property(units GLOBAL PROPERTY CW_UNITS)
foreach(unit ${units})
    install(CODE "file(STRINGS \"${CW_RTL_DIR}/${unit}.stamp\" library)
file(INSTALL \${library} DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/cowarp\" TYPE SHARED_LIBRARY)")
endforeach()
