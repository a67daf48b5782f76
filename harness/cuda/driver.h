/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver API: its contexts, and its copies as a program's object code has them. Names are CUDA's, because they are the interface.
 *
 * Private to: driver.c, driver_context.c, driver_launch.c, driver_link.c, driver_memory.c, driver_module.c, driver_pool.c, driver_stream.c,
 * driver_texture.c.
 */
#ifndef CW_HARNESS_CUDA_DRIVER_H
#define CW_HARNESS_CUDA_DRIVER_H

#include "cuda/cuda.h"

/* A function of the driver, as functions.py makes the table of it: "cuCtxCreate", of version `since` of CUDA (12050 is 12.5), is the symbol
 * cuCtxCreate_v4. One name may have several rows, the newest last. */
struct cw_driver_function {
    const char *name;
    int since;
    const char *symbol;
};
extern const struct cw_driver_function cw_driver_functions[];
extern const unsigned cw_driver_function_cnt;

/* CW_CUDA_INIT: cuInit has not been called; CW_CUDA_CONTEXT: the thread has no current context. A program that uses the runtime as well has
 * the primary one without asking for it. */
int cw_driver_ready(void);
void cw_driver_init(void);
bool cw_driver_is_init(void);
#define CW_DRIVER_NEEDS_CONTEXT()            \
    do {                                     \
        const int code_ = cw_driver_ready(); \
        if (code_ != CW_CUDA_OK)             \
            return code_;                    \
    } while (0)

/* The one context, of which every handle is a name. */
struct cw_driver_context;
struct cw_driver_context *cw_driver_current(void);

#endif
