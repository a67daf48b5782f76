/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "wave/signals.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/look.h"

static const char *const warp_states[] = {"free", "ready", "scoreboard", "barrier", "memory", "tx_wait", "tx_commit", "back_off"};
static const struct cw_wave_enum warp_enum = {"warp_state", 8, warp_states};
#define ENUM_WARP 0

static const char *const clock_names[CW_DOMAIN_COUNT] = {
    [CW_DOMAIN_CORE] = "core_cycle", [CW_DOMAIN_NOC] = "noc_cycle",   [CW_DOMAIN_L2] = "l2_cycle",
    [CW_DOMAIN_CU] = "cu_cycle",     [CW_DOMAIN_DRAM] = "dram_cycle",
};

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
    for (uint32_t i = 0; i < cw_stats_count(); i++)
        if (cw_stats_counter(i)->shown) {
            s->counter[s->counter_cnt++] = cw_stats_value(cw_gpu_stats(s->gpu), i);
            add_signal(s, "cowarp", text_of("%s", cw_stats_counter(i)->name), 64, -1);
        }
    for (uint32_t core = 0; core < c->core_count; core++)
        for (uint32_t warp = 0; warp < c->core_warps; warp++) {
            snprintf(scope, sizeof scope, "cowarp core%u", core);
            add_signal(s, scope, text_of("warp%u", warp), 3, ENUM_WARP);
        }
}

static uint32_t count_chip_signals(const struct cw_config *c)
{
    return CW_DOMAIN_COUNT + cw_stats_count() + c->core_count * c->core_warps;
}

static const struct cw_port_words *words_of(const struct cw_unit *unit, const char *port)
{
    for (const struct cw_port_words *w = unit->words; w != NULL && w->port != NULL; w++)
        if (strcmp(w->port, port) == 0)
            return w;
    return NULL;
}

/* The enum of this name, -1 when there is none. */
static int32_t find_enum(const struct cw_wave_signals *s, const char *name)
{
    for (uint32_t i = 0; i < s->enum_cnt; i++)
        if (strcmp(s->enums[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

/* "-" comes first: the word shows only where something happens, and the idle cycles of a unit stay empty. */
static void add_channel_enum(struct cw_wave_signals *s, const struct cw_unit *unit, const struct cw_unit_channel *c)
{
    const struct cw_port_words *w = &unit->words[c->words];
    const char **word = s->word + s->word_cnt;
    if (find_enum(s, c->type) >= 0)
        return;
    s->word[s->word_cnt++] = "-";
    for (uint32_t i = 0; i < w->word_cnt; i++)
        s->word[s->word_cnt++] = w->word[i];
    s->word[s->word_cnt++] = "wait";
    s->enums[s->enum_cnt++] = (struct cw_wave_enum){c->type, w->word_cnt + 2, word};
}

/* Units of one kind share their enums. */
static void add_enums(struct cw_wave_signals *s, const struct cw_unit *unit)
{
    for (const struct cw_port_words *w = unit->words; w != NULL && w->port != NULL; w++)
        if (find_enum(s, w->type) < 0)
            s->enums[s->enum_cnt++] = (struct cw_wave_enum){w->type, w->word_cnt, w->word};
    for (const struct cw_unit_channel *c = unit->channels; c != NULL && c->name != NULL; c++)
        add_channel_enum(s, unit, c);
}

/* Bits that hold all words; three at least, so that most channels look alike. */
static uint32_t enum_bits(uint32_t cnt)
{
    uint32_t bits = 3;
    while (cnt > 1u << bits)
        bits++;
    return bits;
}

static struct cw_wave__shown *next_shown(struct cw_wave_signals *s)
{
    return &s->shown[s->signal_cnt - s->tapped_first];
}

static void add_channels(struct cw_wave_signals *s, const struct cw_tap *tap, const char *scope)
{
    for (const struct cw_unit_channel *c = tap->unit->channels; c != NULL && c->name != NULL; c++) {
        const int32_t words = find_enum(s, c->type);
        const uint32_t cnt = s->enums[words].cnt;
        const struct cw_port *word = &tap->port[tap->unit->words[c->words].index];
        *next_shown(s) = (struct cw_wave__shown){tap, word, 0, &tap->port[c->valid], &tap->port[c->ready], cnt - 1};
        add_signal(s, scope, text_of("%s", c->name), enum_bits(cnt), words);
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
            const struct cw_port_words *words = words_of(tap->unit, port->name);
            add_signal(s, scope, name, left > 64 ? 64 : left, words != NULL ? find_enum(s, words->type) : -1);
        }
    }
    free(scope);
}

static uint32_t count_tap_signals(const struct cw_taps *taps)
{
    uint32_t n = 0;
    for (uint32_t t = 0; taps != NULL && t < cw_taps_count(taps); t++) {
        const struct cw_tap *tap = cw_taps_at(taps, t);
        for (const struct cw_unit_channel *c = tap->unit->channels; c != NULL && c->name != NULL; c++)
            n++;
        for (uint32_t p = 0; p < tap->unit->port_cnt; p++)
            n += tap->port[p].words <= 2 ? 1 : (tap->port[p].words + 1) / 2;
    }
    return n;
}

/* At most so many enums, and words of channels. */
static void count_words(const struct cw_taps *taps, uint32_t *enums, uint32_t *words)
{
    *enums = 1;
    *words = 0;
    for (uint32_t t = 0; taps != NULL && t < cw_taps_count(taps); t++) {
        const struct cw_unit *unit = cw_taps_at(taps, t)->unit;
        for (const struct cw_port_words *w = unit->words; w != NULL && w->port != NULL; w++)
            ++*enums;
        for (const struct cw_unit_channel *c = unit->channels; c != NULL && c->name != NULL; c++) {
            ++*enums;
            *words += unit->words[c->words].word_cnt + 2;
        }
    }
}

static bool make_room(struct cw_wave_signals *s, const struct cw_taps *taps, uint32_t all, uint32_t tapped)
{
    uint32_t enums, words;
    count_words(taps, &enums, &words);
    s->signal = calloc(all + 1u, sizeof *s->signal);
    s->value = calloc(all + 1u, sizeof *s->value);
    s->text = calloc(2 * (size_t)all + 1, sizeof *s->text);
    s->shown = calloc(tapped + 1u, sizeof *s->shown);
    s->enums = calloc(enums, sizeof *s->enums);
    s->word = calloc(words + 1u, sizeof *s->word);
    s->counter = calloc(cw_stats_count() + 1u, sizeof *s->counter);
    return s->signal != NULL && s->value != NULL && s->text != NULL && s->shown != NULL && s->enums != NULL && s->word != NULL &&
           s->counter != NULL;
}

int cw_wave_signals_create(struct cw_wave_signals *s, const struct cw_gpu *gpu, const struct cw_taps *taps, bool trigger,
                           struct cw_error *err)
{
    const uint32_t tapped = count_tap_signals(taps);
    const uint32_t all = (gpu != NULL ? count_chip_signals(cw_gpu_config(gpu)) : 0) + tapped + trigger;
    *s = (struct cw_wave_signals){.gpu = gpu};
    if (!make_room(s, taps, all, tapped))
        return cw_fail(err, CW_ENOMEM, "out of memory");
    s->enums[s->enum_cnt++] = warp_enum;
    for (uint32_t t = 0; taps != NULL && t < cw_taps_count(taps); t++)
        add_enums(s, cw_taps_at(taps, t)->unit);
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
    free(s->enums);
    free(s->word);
    free(s->counter);
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
    uint64_t *value = s->value + CW_DOMAIN_COUNT;
    cw_gpu_stats(s->gpu); /* brings the counters up to date that the pointers are to */
    for (uint32_t i = 0; i < s->counter_cnt; i++)
        *value++ = *s->counter[i];
    for (uint32_t core = 0; core < c->core_count; core++)
        for (uint32_t warp = 0; warp < c->core_warps; warp++)
            *value++ = cw_look_state(cw_core_look(cw_gpu_core(s->gpu, core)), warp);
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
    const struct cw_port_words *w = words_of(unit, port);
    for (uint32_t i = 0; w != NULL && i < w->word_cnt; i++)
        if (strcmp(w->word[i], word) == 0) {
            *value = i;
            return true;
        }
    return false;
}
