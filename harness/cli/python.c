/* SPDX-License-Identifier: Apache-2.0 */
/* Sub-commands that are Python scripts, which come with the command: they get the command line as it is, answer --help themselves, and find
 * this command in the environment variable COWARP. */
#define _GNU_SOURCE /* readlink, setenv */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static int name_self(const struct cli_command *c, char self[CLI_PATH_BYTES])
{
    const ssize_t length = readlink("/proc/self/exe", self, CLI_PATH_BYTES - 1);
    if (length >= 0)
        self[length] = '\0';
    /* Python would keep its compiled scripts beside them. */
    if (length < 0 || setenv("COWARP", self, 1) != 0 || setenv("PYTHONDONTWRITEBYTECODE", "1", 1) != 0)
        return cli_error(CLI_FAILED, "%s: /proc/self/exe: %s", c->name, strerror(errno));
    return CLI_OK;
}

/* The distribution's Python has the packages that ./setup installs; another one in PATH may not have them. */
static void become_python(char **words)
{
    words[0] = (char *)(uintptr_t)CW_PYTHON;
    execvp(words[0], words);
    words[0] = (char *)(uintptr_t) "python3";
    execvp(words[0], words);
}

int cli_script(const struct cli_command *c, int argc, char **argv)
{
    char self[CLI_PATH_BYTES], path[CLI_PATH_BYTES], name[128];
    snprintf(name, sizeof name, CLI_SOURCE "/%s", c->script);
    int status = name_self(c, self);
    if (status == CLI_OK)
        status = cli_place(path, name);
    if (status != CLI_OK)
        return status;
    char **words = calloc((size_t)argc + 3, sizeof *words);
    if (words == NULL)
        return cli_error(CLI_FAILED, "%s: out of memory", c->name);
    words[1] = path;
    memcpy(words + 2, argv, (size_t)argc * sizeof *words);
    fflush(stdout);
    become_python(words);
    status = cli_error(CLI_FAILED, "%s: %s: %s; install python3", c->name, CW_PYTHON, strerror(errno));
    free(words);
    return status;
}

const struct cli_command cli_reproduce = {
    .name = "reproduce",
    .usage = "NAME ... [OPTIONS]",
    .what = "Reproduces tables and figures of the papers; --list names them",
    .script = "experiments/reproduce.py",
};

const struct cli_command cli_stats = {
    .name = "stats",
    .usage = "FILE.json ... [OPTIONS]",
    .what = "Shows statistics files, or makes one table of them",
    .script = "scripts/results/stats.py",
};

const struct cli_command cli_diff = {
    .name = "diff",
    .usage = "A.json B.json [OPTIONS]",
    .what = "Says what differs between two runs",
    .script = "scripts/results/diff.py",
};

const struct cli_command cli_explain = {
    .name = "explain",
    .usage = "A.json B.json [OPTIONS]",
    .what = "Says which causes and lines make two runs take different times",
    .script = "scripts/results/explain.py",
};

const struct cli_command cli_rerun = {
    .name = "rerun",
    .usage = "FILE.json [OPTIONS]",
    .what = "Makes a run again and says whether every counter is equal",
    .script = "scripts/results/rerun.py",
};

const struct cli_command cli_report = {
    .name = "report",
    .usage = "FILE.json ... -o PAGE.html",
    .what = "Makes one page of runs, side by side, to read and to print",
    .script = "scripts/results/report.py",
};

const struct cli_command cli_serve = {
    .name = "serve",
    .usage = "[--port N]",
    .what = "Shows in a browser what sweeps, reproductions and other long commands do, with counters and reports",
    .script = "scripts/results/serve.py",
};

const struct cli_command cli_debug = {
    .name = "debug",
    .usage = "[OPTIONS] run|exec|cuda ...",
    .what = "Stops a run anywhere, steps through it forward and back, shows its state; see docs/debug.md",
    .script = "scripts/debug/debug.py",
};

const struct cli_command cli_sweep = {
    .name = "sweep",
    .usage = "WORKLOAD|FILE.ptx --vary NAME=VALUES ... [OPTIONS]",
    .what = "Makes the runs of all combinations of some parameters, a table and a plot",
    .script = "scripts/results/sweep.py",
};

const struct cli_command cli_validate = {
    .name = "validate",
    .usage = "CARD.csv ... [OPTIONS] -- PROGRAM [ARGUMENT ...]",
    .what = "Compares a CUDA program's kernels with what nvprof or ncu has measured on a card",
    .script = "scripts/results/validate.py",
};

const struct cli_command cli_test = {
    .name = "test",
    .usage = "[OPTIONS] -- ctest|pytest|PROGRAM [ARGUMENT ...]",
    .what = "Runs tests of CUDA programs on the simulated GPU, checked, with a limit for each; see docs/ci.md",
    .script = "scripts/ci/cuda_tests.py",
};

const struct cli_command cli_synth = {
    .name = "synth",
    .usage = "[UNIT...] [OPTIONS]",
    .what = "Estimates area, timing, power and FPGA size of hardware units",
    .script = "synth/synth.py",
};

const struct cli_command cli_new_unit = {
    .name = "new-unit",
    .usage = "NAME",
    .what = "Writes the skeleton of a hardware unit, see docs/adding-a-unit.md",
    .script = "scripts/new_unit/new_unit.py",
};

const struct cli_command cli_unit = {
    .name = "unit",
    .usage = "[NAME]",
    .what = "Prints all that is known of a hardware unit: contract, ports, area, proofs, tests",
    .script = "scripts/unit/unit.py",
};

const struct cli_command cli_proofs = {
    .name = "proofs",
    .usage = "[UNIT ...] [OPTIONS]",
    .what = "Prints what is proved about hardware units, and what is not",
    .script = "scripts/unit/proofs.py",
};
