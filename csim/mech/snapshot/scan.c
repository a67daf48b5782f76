/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation, partition: what accesses do to the writer table and the reader list (SI-TM 4.2 and step 2 of Figure 12). An access
 * goes through the tables while it is on its way to the L2, word by word and lane by lane, in the order in which accesses came. Of a read,
 * the reader is entered and the word's writers are looked up: an edge for each that runs or has committed since the reader began. Of a
 * write, the word is claimed; when that is granted, its readers are listed, one per cycle, and each is an edge. Edges go to the logical
 * timestamp table.
 *
 * A write is refused when another transaction that runs, or is about to commit, has claimed the word (the single writer of 4.2), and when
 * one has committed a write of it since the writer began. Of two lanes of one warp the higher one loses, whoever came first: else two lanes
 * that want two words in opposite order would refuse each other at each attempt, as their warp runs in lock step.
 */
#include "mech/snapshot/port.h"

#include <string.h>

#define NONE UINT32_MAX

static bool is_concurrent(const struct cw_si_port *u, uint32_t id, cw_time begin)
{
    return u->owner[id] != CW_SI_OWNER_COMMITTED || u->committed[id] > begin;
}

static void push_edge(struct cw_si_port *u, uint32_t reader, uint32_t writer, bool reader_asks, cw_time now)
{
    struct cw_si_line *line = u->tm->fact + u->index;
    const struct cw_si_fact_note note = {.kind = CW_SI_EDGE,
                                         .reader = (uint16_t)reader,
                                         .writer = (uint16_t)writer,
                                         .reader_asks = reader_asks,
                                         .op = u->op_first,
                                         .lane = u->scan.lane};
    cw_si_line_push(line, &note, now, u->tm->postdate);
    u->op[u->op_first].pending++;
}

/* Room for the edges of one word's writers. */
static bool room(const struct cw_si_port *u, cw_time now)
{
    return cw_fifo_space(&u->tm->fact[u->index].fifo, now) > CW_SI_WRITERS + 2; /* two for the ends of a sweep and of a copy */
}

static void lose(struct cw_message *p, uint32_t lane, cw_lanes *why)
{
    *why |= cw_lanes_one(lane);
    cw_tx_access(p)->aborted |= cw_lanes_one(lane);
}

static void read_word(struct cw_si_port *u, struct cw_message *p, uint64_t word, uint32_t id, cw_time now)
{
    struct cw_si_access_body *body = cw_si_access(p);
    if (!cw_si_tables_read(u->tables, word, id)) {
        lose(p, u->scan.lane, &body->table);
        return;
    }
    cw_stat_max(&u->tm->counters->si_readers_max, cw_si_tables_entries(u->tables));
    const struct cw_si_writers *w = cw_si_tables_writers(u->tables, word);
    for (uint32_t i = 0; w != NULL && i < w->cnt; i++)
        if (w->id[i] != id && cw_si_set_has(&u->live, w->id[i]) && is_concurrent(u, w->id[i], body->begin))
            push_edge(u, id, w->id[i], true, now);
}

/* Whether the lane takes the word from a higher one of its warp. */
static bool takes_from(const struct cw_si_port *u, const struct cw_message *p, uint32_t other)
{
    return u->owner[other] == CW_SI_OWNER_RUNS && u->who[other].core == p->core && u->who[other].warp == p->warp &&
           u->who[other].lane > u->scan.lane;
}

/* Whether the word is the lane's; false: it has lost. *known: it has been before. */
static bool claim(struct cw_si_port *u, struct cw_message *p, uint64_t word, uint32_t id, bool *known)
{
    struct cw_si_access_body *body = cw_si_access(p);
    const struct cw_si_writers *w = cw_si_tables_writers(u->tables, word);
    bool taken = false; /* an entry has become the lane's */
    *known = false;
    for (uint32_t i = 0; w != NULL && i < w->cnt; i++) {
        const uint32_t other = w->id[i];
        *known |= other == id;
        if (u->tm->sabotage == CW_SI_NO_WRITE_CHECK)
            continue;
        if (other == id || !cw_si_set_has(&u->live, other) || !is_concurrent(u, other, body->begin))
            continue;
        if (takes_from(u, p, other)) {
            body->single_writer |= cw_lanes_one(u->who[other].lane);
            cw_si_tables_take_over(u->tables, word, other, id);
            taken = true;
            continue;
        }
        lose(p, u->scan.lane, u->owner[other] == CW_SI_OWNER_COMMITTED ? &body->write_write : &body->single_writer);
        return false;
    }
    if (*known || taken || cw_si_tables_write(u->tables, word, id))
        return true;
    lose(p, u->scan.lane, &body->table);
    return false;
}

/* A word's readers, from the first on: whether one was found and is an edge now. */
static bool next_reader(struct cw_si_port *u, uint32_t id, cw_time now)
{
    for (uint32_t i = 0; i < CW_SI_SET_WORDS; i++) {
        uint64_t *bits = u->scan.readers.bits + i;
        *bits &= u->live.bits[i];
        while (*bits != 0) {
            const uint32_t reader = 64 * i + (uint32_t)__builtin_ctzll(*bits);
            *bits &= *bits - 1;
            if (reader == id)
                continue;
            push_edge(u, reader, id, false, now);
            return true;
        }
    }
    return false;
}

static void next_lane(struct cw_si_port *u, struct cw_si_op *o)
{
    struct cw_si_scan *s = &u->scan;
    s->word = 0;
    s->claimed = false;
    s->lane++;
    const cw_lanes rest = o->p->lanes >> s->lane << s->lane;
    if (s->lane < CW_LANES && rest != 0) {
        s->lane = cw_lanes_first(rest);
        return;
    }
    o->scanned = true;
    u->op_first = o->next;
    if (u->op_first != NONE)
        s->lane = cw_lanes_first(u->op[u->op_first].p->lanes);
}

static void next_word(struct cw_si_port *u, struct cw_si_op *o, uint32_t words)
{
    u->scan.claimed = false;
    if (++u->scan.word >= words || cw_lanes_has(cw_tx_access_of(o->p)->aborted, u->scan.lane))
        next_lane(u, o);
}

/* Of a store: claims the word, and from the next cycle on lists its readers. */
static void write_word(struct cw_si_port *u, struct cw_si_op *o, uint64_t word, uint32_t id, uint32_t words, cw_time now)
{
    bool known;
    if (u->scan.claimed) {
        if (!next_reader(u, id, now))
            next_word(u, o, words);
        return;
    }
    const bool granted = claim(u, o->p, word, id, &known);
    const struct cw_si_set *readers = granted && !known ? cw_si_tables_readers(u->tables, word) : NULL;
    cw_stat_max(&u->tm->counters->si_writers_max, cw_si_tables_words(u->tables));
    if (readers == NULL) {
        next_word(u, o, words);
        return;
    }
    u->scan.claimed = true;
    u->scan.readers = *readers;
}

bool cw_si__scan_step(struct cw_si_port *u, cw_time now)
{
    if (u->op_first == NONE)
        return false;
    struct cw_si_op *o = u->op + u->op_first;
    struct cw_message *p = o->p;
    if (o->since >= now)
        return true;
    const struct cw_si_access_body *body = cw_si_access_of(p);
    const uint32_t lane = u->scan.lane, first = body->access.lane_offset[lane], end = first + body->access.bytes;
    const uint32_t words = (end - (first & ~3u) + 3) / 4;
    const uint64_t word = p->addr + (first & ~3u) + 4 * u->scan.word;
    if (!room(u, now))
        return true;
    if (p->kind == CW_MSG_PASS) {
        write_word(u, o, word, body->id[lane], words, now);
        return true;
    }
    read_word(u, p, word, body->id[lane], now);
    next_word(u, o, words);
    return true;
}

void cw_si__scan_index(struct cw_si_port *u, const struct cw_si_index_note *n)
{
    cw_lanes rest = n->lanes;
    for (uint32_t i = 0; i < n->ids; i++) {
        const uint32_t id = n->id[i];
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
