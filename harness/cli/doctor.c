/* SPDX-License-Identifier: Apache-2.0 */
/* cowarp doctor: what is there of cowarp and of the tools that it calls, and what a missing one would give. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "file/json.h"

#define LINE_BYTES 200u

enum kind {
    OWN,     /* a file that comes with cowarp, by its name for cowarp_place */
    PART,    /* the same, which an installation may lack */
    TOOL,    /* a program in PATH */
    MODULE,  /* of Python */
    LIBRARY, /* that the loader finds */
    FILE_AT  /* a path of the distribution */
};

/* What cowarp may need. A missing one of OWN makes the exit status 1: then the installation is not whole. */
static const struct need {
    enum kind kind;
    const char *name, *find;
    const char *version; /* the option that a program tells its version by; NULL: it is not asked */
    const char *package; /* of Debian; NULL: none has it */
    const char *gives;
} needs[] = {
    {OWN, "kernels", "share/cowarp/kernels/vecadd.ptx", NULL, "cowarp", "workloads for run, crash and sweep"},
    {OWN, "waves", "lib/cowarp/libcowarp_wave.so", NULL, "libcowarp0", "--wave"},
    {OWN, "CUDA libraries", "lib/cowarp/cuda/libcuda.so.1", NULL, "libcowarp0", "cuda and test: programs that nvcc has made"},
    {OWN, "scripts", CLI_SOURCE "/scripts/results/stats.py", NULL, "cowarp", "stats, diff, rerun, report, sweep"},
    {OWN, "experiments", CLI_SOURCE "/experiments/reproduce.py", NULL, "cowarp", "reproduce"},
    {OWN, "Verilog", CLI_SOURCE "/rtl", NULL, "cowarp-rtl", "--unit NAME=rtl|lockstep, wave, unit, synth"},
    {OWN, "built units", "lib/cowarp/rtl", NULL, "cowarp-rtl", "units in RTL for their default parameters, without a build"},
    {PART, "native code", "lib/cowarp/libcowarp_native.so", NULL, "cowarp-native", "functional runs five times faster"},
    {TOOL, "python3", "python3", "--version", "python3", "all commands over results, units and experiments"},
    {MODULE, "numpy", "numpy", NULL, "python3-numpy", "arrays in the Python package"},
    {MODULE, "pandas", "pandas", NULL, "python3-pandas", "tables in the Python package"},
    {MODULE, "matplotlib", "matplotlib", NULL, "python3-matplotlib", "pictures of sweep, reproduce and synth"},
    {MODULE, "yaml", "yaml", NULL, "python3-yaml", "tests of the source tree"},
    {TOOL, "verilator", "verilator", "--version", "verilator", "units in RTL for other parameters, and Verilog of your own"},
    {TOOL, "g++", "g++", "--version", "g++", "the same"},
    {TOOL, "clang-14", "clang-14", "--version", "clang-14", "kernels in OpenCL C, and in CUDA C without nvcc"},
    {FILE_AT, "libclc", "/usr/lib/clc/nvptx64--nvidiacl.bc", NULL, "libclc-14", "kernels in OpenCL C"},
    {TOOL, "nvcc", "nvcc", "--version", NULL, "CUDA programs from their source; NVIDIA's toolkit has it"},
    {LIBRARY, "libblas", "libblas.so.3", NULL, "libblas3", "cuBLAS of programs under cuda and test"},
    {LIBRARY, "LAPACK", "liblapack.so.3", NULL, "liblapack3", "cuBLAS of such programs, factors of batches"},
    {LIBRARY, "FFTW, single", "libfftw3f.so.3", NULL, "libfftw3-single3", "cuFFT of such programs, C2C and its like"},
    {LIBRARY, "FFTW, double", "libfftw3.so.3", NULL, "libfftw3-double3", "cuFFT of such programs, Z2Z and its like"},
    {TOOL, "yosys", "yosys", "-V", "yosys", "synth: cells and area"},
    {TOOL, "sta", "sta", NULL, "opensta", "synth: timing and power"},
    {FILE_AT, "osu018", "/usr/share/qflow/tech/osu018", NULL, "qflow-tech-osu018", "synth: its standard cells"},
    {TOOL, "iverilog", "iverilog", NULL, "iverilog", "synth: netlist and RTL compared"},
    {TOOL, "qflow", "qflow", NULL, "qflow", "synth --route"},
    {TOOL, "nextpnr-ice40", "nextpnr-ice40", NULL, "nextpnr-ice40", "synth --fpga"},
    {TOOL, "gtkwave", "gtkwave", NULL, "gtkwave", "wave --open and --png"},
    {TOOL, "Xvfb", "Xvfb", NULL, "xvfb", "wave --png"},
    {TOOL, "import", "import", NULL, "imagemagick", "wave --png"},
};
#define NEED_CNT (sizeof needs / sizeof needs[0])

/* The first line of what a program says, without its end. */
static bool first_line(char line[LINE_BYTES], const char *program, const char *option)
{
    char command[CLI_PATH_BYTES + 64];
    snprintf(command, sizeof command, "'%s' %s 2>/dev/null", program, option);
    FILE *f = strchr(program, '\'') == NULL ? popen(command, "r") : NULL;
    bool said = false;
    char text[LINE_BYTES];
    while (f != NULL && fgets(text, sizeof text, f) != NULL) {
        if (!said)
            snprintf(line, LINE_BYTES, "%.*s", (int)strcspn(text, "\n"), text);
        said = true;
    }
    return f != NULL && pclose(f) == 0 && said;
}

/* Whether it is there; where, or which version, in text. */
static bool find(const struct need *n, const char *python, char text[CLI_PATH_BYTES])
{
    char line[LINE_BYTES], option[128];
    switch (n->kind) {
    case OWN:
    case PART:
        return cowarp_place(text, CLI_PATH_BYTES, n->find) == COWARP_OK;
    case LIBRARY:
        snprintf(text, CLI_PATH_BYTES, "%s", n->find);
        return dlopen(n->find, RTLD_LAZY | RTLD_LOCAL) != NULL;
    case FILE_AT:
        snprintf(text, CLI_PATH_BYTES, "%s", n->find);
        return access(n->find, R_OK) == 0;
    case MODULE:
        snprintf(option, sizeof option, "-c 'import %s; print(%s.__version__)'", n->find, n->find);
        return python[0] != '\0' && first_line(line, python, option) && snprintf(text, CLI_PATH_BYTES, "%s", line) > 0;
    default:
        break;
    }
    if (strcmp(n->find, "python3") == 0)
        snprintf(text, CLI_PATH_BYTES, "%s", python);
    else if (!cli_find_tool(text, n->find))
        return false;
    if (text[0] == '\0')
        return false;
    if (n->version != NULL && first_line(line, text, n->version))
        snprintf(text, CLI_PATH_BYTES, "%s", line);
    return true;
}

/* As scripts find it (python.c). */
static void find_python(char python[CLI_PATH_BYTES])
{
    snprintf(python, CLI_PATH_BYTES, "%s", CW_PYTHON);
    if (access(CW_PYTHON, X_OK) != 0 && !cli_find_tool(python, "python3"))
        python[0] = '\0';
}

static void print_text(const struct need *n, bool there, const char *text)
{
    if (there)
        printf("ok       %-15s %s\n", n->name, text);
    else if (n->package != NULL)
        printf("missing  %-15s would give %s; apt-get install %s\n", n->name, n->gives, n->package);
    else
        printf("missing  %-15s would give %s\n", n->name, n->gives);
}

static void print_json(const struct need *n, bool there, const char *text, bool first)
{
    const struct {
        const char *name, *value;
    } members[] = {{"name", n->name}, {"gives", n->gives}, {"package", n->package != NULL ? n->package : ""}, {"found", there ? text : ""}};
    printf("%s  {\"there\": %s", first ? "" : ",\n", there ? "true" : "false");
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        printf(", \"%s\": ", members[i].name);
        cw_json_string(stdout, members[i].value);
    }
    printf("}");
}

static int doctor(const struct cli_parsed *p)
{
    char python[CLI_PATH_BYTES], text[CLI_PATH_BYTES];
    const bool json = cli_has(p, "json");
    unsigned own_missing = 0;
    if (p->word_cnt > 0)
        return cli_error(CLI_WRONG, "doctor takes no '%s'; see 'cowarp help doctor'", p->word[0]);
    find_python(python);
    if (json)
        printf("[\n");
    else
        printf("cowarp %s, commit %s\n", cowarp_version(), cowarp_commit());
    for (size_t i = 0; i < NEED_CNT; i++) {
        const bool there = find(&needs[i], python, text);
        own_missing += !there && needs[i].kind == OWN;
        if (json)
            print_json(&needs[i], there, text, i == 0);
        else
            print_text(&needs[i], there, text);
    }
    if (json)
        printf("\n]\n");
    if (own_missing == 0)
        return CLI_OK;
    return cli_error(CLI_FAILED, "%u of cowarp's own parts %s missing; install the packages that the lines name, or set COWARP_HOME",
                     own_missing, own_missing == 1 ? "is" : "are");
}

static const struct cli_option options[] = {{"json", NULL, 0, "as JSON"}};

const struct cli_command cli_doctor = {
    .name = "doctor",
    .usage = "[--json]",
    .what = "Says what is installed of cowarp and of the tools that it calls, and what a missing one would give",
    .option = options,
    .option_cnt = sizeof options / sizeof options[0],
    .notes = "The exit status is 1 when a part of cowarp itself is missing.\n",
    .run = doctor,
};
