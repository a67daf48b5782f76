# SPDX-License-Identifier: Apache-2.0
# libcowarp as one shared and one static library, and what `cmake --install build --prefix P` puts where (docs/api.md, "Installing").
#
#   bin/cowarp   include/cowarp/   lib/libcowarp.{so,a}   lib/pkgconfig/cowarp.pc   lib/cmake/cowarp/
#   lib/cowarp/ (loaded by the library)   lib/cowarp/rtl/ (units for their default parameters)   lib/cowarp/cuda/ (in the place of CUDA's)
#   lib/python3/dist-packages/cowarp/   share/cowarp/{kernels,examples,source}   share/{man,bash-completion,zsh,fish}
#
# An installed tree may be moved, and nothing needs the source tree (harness/rtl/rtl_place.h). Components are the packages of cmake/package.cmake.
set(CW_EXPORTS ${PROJECT_SOURCE_DIR}/cmake/libcowarp.map)

# The objects of the static libraries are position-independent, so they serve here too. Only cowarp_* is visible.
add_library(cowarp_shared SHARED $<TARGET_OBJECTS:cowarp_api>)
set_target_properties(cowarp_shared PROPERTIES OUTPUT_NAME cowarp VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                                               LINKER_LANGUAGE C LINK_DEPENDS ${CW_EXPORTS})
target_link_options(cowarp_shared PRIVATE -Wl,--version-script=${CW_EXPORTS} -Wl,--no-undefined)
target_link_libraries(cowarp_shared PRIVATE cowarp_waves cowarp_rtl cowarp_csim)

# The units' C models for simulators of SystemVerilog: examples/dpi has the package over it, and a bench.
add_library(cowarp_dpi SHARED examples/dpi/cowarp_dpi.c)
target_include_directories(cowarp_dpi PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(cowarp_dpi PRIVATE cowarp_shared)
add_test(NAME system.dpi COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/dpi_test.py ${PROJECT_SOURCE_DIR} $<TARGET_FILE:cowarp_dpi>)
set_tests_properties(system.dpi PROPERTIES TIMEOUT 300)

# One archive for those who link statically.
add_library(cowarp_static STATIC $<TARGET_OBJECTS:cowarp_api> $<TARGET_OBJECTS:cowarp_waves> $<TARGET_OBJECTS:cowarp_rtl>
                                 $<TARGET_OBJECTS:cowarp_csim>)
set_target_properties(cowarp_static PROPERTIES OUTPUT_NAME cowarp LINKER_LANGUAGE C ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/install)

configure_file(cmake/cowarp.pc.in ${CMAKE_BINARY_DIR}/install/cowarp.pc @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/install/cowarpConfigVersion.cmake COMPATIBILITY SameMinorVersion)

get_property(host_libraries GLOBAL PROPERTY CW_HOST_LIBRARIES)
add_custom_target(installed DEPENDS kernels rtl)
add_dependencies(installed cowarp cowarp_shared cowarp_static cowarp_wave cowarp_cuda cowarp_runtime_11 cowarp_runtime_12 cowarp_runtime_13
                 cowarp_driver_1 cowarp_nvrtc ${host_libraries})
set_target_properties(cowarp_wave PROPERTIES INSTALL_RPATH "$ORIGIN/rtl")
install(TARGETS cowarp RUNTIME DESTINATION bin COMPONENT cowarp)
install(TARGETS cowarp_shared LIBRARY DESTINATION lib COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS cowarp_static ARCHIVE DESTINATION lib COMPONENT development)
install(TARGETS cowarp_wave DESTINATION lib/cowarp COMPONENT library)
if(TARGET cowarp_native)
    add_dependencies(installed cowarp_native)
    install(TARGETS cowarp_native DESTINATION lib/cowarp COMPONENT native)
endif()
install(FILES ${CMAKE_BINARY_DIR}/install/cowarp.pc DESTINATION lib/pkgconfig COMPONENT development)
install(FILES cmake/cowarpConfig.cmake ${CMAKE_BINARY_DIR}/install/cowarpConfigVersion.cmake DESTINATION lib/cmake/cowarp COMPONENT development)
install(DIRECTORY include/cowarp DESTINATION include COMPONENT development)
install(DIRECTORY python/cowarp DESTINATION lib/python3/dist-packages COMPONENT python FILES_MATCHING PATTERN "*.py" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
install(FILES ${KERNEL_PTX} DESTINATION share/cowarp/kernels COMPONENT cowarp)
install(DIRECTORY examples DESTINATION share/cowarp COMPONENT development PATTERN __pycache__ EXCLUDE)

# What follows stands in share/cowarp/source as in the source tree.
function(cw_install_source component)
    foreach(file ${ARGN})
        cmake_path(GET file PARENT_PATH folder)
        install(FILES ${file} DESTINATION share/cowarp/source/${folder} COMPONENT ${component})
    endforeach()
endfunction()
function(cw_install_folder component folder)
    cmake_path(GET folder PARENT_PATH parent)
    set(patterns)
    foreach(pattern ${ARGN})
        list(APPEND patterns PATTERN ${pattern})
    endforeach()
    install(DIRECTORY ${folder} DESTINATION share/cowarp/source/${parent} COMPONENT ${component} USE_SOURCE_PERMISSIONS
            FILES_MATCHING ${patterns} PATTERN __pycache__ EXCLUDE)
endfunction()
# A build of RTL, and the views of what it shows
cw_install_folder(rtl rtl "*.v")
cw_install_folder(rtl include/cowarp "*.h")
cw_install_source(rtl csim/base/error.h harness/rtl/rtl_library.h harness/rtl/rtl_runtime.cpp harness/rtl/rtl_fst.cpp harness/rtl/shim.cpp.in)
cw_install_folder(rtl waves "*.gtkw" "*.stim" "*.txt" "*.ptx" "*.sh")
cw_install_folder(rtl tests/rtl/bins "*.txt")
cw_install_folder(rtl tests/rtl/fill "*.txt")
# The commands about hardware units, and the results that they print
cw_install_folder(rtl scripts/unit "*.py")
cw_install_folder(rtl scripts/new_unit "*.py" "*.in")
cw_install_folder(rtl synth "*.py" "*.json" "*.csv" "*.txt")
cw_install_folder(rtl tests/rtl/testplan "*.txt")
cw_install_folder(rtl docs/units "*.md")
cw_install_source(rtl tests/coverage.txt tests/rtl/proofs.txt tests/rtl/mutation.txt tests/rtl/widths.txt tests/rtl/gpu_bins.txt tests/rtl/signoff.txt tests/rtl/twins/results.txt)
# The commands over finished runs, the experiments with the papers' claims, and the workloads' sources
cw_install_folder(cowarp scripts/results "*.py")
cw_install_folder(cowarp scripts/ci "*.py")
cw_install_folder(cowarp scripts/debug "*.py")
cw_install_folder(cowarp experiments "*.py" "*.csv" "*.smk")
cw_install_folder(cowarp kernels "*.cl" "*.c" "*.h")
cw_install_source(cowarp docs/fidelity.csv)

# The units' libraries for default parameters: a stamp holds the path of each.
file(WRITE ${CMAKE_BINARY_DIR}/install/verilated.stamp "${CW_VERILATED}\n")
foreach(stamp ${stamps} ${CMAKE_BINARY_DIR}/install/verilated.stamp)
    install(CODE "file(STRINGS \"${stamp}\" built)
file(INSTALL \${built} DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/cowarp/rtl\" TYPE SHARED_LIBRARY)
if(CMAKE_INSTALL_DO_STRIP)
    cmake_path(GET built FILENAME name)
    execute_process(COMMAND strip --strip-unneeded \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/cowarp/rtl/\${name}\")
endif()" COMPONENT rtl)
endforeach()

# Manual pages and completions, from what the command tells of itself
set(CW_PAGES ${CMAKE_BINARY_DIR}/pages)
string(TIMESTAMP date "%Y-%m-%d" UTC) # of SOURCE_DATE_EPOCH, where it is set
add_custom_command(OUTPUT ${CW_PAGES}/cowarp.bash
                   COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/command_pages.py $<TARGET_FILE:cowarp> ${CW_PAGES} ${date}
                   DEPENDS cowarp ${PROJECT_SOURCE_DIR}/scripts/command_pages.py COMMENT "Manual pages and completions" VERBATIM)
add_custom_target(pages ALL DEPENDS ${CW_PAGES}/cowarp.bash)
add_dependencies(installed pages)
install(DIRECTORY ${CW_PAGES}/man1 DESTINATION share/man COMPONENT cowarp)
install(FILES ${CW_PAGES}/cowarp.bash DESTINATION share/bash-completion/completions RENAME cowarp COMPONENT cowarp)
install(FILES ${CW_PAGES}/_cowarp DESTINATION share/zsh/vendor-completions COMPONENT cowarp)
install(FILES ${CW_PAGES}/cowarp.fish DESTINATION share/fish/vendor_completions.d COMPONENT cowarp)
