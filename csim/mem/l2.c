/* SPDX-License-Identifier: Apache-2.0 */
#include "mem/l2.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem/l2_private.h"

/* What a miss of those sectors fetches, when some of the line's are valid or on their way. */
static uint8_t to_fetch(const struct cw_l2 *l2, uint8_t missing, uint8_t here)
{
    uint32_t wanted = l2->config->l2_sectored == CW_ON || missing == 0 ? missing : cw_l2__all_sectors(l2);
    return (uint8_t)(wanted & ~(uint32_t)here);
}

/* Tags */

static uint32_t lookup(const struct cw_l2 *l2, uint32_t number)
{
    return cw_cache_array_find(&l2->array, number % l2->array.sets, number);
}

static uint32_t victim(const struct cw_l2 *l2, uint32_t number)
{
    return cw_cache_array_victim(&l2->array, number % l2->array.sets);
}

/* The line of a request: where it is, or whose place it takes. */
struct found {
    uint32_t index; /* CW_CACHE_NONE: no place */
    bool present;
};

static struct found ask(struct cw_l2 *l2, uint32_t number)
{
    l2->view = cw_adapt_l2_tags_look(l2->tags, number);
    const struct found f = {l2->view->line, l2->view->present};
    if (f.index != CW_CACHE_NONE) {
        l2->line[f.index].valid = l2->view->valid;
        l2->line[f.index].dirty = l2->view->dirty;
    }
    return f;
}

static struct found find(struct cw_l2 *l2, uint32_t number)
{
    if (__builtin_expect(l2->tags != NULL, 0))
        return ask(l2, number);
    const uint32_t index = lookup(l2, number);
    return (struct found){index != CW_CACHE_NONE ? index : victim(l2, number), index != CW_CACHE_NONE};
}

/* The same for a line that has an MSHR. */
static struct found find_again(struct cw_l2 *l2, uint32_t index)
{
    if (__builtin_expect(l2->tags != NULL, 0))
        return ask(l2, (uint32_t)l2->array.tag[index]);
    return (struct found){index, true};
}

/* Once after each of these: what has become of the line. */
enum outcome { UNTOUCHED, CHANGED, USED };

static void tell_tags(struct cw_l2 *l2, struct found f, enum outcome outcome)
{
    struct cw_adapt_l2_tags_line line = {.used = outcome == USED};
    if (outcome != UNTOUCHED && f.index != CW_CACHE_NONE) {
        const struct cw_l2__line *l = &l2->line[f.index];
        line.present = l2->array.tag[f.index] != CW_CACHE_EMPTY;
        line.held = l->mshr != NULL;
        line.valid = l->valid;
        line.dirty = l->dirty;
    }
    cw_adapt_l2_tags_set(l2->tags, outcome == UNTOUCHED ? NULL : &line);
}

/* mshr has the request that is next by the unit's words: who looks for it need not know who says so. */
static void show_next(struct cw_l2 *l2)
{
    l2->next.head = cw_mshr_unit_head(l2->waiting);
    l2->mshr.ready_head = l2->next.head != NULL ? &l2->next : NULL;
}

static __attribute__((noinline)) void tell_units(struct cw_l2 *l2, struct found f, enum outcome outcome)
{
    if (l2->waiting != NULL) {
        cw_mshr_unit_done(l2->waiting);
        show_next(l2);
    }
    if (l2->tags != NULL)
        tell_tags(l2, f, outcome);
}

static void tell(struct cw_l2 *l2, struct found f, enum outcome outcome)
{
    if (__builtin_expect(l2->told, 0))
        tell_units(l2, f, outcome);
}

/* A request that is performed at once uses its line; one that waits does so later. */
static enum outcome outcome_of(enum cw_l2_result result)
{
    if (result == CW_L2_STALL || result == CW_L2_STALL_DRAM)
        return UNTOUCHED;
    return result == CW_L2_MISS ? CHANGED : USED;
}

static void set_mshr(struct cw_l2 *l2, uint32_t index, struct cw_mshr *m)
{
    l2->line[index].mshr = m;
    l2->array.pinned[index] = m != NULL;
}

static void replace(struct cw_l2 *l2, uint32_t index, uint32_t number, cw_time now)
{
    struct cw_l2__line *l = &l2->line[index];
    if (l->dirty != 0) {
        const uint64_t local = (l2->view != NULL ? l2->view->number : l2->array.tag[index]) << l2->line_log2;
        cw_dram_push(l2->dram, local, l2->config->l2_sectored == CW_ON ? l->dirty : cw_l2__all_sectors(l2), true, 0, now);
        cw_l2__write_back(l2, l, l->dirty);
        l2->stats->l2_writebacks++;
    }
    cw_l2__rename_line(l2, index, number);
}

/* Whether so many requests may be pushed: fetches for p, and writes to DRAM. */
static bool memory_takes(struct cw_l2 *l2, const struct cw_message *p, uint32_t fetches, uint32_t writes, cw_time now)
{
    if (cw_memory_is_pm(p->addr))
        return (fetches == 0 || cw_nvm_can_read(l2->nvm)) && (writes == 0 || cw_dram_space(l2->dram, now) >= writes);
    return cw_dram_space(l2->dram, now) >= fetches + writes && (writes == 0 || cw_dram_can_tell(l2->dram));
}

/* What the unit says of a request for those sectors of a line, as if it were an MSHR. */
static __attribute__((noinline)) const struct cw_mshr *ask_room(struct cw_l2 *l2, uint32_t number, uint8_t sectors)
{
    const struct cw_adapt_l2_mshr_view *view = cw_mshr_unit_ask(l2->waiting, number, sectors);
    l2->entry = view->entry;
    l2->said =
        (struct cw_mshr){.count = view->room ? 0 : l2->mshr.merge, .sectors = view->behind ? sectors : 0, .fetching = view->fetching};
    return &l2->said;
}

/* The MSHR of a line, which is m by the slice's own words; NULL: it has none. */
static const struct cw_mshr *mshr_for(struct cw_l2 *l2, const struct cw_mshr *m, uint32_t number, uint8_t sectors)
{
    return __builtin_expect(l2->waiting != NULL, 0) ? ask_room(l2, number, sectors) : m;
}

static bool has_room(const struct cw_l2 *l2, const struct cw_mshr *m)
{
    return m == NULL ? l2->mshr.free != NULL : cw_mshr_can_merge(&l2->mshr, m);
}

/* The entry that the unit has named, with the line's name. */
static struct cw_mshr *named_entry(struct cw_l2 *l2, uint32_t index)
{
    struct cw_mshr *m = &l2->mshr.entry[l2->entry];
    m->line = index;
    return m;
}

/* The line's MSHR, with those sectors fetched into it. Here and below the caller has checked that there is room for all. */
static struct cw_mshr *fetch_into(struct cw_l2 *l2, uint32_t index, uint32_t number, const struct cw_message *p, uint8_t fetch, cw_time now)
{
    struct cw_l2__line *l = &l2->line[index];
    if (l->mshr == NULL)
        set_mshr(l2, index, l2->waiting != NULL ? named_entry(l2, index) : cw_mshr_take(&l2->mshr, index));
    struct cw_mshr *m = l->mshr;
    if (fetch == 0)
        return m;
    l2->stats->l2_fetched_sectors += cw_sectors_count(fetch);
    const uint32_t tag = (uint32_t)(m - l2->mshr.entry);
    if (cw_memory_is_pm(p->addr)) {
        m->fetching |= fetch;
        cw_nvm_read(l2->nvm, fetch, tag, now);
    } else {
        m->fetching = (uint8_t)(m->fetching | cw_dram_round(l2->dram, fetch));
        cw_dram_push(l2->dram, (uint64_t)number << l2->line_log2, fetch, false, tag, now);
    }
    return m;
}

/* Sectors that must be valid before p is performed. */
static uint8_t needs_of(const struct cw_l2 *l2, const struct cw_message *p)
{
    return p->kind == CW_MSG_WRITE && !cw_l2__may_pass(l2, p) ? 0 : cw_l2__sectors_of(l2, p);
}

/* The unit takes p, or a place for it, and what has been fetched into m just now. */
static __attribute__((noinline)) void unit_takes(struct cw_l2 *l2, struct cw_mshr *m, struct cw_message *p, bool passes)
{
    if (passes)
        cw_mshr_unit_passes(l2->waiting, m->fetching);
    else
        cw_mshr_unit_waits(l2->waiting, p, needs_of(l2, p), m->fetching);
    m->fetching = 0;
}

/* A request that finds its line, or a place for it, and not its sectors, waits for what is fetched. */
static enum cw_l2_result wait_for(struct cw_l2 *l2, uint32_t index, uint32_t number, struct cw_message *p, uint8_t fetch, cw_time now)
{
    struct cw_mshr *m = fetch_into(l2, index, number, p, fetch, now);
    if (__builtin_expect(l2->waiting != NULL, 0))
        unit_takes(l2, m, p, false);
    else
        cw_mshr_append(m, p, cw_l2__sectors_of(l2, p));
    return CW_L2_MISS;
}

static enum cw_l2_result pass_on(struct cw_l2 *l2, uint32_t index, uint32_t number, struct cw_message *p, uint8_t fetch, uint32_t *cycles,
                                 cw_time now)
{
    const bool persists = cw_memory_is_pm(p->addr);
    if (!persists)
        cw_dram_push_told(l2->dram, (uint64_t)number << l2->line_log2, cw_l2__sectors_of(l2, p), p, now);
    struct cw_mshr *m = fetch_into(l2, index, number, p, fetch, now);
    if (__builtin_expect(l2->waiting != NULL, 0))
        unit_takes(l2, m, p, true);
    else
        m->passed++;
    *cycles = cw_l2__perform(l2, &l2->line[index], p);
    return persists ? CW_L2_DONE : CW_L2_PASSED;
}

static enum cw_l2_result access_present(struct cw_l2 *l2, uint32_t index, uint32_t number, struct cw_message *p, uint32_t *cycles,
                                        cw_time now)
{
    struct cw_l2__line *l = &l2->line[index];
    const bool stays = p->kind == CW_MSG_WRITE && !cw_l2__may_pass(l2, p);
    const uint8_t need = cw_l2__sectors_of(l2, p), missing = stays ? 0 : (uint8_t)(need & ~l->valid);
    const struct cw_mshr *m = mshr_for(l2, l->mshr, number, need);
    const bool behind = m != NULL && (m->sectors & need) != 0, passes = cw_l2__may_pass(l2, p) && !behind;
    if (missing == 0 && !behind) {
        cw_l2__count(l2, p, false);
        *cycles = cw_l2__perform(l2, l, p);
        return CW_L2_DONE;
    }
    if (!has_room(l2, m))
        return CW_L2_STALL;
    const uint8_t fetch = to_fetch(l2, missing, (uint8_t)(l->valid | (m != NULL ? m->fetching : 0u)));
    if (!memory_takes(l2, p, fetch != 0, passes && !cw_memory_is_pm(p->addr), now))
        return CW_L2_STALL_DRAM;
    cw_l2__count(l2, p, missing != 0);
    return passes ? pass_on(l2, index, number, p, fetch, cycles, now) : wait_for(l2, index, number, p, fetch, now);
}

static enum cw_l2_result access_absent(struct cw_l2 *l2, uint32_t index, uint32_t number, struct cw_message *p, uint32_t *cycles,
                                       cw_time now)
{
    const bool passes = cw_l2__may_pass(l2, p), stays = p->kind == CW_MSG_WRITE && !passes;
    if (index == CW_CACHE_NONE || (!stays && !has_room(l2, mshr_for(l2, NULL, number, cw_l2__sectors_of(l2, p)))))
        return CW_L2_STALL;
    const bool to_dram = passes && !cw_memory_is_pm(p->addr);
    if (!memory_takes(l2, p, !stays, (uint32_t)(l2->line[index].dirty != 0) + to_dram, now))
        return CW_L2_STALL_DRAM;
    cw_l2__count(l2, p, true);
    replace(l2, index, number, now);
    if (stays) {
        *cycles = cw_l2__perform(l2, &l2->line[index], p);
        return CW_L2_DONE;
    }
    const uint8_t fetch = to_fetch(l2, cw_l2__sectors_of(l2, p), 0);
    return passes ? pass_on(l2, index, number, p, fetch, cycles, now) : wait_for(l2, index, number, p, fetch, now);
}

/* An idealised read: the bytes that the slice has, and memory's. Nothing is fetched, no line is younger or goes, and who waits is passed. */
static enum cw_l2_result read_certain(struct cw_l2 *l2, const struct cw_l2__line *l, struct cw_message *p, uint32_t *cycles)
{
    const uint64_t place = cw_message_place(p);
    const uint32_t bytes = cw_sectors_count(cw_l2__sectors_of(l2, p)) * CW_SECTOR_BYTES, port = l2->config->l2_port_bytes;
    for (uint32_t s = 0; s < l2->sectors; s++) {
        uint8_t *to = cw_line_body(p)->data + s * CW_SECTOR_BYTES;
        const uint32_t have = l == NULL ? 0 : (l->valid & 1u << s) != 0 ? UINT32_MAX : l->written[s], lacks = ~have;
        if ((p->sectors & 1u << s) == 0 || p->timing_only)
            continue;
        if (have != 0)
            cw_memory__copy_masked(to, cw_l2__data_of(l2, l) + s * CW_SECTOR_BYTES, &have, CW_SECTOR_BYTES);
        cw_memory__copy_masked(to, cw_memory__at(l2->memory, place) + s * CW_SECTOR_BYTES, &lacks, CW_SECTOR_BYTES);
    }
    cw_l2__count(l2, p, false);
    *cycles = (bytes + port - 1) / port;
    return CW_L2_DONE;
}

/* Lines with bytes that memory lacks */

static enum cw_l2_result clean(struct cw_l2 *l2, uint32_t index, uint32_t number, cw_time now)
{
    struct cw_l2__line *l = &l2->line[index];
    if (l->dirty == 0)
        return CW_L2_DONE;
    if (cw_dram_space(l2->dram, now) == 0)
        return CW_L2_STALL_DRAM;
    cw_dram_push(l2->dram, (uint64_t)number << l2->line_log2, l2->config->l2_sectored == CW_ON ? l->dirty : cw_l2__all_sectors(l2), true, 0,
                 now);
    cw_l2__write_back(l2, l, l->dirty);
    l2->stats->l2_writebacks++;
    l->dirty = 0;
    return CW_L2_DONE;
}

/* Of more dirty lines than a set may have (l2.dirty_ways) the oldest goes to memory, and stays, clean. Where memory has no room now, a later
 * write to the set sees to it. */
static __attribute__((noinline)) void trim_set(struct cw_l2 *l2, uint32_t set, cw_time now)
{
    uint32_t oldest = 0, dirty = 0;
    for (uint32_t i = set * l2->array.ways; i < (set + 1) * l2->array.ways; i++) {
        if (l2->line[i].dirty == 0)
            continue;
        oldest = dirty == 0 || l2->array.age[i] < l2->array.age[oldest] ? i : oldest;
        dirty++;
    }
    if (dirty <= l2->config->l2_dirty_ways)
        return;
    const uint32_t number = (uint32_t)l2->array.tag[oldest];
    const struct found f = l2->tags != NULL ? ask(l2, number) : (struct found){oldest, true};
    const enum cw_l2_result result = clean(l2, f.index, number, now);
    tell(l2, f, result == CW_L2_DONE ? CHANGED : UNTOUCHED);
}

enum cw_l2_result cw_l2_access(struct cw_l2 *l2, struct cw_message *p, uint32_t *cycles, cw_time now)
{
    if (__builtin_expect(l2->unit != NULL, 0))
        return cw_l2__unit_access(l2, p, cycles, now);
    const uint32_t number = cw_l2__local_line(l2, cw_message_place(p));
    const bool writes = p->kind == CW_MSG_WRITE || p->kind == CW_MSG_ATOMIC;
    const struct found f = find(l2, number);
    enum cw_l2_result result = CW_L2_DONE;
    if (p->certain)
        result = read_certain(l2, f.present ? &l2->line[f.index] : NULL, p, cycles);
    else if (f.present)
        result = access_present(l2, f.index, number, p, cycles, now);
    else
        result = access_absent(l2, f.index, number, p, cycles, now);
    tell(l2, f, p->certain ? UNTOUCHED : outcome_of(result));
    if (__builtin_expect(l2->config->l2_dirty_ways != 0, 0) && writes)
        trim_set(l2, number % l2->array.sets, now);
    return result;
}

/* Lines that a mechanism cleans or drops */

static enum cw_l2_result drop(struct cw_l2 *l2, uint32_t index)
{
    if (l2->line[index].mshr != NULL)
        return CW_L2_STALL;
    l2->line[index] = (struct cw_l2__line){0};
    cw_cache_array_name(&l2->array, index, CW_CACHE_EMPTY);
    return CW_L2_DONE;
}

enum cw_l2_result cw_l2_maintain(struct cw_l2 *l2, const struct cw_message *p, cw_time now)
{
    if (__builtin_expect(l2->unit != NULL, 0))
        return cw_l2__unit_maintain(l2, p, now);
    const uint32_t number = cw_l2__local_line(l2, cw_message_place(p));
    const struct found f = find(l2, number);
    enum cw_l2_result result = CW_L2_DONE;
    if (f.present)
        result = p->kind == CW_MSG_DROP ? drop(l2, f.index) : clean(l2, f.index, number, now);
    tell(l2, f, f.present && result == CW_L2_DONE ? CHANGED : UNTOUCHED);
    return result;
}

/* Misses coming back */

/* Gives the entry back when nothing waits in it and nothing comes for it. A fetch may outlive its requests: a write
 * that waited can make the sectors valid first. */
static void retire(struct cw_l2 *l2, struct cw_mshr *m)
{
    if (m->count != 0 || m->fetching != 0)
        return;
    set_mshr(l2, m->line, NULL);
    cw_mshr_release(&l2->mshr, m);
}

static bool can_serve(const struct cw_l2 *l2, const struct cw_mshr *m)
{
    if (m->count == 0)
        return false;
    return (needs_of(l2, m->head) & ~l2->line[m->line].valid) == 0;
}

/* The line of an entry by the unit's words; the slice's own when it has none of that number, which wrong hardware may name. */
static uint32_t line_said(const struct cw_l2 *l2, const struct cw_adapt_l2_mshr_view *view, uint32_t own)
{
    const uint32_t index = lookup(l2, view->line);
    return index != CW_CACHE_NONE ? index : own;
}

/* What the unit is told, and has told, when sectors have come to the line or a request of it was performed. */
static __attribute__((noinline)) void unit_here(struct cw_l2 *l2, const struct cw_adapt_l2_mshr_view *view, uint32_t index)
{
    if (view->ends)
        set_mshr(l2, index, NULL);
    cw_mshr_unit_here(l2->waiting, l2->line[index].valid);
}

static __attribute__((noinline)) void fill_by_unit(struct cw_l2 *l2, const struct cw_dram_done *done)
{
    const struct cw_adapt_l2_mshr_view *view = cw_mshr_unit_come(l2->waiting, done->tag, done->sectors);
    const uint32_t index = line_said(l2, view, l2->mshr.entry[done->tag].line);
    const struct found f = find_again(l2, index);
    cw_l2__sectors_come(l2, index, done->sectors);
    unit_here(l2, view, index);
    tell(l2, f, CHANGED);
}

bool cw_l2_fill(struct cw_l2 *l2, cw_time now)
{
    struct cw_dram_done done;
    if (!cw_dram_pop(l2->dram, &done, now) && (!cw_nvm_answers(l2->nvm) || !cw_nvm_pop(l2->nvm, &done.tag, &done.sectors, now)))
        return false;
    if (__builtin_expect(l2->unit != NULL, 0)) {
        cw_l2__unit_fill(l2, done.tag, done.sectors);
        return true;
    }
    if (__builtin_expect(l2->waiting != NULL, 0)) {
        fill_by_unit(l2, &done);
        return true;
    }
    struct cw_mshr *m = &l2->mshr.entry[done.tag];
    const struct found f = find_again(l2, m->line);
    cw_l2__sectors_come(l2, m->line, done.sectors);
    m->fetching = (uint8_t)(m->fetching & ~done.sectors);
    m->passed = m->fetching != 0 ? m->passed : 0;
    if (can_serve(l2, m))
        cw_mshr_make_ready(&l2->mshr, m);
    retire(l2, m);
    tell(l2, f, CHANGED);
    return true;
}

struct cw_message *cw_l2_replay_head(const struct cw_l2 *l2)
{
    return l2->mshr.ready_head != NULL ? l2->mshr.ready_head->head : NULL;
}

static __attribute__((noinline)) struct cw_message *replay_by_unit(struct cw_l2 *l2, uint32_t *cycles)
{
    struct cw_message *p;
    const struct cw_adapt_l2_mshr_view *view = cw_mshr_unit_perform(l2->waiting, &p);
    const uint32_t index = line_said(l2, view, lookup(l2, cw_l2__local_line(l2, cw_message_place(p))));
    const struct found f = find_again(l2, index);
    *cycles = cw_l2__perform(l2, &l2->line[index], p);
    unit_here(l2, view, index);
    tell(l2, f, USED);
    return p;
}

struct cw_message *cw_l2_replay(struct cw_l2 *l2, uint32_t *cycles)
{
    if (__builtin_expect(l2->unit != NULL, 0))
        return cw_l2__unit_replay(l2, cycles);
    if (__builtin_expect(l2->waiting != NULL, 0))
        return replay_by_unit(l2, cycles);
    struct cw_mshr *m = l2->mshr.ready_head;
    struct cw_message *p = cw_mshr_pop(m);
    const struct found f = find_again(l2, m->line);
    *cycles = cw_l2__perform(l2, &l2->line[m->line], p);
    if (!can_serve(l2, m)) {
        cw_mshr_unready(&l2->mshr);
        retire(l2, m);
    }
    tell(l2, f, USED);
    return p;
}

/* What memory asks of a cache (device_memory_private.h) */

static uint8_t *line_at(void *self, uint64_t place, const uint32_t **mask)
{
    struct cw_l2 *l2 = self;
    const uint32_t number = cw_l2__local_line(l2, place), index = lookup(l2, number);
    if (index == CW_CACHE_NONE)
        return NULL;
    if (l2->unit != NULL)
        cw_l2__unit_peek(l2, index);
    *mask = l2->line[index].written;
    return cw_l2__data_of(l2, &l2->line[index]);
}

static void line_changed(void *self, uint64_t place)
{
    struct cw_l2 *l2 = self;
    if (l2->unit != NULL)
        cw_l2__unit_refresh(l2, lookup(l2, cw_l2__local_line(l2, place)));
}

static void settle_line(struct cw_l2 *l2, const struct cw_l2__line *l)
{
    if (l2->unit != NULL)
        cw_l2__unit_peek(l2, (uint32_t)(l - l2->line));
    cw_l2__write_back(l2, l, l->dirty);
}

static void settle(void *self)
{
    struct cw_l2 *l2 = self;
    for (const struct cw_l2__line *l = l2->line; l < l2->line + (size_t)l2->array.sets * l2->array.ways; l++)
        if (l->dirty != 0)
            settle_line(l2, l);
}

static void reload(void *self)
{
    struct cw_l2 *l2 = self;
    for (const struct cw_l2__line *l = l2->line; l < l2->line + (size_t)l2->array.sets * l2->array.ways; l++) {
        if (l2->array.tag[l - l2->line] == CW_CACHE_EMPTY)
            continue;
        const uint64_t place = cw_l2__place_of(l2, l);
        if (cw_memory__has(l2->memory, place))
            memcpy(cw_l2__data_of(l2, l), cw_memory__at(l2->memory, place), l2->line_bytes);
        if (l2->unit != NULL)
            cw_l2__unit_refresh(l2, (uint32_t)(l - l2->line));
    }
}

bool cw_l2_idle(const struct cw_l2 *l2)
{
    return l2->waiting != NULL ? cw_mshr_unit_empty(l2->waiting) : l2->mshr.in_use == 0;
}

static struct found found_at(const struct cw_l2 *l2, uint32_t index, uint32_t number)
{
    return (struct found){index, l2->array.tag[index] == number};
}

void cw_l2_host_copy(struct cw_l2 *l2, uint64_t addr)
{
    assert(cw_l2_idle(l2));
    const uint32_t number = cw_l2__local_line(l2, addr);
    const struct found f = l2->unit == NULL ? find(l2, number) : found_at(l2, cw_l2__unit_load(l2, number), number);
    struct cw_l2__line *l = &l2->line[f.index];
    if (!f.present) {
        if (l2->memory->cached)
            cw_l2__write_back(l2, l, l->dirty);
        cw_l2__rename_line(l2, f.index, number);
    }
    cw_cache_array_hit(&l2->array, f.index);
    for (uint32_t s = 0; s < l2->sectors && l2->memory->cached; s++)
        cw_l2__fetch_sector(l2, l, s, addr - addr % l2->line_bytes);
    l->valid = cw_l2__all_sectors(l2);
    memset(l->written, 0xff, l2->sectors * sizeof l->written[0]);
    tell(l2, f, USED);
    if (l2->unit != NULL)
        cw_l2__unit_refresh(l2, f.index);
}

void cw_l2_flush(struct cw_l2 *l2)
{
    assert(cw_l2_idle(l2));
    if (l2->memory->cached)
        settle(l2);
    cw_cache_array_reset(&l2->array);
    memset(l2->line, 0, (size_t)l2->array.sets * l2->array.ways * sizeof *l2->line);
    if (l2->tags != NULL)
        cw_adapt_l2_tags_reset(l2->tags);
    if (l2->unit != NULL)
        cw_l2__unit_reset(l2);
}

void cw_l2_state(struct cw_state *s, struct cw_l2 *l2)
{
    cw_cache_array_state(s, &l2->array);
    for (uint32_t i = 0; i < l2->array.sets * l2->array.ways; i++) {
        struct cw_l2__line *l = &l2->line[i];
        CW_STATE_REF(s, l->mshr, l2->mshr.entry, l2->mshr.entries);
        CW_STATE(s, l->written);
        CW_STATE(s, l->valid);
        CW_STATE(s, l->dirty);
        CW_STATE(s, l->brought);
        if (l2->array.tag[i] != CW_CACHE_EMPTY)
            cw_state_array(s, "data", cw_l2__data_of(l2, l), l2->line_bytes, 1);
    }
    if (l2->waiting != NULL || l2->unit != NULL)
        l2->mshr.ready_head = NULL;
    cw_mshr_state(s, &l2->mshr);
    if (l2->tags != NULL)
        cw_adapt_l2_tags_state(s, l2->tags);
    if (l2->waiting != NULL) {
        cw_mshr_unit_state(s, l2->waiting);
        show_next(l2);
    }
    if (l2->unit != NULL)
        cw_l2__unit_state(s, l2);
}

/* The unit replaces the line whose last use is the longest ago. */
static int open_tags(struct cw_l2 *l2, const struct cw_unit_provider *units, struct cw_error *err)
{
    const struct cw_adapt_l2_tags_config tags = {
        .partition = l2->index, .sets = l2->array.sets, .ways = l2->array.ways, .sectors = l2->sectors};
    if (l2->config->l2_replacement != CW_REPLACE_LRU)
        return cw_fail(err, CW_EUNSUP, "l2.tags_unit = on needs l2.replacement = lru, which unit l2_tags has");
    return cw_adapt_l2_tags_create(&l2->tags, units, &tags, err);
}

static int open_mshr(struct cw_l2 *l2, const struct cw_unit_provider *units, struct cw_error *err)
{
    const struct cw_adapt_l2_mshr_config mshr = {
        .partition = l2->index, .entries = l2->mshr.entries, .merge = l2->mshr.merge, .sectors = l2->sectors};
    return cw_mshr_unit_create(&l2->waiting, units, &mshr, err);
}

int cw_l2_create(struct cw_l2 **out, const struct cw_config *config, uint32_t index, struct cw_stats *stats, struct cw_memory *memory,
                 struct cw_dram_port *dram, struct cw_nvm_port *nvm, const struct cw_unit_provider *units, struct cw_error *err)
{
    *out = NULL;
    uint32_t lines = config->l2_bytes / config->mem_line_bytes;
    if (lines == 0 || config->l2_ways == 0 || lines % config->l2_ways != 0)
        return cw_fail(err, CW_EINVAL, "l2.bytes = %u with l2.ways = %u: not a whole number of sets of lines of %u bytes", config->l2_bytes,
                       config->l2_ways, config->mem_line_bytes);
    struct cw_l2 *l2 = calloc(1, sizeof *l2);
    if (l2 == NULL)
        return cw_fail(err, CW_ENOMEM, "L2 slice: out of host memory");
    l2->config = config;
    l2->stats = stats;
    l2->memory = memory;
    l2->dram = dram;
    l2->nvm = nvm;
    l2->line_bytes = config->mem_line_bytes;
    l2->line_log2 = (uint32_t)__builtin_ctz(l2->line_bytes);
    l2->sectors = l2->line_bytes / CW_SECTOR_BYTES;
    l2->line = calloc(lines, sizeof *l2->line);
    l2->data = calloc(lines, l2->line_bytes);
    l2->index = index;
    l2->cache = (struct cw_memory_cache){l2, line_at, line_changed, settle, reload};
    const enum cw_replacement policy = (enum cw_replacement)config->l2_replacement;
    if (l2->line == NULL || l2->data == NULL ||
        cw_cache_array_create(&l2->array, lines / config->l2_ways, config->l2_ways, policy, NULL) != CW_OK ||
        cw_mshr_create(&l2->mshr, config->l2_mshrs, config->l2_mshr_merge) != CW_OK ||
        cw_memory__cached(memory, config, index, &l2->cache) != CW_OK) {
        cw_l2_destroy(l2);
        return cw_fail(err, CW_ENOMEM, "L2 slice: out of host memory");
    }
    int status = config->l2_tags_unit == CW_ON ? open_tags(l2, units, err) : CW_OK;
    if (status == CW_OK && config->l2_mshr_unit == CW_ON)
        status = open_mshr(l2, units, err);
    if (status == CW_OK && config->l2_slice_unit == CW_ON)
        status = cw_l2__unit_create(l2, units, err);
    l2->told = l2->tags != NULL || l2->waiting != NULL;
    if (status == CW_OK)
        *out = l2;
    else
        cw_l2_destroy(l2);
    return status;
}

void cw_l2_destroy(struct cw_l2 *l2)
{
    if (l2 == NULL)
        return;
    cw_memory__forget(l2->memory, l2->index, &l2->cache);
    cw_adapt_l2_tags_destroy(l2->tags);
    cw_mshr_unit_destroy(l2->waiting);
    cw_l2__unit_destroy(l2);
    cw_mshr_destroy(&l2->mshr);
    cw_cache_array_destroy(&l2->array);
    free(l2->line);
    free(l2->data);
    free(l2);
}
