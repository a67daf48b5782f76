/* SPDX-License-Identifier: Apache-2.0 */
/* cowarp advise: what transactions in shared memory take of a core, and which combination of detector and serialisation suits a kernel. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "file/json.h"
#include "workloads.h"

static void print_line(const struct cowarp_advice_line *l, const char *name, bool chosen)
{
    printf("%c %-28s %8" PRIu32 " %8" PRIu32 " %8" PRIu32 " %7" PRIu32 "  %s%s\n", chosen ? '*' : ' ', name, l->vector_registers,
           l->scalar_registers, l->shared_bytes, l->groups, l->lacks[0] != '\0' ? "too few: " : "fits", l->lacks);
}

static void print(const struct cowarp_advice *a, uint32_t threads)
{
    printf("%s, work-groups of %" PRIu32 "; a transaction names %" PRIu32 " words%s%s%s\n\n", a->kernel, threads, a->words,
           a->has_loop ? " and goes round a loop" : "", a->has_read_only ? ", has a read-only way" : "",
           a->reads_as_wrote ? ", writes each word that it reads" : "");
    printf("  %-28s %8s %8s %8s %7s\n", "", "vector", "scalar", "shared", "groups");
    printf("  %-28s %8s %8s %8s %7s\n", "", "regs", "regs", "bytes", "/ core");
    print_line(&a->alone, "the kernel alone", false);
    for (int i = 0; i < COWARP_ADVICE_LINES; i++) {
        char name[64];
        snprintf(name, sizeof name, "%-8s %s", a->line[i].detect, a->line[i].serial);
        print_line(&a->line[i], name, i == a->chosen);
    }
    printf("  %-28s %8" PRIu32 " %8" PRIu32 " %8" PRIu32 "\n\n", "a core has", a->core_vector_registers, a->core_scalar_registers,
           a->core_shared_bytes);
    if (a->chosen >= 0)
        printf("  choose        --set ltm.detect=%s --set ltm.serial=%s\n", a->line[a->chosen].detect, a->line[a->chosen].serial);
    else
        printf("  choose        --system lds-lock\n");
    printf("  why           %s\n", a->why);
}

static void json_text(const char *name, const char *value)
{
    printf("\"%s\": ", name);
    cw_json_string(stdout, value);
    printf(", ");
}

static void json_line(const struct cowarp_advice_line *l)
{
    printf("{");
    json_text("detect", l->detect);
    json_text("serial", l->serial);
    json_text("lacks", l->lacks);
    printf("\"vector_registers\": %" PRIu32 ", \"scalar_registers\": %" PRIu32 ", \"shared_bytes\": %" PRIu32 ", \"groups\": %" PRIu32 "}",
           l->vector_registers, l->scalar_registers, l->shared_bytes, l->groups);
}

static void print_json(const struct cowarp_advice *a, uint32_t threads)
{
    printf("{");
    json_text("kernel", a->kernel);
    printf("\"threads\": %" PRIu32 ", \"words\": %" PRIu32 ", \"has_read_only\": %s, \"reads_as_wrote\": %s, \"has_loop\": %s,\n", threads,
           a->words, a->has_read_only ? "true" : "false", a->reads_as_wrote ? "true" : "false", a->has_loop ? "true" : "false");
    printf(" \"core\": {\"vector_registers\": %" PRIu32 ", \"scalar_registers\": %" PRIu32 ", \"shared_bytes\": %" PRIu32
           "},\n \"alone\": ",
           a->core_vector_registers, a->core_scalar_registers, a->core_shared_bytes);
    json_line(&a->alone);
    printf(",\n \"combinations\": [\n");
    for (int i = 0; i < COWARP_ADVICE_LINES; i++) {
        printf("  ");
        json_line(&a->line[i]);
        printf(i + 1 < COWARP_ADVICE_LINES ? ",\n" : "],\n");
    }
    printf(" \"chosen\": ");
    if (a->chosen >= 0)
        json_line(&a->line[a->chosen]);
    else
        printf("null");
    printf(", \"why\": ");
    cw_json_string(stdout, a->why);
    printf("}\n");
}

static int advise(const struct cli_parsed *p, struct cli_session *s, const char *path, uint32_t threads, uint32_t shared)
{
    struct cowarp_module *module;
    struct cowarp_advice a;
    s->kernel = cli_value(p, "kernel", NULL);
    int status = cowarp_load_file(s->gpu, &module, path);
    if (status == COWARP_OK)
        status = cowarp_advise(s->gpu, module, s->kernel, threads, shared, &a);
    if (status != COWARP_OK)
        return cli_error(cli_exit(status), "%s", cowarp_error(s->gpu));
    if (cli_has(p, "json"))
        print_json(&a, threads);
    else
        print(&a, threads);
    return CLI_OK;
}

/* What is said of ltm.* is of this system. The others need none, and there are machines on which it cannot be. */
static const char *system_of(const struct cli_parsed *p)
{
    bool named = cli_has(p, "config");
    for (uint32_t i = 0; i < p->given_cnt; i++)
        named |= strcmp(p->given[i].option->name, "set") == 0 && strncmp(p->given[i].value, "ltm.", 4) == 0;
    return named ? "localtm" : "none";
}

static bool is_file(const char *word)
{
    const size_t length = strlen(word);
    return strcmp(word, "-") == 0 || (length > 4 && strcmp(word + length - 4, ".ptx") == 0);
}

static int advise_command(const struct cli_parsed *p)
{
    struct cli_request q = {0};
    struct cli_session s;
    uint32_t threads, shared;
    const char *block = cli_value(p, "block", "256"), *bytes = cli_value(p, "shared", "0");
    if (p->word_cnt != 1)
        return cli_error(CLI_WRONG, "advise takes one workload or one PTX file; see 'cowarp help advise'");
    if (!cli_u32(block, &threads) || threads == 0 || threads > 1024)
        return cli_error(CLI_WRONG, "--block '%s': a number of threads, 1 to 1024", block);
    if (!cli_u32(bytes, &shared))
        return cli_error(CLI_WRONG, "--shared '%s': a number of bytes", bytes);
    int status = is_file(p->word[0]) ? CLI_OK : cli_request_read(&q, p, "advise");
    if (status == CLI_OK)
        status = cli_session_open(&s, p, "advise", system_of(p));
    if (status == CLI_OK) {
        status = advise(p, &s, is_file(p->word[0]) ? cli_input(p->word[0]) : q.ptx, threads, shared);
        cli_session_close(&s);
    }
    cli_request_free(&q);
    return status;
}

static const struct cli_option options[] = {
    {"kernel", "NAME", 0, "the kernel; default: the only one with transactions"},
    {"block", "N", 0, "threads of a work-group (default 256)"},
    {"shared", "BYTES", 0, "shared memory that the launch gives beside the kernel's own (default 0)"},
    {"json", NULL, 0, "as JSON"},
    {"preset", "NAME", 0, "machine to start from (default getm); 'cowarp list' shows all"},
    {"config", "FILE", 0, "TOML file of parameters, over the preset"},
    {"set", "NAME=VALUE", CLI_REPEATS, "one parameter, over both"},
};

const struct cli_command cli_advise = {
    .name = "advise",
    .usage = "WORKLOAD | FILE.ptx [OPTIONS]",
    .what = "Says what transactions in shared memory take of a core, and which detector and serialisation suit a kernel",
    .option = options,
    .option_cnt = sizeof options / sizeof options[0],
    .run = advise_command,
};
