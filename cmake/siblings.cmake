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
# That each name of the view is in a trace is what system.waves checks, with a trace; here only that it is a view of this unit.
file(STRINGS ${ROOT}/waves/${UNIT}.gtkw signals REGEX "^([+]{[^}]*} )?[a-z][A-Za-z0-9_]*[.]")
list(LENGTH signals count)
if(count EQUAL 0)
    message(FATAL_ERROR "waves/${UNIT}.gtkw shows no signal")
endif()
message(STATUS "unit ${UNIT} is complete, its view names ${count} signals")
