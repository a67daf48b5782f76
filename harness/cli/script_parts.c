/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts as a whole: cowarp exec --script, and the parts that follow a power failure, recovery and verification. */
#define _GNU_SOURCE /* popen */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file/out_file.h"
#include "script.h"

/* ---- recovery and verification ---- */

/* The first launch of the kernel from that statement on; the end: there is none. */
static uint32_t find_launch(const struct script *s, uint32_t from, const char *kernel)
{
    uint32_t i = from;
    while (i < s->statement_cnt && (s->statement[i].verb != SCRIPT_LAUNCH || strcmp(s->statement[i].name, kernel) != 0))
        i++;
    return i;
}

static bool is_in_loop(const struct script *s, uint32_t statement)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < statement; i++) {
        depth += s->statement[i].verb == SCRIPT_UNTIL;
        depth -= s->statement[i].verb == SCRIPT_END;
    }
    return depth > 0;
}

static int check_launch(const struct script *s, uint32_t at, const char *option, const char *kernel)
{
    char near[96];
    const char *names[64];
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < s->statement_cnt && cnt < 64; i++)
        if (s->statement[i].verb == SCRIPT_LAUNCH)
            names[cnt++] = s->statement[i].name;
    if (at == s->statement_cnt)
        return cli_error(CLI_WRONG, "--%s %s: %s launches no such kernel; %s", option, kernel, s->path,
                         cli_suggest(near, kernel, names, cnt, "write its launch below the program's"));
    if (is_in_loop(s, at))
        return cli_error(CLI_WRONG, "--%s %s: %s:%" PRIu32 " stands in a loop; write the launch below its end", option, kernel, s->path,
                         s->statement[at].line);
    return CLI_OK;
}

static bool is_one_name(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$";
    return text[strspn(text, letters)] == '\0';
}

int cli_script_find_parts(struct script_parts *parts, const struct script *s, const struct cli_parsed *p)
{
    const char *recover = cli_value(p, "recover", NULL), *verify = cli_value(p, "verify", NULL);
    *parts = (struct script_parts){.recover = find_launch(s, 0, recover), .verify = s->statement_cnt};
    int status = check_launch(s, parts->recover, "recover", recover);
    if (status != CLI_OK)
        return status;
    bool launches = false;
    for (uint32_t i = 0; i < parts->recover; i++)
        launches = launches || s->statement[i].verb == SCRIPT_LAUNCH;
    if (!launches)
        return cli_error(CLI_WRONG, "--recover %s: %s launches nothing above line %" PRIu32 " that could fail", recover, s->path,
                         s->statement[parts->recover].line);
    if (verify == NULL)
        return CLI_OK;
    parts->verify = find_launch(s, parts->recover + 1, verify);
    if (parts->verify == s->statement_cnt && !is_one_name(verify)) {
        parts->command = verify;
        return CLI_OK;
    }
    if (parts->verify == s->statement_cnt && find_launch(s, 0, verify) < parts->recover)
        return cli_error(CLI_WRONG, "--verify %s: its launch stands above that of %s; write it below", verify, recover);
    return check_launch(s, parts->verify, "verify", verify);
}

/* The command's last line of output, for the message; a status of libcowarp. */
static int verify_by_command(struct script_run *x, const char *command)
{
    char line[sizeof x->message] = "";
    fflush(NULL);
    FILE *pipe = popen(command, "r");
    if (pipe == NULL) {
        snprintf(x->message, sizeof x->message, "--verify: no shell for the command");
        return COWARP_ENOMEM;
    }
    while (fgets(line, sizeof line, pipe) != NULL)
        if (line[strspn(line, "\n")] != '\0')
            snprintf(x->message, sizeof x->message, "%s", line);
    const int ended = pclose(pipe);
    x->message[strcspn(x->message, "\n")] = '\0';
    if (ended == 0) {
        x->message[0] = '\0';
        return COWARP_OK;
    }
    if (x->message[0] == '\0')
        snprintf(x->message, sizeof x->message, "the command of --verify has ended with status %d",
                 WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended));
    return WIFEXITED(ended) && (WEXITSTATUS(ended) == 126 || WEXITSTATUS(ended) == 127) ? COWARP_EINVAL : COWARP_ECHECK;
}

static int recover(struct script_run *x, const struct script_parts *parts, uint64_t *cycles)
{
    const uint64_t begin = cowarp_cycles(x->gpu);
    int status = cli_script_set_up(x, parts->recover);
    if (status == COWARP_OK)
        status = cowarp_phase(x->gpu, "recovery");
    if (status == COWARP_OK)
        status = cli_script_carry_out(x, parts->recover, parts->verify);
    *cycles = cowarp_cycles(x->gpu) - begin;
    return status == COWARP_OK ? cowarp_phase(x->gpu, NULL) : status;
}

void cli_script_place(const struct script_run *x, char *place, size_t bytes)
{
    if (x->st != NULL)
        snprintf(place, bytes, "%s:%" PRIu32, x->script->path, x->st->line);
    else
        snprintf(place, bytes, "--verify");
}

int cli_script_recover(struct script_run *x, const struct script_parts *parts, uint64_t *cycles)
{
    int status = recover(x, parts, cycles);
    if (status != COWARP_OK)
        return status;
    if (parts->command == NULL)
        return cli_script_carry_out(x, parts->verify, x->script->statement_cnt);
    x->st = NULL;
    return verify_by_command(x, parts->command);
}

/* ---- cowarp exec --script ---- */

/* The whole of it, or with --recover what follows a failure. */
static int carry_out(struct script_run *x, const struct script_parts *parts)
{
    uint64_t cycles;
    int status = cowarp_manifest_file(x->gpu, "script", x->script->path);
    if (status == COWARP_OK && parts != NULL) {
        status = cli_script_recover(x, parts, &cycles);
        if (status != COWARP_OK)
            cowarp_pm_discard(x->gpu); /* the file may be needed for another try */
        return status;
    }
    return status == COWARP_OK ? cli_script_carry_out(x, 0, x->script->statement_cnt) : status;
}

static void conclude(struct script_run *x, const struct script_parts *parts, struct cli_result *r, char *place, size_t bytes)
{
    const bool judged = x->comparisons > 0 || (parts != NULL && parts->command != NULL);
    if (r->status == COWARP_OK && x->comparisons > 0)
        snprintf(x->message, sizeof x->message, "%" PRIu32 " comparison%s", x->comparisons, x->comparisons == 1 ? "" : "s");
    if (r->status != COWARP_OK) {
        cli_script_place(x, place, bytes);
        r->place = place;
    }
    r->message = x->message[0] != '\0' ? x->message : NULL;
    r->check = r->status == COWARP_ECHECK ? "failed" : judged && r->status == COWARP_OK ? "passed" : NULL;
}

/* parts: NULL without --recover. */
static int simulate(struct script *script, const struct script_parts *parts, const struct cli_parsed *p)
{
    struct cli_session s;
    struct script_run x = {0};
    char place[4200];
    int status = cli_session_open(&s, p, script->path, cli_value(p, "system", "none"));
    if (status == CLI_OK)
        status = cli_script_begin(&x, script, s.gpu);
    if (status == CLI_OK) {
        x.no_files = cli_has(p, "no-files");
        struct cli_result r = {.workload = script->path, .status = carry_out(&x, parts)};
        conclude(&x, parts, &r, place, sizeof place);
        status = cli_session_end(&s, &r);
    }
    cli_script_end(&x);
    cli_session_close(&s);
    return status;
}

/* ---- what can be found wrong before ---- */

/* Whether the statement reads the file. */
static bool reads(const struct script_statement *st, const char *path)
{
    if (st->file != NULL && st->verb != SCRIPT_WRITE && cw_out_file_same(st->file, path))
        return true;
    for (uint32_t i = 0; i < st->argument_cnt; i++)
        if (st->argument[i].a.reads && cw_out_file_same(st->argument[i].a.path, path))
            return true;
    return false;
}

/* Whether an output of statement n is no file that the command line asks for, and none that the script has read before: it would be lost. */
static int check_output(const struct script *script, uint32_t n, const char *path, const struct cli_parsed *p)
{
    const struct script_statement *st = script->statement;
    char place[4200];
    snprintf(place, sizeof place, "%s:%" PRIu32, script->path, st[n].line);
    for (uint32_t i = 0; i <= n; i++) {
        if (reads(&st[i], path))
            return cli_error(CLI_WRONG, "%s: %s is read in line %" PRIu32 ", and would be replaced; write another file", place, path,
                             st[i].line);
        bool written = i < n && st[i].verb == SCRIPT_WRITE && cw_out_file_same(st[i].file, path);
        for (uint32_t k = 0; i < n && k < st[i].argument_cnt; k++)
            written |= st[i].argument[k].a.writes && cw_out_file_same(st[i].argument[k].a.path, path);
        if (written) /* what is read behind it is the script's own */
            break;
    }
    return cli_check_output(p, place, path);
}

static int check_outputs(const struct script *script, const struct cli_parsed *p)
{
    int status = CLI_OK;
    for (uint32_t n = 0; status == CLI_OK && n < script->statement_cnt && !cli_has(p, "no-files"); n++) {
        const struct script_statement *st = &script->statement[n];
        if (st->verb == SCRIPT_WRITE)
            status = check_output(script, n, st->file, p);
        for (uint32_t i = 0; status == CLI_OK && i < st->argument_cnt; i++)
            if (st->argument[i].a.writes && !st->argument[i].a.reads)
                status = check_output(script, n, st->argument[i].a.path, p);
    }
    return status;
}

/* What a script has in their place. */
static int refuse_options(const struct cli_parsed *p)
{
    static const char *const other[] = {"kernel", "grid", "block", "shared", "cooperative", "static-warps", "baseline", "arg", "symbol"};
    const bool recovers = cli_has(p, "recover");
    if (p->word_cnt > (recovers ? 1 : 0))
        return cli_error(CLI_WRONG, "--script: the script says what is loaded; leave out '%s'", p->word[recovers ? 1 : 0]);
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
        if (cli_has(p, other[i]))
            return cli_error(CLI_WRONG, "--script: the script says what is launched; leave out --%s", other[i]);
    if (cli_has(p, "adversary"))
        return cli_error(CLI_WRONG, "--adversary: it compares the buffers of one launch; for a script give --set core.memory=adversary "
                                    "and --set core.memory_seed=N");
    if (recovers && !cli_has(p, "pm"))
        return cli_error(CLI_WRONG, "--recover without --pm; give --pm FILE too");
    if (!recovers && cli_has(p, "verify"))
        return cli_error(CLI_WRONG, "--verify without --recover; give --recover KERNEL too");
    return CLI_OK;
}

int cli_script_open(struct script *s, const struct cli_parsed *p)
{
    const char *ptx = p->word_cnt > 0 ? p->word[0] : NULL;
    if (ptx != NULL && access(ptx, R_OK) != 0)
        return cli_error(CLI_WRONG, "%s: cannot be opened: %s", ptx, strerror(errno));
    const int status = cli_script_read(s, cli_input(cli_value(p, "script", NULL)), ptx);
    return status == CLI_OK ? check_outputs(s, p) : status;
}

int cli_script_run(const struct cli_parsed *p)
{
    struct script script = {0};
    struct script_parts parts;
    int status = refuse_options(p);
    if (status == CLI_OK)
        status = cli_script_open(&script, p);
    if (status == CLI_OK && cli_has(p, "recover"))
        status = cli_script_find_parts(&parts, &script, p);
    if (status == CLI_OK)
        status = simulate(&script, cli_has(p, "recover") ? &parts : NULL, p);
    cli_script_free(&script);
    return status;
}
