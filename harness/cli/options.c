/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines: parsing by tables, numbers, error lines. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#define OPTION_MAX 96u /* of a command, the machine's among them */

const struct cli_option cli_machine_options[] = {
    {"preset", "NAME", 0, "machine to start from (default getm)"},
    {"config", "FILE", 0, "TOML file of parameters, over the preset"},
    {"set", "NAME=VALUE", CLI_REPEATS, "one parameter, over both; 'cowarp config' shows all"},
    {"mech", "NAME[,NAME]", CLI_REPEATS, "a mechanism beside the transactional system; 'cowarp list' shows all"},
    {"persistency", "NAME", 0, "persistency model (default none); 'cowarp list' shows all"},
    {"pm", "FILE", 0, "persistent memory that outlives the run: its regions come from the file, and go back to it"},
    {"control", "NAME", 0, "control-flow policy of the cores (default ipdom); 'cowarp list' shows all"},
    {"unit", "NAME=c|rtl|lockstep[+assert][+seed=N][:FILES]", CLI_REPEATS,
     "what stands behind a hardware unit (default c); NAME may be of one instance: core3.NAME"},
    {"elastic", NULL, 0, "Verilog of --unit may take other times than its contract says; its answers are judged, and its times told"},
    {"registers", "N", 0, "registers of a thread (default: those of --resource-usage, else those that live at once in the PTX)"},
    {"resource-usage", "FILE", 0, "registers of each kernel, from what ptxas -v or cuobjdump --dump-resource-usage has printed"},
    {"oob", "MODE", 0, "an access outside of all allocations: fault (default) ends the run; warn and zero load 0 and store nothing"},
    {"redzone", "BYTES", 0,
     "device memory kept free between allocations, so that accesses a little beside one are found (exec, cuda: 256; else 0)"},
    {"check", "LIST", 0, "look for what the program does wrong, and go on: of memory, sync, race and init (docs/sanitizer.md)"},
    {"check-lines", "N", 0, "places of which --check tells in a line each (default 20)"},
    {"tx-warps", "N", 0, "warps per core that may run transactions at once; 0 is unlimited"},
    {"seed", "N", 0, "seed of everything random (default 1)"},
    {"check-serial", NULL, 0, "check that the committed transactions are serializable"},
    {"real-time", NULL, 0, "with --check-serial: count transactions that stand before one that had ended when they began"},
    {"check-persist", NULL, 0, "check that writes to persistent memory become durable in the order that the kernel asks for"},
    {"sabotage", "NAME", 0, "break the transactional protocol on purpose, to see the oracle notice"},
    {"max-cycles", "N", 0, "stop a kernel that takes more core cycles; of a functional launch, warp instructions"},
    {"functional", NULL, CLI_CHOICE,
     "simulate no time: results only, fast; =steps: instruction by instruction; =native: in native code from the first one on"},
    {"threads", "N", 0, "host threads of functional launches, or all: those of the host. Timed launches use one"},
    {"save", "FILE@CYCLE", CLI_WATCHES, "save the run in its core cycle CYCLE, to go on from there with --load"},
    {"load", "FILE", 0, "go on from where --save has saved the same command; launches before are passed over"},
    {"renew", "N", 0,
     "after each N core cycles save all components, make them anew, and load them: nothing changes; for tests of a mechanism's state"},
    {"pack", NULL, 0,
     "pack each message that enters a crossbar to bits, and make it of them again: nothing changes; for tests of a mechanism's messages"},
    {"estimate", "PERCENT", 0,
     "time a part of launches and blocks only, until the cycles are known to so many percent, with 95 percent confidence"},
    {"launches", "A:B", 0, "simulate time in launches A to B - 1 only, of which the first is 0; an empty B is the last one"},
    {"stats", "FILE", CLI_WATCHES, "write all statistics as JSON"},
    {"stalls", NULL, 0, "count why warp schedulers do not issue: the counters issue_* of the statistics"},
    {"profile", "FILE", CLI_WATCHES, "write where the time goes, by the lines of the PTX; counts stalls too"},
    {"samples", "FILE", CLI_WATCHES, "write counters as CSV, a row for each N core cycles"},
    {"sample", "N", CLI_WATCHES, "core cycles of a row of --samples"},
    {"sample-counters", "NAME[,NAME]", CLI_WATCHES, "its columns (default: some that docs/profile.md lists)"},
    {"per", "launch|core|partition", CLI_REPEATS | CLI_WATCHES, "the statistics have the counters of each of these too"},
    {"timeline", "FILE", CLI_WATCHES, "write a timeline as trace events, for ui.perfetto.dev and chrome://tracing"},
    {"timeline-window", "A:B", CLI_WATCHES, "its core cycles, A to B - 1; an empty B is the end of the run"},
    {"timeline-mbytes", "N", CLI_WATCHES, "it ends, whole, before it is larger (default 64)"},
    {"konata", "FILE", CLI_WATCHES,
     "write warp instructions, stage by stage, for Konata; --timeline-window and --timeline-mbytes are its, too"},
    {"omit-host-seconds", NULL, CLI_WATCHES, "leave host_seconds out of it: equal runs then give equal files"},
    {"wave", "FILE", CLI_WATCHES, "write a wave file: FST, or VCD by the name"},
    {"wave-window", "A:B", CLI_WATCHES, "core cycles A to B - 1 only; an empty B is the end of the run"},
    {"wave-on", "EVENT", CLI_WATCHES,
     "only the last cycles before lockstep-mismatch, abort[:N], wait[:N], deadlock or cycle:N, and a few after"},
    {"wave-keep", "K", CLI_WATCHES, "core cycles before that event (default 1000)"},
    {"record", "INSTANCE=FILE", CLI_WATCHES, "write what is sent into a unit, as a stimulus file (docs/systemc.md)"},
    {"bins", "FILE", CLI_WATCHES,
     "write how often the hardware units were in each situation of their contracts, as CSV (docs/coverage.md)"},
    {"record-branches", "FILE", CLI_WATCHES, "write how many threads went which way at each branch, for --lcp-profile of a later run"},
    {"lcp-profile", "FILE", 0, "with core.lcp=profile: such a file, from which the likely-convergence points follow"},
    {"debug-socket", "N", CLI_WATCHES, "the run is that of a debugger, which listens at this file: 'cowarp debug' gives it"},
    {"quiet", NULL, CLI_WATCHES, "nothing but errors"},
};
const uint32_t cli_machine_option_cnt = sizeof cli_machine_options / sizeof cli_machine_options[0];

/* Whether standard error is a terminal whose user wants colours (no-color.org). */
static bool wants_colour(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDERR_FILENO) && (no == NULL || no[0] == '\0') && term != NULL && strcmp(term, "dumb") != 0;
}

int cli_error(int exit_status, const char *fmt, ...)
{
    char line[9000]; /* more than the longest text of the library */
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    for (char *c = line; *c != '\0'; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' '; /* one line, whatever a quoted piece of input holds */
    const bool colour = wants_colour();
    fprintf(stderr, "%scowarp:%s %s\n", colour ? "\x1b[1;31m" : "", colour ? "\x1b[0m" : "", line);
    return exit_status;
}

const char *cli_suggest(char text[96], const char *word, const char *const *names, uint32_t cnt, const char *hint)
{
    const char *near = cowarp_nearest(word, names, cnt);
    if (near == NULL)
        return hint;
    snprintf(text, 96, "did you mean '%.60s'?", near);
    return text;
}

int cli_exit(int status)
{
    if (status == COWARP_OK)
        return CLI_OK;
    return status == COWARP_EINVAL || status == COWARP_EUNSUP || status == COWARP_EIO ? CLI_WRONG : CLI_FAILED;
}

bool cli_is_number(const char *text)
{
    text += text[0] == '-';
    const bool hex = text[0] == '0' && text[1] == 'x';
    text += hex ? 2 : 0;
    const char *end = text;
    while (hex ? isxdigit((unsigned char)*end) : isdigit((unsigned char)*end))
        end++;
    return end != text && *end == '\0';
}

bool cli_u64(const char *text, uint64_t *value)
{
    char *end;
    const bool hex = text[0] == '0' && text[1] == 'x';
    if (!isxdigit((unsigned char)text[hex ? 2 : 0])) /* strtoull would take blanks and signs */
        return false;
    errno = 0;
    *value = strtoull(text + (hex ? 2 : 0), &end, hex ? 16 : 10);
    return errno == 0 && *end == '\0' && end != text;
}

bool cli_s64(const char *text, int64_t *value)
{
    const bool negative = text[0] == '-';
    uint64_t magnitude;
    if (!cli_u64(text + negative, &magnitude) || magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

bool cli_u32(const char *text, uint32_t *value)
{
    uint64_t wide;
    if (!cli_u64(text, &wide) || wide > UINT32_MAX)
        return false;
    *value = (uint32_t)wide;
    return true;
}

const char *cli_value(const struct cli_parsed *p, const char *option, const char *fallback)
{
    for (uint32_t i = 0; i < p->given_cnt; i++)
        if (strcmp(p->given[i].option->name, option) == 0)
            return p->given[i].value;
    return fallback;
}

bool cli_has(const struct cli_parsed *p, const char *option)
{
    return cli_value(p, option, NULL) != NULL;
}

const char **cli_values(const struct cli_parsed *p, const char *option, uint32_t extra)
{
    const char **list = calloc((size_t)p->given_cnt + extra + 1, sizeof *list);
    uint32_t cnt = 0;
    for (uint32_t i = 0; list != NULL && i < p->given_cnt; i++)
        if (strcmp(p->given[i].option->name, option) == 0)
            list[cnt++] = p->given[i].value;
    return list;
}

int cli_check_assignments(const struct cli_parsed *p, const char *option)
{
    for (uint32_t i = 0; i < p->given_cnt; i++)
        for (uint32_t k = 0; k < i; k++) {
            const char *first = p->given[k].value, *again = p->given[i].value;
            const size_t length = strcspn(first, "=");
            if (strcmp(p->given[k].option->name, option) == 0 && strcmp(p->given[i].option->name, option) == 0 &&
                strcspn(again, "=") == length && strncmp(first, again, length) == 0)
                return cli_error(CLI_WRONG, "--%s %s and --%s %s: give it once", option, first, option, again);
        }
    return CLI_OK;
}

void cli_parsed_free(struct cli_parsed *p)
{
    free(p->word);
    free(p->given);
    *p = (struct cli_parsed){0};
}

/* All options that a command takes. */
static uint32_t collect(const struct cli_command *command, const struct cli_option *list[OPTION_MAX])
{
    uint32_t cnt = 0;
    assert(command->option_cnt + cli_machine_option_cnt <= OPTION_MAX);
    for (uint32_t i = 0; i < command->option_cnt; i++)
        list[cnt++] = &command->option[i];
    for (uint32_t i = 0; command->takes_machine && i < cli_machine_option_cnt; i++)
        list[cnt++] = &cli_machine_options[i];
    return cnt;
}

static int unknown_option(const struct cli_command *command, const char *name)
{
    const struct cli_option *list[OPTION_MAX];
    const char *names[OPTION_MAX], *near;
    const uint32_t cnt = collect(command, list);
    for (uint32_t i = 0; i < cnt; i++)
        names[i] = list[i]->name;
    near = cowarp_nearest(name, names, cnt);
    if (near != NULL)
        return cli_error(CLI_WRONG, "unknown option '--%s' of %s; did you mean '--%s'?", name, command->name, near);
    return cli_error(CLI_WRONG, "unknown option '--%s' of %s; see 'cowarp help %s'", name, command->name, command->name);
}

/* argv[*i] is an option; its value may be the next argument. */
static int parse_option(struct cli_parsed *p, const struct cli_command *command, int argc, char **argv, int *i)
{
    const struct cli_option *list[OPTION_MAX];
    const uint32_t cnt = collect(command, list);
    char name[64];
    const char *text = argv[*i] + 2;
    const char *equals = strchr(text, '=');
    const size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
    const struct cli_option *option = NULL;
    for (uint32_t k = 0; k < cnt; k++)
        if (strcmp(list[k]->name, name) == 0)
            option = list[k];
    if (option == NULL || length >= sizeof name)
        return unknown_option(command, name);
    if (option->value == NULL && equals != NULL && (option->traits & CLI_CHOICE) == 0)
        return cli_error(CLI_WRONG, "option '--%s' takes no value", name);
    if (option->value != NULL && equals == NULL && *i + 1 >= argc)
        return cli_error(CLI_WRONG, "option '--%s' needs a value; give --%s %s", name, name, option->value);
    if (option->value != NULL && equals == NULL && argv[*i + 1][0] == '-' && argv[*i + 1][1] == '-')
        return cli_error(CLI_WRONG, "option '--%s' needs a value, and '%s' is an option; if it is meant, write --%s=%s", name, argv[*i + 1],
                         name, argv[*i + 1]);
    if (!(option->traits & CLI_REPEATS) && cli_has(p, name))
        return cli_error(CLI_WRONG, "option '--%s' is given twice; give it once", name);
    const char *value = equals != NULL ? equals + 1 : option->value == NULL ? "" : argv[++*i];
    if (option->value == NULL && equals != NULL && value[0] == '\0')
        return cli_error(CLI_WRONG, "option '--%s=': its value is empty; give one, or --%s alone", name, name);
    if (option->value != NULL && value[0] == '\0')
        return cli_error(CLI_WRONG, "option '--%s': its value is empty; give --%s %s", name, name, option->value);
    p->given[p->given_cnt++] = (struct cli_given){option, value};
    return CLI_OK;
}

static bool takes_quiet(const struct cli_command *command)
{
    const struct cli_option *list[OPTION_MAX];
    const uint32_t cnt = collect(command, list);
    for (uint32_t i = 0; i < cnt; i++)
        if (strcmp(list[i]->name, "quiet") == 0)
            return true;
    return false;
}

/* -q */
static int give_quiet(struct cli_parsed *p, const struct cli_command *command)
{
    char word[] = "--quiet";
    char *argv[] = {word};
    int i = 0;
    return parse_option(p, command, 1, argv, &i);
}

int cli_parse(struct cli_parsed *p, const struct cli_command *command, int argc, char **argv)
{
    bool options = true;
    *p = (struct cli_parsed){.word = calloc((size_t)argc + 1, sizeof *p->word),
                             .given = calloc((size_t)argc + 1, sizeof *p->given),
                             .command = command,
                             .argc = argc,
                             .argv = argv};
    if (p->word == NULL || p->given == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    for (int i = 0; i < argc; i++) {
        const char *a = argv[i];
        int status = CLI_OK;
        if (options && strcmp(a, "--") == 0)
            options = false;
        else if (options && a[0] == '-' && a[1] == '-')
            status = parse_option(p, command, argc, argv, &i);
        else if (options && strcmp(a, "-q") == 0 && takes_quiet(command))
            status = give_quiet(p, command);
        else if (options && a[0] == '-' && a[1] != '\0')
            status = cli_error(CLI_WRONG, "unknown option '%s' of %s; options begin with two dashes, see 'cowarp help %s'", a,
                               command->name, command->name);
        else
            p->word[p->word_cnt++] = a;
        if (status != CLI_OK)
            return status;
    }
    return CLI_OK;
}
