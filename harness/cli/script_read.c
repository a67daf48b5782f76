/* SPDX-License-Identifier: Apache-2.0 */
/* From a script's text to its statements. A statement is a line of words; a word with blanks in it is in double quotes. */
#define _POSIX_C_SOURCE 200809L /* strdup, stat */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/in_file.h"
#include "file/out_file.h"
#include "script.h"

#define WORDS_MAX 256u
#define NONE      UINT32_MAX

/* The line that is read. */
struct reader {
    struct script *script;
    struct script_statement *st; /* what becomes of it */
    uint32_t line;
    char *word[WORDS_MAX];
    uint32_t word_cnt, next;
};

static int wrong(const struct reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int wrong(const struct reader *r, const char *fmt, ...)
{
    char text[8192];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return cli_error(CLI_WRONG, "%s:%" PRIu32 ": %s", r->script->path, r->line, text);
}

static int out_of_memory(const struct reader *r)
{
    return cli_error(CLI_FAILED, "%s:%" PRIu32 ": out of memory", r->script->path, r->line);
}

/* ---- words ---- */

/* Cuts the line into words, up to a comment. */
static int split(struct reader *r, char *c)
{
    r->word_cnt = r->next = 0;
    for (;;) {
        c += strspn(c, " \t\r");
        if (*c == '\0' || *c == '#')
            return CLI_OK;
        if (r->word_cnt == WORDS_MAX)
            return wrong(r, "more than %u words", WORDS_MAX);
        const bool quoted = *c == '"';
        c += quoted;
        r->word[r->word_cnt++] = c;
        c += strcspn(c, quoted ? "\"" : " \t\r");
        if (quoted && *c == '\0')
            return wrong(r, "a quoted word does not end in its line");
        if (*c != '\0')
            *c++ = '\0';
    }
}

/* The next word; NULL: there is none. */
static char *take(struct reader *r)
{
    return r->next < r->word_cnt ? r->word[r->next++] : NULL;
}

/* The next word has to be this one. */
static int expect(struct reader *r, const char *word, const char *form)
{
    const char *given = take(r);
    if (given != NULL && strcmp(given, word) == 0)
        return CLI_OK;
    return wrong(r, "expected '%s'%s%s%s; the form is: %s", word, given != NULL ? ", not '" : "", given != NULL ? given : "",
                 given != NULL ? "'" : "", form);
}

static bool accept(struct reader *r, const char *word)
{
    const bool is = r->next < r->word_cnt && strcmp(r->word[r->next], word) == 0;
    r->next += is;
    return is;
}

/* A 32-bit word, with a sign or without. */
static int take_word(struct reader *r, const char *form, uint32_t *value)
{
    const char *text = take(r);
    int64_t wide;
    if (text == NULL)
        return wrong(r, "a number is missing; the form is: %s", form);
    if (!cli_s64(text, &wide) || wide < INT32_MIN || wide > UINT32_MAX)
        return wrong(r, "'%s' is no number of 32 bits", text);
    *value = (uint32_t)wide;
    return CLI_OK;
}

/* ---- files ---- */

static bool writes(const struct script_statement *st, const char *path)
{
    if (st->verb == SCRIPT_WRITE && st->file != NULL && cw_out_file_same(st->file, path))
        return true;
    for (uint32_t i = 0; i < st->argument_cnt; i++)
        if (st->argument[i].a.writes && cw_out_file_same(st->argument[i].a.path, path))
            return true;
    return false;
}

/* The line of a statement before this one that writes the file, or 0. */
static uint32_t written_in(const struct reader *r, const char *path)
{
    for (uint32_t i = 0; i + 1 < r->script->statement_cnt; i++)
        if (writes(&r->script->statement[i], path))
            return r->script->statement[i].line;
    return 0;
}

/* A file that is to be read: it is there and of a size that fits, unless the script itself writes it. exact: of that size. */
static int take_input(struct reader *r, const char *form, uint64_t bytes, bool exact)
{
    struct stat st;
    const char *path = take(r);
    if (path == NULL)
        return wrong(r, "a file is missing; the form is: %s", form);
    if ((r->st->file = strdup(path)) == NULL)
        return out_of_memory(r);
    if (written_in(r, path) != 0)
        return CLI_OK;
    if (stat(path, &st) != 0 || access(path, R_OK) != 0) /* not opened: what is in a pipe is there once */
        return wrong(r, "%s: cannot be opened: %s", path, strerror(errno));
    if (S_ISREG(st.st_mode) && ((uint64_t)st.st_size > bytes || (exact && (uint64_t)st.st_size < bytes)))
        return wrong(r, "%s has %jd bytes, and there %s %" PRIu64, path, (intmax_t)st.st_size, exact ? "have to be" : "is room for", bytes);
    return CLI_OK;
}

static int take_output(struct reader *r, const char *form)
{
    struct cw_error err;
    const char *path = take(r);
    if (path == NULL)
        return wrong(r, "a file is missing; the form is: %s", form);
    if ((r->st->file = strdup(path)) == NULL)
        return out_of_memory(r);
    return cw_out_file_check(path, &err) == CW_OK ? CLI_OK : wrong(r, "%s", err.text);
}

/* ---- buffers ---- */

static uint32_t find_buffer(const struct script *s, const char *name, size_t length)
{
    for (uint32_t i = 0; i < s->buffer_cnt; i++)
        if (strlen(s->buffer[i].name) == length && memcmp(s->buffer[i].name, name, length) == 0)
            return i;
    return SCRIPT_NO_BUFFER;
}

static int unknown_buffer(const struct reader *r, const char *text)
{
    const char *names[WORDS_MAX];
    char near[96];
    uint32_t cnt = 0;
    for (; cnt < r->script->buffer_cnt && cnt < WORDS_MAX; cnt++)
        names[cnt] = r->script->buffer[cnt].name;
    return wrong(r, "'%s': no alloc above makes it; %s", text, cli_suggest(near, text, names, cnt, "write alloc NAME BYTES first"));
}

/* NAME or NAME+OFFSET, with so many bytes from there on. */
static int parse_buffer(struct reader *r, const char *text, uint64_t bytes, uint32_t *buffer, uint64_t *offset)
{
    const size_t length = strcspn(text, "+");
    *offset = 0;
    *buffer = find_buffer(r->script, text, length);
    if (*buffer == SCRIPT_NO_BUFFER)
        return unknown_buffer(r, text);
    if (text[length] == '+' && !cli_u64(text + length + 1, offset))
        return wrong(r, "'%s': '%s' is no number of bytes", text, text + length + 1);
    const uint64_t all = r->script->buffer[*buffer].bytes;
    if (*offset > all || bytes > all - *offset)
        return wrong(r, "'%s': there are %" PRIu64 " bytes, so %" PRIu64 " do not fit at %" PRIu64, text, all, bytes, *offset);
    return CLI_OK;
}

static int take_buffer(struct reader *r, const char *form, uint64_t bytes)
{
    const char *text = take(r);
    if (text == NULL)
        return wrong(r, "a name is missing; the form is: %s", form);
    return parse_buffer(r, text, bytes, &r->st->buffer, &r->st->offset);
}

static uint64_t room(const struct reader *r)
{
    return r->script->buffer[r->st->buffer].bytes - r->st->offset;
}

static bool is_name(const char *text)
{
    bool good = isalpha((unsigned char)text[0]) || text[0] == '_';
    for (const char *c = text; *c != '\0'; c++)
        good = good && (isalnum((unsigned char)*c) || *c == '_');
    return good;
}

/* ---- statements ---- */

static int read_load(struct reader *r, const char *form)
{
    return take_input(r, form, UINT64_MAX, false);
}

static int add_buffer(struct reader *r, const char *name, uint64_t bytes)
{
    struct script *s = r->script;
    struct script_buffer *more = realloc(s->buffer, (s->buffer_cnt + 1u) * sizeof *more);
    char *copy = strdup(name);
    if (more != NULL)
        s->buffer = more;
    if (more == NULL || copy == NULL) {
        free(copy);
        return out_of_memory(r);
    }
    r->st->buffer = s->buffer_cnt;
    s->buffer[s->buffer_cnt++] = (struct script_buffer){.name = copy, .bytes = bytes};
    return CLI_OK;
}

static int read_alloc(struct reader *r, const char *form)
{
    uint64_t bytes;
    const char *name = take(r), *size = take(r);
    if (name == NULL || size == NULL)
        return wrong(r, "a name or a number of bytes is missing; the form is: %s", form);
    if (r->script->open != NONE)
        return wrong(r, "alloc in a loop would take memory in each round; write it above the loop");
    if (!is_name(name))
        return wrong(r, "'%s' is no name; a name has letters, digits and '_', and begins with no digit", name);
    if (find_buffer(r->script, name, strlen(name)) != SCRIPT_NO_BUFFER)
        return wrong(r, "'%s' is there already; choose another name", name);
    if (!cli_u64(size, &bytes) || bytes == 0 || bytes > CLI_FILE_MAX_BYTES)
        return wrong(r, "'%s' is no number of bytes from 1 to 2^34", size);
    const int status = add_buffer(r, name, bytes);
    r->st->versions = accept(r, "version");
    if (status == CLI_OK)
        r->script->buffer[r->st->buffer].persistent = !r->st->versions && accept(r, "pm");
    if (status != CLI_OK || accept(r, "zero"))
        return status;
    if (accept(r, "from"))
        return take_input(r, form, bytes, false);
    r->st->has_number = accept(r, "fill");
    if (r->st->has_number && bytes % 4 != 0)
        return wrong(r, "fill writes words of 4 bytes, and %" PRIu64 " is no multiple of 4", bytes);
    return r->st->has_number ? take_word(r, form, &r->st->number) : CLI_OK;
}

static int read_copy(struct reader *r, const char *form)
{
    const int status = take_buffer(r, form, 1);
    if (status != CLI_OK)
        return status;
    if (accept(r, "to")) {
        r->st->verb = SCRIPT_WRITE;
        return take_output(r, form);
    }
    return expect(r, "from", form) == CLI_OK ? take_input(r, form, room(r), false) : CLI_WRONG;
}

static uint64_t value_bytes(const struct script_value *v)
{
    return v->buffer == SCRIPT_NO_BUFFER ? 4 : 8;
}

/* NAME or NAME+OFFSET, of an alloc above: its address. A buffer's end has one, too. */
static int take_address(struct reader *r, const char *form, struct script_value *v)
{
    const char *text = take(r);
    return text != NULL ? parse_buffer(r, text, 0, &v->buffer, &v->offset) : wrong(r, "a name is missing; the form is: %s", form);
}

/* The next value, `at` bytes behind the statement's place. */
static int take_value(struct reader *r, const char *form, uint64_t at, struct script_value *v)
{
    const char *text = r->next < r->word_cnt ? r->word[r->next] : "";
    *v = (struct script_value){.buffer = SCRIPT_NO_BUFFER};
    if (!isalpha((unsigned char)text[0]) && text[0] != '_')
        return take_word(r, form, &v->number);
    const int status = take_address(r, form, v);
    if (status == CLI_OK && (r->st->offset + at) % 8 != 0)
        return wrong(r, "'%s': an address has 8 bytes and stands at a multiple of 8, not at %" PRIu64, text, r->st->offset + at);
    return status;
}

static int read_set(struct reader *r, const char *form)
{
    uint64_t bytes = 0;
    int status = take_buffer(r, form, 4);
    if (status != CLI_OK)
        return status;
    r->st->value = calloc(r->word_cnt, sizeof *r->st->value);
    if (r->st->value == NULL)
        return out_of_memory(r);
    do {
        struct script_value *const v = &r->st->value[r->st->value_cnt++];
        status = take_value(r, form, bytes, v);
        bytes += value_bytes(v);
    } while (status == CLI_OK && r->next < r->word_cnt);
    if (status == CLI_OK && bytes > room(r))
        return wrong(r, "the values have %" PRIu64 " bytes, and there is room for %" PRIu64, bytes, room(r));
    return status;
}

/* The script's own files may not be there yet when the arguments' files are read. */
static int check_reads(const struct reader *r, const struct cli_argument *a)
{
    const uint32_t line = a->reads && a->path != NULL ? written_in(r, a->path) : 0;
    if (line == 0)
        return CLI_OK;
    return wrong(r, "'%s': line %" PRIu32 " writes this file; use alloc and copy, which read it when the script gets there", a->text, line);
}

static const char launch_form[] = "launch KERNEL grid X[,Y[,Z]] block X[,Y[,Z]] [shared N] [registers N] [args ...]";

static bool is_launch_word(const char *text)
{
    return strcmp(text, "shared") == 0 || strcmp(text, "registers") == 0 || strcmp(text, "grid") == 0 || strcmp(text, "block") == 0;
}

static int read_argument(struct reader *r, struct script_argument *arg, const char *text)
{
    arg->buffer = SCRIPT_NO_BUFFER;
    arg->a.text = text;
    arg->a.place = cli_text("%s:%" PRIu32 ": '%s'", r->script->path, r->line, text);
    if (arg->a.place == NULL)
        return out_of_memory(r);
    if (is_launch_word(text) && find_buffer(r->script, text, strlen(text)) == SCRIPT_NO_BUFFER)
        return wrong(r, "'%s' has to stand before args, behind which there are arguments only; the form is: %s", text, launch_form);
    if (strchr(text, ':') == NULL)
        return parse_buffer(r, text, 0, &arg->buffer, &arg->offset);
    const int status = cli_argument_prepare(&arg->a);
    return status == CLI_OK ? check_reads(r, &arg->a) : status;
}

static int take_shape(struct reader *r, const char *word, const char *form, uint32_t shape[3])
{
    int status = expect(r, word, form);
    const char *text = status == CLI_OK ? take(r) : NULL;
    if (status == CLI_OK && text == NULL)
        status = wrong(r, "%s needs a size; the form is: %s", word, form);
    if (status != CLI_OK)
        return status;
    char *place = cli_text("%s:%" PRIu32 ": %s '%s'", r->script->path, r->line, word, text);
    status = place != NULL ? cli_shape(place, text, shape) : out_of_memory(r);
    free(place);
    return status;
}

static bool has_load(const struct script *s)
{
    bool has = s->ptx != NULL;
    for (uint32_t i = 0; i < s->statement_cnt; i++)
        has = has || s->statement[i].verb == SCRIPT_LOAD;
    return has;
}

/* Of a kernel or a variable, for which PTX has to be there. */
static int take_name(struct reader *r, const char *what, const char *form)
{
    const char *name = take(r);
    if (name == NULL)
        return wrong(r, "a %s is missing; the form is: %s", what, form);
    if (!has_load(r->script))
        return wrong(r, "no PTX is loaded above; write load FILE.ptx first");
    r->st->name = strdup(name);
    return r->st->name != NULL ? CLI_OK : out_of_memory(r);
}

static int read_symbol(struct reader *r, const char *form)
{
    int status = take_name(r, "variable", form);
    if (status == CLI_OK && accept(r, "address")) {
        r->st->value = calloc(1, sizeof *r->st->value);
        r->st->value_cnt = 1;
        return r->st->value != NULL ? take_address(r, form, r->st->value) : out_of_memory(r);
    }
    if (status == CLI_OK)
        status = expect(r, "from", form);
    return status == CLI_OK ? take_input(r, form, UINT64_MAX, false) : status;
}

static int take_registers(struct reader *r, const char *form)
{
    const int status = take_word(r, form, &r->st->registers);
    if (status == CLI_OK && (r->st->registers == 0 || r->st->registers > CLI_REGISTERS_MAX))
        return wrong(r, "registers: a thread has 1 to %u", CLI_REGISTERS_MAX);
    return status;
}

static int read_launch(struct reader *r, const char *form)
{
    struct script_statement *st = r->st;
    const char *word;
    int status = take_name(r, "kernel", form);
    if (status != CLI_OK)
        return status;
    status = take_shape(r, "grid", form, st->grid);
    if (status == CLI_OK)
        status = take_shape(r, "block", form, st->block);
    if (status == CLI_OK && accept(r, "shared"))
        status = take_word(r, form, &st->shared_bytes);
    if (status == CLI_OK && accept(r, "registers"))
        status = take_registers(r, form);
    if (status != CLI_OK || r->next == r->word_cnt)
        return status;
    if ((status = expect(r, "args", form)) != CLI_OK)
        return status;
    st->argument = calloc(r->word_cnt, sizeof *st->argument);
    if (st->argument == NULL)
        return out_of_memory(r);
    while (status == CLI_OK && (word = take(r)) != NULL)
        status = read_argument(r, &st->argument[st->argument_cnt++], word);
    return status;
}

static int read_until(struct reader *r, const char *form)
{
    int status = take_buffer(r, form, 4);
    if (status == CLI_OK)
        status = expect(r, "==", form);
    if (status == CLI_OK)
        status = expect(r, "0", form);
    if (status == CLI_OK)
        status = expect(r, "max", form);
    if (status == CLI_OK)
        status = take_word(r, form, &r->st->number);
    if (status == CLI_OK && (r->st->number == 0 || r->st->number > INT32_MAX))
        status = wrong(r, "max takes a number of rounds from 1 to 2^31 - 1");
    r->st->partner = r->script->open; /* until its end is read */
    r->script->open = r->script->statement_cnt - 1;
    return status;
}

static int read_expect(struct reader *r, const char *form)
{
    int status = take_buffer(r, form, 4);
    if (status == CLI_OK)
        status = expect(r, "==", form);
    return status == CLI_OK ? take_word(r, form, &r->st->number) : status;
}

static int read_end(struct reader *r, const char *form)
{
    struct script *s = r->script;
    if (s->open == NONE)
        return wrong(r, "there is no until above that it ends; the form is: %s", form);
    const uint32_t outer = s->statement[s->open].partner;
    r->st->partner = s->open;
    s->statement[s->open].partner = s->statement_cnt - 1;
    s->open = outer;
    return CLI_OK;
}

static int read_compare(struct reader *r, const char *form)
{
    int status = take_buffer(r, form, 1);
    if (status == CLI_OK)
        status = expect(r, "with", form);
    if (status == CLI_OK)
        status = take_input(r, form, room(r), true);
    if (status != CLI_OK || !accept(r, "float"))
        return status;
    const char *text = take(r);
    r->st->is_float = true;
    if (text == NULL || !cli_real(text, &r->st->tolerance) || !(r->st->tolerance >= 0) || isinf(r->st->tolerance))
        return wrong(r, "float takes a tolerance from 0 on; the form is: %s", form);
    return room(r) % 4 == 0 ? CLI_OK : wrong(r, "floats have 4 bytes, and %" PRIu64 " is no multiple of 4", room(r));
}

/* ---- the text ---- */

static const struct {
    const char *name, *form;
    enum script_verb verb;
    int (*read)(struct reader *r, const char *form);
} verbs[] = {
    {"load", "load FILE.ptx", SCRIPT_LOAD, read_load},
    {"alloc", "alloc NAME BYTES [version|pm] [zero|fill N|from FILE]", SCRIPT_ALLOC, read_alloc},
    {"copy", "copy NAME[+OFFSET] from|to FILE", SCRIPT_READ, read_copy},
    {"set", "set NAME[+OFFSET] N|BUFFER[+OFFSET] ...", SCRIPT_SET, read_set},
    {"symbol", "symbol VARIABLE from FILE|address BUFFER[+OFFSET]", SCRIPT_SYMBOL, read_symbol},
    {"launch", launch_form, SCRIPT_LAUNCH, read_launch},
    {"until", "until NAME[+OFFSET] == 0 max N", SCRIPT_UNTIL, read_until},
    {"end", "end", SCRIPT_END, read_end},
    {"expect", "expect NAME[+OFFSET] == N", SCRIPT_EXPECT, read_expect},
    {"compare", "compare NAME[+OFFSET] with FILE [float TOLERANCE]", SCRIPT_COMPARE, read_compare},
};
#define VERB_CNT ((uint32_t)(sizeof verbs / sizeof verbs[0]))

static int unknown_verb(const struct reader *r)
{
    const char *names[VERB_CNT];
    char near[96];
    for (uint32_t i = 0; i < VERB_CNT; i++)
        names[i] = verbs[i].name;
    return wrong(r, "unknown statement '%s'; %s", r->word[0],
                 cli_suggest(near, r->word[0], names, VERB_CNT, "docs/command.md lists the statements"));
}

static int read_statement(struct reader *r)
{
    struct script *s = r->script;
    uint32_t v = 0;
    while (v < VERB_CNT && strcmp(verbs[v].name, r->word[0]) != 0)
        v++;
    if (v == VERB_CNT)
        return unknown_verb(r);
    struct script_statement *more = realloc(s->statement, (s->statement_cnt + 1u) * sizeof *more);
    if (more == NULL)
        return out_of_memory(r);
    s->statement = more;
    r->st = &s->statement[s->statement_cnt++];
    *r->st = (struct script_statement){.verb = verbs[v].verb, .line = r->line};
    r->next = 1;
    const int status = verbs[v].read(r, verbs[v].form);
    if (status == CLI_OK && r->next < r->word_cnt)
        return wrong(r, "'%s' is too much; the form is: %s", r->word[r->next], verbs[v].form);
    return status;
}

static int check_whole(struct reader *r)
{
    const struct script *s = r->script;
    bool launches = false;
    if (s->open != NONE) {
        r->line = s->statement[s->open].line;
        return wrong(r, "until has no end");
    }
    for (uint32_t i = 0; i < s->statement_cnt; i++)
        launches = launches || s->statement[i].verb == SCRIPT_LAUNCH;
    return launches ? CLI_OK : cli_error(CLI_WRONG, "%s: launches nothing; write launch KERNEL grid X block X", s->path);
}

int cli_script_read(struct script *s, const char *path, const char *ptx)
{
    struct reader r = {.script = s};
    struct cw_error err;
    size_t length;
    *s = (struct script){.path = path, .ptx = ptx, .open = NONE};
    if (cw_in_file_read(&s->text, &length, path, &err) != CW_OK)
        return cli_error(CLI_WRONG, "--script: %s", err.text);
    char *grown = realloc(s->text, length + 1);
    if (grown == NULL)
        return cli_error(CLI_FAILED, "--script: out of memory");
    s->text = grown;
    s->text[length] = '\0';
    if (strlen(s->text) != length)
        return cli_error(CLI_WRONG, "%s: holds a byte of zero, so it is no script", path);
    int status = CLI_OK;
    for (char *line = s->text, *end; status == CLI_OK && line != NULL; line = end) {
        end = strchr(line, '\n');
        if (end != NULL)
            *end++ = '\0';
        r.line++;
        status = split(&r, line);
        if (status == CLI_OK && r.word_cnt > 0)
            status = read_statement(&r);
    }
    return status == CLI_OK ? check_whole(&r) : status;
}

void cli_script_free(struct script *s)
{
    for (uint32_t i = 0; i < s->statement_cnt; i++) {
        struct script_statement *st = &s->statement[i];
        for (uint32_t k = 0; k < st->argument_cnt; k++)
            cli_argument_free(&st->argument[k].a);
        free(st->argument);
        free(st->value);
        free(st->file);
        free(st->name);
    }
    for (uint32_t i = 0; i < s->buffer_cnt; i++)
        free(s->buffer[i].name);
    free(s->statement);
    free(s->buffer);
    free(s->text);
}
