/* SPDX-License-Identifier: Apache-2.0 */
/* What has come of units whose Verilog may take other times (options.elastic): a verdict for each sentence, and how long things took. */
#define _GNU_SOURCE /* open_memstream */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "file/json.h"
#include "mech/mechs.h"
#include "rtl/elastic.h"

/* Of a distribution: its number of values, the least, the median, the greatest, the mean. */
struct spread {
    uint64_t cnt, least, median, greatest;
    double mean;
};

static struct spread spread_of(const uint64_t *times)
{
    struct spread s = {0};
    uint64_t before = 0;
    double sum = 0;
    for (uint32_t i = 0; i < CW_ELASTIC_CYCLES; i++) {
        s.cnt += times[i];
        sum += (double)i * (double)times[i];
        s.greatest = times[i] > 0 ? i : s.greatest;
    }
    for (uint32_t i = CW_ELASTIC_CYCLES; i-- > 0;)
        s.least = times[i] > 0 ? i : s.least;
    for (uint32_t i = 0; i < CW_ELASTIC_CYCLES && 2 * before < s.cnt; i++) {
        before += times[i];
        s.median = i;
    }
    s.mean = s.cnt > 0 ? sum / (double)s.cnt : 0;
    return s;
}

static double share(const struct cw_elastic_times *t)
{
    return t->offered > 0 ? (double)t->taken / (double)t->offered : 0;
}

/* ---- words ---- */

static void put_times(FILE *f, const char *who, const struct cw_elastic_times *t)
{
    const struct spread latency = spread_of(t->latency), inside = spread_of(t->occupancy);
    fprintf(f,
            "    %s answers after %" PRIu64 " to %" PRIu64 " cycles, median %" PRIu64 "; %.3f inside, %" PRIu64
            " at most; takes %.1f %% of what is offered\n",
            who, latency.least, latency.greatest, latency.median, inside.mean, inside.greatest, 100 * share(t));
}

static void put_unit(FILE *f, const struct cw_elastic_contract *c, const struct cw_elastic_tally *t)
{
    fprintf(f, "%s: %" PRIu64 " operations\n", c->unit, t->rtl.taken);
    put_times(f, "C model", &t->model);
    put_times(f, "RTL    ", &t->rtl);
    for (int v = 0; v < CW_ELASTIC_VERDICTS; v++) {
        const char *sentences = cw_elastic_sentences(c, v);
        if (sentences != NULL)
            fprintf(f, "    %-8s %s (%s): %" PRIu64 " times\n",
                    t->broken == v     ? "BROKEN"
                    : t->checks[v] > 0 ? "holds"
                                       : "unseen",
                    cw_elastic_what(v), sentences, t->checks[v]);
    }
    fprintf(f, "    free     when things happen (%s)\n", c->moves);
}

/* Calls each for every unit that has one. */
static void each_unit(const struct cowarp_gpu *gpu, FILE *f,
                      void (*each)(FILE *f, const struct cw_elastic_contract *c, const struct cw_elastic_tally *t))
{
    struct cw_elastic_tally *tally = calloc(1, sizeof *tally);
    for (uint32_t i = 0; tally != NULL && gpu->units_created && i < gpu->unit_cnt; i++) {
        const struct cw_unit *unit = cw_mech_unit_at(i)->unit;
        if (cw_rtl_provider_elastic(&gpu->units, unit, tally))
            each(f, cw_elastic_contract_of(unit), tally);
    }
    free(tally);
}

const char *cowarp_elastic(struct cowarp_gpu *gpu)
{
    size_t bytes;
    free(gpu->elastic);
    gpu->elastic = NULL;
    FILE *f = open_memstream(&gpu->elastic, &bytes);
    if (f == NULL)
        return "";
    each_unit(gpu, f, put_unit);
    return fclose(f) == 0 && gpu->elastic != NULL ? gpu->elastic : "";
}

/* ---- the statistics file ---- */

static void put_distribution(FILE *f, const char *name, const uint64_t *times)
{
    const char *comma = "";
    fprintf(f, "\"%s\": {", name);
    for (uint32_t i = 0; i < CW_ELASTIC_CYCLES; i++)
        if (times[i] > 0) {
            fprintf(f, "%s\"%" PRIu32 "\": %" PRIu64, comma, i, times[i]);
            comma = ", ";
        }
    fputs("}", f);
}

static void put_side(FILE *f, const char *name, const struct cw_elastic_times *t)
{
    fprintf(f, "\"%s\": {\"offered\": %" PRIu64 ", \"taken\": %" PRIu64 ", ", name, t->offered, t->taken);
    put_distribution(f, "latency_cycles", t->latency);
    fputs(", ", f);
    put_distribution(f, "occupancy", t->occupancy);
    fputs("}", f);
}

static void put_json(FILE *f, const struct cw_elastic_contract *c, const struct cw_elastic_tally *t)
{
    const char *comma = "";
    fprintf(f, "%s\n    {\"unit\": \"%s\", ", ftell(f) > 1 ? "," : "", c->unit);
    put_side(f, "model", &t->model);
    fputs(", ", f);
    put_side(f, "rtl", &t->rtl);
    fputs(", \"verdicts\": [", f);
    for (int v = 0; v < CW_ELASTIC_VERDICTS; v++) {
        const char *sentences = cw_elastic_sentences(c, v);
        if (sentences == NULL)
            continue;
        fprintf(f, "%s{\"sentences\": \"%s\", \"what\": \"%s\", \"checks\": %" PRIu64 ", \"holds\": %s}", comma, sentences,
                cw_elastic_what(v), t->checks[v], t->broken == v ? "false" : "true");
        comma = ", ";
    }
    fputs("]}", f);
}

void cowarp__elastic_write(const struct cowarp_gpu *gpu, FILE *f)
{
    char *text = NULL;
    size_t bytes;
    FILE *list = open_memstream(&text, &bytes);
    if (list == NULL)
        return;
    fputs("[", list);
    each_unit(gpu, list, put_json);
    if (fclose(list) == 0 && text != NULL && text[1] != '\0')
        fprintf(f, "  \"elastic\": %s],\n", text);
    free(text);
}

/* ---- which units ---- */

static int refuse(struct cowarp_gpu *gpu, const char *unit)
{
    char names[CW_ELASTIC_NAMES];
    cw_elastic_units(names);
    return cw_fail(
        &gpu->err, CW_EINVAL,
        "unit %s: its contract says what its outputs are in each cycle, so --elastic allows nothing; use lockstep. These may take other "
        "times: %s",
        unit, names);
}

int cowarp__elastic_choose(struct cowarp_gpu *gpu)
{
    bool any = false;
    for (uint32_t i = 0; i < gpu->choice_cnt; i++) {
        struct cw_rtl_choice *choice = &gpu->unit[i];
        if (choice->backend == CW_UNIT_C)
            continue;
        const struct cw_unit *unit = NULL;
        for (uint32_t k = 0; k < gpu->unit_cnt && unit == NULL; k++)
            if (strcmp(cw_mech_unit_at(k)->unit->name, choice->unit) == 0)
                unit = cw_mech_unit_at(k)->unit;
        if (choice->backend == CW_UNIT_LOCKSTEP)
            return cw_fail(&gpu->err, CW_EINVAL, "unit %s: lockstep compares each cycle, and --elastic allows others; give %s=rtl:FILES",
                           choice->unit, choice->unit);
        if (unit == NULL || cw_elastic_contract_of(unit) == NULL)
            return refuse(gpu, choice->unit);
        choice->elastic = any = true;
    }
    return any ? CW_OK : cw_fail(&gpu->err, CW_EINVAL, "--elastic: no unit is in RTL; give --unit NAME=rtl:FILES too");
}
