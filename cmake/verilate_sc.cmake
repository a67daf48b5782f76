# SPDX-License-Identifier: Apache-2.0
# Run with -DVERILATOR=... -DTOP=... -DPREFIX=... -DDIR=... -DSEARCH="-y;dir;..." [-DPARAMS="-GNAME=1;..."]: Verilog to a SystemC module, all of
# its C++ in the one file DIR/PREFIX_all.cpp, whose name is known before Verilator has run.
file(REMOVE_RECURSE ${DIR})
file(MAKE_DIRECTORY ${DIR})
execute_process(
    COMMAND ${VERILATOR} --sc --default-language 1364-2005 -O3 --x-assign fast --x-initial fast --noassert
        --prefix ${PREFIX} --Mdir ${DIR} ${PARAMS} ${SEARCH} ${TOP}
    RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "verilator could not make a SystemC module of ${TOP}")
endif()
file(GLOB sources ${DIR}/*.cpp)
list(SORT sources)
set(text)
foreach(source ${sources})
    get_filename_component(name ${source} NAME)
    string(APPEND text "#include \"${name}\"\n")
endforeach()
file(WRITE ${DIR}/${PREFIX}_all.cpp "${text}")
