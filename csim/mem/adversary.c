/* SPDX-License-Identifier: Apache-2.0 */
#include "mem/adversary.h"

#define LONGEST_LOG2 9u /* cycles */
#define SLOW         2048u

static bool is_load(const struct cw_message *p)
{
    return p->kind == CW_MSG_READ && p->loose != CW_LOOSE_NOT;
}

/* Whether p may be performed before the older request. */
static bool may_pass(const struct cw_message *p, const struct cw_message *older)
{
    if (p->core != older->core)
        return true;
    if (p->mech != 0 || older->mech != 0)
        return false;
    if (p->addr != older->addr)
        return true;
    if (is_load(p) && is_load(older))
        return p->loose == CW_LOOSE_WEAK && older->loose == CW_LOOSE_WEAK;
    return is_load(p) && (older->kind == CW_MSG_WRITE || older->kind == CW_MSG_ATOMIC) && older->loose != CW_LOOSE_NOT &&
           p->warp != older->warp && p->epoch == older->epoch;
}

/* The seed gives each line a temper, so that in one run a flag is fast and what it guards is slow, and in another one it is the other way
 * round. In a line without one half of the requests go on at once; of the others short times are as likely as long ones. */
static cw_time delay(struct cw_adversary *a, const struct cw_message *p)
{
    struct cw_rng line;
    cw_rng_seed(&line, a->seed ^ p->addr);
    const uint32_t temper = cw_rng_below(&line, 8);
    const bool slow = temper == 0 ? p->kind != CW_MSG_READ : temper == 1 && p->kind == CW_MSG_READ;
    if (temper == 2)
        return 0;
    if (slow)
        return a->period * cw_rng_below(&a->rng, SLOW);
    if (cw_rng_below(&a->rng, 2) == 0)
        return 0;
    return a->period * cw_rng_below(&a->rng, 1u << (1 + cw_rng_below(&a->rng, LONGEST_LOG2)));
}

bool cw_adversary_hold(struct cw_adversary *a, struct cw_message *p, cw_time now)
{
    if (a->cnt == CW_ADVERSARY_HELD)
        return false;
    a->held[a->cnt++] = (struct cw_held){.message = p, .due = now + (p->mech == 0 ? delay(a, p) : 0)};
    return true;
}

static bool is_free(const struct cw_adversary *a, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (!may_pass(a->held[index].message, a->held[i].message))
            return false;
    return true;
}

struct cw_message *cw_adversary_peek(const struct cw_adversary *a, cw_time now, uint32_t *index)
{
    uint32_t first = a->cnt;
    for (uint32_t i = 0; i < a->cnt; i++)
        if (a->held[i].due <= now && (first == a->cnt || a->held[i].due < a->held[first].due) && is_free(a, i))
            first = i;
    *index = first;
    return first < a->cnt ? a->held[first].message : NULL;
}

void cw_adversary_take(struct cw_adversary *a, uint32_t index)
{
    a->cnt--;
    for (uint32_t i = index; i < a->cnt; i++)
        a->held[i] = a->held[i + 1];
}

cw_time cw_adversary_next(const struct cw_adversary *a)
{
    cw_time next = CW_TIME_NEVER;
    for (uint32_t i = 0; i < a->cnt; i++)
        next = cw_time_min(next, a->held[i].due);
    return next;
}

void cw_adversary_state(struct cw_state *s, struct cw_adversary *a)
{
    CW_STATE(s, a->rng);
    cw_state_count(s, "held", &a->cnt, CW_ADVERSARY_HELD);
    for (uint32_t i = 0; i < a->cnt; i++) {
        cw_message_state(s, &a->held[i].message);
        CW_STATE(s, a->held[i].due);
    }
}
