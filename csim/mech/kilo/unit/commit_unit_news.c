/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EAPG: a commit unit announces the words that are about to be written (COMMITTING), and says when they have been (WRITTEN). The reference
 * count table takes a word per cycle, so that each word is entered in the cores' tables once, however many commits want it. A word that
 * finds no place there is not announced.
 *
 * A set of words (the new ones of a message, or all of a group that is over) goes through the table as a whole. The next set begins when its
 * last answer is there. One copy of a message per core leaves through the commit unit's one way out. With eapg.ideal the table is clocked
 * until no set is left, all in one cycle of the commit unit.
 */
#include "mech/kilo/unit/commit_unit.h"

struct word {
    uint64_t addr;
    uint32_t value, index; /* index: among the group's words */
    uint8_t lane;
    bool counted, changed;
};

/* What a group has announced. */
struct cw_kilo_news {
    uint64_t first; /* the group's */
    uint32_t cnt, cap;
    struct word *word;
};

/* Words from .. to - 1 of it are acquired, or released. */
struct cw_kilo_news_set {
    struct cw_kilo_news *news;
    uint32_t from, to;
    bool release;
};

static void free_news(struct cw_kilo_news *n)
{
    if (n != NULL)
        free(n->word);
    free(n);
}

static bool append(struct cw_kilo_news *n, const struct cw_kilo_word *w, uint32_t index)
{
    if (n->cnt == n->cap) {
        const uint32_t cap = n->cap == 0 ? CW_LANES : 2 * n->cap;
        void *moved = realloc(n->word, cap * sizeof *n->word);
        if (moved == NULL)
            return false;
        n->word = moved;
        n->cap = cap;
    }
    n->word[n->cnt++] = (struct word){.addr = w->addr, .lane = w->lane, .index = index};
    return true;
}

static bool add_set(struct cw_kilo_unit *u, struct cw_kilo_news_set s)
{
    if (u->news_ring.cnt == u->news_cap) {
        struct cw_kilo_news_set *larger = cw_ring_grow(&u->news_ring, u->news, &u->news_cap, sizeof *u->news);
        if (larger == NULL)
            return false;
        u->news = larger;
    }
    u->news[cw_ring_add(&u->news_ring, u->news_cap)] = s;
    return true;
}

void cw_kilo_unit__announce(struct cw_kilo_unit *u, struct cw_kilo_group *g, uint32_t first, cw_time now)
{
    (void)now;
    if (first == g->word_cnt)
        return;
    if (g->news == NULL)
        g->news = calloc(1, sizeof *g->news);
    bool done = g->news != NULL;
    const uint32_t from = done ? g->news->cnt : 0;
    for (uint32_t i = first; done && i < g->word_cnt; i++)
        done = append(g->news, g->word + i, i);
    if (done) {
        g->news->first = g->first;
        done = add_set(u, (struct cw_kilo_news_set){.news = g->news, .from = from, .to = g->news->cnt});
    }
    cw_kilo_unit__check(u, done ? CW_OK : CW_ENOMEM);
}

void cw_kilo_unit__announce_end(struct cw_kilo_unit *u, struct cw_kilo_group *g, cw_time now)
{
    cw_lanes decided = g->failed | g->out_fail | g->out_pass;
    (void)now;
    if (g->over || decided != g->accessed || g->written != (g->out_pass & g->writers))
        return;
    g->over = true;
    if (g->news == NULL)
        return;
    for (uint32_t i = 0; i < g->news->cnt; i++) {
        struct word *w = g->news->word + i;
        w->value = g->word[w->index].value;
        w->changed = cw_lanes_has(g->out_pass, w->lane);
    }
    cw_kilo_unit__check(u, add_set(u, (struct cw_kilo_news_set){.news = g->news, .to = g->news->cnt, .release = true}) ? CW_OK : CW_ENOMEM);
    g->news = NULL; /* the set's */
}

static void broadcast(struct cw_kilo_unit *u)
{
    const uint32_t cores = u->tm->config->core_count;
    struct cw_message *p = u->news_message;
    u->news_message = NULL;
    if (p == NULL)
        return;
    for (uint32_t i = 0; i < cores; i++) {
        struct cw_message *copy = i + 1 < cores ? cw_message_copy(u->tm->host.pool, p) : p;
        copy->core = (uint16_t)i;
        u->tm->counters->eapg_broadcasts++;
        cw_kilo_unit__send(u, copy);
    }
}

static void tell_word(struct cw_kilo_unit *u, const struct cw_kilo_news_set *s, const struct word *w, bool edge, cw_time now)
{
    if (u->news_message == NULL) {
        u->news_message =
            cw_kilo_message(u->tm, CW_MSG_OWN_REPLY, s->release ? CW_KILO_WRITTEN : CW_KILO_COMMITTING, u->index, CW_PACKET_ENTRIES, now);
        cw_kilo_commit(u->news_message)->first = s->news->first;
        cw_kilo_log(u->news_message)->log.cnt = 0;
    }
    struct cw_tx_log_body *log = &cw_kilo_log(u->news_message)->log;
    const uint32_t flags = s->release ? (w->changed ? CW_KILO_CHANGED : 0) | (edge ? CW_KILO_LAST : 0) : 0;
    log->entry[log->cnt++] = (struct cw_log_entry){.addr = w->addr, .value = w->value, .flags = (uint8_t)flags, .lane = w->lane};
    if (log->cnt == CW_PACKET_ENTRIES)
        broadcast(u);
}

/* The next word of the set that the table has to be asked for; s->to: none. */
static uint32_t next_word(const struct cw_kilo_news_set *s, uint32_t at)
{
    while (s->release && at < s->to && !s->news->word[at].counted)
        at++;
    return at;
}

/* A clock of the table; whether sets are left. */
static bool clock_table(struct cw_kilo_unit *u, cw_time now)
{
    struct cw_adapt_reference_count_table_answer a;
    if (u->news_ring.cnt == 0)
        return false;
    const struct cw_kilo_news_set *s = u->news + u->news_ring.head;
    const uint32_t ask = next_word(s, u->news_asked < s->from ? s->from : u->news_asked);
    if (ask < s->to)
        cw_adapt_reference_count_table_operate(u->rct, s->news->word[ask].addr, s->release);
    u->news_asked = ask < s->to ? ask + 1 : ask;
    cw_adapt_reference_count_table_clock(u->rct, &a);
    if (a.valid) {
        const uint32_t at = next_word(s, u->news_told < s->from ? s->from : u->news_told);
        struct word *w = s->news->word + at;
        u->news_told = at + 1;
        w->counted = a.counted;
        if (s->release || a.edge)
            tell_word(u, s, w, a.edge, now);
    }
    if (next_word(s, u->news_told < s->from ? s->from : u->news_told) < s->to)
        return true;
    broadcast(u);
    if (s->release)
        free_news(s->news);
    cw_ring_take(&u->news_ring, u->news_cap);
    u->news_asked = u->news_told = 0;
    return u->news_ring.cnt > 0;
}

bool cw_kilo_unit__news_step(struct cw_kilo_unit *u, cw_time now)
{
    bool left = clock_table(u, now);
    while (left && u->tm->keys->eapg_ideal == CW_ON)
        left = clock_table(u, now);
    return left;
}

int cw_kilo_unit__news_create(struct cw_kilo_unit *u, struct cw_error *err)
{
    const struct cw_adapt_reference_count_table_config rct = {
        .units = u->tm->host.units, .partition = u->index, .entries = u->tm->keys->eapg_rct_entries, .memory_base = CW_GLOBAL_BASE};
    return cw_adapt_reference_count_table_create(&u->rct, &rct, err);
}

void cw_kilo_unit__news_forget(struct cw_kilo_group *g)
{
    free_news(g->news);
    g->news = NULL;
}

void cw_kilo_unit__news_destroy(struct cw_kilo_unit *u)
{
    while (u->news_ring.cnt > 0) {
        const struct cw_kilo_news_set s = u->news[cw_ring_take(&u->news_ring, u->news_cap)];
        if (s.release)
            free_news(s.news);
    }
    free(u->news);
    cw_adapt_reference_count_table_destroy(u->rct);
}

void cw_kilo_unit__news_state(struct cw_state *s, struct cw_kilo_news **news)
{
    void *at = *news;
    const bool is_new = cw_state_shared(s, &at);
    *news = at;
    if (!is_new)
        return;
    if (cw_state_loads(s)) {
        *news = calloc(1, sizeof **news);
        cw_state_shares(s, *news);
    }
    struct cw_kilo_news *n = *news;
    if (n == NULL) {
        cw_state_fail(s, CW_ENOMEM, "out of host memory");
        return;
    }
    CW_STATE(s, n->first);
    CW_STATE_GROWN(s, n->cnt, n->word, n->cap);
    for (uint32_t i = 0; i < n->cnt; i++) {
        CW_STATE(s, n->word[i].addr);
        CW_STATE(s, n->word[i].value);
        CW_STATE(s, n->word[i].index);
        CW_STATE(s, n->word[i].lane);
        CW_STATE(s, n->word[i].counted);
        CW_STATE(s, n->word[i].changed);
    }
}

void cw_kilo_unit__news_sets_state(struct cw_state *s, struct cw_kilo_unit *u)
{
    CW_STATE_GROWN(s, u->news_ring.cnt, u->news, u->news_cap);
    if (cw_state_loads(s))
        u->news_ring.head = 0;
    for (uint32_t i = 0; i < u->news_ring.cnt; i++) {
        struct cw_kilo_news_set *set = &u->news[cw_ring_at(&u->news_ring, i, u->news_cap)];
        if (cw_state_loads(s))
            set->news = NULL;
        cw_kilo_unit__news_state(s, &set->news);
        CW_STATE(s, set->from);
        CW_STATE(s, set->to);
        CW_STATE(s, set->release);
    }
    CW_STATE(s, u->news_asked);
    CW_STATE(s, u->news_told);
    cw_message_state(s, &u->news_message);
    cw_adapt_reference_count_table_state(s, u->rct);
}
