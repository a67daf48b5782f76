# SPDX-License-Identifier: Apache-2.0
# Mechanisms: which folders there are, and the list cw_mechs[] that the program knows them by.

# cw_add_mechanism(FOLDER NAME...): the mechanisms whose descriptors are cw_mech_NAME, from the sources in FOLDER, go into every program.
function(cw_add_mechanism folder)
    set_property(GLOBAL APPEND PROPERTY CW_MECH_FOLDERS ${folder})
    set_property(GLOBAL APPEND PROPERTY CW_MECHS ${ARGN})
endfunction()

# Writes the list of these mechanisms to FILE.
function(cw_write_mechanisms file)
    set(text "/* Made by cmake/mechanisms.cmake. */\n#include \"mech/mechs.h\"\n\n")
    foreach(name ${ARGN})
        string(APPEND text "extern const struct cw_mech cw_mech_${name};\n")
    endforeach()
    string(APPEND text "\nconst struct cw_mech *const cw_mechs[] = {\n")
    foreach(name ${ARGN})
        string(APPEND text "    &cw_mech_${name},\n")
    endforeach()
    string(APPEND text "    0};\n")
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
endfunction()

# cw_list_mechanisms(LIBRARY): adds to the library what cw_add_mechanism has named so far.
function(cw_list_mechanisms library)
    get_property(folders GLOBAL PROPERTY CW_MECH_FOLDERS)
    get_property(names GLOBAL PROPERTY CW_MECHS)
    foreach(folder ${folders})
        file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
        target_sources(${library} PRIVATE ${sources})
    endforeach()
    cw_write_mechanisms(${PROJECT_BINARY_DIR}/mechs.c ${names})
    target_sources(${library} PRIVATE ${PROJECT_BINARY_DIR}/mechs.c)
endfunction()

# cw_add_mechanism_program(PROGRAM SOURCES... MECHANISM FOLDER NAME...): a program with one mechanism more than the others have. Its own
# list stands before the library's, so the linker takes this one.
function(cw_add_mechanism_program program)
    cmake_parse_arguments(ARG "" "FOLDER" "SOURCES;NAMES" ${ARGN})
    get_property(names GLOBAL PROPERTY CW_MECHS)
    cw_write_mechanisms(${PROJECT_BINARY_DIR}/mechs_${program}.c ${names} ${ARG_NAMES})
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.c)
    add_executable(${program} ${ARG_SOURCES} ${sources} ${PROJECT_BINARY_DIR}/mechs_${program}.c)
endfunction()
