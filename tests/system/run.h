/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a workload through the public API, as the command does, for the system tests. */
#ifndef CW_TESTS_SYSTEM_RUN_H
#define CW_TESTS_SYSTEM_RUN_H

#include <stdio.h>
#include <string.h>

#include "cowarp/workload.h"

struct run {
    /* in */
    const char *workload, *system;
    enum cowarp_variant variant;
    const char *preset, *persistency;
    const char *settings[12]; /* NULL-terminated */
    const char *units[8];     /* NULL-terminated */
    const char *param[6];     /* name=value pairs as "name=value" */
    const char *sabotage;
    int check_serial, reverse_ticks, tick_always, count_stalls, pack_messages;
    const char *stats; /* where its statistics go; NULL: nowhere */
    uint64_t seed, max_cycles, renew_cycles;
    /* out */
    int status;
    char message[1024]; /* what the workload or the API said */
    char report[4096];  /* deadlock report */
    char oracle[1024];  /* the serializability oracle's verdict */
    uint64_t cycles;
    uint64_t counter[512];
    uint32_t counter_cnt;
};

static inline const struct cowarp_workload *run__find(const char *name)
{
    for (uint32_t i = 0; cowarp_workloads[i] != NULL; i++)
        if (strcmp(cowarp_workloads[i]->name, name) == 0)
            return cowarp_workloads[i];
    return NULL;
}

static inline uint64_t run_counter(const struct run *r, const char *wanted);

/* Whether each active cycle of the cores has one class (Fung 2015, Figure 3.11). */
static inline int run_classes_add_up(const struct run *r)
{
    static const char *const classes[] = {"simd_w1_4",   "simd_w5_8",   "simd_w9_12", "simd_w13_16", "simd_w17_20", "simd_w21_24",
                                          "simd_w25_28", "simd_w29_32", "core_stall", "core_w0_mem", "core_w0_idle"};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        sum += run_counter(r, classes[i]);
    return sum == run_counter(r, "core_active_cycles") && sum > 0;
}

static inline void run__params(const struct run *r, const struct cowarp_workload *w, int64_t *value)
{
    for (uint32_t i = 0; i < w->param_count; i++) {
        value[i] = w->params[i].value_default;
        const size_t length = strlen(w->params[i].name);
        for (uint32_t j = 0; j < 6 && r->param[j] != NULL; j++)
            if (strncmp(r->param[j], w->params[i].name, length) == 0 && r->param[j][length] == '=')
                sscanf(r->param[j] + length + 1, "%lld", (long long *)&value[i]);
    }
}

static inline void run__collect(struct run *r, struct cowarp_gpu *gpu)
{
    const char *name, *unit, *what;
    r->cycles = cowarp_cycles(gpu);
    while (r->counter_cnt < 512 && cowarp_counter_at(gpu, r->counter_cnt, &name, &r->counter[r->counter_cnt], &unit, &what))
        r->counter_cnt++;
    snprintf(r->report, sizeof r->report, "%s", cowarp_report(gpu));
    snprintf(r->oracle, sizeof r->oracle, "%s", cowarp_oracle(gpu));
}

static inline uint64_t run_counter(const struct run *r, const char *wanted)
{
    struct cowarp_options options;
    struct cowarp_gpu *gpu = NULL;
    const char *name, *unit, *what;
    uint64_t value, found = UINT64_MAX;
    cowarp_options_init(&options);
    if (cowarp_create(&gpu, &options) == 0)
        for (uint32_t i = 0; i < r->counter_cnt && cowarp_counter_at(gpu, i, &name, &value, &unit, &what); i++)
            if (strcmp(name, wanted) == 0)
                found = r->counter[i];
    cowarp_destroy(gpu);
    return found;
}

static inline void run_workload(struct run *r)
{
    const struct cowarp_workload *w = run__find(r->workload);
    struct cowarp_options options;
    struct cowarp_gpu *gpu = NULL;
    char ptx[512];
    int64_t param[8] = {0};
    cowarp_options_init(&options);
    options.preset = r->preset != NULL ? r->preset : "getm";
    options.settings = r->settings;
    options.units = r->units;
    options.system = r->system;
    options.persistency = r->persistency;
    options.sabotage = r->sabotage;
    options.check_serial = r->check_serial;
    options.reverse_ticks = r->reverse_ticks;
    options.tick_always = r->tick_always;
    options.renew_cycles = r->renew_cycles;
    options.pack_messages = r->pack_messages;
    options.count_stalls = r->count_stalls;
    options.max_cycles = r->max_cycles;
    options.seed = r->seed != 0 ? r->seed : 1;
    r->status = w == NULL ? COWARP_EINVAL : cowarp_create(&gpu, &options);
    if (r->status == 0) {
        run__params(r, w, param);
        snprintf(ptx, sizeof ptx, "%s/kernels/%s.ptx", CW_BINARY_DIR, w->folder);
        struct cowarp_workload_context context = {.gpu = gpu, .variant = r->variant, .ptx_path = ptx, .param = param, .seed = options.seed};
        r->status = w->run(&context);
        snprintf(r->message, sizeof r->message, "%s",
                 context.message[0] != '\0' && (r->status == 0 || cowarp_error(gpu)[0] == '\0') ? context.message : cowarp_error(gpu));
        run__collect(r, gpu);
        if (r->stats != NULL && r->status == 0)
            r->status = cowarp_write_stats(gpu, r->stats, r->workload, NULL, NULL);
    } else {
        snprintf(r->message, sizeof r->message, "%s", w == NULL ? "no such workload" : cowarp_error(gpu));
    }
    cowarp_destroy(gpu);
}

#endif
