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

int cw_rtl_params_text(char *out, size_t size, const struct cw_unit *unit, const void *params, struct cw_error *err)
{
    size_t used = 0;
    if (size > 0)
        out[0] = '\0';
    for (uint32_t i = 0; i < unit->param_cnt; i++) {
        uint32_t value;
        memcpy(&value, (const char *)params + unit->params[i].offset, sizeof value);
        int n = snprintf(out + used, size - used, "%s%s=%u", i ? " " : "", unit->params[i].name, value);
        if (n < 0 || (size_t)n >= size - used)
            return cw_fail(err, CW_EINVAL, "%s has too many parameters", unit->name);
        used += (size_t)n;
    }
    return CW_OK;
}

static struct cw_port *list_ports(const struct cw_unit *unit, const void *params)
{
    struct cw_port *ports = calloc(unit->port_cnt, sizeof *ports);
    if (ports != NULL)
        unit->ports(params, ports);
    return ports;
}

struct verilated_port {
    char name[128]; /* with _i or _o */
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
    const char *open = strchr(at, '(');
    if (open == NULL || sscanf(open, "(&%127[^,],%u,%u", port->name, &msb, &lsb) != 3)
        return false;
    port->input = at[3] == 'I';
    port->width = msb - lsb + 1;
    return true;
}

static int check_one_port(const struct cw_unit *unit, const struct cw_port *ports, bool *seen, const char *file,
                          const struct verilated_port *found, struct cw_error *err)
{
    if (strcmp(found->name, "clk_i") == 0 || strcmp(found->name, "rst_i") == 0)
        return CW_OK;
    for (uint32_t i = 0; i < unit->port_cnt; i++) {
        const struct cw_port *port = &ports[i];
        char name[160];
        snprintf(name, sizeof name, "%s%s", port->name, port->dir == CW_PORT_IN ? "_i" : "_o");
        if (strcmp(name, found->name) != 0)
            continue;
        seen[i] = true;
        if (found->input != (port->dir == CW_PORT_IN))
            return cw_fail(err, CW_EMISMATCH, "%s: port %s: %s and the port list differ in its direction", unit->name, name, file);
        if (found->width != port->width)
            return cw_fail(err, CW_EMISMATCH, "%s: port %s has %u bits in %s and %u in the port list", unit->name, name, found->width, file,
                           port->width);
        if (port->words != 0 ? port->words != (port->width + 31) / 32 : port->width > 64)
            return cw_fail(err, CW_EMISMATCH, "%s: port %s: %u bits do not go into %u words", unit->name, name, port->width, port->words);
        return CW_OK;
    }
    return cw_fail(err, CW_EMISMATCH, "%s: %s has a port %s that the port list in cowarp/unit/%s.h has not", unit->name, file, found->name,
                   unit->name);
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
    char own[160];
    snprintf(own, sizeof own, "cw_%s.v", unit->name);
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
        fprintf(f, "    m->%s_i = static_cast<%s>(in->%s & UINT64_C(0x%" PRIx64 "));\n", p->name, verilated_type(p->width), p->name,
                mask_of(p->width));
        return;
    }
    for (uint32_t w = 0; w < p->words; w++) {
        uint64_t mask = mask_of(p->width - 32 * w < 32 ? p->width - 32 * w : 32);
        if (p->width > 64)
            fprintf(f, "    m->%s_i[%u] = in->%s[%u] & 0x%" PRIx64 "u;\n", p->name, w, p->name, w, mask);
        else
            fprintf(f, "    m->%s_i %s static_cast<%s>(static_cast<uint64_t>(in->%s[%u] & 0x%" PRIx64 "u) << %u);\n", p->name,
                    w ? "|=" : "=", verilated_type(p->width), p->name, w, mask, 32 * w);
    }
}

static void write_output(FILE *f, const struct cw_port *p)
{
    if (p->words == 0) {
        fprintf(f, "    out->%s = m->%s_o;\n", p->name, p->name);
        return;
    }
    for (uint32_t w = 0; w < p->words; w++)
        if (p->width > 64)
            fprintf(f, "    out->%s[%u] = m->%s_o[%u];\n", p->name, w, p->name, w);
        else
            fprintf(f, "    out->%s[%u] = static_cast<uint32_t>(static_cast<uint64_t>(m->%s_o) >> %u);\n", p->name, w, p->name, 32 * w);
}

static const char shim_body[] =
    "struct instance {\n"
    "    VerilatedContext *own; /* NULL: the context is the caller's */\n"
    "    MODEL *m;\n"
    "    bool watched; /* somebody looks inside between the edges: a wave file */\n"
    "    bool driven;  /* in holds what the model's logic has last worked in */\n"
    "    IN_T in;\n"
    "};\n\n"
    "void settle(instance *s, const IN_T *in)\n"
    "{\n"
    "    s->driven = false;\n"
    "    s->m->clk_i = 0;\n"
    "    drive(s->m, in);\n"
    "    s->m->eval();\n"
    "}\n\n"
    "#if VM_COVERAGE\n"
    "/* The counters are the model's, so they are written before it goes, and forgotten in the context. */\n"
    "void write_coverage(MODEL *m)\n"
    "{\n"
    "    static unsigned count;\n"
    "    const char *dir = std::getenv(\"COWARP_RTL_COVERAGE_DIR\");\n"
    "    char path[1024];\n"
    "    std::snprintf(path, sizeof path, \"%s/%s-%llx-%ld-%u.dat\", dir ? dir : \".\", UNIT_NAME,\n"
    "                  static_cast<unsigned long long>(UNIT_DIGEST), static_cast<long>(getpid()), count++);\n"
    "    m->contextp()->coveragep()->write(path);\n"
    "    m->contextp()->coveragep()->clear();\n"
    "}\n"
    "#endif\n\n"
    "void destroy(void *self)\n"
    "{\n"
    "    instance *s = static_cast<instance *>(self);\n"
    "    if (!s)\n"
    "        return;\n"
    "    s->m->final();\n"
    "#if VM_COVERAGE\n"
    "    write_coverage(s->m);\n"
    "#endif\n"
    "    delete s->m;\n"
    "    delete s->own;\n"
    "    delete s;\n"
    "}\n\n"
    "void reset(void *self)\n"
    "{\n"
    "    instance *s = static_cast<instance *>(self);\n"
    "    MODEL *m = s->m;\n"
    "    const IN_T zero = {};\n"
    "    m->rst_i = 1;\n"
    "    settle(s, &zero);\n"
    "    m->clk_i = 1;\n"
    "    m->eval();\n"
    "    m->rst_i = 0;\n"
    "}\n\n"
    "int create_in(void **self, void *context, const char *name)\n"
    "try {\n"
    "    instance *s = new instance();\n"
    "    VerilatedContext *c = static_cast<VerilatedContext *>(context);\n"
    "    if (!c) {\n"
    "        c = s->own = new VerilatedContext;\n"
    "        c->traceEverOn(true);\n"
    "    }\n"
    "    s->m = new MODEL(c, name);\n"
    "    reset(s);\n"
    "    *self = s;\n"
    "    return 0;\n"
    "} catch (const std::bad_alloc &) {\n"
    "    return CW_ENOMEM;\n"
    "}\n\n"
    "int create(void **self, const void *)\n"
    "{\n"
    "    return create_in(self, nullptr, \"TOP\");\n"
    "}\n\n"
    "/* No output depends on an input of the same cycle: what the last edge left is the answer, and the model need not settle. */\n"
    "void eval(void *self, const void *in, void *out)\n"
    "{\n"
    "    instance *s = static_cast<instance *>(self);\n"
    "    if (!ONE_EVAL || s->watched)\n"
    "        settle(s, static_cast<const IN_T *>(in));\n"
    "    sample(s->m, static_cast<OUT_T *>(out));\n"
    "}\n\n"
    "#if ONE_EVAL\n"
    "/* The rising edge without Verilator's search for what has changed: the inputs are compared here, and the one clock rises. */\n"
    "void edge(instance *s, const IN_T *in)\n"
    "{\n"
    "    if (!s->driven || std::memcmp(&s->in, in, sizeof *in) != 0) {\n"
    "        std::memcpy(&s->in, in, sizeof *in);\n"
    "        s->driven = true;\n"
    "        drive(s->m, in);\n"
    "        EVAL_INPUTS(s->m->rootp);\n"
    "    }\n"
    "    EVAL_EDGE(s->m->rootp);\n"
    "}\n"
    "#endif\n\n"
    "/* The clock is low after a settling eval; a caller that skipped eval gets the settling that it left out. */\n"
    "void tick(void *self, const void *in)\n"
    "{\n"
    "    instance *s = static_cast<instance *>(self);\n"
    "#if ONE_EVAL\n"
    "    if (s->m->clk_i) {\n"
    "        edge(s, static_cast<const IN_T *>(in));\n"
    "        return;\n"
    "    }\n"
    "#endif\n"
    "    if (s->m->clk_i)\n"
    "        settle(s, static_cast<const IN_T *>(in));\n"
    "    s->m->clk_i = 1;\n"
    "    s->m->eval();\n"
    "}\n\n"
    "void *model(void *self)\n"
    "{\n"
    "    instance *s = static_cast<instance *>(self);\n"
    "    s->watched = true;\n"
    "    return static_cast<VerilatedModel *>(s->m);\n"
    "}\n\n"
    "void trace(void *self, void *fst, int depth)\n"
    "{\n"
    "    static_cast<instance *>(self)->watched = fst != nullptr;\n"
    "    if (fst)\n"
    "        static_cast<instance *>(self)->m->trace(static_cast<VerilatedFstC *>(fst), depth ? depth : 99);\n"
    "}\n\n"
    "#if VM_COVERAGE /* with which Verilator does not save states */\n"
    "size_t save(void *, void *, size_t)\n"
    "{\n"
    "    return 0;\n"
    "}\n\n"
    "void restore(void *, const void *, size_t) {}\n"
    "#else\n"
    "/* Verilator's serializers over the caller's memory. */\n"
    "class saver final : public VerilatedSerialize {\n"
    "    uint8_t *const to;\n"
    "    const size_t room;\n\n"
    "public:\n"
    "    size_t used = 0;\n"
    "    saver(void *state, size_t size) : to(static_cast<uint8_t *>(state)), room(size) {}\n"
    "    void flush() override\n"
    "    {\n"
    "        const size_t n = static_cast<size_t>(m_cp - m_bufp), left = used < room ? room - used : 0;\n"
    "        if (left > 0)\n"
    "            std::memcpy(to + used, m_bufp, n < left ? n : left);\n"
    "        used += n;\n"
    "        m_cp = m_bufp;\n"
    "    }\n"
    "};\n\n"
    "class restorer final : public VerilatedDeserialize {\n"
    "    const uint8_t *from;\n"
    "    size_t left;\n"
    "    void fill() override\n"
    "    {\n"
    "        const size_t kept = static_cast<size_t>(m_endp - m_cp), room = bufferSize() - kept;\n"
    "        const size_t n = left < room ? left : room;\n"
    "        std::memmove(m_bufp, m_cp, kept);\n"
    "        std::memcpy(m_bufp + kept, from, n);\n"
    "        from += n;\n"
    "        left -= n;\n"
    "        m_cp = m_bufp;\n"
    "        m_endp = m_bufp + kept + n;\n"
    "    }\n\n"
    "public:\n"
    "    restorer(const void *state, size_t size) : from(static_cast<const uint8_t *>(state)), left(size)\n"
    "    {\n"
    "        m_endp = m_bufp;\n"
    "    }\n"
    "};\n\n"
    "size_t save(void *self, void *state, size_t size)\n"
    "{\n"
    "    saver s(state, size);\n"
    "    s << *static_cast<instance *>(self)->m;\n"
    "    s.flush();\n"
    "    return s.used;\n"
    "}\n\n"
    "void restore(void *self, const void *state, size_t size)\n"
    "{\n"
    "    restorer r(state, size);\n"
    "    r >> *static_cast<instance *>(self)->m;\n"
    "    static_cast<instance *>(self)->driven = false;\n"
    "}\n"
    "#endif\n\n"
    "const struct cw_rtl_library library = {\n"
    "    CW_RTL_ABI, UNIT_NAME, UNIT_PARAMS, UNIT_DIGEST, UNIT_VERILATOR,\n"
    "    {create, destroy, reset, eval, tick}, create_in, model, trace, save, restore};\n\n"
    "} // namespace\n\n"
    "extern \"C\" const struct cw_rtl_library *cw_rtl_library(void)\n"
    "{\n"
    "    return &library;\n"
    "}\n";

/* Where text assigns to name (or to an element of it), as Verilator writes assignments; NULL: nowhere. */
static const char *find_assignment(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(text, name); at != NULL; at = strstr(at + length, name)) {
        const bool whole = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        const char *next = at + length;
        if (*next == '[')
            next += strcspn(next, "]") + 1;
        next += strspn(next, " \n");
        if (whole && next[0] == '=' && next[1] != '=')
            return at;
    }
    return NULL;
}

/* Whether one of the functions that work input changes into the logic ("ico": input combinational) assigns to an output. */
static bool inputs_reach_outputs(char *text, const struct cw_unit *unit, const struct cw_port *ports)
{
    bool found = false;
    for (char *f = strstr(text, "___ico_"); f != NULL && !found; f = strstr(f + 1, "___ico_")) {
        char *end = strstr(f, "\n}\n"), *open = strchr(f, '{'), *semicolon = strchr(f, ';');
        if (end == NULL || open == NULL || semicolon == NULL || semicolon < open) /* a call or a declaration */
            continue;
        *end = '\0';
        for (uint32_t i = 0; i < unit->port_cnt && !found; i++) {
            char name[160];
            snprintf(name, sizeof name, "%s_o", ports[i].name);
            found = ports[i].dir == CW_PORT_OUT && find_assignment(open, name) != NULL;
        }
        *end = '\n';
    }
    return found;
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
};

static void look_at_header(struct generated *g, const char *text)
{
    g->one_edge = strstr(text, " VlTriggerVec<1> __VactTriggered;") != NULL && strstr(text, " VlTriggerVec<1> __VnbaTriggered;") != NULL;
    g->inputs = strstr(text, " VlTriggerVec<1> __VicoTriggered;") != NULL;
}

/*
 * Whether a cycle takes one evaluation of the model. Without a path from an input to an output nothing has to be evaluated before the edge.
 * The shim then calls the two functions into which Verilator has put the logic: that which follows the inputs, if one has changed, and
 * that of the edge. Their names and triggers belong to Verilator's version, hence the look at what it wrote.
 */
static bool one_eval(struct generated *g, const char *dir, const struct cw_unit *unit, const struct cw_port *ports)
{
    static const char rises[] = "__VactTriggered.at(0U)=((IData)(vlSelf->clk_i)&(~(IData)(vlSelf->__Vtrigrprev__TOP__clk_i)));";
    char path[CW_PATH_MAX];
    bool clock = false;
    *g = (struct generated){.unrelated = true};
    DIR *d = opendir(dir);
    for (struct dirent *e = d != NULL ? readdir(d) : NULL; e != NULL; e = readdir(d)) {
        const bool header = strstr(e->d_name, "___024root.h") != NULL;
        if ((!header && strstr(e->d_name, ".cpp") == NULL) || cw_os_path(path, sizeof path, NULL, "%s/%s", dir, e->d_name) != CW_OK)
            continue;
        char *text = cw_os_read_file(path, NULL);
        if (text == NULL)
            g->unrelated = false;
        else if (header)
            look_at_header(g, text);
        else {
            clock = clock || has_code(text, rises);
            g->unrelated = g->unrelated && strstr(text, "___act_") == NULL && !inputs_reach_outputs(text, unit, ports);
        }
        free(text);
    }
    if (d != NULL)
        closedir(d);
    return d != NULL && clock && g->one_edge && g->unrelated;
}

static void write_evaluation(FILE *f, const char *dir, const struct cw_unit *unit, const struct cw_port *ports)
{
    struct generated g;
    fprintf(f, "#define ONE_EVAL %d\n", one_eval(&g, dir, unit, ports));
    if (g.inputs)
        fprintf(f, "#define EVAL_INPUTS(r) ((r)->__VicoTriggered.at(0) = true, Vcw_%s___024root___eval_ico(r))\n", unit->name);
    else
        fprintf(f, "#define EVAL_INPUTS(r) ((void)(r))\n");
    fprintf(f, "#define EVAL_EDGE(r) ((r)->__VnbaTriggered.at(0) = true, Vcw_%s___024root___eval_nba(r))\n\n", unit->name);
}

static void write_includes(FILE *f, const char *dir, const char *unit)
{
    char own[256];
    DIR *d = opendir(dir);
    snprintf(own, sizeof own, "Vcw_%s", unit);
    for (struct dirent *e = d != NULL ? readdir(d) : NULL; e != NULL; e = readdir(d)) {
        size_t n = strlen(e->d_name);
        if (strncmp(e->d_name, own, strlen(own)) == 0 && n > 4 && strcmp(e->d_name + n - 4, ".cpp") == 0)
            fprintf(f, "#include \"%s\"\n", e->d_name);
    }
    if (d != NULL)
        closedir(d);
    fprintf(f, "#if VM_COVERAGE\n#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n#include \"verilated_cov.h\"\n#endif\n");
    fprintf(f,
            "#include <cstring>\n#include <new>\n#include \"verilated_fst_c.h\"\n#if !VM_COVERAGE\n#include "
            "\"verilated_save.cpp\"\n#endif\n#include \"base/error.h\"\n"
            "#include \"cowarp/unit/%s.h\"\n#include \"rtl_library.h\"\n\n",
            unit);
}

int cw_rtl_write_shim(const char *dir, const struct cw_unit *unit, const void *params, uint64_t digest, const char *version,
                      struct cw_error *err)
{
    char path[CW_PATH_MAX], text[1024];
    int status = cw_os_path(path, sizeof path, err, "%s/shim.cpp", dir);
    if (status == CW_OK)
        status = cw_rtl_params_text(text, sizeof text, unit, params, err);
    if (status != CW_OK)
        return status;
    struct cw_port *ports = list_ports(unit, params);
    if (ports == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    FILE *f = fopen(path, "w");
    if (f != NULL) {
        fprintf(f, "// Generated for unit %s: %s\n", unit->name, text);
        write_includes(f, dir, unit->name);
        fprintf(f,
                "#define MODEL Vcw_%s\n#define IN_T cw_%s_in\n#define OUT_T cw_%s_out\n#define UNIT_NAME \"%s\"\n"
                "#define UNIT_PARAMS \"%s\"\n#define UNIT_DIGEST UINT64_C(0x%" PRIx64 ")\n"
                "#define UNIT_VERILATOR \"%s\"\n\n",
                unit->name, unit->name, unit->name, unit->name, text, digest, version);
        write_evaluation(f, dir, unit, ports);
        fprintf(f, "namespace {\n\ninline void drive(MODEL *m, const IN_T *in)\n{\n    (void)in;\n");
        for (uint32_t i = 0; i < unit->port_cnt; i++)
            if (ports[i].dir == CW_PORT_IN)
                write_input(f, &ports[i]);
        fprintf(f, "}\n\ninline void sample(MODEL *m, OUT_T *out)\n{\n    (void)out;\n");
        for (uint32_t i = 0; i < unit->port_cnt; i++)
            if (ports[i].dir == CW_PORT_OUT)
                write_output(f, &ports[i]);
        fprintf(f, "}\n\n%s", shim_body);
    }
    free(ports);
    if (f == NULL || (fclose(f) != 0))
        return cw_fail(err, CW_EIO, "cannot write %s", path);
    return CW_OK;
}
