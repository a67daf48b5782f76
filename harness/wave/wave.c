/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "wave/wave.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENUM_WARP, ENUM_VU_KIND, ENUM_VU_OUTCOME, ENUM_CNT };

static const char *const warp_states[] = {"free", "ready", "scoreboard", "barrier", "memory", "tx_wait", "tx_commit", "back_off"};
static const char *const vu_kinds[] = {"load", "store", "release", "reserved"};
static const char *const vu_outcomes[] = {"success", "abort", "full", "rollover"};

static const struct cw_wave_enum enums[ENUM_CNT] = {
    [ENUM_WARP] = {"warp_state", 8, warp_states},
    [ENUM_VU_KIND] = {"validation_kind", 4, vu_kinds},
    [ENUM_VU_OUTCOME] = {"validation_outcome", 4, vu_outcomes},
};

/* Ports that are shown as words. */
static const struct {
    const char *unit, *port;
    int32_t enum_index;
} port_enums[] = {
    {"validation_unit", "req_kind", ENUM_VU_KIND},
    {"validation_unit", "rsp_outcome", ENUM_VU_OUTCOME},
};

/* Counters that are worth a line in the waveform. */
enum { COUNT_CYCLE, COUNT_INSTRUCTIONS, COUNT_COMMITTED, COUNT_ABORTED, COUNT_STALLS, COUNT_BLOCKS, COUNT_CNT };
static const char *const count_names[COUNT_CNT] = {"cycle", "warp_instructions", "tx_committed", "tx_aborted", "vu_stalls", "blocks_finished"};

/* A port of a tapped unit, copied before each dump. */
struct tapped {
    const struct cw_tap *tap;
    const struct cw_port *port;
    uint32_t word; /* of a wide port: 64 bits from this 32-bit word on */
};

struct cw_wave {
    struct cw_wave_options options;
    char *path, *temporary;
    void *library;
    const struct cw_wave_plugin *plugin;
    void *writer;
    struct cw_wave_signal *signal;
    uint32_t signal_cnt;
    uint64_t *value;        /* one per signal */
    char (*text)[64];       /* scope and name of each signal: 2 per signal */
    struct tapped *tapped;
    uint32_t tapped_first;  /* signals from here on are tapped ports */
    uint32_t cores, warps;
    cw_time core_period;
    uint64_t units_per_us;
};

static struct cw_wave_signal *add_signal(struct cw_wave *w, uint32_t bits, int32_t enum_index)
{
    const uint32_t i = w->signal_cnt++;
    w->signal[i] = (struct cw_wave_signal){w->text[2 * i], w->text[2 * i + 1], bits, &w->value[i], enum_index};
    return &w->signal[i];
}

static void add_chip_signals(struct cw_wave *w)
{
    for (int i = 0; i < COUNT_CNT; i++) {
        snprintf(w->text[2 * w->signal_cnt], 64, "cowarp");
        snprintf(w->text[2 * w->signal_cnt + 1], 64, "%s", count_names[i]);
        add_signal(w, 64, -1);
    }
    for (uint32_t core = 0; core < w->cores; core++)
        for (uint32_t warp = 0; warp < w->warps; warp++) {
            snprintf(w->text[2 * w->signal_cnt], 64, "cowarp core%u", core);
            snprintf(w->text[2 * w->signal_cnt + 1], 64, "warp%u", warp);
            add_signal(w, 3, ENUM_WARP);
        }
}

static int32_t enum_of(const struct cw_unit *unit, const char *port)
{
    for (size_t i = 0; i < sizeof port_enums / sizeof port_enums[0]; i++)
        if (strcmp(port_enums[i].unit, unit->name) == 0 && strcmp(port_enums[i].port, port) == 0)
            return port_enums[i].enum_index;
    return -1;
}

/* "partition2.validation_unit" becomes the scope "cowarp partition2 validation_unit". */
static void add_port_signals(struct cw_wave *w, const struct cw_tap *tap)
{
    for (uint32_t p = 0; p < tap->unit->port_cnt; p++) {
        const struct cw_port *port = &tap->port[p];
        for (uint32_t word = 0; word == 0 || word < port->words; word += 2) {
            char *scope = w->text[2 * w->signal_cnt], *name = w->text[2 * w->signal_cnt + 1];
            const uint32_t left = port->width - 32 * word;
            snprintf(scope, 64, "cowarp %s", tap->name);
            for (char *c = scope; *c != '\0'; c++)
                if (*c == '.')
                    *c = ' ';
            if (port->width > 64)
                snprintf(name, 64, "%s_%u", port->name, 32 * word);
            else
                snprintf(name, 64, "%s", port->name);
            w->tapped[w->signal_cnt - w->tapped_first] = (struct tapped){tap, port, word};
            add_signal(w, left > 64 ? 64 : left, enum_of(tap->unit, port->name));
        }
    }
}

static uint32_t count_port_signals(const struct cw_taps *taps)
{
    uint32_t n = 0;
    for (uint32_t t = 0; taps != NULL && t < cw_taps_count(taps); t++) {
        const struct cw_tap *tap = cw_taps_at(taps, t);
        for (uint32_t p = 0; p < tap->unit->port_cnt; p++)
            n += tap->port[p].words <= 2 ? 1 : (tap->port[p].words + 1) / 2;
    }
    return n;
}

static int collect_signals(struct cw_wave *w, struct cw_error *err)
{
    const uint32_t ports = count_port_signals(w->options.taps);
    const uint32_t all = COUNT_CNT + w->cores * w->warps + ports;
    w->signal = calloc(all, sizeof *w->signal);
    w->value = calloc(all, sizeof *w->value);
    w->text = calloc(2 * (size_t)all, sizeof *w->text);
    w->tapped = calloc(ports + 1, sizeof *w->tapped);
    if (w->signal == NULL || w->value == NULL || w->text == NULL || w->tapped == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    add_chip_signals(w);
    w->tapped_first = w->signal_cnt;
    for (uint32_t t = 0; w->options.taps != NULL && t < cw_taps_count(w->options.taps); t++)
        add_port_signals(w, cw_taps_at(w->options.taps, t));
    return CW_OK;
}

static int open_writer(struct cw_wave *w, struct cw_error *err)
{
    w->library = dlopen(w->options.plugin, RTLD_NOW | RTLD_LOCAL);
    if (w->library == NULL)
        return cw_fail(err, CW_EIO, "%s: cannot load the waveform writer: %s", w->options.plugin, dlerror());
    const struct cw_wave_plugin *(*get)(void) = NULL;
    *(void **)&get = dlsym(w->library, "cw_wave_plugin_get");
    w->plugin = get != NULL ? get() : NULL;
    if (w->plugin == NULL || w->plugin->abi != CW_WAVE_ABI)
        return cw_fail(err, CW_EIO, "%s: is not this version's waveform writer; build again", w->options.plugin);
    w->writer = w->plugin->open(w->temporary, w->signal, w->signal_cnt, enums, ENUM_CNT, w->options.rtl, w->options.rtl_cnt);
    if (w->writer == NULL)
        return cw_fail(err, CW_EIO, "%s: cannot write", w->temporary);
    return CW_OK;
}

static void wave_free(struct cw_wave *w)
{
    if (w->library != NULL)
        dlclose(w->library);
    free(w->path);
    free(w->temporary);
    free(w->signal);
    free(w->value);
    free(w->text);
    free(w->tapped);
    free(w);
}

int cw_wave_create(struct cw_wave **wave, const struct cw_wave_options *options, const struct cw_gpu *gpu, struct cw_error *err)
{
    struct cw_wave *w = calloc(1, sizeof *w);
    *wave = NULL;
    if (w == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    w->options = *options;
    w->cores = cw_gpu_config(gpu)->core_count;
    w->warps = cw_gpu_config(gpu)->core_warps;
    w->core_period = cw_gpu_clocks(gpu)->period[CW_DOMAIN_CORE];
    w->units_per_us = cw_gpu_clocks(gpu)->units_per_us;
    w->path = strdup(options->path);
    int status = w->path == NULL || asprintf(&w->temporary, "%s.tmp%ld", options->path, (long)getpid()) < 0
                     ? cw_fail(err, CW_ENOMEM, "out of memory")
                     : CW_OK;
    if (status == CW_OK)
        status = collect_signals(w, err);
    if (status == CW_OK)
        status = open_writer(w, err);
    if (status != CW_OK) {
        wave_free(w);
        return status;
    }
    *wave = w;
    return CW_OK;
}

static uint64_t tapped_value(const struct tapped *t)
{
    const char *base = (const char *)(t->port->dir == CW_PORT_IN ? t->tap->in : t->tap->out) + t->port->offset;
    uint64_t value = 0;
    if (t->port->words == 0) {
        memcpy(&value, base, sizeof value);
        return value;
    }
    const uint32_t words = t->port->words - t->word < 2 ? 1 : 2;
    memcpy(&value, base + 4 * t->word, 4 * words);
    return value;
}

static void sample(struct cw_wave *w, const struct cw_gpu *gpu, uint64_t cycle)
{
    const struct cw_stats *s = cw_gpu_stats(gpu);
    w->value[COUNT_CYCLE] = cycle;
    w->value[COUNT_INSTRUCTIONS] = s->warp_instructions;
    w->value[COUNT_COMMITTED] = s->tx_committed;
    w->value[COUNT_ABORTED] = s->tx_aborted;
    w->value[COUNT_STALLS] = s->vu_stalls;
    w->value[COUNT_BLOCKS] = s->blocks_finished;
    uint64_t *value = &w->value[COUNT_CNT];
    for (uint32_t core = 0; core < w->cores; core++)
        for (uint32_t warp = 0; warp < w->warps; warp++)
            *value++ = cw_core_warp_state(cw_gpu_core(gpu, core), warp);
    for (uint32_t i = w->tapped_first; i < w->signal_cnt; i++)
        w->value[i] = tapped_value(&w->tapped[i - w->tapped_first]);
}

void cw_wave_step(struct cw_wave *w, const struct cw_gpu *gpu, cw_time now)
{
    const uint64_t cycle = now / w->core_period;
    if (cycle < w->options.begin || cycle >= w->options.end)
        return;
    sample(w, gpu, cycle);
    w->plugin->dump(w->writer, now / w->units_per_us * 1000000u + now % w->units_per_us * 1000000u / w->units_per_us);
}

int cw_wave_close(struct cw_wave *w, bool keep, struct cw_error *err)
{
    if (w == NULL)
        return CW_OK;
    int status = CW_OK;
    w->plugin->close(w->writer);
    if (!keep)
        remove(w->temporary);
    else if (rename(w->temporary, w->path) != 0)
        status = cw_fail(err, CW_EIO, "%s: cannot rename %s to it", w->path, w->temporary);
    wave_free(w);
    return status;
}
