/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions and values: C's operators and casts over numbers, variables of the program with their members and elements, registers (%r5), what is known
 * of a thread (lane, tid.x, ctaid.y, cycle), and memory (u32[ADDRESS], shared.f32[ADDRESS]). A register has the type that the PTX declares it
 * with. A variable hides a name like lane; $lane is the thread's.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debugger/debug_private.h"

#define WORD       128u /* most characters of a name, with the 0 behind it */
#define DEPTH_MOST 100u /* of operators inside each other */

struct reader {
    const struct cw_debug *d;
    const struct cw_debug_focus *focus;
    const char *at;
    const char *wrong; /* NULL: nothing yet */
    uint32_t depth;
    struct cw_debug_tape *tape; /* what is read is kept here; NULL: nowhere */
};

enum what { A_NUMBER, A_REGISTER, OF_THREAD, UNARY, BINARY };

typedef struct cw_debug_value value;

static value parse(struct reader *r, uint32_t level);
static value primary(struct reader *r);

static value integer(uint64_t bits, bool is_signed)
{
    return (value){.bits = bits, .is_signed = is_signed};
}

static value number_of(double x)
{
    return (value){.is_float = true, .number = x};
}

static double as_float(value v)
{
    return v.is_float ? v.number : v.is_signed ? (double)(int64_t)v.bits : (double)v.bits;
}

static bool is_true(value v)
{
    return v.is_float ? v.number != 0 : v.bits != 0;
}

static value wrong(struct reader *r, const char *text)
{
    if (r->wrong == NULL)
        r->wrong = text;
    return integer(0, false);
}

/* ---- what is kept of the text ---- */

static void keep(struct reader *r, struct cw_debug_step step)
{
    if (r->tape == NULL)
        return;
    if (r->tape->cnt < CW_DEBUG_TAPE)
        r->tape->step[r->tape->cnt++] = step;
    else
        r->tape->is_plain = false;
}

static void keep_number(struct reader *r, value v)
{
    struct cw_debug_step step = {.what = A_NUMBER, .is_float = v.is_float, .is_signed = v.is_signed, .bits = v.bits};
    if (v.is_float)
        memcpy(&step.bits, &v.number, sizeof step.bits);
    keep(r, step);
}

static void keep_register(struct reader *r, const struct cw_named *n)
{
    struct cw_debug_tape *const t = r->tape;
    uint32_t i = 0;
    while (t != NULL && i < t->register_cnt && t->reg[i] != n)
        i++;
    if (t != NULL && i < CW_DEBUG_TAPE_REGISTERS) {
        t->reg[i] = n;
        t->register_cnt = t->register_cnt > i ? t->register_cnt : i + 1;
    } else if (t != NULL) {
        t->is_plain = false;
    }
    keep(r, (struct cw_debug_step){.what = A_REGISTER, .which = i});
}

/* What it is depends on more than the instruction. */
static void keep_none(struct reader *r)
{
    if (r->tape != NULL)
        r->tape->is_plain = false;
}

/* ---- reading ---- */

static void skip(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool take(struct reader *r, const char *token)
{
    skip(r);
    const size_t length = strlen(token);
    if (strncmp(r->at, token, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* Bits as a type of the PTX has them. */
static value typed(uint64_t bits, enum cw_type type)
{
    float f;
    double x;
    const uint32_t low = (uint32_t)bits;
    switch (type) {
    case CW_F32:
        memcpy(&f, &low, sizeof f);
        return number_of((double)f);
    case CW_F64:
        memcpy(&x, &bits, sizeof x);
        return number_of(x);
    case CW_S8:
        return integer((uint64_t)(int64_t)(int8_t)bits, true);
    case CW_S16:
        return integer((uint64_t)(int64_t)(int16_t)bits, true);
    case CW_S32:
        return integer((uint64_t)(int64_t)(int32_t)bits, true);
    case CW_S64:
        return integer(bits, true);
    default:
        return integer(cw_type_bytes(type) == 8 || type == CW_PRED ? bits : bits & ((UINT64_C(1) << 8 * cw_type_bytes(type)) - 1), false);
    }
}

/* A name; with dots, as %v1.x and tid.x have them, or without them, and then with colons. */
static uint32_t word(struct reader *r, bool dots, char text[WORD])
{
    uint32_t length = 0;
    skip(r);
    while (length + 2 < WORD && *r->at != '\0') {
        if (!dots && length > 0 && r->at[0] == ':' && r->at[1] == ':')
            text[length++] = *r->at++;
        else if (!isalnum((unsigned char)*r->at) && strchr(dots ? "%$_." : "%$_", *r->at) == NULL)
            break;
        text[length++] = *r->at++;
    }
    text[length] = '\0';
    return length;
}

/* ---- what is somewhere ---- */

static value of_object(const struct cw_debug_object *o)
{
    return (value){.is_object = true, .object = *o};
}

/* The number that a scalar is. */
static value loaded(struct reader *r, value v)
{
    uint64_t bits;
    float f;
    double x;
    if (!v.is_object || r->wrong != NULL)
        return v;
    const enum cw_debug_class class = cw_debug__class(&v.object.type);
    if (class == CW_DEBUG_STRUCT || class == CW_DEBUG_ARRAY)
        return wrong(r, "a structure or an array is no number");
    const char *why = cw_debug__load(r->d, r->focus, &v.object, &bits);
    if (why != NULL)
        return wrong(r, why);
    const uint32_t low = (uint32_t)bits;
    memcpy(&f, &low, sizeof f);
    memcpy(&x, &bits, sizeof x);
    if (class == CW_DEBUG_FLOAT)
        return number_of(cw_debug__size(&v.object.type) == 4 ? (double)f : x);
    value n = integer(bits, cw_debug__is_signed(&v.object.type) || cw_debug__size(&v.object.type) < 8); /* what fits is exact */
    if (class == CW_DEBUG_POINTER)
        n.pointer = v.object.type;
    return n;
}

/* What a pointer points to, or element i behind it; an array is the pointer to its first one. */
static value pointed(struct reader *r, value v, uint64_t i)
{
    struct cw_debug_object o;
    const char *why;
    if (v.is_object && cw_debug__class(&v.object.type) == CW_DEBUG_ARRAY) {
        why = cw_debug__element(&v.object, i, &o);
    } else {
        v = loaded(r, v);
        if (r->wrong == NULL && !cw_debug__is_pointer(&v))
            return wrong(r, "it is no pointer and no array");
        why = r->wrong != NULL ? r->wrong : cw_debug__pointed(&v.pointer, v.bits, i, &o);
    }
    return why != NULL ? wrong(r, why) : of_object(&o);
}

static value member(struct reader *r, value v)
{
    char name[WORD];
    struct cw_debug_object o;
    word(r, false, name);
    if (r->wrong != NULL)
        return v;
    const char *why = v.is_object ? cw_debug__member(&v.object, name, &o) : "a number has no members";
    return why != NULL ? wrong(r, why) : of_object(&o);
}

/* .NAME, ->NAME and [N] behind a value */
static value parts(struct reader *r, value v)
{
    while (r->wrong == NULL) {
        if (take(r, "->")) {
            v = member(r, pointed(r, v, 0));
        } else if (take(r, ".")) {
            v = member(r, v);
        } else if (take(r, "[")) {
            const value i = loaded(r, parse(r, 0));
            if (!take(r, "]"))
                return wrong(r, "a ] is missing");
            v = i.is_float ? wrong(r, "a number with a fraction numbers no element") : pointed(r, v, i.bits);
        } else {
            break;
        }
    }
    return v;
}

/* &: a generic address, as C has it */
static value address(struct reader *r, value v)
{
    static const uint64_t windows[] = {[CW_SPACE_SHARED] = CW_SHARED_WINDOW,
                                       [CW_SPACE_LOCAL] = CW_LOCAL_WINDOW,
                                       [CW_SPACE_CONST] = CW_CONST_WINDOW,
                                       [CW_SPACE_PARAM] = CW_PARAM_WINDOW};
    if (r->wrong != NULL || !v.is_object || v.object.place != CW_DEBUG_IN_MEMORY || v.object.bits != 0)
        return wrong(r, "it has no address");
    return integer(v.object.address + windows[v.object.space], false);
}

static value of_register(struct reader *r, const char *name)
{
    struct cw_look_warp w;
    uint64_t all[CW_WARP_LANES_MAX];
    if (!cw_debug__warp(r->d, r->focus, &w))
        return wrong(r, "there is no warp here whose registers could be read");
    const struct cw_named *n = cw_debug__named(r->d, name, w.pc);
    if (n == NULL)
        return wrong(r, "no register of that name has a value here; 'info registers' shows those that have");
    keep_register(r, n);
    cw_look_register(cw_debug__warps(r->d, r->focus->core), r->focus->warp, n->o, all);
    return typed(all[r->focus->lane], (enum cw_type)n->type);
}

/* "tid.x", or as CUDA has it "threadIdx.x": 3 * (tid, ctaid, ntid or nctaid) + x, y or z; else 12. */
static uint32_t position_of(const char *name)
{
    static const char *const names[] = {"tid.", "ctaid.", "ntid.", "nctaid.", "threadIdx.", "blockIdx.", "blockDim.", "gridDim."};
    for (uint32_t i = 0; i < 8; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) == 0 && name[length] >= 'x' && name[length] <= 'z' && name[length + 1] == '\0')
            return 3 * (i % 4) + (uint32_t)(name[length] - 'x');
    }
    return 12;
}

#define UNKNOWN 17u /* 0 to 3: cycle, core, warp, lane; 4: attempt; then positions */

static uint32_t which_of(const char *name)
{
    static const char *const names[] = {"cycle", "core", "warp", "lane", "attempt"};
    for (uint32_t i = 0; i < 5; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return 5 + position_of(name);
}

static value known(struct reader *r, uint32_t which)
{
    struct cw_look_warp w;
    uint32_t tid[3] = {0, 0, 0};
    const uint64_t values[] = {which == 0 ? cw_gpu_cycles(r->d->gpu) : 0, r->focus->core, r->focus->warp, r->focus->lane};
    if (which < 4)
        return integer(values[which], true);
    if (!cw_debug__warp(r->d, r->focus, &w))
        return wrong(r, r->d->code->launch.kernel == NULL ? "no kernel has been launched" : "there is no warp here that could be asked");
    if (which == 4)
        return integer(w.attempt, true);
    cw_look_thread(cw_debug__warps(r->d, r->focus->core), r->focus->warp, r->focus->lane, tid);
    const uint32_t *const sets[] = {tid, w.ctaid, w.launch->block, w.launch->grid};
    return which < UNKNOWN ? integer(sets[(which - 5) / 3][(which - 5) % 3], true) : integer(0, true);
}

static value of_thread(struct reader *r, const char *name)
{
    const uint32_t which = which_of(name);
    const value v = known(r, which);
    keep(r, (struct cw_debug_step){.what = OF_THREAD, .which = which});
    if (which < UNKNOWN || r->wrong != NULL)
        return v;
    return wrong(r, r->d->code->dwarf != NULL
                        ? "no variable of that name is here; 'info variables' lists them, and help names other values"
                        : "unknown name: the PTX does not declare it, and has no types of the source (nvcc -G writes them); help "
                          "names other values");
}

/* "u32", "shared.f32": whether the word is a type. */
static bool memory_type(const char *text, uint32_t *space, enum cw_type *type)
{
    const char *dot = strchr(text, '.');
    char name[16];
    *space = CW_SPACE_GENERIC;
    if (dot != NULL) {
        if ((size_t)(dot - text) >= sizeof name)
            return false;
        memcpy(name, text, (size_t)(dot - text));
        name[dot - text] = '\0';
        *space = cw_debug__space(name);
        text = dot + 1;
    }
    for (uint32_t t = CW_U8; t <= CW_F64; t++)
        if (strcmp(cw_type_name((enum cw_type)t), text) == 0) {
            *type = (enum cw_type)t;
            return *space != UINT32_MAX;
        }
    return false;
}

static value of_memory(struct reader *r, uint32_t space, enum cw_type type)
{
    uint64_t bits = 0;
    const value at = loaded(r, parse(r, 0));
    if (!take(r, "]"))
        return wrong(r, "a ] is missing");
    if (r->wrong == NULL && !cw_debug__read(r->d, r->focus, space, at.bits, &bits, cw_type_bytes(type)))
        return wrong(r, "nothing is at that address");
    return typed(bits, type);
}

static value literal(struct reader *r)
{
    char *end, *float_end;
    const double x = strtod(r->at, &float_end);
    const uint64_t bits = strtoull(r->at, &end, 0);
    if (float_end > end && !(r->at[0] == '0' && (r->at[1] | 32) == 'x')) {
        r->at = float_end + (*float_end == 'f' || *float_end == 'F');
        return number_of(x);
    }
    r->at = end + strspn(end, "uUlL");
    return integer(bits, r->at == end || strcspn(end, "uU") >= (size_t)(r->at - end));
}

/* A variable, a register, or what is known of the thread. */
static value named(struct reader *r)
{
    char text[WORD], plain[WORD];
    struct cw_debug_object o;
    uint32_t space;
    enum cw_type type;
    bool is_known = false;
    const char *const begin = r->at;
    if (word(r, true, text) == 0)
        return wrong(r, "a number, a register or a name is missing");
    if (memory_type(text, &space, &type) && take(r, "[")) {
        keep_none(r);
        return of_memory(r, space, type);
    }
    const char *const behind = r->at;
    r->at = begin;
    word(r, false, plain);
    const char *why = text[0] == '%' ? NULL : cw_debug__variable(r->d, r->focus, plain, &is_known, &o);
    const bool is_position = position_of(text) < 12 && !(is_known && why == NULL && cw_debug__class(&o.type) == CW_DEBUG_STRUCT);
    if (is_known && !is_position)
        keep_none(r);
    if (is_known && !is_position)
        return why != NULL ? wrong(r, why) : parts(r, of_object(&o));
    r->at = behind;
    if (text[0] == '$' && isalpha((unsigned char)text[1]))
        return of_thread(r, text + 1);
    return strchr("%$_", text[0]) != NULL ? of_register(r, text) : of_thread(r, text);
}

/* Behind the type. An array goes by its address. */
static value cast(struct reader *r, const struct cw_debug_cast *to)
{
    value v = primary(r);
    if (r->wrong == NULL && v.is_object && cw_debug__class(&v.object.type) == CW_DEBUG_ARRAY)
        v = address(r, v);
    v = loaded(r, v);
    const char *why = r->wrong == NULL ? cw_debug__cast(to, &v) : NULL;
    return why != NULL ? wrong(r, why) : v;
}

static value unary(struct reader *r, char op, value v)
{
    keep(r, (struct cw_debug_step){.what = UNARY, .which = (uint8_t)op});
    if (op == '-')
        return v.is_float ? number_of(-v.number) : integer(0 - v.bits, true);
    return op == '!' ? integer(!is_true(v), true) : integer(~v.bits, false);
}

static value primary(struct reader *r)
{
    struct cw_debug_cast to;
    if (take(r, "(")) {
        if (cw_debug__read_type(r->d->code != NULL ? r->d->code->dwarf : NULL, &r->at, &to)) {
            keep_none(r);
            return cast(r, &to);
        }
        const value v = parse(r, 0);
        return take(r, ")") ? parts(r, v) : wrong(r, "a ) is missing");
    }
    if (++r->depth > DEPTH_MOST)
        return wrong(r, "the expression is too deep");
    if (take(r, "-"))
        return unary(r, '-', loaded(r, primary(r)));
    if (take(r, "!"))
        return unary(r, '!', loaded(r, primary(r)));
    if (take(r, "~"))
        return unary(r, '~', loaded(r, primary(r)));
    if (take(r, "*"))
        return pointed(r, primary(r), 0);
    if (take(r, "&"))
        return address(r, primary(r));
    r->depth--;
    skip(r);
    if (!isdigit((unsigned char)*r->at))
        return named(r);
    const value v = literal(r);
    keep_number(r, v);
    return v;
}

/* By what binds least; longer tokens stand before those that they begin with. */
static const struct {
    const char *token;
    uint32_t level;
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"|", 3},
                 {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

static value compute_float(const char *op, double a, double b)
{
    switch (op[0]) {
    case '+':
        return number_of(a + b);
    case '-':
        return number_of(a - b);
    case '*':
        return number_of(a * b);
    case '/':
        return number_of(a / b);
    case '=':
        return integer(a == b, true);
    case '!':
        return integer(a != b, true);
    case '<':
        return integer(op[1] == '=' ? a <= b : a < b, true);
    default:
        return integer(op[1] == '=' ? a >= b : a > b, true);
    }
}

static value compare(const char *op, value a, value b)
{
    const bool is_signed = a.is_signed && b.is_signed;
    const bool less = is_signed ? (int64_t)a.bits < (int64_t)b.bits : a.bits < b.bits, same = a.bits == b.bits;
    const bool or_same = op[1] == '=';
    const bool result = op[0] == '=' ? same : op[0] == '!' ? !same : op[0] == '<' ? less || (or_same && same) : !less && (or_same || !same);
    return integer(result, true);
}

/* A pointer goes over what it points to. */
static value moved(value pointer, uint64_t by)
{
    const struct cw_debug_type type = cw_debug__target(&pointer.pointer);
    const uint64_t size = cw_debug__size(&type);
    pointer.bits += by * (size != 0 ? size : 1);
    return pointer;
}

static value compute(struct reader *r, const char *op, value a, value b)
{
    const bool is_signed = a.is_signed && b.is_signed;
    if (cw_debug__is_pointer(&a) && (op[0] == '+' || op[0] == '-') && !b.is_float && !cw_debug__is_pointer(&b))
        return moved(a, op[0] == '+' ? b.bits : 0 - b.bits);
    if ((a.is_float || b.is_float) && strchr("+-*/=!<>", op[0]) != NULL && strcmp(op, "<<") != 0 && strcmp(op, ">>") != 0)
        return compute_float(op, as_float(a), as_float(b));
    if (a.is_float || b.is_float)
        return wrong(r, "that operator takes no floating-point number");
    if ((op[0] == '/' || op[0] == '%') && b.bits == 0)
        return wrong(r, "a division by zero");
    if ((op[0] == '/' || op[0] == '%') && is_signed && b.bits == UINT64_MAX) /* by -1, which the host's division may not like */
        return integer(op[0] == '/' ? 0 - a.bits : 0, true);
    if (strcmp(op, "<<") == 0 || strcmp(op, ">>") == 0)
        return integer(b.bits > 63 ? 0 : op[0] == '<' ? a.bits << b.bits : a.bits >> b.bits, is_signed);
    switch (op[0]) {
    case '+':
        return integer(a.bits + b.bits, is_signed);
    case '-':
        return integer(a.bits - b.bits, is_signed);
    case '*':
        return integer(a.bits * b.bits, is_signed);
    case '/':
        return integer(is_signed ? (uint64_t)((int64_t)a.bits / (int64_t)b.bits) : a.bits / b.bits, is_signed);
    case '%':
        return integer(is_signed ? (uint64_t)((int64_t)a.bits % (int64_t)b.bits) : a.bits % b.bits, is_signed);
    case '&':
        return integer(a.bits & b.bits, is_signed);
    case '|':
        return integer(a.bits | b.bits, is_signed);
    case '^':
        return integer(a.bits ^ b.bits, is_signed);
    default:
        return compare(op, a, b);
    }
}

static value binary(struct reader *r, uint32_t i, value left, value right)
{
    const char *const op = operators[i].token;
    keep(r, (struct cw_debug_step){.what = BINARY, .which = i});
    if (strcmp(op, "&&") == 0)
        return integer(is_true(left) && is_true(right), true);
    if (strcmp(op, "||") == 0)
        return integer(is_true(left) || is_true(right), true);
    return compute(r, op, left, right);
}

/* Operators that bind more than `level`. */
static value parse(struct reader *r, uint32_t level)
{
    value left = primary(r);
    while (r->wrong == NULL) {
        uint32_t i = 0;
        const char *const here = r->at;
        while (i < sizeof operators / sizeof operators[0] && !take(r, operators[i].token))
            i++;
        if (i == sizeof operators / sizeof operators[0] || operators[i].level <= level) {
            r->at = here;
            return left;
        }
        const value right = loaded(r, parse(r, operators[i].level));
        left = binary(r, i, loaded(r, left), right);
    }
    return left;
}

static const char *read_text(struct reader *r, value *result)
{
    *result = parse(r, 0);
    skip(r);
    if (r->wrong == NULL && *r->at != '\0')
        r->wrong = "something stands behind the end of the expression";
    return r->wrong;
}

const char *cw_debug__evaluate(const struct cw_debug *d, const char *text, const struct cw_debug_focus *focus, value *result)
{
    struct reader r = {.d = d, .focus = focus, .at = text};
    return read_text(&r, result);
}

const char *cw_debug__number(const struct cw_debug *d, const struct cw_debug_focus *focus, value *v)
{
    struct reader r = {.d = d, .focus = focus, .at = ""};
    *v = loaded(&r, *v);
    return r.wrong;
}

/* ---- a text that has been read ---- */

static void load_registers(struct cw_debug *d, const struct cw_debug_tape *t, const struct cw_debug_focus *focus)
{
    for (uint32_t i = 0; !d->has_values && i < t->register_cnt; i++)
        cw_look_register(cw_debug__warps(d, focus->core), focus->warp, t->reg[i]->o, d->value[i]);
    d->has_values = true;
}

static value kept_number(const struct cw_debug_step *step)
{
    double x;
    memcpy(&x, &step->bits, sizeof x);
    return step->is_float ? number_of(x) : integer(step->bits, step->is_signed);
}

static const char *replay(struct cw_debug *d, const struct cw_debug_tape *t, const struct cw_debug_focus *focus, value *result)
{
    struct reader r = {.d = d, .focus = focus, .at = ""};
    value stack[CW_DEBUG_TAPE], *top = stack; /* its next free place */
    load_registers(d, t, focus);
    for (const struct cw_debug_step *s = t->step; s < t->step + t->cnt && r.wrong == NULL; s++) {
        switch ((enum what)s->what) {
        case A_NUMBER:
            *top++ = kept_number(s);
            break;
        case A_REGISTER:
            *top++ = typed(d->value[s->which][focus->lane], (enum cw_type)t->reg[s->which]->type);
            break;
        case OF_THREAD:
            *top++ = known(&r, s->which);
            break;
        case UNARY:
            top[-1] = unary(&r, (char)s->which, top[-1]);
            break;
        default:
            top--;
            top[-1] = binary(&r, s->which, top[-1], top[0]);
        }
    }
    *result = stack[0];
    return r.wrong;
}

const char *cw_debug__ask(struct cw_debug *d, const char *text, struct cw_debug_tape *tape, const struct cw_debug_focus *focus,
                          value *result)
{
    const struct cw_kernel *const kernel = d->code->launch.kernel;
    const bool is_read = tape != NULL && tape->kernel == kernel && tape->pc == d->before_pc;
    if (is_read && tape->is_plain)
        return replay(d, tape, focus, result);
    struct reader r = {.d = d, .focus = focus, .at = text, .tape = is_read ? NULL : tape};
    if (r.tape != NULL)
        *tape = (struct cw_debug_tape){.kernel = kernel, .pc = d->before_pc, .is_plain = true};
    const char *why = read_text(&r, result);
    why = why == NULL ? cw_debug__number(d, focus, result) : why;
    if (why != NULL && r.tape != NULL)
        tape->kernel = NULL;
    return why;
}
