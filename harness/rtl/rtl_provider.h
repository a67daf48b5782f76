/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The provider of unit instances that knows RTL: per unit the C model, the Verilated RTL, or both in lockstep. RTL of a
 * parameter set that was not built yet is built on the first open (see rtl_build.h).
 */
#ifndef CW_HARNESS_RTL_PROVIDER_H
#define CW_HARNESS_RTL_PROVIDER_H

#include <stdbool.h>

#include "cowarp/unit.h"
#include "lockstep.h"
#include "rtl_build.h"
#include "rtl_library.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cw_error;

struct cw_rtl_choice {
    const char *unit;     /* "stall_buffer" */
    const char *instance; /* "partition3.stall_buffer": for this one alone, backend and seed only; NULL: for all of the unit */
    enum cw_unit_backend backend;
    const char *verilog; /* files that take the place of the unit's own (cw_rtl_build_options.files); NULL: none; not copied */
    bool properties;     /* the asserts in its Verilog run along; one that does not hold is told by poll */
    bool elastic;        /* of backend RTL: it may take other times than the contract says (elastic.h) */
    uint32_t seed;       /* of what its registers and RAMs hold before the first reset; 0: zeros */
};

/* All zero means: C models everywhere. */
struct cw_rtl_options {
    struct cw_rtl_build_options build;
    enum cw_unit_backend default_backend; /* of units without a choice; so are the next two */
    bool properties;
    uint32_t seed;
    const struct cw_rtl_choice *choices; /* copied; names too. That of an instance goes before that of its unit */
    uint32_t choice_cnt;
    /* When a lockstep pair differs: who shows its last cycles (cw_lockstep_wave of the waves), in which file; NULL: nobody; not copied. */
    cw_lockstep_wave_fn *mismatch_wave;
    const char *mismatch_file;
    uint32_t ring_cycles;     /* cycles in it, at most 2048; 0: 256 */
    bool mismatch_ports_only; /* no inner signals in it: another wave file traces the RTL */
};

/* 0 or CW_ENOMEM. Strings in opt->build and mismatch_file must live as long as the provider. */
int cw_rtl_provider_create(struct cw_unit_provider *out, const struct cw_rtl_options *opt, struct cw_error *err);

/* After every instance that it opened has been destroyed. */
void cw_rtl_provider_destroy(struct cw_unit_provider *provider);

/* Before its instances are destroyed and others opened in their place: the provider no longer lists them, and a difference that a
 * lockstep pair has reported is no longer told. */
void cw_rtl_provider_forget(struct cw_unit_provider *provider);

/* Whether instances of the unit are RTL, alone or in lockstep; the number of choices for that. */
bool cw_rtl_provider_is_rtl(const struct cw_unit_provider *provider, const struct cw_unit *unit);
uint32_t cw_rtl_provider_rtl_units(const struct cw_unit_provider *provider);
/* The first instance with a choice of its own that has not been opened since the provider was made; NULL: there is none. */
const char *cw_rtl_provider_missing(const struct cw_unit_provider *provider);
/* How the unit's library is built. Strings are the provider's. */
struct cw_rtl_build_options cw_rtl_provider_build(const struct cw_unit_provider *provider, const struct cw_unit *unit);

/* The sum over the unit's elastic instances; false: it has none, and *sum, which is large, is as it was. */
struct cw_elastic_tally;
bool cw_rtl_provider_elastic(const struct cw_unit_provider *provider, const struct cw_unit *unit, struct cw_elastic_tally *sum);

/* Path of the instance that poll complains of; "" when it does not. */
const char *cw_rtl_provider_failed(const struct cw_unit_provider *provider);

/* An RTL instance, alone or the second of a lockstep pair. */
struct cw_rtl_instance {
    const char *name;
    const struct cw_unit *unit;
    const struct cw_rtl_library *library;
    void *self; /* for library->model and library->trace */
};

/* All RTL instances opened so far, in the order of opening; only while none of them has been destroyed. The array is the
 * provider's and is valid until the next open. */
uint32_t cw_rtl_provider_instances(const struct cw_unit_provider *provider, const struct cw_rtl_instance **instances);

#ifdef __cplusplus
}
#endif
#endif
