/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "play/script.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wave/signals.h"

#define DEFAULT_CLOCK 1400u

struct reader {
    struct cw_script *s;
    const struct cw_unit *const *units;
    uint32_t number; /* of the line */
    char **word;     /* word_cnt of the line, with room for word_room */
    uint32_t word_cnt, word_room;
    char *text; /* the quoted end of the line, or NULL */
    struct cw_error *err;
};

static int wrong(const struct reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int wrong(const struct reader *r, const char *fmt, ...)
{
    struct cw_error what;
    va_list ap;
    va_start(ap, fmt);
    cw_vfail(&what, CW_EINVAL, fmt, ap);
    va_end(ap);
    return cw_fail(r->err, CW_EINVAL, "%s:%u: %s", r->s->path, r->number, what.text);
}

static int no_memory(const struct reader *r)
{
    return cw_fail(r->err, CW_ENOMEM, "%s: out of memory", r->s->path);
}

static bool number(const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)text[0]))
        return false;
    *value = strtoull(text, &end, 0);
    return errno == 0 && *end == '\0';
}

static int add_word(struct reader *r, char *word)
{
    if (r->word_cnt == r->word_room) {
        const uint32_t room = 2 * r->word_room + 16;
        char **grown = realloc(r->word, room * sizeof *grown);
        if (grown == NULL)
            return no_memory(r);
        r->word = grown;
        r->word_room = room;
    }
    r->word[r->word_cnt++] = word;
    return CW_OK;
}

/* Cuts a line into words; "text" at its end and a comment are taken off first. */
static int split(struct reader *r, char *line)
{
    r->word_cnt = 0;
    r->text = NULL;
    char *mark = line + strcspn(line, "\"#");
    if (*mark == '"') {
        char *end = strchr(mark + 1, '"');
        if (end == NULL || (end[1 + strspn(end + 1, " \t\r\n")] != '\0' && end[1 + strspn(end + 1, " \t\r\n")] != '#'))
            return wrong(r, "a text is in double quotes and ends the line");
        *end = '\0';
        r->text = mark + 1;
    }
    *mark = '\0';
    int status = CW_OK;
    for (char *save, *w = strtok_r(line, " \t\r\n", &save); status == CW_OK && w != NULL; w = strtok_r(NULL, " \t\r\n", &save))
        status = add_word(r, w);
    return status;
}

static int no_unit(const struct reader *r)
{
    uint32_t cnt = 0;
    while (r->units[cnt] != NULL)
        cnt++;
    const char **names = calloc(cnt + 1u, sizeof *names);
    if (names == NULL)
        return no_memory(r);
    for (uint32_t i = 0; i < cnt; i++)
        names[i] = r->units[i]->name;
    const char *near = cw_nearest(r->word[1], names, cnt);
    free((void *)names);
    if (near != NULL)
        return wrong(r, "there is no unit '%.60s'; did you mean '%s'?", r->word[1], near);
    return wrong(r, "there is no unit '%.60s'; the folders of rtl/ show all", r->word[1]);
}

static int choose_unit(struct reader *r)
{
    for (uint32_t i = 0; r->units[i] != NULL; i++)
        if (strcmp(r->units[i]->name, r->word[1]) == 0)
            r->s->unit = r->units[i];
    if (r->s->unit == NULL)
        return no_unit(r);
    r->s->params = calloc(1, r->s->unit->params_size);
    if (r->s->params == NULL || asprintf(&r->s->instance, "partition0.%s", r->s->unit->name) < 0)
        return no_memory(r);
    cw_unit_params_default(r->s->unit, r->s->params);
    return CW_OK;
}

static int no_param(const struct reader *r, const char *name)
{
    const struct cw_unit *unit = r->s->unit;
    const char **names = calloc(unit->param_cnt + 1u, sizeof *names);
    if (names == NULL)
        return no_memory(r);
    for (uint32_t i = 0; i < unit->param_cnt; i++)
        names[i] = unit->params[i].name;
    const char *near = cw_nearest(name, names, unit->param_cnt);
    free((void *)names);
    return wrong(r, "unit %s has no parameter '%.60s'%s%s%s", unit->name, name, near != NULL ? "; did you mean '" : "; see its datasheet",
                 near != NULL ? near : "", near != NULL ? "'?" : "");
}

static int set_param(struct reader *r, char *text)
{
    const struct cw_unit *unit = r->s->unit;
    char *equals = strchr(text, '=');
    uint64_t value;
    if (equals == NULL || !number(equals + 1, &value) || value > UINT32_MAX)
        return wrong(r, "'%.60s': expected name=number", text);
    *equals = '\0';
    for (uint32_t i = 0; i < unit->param_cnt; i++) {
        if (strcmp(unit->params[i].name, text) != 0)
            continue;
        const uint32_t narrow = (uint32_t)value;
        memcpy((char *)r->s->params + unit->params[i].offset, &narrow, sizeof narrow);
        return CW_OK;
    }
    return no_param(r, text);
}

static int set_string(struct reader *r, char **to)
{
    free(*to);
    *to = strdup(r->word[1]);
    return *to != NULL ? CW_OK : no_memory(r);
}

/* The lines before the first cycle. *taken: the line was one of them. */
static int read_header(struct reader *r, bool *taken)
{
    struct cw_script *s = r->s;
    const char *verb = r->word[0];
    const bool known = strcmp(verb, "unit") == 0 || strcmp(verb, "param") == 0 || strcmp(verb, "view") == 0 ||
                       strcmp(verb, "instance") == 0 || strcmp(verb, "clock") == 0;
    uint64_t value;
    *taken = known;
    if (!known)
        return CW_OK;
    if (s->port != NULL)
        return wrong(r, "'%s' comes before the first cycle", verb);
    if (r->word_cnt != 2 || r->text != NULL)
        return wrong(r, "'%s' takes one value", verb);
    if (strcmp(verb, "unit") == 0)
        return s->unit == NULL ? choose_unit(r) : wrong(r, "a second unit; a stimulus drives one");
    if (strcmp(verb, "view") == 0)
        return set_string(r, &s->view);
    if (s->unit == NULL)
        return wrong(r, "'%s' comes after 'unit NAME'", verb);
    if (strcmp(verb, "param") == 0)
        return set_param(r, r->word[1]);
    if (strcmp(verb, "instance") == 0)
        return set_string(r, &s->instance);
    if (!number(r->word[1], &value) || value < 1 || value > 100000)
        return wrong(r, "clock '%.40s': is no number of MHz, 1 to 100000", r->word[1]);
    s->clock_mhz = (uint32_t)value;
    return CW_OK;
}

/* Parameters are known: ports and their widths are. */
static int end_header(struct reader *r)
{
    struct cw_script *s = r->s;
    struct cw_error what;
    if (s->port != NULL)
        return CW_OK;
    if (s->unit == NULL)
        return wrong(r, "the first line must be 'unit NAME'");
    const int status = cw_unit_params_check(s->unit, s->params, &what);
    if (status != CW_OK)
        return wrong(r, "%s", what.text);
    s->port = calloc(s->unit->port_cnt, sizeof *s->port);
    if (s->port == NULL)
        return no_memory(r);
    s->unit->ports(s->params, s->port);
    return CW_OK;
}

/* The port's name without its channel and "_"; NULL: it is of another channel. A port of no channel ("") has its whole name. */
static const char *field_of(const struct cw_port *port, const char *channel)
{
    const size_t length = strlen(channel);
    if (length == 0)
        return port->name;
    return strncmp(port->name, channel, length) == 0 && port->name[length] == '_' ? port->name + length + 1 : NULL;
}

static const struct cw_port *find_port(const struct cw_script *s, const char *channel, const char *field)
{
    for (uint32_t i = 0; i < s->unit->port_cnt; i++) {
        const char *own = field_of(&s->port[i], channel);
        if (own != NULL && strcmp(own, field) == 0)
            return &s->port[i];
    }
    return NULL;
}

static int no_port(const struct reader *r, const char *channel, const char *field, enum cw_port_dir dir)
{
    const struct cw_script *s = r->s;
    const char **names = calloc(s->unit->port_cnt + 1u, sizeof *names);
    uint32_t cnt = 0;
    if (names == NULL)
        return no_memory(r);
    for (uint32_t i = 0; i < s->unit->port_cnt; i++)
        if (s->port[i].dir == dir && field_of(&s->port[i], channel) != NULL)
            names[cnt++] = field_of(&s->port[i], channel);
    const char *near = cw_nearest(field, names, cnt);
    free((void *)names);
    return wrong(r, "unit %s has no %s '%.40s%s%.40s'%s%s%s", s->unit->name, dir == CW_PORT_IN ? "input" : "output", channel,
                 channel[0] != '\0' ? "_" : "", field, near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                 near != NULL ? "'?" : "");
}

/* Takes the "[3]" off "addr[3]"; ports wider than 64 bits have it, others do not. */
static int take_index(struct reader *r, char *name, bool *indexed, uint32_t *word)
{
    char *open = strchr(name, '[');
    uint64_t index = 0;
    *indexed = open != NULL;
    if (open != NULL) {
        char *close = strchr(open, ']');
        if (close == NULL || close[1] != '\0')
            return wrong(r, "'%.60s': expected name[word]", name);
        *close = *open = '\0';
        if (!number(open + 1, &index) || index > UINT32_MAX)
            return wrong(r, "'%.40s[%.20s]': expected a number in brackets", name, open + 1);
    }
    *word = (uint32_t)index;
    return CW_OK;
}

static int check_word(struct reader *r, const struct cw_port *port, bool indexed, uint32_t word)
{
    const bool wide = port->width > 64;
    if (wide && !indexed)
        return wrong(r, "%s has %u words of 32 bits: say which, as in %s[0]=", port->name, port->words, port->name);
    if (wide && word >= port->words)
        return wrong(r, "%s[%u]: the port has the words 0 to %u", port->name, word, port->words - 1u);
    return wide || !indexed ? CW_OK : wrong(r, "%s[%u]: the port is one number", port->name, word);
}

static int add_assign(const struct reader *r, struct cw_script_line *line, struct cw_script_assign assign)
{
    struct cw_script_assign *grown = realloc(line->assign, (line->assign_cnt + 1u) * sizeof *grown);
    if (grown == NULL)
        return no_memory(r);
    line->assign = grown;
    line->assign[line->assign_cnt++] = assign;
    return CW_OK;
}

/* "kind=store", "granule=0xa" or "addr[3]=0x10" */
static int read_assign(struct reader *r, struct cw_script_line *line, const char *channel, enum cw_port_dir dir, char *text)
{
    char *equals = strchr(text, '=');
    uint64_t value;
    bool indexed = false;
    uint32_t word = 0;
    if (equals == NULL)
        return wrong(r, "'%.60s': expected port=value", text);
    *equals = '\0';
    int status = take_index(r, text, &indexed, &word);
    if (status != CW_OK)
        return status;
    const struct cw_port *port = find_port(r->s, channel, text);
    if (port == NULL || port->dir != dir)
        return no_port(r, channel, text, dir);
    status = check_word(r, port, indexed, word);
    if (status != CW_OK)
        return status;
    const uint32_t width = indexed ? 32 : port->width;
    if (!number(equals + 1, &value) && !cw_wave_word_value(r->s->unit, port->name, equals + 1, &value))
        return wrong(r, "%s='%.40s': is no number, and no word of this port", port->name, equals + 1);
    if (width < 64 && value >> width != 0)
        return wrong(r, "%s=%s: has more than the port's %u bits", port->name, equals + 1, width);
    return add_assign(r, line, (struct cw_script_assign){port, word, value});
}

static int read_channel(struct reader *r, struct cw_script_line *line, const char *channel, enum cw_port_dir dir)
{
    line->channel.valid = find_port(r->s, channel, "valid");
    line->channel.ready = find_port(r->s, channel, "ready");
    if (line->channel.valid == NULL || line->channel.valid->dir != dir)
        return wrong(r, "unit %s has no channel '%.40s' %s it: no %.40s_valid", r->s->unit->name, channel,
                     dir == CW_PORT_IN ? "into" : "out of", channel);
    return CW_OK;
}

static const struct {
    const char *name;
    enum cw_script_verb verb;
    enum cw_port_dir dir;
    bool channel;
} verbs[] = {
    {"hold", CW_SCRIPT_HOLD, CW_PORT_IN, false},  {"pulse", CW_SCRIPT_PULSE, CW_PORT_IN, false},
    {"send", CW_SCRIPT_SEND, CW_PORT_IN, true},   {"expect", CW_SCRIPT_EXPECT, CW_PORT_OUT, true},
    {"wait", CW_SCRIPT_WAIT, CW_PORT_OUT, false}, {"trace", CW_SCRIPT_TRACE, CW_PORT_IN, false},
};
#define VERB_CNT ((uint32_t)(sizeof verbs / sizeof verbs[0]))

static int read_verb(struct reader *r, struct cw_script_line *line, uint32_t at)
{
    const char *names[VERB_CNT];
    uint32_t v = 0;
    for (uint32_t i = 0; i < VERB_CNT; i++)
        names[i] = verbs[i].name;
    while (v < VERB_CNT && strcmp(verbs[v].name, r->word[at]) != 0)
        v++;
    if (v == VERB_CNT) {
        const char *near = cw_nearest(r->word[at], names, VERB_CNT);
        return wrong(r, "'%.40s': expected hold, pulse, send, expect, wait or trace%s%s%s", r->word[at],
                     near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
    }
    line->verb = verbs[v].verb;
    const char *channel = "";
    at++;
    if (verbs[v].channel) {
        if (at == r->word_cnt)
            return wrong(r, "'%s' takes a channel and its fields, as in %s req kind=load", verbs[v].name, verbs[v].name);
        channel = r->word[at++];
        int status = read_channel(r, line, channel, verbs[v].dir);
        if (status != CW_OK)
            return status;
    }
    if (line->verb == CW_SCRIPT_TRACE) {
        r->s->late_trace = true;
        return at == r->word_cnt ? CW_OK : wrong(r, "'trace' takes nothing");
    }
    if (!verbs[v].channel && at == r->word_cnt)
        return wrong(r, "'%s' takes port=value", verbs[v].name);
    int status = CW_OK;
    for (; status == CW_OK && at < r->word_cnt; at++)
        status = read_assign(r, line, channel, verbs[v].dir, r->word[at]);
    return status;
}

static int add_text(struct reader *r, struct cw_script_line *line)
{
    struct cw_script *s = r->s;
    line->text = CW_SCRIPT_NO_TEXT;
    if (r->text == NULL)
        return CW_OK;
    char **grown = realloc(s->text, (s->text_cnt + 1u) * sizeof *grown);
    if (grown == NULL)
        return no_memory(r);
    s->text = grown;
    s->text[s->text_cnt] = strdup(r->text);
    if (s->text[s->text_cnt] == NULL)
        return no_memory(r);
    line->text = s->text_cnt++;
    return CW_OK;
}

/* [@CYCLE | +CYCLES] [VERB ...] ["text"] */
static int read_step(struct reader *r)
{
    struct cw_script *s = r->s;
    uint32_t at = 0;
    struct cw_script_line *grown = realloc(s->line, (s->line_cnt + 1u) * sizeof *grown);
    if (grown == NULL)
        return no_memory(r);
    s->line = grown;
    struct cw_script_line *line = &s->line[s->line_cnt];
    *line = (struct cw_script_line){.number = r->number};
    int status = add_text(r, line);
    if (status == CW_OK && r->word_cnt > 0 && (r->word[0][0] == '@' || r->word[0][0] == '+')) {
        line->absolute = r->word[0][0] == '@';
        if (!number(r->word[0] + 1, &line->at) || line->at > 100000000)
            return wrong(r, "'%.40s': expected @CYCLE or +CYCLES, at most 100000000", r->word[0]);
        at = 1;
    }
    if (status == CW_OK && at < r->word_cnt)
        status = read_verb(r, line, at);
    s->line_cnt++;
    return status;
}

static int read_line(struct reader *r, char *line)
{
    bool header = false;
    int status = split(r, line);
    if (status != CW_OK || (r->word_cnt == 0 && r->text == NULL))
        return status;
    if (r->word_cnt > 0)
        status = read_header(r, &header);
    if (status != CW_OK || header)
        return status;
    status = end_header(r);
    return status == CW_OK ? read_step(r) : status;
}

int cw_script_read(struct cw_script *s, const char *path, const struct cw_unit *const *units, struct cw_error *err)
{
    struct reader r = {.s = s, .units = units, .err = err};
    char *line = NULL;
    size_t size = 0;
    *s = (struct cw_script){.path = strdup(path), .clock_mhz = DEFAULT_CLOCK};
    if (s->path == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return cw_fail(err, CW_EIO, "%s: %s", path, strerror(errno));
    int status = CW_OK;
    while (status == CW_OK && getline(&line, &size, f) >= 0) {
        r.number++;
        status = read_line(&r, line);
    }
    if (status == CW_OK && ferror(f))
        status = cw_fail(err, CW_EIO, "%s: cannot be read", path);
    if (status == CW_OK && r.number == 0)
        status = cw_fail(err, CW_EINVAL, "%s: the file is empty; a stimulus begins with 'unit NAME'", path);
    if (status == CW_OK && s->line_cnt == 0)
        status = wrong(&r, "nothing is driven");
    free(r.word);
    free(line);
    fclose(f);
    return status;
}

void cw_script_destroy(struct cw_script *s)
{
    for (uint32_t i = 0; i < s->text_cnt; i++)
        free(s->text[i]);
    free(s->text);
    for (uint32_t i = 0; i < s->line_cnt; i++)
        free(s->line[i].assign);
    free(s->line);
    free(s->port);
    free(s->params);
    free(s->instance);
    free(s->view);
    free(s->path);
}
