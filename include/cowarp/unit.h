/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every hardware unit has in common: ports listed once, parameters listed once, and one interface that the C
 * model, the Verilated RTL and the lockstep pair of both implement.
 *
 * A unit <u> has a header include/cowarp/unit/<u>.h with two X-macro lists:
 *
 *   #define CW_<U>_PARAMS(P)            P(field, VERILOG_NAME, default, minimum, maximum, "what it is")
 *   #define CW_<U>_PORTS(IN, OUT, INW, OUTW)
 *       IN(name, width)   OUT(name, width)                 ports of at most 64 bits: a uint64_t in the structs
 *       INW(name, words, width)  OUTW(name, words, width)  wider ports: uint32_t[words], word 0 = bits 31:0
 *
 * A width is a C expression over the parameters, with p pointing to them: IN(req_warpts, p->ts_w). The Verilog port of
 * IN(x, w) is x_i, of OUT(x, w) is x_o; clk_i and rst_i are not listed. CW_UNIT_DECLARE makes from the lists
 *   struct cw_<u>_params, struct cw_<u>_in, struct cw_<u>_out, and const struct cw_unit cw_<u>_unit (defined in the C
 * model's file by CW_UNIT_DEFINE).
 *
 * A third line of the header is the clock that the unit has to reach, which 'cowarp synth' checks:
 *
 *   #define CW_<U>_CLOCK(C)             C(mhz, node_nm, "paper, and what it gives the clock for")
 *
 * CW_UNIT_CLOCK makes the constants cw_<u>_clock_mhz and cw_<u>_clock_node_nm from it. The simulated GPU's clocks are a matter of
 * its configuration, and may be others.
 *
 * A unit may say how waves show its ports, in one more list of its header, which CW_UNIT_DEFINE_WORDS takes:
 *
 *   #define CW_<U>_WORDS(PORT, CHANNEL)
 *       PORT(req_kind, validation_kind, "load", "store")   words for the values 0, 1, ... of a port, and a name for this set of words
 *       CHANNEL(request, validation_request, req_valid, req_ready, req_kind)
 *                                                          a signal "request" of its own: "-" without req_valid, "wait" without req_ready,
 *                                                          else the word of req_kind, a port of the list
 *
 * One cycle is: inputs are driven, outputs are sampled (eval), the clock rises (tick).
 */
#ifndef COWARP_UNIT_H
#define COWARP_UNIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cw_port_dir { CW_PORT_IN, CW_PORT_OUT };

struct cw_port {
    const char *name; /* without _i / _o */
    enum cw_port_dir dir;
    uint32_t width; /* bits, at the given parameters */
    uint32_t words; /* 0: a uint64_t scalar; else uint32_t[words] */
    size_t offset;  /* in the in or out struct */
};

struct cw_param {
    const char *name;         /* C field, e.g. ts_w */
    const char *verilog_name; /* e.g. TS_W */
    uint32_t value_default, minimum, maximum;
    size_t offset; /* in the params struct; every parameter is a uint32_t */
    const char *what;
};

/* Words for the values 0 .. word_cnt-1 of a port. */
struct cw_port_words {
    const char *port;
    uint32_t index;   /* of the port in the unit's list */
    const char *type; /* name of this set of words in a wave file */
    uint32_t word_cnt;
    const char *const *word;
};

/* A channel that waves show as one signal: "-" without valid, "wait" without ready, else the word of a port. */
struct cw_unit_channel {
    const char *name;
    const char *type;      /* name of its set of words in a wave file */
    uint32_t valid, ready; /* index of these ports in the unit's list */
    uint32_t words;        /* index of the port's words in the unit's words */
};

struct cw_state;

/* An implementation of a unit. All functions are safe on different instances from different threads. */
struct cw_unit_ops {
    /* Makes an instance, in the state that a reset leaves. params points to the unit's params struct and is copied.
     * Returns 0, or CW_EINVAL for parameters that the unit refuses, or CW_ENOMEM. */
    int (*create)(void **self, const void *params);
    void (*destroy)(void *self);
    /* One clock cycle with rst_i = 1; all other inputs are don't-care. */
    void (*reset)(void *self);
    /* Outputs of this cycle from state and inputs; no state changes. */
    void (*eval)(void *self, const void *in, void *out);
    /* The rising clock edge at the end of this cycle, with the same inputs that eval saw. */
    void (*tick)(void *self, const void *in);
    /* Names its state, between two cycles, to be saved or loaded (csim/base/state.h). NULL: a run with the unit cannot be saved. */
    void (*state)(void *self, struct cw_state *s);
};

struct cw_unit {
    const char *name; /* "validation_unit" */
    size_t params_size, in_size, out_size;
    const struct cw_param *params;
    uint32_t param_cnt;
    uint32_t port_cnt;
    /* Fills ports[port_cnt] for these parameters. */
    void (*ports)(const void *params, struct cw_port *ports);
    struct cw_unit_ops c_model;
    uint32_t clock_mhz, clock_node_nm;      /* the clock that it has to reach, and the node at which */
    const struct cw_port_words *words;      /* ends with one of port NULL; NULL: none */
    const struct cw_unit_channel *channels; /* ends with one of name NULL; NULL: none */
    /* Folder of the mechanism that brings the unit: it has include/cowarp/unit/<name>.h and rtl/<name>/. NULL: the source tree. */
    const char *home;
};

/* The build sets it for C models in the folder of a mechanism. */
#ifndef CW_UNIT_HOME
#define CW_UNIT_HOME NULL
#endif

/* One instance of a unit, whichever implementation stands behind it. */
struct cw_unit_instance {
    const struct cw_unit *unit;
    const struct cw_unit_ops *ops;
    void *self;
    /* How its state is named, by who has opened it; NULL: by ops->state. */
    void (*state)(struct cw_unit_instance *instance, struct cw_state *s);
};

enum cw_unit_backend { CW_UNIT_C, CW_UNIT_RTL, CW_UNIT_LOCKSTEP };

struct cw_error;
/*
 * Where instances come from. csim asks this for every unit that it builds, so that it needs to know nothing of Verilator.
 * open returns 0 or a negative status with err filled. name is the instance's path, e.g. "partition2.validation_unit".
 */
struct cw_unit_provider {
    void *context;
    int (*open)(void *context, const struct cw_unit *unit, const char *name, const void *params, struct cw_unit_instance *instance,
                struct cw_error *err);
    /* Non-zero status when a lockstep pair opened by this provider has differed (err says where); polled each time step. */
    int (*poll)(void *context, struct cw_error *err);
};

/* Names the instance's state, between two cycles, to be saved or loaded. Fails s with CW_EUNSUP when nobody can. */
void cw_unit_state(struct cw_state *s, struct cw_unit_instance *instance);

/* The same for an ops->state that stands in front of another instance: adds nothing, so that a run can be loaded with it or without. */
void cw_unit_state_behind(struct cw_state *s, struct cw_unit_instance *behind);

/* The provider that always answers with the C model. */
const struct cw_unit_provider *cw_unit_provider_c(void);

/* Sets every parameter to its default. */
void cw_unit_params_default(const struct cw_unit *unit, void *params);

/* 0 when every parameter is within its limits, else CW_EINVAL with err (may be NULL) naming the parameter and the limits. */
int cw_unit_params_check(const struct cw_unit *unit, const void *params, struct cw_error *err);

#define CW_UNIT__IN_FIELD(name, width)         uint64_t name;
#define CW_UNIT__INW_FIELD(name, words, width) uint32_t name[words];
#define CW_UNIT__SKIP(name, width)
#define CW_UNIT__SKIPW(name, words, width)
#define CW_UNIT__PARAM_FIELD(field, vname, def, lo, hi, what) uint32_t field;

/* In the unit's header: the structs, and the descriptor's declaration. */
#define CW_UNIT_DECLARE(u, PARAMS, PORTS)                                           \
    struct cw_##u##_params {                                                        \
        PARAMS(CW_UNIT__PARAM_FIELD)                                                \
    };                                                                              \
    struct cw_##u##_in {                                                            \
        PORTS(CW_UNIT__IN_FIELD, CW_UNIT__SKIP, CW_UNIT__INW_FIELD, CW_UNIT__SKIPW) \
    };                                                                              \
    struct cw_##u##_out {                                                           \
        PORTS(CW_UNIT__SKIP, CW_UNIT__IN_FIELD, CW_UNIT__SKIPW, CW_UNIT__INW_FIELD) \
    };                                                                              \
    extern const struct cw_unit cw_##u##_unit;

#define CW_UNIT__CLOCK_MHZ(mhz, node_nm, source)  (mhz)
#define CW_UNIT__CLOCK_NODE(mhz, node_nm, source) (node_nm)

/* In the unit's header, after CW_UNIT_DECLARE: the clock's constants. */
#define CW_UNIT_CLOCK(u, CLOCK) \
    enum { cw_##u##_clock_mhz = CLOCK(CW_UNIT__CLOCK_MHZ), cw_##u##_clock_node_nm = CLOCK(CW_UNIT__CLOCK_NODE) };

#define CW_UNIT__ONE(name, width)                           +1
#define CW_UNIT__ONEW(name, words, width)                   +1
#define CW_UNIT__PARAM_ROW(field, vname, def, lo, hi, text) {#field, #vname, (def), (lo), (hi), offsetof(CW_UNIT__PARAMS_T, field), text},
#define CW_UNIT__IN_ROW(pname, w)                           *q++ = (struct cw_port){#pname, CW_PORT_IN, (uint32_t)(w), 0, offsetof(CW_UNIT__IN_T, pname)};
#define CW_UNIT__OUT_ROW(pname, w)                          *q++ = (struct cw_port){#pname, CW_PORT_OUT, (uint32_t)(w), 0, offsetof(CW_UNIT__OUT_T, pname)};
#define CW_UNIT__INW_ROW(pname, n, w)                       *q++ = (struct cw_port){#pname, CW_PORT_IN, (uint32_t)(w), (n), offsetof(CW_UNIT__IN_T, pname)};
#define CW_UNIT__OUTW_ROW(pname, n, w)                      *q++ = (struct cw_port){#pname, CW_PORT_OUT, (uint32_t)(w), (n), offsetof(CW_UNIT__OUT_T, pname)};

/*
 * In the C model's file, after
 *   #define CW_UNIT__PARAMS_T struct cw_<u>_params
 *   #define CW_UNIT__IN_T     struct cw_<u>_in
 *   #define CW_UNIT__OUT_T    struct cw_<u>_out
 * defines the descriptor. The functions are the C model's struct cw_unit_ops members; state_fn may be NULL.
 */
#define CW_UNIT_DEFINE(u, PARAMS, PORTS, create_fn, destroy_fn, reset_fn, eval_fn, tick_fn, state_fn) \
    CW_UNIT__DEFINE(u, PARAMS, PORTS, NULL, NULL, create_fn, destroy_fn, reset_fn, eval_fn, tick_fn, state_fn)

/* The same, for a unit that has words. */
#define CW_UNIT_DEFINE_WORDS(u, PARAMS, PORTS, WORDS, create_fn, destroy_fn, reset_fn, eval_fn, tick_fn, state_fn)                 \
    enum { PORTS(CW_UNIT__PORT_INDEX, CW_UNIT__PORT_INDEX, CW_UNIT__PORTW_INDEX, CW_UNIT__PORTW_INDEX) CW_UNIT__PORT_CNT };        \
    enum { WORDS(CW_UNIT__WORDS_INDEX, CW_UNIT__SKIPC) CW_UNIT__WORDS_CNT };                                                       \
    static const struct cw_port_words cw_##u##__words[] = {WORDS(CW_UNIT__WORDS_ROW, CW_UNIT__SKIPC){NULL, 0, NULL, 0, NULL}};     \
    static const struct cw_unit_channel cw_##u##__channels[] = {WORDS(CW_UNIT__SKIPC, CW_UNIT__CHANNEL_ROW){NULL, NULL, 0, 0, 0}}; \
    CW_UNIT__DEFINE(u, PARAMS, PORTS, cw_##u##__words, cw_##u##__channels, create_fn, destroy_fn, reset_fn, eval_fn, tick_fn, state_fn)

/* Numbers instead of names, so that a port that does not exist is an error of the compiler. */
#define CW_UNIT__PORT_INDEX(name, width)         CW_UNIT__PORT_##name,
#define CW_UNIT__PORTW_INDEX(name, words, width) CW_UNIT__PORT_##name,
#define CW_UNIT__WORDS_INDEX(port, ...)          CW_UNIT__WORDS_##port,
#define CW_UNIT__SKIPC(...)
#define CW_UNIT__WORDS_ROW(port, type, ...)                                                                 \
    {#port, CW_UNIT__PORT_##port, #type, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), \
     (const char *const[]){__VA_ARGS__}},
#define CW_UNIT__CHANNEL_ROW(name, type, valid, ready, port) \
    {#name, #type, CW_UNIT__PORT_##valid, CW_UNIT__PORT_##ready, CW_UNIT__WORDS_##port},

#define CW_UNIT__DEFINE(u, PARAMS, PORTS, words_, channels_, create_fn, destroy_fn, reset_fn, eval_fn, tick_fn, state_fn) \
    static void cw_##u##__ports(const void *params, struct cw_port *q)                                                    \
    {                                                                                                                     \
        const struct cw_##u##_params *p = params;                                                                         \
        (void)p;                                                                                                          \
        PORTS(CW_UNIT__IN_ROW, CW_UNIT__OUT_ROW, CW_UNIT__INW_ROW, CW_UNIT__OUTW_ROW)                                     \
    }                                                                                                                     \
    static const struct cw_param cw_##u##__params[] = {PARAMS(CW_UNIT__PARAM_ROW)};                                       \
    const struct cw_unit cw_##u##_unit = {.name = #u,                                                                     \
                                          .params_size = sizeof(struct cw_##u##_params),                                  \
                                          .in_size = sizeof(struct cw_##u##_in),                                          \
                                          .out_size = sizeof(struct cw_##u##_out),                                        \
                                          .params = cw_##u##__params,                                                     \
                                          .param_cnt = sizeof cw_##u##__params / sizeof cw_##u##__params[0],              \
                                          .port_cnt = 0 PORTS(CW_UNIT__ONE, CW_UNIT__ONE, CW_UNIT__ONEW, CW_UNIT__ONEW),  \
                                          .ports = cw_##u##__ports,                                                       \
                                          .c_model = {create_fn, destroy_fn, reset_fn, eval_fn, tick_fn, state_fn},       \
                                          .clock_mhz = cw_##u##_clock_mhz,                                                \
                                          .clock_node_nm = cw_##u##_clock_node_nm,                                        \
                                          .words = words_,                                                                \
                                          .channels = channels_,                                                          \
                                          .home = CW_UNIT_HOME}

#ifdef __cplusplus
}
#endif
#endif
