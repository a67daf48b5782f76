# SPDX-License-Identifier: Apache-2.0
# Libraries of ours in the place of CUDA's (harness/cuda): libcowarp_cuda is the process with its GPU; libcudart.so.11.0, .12, .13 and libcuda.so.1
# are faces of it, with the symbol versions that programs ask for. They lie in a folder of their own, so that nobody links them by accident.
set(cuda_folder ${CMAKE_BINARY_DIR}/cuda)
set(cuda_source ${PROJECT_SOURCE_DIR}/harness/cuda)
set(cuda_made ${CMAKE_BINARY_DIR}/cuda_made)
set(cuda_functions ${Python3_EXECUTABLE} ${cuda_source}/functions.py)
set(cuda_table ${cuda_source}/functions.py ${cuda_source}/functions.txt)
file(MAKE_DIRECTORY ${cuda_made})

# What textures and surfaces become, as PTX in the library
set(sampler_flags -x cuda --cuda-device-only --cuda-gpu-arch=sm_35 -nocudainc -nocudalib -Wno-unknown-cuda-version -ffp-contract=off -O2)
add_custom_command(OUTPUT ${cuda_made}/sampler.c
                   COMMAND ${CLANG_14} ${sampler_flags} -S ${cuda_source}/sampler.cu -o ${cuda_made}/sampler.ptx
                   COMMAND ${cuda_functions} sampler ${cuda_made}/sampler.ptx ${cuda_made}/sampler.c
                   DEPENDS ${cuda_source}/sampler.cu ${cuda_source}/sampler.h ${cuda_source}/functions.py
                   COMMENT "Textures as PTX" VERBATIM)

add_library(cowarp_cuda SHARED ${cuda_made}/sampler.c ${cuda_source}/array.c ${cuda_source}/codes.c ${cuda_source}/device.c ${cuda_source}/graph.c ${cuda_source}/image.c ${cuda_source}/launch.c ${cuda_source}/hostlib.c ${cuda_source}/lower.c ${cuda_source}/memory.c
                               ${cuda_source}/module.c ${cuda_source}/node.c ${cuda_source}/open.c ${cuda_source}/order.c ${cuda_source}/pending.c ${cuda_source}/pool.c ${cuda_source}/process.c
                               ${cuda_source}/registered.c ${cuda_source}/together.c ${cuda_source}/texture.c)
set_target_properties(cowarp_cuda PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${cuda_folder} LINK_DEPENDS ${cuda_source}/libcowarp_cuda.map)
target_include_directories(cowarp_cuda PRIVATE harness csim include)
target_link_libraries(cowarp_cuda PRIVATE cowarp_session cowarp_fatbin cowarp_api cowarp_waves cowarp_rtl cowarp_csim)
target_link_options(cowarp_cuda PRIVATE -Wl,--version-script=${cuda_source}/libcowarp_cuda.map -Wl,--no-undefined)

install(TARGETS cowarp_cuda LIBRARY DESTINATION lib/cowarp/cuda COMPONENT library)

# In front of NVRTC, for programs that ask it for machine code
add_library(cowarp_nvrtc SHARED ${cuda_source}/nvrtc.c)
set_target_properties(cowarp_nvrtc PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${cuda_folder})
target_link_libraries(cowarp_nvrtc PRIVATE ${CMAKE_DL_LIBS})
install(TARGETS cowarp_nvrtc LIBRARY DESTINATION lib/cowarp/cuda COMPONENT library)

function(cw_add_cuda_face part major soname version)
    set(stem ${cuda_made}/${soname})
    add_custom_command(OUTPUT ${stem}.map ${stem}.same
                       COMMAND ${cuda_functions} map ${part} "${version}" ${stem}.map
                       COMMAND ${cuda_functions} same ${part} ${stem}.same
                       DEPENDS ${cuda_table} VERBATIM)
    add_custom_target(cuda_map_${part}_${major} DEPENDS ${stem}.map ${stem}.same)
    file(WRITE ${stem}.c "const int cw_cuda_runtime_version = ${major};\n")
    set(face cowarp_${part}_${major})
    add_library(${face} SHARED ${stem}.c $<TARGET_OBJECTS:cowarp_cuda_${part}>)
    set_target_properties(${face} PROPERTIES PREFIX "" OUTPUT_NAME ${soname} SUFFIX "" NO_SONAME TRUE LIBRARY_OUTPUT_DIRECTORY ${cuda_folder}
                                             BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
    target_link_options(${face} PRIVATE -Wl,-soname,${soname} -Wl,--version-script=${stem}.map @${stem}.same)
    target_link_libraries(${face} PRIVATE cowarp_cuda)
    add_dependencies(${face} cuda_map_${part}_${major})
    install(TARGETS ${face} LIBRARY DESTINATION lib/cowarp/cuda COMPONENT library)
endfunction()

add_custom_command(OUTPUT ${cuda_made}/driver_versions.c COMMAND ${cuda_functions} versions ${cuda_made}/driver_versions.c DEPENDS ${cuda_table}
                   VERBATIM)
foreach(part runtime driver)
    add_custom_command(OUTPUT ${cuda_made}/${part}_missing.c COMMAND ${cuda_functions} stubs ${part} ${cuda_made}/${part}_missing.c
                       DEPENDS ${cuda_table} VERBATIM)
    file(GLOB face_sources CONFIGURE_DEPENDS ${cuda_source}/${part}*.c)
    set(versions_of_driver ${cuda_made}/driver_versions.c)
    add_library(cowarp_cuda_${part} OBJECT ${face_sources} ${cuda_made}/${part}_missing.c ${versions_of_${part}})
    target_include_directories(cowarp_cuda_${part} PRIVATE harness include)
endforeach()
cw_add_cuda_face(runtime 11 libcudart.so.11.0 libcudart.so.11.0)
cw_add_cuda_face(runtime 12 libcudart.so.12 libcudart.so.12)
cw_add_cuda_face(runtime 13 libcudart.so.13 libcudart.so.13)
cw_add_cuda_face(driver 1 libcuda.so.1 "")

# cuBLAS, cuRAND and cuFFT, which the host computes (harness/hostlib)
function(cw_add_host_library part soname)
    set(face cowarp_${soname})
    set(map ${cuda_made}/${soname}.map)
    file(CONFIGURE OUTPUT ${map} CONTENT "${soname}\n{\n    global:\n        ${part}*;\n    local:\n        *;\n};\n")
    add_library(${face} SHARED $<TARGET_OBJECTS:cowarp_${part}>)
    set_target_properties(${face} PROPERTIES PREFIX "" OUTPUT_NAME ${soname} SUFFIX "" NO_SONAME TRUE LIBRARY_OUTPUT_DIRECTORY ${cuda_folder}
                                             BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN" LINK_DEPENDS ${map})
    target_link_options(${face} PRIVATE -Wl,-soname,${soname} -Wl,--version-script=${map} -Wl,--no-undefined)
    target_link_libraries(${face} PRIVATE cowarp_cuda dl m pthread)
    install(TARGETS ${face} LIBRARY DESTINATION lib/cowarp/cuda COMPONENT library)
    set_property(GLOBAL APPEND PROPERTY CW_HOST_LIBRARIES ${face})
endfunction()

foreach(part cublas curand cufft)
    file(GLOB sources CONFIGURE_DEPENDS harness/hostlib/${part}*.c)
    if(part STREQUAL curand)
        list(APPEND sources harness/hostlib/xorwow.c)
    endif()
    add_library(cowarp_${part} OBJECT ${sources} harness/hostlib/library.c)
    target_include_directories(cowarp_${part} PRIVATE harness include)
endforeach()
foreach(major 11 12 13)
    cw_add_host_library(cublas libcublas.so.${major})
endforeach()
cw_add_host_library(curand libcurand.so.10)
foreach(major 10 11 12)
    cw_add_host_library(cufft libcufft.so.${major})
endforeach()
