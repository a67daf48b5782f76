/* SPDX-License-Identifier: Apache-2.0 */
/* cowarp litmus: small programs, and whether the machine shows a durable state that Box 2 does not allow, or with --memory a result that
 * PTX's memory model does not allow. */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "file/in_file.h"
#include "jobs.h"
#include "litmus/litmus.h"

#define RUNS "16"

struct suite {
    char **path;
    struct litmus_test *test;
    struct litmus_allowed *allowed;
    uint32_t cnt;
    bool memory, missing;
    uint64_t runs, shown, states; /* sums */
    struct cli_session session;
    uint32_t launches; /* of each test */
};

/* Of a test that is right. */
struct outcome {
    uint64_t runs;
    uint32_t shown;
    bool seen[]; /* states that are allowed */
};

static int is_test(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end != NULL && strcmp(end, ".lit") == 0;
}

static bool add_path(struct suite *s, const char *folder, const char *name)
{
    char **larger = realloc(s->path, (s->cnt + 1) * sizeof *larger);
    if (larger == NULL)
        return false;
    s->path = larger;
    if (asprintf(&s->path[s->cnt], "%s%s%s", folder, folder[0] != '\0' ? "/" : "", name) < 0)
        return false;
    s->cnt++;
    return true;
}

/* The tests of a folder, in the order of their names, or one file. */
static int add_word(struct suite *s, const char *word)
{
    struct stat about;
    struct dirent **entry;
    if (stat(word, &about) != 0 || !S_ISDIR(about.st_mode))
        return add_path(s, "", word) ? CLI_OK : cli_error(CLI_FAILED, "out of memory");
    const int cnt = scandir(word, &entry, is_test, alphasort);
    if (cnt < 0)
        return cli_error(CLI_WRONG, "%s: the folder cannot be read", word);
    bool ok = true;
    for (int i = 0; i < cnt; i++) {
        ok = ok && add_path(s, word, entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    if (!ok)
        return cli_error(CLI_FAILED, "out of memory");
    return cnt > 0 ? CLI_OK : cli_error(CLI_WRONG, "%s: the folder has no file *.lit", word);
}

static int read_test(struct suite *s, uint32_t i)
{
    struct cw_error err;
    char *text;
    size_t length;
    if (cw_in_file_read(&text, &length, s->path[i], &err) != CW_OK)
        return cli_error(CLI_WRONG, "%s", err.text);
    int status = litmus_parse(&s->test[i], text, length, s->path[i], s->memory, &err);
    free(text);
    if (status != CW_OK)
        return cli_error(CLI_WRONG, "%s", err.text);
    status = litmus_enumerate(&s->allowed[i], &s->test[i], &err);
    return status == CW_OK ? CLI_OK : cli_error(CLI_FAILED, "%s: %s", s->path[i], err.text);
}

static int read_tests(struct suite *s, const struct cli_parsed *p)
{
    int status = p->word_cnt > 0 ? CLI_OK : cli_error(CLI_WRONG, "litmus needs a file or a folder; see 'cowarp help litmus'");
    for (uint32_t i = 0; status == CLI_OK && i < p->word_cnt; i++)
        status = add_word(s, cli_input(p->word[i]));
    if (status != CLI_OK)
        return status;
    s->test = calloc(s->cnt, sizeof *s->test);
    s->allowed = calloc(s->cnt, sizeof *s->allowed);
    if (s->test == NULL || s->allowed == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    for (uint32_t i = 0; status == CLI_OK && i < s->cnt; i++)
        status = read_test(s, i);
    return status;
}

/* --states: what is allowed, without a machine. */
static int print_states(const struct suite *s)
{
    char text[400];
    for (uint32_t i = 0; i < s->cnt; i++) {
        printf("%s\n", s->test[i].name);
        for (uint32_t k = 0; k < s->allowed[i].cnt; k++) {
            litmus_describe(text, sizeof text, &s->test[i], &s->allowed[i].state[k]);
            printf("  %s\n", text);
        }
    }
    return CLI_OK;
}

static int print_ptx(const struct suite *s)
{
    for (uint32_t i = 0; i < s->cnt; i++) {
        size_t length;
        char *text = litmus_ptx(&s->test[i], &length);
        if (text == NULL)
            return cli_error(CLI_FAILED, "out of memory");
        fwrite(text, 1, length, stdout);
        free(text);
    }
    return CLI_OK;
}

/* --missing: what is allowed and was not seen. */
static void print_missing(const struct suite *s, uint32_t i, const bool *seen)
{
    char text[400], why[400] = "";
    for (uint32_t k = 0; k < s->allowed[i].cnt; k++) {
        const struct litmus_state *state = &s->allowed[i].state[k];
        litmus_describe(text, sizeof text, &s->test[i], state);
        if (s->memory)
            litmus_explain(why, sizeof why, &s->test[i], state);
        if (!seen[k])
            printf("%-32s not shown: %s%s%s\n", s->test[i].name, text, s->memory ? "; " : "", why);
    }
}

/* One of cli_jobs. */
static int run_test(void *context, uint64_t i, void *result)
{
    static struct litmus_run r; /* its text is long */
    struct suite *s = context;
    struct outcome *o = result;
    const struct litmus_test *t = &s->test[i];
    r.seed = s->session.options.seed;
    r.launches = s->launches;
    r.seen = s->missing ? o->seen : NULL;
    const int status = litmus_run(&r, s->session.gpu, t, &s->allowed[i]);
    if (cli_interrupted())
        return cli_error(cli_exit_of(COWARP_ELIMIT), "litmus: interrupted");
    if (status != COWARP_OK)
        return cli_error(cli_exit(status), "%s: %s", t->name, status == COWARP_ENOMEM ? "out of memory" : cowarp_error(s->session.gpu));
    if (r.wrong[0] != '\0') {
        printf("%-32s wrong: %s\n", t->name, r.wrong);
        return cli_error(CLI_FAILED, "%s: a %s does not allow", s->path[i],
                         s->memory ? "result that PTX's memory model" : "durable state that Box 2");
    }
    o->runs = r.runs;
    o->shown = r.shown;
    return CLI_OK;
}

static int tell_test(void *context, uint64_t i, const void *result)
{
    struct suite *s = context;
    const struct outcome *o = result;
    s->runs += o->runs;
    s->shown += o->shown;
    s->states += s->allowed[i].cnt;
    if (!s->session.quiet)
        printf("%-32s %" PRIu64 " runs: %u of %u allowed states shown, and no other\n", s->test[i].name, o->runs, o->shown,
               s->allowed[i].cnt);
    if (s->missing)
        print_missing(s, (uint32_t)i, o->seen);
    return CLI_OK;
}

/* Whole words, as a result begins at a multiple of its size. */
static size_t outcome_bytes(const struct suite *s)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < s->cnt; i++)
        most = s->allowed[i].cnt > most ? s->allowed[i].cnt : most;
    return (sizeof(struct outcome) + most + 7) / 8 * 8;
}

static int run_tests(struct suite *s, const struct cli_parsed *p)
{
    const char *text = cli_value(p, "runs", RUNS);
    struct cli_jobs jobs = {.session = &s->session,
                            .what = "tests",
                            .total = s->cnt,
                            .bytes = outcome_bytes(s),
                            .run = run_test,
                            .done = tell_test,
                            .run_context = s,
                            .done_context = s};
    if (!cli_u32(text, &s->launches) || s->launches == 0)
        return cli_error(CLI_WRONG, "--runs '%s': expected a number from 1 on", text);
    if (!s->memory && !cli_has(p, "persistency"))
        return cli_error(CLI_WRONG, "litmus needs a persistency model: give --persistency sbrp, or another one to see what it allows, as "
                                    "none; 'cowarp list' shows all");
    int status = cli_jobs_read(&jobs, p);
    if (status != CLI_OK)
        return status;
    status = cli_session_open_logged(&s->session, p, "litmus", "none", s->memory ? 0 : 1);
    if (status == CLI_OK)
        status = cli_jobs_run(&jobs, p);
    if (status == CLI_OK)
        printf("%u tests, %" PRIu64 " runs: %" PRIu64 " of %" PRIu64 " allowed states shown, and no other\n", s->cnt, s->runs, s->shown,
               s->states);
    cli_session_close(&s->session);
    return status;
}

static void free_suite(struct suite *s)
{
    for (uint32_t i = 0; i < s->cnt; i++) {
        free(s->path[i]);
        if (s->allowed != NULL)
            litmus_allowed_free(&s->allowed[i]);
    }
    free(s->path);
    free(s->test);
    free(s->allowed);
}

static int run(const struct cli_parsed *p)
{
    struct suite s = {.memory = cli_has(p, "memory"), .missing = cli_has(p, "missing")};
    if (cli_has(p, "launches"))
        return cli_error(CLI_WRONG, "--launches: litmus has all launches in time; give --runs N for how many there are of each test");
    int status = read_tests(&s, p);
    if (status == CLI_OK && cli_has(p, "states"))
        status = print_states(&s);
    else if (status == CLI_OK && cli_has(p, "ptx"))
        status = print_ptx(&s);
    else if (status == CLI_OK)
        status = run_tests(&s, p);
    free_suite(&s);
    return status;
}

static const struct cli_option options[] = {
    {"runs", "N", 0, "launches of each test, each of up to 64 instances in other places and with other delays (default " RUNS ")"},
    {"memory", NULL, 0, "tests of memory, which PTX's memory model judges, in the place of tests of persistency"},
    {"states", NULL, 0, "print the durable states that Box 2 allows, or the results that PTX does, and run nothing"},
    {"missing", NULL, 0, "print each allowed state that no run has shown; with --memory also what the machine would have to do"},
    {"ptx", NULL, 0, "print the tests as PTX text, and run nothing"},
    CLI_JOBS_OPTIONS,
};

const struct cli_command cli_litmus = {
    .name = "litmus",
    .usage = "FILE|FOLDER ... [OPTIONS]",
    .what = "Runs litmus tests of persistency, or of PTX's memory model (harness/litmus/README.md)",
    .option = options,
    .option_cnt = sizeof options / sizeof options[0],
    .takes_machine = true,
    .run = run,
};
