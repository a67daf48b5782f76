/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages to a commit unit, and the logs that they fill. A set that does not fit into its entry's buffer is asked for again by each stage
 * that walks it, and then cut to the buffer's size (Fung 2015, 4.2.5, unbounded transactions).
 */
#include <assert.h>

#include "mech/kilo/unit/commit_unit.h"

/* Groups */

void cw_kilo_unit__hazards_done(struct cw_kilo_unit *u, struct cw_kilo_group *g)
{
    *(g->older != NULL ? &g->older->younger : &u->oldest) = g->younger;
    *(g->younger != NULL ? &g->younger->older : &u->youngest) = g->older;
}

static struct cw_kilo_group *new_group(struct cw_kilo_unit *u, const struct cw_message *p)
{
    struct cw_kilo_group *g = u->groups;
    if (g != NULL)
        u->groups = g->next;
    else
        g = calloc(1, sizeof *g);
    if (g == NULL) {
        cw_kilo_unit__check(u, CW_ENOMEM);
        return NULL;
    }
    *g = (struct cw_kilo_group){.first = cw_kilo_commit_of(p)->first,
                                .rcid = u->retire,
                                .attempt = cw_attempt_name_of(p),
                                .members = p->lanes,
                                .word = g->word,
                                .word_cap = g->word_cap};
    g->cnt = g->live = cw_lanes_count(p->lanes);
    g->probe = cw_kilo_commit_of(p)->probe;
    memset(g->head, 0xff, sizeof g->head);
    memset(g->tail, 0xff, sizeof g->tail);
    g->older = u->youngest;
    *(g->older != NULL ? &g->older->younger : &u->oldest) = g;
    u->youngest = g;
    return g;
}

void cw_kilo_unit__forget_groups(struct cw_kilo_unit *u)
{
    for (uint64_t id = u->retire; u->entry != NULL && id < u->tail; id++) {
        struct cw_kilo_group *g = cw_kilo_unit__at(u, id)->group;
        if (g != NULL && --g->live == 0) {
            g->next = u->groups;
            u->groups = g;
        }
    }
    while (u->groups != NULL) {
        struct cw_kilo_group *next = u->groups->next;
        cw_kilo_unit__news_forget(u->groups);
        free(u->groups->word);
        free(u->groups);
        u->groups = next;
    }
}

static bool grow_entries(struct cw_kilo_unit *u, uint64_t tail)
{
    while (tail - u->retire > u->entry_cap) {
        struct cw_kilo_entry *larger = calloc(2 * (size_t)u->entry_cap, sizeof *larger);
        if (larger == NULL) {
            cw_kilo_unit__check(u, CW_ENOMEM);
            return false;
        }
        for (uint64_t id = u->retire; id < u->tail; id++)
            larger[id & (2 * (uint64_t)u->entry_cap - 1)] = *cw_kilo_unit__at(u, id);
        free(u->entry);
        u->entry = larger;
        u->entry_cap *= 2;
    }
    return true;
}

static void begin_epoch(struct cw_kilo_unit *u, uint32_t epoch)
{
    assert(u->retire == u->tail);
    if (u->detector != NULL) {
        cw_kilo_hazard_begin_epoch(u->detector, u->retire);
        u->detecting = cw_kilo_hazard_busy(u->detector);
    }
    u->epoch = epoch;
}

/* Commit entries of the message, as the ring takes them. */
static bool tell_ring(struct cw_kilo_unit *u, const struct cw_message *p, struct cw_adapt_commit_unit_message m)
{
    m.first = cw_kilo_commit_of(p)->first;
    m.entries = UINT32_MAX >> (32 - cw_lanes_count(p->lanes));
    return cw_adapt_commit_unit_send(u->ring, &m);
}

/* The group that a message belongs to, or NULL. The last member is looked at, since it retires last. */
static struct cw_kilo_group *group_of(const struct cw_kilo_unit *u, const struct cw_message *p)
{
    uint64_t end = cw_kilo_commit_of(p)->first + cw_lanes_count(p->lanes);
    return end <= u->tail ? cw_kilo_unit__at(u, end - 1)->group : NULL;
}

/* The first message of a group makes it; its entries' RCID is the retire pointer now. */
static struct cw_kilo_group *begin_group(struct cw_kilo_unit *u, const struct cw_message *p, cw_time now)
{
    uint64_t end = cw_kilo_commit_of(p)->first + cw_lanes_count(p->lanes);
    if (u->epoch != cw_kilo_commit_of(p)->epoch)
        begin_epoch(u, cw_kilo_commit_of(p)->epoch);
    struct cw_kilo_group *g = grow_entries(u, end) ? new_group(u, p) : NULL;
    if (g == NULL)
        return NULL;
    if (end > u->tail) {
        cw_kilo_unit__census(u, CW_KILO_ALL, (int64_t)(end - u->tail), now);
        u->tail = end;
    }
    uint64_t id = g->first;
    for (cw_lanes rest = g->members; rest != 0; rest = cw_lanes_rest(rest), id++)
        *cw_kilo_unit__at(u, id) = (struct cw_kilo_entry){.group = g, .lane = (uint8_t)cw_lanes_first(rest)};
    return g;
}

/* Sets that did not fit */

bool cw_kilo_unit__whole(struct cw_kilo_unit *u, struct cw_kilo_entry *e, uint32_t set, cw_time now)
{
    struct cw_kilo_group *g = e->group;
    if (!e->over[set] || e->here[set])
        return true;
    if (!e->asked[set]) {
        e->asked[set] = true;
        g->head[set][e->lane] = g->tail[set][e->lane] = CW_KILO_NIL;
        u->tm->counters->cu_resends++;
        struct cw_message *p = cw_kilo_unit__message(u, g, CW_KILO_RESEND, now);
        cw_kilo_commit(p)->again.lane = e->lane;
        cw_kilo_commit(p)->again.set = set;
        cw_kilo_unit__send(u, p);
    }
    return false;
}

void cw_kilo_unit__cut(const struct cw_kilo_unit *u, struct cw_kilo_entry *e, uint32_t set)
{
    struct cw_kilo_group *g = e->group;
    uint32_t left = set == 0 ? u->tm->keys->kilo_read_words : u->tm->keys->kilo_write_words;
    if (!e->over[set])
        return;
    e->asked[set] = e->here[set] = false;
    for (uint32_t i = g->head[set][e->lane]; i != CW_KILO_NIL; i = g->word[i].next)
        if (--left == 0) {
            g->word[i].next = CW_KILO_NIL;
            g->tail[set][e->lane] = i;
            return;
        }
}

static bool merge(struct cw_kilo_group *g, const struct cw_log_entry *l)
{
    for (uint32_t i = g->head[1][l->lane]; i != CW_KILO_NIL; i = g->word[i].next) {
        struct cw_kilo_word *w = g->word + i;
        if (w->addr != l->addr)
            continue;
        for (uint32_t b = 0; b < 4; b++)
            if (l->bytes >> b & 1)
                w->value = (w->value & ~(0xffu << 8 * b)) | (l->value & 0xffu << 8 * b);
        w->bytes |= l->bytes;
        return true;
    }
    return false;
}

/* Appends the word to the lane's set; a later store to the same word takes the place of the earlier one. */
static uint32_t store_word(struct cw_kilo_unit *u, struct cw_kilo_group *g, const struct cw_log_entry *l, bool write, bool linked)
{
    *(write ? &g->writers : &g->readers) |= cw_lanes_one(l->lane);
    if (write && merge(g, l))
        return CW_KILO_NIL;
    if (g->word_cnt == g->word_cap) {
        uint32_t cap = g->word_cap == 0 ? 64 : 2 * g->word_cap;
        struct cw_kilo_word *word = realloc(g->word, cap * sizeof *word);
        if (word == NULL) {
            cw_kilo_unit__check(u, CW_ENOMEM);
            return CW_KILO_NIL;
        }
        g->word = word;
        g->word_cap = cap;
    }
    uint32_t i = g->word_cnt++;
    g->word[i] = (struct cw_kilo_word){.addr = l->addr, .value = l->value, .next = CW_KILO_NIL, .lane = l->lane, .bytes = l->bytes};
    if (!linked)
        return i;
    if (g->head[write][l->lane] == CW_KILO_NIL)
        g->head[write][l->lane] = i;
    else
        g->word[g->tail[write][l->lane]].next = i;
    g->tail[write][l->lane] = i;
    return i;
}

static uint32_t buffered(const struct cw_kilo_group *g, uint32_t set, uint32_t lane)
{
    uint32_t cnt = 0;
    for (uint32_t i = g->head[set][lane]; i != CW_KILO_NIL; i = g->word[i].next)
        cnt++;
    return cnt;
}

/* Census: a word of that set of the entry has come. */
static void count_word(struct cw_kilo_unit *u, struct cw_kilo_entry *e, uint32_t set, cw_time now)
{
    if ((e->used >> set & 1) != 0)
        return;
    if (e->used == 0)
        cw_kilo_unit__census(u, CW_KILO_ACCESSED, 1, now);
    e->used |= (uint8_t)(1u << set);
    e->needed |= (uint8_t)(1u << set);
    cw_kilo_unit__census(u, CW_KILO_USED, 1, now);
    cw_kilo_unit__census(u, CW_KILO_NEEDED, 1, now);
}

static void take_log(struct cw_kilo_unit *u, struct cw_kilo_group *g, const struct cw_message *p, cw_time now)
{
    bool again = (p->op & CW_KILO_AGAIN) != 0, write = (p->op & CW_KILO_WRITES) == CW_KILO_WRITES;
    uint32_t first = g->word_cnt;
    u->tm->common.counters->cu_packets++;
    u->tm->common.counters->cu_entries += cw_kilo_log_of(p)->log.cnt;
    for (uint32_t i = 0; i < cw_kilo_log_of(p)->log.cnt; i++) {
        const struct cw_log_entry *l = cw_kilo_log_of(p)->log.entry + i;
        struct cw_kilo_entry *e = cw_kilo_unit__at(u, cw_kilo_unit__id_of(g, l->lane));
        uint32_t bound = write ? u->tm->keys->kilo_write_words : u->tm->keys->kilo_read_words;
        bool fits = again || bound == 0 || buffered(g, write, l->lane) < bound;
        e->over[write] |= !fits;
        count_word(u, e, write, now);
        if (!fits && write) { /* it will be sent again */
            g->writers |= cw_lanes_one(l->lane);
            continue;
        }
        uint32_t word = store_word(u, g, l, write, fits);
        if (word == CW_KILO_NIL || again)
            continue;
        if (!write) {
            e->checks++;
            cw_kilo_unit__add_check(u, g, word, u->batches);
        } else if (u->tm->tcd == CW_KILO_TCD_CLOSED) {
            cw_kilo_unit__tell(u, (struct cw_kilo_note){.kind = CW_KILO_NOTE_EXPECT, .block = cw_kilo_tcd_block(u->tm, l->addr), .cnt = 1});
        }
    }
    u->batches++;
    if (write && !again && u->hooks->announce != NULL)
        u->hooks->announce(u, g, first, now);
}

/* The logs are complete. Comparisons that are over already are answered now. */
static void take_done_fill(struct cw_kilo_unit *u, struct cw_kilo_group *g, const struct cw_message *p)
{
    g->filled = true;
    g->accessed = cw_kilo_commit_of(p)->done.accessed;
    g->undetected = cw_lanes_count(g->accessed);
    assert(g->accessed == (g->readers | g->writers));
    for (cw_lanes rest = g->accessed; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
        cw_kilo_census_sizes(u->tm->counters, buffered(g, 0, lane), buffered(g, 1, lane));
    }
    if (u->hooks->filled != NULL)
        u->hooks->filled(g);
    if (g->undetected == 0)
        cw_kilo_unit__hazards_done(u, g);
    for (cw_lanes rest = g->readers; rest != 0; rest = cw_lanes_rest(rest)) {
        uint64_t id = cw_kilo_unit__id_of(g, cw_lanes_first(rest));
        const struct cw_kilo_entry *e = cw_kilo_unit__at(u, id);
        if (e->checks == 0)
            cw_kilo_unit__check(u, cw_adapt_commit_unit_validated(u->ring, id, false, !e->differs));
    }
}

static void take_outcome(struct cw_kilo_unit *u, struct cw_kilo_group *g, const struct cw_message *p, cw_time now)
{
    cw_lanes pass = cw_kilo_commit_of(p)->verdict.pass, fail = cw_kilo_commit_of(p)->verdict.fail;
    g->out_pass |= pass;
    g->out_fail |= fail;
    for (cw_lanes rest = fail; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
        cw_kilo_unit__release(u, cw_kilo_unit__at(u, cw_kilo_unit__id_of(g, lane)), 3, now);
        cw_kilo_unit__forget_expected(u, g, lane);
    }
    if (u->hooks->announce_end != NULL)
        u->hooks->announce_end(u, g, now);
    if (u->tm->sabotage != CW_KILO_OUT_OF_ORDER)
        return;
    for (cw_lanes rest = pass & g->writers; rest != 0; rest = cw_lanes_rest(rest)) /* at once, whatever is before them */
        cw_kilo_unit__queue_lane(u, g, cw_lanes_first(rest), u->batches++);
}

static void take_end_of_set(struct cw_kilo_unit *u, const struct cw_kilo_group *g, const struct cw_message *p)
{
    const struct cw_kilo_commit_body *body = cw_kilo_commit_of(p);
    cw_kilo_unit__at(u, cw_kilo_unit__id_of(g, body->again.lane))->here[body->again.set] = true;
}

/*
 * Cycles that a message takes at the input. WarpTM takes a warp's message at once, Kilo TM a transaction per cycle ([art]): a log message
 * takes a cycle per word, DONE one per transaction, with accesses here or not. kilo.entry_cycles come on top for each entry that the ring
 * gets, at the warp's first message.
 */
static uint32_t input_cycles(const struct cw_kilo_unit *u, const struct cw_message *p, bool first)
{
    if (u->tm->aggregate)
        return 1;
    uint32_t entry_cycles = first ? cw_lanes_count(p->lanes) * u->tm->keys->kilo_entry_cycles : 0;
    if ((p->op & CW_KILO_LOG) != 0)
        return entry_cycles + cw_kilo_log_of(p)->log.cnt;
    return entry_cycles + (p->op == CW_KILO_DONE ? cw_lanes_count(p->lanes) : 1);
}

/* What the ring has to hear of the message, if anything; false: it cannot take it yet. */
static bool ring_takes(struct cw_kilo_unit *u, const struct cw_kilo_group *g, const struct cw_message *p)
{
    if ((p->op & CW_KILO_LOG) != 0)
        return g != NULL || tell_ring(u, p, (struct cw_adapt_commit_unit_message){.kind = CW_COMMIT_FILL});
    if (p->op == CW_KILO_EOS)
        return true;
    if (p->op == CW_KILO_DONE && g == NULL)
        return tell_ring(u, p, (struct cw_adapt_commit_unit_message){.kind = CW_COMMIT_SKIP});
    if (p->op == CW_KILO_DONE)
        return tell_ring(u, p,
                         (struct cw_adapt_commit_unit_message){.kind = CW_COMMIT_DONE,
                                                               .reads = cw_kilo_unit__entries_of(g, g->readers),
                                                               .writes = cw_kilo_unit__entries_of(g, g->writers)});
    cw_lanes pass = cw_kilo_commit_of(p)->verdict.pass, fail = cw_kilo_commit_of(p)->verdict.fail;
    const struct cw_adapt_commit_unit_message m = {.kind = CW_COMMIT_OUTCOME,
                                                   .first = g->first,
                                                   .entries = cw_kilo_unit__entries_of(g, pass | fail),
                                                   .pass = cw_kilo_unit__entries_of(g, pass)};
    return cw_adapt_commit_unit_send(u->ring, &m);
}

bool cw_kilo_unit__accept(struct cw_kilo_unit *u, cw_time now)
{
    struct cw_message *p = now >= u->input_free ? cw_fifo_peek(&u->port->from_noc, now) : NULL;
    struct cw_kilo_group *g = p != NULL ? group_of(u, p) : NULL;
    if (p == NULL || !ring_takes(u, g, p))
        return p != NULL;
    cw_fifo_pop(&u->port->from_noc, now);
    u->input_free = now + input_cycles(u, p, g == NULL) * u->period;
    if (g == NULL)
        g = begin_group(u, p, now);
    if (g != NULL && (p->op & CW_KILO_LOG) != 0)
        take_log(u, g, p, now);
    else if (g != NULL && p->op == CW_KILO_DONE)
        take_done_fill(u, g, p);
    else if (g != NULL && p->op == CW_KILO_EOS)
        take_end_of_set(u, g, p);
    else if (g != NULL)
        take_outcome(u, g, p, now);
    cw_message_free(u->tm->host.pool, p);
    return true;
}
