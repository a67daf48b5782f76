# SPDX-License-Identifier: Apache-2.0
# Debian packages of what cmake/install.cmake installs: `cpack --config build/CPackConfig.cmake` leaves them in build/packages.
#
#   cowarp          the command, its workloads, its commands over results, manual pages
#   libcowarp0      the shared library, and what it loads
#   libcowarp-dev   headers, static library, examples
#   python3-cowarp  the Python package
#   cowarp-native   machine code of kernels, with LLVM
#   cowarp-rtl      Verilog of the units, the units built for their default parameters, views, synthesis
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cowarp)
set(CPACK_PACKAGE_VENDOR "The authors of cowarp")
set(maintainer "The authors of cowarp <cowarp@example.org>")
if(DEFINED ENV{DEBEMAIL})
    set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_PACKAGE_CONTACT ${maintainer})
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL cowarp library development python rtl)
if(TARGET cowarp_native)
    list(APPEND CPACK_COMPONENTS_ALL native)
endif()
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR} ${CMAKE_BINARY_DIR}/cuda ${CMAKE_BINARY_DIR}/rtl)

# One package: its name, its section, what it is in a line, and in more (lines of Debian's control file).
function(cw_package component name section what more)
    string(TOUPPER ${component} part)
    set(CPACK_DEBIAN_${part}_PACKAGE_NAME ${name} PARENT_SCOPE)
    set(CPACK_DEBIAN_${part}_PACKAGE_SECTION ${section} PARENT_SCOPE)
    set(CPACK_COMPONENT_${part}_DESCRIPTION "${what}\n${more}" PARENT_SCOPE)
    set(CPACK_DEBIAN_${part}_DESCRIPTION "${what}\n${more}" PARENT_SCOPE)
    set(folder ${CMAKE_BINARY_DIR}/install/doc/${name})
    file(MAKE_DIRECTORY ${folder})
    file(WRITE ${folder}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: cowarp

Files: *
Copyright: 2026 The authors of cowarp
License: Apache-2.0
 On Debian systems the full text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
")
    file(WRITE ${folder}/changelog
"${name} (${PROJECT_VERSION}-1) unstable; urgency=medium

  * Built from the source tree; its CHANGELOG.md says what has changed.

 -- ${CPACK_PACKAGE_CONTACT}  Thu, 01 Jan 1970 00:00:00 +0000
")
    execute_process(COMMAND gzip -9nc ${folder}/changelog OUTPUT_FILE ${folder}/changelog.Debian.gz)
    install(FILES ${folder}/copyright ${folder}/changelog.Debian.gz DESTINATION share/doc/${name} COMPONENT ${component} EXCLUDE_FROM_ALL)
    set(overrides ${PROJECT_SOURCE_DIR}/cmake/lintian/${name})
    if(EXISTS ${overrides})
        install(FILES ${overrides} DESTINATION share/lintian/overrides COMPONENT ${component} EXCLUDE_FROM_ALL)
    endif()
endfunction()

cw_package(cowarp cowarp electronics "GPU co-simulator with hardware units in Verilog"
           " cowarp runs PTX kernels and CUDA programs on a cycle-level GPU. The units\n of published GPU mechanisms are C models or compiled Verilog.\n This package has the command.")
cw_package(library libcowarp0 libs "GPU co-simulator with hardware units in Verilog: library"
           " cowarp runs PTX kernels on a cycle-level GPU.\n This package has the shared library, the writer of waves, and the libraries\n that stand in the place of CUDA's.")
cw_package(development libcowarp-dev libdevel "GPU co-simulator with hardware units in Verilog: development"
           " cowarp runs PTX kernels on a cycle-level GPU.\n This package has the headers, the static library and examples.")
cw_package(python python3-cowarp python "GPU co-simulator with hardware units in Verilog: Python"
           " cowarp runs PTX kernels on a cycle-level GPU.\n This package runs them from Python, with numpy arrays.")
cw_package(rtl cowarp-rtl electronics "GPU co-simulator with hardware units in Verilog: the Verilog"
           " cowarp runs PTX kernels on a cycle-level GPU.\n This package has the units in Verilog, as sources and built, their views and\n the scripts that estimate area, timing and power.")

if(TARGET cowarp_native)
    cw_package(native cowarp-native electronics "GPU co-simulator with hardware units in Verilog: native code"
               " cowarp runs PTX kernels on a cycle-level GPU.\n This package makes machine code of kernels that run without time.")
    set(CPACK_DEBIAN_NATIVE_PACKAGE_SHLIBDEPS ON)
endif()
set(same "(= ${PROJECT_VERSION}-1)")
foreach(part COWARP LIBRARY RTL)
    set(CPACK_DEBIAN_${part}_PACKAGE_SHLIBDEPS ON)
endforeach()
file(WRITE ${CMAKE_BINARY_DIR}/install/shlibs "libcowarp ${PROJECT_VERSION_MAJOR} libcowarp${PROJECT_VERSION_MAJOR} (>= ${PROJECT_VERSION})\n")
file(WRITE ${CMAKE_BINARY_DIR}/install/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/install/shlibs ${CMAKE_BINARY_DIR}/install/triggers)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COWARP_PACKAGE_DEPENDS "libcowarp0 ${same}, python3")
set(native)
if(TARGET cowarp_native)
    set(native "cowarp-native, ")
endif()
set(CPACK_DEBIAN_COWARP_PACKAGE_RECOMMENDS "cowarp-rtl, ${native}libblas3, liblapack3, libfftw3-double3, libfftw3-single3, python3-matplotlib")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libcowarp0 ${same}, libmd-dev, zlib1g-dev")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "libcowarp0 ${same}, python3, python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-pandas")
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_NATIVE_PACKAGE_DEPENDS "libcowarp0 ${same}")
set(CPACK_DEBIAN_RTL_PACKAGE_DEPENDS "libcowarp0 ${same}, python3")
set(CPACK_DEBIAN_RTL_PACKAGE_RECOMMENDS "g++, verilator")
set(CPACK_DEBIAN_RTL_PACKAGE_SUGGESTS "gtkwave, iverilog, opensta, qflow-tech-osu018, yosys")
include(CPack)
