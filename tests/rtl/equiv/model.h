/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In front of a C model's file that is compiled over terms: the headers as they are, then the types, then a descriptor that drives
 * and compares ports by the unit's own list.
 */
#ifndef CW_EQUIV_MODEL_H
#define CW_EQUIV_MODEL_H

#include "symbolic.h"

#include "base/error.h"
#include "base/state.h"

using equiv::bits;

#define uint32_t equiv::bits<32>
#define uint64_t equiv::bits<64>
#define bool equiv::bits<1>

#include "cowarp/unit.h"

#define EQUIV_PARAM(field, vname, def, lo, hi, what) p->field = equiv::parameter(#vname);
#define EQUIV_DRIVE(name, width)                     in->name = equiv::signal(0, #name "_i");
#define EQUIV_COMPARE_PORT(name, width)              equiv::require(out->name == equiv::signal(0, #name "_o"), "output " #name);
#define EQUIV_SKIP(name, width)
#define EQUIV_SKIPW(name, words, width)

/* Parameters of the command line, inputs from the RTL's, outputs against the RTL's. Ports wider than 64 bits are left out. */
#undef CW_UNIT_DEFINE
#define CW_UNIT_DEFINE(u, PARAMS, PORTS, create_fn, destroy_fn, reset_fn, eval_fn, tick_fn, state_fn) \
    extern const struct cw_unit cw_##u##_unit = {};                                                   \
    static void equiv_params(struct cw_##u##_params *p)                                               \
    {                                                                                                 \
        PARAMS(EQUIV_PARAM)                                                                           \
    }                                                                                                 \
    static void equiv_drive(struct cw_##u##_in *in)                                                   \
    {                                                                                                 \
        std::memset(in, 0, sizeof *in);                                                               \
        PORTS(EQUIV_DRIVE, EQUIV_SKIP, EQUIV_SKIPW, EQUIV_SKIPW)                                      \
    }                                                                                                 \
    static void equiv_compare(const struct cw_##u##_out *out)                                         \
    {                                                                                                 \
        PORTS(EQUIV_SKIP, EQUIV_COMPARE_PORT, EQUIV_SKIPW, EQUIV_SKIPW)                               \
    }                                                                                                 \
    static_assert(true, "")

#undef CW_UNIT_DEFINE_WORDS
#define CW_UNIT_DEFINE_WORDS(u, PARAMS, PORTS, WORDS, create_fn, destroy_fn, reset_fn, eval_fn, tick_fn, state_fn) \
    CW_UNIT_DEFINE(u, PARAMS, PORTS, create_fn, destroy_fn, reset_fn, eval_fn, tick_fn, state_fn)

/* What a model saves is tested elsewhere. */
#undef CW_STATE
#undef CW_STATE_PORTS
#define CW_STATE(s, field)       ((void)(s))
#define CW_STATE_PORTS(s, ports) ((void)(s))
#define cw_state_array(s, ...)   ((void)(s))
#define cw_state_count(s, ...)   ((void)(s))

/* The model's limits on parameters are tested elsewhere. */
extern "C" inline int equiv_params_ok(void)
{
    return 0;
}
#define cw_unit_params_check(unit, params, err) equiv_params_ok()

#endif
