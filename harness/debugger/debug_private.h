/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's state. Private to: condition.c, debug.c, frame.c, inspect.c, show.c, state.c, stop.c, travel.c,
 * type.c, variable.c. */
#ifndef CW_DEBUGGER_DEBUG_PRIVATE_H
#define CW_DEBUGGER_DEBUG_PRIVATE_H

#include <stdio.h>
#include <sys/types.h>

#include "core/look.h"
#include "debugger/debug.h"
#include "debugger/dwarf.h"
#include "wave/tap.h"

#define CW_DEBUG_WORDS 24u /* most words of a command */
#define CW_DEBUG_STOPS 64u /* most stops */
#define CW_DEBUG_MARKS 48u /* most processes that stand still */

/* Moments that are no events of the machine: numbers behind those of enum cw_event_type. */
enum cw_debug_moment {
    CW_DEBUG_START = CW_EVENT_TYPES, /* of the run, before the first launch */
    CW_DEBUG_LAUNCH,                 /* a launch begins */
    CW_DEBUG_STEP,                   /* a time step is over */
    CW_DEBUG_LAUNCHED,               /* a launch has ended */
    CW_DEBUG_END,                    /* of the run */
    CW_DEBUG_MOMENTS
};

/* A place in the run. */
struct cw_debug_at {
    uint64_t launch; /* how many have begun */
    cw_time now;
    uint32_t moment; /* enum cw_event_type or cw_debug_moment */
    uint32_t index;  /* of those of that launch and time, from 1 on */
};

enum cw_debug_kind {
    CW_DEBUG_ON_LINE, /* of the PTX or of a source file: the warp comes to it */
    CW_DEBUG_ON_PC,
    CW_DEBUG_ON_KERNEL,
    CW_DEBUG_ON_CYCLE,
    CW_DEBUG_ON_ACCESS,
    CW_DEBUG_ON_BARRIER,
    CW_DEBUG_ON_ABORT,
    CW_DEBUG_ON_COMMIT,
    CW_DEBUG_ON_BEGIN,
    CW_DEBUG_ON_PERSIST,
    CW_DEBUG_ON_DIVERGE,
    CW_DEBUG_ON_CONVERGE,
    CW_DEBUG_ON_BLOCK,
    CW_DEBUG_ON_PORT,
    CW_DEBUG_ON_FINDING,
    CW_DEBUG_ON_ORACLE
};

struct cw_debug_stop {
    uint32_t id;     /* the face's number; 0: the place is free */
    uint32_t kind;   /* enum cw_debug_kind */
    char name[120];  /* source file, kernel, cause of an abort, port with its unit; "": any */
    uint64_t number; /* line, PC, cycle, value of the port */
    uint32_t space;  /* enum cw_space; of an access, with ... */
    uint64_t address, bytes;
    bool reads, writes;
    int64_t core, warp;  /* -1: any */
    char condition[160]; /* "": none */
};

/* How far the run goes beside its stops. */
enum cw_debug_pace {
    CW_DEBUG_FREE,
    CW_DEBUG_INSTRUCTION,
    CW_DEBUG_SOURCE_LINE,
    CW_DEBUG_CYCLES,
    CW_DEBUG_REGION,
    CW_DEBUG_OUT,
    CW_DEBUG_ANSWER
};

/* Who is looked at. */
struct cw_debug_focus {
    uint32_t core, warp, lane;
    uint32_t frame; /* of the calls that the warp is in, 0 the innermost one */
};

/* What the serializability oracle has found. */
struct cw_debug_verdict {
    struct cw_serial_culprit last; /* at 0: nothing */
    char text[200];
};

/* What the run is to do next. It goes from one process to another, so there are no pointers in it. */
struct cw_debug_order {
    bool seeks;     /* goes up to `target`, and keeps the last place before it where it would have stopped ... */
    bool inclusive; /* and looks at that place too */
    bool has_found;
    struct cw_debug_at found; /* ... here, ... */
    char why[200];            /* ... for this */
    struct cw_debug_focus found_focus;
    char wave[200]; /* file of a wave of the way to `target`, from `cycle` on; "": none */
    bool goes_to;   /* stops at `target`, and nowhere else */
    struct cw_debug_at target;
    uint32_t pace; /* enum cw_debug_pace */
    bool stops;    /* at stops, too */
    struct cw_debug_focus focus;
    uint64_t cycle;                  /* of CW_DEBUG_CYCLES: from this one on; when it seeks, up to this one */
    uint32_t depth;                  /* of CW_DEBUG_SOURCE_LINE and CW_DEBUG_OUT: calls that it is in at most */
    char unit[120];                  /* of CW_DEBUG_ANSWER */
    bool has_issued;                 /* the warp has executed an instruction since */
    struct cw_debug_verdict verdict; /* of the way that has been gone */
    uint32_t stop_cnt;               /* places of stop that have been used */
    struct cw_debug_stop stop[CW_DEBUG_STOPS];
};

/* A process that stands still. */
struct cw_debug_mark {
    struct cw_debug_at at;
    double seconds; /* of the host, on the way from the run's start to it */
    pid_t pid;
    int pipe; /* by which it gets its order */
};

/* What the processes of a run share. */
struct cw_debug_common {
    volatile pid_t active; /* the one that runs; 0: the next one is about to */
    volatile int ended, status;
};

/* A word that a thread's attempt has read or written. */
struct cw_debug_word {
    uint64_t address;
    uint32_t lane, value;
    bool writes;
};

#define CW_DEBUG_STORED 32u /* a power of two: more than a thread has on their way at once */

/* A store to local memory, of a thread that reads it back before it is performed. */
struct cw_debug_stored {
    uint64_t address, value;
    uint32_t bytes; /* 0: there has been none */
};

/* What the engine keeps of each warp. */
struct cw_debug_warp {
    bool tried;    /* it has been told that pc is about to be executed, and not that it has been */
    uint32_t pc;   /* of that instruction */
    uint32_t line; /* of the last instruction, as code.line_of has it */
    cw_lanes ran;  /* those of the last instruction that it has come to */
    struct cw_debug_word *word;
    uint32_t word_cnt, word_cap;
    struct cw_debug_stored *stored;        /* [lane][CW_DEBUG_STORED] the last ones, round and round; NULL: none */
    uint8_t stored_cnt[CW_WARP_LANES_MAX]; /* of all that there have been, the low bits */
};

struct cw_debug_code {
    struct cw_debug_launch launch;
    const void *by;         /* which of the machine's launches it is, once one of its warps has been seen: kernels may run side by side */
    bool begun;             /* an instruction of it has been told of */
    uint32_t *line_of;      /* [micro-op] its source line, or that of the PTX where there is none; lines of other files are others */
    uint32_t *depth_of;     /* [micro-op] calls that it is in, with those that the compiler has inlined */
    uint8_t *marked;        /* [micro-op] a stop of a line or PC may be here */
    struct cw_dwarf *dwarf; /* NULL, and why_no_types says why */
    const char *why_no_types;
    const char **text; /* [line - 1] where it begins */
    uint32_t text_cnt;
};

#define CW_DEBUG_TAPE           24u /* most steps of a condition that is read once only */
#define CW_DEBUG_TAPE_REGISTERS 6u  /* and most registers in it */

/* A stop's condition, as its text has been read before an instruction: what it names is the same whenever a warp comes there. */
struct cw_debug_tape {
    const struct cw_kernel *kernel; /* whose instruction it is; NULL: nothing has been read */
    uint32_t pc;
    bool is_plain; /* it has numbers, registers and what is known of the thread; else it is read anew each time */
    uint32_t cnt, register_cnt;
    const struct cw_named *reg[CW_DEBUG_TAPE_REGISTERS];
    struct cw_debug_step {
        uint8_t what; /* condition.c */
        bool is_float, is_signed;
        uint32_t which;    /* register, operator, or what of the thread */
        uint64_t bits;     /* of a number */
    } step[CW_DEBUG_TAPE]; /* operands stand before their operator */
};

struct cw_debug {
    struct cw_gpu *gpu;
    struct cw_event_listener listener;
    int socket;
    char *input; /* what has come and has not been taken */
    size_t input_bytes, input_room;
    struct cw_debug_at at;
    struct cw_debug_at began;         /* where this process, or the copy that it is, has begun to run */
    cw_time step, last_step;          /* times of the last step and of the one before */
    uint32_t count[CW_DEBUG_MOMENTS]; /* of moments at at.launch and at.now */
    struct cw_debug_order order;
    struct cw_debug_focus focus;
    struct cw_debug_code *code;  /* of the launch that is looked at; launch.kernel NULL: none */
    struct cw_debug_code *codes; /* those that run; one at least, which is of no launch before the first one */
    uint32_t code_cnt;
    bool is_before; /* an instruction is about to be executed, here: */
    uint32_t before_core, before_warp, before_pc;
    struct cw_debug_warp *warp; /* [core * slots + warp] */
    uint32_t slots, cores;
    char error[1300];     /* how the last launch has failed; "" */
    struct cw_taps *taps; /* ports of the units */
    uint8_t *clocked;     /* [tap] the unit has been evaluated in this step */
    uint32_t clocked_cnt;
    bool violated;                                              /* the persistency oracle had found something after the last step */
    uint32_t findings;                                          /* places of which the sanitizer knew after the last step */
    uint64_t asked;                                             /* bit of a moment: a stop of this kind may be there ... */
    struct cw_debug_tape tape[CW_DEBUG_STOPS];                  /* of order.stop */
    uint64_t value[CW_DEBUG_TAPE_REGISTERS][CW_WARP_LANES_MAX]; /* of a tape's registers, of all lanes of the warp ... */
    bool has_values;                                            /* ... if they have been read since the stop was asked */
    bool asks_all;                                              /* ... and, before an instruction, not only where code.marked says so */
    struct cw_debug_waves waves;
    char wave_error[1300]; /* why the wave of this way is none; "" */
    struct cw_debug_mark mark[CW_DEBUG_MARKS];
    uint32_t mark_cnt;
    double seconds, since;       /* of the host up to this process, and when that began */
    double marked_at, system_at; /* when the last process was left behind; what the kernel had taken of this one then */
    uint64_t steps;
    int order_pipe;      /* of the process that is to stand still next */
    int life[2], end[2]; /* pipes: broken when the first process has gone; the last process's status */
    struct cw_debug_common *common;
    pid_t first;
};

/* travel.c: the processes */
int cw_debug__travel_begin(struct cw_debug *d, struct cw_error *err);
/* A process stands still here from now on. true: this is a copy that it has made later, and the order is a new one. */
bool cw_debug__mark(struct cw_debug *d);
/* After a step: whether it is time for one more. */
void cw_debug__mark_due(struct cw_debug *d);
/* The order is carried out by a copy of the newest process that stands before the place. Does not return when there is one; false: there is
 * none, so the place is before the run's start. */
bool cw_debug__hand_over(struct cw_debug *d, const struct cw_debug_at *before, const struct cw_debug_order *order);
double cw_debug__seconds(const struct cw_debug *d);
/* The whole run ends. */
void cw_debug__end_all(struct cw_debug *d, int status);

/* stop.c: where the run stops */
struct cw_debug_hit {
    char why[200];
    struct cw_debug_focus focus;
    bool has_focus;
};
/* e: NULL at a moment that is no event. first: the warp has not been told of before at this instruction. */
bool cw_debug__hits(struct cw_debug *d, const struct cw_event *e, uint32_t moment, bool first, struct cw_debug_hit *hit);
/* "stop ID KIND ..." without its first word; NULL, or what is wrong with it. */
const char *cw_debug__add_stop(struct cw_debug *d, char **word, uint32_t cnt);
bool cw_debug__delete_stop(struct cw_debug *d, uint32_t id);
/* The moments at which a stop may be, and of instructions those before which one may be. After each change of stops, and of code. */
void cw_debug__mark_stops(struct cw_debug *d);
/* Whether the order may end or find something at the moment; cw_debug__hits is false where it may not. pc: of CW_EVENT_BEFORE. */
bool cw_debug__concerns(const struct cw_debug *d, uint32_t moment, uint32_t pc);

/* type.c: types of the source, by its DWARF, or of the PTX. */
enum cw_debug_class {
    CW_DEBUG_VOID, /* or of a type that is not described */
    CW_DEBUG_BOOL,
    CW_DEBUG_SIGNED,
    CW_DEBUG_UNSIGNED,
    CW_DEBUG_CHARACTER,
    CW_DEBUG_FLOAT,
    CW_DEBUG_ENUM,
    CW_DEBUG_POINTER,
    CW_DEBUG_ARRAY,
    CW_DEBUG_STRUCT
};
struct cw_debug_type {
    const struct cw_dwarf *dwarf;
    uint32_t entry;       /* of the source: the type's; 0: void, or it is one of the PTX */
    uint32_t skip;        /* how many of the array's dimensions have been passed */
    enum cw_type element; /* of the PTX; CW_TYPE_NONE: of the source */
    uint64_t count; /* of an array of the PTX; of a pointer that a cast has made UINT64_MAX, and the rest is what it points to; else 0 */
};
struct cw_debug_type cw_debug__type(const struct cw_dwarf *w, uint32_t entry);
enum cw_debug_class cw_debug__class(const struct cw_debug_type *t);
uint64_t cw_debug__size(const struct cw_debug_type *t); /* bytes; 0: not known */
/* Of an array, or what a pointer or a reference points to. */
struct cw_debug_type cw_debug__target(const struct cw_debug_type *t);
uint64_t cw_debug__count(const struct cw_debug_type *t); /* elements of an array; 0: not known */
bool cw_debug__is_reference(const struct cw_debug_type *t);
uint32_t cw_debug__pointed_space(const struct cw_debug_type *t); /* enum cw_space */
bool cw_debug__is_signed(const struct cw_debug_type *t);
/* The entry behind typedefs and qualifiers. */
uint32_t cw_debug__bare(const struct cw_dwarf *w, uint32_t entry);
void cw_debug__type_name(const struct cw_debug_type *t, char *text, size_t bytes);
const char *cw_debug__enumerator(const struct cw_debug_type *t, int64_t value); /* its name; NULL: none has that value */

/* frame.c: calls that a warp is in */
struct cw_debug_frame {
    uint32_t scope, line; /* in kernel->scope; of the PTX */
    const char *function; /* NULL: its name is not known */
    const char *file;     /* of the source; NULL: not known */
    uint32_t source_line;
    uint32_t chain[CW_DWARF_DEPTH], chain_cnt; /* entries of the DWARF for its blocks, the innermost first */
};
#define CW_DEBUG_FRAMES 64u /* most that are looked at */
/* The innermost is the first. How many; 0: no lane of the warp runs. */
uint32_t cw_debug__frames(const struct cw_debug *d, const struct cw_debug_focus *focus, struct cw_debug_frame *frame, uint32_t most);

/* variable.c: what is somewhere */
enum cw_debug_place { CW_DEBUG_IN_MEMORY, CW_DEBUG_IN_REGISTER, CW_DEBUG_CONSTANT };
struct cw_debug_object {
    struct cw_debug_type type;
    uint32_t place, space;      /* enum cw_debug_place; enum cw_space */
    uint64_t address;           /* CONSTANT: the value */
    const struct cw_named *reg; /* IN_REGISTER: from byte `address` of it on */
    uint32_t bit, bits;         /* of a bit field; bits 0: it is none */
};
/* The variable of that name in the focused frame, or of the module. NULL, or what is wrong; *is_known: there is one of that name. */
const char *cw_debug__variable(const struct cw_debug *d, const struct cw_debug_focus *focus, const char *name, bool *is_known,
                               struct cw_debug_object *object);
/* Calls tell() for each variable of the focused frame, or of the module: kind says which. wrong: why it has no value; NULL: it has one. */
typedef void cw_debug_tell(void *context, const char *name, const char *kind, const struct cw_debug_object *object, const char *wrong);
void cw_debug__variables(const struct cw_debug *d, const struct cw_debug_focus *focus, bool of_module, cw_debug_tell *tell, void *context);
const char *cw_debug__member(const struct cw_debug_object *o, const char *name, struct cw_debug_object *member);
/* Member number i of a structure; false: there are no more. */
bool cw_debug__nth_member(const struct cw_debug_object *o, uint32_t i, const char **name, struct cw_debug_object *member);
/* Element i of an array, or i behind what a pointer of that value points to. */
const char *cw_debug__element(const struct cw_debug_object *array, uint64_t i, struct cw_debug_object *element);
const char *cw_debug__pointed(const struct cw_debug_type *pointer, uint64_t value, uint64_t i, struct cw_debug_object *object);
/* The bits of a scalar of at most eight bytes. NULL, or what is wrong. */
const char *cw_debug__load(const struct cw_debug *d, const struct cw_debug_focus *focus, const struct cw_debug_object *o, uint64_t *bits);
/* Its value as C writes it. */
void cw_debug__write(const struct cw_debug *d, const struct cw_debug_focus *focus, const struct cw_debug_object *o, FILE *out);

/* condition.c: for the lane of the focus. NULL, or what is wrong. */
struct cw_debug_value {
    bool is_float, is_signed;
    bool is_object; /* it is somewhere: */
    struct cw_debug_object object;
    struct cw_debug_type pointer; /* bits are a pointer of this type, if cw_debug__is_pointer */
    uint64_t bits;                /* an integer */
    double number;                /* is_float */
};
const char *cw_debug__evaluate(const struct cw_debug *d, const char *text, const struct cw_debug_focus *focus,
                               struct cw_debug_value *value);

/* The same as a number. tape: it is asked before an instruction, and what the text says there is kept; may be NULL. d->has_values is false for
 * the first of a warp's lanes. */
const char *cw_debug__ask(struct cw_debug *d, const char *text, struct cw_debug_tape *tape, const struct cw_debug_focus *focus,
                          struct cw_debug_value *value);

/* What it is as a number. NULL, or what is wrong. */
const char *cw_debug__number(const struct cw_debug *d, const struct cw_debug_focus *focus, struct cw_debug_value *v);

/* cast.c: a type that an expression names. */
struct cw_debug_cast {
    struct cw_debug_type type;
    bool is_pointer;
    const char *wrong; /* NULL, or why there is no such value */
};
/* Reads a type and the ) behind it. false: something else is there, and *text stays. w may be NULL. */
bool cw_debug__read_type(const struct cw_dwarf *w, const char **text, struct cw_debug_cast *to);
/* A number becomes one of that type. NULL, or what is wrong. */
const char *cw_debug__cast(const struct cw_debug_cast *to, struct cw_debug_value *v);
bool cw_debug__is_pointer(const struct cw_debug_value *v);

/* state.c: what is read of the machine */
/* Calls that the compiler has inlined around a line of the PTX. */
uint32_t cw_debug__inlined(const struct cw_debug_code *c, uint32_t ptx_line);
const struct cw_core_warps *cw_debug__warps(const struct cw_debug *d, uint32_t core);
bool cw_debug__warp(const struct cw_debug *d, const struct cw_debug_focus *focus, struct cw_look_warp *look);
/* Who the thread of that position is. false: it is not there. */
bool cw_debug__find_thread(const struct cw_debug *d, const uint32_t block[3], const uint32_t thread[3], struct cw_debug_focus *focus);
/* Lanes that run, of which an instruction's guard may leave some out. */
cw_lanes cw_debug__active(const struct cw_debug *d, uint32_t core, uint32_t warp);
/* The register of that name that has its value at this PC; of several the one of the innermost call that has one of that name. NULL: none. */
const struct cw_named *cw_debug__named(const struct cw_debug *d, const char *name, uint32_t pc);
/* Bytes of a space, as the focused thread sees it. false: they are not there. */
bool cw_debug__read(const struct cw_debug *d, const struct cw_debug_focus *focus, uint32_t space, uint64_t address, void *to,
                    uint32_t bytes);
/* The space, enum cw_space, in whose window a generic address lies; it becomes one of that space. */
uint32_t cw_debug__resolve(uint64_t *address);
uint32_t cw_debug__space(const char *name); /* enum cw_space; UINT32_MAX: no space */
/* A port by the name of its unit and its own, "partition2.validation_unit.resp_valid". false: there is none. */
struct cw_debug_port {
    const struct cw_tap *tap;
    const struct cw_port *port;
};
bool cw_debug__port(const struct cw_debug *d, const char *name, struct cw_debug_port *port);
/* The unit of that name, "partition2.validation_unit"; NULL: there is none. */
const struct cw_tap *cw_debug__unit(const struct cw_debug *d, const char *name, size_t length);
/* Its value when its unit was evaluated last; of a wide one the lowest 64 bits. */
uint64_t cw_debug__port_value(const struct cw_debug_port *port);
/* Prepares what is known of the code of launches; cnt 0: and forgets it. false: out of memory. */
bool cw_debug__code(struct cw_debug *d, const struct cw_debug_launch *launch, uint32_t cnt);
void cw_debug__forget_code(struct cw_debug *d);
/* d->code is that of the launch whose warp is there. */
void cw_debug__use(struct cw_debug *d, uint32_t core, uint32_t warp);
/* Stores of lanes. */
void cw_debug__keep_stores(struct cw_debug *d, const struct cw_event *e);
void cw_debug__forget_stores(struct cw_debug_warp *w);
/* A word of a transaction. */
void cw_debug__keep_word(struct cw_debug *d, const struct cw_event *e);
void cw_debug__forget_words(struct cw_debug *d, const struct cw_event *e);

/* inspect.c: answers about variables and calls, written as those of show.c are */
const char *cw_debug__show_calls(struct cw_debug *d, char **word, uint32_t cnt, FILE *out);
const char *cw_debug__show_variables(struct cw_debug *d, char **word, uint32_t cnt, FILE *out);
const char *cw_debug__show_members(struct cw_debug *d, char **word, uint32_t cnt, FILE *out);
const char *cw_debug__show_value(struct cw_debug *d, char **word, uint32_t cnt, FILE *out);

/* show.c: answers */
void cw_debug__string(FILE *out, const char *text);
/* Carries a command that shows something out: writes the members of an object. NULL, or what is wrong. */
const char *cw_debug__show(struct cw_debug *d, char **word, uint32_t cnt, FILE *out);
/* "stopped": why, and the place. */
void cw_debug__tell_place(struct cw_debug *d, FILE *out);

#endif
