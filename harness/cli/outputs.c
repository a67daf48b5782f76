/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one place that decides what the path of an option means: whether it may be written, what its ending promises, what `-` is, and that
 * no two options name one file. What is read is not replaced.
 */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli.h"
#include "file/out_file.h"

#define STANDARD_OUTPUT "/dev/stdout"

/* What an option writes. */
static const struct rule {
    const char *option;
    const char *form; /* as endings[] have it, or a form without an ending of its own; NULL: the user's own bytes */
    bool regular;     /* it is written to and fro, so a pipe or a device will not do */
} rules[] = {
    {"stats", "JSON", false},
    {"timeline", "JSON", false},
    {"konata", "a log for Konata", false},
    {"samples", "CSV", false},
    {"bins", "CSV", false},
    {"profile", "text", false},
    {"record", "a stimulus", false},
    {"record-branches", "text", false},
    {"wave", "FST", true},
    {"png", "PNG", true},
    {"pm", "an image of persistent memory", true},
    {"image", "an image of persistent memory", true},
    {"arg", NULL, false},
};

/* What a file with such a name is like inside, in any tool. scripts/results/statsfile.py has the same list. */
static const struct {
    const char *ending, *form;
} endings[] = {
    {".json", "JSON"},       {".csv", "CSV"},     {".svg", "SVG"}, {".html", "HTML"}, {".htm", "HTML"},      {".fst", "FST"},
    {".vcd", "VCD"},         {".gtkw", "a view"}, {".ptx", "PTX"}, {".png", "PNG"},   {".pdf", "PDF"},       {".toml", "TOML"},
    {".stim", "a stimulus"}, {".gz", "gzip"},     {".zip", "ZIP"}, {".xz", "xz"},     {".zst", "Zstandard"},
};

struct file {
    const char *option, *text; /* as given: --option text; option "": a word that is no option */
    uint32_t given;            /* which, so that an option is not compared with itself */
    char *path;                /* owned */
    bool derived;              /* made beside what the option names */
};

struct files {
    struct file *out, *in;
    uint32_t out_cnt, in_cnt;
};

static const struct rule *rule_of(const char *option)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (strcmp(rules[i].option, option) == 0)
            return &rules[i];
    return NULL;
}

static const char *form_of(const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t end = strlen(endings[i].ending);
        if (length > end && strcasecmp(path + length - end, endings[i].ending) == 0)
            return endings[i].form;
    }
    return NULL;
}

static bool starts(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* FILE of INSTANCE=FILE, of out:FILE:BYTES and inout:FILE, and of the options that take nothing else; the caller frees it. NULL: the option
 * writes none. */
static char *output_of(const char *option, const char *text)
{
    const char *last = strrchr(text, ':');
    if (rule_of(option) == NULL)
        return NULL;
    if (strcmp(option, "record") == 0)
        return strchr(text, '=') != NULL ? strdup(strchr(text, '=') + 1) : NULL;
    if (strcmp(option, "arg") != 0)
        return strdup(text);
    if (starts(text, "inout:"))
        return strdup(text + strlen("inout:"));
    if (starts(text, "out:") && last > text + 3)
        return strndup(text + strlen("out:"), (size_t)(last - text) - strlen("out:"));
    return NULL;
}

/* The same of what it reads. */
static char *input_of(const char *option, const char *text)
{
    static const char *const kinds[] = {"in:", "inout:", "bytes:"};
    if (strcmp(option, "config") == 0 || strcmp(option, "lcp-profile") == 0 || strcmp(option, "script") == 0 ||
        strcmp(option, "resource-usage") == 0)
        return strdup(text);
    if (strcmp(option, "symbol") == 0)
        return strchr(text, '=') != NULL ? strdup(strchr(text, '=') + 1) : NULL;
    if (strcmp(option, "unit") == 0)
        return strchr(text, ':') != NULL ? strdup(strchr(text, ':') + 1) : NULL;
    for (size_t i = 0; strcmp(option, "arg") == 0 && i < sizeof kinds / sizeof kinds[0]; i++)
        if (starts(text, kinds[i]))
            return strdup(text + strlen(kinds[i]));
    return NULL;
}

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0 || cw_out_file_is_stdout(path);
}

/* Takes all that is written there, so another file would be in the middle of it. What only swallows, as /dev/null, takes any number. */
static bool is_stdout_alone(const char *path)
{
    struct stat st;
    return strcmp(path, "-") == 0 || strcmp(path, STANDARD_OUTPUT) == 0 ||
           (cw_out_file_is_stdout(path) && stat(path, &st) == 0 && S_ISREG(st.st_mode));
}

/* The view that a trace gets which waits for an event (view.c). */
static char *view_of(const struct cli_parsed *p, const char *option, const char *path)
{
    const size_t length = strlen(path), stem = length > 4 && strcmp(path + length - 4, ".fst") == 0 ? length - 4 : length;
    char *view = strcmp(option, "wave") == 0 && cli_has(p, "wave-on") ? malloc(stem + sizeof ".gtkw") : NULL;
    if (view != NULL) {
        memcpy(view, path, stem);
        strcpy(view + stem, ".gtkw");
    }
    return view;
}

static void collect(struct files *f, const struct cli_parsed *p)
{
    for (uint32_t i = 0; i < p->given_cnt; i++) {
        const char *option = p->given[i].option->name, *text = p->given[i].value;
        char *out = output_of(option, text), *in = input_of(option, text), *view = out != NULL ? view_of(p, option, out) : NULL;
        if (out != NULL)
            f->out[f->out_cnt++] = (struct file){option, text, i, out, false};
        if (view != NULL)
            f->out[f->out_cnt++] = (struct file){option, text, i, view, true};
        if (in != NULL)
            f->in[f->in_cnt++] = (struct file){option, text, i, in, false};
    }
    for (uint32_t i = 0; i < p->word_cnt; i++) {
        char *path = strdup(p->word[i]);
        if (path != NULL)
            f->in[f->in_cnt++] = (struct file){"", p->word[i], UINT32_MAX, path, false};
    }
}

/* A wave is VCD, and a timeline or a log for Konata is compressed, where its name says so. */
static bool may_be(const struct rule *rule, const char *form)
{
    return (strcmp(rule->option, "wave") == 0 && strcmp(form, "VCD") == 0) ||
           ((strcmp(rule->option, "timeline") == 0 || strcmp(rule->option, "konata") == 0) && strcmp(form, "gzip") == 0);
}

/* One file by itself. */
static int check_file(const struct file *f)
{
    const struct rule *rule = rule_of(f->option);
    const char *form = form_of(f->path);
    struct cw_error err;
    struct stat st;
    if (rule->form != NULL && form != NULL && !f->derived && strcmp(form, rule->form) != 0 && !may_be(rule, form))
        return cli_error(CLI_WRONG, "--%s %s: the name promises %s, and %s is written; give it another ending", f->option, f->text, form,
                         rule->form);
    const bool both = strcmp(f->option, "arg") == 0 && starts(f->text, "inout:");
    if (is_stdout(f->path) && !rule->regular && !both)
        return CLI_OK;
    if (strcmp(f->path, "-") == 0)
        return cli_error(CLI_WRONG, "--%s %s: standard output will not do for it; name a file (./- is a file of that name)", f->option,
                         f->text);
    if (rule->regular && stat(f->path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return cli_error(CLI_WRONG, "--%s %s: is a pipe or a device, and %s is written to and fro; name a file", f->option, f->text,
                         rule->form);
    if (cw_out_file_check(f->path, &err) != CW_OK)
        return cli_error(CLI_WRONG, "--%s%s%s: %s", f->option, strcmp(f->option, "arg") == 0 ? " " : "",
                         strcmp(f->option, "arg") == 0 ? f->text : "", err.text);
    return CLI_OK;
}

/* A file with others that are written. */
static int check_pair(const struct file *a, const struct file *b)
{
    if (is_stdout_alone(a->path) && is_stdout_alone(b->path))
        return cli_error(CLI_WRONG, "--%s %s and --%s %s: both go to standard output; give one of them a file", a->option, a->text,
                         b->option, b->text);
    if (strcmp(a->path, "-") == 0 || strcmp(b->path, "-") == 0 || !cw_out_file_same(a->path, b->path))
        return CLI_OK;
    return cli_error(CLI_WRONG, "--%s %s and --%s %s: the same file%s%s; give each its own", a->option, a->text, b->option, b->text,
                     a->derived || b->derived ? ", the view beside the trace, " : "",
                     a->derived   ? a->path
                     : b->derived ? b->path
                                  : "");
}

static int check_input(const struct file *out, const struct file *in)
{
    /* counts of one run for the next one: they are read before they are written */
    if (strcmp(out->option, "record-branches") == 0 && strcmp(in->option, "lcp-profile") == 0)
        return CLI_OK;
    if (out->given == in->given || strcmp(out->path, "-") == 0 || !cw_out_file_same(out->path, in->path))
        return CLI_OK;
    if (in->option[0] == '\0')
        return cli_error(CLI_WRONG, "--%s %s: %s is read, and would be replaced; name another file", out->option, out->text, in->path);
    return cli_error(CLI_WRONG, "--%s %s: the file is read by --%s %s, and would be replaced; name another file%s", out->option, out->text,
                     in->option, in->text, strcmp(in->option, "arg") == 0 ? ", or use one inout:FILE" : "");
}

static int check_all(const struct files *f)
{
    int status = CLI_OK;
    for (uint32_t i = 0; status == CLI_OK && i < f->out_cnt; i++) {
        status = check_file(&f->out[i]);
        for (uint32_t k = 0; status == CLI_OK && k < i; k++)
            status = check_pair(&f->out[k], &f->out[i]);
        for (uint32_t k = 0; status == CLI_OK && k < f->in_cnt; k++)
            status = check_input(&f->out[i], &f->in[k]);
    }
    return status;
}

/* A file that a script writes, beside all others. */
static int check_other(const struct files *f, const char *place, const char *path)
{
    for (uint32_t i = 0; i < f->out_cnt; i++)
        if (is_stdout_alone(path) ? is_stdout_alone(f->out[i].path) : cw_out_file_same(path, f->out[i].path))
            return cli_error(CLI_WRONG, "%s: %s is the file of --%s %s; give each its own", place, path, f->out[i].option, f->out[i].text);
    for (uint32_t i = 0; i < f->in_cnt; i++)
        if (cw_out_file_same(path, f->in[i].path))
            return cli_error(CLI_WRONG, "%s: %s is read (--%s), and would be replaced; name another file", place, path, f->in[i].option);
    return CLI_OK;
}

/* All files of the command line, and with a place also this one. */
static int check(const struct cli_parsed *p, const char *place, const char *path)
{
    const size_t most = 2u * (size_t)p->given_cnt + p->word_cnt + 1u;
    struct files f = {calloc(most, sizeof *f.out), calloc(most, sizeof *f.in), 0, 0};
    int status = f.out != NULL && f.in != NULL ? CLI_OK : cli_error(CLI_FAILED, "out of memory");
    if (status == CLI_OK) {
        collect(&f, p);
        status = place != NULL ? check_other(&f, place, path) : check_all(&f);
    }
    for (uint32_t i = 0; i < f.out_cnt; i++)
        free(f.out[i].path);
    for (uint32_t i = 0; i < f.in_cnt; i++)
        free(f.in[i].path);
    free(f.out);
    free(f.in);
    return status;
}

int cli_check_outputs(const struct cli_parsed *p)
{
    return check(p, NULL, NULL);
}

int cli_check_output(const struct cli_parsed *p, const char *place, const char *path)
{
    return check(p, place, path);
}

const char *cli_output(const struct cli_parsed *p, const char *option)
{
    const char *path = cli_value(p, option, NULL);
    return path != NULL && strcmp(path, "-") == 0 ? STANDARD_OUTPUT : path;
}

bool cli_writes_stdout(const struct cli_parsed *p)
{
    bool found = false;
    for (uint32_t i = 0; i < p->given_cnt && !found; i++) {
        char *path = output_of(p->given[i].option->name, p->given[i].value);
        found = path != NULL && is_stdout(path);
        free(path);
    }
    return found;
}
