/* SPDX-License-Identifier: Apache-2.0 */
/* Which C++ compiler makes a unit's library, and with which flags. */
#ifndef CW_HARNESS_RTL_COMPILER_H
#define CW_HARNESS_RTL_COMPILER_H

#include <stdbool.h>

/* Commands, of which words between blanks may be options. They are the environment's or constants: nobody frees them. */
struct cw_rtl_compilers {
    const char *model;   /* makes what has to be built */
    const char *also;    /* its libraries serve as well, where they are there already */
    const char *runtime; /* makes Verilator's run time, which both kinds of library call */
};

/* All three are named, else $CXX (NULL and "" mean that nobody names one). Else clang++-14 makes models where it is in the PATH, as they run
 * quicker, and g++ the rest. */
struct cw_rtl_compilers cw_rtl_compilers(const char *named);

/* Whether a command is clang's: its options differ, and its libraries have names of their own. */
bool cw_rtl_is_clang(const char *cxx);

/* Optimisation for this processor, words between blanks. */
const char *cw_rtl_compiler_flags(void);

#endif
