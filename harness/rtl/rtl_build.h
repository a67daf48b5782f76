/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the shared library of a unit's RTL for one set of parameter values: Verilog through Verilator, a generated C++ shim
 * between the unit's structs and the Verilated model, and a C++ compiler. The ports that Verilator reports are
 * compared with the unit's list first: a difference in name, direction or width is an error that names the port.
 */
#ifndef CW_HARNESS_RTL_BUILD_H
#define CW_HARNESS_RTL_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "cowarp/unit.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_PATH_MAX 4096 /* bytes of a path, with the final 0 */

/* Every pointer may be NULL, for what its comment says. Strings are only read during the call they are given to. */
struct cw_rtl_build_options {
    const char *source_dir; /* holds rtl/, include/, harness/rtl/; NULL: cowarp's own (rtl_place.h) */
    const char *rtl_dir;    /* the Verilog; NULL: source_dir/rtl */
    const char *files; /* the unit's own Verilog (rtl_files.h), with module cw_<unit>; what it names is looked for beside each file and in
                        * the folders, then in rtl_dir. Its warnings do not stop the build. NULL: the unit's file in rtl_dir */
    bool properties;   /* the asserts in the Verilog run along (CW_PROPERTIES, docs/proofs.md) */
    bool precompile;   /* keep Verilator's headers compiled in cache_dir, some 70 MB per set of flags: a build takes a second less */
    const char *prebuilt_dir; /* searched first, never written; NULL: cowarp's own, if any */
    const char *cache_dir;    /* NULL: $COWARP_CACHE, else $XDG_CACHE_HOME/cowarp, else $HOME/.cache/cowarp */
    const char *cxx;          /* C++ compiler; NULL: $CXX, else clang++-14 for models if it is there, else g++ */
    const char *cxx_flags;    /* space-separated; NULL: $COWARP_RTL_CXXFLAGS, else -O3 and what suits this processor */
    void (*message)(void *context, const char *text); /* progress, one line; NULL: silent */
    void *message_context;
    int (*stop)(void *context); /* asked some hundred times a second while a tool runs, non-zero ends the build; NULL: nobody */
    void *stop_context;
};

/*
 * Path of the library for these parameter values, of the current sources: from prebuilt_dir, else from the cache, else
 * built into the cache. Its name contains cw_rtl_digest and the compiler's flags, so a library of older sources is never
 * taken. A build that was killed leaves a folder in the cache, which goes with the next build. Written to a temporary name and renamed: two
 * processes may build the same library at once. 0; CW_EINVAL parameters out of range; CW_ELIMIT it was ended; CW_EIO tools or files
 * missing; CW_EMISMATCH ports differ from the unit's list.
 */
int cw_rtl_find(char path[CW_PATH_MAX], const struct cw_unit *unit, const void *params, const struct cw_rtl_build_options *opt,
                struct cw_error *err);

/* The folder of built RTL, which may not be there yet: given, or where that is NULL as cache_dir of the options says. 0, or CW_EINVAL: too long, or no
 * variable says where. */
int cw_rtl_cache_dir(char out[CW_PATH_MAX], const char *given, struct cw_error *err);

/* Builds libcw_verilated-<version>-<ABI>.so into dir unless it is there. */
int cw_rtl_build_runtime(char path[CW_PATH_MAX], const char *dir, const struct cw_rtl_build_options *opt, struct cw_error *err);

/* Digest of the Verilog that the unit consists of (its file and every cw_* module that it names, transitively; with files also the packages,
 * and every file beside them whose name one of these contains), of the parameter values, the port list, the shim's template and the ABI. */
int cw_rtl_digest(uint64_t *digest, const struct cw_unit *unit, const void *params, const struct cw_rtl_build_options *opt,
                  struct cw_error *err);

/* A source file of a unit: its path and its whole text, of length bytes with a 0 behind them. */
typedef void cw_rtl_source_fn(void *context, const char *path, const char *text, size_t length);
/* Tells every file of the Verilog that the unit consists of, each once, as cw_rtl_digest takes them. 0, CW_EIO or CW_ENOMEM. */
int cw_rtl_sources(const struct cw_unit *unit, const struct cw_rtl_build_options *opt, cw_rtl_source_fn *each, void *context,
                   struct cw_error *err);

/* Path of module.v in rtl_dir (any folder directly below it). CW_EIO when there is none. */
int cw_rtl_module_path(char path[CW_PATH_MAX], const char *module, const struct cw_rtl_build_options *opt);

#ifdef __cplusplus
}
#endif
#endif
