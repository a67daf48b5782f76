/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/mech.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "mech/mechs.h"
#include "mem/address.h"
#include "mem/partition.h"

#define READERS_MAX   32u
#define READERS_BYTES 200u

const struct cw_mech *cw_mech_find(const char *name)
{
    for (uint32_t i = 0; cw_mechs[i] != NULL; i++)
        if (strcmp(cw_mechs[i]->name, name) == 0)
            return cw_mechs[i];
    return NULL;
}

uint32_t cw_mech_cnt(void)
{
    uint32_t cnt = 0;
    while (cw_mechs[cnt] != NULL)
        cnt++;
    return cnt;
}

void cw_mech_intrinsics(const struct cw_intrinsic **list)
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; cw_mechs[i] != NULL; i++) {
        const struct cw_intrinsic *own = cw_mechs[i]->intrinsic;
        uint32_t k = 0;
        while (k < cnt && list[k] != own)
            k++;
        if (own != NULL && k == cnt)
            list[cnt++] = own;
    }
    list[cnt] = NULL;
}

const struct cw_mech_unit *cw_mech_unit_of(const struct cw_mech *mech, const struct cw_unit *unit)
{
    for (uint32_t k = 0; k < mech->unit_cnt; k++)
        if (mech->unit[k].unit == unit)
            return &mech->unit[k];
    return NULL;
}

const struct cw_mech_unit *cw_control_unit_of(const struct cw_control_ops *control, const struct cw_unit *unit)
{
    for (uint32_t k = 0; k < control->unit_cnt; k++)
        if (control->unit[k].unit == unit)
            return &control->unit[k];
    return NULL;
}

/* What brings units, keys and counters. */
struct contributor {
    const struct cw_mech_unit *unit;
    uint32_t unit_cnt;
    const struct cw_key_set *const *keys;
    const struct cw_counter_set *const *counters;
};

#define CONTRIBUTORS_MAX 64u

/* The mechanisms, behind them the control policies, and the memory partition. Returns how many. */
static uint32_t contributors(struct contributor all[CONTRIBUTORS_MAX])
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; cw_mechs[i] != NULL; i++) {
        assert(cnt < CONTRIBUTORS_MAX);
        all[cnt++] = (struct contributor){cw_mechs[i]->unit, cw_mechs[i]->unit_cnt, cw_mechs[i]->keys, cw_mechs[i]->counters};
    }
    for (uint32_t i = 0; cw_controls[i] != NULL; i++) {
        assert(cnt + 1 < CONTRIBUTORS_MAX);
        all[cnt++] = (struct contributor){cw_controls[i]->unit, cw_controls[i]->unit_cnt, cw_controls[i]->keys, cw_controls[i]->counters};
    }
    all[cnt++] = (struct contributor){.unit = cw_partition_units, .unit_cnt = CW_PARTITION_UNITS};
    return cnt;
}

/* Item number i of one kind that a contributor has; NULL: no more. */
typedef const void *(*item_fn)(const struct contributor *b, uint32_t i);

static const void *unit_of(const struct contributor *b, uint32_t i)
{
    return i < b->unit_cnt ? b->unit[i].unit : NULL;
}

static const void *keys_of(const struct contributor *b, uint32_t i)
{
    return b->keys != NULL ? b->keys[i] : NULL;
}

static const void *counters_of(const struct contributor *b, uint32_t i)
{
    return b->counters != NULL ? b->counters[i] : NULL;
}

/* Whether one of these has it. */
static bool is_seen(const struct contributor *before, uint32_t cnt, item_fn items, const void *item)
{
    for (uint32_t m = 0; m < cnt; m++)
        for (uint32_t k = 0; items(&before[m], k) != NULL; k++)
            if (items(&before[m], k) == item)
                return true;
    return false;
}

/* Item number `index` of all contributors, each counted where it comes first; *at: of its contributor. */
static const void *item_at(uint32_t index, item_fn items, struct contributor *b, uint32_t *at)
{
    struct contributor all[CONTRIBUTORS_MAX];
    const uint32_t cnt = contributors(all);
    for (uint32_t m = 0; m < cnt; m++)
        for (*at = 0; items(&all[m], *at) != NULL; ++*at)
            if (!is_seen(all, m, items, items(&all[m], *at)) && index-- == 0) {
                *b = all[m];
                return items(b, *at);
            }
    return NULL;
}

const struct cw_mech_unit *cw_mech_unit_at(uint32_t i)
{
    struct contributor b;
    uint32_t at;
    return item_at(i, unit_of, &b, &at) != NULL ? &b.unit[at] : NULL;
}

const struct cw_key_set *cw_mech_key_set_at(uint32_t index)
{
    struct contributor b;
    uint32_t at;
    return item_at(index, keys_of, &b, &at);
}

const struct cw_counter_set *cw_mech_counter_set_at(uint32_t index)
{
    struct contributor b;
    uint32_t at;
    return item_at(index, counters_of, &b, &at);
}

static int check_pair(const struct cw_mech *a, const struct cw_mech *b, struct cw_error *err)
{
    if (a == b)
        return cw_fail(err, CW_EINVAL, "mechanism %s is named twice", a->name);
    if (a->system && b->system)
        return cw_fail(err, CW_EINVAL, "%s and %s are both transactional systems; a GPU has one", a->name, b->name);
    if (a->persistency && b->persistency)
        return cw_fail(err, CW_EINVAL, "%s and %s are both persistency models; a GPU has one", a->name, b->name);
    if (a->persistency && b->system && strcmp(a->name, CW_MECH_PERSISTENCY_NONE) != 0)
        return cw_fail(err, CW_EINVAL,
                       "persistency model %s cannot be combined with transactional system %s: both decide when a store "
                       "reaches memory",
                       a->name, b->name);
    for (const struct cw_mech_exclusion *x = a->excludes; x != NULL && x->name != NULL; x++)
        if (strcmp(x->name, b->name) == 0)
            return cw_fail(err, CW_EINVAL, "%s cannot be combined with %s: %s", a->name, b->name, x->why);
    return CW_OK;
}

int cw_mechs_check(const struct cw_mech *const *mechs, struct cw_error *err)
{
    int status = cw_stats_check(err);
    for (uint32_t i = 0; mechs[i] != NULL; i++)
        for (uint32_t k = i + 1; mechs[k] != NULL && status == CW_OK; k++) {
            status = check_pair(mechs[i], mechs[k], err);
            if (status == CW_OK)
                status = check_pair(mechs[k], mechs[i], err);
        }
    return status;
}

static bool has_keys(const struct cw_key_set *const *keys, const struct cw_key_set *set)
{
    for (uint32_t i = 0; keys != NULL && keys[i] != NULL; i++)
        if (keys[i] == set)
            return true;
    return false;
}

/* "--system kilotm, warptm or eapg": all that have the set, by the option that chooses them. */
static void name_readers(char text[READERS_BYTES], const struct cw_key_set *set)
{
    const char *name[READERS_MAX], *option = "--mech";
    uint32_t cnt = 0;
    size_t used;
    for (uint32_t i = 0; cw_mechs[i] != NULL && cnt < READERS_MAX; i++)
        if (has_keys(cw_mechs[i]->keys, set)) {
            option = cw_mechs[i]->system ? "--system" : cw_mechs[i]->persistency ? "--persistency" : "--mech";
            name[cnt++] = cw_mechs[i]->name;
        }
    for (uint32_t i = 0; cw_controls[i] != NULL && cnt < READERS_MAX; i++)
        if (has_keys(cw_controls[i]->keys, set)) {
            option = "--control";
            name[cnt++] = cw_controls[i]->name;
        }
    used = (size_t)snprintf(text, READERS_BYTES, "%s", option);
    for (uint32_t i = 0; i < cnt && used < READERS_BYTES; i++)
        used += (size_t)snprintf(text + used, READERS_BYTES - used, "%s%s", i == 0 ? " " : i + 1 < cnt ? ", " : " or ", name[i]);
}

/* A mechanism or a policy with the set, or NULL; *needs: why it does not read the key, NULL when it does. Of several, one that reads it. */
static const char *reader_of(const struct cw_mech *const *mechs, const struct cw_control_ops *control, const struct cw_config *config,
                             uint32_t index, const char **needs)
{
    const struct cw_key_set *set = cw_config_set_of(index);
    const char *reader = NULL;
    *needs = NULL;
    for (uint32_t i = 0; mechs[i] != NULL && (reader == NULL || *needs != NULL); i++)
        if (has_keys(mechs[i]->keys, set)) {
            reader = mechs[i]->name;
            *needs = cw_config_reader_needs(config, index, reader);
        }
    if (has_keys(control->keys, set) && (reader == NULL || *needs != NULL)) {
        reader = control->name;
        *needs = cw_config_reader_needs(config, index, reader);
    }
    return reader;
}

/* Keys of the machine that only memory with versions reads. */
static bool of_versions(const char *key)
{
    return strcmp(key, "dram.subarray_rows") == 0 || strcmp(key, "dram.copy_ns") == 0;
}

static int check_machine_key(const struct cw_mech *const *mechs, const struct cw_config *config, uint32_t index, const char *key,
                             struct cw_error *err)
{
    const char *needs = cw_config_needs(config, index);
    bool versions = false;
    for (uint32_t i = 0; mechs[i] != NULL; i++)
        versions |= mechs[i]->versions != NULL;
    if (needs == NULL && of_versions(key) && !versions)
        needs = "a system with versions of memory (--system sitm-ts)";
    return needs == NULL ? CW_OK : cw_fail(err, CW_EINVAL, "%s: this machine does not read it; it needs %s", key, needs);
}

int cw_mechs_check_key(const struct cw_mech *const *mechs, const struct cw_control_ops *control, const struct cw_config *config,
                       uint32_t index, struct cw_error *err)
{
    const struct cw_key_set *set = cw_config_set_of(index);
    struct cw_config_info info;
    const char *needs, *model = NULL;
    char readers[READERS_BYTES];
    cw_config_info(config, index, &info);
    if (set == NULL)
        return check_machine_key(mechs, config, index, info.name, err);
    const char *reader = reader_of(mechs, control, config, index, &needs);
    if (reader != NULL && needs == NULL)
        return CW_OK;
    if (reader != NULL)
        return cw_fail(err, CW_EINVAL, "%s: %s does not read it here; it needs %s", info.name, reader, needs);
    name_readers(readers, set);
    for (uint32_t i = 0; mechs[i] != NULL; i++)
        model = mechs[i]->persistency ? mechs[i]->name : model;
    if (strncmp(readers, "--persistency", strlen("--persistency")) == 0 && model != NULL)
        return cw_fail(err, CW_EINVAL, "%s: persistency model %s does not read it; it needs %s", info.name, model, readers);
    return cw_fail(err, CW_EINVAL, "%s: nothing in this machine reads it; it needs %s", info.name, readers);
}

static struct cw_message *address(const struct cw_mech_host *host, struct cw_message *p, enum cw_message_kind kind, uint32_t op,
                                  uint64_t addr, cw_time now)
{
    const struct cw_config *config = host->config;
    p->kind = (uint8_t)kind;
    p->mech = (uint8_t)(host->index + 1);
    p->op = (uint8_t)op;
    p->addr = addr;
    p->partition = (uint16_t)cw_address_partition(config, addr);
    p->born = now;
    cw_message_size(p, 0, config->noc_header_bytes, config->noc_flit_bytes);
    return p;
}

struct cw_message *cw_mech_message(const struct cw_mech_host *host, enum cw_message_kind kind, uint32_t op, uint64_t addr,
                                   const struct cw_message_type *type, cw_time now)
{
    return address(host, cw_message_new(host->pool, type), kind, op, addr, now);
}

struct cw_message *cw_mech_message_tail(const struct cw_mech_host *host, enum cw_message_kind kind, uint32_t op, uint64_t addr,
                                        const struct cw_message_type *type, uint32_t elements, cw_time now)
{
    return address(host, cw_message_new_tail(host->pool, type, elements), kind, op, addr, now);
}
