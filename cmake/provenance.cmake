# SPDX-License-Identifier: Apache-2.0
# Writes what a build is made of into a C file that both libraries have: the commit, a digest of the sources, the compiler.
#
#   cmake -D SOURCE=DIR -D OUT=FILE.c -D COMPILER=TEXT -P provenance.cmake
#
# It runs in each build. The file is written only when it says something new, so a build in which nothing has changed links nothing again.
# A commit with changes to the sources has a + behind it; a tree that is not in git has the commit "unknown", and still its digest.
set(patterns CMakeLists.txt CMakePresets.json)
foreach(folder cmake csim harness include kernels rtl)
    foreach(extension c h def cpp in cl v cmake map)
        list(APPEND patterns ${folder}/*.${extension})
    endforeach()
endforeach()

# The digest is of lines "DIGEST  PATH" in the order of the paths, as of sha256sum.
set(lines "")
file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE ${SOURCE} ${SOURCE}/cmake/* ${SOURCE}/csim/* ${SOURCE}/harness/* ${SOURCE}/include/*
     ${SOURCE}/kernels/* ${SOURCE}/rtl/*)
list(FILTER files INCLUDE REGEX "\\.(c|h|def|cpp|in|cl|v|cmake|map)$")
list(APPEND files CMakeLists.txt CMakePresets.json)
list(SORT files COMPARE STRING)
foreach(name IN LISTS files)
    if(EXISTS ${SOURCE}/${name})
        file(SHA256 ${SOURCE}/${name} digest)
        string(APPEND lines "${digest}  ${name}\n")
    endif()
endforeach()
string(SHA256 sources "${lines}")

set(commit "unknown")
find_program(GIT git)
if(GIT)
    set(git ${GIT} --no-optional-locks -C ${SOURCE})
    execute_process(COMMAND ${git} rev-parse --show-toplevel OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    file(REAL_PATH "${SOURCE}" source)
    if(top STREQUAL source)
        execute_process(COMMAND ${git} rev-parse --short=12 HEAD OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        execute_process(COMMAND ${git} status --porcelain --untracked-files=all -- ${patterns} OUTPUT_VARIABLE changes RESULT_VARIABLE status
                        ERROR_QUIET)
        if(head AND status EQUAL 0)
            set(commit "${head}")
            if(NOT changes STREQUAL "")
                string(APPEND commit "+")
            endif()
        endif()
    endif()
endif()

string(SUBSTRING "${COMPILER}" 0 800 COMPILER)
string(STRIP "${COMPILER}" COMPILER)
string(REGEX REPLACE " +" " " COMPILER "${COMPILER}")
string(REGEX REPLACE "([\\\"])" "\\\\\\1" compiler "${COMPILER}")
file(CONFIGURE OUTPUT "${OUT}" @ONLY CONTENT
"/* Made by cmake/provenance.cmake. */
#include \"api/provenance.h\"

const struct cowarp__provenance cowarp__provenance = {
    .mark = CW_PROVENANCE_MARK,
    .commit = \"${commit}\",
    .sources = \"${sources}\",
    .compiler = \"${compiler}\",
};
")
