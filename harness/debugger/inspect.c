/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about variables, expressions and calls. */
#define _GNU_SOURCE /* open_memstream */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "debugger/debug_private.h"

#define MEMBERS_MOST 100u /* of an array, in one answer */

void cw_debug__string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

/* ---- calls ---- */

const char *cw_debug__show_calls(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    struct cw_debug_frame frame[CW_DEBUG_FRAMES];
    struct cw_look_warp w;
    (void)word;
    (void)cnt;
    if (!cw_debug__warp(d, &d->focus, &w))
        return "no warp is there";
    const uint32_t frames = cw_debug__frames(d, &d->focus, frame, CW_DEBUG_FRAMES);
    if (frames == 0)
        return "no lane of the warp runs, so it is in no function";
    fprintf(out, ",\"frame\":%" PRIu32 ",\"calls\":[", d->focus.frame);
    for (uint32_t i = 0; i < frames; i++) {
        fprintf(out, "%s{\"function\":", i > 0 ? "," : "");
        cw_debug__string(out, frame[i].function != NULL ? frame[i].function : "?");
        fprintf(out, ",\"ptx_line\":%" PRIu32, frame[i].line);
        if (frame[i].file != NULL) {
            fprintf(out, ",\"file\":");
            cw_debug__string(out, frame[i].file);
            fprintf(out, ",\"line\":%" PRIu32, frame[i].source_line);
        }
        fputc('}', out);
    }
    fputc(']', out);
    return NULL;
}

/* ---- variables ---- */

/* What stands in memory has a place that can be watched. */
static void tell_object(const struct cw_debug *d, const struct cw_debug_object *o, FILE *out)
{
    static const char *const spaces[] = {"generic", "global", "shared", "local", "const", "param"};
    char type[160], *text = NULL;
    size_t bytes = 0;
    const enum cw_debug_class class = cw_debug__class(&o->type);
    cw_debug__type_name(&o->type, type, sizeof type);
    fprintf(out, ",\"type\":");
    cw_debug__string(out, type);
    FILE *to = open_memstream(&text, &bytes);
    if (to != NULL) {
        cw_debug__write(d, &d->focus, o, to);
        fclose(to);
    }
    fprintf(out, ",\"value\":");
    cw_debug__string(out, text != NULL ? text : "");
    free(text);
    fprintf(out, ",\"parts\":%s", class == CW_DEBUG_ARRAY || class == CW_DEBUG_STRUCT || class == CW_DEBUG_POINTER ? "true" : "false");
    uint64_t address = o->address;
    const uint32_t space = o->space == CW_SPACE_GENERIC ? cw_debug__resolve(&address) : o->space;
    if (o->place == CW_DEBUG_IN_MEMORY)
        fprintf(out, ",\"space\":\"%s\",\"address\":%" PRIu64 ",\"bytes\":%" PRIu64, spaces[space % 6], address, cw_debug__size(&o->type));
}

struct teller {
    const struct cw_debug *d;
    FILE *out;
    const char *comma;
};

static void tell_variable(void *context, const char *name, const char *kind, const struct cw_debug_object *object, const char *wrong)
{
    struct teller *t = context;
    char type[160];
    fprintf(t->out, "%s{\"name\":", t->comma);
    cw_debug__string(t->out, name);
    fprintf(t->out, ",\"kind\":\"%s\"", kind);
    if (wrong == NULL) {
        tell_object(t->d, object, t->out);
    } else {
        cw_debug__type_name(&object->type, type, sizeof type);
        fprintf(t->out, ",\"type\":");
        cw_debug__string(t->out, type);
        fprintf(t->out, ",\"wrong\":");
        cw_debug__string(t->out, wrong);
    }
    fputc('}', t->out);
    t->comma = ",";
}

/* "variables [module]" */
const char *cw_debug__show_variables(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    struct teller t = {.d = d, .out = out, .comma = ""};
    struct cw_look_warp w;
    const bool of_module = cnt > 1 && strcmp(word[1], "module") == 0;
    if (d->code->launch.kernel == NULL)
        return "no kernel has been launched";
    if (!of_module && (!cw_debug__warp(d, &d->focus, &w) || w.active == 0))
        return "no lane of the warp runs, so it is in no function; 'variables module' shows those of the module";
    fprintf(out, ",\"variables\":[");
    cw_debug__variables(d, &d->focus, of_module, tell_variable, &t);
    fputc(']', out);
    if (d->code->dwarf == NULL) {
        fprintf(out, ",\"no_types\":");
        cw_debug__string(out, d->code->why_no_types);
    }
    return NULL;
}

/* ---- expressions ---- */

static const char *evaluate(const struct cw_debug *d, char **word, uint32_t cnt, struct cw_debug_value *v)
{
    char text[400] = "";
    for (uint32_t i = 1; i < cnt; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i > 1 ? " " : "", word[i]);
    }
    return cw_debug__evaluate(d, text, &d->focus, v);
}

const char *cw_debug__show_value(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    struct cw_debug_value v;
    const char *wrong = evaluate(d, word, cnt, &v);
    if (wrong != NULL)
        return wrong;
    uint8_t byte;
    if (v.is_object && v.object.place == CW_DEBUG_IN_MEMORY && !cw_debug__read(d, &d->focus, v.object.space, v.object.address, &byte, 1))
        return "nothing is at its address";
    if (v.is_object)
        tell_object(d, &v.object, out);
    else if (v.is_float)
        fprintf(out, ",\"value\":\"%.17g\"", v.number);
    else if (cw_debug__is_pointer(&v))
        fprintf(out, ",\"value\":\"0x%" PRIx64 "\"", v.bits);
    else if (v.is_signed)
        fprintf(out, ",\"value\":\"%" PRId64 "\"", (int64_t)v.bits);
    else
        fprintf(out, ",\"value\":\"%" PRIu64 "\"", v.bits);
    return NULL;
}

static void tell_part(const struct cw_debug *d, const char *name, const struct cw_debug_object *o, bool is_first, FILE *out)
{
    fprintf(out, "%s{\"name\":", is_first ? "" : ",");
    cw_debug__string(out, name);
    tell_object(d, o, out);
    fputc('}', out);
}

/* "members EXPRESSION": of a structure or an array, or what a pointer points to; names are what is to be written behind the expression. */
const char *cw_debug__show_members(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    struct cw_debug_value v;
    struct cw_debug_object part;
    char name[160];
    const char *member, *wrong = evaluate(d, word, cnt, &v);
    uint64_t address = 0;
    if (wrong != NULL || !v.is_object)
        return wrong != NULL ? wrong : "a number has no members";
    fprintf(out, ",\"members\":[");
    switch (cw_debug__class(&v.object.type)) {
    case CW_DEBUG_STRUCT:
        for (uint32_t i = 0; cw_debug__nth_member(&v.object, i, &member, &part); i++) {
            snprintf(name, sizeof name, ".%s", member);
            tell_part(d, name, &part, i == 0, out);
        }
        break;
    case CW_DEBUG_ARRAY:
        for (uint64_t i = 0; i < MEMBERS_MOST && i < cw_debug__count(&v.object.type) && cw_debug__element(&v.object, i, &part) == NULL;
             i++) {
            snprintf(name, sizeof name, "[%" PRIu64 "]", i);
            tell_part(d, name, &part, i == 0, out);
        }
        break;
    case CW_DEBUG_POINTER:
        wrong = cw_debug__load(d, &d->focus, &v.object, &address);
        wrong = wrong == NULL ? cw_debug__pointed(&v.object.type, address, 0, &part) : wrong;
        if (wrong == NULL)
            tell_part(d, "[0]", &part, true, out);
        break;
    default:
        break;
    }
    fputc(']', out);
    return NULL;
}
