/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler that libcowarp loads for functional launches (exec/native.h): LLVM makes the code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "emit.h"

#define PASSES "mem2reg,early-cse,simplifycfg"

struct compiler {
    LLVMOrcLLJITRef jit;
    LLVMTargetMachineRef machine;
    uint32_t width; /* lanes of a piece */
    uint32_t made;
};

static int fail(struct cw_error *err, LLVMErrorRef error)
{
    char *text = LLVMGetErrorMessage(error);
    const int status = cw_fail(err, CW_EUNSUP, "native code: %s", text);
    LLVMDisposeErrorMessage(text);
    return status;
}

static bool host_has(const char *feature, const char *features)
{
    char with[64];
    snprintf(with, sizeof with, "+%s", feature);
    const char *at = strstr(features, with);
    return at != NULL && (at[strlen(with)] == ',' || at[strlen(with)] == '\0');
}

static LLVMTargetMachineRef new_machine(const char *features)
{
    char *triple = LLVMGetDefaultTargetTriple(), *name = LLVMGetHostCPUName(), *message = NULL;
    LLVMTargetRef target;
    LLVMTargetMachineRef machine = NULL;
    if (LLVMGetTargetFromTriple(triple, &target, &message) == 0)
        machine = LLVMCreateTargetMachine(target, triple, name, features, LLVMCodeGenLevelLess, LLVMRelocDefault, LLVMCodeModelJITDefault);
    LLVMDisposeMessage(message);
    LLVMDisposeMessage(name);
    LLVMDisposeMessage(triple);
    return machine;
}

static void close_compiler(void *self)
{
    struct compiler *c = self;
    if (c->jit != NULL)
        LLVMOrcDisposeLLJIT(c->jit);
    if (c->machine != NULL)
        LLVMDisposeTargetMachine(c->machine);
    free(c);
}

static int create_jit(struct compiler *c, const char *features, struct cw_error *err)
{
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMTargetMachineRef own = new_machine(features);
    if (own == NULL)
        return cw_fail(err, CW_EUNSUP, "native code: LLVM does not know this host");
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(own));
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&c->jit, builder);
    return error != NULL ? fail(err, error) : CW_OK;
}

static int open_compiler(void **self, struct cw_error *err)
{
    struct compiler *c = calloc(1, sizeof *c);
    if (c == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    char *features = LLVMGetHostCPUFeatures();
    int status = CW_OK;
    if (!host_has("avx2", features) || !host_has("fma", features))
        status = cw_fail(err, CW_EUNSUP, "native code: this host has no AVX2 with FMA");
    c->width = host_has("avx512bw", features) && host_has("avx512dq", features) && host_has("avx512vl", features) ? 16 : 8;
    char all[4096];
    snprintf(all, sizeof all, "%s%s", features, c->width == 16 ? ",-prefer-256-bit" : "");
    LLVMDisposeMessage(features);
    c->machine = status == CW_OK ? new_machine(all) : NULL;
    if (status == CW_OK && c->machine == NULL)
        status = cw_fail(err, CW_EUNSUP, "native code: LLVM does not know this host");
    if (status == CW_OK)
        status = create_jit(c, all, err);
    if (status == CW_OK)
        *self = c;
    else
        close_compiler(c);
    return status;
}

static struct cw_native_types types_of(LLVMContextRef context, uint32_t width)
{
    struct cw_native_types t = {
        .i8 = LLVMInt8TypeInContext(context),
        .i16 = LLVMInt16TypeInContext(context),
        .i32 = LLVMInt32TypeInContext(context),
        .i64 = LLVMInt64TypeInContext(context),
        .bits = LLVMIntTypeInContext(context, width),
        .on = LLVMVectorType(LLVMInt1TypeInContext(context), width),
        .f32 = LLVMVectorType(LLVMFloatTypeInContext(context), width),
        .f64 = LLVMVectorType(LLVMDoubleTypeInContext(context), width),
    };
    t.bytes = LLVMPointerType(t.i8, 0);
    t.v32 = LLVMVectorType(t.i32, width);
    t.v64 = LLVMVectorType(t.i64, width);
    return t;
}

/* Hands the module to the JIT, which makes machine code of it. */
static int finish(struct compiler *c, LLVMOrcThreadSafeContextRef context, LLVMModuleRef module, const char *name, cw_native_code **code,
                  struct cw_error *err)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, PASSES, c->machine, options);
    LLVMDisposePassBuilderOptions(options);
    LLVMOrcThreadSafeModuleRef safe = LLVMOrcCreateNewThreadSafeModule(module, context);
    LLVMOrcExecutorAddress at = 0;
    if (error == NULL)
        error = LLVMOrcLLJITAddLLVMIRModule(c->jit, LLVMOrcLLJITGetMainJITDylib(c->jit), safe);
    if (error == NULL)
        error = LLVMOrcLLJITLookup(c->jit, &at, name);
    if (error != NULL)
        return fail(err, error);
    *code = (cw_native_code *)(uintptr_t)at;
    return CW_OK;
}

static int compile(void *self, const struct cw_native_source *source, const struct cw_native_part *part, cw_native_code **code,
                   uint32_t *entry, struct cw_error *err)
{
    struct compiler *c = self;
    char name[32];
    snprintf(name, sizeof name, "kernel_%u", c->made++);
    LLVMOrcThreadSafeContextRef safe = LLVMOrcCreateNewThreadSafeContext();
    LLVMContextRef context = LLVMOrcThreadSafeContextGetContext(safe);
    struct cw_native_emit e = {.context = context,
                               .module = LLVMModuleCreateWithNameInContext(name, context),
                               .b = LLVMCreateBuilderInContext(context),
                               .source = source,
                               .kernel = source->kernel,
                               .width = c->width,
                               .whole = part->whole,
                               .t = types_of(context, c->width)};
    LLVMSetModuleDataLayout(e.module, LLVMCreateTargetDataLayout(c->machine));
    const bool ok = cw_native_emit_kernel(&e, name, part->first, part->end, entry);
    LLVMDisposeBuilder(e.b);
    const int status = ok ? finish(c, safe, e.module, name, code, err) : cw_fail(err, CW_ENOMEM, "out of memory");
    LLVMOrcDisposeThreadSafeContext(safe);
    return status;
}

static const struct cw_native_compiler compiler = {CW_NATIVE_ABI, open_compiler, compile, close_compiler};

const struct cw_native_compiler *cw_native_compiler_get(void);
const struct cw_native_compiler *cw_native_compiler_get(void)
{
    return &compiler;
}
