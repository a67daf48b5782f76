/* SPDX-License-Identifier: Apache-2.0 */
/* Counters by number and by name: the machine's, and those of the mechanisms. */
#include "base/stats.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/program.h"

static const struct cw_counter machine_counters[] = {
#define X CW_COUNTER_SUM
#define M CW_COUNTER_MAX
#define W CW_COUNTER_SHOWN
#define P CW_COUNTER_PART
#include "base/stats.def"
#undef X
#undef M
#undef P
};
#define MACHINE_CNT ((uint32_t)(sizeof machine_counters / sizeof machine_counters[0]))
static const struct cw_counter_set machine = {.owner = "machine", .counter = machine_counters, .counter_cnt = MACHINE_CNT};
_Static_assert(offsetof(struct cw_stats, own) == MACHINE_CNT * sizeof(uint64_t), "counters come first, without gaps");

/* The machine's set is number 0. NULL: no more. */
static const struct cw_counter_set *set_at(uint32_t index)
{
    return index == 0 ? &machine : cw_program.counter_set_at(index - 1);
}

void *cw_stats_own(struct cw_stats *stats, const struct cw_counter_set *set)
{
    uint32_t at = 0;
    for (uint32_t i = 1; set_at(i) != NULL; i++) {
        if (set_at(i) == set)
            return stats->own + at;
        at += set_at(i)->counter_cnt;
    }
    return NULL;
}

int cw_stats_check(struct cw_error *err)
{
    uint32_t cnt = 0;
    for (uint32_t i = 1; set_at(i) != NULL; i++) {
        cnt += set_at(i)->counter_cnt;
        if (cnt > CW_STATS_OWN)
            return cw_fail(err, CW_EINVAL,
                           "the mechanisms of this program have too many counters: %" PRIu32
                           " up to those of %s, and there is room for %u; "
                           "enlarge CW_STATS_OWN in csim/base/stats.h",
                           cnt, set_at(i)->owner, CW_STATS_OWN);
    }
    return CW_OK;
}

uint32_t cw_stats_count(void)
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; set_at(i) != NULL; i++)
        cnt += set_at(i)->counter_cnt;
    return cnt < MACHINE_CNT + CW_STATS_OWN ? cnt : MACHINE_CNT + CW_STATS_OWN;
}

const struct cw_counter *cw_stats_counter(uint32_t index)
{
    uint32_t n = 0;
    for (; index >= set_at(n)->counter_cnt; n++)
        index -= set_at(n)->counter_cnt;
    return &set_at(n)->counter[index];
}

const struct cw_counter_set *cw_stats_set(uint32_t index)
{
    uint32_t n = 0;
    for (; index >= set_at(n)->counter_cnt; n++)
        index -= set_at(n)->counter_cnt;
    return n > 0 ? set_at(n) : NULL;
}

const uint64_t *cw_stats_value(const struct cw_stats *stats, uint32_t index)
{
    return (const uint64_t *)(const void *)stats + index;
}

void cw_stats_add(struct cw_stats *sum, const struct cw_stats *part)
{
    uint64_t *to = (uint64_t *)(void *)sum;
    const uint64_t *from = (const uint64_t *)(const void *)part;
    const struct cw_counter_set *set;
    for (uint32_t n = 0; (set = set_at(n)) != NULL; n++)
        for (uint32_t i = 0; i < set->counter_cnt; i++, to++, from++) {
            if (set->counter[i].maximum)
                cw_stat_max(to, *from);
            else
                *to += *from;
        }
}

int cw_stats_find(uint32_t *index, const char *name, struct cw_error *err)
{
    const char *names[MACHINE_CNT + CW_STATS_OWN];
    const uint32_t cnt = cw_stats_count();
    for (uint32_t i = 0; i < cnt; i++) {
        names[i] = cw_stats_counter(i)->name;
        if (strcmp(names[i], name) == 0) {
            *index = i;
            return CW_OK;
        }
    }
    const char *near = cw_nearest(name, names, cnt);
    if (near != NULL)
        return cw_fail(err, CW_EINVAL, "unknown counter '%.80s'; did you mean '%s'?", name, near);
    return cw_fail(err, CW_EINVAL, "unknown counter '%.80s'", name);
}
