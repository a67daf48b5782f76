/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation, partition: what accesses do to the writer table and the reader list (SI-TM 4.2 and step 2 of Figure 12). An access
 * goes through the tables while it is on its way to the L2, word by word and lane by lane, in the order in which accesses came. Of a read,
 * the reader is entered and the word's writers are looked up: an edge for each that runs or has committed since the reader began. Of a
 * write, the word is claimed; when that is granted, its readers are listed, one per cycle, and each is an edge. Edges go to the logical
 * timestamp table.
 *
 * Both tables are units. The writer table takes a word per cycle, and answers five cycles later; a store waits for its answer, and others for
 * it. What the writer table has answered goes to the reader list in the next cycle, which takes a reader per four cycles at best. What the
 * version manager says of IDs both are told one ID per cycle, before the next word.
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

/* Room for the edges of so many words' writers. */
static bool room(const struct cw_si_port *u, uint32_t words, cw_time now)
{
    return cw_fifo_space(&u->tm->fact[u->index].fifo, now) > words * CW_ADAPT_WRITERS + 2; /* two for the ends of a sweep and of a copy */
}

static void lose(struct cw_message *p, uint32_t lane, cw_lanes *why)
{
    *why |= cw_lanes_one(lane);
    cw_tx_access(p)->aborted |= cw_lanes_one(lane);
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
    u->scan.offered = true;
}

static void drop_oldest(struct cw_si_port *u)
{
    struct cw_si_scan *s = &u->scan;
    s->answered--;
    s->listed -= s->listed > 0;
    s->granted = false;
    cw_ring_take(&s->ring, CW_SI_QUESTIONS);
}

/* What was asked about a word is done with. */
static void finish(struct cw_si_port *u)
{
    const struct cw_si_table_question *q = oldest(u);
    u->op[q->op].scanned |= q->last;
    u->scan.store = u->scan.store && q->kind == CW_SI_READ;
    drop_oldest(u);
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

/* The reader list has taken the reader in, or is full. */
static void read_word(struct cw_si_port *u, bool full, cw_time now)
{
    const struct cw_si_table_question *q = oldest(u);
    struct cw_message *p = u->op[q->op].p;
    struct cw_si_access_body *body = cw_si_access(p);
    for (uint32_t i = 0; i < q->answer.cnt && !full; i++)
        if (is_met(u, q->answer.id[i], body->begin))
            push_edge(u, q, q->asked.id, q->answer.id[i], now);
    if (full)
        lose(p, q->lane, &body->table);
    finish(u);
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
static void granted(struct cw_si_port *u, bool known)
{
    if (known)
        finish(u);
    else
        u->scan.granted = true;
}

/* Another transaction that runs has the word. */
static void owned(struct cw_si_port *u, struct cw_message *p, uint32_t other)
{
    struct cw_si_access_body *body = cw_si_access(p);
    if (u->tm->sabotage == CW_SI_NO_WRITE_CHECK) {
        granted(u, false);
    } else if (takes_from(u, p, other)) {
        body->single_writer |= cw_lanes_one(u->who[other].lane);
        ask_again(u, CW_SI_TAKE_OVER, CW_WRITER_RELEASE, other);
    } else {
        lose(p, oldest(u)->lane, u->owner[other] == CW_SI_OWNER_COMMITTED ? &body->write_write : &body->single_writer);
        finish(u);
    }
}

static void claimed(struct cw_si_port *u, struct cw_message *p, const struct cw_adapt_writer_table_answer *a)
{
    struct cw_si_access_body *body = cw_si_access(p);
    const struct cw_si_table_question *q = oldest(u);
    cw_stat_max(&u->tm->counters->si_writers_max, cw_adapt_writer_table_used(u->writers));
    if (a->result == CW_WRITER_OWNED) {
        owned(u, p, a->owner);
    } else if (a->result == CW_WRITER_FULL) {
        lose(p, q->lane, &body->table);
        finish(u);
    } else if (meets_committed(u, a, body->begin)) {
        lose(p, q->lane, &body->write_write);
        ask_again(u, CW_SI_GIVE_UP, CW_WRITER_RELEASE, q->asked.id);
    } else {
        granted(u, a->result == CW_WRITER_OWN);
    }
}

/* What the writer table says of a store. */
static void decide(struct cw_si_port *u)
{
    const struct cw_si_table_question *q = oldest(u);
    struct cw_message *p = u->op[q->op].p;
    if (q->kind == CW_SI_CLAIM)
        claimed(u, p, &q->answer);
    else if (q->kind == CW_SI_TAKE_OVER)
        ask_again(u, CW_SI_CLAIM, CW_WRITER_CLAIM, cw_si_access(p)->id[q->lane]);
    else
        finish(u);
}

/* The tables turn to the first access that waits. */
void cw_si__scan_first(struct cw_si_port *u)
{
    struct cw_si_scan *s = &u->scan;
    s->word = 0;
    s->left = u->op[u->op_first].p->lanes;
    s->lane = cw_lanes_first(s->left);
}

/* The next lane is one with the same address, if there is one: so the reader list is asked about a word many times in a row. */
static void next_lane(struct cw_si_port *u, const struct cw_si_op *o)
{
    struct cw_si_scan *s = &u->scan;
    const uint8_t *offset = cw_si_access_of(o->p)->access.lane_offset;
    const uint8_t last = offset[s->lane];
    s->word = 0;
    s->left = cw_lanes_without(s->left, cw_lanes_one(s->lane));
    for (cw_lanes rest = s->left; rest != 0; rest = cw_lanes_rest(rest)) {
        s->lane = cw_lanes_first(rest);
        if (offset[s->lane] == last)
            return;
    }
    if (s->left != 0) {
        s->lane = cw_lanes_first(s->left);
        return;
    }
    u->op_first = o->next;
    if (u->op_first != NONE)
        cw_si__scan_first(u);
}

/* The next word of the first access that waits. */
static void begin_word(struct cw_si_port *u)
{
    const struct cw_si_op *o = u->op + u->op_first;
    const struct cw_si_access_body *body = cw_si_access_of(o->p);
    struct cw_si_table_question q = {.kind = o->p->kind == CW_MSG_PASS ? CW_SI_CLAIM : CW_SI_READ, .op = u->op_first, .lane = u->scan.lane};
    const uint32_t first = body->access.lane_offset[q.lane], end = first + body->access.bytes, words = (end - (first & ~3u) + 3) / 4;
    q.asked.kind = q.kind == CW_SI_CLAIM ? CW_WRITER_CLAIM : CW_WRITER_QUERY;
    q.asked.word = o->p->addr + (first & ~3u) + 4 * u->scan.word;
    q.asked.id = body->id[q.lane];
    if (++u->scan.word == words)
        next_lane(u, o);
    q.last = u->op_first != q.op;
    u->scan.store = q.kind == CW_SI_CLAIM;
    ask(u, &q);
}

/* Whether a word may begin: after a store under way is done with, and with what was said of IDs known to the tables. */
static bool may_begin(const struct cw_si_port *u, cw_time now)
{
    const struct cw_si_scan *s = &u->scan;
    return u->op_first != NONE && u->op[u->op_first].since < now && u->state_ring.cnt == 0 && !s->offered && !s->store &&
           s->ring.cnt < CW_SI_QUESTIONS && room(u, s->ring.cnt + 1, now);
}

/* Sweeps follow what was said before them. */
static void begin_sweeps(struct cw_si_port *u)
{
    while (u->state_ring.cnt > 0 && u->state[u->state_ring.head].sweep) {
        u->sweeping = true;
        cw_adapt_writer_table_sweep(u->writers);
        cw_adapt_scalable_reader_list_sweep(u->readers);
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

/* What the reader list is offered. What an ID has become is told before the next word; whether it has committed makes no difference. */
static const struct cw_adapt_scalable_reader_list_op *next_list(struct cw_si_port *u, struct cw_adapt_scalable_reader_list_op *op)
{
    const struct cw_si_scan *s = &u->scan;
    if (u->state_ring.cnt > 0 && !s->told_readers) {
        const struct cw_si_writer_note *n = u->state + u->state_ring.head;
        *op = (struct cw_adapt_scalable_reader_list_op){.kind = n->kind == CW_WRITER_RUN ? CW_READER_RUN : CW_READER_FREE, .id = n->id};
        return op;
    }
    const struct cw_si_table_question *q = question(u, s->listed);
    if (s->listed == s->answered || (q->kind != CW_SI_READ && !s->granted))
        return NULL;
    *op = (struct cw_adapt_scalable_reader_list_op){
        .kind = q->kind == CW_SI_READ ? CW_READER_ADD : CW_READER_LIST, .word = q->asked.word, .id = q->asked.id};
    return op;
}

/* A cycle of the reader list. */
static void use_readers(struct cw_si_port *u, cw_time now)
{
    struct cw_adapt_scalable_reader_list_op room_of_op;
    struct cw_adapt_scalable_reader_list_answer a;
    const struct cw_adapt_scalable_reader_list_op *op = next_list(u, &room_of_op);
    const bool taken = cw_adapt_scalable_reader_list_clock(u->readers, op, room(u, 1, now), &a);
    if (a.reader && a.id != oldest(u)->asked.id && cw_si_set_has(&u->live, a.id))
        push_edge(u, oldest(u), a.id, oldest(u)->asked.id, now);
    if (a.over) {
        cw_stat_max(&u->tm->counters->si_readers_max, cw_adapt_scalable_reader_list_used(u->readers));
        if (oldest(u)->kind == CW_SI_READ)
            read_word(u, a.result == CW_READER_FULL, now);
        else
            finish(u);
    }
    if (taken && op->kind >= CW_READER_RUN)
        u->scan.told_readers = true;
    else if (taken)
        u->scan.listed++;
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
    } else if (s->offered) {
        op = &question(u, s->ring.cnt - 1)->asked;
    }
    const bool taken = cw_adapt_writer_table_clock(u->writers, op, &answer);
    if (taken && op == &state)
        s->told_writers = true;
    else if (taken)
        s->offered = false;
    if (answer.valid)
        question(u, s->answered++)->answer = answer;
}

bool cw_si__scan_step(struct cw_si_port *u, cw_time now)
{
    struct cw_si_scan *s = &u->scan;
    if (s->answered > 0 && oldest(u)->kind != CW_SI_READ && !s->granted)
        decide(u);
    if (may_begin(u, now))
        begin_word(u);
    begin_sweeps(u);
    s->told_readers |= u->state_ring.cnt > 0 && u->state[u->state_ring.head].kind == CW_WRITER_COMMIT; /* the list does not ask for it */
    use_readers(u, now);
    use_writers(u);
    tell(u);
    return u->op_first != NONE || s->ring.cnt > 0 || u->state_ring.cnt > 0 || cw_adapt_writer_table_busy(u->writers) ||
           cw_adapt_scalable_reader_list_busy(u->readers);
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
