/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/mech.h"

#include <string.h>

#include "mech/mechs.h"
#include "mem/address.h"

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

/* Whether a mechanism before number i brings the unit. */
static bool unit_seen(const struct cw_unit *unit, uint32_t i)
{
    for (uint32_t m = 0; m < i; m++)
        if (cw_mech_unit_of(cw_mechs[m], unit) != NULL)
            return true;
    return false;
}

const struct cw_mech_unit *cw_mech_unit_at(uint32_t i)
{
    for (uint32_t m = 0; cw_mechs[m] != NULL; m++)
        for (uint32_t k = 0; k < cw_mechs[m]->unit_cnt; k++)
            if (!unit_seen(cw_mechs[m]->unit[k].unit, m) && i-- == 0)
                return &cw_mechs[m]->unit[k];
    return NULL;
}

/* Set number i of one kind that a mechanism names; NULL: no more. */
typedef const void *(*set_fn)(const struct cw_mech *mech, uint32_t i);

static const void *keys_of(const struct cw_mech *mech, uint32_t i)
{
    return mech->keys != NULL ? mech->keys[i] : NULL;
}

static const void *counters_of(const struct cw_mech *mech, uint32_t i)
{
    return mech->counters != NULL ? mech->counters[i] : NULL;
}

static bool names_set(const struct cw_mech *mech, set_fn sets, const void *set)
{
    for (uint32_t i = 0; sets(mech, i) != NULL; i++)
        if (sets(mech, i) == set)
            return true;
    return false;
}

/* Set number `index` of all mechanisms, each counted where it is named first. */
static const void *set_at(uint32_t index, set_fn sets)
{
    for (uint32_t m = 0; cw_mechs[m] != NULL; m++)
        for (uint32_t i = 0; sets(cw_mechs[m], i) != NULL; i++) {
            const void *set = sets(cw_mechs[m], i);
            bool seen = false;
            for (uint32_t k = 0; k < m; k++)
                seen = seen || names_set(cw_mechs[k], sets, set);
            if (!seen && index-- == 0)
                return set;
        }
    return NULL;
}

const struct cw_key_set *cw_key_set_at(uint32_t index)
{
    return set_at(index, keys_of);
}

const struct cw_counter_set *cw_counter_set_at(uint32_t index)
{
    return set_at(index, counters_of);
}

static int check_pair(const struct cw_mech *a, const struct cw_mech *b, struct cw_error *err)
{
    if (a == b)
        return cw_fail(err, CW_EINVAL, "mechanism %s is named twice", a->name);
    if (a->system && b->system)
        return cw_fail(err, CW_EINVAL, "%s and %s are both transactional systems; a GPU has one", a->name, b->name);
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

struct cw_message *cw_mech_message(const struct cw_mech_host *host, enum cw_message_kind kind, uint32_t op, uint64_t addr,
                                   size_t body_bytes, cw_time now)
{
    const struct cw_config *config = host->config;
    struct cw_message *p = cw_message_new(host->pool, body_bytes);
    if (p == NULL)
        return NULL;
    p->kind = (uint8_t)kind;
    p->mech = (uint8_t)(host->index + 1);
    p->op = (uint8_t)op;
    p->addr = addr;
    p->partition = (uint16_t)cw_address_partition(config, addr);
    p->born = now;
    cw_message_size(p, 0, config->noc_header_bytes, config->noc_flit_bytes);
    return p;
}
