/* SPDX-License-Identifier: Apache-2.0 */
/* What Verilog declares and uses, as far as it takes to find the files of packages: Verilator wants these named, and in order. */
#ifndef CW_HARNESS_RTL_PACKAGE_H
#define CW_HARNESS_RTL_PACKAGE_H

#include <stdbool.h>

#include "rtl_files.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cw_error;

/* A copy without comments, which the caller frees; NULL: no memory. */
char *cw_rtl_code(const char *verilog);
/* Whether the word is in the text. */
bool cw_rtl_has_word(const char *text, const char *word);
/* Whether code declares that name: "module name", "package automatic name". */
bool cw_rtl_declares(const char *code, const char *keyword, const char *name);

/* Appends the files of packages that the code uses (NAME::), those before it that they use themselves. Looks at the .sv and .v files in the
 * folders; packages that a known file declares are none of them. 0 or CW_ENOMEM. */
int cw_rtl_packages(struct cw_rtl_names *found, const char *code, const struct cw_rtl_names *folders, const struct cw_rtl_names *known,
                    struct cw_error *err);

#ifdef __cplusplus
}
#endif
#endif
