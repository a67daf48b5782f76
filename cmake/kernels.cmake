# SPDX-License-Identifier: Apache-2.0
# kernels/<name>/kernel.cl -> build/kernels/<name>.ptx, with Debian's clang and libclc; benchmarks/micro/<name>.cl -> micro_<name>.ptx there.
find_program(CLANG_14 clang-14 REQUIRED)

set(KERNEL_FLAGS
    -x cl -cl-std=CL1.2 --target=nvptx64-unknown-nvidiacl -O2
    -Xclang -mlink-bitcode-file -Xclang /usr/lib/clc/nvptx64--nvidiacl.bc
    -include clc/clc.h -I ${PROJECT_SOURCE_DIR}/kernels/include)

file(GLOB KERNEL_HEADERS CONFIGURE_DEPENDS kernels/include/*.h kernels/*/body.h kernels/*/request.h)
file(GLOB KERNEL_SOURCES CONFIGURE_DEPENDS kernels/*/kernel.cl)
file(GLOB BENCHMARK_SOURCES CONFIGURE_DEPENDS benchmarks/micro/*.cl)
set(KERNEL_PTX)
foreach(source ${KERNEL_SOURCES} ${BENCHMARK_SOURCES})
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(name ${folder} NAME)
    set(ptx ${CMAKE_BINARY_DIR}/kernels/${name}.ptx)
    if(source IN_LIST BENCHMARK_SOURCES)
        get_filename_component(name ${source} NAME_WE)
        set(ptx ${CMAKE_BINARY_DIR}/kernels/micro_${name}.ptx)
    endif()
    if(NOT COWARP_BESIDE)
        add_custom_command(
            OUTPUT ${ptx}
            COMMAND ${CLANG_14} ${KERNEL_FLAGS} -S ${source} -o ${ptx}
            DEPENDS ${source} ${KERNEL_HEADERS}
            COMMENT "OpenCL C to PTX: ${name}"
            VERBATIM)
    endif()
    list(APPEND KERNEL_PTX ${ptx})
endforeach()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/kernels)
add_custom_target(kernels ALL DEPENDS ${KERNEL_PTX})
