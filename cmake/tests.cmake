# SPDX-License-Identifier: Apache-2.0
# tests/unit/test_<stem>.c is the CTest test unit.<stem>; tests/system/test_<name>.c is system.<name>.
find_package(cmocka REQUIRED)

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
        set_tests_properties(${prefix}.${name} PROPERTIES TIMEOUT 600 ENVIRONMENT "COWARP_CACHE=${CW_RTL_DIR}")
        set_property(GLOBAL APPEND PROPERTY CW_TEST_TARGETS_${prefix} ${stem})
    endforeach()
endfunction()

function(cw_add_tests)
    cw_add_test_folder(unit unit cowarp_csim)
    cw_add_test_folder(system system cowarp_workloads)
    target_link_options(test_unit_cycles PRIVATE -Wl,--wrap=cw_gpu_create) # it looks at the units that a GPU opens
    cw_add_fast_path_test()
    add_test(NAME layers COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/layers.py ${PROJECT_SOURCE_DIR})
    add_test(NAME file_order COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/file_order.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
    add_test(NAME file_order.bite COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/file_order_test.py)
    add_test(NAME layers.bite COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/layers_test.py)
    add_test(NAME ratchets COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/ratchets.py check)
    add_test(NAME commits COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/commits.py ${PROJECT_SOURCE_DIR})
    add_test(NAME ci.matrix COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/ci_matrix.py ${PROJECT_SOURCE_DIR})
    add_test(NAME param_ranges COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/param_ranges.py ${PROJECT_SOURCE_DIR})
    add_test(NAME param_ranges.bite COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/param_ranges_test.py ${PROJECT_SOURCE_DIR})
    add_test(NAME tags COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/tags.py ${PROJECT_SOURCE_DIR})
    add_test(NAME tags.bite COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/tags_test.py)
    add_test(NAME privacy COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/privacy.py ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER})
    add_test(NAME privacy.bite COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/privacy_test.py ${CMAKE_C_COMPILER})
    add_test(NAME headers COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/headers.py ${PROJECT_SOURCE_DIR})
    add_test(NAME warnings.clang COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/headers.py ${PROJECT_SOURCE_DIR} --clang
             ${CMAKE_BINARY_DIR})
    add_test(NAME format COMMAND ${PROJECT_SOURCE_DIR}/tests/format.sh ${PROJECT_SOURCE_DIR})
    set(fuzz ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz.sh ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/fuzz)
    # The same inputs each time: what guards a landing does not depend on luck.
    add_test(NAME fuzz.ptx COMMAND ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz.sh ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/fuzz.seed1 -seed=1 -runs=30000)
    add_test(NAME fuzz.fatbin COMMAND ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_fatbin.sh ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/fuzz_fatbin
             ${Python3_EXECUTABLE} -seed=1 -runs=100000)
    add_test(NAME fuzz.ptx.long COMMAND ${fuzz} -max_total_time=120)
    set_tests_properties(fuzz.ptx fuzz.ptx.long PROPERTIES RESOURCE_LOCK fuzz)
    set(cprog ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/fuzz/cprog/cprog.py $<TARGET_FILE:cowarp> --rotate)
    add_test(NAME fuzz.cprog COMMAND ${cprog} --seeds 1:121 --batch 40 --levels O0,O2,O0,O3)
    add_test(NAME fuzz.cprog.lowered COMMAND ${cprog} --seeds 1:161 --batch 40 --levels O0,O2,O0,O3 --with "--preset qv100")
    add_test(NAME fuzz.cprog.bite COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/fuzz/cprog/cprog_test.py $<TARGET_FILE:cowarp>)
    # 100,000 in ranges of 1,000 seeds. The journals stay in the build folder: who ends a campaign begins where it was.
    set_tests_properties(fuzz.cprog fuzz.cprog.lowered PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
    foreach(thousand RANGE 1 50)
        math(EXPR end "${thousand}000 + 1000")
        set(range fuzz.cprog.long.${thousand})
        add_test(NAME ${range} COMMAND ${cprog} --seeds ${thousand}000:${end} --batch 100 --journal ${CMAKE_BINARY_DIR}/${range}.journal)
        set_tests_properties(${range} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
    endforeach()
    add_test(NAME check.plan COMMAND ${PROJECT_SOURCE_DIR}/tests/plan.py check ${CMAKE_BINARY_DIR})
    add_test(NAME provenance COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/provenance_test.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}
             ${CMAKE_COMMAND})
    # nvcc is in no package, so what it makes of the same file is there already.
    set(types ${CMAKE_BINARY_DIR}/types_clang.ptx)
    set(types_source ${PROJECT_SOURCE_DIR}/tests/debug/types.cu)
    add_custom_command(OUTPUT ${types} DEPENDS ${types_source} VERBATIM
        COMMAND ${CLANG_14} -x cuda --cuda-device-only --cuda-gpu-arch=sm_35 -nocudainc -nocudalib -Wno-unknown-cuda-version -std=c++17 -O0 -g
                -fdebug-prefix-map=${PROJECT_SOURCE_DIR}/tests/debug= -S ${types_source} -o ${types})
    add_custom_target(types_clang ALL DEPENDS ${types})
    add_dependencies(test_dwarf types_clang)
    add_test(NAME system.debug COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/debug_test.py $<TARGET_FILE:cowarp> ${PROJECT_SOURCE_DIR}/tests/debug)
    add_test(NAME system.debug.gdb COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/debug_gdb_test.py $<TARGET_FILE:cowarp>
             ${PROJECT_SOURCE_DIR}/tests/debug)
    add_test(NAME system.debug.npm COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/debug_npm_test.py $<TARGET_FILE:cowarp>
             ${PROJECT_SOURCE_DIR}/tests/debug)
    set_tests_properties(system.debug.npm PROPERTIES SKIP_RETURN_CODE 77)
    add_test(NAME system.debug.dap COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/debug_dap_test.py $<TARGET_FILE:cowarp>
             ${PROJECT_SOURCE_DIR}/tests/debug)
    add_test(NAME system.saved COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/saved_test.py $<TARGET_FILE:cowarp>
             ${PROJECT_SOURCE_DIR})
    add_test(NAME system.saxpy COMMAND saxpy)
    # The store without its fences must not survive.
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/pm_store_unordered.c
        COMMAND sed /call.uni.ofence/d ${PROJECT_SOURCE_DIR}/examples/pm_store.c > ${CMAKE_BINARY_DIR}/pm_store_unordered.c
        DEPENDS ${PROJECT_SOURCE_DIR}/examples/pm_store.c VERBATIM)
    add_executable(pm_store_unordered ${CMAKE_BINARY_DIR}/pm_store_unordered.c)
    target_link_libraries(pm_store_unordered PRIVATE cowarp_api)
    add_test(NAME system.pm_store COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/pm_store_test.py $<TARGET_FILE:pm_store>
             $<TARGET_FILE:pm_store_unordered>)
    add_test(NAME release.artifact COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/artifact_test.py ${PROJECT_SOURCE_DIR})
    add_test(NAME docs.references COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/docs_refs.py ${PROJECT_SOURCE_DIR})
    add_test(NAME docs.pictures COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/architecture_pictures ${PROJECT_SOURCE_DIR} --check)
    add_custom_target(pictures COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/architecture_pictures ${PROJECT_SOURCE_DIR}
        COMMENT "The pictures of docs/architecture.md" VERBATIM)
    add_test(NAME docs.links COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/docs_links.py ${PROJECT_SOURCE_DIR})
    add_test(NAME system.micro COMMAND micro ${PROJECT_SOURCE_DIR}/benchmarks/micro/micro.ptx)
    add_test(NAME system.micro.core COMMAND micro_core)
    add_test(NAME system.micro.caches COMMAND micro_caches)
    add_test(NAME system.micro.shared COMMAND micro_shared)
    add_test(NAME system.micro.card COMMAND micro_card)
    add_test(NAME system.micro.qv100 COMMAND micro_qv100 ${CMAKE_BINARY_DIR}/kernels/micro_qv100.ptx)
    add_test(NAME system.micro.pm COMMAND micro_pm ${PROJECT_SOURCE_DIR}/benchmarks/micro/micro.ptx)
    add_test(NAME system.kernel_breaks
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/kernel_breaks.py $<TARGET_FILE:cowarp> ${CLANG_14} ${KERNEL_FLAGS})
    add_test(NAME system.stm
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/stm_test.py $<TARGET_FILE:cowarp> ${CLANG_14} ${KERNEL_FLAGS})
    add_test(NAME system.crash
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/crash_test.py $<TARGET_FILE:cowarp> ${CLANG_14} ${KERNEL_FLAGS})
    set_tests_properties(system.crash PROPERTIES TIMEOUT 600)
    add_test(NAME system.hang COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/hang_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.serial COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/serial_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.crash_script COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/crash_script_test.py $<TARGET_FILE:cowarp>)
    set(faults ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/oracle_faults_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.oracle_faults.core COMMAND ${faults} --in "^csim/(core|mem)/")
    add_test(NAME system.oracle_faults.mech COMMAND ${faults} --in "^csim/(mech|adapt)/")
    add_test(NAME system.oracle_faults.unit COMMAND ${faults} --in "^csim/unit/|^rtl/")
    add_test(NAME system.oracle_faults.some COMMAND ${faults} --only "^(ofence-settle|fence-weak|past-unasked|invalidate-not|verilog-conflict|masks-odm-kept)$")
    foreach(part core mech unit some)
        set_tests_properties(system.oracle_faults.${part} PROPERTIES TIMEOUT 600)
    endforeach()
    add_test(NAME system.reproduce COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/reproduce_test.py ${PROJECT_SOURCE_DIR} $<TARGET_FILE:cowarp>)
    set(unmoved ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/unmoved.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.unmoved COMMAND ${unmoved})
    add_test(NAME system.unmoved.some COMMAND ${unmoved} --every 9)
    set_tests_properties(system.unmoved system.unmoved.some PROPERTIES ENVIRONMENT "COWARP_CACHE=${CW_RTL_DIR}" TIMEOUT 600)
    set(renewed ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/renewed.py $<TARGET_FILE:cowarp> --most-refused 0)
    add_test(NAME system.renewed COMMAND ${renewed} --each --most 5)
    foreach(part RANGE 0 5)
        add_test(NAME system.renewed.all.${part} COMMAND ${renewed} --most 40 --every 6 --from ${part})
        set_tests_properties(system.renewed.all.${part} PROPERTIES ENVIRONMENT "COWARP_CACHE=${CW_RTL_DIR}" TIMEOUT 600)
    endforeach()
    set_tests_properties(system.renewed PROPERTIES ENVIRONMENT "COWARP_CACHE=${CW_RTL_DIR}" TIMEOUT 600)
    add_test(NAME system.message_sizes
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/message_sizes.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.rooms
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/mech/rooms_test.py $<TARGET_FILE:cowarp> $<TARGET_FILE:cowarp_rooms>
                ${PROJECT_SOURCE_DIR})
    set_tests_properties(system.rooms PROPERTIES ENVIRONMENT "COWARP_CACHE=${CW_RTL_DIR}" TIMEOUT 600)
    add_test(NAME system.constructs COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/constructs_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.lanes COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/lanes_test.py $<TARGET_FILE:cowarp>)
    add_executable(ptx_same tests/system/ptx_same.c)
    target_include_directories(ptx_same PRIVATE csim)
    target_link_libraries(ptx_same PRIVATE cowarp_csim)
    add_executable(ptx_slots experiments/lowering/slots.c) # for experiments/lowering/counts.py
    target_include_directories(ptx_slots PRIVATE csim)
    target_link_libraries(ptx_slots PRIVATE cowarp_csim)
    add_test(NAME system.together
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/together_test.py $<TARGET_FILE:cowarp> $<TARGET_FILE:ptx_same>)
    add_test(NAME system.read_paths COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/read_paths_test.py $<TARGET_FILE:cowarp>)
    set(lowering ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/lowering_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.lowering COMMAND ${lowering} --every 3)
    add_test(NAME system.lowering.some COMMAND ${lowering} --every 36)
    set_tests_properties(system.lowering system.lowering.some PROPERTIES ENVIRONMENT "COWARP_CACHE=${CW_RTL_DIR}" TIMEOUT 600)
    add_test(NAME system.unit_files COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/unit_files_test.py $<TARGET_FILE:cowarp>
             ${PROJECT_SOURCE_DIR})
    add_test(NAME system.long_names COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/long_names_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.cli COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/cli_test.py $<TARGET_FILE:cowarp>)
    find_program(CHROMIUM chromium) # a large package that nothing else needs
    if(CHROMIUM)
        add_test(NAME system.report_page
            COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/report_page_test.py $<TARGET_FILE:cowarp> ${CHROMIUM})
        add_test(NAME system.serve_page
            COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/serve_page_test.py $<TARGET_FILE:cowarp> ${CHROMIUM})
    endif()
    add_test(NAME docs.trust COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/docs_trust.py ${PROJECT_SOURCE_DIR})
    add_test(NAME system.results COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/results_test.py $<TARGET_FILE:cowarp>)
    set_tests_properties(system.results PROPERTIES TIMEOUT 600)
    add_test(NAME system.runner COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/runner_test.py ${PROJECT_SOURCE_DIR} $<TARGET_FILE:cowarp>)
    add_test(NAME system.runner.each COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/runner_test.py ${PROJECT_SOURCE_DIR} $<TARGET_FILE:cowarp>
             --each Signals)
    set_tests_properties(system.runner system.runner.each PROPERTIES TIMEOUT 600)
    add_test(NAME system.elastic COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/rtl/elastic_test.py ${PROJECT_SOURCE_DIR} $<TARGET_FILE:cowarp>)
    set_tests_properties(system.elastic PROPERTIES TIMEOUT 600)
    add_test(NAME system.facts COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/facts_test.py ${PROJECT_SOURCE_DIR} $<TARGET_FILE:cowarp>)
    # Limits are of one compiler's code.
    set(readme_build other)
    if(COWARP_LTO AND lto_works AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION MATCHES "^12")
        set(readme_build readme)
    endif()
    add_test(NAME speed.instructions COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/host_instructions.py $<TARGET_FILE:cowarp> --build ${readme_build})
    set_tests_properties(speed.instructions PROPERTIES SKIP_RETURN_CODE 77)
    add_test(NAME system.pipes COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/pipes_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.presets COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/presets_test.py ${PROJECT_SOURCE_DIR} $<TARGET_FILE:cowarp>)
    add_test(NAME system.script COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/script_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.occupancy COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/occupancy_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.campaign COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/campaign_test.py ${PROJECT_SOURCE_DIR})
    add_test(NAME system.inputs COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/inputs_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.wide COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/wide_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.matrix COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/matrix_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.functional COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/functional_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.threads COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/threads_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.native COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/native_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.native.all COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/native_test.py $<TARGET_FILE:cowarp> --all)
    set_tests_properties(system.native system.native.all PROPERTIES SKIP_RETURN_CODE 77)
    add_test(NAME system.estimate COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/estimate_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.library COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/library_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.sanitizer_finds COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/sanitizer_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.bounds COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/bounds_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.explain COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/explain_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.advice COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/advice_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.profile COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/profile_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.litmus_persist
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/litmus/litmus_test.py $<TARGET_FILE:cowarp>)
    set_tests_properties(system.litmus_persist PROPERTIES ENVIRONMENT "COWARP_CACHE=${CW_RTL_DIR}" TIMEOUT 600)
    set(memory ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/litmus/memory_test.py $<TARGET_FILE:cowarp>)
    add_test(NAME system.litmus_memory COMMAND ${memory})
    add_test(NAME system.litmus_memory.all COMMAND ${memory} --all Memory.test_machines)
    set_tests_properties(system.litmus_memory system.litmus_memory.all PROPERTIES TIMEOUT 600)
    set(new_unit_test ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/new_unit_test.py $<TARGET_FILE:cowarp> ${PROJECT_SOURCE_DIR})
    add_test(NAME system.unit_from_a_path COMMAND ${new_unit_test} FromAPath)
    add_test(NAME docs.new_unit COMMAND ${new_unit_test} Skeleton)
    set_tests_properties(system.cli system.unit_from_a_path docs.new_unit PROPERTIES ENVIRONMENT "COWARP_CACHE=${CW_RTL_DIR}" TIMEOUT 600)
    add_test(NAME docs.adding_a_unit
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/docs_page.py ${PROJECT_SOURCE_DIR}/docs/adding-a-unit.md
                ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
    set_tests_properties(docs.adding_a_unit PROPERTIES TIMEOUT 600)
    if(NOT COWARP_SANITIZE AND NOT COWARP_COVERAGE) # whose libraries need flags that the page does not have
        add_test(NAME docs.adding_a_mechanism
            COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/docs_mechanism.py ${PROJECT_SOURCE_DIR}/docs/adding-a-mechanism.md
                    ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
        set_tests_properties(docs.adding_a_mechanism PROPERTIES TIMEOUT 600)
        add_test(NAME docs.api
            COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/docs_api.py ${PROJECT_SOURCE_DIR}/docs/api.md ${PROJECT_SOURCE_DIR}
                    ${CMAKE_BINARY_DIR})
        set_tests_properties(docs.api PROPERTIES TIMEOUT 600)
    endif()
    if(TARGET cowarp_cuda)
        set(cuda_test ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/cuda_test.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
        add_test(NAME system.cuda COMMAND ${cuda_test} Programs Command Files Peers Table)
        add_test(NAME system.ci COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/ci_test.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
        add_test(NAME system.validate COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/validate_test.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
        add_test(NAME system.cuda.nvcc COMMAND ${cuda_test} Nvcc)
        set_tests_properties(system.cuda.nvcc PROPERTIES TIMEOUT 600 SKIP_REGULAR_EXPRESSION "no nvcc:")
    endif()
    if(TARGET cowarp_shared)
        add_test(NAME install.tree
            COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/install_test.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}
                    ${CMAKE_COMMAND})
        add_test(NAME install.alone
            COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/alone_test.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}
                    ${CMAKE_COMMAND})
        add_test(NAME install.packages
            COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/packages_test.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
        add_test(NAME system.pages
            COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/pages_test.py $<TARGET_FILE:cowarp> ${CMAKE_BINARY_DIR}/pages)
        set(python_test ${PROJECT_SOURCE_DIR} $<TARGET_FILE:cowarp_shared>)
        add_test(NAME python.structs COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/python/structs_test.py ${python_test})
        add_test(NAME python.gpu COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/python/gpu_test.py ${python_test})
        set_tests_properties(python.gpu PROPERTIES ENVIRONMENT "COWARP_CACHE=${CW_RTL_DIR}" TIMEOUT 600)
        foreach(page python cuda installing)
            add_test(NAME docs.${page} COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/docs_commands.py
                     ${PROJECT_SOURCE_DIR}/docs/${page}.md ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
        endforeach()
    endif()
    add_test(NAME system.waves
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/wave_test.py $<TARGET_FILE:cowarp> ${PROJECT_SOURCE_DIR})
    set_tests_properties(system.waves PROPERTIES ENVIRONMENT "COWARP_CACHE=${CW_RTL_DIR}" TIMEOUT 600)
endfunction()

# Tests sanitized.*: unit and system tests once more, in a build with the sanitizers. What they find lies in C code: they take kernels and
# compiled Verilog from this build, and what mostly runs Python, a compiler or Verilog is left out. Two tests build: one what guards a landing
# needs, one what all need. Called after all tests are there.
function(cw_add_sanitized_tests)
    set(script ${PROJECT_SOURCE_DIR}/tests/sanitized.sh)
    set(build ${CMAKE_BINARY_DIR}/sanitized)
    get_property(unit_targets GLOBAL PROPERTY CW_TEST_TARGETS_unit)
    get_property(system_targets GLOBAL PROPERTY CW_TEST_TARGETS_system)
    get_property(tests DIRECTORY PROPERTY TESTS)
    list(FILTER tests INCLUDE REGEX "^system[.]")
    list(FILTER tests EXCLUDE REGEX "^system[.](waves|reproduce|facts|report_page|unit_from_a_path|artifact|unmoved|renewed|renewed[.]all[.].|pages|ci)$")
    set(small api kernel_params oracles pm pm_options snapshot wave_tap)
    set(small_targets ${small})
    list(TRANSFORM small_targets PREPEND test_)
    add_test(NAME sanitized_build COMMAND ${script} build ${PROJECT_SOURCE_DIR} ${build} ${CMAKE_BINARY_DIR} ${unit_targets} ${small_targets} cowarp)
    set_tests_properties(sanitized_build PROPERTIES FIXTURES_SETUP sanitized RESOURCE_LOCK sanitized_build)
    add_test(NAME sanitized_build.all COMMAND ${script} build ${PROJECT_SOURCE_DIR} ${build} ${CMAKE_BINARY_DIR} ${system_targets}
             cowarp cowarp_rooms micro micro_core micro_caches micro_pm micro_shared micro_card micro_qv100 saxpy pm_store pm_store_unordered)
    set_tests_properties(sanitized_build.all PROPERTIES FIXTURES_SETUP sanitized_all FIXTURES_REQUIRED sanitized RESOURCE_LOCK sanitized_build)
    add_test(NAME sanitized.unit COMMAND ${script} run ${build} "^unit[.]")
    set_tests_properties(sanitized.unit PROPERTIES FIXTURES_REQUIRED sanitized LABELS sanitized)
    list(APPEND small unmoved.some)
    foreach(test ${tests})
        string(REPLACE "." "[.]" pattern "^${test}$")
        add_test(NAME sanitized.${test} COMMAND ${script} run ${build} ${pattern})
        string(REGEX REPLACE "^system[.]" "" name ${test})
        set(fixture sanitized_all)
        if(name IN_LIST small)
            set(fixture sanitized)
        endif()
        set_tests_properties(sanitized.${test} PROPERTIES FIXTURES_REQUIRED ${fixture} LABELS sanitized)
    endforeach()
    # Of the waves, the part with the most memory to itself: going back to before an event.
    add_test(NAME sanitized.system.waves
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/wave_test.py ${build}/cowarp ${PROJECT_SOURCE_DIR} Triggers.test_cycle)
    set_tests_properties(sanitized.system.waves PROPERTIES FIXTURES_REQUIRED sanitized_all LABELS sanitized ENVIRONMENT "COWARP_CACHE=${CW_RTL_DIR}")
endfunction()
