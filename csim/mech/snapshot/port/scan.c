/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation, partition: what accesses do to the writer table and the reader lists (SI-TM 4.2 and step 2 of Figure 12). An access
 * goes through the tables while it is on its way to the L2, word by word, in the order in which accesses came. Of a read, the readers are
 * entered and the word's writers are looked up: an edge for each that runs or has committed since the reader began. Of a write, the word is
 * claimed; when that is granted, its readers are listed, and each is an edge. Edges go to the logical timestamp table.
 *
 * All tables are units. The writer table takes a word per cycle, for all lanes that read it, and answers five cycles later. What it has
 * answered goes to the reader lists in the next cycle. A list has the transactions of some numbers, takes a reader per four cycles, or per two
 * of one word, and works beside the others: loop detection is to be overlapped with loads and writes, and not to block (4.3). A store holds up
 * only what comes for its word. What the version manager says of IDs the tables are told one ID per cycle, before the next word.
 *
 * A write is refused when another transaction that runs, or is about to commit, has claimed the word (the single writer of 4.2), and when
 * one has committed a write of it since the writer began. Of two lanes of one warp the higher one loses, whoever came first: else two lanes
 * that want two words in opposite order would refuse each other at each attempt, as their warp runs in lock step.
 */
#include "mech/snapshot/port/port.h"

#include <string.h>

#define NONE UINT32_MAX

static bool is_concurrent(const struct cw_si_port *u, uint32_t id, cw_time begin)
{
    return u->owner[id] != CW_SI_OWNER_COMMITTED || u->committed[id] > begin;
}

static void push_edge(struct cw_si_port *u, const struct cw_si_table_question *q, uint32_t reader, uint32_t writer, cw_time now)
{
    struct cw_si_line *line = u->tm->fact + u->index;
    const struct cw_si_fact_note note = {.kind = CW_SI_EDGE,
                                         .reader = (uint16_t)reader,
                                         .writer = (uint16_t)writer,
                                         .reader_asks = q->kind == CW_SI_READ,
                                         .op = q->op,
                                         .lane = q->lane};
    cw_si_line_push(line, &note, now, u->tm->postdate);
    u->op[q->op].pending++;
}

/* Room for so many edges beside those that are promised, and two notes: the ends of a sweep and of a copy. */
static bool room(const struct cw_si_port *u, uint32_t edges, cw_time now)
{
    return cw_fifo_space(&u->tm->fact[u->index].fifo, now) > u->scan.promised + edges + 2;
}

static uint32_t lists(const struct cw_si_port *u)
{
    return u->tm->keys->si_lists;
}

static void lose(struct cw_message *p, uint32_t lane, cw_lanes *why)
{
    *why |= cw_lanes_one(lane);
    cw_tx_access(p)->aborted |= cw_lanes_one(lane);
}

/* The same, by the word. */
static void lose_word(const struct cw_si_port *u, struct cw_message *p, const struct cw_si_table_question *q, cw_lanes *why, cw_time now)
{
    cw_tell_conflict(&u->tm->host, cw_attempt_name_of(p), q->lane, q->asked.word, now);
    lose(p, q->lane, why);
}

/* Entries of the word that are of others than the lane's transaction and concurrent with it. */
static bool is_met(const struct cw_si_port *u, uint32_t other, cw_time begin)
{
    return cw_si_set_has(&u->live, other) && is_concurrent(u, other, begin);
}

static struct cw_si_table_question *oldest(struct cw_si_port *u)
{
    return u->scan.question + u->scan.ring.head;
}

static struct cw_si_table_question *question(struct cw_si_port *u, uint32_t i)
{
    return u->scan.question + cw_ring_at(&u->scan.ring, i, CW_SI_QUESTIONS);
}

/* Offers the writer table a question. */
static void ask(struct cw_si_port *u, const struct cw_si_table_question *q)
{
    u->scan.question[cw_ring_add(&u->scan.ring, CW_SI_QUESTIONS)] = *q;
    u->scan.offered++;
}

static void drop_oldest(struct cw_si_port *u)
{
    struct cw_si_scan *s = &u->scan;
    s->answered--;
    s->granted = false;
    cw_ring_take(&s->ring, CW_SI_QUESTIONS);
}

void cw_si__free_op(struct cw_si_port *u, uint32_t i)
{
    u->op[i].next = u->op_free;
    u->op_free = i;
    u->ops--;
}

void cw_si__tell_rest(struct cw_si_port *u, uint32_t op)
{
    struct cw_message *p = u->op[op].p;
    p->kind = CW_MSG_OWN_REPLY;
    cw_si__send(u, p);
    cw_si__free_op(u, op);
}

/* The tables have taken all words of the access. */
static void scanned(struct cw_si_port *u, uint32_t op, cw_time now)
{
    struct cw_si_op *o = u->op + op;
    o->scanned = true;
    if (u->tm->keys->si_graph == CW_ON)
        cw_si__oracle_port_count(u, o->p, now);
    u->ahead -= o->gone;
    if (o->gone && o->pending == 0)
        cw_si__tell_rest(u, op);
}

/* What was asked about a word is done with. */
static void finish(struct cw_si_port *u, cw_time now)
{
    const uint32_t op = oldest(u)->op;
    struct cw_si_op *o = u->op + op;
    drop_oldest(u);
    if (--o->questions == 0 && o->asked)
        scanned(u, op, now);
}

/* The same question with an operation of another kind, of that ID, takes its place. */
static void ask_again(struct cw_si_port *u, uint32_t kind, enum cw_writer_op op, uint32_t id)
{
    struct cw_si_table_question q = *oldest(u);
    q.kind = kind;
    q.asked.kind = op;
    q.asked.id = id;
    drop_oldest(u);
    ask(u, &q);
}

/* Transactions of which the word may have edges, by the answer: the one that was asked for is told of otherwise. */
static uint32_t writers_of(const struct cw_si_table_question *q, uint16_t *id)
{
    uint32_t cnt = q->answer.cnt;
    for (uint32_t i = 0; i < cnt; i++)
        id[i] = (uint16_t)q->answer.id[i];
    if (q->answer.result == CW_WRITER_OWN)
        id[cnt++] = (uint16_t)q->asked.id;
    return cnt;
}

/* A list has taken the lane's reader in, or is full. */
static void read_word(struct cw_si_port *u, struct cw_si_table_question *q, uint32_t lane, bool full, cw_time now)
{
    struct cw_message *p = u->op[q->op].p;
    struct cw_si_access_body *body = cw_si_access(p);
    uint16_t id[CW_ADAPT_WRITERS + 1];
    const uint32_t cnt = writers_of(q, id);
    u->scan.promised -= cnt;
    q->open--;
    q->lane = lane;
    for (uint32_t i = 0; i < cnt && !full; i++)
        if (id[i] != body->id[lane] && is_met(u, id[i], body->begin))
            push_edge(u, q, body->id[lane], id[i], now);
    if (full)
        lose(p, lane, &body->table);
}

/* Whether the lane takes the word from a higher one of its warp. */
static bool takes_from(struct cw_si_port *u, const struct cw_message *p, uint32_t other)
{
    return u->owner[other] == CW_SI_OWNER_RUNS && u->who[other].core == p->core && u->who[other].warp == p->warp &&
           u->who[other].lane > oldest(u)->lane;
}

/* A writer that is concurrent and has committed takes the word from the lane. */
static bool meets_committed(const struct cw_si_port *u, const struct cw_adapt_writer_table_answer *a, cw_time begin)
{
    for (uint32_t i = 0; i < a->cnt; i++)
        if (is_met(u, a->id[i], begin))
            return u->tm->sabotage != CW_SI_NO_WRITE_CHECK;
    return false;
}

/* The word is the lane's: its readers are listed, if that has not been done before. */
static void granted(struct cw_si_port *u, bool known, cw_time now)
{
    struct cw_si_table_question *q = oldest(u);
    if (known) {
        finish(u, now);
        return;
    }
    u->scan.granted = true;
    q->open = lists(u);
    for (uint32_t i = 0; i < lists(u); i++)
        q->to_list[i] = true;
}

/* Another transaction that runs has the word. */
static void owned(struct cw_si_port *u, struct cw_message *p, uint32_t other, cw_time now)
{
    struct cw_si_access_body *body = cw_si_access(p);
    if (u->tm->sabotage == CW_SI_NO_WRITE_CHECK) {
        granted(u, false, now);
    } else if (takes_from(u, p, other)) {
        cw_tell_conflict(&u->tm->host, cw_attempt_name_of(p), u->who[other].lane, oldest(u)->asked.word, now);
        body->single_writer |= cw_lanes_one(u->who[other].lane);
        ask_again(u, CW_SI_TAKE_OVER, CW_WRITER_RELEASE, other);
    } else {
        lose_word(u, p, oldest(u), u->owner[other] == CW_SI_OWNER_COMMITTED ? &body->write_write : &body->single_writer, now);
        finish(u, now);
    }
}

static void claimed(struct cw_si_port *u, struct cw_message *p, const struct cw_adapt_writer_table_answer *a, cw_time now)
{
    struct cw_si_access_body *body = cw_si_access(p);
    const struct cw_si_table_question *q = oldest(u);
    cw_stat_max(&u->tm->counters->si_writers_max, cw_adapt_writer_table_used(u->writers));
    if (a->result == CW_WRITER_OWNED) {
        owned(u, p, a->owner, now);
    } else if (a->result == CW_WRITER_FULL) {
        lose(p, q->lane, &body->table);
        finish(u, now);
    } else if (meets_committed(u, a, body->begin)) {
        lose_word(u, p, q, &body->write_write, now);
        ask_again(u, CW_SI_GIVE_UP, CW_WRITER_RELEASE, q->asked.id);
    } else {
        granted(u, a->result == CW_WRITER_OWN, now);
    }
}

/* What the writer table says of a store. */
static void decide(struct cw_si_port *u, cw_time now)
{
    const struct cw_si_table_question *q = oldest(u);
    struct cw_message *p = u->op[q->op].p;
    if (q->kind == CW_SI_CLAIM)
        claimed(u, p, &q->answer, now);
    else if (q->kind == CW_SI_TAKE_OVER)
        ask_again(u, CW_SI_CLAIM, CW_WRITER_CLAIM, cw_si_access(p)->id[q->lane]);
    else
        finish(u, now);
}

/* The next lanes whose word is asked for: those of a read with one address, or one that writes, those of one address in a row. */
static void next_group(struct cw_si_scan *s, const struct cw_message *p, uint32_t offset)
{
    cw_lanes same = 0;
    s->word = 0;
    for (cw_lanes rest = s->left; rest != 0; rest = cw_lanes_rest(rest)) {
        const uint32_t lane = cw_lanes_first(rest);
        if (cw_si_access_of(p)->access.lane_offset[lane] == offset)
            same |= cw_lanes_one(lane);
    }
    if (same == 0)
        next_group(s, p, cw_si_access_of(p)->access.lane_offset[cw_lanes_first(s->left)]);
    else
        s->group = p->kind == CW_MSG_PASS ? cw_lanes_one(cw_lanes_first(same)) : same;
}

/* The tables turn to the first access that waits. */
void cw_si__scan_first(struct cw_si_port *u)
{
    const struct cw_message *p = u->op[u->op_first].p;
    u->scan.left = p->lanes;
    next_group(&u->scan, p, cw_si_access_of(p)->access.lane_offset[cw_lanes_first(p->lanes)]);
}

/* The group's words are all asked for. */
static void end_group(struct cw_si_port *u, const struct cw_si_op *o, uint32_t offset)
{
    struct cw_si_scan *s = &u->scan;
    s->left = cw_lanes_without(s->left, s->group);
    if (s->left != 0) {
        next_group(s, o->p, offset);
        return;
    }
    u->op_first = o->next;
    if (u->op_first != NONE)
        cw_si__scan_first(u);
}

/* The question about the next word of the first access that waits. */
static struct cw_si_table_question next_question(const struct cw_si_port *u)
{
    const struct cw_si_op *o = u->op + u->op_first;
    const struct cw_si_access_body *body = cw_si_access_of(o->p);
    struct cw_si_table_question q = {
        .kind = o->p->kind == CW_MSG_PASS ? CW_SI_CLAIM : CW_SI_READ, .op = u->op_first, .lane = cw_lanes_first(u->scan.group)};
    q.asked.kind = q.kind == CW_SI_CLAIM ? CW_WRITER_CLAIM : CW_WRITER_QUERY;
    q.asked.word = o->p->addr + (body->access.lane_offset[q.lane] & ~3u) + 4 * u->scan.word;
    q.asked.id = body->id[q.lane];
    for (cw_lanes rest = q.kind == CW_SI_READ ? u->scan.group : 0; rest != 0; rest = cw_lanes_rest(rest), q.open++)
        q.to_add[body->id[cw_lanes_first(rest)] % lists(u)] |= cw_lanes_one(cw_lanes_first(rest));
    return q;
}

/* Asks it; the word after it is the next one. */
static void begin_word(struct cw_si_port *u, const struct cw_si_table_question *q)
{
    struct cw_si_op *o = u->op + u->op_first;
    const struct cw_si_access_body *body = cw_si_access_of(o->p);
    const uint32_t first = body->access.lane_offset[q->lane], end = first + body->access.bytes, words = (end - (first & ~3u) + 3) / 4;
    if (++u->scan.word == words)
        end_group(u, o, first);
    o->asked = u->op_first != q->op;
    o->questions++;
    ask(u, q);
}

/* Whether a store of the word is under way. */
static bool is_claimed(struct cw_si_port *u, uint64_t word)
{
    for (uint32_t i = 0; i < u->scan.ring.cnt; i++)
        if (question(u, i)->kind != CW_SI_READ && question(u, i)->asked.word == word)
            return true;
    return false;
}

/* A word begins after a store of it is done with, and with what was said of IDs known to the tables. */
static void begin(struct cw_si_port *u, cw_time now)
{
    const struct cw_si_scan *s = &u->scan;
    if (u->op_first == NONE || u->op[u->op_first].since >= now || u->state_ring.cnt > 0 || s->offered > 0 || s->ring.cnt == CW_SI_QUESTIONS)
        return;
    struct cw_si_table_question q = next_question(u);
    if (!is_claimed(u, q.asked.word))
        begin_word(u, &q);
}

/* Sweeps follow what was said before them. */
static void begin_sweeps(struct cw_si_port *u)
{
    while (u->state_ring.cnt > 0 && u->state[u->state_ring.head].sweep) {
        u->sweeping = true;
        cw_adapt_writer_table_sweep(u->writers);
        for (uint32_t i = 0; i < lists(u); i++)
            cw_adapt_scalable_reader_list_sweep(u->readers[i]);
        cw_ring_take(&u->state_ring, CW_SI_STATES);
    }
}

/* The oldest note goes when both tables know it. */
static void tell(struct cw_si_port *u)
{
    if (!u->scan.told_writers || !u->scan.told_readers)
        return;
    u->scan.told_writers = u->scan.told_readers = false;
    cw_ring_take(&u->state_ring, CW_SI_STATES);
}

/* What a list is offered. q: about this question, NULL: what an ID has become. */
struct offer {
    bool any;
    struct cw_si_table_question *q;
    struct cw_adapt_scalable_reader_list_op op;
};

/* What the list may be asked about the question, if there is room for the edges that it may bring. */
static struct offer offer_of(struct cw_si_port *u, uint32_t list, struct cw_si_table_question *q, cw_time now)
{
    struct offer o = {.q = q, .op = {.kind = CW_READER_LIST, .word = q->asked.word}};
    if (q->kind != CW_SI_READ) {
        o.any = q == oldest(u) && u->scan.granted && q->to_list[list];
    } else if (q->to_add[list] != 0) {
        o.op.kind = CW_READER_ADD;
        o.op.id = cw_si_access_of(u->op[q->op].p)->id[cw_lanes_first(q->to_add[list])] / lists(u);
        o.any = room(u, q->answer.cnt + 1 + lists(u), now);
    }
    return o;
}

/* What an ID has become is told before the next word; whether it has committed makes no difference. */
static struct offer next_offer(struct cw_si_port *u, uint32_t list, cw_time now)
{
    const struct cw_si_scan *s = &u->scan;
    struct offer o = {.any = false};
    if (u->state_ring.cnt > 0 && !s->told_readers && u->state[u->state_ring.head].id % lists(u) == list) {
        const struct cw_si_writer_note *n = u->state + u->state_ring.head;
        o.any = true;
        o.op.kind = n->kind == CW_WRITER_RUN ? CW_READER_RUN : CW_READER_FREE;
        o.op.id = n->id / lists(u);
        return o;
    }
    for (uint32_t i = 0; i < s->answered && !o.any; i++)
        o = offer_of(u, list, question(u, i), now);
    return o;
}

/* The list has taken what it was offered. */
static void taken_by_list(struct cw_si_port *u, uint32_t list, struct cw_si_table_question *q)
{
    struct cw_si_scan *s = &u->scan;
    uint16_t id[CW_ADAPT_WRITERS + 1];
    if (q == NULL) {
        s->told_readers = true;
        return;
    }
    s->list[list].question = (uint32_t)(q - s->question);
    q->to_list[list] = false;
    if (q->kind != CW_SI_READ)
        return;
    s->list[list].lane = cw_lanes_first(q->to_add[list]);
    q->to_add[list] = cw_lanes_rest(q->to_add[list]);
    s->promised += writers_of(q, id);
}

/* A cycle of a reader list. */
static void use_list(struct cw_si_port *u, uint32_t list, cw_time now)
{
    struct cw_adapt_scalable_reader_list_answer a;
    const struct offer o = next_offer(u, list, now);
    struct cw_si_table_question *q = u->scan.question + u->scan.list[list].question;
    const bool taken = cw_adapt_scalable_reader_list_clock(u->readers[list], o.any ? &o.op : NULL, room(u, lists(u), now), &a);
    const uint32_t id = a.id * lists(u) + list;
    if (a.reader && id != q->asked.id && cw_si_set_has(&u->live, id))
        push_edge(u, q, id, q->asked.id, now);
    if (a.over && q->kind == CW_SI_READ)
        read_word(u, q, u->scan.list[list].lane, a.result == CW_READER_FULL, now);
    else if (a.over)
        q->open--;
    if (taken)
        taken_by_list(u, list, o.q);
}

/* A cycle of the reader lists, and what is done with by it. */
static void use_readers(struct cw_si_port *u, cw_time now)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < lists(u); i++) {
        use_list(u, i, now);
        used += cw_adapt_scalable_reader_list_used(u->readers[i]);
    }
    cw_stat_max(&u->tm->counters->si_readers_max, used);
    while (u->scan.answered > 0 && (oldest(u)->kind == CW_SI_READ || u->scan.granted) && oldest(u)->open == 0)
        finish(u, now);
}

/* A cycle of the writer table. */
static void use_writers(struct cw_si_port *u)
{
    struct cw_si_scan *s = &u->scan;
    struct cw_adapt_writer_table_answer answer;
    struct cw_adapt_writer_table_op state;
    const struct cw_adapt_writer_table_op *op = NULL;
    if (u->state_ring.cnt > 0 && !s->told_writers) {
        const struct cw_si_writer_note *n = u->state + u->state_ring.head;
        state = (struct cw_adapt_writer_table_op){.kind = n->kind, .id = n->id};
        op = &state;
    } else if (s->offered > 0) {
        op = &question(u, s->ring.cnt - s->offered)->asked;
    }
    const bool taken = cw_adapt_writer_table_clock(u->writers, op, &answer);
    if (taken && op == &state)
        s->told_writers = true;
    else if (taken)
        s->offered--;
    if (answer.valid)
        question(u, s->answered++)->answer = answer;
}

bool cw_si__scan_step(struct cw_si_port *u, cw_time now)
{
    struct cw_si_scan *s = &u->scan;
    if (s->answered > 0 && oldest(u)->kind != CW_SI_READ && !s->granted)
        decide(u, now);
    begin(u, now);
    begin_sweeps(u);
    s->told_readers |= u->state_ring.cnt > 0 && u->state[u->state_ring.head].kind == CW_WRITER_COMMIT; /* the list does not ask for it */
    use_readers(u, now);
    use_writers(u);
    tell(u);
    bool busy = u->op_first != NONE || s->ring.cnt > 0 || u->state_ring.cnt > 0 || cw_adapt_writer_table_busy(u->writers);
    for (uint32_t i = 0; i < lists(u) && !busy; i++)
        busy = cw_adapt_scalable_reader_list_busy(u->readers[i]);
    return busy;
}

static void say(struct cw_si_port *u, const struct cw_si_writer_note *s)
{
    if (u->state_ring.cnt == CW_SI_STATES) {
        cw_mech_fault(&u->tm->host, CW_ELIMIT, "snapshot isolation: too many states of transactions wait for a partition's tables");
        return;
    }
    u->state[cw_ring_add(&u->state_ring, CW_SI_STATES)] = *s;
}

void cw_si__scan_sweep(struct cw_si_port *u)
{
    const struct cw_si_writer_note s = {.sweep = true};
    say(u, &s);
}

static void say_id(struct cw_si_port *u, uint32_t kind, uint16_t id)
{
    struct cw_si_writer_note s = {.kind = CW_WRITER_RUN, .id = id};
    if (kind == CW_SI_ID_SEALED || u->tm->oracle)
        return; /* sealed: as one that runs */
    if (kind != CW_SI_ID_NEW)
        s.kind = kind == CW_SI_ID_DEAD ? CW_WRITER_FREE : CW_WRITER_COMMIT;
    say(u, &s);
}

void cw_si__scan_index(struct cw_si_port *u, const struct cw_si_index_note *n)
{
    cw_lanes rest = n->lanes;
    for (uint32_t i = 0; i < n->ids; i++) {
        const uint32_t id = n->id[i];
        say_id(u, n->kind, n->id[i]);
        if (n->kind == CW_SI_ID_NEW) {
            u->who[id].core = n->core;
            u->who[id].warp = n->warp;
            u->who[id].lane = cw_lanes_first(rest);
            rest = cw_lanes_rest(rest);
        }
        if (n->kind == CW_SI_ID_NEW || n->kind == CW_SI_ID_DEAD)
            cw_si_set_put(&u->live, id, n->kind == CW_SI_ID_NEW);
        u->owner[id] = n->kind == CW_SI_ID_NEW ? CW_SI_OWNER_RUNS : n->kind == CW_SI_ID_SEALED ? CW_SI_OWNER_SEALED : u->owner[id];
        if (n->kind == CW_SI_ID_COMMITTED) {
            u->owner[id] = CW_SI_OWNER_COMMITTED;
            u->committed[id] = n->time;
        }
    }
}
