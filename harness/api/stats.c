/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: counters by name, and the statistics file. */
#define _GNU_SOURCE /* asprintf */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "file/json.h"
#include "mech/mechs.h"

static uint64_t counter_value(const struct cowarp_gpu *gpu, uint32_t i)
{
    return gpu->gpu != NULL ? *cw_stats_value(cw_gpu_stats(gpu->gpu), i) : 0;
}

int cowarp_counter(struct cowarp_gpu *gpu, const char *name, uint64_t *value)
{
    uint32_t i;
    int status = cw_stats_find(&i, name, &gpu->err);
    if (status == CW_OK)
        *value = counter_value(gpu, i);
    return status;
}

int cowarp_counter_at(const struct cowarp_gpu *gpu, uint32_t i, const char **name, uint64_t *value, const char **unit,
                      const char **definition)
{
    if (i >= cw_stats_count())
        return 0;
    const struct cw_counter *c = cw_stats_counter(i);
    *name = c->name;
    *value = counter_value(gpu, i);
    *unit = c->unit;
    *definition = c->definition;
    return 1;
}

/* A ratio that one would else compute from the counters. */
struct derived {
    const char *name;
    double numerator, denominator;
    const char *unit, *definition;
};

static void put_value(FILE *f, const char *unit, const char *definition)
{
    fputs(", \"unit\": ", f);
    cw_json_string(f, unit);
    fputs(", \"definition\": ", f);
    cw_json_string(f, definition);
    fputs("}", f);
}

static void put_derived(FILE *f, const struct derived *d, bool first)
{
    fprintf(f, "%s\n    \"%s\": {\"value\": ", first ? "" : ",", d->name);
    cw_json_number(f, d->denominator > 0 ? d->numerator / d->denominator : (double)INFINITY);
    put_value(f, d->unit, d->definition);
}

/* Those of the machine, which combine counters with each other and with parameters. */
static void put_machine_ratios(FILE *f, const struct cowarp_gpu *gpu)
{
    const struct cw_stats *s = cw_gpu_stats(gpu->gpu);
    const double cycles = (double)cowarp_cycles(gpu);
    const double l1 = (double)(s->l1_reads + s->l1_writes), l2 = (double)(s->l2_reads + s->l2_writes);
    const double dram = (double)(s->dram_reads + s->dram_writes);
    const double noc_bytes = (double)(s->noc_up_flits + s->noc_down_flits) * gpu->config.noc_flit_bytes;
    const double us = cowarp_microseconds(gpu);
    const struct derived list[] = {
        {"ipc", (double)s->thread_instructions, cycles, "instructions per cycle", "thread_instructions / cycles, whole chip"},
        {"warp_ipc", (double)s->warp_instructions, cycles, "instructions per cycle", "warp_instructions / cycles, whole chip"},
        {"simd_efficiency", (double)s->thread_instructions, 32.0 * (double)s->warp_instructions, "ratio",
         "thread_instructions / (32 x warp_instructions)"},
        {"divergent_branch_rate", (double)s->branches_divergent, (double)s->branches, "ratio", "branches_divergent / branches"},
        {"accesses_per_instruction", (double)s->mem_accesses, (double)s->mem_instructions, "ratio", "mem_accesses / mem_instructions"},
        {"l1_hit_rate", l1 - (double)(s->l1_read_misses + s->l1_write_misses), l1, "ratio", "L1 reads and writes that hit / all"},
        {"l2_hit_rate", l2 - (double)(s->l2_read_misses + s->l2_write_misses), l2, "ratio", "L2 reads and writes that hit / all"},
        {"dram_bytes_per_us", dram * gpu->config.dram_burst_bytes, us, "bytes per microsecond",
         "DRAM bursts x burst size / simulated time"},
        {"noc_bytes_per_us", noc_bytes, us, "bytes per microsecond", "flits of both directions x flit size / simulated time"},
    };
    for (uint32_t i = 0; i < sizeof list / sizeof list[0]; i++)
        put_derived(f, &list[i], i == 0);
}

/* A counter, or "cycles". */
static double operand(const struct cowarp_gpu *gpu, const char *name)
{
    struct cw_error err;
    uint32_t i;
    if (strcmp(name, "cycles") == 0)
        return (double)cowarp_cycles(gpu);
    return cw_stats_find(&i, name, &err) == CW_OK ? (double)counter_value(gpu, i) : 0;
}

static void put_mech_ratios(FILE *f, const struct cowarp_gpu *gpu)
{
    const struct cw_counter_set *set;
    for (uint32_t n = 0; (set = cw_mech_counter_set_at(n)) != NULL; n++)
        for (uint32_t i = 0; i < set->ratio_cnt; i++) {
            const struct cw_ratio *r = &set->ratio[i];
            const struct derived d = {r->name, r->factor * operand(gpu, r->numerator), operand(gpu, r->denominator), r->unit,
                                      r->definition};
            put_derived(f, &d, false);
        }
}

static void put_member(FILE *f, const char *name, const char *text)
{
    fprintf(f, "  \"%s\": ", name);
    cw_json_string(f, text);
    fputs(",\n", f);
}

static void put_config(FILE *f, const struct cw_config *config)
{
    fputs("  \"config\": {", f);
    for (uint32_t i = 0; i < cw_config_count(); i++) {
        struct cw_config_info info;
        char text[32];
        cw_config_info(config, i, &info);
        cw_config_value_text(&info, text);
        const char *quote = info.words != NULL ? "\"" : "";
        fprintf(f, "%s\n    \"%s\": %s%s%s", i > 0 ? "," : "", info.name, quote, text, quote);
    }
    fputs("\n  },\n", f);
}

static void put_backend(FILE *f, const struct cw_rtl_choice *choice)
{
    char seed[24] = "", *text = NULL;
    const char *file = choice->verilog;
    if (choice->seed != 0)
        snprintf(seed, sizeof seed, "+seed=%" PRIu32, choice->seed);
    if (asprintf(&text, "%s%s%s%s%s", cowarp__backend_name(choice->backend), choice->properties ? "+assert" : "", seed,
                 file != NULL ? ":" : "", file != NULL ? file : "") < 0)
        text = NULL;
    cw_json_string(f, text);
    free(text);
}

static void put_units(FILE *f, const struct cowarp_gpu *gpu)
{
    const char *comma = "", *needs;
    fputs("  \"units\": {", f);
    for (uint32_t i = 0; i < gpu->unit_cnt; i++) {
        if (!cowarp__unit_used(gpu, cw_mech_unit_at(i)->unit, &needs))
            continue;
        fprintf(f, "%s\"%s\": ", comma, gpu->unit[i].unit);
        put_backend(f, &gpu->unit[i]);
        comma = ", ";
    }
    for (uint32_t i = gpu->unit_cnt; i < gpu->choice_cnt; i++) { /* of one instance each */
        fprintf(f, "%s\"%s\": ", comma, gpu->unit[i].instance);
        put_backend(f, &gpu->unit[i]);
        comma = ", ";
    }
    fputs("},\n", f);
}

static void put_oracle(FILE *f, const struct cowarp_gpu *gpu)
{
    const struct cw_serial_report *r = cw_gpu_serial_report(gpu->gpu);
    if (!gpu->check_serial) {
        fputs("  \"serializability\": null,\n", f);
        return;
    }
    fprintf(f,
            "  \"serializability\": {\"committed\": %" PRIu64 ", \"aborted\": %" PRIu64 ", \"words_read\": %" PRIu64
            ", \"words_written\": %" PRIu64 ", \"cycle_length\": %" PRIu64 ", \"value_errors\": %" PRIu64 ", \"lost_writes\": %" PRIu64
            ", \"inconsistent_aborted\": %" PRIu64 ", \"unordered_aborted\": %" PRIu64 ", \"violation\": ",
            r->committed, r->aborted, r->reads, r->writes, r->cycle_length, r->value_errors, r->lost_writes, r->inconsistent_aborted,
            r->unordered_aborted);
    cw_json_string(f, r->text[0] != '\0' ? r->text : NULL);
    if (gpu->real_time) {
        fprintf(f, ", \"out_of_real_time\": %" PRIu64 ", \"real_time_example\": ", r->early);
        cw_json_string(f, r->early != 0 ? r->real_time : NULL);
    }
    fputs("},\n", f);
}

static void put_persist_oracle(FILE *f, const struct cowarp_gpu *gpu)
{
    const struct cw_persist_report *r = cw_gpu_persist_report(gpu->gpu);
    if (!gpu->check_persist) {
        fputs("  \"persist_order\": null,\n", f);
        return;
    }
    fprintf(f,
            "  \"persist_order\": {\"stores\": %" PRIu64 ", \"persists\": %" PRIu64 ", \"orderings\": %" PRIu64
            ", \"narrow_scopes\": %" PRIu64 ", \"violation\": ",
            r->stores, r->persists, r->orderings, r->scopes);
    cw_json_string(f, r->text[0] != '\0' ? r->text : NULL);
    fputs("},\n", f);
}

static bool has_set(const struct cw_counter_set *const *sets, const struct cw_counter_set *set)
{
    for (; sets != NULL && *sets != NULL; sets++)
        if (*sets == set)
            return true;
    return false;
}

/* Whether something in this GPU counts in the set. */
static bool counts_in(const struct cowarp_gpu *gpu, const struct cw_counter_set *set)
{
    for (uint32_t i = 0; gpu->mechs[i] != NULL; i++)
        if (has_set(gpu->mechs[i]->counters, set))
            return true;
    return has_set(gpu->control->counters, set);
}

/* The owners of the mechanisms' counters that this GPU uses; the others are zero. */
static void put_counting(FILE *f, const struct cowarp_gpu *gpu)
{
    const struct cw_counter_set *set;
    const char *comma = "";
    fputs("  \"counting\": [", f);
    for (uint32_t n = 0; (set = cw_mech_counter_set_at(n)) != NULL; n++) {
        if (!counts_in(gpu, set))
            continue;
        fputs(comma, f);
        cw_json_string(f, set->owner);
        comma = ", ";
    }
    fputs("],\n", f);
}

static void put_counters(FILE *f, const struct cowarp_gpu *gpu)
{
    fputs("  \"counters\": {", f);
    for (uint32_t i = 0; i < cw_stats_count(); i++) {
        const struct cw_counter *c = cw_stats_counter(i);
        const struct cw_counter_set *set = cw_stats_set(i);
        fprintf(f, "%s\n    \"%s\": {\"value\": %" PRIu64, i > 0 ? "," : "", c->name, counter_value(gpu, i));
        if (set != NULL) {
            fputs(", \"of\": ", f);
            cw_json_string(f, set->owner);
        }
        if (c->part_of != NULL) {
            fputs(", \"part_of\": ", f);
            cw_json_string(f, c->part_of);
        }
        put_value(f, c->unit, c->definition);
    }
    fputs("\n  },\n  \"derived\": {", f);
    put_machine_ratios(f, gpu);
    put_mech_ratios(f, gpu);
    fputs("\n  }\n", f);
}

/* The mechanisms beside the transactional system and the persistency model. */
static void put_mechanisms(FILE *f, const struct cowarp_gpu *gpu)
{
    const char *comma = "";
    fputs("  \"mechanisms\": [", f);
    for (uint32_t i = 0; gpu->mechs[i] != NULL; i++) {
        if (cowarp__mech_kind(gpu->mechs[i]) != COWARP_MECH_OTHER)
            continue;
        fputs(comma, f);
        cw_json_string(f, gpu->mechs[i]->name);
        comma = ", ";
    }
    fputs("],\n", f);
}

static void put_phases(FILE *f, struct cowarp_gpu *gpu)
{
    fputs("  \"phases\": [", f);
    for (const struct cowarp_phase *p = cowarp__phases(gpu), *first = p; p != NULL; p = p->next) {
        fprintf(f, "%s{\"name\": ", p == first ? "" : ", ");
        cw_json_string(f, p->name);
        fprintf(f, ", \"cycles\": %" PRIu64 ", \"simulated_us\": ", p->cycles);
        cw_json_number(f, p->microseconds);
        fputs("}", f);
    }
    fputs("],\n", f);
}

int cowarp_write_stats(struct cowarp_gpu *gpu, const char *path, const char *workload, const char *variant, const char *check)
{
    struct cw_out_file out;
    if (gpu->gpu == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "this GPU could not be created; it has no statistics");
    struct cw_error why;
    int status = cw_out_file_open(&out, path, &why);
    if (status != CW_OK)
        return cw_fail(&gpu->err, status, "%s", why.text);
    FILE *f = out.file;
    fputs("{\n", f);
    put_member(f, "version", cowarp_version());
    put_member(f, "workload", workload);
    put_member(f, "variant", variant);
    put_member(f, "system", gpu->system != NULL ? gpu->system->name : "none");
    put_member(f, "persistency", gpu->persistency->name);
    put_mechanisms(f, gpu);
    put_member(f, "control", gpu->control->name);
    put_member(f, "preset", gpu->config.preset);
    fprintf(f, "  \"seed\": %" PRIu64 ",\n", gpu->seed);
    put_member(f, "check", check);
    put_member(f, "error", gpu->failed ? gpu->err.text : NULL);
    put_member(f, "report", gpu->failed && cowarp_report(gpu)[0] != '\0' ? cowarp_report(gpu) : NULL);
    fprintf(f, "  \"cycles\": %" PRIu64 ",\n  \"simulated_us\": ", cowarp_cycles(gpu));
    cw_json_number(f, cowarp_microseconds(gpu));
    const struct cw_stats *s = cw_gpu_stats(gpu->gpu);
    fprintf(f, ",\n  \"thread_instructions\": %" PRIu64 ",\n  \"warp_instructions\": %" PRIu64 ",\n", s->thread_instructions,
            s->warp_instructions);
    if (!gpu->omit_host_seconds) {
        fputs("  \"host_seconds\": ", f);
        cw_json_number(f, gpu->host_seconds);
        fputs(",\n", f);
    }
    cowarp__manifest_write(gpu, f);
    cowarp__estimate_write(gpu, f);
    put_phases(f, gpu);
    cowarp__occupancy_write(gpu, f);
    put_units(f, gpu);
    put_oracle(f, gpu);
    put_persist_oracle(f, gpu);
    cowarp__elastic_write(gpu, f);
    put_config(f, &gpu->config);
    cowarp__parts_write(gpu, f);
    cowarp__waits_write(gpu, f);
    put_counting(f, gpu);
    put_counters(f, gpu);
    fputs("}\n", f);
    status = cw_out_file_close(&out, &why);
    return status == CW_OK ? CW_OK : cw_fail(&gpu->err, status, "%s", why.text);
}
