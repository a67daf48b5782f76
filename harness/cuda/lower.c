/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine has no texture unit. So instructions of textures and surfaces become calls of functions that do the same (sampler.cu), before
 * the text is read. Each is replaced in its line, and the functions go into the line behind the header: line numbers stay as they are.
 *
 * What is not understood stays as it is, and the reader refuses the kernel that has it, with its line.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/lower.h"

#define NAME_MOST 64u /* letters of a register or of a variable */
#define PART_MOST 12u /* parts of an instruction's name, and operands of it */

/* Text that grows. */
struct out {
    char *text;
    size_t length, room;
    bool failed; /* out of memory */
};

static void put_bytes(struct out *o, const char *text, size_t length)
{
    if (o->length + length + 1 > o->room) {
        const size_t room = 2 * (o->length + length) + 4096;
        char *more = realloc(o->text, room);
        o->failed |= more == NULL;
        if (more == NULL)
            return;
        o->text = more;
        o->room = room;
    }
    memcpy(o->text + o->length, text, length);
    o->length += length;
    o->text[o->length] = '\0';
}

static void put(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct out *o, const char *fmt, ...)
{
    char piece[512];
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(piece, sizeof piece, fmt, ap);
    va_end(ap);
    put_bytes(o, piece, (size_t)n < sizeof piece ? (size_t)n : sizeof piece - 1);
}

/* An instruction in its parts. */
struct inst {
    char part[PART_MOST][NAME_MOST]; /* "tex", "2d", "v4", "f32", "f32" */
    unsigned part_cnt;
    char value[4][NAME_MOST]; /* what it writes, or for a store what it stores */
    unsigned value_cnt;
    char handle[NAME_MOST];
    char at[4][NAME_MOST];
    unsigned at_cnt;
};

static const char *skip(const char *c)
{
    return c + strspn(c, " \t\r\n");
}

/* A register, a number, or a name. NULL: there is none. */
static const char *read_name(char name[NAME_MOST], const char *c)
{
    c = skip(c);
    const size_t n = strcspn(c, " \t\r\n,{}[]();|");
    if (n == 0 || n >= NAME_MOST)
        return NULL;
    memcpy(name, c, n);
    name[n] = '\0';
    return skip(c + n);
}

/* "{a, b}" or "a". */
static const char *read_list(char list[4][NAME_MOST], unsigned *cnt, const char *c)
{
    c = skip(c);
    *cnt = 0;
    if (*c != '{') {
        *cnt = 1;
        return read_name(list[0], c);
    }
    do {
        c = *cnt < 4 ? read_name(list[(*cnt)++], c + 1) : NULL;
    } while (c != NULL && *c == ',');
    return c != NULL && *c == '}' ? skip(c + 1) : NULL;
}

/* "[handle, {x, y}]" or "[handle]". */
static const char *read_place(struct inst *i, const char *c)
{
    c = skip(c);
    c = *c == '[' ? read_name(i->handle, c + 1) : NULL;
    if (c != NULL && *c == ',')
        c = read_list(i->at, &i->at_cnt, c + 1);
    return c != NULL && *c == ']' ? skip(c + 1) : NULL;
}

static bool is(const struct inst *i, unsigned part, const char *word)
{
    return part < i->part_cnt && strcmp(i->part[part], word) == 0;
}

/* From the first letter of its name to the semicolon. */
static bool read_inst(struct inst *i, const char *c)
{
    *i = (struct inst){0};
    const char *end = c + strcspn(c, " \t\r\n");
    while (c < end && i->part_cnt < PART_MOST) {
        const size_t n = strcspn(c, ". \t\r\n");
        if (n == 0 || n >= NAME_MOST)
            return false;
        memcpy(i->part[i->part_cnt++], c, n);
        c += n + (c[n] == '.');
    }
    c = end;
    if (is(i, 0, "sust")) {
        c = read_place(i, c);
        c = c != NULL && *c == ',' ? read_list(i->value, &i->value_cnt, c + 1) : NULL;
        return c != NULL && *c == ';';
    }
    c = read_list(i->value, &i->value_cnt, c);
    c = c != NULL && *c == ',' ? read_place(i, c + 1) : NULL;
    return c != NULL && (*c == ';' || *c == ','); /* behind a comma: a level or gradients, of which there is one level */
}

/* The dimensions. layered: the first coordinate is a layer. 0: not known. */
static unsigned geometry(const char *word, bool *layered)
{
    *layered = word[0] == 'a';
    const char *rest = word + *layered;
    return strlen(rest) == 2 && rest[1] == 'd' && rest[0] >= '1' && rest[0] <= (*layered ? '2' : '3') ? (unsigned)(rest[0] - '0') : 0;
}

static void use(bool *used, const char *function)
{
    for (unsigned k = 0; k < cw_sampler_function_cnt; k++)
        if (strcmp(cw_sampler_functions[k].name, function) == 0)
            used[k] = true;
}

/* The handle in a register: a variable of the older references holds it. */
static void put_handle(struct out *o, const struct inst *i)
{
    put(o, ".reg .b64 cw_t; ");
    put(o, i->handle[0] == '%' ? "mov.b64 cw_t, %s; " : "ld.global.u64 cw_t, [%s]; ", i->handle);
}

/* The parameters of a call, with their values. float_from: the first coordinate that is no integer. */
static void put_params(struct out *o, const struct inst *i, unsigned cnt, unsigned float_from)
{
    put(o, ".param .b64 cw_h; st.param.b64 [cw_h], cw_t; ");
    for (unsigned k = 0; k < cnt; k++)
        put(o, k < float_from ? ".param .b32 cw_%u; st.param.b32 [cw_%u], %s; " : ".param .f32 cw_%u; st.param.f32 [cw_%u], %s; ", k, k,
            i->at[k]);
}

static void put_call(struct out *o, const char *function, unsigned cnt)
{
    put(o, "call (cw_r), %s, (cw_h", function);
    for (unsigned k = 0; k < cnt; k++)
        put(o, ", cw_%u", k);
}

/* tex.2d.v4.f32.s32, with .base or .level or .grad behind the first part; tld4.r.2d.v4.f32.f32 */
static bool lower_tex(struct out *o, bool *used, const struct inst *i)
{
    char function[NAME_MOST + 16];
    bool layered;
    const bool gather = is(i, 0, "tld4");
    const unsigned g = gather || is(i, 1, "base") || is(i, 1, "level") || is(i, 1, "grad") ? 2 : 1;
    const unsigned directions = i->part_cnt == g + 4 ? geometry(i->part[g], &layered) : 0;
    const bool floats = is(i, g + 3, "f32"), result_float = is(i, g + 2, "f32");
    if (directions == 0 || !is(i, g + 1, "v4") || i->value_cnt != 4 || i->at_cnt < directions + layered)
        return false;
    if ((!floats && (!is(i, g + 3, "s32") || layered)) || (!result_float && !is(i, g + 2, "s32") && !is(i, g + 2, "u32")))
        return false;
    if (gather && (directions != 2 || layered || !floats))
        return false;
    if (gather)
        snprintf(function, sizeof function, "cw_tld4_%s", i->part[1]);
    else
        snprintf(function, sizeof function, "cw_tex_%s_%c", i->part[g], floats ? 'f' : 's');
    use(used, function);
    const unsigned cnt = directions + layered;
    put_handle(o, i);
    put(o, ".param .align 4 .b8 cw_r[16]; ");
    put_params(o, i, cnt, floats ? layered : cnt);
    put_call(o, function, cnt);
    put(o, "); ");
    for (unsigned k = 0; k < 4; k++)
        if (strcmp(i->value[k], "_") != 0)
            put(o, "ld.param.%s %s, [cw_r+%u]; ", result_float ? "f32" : "b32", i->value[k], 4 * k);
    return true;
}

/* txq.width.b32, suq.width.b32 */
static bool lower_query(struct out *o, const struct inst *i)
{
    static const char *const words[] = {"width", "height", "depth", "array_size"}; /* as they lie in the structure */
    for (unsigned k = 0; k < 4; k++)
        if (i->part_cnt == 3 && is(i, 1, words[k]) && is(i, 2, "b32") && i->value_cnt == 1) {
            put_handle(o, i);
            put(o, "ld.global.nc.u32 %s, [cw_t+%u]; ", i->value[0], CW_SAMPLER_SIZE + 4 * k);
            return true;
        }
    return false;
}

/* suld.b.2d.v2.b32.trap; sust.b.2d.v2.b32.trap */
static bool lower_surface(struct out *o, bool *used, const struct inst *i)
{
    char function[NAME_MOST + 16], vector[8] = "";
    bool layered;
    const bool store = is(i, 0, "sust");
    const unsigned directions = is(i, 1, "b") ? geometry(i->part[2], &layered) : 0, n = i->part_cnt;
    const unsigned bits = n > 4 && i->part[n - 2][0] == 'b' ? (unsigned)strtoul(i->part[n - 2] + 1, NULL, 10) : 0;
    const bool trap = is(i, n - 1, "trap"), clamp = is(i, n - 1, "clamp"), zero = is(i, n - 1, "zero");
    if (directions == 0 || (bits != 8 && bits != 16 && bits != 32 && bits != 64) || (!trap && !clamp && !zero))
        return false;
    const unsigned cnt = directions + layered;
    if (i->at_cnt < cnt || (i->value_cnt != 1 && i->value_cnt != 2 && i->value_cnt != 4))
        return false;
    if (i->value_cnt > 1)
        snprintf(vector, sizeof vector, ".v%u", i->value_cnt);
    snprintf(function, sizeof function, "cw_surface_%s", i->part[2]);
    use(used, function);
    put_handle(o, i);
    put(o, ".reg .b64 cw_p; .reg .pred cw_q; .param .b64 cw_r; .param .b32 cw_n; .param .b32 cw_m; ");
    put(o, "st.param.b32 [cw_n], %u; st.param.b32 [cw_m], %u; ", i->value_cnt * bits / 8, trap ? 0 : clamp ? 1 : 2);
    put_params(o, i, cnt, cnt);
    put_call(o, function, cnt);
    put(o, ", cw_n, cw_m); ld.param.b64 cw_p, [cw_r]; setp.ne.u64 cw_q, cw_p, 0; ");
    for (unsigned k = 0; !store && k < i->value_cnt; k++)
        put(o, "mov.b%u %s, 0; ", bits == 8 ? 16 : bits, i->value[k]);
    const char *open = i->value_cnt > 1 ? "{" : "", *close = i->value_cnt > 1 ? "}" : "";
    put(o, store ? "@cw_q st.global%s.b%u [cw_p], %s" : "@cw_q ld.global%s.b%u %s", vector, bits, open);
    for (unsigned k = 0; k < i->value_cnt; k++)
        put(o, "%s%s", k > 0 ? ", " : "", i->value[k]);
    put(o, store ? "%s; " : "%s, [cw_p]; ", close);
    return true;
}

static bool lower_inst(struct out *o, bool *used, const struct inst *i)
{
    if (is(i, 0, "tex") || is(i, 0, "tld4"))
        return lower_tex(o, used, i);
    if (is(i, 0, "txq") || is(i, 0, "suq"))
        return lower_query(o, i);
    return lower_surface(o, used, i);
}

/* Whether an instruction of these begins here. */
static bool begins(const char *text, const char *c)
{
    static const char *const words[] = {"tex.", "tld4.", "txq.", "suq.", "suld.b.", "sust.b."};
    if (c > text && strchr(" \t\r\n;{}:", c[-1]) == NULL)
        return false;
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strncmp(c, words[k], strlen(words[k])) == 0)
            return true;
    return false;
}

/* Takes "@%p1" or "@!%p1" from the end of what has been put, into guard; "": there is none. */
static void take_guard(struct out *o, char guard[NAME_MOST])
{
    size_t end = o->length;
    guard[0] = '\0';
    while (end > 0 && strchr(" \t", o->text[end - 1]) != NULL)
        end--;
    size_t begin = end;
    while (begin > 0 && strchr(" \t\r\n;{}:@", o->text[begin - 1]) == NULL)
        begin--;
    if (begin == 0 || o->text[begin - 1] != '@' || end - begin >= NAME_MOST)
        return;
    memcpy(guard, o->text + begin, end - begin);
    guard[end - begin] = '\0';
    o->length = begin - 1;
}

/* Where it has a guard, a branch goes around it. Returns where the text goes on. */
static const char *replace(struct out *o, bool *used, const char *c, unsigned number)
{
    struct inst i;
    char guard[NAME_MOST];
    struct out body = {0};
    const char *end = strchr(c, ';');
    if (end == NULL || !read_inst(&i, c) || !lower_inst(&body, used, &i)) {
        put_bytes(o, c, 1);
        free(body.text);
        return c + 1;
    }
    take_guard(o, guard);
    if (guard[0] != '\0')
        put(o, "@%s%s bra cw_skip_%u; ", guard[0] == '!' ? "" : "!", guard[0] == '!' ? guard + 1 : guard, number);
    put(o, "{ ");
    put_bytes(o, body.text, body.length);
    put(o, "}");
    if (guard[0] != '\0')
        put(o, " cw_skip_%u:", number);
    o->failed |= body.failed;
    free(body.text);
    return end + 1;
}

/* A reference of the older kind is a variable that holds a handle. */
static const char *replace_reference(struct out *o, const char *c)
{
    static const char *const words[] = {".texref", ".surfref"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strncmp(c, words[k], strlen(words[k])) == 0 && strchr(" \t", c[strlen(words[k])]) != NULL) {
            put(o, ".u64");
            return c + strlen(words[k]);
        }
    put_bytes(o, c, 1);
    return c + 1;
}

/* The functions, in the line of the header's last directive. */
static void put_functions(struct out *o, const char *text, const bool *used)
{
    const char *header = strstr(text, ".address_size");
    const size_t length = header != NULL ? (size_t)(header - text) + strcspn(header, "\r\n") : 0;
    put_bytes(o, text, length);
    for (unsigned k = 0; k < cw_sampler_function_cnt; k++)
        if (used[k])
            put_bytes(o, cw_sampler_functions[k].text, strlen(cw_sampler_functions[k].text));
    put_bytes(o, text + length, strlen(text + length));
}

bool cw_cuda__lower(char **text)
{
    struct out body = {0}, whole = {0};
    bool *used = calloc(cw_sampler_function_cnt, sizeof *used);
    unsigned changed = 0;
    const bool concerned = strstr(*text, "tex.") != NULL || strstr(*text, "tld4.") != NULL || strstr(*text, "txq.") != NULL ||
                           strstr(*text, "suld.") != NULL || strstr(*text, "sust.") != NULL || strstr(*text, "suq.") != NULL ||
                           strstr(*text, ".texref") != NULL;
    for (const char *c = *text; concerned && used != NULL && *c != '\0';) {
        const size_t plain = strcspn(c, "ts./"); /* an instruction, a directive, or a comment may begin */
        put_bytes(&body, c, plain);
        c += plain;
        const size_t comment = c[0] == '/' && c[1] == '/' ? strcspn(c, "\n") : 0;
        put_bytes(&body, c, comment);
        c += comment;
        if (comment == 0 && *c != '\0')
            c = begins(*text, c) ? replace(&body, used, c, changed++) : replace_reference(&body, c);
    }
    if (body.text != NULL && !body.failed)
        put_functions(&whole, body.text, used);
    const bool ok = used != NULL && !body.failed && !whole.failed;
    if (ok && whole.text != NULL) {
        free(*text);
        *text = whole.text;
    } else
        free(whole.text);
    free(body.text);
    free(used);
    return ok;
}
