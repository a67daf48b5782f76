/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the machine, made from config.def, and of the mechanisms: names, values and their limits. Presets are in config_presets.c,
 * files in config_load.c. */
#include "base/config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/bits.h"
#include "base/config_private.h"
#include "base/machine.h"
#include "base/program.h"

#define NAME_MAX_LENGTH 63u

/* The machine's parameters as a key set; their values are the first fields of struct cw_config. */
static const struct cw_key machine_keys[] = {
#define X CW_KEY_NUMBER
#define P CW_KEY_POWER
#define E CW_KEY_CHOICE
#include "base/config.def"
#undef X
#undef E
};
static const struct cw_key_set machine = {.owner = "machine", .key = machine_keys, .key_cnt = CW_CONFIG__COUNT};
_Static_assert(offsetof(struct cw_config, preset) == CW_CONFIG__COUNT * sizeof(uint32_t), "parameters come first, without gaps");

/* One parameter of all: its key, and the place of its value. */
struct place {
    const struct cw_key_set *set;
    uint32_t number; /* of the set */
    size_t begin;    /* of the set's values in struct cw_config */
    uint32_t key;    /* in the set */
};

static const struct cw_key *key_of(const struct place *p)
{
    return &p->set->key[p->key];
}

/* Of its value in struct cw_config. */
static size_t offset_of(const struct place *p)
{
    return p->begin + p->key * sizeof(uint32_t);
}

static const void *value_of(const struct cw_config *config, const struct place *p)
{
    return (const char *)config + offset_of(p);
}

/* The machine's set is number 0. NULL: no more. */
static const struct cw_key_set *set_at(uint32_t index)
{
    return index == 0 ? &machine : cw_program.key_set_at(index - 1);
}

static const struct place first_place = {.set = &machine};

/* The first key of the next set. To look a set up takes a walk over the mechanisms, so who wants all keys goes from place to place. */
static void next_set(struct place *p)
{
    const size_t end = p->begin + p->set->key_cnt * sizeof(uint32_t);
    p->begin = p->number == 0 ? offsetof(struct cw_config, own) : end;
    p->set = set_at(++p->number);
    p->key = 0;
}

/* false: it was the last one. */
static bool next_place(struct place *p)
{
    p->key++;
    while (p->set != NULL && p->key >= p->set->key_cnt)
        next_set(p);
    return p->set != NULL;
}

uint32_t cw_config_count(void)
{
    uint32_t cnt = 0;
    for (struct place p = first_place; p.set != NULL; next_set(&p))
        cnt += p.set->key_cnt;
    return cnt < CW_CONFIG__MOST ? cnt : CW_CONFIG__MOST;
}

/* id < cw_config_count(). */
static struct place place_of(uint32_t id)
{
    struct place p = first_place;
    for (; id >= p.set->key_cnt; next_set(&p))
        id -= p.set->key_cnt;
    p.key = id;
    return p;
}

static void put(struct cw_config *config, const struct place *p, uint32_t value)
{
    memcpy((char *)config + offset_of(p), &value, sizeof value);
}

const void *cw_config_own(const struct cw_config *config, const struct cw_key_set *set)
{
    for (struct place p = first_place; p.set != NULL; next_set(&p))
        if (p.set == set)
            return value_of(config, &p);
    return NULL;
}

/* What a preset itself says of a parameter. */
static bool preset_says(const struct cw_config__preset *preset, const struct place *p, uint32_t *value, const char **source)
{
    for (uint32_t i = 0; p->set == &machine && i < preset->override_cnt; i++)
        if (preset->override[i].id == p->key) {
            *source = preset->override[i].source;
            *value = preset->override[i].value;
            return true;
        }
    for (uint32_t i = 0; i < p->set->preset_cnt; i++) {
        const struct cw_key_preset *own = &p->set->preset[i];
        if (own->key == p->key && strcmp(own->preset, preset->name) == 0) {
            *source = own->source;
            *value = own->value;
            return true;
        }
    }
    return false;
}

/* Value of a parameter in a preset, and where it comes from. */
static uint32_t preset_value(const struct cw_config__preset *preset, const struct place *p, const char **source)
{
    uint32_t value;
    for (; preset != NULL; preset = preset->base)
        if (preset_says(preset, p, &value, source))
            return value;
    *source = key_of(p)->source;
    return key_of(p)->value_default;
}

static int unknown_preset(const char *preset, struct cw_error *err)
{
    const char *const *list = cw_config_presets();
    uint32_t cnt = 0;
    while (list[cnt] != NULL)
        cnt++;
    const char *near = cw_nearest(preset, list, cnt);
    return cw_fail(err, CW_EINVAL, "unknown preset '%s'; %s%s%s", preset, near != NULL ? "did you mean '" : "'cowarp list' shows all",
                   near != NULL ? near : "", near != NULL ? "'?" : "");
}

/* All keys have their places in struct cw_config. */
static int check_room(struct cw_error *err)
{
    uint32_t cnt = 0;
    const struct cw_key_set *set;
    for (uint32_t i = 1; (set = set_at(i)) != NULL; i++) {
        cnt += set->key_cnt;
        if (cnt > CW_CONFIG_OWN)
            return cw_fail(err, CW_EINVAL,
                           "the mechanisms of this program have too many configuration keys: %" PRIu32 " up to those of %s, and there is "
                           "room for %u; enlarge CW_CONFIG_OWN in csim/base/config.h",
                           cnt, set->owner, CW_CONFIG_OWN);
    }
    return CW_OK;
}

int cw_config_preset(struct cw_config *config, const char *preset, struct cw_error *err)
{
    const struct cw_config__preset *p = cw_config__find_preset(preset);
    if (p == NULL)
        return unknown_preset(preset, err);
    int status = check_room(err);
    if (status != CW_OK)
        return status;
    memset(config, 0, sizeof *config);
    memcpy(config->preset, p->name, strlen(p->name) + 1);
    struct place place = first_place;
    do {
        const char *source;
        put(config, &place, preset_value(p, &place, &source));
    } while (next_place(&place));
    return CW_OK;
}

int cw_config_find(uint32_t *index, const char *name, struct cw_error *err)
{
    const char *names[CW_CONFIG__MOST];
    uint32_t cnt = 0;
    struct place p = first_place;
    do {
        names[cnt] = key_of(&p)->name;
        if (strcmp(names[cnt], name) == 0) {
            *index = cnt;
            return CW_OK;
        }
    } while (++cnt < CW_CONFIG__MOST && next_place(&p));
    const char *near = cw_nearest(name, names, cnt);
    return cw_fail(err, CW_EINVAL, "unknown parameter '%.80s'; %s%s%s", name, near != NULL ? "did you mean '" : "'cowarp config' shows all",
                   near != NULL ? near : "", near != NULL ? "'?" : "");
}

static void info_of(const struct cw_config *config, const struct place *p, struct cw_config_info *info)
{
    const struct cw_key *key = key_of(p);
    *info = (struct cw_config_info){
        .name = key->name, .minimum = key->minimum, .maximum = key->maximum, .words = key->words, .unit = key->unit, .what = key->what};
    memcpy(&info->value, value_of(config, p), sizeof info->value);
    const char *source;
    if (preset_value(cw_config__find_preset(config->preset), p, &source) != info->value)
        source = "set by the user";
    info->source = source;
}

void cw_config_info(const struct cw_config *config, uint32_t index, struct cw_config_info *info)
{
    const struct place place = place_of(index);
    info_of(config, &place, info);
}

const struct cw_key_set *cw_config_set_of(uint32_t index)
{
    const struct place place = place_of(index);
    return place.set != &machine ? place.set : NULL;
}

const char *cw_config_reader_needs(const struct cw_config *config, uint32_t index, const char *reader)
{
    const struct place p = place_of(index);
    if (p.set == &machine || p.set->needs == NULL)
        return NULL;
    struct place first = p;
    first.key = 0;
    return p.set->needs(config, value_of(config, &first), reader, p.key);
}

/* Length of word number n in "a|b|c", 0 when there are fewer. */
static uint32_t nth_word(const char *words, uint32_t n, const char **word)
{
    for (; n > 0; n--) {
        words = strchr(words, '|');
        if (words == NULL)
            return 0;
        words++;
    }
    *word = words;
    return (uint32_t)strcspn(words, "|");
}

void cw_config_value_text(const struct cw_config_info *info, char text[32])
{
    const char *word = "";
    if (info->words == NULL) {
        snprintf(text, 32, "%" PRIu32, info->value);
        return;
    }
    const uint32_t length = nth_word(info->words, info->value, &word);
    snprintf(text, 32, "%.*s", (int)length, word);
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* A TOML integer. *value saturates, so that a value of any size is answered with the range. */
static bool parse_integer(const char *text, bool *negative, uint64_t *value)
{
    *value = 0;
    *negative = *text == '-';
    if (*text == '-' || *text == '+')
        text++;
    const bool hex = text[0] == '0' && text[1] == 'x';
    const uint64_t base = hex ? 16 : 10;
    if (hex)
        text += 2;
    else if (text[0] == '0' && text[1] != '\0')
        return false; /* TOML knows no leading zeros: octal, or a slip? */
    bool digit_before = false;
    for (; *text != '\0'; text++) {
        if (*text == '_') {
            if (!digit_before)
                return false;
            digit_before = false;
            continue;
        }
        const uint64_t d = (uint64_t)digit_value(*text);
        if (d >= base)
            return false;
        *value = *value > UINT64_MAX / 32 ? UINT64_MAX / 2 : *value * base + d;
        digit_before = true;
    }
    return digit_before;
}

static int assign_word(struct cw_config *config, const struct place *place, const char *value, struct cw_error *err)
{
    const struct cw_key *p = key_of(place);
    const char *word;
    uint32_t length;
    for (uint32_t n = 0; (length = nth_word(p->words, n, &word)) > 0; n++)
        if (strlen(value) == length && memcmp(value, word, length) == 0) {
            put(config, place, n);
            return CW_OK;
        }
    return cw_fail(err, CW_EINVAL, "%s = '%.40s': takes one of %s", p->name, value, p->words);
}

int cw_config__assign(struct cw_config *config, uint32_t id, const char *value, struct cw_error *err)
{
    const struct place place = place_of(id);
    const struct cw_key *p = key_of(&place);
    uint64_t v;
    bool negative;
    if (p->words != NULL)
        return assign_word(config, &place, value, err);
    if (!parse_integer(value, &negative, &v))
        return cw_fail(err, CW_EINVAL, "%s = '%.40s': not a whole number (%s, %" PRIu32 " to %" PRIu32 ")", p->name, value, p->unit,
                       p->minimum, p->maximum);
    if ((negative && v > 0) || v < p->minimum || v > p->maximum)
        return cw_fail(err, CW_EINVAL, "%s = %.40s: out of range, %" PRIu32 " to %" PRIu32 " %s", p->name, value, p->minimum, p->maximum,
                       p->unit);
    put(config, &place, (uint32_t)v);
    return CW_OK;
}

int cw_config_find_assigned(uint32_t *index, const char *assignment, struct cw_error *err)
{
    char name[NAME_MAX_LENGTH + 1];
    const char *equals = strchr(assignment, '=');
    if (equals == NULL)
        return cw_fail(err, CW_EINVAL, "'%.80s': expected name=value, as in core.count=15", assignment);
    const size_t length = (size_t)(equals - assignment);
    if (length > NAME_MAX_LENGTH)
        return cw_fail(err, CW_EINVAL, "unknown parameter '%.80s'; 'cowarp config' shows all", assignment);
    memcpy(name, assignment, length);
    name[length] = '\0';
    return cw_config_find(index, name, err);
}

int cw_config_set(struct cw_config *config, const char *assignment, struct cw_error *err)
{
    uint32_t id;
    int status = cw_config_find_assigned(&id, assignment, err);
    return status == CW_OK ? cw_config__assign(config, id, strchr(assignment, '=') + 1, err) : status;
}

static int check_powers(const struct cw_config *c, struct cw_error *err)
{
    struct place place = first_place;
    do {
        uint32_t value;
        memcpy(&value, value_of(c, &place), sizeof value);
        if (key_of(&place)->power_of_two && !cw_is_power_of_two(value))
            return cw_fail(err, CW_EINVAL, "%s = %" PRIu32 ": must be a power of two", key_of(&place)->name, value);
    } while (next_place(&place));
    return CW_OK;
}

static int check_cache(const char *cache, uint32_t bytes, uint32_t ways, uint32_t line_bytes, struct cw_error *err)
{
    const uint32_t set_bytes = ways * line_bytes;
    if (bytes % set_bytes == 0)
        return CW_OK;
    return cw_fail(err, CW_EINVAL,
                   "%s.bytes = %" PRIu32 ": not a whole number of sets of %" PRIu32 " ways x %" PRIu32 " bytes; set a multiple of %" PRIu32,
                   cache, bytes, ways, line_bytes, set_bytes);
}

/* A cache that only reads, whose lines are parts of the others' lines. */
static int check_read_only(const char *cache, uint32_t bytes, uint32_t ways, uint32_t line_bytes, uint32_t mem_line, struct cw_error *err)
{
    if (bytes == 0)
        return CW_OK;
    if (line_bytes > mem_line)
        return cw_fail(err, CW_EINVAL, "%s.line_bytes = %" PRIu32 ": larger than mem.line_bytes = %" PRIu32 ", the line of the L2", cache,
                       line_bytes, mem_line);
    return check_cache(cache, bytes, ways, line_bytes, err);
}

/* A packet holds its buffer space as a whole, so one that does not fit would wait for ever. */
static int check_noc(const struct cw_config *c, struct cw_error *err)
{
    /* compare-and-swap of 32 lanes with two 64-bit operands each, and 4 bytes of offset per lane */
    const uint64_t largest = c->noc_header_bytes + CW_PACKET_ENTRIES * (8u + 8u + 4u);
    const uint64_t flits = (largest + c->noc_flit_bytes - 1) / c->noc_flit_bytes;
    const char *name = c->noc_in_flits < c->noc_out_flits ? "noc.in_flits" : "noc.out_flits";
    const uint32_t smaller = c->noc_in_flits < c->noc_out_flits ? c->noc_in_flits : c->noc_out_flits;
    if (c->noc_link_cores != 0 && c->noc_concentration != 1)
        return cw_fail(err, CW_EINVAL, "noc.link_cores = %" PRIu32 ": works with noc.concentration = 1 only, and not with %" PRIu32,
                       c->noc_link_cores, c->noc_concentration);
    if (c->noc_port_unit == CW_ON && flits > CW_PORT_FLITS)
        return cw_fail(err, CW_EUNSUP,
                       "noc.port_unit = on: a packet of %" PRIu64 " bytes has more than %u flits, which unit crossbar_port has not; set "
                       "noc.flit_bytes to at least %" PRIu64,
                       largest, CW_PORT_FLITS, (largest + CW_PORT_FLITS - 1) / CW_PORT_FLITS);
    if (smaller >= flits)
        return CW_OK;
    return cw_fail(err, CW_EINVAL,
                   "%s = %" PRIu32 ": a packet of %" PRIu64 " bytes does not fit; set at least %" PRIu64 " flits of %" PRIu32 " bytes",
                   name, smaller, largest, flits, c->noc_flit_bytes);
}

static int check_dram(const struct cw_config *c, struct cw_error *err)
{
    if (c->dram_bank_groups > c->dram_banks)
        return cw_fail(err, CW_EINVAL, "dram.bank_groups = %" PRIu32 ": more groups than dram.banks = %" PRIu32, c->dram_bank_groups,
                       c->dram_banks);
    if (c->dram_map == CW_DRAM_BANKS_LOW && (c->dram_banks < 2 || c->dram_row_bytes < c->partition_interleave))
        return cw_fail(err, CW_EINVAL,
                       "dram.map = banks: needs two banks or more, and rows of at least partition.interleave = %" PRIu32 " bytes",
                       c->partition_interleave);
    if (c->partition_count % c->dram_sharing != 0)
        return cw_fail(err, CW_EINVAL, "dram.sharing = %" PRIu32 ": does not divide partition.count = %" PRIu32, c->dram_sharing,
                       c->partition_count);
    if (c->dram_burst_bytes > c->mem_line_bytes)
        return cw_fail(err, CW_EINVAL, "dram.burst_bytes = %" PRIu32 ": a burst is at most one line of mem.line_bytes = %" PRIu32,
                       c->dram_burst_bytes, c->mem_line_bytes);
    if (c->dram_ccdl < c->dram_ccd)
        return cw_fail(err, CW_EINVAL, "dram.ccdl = %" PRIu32 ": same group, at least dram.ccd = %" PRIu32, c->dram_ccdl, c->dram_ccd);
    if (c->dram_rc < c->dram_ras)
        return cw_fail(err, CW_EINVAL, "dram.rc = %" PRIu32 ": a row cycle is at least dram.ras = %" PRIu32, c->dram_rc, c->dram_ras);
    return CW_OK;
}

/* All clock edges fall on whole units of 1 / lcm microseconds: with too large a multiple, 64 bits of time would soon run out. */
static int check_clocks(const struct cw_config *c, struct cw_error *err)
{
    const uint32_t mhz[] = {c->clock_core_mhz, c->clock_noc_mhz, c->clock_l2_mhz, c->clock_cu_mhz, c->clock_dram_mhz};
    uint64_t lcm = 1;
    for (uint32_t i = 0; i < sizeof mhz / sizeof mhz[0]; i++) {
        uint64_t a = lcm, b = mhz[i];
        while (b != 0) {
            const uint64_t r = a % b;
            a = b;
            b = r;
        }
        lcm = lcm / a * mhz[i];
        if (lcm > UINT64_C(1000000000000))
            return cw_fail(err, CW_EINVAL, "clock.*: the frequencies' least common multiple is above 10^12; use rounder numbers of MHz");
    }
    return CW_OK;
}

static int check_watchdog(const struct cw_config *c, struct cw_error *err)
{
    if (c->watchdog_livelock_cycles < c->watchdog_cycles)
        return cw_fail(err, CW_EINVAL, "watchdog.livelock_cycles = %" PRIu32 ": below watchdog.cycles = %" PRIu32,
                       c->watchdog_livelock_cycles, c->watchdog_cycles);
    return CW_OK;
}

int cw_config_check(const struct cw_config *config, struct cw_error *err)
{
    int status = check_powers(config, err);
    if (status == CW_OK)
        status = check_cache("l1", config->l1_bytes, config->l1_ways, config->mem_line_bytes, err);
    if (status == CW_OK)
        status = check_read_only("icache", config->icache_bytes, config->icache_ways, config->mem_line_bytes, config->mem_line_bytes, err);
    if (status == CW_OK)
        status = check_read_only("const", config->const_bytes, config->const_ways, config->const_line_bytes, config->mem_line_bytes, err);
    if (status == CW_OK)
        status = check_read_only("texture", config->texture_bytes, config->texture_ways, config->texture_line_bytes, config->mem_line_bytes,
                                 err);
    if (status == CW_OK)
        status = check_cache("l2", config->l2_bytes, config->l2_ways, config->mem_line_bytes, err);
    if (status == CW_OK)
        status = check_noc(config, err);
    if (status == CW_OK)
        status = check_dram(config, err);
    if (status == CW_OK)
        status = check_clocks(config, err);
    if (status == CW_OK)
        status = check_watchdog(config, err);
    for (struct place p = first_place; status == CW_OK && p.set != NULL; next_set(&p))
        if (p.set->check != NULL)
            status = p.set->check(config, value_of(config, &p), err);
    return status;
}

/* Length of the table's name in a key's: 4 of "core.count". */
static size_t table_length(const struct place *p)
{
    const char *name = key_of(p)->name;
    return (size_t)(strrchr(name, '.') - name);
}

static bool same_table(const struct place *a, const struct place *b)
{
    const size_t length = table_length(a);
    return length == table_length(b) && memcmp(key_of(a)->name, key_of(b)->name, length) == 0;
}

/* Whether no parameter before it is of its table. A mechanism may have keys in a table of the machine's. */
static bool begins_table(const struct place *p)
{
    struct place before = first_place;
    while (!same_table(&before, p))
        next_place(&before);
    return before.set == p->set && before.key == p->key;
}

static void write_key(const struct cw_config *config, const struct place *place, FILE *out)
{
    struct cw_config_info info;
    char value[32];
    info_of(config, place, &info);
    cw_config_value_text(&info, value);
    const char *key = info.name + table_length(place) + 1;
    fprintf(out, "# %s\n# source: %s\n", info.what, info.source);
    if (info.words != NULL)
        fprintf(out, "%s = \"%s\" # %s\n", key, value, info.words);
    else
        fprintf(out, "%s = %s # %s, %" PRIu32 " to %" PRIu32 "\n", key, value, info.unit, info.minimum, info.maximum);
}

/* All keys of the table that begins here: TOML has each table once. */
static void write_table(const struct cw_config *config, const struct place *first, FILE *out)
{
    fprintf(out, "\n[%.*s]\n", (int)table_length(first), key_of(first)->name);
    struct place place = *first;
    do {
        if (same_table(first, &place))
            write_key(config, &place, out);
    } while (next_place(&place));
}

void cw_config_write(const struct cw_config *config, FILE *out)
{
    fprintf(out,
            "# Machine parameters; started from the preset %s.\n"
            "# Sources: [art] is the published simulator of the papers' authors; \"model\" is this simulator's own choice.\n",
            config->preset);
    struct place place = first_place;
    do {
        if (begins_table(&place))
            write_table(config, &place, out);
    } while (next_place(&place));
}
