# SPDX-License-Identifier: Apache-2.0
# The first step of an installation: ./run builds a part only, so what is missing is built. Included before all that installs something.
get_property(units GLOBAL PROPERTY CW_UNITS)
list(TRANSFORM units REPLACE "(.+)" "${CW_RTL_DIR}/\\1.stamp" OUTPUT_VARIABLE stamps)
set(needed $<TARGET_FILE:cowarp> $<TARGET_FILE:cowarp_shared> $<TARGET_FILE:cowarp_static> $<TARGET_FILE:cowarp_wave> $<TARGET_FILE:cowarp_cuda>
           $<TARGET_FILE:cowarp_runtime_11> $<TARGET_FILE:cowarp_runtime_12> $<TARGET_FILE:cowarp_runtime_13> $<TARGET_FILE:cowarp_driver_1> $<TARGET_FILE:cowarp_nvrtc>
           $<TARGET_FILE:cowarp_libcufft.so.12> ${KERNEL_PTX} ${CW_VERILATED} ${stamps} ${CMAKE_BINARY_DIR}/pages/cowarp.bash)
install(CODE "foreach(file ${needed})
    if(NOT EXISTS \"\${file}\")
        execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${CMAKE_BINARY_DIR}\" --target installed COMMAND_ERROR_IS_FATAL ANY)
        break()
    endif()
endforeach()" ALL_COMPONENTS)
