/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "rtl_shim.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rtl_os.h"

char *cw_rtl_params_text(const struct cw_unit *unit, const void *params)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (f == NULL)
        return NULL;
    for (uint32_t i = 0; i < unit->param_cnt; i++) {
        uint32_t value;
        memcpy(&value, (const char *)params + unit->params[i].offset, sizeof value);
        fprintf(f, "%s%s=%" PRIu32, i ? " " : "", unit->params[i].name, value);
    }
    const bool failed = ferror(f) != 0;
    if (fclose(f) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

static struct cw_port *list_ports(const struct cw_unit *unit, const void *params)
{
    struct cw_port *ports = calloc(unit->port_cnt, sizeof *ports);
    if (ports != NULL)
        unit->ports(params, ports);
    return ports;
}

/* A port as Verilator has it. Its name, with _i or _o, is a part of the header's text. */
struct verilated_port {
    const char *name;
    int length;
    bool input;
    uint32_t width;
};

/* Reads one line of a Verilated header, e.g. "VL_IN8(&push_valid_i,0,0);". */
static bool parse_port_line(const char *line, struct verilated_port *port)
{
    const char *at = strstr(line, "VL_");
    unsigned msb, lsb;
    if (at == NULL || (strncmp(at, "VL_IN", 5) != 0 && strncmp(at, "VL_OUT", 6) != 0))
        return false;
    const char *open = strstr(at, "(&"), *comma = open != NULL ? strchr(open, ',') : NULL;
    if (comma == NULL || sscanf(comma, ",%u,%u", &msb, &lsb) != 2)
        return false;
    port->name = open + 2;
    port->length = (int)(comma - port->name);
    port->input = at[3] == 'I';
    port->width = msb - lsb + 1;
    return true;
}

static bool is_named(const struct verilated_port *port, const char *name, const char *suffix)
{
    const size_t length = strlen(name);
    return (size_t)port->length == length + strlen(suffix) && strncmp(port->name, name, length) == 0 &&
           strncmp(port->name + length, suffix, strlen(suffix)) == 0;
}

static int check_one_port(const struct cw_unit *unit, const struct cw_port *ports, bool *seen, const char *file,
                          const struct verilated_port *found, struct cw_error *err)
{
    const bool for_properties = !found->input && strncmp(found->name, "f_", 2) == 0; /* of a unit around this one */
    if (is_named(found, "clk_i", "") || is_named(found, "rst_i", "") || for_properties)
        return CW_OK;
    for (uint32_t i = 0; i < unit->port_cnt; i++) {
        const struct cw_port *port = &ports[i];
        const char *suffix = port->dir == CW_PORT_IN ? "_i" : "_o";
        if (!is_named(found, port->name, suffix))
            continue;
        seen[i] = true;
        if (found->input != (port->dir == CW_PORT_IN))
            return cw_fail(err, CW_EMISMATCH, "%s: port %s%s: %s and the port list differ in its direction", unit->name, port->name, suffix,
                           file);
        if (found->width != port->width)
            return cw_fail(err, CW_EMISMATCH, "%s: port %s%s has %u bits in %s and %u in the port list", unit->name, port->name, suffix,
                           found->width, file, port->width);
        if (port->words != 0 ? port->words != (port->width + 31) / 32 : port->width > 64)
            return cw_fail(err, CW_EMISMATCH, "%s: port %s%s: %u bits do not go into %u words", unit->name, port->name, suffix, port->width,
                           port->words);
        return CW_OK;
    }
    return cw_fail(err, CW_EMISMATCH, "%s: %s has a port %.*s that the port list in cowarp/unit/%s.h has not", unit->name, file,
                   found->length, found->name, unit->name);
}

static int check_text(const struct cw_unit *unit, const struct cw_port *ports, bool *seen, const char *file, char *text,
                      struct cw_error *err)
{
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        struct verilated_port found;
        if (!parse_port_line(line, &found))
            continue;
        int status = check_one_port(unit, ports, seen, file, &found, err);
        if (status != CW_OK)
            return status;
    }
    for (uint32_t i = 0; i < unit->port_cnt; i++)
        if (!seen[i])
            return cw_fail(err, CW_EMISMATCH, "%s: the port list in cowarp/unit/%s.h has %s, but %s has no %s%s", unit->name, unit->name,
                           ports[i].name, file, ports[i].name, ports[i].dir == CW_PORT_IN ? "_i" : "_o");
    return CW_OK;
}

int cw_rtl_check_ports(const struct cw_unit *unit, const void *params, const char *file, const char *verilated_header, struct cw_error *err)
{
    char own[CW_PATH_MAX];
    if (cw_os_path(own, sizeof own, err, "cw_%s.v", unit->name) != CW_OK)
        return CW_EINVAL;
    char *text = cw_os_read_file(verilated_header, NULL);
    struct cw_port *ports = list_ports(unit, params);
    bool *seen = calloc(unit->port_cnt, sizeof *seen);
    int status;
    if (text == NULL)
        status = cw_fail(err, CW_EIO, "cannot read %s", verilated_header);
    else if (ports == NULL || seen == NULL)
        status = cw_fail(err, CW_ENOMEM, "out of memory");
    else
        status = check_text(unit, ports, seen, file != NULL ? file : own, text, err);
    free(text);
    free(ports);
    free(seen);
    return status;
}

/* Verilator's unsigned type for a width of at most 64 bits. */
static const char *verilated_type(uint32_t width)
{
    return width <= 8 ? "CData" : width <= 16 ? "SData" : width <= 32 ? "IData" : "QData";
}

static uint64_t mask_of(uint32_t width)
{
    return width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

/* Verilator relies on the bits above a port's width being 0, so inputs are masked. */
static void write_input(FILE *f, const struct cw_port *p)
{
    if (p->words == 0) {
        fprintf(f, "    r->%s_i = static_cast<%s>(in->%s & UINT64_C(0x%" PRIx64 "));\n", p->name, verilated_type(p->width), p->name,
                mask_of(p->width));
        return;
    }
    if (p->width > 64 && p->width % 32 == 0) { /* one copy: the compiler does not put as many assignments together */
        fprintf(f, "    std::memcpy(r->%s_i.m_storage, in->%s, %u);\n", p->name, p->name, 4 * p->words);
        return;
    }
    for (uint32_t w = 0; w < p->words; w++) {
        uint64_t mask = mask_of(p->width - 32 * w < 32 ? p->width - 32 * w : 32);
        if (p->width > 64)
            fprintf(f, "    r->%s_i[%u] = in->%s[%u] & 0x%" PRIx64 "u;\n", p->name, w, p->name, w, mask);
        else
            fprintf(f, "    r->%s_i %s static_cast<%s>(static_cast<uint64_t>(in->%s[%u] & 0x%" PRIx64 "u) << %u);\n", p->name,
                    w ? "|=" : "=", verilated_type(p->width), p->name, w, mask, 32 * w);
    }
}

static void write_output(FILE *f, const struct cw_port *p)
{
    if (p->words == 0) {
        fprintf(f, "    out->%s = r->%s_o;\n", p->name, p->name);
        return;
    }
    if (p->width > 64) {
        fprintf(f, "    std::memcpy(out->%s, r->%s_o.m_storage, %u);\n", p->name, p->name, 4 * p->words);
        return;
    }
    for (uint32_t w = 0; w < p->words; w++)
        fprintf(f, "    out->%s[%u] = static_cast<uint32_t>(static_cast<uint64_t>(r->%s_o) >> %u);\n", p->name, w, p->name, 32 * w);
}

/* Whether text assigns to the output (or to an element of it), as Verilator writes assignments. */
static bool assigns_output(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(text, name); at != NULL; at = strstr(at + length, name)) {
        const bool whole = (at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) && strncmp(at + length, "_o", 2) == 0;
        const char *next = at + length;
        if (!whole)
            continue;
        next += strlen("_o");
        if (*next == '[')
            next += strcspn(next, "]") + 1;
        next += strspn(next, " \n");
        if (next[0] == '=' && next[1] != '=')
            return true;
    }
    return false;
}

/* The body of the next function whose name has this, from *at on; its end is made the text's, until end_body. NULL: there is none. */
static char *next_body(char **at, char **end, const char *name)
{
    for (char *f = strstr(*at, name); f != NULL; f = strstr(f + 1, name)) {
        char *open = strchr(f, '{'), *semicolon = strchr(f, ';');
        *end = strstr(f, "\n}\n");
        if (*end == NULL || open == NULL || semicolon == NULL || semicolon < open) /* a call or a declaration */
            continue;
        **end = '\0';
        *at = *end;
        return open;
    }
    return NULL;
}

static void end_body(char *end)
{
    *end = '\n';
}

/* Whether one of the functions that work input changes into the logic ("ico": input combinational) assigns to an output. */
static bool inputs_reach_outputs(char *text, const struct cw_unit *unit, const struct cw_port *ports)
{
    bool found = false;
    char *at = text, *end;
    for (char *body = next_body(&at, &end, "___ico_"); body != NULL; body = next_body(&at, &end, "___ico_")) {
        for (uint32_t i = 0; i < unit->port_cnt && !found; i++)
            found = ports[i].dir == CW_PORT_OUT && assigns_output(body, ports[i].name);
        end_body(end);
    }
    return found;
}

static bool begins_with_one_of(const char *text, const char *const *words)
{
    while (*words != NULL && strncmp(text, *words, strlen(*words)) != 0)
        words++;
    return *words != NULL;
}

/* Whether a body calls only what computes: Verilator's operators, and functions of the model. */
static bool only_computes(const char *body)
{
    static const char *const known[] = {
        "if",         "while",         "for",      "at",         "VL_DEBUG_IF", "VL_DBG_MSGF", "VL_UNLIKELY",   "VL_LIKELY",
        "VL_REDXOR_", "VL_SHIFT",      "VL_ZERO_", "VL_ASSIGN",  "VL_CONST_W_", "VL_EXTEND",   "VL_COUNTONES_", "VL_ONEHOT",
        "VL_CONCAT_", "VL_REPLICATE_", "VL_SEL_",  "VL_BITSEL_", "VL_MUL_",     "VL_ADD_",     "VL_SUB_",       "VL_AND_",
        "VL_OR_",     "VL_XOR_",       "VL_NOT_",  "VL_EQ_",     "VL_NEQ_",     "VL_LT",       "VL_GT",         "Vcw_",
        NULL};
    for (const char *at = body; *at != '\0';) {
        const size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
        const char *next = at + length + strspn(at + length, " \n");
        if (length > 0 && *next == '(' && !begins_with_one_of(at, known))
            return false;
        at += length > 0 ? length : 1;
    }
    return strstr(body, "vlSymsp->") == NULL; /* another module, or the context */
}

/* Whether the functions for the inputs and for the edge only compute. */
static bool is_pure(char *text)
{
    static const char *const names[] = {"___ico_", "___nba_", "___eval_ico(", "___eval_nba("};
    bool pure = true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *at = text, *end;
        for (char *body = next_body(&at, &end, names[i]); body != NULL; body = next_body(&at, &end, names[i])) {
            pure = pure && only_computes(body);
            end_body(end);
        }
    }
    return pure;
}

/* Whether all of a root module's state lies in the module itself: scalars, vectors and arrays of these. */
static bool holds_its_state(const char *header)
{
    static const char *const types[] = {"VL_IN",       "VL_OUT",        "CData/", "SData/", "IData/",   "QData/", "VlWide<",
                                        "VlUnpacked<", "VlTriggerVec<", "//",     "{",      "struct {", "};",     NULL};
    const char *from = strstr(header, "// DESIGN SPECIFIC STATE"), *to = strstr(header, "// INTERNAL VARIABLES");
    if (from == NULL || to == NULL)
        return false;
    for (const char *line = from; line < to; line += strcspn(line, "\n") + 1) {
        const char *text = line + strspn(line, " ");
        const size_t length = strcspn(text, "\n");
        if (length > 0 && !begins_with_one_of(text, types))
            return false;
        for (const char *at = text; at < text + length; at++)
            if (strncmp(at, "std::", 5) == 0 || strncmp(at, "VlQueue", 7) == 0 || strncmp(at, "VlAssoc", 7) == 0 ||
                strncmp(at, "VlClass", 7) == 0)
                return false;
    }
    return true;
}

/* Whether the text has this, blanks and line ends aside. */
static bool has_code(const char *text, const char *code)
{
    for (; *text != '\0'; text++) {
        const char *at = text, *want = code;
        while (*want != '\0' && *at == *want) {
            at += 1 + strspn(at + 1, " \n");
            want++;
        }
        if (*want == '\0')
            return true;
    }
    return false;
}

/* What the generated code must be like, so that the shim may call its parts. Any doubt means no. */
struct generated {
    bool one_edge;  /* the rising edge of clk_i is all that the state follows */
    bool unrelated; /* no path from an input to an output */
    bool inputs;    /* there is logic that follows the inputs */
    bool pure;      /* what the two functions do follows from the root module's memory, and all they do is to change that */
};

static void look_at_header(struct generated *g, const char *text)
{
    g->one_edge = strstr(text, " VlTriggerVec<1> __VactTriggered;") != NULL && strstr(text, " VlTriggerVec<1> __VnbaTriggered;") != NULL;
    g->inputs = strstr(text, " VlTriggerVec<1> __VicoTriggered;") != NULL;
    g->pure = g->pure && holds_its_state(text);
}

/*
 * Whether the shim may call the two functions into which Verilator has put the logic: that which follows the inputs, if one has changed,
 * and that of the edge. Their names and triggers belong to Verilator's version, hence the look at what it wrote. Without a path from an
 * input to an output (unrelated) nothing has to be evaluated before the edge.
 */
static bool is_direct(struct generated *g, const char *dir, const struct cw_unit *unit, const struct cw_port *ports)
{
    static const char rises[] = "__VactTriggered.at(0U)=((IData)(vlSelf->clk_i)&(~(IData)(vlSelf->__Vtrigrprev__TOP__clk_i)));";
    char path[CW_PATH_MAX];
    bool clock = false, only = true;
    *g = (struct generated){.unrelated = true, .pure = true};
    DIR *d = opendir(dir);
    for (struct dirent *e = d != NULL ? readdir(d) : NULL; e != NULL; e = readdir(d)) {
        const bool header = strstr(e->d_name, "___024root.h") != NULL;
        if ((!header && strstr(e->d_name, ".cpp") == NULL) || cw_os_path(path, sizeof path, NULL, "%s/%s", dir, e->d_name) != CW_OK)
            continue;
        char *text = cw_os_read_file(path, NULL);
        if (text == NULL)
            only = false;
        else if (header)
            look_at_header(g, text);
        else {
            clock = clock || has_code(text, rises);
            only = only && strstr(text, "___act_") == NULL;
            g->unrelated = g->unrelated && !inputs_reach_outputs(text, unit, ports);
            g->pure = g->pure && is_pure(text);
        }
        free(text);
    }
    if (d != NULL)
        closedir(d);
    return d != NULL && clock && only && g->one_edge;
}

/* What the template is filled with. */
struct shim {
    const char *dir; /* holds what Verilator wrote */
    const struct cw_unit *unit;
    const struct cw_port *ports;
    const char *params; /* as text */
    uint64_t digest;
    const char *verilator;
    struct generated generated;
    bool direct;
};

static void write_unit(FILE *f, const struct shim *s)
{
    fputs(s->unit->name, f);
}

static void write_params(FILE *f, const struct shim *s)
{
    fputs(s->params, f);
}

static void write_digest(FILE *f, const struct shim *s)
{
    fprintf(f, "%" PRIx64, s->digest);
}

static void write_verilator(FILE *f, const struct shim *s)
{
    fputs(s->verilator, f);
}

static void write_direct(FILE *f, const struct shim *s)
{
    fprintf(f, "%d", s->direct);
}

static void write_one_eval(FILE *f, const struct shim *s)
{
    fprintf(f, "%d", s->direct && s->generated.unrelated);
}

static void write_pure(FILE *f, const struct shim *s)
{
    fprintf(f, "%d", s->direct && s->generated.pure);
}

static void write_eval_inputs(FILE *f, const struct shim *s)
{
    if (s->generated.inputs)
        fprintf(f, "((r)->__VicoTriggered.at(0) = true, Vcw_%s___024root___eval_ico(r))", s->unit->name);
    else
        fprintf(f, "((void)(r))");
}

static void write_sources(FILE *f, const struct shim *s)
{
    const char *unit = s->unit->name;
    DIR *d = opendir(s->dir);
    for (struct dirent *e = d != NULL ? readdir(d) : NULL; e != NULL; e = readdir(d)) {
        size_t n = strlen(e->d_name);
        if (strncmp(e->d_name, "Vcw_", 4) == 0 && strncmp(e->d_name + 4, unit, strlen(unit)) == 0 && n > 4 &&
            strcmp(e->d_name + n - 4, ".cpp") == 0)
            fprintf(f, "#include \"%s\"\n", e->d_name);
    }
    if (d != NULL)
        closedir(d);
}

static void write_drive(FILE *f, const struct shim *s)
{
    for (uint32_t i = 0; i < s->unit->port_cnt; i++)
        if (s->ports[i].dir == CW_PORT_IN)
            write_input(f, &s->ports[i]);
}

static void write_sample(FILE *f, const struct shim *s)
{
    for (uint32_t i = 0; i < s->unit->port_cnt; i++)
        if (s->ports[i].dir == CW_PORT_OUT)
            write_output(f, &s->ports[i]);
}

/* What stands between two @ in the template. */
static const struct field {
    const char *name;
    bool lines; /* writes whole lines, in the place of its own line */
    void (*write)(FILE *f, const struct shim *s);
} fields[] = {
    {"unit", false, write_unit},         {"params", false, write_params},
    {"digest", false, write_digest},     {"verilator", false, write_verilator},
    {"one_eval", false, write_one_eval}, {"direct", false, write_direct},
    {"pure", false, write_pure},         {"eval_inputs", false, write_eval_inputs},
    {"sources", true, write_sources},    {"drive", true, write_drive},
    {"sample", true, write_sample},
};
#define FIELD_CNT (sizeof fields / sizeof fields[0])

/* The field whose name begins the text and ends at an @; NULL: none. */
static const struct field *find_field(const char *text)
{
    for (size_t i = 0; i < FIELD_CNT; i++) {
        const size_t length = strlen(fields[i].name);
        if (strncmp(text, fields[i].name, length) == 0 && text[length] == '@')
            return &fields[i];
    }
    return NULL;
}

static int fill_line(FILE *f, const struct shim *s, const char *line, struct cw_error *err)
{
    const char *at;
    for (; (at = strchr(line, '@')) != NULL; line = at) {
        const struct field *field = find_field(at + 1);
        fwrite(line, 1, (size_t)(at - line), f);
        if (field == NULL)
            return cw_fail(err, CW_EINVAL, "the shim's template has no field '%.40s'", at);
        field->write(f, s);
        at += strlen(field->name) + 2;
        if (field->lines)
            return CW_OK;
    }
    fprintf(f, "%s\n", line);
    return CW_OK;
}

/* Cuts the template into lines. Lines of //@ speak of the template, not of the shim. */
static int fill_template(FILE *f, const struct shim *s, char *text, struct cw_error *err)
{
    int status = CW_OK;
    while (status == CW_OK && *text != '\0') {
        char *line = text;
        text += strcspn(text, "\n");
        if (*text != '\0')
            *text++ = '\0';
        if (strncmp(line, "//@", 3) != 0)
            status = fill_line(f, s, line, err);
    }
    return status;
}

static int write_file(const char *path, const struct shim *s, char *text, struct cw_error *err)
{
    FILE *f = fopen(path, "w");
    if (f == NULL)
        return cw_fail(err, CW_EIO, "cannot write %s", path);
    const int status = fill_template(f, s, text, err);
    if (fclose(f) != 0 && status == CW_OK)
        return cw_fail(err, CW_EIO, "cannot write %s", path);
    return status;
}

int cw_rtl_write_shim(const char *dir, const char *template_file, const struct cw_unit *unit, const void *params, uint64_t digest,
                      const char *version, struct cw_error *err)
{
    struct shim s = {.dir = dir, .unit = unit, .digest = digest, .verilator = version};
    char path[CW_PATH_MAX];
    int status = cw_os_path(path, sizeof path, err, "%s/shim.cpp", dir);
    if (status != CW_OK)
        return status;
    char *text = cw_os_read_file(template_file, NULL), *params_text = cw_rtl_params_text(unit, params);
    struct cw_port *ports = list_ports(unit, params);
    if (text == NULL)
        status = cw_fail(err, CW_EIO, "cannot read %s", template_file);
    else if (ports == NULL || params_text == NULL)
        status = cw_fail(err, CW_ENOMEM, "out of memory");
    if (status == CW_OK) {
        s.ports = ports;
        s.params = params_text;
        s.direct = is_direct(&s.generated, dir, unit, ports);
        status = write_file(path, &s, text, err);
    }
    free(params_text);
    free(ports);
    free(text);
    return status;
}
