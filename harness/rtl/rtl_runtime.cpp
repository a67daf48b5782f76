// SPDX-License-Identifier: Apache-2.0
// The part of libcw_verilated that is not Verilator's own: contexts behind a C interface.
#include <new>

#include "verilated.h"

#include "rtl_library.h"

#define CW_EXPORT __attribute__((visibility("default")))

extern "C" CW_EXPORT void *cw_rtl_context_create(void)
{
    VerilatedContext *context = new (std::nothrow) VerilatedContext;
    if (context)
        context->traceEverOn(true);
    return context;
}

extern "C" CW_EXPORT void cw_rtl_context_destroy(void *context)
{
    delete static_cast<VerilatedContext *>(context);
}
