/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "wave/signals.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "-" first: a channel's word shows only where something happens, a unit's idle cycles stay empty. */
static const char *const warp_states[] = {"free", "ready", "scoreboard", "barrier", "memory", "tx_wait", "tx_commit", "back_off"};
static const char *const kinds[] = {"load", "store", "release", "reserved"};
static const char *const outcomes[] = {"success", "abort", "full", "rollover"};
static const char *const requests[] = {"-", "load", "store", "release", "reserved", "wait"};
static const char *const responses[] = {"-", "success", "abort", "full", "rollover", "wait"};
static const char *const entries[] = {"check", "record", "none", "none"};
static const char *const accesses[] = {"read", "write"};
static const char *const steps[] = {"mark", "check_read", "check_write", "end"};
static const char *const messages[] = {"fill", "done", "skip", "outcome"};
static const char *const entry_channel[] = {"-", "check", "record", "none", "none", "wait"};
static const char *const operation_channel[] = {"-", "check", "record", "wait"};
static const char *const access_channel[] = {"-", "read", "write", "wait"};
static const char *const step_channel[] = {"-", "mark", "check_read", "check_write", "end", "wait"};
static const char *const message_channel[] = {"-", "fill", "done", "skip", "outcome", "wait"};
static const char *const oldest_states[] = {"empty",      "fill",    "hazard", "validate", "pass",
                                            "revalidate", "outcome", "commit", "write",    "retire"};

enum {
    ENUM_WARP,
    ENUM_KIND,
    ENUM_OUTCOME,
    ENUM_REQUEST,
    ENUM_RESPONSE,
    ENUM_ENTRY,
    ENUM_HISTORY,
    ENUM_ACCESS,
    ENUM_STEP,
    ENUM_MESSAGE,
    ENUM_OLDEST,
    ENUM_ENTRY_CHANNEL,
    ENUM_HISTORY_CHANNEL,
    ENUM_ACCESS_CHANNEL,
    ENUM_STEP_CHANNEL,
    ENUM_MESSAGE_CHANNEL,
    ENUM_CNT
};
static const struct cw_wave_enum enums[ENUM_CNT] = {
    [ENUM_WARP] = {"warp_state", 8, warp_states},
    [ENUM_KIND] = {"validation_kind", 4, kinds},
    [ENUM_OUTCOME] = {"validation_outcome", 4, outcomes},
    [ENUM_REQUEST] = {"validation_request", 6, requests},
    [ENUM_RESPONSE] = {"validation_response", 6, responses},
    [ENUM_ENTRY] = {"hazard_kind", 4, entries},
    [ENUM_HISTORY] = {"history_kind", 2, entries},
    [ENUM_ACCESS] = {"access_kind", 2, accesses},
    [ENUM_STEP] = {"ownership_kind", 4, steps},
    [ENUM_MESSAGE] = {"commit_kind", 4, messages},
    [ENUM_OLDEST] = {"commit_state", 10, oldest_states},
    [ENUM_ENTRY_CHANNEL] = {"hazard_entry", 6, entry_channel},
    [ENUM_HISTORY_CHANNEL] = {"history_operation", 4, operation_channel},
    [ENUM_ACCESS_CHANNEL] = {"access_operation", 4, access_channel},
    [ENUM_STEP_CHANNEL] = {"ownership_operation", 6, step_channel},
    [ENUM_MESSAGE_CHANNEL] = {"commit_message", 6, message_channel},
};

/* Ports that are shown as words. */
static const struct {
    const char *unit, *port;
    int32_t enum_index;
} port_enums[] = {
    {"validation_unit", "req_kind", ENUM_KIND},      {"validation_unit", "rsp_outcome", ENUM_OUTCOME},
    {"hazard_unit", "ent_kind", ENUM_ENTRY},         {"last_writer_history", "op_write", ENUM_HISTORY},
    {"last_written_table", "op_write", ENUM_ACCESS}, {"ownership_table", "op_kind", ENUM_STEP},
    {"commit_unit", "msg_kind", ENUM_MESSAGE},       {"commit_unit", "oldest_state", ENUM_OLDEST},
};

/* Channels that get a signal of their own: "-" without valid, "wait" without ready, else the word. */
static const struct channel {
    const char *unit, *name, *valid, *ready, *word;
    int32_t enum_index;
} channels[] = {
    {"validation_unit", "request", "req_valid", "req_ready", "req_kind", ENUM_REQUEST},
    {"validation_unit", "response", "rsp_valid", "rsp_ready", "rsp_outcome", ENUM_RESPONSE},
    {"hazard_unit", "entry", "ent_valid", "ent_ready", "ent_kind", ENUM_ENTRY_CHANNEL},
    {"last_writer_history", "operation", "op_valid", "op_ready", "op_write", ENUM_HISTORY_CHANNEL},
    {"last_written_table", "operation", "op_valid", "op_ready", "op_write", ENUM_ACCESS_CHANNEL},
    {"ownership_table", "operation", "op_valid", "op_ready", "op_kind", ENUM_STEP_CHANNEL},
    {"commit_unit", "message", "msg_valid", "msg_ready", "msg_kind", ENUM_MESSAGE_CHANNEL},
};
#define CHANNEL_CNT (sizeof channels / sizeof channels[0])

static const char *const clock_names[CW_DOMAIN_COUNT] = {
    [CW_DOMAIN_CORE] = "core_cycle", [CW_DOMAIN_NOC] = "noc_cycle",   [CW_DOMAIN_L2] = "l2_cycle",
    [CW_DOMAIN_CU] = "cu_cycle",     [CW_DOMAIN_DRAM] = "dram_cycle",
};

/* Statistics that are worth a line, under the names that the statistics file gives them. */
#define COUNTERS(X) TX_COUNTERS(X) VU_COUNTERS(X) CU_COUNTERS(X)
#define TX_COUNTERS(X)   \
    X(blocks_finished)   \
    X(warp_instructions) \
    X(tx_begun)          \
    X(tx_committed)      \
    X(tx_aborted) X(tx_aborted_intra_warp) X(tx_aborted_validation) X(tx_aborted_early)
#define VU_COUNTERS(X)      X(vu_requests) X(vu_stalls) X(vu_retries) X(vu_evictions)
#define CU_COUNTERS(X)      X(tx_silent) X(tx_silent_failed) X(cu_entries) X(cu_hazards) X(eapg_broadcasts) X(eapg_pauses)
#define COUNTER_NAME(field) #field,
static const char *const counter_names[] = {COUNTERS(COUNTER_NAME)};
#define COUNTER_CNT (sizeof counter_names / sizeof counter_names[0])

/* A port, 64 bits of a wide port, or a channel. */
struct cw_wave__shown {
    const struct cw_tap *tap;
    const struct cw_port *port;          /* of a channel: its word */
    uint32_t word;                       /* of a wide port: from this 32-bit word on */
    const struct cw_port *valid, *ready; /* channels only */
    uint32_t wait;                       /* number of "wait" */
};

/* A new string, or NULL when out of memory. */
static char *text_of(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *text_of(const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;
    va_start(ap, fmt);
    const int length = vasprintf(&text, fmt, ap);
    va_end(ap);
    return length >= 0 ? text : NULL;
}

/* Takes over name, which is NULL when memory ran out for it; scope is copied. */
static void add_signal(struct cw_wave_signals *s, const char *scope, char *name, uint32_t bits, int32_t enum_index)
{
    const uint32_t i = s->signal_cnt++;
    char *own_scope = text_of("%s", scope);
    s->text[2 * i] = own_scope;
    s->text[2 * i + 1] = name;
    s->incomplete = s->incomplete || own_scope == NULL || name == NULL;
    s->signal[i] = (struct cw_wave_signal){own_scope, name, bits, &s->value[i], enum_index};
}

static void add_chip_signals(struct cw_wave_signals *s)
{
    const struct cw_config *c = cw_gpu_config(s->gpu);
    char scope[32]; /* of a number */
    for (int i = 0; i < CW_DOMAIN_COUNT; i++)
        add_signal(s, "cowarp", text_of("%s", clock_names[i]), 64, -1);
    for (size_t i = 0; i < COUNTER_CNT; i++)
        add_signal(s, "cowarp", text_of("%s", counter_names[i]), 64, -1);
    for (uint32_t core = 0; core < c->core_count; core++)
        for (uint32_t warp = 0; warp < c->core_warps; warp++) {
            snprintf(scope, sizeof scope, "cowarp core%u", core);
            add_signal(s, scope, text_of("warp%u", warp), 3, ENUM_WARP);
        }
}

static uint32_t count_chip_signals(const struct cw_config *c)
{
    return CW_DOMAIN_COUNT + (uint32_t)COUNTER_CNT + c->core_count * c->core_warps;
}

static const struct cw_port *find_port(const struct cw_tap *tap, const char *name)
{
    for (uint32_t p = 0; p < tap->unit->port_cnt; p++)
        if (strcmp(tap->port[p].name, name) == 0)
            return &tap->port[p];
    return NULL;
}

static int32_t enum_of(const struct cw_unit *unit, const char *port)
{
    for (size_t i = 0; i < sizeof port_enums / sizeof port_enums[0]; i++)
        if (strcmp(port_enums[i].unit, unit->name) == 0 && strcmp(port_enums[i].port, port) == 0)
            return port_enums[i].enum_index;
    return -1;
}

static struct cw_wave__shown *next_shown(struct cw_wave_signals *s)
{
    return &s->shown[s->signal_cnt - s->tapped_first];
}

static void add_channels(struct cw_wave_signals *s, const struct cw_tap *tap, const char *scope)
{
    for (size_t i = 0; i < CHANNEL_CNT; i++) {
        const struct channel *c = &channels[i];
        if (strcmp(c->unit, tap->unit->name) != 0)
            continue;
        *next_shown(s) = (struct cw_wave__shown){
            tap, find_port(tap, c->word), 0, find_port(tap, c->valid), find_port(tap, c->ready), enums[c->enum_index].cnt - 1};
        add_signal(s, scope, text_of("%s", c->name), 3, c->enum_index);
    }
}

/* "partition2.validation_unit" becomes the scope "cowarp partition2 validation_unit". */
static void add_tap_signals(struct cw_wave_signals *s, const struct cw_tap *tap)
{
    char *scope = text_of("cowarp %s", tap->name);
    if (scope == NULL) {
        s->incomplete = true;
        return;
    }
    for (char *c = scope; *c != '\0'; c++)
        if (*c == '.')
            *c = ' ';
    add_channels(s, tap, scope);
    for (uint32_t p = 0; p < tap->unit->port_cnt; p++) {
        const struct cw_port *port = &tap->port[p];
        for (uint32_t word = 0; word == 0 || word < port->words; word += 2) {
            const uint32_t left = port->width - 32 * word;
            char *name = port->width > 64 ? text_of("%s_%u", port->name, 32 * word) : text_of("%s", port->name);
            *next_shown(s) = (struct cw_wave__shown){.tap = tap, .port = port, .word = word};
            add_signal(s, scope, name, left > 64 ? 64 : left, enum_of(tap->unit, port->name));
        }
    }
    free(scope);
}

static uint32_t count_tap_signals(const struct cw_taps *taps)
{
    uint32_t n = 0;
    for (uint32_t t = 0; taps != NULL && t < cw_taps_count(taps); t++) {
        const struct cw_tap *tap = cw_taps_at(taps, t);
        n += CHANNEL_CNT;
        for (uint32_t p = 0; p < tap->unit->port_cnt; p++)
            n += tap->port[p].words <= 2 ? 1 : (tap->port[p].words + 1) / 2;
    }
    return n;
}

int cw_wave_signals_create(struct cw_wave_signals *s, const struct cw_gpu *gpu, const struct cw_taps *taps, bool trigger,
                           struct cw_error *err)
{
    const uint32_t tapped = count_tap_signals(taps);
    const uint32_t all = (gpu != NULL ? count_chip_signals(cw_gpu_config(gpu)) : 0) + tapped + trigger;
    *s = (struct cw_wave_signals){.enums = enums, .enum_cnt = ENUM_CNT, .gpu = gpu};
    s->signal = calloc(all + 1u, sizeof *s->signal);
    s->value = calloc(all + 1u, sizeof *s->value);
    s->text = calloc(2 * (size_t)all + 1, sizeof *s->text);
    s->shown = calloc(tapped + 1u, sizeof *s->shown);
    if (s->signal == NULL || s->value == NULL || s->text == NULL || s->shown == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    if (gpu != NULL)
        add_chip_signals(s);
    s->tapped_first = s->signal_cnt;
    for (uint32_t t = 0; taps != NULL && t < cw_taps_count(taps); t++)
        add_tap_signals(s, cw_taps_at(taps, t));
    s->tapped_end = s->signal_cnt;
    if (trigger)
        add_signal(s, "cowarp", text_of("trigger"), 1, -1);
    return s->incomplete ? cw_fail(err, CW_ENOMEM, "out of memory") : CW_OK;
}

void cw_wave_signals_destroy(struct cw_wave_signals *s)
{
    for (uint32_t i = 0; s->text != NULL && i < 2 * s->signal_cnt; i++)
        free(s->text[i]);
    free(s->signal);
    free(s->value);
    free(s->text);
    free(s->shown);
}

static uint64_t port_value(const struct cw_tap *tap, const struct cw_port *port, uint32_t word)
{
    const char *base = (const char *)(port->dir == CW_PORT_IN ? tap->in : tap->out) + port->offset;
    uint64_t value = 0;
    if (port->words == 0)
        memcpy(&value, base, sizeof value);
    else
        memcpy(&value, base + 4 * word, port->words - word < 2 ? 4 : 8);
    return value;
}

static uint64_t shown_value(const struct cw_wave__shown *v)
{
    const uint64_t value = port_value(v->tap, v->port, v->word);
    if (v->valid == NULL)
        return value;
    if (port_value(v->tap, v->valid, 0) == 0)
        return 0;
    return port_value(v->tap, v->ready, 0) == 0 ? v->wait : value + 1;
}

void cw_wave_sample_clocks(struct cw_wave_signals *s, cw_time now)
{
    const struct cw_clocks *clocks = cw_gpu_clocks(s->gpu);
    for (int i = 0; i < CW_DOMAIN_COUNT; i++)
        s->value[i] = now / clocks->period[i];
}

void cw_wave_sample_chip(struct cw_wave_signals *s)
{
    const struct cw_config *c = cw_gpu_config(s->gpu);
    const struct cw_stats *stats = cw_gpu_stats(s->gpu);
    uint64_t *value = s->value + CW_DOMAIN_COUNT;
#define COUNTER_VALUE(field) *value++ = stats->field;
    COUNTERS(COUNTER_VALUE)
    for (uint32_t core = 0; core < c->core_count; core++)
        for (uint32_t warp = 0; warp < c->core_warps; warp++)
            *value++ = cw_core_warp_state(cw_gpu_core(s->gpu, core), warp);
}

void cw_wave_sample_units(struct cw_wave_signals *s)
{
    for (uint32_t i = s->tapped_first; i < s->tapped_end; i++)
        s->value[i] = shown_value(&s->shown[i - s->tapped_first]);
}

void cw_wave_sample_trigger(struct cw_wave_signals *s)
{
    s->value[s->tapped_end] = 1;
}

bool cw_wave_word_value(const struct cw_unit *unit, const char *port, const char *word, uint64_t *value)
{
    const int32_t index = enum_of(unit, port);
    for (uint32_t i = 0; index >= 0 && i < enums[index].cnt; i++)
        if (strcmp(enums[index].value[i], word) == 0) {
            *value = i;
            return true;
        }
    return false;
}
