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

# cw_mechanism_sources(VARIABLE TARGET FOLDER): the C files of a mechanism's folder and of the folders in it. A unit of its own has its contract in
# FOLDER/include/cowarp/unit/ and its Verilog in FOLDER/rtl/<unit>/; who builds the unit's RTL finds them there.
function(cw_mechanism_sources variable target folder)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c ${PROJECT_SOURCE_DIR}/${folder}/*/*.c)
    if(EXISTS ${PROJECT_SOURCE_DIR}/${folder}/include)
        target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/${folder}/include)
        set_source_files_properties(${sources} PROPERTIES COMPILE_DEFINITIONS CW_UNIT_HOME="${PROJECT_SOURCE_DIR}/${folder}")
    endif()
    set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# cw_list_mechanisms(LIBRARY): adds to the library what cw_add_mechanism has named so far.
function(cw_list_mechanisms library)
    get_property(folders GLOBAL PROPERTY CW_MECH_FOLDERS)
    get_property(names GLOBAL PROPERTY CW_MECHS)
    foreach(folder ${folders})
        cw_mechanism_sources(sources ${library} ${folder})
        target_sources(${library} PRIVATE ${sources})
    endforeach()
    get_property(controls GLOBAL PROPERTY CW_CONTROLS)
    cw_write_mechanisms(${PROJECT_BINARY_DIR}/mechs.c MECHS ${names} CONTROLS ${controls})
    target_sources(${library} PRIVATE ${PROJECT_BINARY_DIR}/mechs.c)
endfunction()

# cw_add_mechanism_program(PROGRAM FOLDERS folder... [MECHS name...] [CONTROLS name...]): the cowarp command with mechanisms and policies
# that the others do not have, from these folders. Its own lists stand before the library's, so the linker takes these.
function(cw_add_mechanism_program program)
    cmake_parse_arguments(ARG "" "" "FOLDERS;MECHS;CONTROLS" ${ARGN})
    get_property(mechs GLOBAL PROPERTY CW_MECHS)
    get_property(controls GLOBAL PROPERTY CW_CONTROLS)
    cw_write_mechanisms(${PROJECT_BINARY_DIR}/mechs_${program}.c MECHS ${mechs} ${ARG_MECHS} CONTROLS ${controls} ${ARG_CONTROLS})
    add_executable(${program} ${PROJECT_BINARY_DIR}/mechs_${program}.c)
    foreach(folder ${ARG_FOLDERS})
        cw_mechanism_sources(sources ${program} ${folder})
        target_sources(${program} PRIVATE ${sources})
    endforeach()
    target_link_libraries(${program} PRIVATE cowarp_command)
endfunction()
