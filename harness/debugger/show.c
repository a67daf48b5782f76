/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about the state of the run, as members of a JSON object. */
#define _GNU_SOURCE /* open_memstream */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "debugger/debug_private.h"
#include "ir/dump.h"
#include "mem/address.h"

#define BYTES_MOST 4096u /* of memory in one answer */
#define STATE_MOST 200u  /* elements of an array in one answer */

/* What `tell` writes, as a string. */
static void tell_text(const struct cw_debug *d, const struct cw_debug_focus *f, FILE *out,
                      void (*tell)(const struct cw_core_warps *warps, uint32_t warp, FILE *to))
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (to != NULL) {
        tell(cw_debug__warps(d, f->core), f->warp, to);
        fclose(to);
    }
    const char *begin = text != NULL ? text : "";
    while (*begin == ';' || *begin == ' ')
        begin++;
    cw_debug__string(out, begin);
    free(text);
}

static void tell_ids(FILE *out, const char *name, const uint32_t id[3])
{
    fprintf(out, ",\"%s\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", name, id[0], id[1], id[2]);
}

/* The statement that begins in the line of the PTX, with one blank between its words. */
static void tell_line_text(const struct cw_debug_code *c, uint32_t line, FILE *out)
{
    char text[400];
    size_t used = 0;
    const char *at = line > 0 && line <= c->text_cnt ? c->text[line - 1] : "";
    at += strspn(at, " \t");
    for (; *at != '\0' && used + 1 < sizeof text; at++) {
        const bool blank = *at == ' ' || *at == '\t' || *at == '\r' || *at == '\n';
        if (!blank || (used > 0 && text[used - 1] != ' '))
            text[used++] = blank ? ' ' : *at;
        if (*at == ';' || *at == '}' || (*at == ':' && at[1] != ':'))
            break;
    }
    text[used] = '\0';
    cw_debug__string(out, text);
}

/* Where an instruction is from. */
static void tell_instruction(const struct cw_debug *d, uint32_t pc, FILE *out)
{
    const struct cw_debug_code *c = d->code;
    const struct cw_kernel *k = c->launch.kernel;
    char text[200];
    uint32_t line = 0;
    if (pc >= k->uop_cnt)
        return;
    cw_uop_text(k, &k->uop[pc], text, sizeof text);
    const char *file = cw_module_source(c->launch.module, k->uop[pc].line, &line);
    fprintf(out, ",\"pc\":%" PRIu32 ",\"ptx_line\":%" PRIu32 ",\"text\":", pc, k->uop[pc].line);
    tell_line_text(c, k->uop[pc].line, out);
    fprintf(out, ",\"operation\":");
    cw_debug__string(out, text);
    if (file != NULL) {
        fprintf(out, ",\"file\":");
        cw_debug__string(out, file);
        fprintf(out, ",\"line\":%" PRIu32, line);
    }
}

void cw_debug__tell_place(struct cw_debug *d, FILE *out)
{
    struct cw_look_warp w;
    uint32_t tid[3];
    fprintf(out, ",\"launch\":%" PRIu64 ",\"cycle\":%" PRIu64 ",\"moment\":%" PRIu32 ",\"index\":%" PRIu32, d->at.launch,
            cw_gpu_cycles(d->gpu), d->at.moment, d->at.index);
    fprintf(out, ",\"core\":%" PRIu32 ",\"warp\":%" PRIu32 ",\"lane\":%" PRIu32, d->focus.core, d->focus.warp, d->focus.lane);
    if (d->code->launch.kernel != NULL) {
        fprintf(out, ",\"kernel\":");
        cw_debug__string(out, d->code->launch.kernel->name);
        fprintf(out, ",\"module\":");
        cw_debug__string(out, d->code->launch.module->file);
    }
    if (!cw_debug__warp(d, &d->focus, &w))
        return;
    cw_look_thread(cw_debug__warps(d, d->focus.core), d->focus.warp, d->focus.lane, tid);
    tell_ids(out, "block", w.ctaid);
    tell_ids(out, "thread", tid);
    fprintf(out, ",\"active\":\"%" PRIx64 "\",\"live\":\"%" PRIx64 "\"", (uint64_t)w.active, (uint64_t)w.live);
    if (w.in_region)
        fprintf(out, ",\"attempt\":%" PRIu32, w.attempt);
    if (w.active != 0)
        tell_instruction(d, w.pc, out);
}

/* ---- warps ---- */

static void tell_warp(const struct cw_debug *d, const struct cw_debug_focus *f, const struct cw_look_warp *w, FILE *out)
{
    static const char *const states[] = {"free", "ready", "scoreboard", "barrier", "memory", "mechanism", "commit", "back-off"};
    fprintf(out, "{\"core\":%" PRIu32 ",\"warp\":%" PRIu32 ",\"number\":%" PRIu32 ",\"state\":\"%s\"", f->core, f->warp, w->number,
            states[w->state % 8]);
    tell_ids(out, "block", w->ctaid);
    fprintf(out, ",\"active\":\"%" PRIx64 "\",\"live\":\"%" PRIx64 "\"", (uint64_t)w->active, (uint64_t)w->live);
    if (w->in_region)
        fprintf(out, ",\"attempt\":%" PRIu32, w->attempt);
    if (w->active != 0)
        tell_instruction(d, w->pc, out);
    fprintf(out, ",\"wait\":");
    tell_text(d, f, out, cw_look_tell_wait);
    fputc('}', out);
}

static const char *show_warps(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    const uint32_t only = cnt > 1 ? (uint32_t)strtoul(word[1], NULL, 0) : UINT32_MAX;
    const char *comma = "";
    struct cw_look_warp w;
    fprintf(out, ",\"warps\":[");
    for (struct cw_debug_focus f = {0}; f.core < d->cores; f.core++)
        for (f.warp = 0; f.warp < d->slots && (only == UINT32_MAX || only == f.core); f.warp++)
            if (cw_debug__warp(d, &f, &w)) {
                cw_debug__use(d, f.core, f.warp);
                fputs(comma, out);
                tell_warp(d, &f, &w, out);
                comma = ",";
            }
    cw_debug__use(d, d->focus.core, d->focus.warp);
    fputc(']', out);
    return NULL;
}

static const char *show_stack(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    struct cw_look_warp w;
    (void)word;
    (void)cnt;
    if (!cw_debug__warp(d, &d->focus, &w))
        return "no warp is there";
    fprintf(out, ",\"stack\":");
    tell_text(d, &d->focus, out, cw_look_tell_stack);
    return NULL;
}

/* ---- values ---- */

static void tell_value(FILE *out, uint64_t bits, enum cw_type type)
{
    float f;
    double x;
    char text[40];
    const uint32_t low = (uint32_t)bits, bytes = cw_type_bytes(type);
    const uint32_t shift = bytes > 0 && bytes < 8 ? 64 - 8 * bytes : 0;
    memcpy(&f, &low, sizeof f);
    memcpy(&x, &bits, sizeof x);
    if (type == CW_F32)
        snprintf(text, sizeof text, "%.9g", (double)f);
    else if (type == CW_F64)
        snprintf(text, sizeof text, "%.17g", x);
    else if (type == CW_S8 || type == CW_S16 || type == CW_S32 || type == CW_S64)
        snprintf(text, sizeof text, "%" PRId64, (int64_t)(bits << shift) >> shift);
    else
        snprintf(text, sizeof text, "%" PRIu64, bits);
    cw_debug__string(out, text);
}

/* "registers [NAME]": those of the focused warp that have a value, in all its lanes. */
static const char *show_registers(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    struct cw_look_warp w;
    uint64_t value[CW_WARP_LANES_MAX];
    const struct cw_kernel *k = d->code->launch.kernel;
    const uint32_t width = cw_gpu_config(d->gpu)->core_warp_width;
    const char *comma = "";
    if (!cw_debug__warp(d, &d->focus, &w) || w.active == 0)
        return "no lane of the warp runs, so no register has a place";
    fprintf(out, ",\"registers\":[");
    for (uint32_t i = 0; i < k->named_cnt; i++) {
        const struct cw_named *n = &k->named[i];
        if (w.pc < n->first || w.pc >= n->end || (cnt > 1 && strcmp(word[1], n->name) != 0))
            continue;
        cw_look_register(cw_debug__warps(d, d->focus.core), d->focus.warp, n->o, value);
        fprintf(out, "%s{\"name\":", comma);
        cw_debug__string(out, n->name);
        fprintf(out, ",\"type\":\"%s\",\"function\":", cw_type_name((enum cw_type)n->type));
        cw_debug__string(out, k->scope[n->scope].name);
        fprintf(out, ",\"pending\":%s,\"lanes\":[",
                cw_look_is_pending(cw_debug__warps(d, d->focus.core), d->focus.warp, n->o) ? "true" : "false");
        for (uint32_t lane = 0; lane < width; lane++) {
            fputs(lane > 0 ? "," : "", out);
            tell_value(out, value[lane], (enum cw_type)n->type);
        }
        fprintf(out, "],\"bits\":\"%" PRIx64 "\"}", value[d->focus.lane]);
        comma = ",";
    }
    fputc(']', out);
    return NULL;
}

static bool is_first_of_its_name(const struct cw_kernel *k, uint32_t i)
{
    for (uint32_t j = 0; j < i; j++)
        if (strcmp(k->named[j].name, k->named[i].name) == 0)
            return false;
    return true;
}

/* "names": of all registers of the kernel, each once. */
static const char *show_names(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    const struct cw_kernel *k = d->code->launch.kernel;
    const char *comma = "";
    (void)word;
    (void)cnt;
    if (k == NULL)
        return "no kernel has been launched";
    fprintf(out, ",\"names\":[");
    for (uint32_t i = 0; i < k->named_cnt; i++) {
        if (!is_first_of_its_name(k, i))
            continue;
        fprintf(out, "%s{\"name\":", comma);
        cw_debug__string(out, k->named[i].name);
        fprintf(out, ",\"type\":\"%s\"}", cw_type_name((enum cw_type)k->named[i].type));
        comma = ",";
    }
    fputc(']', out);
    return NULL;
}

/* "memory SPACE ADDRESS BYTES": as hexadecimal digits. */
static const char *show_memory(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    uint8_t bytes[BYTES_MOST];
    if (cnt < 4)
        return "memory takes a space, an address and a number of bytes";
    const uint32_t space = cw_debug__space(word[1]);
    const uint64_t address = strtoull(word[2], NULL, 0), length = strtoull(word[3], NULL, 0);
    if (space == UINT32_MAX)
        return "the spaces are generic, global, shared, local, const and param";
    if (length == 0 || length > BYTES_MOST)
        return "memory shows 1 to 4096 bytes at a time";
    if (!cw_debug__read(d, &d->focus, space, address, bytes, (uint32_t)length))
        return "nothing is at that address in that space";
    fprintf(out, ",\"bytes\":\"");
    for (uint32_t i = 0; i < length; i++)
        fprintf(out, "%02x", bytes[i]);
    fputc('"', out);
    return NULL;
}

/* ---- the program ---- */

static const char *show_lines(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    const struct cw_debug_code *c = d->code;
    if (cnt < 3 || c->launch.kernel == NULL)
        return c->launch.kernel == NULL ? "no kernel has been launched" : "lines takes the first and the last one";
    const uint32_t first = (uint32_t)strtoul(word[1], NULL, 0), last = (uint32_t)strtoul(word[2], NULL, 0);
    fprintf(out, ",\"lines\":[");
    for (uint32_t i = first > 0 ? first : 1; i <= last && i <= c->text_cnt; i++) {
        char text[600];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(c->text[i - 1], "\r\n"), c->text[i - 1]);
        fprintf(out, "%s{\"line\":%" PRIu32 ",\"text\":", i > first && i > 1 ? "," : "", i);
        cw_debug__string(out, text);
        fputc('}', out);
    }
    fputc(']', out);
    return NULL;
}

/* Micro-operations, for faces that have addresses in the place of lines. */
static const char *show_code(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    const struct cw_kernel *k = d->code->launch.kernel;
    if (k == NULL)
        return "no kernel has been launched";
    const uint32_t first = cnt > 1 ? (uint32_t)strtoul(word[1], NULL, 0) : 0,
                   last = cnt > 2 ? (uint32_t)strtoul(word[2], NULL, 0) : k->uop_cnt;
    fprintf(out, ",\"code\":[");
    for (uint32_t pc = first; pc < last && pc < k->uop_cnt; pc++) {
        fprintf(out, "%s{\"at\":%" PRIu32, pc > first ? "," : "", pc);
        tell_instruction(d, pc, out);
        fputc('}', out);
    }
    fputc(']', out);
    return NULL;
}

static const char *show_symbols(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    const struct cw_module *m = d->code->launch.module;
    const char *comma = "";
    if (m == NULL)
        return "no kernel has been launched";
    fprintf(out, ",\"symbols\":[");
    for (uint32_t i = 0; i < m->symbol_cnt; i++) {
        const struct cw_symbol *s = &m->symbol[i];
        if (cnt > 1 && strcmp(word[1], s->name) != 0)
            continue;
        fprintf(out, "%s{\"name\":", comma);
        cw_debug__string(out, s->name);
        fprintf(out, ",\"space\":\"%s\",\"address\":%" PRIu64 ",\"bytes\":%" PRIu64 "}", s->space == CW_SPACE_CONST ? "const" : "global",
                s->offset + (s->space == CW_SPACE_CONST ? 0 : d->code->launch.global_base), s->bytes);
        comma = ",";
    }
    fprintf(out, "],\"parameters\":[");
    for (uint32_t i = 0; i < d->code->launch.kernel->param_cnt; i++) {
        const struct cw_kernel_param *p = &d->code->launch.kernel->param[i];
        fprintf(out, "%s{\"name\":", i > 0 ? "," : "");
        cw_debug__string(out, p->name);
        fprintf(out, ",\"type\":\"%s\",\"offset\":%" PRIu32 ",\"bytes\":%" PRIu32 "}", cw_type_name(p->type), p->offset, p->bytes);
    }
    fputc(']', out);
    return NULL;
}

/* "sets": what the attempts of the focused warp have read and written. */
static const char *show_sets(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    const struct cw_debug_warp *warp = &d->warp[d->focus.core * d->slots + d->focus.warp];
    const char *comma = "";
    (void)word;
    (void)cnt;
    fprintf(out, ",\"words\":[");
    for (uint32_t i = 0; i < warp->word_cnt; i++) {
        const struct cw_debug_word *w = &warp->word[i];
        fprintf(out, "%s{\"lane\":%" PRIu32 ",\"%s\":\"0x%" PRIx64 "\",\"value\":%" PRIu32 "}", comma, w->lane,
                w->writes ? "writes" : "reads", w->address, w->value);
        comma = ",";
    }
    fputc(']', out);
    return NULL;
}

/* ---- state by name ---- */

struct state_words {
    FILE *out;
    const char *wanted; /* group; NULL: only which there are */
    uint32_t wanted_number;
    const char *piece; /* NULL: all */
    const char *group; /* of the last piece */
    uint32_t index;
    uint32_t place;   /* which group that is, of all */
    uint32_t numbers; /* groups of the wanted name so far */
    bool any;
};

static uint64_t element(const void *at, size_t i, size_t bytes)
{
    uint64_t v = 0;
    memcpy(&v, (const uint8_t *)at + i * bytes, bytes <= 8 ? bytes : 8);
    return v;
}

static void tell_group(struct state_words *w, const struct cw_state *s)
{
    if (w->wanted == NULL) {
        fprintf(w->out, "%s{\"group\":", w->any ? "," : "");
        cw_debug__string(w->out, s->group);
        fprintf(w->out, ",\"index\":%" PRIu32 "}", s->index);
        w->any = true;
    } else if (strcmp(w->wanted, s->group) == 0) {
        w->numbers++;
    }
}

/* Of an array only elements that are not 0, with their places. */
static void tell_piece(void *self, const struct cw_state *s, const char *name, const void *at, size_t cnt, size_t bytes)
{
    struct state_words *w = self;
    const char *comma = "";
    uint32_t shown = 0;
    if (w->group == NULL || s->groups != w->place) {
        w->group = s->group;
        w->place = s->groups;
        tell_group(w, s);
    }
    if (w->wanted == NULL || strcmp(w->wanted, s->group) != 0 || w->numbers != w->wanted_number + 1 ||
        (w->piece != NULL && strstr(name, w->piece) == NULL))
        return;
    fprintf(w->out, "%s{\"name\":", w->any ? "," : "");
    cw_debug__string(w->out, name);
    fprintf(w->out, ",\"elements\":%zu,\"values\":{", cnt);
    for (size_t i = 0; i < cnt && shown < STATE_MOST; i++) {
        const uint64_t v = element(at, i, bytes);
        if (v == 0 && cnt > 1)
            continue;
        fprintf(w->out, "%s\"%zu\":%" PRIu64, comma, i, v);
        comma = ",";
        shown++;
    }
    fputs("}}", w->out);
    w->any = true;
}

/* "state [GROUP [NUMBER [PIECE]]]": NUMBER counts groups of that name, as the units of partitions. */
static const char *show_state(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    static struct cw_error err;
    struct state_words w = {.out = out,
                            .wanted = cnt > 1 ? word[1] : NULL,
                            .wanted_number = cnt > 2 ? (uint32_t)strtoul(word[2], NULL, 0) : 0,
                            .piece = cnt > 3 ? word[3] : NULL};
    fprintf(out, ",\"state\":[");
    const int status = cw_gpu_tell_state(d->gpu, tell_piece, &w, &err);
    fputc(']', out);
    if (status != CW_OK)
        return err.text;
    return w.wanted != NULL && w.numbers <= w.wanted_number ? "no part of that name and number; 'state' alone lists them" : NULL;
}

/* "home ADDRESS": the partition whose units know a word of global memory, and its granule there. */
static const char *show_home(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    static struct cw_error err;
    struct cw_config_info bytes = {0};
    const struct cw_config *const config = cw_gpu_config(d->gpu);
    const uint64_t address = cnt > 1 ? strtoull(word[1], NULL, 0) : 0;
    uint32_t key;
    if (cw_config_find(&key, "tm.granule_bytes", &err) != CW_OK)
        return err.text;
    cw_config_info(config, key, &bytes);
    if (address < CW_GLOBAL_BASE)
        return "that is no address of global memory, of which units hold rows";
    fprintf(out, ",\"partition\":%" PRIu32 ",\"granule\":%" PRIu64, cw_address_partition(config, address),
            (address - CW_GLOBAL_BASE) / bytes.value);
    return NULL;
}

/* "ports [UNIT]" */
static const char *show_ports(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    const char *comma = "";
    fprintf(out, cnt > 1 ? ",\"ports\":[" : ",\"units\":[");
    for (uint32_t i = 0; i < cw_taps_count(d->taps); i++) {
        const struct cw_tap *t = cw_taps_at(d->taps, i);
        if (t->inner.self == NULL) /* of the machine before it was reset */
            continue;
        if (cnt < 2) {
            fputs(comma, out);
            cw_debug__string(out, t->name);
            comma = ",";
        }
        for (uint32_t k = 0; cnt > 1 && strcmp(word[1], t->name) == 0 && k < t->unit->port_cnt; k++) {
            fprintf(out, "%s{\"name\":", comma);
            cw_debug__string(out, t->port[k].name);
            fprintf(out, ",\"bits\":%" PRIu32 ",\"value\":%" PRIu64 "}", t->port[k].width,
                    cw_debug__port_value(&(struct cw_debug_port){t, &t->port[k]}));
            comma = ",";
        }
    }
    fputc(']', out);
    return cnt > 1 && comma[0] == '\0' ? "no unit has that name; 'ports' alone lists them" : NULL;
}

static const char *show_place(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    (void)word;
    (void)cnt;
    cw_debug__tell_place(d, out);
    fprintf(out, ",\"processes\":%" PRIu32, d->mark_cnt);
    return NULL;
}

static const char *show_report(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    (void)word;
    (void)cnt;
    fprintf(out, ",\"error\":");
    cw_debug__string(out, d->error);
    fprintf(out, ",\"report\":");
    cw_debug__string(out, cw_gpu_deadlock_report(d->gpu));
    return NULL;
}

const char *cw_debug__show(struct cw_debug *d, char **word, uint32_t cnt, FILE *out)
{
    static const struct {
        const char *name;
        const char *(*show)(struct cw_debug *d, char **word, uint32_t cnt, FILE *out);
    } shows[] = {{"place", show_place},
                 {"warps", show_warps},
                 {"stack", show_stack},
                 {"calls", cw_debug__show_calls},
                 {"registers", show_registers},
                 {"names", show_names},
                 {"memory", show_memory},
                 {"value", cw_debug__show_value},
                 {"lines", show_lines},
                 {"code", show_code},
                 {"symbols", show_symbols},
                 {"sets", show_sets},
                 {"report", show_report},
                 {"state", show_state},
                 {"ports", show_ports},
                 {"home", show_home},
                 {"variables", cw_debug__show_variables},
                 {"members", cw_debug__show_members}};
    for (uint32_t i = 0; i < sizeof shows / sizeof shows[0]; i++)
        if (strcmp(word[0], shows[i].name) == 0)
            return shows[i].show(d, word, cnt, out);
    return "unknown command";
}
