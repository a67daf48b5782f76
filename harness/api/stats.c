/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: counters by name, and the statistics file. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "api.h"
#include "file/json.h"

struct counter {
    const char *name, *unit, *definition;
    size_t offset;
};

static const struct counter counters[] = {
#define X(field, unit, definition) {#field, unit, definition, offsetof(struct cw_stats, field)},
#define M(field, unit, definition) {#field, unit, definition " (maximum)", offsetof(struct cw_stats, field)},
#include "base/stats.def"
#undef X
#undef M
};
#define COUNTER_CNT ((uint32_t)(sizeof counters / sizeof counters[0]))

static uint64_t counter_value(const struct cowarp_gpu *gpu, const struct counter *c)
{
    uint64_t value = 0;
    if (gpu->gpu != NULL)
        memcpy(&value, (const char *)cw_gpu_stats(gpu->gpu) + c->offset, sizeof value);
    return value;
}

int cowarp_counter(struct cowarp_gpu *gpu, const char *name, uint64_t *value)
{
    const char *list[COUNTER_CNT];
    for (uint32_t i = 0; i < COUNTER_CNT; i++) {
        list[i] = counters[i].name;
        if (strcmp(counters[i].name, name) == 0) {
            *value = counter_value(gpu, &counters[i]);
            return CW_OK;
        }
    }
    const char *near = cw_nearest(name, list, COUNTER_CNT);
    if (near != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "unknown counter '%.80s'; did you mean '%s'?", name, near);
    return cw_fail(&gpu->err, CW_EINVAL, "unknown counter '%.80s'", name);
}

int cowarp_counter_at(const struct cowarp_gpu *gpu, uint32_t i, const char **name, uint64_t *value, const char **unit,
                      const char **definition)
{
    if (i >= COUNTER_CNT)
        return 0;
    *name = counters[i].name;
    *value = counter_value(gpu, &counters[i]);
    *unit = counters[i].unit;
    *definition = counters[i].definition;
    return 1;
}

/* Ratios that one would else compute from the counters: {name, numerator, denominator, factor, unit, definition}. */
struct derived {
    const char *name;
    double numerator, denominator;
    const char *unit, *definition;
};
#define DERIVED_MAX 16u

static uint32_t derive(const struct cowarp_gpu *gpu, struct derived d[DERIVED_MAX])
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
        {"aborts_per_1k_commits", 1000.0 * (double)s->tx_aborted, (double)s->tx_committed, "transactions",
         "1000 x tx_aborted / tx_committed (GETM Table IV)"},
        {"table_cycles_per_request", (double)s->vu_table_cycles, (double)s->vu_requests, "cycles",
         "vu_table_cycles / vu_requests (GETM Figure 13)"},
        {"stalled_requests_per_line", (double)s->vu_stall_request_cycles, (double)s->vu_stall_line_cycles, "requests",
         "vu_stall_request_cycles / vu_stall_line_cycles (GETM Figure 16)"},
        {"cycles_per_warpts_increment", cycles, (double)s->warpts_increments, "cycles", "cycles / warpts_increments (GETM V.B.1)"},
    };
    _Static_assert(sizeof list / sizeof list[0] <= DERIVED_MAX, "DERIVED_MAX");
    memcpy(d, list, sizeof list);
    return sizeof list / sizeof list[0];
}

static void put_member(FILE *f, const char *name, const char *text)
{
    fprintf(f, "  \"%s\": ", name);
    cw_json_string(f, text);
    fputs(",\n", f);
}

static void put_value(FILE *f, const char *unit, const char *definition)
{
    fputs(", \"unit\": ", f);
    cw_json_string(f, unit);
    fputs(", \"definition\": ", f);
    cw_json_string(f, definition);
    fputs("}", f);
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

static void put_backend(FILE *f, const struct cowarp_gpu *gpu, uint32_t unit)
{
    char text[4200];
    const char *file = gpu->verilog[unit];
    snprintf(text, sizeof text, "%s%s%s", cowarp__backend_name(gpu->backend[unit]), file != NULL ? ":" : "", file != NULL ? file : "");
    cw_json_string(f, text);
}

static void put_units(FILE *f, const struct cowarp_gpu *gpu)
{
    const char *comma = "";
    fputs("  \"units\": {", f);
    for (uint32_t i = 0; i < cowarp__unit_cnt; i++) {
        if (gpu->system == NULL || !cowarp__unit_used(i, gpu->system->name))
            continue;
        fprintf(f, "%s\"%s\": ", comma, cowarp__units[i].name);
        put_backend(f, gpu, i);
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
            ", \"inconsistent_aborted\": %" PRIu64 ", \"violation\": ",
            r->committed, r->aborted, r->reads, r->writes, r->cycle_length, r->value_errors, r->lost_writes, r->inconsistent_aborted);
    cw_json_string(f, r->text[0] != '\0' ? r->text : NULL);
    fputs("},\n", f);
}

static void put_counters(FILE *f, const struct cowarp_gpu *gpu)
{
    struct derived d[DERIVED_MAX];
    const uint32_t derived_cnt = derive(gpu, d);
    fputs("  \"counters\": {", f);
    for (uint32_t i = 0; i < COUNTER_CNT; i++) {
        const struct counter *c = &counters[i];
        fprintf(f, "%s\n    \"%s\": {\"value\": %" PRIu64, i > 0 ? "," : "", c->name, counter_value(gpu, c));
        put_value(f, c->unit, c->definition);
    }
    fputs("\n  },\n  \"derived\": {", f);
    for (uint32_t i = 0; i < derived_cnt; i++) {
        fprintf(f, "%s\n    \"%s\": {\"value\": ", i > 0 ? "," : "", d[i].name);
        cw_json_number(f, d[i].denominator > 0 ? d[i].numerator / d[i].denominator : (double)INFINITY);
        put_value(f, d[i].unit, d[i].definition);
    }
    fputs("\n  }\n", f);
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
    put_units(f, gpu);
    put_oracle(f, gpu);
    put_config(f, &gpu->config);
    put_counters(f, gpu);
    fputs("}\n", f);
    status = cw_out_file_close(&out, &why);
    return status == CW_OK ? CW_OK : cw_fail(&gpu->err, status, "%s", why.text);
}
