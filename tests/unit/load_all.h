/* SPDX-License-Identifier: Apache-2.0 */
/* Loading PTX of which every kernel has to run. */
#ifndef CW_TEST_LOAD_ALL_H
#define CW_TEST_LOAD_ALL_H

#include <string.h>

#include "ptx/ptx.h"

/* As cw_ptx_load, and a text with a kernel that cannot run is refused, with what is said of the first such kernel. */
static inline int load_all(struct cw_module **m, const char *text, const char *file, const struct cw_intrinsic *const *intrinsics,
                           struct cw_error *err)
{
    int status = cw_ptx_load(m, text, strlen(text), file, intrinsics, NULL, err);
    for (uint32_t i = 0; status == CW_OK && i < (*m)->kernel_cnt; i++)
        if ((*m)->kernel[i].refused != NULL)
            status = cw_fail(err, (*m)->kernel[i].refused_status, "%s", (*m)->kernel[i].refused);
    if (status != CW_OK) {
        cw_module_destroy(*m);
        *m = NULL;
    }
    return status;
}

#endif
