/* SPDX-License-Identifier: Apache-2.0 */
/* The cowarp command. docs/command.md describes it. Exit status: 0 done and correct, 1 the run or a check failed, 2 the request was wrong,
 * 130 (or 128 and another signal's number) interrupted. */
#define _POSIX_C_SOURCE 200809L /* SIGXFSZ */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

static const struct cli_command *const commands[] = {
    &cli_list,   &cli_run,    &cli_crash, &cli_litmus, &cli_exec,      &cli_cuda, &cli_sweep,  &cli_stats, &cli_diff,    &cli_rerun,
    &cli_report, &cli_advise, &cli_wave,  &cli_config, &cli_reproduce, &cli_unit, &cli_proofs, &cli_synth, &cli_new_unit};
#define COMMAND_CNT ((uint32_t)(sizeof commands / sizeof commands[0]))

static const struct cli_command *find(const char *name)
{
    for (uint32_t i = 0; i < COMMAND_CNT; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[COMMAND_CNT + 1];
    char near[96];
    for (uint32_t i = 0; i < COMMAND_CNT; i++)
        names[i] = commands[i]->name;
    names[COMMAND_CNT] = "help";
    return cli_error(CLI_WRONG, "unknown command '%s'; %s", name, cli_suggest(near, name, names, COMMAND_CNT + 1, "see 'cowarp help'"));
}

static void print_options(const struct cli_option *option, uint32_t cnt)
{
    for (uint32_t i = 0; i < cnt; i++) {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s%s", option[i].name, option[i].value != NULL ? " " : "",
                 option[i].value != NULL ? option[i].value : "", option[i].traits & CLI_REPEATS ? " ..." : "");
        printf("  %-34s %s\n", left, option[i].what);
    }
}

static int help_all(void)
{
    printf("cowarp %s: runs PTX kernels on a cycle-level GPU whose hardware units are C models or Verilog\n\n", cowarp_version());
    for (uint32_t i = 0; i < COMMAND_CNT; i++)
        printf("  cowarp %-9s %s\n", commands[i]->name, commands[i]->what);
    printf("  cowarp help COMMAND tells the options of one command\n"
           "  cowarp --version\n\n"
           "Exit status: 0 done and correct, 1 the run or a check failed, 2 the request was wrong, 130 interrupted.\n");
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

static int help(const char *name)
{
    if (name == NULL)
        return help_all();
    const struct cli_command *c = find(name);
    if (c == NULL)
        return unknown_command(name);
    char *const words[] = {"--help"};
    return c->script != NULL ? cli_script(c, 1, (char **)(uintptr_t)words) : help_one(c);
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
        help_all();
        return CLI_WRONG;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
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
