/* SPDX-License-Identifier: Apache-2.0 */
/* cowarp synth: hands the request to synth/synth.py, which drives Yosys, OpenSTA, Icarus and nextpnr. docs/synthesis.md. */
#define _GNU_SOURCE /* readlink, strdup */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#define FIXED_WORDS 6u /* python3, script, --cowarp and its value, --out and its value */

/* $COWARP_SYNTH_DIR, or the folder of the sources that this command was built from. */
static int find_script(char path[4096])
{
    const char *own = getenv("COWARP_SYNTH_DIR");
    snprintf(path, 4096, "%s/synth.py", own != NULL ? own : COWARP_SYNTH_DIR);
    if (access(path, R_OK) == 0)
        return CLI_OK;
    return cli_error(CLI_WRONG, "%s: cannot be read; set COWARP_SYNTH_DIR to the folder synth of cowarp's sources", path);
}

/* This command itself: the script runs a workload with it. */
static int find_self(char path[4096])
{
    const ssize_t length = readlink("/proc/self/exe", path, 4095);
    if (length < 0)
        return cli_error(CLI_FAILED, "/proc/self/exe: cannot be read: %s", strerror(errno));
    path[length] = '\0';
    return CLI_OK;
}

/* "--name=value", from storage that lives until the program is replaced. NULL: out of memory. */
static char *as_word(const struct cli_given *g)
{
    const size_t size = strlen(g->option->name) + strlen(g->value) + 4;
    char *word = malloc(size);
    if (word != NULL && g->option->value != NULL)
        snprintf(word, size, "--%s=%s", g->option->name, g->value);
    else if (word != NULL)
        snprintf(word, size, "--%s", g->option->name);
    return word;
}

static void free_words(char **word, uint32_t first, uint32_t cnt)
{
    for (uint32_t i = first; i < cnt; i++)
        free(word[i]);
    free(word);
}

static int synth(const struct cli_parsed *p)
{
    char script[4096], self[4096];
    int status = find_script(script);
    if (status == CLI_OK)
        status = find_self(self);
    if (status != CLI_OK)
        return status;
    char fixed[][12] = {"python3", "--cowarp", "--out"};
    char out[] = COWARP_SYNTH_OUT;
    char **word = calloc((size_t)p->given_cnt + p->word_cnt + FIXED_WORDS + 2, sizeof *word);
    if (word == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    char *const head[FIXED_WORDS] = {fixed[0], script, fixed[1], self, fixed[2], out};
    memcpy(word, head, sizeof head);
    uint32_t cnt = FIXED_WORDS;
    for (uint32_t i = 0; i < p->given_cnt + p->word_cnt; i++) {
        word[cnt] = i < p->given_cnt ? as_word(&p->given[i]) : strdup(p->word[i - p->given_cnt]);
        if (word[cnt] == NULL) {
            free_words(word, FIXED_WORDS, cnt);
            return cli_error(CLI_FAILED, "out of memory");
        }
        cnt++;
    }
    execvp(word[0], word);
    free_words(word, FIXED_WORDS, cnt);
    return cli_error(CLI_FAILED, "python3: cannot be run: %s; ./setup installs it", strerror(errno));
}

/* The same options as synth.py's, which checks the values. */
static const struct cli_option options[] = {
    {"library", "NAME", false, "standard cells: osu018, osu035, osu050 (default osu018)"},
    {"node", "NM", false, "node to which osu018's figures are scaled (default 32)"},
    {"set", "NAME=VALUE", true, "a parameter of the unit, as its Verilog spells it"},
    {"sweep", "NAME=A,B,C", false, "one unit over several values of a parameter: CSV and SVG of area and Fmax"},
    {"workload", "NAME", false, "run in which activity is counted (default ht-h)"},
    {"out", "FOLDER", false, "where results go (default synth in the build folder)"},
    {"jobs", "N", false, "units at once (default: processors)"},
    {"no-power", NULL, false, "no run of the workload, no power"},
    {"no-gates", NULL, false, "no gate-level check"},
    {"no-fpga", NULL, false, "no FPGA figures"},
    {"renew-reference", NULL, false, "take this run's figures as synth/reference.json"},
};

const struct cli_command cli_synth = {
    .name = "synth",
    .usage = "[UNIT...] [OPTIONS]",
    .what = "Estimates area, timing, power and FPGA size of hardware units",
    .option = options,
    .option_cnt = sizeof options / sizeof options[0],
    .notes = "Results: table.md and table.json, a report per unit. Every figure is an estimate, docs/synthesis.md tells how it is made.\n"
             "For example: cowarp synth stall_buffer --sweep ENTRIES=2,4,8\n",
    .run = synth,
};
