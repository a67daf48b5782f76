/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that a toolkit links to every kernel, as PTX (library.c). Private to: library.c, load.c. */
#ifndef CW_PTX_LIBRARY_H
#define CW_PTX_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

struct cw_library_function {
    const char *name, *text; /* its definition; NULL: it is in cw_ptx_device_runtime */
    uint32_t bytes[6];       /* of its formals, the result first */
    uint32_t formals, results;
    bool has_heap; /* it needs cw_ptx_library_heap */
};

/* i = 0, 1, ... until it returns NULL. */
const struct cw_library_function *cw_ptx_library_at(uint32_t i);
extern const char cw_ptx_library_heap[];
extern const char cw_ptx_device_runtime[]; /* Made of device_runtime.ptx */

#endif
