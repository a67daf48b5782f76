# SPDX-License-Identifier: Apache-2.0
# find_package(cowarp): the targets cowarp::cowarp (shared) and cowarp::static. The tree that this file is in may be moved.
get_filename_component(cowarp_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." REALPATH)
foreach(kind cowarp static)
    if(NOT TARGET cowarp::${kind})
        add_library(cowarp::${kind} UNKNOWN IMPORTED)
        set_target_properties(cowarp::${kind} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${cowarp_prefix}/include)
    endif()
endforeach()
set_target_properties(cowarp::cowarp PROPERTIES IMPORTED_LOCATION ${cowarp_prefix}/lib/libcowarp.so)
set_target_properties(cowarp::static PROPERTIES IMPORTED_LOCATION ${cowarp_prefix}/lib/libcowarp.a INTERFACE_LINK_LIBRARIES "md;z;m;dl;pthread")
