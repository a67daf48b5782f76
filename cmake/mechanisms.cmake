# SPDX-License-Identifier: Apache-2.0
# Mechanisms: which folders there are, and the list cw_mechs[] that the program knows them by.

# cw_add_mechanism(FOLDER NAME...): the mechanisms whose descriptors are cw_mech_NAME, from the sources in FOLDER, go into every program.
function(cw_add_mechanism folder)
    set_property(GLOBAL APPEND PROPERTY CW_MECH_FOLDERS ${folder})
    set_property(GLOBAL APPEND PROPERTY CW_MECHS ${ARGN})
endfunction()

# cw_add_control(NAME...): control-flow policies whose descriptors are cw_control_NAME.
function(cw_add_control)
    set_property(GLOBAL APPEND PROPERTY CW_CONTROLS ${ARGN})
endfunction()

# cw_write_mechanisms(FILE MECHS names... CONTROLS names...): writes the lists cw_mechs[] and cw_controls[] to FILE.
function(cw_write_mechanisms file)
    cmake_parse_arguments(ARG "" "" "MECHS;CONTROLS" ${ARGN})
    set(text "/* Made by cmake/mechanisms.cmake. */\n#include \"control/control.h\"\n#include \"mech/mechs.h\"\n\n")
    foreach(name ${ARG_CONTROLS})
        string(APPEND text "extern const struct cw_control_ops cw_control_${name};\n")
    endforeach()
    string(APPEND text "const struct cw_control_ops *const cw_controls[] = {\n")
    foreach(name ${ARG_CONTROLS})
        string(APPEND text "    &cw_control_${name},\n")
    endforeach()
    string(APPEND text "    0};\n\n")
    foreach(name ${ARG_MECHS})
        string(APPEND text "extern const struct cw_mech cw_mech_${name};\n")
    endforeach()
    string(APPEND text "\nconst struct cw_mech *const cw_mechs[] = {\n")
    foreach(name ${ARG_MECHS})
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
    get_property(controls GLOBAL PROPERTY CW_CONTROLS)
    cw_write_mechanisms(${PROJECT_BINARY_DIR}/mechs.c MECHS ${names} CONTROLS ${controls})
    target_sources(${library} PRIVATE ${PROJECT_BINARY_DIR}/mechs.c)
endfunction()

# cw_add_mechanism_program(PROGRAM SOURCES file... FOLDER folder [MECHS name...] [CONTROLS name...]): a program with mechanisms or policies
# that the others do not have, from one folder. Its own lists stand before the library's, so the linker takes these.
function(cw_add_mechanism_program program)
    cmake_parse_arguments(ARG "" "FOLDER" "SOURCES;MECHS;CONTROLS" ${ARGN})
    get_property(mechs GLOBAL PROPERTY CW_MECHS)
    get_property(controls GLOBAL PROPERTY CW_CONTROLS)
    cw_write_mechanisms(${PROJECT_BINARY_DIR}/mechs_${program}.c MECHS ${mechs} ${ARG_MECHS} CONTROLS ${controls} ${ARG_CONTROLS})
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.c)
    add_executable(${program} ${ARG_SOURCES} ${sources} ${PROJECT_BINARY_DIR}/mechs_${program}.c)
endfunction()
