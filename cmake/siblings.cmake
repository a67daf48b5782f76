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
# A view names signals of the unit's own ports; a name that the Verilog does not have is a view that has rotted.
file(READ ${ROOT}/waves/${UNIT}.gtkw view)
file(READ ${ROOT}/rtl/${UNIT}/cw_${UNIT}.v verilog)
string(REGEX MATCHALL "[A-Za-z0-9_.]+\\.[a-z0-9_]+(_i|_o|_q)" signals "${view}")
foreach(signal ${signals})
    string(REGEX REPLACE "^.*\\." "" name ${signal})
    if(NOT verilog MATCHES "[^a-z0-9_]${name}[^a-z0-9_]")
        message(FATAL_ERROR "waves/${UNIT}.gtkw shows ${signal}, but cw_${UNIT}.v has no ${name}")
    endif()
endforeach()
list(LENGTH signals count)
if(count EQUAL 0)
    message(FATAL_ERROR "waves/${UNIT}.gtkw shows no signal of cw_${UNIT}.v")
endif()
message(STATUS "unit ${UNIT} is complete, its view names ${count} signals")
