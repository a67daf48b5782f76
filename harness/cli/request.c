/* SPDX-License-Identifier: Apache-2.0 */
/* What a command line says about a workload: which, in which variant, with which parameters, for which system. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "workloads.h"

#define NAMES_MAX 64u

static int find_workload(const struct cli_parsed *p, const char *command, const struct cowarp_workload **workload)
{
    const char *names[NAMES_MAX];
    char near[96];
    uint32_t cnt = 0;
    if (p->word_cnt == 0)
        return cli_error(CLI_WRONG, "%s needs a workload; 'cowarp list' shows all", command);
    if (p->word_cnt > 1 && (strcmp(p->word[1], "steps") == 0 || strcmp(p->word[1], "native") == 0) && cli_has(p, "functional"))
        return cli_error(CLI_WRONG, "%s takes one workload, not '%s' too; if it is meant, write --functional=%s", command, p->word[1],
                         p->word[1]);
    if (p->word_cnt > 1)
        return cli_error(CLI_WRONG, "%s takes one workload, not '%s' too; see 'cowarp help %s'", command, p->word[1], command);
    for (; cowarp_workloads[cnt] != NULL && cnt < NAMES_MAX; cnt++) {
        names[cnt] = cowarp_workloads[cnt]->name;
        if (strcmp(names[cnt], p->word[0]) == 0) {
            *workload = cowarp_workloads[cnt];
            return CLI_OK;
        }
    }
    return cli_error(CLI_WRONG, "unknown workload '%s'; %s", p->word[0],
                     cli_suggest(near, p->word[0], names, cnt, "'cowarp list' shows all"));
}

static int refuse_variant(const struct cowarp_workload *w, const char *variant)
{
    char list[128] = "";
    for (unsigned left = w->variants; left != 0; left &= left - 1) {
        const unsigned rest = left & (left - 1);
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", cli_variant_name(left & ~(left - 1)),
                 rest == 0                  ? ""
                 : (rest & (rest - 1)) == 0 ? " and "
                                            : ", ");
    }
    return cli_error(CLI_WRONG, "workload %s has no variant %s; it has %s", w->name, variant, list);
}

/* The transactional system of a workload, when none is asked for. */
static const char *tx_system(const struct cowarp_workload *w)
{
    return w->system != NULL ? w->system : "getm";
}

/* The variant asked for by name, by the shorthands --system fglock and its like, or the one that suits the system best. */
static int resolve(struct cli_request *q, const struct cli_parsed *p)
{
    const struct cowarp_workload *w = q->workload;
    const char *asked = cli_value(p, "variant", NULL);
    enum cowarp_variant variant = 0;
    q->system = cli_value(p, "system", NULL);
    const bool shorthand = q->system != NULL && cli_variant_find(q->system, &variant) && variant != COWARP_TX && variant != COWARP_PLAIN;
    variant = 0;
    if (shorthand) {
        if (asked != NULL && strcmp(asked, q->system) != 0)
            return cli_error(CLI_WRONG, "--system %s means the variant %s; leave out --variant %s", q->system, q->system, asked);
        asked = q->system;
        q->system = "none";
    }
    if (asked != NULL && !cli_variant_find(asked, &variant))
        return cli_error(CLI_WRONG, "unknown variant '%s'; takes plain, tx, fglock, cglock, stm-tl2 or stm-pr", asked);
    if (asked != NULL && !(w->variants & variant))
        return refuse_variant(w, asked);
    if (q->system == NULL)
        q->system = (asked == NULL ? w->variants & COWARP_TX : variant == COWARP_TX) ? tx_system(w) : "none";
    const bool none = strcmp(q->system, "none") == 0;
    if (variant == COWARP_TX && none)
        return cli_error(CLI_WRONG, "variant tx needs a transactional system; give --system %s", tx_system(w));
    const unsigned order[] = {none ? 0u : COWARP_TX, COWARP_PLAIN, COWARP_FGLOCK, COWARP_CGLOCK, COWARP_STM_TL2, COWARP_STM_PR};
    for (uint32_t i = 0; variant == 0 && i < sizeof order / sizeof order[0]; i++)
        variant = (enum cowarp_variant)(order[i] & w->variants);
    if (variant == 0)
        return refuse_variant(w, "without transactions");
    q->variant = variant;
    return CLI_OK;
}

static int set_param(struct cli_request *q, const char *text)
{
    const struct cowarp_workload *w = q->workload;
    const char *names[NAMES_MAX];
    char name[64], near[96], hint[96];
    const char *equals = strchr(text, '=');
    if (equals == NULL || (size_t)(equals - text) >= sizeof name)
        return cli_error(CLI_WRONG, "--param '%s': expected name=value", text);
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    for (uint32_t i = 0; i < w->param_count; i++) {
        const struct cowarp_workload_param *r = &w->params[i];
        int64_t value;
        names[i < NAMES_MAX ? i : 0] = r->name;
        if (strcmp(r->name, name) != 0)
            continue;
        if (!cli_s64(equals + 1, &value) && cli_is_number(equals + 1))
            return cli_error(CLI_WRONG, "--param %s=%s: out of range, %" PRId64 " to %" PRId64, name, equals + 1, r->minimum, r->maximum);
        if (!cli_s64(equals + 1, &value))
            return cli_error(CLI_WRONG, "--param %s: '%s' is not a whole number", name, equals + 1);
        if (value < r->minimum || value > r->maximum)
            return cli_error(CLI_WRONG, "--param %s=%" PRId64 ": out of range, %" PRId64 " to %" PRId64, name, value, r->minimum,
                             r->maximum);
        q->param[i] = value;
        return CLI_OK;
    }
    snprintf(hint, sizeof hint, w->param_count > 0 ? "'cowarp list' shows all" : "it has none");
    return cli_error(CLI_WRONG, "workload %s has no parameter '%s'; %s", w->name, name,
                     cli_suggest(near, name, names, w->param_count < NAMES_MAX ? w->param_count : 0, hint));
}

static int set_params(struct cli_request *q, const struct cli_parsed *p)
{
    const struct cowarp_workload *w = q->workload;
    q->param = calloc(w->param_count + 1, sizeof *q->param);
    const char **given = cli_values(p, "param", 0);
    int status = q->param != NULL && given != NULL ? CLI_OK : cli_error(CLI_FAILED, "out of memory");
    for (uint32_t i = 0; status == CLI_OK && i < w->param_count; i++)
        q->param[i] = w->params[i].value_default;
    for (uint32_t i = 0; status == CLI_OK && given[i] != NULL; i++)
        status = set_param(q, given[i]);
    free(given);
    return status;
}

/* In $COWARP_KERNEL_DIR, or where those are that come with the command. */
static int find_ptx(struct cli_request *q)
{
    const char *folder = q->workload->folder, *own = getenv("COWARP_KERNEL_DIR");
    char name[128];
    snprintf(name, sizeof name, "share/cowarp/kernels/%s.ptx", folder);
    if (own == NULL)
        return cli_place(q->ptx, name);
    snprintf(q->ptx, sizeof q->ptx, "%s/%s.ptx", own, folder);
    if (access(q->ptx, R_OK) == 0)
        return CLI_OK;
    return cli_error(CLI_WRONG, "%s: cannot be read; correct COWARP_KERNEL_DIR", q->ptx);
}

int cli_request_read(struct cli_request *q, const struct cli_parsed *p, const char *command)
{
    *q = (struct cli_request){0};
    int status = find_workload(p, command, &q->workload);
    if (status == CLI_OK)
        status = resolve(q, p);
    if (status == CLI_OK)
        status = cli_check_assignments(p, "param");
    if (status == CLI_OK)
        status = set_params(q, p);
    return status == CLI_OK ? find_ptx(q) : status;
}

void cli_request_free(struct cli_request *q)
{
    free(q->param);
    q->param = NULL;
}

int cli_request_note(const struct cli_request *q, struct cowarp_gpu *gpu)
{
    int status = COWARP_OK;
    for (uint32_t i = 0; status == COWARP_OK && i < q->workload->param_count; i++)
        status = cowarp_manifest_param(gpu, q->workload->params[i].name, q->param[i]);
    return status;
}

struct cowarp_workload_context cli_request_context(const struct cli_request *q, struct cowarp_gpu *gpu, uint64_t seed)
{
    return (struct cowarp_workload_context){.gpu = gpu, .variant = q->variant, .ptx_path = q->ptx, .param = q->param, .seed = seed};
}

int cli_request_recover(const struct cli_request *q, struct cowarp_workload_context *x, uint64_t *cycles)
{
    const uint64_t begin = cowarp_cycles(x->gpu);
    int status = cowarp_phase(x->gpu, "recovery");
    if (status == COWARP_OK)
        status = q->workload->recover(x);
    *cycles = cowarp_cycles(x->gpu) - begin;
    if (status == COWARP_OK)
        status = cowarp_phase(x->gpu, NULL);
    return status == COWARP_OK && q->workload->verify != NULL ? q->workload->verify(x) : status;
}
