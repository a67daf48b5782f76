/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commit unit of Kilo TM (Fung 2015, 4.2.5 and Figure 4.5; rates and states after [art]). Entries lie in a ring in the order of their
 * commit IDs, one per transaction. Four pointers pass over it, each by at most one entry per CU cycle:
 *
 *   hazard   waits until the logs are there; hands every read, then every write to the hazard unit (CHECK, RECORD), one per cycle of
 *            that unit, which has kilo.hazard_rate cycles in one of the CU. It goes on with the last one; the answer comes later
 *   pass     waits for the value comparison. An entry with a hazard holds it until the youngest conflicting entry has retired, and
 *            is compared again; the pointer goes on meanwhile. Else the verdict goes to the core
 *   commit   waits for the core's decision; an entry that passed writes memory, one that failed is done
 *   retire   waits until the writes are in memory
 *
 * Values are compared as the reads arrive, in the background. Per cycle: one message to the port, one commit write and one validation read
 * into the delay line of cu.rop_latency cycles before the L2, one message from the network. A read or write is one word; with
 * warptm.coalesce all words of one message in one region of cu.write_bytes, and a warp's lanes write together, once the commit pointer has
 * passed the last of them.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tm/kilo_census.h"
#include "tm/kilo_hazard.h"
#include "tm/kilo_state.h"

#define COMMIT_UNIT 0xffffu
#define REQUESTS    1024u /* reads and writes on their way to the L2 or in it; power of two */
#define NONE        UINT32_MAX

/* A word of a read set or write set. */
struct word {
    uint64_t addr;
    uint32_t value, next; /* next: of the lane's set, or NONE */
    uint8_t lane, bytes;
    bool announced; /* EAPG */
};

/* The entries of one warp's commit. */
struct group {
    uint64_t first;
    uint64_t rcid; /* oldest entry when the comparison began: older writers are in memory */
    uint32_t members, cnt, core, warp;
    uint32_t accessed; /* lanes; valid when filled */
    bool filled;
    uint32_t head[2][CW_LANES], tail[2][CW_LANES]; /* read set, write set: into word[], or NONE */
    struct word *word;
    uint32_t word_cnt, word_cap;
    uint32_t passed, failed;      /* verdicts */
    uint32_t out_pass, out_fail;  /* decisions */
    uint32_t writers;             /* lanes with writes */
    uint32_t committing, written; /* lanes whose writes have been queued, are done */
    bool probe;                   /* validation of a running transaction */
    bool over;                    /* EAPG: its end has been announced */
    uint32_t live;                /* entries not retired */
    uint64_t attempt[CW_LANES];
    struct group *older, *younger; /* by arrival, while the hazard pointer has not passed the last entry */
    struct group *next;            /* free list */
};

enum state { FILL, DETECT, WAIT, AGAIN, ANSWERED, WRITING, RETIRED };

struct entry {
    struct group *group;            /* NULL: nothing known yet */
    uint64_t ycid;                  /* youngest conflicting entry */
    uint32_t cursor;                /* hazard detection: next word, or NONE */
    uint32_t checks, writes;        /* words not compared, not written */
    uint8_t lane, state, pass_over; /* pass_over: 0 reads, 1 writes */
    bool hazard, differs;
    uint8_t used, needed; /* census: bit 0 the read set's buffer, bit 1 the write set's */
    /* sets that did not fit: read set, write set */
    bool started;                    /* cursor is valid */
    bool over[2], asked[2], here[2]; /* here: sent again, and complete */
};

/* A word that waits to be compared or written. */
struct job {
    struct group *group; /* NULL: taken along with an earlier one */
    uint32_t word, batch;
};

struct jobs {
    struct job *at; /* ring, power of two */
    uint32_t cap, head, cnt;
};

struct request {
    struct group *group;
    uint32_t cnt;
    bool real; /* not WarpTM-EL, where the arbiter has written memory */
    uint32_t word[4 * CW_LANES];
    struct cw_packet *p;
    cw_time ready;
};

struct cw_kilo_unit {
    struct cw_component component;
    struct cw_tm *tm;
    uint32_t index;
    cw_time period;
    struct cw_partition_tm *port;
    struct cw_kilo_port *to_cores;
    struct cw_kilo_hazard *detector; /* NULL: WarpTM-EL, idealised systems */
    struct entry *ring;
    uint32_t ring_cap;                           /* power of two */
    uint64_t retire, commit, pass, hazard, tail; /* IDs */
    uint32_t epoch;
    struct group *oldest, *youngest; /* by arrival, so by RCID: groups that are not detected in full */
    struct group *groups;            /* free */
    struct jobs compare, write;
    uint32_t batches;
    struct request *request;
    uint16_t *idle; /* free requests */
    uint32_t idle_cnt;
    uint16_t line[REQUESTS]; /* delay line: requests in order */
    uint32_t line_head, line_cnt;
    struct cw_kilo_event *out; /* ring, power of two */
    uint32_t out_cap, out_head, out_cnt;
    cw_time waiting;    /* since when the pass pointer waits for a conflict; 0: it does not */
    uint32_t announced; /* words in the reference count table */
    uint64_t published;
    cw_time input_free; /* until then the last message is being taken in */
    struct cw_kilo_census census;
};

static struct entry *at(const struct cw_kilo_unit *u, uint64_t id)
{
    return u->ring + (id & (u->ring_cap - 1));
}

static uint64_t id_of(const struct group *g, uint32_t lane)
{
    return g->first + cw_kilo_lane_cnt(g->members & ((1u << lane) - 1));
}

static void out_of_memory(struct cw_kilo_unit *u)
{
    cw_kilo__fault(u->tm, CW_ENOMEM, "out of host memory for a commit unit");
}

/* Grows a ring of power-of-two capacity; its elements keep their order from index 0 on. */
static bool grow_ring(void **ring, uint32_t *cap, uint32_t *head, uint32_t cnt, size_t bytes)
{
    uint32_t larger = *cap == 0 ? 64 : 2 * *cap;
    char *moved = malloc(larger * bytes);
    if (moved == NULL)
        return false;
    for (uint32_t i = 0; i < cnt; i++)
        memcpy(moved + i * bytes, (char *)*ring + ((*head + i) & (*cap - 1)) * bytes, bytes);
    free(*ring);
    *ring = moved;
    *cap = larger;
    *head = 0;
    return true;
}

/* Census */

static void census(struct cw_kilo_unit *u, enum cw_kilo_level which, int64_t change, cw_time now)
{
    cw_kilo_census_add(&u->census, u->tm->cfg.stats, which, change, now, u->period);
}

/* A word of that set of the entry has come. */
static void census_word(struct cw_kilo_unit *u, struct entry *e, uint32_t set, cw_time now)
{
    if ((e->used >> set & 1) != 0)
        return;
    if (e->used == 0)
        census(u, CW_KILO_ACCESSED, 1, now);
    e->used |= (uint8_t)(1u << set);
    e->needed |= (uint8_t)(1u << set);
    census(u, CW_KILO_USED, 1, now);
    census(u, CW_KILO_NEEDED, 1, now);
}

/* These sets of the entry are not needed any more. */
static void census_release(struct cw_kilo_unit *u, struct entry *e, uint32_t sets, cw_time now)
{
    sets &= e->needed;
    e->needed &= (uint8_t)~sets;
    if (sets != 0)
        census(u, CW_KILO_NEEDED, -(int64_t)cw_kilo_lane_cnt(sets), now);
}

static void census_retire(struct cw_kilo_unit *u, struct entry *e, cw_time now)
{
    census_release(u, e, 3, now);
    if (e->used != 0) {
        census(u, CW_KILO_ACCESSED, -1, now);
        census(u, CW_KILO_USED, -(int64_t)cw_kilo_lane_cnt(e->used), now);
    }
    census(u, CW_KILO_ALL, -1, now);
}

/* To the cores */

static void tell(struct cw_kilo_unit *u, struct cw_kilo_event e)
{
    void *ring = u->out;
    if (u->out_cnt == u->out_cap && !grow_ring(&ring, &u->out_cap, &u->out_head, u->out_cnt, sizeof *u->out)) {
        out_of_memory(u);
        return;
    }
    u->out = ring;
    u->out[(u->out_head + u->out_cnt++) & (u->out_cap - 1)] = e;
}

static void send(struct cw_kilo_unit *u, const struct group *g, uint32_t sub, uint32_t pass, uint32_t fail, cw_time now)
{
    struct cw_packet *p = cw_kilo__message(u->tm, CW_PK_TX_CONTROL_REPLY, sub, u->index, now);
    p->core = (uint16_t)g->core;
    p->warp = (uint16_t)g->warp;
    p->warpts = g->first;
    p->outcome[CW_KILO_PASS] = pass;
    p->outcome[CW_KILO_FAIL] = fail;
    tell(u, (struct cw_kilo_event){.note = CW_KILO_PACKET, .packet = p});
}

static void speak(struct cw_kilo_unit *u, cw_time now)
{
    bool packet = false;
    while (u->out_cnt > 0 && !packet && cw_kilo__port_room(u->to_cores, now)) {
        const struct cw_kilo_event *e = u->out + u->out_head;
        packet = e->note == CW_KILO_PACKET;
        cw_kilo__port_tell(u->to_cores, *e, now);
        u->out_head = (u->out_head + 1) & (u->out_cap - 1);
        u->out_cnt--;
    }
}

/* EAPG. One copy of a broadcast per core leaves through the one way out. The reference count table is exact and takes a whole message per
 * cycle, as GETM's footnote 3 idealises it; a word that finds no place in it is not announced. */

static void broadcast(struct cw_kilo_unit *u, const struct group *g, uint32_t sub, struct cw_packet *p)
{
    const uint32_t cores = u->tm->config->core_count;
    p->sub = (uint8_t)sub;
    p->warpts = g->first;
    for (uint32_t i = 0; i < cores; i++) {
        struct cw_packet *copy = i + 1 < cores ? cw_packet_new(u->tm->cfg.pool) : p;
        if (copy == NULL)
            break;
        if (copy != p)
            *copy = *p;
        copy->core = (uint16_t)i;
        u->tm->cfg.stats->eapg_broadcasts++;
        tell(u, (struct cw_kilo_event){.note = CW_KILO_PACKET, .packet = copy});
    }
}

static struct cw_packet *new_news(struct cw_kilo_unit *u, cw_time now)
{
    struct cw_packet *p = cw_kilo__message(u->tm, CW_PK_TX_CONTROL_REPLY, CW_KILO_COMMITTING, u->index, now);
    p->u.log.cnt = 0;
    return p;
}

/* The words from first on are about to be committed. */
static void announce(struct cw_kilo_unit *u, struct group *g, uint32_t first, cw_time now)
{
    if (u->tm->kind != CW_KILO_EAPG)
        return;
    struct cw_packet *p = new_news(u, now);
    for (uint32_t i = first; i < g->word_cnt && u->announced < u->tm->config->eapg_rct_entries; i++, u->announced++) {
        g->word[i].announced = true;
        p->u.log.entry[p->u.log.cnt++] = (struct cw_log_entry){.addr = g->word[i].addr};
    }
    if (p->u.log.cnt > 0)
        broadcast(u, g, CW_KILO_COMMITTING, p);
    else
        cw_packet_free(u->tm->cfg.pool, p);
}

/* The group's commit is over here, when every lane is decided and written. */
static void announce_end(struct cw_kilo_unit *u, struct group *g, cw_time now)
{
    uint32_t decided = g->failed | g->out_fail | g->out_pass;
    if (u->tm->kind != CW_KILO_EAPG || g->over || decided != g->accessed || g->written != (g->out_pass & g->writers))
        return;
    g->over = true;
    struct cw_packet *p = NULL;
    for (uint32_t i = 0; i < g->word_cnt; i++) {
        const struct word *w = g->word + i;
        if (!w->announced)
            continue;
        u->announced--;
        if (p == NULL)
            p = new_news(u, now);
        p->u.log.entry[p->u.log.cnt++] =
            (struct cw_log_entry){.addr = w->addr, .value = w->value, .flags = g->out_pass >> w->lane & 1, .lane = w->lane};
        if (p->u.log.cnt < CW_PACKET_ENTRIES)
            continue;
        broadcast(u, g, CW_KILO_WRITTEN, p);
        p = NULL;
    }
    if (p != NULL)
        broadcast(u, g, CW_KILO_WRITTEN, p);
}

/* Groups */

static struct group *new_group(struct cw_kilo_unit *u, const struct cw_packet *p)
{
    struct group *g = u->groups;
    if (g != NULL)
        u->groups = g->next;
    else
        g = calloc(1, sizeof *g);
    if (g == NULL) {
        out_of_memory(u);
        return NULL;
    }
    struct word *word = g->word;
    uint32_t cap = g->word_cap;
    *g = (struct group){.first = p->warpts, .rcid = u->retire, .members = p->lanes, .word = word, .word_cap = cap};
    g->cnt = g->live = cw_kilo_lane_cnt(p->lanes);
    g->core = p->core;
    g->probe = p->outcome[CW_KILO_PROBE] != 0;
    g->warp = p->warp;
    memset(g->head, 0xff, sizeof g->head);
    memset(g->tail, 0xff, sizeof g->tail);
    g->older = u->youngest;
    *(g->older != NULL ? &g->older->younger : &u->oldest) = g;
    u->youngest = g;
    if (u->tm->cfg.observer != NULL)
        memcpy(g->attempt, u->tm->core[p->core].warp[p->warp].attempt, sizeof g->attempt);
    return g;
}

static bool grow_entries(struct cw_kilo_unit *u, uint64_t tail)
{
    while (tail - u->retire > u->ring_cap) {
        struct entry *larger = calloc(2 * (size_t)u->ring_cap, sizeof *larger);
        if (larger == NULL) {
            out_of_memory(u);
            return false;
        }
        for (uint64_t id = u->retire; id < u->tail; id++)
            larger[id & (2 * (uint64_t)u->ring_cap - 1)] = *at(u, id);
        free(u->ring);
        u->ring = larger;
        u->ring_cap *= 2;
    }
    return true;
}

static void begin_epoch(struct cw_kilo_unit *u, uint32_t epoch)
{
    assert(u->retire == u->tail);
    if (u->detector != NULL)
        cw_kilo_hazard_begin_epoch(u->detector, u->retire);
    u->epoch = epoch;
}

/* The group that a message belongs to; its first message makes it. The last member is looked at, since it retires last. */
static struct group *group_of(struct cw_kilo_unit *u, const struct cw_packet *p, cw_time now)
{
    uint64_t end = p->warpts + cw_kilo_lane_cnt(p->lanes);
    if (end <= u->tail && at(u, end - 1)->group != NULL)
        return at(u, end - 1)->group;
    if (u->epoch != p->tag)
        begin_epoch(u, p->tag);
    struct group *g = grow_entries(u, end) ? new_group(u, p) : NULL;
    if (g == NULL)
        return NULL;
    if (end > u->tail) {
        census(u, CW_KILO_ALL, (int64_t)(end - u->tail), now);
        u->tail = end;
    }
    uint64_t id = g->first;
    for (uint32_t rest = g->members; rest != 0; rest &= rest - 1, id++)
        *at(u, id) = (struct entry){.group = g, .lane = (uint8_t)__builtin_ctz(rest), .state = FILL};
    return g;
}

/* Jobs */

static void add_job(struct cw_kilo_unit *u, struct jobs *q, struct group *g, uint32_t word, uint32_t batch)
{
    void *ring = q->at;
    if (q->cnt == q->cap && !grow_ring(&ring, &q->cap, &q->head, q->cnt, sizeof *q->at)) {
        out_of_memory(u);
        return;
    }
    q->at = ring;
    q->at[(q->head + q->cnt++) & (q->cap - 1)] = (struct job){.group = g, .word = word, .batch = batch};
}

static struct job *job_at(const struct jobs *q, uint32_t i)
{
    return q->at + ((q->head + i) & (q->cap - 1));
}

static void skip_taken(struct jobs *q)
{
    while (q->cnt > 0 && q->at[q->head].group == NULL) {
        q->head = (q->head + 1) & (q->cap - 1);
        q->cnt--;
    }
}

static void add_word(struct request *r, const struct word *w, uint32_t index, bool write)
{
    uint32_t offset = (uint32_t)(w->addr - r->p->addr);
    r->word[r->cnt++] = index;
    r->p->sectors |= (uint8_t)(1u << (offset / CW_SECTOR_BYTES));
    if (!write || !r->real)
        return;
    for (uint32_t b = 0; b < 4; b++)
        if (w->bytes >> b & 1)
            r->p->u.data[offset + b] = (uint8_t)(w->value >> (8 * b));
    r->p->byte_mask[offset / 32] |= (uint32_t)w->bytes << (offset % 32);
}

/* The oldest job, and with coalescing its batch's other jobs in the same region, become one access of the L2. */
static void issue(struct cw_kilo_unit *u, struct jobs *q, bool write, cw_time now)
{
    const struct cw_config *config = u->tm->config;
    if (q->cnt == 0 || u->idle_cnt == 0)
        return;
    struct job head = *job_at(q, 0);
    uint16_t slot = u->idle[--u->idle_cnt];
    struct request *r = u->request + slot;
    uint64_t mask = ~(uint64_t)(u->tm->coalesce ? config->cu_write_bytes - 1 : 3), region = head.group->word[head.word].addr & mask;
    r->group = head.group;
    r->real = u->tm->kind != CW_KILO_EL;
    r->cnt = 0;
    r->p = cw_packet_new(u->tm->cfg.pool);
    r->p->kind = write ? CW_PK_WRITE : CW_PK_READ;
    r->p->core = COMMIT_UNIT;
    r->p->partition = (uint16_t)u->index;
    r->p->addr = region & ~(uint64_t)(CW_LINE_BYTES - 1);
    r->p->tag = slot;
    r->p->born = now;
    for (uint32_t i = 0; i < q->cnt && r->cnt < 4 * CW_LANES; i++) {
        struct job *j = job_at(q, i);
        if (j->batch != head.batch || (i > 0 && !u->tm->coalesce))
            break;
        if (j->group == NULL || (j->group->word[j->word].addr & mask) != region)
            continue;
        add_word(r, j->group->word + j->word, j->word, write);
        j->group = NULL;
    }
    skip_taken(q);
    r->ready = now + config->cu_rop_latency * u->period;
    u->line[(u->line_head + u->line_cnt++) % REQUESTS] = slot;
    *(write ? &u->tm->cfg.stats->cu_writes : &u->tm->cfg.stats->cu_reads) += 1;
    if (!write)
        u->tm->cfg.stats->cu_read_words += r->cnt;
}

static void feed_l2(struct cw_kilo_unit *u, cw_time now)
{
    while (u->line_cnt > 0 && u->request[u->line[u->line_head]].ready <= now && cw_fifo_can_push(&u->port->to_l2, now)) {
        cw_fifo_push(&u->port->to_l2, now, cw_kilo_period(u->tm, CW_DOMAIN_L2), u->request[u->line[u->line_head]].p);
        u->line_head = (u->line_head + 1) % REQUESTS;
        u->line_cnt--;
    }
}

/* Comparison */

static void compare_set(struct cw_kilo_unit *u, struct entry *e, uint32_t batch)
{
    e->differs = false;
    for (uint32_t i = e->group->head[0][e->lane]; i != NONE; i = e->group->word[i].next) {
        e->checks++;
        add_job(u, &u->compare, e->group, i, batch);
    }
}

static void forget_expected(struct cw_kilo_unit *u, const struct group *g, uint32_t lane)
{
    if (u->tm->tcd != CW_KILO_TCD_CLOSED)
        return;
    for (uint32_t i = g->head[1][lane]; i != NONE; i = g->word[i].next)
        tell(u, (struct cw_kilo_event){.note = CW_KILO_WROTE, .block = cw_kilo_tcd_block(u->tm, g->word[i].addr), .cnt = 1});
}

/* Unbounded transactions: a set that did not fit is asked for again by each stage that walks it, and then cut to the buffer's size. */

/* Whether the whole set is here; if not, asks for it. */
static bool whole(struct cw_kilo_unit *u, struct entry *e, uint32_t set, cw_time now)
{
    struct group *g = e->group;
    if (!e->over[set] || e->here[set])
        return true;
    if (!e->asked[set]) {
        e->asked[set] = true;
        g->head[set][e->lane] = g->tail[set][e->lane] = NONE;
        u->tm->cfg.stats->cu_resends++;
        send(u, g, CW_KILO_RESEND, 1u << e->lane, set, now);
    }
    return false;
}

static void cut(const struct cw_kilo_unit *u, struct entry *e, uint32_t set)
{
    struct group *g = e->group;
    uint32_t left = set == 0 ? u->tm->config->kilo_read_words : u->tm->config->kilo_write_words;
    if (!e->over[set])
        return;
    e->asked[set] = e->here[set] = false;
    for (uint32_t i = g->head[set][e->lane]; i != NONE; i = g->word[i].next)
        if (--left == 0) {
            g->word[i].next = NONE;
            g->tail[set][e->lane] = i;
            return;
        }
}

static void verdict(struct cw_kilo_unit *u, struct entry *e, cw_time now)
{
    struct group *g = e->group;
    uint32_t bit = 1u << e->lane;
    census_release(u, e, e->differs ? 3 : 1, now);
    if (e->differs) {
        g->failed |= bit;
        e->state = RETIRED;
        forget_expected(u, g, e->lane);
    } else {
        g->passed |= bit;
        e->state = ANSWERED;
    }
    if (u->tm->kind == CW_KILO_EL)
        return; /* it has been decided */
    if (!u->tm->aggregate)
        send(u, g, CW_KILO_VERDICT, g->passed & bit, g->failed & bit, now);
    else if ((g->passed | g->failed) == g->accessed)
        send(u, g, CW_KILO_VERDICT, g->passed, g->failed, now);
    announce_end(u, g, now);
}

static void compared(struct cw_kilo_unit *u, const struct request *r, cw_time now)
{
    const struct cw_tm_observer *o = u->tm->cfg.observer;
    struct group *g = r->group;
    for (uint32_t i = 0; i < r->cnt; i++) {
        const struct word *w = g->word + r->word[i];
        struct entry *e = at(u, id_of(g, w->lane));
        uint32_t value;
        memcpy(&value, r->p->u.data + (w->addr - r->p->addr), 4);
        e->differs |= value != w->value;
        if (o != NULL && o->validate != NULL && !g->probe && value == w->value)
            o->validate(o->self, g->attempt[w->lane], w->addr, value, now);
        if (--e->checks == 0 && e->state == AGAIN)
            verdict(u, e, now);
    }
}

/* Writes */

static void acknowledge(struct cw_kilo_unit *u, struct group *g, uint32_t lane, cw_time now)
{
    g->written |= 1u << lane;
    if (!u->tm->aggregate)
        send(u, g, CW_KILO_ACK, 1u << lane, 0, now);
    else if (g->written == (g->out_pass & g->writers))
        send(u, g, CW_KILO_ACK, g->written, 0, now);
}

/* Tells the last-written table of each block that a request has written. */
static void tell_written(struct cw_kilo_unit *u, const struct request *r)
{
    for (uint32_t i = 0; i < r->cnt; i++) {
        uint64_t block = cw_kilo_tcd_block(u->tm, r->group->word[r->word[i]].addr);
        uint32_t first = i, cnt = 0;
        for (uint32_t j = 0; j < r->cnt; j++)
            if (cw_kilo_tcd_block(u->tm, r->group->word[r->word[j]].addr) == block) {
                first = j < first ? j : first;
                cnt++;
            }
        if (first == i)
            tell(u, (struct cw_kilo_event){
                        .note = CW_KILO_WROTE, .block = block, .cnt = u->tm->tcd == CW_KILO_TCD_CLOSED ? cnt : 0, .written = true});
    }
}

static void wrote(struct cw_kilo_unit *u, const struct request *r, cw_time now)
{
    const struct cw_tm_observer *o = u->tm->cfg.observer;
    struct group *g = r->group;
    if (u->tm->tcd != CW_KILO_TCD_OFF)
        tell_written(u, r);
    for (uint32_t i = 0; i < r->cnt; i++) {
        const struct word *w = g->word + r->word[i];
        struct entry *e = at(u, id_of(g, w->lane));
        if (o != NULL && r->real)
            o->write(o->self, g->attempt[w->lane], w->addr, w->value, w->bytes, now);
        if (--e->writes > 0)
            continue;
        e->state = RETIRED;
        acknowledge(u, g, w->lane, now);
        announce_end(u, g, now);
    }
}

static void take_done(struct cw_kilo_unit *u, cw_time now)
{
    struct cw_packet *p;
    while ((p = cw_fifo_pop(&u->port->l2_done, now)) != NULL) {
        struct request *r = u->request + p->tag;
        if (p->kind == CW_PK_READ)
            compared(u, r, now);
        else
            wrote(u, r, now);
        u->idle[u->idle_cnt++] = (uint16_t)p->tag;
        cw_packet_free(u->tm->cfg.pool, p);
    }
}

static void queue_lane(struct cw_kilo_unit *u, struct group *g, uint32_t lane, uint32_t batch)
{
    struct entry *e = at(u, id_of(g, lane));
    for (uint32_t i = g->head[1][lane]; i != NONE; i = g->word[i].next) {
        e->writes++;
        add_job(u, &u->write, g, i, batch);
    }
}

/* Pointers */

/* Commit IDs below are a hazard to nobody any more: RCIDs ascend in the order of arrival. */
static uint64_t live(const struct cw_kilo_unit *u)
{
    return u->oldest != NULL ? u->oldest->rcid : u->retire;
}

static void advance_hazard(struct cw_kilo_unit *u, struct group *g)
{
    if (++u->hazard < g->first + g->cnt)
        return;
    *(g->older != NULL ? &g->older->younger : &u->oldest) = g->younger;
    *(g->younger != NULL ? &g->younger->older : &u->youngest) = g->older;
}

/* Whether both sets of the entry are at the hazard pointer's hand as far as it needs them now. */
static bool word_here(struct cw_kilo_unit *u, struct entry *e, cw_time now)
{
    const struct group *g = e->group;
    if (!whole(u, e, e->pass_over, now))
        return false;
    if (!e->started) {
        e->started = true;
        e->cursor = g->head[e->pass_over][e->lane];
    }
    if (e->pass_over == 0 && e->cursor == NONE) {
        cut(u, e, 0);
        e->pass_over = 1;
        e->started = whole(u, e, 1, now);
        e->cursor = g->head[1][e->lane];
    }
    return e->started;
}

/* The word at the cursor is the last of both sets. */
static bool last_word(const struct group *g, const struct entry *e)
{
    return g->word[e->cursor].next == NONE && (e->pass_over == 1 || (g->head[1][e->lane] == NONE && !e->over[1]));
}

/* What the hazard unit is offered now: false if nothing. *moved: the pointer went on without it. */
static bool next_word(struct cw_kilo_unit *u, struct cw_kilo_hazard_entry *offer, bool *moved, cw_time now)
{
    struct entry *e = at(u, u->hazard);
    *moved = false;
    if (u->hazard == u->tail || e->group == NULL || !e->group->filled)
        return false;
    struct group *g = e->group;
    if ((g->accessed >> e->lane & 1) == 0) {
        e->state = RETIRED;
        advance_hazard(u, g);
        *moved = true;
        return false;
    }
    if (!word_here(u, e, now))
        return false;
    *offer = (struct cw_kilo_hazard_entry){.kind = CW_HAZARD_NONE, .entry = u->hazard, .last = e->cursor == NONE};
    if (e->cursor == NONE)
        return true;
    offer->kind = e->pass_over == 0 ? CW_HAZARD_CHECK : CW_HAZARD_RECORD;
    offer->last = last_word(g, e);
    offer->addr = g->word[e->cursor].addr;
    offer->rcid = g->rcid;
    /* A warp without conflicts among its lanes never waits for itself: this would be a false hit, behind which an older writer may be. */
    offer->own = u->tm->resolution != CW_KILO_NONE ? g->first : u->hazard;
    offer->id = offer->kind == CW_HAZARD_CHECK ? offer->own : u->hazard;
    return true;
}

static void word_taken(struct cw_kilo_unit *u)
{
    struct entry *e = at(u, u->hazard);
    bool last = e->cursor == NONE || last_word(e->group, e);
    if (e->cursor != NONE) {
        e->cursor = e->group->word[e->cursor].next;
        u->tm->cfg.stats->cu_hazard_cycles++;
    }
    if (!last)
        return;
    cut(u, e, 0);
    cut(u, e, 1);
    e->state = u->detector != NULL ? DETECT : WAIT;
    advance_hazard(u, e->group);
}

static void detected(struct cw_kilo_unit *u, const struct cw_kilo_hazard_result *r)
{
    struct entry *e = at(u, r->entry);
    assert(e->state == DETECT);
    e->state = WAIT;
    if (!r->hazard || u->tm->sabotage == CW_KILO_IGNORE_HAZARD)
        return;
    e->hazard = true;
    e->ycid = r->ycid;
    u->tm->cfg.stats->cu_hazards++;
    u->tm->cfg.stats->cu_hazards_filter += !r->exact;
}

/* One cycle of the hazard unit; false: nothing to do until a message comes. */
static bool hazard_step(struct cw_kilo_unit *u, cw_time now)
{
    struct cw_kilo_hazard_entry offer;
    struct cw_kilo_hazard_result result;
    bool moved, offered = next_word(u, &offer, &moved, now);
    if (u->detector == NULL) { /* nothing is left to detect */
        if (offered) {
            at(u, u->hazard)->cursor = NONE;
            word_taken(u);
        }
        return moved || offered;
    }
    if (cw_kilo_hazard_clock(u->detector, offered ? &offer : NULL, live(u), &result))
        word_taken(u);
    if (result.valid)
        detected(u, &result);
    return moved || offered || cw_kilo_hazard_busy(u->detector);
}

static bool pass_step(struct cw_kilo_unit *u, cw_time now)
{
    struct entry *e = at(u, u->pass);
    if (u->pass == u->hazard || e->state == DETECT)
        return false;
    if (e->state == WAIT) {
        if (e->checks > 0)
            return false;
        if (e->hazard && u->retire <= e->ycid) {
            u->waiting = u->waiting == 0 ? now : u->waiting;
            return false;
        }
        if (e->hazard && !whole(u, e, 0, now))
            return false;
        if (u->waiting != 0)
            u->tm->cfg.stats->cu_wait_cycles += (now - u->waiting) / u->period;
        u->waiting = 0;
        bool reads = e->group->head[0][e->lane] != NONE; /* kilo.hazard=bloom-array finds hazards of writes as well */
        if (e->hazard && reads && u->tm->sabotage != CW_KILO_SKIP_REVALIDATION) {
            e->state = AGAIN;
            compare_set(u, e, u->batches++);
            cut(u, e, 0);
        } else {
            verdict(u, e, now);
        }
    }
    u->pass++;
    return true;
}

static void commit_entry(struct cw_kilo_unit *u, struct entry *e)
{
    struct group *g = e->group;
    if ((g->writers >> e->lane & 1) == 0) {
        e->state = RETIRED;
        return;
    }
    e->state = WRITING;
    g->committing |= 1u << e->lane;
    if (!u->tm->coalesce)
        queue_lane(u, g, e->lane, u->batches++);
}

static bool commit_step(struct cw_kilo_unit *u, cw_time now)
{
    struct entry *e = at(u, u->commit);
    if (u->commit == u->pass || e->state == AGAIN)
        return false;
    struct group *g = e->group;
    if (e->state == ANSWERED && (g->out_fail >> e->lane & 1) != 0) {
        e->state = RETIRED;
        census_release(u, e, 3, now);
        forget_expected(u, g, e->lane);
    } else if (e->state == ANSWERED) {
        if ((g->out_pass >> e->lane & 1) == 0 || !whole(u, e, 1, now))
            return false;
        commit_entry(u, e);
    }
    u->commit++;
    if (u->tm->coalesce && u->commit == g->first + g->cnt && u->tm->sabotage != CW_KILO_OUT_OF_ORDER) {
        for (uint32_t rest = g->committing; rest != 0; rest &= rest - 1)
            queue_lane(u, g, (uint32_t)__builtin_ctz(rest), u->batches);
        u->batches++;
    }
    return true;
}

/* Decisions acted upon as they come, in whatever order. */
static void commit_at_once(struct cw_kilo_unit *u, struct group *g, uint32_t lanes)
{
    for (; lanes != 0; lanes &= lanes - 1) {
        struct entry *e = at(u, id_of(g, (uint32_t)__builtin_ctz(lanes)));
        commit_entry(u, e);
        if (e->state == WRITING && u->tm->coalesce)
            queue_lane(u, g, e->lane, u->batches++);
    }
}

static bool retire_step(struct cw_kilo_unit *u, cw_time now)
{
    struct entry *e = at(u, u->retire);
    if (u->retire == u->commit || e->state != RETIRED)
        return false;
    struct group *g = e->group;
    census_retire(u, e, now);
    e->group = NULL;
    u->retire++;
    if (--g->live == 0) {
        g->next = u->groups;
        u->groups = g;
    }
    return true;
}

/* Tells the ID vendor, when it needs to know. */
static void publish(struct cw_kilo_unit *u, cw_time now)
{
    if (u->tm->vendor == NULL)
        return;
    struct cw_fifo *to = cw_kilo__vendor_retired(u->tm->vendor, u->index);
    bool due = u->tm->config->kilo_entries != 0 || u->retire == u->tail;
    if (!due || u->published == u->retire || !cw_fifo_can_push(to, now))
        return;
    cw_fifo_push(to, now, u->tm->config->kilo_id_latency * cw_kilo_period(u->tm, CW_DOMAIN_CORE), (void *)(uintptr_t)(u->retire + 1));
    u->published = u->retire;
}

/* Messages */

static bool merge(struct group *g, const struct cw_log_entry *l)
{
    for (uint32_t i = g->head[1][l->lane]; i != NONE; i = g->word[i].next) {
        struct word *w = g->word + i;
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
static uint32_t store_word(struct cw_kilo_unit *u, struct group *g, const struct cw_log_entry *l, bool write, bool linked)
{
    g->writers |= (uint32_t)write << l->lane;
    if (write && merge(g, l))
        return NONE;
    if (g->word_cnt == g->word_cap) {
        uint32_t cap = g->word_cap == 0 ? 64 : 2 * g->word_cap;
        struct word *word = realloc(g->word, cap * sizeof *word);
        if (word == NULL) {
            out_of_memory(u);
            return NONE;
        }
        g->word = word;
        g->word_cap = cap;
    }
    uint32_t i = g->word_cnt++;
    g->word[i] = (struct word){.addr = l->addr, .value = l->value, .next = NONE, .lane = l->lane, .bytes = l->bytes};
    if (!linked)
        return i;
    if (g->head[write][l->lane] == NONE)
        g->head[write][l->lane] = i;
    else
        g->word[g->tail[write][l->lane]].next = i;
    g->tail[write][l->lane] = i;
    return i;
}

static uint32_t buffered(const struct group *g, uint32_t set, uint32_t lane)
{
    uint32_t cnt = 0;
    for (uint32_t i = g->head[set][lane]; i != NONE; i = g->word[i].next)
        cnt++;
    return cnt;
}

static void take_log(struct cw_kilo_unit *u, struct group *g, const struct cw_packet *p, cw_time now)
{
    bool again = (p->sub & CW_KILO_AGAIN) != 0, write = (p->sub & ~CW_KILO_AGAIN) == CW_KILO_WRITES;
    uint32_t first = g->word_cnt;
    u->tm->cfg.stats->cu_packets++;
    u->tm->cfg.stats->cu_entries += p->u.log.cnt;
    for (uint32_t i = 0; i < p->u.log.cnt; i++) {
        const struct cw_log_entry *l = p->u.log.entry + i;
        struct entry *e = at(u, id_of(g, l->lane));
        uint32_t bound = write ? u->tm->config->kilo_write_words : u->tm->config->kilo_read_words;
        bool fits = again || bound == 0 || buffered(g, write, l->lane) < bound;
        e->over[write] |= !fits;
        census_word(u, e, write, now);
        if (!fits && write) { /* it will be sent again */
            g->writers |= 1u << l->lane;
            continue;
        }
        uint32_t word = store_word(u, g, l, write, fits);
        if (word == NONE || again)
            continue;
        if (!write) {
            e->checks++;
            add_job(u, &u->compare, g, word, u->batches);
        } else if (u->tm->tcd == CW_KILO_TCD_CLOSED) {
            tell(u, (struct cw_kilo_event){.note = CW_KILO_EXPECT, .block = cw_kilo_tcd_block(u->tm, l->addr), .cnt = 1});
        }
    }
    u->batches++;
    if (write && !again)
        announce(u, g, first, now);
}

static void take_done_fill(struct cw_kilo_unit *u, struct group *g, const struct cw_packet *p)
{
    g->filled = true;
    g->accessed = p->outcome[0];
    for (uint32_t rest = g->accessed; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        cw_kilo_census_sizes(u->tm->cfg.stats, buffered(g, 0, lane), buffered(g, 1, lane));
    }
    if (u->tm->kind == CW_KILO_EL)
        g->out_pass = g->accessed;
}

/*
 * Cycles that a message takes at the input. WarpTM takes a warp's message at once, Kilo TM a transaction per cycle ([art]): a log row has
 * an entry for each of the warp's transactions, void where it belongs to another partition; DONE counts those with accesses here.
 */
static uint32_t input_cycles(const struct cw_kilo_unit *u, const struct cw_packet *p)
{
    if (u->tm->aggregate)
        return 1;
    if (p->kind == CW_PK_TX_LOG)
        return cw_kilo_lane_cnt(p->lanes);
    return p->sub == CW_KILO_DONE ? 1 + cw_kilo_lane_cnt(p->outcome[0]) : 1;
}

static bool accept(struct cw_kilo_unit *u, cw_time now)
{
    struct cw_packet *p = now >= u->input_free ? cw_fifo_pop(&u->port->from_noc, now) : NULL;
    if (p == NULL)
        return false;
    u->input_free = now + input_cycles(u, p) * u->period;
    struct group *g = group_of(u, p, now);
    if (g != NULL && p->kind == CW_PK_TX_LOG)
        take_log(u, g, p, now);
    else if (g != NULL && p->sub == CW_KILO_DONE)
        take_done_fill(u, g, p);
    else if (g != NULL && p->sub == CW_KILO_EOS)
        at(u, id_of(g, (uint32_t)__builtin_ctz(p->outcome[0])))->here[p->outcome[1]] = true;
    else if (g != NULL) {
        g->out_pass |= p->outcome[CW_KILO_PASS];
        g->out_fail |= p->outcome[CW_KILO_FAIL];
        announce_end(u, g, now);
        if (u->tm->sabotage == CW_KILO_OUT_OF_ORDER)
            commit_at_once(u, g, p->outcome[CW_KILO_PASS]);
    }
    cw_packet_free(u->tm->cfg.pool, p);
    return true;
}

static void tick(void *self, cw_time now)
{
    struct cw_kilo_unit *u = self;
    bool more = false;
    take_done(u, now);
    speak(u, now);
    issue(u, &u->write, true, now);
    issue(u, &u->compare, false, now);
    feed_l2(u, now);
    for (uint32_t i = 0; i < u->tm->config->kilo_hazard_rate; i++)
        more |= hazard_step(u, now);
    more |= pass_step(u, now);
    more |= commit_step(u, now);
    more |= retire_step(u, now);
    publish(u, now);
    more |= accept(u, now);
    more |= u->write.cnt > 0 || u->compare.cnt > 0 || u->out_cnt > 0;
    cw_time next = cw_fifo_next(&u->port->from_noc);
    next = next < u->input_free ? u->input_free : next;
    cw_time done = cw_fifo_next(&u->port->l2_done);
    next = done < next ? done : next;
    if (u->line_cnt > 0 && u->request[u->line[u->line_head]].ready < next)
        next = u->request[u->line[u->line_head]].ready;
    u->component.wake = !more && next > now ? next : now + u->period;
}

/* Everything else */

int cw_kilo__unit_create(struct cw_kilo_unit **out, struct cw_tm *tm, uint32_t index, struct cw_error *err)
{
    struct cw_kilo_unit *u = *out = calloc(1, sizeof *u);
    if (u == NULL)
        return CW_ENOMEM;
    u->tm = tm;
    u->index = index;
    u->period = cw_kilo_period(tm, CW_DOMAIN_CU);
    u->component = (struct cw_component){.tick = tick, .self = u, .wake = CW_TIME_NEVER, .domain = CW_DOMAIN_CU};
    u->port = cw_partition_tm_ports(tm->cfg.partition[index]);
    u->port->from_noc.wake = &u->component.wake;
    u->port->l2_done.wake = &u->component.wake;
    u->to_cores = tm->port[index];
    u->ring_cap = 1024;
    u->ring = calloc(u->ring_cap, sizeof *u->ring);
    u->request = calloc(REQUESTS, sizeof *u->request);
    u->idle = calloc(REQUESTS, sizeof *u->idle);
    if (u->ring == NULL || u->request == NULL || u->idle == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < REQUESTS; i++)
        u->idle[u->idle_cnt++] = (uint16_t)i;
    return cw_kilo_arbitrated(tm) ? CW_OK : cw_kilo_hazard_create(&u->detector, &tm->cfg, index, err);
}

void cw_kilo__unit_destroy(struct cw_kilo_unit *u)
{
    if (u == NULL)
        return;
    for (uint64_t id = u->retire; u->ring != NULL && id < u->tail; id++) {
        struct group *g = at(u, id)->group;
        if (g != NULL && --g->live == 0) {
            g->next = u->groups;
            u->groups = g;
        }
    }
    while (u->groups != NULL) {
        struct group *next = u->groups->next;
        free(u->groups->word);
        free(u->groups);
        u->groups = next;
    }
    cw_kilo_hazard_destroy(u->detector);
    free(u->ring);
    free(u->compare.at);
    free(u->write.at);
    free(u->request);
    free(u->idle);
    free(u->out);
    free(u);
}

struct cw_component *cw_kilo__unit_component(struct cw_kilo_unit *u)
{
    return &u->component;
}

bool cw_kilo__unit_idle(const struct cw_kilo_unit *u)
{
    return u->retire == u->tail && u->out_cnt == 0 && u->line_cnt == 0 && u->idle_cnt == REQUESTS;
}
