/* SPDX-License-Identifier: Apache-2.0 */
/* The cowarp command. docs/command.md describes it. Exit status: 0 done and correct, 1 the run or a check failed, 2 the request was wrong,
 * 130 (or 128 and another signal's number) interrupted. */
#define _GNU_SOURCE /* SIGXFSZ, TIOCGWINSZ */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

#define WIDTH_LEAST 60 /* columns; a narrower terminal breaks the lines itself */

static const struct cli_command *const commands[] = {
    &cli_list, &cli_run,     &cli_crash, &cli_litmus,   &cli_exec,  &cli_cuda,     &cli_debug, &cli_sweep,  &cli_stats,
    &cli_diff, &cli_explain, &cli_rerun, &cli_report,   &cli_serve, &cli_advise,   &cli_wave,  &cli_config, &cli_reproduce,
    &cli_unit, &cli_proofs,  &cli_synth, &cli_new_unit, &cli_test,  &cli_validate, &cli_doctor};
#define COMMAND_CNT ((uint32_t)(sizeof commands / sizeof commands[0]))

static const struct cli_command *find(const char *name)
{
    for (uint32_t i = 0; i < COMMAND_CNT; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* What the first word may be beside a command. */
static const struct {
    const char *name, *what;
} extras[] = {{"help", "Tells the options of one command, or with --all of every one"},
              {"version", "Prints version, commit, digest of the sources, compiler; so does --version"}};
#define EXTRA_CNT ((uint32_t)(sizeof extras / sizeof extras[0]))

static int unknown_command(const char *name)
{
    const char *names[COMMAND_CNT + EXTRA_CNT];
    char near[96];
    for (uint32_t i = 0; i < COMMAND_CNT; i++)
        names[i] = commands[i]->name;
    for (uint32_t i = 0; i < EXTRA_CNT; i++)
        names[COMMAND_CNT + i] = extras[i].name;
    return cli_error(CLI_WRONG, "unknown command '%s'; %s", name,
                     cli_suggest(near, name, names, COMMAND_CNT + EXTRA_CNT, "see 'cowarp help'"));
}

/* The columns of the terminal, or enough for any line. */
static int width_of_terminal(void)
{
    struct winsize size;
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > WIDTH_LEAST ? size.ws_col : INT_MAX;
}

/* A name, and what is said of it behind column `left`, broken between words where the terminal ends. */
static void print_row(const char *name, int left, const char *what)
{
    const int width = width_of_terminal();
    int column = printf("  %-*s", left - 3, name) + 1;
    putchar(' ');
    while (*what != '\0') {
        const int length = (int)strcspn(what, " ");
        if (column > left && column + length + 1 > width) {
            printf("\n%*s", left, "");
            column = left;
        } else if (column > left) {
            column += printf(" ");
        }
        column += printf("%.*s", length, what);
        what += length + (what[length] == ' ');
    }
    putchar('\n');
}

static void print_options(const struct cli_option *option, uint32_t cnt)
{
    for (uint32_t i = 0; i < cnt; i++) {
        char left[96];
        snprintf(left, sizeof left, "--%s%s%s%s", option[i].name, option[i].value != NULL ? " " : "",
                 option[i].value != NULL ? option[i].value : "", option[i].traits & CLI_REPEATS ? " ..." : "");
        print_row(left, 37, option[i].what);
    }
}

static int help_overview(void)
{
    char name[32];
    printf("cowarp %s: runs PTX kernels on a cycle-level GPU whose hardware units are C models or Verilog\n\n", cowarp_version());
    for (uint32_t i = 0; i < COMMAND_CNT; i++) {
        snprintf(name, sizeof name, "cowarp %s", commands[i]->name);
        print_row(name, 20, commands[i]->what);
    }
    for (uint32_t i = 0; i < EXTRA_CNT; i++) {
        snprintf(name, sizeof name, "cowarp %s", extras[i].name);
        print_row(name, 20, extras[i].what);
    }
    printf("\nExit status: 0 done and correct, 1 the run or a check failed, 2 the request was wrong, 130 interrupted.\n");
    return CLI_OK;
}

static int help_one(const struct cli_command *c)
{
    printf("cowarp %s %s\n%s.\n", c->name, c->usage, c->what);
    if (c->option_cnt > 0)
        printf("\nOptions\n");
    print_options(c->option, c->option_cnt);
    if (c->takes_machine) {
        printf("\nOptions of the machine and the run\n");
        print_options(cli_machine_options, cli_machine_option_cnt);
    }
    if (c->notes != NULL)
        printf("\n%s", c->notes);
    return CLI_OK;
}

static int help_of(const struct cli_command *c)
{
    char *const words[] = {"--help"};
    return c->script != NULL ? cli_script(c, 1, (char **)(uintptr_t)words) : help_one(c);
}

/* The help of a script is told by a process of its own. */
static int help_apart(const struct cli_command *c)
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        exit(help_of(c));
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
        return cli_error(CLI_FAILED, "%s: no process tells its options", c->name);
    return WEXITSTATUS(status);
}

static int help_all(void)
{
    int status = help_overview();
    for (uint32_t i = 0; i < COMMAND_CNT && status == CLI_OK; i++) {
        printf("\n---- cowarp %s\n\n", commands[i]->name);
        status = commands[i]->script != NULL ? help_apart(commands[i]) : help_one(commands[i]);
    }
    return status;
}

static int help(const char *name)
{
    if (name == NULL)
        return help_overview();
    if (strcmp(name, "--all") == 0 || strcmp(name, "-a") == 0)
        return help_all();
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = extras[0].name;
    for (uint32_t i = 0; i < EXTRA_CNT; i++)
        if (strcmp(name, extras[i].name) == 0) {
            printf("cowarp %s%s\n%s.\n", name, i == 0 ? " [COMMAND|--all]" : "", extras[i].what);
            return CLI_OK;
        }
    const struct cli_command *c = find(name);
    return c != NULL ? help_of(c) : unknown_command(name);
}

static bool wants_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static int run_command(const struct cli_command *c, int argc, char **argv)
{
    struct cli_parsed p;
    if (c->script != NULL)
        return cli_script(c, argc, argv);
    if (wants_help(argc, argv))
        return help_one(c);
    int status = cli_parse(&p, c, argc, argv);
    if (status == CLI_OK)
        status = c->run(&p);
    if (status != CLI_OK && cli_interrupted()) /* whatever has failed then */
        status = cli_exit_of(COWARP_ELIMIT);
    cli_parsed_free(&p);
    return status;
}

static void print_version(void)
{
    printf("cowarp %s\n", cowarp_version());
    printf("commit    %s\n", cowarp_commit());
    printf("sources   sha256:%s\n", cowarp_sources());
    printf("compiler  %s\n", cowarp_compiler());
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        help_overview();
        return CLI_WRONG;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0 || strcmp(name, "-v") == 0 || strcmp(name, "-V") == 0) {
        print_version();
        return CLI_OK;
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc > 2 ? argv[2] : NULL);
    const struct cli_command *c = find(name);
    return c != NULL ? run_command(c, argc - 2, argv + 2) : unknown_command(name);
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that may grow no more is an error of its write */
    int status = dispatch(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == CLI_OK)
        status = cli_error(CLI_FAILED, "standard output cannot be written");
    return status;
}
