/* SPDX-License-Identifier: Apache-2.0 */
/* cowarp list: workloads, systems, persistency models and other mechanisms, control policies, presets, units. */
#define _GNU_SOURCE /* strcasestr */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "cowarp/workload.h"
#include "file/json.h"
#include "workloads.h"

static const struct {
    enum cowarp_variant variant;
    const char *name;
} variants[] = {{COWARP_PLAIN, "plain"},   {COWARP_TX, "tx"},           {COWARP_FGLOCK, "fglock"},
                {COWARP_CGLOCK, "cglock"}, {COWARP_STM_TL2, "stm-tl2"}, {COWARP_STM_PR, "stm-pr"}};
#define VARIANT_CNT (sizeof variants / sizeof variants[0])

const char *cli_variant_name(unsigned variant)
{
    for (uint32_t i = 0; i < VARIANT_CNT; i++)
        if (variants[i].variant == variant)
            return variants[i].name;
    return NULL;
}

bool cli_variant_find(const char *name, enum cowarp_variant *variant)
{
    for (uint32_t i = 0; i < VARIANT_CNT; i++)
        if (strcmp(variants[i].name, name) == 0) {
            *variant = variants[i].variant;
            return true;
        }
    return false;
}

/* What is printed: all, or what speaks of a word. A section's title comes before its first row. */
struct printer {
    const char *word; /* NULL: all */
    const char *title;
    uint32_t cnt; /* rows so far */
};

static void begin(struct printer *p, const char *title)
{
    p->title = title;
}

/* Whether a row of this name is printed. */
static bool chosen(struct printer *p, const char *name, const char *what)
{
    if (p->word != NULL && strcasestr(name, p->word) == NULL && strcasestr(what, p->word) == NULL)
        return false;
    if (p->title != NULL)
        printf("%s%s\n", p->cnt > 0 ? "\n" : "", p->title);
    p->title = NULL;
    p->cnt++;
    return true;
}

static void print_row(struct printer *p, const char *name, const char *what)
{
    if (chosen(p, name, what))
        printf("  %-14s %s\n", name, what);
}

static void print_workload(struct printer *p, const struct cowarp_workload *w)
{
    const char *comma = "";
    if (!chosen(p, w->name, w->what))
        return;
    printf("  %-14s %s\n  %-14s variants: ", w->name, w->what, "");
    for (uint32_t i = 0; i < VARIANT_CNT; i++)
        if (w->variants & variants[i].variant) {
            printf("%s%s", comma, variants[i].name);
            comma = ", ";
        }
    printf("%s\n", w->recover != NULL ? "; recovers after a crash" : "");
    for (uint32_t i = 0; i < w->param_count; i++) {
        const struct cowarp_workload_param *q = &w->params[i];
        printf("  %-14s --param %s=%" PRId64 ": %s (%" PRId64 " to %" PRId64 ")\n", "", q->name, q->value_default, q->what, q->minimum,
               q->maximum);
    }
}

/* One of cowarp_system_at, cowarp_persistency_at, cowarp_mechanism_at, cowarp_control_at, cowarp_preset_at. */
typedef int lister(uint32_t i, const char **name, const char **what);

static void print_named(struct printer *p, const char *title, lister *at)
{
    const char *name, *what;
    begin(p, title);
    for (uint32_t i = 0; at(i, &name, &what) != 0; i++)
        print_row(p, name, what);
}

/* "kilotm, warptm" */
static void print_unit_mechs(uint32_t unit)
{
    const char *name;
    for (uint32_t k = 0; (name = cowarp_unit_mechanism(unit, k)) != NULL; k++)
        printf("%s%s", k > 0 ? ", " : "", name);
}

static void print_units(struct printer *p)
{
    const char *name, *what;
    begin(p, "Units: --unit NAME=c|rtl|lockstep[+assert][+seed=N][:FILES]");
    for (uint32_t i = 0; cowarp_unit_at(i, &name, &what) != 0; i++) {
        uint32_t mhz = 0, node_nm = 0;
        if (!chosen(p, name, what))
            continue;
        printf("  %-18s %s (", name, what);
        print_unit_mechs(i);
        cowarp_unit_clock(i, &mhz, &node_nm);
        printf("; %" PRIu32 " MHz at %" PRIu32 " nm)\n", mhz, node_nm);
    }
}

static int print_all(const char *word)
{
    struct printer p = {.word = word};
    begin(&p, "Workloads: cowarp run WORKLOAD");
    for (uint32_t i = 0; cowarp_workloads[i] != NULL; i++)
        print_workload(&p, cowarp_workloads[i]);
    print_named(&p, "Systems: --system NAME", cowarp_system_at);
    print_row(&p, "none", "no transactional memory");
    print_row(&p, "fglock", "the same, and the workload's fine-grained locks");
    print_row(&p, "cglock", "the same, and the workload's one global lock");
    print_row(&p, "stm-tl2", "the same, and transactions in software, like TL2");
    print_row(&p, "stm-pr", "the same, and transactions in software with priorities, like PR-STM");
    print_named(&p, "Persistency models: --persistency NAME", cowarp_persistency_at);
    print_named(&p, "Mechanisms: --mech NAME", cowarp_mechanism_at);
    print_named(&p, "Control policies: --control NAME", cowarp_control_at);
    print_named(&p, "Presets: --preset NAME", cowarp_preset_at);
    print_units(&p);
    return p.cnt > 0 ? CLI_OK : cli_error(CLI_WRONG, "nothing in the list speaks of '%s'; 'cowarp list' shows all", word);
}

static void json_pair(const char *name, const char *value, const char *after)
{
    printf("\"%s\": ", name);
    cw_json_string(stdout, value);
    fputs(after, stdout);
}

static void json_workload(const struct cowarp_workload *w)
{
    const char *comma = "";
    printf("    {");
    json_pair("name", w->name, ", ");
    json_pair("what", w->what, ", \"variants\": [");
    for (uint32_t i = 0; i < VARIANT_CNT; i++)
        if (w->variants & variants[i].variant) {
            printf("%s\"%s\"", comma, variants[i].name);
            comma = ", ";
        }
    printf("], \"recovers\": %s, \"params\": [", w->recover != NULL ? "true" : "false");
    for (uint32_t i = 0; i < w->param_count; i++) {
        const struct cowarp_workload_param *q = &w->params[i];
        printf("%s{", i > 0 ? ", " : "");
        json_pair("name", q->name, ", ");
        json_pair("what", q->what, ", ");
        printf("\"default\": %" PRId64 ", \"minimum\": %" PRId64 ", \"maximum\": %" PRId64 "}", q->value_default, q->minimum, q->maximum);
    }
    printf("]}");
}

static void json_named(const char *name, const char *what, bool first)
{
    printf("%s    {", first ? "" : ",\n");
    json_pair("name", name, ", ");
    json_pair("what", what, "}");
}

static void json_list(lister *at, bool first)
{
    const char *name, *what;
    for (uint32_t i = 0; at(i, &name, &what) != 0; i++)
        json_named(name, what, first && i == 0);
}

static void json_unit(uint32_t i, const char *name, const char *what)
{
    printf("%s    {", i > 0 ? ",\n" : "");
    json_pair("name", name, ", \"system\": \"");
    print_unit_mechs(i);
    uint32_t mhz = 0, node_nm = 0;
    cowarp_unit_clock(i, &mhz, &node_nm);
    printf("\", \"clock_mhz\": %" PRIu32 ", \"node_nm\": %" PRIu32 ", ", mhz, node_nm);
    json_pair("what", what, "}");
}

static void json_all(void)
{
    printf("{\n  \"workloads\": [\n");
    for (uint32_t i = 0; cowarp_workloads[i] != NULL; i++) {
        fputs(i > 0 ? ",\n" : "", stdout);
        json_workload(cowarp_workloads[i]);
    }
    printf("\n  ],\n  \"systems\": [\n");
    json_named("none", "no transactional memory", true);
    json_list(cowarp_system_at, false);
    printf("\n  ],\n  \"persistency\": [\n");
    json_list(cowarp_persistency_at, true);
    printf("\n  ],\n  \"mechanisms\": [\n");
    json_list(cowarp_mechanism_at, true);
    printf("\n  ],\n  \"controls\": [\n");
    json_list(cowarp_control_at, true);
    printf("\n  ],\n  \"presets\": [\n");
    json_list(cowarp_preset_at, true);
    printf("\n  ],\n  \"units\": [\n");
    const char *name, *what;
    for (uint32_t i = 0; cowarp_unit_at(i, &name, &what) != 0; i++)
        json_unit(i, name, what);
    printf("\n  ]\n}\n");
}

static int list(const struct cli_parsed *p)
{
    const bool json = cli_has(p, "json");
    if (p->word_cnt > 1 || (json && p->word_cnt > 0))
        return cli_error(CLI_WRONG, "list takes no '%s'%s; see 'cowarp help list'", p->word[p->word_cnt - 1], json ? " beside --json" : "");
    if (!json)
        return print_all(p->word_cnt > 0 ? p->word[0] : NULL);
    json_all();
    return CLI_OK;
}

static const struct cli_option options[] = {{"json", NULL, 0, "as JSON"}};

const struct cli_command cli_list = {
    .name = "list",
    .usage = "[WORD|--json]",
    .what = "Lists workloads with their variants and parameters, systems, persistency models, mechanisms, control policies, presets and "
            "units: all, or what speaks of a word",
    .option = options,
    .option_cnt = sizeof options / sizeof options[0],
    .run = list,
};
