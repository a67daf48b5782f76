# SPDX-License-Identifier: Apache-2.0
# Run with -DUNIT=<unit> -DROOT=<source directory>: fails when one of the files that make up a unit is missing.
set(missing)
foreach(file
        include/cowarp/unit/${UNIT}.h
        rtl/${UNIT}/cw_${UNIT}.v
        csim/unit/${UNIT}.c
        docs/units/${UNIT}.md
        tests/rtl/test_${UNIT}.c
        waves/${UNIT}.gtkw)
    if(NOT EXISTS ${ROOT}/${file})
        list(APPEND missing ${file})
    endif()
endforeach()
if(missing)
    list(JOIN missing ", " text)
    message(FATAL_ERROR "unit ${UNIT} has no ${text}")
endif()
# A view names signals of the unit and its parts; a name that no Verilog has is a view that has rotted.
file(READ ${ROOT}/waves/${UNIT}.gtkw view)
file(GLOB sources ${ROOT}/rtl/*/*.v)
set(verilog)
foreach(source ${sources})
    file(READ ${source} text)
    string(APPEND verilog "${text}")
endforeach()
string(REGEX MATCHALL "[A-Za-z0-9_.]+\\.[a-z0-9_]+(_i|_o|_q)[^a-z0-9_]" signals "${view}")
foreach(signal IN LISTS signals)
    string(REGEX REPLACE "^.*\\.([a-z0-9_]+).*$" "\\1" name "${signal}")
    if(NOT verilog MATCHES "[^a-z0-9_]${name}[^a-z0-9_]")
        message(FATAL_ERROR "waves/${UNIT}.gtkw shows ${signal}, but the Verilog has no ${name}")
    endif()
endforeach()
list(LENGTH signals count)
if(count EQUAL 0)
    message(FATAL_ERROR "waves/${UNIT}.gtkw shows no signal")
endif()
message(STATUS "unit ${UNIT} is complete, its view names ${count} signals")
